/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * retrotimemap: where a time of the input lies in scaled output.
 */

#ifndef RETRO_TIME_MAP_H
#define RETRO_TIME_MAP_H

#include <gst/gst.h>

G_BEGIN_DECLS

/**
 * RetroTimeMap:
 *
 * output = out_ns + (input - in_ns) × factor: a straight line through a known
 * pair of times.
 */
typedef struct
{
  GstClockTime in_ns, out_ns;
  gdouble factor;
} RetroTimeMap;

/* The line through (0, 0). */
void retro_time_map_init (RetroTimeMap * map, gdouble factor);

/* The line through (@in_ns, @out_ns). */
void retro_time_map_bend (RetroTimeMap * map, GstClockTime in_ns,
    GstClockTime out_ns, gdouble factor);

/* Output time of @in_ns, at least 0; GST_CLOCK_TIME_NONE stays what it is. */
GstClockTime retro_time_map_apply (const RetroTimeMap * map,
    GstClockTime in_ns);

/* @time_ns × @factor, rounded; GST_CLOCK_TIME_NONE stays what it is. */
GstClockTime retro_scale_time (GstClockTime time_ns, gdouble factor);

G_END_DECLS
#endif /* RETRO_TIME_MAP_H */
