/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Requirements for every use of the elements: each test runs with every entry
 * of the table in support/uses.h.
 */

#include "uses.h"

#include <string.h>

#define N 1000

/* Starts a test of @use with a plain stream of @n_frames frames. */
static RetroTest *
start (const RetroUse * use, guint64 n_frames)
{
  RetroTest *t = retro_test_new (use->element);

  retro_use_start (use, t, NULL, 0, n_frames);
  return t;
}

/* Output time of frame @frame in a plain stream. */
static GstClockTime
output_ns (const RetroUse * use, guint64 frame)
{
  return PLAIN_NS (frame) * use->num / use->den;
}

static void
assert_perfect (const RetroUse * use, RetroTest * t, GstClockTime t0)
{
  if (!retro_use_passes (use))  /* in passthrough, upstream determines the times */
    retro_test_assert_perfect (t, t0);
}

/* ---- frames and their times ----------------------------------------------- */

SOME_TEST (every_cut_gives_the_same_bits, 38, 4 * RETRO_N_USES)
{
  static const GstAudioFormat formats[] = { GST_AUDIO_FORMAT_S16,
    GST_AUDIO_FORMAT_F32
  };
  static const GstAudioLayout layouts[] = { INTERLEAVED,
    PLANAR
  };
  const RetroUse *use = &retro_uses[__i__ / 4];
  g_autoptr (GByteArray) whole = NULL;
  guint cut;

  GstAudioInfo info =
      retro_test_info (formats[__i__ % 2], layouts[__i__ / 2 % 2], 8000, 2);
  whole = retro_use_alone (use, &info, 0, N);
  for (cut = 0; cut < RETRO_TEST_N_CUTS; cut++) {
    RetroTest *t = retro_test_new (use->element);

    retro_use_start (use, t, &info, 0, N);
    retro_use_push (use, t, 0, N, retro_test_cuts[cut]);
    fail_unless (retro_test_eos (t));
    retro_use_assert (use, t, 0, N);
    assert_perfect (use, t, 0);
    retro_test_assert_bytes (t, g_byte_array_ref (whole), NULL);
    retro_test_free (t);
  }
}

static void
assert_exact_times (const RetroUse * use, gint frame_rate)
{
  static const gsize cuts[] = { 997, 0 };
  AUTO_TEST t = retro_test_new (use->element);

  /* The stream is so long that there are several output buffers: a mode that
   * collects frames outputs buffers of 64 KiB. In a stream that plays
   * backwards, the last block is shorter, and its time and duration are
   * rounded. */
  GstAudioInfo info =
      retro_test_info (GST_AUDIO_FORMAT_S16, INTERLEAVED, frame_rate, 2);
  retro_use_start (use, t, &info, 0, 40003);
  retro_use_push (use, t, 0, 40003, cuts);
  fail_unless (retro_test_eos (t));
  fail_unless (retro_test_n_buffers (t) > 1);
  assert_perfect (use, t, 0);
  retro_use_assert (use, t, 0, 40003);
}

LOOP_TEST (times_are_exact_at_every_rate, RETRO_N_USES)
{
  static const gint frame_rates[] = { 8000, 11025, 16000, 22050, 32000, 44100,
    48000, 88200, 96000, 176400, 192000, 352800, 384000
  };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (frame_rates); i++)
    assert_exact_times (&retro_uses[__i__], frame_rates[i]);
}

LOOP_TEST (buffers_without_times_follow_one_another, RETRO_N_USES)
{
  const RetroUse *use = &retro_uses[__i__];
  AUTO_TEST t = start (use, N);
  guint n;

  for (n = 0; n < N; n += 100) {
    GstBuffer *buffer = retro_test_buffer (&t->info,
        use->rate < 0 ? N - 100 - n : n, 100);

    GST_BUFFER_PTS (buffer) = GST_BUFFER_DURATION (buffer) =
        GST_CLOCK_TIME_NONE;
    gst_harness_push (t->h, buffer);
  }
  retro_test_eos (t);
  retro_use_assert (use, t, 0, N);
  assert_perfect (use, t, 0);
}

