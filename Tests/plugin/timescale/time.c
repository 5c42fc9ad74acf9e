/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * timescale: segments, seeks and queries use output times.
 */

#include "scalemodel.h"

#define NONE GST_CLOCK_TIME_NONE
#define SECONDS(s) ((GstClockTime) (s) * GST_SECOND)

static RetroTest *
start (ScaleFactor factor, const GstSegment * segment)
{
  RetroTest *t = scale_test_new (factor, "interpolation=cubic");

  retro_test_send_segment (t, segment);
  return t;
}

/* ---- segments ----------------------------------------------------------- */

LOOP_TEST (a_segment_is_scaled, SCALE_N_FACTORS)
{
  ScaleFactor factor = scale_factors[__i__];
  GstSegment in = retro_test_segment (1, SECONDS (3), SECONDS (12)), out;
  AUTO_TEST t = NULL;
  guint32 seqnum;

  in.time = SECONDS (60);
  in.duration = SECONDS (90);
  in.offset = SECONDS (1);
  in.flags = GST_SEGMENT_FLAG_RESET;
  in.applied_rate = 2;
  t = start (factor, &in);
  retro_test_flush (t);
  retro_test_clear (t);
  seqnum = retro_test_send_segment (t, &in);

  fail_unless_equals_int (retro_test_n_events (t, GST_EVENT_SEGMENT), 1);
  out = retro_test_nth_segment (t, 0);
  fail_unless_equals_clocktime (out.start, scale_time (SECONDS (3), factor));
  fail_unless_equals_clocktime (out.stop, scale_time (SECONDS (12), factor));
  fail_unless_equals_clocktime (out.time, scale_time (SECONDS (60), factor));
  fail_unless_equals_clocktime (out.duration, scale_time (SECONDS (90),
          factor));
  /* the running time begins after the offset */
  fail_unless_equals_clocktime (gst_segment_to_running_time (&out,
          GST_FORMAT_TIME, scale_time (SECONDS (4), factor)), 0);
  fail_unless_equals_float (out.rate, 1);
  fail_unless_equals_float (out.applied_rate, 2);
  fail_unless_equals_int (out.flags, in.flags);
  fail_unless_equals_uint64 (retro_test_nth_seqnum (t, 0), seqnum);
}

LOOP_TEST (open_times_stay_open, 2)
{
  GstSegment in = retro_test_segment (1, 0, NONE), out;
  AUTO_TEST t = start (scale_factors[__i__], &in);

  out = retro_test_nth_segment (t, 0);
  fail_unless_equals_clocktime (out.stop, NONE);
  fail_unless_equals_clocktime (out.duration, NONE);
}

/* Running time of the end of the last buffer, in the last segment. */
static GstClockTime
running_end (RetroTest * t)
{
  GstBuffer *buffer = retro_test_nth_buffer (t, retro_test_n_buffers (t) - 1);
  GstSegment segment = retro_test_last_segment (t);

  return gst_segment_to_running_time (&segment, GST_FORMAT_TIME,
      GST_BUFFER_PTS (buffer) + GST_BUFFER_DURATION (buffer));
}

/* Sends three segments of a second each, with the factors @factors. Asserts
 * that the base of each output segment is the running time at which the
 * previous segment ended. */
static void
assert_base_continues (RetroTest * t, const ScaleFactor * factors)
{
  GstClockTime expected = 0;
  guint i;

  for (i = 0; i < 3; i++) {
    GstSegment in = retro_test_segment (1, SECONDS (10 * i),
        SECONDS (10 * i + 1)), out;

    in.base = SECONDS (i);
    g_object_set (t->element, "factor",
        (gdouble) factors[i].num / factors[i].den, NULL);
    retro_test_send_segment (t, &in);
    out = retro_test_nth_segment (t, i);
    fail_unless_equals_clocktime (gst_segment_to_running_time (&out,
            GST_FORMAT_TIME, out.start), expected);
    retro_test_push (t, 80000 * i, 8000);
    expected += scale_time (GST_SECOND, factors[i]);
  }
  retro_test_eos (t);
  fail_unless_equals_clocktime (running_end (t), expected);
}

/* The base restarts after a flush. */
LOOP_TEST (base_continues_from_segment_to_segment, 4)
{
  static const ScaleFactor factors[][3] = {
    {{2, 1}, {2, 1}, {2, 1}},
    {{1, 2}, {1, 2}, {1, 2}},
    {{2, 1}, {1, 2}, {3, 1}},
    {{1, 1}, {5, 4}, {1, 4}}
  };
  AUTO_TEST t = retro_test_new ("timescale");

  retro_test_caps (t, NULL);
  assert_base_continues (t, factors[__i__]);
  retro_test_flush (t);
  retro_test_clear (t);
  assert_base_continues (t, factors[__i__]);
}

/* The end of a frame is seldom a whole number of nanoseconds, so a segment may end
 * slightly before its last frame does. */
TEST (base_continues_where_the_last_frame_ends_after_its_segment)
{
  GstSegment in = retro_test_segment (1, 0, PLAIN_NS (8000) - 1);
  AUTO_TEST t = start (scale_factors[1], &in);

  retro_test_push (t, 0, 8000);
  g_object_set (t->element, "factor", 0.5, NULL);
  in.base = PLAIN_NS (8000) - 1;
  retro_test_send_segment (t, &in);
  fail_unless (ABS (GST_CLOCK_DIFF (retro_test_nth_segment (t, 1).base,
              PLAIN_NS (16000))) <= 4);
}

