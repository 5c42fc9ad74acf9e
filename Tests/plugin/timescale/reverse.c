/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * timescale: a stream with a negative rate is reversed before it is scaled. Also tests which
 * metas of buffers are kept.
 */

#include "scalemodel.h"

#define N 1000

/* ---- negative rates --------------------------------------------------------- */

/* Returns the output for the frames N - 1 … 0 in this order. */
static GByteArray *
reversed_then_scaled (ScaleFactor factor, const GstAudioInfo * info)
{
  gsize bpf = GST_AUDIO_INFO_BPF (info), i;
  RetroTest *t = scale_test_new (factor, "");
  guint8 *samples = g_malloc (N * bpf);
  GByteArray *bytes;

  for (i = 0; i < N; i++)
    retro_test_frame (info, N - 1 - i, samples + i * bpf);
  retro_test_start (t, info, 1, 0, GST_CLOCK_TIME_NONE);
  gst_harness_push (t->h, retro_test_buffer_of (info, samples, N, 0));
  retro_test_eos (t);
  bytes = retro_test_bytes (t);
  retro_test_free (t);
  g_free (samples);
  return bytes;
}

static RetroTest *
start_backwards (ScaleFactor factor, const GstAudioInfo * info)
{
  RetroTest *t = scale_test_new (factor, "");

  retro_test_start (t, info, -1, 0, retro_test_time (info, N));
  return t;
}

GST_START_TEST (a_stream_that_plays_backwards_is_reversed_then_scaled)
{
  static const gsize blocks[] = { 1, 7, 100, 333, 1000 };
  ScaleFactor factor = scale_factors[__i__];
  GByteArray *expected;
  GstAudioInfo info;
  guint i;

  retro_test_info (&info, GST_AUDIO_FORMAT_F32,
      GST_AUDIO_LAYOUT_NON_INTERLEAVED, 8000, 2);
  expected = reversed_then_scaled (factor, &info);
  for (i = 0; i < G_N_ELEMENTS (blocks); i++) {
    RetroTest *t = start_backwards (factor, &info);

    retro_test_push_backwards (t, N, blocks[i]);
    retro_test_eos (t);
    retro_test_assert_perfect (t, 0);
    retro_test_assert_bytes (t, g_byte_array_ref (expected), NULL);
    retro_test_free (t);
  }
  g_byte_array_unref (expected);
}

GST_END_TEST;

GST_START_TEST (at_factor_1_it_is_only_reversed)
{
  GstAudioInfo info;
  RetroTest *t;

  retro_test_plain_info (&info);
  t = start_backwards (scale_factors[0], &info);
  retro_test_push_backwards (t, N, 64);
  retro_test_eos (t);
  retro_test_assert_down (t, 0, N);
  retro_test_free (t);
}

GST_END_TEST;

GST_START_TEST (its_segment_is_reversed_and_scaled)
{
  ScaleFactor factor = scale_factors[__i__];
  GstSegment in = retro_test_segment (-2, PLAIN_NS (600), PLAIN_NS (9000));
  GstSegment out;
  GstAudioInfo info;
  RetroTest *t = scale_test_new (factor, "absorb-rate=false");
  guint32 seqnum;

  in.time = PLAIN_NS (30000);
  retro_test_plain_info (&info);
  retro_test_caps (t, &info);
  seqnum = retro_test_send_segment (t, &in);
  out = retro_test_nth_segment (t, 0);
  fail_unless_equals_float (out.rate, 2);
  fail_unless_equals_float (out.applied_rate, -1);
  fail_unless_equals_clocktime (out.start, scale_time (in.start, factor));
  fail_unless_equals_clocktime (out.stop, scale_time (in.stop, factor));
  fail_unless_equals_clocktime (out.time, scale_time (in.time, factor));
  fail_unless_equals_uint64 (retro_test_nth_seqnum (t, 0), seqnum);
  retro_test_free (t);
}

GST_END_TEST;

GST_START_TEST (its_open_stop_is_learnt_from_the_first_buffer)
{
  RetroTest *t = scale_test_new (scale_factors[1], "");
  GstAudioInfo info;

  retro_test_plain_info (&info);
  retro_test_start (t, &info, -1, 0, GST_CLOCK_TIME_NONE);
  retro_test_send_tag (t, "one");
  retro_test_push_backwards (t, N, 100);
  retro_test_eos (t);
  fail_unless_equals_clocktime (retro_test_nth_segment (t, 0).stop,
      PLAIN_NS (2 * N));
  fail_unless (retro_test_place_of_event (t, GST_EVENT_SEGMENT, 0)
      < retro_test_place_of_event (t, GST_EVENT_TAG, 0));
  fail_unless_equals_uint64 (retro_test_frames_out (t), 2 * N);
  retro_test_assert_perfect (t, 0);
  retro_test_free (t);
}

GST_END_TEST;

