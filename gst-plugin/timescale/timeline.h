/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * timeline: the segments of timescale. Where a time of the input lies
 * in the output is arithmetic of timeline.h; here are the segments that go in
 * and come out.
 */

#ifndef GST_TIMESCALE_TIMELINE_H
#define GST_TIMESCALE_TIMELINE_H

#include <gst/gst.h>
#include <timeline.h>

G_BEGIN_DECLS

/* Changes of the factor that are remembered; old ones ever more sparsely. */
#define GST_TIMESCALE_TIMELINE_PAIRS 512

/* Times of a seek: of the output, as the application asked for them, and of the
 * input, as they were sent upstream. NONE: not given. */
typedef struct
{
  GstClockTime out_start_ns, out_stop_ns, in_start_ns, in_stop_ns;
} GstTimeScaleSeek;

typedef struct
{
  GstSegment in, out;
  gdouble multiplier;           /* of the rate of in, by an instant change */
  gdouble absorbed;             /* part of the rate in the factor; 1: none */
  gdouble factor;               /* in force: of the property / absorbed */
  GstClockTime end_ns;          /* of the input taken so far; NONE: none yet */
  TimeDSPLine map;              /* times inside the segment */
  TimeDSPLine base_map;         /* running times, from segment to segment */

  /* under the object lock of `owner`: any thread may ask for it */
  GstObject *owner;
  TimeDSPTimeline history;      /* stream times; empty: nothing played */
  TimeDSPTimePair pairs[GST_TIMESCALE_TIMELINE_PAIRS];
} GstTimeScaleTimeline;

void gst_timescale_timeline_init (GstTimeScaleTimeline * line, GstObject * owner);

/* After a flush: running time starts again. @factor: of the property. */
void gst_timescale_timeline_reset (GstTimeScaleTimeline * line,
    gdouble factor);

/* Forgets all stream times: nothing has been played. From any thread. */
void gst_timescale_timeline_forget (GstTimeScaleTimeline * line);

/* Stream times of the output and of the input, from any thread. @factor: of the
 * property, which holds as long as nothing has been played. */
GstClockTime gst_timescale_timeline_to_output (GstTimeScaleTimeline * line,
    GstClockTime in_ns, gdouble factor);
GstClockTime gst_timescale_timeline_to_input (GstTimeScaleTimeline * line,
    GstClockTime out_ns, gdouble factor);

/* Makes the output's segment for the input's, @in, under @factor of the
 * property. Running time goes on from where the output of the last segment
 * ended.
 * @absorb: take the rate into the factor, as far as there is room for it.
 * @frames_per_second: of the input; 0: not known */
void gst_timescale_timeline_start (GstTimeScaleTimeline * line,
    const GstSegment * in, gdouble factor, gboolean absorb,
    gint frames_per_second);

/* Makes the segment begin and end exactly where @seek asked for it, if it is the
 * one that upstream sent for that seek. Times that are scaled to the input and
 * back may be off by 1 ns. */
void gst_timescale_timeline_settle (GstTimeScaleTimeline * line,
    const GstTimeScaleSeek * seek);

/* The factor that scales the input of this segment while the property has
 * @factor. */
gdouble gst_timescale_timeline_effective (const GstTimeScaleTimeline * line,
    gdouble factor);

/* Goes on from input time @in_ns, which lies at @out_ns of the output, with
 * @factor in force. The output then ends at @stop_ns (NONE: not known). */
void gst_timescale_timeline_bend (GstTimeScaleTimeline * line,
    GstClockTime in_ns, GstClockTime out_ns, gdouble factor,
    GstClockTime stop_ns);

/* Input time @in_ns was found to lie at @out_ns. Corrects the lines where they
 * differ from that by more than @tolerance_ns. */
void gst_timescale_timeline_note (GstTimeScaleTimeline * line,
    GstClockTime in_ns, GstClockTime out_ns, GstClockTime tolerance_ns);

/* From @out_ns on, the input of the segment comes at @multiplier times its rate,
 * all of which is taken into the factor. */
void gst_timescale_timeline_multiply_rate (GstTimeScaleTimeline * line,
    GstClockTime out_ns, gdouble multiplier);

/* Output time of @in_ns. */
GstClockTime gst_timescale_timeline_map (const GstTimeScaleTimeline * line,
    GstClockTime in_ns);

G_END_DECLS
#endif /* GST_TIMESCALE_TIMELINE_H */
