/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "timescale/history.h"
#include "common/timemap.h"

/* Products with and quotients by a rate may stray from the range. */
#define IN_RANGE(factor) CLAMP (factor, TIMEDSP_MIN_FACTOR, TIMEDSP_MAX_FACTOR)

void
gst_timescale_history_init (GstTimeScaleHistory * history)
{
  g_mutex_init (&history->lock);
  history->map.pairs = history->pairs;
  history->map.capacity = GST_TIMESCALE_HISTORY_PAIRS;
  history->map.count = 0;
}

void
gst_timescale_history_clear (GstTimeScaleHistory * history)
{
  g_mutex_clear (&history->lock);
}

void
gst_timescale_history_forget (GstTimeScaleHistory * history)
{
  g_mutex_lock (&history->lock);
  history->map.count = 0;
  g_mutex_unlock (&history->lock);
}

void
gst_timescale_history_restart (GstTimeScaleHistory * history, gdouble factor)
{
  g_mutex_lock (&history->lock);
  timedsp_time_map_start (&history->map, IN_RANGE (factor));
  g_mutex_unlock (&history->lock);
}

void
gst_timescale_history_bend (GstTimeScaleHistory * history, GstClockTime in_ns,
    GstClockTime out_ns, gdouble factor)
{
  g_mutex_lock (&history->lock);
  if (history->map.count == 0)
    timedsp_time_map_start (&history->map, IN_RANGE (factor));
  timedsp_time_map_bend (&history->map, in_ns, out_ns, IN_RANGE (factor));
  g_mutex_unlock (&history->lock);
}

/* By @map, or by @factor where nothing has been played. */
static GstClockTime
map_time (GstTimeScaleHistory * history, GstClockTime time_ns, gdouble factor,
    guint64 (*map) (const TimeDSPTimeMap *, guint64))
{
  GstClockTime mapped_ns = time_ns;

  g_mutex_lock (&history->lock);
  if (history->map.count == 0)
    mapped_ns = gst_retro_scale_time (time_ns, factor);
  else if (GST_CLOCK_TIME_IS_VALID (time_ns))
    mapped_ns = map (&history->map, time_ns);
  g_mutex_unlock (&history->lock);
  return mapped_ns;
}

GstClockTime
gst_timescale_history_to_output (GstTimeScaleHistory * history,
    GstClockTime in_ns, gdouble factor)
{
  return map_time (history, in_ns, factor, timedsp_time_map_to_output);
}

GstClockTime
gst_timescale_history_to_input (GstTimeScaleHistory * history,
    GstClockTime out_ns, gdouble factor)
{
  return map_time (history, out_ns, 1 / factor, timedsp_time_map_to_input);
}
