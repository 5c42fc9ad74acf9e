/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * revbuf, mode=auto, after a live source: it has no end to play from, so it's reversed chunk by
 * chunk, and the latency is reported.
 */

#include "retrotestplay.h"

#define BLOCK 100               /* frames of 125 us: 12.5 ms */
#define BLOCK_TIME "block-time=12500000"
#define SOURCE_MIN (20 * GST_MSECOND)
#define SOURCE_MAX (50 * GST_MSECOND)

/* A live source. Some live sources also say that they can seek: audiotestsrc does. */
static RetroTest *
live (const gchar * description, gboolean seekable)
{
  RetroTest *t = retro_test_new (description);

  retro_test_answer_latency (t, SOURCE_MIN, SOURCE_MAX);
  if (seekable)
    retro_test_answer_queries (t, GST_CLOCK_TIME_NONE, 0);
  retro_test_start (t, NULL, 1, 0, GST_CLOCK_TIME_NONE);
  return t;
}

static void
assert_latency (RetroTest * t, GstClockTime added)
{
  g_autoptr (GstQuery) query = gst_query_new_latency ();
  GstClockTime min, max;
  gboolean is_live;

  fail_unless (gst_pad_peer_query (t->h->sinkpad, query));
  gst_query_parse_latency (query, &is_live, &min, &max);
  fail_unless (is_live);
  fail_unless_equals_clocktime (min, SOURCE_MIN + added);
  fail_unless_equals_clocktime (max, SOURCE_MAX + added);
}

static void
assert_posts_latency (RetroTest * t)
{
  GstMessage *message = retro_test_pop_message (t, GST_MESSAGE_LATENCY);

  fail_unless (message != NULL, "no LATENCY message");
  gst_message_unref (message);
  fail_unless (retro_test_pop_message (t, GST_MESSAGE_LATENCY) == NULL);
}

static void
set_direction (RetroTest * t, const gchar * direction)
{
  gst_util_set_object_arg (G_OBJECT (t->element), "direction", direction);
}

/* Given a live source, and direction=reverse. When a segment has arrived, and no audio yet, then
 * the latency of one block is reported. When audio follows, then it leaves one block later. */
LOOP_TEST (a_live_source_is_reversed_in_chunks, 2)
{
  AUTO_TEST t = live ("revbuf direction=reverse " BLOCK_TIME, __i__);
  GArray *order = retro_order_new ();

  assert_posts_latency (t);
  assert_latency (t, PLAIN_NS (BLOCK));
  retro_test_push_cut (t, 0, 1050, retro_test_cuts[3]);
  fail_unless (retro_test_frames_out (t) >= 950, "%" G_GUINT64_FORMAT
      " frames", retro_test_frames_out (t));
  retro_test_eos (t);
  retro_order_chunks (order, 0, 1050, BLOCK);
  retro_test_assert_order (t, order);
  retro_test_assert_perfect (t, 0);
  fail_unless_equals_int (retro_test_take_messages (t, GST_MESSAGE_WARNING), 0);
}

/* Given an application that doesn't set block-time. When the source is live, then we get the
 * default latency of mode=chunk. */
TEST (the_latency_is_the_automatic_block_time)
{
  AUTO_TEST t = live ("revbuf direction=reverse", FALSE);

  assert_posts_latency (t);
  assert_latency (t, 4 * GST_SECOND);
}

/* Given a live source that plays forward. When direction changes to reverse and back, then each
 * turn reports the new latency, every frame is output once, and timestamps have no holes. */
LOOP_TEST (a_turn_of_a_live_source_tells_its_latency, 2)
{
  AUTO_TEST t = live ("revbuf " BLOCK_TIME, __i__);
  GArray *order = retro_order_new ();
  guint64 frames = 0;
  guint i;

  retro_test_push_cut (t, 0, 1000, retro_test_cuts[4]);
  retro_test_take_messages (t, GST_MESSAGE_LATENCY);
  assert_latency (t, 0);
  set_direction (t, "reverse");
  retro_test_push_cut (t, 1000, 1050, retro_test_cuts[4]);
  assert_posts_latency (t);
  assert_latency (t, PLAIN_NS (BLOCK));
  set_direction (t, "forward");
  retro_test_push_cut (t, 2050, 1000, retro_test_cuts[4]);
  assert_posts_latency (t);
  assert_latency (t, 0);
  retro_test_eos (t);

  retro_order_up (order, 0, 1000);
  retro_order_chunks (order, 1000, 1050, BLOCK);
  retro_order_up (order, 2050, 1000);
  retro_test_assert_order (t, order);
  for (i = 0; i < retro_test_n_buffers (t); i++) {
    GstBuffer *buffer = retro_test_nth_buffer (t, i);

    fail_unless_equals_clocktime (GST_BUFFER_PTS (buffer), PLAIN_NS (frames));
    frames += retro_test_buffer_frames (t, buffer);
  }
}

/* Given a live source that plays forward. When it continues, then nothing is delayed, and buffers
 * pass as they are. */
TEST (a_live_source_forward_is_not_delayed)
{
  AUTO_TEST t = live ("revbuf", TRUE);

  retro_test_push_cut (t, 0, 1000, retro_test_cuts[3]);
  retro_test_assert_up (t, 0, 1000);
  fail_unless (retro_test_pop_message (t, GST_MESSAGE_LATENCY) == NULL);
  assert_latency (t, 0);
}

/* Given a mode that the application has chosen. When the source is live, then the mode stays the
 * same. */
TEST (a_chosen_mode_stays)
{
  AUTO_TEST t = live ("revbuf direction=reverse mode=collect " BLOCK_TIME,
      FALSE);

  assert_latency (t, 0);
  retro_test_push (t, 0, 1050);
  fail_unless_equals_uint64 (retro_test_frames_out (t), 0);
  retro_test_eos (t);
  retro_test_assert_down (t, 0, 1050);
}

/* ---- in a pipeline ------------------------------------------------------------------ */

#define N_FRAMES 24050

/* Given a pipeline whose source is live and says that it can seek. When it plays, then it is
 * reversed in chunks, and no seek is sent. The source does not wait for the clock. */
TEST (a_live_pipeline_is_reversed_in_chunks)
{
  AUTO_PLAY play = retro_play_new_plain ("revbuf direction=reverse "
      BLOCK_TIME, N_FRAMES);
  GArray *order = retro_order_new ();

  gst_base_src_set_live (GST_BASE_SRC (play->source), TRUE);
  retro_play_run (play);
  retro_play_stop (play);
  retro_order_chunks (order, 0, N_FRAMES, BLOCK);
  retro_test_assert_order (&play->out, order);
  fail_unless_equals_uint64 (retro_play_stat (play, "blocks"), 0);
}
