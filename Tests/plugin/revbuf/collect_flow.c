/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * revbuf, direction=reverse: events that arrive while the stream is collected or sent.
 */

#include "retrotest.h"

#define N 1000
#define LONG 200000             /* enough frames for several output buffers */

static RetroTest *
collecting (gsize n_frames)
{
  RetroTest *t =
      retro_test_plain ("revbuf direction=reverse", 1, GST_CLOCK_TIME_NONE);

  retro_test_push (t, 0, n_frames);
  return t;
}

/* Asserts that a stream of frames 5000 … 5999 is output reversed, and nothing else. */
static void
assert_works_again (RetroTest * t)
{
  GstSegment segment = retro_test_segment (1, PLAIN_NS (5000),
      GST_CLOCK_TIME_NONE);

  retro_test_clear (t);
  retro_test_send_segment (t, &segment);
  retro_test_push_cut (t, 5000, N, retro_test_cuts[3]);
  fail_unless (retro_test_eos (t));
  retro_test_assert_down (t, 5000, N);
  retro_test_assert_perfect (t, PLAIN_NS (5000));
  fail_unless_equals_int (retro_test_n_events (t, GST_EVENT_SEGMENT), 1);
  fail_unless_equals_uint64 (GST_BUFFER_OFFSET (retro_test_nth_buffer (t, 0)),
      0);
}

/* ---- interrupted -------------------------------------------------------- */

static void
flush_start (RetroTest * t, GstBuffer * buffer)
{
  t->watch = NULL;
  gst_harness_push_event (t->h, gst_event_new_flush_start ());
}

TEST (a_flush_while_sending_ends_it)
{
  AUTO_TEST t = collecting (LONG);

  t->watch = flush_start;
  retro_test_eos (t);
  fail_unless_equals_int (retro_test_n_buffers (t), 1);
  fail_unless_equals_int (retro_test_n_events (t, GST_EVENT_EOS), 0);
  gst_harness_push_event (t->h, gst_event_new_flush_stop (TRUE));
  assert_works_again (t);
}

/* Blocks the streaming thread before the second buffer, until the element is stopped. */
static GstPadProbeReturn
block_second (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  RetroTest *t = data;

  if (retro_test_n_buffers (t) == 0)
    return GST_PAD_PROBE_PASS;
  g_async_queue_push (t->watch_data, t);
  return GST_PAD_PROBE_OK;
}

static gpointer
send_eos (gpointer data)
{
  gst_harness_push_event (data, gst_event_new_eos ());
  return NULL;
}

TEST (ready_while_sending_ends_it)
{
  AUTO_TEST t = collecting (LONG);
  g_autoptr (GstPad) srcpad = gst_pad_get_peer (t->h->sinkpad);
  g_autoptr (GAsyncQueue) blocked = g_async_queue_new ();
  GstAudioInfo info = t->info;
  GThread *thread;
  gulong probe;

  t->watch_data = blocked;
  probe = gst_pad_add_probe (srcpad, GST_PAD_PROBE_TYPE_BLOCK
      | GST_PAD_PROBE_TYPE_BUFFER, block_second, t, NULL);
  thread = g_thread_new ("streaming", send_eos, t->h);
  g_async_queue_pop (blocked);
  ASSERT_SET_STATE (t->element, GST_STATE_READY, GST_STATE_CHANGE_SUCCESS);
  g_thread_join (thread);
  gst_pad_remove_probe (srcpad, probe);
  fail_unless_equals_int (retro_test_n_buffers (t), 1);
  fail_unless_equals_int (retro_test_n_events (t, GST_EVENT_EOS), 0);

  retro_test_restart (t);
  retro_test_caps (t, &info);
  assert_works_again (t);
}

/* ---- drained ------------------------------------------------------------ */

TEST (a_new_segment_sends_the_old_one)
{
  AUTO_TEST t = collecting (N);
  GstSegment next = retro_test_segment (1, PLAIN_NS (3000),
      PLAIN_NS (4000)), out;

  next.base = PLAIN_NS (N);
  retro_test_send_segment (t, &next);
  retro_test_assert_down (t, 0, N);
  retro_test_push (t, 3000, 500);
  retro_test_eos (t);

  retro_test_assert_runs (t, DOWN (0, N), DOWN (3000, 500));
  out = retro_test_nth_segment (t, 1);
  fail_unless_equals_clocktime (out.base, PLAIN_NS (N));
  fail_unless_equals_clocktime (out.start, PLAIN_NS (3000));
  fail_unless_equals_clocktime (out.stop, PLAIN_NS (3500));
  fail_unless (retro_test_place_of_buffer (t, 0)
      < retro_test_place_of_event (t, GST_EVENT_SEGMENT, 1));
  retro_test_assert_run (t, 0, 1, 0);
  retro_test_assert_run (t, 1, 1, PLAIN_NS (3000));
}

