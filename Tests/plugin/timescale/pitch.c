/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * timescale: changes of the duration without the pitch, or of the pitch without the duration.
 */

#include "pitchsound.h"

#include <string.h>

/* ---- requirements -------------------------------------------------------- */

typedef struct
{
  const gchar *properties;
  guint64 num, den;             /* the factor */
} Setting;

static const Setting settings[] = {
  {"keep-pitch=true factor=1.5", 3, 2},
  {"keep-pitch=true factor=0.7", 7, 10},
  {"keep-pitch=true rate=3 window=low-latency", 1, 3},
  {"semitones=7", 1, 1},
  {"semitones=-12 window=speech", 1, 1},
  {"semitones=-3.5 factor=1.1", 11, 10},
  {"semitones=24 factor=0.3 keep-pitch=true window=music", 3, 10},
  {"semitones=12 factor=2 keep-pitch=true interpolation=linear", 2, 1},
  {"semitones=5 formants=keep", 1, 1},
  {"formant-semitones=-3 factor=1.1", 11, 10}
};

static const GstAudioFormat formats[] = { GST_AUDIO_FORMAT_S16,
  GST_AUDIO_FORMAT_S32, GST_AUDIO_FORMAT_F32, GST_AUDIO_FORMAT_F64
};

/* The audio format of test @i: sample format, layout and number of channels vary. */
static GstAudioInfo
nth_info (guint i)
{
  static const gint channels[] = { 1, 2, 3, 9 };
  GstAudioInfo info;

  retro_test_info (&info, formats[i % 4], i / 4 % 2 ?
      GST_AUDIO_LAYOUT_NON_INTERLEAVED : GST_AUDIO_LAYOUT_INTERLEAVED,
      RATE, channels[(i + i / 4) % 4]);
  return info;
}

#define N_INFOS 8

/* Indices into retro_test_cuts. Buffers of a single frame are slow, so only one test uses
 * them. */
static const guint cuts[] = { 0, 3, 4, 5 };

GST_START_TEST (every_cut_gives_the_same_bits_and_the_length)
{
  const Setting *setting = &settings[__i__];
  guint i, cut;

  for (i = 0; i < N_INFOS; i++) {
    GstAudioInfo info = nth_info (i + __i__);
    GByteArray *whole = NULL;

    for (cut = 0; cut < G_N_ELEMENTS (cuts); cut++) {
      RetroTest *t = start_as (&info, setting->properties);
      guint64 n_frames = 4001 + i;
      GByteArray *bytes;

      retro_test_push_cut (t, 0, n_frames, retro_test_cuts[cuts[cut]]);
      retro_test_eos (t);
      retro_test_assert_perfect (t, 0);
      fail_unless_equals_uint64 (retro_test_frames_out (t),
          n_frames * setting->num / setting->den);
      bytes = retro_test_bytes (t);
      if (whole == NULL)
        whole = g_byte_array_ref (bytes);
      fail_unless_equals_int (bytes->len, whole->len);
      fail_unless (memcmp (bytes->data, whole->data, whole->len) == 0,
          "%s depends on the cuts", setting->properties);
      g_byte_array_unref (bytes);
      retro_test_free (t);
    }
    g_byte_array_unref (whole);
  }
}

GST_END_TEST;

/* At a sample rate of 7 Hz, a fiftieth of a second is less than a frame. */
GST_START_TEST (a_rate_of_a_few_hz_keeps_the_length)
{
  const Setting *setting = &settings[__i__];
  GstAudioInfo info;
  RetroTest *t;

  retro_test_info (&info, GST_AUDIO_FORMAT_S16, GST_AUDIO_LAYOUT_INTERLEAVED, 7,
      2);
  t = start_as (&info, setting->properties);
  retro_test_push_cut (t, 0, 301, retro_test_cuts[3]);
  retro_test_eos (t);
  fail_unless_equals_uint64 (retro_test_frames_out (t),
      301 * setting->num / setting->den);
  retro_test_free (t);
}

GST_END_TEST;

/* Streams that are empty or very short, pushed frame by frame. */
GST_START_TEST (no_stream_is_too_short)
{
  static const guint lengths[] = { 0, 1, 2, 3, 17, 255, 1025 };
  const Setting *setting = &settings[__i__];
  guint i;

  for (i = 0; i < G_N_ELEMENTS (lengths); i++) {
    RetroTest *t = start (setting->properties);

    if (lengths[i] > 0)
      retro_test_push_cut (t, 0, lengths[i], retro_test_cuts[1]);
    retro_test_eos (t);
    fail_unless_equals_uint64 (retro_test_frames_out (t),
        lengths[i] * setting->num / setting->den);
    retro_test_free (t);
  }
}

