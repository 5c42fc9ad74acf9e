/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A stream from upstream: chooses how to play it, and handles its events and buffers in all modes
 * that don't seek.
 */

#include "revbuf/gstrevbuf.h"

/* Frames per second. At lower rates, gst_retro_frame_at() finds the frame of every timestamp. */
#define TOO_HIGH_RATE 500000000

/* Maximum size of a buffer in bytes: large enough that the cost per buffer is negligible,
 * small enough that seeks and state changes take effect immediately. */
#define SEND_BYTES (64 << 10)

/* We hold buffers for this long at most. Parsers estimate a duration after 50 codec frames of
 * 1,152 or 2,048 samples, which takes up to 2.6 s at 40 kHz. */
#define MAX_HELD_SECONDS 4
/* The time limit alone would allow any number of very short buffers. */
#define MAX_HELD_BUFFERS 1000

/* Real audio doesn't begin with a gap this long. */
#define MAX_LEAP_NS (60 * GST_SECOND)

#define QUERY_CONSUMED GST_QUERY_MAKE_TYPE (0x7a00, \
    GST_QUERY_TYPE_DOWNSTREAM | GST_QUERY_TYPE_SERIALIZED)

/* ---- facts --------------------------------------------------------------------- */

gboolean
gst_revbuf_is_live (GstRevBuf * self)
{
  g_autoptr (GstQuery) query = gst_query_new_latency ();
  gboolean live = FALSE;

  if (gst_pad_peer_query (self->sinkpad, query))
    gst_query_parse_latency (query, &live, NULL, NULL);
  return live;
}

const gchar *
gst_revbuf_why_no_seeks (GstRevBuf * self, const GstAudioInfo * info)
{
  g_autoptr (GstQuery) query = gst_query_new_seeking (GST_FORMAT_TIME);
  g_autoptr (GstQuery) repetition = gst_query_new_custom (GST_QUERY_CUSTOM,
      gst_structure_new (GST_RETRO_QUERY_REPEATS, "repeats", G_TYPE_BOOLEAN,
          TRUE, NULL));
  GstRevBufNeighbours neighbours;
  gboolean seekable = FALSE, repeats = TRUE;

  if (GST_AUDIO_INFO_RATE (info) >= TOO_HIGH_RATE)
    return "The sample rate is too high for frame-accurate seeks, so %s: put "
        "audioresample before %s.";
  /* do this before the walk: if souphttpsrc hasn't asked the web server yet,
   * this makes it ask */
  if (gst_pad_peer_query (self->sinkpad, query))
    gst_query_parse_seeking (query, NULL, &seekable, NULL, NULL);
  /* after each seek, a timescale upstream may output different frames for the same time. Then a
   * block wouldn't match its neighbour */
  gst_pad_peer_query (self->sinkpad, repetition);
  gst_structure_get_boolean (gst_query_get_structure (repetition), "repeats",
      &repeats);
  if (!repeats)
    return "A timescale upstream outputs different frames after each seek, so "
        "%s: put %s before timescale.";
  neighbours = gst_revbuf_examine (self->sinkpad);
  return seekable && !neighbours.lacks_ranges && !neighbours.cuts_frames
      && !gst_revbuf_is_live (self) ? NULL :
      "Upstream cannot seek, so %s: put %s after an element that can seek.";
}

static gboolean
stream_wants_speed (GstRevBuf * self, const GstRevBufSettings * settings)
{
  return ABS (settings->speed) != 1 || g_atomic_int_get (&self->has_scrubbed);
}

/* Returns TRUE if we can fetch blocks. Otherwise, unless @instead is NULL, warns of what you lose,
 * or of what happens @instead. */
