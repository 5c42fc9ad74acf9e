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

#define INSTANT GST_SEEK_FLAG_INSTANT_RATE_CHANGE
#define KEEP GST_SEEK_TYPE_NONE

/* The input has a click every 250 ms, the first one after 125 ms. */
#define LENGTH_FRAMES (12 * RATE)
#define CLICK_FRAMES (RATE / 4)
#define CLICK_FRAME(i) (CLICK_FRAMES / 2 + (i) * CLICK_FRAMES)
#define N_CLICKS (LENGTH_FRAMES / CLICK_FRAMES)

/* Half the length of a click, which is one period of a cosine. */
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

/* ---- clicks ---------------------------------------------------------------- */

static gdouble *
make_clicks (void)
{
  gdouble *numbers = g_new0 (gdouble, LENGTH_FRAMES);
  guint i;
  gint k;

  for (i = 0; i < N_CLICKS; i++)
    for (k = -CLICK_EDGE_FRAMES; k <= CLICK_EDGE_FRAMES; k++)
      numbers[(gint) CLICK_FRAME (i) + k] =
          0.5 + 0.5 * cos (G_PI * k / CLICK_EDGE_FRAMES);
  return numbers;
}

/* Requests @rate by a seek, as an application would, or by an event, as upstream
 * would. */
static void
ask_for (RetroTest * t, gdouble rate, gboolean by_seek)
{
  if (by_seek)
    gst_harness_push_upstream_event (t->h, gst_event_new_seek (rate,
            GST_FORMAT_TIME, INSTANT, KEEP, -1, KEEP, -1));
  else
    gst_harness_push_event (t->h, gst_event_new_instant_rate_change (rate, 0));
}

/* Pushes the numbers with indices [@from, @to) in buffers of 10 ms. */
static void
push_numbers (RetroTest * t, const gdouble * numbers, guint from, guint to)
{
  guint at, piece = RATE / 100;

  for (at = from; at < to; at += piece)
    fail_unless_equals_int (gst_harness_push (t->h,
            retro_test_buffer_of (&t->info, numbers + at, MIN (piece, to - at),
                PLAIN_NS (at))), GST_FLOW_OK);
}

/* Starts a stream. @applied_rate is -1 if upstream has reversed the stream, otherwise
 * 1. */
static RetroTest *
start_clicks (const gchar * properties, gdouble applied_rate)
{
  GstSegment segment = retro_test_segment (1, 0, PLAIN_NS (LENGTH_FRAMES));
  gchar *description = g_strdup_printf ("timescale %s", properties);
  RetroTest *t = retro_test_new (description);
  GstAudioInfo info = scale_plain_info ();

  g_free (description);
  retro_test_answer_queries (t, PLAIN_NS (LENGTH_FRAMES), GST_CLOCK_TIME_NONE);
  segment.applied_rate = applied_rate;
  segment.duration = segment.stop;
  retro_test_caps (t, &info);
  retro_test_send_segment (t, &segment);
  return t;
}

/* Plays the clicks in buffers of 10 ms. */
static void
play_clicks (RetroTest * t, const Turn * turns, gboolean by_seek)
{
  gdouble *numbers = make_clicks ();
  guint at = 0;

  for (; turns->rate > 0; turns++) {
    push_numbers (t, numbers, at, turns->frame);
    ask_for (t, turns->rate, by_seek);
    at = turns->frame;
  }
  push_numbers (t, numbers, at, LENGTH_FRAMES);
  retro_test_eos (t);
  g_free (numbers);
}

/* ---- the output ----------------------------------------------------------- */

typedef struct
{
  GArray *numbers;              /* gdouble: all output samples */
  GArray *times_ns;             /* gdouble: the stream time of each sample */
  gdouble end_ns;               /* stream time at the end */
} Heard;

static void
heard_clear (Heard * heard)
{
  g_array_unref (heard->numbers);
  g_array_unref (heard->times_ns);
}

/* Asserts that stream time does not jump between two segments. In reverse,
 * stream times count from the end, so an error during a change of the rate
 * appears as such a jump. */
