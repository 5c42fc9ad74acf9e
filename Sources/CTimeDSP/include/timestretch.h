/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * timestretch.h: the C interface of the stretcher, which makes audio longer or
 * shorter and keeps its pitch. Words, formats and statuses are those of timedsp.h.
 * Every function checks all of its arguments before it touches any memory.
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
 * How much of the sound is looked at together. The figures are for 48 kHz; at
 * another rate a window is the power of two that lasts about as long.
 */
typedef enum {
  /** music, speech while one voice alone is heard, 512 frames among dense strokes */
  TIMESTRETCH_AUTO = 0,
  TIMESTRETCH_MUSIC,            /**< 4096 frames: keeps close notes apart */
  TIMESTRETCH_SPEECH,           /**< 2048 frames: keeps the pulses of a voice */
  TIMESTRETCH_LOW_LATENCY       /**< 1024 frames: for live use */
} TimeStretchWindow;

/** The audio that a stretcher works on. */
typedef struct {
  TimeDSPFormat format;
  TimeDSPLayout layout;
  uint32_t channels;            /**< 1 ... TIMEDSP_MAX_CHANNELS */
  uint32_t rate;                /**< TIMESTRETCH_MIN_RATE ... TIMESTRETCH_MAX_RATE, in Hz */
  TimeStretchWindow window;
} TimeStretchConfig;

/** A stream being stretched. Belongs to one thread at a time. */
typedef struct TimeStretcher TimeStretcher;

/**
 * The memory that a stretcher takes, in bytes; it does not depend on the factor.
 * At 48 kHz in F32, TIMESTRETCH_MUSIC: 0.8 MiB for one channel, 0.1 to 0.13 MiB for
 * each further.
 *
 * Errors: NULL_POINTER, BAD_FORMAT, BAD_CHANNELS, BAD_RATE, BAD_WINDOW;
 * @bytes is left alone then.
 */
TimeDSPStatus timestretch_memory_bytes (const TimeStretchConfig * config,
    size_t *bytes);

/**
 * Makes a stretcher in @memory: @bytes of it, at least as many as
 * timestretch_memory_bytes() says, at an address that is a multiple of 64 (as
 * timedsp_allocate() gives). The stretcher is the memory: it holds nothing else,
 * and is gone when the caller frees the memory.
 *
 * A factor is output duration / input duration, TIMEDSP_MIN_FACTOR ...
 * TIMEDSP_MAX_FACTOR; from 0.25 to 4 the sound is good, beyond it becomes
 * grainy. The factor belongs to the input: n frames under factor f become
 * floor (n × f), and what is heard at frame i of the input is heard at frame
 * τ(i) of the output, the sum of the factors of all frames before it, however
 * the factor moves. Where the factor is 1 from the beginning, the output is the
 * input, bit for bit; where it comes back to 1, the output is the input again
 * after one window, moved by a whole number of frames.
 *
 * Computes tables: not real-time.
 *
 * Errors: those of timestretch_memory_bytes(), BAD_FACTOR, and NO_MEMORY where
 * @bytes is too small or @memory is not aligned; @stretcher is set to NULL then,
 * if it can be.
 */
TimeDSPStatus timestretch_init (const TimeStretchConfig * config,
    double factor, void *memory, size_t bytes, TimeStretcher ** stretcher);

/** Forgets the stream and starts anew at frame 0, at the factor that is in force
 * or that a ramp goes to. Real-time. Errors: NULL_POINTER. */
TimeDSPStatus timestretch_reset (TimeStretcher * stretcher);

/**
 * Changes the factor from the next frame of input on that is given to
 * timestretch_process(). Because that looks ahead, the change is heard later:
 * where that frame is heard. Real-time.
 *
 * Errors: NULL_POINTER, BAD_FACTOR, FINISHED (the input has ended).
 */
TimeDSPStatus timestretch_set_factor (TimeStretcher * stretcher,
    double factor);

