/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "timescalehistory.h"
#include "retrotimemap.h"

/* Products with and quotients by a rate may stray from the range. */
#define IN_RANGE(factor) CLAMP (factor, TIMEDSP_MIN_FACTOR, TIMEDSP_MAX_FACTOR)

void
time_scale_history_init (TimeScaleHistory * history)
{
  g_mutex_init (&history->lock);
  history->map.pairs = history->pairs;
  history->map.capacity = TIME_SCALE_HISTORY_PAIRS;
  history->map.count = 0;
}

void
time_scale_history_clear (TimeScaleHistory * history)
{
  g_mutex_clear (&history->lock);
}

void
time_scale_history_forget (TimeScaleHistory * history)
{
  g_mutex_lock (&history->lock);
  history->map.count = 0;
  g_mutex_unlock (&history->lock);
}

void
time_scale_history_restart (TimeScaleHistory * history, gdouble factor)
{
  g_mutex_lock (&history->lock);
  timedsp_time_map_start (&history->map, IN_RANGE (factor));
  g_mutex_unlock (&history->lock);
}

void
time_scale_history_bend (TimeScaleHistory * history, GstClockTime in_ns,
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
map_time (TimeScaleHistory * history, GstClockTime time_ns, gdouble factor,
    guint64 (*map) (const TimeDSPTimeMap *, guint64))
{
  GstClockTime mapped_ns = time_ns;

  g_mutex_lock (&history->lock);
  if (history->map.count == 0)
    mapped_ns = retro_scale_time (time_ns, factor);
  else if (GST_CLOCK_TIME_IS_VALID (time_ns))
    mapped_ns = map (&history->map, time_ns);
  g_mutex_unlock (&history->lock);
  return mapped_ns;
}

GstClockTime
time_scale_history_to_output (TimeScaleHistory * history, GstClockTime in_ns,
    gdouble factor)
{
  return map_time (history, in_ns, factor, timedsp_time_map_to_output);
}

GstClockTime
time_scale_history_to_input (TimeScaleHistory * history, GstClockTime out_ns,
    gdouble factor)
{
  return map_time (history, out_ns, 1 / factor, timedsp_time_map_to_input);
}
