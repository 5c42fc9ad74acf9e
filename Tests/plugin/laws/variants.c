/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The ways that the hot functions are compiled for x86-64: all that this
 * processor can run give the same bits, and the environment can choose.
 */

#include "../../Sources/CTimeDSP/timedspcpu.h"
#include "retrotest.h"

#include <cpuid.h>
#include <math.h>
#include <string.h>

#define N_FRAMES 3000
#define MOST_CHANNELS 5
#define MOST_BYTES (4 * N_FRAMES * MOST_CHANNELS * sizeof (gdouble))

static const gdouble factors[] = { 0.5, 1 / 1.1, 1, 1.2345678, 2, 0.07 };
static const guint channels[] = { 1, 2, MOST_CHANNELS };

/* Any bits for whole numbers, between -1 and 1 for the others. */
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

/* The bytes made of N_FRAMES frames, with the factor moving in the middle. */
static gsize
scale (const TimeDSPVariant * variant, const TimeDSPConfig * config,
    gdouble factor, const void *input, guint8 * output)
{
  static const gsize sample_bytes[] = { 2, 4, 4, 8 };
  const gsize frame_bytes = sample_bytes[config->format] * config->channels;
  const gsize room = MOST_BYTES / frame_bytes;
  gsize done = 0, made = 0, used, n;
  TimeDSPScaler *scaler;

  fail_unless_equals_int (timedsp_scaler_new (config, factor, &scaler), 0);
  while (done < N_FRAMES) {
    const void *in = (const guint8 *) input + done * frame_bytes;
    void *out = output + made * frame_bytes;

    if (done == N_FRAMES / 2)
      timedsp_scaler_ramp_factor (scaler, 0.8 * factor, 500);
    fail_unless_equals_int (variant->process (scaler, &in, N_FRAMES / 6, &out,
            room - made, &used, &n), TIMEDSP_OK);
    fail_unless_equals_int (used, N_FRAMES / 6);
    done += used;
    made += n;
  }
  do {
    void *out = output + made * frame_bytes;

    fail_unless_equals_int (variant->finish (scaler, &out, room - made, &n),
        TIMEDSP_OK);
    made += n;
  } while (n > 0);
  timedsp_scaler_free (scaler);
  return made * frame_bytes;
}

static void
assert_same (const TimeDSPConfig * config, gdouble factor)
{
  const TimeDSPVariant *const *variant = timedsp_variants ();
  gdouble *input = g_new (gdouble, N_FRAMES * MOST_CHANNELS);
  guint8 *one = g_malloc (MOST_BYTES), *other = g_malloc (MOST_BYTES);
  gsize n_bytes;

  fill (input, config->format, N_FRAMES * config->channels);
  n_bytes = scale (*variant, config, factor, input, one);
  fail_unless (n_bytes > 0);
  while (*++variant != NULL) {
    fail_unless_equals_int (scale (*variant, config, factor, input, other),
        n_bytes);
    if (memcmp (one, other, n_bytes) != 0)
      fail ("%s, format %d, interpolation %d, quality %u, %u channels, "
          "factor %g", (*variant)->name, config->format, config->interpolation,
          config->quality, config->channels, factor);
  }
  g_free (input);
  g_free (one);
  g_free (other);
}

