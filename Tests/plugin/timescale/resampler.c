/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * timescale: what GStreamer's own tests require of audioresample, as far as it applies to an
 * element that changes the number of frames and not their rate. Factors are fractions of the
 * rates in those tests.
 */

#include "retrotestplay.h"
#include "scalemodel.h"

#include <string.h>

/* Pairs of rates: whole ratios, other ratios, and odd ones. */
static const ScaleFactor ratios[] = {
  {48000, 48000},
  {24000, 48000}, {12000, 48000}, {24000, 12000}, {48000, 12000},
  {8000, 44100}, {44100, 8000}, {54321, 12345}, {99, 101}
};

static RetroTest *
start (const ScaleFactor * ratio, const gchar * properties)
{
  GstAudioInfo info = retro_test_info (GST_AUDIO_FORMAT_S16, INTERLEAVED,
      ratio->den, 2);
  RetroTest *t = scale_test_new (*ratio, properties);

  retro_test_start (t, &info, 1, 0, GST_CLOCK_TIME_NONE);
  return t;
}

static void
own (RetroTest * t, GstBuffer * buffer)
{
  fail_unless (gst_buffer_is_writable (buffer)
      && gst_buffer_is_all_memory_writable (buffer), "somebody keeps a buffer");
}

/* ---- perfect streams ------------------------------------------------------------- */

/* Given a stream without holes. When it is scaled, then each buffer begins in time and in frames
 * where the one before it ends, and belongs to the receiver alone. */
LOOP_TEST (a_perfect_stream_stays_perfect, G_N_ELEMENTS (ratios))
{
  AUTO_TEST t = start (&ratios[__i__], "");
  guint i;

  t->watch = own;
  for (i = 0; i < 20; i++)
    retro_test_push (t, i * 500, 500);
  retro_test_eos (t);
  retro_test_assert_perfect (t, 0);
  /* the factor is the nearest number of type double, so a floor may be one less */
  fail_unless (scale_length (20 * 500, ratios[__i__])
      - retro_test_frames_out (t) <= 1);
}

/* ---- another format while it plays ---------------------------------------------------- */

static const struct
{
  GstAudioFormat format;
  GstAudioLayout layout;
  gint rate, channels;
} formats[] = {
  {GST_AUDIO_FORMAT_S16, INTERLEAVED, 48000, 4},
  {GST_AUDIO_FORMAT_S16, INTERLEAVED, 40000, 4},
  {GST_AUDIO_FORMAT_S16, INTERLEAVED, 50000, 4},
  {GST_AUDIO_FORMAT_S16, PLANAR, 50000, 4},
  {GST_AUDIO_FORMAT_F64, PLANAR, 50000, 1},
  {GST_AUDIO_FORMAT_F32, INTERLEAVED, 50000, 3}
};

/* Number of frames of output between two changes of the format; @n is the number of the change. */
static guint64
frames_of_format (RetroTest * t, guint n)
{
  gint i = retro_test_place_of_event (t, GST_EVENT_CAPS, n);
  guint64 n_frames = 0;
  GstCaps *caps;

  gst_event_parse_caps (g_ptr_array_index (t->items, i), &caps);
  fail_unless (gst_audio_info_from_caps (&t->info, caps));
  for (i++; i < (gint) t->items->len; i++) {
    gpointer item = g_ptr_array_index (t->items, i);

    if (GST_IS_EVENT (item) && GST_EVENT_TYPE (item) == GST_EVENT_CAPS)
      break;
    if (GST_IS_BUFFER (item))
      n_frames += retro_test_buffer_frames (t, item);
  }
  return n_frames;
}

/* Given a second of sound in each of several formats, rates and layouts. When they follow one
 * another, then each caps event follows the last frame of the format before it, and no second
 * loses or gains a frame. */
LOOP_TEST (each_format_keeps_its_frames, 4)
{
  static const ScaleFactor factors[] = { {1, 1}, {3, 2}, {1, 2}, {2, 1} };
  ScaleFactor factor = factors[__i__];
  AUTO_TEST t = scale_test_new (factor, "quality=4");
  GstAudioInfo info;
  guint i;

  for (i = 0; i < G_N_ELEMENTS (formats); i++) {
    GstBuffer *buffer;

    info = retro_test_info (formats[i].format, formats[i].layout,
        formats[i].rate, formats[i].channels);
    if (i == 0)
      retro_test_start (t, &info, 1, 0, GST_CLOCK_TIME_NONE);
    else
      retro_test_caps (t, &info);
    buffer = retro_test_buffer (&info, 0, info.rate);
    GST_BUFFER_PTS (buffer) = i * GST_SECOND;
    fail_unless_equals_int (gst_harness_push (t->h, buffer), GST_FLOW_OK);
  }
  retro_test_eos (t);
  for (i = 0; i < G_N_ELEMENTS (formats); i++)
    fail_unless_equals_uint64 (frames_of_format (t, i),
        scale_length (formats[i].rate, factor));
}

static const gchar *const settings[] = { "factor=1", "factor=1.5",
  "factor=1.5 keep-pitch=true", "semitones=3"
};

static GByteArray *
play_with (const gchar * properties, gboolean reconfigures)
{
  RetroTest *t = retro_test_new ("timescale");
  GstAudioInfo info = scale_plain_info ();
  guint i;

  scale_set (t, properties);
  retro_test_start (t, &info, 1, 0, GST_CLOCK_TIME_NONE);
  for (i = 0; i < 20; i++) {
    scale_push_sound (t, i * 400, 400, 400);
    if (reconfigures) {
      gst_harness_push_upstream_event (t->h, gst_event_new_reconfigure ());
      retro_test_caps (t, &info);
    }
  }
  return retro_test_end (t);
}

/* Given any setting. When downstream asks for a new configuration, and the same caps come again,
 * then not one sample differs. */
LOOP_TEST (a_reconfigure_resets_nothing, G_N_ELEMENTS (settings))
{
  g_autoptr (GByteArray) plain = play_with (settings[__i__], FALSE);
  g_autoptr (GByteArray) asked = play_with (settings[__i__], TRUE);

  fail_unless_equals_int (plain->len, asked->len);
  fail_unless (memcmp (plain->data, asked->data, plain->len) == 0);
}

/* ---- pipelines --------------------------------------------------------------------------- */

static const gchar *const qualities[] = { "quality=0", "quality=5",
  "quality=10", "interpolation=cubic", "keep-pitch=true", "semitones=-3"
};

/* Given an identity element downstream that checks times. When any setting plays to the end, then
 * it doesn't report anything. */
LOOP_TEST (identity_finds_no_imperfect_time, G_N_ELEMENTS (qualities))
{
  g_autofree gchar *description = g_strconcat ("timescale factor=1.0884 ",
      qualities[__i__], NULL);
  GstAudioInfo info = retro_test_info (GST_AUDIO_FORMAT_F32, INTERLEAVED, 44100,
      2);
  AUTO_PLAY play = retro_play_new (description, &info, 20000);
  GstElement *identity = gst_element_factory_make ("identity", NULL);

  g_object_set (identity, "check-imperfect-timestamp", TRUE,
      "check-imperfect-offset", TRUE, NULL);
  retro_play_insert (play, identity);
  retro_play_run (play);
  retro_play_stop (play);
  fail_unless (retro_test_frames_out (&play->out) > 21000);
  fail_unless_equals_int (retro_test_take_messages (&play->out,
          GST_MESSAGE_ELEMENT), 0);
}
