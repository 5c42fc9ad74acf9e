/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "timescale/times.h"

#include <timescale.h>

/* Decoders output at most this many frames after the end that a demuxer declares. */
#define SURPLUS_FRAMES 2

/* MP4 rounds both stop and duration to a millisecond. */
#define DECLARED_APART_NS (2 * GST_MSECOND)

/* The largest error that we leave in the stop that downstream has, if stream times are counted
 * from it. */
#define POSITION_TOLERANCE_NS (100 * GST_MSECOND)

static gboolean
times_is_reverse (const GstTimeScaleTimes * times)
{
  return times->out.applied_rate < 0;
}

/* The requested factor, as far as it's in range. */
static gdouble
times_nominal_factor (const GstTimeScaleTimes * times)
{
  return times->factor * times->absorbed;
}

/* Returns @factor / *@rate, clamped to the range of factors, and sets *@rate to the part of the
 * rate that is in the result. */
static gdouble
times_absorb (gdouble * rate, gdouble factor)
{
  gdouble wanted = factor / *rate;
  gdouble used = CLAMP (wanted, TIMEDSP_MIN_FACTOR, TIMEDSP_MAX_FACTOR);

  if (used != wanted)
    *rate = factor / used;
  return used;
}

void
gst_time_scale_times_init (GstTimeScaleTimes * times)
{
  gst_segment_init (&times->in, GST_FORMAT_UNDEFINED);
  gst_segment_init (&times->out, GST_FORMAT_UNDEFINED);
  g_queue_init (&times->waiting);
  gst_time_scale_timeline_init (&times->history);
  times->absorbed = times->factor = 1;
  gst_time_scale_times_flush (times, 1, TRUE);
}

void
gst_time_scale_times_clear (GstTimeScaleTimes * times)
{
  g_queue_clear_full (&times->waiting, (GDestroyNotify) gst_segment_free);
  gst_time_scale_timeline_clear (&times->history);
}

GstSegment *
gst_time_scale_times_newest (GstTimeScaleTimes * times)
{
  GstSegment *last = g_queue_peek_tail (&times->waiting);

  return last != NULL ? last : &times->out;
}

/* ---- the beginning of a segment --------------------------------------------- */

/* The running time of @time_ns, where a series of frames ends. The last one may end after the
 * stop, because times are rounded. */
static GstClockTime
times_running_time (const GstSegment * segment, GstClockTime time_ns)
{
  if (GST_CLOCK_TIME_IS_VALID (segment->stop)
      && GST_CLOCK_TIME_IS_VALID (time_ns))
    time_ns = MIN (time_ns, segment->stop);
  return gst_segment_to_running_time (segment, GST_FORMAT_TIME, time_ns);
}

/* Makes the map of running times continue where the output ended. */
static void
times_follow_running_time (GstTimeScaleTimes * times, gdouble factor)
{
  GstTimeScalePair ends = times->running.pair;

  if (GST_CLOCK_TIME_IS_VALID (times->end_ns)) {
    ends.in_ns = times_running_time (&times->in, times->end_ns);
    ends.out_ns = times_running_time (gst_time_scale_times_newest (times),
        gst_time_scale_times_map (times, times->end_ns));
  }
  if (!GST_CLOCK_TIME_IS_VALID (ends.in_ns)
      || !GST_CLOCK_TIME_IS_VALID (ends.out_ns))
    ends = times->running.pair;
  times->running = gst_time_scale_line (ends.in_ns, ends.out_ns, factor);
}

void
gst_time_scale_times_flush (GstTimeScaleTimes * times, gdouble factor,
    gboolean reset_running)
{
  if (reset_running)
    times->running = gst_time_scale_line (0, 0, factor);
  else
    times_follow_running_time (times, factor);
  times->end_ns = GST_CLOCK_TIME_NONE;
  times->multiplier = 1;
  times->line = gst_time_scale_line (0, 0, factor);
  g_queue_clear_full (&times->waiting, (GDestroyNotify) gst_segment_free);
}

