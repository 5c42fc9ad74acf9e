/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The plugin's calculations with times, without an element: frame clock and segments.
 */

#include "common/frameclock.h"
#include "common/segment.h"
#include "retrotest.h"

/* ---- clock -------------------------------------------------------------- */

SOME_TEST (a_day_of_audio_does_not_drift, 1, 4)
{
  static const gint rates[] = { 44100, 48000, 11025, 7919 };
  const guint64 n_frames = 4097, day = 24 * 3600 * (guint64) rates[__i__];
  GstBuffer *buffer = gst_buffer_new ();
  guint64 frames = 0;
  GstRetroClock clock;

  gst_retro_clock_clear (&clock, rates[__i__]);
  gst_retro_clock_start (&clock, 5);
  while (frames < day) {
    gst_retro_clock_stamp (&clock, buffer, n_frames);
    if (GST_BUFFER_PTS (buffer) != 5 + gst_util_uint64_scale_int (frames,
            GST_SECOND, rates[__i__]))
      fail ("drift at frame %" G_GUINT64_FORMAT, frames);
    frames += n_frames;
    if (GST_BUFFER_PTS (buffer) + GST_BUFFER_DURATION (buffer)
        != 5 + gst_util_uint64_scale_int (frames, GST_SECOND, rates[__i__]))
      fail ("drift at frame %" G_GUINT64_FORMAT, frames);
  }
  gst_buffer_unref (buffer);
}

/* ---- segment ------------------------------------------------------------ */

static GstSegment
random_segment (GRand * rand)
{
  static const gdouble rates[] = { -1, -2, -0.5, -4 };
  static const gdouble applied[] = { 1, 2, -1, -0.5 };
  GstSegment segment = retro_test_segment (rates[g_rand_int_range (rand, 0,
              4)], 8 * g_rand_int (rand), 0);

  segment.stop = segment.start + 800 + 8 * (guint64) g_rand_int (rand);
  segment.applied_rate = applied[g_rand_int_range (rand, 0, 4)];
  segment.time = 8 * g_rand_int (rand);
  segment.base = 8 * g_rand_int (rand);
  segment.offset = 8 * g_rand_int_range (rand, 0, 10);
  segment.position = segment.stop;
  return segment;
}

SOME_TEST (a_mirrored_moment_keeps_its_running_and_stream_time, 2, 10)
{
  GRand *rand = g_rand_new_with_seed (1 + __i__);
  guint i, k;

  for (i = 0; i < 100; i++) {
    GstSegment in = random_segment (rand), out;

    gst_retro_segment_reverse (&in, &out);
    fail_unless (out.rate > 0);
    for (k = 0; k <= 8; k++) {
      /* multiples of 8 ns can be divided by each of the rates without a remainder */
      GstClockTime t = in.start + (in.stop - in.start) / 64 * k * 8;
      GstClockTime mirrored = gst_retro_segment_mirror (&in, t);
      GstClockTime expected =
          gst_segment_to_running_time (&in, GST_FORMAT_TIME, t);

      fail_unless_equals_clocktime (gst_segment_to_running_time (&out,
              GST_FORMAT_TIME, mirrored), expected);
      expected = gst_segment_to_stream_time (&in, GST_FORMAT_TIME, t);
      fail_unless_equals_clocktime (gst_segment_to_stream_time (&out,
              GST_FORMAT_TIME, mirrored), expected);
    }
  }
  g_rand_free (rand);
}
