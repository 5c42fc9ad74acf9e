/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * retrotimemap: where a time of the input lies in scaled output.
 */

#ifndef GST_RETRO_TIMEMAP_H
#define GST_RETRO_TIMEMAP_H

#include <gst/gst.h>

G_BEGIN_DECLS

/**
 * GstRetroTimeMap:
 *
 * output = out_ns + (input - in_ns) × factor: a straight line through a known
 * pair of times.
 */
typedef struct
{
  GstClockTime in_ns, out_ns;
  gdouble factor;
} GstRetroTimeMap;

/* The line through (0, 0). */
void gst_retro_time_map_init (GstRetroTimeMap * map, gdouble factor);

/* The line through (@in_ns, @out_ns). */
void gst_retro_time_map_bend (GstRetroTimeMap * map, GstClockTime in_ns,
    GstClockTime out_ns, gdouble factor);

/* Output time of @in_ns, at least 0; GST_CLOCK_TIME_NONE stays what it is. */
GstClockTime gst_retro_time_map_apply (const GstRetroTimeMap * map,
    GstClockTime in_ns);

/* @time_ns × @factor, rounded; GST_CLOCK_TIME_NONE stays what it is. */
GstClockTime gst_retro_scale_time (GstClockTime time_ns, gdouble factor);

G_END_DECLS
#endif /* GST_RETRO_TIMEMAP_H */
