/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Maps input times to output times: timeline.c and times.c without an element. Expected times are
 * calculated with fractions, in integers of 128 bits.
 */

#include "retrotest.h"
#include "timescale/times.h"

#define LATEST ((GstClockTime) G_MAXINT64)
#define NONE GST_CLOCK_TIME_NONE
#define N_BENDS 512

__extension__ typedef unsigned __int128 Wide;

/* floor (@time_ns × @num / @den + 1 / 2), at most LATEST. */
static GstClockTime
rounded (GstClockTime time_ns, guint64 num, guint64 den)
{
  Wide product = (Wide) time_ns * num + den / 2;

  return MIN (product / den, LATEST);
}

/* A random number of 0 … @most. */
static guint64
random_to (GRand * random, guint64 most)
{
  guint64 bits = (guint64) g_rand_int (random) << 32 | g_rand_int (random);

  return most == G_MAXUINT64 ? bits : bits % (most + 1);
}

/* A random time of any magnitude. */
static GstClockTime
random_time (GRand * random)
{
  return random_to (random, LATEST) >> random_to (random, 62);
}

/* ---- lines ---------------------------------------------------------------- */

#define map_line gst_time_scale_line_map
#define unmap_line gst_time_scale_line_unmap

TEST (a_line_goes_on_on_both_sides_of_its_pair)
{
  GstTimeScaleLine line = gst_time_scale_line (1000, 1000, 100);

  fail_unless_equals_uint64 (map_line (&line, 1001), 1100);
  fail_unless_equals_uint64 (map_line (&line, 995), 500);
  fail_unless_equals_uint64 (map_line (&line, 900), 0);
  fail_unless_equals_uint64 (unmap_line (&line, 1149), 1001);
  fail_unless_equals_uint64 (unmap_line (&line, 1150), 1002);
  fail_unless_equals_uint64 (map_line (&line, NONE), NONE);
  fail_unless_equals_uint64 (map_line (&line, NONE - 1), LATEST);
  line = gst_time_scale_line (1000, 2000, 0.5);
  fail_unless_equals_uint64 (map_line (&line, 1600), 2300);
}

/* A time stays the same if it is converted back and forth, because the time in between is at least
 * as exact: from input to output and back at factors of at least 1, and the other way below. */
TEST (there_and_back)
{
  static const gdouble factors[] = { 0.01, 0.07, 0.5, 0.7, 1 / 1.1, 1, 1.1, 1.5,
    3.75, 33.3, 100
  };
  g_autoptr (GRand) random = g_rand_new_with_seed (7);
  guint f, i;

  for (f = 0; f < G_N_ELEMENTS (factors); f++) {
    GstTimeScaleLine line = gst_time_scale_line (0, 0, factors[f]);

    for (i = 0; i < 1000; i++) {
      GstClockTime time_ns = random_to (random, G_GUINT64_CONSTANT (1) << 56);
      GstClockTime back_ns = factors[f] >= 1 ?
          unmap_line (&line, map_line (&line, time_ns)) :
          map_line (&line, unmap_line (&line, time_ns));

      fail_unless_equals_uint64 (back_ns, time_ns);
    }
  }
}

/* ---- timelines ------------------------------------------------------------- */

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (GstTimeScaleTimeline,
    gst_time_scale_timeline_clear);
#define AUTO_TIMELINE g_auto (GstTimeScaleTimeline)

static GstTimeScaleTimeline
timeline_of (gdouble factor)
{
  GstTimeScaleTimeline timeline;

  gst_time_scale_timeline_init (&timeline);
  gst_time_scale_timeline_start (&timeline, factor);
  return timeline;
}

#define bend gst_time_scale_timeline_bend

static GstClockTime
map (const GstTimeScaleTimeline * timeline, GstClockTime time_ns)
{
  return gst_time_scale_timeline_map (timeline, time_ns, 1);
}

static GstClockTime
unmap (const GstTimeScaleTimeline * timeline, GstClockTime time_ns)
{
  return gst_time_scale_timeline_unmap (timeline, time_ns, 1);
}

