/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Chooses how to play a stream, by what we can find out about it.
 */

#include "revbuf/gstrevbuf.h"

/* We hold buffers for this long at most. Parsers estimate a duration after 50 codec frames of
 * 1,152 or 2,048 samples, which takes up to 2.6 s at 40 kHz. */
#define MAX_HELD_SECONDS 4
/* The time limit alone would allow any number of very short buffers. */
#define MAX_HELD_BUFFERS 1000

/* Frames per second. At lower rates, gst_retro_frame_at() finds the frame of every timestamp. */
#define TOO_HIGH_RATE 500000000

/* Real audio doesn't begin with a gap this long. */
#define MAX_LEAP_NS (60 * GST_SECOND)

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

GstRevBufSource
gst_revbuf_ask_source (GstRevBuf * self, const GstAudioInfo * info)
{
  g_autoptr (GstQuery) query = gst_query_new_seeking (GST_FORMAT_TIME);
  g_autoptr (GstQuery) repetition = gst_query_new_custom (GST_QUERY_CUSTOM,
      gst_structure_new (GST_RETRO_QUERY_REPEATS, "repeats", G_TYPE_BOOLEAN,
          TRUE, NULL));
  GstRevBufNeighbours neighbours;
  gboolean seekable = FALSE, repeats = TRUE;

  if (GST_AUDIO_INFO_RATE (info) >= TOO_HIGH_RATE)
    return GST_REVBUF_LACKS_TIMES;
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
    return GST_REVBUF_DIFFERS;
  neighbours = gst_revbuf_examine (self->sinkpad);
  return seekable && !neighbours.lacks_ranges && !neighbours.cuts_frames
      && !gst_revbuf_is_live (self) ? GST_REVBUF_SEEKS : GST_REVBUF_REFUSES;
}

static gboolean
mode_wants_speed (GstRevBuf * self, const GstRevBufSettings * settings)
{
  return ABS (settings->speed) != 1 || g_atomic_int_get (&self->has_scrubbed);
}

/* Returns TRUE if we can fetch blocks. Otherwise, unless @instead is NULL, warns of what you lose,
 * or of what happens @instead. */
static gboolean
mode_can_seek (GstRevBuf * self, const GstRevBufSettings * settings,
    const gchar * instead)
{
  GstRevBufSource source = gst_revbuf_ask_source (self, &self->input.info);

  /* if upstream has reversed or scaled the audio, seeking to a timestamp takes you to the wrong
   * place */
  if (source == GST_REVBUF_SEEKS && self->input.segment.applied_rate != 1.0)
    source = GST_REVBUF_REFUSES;
  if (source == GST_REVBUF_SEEKS || instead == NULL)
    return source == GST_REVBUF_SEEKS;
  g_atomic_int_set (&self->has_warned, TRUE);
  gst_revbuf_report_source (self, source,
      settings->loop != TIMEDSP_LOOP_NONE ? "the stream is not looped" :
      mode_wants_speed (self, settings) ? "the speed stays 1 or -1" : instead);
  return FALSE;
}