static gboolean
stream_can_seek (GstRevBuf * self, const GstRevBufSettings * settings,
    const gchar * instead)
{
  const gchar *why = gst_revbuf_why_no_seeks (self, &self->input.info);

  /* if upstream has reversed or scaled the audio, seeking to a timestamp takes you to the wrong
   * place */
  if (why == NULL && self->input.segment.applied_rate != 1.0)
    why = "Upstream cannot seek, so %s: put %s after an element that can seek.";
  if (why == NULL || instead == NULL)
    return why == NULL;
  g_atomic_int_set (&self->has_warned, TRUE);
  GST_REVBUF_WARN (self, RESOURCE, SEEK, "cannot-seek", why,
      settings->loop != TIMEDSP_LOOP_NONE ? "the stream is not looped" :
      stream_wants_speed (self, settings) ? "the speed stays 1 or -1" : instead,
      GST_OBJECT_NAME (self));
  return FALSE;
}

/* Warns once per segment. */
static void
stream_warn_of_speed (GstRevBuf * self, const GstRevBufSettings * settings)
{
  if (!stream_wants_speed (self, settings)
      || !g_atomic_int_compare_and_exchange (&self->has_warned, FALSE, TRUE))
    return;
  GST_REVBUF_WARN (self, LIBRARY, SETTINGS, "speed-needs-seeks",
      "%s plays a stream that it does not seek in at a speed of 1 or -1: set "
      "mode=auto, and use a source that can seek.", GST_OBJECT_NAME (self));
}

void
gst_revbuf_warn_of_late_speed (GstRevBuf * self)
{
  GstRevBufSettings settings = gst_revbuf_get_settings (self);
  GstRevBufStreamMode stream_mode;

  GST_OBJECT_LOCK (self);
  stream_mode = self->stream_mode;
  GST_OBJECT_UNLOCK (self);
  if (stream_mode == GST_REVBUF_COLLECT || stream_mode == GST_REVBUF_CHUNK)
    stream_warn_of_speed (self, &settings);
}

/* ---- the choice ------------------------------------------------------------------- */

static gboolean
stream_wants_player (GstRevBuf * self, const GstRevBufSettings * settings)
{
  return !g_atomic_int_get (&self->distrusts_seeks)
      && (settings->mode == GST_REVBUF_MODE_AUTO
      || settings->mode == GST_REVBUF_MODE_SEEK)
      && (g_atomic_int_get (&self->wants_player)
      || gst_object_has_active_control_bindings (GST_OBJECT (self))
      || g_atomic_int_get (&self->has_scrubbed));
}

/* Returns TRUE if we reverse this stream block by block as it arrives, because it's live or the
 * mode says so. A live stream would be collected endlessly. */
static gboolean
stream_wants_chunks (GstRevBuf * self)
{
  GstRevBufSettings settings = gst_revbuf_get_settings (self);

  return settings.direction == TIMEDSP_BACKWARD
      && !gst_retro_input_is_flipping (&self->input)
      && (settings.mode == GST_REVBUF_MODE_CHUNK
      || (settings.mode == GST_REVBUF_MODE_AUTO && gst_revbuf_is_live (self)));
}

static GstRevBufStreamMode
stream_choose_mode (GstRevBuf * self)
{
  GstRevBufSettings settings = gst_revbuf_get_settings (self);

  g_atomic_int_set (&self->has_warned, FALSE);
  /* a negative rate plays backwards, whatever the properties say */
  if (gst_retro_input_is_flipping (&self->input))
    return GST_REVBUF_PASS_THROUGH;
  if (stream_wants_player (self, &settings)
      && stream_can_seek (self, &settings, settings.loop != TIMEDSP_LOOP_NONE
          || settings.mode == GST_REVBUF_MODE_SEEK ?
          "the stream is collected to its end before it is played" : NULL))
    return GST_REVBUF_PLAY;
  stream_warn_of_speed (self, &settings);
  if (settings.direction == TIMEDSP_FORWARD)
    return GST_REVBUF_PASS_THROUGH;
  return stream_wants_chunks (self) ? GST_REVBUF_CHUNK : GST_REVBUF_COLLECT;
}

/* Returns TRUE if a property now requires the player for a stream that we've been passing
 * through. */
