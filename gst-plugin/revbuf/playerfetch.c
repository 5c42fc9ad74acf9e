/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Fetches audio from upstream, in the player's task.
 */

#include "revbuf/gstrevbuf.h"

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

/* ---- seqnums --------------------------------------------------------------- */

guint32
gst_revbuf_fetch_seqnum (void)
{
  static gint elements;         /* atomic */

  return FETCH_MARK | ((guint) g_atomic_int_add (&elements,
          1) << FETCH_ELEMENT_SHIFT & ~FETCH_MARK_MASK);
}

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
fetch_send_seek (GstRevBuf * self, GstClockTime stop_ns, GstSeekFlags flags)
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
fetch_seek_upstream (GstRevBuf * self, GstClockTime stop_ns,
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
    ok = fetch_send_seek (self, stop_ns, GST_SEEK_FLAG_SEGMENT);
  }
  if (!ok && (!is_last || !source.is_shared || self->stage == STAGE_COLLECTING))
    ok = fetch_send_seek (self, stop_ns, 0);
  *is_flushing = !ok && gst_revbuf_examine (self->sinkpad).is_flushing;
  return ok;
}

/* Sends the seek for the latest fetch. */
void
gst_revbuf_fetch (GstRevBuf * self)
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
  ok = fetch_seek_upstream (self, stop_ns, is_last, &is_flushing);
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
void
gst_revbuf_drop_decodes (GstRevBuf * self)
{
  g_clear_pointer (&self->decode, timedecode_free);
  g_clear_pointer (&self->next, timedecode_free);
  g_clear_pointer (&self->arrived, timedecode_free);
}

/* Replaces the decode that's on its way with @decode (nullable). */
static void
fetch_replace_decode (GstRevBuf * self, TimeDecode * decode, gboolean is_last)
{
  GST_RETRO_HOLD (&self->lock);

  gst_revbuf_drop_decodes (self);
  self->next = decode;
  self->in.is_last = is_last;
  self->in.is_rest = self->stage == STAGE_COLLECTING;
}

/* Fills @decode right after the previous one, if upstream is waiting where it begins. */
static gboolean
fetch_continue_with (GstRevBuf * self, TimeDecode * decode)
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
gboolean
gst_revbuf_may_hand_over (GstRevBuf * self, const GstRevBufInflow * in)
{
  return in->next_waits && !in->is_flushing && !in->is_let_go
      && (in->is_last || self->state.velocity > 0);
}

static void
fetch_decode (GstRevBuf * self, const TimeBlocksFetch * wanted)
{
  guint64 halves_per_second = 2 * (guint64) self->out.clock.rate;

  if (wanted->may_continue && fetch_continue_with (self, wanted->decode))
    return;
  if (self->seen.is_followed) {
    timeblocks_cancel (self->blocks, wanted->decode);
    if (self->seen.is_last && gst_revbuf_may_hand_over (self, &self->seen))
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
  fetch_replace_decode (self, wanted->decode, FALSE);
  self->fetch_ns = MIN (gst_util_uint64_scale (wanted->seek_half_frames,
          GST_SECOND, halves_per_second), G_MAXINT64);
  self->fetch_stop_ns = GST_CLOCK_TIME_NONE;
  gst_revbuf_fetch (self);
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
      fetch_decode (self, &wanted);
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
gboolean
gst_revbuf_fetch_last (GstRevBuf * self)
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
  fetch_replace_decode (self, NULL, TRUE);
  self->fetch_ns = gst_retro_time_at (first, second);
  self->fetch_stop_ns = GST_CLOCK_TIME_NONE;
  self->last_stop_frame = G_MAXINT64;
  if (is_segment || state->stops_early) {
    self->fetch_stop_ns = gst_retro_time_at (stop, second);
    self->last_stop_frame = stop + second;
  }
  gst_revbuf_fetch (self);
  return TRUE;
}

/* ---- seeks that end up in the wrong place -------------------------------------------------- */

/* Decodes from the start of the stream to get what's left to play, for mode=collect. */
void
gst_revbuf_collect_rest (GstRevBuf * self)
{
  const GstRevBufRequest *served = &self->served;
  gboolean continues = self->pass_frames > 0
      || served->move == TIMEBLOCKS_RESUME
      || served->last_frame != TIMEDSP_UNKNOWN;
  GstClockTime seen_ns = gst_revbuf_time_of (self, continues ?
      self->state.boundary : self->recorded_frames);

  self->stage = STAGE_COLLECTING;
  fetch_replace_decode (self, NULL, TRUE);
  g_atomic_int_set (&self->distrusts_seeks, TRUE);
  self->owed_ns = seen_ns;
  self->fetch_ns = 0;
  self->fetch_stop_ns = continues ? seen_ns : served->stop_ns;
  self->last_stop_frame = G_MAXINT64;
  gst_revbuf_fetch (self);
}
