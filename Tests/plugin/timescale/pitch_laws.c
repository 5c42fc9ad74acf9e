/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * timescale with the pitch kept or shifted: requirements for every stream, at all factors,
 * sample rates, formats, layouts and numbers of channels, and with all events.
 */

#include "pitchsound.h"

#include <string.h>

/* A tone with a varying level and a pulse every eighth of a second, so that the signal
 * differs at any two positions. Samples are multiples of 1/32768, so that they are exact
 * in every format. */
static gdouble
sample_at (guint64 frame, gint rate)
{
  gdouble t = (gdouble) frame / rate;

  return rint (9830 * sin (2 * G_PI * 440 * t) * (1 - 0.5 * cos (3 * t))
      + (fmod (t, 0.125) < 0.002 ? 9830 : 0)) / 32768;
}

/* @n_frames frames of the sound of the function above, in the format of @info,
 * the same in each channel. */
static GstBuffer *
sound (const GstAudioInfo * info, guint64 from, gsize n_frames)
{
  gsize bytes = GST_AUDIO_INFO_WIDTH (info) / 8, i;
  guint c, n_channels = GST_AUDIO_INFO_CHANNELS (info);
  GstAudioFormat format = GST_AUDIO_INFO_FORMAT (info);
  guint8 *samples = g_malloc (n_frames * n_channels * bytes), *to = samples;
  GstBuffer *buffer;

  for (i = 0; i < n_frames; i++) {
    gdouble x = sample_at (from + i, GST_AUDIO_INFO_RATE (info));
    gint16 s16 = rint (x * 32768);
    gint32 s32 = rint (x * 2147483648.0);
    gfloat f32 = x;

    gconstpointer one = format == GST_AUDIO_FORMAT_S16 ? (gconstpointer) & s16 :
        format == GST_AUDIO_FORMAT_S32 ? (gconstpointer) & s32 :
        format == GST_AUDIO_FORMAT_F32 ? (gconstpointer) & f32 : &x;

    for (c = 0; c < n_channels; c++, to += bytes)
      memcpy (to, one, bytes);
  }
  buffer = retro_test_buffer_of (info, samples, n_frames,
      retro_test_time (info, from));
  g_free (samples);
  return buffer;
}

static void
push_sound (RetroTest * t, guint64 from, guint64 n_frames, guint64 piece)
{
  guint64 at;

  for (at = from; at < from + n_frames; at += piece)
    fail_unless_equals_int (gst_harness_push (t->h, sound (&t->info, at,
                MIN (piece, from + n_frames - at))), GST_FLOW_OK);
}

/* All output for @n_frames input frames in buffers of @piece frames, interleaved. */
static GByteArray *
stretched (const GstAudioInfo * info, const gchar * properties,
    guint64 n_frames, guint64 piece)
{
  RetroTest *t = start_as (info, properties);
  GByteArray *bytes;

  push_sound (t, 0, n_frames, piece);
  fail_unless (retro_test_eos (t));
  if (retro_test_n_buffers (t) > 0)
    retro_test_assert_perfect (t, 0);
  bytes = retro_test_bytes (t);
  retro_test_free (t);
  return bytes;
}

static void
assert_same_bytes (GByteArray * one, GByteArray * other, const gchar * what)
{
  fail_unless (one->len == other->len, "%s: %u bytes and %u", what, one->len,
      other->len);
  fail_unless (one->len == 0 || memcmp (one->data, other->data, one->len) == 0,
      "%s: not the same", what);
}

/* ---- factors --------------------------------------------------------------- */

static const struct
{
  const gchar *text;
  guint64 num, den;
} factors[] = {
  {"0.05", 1, 20}, {"0.1", 1, 10}, {"0.25", 1, 4}, {"0.999", 999, 1000},
  {"1.001", 1001, 1000}, {"4", 4, 1}, {"7.3", 73, 10}, {"20", 20, 1}
};

