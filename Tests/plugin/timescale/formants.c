/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * timescale: the formants are kept at their frequencies, or are shifted.
 */

#include "pitchsound.h"

/* The pitch of a buzz, and the frequency of its formant, in Hz. */
#define PITCH 100.0
#define FORMANT 1200.0

/* The spectral envelope of the buzz, in dB: it falls by 12 dB per 400 Hz on both sides of
 * the formant. */
static gdouble
level (gdouble hz)
{
  return -12 * fabs (hz - FORMANT) / 400;
}

/* Returns @n frames of the buzz: the sum of all harmonics, with the levels of the
 * envelope. */
static gdouble *
make_buzz (guint n)
{
  gdouble *buzz = g_new0 (gdouble, n);
  guint i, k;

  for (k = 1; k * PITCH < RATE / 2; k++)
    for (i = 0; i < n; i++)
      buzz[i] += 0.1 * pow (10, level (k * PITCH) / 20)
          * cos (2 * G_PI * k * PITCH * i / RATE + 0.3 * k * k);
  return buzz;
}

/* Returns the level of @n samples at the frequency @hz, in dB. */
static gdouble
level_of (const gdouble * numbers, guint n, gdouble hz)
{
  gdouble re = 0, im = 0;
  guint i;

  for (i = 0; i < n; i++) {
    gdouble weight = 0.5 - 0.5 * cos (2 * G_PI * (i + 0.5) / n);
    re += weight * numbers[i] * cos (2 * G_PI * hz * i / RATE);
    im += weight * numbers[i] * sin (2 * G_PI * hz * i / RATE);
  }
  return 10 * log10 (re * re + im * im);
}

/* Returns the frequency of the formant in the output, which has harmonics of @pitch Hz:
 * the intersection of two lines, each through the levels of two harmonics on one side of
 * the formant. */
static gdouble
formant_of (const gdouble * numbers, guint n, gdouble pitch)
{
  gdouble levels[64], best = -1e9, slope = 12.0 / 400 * pitch;
  guint k, at = 2, count = MIN (63, (guint) (RATE / 2 / pitch) - 1);

  for (k = 1; k <= count; k++) {
    levels[k] = level_of (numbers, n, k * pitch);
    if (levels[k] > best) {
      best = levels[k];
      at = k;
    }
  }
  fail_unless (at > 1 && at < count, "the loudest harmonic is number %u", at);
  return pitch * (at + (levels[at + 1] - levels[at - 1]) / (2 * slope));
}

typedef struct
{
  const gchar *properties;
  gdouble pitch, formant;       /* frequencies in the output, relative to the input */
} Use;

/* 2^(n / 12) for n = 4: 1.25992, -5: 0.74915, 3: 1.18921, -4: 0.79370 */
static const Use uses[] = {
  {"semitones=4", 1.25992, 1.25992},
  {"semitones=4 formants=keep", 1.25992, 1},
  {"semitones=-5 formants=keep", 0.74915, 1},
  {"semitones=4 formants=keep formant-semitones=3", 1.25992, 1.18921},
  {"semitones=-5 formants=keep formant-semitones=-4", 0.74915, 0.7937},
  {"formant-semitones=3", 1, 1.18921},
  {"formant-semitones=-4", 1, 0.7937},
  {"keep-pitch=true factor=1.5 formant-semitones=3", 1, 1.18921},
  {"factor=1.25 formants=keep", 0.8, 1},
  {"factor=1.25 formants=keep formant-semitones=3", 0.8, 1.18921}
};

GST_START_TEST (pitch_and_formants_are_where_the_properties_have_them)
{
  const Use *use = &uses[__i__];
  RetroTest *t = start_music (use->properties);
  gdouble *in = make_buzz (2 * N), *out, formant;
  guint n;

  scale_push_numbers (t, in, 0, 2 * N, 1000);
  out = finish (t, &n);
  formant = formant_of (out + n / 2, 8000, PITCH * use->pitch);
  fail_unless (fabs (formant / (FORMANT * use->formant) - 1) < 0.03,
      "%s: the formant is at %g Hz", use->properties, formant);
  g_free (in);
  g_free (out);
}

GST_END_TEST;

/* A change of the formants must be audible within half a second, and must be
 * revertible. */
GST_START_TEST (they_change_while_it_plays)
{
  RetroTest *t = start_music ("semitones=4");
  gdouble *in = make_buzz (4 * N), *out;
  guint n, i;
  static const gdouble formants[] = { 1.25992, 1, 0.7937, 1.25992 };

  scale_push_numbers (t, in, 0, N, 500);
  gst_util_set_object_arg (G_OBJECT (t->element), "formants", "keep");
  scale_push_numbers (t, in, N, 2 * N, 500);
  g_object_set (t->element, "formant-semitones", -4.0, NULL);
  scale_push_numbers (t, in, 2 * N, 3 * N, 500);
  gst_util_set_object_arg (G_OBJECT (t->element), "formants", "follow");
  g_object_set (t->element, "formant-semitones", 0.0, NULL);
  scale_push_numbers (t, in, 3 * N, 4 * N, 500);
  out = finish (t, &n);
  for (i = 0; i < 4; i++) {
    gdouble formant = formant_of (out + i * N + N - 9000, 8000,
        PITCH * 1.25992);
    fail_unless (fabs (formant / (FORMANT * formants[i]) - 1) < 0.03,
        "part %u: the formant is at %g Hz", i, formant);
  }
  g_free (in);
  g_free (out);
}

GST_END_TEST;

static Suite *
timescale_formants_suite (void)
{
  Suite *s = suite_create ("timescale_formants");
  TCase *tc = tcase_create ("formants");

  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 60);
  tcase_add_loop_test (tc,
      pitch_and_formants_are_where_the_properties_have_them, 0,
      G_N_ELEMENTS (uses));
  tcase_add_test (tc, they_change_while_it_plays);
  return s;
}

GST_CHECK_MAIN (timescale_formants);
