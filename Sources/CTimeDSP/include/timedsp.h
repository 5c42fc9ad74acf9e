/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * timedsp.h: the C interface of the signal processing, which is written in
 * Swift (Sources/TimeDSP) and bound to these declarations by the compiler.
 *
 * Words
 *   frame   one sample of every channel, taken at the same time
 *   plane   one contiguous array: interleaved audio has one plane that holds
 *           whole frames, planar (non-interleaved) audio one plane per channel
 *
 * Every function checks all arguments before it touches any memory, and returns
 * a status; no argument makes a function trap. The functions marked "real-time"
 * do not allocate, lock or make system calls.
 */

#ifndef TIMEDSP_H
#define TIMEDSP_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#ifdef _WIN32
#include <malloc.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** The maximum number of channels of a stream. */
#define TIMEDSP_MAX_CHANNELS 1024

/** Largest frame, in bytes: TIMEDSP_MAX_CHANNELS samples of 8 bytes. */
#define TIMEDSP_MAX_FRAME_BYTES 8192

/** Range of a scaling factor (output duration / input duration). */
#define TIMEDSP_MIN_FACTOR 0.01
#define TIMEDSP_MAX_FACTOR 100.0

/** The highest quality of TIMEDSP_SINC. */
#define TIMEDSP_MAX_QUALITY 10

/** The maximum number of frames of a stream, in or out: 2^53, so that every
 * frame index is exact in a double (5000 years at 48 kHz). */
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
  TIMEDSP_BAD_LENGTH,           /**< a count exceeds TIMEDSP_MAX_FRAMES, or its
                                 * bytes do not fit in memory */
  TIMEDSP_OVERLAP,              /**< input and output must not share memory
                                 * in this way */
  TIMEDSP_OUTPUT_TOO_SMALL,     /**< the output cannot hold the result */
  TIMEDSP_FINISHED,             /**< input was passed after the end of input */
  TIMEDSP_NO_MEMORY,            /**< the state could not be allocated */
  TIMEDSP_BAD_QUALITY,          /**< not in 0 … TIMEDSP_MAX_QUALITY */
  TIMEDSP_BAD_RATE,             /**< not in TIMESTRETCH_MIN_RATE … TIMESTRETCH_MAX_RATE */
  TIMEDSP_BAD_WINDOW            /**< unknown window */
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
 * How a value between two frames is computed. Numbers, names and lists of the
 * interpolations are all generated from this table. Add new rows at the end, so
 * that existing numbers do not change.
 *
 *   row (NAME, nick, frames before, frames after, sentence)
 *
 * "Frames before" are the frames read before y0, the frame at or before the
 * position; "frames after" are those read after y0, unless the position is
 * exactly on y0. For sinc, both depend on the quality and on the factor. In the
 * formulas, y1 is the frame after y0, y-1 and y2 are the outer neighbours of
 * these two, and a in [0, 1) is the distance of the position from y0:
 *
 *   nearest   y0 if a < 1/2, else y1
 *   linear    y0 + a (y1 - y0)
 *   smooth    linear in a² (3 - 2a) when lengthening; else linear in a
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
#define TIMEDSP_ROW_BEFORE(NAME, nick, before, after, sentence) \
  case TIMEDSP_##NAME: return before;
#define TIMEDSP_ROW_AFTER(NAME, nick, before, after, sentence) \
  case TIMEDSP_##NAME: return after;
#define TIMEDSP_ROW_NICK(NAME, nick, before, after, sentence) \
  case TIMEDSP_##NAME: return nick;

typedef enum {
  TIMEDSP_INTERPOLATIONS (TIMEDSP_ROW_VALUE)
} TimeDSPInterpolation;

/** The number of interpolations; all values are below it. */
enum { TIMEDSP_N_INTERPOLATIONS = 0 TIMEDSP_INTERPOLATIONS (TIMEDSP_ROW_COUNT) };

/* The columns of the table for @interpolation; 0 or NULL if the table has no such
 * row. */
static inline uint32_t
timedsp_frames_before (TimeDSPInterpolation interpolation)
{
  switch (interpolation) {
    TIMEDSP_INTERPOLATIONS (TIMEDSP_ROW_BEFORE)
  }
  return 0;
}

static inline uint32_t
timedsp_frames_after (TimeDSPInterpolation interpolation)
{
  switch (interpolation) {
    TIMEDSP_INTERPOLATIONS (TIMEDSP_ROW_AFTER)
  }
  return 0;
}