GST_START_TEST (every_factor_has_its_length)
{
  static const guint64 lengths[] = { 1, 19, 20, 21, 1000, 3001 };
  static const gchar *const pitches[] = { "keep-pitch=true", "semitones=24",
    "semitones=-24"
  };
  guint i, p;

  for (p = 0; p < G_N_ELEMENTS (pitches); p++)
    for (i = 0; i < G_N_ELEMENTS (lengths); i++) {
      gchar *properties = g_strdup_printf ("factor=%s %s", factors[__i__].text,
          pitches[p]);
      GstAudioInfo info;
      GByteArray *bytes;
      guint n_frames;

      retro_test_info (&info, GST_AUDIO_FORMAT_F32,
          GST_AUDIO_LAYOUT_INTERLEAVED, RATE, 1);
      bytes = stretched (&info, properties, lengths[i], 700);
      n_frames = lengths[i] * factors[__i__].num / factors[__i__].den;
      fail_unless (bytes->len == n_frames * sizeof (gfloat),
          "%s: %u frames instead of %u", properties,
          (guint) (bytes->len / sizeof (gfloat)), n_frames);
      g_byte_array_unref (bytes);
      g_free (properties);
    }
}

GST_END_TEST;

/* ---- sample rates ----------------------------------------------------------- */

static const gint rates[] = { 8000, 11025, 44100, 48000, 96000, 192000 };

/* Returns the power of the residue of @x without a sine of @frequency, which is fitted by
 * least squares, in dB relative to @x. */
static gdouble
rest_of_sine (const gdouble * x, guint n, gdouble frequency, gint rate)
{
  gdouble cc = 0, ss = 0, cs = 0, xc = 0, xs = 0, xx = 0;
  guint i;

  for (i = 0; i < n; i++) {
    gdouble c = cos (2 * G_PI * frequency * i / rate);
    gdouble s = sin (2 * G_PI * frequency * i / rate);

    cc += c * c;
    ss += s * s;
    cs += c * s;
    xc += x[i] * c;
    xs += x[i] * s;
    xx += x[i] * x[i];
  }
  return 10 * log10 (1 - (xc * (xc * ss - xs * cs) + xs * (xs * cc - xc * cs))
      / (cc * ss - cs * cs) / xx);
}

/* A sine must keep its frequency at every sample rate. */
GST_START_TEST (every_rate_keeps_a_sine)
{
  guint n_frames = rates[__i__] / 2, piece = __i__ % 2 ? n_frames : 333, n, i;
  gdouble *in = g_new (gdouble, n_frames), *out, rest;
  GstAudioInfo info;
  RetroTest *t;

  retro_test_info (&info, GST_AUDIO_FORMAT_F64, GST_AUDIO_LAYOUT_INTERLEAVED,
      rates[__i__], 1);
  for (i = 0; i < n_frames; i++)
    in[i] = 0.5 * sin (2 * G_PI * 440 * i / rates[__i__]);
  t = start_as (&info, "keep-pitch=true window=music factor=1.5");
  for (i = 0; i < n_frames; i += piece)
    gst_harness_push (t->h, retro_test_buffer_of (&info, in + i,
            MIN (piece, n_frames - i), retro_test_time (&info, i)));
  fail_unless (retro_test_eos (t));
  retro_test_assert_perfect (t, 0);
  out = scale_take_numbers (t, &n);
  fail_unless_equals_int (n, n_frames * 3 / 2);
  rest = rest_of_sine (out + n / 4, n / 2, 440, rates[__i__]);
  fail_unless (rest < -40, "at %d Hz, all but the sine is at %.1f dB",
      rates[__i__], rest);
  g_free (out);
  g_free (in);
}

GST_END_TEST;

/* At a sample rate of 7 Hz, a fiftieth of a second is less than a frame. */
GST_START_TEST (a_rate_of_a_few_hertz_comes_to_its_end)
{
  static const gchar *const pitches[] = { "keep-pitch=true factor=1.4",
    "keep-pitch=true factor=1.4 semitones=-12", "factor=1.4 semitones=3"
  };
  GstAudioInfo info;
  GByteArray *bytes;

  retro_test_info (&info, GST_AUDIO_FORMAT_S16, GST_AUDIO_LAYOUT_INTERLEAVED, 7,
      1);
  bytes = stretched (&info, pitches[__i__], 2000, 300);
  fail_unless_equals_int (bytes->len, 2800 * sizeof (gint16));
  g_byte_array_unref (bytes);
}

GST_END_TEST;

