/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * timescale: segments without times, segments that an application repeats, flushes that keep the
 * running time, and what seeks and gaps have to keep.
 */

#include "retrotestplay.h"
#include "scalemodel.h"

#define NONE GST_CLOCK_TIME_NONE
#define N 8000                  /* frames of a segment: 1 s */

/* ---- segments without times --------------------------------------------------- */

static const gchar *const inert[] = { "timescale", "timescale keep-pitch=true",
  "timescale interpolation=linear", "timescale absorb-rate=false"
};

/* Given an element that doesn't change anything. When a segment in bytes or frames arrives, then
 * segment, buffers and EOS pass, and nothing is reported. */
LOOP_TEST (inert_it_passes_segments_in_any_format, 2 * G_N_ELEMENTS (inert))
{
  AUTO_TEST t = retro_test_new (inert[__i__ / 2]);

  retro_test_assert_untimed_passes (t, retro_test_untimed[__i__ % 2]);
}

/* Given a factor. When a segment in bytes or frames arrives, then no audio is output, and an
 * error says what's missing. */
LOOP_TEST (a_factor_needs_times, RETRO_TEST_N_UNTIMED)
{
  AUTO_TEST t = retro_test_new ("timescale factor=2");

  retro_test_start_untimed (t, retro_test_untimed[__i__]);
  fail_unless (gst_harness_push (t->h, retro_test_untimed_buffer (t,
              0)) != GST_FLOW_OK);
  fail_unless_equals_uint64 (retro_test_frames_out (t), 0);
  retro_test_assert_asks_for_times (t);
}

/* Given audio without times that passes. When the factor changes, then the next buffer is
 * refused with the same error. */
LOOP_TEST (a_factor_that_comes_later_needs_times, RETRO_TEST_N_UNTIMED)
{
  AUTO_TEST t = retro_test_new ("timescale");

  retro_test_start_untimed (t, retro_test_untimed[__i__]);
  fail_unless_equals_int (gst_harness_push (t->h, retro_test_untimed_buffer (t,
              0)), GST_FLOW_OK);
  g_object_set (t->element, "factor", 2.0, NULL);
  fail_unless (gst_harness_push (t->h, retro_test_untimed_buffer (t,
              100)) != GST_FLOW_OK);
  retro_test_assert_up (t, 0, 100);
  retro_test_assert_asks_for_times (t);
}

/* Given audio without times after audio with times. When SEGMENT_DONE passes, then it keeps its
 * format and position, and no query returns the times of the earlier audio. */
LOOP_TEST (audio_without_times_has_no_old_ones, RETRO_TEST_N_UNTIMED)
{
  AUTO_TEST t = retro_test_plain ("timescale", 1, NONE);
  g_autoptr (GstQuery) query = gst_query_new_segment (GST_FORMAT_TIME);
  GstFormat format;
  gint64 position;

  retro_test_push (t, 0, 1000);
  retro_test_start_untimed (t, retro_test_untimed[__i__]);
  gst_harness_push (t->h, retro_test_untimed_buffer (t, 1000));
  fail_if (gst_pad_peer_query (t->h->sinkpad, query));
  gst_harness_push_event (t->h,
      gst_event_new_segment_done (retro_test_untimed[__i__], 1100));
  gst_event_parse_segment_done (retro_test_nth_event (t, GST_EVENT_SEGMENT_DONE,
          0), &format, &position);
  fail_unless_equals_int (format, retro_test_untimed[__i__]);
  fail_unless_equals_int64 (position, 1100);
}

/* Given a segment that was refused because of the factor. When the factor becomes 1, then no buffer
 * passes, because downstream has another segment. */
LOOP_TEST (a_refused_segment_stays_refused, RETRO_TEST_N_UNTIMED)
{
  AUTO_TEST t = retro_test_new ("timescale factor=2");

  retro_test_start_untimed (t, retro_test_untimed[__i__]);
  g_object_set (t->element, "factor", 1.0, NULL);
  fail_unless_equals_int (gst_harness_push (t->h, retro_test_untimed_buffer (t,
              0)), GST_FLOW_ERROR);
  fail_unless_equals_uint64 (retro_test_frames_out (t), 0);
}

/* Given a segment in bytes or frames that plays backwards, without a stop. When the stream ends,
 * then no segment with times is made from it. */
LOOP_TEST (a_backward_segment_without_times_stays_as_it_is,
    2 * RETRO_TEST_N_UNTIMED)
{
  AUTO_TEST t = retro_test_new (__i__ % 2 ? "timescale factor=2" : "timescale");
  GstSegment segment;

  gst_segment_init (&segment, retro_test_untimed[__i__ / 2]);
  segment.rate = -1;
  retro_test_send_segment (t, &segment);
  fail_unless (retro_test_eos (t));
  fail_unless_equals_int (retro_test_n_events (t, GST_EVENT_SEGMENT),
      __i__ % 2 ? 0 : 1);
  if (__i__ % 2)
    retro_test_assert_asks_for_times (t);
}

