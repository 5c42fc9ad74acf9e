/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * timescale: duration without pitch, and pitch without duration.
 */

#include "scalemodel.h"

#include <gst/controller/gstdirectcontrolbinding.h>
#include <gst/controller/gstinterpolationcontrolsource.h>
#include <math.h>
#include <string.h>

#define RATE 8000
#define N 24000

/* Frames of a window at this rate, after which the input is the output again. */
#define WINDOW 1024

static GstAudioInfo
f64_info (void)
{
  GstAudioInfo info;

  retro_test_info (&info, GST_AUDIO_FORMAT_F64, GST_AUDIO_LAYOUT_INTERLEAVED,
      RATE, 1);
  return info;
}

static gdouble *
sine (gdouble frequency, guint n)
{
  gdouble *samples = g_new (gdouble, n);
  guint i;

  for (i = 0; i < n; i++)
    samples[i] = 0.5 * sin (2 * G_PI * frequency * i / RATE);
  return samples;
}

static RetroTest *
start_as (const GstAudioInfo * info, const gchar * properties)
{
  gchar *description = g_strdup_printf ("timescale %s", properties);
  RetroTest *t = retro_test_new (description);

  g_free (description);
  retro_test_start (t, info, 1, 0, GST_CLOCK_TIME_NONE);
  return t;
}

static RetroTest *
start (const gchar * properties)
{
  GstAudioInfo info = f64_info ();

  return start_as (&info, properties);
}

static RetroTest *
start_music (const gchar * properties)
{
  gchar *all = g_strdup_printf ("window=music %s", properties);
  RetroTest *t = start (all);

  g_free (all);
  return t;
}

/* Pushes @samples from @from to @to, cut into pieces of @piece frames. */
static void
push_samples (RetroTest * t, const gdouble * samples, guint from, guint to,
    guint piece)
{
  guint at;

  for (at = from; at < to; at += piece)
    fail_unless_equals_int (gst_harness_push (t->h,
            retro_test_buffer_of (&t->info, samples + at, MIN (piece, to - at),
                PLAIN_NS (at))), GST_FLOW_OK);
}

/* All that left, of which there are *@n. */
static gdouble *
finish (RetroTest * t, guint * n)
{
  retro_test_eos (t);
  retro_test_assert_perfect (t, 0);
  return scale_take_numbers (t, n);
}

/* The second difference of a sine of amplitude @a: a (2 sin (ω / 2))². */
static gdouble
bend_of_sine (gdouble a, gdouble frequency)
{
  gdouble chord = 2 * sin (G_PI * frequency / RATE);

  return a * chord * chord;
}

/* ---- the laws ------------------------------------------------------------ */

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
  {"semitones=12 factor=2 keep-pitch=true interpolation=linear", 2, 1}
};

static const GstAudioFormat formats[] = { GST_AUDIO_FORMAT_S16,
  GST_AUDIO_FORMAT_S32, GST_AUDIO_FORMAT_F32, GST_AUDIO_FORMAT_F64
};

/* Formats, layouts and channels in turn. */
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

/* Ways of cutting, those of one frame at a time left out: slow, and tried once. */
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

/* Where a fiftieth of a second has no frame. */
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

/* Short streams, down to none at all, and frames that come one by one. */
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

