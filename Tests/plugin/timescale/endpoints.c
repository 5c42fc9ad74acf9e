/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * timescale, alignment=endpoints: the stream is scaled as a whole when it ends, and the
 * first and the last frame are kept.
 */

#include "scalemodel.h"
#include "seed_scaling.h"

#include <math.h>
#include <string.h>

static RetroTest *
endpoints (gdouble factor, const gchar * properties)
{
  gchar *description = g_strdup_printf ("timescale alignment=endpoints %s",
      properties);
  RetroTest *t = retro_test_new (description);

  g_object_set (t->element, "factor", factor, NULL);
  g_free (description);
  return t;
}

/* ---- the numbers in "Scaling Audio Files" -------------------------------- */

static void
assert_seed (gsize length, const gint16 * expected, const gchar * properties)
{
  /* floor (16 × length / 16) must be exactly the length, although the factor is
   * rounded */
  RetroTest *t = endpoints (length / (gdouble) SEED_N_SAMPLES, properties);
  GstAudioInfo info;
  GByteArray *bytes;
  gsize i;

  retro_test_plain_info (&info);
  retro_test_start (t, &info, 1, 0, GST_CLOCK_TIME_NONE);
  for (i = 0; i < SEED_N_SAMPLES; i += 4)
    gst_harness_push (t->h, retro_test_buffer_of (&info, seed_samples + i, 4,
            PLAIN_NS (i)));
  retro_test_eos (t);

  bytes = retro_test_bytes (t);
  fail_unless_equals_int (bytes->len, length * 2);
  for (i = 0; i < length; i++)
    fail_unless_equals_int (((gint16 *) bytes->data)[i], expected[i]);
  g_byte_array_unref (bytes);
  retro_test_free (t);
}

GST_START_TEST (linear_gives_the_seeds_figures)
{
  assert_seed (seed_cases[__i__].length, seed_cases[__i__].linear,
      "interpolation=linear");
}

GST_END_TEST;

GST_START_TEST (smooth_gives_the_seeds_figures)
{
  assert_seed (seed_cases[__i__].length, seed_cases[__i__].smooth,
      "interpolation=smooth");
}

GST_END_TEST;

GST_START_TEST (without_memory_it_gives_them_too)
{
  assert_seed (seed_cases[__i__].length, seed_cases[__i__].smooth,
      "interpolation=smooth max-memory=0");
}

GST_END_TEST;

/* The table must have all 40 lengths. The two results that are printed in the article
 * must be among them. */
GST_START_TEST (the_figures_are_there)
{
  static const gint16 ten[] = { 3, 2, 7, 56, 14, 65, 84, 16, 8, 15 };
  static const gint16 nine[] = { 3, 2, 5, 42, 40, 58, 22, 7, 15 };
  guint i;

  fail_unless_equals_int (SEED_N_SAMPLES, 16);
  fail_unless_equals_int (SEED_N_CASES, 40);
  for (i = 0; i < SEED_N_CASES; i++)
    fail_unless_equals_int (seed_cases[i].length, i + 1);
  fail_unless (memcmp (seed_cases[9].smooth, ten, sizeof (ten)) == 0);
  fail_unless (memcmp (seed_cases[8].smooth, nine, sizeof (nine)) == 0);
}

GST_END_TEST;

/* ---- any stream --------------------------------------------------------- */

#define N 1000

static RetroTest *
scaled (ScaleFactor factor, GstAudioFormat format, GstAudioLayout layout,
    gint channels, const gchar * properties)
{
  RetroTest *t = endpoints ((gdouble) factor.num / factor.den, properties);
  GstAudioInfo info;

  retro_test_info (&info, format, layout, 8000, channels);
  retro_test_start (t, &info, 1, 0, GST_CLOCK_TIME_NONE);
  retro_test_push_cut (t, 0, N, retro_test_cuts[3]);
  fail_unless_equals_int (retro_test_n_buffers (t), 0);
  retro_test_eos (t);
  return t;
}

