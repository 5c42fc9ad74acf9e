/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * timescale: instant changes of the rate while the pitch is kept. Buffered audio must still
 * be output at the old rate, and all times must match the output.
 */

#include "scalemodel.h"

#include <math.h>

#define RATE PLAIN_RATE
#define LENGTH_FRAMES (12 * RATE)

/* The input has a click every 250 ms, the first one after 125 ms. Half the length of a click,
 * which is one period of a cosine, is CLICK_EDGE_FRAMES. */
#define CLICK_FRAMES (RATE / 4)
#define CLICK_FRAME(i) (CLICK_FRAMES / 2 + (i) * CLICK_FRAMES)
#define N_CLICKS (LENGTH_FRAMES / CLICK_FRAMES)
#define CLICK_EDGE_FRAMES 8

/* When the rate changes from a to b, the segment has rate b immediately, but
 * the output changes gradually within 5 ms. Until the rate returns to a, times
 * are wrong by (b - a) / 2 × 5 ms. For a change from 0.5 to 4, this is 8.75 ms.
 * The tolerance also includes 6 output frames at rate 4. */
#define AWAY_NS (8750 * GST_USECOND + 4 * PLAIN_NS (6))
#define BACK_NS GST_MSECOND

typedef struct
{
  guint frame;                  /* the input frame before which the rate is requested */
  gdouble rate;
} Turn;

/* Intervals between changes as in players. */
static const Turn far_apart[] = {
  {1 * RATE, 2}, {3 * RATE, 4}, {7 * RATE, 0.5}, {8 * RATE, 4}, {10 * RATE, 2},
  {11 * RATE, 1}, {0, 0}
};

/* Each change is requested before the previous change has taken effect in the
 * output. The last changes are requested before the previous change has even
 * begun. */
static const Turn close_together[] = {
  {RATE, 1.1}, {RATE + 1600, 1.3}, {RATE + 1760, 1.5}, {RATE + 1920, 1.7},
  {RATE + 2080, 1.9}, {RATE + 2240, 2.1}, {RATE + 2400, 1.8},
  {RATE + 2560, 1.4}, {RATE + 2720, 1}, {8 * RATE, 2}, {8 * RATE + 160, 3},
  {8 * RATE + 320, 1}, {0, 0}
};

static const Turn *const courses[] = { far_apart, close_together };

typedef struct
{
  const gchar *properties;
  gdouble factor;               /* the factor that the properties set */
} Setting;

static const Setting settings[] = {
  {"keep-pitch=true", 1},
  {"keep-pitch=true window=speech", 1},
  {"keep-pitch=true factor=1.5", 1.5},
  {"keep-pitch=true semitones=-3", 1},
  {"keep-pitch=true semitones=3", 1},
  {"interpolation=linear", 1}
};

#define N_CASES (G_N_ELEMENTS (courses) * G_N_ELEMENTS (settings))
#define COURSE_OF(i) courses[(i) % G_N_ELEMENTS (courses)]
#define SETTING_OF(i) settings[(i) / G_N_ELEMENTS (courses)]

/* Starts a stream. @applied_rate is -1 if upstream has reversed the stream, otherwise
 * 1. */
static RetroTest *
start (const gchar * properties, gdouble applied_rate)
{
  GstSegment segment = retro_test_segment (1, 0, PLAIN_NS (LENGTH_FRAMES));
  RetroTest *t = scale_test_new (scale_factors[0], "");
  GstAudioInfo info = scale_plain_info ();

  scale_set (t, properties);
  retro_test_caps (t, &info);
  retro_test_answer_queries (t, PLAIN_NS (LENGTH_FRAMES), GST_CLOCK_TIME_NONE);
  segment.applied_rate = applied_rate;
  segment.duration = segment.stop;
  retro_test_send_segment (t, &segment);
  return t;
}

