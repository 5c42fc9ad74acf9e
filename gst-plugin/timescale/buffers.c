/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Takes one buffer at a time, and makes its output. The scaler and the times follow settings, curves
 * and rates.
 */

#include "timescale/gsttimescale.h"

#include <string.h>

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

/* Sends the waiting segment, and the current one again if downstream would clip audio at its
 * stop. */
static void
changes_stay_in_segment (GstTimeScale * self)
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

static GstFlowReturn
changes_fail (GstTimeScale * self, TimeDSPStatus status)
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

/* If the map of times is off by more than a frame, corrects it. During a change, waits for the end
 * of the change. */
static void
changes_correct_times (GstTimeScale * self)
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
    return changes_fail (self, status);
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
    return changes_fail (self, status);
  changes_correct_times (self);
  return changes_ramp (self, multiplier != 0);
}

/* Applies settings that have changed during the run. While a curve is followed, only a new rate
 * counts, because the next reading applies the settings. */
static GstFlowReturn
changes_follow_settings (GstTimeScale * self)
{
  gdouble multiplier;

  if (!changes_take_changes (self, &multiplier))
    return GST_FLOW_OK;
  if (!self->is_curved || multiplier != 0)
    return changes_apply (self, multiplier);
  g_atomic_int_set (&self->is_changed, TRUE);   /* in case the curve is removed */
  return GST_FLOW_OK;
}

/* Reads the curves, and moves towards their values at the next reading. */
static GstFlowReturn
changes_follow_curves (GstTimeScale * self)
{
  GstClockTime in_ns = changes_pair_of_state (self).in_ns;

  self->read_at_frames = self->state.received_frames;
  changes_correct_times (self);
  gst_retro_sync_values (GST_OBJECT (self), gst_retro_segment_stream_time
      (&self->times.in, in_ns + changes_duration_of (self,
              changes_step_frames (self))));
  return changes_apply (self, 0);
}

/* The number of frames to the next reading of the curves. 0: they have to be read at the next
 * frame. Readings are counted from the start of the run, so the output doesn't depend on how the
 * input is divided into buffers. */
static gsize
changes_frames_to_reading (GstTimeScale * self)
{
  guint64 step = changes_step_frames (self);
  guint64 past = self->state.received_frames % step;

  return past == 0 && self->state.received_frames != self->read_at_frames ? 0 :
      step - past;
}

/* Reads the curves, the settings and the rate, and adopts them at @in_ns. */
static void
changes_adopt_settings (GstTimeScale * self, GstClockTime in_ns)
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

/* Reports the latency of the scaler. While a curve sets the factor, the latency may grow in many
 * small steps. We then report twice as much, so that we don't have to report often. */
static void
changes_report_latency (GstTimeScale * self)
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

/* ---- buffers --------------------------------------------------------------- */

static GstFlowReturn
buffers_fail_to_map (GstTimeScale * self)
{
  GST_ELEMENT_ERROR (self, STREAM, FORMAT,
      ("The audio does not match its caps, or there is not enough memory: "
          "check the element before %s.", GST_OBJECT_NAME (self)),
      ("could not map a buffer"));
  return GST_FLOW_ERROR;
}

/* ---- buffers that pass ---------------------------------------------------------------- */

/* Records the frames of a buffer that passes unchanged. Returns FALSE if it can't pass. */
static gboolean
buffers_record_frames (GstTimeScale * self)
{
  gboolean silent = GST_BUFFER_FLAG_IS_SET (self->buffer, GST_BUFFER_FLAG_GAP);
  GstAudioBuffer audio;
  TimeDSPStatus status;
  GstMemory *memory;
  GstMapInfo map;

  if (GST_AUDIO_INFO_LAYOUT (&self->input.info) ==
      GST_AUDIO_LAYOUT_INTERLEAVED && gst_buffer_n_memory (self->buffer) == 1) {
    /* quicker than gst_audio_buffer_map(), and mapping is a large part of what
     * passing costs */
    memory = gst_buffer_peek_memory (self->buffer, 0);
    if (!gst_memory_map (memory, &map, GST_MAP_READ))
      return FALSE;
    status = timescaler_pass (self->scaler, (const void *const[]) { map.data },
        self->buffer_frames, silent, &self->state);
    gst_memory_unmap (memory, &map);
    return status == TIMEDSP_OK;
  }
  if (!gst_audio_buffer_map (&audio, &self->input.info, self->buffer,
          GST_MAP_READ))
    return FALSE;
  status = timescaler_pass (self->scaler, (const void *const *) audio.planes,
      self->buffer_frames, silent, &self->state);
  gst_audio_buffer_unmap (&audio);
  return status == TIMEDSP_OK;
}

