/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "common/timemap.h"

#include <math.h>


GstClockTime
gst_retro_scale_time (GstClockTime time_ns, gdouble factor)
{
  long double scaled;

  if (!GST_CLOCK_TIME_IS_VALID (time_ns) || factor == 1)
    return time_ns;
  scaled = roundl ((long double) time_ns * factor);
  return scaled < (long double) G_MAXINT64 ? (GstClockTime) scaled : G_MAXINT64;
}

void
gst_retro_time_map_bend (GstRetroTimeMap * map, GstClockTime in_ns,
    GstClockTime out_ns, gdouble factor)
{
  map->in_ns = in_ns;
  map->out_ns = out_ns;
  map->factor = factor;
}

void
gst_retro_time_map_init (GstRetroTimeMap * map, gdouble factor)
{
  gst_retro_time_map_bend (map, 0, 0, factor);
}

GstClockTime
gst_retro_time_map_apply (const GstRetroTimeMap * map, GstClockTime in_ns)
{
  GstClockTime back_ns;

  if (!GST_CLOCK_TIME_IS_VALID (in_ns))
    return in_ns;
  if (in_ns >= map->in_ns)
    return map->out_ns + gst_retro_scale_time (in_ns - map->in_ns, map->factor);

  back_ns = gst_retro_scale_time (map->in_ns - in_ns, map->factor);
  return map->out_ns > back_ns ? map->out_ns - back_ns : 0;
}
