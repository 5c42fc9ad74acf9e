/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * timescale: jumps, gaps, ends, changes of the format, and segments with a negative rate.
 */

#include "scalemodel.h"

#include <string.h>

static RetroTest *
start (ScaleFactor factor, const gchar * properties)
{
  RetroTest *t = scale_test_new (factor, properties);
  GstAudioInfo info;

  retro_test_plain_info (&info);
  retro_test_start (t, &info, 1, 0, GST_CLOCK_TIME_NONE);
  return t;
}

/* Returns the output of a new element for a stream of these frames. */
static GByteArray *
alone (ScaleFactor factor, const GstAudioInfo * info, guint64 first_frame,
    gsize n_frames)
{
  RetroTest *t = scale_test_new (factor, "");
  GByteArray *bytes;

  retro_test_start (t, info, 1, 0, GST_CLOCK_TIME_NONE);
  retro_test_push (t, first_frame, n_frames);
  retro_test_eos (t);
  bytes = retro_test_bytes (t);
  retro_test_free (t);
  return bytes;
}

/* Index of the buffer that begins with frame number @n of the output. */
static guint
buffer_of_frame (RetroTest * t, gint64 n)
{
  guint i = 0;

  while (n > 0)
    n -= retro_test_buffer_frames (t, retro_test_nth_buffer (t, i++));
  fail_unless_equals_int64 (n, 0);
  return i;
}

/* ---- jumps -------------------------------------------------------------- */

static void
assert_jump (RetroTest * t, ScaleFactor factor, guint64 n_before,
    guint64 jumped_to)
{
  guint jump = buffer_of_frame (t, scale_length (n_before, factor));

  if (jump > 0)
    retro_test_assert_run (t, 0, jump, 0);
  if (jump < retro_test_n_buffers (t))
    retro_test_assert_run (t, jump, retro_test_n_buffers (t) - jump,
        scale_time (PLAIN_NS (jumped_to), factor));
}

GST_START_TEST (a_jump_drains_and_restarts)
{
  ScaleFactor factor = scale_factors[__i__];
  RetroTest *t = start (factor, "");

  retro_test_push_cut (t, 0, 1001, retro_test_cuts[3]);
  retro_test_push_cut (t, 9000, 503, retro_test_cuts[3]);
  retro_test_eos (t);
  assert_jump (t, factor, 1001, 9000);
  retro_test_assert_bytes (t, alone (factor, &t->info, 0, 1001), alone (factor,
          &t->info, 9000, 503));
  retro_test_free (t);
}

GST_END_TEST;

GST_START_TEST (a_discont_jump_may_be_small)
{
  ScaleFactor factor = scale_factors[__i__];
  RetroTest *t = start (factor, "");
  GstBuffer *buffer;

  retro_test_push (t, 0, 1001);
  buffer = retro_test_buffer (&t->info, 1005, 503);
  GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
  gst_harness_push (t->h, buffer);
  retro_test_eos (t);
  assert_jump (t, factor, 1001, 1005);
  retro_test_assert_bytes (t, alone (factor, &t->info, 0, 1001), alone (factor,
          &t->info, 1005, 503));
  retro_test_free (t);
}

GST_END_TEST;

GST_START_TEST (a_discont_without_a_jump_is_none)
{
  RetroTest *t = start (scale_factors[3], "");
  GstBuffer *buffer;

  retro_test_push (t, 0, 1001);
  buffer = retro_test_buffer (&t->info, 1001, 500);
  GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
  gst_harness_push (t->h, buffer);
  retro_test_eos (t);
  retro_test_assert_perfect (t, 0);
  retro_test_assert_bytes (t, g_byte_array_new (), alone (scale_factors[3],
          &t->info, 0, 1501));
  retro_test_free (t);
}

GST_END_TEST;

/* ---- gaps --------------------------------------------------------------- */