/* Warns once per segment. */
static void
mode_warn_of_speed (GstRevBuf * self, const GstRevBufSettings * settings)
{
  if (!mode_wants_speed (self, settings)
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
    mode_warn_of_speed (self, &settings);
}

/* ---- the choice ------------------------------------------------------------------- */

static gboolean
mode_wants_player (GstRevBuf * self, const GstRevBufSettings * settings)
{
  return !g_atomic_int_get (&self->distrusts_seeks)
      && (settings->mode == GST_REVBUF_MODE_AUTO
      || settings->mode == GST_REVBUF_MODE_SEEK)
      && (g_atomic_int_get (&self->wants_player)
      || gst_object_has_active_control_bindings (GST_OBJECT (self))
      || g_atomic_int_get (&self->has_scrubbed));
}

gboolean
gst_revbuf_wants_chunks (GstRevBuf * self)
{
  GstRevBufSettings settings = gst_revbuf_get_settings (self);

  return settings.direction == TIMEDSP_BACKWARD
      && !gst_retro_input_is_flipping (&self->input)
      && (settings.mode == GST_REVBUF_MODE_CHUNK
      || (settings.mode == GST_REVBUF_MODE_AUTO && gst_revbuf_is_live (self)));
}

GstRevBufStreamMode
gst_revbuf_choose_mode (GstRevBuf * self, const GstSegment * in)
{
  GstRevBufSettings settings = gst_revbuf_get_settings (self);

  g_atomic_int_set (&self->has_warned, FALSE);
  /* a negative rate plays backwards, whatever the properties say */
  if (gst_retro_input_is_flipping (&self->input))
    return GST_REVBUF_PASS_THROUGH;
  if (mode_wants_player (self, &settings)
      && mode_can_seek (self, &settings, settings.loop != TIMEDSP_LOOP_NONE
          || settings.mode == GST_REVBUF_MODE_SEEK ?
          "the stream is collected to its end before it is played" : NULL))
    return GST_REVBUF_HOLD;
  mode_warn_of_speed (self, &settings);
  if (settings.direction == TIMEDSP_FORWARD)
    return GST_REVBUF_PASS_THROUGH;
  return gst_revbuf_wants_chunks (self) ? GST_REVBUF_CHUNK : GST_REVBUF_COLLECT;
}

gboolean
gst_revbuf_must_start_player (GstRevBuf * self)
{
  GstRevBufSettings settings = gst_revbuf_get_settings (self);
  gboolean is_seeking;

  g_mutex_lock (&self->lock);
  is_seeking = g_hash_table_size (self->open_seeks) > 0;
  g_mutex_unlock (&self->lock);
  if (!mode_wants_player (self, &settings))
    mode_warn_of_speed (self, &settings);
  if (g_atomic_int_get (&self->has_warned)
      || !mode_wants_player (self, &settings)
      || gst_retro_input_is_flipping (&self->input)
      || !GST_AUDIO_INFO_IS_VALID (&self->input.info)
      || !gst_retro_pad_get_segment (self->sinkpad, &(GstSegment) {
          0}
          , NULL)
      || is_seeking)
    return FALSE;
  return mode_can_seek (self, &settings,
      "the direction changes only at the next segment");
}

/* In FLAC with a variable block size (flacparse up to 1.28), timestamps repeat or jump from one
 * buffer to the next. Seeks then end up in the wrong place, so we don't trust any of them. */
static gboolean
mode_has_wild_times (GstRevBuf * self, GstBuffer * buffer)
{
  GstBuffer *first = g_queue_peek_head (&self->held);
  GstBuffer *last = g_queue_peek_tail (&self->held);

  return GST_BUFFER_PTS_IS_VALID (first) && GST_BUFFER_PTS_IS_VALID (last)
      && GST_BUFFER_PTS_IS_VALID (buffer)
      && (GST_BUFFER_PTS (buffer) <= GST_BUFFER_PTS (first)
      || GST_BUFFER_PTS (buffer) > GST_BUFFER_PTS (last) + MAX_LEAP_NS);
}

/* If we still don't know the end, we only use the player if mode=seek asks for it, or if it
 * begins forwards. */
GstRevBufStreamMode
gst_revbuf_choose_held (GstRevBuf * self, GstBuffer * buffer)
{
  const GstAudioInfo *info = &self->input.info;
  GstRevBufSettings settings = gst_revbuf_get_settings (self);
  gboolean has_audio = buffer != NULL || self->held.length > 0
      || self->skips_audio;
  /* some parsers only know the end after a few seconds of audio, or never find out */
  gboolean ends = !has_audio
      || GST_CLOCK_TIME_IS_VALID (self->input.segment.stop)
      || gst_retro_pad_duration (self->sinkpad) != GST_CLOCK_TIME_NONE;

  /* we need three buffers to see whether time advances: the priming from
   * avdec_aac, and the first packet from opusparse, have the same timestamp as
   * the next one */
  if (buffer != NULL && self->held.length < 2)
    return GST_REVBUF_HOLD;
  if (buffer != NULL && mode_has_wild_times (self, buffer)) {
    g_atomic_int_set (&self->distrusts_seeks, TRUE);
    gst_revbuf_report_distrust (self);
    return GST_REVBUF_COLLECT;
  }
  if (buffer != NULL && !ends && self->held.length + 1 < MAX_HELD_BUFFERS
      && self->held_frames + gst_retro_buffer_frames (buffer, info) <
      (guint64) GST_AUDIO_INFO_RATE (info) * MAX_HELD_SECONDS)
    return GST_REVBUF_HOLD;
  if (has_audio && (ends || settings.mode == GST_REVBUF_MODE_SEEK
          || settings.direction == TIMEDSP_FORWARD))
    return GST_REVBUF_PASS_THROUGH;
  return GST_REVBUF_COLLECT;
}
