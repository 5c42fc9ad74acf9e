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

GstClockTime
time_scale_history_to_output (TimeScaleHistory * history, GstClockTime in_ns,
    gdouble factor)
{
  GstClockTime out_ns = in_ns;

  g_mutex_lock (&history->lock);
  if (history->map.count == 0)
    out_ns = retro_scale_time (in_ns, factor);
  else if (GST_CLOCK_TIME_IS_VALID (in_ns))
    out_ns = timedsp_time_map_to_output (&history->map, in_ns);
  g_mutex_unlock (&history->lock);
  return out_ns;
}

GstClockTime
time_scale_history_to_input (TimeScaleHistory * history, GstClockTime out_ns,
    gdouble factor)
{
  GstClockTime in_ns = out_ns;

  g_mutex_lock (&history->lock);
  if (history->map.count == 0)
    in_ns = retro_scale_time (out_ns, 1 / factor);
  else if (GST_CLOCK_TIME_IS_VALID (out_ns))
    in_ns = timedsp_time_map_to_input (&history->map, out_ns);
  g_mutex_unlock (&history->lock);
  return in_ns;
}
