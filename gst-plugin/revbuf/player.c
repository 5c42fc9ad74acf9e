/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The player's task: what it fetches, plays and sends.
 */

#include "revbuf/gstrevbuf.h"

/* If the audio ends this much earlier than upstream says, we report it. Decoders drop the
 * encoder's padding, a few packets at most. Among the formats in docs/formats.md, AAC in MP4 is
 * the worst, at 31 ms. */
#define MAX_PADDING_NS (500 * GST_MSECOND)

/* Seqnums of fetches: a mark, the number of the element, and a counter. gst_util_seqnum_next()
 * only reaches the mark after two billion events. Without the mark, two revbufs on the same
 * source would take each other's fetches for seeks from the application, and keep flushing each
 * other for ever. */
#define FETCH_MARK 0x7a000000u
#define FETCH_MARK_MASK 0xff000000u
#define FETCH_COUNT_MASK 0x00000fffu
#define FETCH_ELEMENT_SHIFT 12

/* The most fetches in a row without any output. A working source needs fewer, because we double
 * the distance each time we look for the end or for the right preroll. */
#define MAX_FETCHES 100

/* Maximum correction of timestamps. GStreamer's sinks and encoders accept timestamps that are off
 * by 40 ms, and our own elements accept 1/32 s. */
#define MAX_STEP_NS (GST_SECOND / 32)

/* We extend a segment by its length divided by this, because upstream's timestamps may fall
 * slightly short of the frames. With MP3, it's by 1 / 26,000,000. */
#define DRIFT_DIVISOR 10000000

/* We warn if nothing happens for this long. */
#define PATIENCE_SECONDS 5

/* ---- the right to send --------------------------------------------------------- */

void
gst_revbuf_begin_sending (GstRevBuf * self)
{
  GST_PAD_STREAM_LOCK (self->srcpad);
  self->sends++;
}

void
gst_revbuf_end_sending (GstRevBuf * self)
{
  GstEvent *event;
  gboolean stops;

  for (; self->sends == 1 && self->open_stops > 0; self->open_stops--) {
    g_mutex_lock (&self->lock);
    if (self->open_flushes > 0)
      self->open_flushes--;
    stops = self->open_flushes == 0 && self->in.awaited != GST_EVENT_FLUSH_STOP;
    gst_revbuf_changed (self);
    g_mutex_unlock (&self->lock);
    gst_revbuf_reset_running_time (self);
    if (!stops)
      continue;
    event = gst_event_new_flush_stop (TRUE);
    gst_event_set_seqnum (event, self->flush_seqnum);
    gst_pad_push_event (self->srcpad, event);
  }
  self->sends--;
  GST_PAD_STREAM_UNLOCK (self->srcpad);
}

/* ---- waiting -------------------------------------------------------------------- */

/* Warns that branches of the same source may wait for each other. Not while the pipeline is paused,
 * because then it waits for the application. */
static void
player_warn_of_wait (GstRevBuf * self)
{
  g_autoptr (GstObject) pipeline = gst_retro_pipeline_of (GST_OBJECT (self));
  gboolean is_paused;

  GST_OBJECT_LOCK (pipeline);
  is_paused = GST_STATE (pipeline) == GST_STATE_PAUSED
      && GST_STATE_PENDING (pipeline) == GST_STATE_VOID_PENDING;
  GST_OBJECT_UNLOCK (pipeline);
  if (is_paused
      || !g_atomic_int_compare_and_exchange (&self->has_told_of_wait, FALSE,
          TRUE))
    return;
  GST_REVBUF_WARN (self, RESOURCE, READ, "no-progress",
      "%s has made no progress for %d s: if another branch shares its source, "
      "give the audio a source of its own, or reverse it before the stream is "
      "split (to play a film backwards, seek with a negative rate).",
      GST_OBJECT_NAME (self), PATIENCE_SECONDS);
}

void
gst_revbuf_wait (GstRevBuf * self)
{
  gboolean waits_for_audio = self->in.upstream != UPSTREAM_PARKED;

  if (g_cond_wait_until (&self->changed, &self->lock, g_get_monotonic_time ()
          + PATIENCE_SECONDS * G_TIME_SPAN_SECOND) || self->in.is_let_go)
    return;
  g_mutex_unlock (&self->lock);
  if (waits_for_audio || gst_revbuf_examine (self->sinkpad).is_shared)
    player_warn_of_wait (self);
  g_mutex_lock (&self->lock);
}

/* ---- the input of the task ------------------------------------------------------- */

void
gst_revbuf_refresh (GstRevBuf * self)
{
  TimeBlocksState state;
  gdouble heard;

  timeblocks_get_state (self->blocks, &state);
  /* while the tape runs, the blocks are at one end of the window */
  if (self->tape.is_running) {
    self->tape.direction = state.velocity < 0 ? -1 : 1;
    heard = gst_revbuf_tape_velocity (self);
    state.velocity = heard != 0 ? heard : self->state.velocity;
    state.boundary = gst_revbuf_tape_boundary (self, state.velocity);
  }
  g_mutex_lock (&self->lock);
  self->state = state;
  g_mutex_unlock (&self->lock);
}

void
gst_revbuf_fail (GstRevBuf * self, guint code)
{
  self->failure = (TimeBlocksReport) {
  .code = (TimeBlocksCode) code};
  self->has_failure = TRUE;
}

/* Waits, without the right to send, until `changes` differs from @changes. */
static void
player_wait_for_change (GstRevBuf * self, guint changes)
{
  GST_PAD_STREAM_UNLOCK (self->srcpad);
  g_mutex_lock (&self->lock);
  while (!self->is_stopping && self->changes == changes)
    gst_revbuf_wait (self);
  g_mutex_unlock (&self->lock);
  GST_PAD_STREAM_LOCK (self->srcpad);
}

static TimeBlocksSettings
player_blocks_settings (const GstRevBufSettings * settings, gint rate)
{
  GstClockTime block_ns = gst_revbuf_block_time (settings, FALSE);
  TimeBlocksSettings blocks = {.loop = settings->loop };

  blocks.max_block_frames = gst_retro_frame_at (block_ns, rate);
  blocks.preroll_frames = gst_revbuf_frame_at (settings->preroll_time_ns, rate);
  blocks.max_memory_bytes = settings->storage.max_memory_bytes;
  blocks.is_exact = !settings->is_smooth;
  blocks.loop_start_frame = gst_revbuf_frame_at (settings->loop_start_ns, rate);
  blocks.loop_stop_frame = gst_revbuf_frame_at (settings->loop_stop_ns, rate);
  return blocks;
}