/* ---- formats, layouts, channels ---------------------------------------------- */

static const gchar *const settings[] = { "keep-pitch=true factor=1.4",
  "keep-pitch=true factor=0.6 window=speech", "semitones=4 window=music",
  "semitones=-5 factor=1.2 window=low-latency"
};

static const GstAudioFormat formats[] = { GST_AUDIO_FORMAT_S16,
  GST_AUDIO_FORMAT_S32, GST_AUDIO_FORMAT_F32, GST_AUDIO_FORMAT_F64
};

/* The output must be the same in every format, except for rounding. The end is
 * not compared, because the stretcher extrapolates the sound after the end from
 * a similar passage, and rounding may change which passage is found. */
GST_START_TEST (formats_agree)
{
  gdouble *model = NULL;
  guint f, i, n;

  for (f = G_N_ELEMENTS (formats); f-- > 0;) {
    GstAudioInfo info;
    RetroTest *t;
    gdouble *out, full = formats[f] == GST_AUDIO_FORMAT_S16 ? 32768 :
        formats[f] == GST_AUDIO_FORMAT_S32 ? 2147483648.0 : 1;
    /* the scaler and the stretcher each round their output */
    gdouble tolerance = formats[f] == GST_AUDIO_FORMAT_S16 ? 2.0 / 32768 : 1e-6;

    retro_test_info (&info, formats[f], GST_AUDIO_LAYOUT_INTERLEAVED, RATE, 1);
    t = start_as (&info, settings[__i__]);
    push_sound (t, 0, 12000, 1000);
    fail_unless (retro_test_eos (t));
    out = scale_take_numbers (t, &n);
    if (model == NULL) {
      model = out;
      continue;
    }
    for (i = 0; i + 4096 < n; i++)
      fail_unless (fabs (out[i] / full - model[i]) <= tolerance,
          "%s, %s: sample %u is %g, not %g", settings[__i__],
          gst_audio_format_to_string (formats[f]), i, out[i] / full, model[i]);
    g_free (out);
  }
  g_free (model);
}

GST_END_TEST;

GST_START_TEST (layouts_agree)
{
  guint f;

  for (f = 0; f < G_N_ELEMENTS (formats); f++) {
    GByteArray *bytes[2];
    guint planar;

    for (planar = 0; planar < 2; planar++) {
      GstAudioInfo info;

      retro_test_info (&info, formats[f], planar ?
          GST_AUDIO_LAYOUT_NON_INTERLEAVED : GST_AUDIO_LAYOUT_INTERLEAVED,
          RATE, 3);
      bytes[planar] = stretched (&info, settings[__i__], 4000, 512);
    }
    assert_same_bytes (bytes[0], bytes[1], settings[__i__]);
    g_byte_array_unref (bytes[0]);
    g_byte_array_unref (bytes[1]);
  }
}

GST_END_TEST;

/* Equal channels must have equal output, bit for bit, even if there are so many that the
 * stretcher uses the phases of other channels for some of them. */
GST_START_TEST (channels_that_are_alike_stay_alike)
{
  static const gint channels[] = { 2, 8, 9, 64, 255, 1024 };
  static const guint64 lengths[] = { 8000, 8000, 8000, 4000, 2500, 1500 };
  gint n_channels = channels[__i__];
  GByteArray *bytes;
  GstAudioInfo info;
  gsize i, c, n;
  gint16 *out;

  retro_test_info (&info, GST_AUDIO_FORMAT_S16, n_channels == 255 ?
      GST_AUDIO_LAYOUT_NON_INTERLEAVED : GST_AUDIO_LAYOUT_INTERLEAVED, RATE,
      n_channels);
  bytes = stretched (&info, "keep-pitch=true factor=1.5 window=speech",
      lengths[__i__], 1000);
  n = bytes->len / GST_AUDIO_INFO_BPF (&info);
  fail_unless_equals_uint64 (n, lengths[__i__] * 3 / 2);
  out = (gint16 *) bytes->data;
  for (i = 0; i < n; i++)
    for (c = 1; c < (gsize) n_channels; c++)
      fail_unless (out[i * n_channels + c] == out[i * n_channels],
          "frame %u, channel %u", (guint) i, (guint) c);
  g_byte_array_unref (bytes);
}

