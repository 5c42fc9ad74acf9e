/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * timekept.h: when the audio of a stream that has been kept is heard backwards. Part
 * of the C interface of the signal processing (see timedsp.h for its words and rules).
 *
 * All times are in nanoseconds of one segment. A time t of the input is heard at
 * start + (stop - t), where the segment's stop is the end of what was kept. The output
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

/** A run as it is heard: frames @first_frame … @end_frame - 1, the last one first. */
typedef struct {
  uint64_t first_frame, end_frame;
  uint64_t start_ns;            /**< when it begins; UINT64_MAX: where the one before
                                 * it ended */
  int gap;
} TimeKeptRun;

/**
 * Nothing has been kept yet.
 *
 * @rate: frames per second, at least 1
 * @max_bytes: the most memory for runs; below 1 MiB it counts as that
 *
 * NULL: there is no memory.
 */
TimeKept *timekept_new (uint32_t rate, uint64_t max_bytes);

/** NULL is allowed. */
void timekept_free (TimeKept * kept);

/**
 * @frames are kept, the first of which has the time @time_ns. @jumps: it is not that
 * behind the frame before it.
 *
 * Errors: NULL_POINTER; NO_MEMORY: there are more jumps than memory, and the frames have
 * not been added.
 */
TimeDSPStatus timekept_add (TimeKept * kept, uint64_t time_ns, uint64_t frames,
    int jumps, int gap);

/** How many runs there are. */
size_t timekept_count (const TimeKept * kept);

/** All has been added. Drops the frames that begin at @stop_ns or later; times may be off
 * by 1 ns. */
void timekept_cut (TimeKept * kept, uint64_t stop_ns);

/**
 * All has been added. Sets @stop_ns to the end of what was kept in a segment that starts
 * at @start_ns.
 *
 * Returns when the output ends: later than that only if the input went back in time.
 */
uint64_t timekept_turn (TimeKept * kept, uint64_t start_ns, uint64_t * stop_ns);

/** Sets @run to the run that is heard next. 0: there is none. */
int timekept_next (TimeKept * kept, TimeKeptRun * run);

#ifdef __cplusplus
}
#endif
#endif /* TIMEKEPT_H */
