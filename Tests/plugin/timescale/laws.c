/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * timescale: requirements for any element that resamples. GStreamer has tests of the same
 * names for audioresample.
 */

#include "scalemodel.h"

#include <math.h>
#include <string.h>

static const GstAudioFormat formats[] = {
  GST_AUDIO_FORMAT_S16, GST_AUDIO_FORMAT_S32, GST_AUDIO_FORMAT_F32,
  GST_AUDIO_FORMAT_F64
};

static const GstAudioLayout layouts[] = {
  GST_AUDIO_LAYOUT_INTERLEAVED, GST_AUDIO_LAYOUT_NON_INTERLEAVED
};

static const ScaleFactor factors[] = {
  {1, 1}, {10, 11}, {1, 2}, {2, 1}, {3, 2}, {147, 160}, {1, 10}
};

#define N_FACTORS G_N_ELEMENTS (factors)

/* Starts a test with the format and layout of case @i, 44.1 kHz stereo. */
static RetroTest *
start (guint i)
{
  RetroTest *t = scale_test_new (factors[i % N_FACTORS], "quality=4");
  GstAudioInfo info;

  retro_test_info (&info, formats[i / N_FACTORS % 4], layouts[i % 2], 44100, 2);
  retro_test_start (t, &info, 1, 0, GST_CLOCK_TIME_NONE);
  return t;
}

GST_START_TEST (perfect_stream)
{
  ScaleFactor factor = factors[__i__ % N_FACTORS];
  RetroTest *t = start (__i__);
  GRand *rand = g_rand_new_with_seed (__i__);
  guint64 at = 0;

  while (at < 10000) {
    gsize n = g_rand_int_range (rand, 1, 1500);

    retro_test_push (t, at, n);
    at += n;
  }
  retro_test_eos (t);
  fail_unless_equals_uint64 (retro_test_frames_out (t),
      scale_length (at, factor));
  retro_test_assert_perfect (t, 0);
  g_rand_free (rand);
  retro_test_free (t);
}

GST_END_TEST;

/* Every third buffer is missing. The output times of the other buffers must
 * still be correct. */
GST_START_TEST (discont_stream)
{
  ScaleFactor factor = factors[__i__ % N_FACTORS];
  RetroTest *t = start (__i__);
  guint64 expected = 0;
  guint i, n = 0;

  for (i = 0; i < 9; i++) {
    if (i % 3 == 2)
      continue;
    retro_test_push (t, i * 4410, 4410);
  }
  retro_test_eos (t);
  for (i = 0; i < 3; i++)
    expected += scale_length (2 * 4410, factor);
  fail_unless_equals_uint64 (retro_test_frames_out (t), expected);
  for (i = 0; i < retro_test_n_buffers (t); i++) {
    GstBuffer *buffer = retro_test_nth_buffer (t, i);

    if (!GST_BUFFER_IS_DISCONT (buffer))
      continue;
    /* the parts between the holes begin at intervals of 300 ms */
    fail_unless_equals_clocktime (GST_BUFFER_PTS (buffer),
        scale_time (n * 300 * GST_MSECOND, factor));
    n++;
  }
  fail_unless_equals_int (n, 3);
  retro_test_free (t);
}

GST_END_TEST;

GST_START_TEST (reuse)
{
  RetroTest *t = start (__i__);
  GstAudioInfo info = t->info;
  GByteArray *once;

  retro_test_push (t, 0, 3000);
  retro_test_eos (t);
  once = retro_test_bytes (t);
  retro_test_restart (t);
  retro_test_clear (t);
  retro_test_start (t, &info, 1, 0, GST_CLOCK_TIME_NONE);
  retro_test_push (t, 0, 3000);
  retro_test_eos (t);
  retro_test_assert_bytes (t, once, NULL);
  retro_test_free (t);
}

GST_END_TEST;

