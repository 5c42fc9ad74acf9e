/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * revbuf, mode=chunk: the frames in each block are reversed, but the blocks stay in order.
 */

#include "retrotest.h"

#define BLOCK 100               /* frames of 125 us: 12.5 ms */
#define CHUNK "revbuf direction=reverse mode=chunk block-time=12500000"

static RetroTest *
chunking (void)
{
  return retro_test_plain (CHUNK, 1, GST_CLOCK_TIME_NONE);
}

static void
assert_chunks (RetroTest * t, guint64 first, guint64 n_frames)
{
  GArray *order = retro_order_new ();

  retro_order_chunks (order, first, n_frames, BLOCK);
  retro_test_assert_order (t, order);
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

/* A jump without an event, or with a GAP event that is longer than a block. */
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
  fail_unless_equals_int (retro_test_n_events (t, GST_EVENT_GAP), __i__);
  for (; n_frames < 250; jump++)
    n_frames += retro_test_buffer_frames (t, retro_test_nth_buffer (t, jump));
  retro_test_assert_run (t, 0, jump, 0);
  retro_test_assert_run (t, jump, retro_test_n_buffers (t) - jump,
      PLAIN_NS (8000));
  retro_order_chunks (order, 0, 250, BLOCK);
  retro_order_chunks (order, 8000, 150, BLOCK);
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

/* ---- gaps --------------------------------------------------------------- */

/* Appends the plain frames @first … @first + @n_frames - 1 in reverse. */
static void
append_down (GByteArray * bytes, guint64 first, guint64 n_frames)
{
  GstAudioInfo info = retro_test_plain_info ();
  guint8 frame[2];

  while (n_frames-- > 0) {
    retro_test_frame (&info, first + n_frames, frame);
    g_byte_array_append (bytes, frame, sizeof frame);
  }
}

static void
append_silence (GByteArray * bytes, guint n_frames)
{
  guint size = bytes->len;

  g_byte_array_set_size (bytes, size + 2 * n_frames);
  memset (bytes->data + size, 0, 2 * n_frames);
}

/* A gap of 40 frames, as one event or as four. */
LOOP_TEST (a_gap_is_silence_inside_its_block, 2)
{
  AUTO_TEST t = chunking ();
  GByteArray *expected = g_byte_array_new ();
  guint n;

  retro_test_push (t, 0, 130);
  for (n = 0; n < 40; n += __i__ ? 10 : 40)
    retro_test_push_gap (t, 130 + n, __i__ ? 10 : 40);
  fail_unless_equals_uint64 (retro_test_frames_out (t), 170 - BLOCK);
  retro_test_push (t, 170, 130);
  retro_test_eos (t);

  append_down (expected, 0, 100);
  append_down (expected, 170, 30);
  append_silence (expected, 40);
  append_down (expected, 100, 30);
  append_down (expected, 200, 100);
  retro_test_assert_bytes (t, expected, g_byte_array_new ());
  retro_test_assert_perfect (t, 0);
  fail_unless_equals_int (retro_test_n_events (t, GST_EVENT_GAP), 0);
}

static void
push_flagged_gap (RetroTest * t, guint64 first, guint64 n_frames,
    GstGapFlags flags)
{
  GstEvent *gap = gst_event_new_gap (PLAIN_NS (first), PLAIN_NS (n_frames));

  gst_event_set_gap_flags (gap, flags);
  gst_harness_push_event (t->h, gap);
}

static void
assert_gap (RetroTest * t, guint n, guint64 begin, guint64 n_frames,
    GstGapFlags flags)
{
  GstEvent *gap = retro_test_nth_event (t, GST_EVENT_GAP, n);
  GstClockTime pts_ns, duration_ns;
  GstGapFlags its_flags;

  gst_event_parse_gap (gap, &pts_ns, &duration_ns);
  gst_event_parse_gap_flags (gap, &its_flags);
  fail_unless_equals_uint64 (pts_ns, PLAIN_NS (begin));
  fail_unless_equals_uint64 (duration_ns, PLAIN_NS (n_frames));
  fail_unless_equals_int (its_flags, flags);
}

/* The first buffer is a discontinuity, even if the stream begins with a block of gaps. */
TEST (the_first_buffer_after_a_gap_is_marked)
{
  AUTO_TEST t = chunking ();

  retro_test_push_gap (t, 0, BLOCK / 2);
  retro_test_push_gap (t, BLOCK / 2, BLOCK / 2);
  retro_test_push (t, BLOCK, BLOCK);
  retro_test_eos (t);
  fail_unless_equals_int (retro_test_n_events (t, GST_EVENT_GAP), 1);
  retro_test_assert_down (t, BLOCK, BLOCK);
  retro_test_assert_perfect (t, PLAIN_NS (BLOCK));
}

/* A block and a half of audio, then gaps of 20 frames, then audio again. Nothing is held back:
 * each block of gaps is sent as one event while the next block arrives, with the flags that all its
 * gaps have. In iteration 1, the stream ends with a gap. */
LOOP_TEST (blocks_of_gaps_leave_as_gap_events, 2)
{
  AUTO_TEST t = chunking ();
  GByteArray *expected = g_byte_array_new ();
  guint64 n;

  retro_test_push (t, 0, 150);
  for (n = 150; n < 450; n += 20) {
    push_flagged_gap (t, n, 20, n == 350 ? 0 : GST_GAP_FLAG_MISSING_DATA);
    fail_unless_equals_int (retro_test_n_events (t, GST_EVENT_GAP),
        n + 20 <= 300 ? 0 : n + 20 <= 400 ? 1 : 2);
  }
  if (__i__ == 0)
    retro_test_push (t, 450, 50);
  retro_test_eos (t);

  append_down (expected, 0, 100);
  append_silence (expected, 50);
  append_down (expected, 100, 50);
  if (__i__ == 0) {
    append_down (expected, 450, 50);
    append_silence (expected, 50);
  }
  retro_test_assert_bytes (t, expected, g_byte_array_new ());
  fail_unless_equals_int (retro_test_n_events (t, GST_EVENT_GAP), 2 + __i__);
  assert_gap (t, 0, 200, 100, GST_GAP_FLAG_MISSING_DATA);
  assert_gap (t, 1, 300, 100, 0);
  if (__i__) {
    assert_gap (t, 2, 400, 50, GST_GAP_FLAG_MISSING_DATA);
    retro_test_assert_perfect (t, 0);
  } else {
    GstBuffer *last = retro_test_nth_buffer (t, retro_test_n_buffers (t) - 1);

    fail_unless_equals_uint64 (GST_BUFFER_PTS (last)
        + GST_BUFFER_DURATION (last), PLAIN_NS (500));
  }
}

/* The stream begins with a gap, or with a long one, or with one of unknown length, or there are
 * only gaps. */
LOOP_TEST (a_stream_may_begin_with_a_gap, 4)
{
  static const guint64 lengths[] = { 40, 400, 0, 40 };
  AUTO_TEST t = chunking ();
  guint64 n = lengths[__i__];

  if (n > 0)
    retro_test_push_gap (t, 0, n);
  else
    gst_harness_push_event (t->h, gst_event_new_gap (0, GST_CLOCK_TIME_NONE));
  if (__i__ < 3)
    retro_test_push (t, n, 60);
  retro_test_eos (t);
  fail_unless_equals_int (retro_test_n_events (t, GST_EVENT_GAP), __i__ > 0);
  if (__i__ == 3) {
    assert_gap (t, 0, 0, 40, 0);
    return;
  }
  fail_unless_equals_uint64 (retro_test_frames_out (t), __i__ ? 60 : 100);
  retro_test_assert_perfect (t, __i__ == 1 ? PLAIN_NS (400) : 0);
}

/* All audio before the gap is sent along with it. */
TEST (a_gap_of_unknown_length_ends_a_block)
{
  AUTO_TEST t = chunking ();

  retro_test_push (t, 0, 130);
  gst_harness_push_event (t->h, gst_event_new_gap (PLAIN_NS (130),
          GST_CLOCK_TIME_NONE));
  fail_unless_equals_uint64 (retro_test_frames_out (t), 130);
  fail_unless_equals_int (retro_test_n_events (t, GST_EVENT_GAP), 1);
  retro_test_push (t, 130, 130);
  retro_test_eos (t);
  retro_test_assert_runs (t, DOWN (0, 100), DOWN (100, 30), DOWN (130, 100),
      DOWN (230, 30));
  retro_test_assert_perfect (t, 0);
}

/* A gap of 20 ms is 220.5 frames, and the output must not drift. */
TEST (gaps_are_rounded_to_frames)
{
  AUTO_TEST t = chunking ();
  GstAudioInfo info =
      retro_test_info (GST_AUDIO_FORMAT_S16, INTERLEAVED, 11025, 1);
  GstClockTime gap_ns = 20 * GST_MSECOND, start_ns;
  guint64 n, frames = 1000;

  g_object_set (t->element, "block-time", (guint64) 500 * GST_MSECOND, NULL);
  retro_test_start (t, &info, 1, 0, GST_CLOCK_TIME_NONE);
  retro_test_push (t, 0, frames);
  start_ns = retro_test_time (&info, frames);
  for (n = 0; n < 500; n++)
    gst_harness_push_event (t->h, gst_event_new_gap (start_ns + n * gap_ns,
            gap_ns));
  frames += n * 441 / 2;
  retro_test_push (t, frames, 1000);
  retro_test_eos (t);
  n = retro_test_n_buffers (t);
  fail_unless_equals_uint64 (GST_BUFFER_OFFSET_END (retro_test_nth_buffer (t,
              n - 1)), frames + 1000);
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