/* Pushes the clicks in the frames [@at, @end) in buffers of 10 ms. */
static void
push_clicks (RetroTest * t, guint at, guint end)
{
  gdouble numbers[RATE / 100];
  guint n, i;

  for (; at < end; at += n) {
    n = MIN (RATE / 100, end - at);
    for (i = 0; i < n; i++) {
      gint k = (gint) ((at + i) % CLICK_FRAMES) - CLICK_FRAMES / 2;

      numbers[i] = ABS (k) > CLICK_EDGE_FRAMES ? 0 :
          0.5 + 0.5 * cos (G_PI * k / CLICK_EDGE_FRAMES);
    }
    fail_unless_equals_int (gst_harness_push (t->h, retro_test_buffer_of
            (&t->info, numbers, n, PLAIN_NS (at))), GST_FLOW_OK);
  }
}

static void
play (RetroTest * t, const Turn * turns, gboolean by_seek)
{
  guint at = 0;

  for (; turns->rate > 0; turns++) {
    push_clicks (t, at, turns->frame);
    scale_ask_for_rate (t, turns->rate, by_seek);
    at = turns->frame;
  }
  push_clicks (t, at, LENGTH_FRAMES);
  retro_test_eos (t);
}

/* The click that is being heard, and the stream time of its peak. */
typedef struct
{
  guint n_clicks;
  gdouble peak, time_ns;
} Ear;

/* Asserts that the stream time of each click in @buffer is @start_ns plus @scale times its time
 * in the input. */
static void
listen (Ear * ear, GstBuffer * buffer, const GstSegment * segment,
    gdouble start_ns, gdouble scale)
{
  gdouble time_ns = gst_segment_to_stream_time (segment, GST_FORMAT_TIME,
      GST_BUFFER_PTS (buffer));
  GstMapInfo map;
  gsize i;

  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_READ));
  for (i = 0; i < map.size / sizeof (gdouble); i++) {
    gdouble value = ((const gdouble *) map.data)[i];

    if (value >= 0.25 && value > ear->peak) {
      ear->peak = value;
      ear->time_ns = time_ns;
    } else if (ear->peak > 0 && value < 0.01) {
      gdouble place_ns =
          start_ns + scale * PLAIN_NS (CLICK_FRAME (ear->n_clicks));

      fail_unless (fabs (ear->time_ns - place_ns) <=
          (ear->n_clicks + 2 < N_CLICKS ? AWAY_NS : BACK_NS),
          "click %u: %g ms instead of %g ms", ear->n_clicks,
          ear->time_ns * 1e-6, place_ns * 1e-6);
      ear->n_clicks++;
      ear->peak = 0;
    }
    time_ns += PLAIN_NS (1) * segment->applied_rate;
  }
  gst_buffer_unmap (buffer, &map);
}

/* Asserts that the output is contiguous, that each buffer is in its segment, and that stream
 * time does not jump from one segment to the next, and listens. In reverse, stream times count
 * from the end, so an error during a change of the rate appears as such a jump. Returns the
 * stream time at the end. */
static GstClockTime
assert_times (RetroTest * t, gdouble start_ns, gdouble scale)
{
  GstClockTime end_ns = 0;
  GstSegment segment;
  Ear ear = { 0 };
  guint i, n = 0;

  retro_test_assert_perfect (t, 0);
  for (i = 0; i < t->items->len; i++) {
    gpointer item = g_ptr_array_index (t->items, i);

    if (GST_IS_BUFFER (item)) {
      GstClockTime pts_ns = GST_BUFFER_PTS (item);

      fail_unless (pts_ns >= segment.start
          && pts_ns + GST_BUFFER_DURATION (item) <= segment.stop);
      fail_unless_equals_clocktime (gst_segment_to_running_time (&segment,
              GST_FORMAT_TIME, pts_ns), pts_ns);
      listen (&ear, item, &segment, start_ns, scale);
      end_ns = gst_segment_to_stream_time (&segment, GST_FORMAT_TIME,
          pts_ns + GST_BUFFER_DURATION (item));
    } else if (GST_EVENT_TYPE (item) == GST_EVENT_SEGMENT) {
      gst_event_copy_segment (item, &segment);
      fail_unless (n++ == 0 || ABS (GST_CLOCK_DIFF (end_ns,
                  gst_segment_to_stream_time (&segment, GST_FORMAT_TIME,
                      segment.start))) <= (scale < 0 ? (gint64) AWAY_NS : 2),
          "a jump to segment %u", n);
    }
  }
  fail_unless_equals_int (ear.n_clicks, N_CLICKS);
  return end_ns;
}

