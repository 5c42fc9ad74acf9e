/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Handles the buffers of a stream that the player doesn't play, in whichever mode.
 */

#include "revbuf/gstrevbuf.h"

/* Maximum size of a buffer in bytes: large enough that the cost per buffer is negligible,
 * small enough that seeks and state changes take effect immediately. */
#define SEND_BYTES (64 << 10)

/* ---- sending ---------------------------------------------------------------- */

void
gst_revbuf_reset_running_time (GstRevBuf * self)
{
  self->shift_ns = 0;
  self->next_base_ns = GST_CLOCK_TIME_NONE;
}

gboolean
gst_revbuf_send_segment (GstRevBuf * self, const GstSegment * segment)
{
  GstSegment sent = *segment;

  if (GST_CLOCK_TIME_IS_VALID (self->next_base_ns))
    self->shift_ns = (gint64) (self->next_base_ns - sent.base);
  self->next_base_ns = GST_CLOCK_TIME_NONE;
  sent.base += self->shift_ns;
  if (!self->tape.is_running)
    gst_revbuf_set_velocity (self, self->chunk_ns > 0
        && !g_atomic_int_get (&self->is_active) ? -1 :
        sent.applied_rate * self->rate_factor);
  /* if buffers pass through unchanged, so must their segment */
  return gst_retro_output_send_segment (&self->output, &sent,
      !g_atomic_int_get (&self->passes));
}

GstFlowReturn
gst_revbuf_push (GstRevBuf * self, GstBuffer * buffer)
{
  return gst_pad_push (self->srcpad, gst_retro_output_place (&self->output,
          buffer, GST_BUFFER_PTS (buffer) + GST_BUFFER_DURATION (buffer)));
}

GstFlowReturn
gst_revbuf_push_reversed (GstRevBuf * self, GstRetroStore * store,
    guint64 first, guint64 * end, gboolean gap, GstRetroClock * clock)
{
  const GstAudioInfo *info = &self->input.info;
  gsize max_frames = MAX (SEND_BYTES / GST_AUDIO_INFO_BPF (info), 1);
  GError *error = NULL;
  GstBuffer *buffer;
  GstRetroSpan span;
  gsize n_frames;

  if (!gst_retro_store_read (store, *end - 1, TRUE, &span, &error))
    return gst_revbuf_fail_storage (self, error);
  n_frames = MIN (span.n_frames, MIN (*end - first, max_frames));
  buffer = gst_retro_buffer_new_copy (info, (const gconstpointer *) span.planes,
      span.n_frames - n_frames, n_frames, TRUE);
  if (buffer == NULL)
    return gst_revbuf_fail_memory (self);
  if (gap)
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_GAP);
  *end -= n_frames;
  gst_retro_clock_stamp (clock, buffer, n_frames);
  return gst_revbuf_push (self, buffer);
}

static void
buffers_set_latency (GstRevBuf * self, GstClockTime latency_ns)
{
  gboolean changed;

  GST_OBJECT_LOCK (self);
  changed = self->latency_ns != latency_ns;
  self->latency_ns = latency_ns;
  GST_OBJECT_UNLOCK (self);
  if (changed)
    gst_element_post_message (GST_ELEMENT (self),
        gst_message_new_latency (GST_OBJECT (self)));
}

/* ---- how a stream is played -------------------------------------------------------- */

void
gst_revbuf_set_stream_mode (GstRevBuf * self, GstRevBufStreamMode stream_mode)
{
  GST_RETRO_AUTO_LOCK (self);

  self->stream_mode = stream_mode;
  self->first_ns = GST_CLOCK_TIME_NONE;
}

void
gst_revbuf_forget_audio (GstRevBuf * self)
{
  g_clear_pointer (&self->collect, gst_revbuf_collect_free);
  g_clear_pointer (&self->chunk, gst_revbuf_chunk_free);
  self->chunk_ns = 0;
  g_queue_clear_full (&self->held, (GDestroyNotify) gst_buffer_unref);
  self->held_frames = 0;
}