static gboolean
stream_must_start_player (GstRevBuf * self)
{
  GstRevBufSettings settings = gst_revbuf_get_settings (self);
  gboolean is_seeking;
  GstSegment segment;

  g_mutex_lock (&self->lock);
  is_seeking = g_hash_table_size (self->open_seeks) > 0;
  g_mutex_unlock (&self->lock);
  if (!stream_wants_player (self, &settings)) {
    stream_warn_of_speed (self, &settings);
    return FALSE;
  }
  return !g_atomic_int_get (&self->has_warned) && !is_seeking
      && !gst_retro_input_is_flipping (&self->input)
      && GST_AUDIO_INFO_IS_VALID (&self->input.info)
      && gst_retro_pad_get_segment (self->sinkpad, &segment, NULL)
      && stream_can_seek (self, &settings,
      "the direction changes only at the next segment");
}

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
stream_set_latency (GstRevBuf * self, GstClockTime latency_ns)
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

static void
stream_set_mode (GstRevBuf * self, GstRevBufStreamMode stream_mode)
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
  stream_set_mode (self, GST_REVBUF_PASS_THROUGH);
  g_atomic_int_set (&self->output.is_segment_open, FALSE);
  gst_retro_input_reset (&self->input, caps_too);
  gst_retro_output_forget (&self->output);
}