/* The last rate of every sequence is 1 again, so the errors during the changes cancel. */
SOME_TEST (every_time_is_that_of_the_output, 12, 2 * N_CASES)
{
  const Setting *setting = &SETTING_OF (__i__ / 2);
  AUTO_TEST t = start (setting->properties, 1);
  gdouble length_ns = setting->factor * PLAIN_NS (LENGTH_FRAMES);

  play (t, COURSE_OF (__i__ / 2), __i__ % 2);
  fail_unless (fabs (assert_times (t, 0, setting->factor) - length_ns)
      <= BACK_NS);
  fail_unless (fabs (retro_test_position (t) - length_ns) <= BACK_NS);
  fail_unless (fabs (retro_test_duration (t) - length_ns) <= BACK_NS);
}

/* In reverse, stream times must fall to 0. */
SOME_TEST (in_reverse_every_time_is_that_of_the_output,
    1, G_N_ELEMENTS (courses))
{
  AUTO_TEST t = start ("keep-pitch=true", -1);

  play (t, courses[__i__], FALSE);
  fail_unless (assert_times (t, PLAIN_NS (LENGTH_FRAMES), -1) <= AWAY_NS);
}

/* ---- changes without an effect ------------------------------------------------ */

/* The rate returns to 1 before the stretcher has received a whole window, so nothing may
 * change. */
TEST (a_change_that_is_undone_changes_nothing)
{
  static const Turn back_and_forth[] = { {RATE, 2}, {RATE + 160, 1}, {0, 0} };
  AUTO_TEST t = start ("keep-pitch=true window=music", 1);
  guint n;

  play (t, back_and_forth, FALSE);
  fail_unless_equals_clocktime (assert_times (t, 0, 1),
      PLAIN_NS (LENGTH_FRAMES));
  fail_unless_equals_uint64 (retro_test_frames_out (t), LENGTH_FRAMES);
  for (n = 0; n < retro_test_n_events (t, GST_EVENT_SEGMENT); n++)
    fail_unless_equals_float (retro_test_nth_segment (t, n).applied_rate, 1);
}

/* The stream ends before the change takes effect, by a segment or by a hole. The audio after it
 * must have the new rate, and begin at the running time at which the output ended. */
LOOP_TEST (a_change_waits_no_longer_than_the_stream, 2)
{
  GstSegment next = retro_test_segment (1, 0, PLAIN_NS (LENGTH_FRAMES)), out;
  AUTO_TEST t = start ("keep-pitch=true window=music", 1);

  scale_push_sound (t, 0, RATE, RATE / 100);
  scale_ask_for_rate (t, 2, FALSE);
  scale_push_sound (t, RATE, 160, 160);
  if (__i__ == 0) {
    next.base = PLAIN_NS (RATE + 160);
    retro_test_send_segment (t, &next);
    fail_unless_equals_uint64 (retro_test_frames_out (t), RATE + 160);
  } else {
    scale_push_sound (t, 2 * RATE, RATE, RATE);
  }
  out = retro_test_last_segment (t);
  fail_unless_equals_float (out.applied_rate, 2);
  fail_unless_equals_clocktime (gst_segment_to_running_time (&out,
          GST_FORMAT_TIME, out.start), PLAIN_NS (RATE + 160));
  fail_unless_equals_clocktime (gst_segment_to_stream_time (&out,
          GST_FORMAT_TIME, out.start), __i__ ? PLAIN_NS (RATE + 160) : 0);
}
