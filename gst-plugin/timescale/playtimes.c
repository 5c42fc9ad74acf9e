/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "timescale/gsttimescale.h"

void
gst_timescale_start_times (GstTimeScale * self, const GstSegment * in)
{
  TimeSegment segment = {.rate = in->rate,.applied_rate = in->applied_rate,
    .base = in->base,.offset = in->offset,.start = in->start,.stop = in->stop,
    .time = in->time,.position = in->position,.duration = in->duration
  };
  GST_RETRO_AUTO_LOCK (self);

  self->in = *in;
  if (self->rate_is_asked)      /* its rate replaces all instant changes */
    self->segments.multiplier = 1;
  timesegment_start (&self->segments, &segment, self->settings.factor,
      self->settings.absorb_rate, self->clock.rate);
  timesegment_settle (&self->segments,
      self->rate_is_asked ? &self->seek : NULL);
  self->rate_is_asked = FALSE;
}

void
gst_timescale_note (GstTimeScale * self, GstClockTime in_ns,
    GstClockTime out_ns, GstClockTime tolerance_ns)
{
  GST_RETRO_AUTO_LOCK (self);

  timesegment_note (&self->segments, in_ns, out_ns, tolerance_ns);
}

void
gst_timescale_end_times (GstTimeScale * self, GstClockTime in_ns,
    GstClockTime out_ns)
{
  GST_RETRO_AUTO_LOCK (self);

  timesegment_end (&self->segments, in_ns, out_ns,
      GST_SECOND / self->clock.rate + 1);
}

GstSegment
gst_timescale_make_segment (const GstTimeScale * self)
{
  const TimeSegment *out = &self->segments.output;
  GstSegment segment = self->in;

  segment.rate = out->rate;
  segment.applied_rate = out->applied_rate;
  segment.base = out->base;
  segment.offset = out->offset;
  segment.start = out->start;
  segment.stop = out->stop;
  segment.time = out->time;
  segment.position = out->position;
  segment.duration = out->duration;
  return segment;
}
