/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * segment: how a segment that plays backwards becomes one that plays
 * forwards, or one without a stop.
 */

#ifndef GST_RETRO_SEGMENT_H
#define GST_RETRO_SEGMENT_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* Mirrors @time_ns inside @segment: its start becomes its stop. The stop must
 * be known. Times outside the segment go to the nearer end. */
GstClockTime gst_retro_segment_mirror (const GstSegment * segment,
    GstClockTime time_ns);

/**
 * gst_retro_segment_reverse:
 * @in: a TIME segment with a known stop, of either rate
 * @out: the segment in which the same audio, turned around, plays forwards
 *
 * The rate becomes positive and the applied rate changes its sign: what says
 * "still to be played backwards" now says "has been turned around already".
 * With audio of time t now at gst_retro_segment_mirror (t), the running time and
 * the stream time of every frame stay what they were for a segment that came
 * with a negative rate. Start, stop, time, base, offset and flags are kept.
 */
void gst_retro_segment_reverse (const GstSegment * in, GstSegment * out);

/**
 * gst_retro_segment_open:
 * @segment: (inout): a TIME segment of positive rate
 *
 * Takes the stop away. With a negative applied rate, stream times are counted
 * down from the stop; without one, they are counted down from the time member,
 * which is that of the start then. So do sinks; other elements have no stream
 * time in such a segment.
 */
void gst_retro_segment_open (GstSegment * segment);

/* Stream time of @time_ns in @segment, also where gst_retro_segment_open() has opened
 * that; NONE: it has none. */
GstClockTime gst_retro_segment_stream_time (const GstSegment * segment,
    GstClockTime time_ns);

/* The segment that has gone through @pad last, and the seqnum of its event
 * (nullable), for any thread; FALSE: there is none, or a flush has taken it away, or it
 * is not of TIME format. */
gboolean gst_retro_pad_get_segment (GstPad * pad, GstSegment * segment,
    guint32 * seqnum);

G_END_DECLS
#endif /* GST_RETRO_SEGMENT_H */