GST_END_TEST;

/* ---- in reverse ---------------------------------------------------------------- */

/* The output for the S16 frames @n - 1 … 0 in this order. */
static GByteArray *
stretch_of_reversed (const gchar * properties, guint n)
{
  GstAudioInfo info;
  RetroTest *t;
  GByteArray *bytes;
  gint16 *frames = g_new (gint16, n);
  guint i;

  retro_test_plain_info (&info);
  for (i = 0; i < n; i++)
    retro_test_frame (&info, n - 1 - i, (guint8 *) & frames[i]);
  t = start_as (&info, properties);
  gst_harness_push (t->h, retro_test_buffer_of (&info, frames, n, 0));
  fail_unless (retro_test_eos (t));
  bytes = retro_test_bytes (t);
  retro_test_free (t);
  g_free (frames);
  return bytes;
}

static const struct
{
  const gchar *elements;
  gdouble rate;                 /* rate of the segment */
  const gchar *same_as;         /* with these properties, the reversed stream has the same
                                 * output */
} backwards[] = {
  {"timescale keep-pitch=true factor=1.5", -1, "keep-pitch=true factor=1.5"},
  {"timescale keep-pitch=true", -2, "keep-pitch=true factor=0.5"},
  {"timescale keep-pitch=true factor=3", -2, "keep-pitch=true factor=1.5"},
  {"timescale semitones=-7", -1, "semitones=-7"},
  {"timescale keep-pitch=true", -0.25, "keep-pitch=true factor=4"},
  {"revbuf ! timescale keep-pitch=true factor=1.5", -1,
      "keep-pitch=true factor=1.5"},
  {"revbuf ! timescale keep-pitch=true", -2, "keep-pitch=true factor=0.5"},
  {"revbuf direction=reverse mode=collect ! timescale keep-pitch=true "
        "factor=1.5", 1, "keep-pitch=true factor=1.5"}
};

GST_START_TEST (backwards_it_stretches_the_reversed_stream)
{
  RetroTest *t = retro_test_new (backwards[__i__].elements);
  GByteArray *bytes, *expected =
      stretch_of_reversed (backwards[__i__].same_as, 6000);
  GstAudioInfo info;

  retro_test_plain_info (&info);
  retro_test_start (t, &info, backwards[__i__].rate, 0, PLAIN_NS (6000));
  if (backwards[__i__].rate < 0)
    retro_test_push_backwards (t, 6000, 512);
  else
    retro_test_push_cut (t, 0, 6000, retro_test_cuts[3]);
  fail_unless (retro_test_eos (t));
  bytes = retro_test_bytes (t);
  assert_same_bytes (bytes, expected, backwards[__i__].elements);
  g_byte_array_unref (bytes);
  g_byte_array_unref (expected);
  retro_test_free (t);
}

GST_END_TEST;

/* ---- latency -------------------------------------------------------------------- */

typedef struct
{
  const gchar *properties;
  gdouble factor, shift;        /* shift: 2^(semitones / 12) */
  guint whole_frames;           /* number of frames directly before a click that are copied
                                 * with it */
} Latency;

static const Latency latencies[] = {
  {"keep-pitch=true factor=1.5 window=music", 1.5, 1, 48},
  {"keep-pitch=true factor=1.5 window=speech", 1.5, 1, 48},
  {"keep-pitch=true factor=1.5 window=low-latency", 1.5, 1, 240},
  {"keep-pitch=true factor=3", 3, 1, 48},
  {"keep-pitch=true factor=0.5 window=music", 0.5, 1, 48},
  {"semitones=12 window=speech", 1, 2, 48},
  {"semitones=-12 window=speech", 1, 0.5, 48}
};

/* The delay of the output must never exceed the reported latency, and must once be equal
 * to it, except for the 96 frames of an unused sinc. A click must be output at the position
 * that follows from the factor. The click is part of an unchanged copy of the input, which
 * begins up to 1 ms (low latency: 5 ms) before the click. */