static void
player_open_stream (GstRevBuf * self)
{
  GstRevBufSettings settings = gst_revbuf_get_settings (self);
  TimeBlocksSettings now;
  GST_RETRO_HOLD (&self->lock);
  gint rate = self->format.rate;

  now = player_blocks_settings (&settings, rate);
  self->is_opening = self->pending.has_settings = FALSE;
  timeblocks_open (self->blocks, &self->format, &now,
      MAX (gst_revbuf_frame_at (self->begin_ns, rate), 0));
  if (GST_CLOCK_TIME_IS_VALID (self->record_ns))
    self->decode = timeblocks_record_start (self->blocks,
        gst_retro_frame_at (self->record_ns, rate),
        gst_revbuf_frame_at (self->record_stop_ns, rate));
  self->is_recording = self->decode != NULL;
  if (self->is_recording)
    self->in.upstream = UPSTREAM_FILLING;
  self->out = (GstRevBufOutput) {
  .base_ns = self->base_ns};
  gst_segment_init (&self->out.segment, GST_FORMAT_TIME);
  gst_retro_clock_clear (&self->out.clock, rate);
  self->stage = STAGE_STOPPED;
  self->pass_frames = self->recorded_frames = 0;
  self->has_failure = self->ends_stream = self->has_reported_end = FALSE;
  self->must_open_segment = FALSE;
  self->estimate_frame = TIMEDSP_UNKNOWN;
  self->tells_direction_change = self->tells_loop_pass = FALSE;
  timeblocks_get_state (self->blocks, &self->state);
  gst_revbuf_changed (self);
}

/* ---- running time ------------------------------------------------------------- */

/* We count all frames at the current rate, so that rounding errors don't add up over many
 * segments. */
GstClockTime
gst_revbuf_output_running_time (const GstRevBufOutput * out)
{
  if (out->clock.rate <= 0)
    return out->base_ns;
  return out->base_ns + timedsp_scale_time (gst_retro_time_at (out->n_frames,
          out->clock.rate), 1 / out->segment.rate);
}

static void
player_change_rate (GstRevBufOutput * out, gdouble rate)
{
  out->base_ns = gst_revbuf_output_running_time (out);
  out->n_frames = 0;
  out->segment.rate = rate;
}

/* ---- times --------------------------------------------------------------------- */

static GstClockTime
player_time_of (GstRevBuf * self, gint64 frame)
{
  const GstRevBufRequest *served = &self->served;
  gint rate = self->out.clock.rate;

  if (gst_retro_frame_at (served->start_ns, rate) == frame)
    return served->start_ns;
  if (gst_revbuf_frame_at (served->stop_ns, rate) == frame && frame >= 0)
    return served->stop_ns;
  return gst_retro_time_at (frame, rate);
}

/* ---- segments -------------------------------------------------------------------- */

void
gst_revbuf_begin_segment (GstRevBuf * self)
{
  const TimeBlocksState *state = &self->state;
  GstRevBufOutput *out = &self->out;
  GstSegment *segment = &out->segment;
  gint rate = out->clock.rate;
  gint64 boundary = MAX (state->boundary, 0);
  gboolean is_backward = state->velocity < 0;
  gint64 first = is_backward ? MIN (state->pass_first_frame, boundary) :
      boundary;
  gint64 end = is_backward ? boundary : state->pass_end_frame;

  segment->start = player_time_of (self, first);
  segment->stop = GST_CLOCK_TIME_NONE;
  if (end != TIMEDSP_UNKNOWN) {
    if (state->left_frames != G_MAXINT64)
      end = MAX (end, first + MAX (state->left_frames, 0));
    segment->stop = player_time_of (self, end)
        + gst_retro_time_at ((end - first) / DRIFT_DIVISOR, rate);
  }
  segment->applied_rate = is_backward ? -1 : 1;
  segment->time = segment->start;
  segment->base = gst_revbuf_output_running_time (out);
  gst_retro_clock_start (&out->clock, gst_retro_time_at (first, rate));
}

/* Makes room for @n_frames (G_MAXINT64: unknown) before the stop, if the stream has more frames
 * than its timestamps say. Timestamps step back by the missing time. If that's too much, we move
 * the stop instead, and return TRUE. The segment then has to be sent again, which makes encoders
 * start over. */
static gboolean
player_make_room (GstRevBufOutput * out, gint64 n_frames)
{
  GstClockTime needed_ns = gst_util_uint64_scale_ceil (n_frames, GST_SECOND,
      out->clock.rate);
  GstSegment *segment = &out->segment;
  GstClockTime room_ns = segment->stop - MIN (segment->stop, out->clock.now_ns);

  if (n_frames == G_MAXINT64 || !GST_CLOCK_TIME_IS_VALID (segment->stop)
      || n_frames <= gst_retro_frame_at (room_ns, out->clock.rate))
    return FALSE;
  if (needed_ns <= room_ns + MAX_STEP_NS
      && needed_ns <= segment->stop - segment->start) {
    gst_retro_clock_start (&out->clock, segment->stop - needed_ns);
    return FALSE;
  }
  segment->stop = out->clock.now_ns + needed_ns;
  return TRUE;
}

void
gst_revbuf_tell_news (GstRevBuf * self)
{
  if (self->tells_direction_change)
    gst_revbuf_report_news (self, "revbuf-direction-change", 0, NULL);
  if (self->tells_loop_pass)
    gst_revbuf_report_news (self, "revbuf-loop-pass", 0, NULL);
  self->tells_direction_change = self->tells_loop_pass = FALSE;
}

void
gst_revbuf_push_segment (GstRevBuf * self)
{
  GstRevBufRequest *served = &self->served;
  GstRevBufOutput *out = &self->out;
  const GstAudioInfo *info = self->state.format.id;
  g_autoptr (GstCaps) now = NULL;
  g_autoptr (GstCaps) caps = NULL;
  GstAudioInfo known;

  out->is_sent = TRUE;
  out->segment.flags = served->flags;
  served->flags &= ~GST_SEGMENT_FLAG_RESET;
  out->segment.position = out->segment.start;
  out->segment.duration = served->duration_ns;
  self->output.seqnum = served->seqnum;
  now = gst_pad_get_current_caps (self->srcpad);
  if (now == NULL || !gst_audio_info_from_caps (&known, now)
      || !gst_audio_info_is_equal (&known, info)) {
    caps = gst_audio_info_to_caps (info);
    gst_pad_push_event (self->srcpad, gst_event_new_caps (caps));
  }
  if (gst_revbuf_send_segment (self, &out->segment))
    out->segment.stop = GST_CLOCK_TIME_NONE;
  gst_revbuf_tell_news (self);
}

static void
player_send_segment (GstRevBuf * self)
{
  if (!self->out.is_sent)
    gst_revbuf_begin_segment (self);
  else if (!player_make_room (&self->out, self->state.left_frames))
    return;
  gst_revbuf_push_segment (self);
}

/* ---- frames ------------------------------------------------------------------------ */

