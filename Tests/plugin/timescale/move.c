/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * timescale: the factor follows a control binding. No setting may cause a click when it
 * changes while the stream plays.
 */

#include "scalemodel.h"

#include <gst/controller/gstdirectcontrolbinding.h>
#include <gst/controller/gstinterpolationcontrolsource.h>
#include <math.h>
#include <string.h>

#define RATE PLAIN_RATE
#define N 16000

static RetroTest *
start (const gchar * properties)
{
  RetroTest *t = scale_test_new (scale_factors[0], properties);
  GstAudioInfo info = scale_plain_info ();

  retro_test_start (t, &info, 1, 0, GST_CLOCK_TIME_NONE);
  return t;
}

/* Ends the stream. Returns all output samples, and sets *@n to their number. */
static gdouble *
finish (RetroTest * t, guint * n)
{
  retro_test_eos (t);
  return scale_take_numbers (t, n);
}

/* ---- curves ------------------------------------------------------------- */

/* Adds a control binding that moves @property from point to point in straight lines. */
static void
set_curve (RetroTest * t, const gchar * property, const GstTimedValue * points,
    guint n)
{
  GstControlSource *source = gst_interpolation_control_source_new ();
  guint i;

  g_object_set (source, "mode", GST_INTERPOLATION_MODE_LINEAR, NULL);
  for (i = 0; i < n; i++)
    gst_timed_value_control_source_set (GST_TIMED_VALUE_CONTROL_SOURCE
        (source), points[i].timestamp, points[i].value);
  fail_unless (gst_object_add_control_binding (GST_OBJECT (t->element),
          gst_direct_control_binding_new_absolute (GST_OBJECT (t->element),
              property, source)));
  gst_object_unref (source);
}

static RetroTest *
start_curve (const gchar * properties, const gchar * property,
    const GstTimedValue * points, guint n)
{
  RetroTest *t = scale_test_new (scale_factors[0], properties);
  GstAudioInfo info = scale_plain_info ();

  set_curve (t, property, points, n);
  retro_test_start (t, &info, 1, 0, GST_CLOCK_TIME_NONE);
  return t;
}

static const GstTimedValue up_and_down[] = {
  {0, 1}, {GST_SECOND, 2}, {2 * GST_SECOND, 0.5}
};

/* Sample n of the input is n, so the difference between two output samples is
 * the speed: 1 / factor. */
GST_START_TEST (the_factor_is_that_of_the_curve_at_every_frame)
{
  RetroTest *t = start_curve ("interpolation=linear", "factor", up_and_down, 3);
  gdouble line[N], *out, largest = 0;
  guint i, n;

  for (i = 0; i < N; i++)
    line[i] = i;
  scale_push_numbers (t, line, 0, N, N);
  out = finish (t, &n);
  for (i = 0; i + 1 < n && out[i + 1] < N - 100; i++) {
    gdouble x = (out[i] + out[i + 1]) / 2 / RATE;
    gdouble factor = x < 1 ? 1 + x : 2 - 1.5 * (x - 1);

    largest = MAX (largest, fabs ((out[i + 1] - out[i]) * factor - 1));
  }
  /* The speed is piecewise linear, in pieces of 5 ms. In each piece, 1 / factor deviates
   * by at most (5 ms × slope)² / 4. The corner at 1 s is rounded by one piece: 5 ms × (1
   * + 1.5) / 2 / 2 */
  fail_unless (largest < 0.004, "%g", largest);
  g_free (out);
}

GST_END_TEST;

GST_START_TEST (frames_under_a_curve_are_its_integral)
{
  RetroTest *t = start_curve (__i__ ? "quality=2" : "interpolation=linear",
      "factor", up_and_down, 3);
  gdouble *wave = scale_sine (100, N);
  guint n;

  scale_push_numbers (t, wave, 0, N, 1000);
  g_free (finish (t, &n));
  /* the two lines of the curve last 1.5 s and 1.25 s in the output */
  fail_unless (n >= 22000 - 1 && n <= 22000 + 1, "%u", n);
  g_free (wave);
}

GST_END_TEST;

GST_START_TEST (a_curve_of_the_rate_is_followed_too)
{
  static const GstTimedValue points[] = { {0, 1}, {2 * GST_SECOND, 2} };
  RetroTest *t = start_curve ("interpolation=linear", "rate", points, 2);
  gdouble *wave = scale_sine (100, N);
  guint n;

  scale_push_numbers (t, wave, 0, N, N);
  g_free (finish (t, &n));
  /* the integral of 1 / (1 + x / 2) over 2 s is 2 ln 2 */
  fail_unless (fabs (n - 2 * log (2) * RATE) <= 1, "%u", n);
  g_free (wave);
}

