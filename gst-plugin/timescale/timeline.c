/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "timescale/timeline.h"

#include <timescale.h>

/* Moving a fader adds corners all the time. */
#define MAX_PAIRS 512

#define PAIR(timeline, i) g_array_index ((timeline)->pairs, GstTimeScalePair, i)

/* ---- lines ---------------------------------------------------------------- */

GstTimeScaleLine
gst_time_scale_line (GstClockTime in_ns, GstClockTime out_ns, gdouble factor)
{
  GstTimeScaleLine line = {.pair = {in_ns, out_ns}
  };

  timedsp_factor_fraction (factor, &line.num, &line.den);
  return line;
}

/* The height at @x of the line through (@x0, @y0) with slope @rise / @run. */
static GstClockTime
timeline_height (GstClockTime x, GstClockTime x0, GstClockTime y0, guint64 rise,
    guint64 run)
{
  guint64 distance;

  if (!GST_CLOCK_TIME_IS_VALID (x))
    return x;
  distance =
      gst_util_uint64_scale_round (gst_retro_clock_apart (x, x0), rise, run);
  distance = MIN (distance, G_MAXINT64);
  if (x < x0)
    return y0 > distance ? MIN (y0 - distance, G_MAXINT64) : 0;
  return MIN (y0 + distance, G_MAXINT64);
}

GstClockTime
gst_time_scale_line_map (const GstTimeScaleLine * line, GstClockTime time_ns)
{
  return timeline_height (time_ns, line->pair.in_ns, line->pair.out_ns,
      line->num, line->den);
}

GstClockTime
gst_time_scale_line_unmap (const GstTimeScaleLine * line, GstClockTime time_ns)
{
  return timeline_height (time_ns, line->pair.out_ns, line->pair.in_ns,
      line->den, line->num);
}

/* ---- timelines ------------------------------------------------------------ */

void
gst_time_scale_timeline_init (GstTimeScaleTimeline * timeline)
{
  timeline->pairs = g_array_sized_new (FALSE, FALSE, sizeof (GstTimeScalePair),
      MAX_PAIRS);
  timeline->factor = 1;
}

void
gst_time_scale_timeline_clear (GstTimeScaleTimeline * timeline)
{
  g_array_unref (timeline->pairs);
}

void
gst_time_scale_timeline_start (GstTimeScaleTimeline * timeline, gdouble factor)
{
  const GstTimeScalePair first = { 0, 0 };

  g_array_set_size (timeline->pairs, 0);
  g_array_append_val (timeline->pairs, first);
  timeline->factor = factor;
}

void
gst_time_scale_timeline_bend (GstTimeScaleTimeline * timeline,
    GstClockTime in_ns, GstClockTime out_ns, gdouble factor)
{
  const GstTimeScalePair pair = { in_ns, out_ns };
  GArray *pairs = timeline->pairs;
  guint kept;

  if (MAX (in_ns, out_ns) > G_MAXINT64)
    return;
  if (pairs->len == 0)
    gst_time_scale_timeline_start (timeline, factor);
  while (pairs->len > 1 && (PAIR (timeline, pairs->len - 1).in_ns >= in_ns
          || PAIR (timeline, pairs->len - 1).out_ns > out_ns))
    g_array_set_size (pairs, pairs->len - 1);
  if (pairs->len == MAX_PAIRS) {
    for (kept = 1; 2 * kept < pairs->len; kept++)
      PAIR (timeline, kept) = PAIR (timeline, 2 * kept);
    g_array_set_size (pairs, kept);
  }
  if (in_ns > 0)                /* the first pair never changes */
    g_array_append_val (pairs, pair);
  timeline->factor = factor;
}

/* The line for @time_ns, which is an output time if @is_out. If nothing has been played, its
 * slope is @factor. */
static GstTimeScaleLine
timeline_line_at (const GstTimeScaleTimeline * timeline, GstClockTime time_ns,
    gboolean is_out, gdouble factor)
{
  guint low = 0, high = timeline->pairs->len;
  GstTimeScalePair from, to;

  if (high == 0 || !GST_CLOCK_TIME_IS_VALID (time_ns))
    return gst_time_scale_line (0, 0, factor);
  while (high - low > 1) {
    guint middle = low + (high - low) / 2;
    const GstTimeScalePair *pair = &PAIR (timeline, middle);

    if ((is_out ? pair->out_ns : pair->in_ns) > MIN (time_ns, G_MAXINT64))
      high = middle;
    else
      low = middle;
  }
  from = PAIR (timeline, low);
  if (low + 1 == timeline->pairs->len)
    return gst_time_scale_line (from.in_ns, from.out_ns, timeline->factor);
  to = PAIR (timeline, low + 1);
  return (GstTimeScaleLine) {
  from, to.out_ns - from.out_ns, to.in_ns - from.in_ns};
}

GstClockTime
gst_time_scale_timeline_map (const GstTimeScaleTimeline * timeline,
    GstClockTime time_ns, gdouble factor)
{
  GstTimeScaleLine line = timeline_line_at (timeline, time_ns, FALSE, factor);

  return gst_time_scale_line_map (&line, time_ns);
}

GstClockTime
gst_time_scale_timeline_unmap (const GstTimeScaleTimeline * timeline,
    GstClockTime time_ns, gdouble factor)
{
  GstTimeScaleLine line = timeline_line_at (timeline, time_ns, TRUE, factor);

  return gst_time_scale_line_unmap (&line, time_ns);
}
