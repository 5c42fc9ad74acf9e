/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What other threads tell the player: requests from the application, and buffers and events from
 * upstream.
 */

#include "revbuf/gstrevbuf.h"

#include <string.h>

/* ---- formats --------------------------------------------------------------------- */

/* Returns the format of @info, and adds @info to @formats (element-type GstAudioInfo) unless it's
 * there already. The `id` of the format is the GstAudioInfo in the array. */
static TimeBlocksFormat
input_find_format (GPtrArray * formats, const GstAudioInfo * info)
{
  TimeBlocksFormat format = {.rate = GST_AUDIO_INFO_RATE (info) };
  guint i = 0;

  while (i < formats->len
      && !gst_audio_info_is_equal (g_ptr_array_index (formats, i), info))
    i++;
  if (i == formats->len)
    g_ptr_array_add (formats, gst_audio_info_copy (info));

  format.channels = GST_AUDIO_INFO_CHANNELS (info);
  format.planes = gst_retro_info_planes (info);
  format.stride_bytes = gst_retro_info_plane_stride (info);
  format.sample_bytes = GST_AUDIO_INFO_BPS (info);
  /* we don't use gst_audio_format_info_fill_silence(): it compiles code first,
   * which would delay the first sound */
  memcpy (format.silence, info->finfo->silence, sizeof format.silence);
  format.id = g_ptr_array_index (formats, i);
  return format;
}

/* ---- requests ------------------------------------------------------------------ */

/* A negative rate reverses the direction that was requested. */
static gboolean
request_is_backward (GstRevBuf * self, gdouble rate)
{
  GST_RETRO_AUTO_LOCK (self);

  return (self->settings.direction == TIMEDSP_BACKWARD) != (rate < 0);
}

/* Makes a request to play @asked, a segment as a source keeps it. With a positive rate, it begins at
 * its start: if it's played backwards and has no stop, we play from there back to the beginning.
 * With a negative rate, it begins at its stop: if it's played forwards and has no start, we play
 * from there to the end. Hold the lock. */
static GstRevBufRequest
request_of (GstRevBuf * self, const GstSegment * asked, TimeBlocksMove move,
    guint32 seqnum)
{
  GstRevBufRequest request = {.move = move,.rate = asked->rate,
    .start_ns = asked->start,.stop_ns = asked->stop,
    .duration_ns = asked->duration,.last_frame = TIMEDSP_UNKNOWN,
    .seqnum = seqnum,.flags = asked->flags
  };

  request.is_backward = request_is_backward (self, asked->rate);
  if (request.is_backward && asked->rate > 0
      && !GST_CLOCK_TIME_IS_VALID (asked->stop)) {
    request.stop_ns = asked->start;
    request.start_ns = 0;
  } else if (!request.is_backward && asked->rate < 0 && asked->start == 0) {
    request.start_ns = MIN (asked->stop, asked->duration);
    request.stop_ns = GST_CLOCK_TIME_NONE;
  }
  /* the last frame may end after the duration */
  if (request.is_backward && request.stop_ns >= asked->duration)
    request.stop_ns = GST_CLOCK_TIME_NONE;
  return request;
}

/* gst_segment_do_seek() logs a critical if the start is after the stop, so we check that
 * first. */
static gboolean
request_is_range (const GstSegment * asked, GstSeekType start_type,
    gint64 start, GstSeekType stop_type, gint64 stop)
{
  GstSegment from = *asked, to = *asked;

  gst_segment_do_seek (&from, 1, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH,
      start_type, start, GST_SEEK_TYPE_SET, -1, NULL);
  gst_segment_do_seek (&to, 1, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH,
      GST_SEEK_TYPE_SET, 0, stop_type, stop, NULL);
  return from.start <= to.stop;
}

/* Makes a request for the seek @event, and applies the seek to @asked. Returns FALSE if it isn't
 * valid. Hold the lock. */
