/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Makes the scaler and the times follow settings, curves and rates.
 */

#include "timescale/gsttimescale.h"

/* We read curves this often per second. A sudden change is spread over the time between two
 * readings, so it sounds immediate but doesn't click. */
#define MOVES_PER_SECOND 200

/* ---- times and frames ------------------------------------------------------- */

#define RATE(self) ((guint) GST_AUDIO_INFO_RATE (&(self)->input.info))

static guint64
changes_step_frames (GstTimeScale * self)
{
  return MAX (RATE (self) / MOVES_PER_SECOND, 1);
}

/* Duration of @n_frames, which may end between two frames. 2^-16 frames are less than 1 ns. */
static GstClockTime
changes_duration_of (GstTimeScale * self, gdouble n_frames)
{
  return gst_util_uint64_scale_round ((guint64) (n_frames * 65536 + 0.5),
      GST_SECOND, (guint64) RATE (self) << 16);
}

/* The times at the position of the scaler's state. */
static GstTimeScalePair
changes_pair_of_state (GstTimeScale * self)
{
  return (GstTimeScalePair) {
    self->run_start_ns + changes_duration_of (self, self->state.input_frames),
        self->clock.now_ns + changes_duration_of (self,
        self->unsent_frames + self->state.output_frames)
  };
}

/* The end of the output, if the input ends where its segment does. */
static GstClockTime
changes_expected_stop (GstTimeScale * self)
{
  GstClockTime stop = self->times.in.stop, at;
  guint64 left;

  if (!GST_CLOCK_TIME_IS_VALID (stop))
    return stop;
  at = self->run_start_ns + gst_util_uint64_scale_int
      (self->state.received_frames, GST_SECOND, RATE (self));
  left = gst_util_uint64_scale_ceil (stop - MIN (at, stop), RATE (self),
      GST_SECOND);
  return gst_retro_clock_after (&self->clock, self->unsent_frames
      + timescaler_due (self->scaler, left));
}

/* ---- segments ------------------------------------------------------------------- */

void
gst_time_scale_send_segment (GstTimeScale * self, const GstSegment * segment)
{
  GST_DEBUG_OBJECT (self, "sending segment %" GST_SEGMENT_FORMAT, segment);
  gst_retro_output_send_segment (&self->output, segment, TRUE);
}

static void
changes_announce (GstTimeScale * self)
{
  gst_time_scale_send_segment (self, &self->times.out);
  gst_element_post_message (GST_ELEMENT (self),
      gst_message_new_duration_changed (GST_OBJECT (self)));
}

void
gst_time_scale_enter_segment (GstTimeScale * self)
{
  if (gst_time_scale_times_advance (&self->times, self->clock.now_ns))
    changes_announce (self);
}

void
gst_time_scale_stay_in_segment (GstTimeScale * self)
{
  GstSegment segment;

  gst_time_scale_enter_segment (self);
  /* avoid another segment, because resamplers and encoders start over at it */
  if (!self->has_ramped || !gst_time_scale_times_is_outdated (&self->times,
          self->output.segment.stop, GST_SECOND / RATE (self)))
    return;
  segment = self->times.out;
  if (segment.applied_rate > 0)
    segment.stop = GST_CLOCK_TIME_NONE;
  if (segment.stop != self->output.segment.stop)
    gst_time_scale_send_segment (self, &segment);
}

/* ---- settings ------------------------------------------------------------------- */

GstFlowReturn
gst_time_scale_fail (GstTimeScale * self, TimeDSPStatus status)
{
  if (status == TIMEDSP_NO_MEMORY)
    GST_ELEMENT_ERROR (self, RESOURCE, NO_SPACE_LEFT,
        ("There is not enough memory to scale the audio: close other "
            "programs."), (NULL));
  else
    GST_ELEMENT_ERROR (self, STREAM, FAILED,
        ("The audio is too long to be scaled: split it into parts."),
        ("status %d", status));
  return GST_FLOW_ERROR;
}

