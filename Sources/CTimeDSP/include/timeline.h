/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * timeline.h: where the times of a stream lie after it has been scaled. Part
 * of the C interface of the signal processing (see timedsp.h for its words and
 * rules).
 *
 * All times are in nanoseconds. Results are rounded half up, once, from exact
 * products of 128 bits, so every processor gives the same result. A result
 * later than 2^63 - 1 is cut to 2^63 - 1. TIMEDSP_NO_TIME stands for a time
 * that is not known; each function that maps a time gives it back unchanged.
 *
 * A factor counts as the simplest fraction that reads as the same double: 0.7
 * is 7/10, and 1 / 1.1 is 10/11. A factor outside TIMEDSP_MIN_FACTOR …
 * TIMEDSP_MAX_FACTOR counts as the nearer end of that range, unless a function
 * says otherwise.
 *
 * All functions are real-time.
 */

#ifndef TIMELINE_H
#define TIMELINE_H

#include "timedsp.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A time that is not known; the same number as GST_CLOCK_TIME_NONE. */
#define TIMEDSP_NO_TIME UINT64_MAX

/** A time of the input, and the time of the output at which it lies. */
typedef struct {
  uint64_t in, out;
} TimeDSPTimePair;

/* ---- plain arithmetic --------------------------------------------------- */

/**
 * @time_ns × @factor. @factor is any double: one outside the range of scaling
 * factors counts as the binary fraction that it is, and the result is 0 unless
 * @factor is above 0. With a factor of 1 even a time beyond 2^63 - 1 stays as
 * it is.
 */
uint64_t timedsp_scale_time (uint64_t time_ns, double factor);

/**
 * The factor with which a stream that arrives at @rate times its speed is
 * scaled, so that its output lasts @factor times the stream:
 * @factor / @rate, or the nearer end of the range of scaling factors.
 *
 * @rate: (inout): the rate, above 0; becomes the part of it that the result
 *   takes in, which is less than all of it where the result was cut. NULL: 1.
 */
double timedsp_absorb_rate (double factor, double *rate);

/**
 * The end of the last frame that plays between @start_ns and @stop_ns. A stop
 * between two frames comes from a duration that was rounded, or from a seek:
 * the frame into which it falls plays to its end, and so does the frame into
 * which the start falls. A stop 1 ns behind the end of a frame is that end,
 * rounded up. Frame n begins at n / @rate seconds.
 *
 * Returns @stop_ns itself where it is TIMEDSP_NO_TIME, where it is not behind
 * @start_ns, where it is the end of a frame already, and where @rate is 0.
 */
uint64_t timedsp_last_frame_end (uint64_t start_ns, uint64_t stop_ns,
    uint32_t rate);

/* ---- one straight line -------------------------------------------------- */

/** The line through @pair: output = pair.out + (input - pair.in) × factor, on
 * both sides of the pair. */
typedef struct {
  TimeDSPTimePair pair;
  double factor;
} TimeDSPLine;

/** Output time of @in_ns on @line, at least 0; @in_ns where @line is NULL. */
uint64_t timedsp_line_to_output (const TimeDSPLine * line, uint64_t in_ns);

/* ---- under a changing factor -------------------------------------------- */

/**
 * Where the times of a stream lie in its output while the factor changes: on
 * straight lines from pair to pair, and on one of slope @factor behind the
 * last pair. The first pair is (0, 0). Pairs rise in both times, so later
 * times of one kind never lie at earlier times of the other.
 *
 * The memory belongs to the caller, who sets @pairs and @capacity (2 or more),
 * and sets @count to 0 to forget everything.
 *
 * When all of @capacity is in use, every other pair is dropped. The far past
 * is then known at fewer places; at those that are left it is exact.
 */
typedef struct {
  TimeDSPTimePair *pairs;
  size_t capacity;
  size_t count;                 /**< 0: nothing has been played */
  double factor;
} TimeDSPTimeline;

/** Forgets everything: all times lie at time × @factor.
 * Errors: NULL_POINTER, BAD_LENGTH (@capacity). */
TimeDSPStatus timedsp_timeline_start (TimeDSPTimeline * timeline,
    double factor);

/**
 * From @in_ns on, which lies at @out_ns, times go on with @factor. What was
 * known of later times of either kind is forgotten. A timeline of no pairs is
 * started with @factor first.
 *
 * Errors: NULL_POINTER, BAD_LENGTH (@capacity, or a time above 2^63 - 1);
 * nothing is changed then.
 */
TimeDSPStatus timedsp_timeline_bend (TimeDSPTimeline * timeline,
    uint64_t in_ns, uint64_t out_ns, double factor);

/** Where @in_ns lies in the output: at @in_ns × @factor where @timeline is
 * NULL or has no pairs. */
uint64_t timedsp_timeline_to_output (const TimeDSPTimeline * timeline,
    uint64_t in_ns, double factor);

/** The time of the input that lies at @out_ns, the last where several do: at
 * @out_ns / @factor where @timeline is NULL or has no pairs. */
uint64_t timedsp_timeline_to_input (const TimeDSPTimeline * timeline,
    uint64_t out_ns, double factor);

#ifdef __cplusplus
}
#endif
#endif /* TIMELINE_H */