GST_START_TEST (the_first_and_the_last_frame_are_kept)
{
  static const GstAudioFormat formats[] = {
    GST_AUDIO_FORMAT_S16, GST_AUDIO_FORMAT_S32, GST_AUDIO_FORMAT_F32,
    GST_AUDIO_FORMAT_F64
  };
  ScaleFactor factor = scale_factors[__i__];
  guint i, layout;

  for (i = 0; i < SCALE_N_INTERPOLATIONS; i++)
    /* a sinc filters the input, so its first output frame is not exactly the first input
     * frame */
    for (layout = 0; i != TIMEDSP_SINC && layout < 2; layout++) {
      GstAudioFormat format = formats[i % G_N_ELEMENTS (formats)];
      gchar *properties = g_strdup_printf ("interpolation=%s",
          scale_interpolations[i]);
      RetroTest *t = scaled (factor, format, layout, 3, properties);
      gsize bpf = GST_AUDIO_INFO_BPF (&t->info);
      guint64 length = scale_length (N, factor);
      GByteArray *bytes = retro_test_bytes (t);
      guint8 frame[24];

      fail_unless_equals_uint64 (retro_test_frames_out (t), length);
      retro_test_frame (&t->info, 0, frame);
      fail_unless (memcmp (bytes->data, frame, bpf) == 0);
      retro_test_frame (&t->info, N - 1, frame);
      fail_unless (memcmp (bytes->data + (length - 1) * bpf, frame, bpf) == 0);
      g_byte_array_unref (bytes);
      retro_test_free (t);
      g_free (properties);
    }
}

GST_END_TEST;

/* The expected values are computed here by linear interpolation with the step (n - 1) /
 * (length - 1). */
GST_START_TEST (values_lie_on_the_ramp_between_the_ends)
{
  ScaleFactor factor = scale_factors[__i__];
  RetroTest *t = scaled (factor, GST_AUDIO_FORMAT_F64,
      GST_AUDIO_LAYOUT_INTERLEAVED, 1, "interpolation=linear");
  guint64 length = scale_length (N, factor), k;
  GByteArray *bytes = retro_test_bytes (t);
  gdouble in[N + 1];
  gsize i;

  for (i = 0; i < N; i++)
    retro_test_frame (&t->info, i, (guint8 *) & in[i]);
  in[N] = 0;
  for (k = 0; k < length; k++) {
    gdouble found = ((gdouble *) bytes->data)[k];
    guint64 index = k * (N - 1) / (length - 1);
    gdouble a = (gdouble) (k * (N - 1) % (length - 1)) / (length - 1);
    gdouble expected = in[index] + a * (in[index + 1] - in[index]);

    fail_unless (fabs (found - expected) < 1e-9, "frame %" G_GUINT64_FORMAT
        " is %.17g and not %.17g", k, found, expected);
  }
  g_byte_array_unref (bytes);
  retro_test_free (t);
}

GST_END_TEST;

GST_START_TEST (times_are_those_of_the_frames)
{
  RetroTest *t = scaled (scale_factors[__i__], GST_AUDIO_FORMAT_S16,
      GST_AUDIO_LAYOUT_INTERLEAVED, 1, "");

  retro_test_assert_perfect (t, 0);
  retro_test_free (t);
}

GST_END_TEST;

/* ---- memory ------------------------------------------------------------- */