GST_END_TEST;

GST_START_TEST (a_curve_does_not_depend_on_the_cuts)
{
  static const guint pieces[] = { N, 1, 7, 40, 333, 4096 };
  gdouble *wave = scale_sine (1000, N), *whole = NULL, *out;
  guint i, n, n_whole = 0;

  for (i = 0; i < G_N_ELEMENTS (pieces); i++) {
    RetroTest *t = start_curve (__i__ ? "quality=3" : "interpolation=cubic",
        "factor", up_and_down, 3);

    scale_push_numbers (t, wave, 0, N, pieces[i]);
    out = finish (t, &n);
    if (whole == NULL) {
      whole = g_memdup2 (out, n * sizeof (gdouble));
      n_whole = n;
    }
    fail_unless_equals_int (n, n_whole);
    fail_unless (memcmp (out, whole, n * sizeof (gdouble)) == 0,
        "pieces of %u frames", pieces[i]);
    g_free (out);
  }
  g_free (whole);
  g_free (wave);
}

GST_END_TEST;

GST_START_TEST (a_curve_leaves_the_stop_open)
{
  RetroTest *t = scale_test_new (scale_factors[0], "interpolation=linear");
  GstAudioInfo info = scale_plain_info ();
  gdouble *wave = scale_sine (100, N);

  set_curve (t, "factor", up_and_down, 3);
  retro_test_start (t, &info, 1, 0, PLAIN_NS (N));
  scale_push_numbers (t, wave, 0, N, 500);
  retro_test_eos (t);
  fail_unless_equals_int (retro_test_n_events (t, GST_EVENT_SEGMENT), 1);
  fail_unless_equals_clocktime (retro_test_nth_segment (t, 0).stop,
      GST_CLOCK_TIME_NONE);
  retro_test_assert_perfect (t, 0);
  retro_test_free (t);
  g_free (wave);
}

GST_END_TEST;

/* ---- no click ----------------------------------------------------------- */

static const struct
{
  gdouble from, to;
} jumps[] = {
  {1, 2}, {2, 1}, {1, 0.5}, {0.5, 1}, {1, 1.01}, {0.9, 1.1}, {3, 0.7}
};

/* If a sine is read at speed v, its second difference is at most v² times as large. While
 * the speed changes, the slope of the sine × the change of the speed is added. */
GST_START_TEST (a_jump_does_not_click)
{
  const gdouble frequency = 150, w = 2 * G_PI * frequency / RATE;
  gdouble from = jumps[__i__].from, to = jumps[__i__].to;
  gdouble fastest = 1 / MIN (from, to);
  gdouble change = fabs (1 / from - 1 / to) / 40 * (1 / from + 1 / to) / 2;
  gdouble *wave = scale_sine (frequency, N), *out, bend;
  RetroTest *t = scale_test_new (scale_factors[0], "quality=6");
  GstAudioInfo info = scale_plain_info ();
  guint n;

  g_object_set (t->element, "factor", from, NULL);
  retro_test_start (t, &info, 1, 0, GST_CLOCK_TIME_NONE);
  scale_push_numbers (t, wave, 0, N / 2, 500);
  g_object_set (t->element, "factor", to, NULL);
  scale_push_numbers (t, wave, N / 2, N, 500);
  out = finish (t, &n);
  bend = scale_largest_bend (out, 1000, n - 1000);
  fail_unless (bend <= 0.5 * w * w * fastest * fastest + 0.5 * w * change
      + 1e-6, "%g", bend);
  g_free (out);
  g_free (wave);
}

GST_END_TEST;

/* ---- a change of the interpolation --------------------------------------- */

static const struct
{
  const gchar *first, *then;
} ways[] = {
  {"interpolation=sinc quality=6", "interpolation=linear"},
  {"interpolation=linear", "interpolation=sinc quality=6"},
  {"interpolation=cubic", "interpolation=sinc quality=10"},
  {"interpolation=sinc quality=10", "interpolation=sinc quality=0"},
  {"interpolation=sinc quality=0", "interpolation=sinc quality=10"},
  {"interpolation=nearest", "interpolation=smooth"}
};

#define N_WAYS 6

static gdouble *
scaled_by (const gchar * properties, gdouble factor, const gdouble * wave,
    guint * n)
{
  RetroTest *t = start (properties);

  g_object_set (t->element, "factor", factor, NULL);
  retro_test_flush (t);
  {
    GstSegment segment = retro_test_segment (1, 0, GST_CLOCK_TIME_NONE);

    retro_test_send_segment (t, &segment);
  }
  scale_push_numbers (t, wave, 0, N, 500);
  return finish (t, n);
}

