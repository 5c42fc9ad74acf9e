/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Handles the buffers and events that upstream sends to the player.
 */

#include "revbuf/gstrevbuf.h"

/* ---- upstream's buffers --------------------------------------------------------------------- */

void
gst_revbuf_end_decode (GstRevBuf * self)
{
  self->in.upstream = UPSTREAM_PARKED;
  self->in.next_frame = self->decode != NULL ?
      timedecode_next_frame (self->decode) : TIMEDSP_UNKNOWN;
  if (self->decode != NULL) {
    g_clear_pointer (&self->arrived, timedecode_free);
    self->arrived = g_steal_pointer (&self->decode);
  }
  gst_revbuf_changed (self);
}

static TimeDecodeBuffer
input_place_of (GstRevBuf * self, GstBuffer * buffer)
{
  const GstSegment *segment = &self->segment;
  TimeDecodeBuffer place = {.is_timed = GST_BUFFER_PTS_IS_VALID (buffer) };
  GstClockTime time_ns;
  gint sign = gst_segment_to_stream_time_full (segment, GST_FORMAT_TIME,
      place.is_timed ? GST_BUFFER_PTS (buffer) : segment->start, &time_ns);

  place.is_placed = sign != 0;
  if (place.is_placed)
    place.frame = sign * gst_retro_frame_at (time_ns, self->format.rate);
  place.offset = (gint64) (segment->start - segment->time);
  return place;
}

/* Returns FALSE if @buffer can't be read. Hold the lock. */
static gboolean
input_add (GstRevBuf * self, GstBuffer * buffer, gsize * first,
    gboolean * wants_more)
{
  const GstAudioInfo *info = self->format.id;
  g_autoptr (GstBuffer) clipped = NULL;
  GstSegment part = self->segment;
  TimeDecodeBuffer arrived;
  GstAudioBuffer audio;

  *wants_more = TRUE;
  if (!gst_retro_buffer_is_sound (buffer, info))
    return FALSE;
  /* If the decode begins with the stream, audio before the segment is encoder
   * priming, and we clip it. Otherwise the segment starts at the seek target,
   * in the middle of a frame, and we mustn't clip that frame. */
  if (!timedecode_is_from_zero (self->decode))
    part.start = 0;
  clipped = gst_retro_buffer_clip (gst_buffer_ref (buffer), &part, info);
  if (clipped == NULL || gst_retro_buffer_frames (clipped, info) <= *first)
    return TRUE;
  if (!gst_audio_buffer_map (&audio, info, clipped, GST_MAP_READ))
    return FALSE;
  arrived = input_place_of (self, clipped);
  arrived.planes = (const void *const *) audio.planes;
  arrived.frames = gst_retro_buffer_frames (clipped, info);
  *wants_more = timedecode_add (self->decode, &arrived, &self->format, first);
  gst_audio_buffer_unmap (&audio);
  return TRUE;
}

/* Returns CUSTOM_SUCCESS if the rest of @buffer must wait. Hold the lock. */
static GstFlowReturn
input_take (GstRevBuf * self, GstBuffer * buffer, gsize * first)
{
  gboolean wants_more, is_read;
  TimeDecodeBuffer place;

  if (!self->is_active || self->is_stopping || self->in.is_flushing)
    return GST_FLOW_FLUSHING;
  switch (self->in.upstream) {
    case UPSTREAM_ASKED:
      return GST_FLOW_FLUSHING;
    case UPSTREAM_PARKED:
      return self->in.is_let_go ? self->after : GST_FLOW_CUSTOM_SUCCESS;
    case UPSTREAM_FILLING:
      break;
    default:
      return GST_FLOW_CUSTOM_SUCCESS;
  }
  if (self->decode == NULL) {
    /* we don't need any audio from the last fetch, but upstream may stop at the end of it */
    place = input_place_of (self, buffer);
    if (!place.is_timed || !place.is_placed
        || place.frame < self->last_stop_frame)
      return GST_FLOW_OK;
    gst_revbuf_end_decode (self);
    return GST_FLOW_CUSTOM_SUCCESS;
  }
  is_read = input_add (self, buffer, first, &wants_more);
  if (is_read && wants_more)
    return GST_FLOW_OK;
  self->in.is_broken |= !is_read;
  gst_revbuf_end_decode (self);
  return GST_FLOW_CUSTOM_SUCCESS;
}