/* A run after a leap is a stream of its own. */
GST_START_TEST (a_stream_after_a_leap_is_as_long_as_any)
{
  const Setting *setting = &settings[__i__];
  GstAudioInfo info = f64_info ();
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
  /* the same frames again, and nothing of what came before */
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

/* There and back: the end is the input, moved by whole frames. */
GST_START_TEST (a_factor_that_comes_back_to_1_returns_to_the_input)
{
  static const gdouble ways[] = { 1.5, 0.6, 3 };
  RetroTest *t = start ("keep-pitch=true");
  gdouble *in = sine (441, N), *out;
  guint n, i, shift;

  for (i = 0; i < N; i++)       /* no two places are alike */
    in[i] += 0.2 * sin (i * (gdouble) i / 20000);
  push_samples (t, in, 0, 4000, 100);
  g_object_set (t->element, "factor", ways[__i__], NULL);
  push_samples (t, in, 4000, 9000, 100);
  g_object_set (t->element, "factor", 1.0, NULL);
  push_samples (t, in, 9000, N, 100);
  out = finish (t, &n);

  fail_unless (memcmp (in, out, 4000 * sizeof (gdouble)) == 0);
  for (i = N - 9000 - 2 * WINDOW, shift = 0; shift < 2; shift++)
    if (memcmp (in + N - i - shift, out + n - i, (i) * sizeof (gdouble)) == 0)
      break;
  fail_unless (shift < 2, "the end of the output is not that of the input");
  g_free (in);
  g_free (out);
}

GST_END_TEST;

/* Once the input has come back, buffers pass as they did before; a later change does not
 * click. */
GST_START_TEST (after_the_return_buffers_pass_again)
{
  static const gdouble ways[] = { 1.5, 0.7, 3 };
  RetroTest *t = start ("keep-pitch=true");
  gdouble *in = sine (300, 2 * N), *out, bend;
  guint round, n, passed;

  for (round = 0; round < 3; round++) {
    guint at = round * 2 * N / 3, i;

    push_samples (t, in, at, at + 3000, 80);
    g_object_set (t->element, "factor", ways[(round + __i__) % 3], NULL);
    push_samples (t, in, at + 3000, at + 6000, 80);
    g_object_set (t->element, "factor", 1.0, NULL);
    push_samples (t, in, at + 6000, at + 12000, 80);
    for (i = at + 12000, passed = 0; i < at + 2 * N / 3; i += 80) {
      GstBuffer *buffer = retro_test_buffer_of (&t->info, in + i, 80,
          PLAIN_NS (i));
      GstMemory *memory = gst_memory_ref (gst_buffer_peek_memory (buffer, 0));

      gst_harness_push (t->h, buffer);
      buffer = retro_test_nth_buffer (t, retro_test_n_buffers (t) - 1);
      passed += gst_buffer_peek_memory (buffer, 0) == memory;
      gst_memory_unref (memory);
    }
    fail_unless_equals_int (passed, 50);
  }
  out = finish (t, &n);
  bend = scale_largest_bend (out, 2 * WINDOW, n - 4 * WINDOW);
  fail_unless (bend <= 1.2 * bend_of_sine (0.5, 300), "bends by %g", bend);
  g_free (in);
  g_free (out);
}

GST_END_TEST;

/* Semitones that come back to 0 are as a factor that comes back to 1: the rest is the input,
 * frame by frame at the place it has, and buffers pass. Nothing clicks on the way. */
GST_START_TEST (semitones_that_come_back_to_0_return_to_the_input)
{
  static const gdouble ways[] = { 3, -3, 12, -12, 24, -24, 0.1, -0.1 };
  RetroTest *t = start (__i__ % 2 ? "keep-pitch=true" : "keep-pitch=false");
  gdouble *in = sine (300, 2 * N), *out, bend;
  gdouble highest = 300 * pow (2, MAX (ways[__i__ / 2], 0) / 12);
  guint n, i, passed = 0;

  push_samples (t, in, 0, 3001, 80);
  g_object_set (t->element, "semitones", ways[__i__ / 2], NULL);
  push_samples (t, in, 3001, 8001, 100);
  g_object_set (t->element, "semitones", 0.0, NULL);
  push_samples (t, in, 8001, 2 * N - 4000, 80);
  for (i = 2 * N - 4000; i < 2 * N; i += 80) {
    GstBuffer *buffer = retro_test_buffer_of (&t->info, in + i, 80,
        PLAIN_NS (i));
    GstMemory *memory = gst_memory_ref (gst_buffer_peek_memory (buffer, 0));

    gst_harness_push (t->h, buffer);
    buffer = retro_test_nth_buffer (t, retro_test_n_buffers (t) - 1);
    passed += gst_buffer_peek_memory (buffer, 0) == memory;
    gst_memory_unref (memory);
  }
  fail_unless_equals_int (passed, 50);
  out = finish (t, &n);
  fail_unless_equals_int (n, 2 * N);
  fail_unless (memcmp (in + n - 4000, out + n - 4000,
          4000 * sizeof (gdouble)) == 0);
  bend = scale_largest_bend (out, 2 * WINDOW, n - 4 * WINDOW);
  fail_unless (bend <= 1.2 * bend_of_sine (0.5, highest), "bends by %g", bend);
  g_free (in);
  g_free (out);
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

/* Takes the sine of @frequency out of @out, by least squares. */
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

/* How much of @out, in dB, is none of the sines: taken out in turn until that is
 * settled. */
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
  gdouble pitch;                /* of the output by that of the input */
} Pitch;

/* (keep-pitch ? 1 : 1 / factor) × 2^(semitones / 12). */
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

/* @n_frames in the middle have to be a sine, but for @most dB. */
static void
require_pitch (RetroTest * t, const Pitch * pitch, guint n_frames, gdouble most)
{
  gdouble *in = sine (440, 3 * N), *out, rest;
  guint n;

  push_samples (t, in, 0, 3 * N, 999);
  out = finish (t, &n);
  n_frames = MIN (n_frames, n / 2);
  rest = rest_of_sine (out + n / 4, n_frames, 440 * pitch->pitch);
  fail_unless (rest < most, "%s: all but the sine is at %.1f dB",
      pitch->properties, rest);
  /* and a sine of another pitch it is not */
  fail_unless (rest_of_sine (out + n / 4, n / 2, 441 * pitch->pitch) > -10);
  g_free (in);
  g_free (out);
}

/* Also where it is taken for a voice, whose periods are moved: there it is within a tenth
 * of a cent, which makes a thirtieth of a radian of 3000 frames. */
GST_START_TEST (a_sine_has_the_pitch_of_the_formula)
{
  const Pitch *pitch = &pitches[__i__];

  require_pitch (start_music (pitch->properties), pitch, G_MAXUINT, -40);
  require_pitch (start (pitch->properties), pitch, 3000, -30);
}

GST_END_TEST;

/* A minor chord of close notes that is moved down is as pure as one that is moved up: the
 * stretcher hears it before it is lower. Otherwise five semitones cost 20 dB. */
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
  push_samples (t, in, 0, 3 * N, 999);
  out = finish (t, &n);
  rest = rest_of_sines (out + n / 4, n / 2, frequencies, 3);
  fail_unless (rest < -38, "%s: all but the chord is at %.1f dB", properties,
      rest);
  g_free (properties);
  g_free (in);
  g_free (out);
}