static gboolean
request_of_seek (GstRevBuf * self, GstEvent * event,
    GstSegment * asked, GstRevBufRequest * request)
{
  GstSeekType start_type, stop_type;
  gboolean keeps_start, keeps_stop;
  GstSeekFlags flags;
  gint64 start, stop;
  gdouble rate;

  gst_event_parse_seek (event, &rate, NULL, &flags, &start_type, &start,
      &stop_type, &stop);
  /* without FLUSH, this would need the running time of @asked, but only the
   * output knows the running time */
  if (!request_is_range (asked, start_type, start, stop_type, stop)
      || !gst_segment_do_seek (asked, rate, GST_FORMAT_TIME,
          flags | GST_SEEK_FLAG_FLUSH, start_type, start, stop_type, stop,
          NULL))
    return FALSE;
  *request = request_of (self, asked, TIMEBLOCKS_GO_TO,
      gst_event_get_seqnum (event));
  keeps_start = start_type == GST_SEEK_TYPE_NONE;
  keeps_stop = stop_type == GST_SEEK_TYPE_NONE;
  if (rate < 0 ? keeps_stop && (request->is_backward || keeps_start) :
      keeps_start && (!request->is_backward || keeps_stop))
    request->move = TIMEBLOCKS_RESUME;
  if (!(flags & GST_SEEK_FLAG_FLUSH))
    request->flags &= ~GST_SEGMENT_FLAG_RESET;
  return TRUE;
}

/* The stream time where @segment starts. */
static GstClockTime
request_start_of (const GstSegment * segment)
{
  GstClockTime start_ns = gst_segment_to_stream_time (segment, GST_FORMAT_TIME,
      segment->start);

  return GST_CLOCK_TIME_IS_VALID (start_ns) ? start_ns : 0;
}

/* Sets what the application has asked for to the range of @segment, which comes from upstream.
 * Unless a seek has set its stop (@is_limited), we play to the end of the stream, which may be later
 * than the duration. Hold the lock. */
static void
request_ask (GstRevBuf * self, const GstSegment * segment,
    GstClockTime duration_ns, gboolean is_limited)
{
  GstSegment *asked = &self->asked;

  gst_segment_init (asked, GST_FORMAT_TIME);
  asked->rate = segment->rate;
  asked->flags = segment->flags;
  asked->duration = duration_ns;
  asked->start = request_start_of (segment);
  asked->stop = gst_segment_to_stream_time (segment, GST_FORMAT_TIME,
      segment->stop);
  if (self->stop_is_own)
    asked->start = MIN (asked->stop, duration_ns);
  if (self->stop_is_own || (!is_limited && asked->stop >= duration_ns))
    asked->stop = GST_CLOCK_TIME_NONE;
  asked->time = asked->position = asked->start;
}

/* Hold the lock from the moment you read the direction. */
static void
request_post (GstRevBuf * self, const GstRevBufRequest * request)
{
  GstRevBufPending *input = &self->pending;
  TimeBlocksFormat format = input->request.format;
  gboolean replaces = input->has_request;

  input->has_direction_change = FALSE;
  gst_revbuf_changed (self);
  if (replaces && request->move == TIMEBLOCKS_RESUME) {
    input->resume = *request;
    input->has_resume = TRUE;
    return;
  }
  input->request = *request;
  input->has_request = TRUE;
  input->has_resume = input->has_stop = FALSE;
  if (replaces && request->format.rate == 0)
    input->request.format = format;     /* the stream may have changed before */
  self->playhead_ns = request->is_backward ? MIN (request->stop_ns,
      request->duration_ns) : request->start_ns;
  if (request->move == TIMEBLOCKS_START
      && request->last_frame != TIMEDSP_UNKNOWN)
    self->playhead_ns =
        gst_retro_time_at (request->last_frame, self->format.rate);
}

