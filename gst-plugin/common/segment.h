/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * segment: converts a segment that plays backwards to one that plays forwards,
 * and removes stops. All segments are of TIME format.
 */

#pragma once

#include <gst/gst.h>

/* Mirrors @time_ns inside @segment: the start becomes the stop, which must be known. A
 * time outside the segment is clamped to it. */
GstClockTime gst_retro_segment_mirror (const GstSegment * segment,
    GstClockTime time_ns);

/* Sets @out to the segment in which the audio of @in, once reversed, plays forwards. The
 * rate becomes positive, and the applied rate changes its sign: "to be played backwards"
 * becomes "already reversed". Audio at time t is now at gst_retro_segment_mirror (t), so
 * for a segment with a negative rate, the running time and the stream time of every
 * frame stay the same. */
void gst_retro_segment_reverse (const GstSegment * in, GstSegment * out);

/* Removes the stop of @segment, whose rate is positive. With a negative applied rate,
 * stream times decrease towards the stop. Without a stop they decrease from the
 * `time` member, which then becomes the stream time of the start. Sinks compute it in
 * the same way; other elements get no stream time in such a segment. */
void gst_retro_segment_open (GstSegment * segment);

/* Stream time of @time_ns in @segment, whose stop gst_retro_segment_open() may have
 * removed; NONE if there is none. */
GstClockTime gst_retro_segment_stream_time (const GstSegment * segment,
    GstClockTime time_ns);

/* Gets the last segment that went through @pad, and the seqnum of its event
 * (nullable). Returns FALSE if there is no segment, if a flush has removed it, or if
 * it is not of TIME format. Any thread. */
gboolean gst_retro_pad_get_segment (GstPad * pad, GstSegment * segment,
    guint32 * seqnum);
