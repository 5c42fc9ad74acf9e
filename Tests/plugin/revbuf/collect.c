/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * revbuf, direction=reverse: the whole stream is collected, and sent in reverse when it
 * ends. Interruptions are tested in collect_flow.c.
 */

#include "retrotest.h"

#define N 1000
#define COLLECT "revbuf direction=reverse"

/* Creates a test, and pushes caps, @segment, and @n_frames frames from @first on. */
static RetroTest *
collect (GstSegment segment, guint64 first, gsize n_frames)
{
  RetroTest *t = retro_test_new (COLLECT);

  retro_test_send_segment (t, &segment);
  if (n_frames > 0)
    retro_test_push (t, first, n_frames);
  return t;
}

static GstSegment
open_segment (void)
{
  return retro_test_segment (1, 0, GST_CLOCK_TIME_NONE);
}

/* ---- order -------------------------------------------------------------- */

LOOP_TEST (nothing_leaves_before_eos, 2)
{
  static const gchar *const elements[] = {
    COLLECT, COLLECT " mode=collect"
  };
  AUTO_TEST t = retro_test_plain (elements[__i__], 1, GST_CLOCK_TIME_NONE);

  retro_test_push_cut (t, 0, N, retro_test_cuts[3]);
  fail_unless_equals_int (retro_test_n_buffers (t), 0);
  fail_unless_equals_int (retro_test_n_events (t, GST_EVENT_SEGMENT), 0);

  fail_unless (retro_test_eos (t));
  fail_unless (retro_test_place_of_event (t, GST_EVENT_SEGMENT, 0)
      < retro_test_place_of_buffer (t, 0));
  fail_unless_equals_int (retro_test_place_of_event (t, GST_EVENT_EOS, 0),
      t->items->len - 1);
}

/* ---- segment ------------------------------------------------------------ */

LOOP_TEST (segment_ends_where_the_stream_ended, 3)
{
  static const GstClockTime stops[] = { GST_CLOCK_TIME_NONE, PLAIN_NS (9999),
    PLAIN_NS (N)
  };
  GstSegment in = retro_test_segment (1, 0, stops[__i__]), out;
  AUTO_TEST t = collect (in, 0, N);

  retro_test_eos (t);
  fail_unless_equals_int (retro_test_n_events (t, GST_EVENT_SEGMENT), 1);
  out = retro_test_nth_segment (t, 0);
  fail_unless_equals_clocktime (out.start, 0);
  fail_unless_equals_clocktime (out.stop, PLAIN_NS (N));
}

LOOP_TEST (segment_keeps_its_other_fields, 3)
{
  static const gdouble rates[] = { 1, 2, 0.5 };
  GstSegment in = retro_test_segment (rates[__i__], PLAIN_NS (200),
      GST_CLOCK_TIME_NONE), out;
  AUTO_TEST t = collect (in, 0, 0);
  guint32 seqnum;

  in.time = PLAIN_NS (4000);
  in.base = PLAIN_NS (700);
  in.flags = GST_SEGMENT_FLAG_RESET;
  in.applied_rate = 2;
  retro_test_flush (t);
  retro_test_clear (t);
  seqnum = retro_test_send_segment (t, &in);
  retro_test_push (t, 200, N);
  retro_test_eos (t);

  out = retro_test_nth_segment (t, 0);
  fail_unless_equals_float (out.rate, rates[__i__]);
  fail_unless_equals_float (out.applied_rate, -2);
  fail_unless_equals_clocktime (out.start, PLAIN_NS (200));
  fail_unless_equals_clocktime (out.stop, PLAIN_NS (200 + N));
  fail_unless_equals_clocktime (out.time, PLAIN_NS (4000));
  fail_unless_equals_clocktime (out.base, PLAIN_NS (700));
  fail_unless_equals_int (out.flags, in.flags);
  fail_unless_equals_uint64 (retro_test_nth_seqnum (t, 0), seqnum);
}

/* The end of a frame in the output must have the stream time of its beginning in the
 * input. */
