/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * revbuf must not split a frame, in any raw format.
 */

#include "uses.h"

#define N 97
#define N_FORMATS (GST_AUDIO_FORMAT_F64BE - GST_AUDIO_FORMAT_ENCODED)

static const gint channels[] = { 1, 2, 3, 6, 8, 64 };
static const GstAudioLayout layouts[] = { INTERLEAVED, PLANAR };

/* Reverses the stream in a new element. */
static void
check_reversed (const RetroUse * use, GstAudioFormat format,
    GstAudioLayout layout, gint n_channels)
{
  GstAudioInfo info = retro_test_info (format, layout, 800, n_channels);
  AUTO_TEST t = retro_test_new (use->element);

  retro_use_start (use, t, &info, 0, N);
  fail_unless_equals_int (retro_use_push (use, t, 0, N, retro_test_cuts[3]),
      GST_FLOW_OK);
  fail_unless (retro_test_eos (t));
  retro_use_assert (use, t, 0, N);
}

/* The raw formats that the headers of the build know, in a segment with a negative rate,
 * collected, and in chunks. */
SOME_TEST (every_shape_is_reversed, 8, N_FORMATS)
{
  static const guint uses[] = { 1, 3, 6 };
  guint u, c;

  for (u = 0; u < G_N_ELEMENTS (uses); u++)
    for (c = 0; c < 2 * G_N_ELEMENTS (channels); c++)
      check_reversed (&retro_uses[uses[u]],
          GST_AUDIO_FORMAT_ENCODED + 1 + __i__, layouts[c % 2],
          channels[c / 2]);
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
  check_reversed (&retro_uses[3], GST_AUDIO_FORMAT_F64, layouts[__i__],
      __i__ ? 255 : 1024);
}