static void
stream_start_collecting (GstRevBuf * self)
{
  const GstSegment *segment = &self->input.segment;

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

/* Starts the segment that has arrived, now that we know its stop. */
static void
stream_start_segment (GstRevBuf * self)
{
  GstSegment in = self->input.segment;
  GstRevBufSettings settings = gst_revbuf_get_settings (self);
  GstRevBufStreamMode stream_mode;

  if (gst_retro_input_is_flipping (&self->input))
    gst_retro_segment_reverse (&self->input.segment, &in);
  gst_revbuf_forget_audio (self);
  stream_mode = stream_choose_mode (self);
  GST_DEBUG_OBJECT (self, "mode %d for %" GST_SEGMENT_FORMAT, stream_mode, &in);
  if (!gst_revbuf_set_passes_through (self,
          stream_mode == GST_REVBUF_PASS_THROUGH
          && !gst_retro_input_is_flipping (&self->input)))
    return;                     /* a seek has started it in the meantime */
  g_mutex_lock (&self->lock);
  self->segments++;
  g_mutex_unlock (&self->lock);
  stream_set_mode (self, stream_mode);
  if (stream_mode == GST_REVBUF_PLAY)
    gst_revbuf_take_ends (self);
  if (stream_mode == GST_REVBUF_COLLECT)
    stream_start_collecting (self);
  if (stream_mode == GST_REVBUF_CHUNK) {
    self->chunk_ns = gst_revbuf_block_time (&settings, TRUE);
    gst_retro_output_open_segment (&self->output,
        in.flags & GST_SEGMENT_FLAG_SEGMENT, in.start, self->output.seqnum);
  }
  stream_set_latency (self, self->chunk_ns);
  if (stream_mode == GST_REVBUF_PASS_THROUGH || stream_mode == GST_REVBUF_CHUNK)
    gst_revbuf_send_segment (self, &in);
}

/* If the segment is still waiting for its stop, sets it to @end_ns, the end of the first audio
 * (NONE: there was no audio), and starts the segment. */
static void
stream_learn_stop (GstRevBuf * self, GstClockTime end_ns)
{
  if (gst_retro_input_learn_stop (&self->input, end_ns))
    stream_start_segment (self);
}

/* Sends all audio that hasn't been sent yet. If downstream rejects it, posts an error, as queue
 * does, because an event can't return a flow error to upstream. */
static GstFlowReturn
stream_drain (GstRevBuf * self)
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
stream_follow_direction (GstRevBuf * self)
{
  GstRevBufSettings settings = gst_revbuf_get_settings (self);
  gboolean wants = stream_wants_chunks (self);

  if (wants == (self->stream_mode == GST_REVBUF_CHUNK) || (wants
          && !(g_atomic_int_get (&self->passes) && self->output.segment_sent)))
    return;
  if (!wants)
    stream_drain (self);
  if (!gst_revbuf_set_passes_through (self, !wants))
    return;
  gst_revbuf_forget_audio (self);
  stream_set_mode (self, wants ? GST_REVBUF_CHUNK : GST_REVBUF_PASS_THROUGH);
  self->chunk_ns = wants ? gst_revbuf_block_time (&settings, TRUE) : 0;
  gst_retro_clock_stop (&self->input.clock);
  stream_set_latency (self, self->chunk_ns);
  gst_revbuf_set_velocity (self, wants ? -1 : 1);
}

/* Posts an error, once per segment, because audio without timestamps can't be played backwards. */
static GstFlowReturn
stream_fail_untimed (GstRevBuf * self)
{
  if (!self->is_refused)
    GST_REVBUF_FAIL (self, STREAM, FORMAT, "needs-times",
        "%s needs audio with timestamps: put a parser such as rawaudioparse "
        "before it.", GST_OBJECT_NAME (self));
  self->is_refused = TRUE;
  return GST_FLOW_ERROR;
}

/* ---- events: segments and formats ------------------------------------------------ */

/* Changes the stop of the current segment if @segment differs only in its stop, duration, position
 * and flags: upstream now knows where its audio ends. Returns FALSE if @segment is a new
 * segment. */
static gboolean
stream_extend_segment (GstRevBuf * self, const GstSegment * segment)
{
  GstSegment *now = &self->input.segment, same = *segment;

  same.flags = now->flags;
  same.stop = now->stop;
  same.duration = now->duration;
  same.position = now->position;
  if (self->collect == NULL || gst_retro_input_is_flipping (&self->input)
      || !gst_segment_is_equal (&same, now)
      || !gst_revbuf_collect_extend (self->collect, segment->stop))
    return FALSE;
  now->stop = segment->stop;
  now->duration = segment->duration;
  return TRUE;
}

/* The seqnum of @event, or, if it answers the player's last fetch, of the request. */
static guint32
stream_seqnum_of (GstRevBuf * self, GstEvent * event)
{
  guint32 seqnum = gst_event_get_seqnum (event);

  return g_atomic_int_get (&self->distrusts_seeks)
      && gst_revbuf_is_own (self, seqnum) ? self->served.seqnum : seqnum;
}

/* @taken: (transfer full) */
static gboolean
stream_handle_segment (GstRevBuf * self, GstEvent * taken)
{
  g_autoptr (GstEvent) event = taken;
  const GstRevBufRequest *served = &self->served;
  guint32 seqnum = stream_seqnum_of (self, event);
  GstSegment copy, *segment = &copy;

  gst_event_copy_segment (event, segment);
  if (seqnum != gst_event_get_seqnum (event)) {
    /* The player has given up, and the segment decodes the stream from its start. We replace it
     * with the one that we were asked to play. */
    segment->rate = served->rate;
    segment->flags = served->flags;
    segment->start += served->start_ns - segment->time;
    segment->time = served->start_ns;
    gst_retro_input_set_info (&self->input, self->format.id);
  } else {
    self->owed_ns = GST_CLOCK_TIME_NONE;
  }
  GST_DEBUG_OBJECT (self, "received %" GST_SEGMENT_FORMAT, segment);
  if (segment->format == GST_FORMAT_TIME
      && stream_extend_segment (self, segment))
    return TRUE;
  if (stream_drain (self) == GST_FLOW_ERROR)
    return FALSE;
  gst_retro_input_set_segment (&self->input, segment);
  g_atomic_int_set (&self->passes, FALSE);
  self->is_refused = FALSE;
  g_atomic_int_set (&self->is_untimed, segment->format != GST_FORMAT_TIME);
  if (self->is_untimed) {
    gst_retro_output_forget (&self->output);
    stream_set_mode (self, GST_REVBUF_PASS_THROUGH);
    if (!g_atomic_int_get (&self->wants_player))
      return gst_pad_push_event (self->srcpad, g_steal_pointer (&event));
    stream_fail_untimed (self);
    return TRUE;                /* otherwise it would be sent again and again */
  }
  gst_retro_output_expect (&self->output, seqnum);
  if (!gst_retro_input_awaits_stop (&self->input))
    stream_start_segment (self);
  return TRUE;
}

/* @taken: (transfer full) */
static gboolean
stream_handle_caps (GstRevBuf * self, GstEvent * taken)
{
  g_autoptr (GstEvent) event = taken;
  GstAudioInfo info;
  GstCaps *caps;

  gst_event_parse_caps (event, &caps);
  if (!gst_audio_info_from_caps (&info, caps)) {
    GST_WARNING_OBJECT (self, "cannot handle %" GST_PTR_FORMAT, caps);
    return FALSE;
  }
  if (!gst_audio_info_is_equal (&info, &self->input.info)) {
    if (stream_drain (self) == GST_FLOW_ERROR)
      return FALSE;
    g_clear_pointer (&self->chunk, gst_revbuf_chunk_free);
    gst_retro_input_set_info (&self->input, &info);
  }
  return gst_pad_push_event (self->srcpad, g_steal_pointer (&event));
}

/* ---- events: gaps, ends, flushes --------------------------------------------------- */

/* @event: (transfer full) */
static gboolean
stream_handle_gap (GstRevBuf * self, GstEvent * event)
{
  GstClockTime pts, duration;
  GstGapFlags flags;

  if (g_atomic_int_get (&self->passes) || self->is_untimed)
    return gst_pad_push_event (self->srcpad, event);
  gst_event_parse_gap (event, &pts, &duration);
  gst_event_parse_gap_flags (event, &flags);
  gst_event_unref (event);
  if (!GST_CLOCK_TIME_IS_VALID (pts)
      || !GST_AUDIO_INFO_IS_VALID (&self->input.info)
      || self->input.segment.format != GST_FORMAT_TIME)
    return TRUE;
  stream_learn_stop (self, GST_CLOCK_TIME_IS_VALID (duration) ?
      pts + duration : pts);
  gst_retro_input_take_gap (&self->input, &pts, duration);
  /* if we store the audio, its timestamps show the gap */
  if (self->collect != NULL || !self->output.segment_sent)
    return TRUE;
  if (self->stream_mode == GST_REVBUF_CHUNK) {
    if (self->chunk == NULL)
      self->chunk = gst_revbuf_chunk_new (self);
    return gst_revbuf_chunk_gap (self->chunk, pts, duration, flags) ==
        GST_FLOW_OK;
  }
  gst_retro_output_push_gap (&self->output, pts, duration, flags,
      self->output.seqnum);
  return TRUE;
}

/* Decoding from the start has to reach what we've already played. If it doesn't, what we've
 * collected wouldn't follow on, so we don't send it. */
static void
stream_check_rest (GstRevBuf * self)
{
  GstClockTime end_ns = self->input.clock.now_ns;

  if (self->collect == NULL || !GST_CLOCK_TIME_IS_VALID (self->owed_ns)
      || (GST_CLOCK_TIME_IS_VALID (end_ns)
          && end_ns + GST_SECOND / 32 >= self->owed_ns))
    return;
  GST_REVBUF_FAIL (self, STREAM, FAILED, "broken-off",
      "Upstream ended at %.3f s, before the audio that it had sent earlier: "
      "check the file.", GST_CLOCK_TIME_IS_VALID (end_ns) ? end_ns / 1e9 : 0.0);
  gst_revbuf_forget_audio (self);
}

/* Handles EOS and SEGMENT_DONE (transfer full): sends the remaining audio, then the event. */
static gboolean
stream_handle_end (GstRevBuf * self, GstEvent * event)
{
  guint32 seqnum = stream_seqnum_of (self, event);
  gboolean is_done = GST_EVENT_TYPE (event) == GST_EVENT_SEGMENT_DONE, ret;
  gint64 position_ns = -1, sent_ns;

  stream_check_rest (self);
  stream_learn_stop (self, GST_CLOCK_TIME_NONE);
  if (stream_drain (self) == GST_FLOW_ERROR) {
    gst_event_unref (event);
    return FALSE;
  }
  if (is_done) {
    gst_event_parse_segment_done (event, NULL, &position_ns);
    sent_ns = gst_retro_output_get_position (&self->output);
    if (!g_atomic_int_get (&self->passes) && sent_ns != -1) {
      position_ns = sent_ns;
      gst_event_unref (event);
      event = gst_event_new_segment_done (GST_FORMAT_TIME, position_ns);
    }
  }
  event = gst_event_make_writable (event);
  gst_event_set_seqnum (event, seqnum);
  ret = gst_pad_push_event (self->srcpad, event);
  if (is_done)
    gst_retro_output_close_segment (&self->output, position_ns, seqnum);
  return ret;
}

/* Before another stream begins, we wait until downstream has consumed everything we sent, or
 * flushes: a queue only forwards a serialized query after all earlier buffers. We can't use DRAIN,
 * because an appsink only answers it once the application has pulled every buffer. If we didn't
 * wait, and the user changed direction while this stream was still audible, the change could hit
 * the beginning of the next one, and playback would end there.
 *
 * @event: (transfer full) */
static gboolean
stream_handle_stream_start (GstRevBuf * self, GstEvent * event)
{
  g_autoptr (GstQuery) query = gst_query_new_custom (QUERY_CONSUMED,
      gst_structure_new_empty ("retrograde-consumed"));
  gboolean is_other = gst_revbuf_is_other_stream (self->sinkpad, event), ret;

  stream_drain (self);
  ret = gst_pad_event_default (self->sinkpad, GST_OBJECT (self), event);
  if (is_other) {
    g_atomic_int_set (&self->distrusts_seeks, FALSE);
    gst_pad_peer_query (self->srcpad, query);
  }
  return ret;
}

/* Handles @event (transfer full) without the player. */
static gboolean
stream_take_event (GstRevBuf * self, GstEvent * event)
{
  gboolean reset_time, ret;

  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_CAPS:
      return stream_handle_caps (self, event);
    case GST_EVENT_SEGMENT:
      return stream_handle_segment (self, event);
    case GST_EVENT_GAP:
      return stream_handle_gap (self, event);
    case GST_EVENT_EOS:
    case GST_EVENT_SEGMENT_DONE:
      return stream_handle_end (self, event);
    case GST_EVENT_FLUSH_STOP:
      gst_event_parse_flush_stop (event, &reset_time);
      gst_revbuf_forget_stream (self, FALSE);
      if (reset_time)
        gst_revbuf_reset_running_time (self);
      ret = gst_pad_push_event (self->srcpad, event);
      gst_retro_output_drop_held (&self->output, FALSE);
      return ret;
    case GST_EVENT_STREAM_START:
      return stream_handle_stream_start (self, event);
    default:
      if (self->input.segment.format == GST_FORMAT_TIME
          && gst_retro_output_hold (&self->output, event))
        return TRUE;
      return gst_pad_event_default (self->sinkpad, GST_OBJECT (self), event);
  }
}