GstFlowReturn
gst_revbuf_player_chain (GstRevBuf * self, GstBuffer * buffer)
{
  g_autoptr (GstBuffer) taken = buffer;
  GstFlowReturn ret;
  gsize first = 0;
  GST_RETRO_HOLD (&self->lock);

  while ((ret = input_take (self, taken, &first)) == GST_FLOW_CUSTOM_SUCCESS)
    g_cond_wait (&self->changed, &self->lock);
  return ret;
}

/* ---- upstream's events: flushes -------------------------------------------------------------- */

/* Returns TRUE if we must flush downstream, too, because the flush doesn't come from a fetch. */
static gboolean
input_start_flush (GstRevBuf * self, guint32 seqnum)
{
  gboolean is_own = gst_revbuf_is_own (self, seqnum);

  self->in.is_flushing = TRUE;
  if (!is_own && gst_revbuf_is_fetch (seqnum)) {
    self->in.is_contested = TRUE;
    return FALSE;
  }
  if (is_own)
    return FALSE;
  self->restarts_time = TRUE;
  self->in.awaited = GST_EVENT_FLUSH_STOP;
  self->in.is_last = self->in.is_rest = self->in.is_fetched = FALSE;
  return TRUE;
}

static gboolean
input_stop_flush (GstRevBuf * self, guint32 seqnum)
{
  GstRevBufInflow *in = &self->in;
  gboolean is_own = gst_revbuf_is_own (self, seqnum);

  in->is_flushing = FALSE;
  if (is_own && self->next != NULL && in->awaited == GST_EVENT_SEGMENT) {
    in->awaited = GST_EVENT_UNKNOWN;
    in->upstream = UPSTREAM_ANSWERED;
    gst_revbuf_resume (self);
    return FALSE;
  }
  if (in->awaited == GST_EVENT_UNKNOWN) {
    if (in->upstream == UPSTREAM_ASKED)
      in->upstream = UPSTREAM_ANSWERED;
    else if (in->upstream == UPSTREAM_REFUSED)
      in->upstream = UPSTREAM_AGAIN;
    return FALSE;
  }
  gst_revbuf_end_decode (self);
  in->next_frame = TIMEDSP_UNKNOWN;
  in->end = NOT_ENDED;
  in->next_waits = FALSE;
  if (!is_own)
    in->awaited = GST_EVENT_SEGMENT;
  return !is_own && self->open_flushes == 0;
}

/* @event: (transfer full) */
static void
input_handle_flush (GstRevBuf * self, GstEvent * event)
{
  gboolean starts = GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_START;
  guint32 seqnum = gst_event_get_seqnum (event);
  gboolean passes, reset_time;

  g_mutex_lock (&self->lock);
  passes = starts ? input_start_flush (self, seqnum) : input_stop_flush (self,
      seqnum);
  gst_revbuf_changed (self);
  g_mutex_unlock (&self->lock);
  if (!passes) {
    gst_event_unref (event);
  } else if (starts) {
    gst_pad_push_event (self->srcpad, event);
  } else {
    gst_revbuf_begin_sending (self);
    gst_event_parse_flush_stop (event, &reset_time);
    if (reset_time)
      gst_revbuf_reset_running_time (self);
    gst_pad_push_event (self->srcpad, event);
    gst_revbuf_end_sending (self);
  }
}

/* ---- upstream's events: serialized ----------------------------------------------------------- */

/* Begins the next decode, if upstream has performed the seek. */
static void
input_begin_decode (GstRevBuf * self)
{
  if (self->in.upstream != UPSTREAM_ANSWERED
      || self->in.awaited != GST_EVENT_UNKNOWN)
    return;
  g_clear_pointer (&self->decode, timedecode_free);
  self->decode = g_steal_pointer (&self->next);
  self->in.upstream = UPSTREAM_FILLING;
}

