/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "revbuf/request.h"

static TimeDSPDirection
direction_of (gdouble rate, gboolean reverse)
{
  return rate < 0 || reverse ? TIMEDSP_BACKWARD : TIMEDSP_FORWARD;
}

/* @in as the application sees it: in stream time. */
static void
segment_of_application (const GstSegment * in, GstSegment * out)
{
  gst_segment_init (out, GST_FORMAT_TIME);
  out->rate = in->rate;
  out->flags = in->flags;
  out->duration = in->duration;
  out->start = gst_segment_to_stream_time (in, GST_FORMAT_TIME, in->start);
  if (!GST_CLOCK_TIME_IS_VALID (out->start))
    out->start = 0;
  if (GST_CLOCK_TIME_IS_VALID (in->stop))
    out->stop = gst_segment_to_stream_time (in, GST_FORMAT_TIME, in->stop);
  out->time = out->position = out->start;
}

/* Backwards, a place that was sought to is where play begins, and it goes on
 * down to the beginning: from 0, it has come there. */
static void
play_down (GstRevBufRequest * request)
{
  GstSegment *segment = &request->segment;

  if (request->direction == TIMEDSP_FORWARD || segment->rate < 0
      || GST_CLOCK_TIME_IS_VALID (segment->stop))
    return;
  segment->stop = segment->start;
  segment->start = segment->time = 0;
}

void
gst_revbuf_request_from_segment (GstRevBufRequest * request,
    const GstSegment * in, GstClockTime duration_ns, gboolean reverse,
    gboolean sought, gboolean limited)
{
  memset (request, 0, sizeof (*request));
  segment_of_application (in, &request->segment);
  request->segment.duration = duration_ns;
  if (!limited && GST_CLOCK_TIME_IS_VALID (request->segment.stop)
      && GST_CLOCK_TIME_IS_VALID (duration_ns)
      && request->segment.stop >= duration_ns)
    request->segment.stop = GST_CLOCK_TIME_NONE;
  request->asked = request->segment;
  request->direction = direction_of (in->rate, reverse);
  request->last_frame = TIMEDSP_UNKNOWN;
  /* a demuxer that says where it stops plays all of that range */
  if (sought && (request->segment.start > 0
          || !GST_CLOCK_TIME_IS_VALID (in->stop)))
    play_down (request);
}

/* ---- seeks -------------------------------------------------------------- */

typedef struct
{
  gdouble rate;
  GstFormat format;
  GstSeekFlags flags;
  GstSeekType start_type, stop_type;
  gint64 start, stop;
} Seek;

static gboolean
parse_seek (GstEvent * event, Seek * seek)
{
  gst_event_parse_seek (event, &seek->rate, &seek->format, &seek->flags,
      &seek->start_type, &seek->start, &seek->stop_type, &seek->stop);
  return seek->rate != 0 && seek->format == GST_FORMAT_TIME
      && !(seek->flags & GST_SEEK_FLAG_INSTANT_RATE_CHANGE);
}

/* What a seek makes of the start or the stop of a segment. */
static guint64
seeked (GstSeekType type, gint64 value, guint64 now, guint64 duration)
{
  if (type == GST_SEEK_TYPE_NONE)
    return now;
  if (type == GST_SEEK_TYPE_END && !GST_CLOCK_TIME_IS_VALID (duration))
    return GST_CLOCK_TIME_NONE;
  if (type == GST_SEEK_TYPE_END)
    value = MAX ((gint64) duration + value, 0);
  return value;
}

/* GStreamer takes a range that is the wrong way round for a programming error. */
static gboolean
is_range (const GstSegment * now, const Seek * seek)
{
  guint64 start = seeked (seek->start_type, seek->start, now->start,
      now->duration);
  guint64 stop = seeked (seek->stop_type, seek->stop, now->stop,
      now->duration);

  if (GST_CLOCK_TIME_IS_VALID (start)
      && GST_CLOCK_TIME_IS_VALID (now->duration))
    start = MIN (start, now->duration);
  if (GST_CLOCK_TIME_IS_VALID (stop) && GST_CLOCK_TIME_IS_VALID (now->duration))
    stop = MIN (stop, now->duration);
  return !GST_CLOCK_TIME_IS_VALID (start) || !GST_CLOCK_TIME_IS_VALID (stop)
      || start <= stop;
}

/* The request that answers @seek, by what GStreamer does to a segment. */
static gboolean
request_of_seek (GstRevBufRequest * request, const Seek * seek,
    const GstSegment * now, gboolean reverse)
{
  GstSegment *segment = &request->segment;
  gboolean backward;

  request->direction = direction_of (seek->rate, reverse);
  backward = request->direction == TIMEDSP_BACKWARD;
  request->last_frame = TIMEDSP_UNKNOWN;
  request->resume = seek->start_type == GST_SEEK_TYPE_NONE
      && (!backward || seek->stop_type == GST_SEEK_TYPE_NONE);
  if (seek->rate < 0)
    request->resume = seek->stop_type == GST_SEEK_TYPE_NONE;

  request->asked = *now;
  request->asked.rate = 1.0;    /* it has no running time to be kept */
  if (!is_range (now, seek)
      || !gst_segment_do_seek (&request->asked, seek->rate, GST_FORMAT_TIME,
          seek->flags, seek->start_type, seek->start, seek->stop_type,
          seek->stop, NULL))
    return FALSE;
  /* the output counts running time */
  request->asked.base = request->asked.offset = 0;
  *segment = request->asked;

  play_down (request);
  return TRUE;
}

gboolean
gst_revbuf_request_from_seek (GstRevBufRequest * request, GstEvent * event,
    const GstSegment * now, gboolean reverse, gboolean * flush)
{
  Seek seek;

  memset (request, 0, sizeof (*request));
  request->seqnum = gst_event_get_seqnum (event);
  if (!parse_seek (event, &seek))
    return FALSE;
  *flush = (seek.flags & GST_SEEK_FLAG_FLUSH) != 0;
  return request_of_seek (request, &seek, now, reverse);
}
