/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * segment: converts segments that play backwards to ones that play forwards, removes stops, and
 * answers queries about times. All segments are in TIME format.
 */

#pragma once

#include <gst/audio/audio.h>

/* Mirrors @time_ns in @segment, which swaps the start and the stop. The stop must be known. A
 * time outside the segment is clamped to it first. */
GstClockTime gst_retro_segment_mirror (const GstSegment * segment,
    GstClockTime time_ns);

/* Sets @out to the segment for the audio of @in once it has been reversed. The rate becomes
 * positive, and the applied rate changes sign: "to be played backwards" becomes "already
 * reversed". Audio at time t moves to gst_retro_segment_mirror (t). If the rate of @in is
 * negative, the running time and the stream time of every frame stay the same. */
void gst_retro_segment_reverse (const GstSegment * in, GstSegment * out);

/* Removes the stop of @segment, whose rate must be positive. If the applied rate is negative,
 * GStreamer computes stream times from the stop. So we set `time` to the stream time of the
 * start, and stream times decrease from there. Sinks compute them the same way, but other
 * elements can't compute stream times in such a segment. */
void gst_retro_segment_open (GstSegment * segment);

/* Stream time of @time_ns in @segment, even after gst_retro_segment_open(), or NONE if @time_ns
 * has no stream time. */
GstClockTime gst_retro_segment_stream_time (const GstSegment * segment,
    GstClockTime time_ns);

/* Sets @segment to the current segment of @pad, and @seqnum (nullable) to the seqnum of the
 * segment event. Returns FALSE if there's no segment, if a flush has removed it, or if it isn't
 * in TIME format. May be called from any thread. */
gboolean gst_retro_pad_get_segment (GstPad * pad, GstSegment * segment,
    guint32 * seqnum);

/* The duration that upstream of @sinkpad reports, or NONE if it's unknown. Any thread. */
GstClockTime gst_retro_pad_duration (GstPad * sinkpad);

/* Answers the LATENCY @query with upstream's latency plus @own_ns. */
gboolean gst_retro_pad_answer_latency (GstPad * sinkpad, GstQuery * query,
    GstClockTime own_ns);

/* Answers the POSITION or DURATION @query with @time_ns, in its format, for the audio of @pad.
 * Returns FALSE if it can't, for example because there are no caps yet. */
gboolean gst_retro_pad_answer_time (GstPad * pad, GstQuery * query, gint64 time_ns);

/* The format that the POSITION or DURATION @query asks for. */
static inline GstFormat
gst_retro_query_format (GstQuery * query)
{
  GstFormat format;

  if (GST_QUERY_TYPE (query) == GST_QUERY_POSITION)
    gst_query_parse_position (query, &format, NULL);
  else
    gst_query_parse_duration (query, &format, NULL);
  return format;
}