GST_START_TEST (gap_events_are_scaled)
{
  ScaleFactor factor = scale_factors[__i__];
  RetroTest *t = start (factor, "");
  GstClockTime pts, duration;

  retro_test_push (t, 0, 1000);
  gst_harness_push_event (t->h, gst_event_new_gap (PLAIN_NS (1000),
          PLAIN_NS (6000)));
  retro_test_push (t, 7000, 1000);
  retro_test_eos (t);

  gst_event_parse_gap (retro_test_nth_event (t, GST_EVENT_GAP, 0), &pts,
      &duration);
  fail_unless_equals_clocktime (pts, scale_time (PLAIN_NS (1000), factor));
  fail_unless_equals_clocktime (pts + duration,
      scale_time (PLAIN_NS (7000), factor));
  assert_jump (t, factor, 1000, 7000);
  retro_test_assert_bytes (t, alone (factor, &t->info, 0, 1000), alone (factor,
          &t->info, 7000, 1000));
  retro_test_free (t);
}

GST_END_TEST;

GST_START_TEST (a_gap_event_comes_between_its_neighbours)
{
  RetroTest *t = start (scale_factors[1], "");
  gint gap;
  guint jump;

  retro_test_push (t, 0, 1000);
  gst_harness_push_event (t->h, gst_event_new_gap (PLAIN_NS (1000),
          PLAIN_NS (6000)));
  retro_test_push (t, 7000, 1000);
  gap = retro_test_place_of_event (t, GST_EVENT_GAP, 0);
  jump = buffer_of_frame (t, 2000);
  fail_unless (retro_test_place_of_buffer (t, jump - 1) < gap);
  fail_unless (gap < retro_test_place_of_buffer (t, jump));
  retro_test_free (t);
}

GST_END_TEST;

static void
push_value (RetroTest * t, gint16 value, guint64 at, gsize n_frames,
    gboolean gap)
{
  gint16 *samples = g_new (gint16, n_frames);
  GstBuffer *buffer;
  gsize i;

  for (i = 0; i < n_frames; i++)
    samples[i] = value;
  buffer = retro_test_buffer_of (&t->info, samples, n_frames, PLAIN_NS (at));
  if (gap)
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_GAP);
  gst_harness_push (t->h, buffer);
  g_free (samples);
}

/* Pushes sound, then silence in buffers of @piece frames that are marked as gaps, then
 * sound. */
static RetroTest *
scaled_silence (ScaleFactor factor, gsize piece, const gchar * properties)
{
  RetroTest *t = start (factor, properties);
  guint64 at;

  push_value (t, 1000, 0, 1001, FALSE);
  for (at = 1001; at < 5001; at += piece)
    push_value (t, 0, at, piece, TRUE);
  push_value (t, 1000, 5001, 1000, FALSE);
  retro_test_eos (t);
  return t;
}

static const gsize pieces[] = { 1, 5, 50, 1000, 4000 };

GST_START_TEST (a_marked_gap_is_silent)
{
  ScaleFactor factor = scale_factors[__i__];
  guint i, k, p;

  for (p = 0; p < G_N_ELEMENTS (pieces); p++) {
    for (i = 0; i < SCALE_N_INTERPOLATIONS; i++) {
      gchar *properties = g_strdup_printf ("interpolation=%s",
          scale_interpolations[i]);
      RetroTest *t = scaled_silence (factor, pieces[p], properties);

      for (k = 0; k < retro_test_n_buffers (t); k++) {
        GstBuffer *buffer = retro_test_nth_buffer (t, k);
        guint64 n = gst_buffer_get_size (buffer);
        guint8 *zero = g_malloc0 (n);

        if (GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_GAP))
          fail_unless (gst_buffer_memcmp (buffer, 0, zero, n) == 0,
              "buffer %u of %u is marked as GAP and holds sound (%s, pieces "
              "of %u frames)", k, retro_test_n_buffers (t),
              scale_interpolations[i], (guint) pieces[p]);
        g_free (zero);
      }
      retro_test_free (t);
      g_free (properties);
    }
  }
}

