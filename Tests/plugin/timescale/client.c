/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * timescale: requirements that an earlier version did not meet. They come from
 * applications, from gst-validate, and from the tests for GStreamer's own
 * filters.
 */

#include "retrotestplay.h"
#include "scalemodel.h"

#define NONE GST_CLOCK_TIME_NONE

/* ---- gaps ----------------------------------------------------------------- */

static void
push_silence (RetroTest * t, guint64 first_frame, gsize n_frames)
{
  GstBuffer *buffer = retro_test_buffer (&t->info, first_frame, n_frames);

  gst_buffer_memset (buffer, 0, 0, gst_buffer_get_size (buffer));
  GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_GAP);
  gst_harness_push (t->h, buffer);
}

/* In a stream of silence, the first output buffer must be marked as a gap, too, as in
 * audioconvert's test_gap_buffers. */
LOOP_TEST (the_first_gap_is_marked, SCALE_N_FACTORS)
{
  ScaleFactor factor = scale_factors[__i__];
  AUTO_TEST t = scale_test_new (factor, "");
  guint i;

  retro_test_start (t, NULL, 1, 0, NONE);
  for (i = 0; i < 3; i++)
    push_silence (t, i * 1000, 1000);
  for (i = 0; i < retro_test_n_buffers (t); i++)
    fail_unless (GST_BUFFER_FLAG_IS_SET (retro_test_nth_buffer (t, i),
            GST_BUFFER_FLAG_GAP), "buffer %u", i);
  /* at factor 1, each buffer is forwarded with its own flag */
  retro_test_push (t, 3000, 10);
  if (__i__ == 0)
    fail_if (GST_BUFFER_FLAG_IS_SET (retro_test_nth_buffer (t, 3),
            GST_BUFFER_FLAG_GAP));
}

/* Pushes sound, silence in buffers of @piece frames that are marked as gaps, and @after frames of
 * sound. Sets @change after the first piece, which may make the filter shorter. Output that is
 * marked must be silent, and no frame may be lost. A gap of one buffer must be marked, except
 * near its two ends, where the output depends on sound within the latency. */
static void
assert_gap (const gchar * properties, ScaleFactor factor, const gchar * change,
    guint gap, guint piece, guint after)
{
  const guint sound = 1000;
  gdouble ratio = (gdouble) factor.num / factor.den, ahead;
  AUTO_TEST t = scale_test_new (factor, properties);
  guint64 marked = 0;
  guint i;

  retro_test_start (t, NULL, 1, 0, NONE);
  retro_test_push (t, 0, sound);
  for (i = 0; i < gap; i += piece) {
    push_silence (t, sound + i, piece);
    scale_set (t, change);
  }
  ahead = gst_harness_query_latency (t->h) / PLAIN_NS (1) + 1;
  retro_test_push (t, sound + gap, after);
  retro_test_eos (t);
  for (i = 0; i < retro_test_n_buffers (t); i++) {
    GstBuffer *buffer = retro_test_nth_buffer (t, i);
    gsize n = gst_buffer_get_size (buffer);
    g_autofree guint8 *zero = g_malloc0 (n);

    if (!GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_GAP))
      continue;
    marked += retro_test_buffer_frames (t, buffer);
    fail_unless (gst_buffer_memcmp (buffer, 0, zero, n) == 0,
        "%s: buffer %u is marked as GAP and holds sound", properties, i);
  }
  if (change[0] != '\0')
    return;
  fail_unless (piece < gap || marked >= (gap - 2 * ahead - 100) * ratio,
      "%s: %u frames are marked", properties, (guint) marked);
  fail_unless (marked <= gap * ratio);
  fail_unless_equals_uint64 (retro_test_frames_out (t),
      scale_length (sound + gap + after, factor));
  retro_test_assert_perfect (t, 0);
}

LOOP_TEST (a_gap_after_sound_is_marked, 4)
{
  static const ScaleFactor factors[] = { {2, 1}, {1, 2}, {5, 4}, {4, 5} };
  static const gchar *const properties[] = { "interpolation=cubic", "",
    "keep-pitch=true", "keep-pitch=true window=low-latency", "semitones=4"
  };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (properties); i++)
    assert_gap (properties[i], factors[__i__], "", 16000, 16000, 0);
}

LOOP_TEST (a_gap_of_any_pieces_is_silent, 3 * SCALE_N_FACTORS)
{
  static const guint pieces[] = { 1, 50, 4000 };
  ScaleFactor factor = scale_factors[__i__ / 3];

  assert_gap ("interpolation=nearest", factor, "", 4000, pieces[__i__ % 3],
      1000);
  assert_gap ("", factor, "", 4000, pieces[__i__ % 3], 1000);
  assert_gap ("", factor, "factor=1.25", 4000, pieces[__i__ % 3], 1000);
}

/* ---- seeks ---------------------------------------------------------------- */

