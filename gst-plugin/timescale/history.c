/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "timescale/history.h"

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
  timedsp_timeline_start (&history->map, factor);
  g_mutex_unlock (&history->lock);
}

void
gst_timescale_history_bend (GstTimeScaleHistory * history, GstClockTime in_ns,
    GstClockTime out_ns, gdouble factor)
{
  g_mutex_lock (&history->lock);
  timedsp_timeline_bend (&history->map, in_ns, out_ns, factor);
  g_mutex_unlock (&history->lock);
}

GstClockTime
gst_timescale_history_to_output (GstTimeScaleHistory * history,
    GstClockTime in_ns, gdouble factor)
{
  GstClockTime out_ns;

  g_mutex_lock (&history->lock);
  out_ns = timedsp_timeline_to_output (&history->map, in_ns, factor);
  g_mutex_unlock (&history->lock);
  return out_ns;
}

GstClockTime
gst_timescale_history_to_input (GstTimeScaleHistory * history,
    GstClockTime out_ns, gdouble factor)
{
  GstClockTime in_ns;

  g_mutex_lock (&history->lock);
  in_ns = timedsp_timeline_to_input (&history->map, out_ns, factor);
  g_mutex_unlock (&history->lock);
  return in_ns;
}
