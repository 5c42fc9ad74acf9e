/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Upstream of an element under test: answers to its queries, and the seeks that arrive.
 */

#include "retrotest.h"

typedef struct
{
  GstClockTime duration, position;
  GstClockTime min_latency, max_latency;
} Answers;

static GstPadProbeReturn
answer (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  GstQuery *query = GST_PAD_PROBE_INFO_QUERY (info);
  Answers *a = data;
  GstFormat format;

  switch (GST_QUERY_TYPE (query)) {
    case GST_QUERY_DURATION:
      gst_query_parse_duration (query, &format, NULL);
      if (format != GST_FORMAT_TIME || !GST_CLOCK_TIME_IS_VALID (a->duration))
        return GST_PAD_PROBE_DROP;
      gst_query_set_duration (query, format, a->duration);
      return GST_PAD_PROBE_HANDLED;
    case GST_QUERY_POSITION:
      gst_query_parse_position (query, &format, NULL);
      if (format != GST_FORMAT_TIME || !GST_CLOCK_TIME_IS_VALID (a->position))
        return GST_PAD_PROBE_DROP;
      gst_query_set_position (query, format, a->position);
      return GST_PAD_PROBE_HANDLED;
    case GST_QUERY_SEEKING:
      gst_query_parse_seeking (query, &format, NULL, NULL, NULL);
      if (format != GST_FORMAT_TIME)
        return GST_PAD_PROBE_DROP;
      gst_query_set_seeking (query, format, TRUE, 0, a->duration);
      return GST_PAD_PROBE_HANDLED;
    default:
      return GST_PAD_PROBE_OK;
  }
}

void
retro_test_answer_queries (RetroTest * t, GstClockTime duration,
    GstClockTime position)
{
  Answers *answers = g_new0 (Answers, 1);

  answers->duration = duration;
  answers->position = position;
  gst_pad_add_probe (t->h->srcpad, GST_PAD_PROBE_TYPE_QUERY_UPSTREAM, answer,
      answers, g_free);
}

static GstPadProbeReturn
answer_latency (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  GstQuery *query = GST_PAD_PROBE_INFO_QUERY (info);
  Answers *a = data;

  if (GST_QUERY_TYPE (query) != GST_QUERY_LATENCY)
    return GST_PAD_PROBE_OK;
  gst_query_set_latency (query, TRUE, a->min_latency, a->max_latency);
  return GST_PAD_PROBE_HANDLED;
}

void
retro_test_answer_latency (RetroTest * t, GstClockTime min, GstClockTime max)
{
  Answers *answers = g_new0 (Answers, 1);

  answers->min_latency = min;
  answers->max_latency = max;
  gst_pad_add_probe (t->h->srcpad, GST_PAD_PROBE_TYPE_QUERY_UPSTREAM,
      answer_latency, answers, g_free);
}

/* Sends @seek (transfer full); returns the event that arrives upstream. */
static GstEvent *
send_seek (RetroTest * t, GstEvent * seek)
{
  GstEvent *arrived;

  while ((arrived = gst_harness_try_pull_upstream_event (t->h)) != NULL)
    gst_event_unref (arrived);
  fail_unless (gst_harness_push_upstream_event (t->h, seek));
  arrived = gst_harness_try_pull_upstream_event (t->h);
  fail_unless (arrived != NULL, "the seek did not reach upstream");
  fail_unless_equals_int (GST_EVENT_TYPE (arrived), GST_EVENT_SEEK);
  return arrived;
}

GstEvent *
retro_test_seek (RetroTest * t, gdouble rate, GstSeekFlags flags,
    GstSeekType start_type, gint64 start, GstSeekType stop_type, gint64 stop)
{
  return send_seek (t, gst_event_new_seek (rate, GST_FORMAT_TIME, flags,
          start_type, start, stop_type, stop));
}

void
retro_test_assert_keeps_interval (RetroTest * t, GstEvent * seek)
{
  guint32 seqnum = gst_event_get_seqnum (seek);
  g_autoptr (GstEvent) arrived = NULL;
  GstClockTime interval_ns;

  gst_event_set_seek_trickmode_interval (seek, 500 * GST_MSECOND);
  arrived = send_seek (t, seek);
  gst_event_parse_seek_trickmode_interval (arrived, &interval_ns);
  fail_unless_equals_clocktime (interval_ns, 500 * GST_MSECOND);
  fail_unless_equals_uint64 (gst_event_get_seqnum (arrived), seqnum);
}
