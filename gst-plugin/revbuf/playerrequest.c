/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Requests for the player: the segment that it starts with, seeks, and the segments that answer
 * foreign seeks.
 */

#include "revbuf/gstrevbuf.h"

/* ---- requests ------------------------------------------------------------------ */

/* A seek with a positive rate begins at its start. If it's played backwards and has no stop, we
 * play from there back to the beginning. */
static void
request_play_down (GstRevBufRequest * request)
{
  if (!request->is_backward || GST_CLOCK_TIME_IS_VALID (request->stop_ns))
    return;
  request->stop_ns = request->start_ns;
  request->start_ns = 0;
}

static void
request_place (const GstSegment * segment, GstClockTime * start_ns,
    GstClockTime * stop_ns)
{
  *start_ns = gst_segment_to_stream_time (segment, GST_FORMAT_TIME,
      segment->start);
  if (!GST_CLOCK_TIME_IS_VALID (*start_ns))
    *start_ns = 0;
  *stop_ns = gst_segment_to_stream_time (segment, GST_FORMAT_TIME,
      segment->stop);
}

/* A negative rate reverses the direction that was requested. */
static gboolean
request_is_backward (GstRevBuf * self, gdouble rate)
{
  GST_RETRO_AUTO_LOCK (self);

  return (self->settings.direction == TIMEDSP_BACKWARD) != (rate < 0);
}

/* Makes a request to play @segment. Unless a seek has set its stop (@is_limited), we play to the
 * end of the stream, which may be later than the duration. Hold the lock. */
