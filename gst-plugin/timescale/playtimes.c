/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "timescale/play.h"

void
gst_timescale_play_start_times (GstTimeScalePlay * play, const GstSegment * in,
    const GstTimeScaleSettings * settings, const TimeSeek * seek)
{
  TimeSegment segment = {.rate = in->rate,.applied_rate = in->applied_rate,
    .base = in->base,.offset = in->offset,.start = in->start,.stop = in->stop,
    .time = in->time,.position = in->position,.duration = in->duration
  };

  play->in = *in;
  GST_OBJECT_LOCK (play->filter);
  if (seek != NULL)             /* its rate replaces all instant changes */
    play->segments.multiplier = 1;
  timesegment_start (&play->segments, &segment, settings->factor,
      settings->absorb_rate, play->clock.rate);
  timesegment_settle (&play->segments, seek);
  GST_OBJECT_UNLOCK (play->filter);
}

void
gst_timescale_play_note (GstTimeScalePlay * play, GstClockTime in_ns,
    GstClockTime out_ns, GstClockTime tolerance_ns)
{
  GST_OBJECT_LOCK (play->filter);
  timesegment_note (&play->segments, in_ns, out_ns, tolerance_ns);
  GST_OBJECT_UNLOCK (play->filter);
}

GstSegment
gst_timescale_play_make_segment (const GstTimeScalePlay * play)
{
  const TimeSegment *out = &play->segments.output;
  GstSegment segment = play->in;

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