/* Outputs the whole buffer as it is, if the scaler doesn't change anything. */
static gboolean
buffers_pass (GstTimeScale * self, GstBuffer ** buffer)
{
  if (self->is_mapped || !buffers_record_frames (self))
    return FALSE;
  *buffer = g_steal_pointer (&self->buffer);
  /* if the header is right already, we needn't make the buffer writable */
  if (GST_BUFFER_PTS (*buffer) == self->clock.now_ns
      && GST_BUFFER_DURATION_IS_VALID (*buffer)
      && GST_BUFFER_OFFSET_IS_VALID (*buffer)
      && GST_BUFFER_OFFSET_END_IS_VALID (*buffer)
      && (!self->clock.discont || GST_BUFFER_IS_DISCONT (*buffer))) {
    gst_retro_clock_advance (&self->clock, self->buffer_frames);
  } else {
    *buffer = gst_buffer_make_writable (*buffer);
    gst_retro_clock_stamp (&self->clock, *buffer, self->buffer_frames);
  }
  return TRUE;
}

static GstFlowReturn
buffers_push (GstTimeScale * self, GstBuffer * buffer)
{
  return gst_pad_push (self->output.pad, gst_retro_output_place (&self->output,
          buffer, self->clock.now_ns));
}

/* ---- buffers that are scaled ------------------------------------------------------------ */

/* Stamps the first @n_frames frames of @buffer (transfer full), and drops the others. @is_gap:
 * whether all of them are silent. */
static GstBuffer *
buffers_finish_output (GstTimeScale * self, GstBuffer * buffer, gsize n_frames,
    gboolean is_gap)
{
  gsize bpf = GST_AUDIO_INFO_BPF (&self->input.info);

  if (n_frames == 0) {
    gst_buffer_unref (buffer);
    return NULL;
  }
  if (gst_buffer_get_audio_meta (buffer) != NULL)
    buffer = gst_audio_buffer_truncate (buffer, bpf, 0, n_frames);
  else                          /* gst_audio_buffer_truncate() would allocate another
                                 * buffer */
    gst_buffer_set_size (buffer, n_frames * bpf);
  if (self->buffer != NULL) {
    gst_buffer_copy_into (buffer, self->buffer, GST_BUFFER_COPY_FLAGS, 0, -1);
    GST_BUFFER_FLAG_UNSET (buffer, GST_BUFFER_FLAG_GAP);
    gst_retro_buffer_copy_metas (buffer, self->buffer, self->used_frames == 0);
  }
  if (is_gap)
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_GAP);
  gst_retro_clock_stamp (&self->clock, buffer, n_frames);
  return buffer;
}

static void
buffers_skip (GstTimeScale * self, const guint8 ** planes, gsize n_frames)
{
  guint p;

  for (p = 0; planes != NULL && p < self->n_planes; p++)
    planes[p] += n_frames * self->stride;
}

/* Calls the scaler once. Moves @in and @out past the frames. */
static TimeDSPStatus
buffers_run_scaler (GstTimeScale * self, const guint8 ** in, gsize n_frames,
    gboolean silent, gpointer * out, gsize capacity)
{
  TimeScalerState *state = &self->state;
  TimeDSPStatus status = in == NULL ?
      timescaler_drain (self->scaler, (void *const *) out, capacity, state) :
      timescaler_process (self->scaler, (const void *const *) in, n_frames,
      silent, (void *const *) out, capacity, state);

  if (status == TIMEDSP_OK) {
    buffers_skip (self, in, state->frames_consumed);
    buffers_skip (self, (const guint8 **) out, state->frames_produced);
  }
  return status;
}