GstFlowReturn
gst_revbuf_send_buffer (GstRevBuf * self, GstBuffer * buffer, gsize n_frames)
{
  GstRevBufOutput *out = &self->out;
  const GstSegment *segment = &out->segment;
  GstClockTime pts_ns =
      CLAMP (out->clock.now_ns, segment->start, segment->stop);
  GstFlowReturn ret;

  if (out->is_broken)
    out->clock.offset_frames = 0;
  out->clock.discont = out->is_broken;
  gst_retro_clock_stamp (&out->clock, buffer, n_frames);
  GST_BUFFER_PTS (buffer) = pts_ns;
  GST_BUFFER_DURATION (buffer) =
      CLAMP (out->clock.now_ns, pts_ns, segment->stop) - pts_ns;
  out->is_broken = FALSE;
  out->n_frames += n_frames;
  ret = gst_revbuf_push (self, buffer);
  if (ret == GST_FLOW_NOT_LINKED || ret == GST_FLOW_NOT_NEGOTIATED)
    GST_ELEMENT_FLOW_ERROR (self, ret);
  return ret;
}

static GstFlowReturn
player_send_frames (GstRevBuf * self, const TimeBlocksSpan * span)
{
  const GstAudioInfo *info = span->format.id;
  gconstpointer *planes = g_newa (gconstpointer, span->format.planes);
  GstBuffer *buffer;
  guint p;

  for (p = 0; p < span->format.planes; p++)
    planes[p] = (const guint8 *) span->samples + p * span->plane_bytes;
  buffer = gst_retro_buffer_new_copy (info, planes, 0, span->frames,
      self->state.velocity < 0);
  if (buffer == NULL)
    return gst_revbuf_fail_memory (self);
  return gst_revbuf_send_buffer (self, buffer, span->frames);
}

/* ---- events and messages -------------------------------------------------------------- */

/* We don't use gst_tag_list_is_equal(): for each value it searches the other list, which takes a
 * minute for 50,000 values. */
static gboolean
player_has_same_tags (GstEvent * event, GstEvent * other_event)
{
  GstTagList *one, *other;
  gint count;

  gst_event_parse_tag (event, &one);
  gst_event_parse_tag (other_event, &other);
  count = gst_tag_list_n_tags (one);
  if (gst_tag_list_n_tags (other) != count
      || gst_tag_list_get_scope (other) != gst_tag_list_get_scope (one))
    return FALSE;
  for (gint i = 0; i < count; i++) {
    const gchar *tag = gst_tag_list_nth_tag_name (one, i);
    guint n = gst_tag_list_get_tag_size (one, tag);

    if (gst_tag_list_get_tag_size (other, tag) != n)
      return FALSE;
    while (n-- > 0)
      if (gst_value_compare (gst_tag_list_get_value_index (one, tag, n),
              gst_tag_list_get_value_index (other, tag, n)) != GST_VALUE_EQUAL)
        return FALSE;
  }
  return TRUE;
}

void
gst_revbuf_send_waiting (GstRevBuf * self)
{
  GstPad *srcpad = self->srcpad;
  GstEvent *event;
  GQueue events;

  g_mutex_lock (&self->lock);
  events = self->events;
  g_queue_init (&self->events);
  g_mutex_unlock (&self->lock);
  while ((event = g_queue_pop_head (&events)) != NULL) {
    g_autoptr (GstEvent) known = GST_EVENT_TYPE (event) == GST_EVENT_TAG ?
        gst_pad_get_sticky_event (srcpad, GST_EVENT_TAG, 0) : NULL;

    if (known != NULL && player_has_same_tags (known, event))
      gst_event_unref (event);
    else
      gst_pad_push_event (srcpad, event);
  }
}

static void
player_send_end (GstRevBuf * self)
{
  gint64 position_ns = player_time_of (self, self->state.boundary);
  guint32 seqnum = self->served.seqnum;
  GstEvent *event;

  if ((self->served.flags & GST_SEGMENT_FLAG_SEGMENT) && !self->ends_stream) {
    gst_retro_output_close_segment (&self->output, position_ns, seqnum);
    event = gst_event_new_segment_done (GST_FORMAT_TIME, position_ns);
  } else {
    event = gst_event_new_eos ();
  }
  gst_event_set_seqnum (event, seqnum);
  gst_pad_push_event (self->srcpad, event);
}

/* ---- seqnums of fetches ------------------------------------------------------ */

gboolean
gst_revbuf_is_fetch (guint32 seqnum)
{
  return (seqnum & FETCH_MARK_MASK) == FETCH_MARK;
}

gboolean
gst_revbuf_is_own (GstRevBuf * self, guint32 seqnum)
{
  return self->fetching == g_thread_self ()
      || ((seqnum ^ self->seqnum) & ~FETCH_COUNT_MASK) == 0;
}

/* ---- fetching ---------------------------------------------------------------------------- */

static gboolean
player_send_seek (GstRevBuf * self, GstClockTime stop_ns, GstSeekFlags flags)
{
  g_autoptr (GstObject) pipeline = gst_retro_pipeline_of (GST_OBJECT (self));
  GstEvent *event = gst_event_new_seek (1.0, GST_FORMAT_TIME,
      flags | GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_ACCURATE, GST_SEEK_TYPE_SET,
      self->fetch_ns, GST_SEEK_TYPE_SET, stop_ns);

  GST_DEBUG_OBJECT (self, "fetching from %" GST_TIME_FORMAT,
      GST_TIME_ARGS (self->fetch_ns));
  gst_event_set_seqnum (event, self->seqnum);
  GST_RETRO_HOLD (gst_revbuf_source_seeks_of (pipeline));
  return gst_pad_push_event (self->sinkpad, event);
}

/* Seeks upstream, without the right to send. We try a segment seek first, because it doesn't end
 * with EOS, which would make decodebin report that the stream is about to finish. But other
 * branches of the same source need EOS at the right time. */
static gboolean
player_seek_upstream (GstRevBuf * self, GstClockTime stop_ns,
    gboolean is_last, gboolean * is_flushing)
{
  GstRevBufNeighbours source = gst_revbuf_examine (self->sinkpad);
  gboolean ends_early = !is_last
      || (self->served.flags & GST_SEGMENT_FLAG_SEGMENT);
  gboolean ok = FALSE;

  if (!source.is_shared && ends_early && source.ends_segments) {
    /* while a segment is open, the bins around the element don't post SEGMENT_DONE, which hides
     * the ones from upstream that only answer our own seeks */
    if (!g_atomic_int_get (&self->output.is_segment_open))
      gst_retro_output_open_segment (&self->output, TRUE,
          self->served.start_ns, self->served.seqnum);
    ok = player_send_seek (self, stop_ns, GST_SEEK_FLAG_SEGMENT);
  }
  if (!ok && (!is_last || !source.is_shared || self->stage == STAGE_COLLECTING))
    ok = player_send_seek (self, stop_ns, 0);
  *is_flushing = !ok && gst_revbuf_examine (self->sinkpad).is_flushing;
  return ok;
}

