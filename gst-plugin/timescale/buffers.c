/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Takes one buffer at a time, and makes its output.
 */

#include "timescale/gsttimescale.h"

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

GstFlowReturn
gst_time_scale_push (GstTimeScale * self, GstBuffer * buffer)
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

GstFlowReturn
gst_time_scale_run (GstTimeScale * self, const guint8 ** in, gsize n_frames,
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
    return gst_time_scale_fail (self, TIMEDSP_NO_MEMORY);
  room = capacity;
  self->unsent_frames = 0;
  do {
    gsize count = n_frames - *used;

    if (self->is_curved && in != NULL) {
      /* the output of all earlier frames comes first */
      if (gst_time_scale_frames_to_reading (self) == 0 && !self->state.has_more
          && (ret = gst_time_scale_follow_curves (self)) != GST_FLOW_OK)
        break;
      count = MIN (count, gst_time_scale_frames_to_reading (self));
    }
    status = buffers_run_scaler (self, in, count, silent, out, room);
    if (status != TIMEDSP_OK) {
      ret = gst_time_scale_fail (self, status);
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
  ret = gst_time_scale_run (self, in, n_frames, &used, out);
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
  self->buffer_ns = self->input.clock.now_ns;
  self->begins_run = self->input.clock.discont;
  if (self->begins_run || !gst_retro_input_follow (&self->input, buffer,
          &self->buffer_frames)) {
    ret = buffers_normalize (self, &buffer);
    if (buffer == NULL)
      return ret;
  }
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
    return gst_time_scale_push (self, buffer);
  }
  return self->base_chain (pad, parent, g_steal_pointer (&self->buffer));
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
    gst_time_scale_adopt_settings (self, self->buffer_ns);
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
    return gst_time_scale_fail (self, status);
  return self->is_keeping ? gst_time_scale_keep (self) : GST_FLOW_OK;
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
      gst_time_scale_correct_times (self);
    if (g_atomic_int_get (&self->is_changed))
      ret = gst_time_scale_follow_settings (self);
    if (self->has_ramped || self->times.waiting.length > 0)
      gst_time_scale_stay_in_segment (self);
    if (ret == GST_FLOW_OK && !(self->state.may_pass && !self->is_curved
            && self->used_frames == 0 && buffers_pass (self, buffer)))
      ret = buffers_scale_piece (self, buffer);
  }
  if (*buffer != NULL) {
    *buffer = gst_retro_output_place (&self->output, *buffer,
        self->clock.now_ns);
  } else if (ret == GST_FLOW_OK
      && self->state.latency_frames != self->told_latency_frames) {
    gst_time_scale_report_latency (self);
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
    return gst_time_scale_drain_kept (self);
  if (self->scaler == NULL || !gst_retro_clock_is_running (&self->clock))
    return GST_FLOW_OK;
  buffers_forget_buffer (self);
  do {
    gst_time_scale_enter_segment (self);
    ret = gst_time_scale_run (self, NULL, 0, &used, &buffer);
    if (buffer != NULL)
      ret = gst_time_scale_push (self, buffer);
  } while (ret == GST_FLOW_OK && self->state.has_more);
  /* keep the scaler if it can start over */
  if (timescaler_reset (self->scaler) != TIMEDSP_OK)
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
