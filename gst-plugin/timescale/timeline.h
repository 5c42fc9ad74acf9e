/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * timescaletimeline: the segments of timescale, and where a time of the input
 * lies in its output.
 */

#ifndef GST_TIMESCALE_TIMELINE_H
#define GST_TIMESCALE_TIMELINE_H

#include "timescale/history.h"

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
  TimeDSPLine map;              /* inside the segment */
  GstClockTime end_ns;          /* of the input taken so far; NONE: none yet */
  TimeDSPLine base_map;         /* running times, from segment to segment */
  GstTimeScaleHistory history;  /* stream times, from seek to seek */
} GstTimeScaleTimeline;

void gst_timescale_timeline_init (GstTimeScaleTimeline * line);
void gst_timescale_timeline_clear (GstTimeScaleTimeline * line);

/* After a flush: running time starts again. @factor: of the property. */
void gst_timescale_timeline_reset (GstTimeScaleTimeline * line, gdouble factor);

/* The segment of the output for that of the input, @in, under @factor. Its
 * running time goes on from where the output of the last segment ended.
 * @absorb: its rate goes into the factor as far as there is room for it.
 * @frames_per_second: of the input; 0: not known */
void gst_timescale_timeline_start (GstTimeScaleTimeline * line,
    const GstSegment * in, gdouble factor, gboolean absorb,
    gint frames_per_second);

/* The segment begins and ends just where @seek asked for it, if it is the one that
 * was sent upstream for it: times that are scaled there and back may be off by 1 ns. */
void gst_timescale_timeline_settle (GstTimeScaleTimeline * line,
    const TimeScaleSeek * seek);

/* What @factor, of the property, comes to in this segment. */
gdouble gst_timescale_timeline_effective (const GstTimeScaleTimeline * line,
    gdouble factor);

/* Goes on from input time @in_ns, which lies at @out_ns of the output, with
 * @factor in force; output ends at @stop_ns then (NONE: not known). */
void gst_timescale_timeline_bend (GstTimeScaleTimeline * line, GstClockTime in_ns,
    GstClockTime out_ns, gdouble factor, GstClockTime stop_ns);

/* Input time @in_ns lies at @out_ns: corrects the lines where they say
 * otherwise by more than @tolerance_ns. */
void gst_timescale_timeline_note (GstTimeScaleTimeline * line, GstClockTime in_ns,
    GstClockTime out_ns, GstClockTime tolerance_ns);

/* From @out_ns on, the segment is one whose input comes at @multiplier times
 * its rate, all of which is absorbed. */
void gst_timescale_timeline_multiply_rate (GstTimeScaleTimeline * line,
    GstClockTime out_ns, gdouble multiplier);

/* Output time of @in_ns. */
GstClockTime gst_timescale_timeline_map (const GstTimeScaleTimeline * line,
    GstClockTime in_ns);

G_END_DECLS
#endif /* GST_TIMESCALE_TIMELINE_H */
