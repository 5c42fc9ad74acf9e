/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * timescale: the rate of a segment becomes a part of the factor. Times in seeks and queries
 * are converted according to all factors that have applied so far.
 */

#include "scalemodel.h"

#define NONE GST_CLOCK_TIME_NONE
#define N 9600
#define INSTANT GST_SEEK_FLAG_INSTANT_RATE_CHANGE
#define KEEP GST_SEEK_TYPE_NONE

/* Rates of segments, each of which is tested with three factors. */
static const ScaleFactor rates[] = {
  {1, 10}, {1, 2}, {1, 1}, {3, 2}, {2, 1}, {8, 1}
};

static const ScaleFactor factors[] = { {1, 1}, {2, 1}, {1, 2} };

#define N_CASES (G_N_ELEMENTS (rates) * G_N_ELEMENTS (factors))
#define RATE_OF(i) rates[(i) % G_N_ELEMENTS (rates)]
#define FACTOR_OF(i) factors[(i) / G_N_ELEMENTS (rates)]

static gdouble
number (ScaleFactor factor)
{
  return (gdouble) factor.num / factor.den;
}

static RetroTest *
start (ScaleFactor factor, const GstSegment * segment, const gchar * properties)
{
  RetroTest *t = scale_test_new (factor, properties);

  retro_test_send_segment (t, segment);
  return t;
}

/* ---- segments ----------------------------------------------------------- */

LOOP_TEST (the_rate_of_a_segment_is_absorbed, 2 * N_CASES)
{
  gint sign = __i__ % 2 ? -1 : 1;
  ScaleFactor rate = RATE_OF (__i__ / 2), factor = FACTOR_OF (__i__ / 2);
  ScaleFactor both = { factor.num * rate.den, factor.den * rate.num };
  GstSegment in = retro_test_segment (sign * number (rate), 0, PLAIN_NS (N));
  AUTO_TEST t = start (factor, &in, "interpolation=linear");
  GstSegment out = retro_test_nth_segment (t, 0);

  if (sign > 0)
    retro_test_push_cut (t, 0, N, retro_test_cuts[3]);
  else
    retro_test_push_backwards (t, N, 100);
  retro_test_eos (t);
  fail_unless_equals_float (out.rate, 1);
  fail_unless_equals_float (out.applied_rate, sign * number (rate));
  fail_unless_equals_uint64 (retro_test_frames_out (t), scale_length (N, both));
  retro_test_assert_perfect (t, 0);
  /* the running time at the stop follows from rate and factor; the stream time at the
   * ends is the same for all rates */
  if (sign > 0)
    fail_unless_equals_clocktime (gst_segment_to_running_time (&out,
            GST_FORMAT_TIME, out.stop), scale_time (PLAIN_NS (N), both));
  fail_unless_equals_clocktime (gst_segment_to_stream_time (&out,
          GST_FORMAT_TIME, sign > 0 ? out.stop : out.start),
      scale_time (PLAIN_NS (N), factor));
  out = retro_test_last_segment (t);    /* in reverse, there may be several segments */
  if (sign < 0)
    fail_unless_equals_clocktime (gst_segment_to_stream_time (&out,
            GST_FORMAT_TIME, out.stop), 0);
}

/* Asserts that timescale absorbs @rate only partly, and leaves the rate @left to the
 * elements downstream. The absorbed part and @factor determine the number of output
 * frames, @n_frames. */
static void
assert_stays (ScaleFactor factor, const gchar * properties, gdouble rate,
    gdouble left, guint64 n_frames)
{
  GstSegment in = retro_test_segment (rate, 0, PLAIN_NS (N)), out;
  AUTO_TEST t = NULL;

  in.applied_rate = -3;
  t = start (factor, &in, properties);
  retro_test_push (t, 0, N);
  retro_test_eos (t);
  out = retro_test_nth_segment (t, 0);
  fail_unless_equals_float (out.rate, left);
  fail_unless_equals_float (out.applied_rate, -3 * rate / left);
  fail_unless_equals_uint64 (retro_test_frames_out (t), n_frames);
}