/* ---- seeks -------------------------------------------------------------- */

#define SET GST_SEEK_TYPE_SET
#define KEEP GST_SEEK_TYPE_NONE
#define END GST_SEEK_TYPE_END

/* Negative times are counted from the end, and -1 means none. */
static gint64
scale_signed (gint64 time, ScaleFactor factor)
{
  if (time < 0)
    return time == -1 ? -1 : -(gint64) scale_time (-time, factor);
  return scale_time (time, factor);
}

/* Sends a seek with output times for the given input times, and asserts that these input
 * times arrive upstream. */
static void
assert_seek (ScaleFactor factor, gdouble rate, GstSeekType start_type,
    gint64 start_in, GstSeekType stop_type, gint64 stop_in)
{
  const GstSeekFlags flags = GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_ACCURATE;
  AUTO_TEST t = scale_test_new (factor, "");
  g_autoptr (GstEvent) event = retro_test_seek (t, rate, flags, start_type,
      scale_signed (start_in, factor), stop_type,
      scale_signed (stop_in, factor));
  GstSeekType got_start_type, got_stop_type;
  GstSeekFlags got_flags;
  gint64 got_start, got_stop;
  GstFormat format;
  gdouble got_rate;

  gst_event_parse_seek (event, &got_rate, &format, &got_flags,
      &got_start_type, &got_start, &got_stop_type, &got_stop);
  fail_unless_equals_float (got_rate, rate);
  fail_unless_equals_int (format, GST_FORMAT_TIME);
  fail_unless_equals_int (got_flags, flags);
  fail_unless_equals_int (got_start_type, start_type);
  fail_unless_equals_int (got_stop_type, stop_type);
  fail_unless_equals_int64 (got_start, start_in);
  fail_unless_equals_int64 (got_stop, stop_in);
}

LOOP_TEST (seeks_are_in_the_time_of_the_output, SCALE_N_FACTORS)
{
  ScaleFactor factor = scale_factors[__i__];
  /* scaled multiples of this time are whole numbers of nanoseconds */
  gint64 unit = factor.den * factor.num * 1000;

  assert_seek (factor, 1, SET, 0, SET, NONE);
  assert_seek (factor, 1, SET, 7 * unit, SET, NONE);
  assert_seek (factor, 1, SET, 7 * unit, SET, 12 * unit);
  assert_seek (factor, 1.5, SET, 7 * unit, KEEP, NONE);
  assert_seek (factor, 1, KEEP, NONE, SET, 12 * unit);
  assert_seek (factor, -1, SET, 0, SET, 12 * unit);
  assert_seek (factor, 1, END, -12 * unit, END, -7 * unit);
}

/* ---- queries ------------------------------------------------------------ */

/* An unknown duration stays unknown. */
LOOP_TEST (durations_are_those_of_the_output, 2 * SCALE_N_FACTORS)
{
  ScaleFactor factor = scale_factors[__i__ / 2];
  GstClockTime told = __i__ % 2 ? NONE : SECONDS (30);
  GstClockTime duration = told == NONE ? NONE : scale_time (told, factor);
  GstSegment in = retro_test_segment (1, 0, NONE);
  AUTO_TEST t = start (factor, &in);
  g_autoptr (GstQuery) query = gst_query_new_seeking (GST_FORMAT_TIME);
  gint64 begin, end;
  gboolean seekable;

  retro_test_answer_queries (t, told, NONE);
  retro_test_push (t, 0, 8000);
  fail_unless_equals_clocktime (retro_test_duration (t), duration);
  fail_unless (gst_pad_peer_query (t->h->sinkpad, query));
  gst_query_parse_seeking (query, NULL, &seekable, &begin, &end);
  fail_unless (seekable);
  fail_unless_equals_int64 (begin, 0);
  fail_unless_equals_int64 (end, (gint64) duration);
}

/* Before any output, the position is upstream's position, scaled. */
LOOP_TEST (position_is_that_of_the_output, SCALE_N_FACTORS)
{
  ScaleFactor factor = scale_factors[__i__];
  GstSegment in = retro_test_segment (1, 0, NONE);
  AUTO_TEST t = start (factor, &in);

  retro_test_answer_queries (t, SECONDS (30), SECONDS (6));
  fail_unless_equals_clocktime (retro_test_position (t),
      scale_time (SECONDS (6), factor));
}

TEST (segment_query_is_that_of_the_output)
{
  GstSegment in = retro_test_segment (1, SECONDS (2), SECONDS (5));
  AUTO_TEST t = start (scale_factors[1], &in);
  g_autoptr (GstQuery) query = gst_query_new_segment (GST_FORMAT_TIME);
  gint64 begin, end;
  gdouble rate;

  fail_unless (gst_pad_peer_query (t->h->sinkpad, query));
  gst_query_parse_segment (query, &rate, NULL, &begin, &end);
  fail_unless_equals_float (rate, 1);
  fail_unless_equals_int64 (begin, (gint64) SECONDS (4));
  fail_unless_equals_int64 (end, (gint64) SECONDS (10));
}
