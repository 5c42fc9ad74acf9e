/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The plugin's calculations with times, without an element: frame clock, segments, and
 * products of times and factors.
 */

#include "common/frameclock.h"
#include "common/segment.h"
#include "retrotest.h"
#include <timedsp.h>

#define NONE GST_CLOCK_TIME_NONE

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

TEST (only_the_first_buffer_of_a_run_is_discont)
{
  GstBuffer *buffer = gst_buffer_new ();
  GstRetroClock clock;
  guint run, i;

  gst_retro_clock_clear (&clock, 8000);
  for (run = 0; run < 3; run++) {
    gst_retro_clock_start (&clock, run * GST_SECOND);
    for (i = 0; i < 3; i++) {
      GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
      GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_RESYNC);
      gst_retro_clock_stamp (&clock, buffer, 8);
      fail_unless_equals_int (!!GST_BUFFER_IS_DISCONT (buffer), i == 0);
      fail_if (GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_RESYNC));
      fail_unless_equals_clocktime (GST_BUFFER_PTS (buffer),
          run * GST_SECOND + i * GST_MSECOND);
      fail_unless_equals_clocktime (GST_BUFFER_DTS (buffer), NONE);
    }
  }
  gst_buffer_unref (buffer);
}

TEST (offsets_continue_over_runs_until_cleared)
{
  GstBuffer *buffer = gst_buffer_new ();
  GstRetroClock clock;

  gst_retro_clock_clear (&clock, 8000);
  gst_retro_clock_start (&clock, 0);
  gst_retro_clock_stamp (&clock, buffer, 10);
  gst_retro_clock_start (&clock, GST_SECOND);
  gst_retro_clock_stamp (&clock, buffer, 5);
  fail_unless_equals_uint64 (GST_BUFFER_OFFSET (buffer), 10);
  fail_unless_equals_uint64 (GST_BUFFER_OFFSET_END (buffer), 15);
  gst_retro_clock_clear (&clock, 8000);
  gst_retro_clock_start (&clock, 0);
  gst_retro_clock_stamp (&clock, buffer, 5);
  fail_unless_equals_uint64 (GST_BUFFER_OFFSET (buffer), 0);
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

TEST (mirroring_changes_the_ends)
{
  GstSegment segment = retro_test_segment (-1, 100, 500);

  fail_unless_equals_clocktime (gst_retro_segment_mirror (&segment, 100), 500);
  fail_unless_equals_clocktime (gst_retro_segment_mirror (&segment, 500), 100);
  fail_unless_equals_clocktime (gst_retro_segment_mirror (&segment, 150), 450);
}

TEST (mirroring_stays_inside)
{
  GstSegment segment = retro_test_segment (-1, 100, 500);

  fail_unless_equals_clocktime (gst_retro_segment_mirror (&segment, 0), 500);
  fail_unless_equals_clocktime (gst_retro_segment_mirror (&segment, 9999), 100);
  fail_unless_equals_clocktime (gst_retro_segment_mirror (&segment, NONE),
      NONE);
}

TEST (a_forward_segment_is_reversed_too)
{
  GstSegment in = retro_test_segment (2, 100, 500), out;

  gst_retro_segment_reverse (&in, &out);
  fail_unless_equals_float (out.rate, 2);
  fail_unless_equals_float (out.applied_rate, -1);
  gst_retro_segment_reverse (&out, &out);
  fail_unless (gst_segment_is_equal (&in, &out));
}