void
gst_revbuf_forget_stream (GstRevBuf * self, gboolean caps_too)
{
  gst_revbuf_forget_audio (self);
  gst_revbuf_set_stream_mode (self, GST_REVBUF_PASS_THROUGH);
  g_atomic_int_set (&self->output.is_segment_open, FALSE);
  gst_retro_input_reset (&self->input, caps_too);
  gst_retro_output_forget (&self->output);
}

static void
buffers_start_collecting (GstRevBuf * self, const GstSegment * segment)
{
  GST_OBJECT_LOCK (self);
  self->collect = gst_revbuf_collect_new (self, segment);
  self->spilled_bytes = 0;
  self->stream_mode = GST_REVBUF_COLLECT;
  self->first_ns = gst_segment_to_stream_time (segment, GST_FORMAT_TIME,
      segment->stop);
  GST_OBJECT_UNLOCK (self);
  gst_retro_output_open_segment (&self->output,
      segment->flags & GST_SEGMENT_FLAG_SEGMENT, segment->start,
      self->output.seqnum);
}

void
gst_revbuf_start_segment (GstRevBuf * self)
{
  GstSegment in = self->input.segment;
  GstRevBufSettings settings = gst_revbuf_get_settings (self);
  GstRevBufStreamMode stream_mode;

  if (gst_retro_input_is_flipping (&self->input))
    gst_retro_segment_reverse (&self->input.segment, &in);
  gst_revbuf_forget_audio (self);
  stream_mode = gst_revbuf_choose_mode (self, &in);
  GST_DEBUG_OBJECT (self, "mode %d for %" GST_SEGMENT_FORMAT, stream_mode, &in);
  if (!gst_revbuf_set_passes_through (self,
          stream_mode == GST_REVBUF_PASS_THROUGH
          && !gst_retro_input_is_flipping (&self->input)))
    return;                     /* a seek has started it in the meantime */
  g_mutex_lock (&self->lock);
  self->segments++;
  g_mutex_unlock (&self->lock);
  gst_revbuf_set_stream_mode (self, stream_mode);
  if (stream_mode == GST_REVBUF_HOLD)
    gst_revbuf_take_ends (self);
  if (stream_mode == GST_REVBUF_COLLECT)
    buffers_start_collecting (self, &in);
  if (stream_mode == GST_REVBUF_CHUNK) {
    self->chunk_ns = gst_revbuf_block_time (&settings, TRUE);
    gst_retro_output_open_segment (&self->output,
        in.flags & GST_SEGMENT_FLAG_SEGMENT, in.start, self->output.seqnum);
  }
  buffers_set_latency (self, self->chunk_ns);
  if (stream_mode == GST_REVBUF_PASS_THROUGH || stream_mode == GST_REVBUF_CHUNK)
    gst_revbuf_send_segment (self, &in);
}

GstFlowReturn
gst_revbuf_drain (GstRevBuf * self)
{
  GstFlowReturn ret = GST_FLOW_OK;

  if (!GST_AUDIO_INFO_IS_VALID (&self->input.info))
    return GST_FLOW_OK;
  if (self->collect != NULL)
    ret = gst_revbuf_collect_drain (self->collect);
  else if (self->chunk != NULL)
    ret = gst_revbuf_chunk_drain (self->chunk);
  if (ret == GST_FLOW_NOT_LINKED || ret == GST_FLOW_NOT_NEGOTIATED)
    GST_ELEMENT_FLOW_ERROR (self, ret);
  return ret;
}