static inline const char *
timedsp_interpolation_nick (TimeDSPInterpolation interpolation)
{
  switch (interpolation) {
    TIMEDSP_INTERPOLATIONS (TIMEDSP_ROW_NICK)
  }
  return 0;
}

/*
 * TIMEDSP_SINC weights the frames on either side of a position with sin (pi c t) / (pi
 * t) under a Kaiser window, an ideal low pass except for its transition band. The
 * quality determines the number of frames. If the output is shorter than the input, the
 * kernel is stretched by 1 / factor: frequencies that the output cannot represent are
 * filtered out and do not alias.
 *
 *   quality                        0    1    2    3    4    5    6    7    8    9   10
 *   frames on either side          8   16   24   32   40   64   96  104  112  120  136
 *   pass band (-3 dB), of Nyquist .745 .836 .875 .894 .911 .933 .950 .952 .954 .956 .960
 *   stop band, -dB                52   71   81   92   95  114  128  133  136  141  145
 *   KiB, 2 channels of F32      1046  830  785  804  824  922 1382 1470 1558 1647 1825
 *
 * The stop band begins at the Nyquist frequency. The worst case in the stop band
 * improves with every quality. For a single tone, a higher quality may leave a larger
 * residue if the tone falls on a lobe of its kernel but between two lobes of the other.
 *
 * The memory in the table is enough for every factor (timedsp_scaler_memory_bytes()).
 * S32 and F64 need up to twice as much. Each additional channel needs up to 540 KiB:
 * history and working memory for a kernel at factor 0.01, most of which other factors
 * never touch. A kernel depends only on the factor. The kernels for the initial factor
 * are computed when the scaler is made; those for any later constant factor are computed
 * when they are needed.
 *
 * S16 and F32 are summed in single precision from the ends of the kernel inwards; from
 * quality 6 on, the 16 frames in the middle are summed in double for F32. S32 and F64
 * are summed in double. The result of a channel does not depend on the number of
 * channels. The gain at DC is 1 within 1e-7 for F32 (below quality 6, rounding changes a
 * single frame by up to 4e-7) and within 1e-14 for F64. A position exactly on a frame is
 * filtered like all others. At a constant factor of 1, and between equal lengths, the
 * output is the input bit for bit.
 */

/** The format of the audio that a scaler works on. */
typedef struct {
  TimeDSPFormat format;
  TimeDSPLayout layout;
  TimeDSPInterpolation interpolation;
  uint32_t channels;            /**< 1 … TIMEDSP_MAX_CHANNELS */
  uint32_t quality;             /**< 0 … TIMEDSP_MAX_QUALITY; for TIMEDSP_SINC */
} TimeDSPConfig;

/** A stream being scaled. Must be used by one thread at a time. */
typedef struct TimeDSPScaler TimeDSPScaler;

/** A sentence in English for @status; never NULL. Real-time. */
const char *timedsp_status_text (TimeDSPStatus status);

/* ---- reversal ----------------------------------------------------------- */

/**
 * Copies @frames frames of @frame_bytes bytes from @in to @out in reverse
 * order. Bytes inside a frame keep their order. @in and @out must either be the
 * same address (reversal in place) or not overlap. Neither needs to be aligned.
 * @frames may be 0, in which case both pointers may be NULL. Real-time.
 *
 * For planar audio, call it once per plane with the bytes of a sample.
 *
 * Errors: NULL_POINTER, BAD_FRAME_SIZE, BAD_LENGTH, OVERLAP; nothing is
 * written then.
 */
TimeDSPStatus timedsp_reverse (const void *in, void *out, size_t frames,
    size_t frame_bytes);

/* ---- scaling ------------------------------------------------------------ */

/**
 * The number of output frames for @frames input frames at @factor: floor
 * (frames × factor). The factor is interpreted as the simplest fraction that
 * converts to the same double: 10 frames × 0.7 are 7 and not 6. Real-time.
 *
 * Errors: NULL_POINTER, BAD_FACTOR, BAD_LENGTH; @scaled is unchanged then.
 */
TimeDSPStatus timedsp_scaled_length (uint64_t frames, double factor,
    uint64_t *scaled);