void
gst_time_scale_copy_settings (GstTimeScale * self)
{
  GST_RETRO_AUTO_LOCK (self);

  self->now = self->settings;
}

/* Picks up what has been requested since the last call. Returns TRUE if there was anything. Sets
 * *@multiplier to the multiplier of a new instant rate change, or to 0. */
static gboolean
changes_take_changes (GstTimeScale * self, gdouble * multiplier)
{
  gboolean is_changed = g_atomic_int_compare_and_exchange (&self->is_changed,
      TRUE, FALSE);
  GST_RETRO_AUTO_LOCK (self);

  *multiplier = self->new_multiplier == self->times.multiplier ? 0 :
      self->new_multiplier;
  self->new_multiplier = 0;
  return is_changed;
}

TimeDSPStatus
gst_time_scale_configure (GstTimeScale * self)
{
  const GstAudioInfo *info = &self->input.info;
  TimeScalerSettings settings = {
    .audio = {.layout = self->n_planes > 1 ? TIMEDSP_PLANAR :
          TIMEDSP_INTERLEAVED,.interpolation = self->now.interpolation,
          .channels = GST_AUDIO_INFO_CHANNELS (info),
        .quality = self->now.quality},
    .rate = GST_AUDIO_INFO_RATE (info),.factor = self->times.factor,
    .pitch = self->now.pitch,.follows_curve = self->is_curved
  };

  gst_retro_info_dsp_format (info, &settings.audio.format);
  if (self->scaler == NULL && self->store != NULL)
    return timescaler_new_endpoints (&settings,
        self->store->n_frames, &self->scaler, &self->state);
  if (self->scaler == NULL)
    return timescaler_new (&settings, &self->scaler, &self->state);
  return timescaler_configure (self->scaler, &settings, &self->state);
}

void
gst_time_scale_adopt (GstTimeScale * self, GstClockTime in_ns)
{
  gboolean is_new;

  GST_OBJECT_LOCK (self);
  is_new = gst_time_scale_times_adopt (&self->times, self->now.factor, in_ns);
  GST_OBJECT_UNLOCK (self);
  if (is_new)
    changes_announce (self);
}

/* ---- changes during a run ----------------------------------------------------------- */

void
gst_time_scale_correct_times (GstTimeScale * self)
{
  GstClockTime tolerance_ns = GST_SECOND / RATE (self) + 1;
  GstTimeScalePair pair = changes_pair_of_state (self);

  if (pair.in_ns < self->times.line.pair.in_ns)
    return;
  if (gst_retro_clock_apart (gst_time_scale_times_map (&self->times,
              pair.in_ns), pair.out_ns) <= tolerance_ns)
    return;
  GST_RETRO_AUTO_LOCK (self);
  gst_time_scale_times_correct (&self->times, pair, tolerance_ns);
}

/* Ramps the scaler to the settings. @has_new_rate: another segment begins there. */
static GstFlowReturn
changes_ramp (GstTimeScale * self, gboolean has_new_rate)
{
  gdouble old = self->times.factor;
  gdouble factor = gst_time_scale_times_effective (&self->times,
      self->now.factor);
  guint64 n_frames = changes_step_frames (self);
  TimeDSPStatus status;

  /* a sudden change takes at least one step of both the input and the output,
   * at the mean speed of the two factors */
  if (!self->is_curved && factor != old)
    n_frames = (guint64) (n_frames * MAX (1, (1 / old + 1 / factor) / 2));
  status = timescaler_ramp (self->scaler, factor, &self->now.pitch, &n_frames,
      &self->state);
  if (status != TIMEDSP_OK)
    return gst_time_scale_fail (self, status);
  if (has_new_rate)             /* at the nearest frame */
    gst_time_scale_times_begin (&self->times, gst_retro_clock_after
        (&self->clock, (guint64) (self->state.output_frames + 0.5)));
  if (factor == old)
    return GST_FLOW_OK;
  GST_DEBUG_OBJECT (self, "factor %g from frame %g on", factor,
      self->state.input_frames);
  GST_OBJECT_LOCK (self);
  gst_time_scale_times_ramp (&self->times, changes_pair_of_state (self), factor,
      (gdouble) n_frames * GST_SECOND / RATE (self));
  /* we don't know where a curve ends */
  gst_time_scale_times_newest (&self->times)->stop = self->is_curved
      && self->times.out.applied_rate > 0 ? GST_CLOCK_TIME_NONE :
      changes_expected_stop (self);
  GST_OBJECT_UNLOCK (self);
  self->has_ramped = TRUE;
  if (!self->is_curved)
    gst_element_post_message (GST_ELEMENT (self),
        gst_message_new_duration_changed (GST_OBJECT (self)));
  return GST_FLOW_OK;
}