/* The element is stopped while it buffers audio. */
GST_START_TEST (shutdown)
{
  RetroTest *t = start (__i__);

  retro_test_push (t, 0, 50);
  gst_element_set_state (t->element, GST_STATE_READY);
  gst_element_set_state (t->element, GST_STATE_NULL);
  retro_test_free (t);
}

GST_END_TEST;

/* The format changes in the middle of the stream. All audio in both formats must be
 * output. */
GST_START_TEST (live_switch)
{
  ScaleFactor factor = factors[__i__ % N_FACTORS];
  RetroTest *t = start (__i__);
  GstAudioInfo info;
  GstBuffer *last;

  retro_test_push (t, 0, 4410);
  retro_test_info (&info, formats[(__i__ / N_FACTORS + 1) % 4],
      layouts[(__i__ + 1) % 2], 22050, 1);
  retro_test_caps (t, &info);
  /* at the change, the audio in the old format is complete */
  last = retro_test_nth_buffer (t, retro_test_n_buffers (t) - 1);
  fail_unless_equals_uint64 (GST_BUFFER_OFFSET_END (last),
      scale_length (4410, factor));
  retro_test_clear (t);
  retro_test_push (t, 2205, 2205);
  retro_test_eos (t);
  fail_unless_equals_uint64 (retro_test_frames_out (t),
      scale_length (2205, factor));
  retro_test_assert_perfect (t, scale_time (100 * GST_MSECOND, factor));
  retro_test_free (t);
}

GST_END_TEST;

/* 64 frames at 44.1 kHz do not last a whole number of nanoseconds, so rounding errors
 * could add up. */
GST_START_TEST (timestamp_drift)
{
  RetroTest *t = scale_test_new (factors[__i__], "quality=0");
  GstAudioInfo info;
  GstClockTime pts = 0;
  guint i;

  retro_test_info (&info, GST_AUDIO_FORMAT_S16, GST_AUDIO_LAYOUT_INTERLEAVED,
      44100, 1);
  retro_test_start (t, &info, 1, 0, GST_CLOCK_TIME_NONE);
  for (i = 0; i < 5000; i++) {
    GstBuffer *buffer = retro_test_buffer (&info, i * 64, 64);

    /* like a source that adds rounded durations */
    GST_BUFFER_PTS (buffer) = pts;
    GST_BUFFER_DURATION (buffer) = 64 * GST_SECOND / 44100;
    pts += GST_BUFFER_DURATION (buffer);
    gst_harness_push (t->h, buffer);
  }
  retro_test_eos (t);
  fail_unless_equals_uint64 (retro_test_frames_out (t),
      scale_length (5000 * 64, factors[__i__]));
  retro_test_assert_perfect (t, 0);
  retro_test_free (t);
}

GST_END_TEST;

/* Returns the fraction of the power of @samples that is at @frequency. */
static gdouble
part_at (const gdouble * samples, guint n, gdouble frequency)
{
  gdouble c = 0, s = 0, all = 0;
  guint i;

  for (i = 0; i < n; i++) {
    /* a Hann window is applied, because the samples are not a whole number of periods */
    gdouble window = 0.5 - 0.5 * cos (2 * G_PI * i / n);

    c += window * samples[i] * cos (frequency * i);
    s += window * samples[i] * sin (frequency * i);
    all += window * samples[i] * samples[i];
  }
  /* For a sine of amplitude 1, c² + s² = (n / 4)² and all = n / 4, because the sum of the
   * window is n / 2. */
  return (c * c + s * s) / (n / 4.0) / all;
}

