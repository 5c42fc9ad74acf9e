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
#include "timescalehistory.h"

G_BEGIN_DECLS

/* Times of a seek: of the output, as they were asked for, and of the input, as
 * they were sent upstream. NONE: not said. */
typedef struct
{
  GstClockTime out_start_ns, out_stop_ns, in_start_ns, in_stop_ns;
} TimeScaleSeek;

typedef struct
{
  GstSegment in, out;
  gdouble multiplier;           /* of the rate of in, by an instant change */
  gdouble absorbed;             /* rate that is in the factor; 1: none */
  gdouble factor;               /* in force: that of the property by absorbed */
  RetroTimeMap map;             /* inside the segment */
  GstClockTime end_ns;          /* of the input taken so far; NONE: none yet */
  RetroTimeMap base_map;        /* running times, from segment to segment */
  TimeScaleHistory history;     /* stream times, from seek to seek */
} TimeScaleTimeline;

void time_scale_timeline_init (TimeScaleTimeline * line);
void time_scale_timeline_clear (TimeScaleTimeline * line);

/* After a flush: running time starts again. @factor: of the property. */
void time_scale_timeline_reset (TimeScaleTimeline * line, gdouble factor);

/* The segment of the output for that of the input, @in, under @factor. Its
 * running time goes on from where the output of the last segment ended.
 * @absorb: its rate goes into the factor as far as there is room for it.
 * @frames_per_second: of the input; 0: not known */
void time_scale_timeline_start (TimeScaleTimeline * line,
    const GstSegment * in, gdouble factor, gboolean absorb,
    gint frames_per_second);

/* The segment begins and ends just where @seek asked for it, if it is the one that
 * was sent upstream for it: times that are scaled to and fro may be off by 1 ns. */
void time_scale_timeline_settle (TimeScaleTimeline * line,
    const TimeScaleSeek * seek);

/* What @factor, of the property, comes to in this segment. */
gdouble time_scale_timeline_effective (const TimeScaleTimeline * line,
    gdouble factor);

/* Goes on from input time @in_ns, which lies at @out_ns of the output, with
 * @factor in force; output ends at @stop_ns then (NONE: not known). */
void time_scale_timeline_bend (TimeScaleTimeline * line, GstClockTime in_ns,
    GstClockTime out_ns, gdouble factor, GstClockTime stop_ns);

/* Input time @in_ns lies at @out_ns: corrects the lines where they say
 * otherwise by more than @tolerance_ns. */
void time_scale_timeline_note (TimeScaleTimeline * line, GstClockTime in_ns,
    GstClockTime out_ns, GstClockTime tolerance_ns);

/* From @out_ns on, the segment is one whose input comes at @multiplier times
 * its rate, all of which is absorbed. */
void time_scale_timeline_multiply_rate (TimeScaleTimeline * line,
    GstClockTime out_ns, gdouble multiplier);

/* Output time of @in_ns. */
GstClockTime time_scale_timeline_map (const TimeScaleTimeline * line,
    GstClockTime in_ns);

G_END_DECLS
#endif /* TIME_SCALE_TIMELINE_H */