/* The end of the last frame that we play in the segment. A stop inside a frame comes from a
 * rounded duration or from a seek, so we play that frame to its end, unless only 1 ns of it is
 * before the stop. */
static GstClockTime
times_last_frame_end (const GstSegment * segment, gint rate)
{
  GstClockTime start = segment->start, stop = segment->stop, nearest_ns;
  guint64 n_frames;

  if (!GST_CLOCK_TIME_IS_VALID (stop) || start >= stop || rate <= 0)
    return stop;
  n_frames = gst_util_uint64_scale_ceil (stop - start - 1, rate, GST_SECOND);
  nearest_ns = gst_util_uint64_scale_int (gst_util_uint64_scale_round (start,
          rate, GST_SECOND), GST_SECOND, rate);
  if (gst_retro_clock_apart (start, nearest_ns) > 1)
    n_frames++;
  return MAX (stop, start + gst_util_uint64_scale_int (n_frames, GST_SECOND,
          rate));
}

/* Begins a segment in the history. Returns the stream time where its output starts. If the audio
 * is reversed, the end is fixed, and a single factor applies to all of it. */
static GstClockTime
times_start_history (GstTimeScaleTimes * times, gdouble factor)
{
  GstClockTime in_ns = times->in.time, out_ns;

  if (times_is_reverse (times))
    gst_time_scale_timeline_start (&times->history, factor);
  out_ns = gst_time_scale_timeline_map (&times->history, in_ns, factor);
  if (!times_is_reverse (times) && GST_CLOCK_TIME_IS_VALID (out_ns))
    gst_time_scale_timeline_bend (&times->history, in_ns, out_ns, factor);
  return out_ns;
}

void
gst_time_scale_times_start (GstTimeScaleTimes * times, const GstSegment * in,
    gdouble factor, gboolean absorbs, gint rate)
{
  GstSegment *out = &times->out;
  gdouble speed = in->rate * times->multiplier;

  times_follow_running_time (times, factor);
  g_queue_clear_full (&times->waiting, (GDestroyNotify) gst_segment_free);
  times->absorbed = absorbs ? speed : 1;
  times->factor = times_absorb (&times->absorbed, factor);
  times->line = gst_time_scale_line (0, 0, times->factor);
  times->end_ns = GST_CLOCK_TIME_NONE;
  times->in = *out = *in;
  out->rate = speed / times->absorbed;
  out->applied_rate = in->applied_rate * times->absorbed;
  out->start = timedsp_scale_time (in->start, times->factor);
  out->stop =
      timedsp_scale_time (times_last_frame_end (in, rate), times->factor);
  out->position = timedsp_scale_time (in->position, times->factor);
  out->offset = timedsp_scale_time (in->offset, times->factor);
  out->time = times_start_history (times, factor);
  out->duration = gst_time_scale_timeline_map (&times->history, in->duration,
      factor);
  out->base = gst_time_scale_line_map (&times->running, in->base);
}

void
gst_time_scale_times_answer (GstTimeScaleTimes * times,
    const GstTimeScaleSeek * seek)
{
  GstSegment *in = &times->in, *out = &times->out;

  if (!GST_CLOCK_TIME_IS_VALID (in->time) || seek->in_start_ns != in->time)
    return;
  out->time = seek->out_start_ns;
  if (!times_is_reverse (times))
    gst_time_scale_timeline_bend (&times->history, in->time, out->time,
        times_nominal_factor (times));
  if (GST_CLOCK_TIME_IS_VALID (in->stop)
      && GST_CLOCK_TIME_IS_VALID (seek->out_stop_ns)
      && seek->out_stop_ns > out->time && ABS (in->applied_rate) == 1
      && seek->in_stop_ns - in->time == in->stop - in->start)
    out->stop =
        out->start + timedsp_scale_time (seek->out_stop_ns - out->time,
        1 / ABS (out->applied_rate));
}

