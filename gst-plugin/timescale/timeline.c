/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "timescale/timeline.h"
#include "common/frameclock.h"

/* What a decoder may make beyond the end that a demuxer has declared, and how far
 * the stop and the duration of a stream are apart: MP4 rounds both to milliseconds. */
#define SURPLUS_FRAMES 2
#define DECLARED_APART_NS (2 * GST_MSECOND)

static TimeDSPLine
line_through (GstClockTime in_ns, GstClockTime out_ns, gdouble factor)
{
  TimeDSPLine line = {.factor = factor };

  line.pair.in = in_ns;
  line.pair.out = out_ns;
  return line;
}

void
gst_timescale_timeline_init (GstTimeScaleTimeline * line, GstObject * owner)
{
  line->owner = owner;
  line->history.pairs = line->pairs;
  line->history.capacity = GST_TIMESCALE_TIMELINE_PAIRS;
  line->history.count = 0;
  line->factor = 1;
  line->absorbed = 1;
  gst_timescale_timeline_reset (line, 1);
}

void
gst_timescale_timeline_forget (GstTimeScaleTimeline * line)
{
  GST_OBJECT_LOCK (line->owner);
  line->history.count = 0;
  GST_OBJECT_UNLOCK (line->owner);
}

GstClockTime
gst_timescale_timeline_to_output (GstTimeScaleTimeline * line,
    GstClockTime in_ns, gdouble factor)
{
  GstClockTime out_ns;

  GST_OBJECT_LOCK (line->owner);
  out_ns = timedsp_timeline_to_output (&line->history, in_ns, factor);
  GST_OBJECT_UNLOCK (line->owner);
  return out_ns;
}

GstClockTime
gst_timescale_timeline_to_input (GstTimeScaleTimeline * line,
    GstClockTime out_ns, gdouble factor)
{
  GstClockTime in_ns;

  GST_OBJECT_LOCK (line->owner);
  in_ns = timedsp_timeline_to_input (&line->history, out_ns, factor);
  GST_OBJECT_UNLOCK (line->owner);
  return in_ns;
}

void
gst_timescale_timeline_reset (GstTimeScaleTimeline * line, gdouble factor)
{
  line->end_ns = GST_CLOCK_TIME_NONE;
  line->multiplier = 1;
  line->map = line_through (0, 0, factor);
  line->base_map = line_through (0, 0, factor);
}

GstClockTime
gst_timescale_timeline_map (const GstTimeScaleTimeline * line,
    GstClockTime in_ns)
{
  return timedsp_line_to_output (&line->map, in_ns);
}

gdouble
gst_timescale_timeline_effective (const GstTimeScaleTimeline * line,
    gdouble factor)
{
  gdouble rate = line->absorbed;

  return timedsp_absorb_rate (factor, &rate);
}

/* The factor of the property, cut to the range that has an effect. */
static gdouble
nominal_factor (const GstTimeScaleTimeline * line)
{
  return line->factor * line->absorbed;
}

static gboolean
is_reverse (const GstTimeScaleTimeline * line)
{
  return line->out.applied_rate < 0;
}

static GstClockTime
running_time (const GstSegment * segment, GstClockTime time_ns)
{
  /* by rounding, the last frame may end behind the stop */
  if (GST_CLOCK_TIME_IS_VALID (segment->stop))
    time_ns = MIN (time_ns, segment->stop);
  return gst_segment_to_running_time (segment, GST_FORMAT_TIME, time_ns);
}

/* The base of the next segment is the running time of everything that upstream has
 * sent. Other factors may have scaled that time, so the line goes through the end of
 * the audio that has been played. */
static void
follow_base (GstTimeScaleTimeline * line, gdouble factor)
{
  GstClockTime in_ns, out_ns;

  if (GST_CLOCK_TIME_IS_VALID (line->end_ns)) {
    in_ns = running_time (&line->in, line->end_ns);
    out_ns = running_time (&line->out,
        gst_timescale_timeline_map (line, line->end_ns));
    if (GST_CLOCK_TIME_IS_VALID (in_ns) && GST_CLOCK_TIME_IS_VALID (out_ns)) {
      line->base_map = line_through (in_ns, out_ns, factor);
      return;
    }
  }
  line->base_map.factor = factor;
}

/* Stream time @in_ns lies at @out_ns. From there on, the property has @factor. */
static void
bend_history (GstTimeScaleTimeline * line, GstClockTime in_ns,
    GstClockTime out_ns, gdouble factor)
{
  GST_OBJECT_LOCK (line->owner);
  timedsp_timeline_bend (&line->history, in_ns, out_ns, factor);
  GST_OBJECT_UNLOCK (line->owner);
}

/* Starts the stream times of a segment. Returns the stream time of its output. */
static GstClockTime
start_history (GstTimeScaleTimeline * line, gdouble factor)
{
  GstClockTime time_ns;

  /* backwards, the end is fixed, and one factor holds all the way to it */
  if (is_reverse (line)) {
    GST_OBJECT_LOCK (line->owner);
    timedsp_timeline_start (&line->history, factor);
    GST_OBJECT_UNLOCK (line->owner);
  }
  time_ns = gst_timescale_timeline_to_output (line, line->in.time, factor);
  if (!is_reverse (line) && GST_CLOCK_TIME_IS_VALID (time_ns))
    bend_history (line, line->in.time, time_ns, factor);
  return time_ns;
}