TEST (stream_time_of_every_frame_is_kept)
{
  GstSegment in = retro_test_segment (1, PLAIN_NS (200), GST_CLOCK_TIME_NONE);
  GstSegment out;
  AUTO_TEST t = NULL;
  guint k;

  in.time = PLAIN_NS (4000);
  t = collect (in, 300, N);
  retro_test_eos (t);
  out = retro_test_nth_segment (t, 0);
  fail_unless_equals_int (retro_test_n_buffers (t), 1);

  for (k = 0; k < N; k++)
    fail_unless_equals_clocktime (gst_segment_to_stream_time (&out,
            GST_FORMAT_TIME, GST_BUFFER_PTS (retro_test_nth_buffer (t, 0))
            + PLAIN_NS (k)), gst_segment_to_stream_time (&in, GST_FORMAT_TIME,
            PLAIN_NS (300 + N - k)));
}

TEST (a_live_stream_plays_after_it_has_arrived)
{
  AUTO_TEST t = collect (open_segment (), 0, N);

  gst_harness_set_live (t->h, TRUE);
  retro_test_eos (t);
  fail_unless_equals_clocktime (retro_test_nth_segment (t, 0).base,
      PLAIN_NS (N));
}

/* ---- holes -------------------------------------------------------------- */

/* Holes without an event, or with a GAP event. */
LOOP_TEST (holes_are_kept, 2)
{
  AUTO_TEST t = collect (open_segment (), 0, 100);

  if (__i__)
    retro_test_push_gap (t, 100, 900);
  retro_test_push (t, 1000, 200);
  if (__i__)
    retro_test_push_gap (t, 1200, 400);
  retro_test_push (t, 1600, 300);
  retro_test_eos (t);
  fail_unless_equals_clocktime (retro_test_nth_segment (t, 0).stop,
      PLAIN_NS (1900));
  retro_test_assert_runs (t, DOWN (1600, 300), DOWN (1000, 200), DOWN (0, 100));
  retro_test_assert_run (t, 0, 1, 0);
  retro_test_assert_run (t, 1, 1, PLAIN_NS (700));
  retro_test_assert_run (t, 2, 1, PLAIN_NS (1800));
}

/* 500 frames are followed by 300 frames with earlier timestamps. Timestamps of
 * the output must still rise. */
TEST (times_rise_where_those_of_the_input_jump_back)
{
  AUTO_TEST t = collect (open_segment (), 1000, 500);

  retro_test_push_flagged (t, GST_BUFFER_FLAG_DISCONT, 200, 300);
  retro_test_eos (t);
  retro_test_assert_runs (t, DOWN (200, 300), DOWN (1000, 500));
  fail_unless (GST_BUFFER_PTS (retro_test_nth_buffer (t, 1))
      >= GST_BUFFER_PTS (retro_test_nth_buffer (t, 0))
      + GST_BUFFER_DURATION (retro_test_nth_buffer (t, 0)));
  fail_unless (retro_test_nth_segment (t, 0).stop
      >= GST_BUFFER_PTS (retro_test_nth_buffer (t, 1))
      + GST_BUFFER_DURATION (retro_test_nth_buffer (t, 1)));
}

LOOP_TEST (a_discont_with_a_small_hole_is_kept_to_the_frame, 2)
{
  AUTO_TEST t = collect (open_segment (), 0, 100);

  retro_test_push_flagged (t, GST_BUFFER_FLAG_DISCONT, __i__ ? 105 : 100, 100);
  retro_test_eos (t);
  if (__i__) {
    retro_test_assert_run (t, 0, 1, 0);
    retro_test_assert_run (t, 1, 1, PLAIN_NS (105));
  } else {
    retro_test_assert_perfect (t, 0);
    retro_test_assert_down (t, 0, 200);
  }
}

TEST (gap_buffers_stay_marked)
{
  AUTO_TEST t = collect (open_segment (), 0, 100);
  GstBuffer *buffer = retro_test_buffer (&t->info, 100, 50);
  static const gsize frames[] = { 30, 50, 100 };
  guint i;

  GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_GAP);
  gst_harness_push (t->h, buffer);
  retro_test_push (t, 150, 30);
  retro_test_eos (t);

  fail_unless_equals_int (retro_test_n_buffers (t), 3);
  for (i = 0; i < 3; i++) {
    buffer = retro_test_nth_buffer (t, i);
    fail_unless_equals_int (retro_test_buffer_frames (t, buffer), frames[i]);
    fail_unless_equals_int (!!GST_BUFFER_FLAG_IS_SET (buffer,
            GST_BUFFER_FLAG_GAP), i == 1);
  }
  retro_test_assert_perfect (t, 0);
  retro_test_assert_down (t, 0, 180);
}