static GByteArray *
scale_much (const gchar * properties, const gchar * folder, guint files)
{
  RetroTest *t = endpoints (1.5, properties);
  GstAudioInfo info;
  GByteArray *bytes;

  g_object_set (t->element, "spill-directory", folder, NULL);
  retro_test_info (&info, GST_AUDIO_FORMAT_F64,
      GST_AUDIO_LAYOUT_NON_INTERLEAVED, 48000, 2);
  retro_test_start (t, &info, 1, 0, GST_CLOCK_TIME_NONE);
  retro_test_push_cut (t, 0, 200000, retro_test_cuts[0]);
  fail_unless_equals_int (retro_test_nameless_files_of (folder), files);
  retro_test_eos (t);
  fail_unless_equals_uint64 (retro_test_frames_out (t), 300000);
  fail_unless_equals_int (retro_test_nameless_files_of (folder), 0);
  bytes = retro_test_bytes (t);
  retro_test_free (t);
  return bytes;
}

GST_START_TEST (a_file_gives_the_same_as_memory)
{
  gchar *folder = retro_test_make_folder ();
  GByteArray *memory = scale_much ("", folder, 0);
  GByteArray *file = scale_much ("max-memory=0", folder, 1);

  fail_unless_equals_int (memory->len, file->len);
  fail_unless (memcmp (memory->data, file->data, file->len) == 0);
  g_byte_array_unref (memory);
  g_byte_array_unref (file);
  retro_test_remove_folder (folder);
}

GST_END_TEST;

/* ---- interrupted -------------------------------------------------------- */

GST_START_TEST (a_flush_forgets_kept_audio)
{
  RetroTest *t = endpoints (1, "");
  GstSegment segment = retro_test_segment (1, 0, GST_CLOCK_TIME_NONE);
  GstAudioInfo info;

  retro_test_plain_info (&info);
  retro_test_start (t, &info, 1, 0, GST_CLOCK_TIME_NONE);
  retro_test_push (t, 0, 500);
  retro_test_flush (t);
  retro_test_clear (t);
  retro_test_send_segment (t, &segment);
  retro_test_push (t, 0, N);
  retro_test_eos (t);
  retro_test_assert_up (t, 0, N);
  retro_test_assert_perfect (t, 0);
  retro_test_free (t);
}

GST_END_TEST;

GST_START_TEST (the_factor_at_the_end_counts)
{
  RetroTest *t = endpoints (1, "");
  GstAudioInfo info;
  GstSegment segment;

  retro_test_plain_info (&info);
  retro_test_start (t, &info, 1, 0, PLAIN_NS (N));
  retro_test_push (t, 0, 500);
  g_object_set (t->element, "factor", 2.0, NULL);
  retro_test_push (t, 500, 500);
  retro_test_eos (t);
  fail_unless_equals_uint64 (retro_test_frames_out (t), 2 * N);
  segment = retro_test_nth_segment (t,
      retro_test_n_events (t, GST_EVENT_SEGMENT) - 1);
  fail_unless_equals_clocktime (segment.stop, PLAIN_NS (2 * N));
  retro_test_assert_perfect (t, 0);
  retro_test_free (t);
}

GST_END_TEST;

static Suite *
timescale_endpoints_suite (void)
{
  Suite *s = suite_create ("timescale_endpoints");
  TCase *tc = tcase_create ("endpoints");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, the_figures_are_there);
  tcase_add_loop_test (tc, linear_gives_the_seeds_figures, 0, SEED_N_CASES);
  tcase_add_loop_test (tc, smooth_gives_the_seeds_figures, 0, SEED_N_CASES);
  tcase_add_loop_test (tc, without_memory_it_gives_them_too, 0, SEED_N_CASES);
  tcase_add_loop_test (tc, the_first_and_the_last_frame_are_kept, 0,
      SCALE_N_FACTORS);
  tcase_add_loop_test (tc, values_lie_on_the_ramp_between_the_ends, 0,
      SCALE_N_FACTORS);
  tcase_add_loop_test (tc, times_are_those_of_the_frames, 0, SCALE_N_FACTORS);
  tcase_add_test (tc, a_file_gives_the_same_as_memory);
  tcase_add_test (tc, a_flush_forgets_kept_audio);
  tcase_add_test (tc, the_factor_at_the_end_counts);
  return s;
}

GST_CHECK_MAIN (timescale_endpoints);
