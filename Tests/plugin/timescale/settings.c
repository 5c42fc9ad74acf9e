/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 *
 * timescale: each property, and each sample of each channel, reaches the core. What the core
 * does with them is tested in Swift. Here, a hash of the output must stay the same, on
 * every processor: meson.build runs this program with each variant of the core.
 */

#include "scalemodel.h"

#define N 6000

static const GstAudioFormat formats[] = { GST_AUDIO_FORMAT_S16,
  GST_AUDIO_FORMAT_S32, GST_AUDIO_FORMAT_F32, GST_AUDIO_FORMAT_F64
};

static GstAudioInfo
info_of (GstAudioFormat format, gboolean planar, gint channels)
{
  GstAudioInfo info =
      retro_test_info (format, planar ? PLANAR : INTERLEAVED, PLAIN_RATE,
      channels);
  return info;
}

static RetroTest *
start (const GstAudioInfo * info, const gchar * properties)
{
  gchar *description = g_strdup_printf ("timescale %s", properties);
  RetroTest *t = retro_test_new (description);

  retro_test_start (t, info, 1, 0, GST_CLOCK_TIME_NONE);
  g_free (description);
  return t;
}

/* Ends the stream, and asserts that the output has this hash. */
static void
finish (RetroTest * t, const gchar * what, const gchar * expected)
{
  gchar *hash;

  fail_unless (retro_test_eos (t));
  retro_test_assert_perfect (t, 0);
  hash = retro_test_hash (t);
  fail_unless (g_str_has_prefix (hash, expected), "%s: %.8s, not %s", what,
      hash, expected);
  g_free (hash);
  retro_test_free (t);
}

/* ---- properties --------------------------------------------------------- */

typedef struct
{
  const gchar *properties, *hash;
} Setting;

static const Setting settings[] = {
  {"factor=1.5 interpolation=nearest", "a1dfc14f"},
  {"factor=1.5 interpolation=linear", "2280348d"},
  {"factor=1.5 interpolation=smooth", "80ec7ba0"},
  {"factor=1.5 interpolation=cubic", "8b195671"},
  {"factor=1.5", "1acc544a"},
  {"rate=0.7", "d4c19bf0"},
  {"factor=0.3 quality=0", "296cd433"},
  {"factor=0.3 quality=10", "6563ecb2"},
  {"factor=1.3 alignment=endpoints", "55755233"},
  {"factor=1.5 keep-pitch=true", "e8a4623c"},
  {"factor=0.7 keep-pitch=true window=music", "88701755"},
  {"factor=0.7 keep-pitch=true window=speech", "2084623d"},
  {"factor=0.7 keep-pitch=true window=low-latency", "42a1c436"},
  {"semitones=7", "5c81b8d8"},
  {"semitones=-5 factor=1.2", "08b957a6"},
  {"semitones=4 formants=keep", "f5390de7"},
  {"semitones=4 formants=keep formant-semitones=-3", "7eeb1b87"},
  {"formant-semitones=3", "04c9bcf2"}
};

LOOP_TEST (each_property_reaches_the_core, G_N_ELEMENTS (settings))
{
  const Setting *setting = &settings[__i__];
  GstAudioInfo info = info_of (GST_AUDIO_FORMAT_F32, __i__ % 2, 2);
  RetroTest *t = start (&info, setting->properties);

  scale_push_sound (t, 0, N, 480);
  finish (t, setting->properties, setting->hash);
}

/* The second property is set in the middle of the stream. */
static const struct
{
  const gchar *before, *after, *hash;
} changes[] = {
  {"", "factor=1.5", "bcbebed3"},
  {"interpolation=linear", "rate=3", "66b32331"},
  {"factor=1.5", "interpolation=linear", "f50c8219"},
  {"factor=1.5", "quality=0", "f6f621d6"},
  {"factor=1.5", "keep-pitch=true", "2c5c33a3"},
  {"factor=1.5 keep-pitch=true", "keep-pitch=false", "b438b093"},
  {"keep-pitch=true factor=1.5", "factor=0.8", "bfb0abc4"},
  {"", "semitones=5", "f4698383"},
  {"semitones=5", "semitones=0", "66f99905"},
  {"semitones=5", "formants=keep", "0efe766e"},
  {"semitones=5 formants=keep", "formant-semitones=3", "944189c1"},
  /* a new window holds from the next stream on */
  {"keep-pitch=true factor=1.5", "window=low-latency", "b414251f"}
};

LOOP_TEST (each_change_of_a_property_reaches_the_core, G_N_ELEMENTS (changes))
{
  GstAudioInfo info = info_of (GST_AUDIO_FORMAT_F64, __i__ % 2, 1);
  RetroTest *t = start (&info, changes[__i__].before);

  scale_push_sound (t, 0, N / 2, 300);
  scale_set (t, changes[__i__].after);
  scale_push_sound (t, N / 2, N / 2, 300);
  finish (t, changes[__i__].after, changes[__i__].hash);
}

