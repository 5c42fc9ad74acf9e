/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * timekept.h: output times of a stream that has been kept and is played backwards. Part
 * of the C interface of the signal processing (see timedsp.h for its words and rules).
 *
 * All times are in nanoseconds of one segment. A time t of the input is output at
 * start + (stop - t); the segment's stop is the end of the kept audio. The output
 * never goes back in time, even if the input did. The samples are kept elsewhere.
 */

#ifndef TIMEKEPT_H
#define TIMEKEPT_H

#include "timedsp.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Runs of frames in the order of arrival. A run has no jump in time, and is all audio
 * or all gap. */
typedef struct TimeKept TimeKept;

/** A run of the output: frames @first_frame … @end_frame - 1, the last one first. */
typedef struct {
  uint64_t first_frame, end_frame;
  uint64_t start_ns;            /**< when it begins; UINT64_MAX: at the end of the run
                                 * before it */
  int gap;
} TimeKeptRun;

/**
 * Makes an empty list of runs.
 *
 * @rate: frames per second, at least 1
 * @max_bytes: the most memory for runs; less than 1 MiB counts as 1 MiB
 *
 * Returns NULL if there is no memory.
 */
TimeKept *timekept_new (uint32_t rate, uint64_t max_bytes);

/** Frees @kept; NULL is allowed. */
void timekept_free (TimeKept * kept);

/**
 * Adds @frames frames, the first one at @time_ns. @jumps: that time does not follow the
 * frame before it. @gap: the frames are a gap.
 *
 * Errors: NULL_POINTER; NO_MEMORY: there are more jumps than fit in memory, and the frames
 * have not been added.
 */
TimeDSPStatus timekept_add (TimeKept * kept, uint64_t time_ns, uint64_t frames,
    int jumps, int gap);

/** The number of runs. */
size_t timekept_count (const TimeKept * kept);

/** To be called after the last frames have been added. Drops the frames that begin at
 * @stop_ns or later; times may be off by 1 ns. */
void timekept_cut (TimeKept * kept, uint64_t stop_ns);

/**
 * To be called after the last frames have been added. Sets @stop_ns to the end of the kept
 * audio in a segment that starts at @start_ns.
 *
 * Returns the time at which the output ends: later than @stop_ns only if the input went
 * back in time.
 */
uint64_t timekept_turn (TimeKept * kept, uint64_t start_ns, uint64_t * stop_ns);

/** Sets @run to the next run of the output. Returns 0 if there is none. */
int timekept_next (TimeKept * kept, TimeKeptRun * run);

#ifdef __cplusplus
}
#endif
#endif /* TIMEKEPT_H */