void
gst_time_scale_times_allow_surplus (GstTimeScaleTimes * times,
    GstClockTime duration_ns, gint rate)
{
  const GstSegment *in = &times->in;
  GstClockTime end_ns;

  if (times_is_reverse (times) || rate <= 0
      || !GST_CLOCK_TIME_IS_VALID (times->out.stop)
      || !GST_CLOCK_TIME_IS_VALID (duration_ns) || in->stop < in->start)
    return;
  end_ns = gst_segment_to_stream_time (in, GST_FORMAT_TIME, in->stop);
  if (GST_CLOCK_TIME_IS_VALID (end_ns)
      && gst_retro_clock_apart (end_ns, duration_ns) < DECLARED_APART_NS)
    times->out.stop +=
        timedsp_scale_time (gst_util_uint64_scale_int_ceil
        (SURPLUS_FRAMES, GST_SECOND, rate), times->factor);
}

/* ---- changes of the factor -------------------------------------------------- */

gdouble
gst_time_scale_times_effective (const GstTimeScaleTimes * times, gdouble factor)
{
  gdouble rate = times->absorbed;

  return times_absorb (&rate, factor);
}

/* Stream time of @time_ns, even outside @segment, or NONE if it's unknown or below 0. */
static GstClockTime
times_stream_time (const GstSegment * segment, GstClockTime time_ns)
{
  guint64 time;

  if (!GST_CLOCK_TIME_IS_VALID (segment->time)
      || gst_segment_to_stream_time_full (segment, GST_FORMAT_TIME, time_ns,
          &time) != 1)
    return GST_CLOCK_TIME_NONE;
  return time;
}

static void
times_bend_history (GstTimeScaleTimes * times, GstTimeScalePair at)
{
  GstClockTime in_ns = times_stream_time (&times->in, at.in_ns);
  GstClockTime out_ns = times_stream_time (gst_time_scale_times_newest (times),
      at.out_ns);

  if (!times_is_reverse (times) && GST_CLOCK_TIME_IS_VALID (in_ns)
      && GST_CLOCK_TIME_IS_VALID (out_ns))
    gst_time_scale_timeline_bend (&times->history, in_ns, out_ns,
        times_nominal_factor (times));
}

static void
times_bend (GstTimeScaleTimes * times, GstTimeScalePair at, gdouble factor)
{
  GstSegment *newest = gst_time_scale_times_newest (times);

  times->factor = factor;
  times->line = gst_time_scale_line (at.in_ns, at.out_ns, factor);
  times_bend_history (times, at);
  if (times_is_reverse (times))
    newest->time = times_start_history (times, times_nominal_factor (times));
  newest->duration = gst_time_scale_timeline_map (&times->history,
      times->in.duration, times_nominal_factor (times));
}

gboolean
gst_time_scale_times_adopt (GstTimeScaleTimes * times, gdouble factor,
    GstClockTime in_ns)
{
  gdouble wanted = gst_time_scale_times_effective (times, factor);
  GstTimeScalePair at = { in_ns, gst_time_scale_times_map (times, in_ns) };
  GstSegment *newest;

  if (wanted == times->factor)
    return FALSE;
  /* all earlier output has been sent */
  gst_time_scale_times_advance (times, GST_CLOCK_TIME_NONE);
  times_bend (times, at, wanted);
  newest = gst_time_scale_times_newest (times);
  if (GST_CLOCK_TIME_IS_VALID (newest->stop))
    newest->stop = gst_time_scale_times_map (times, times->in.stop);
  return TRUE;
}

void
gst_time_scale_times_ramp (GstTimeScaleTimes * times, GstTimeScalePair at,
    gdouble factor, gdouble ramp_in_ns)
{
  gdouble ramp_out_ns = 2 * ramp_in_ns / (1 / times->factor + 1 / factor);
  GstTimeScalePair end = { at.in_ns + (GstClockTime) ramp_in_ns,
    at.out_ns + (GstClockTime) ramp_out_ns
  };

  times_bend (times, at, factor);
  gst_time_scale_times_correct (times, end, 0);
}