/**
 * Makes a scaler for a stream of unknown length. Output frame k is read at input
 * position k / factor, and is output when its whole span [k / factor, (k + 1) /
 * factor) has arrived: n frames become floor (n × factor). Positions are exact
 * (an integer plus a rational fraction) for streams of any length. Where an
 * interpolation reads beyond an end of the stream, the first or last frame is
 * repeated.
 *
 * On success, the caller frees @scaler with timedsp_scaler_free().
 *
 * Allocates memory and computes kernels: not real-time.
 *
 * Errors: NULL_POINTER, BAD_FORMAT, BAD_INTERPOLATION, BAD_CHANNELS,
 * BAD_QUALITY, BAD_FACTOR, NO_MEMORY; @scaler is set to NULL then, if it can be.
 */
TimeDSPStatus timedsp_scaler_new (const TimeDSPConfig * config, double factor,
    TimeDSPScaler ** scaler);

/**
 * Makes a scaler that maps @count frames to @length frames and keeps the first and
 * the last one (TIMEDSP_SINC filters these two like all others, and repeats them
 * beyond the ends). Output frame i is read at i (count - 1) / (length - 1), as by
 * scaleToD of "Scaling Audio Files"; positions are computed in double precision as
 * in that function, so that results agree to the last digit. A @length of 1
 * outputs only the first frame. @count must be at least 1 unless @length is 0.
 * Input beyond @count frames is consumed and ignored. If the input ends early, its
 * last frame replaces the missing ones.
 *
 * Errors: those of timedsp_scaler_new(), and BAD_LENGTH.
 */
TimeDSPStatus timedsp_scaler_new_endpoints (const TimeDSPConfig * config,
    uint64_t count, uint64_t length, TimeDSPScaler ** scaler);

/** Frees @scaler; NULL is allowed. */
void timedsp_scaler_free (TimeDSPScaler * scaler);

/**
 * Discards the stream and starts again at frame 0 with the same settings and
 * the current factor. Real-time. Errors: NULL_POINTER.
 */
TimeDSPStatus timedsp_scaler_reset (TimeDSPScaler * scaler);

/**
 * Changes the factor from the next output frame on; no frame is skipped or read
 * twice. Real-time.
 *
 * Errors: NULL_POINTER, BAD_FACTOR (also for a scaler from
 * timedsp_scaler_new_endpoints(), whose factor is fixed).
 */
TimeDSPStatus timedsp_scaler_set_factor (TimeDSPScaler * scaler, double factor);

/**
 * Changes the factor gradually to @factor over the next @in_frames frames of input,
 * beginning with the next output frame: the speed, 1 / factor, changes linearly
 * over the output, as the speed of a tape does. If v0 is the current speed, v1 = 1
 * / @factor and X = @in_frames, then x frames after the current position
 *
 *   speed (x) = sqrt (v0² + (v1² - v0²) x / X)
 *   frames made up to x = 2 x / (v0 + speed (x)), rounded down: the integral of
 *     the factor; up to X they are 2 X / (v0 + v1)
 *   output frame k from here is read at v0 k + (v1² - v0²) k² / (4 X)
 *
 * and from X on the factor is exactly @factor. Positions are integers (in units of
 * 2^-119 of a frame), so the result of a ramp does not depend on how the stream is
 * divided into calls. With @in_frames 0, this is timedsp_scaler_set_factor().
 * Either function may be called at any time, also during a ramp; it continues from
 * the current position and speed. timedsp_scaler_reset() jumps to the end of the
 * ramp. Real-time.
 *
 * During a ramp below factor 1, TIMEDSP_SINC stretches its kernel for every frame
 * to prevent aliasing; this costs several times as much as a constant factor.
 *
 * Errors: NULL_POINTER, BAD_FACTOR (as timedsp_scaler_set_factor()), BAD_LENGTH
 * (over TIMEDSP_MAX_FRAMES); nothing is changed then.
 */
TimeDSPStatus timedsp_scaler_ramp_factor (TimeDSPScaler * scaler,
    double factor, uint64_t in_frames);

/**
 * Sets @ramp_frames to the number of input frames over which
 * timedsp_scaler_ramp_factor() would change the factor now: @in_frames, or more
 * after timedsp_scaler_pass(). Real-time. Errors: those of
 * timedsp_scaler_ramp_factor(), and NULL_POINTER for @ramp_frames.
 */
TimeDSPStatus timedsp_scaler_ramp_frames (const TimeDSPScaler * scaler,
    double factor, uint64_t in_frames, uint64_t * ramp_frames);

/**
 * The input position at which the next output frame is read: @fraction (from 0
 * to below 1) of the way from frame @in_frame to the next. Real-time. Errors:
 * NULL_POINTER.
 */
TimeDSPStatus timedsp_scaler_position (const TimeDSPScaler * scaler,
    uint64_t * in_frame, double *fraction);

