/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * revbuf, segments with a negative rate: output segments and times.
 */

#include "retrotest.h"

#define N 1000

static const gdouble rates[] = { -1, -2, -0.5 };

static RetroTest *
start_backwards (guint64 n_frames)
{
  return retro_test_plain ("revbuf", -1, PLAIN_NS (n_frames));
}

/* A segment whose fields all have different values. */
static GstSegment
rich_segment (gdouble rate)
{
  GstSegment segment = retro_test_segment (rate, PLAIN_NS (200),
      PLAIN_NS (1200));

  segment.time = PLAIN_NS (5000);
  segment.base = PLAIN_NS (9000);
  segment.offset = PLAIN_NS (40);
  segment.duration = PLAIN_NS (77777);
  segment.flags = GST_SEGMENT_FLAG_RESET | GST_SEGMENT_FLAG_TRICKMODE;
  return segment;
}

/* ---- segment ------------------------------------------------------------ */

LOOP_TEST (segment_plays_forwards_and_says_it_was_reversed, 3)
{
  AUTO_TEST t = retro_test_new ("revbuf");
  GstSegment in = rich_segment (rates[__i__]), out;
  guint32 seqnum;

  seqnum = retro_test_send_segment (t, &in);

  fail_unless_equals_int (retro_test_n_events (t, GST_EVENT_SEGMENT), 1);
  out = retro_test_nth_segment (t, 0);
  fail_unless_equals_float (out.rate, -rates[__i__]);
  fail_unless_equals_float (out.applied_rate, -1);
  fail_unless_equals_int (out.format, GST_FORMAT_TIME);
  fail_unless_equals_int (out.flags, in.flags);
  fail_unless_equals_clocktime (out.start, in.start);
  fail_unless_equals_clocktime (out.stop, in.stop);
  fail_unless_equals_clocktime (out.time, in.time);
  fail_unless_equals_clocktime (out.base, in.base);
  fail_unless_equals_clocktime (out.offset, in.offset);
  fail_unless_equals_clocktime (out.duration, in.duration);
  fail_unless_equals_uint64 (retro_test_nth_seqnum (t, 0), seqnum);
}

LOOP_TEST (applied_rate_of_upstream_is_negated, 3)
{
  static const gdouble applied[] = { 2, -1, -0.25 };
  AUTO_TEST t = retro_test_new ("revbuf");
  GstSegment in = rich_segment (-1);

  in.applied_rate = applied[__i__];
  retro_test_send_segment (t, &in);
  fail_unless_equals_float (retro_test_nth_segment (t, 0).applied_rate,
      -applied[__i__]);
}

/* The end of a frame in the output must have the running time and the stream time of its
 * beginning in the input. */
LOOP_TEST (running_and_stream_time_of_every_frame_are_kept, 3)
{
  AUTO_TEST t = retro_test_new ("revbuf");
  GstSegment in = rich_segment (rates[__i__]), out;
  GstClockTime expected, found;
  guint i, k, index = 1160;     /* because segment.offset excludes the last 40 frames */

  retro_test_send_segment (t, &in);
  retro_test_push (t, 1000, 160);
  retro_test_push (t, 631, 369);
  retro_test_push (t, 200, 431);
  out = retro_test_nth_segment (t, 0);

  for (i = 0; i < 3; i++) {
    GstBuffer *buffer = retro_test_nth_buffer (t, i);

    for (k = 0; k < retro_test_buffer_frames (t, buffer); k++) {
      GstClockTime at = GST_BUFFER_PTS (buffer) + PLAIN_NS (k);

      index--;
      expected = gst_segment_to_running_time (&in, GST_FORMAT_TIME,
          PLAIN_NS (index + 1));
      fail_unless (GST_CLOCK_TIME_IS_VALID (expected));
      found = gst_segment_to_running_time (&out, GST_FORMAT_TIME, at);
      fail_unless_equals_clocktime (found, expected);

      expected = gst_segment_to_stream_time (&in, GST_FORMAT_TIME,
          PLAIN_NS (index + 1));
      fail_unless (GST_CLOCK_TIME_IS_VALID (expected));
      found = gst_segment_to_stream_time (&out, GST_FORMAT_TIME, at);
      fail_unless_equals_clocktime (found, expected);
    }
  }
  fail_unless_equals_int (index, 200);
  retro_test_assert_down (t, 200, 960);
}

TEST (open_stop_is_the_duration_where_that_is_known)
{
  AUTO_TEST t = retro_test_new ("revbuf");
  GstSegment in = retro_test_segment (-1, 0, GST_CLOCK_TIME_NONE);

  in.duration = PLAIN_NS (1200);
  retro_test_send_segment (t, &in);
  fail_unless_equals_clocktime (retro_test_nth_segment (t, 0).stop,
      PLAIN_NS (1200));
  retro_test_push_backwards (t, N, 100);
  retro_test_assert_perfect (t, PLAIN_NS (200));
}

/* Events wait until the segment is known. */
TEST (open_stop_is_else_the_end_of_the_first_buffer)
{
  AUTO_TEST t = start_backwards (N);
  GstSegment in = retro_test_segment (-1, 0, GST_CLOCK_TIME_NONE);
  guint32 seqnum;

  retro_test_clear (t);
  seqnum = retro_test_send_segment (t, &in);
  retro_test_send_tag (t, "one");
  fail_unless_equals_int (retro_test_n_events (t, GST_EVENT_SEGMENT), 0);
  fail_unless_equals_int (retro_test_n_events (t, GST_EVENT_TAG), 0);

  retro_test_push_backwards (t, N, 300);
  retro_test_assert_event_order (t, GST_EVENT_SEGMENT, GST_EVENT_TAG);
  fail_unless (retro_test_place_of_event (t, GST_EVENT_TAG, 0)
      < retro_test_place_of_buffer (t, 0));
  fail_unless_equals_int (retro_test_n_events (t, GST_EVENT_SEGMENT), 1);
  fail_unless_equals_clocktime (retro_test_nth_segment (t, 0).stop,
      PLAIN_NS (N));
  fail_unless_equals_uint64 (retro_test_nth_seqnum (t, 0), seqnum);
  retro_test_assert_perfect (t, 0);
  retro_test_assert_down (t, 0, N);
}

TEST (an_empty_stream_with_an_open_stop_ends)
{
  AUTO_TEST t = retro_test_new ("revbuf");
  GstSegment out;

  retro_test_start (t, NULL, -1, PLAIN_NS (30), GST_CLOCK_TIME_NONE);
  fail_unless (retro_test_eos (t));
  out = retro_test_nth_segment (t, 0);
  fail_unless_equals_clocktime (out.start, PLAIN_NS (30));
  fail_unless (GST_CLOCK_TIME_IS_VALID (out.stop));
  retro_test_assert_event_order (t, GST_EVENT_SEGMENT, GST_EVENT_EOS);
}

/* ---- timestamps --------------------------------------------------------- */

/* A hole of up to 1/32 s (250 frames) is closed. A longer one is a jump. */
LOOP_TEST (a_long_hole_is_a_jump, 2)
{
  AUTO_TEST t = start_backwards (N);
  guint64 hole = 250 + __i__;

  retro_test_push (t, 900, 100);
  retro_test_push (t, 900 - hole - 100, 100);
  retro_test_push (t, 900 - hole - 200, 100);
  if (__i__ == 0) {
    retro_test_assert_perfect (t, 0);
  } else {
    retro_test_assert_run (t, 0, 1, 0);
    retro_test_assert_run (t, 1, 2, PLAIN_NS (351));
  }
}
