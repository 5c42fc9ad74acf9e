/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * timescale: the number of output frames, and their times. values.c tests the values of the
 * samples.
 */

#include "scalemodel.h"

#include <string.h>

static const GstAudioFormat formats[] = {
  GST_AUDIO_FORMAT_S16, GST_AUDIO_FORMAT_S32, GST_AUDIO_FORMAT_F32,
  GST_AUDIO_FORMAT_F64
};

static const GstAudioLayout layouts[] = {
  GST_AUDIO_LAYOUT_INTERLEAVED, GST_AUDIO_LAYOUT_NON_INTERLEAVED
};

static void
start (RetroTest * t)
{
  GstAudioInfo info;

  retro_test_plain_info (&info);
  retro_test_start (t, &info, 1, 0, GST_CLOCK_TIME_NONE);
}

/* ---- length ------------------------------------------------------------- */

static const gsize lengths[] = { 0, 1, 2, 3, 4, 10, 99, 100, 101, 1000, 2345 };

GST_START_TEST (n_frames_become_the_floor_of_n_times_the_factor)
{
  ScaleFactor factor = scale_factors[__i__ / SCALE_N_INTERPOLATIONS];
  gchar *properties = g_strdup_printf ("interpolation=%s",
      scale_interpolations[__i__ % SCALE_N_INTERPOLATIONS]);
  guint i;

  for (i = 0; i < G_N_ELEMENTS (lengths); i++) {
    RetroTest *t = scale_test_new (factor, properties);
    guint64 expected = scale_length (lengths[i], factor);

    start (t);
    if (lengths[i] > 0)
      retro_test_push (t, 0, lengths[i]);
    fail_unless (retro_test_eos (t));
    fail_unless (retro_test_frames_out (t) == expected,
        "%" G_GSIZE_FORMAT " frames became %" G_GUINT64_FORMAT " and not %"
        G_GUINT64_FORMAT, lengths[i], retro_test_frames_out (t), expected);
    retro_test_free (t);
  }
  g_free (properties);
}

GST_END_TEST;

GST_START_TEST (rate_is_the_factor_upside_down)
{
  static const struct
  {
    gdouble rate;
    guint64 frames;
  } cases[] = {
    {0.5, 2000}, {2, 500}, {4, 250}, {0.01, 100000}, {100, 10}, {0.8, 1250},
    {3, 333}, {1, 1000}
  };
  RetroTest *t = retro_test_new ("timescale");

  g_object_set (t->element, "rate", cases[__i__].rate, NULL);
  start (t);
  retro_test_push (t, 0, 1000);
  retro_test_eos (t);
  fail_unless_equals_uint64 (retro_test_frames_out (t), cases[__i__].frames);
  retro_test_free (t);
}

GST_END_TEST;

GST_START_TEST (eos_comes_last)
{
  RetroTest *t = scale_test_new (scale_factors[3], "");

  start (t);
  retro_test_push (t, 0, 100);
  retro_test_eos (t);
  fail_unless_equals_int (retro_test_n_events (t, GST_EVENT_EOS), 1);
  fail_unless_equals_int (retro_test_place_of_event (t, GST_EVENT_EOS, 0),
      t->items->len - 1);
  retro_test_free (t);
}

GST_END_TEST;

GST_START_TEST (output_does_not_wait_for_the_end)
{
  ScaleFactor factor = scale_factors[__i__];
  RetroTest *t = scale_test_new (factor, "interpolation=cubic");

  /* the interpolation needs up to two more input frames */
  start (t);
  retro_test_push (t, 0, 1000);
  fail_unless (retro_test_frames_out (t) >= scale_length (1000 - 2, factor));
  retro_test_free (t);
}

GST_END_TEST;

/* ---- cuts --------------------------------------------------------------- */

static GByteArray *
scaled (ScaleFactor factor, guint interpolation, const gsize * sizes)
{
  gchar *properties = g_strdup_printf ("interpolation=%s",
      scale_interpolations[interpolation]);
  RetroTest *t = scale_test_new (factor, properties);
  GstAudioInfo info;
  GByteArray *bytes;

  retro_test_info (&info, formats[interpolation % 4],
      layouts[interpolation % 2], 44100, 2);
  retro_test_start (t, &info, 1, 0, GST_CLOCK_TIME_NONE);
  retro_test_push_cut (t, 0, 1201, sizes);
  retro_test_eos (t);
  retro_test_assert_perfect (t, 0);
  bytes = retro_test_bytes (t);
  retro_test_free (t);
  g_free (properties);
  return bytes;
}

GST_START_TEST (no_cut_changes_a_bit_at_any_factor)
{
  ScaleFactor factor = scale_factors[__i__];
  guint interpolation, cut;

  for (interpolation = 0; interpolation < SCALE_N_INTERPOLATIONS;
      interpolation++) {
    GByteArray *whole = scaled (factor, interpolation, retro_test_cuts[0]);

    fail_unless (whole->len > 0);
    for (cut = 1; cut < RETRO_TEST_N_CUTS; cut++) {
      GByteArray *pieces = scaled (factor, interpolation,
          retro_test_cuts[cut]);

      fail_unless_equals_int (pieces->len, whole->len);
      fail_unless (memcmp (pieces->data, whole->data, whole->len) == 0,
          "cut %u, %s, gives other samples", cut,
          scale_interpolations[interpolation]);
      g_byte_array_unref (pieces);
    }
    g_byte_array_unref (whole);
  }
}