GST_START_TEST (the_latency_is_as_reported)
{
  const Latency *l = &latencies[__i__];
  guint n_frames = 24000, click = 12000, at, i, n, loudest = 0;
  gfloat *in = g_new0 (gfloat, n_frames);
  gdouble reported, most = 0, *out;
  GstAudioInfo info;
  RetroTest *t;

  retro_test_info (&info, GST_AUDIO_FORMAT_F32, GST_AUDIO_LAYOUT_INTERLEAVED,
      48000, 1);
  in[click] = 0.9;
  t = start_as (&info, l->properties);
  retro_test_answer_latency (t, 0, GST_CLOCK_TIME_NONE);
  /* small buffers, so that they end at every position relative to the stretcher's
   * windows */
  for (at = 0; at < n_frames; at += 3) {
    gst_harness_push (t->h, retro_test_buffer_of (&info, in + at, 3,
            retro_test_time (&info, at)));
    /* the output position is converted to an input position */
    most = MAX (most, at + 3 - retro_test_frames_out (t) / l->factor);
  }
  reported = gst_harness_query_latency (t->h) * 48000.0 / GST_SECOND;
  fail_unless (most <= reported + 1, "%s: a frame leaves %.0f frames late, not "
      "%.0f", l->properties, most, reported);
  fail_unless (most >= reported - 100, "%s: frames leave %.0f frames late, not "
      "%.0f", l->properties, most, reported);
  fail_unless (retro_test_eos (t));
  out = scale_take_numbers (t, &n);
  for (i = 0; i < n; i++)
    if (fabs (out[i]) > fabs (out[loudest]))
      loudest = i;
  fail_unless (fabs (loudest - click * l->factor) <=
      fabs (l->factor * l->shift - 1) * l->whole_frames + 2,
      "%s: the click is heard at %u, not %g", l->properties, loudest,
      click * l->factor);
  g_free (out);
  g_free (in);
}

GST_END_TEST;

/* ---- streams that change, end and restart --------------------------------------- */

/* Asserts that the next buffers are processed like a new stream. */
static void
assert_begins_anew (RetroTest * t, const gchar * properties)
{
  GByteArray *bytes, *expected;

  retro_test_clear (t);
  push_sound (t, 0, 3001, 400);
  fail_unless (retro_test_eos (t));
  bytes = retro_test_bytes (t);
  expected = stretched (&t->info, properties, 3001, 400);
  assert_same_bytes (bytes, expected, properties);
  g_byte_array_unref (bytes);
  g_byte_array_unref (expected);
}

/* Buffered audio must be output before the new caps, and the new format must be processed
 * like a new stream. */
GST_START_TEST (new_caps_restart_the_stream)
{
  static const gchar properties[] = "keep-pitch=true factor=1.5";
  static const struct
  {
    gint rate, channels;
  } changes[] = { {11025, 1}, {8000, 1}, {8000, 2}, {48000, 9} };
  GstAudioInfo before, info;
  RetroTest *t;

  retro_test_info (&before, GST_AUDIO_FORMAT_F32, GST_AUDIO_LAYOUT_INTERLEAVED,
      RATE, 1);
  retro_test_info (&info, formats[__i__], __i__ % 2 ?
      GST_AUDIO_LAYOUT_NON_INTERLEAVED : GST_AUDIO_LAYOUT_INTERLEAVED,
      changes[__i__].rate, changes[__i__].channels);
  t = start_as (&before, properties);
  push_sound (t, 0, 5001, 700);
  retro_test_caps (t, &info);
  t->info = before;
  fail_unless_equals_uint64 (retro_test_frames_out (t), 7501);
  t->info = info;
  assert_begins_anew (t, properties);
  retro_test_free (t);
}

GST_END_TEST;

/* Pushes @n_frames frames at 48000 Hz, then frames at 44100 Hz that begin at the end of
 * the frames at 48000 Hz. In the middle of the frames at 48000 Hz, the factor becomes
 * @factor, unless @factor is 0. Returns the distance from the end of the output at the
 * first rate to the beginning of the output at the second rate, in frames. */