/* ---- a segment that an application repeats ------------------------------------- */

#define N_LOOPS 10

static const gchar *const repeated[] = { "timescale factor=2",
  "timescale factor=2 alignment=endpoints", "timescale alignment=endpoints"
};

static gboolean
seek_to_segment (RetroPlay * play, GstSeekFlags flags, GstClockTime stop)
{
  return retro_play_seek (play, 1, GST_SEEK_FLAG_SEGMENT | flags,
      GST_SEEK_TYPE_SET, 0, GST_SEEK_TYPE_SET, stop);
}

static guint64
frames_after_flush (RetroTest * t)
{
  guint64 n_frames = 0;
  guint i = retro_test_place_of_event (t, GST_EVENT_FLUSH_STOP, 0);

  for (; i < t->items->len; i++) {
    if (GST_IS_BUFFER (g_ptr_array_index (t->items, i)))
      n_frames += retro_test_buffer_frames (t, g_ptr_array_index (t->items, i));
  }
  return n_frames;
}

/* Waits for SEGMENT_DONE, and returns its time. */
static gint64
wait_segment_done (RetroPlay * play)
{
  GstMessage *done = retro_play_wait_message (play, GST_MESSAGE_SEGMENT_DONE);
  gint64 position;

  gst_message_parse_segment_done (done, NULL, &position);
  gst_message_unref (done);
  return position;
}

static void
start_segment (RetroPlay * play, GstClockTime stop)
{
  retro_play_pause (play);
  fail_unless (seek_to_segment (play, GST_SEEK_FLAG_FLUSH, stop));
  retro_play_set_state (play, GST_STATE_PLAYING);
}

/* Given the loop of GStreamer's manual: a flushing seek to a segment, then a seek without a flush
 * for each SEGMENT_DONE. When it repeats the segment, then it never hangs, each pass has all its
 * frames, and each message has the time of the output, as the seek had. */
LOOP_TEST (an_application_may_repeat_a_segment, G_N_ELEMENTS (repeated))
{
  AUTO_PLAY play = retro_play_new_plain (repeated[__i__], 2 * N);
  guint64 length = __i__ == 2 ? N : 2 * N;
  guint i;

  start_segment (play, PLAIN_NS (length));
  for (i = 0; i < N_LOOPS; i++) {
    fail_unless_equals_clocktime (wait_segment_done (play), PLAIN_NS (length));
    if (i + 1 < N_LOOPS)
      fail_unless (seek_to_segment (play, 0, PLAIN_NS (length)));
  }
  retro_play_wait_segment_done (play, N_LOOPS);
  retro_play_stop (play);
  fail_unless_equals_uint64 (frames_after_flush (&play->out), N_LOOPS * length);
}

/* ---- flushes ---------------------------------------------------------------------- */

static void
flush (RetroTest * t, gboolean reset_time)
{
  fail_unless (gst_harness_push_event (t->h, gst_event_new_flush_start ()));
  fail_unless (gst_harness_push_event (t->h,
          gst_event_new_flush_stop (reset_time)));
}

static const ScaleFactor flushed_factors[][2] = {
  {{2, 1}, {2, 1}}, {{1, 2}, {1, 2}}, {{1, 1}, {2, 1}}, {{3, 2}, {1, 1}}
};

/* Given a second of audio with one factor and a second with another. When a flush keeps the
 * running time, and a segment from elsewhere begins at the running time of 2 s, then its output
 * begins at the running time that the output had reached. When the flush resets the running
 * time, then the output begins at 0. */
LOOP_TEST (only_a_flush_that_resets_the_time_resets_it,
    2 * G_N_ELEMENTS (flushed_factors))
{
  const ScaleFactor *factors = flushed_factors[__i__ / 2];
  gboolean resets = __i__ % 2;
  GstSegment in = retro_test_segment (1, 100 * GST_SECOND, NONE);
  AUTO_TEST t = scale_test_new (factors[0], "interpolation=nearest");
  GstClockTime reached, begin;

  retro_test_start (t, NULL, 1, 0, NONE);
  retro_test_push_cut (t, 0, N, (const gsize[]) { 100, 0 });
  g_object_set (t->element, "factor",
      (gdouble) factors[1].num / factors[1].den, NULL);
  retro_test_push_cut (t, N, N, (const gsize[]) { 100, 0 });
  reached = PLAIN_NS (retro_test_frames_out (t));

  flush (t, resets);
  retro_test_clear (t);
  in.base = resets ? 0 : 2 * GST_SECOND;
  retro_test_send_segment (t, &in);
  retro_test_push (t, 100 * N, 100);
  begin = retro_test_running_begin (t);
  fail_unless (ABS (GST_CLOCK_DIFF (begin, resets ? 0 : reached))
      <= (gint64) PLAIN_NS (4), "%" GST_TIME_FORMAT " after %" GST_TIME_FORMAT,
      GST_TIME_ARGS (begin), GST_TIME_ARGS (reached));
}