/* We reverse live audio block by block, within its segment. You need the right to send. */
static void
buffers_follow_direction (GstRevBuf * self)
{
  GstRevBufSettings settings = gst_revbuf_get_settings (self);
  gboolean wants = gst_revbuf_wants_chunks (self);

  if (wants == (self->stream_mode == GST_REVBUF_CHUNK) || (wants
          && !(g_atomic_int_get (&self->passes) && self->output.segment_sent)))
    return;
  if (!wants)
    gst_revbuf_drain (self);
  if (!gst_revbuf_set_passes_through (self, !wants))
    return;
  gst_revbuf_forget_audio (self);
  gst_revbuf_set_stream_mode (self,
      wants ? GST_REVBUF_CHUNK : GST_REVBUF_PASS_THROUGH);
  self->chunk_ns = wants ? gst_revbuf_block_time (&settings, TRUE) : 0;
  gst_retro_clock_stop (&self->input.clock);
  buffers_set_latency (self, self->chunk_ns);
  gst_revbuf_set_velocity (self, wants ? -1 : 1);
}

void
gst_revbuf_learn_stop (GstRevBuf * self, GstClockTime end_ns)
{
  if (gst_retro_input_learn_stop (&self->input, end_ns))
    gst_revbuf_start_segment (self);
}

/* ---- buffers ------------------------------------------------------------------------ */

GstFlowReturn
gst_revbuf_stop_holding (GstRevBuf * self, GstRevBufStreamMode stream_mode,
    GstBuffer * last)
{
  GstFlowReturn ret = GST_FLOW_OK;
  GQueue held = self->held;
  GstBuffer *buffer;

  g_queue_init (&self->held);
  self->held_frames = 0;
  if (last != NULL)
    g_queue_push_tail (&held, last);
  if (stream_mode == GST_REVBUF_COLLECT)
    buffers_start_collecting (self, &self->input.segment);
  else if (!gst_revbuf_player_start (self, &self->input.info, NULL))
    ret = GST_FLOW_FLUSHING;
  while (ret == GST_FLOW_OK && (buffer = g_queue_pop_head (&held)) != NULL)
    ret = gst_revbuf_chain (self->sinkpad, GST_OBJECT (self), buffer);
  g_queue_clear_full (&held, (GDestroyNotify) gst_buffer_unref);
  return ret;
}

GstFlowReturn
gst_revbuf_fail_untimed (GstRevBuf * self)
{
  if (!self->is_refused)
    GST_REVBUF_FAIL (self, STREAM, FORMAT, "needs-times",
        "%s needs audio with timestamps: put a parser such as rawaudioparse "
        "before it.", GST_OBJECT_NAME (self));
  self->is_refused = TRUE;
  return GST_FLOW_ERROR;
}

/* Handles @taken (transfer full) without the player. You need the right to send. */
static GstFlowReturn
buffers_take_buffer (GstRevBuf * self, GstBuffer * taken)
{
  g_autoptr (GstBuffer) buffer = taken;
  gsize n_frames;
  GstSegment segment;
  GstRetroInput *input = &self->input;

  if (g_atomic_int_get (&self->passes)
      || (self->is_untimed && !g_atomic_int_get (&self->wants_player)))
    return gst_pad_push (self->srcpad, g_steal_pointer (&buffer));
  if (!GST_AUDIO_INFO_IS_VALID (&input->info)
      || input->segment.format == GST_FORMAT_UNDEFINED)
    return GST_FLOW_NOT_NEGOTIATED;
  if (self->is_untimed)
    return gst_revbuf_fail_untimed (self);
  if (gst_retro_input_awaits_stop (input))
    gst_revbuf_learn_stop (self, gst_retro_input_buffer_end (input, buffer));
  if (!gst_retro_input_accept (input, &buffer, &n_frames))
    return GST_REVBUF_FAIL (self, STREAM, FORMAT, "audio-unlike-caps",
        "The audio does not match its caps, or there is not enough memory: "
        "check the element before %s.", GST_OBJECT_NAME (self));
  if (buffer == NULL)
    return GST_FLOW_OK;
  buffer = gst_buffer_make_writable (buffer);
  gst_retro_clock_stamp (&input->clock, buffer, n_frames);
  if (gst_retro_output_must_open (&self->output, input, &segment)) {
    segment.base -= self->shift_ns;
    gst_revbuf_send_segment (self, &segment);
  }
  if (self->collect != NULL)
    return gst_revbuf_collect_process (self->collect,
        g_steal_pointer (&buffer));
  if (self->chunk_ns == 0)
    return gst_revbuf_push (self, g_steal_pointer (&buffer));
  if (self->chunk == NULL)
    self->chunk = gst_revbuf_chunk_new (self);
  return gst_revbuf_chunk_process (self->chunk, g_steal_pointer (&buffer));
}

