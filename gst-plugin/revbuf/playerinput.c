/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Handles the buffers and events that upstream sends to the player.
 */

#include "revbuf/player.h"
#include "common/segment.h"
#include "common/pcmbuffer.h"
#include "revbuf/format.h"

#define GST_CAT_DEFAULT gst_revbuf_debug

/* ---- upstream's buffers --------------------------------------------------------------------- */

void
gst_revbuf_player_end_decode (GstRevBufPlayer * player)
{
  player->in.upstream = UPSTREAM_PARKED;
  player->in.next_frame = player->decode != NULL ?
      timedecode_next_frame (player->decode) : TIMEDSP_UNKNOWN;
  if (player->decode != NULL) {
    g_clear_pointer (&player->arrived, timedecode_free);
    player->arrived = g_steal_pointer (&player->decode);
  }
  gst_revbuf_player_changed (player);
}

static TimeDecodeBuffer
input_place_of (GstRevBufPlayer * player, GstBuffer * buffer)
{
  const GstSegment *segment = &player->segment;
  TimeDecodeBuffer place = {.is_timed = GST_BUFFER_PTS_IS_VALID (buffer) };
  GstClockTime time_ns;
  gint sign = gst_segment_to_stream_time_full (segment, GST_FORMAT_TIME,
      place.is_timed ? GST_BUFFER_PTS (buffer) : segment->start, &time_ns);

  place.is_placed = sign != 0;
  if (place.is_placed)
    place.frame = sign * gst_retro_frame_at (time_ns, player->format.rate);
  place.offset = (gint64) (segment->start - segment->time);
  return place;
}

/* Returns FALSE if @buffer can't be read. Hold the lock. */
static gboolean
input_add (GstRevBufPlayer * player, GstBuffer * buffer, gsize * first,
    gboolean * wants_more)
{
  const GstAudioInfo *info = player->format.id;
  g_autoptr (GstBuffer) clipped = NULL;
  GstSegment part = player->segment;
  TimeDecodeBuffer arrived;
  GstAudioBuffer audio;

  *wants_more = TRUE;
  if (!gst_retro_buffer_is_sound (buffer, info))
    return FALSE;
  /* If the decode begins with the stream, audio before the segment is encoder
   * priming, and we clip it. Otherwise the segment starts at the seek target,
   * in the middle of a frame, and we mustn't clip that frame. */
  if (!timedecode_is_from_zero (player->decode))
    part.start = 0;
  clipped = gst_retro_buffer_clip (gst_buffer_ref (buffer), &part, info);
  if (clipped == NULL || gst_retro_buffer_frames (clipped, info) <= *first)
    return TRUE;
  if (!gst_audio_buffer_map (&audio, info, clipped, GST_MAP_READ))
    return FALSE;
  arrived = input_place_of (player, clipped);
  arrived.planes = (const void *const *) audio.planes;
  arrived.frames = gst_retro_buffer_frames (clipped, info);
  *wants_more =
      timedecode_add (player->decode, &arrived, &player->format, first);
  gst_audio_buffer_unmap (&audio);
  return TRUE;
}

/* Returns CUSTOM_SUCCESS if the rest of @buffer must wait. Hold the lock. */
static GstFlowReturn
input_take (GstRevBufPlayer * player, GstBuffer * buffer, gsize * first)
{
  gboolean wants_more, is_read;
  TimeDecodeBuffer place;

  if (!player->is_active || player->is_stopping || player->in.is_flushing)
    return GST_FLOW_FLUSHING;
  switch (player->in.upstream) {
    case UPSTREAM_ASKED:
      return GST_FLOW_FLUSHING;
    case UPSTREAM_PARKED:
      return player->in.is_let_go ? player->after : GST_FLOW_CUSTOM_SUCCESS;
    case UPSTREAM_FILLING:
      break;
    default:
      return GST_FLOW_CUSTOM_SUCCESS;
  }
  if (player->decode == NULL) {
    /* we don't need any audio from the last fetch, but upstream may stop at the end of it */
    place = input_place_of (player, buffer);
    if (!place.is_timed || !place.is_placed
        || place.frame < player->last_stop_frame)
      return GST_FLOW_OK;
    gst_revbuf_player_end_decode (player);
    return GST_FLOW_CUSTOM_SUCCESS;
  }
  is_read = input_add (player, buffer, first, &wants_more);
  if (is_read && wants_more)
    return GST_FLOW_OK;
  player->in.is_broken |= !is_read;
  gst_revbuf_player_end_decode (player);
  return GST_FLOW_CUSTOM_SUCCESS;
}

