/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * timescale: the samples of the output, compared with the output of the core before
 * rounding, and with formulas.
 */

#include "scalemodel.h"
#include "scalestream.h"

#include <math.h>
#include <string.h>

static const GstAudioFormat formats[] = {
  GST_AUDIO_FORMAT_S16, GST_AUDIO_FORMAT_S32, GST_AUDIO_FORMAT_F32,
  GST_AUDIO_FORMAT_F64
};

static const GstAudioLayout layouts[] = {
  GST_AUDIO_LAYOUT_INTERLEAVED, GST_AUDIO_LAYOUT_NON_INTERLEAVED
};

/* The largest allowed difference from the core's output in F64, in units of the sample:
 * the rounding error of the format. */
static const gdouble tolerances[] = { 0.5, 0.5, 6e-8, 0 };

static const gdouble ceilings[] = { 32767, 2147483647, 1e9, 1e9 };

static RetroTest *
scaling (ScaleFactor factor, TimeDSPInterpolation interpolation)
{
  gchar *properties = g_strdup_printf ("interpolation=%s",
      scale_interpolations[interpolation]);
  RetroTest *t = scale_test_new (factor, properties);

  g_free (properties);
  return t;
}

/* ---- comparison with the core --------------------------------------------- */

static GByteArray *
input_bytes (const GstAudioInfo * info, gsize n_frames)
{
  GstBuffer *buffer = retro_test_buffer (info, 0, n_frames);
  GByteArray *bytes = retro_test_buffer_bytes (info, buffer);

  gst_buffer_unref (buffer);
  return bytes;
}

/* Returns the core's output for one channel, before rounding: @n_out samples. The core
 * itself is tested in Swift. */
static gdouble *
core_output (const gdouble * channel, gsize n_in, guint64 n_out,
    ScaleFactor factor, TimeDSPInterpolation interpolation)
{
  TimeDSPConfig config = {.format = TIMEDSP_F64,.layout = TIMEDSP_INTERLEAVED,
    .interpolation = interpolation,.channels = 1
  };
  ScaleStream s = {.rate = 48000,
    .settings = {.factor = (gdouble) factor.num / factor.den}
  };
  GByteArray *made;

  scale_stream_open (&s, &config);
  scale_stream_feed (&s, channel, n_in);
  made = scale_stream_close (&s);
  fail_unless_equals_uint64 (made->len, n_out * sizeof (gdouble));
  return (gdouble *) g_byte_array_free (made, FALSE);
}

/* Compares the samples of one channel. Returns how many of them were clipped. */
static guint
assert_channel (RetroTest * t, guint format, const gdouble * in, gsize n_in,
    const gdouble * out, ScaleFactor factor, TimeDSPInterpolation interpolation)
{
  gint channels = GST_AUDIO_INFO_CHANNELS (&t->info);
  gdouble *channel = g_new (gdouble, n_in), *core;
  guint64 n_out = scale_length (n_in, factor), k;
  guint clipped = 0;
  gsize i;

  for (i = 0; i < n_in; i++)
    channel[i] = in[i * channels];
  core = core_output (channel, n_in, n_out, factor, interpolation);
  for (k = 0; k < n_out; k++) {
    gdouble clip = CLAMP (core[k], -ceilings[format] - 1, ceilings[format]);

    clipped += clip != core[k];
    fail_unless (fabs (out[k * channels] - clip) <= tolerances[format],
        "frame %" G_GUINT64_FORMAT " is %.17g and not %.17g (%s, factor %"
        G_GUINT64_FORMAT "/%" G_GUINT64_FORMAT ")", k, out[k * channels],
        clip, scale_interpolations[interpolation], factor.num, factor.den);
  }
  g_free (channel);
  g_free (core);
  return clipped;
}

static guint
assert_core (guint format, guint layout, gint channels, gsize n_in,
    ScaleFactor factor, TimeDSPInterpolation interpolation)
{
  RetroTest *t = scaling (factor, interpolation);
  GByteArray *in, *out;
  gdouble *in_numbers, *out_numbers;
  GstAudioInfo info;
  guint clipped = 0;
  gint c;

  retro_test_info (&info, formats[format], layouts[layout], 48000, channels);
  retro_test_start (t, &info, 1, 0, GST_CLOCK_TIME_NONE);
  retro_test_push_cut (t, 0, n_in, retro_test_cuts[3]);
  retro_test_eos (t);
  fail_unless_equals_uint64 (retro_test_frames_out (t),
      scale_length (n_in, factor));

  in = input_bytes (&info, n_in);
  out = retro_test_bytes (t);
  in_numbers = scale_numbers (&info, in);
  out_numbers = scale_numbers (&info, out);
  for (c = 0; c < channels; c++)
    clipped += assert_channel (t, format, in_numbers + c, n_in,
        out_numbers + c, factor, interpolation);

  g_free (in_numbers);
  g_free (out_numbers);
  g_byte_array_unref (in);
  g_byte_array_unref (out);
  retro_test_free (t);
  return clipped;
}