gboolean
gst_revbuf_begin_passing (GstRevBuf * self)
{
  if (g_atomic_int_get (&self->is_active))
    return FALSE;
  gst_revbuf_begin_sending (self);
  if (!g_atomic_int_get (&self->is_active))
    return TRUE;
  gst_revbuf_end_sending (self);
  return FALSE;
}

/* Returns FALSE if the player has become active. Then @buffer is still yours. */
static gboolean
buffers_pass (GstRevBuf * self, GstBuffer * buffer, GstFlowReturn * ret)
{
  GstClockTime end_ns = GST_AUDIO_INFO_IS_VALID (&self->input.info) ?
      gst_retro_input_buffer_end (&self->input, buffer) : GST_CLOCK_TIME_NONE;

  if (!gst_revbuf_begin_passing (self))
    return FALSE;
  if (g_atomic_int_compare_and_exchange (&self->direction_has_changed, TRUE,
          FALSE))
    buffers_follow_direction (self);
  if (g_atomic_int_get (&self->passes) && GST_CLOCK_TIME_IS_VALID (end_ns)) {
    g_mutex_lock (&self->lock);
    self->passed_ns = end_ns;
    g_mutex_unlock (&self->lock);
    gst_retro_output_set_position (&self->output, end_ns);
  }
  *ret = buffers_take_buffer (self, buffer);
  gst_revbuf_end_sending (self);
  return TRUE;
}

GstFlowReturn
gst_revbuf_chain (GstPad * pad, GstObject * parent, GstBuffer * buffer)
{
  GstRevBuf *self = GST_REVBUF (parent);
  GstRevBufStreamMode stream_mode;
  GstFlowReturn ret;

  if (!g_atomic_int_get (&self->passes))
    g_atomic_int_inc (&self->progress);
  if (!g_atomic_int_get (&self->is_active)) {
    if (self->stream_mode == GST_REVBUF_HOLD
        && GST_AUDIO_INFO_IS_VALID (&self->input.info)) {
      stream_mode = gst_revbuf_choose_held (self, buffer);
      if (stream_mode != GST_REVBUF_HOLD)
        return gst_revbuf_stop_holding (self, stream_mode, buffer);
      self->held_frames += gst_retro_buffer_frames (buffer, &self->input.info);
      buffer = gst_retro_buffer_keep (buffer, &self->input.info);
      if (buffer == NULL)
        return gst_revbuf_fail_memory (self);
      g_queue_push_tail (&self->held, buffer);
      return GST_FLOW_OK;
    }
    if (g_atomic_int_get (&self->passes)
        && (g_atomic_int_get (&self->wants_player)
            || gst_object_has_active_control_bindings (parent))
        && !gst_revbuf_wants_chunks (self)
        && gst_revbuf_must_start_player (self)) {
      gst_revbuf_take_ends (self);
      return gst_revbuf_stop_holding (self, GST_REVBUF_PASS_THROUGH, buffer);
    }
    if (buffers_pass (self, buffer, &ret))
      return ret;
  }
  if (self->collect != NULL || self->chunk_ns > 0)      /* a seek has started the player */
    gst_revbuf_forget_audio (self);
  return gst_revbuf_player_chain (self, buffer);
}