/* Reads @n_frames frames at @in, and sets *@buffer (nullable) to their output, at most
 * `longest_frames`. Sets `state`, and sets @used to the number of frames that were read. @in NULL:
 * the input has ended. */
static GstFlowReturn
buffers_run (GstTimeScale * self, const guint8 ** in, gsize n_frames,
    gsize * used, GstBuffer ** buffer)
{
  gboolean silent = self->buffer != NULL
      && GST_BUFFER_FLAG_IS_SET (self->buffer, GST_BUFFER_FLAG_GAP);
  gpointer *out = g_newa (gpointer, self->n_planes);
  GstFlowReturn ret = GST_FLOW_OK;
  gboolean is_gap = TRUE;
  TimeDSPStatus status;
  GstBuffer *made;
  gsize capacity, room;
  guint64 left;

  *buffer = NULL;
  *used = 0;
  /* the buffer ends where the next segment begins, if not before */
  left = gst_time_scale_times_frames_left (&self->times, self->clock.now_ns,
      GST_AUDIO_INFO_RATE (&self->input.info));
  room = timescaler_room (self->scaler, n_frames);
  capacity = MIN (MIN (room, self->longest_frames), left);
  made = gst_retro_buffer_new (&self->input.info, capacity, out);
  if (made == NULL)
    return changes_fail (self, TIMEDSP_NO_MEMORY);
  room = capacity;
  self->unsent_frames = 0;
  do {
    gsize count = n_frames - *used;

    if (self->is_curved && in != NULL) {
      /* the output of all earlier frames comes first */
      if (changes_frames_to_reading (self) == 0 && !self->state.has_more
          && (ret = changes_follow_curves (self)) != GST_FLOW_OK)
        break;
      count = MIN (count, changes_frames_to_reading (self));
    }
    status = buffers_run_scaler (self, in, count, silent, out, room);
    if (status != TIMEDSP_OK) {
      ret = changes_fail (self, status);
      break;
    }
    *used += self->state.frames_consumed;
    is_gap &= self->state.frames_produced == 0 || self->state.is_gap;
    room -= self->state.frames_produced;
    self->unsent_frames = capacity - room;
  } while (room > 0 && (*used < n_frames || self->state.has_more));
  self->unsent_frames = 0;
  if (ret == GST_FLOW_OK)
    *buffer = buffers_finish_output (self, made, capacity - room, is_gap);
  else
    gst_buffer_unref (made);
  return ret;
}

static void
buffers_forget_buffer (GstTimeScale * self)
{
  if (self->is_mapped)
    gst_audio_buffer_unmap (&self->audio);
  self->is_mapped = FALSE;
  gst_clear_buffer (&self->buffer);
}

/* Scales the next piece of the buffer. *@out stays NULL if there's no output yet. */
static GstFlowReturn
buffers_scale_piece (GstTimeScale * self, GstBuffer ** out)
{
  const guint8 **in = g_newa (const guint8 *, self->n_planes);
  gsize n_frames = self->buffer_frames - self->used_frames;
  gsize piece = CLAMP (self->buffer_frames / 4,
      (guint) GST_AUDIO_INFO_RATE (&self->input.info) / 100,
      self->longest_frames);
  gsize used, silence = self->state.frames_before_gap;
  GstFlowReturn ret;
  guint p;

  self->is_mapped = self->is_mapped || gst_audio_buffer_map (&self->audio,
      &self->input.info, self->buffer, GST_MAP_READ);
  if (!self->is_mapped)
    return buffers_fail_to_map (self);
  for (p = 0; p < self->n_planes; p++)
    in[p] = (const guint8 *) GST_AUDIO_BUFFER_PLANE_DATA (&self->audio, p)
        + self->used_frames * self->stride;
  /* we scale a long buffer in pieces of a quarter of its duration, but between 10 and 100 ms, so
   * that you hear changes soon */
  if (self->buffer_frames * self->times.factor > self->longest_frames)
    n_frames = MIN (MAX ((gsize) (piece / self->times.factor), 1), n_frames);
  /* an output buffer is either a gap as a whole, or not at all */
  if (silence > 0 && GST_BUFFER_FLAG_IS_SET (self->buffer, GST_BUFFER_FLAG_GAP))
    n_frames = MIN (n_frames, silence);
  ret = buffers_run (self, in, n_frames, &used, out);
  if (ret != GST_FLOW_OK)
    return ret;
  self->used_frames += used;
  if (self->used_frames == self->buffer_frames && !self->state.has_more)
    buffers_forget_buffer (self);
  return GST_FLOW_OK;
}

