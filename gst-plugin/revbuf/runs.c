/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "revbuf/runs.h"

#define MIN_BYTES (1 << 20)

/* Maximum rounding error of the difference between two times, each in whole nanoseconds. */
#define ROUNDING_NS 2

gboolean
gst_revbuf_runs_add (GstRevBufRuns * self, GstClockTime time_ns,
    gsize n_frames, gboolean jumps, gboolean gap)
{
  gsize n = self->n_runs;
  GstRevBufRun *last = n > 0 ? &self->runs[n - 1] : NULL, *runs;
  GstRevBufRun run = {.start_ns = time_ns,.gap = gap };

  if (last != NULL && !jumps && last->gap == gap) {
    last->end_frame += n_frames;
    return TRUE;
  }
  /* The capacity is the next power of two. A GArray would abort the process if
   * memory can't be allocated. */
  if ((n & (n - 1)) == 0) {
    runs = 2 * n <= MAX (self->max_bytes, MIN_BYTES) / sizeof (*runs) ?
        g_try_renew (GstRevBufRun, self->runs, MAX (2 * n, 1)) : NULL;
    if (runs == NULL)
      return FALSE;
    self->runs = runs;
  }
  run.first_frame = n > 0 ? self->runs[n - 1].end_frame : 0;
  run.end_frame = run.first_frame + n_frames;
  self->runs[self->n_runs++] = run;
  return TRUE;
}

static GstClockTime
runs_length_ns (const GstRevBufRuns * self, const GstRevBufRun * run)
{
  return gst_util_uint64_scale_int (run->end_frame - run->first_frame,
      GST_SECOND, self->rate);
}

void
gst_revbuf_runs_cut (GstRevBufRuns * self, GstClockTime stop_ns)
{
  for (; self->n_runs > 0; self->n_runs--) {
    GstRevBufRun *run = &self->runs[self->n_runs - 1];
    GstClockTime until_stop_ns = stop_ns - MIN (run->start_ns, stop_ns);
    guint64 frames =
        gst_util_uint64_scale_ceil (until_stop_ns - MIN (until_stop_ns,
            ROUNDING_NS), self->rate, GST_SECOND);

    if (run->start_ns + runs_length_ns (self, run) <= stop_ns)
      return;
    run->end_frame = MIN (run->end_frame, run->first_frame + frames);
    if (frames > 0)
      return;
  }
}

/* The output time of @run, if the output so far ends at @now_ns. */
static GstClockTime
runs_output_ns (const GstRevBufRuns * self, const GstRevBufRun * run,
    GstClockTime now_ns)
{
  GstClockTime end_ns = run->start_ns + runs_length_ns (self, run);

  end_ns = CLAMP (end_ns, self->start_ns, self->stop_ns);
  return MAX (self->start_ns + (self->stop_ns - end_ns), now_ns);
}

GstClockTime
gst_revbuf_runs_reverse (GstRevBufRuns * self, GstClockTime start_ns)
{
  GstClockTime now_ns = start_ns;
  gsize i;

  self->start_ns = self->stop_ns = start_ns;
  for (i = 0; i < self->n_runs; i++)
    self->stop_ns = MAX (self->stop_ns,
        self->runs[i].start_ns + runs_length_ns (self, &self->runs[i]));
  while (i-- > 0)
    now_ns = runs_output_ns (self, &self->runs[i], now_ns)
        + runs_length_ns (self, &self->runs[i]);
  return now_ns;
}

gboolean
gst_revbuf_runs_pop (GstRevBufRuns * self, GstRetroClock * clock,
    GstRevBufRun * run)
{
  gboolean is_first = !gst_retro_clock_is_running (clock);
  GstClockTime time_ns;

  if (self->n_runs == 0)
    return FALSE;
  *run = self->runs[--self->n_runs];
  time_ns = runs_output_ns (self, run, is_first ? 0 : clock->now_ns);
  /* a run that would begin less than a frame after the previous one continues it */
  if (is_first || time_ns > clock->now_ns + GST_SECOND / self->rate + 1)
    gst_retro_clock_start (clock, time_ns);
  return TRUE;
}
