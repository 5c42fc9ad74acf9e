/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * timedsp.h: the C interface to the signal processing. It's written in Swift
 * (Sources/TimeDSP), and the compiler binds it to these declarations.
 *
 * Words
 *   frame   one sample of every channel, taken at the same time
 *   plane   one contiguous array: interleaved audio has one plane that holds
 *           whole frames, planar (non-interleaved) audio one plane per channel
 *
 * Every function checks all arguments before it touches memory, and returns a status. You can't
 * make one trap, whatever you pass. The functions marked "real-time" don't allocate, lock or make
 * system calls.
 */

#pragma once

#include <stddef.h>
#include <stdint.h>

/** The max channels of a stream. */
#define TIMEDSP_MAX_CHANNELS 1024

/** The largest frame, in bytes: TIMEDSP_MAX_CHANNELS samples of 8 bytes. */
#define TIMEDSP_MAX_FRAME_BYTES 8192

/** The range of a scaling factor, output duration / input duration. */
#define TIMEDSP_MIN_FACTOR 0.01
#define TIMEDSP_MAX_FACTOR 100.0

/** The highest quality of TIMEDSP_SINC. */
#define TIMEDSP_MAX_QUALITY 10

/** The max frames of a stream, in or out: 2^53, so that every frame index is exact in a double.
 * That's 5000 years at 48 kHz. */
#define TIMEDSP_MAX_FRAMES (UINT64_C (1) << 53)

/** The result of a call. */
typedef enum {
  TIMEDSP_OK = 0,
  TIMEDSP_NULL_POINTER,         /**< a required pointer is NULL */
  TIMEDSP_BAD_FORMAT,           /**< unknown sample format or layout */
  TIMEDSP_BAD_INTERPOLATION,    /**< unknown interpolation */
  TIMEDSP_BAD_CHANNELS,         /**< not in 1 … TIMEDSP_MAX_CHANNELS */
  TIMEDSP_BAD_FRAME_SIZE,       /**< not in 1 … TIMEDSP_MAX_FRAME_BYTES */
  TIMEDSP_BAD_FACTOR,           /**< not in TIMEDSP_MIN_FACTOR …
                                 * TIMEDSP_MAX_FACTOR, or NaN */
  TIMEDSP_BAD_LENGTH,           /**< a count is above TIMEDSP_MAX_FRAMES, or
                                 * doesn't fit in memory */
  TIMEDSP_OVERLAP,              /**< input and output overlap in a way that
                                 * isn't allowed */
  TIMEDSP_OUTPUT_TOO_SMALL,     /**< the output can't hold the result */
  TIMEDSP_FINISHED,             /**< input was passed after the end of the input */
  TIMEDSP_NO_MEMORY,            /**< the state couldn't be allocated */
  TIMEDSP_BAD_QUALITY,          /**< not in 0 … TIMEDSP_MAX_QUALITY */
  TIMEDSP_BAD_SPEED             /**< not in ±TIMESPEED_MAX_SPEED, or NaN */
} TimeDSPStatus;

/** Sample formats that can be interpolated, in the machine's byte order. */
typedef enum {
  TIMEDSP_S16 = 0,
  TIMEDSP_S32,
  TIMEDSP_F32,
  TIMEDSP_F64
} TimeDSPFormat;

typedef enum {
  TIMEDSP_INTERLEAVED = 0,      /**< one plane of whole frames */
  TIMEDSP_PLANAR                /**< one plane per channel */
} TimeDSPLayout;

/*
 * How to compute a value between two frames. The numbers, names and lists of interpolations are all
 * generated from this table. Add new rows at the end, so that existing numbers don't change.
 *
 *   row (NAME, nick, frames before, frames after, sentence)
 *
 * "Frames before" is how many frames are read before y0, the frame at or before the position.
 * "Frames after" is how many are read after y0, unless the position is exactly on y0. For sinc,
 * both depend on the quality and the factor (Sources/TimeDSP/Interpolation/SincKernel.swift). In
 * the formulas, y1 is the frame after y0, y-1 and y2 are the outer neighbours of these two, and a
 * in [0, 1) is the distance of the position from y0:
 *
 *   nearest   y0 if a < 1/2, else y1
 *   linear    y0 + a (y1 - y0)
 *   smooth    linear in a² (3 - 2a) when lengthening, else linear in a
 *   cubic     Lagrange's third-degree polynomial through y-1, y0, y1, y2
 *   sinc      band-limited: many frames under a windowed sinc, by quality
 */
