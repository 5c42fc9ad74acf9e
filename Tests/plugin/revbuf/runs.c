/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The times of collected runs (runs.c), without an element.
 */

#include "retrotest.h"
#include "revbuf/runs.h"

#define MS GST_MSECOND

/* A clip of a composition ends at its stop. At 1000 frames per second, a frame lasts 1 ms. */
LOOP_TEST (frames_from_the_stop_on_are_dropped, 5)
{
  static const struct
  {
    GstClockTime stop_ns;
    guint64 end_frame;          /* of the second run; 10: there is no second run */
    guint64 n_frames;           /* of the first run */
  } cuts[] = {
    {25 * MS, 20, 10}, {20 * MS + 500000, 16, 10}, {20 * MS + 1, 15, 10},
    {15 * MS, 10, 10}, {0, 10, 0}
  };
  GstRetroClock clock;
  GstRevBufRuns runs = {.rate = 1000 };
  GstRevBufRun run;

  gst_retro_clock_clear (&clock, 1000);
  fail_unless (gst_revbuf_runs_add (&runs, 0, 10, TRUE, FALSE));
  fail_unless (gst_revbuf_runs_add (&runs, 15 * MS, 10, TRUE, FALSE));
  gst_revbuf_runs_cut (&runs, cuts[__i__].stop_ns);
  gst_revbuf_runs_reverse (&runs, 0);
  if (cuts[__i__].end_frame > 10) {
    fail_unless (gst_revbuf_runs_pop (&runs, &clock, &run));
    fail_unless_equals_uint64 (run.first_frame, 10);
    fail_unless_equals_uint64 (run.end_frame, cuts[__i__].end_frame);
  }
  if (cuts[__i__].n_frames > 0) {
    fail_unless (gst_revbuf_runs_pop (&runs, &clock, &run));
    fail_unless_equals_uint64 (run.first_frame, 0);
    fail_unless_equals_uint64 (run.end_frame, cuts[__i__].n_frames);
  }
  fail_unless (!gst_revbuf_runs_pop (&runs, &clock, &run));
  g_free (runs.runs);
}

/* Adds two runs at 44.1 kHz in a segment that starts at 1 s, and reverses them. The second one
 * starts at @second_ns. Sets @times to the output times of both, the first output first, and of
 * their end. */
static void
turn_two (GstClockTime second_ns, GstClockTime * times)
{
  GstRetroClock clock;
  GstRevBufRuns runs = {.rate = 44100 };
  GstRevBufRun run;
  guint i;

  gst_retro_clock_clear (&clock, 44100);
  fail_unless (gst_revbuf_runs_add (&runs, GST_SECOND, 44101, TRUE, FALSE));
  fail_unless (gst_revbuf_runs_add (&runs, second_ns, 100, TRUE, FALSE));
  times[2] = gst_revbuf_runs_reverse (&runs, GST_SECOND);
  for (i = 0; i < 2; i++) {
    fail_unless (gst_revbuf_runs_pop (&runs, &clock, &run));
    fail_unless_equals_uint64 (run.first_frame, i == 0 ? 44101 : 0);
    times[i] = clock.now_ns;
    gst_retro_clock_advance (&clock, run.end_frame - run.first_frame);
  }
  g_free (runs.runs);
}

/* 44101 frames last 1000022675.7 ns, and 100 frames 2267573.7 ns. Lengths are rounded down. */
TEST (output_times_are_exact_to_the_nanosecond)
{
  const GstClockTime first_end_ns = 2000022675, length_ns = 2267573;
  GstClockTime times[3];

  /* a hole of 2.99… s */
  turn_two (5 * GST_SECOND, times);
  fail_unless_equals_uint64 (times[0], GST_SECOND);
  fail_unless_equals_uint64 (times[1],
      GST_SECOND + 5 * GST_SECOND + length_ns - first_end_ns);
  fail_unless_equals_uint64 (times[2], 5 * GST_SECOND + length_ns);

  /* a hole of a frame plus rounding doesn't count, but a longer one does */
  turn_two (first_end_ns + 22675 + 1, times);
  fail_unless_equals_uint64 (times[1], GST_SECOND + length_ns);
  turn_two (first_end_ns + 22675 + 2, times);
  fail_unless_equals_uint64 (times[1], GST_SECOND + length_ns + 22675 + 2);

  /* times that decreased: the output is longer than the input */
  turn_two (0, times);
  fail_unless_equals_uint64 (times[0], first_end_ns);
  fail_unless_equals_uint64 (times[1], first_end_ns + length_ns);
  fail_unless_equals_uint64 (times[2], first_end_ns + length_ns + 1000022675);
}

/* Runs are audio or a gap, and a jump always begins a run. */
TEST (what_continues_is_one_run)
{
  GstRevBufRuns runs = {.rate = 1000 };

  fail_unless (gst_revbuf_runs_add (&runs, 0, 10, FALSE, FALSE));
  fail_unless (gst_revbuf_runs_add (&runs, 10 * MS, 10, FALSE, FALSE));
  fail_unless_equals_int (runs.n_runs, 1);
  fail_unless (gst_revbuf_runs_add (&runs, 20 * MS, 10, FALSE, TRUE));
  fail_unless (gst_revbuf_runs_add (&runs, 30 * MS, 10, FALSE, TRUE));
  fail_unless_equals_int (runs.n_runs, 2);
  fail_unless (gst_revbuf_runs_add (&runs, 40 * MS, 10, TRUE, TRUE));
  fail_unless_equals_int (runs.n_runs, 3);
  g_free (runs.runs);
}
