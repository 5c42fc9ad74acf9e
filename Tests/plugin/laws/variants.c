/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * For x86-64, the hot functions are compiled in several variants. All variants that this
 * processor supports must output the same bits, and an environment variable selects one.
 */

#include "../../Sources/CTimeDSP/timedspcpu.h"
#include "retrotest.h"
#include "scalestream.h"

#include <cpuid.h>
#include <math.h>
#include <string.h>

#define N_FRAMES 3000
#define MOST_CHANNELS 5

static const gdouble factors[] = { 0.5, 1 / 1.1, 1, 1.2345678, 2, 0.07 };
static const guint channels[] = { 1, 2, MOST_CHANNELS };

/* Fills memory with random bits for integer formats, and with numbers between
 * -1 and 1 for floating-point formats. */
static void
fill (gdouble * memory, TimeDSPFormat format, gsize n)
{
  GRand *rand = g_rand_new_with_seed (4);
  gsize i;

  for (i = 0; i < n; i++) {
    if (format == TIMEDSP_F64)
      memory[i] = g_rand_double_range (rand, -1, 1);
    else if (format == TIMEDSP_F32)
      ((gfloat *) memory)[i] = g_rand_double_range (rand, -1, 1);
    else if (format == TIMEDSP_S32)
      ((guint32 *) memory)[i] = g_rand_int (rand);
    else
      ((guint16 *) memory)[i] = g_rand_int (rand);
  }
  g_rand_free (rand);
}

/* Scales N_FRAMES frames. From the middle on, the factor changes gradually. Returns the
 * output. */
static GByteArray *
scale (const TimeDSPVariant * variant, const TimeDSPConfig * config,
    guint rate, const TimeScaleSettings * settings, gdouble last_factor,
    const guint8 * input)
{
  ScaleStream s = {.rate = rate,.settings = *settings,
    .process = variant->scale
  };
  guint i;

  scale_stream_open (&s, config);
  for (i = 0; i < 6; i++) {
    if (i == 3) {
      s.settings.factor = last_factor;
      timescale_configure (s.session, &s.settings);
    }
    scale_stream_feed (&s, input + i * (N_FRAMES / 6) * s.frame_bytes,
        N_FRAMES / 6);
  }
  return scale_stream_close (&s);
}

static void
assert_same (const TimeDSPConfig * config, guint rate,
    const TimeScaleSettings * settings, gdouble last_factor,
    const guint8 * input)
{
  const TimeDSPVariant *const *variant = timedsp_variants ();
  GByteArray *one = scale (*variant, config, rate, settings, last_factor,
      input);

  fail_unless (one->len > 0);
  while (*++variant != NULL) {
    GByteArray *other = scale (*variant, config, rate, settings, last_factor,
        input);

    fail_unless_equals_int (one->len, other->len);
    if (memcmp (one->data, other->data, one->len) != 0)
      fail ("%s, format %d, interpolation %d, quality %u, window %d, "
          "%u channels, factor %g", (*variant)->name, config->format,
          config->interpolation, config->quality, settings->pitch.window,
          config->channels, settings->factor);
    g_byte_array_unref (other);
  }
  g_byte_array_unref (one);
}

static void
assert_all_same (TimeDSPFormat format, TimeDSPInterpolation interpolation,
    guint quality)
{
  gdouble *input = g_new (gdouble, N_FRAMES * MOST_CHANNELS);
  guint c, f;

  for (c = 0; c < G_N_ELEMENTS (channels); c++) {
    TimeDSPConfig config = { format, TIMEDSP_INTERLEAVED, interpolation,
      channels[c], quality
    };

    fill (input, config.format, N_FRAMES * config.channels);
    for (f = 0; f < G_N_ELEMENTS (factors); f++) {
      TimeScaleSettings settings = {.factor = factors[f] };

      assert_same (&config, 48000, &settings, 0.8 * factors[f],
          (const guint8 *) input);
    }
  }
  g_free (input);
}