#define TIMEDSP_INTERPOLATIONS(row) \
  row (NEAREST, "nearest", 0, 1, "The nearest frame") \
  row (LINEAR, "linear", 0, 1, "On the straight line between two frames") \
  row (SMOOTH, "smooth", 0, 1, "On the smoothstep curve between two frames " \
      "when lengthening, linear when shortening") \
  row (CUBIC, "cubic", 1, 2, "On the cubic through four frames") \
  row (SINC, "sinc", 0, 1, "Band-limited: a windowed sinc over many frames, " \
      "by quality; nothing aliases")

#define TIMEDSP_ROW_VALUE(NAME, nick, before, after, sentence) TIMEDSP_##NAME,
#define TIMEDSP_ROW_COUNT(NAME, nick, before, after, sentence) + 1
#define TIMEDSP_ROW_BEFORE(NAME, nick, before, after, sentence) before,
#define TIMEDSP_ROW_AFTER(NAME, nick, before, after, sentence) after,

typedef enum {
  TIMEDSP_INTERPOLATIONS (TIMEDSP_ROW_VALUE)
} TimeDSPInterpolation;

/** The number of interpolations. */
enum { TIMEDSP_N_INTERPOLATIONS = 0 TIMEDSP_INTERPOLATIONS (TIMEDSP_ROW_COUNT) };

/* The columns of the table for @interpolation, or 0 if it isn't in the table. */
static inline uint32_t
timedsp_frames_before (TimeDSPInterpolation interpolation)
{
  const uint8_t frames[] = { TIMEDSP_INTERPOLATIONS (TIMEDSP_ROW_BEFORE) };

  return interpolation < sizeof frames ? frames[interpolation] : 0;
}

static inline uint32_t
timedsp_frames_after (TimeDSPInterpolation interpolation)
{
  const uint8_t frames[] = { TIMEDSP_INTERPOLATIONS (TIMEDSP_ROW_AFTER) };

  return interpolation < sizeof frames ? frames[interpolation] : 0;
}

/** The format of audio, and the interpolation between its frames. */
typedef struct {
  TimeDSPFormat format;
  TimeDSPLayout layout;
  TimeDSPInterpolation interpolation;
  uint32_t channels;            /**< 1 … TIMEDSP_MAX_CHANNELS */
  uint32_t quality;             /**< 0 … TIMEDSP_MAX_QUALITY, for TIMEDSP_SINC */
} TimeDSPConfig;

/* ---- reversal ----------------------------------------------------------- */

/**
 * Copies @frames frames of @frame_bytes bytes from @in to @out in reverse order. The bytes within a
 * frame stay in order. @in and @out must either be the same address (to reverse in place) or not
 * overlap. They needn't be aligned. If @frames is 0, both may be NULL. Real-time.
 *
 * For planar audio, call this function once per plane, with the size of a
 * sample as @frame_bytes.
 *
 * Errors: NULL_POINTER, BAD_FRAME_SIZE, BAD_LENGTH, OVERLAP. Nothing is written if it fails.
 */
TimeDSPStatus timedsp_reverse (const void *in, void *out, size_t frames,
    size_t frame_bytes);

/* ---- times ---------------------------------------------------------------- */

/** An unknown time, equal to GST_CLOCK_TIME_NONE. */
#define TIMEDSP_NO_TIME UINT64_MAX

/**
 * Returns @time_ns × @factor, rounded once, half up, and at most 2^63 - 1. A scaling factor is
 * taken as the simplest fraction that converts to the same double. Any other number is taken
 * literally, to the last bit. The result is 0 unless @factor is above 0. TIMEDSP_NO_TIME is
 * returned unchanged, and so is a time above 2^63 - 1 if @factor is 1. Real-time.
 */
uint64_t timedsp_scale_time (uint64_t time_ns, double factor);