/* Sends the seek for the latest fetch. */
static void
player_fetch (GstRevBuf * self)
{
  GstClockTime stop_ns = self->fetch_stop_ns;
  GstRevBufInflow *in = &self->in;
  gboolean ok, is_last, is_flushing;

  g_mutex_lock (&self->lock);
  self->seqnum = (self->seqnum & ~FETCH_COUNT_MASK)
      | ((self->seqnum + 1) & FETCH_COUNT_MASK);
  self->in.upstream = UPSTREAM_ASKED;
  self->in.end = NOT_ENDED;
  self->in.next_waits = self->in.is_let_go = FALSE;
  self->in.is_fetched = TRUE;
  self->fetching = g_thread_self ();
  is_last = self->in.is_last;
  if (!GST_CLOCK_TIME_IS_VALID (stop_ns) && self->is_bounded)
    stop_ns = G_MAXINT64;
  gst_revbuf_changed (self);
  g_mutex_unlock (&self->lock);

  GST_PAD_STREAM_UNLOCK (self->srcpad);
  ok = player_seek_upstream (self, stop_ns, is_last, &is_flushing);
  g_mutex_lock (&self->lock);
  self->fetching = NULL;
  /* upstream has refused it, and no seek or other flush leads to a new fetch anyway */
  if (!ok && in->upstream == UPSTREAM_ASKED && !self->pending.has_request
      && in->awaited == GST_EVENT_UNKNOWN && !in->is_contested) {
    in->upstream = is_flushing ? UPSTREAM_REFUSED : UPSTREAM_PARKED;
    in->next_frame = TIMEDSP_UNKNOWN;
    if (is_last)
      in->end = STREAM_ENDED;
    if (!is_flushing && !is_last) {
      if (self->next != NULL)
        timeblocks_cancel (self->blocks, g_steal_pointer (&self->next));
      gst_revbuf_fail (self, GST_REVBUF_SEEK_REFUSED);
    }
  }
  gst_revbuf_changed (self);
  g_mutex_unlock (&self->lock);
  GST_PAD_STREAM_LOCK (self->srcpad);
}

/* Hold the lock. */
static void
player_drop_decodes (GstRevBuf * self)
{
  g_clear_pointer (&self->decode, timedecode_free);
  g_clear_pointer (&self->next, timedecode_free);
  g_clear_pointer (&self->arrived, timedecode_free);
}

/* Replaces the decode that's on its way with @decode (nullable). */
static void
player_replace_decode (GstRevBuf * self, TimeDecode * decode, gboolean is_last)
{
  GST_RETRO_HOLD (&self->lock);

  player_drop_decodes (self);
  self->next = decode;
  self->in.is_last = is_last;
  self->in.is_rest = self->stage == STAGE_COLLECTING;
}

/* Fills @decode right after the previous one, if upstream is waiting where it begins. */
static gboolean
player_continue_with (GstRevBuf * self, TimeDecode * decode)
{
  GstRevBufInflow *in = &self->in;
  GST_RETRO_HOLD (&self->lock);

  if (in->upstream != UPSTREAM_PARKED || !in->is_fetched || in->is_let_go
      || in->is_flushing || self->decode != NULL
      || !timedecode_continue (decode, in->next_frame))
    return FALSE;
  self->decode = decode;
  in->upstream = UPSTREAM_FILLING;
  if (in->end != NOT_ENDED) {
    timedecode_end (decode);
    gst_revbuf_end_decode (self);
  }
  gst_revbuf_changed (self);
  return TRUE;
}

/* Returns TRUE if we may hand over to the next stream: it's waiting, and we've played this one to
 * its end. The direction may have changed after that. */
static gboolean
player_may_hand_over (GstRevBuf * self, const GstRevBufInflow * in)
{
  return in->next_waits && !in->is_flushing && !in->is_let_go
      && (in->is_last || self->state.velocity > 0);
}

static void
player_fetch_decode (GstRevBuf * self, const TimeBlocksFetch * wanted)
{
  guint64 halves_per_second = 2 * (guint64) self->out.clock.rate;

  if (wanted->may_continue && player_continue_with (self, wanted->decode))
    return;
  if (self->seen.is_followed) {
    timeblocks_cancel (self->blocks, wanted->decode);
    if (self->seen.is_last && player_may_hand_over (self, &self->seen))
      self->stage = STAGE_ENDING;
    else
      gst_revbuf_fail (self, GST_REVBUF_IS_FOLLOWED);
    return;
  }
  if (++self->n_fetches > MAX_FETCHES) {
    timeblocks_cancel (self->blocks, wanted->decode);
    gst_revbuf_fail (self, TIMEBLOCKS_NO_AUDIO);
    return;
  }
  player_replace_decode (self, wanted->decode, FALSE);
  self->fetch_ns = MIN (gst_util_uint64_scale (wanted->seek_half_frames,
          GST_SECOND, halves_per_second), G_MAXINT64);
  self->fetch_stop_ns = GST_CLOCK_TIME_NONE;
  player_fetch (self);
}

gboolean
gst_revbuf_fetch_wanted (GstRevBuf * self, TimeDecode * arrived)
{
  GstClockTime end_ns;
  TimeBlocksFetch wanted;
  TimeBlocksWant want = timeblocks_want (self->blocks, arrived,
      self->estimate_frame, &wanted, &self->failure);

  self->estimate_frame = TIMEDSP_UNKNOWN;
  gst_revbuf_refresh (self);
  switch (want) {
    case TIMEBLOCKS_FAILED:
      self->has_failure = TRUE;
      return TRUE;
    case TIMEBLOCKS_THE_END:   /* we haven't seen it yet, so we ask upstream */
      GST_PAD_STREAM_UNLOCK (self->srcpad);
      end_ns = gst_retro_pad_duration (self->sinkpad);
      GST_PAD_STREAM_LOCK (self->srcpad);
      if (!GST_CLOCK_TIME_IS_VALID (end_ns))
        end_ns = self->promise_ns;
      self->estimate_frame =
          MAX (gst_revbuf_frame_at (end_ns, self->out.clock.rate), 0);
      return TRUE;
    case TIMEBLOCKS_FETCH:
      player_fetch_decode (self, &wanted);
      return TRUE;
    default:
      return FALSE;
  }
}

/* Shortly before the last pass ends, fetches once more, without needing the audio. That lets
 * upstream reach the end of the stream, or of the application's segment. All other fetches are
 * segment seeks, after which upstream sends no EOS: if EOS came earlier, a player would continue
 * with its next song. Backwards, the stream ends at its beginning, so only a segment seek needs
 * this. Returns FALSE if it isn't time yet. */
static gboolean
player_fetch_last (GstRevBuf * self)
{
  const TimeBlocksState *state = &self->state;
  gboolean is_segment = (self->served.flags & GST_SEGMENT_FLAG_SEGMENT) != 0;
  gint64 second = self->out.clock.rate, left = MAX (state->left_frames, 0);
  gint64 boundary = MAX (state->boundary, 0), end, first, stop;

  if (!state->is_last_pass || state->is_fetching || self->seen.is_last
      || (state->velocity < 0 && !is_segment) || left > second
      || (self->seen.upstream == UPSTREAM_PARKED
          && self->seen.end >= (is_segment ? SEGMENT_ENDED : STREAM_ENDED)))
    return FALSE;
  end = state->velocity < 0 ? MAX (boundary - left, 0) : boundary + left;
  first = MAX (end - second, state->first_frame);
  stop = is_segment ? MAX (end, first + second / 10) :
      MAX (state->pass_end_frame, first);
  player_replace_decode (self, NULL, TRUE);
  self->fetch_ns = gst_retro_time_at (first, second);
  self->fetch_stop_ns = GST_CLOCK_TIME_NONE;
  self->last_stop_frame = G_MAXINT64;
  if (is_segment || state->stops_early) {
    self->fetch_stop_ns = gst_retro_time_at (stop, second);
    self->last_stop_frame = stop + second;
  }
  player_fetch (self);
  return TRUE;
}