GST_END_TEST;

/* ---- times -------------------------------------------------------------- */

GST_START_TEST (times_follow_from_the_frames_sent)
{
  static const gint rates[] = { 8000, 11025, 44100, 96000, 384000 };
  ScaleFactor factor = scale_factors[__i__];
  guint i;

  for (i = 0; i < G_N_ELEMENTS (rates); i++) {
    RetroTest *t = scale_test_new (factor, "");
    GstAudioInfo info;

    retro_test_info (&info, GST_AUDIO_FORMAT_S16,
        GST_AUDIO_LAYOUT_INTERLEAVED, rates[i], 1);
    retro_test_start (t, &info, 1, 0, GST_CLOCK_TIME_NONE);
    retro_test_push_cut (t, 0, 3007, retro_test_cuts[4]);
    retro_test_eos (t);
    retro_test_assert_perfect (t, 0);
    retro_test_free (t);
  }
}

GST_END_TEST;

GST_START_TEST (times_start_where_the_scaled_segment_does)
{
  ScaleFactor factor = scale_factors[__i__];
  RetroTest *t = scale_test_new (factor, "");
  GstAudioInfo info;

  retro_test_plain_info (&info);
  retro_test_start (t, &info, 1, PLAIN_NS (6000), GST_CLOCK_TIME_NONE);
  /* the first buffer is 100 frames after the beginning of the segment */
  retro_test_push (t, 6100, 1000);
  retro_test_eos (t);
  retro_test_assert_perfect (t, scale_time (PLAIN_NS (6100), factor));
  retro_test_free (t);
}

GST_END_TEST;

GST_START_TEST (shaking_timestamps_are_smoothed)
{
  RetroTest *t = scale_test_new (scale_factors[3], "");
  guint i;

  start (t);
  for (i = 0; i < 10; i++) {
    GstBuffer *buffer = retro_test_buffer (&t->info, i * 100, 100);

    if (i > 0)
      GST_BUFFER_PTS (buffer) += i % 2 ? 20 * GST_MSECOND : -20 * GST_MSECOND;
    gst_harness_push (t->h, buffer);
  }
  retro_test_eos (t);
  fail_unless_equals_uint64 (retro_test_frames_out (t), 1500);
  retro_test_assert_perfect (t, 0);
  retro_test_free (t);
}

GST_END_TEST;

/* ---- factor 1 ----------------------------------------------------------- */

GST_START_TEST (factor_1_is_the_identity)
{
  static const gint channels[] = { 1, 2, 6 };
  guint layout, c, cut;

  for (layout = 0; layout < 2; layout++)
    for (c = 0; c < G_N_ELEMENTS (channels); c++)
      for (cut = 0; cut < RETRO_TEST_N_CUTS; cut++) {
        gchar *properties = g_strdup_printf ("interpolation=%s",
            scale_interpolations[__i__ % SCALE_N_INTERPOLATIONS]);
        RetroTest *t = scale_test_new (scale_factors[0], properties);
        GstAudioInfo info;

        retro_test_info (&info, formats[__i__ / SCALE_N_INTERPOLATIONS],
            layouts[layout], 48000, channels[c]);
        retro_test_start (t, &info, 1, 0, GST_CLOCK_TIME_NONE);
        retro_test_push_cut (t, 0, 700, retro_test_cuts[cut]);
        retro_test_eos (t);
        retro_test_assert_up (t, 0, 700);
        retro_test_free (t);
        g_free (properties);
      }
}

GST_END_TEST;

static Suite *
timescale_stream_suite (void)
{
  Suite *s = suite_create ("timescale_stream");
  TCase *tc = tcase_create ("stream");

  suite_add_tcase (s, tc);
  tcase_add_loop_test (tc, n_frames_become_the_floor_of_n_times_the_factor, 0,
      SCALE_N_FACTORS * SCALE_N_INTERPOLATIONS);
  tcase_add_loop_test (tc, rate_is_the_factor_upside_down, 0, 8);
  tcase_add_test (tc, eos_comes_last);
  tcase_add_loop_test (tc, output_does_not_wait_for_the_end, 0,
      SCALE_N_FACTORS);
  tcase_add_loop_test (tc, no_cut_changes_a_bit_at_any_factor, 0,
      SCALE_N_FACTORS);
  tcase_add_loop_test (tc, times_follow_from_the_frames_sent, 0,
      SCALE_N_FACTORS);
  tcase_add_loop_test (tc, times_start_where_the_scaled_segment_does, 0,
      SCALE_N_FACTORS);
  tcase_add_test (tc, shaking_timestamps_are_smoothed);
  tcase_add_loop_test (tc, factor_1_is_the_identity, 0,
      4 * SCALE_N_INTERPOLATIONS);
  return s;
}

GST_CHECK_MAIN (timescale_stream);