GST_START_TEST (fft)
{
  ScaleFactor factor = factors[__i__];
  RetroTest *t = scale_test_new (factor, "");
  gdouble wave[20000], *out;
  GByteArray *bytes;
  GstAudioInfo info;
  guint i, n;

  /* a sine at 0.02 of the Nyquist frequency, so that no factor moves it above
   * the Nyquist frequency */
  for (i = 0; i < G_N_ELEMENTS (wave); i++)
    wave[i] = 0.5 * sin (0.02 * G_PI * i);
  retro_test_info (&info, GST_AUDIO_FORMAT_F64, GST_AUDIO_LAYOUT_INTERLEAVED,
      48000, 1);
  retro_test_start (t, &info, 1, 0, GST_CLOCK_TIME_NONE);
  gst_harness_push (t->h, retro_test_buffer_of (&info, wave,
          G_N_ELEMENTS (wave), 0));
  retro_test_eos (t);
  bytes = retro_test_bytes (t);
  out = scale_numbers (&info, bytes);
  n = bytes->len / sizeof (gdouble);
  fail_unless (part_at (out, n, 0.02 * G_PI * factor.den / factor.num) > 0.999);
  g_free (out);
  g_byte_array_unref (bytes);
  retro_test_free (t);
}

GST_END_TEST;

/* Buffers that are marked as gaps must result in as many output frames as
 * buffers of sound. */
GST_START_TEST (gap_no_extra_samples)
{
  ScaleFactor factor = factors[__i__ % N_FACTORS];
  RetroTest *t = start (__i__);
  guint i;

  for (i = 0; i < 30; i++) {
    GstBuffer *buffer = retro_test_buffer (&t->info, i * 441, 441);

    if (i % 10 > 2) {
      gst_buffer_memset (buffer, 0, 0, -1);
      GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_GAP);
    }
    gst_harness_push (t->h, buffer);
  }
  retro_test_eos (t);
  fail_unless_equals_uint64 (retro_test_frames_out (t),
      scale_length (30 * 441, factor));
  retro_test_assert_perfect (t, 0);
  retro_test_free (t);
}

GST_END_TEST;

/* Pipelines with every format, and two timescales whose factors cancel. */
GST_START_TEST (pipelines)
{
  ScaleFactor factor = factors[__i__ % N_FACTORS];
  gchar *description = g_strdup_printf ("audiotestsrc num-buffers=10 ! "
      "audio/x-raw, format=%s, layout=%s, rate=48000, channels=3 ! "
      "timescale factor=%g quality=2 ! timescale rate=%g interpolation=linear "
      "! fakesink", gst_audio_format_to_string (formats[__i__ / N_FACTORS]),
      __i__ % 2 ? "non-interleaved" : "interleaved",
      (gdouble) factor.num / factor.den, (gdouble) factor.num / factor.den);
  GstElement *pipeline;
  GstMessage *message;
  GstBus *bus;

  retro_test_load_core ();
  pipeline = gst_parse_launch (description, NULL);
  fail_unless (pipeline != NULL, "%s", description);
  bus = gst_element_get_bus (pipeline);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (bus, 20 * GST_SECOND,
      GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  fail_unless (message != NULL
      && GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS, "%s", description);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_message_unref (message);
  gst_object_unref (bus);
  gst_object_unref (pipeline);
  g_free (description);
}

GST_END_TEST;

static Suite *
timescale_laws_suite (void)
{
  Suite *s = suite_create ("timescale_laws");
  TCase *tc = tcase_create ("laws");

  suite_add_tcase (s, tc);
  tcase_add_loop_test (tc, perfect_stream, 0, 4 * N_FACTORS);
  tcase_add_loop_test (tc, discont_stream, 0, 4 * N_FACTORS);
  tcase_add_loop_test (tc, reuse, 0, 4 * N_FACTORS);
  tcase_add_loop_test (tc, shutdown, 0, N_FACTORS);
  tcase_add_loop_test (tc, live_switch, 0, 4 * N_FACTORS);
  tcase_add_loop_test (tc, timestamp_drift, 0, N_FACTORS);
  tcase_add_loop_test (tc, fft, 0, N_FACTORS);
  tcase_add_loop_test (tc, gap_no_extra_samples, 0, 4 * N_FACTORS);
  tcase_add_loop_test (tc, pipelines, 0, 4 * N_FACTORS);
  return s;
}

GST_CHECK_MAIN (timescale_laws);
