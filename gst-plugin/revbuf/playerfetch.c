/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Fetches audio from upstream, in the player's task.
 */

#include "revbuf/player.h"
#include "common/segment.h"
#include "common/padwalk.h"
#include "revbuf/report.h"

#define GST_CAT_DEFAULT gst_revbuf_debug

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
gst_revbuf_player_is_own (GstRevBufPlayer * player, guint32 seqnum)
{
  return player->fetching == g_thread_self ()
      || ((seqnum ^ player->seqnum) & ~FETCH_COUNT_MASK) == 0;
}

/* ---- fetching ---------------------------------------------------------------------------- */

static gboolean
fetch_send_seek (GstRevBufPlayer * player, GstClockTime stop_ns,
    GstSeekFlags flags)
{
  g_autoptr (GstObject) pipeline =
      gst_retro_pipeline_of (GST_OBJECT (player->revbuf));
  GstEvent *event = gst_event_new_seek (1.0, GST_FORMAT_TIME,
      flags | GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_ACCURATE, GST_SEEK_TYPE_SET,
      player->fetch_ns, GST_SEEK_TYPE_SET, stop_ns);

  GST_DEBUG_OBJECT (player->revbuf, "fetching from %" GST_TIME_FORMAT,
      GST_TIME_ARGS (player->fetch_ns));
  gst_event_set_seqnum (event, player->seqnum);
  GST_RETRO_HOLD (gst_revbuf_source_seeks_of (pipeline));
  return gst_pad_push_event (player->revbuf->sinkpad, event);
}

/* Seeks upstream, without the right to send. We try a segment seek first, because it doesn't end
 * with EOS, which would make decodebin report that the stream is about to finish. But other
 * branches of the same source need EOS at the right time. */
static gboolean
fetch_seek_upstream (GstRevBufPlayer * player, GstClockTime stop_ns,
    gboolean is_last, gboolean * is_flushing)
{
  GstRevBuf *revbuf = player->revbuf;
  GstRevBufNeighbours source = gst_revbuf_examine (revbuf->sinkpad);
  gboolean ends_early = !is_last
      || (player->served.flags & GST_SEGMENT_FLAG_SEGMENT);
  gboolean ok = FALSE;

  if (!source.is_shared && ends_early && source.ends_segments) {
    /* while a segment is open, the bins around the element don't post SEGMENT_DONE, which hides
     * the ones from upstream that only answer our own seeks */
    if (!g_atomic_int_get (&revbuf->output.is_segment_open))
      gst_retro_output_open_segment (&revbuf->output, TRUE,
          player->served.start_ns, player->served.seqnum);
    ok = fetch_send_seek (player, stop_ns, GST_SEEK_FLAG_SEGMENT);
  }
  if (!ok && (!is_last || !source.is_shared
          || player->stage == STAGE_COLLECTING))
    ok = fetch_send_seek (player, stop_ns, 0);
  *is_flushing = !ok && gst_revbuf_examine (revbuf->sinkpad).is_flushing;
  return ok;
}