GST_START_TEST (samples_are_those_of_the_core)
{
  ScaleFactor factor = scale_factors[__i__ / SCALE_N_INTERPOLATIONS];
  guint format, layout;

  if (__i__ % SCALE_N_INTERPOLATIONS == TIMEDSP_SINC)
    return;                     /* formats differ in precision */
  for (format = 0; format < G_N_ELEMENTS (formats); format++)
    for (layout = 0; layout < G_N_ELEMENTS (layouts); layout++)
      assert_core (format, layout, 1 + format + layout, 203, factor,
          __i__ % SCALE_N_INTERPOLATIONS);
}

GST_END_TEST;

GST_START_TEST (short_streams_are_those_of_the_core)
{
  ScaleFactor factor = scale_factors[__i__ / SCALE_N_INTERPOLATIONS];
  gsize n;

  if (__i__ % SCALE_N_INTERPOLATIONS == TIMEDSP_SINC)
    return;
  for (n = 1; n < 8; n++)
    assert_core (3, 0, 1, n, factor, __i__ % SCALE_N_INTERPOLATIONS);
}

GST_END_TEST;

GST_START_TEST (many_channels_are_those_of_the_core)
{
  assert_core (2, __i__ % 2, 64, 50, scale_factors[3 + __i__ / 2],
      TIMEDSP_CUBIC);
}

GST_END_TEST;

GST_START_TEST (samples_beyond_full_scale_are_clipped)
{
  /* for noise at full scale, a cubic overshoots */
  fail_unless (assert_core (__i__, 0, 1, 5000, scale_factors[1],
          TIMEDSP_CUBIC) > 10);
}

GST_END_TEST;

/* ---- known results -------------------------------------------------------- */

static void
assert_s16 (ScaleFactor factor, TimeDSPInterpolation interpolation,
    const gint16 * in, gsize n_in, const gint16 * expected)
{
  RetroTest *t = scaling (factor, interpolation);
  gsize n_out = scale_length (n_in, factor), i;
  GstAudioInfo info;
  GByteArray *out;

  retro_test_plain_info (&info);
  retro_test_start (t, &info, 1, 0, GST_CLOCK_TIME_NONE);
  gst_harness_push (t->h, retro_test_buffer_of (&info, in, n_in, 0));
  retro_test_eos (t);
  out = retro_test_bytes (t);
  fail_unless_equals_int (out->len, n_out * 2);
  for (i = 0; i < n_out; i++)
    fail_unless_equals_int (((gint16 *) out->data)[i], expected[i]);
  g_byte_array_unref (out);
  retro_test_free (t);
}

GST_START_TEST (halves_are_rounded_to_even)
{
  static const gint16 in[] = { 0, 1, 2, 3, 4, 0, -1, -2, -3, -32768 };
  static const gint16 out[] = { 0, 0, 1, 2, 2, 2, 3, 4, 4, 2, 0, 0, -1, -2, -2,
    -2, -3, -16386, -32768, -32768
  };

  assert_s16 (scale_factors[1], TIMEDSP_LINEAR, in, 10, out);
}

GST_END_TEST;

GST_START_TEST (nearest_uses_the_later_frame_in_the_middle)
{
  static const gint16 in[] = { 10, 20, 30, 40 };
  static const gint16 twice[] = { 10, 20, 20, 30, 30, 40, 40, 40 };
  static const gint16 half[] = { 10, 30 };

  assert_s16 (scale_factors[1], TIMEDSP_NEAREST, in, 4, twice);
  assert_s16 (scale_factors[2], TIMEDSP_NEAREST, in, 4, half);
}

GST_END_TEST;

GST_START_TEST (smooth_is_smoothstep_when_lengthening)
{
  /* 1024 a² (3 - 2a) for a = 1/4, 1/2, 3/4 */
  static const ScaleFactor four = { 4, 1 };
  static const gint16 in[] = { 0, 1024, 0 };
  static const gint16 out[] = { 0, 160, 512, 864, 1024, 864, 512, 160, 0, 0, 0,
    0
  };

  assert_s16 (four, TIMEDSP_SMOOTH, in, 3, out);
}

GST_END_TEST;

GST_START_TEST (smooth_is_linear_when_shortening)
{
  static const ScaleFactor factor = { 3, 4 };
  static const gint16 in[] = { 0, 300, 0, 600, 0, 300, 0, 600 };
  static const gint16 out[] = { 0, 200, 400, 0, 200, 400 };

  assert_s16 (factor, TIMEDSP_SMOOTH, in, 8, out);
  assert_s16 (factor, TIMEDSP_LINEAR, in, 8, out);
}

GST_END_TEST;

/* Asserts that output frame k is f (k / factor). f must be a polynomial that
 * @interpolation reproduces exactly. */