GST_START_TEST (all_give_the_same_bits)
{
  assert_all_same (__i__ % 4, __i__ / 4, 0);
}

GST_END_TEST;

GST_START_TEST (all_give_the_same_bits_of_sinc)
{
  static const guint qualities[] = { 0, 4, 6, 10 };

  assert_all_same (__i__ % 4, TIMEDSP_SINC, qualities[__i__ / 4]);
}

GST_END_TEST;

/* ---- stretching --------------------------------------------------------- */

static const gdouble stretch_factors[] = { 0.5, 1.2345678, 3, 0.07 };

/* Adds a voice to the noise, at 8 kHz. Its pitch rises from 160 to 280 Hz. The voice
 * pauses, so that the stretcher switches to its window for voices and back. */
static void
add_voice (gdouble * memory, const TimeDSPConfig * config)
{
  gsize i;

  if (config->format != TIMEDSP_F32)
    return;
  for (i = 500 * config->channels; i < N_FRAMES * config->channels; i++) {
    gsize frame = i / config->channels;
    gdouble time = frame - 500.;
    gdouble turns = (160 + 60 * time / 2500) * time / 8000;

    ((gfloat *) memory)[i] = frame >= 1250 && frame < 1400 ? 0 :
        exp (-4 * (turns - floor (turns)));
  }
}

static gdouble *
sound_of (const TimeDSPConfig * config)
{
  gdouble *input = g_new (gdouble, N_FRAMES * config->channels);

  fill (input, config->format, N_FRAMES * config->channels);
  add_voice (input, config);
  return input;
}

static const TimeDSPConfig one_channel = { TIMEDSP_F32, TIMEDSP_INTERLEAVED,
  TIMEDSP_LINEAR, 1, 0
};

/* Checks that the stretcher recognizes the voice in the test signal: without
 * the window for voices, the output has different samples, but the same length.
 * The factor is constant, because the frame at which a change of the factor
 * begins depends on the window. */
GST_START_TEST (the_voice_is_followed)
{
  const TimeDSPVariant *const *variant = timedsp_variants ();
  TimeScaleSettings settings = {.factor = stretch_factors[__i__],
    .pitch = {.kept = TRUE,.window = TIMESTRETCH_AUTO}
  };
  gdouble *input = sound_of (&one_channel);
  GByteArray *one = scale (*variant, &one_channel, 8000, &settings,
      settings.factor, (const guint8 *) input);
  GByteArray *other;

  settings.pitch.window = TIMESTRETCH_MUSIC;
  other = scale (*variant, &one_channel, 8000, &settings, settings.factor,
      (const guint8 *) input);
  fail_unless_equals_int (one->len / sizeof (gfloat),
      floor (N_FRAMES * settings.factor));
  fail_unless_equals_int (one->len, other->len);
  fail_if (memcmp (one->data, other->data, one->len) == 0);
  g_free (input);
  g_byte_array_unref (one);
  g_byte_array_unref (other);
}

GST_END_TEST;

/* With nine channels, the stretcher does not calculate a spectrum for every channel. */
GST_START_TEST (all_stretch_to_the_same_bits)
{
  static const guint channels[] = { 1, 2, 9 };
  TimeScaleSettings settings = {.pitch = {.kept = TRUE,.window = __i__ / 4} };
  guint c, f;

  for (c = 0; c < G_N_ELEMENTS (channels); c++) {
    TimeDSPConfig config = { __i__ % 4, TIMEDSP_INTERLEAVED, TIMEDSP_LINEAR,
      channels[c], 0
    };
    gdouble *input = sound_of (&config);

    for (f = 0; f < G_N_ELEMENTS (stretch_factors); f++) {
      settings.factor = stretch_factors[f];
      assert_same (&config, 8000, &settings, 1, (const guint8 *) input);
    }
    g_free (input);
  }
}

GST_END_TEST;

/* ---- reversing ---------------------------------------------------------- */