TEST (times_that_are_too_late_are_the_latest)
{
  AUTO_TIMELINE line = timeline_of (100);

  fail_unless_equals_uint64 (map (&line, G_GUINT64_CONSTANT (1) << 62), LATEST);
  fail_unless_equals_uint64 (map (&line, NONE - 1), LATEST);
  fail_unless_equals_uint64 (unmap (&line, NONE - 1), rounded (NONE - 1, 1,
          100));
  fail_unless_equals_uint64 (map (&line, NONE), NONE);
  fail_unless_equals_uint64 (unmap (&line, NONE), NONE);
}

TEST (corners_that_are_too_late_change_nothing)
{
  AUTO_TIMELINE line = timeline_of (2);

  bend (&line, LATEST + 1, 1, 1);
  bend (&line, 1, LATEST + 1, 1);
  fail_unless_equals_uint64 (map (&line, 3), 6);
}

TEST (a_factor_out_of_range_is_the_nearest_one)
{
  AUTO_TIMELINE line = timeline_of (1000);

  fail_unless_equals_uint64 (map (&line, 3), 300);
  bend (&line, 0, 0, -1);
  fail_unless_equals_uint64 (map (&line, 300), 3);
}

/* Between two corners, times are interpolated linearly: here with slope 3, although the factor at
 * the first corner is 2. */
TEST (corners_count_and_not_factors)
{
  AUTO_TIMELINE line = timeline_of (1);

  bend (&line, 100, 100, 2);
  bend (&line, 200, 400, 1);
  fail_unless_equals_uint64 (map (&line, 150), 250);
  fail_unless_equals_uint64 (unmap (&line, 250), 150);
}

TEST (what_is_played_again_is_forgotten)
{
  AUTO_TIMELINE line = timeline_of (1);

  bend (&line, 10, 10, 2);
  bend (&line, 20, 30, 1);
  bend (&line, 15, 20, 3);
  fail_unless_equals_uint64 (map (&line, 12), 14);
  fail_unless_equals_uint64 (map (&line, 15), 20);
  fail_unless_equals_uint64 (map (&line, 20), 35);
  bend (&line, 0, 0, 0.5);
  fail_unless_equals_uint64 (map (&line, 100), 50);
}

TEST (corners_that_would_go_back_give_way)
{
  AUTO_TIMELINE line = timeline_of (1);

  bend (&line, 10, 50, 1);
  bend (&line, 20, 40, 1);
  fail_unless_equals_uint64 (map (&line, 20), 40);
  fail_unless_equals_uint64 (map (&line, 10), 20);
  fail_unless_equals_uint64 (unmap (&line, 20), 10);
}

/* As long as nothing has been played, the factor in the call applies. */
TEST (an_empty_timeline_goes_by_the_factor_of_the_call)
{
  AUTO_TIMELINE line = timeline_of (3);

  g_array_set_size (line.pairs, 0);
  fail_unless_equals_uint64 (gst_time_scale_timeline_map (&line, 5, 0.7), 4);
  fail_unless_equals_uint64 (gst_time_scale_timeline_unmap (&line, 7, 0.7), 10);
  fail_unless_equals_uint64 (gst_time_scale_timeline_map (&line, NONE, 0.7),
      NONE);
  bend (&line, 100, 200, 2);
  fail_unless_equals_uint64 (map (&line, 50), 100);
  fail_unless_equals_uint64 (map (&line, 101), 202);
}

/* Asserts that later times of the input never have earlier times of the output, up to @end_ns. */
static void
assert_rises (const GstTimeScaleTimeline * line, GstClockTime end_ns)
{
  GstClockTime last_ns = 0, time_ns;

  for (time_ns = 0; time_ns < end_ns; time_ns += end_ns / 10000 + 1) {
    GstClockTime out_ns = map (line, time_ns);

    fail_unless (out_ns >= last_ns);
    last_ns = out_ns;
    /* the steepest slope is 100 */
    fail_unless (gst_retro_clock_apart (map (line, unmap (line, out_ns)),
            out_ns) <= 100);
  }
}

