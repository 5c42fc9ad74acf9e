/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "timescale/play.h"

GstClockTime
gst_timescale_play_to_output (GstTimeScalePlay * play, GstClockTime in_ns)
{
  GST_RETRO_AUTO_LOCK (play->filter);

  return timedsp_timeline_to_output (&play->segments.history, in_ns,
      play->settings->factor);
}

GstClockTime
gst_timescale_play_to_input (GstTimeScalePlay * play, GstClockTime out_ns)
{
  GST_RETRO_AUTO_LOCK (play->filter);

  return timedsp_timeline_to_input (&play->segments.history, out_ns,
      play->settings->factor);
}

void
gst_timescale_play_forget_times (GstTimeScalePlay * play)
{
  GST_OBJECT_LOCK (play->filter);
  play->segments.history.count = 0;
  GST_OBJECT_UNLOCK (play->filter);
}

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
