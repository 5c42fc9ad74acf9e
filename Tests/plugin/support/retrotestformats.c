/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Formats other than TIME: segments in bytes or frames, and queries in every format.
 */

#include "retrotest.h"

#include <string.h>

const GstFormat retro_test_untimed[RETRO_TEST_N_UNTIMED] = { GST_FORMAT_BYTES,
  GST_FORMAT_DEFAULT
};

/* ---- segments without times --------------------------------------------- */

GstSegment
retro_test_start_untimed (RetroTest * t, GstFormat format)
{
  GstSegment segment;

  gst_segment_init (&segment, format);
  segment.start = segment.time = segment.position = 480;
  retro_test_send_segment (t, &segment);
  return segment;
}

GstBuffer *
retro_test_untimed_buffer (RetroTest * t, guint64 first)
{
  GstBuffer *buffer = retro_test_buffer (&t->info, first, 100);

  GST_BUFFER_PTS (buffer) = GST_BUFFER_DURATION (buffer) = GST_CLOCK_TIME_NONE;
  return buffer;
}

void
retro_test_assert_untimed_passes (RetroTest * t, GstFormat format)
{
  GstSegment in = retro_test_start_untimed (t, format), out;
  guint i;

  for (i = 0; i < 10; i++) {
    GstBuffer *buffer = retro_test_untimed_buffer (t, i * 100);

    fail_unless_equals_int (gst_harness_push (t->h, buffer), GST_FLOW_OK);
    fail_unless (retro_test_nth_buffer (t, i) == buffer);
    fail_unless_equals_clocktime (GST_BUFFER_PTS (buffer), GST_CLOCK_TIME_NONE);
  }
  fail_unless (retro_test_eos (t));
  out = retro_test_nth_segment (t, 0);
  fail_unless (gst_segment_is_equal (&in, &out));
  fail_unless_equals_int (retro_test_n_events (t, GST_EVENT_EOS), 1);
  fail_unless_equals_int (retro_test_take_messages (t, GST_MESSAGE_ERROR), 0);
  retro_test_assert_up (t, 0, 1000);
}

void
retro_test_assert_asks_for_times (RetroTest * t)
{
  GstMessage *message = retro_test_pop_message (t, GST_MESSAGE_ERROR);
  g_autoptr (GError) error = NULL;
  const GstStructure *details = NULL;

  fail_unless (message != NULL, "no error was told");
  gst_message_parse_error_details (message, &details);
  /* timescale doesn't give details */
  if (g_object_class_find_property (G_OBJECT_GET_CLASS (t->element), "seam"))
    fail_unless_equals_string (gst_structure_get_string (details, "reason"),
        "needs-times");
  gst_message_parse_error (message, &error, NULL);
  fail_unless (g_error_matches (error, GST_STREAM_ERROR,
          GST_STREAM_ERROR_FORMAT), "%s", error->message);
  fail_unless (strstr (error->message, "needs audio with timestamps") != NULL,
      "%s", error->message);
  gst_message_unref (message);
}

/* ---- queries in every format -------------------------------------------- */

GstPadProbeReturn
retro_test_answer_formats (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  const RetroTestAnswers *answers = data;
  GstQuery *query = GST_PAD_PROBE_INFO_QUERY (info);
  gboolean is_position = GST_QUERY_TYPE (query) == GST_QUERY_POSITION;
  GstFormat format;
  gint64 unit;

  if (!is_position && GST_QUERY_TYPE (query) != GST_QUERY_DURATION)
    return GST_PAD_PROBE_OK;
  if (is_position)
    gst_query_parse_position (query, &format, NULL);
  else
    gst_query_parse_duration (query, &format, NULL);
  unit = format == GST_FORMAT_TIME ? (gint64) PLAIN_NS (1) :
      format == GST_FORMAT_BYTES ? answers->frame_bytes : 1;
  if (is_position)
    gst_query_set_position (query, format, answers->position_frames * unit);
  else
    gst_query_set_duration (query, format, answers->duration_frames * unit);
  return GST_PAD_PROBE_HANDLED;
}

static gint64
ask (GstElement * element, RetroTestQuery query, GstFormat format)
{
  g_autoptr (GstPad) pad = gst_element_get_static_pad (element, "src");
  gint64 value = -1;

  fail_unless (query (pad, format, &value), "no answer in %s",
      gst_format_get_name (format));
  return value;
}

void
retro_test_assert_answers (GstElement * element, RetroTestQuery query,
    gint64 frames, gint64 slack_frames, gint frame_bytes)
{
  gint64 told = ask (element, query, GST_FORMAT_DEFAULT);

  fail_unless (ABS (told - frames) <= slack_frames, "%" G_GINT64_FORMAT
      " frames instead of %" G_GINT64_FORMAT, told, frames);
  fail_unless_equals_int64 (ask (element, query, GST_FORMAT_BYTES),
      frame_bytes * told);
  fail_unless (ABS (ask (element, query, GST_FORMAT_TIME)
          - (gint64) PLAIN_NS (told)) <= (gint64) PLAIN_NS (1));
}
