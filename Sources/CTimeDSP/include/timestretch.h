/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * timestretch.h: the C interface of the stretcher, which makes audio longer or
 * shorter and keeps its pitch. Words, formats and statuses are those of timedsp.h.
 * Every function checks all arguments before it touches any memory.
 */

#ifndef TIMESTRETCH_H
#define TIMESTRETCH_H

#include "timedsp.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Range of sample rates, in Hz. */
#define TIMESTRETCH_MIN_RATE 8000
#define TIMESTRETCH_MAX_RATE 192000

/**
 * Length of the analysis window. The sizes below are for 48 kHz; at other
 * rates, a window is the power of two with about the same duration.
 */
typedef enum {
  /** music; speech while there is a single voice; 512 frames during dense transients */
  TIMESTRETCH_AUTO = 0,
  TIMESTRETCH_MUSIC,            /**< 4096 frames: separates close notes */
  TIMESTRETCH_SPEECH,           /**< 2048 frames: preserves the pulses of a
                                 * voice */
  TIMESTRETCH_LOW_LATENCY       /**< 1024 frames: for live use */
} TimeStretchWindow;

/** The format of the audio that a stretcher works on. */
typedef struct {
  TimeDSPFormat format;
  TimeDSPLayout layout;
  uint32_t channels;            /**< 1 ... TIMEDSP_MAX_CHANNELS */
  uint32_t rate;                /**< TIMESTRETCH_MIN_RATE ... TIMESTRETCH_MAX_RATE, in Hz */
  TimeStretchWindow window;
} TimeStretchConfig;

/** A stream being stretched. Must be used by one thread at a time. */
typedef struct TimeStretcher TimeStretcher;

/**
 * The memory that a stretcher needs, in bytes; it does not depend on the factor. At
 * 48 kHz in F32, TIMESTRETCH_MUSIC needs 0.8 MiB for one channel, and 0.1 to 0.13
 * MiB for each additional one.
 *
 * Errors: NULL_POINTER, BAD_FORMAT, BAD_CHANNELS, BAD_RATE, BAD_WINDOW;
 * @bytes is unchanged then.
 */
TimeDSPStatus timestretch_memory_bytes (const TimeStretchConfig * config,
    size_t *bytes);

/**
 * Makes a stretcher in @memory, which has @bytes: at least as many as
 * timestretch_memory_bytes() returns, at an address that is a multiple of 64 (as
 * timedsp_allocate() returns). The stretcher needs no other memory, and is gone
 * when the caller frees this memory.
 *
 * A factor is output duration / input duration, TIMEDSP_MIN_FACTOR ...
 * TIMEDSP_MAX_FACTOR; from 0.25 to 4 the sound is good, beyond that it becomes
 * grainy. The factor is a function of the input: n frames at factor f become
 * floor (n × f). Even while the factor changes, the sound at input frame i is
 * played at output frame τ(i), the sum of the factors of all frames before it. If
 * the factor is 1 from the beginning, the output is the input, bit for bit. If it
 * returns to 1, the output is the input again after one window, shifted by a
 * whole number of frames.
 *
 * Computes tables: not real-time.
 *
 * Errors: those of timestretch_memory_bytes(), BAD_FACTOR, and NO_MEMORY if
 * @bytes is too small or @memory is not aligned; @stretcher is set to NULL then,
 * if it can be.
 */
TimeDSPStatus timestretch_init (const TimeStretchConfig * config,
    double factor, void *memory, size_t bytes, TimeStretcher ** stretcher);

/** Discards the stream and starts again at frame 0, at the current factor or,
 * during a ramp, at its target. Real-time. Errors: NULL_POINTER. */
TimeDSPStatus timestretch_reset (TimeStretcher * stretcher);

/**
 * Changes the factor, beginning with the next input frame of
 * timestretch_process(). Because of the latency, the change is audible later:
 * when that frame is output. Real-time.
 *
 * Errors: NULL_POINTER, BAD_FACTOR, FINISHED (the input has ended).
 */
TimeDSPStatus timestretch_set_factor (TimeStretcher * stretcher,
    double factor);

