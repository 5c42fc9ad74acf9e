/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * revbuf must not split a frame, in any raw format.
 */

#include "retrotest.h"

#define N 97
#define N_FORMATS (GST_AUDIO_FORMAT_F64BE - GST_AUDIO_FORMAT_ENCODED)

static const gint channels[] = { 1, 2, 3, 6, 8, 64 };

static const GstAudioLayout layouts[] = {
  INTERLEAVED, PLANAR
};

/* The raw formats that the headers of the build know. */
static GstAudioFormat
nth_format (guint n)
{
  return GST_AUDIO_FORMAT_ENCODED + 1 + n;
}

/* Runs a test with each layout and number of channels, with a new element each time. */
static void
with_every_shape (GstAudioFormat format, const gchar * description,
    void (*check) (RetroTest * t))
{
  guint l, c;

  for (l = 0; l < G_N_ELEMENTS (layouts); l++) {
    for (c = 0; c < G_N_ELEMENTS (channels); c++) {
      RetroTest *t = retro_test_new (description);
      GstAudioInfo info;

      info = retro_test_info (format, layouts[l], 48000, channels[c]);
      retro_test_caps (t, &info);
      check (t);
      retro_test_free (t);
    }
  }
}

static void
send_forwards (RetroTest * t)
{
  GstSegment segment = retro_test_segment (1, 0, GST_CLOCK_TIME_NONE);
  static const gsize sizes[] = { 10, 1, 33, 0 };

  retro_test_send_segment (t, &segment);
  retro_test_push_cut (t, 0, N, sizes);
  fail_unless (retro_test_eos (t));
}

static void
check_reversed (RetroTest * t)
{
  send_forwards (t);
  retro_test_assert_down (t, 0, N);
}

SOME_TEST (collect_reverses_every_shape, 8, N_FORMATS)
{
  with_every_shape (nth_format (__i__), "revbuf direction=reverse",
      check_reversed);
}

static void
check_flipped (RetroTest * t)
{
  GstSegment segment = retro_test_segment (-1, 0,
      retro_test_time (&t->info, N));

  retro_test_send_segment (t, &segment);
  retro_test_push_backwards (t, N, 10);
  retro_test_assert_down (t, 0, N);
}

SOME_TEST (flip_reverses_every_shape, 8, N_FORMATS)
{
  with_every_shape (nth_format (__i__), "revbuf", check_flipped);
}

static void
check_chunks (RetroTest * t)
{
  send_forwards (t);
  retro_test_assert_runs (t, DOWN (0, 48), DOWN (48, 48), DOWN (96, 1));
}

SOME_TEST (chunk_reverses_every_shape, 8, N_FORMATS)
{
  with_every_shape (nth_format (__i__),
      "revbuf direction=reverse mode=chunk block-time=1000000", check_chunks);
}

TEST (channel_positions_stay_in_the_caps)
{
  AUTO_TEST t = retro_test_new ("revbuf direction=reverse");
  GstAudioChannelPosition position[6];
  GstAudioInfo info, out;
  GstCaps *caps;

  gst_audio_channel_positions_from_mask (6, 0x3f, position);
  gst_audio_info_set_format (&info, GST_AUDIO_FORMAT_S24LE, 48000, 6, position);
  retro_test_start (t, &info, 1, 0, GST_CLOCK_TIME_NONE);
  gst_event_parse_caps (retro_test_nth_event (t, GST_EVENT_CAPS, 0), &caps);
  fail_unless (gst_audio_info_from_caps (&out, caps));
  fail_unless (gst_audio_info_is_equal (&info, &out));
}

/* The maximum number of channels is 1024 if interleaved, and 255 if planar, because
 * GStreamer cannot map more planes. */
LOOP_TEST (the_most_channels_are_reversed, 2)
{
  static const gint most[] = { 1024, 255 };
  AUTO_TEST t = retro_test_new ("revbuf direction=reverse");

  GstAudioInfo info =
      retro_test_info (GST_AUDIO_FORMAT_F64, layouts[__i__], 8000, most[__i__]);
  retro_test_caps (t, &info);
  check_reversed (t);
}