/* Plays the segment of the sink pad, which answers the foreign seek @seqnum. Hold the lock. */
static void
request_play_segment (GstRevBuf * self, guint32 seqnum,
    GstClockTime duration_ns)
{
  GstRevBufRequest request;

  self->stop_is_own = FALSE;
  self->restart_ns = self->segment.base;
  request_ask (self, &self->segment, duration_ns, TRUE);
  request = request_of (self, &self->asked, TIMEBLOCKS_GO_TO, seqnum);
  request.format = self->format;
  request_post (self, &request);
}

/* Continues from the current position. Playback was waiting for the segment of a foreign seek,
 * but a fetch has replaced that seek, so the segment won't arrive. Hold the lock. */
static void
request_resume (GstRevBuf * self)
{
  GstRevBufRequest request =
      self->pending.has_request ? self->pending.request : self->served;

  request.move = TIMEBLOCKS_RESUME;
  request.is_backward = request_is_backward (self, request.rate);
  request.format.rate = 0;
  request_post (self, &request);
}

/* ---- the stream before the player starts ------------------------------------------- */

/* Notes the SEGMENT @event of a stream that we pass through. Hold the lock. */
static void
request_pass_segment (GstRevBuf * self, GstEvent * event)
{
  const GstSegment *segment;

  gst_event_parse_segment (event, &segment);
  g_hash_table_remove (self->open_seeks,
      GUINT_TO_POINTER (gst_event_get_seqnum (event)));
  if (segment->format != GST_FORMAT_TIME)
    return;
  /* a segment after a seek or a flush doesn't show where the stream begins */
  if (!GST_CLOCK_TIME_IS_VALID (self->begin_ns))
    self->begin_ns = self->last_seek == GST_SEQNUM_INVALID
        && !(segment->flags & GST_SEGMENT_FLAG_RESET) ?
        request_start_of (segment) : 0;
  self->skips_audio = request_start_of (segment) > self->begin_ns;
  self->passed_ns = GST_CLOCK_TIME_NONE;
}

/* ---- the start of playback --------------------------------------------------------- */

/* A seek may have set the stop of @segment. Otherwise it's only the end of the stream, and may be
 * inexact. If we didn't send the seek, we assume that it did after a flush, and for every segment
 * but the first. */
static GstRevBufRequest
request_first (GstRevBuf * self, const GstSegment * segment,
    guint32 seqnum, GstClockTime duration_ns, gint64 last_frame)
{
  /* the segment is the first one, and no seek was sent upstream */
  gboolean fresh = self->segments == 1 && self->last_seek == GST_SEQNUM_INVALID;
  gboolean limited = seqnum == self->last_seek ? self->is_limited :
      self->segments > 1 || (segment->flags & GST_SEGMENT_FLAG_RESET);
  GstClockTime start_ns = request_start_of (segment);
  GstRevBufRequest request;

  /* the stop is exact to the ns, but the last frame may extend beyond it */
  if (fresh && !limited && !GST_CLOCK_TIME_IS_VALID (duration_ns))
    duration_ns = gst_segment_to_stream_time (segment, GST_FORMAT_TIME,
        segment->stop);
  request_ask (self, segment, duration_ns, limited);
  request = request_of (self, &self->asked, TIMEBLOCKS_START, seqnum);
  if (!self->stop_is_own && (last_frame != TIMEDSP_UNKNOWN || fresh
          || start_ns == 0)) {
    request.start_ns = self->asked.start;
    request.stop_ns = self->asked.stop;
  }
  if (fresh && !limited)
    self->asked.stop = GST_CLOCK_TIME_NONE;
  request.last_frame = last_frame;
  request.is_first = last_frame == TIMEDSP_UNKNOWN;
  if (request.is_first && (fresh || start_ns == 0)) {
    self->record_ns = start_ns;
    if (!fresh)                 /* a seek may have set the stop */
      self->record_stop_ns = request.stop_ns;
  }
  return request;
}

