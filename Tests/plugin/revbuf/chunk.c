/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * revbuf, mode=chunk: the frames in each block are reversed; the blocks keep their order.
 */

#include "retrotest.h"

#define BLOCK 100               /* frames of 125 us: 12.5 ms */
#define CHUNK "revbuf direction=reverse mode=chunk block-time=12500000"

static RetroTest *
chunking (void)
{
  return retro_test_plain (CHUNK, 1, GST_CLOCK_TIME_NONE);
}

/* Appends the expected output for a run of the frames @first … @first + @n_frames - 1. */
static void
chunks (GArray * order, guint64 first, guint64 n_frames)
{
  while (n_frames > 0) {
    guint64 n = MIN (n_frames, BLOCK);

    retro_order_down (order, first, n);
    first += n;
    n_frames -= n;
  }
}

static void
assert_chunks (RetroTest * t, guint64 first, guint64 n_frames)
{
  GArray *order = retro_order_new ();

  chunks (order, first, n_frames);
  retro_test_assert_order (t, order);
}

LOOP_TEST (every_block_is_reversed_in_its_place, 8)
{
  /* an incomplete last block is reversed, too */
  static const gsize lengths[] = { 1, 99, 100, 101, 199, 200, 1000, 1050 };
  AUTO_TEST t = chunking ();

  retro_test_push (t, 0, lengths[__i__]);
  fail_unless (retro_test_eos (t));
  assert_chunks (t, 0, lengths[__i__]);
  retro_test_assert_perfect (t, 0);
}

TEST (segment_stays_unchanged)
{
  AUTO_TEST t = chunking ();
  GstSegment in = retro_test_segment (2, PLAIN_NS (300), PLAIN_NS (5300)), out;
  guint32 seqnum;

  in.base = 7;
  in.time = 9;
  retro_test_clear (t);
  seqnum = retro_test_send_segment (t, &in);
  out = retro_test_nth_segment (t, 0);
  fail_unless (gst_segment_is_equal (&in, &out));
  fail_unless_equals_uint64 (retro_test_nth_seqnum (t, 0), seqnum);

  retro_test_push (t, 300, 1000);
  retro_test_eos (t);
  assert_chunks (t, 300, 1000);
  retro_test_assert_perfect (t, PLAIN_NS (300));
  fail_unless_equals_int (retro_test_n_events (t, GST_EVENT_SEGMENT), 1);
}

TEST (output_lags_by_one_block)
{
  AUTO_TEST t = chunking ();
  guint64 in;

  for (in = 0; in < 1000;) {
    gsize n = 1 + in % 37;

    retro_test_push (t, in, n);
    in += n;
    fail_unless_equals_uint64 (retro_test_frames_out (t),
        in < BLOCK ? 0 : in - BLOCK);
  }
}

/* A jump without an event, or with a GAP event. */
LOOP_TEST (a_jump_starts_a_new_block, 2)
{
  AUTO_TEST t = chunking ();
  GArray *order = retro_order_new ();
  guint64 n_frames = 0;
  guint jump = 0;

  retro_test_push (t, 0, 250);
  if (__i__)
    retro_test_push_gap (t, 250, 7750);
  retro_test_push (t, 8000, 150);
  retro_test_eos (t);
  for (; n_frames < 250; jump++)
    n_frames += retro_test_buffer_frames (t, retro_test_nth_buffer (t, jump));
  retro_test_assert_run (t, 0, jump, 0);
  retro_test_assert_run (t, jump, retro_test_n_buffers (t) - jump,
      PLAIN_NS (8000));
  chunks (order, 0, 250);
  chunks (order, 8000, 150);
  retro_test_assert_order (t, order);
}

TEST (a_discont_without_a_jump_starts_no_block)
{
  AUTO_TEST t = chunking ();

  retro_test_push (t, 0, 130);
  retro_test_push_flagged (t, GST_BUFFER_FLAG_DISCONT, 130, 170);
  retro_test_eos (t);
  assert_chunks (t, 0, 300);
  retro_test_assert_perfect (t, 0);
}

/* ---- latency ------------------------------------------------------------ */

TEST (latency_is_one_block)
{
  AUTO_TEST t = chunking ();
  GstClockTime min, max;
  g_autoptr (GstQuery) query = gst_query_new_latency ();
  gboolean live;

  retro_test_answer_latency (t, 20 * GST_MSECOND, 50 * GST_MSECOND);
  fail_unless (gst_pad_peer_query (t->h->sinkpad, query));
  gst_query_parse_latency (query, &live, &min, &max);
  fail_unless (live);
  fail_unless_equals_clocktime (min, 20 * GST_MSECOND + PLAIN_NS (BLOCK));
  fail_unless_equals_clocktime (max, 50 * GST_MSECOND + PLAIN_NS (BLOCK));
}

TEST (a_change_of_latency_is_reported)
{
  AUTO_TEST t = chunking ();
  GstMessage *message = retro_test_pop_message (t, GST_MESSAGE_LATENCY);

  fail_unless (message != NULL);
  gst_message_unref (message);
  retro_test_push (t, 0, 1000);
  fail_unless (retro_test_pop_message (t, GST_MESSAGE_LATENCY) == NULL);
}

LOOP_TEST (other_modes_have_no_latency, 2)
{
  AUTO_TEST t = retro_test_plain ("revbuf", __i__ ? -1 : 1, PLAIN_NS (1000));

  gst_harness_set_live (t->h, TRUE);
  gst_harness_set_upstream_latency (t->h, 20 * GST_MSECOND);
  fail_unless_equals_clocktime (gst_harness_query_latency (t->h),
      20 * GST_MSECOND);
}

/* ---- interrupted -------------------------------------------------------- */

TEST (blocks_spill_as_well)
{
  AUTO_FOLDER folder = retro_test_make_folder ();
  AUTO_TEST t = retro_test_new ("revbuf direction=reverse mode=chunk "
      "max-memory=0 block-time=10000000000");

  g_object_set (t->element, "spill-directory", folder, NULL);
  GstAudioInfo info =
      retro_test_info (GST_AUDIO_FORMAT_F64, INTERLEAVED, 48000, 1);
  retro_test_start (t, &info, 1, 0, GST_CLOCK_TIME_NONE);
  retro_test_push (t, 0, 480000);
  fail_unless_equals_int (retro_test_nameless_files_of (folder), 1);
  retro_test_push (t, 480000, 30000);
  retro_test_eos (t);
  retro_test_assert_runs (t, DOWN (0, 480000), DOWN (480000, 30000));
}