GST_END_TEST;

/* The audio after a jump must be stretched like a new stream. */
GST_START_TEST (a_stream_after_a_leap_is_as_long_as_any)
{
  const Setting *setting = &settings[__i__];
  GstAudioInfo info = scale_plain_info ();
  RetroTest *t = start (setting->properties);
  guint64 once = 3001 * setting->num / setting->den;
  GByteArray *bytes;

  retro_test_push (t, 0, 3001);
  retro_test_flush (t);
  retro_test_clear (t);
  retro_test_start (t, &info, 1, 0, GST_CLOCK_TIME_NONE);
  retro_test_push (t, 0, 3001);
  gst_harness_push (t->h, retro_test_buffer (&info, 0, 3001));
  retro_test_eos (t);
  bytes = retro_test_bytes (t);
  fail_unless_equals_uint64 (bytes->len, 2 * once * sizeof (gdouble));
  /* the same frames must have the same output, independent of the audio before the
   * jump */
  fail_unless (memcmp (bytes->data, bytes->data + bytes->len / 2,
          bytes->len / 2) == 0);
  g_byte_array_unref (bytes);
  retro_test_free (t);
}

GST_END_TEST;

GST_START_TEST (a_thousand_channels_are_as_long)
{
  GstAudioInfo info;
  RetroTest *t;

  retro_test_info (&info, GST_AUDIO_FORMAT_S16, GST_AUDIO_LAYOUT_INTERLEAVED,
      RATE, 1024);
  t = start_as (&info, "keep-pitch=true factor=1.5 semitones=1");
  retro_test_push (t, 0, 801);
  retro_test_eos (t);
  fail_unless_equals_uint64 (retro_test_frames_out (t), 1201);
  retro_test_free (t);
}

GST_END_TEST;

/* ---- factor 1 ------------------------------------------------------------- */

GST_START_TEST (without_a_change_buffers_pass)
{
  GstAudioInfo info = nth_info (__i__);
  RetroTest *t = start_as (&info, "keep-pitch=true semitones=0");
  guint i;

  for (i = 0; i < 5; i++) {
    GstBuffer *buffer = retro_test_buffer (&info, i * 100, 100);
    GstMemory *memory = gst_memory_ref (gst_buffer_peek_memory (buffer, 0));

    gst_harness_push (t->h, buffer);
    fail_unless_equals_int (retro_test_n_buffers (t), i + 1);
    fail_unless (gst_buffer_peek_memory (retro_test_nth_buffer (t, i), 0)
        == memory);
    gst_memory_unref (memory);
  }
  retro_test_eos (t);
  retro_test_assert_up (t, 0, 500);
  retro_test_free (t);
}

GST_END_TEST;

/* ---- the pitch ------------------------------------------------------------ */

static gdouble
energy (const gdouble * out, guint n)
{
  gdouble sum = 0;
  guint i;

  for (i = 0; i < n; i++)
    sum += out[i] * out[i];
  return sum;
}

/* Fits a sine of @frequency to @out by least squares, and subtracts it. */
static void
take_sine_out (gdouble * out, guint n, gdouble frequency)
{
  gdouble cc = 0, ss = 0, cs = 0, xc = 0, xs = 0, a, b;
  guint i;

  for (i = 0; i < n; i++) {
    gdouble c = cos (2 * G_PI * frequency * i / RATE);
    gdouble s = sin (2 * G_PI * frequency * i / RATE);

    cc += c * c;
    ss += s * s;
    cs += c * s;
    xc += out[i] * c;
    xs += out[i] * s;
  }
  a = (xc * ss - xs * cs) / (cc * ss - cs * cs);
  b = (xs * cc - xc * cs) / (cc * ss - cs * cs);
  for (i = 0; i < n; i++)
    out[i] -= a * cos (2 * G_PI * frequency * i / RATE)
        + b * sin (2 * G_PI * frequency * i / RATE);
}

/* Returns the power of the residue of @out without the sines, in dB relative to @out. Sines
 * are fitted and subtracted in turn, 8 times each, because they influence each other. */
static gdouble
rest_of_sines (const gdouble * out, guint n, const gdouble * frequencies,
    guint n_sines)
{
  gdouble *rest = g_memdup2 (out, n * sizeof (gdouble)), left;
  guint i;

  for (i = 0; i < 8 * n_sines; i++)
    take_sine_out (rest, n, frequencies[i % n_sines]);
  left = energy (rest, n);
  g_free (rest);
  return 10 * log10 (left / energy (out, n));
}