/* The total factor is at least 0.01. So at factor 0.5, timescale can absorb a rate of 50.
 * Of the rate 200, it must leave a rate of 4. */
TEST (a_rate_that_is_not_or_cannot_be_absorbed_stays)
{
  assert_stays (factors[1], "absorb-rate=false", 2, 2, 2 * N);
  assert_stays (factors[2], "interpolation=linear", 200, 4, N / 100);
}

TEST (segments_of_several_rates_follow_one_another)
{
  static const gdouble these[] = { 1, 2, 0.5, -2, 4 };
  AUTO_TEST t = scale_test_new (factors[1], "interpolation=linear");
  GstClockTime base = 0;
  guint i;

  for (i = 0; i < G_N_ELEMENTS (these); i++) {
    GstSegment in = retro_test_segment (these[i], 0, PLAIN_NS (N));

    in.base = base;
    retro_test_send_segment (t, &in);
    /* factor 2 doubles all running times */
    fail_unless_equals_clocktime (retro_test_last_segment (t).base, 2 * base);
    if (these[i] > 0)
      retro_test_push (t, 0, N);
    else
      retro_test_push_backwards (t, N, 100);
    base += PLAIN_NS (N) / ABS (these[i]);
  }
}

/* ---- instant changes ---------------------------------------------------- */

static gboolean
refuse (GstPad * pad, GstObject * parent, GstEvent * event)
{
  gst_event_unref (event);
  return FALSE;
}

/* A seek that upstream has performed replaces the change. */
LOOP_TEST (a_refused_seek_keeps_an_instant_change, 2)
{
  GstSegment in = retro_test_segment (1, 0, PLAIN_NS (N));
  AUTO_TEST t = start (factors[0], &in, "interpolation=linear");
  gboolean ret;

  retro_test_push (t, 0, 100);
  scale_ask_for_rate (t, 2, FALSE);
  retro_test_push (t, 100, 100);
  if (__i__)
    gst_pad_set_event_function (t->h->srcpad, refuse);
  ret = gst_harness_push_upstream_event (t->h, gst_event_new_seek (1,
          GST_FORMAT_TIME, GST_SEEK_FLAG_ACCURATE, GST_SEEK_TYPE_SET,
          PLAIN_NS (5000), KEEP, -1));
  fail_unless_equals_int (ret, !__i__);
  in.start = in.time = PLAIN_NS (5000);
  in.base = PLAIN_NS (200);
  retro_test_send_segment (t, &in);
  fail_unless_equals_float (retro_test_last_segment (t).applied_rate,
      __i__ ? 2 : 1);
}

/* The rate changes to 2 in the middle of the stream. The output is 4800 frames at rate 1,
 * 40 frames of the change, which need 60 input frames (mean speed 1.5), and 2370 frames
 * for the other 4740 input frames. */
LOOP_TEST (a_rate_may_change_immediately, 2)
{
  GstSegment in = retro_test_segment (1, 0, PLAIN_NS (N)), before, after;
  AUTO_TEST t = start (factors[0], &in, "interpolation=linear");

  retro_test_push (t, 0, N / 2);
  while (gst_harness_upstream_events_in_queue (t->h) > 0)
    gst_event_unref (gst_harness_pull_upstream_event (t->h));
  scale_ask_for_rate (t, 2, __i__);
  retro_test_push (t, N / 2, N / 2);
  retro_test_eos (t);

  fail_unless_equals_uint64 (retro_test_frames_out (t), 4800 + 40 + 2370);
  retro_test_assert_perfect (t, 0);
  fail_unless_equals_int (retro_test_n_events (t,
          GST_EVENT_INSTANT_RATE_CHANGE), 0);
  fail_unless_equals_int (gst_harness_upstream_events_in_queue (t->h), 0);
  fail_unless_equals_int (retro_test_n_events (t, GST_EVENT_SEGMENT), 2);
  before = retro_test_nth_segment (t, 0);
  after = retro_test_nth_segment (t, 1);
  fail_unless_equals_float (after.rate, 1);
  fail_unless_equals_float (after.applied_rate, 2);
  fail_unless_equals_clocktime (after.start, PLAIN_NS (4800));
  fail_unless_equals_clocktime (gst_segment_to_running_time (&after,
          GST_FORMAT_TIME, after.start), PLAIN_NS (4800));
  fail_unless_equals_clocktime (gst_segment_to_stream_time (&after,
          GST_FORMAT_TIME, after.start),
      gst_segment_to_stream_time (&before, GST_FORMAT_TIME, PLAIN_NS (4800)));
}

