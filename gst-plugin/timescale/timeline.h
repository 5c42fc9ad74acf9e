/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * timeline: maps input times to output times, and back.
 */

#pragma once

#include "common/frameclock.h"

/* An input time, and the output time that it's mapped to. */
typedef struct
{
  GstClockTime in_ns, out_ns;
} GstTimeScalePair;

/* A straight line through @pair. Its slope is a factor, as an exact fraction. */
typedef struct
{
  GstTimeScalePair pair;
  guint64 num, den;
} GstTimeScaleLine;

/* A map with straight lines from pair to pair. After the last pair, its slope is `factor`. */
typedef struct
{
  GArray *pairs;                /* of GstTimeScalePair. Empty: nothing has been played */
  gdouble factor;
} GstTimeScaleTimeline;

/* The line through (@in_ns, @out_ns) with slope @factor. */
GstTimeScaleLine gst_time_scale_line (GstClockTime in_ns, GstClockTime out_ns,
    gdouble factor);

/* The output time for @time_ns, 0 … G_MAXINT64. NONE stays NONE. */
GstClockTime gst_time_scale_line_map (const GstTimeScaleLine * line,
    GstClockTime time_ns);

/* The input time for the output time @time_ns. */
GstClockTime gst_time_scale_line_unmap (const GstTimeScaleLine * line,
    GstClockTime time_ns);

void gst_time_scale_timeline_init (GstTimeScaleTimeline * timeline);
void gst_time_scale_timeline_clear (GstTimeScaleTimeline * timeline);

/* Starts over with the single slope @factor, from time 0. */
void gst_time_scale_timeline_start (GstTimeScaleTimeline * timeline,
    gdouble factor);

/* Adds a corner where @in_ns is mapped to @out_ns, and the slope becomes @factor. Drops later
 * corners and, if there are too many, every second one. */
void gst_time_scale_timeline_bend (GstTimeScaleTimeline * timeline,
    GstClockTime in_ns, GstClockTime out_ns, gdouble factor);

/* The output time for @time_ns, or @time_ns × @factor if nothing has been played. */
GstClockTime gst_time_scale_timeline_map (const GstTimeScaleTimeline * timeline,
    GstClockTime time_ns, gdouble factor);

/* The input time for the output time @time_ns, or @time_ns / @factor if nothing has been
 * played. */
GstClockTime gst_time_scale_timeline_unmap (const GstTimeScaleTimeline *
    timeline, GstClockTime time_ns, gdouble factor);