/* A flushing seek restarts running time. Hold the lock. */
static void
request_note_flush (GstRevBuf * self, const GstRevBufRequest * request)
{
  if (!(request->flags & GST_SEGMENT_FLAG_RESET))
    return;
  self->pending.has_scrub = FALSE;
  self->open_flushes++;
  self->restarts_time = TRUE;
  self->restart_ns = 0;
}

/* Starts to play with the seek @event or, if it's NULL, after the audio that we've passed.
 * Returns FALSE if the seek isn't valid. Hold the lock. */
static gboolean
request_begin (GstRevBuf * self, const GstAudioInfo * info,
    const GstSegment * segment, guint32 seqnum, GstClockTime passed_ns,
    GstClockTime duration_ns, GstEvent * event)
{
  GstRevBufRequest request;
  gint64 last_frame = TIMEDSP_UNKNOWN;
  GstSegment asked;

  /* playback continues after the audio that we've passed. It may end outside the segment, because
   * decoders also send audio from before its start */
  self->base_ns = segment->base;
  if (GST_CLOCK_TIME_IS_VALID (passed_ns)) {
    passed_ns = CLAMP (passed_ns, segment->start, segment->stop);
    if (segment->rate > 0)
      self->base_ns = gst_segment_to_running_time (segment, GST_FORMAT_TIME,
          passed_ns);
    last_frame = gst_retro_frame_at (gst_segment_to_stream_time (segment,
            GST_FORMAT_TIME, passed_ns), GST_AUDIO_INFO_RATE (info)) - 1;
  }
  self->record_ns = self->record_stop_ns = GST_CLOCK_TIME_NONE;
  if (event == NULL) {
    request = request_first (self, segment, seqnum, duration_ns, last_frame);
  } else {
    request_ask (self, segment, duration_ns, FALSE);
    asked = self->asked;
    if (!request_of_seek (self, event, &asked, &request))
      return FALSE;
    self->asked = asked;
    request.move = TIMEBLOCKS_START;
  }
  g_ptr_array_set_size (self->formats, 0);
  self->format = input_find_format (self->formats, info);
  self->segment = *segment;
  self->in = (GstRevBufInflow) {
  .next_frame = TIMEDSP_UNKNOWN,.is_contested = seqnum != self->last_seek
        && gst_revbuf_is_fetch (seqnum),.awaited = GST_EVENT_UNKNOWN};
  self->pending.has_request = FALSE;
  self->open_flushes = 0;
  self->restarts_time = self->is_bounded = FALSE;
  self->is_opening = self->is_starting = TRUE;
  if (event != NULL)
    request_note_flush (self, &request);
  request_post (self, &request);
  g_atomic_int_set (&self->passes, FALSE);
  g_atomic_int_set (&self->is_active, TRUE);
  return TRUE;
}

GstClockTime
gst_revbuf_duration (GstRevBuf * self)
{
  gint64 end = self->state.end_frame;

  if (!self->is_active || self->is_opening || end == TIMEDSP_UNKNOWN
      || (self->pending.has_request && self->pending.request.format.rate > 0))
    return GST_CLOCK_TIME_NONE;
  return gst_retro_time_at (end, self->format.rate);
}

/* Hold the lock. */
static gboolean
request_accept (GstRevBuf * self, GstEvent * event, GstClockTime duration_ns)
{
  GstClockTime end_ns = gst_revbuf_duration (self);
  GstSegment asked = self->asked;
  GstRevBufRequest request;

  asked.duration = GST_CLOCK_TIME_IS_VALID (end_ns) ? end_ns : duration_ns;
  if (!request_of_seek (self, event, &asked, &request))
    return FALSE;
  self->asked = asked;
  request_note_flush (self, &request);
  if ((request.flags & GST_SEGMENT_FLAG_RESET)
      && request.move == TIMEBLOCKS_GO_TO
      && self->in.awaited == GST_EVENT_SEGMENT) {
    self->in.awaited = GST_EVENT_UNKNOWN;       /* the segment after that flush isn't needed */
    self->in.is_followed = FALSE;
    request.format = self->format;
  }
  request_post (self, &request);
  return TRUE;
}