/* Takes the right to send. Returns FALSE if the player is active. */
static gboolean
stream_begin_passing (GstRevBuf * self)
{
  if (g_atomic_int_get (&self->is_active))
    return FALSE;
  gst_revbuf_begin_sending (self);
  if (!g_atomic_int_get (&self->is_active))
    return TRUE;
  gst_revbuf_end_sending (self);
  return FALSE;
}

gboolean
gst_revbuf_sink_event (GstPad * pad, GstObject * parent, GstEvent * event)
{
  GstRevBuf *self = GST_REVBUF (parent);
  gboolean sends, ret;

  if (!GST_EVENT_IS_SERIALIZED (event)) {
    if (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_START
        && gst_revbuf_take_event (self, event))
      return TRUE;
    return gst_pad_event_default (pad, parent, event);
  }
  /* another stream may have to wait for the player, which keeps sending */
  sends = GST_EVENT_TYPE (event) != GST_EVENT_STREAM_START
      && stream_begin_passing (self);
  if (gst_revbuf_take_event (self, event)) {
    if (sends)
      gst_revbuf_end_sending (self);
    return TRUE;
  }
  if (!sends)
    gst_revbuf_begin_sending (self);
  ret = stream_take_event (self, event);
  gst_revbuf_end_sending (self);
  return ret;
}