/**
 * Makes @scaler, which must be new or reset, continue the stream of @other: from
 * its position, at its factor or ramp, and with its history. This changes the
 * interpolation or quality of a stream between two output frames. Pass the
 * following frames to @scaler instead of @other, which is not changed and only
 * has to be freed. Real-time.
 *
 * Errors: NULL_POINTER, FINISHED (@scaler has already received frames),
 * BAD_FACTOR (one of them was made by timedsp_scaler_new_endpoints()), BAD_FORMAT
 * (format, layout or number of channels differ); nothing is changed then.
 */
TimeDSPStatus timedsp_scaler_continue (TimeDSPScaler * scaler,
    const TimeDSPScaler * other);

/** Bytes of memory that @scaler uses, kernels and history included; 0 for NULL.
 * Real-time. */
size_t timedsp_scaler_memory_bytes (const TimeDSPScaler * scaler);

/**
 * An upper bound of the number of frames that the next calls output in total
 * from @in_frames more frames of input and the end of input. The bound is exact
 * or at most two frames too high; while the factor changes, it may be more than
 * twice the true number. Real-time. Errors: NULL_POINTER, BAD_LENGTH.
 */
TimeDSPStatus timedsp_scaler_max_output (const TimeDSPScaler * scaler,
    uint64_t in_frames, uint64_t * out_frames);

/**
 * The number of input frames that the interpolation reads beyond a position,
 * which is the latency of the scaler in input frames. It is 1, or 2 for
 * TIMEDSP_CUBIC, or half the kernel for TIMEDSP_SINC, at the current or the
 * target factor, whichever needs more. It is constant for factors of 1 and
 * above, and grows as 1 / factor below. At a constant factor of 1, frames are
 * output without delay; the reported latency is the same nevertheless, so that
 * it need not change when a ramp begins. 0 if @scaler is NULL. Real-time.
 */
uint32_t timedsp_scaler_lookahead (const TimeDSPScaler * scaler);

/**
 * Reads up to @in_frames frames from @in and writes up to @out_capacity frames
 * to @out. @in and @out are arrays of plane addresses: one for interleaved
 * audio, `channels` for planar; @in may be NULL if @in_frames is 0, @out if
 * @out_capacity is 0. Samples must be aligned to their size.
 *
 * @frames_used: number of input frames consumed; pass the others again. All of
 * the input is consumed unless @out fills up first.
 * @frames_made: number of output frames written.
 *
 * Integer results are rounded half to even and clipped. The result does not
 * depend on how the stream is divided into calls. Real-time.
 *
 * Errors: NULL_POINTER, BAD_LENGTH, OVERLAP (an input plane shares memory with
 * an output plane), FINISHED; nothing is read or written then, and
 * @frames_used and @frames_made are 0 if they can be set.
 */
TimeDSPStatus timedsp_scaler_process (TimeDSPScaler * scaler,
    const void *const *in, size_t in_frames, void *const *out,
    size_t out_capacity, size_t *frames_used, size_t *frames_made);

/**
 * Records @in_frames frames that the caller outputs unchanged, instead of calling
 * timedsp_scaler_process(), which would copy them at a constant factor of 1. Only
 * the last 272 are kept: as many as a kernel needs before a position while the
 * factor stays above 1/2. A ramp from factor 1 takes longer if its kernel would
 * need more (timedsp_scaler_ramp_frames()); after a sudden change of the factor,
 * the first kept frame replaces all frames before it. Real-time.
 *
 * Errors: NULL_POINTER, BAD_LENGTH, FINISHED, BAD_FACTOR (the scaler would not
 * output these frames, or earlier ones, unchanged); nothing is changed then.
 */
TimeDSPStatus timedsp_scaler_pass (TimeDSPScaler * scaler,
    const void *const *in, size_t in_frames);

/**
 * Ends the input, and writes up to @out_capacity of the remaining output
 * frames; call it until it writes 0 frames. After that, call only
 * timedsp_scaler_reset() or timedsp_scaler_free(). Real-time. Errors:
 * NULL_POINTER, BAD_LENGTH.
 */
TimeDSPStatus timedsp_scaler_finish (TimeDSPScaler * scaler, void *const *out,
    size_t out_capacity, size_t *frames_made);

/**
 * Scales a whole array to a given length and keeps its ends:
 * timedsp_scaler_new_endpoints(), process and finish in one call. @in holds
 * @count frames, @out has room for @out_capacity frames.
 *
 * Errors: those of the three calls, and OUTPUT_TOO_SMALL if @out_capacity
 * is less than @length.
 */