static gdouble
frames_between_rates (const gchar * properties, guint64 n_frames,
    gdouble factor)
{
  guint64 middle = n_frames / 1400 * 700;
  GstAudioInfo before, after;
  GstClockTime end_ns, next_ns;
  GstBuffer *next;
  RetroTest *t;
  guint n;

  retro_test_info (&before, GST_AUDIO_FORMAT_F32,
      GST_AUDIO_LAYOUT_INTERLEAVED, 48000, 1);
  after = before;
  after.rate = 44100;
  t = start_as (&before, properties);
  push_sound (t, 0, middle, 700);
  if (factor > 0)
    g_object_set (t->element, "factor", factor, NULL);
  push_sound (t, middle, n_frames - middle, 700);
  retro_test_caps (t, &after);
  n = retro_test_n_buffers (t);
  t->info = before;
  retro_test_assert_run (t, 0, n, 0);
  end_ns = retro_test_time (&before, retro_test_frames_out (t));

  t->info = after;
  next = sound (&after, 0, 3000);
  GST_BUFFER_PTS (next) = retro_test_time (&before, n_frames);
  fail_unless_equals_int (gst_harness_push (t->h, next), GST_FLOW_OK);
  fail_unless (retro_test_eos (t));
  next_ns = GST_BUFFER_PTS (retro_test_nth_buffer (t, n));
  retro_test_assert_run (t, n, retro_test_n_buffers (t) - n, next_ns);
  retro_test_free (t);
  return GST_CLOCK_DIFF (end_ns, next_ns) * 48000.0 / GST_SECOND;
}

static const gchar *const pitches[] = { "semitones=-12", "semitones=-5",
  "semitones=0", "semitones=3", "semitones=5", "keep-pitch=true",
  "keep-pitch=true semitones=-7", "keep-pitch=true semitones=5"
};

static const guint64 lengths[] = { 4800, 4801, 9999, 24013 };

/* The distance must be the fraction of a frame by which the exact length exceeds the
 * number of output frames. */
GST_START_TEST (another_rate_begins_where_the_one_before_it_ends)
{
  static const struct
  {
    const gchar *text;
    guint64 num, den;
  } of[] = { {"0.5", 1, 2}, {"0.7", 7, 10}, {"1", 1, 1}, {"1.25", 5, 4},
  {"1.5", 3, 2}, {"3", 3, 1}
  };
  guint f, i;

  for (f = 0; f < G_N_ELEMENTS (of); f++)
    for (i = 0; i < G_N_ELEMENTS (lengths); i++) {
      gchar *properties = g_strdup_printf ("factor=%s %s", of[f].text,
          pitches[__i__]);
      gdouble part = lengths[i] * of[f].num % of[f].den / (gdouble) of[f].den;
      gdouble between = frames_between_rates (properties, lengths[i], 0);

      /* both times are rounded to a nanosecond */
      fail_unless (fabs (between - part) < 1e-4, "%s: %g frames behind the end "
          "of %g, not %g", properties, between, (gdouble) lengths[i], part);
      g_free (properties);
    }
}

GST_END_TEST;

/* If the factor has changed, the distance must still be less than a frame, and not
 * negative. */
GST_START_TEST (another_rate_follows_a_change_of_the_factor)
{
  static const gdouble to[] = { 0.8, 1, 1.25 };
  guint f, i;

  for (f = 0; f < G_N_ELEMENTS (to); f++)
    for (i = 0; i < G_N_ELEMENTS (lengths); i++) {
      gchar *properties = g_strdup_printf ("factor=1.5 %s", pitches[__i__]);
      gdouble between = frames_between_rates (properties, lengths[i], to[f]);

      fail_unless (between > -1e-4 && between < 1, "%s, then %g: %g frames "
          "behind the end of %g", properties, to[f], between,
          (gdouble) lengths[i]);
      g_free (properties);
    }
}

GST_END_TEST;

static void
flush (RetroTest * t)
{
  GstAudioInfo info = t->info;

  retro_test_flush (t);
  retro_test_start (t, &info, 1, 0, GST_CLOCK_TIME_NONE);
}

static void
restart (RetroTest * t)
{
  GstAudioInfo info = t->info;

  retro_test_restart (t);
  retro_test_start (t, &info, 1, 0, GST_CLOCK_TIME_NONE);
}

/* Sends a segment that begins at the end of the previous segment. The element
 * must output its buffered audio before the segment. */