static gdouble
rest_of_sine (const gdouble * out, guint n, gdouble frequency)
{
  return rest_of_sines (out, n, &frequency, 1);
}

typedef struct
{
  const gchar *properties;
  gdouble pitch;                /* in the output, relative to the input */
} Pitch;

/* The pitches are (keep-pitch ? 1 : 1 / factor) × 2^(semitones / 12). */
static const Pitch pitches[] = {
  {"keep-pitch=true factor=1.5", 1},
  {"keep-pitch=true factor=0.7", 1},
  {"keep-pitch=true factor=4", 1},
  {"keep-pitch=true factor=0.25", 1},
  {"semitones=12", 2},
  {"semitones=-12", 0.5},
  {"semitones=24", 4},
  {"semitones=-24", 0.25},
  {"semitones=12 factor=2", 1},
  {"semitones=12 factor=2 keep-pitch=true", 2},
  {"semitones=-12 factor=0.5", 1},
  {"factor=0.5", 2}
};

/* Asserts that @n_frames frames in the middle of the output are a sine of the
 * expected pitch. Everything else in the signal must be below @most dB. */
static void
require_pitch (RetroTest * t, const Pitch * pitch, guint n_frames, gdouble most)
{
  gdouble *in = scale_sine (440, 3 * N), *out, rest;
  guint n;

  scale_push_numbers (t, in, 0, 3 * N, 999);
  out = finish (t, &n);
  n_frames = MIN (n_frames, n / 2);
  rest = rest_of_sine (out + n / 4, n_frames, 440 * pitch->pitch);
  fail_unless (rest < most, "%s: all but the sine is at %.1f dB",
      pitch->properties, rest);
  /* a sine of a slightly higher pitch must not fit */
  fail_unless (rest_of_sine (out + n / 4, n / 2, 441 * pitch->pitch) > -10);
  g_free (in);
  g_free (out);
}

/* With window=music, the pitch is exact. With window=auto, the sine may be
 * treated as a voice, whose periods are moved. The pitch is then exact to a
 * tenth of a cent, which is a phase error of a thirtieth of a radian in 3000
 * frames. */
GST_START_TEST (a_sine_has_the_pitch_of_the_formula)
{
  const Pitch *pitch = &pitches[__i__];

  require_pitch (start_music (pitch->properties), pitch, G_MAXUINT, -40);
  require_pitch (start (pitch->properties), pitch, 3000, -30);
}

GST_END_TEST;

/* Notes below the frequencies of voices must not be treated as voices. In an
 * earlier version, they were, and became up to 11 dB softer. With
 * window=speech, the lowest note has 50 Hz, because this window lasts 43 ms,
 * less than two periods of 40 Hz. */
GST_START_TEST (a_low_note_is_pure_in_every_window)
{
  static const gchar *windows[] = { "music", "speech", "auto" };
  static const gdouble factors[] = { 0.6, 1.5, 2 };
  gdouble factor = factors[__i__ / 3], frequency, rest, level;
  gchar *properties = g_strdup_printf ("keep-pitch=true factor=%g window=%s",
      factor, windows[__i__ % 3]);

  for (frequency = __i__ % 3 == 1 ? 50 : 40; frequency < 90; frequency += 10) {
    gdouble *in = scale_sine (frequency, 3 * N), *out;
    RetroTest *t = start (properties);
    guint n;

    scale_push_numbers (t, in, 0, 3 * N, 999);
    out = finish (t, &n);
    rest = rest_of_sine (out + n / 4, 3000, frequency);
    level = 10 * log10 (energy (out + n / 4, n / 2) / (n / 2)
        / energy (in, 3 * N) * 3 * N);
    fail_unless (rest < -25 && fabs (level) < 0.1,
        "%s, %g Hz: all but the sine is at %.1f dB, the level at %.2f dB",
        properties, frequency, rest, level);
    g_free (in);
    g_free (out);
  }
  g_free (properties);
}

GST_END_TEST;

/* A minor chord of close notes must be as pure after a shift down as after a
 * shift up. So a chord that is shifted down must be stretched before it is
 * resampled; in the reverse order, five semitones down would add 20 dB to the
 * residue. */