/* Compares the output frame by frame, according to the definition in timedsp.h. */
static void
assert_reversed (const guint8 * input, const guint8 * output, gsize n_frames,
    gsize frame_bytes)
{
  gsize i;

  for (i = 0; i < n_frames; i++)
    if (memcmp (output + i * frame_bytes,
            input + (n_frames - 1 - i) * frame_bytes, frame_bytes) != 0)
      fail ("frame %zu of %zu, of %zu bytes", i, n_frames, frame_bytes);
}

static void
assert_reverses (const TimeDSPVariant * variant, gsize frame_bytes)
{
  const gsize most = 130 * frame_bytes;
  guint8 *input = g_malloc (most), *output = g_malloc (most);
  gsize n, i;

  for (i = 0; i < most; i++)
    input[i] = g_random_int ();
  for (n = 0; n <= 130; n++) {
    fail_unless_equals_int (variant->reverse (input, output, n, frame_bytes),
        TIMEDSP_OK);
    assert_reversed (input, output, n, frame_bytes);
    memcpy (output, input, most);
    fail_unless_equals_int (variant->reverse (output, output, n, frame_bytes),
        TIMEDSP_OK);
    assert_reversed (input, output, n, frame_bytes);
  }
  g_free (input);
  g_free (output);
}

GST_START_TEST (all_reverse_frames_of_every_size)
{
  const TimeDSPVariant *const *variant;

  for (variant = timedsp_variants (); *variant != NULL; variant++)
    assert_reverses (*variant, __i__);
}

GST_END_TEST;

/* ---- selection -------------------------------------------------------------- */

/* The name of the best variant that this processor supports, according to CPUID.
 * Valgrind emulates CPUID. */
static const gchar *
best_name (void)
{
  guint a, b, c, d;

  if (!__get_cpuid_count (7, 0, &a, &b, &c, &d) || !(b & bit_AVX2))
    return "baseline";
  return "avx2";
}

GST_START_TEST (the_processor_decides)
{
  const TimeDSPVariant *const *variants = timedsp_variants ();
  guint i;

  fail_unless_equals_string (variants[0]->name, "baseline");
  for (i = 1; variants[i] != NULL; i++) {
    fail_unless (variants[i]->reverse != variants[i - 1]->reverse);
    fail_unless (variants[i]->scale != variants[0]->scale);
  }
  fail_unless_equals_string (variants[i - 1]->name, best_name ());
}

GST_END_TEST;

/* meson.build runs this test with each value of the environment variable. */
GST_START_TEST (the_environment_chooses)
{
  const TimeDSPVariant *const *variant = timedsp_variants ();
  const gchar *expected = best_name ();

  for (; *variant != NULL; variant++) {
    if (g_strcmp0 (g_getenv ("RETROGRADE_CPU"), (*variant)->name) == 0)
      expected = (*variant)->name;
  }
  fail_unless_equals_string (timedsp_chosen_variant ()->name, expected);
}

GST_END_TEST;

static Suite *
variants_suite (void)
{
  const gchar *wish = g_getenv ("RETROGRADE_CPU");
  Suite *s = suite_create ("variants");
  TCase *tc = tcase_create ("variants");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, the_processor_decides);
  tcase_add_test (tc, the_environment_chooses);
  /* the other tests call every variant, whatever the environment variable is */
  if (wish != NULL && *wish != '\0')
    return s;
  tcase_add_loop_test (tc, all_reverse_frames_of_every_size, 1, 66);
  tcase_add_loop_test (tc, all_give_the_same_bits, 0, 4 * TIMEDSP_SINC);
  tcase_add_loop_test (tc, all_give_the_same_bits_of_sinc, 0, 4 * 4);
  tcase_add_loop_test (tc, the_voice_is_followed, 0,
      G_N_ELEMENTS (stretch_factors));
  tcase_add_loop_test (tc, all_stretch_to_the_same_bits, 0, 4 * 4);
  return s;
}

GST_CHECK_MAIN (variants);
