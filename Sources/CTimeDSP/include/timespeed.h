/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * timespeed.h: reads a stream at any speed from -8 to 8, through zero, like a tape or a record
 * that you move by hand. Part of the C interface (see timedsp.h for its words and rules).
 *
 * A reader only deals in frames, and doesn't own any. You ask which frames the next output needs
 * (timespeed_needs()), and pass as many of them as you have (timespeed_read()). If some are late,
 * you get less output, and the position stays where it is. Frames outside the stream are silent.
 * Calls to the same reader mustn't overlap. All functions except timespeed_new() and
 * timespeed_free() are real-time. A call sets @state unless it fails.
 *
 * Words
 *   speed     input frames per output frame. It's negative when playing backwards
 *   position  of an output frame: where in the input we read it. It may be between two frames,
 *             and it's a multiple of 2^-64 frames
 *   move      a change of speed or position over a given number of output frames
 *   settled   there's no move in progress, so the speed is constant
 *   exact     settled at a speed of 1 or -1, on a whole frame. The output is the input's
 *             frames, bit for bit
 *   rest      settled at a speed below 1/128. The output fades to silence
 *
 * We compute each position directly from its move, so rounding errors don't add up. For output
 * frame n of a move of N output frames, from position p and speed v to position q and speed w, with
 * u = n / N and the mean speed d = (q - p) / N:
 *
 *   position (n) = p + n × (v + u × ((3 × d - 2 × v - w) + u × (v + w - 2 × d)))
 *
 * If d is the mean of v and w, the last term vanishes and the speed changes linearly. A move to
 * speed 1 or -1 ends on a whole frame, so we round q, and the formula spreads the difference over
 * the move.
 */

#pragma once

#include "timedsp.h"

/** The highest speed, in either direction. */
#define TIMESPEED_MAX_SPEED 8.0

/** The longest move, in output frames. */
#define TIMESPEED_MAX_FRAMES UINT64_C (0xFFFFFFFF)

/** The stream doesn't end on that side, or we don't know where. */
#define TIMESPEED_NO_START INT64_MIN
#define TIMESPEED_NO_END INT64_MAX

/** The settings of a reader. */
typedef struct {
  TimeDSPConfig audio;          /**< we ignore the interpolation, it's always sinc */
  uint32_t fade_frames;         /**< output frames it takes the sound to fade out at rest, and
                                 * in again. 10 ms is about right, and 0 means no fade */
} TimeSpeedSettings;

/** The result of a call, and the reader's state after it. */
typedef struct {
  size_t frames_produced;
  int64_t frame;                /**< the position of the next output frame, rounded down */
  double fraction;              /**< … and the rest, 0 … 1, without 1 */
  double speed;                 /**< at the next output frame */
  double final_speed;           /**< after the move */
  uint64_t frames_left;         /**< left in the move. 0: settled */
  int is_exact;                 /**< not 0: the next output frames are input frames
                                 * `frame`, `frame` ± 1, …, so you may pass them yourself.
                                 * Then continue with timespeed_start() */
  int is_silent;                /**< not 0: at rest and faded out, so all output is silent until
                                 * the next move, and doesn't need input */
  int edge;                     /**< 1: it has reached the end of the stream. -1: the start. It
                                 * rests there until the next move */
} TimeSpeedState;

typedef struct TimeSpeed TimeSpeed;

/** Makes a reader that's at rest at frame 0 of an endless stream. If you pass @other, it continues
 * from there instead, with the same move and limits, e.g. at a different quality. If it fails (bad
 * TimeDSPConfig, NO_MEMORY), @reader is set to NULL. */
TimeDSPStatus timespeed_new (const TimeSpeedSettings * settings,
    const TimeSpeed * other, TimeSpeed ** reader, TimeSpeedState * state);

/** Frees @reader. NULL is fine. */
void timespeed_free (TimeSpeed * reader);

/** Tells @reader that the stream has frames @start ≤ n < @end. All others are silent, and the
 * position stops before them. */
void timespeed_limit (TimeSpeed * reader, int64_t start, int64_t end);

/** Continues at @frame with @speed, without a fade. @frame is the next output frame, and may be
 * ±2^53. Errors: BAD_SPEED, BAD_LENGTH. */
TimeDSPStatus timespeed_start (TimeSpeed * reader, int64_t frame, double speed,
    TimeSpeedState * state);

/** Changes the speed linearly to @speed over the next @frames output frames, or immediately if
 * that's 0. A move to 1 or -1 takes 64 frames or more, unless @frames is 0 and it begins on a whole
 * frame. `frames_left` tells you how long it takes. Errors: BAD_SPEED, BAD_LENGTH. */
TimeDSPStatus timespeed_ramp (TimeSpeed * reader, double speed, uint64_t frames,
    TimeSpeedState * state);

/** Moves to @frame in @frames output frames, on a smooth curve from the current speed to @speed,
 * and continues at that speed. It takes longer if it would otherwise exceed TIMESPEED_MAX_SPEED.
 * `frames_left` tells you how long it takes. Errors: BAD_SPEED, or BAD_LENGTH if the move would be
 * too long. */
TimeDSPStatus timespeed_scrub (TimeSpeed * reader, int64_t frame, uint64_t frames,
    double speed, TimeSpeedState * state);

/** Sets @first and @end so that the next @frames output frames need the input frames @first ≤ n <
 * @end of the stream. If they don't need any, both are equal. */
void timespeed_needs (const TimeSpeed * reader, size_t frames, int64_t * first,
    int64_t * end);

/** Writes at most @capacity frames to the planes @out. @in has @frames input frames, starting at
 * @first, in stream order. They mustn't overlap. It stops before an output frame that needs frames
 * you haven't passed, and at an edge. The output doesn't depend on how often you call this, or with
 * which frames. */
TimeDSPStatus timespeed_read (TimeSpeed * reader, const void *const *in,
    int64_t first, size_t frames, void *const *out, size_t capacity,
    TimeSpeedState * state);