TEST (a_chain_of_512_bends_is_exact)
{
  static const struct
  {
    gdouble factor;
    guint64 num, den;
  } slopes[] = {
    {0.01, 1, 100}, {100, 100, 1}, {0.7, 7, 10}, {1, 1, 1}, {1 / 1.1, 10, 11},
    {1.5, 3, 2}
  };
  g_autoptr (GRand) random = g_rand_new_with_seed (512);
  static GstTimeScalePair corners[N_BENDS + 1];
  AUTO_TIMELINE line = timeline_of (1);
  guint i, n;

  for (i = 0; i < N_BENDS; i++) {
    GstTimeScalePair at = corners[i];
    guint s = i % G_N_ELEMENTS (slopes);

    bend (&line, at.in_ns, at.out_ns, slopes[s].factor);
    for (n = 0; n < 3; n++) {
      guint64 way = 1 + random_to (random, G_GUINT64_CONSTANT (1) << 44);

      corners[i + 1].in_ns = at.in_ns + way;
      corners[i + 1].out_ns =
          at.out_ns + rounded (way, slopes[s].num, slopes[s].den);
      fail_unless_equals_uint64 (map (&line, corners[i + 1].in_ns),
          corners[i + 1].out_ns);
    }
  }
  /* corners stay exact after later ones have been added */
  for (i = 0; i <= N_BENDS; i++)
    fail_unless_equals_uint64 (map (&line, corners[i].in_ns),
        corners[i].out_ns);
  assert_rises (&line, corners[N_BENDS].in_ns);
}

/* The corners that remain are exact. One that is dropped is mapped between its neighbours. */
TEST (memory_is_bounded)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (31);
  AUTO_TIMELINE line = timeline_of (1);
  GstTimeScalePair last = { 0, 0 };
  guint i;

  for (i = 0; i < 10000; i++) {
    guint64 way = 1 + random_to (random, 999999);

    last.in_ns += way;
    last.out_ns += way * random_to (random, 3);
    bend (&line, last.in_ns, last.out_ns, 2);
    fail_unless (line.pairs->len <= N_BENDS);
  }
  for (i = 0; i < line.pairs->len; i++) {
    GstTimeScalePair pair = g_array_index (line.pairs, GstTimeScalePair, i);

    fail_unless_equals_uint64 (map (&line, pair.in_ns), pair.out_ns);
  }
  /* the last one always remains */
  fail_unless_equals_uint64 (map (&line, last.in_ns + 5), last.out_ns + 10);
  assert_rises (&line, last.in_ns);
}

TEST (times_rise)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (41);
  guint lap, i;

  for (lap = 0; lap < 200; lap++) {
    AUTO_TIMELINE line = timeline_of (1);

    for (i = 0; i < 40; i++) {
      GstClockTime in_ns = random_time (random), one, other;

      bend (&line, in_ns, g_rand_boolean (random) ? random_time (random) :
          map (&line, in_ns), g_rand_double_range (random, -1, 120));
      one = random_time (random);
      other = random_time (random);
      fail_unless (map (&line, MIN (one, other)) <= map (&line, MAX (one,
                  other)));
      fail_unless (unmap (&line, MIN (one, other)) <= unmap (&line, MAX (one,
                  other)));
    }
  }
}

/* ---- segments --------------------------------------------------------------- */

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (GstTimeScaleTimes,
    gst_time_scale_times_clear);
#define AUTO_TIMES g_auto (GstTimeScaleTimes)

/* Begins a segment at 44,100 frames per second. */
static void
start (GstTimeScaleTimes * times, gdouble rate, gdouble factor,
    GstClockTime start_ns, GstClockTime stop_ns)
{
  GstSegment segment = retro_test_segment (rate, start_ns, stop_ns);

  gst_time_scale_times_start (times, &segment, factor, TRUE, 44100);
}

/* The times of a segment of 10 s at rate 1, scaled with @factor. */
static GstTimeScaleTimes
ten_seconds (gdouble factor)
{
  GstTimeScaleTimes times;

  gst_time_scale_times_init (&times);
  start (&times, 1, factor, 0, 10 * GST_SECOND);
  return times;
}