/* ---- seeks that end up in the wrong place -------------------------------------------------- */

/* Decodes from the start of the stream to get what's left to play, for mode=collect. */
static void
player_collect_rest (GstRevBuf * self)
{
  const GstRevBufRequest *served = &self->served;
  gboolean continues = self->pass_frames > 0
      || served->move == TIMEBLOCKS_RESUME
      || served->last_frame != TIMEDSP_UNKNOWN;
  GstClockTime seen_ns = player_time_of (self, continues ?
      self->state.boundary : self->recorded_frames);

  self->stage = STAGE_COLLECTING;
  player_replace_decode (self, NULL, TRUE);
  self->owed_ns = seen_ns;
  self->fetch_ns = 0;
  self->fetch_stop_ns = continues ? seen_ns : served->stop_ns;
  self->last_stop_frame = G_MAXINT64;
  player_fetch (self);
}

/* ---- requests ------------------------------------------------------------------------ */

static void
player_serve (GstRevBuf * self, const GstRevBufRequest * request)
{
  GstRevBufOutput *out = &self->out;
  gboolean jumps = request->move == TIMEBLOCKS_GO_TO
      || (request->move == TIMEBLOCKS_START
      && request->last_frame == TIMEDSP_UNKNOWN);
  gint rate = out->clock.rate;
  TimeBlocksTarget target = {.move = request->move };

  out->is_sent = FALSE;
  self->pass_frames = self->n_fetches = 0;
  out->is_broken |= jumps;
  player_change_rate (out, ABS (request->rate));
  if (request->format.rate > 0 && rate != (gint) request->format.rate) {
    rate = request->format.rate;
    gst_retro_clock_clear (&out->clock, rate);
  }
  target.velocity = request->is_backward ? -1 : 1;
  target.start_frame = gst_retro_frame_at (request->start_ns, rate);
  target.stop_frame = gst_revbuf_frame_at (request->stop_ns, rate);
  target.end_frame = gst_revbuf_frame_at (request->duration_ns, rate);
  target.last_frame = request->last_frame;
  target.format = request->format;
  timeblocks_go (self->blocks, &target);
  self->tells_direction_change = !request->is_first
      && request->is_backward != gst_revbuf_is_reversed (self);
  self->promise_ns = request->duration_ns;
}

/* Picks up the input before each step. Returns the decode that has arrived. Hold the lock.
 *
 * Playback that begins without a seek waits until we've recorded the start of the stream. By then,
 * parsers have seen enough to know the duration. If recording has failed, we report that first. */
static TimeDecode *
player_take_input (GstRevBuf * self, GstRevBufPending * input)
{
  static const GstRevBufPending none;
  GstRevBufPending *waiting = &self->pending;

  if (waiting->has_request && !(self->is_recording
          && waiting->request.move == TIMEBLOCKS_START)
      && !(self->has_failure && self->stage == STAGE_STOPPED)) {
    self->is_recording = FALSE;
    if (self->in.is_rest)
      self->in.is_rest = self->in.is_last = self->in.next_waits = FALSE;
    if (self->restarts_time) {
      self->out.base_ns = self->restart_ns;
      self->out.n_frames = 0;
      self->out.is_broken = TRUE;
    }
    self->restarts_time = FALSE;
    self->served = waiting->has_resume ? waiting->resume : waiting->request;
    self->stage = STAGE_PLAYING;
  }
  *input = none;
  if (self->stage == STAGE_PLAYING) {
    *input = *waiting;
    *waiting = none;
    if (input->has_stop)
      self->served.seqnum = input->stop_seqnum;
  }
  self->seen = self->in;
  return self->stage == STAGE_PLAYING || self->is_recording ?
      g_steal_pointer (&self->arrived) : NULL;
}

/* Sets the playback rate of the next frames. `speed` doesn't affect it while the tape plays, or
 * if there's an encoder downstream, because an encoder would end its file at a new rate. */
static void
player_set_rate (GstRevBuf * self)
{
  const GstRevBufTape *tape = &self->tape;
  gdouble rate;

  self->rate_factor = !tape->resamples && !tape->is_running
      && !tape->is_scrubbing
      && !gst_retro_output_has_encoder (&self->output) ?
      CLAMP (ABS (tape->speed), GST_REVBUF_MIN_RATE, TIMESPEED_MAX_SPEED) : 1;
  rate = ABS (self->served.rate) * self->rate_factor;
  if (rate == self->out.segment.rate)
    return;
  player_change_rate (&self->out, rate);
  self->out.is_sent = FALSE;
}

static void
player_apply_input (GstRevBuf * self, const GstRevBufPending * input)
{
  GstRevBufSettings settings;
  TimeBlocksSettings now;
  gint velocity;

  settings = gst_revbuf_get_settings (self);
  if (input->has_settings || input->has_request)
    gst_revbuf_tape_park (self);
  if (input->has_settings) {
    now = player_blocks_settings (&settings, self->out.clock.rate);
    if (timeblocks_configure (self->blocks, &now))
      self->out.is_sent = FALSE;
  }
  if (input->has_request)
    player_serve (self, &input->request);
  if (input->has_resume)
    player_serve (self, &input->resume);
  velocity = (settings.direction == TIMEDSP_BACKWARD) !=
      (self->served.rate < 0) ? -1 : 1;
  if (input->has_request) {
    self->ends_stream = self->is_stopped = self->has_failure = FALSE;
    self->must_open_segment =
        (self->served.flags & GST_SEGMENT_FLAG_SEGMENT) != 0;
    self->tape.is_running = self->tape.is_scrubbing = FALSE;
    self->tape.sign = velocity;
  }
  gst_revbuf_tape_configure (self, &settings, input);
  player_set_rate (self);
  if (!input->has_direction_change || gst_revbuf_tape_is_wanted (self))
    return;
  self->tape.sign = velocity;
  if (!timeblocks_set_velocity (self->blocks, velocity))
    return;
  self->out.is_sent = FALSE;
  self->pass_frames = 0;
  self->begins_at_end = FALSE;
  self->tells_direction_change = TRUE;
  self->served.move = TIMEBLOCKS_RESUME;
}