GST_END_TEST;

/* ---- changes while it plays ----------------------------------------------- */

typedef struct
{
  const gchar *properties;      /* at first */
  const gchar *name;            /* of the property that changes … */
  const gchar *values[4];       /* … to these, one after another */
  gdouble highest;              /* pitch on the way, by that of the input */
} Change;

static const Change changes[] = {
  {"factor=1.5", "keep-pitch", {"true", "false", "true", "false"}, 1},
  {"factor=0.5", "keep-pitch", {"true", "false", "true", "false"}, 2},
  {"", "semitones", {"12", "-12", "3", "0"}, 2},
  {"keep-pitch=true", "factor", {"1.5", "1", "0.6", "2"}, 1},
  {"keep-pitch=true factor=1.2", "semitones", {"1", "-1", "2", "-2"}, 1.1225},
  {"semitones=5", "factor", {"1.5", "0.8", "1", "1.25"}, 1.335 * 1.25},
  {"semitones=-5", "semitones", {"5", "-1", "1", "-7"}, 1.335},
  {"factor=1.5", "semitones", {"-2", "0", "7.5", "0"}, 1.03}
};

/* No sample leaves the course of the fastest sine that is heard by more than a move of
 * an octave in 5 ms makes of it, 15 %. A leap in the sine bends ten times as much. */
GST_START_TEST (no_change_clicks)
{
  const Change *change = &changes[__i__];
  gdouble *in = sine (300, 2 * N), *out;
  gdouble limit = 1.2 * bend_of_sine (0.5, 300 * change->highest), bend;
  RetroTest *t = start_music (change->properties);
  guint i, n;

  for (i = 0; i < 4; i++) {
    push_samples (t, in, i * 9600, (i + 1) * 9600, 80);
    gst_util_set_object_arg (G_OBJECT (t->element), change->name,
        change->values[i]);
  }
  push_samples (t, in, 4 * 9600, 2 * N, 80);
  out = finish (t, &n);
  /* not where the sine itself begins and ends */
  bend = scale_largest_bend (out, 2 * WINDOW, n - 4 * WINDOW);
  fail_unless (bend <= limit, "%s %s: bends by %g; the sine by %g",
      change->properties, change->name, bend, limit);
  g_free (in);
  g_free (out);
}

GST_END_TEST;

