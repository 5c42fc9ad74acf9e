/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * timeline: the input and output segments of timescale. timeline.h of the signal
 * processing maps the times between the two.
 */

#ifndef GST_TIMESCALE_TIMELINE_H
#define GST_TIMESCALE_TIMELINE_H

#include <gst/gst.h>
#include <timeline.h>

G_BEGIN_DECLS

/* Changes of the factor that are remembered. When all are in use, every other one is
 * forgotten. */
#define GST_TIMESCALE_TIMELINE_PAIRS 512

/* Times of a seek: of the output, as the application gave them, and of the input, as
 * they were sent upstream. NONE: not given. */
typedef struct
{
  GstClockTime out_start_ns, out_stop_ns, in_start_ns, in_stop_ns;
} GstTimeScaleSeek;

typedef struct
{
  GstSegment in, out;
  gdouble multiplier;           /* of the rate of `in`, by an instant change */
  gdouble absorbed;             /* part of the rate that is in the factor; 1: none */
  gdouble factor;               /* in force: that of the property / absorbed */
  GstClockTime end_ns;          /* end of the input so far; NONE: none yet */
  TimeDSPLine map;              /* times inside the segment */
  TimeDSPLine base_map;         /* running times, from segment to segment */

  /* under the object lock of `owner`: any thread may ask for it */
  GstObject *owner;
  TimeDSPTimeline history;      /* stream times; empty: nothing played */
  TimeDSPTimePair pairs[GST_TIMESCALE_TIMELINE_PAIRS];
} GstTimeScaleTimeline;

void gst_timescale_timeline_init (GstTimeScaleTimeline * line, GstObject * owner);

/* After a flush: the running time starts again. @factor: of the property. */
void gst_timescale_timeline_reset (GstTimeScaleTimeline * line,
    gdouble factor);

/* Forgets all stream times: nothing has been played. Any thread. */
void gst_timescale_timeline_forget (GstTimeScaleTimeline * line);

/* Translate stream times of the input and of the output. @factor: of the property;
 * used while nothing has been played. Any thread. */
GstClockTime gst_timescale_timeline_to_output (GstTimeScaleTimeline * line,
    GstClockTime in_ns, gdouble factor);
GstClockTime gst_timescale_timeline_to_input (GstTimeScaleTimeline * line,
    GstClockTime out_ns, gdouble factor);

/* Makes the output's segment for the input's segment @in. Its running time goes on
 * where the output of the last segment ended.
 * @factor: of the property
 * @absorb: the rate becomes a part of the factor, as far as its range allows
 * @frames_per_second: of the input; 0: unknown */
void gst_timescale_timeline_start (GstTimeScaleTimeline * line,
    const GstSegment * in, gdouble factor, gboolean absorb,
    gint frames_per_second);

/* A segment that ends where a stream of @duration_ns ends has a stop that nobody
 * asked for: a demuxer has declared it, and decoders exceed it by a frame or two.
 * Makes room for these behind the output's stop, so that no sink clips them. */
void gst_timescale_timeline_allow_surplus (GstTimeScaleTimeline * line,
    GstClockTime duration_ns, gint frames_per_second);

/* If the segment answers @seek, makes it begin and end exactly where @seek asked for
 * it. Times that are scaled to the input and back may be off by 1 ns. */
void gst_timescale_timeline_settle (GstTimeScaleTimeline * line,
    const GstTimeScaleSeek * seek);

/* The factor that scales the input of this segment while the property has
 * @factor. */
gdouble gst_timescale_timeline_effective (const GstTimeScaleTimeline * line,
    gdouble factor);

/* @factor is in force from input time @in_ns on, which lies at @out_ns of the output.
 * The output then ends at @stop_ns (NONE: unknown). */
void gst_timescale_timeline_bend (GstTimeScaleTimeline * line,
    GstClockTime in_ns, GstClockTime out_ns, gdouble factor,
    GstClockTime stop_ns);

/* Input time @in_ns lies at @out_ns. Corrects the map if it differs from that by more
 * than @tolerance_ns. */
void gst_timescale_timeline_note (GstTimeScaleTimeline * line,
    GstClockTime in_ns, GstClockTime out_ns, GstClockTime tolerance_ns);

/* From @out_ns on, the input comes at @multiplier times the rate of its segment. All of
 * that rate becomes a part of the factor. */
void gst_timescale_timeline_multiply_rate (GstTimeScaleTimeline * line,
    GstClockTime out_ns, gdouble multiplier);

/* Output time of @in_ns. */
GstClockTime gst_timescale_timeline_map (const GstTimeScaleTimeline * line,
    GstClockTime in_ns);

G_END_DECLS
#endif /* GST_TIMESCALE_TIMELINE_H */