/* Sends the seek for the latest fetch. */
void
gst_revbuf_player_fetch (GstRevBufPlayer * player)
{
  GstClockTime stop_ns = player->fetch_stop_ns;
  GstRevBufInflow *in = &player->in;
  gboolean ok, is_last, is_flushing;

  g_mutex_lock (&player->lock);
  player->seqnum = (player->seqnum & ~FETCH_COUNT_MASK)
      | ((player->seqnum + 1) & FETCH_COUNT_MASK);
  player->in.upstream = UPSTREAM_ASKED;
  player->in.end = NOT_ENDED;
  player->in.next_waits = player->in.is_let_go = FALSE;
  player->in.is_fetched = TRUE;
  player->fetching = g_thread_self ();
  is_last = player->in.is_last;
  if (!GST_CLOCK_TIME_IS_VALID (stop_ns) && player->is_bounded)
    stop_ns = G_MAXINT64;
  gst_revbuf_player_changed (player);
  g_mutex_unlock (&player->lock);

  GST_PAD_STREAM_UNLOCK (player->revbuf->srcpad);
  ok = fetch_seek_upstream (player, stop_ns, is_last, &is_flushing);
  g_mutex_lock (&player->lock);
  player->fetching = NULL;
  /* upstream has refused it, and no seek or other flush leads to a new fetch anyway */
  if (!ok && in->upstream == UPSTREAM_ASKED && !player->input.has_request
      && in->awaited == GST_EVENT_UNKNOWN && !in->is_contested) {
    in->upstream = is_flushing ? UPSTREAM_REFUSED : UPSTREAM_PARKED;
    in->next_frame = TIMEDSP_UNKNOWN;
    if (is_last)
      in->end = STREAM_ENDED;
    if (!is_flushing && !is_last) {
      if (player->next != NULL)
        timeblocks_cancel (player->blocks, g_steal_pointer (&player->next));
      gst_revbuf_player_fail (player, GST_REVBUF_SEEK_REFUSED);
    }
  }
  gst_revbuf_player_changed (player);
  g_mutex_unlock (&player->lock);
  GST_PAD_STREAM_LOCK (player->revbuf->srcpad);
}

/* Hold the lock. */
void
gst_revbuf_player_drop_decodes (GstRevBufPlayer * player)
{
  g_clear_pointer (&player->decode, timedecode_free);
  g_clear_pointer (&player->next, timedecode_free);
  g_clear_pointer (&player->arrived, timedecode_free);
}

/* Replaces the decode that's on its way with @decode (nullable). */
static void
fetch_replace_decode (GstRevBufPlayer * player, TimeDecode * decode,
    gboolean is_last)
{
  PLAYER_LOCK (player);

  gst_revbuf_player_drop_decodes (player);
  player->next = decode;
  player->in.is_last = is_last;
  player->in.is_rest = player->stage == STAGE_COLLECTING;
}

/* Fills @decode right after the previous one, if upstream is waiting where it begins. */
static gboolean
fetch_continue_with (GstRevBufPlayer * player, TimeDecode * decode)
{
  GstRevBufInflow *in = &player->in;
  PLAYER_LOCK (player);

  if (in->upstream != UPSTREAM_PARKED || !in->is_fetched || in->is_let_go
      || in->is_flushing || player->decode != NULL
      || !timedecode_continue (decode, in->next_frame))
    return FALSE;
  player->decode = decode;
  in->upstream = UPSTREAM_FILLING;
  if (in->end != NOT_ENDED) {
    timedecode_end (decode);
    gst_revbuf_player_end_decode (player);
  }
  gst_revbuf_player_changed (player);
  return TRUE;
}

/* Returns TRUE if we may hand over to the next stream: it's waiting, and we've played this one to
 * its end. The direction may have changed after that. */
gboolean
gst_revbuf_player_may_hand_over (GstRevBufPlayer * player,
    const GstRevBufInflow * in)
{
  return in->next_waits && !in->is_flushing && !in->is_let_go
      && (in->is_last || player->state.velocity > 0);
}

static void
fetch_decode (GstRevBufPlayer * player, const TimeBlocksFetch * wanted)
{
  guint64 halves_per_second = 2 * (guint64) player->out.clock.rate;

  if (wanted->may_continue && fetch_continue_with (player, wanted->decode))
    return;
  if (player->seen.is_followed) {
    timeblocks_cancel (player->blocks, wanted->decode);
    if (player->seen.is_last
        && gst_revbuf_player_may_hand_over (player, &player->seen))
      player->stage = STAGE_ENDING;
    else
      gst_revbuf_player_fail (player, GST_REVBUF_IS_FOLLOWED);
    return;
  }
  if (++player->n_fetches > MAX_FETCHES) {
    timeblocks_cancel (player->blocks, wanted->decode);
    gst_revbuf_player_fail (player, TIMEBLOCKS_NO_AUDIO);
    return;
  }
  fetch_replace_decode (player, wanted->decode, FALSE);
  player->fetch_ns = MIN (gst_util_uint64_scale (wanted->seek_half_frames,
          GST_SECOND, halves_per_second), G_MAXINT64);
  player->fetch_stop_ns = GST_CLOCK_TIME_NONE;
  gst_revbuf_player_fetch (player);
}