/* Changes come at the same frames, buffers do not. */
GST_START_TEST (a_change_does_not_depend_on_the_cuts)
{
  static const guint pieces[] = { 2400, 100, 7 };
  const Change *change = &changes[__i__];
  gdouble *in = sine (300, N), *first_out = NULL;
  guint i, p, n, first_n = 0;

  for (p = 0; p < G_N_ELEMENTS (pieces); p++) {
    RetroTest *t = start (change->properties);
    gdouble *out;

    for (i = 0; i < 4; i++) {
      push_samples (t, in, i * 4800, (i + 1) * 4800, pieces[p]);
      gst_util_set_object_arg (G_OBJECT (t->element), change->name,
          change->values[i]);
    }
    push_samples (t, in, 4 * 4800, N, pieces[p]);
    out = finish (t, &n);
    if (p == 0) {
      first_out = out;
      first_n = n;
      continue;
    }
    fail_unless_equals_int (n, first_n);
    fail_unless (memcmp (out, first_out, n * sizeof (gdouble)) == 0);
    g_free (out);
  }
  g_free (first_out);
  g_free (in);
}

GST_END_TEST;

/* Thousands of changes of the pitch leave the duration what it is. */
GST_START_TEST (changes_of_the_pitch_lose_no_frame)
{
  RetroTest *t = start (__i__ ? "factor=1.25 keep-pitch=true" : "factor=1.25");
  gdouble *in = sine (300, 2 * N), *out;
  guint i, n;

  for (i = 0; i < 2 * N / 40; i++) {
    g_object_set (t->element, "semitones", 12 * sin (i * 0.37), NULL);
    push_samples (t, in, i * 40, (i + 1) * 40, 40);
  }
  out = finish (t, &n);
  fail_unless (n == 2 * N * 5 / 4, "%u frames of %u", n, 2 * N * 5 / 4);
  g_free (in);
  g_free (out);
}

GST_END_TEST;

/* ---- curves --------------------------------------------------------------- */

static void
set_curve (RetroTest * t, const gchar * property, gdouble from, gdouble to)
{
  GstControlSource *source = gst_interpolation_control_source_new ();

  g_object_set (source, "mode", GST_INTERPOLATION_MODE_LINEAR, NULL);
  gst_timed_value_control_source_set (GST_TIMED_VALUE_CONTROL_SOURCE
      (source), 0, from);
  gst_timed_value_control_source_set (GST_TIMED_VALUE_CONTROL_SOURCE
      (source), retro_test_time (&t->info, 2 * N), to);
  fail_unless (gst_object_add_control_binding (GST_OBJECT (t->element),
          gst_direct_control_binding_new_absolute (GST_OBJECT (t->element),
              property, source)));
  gst_object_unref (source);
}

typedef struct
{
  const gchar *properties, *name;
  gdouble from, to;
  guint frames;                 /* of the output for 2 N: the integral of the factor */
  gdouble highest;
} Curve;

static const Curve curves[] = {
  {"keep-pitch=true", "factor", 1, 2, 3 * N, 1},
  {"keep-pitch=true", "factor", 2, 0.5, 5 * N / 2, 1},
  {"keep-pitch=true factor=1.5", "semitones", -12, 12, 3 * N, 2},
  {"semitones=3", "factor", 0.8, 1.2, 2 * N, 1.19 / 0.8}
};

static gdouble *
play_curve (const Curve * curve, guint piece, guint * n)
{
  gdouble *in = sine (300, 2 * N), *out;
  GstAudioInfo info = f64_info ();
  gchar *description = g_strdup_printf ("timescale window=music %s",
      curve->properties);
  RetroTest *t = retro_test_new (description);

  t->info = info;
  set_curve (t, curve->name, curve->from, curve->to);
  retro_test_start (t, &info, 1, 0, GST_CLOCK_TIME_NONE);
  push_samples (t, in, 0, 2 * N, piece);
  out = finish (t, n);
  g_free (description);
  g_free (in);
  return out;
}

GST_START_TEST (a_curve_is_followed_without_a_click)
{
  const Curve *curve = &curves[__i__];
  guint n, m;
  gdouble *out = play_curve (curve, 2 * N, &n);
  gdouble *other = play_curve (curve, 77, &m);
  gdouble limit = 1.03 * bend_of_sine (0.5, 300 * curve->highest);
  gdouble bend = scale_largest_bend (out, 2 * WINDOW, n - 4 * WINDOW);

  fail_unless (abs ((gint) n - (gint) curve->frames) <= 4, "%u frames of %u",
      n, curve->frames);
  fail_unless (bend <= limit, "bends by %g; the sine by %g", bend, limit);
  fail_unless_equals_int (n, m);
  fail_unless (memcmp (out, other, n * sizeof (gdouble)) == 0);
  g_free (out);
  g_free (other);
}