static void
assert_all_same (TimeDSPFormat format, TimeDSPInterpolation interpolation,
    guint quality)
{
  guint c, f;

  for (c = 0; c < G_N_ELEMENTS (channels); c++) {
    TimeDSPConfig config = { format, TIMEDSP_INTERLEAVED, interpolation,
      channels[c], quality
    };

    for (f = 0; f < G_N_ELEMENTS (factors); f++)
      assert_same (&config, factors[f]);
  }
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

#define STRETCH_ROOM (8 * N_FRAMES)

/* The bytes made of N_FRAMES frames, with the factor moving from the middle to 1. */
static gsize
stretch (const TimeDSPVariant * variant, const TimeStretchConfig * config,
    gdouble factor, const void *input, guint8 * output)
{
  static const gsize sample_bytes[] = { 2, 4, 4, 8 };
  const gsize frame_bytes = sample_bytes[config->format] * config->channels;
  gsize bytes, done, made = 0;
  TimeStretchProgress progress;
  TimeStretcher *stretcher;
  void *memory, *out;

  fail_unless_equals_int (timestretch_memory_bytes (config, &bytes), 0);
  memory = timedsp_allocate (bytes);
  fail_unless_equals_int (timestretch_init (config, factor, memory, bytes,
          &stretcher), TIMEDSP_OK);
  for (done = 0; done < N_FRAMES; done += progress.frames_used) {
    const void *in = (const guint8 *) input + done * frame_bytes;

    out = output + made * frame_bytes;
    if (done == N_FRAMES / 2)
      timestretch_ramp_factor (stretcher, 1, 500);
    fail_unless_equals_int (variant->stretch (stretcher, &in, N_FRAMES / 6,
            &out, STRETCH_ROOM - made, &progress), TIMEDSP_OK);
    fail_unless_equals_int (progress.frames_used, N_FRAMES / 6);
    made += progress.frames_made;
  }
  do {
    out = output + made * frame_bytes;
    fail_unless_equals_int (variant->finish_stretch (stretcher, &out,
            STRETCH_ROOM - made, &progress), TIMEDSP_OK);
    made += progress.frames_made;
  } while (progress.frames_made > 0);
  timedsp_deallocate (memory);
  return made * frame_bytes;
}

/* Noise, then a voice at 8 kHz, whose pitch rises from 160 to 280 Hz, and which ends and comes
 * again: that has a window of its own, and is followed through its beginnings and its end. */
static void
add_voice (gdouble * memory, const TimeStretchConfig * config)
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

static void
assert_stretches_same (const TimeStretchConfig * config, gdouble factor)
{
  const TimeDSPVariant *const *variant = timedsp_variants ();
  const gsize most = STRETCH_ROOM * sizeof (gdouble) * 9;
  gdouble *input = g_new (gdouble, N_FRAMES * 9);
  guint8 *one = g_malloc (most), *other = g_malloc (most);
  gsize n_bytes;

  fill (input, config->format, N_FRAMES * config->channels);
  add_voice (input, config);
  n_bytes = stretch (*variant, config, factor, input, one);
  fail_unless (n_bytes > 0);
  while (*++variant != NULL) {
    fail_unless_equals_int (stretch (*variant, config, factor, input, other),
        n_bytes);
    if (memcmp (one, other, n_bytes) != 0)
      fail ("%s, format %d, window %d, %u channels, factor %g",
          (*variant)->name, config->format, config->window, config->channels,
          factor);
  }
  g_free (input);
  g_free (one);
  g_free (other);
}

/* A control: where there is no window for a voice, the bits are others. */
GST_START_TEST (the_voice_is_followed)
{
  const TimeDSPVariant *const *variant = timedsp_variants ();
  const gsize most = STRETCH_ROOM * sizeof (gfloat);
  TimeStretchConfig config = { TIMEDSP_F32, TIMEDSP_INTERLEAVED, 1, 8000,
    TIMESTRETCH_AUTO
  };
  gdouble *input = g_new (gdouble, N_FRAMES);
  guint8 *one = g_malloc (most), *other = g_malloc (most);
  gsize n_bytes;

  fill (input, config.format, N_FRAMES);
  add_voice (input, &config);
  n_bytes = stretch (*variant, &config, stretch_factors[__i__], input, one);
  config.window = TIMESTRETCH_MUSIC;
  fail_unless_equals_int (stretch (*variant, &config, stretch_factors[__i__],
          input, other), n_bytes);
  fail_if (memcmp (one, other, n_bytes) == 0);
  g_free (input);
  g_free (one);
  g_free (other);
}

GST_END_TEST;

/* Nine channels are more than the spectra are looked at of. */
GST_START_TEST (all_stretch_to_the_same_bits)
{
  static const guint channels[] = { 1, 2, 9 };
  guint c, f;

  for (c = 0; c < G_N_ELEMENTS (channels); c++)
    for (f = 0; f < G_N_ELEMENTS (stretch_factors); f++) {
      TimeStretchConfig config = { __i__ % 4, TIMEDSP_INTERLEAVED, channels[c],
        8000, __i__ / 4
      };

      assert_stretches_same (&config, stretch_factors[f]);
    }
}

GST_END_TEST;

/* ---- reversing ---------------------------------------------------------- */

/* Frame by frame, as timedsp.h says it. */
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

/* ---- the choice --------------------------------------------------------- */

/* As CPUID says, which valgrind emulates. */
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
    fail_unless (variants[i]->process != variants[0]->process);
    fail_unless (variants[i]->finish != variants[0]->finish);
    fail_unless (variants[i]->stretch != variants[0]->stretch);
    fail_unless (variants[i]->finish_stretch != variants[0]->finish_stretch);
  }
  fail_unless_equals_string (variants[i - 1]->name, best_name ());
}

GST_END_TEST;

/* meson.build asks for each. */
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
  /* the rest calls each of them, whatever the environment says */
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