TimeDSPStatus timedsp_scale_to_length (const TimeDSPConfig * config,
    const void *const *in, size_t count, void *const *out,
    size_t out_capacity, size_t length);

/* ---- the processor and libc for the Swift side ---------------------------- */

/* Whether the processor has one instruction that shuffles 16 bytes. */
static inline int
timedsp_shuffles_bytes (void)
{
#if defined (__SSSE3__) || defined (__aarch64__)
  return 1;
#else
  return 0;
#endif
}

/* Embedded Swift has no Glibc module; these functions wrap the parts of libc that it
 * needs. */

/* Allocates memory at the start of a cache line, so that few vectors cross two
 * lines. */
static inline void *
timedsp_allocate (size_t bytes)
{
  const size_t line = 64;

#ifdef _WIN32
  return _aligned_malloc (bytes, line);
#else
  return bytes > SIZE_MAX - line ? NULL :
      aligned_alloc (line, (bytes + line - 1) / line * line);
#endif
}

/* The same for blocks of audio, which are allocated and freed all the time: glibc often
 * cannot reuse freed memory for aligned blocks. */
static inline void *
timedsp_allocate_block (size_t bytes)
{
#ifdef _WIN32
  return _aligned_malloc (bytes, 16);
#else
  return malloc (bytes);
#endif
}

static inline void
timedsp_deallocate (void *memory)
{
#ifdef _WIN32
  _aligned_free (memory);
#else
  free (memory);
#endif
}

/* Copies bytes; @to and @from may overlap. Swift's own copy checks the size and
 * traps. */
static inline void
timedsp_copy (void *to, const void *from, size_t bytes)
{
  memmove (to, from, bytes);
}

static inline void
timedsp_clear (void *memory, size_t bytes)
{
  memset (memory, 0, bytes);
}

/* 0 if both blocks are equal. */
static inline int
timedsp_compare (const void *one, const void *other, size_t bytes)
{
  return memcmp (one, other, bytes);
}

#ifdef __clang__
/* Eight floats at any address, for shuffles. Swift can express shuffles only lane by
 * lane, and its compiler then also splits the preceding sums into lanes. */
typedef float TimeDSPEight __attribute__ ((vector_size (32), aligned (4)));

/* Interleaves four rows of eight numbers: number 0 of each row, then number 1 of
 * each, … */
static inline void
timedsp_weave (const float *rows, float *to)
{
  const TimeDSPEight *in = (const TimeDSPEight *) rows;
  TimeDSPEight *out = (TimeDSPEight *) to;
  TimeDSPEight a = __builtin_shufflevector (in[0], in[2], 0, 8, 1, 9, 4, 12, 5, 13);
  TimeDSPEight b = __builtin_shufflevector (in[0], in[2], 2, 10, 3, 11, 6, 14, 7, 15);
  TimeDSPEight c = __builtin_shufflevector (in[1], in[3], 0, 8, 1, 9, 4, 12, 5, 13);
  TimeDSPEight d = __builtin_shufflevector (in[1], in[3], 2, 10, 3, 11, 6, 14, 7, 15);
  TimeDSPEight e = __builtin_shufflevector (a, c, 0, 8, 1, 9, 4, 12, 5, 13);
  TimeDSPEight f = __builtin_shufflevector (a, c, 2, 10, 3, 11, 6, 14, 7, 15);
  TimeDSPEight g = __builtin_shufflevector (b, d, 0, 8, 1, 9, 4, 12, 5, 13);
  TimeDSPEight h = __builtin_shufflevector (b, d, 2, 10, 3, 11, 6, 14, 7, 15);

  out[0] = __builtin_shufflevector (e, f, 0, 1, 2, 3, 8, 9, 10, 11);
  out[1] = __builtin_shufflevector (g, h, 0, 1, 2, 3, 8, 9, 10, 11);
  out[2] = __builtin_shufflevector (e, f, 4, 5, 6, 7, 12, 13, 14, 15);
  out[3] = __builtin_shufflevector (g, h, 4, 5, 6, 7, 12, 13, 14, 15);
}
#endif

/* The integer part of @value, which must be from 0 to below 2^63. Swift's own
 * conversion checks this and traps. */
static inline int64_t
timedsp_whole_part (double value)
{
  return (int64_t) value;
}

#ifdef __cplusplus
}
#endif
#endif /* TIMEDSP_H */
