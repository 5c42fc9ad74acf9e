/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * revbuf, segments with a negative rate: the output frames and their flags. Their times
 * are tested in flip_time.c.
 */

#include "retrotest.h"

#define N 1000                  /* number of frames in most streams here */

static RetroTest *
start_backwards (const gchar * description, guint64 n_frames)
{
  return retro_test_plain (description, -1, PLAIN_NS (n_frames));
}

/* ---- order -------------------------------------------------------------- */

TEST (every_buffer_leaves_immediately)
{
  AUTO_TEST t = start_backwards ("revbuf", N);

  fail_unless_equals_int (retro_test_push (t, 900, 100), GST_FLOW_OK);
  retro_test_assert_down (t, 900, 100);
  fail_unless_equals_int (retro_test_push (t, 850, 50), GST_FLOW_OK);
  fail_unless_equals_int (retro_test_n_buffers (t), 2);
}

/* Some timestamps differ from the expected time by less than 1/32 s, others by more. */
TEST (arrival_order_rules_where_times_do_not_descend)
{
  AUTO_TEST t = start_backwards ("revbuf", N);

  retro_test_push (t, 500, 500);
  retro_test_push (t, 520, 50);
  retro_test_push (t, 640, 350);
  retro_test_push (t, 400, 70);
  retro_test_assert_runs (t, DOWN (500, 500), DOWN (520, 50), DOWN (640, 350),
      DOWN (400, 70));
  retro_test_assert_perfect (t, 0);
}

LOOP_TEST (a_negative_segment_is_flipped_in_every_mode, 6)
{
  static const gchar *const elements[] = {
    "revbuf mode=auto", "revbuf mode=collect", "revbuf mode=chunk",
    "revbuf mode=auto direction=reverse",
    "revbuf mode=collect direction=reverse",
    "revbuf mode=chunk direction=reverse"
  };
  AUTO_TEST t = start_backwards (elements[__i__], N);

  retro_test_push_backwards (t, N, 100);
  retro_test_assert_down (t, 0, N);
}

TEST (a_partial_frame_is_dropped)
{
  AUTO_TEST t = start_backwards ("revbuf", N);
  GstBuffer *buffer = retro_test_buffer (&t->info, 900, 100);

  gst_buffer_append_memory (buffer, gst_allocator_alloc (NULL, 1, NULL));
  fail_unless_equals_int (gst_harness_push (t->h, buffer), GST_FLOW_OK);
  retro_test_assert_down (t, 900, 100);
}

/* ---- marks -------------------------------------------------------------- */

TEST (discont_of_the_input_is_no_discont_of_the_output)
{
  AUTO_TEST t = start_backwards ("revbuf", N);

  /* this function sets DISCONT on every block */
  retro_test_push_backwards (t, N, 100);
  retro_test_assert_perfect (t, 0);
}

TEST (gap_flag_stays_on_its_buffer)
{
  AUTO_TEST t = start_backwards ("revbuf", N);
  guint i;

  retro_test_push (t, 900, 100);
  retro_test_push_flagged (t, GST_BUFFER_FLAG_GAP, 800, 100);
  retro_test_push (t, 700, 100);

  for (i = 0; i < 3; i++)
    fail_unless_equals_int (!!GST_BUFFER_FLAG_IS_SET (retro_test_nth_buffer (t,
                i), GST_BUFFER_FLAG_GAP), i == 1);
  retro_test_assert_down (t, 700, 300);
}

/* ---- memory ------------------------------------------------------------- */

TEST (read_only_memory_is_reversed)
{
  static const gint16 samples[] = { 1, 2, 3, 4, 5 };
  static const gint16 reversed[] = { 5, 4, 3, 2, 1 };
  AUTO_TEST t = start_backwards ("revbuf", 5);
  GstBuffer *buffer = gst_buffer_new_wrapped_full (GST_MEMORY_FLAG_READONLY,
      (gpointer) samples, sizeof (samples), 0, sizeof (samples), NULL, NULL);

  GST_BUFFER_PTS (buffer) = 0;
  fail_unless_equals_int (gst_harness_push (t->h, buffer), GST_FLOW_OK);
  fail_unless_equals_int (gst_buffer_memcmp (retro_test_nth_buffer (t, 0), 0,
          reversed, sizeof (reversed)), 0);
}

TEST (a_buffer_of_several_memories_is_reversed_as_one)
{
  AUTO_TEST t = start_backwards ("revbuf", N);
  GstBuffer *buffer = retro_test_buffer (&t->info, 700, 100);

  buffer = gst_buffer_append (buffer, retro_test_buffer (&t->info, 800, 200));
  GST_BUFFER_DURATION (buffer) = PLAIN_NS (300);
  fail_unless_equals_int (gst_buffer_n_memory (buffer), 2);
  gst_harness_push (t->h, buffer);
  retro_test_assert_down (t, 700, 300);
}

/* ---- forwards ----------------------------------------------------------- */

LOOP_TEST (a_forward_stream_is_not_touched, 3)
{
  static const gchar *const elements[] = {
    "revbuf", "revbuf mode=collect", "revbuf mode=chunk"
  };
  AUTO_TEST t = retro_test_new (elements[__i__]);
  GstBuffer *buffer;
  GstSegment segment, out;
  guint32 seqnum;

  segment = retro_test_segment (1, PLAIN_NS (5), PLAIN_NS (N));
  segment.base = 77;
  seqnum = retro_test_send_segment (t, &segment);
  /* the buffer starts before the segment, but the element must not clip it */
  buffer = retro_test_buffer (&t->info, 0, 100);
  gst_harness_push (t->h, buffer);

  fail_unless (retro_test_nth_buffer (t, 0) == buffer);
  fail_unless_equals_uint64 (retro_test_nth_seqnum (t, 0), seqnum);
  out = retro_test_nth_segment (t, 0);
  fail_unless (gst_segment_is_equal (&segment, &out));
  retro_test_assert_up (t, 0, 100);
}