/* Frees everything that belongs to the stream. Hold the lock. */
static void
player_clear (GstRevBuf * self)
{
  self->in = (GstRevBufInflow) {
  .awaited = GST_EVENT_UNKNOWN};
  self->pending = (GstRevBufPending) {
  .has_request = FALSE};
  g_hash_table_remove_all (self->open_seeks);
  self->last_seek = GST_SEQNUM_INVALID;
  self->segments = 0;
  self->begin_ns = self->passed_ns = GST_CLOCK_TIME_NONE;
  self->playhead_ns = GST_CLOCK_TIME_NONE;
  self->stop_is_own = self->is_limited = FALSE;
  self->stage = STAGE_STOPPED;
  self->rate_factor = 1;
  gst_revbuf_tape_clear (&self->tape);
  player_drop_decodes (self);
  if (self->blocks != NULL)
    timeblocks_clear (self->blocks);
}

/* ---- ends --------------------------------------------------------------------------------- */

/* Warns if the stream ends earlier than upstream says. A duration from a header stays the same.
 * Without a header, MP3 and AAC parsers estimate it from the bit rate, and their estimate
 * changes, so we don't warn. Returns whether we released the right to send. */
static gboolean
player_compare_end (GstRevBuf * self)
{
  GstClockTime promised_ns = self->promise_ns, told_ns = GST_CLOCK_TIME_NONE;
  GstClockTime end_ns =
      gst_retro_time_at (self->state.end_frame, self->out.clock.rate);
  GstStructure *details;

  if (self->seen.is_followed || self->state.end_frame == TIMEDSP_UNKNOWN
      || !GST_CLOCK_TIME_IS_VALID (promised_ns)
      || end_ns + MAX_PADDING_NS >= promised_ns)
    return FALSE;
  self->promise_ns = GST_CLOCK_TIME_NONE;
  GST_PAD_STREAM_UNLOCK (self->srcpad);
  if (!gst_revbuf_examine (self->sinkpad).has_others)
    told_ns = gst_retro_pad_duration (self->sinkpad);
  if (told_ns == promised_ns && !self->has_reported_end) {
    self->has_reported_end = TRUE;
    details = gst_revbuf_details ("ends-early");
    gst_structure_set (details, "duration", G_TYPE_UINT64, promised_ns,
        "stream-time", G_TYPE_UINT64, end_ns, NULL);
    gst_revbuf_post (self, GST_MESSAGE_WARNING, GST_RESOURCE_ERROR,
        GST_RESOURCE_ERROR_SEEK, details, "Upstream states that the stream "
        "lasts %.3f s, but after a seek it ended at %.3f s: check that the file "
        "is complete, or set mode=collect on %s to play it without seeks.",
        promised_ns / 1e9, end_ns / 1e9, GST_OBJECT_NAME (self));
  }
  GST_PAD_STREAM_LOCK (self->srcpad);
  return TRUE;
}

/* The next stream begins where this one ended, unless there's been a seek or a flush since. */
static void
player_hand_over (GstRevBuf * self)
{
  gboolean hands_over;

  gst_revbuf_begin_sending (self);
  g_mutex_lock (&self->lock);
  hands_over = !self->pending.has_request
      && player_may_hand_over (self, &self->in);
  if (hands_over) {
    player_clear (self);
    g_atomic_int_set (&self->is_active, FALSE);
    self->next_base_ns = gst_revbuf_output_running_time (&self->out)
        + self->shift_ns;
    gst_revbuf_changed (self);
  }
  g_mutex_unlock (&self->lock);
  if (hands_over)
    gst_revbuf_send_waiting (self);
  gst_revbuf_end_sending (self);
}

static void
player_finish_pass (GstRevBuf * self)
{
  /* we've played something from the end, but never found out where that is */
  gboolean has_no_end = self->begins_at_end && self->pass_frames > 0
      && self->state.end_frame == TIMEDSP_UNKNOWN;

  if (self->state.is_lost || has_no_end) {
    gst_revbuf_fail (self, TIMEBLOCKS_NO_AUDIO);
  } else if (timeblocks_next_pass (self->blocks)) {
    self->out.is_sent = FALSE;
    self->pass_frames = 0;
    self->begins_at_end = FALSE;
    self->tells_loop_pass = TRUE;
  } else if (self->seen.is_followed
      && !player_may_hand_over (self, &self->seen)) {
    gst_revbuf_fail (self, GST_REVBUF_IS_FOLLOWED);
  } else {
    self->stage = STAGE_ENDING;
  }
  gst_revbuf_refresh (self);
  self->tells_direction_change |= self->tells_loop_pass
      && (self->state.velocity < 0) != gst_revbuf_is_reversed (self);
}

/* ---- the steps ------------------------------------------------------------------------------ */

void
gst_revbuf_note_flow (GstRevBuf * self, GstFlowReturn ret)
{
  if (ret == GST_FLOW_OK)
    return;
  GST_DEBUG_OBJECT (self, "sending stopped: %s", gst_flow_get_name (ret));
  self->ends_stream = ret != GST_FLOW_EOS;
  self->stage = ret == GST_FLOW_FLUSHING ? STAGE_STOPPED : STAGE_LEAVING;
}

/* Sends the next frames, after their segment and any pending events. */
static void
player_send (GstRevBuf * self)
{
  GstClockTime stated_ns = self->served.duration_ns;
  guint64 second = self->out.clock.rate;
  GstFlowReturn ret = GST_FLOW_OK;
  TimeBlocksSpan span;

  gst_revbuf_begin_sending (self);
  player_send_segment (self);
  gst_revbuf_send_waiting (self);
  if (timeblocks_read (self->blocks, &span)) {
    ret = player_send_frames (self, &span);
    self->pass_frames += span.frames;
    self->n_fetches = 0;
    g_mutex_lock (&self->lock);
    if (!self->pending.has_request)
      self->playhead_ns = GST_CLOCK_TIME_NONE;
    g_mutex_unlock (&self->lock);
  }
  gst_revbuf_end_sending (self);
  /* If seeks end up in the wrong place, we might play for ever. A stated duration can be wrong, but
   * not by that much. */
  if (ret == GST_FLOW_OK && GST_CLOCK_TIME_IS_VALID (stated_ns)
      && self->pass_frames > 2 * (guint64) gst_retro_frame_at (stated_ns,
          second) + 10 * second)
    gst_revbuf_fail (self, GST_REVBUF_SEEKS_DIFFER);
  gst_revbuf_note_flow (self, ret);
}