GST_END_TEST;

/* ---- streams of every kind ------------------------------------------------ */

/* Backwards it is the reversed stream that is stretched. */
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

/* A segment of rate 1.5 is played at 1.5, at the pitch it has. */
GST_START_TEST (the_rate_of_a_segment_is_taken_in)
{
  RetroTest *t = retro_test_new ("timescale keep-pitch=true window=music");
  gdouble *in = sine (440, 2 * N), *out;
  GstAudioInfo info = f64_info ();
  GstSegment out_segment;
  guint n;

  retro_test_start (t, &info, 1.5, 0, GST_CLOCK_TIME_NONE);
  push_samples (t, in, 0, 2 * N, 1000);
  out_segment = retro_test_nth_segment (t, 0);
  fail_unless (out_segment.rate == 1 && out_segment.applied_rate == 1.5);
  out = finish (t, &n);
  fail_unless_equals_int (n, 2 * N * 2 / 3);
  fail_unless (rest_of_sine (out + n / 4, n / 2, 440) < -40);
  g_free (in);
  g_free (out);
}

GST_END_TEST;

/* Endpoints have no meaning where nothing is read between frames. */
GST_START_TEST (endpoints_stream_where_the_pitch_is_kept)
{
  gdouble *in = sine (440, N), *out;
  RetroTest *t = start ("keep-pitch=true factor=1.5 alignment=endpoints");
  guint n;

  push_samples (t, in, 0, N, 1000);
  fail_unless (retro_test_n_buffers (t) > 0);
  out = finish (t, &n);
  fail_unless_equals_int (n, N * 3 / 2);
  g_free (in);
  g_free (out);
}

GST_END_TEST;