TEST (a_rate_is_absorbed_as_far_as_there_is_room)
{
  static const struct
  {
    gdouble rate, factor;
    gdouble used, absorbed, rest;
  } cases[] = {
    {2, 0.5, 0.25, 2, 1}, {1000, 1, 0.01, 100, 10}, {0.001, 1, 100, 0.01, 0.1},
    {0.5, 100, 100, 1, 0.5}
  };
  AUTO_TIMES times = ten_seconds (1);
  guint i;

  for (i = 0; i < G_N_ELEMENTS (cases); i++) {
    start (&times, cases[i].rate, cases[i].factor, 0, 10 * GST_SECOND);
    fail_unless_equals_float (times.factor, cases[i].used);
    fail_unless_equals_float (times.out.applied_rate, cases[i].absorbed);
    fail_unless_equals_float (times.out.rate, cases[i].rest);
  }
}

/* A stop within a frame is moved to the end of that frame. The first frame ends after
 * 22,675.7 ns, rounded up to 22,676 ns. */
TEST (the_last_frame_plays_to_its_end)
{
  static const GstClockTime cases[][3] = {
    {0, GST_SECOND, GST_SECOND}, {0, 1, 1}, {0, 2, 22675}, {0, 22676, 22676},
    {0, 22677, 45351}, {22675, 45351, 45351},
    /* if the start is within a frame, that frame is played, too */
    {10000, 32675, 10000 + 45351}, {5, 5, 5}, {6, 5, 5}, {0, NONE, NONE}
  };
  AUTO_TIMES times = ten_seconds (1);
  GstSegment segment;
  guint i;

  for (i = 0; i < G_N_ELEMENTS (cases); i++) {
    gst_segment_init (&segment, GST_FORMAT_TIME);
    segment.start = cases[i][0];
    segment.stop = cases[i][1];
    gst_time_scale_times_start (&times, &segment, 1, TRUE, 44100);
    fail_unless_equals_uint64 (times.out.stop, cases[i][2]);
  }
  segment.stop = 7;
  gst_time_scale_times_start (&times, &segment, 1, TRUE, 0);
  fail_unless_equals_uint64 (times.out.stop, 7);
  segment.stop = LATEST;
  gst_time_scale_times_start (&times, &segment, 1, TRUE, G_MAXINT);
  fail_unless (times.out.stop >= LATEST);
}

TEST (a_factor_that_changes_bends_the_times_after_it)
{
  AUTO_TIMES times = ten_seconds (1);
  GstTimeScalePair measured = { 5 * GST_SECOND, 8 * GST_SECOND + 3 };

  fail_if (gst_time_scale_times_adopt (&times, 1, 2 * GST_SECOND));
  fail_unless (gst_time_scale_times_adopt (&times, 2, 2 * GST_SECOND));
  fail_unless_equals_uint64 (gst_time_scale_times_map (&times, 5 * GST_SECOND),
      8 * GST_SECOND);
  fail_unless_equals_uint64 (times.out.stop, 18 * GST_SECOND);
  fail_unless_equals_uint64 (unmap (&times.history, 8 * GST_SECOND),
      5 * GST_SECOND);
  gst_time_scale_times_correct (&times, measured, 3);
  fail_unless_equals_uint64 (gst_time_scale_times_map (&times, 5 * GST_SECOND),
      8 * GST_SECOND);
  measured.out_ns++;
  gst_time_scale_times_correct (&times, measured, 3);
  fail_unless_equals_uint64 (gst_time_scale_times_map (&times, 6 * GST_SECOND),
      10 * GST_SECOND + 4);
}

/* From speed 1 to speed 2 the mean speed is 1.5, so 3 s of the input become 2 s. */
TEST (a_ramp_lasts_as_long_as_its_mean_speed_says)
{
  GstTimeScalePair at = { 2 * GST_SECOND, 2 * GST_SECOND };
  AUTO_TIMES times = ten_seconds (1);

  gst_time_scale_times_ramp (&times, at, 0.5, 3. * GST_SECOND);
  fail_unless_equals_uint64 (gst_time_scale_times_map (&times, 5 * GST_SECOND),
      4 * GST_SECOND);
  fail_unless_equals_uint64 (gst_time_scale_times_map (&times, 7 * GST_SECOND),
      5 * GST_SECOND);
}

