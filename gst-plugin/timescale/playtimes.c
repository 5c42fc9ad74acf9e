/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "timescale/gsttimescale.h"

#define GST_CAT_DEFAULT gst_timescale_debug
GST_DEBUG_CATEGORY_EXTERN (gst_timescale_debug);

/* ---- segments ----------------------------------------------------------------- */

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
gst_timescale_end_times (GstTimeScale * self)
{
  GST_RETRO_AUTO_LOCK (self);

  timesegment_end (&self->segments, self->segments.end_ns, self->clock.now_ns,
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

static void
announce_duration (GstTimeScale * self)
{
  gst_element_post_message (GST_ELEMENT (self),
      gst_message_new_duration_changed (GST_OBJECT (self)));
}

void
gst_timescale_announce (GstTimeScale * self)
{
  GstSegment segment = gst_timescale_make_segment (self);

  gst_retro_filter_send_segment (&self->parent, &segment);
  announce_duration (self);
}

guint64
gst_timescale_follow_segments (GstTimeScale * self)
{
  GstClockTime now_ns = self->clock.now_ns;

  if (timesegment_turn (&self->segments, now_ns))
    gst_timescale_announce (self);
  return timesegment_frames_left (&self->segments, now_ns, self->clock.rate);
}

void
gst_timescale_stay_in_segment (GstTimeScale * self)
{
  GstSegment sent;

  gst_timescale_follow_segments (self);
  if (!self->stop_moved || !gst_retro_filter_get_segment (&self->parent, &sent)
      || !timesegment_is_outdated (&self->segments, sent.stop,
          GST_SECOND / self->clock.rate))
    return;
  sent = gst_timescale_make_segment (self);
  if (sent.applied_rate > 0)
    sent.stop = GST_CLOCK_TIME_NONE;
  gst_retro_filter_send_segment (&self->parent, &sent);
}

/* ---- a factor that changes ----------------------------------------------------- */

static GstClockTime
time_of (GstTimeScale * self, gdouble n_frames)
{
  return n_frames * GST_SECOND / self->clock.rate + 0.5;
}

/* A frame of the input as timechain_state() has it, and the frames of output before it. */
static TimeDSPTimePair
times_of (GstTimeScale * self, gdouble in_frame, gdouble held_frames)
{
  TimeDSPTimePair place = {.in = self->run_ns + time_of (self, in_frame),
    .out = self->clock.now_ns + time_of (self, held_frames)
  };

  return place;
}

/* Where the next change would begin: with the next output frame, or behind everything that
 * the stretcher holds, which may be inside a frame. All times from there on follow these two,
 * so that neither is rounded to a frame. */
static TimeDSPTimePair
next_place (GstTimeScale * self)
{
  TimeChainState state;

  timechain_state (self->chain, &state);
  return times_of (self, state.place, state.held_frames);
}

/* Where the last change begins. */
static TimeDSPTimePair
last_move (GstTimeScale * self)
{
  TimeChainState state;

  timechain_state (self->chain, &state);
  return times_of (self, state.move_place, state.move_held_frames);
}

GstClockTime
gst_timescale_note_place (GstTimeScale * self)
{
  TimeDSPTimePair place = next_place (self);
  GST_RETRO_AUTO_LOCK (self);

  timesegment_note (&self->segments, place.in, place.out,
      GST_SECOND / self->clock.rate + 1);
  return place.in;
}

/* Where the output will end. */
static GstClockTime
stop_ns (GstTimeScale * self)
{
  GstClockTime in_stop_ns = self->in.stop, at_ns;
  TimeChainState state;

  if (!GST_CLOCK_TIME_IS_VALID (in_stop_ns))
    return in_stop_ns;
  timechain_state (self->chain, &state);
  at_ns = self->run_ns + gst_util_uint64_scale_int (state.in_frames,
      GST_SECOND, self->clock.rate);
  return gst_retro_clock_after (&self->clock,
      timechain_due (self->chain,
          gst_util_uint64_scale_int_ceil (in_stop_ns - MIN (at_ns, in_stop_ns),
              self->clock.rate, GST_SECOND)));
}

void
gst_timescale_move_times (GstTimeScale * self, gdouble factor, guint64 n_frames,
    gboolean controlled, gboolean turned)
{
  TimeDSPTimePair place = last_move (self);
  gdouble frame_ns = (gdouble) GST_SECOND / self->clock.rate;

  if (turned)                   /* the segment begins with the nearest frame */
    timesegment_begin (&self->segments, gst_retro_clock_after (&self->clock,
            gst_util_uint64_scale_int_round (place.out - self->clock.now_ns,
                self->clock.rate, GST_SECOND)));
  if (factor == self->segments.factor)
    return;
  GST_LOG_OBJECT (self, "factor %g from %" GST_TIME_FORMAT " on",
      factor, GST_TIME_ARGS (place.in));
  GST_OBJECT_LOCK (self);
  timesegment_move (&self->segments, place.in, place.out, factor,
      n_frames * frame_ns);
  GST_OBJECT_UNLOCK (self);
  /* under a curve nobody knows where it ends */
  timesegment_set_stop (&self->segments,
      controlled && self->segments.output.applied_rate > 0 ?
      GST_CLOCK_TIME_NONE : stop_ns (self));
  self->stop_moved = TRUE;
  if (!controlled)
    announce_duration (self);
}