/* What is marked as a gap is silent. */
GST_START_TEST (a_gap_is_marked_where_it_is_silent)
{
  RetroTest *t = start (settings[__i__].properties);
  gdouble *in = sine (440, N);
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

/* Times are those of what is heard, although a change is heard long after it came. */
GST_START_TEST (times_follow_a_change_that_is_heard_later)
{
  const Change *change = &changes[__i__];
  gchar *description = g_strdup_printf ("timescale window=music %s",
      change->properties);
  RetroTest *t = retro_test_new (description);
  GstAudioInfo info = f64_info ();
  gdouble *in = sine (300, N);
  GstClockTime end_ns, told_ns;
  GstSegment segment;
  GstBuffer *last;
  guint i;

  retro_test_start (t, &info, 1, 0, PLAIN_NS (N));
  retro_test_answer_queries (t, PLAIN_NS (N), GST_CLOCK_TIME_NONE);
  for (i = 0; i < 4; i++) {
    push_samples (t, in, i * 4800, (i + 1) * 4800, 80);
    gst_util_set_object_arg (G_OBJECT (t->element), change->name,
        change->values[i]);
  }
  push_samples (t, in, 4 * 4800, N, 80);
  retro_test_eos (t);
  last = retro_test_nth_buffer (t, retro_test_n_buffers (t) - 1);
  end_ns = GST_BUFFER_PTS (last) + GST_BUFFER_DURATION (last);
  segment = retro_test_nth_segment (t,
      retro_test_n_events (t, GST_EVENT_SEGMENT) - 1);
  fail_unless (end_ns <= segment.stop, "ends at %" GST_TIME_FORMAT
      ", the segment at %" GST_TIME_FORMAT, GST_TIME_ARGS (end_ns),
      GST_TIME_ARGS (segment.stop));
  told_ns = retro_test_duration (t);
  fail_unless (MAX (told_ns, end_ns) - MIN (told_ns, end_ns) <= PLAIN_NS (3),
      "lasts %" GST_TIME_FORMAT ", not %" GST_TIME_FORMAT,
      GST_TIME_ARGS (told_ns), GST_TIME_ARGS (end_ns));
  g_free (description);
  g_free (in);
  retro_test_free (t);
}

GST_END_TEST;

/* The last of the input is heard at the end: what lies before it, twice as long. */
GST_START_TEST (a_seek_goes_to_where_it_was_heard)
{
  RetroTest *t = start ("keep-pitch=true window=music");
  gdouble *in = sine (300, N), expected;
  gint64 start_ns;
  GstEvent *event;

  push_samples (t, in, 0, 8000, 80);
  g_object_set (t->element, "factor", 2.0, NULL);
  push_samples (t, in, 8000, N, 80);
  event = retro_test_seek (t, 1, GST_SEEK_FLAG_ACCURATE, GST_SEEK_TYPE_SET,
      PLAIN_NS (20000), GST_SEEK_TYPE_NONE, -1);
  gst_event_parse_seek (event, NULL, NULL, NULL, NULL, &start_ns, NULL, NULL);
  gst_event_unref (event);
  retro_test_eos (t);
  expected = N - (retro_test_frames_out (t) - 20000.0) / 2;
  fail_unless (fabs (start_ns / 125000.0 - expected) <= 2,
      "frame 20000 was frame %g, not %g", start_ns / 125000.0, expected);
  g_free (in);
  retro_test_free (t);
}

GST_END_TEST;

/* ---- latency -------------------------------------------------------------- */

GST_START_TEST (latency_is_that_of_the_window)
{
  static const gchar *const windows[] = { "music", "speech", "low-latency" };
  /* timestretch.h has the figures for 48 kHz, a sixth of a millisecond each 8 frames;
   * sinc looks 96 frames ahead */
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

/* Another window counts from the next stream on, after a flush or a leap. */
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

GST_START_TEST (a_stretcher_that_comes_in_tells_of_its_latency)
{
  RetroTest *t = start ("keep-pitch=true");
  GstMessage *message;

  retro_test_answer_latency (t, 0, GST_CLOCK_TIME_NONE);
  retro_test_push (t, 0, 100);
  while ((message = gst_bus_pop_filtered (t->bus, GST_MESSAGE_LATENCY)))
    gst_message_unref (message);
  g_object_set (t->element, "factor", 1.5, NULL);
  retro_test_push (t, 100, 100);
  message = gst_bus_pop_filtered (t->bus, GST_MESSAGE_LATENCY);
  fail_unless (message != NULL);
  gst_message_unref (message);
  fail_unless (gst_harness_query_latency (t->h) > 50 * GST_MSECOND);
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
  tcase_add_loop_test (tc, a_factor_that_comes_back_to_1_returns_to_the_input,
      0, 3);
  tcase_add_loop_test (tc, after_the_return_buffers_pass_again, 0, 3);
  tcase_add_loop_test (tc, semitones_that_come_back_to_0_return_to_the_input,
      0, 16);
  tcase_add_loop_test (tc, a_sine_has_the_pitch_of_the_formula, 0,
      G_N_ELEMENTS (pitches));
  tcase_add_loop_test (tc, a_chord_is_pure_whichever_way_it_moves, -7, 8);
  tcase_add_loop_test (tc, no_change_clicks, 0, G_N_ELEMENTS (changes));
  tcase_add_loop_test (tc, a_change_does_not_depend_on_the_cuts, 0,
      G_N_ELEMENTS (changes));
  tcase_add_loop_test (tc, changes_of_the_pitch_lose_no_frame, 0, 2);
  tcase_add_loop_test (tc, a_curve_is_followed_without_a_click, 0,
      G_N_ELEMENTS (curves));
  tcase_add_test (tc, backwards_the_reversed_stream_is_stretched);
  tcase_add_test (tc, the_rate_of_a_segment_is_taken_in);
  tcase_add_test (tc, endpoints_stream_where_the_pitch_is_kept);
  tcase_add_loop_test (tc, a_gap_is_marked_where_it_is_silent, 0,
      G_N_ELEMENTS (settings));
  tcase_add_loop_test (tc, times_follow_a_change_that_is_heard_later, 0,
      G_N_ELEMENTS (changes));
  tcase_add_test (tc, a_seek_goes_to_where_it_was_heard);
  tcase_add_loop_test (tc, latency_is_that_of_the_window, 0, 3);
  tcase_add_loop_test (tc, the_next_segment_has_the_window_asked_for, 0, 2);
  tcase_add_test (tc, a_stretcher_that_comes_in_tells_of_its_latency);
  return s;
}

GST_CHECK_MAIN (timescale_pitch);