GST_START_TEST (a_chord_is_pure_whichever_way_it_moves)
{
  static const gdouble notes[] = { 440, 523.25, 659.26 };
  gdouble *in = g_new0 (gdouble, 3 * N), *out, frequencies[3], rest;
  gchar *properties = g_strdup_printf ("semitones=%d", __i__);
  RetroTest *t = start_music (properties);
  guint i, j, n;

  for (j = 0; j < 3; j++) {
    frequencies[j] = notes[j] * pow (2, __i__ / 12.0);
    for (i = 0; i < 3 * N; i++)
      in[i] += 0.2 * sin (2 * G_PI * notes[j] * i / RATE);
  }
  scale_push_numbers (t, in, 0, 3 * N, 999);
  out = finish (t, &n);
  rest = rest_of_sines (out + n / 4, n / 2, frequencies, 3);
  fail_unless (rest < -38, "%s: all but the chord is at %.1f dB", properties,
      rest);
  g_free (properties);
  g_free (in);
  g_free (out);
}

GST_END_TEST;

/* ---- streams of every kind ------------------------------------------------ */

/* With a negative rate, the output must equal that of the reversed stream. */
GST_START_TEST (backwards_the_reversed_stream_is_stretched)
{
  RetroTest *t = retro_test_new ("timescale keep-pitch=true factor=1.4");
  RetroTest *model = retro_test_new ("timescale keep-pitch=true factor=1.4");
  GByteArray *bytes, *expected;
  gint16 frames[5000];
  GstAudioInfo info;
  guint i;

  retro_test_plain_info (&info);
  for (i = 0; i < 5000; i++)
    retro_test_frame (&info, 4999 - i, (guint8 *) & frames[i]);
  retro_test_start (model, &info, 1, 0, GST_CLOCK_TIME_NONE);
  gst_harness_push (model->h, retro_test_buffer_of (&info, frames, 5000, 0));
  retro_test_eos (model);
  expected = retro_test_bytes (model);

  retro_test_start (t, &info, -1, 0, PLAIN_NS (5000));
  retro_test_push_backwards (t, 5000, 512);
  retro_test_eos (t);
  bytes = retro_test_bytes (t);
  fail_unless_equals_int (bytes->len, 14000);
  fail_unless_equals_int (bytes->len, expected->len);
  fail_unless (memcmp (bytes->data, expected->data, bytes->len) == 0);
  g_byte_array_unref (bytes);
  g_byte_array_unref (expected);
  retro_test_free (t);
  retro_test_free (model);
}

GST_END_TEST;

/* A segment with rate 1.5 must be played at this speed, with its original pitch. */
GST_START_TEST (the_rate_of_a_segment_is_absorbed)
{
  RetroTest *t = retro_test_new ("timescale keep-pitch=true window=music");
  gdouble *in = scale_sine (440, 2 * N), *out;
  GstAudioInfo info = scale_plain_info ();
  GstSegment out_segment;
  guint n;

  retro_test_start (t, &info, 1.5, 0, GST_CLOCK_TIME_NONE);
  scale_push_numbers (t, in, 0, 2 * N, 1000);
  out_segment = retro_test_nth_segment (t, 0);
  fail_unless (out_segment.rate == 1 && out_segment.applied_rate == 1.5);
  out = finish (t, &n);
  fail_unless_equals_int (n, 2 * N * 2 / 3);
  fail_unless (rest_of_sine (out + n / 4, n / 2, 440) < -40);
  g_free (in);
  g_free (out);
}

GST_END_TEST;

/* alignment=endpoints has no effect if the pitch is kept, because nothing is interpolated
 * between frames. */
GST_START_TEST (endpoints_stream_where_the_pitch_is_kept)
{
  gdouble *in = scale_sine (440, N), *out;
  RetroTest *t = start ("keep-pitch=true factor=1.5 alignment=endpoints");
  guint n;

  scale_push_numbers (t, in, 0, N, 1000);
  fail_unless (retro_test_n_buffers (t) > 0);
  out = finish (t, &n);
  fail_unless_equals_int (n, N * 3 / 2);
  g_free (in);
  g_free (out);
}

GST_END_TEST;

/* Output that is marked as a gap must be silent. */
GST_START_TEST (a_gap_is_marked_where_it_is_silent)
{
  RetroTest *t = start (settings[__i__].properties);
  gdouble *in = scale_sine (440, N);
  guint at, i, j, gaps = 0;

  memset (in + 4000, 0, 16000 * sizeof (gdouble));
  for (at = 0; at < N; at += 400) {
    GstBuffer *buffer = retro_test_buffer_of (&t->info, in + at, 400,
        PLAIN_NS (at));

    if (at >= 4000 && at < 20000)
      GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_GAP);
    gst_harness_push (t->h, buffer);
  }
  retro_test_eos (t);
  for (i = 0; i < retro_test_n_buffers (t); i++) {
    GstBuffer *buffer = retro_test_nth_buffer (t, i);
    GByteArray *bytes;

    if (!GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_GAP))
      continue;
    gaps++;
    bytes = retro_test_buffer_bytes (&t->info, buffer);
    for (j = 0; j < bytes->len / sizeof (gdouble); j++)
      fail_unless (fabs (((gdouble *) bytes->data)[j]) < 1e-6);
    g_byte_array_unref (bytes);
  }
  fail_unless (gaps > 0);
  g_free (in);
  retro_test_free (t);
}