/* Its last frame, which is played first, ends at 2 * N plain frames in the stream. */
TEST (another_format_follows_in_running_time_and_stream_time)
{
  AUTO_TEST t = collecting (N);
  GstAudioInfo plain = t->info, info =
      retro_test_info (GST_AUDIO_FORMAT_F32, PLANAR, 16000, 2);
  GstSegment before, after;

  retro_test_caps (t, &info);
  t->info = plain;
  retro_test_assert_down (t, 0, N);
  before = retro_test_nth_segment (t, 0);
  retro_test_clear (t);

  t->info = info;
  retro_test_push (t, 2 * N, 2 * N);
  retro_test_eos (t);
  retro_test_assert_down (t, 2 * N, 2 * N);
  after = retro_test_nth_segment (t, 0);
  fail_unless_equals_clocktime (gst_segment_to_running_time (&after,
          GST_FORMAT_TIME, GST_BUFFER_PTS (retro_test_nth_buffer (t, 0))),
      gst_segment_to_running_time (&before, GST_FORMAT_TIME, before.stop));
  fail_unless_equals_clocktime (gst_segment_to_stream_time (&after,
          GST_FORMAT_TIME, GST_BUFFER_PTS (retro_test_nth_buffer (t, 0))),
      PLAIN_NS (2 * N));
}

TEST (the_same_caps_again_change_nothing)
{
  AUTO_TEST t = collecting (N);
  GstAudioInfo info = t->info;

  retro_test_caps (t, &info);
  fail_unless_equals_int (retro_test_n_buffers (t), 0);
  retro_test_push (t, N, N);
  retro_test_eos (t);
  retro_test_assert_down (t, 0, 2 * N);
}

TEST (a_new_stream_sends_the_old_one)
{
  AUTO_TEST t = collecting (N);

  gst_harness_push_event (t->h, gst_event_new_stream_start ("next"));
  retro_test_assert_down (t, 0, N);
  fail_unless (retro_test_place_of_buffer (t, 0)
      < retro_test_place_of_event (t, GST_EVENT_STREAM_START, 1));
}

/* The stops of a second segment. Upstream sends a second segment if it has more
 * audio than the first segment announced. A revbuf upstream does this, for
 * example. */
static const GstClockTime later_stops_ns[] = {
  PLAIN_NS (2 * N), PLAIN_NS (3 * N), GST_CLOCK_TIME_NONE
};

LOOP_TEST (a_segment_that_is_corrected_continues, G_N_ELEMENTS (later_stops_ns))
{
  AUTO_TEST t = retro_test_plain ("revbuf direction=reverse", 1, PLAIN_NS (N));
  GstSegment segment = retro_test_segment (1, 0, later_stops_ns[__i__]);

  retro_test_push (t, 0, N);
  retro_test_send_segment (t, &segment);
  retro_test_push (t, N, N);
  retro_test_eos (t);
  retro_test_assert_down (t, 0, 2 * N);
  fail_unless_equals_int (retro_test_n_events (t, GST_EVENT_SEGMENT), 1);
}

TEST (tags_follow_the_segment)
{
  AUTO_TEST t = collecting (N);

  retro_test_send_tag (t, "one");
  fail_unless_equals_int (retro_test_n_events (t, GST_EVENT_TAG), 0);
  retro_test_eos (t);
  retro_test_assert_event_order (t, GST_EVENT_SEGMENT, GST_EVENT_TAG);
}

TEST (tags_survive_a_flush)
{
  AUTO_TEST t = collecting (N);
  g_autoptr (GstEvent) event = NULL;

  retro_test_send_tag (t, "one");
  retro_test_flush (t);
  assert_works_again (t);
  event = gst_pad_get_sticky_event (t->h->sinkpad, GST_EVENT_TAG, 0);
  fail_unless (event != NULL);
}

TEST (a_stream_after_eos_is_reversed_too)
{
  AUTO_TEST t = collecting (N);

  retro_test_eos (t);
  gst_harness_push_event (t->h, gst_event_new_stream_start ("next"));
  assert_works_again (t);
}

TEST (direction_changes_with_the_segment)
{
  AUTO_TEST t = collecting (N);
  GstSegment segment = retro_test_segment (1, PLAIN_NS (N), PLAIN_NS (2 * N));

  segment.base = PLAIN_NS (N);
  gst_util_set_object_arg (G_OBJECT (t->element), "direction", "forward");
  retro_test_push (t, N, 10);
  fail_unless_equals_int (retro_test_n_buffers (t), 0);
  retro_test_send_segment (t, &segment);
  retro_test_assert_down (t, 0, N + 10);
  retro_test_clear (t);
  retro_test_push (t, N, 10);
  retro_test_assert_up (t, N, 10);
}