/* ---- seeks and gaps ------------------------------------------------------------------ */

/* Given any factor. When a seek with an interval for trick modes goes upstream, then it arrives
 * with that interval, which is a distance between frames and not a place in the stream. */
LOOP_TEST (a_seek_keeps_its_interval, SCALE_N_FACTORS)
{
  AUTO_TEST t = scale_test_new (scale_factors[__i__], "");
  GstEvent *seek = gst_event_new_seek (1, GST_FORMAT_TIME,
      GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_TRICKMODE, GST_SEEK_TYPE_SET, 0,
      GST_SEEK_TYPE_NONE, -1);

  retro_test_start (t, NULL, 1, 0, NONE);
  retro_test_assert_keeps_interval (t, seek);
}

/* Given any factor. When a sink reports by QOS that a frame was early, then upstream receives the
 * running time at which it sent that frame, and how early it was there. */
LOOP_TEST (qos_is_in_the_time_of_the_input, SCALE_N_FACTORS)
{
  ScaleFactor factor = scale_factors[__i__];
  GstClockTime in_ns = PLAIN_NS (4000), told_ns;
  GstClockTimeDiff early_ns = -(GstClockTimeDiff) PLAIN_NS (3000), diff;
  AUTO_TEST t = scale_test_new (factor, "interpolation=linear");
  GstEvent *qos = gst_event_new_qos (GST_QOS_TYPE_UNDERFLOW, 1.5,
      -(GstClockTimeDiff) scale_time (-early_ns, factor),
      scale_time (in_ns, factor));
  guint32 seqnum = gst_event_get_seqnum (qos);
  g_autoptr (GstEvent) arrived = NULL;

  retro_test_start (t, NULL, 1, 0, NONE);
  retro_test_push_cut (t, 0, N, (const gsize[]) { 500, 0 });
  while ((arrived = gst_harness_try_pull_upstream_event (t->h)) != NULL)
    gst_event_unref (arrived);
  gst_harness_push_upstream_event (t->h, qos);
  arrived = gst_harness_try_pull_upstream_event (t->h);
  fail_unless (arrived != NULL && GST_EVENT_TYPE (arrived) == GST_EVENT_QOS);
  gst_event_parse_qos (arrived, NULL, NULL, &diff, &told_ns);
  fail_unless (ABS (GST_CLOCK_DIFF (told_ns, in_ns)) <= (gint64) PLAIN_NS (2),
      "%" GST_TIME_FORMAT, GST_TIME_ARGS (told_ns));
  fail_unless (ABS (diff - early_ns) <= (gint64) PLAIN_NS (4),
      "%" GST_STIME_FORMAT, GST_STIME_ARGS (diff));
  fail_unless_equals_uint64 (gst_event_get_seqnum (arrived), seqnum);
}

/* Given any factor. When a GAP event passes, then it keeps its flags and its number. */
LOOP_TEST (a_gap_keeps_its_flags, SCALE_N_FACTORS)
{
  AUTO_TEST t = scale_test_new (scale_factors[__i__], "");
  GstEvent *gap = gst_event_new_gap (PLAIN_NS (1000), PLAIN_NS (1000)), *out;
  guint32 seqnum = gst_event_get_seqnum (gap);
  GstGapFlags flags;

  gst_event_set_gap_flags (gap, GST_GAP_FLAG_MISSING_DATA);
  retro_test_start (t, NULL, 1, 0, NONE);
  retro_test_push (t, 0, 1000);
  fail_unless (gst_harness_push_event (t->h, gap));
  out = retro_test_nth_event (t, GST_EVENT_GAP, 0);
  gst_event_parse_gap_flags (out, &flags);
  fail_unless_equals_int (flags, GST_GAP_FLAG_MISSING_DATA);
  fail_unless_equals_uint64 (gst_event_get_seqnum (out), seqnum);
}

static GstEvent *
new_drain (guint i)
{
  return i == 0 ? gst_event_new_gap (PLAIN_NS (1000), NONE) :
      i == 1 ? gst_event_new_segment_done (GST_FORMAT_TIME, PLAIN_NS (1000)) :
      gst_event_new_stream_start ("another");
}

/* Given audio that passes through. When an event makes the element send all audio first, and more
 * audio follows in the same segment, then that audio keeps its times. */
LOOP_TEST (times_go_on_after_a_drain, 3)
{
  AUTO_TEST t = retro_test_plain ("timescale", 1, NONE);

  retro_test_push (t, 0, 1000);
  gst_harness_push_event (t->h, new_drain (__i__));
  retro_test_push (t, 1000, 1000);
  retro_test_push (t, 2000, 1000);
  fail_unless_equals_clocktime (GST_BUFFER_PTS (retro_test_nth_buffer (t, 1)),
      PLAIN_NS (1000));
  fail_unless_equals_clocktime (GST_BUFFER_PTS (retro_test_nth_buffer (t, 2)),
      PLAIN_NS (2000));
}

/* ---- the stop of a segment --------------------------------------------------------------- */
