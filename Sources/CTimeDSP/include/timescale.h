/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * timescale.h: a scaler changes the duration and the pitch of a stream of frames. Part of
 * the C interface (see timedsp.h for its words and rules).
 *
 * A scaler knows frames only. Calls to one scaler mustn't overlap. Real-time: processing, passing,
 * draining and all functions that only return a number. The others allocate. If a call doesn't
 * fail, it sets its @state.
 */

#ifndef TIMESCALE_H
#define TIMESCALE_H

#include "timedsp.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The pitch may move this far up or down, in semitones. */
#define TIMECHAIN_MAX_SEMITONES 24.0

/**
 * The length of the stretcher's analysis window. The sizes below are for 48 kHz. At other rates,
 * it's the power of two that lasts about as long.
 */
typedef enum {
  /** the music window, but the speech window for a single voice, and 512 frames for dense
   * transients, e.g. applause */
  TIMESTRETCH_AUTO = 0,
  TIMESTRETCH_MUSIC,            /**< 4096 frames: separates close notes */
  TIMESTRETCH_SPEECH,           /**< 2048 frames: preserves the pulses of a
                                 * voice */
  TIMESTRETCH_LOW_LATENCY       /**< 1024 frames: for live use */
} TimeStretchWindow;

/** What a change of pitch does to formants, the resonances by which you tell the vowels of a voice,
 * and the voices of men, women and children. */
typedef enum {
  TIMECHAIN_FORMANTS_FOLLOW = 0,        /**< formants move with the pitch */
  TIMECHAIN_FORMANTS_KEEP       /**< formants stay at their frequencies in the input */
} TimeFormants;

/** Output pitch = input pitch × (@kept ? 1 : 1 / factor) × 2^(@semitones / 12). */
typedef struct {
  int kept;                     /**< not 0: the factor doesn't change the pitch */
  double semitones;             /**< ±TIMECHAIN_MAX_SEMITONES */
  TimeStretchWindow window;     /**< applies to stretchers created from now on */
  TimeFormants formants;
  double formant_semitones;     /**< additional shift of formants,
                                 * ±TIMECHAIN_MAX_SEMITONES */
} TimePitch;

/** The settings of a scaler. */
typedef struct {
  TimeDSPConfig audio;
  uint32_t rate;                /**< frames per second, any value */
  double factor;                /**< output duration / input duration,
                                 * TIMEDSP_MIN_FACTOR … TIMEDSP_MAX_FACTOR */
  TimePitch pitch;
  int follows_curve;            /**< not 0: factor and pitch change all the time, so a stretcher
                                 * is never removed */
} TimeScalerSettings;

/** What a call has done, and the scaler after it. A position may be between two frames. */
typedef struct {
  size_t frames_consumed, frames_produced;
  int has_more;                 /**< not 0: another call, even without input, may output
                                 * more */
  int is_gap;                   /**< not 0: the frames made result from silence alone */
  int may_pass;                 /**< not 0: try timescaler_pass() */
  size_t latency_frames;        /**< input that is needed after a position */
  size_t frames_before_gap;     /**< silent input after which the output is a gap */
  uint64_t received_frames;     /**< all input so far */
  double input_frames, output_frames;   /**< corresponding positions, where a change would
                                         * begin now. timescaler_ramp(): where it begins.
                                         * The output is counted from the next frame on. */
} TimeScalerState;

typedef struct TimeScaler TimeScaler;

/** Makes a scaler. On an error (those of TimeDSPConfig, BAD_FACTOR, NO_MEMORY), @scaler is set
 * to NULL. */
TimeDSPStatus timescaler_new (const TimeScalerSettings * settings,
    TimeScaler ** scaler, TimeScalerState * state);

/** Makes a scaler for @frames frames in all. Their first and last frame become the first and the
 * last of floor (frames × factor) output frames. Ignores the pitch in @settings. */
TimeDSPStatus timescaler_new_endpoints (const TimeScalerSettings * settings,
    uint64_t frames, TimeScaler ** scaler, TimeScalerState * state);

/** Frees @scaler. NULL is fine. */
void timescaler_free (TimeScaler * scaler);

/** Changes interpolation, quality and `follows_curve` from the next frame on. Before the
 * first frame, everything but format, layout and channels may change. */
TimeDSPStatus timescaler_configure (TimeScaler * scaler,
    const TimeScalerSettings * settings, TimeScalerState * state);

/** Changes factor and pitch gradually, within at least @frames input frames. The speed,
 * 1 / factor, changes linearly over the output. Sets *@frames to the length of the change,
 * and @state. */
TimeDSPStatus timescaler_ramp (TimeScaler * scaler, double factor,
    const TimePitch * pitch, uint64_t * frames, TimeScalerState * state);

/** This capacity is enough for the output of @frames more input frames, or for a good piece of it. */
size_t timescaler_room (const TimeScaler * scaler, size_t frames);

/** How many output frames are still to come if the input ends after @frames more frames. It's at
 * most two too many, or while the factor changes, at most twice as many. */
uint64_t timescaler_due (const TimeScaler * scaler, uint64_t frames);

/** Reads up to @frames frames from the planes @in, and writes at most @capacity frames to the planes
 * @out. They mustn't overlap. However you cut the input, the output is the same if moves begin at
 * the same input frames. If all frames of @in are silent, @silent isn't 0. */
TimeDSPStatus timescaler_process (TimeScaler * scaler, const void *const *in,
    size_t frames, int silent, void *const *out, size_t capacity,
    TimeScalerState * state);

/** Writes the frames that remain after the end of the input, at most @capacity of them.
 * Call it until `has_more` is 0, and then only timescaler_reset() or timescaler_free(). */
TimeDSPStatus timescaler_drain (TimeScaler * scaler, void *const *out,
    size_t capacity, TimeScalerState * state);

/** You output @frames frames unchanged, without processing. This sets only what changes then in
 * @state. BAD_FACTOR: the output of timescaler_process() would differ from them, so nothing
 * happens, and all of @state is set. */
TimeDSPStatus timescaler_pass (TimeScaler * scaler, const void *const *in,
    size_t frames, int silent, TimeScalerState * state);

/** Discards the stream and keeps the settings. FINISHED: free the scaler instead. */
TimeDSPStatus timescaler_reset (TimeScaler * scaler);

/** Sets the fraction with the smallest denominator that converts to the same double as @factor,
 * clamped to TIMEDSP_MIN_FACTOR … TIMEDSP_MAX_FACTOR. Both numbers are below 2^53. */
void timedsp_factor_fraction (double factor, uint64_t * numerator,
    uint64_t * denominator);

#ifdef __cplusplus
}
#endif
#endif /* TIMESCALE_H */