/**
 * Moves the factor to @factor within the next @in_frames frames of input. The
 * speed, 1 / factor, moves evenly over the output, as for
 * timedsp_scaler_ramp_factor(), with the same formulas for where frames lie.
 * With @in_frames 0 it is timestretch_set_factor(). Either call may come while
 * a ramp is under way; it goes on from the factor reached. Real-time.
 *
 * Errors: NULL_POINTER, BAD_FACTOR, BAD_LENGTH (over TIMEDSP_MAX_FRAMES),
 * FINISHED.
 */
TimeDSPStatus timestretch_ramp_factor (TimeStretcher * stretcher,
    double factor, uint64_t in_frames);

/**
 * Where the next frame of input lies: it is number @in_frame, and is heard at
 * output frame @out_frame + @out_fraction (0 ... 1, without the 1).
 * Real-time. Errors: NULL_POINTER.
 */
TimeDSPStatus timestretch_position (const TimeStretcher * stretcher,
    uint64_t * in_frame, uint64_t * out_frame, double *out_fraction);

/**
 * Frames of input that are looked at beyond the one that is heard: the latency
 * in input frames, an upper bound, for the factor in force. It grows below
 * factor 1. At factor 1 and 48 kHz: 5186 for TIMESTRETCH_MUSIC and _AUTO, 3138
 * for _SPEECH, 1026 for _LOW_LATENCY. 0 for NULL. Real-time.
 */
uint32_t timestretch_latency (const TimeStretcher * stretcher);

/**
 * An upper bound of the frames that the next calls make in all from @in_frames
 * more frames of input and the end of input; exact but for a frame or two.
 * Real-time. Errors: NULL_POINTER, BAD_LENGTH.
 */
TimeDSPStatus timestretch_max_output (const TimeStretcher * stretcher,
    uint64_t in_frames, uint64_t * out_frames);

/** What a call of timestretch_process() or timestretch_finish() has done. */
typedef struct {
  size_t frames_used;           /**< frames of input taken; the rest is to be given again */
  size_t frames_made;           /**< frames of output written */
} TimeStretchProgress;

/**
 * Reads up to @in_frames frames from @in and makes up to @out_capacity frames in
 * @out. @in and @out are arrays of plane addresses: one for interleaved audio,
 * `channels` for planar; @in may be NULL where @in_frames is 0, @out where
 * @out_capacity is 0. Samples are aligned to their size.
 *
 * All of the input is taken unless @out fills up first. Frames come in bursts, a
 * quarter of a window at a time and less. The result does not depend on how
 * the stream is cut into calls, as long as factors change at the same frames
 * of input. Integers are rounded half to even and clipped; NaN, infinity and
 * what is beyond 1e10 or below 1e-9 is taken for 0 where sound is stretched. Real-time.
 *
 * Errors: NULL_POINTER, BAD_LENGTH, OVERLAP (an input plane shares memory with
 * an output plane), FINISHED; nothing is read or written then, and @progress
 * is 0 where it can be set.
 */
TimeDSPStatus timestretch_process (TimeStretcher * stretcher,
    const void *const *in, size_t in_frames, void *const *out,
    size_t out_capacity, TimeStretchProgress * progress);

/**
 * Tells that the input has ended, and makes the frames that were waiting for
 * more of it, up to @out_capacity; call it until it makes 0 frames. After it
 * only timestretch_reset() goes on. Real-time.
 *
 * Errors: NULL_POINTER, BAD_LENGTH; @progress is 0 then, where it can be set.
 */
TimeDSPStatus timestretch_finish (TimeStretcher * stretcher,
    void *const *out, size_t out_capacity, TimeStretchProgress * progress);

/** Frames that timestretch_process() would give out at once, without any more
 * input. 0 for NULL. Real-time. */
size_t timestretch_ready (const TimeStretcher * stretcher);

/** Not 0 where all that is still to come is the input, bit for bit, unless the factor
 * changes: the factor has come back to 1, and what was stretched has been given out. If
 * the input ends then, timestretch_finish() gives the last of it. 0 for NULL.
 * Real-time. */
int timestretch_is_identity (const TimeStretcher * stretcher);

#ifdef __cplusplus
}
#endif
#endif /* TIMESTRETCH_H */