LOOP_TEST (audio_outside_the_segment_is_clipped, RETRO_N_USES)
{
  const RetroUse *use = &retro_uses[__i__];
  AUTO_TEST t = retro_test_new (use->element);

  if (!retro_use_passes (use)) {
    retro_test_start (t, NULL, use->rate, PLAIN_NS (250), PLAIN_NS (770));
    retro_use_push (use, t, 0, N, (const gsize[]) { 100, 0 });
    retro_test_eos (t);
    retro_use_assert (use, t, 250, 520);
    retro_test_assert_perfect (t, output_ns (use, 250));
  }
}

LOOP_TEST (the_position_is_that_of_the_next_frame, RETRO_N_USES)
{
  const RetroUse *use = &retro_uses[__i__];
  guint64 all = retro_use_length (use, N), n, out;
  AUTO_TEST t = start (use, N);

  for (n = 0; n < N; n += 100) {
    retro_test_push (t, use->rate < 0 ? N - 100 - n : n, 100);
    out = retro_test_frames_out (t);
    if (out > 0 && !retro_use_passes (use))     /* in passthrough, upstream answers */
      fail_unless_equals_clocktime (retro_test_position (t),
          PLAIN_NS (use->rate < 0 ? all - out : out));
  }
}

/* ---- ends of a stream ----------------------------------------------------- */

LOOP_TEST (a_new_segment_sends_buffered_audio, RETRO_N_USES)
{
  const RetroUse *use = &retro_uses[__i__];
  AUTO_TEST t = start (use, 1001);
  GstSegment segment = retro_use_segment (use, &t->info, 5000, 503);

  segment.base = PLAIN_NS (1001);
  retro_use_push (use, t, 0, 1001, retro_test_cuts[4]);
  retro_test_send_segment (t, &segment);
  retro_use_assert (use, t, 0, 1001);
  retro_use_push (use, t, 5000, 503, retro_test_cuts[4]);
  retro_test_eos (t);
  retro_test_assert_bytes (t, retro_use_alone (use, &t->info, 0, 1001),
      retro_use_alone (use, &t->info, 5000, 503));
}

/* The stream has 125 ms in one format, and then 125 ms in a different format. */
LOOP_TEST (a_caps_change_sends_buffered_audio, RETRO_N_USES)
{
  const RetroUse *use = &retro_uses[__i__];
  guint64 before = use->rate < 0 ? N : 0, after = use->rate < 0 ? 0 : 2 * N;
  AUTO_TEST t = start (use, 2 * N);

  retro_use_push (use, t, before, N, retro_test_cuts[4]);
  GstAudioInfo info = retro_test_info (GST_AUDIO_FORMAT_F32, PLANAR, 16000, 2);
  retro_test_caps (t, &info);
  t->info = retro_test_plain_info ();
  retro_test_assert_bytes (t, retro_use_alone (use, &t->info, before, N), NULL);
  retro_test_clear (t);

  /* the times must continue where the audio in the old format ended */
  t->info = info;
  retro_use_push (use, t, after, 2 * N, retro_test_cuts[4]);
  retro_test_eos (t);
  assert_perfect (use, t, output_ns (use, N));
  retro_test_assert_bytes (t, retro_use_alone (use, &info, after, 2 * N), NULL);
}

LOOP_TEST (ready_and_null_restart, RETRO_N_USES)
{
  static const GstState states[] = { GST_STATE_READY, GST_STATE_NULL };
  const RetroUse *use = &retro_uses[__i__];
  AUTO_TEST t = start (use, 1001);
  GstAudioInfo info = t->info;
  guint i;

  for (i = 0; i < 4; i++) {
    retro_test_push (t, use->rate < 0 ? 224 : 0, 777);
    gst_element_set_state (t->element, states[i % 2]);
    retro_test_restart (t);
    retro_test_clear (t);
    retro_use_start (use, t, &info, 0, 501);
  }
  retro_use_push (use, t, 0, 501, retro_test_cuts[4]);
  retro_test_eos (t);
  assert_perfect (use, t, 0);
  retro_test_assert_bytes (t, retro_use_alone (use, &info, 0, 501), NULL);
}