GstFlowReturn
gst_revbuf_player_chain (GstRevBufPlayer * player, GstBuffer * buffer)
{
  g_autoptr (GstBuffer) taken = buffer;
  GstFlowReturn ret;
  gsize first = 0;
  PLAYER_LOCK (player);

  while ((ret = input_take (player, taken, &first)) == GST_FLOW_CUSTOM_SUCCESS)
    g_cond_wait (&player->changed, &player->lock);
  return ret;
}

/* ---- upstream's events: flushes -------------------------------------------------------------- */

/* Returns TRUE if we must flush downstream, too, because the flush doesn't come from a fetch. */
static gboolean
input_start_flush (GstRevBufPlayer * player, guint32 seqnum)
{
  gboolean is_own = gst_revbuf_player_is_own (player, seqnum);

  player->in.is_flushing = TRUE;
  if (!is_own && gst_revbuf_is_fetch (seqnum)) {
    player->in.is_contested = TRUE;
    return FALSE;
  }
  if (is_own)
    return FALSE;
  player->restarts_time = TRUE;
  player->in.awaited = GST_EVENT_FLUSH_STOP;
  player->in.is_last = player->in.is_rest = player->in.is_fetched = FALSE;
  return TRUE;
}

static gboolean
input_stop_flush (GstRevBufPlayer * player, guint32 seqnum)
{
  GstRevBufInflow *in = &player->in;
  gboolean is_own = gst_revbuf_player_is_own (player, seqnum);

  in->is_flushing = FALSE;
  if (is_own && player->next != NULL && in->awaited == GST_EVENT_SEGMENT) {
    in->awaited = GST_EVENT_UNKNOWN;
    in->upstream = UPSTREAM_ANSWERED;
    gst_revbuf_player_resume (player);
    return FALSE;
  }
  if (in->awaited == GST_EVENT_UNKNOWN) {
    if (in->upstream == UPSTREAM_ASKED)
      in->upstream = UPSTREAM_ANSWERED;
    else if (in->upstream == UPSTREAM_REFUSED)
      in->upstream = UPSTREAM_AGAIN;
    return FALSE;
  }
  gst_revbuf_player_end_decode (player);
  in->next_frame = TIMEDSP_UNKNOWN;
  in->end = NOT_ENDED;
  in->next_waits = FALSE;
  if (!is_own)
    in->awaited = GST_EVENT_SEGMENT;
  return !is_own && player->open_flushes == 0;
}

/* @event: (transfer full) */
static void
input_handle_flush (GstRevBufPlayer * player, GstEvent * event)
{
  gboolean starts = GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_START;
  guint32 seqnum = gst_event_get_seqnum (event);
  gboolean passes, reset_time;

  g_mutex_lock (&player->lock);
  passes =
      starts ? input_start_flush (player, seqnum) : input_stop_flush (player,
      seqnum);
  gst_revbuf_player_changed (player);
  g_mutex_unlock (&player->lock);
  if (!passes) {
    gst_event_unref (event);
  } else if (starts) {
    gst_pad_push_event (player->revbuf->srcpad, event);
  } else {
    gst_revbuf_player_begin_sending (player);
    gst_event_parse_flush_stop (event, &reset_time);
    if (reset_time)
      gst_revbuf_reset_running_time (player->revbuf);
    gst_pad_push_event (player->revbuf->srcpad, event);
    gst_revbuf_player_end_sending (player);
  }
}

/* ---- upstream's events: serialized ----------------------------------------------------------- */

/* Begins the next decode, if upstream has performed the seek. */
static void
input_begin_decode (GstRevBufPlayer * player)
{
  if (player->in.upstream != UPSTREAM_ANSWERED
      || player->in.awaited != GST_EVENT_UNKNOWN)
    return;
  g_clear_pointer (&player->decode, timedecode_free);
  player->decode = g_steal_pointer (&player->next);
  player->in.upstream = UPSTREAM_FILLING;
}