/* The segment that upstream sends for a seek to the range @start … @stop. */
static GstSegment
sought_segment (RetroTest * t, gdouble rate, GstClockTime start,
    GstClockTime stop)
{
  GstEvent *event = retro_test_seek (t, rate,
      GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_ACCURATE, GST_SEEK_TYPE_SET, start,
      GST_SEEK_TYPE_SET, stop);
  GstSegment segment = retro_test_segment (rate, 0, NONE);
  gint64 begin, end;

  gst_event_parse_seek (event, NULL, NULL, NULL, NULL, &begin, NULL, &end);
  gst_event_unref (event);
  segment.start = segment.time = segment.position = begin;
  segment.stop = end;
  retro_test_flush (t);
  retro_test_clear (t);
  retro_test_send_segment (t, &segment);
  return retro_test_nth_segment (t, 0);
}

/* The times must be exact to the nanosecond, because gst-validate compares them
 * exactly. */
LOOP_TEST (an_accurate_seek_is_accurate, 8)
{
  static const ScaleFactor these[] = { {13, 10}, {7, 10}, {10, 11}, {100, 3} };
  static const gdouble rates[] = { 1, -1 };
  ScaleFactor factor = these[__i__ / 2];
  gdouble rate = rates[__i__ % 2];
  AUTO_TEST t = scale_test_new (factor, "");
  GstClockTime start_ns = 0;
  guint i;

  retro_test_start (t, NULL, 1, 0, PLAIN_NS (80000));
  for (i = 0; i < 100; i++) {
    GstClockTime stop_ns = start_ns + 1234567891 + i;
    GstSegment out = sought_segment (t, rate, start_ns, stop_ns);

    fail_unless_equals_clocktime (out.time, start_ns);
    fail_unless_equals_clocktime (gst_segment_to_stream_time (&out,
            GST_FORMAT_TIME, rate > 0 ? out.start : out.stop), start_ns);
    fail_unless_equals_clocktime (gst_segment_to_stream_time (&out,
            GST_FORMAT_TIME, rate > 0 ? out.stop : out.start), stop_ns);
    start_ns += 100000007;
  }
}

/* ---- elements that clip --------------------------------------------------- */

/* Simulates avdec_aac in GStreamer 1.28, which outputs a priming frame with the
 * time of the next frame, so that the stream has one frame more than its
 * duration. This frame must not be clipped either. But if the stop is more than
 * a millisecond before the duration, a seek has set the stop, and the element
 * must not change it. */
LOOP_TEST (surplus_frames_lie_before_the_stop, SCALE_N_FACTORS - 1)
{
  ScaleFactor factor = scale_factors[__i__ + 1];
  const GstClockTime durations_ns[] = {
    PLAIN_NS (1000), PLAIN_NS (1000) + GST_MSECOND, PLAIN_NS (2000)
  };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (durations_ns); i++) {
    RetroTest *t = scale_test_new (factor, "interpolation=linear");
    GstClockTime stop_ns = scale_time (PLAIN_NS (1000), factor);

    retro_test_answer_queries (t, durations_ns[i], GST_CLOCK_TIME_NONE);
    retro_test_start (t, NULL, 1, 0, PLAIN_NS (1000));
    retro_test_push_cut (t, 0, 1, retro_test_cuts[0]);
    retro_test_push_cut (t, 0, 1000, retro_test_cuts[3]);
    retro_test_eos (t);
    fail_unless_equals_uint64 (retro_test_frames_out (t), scale_length (1001,
            factor));
    fail_unless_equals_int (retro_test_n_events (t, GST_EVENT_SEGMENT), 1);
    /* the position must reach the end of the segment, but not exceed it */
    fail_unless_equals_clocktime (retro_test_position (t),
        MIN (retro_test_nth_segment (t, 0).stop,
            PLAIN_NS (scale_length (1001, factor))));
    if (durations_ns[i] == PLAIN_NS (2000)) {
      GstSegment out = retro_test_nth_segment (t, 0);

      fail_unless_equals_clocktime (out.stop, stop_ns);
    } else {
      fail_unless_equals_uint64 (retro_test_clipped_frames (t),
          scale_length (1001, factor));
    }
    retro_test_free (t);
  }
}

/* ---- encoders -------------------------------------------------------------- */

static void
slow_down (RetroPlay * play, guint64 from, guint64 to)
{
  if (from >= 1000)
    g_object_set (play->revbuf, "factor", from < 3000 ? 1.5 : 2.0, NULL);
}

/* An encoder that receives a second segment starts a new stream, or even
 * crashes. */
TEST (an_encoder_gets_one_segment_at_any_factor)
{
  AUTO_PLAY play = retro_play_new_plain ("timescale interpolation=linear",
      8000);

  gst_element_class_add_static_metadata (GST_ELEMENT_GET_CLASS (play->sink),
      GST_ELEMENT_METADATA_KLASS, "Codec/Encoder/Audio");
  play->knobs->stop_ns = play->knobs->duration_ns = PLAIN_NS (8000);
  play->watch = slow_down;
  retro_play_run (play);
  fail_unless (retro_test_frames_out (&play->out) > 13000);
  fail_unless_equals_int (retro_test_n_events (&play->out, GST_EVENT_SEGMENT),
      1);
  retro_test_assert_perfect (&play->out, 0);
}

/* ---- changes of the rate ----------------------------------------------------- */