static void
input_handle_segment (GstRevBuf * self, GstEvent * event,
    GstClockTime duration_ns)
{
  GstRevBufInflow *in = &self->in;
  guint32 seqnum = gst_event_get_seqnum (event);
  GstSegment *segment = &self->segment;

  gst_event_copy_segment (event, segment);
  if (segment->format != GST_FORMAT_TIME)
    self->in.is_broken = TRUE;
  if (in->awaited == GST_EVENT_FLUSH_STOP || segment->format != GST_FORMAT_TIME)
    return;
  if (in->awaited == GST_EVENT_SEGMENT) {
    in->awaited = GST_EVENT_UNKNOWN;
    in->is_followed = FALSE;
    gst_revbuf_play_segment (self, seqnum, duration_ns);
    return;
  }
  input_begin_decode (self);
  if (in->upstream == UPSTREAM_FILLING && segment->stop <= segment->start
      && !self->is_bounded && self->decode != NULL) {
    self->is_bounded = TRUE;
    self->next = g_steal_pointer (&self->decode);
    in->upstream = UPSTREAM_AGAIN;
  }
}

static void
input_handle_caps (GstRevBuf * self, GstEvent * event)
{
  const void *id = self->format.id;
  GstAudioInfo info;
  GstCaps *caps;

  gst_event_parse_caps (event, &caps);
  if (!gst_audio_info_from_caps (&info, caps)) {
    self->in.is_broken = TRUE;
    return;
  }
  self->format = gst_revbuf_formats_find (self->formats, &info);
  /* a decode has only one format */
  if (self->format.id != id && self->in.upstream == UPSTREAM_FILLING
      && self->decode != NULL && timedecode_has_format (self->decode)) {
    gst_revbuf_end_decode (self);
    self->in.is_broken = TRUE;
  }
}

void
gst_revbuf_player_end (GstRevBuf * self, guint32 seqnum)
{
  if (!self->is_active)
    return;
  self->pending.has_stop = TRUE;
  self->pending.stop_seqnum = seqnum;
  gst_revbuf_changed (self);
}

/* If EOS comes in the middle of the stream, and none of our seeks caused it, the application must
 * have sent it to the source. */
static gboolean
input_is_of_application (GstRevBuf * self, GstEvent * eos)
{
  GstClockTime end_ns = gst_revbuf_duration (self);
  gint64 second = self->format.rate;

  if (!GST_CLOCK_TIME_IS_VALID (end_ns))
    end_ns = self->served.duration_ns;
  return self->in.is_fetched && self->decode != NULL
      && GST_CLOCK_TIME_IS_VALID (end_ns)
      && !gst_revbuf_is_own (self, gst_event_get_seqnum (eos))
      && timedecode_next_frame (self->decode) + second / 2 <
      gst_retro_frame_at (end_ns, second);
}

static void
input_handle_end (GstRevBuf * self, GstRevBufEnd end, gboolean next_waits)
{
  GstRevBufInflow *in = &self->in;

  input_begin_decode (self);
  if (in->upstream == UPSTREAM_FILLING) {
    if (self->decode != NULL)
      timedecode_end (self->decode);
    gst_revbuf_end_decode (self);
  }
  if (in->upstream == UPSTREAM_PARKED) {
    in->end = MAX (in->end, end);
    in->next_waits |= next_waits;
  }
}

/* Makes the next stream wait until we've sent this one. Returns FALSE once we have. */
static gboolean
input_wait_until_sent (GstRevBuf * self)
{
  GstRevBufInflow *in = &self->in;

  input_handle_end (self, STREAM_ENDED, TRUE);
  gst_revbuf_changed (self);
  while (self->is_active && !self->is_stopping && in->next_waits
      && in->upstream == UPSTREAM_PARKED && !in->is_flushing && !in->is_let_go)
    g_cond_wait (&self->changed, &self->lock);
  return self->is_active || self->is_stopping;
}

/* Takes the serialized @event. Returns FALSE if it belongs to the next stream, which the player
 * doesn't handle. Sets @keeps if we keep it to send it along with the audio. Hold the lock. */