/* At a negative rate other than -1, the output has several contiguous segments,
 * so that sinks report the right position. The first segment must have the
 * times that the seek requested. All segments must have the seek's sequence
 * number. */
GST_START_TEST (its_first_segment_answers_the_seek)
{
  static const gdouble rates[] = { -2, -0.5, -4, -1 };
  const gdouble rate = rates[__i__];
  const GstClockTime start = PLAIN_NS (2 * PLAIN_RATE);
  const GstClockTime stop = PLAIN_NS (10 * PLAIN_RATE);
  GstSegment in = retro_test_segment (rate, start, stop), whole;
  RetroTest *t = scale_test_new (scale_factors[0], "");
  GstAudioInfo info;
  guint32 seqnum;
  guint n, i;

  in.time = start;
  retro_test_plain_info (&info);
  retro_test_caps (t, &info);
  seqnum = retro_test_send_segment (t, &in);
  for (i = 10; i > 2; i--)
    retro_test_push (t, (i - 1) * PLAIN_RATE, PLAIN_RATE);
  retro_test_eos (t);
  n = retro_test_n_events (t, GST_EVENT_SEGMENT);
  whole = retro_test_nth_segment (t, 0);
  fail_unless_equals_clocktime (whole.time, start);
  fail_unless_equals_clocktime (whole.stop - whole.start,
      (stop - start) / ABS (rate));
  fail_unless (whole.rate * whole.applied_rate == rate);
  fail_unless (rate == -1 ? n == 1 : n > 3);
  for (i = 0; i < n; i++) {
    GstSegment out = retro_test_nth_segment (t, i);

    fail_unless_equals_uint64 (retro_test_nth_seqnum (t, i), seqnum);
    fail_unless_equals_clocktime (gst_segment_to_stream_time (&out,
            GST_FORMAT_TIME, out.start), gst_segment_to_stream_time (&whole,
            GST_FORMAT_TIME, out.start));
    fail_unless_equals_clocktime (gst_segment_to_running_time (&out,
            GST_FORMAT_TIME, out.start), out.start - whole.start);
  }
  fail_unless (retro_test_place_of_event (t, GST_EVENT_SEGMENT, MIN (1, n - 1))
      < retro_test_place_of_buffer (t, 0));
  retro_test_free (t);
}

GST_END_TEST;

/* ---- metas of buffers --------------------------------------------------------- */

static const gchar *no_tags[] = { NULL };

static void
register_metas (void)
{
  gst_meta_register_custom ("RetroTestPlainMeta", no_tags, NULL, NULL, NULL);
}

static GstBuffer *
scale_one (RetroTest * t, GstBuffer * buffer)
{
  gst_harness_push (t->h, buffer);
  return retro_test_nth_buffer (t, 0);
}

static RetroTest *
start_forwards (void)
{
  RetroTest *t = scale_test_new (scale_factors[1], "");
  GstAudioInfo info;

  retro_test_plain_info (&info);
  retro_test_start (t, &info, 1, 0, GST_CLOCK_TIME_NONE);
  return t;
}

GST_START_TEST (a_meta_with_a_position_is_dropped)
{
  RetroTest *t = start_forwards ();
  GstBuffer *buffer = retro_test_buffer (&t->info, 0, N), *out;
  GstCaps *caps = gst_caps_new_empty_simple ("timestamp/x-test");

  gst_buffer_add_reference_timestamp_meta (buffer, caps, 1234,
      GST_CLOCK_TIME_NONE);
  gst_buffer_add_audio_clipping_meta (buffer, GST_FORMAT_DEFAULT, 30, 4);
  out = scale_one (t, buffer);
  fail_unless (gst_buffer_get_reference_timestamp_meta (out, NULL) == NULL);
  fail_unless (gst_buffer_get_audio_clipping_meta (out) == NULL);
  gst_caps_unref (caps);
  retro_test_free (t);
}

GST_END_TEST;

static Suite *
timescale_reverse_suite (void)
{
  Suite *s = suite_create ("timescale_reverse");
  TCase *tc = tcase_create ("reverse");

  suite_add_tcase (s, tc);
  tcase_add_unchecked_fixture (tc, register_metas, NULL);
  tcase_add_loop_test (tc,
      a_stream_that_plays_backwards_is_reversed_then_scaled, 0,
      SCALE_N_FACTORS);
  tcase_add_test (tc, at_factor_1_it_is_only_reversed);
  tcase_add_loop_test (tc, its_segment_is_reversed_and_scaled, 0,
      SCALE_N_FACTORS);
  tcase_add_loop_test (tc, its_first_segment_answers_the_seek, 0, 4);
  tcase_add_test (tc, its_open_stop_is_learnt_from_the_first_buffer);
  tcase_add_test (tc, a_meta_with_a_position_is_dropped);
  return s;
}

GST_CHECK_MAIN (timescale_reverse);
