/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * timescaletimeline: the segments of timescale, and where a time of the input
 * lies in its output.
 */

#ifndef TIME_SCALE_TIMELINE_H
#define TIME_SCALE_TIMELINE_H

#include "retrotimemap.h"

G_BEGIN_DECLS

typedef struct
{
  GstSegment in, out;
  RetroTimeMap map;             /* inside the segment */
  GstClockTime end_ns;          /* of the input taken so far; NONE: none yet */
  RetroTimeMap base_map;        /* running times, from segment to segment */
} TimeScaleTimeline;

/* After a flush: running time starts again. */
void time_scale_timeline_reset (TimeScaleTimeline * line, gdouble factor);

/* The segment of the output for that of the input, @in, under @factor. Its
 * running time goes on from where the output of the last segment ended. */
void time_scale_timeline_start (TimeScaleTimeline * line,
    const GstSegment * in, gdouble factor);

/* Goes on from input time @in_ns, which lies at @out_ns of the output, with
 * @factor; output ends at @stop_ns then (NONE: not known). */
void time_scale_timeline_bend (TimeScaleTimeline * line, GstClockTime in_ns,
    GstClockTime out_ns, gdouble factor, GstClockTime stop_ns);

/* Output time of @in_ns. */
GstClockTime time_scale_timeline_map (const TimeScaleTimeline * line,
    GstClockTime in_ns);

G_END_DECLS
#endif /* TIME_SCALE_TIMELINE_H */