/* A flush discards buffered audio, and the next stream begins at 0. */
LOOP_TEST (a_flush_restarts, RETRO_N_USES)
{
  const RetroUse *use = &retro_uses[__i__];
  AUTO_TEST t = start (use, 1001);
  GstSegment segment = retro_use_segment (use, &t->info, 0, 501);

  retro_test_push (t, use->rate < 0 ? 224 : 0, 777);
  retro_test_flush (t);
  fail_unless_equals_int (retro_test_n_events (t, GST_EVENT_FLUSH_START), 1);
  fail_unless_equals_int (retro_test_n_events (t, GST_EVENT_FLUSH_STOP), 1);
  retro_test_clear (t);
  retro_test_send_segment (t, &segment);
  retro_use_push (use, t, 0, 501, retro_test_cuts[4]);
  retro_test_eos (t);
  assert_perfect (use, t, 0);
  fail_unless_equals_uint64 (GST_BUFFER_OFFSET (retro_test_nth_buffer (t, 0)),
      retro_use_passes (use) ? GST_BUFFER_OFFSET (retro_test_nth_buffer (t,
              0)) : 0);
  retro_test_assert_bytes (t, retro_use_alone (use, &t->info, 0, 501), NULL);
}

/* SEGMENT_DONE and EOS follow all buffered audio, once, with their sequence numbers. EOS does
 * not send the audio again. */
LOOP_TEST (the_end_comes_last, RETRO_N_USES)
{
  const RetroUse *use = &retro_uses[__i__];
  AUTO_TEST t = start (use, N);
  GstEvent *done = gst_event_new_segment_done (GST_FORMAT_TIME,
      use->rate < 0 ? 0 : PLAIN_NS (N));
  guint32 seqnum = gst_event_get_seqnum (done);
  gint64 position;

  retro_use_push (use, t, 0, N, retro_test_cuts[4]);
  fail_unless (gst_harness_push_event (t->h, done));
  retro_use_assert (use, t, 0, N);
  done = retro_test_nth_event (t, GST_EVENT_SEGMENT_DONE, 0);
  fail_unless_equals_uint64 (gst_event_get_seqnum (done), seqnum);
  fail_unless_equals_int (retro_test_place_of_event (t,
          GST_EVENT_SEGMENT_DONE, 0), t->items->len - 1);
  gst_event_parse_segment_done (done, NULL, &position);
  fail_unless (position == (gint64) (use->rate < 0 ? 0 : output_ns (use, N))
      || use->order == RETRO_DOWN);
  fail_unless (retro_test_eos (t));
  retro_use_assert (use, t, 0, N);
  fail_unless_equals_int (retro_test_n_events (t, GST_EVENT_EOS), 1);
  fail_unless_equals_int (retro_test_place_of_event (t, GST_EVENT_EOS, 0),
      t->items->len - 1);
}

LOOP_TEST (an_empty_stream_ends, RETRO_N_USES)
{
  AUTO_TEST t = start (&retro_uses[__i__], N);

  fail_unless (retro_test_eos (t));
  fail_unless_equals_int (retro_test_n_buffers (t), 0);
  retro_test_assert_event_order (t, GST_EVENT_SEGMENT, GST_EVENT_EOS);
  fail_unless (retro_test_pop_message (t, GST_MESSAGE_ERROR) == NULL);
}

/* ---- buffers ------------------------------------------------------------------ */

