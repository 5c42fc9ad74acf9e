/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "common/segment.h"

#include <timedsp.h>

GstClockTime
gst_retro_segment_mirror (const GstSegment * segment, GstClockTime time_ns)
{
  if (!GST_CLOCK_TIME_IS_VALID (time_ns))
    return time_ns;

  time_ns = CLAMP (time_ns, segment->start, segment->stop);
  return segment->start + (segment->stop - time_ns);
}

void
gst_retro_segment_reverse (const GstSegment * in, GstSegment * out)
{
  *out = *in;
  out->rate = ABS (in->rate);
  out->applied_rate = -in->applied_rate;
  out->position = gst_retro_segment_mirror (in, in->position);
}

void
gst_retro_segment_open (GstSegment * segment)
{
  if (GST_CLOCK_TIME_IS_VALID (segment->stop) && segment->applied_rate < 0
      && GST_CLOCK_TIME_IS_VALID (segment->time))
    segment->time = gst_segment_to_stream_time (segment, GST_FORMAT_TIME,
        segment->start);
  segment->stop = GST_CLOCK_TIME_NONE;
}

GstClockTime
gst_retro_segment_stream_time (const GstSegment * segment, GstClockTime time_ns)
{
  GstClockTime since_ns;

  if (segment->applied_rate > 0 || GST_CLOCK_TIME_IS_VALID (segment->stop))
    return gst_segment_to_stream_time (segment, GST_FORMAT_TIME, time_ns);
  if (!GST_CLOCK_TIME_IS_VALID (segment->time)
      || !GST_CLOCK_TIME_IS_VALID (time_ns))
    return GST_CLOCK_TIME_NONE;
  since_ns = timedsp_scale_time (time_ns - MIN (time_ns, segment->start),
      -segment->applied_rate);
  return segment->time - MIN (since_ns, segment->time);
}

gboolean
gst_retro_pad_get_segment (GstPad * pad, GstSegment * segment, guint32 * seqnum)
{
  g_autoptr (GstEvent) event =
      gst_pad_get_sticky_event (pad, GST_EVENT_SEGMENT, 0);

  if (event == NULL)
    return FALSE;
  gst_event_copy_segment (event, segment);
  if (seqnum != NULL)
    *seqnum = gst_event_get_seqnum (event);
  return segment->format == GST_FORMAT_TIME;
}

GstClockTime
gst_retro_pad_duration (GstPad * sinkpad)
{
  gint64 duration_ns;

  /* sources whose duration is unknown answer with -1 or 0 */
  return gst_pad_peer_query_duration (sinkpad, GST_FORMAT_TIME, &duration_ns)
      && duration_ns > 0 ? (GstClockTime) duration_ns : GST_CLOCK_TIME_NONE;
}

gboolean
gst_retro_pad_answer_latency (GstPad * sinkpad, GstQuery * query,
    GstClockTime own_ns)
{
  GstClockTime min, max;
  gboolean live;

  if (!gst_pad_peer_query (sinkpad, query))
    return FALSE;
  gst_query_parse_latency (query, &live, &min, &max);
  if (GST_CLOCK_TIME_IS_VALID (max))
    max += own_ns;
  gst_query_set_latency (query, live, min + own_ns, max);
  return TRUE;
}

gboolean
gst_retro_pad_answer_time (GstPad * pad, GstQuery * query, gint64 time_ns)
{
  gboolean is_position = GST_QUERY_TYPE (query) == GST_QUERY_POSITION;
  GstFormat format = gst_retro_query_format (query);
  g_autoptr (GstCaps) caps = NULL;
  GstAudioInfo info;

  if (format != GST_FORMAT_TIME) {
    caps = gst_pad_get_current_caps (pad);
    if (caps == NULL || !gst_audio_info_from_caps (&info, caps) || time_ns < 0
        || !gst_audio_info_convert (&info, GST_FORMAT_TIME, time_ns, format,
            &time_ns))
      return FALSE;
  }
  if (is_position)
    gst_query_set_position (query, format, time_ns);
  else
    gst_query_set_duration (query, format, time_ns);
  return TRUE;
}