gboolean
gst_revbuf_player_start (GstRevBuf * self, const GstAudioInfo * info,
    GstEvent * event)
{
  guint32 seqnum = GST_SEQNUM_INVALID;
  gboolean is_served = FALSE, starts = FALSE;
  GstClockTime passed_ns, duration_ns;
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME); /* a flush may have removed the pad's */
  if ((!gst_retro_pad_get_segment (self->sinkpad, &segment, &seqnum)
          && event == NULL) || segment.applied_rate != 1.0)
    return FALSE;
  g_mutex_lock (&self->lock);
  passed_ns = self->passed_ns;  /* a flush during the query mustn't clear it */
  g_mutex_unlock (&self->lock);
  duration_ns = gst_retro_pad_duration (self->sinkpad);

  g_mutex_lock (&self->lock);
  if (self->is_active && !self->is_stopping)
    is_served = event == NULL || request_accept (self, event, duration_ns);
  else if (!self->is_stopping && !self->in.is_flushing && (event != NULL
          || g_hash_table_size (self->open_seeks) == 0))
    starts = request_begin (self, info, &segment, seqnum, passed_ns,
        duration_ns, event);
  g_mutex_unlock (&self->lock);
  return starts ? gst_revbuf_start_thread (self) : is_served;
}

/* ---- seeks ------------------------------------------------------------------------------ */

/* Flushes downstream for @seek, as GstBaseSrc does. FLUSH_START makes the sending thread return
 * from its push. If that's this thread, because a push has called the application, we send
 * FLUSH_STOP once it stops sending. */
static void
request_flush_for (GstRevBuf * self, GstEvent * seek)
{
  GstEvent *event;
  GstSeekFlags flags;

  gst_event_parse_seek (seek, NULL, NULL, &flags, NULL, NULL, NULL, NULL);
  if (!(flags & GST_SEEK_FLAG_FLUSH))
    return;
  event = gst_event_new_flush_start ();
  gst_event_set_seqnum (event, gst_event_get_seqnum (seek));
  gst_pad_push_event (self->srcpad, event);
  gst_revbuf_begin_sending (self);
  self->open_stops++;
  self->flush_seqnum = gst_event_get_seqnum (seek);
  gst_revbuf_end_sending (self);
}

static gboolean
request_start_by_seek (GstRevBuf * self, GstEvent * event)
{
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (self->sinkpad);
  GstAudioInfo info;

  if (caps == NULL || !gst_audio_info_from_caps (&info, caps)
      || gst_revbuf_why_no_seeks (self, &info) != NULL)
    return FALSE;
  gst_revbuf_take_ends (self);
  if (!gst_revbuf_player_start (self, &info, event))
    return FALSE;
  request_flush_for (self, event);
  return TRUE;
}