/* ---- buffers that are held ---------------------------------------------------------- */

/* Returns TRUE if the player may start. Some parsers only know the end after a few seconds of audio,
 * or never find out. Then we only use the player if mode=seek asks for it, or if it begins
 * forwards. */
static gboolean
stream_may_play (GstRevBuf * self)
{
  GstRevBufSettings settings = gst_revbuf_get_settings (self);

  return !g_atomic_int_get (&self->distrusts_seeks)
      && (settings.mode == GST_REVBUF_MODE_SEEK
      || settings.direction == TIMEDSP_FORWARD
      || GST_CLOCK_TIME_IS_VALID (self->input.segment.stop)
      || gst_retro_pad_duration (self->sinkpad) != GST_CLOCK_TIME_NONE);
}

/* In FLAC with a variable block size (flacparse up to 1.28), timestamps repeat or jump from one
 * buffer to the next. Seeks then end up in the wrong place. It takes three buffers to see that: the
 * priming from avdec_aac, and the first packet from opusparse, have the same timestamp as the next
 * one. */
static gboolean
stream_has_wild_times (GstRevBuf * self, GstBuffer * buffer)
{
  GstClockTime time_ns = GST_BUFFER_PTS (buffer);
  GstClockTime first_ns = GST_BUFFER_PTS ((GstBuffer *)
      g_queue_peek_head (&self->held));
  GstClockTime last_ns = GST_BUFFER_PTS ((GstBuffer *)
      g_queue_peek_tail (&self->held));

  return GST_CLOCK_TIME_IS_VALID (time_ns)
      && GST_CLOCK_TIME_IS_VALID (first_ns) && GST_CLOCK_TIME_IS_VALID (last_ns)
      && (time_ns <= first_ns || time_ns > last_ns + MAX_LEAP_NS);
}