GST_END_TEST;

GST_START_TEST (most_of_a_gap_is_marked)
{
  ScaleFactor factor = scale_factors[__i__];
  RetroTest *t = scaled_silence (factor, 50, "interpolation=cubic");
  guint64 marked = 0;
  guint k;

  for (k = 0; k < retro_test_n_buffers (t); k++) {
    GstBuffer *buffer = retro_test_nth_buffer (t, k);

    if (GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_GAP))
      marked += retro_test_buffer_frames (t, buffer);
  }
  /* at each end of the gap of 4000 frames, up to one buffer may be unmarked */
  fail_unless (marked >= scale_length (3800, factor) * 9 / 10);
  fail_unless (marked <= scale_length (4000, factor));
  retro_test_free (t);
}

GST_END_TEST;

/* ---- ends --------------------------------------------------------------- */

GST_START_TEST (a_flush_drops_buffered_audio)
{
  ScaleFactor factor = scale_factors[__i__];
  RetroTest *t = start (factor, "");
  GstSegment segment = retro_test_segment (1, 0, GST_CLOCK_TIME_NONE);

  retro_test_push (t, 0, 777);
  retro_test_flush (t);
  retro_test_clear (t);
  retro_test_send_segment (t, &segment);
  retro_test_push (t, 0, 1001);
  retro_test_eos (t);
  retro_test_assert_perfect (t, 0);
  fail_unless_equals_uint64 (GST_BUFFER_OFFSET (retro_test_nth_buffer (t, 0)),
      0);
  retro_test_assert_bytes (t, g_byte_array_new (), alone (factor, &t->info, 0,
          1001));
  retro_test_free (t);
}

GST_END_TEST;

GST_START_TEST (segment_done_sends_buffered_audio)
{
  RetroTest *t = start (scale_factors[1], "");
  GstEvent *event = gst_event_new_segment_done (GST_FORMAT_TIME,
      PLAIN_NS (1000));
  guint32 seqnum = gst_event_get_seqnum (event);
  GstFormat format;
  gint64 position;

  retro_test_push (t, 0, 1000);
  gst_harness_push_event (t->h, event);
  fail_unless_equals_uint64 (retro_test_frames_out (t), 2000);
  event = retro_test_nth_event (t, GST_EVENT_SEGMENT_DONE, 0);
  gst_event_parse_segment_done (event, &format, &position);
  fail_unless_equals_int64 (position, (gint64) PLAIN_NS (2000));
  fail_unless_equals_uint64 (gst_event_get_seqnum (event), seqnum);
  fail_unless_equals_int (retro_test_place_of_event (t,
          GST_EVENT_SEGMENT_DONE, 0), t->items->len - 1);
  retro_test_free (t);
}

GST_END_TEST;

static Suite *
timescale_flow_suite (void)
{
  Suite *s = suite_create ("timescale_flow");
  TCase *tc = tcase_create ("flow");

  suite_add_tcase (s, tc);
  tcase_add_loop_test (tc, a_jump_drains_and_restarts, 0, SCALE_N_FACTORS);
  tcase_add_loop_test (tc, a_discont_jump_may_be_small, 0, SCALE_N_FACTORS);
  tcase_add_test (tc, a_discont_without_a_jump_is_none);
  tcase_add_loop_test (tc, gap_events_are_scaled, 0, SCALE_N_FACTORS);
  tcase_add_test (tc, a_gap_event_comes_between_its_neighbours);
  tcase_add_loop_test (tc, a_marked_gap_is_silent, 0, SCALE_N_FACTORS);
  tcase_add_loop_test (tc, most_of_a_gap_is_marked, 0, SCALE_N_FACTORS);
  tcase_add_loop_test (tc, a_flush_drops_buffered_audio, 0, SCALE_N_FACTORS);
  tcase_add_test (tc, segment_done_sends_buffered_audio);
  return s;
}

GST_CHECK_MAIN (timescale_flow);