GST_END_TEST;

/* ---- latency -------------------------------------------------------------- */

GST_START_TEST (latency_is_that_of_the_window)
{
  static const gchar *const windows[] = { "music", "speech", "low-latency" };
  /* the stretcher's latencies at 48 kHz, which are 6 times those at 8 kHz; a sinc adds 96
   * frames */
  static const guint frames[] = { 5186, 3138, 1026 };
  gchar *properties = g_strdup_printf ("keep-pitch=true factor=1.5 window=%s",
      windows[__i__]);
  GstAudioInfo info;
  RetroTest *t;
  GstClockTime latency_ns;

  retro_test_info (&info, GST_AUDIO_FORMAT_F32, GST_AUDIO_LAYOUT_INTERLEAVED,
      48000, 1);
  t = start_as (&info, properties);
  retro_test_answer_latency (t, 0, GST_CLOCK_TIME_NONE);
  retro_test_push (t, 0, 100);
  latency_ns = gst_harness_query_latency (t->h);
  fail_unless (latency_ns <= retro_test_time (&info, frames[__i__] + 97));
  fail_unless (latency_ns >= retro_test_time (&info, frames[__i__] / 2));
  g_free (properties);
  retro_test_free (t);
}

GST_END_TEST;

/* A new window must take effect at the next stream only, after a flush or a jump. */
GST_START_TEST (the_next_segment_has_the_window_asked_for)
{
  RetroTest *t = start ("keep-pitch=true factor=1.5 window=music");
  GstClockTime music_ns, latency_ns;

  retro_test_answer_latency (t, 0, GST_CLOCK_TIME_NONE);
  retro_test_push (t, 0, 3000);
  music_ns = gst_harness_query_latency (t->h);
  gst_util_set_object_arg (G_OBJECT (t->element), "window", "low-latency");
  retro_test_push (t, 3000, 3000);
  fail_unless_equals_uint64 (gst_harness_query_latency (t->h), music_ns);
  if (__i__) {
    retro_test_flush (t);
    retro_test_start (t, &t->info, 1, 0, GST_CLOCK_TIME_NONE);
  }
  retro_test_push (t, 0, 3000);
  latency_ns = gst_harness_query_latency (t->h);
  fail_unless (latency_ns < music_ns / 2, "%" GST_TIME_FORMAT,
      GST_TIME_ARGS (latency_ns));
  retro_test_free (t);
}

GST_END_TEST;

static Suite *
timescale_pitch_suite (void)
{
  Suite *s = suite_create ("timescale_pitch");
  TCase *tc = tcase_create ("pitch");

  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 60);
  tcase_add_loop_test (tc, every_cut_gives_the_same_bits_and_the_length, 0,
      G_N_ELEMENTS (settings));
  tcase_add_loop_test (tc, a_rate_of_a_few_hz_keeps_the_length, 0,
      G_N_ELEMENTS (settings));
  tcase_add_loop_test (tc, no_stream_is_too_short, 0, G_N_ELEMENTS (settings));
  tcase_add_loop_test (tc, a_stream_after_a_leap_is_as_long_as_any, 0,
      G_N_ELEMENTS (settings));
  tcase_add_test (tc, a_thousand_channels_are_as_long);
  tcase_add_loop_test (tc, without_a_change_buffers_pass, 0, N_INFOS);
  tcase_add_loop_test (tc, a_sine_has_the_pitch_of_the_formula, 0,
      G_N_ELEMENTS (pitches));
  tcase_add_loop_test (tc, a_low_note_is_pure_in_every_window, 0, 9);
  tcase_add_loop_test (tc, a_chord_is_pure_whichever_way_it_moves, -7, 8);
  tcase_add_test (tc, backwards_the_reversed_stream_is_stretched);
  tcase_add_test (tc, the_rate_of_a_segment_is_absorbed);
  tcase_add_test (tc, endpoints_stream_where_the_pitch_is_kept);
  tcase_add_loop_test (tc, a_gap_is_marked_where_it_is_silent, 0,
      G_N_ELEMENTS (settings));
  tcase_add_loop_test (tc, latency_is_that_of_the_window, 0, 3);
  tcase_add_loop_test (tc, the_next_segment_has_the_window_asked_for, 0, 2);
  return s;
}

GST_CHECK_MAIN (timescale_pitch);