static void
set_properties (RetroTest * t, const gchar * properties)
{
  gchar **parts = g_strsplit_set (properties, " =", 4);
  guint i;

  for (i = 0; parts[i] != NULL; i += 2)
    gst_util_set_object_arg (G_OBJECT (t->element), parts[i], parts[i + 1]);
  g_strfreev (parts);
}

static gdouble *
switched (guint way, gdouble factor, const gdouble * wave, guint piece,
    guint * n)
{
  RetroTest *t = start (ways[way].first);
  GstSegment segment = retro_test_segment (1, 0, GST_CLOCK_TIME_NONE);

  g_object_set (t->element, "factor", factor, NULL);
  retro_test_flush (t);
  retro_test_send_segment (t, &segment);
  scale_push_numbers (t, wave, 0, N / 2, piece);
  set_properties (t, ways[way].then);
  scale_push_numbers (t, wave, N / 2, N, piece);
  return finish (t, n);
}

/* Up to a certain frame, the output must be that of the first interpolation,
 * and from there on that of the second. This shows that no frame is lost or
 * repeated, and that the only jump is the difference between the two outputs.
 * */
GST_START_TEST (another_interpolation_continues_at_the_next_frame)
{
  static const gdouble factors[] = { 1.1, 0.7, 2, 0.1 };
  gdouble factor = factors[__i__ / N_WAYS];
  guint way = __i__ % N_WAYS, n, n_first, n_then, k;
  gdouble *wave = scale_sine (300, N);
  gdouble *first = scaled_by (ways[way].first, factor, wave, &n_first);
  gdouble *then = scaled_by (ways[way].then, factor, wave, &n_then);
  gdouble *out = switched (way, factor, wave, 500, &n);

  fail_unless_equals_int (n, n_first);
  fail_unless_equals_int (n, n_then);
  for (k = 0; k < n && out[k] == first[k]; k++);
  /* if every output frame coincides with an input frame, all interpolations have the same
   * output */
  fail_unless (k < n || factor == 0.1);
  fail_unless (k == n
      || fabs (k - N / 2 * factor) < 0.1 * N * factor + 20, "%u of %u", k, n);
  for (; k < n && fabs (out[k] - then[k]) < 1e-12; k++);
  fail_unless (k == n, "%u of %u", k, n);
  g_free (out);
  g_free (then);
  g_free (first);
  g_free (wave);
}

GST_END_TEST;

GST_START_TEST (another_interpolation_does_not_click)
{
  gdouble *wave = scale_sine (100, N), *out, *first, *then;
  guint n;

  /* changes from cubic to sinc, or from one length of sinc to another */
  out = switched (2 + __i__, 1.5, wave, 500, &n);
  first = scaled_by (ways[2 + __i__].first, 1.5, wave, &n);
  then = scaled_by (ways[2 + __i__].then, 1.5, wave, &n);
  fail_unless (scale_largest_bend (out, 500, n - 500)
      <= MAX (scale_largest_bend (first, 500, n - 500),
          scale_largest_bend (then, 500, n - 500)) + 1e-6);
  g_free (then);
  g_free (first);
  g_free (out);
  g_free (wave);
}

GST_END_TEST;

GST_START_TEST (a_change_while_the_factor_moves_loses_nothing)
{
  gdouble *wave = scale_sine (100, N);
  RetroTest *t = start ("interpolation=linear");
  guint n;

  scale_push_numbers (t, wave, 0, 4000, 500);
  g_object_set (t->element, "factor", 0.5, NULL);
  scale_push_numbers (t, wave, 4000, 4010, 10);
  set_properties (t, "interpolation=sinc quality=8");
  scale_push_numbers (t, wave, 4010, 4020, 10);
  set_properties (t, "interpolation=cubic");
  scale_push_numbers (t, wave, 4020, N, 500);
  g_free (finish (t, &n));
  /* 4000 input frames are output at speed 1. Then the speed rises to 2 during 40 output
   * frames, which need 60 (40 × 3 / 2) input frames. */
  fail_unless (fabs (n - (4000 + 40 + (N - 4060) * 0.5)) <= 1, "%u", n);
  g_free (wave);
}

GST_END_TEST;

/* ---- thousands of changes ----------------------------------------------- */