/**
 * Changes the factor gradually to @factor over the next @in_frames frames of input.
 * The speed, 1 / factor, changes linearly over the output, as for
 * timedsp_scaler_ramp_factor(), with the same formulas for the positions of frames.
 * With @in_frames 0, this is timestretch_set_factor(). Either function may be
 * called during a ramp, and continues from the current factor. Real-time.
 *
 * Errors: NULL_POINTER, BAD_FACTOR, BAD_LENGTH (over TIMEDSP_MAX_FRAMES),
 * FINISHED.
 */
TimeDSPStatus timestretch_ramp_factor (TimeStretcher * stretcher,
    double factor, uint64_t in_frames);

/**
 * The position of the next input frame: it has number @in_frame, and will be played
 * at output frame @out_frame + @out_fraction (from 0 to below 1). Real-time.
 * Errors: NULL_POINTER.
 */
TimeDSPStatus timestretch_position (const TimeStretcher * stretcher,
    uint64_t * in_frame, uint64_t * out_frame, double *out_fraction);

/**
 * The number of input frames that are read beyond the one that is output: an
 * upper bound of the latency in input frames, for the current factor. It grows
 * below factor 1. At factor 1 and 48 kHz: 5186 for TIMESTRETCH_MUSIC and _AUTO,
 * 3138 for _SPEECH, 1026 for _LOW_LATENCY. 0 if @stretcher is NULL. Real-time.
 */
uint32_t timestretch_latency (const TimeStretcher * stretcher);

/**
 * An upper bound of the number of frames that the next calls output in total
 * from @in_frames more frames of input and the end of input; at most two frames
 * too high. Real-time. Errors: NULL_POINTER, BAD_LENGTH.
 */
TimeDSPStatus timestretch_max_output (const TimeStretcher * stretcher,
    uint64_t in_frames, uint64_t * out_frames);

/** The result of a call to timestretch_process() or timestretch_finish(). */
typedef struct {
  size_t frames_used;           /**< input frames consumed; pass the others again */
  size_t frames_made;           /**< output frames written */
} TimeStretchProgress;

/**
 * Reads up to @in_frames frames from @in and writes up to @out_capacity frames to
 * @out. @in and @out are arrays of plane addresses: one for interleaved audio,
 * `channels` for planar; @in may be NULL if @in_frames is 0, @out if
 * @out_capacity is 0. Samples must be aligned to their size.
 *
 * All of the input is consumed unless @out fills up first. Frames are output in
 * bursts of at most a quarter of a window. The result does not depend on how the
 * stream is divided into calls, as long as the factor changes at the same input
 * frames. Integers are rounded half to even and clipped. When audio is stretched,
 * NaN, infinity and values beyond 1e10 or below 1e-9 count as 0. Real-time.
 *
 * Errors: NULL_POINTER, BAD_LENGTH, OVERLAP (an input plane shares memory with
 * an output plane), FINISHED; nothing is read or written then, and @progress
 * is 0 if it can be set.
 */
TimeDSPStatus timestretch_process (TimeStretcher * stretcher,
    const void *const *in, size_t in_frames, void *const *out,
    size_t out_capacity, TimeStretchProgress * progress);

/**
 * Ends the input, and writes up to @out_capacity of the remaining output
 * frames; call it until it writes 0 frames. After that, call only
 * timestretch_reset(). Real-time.
 *
 * Errors: NULL_POINTER, BAD_LENGTH; @progress is 0 then, if it can be set.
 */
TimeDSPStatus timestretch_finish (TimeStretcher * stretcher,
    void *const *out, size_t out_capacity, TimeStretchProgress * progress);

/** The number of frames that timestretch_process() would output immediately,
 * without more input. 0 if @stretcher is NULL. Real-time. */
size_t timestretch_ready (const TimeStretcher * stretcher);

/** Not 0 if all further output will be the input, bit for bit, unless the factor
 * changes: the factor has returned to 1, and all stretched frames have been output. If
 * the input ends then, timestretch_finish() outputs the last frames. 0 if @stretcher
 * is NULL. Real-time. */
int timestretch_is_identity (const TimeStretcher * stretcher);

#ifdef __cplusplus
}
#endif
#endif /* TIMESTRETCH_H */
