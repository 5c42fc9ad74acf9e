/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * timepitch.h: how duration and pitch are changed apart from each other. A scaler
 * changes both, a stretcher changes the duration alone. A scaler that makes the pitch
 * higher stands before the stretcher, one that makes it lower behind it: the stretcher
 * tells notes apart the better, the higher they are.
 */

#ifndef TIMEPITCH_H
#define TIMEPITCH_H

#include "timestretch.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Most semitones that the pitch is moved by, up or down. */
#define TIMEPITCH_MAX_SEMITONES 24.0

/** What a duration and a pitch come to: factors of a scaler, of the stretcher behind it,
 * and of a scaler behind that. Their product is the factor of the whole, and
 * 1 / (before × after) that of the pitch. */
typedef struct {
  double before;                /**< at most 1 */
  double stretch;
  double after;                 /**< at least 1; before or after is 1 exactly */
} TimePitchParts;

/** Output duration / input duration. */
static inline double
timepitch_factor (const TimePitchParts * parts)
{
  return parts->before * parts->stretch * parts->after;
}

/**
 * Divides @factor (output duration / input duration). The pitch of the output is
 * that of the input × (@keeps_pitch ? 1 : 1 / @factor) × 2^(@semitones / 12).
 * Where one of the parts would leave TIMEDSP_MIN_FACTOR ... TIMEDSP_MAX_FACTOR, it
 * stays at the end of that range; the duration is right then, the pitch is not.
 * With 0 semitones either the stretcher or both scalers are 1 exactly. Real-time.
 *
 * Errors: NULL_POINTER, BAD_FACTOR (also where @semitones is NaN or beyond
 * TIMEPITCH_MAX_SEMITONES); @parts is left alone then.
 */
TimeDSPStatus timepitch_divide (double factor, int keeps_pitch,
    double semitones, TimePitchParts * parts);

/** Within how many frames of its own input each part moves. */
typedef struct {
  uint64_t stretch_frames;
  uint64_t after_frames;
} TimePitchRamps;

/**
 * The first scaler moves its factor within @in_frames frames of input. Within how many
 * frames stretcher and second scaler have to move theirs, so that all that is
 * made of @in_frames is 2 @in_frames / (1 / f0 + 1 / f1) - @excess_frames, with the
 * factors f0 and f1 of @from and @to: as many as one scaler would make that moves from
 * f0 to f1, less what there is too much already. All begin at the same place.
 * Nearest whole numbers, as far as that can be had. Real-time.
 *
 * Errors: NULL_POINTER.
 */
TimeDSPStatus timepitch_ramps (const TimePitchParts * from,
    const TimePitchParts * to, uint64_t in_frames, double excess_frames,
    TimePitchRamps * ramps);

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
#endif /* TIMEPITCH_H */