/* Returns TRUE if a buffer may pass, and there's nothing else to do. */
static gboolean
buffers_can_pass (GstTimeScale * self)
{
  return !self->begins_run && self->state.may_pass && !self->has_ramped
      && self->buffer == NULL && gst_retro_clock_is_running (&self->clock)
      && !self->is_keeping && self->times.waiting.length == 0
      && !g_atomic_int_get (&self->is_changed)
      && GST_OBJECT (self)->control_bindings == NULL
      && !GST_PAD_NEEDS_RECONFIGURE (self->output.pad);
}

/* Clips *@buffer to the segment, reverses it if upstream plays backwards, and finds out whether
 * it continues the stream. Sets it to NULL if nothing is left. */
static GstFlowReturn
buffers_normalize (GstTimeScale * self, GstBuffer ** buffer)
{
  GstRetroInput *input = &self->input;
  GstSegment segment;

  if (!GST_AUDIO_INFO_IS_VALID (&input->info)) {
    gst_clear_buffer (buffer);
    return GST_FLOW_NOT_NEGOTIATED;
  }
  if (gst_retro_input_awaits_stop (input))
    gst_time_scale_learn_stop (self, gst_retro_input_buffer_end (input,
            *buffer));
  if (!gst_retro_input_accept (input, buffer, &self->buffer_frames))
    return buffers_fail_to_map (self);
  if (*buffer == NULL)
    return GST_FLOW_OK;
  self->begins_run = input->clock.discont;
  self->buffer_ns = input->clock.now_ns;
  gst_retro_clock_advance (&input->clock, self->buffer_frames);
  if (gst_retro_output_must_open (&self->output, input, &segment))
    gst_time_scale_send_segment (self, &segment);
  return GST_FLOW_OK;
}

/* Normalizes a buffer before GstBaseTransform gets it. We can't do this in submit_input_buffer(),
 * because GstBaseTransform would mark the next output as DISCONT for every DISCONT in the input,
 * even if no frames are missing. A buffer that passes doesn't need GstBaseTransform at all, so it
 * costs little more than with identity. */
GstFlowReturn
gst_time_scale_chain (GstPad * pad, GstObject * parent, GstBuffer * buffer)
{
  GstTimeScale *self = GST_TIME_SCALE (parent);
  GstFlowReturn ret;

  if (self->is_untimed && !self->is_refused && gst_time_scale_is_inert (self))
    return gst_pad_push (self->output.pad, buffer);
  if (self->input.segment.format != GST_FORMAT_TIME) {
    gst_buffer_unref (buffer);
    return self->is_untimed ? gst_time_scale_fail_untimed (self) :
        GST_FLOW_NOT_NEGOTIATED;
  }
  ret = buffers_normalize (self, &buffer);
  if (buffer == NULL)
    return ret;
  if (GST_BUFFER_IS_DISCONT (buffer) && !self->begins_run) {
    buffer = gst_buffer_make_writable (buffer);
    GST_BUFFER_FLAG_UNSET (buffer, GST_BUFFER_FLAG_DISCONT);
  }
  if (!buffers_can_pass (self))
    return self->base_chain (pad, parent, buffer);
  self->buffer = buffer;
  self->used_frames = 0;
  if (buffers_pass (self, &buffer)) {
    self->times.end_ns = self->input.clock.now_ns;
    return buffers_push (self, buffer);
  }
  return self->base_chain (pad, parent, g_steal_pointer (&self->buffer));
}