static void
next_segment (RetroTest * t)
{
  GstSegment segment = retro_test_segment (1, 0, GST_CLOCK_TIME_NONE);

  segment.base = PLAIN_NS (5001);
  retro_test_send_segment (t, &segment);
  fail_unless_equals_uint64 (retro_test_frames_out (t), 7001);
}

static void
end (RetroTest * t)
{
  GstSegment segment = retro_test_segment (1, 0, GST_CLOCK_TIME_NONE);

  fail_unless (retro_test_eos (t));
  fail_unless_equals_uint64 (retro_test_frames_out (t), 7001);
  gst_harness_push_event (t->h, gst_event_new_stream_start ("next"));
  retro_test_send_segment (t, &segment);
}

static void (*const breaks[]) (RetroTest *) = { flush, restart, next_segment,
  end
};

GST_START_TEST (an_element_is_used_again)
{
  static const gchar properties[] = "keep-pitch=true factor=1.4";
  GstAudioInfo info;
  RetroTest *t;

  retro_test_info (&info, GST_AUDIO_FORMAT_F32, GST_AUDIO_LAYOUT_INTERLEAVED,
      RATE, 2);
  t = start_as (&info, properties);
  push_sound (t, 0, 5001, 700);
  breaks[__i__] (t);
  t->info = info;
  assert_begins_anew (t, properties);
  retro_test_free (t);
}

GST_END_TEST;

/* A GAP event must be stretched like sound, after the output of buffered audio. */
GST_START_TEST (a_gap_event_is_stretched)
{
  GstClockTime pts_ns, duration_ns;
  GstAudioInfo info;
  RetroTest *t;

  retro_test_plain_info (&info);
  t = start_as (&info, "keep-pitch=true factor=1.5");
  push_sound (t, 0, 4000, 500);
  gst_harness_push_event (t->h, gst_event_new_gap (PLAIN_NS (4000),
          PLAIN_NS (2000)));
  fail_unless_equals_uint64 (retro_test_frames_out (t), 6000);
  gst_event_parse_gap (retro_test_nth_event (t, GST_EVENT_GAP, 0), &pts_ns,
      &duration_ns);
  fail_unless_equals_uint64 (pts_ns, PLAIN_NS (6000));
  fail_unless_equals_uint64 (duration_ns, PLAIN_NS (3000));
  push_sound (t, 6000, 2001, 500);
  fail_unless (retro_test_eos (t));
  fail_unless_equals_uint64 (retro_test_frames_out (t), 9001);
  retro_test_free (t);
}

GST_END_TEST;

static Suite *
timescale_pitch_laws_suite (void)
{
  Suite *s = suite_create ("timescale_pitch_laws");
  TCase *tc = tcase_create ("laws");

  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 60);
  tcase_add_loop_test (tc, every_factor_has_its_length, 0,
      G_N_ELEMENTS (factors));
  tcase_add_loop_test (tc, every_rate_keeps_a_sine, 0, G_N_ELEMENTS (rates));
  tcase_add_loop_test (tc, a_rate_of_a_few_hertz_comes_to_its_end, 0, 3);
  tcase_add_loop_test (tc, formats_agree, 0, G_N_ELEMENTS (settings));
  tcase_add_loop_test (tc, layouts_agree, 0, G_N_ELEMENTS (settings));
  tcase_add_loop_test (tc, channels_that_are_alike_stay_alike, 0, 6);
  tcase_add_loop_test (tc, backwards_it_stretches_the_reversed_stream, 0,
      G_N_ELEMENTS (backwards));
  tcase_add_loop_test (tc, the_latency_is_as_reported, 0,
      G_N_ELEMENTS (latencies));
  tcase_add_loop_test (tc, new_caps_restart_the_stream, 0, 4);
  tcase_add_loop_test (tc, another_rate_begins_where_the_one_before_it_ends, 0,
      G_N_ELEMENTS (pitches));
  tcase_add_loop_test (tc, another_rate_follows_a_change_of_the_factor, 0,
      G_N_ELEMENTS (pitches));
  tcase_add_loop_test (tc, an_element_is_used_again, 0, G_N_ELEMENTS (breaks));
  tcase_add_test (tc, a_gap_event_is_stretched);
  return s;
}

GST_CHECK_MAIN (timescale_pitch_laws);
