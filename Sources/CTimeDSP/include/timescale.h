/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * timescale.h: a scaler changes the duration and the pitch of a stream of frames. Part of
 * the C interface (see timedsp.h for its words and rules).
 *
 * A scaler only deals in frames. Calls to the same scaler mustn't overlap. Processing, passing,
 * draining and all functions that just return a number are real-time. The others allocate. A call
 * sets @state unless it fails.
 */

#pragma once

#include "timedsp.h"

/** How far you can move the pitch up or down, in semitones. */
#define TIMECHAIN_MAX_SEMITONES 24.0

/**
 * The length of the stretcher's analysis window. The sizes below are for 48 kHz. At other rates,
 * it's the power of two with about the same duration.
 */
typedef enum {
  /** the music window, but the speech window for a single voice, and 512 frames for dense
   * transients such as applause */
  TIMESTRETCH_AUTO = 0,
  TIMESTRETCH_MUSIC,            /**< 4096 frames: resolves close notes */
  TIMESTRETCH_SPEECH,           /**< 2048 frames: preserves the pulses of a
                                 * voice */
  TIMESTRETCH_LOW_LATENCY       /**< 1024 frames: for live use */
} TimeStretchWindow;

/** What happens to formants when the pitch changes. Formants are the resonances that make the
 * difference between vowels, and between the voices of men, women and children. */
typedef enum {
  TIMECHAIN_FORMANTS_FOLLOW = 0,        /**< formants move with the pitch */
  TIMECHAIN_FORMANTS_KEEP       /**< formants stay at their frequencies in the input */
} TimeFormants;

/** Output pitch = input pitch × (@kept ? 1 : 1 / factor) × 2^(@semitones / 12). */
typedef struct {
  int kept;                     /**< not 0: the factor doesn't change the pitch */
  double semitones;             /**< ±TIMECHAIN_MAX_SEMITONES */
  TimeStretchWindow window;     /**< for stretchers created from now on */
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
  int follows_curve;            /**< not 0: the factor and the pitch keep changing, so ramps
                                 * begin exactly at the next frame */
} TimeScalerSettings;

/** The result of a call, and the scaler's state after it. A position may be between two frames. */
typedef struct {
  size_t frames_consumed, frames_produced;
  int has_more;                 /**< not 0: another call may output more, even without
                                 * input */
  int is_gap;                   /**< not 0: the frames produced come from nothing but silence */
  int may_pass;                 /**< not 0: try timescaler_pass() */
  size_t latency_frames;        /**< input needed after a position */
  size_t frames_before_gap;     /**< silent input after which the output is a gap */
  uint64_t received_frames;     /**< all input so far */
  double input_frames, output_frames;   /**< where a change would begin now, as matching
                                         * positions. timescaler_ramp(): where it begins.
                                         * The next output frame is number 0. */
} TimeScalerState;

typedef struct TimeScaler TimeScaler;

/** Makes a scaler. If it fails (bad TimeDSPConfig, BAD_FACTOR, NO_MEMORY), @scaler is set to
 * NULL. */
TimeDSPStatus timescaler_new (const TimeScalerSettings * settings,
    TimeScaler ** scaler, TimeScalerState * state);

/** Makes a scaler for a total of @frames frames. It outputs floor (frames × factor) frames, the
 * first and last of which are the first and last input frames. Ignores the pitch in @settings. */
TimeDSPStatus timescaler_new_endpoints (const TimeScalerSettings * settings,
    uint64_t frames, TimeScaler ** scaler, TimeScalerState * state);

/** Frees @scaler. NULL is fine. */
void timescaler_free (TimeScaler * scaler);

/** Changes the interpolation, the quality and `follows_curve`, starting with the next frame. Before
 * the first frame, you may change everything except the format, the layout and the channels. */
TimeDSPStatus timescaler_configure (TimeScaler * scaler,
    const TimeScalerSettings * settings, TimeScalerState * state);

/** Gradually changes the factor and the pitch over at least @frames input frames, so that the
 * speed, 1 / factor, changes linearly over the output. Sets *@frames to the length of the change,
 * and @state. */
TimeDSPStatus timescaler_ramp (TimeScaler * scaler, double factor,
    const TimePitch * pitch, uint64_t * frames, TimeScalerState * state);

/** An output capacity that's enough for @frames more input frames, or at least for a good part of
 * them. */
size_t timescaler_room (const TimeScaler * scaler, size_t frames);

/** How many more output frames to expect if the input ends after @frames more frames. It's at most
 * two too high, or up to twice as high while the factor is changing. */
uint64_t timescaler_due (const TimeScaler * scaler, uint64_t frames);

/** Reads up to @frames frames from the planes @in, and writes at most @capacity frames to the
 * planes @out, which mustn't overlap. The output doesn't depend on how you split the input, as long
 * as ramps begin at the same input frames. Set @silent if all frames of @in are silent. */
TimeDSPStatus timescaler_process (TimeScaler * scaler, const void *const *in,
    size_t frames, int silent, void *const *out, size_t capacity,
    TimeScalerState * state);

/** Writes the frames that are left after the end of the input, at most @capacity of them. Keep
 * calling it until `has_more` is 0. After that, you may only call timescaler_free(). */
TimeDSPStatus timescaler_drain (TimeScaler * scaler, void *const *out,
    size_t capacity, TimeScalerState * state);

/** Call this if you pass @frames frames on unchanged, without processing them. It only sets the
 * parts of @state that change. BAD_FACTOR: timescaler_process() would have changed them, so this
 * does nothing except set all of @state. */
TimeDSPStatus timescaler_pass (TimeScaler * scaler, const void *const *in,
    size_t frames, int silent, TimeScalerState * state);

/** Finds the fraction with the smallest denominator that converts to the same double as @factor,
 * clamped to TIMEDSP_MIN_FACTOR … TIMEDSP_MAX_FACTOR. Both numbers are below 2^53. */
void timedsp_factor_fraction (double factor, uint64_t * numerator,
    uint64_t * denominator);