/* ---- alignment=endpoints: the length of a run must be known first ---------------- */

gboolean
gst_time_scale_wants_keeping (GstTimeScale * self)
{
  const TimePitch *pitch = &self->now.pitch;

  /* a stretcher doesn't interpolate between frames */
  return self->now.keeps_endpoints && !pitch->kept
      && pitch->semitones == 0 && pitch->formants == TIMECHAIN_FORMANTS_FOLLOW
      && pitch->formant_semitones == 0;
}

static GstFlowReturn
endpoints_fail (GstTimeScale * self, GError * error)
{
  gst_element_message_full (GST_ELEMENT (self), GST_MESSAGE_ERROR,
      error->domain, error->code, g_strdup (error->message), NULL, __FILE__,
      GST_FUNCTION, __LINE__);
  g_error_free (error);
  return GST_FLOW_ERROR;
}

/* Keeps the frames of `buffer` until the end. */
static GstFlowReturn
endpoints_keep (GstTimeScale * self)
{
  GError *error = NULL;

  GST_OBJECT_LOCK (self);
  if (self->store == NULL)
    self->store = gst_retro_store_new (&self->input.info,
        self->settings.storage.max_memory_bytes,
        self->settings.storage.spill_directory);
  GST_OBJECT_UNLOCK (self);
  /* the last settings apply to the whole run */
  gst_time_scale_copy_settings (self);
  gst_time_scale_adopt (self, self->run_start_ns);
  gst_retro_store_append (self->store, self->buffer, 0, self->buffer_frames,
      &error);
  gst_clear_buffer (&self->buffer);
  return error == NULL ? GST_FLOW_OK : endpoints_fail (self, error);
}

/* Scales and sends all frames that were kept. */
static GstFlowReturn
endpoints_send_all (GstTimeScale * self)
{
  guint64 n_frames = self->store->n_frames, first = 0;
  const guint8 **in = g_newa (const guint8 *, self->n_planes);
  GstFlowReturn ret = GST_FLOW_OK;
  GError *error = NULL;
  GstRetroSpan span;
  GstBuffer *buffer;
  gsize used;

  for (; ret == GST_FLOW_OK && first < n_frames; first += used) {
    if (!gst_retro_store_read (self->store, first, FALSE, &span, &error))
      return endpoints_fail (self, error);
    memcpy (in, span.planes, self->n_planes * sizeof *in);
    ret = buffers_run (self, in, span.n_frames, &used, &buffer);
    if (buffer != NULL)
      ret = buffers_push (self, buffer);
  }
  return ret;
}

static GstFlowReturn
endpoints_drain (GstTimeScale * self)
{
  GstFlowReturn ret;
  TimeDSPStatus status;

  gst_time_scale_copy_settings (self);
  gst_time_scale_adopt (self, self->run_start_ns);
  self->is_keeping = FALSE;
  self->is_curved = FALSE;
  g_clear_pointer (&self->scaler, timescaler_free);
  status = gst_time_scale_configure (self);
  ret = status == TIMEDSP_OK ? endpoints_send_all (self) :
      changes_fail (self, status);
  if (ret == GST_FLOW_OK)
    ret = gst_time_scale_drain (self);
  g_clear_pointer (&self->scaler, timescaler_free);
  g_clear_pointer (&self->store, gst_retro_store_free);
  gst_retro_clock_stop (&self->clock);
  return ret;
}

/* ---- one buffer in, its output --------------------------------------------------------- */