/* Holds a copy of @buffer, because pools may be small, and upstream may be waiting for one of its
 * buffers to come back. Returns FALSE if we know enough, or have held enough. */
static gboolean
stream_hold (GstRevBuf * self, GstBuffer * buffer)
{
  const GstAudioInfo *info = &self->input.info;

  if (self->held.length >= 2 && stream_has_wild_times (self, buffer))
    gst_revbuf_distrust (self);
  if (self->held.length >= 2 && (stream_may_play (self)
          || g_atomic_int_get (&self->distrusts_seeks)))
    return FALSE;
  self->held_frames += gst_retro_buffer_frames (buffer, info);
  if (self->held.length + 1 >= MAX_HELD_BUFFERS || self->held_frames >=
      (guint64) GST_AUDIO_INFO_RATE (info) * MAX_HELD_SECONDS)
    return FALSE;
  g_queue_push_tail (&self->held, gst_buffer_copy_deep (buffer));
  return TRUE;
}

/* Has the player play the buffers that we've held, or collects them. Then does the same with @last
 * (transfer full) (nullable). */
static GstFlowReturn
stream_stop_holding (GstRevBuf * self, gboolean plays, GstBuffer * last)
{
  GstFlowReturn ret = GST_FLOW_OK;
  GQueue held = self->held;
  GstBuffer *buffer;

  g_queue_init (&self->held);
  self->held_frames = 0;
  if (last != NULL)
    g_queue_push_tail (&held, last);
  if (!plays)
    stream_start_collecting (self);
  else if (!gst_revbuf_player_start (self, &self->input.info, NULL))
    ret = GST_FLOW_FLUSHING;
  while (ret == GST_FLOW_OK && (buffer = g_queue_pop_head (&held)) != NULL)
    ret = gst_revbuf_chain (self->sinkpad, GST_OBJECT (self), buffer);
  g_queue_clear_full (&held, (GDestroyNotify) gst_buffer_unref);
  return ret;
}