LOOP_TEST (a_shared_buffer_is_not_modified, RETRO_N_USES)
{
  const RetroUse *use = &retro_uses[__i__];
  AUTO_TEST t = start (use, N);
  g_autoptr (GstBuffer) buffer = retro_test_buffer (&t->info, 0, N);
  g_autoptr (GstBuffer) fresh = retro_test_buffer (&t->info, 0, N);
  GstMapInfo map;

  GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
  gst_harness_push (t->h, gst_buffer_ref (buffer));
  retro_test_eos (t);
  retro_use_assert (use, t, 0, N);
  gst_buffer_map (fresh, &map, GST_MAP_READ);
  fail_unless (gst_buffer_memcmp (buffer, 0, map.data, map.size) == 0);
  gst_buffer_unmap (fresh, &map);
  fail_unless (GST_BUFFER_IS_DISCONT (buffer));
  fail_unless_equals_clocktime (GST_BUFFER_PTS (buffer), 0);
}

/* Recounted frames don't have a DTS, and don't need RESYNC. */
LOOP_TEST (no_dts_and_no_resync_is_left, RETRO_N_USES)
{
  const RetroUse *use = &retro_uses[__i__];
  AUTO_TEST t = start (use, N);
  GstBuffer *buffer = retro_test_buffer (&t->info, 0, N);
  guint i;

  GST_BUFFER_DTS (buffer) = GST_BUFFER_PTS (buffer);
  GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_RESYNC);
  gst_harness_push (t->h, buffer);
  retro_test_eos (t);
  retro_use_assert (use, t, 0, N);
  if (retro_use_passes (use))
    return;
  for (i = 0; i < retro_test_n_buffers (t); i++) {
    buffer = retro_test_nth_buffer (t, i);
    fail_if (GST_BUFFER_DTS_IS_VALID (buffer));
    fail_if (GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_RESYNC));
  }
}

/* ---- the rest ------------------------------------------------------------------ */

LOOP_TEST (the_seqnum_of_a_seek_is_kept, 2 * RETRO_N_USES)
{
  AUTO_TEST t = retro_test_new (retro_uses[__i__ / 2].element);
  g_autoptr (GstEvent) event =
      gst_event_new_seek (__i__ % 2 ? 1 : -1, GST_FORMAT_TIME,
      GST_SEEK_FLAG_FLUSH, GST_SEEK_TYPE_SET, 3 * GST_SECOND, GST_SEEK_TYPE_SET,
      GST_CLOCK_TIME_NONE);

  gst_event_set_seqnum (event, 4711);
  while (gst_harness_upstream_events_in_queue (t->h) > 0)
    gst_event_unref (gst_harness_pull_upstream_event (t->h));
  gst_harness_push_upstream_event (t->h, event);
  event = gst_harness_pull_upstream_event (t->h);
  fail_unless_equals_int (gst_event_get_seqnum (event), 4711);
}

LOOP_TEST (a_folder_that_cannot_be_written_is_reported, RETRO_N_USES)
{
  static const gchar *const folders[] = {
    "/nowhere/at/all", "/dev/null", "/proc"
  };
  static const gsize cuts[] = { 1250, 0 };
  const RetroUse *use = &retro_uses[__i__ / 3];
  AUTO_TEST t = retro_test_new (use->element);

  g_object_set (t->element, "max-memory", (guint64) 0, "spill-directory",
      folders[__i__ % 3], NULL);
  GstAudioInfo info =
      retro_test_info (GST_AUDIO_FORMAT_F64, INTERLEAVED, 48000, 8);
  if (use->keeps) {             /* enough data for the store to write a file: 3.2 MB */
    retro_use_start (use, t, &info, 0, 50000);
    fail_unless_equals_int (retro_use_push (use, t, 0, 50000, cuts),
        GST_FLOW_ERROR);
    retro_test_assert_error (t, GST_RESOURCE_ERROR_OPEN_WRITE,
        "spill-directory");
    fail_unless_equals_int (retro_test_n_buffers (t), 0);
  }
}
