/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * runs: the timestamps of a collected stream and of its reversed output.
 *
 * All times are in nanoseconds of a single segment. An input time t becomes the output time
 * start + (stop - t), where stop is the end of the collected audio. The output times never
 * decrease, even if the input times did.
 */

#pragma once

#include "common/frameclock.h"

/* Consecutive frames without a jump in time, either audio or a gap. */
typedef struct
{
  guint64 first_frame, end_frame;       /* frames `first_frame` … `end_frame` - 1 */
  GstClockTime start_ns;        /* input time of the first frame */
  gboolean gap;
} GstRevBufRun;

/* The runs of a collected stream, in order of arrival. In an empty list, all but the first two
 * fields are 0. */
typedef struct
{
  gint rate;                    /* frames per second */
  guint64 max_bytes;            /* limit on the memory for runs. At least 1 MiB is allowed */
  GstRevBufRun *runs;           /* free them with g_free() */
  gsize n_runs;
  GstClockTime start_ns, stop_ns;       /* see gst_revbuf_runs_reverse() */
} GstRevBufRuns;

/* Adds @n_frames, starting at @time_ns. @jumps: @time_ns doesn't continue from the previous
 * frame. Returns FALSE, and adds nothing, if there are too many jumps for the limit, or if memory
 * can't be allocated. */
gboolean gst_revbuf_runs_add (GstRevBufRuns * self, GstClockTime time_ns,
    gsize n_frames, gboolean jumps, gboolean gap);

/* Drops the frames that begin at @stop_ns or later. Times may be off by 1 ns. Must be called
 * after the last frames have been added. */
void gst_revbuf_runs_cut (GstRevBufRuns * self, GstClockTime stop_ns);

/* Prepares the output for a segment that starts at @start_ns, and sets `stop_ns` to the end of
 * the collected audio. Must be called after the last frames have been added. Returns the end time
 * of the output. It's later than `stop_ns` only if input times decreased. */
GstClockTime gst_revbuf_runs_reverse (GstRevBufRuns * self, GstClockTime start_ns);

/* Removes the last run, which is output next. Starts @clock, unless the run continues where the
 * previous one ended. Returns FALSE if there are no more runs. */
gboolean gst_revbuf_runs_pop (GstRevBufRuns * self, GstRetroClock * clock,
    GstRevBufRun * run);
