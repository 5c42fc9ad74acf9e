/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * timeline: maps times of the input to times of the output, and back.
 */

#pragma once

#include "common/frameclock.h"

/* A time of the input, and the time of the output to which it's mapped. */
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

/* A map of straight lines from pair to pair. After the last pair, the slope is a factor. */
typedef struct
{
  GArray *pairs;                /* of GstTimeScalePair. empty: nothing has been played */
  gdouble factor;
} GstTimeScaleTimeline;

/* @time_ns × @factor, rounded half up, at most G_MAXINT64. NONE stays NONE. */
GstClockTime gst_time_scale_scale_time (GstClockTime time_ns, gdouble factor);

/* The line with slope @factor from @in_ns, @out_ns. */
GstTimeScaleLine gst_time_scale_line (GstClockTime in_ns, GstClockTime out_ns,
    gdouble factor);

/* The time of the output for @time_ns, 0 … G_MAXINT64, or NONE for NONE. */
GstClockTime gst_time_scale_line_map (const GstTimeScaleLine * line,
    GstClockTime time_ns);

/* The time of the input for @time_ns of the output. */
GstClockTime gst_time_scale_line_unmap (const GstTimeScaleLine * line,
    GstClockTime time_ns);

void gst_time_scale_timeline_init (GstTimeScaleTimeline * timeline);
void gst_time_scale_timeline_clear (GstTimeScaleTimeline * timeline);

/* Forgets everything that has been played. */
void gst_time_scale_timeline_forget (GstTimeScaleTimeline * timeline);

/* Begins a map with the single slope @factor, from 0 on. */
void gst_time_scale_timeline_start (GstTimeScaleTimeline * timeline,
    gdouble factor);

/* Adds a corner: from @in_ns on, which is mapped to @out_ns, the slope is @factor. Later
 * corners are dropped, and if there are too many, every second one. */
void gst_time_scale_timeline_bend (GstTimeScaleTimeline * timeline,
    GstClockTime in_ns, GstClockTime out_ns, gdouble factor);

/* The time of the output for @time_ns. If nothing has been played, @time_ns × @factor. */
GstClockTime gst_time_scale_timeline_map (const GstTimeScaleTimeline * timeline,
    GstClockTime time_ns, gdouble factor);

/* The time of the input for @time_ns of the output. If nothing has been played,
 * @time_ns / @factor. */
GstClockTime gst_time_scale_timeline_unmap (const GstTimeScaleTimeline *
    timeline, GstClockTime time_ns, gdouble factor);