TEST (a_declared_end_has_room_for_the_frames_of_a_decoder)
{
  AUTO_TIMES times = ten_seconds (2);

  gst_time_scale_times_allow_surplus (&times, 30 * GST_SECOND, PLAIN_RATE);
  fail_unless_equals_uint64 (times.out.stop, 20 * GST_SECOND);
  gst_time_scale_times_allow_surplus (&times, 10 * GST_SECOND + 1999999,
      PLAIN_RATE);
  fail_unless_equals_uint64 (times.out.stop,
      20 * GST_SECOND + 2 * PLAIN_NS (2));
}

/* Before the last of these segments, 4 s were played at rate 1, 1 s at rate 2, and 1 s at
 * rate 4. */
TEST (segments_wait_for_their_place)
{
  AUTO_TIMES times = ten_seconds (1);
  guint i;

  for (i = 0; i < 3; i++) {
    gst_time_scale_times_multiply (&times, 2 << i, 1);
    gst_time_scale_times_begin (&times, (4 + i) * GST_SECOND);
  }
  fail_unless_equals_uint64 (gst_time_scale_times_frames_left (&times,
          3 * GST_SECOND, PLAIN_RATE), PLAIN_RATE);
  fail_if (gst_time_scale_times_advance (&times, 4 * GST_SECOND - 1));
  fail_unless (gst_time_scale_times_advance (&times, 4 * GST_SECOND));
  fail_unless_equals_float (times.out.applied_rate, 2);
  fail_unless_equals_uint64 (gst_time_scale_times_frames_left (&times,
          4 * GST_SECOND, PLAIN_RATE), PLAIN_RATE);
  fail_unless (gst_time_scale_times_advance (&times, NONE));
  fail_unless_equals_float (times.out.applied_rate, 8);
  fail_unless_equals_uint64 (times.out.time, 10 * GST_SECOND);
  fail_unless_equals_uint64 (times.out.base, 6 * GST_SECOND);
  fail_unless_equals_uint64 (gst_time_scale_times_frames_left (&times,
          7 * GST_SECOND, PLAIN_RATE), G_MAXUINT64);
}

TEST (a_segment_waits_no_longer_than_the_input)
{
  AUTO_TIMES times = ten_seconds (1);
  GstTimeScalePair end = { 3 * GST_SECOND, 3 * GST_SECOND };

  gst_time_scale_times_multiply (&times, 2, 1);
  gst_time_scale_times_begin (&times, 4 * GST_SECOND);
  gst_time_scale_times_end (&times, end, 0);
  fail_unless (gst_time_scale_times_advance (&times, end.out_ns));
  fail_unless_equals_uint64 (times.out.start, end.out_ns);
  fail_unless_equals_uint64 (times.out.time, end.out_ns);
  fail_unless_equals_uint64 (times.out.base, end.out_ns);
}

TEST (another_segment_is_sent_only_where_audio_would_be_cut)
{
  AUTO_TIMES times = ten_seconds (1);
  GstSegment turned = times.in;

  times.end_ns = 5 * GST_SECOND;
  fail_if (gst_time_scale_times_is_outdated (&times, 5 * GST_SECOND, 0));
  fail_unless (gst_time_scale_times_is_outdated (&times, 5 * GST_SECOND - 9,
          8));
  fail_if (gst_time_scale_times_is_outdated (&times, NONE, 0));
  turned.applied_rate = -1;
  gst_time_scale_times_start (&times, &turned, 1, TRUE, PLAIN_RATE);
  times.end_ns = GST_SECOND;
  fail_if (gst_time_scale_times_is_outdated (&times, 10 * GST_SECOND
          + 100 * GST_MSECOND, 0));
  fail_unless (gst_time_scale_times_is_outdated (&times, 10 * GST_SECOND
          + 100 * GST_MSECOND + 1, 0));
}