/* ---- formats, layouts, channels ----------------------------------------- */

static const struct
{
  const gchar *properties;
  const gchar *hashes[G_N_ELEMENTS (formats)];
} shapes[] = {
  {"factor=1", {"775f187f", "6c87bb45", "ae9cc267", "8dfd747e"}},
  {"factor=0.7 interpolation=linear", {"5fa20899", "67879ae9", "cdb34235",
          "91a6f5eb"}},
  {"factor=1.4 keep-pitch=true", {"4b526fe2", "efe7d5ab", "32c32350",
          "f874ff12"}},
  {"factor=1.4 alignment=endpoints", {"991302cd", "b5546280", "95ee2618",
          "4d56bb55"}}
};

/* Each channel has a different sound, so that no two may be swapped. */
LOOP_TEST (every_format_and_layout_gives_its_samples,
    2 * G_N_ELEMENTS (formats) * G_N_ELEMENTS (shapes))
{
  guint format = __i__ / 2 % 4, shape = __i__ / 8;
  GstAudioInfo info = info_of (formats[format], __i__ % 2, 3);
  RetroTest *t = start (&info, shapes[shape].properties);

  scale_push_sound (t, 0, 2000, 333);
  finish (t, shapes[shape].properties, shapes[shape].hashes[format]);
}

/* The maximum number of channels is 1024 if interleaved, and 255 if planar. */
LOOP_TEST (the_most_channels_are_scaled, 2)
{
  GstAudioInfo info = info_of (GST_AUDIO_FORMAT_S16, __i__,
      __i__ ? 255 : 1024);
  RetroTest *t = start (&info, "factor=1.5 keep-pitch=true semitones=1");

  scale_push_sound (t, 0, 801, 801);
  finish (t, "channels", __i__ ? "d3f8bdd0" : "429dcd22");
}

/* alignment=endpoints has no effect if the pitch is kept, because nothing is interpolated
 * between frames. */
TEST (endpoints_stream_where_the_pitch_is_kept)
{
  AUTO_TEST t = retro_test_plain ("timescale keep-pitch=true factor=1.5 "
      "alignment=endpoints", 1, GST_CLOCK_TIME_NONE);

  retro_test_push (t, 0, N);
  fail_unless (retro_test_n_buffers (t) > 0);
  retro_test_eos (t);
  fail_unless_equals_uint64 (retro_test_frames_out (t), N * 3 / 2);
}

/* ---- in reverse --------------------------------------------------------- */

/* The output for the frames @n - 1 … 0 in this order. */
static GByteArray *
output_of_reversed (const GstAudioInfo * info, const gchar * properties,
    guint n)
{
  gsize bpf = GST_AUDIO_INFO_BPF (info);
  guint8 *frames = g_malloc (n * bpf);
  RetroTest *t = start (info, properties);
  guint i;

  for (i = 0; i < n; i++)
    retro_test_frame (info, n - 1 - i, frames + i * bpf);
  gst_harness_push (t->h, retro_test_buffer_of (info, frames, n, 0));
  g_free (frames);
  return retro_test_end (t);
}

static const struct
{
  const gchar *elements;
  gdouble rate;                 /* rate of the segment */
  const gchar *same_as;         /* with these properties, the reversed stream has the same
                                 * output */
} backwards[] = {
  {"timescale", -1, ""},
  {"timescale factor=0.7", -1, "factor=0.7"},
  {"timescale factor=100", -1, "factor=100"},
  {"timescale rate=2 interpolation=linear", -1, "factor=0.5 "
        "interpolation=linear"},
  {"timescale keep-pitch=true factor=3", -2, "keep-pitch=true factor=1.5"},
  {"timescale semitones=-7", -1, "semitones=-7"},
  {"revbuf ! timescale keep-pitch=true", -2, "keep-pitch=true factor=0.5"},
  {"revbuf direction=reverse mode=collect ! timescale keep-pitch=true "
        "factor=1.5", 1, "keep-pitch=true factor=1.5"}
};

LOOP_TEST (a_stream_that_plays_backwards_is_reversed_then_scaled,
    2 * G_N_ELEMENTS (backwards))
{
  const gdouble rate = backwards[__i__ / 2].rate;
  AUTO_TEST t = retro_test_new (backwards[__i__ / 2].elements);
  GstAudioInfo info = info_of (GST_AUDIO_FORMAT_F32, __i__ % 2, 2);

  retro_test_start (t, &info, rate, 0, PLAIN_NS (3000));
  if (rate < 0)
    retro_test_push_backwards (t, 3000, __i__ % 2 ? 512 : 7);
  else
    retro_test_push_cut (t, 0, 3000, retro_test_cuts[3]);
  fail_unless (retro_test_eos (t));
  if (__i__ < 12)
    retro_test_assert_perfect (t, 0);
  retro_test_assert_bytes (t, output_of_reversed (&info,
          backwards[__i__ / 2].same_as, 3000), NULL);
}