void
gst_time_scale_times_correct (GstTimeScaleTimes * times, GstTimeScalePair pair,
    GstClockTime tolerance_ns)
{
  if (gst_retro_clock_apart (gst_time_scale_times_map (times, pair.in_ns),
          pair.out_ns) <= tolerance_ns)
    return;
  times->line = gst_time_scale_line (pair.in_ns, pair.out_ns, times->factor);
  times_bend_history (times, pair);
}

/* ---- changes of the rate ------------------------------------------------------ */

void
gst_time_scale_times_multiply (GstTimeScaleTimes * times, gdouble multiplier,
    gdouble factor)
{
  times->multiplier = multiplier;
  times->absorbed = times->in.rate * multiplier;
  times_absorb (&times->absorbed, factor);
}

void
gst_time_scale_times_begin (GstTimeScaleTimes * times, GstClockTime out_ns)
{
  GstSegment *newest = gst_time_scale_times_newest (times);
  GstSegment next = *newest;
  GstClockTime time_ns = times_stream_time (newest, out_ns);

  next.rate = times->in.rate * times->multiplier / times->absorbed;
  next.applied_rate = times->in.applied_rate * times->absorbed;
  next.base = times_running_time (newest, out_ns);
  next.start = next.position = out_ns;
  next.offset = 0;
  if (!times_is_reverse (times) && GST_CLOCK_TIME_IS_VALID (time_ns))
    next.time = time_ns;
  if (newest != &times->out && newest->start == out_ns)
    *newest = next;
  else
    g_queue_push_tail (&times->waiting, gst_segment_copy (&next));
}

gboolean
gst_time_scale_times_advance (GstTimeScaleTimes * times, GstClockTime out_ns)
{
  gboolean advances = FALSE;
  GstSegment *next;

  while ((next = g_queue_peek_head (&times->waiting)) != NULL
      && next->start <= out_ns) {
    times->out = *next;
    gst_segment_free (g_queue_pop_head (&times->waiting));
    advances = TRUE;
  }
  return advances;
}

guint64
gst_time_scale_times_frames_left (const GstTimeScaleTimes * times,
    GstClockTime out_ns, gint rate)
{
  const GstSegment *next = times->waiting.head ? times->waiting.head->data :
      NULL;
  guint64 n_frames;

  if (next == NULL || next->start <= out_ns)
    return G_MAXUINT64;
  /* both times are rounded down to a nanosecond */
  n_frames = gst_util_uint64_scale_round (next->start - out_ns, rate,
      GST_SECOND);
  return MAX (n_frames, 1);
}

void
gst_time_scale_times_end (GstTimeScaleTimes * times, GstTimeScalePair pair,
    GstClockTime tolerance_ns)
{
  GstSegment last = *gst_time_scale_times_newest (times), *newest;
  gboolean is_early = FALSE;

  while ((newest = g_queue_peek_tail (&times->waiting)) != NULL
      && newest->start > pair.out_ns) {
    gst_segment_free (g_queue_pop_tail (&times->waiting));
    is_early = TRUE;
  }
  if (is_early) {
    gst_time_scale_times_begin (times, pair.out_ns);
    newest = gst_time_scale_times_newest (times);
    newest->stop = last.stop;
    if (times_is_reverse (times))       /* stream time is counted from the stop */
      newest->time = last.time;
  }
  gst_time_scale_times_correct (times, pair, tolerance_ns);
}

gboolean
gst_time_scale_times_is_outdated (const GstTimeScaleTimes * times,
    GstClockTime sent_stop_ns, GstClockTime frame_ns)
{
  if (!GST_CLOCK_TIME_IS_VALID (sent_stop_ns) || times->waiting.length > 0)
    return FALSE;
  if (gst_time_scale_times_map (times, times->end_ns) > sent_stop_ns + frame_ns)
    return TRUE;
  return times_is_reverse (times) && gst_retro_clock_apart (sent_stop_ns,
      times->out.stop) > POSITION_TOLERANCE_NS;
}