static void
assert_goes_on (const GstSegment * before, const GstSegment * after)
{
  GstClockTime from_ns = gst_segment_to_stream_time (before, GST_FORMAT_TIME,
      after->start);
  GstClockTime to_ns = gst_segment_to_stream_time (after, GST_FORMAT_TIME,
      after->start);

  fail_unless (ABS (GST_CLOCK_DIFF (from_ns, to_ns)) <=
      (after->applied_rate < 0 ? (gint64) AWAY_NS : 2),
      "from %" GST_TIME_FORMAT " to %" GST_TIME_FORMAT,
      GST_TIME_ARGS (from_ns), GST_TIME_ARGS (to_ns));
}

static void
heard_add (Heard * heard, const GstSegment * segment, GstBuffer * buffer)
{
  gsize n = gst_buffer_get_size (buffer) / sizeof (gdouble), i;
  GstClockTime pts_ns = GST_BUFFER_PTS (buffer);
  gdouble time_ns = gst_segment_to_stream_time (segment, GST_FORMAT_TIME,
      pts_ns);
  GstMapInfo map;

  fail_unless (pts_ns >= segment->start
      && pts_ns + GST_BUFFER_DURATION (buffer) <= segment->stop);
  fail_unless_equals_clocktime (gst_segment_to_running_time (segment,
          GST_FORMAT_TIME, pts_ns), pts_ns);
  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_READ));
  g_array_append_vals (heard->numbers, map.data, n);
  gst_buffer_unmap (buffer, &map);
  for (i = 0; i < n; i++) {
    g_array_append_val (heard->times_ns, time_ns);
    time_ns += PLAIN_NS (1) * segment->applied_rate;
  }
  heard->end_ns = time_ns;
}

/* Returns all output of @t, with stream times according to the segments. Asserts that the
 * output is contiguous. */
static Heard
hear (RetroTest * t)
{
  Heard heard = { g_array_new (FALSE, FALSE, sizeof (gdouble)),
    g_array_new (FALSE, FALSE, sizeof (gdouble)), 0
  };
  GstSegment segment;
  const GstSegment *sent;
  gboolean is_first = TRUE, turned = FALSE;
  guint i;

  retro_test_assert_perfect (t, 0);
  for (i = 0; i < t->items->len; i++) {
    GstMiniObject *item = g_ptr_array_index (t->items, i);

    if (GST_IS_BUFFER (item)) {
      if (turned)
        fail_unless_equals_clocktime (GST_BUFFER_PTS (item), segment.start);
      turned = FALSE;
      heard_add (&heard, &segment, GST_BUFFER (item));
    } else if (GST_EVENT_TYPE (item) == GST_EVENT_SEGMENT) {
      gst_event_parse_segment (GST_EVENT (item), &sent);
      if (!is_first)
        assert_goes_on (&segment, sent);
      turned = !is_first;
      segment = *sent;
      is_first = FALSE;
    }
  }
  return heard;
}

/* Returns the index of the peak of the next click from @at on, or the end if there is
 * none. */
static guint
find_click (const Heard * heard, guint at)
{
  const gdouble *numbers = (const gdouble *) heard->numbers->data;
  guint end, top;

  while (at < heard->numbers->len && numbers[at] < 0.25)
    at++;
  end = MIN (at + RATE / 100, heard->numbers->len);
  for (top = at; at < end; at++)
    if (numbers[at] > numbers[top])
      top = at;
  return top;
}

/* Asserts that the stream time of each click in the output is the time of the click in
 * the input, multiplied by @factor. Times begin at @start_ns, and rise or fall according
 * to @sign. */
static void
assert_clicks_in_place (const Heard * heard, gdouble start_ns, gdouble sign,
    gdouble factor)
{
  guint i, at = 0;

  for (i = 0; i < N_CLICKS; i++) {
    gdouble place_ns = start_ns + sign * factor * PLAIN_NS (CLICK_FRAME (i));
    gdouble allowed_ns = i + 2 < N_CLICKS ? AWAY_NS : BACK_NS;
    gdouble time_ns;

    at = find_click (heard, at);
    fail_unless (at < heard->numbers->len, "click %u is missing", i);
    time_ns = g_array_index (heard->times_ns, gdouble, at);
    fail_unless (fabs (time_ns - place_ns) <= allowed_ns,
        "click %u: %g ms instead of %g ms", i, time_ns / GST_MSECOND,
        place_ns / GST_MSECOND);
    at += RATE / 50;
  }
  fail_unless (find_click (heard, at) == heard->numbers->len);
}

