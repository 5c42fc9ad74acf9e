/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "timescaletimeline.h"

void
time_scale_timeline_reset (TimeScaleTimeline * line, gdouble factor)
{
  line->end_ns = GST_CLOCK_TIME_NONE;
  retro_time_map_init (&line->map, factor);
  retro_time_map_init (&line->base_map, factor);
}

GstClockTime
time_scale_timeline_map (const TimeScaleTimeline * line, GstClockTime in_ns)
{
  return retro_time_map_apply (&line->map, in_ns);
}

static GstClockTime
running_time (const GstSegment * segment, GstClockTime time_ns)
{
  /* the last frame may end a rounding error behind the stop */
  if (GST_CLOCK_TIME_IS_VALID (segment->stop))
    time_ns = MIN (time_ns, segment->stop);
  return gst_segment_to_running_time (segment, GST_FORMAT_TIME, time_ns);
}

/* Upstream counts the running time of what it has sent into the base of the
 * next segment; what has become of that time here may be another factor's. */
static void
follow_base (TimeScaleTimeline * line, gdouble factor)
{
  GstClockTime in_ns, out_ns;

  if (GST_CLOCK_TIME_IS_VALID (line->end_ns)) {
    in_ns = running_time (&line->in, line->end_ns);
    out_ns = running_time (&line->out,
        time_scale_timeline_map (line, line->end_ns));
    if (GST_CLOCK_TIME_IS_VALID (in_ns) && GST_CLOCK_TIME_IS_VALID (out_ns)) {
      retro_time_map_bend (&line->base_map, in_ns, out_ns, factor);
      return;
    }
  }
  line->base_map.factor = factor;
}

void
time_scale_timeline_start (TimeScaleTimeline * line, const GstSegment * in,
    gdouble factor)
{
  GstSegment *out = &line->out;

  follow_base (line, factor);
  retro_time_map_init (&line->map, factor);

  *out = *in;
  out->start = retro_scale_time (in->start, factor);
  out->stop = retro_scale_time (in->stop, factor);
  out->time = retro_scale_time (in->time, factor);
  out->position = retro_scale_time (in->position, factor);
  out->offset = retro_scale_time (in->offset, factor);
  out->duration = retro_scale_time (in->duration, factor);
  out->base = retro_time_map_apply (&line->base_map, in->base);
  line->in = *in;
  line->end_ns = GST_CLOCK_TIME_NONE;
}

void
time_scale_timeline_bend (TimeScaleTimeline * line, GstClockTime in_ns,
    GstClockTime out_ns, gdouble factor, GstClockTime stop_ns)
{
  retro_time_map_bend (&line->map, in_ns, out_ns, factor);
  line->out.stop = stop_ns;
  line->out.duration = retro_scale_time (line->in.duration, factor);
}
