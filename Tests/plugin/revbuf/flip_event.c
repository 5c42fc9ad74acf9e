/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * revbuf, segments with a negative rate: events, queries, and restarts.
 */

#include "retrotest.h"

#define N 1000

static RetroTest *
start_backwards (guint64 n_frames)
{
  return retro_test_plain ("revbuf", -1, PLAIN_NS (n_frames));
}

/* ---- events ------------------------------------------------------------- */

TEST (gap_events_are_mirrored)
{
  AUTO_TEST t = start_backwards (N);
  GstClockTime pts, duration;

  retro_test_push (t, 900, 100);
  retro_test_push_gap (t, 600, 300);
  fail_unless_equals_clocktime (retro_test_position (t), PLAIN_NS (600));
  retro_test_push (t, 500, 100);

  gst_event_parse_gap (retro_test_nth_event (t, GST_EVENT_GAP, 0), &pts,
      &duration);
  fail_unless_equals_clocktime (pts, PLAIN_NS (100));
  fail_unless_equals_clocktime (duration, PLAIN_NS (300));
  fail_unless_equals_clocktime (GST_BUFFER_PTS (retro_test_nth_buffer (t, 1)),
      PLAIN_NS (400));
  fail_unless (retro_test_place_of_buffer (t, 0)
      < retro_test_place_of_event (t, GST_EVENT_GAP, 0));
  fail_unless (retro_test_place_of_event (t, GST_EVENT_GAP, 0)
      < retro_test_place_of_buffer (t, 1));
}

TEST (audio_continues_after_a_gap_event_however_short)
{
  AUTO_TEST t = start_backwards (N);
  GstBuffer *buffer = retro_test_buffer (&t->info, 700, 100);

  GST_BUFFER_PTS (buffer) = GST_CLOCK_TIME_NONE;
  retro_test_push (t, 900, 100);
  retro_test_push_gap (t, 800, 100);
  gst_harness_push (t->h, buffer);
  retro_test_assert_run (t, 0, 1, 0);
  retro_test_assert_run (t, 1, 1, PLAIN_NS (200));
}

TEST (a_gap_event_determines_an_open_stop)
{
  AUTO_TEST t = retro_test_plain ("revbuf", -1, GST_CLOCK_TIME_NONE);
  GstClockTime pts, duration;

  retro_test_push_gap (t, 700, 300);
  fail_unless_equals_clocktime (retro_test_nth_segment (t, 0).stop,
      PLAIN_NS (1000));
  gst_event_parse_gap (retro_test_nth_event (t, GST_EVENT_GAP, 0), &pts,
      &duration);
  fail_unless_equals_clocktime (pts, 0);
  fail_unless_equals_clocktime (duration, PLAIN_NS (300));
}

TEST (a_new_format_without_times_continues_too)
{
  AUTO_TEST t = start_backwards (N);
  GstBuffer *buffer;

  retro_test_push (t, 900, 100);
  retro_test_clear (t);
  GstAudioInfo info =
      retro_test_info (GST_AUDIO_FORMAT_F32, INTERLEAVED, 16000, 2);
  retro_test_caps (t, &info);
  buffer = retro_test_buffer (&info, 0, 400);
  GST_BUFFER_PTS (buffer) = GST_CLOCK_TIME_NONE;
  gst_harness_push (t->h, buffer);
  retro_test_assert_perfect (t, PLAIN_NS (100));
}

/* ---- position ----------------------------------------------------------- */

TEST (position_before_a_flush_is_forgotten)
{
  AUTO_TEST t = start_backwards (N);
  GstSegment segment = retro_test_segment (-1, 0, PLAIN_NS (N));

  retro_test_push (t, 900, 100);
  retro_test_flush (t);
  retro_test_send_segment (t, &segment);
  fail_unless_equals_clocktime (retro_test_position (t), GST_CLOCK_TIME_NONE);
}

TEST (position_of_a_forward_stream_is_that_of_upstream)
{
  AUTO_TEST t = start_backwards (N);
  GstSegment segment = retro_test_segment (1, 0, PLAIN_NS (N));

  retro_test_answer_queries (t, PLAIN_NS (N), PLAIN_NS (123));
  retro_test_push (t, 900, 100);
  fail_unless_equals_clocktime (retro_test_position (t), PLAIN_NS (900));
  retro_test_send_segment (t, &segment);
  fail_unless_equals_clocktime (retro_test_position (t), PLAIN_NS (123));
}