static gboolean
input_take_serialized (GstRevBuf * self, GstEvent * event,
    GstClockTime duration_ns, gboolean * keeps)
{
  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_SEGMENT:
      /* the flush of a fetch may get lost, and the answer to an earlier one may come late */
      if (self->in.upstream == UPSTREAM_ASKED
          && self->in.awaited == GST_EVENT_UNKNOWN
          && (self->fetching == g_thread_self ()
              || gst_event_get_seqnum (event) == self->seqnum))
        self->in.upstream = UPSTREAM_ANSWERED;
      if (self->in.is_rest && self->in.upstream == UPSTREAM_ANSWERED)
        return input_wait_until_sent (self);
      input_handle_segment (self, event, duration_ns);
      break;
    case GST_EVENT_CAPS:
      input_handle_caps (self, event);
      break;
    case GST_EVENT_EOS:
      input_begin_decode (self);
      if (input_is_of_application (self, event))
        gst_revbuf_player_end (self, gst_event_get_seqnum (event));
      else
        input_handle_end (self, STREAM_ENDED, FALSE);
      break;
    case GST_EVENT_SEGMENT_DONE:
      input_handle_end (self, SEGMENT_ENDED, FALSE);
      break;
    case GST_EVENT_STREAM_START:
      if (!gst_revbuf_is_other_stream (self->sinkpad, event))
        break;
      self->in.is_followed = TRUE;
      return input_wait_until_sent (self);
    case GST_EVENT_GAP:        /* the timestamps show it */
      break;
    default:
      *keeps = TRUE;
      g_queue_push_tail (&self->events, event);
      break;
  }
  gst_revbuf_changed (self);
  return TRUE;
}

/* ---- events while the player isn't active ---------------------------------------------------- */

gboolean
gst_revbuf_set_passes_through (GstRevBuf * self, gboolean passes)
{
  GST_RETRO_HOLD (&self->lock);

  if (self->is_active)
    return FALSE;
  g_atomic_int_set (&self->passes, passes);
  return TRUE;
}

static void
input_note_event (GstRevBuf * self, GstEvent * event)
{
  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_FLUSH_START:
      self->in.is_flushing = TRUE;
      break;
    case GST_EVENT_FLUSH_STOP:
      self->in.is_flushing = FALSE;
      g_hash_table_remove_all (self->open_seeks);
      self->passed_ns = GST_CLOCK_TIME_NONE;
      break;
    case GST_EVENT_SEGMENT:
      gst_revbuf_pass_segment (self, event);
      break;
    case GST_EVENT_STREAM_START:
      if (gst_revbuf_is_other_stream (self->sinkpad, event)) {
        self->begin_ns = GST_CLOCK_TIME_NONE;
        self->stop_is_own = self->is_limited = FALSE;
      }
      break;
    default:
      break;
  }
}

gboolean
gst_revbuf_is_other_stream (GstPad * sinkpad, GstEvent * event)
{
  g_autoptr (GstEvent) now =
      gst_pad_get_sticky_event (sinkpad, GST_EVENT_STREAM_START, 0);
  const gchar *id, *next_id;
  guint group, next_group;

  if (now == NULL)
    return FALSE;
  gst_event_parse_stream_start (now, &id);
  gst_event_parse_stream_start (event, &next_id);
  /* if a player repeats a song, only the group is different */
  return !g_str_equal (id, next_id)
      || (gst_event_parse_group_id (now, &group)
      && gst_event_parse_group_id (event, &next_group) && group != next_group);
}

gboolean
gst_revbuf_take_event (GstRevBuf * self, GstEvent * event)
{
  GstClockTime duration_ns = GST_CLOCK_TIME_NONE;
  gboolean takes, keeps = FALSE, is_foreign;

  g_mutex_lock (&self->lock);
  is_foreign = self->is_active && self->in.awaited == GST_EVENT_SEGMENT;
  g_mutex_unlock (&self->lock);
  if (is_foreign && GST_EVENT_TYPE (event) == GST_EVENT_SEGMENT)
    duration_ns = gst_retro_pad_duration (self->sinkpad);
  g_mutex_lock (&self->lock);
  takes = self->is_active || self->is_stopping;
  if (takes && GST_EVENT_IS_SERIALIZED (event)
      && GST_EVENT_TYPE (event) != GST_EVENT_FLUSH_STOP)
    takes = input_take_serialized (self, event, duration_ns, &keeps);
  if (!takes)
    input_note_event (self, event);
  g_mutex_unlock (&self->lock);
  if (!takes)
    return FALSE;
  if (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_START
      || GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_STOP)
    input_handle_flush (self, event);
  else if (!keeps)
    gst_event_unref (event);
  return TRUE;
}