/* The last rate of every sequence is 1 again, so the errors during the changes cancel. */
SOME_TEST (every_time_is_that_of_the_output, 12, 2 * N_CASES)
{
  const Setting *setting = &SETTING_OF (__i__ / 2);
  AUTO_TEST t = start_clicks (setting->properties, 1);
  gdouble length_ns = setting->factor * PLAIN_NS (LENGTH_FRAMES);
  Heard heard;

  play_clicks (t, COURSE_OF (__i__ / 2), __i__ % 2);
  heard = hear (t);
  assert_clicks_in_place (&heard, 0, 1, setting->factor);
  fail_unless (fabs (heard.end_ns - length_ns) <= BACK_NS, "ends at %g ms",
      heard.end_ns / GST_MSECOND);
  fail_unless (fabs (retro_test_position (t) - length_ns) <= BACK_NS);
  fail_unless (fabs (retro_test_duration (t) - length_ns) <= BACK_NS);
  heard_clear (&heard);
}

/* In reverse, stream times must fall to 0. */
SOME_TEST (in_reverse_every_time_is_that_of_the_output,
    1, G_N_ELEMENTS (courses))
{
  AUTO_TEST t = start_clicks ("keep-pitch=true", -1);
  Heard heard;

  play_clicks (t, courses[__i__], FALSE);
  heard = hear (t);
  assert_clicks_in_place (&heard, PLAIN_NS (LENGTH_FRAMES), -1, 1);
  heard_clear (&heard);
}

/* ---- changes without an effect ------------------------------------------------ */

/* The rate returns to 1 before the stretcher has received a whole window, so nothing may
 * change. */
TEST (a_change_that_is_undone_changes_nothing)
{
  static const Turn back_and_forth[] = { {RATE, 2}, {RATE + 160, 1}, {0, 0} };
  AUTO_TEST t = start_clicks ("keep-pitch=true window=music", 1);
  Heard heard;
  guint i;

  play_clicks (t, back_and_forth, FALSE);
  heard = hear (t);
  fail_unless_equals_int (heard.times_ns->len, LENGTH_FRAMES);
  for (i = 0; i < LENGTH_FRAMES; i++)
    fail_unless (g_array_index (heard.times_ns, gdouble, i) == PLAIN_NS (i));
  heard_clear (&heard);
}

/* The stream ends before the change takes effect, by a segment or by a hole. The audio after it
 * must have the new rate, and begin at the running time at which the output ended. */
LOOP_TEST (a_change_waits_no_longer_than_the_stream, 2)
{
  GstSegment next = retro_test_segment (1, 0, PLAIN_NS (LENGTH_FRAMES)), out;
  AUTO_TEST t = start_clicks ("keep-pitch=true window=music", 1);
  gdouble *numbers = make_clicks ();
  GstBuffer *buffer;

  push_numbers (t, numbers, 0, RATE);
  ask_for (t, 2, FALSE);
  push_numbers (t, numbers, RATE, RATE + 160);
  if (__i__ == 0) {
    next.base = PLAIN_NS (RATE + 160);
    retro_test_send_segment (t, &next);
    fail_unless_equals_uint64 (retro_test_frames_out (t), RATE + 160);
  } else {
    buffer = retro_test_buffer_of (&t->info, numbers, RATE,
        PLAIN_NS (2 * RATE));
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
    fail_unless_equals_int (gst_harness_push (t->h, buffer), GST_FLOW_OK);
  }
  out = retro_test_last_segment (t);
  fail_unless_equals_float (out.applied_rate, 2);
  fail_unless_equals_clocktime (gst_segment_to_running_time (&out,
          GST_FORMAT_TIME, out.start), PLAIN_NS (RATE + 160));
  fail_unless_equals_clocktime (gst_segment_to_stream_time (&out,
          GST_FORMAT_TIME, out.start), __i__ ? PLAIN_NS (RATE + 160) : 0);
  g_free (numbers);
}