static void
input_handle_segment (GstRevBufPlayer * player, GstEvent * event,
    GstClockTime duration_ns)
{
  GstRevBufInflow *in = &player->in;
  guint32 seqnum = gst_event_get_seqnum (event);
  GstSegment *segment = &player->segment;

  gst_event_copy_segment (event, segment);
  if (segment->format != GST_FORMAT_TIME)
    player->in.is_broken = TRUE;
  if (in->awaited == GST_EVENT_FLUSH_STOP || segment->format != GST_FORMAT_TIME)
    return;
  if (in->awaited == GST_EVENT_SEGMENT) {
    in->awaited = GST_EVENT_UNKNOWN;
    in->is_followed = FALSE;
    gst_revbuf_player_play_segment (player, seqnum, duration_ns);
    return;
  }
  input_begin_decode (player);
  if (in->upstream == UPSTREAM_FILLING && segment->stop <= segment->start
      && !player->is_bounded && player->decode != NULL) {
    player->is_bounded = TRUE;
    player->next = g_steal_pointer (&player->decode);
    in->upstream = UPSTREAM_AGAIN;
  }
}

static void
input_handle_caps (GstRevBufPlayer * player, GstEvent * event)
{
  const void *id = player->format.id;
  GstAudioInfo info;
  GstCaps *caps;

  gst_event_parse_caps (event, &caps);
  if (!gst_audio_info_from_caps (&info, caps)) {
    player->in.is_broken = TRUE;
    return;
  }
  player->format = gst_revbuf_formats_find (player->formats, &info);
  /* a decode has only one format */
  if (player->format.id != id && player->in.upstream == UPSTREAM_FILLING
      && player->decode != NULL && timedecode_has_format (player->decode)) {
    gst_revbuf_player_end_decode (player);
    player->in.is_broken = TRUE;
  }
}

void
gst_revbuf_player_end (GstRevBufPlayer * player, guint32 seqnum)
{
  if (!player->is_active)
    return;
  player->input.has_stop = TRUE;
  player->input.stop_seqnum = seqnum;
  gst_revbuf_player_changed (player);
}

/* If EOS comes in the middle of the stream, and none of our seeks caused it, the application must
 * have sent it to the source. */
static gboolean
input_is_of_application (GstRevBufPlayer * player, GstEvent * eos)
{
  GstClockTime end_ns = gst_revbuf_player_duration (player);
  gint64 second = player->format.rate;

  if (!GST_CLOCK_TIME_IS_VALID (end_ns))
    end_ns = player->served.duration_ns;
  return player->in.is_fetched && player->decode != NULL
      && GST_CLOCK_TIME_IS_VALID (end_ns)
      && !gst_revbuf_player_is_own (player, gst_event_get_seqnum (eos))
      && timedecode_next_frame (player->decode) + second / 2 <
      gst_retro_frame_at (end_ns, second);
}

static void
input_handle_end (GstRevBufPlayer * player, GstRevBufEnd end,
    gboolean next_waits)
{
  GstRevBufInflow *in = &player->in;

  input_begin_decode (player);
  if (in->upstream == UPSTREAM_FILLING) {
    if (player->decode != NULL)
      timedecode_end (player->decode);
    gst_revbuf_player_end_decode (player);
  }
  if (in->upstream == UPSTREAM_PARKED) {
    in->end = MAX (in->end, end);
    in->next_waits |= next_waits;
  }
}

/* Makes the next stream wait until we've sent this one. Returns FALSE once we have. */
static gboolean
input_wait_until_sent (GstRevBufPlayer * player)
{
  GstRevBufInflow *in = &player->in;

  input_handle_end (player, STREAM_ENDED, TRUE);
  gst_revbuf_player_changed (player);
  while (player->is_active && !player->is_stopping && in->next_waits
      && in->upstream == UPSTREAM_PARKED && !in->is_flushing && !in->is_let_go)
    g_cond_wait (&player->changed, &player->lock);
  return player->is_active || player->is_stopping;
}