/* Returns FALSE if it must wait for a change. */
static gboolean
player_play (GstRevBuf * self)
{
  const GstRevBufInflow *seen = &self->seen;
  /* if the next stream has begun, we can only play what's in memory */
  gboolean is_cut_off = seen->is_last && seen->next_waits, done;

  if (self->tape.is_running) {
    done = gst_revbuf_tape_play (self);
    if (!self->tape.is_running)
      player_set_rate (self);
    return done;
  }
  if (is_cut_off)
    gst_revbuf_refresh (self);
  else if (gst_revbuf_fetch_wanted (self, NULL)
      || player_compare_end (self) || player_fetch_last (self))
    return TRUE;
  if (self->state.ready_frames > 0) {
    if (gst_revbuf_tape_is_wanted (self)) {
      gst_revbuf_tape_start (self);
      player_set_rate (self);
      return TRUE;
    }
    if (self->tape.is_curved)
      gst_retro_sync_values (GST_OBJECT (self),
          gst_revbuf_output_running_time (&self->out));
    /* if the curve has changed the speed, the tape starts first */
    if (!self->tape.is_curved
        || gst_revbuf_get_settings (self).speed == self->tape.speed)
      player_send (self);
    return TRUE;
  }
  if (!is_cut_off && (self->state.left_frames > 0
          || (seen->is_last && seen->upstream != UPSTREAM_PARKED)))
    return FALSE;
  player_finish_pass (self);
  return TRUE;
}

/* Returns TRUE if @report says that seeks end up in the wrong place, but decoding from the start
 * may give us what they can't. */
static gboolean
player_is_astray (GstRevBuf * self, const TimeBlocksReport * report)
{
  GstRevBufSettings settings = gst_revbuf_get_settings (self);

  return (report->code == TIMEBLOCKS_SEAM_ODD
      || report->code == TIMEBLOCKS_BROKEN_OFF
      || report->code == TIMEBLOCKS_AUDIO_MISSING
      || report->code == TIMEBLOCKS_NO_AUDIO)
      && settings.direction == TIMEDSP_BACKWARD
      && settings.loop == TIMEDSP_LOOP_NONE && !self->seen.is_followed;
}

/* Posts any messages. Releases the right to send while it does, because the application's
 * handlers may seek. Returns FALSE if there was nothing to post. */
static gboolean
player_tell (GstRevBuf * self)
{
  TimeBlocksReport report;
  gboolean has_report = timeblocks_get_report (self->blocks, &report);
  gboolean is_astray = FALSE;

  if (!has_report && !self->has_failure && !self->must_open_segment)
    return FALSE;
  GST_PAD_STREAM_UNLOCK (self->srcpad);
  while (has_report) {
    if (self->stage == STAGE_PLAYING && player_is_astray (self, &report))
      is_astray = TRUE;
    else
      gst_revbuf_report (self, &report);
    has_report = timeblocks_get_report (self->blocks, &report);
  }
  if (self->must_open_segment)
    gst_retro_output_open_segment (&self->output, TRUE,
        self->served.start_ns, self->served.seqnum);
  self->must_open_segment = FALSE;
  if (self->has_failure && self->stage == STAGE_STOPPED) {
    /* nobody will serve the request that we recorded the start for */
    g_mutex_lock (&self->lock);
    if (self->pending.has_request)
      self->served = self->pending.request;
    self->pending.has_request = self->pending.has_resume = FALSE;
    self->is_recording = FALSE;
    g_mutex_unlock (&self->lock);
  }
  if (self->has_failure) {
    is_astray |= self->stage != STAGE_COLLECTING
        && player_is_astray (self, &self->failure);
    if (!is_astray)
      gst_revbuf_report_failure (self, &self->failure);
    self->ends_stream = TRUE;
    self->stage = STAGE_LEAVING;
  }
  self->has_failure = FALSE;
  if (is_astray)
    gst_revbuf_distrust (self);
  GST_PAD_STREAM_LOCK (self->srcpad);
  if (is_astray) {
    gst_revbuf_tape_stop (self);
    player_collect_rest (self);
  }
  return TRUE;
}

/* Does what the stage needs. Returns FALSE if it must wait for a change. */
static gboolean
player_perform (GstRevBuf * self)
{
  GstRevBufNeighbours source;

  switch (self->stage) {
    case STAGE_PLAYING:
      return player_play (self);
    case STAGE_COLLECTING:     /* mode=collect takes over once decoding from the start begins */
      if (self->seen.next_waits)
        player_hand_over (self);
      else if (self->seen.upstream == UPSTREAM_PARKED)
        gst_revbuf_fail (self, GST_REVBUF_SEEK_REFUSED);
      else
        return FALSE;
      return TRUE;
    case STAGE_ENDING:
      if (player_may_hand_over (self, &self->seen)) {
        player_hand_over (self);
        return TRUE;
      }
      gst_revbuf_begin_sending (self);
      if (!self->out.is_sent)   /* if there was nothing to play, we still owe a segment */
        player_send_segment (self);
      gst_revbuf_end_sending (self);
      self->stage = STAGE_LEAVING;
      return TRUE;
    case STAGE_LEAVING:
      /* let upstream run to its end, unless a seek still needs it */
      GST_PAD_STREAM_UNLOCK (self->srcpad);
      source = gst_revbuf_examine (self->sinkpad);
      g_mutex_lock (&self->lock);
      if (!self->pending.has_request && self->in.awaited == GST_EVENT_UNKNOWN
          && (!source.is_held || self->is_stopped)) {
        self->in.is_let_go = TRUE;
        self->after = source.ends_together ? GST_FLOW_OK : GST_FLOW_EOS;
      }
      gst_revbuf_changed (self);
      g_mutex_unlock (&self->lock);
      GST_PAD_STREAM_LOCK (self->srcpad);
      self->stage = STAGE_PARTING;
      return TRUE;
    case STAGE_PARTING:
      self->stage = STAGE_STOPPED;
      gst_revbuf_begin_sending (self);
      gst_revbuf_send_waiting (self);
      player_send_end (self);
      gst_revbuf_end_sending (self);
      return TRUE;
    default:
      return FALSE;
  }
}

/* Does one thing. Returns FALSE if it must wait for a change. */
static gboolean
player_advance (GstRevBuf * self, const GstRevBufPending * input,
    TimeDecode * arrived)
{
  self->tape.is_curved =
      gst_object_has_active_control_bindings (GST_OBJECT (self));
  if (input->has_settings || input->has_direction_change || input->has_scrub
      || input->has_request) {
    player_apply_input (self, input);
  }
  if (input->has_request) {
    gst_revbuf_refresh (self);
    self->begins_at_end = self->state.velocity < 0
        && self->state.boundary == TIMEDSP_UNKNOWN;
  }
  if (input->has_stop) {
    if (arrived != NULL)
      timeblocks_cancel (self->blocks, arrived);
    gst_revbuf_tape_stop (self);
    self->ends_stream = self->is_stopped = TRUE;
    self->stage = STAGE_ENDING;
    return TRUE;
  }
  if (self->stage == STAGE_PLAYING && self->seen.is_contested)
    gst_revbuf_fail (self, GST_REVBUF_IS_CONTESTED);
  else if (arrived != NULL && self->seen.is_broken)
    gst_revbuf_fail (self, TIMEBLOCKS_FORMAT_CHANGED);
  if (self->has_failure && arrived != NULL)
    timeblocks_cancel (self->blocks, g_steal_pointer (&arrived));
  if (self->is_recording && !self->has_failure) {
    if (arrived == NULL)
      return FALSE;
    self->is_recording = FALSE;
    self->recorded_frames = MAX (timedecode_next_frame (arrived), 0);
    self->has_failure = !timeblocks_end_recording (self->blocks, arrived,
        &self->failure);
    return TRUE;
  }
  /* we report a seam before we send the audio that it confirms */
  if (arrived != NULL && gst_revbuf_fetch_wanted (self, arrived))
    return TRUE;
  if (player_tell (self))
    return TRUE;
  if (self->seen.upstream == UPSTREAM_AGAIN && !input->has_request) {
    player_fetch (self);
    return TRUE;
  }
  return player_perform (self);
}