GST_START_TEST (thousands_of_changes_lose_no_frame)
{
  gchar *properties = g_strdup_printf ("interpolation=%s quality=0",
      scale_interpolations[__i__]);
  RetroTest *t = start (properties);
  GRand *rand = g_rand_new_with_seed (11);
  /* the expected input position of the next output frame, according to the formulas for
   * changes */
  ScaleMove move = scale_move_start (1);
  gdouble samples[200] = { 0 };
  guint64 at = 0;
  guint i;

  for (i = 0; i < 3000; i++) {
    gdouble factor = pow (10, g_rand_double_range (rand, -2, 2));
    guint n = g_rand_int_range (rand, 1, 120);

    if (i == 0)
      move = scale_move_start (factor);
    scale_move_on (&move, factor, 40, retro_test_frames_out (t));
    g_object_set (t->element, "factor", factor, NULL);
    gst_harness_push (t->h, retro_test_buffer_of (&t->info, samples, n,
            PLAIN_NS (at)));
    at += n;
  }
  retro_test_eos (t);
  fail_unless (fabsl (retro_test_frames_out (t) - scale_move_made (&move, at))
      <= 1, "%" G_GUINT64_FORMAT " instead of %Lg", retro_test_frames_out (t),
      scale_move_made (&move, at));
  g_rand_free (rand);
  retro_test_free (t);
  g_free (properties);
}

GST_END_TEST;

/* ---- latency ------------------------------------------------------------ */

static guint
count_latency_messages (RetroTest * t)
{
  GstMessage *message;
  guint n = 0;

  while ((message = gst_bus_pop_filtered (t->bus, GST_MESSAGE_LATENCY))) {
    gst_message_unref (message);
    n++;
  }
  return n;
}

/* The latency is 96 frames, and twice as many at factor 0.5. */
GST_START_TEST (latency_follows_the_factor)
{
  gdouble *wave = scale_sine (100, N);
  RetroTest *t = start ("quality=6");

  gst_harness_set_live (t->h, TRUE);
  scale_push_numbers (t, wave, 0, 2000, 500);
  fail_unless_equals_clocktime (gst_harness_query_latency (t->h),
      PLAIN_NS (96));
  fail_unless_equals_int (count_latency_messages (t), 1);

  g_object_set (t->element, "factor", 0.5, NULL);
  scale_push_numbers (t, wave, 2000, 4000, 500);
  fail_unless_equals_clocktime (gst_harness_query_latency (t->h),
      PLAIN_NS (192));
  fail_unless_equals_int (count_latency_messages (t), 1);

  g_object_set (t->element, "factor", 3.0, NULL);
  scale_push_numbers (t, wave, 4000, 6000, 500);
  fail_unless_equals_clocktime (gst_harness_query_latency (t->h),
      PLAIN_NS (96));
  g_object_set (t->element, "interpolation", 1, NULL);
  scale_push_numbers (t, wave, 6000, N, 500);
  fail_unless_equals_clocktime (gst_harness_query_latency (t->h), PLAIN_NS (1));
  retro_test_free (t);
  g_free (wave);
}

GST_END_TEST;

/* The kernel becomes eight times as long, in a few steps. Each step may cause
 * one message. */
GST_START_TEST (a_curve_reports_its_latency_a_few_times_only)
{
  static const GstTimedValue down[] = { {0, 1}, {2 * GST_SECOND, 0.125} };
  gdouble *wave = scale_sine (100, N);
  RetroTest *t = start_curve ("quality=6", "factor", down, 2);

  gst_harness_set_live (t->h, TRUE);
  scale_push_numbers (t, wave, 0, N, 100);
  fail_unless (gst_harness_query_latency (t->h) >= PLAIN_NS (8 * 96 - 16));
  fail_unless (gst_harness_query_latency (t->h) <= PLAIN_NS (16 * 96));
  fail_unless (count_latency_messages (t) <= 4);
  retro_test_free (t);
  g_free (wave);
}

GST_END_TEST;

static Suite *
timescale_move_suite (void)
{
  Suite *s = suite_create ("timescale_move");
  TCase *tc = tcase_create ("move");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, the_factor_is_that_of_the_curve_at_every_frame);
  tcase_add_loop_test (tc, frames_under_a_curve_are_its_integral, 0, 2);
  tcase_add_test (tc, a_curve_of_the_rate_is_followed_too);
  tcase_add_loop_test (tc, a_curve_does_not_depend_on_the_cuts, 0, 2);
  tcase_add_test (tc, a_curve_leaves_the_stop_open);
  tcase_add_loop_test (tc, a_jump_does_not_click, 0, G_N_ELEMENTS (jumps));
  tcase_add_loop_test (tc, another_interpolation_continues_at_the_next_frame, 0,
      4 * N_WAYS);
  tcase_add_loop_test (tc, another_interpolation_does_not_click, 0, 3);
  tcase_add_test (tc, a_change_while_the_factor_moves_loses_nothing);
  tcase_add_loop_test (tc, thousands_of_changes_lose_no_frame, 0,
      SCALE_N_INTERPOLATIONS);
  tcase_add_test (tc, latency_follows_the_factor);
  tcase_add_test (tc, a_curve_reports_its_latency_a_few_times_only);
  return s;
}

GST_CHECK_MAIN (timescale_move);
