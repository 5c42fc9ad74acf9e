/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * timescale: a stream with a negative rate is reversed before it is scaled.
 */

#include "scalemodel.h"

#define N 1000

/* ---- negative rates --------------------------------------------------------- */

LOOP_TEST (its_segment_is_reversed_and_scaled, SCALE_N_FACTORS)
{
  ScaleFactor factor = scale_factors[__i__];
  GstSegment in = retro_test_segment (-2, PLAIN_NS (600), PLAIN_NS (9000));
  GstSegment out;
  AUTO_TEST t = scale_test_new (factor, "absorb-rate=false");
  guint32 seqnum;

  in.time = PLAIN_NS (30000);
  seqnum = retro_test_send_segment (t, &in);
  out = retro_test_nth_segment (t, 0);
  fail_unless_equals_float (out.rate, 2);
  fail_unless_equals_float (out.applied_rate, -1);
  fail_unless_equals_clocktime (out.start, scale_time (in.start, factor));
  fail_unless_equals_clocktime (out.stop, scale_time (in.stop, factor));
  fail_unless_equals_clocktime (out.time, scale_time (in.time, factor));
  fail_unless_equals_uint64 (retro_test_nth_seqnum (t, 0), seqnum);
}

TEST (its_open_stop_is_learnt_from_the_first_buffer)
{
  AUTO_TEST t = scale_test_new (scale_factors[1], "");

  retro_test_start (t, NULL, -1, 0, GST_CLOCK_TIME_NONE);
  retro_test_send_tag (t, "one");
  retro_test_push_backwards (t, N, 100);
  retro_test_eos (t);
  fail_unless_equals_clocktime (retro_test_nth_segment (t, 0).stop,
      PLAIN_NS (2 * N));
  retro_test_assert_event_order (t, GST_EVENT_SEGMENT, GST_EVENT_TAG);
  fail_unless_equals_uint64 (retro_test_frames_out (t), 2 * N);
  retro_test_assert_perfect (t, 0);
}

/* At a negative rate other than -1, the output has several contiguous segments,
 * so that sinks report the right position. The first segment must have the
 * times that the seek requested. All segments must have the seek's sequence
 * number. */
LOOP_TEST (its_first_segment_answers_the_seek, 4)
{
  static const gdouble rates[] = { -2, -0.5, -4, -1 };
  const gdouble rate = rates[__i__];
  const GstClockTime start = PLAIN_NS (2 * PLAIN_RATE);
  const GstClockTime stop = PLAIN_NS (10 * PLAIN_RATE);
  GstSegment in = retro_test_segment (rate, start, stop), whole;
  AUTO_TEST t = scale_test_new (scale_factors[0], "");
  guint32 seqnum;
  guint n, i;

  in.time = start;
  seqnum = retro_test_send_segment (t, &in);
  for (i = 10; i > 2; i--)
    retro_test_push (t, (i - 1) * PLAIN_RATE, PLAIN_RATE);
  retro_test_eos (t);
  n = retro_test_n_events (t, GST_EVENT_SEGMENT);
  whole = retro_test_nth_segment (t, 0);
  fail_unless_equals_clocktime (whole.time, start);
  fail_unless_equals_clocktime (whole.stop - whole.start,
      (stop - start) / ABS (rate));
  fail_unless (whole.rate * whole.applied_rate == rate);
  fail_unless (rate == -1 ? n == 1 : n > 3);
  for (i = 0; i < n; i++) {
    GstSegment out = retro_test_nth_segment (t, i);

    fail_unless_equals_uint64 (retro_test_nth_seqnum (t, i), seqnum);
    fail_unless_equals_clocktime (gst_segment_to_stream_time (&out,
            GST_FORMAT_TIME, out.start), gst_segment_to_stream_time (&whole,
            GST_FORMAT_TIME, out.start));
    fail_unless_equals_clocktime (gst_segment_to_running_time (&out,
            GST_FORMAT_TIME, out.start), out.start - whole.start);
  }
  fail_unless (retro_test_place_of_event (t, GST_EVENT_SEGMENT, MIN (1, n - 1))
      < retro_test_place_of_buffer (t, 0));
}