typedef struct
{
  gdouble multiplier;           /* the rate multiplier to request after half a second of
                                 * output */
  guint64 heard_frames;         /* number of frames at that time */
} Turn;

static void
turn_at_once (RetroTest * t, GstBuffer * buffer)
{
  Turn *turn = t->watch_data;

  if (turn->heard_frames > 0 || retro_test_frames_out (t) < 4000)
    return;
  gst_harness_push_event (t->h,
      gst_event_new_instant_rate_change (turn->multiplier, 0));
  turn->heard_frames = retro_test_frames_out (t) +
      gst_buffer_get_size (buffer) / GST_AUDIO_INFO_BPF (&t->info);
}

/* Simulates an instant rate change of GStreamer's example "scenario 4". At rate 1/4, rate
 * 2 is requested after half a second of output, in the middle of a long input buffer. It
 * must take effect at the next output buffer, which is at most 30 ms later, or 150 ms if
 * the input buffer lasts 1 s, plus 6 frames for the rounding to whole input frames. The
 * change lasts 40 output frames, which are 45 input frames at the mean speed of 1.125. Up
 * to 4 frames are output only when the next input frame has arrived. */
LOOP_TEST (an_instant_change_takes_effect_inside_of_a_buffer, 2)
{
  const guint buffer_frames[] = { 368, 8000 }, piece_frames[] = { 240, 1200 };
  AUTO_TEST t = retro_test_plain ("timescale interpolation=linear factor=4", 1,
      PLAIN_NS (8000));
  guint length = buffer_frames[__i__], first;
  Turn turn = {.multiplier = 8 };
  gint64 wanted;

  t->watch = turn_at_once;
  t->watch_data = &turn;
  for (first = 0; first < 8000; first += length)
    retro_test_push (t, first, MIN (length, 8000 - first));
  retro_test_eos (t);
  wanted = turn.heard_frames + 40 + (8000 - turn.heard_frames / 4 - 45) / 2;
  fail_unless (turn.heard_frames <= 4000 + 2 * (piece_frames[__i__] + 6),
      "asked at %u", (guint) turn.heard_frames);
  fail_unless (ABS ((gint64) retro_test_frames_out (t) - wanted) <= 4,
      "%u frames", (guint) retro_test_frames_out (t));
  retro_test_assert_perfect (t, 0);
}

/* ---- sinks after a reversed stream ---------------------------------------- */

/* The position that GstBaseSink reports at time @pts_ns in @segment, according to the
 * formula in gst_base_sink_get_position(). */
static gdouble
sink_position (const GstSegment * segment, GstClockTime pts_ns)
{
  gdouble rate = segment->rate * segment->applied_rate;
  gdouble elapsed_ns = (gdouble) gst_segment_to_running_time (segment,
      GST_FORMAT_TIME, pts_ns) - segment->base;
  gdouble time_ns = segment->time;

  if (rate < 0)
    time_ns += segment->stop - segment->start;
  return time_ns + elapsed_ns * rate;
}

/* Plays 20 s backwards. The position that a sink reports must always lie in the segment,
 * and be wrong by less than a second. */
LOOP_TEST (a_sink_is_not_far_from_the_truth, 6)
{
  static const gdouble rates[] = { -0.1, -0.5, -0.9, -1, -2, -8 };
  gdouble rate = rates[__i__];
  AUTO_TEST t = retro_test_plain ("timescale interpolation=linear", rate,
      PLAIN_NS (160000));
  guint64 n_frames = 0;
  GstSegment segment;
  guint i;

  retro_test_push_backwards (t, 160000, 800);
  retro_test_eos (t);
  for (i = 0; i < t->items->len; i++) {
    GstMiniObject *item = g_ptr_array_index (t->items, i);
    const GstSegment *sent;
    GstClockTime pts_ns;
    gdouble truth_ns;

    if (GST_IS_EVENT (item)) {
      if (GST_EVENT_TYPE (item) == GST_EVENT_SEGMENT) {
        gst_event_parse_segment (GST_EVENT (item), &sent);
        segment = *sent;
      }
      continue;
    }
    pts_ns = GST_BUFFER_PTS (item);
    truth_ns = PLAIN_NS (160000) - PLAIN_NS (n_frames) * -rate;
    fail_unless (pts_ns >= segment.start && pts_ns
        + GST_BUFFER_DURATION (item) <= segment.stop);
    fail_unless (fabs (truth_ns - (gdouble) gst_segment_to_stream_time
            (&segment, GST_FORMAT_TIME, pts_ns)) <= 100);
    fail_unless_equals_clocktime (gst_segment_to_running_time (&segment,
            GST_FORMAT_TIME, pts_ns), PLAIN_NS (n_frames));
    fail_unless (fabs (sink_position (&segment, pts_ns) - truth_ns)
        <= (rate == -1 ? 100 : GST_SECOND), "%g s instead of %g s",
        sink_position (&segment, pts_ns) / GST_SECOND, truth_ns / GST_SECOND);
    n_frames += retro_test_buffer_frames (t, GST_BUFFER (item));
  }
  if (rate == -1)
    fail_unless_equals_int (retro_test_n_events (t, GST_EVENT_SEGMENT), 1);
}