gboolean
gst_revbuf_player_fetch_wanted (GstRevBufPlayer * player, TimeDecode * arrived)
{
  GstClockTime end_ns;
  TimeBlocksFetch wanted;
  TimeBlocksWant want = timeblocks_want (player->blocks, arrived,
      player->estimate_frame, &wanted, &player->failure);

  player->estimate_frame = TIMEDSP_UNKNOWN;
  gst_revbuf_player_refresh (player);
  switch (want) {
    case TIMEBLOCKS_FAILED:
      player->has_failure = TRUE;
      return TRUE;
    case TIMEBLOCKS_THE_END:   /* we haven't seen it yet, so we ask upstream */
      GST_PAD_STREAM_UNLOCK (player->revbuf->srcpad);
      end_ns = gst_retro_pad_duration (player->revbuf->sinkpad);
      GST_PAD_STREAM_LOCK (player->revbuf->srcpad);
      if (!GST_CLOCK_TIME_IS_VALID (end_ns))
        end_ns = player->promise_ns;
      player->estimate_frame =
          MAX (gst_revbuf_frame_at (end_ns, player->out.clock.rate), 0);
      return TRUE;
    case TIMEBLOCKS_FETCH:
      fetch_decode (player, &wanted);
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
gst_revbuf_player_fetch_last (GstRevBufPlayer * player)
{
  const TimeBlocksState *state = &player->state;
  gboolean is_segment = (player->served.flags & GST_SEGMENT_FLAG_SEGMENT) != 0;
  gint64 second = player->out.clock.rate, left = MAX (state->left_frames, 0);
  gint64 boundary = MAX (state->boundary, 0), end, first, stop;

  if (!state->is_last_pass || state->is_fetching || player->seen.is_last
      || (state->velocity < 0 && !is_segment) || left > second
      || (player->seen.upstream == UPSTREAM_PARKED
          && player->seen.end >= (is_segment ? SEGMENT_ENDED : STREAM_ENDED)))
    return FALSE;
  end = state->velocity < 0 ? MAX (boundary - left, 0) : boundary + left;
  first = MAX (end - second, state->first_frame);
  stop = is_segment ? MAX (end, first + second / 10) :
      MAX (state->pass_end_frame, first);
  fetch_replace_decode (player, NULL, TRUE);
  player->fetch_ns = gst_retro_time_at (first, second);
  player->fetch_stop_ns = GST_CLOCK_TIME_NONE;
  player->last_stop_frame = G_MAXINT64;
  if (is_segment || state->stops_early) {
    player->fetch_stop_ns = gst_retro_time_at (stop, second);
    player->last_stop_frame = stop + second;
  }
  gst_revbuf_player_fetch (player);
  return TRUE;
}

/* ---- seeks that end up in the wrong place -------------------------------------------------- */

/* Decodes from the start of the stream to get what's left to play, for mode=collect. */
void
gst_revbuf_player_collect_rest (GstRevBufPlayer * player)
{
  const GstRevBufRequest *served = &player->served;
  gboolean continues = player->pass_frames > 0
      || served->move == TIMEBLOCKS_RESUME
      || served->last_frame != TIMEDSP_UNKNOWN;
  GstClockTime seen_ns = gst_revbuf_player_time_of (player, continues ?
      player->state.boundary : player->recorded_frames);

  player->stage = STAGE_COLLECTING;
  fetch_replace_decode (player, NULL, TRUE);
  g_atomic_int_set (&player->revbuf->distrusts_seeks, TRUE);
  player->revbuf->owed_ns = seen_ns;
  player->fetch_ns = 0;
  player->fetch_stop_ns = continues ? seen_ns : served->stop_ns;
  player->last_stop_frame = G_MAXINT64;
  gst_revbuf_player_fetch (player);
}