/* The function of the pad's task. GstPad calls it over and over while holding the pad's stream
 * lock, which is the right to send. Each call does one thing, so we look at the input again after
 * we've released the lock. */
static void
player_loop (gpointer data)
{
  GstRevBuf *self = data;
  gboolean is_stopping, is_opening, is_free;
  TimeDecode *arrived = NULL;
  GstRevBufPending input;
  guint changes;

  g_mutex_lock (&self->lock);
  changes = self->changes;
  is_stopping = self->is_stopping;
  is_free = self->is_active && !is_stopping && self->open_flushes == 0
      && self->in.awaited == GST_EVENT_UNKNOWN;
  is_opening = self->is_opening;
  if (is_free && !is_opening)
    arrived = player_take_input (self, &input);
  g_mutex_unlock (&self->lock);

  if (is_stopping)
    gst_pad_pause_task (self->srcpad);
  else if (!is_free)
    player_wait_for_change (self, changes);
  else if (is_opening)
    player_open_stream (self);
  else if (!player_advance (self, &input, arrived))
    player_wait_for_change (self, changes);
}

/* ---- the thread -------------------------------------------------------------------------- */

gboolean
gst_revbuf_start_thread (GstRevBuf * self)
{
  gboolean started = gst_pad_start_task (self->srcpad, player_loop, self, NULL);
  GstTask *task;

  g_mutex_lock (&self->lock);
  self->is_starting = FALSE;
  if (!started)
    g_atomic_int_set (&self->is_active, FALSE);
  gst_revbuf_changed (self);
  g_mutex_unlock (&self->lock);
  if (started)
    return TRUE;
  /* GstTask thinks the task is running, so we could never start it again, and joining it would
   * never return. We remove its callbacks, because the thread pool may still run it when the pad is
   * gone. */
  GST_OBJECT_LOCK (self->srcpad);
  task = g_steal_pointer (&GST_PAD_TASK (self->srcpad));
  GST_OBJECT_UNLOCK (self->srcpad);
  gst_task_stop (task);
  gst_task_set_enter_callback (task, NULL, NULL, NULL);
  gst_task_set_leave_callback (task, NULL, NULL, NULL);
  gst_object_unref (task);
  GST_REVBUF_FAIL (self, RESOURCE, NO_SPACE_LEFT, "no-thread",
      "Could not start a thread for %s: close other programs, or raise the "
      "limit (ulimit -u).", GST_OBJECT_NAME (self));
  return FALSE;
}

/* ---- samples as numbers, for the blocks ---------------------------------------- */

/* Converts @n contiguous samples, to or from every @step-th element of @numbers. */
static void
player_convert_samples (GstAudioConverter * converter, gboolean to_numbers,
    gpointer samples, gdouble * numbers, guint step, gsize n)
{
  g_autofree gdouble *run = g_new (gdouble, n);
  gpointer in[] = { to_numbers ? samples : run };
  gpointer out[] = { to_numbers ? run : samples };
  gsize i;

  for (i = 0; i < n && !to_numbers; i++)
    run[i] = numbers[i * step];
  gst_audio_converter_samples (converter, GST_AUDIO_CONVERTER_FLAG_NONE, in, n,
      out, n);
  for (i = 0; i < n && to_numbers; i++)
    numbers[i * step] = run[i];
}

/* A TimeBlocksConvert. */
static void
player_convert (const TimeBlocksFormat * format, int to_numbers,
    void *samples, size_t plane_bytes, double *numbers, size_t frames)
{
  const GstAudioInfo *info = format->id;
  GstAudioInfo one, other;
  GstAudioConverter *converter;
  guint p;

  /* A converter for one channel. One for several channels would set up mixing, too, which fails
   * with 64 channels or more. */
  gst_audio_info_set_format (&one, to_numbers ? info->finfo->format :
      GST_AUDIO_FORMAT_F64, info->rate, 1, NULL);
  gst_audio_info_set_format (&other, to_numbers ? GST_AUDIO_FORMAT_F64 :
      info->finfo->format, info->rate, 1, NULL);
  converter = gst_audio_converter_new (GST_AUDIO_CONVERTER_FLAG_NONE, &one,
      &other, NULL);
  if (converter == NULL)
    return;
  for (p = 0; p < format->planes; p++)
    player_convert_samples (converter, to_numbers,
        (guint8 *) samples + p * plane_bytes, numbers + p, format->planes,
        frames * format->channels / format->planes);
  gst_audio_converter_free (converter);
}

/* ---- the element's states ------------------------------------------------------------------- */

gboolean
gst_revbuf_player_open (GstRevBuf * self)
{
  if (self->blocks == NULL) {
    gst_revbuf_fail_memory (self);
    return FALSE;
  }
  GST_RETRO_HOLD (&self->lock);
  player_clear (self);
  self->is_stopping = FALSE;
  self->has_told_of_wait = FALSE;
  return TRUE;
}

void
gst_revbuf_player_close (GstRevBuf * self)
{
  GST_RETRO_HOLD (&self->lock);

  while (self->is_starting)
    g_cond_wait (&self->changed, &self->lock);
  self->is_stopping = TRUE;
  gst_revbuf_changed (self);
}

void
gst_revbuf_player_stop (GstRevBuf * self)
{
  gst_pad_stop_task (self->srcpad);
  GST_RETRO_HOLD (&self->lock);
  g_atomic_int_set (&self->is_active, FALSE);
  player_clear (self);
  g_queue_clear_full (&self->events, (GDestroyNotify) gst_event_unref);
}

void
gst_revbuf_player_init (GstRevBuf * self)
{
  static gint elements;         /* atomic */

  self->seqnum = FETCH_MARK | ((guint) g_atomic_int_add (&elements,
          1) << FETCH_ELEMENT_SHIFT & ~FETCH_MARK_MASK);
  g_mutex_init (&self->lock);
  g_cond_init (&self->changed);
  self->formats =
      g_ptr_array_new_with_free_func ((GDestroyNotify) gst_audio_info_free);
  self->open_seeks = g_hash_table_new (NULL, NULL);
  self->blocks = timeblocks_new (player_convert);
  self->is_stopping = TRUE;
  player_clear (self);
}

void
gst_revbuf_player_finalize (GstRevBuf * self)
{
  player_clear (self);
  timeblocks_free (self->blocks);
  g_hash_table_unref (self->open_seeks);
  g_ptr_array_unref (self->formats);
  g_cond_clear (&self->changed);
  g_mutex_clear (&self->lock);
}
