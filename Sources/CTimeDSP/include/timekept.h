/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * timekept.h: timestamps for a stream that is collected and then played backwards. Part
 * of the C interface of the signal processing (see timedsp.h for its words and rules).
 *
 * All times are in nanoseconds of a single segment. An input time t becomes the output
 * time start + (stop - t); the stop of the segment is the end of the collected audio.
 * The output times never decrease, even if the input times did. The samples themselves
 * are kept elsewhere.
 */

#ifndef TIMEKEPT_H
#define TIMEKEPT_H

#include "timedsp.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The runs of frames that have arrived, in order. A run has no jump in time, and
 * consists either of audio or of a gap. */
typedef struct TimeKept TimeKept;

/** A run of the output: frames @first_frame … @end_frame - 1, in reverse order. */
typedef struct {
  uint64_t first_frame, end_frame;
  uint64_t start_ns;            /**< start time; UINT64_MAX: the end of the previous
                                 * run */
  int gap;
} TimeKeptRun;

/**
 * Makes an empty list of runs.
 *
 * @rate: frames per second, at least 1
 * @max_bytes: limit on the memory for runs; a limit below 1 MiB counts as 1 MiB
 *
 * Returns NULL if memory cannot be allocated.
 */
TimeKept *timekept_new (uint32_t rate, uint64_t max_bytes);

/** Frees @kept; NULL is allowed. */
void timekept_free (TimeKept * kept);

/**
 * Adds @frames frames, the first of which is at @time_ns. @jumps: this time does not
 * continue from the previous frame. @gap: the frames are a gap.
 *
 * Errors: NULL_POINTER; NO_MEMORY: there are more jumps than fit into memory, and the
 * frames were not added.
 */
TimeDSPStatus timekept_add (TimeKept * kept, uint64_t time_ns, uint64_t frames,
    int jumps, int gap);

/** The number of runs. */
size_t timekept_count (const TimeKept * kept);

/** Must be called after the last frames have been added. Drops the frames that begin
 * at @stop_ns or later; times may be off by 1 ns. */
void timekept_cut (TimeKept * kept, uint64_t stop_ns);

/**
 * Must be called after the last frames have been added. Sets @stop_ns to the end of the
 * collected audio in a segment that starts at @start_ns.
 *
 * Returns the end time of the output: later than @stop_ns only if input times decreased.
 */
uint64_t timekept_turn (TimeKept * kept, uint64_t start_ns, uint64_t * stop_ns);

/** Sets @run to the next run of the output. Returns 0 if there are no more
 * runs. */
int timekept_next (TimeKept * kept, TimeKeptRun * run);

#ifdef __cplusplus
}
#endif
#endif /* TIMEKEPT_H */