/* ---- EOS ------------------------------------------------------------------------ */

static GstPadProbeReturn
stream_take_end (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  GstRevBuf *self = data;
  GstEventType type = GST_EVENT_TYPE (info->data);

  /* if nothing has arrived, there may be audio before the segment */
  if (self->stream_mode == GST_REVBUF_PLAY
      && !g_atomic_int_get (&self->is_active)
      && (type == GST_EVENT_EOS || (self->held.length > 0
              && (type == GST_EVENT_STREAM_START || type == GST_EVENT_SEGMENT
                  || type == GST_EVENT_SEGMENT_DONE))))
    stream_stop_holding (self, (self->held.length > 0 || self->skips_audio)
        && stream_may_play (self), NULL);
  return type == GST_EVENT_EOS && gst_revbuf_take_event (self, info->data) ?
      GST_PAD_PROBE_HANDLED : GST_PAD_PROBE_OK;
}

void
gst_revbuf_take_ends (GstRevBuf * self)
{
  GST_RETRO_AUTO_LOCK (self);

  if (self->end_probe == 0)
    self->end_probe = gst_pad_add_probe (self->sinkpad,
        GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, stream_take_end, self, NULL);
}

/* ---- buffers ------------------------------------------------------------------------ */

/* Handles @taken (transfer full) without the player. You need the right to send. */
static GstFlowReturn
stream_take_buffer (GstRevBuf * self, GstBuffer * taken)
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
    return stream_fail_untimed (self);
  if (gst_retro_input_awaits_stop (input))
    stream_learn_stop (self, gst_retro_input_buffer_end (input, buffer));
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

/* Returns FALSE if the player has become active. Then @buffer is still yours. */
static gboolean
stream_pass (GstRevBuf * self, GstBuffer * buffer, GstFlowReturn * ret)
{
  GstClockTime end_ns = GST_AUDIO_INFO_IS_VALID (&self->input.info) ?
      gst_retro_input_buffer_end (&self->input, buffer) : GST_CLOCK_TIME_NONE;

  if (!stream_begin_passing (self))
    return FALSE;
  if (g_atomic_int_compare_and_exchange (&self->direction_has_changed, TRUE,
          FALSE))
    stream_follow_direction (self);
  if (g_atomic_int_get (&self->passes) && GST_CLOCK_TIME_IS_VALID (end_ns)) {
    g_mutex_lock (&self->lock);
    self->passed_ns = end_ns;
    g_mutex_unlock (&self->lock);
    gst_retro_output_set_position (&self->output, end_ns);
  }
  *ret = stream_take_buffer (self, buffer);
  gst_revbuf_end_sending (self);
  return TRUE;
}

GstFlowReturn
gst_revbuf_chain (GstPad * pad, GstObject * parent, GstBuffer * buffer)
{
  GstRevBuf *self = GST_REVBUF (parent);
  GstFlowReturn ret;

  if (!g_atomic_int_get (&self->is_active)) {
    if (self->stream_mode == GST_REVBUF_PLAY
        && GST_AUDIO_INFO_IS_VALID (&self->input.info)) {
      if (!stream_hold (self, buffer))
        return stream_stop_holding (self, stream_may_play (self), buffer);
      gst_buffer_unref (buffer);
      return GST_FLOW_OK;
    }
    if (g_atomic_int_get (&self->passes)
        && (g_atomic_int_get (&self->wants_player)
            || gst_object_has_active_control_bindings (parent))
        && !stream_wants_chunks (self) && stream_must_start_player (self)) {
      gst_revbuf_take_ends (self);
      return stream_stop_holding (self, TRUE, buffer);
    }
    if (stream_pass (self, buffer, &ret))
      return ret;
  }
  if (self->collect != NULL || self->chunk_ns > 0)      /* a seek has started the player */
    gst_revbuf_forget_audio (self);
  return gst_revbuf_player_chain (self, buffer);
}