/* At factor 50, a rate of 0.25 would make the factor 200. Half of the change is made, and the other
 * half is left to the elements downstream. */
TEST (an_instant_change_is_absorbed_as_far_as_the_factor_allows)
{
  GstSegment in = retro_test_segment (1, 0, PLAIN_NS (N)), after;
  AUTO_TEST t = NULL;

  t = scale_test_new ((ScaleFactor) {
      50, 1}
      , "interpolation=linear");
  retro_test_send_segment (t, &in);
  retro_test_push (t, 0, 100);
  scale_ask_for_rate (t, 0.25, FALSE);
  retro_test_push (t, 100, 100);
  after = retro_test_last_segment (t);
  fail_unless_equals_float (after.rate, 0.5);
  fail_unless_equals_float (after.applied_rate, 0.5);
}

/* An instant change holds for the next segment, but not after a flush or a seek. */
LOOP_TEST (an_instant_change_holds_until_a_flush_or_a_seek, 3)
{
  GstSegment in = retro_test_segment (1, 0, PLAIN_NS (N));
  AUTO_TEST t = start (factors[0], &in, "");

  retro_test_push (t, 0, N / 2);
  scale_ask_for_rate (t, 2, FALSE);
  retro_test_push (t, N / 2, N / 2);
  if (__i__ == 1)
    retro_test_flush (t);
  if (__i__ == 2)
    gst_event_unref (retro_test_seek (t, 1, 0, GST_SEEK_TYPE_SET, 0, KEEP, -1));
  in.base = __i__ == 1 ? 0 : PLAIN_NS (N);
  retro_test_send_segment (t, &in);
  fail_unless_equals_float (retro_test_last_segment (t).rate, 1);
  fail_unless_equals_float (retro_test_last_segment (t).applied_rate,
      __i__ == 0 ? 2 : 1);
}

/* The rate changes to 2 during a gap of 2 s after 6 s of audio. */
TEST (an_instant_change_after_a_gap)
{
  GstSegment in = retro_test_segment (1, 0, PLAIN_NS (80000)), after;
  AUTO_TEST t = start (factors[0], &in, "");

  retro_test_push (t, 0, 48000);
  retro_test_push_gap (t, 48000, 16000);
  scale_ask_for_rate (t, 2, FALSE);
  retro_test_push (t, 64000, 8000);
  fail_unless_equals_int (retro_test_n_events (t, GST_EVENT_SEGMENT), 2);
  after = retro_test_last_segment (t);
  fail_unless_equals_float (after.applied_rate, 2);
  fail_unless_equals_clocktime (gst_segment_to_stream_time (&after,
          GST_FORMAT_TIME, after.start), PLAIN_NS (64000));
}

/* A change of direction cannot be absorbed, so the seek must be forwarded upstream. */
TEST (an_instant_seek_the_other_way_goes_upstream)
{
  GstSegment in = retro_test_segment (1, 0, PLAIN_NS (N));
  AUTO_TEST t = start (factors[0], &in, "");

  retro_test_push (t, 0, 100);
  gst_event_unref (retro_test_seek (t, -1, INSTANT, KEEP, -1, KEEP, -1));
}