static GstRevBufRequest
request_of_segment (GstRevBuf * self, const GstSegment * segment,
    guint32 seqnum, GstClockTime duration_ns, gboolean is_limited)
{
  GstRevBufRequest request = {.move = TIMEBLOCKS_GO_TO,.seqnum = seqnum };

  request_place (segment, &request.start_ns, &request.stop_ns);
  request.duration_ns = duration_ns;
  request.last_frame = TIMEDSP_UNKNOWN;
  if (!is_limited && GST_CLOCK_TIME_IS_VALID (duration_ns)
      && request.stop_ns >= duration_ns)
    request.stop_ns = GST_CLOCK_TIME_NONE;
  request.rate = segment->rate;
  request.is_backward = request_is_backward (self, segment->rate);
  request.flags = segment->flags;
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
  GstSeekFlags flags;
  gint64 start, stop;
  gboolean keeps_start, keeps_stop;

  *request = (GstRevBufRequest) {
  .last_frame = TIMEDSP_UNKNOWN};
  gst_event_parse_seek (event, &request->rate, NULL, &flags, &start_type,
      &start, &stop_type, &stop);
  /* without FLUSH, this would need the running time of @asked, but only the
   * output knows the running time */
  if (!request_is_range (asked, start_type, start, stop_type, stop)
      || !gst_segment_do_seek (asked, request->rate, GST_FORMAT_TIME,
          flags | GST_SEEK_FLAG_FLUSH, start_type, start, stop_type, stop,
          NULL))
    return FALSE;
  keeps_start = start_type == GST_SEEK_TYPE_NONE;
  keeps_stop = stop_type == GST_SEEK_TYPE_NONE;
  request->is_backward = request_is_backward (self, asked->rate);
  request->move = (asked->rate < 0 ? keeps_stop && (request->is_backward
          || keeps_start) : keeps_start && (!request->is_backward
          || keeps_stop)) ? TIMEBLOCKS_RESUME : TIMEBLOCKS_GO_TO;
  request->rate = asked->rate;
  request->seqnum = gst_event_get_seqnum (event);
  request->flags = asked->flags;
  if (!(flags & GST_SEEK_FLAG_FLUSH))
    request->flags &= ~GST_SEGMENT_FLAG_RESET;
  request->start_ns = asked->start;
  request->stop_ns = asked->stop;
  request->duration_ns = asked->duration;
  if (asked->rate > 0) {
    request_play_down (request);
  } else if (!request->is_backward && request->start_ns == 0) {
    /* It begins at its stop. If it's played forwards and has no start, we play from there to the
     * end. */
    request->start_ns = MIN (request->stop_ns, request->duration_ns);
    request->stop_ns = GST_CLOCK_TIME_NONE;
  }
  if (request->is_backward && GST_CLOCK_TIME_IS_VALID (asked->duration)
      && request->stop_ns >= asked->duration)
    request->stop_ns = GST_CLOCK_TIME_NONE;     /* the last frame may end after it */
  return TRUE;
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

/* If @request comes from upstream's segment, sets what the application asked for. */
static void
request_set_asked (GstRevBuf * self, const GstRevBufRequest * request,
    gdouble rate)
{
  GstSegment *asked = &self->asked;

  gst_segment_init (asked, GST_FORMAT_TIME);
  asked->rate = rate;
  asked->start = asked->time = request->start_ns;
  asked->stop = request->stop_ns;
  asked->duration = request->duration_ns;
  if (self->stop_is_own) {
    asked->start = MIN (request->stop_ns, request->duration_ns);
    asked->stop = GST_CLOCK_TIME_NONE;
  }
  asked->position = asked->start;
}

void
gst_revbuf_play_segment (GstRevBuf * self, guint32 seqnum,
    GstClockTime duration_ns)
{
  const GstSegment *segment = &self->segment;
  GstRevBufRequest request =
      request_of_segment (self, segment, seqnum, duration_ns, TRUE);

  self->stop_is_own = FALSE;
  self->restart_ns = segment->base;
  request_set_asked (self, &request, segment->rate);
  if (segment->rate >= 0 && (request.start_ns > 0
          || !GST_CLOCK_TIME_IS_VALID (request.stop_ns)))
    request_play_down (&request);
  request.format = self->format;
  request_post (self, &request);
}

void
gst_revbuf_resume (GstRevBuf * self)
{
  GstRevBufRequest request =
      self->pending.has_request ? self->pending.request : self->served;

  request.move = TIMEBLOCKS_RESUME;
  request.is_backward = request_is_backward (self, request.rate);
  request.format.rate = 0;
  request_post (self, &request);
}

/* ---- the stream before the player starts ------------------------------------------- */

void
gst_revbuf_pass_segment (GstRevBuf * self, GstEvent * event)
{
  GstClockTime start_ns, stop_ns;
  const GstSegment *segment;

  gst_event_parse_segment (event, &segment);
  g_hash_table_remove (self->open_seeks,
      GUINT_TO_POINTER (gst_event_get_seqnum (event)));
  if (segment->format != GST_FORMAT_TIME)
    return;
  request_place (segment, &start_ns, &stop_ns);
  /* a segment after a seek or a flush doesn't show where the stream begins */
  if (!GST_CLOCK_TIME_IS_VALID (self->begin_ns))
    self->begin_ns = self->last_seek == GST_SEQNUM_INVALID
        && !(segment->flags & GST_SEGMENT_FLAG_RESET) ? start_ns : 0;
  self->skips_audio = start_ns > self->begin_ns;
  self->passed_ns = GST_CLOCK_TIME_NONE;
}

/* ---- the start of playback --------------------------------------------------------- */

/* A seek may have set the stop of @segment. Otherwise it's only the end of the stream, and may be
 * inexact. If we didn't send the seek, we assume that it did after a flush, and for every segment
 * but the first. */
static GstRevBufRequest
request_first_request (GstRevBuf * self, const GstSegment * segment,
    guint32 seqnum, GstClockTime duration_ns, gint64 last_frame)
{
  /* the segment is the first one, and no seek was sent upstream */
  gboolean fresh = self->segments == 1 && self->last_seek == GST_SEQNUM_INVALID;
  gboolean limited = seqnum == self->last_seek ? self->is_limited :
      self->segments > 1 || (segment->flags & GST_SEGMENT_FLAG_RESET);
  GstRevBufRequest request;
  GstClockTime start_ns, stop_ns;

  request_place (segment, &start_ns, &stop_ns);
  /* the stop is exact to the ns, but the last frame may extend beyond it */
  if (fresh && !limited && !GST_CLOCK_TIME_IS_VALID (duration_ns))
    duration_ns = stop_ns;
  request = request_of_segment (self, segment, seqnum, duration_ns, limited);
  request_set_asked (self, &request, segment->rate);
  if (fresh && !limited)
    self->asked.stop = GST_CLOCK_TIME_NONE;
  if (last_frame == TIMEDSP_UNKNOWN && !fresh && start_ns > 0
      && segment->rate >= 0)
    request_play_down (&request);
  request.move = TIMEBLOCKS_START;
  request.last_frame = last_frame;
  request.is_first = last_frame == TIMEDSP_UNKNOWN;
  if (request.is_first && (fresh || start_ns == 0)) {
    self->record_ns = start_ns;
    if (!fresh)                 /* a seek may have set the stop */
      self->record_stop_ns = request.stop_ns;
  }
  return request;
}

/* Sets the running time where playback continues after the audio that we've passed, and returns
 * the last frame of that audio (UNKNOWN: none). It may end outside the segment, because decoders
 * also send audio from before its start. */
static gint64
request_continue_after (GstRevBuf * self, const GstSegment * segment,
    GstClockTime passed_ns, gint rate)
{
  self->base_ns = segment->base;
  if (!GST_CLOCK_TIME_IS_VALID (passed_ns))
    return TIMEDSP_UNKNOWN;
  passed_ns = CLAMP (passed_ns, segment->start, segment->stop);
  if (segment->rate > 0)
    self->base_ns =
        gst_segment_to_running_time (segment, GST_FORMAT_TIME, passed_ns);
  return gst_retro_frame_at (gst_segment_to_stream_time (segment,
          GST_FORMAT_TIME, passed_ns), rate) - 1;
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
  gint64 last_frame = request_continue_after (self, segment, passed_ns,
      GST_AUDIO_INFO_RATE (info));
  GstSegment asked;

  self->record_ns = self->record_stop_ns = GST_CLOCK_TIME_NONE;
  if (event == NULL) {
    request = request_first_request (self, segment, seqnum, duration_ns,
        last_frame);
  } else {
    request = request_of_segment (self, segment, seqnum, duration_ns, FALSE);
    request_set_asked (self, &request, segment->rate);
    asked = self->asked;
    if (!request_of_seek (self, event, &asked, &request))
      return FALSE;
    self->asked = asked;
    request.move = TIMEBLOCKS_START;
  }
  g_ptr_array_set_size (self->formats, 0);
  self->format = gst_revbuf_formats_find (self->formats, info);
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
      || gst_revbuf_ask_source (self, &info) != GST_REVBUF_SEEKS)
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