/* Takes the serialized @event. Returns FALSE if it belongs to the next stream, which the player
 * doesn't handle. Sets @keeps if we keep it to send it along with the audio. Hold the lock. */
static gboolean
input_take_serialized (GstRevBufPlayer * player, GstEvent * event,
    GstClockTime duration_ns, gboolean * keeps)
{
  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_SEGMENT:
      /* the flush of a fetch may get lost, and the answer to an earlier one may come late */
      if (player->in.upstream == UPSTREAM_ASKED
          && player->in.awaited == GST_EVENT_UNKNOWN
          && (player->fetching == g_thread_self ()
              || gst_event_get_seqnum (event) == player->seqnum))
        player->in.upstream = UPSTREAM_ANSWERED;
      if (player->in.is_rest && player->in.upstream == UPSTREAM_ANSWERED)
        return input_wait_until_sent (player);
      input_handle_segment (player, event, duration_ns);
      break;
    case GST_EVENT_CAPS:
      input_handle_caps (player, event);
      break;
    case GST_EVENT_EOS:
      input_begin_decode (player);
      if (input_is_of_application (player, event))
        gst_revbuf_player_end (player, gst_event_get_seqnum (event));
      else
        input_handle_end (player, STREAM_ENDED, FALSE);
      break;
    case GST_EVENT_SEGMENT_DONE:
      input_handle_end (player, SEGMENT_ENDED, FALSE);
      break;
    case GST_EVENT_STREAM_START:
      if (!gst_revbuf_is_other_stream (player->revbuf->sinkpad, event))
        break;
      player->in.is_followed = TRUE;
      return input_wait_until_sent (player);
    case GST_EVENT_GAP:        /* the timestamps show it */
      break;
    default:
      *keeps = TRUE;
      g_queue_push_tail (&player->events, event);
      break;
  }
  gst_revbuf_player_changed (player);
  return TRUE;
}

/* ---- events while the player isn't active ---------------------------------------------------- */

gboolean
gst_revbuf_player_set_passes_through (GstRevBufPlayer * player, gboolean passes)
{
  PLAYER_LOCK (player);

  if (player->is_active)
    return FALSE;
  g_atomic_int_set (&player->revbuf->passes, passes);
  return TRUE;
}

static void
input_note_event (GstRevBufPlayer * player, GstEvent * event)
{
  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_FLUSH_START:
      player->in.is_flushing = TRUE;
      break;
    case GST_EVENT_FLUSH_STOP:
      player->in.is_flushing = FALSE;
      g_hash_table_remove_all (player->open_seeks);
      player->passed_ns = GST_CLOCK_TIME_NONE;
      break;
    case GST_EVENT_SEGMENT:
      gst_revbuf_player_pass_segment (player, event);
      break;
    case GST_EVENT_STREAM_START:
      if (gst_revbuf_is_other_stream (player->revbuf->sinkpad, event)) {
        player->begin_ns = GST_CLOCK_TIME_NONE;
        player->stop_is_own = player->is_limited = FALSE;
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
gst_revbuf_player_take_event (GstRevBufPlayer * player, GstEvent * event)
{
  GstClockTime duration_ns = GST_CLOCK_TIME_NONE;
  gboolean takes, keeps = FALSE, is_foreign;

  g_mutex_lock (&player->lock);
  is_foreign = player->is_active && player->in.awaited == GST_EVENT_SEGMENT;
  g_mutex_unlock (&player->lock);
  if (is_foreign && GST_EVENT_TYPE (event) == GST_EVENT_SEGMENT)
    duration_ns = gst_retro_pad_duration (player->revbuf->sinkpad);
  g_mutex_lock (&player->lock);
  takes = player->is_active || player->is_stopping;
  if (takes && GST_EVENT_IS_SERIALIZED (event)
      && GST_EVENT_TYPE (event) != GST_EVENT_FLUSH_STOP)
    takes = input_take_serialized (player, event, duration_ns, &keeps);
  if (!takes)
    input_note_event (player, event);
  g_mutex_unlock (&player->lock);
  if (!takes)
    return FALSE;
  if (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_START
      || GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_STOP)
    input_handle_flush (player, event);
  else if (!keeps)
    gst_event_unref (event);
  return TRUE;
}