TEST (an_instant_change_that_is_not_absorbed_is_forwarded)
{
  GstSegment in = retro_test_segment (1, 0, PLAIN_NS (N));
  AUTO_TEST t = start (factors[0], &in, "absorb-rate=false");

  retro_test_push (t, 0, 100);
  scale_ask_for_rate (t, 2, FALSE);
  fail_unless_equals_int (retro_test_n_events (t,
          GST_EVENT_INSTANT_RATE_CHANGE), 1);
  gst_event_unref (retro_test_seek (t, 2, INSTANT, KEEP, -1, KEEP, -1));
}

/* ---- times through several factors -------------------------------------- */

/* Starts a stream with factor 1 for the first N input frames, then factor 2. Interpolation
 * is linear, so that hardly any output is delayed. During the change of the speed from 1 to
 * 1/2, 40 input frames result in 53 output frames. */
static RetroTest *
start_twofold (void)
{
  GstSegment in = retro_test_segment (1, 0, PLAIN_NS (3 * N));
  RetroTest *t = start (factors[0], &in, "interpolation=linear");

  in.duration = PLAIN_NS (3 * N);
  retro_test_push (t, 0, N);
  g_object_set (t->element, "factor", 2.0, NULL);
  retro_test_push (t, N, N / 2);
  retro_test_push (t, N + N / 2, N / 2);
  return t;
}

/* Number of output frames for the first @n input frames. */
#define TWOFOLD(n) ((n) <= N ? (n) : N + 53 + 2 * ((n) - N - 40))

static void
assert_seeks_to (RetroTest * t, GstClockTime out, GstClockTime in)
{
  g_autoptr (GstEvent) event = retro_test_seek (t, 1, GST_SEEK_FLAG_FLUSH,
      GST_SEEK_TYPE_SET, out, GST_SEEK_TYPE_SET, NONE);
  gint64 begin;

  gst_event_parse_seek (event, NULL, NULL, NULL, NULL, &begin, NULL, NULL);
  /* An error of two output frames is allowed, because times are corrected only if they
   * are wrong by more than a frame. */
  fail_unless (ABS (begin - (gint64) in) <= (gint64) PLAIN_NS (2),
      "%" GST_TIME_FORMAT " instead of %" GST_TIME_FORMAT,
      GST_TIME_ARGS (begin), GST_TIME_ARGS (in));
}

TEST (seeks_go_through_all_factors)
{
  AUTO_TEST t = start_twofold ();
  static const guint at[] = { 0, 1000, 4000, 9599, 9700, 12000, 15999, 20000 };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (at); i++)
    assert_seeks_to (t, PLAIN_NS (TWOFOLD (at[i])), PLAIN_NS (at[i]));
}

TEST (positions_stay_after_a_seek_to_the_past)
{
  static const guint at[] = { 20000, 12000, 4000 };
  AUTO_TEST t = start_twofold ();
  guint i;

  for (i = 0; i < G_N_ELEMENTS (at); i++) {
    GstSegment in = retro_test_segment (1, PLAIN_NS (at[i]), PLAIN_NS (3 * N));

    in.time = in.start;
    retro_test_flush (t);
    retro_test_send_segment (t, &in);
    fail_unless (ABS (GST_CLOCK_DIFF (retro_test_last_segment (t).time,
                PLAIN_NS (TWOFOLD (at[i])))) <= (gint64) PLAIN_NS (2));
  }
  /* the audio after frame 4000 is played again, with factor 2 */
  assert_seeks_to (t, PLAIN_NS (4000 + 2 * 1000), PLAIN_NS (5000));
}

TEST (the_duration_is_the_way_to_the_end)
{
  AUTO_TEST t = start_twofold ();
  GstClockTime duration;

  retro_test_answer_queries (t, PLAIN_NS (3 * N), NONE);
  duration = retro_test_duration (t);
  fail_unless (ABS (GST_CLOCK_DIFF (duration, PLAIN_NS (TWOFOLD (3 * N))))
      <= (gint64) PLAIN_NS (2), "%" GST_TIME_FORMAT, GST_TIME_ARGS (duration));
}

TEST (another_stream_has_no_past)
{
  AUTO_TEST t = start_twofold ();

  retro_test_restart (t);
  assert_seeks_to (t, GST_SECOND, GST_SECOND / 2);
}