static void
assert_polynomial (ScaleFactor factor, TimeDSPInterpolation interpolation,
    gdouble (*f) (gdouble x))
{
  RetroTest *t = scaling (factor, interpolation);
  gdouble samples[100], *out;
  GstAudioInfo info;
  GByteArray *bytes;
  guint64 k;
  guint i;

  for (i = 0; i < 100; i++)
    samples[i] = f (i);
  retro_test_info (&info, GST_AUDIO_FORMAT_F64, GST_AUDIO_LAYOUT_INTERLEAVED,
      48000, 1);
  retro_test_start (t, &info, 1, 0, GST_CLOCK_TIME_NONE);
  gst_harness_push (t->h, retro_test_buffer_of (&info, samples, 100, 0));
  retro_test_eos (t);
  bytes = retro_test_bytes (t);
  out = scale_numbers (&info, bytes);
  for (k = 0; k < scale_length (100, factor); k++) {
    gdouble x = (gdouble) k * factor.den / factor.num;

    /* near the ends, the interpolation uses repeated frames */
    if (x >= 1 && x <= 97)
      fail_unless (fabs (out[k] - f (x)) < 1e-11, "%g is not %g", out[k],
          f (x));
  }
  g_free (out);
  g_byte_array_unref (bytes);
  retro_test_free (t);
}

static gdouble
line (gdouble x)
{
  return 0.25 + x / 128;
}

static gdouble
cubic (gdouble x)
{
  gdouble u = (x - 50) / 50;

  return u * u * u - 0.5 * u * u + 0.25 * u - 0.125;
}

GST_START_TEST (linear_reproduces_a_line)
{
  assert_polynomial (scale_factors[__i__], TIMEDSP_LINEAR, line);
}

GST_END_TEST;

GST_START_TEST (cubic_reproduces_a_cubic)
{
  assert_polynomial (scale_factors[__i__], TIMEDSP_CUBIC, cubic);
}

GST_END_TEST;

/* The output for an impulse at factor 2 is the kernel, which has a zero near each input
 * frame. The length of the kernel shows that the default quality is 6. */
GST_START_TEST (sinc_of_quality_6_is_the_default)
{
  RetroTest *t = scale_test_new (scale_factors[1], "");
  RetroTest *named = scale_test_new (scale_factors[1],
      "interpolation=sinc quality=6");
  gfloat in[401] = { 0 };
  GByteArray *bytes, *named_bytes;
  const gfloat *out;
  GstAudioInfo info;
  guint i;

  in[200] = 1;
  retro_test_info (&info, GST_AUDIO_FORMAT_F32, GST_AUDIO_LAYOUT_INTERLEAVED,
      8000, 1);
  retro_test_start (t, &info, 1, 0, GST_CLOCK_TIME_NONE);
  retro_test_start (named, &info, 1, 0, GST_CLOCK_TIME_NONE);
  gst_harness_push (t->h, retro_test_buffer_of (&info, in, 401, 0));
  gst_harness_push (named->h, retro_test_buffer_of (&info, in, 401, 0));
  retro_test_eos (t);
  retro_test_eos (named);
  bytes = retro_test_bytes (t);
  named_bytes = retro_test_bytes (named);
  fail_unless_equals_int (bytes->len, 802 * sizeof (gfloat));
  fail_unless (memcmp (bytes->data, named_bytes->data, bytes->len) == 0);
  out = (const gfloat *) bytes->data;
  for (i = 0; i < 400; i++)
    fail_unless (out[400 - i] == out[400 + i]);
  fail_unless (out[400 + 2 * 96 - 1] != 0 && out[400 + 2 * 96 + 1] == 0);
  g_byte_array_unref (bytes);
  g_byte_array_unref (named_bytes);
  retro_test_free (named);
  retro_test_free (t);
}

GST_END_TEST;

static Suite *
timescale_values_suite (void)
{
  Suite *s = suite_create ("timescale_values");
  TCase *tc = tcase_create ("values");

  suite_add_tcase (s, tc);
  tcase_add_loop_test (tc, samples_are_those_of_the_core, 0,
      SCALE_N_FACTORS * SCALE_N_INTERPOLATIONS);
  tcase_add_loop_test (tc, short_streams_are_those_of_the_core, 0,
      SCALE_N_FACTORS * SCALE_N_INTERPOLATIONS);
  tcase_add_loop_test (tc, many_channels_are_those_of_the_core, 0, 4);
  tcase_add_loop_test (tc, samples_beyond_full_scale_are_clipped, 0, 2);
  tcase_add_test (tc, halves_are_rounded_to_even);
  tcase_add_test (tc, nearest_uses_the_later_frame_in_the_middle);
  tcase_add_test (tc, smooth_is_smoothstep_when_lengthening);
  tcase_add_test (tc, smooth_is_linear_when_shortening);
  tcase_add_loop_test (tc, linear_reproduces_a_line, 0, SCALE_N_FACTORS);
  tcase_add_loop_test (tc, cubic_reproduces_a_cubic, 0, SCALE_N_FACTORS);
  tcase_add_test (tc, sinc_of_quality_6_is_the_default);
  return s;
}

GST_CHECK_MAIN (timescale_values);
