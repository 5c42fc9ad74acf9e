/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * timepitch.h: how duration and pitch are changed apart from each other. A scaler
 * changes both, and a stretcher behind it changes the duration alone.
 */

#ifndef TIMEPITCH_H
#define TIMEPITCH_H

#include "timestretch.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Most semitones that the pitch is moved by, up or down. */
#define TIMEPITCH_MAX_SEMITONES 24.0

/** What a duration and a pitch come to: factors of the scaler and of the stretcher
 * behind it. Their product is the factor of the whole, 1 / scale that of the pitch. */
typedef struct {
  double scale;
  double stretch;
} TimePitchParts;

/**
 * Divides @factor (output duration / input duration). The pitch of the output is
 * that of the input × (@keeps_pitch ? 1 : 1 / @factor) × 2^(@semitones / 12).
 * Where one of the parts would leave TIMEDSP_MIN_FACTOR ... TIMEDSP_MAX_FACTOR, it
 * stays at the end of that range; the duration is right then, the pitch is not.
 * With 0 semitones one of the two is 1 exactly. Real-time.
 *
 * Errors: NULL_POINTER, BAD_FACTOR (also where @semitones is NaN or beyond
 * TIMEPITCH_MAX_SEMITONES); @parts is left alone then.
 */
TimeDSPStatus timepitch_divide (double factor, int keeps_pitch,
    double semitones, TimePitchParts * parts);

/**
 * The scaler moves its factor within @in_frames frames of input. Within how many of
 * the frames that it makes the stretcher has to move its own, so that all that is
 * made of @in_frames is 2 @in_frames / (1 / f0 + 1 / f1) - @excess_frames, with the
 * factors f0 and f1 of @from and @to: as many as one scaler would make that moves from
 * f0 to f1, less what there is too much already. Both begin at the same frame.
 * Nearest whole number, as far as that can be had; 0 for NULL. Real-time.
 */
uint64_t timepitch_ramp_frames (const TimePitchParts * from,
    const TimePitchParts * to, uint64_t in_frames, double excess_frames);

/** Frames that timestretch_process() would give out at once, without any more
 * input. 0 for NULL. Real-time. */
size_t timestretch_ready (const TimeStretcher * stretcher);

#ifdef __cplusplus
}
#endif
#endif /* TIMEPITCH_H */