void
gst_timescale_timeline_start (GstTimeScaleTimeline * line,
    const GstSegment * in, gdouble factor, gboolean absorb,
    gint frames_per_second)
{
  GstSegment *out = &line->out;
  gdouble rate = in->rate * line->multiplier;

  follow_base (line, factor);
  line->absorbed = absorb ? rate : 1;
  line->factor = timedsp_absorb_rate (factor, &line->absorbed);
  line->map = line_through (0, 0, line->factor);
  line->in = *in;
  line->end_ns = GST_CLOCK_TIME_NONE;

  *out = *in;
  out->rate = rate / line->absorbed;
  out->applied_rate = in->applied_rate * line->absorbed;
  out->start = timedsp_scale_time (in->start, line->factor);
  out->stop = timedsp_scale_time (timedsp_last_frame_end (in->start, in->stop,
          frames_per_second), line->factor);
  out->position = timedsp_scale_time (in->position, line->factor);
  out->offset = timedsp_scale_time (in->offset, line->factor);
  out->time = start_history (line, factor);
  out->duration = gst_timescale_timeline_to_output (line, in->duration, factor);
  out->base = timedsp_line_to_output (&line->base_map, in->base);
}

void
gst_timescale_timeline_settle (GstTimeScaleTimeline * line,
    const GstTimeScaleSeek * seek)
{
  const GstSegment *in = &line->in;
  GstSegment *out = &line->out;

  if (!GST_CLOCK_TIME_IS_VALID (in->time) || seek->in_start_ns != in->time)
    return;
  out->time = seek->out_start_ns;
  if (!is_reverse (line))
    bend_history (line, in->time, out->time, nominal_factor (line));
  if (GST_CLOCK_TIME_IS_VALID (in->stop) && seek->out_stop_ns > out->time
      && GST_CLOCK_TIME_IS_VALID (seek->out_stop_ns)
      && ABS (in->applied_rate) == 1.0
      && seek->in_stop_ns - in->time == in->stop - in->start)
    out->stop =
        out->start + timedsp_scale_time (seek->out_stop_ns - out->time,
        1 / ABS (out->applied_rate));
}

void
gst_timescale_timeline_allow_surplus (GstTimeScaleTimeline * line,
    GstClockTime duration_ns, gint frames_per_second)
{
  GstClockTime end_ns;

  if (is_reverse (line) || frames_per_second == 0
      || !GST_CLOCK_TIME_IS_VALID (line->out.stop)
      || !GST_CLOCK_TIME_IS_VALID (duration_ns))
    return;
  end_ns = gst_segment_to_stream_time (&line->in, GST_FORMAT_TIME,
      line->in.stop);
  if (GST_CLOCK_TIME_IS_VALID (end_ns)
      && gst_retro_clock_apart (end_ns, duration_ns) < DECLARED_APART_NS)
    line->out.stop +=
        timedsp_scale_time (gst_util_uint64_scale_int_ceil (SURPLUS_FRAMES,
            GST_SECOND, frames_per_second), line->factor);
}

/* bend_history() for times inside the segment. */
static void
bend_in_segment (GstTimeScaleTimeline * line, GstClockTime in_ns,
    GstClockTime out_ns)
{
  GstClockTime in_time_ns, out_time_ns;

  if (!is_reverse (line)
      && gst_segment_to_stream_time_full (&line->in, GST_FORMAT_TIME, in_ns,
          &in_time_ns) == 1
      && gst_segment_to_stream_time_full (&line->out, GST_FORMAT_TIME, out_ns,
          &out_time_ns) == 1)
    bend_history (line, in_time_ns, out_time_ns, nominal_factor (line));
}

void
gst_timescale_timeline_bend (GstTimeScaleTimeline * line, GstClockTime in_ns,
    GstClockTime out_ns, gdouble factor, GstClockTime stop_ns)
{
  GstSegment *out = &line->out;

  line->factor = factor;
  line->map = line_through (in_ns, out_ns, factor);
  bend_in_segment (line, in_ns, out_ns);
  out->stop = stop_ns;
  if (is_reverse (line))
    out->time = start_history (line, nominal_factor (line));
  out->duration = gst_timescale_timeline_to_output (line, line->in.duration,
      nominal_factor (line));
}

void
gst_timescale_timeline_note (GstTimeScaleTimeline * line, GstClockTime in_ns,
    GstClockTime out_ns, GstClockTime tolerance_ns)
{
  if (gst_retro_clock_apart (gst_timescale_timeline_map (line, in_ns), out_ns)
      <= tolerance_ns)
    return;
  line->map = line_through (in_ns, out_ns, line->factor);
  bend_in_segment (line, in_ns, out_ns);
}

void
gst_timescale_timeline_multiply_rate (GstTimeScaleTimeline * line,
    GstClockTime out_ns, gdouble multiplier)
{
  GstSegment *out = &line->out;
  GstSegment before = *out;

  line->multiplier = multiplier;
  line->absorbed = line->in.rate * multiplier;
  out->rate = 1;
  out->applied_rate = line->in.applied_rate * line->absorbed;
  out->base = running_time (&before, out_ns);
  out->start = out->position = out_ns;
  out->offset = 0;
  if (!is_reverse (line))
    gst_segment_to_stream_time_full (&before, GST_FORMAT_TIME, out_ns,
        &out->time);
}