GstFlowReturn
gst_time_scale_submit_input_buffer (GstBaseTransform * trans,
    gboolean is_discont, GstBuffer * buffer)
{
  GstTimeScale *self = GST_TIME_SCALE (trans);
  GstFlowReturn ret = self->base_submit (trans, is_discont, buffer);
  TimeDSPStatus status = TIMEDSP_OK;

  if (ret != GST_FLOW_OK)
    return ret;
  GST_LOG_OBJECT (self, "received %" GST_PTR_FORMAT, trans->queued_buf);
  if (self->begins_run && (ret = gst_time_scale_drain (self)) != GST_FLOW_OK) {
    gst_clear_buffer (&trans->queued_buf);
    return ret;
  }
  if (self->buffer != NULL)
    buffers_forget_buffer (self);
  self->buffer = trans->queued_buf;
  trans->queued_buf = NULL;
  self->used_frames = 0;
  self->is_curved = gst_object_has_active_control_bindings (GST_OBJECT (self));
  if (!gst_retro_clock_is_running (&self->clock)) {
    changes_adopt_settings (self, self->buffer_ns);
    self->run_start_ns = self->buffer_ns;
    gst_retro_clock_start (&self->clock,
        gst_time_scale_times_map (&self->times, self->run_start_ns));
    self->is_keeping = gst_time_scale_wants_keeping (self);
    self->read_at_frames = G_MAXUINT64;
    if (!self->is_keeping)
      status = gst_time_scale_configure (self);
  }
  self->times.end_ns = self->input.clock.now_ns;
  if (status != TIMEDSP_OK)
    return changes_fail (self, status);
  return self->is_keeping ? endpoints_keep (self) : GST_FLOW_OK;
}

GstFlowReturn
gst_time_scale_generate_output (GstBaseTransform * trans, GstBuffer ** buffer)
{
  GstTimeScale *self = GST_TIME_SCALE (trans);
  GstFlowReturn ret = GST_FLOW_OK;

  *buffer = NULL;
  if (self->is_keeping)
    return GST_FLOW_OK;
  while (self->buffer != NULL && *buffer == NULL && ret == GST_FLOW_OK) {
    if (self->has_ramped && !self->is_curved && self->used_frames == 0)
      changes_correct_times (self);
    if (g_atomic_int_get (&self->is_changed))
      ret = changes_follow_settings (self);
    if (self->has_ramped || self->times.waiting.length > 0)
      changes_stay_in_segment (self);
    if (ret == GST_FLOW_OK && !(self->state.may_pass && !self->is_curved
            && self->used_frames == 0 && buffers_pass (self, buffer)))
      ret = buffers_scale_piece (self, buffer);
  }
  if (*buffer != NULL) {
    *buffer = gst_retro_output_place (&self->output, *buffer,
        self->clock.now_ns);
  } else if (ret == GST_FLOW_OK
      && self->state.latency_frames != self->told_latency_frames) {
    changes_report_latency (self);
  }
  return ret;
}

/* ---- the end of a run ---------------------------------------------------------------------- */

GstFlowReturn
gst_time_scale_drain (GstTimeScale * self)
{
  GstFlowReturn ret = GST_FLOW_OK;
  GstTimeScalePair end;
  GstBuffer *buffer;
  gsize used;

  if (self->is_keeping)
    return endpoints_drain (self);
  if (self->scaler == NULL || !gst_retro_clock_is_running (&self->clock))
    return GST_FLOW_OK;
  buffers_forget_buffer (self);
  do {
    gst_time_scale_enter_segment (self);
    ret = buffers_run (self, NULL, 0, &used, &buffer);
    if (buffer != NULL)
      ret = buffers_push (self, buffer);
  } while (ret == GST_FLOW_OK && self->state.has_more);
  g_clear_pointer (&self->scaler, timescaler_free);
  end = (GstTimeScalePair) {
  self->times.end_ns, self->clock.now_ns};
  GST_OBJECT_LOCK (self);
  gst_time_scale_times_end (&self->times, end,
      GST_SECOND / GST_AUDIO_INFO_RATE (&self->input.info) + 1);
  GST_OBJECT_UNLOCK (self);
  gst_retro_clock_stop (&self->clock);
  return ret;
}

void
gst_time_scale_forget_frames (GstTimeScale * self)
{
  buffers_forget_buffer (self);
  g_clear_pointer (&self->scaler, timescaler_free);
  g_clear_pointer (&self->store, gst_retro_store_free);
  self->is_keeping = FALSE;
  gst_retro_clock_clear (&self->clock, GST_AUDIO_INFO_RATE (&self->input.info));
}