gboolean
gst_revbuf_player_seek (GstRevBuf * self, GstEvent * event, gboolean * ret)
{
  GstRevBufMode mode = gst_revbuf_get_settings (self).mode;
  GstClockTime duration_ns;
  GstSeekFlags flags;
  GstEvent *change;
  gdouble rate;

  gst_event_parse_seek (event, &rate, NULL, &flags, NULL, NULL, NULL, NULL);
  if (!g_atomic_int_get (&self->is_active)) {
    /* if branches share the source, a seek with a negative rate goes upstream, so that they all
     * play backwards in sync */
    *ret = TRUE;
    return rate < 0 && !(flags & GST_SEEK_FLAG_INSTANT_RATE_CHANGE)
        && !g_atomic_int_get (&self->distrusts_seeks)
        && (mode == GST_REVBUF_MODE_SEEK || (mode == GST_REVBUF_MODE_AUTO
            && !gst_revbuf_examine (self->sinkpad).is_shared))
        && request_start_by_seek (self, event);
  }
  if (flags & GST_SEEK_FLAG_INSTANT_RATE_CHANGE) {
    /* like GstBaseSrc, we change the rate immediately, without involving the blocks. The direction
     * can't change */
    g_mutex_lock (&self->lock);
    rate /= self->asked.rate;
    g_mutex_unlock (&self->lock);
    change = rate > 0 ? gst_event_new_instant_rate_change (rate,
        (GstSegmentFlags) flags) : NULL;
    if (change != NULL)
      gst_event_set_seqnum (change, gst_event_get_seqnum (event));
    *ret = change != NULL && gst_pad_push_event (self->srcpad, change);
    return TRUE;
  }
  duration_ns = gst_retro_pad_duration (self->sinkpad);
  g_mutex_lock (&self->lock);
  *ret = self->is_active && !self->is_stopping
      && request_accept (self, event, duration_ns);
  g_mutex_unlock (&self->lock);
  if (*ret)
    request_flush_for (self, event);
  return TRUE;
}

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
    gst_revbuf_wait (self);
  return ret;
}

/* ---- upstream's events: flushes -------------------------------------------------------------- */

/* Returns TRUE if the flush goes on downstream, because it doesn't come from a fetch. Hold the
 * lock. */
static gboolean
input_start_flush (GstRevBuf * self, gboolean is_own, guint32 seqnum)
{
  self->in.is_flushing = TRUE;
  if (!is_own && gst_revbuf_is_fetch (seqnum))
    self->in.is_contested = TRUE;
  else if (!is_own) {
    self->restarts_time = TRUE;
    self->in.awaited = GST_EVENT_FLUSH_STOP;
    self->in.is_last = self->in.is_rest = self->in.is_fetched = FALSE;
    return TRUE;
  }
  return FALSE;
}

static gboolean
input_stop_flush (GstRevBuf * self, gboolean is_own)
{
  GstRevBufInflow *in = &self->in;

  in->is_flushing = FALSE;
  if (is_own && self->next != NULL && in->awaited == GST_EVENT_SEGMENT) {
    in->awaited = GST_EVENT_UNKNOWN;
    in->upstream = UPSTREAM_ANSWERED;
    request_resume (self);
  } else if (in->awaited != GST_EVENT_UNKNOWN) {
    gst_revbuf_end_decode (self);
    in->next_frame = TIMEDSP_UNKNOWN;
    in->end = NOT_ENDED;
    in->next_waits = FALSE;
    if (!is_own)
      in->awaited = GST_EVENT_SEGMENT;
    return !is_own && self->open_flushes == 0;
  } else if (in->upstream == UPSTREAM_ASKED) {
    in->upstream = UPSTREAM_ANSWERED;
  } else if (in->upstream == UPSTREAM_REFUSED) {
    in->upstream = UPSTREAM_AGAIN;
  }
  return FALSE;
}

/* @event: (transfer full) */
static void
input_handle_flush (GstRevBuf * self, GstEvent * event)
{
  gboolean starts = GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_START;
  guint32 seqnum = gst_event_get_seqnum (event);
  gboolean is_own, passes, reset_time;

  g_mutex_lock (&self->lock);
  is_own = gst_revbuf_is_own (self, seqnum);
  passes = starts ? input_start_flush (self, is_own, seqnum) :
      input_stop_flush (self, is_own);
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
    request_play_segment (self, seqnum, duration_ns);
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
  GstAudioInfo info;
  GstCaps *caps;

  gst_event_parse_caps (event, &caps);
  if (gst_audio_info_from_caps (&info, caps))
    self->format = input_find_format (self->formats, &info);
  else
    self->in.is_broken = TRUE;
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
    gst_revbuf_wait (self);
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
      request_pass_segment (self, event);
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