/* Applies the settings. @multiplier: of a new instant rate change, or 0. */
static GstFlowReturn
changes_apply (GstTimeScale * self, gdouble multiplier)
{
  TimeDSPStatus status;

  gst_time_scale_copy_settings (self);
  if (multiplier != 0)
    gst_time_scale_times_multiply (&self->times, multiplier, self->now.factor);
  status = gst_time_scale_configure (self);
  if (status != TIMEDSP_OK)
    return gst_time_scale_fail (self, status);
  gst_time_scale_correct_times (self);
  return changes_ramp (self, multiplier != 0);
}

GstFlowReturn
gst_time_scale_follow_settings (GstTimeScale * self)
{
  gdouble multiplier;

  if (!changes_take_changes (self, &multiplier))
    return GST_FLOW_OK;
  if (!self->is_curved || multiplier != 0)
    return changes_apply (self, multiplier);
  g_atomic_int_set (&self->is_changed, TRUE);   /* in case the curve is removed */
  return GST_FLOW_OK;
}

GstFlowReturn
gst_time_scale_follow_curves (GstTimeScale * self)
{
  GstClockTime in_ns = changes_pair_of_state (self).in_ns;

  self->read_at_frames = self->state.received_frames;
  gst_time_scale_correct_times (self);
  gst_retro_sync_values (GST_OBJECT (self), gst_retro_segment_stream_time
      (&self->times.in, in_ns + changes_duration_of (self,
              changes_step_frames (self))));
  return changes_apply (self, 0);
}

gsize
gst_time_scale_frames_to_reading (GstTimeScale * self)
{
  guint64 step = changes_step_frames (self);
  guint64 past = self->state.received_frames % step;

  return past == 0 && self->state.received_frames != self->read_at_frames ? 0 :
      step - past;
}

void
gst_time_scale_adopt_settings (GstTimeScale * self, GstClockTime in_ns)
{
  gdouble multiplier;

  if (self->is_curved)
    gst_retro_sync_values (GST_OBJECT (self), gst_retro_segment_stream_time
        (&self->times.in, in_ns));
  changes_take_changes (self, &multiplier);
  gst_time_scale_copy_settings (self);
  if (multiplier != 0) {
    gst_time_scale_times_multiply (&self->times, multiplier, self->now.factor);
    gst_time_scale_times_begin (&self->times,
        gst_time_scale_times_map (&self->times, in_ns));
  }
  gst_time_scale_adopt (self, in_ns);
}

/* ---- latency ------------------------------------------------------------------------ */

void
gst_time_scale_report_latency (GstTimeScale * self)
{
  GstClockTime latency_ns = gst_util_uint64_scale_int_ceil
      (self->state.latency_frames, GST_SECOND, RATE (self));
  GstClockTime before = self->latency_ns;

  self->told_latency_frames = self->state.latency_frames;
  if (self->is_curved && before > 0)
    latency_ns = latency_ns > before ? 2 * latency_ns : before;
  if (latency_ns == before)
    return;
  GST_OBJECT_LOCK (self);
  self->latency_ns = latency_ns;
  GST_OBJECT_UNLOCK (self);
  GST_DEBUG_OBJECT (self, "latency %" GST_TIME_FORMAT,
      GST_TIME_ARGS (latency_ns));
  gst_element_post_message (GST_ELEMENT (self),
      gst_message_new_latency (GST_OBJECT (self)));
}
