/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/**
 * SECTION:element-revbuf
 * @title: revbuf
 * @short_description: Plays audio backwards
 *
 * revbuf turns raw audio around. What leaves it is an ordinary stream with
 * rising timestamps and a positive rate, so filters with history, encoders,
 * muxers and every sink can follow, while the applied rate of its segment is
 * negative and the position falls.
 *
 * There are four sources of reversed audio:
 *
 * * flip: an application seeks with a negative rate. Demuxers and decoders
 *   then deliver blocks, the last one first, each still forward inside. revbuf
 *   turns each one around. It does so in every #revbuf:mode.
 * * seek: with #revbuf:direction `reverse`, where upstream can seek, short
 *   blocks are fetched by accurate seeks, from the end backwards, each with
 *   audio decoded and dropped before it for the decoder to settle. Every block
 *   overlaps its neighbour, and the overlap is compared before a frame of it is
 *   heard: equal, equal at another place, or decoded anew from farther back.
 *   Only a decoder that never repeats itself (noise substitution in AAC) is
 *   faded over, or the rest collected, as #revbuf:seam says. Memory does not
 *   grow with the stream. #revbuf:direction turns play around while it runs, at
 *   the frame that is heard; seeks in either direction and #revbuf:loop are
 *   frame-exact. #revbuf:stats counts what happened.
 * * collect: where upstream cannot seek, the whole stream is kept, in
 *   memory up to #revbuf:max-memory and in one temporary file beyond, and is
 *   sent backwards at its end. Nothing has to support seeking. Progress is
 *   told by #GST_MESSAGE_PROGRESS, `collect` while keeping and `reverse` while
 *   playing. A seek to a position plays from there down to the beginning; a
 *   seek to 0, or one with a stop, plays its whole range.
 * * chunk: every #revbuf:block-time of the stream is reversed in its place, as
 *   a live effect. The latency is one block.
 *
 * Every raw format, interleaved and planar, of up to 1024 channels (planar: 255,
 * which is as many planes as GStreamer can map) is moved in whole frames; a
 * sample is never looked at, so reversing twice gives the very same bits.
 *
 * ## Example pipelines
 * |[
 * gst-launch-1.0 filesrc location=in.mp3 ! decodebin ! audioconvert ! revbuf direction=reverse ! wavenc ! filesink location=reversed.wav
 * ]| Reverses a file.
 * |[
 * gst-launch-1.0 autoaudiosrc ! audioconvert ! revbuf direction=reverse mode=chunk block-time=500000000 ! queue ! autoaudiosink
 * ]| Hear yourself backwards, half a second at a time.
 *
 * Since: 0.1
 */

#include "gstrevbuf.h"
#include "retrobuffer.h"
#include "revbufchunk.h"
#include "revbufcollect.h"
#include "revbufplayer.h"
#include "revbufsettings.h"

GST_DEBUG_CATEGORY (rev_buf_debug);
#define GST_CAT_DEFAULT rev_buf_debug

/* Parsers estimate a duration after 50 frames of theirs, of 1152 or 2048
 * samples: 2.6 s at 40 kHz. */
#define MAX_WAIT_SECONDS 4

/* What is done with a stream, decided at its segment. */
typedef enum
{
  PATH_PASS,                    /* nothing, or what the base class has done */
  PATH_COLLECT,
  PATH_CHUNK,
  PATH_SEEK
} Path;

struct _GstRevBuf
{
  GstRetroFilter parent;

  /* under the object lock */
  RevBufSettings settings;
  gboolean seeked_backwards;    /* the last seek had a negative rate, and is
                                 * served by collecting forward audio */
  Path path;                    /* written by the streaming thread alone */
  GstClockTime latency_ns;      /* the block of mode=chunk that is in use */
  GstClockTime start_position_ns;       /* while nothing has been sent */
  GstClockTime passed_ns;       /* end of what has gone through untouched */
  gboolean cannot_seek;         /* upstream, as of this segment */

  GMutex start_lock;            /* the player is started once … */
  gboolean stopping;            /* … and not on the way to READY, */
  gboolean flushing;            /* or within a flush of the base class's */
  RevBufPlayer *player;
  GstPadChainFunction base_chain;
  GstPadEventFunction base_sink_event;

  /* streaming thread; only the one in use is there */
  RevBufCollect *collect;
  RevBufChunk *chunk;
  GstSegment segment;           /* what comes */
  guint segments;               /* since the element started */
  GQueue waiting;               /* PATH_SEEK: until the duration is known */
  guint64 waiting_frames;
};

G_DEFINE_FINAL_TYPE (GstRevBuf, gst_rev_buf, GST_TYPE_RETRO_FILTER);
GST_ELEMENT_REGISTER_DEFINE (revbuf, "revbuf", GST_RANK_NONE, GST_TYPE_REV_BUF);

/* A copy to work with, to be cleared. */
static RevBufSettings
snapshot_settings (GstRevBuf * self)
{
  RevBufSettings settings;

  GST_OBJECT_LOCK (self);
  rev_buf_settings_copy (&self->settings, &settings);
  GST_OBJECT_UNLOCK (self);
  return settings;
}

/* ---- streaming ---------------------------------------------------------- */

static void
forget_audio (GstRevBuf * self)
{
  g_queue_clear_full (&self->waiting, (GDestroyNotify) gst_buffer_unref);
  self->waiting_frames = 0;
  g_clear_pointer (&self->collect, rev_buf_collect_free);
  g_clear_pointer (&self->chunk, rev_buf_chunk_free);
}

/* Whether blocks can be fetched from upstream. */
static gboolean
can_seek (GstRevBuf * self)
{
  GstPad *sinkpad = GST_ELEMENT (self)->sinkpads->data;
  GstQuery *query = gst_query_new_seeking (GST_FORMAT_TIME);
  gboolean seekable = FALSE;

  if (gst_pad_peer_query (sinkpad, query))
    gst_query_parse_seeking (query, NULL, &seekable, NULL, NULL);
  gst_query_unref (query);
  return seekable && !gst_retro_filter_is_live (GST_RETRO_FILTER (self));
}

/* Whether the properties ask for what only the player can do, or does best. */
static gboolean
wants_player (const RevBufSettings * settings)
{
  return (settings->mode == GST_REV_BUF_MODE_AUTO
      || settings->mode == GST_REV_BUF_MODE_SEEK)
      && (settings->direction == GST_REV_BUF_REVERSE
      || settings->loop != GST_REV_BUF_LOOP_NONE);
}

static void
warn_cannot_seek (GstRevBuf * self, const gchar * instead)
{
  GST_ELEMENT_WARNING (self, RESOURCE, SEEK,
      ("The stream cannot be seeked, so %s: put %s behind something that can "
          "seek.", instead, GST_OBJECT_NAME (self)), (NULL));
}

/* Where upstream has turned or scaled the audio already, places in the stream
 * are not what a seek reaches. */
static gboolean
is_plain (const GstSegment * segment)
{
  return segment->rate > 0 && segment->applied_rate == 1.0;
}

static Path
choose_path (GstRevBuf * self, const RevBufSettings * settings,
    const GstSegment * segment)
{
  gboolean backwards;

  /* both a negative rate and direction=reverse ask for the same: backwards */
  if (gst_retro_filter_is_flipping (GST_RETRO_FILTER (self)))
    return PATH_PASS;
  if (wants_player (settings) && !rev_buf_player_gave_up (self->player)) {
    if (is_plain (segment) && can_seek (self))
      return PATH_SEEK;
    if (settings->loop != GST_REV_BUF_LOOP_NONE)
      warn_cannot_seek (self, "it is not looped");
    else if (settings->mode == GST_REV_BUF_MODE_SEEK)
      warn_cannot_seek (self, "it is collected");
  }

  GST_OBJECT_LOCK (self);
  backwards = self->seeked_backwards
      || settings->direction == GST_REV_BUF_REVERSE;
  GST_OBJECT_UNLOCK (self);
  if (!backwards || settings->mode == GST_REV_BUF_MODE_FLIP)
    return PATH_PASS;
  return settings->mode == GST_REV_BUF_MODE_CHUNK ? PATH_CHUNK : PATH_COLLECT;
}

static void
set_path (GstRevBuf * self, Path path, GstClockTime latency_ns,
    GstClockTime start_position_ns)
{
  gboolean changed;

  GST_OBJECT_LOCK (self);
  self->path = path;
  changed = self->latency_ns != latency_ns;
  self->latency_ns = latency_ns;
  self->start_position_ns = start_position_ns;
  self->passed_ns = GST_CLOCK_TIME_NONE;
  self->cannot_seek = FALSE;
  GST_OBJECT_UNLOCK (self);

  if (changed)
    gst_retro_filter_latency_changed (GST_RETRO_FILTER (self));
}

static void
start_collecting (GstRevBuf * self, const GstSegment * segment)
{
  RevBufSettings settings = snapshot_settings (self);

  self->collect = rev_buf_collect_new (GST_RETRO_FILTER (self),
      settings.storage.max_memory_bytes, settings.storage.spill_directory);
  rev_buf_collect_set_segment (self->collect, segment);
  rev_buf_settings_clear (&settings);
}

static gboolean
gst_rev_buf_set_segment (GstRetroFilter * filter, const GstSegment * in,
    GstSegment * out)
{
  GstRevBuf *self = GST_REV_BUF (filter);
  RevBufSettings settings = snapshot_settings (self);
  Path path = choose_path (self, &settings, in);
  GstClockTime start_position_ns = GST_CLOCK_TIME_NONE;

  forget_audio (self);
  self->segment = *in;
  self->segments++;
  if (path == PATH_COLLECT) {
    start_collecting (self, in);
    start_position_ns = gst_segment_to_stream_time (in, GST_FORMAT_TIME,
        in->stop);
  }
  gst_retro_filter_set_passthrough (filter,
      path == PATH_PASS && !gst_retro_filter_is_flipping (filter));
  set_path (self, path,
      path == PATH_CHUNK ? settings.block_time_ns : 0, start_position_ns);
  GST_DEBUG_OBJECT (self, "path %d for %" GST_SEGMENT_FORMAT, path, in);

  rev_buf_settings_clear (&settings);
  return path != PATH_COLLECT && path != PATH_SEEK;
}

/* Blocks depend on the format, so a chunk begins with the first buffer. */
static RevBufChunk *
new_chunk (GstRevBuf * self)
{
  GstRetroFilter *filter = GST_RETRO_FILTER (self);
  RevBufSettings settings = snapshot_settings (self);
  RevBufChunk *chunk;
  guint64 block_frames;

  GST_OBJECT_LOCK (self);
  block_frames = gst_util_uint64_scale_int (self->latency_ns,
      GST_AUDIO_INFO_RATE (gst_retro_filter_get_info (filter)), GST_SECOND);
  GST_OBJECT_UNLOCK (self);

  chunk = rev_buf_chunk_new (filter, MAX (block_frames, 1),
      settings.storage.max_memory_bytes, settings.storage.spill_directory);
  rev_buf_settings_clear (&settings);
  return chunk;
}

static GstFlowReturn
gst_rev_buf_process (GstRetroFilter * filter, GstBuffer * buffer)
{
  GstRevBuf *self = GST_REV_BUF (filter);

  switch (self->path) {
    case PATH_COLLECT:
      return rev_buf_collect_process (self->collect, buffer);
    case PATH_CHUNK:
      if (self->chunk == NULL)
        self->chunk = new_chunk (self);
      return rev_buf_chunk_process (self->chunk, buffer);
    case PATH_PASS:
    case PATH_SEEK:
      break;
  }
  return gst_retro_filter_push (filter, buffer);
}

static GstFlowReturn
gst_rev_buf_drain (GstRetroFilter * filter)
{
  GstRevBuf *self = GST_REV_BUF (filter);

  if (self->collect != NULL)
    return rev_buf_collect_drain (self->collect);
  if (self->chunk != NULL)
    return rev_buf_chunk_drain (self->chunk);
  return GST_FLOW_OK;
}

/* A gap in a stream that is kept shows as a jump in its timestamps. */
static GstFlowReturn
gst_rev_buf_gap (GstRetroFilter * filter, GstClockTime pts_ns,
    GstClockTime duration_ns)
{
  if (GST_REV_BUF (filter)->path == PATH_PASS)
    return gst_retro_filter_push_gap (filter, pts_ns, duration_ns);
  return GST_FLOW_OK;
}

static gboolean
gst_rev_buf_set_format (GstRetroFilter * filter, const GstAudioInfo * info)
{
  /* drained already; the next buffer makes one for the new format */
  g_clear_pointer (&GST_REV_BUF (filter)->chunk, rev_buf_chunk_free);
  return TRUE;
}

static void
gst_rev_buf_reset (GstRetroFilter * filter)
{
  GstRevBuf *self = GST_REV_BUF (filter);

  forget_audio (self);
  GST_OBJECT_LOCK (self);
  self->path = PATH_PASS;
  GST_OBJECT_UNLOCK (self);
}

/* ---- the player ---------------------------------------------------------- */

/* Buffers of upstream's streaming thread, and its events, are for the player
 * while that is active, and else for the base class. */

/* Running time at @passed_ns, which may lie outside of @segment: decoders send
 * audio from before its start. */
static GstClockTime
passed_running_time (const GstSegment * segment, GstClockTime passed_ns)
{
  if (!GST_CLOCK_TIME_IS_VALID (passed_ns) || segment->rate < 0)
    return segment->base;
  return gst_segment_to_running_time (segment, GST_FORMAT_TIME,
      CLAMP (passed_ns, segment->start, segment->stop));
}

static gboolean
start_player (GstRevBuf * self, GstClockTime passed_ns)
{
  GstRetroFilter *filter = GST_RETRO_FILTER (self);
  const GstAudioInfo *info = gst_retro_filter_get_info (filter);
  GstPad *sinkpad = GST_ELEMENT (self)->sinkpads->data;
  GstEvent *event = gst_pad_get_sticky_event (sinkpad, GST_EVENT_SEGMENT, 0);
  gint64 last_frame = TIMEDSP_UNKNOWN;
  GstClockTime base_ns;
  GstSegment segment;
  gboolean active;

  gst_event_copy_segment (event, &segment);
  base_ns = passed_running_time (&segment, passed_ns);
  if (GST_CLOCK_TIME_IS_VALID (passed_ns))
    last_frame = timedsp_frame_at (gst_segment_to_stream_time (&segment,
            GST_FORMAT_TIME, CLAMP (passed_ns, segment.start, segment.stop)),
        GST_AUDIO_INFO_RATE (info)) - 1;
  gst_retro_filter_set_passthrough (filter, FALSE);

  g_mutex_lock (&self->start_lock);
  if (!self->stopping && !self->flushing
      && !rev_buf_player_is_active (self->player))
    rev_buf_player_start (self->player, info, &segment,
        gst_event_get_seqnum (event), self->segments == 1, last_frame, base_ns);
  active = rev_buf_player_is_active (self->player);
  g_mutex_unlock (&self->start_lock);
  gst_event_unref (event);
  return active;
}

/* Whether the player has to take over before @buffer, of a stream that has so
 * far gone through untouched: its direction or loop has been set. */
static gboolean
must_start_player (GstRevBuf * self, GstClockTime * passed_ns)
{
  gboolean wanted, loop;

  GST_OBJECT_LOCK (self);
  *passed_ns = self->passed_ns;
  loop = self->settings.loop != GST_REV_BUF_LOOP_NONE;
  wanted = self->path == PATH_PASS && !self->cannot_seek
      && wants_player (&self->settings);
  GST_OBJECT_UNLOCK (self);

  if (!wanted || gst_retro_filter_is_flipping (GST_RETRO_FILTER (self)))
    return FALSE;
  if (!rev_buf_player_gave_up (self->player) && is_plain (&self->segment)
      && can_seek (self))
    return TRUE;

  GST_OBJECT_LOCK (self);
  self->cannot_seek = TRUE;
  GST_OBJECT_UNLOCK (self);
  warn_cannot_seek (self, loop ? "it is not looped" :
      "it is turned around from the next segment on");
  return FALSE;
}

static GstFlowReturn
gst_rev_buf_chain (GstPad * pad, GstObject * parent, GstBuffer * buffer);

static void
note_passed (GstRevBuf * self, GstBuffer * buffer)
{
  const GstAudioInfo *info =
      gst_retro_filter_get_info (GST_RETRO_FILTER (self));

  if (!GST_BUFFER_PTS_IS_VALID (buffer))
    return;
  GST_OBJECT_LOCK (self);
  self->passed_ns = GST_BUFFER_PTS (buffer)
      + gst_util_uint64_scale_int (retro_buffer_frames (buffer, info),
      GST_SECOND, GST_AUDIO_INFO_RATE (info));
  GST_OBJECT_UNLOCK (self);
}

/* Where the end is not known yet: parsers learn it, if ever, from some of the
 * audio. */
static gboolean
must_wait (GstRevBuf * self)
{
  const GstAudioInfo *info =
      gst_retro_filter_get_info (GST_RETRO_FILTER (self));

  return !GST_CLOCK_TIME_IS_VALID (self->segment.stop)
      && !GST_CLOCK_TIME_IS_VALID (gst_retro_filter_query_duration
      (GST_RETRO_FILTER (self)))
      && self->waiting_frames < (guint64) GST_AUDIO_INFO_RATE (info)
      * MAX_WAIT_SECONDS;
}

/* An end that cannot be told is waited for, unless the application insists. */
static gboolean
must_collect (GstRevBuf * self)
{
  gboolean insists;

  GST_OBJECT_LOCK (self);
  insists = self->settings.mode == GST_REV_BUF_MODE_SEEK
      || self->settings.direction == GST_REV_BUF_FORWARD;
  GST_OBJECT_UNLOCK (self);
  return !insists && !GST_CLOCK_TIME_IS_VALID (self->segment.stop)
      && !GST_CLOCK_TIME_IS_VALID (gst_retro_filter_query_duration
      (GST_RETRO_FILTER (self)));
}

/* Decides how the stream is turned around, and does so with what has waited. */
static GstFlowReturn
stop_waiting (GstRevBuf * self)
{
  GstPad *sinkpad = GST_ELEMENT (self)->sinkpads->data;
  GstFlowReturn ret = GST_FLOW_OK;
  GQueue waiting = self->waiting;
  GstBuffer *buffer;

  g_queue_init (&self->waiting);
  if (waiting.length == 0 || must_collect (self)) {
    start_collecting (self, &self->segment);
    set_path (self, PATH_COLLECT, 0, GST_CLOCK_TIME_NONE);
  } else if (!start_player (self, GST_CLOCK_TIME_NONE)) {
    ret = GST_FLOW_FLUSHING;
  }
  while (ret == GST_FLOW_OK && (buffer = g_queue_pop_head (&waiting)) != NULL)
    ret = gst_rev_buf_chain (sinkpad, GST_OBJECT (self), buffer);
  g_queue_clear_full (&waiting, (GDestroyNotify) gst_buffer_unref);
  return ret;
}

static GstFlowReturn
wait_or_start (GstRevBuf * self, GstBuffer * buffer)
{
  g_queue_push_tail (&self->waiting, buffer);
  self->waiting_frames += retro_buffer_frames (buffer,
      gst_retro_filter_get_info (GST_RETRO_FILTER (self)));
  return must_wait (self) ? GST_FLOW_OK : stop_waiting (self);
}

static GstFlowReturn
gst_rev_buf_chain (GstPad * pad, GstObject * parent, GstBuffer * buffer)
{
  GstRevBuf *self = GST_REV_BUF (parent);
  GstClockTime passed_ns;

  if (!rev_buf_player_is_active (self->player)
      && GST_AUDIO_INFO_IS_VALID (gst_retro_filter_get_info
          (GST_RETRO_FILTER (self)))) {
    if (self->path == PATH_SEEK)
      return wait_or_start (self, buffer);
    if (must_start_player (self, &passed_ns)) {
      if (!start_player (self, passed_ns)) {
        gst_buffer_unref (buffer);
        return GST_FLOW_FLUSHING;
      }
    } else if (self->path == PATH_PASS)
      note_passed (self, buffer);
  }
  if (rev_buf_player_is_active (self->player))
    return rev_buf_player_chain (self->player, buffer);
  return self->base_chain (pad, parent, buffer);
}

/* Whether @event is for the player. The two halves of a flush go the same way. */
static gboolean
is_for_player (GstRevBuf * self, GstEvent * event)
{
  gboolean active;

  g_mutex_lock (&self->start_lock);
  active = rev_buf_player_is_active (self->player);
  if (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_START)
    self->flushing = !active;
  if (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_STOP)
    self->flushing = FALSE;
  g_mutex_unlock (&self->start_lock);
  return active;
}

static gboolean
gst_rev_buf_sink_event (GstPad * pad, GstObject * parent, GstEvent * event)
{
  GstRevBuf *self = GST_REV_BUF (parent);
  gboolean ret = TRUE;

  if (GST_EVENT_TYPE (event) == GST_EVENT_EOS
      && !rev_buf_player_is_active (self->player) && self->path == PATH_SEEK)
    stop_waiting (self);
  if (is_for_player (self, event))
    ret = rev_buf_player_event (self->player, &event);
  return event != NULL ? self->base_sink_event (pad, parent, event) : ret;
}

/* A seek that plays backwards from blocks, in a stream that has so far gone
 * through untouched. */
static gboolean
start_player_by_seek (GstRevBuf * self, GstEvent * event)
{
  GstPad *sinkpad = GST_ELEMENT (self)->sinkpads->data;
  GstCaps *caps = gst_pad_get_current_caps (sinkpad);
  GstEvent *sticky = gst_pad_get_sticky_event (sinkpad, GST_EVENT_SEGMENT, 0);
  GstClockTime passed_ns, base_ns = 0;
  gboolean started = FALSE;
  GstSegment segment;
  GstAudioInfo info;

  GST_OBJECT_LOCK (self);
  passed_ns = self->passed_ns;
  GST_OBJECT_UNLOCK (self);
  if (caps != NULL && sticky != NULL && gst_audio_info_from_caps (&info, caps)
      && can_seek (self)) {
    gst_event_copy_segment (sticky, &segment);
    base_ns = passed_running_time (&segment, passed_ns);
    g_mutex_lock (&self->start_lock);
    if (rev_buf_player_is_active (self->player))
      started = rev_buf_player_seek (self->player, event);
    else if (!self->stopping && !self->flushing)
      started = rev_buf_player_start_by_seek (self->player, event, &info,
          &segment, base_ns);
    g_mutex_unlock (&self->start_lock);
  }
  if (started) {
    gst_retro_filter_set_passthrough (GST_RETRO_FILTER (self), FALSE);
    rev_buf_player_wait_for_flush (self->player);
  }
  gst_clear_caps (&caps);
  gst_clear_event (&sticky);
  return started;
}

/* ---- seeks and queries -------------------------------------------------- */

/* Remembers whether the coming segment answers a seek backwards; returns what
 * was remembered before. */
static gboolean
set_seeked_backwards (GstRevBuf * self, gboolean backwards)
{
  gboolean before;

  GST_OBJECT_LOCK (self);
  before = self->seeked_backwards;
  self->seeked_backwards = backwards;
  GST_OBJECT_UNLOCK (self);
  return before;
}

/* Where forward audio is collected, upstream is asked to play forwards what
 * the application wants to hear backwards. */
static gboolean
gst_rev_buf_seek (GstRetroFilter * filter, GstEvent * event)
{
  GstRevBuf *self = GST_REV_BUF (filter);
  RevBufSettings settings;
  GstSeekType start_type, stop_type;
  gint64 start, stop;
  gdouble rate;
  gboolean backwards, before;

  if (rev_buf_player_is_active (self->player)) {
    gboolean done = rev_buf_player_seek (self->player, event);

    if (done)
      rev_buf_player_wait_for_flush (self->player);
    gst_event_unref (event);
    return done;
  }

  settings = snapshot_settings (self);
  gst_event_parse_seek (event, &rate, NULL, NULL, &start_type, &start,
      &stop_type, &stop);
  if (rate < 0 && settings.mode == GST_REV_BUF_MODE_SEEK
      && start_player_by_seek (self, event)) {
    rev_buf_settings_clear (&settings);
    gst_event_unref (event);
    return TRUE;
  }
  backwards = rate < 0 && settings.mode == GST_REV_BUF_MODE_COLLECT;

  /* from `start` down to the beginning */
  if (rate > 0 && settings.direction == GST_REV_BUF_REVERSE
      && (settings.mode == GST_REV_BUF_MODE_COLLECT
          || settings.mode == GST_REV_BUF_MODE_AUTO)
      && start_type == GST_SEEK_TYPE_SET && start > 0
      && (stop_type != GST_SEEK_TYPE_SET || stop < 0)) {
    stop_type = GST_SEEK_TYPE_SET;
    stop = start;
    start = 0;
  }
  rev_buf_settings_clear (&settings);

  before = set_seeked_backwards (self, backwards);
  if (gst_retro_filter_send_seek (filter, event, backwards ? -rate : rate,
          start, stop_type, stop))
    return TRUE;
  set_seeked_backwards (self, before);
  return FALSE;
}

/* Before the first frame of a stream that is collected or sought, the position
 * is its end, or where it was sought to. */
static GstClockTime
position_before_start (GstRevBuf * self)
{
  GstClockTime position_ns;
  Path path;

  GST_OBJECT_LOCK (self);
  path = self->path;
  position_ns = self->start_position_ns;
  GST_OBJECT_UNLOCK (self);

  if (rev_buf_player_is_active (self->player)) {
    position_ns = rev_buf_player_get_position (self->player);
    path = PATH_SEEK;
    if (GST_CLOCK_TIME_IS_VALID (position_ns))
      return position_ns;
  }
  if ((path != PATH_COLLECT && path != PATH_SEEK)
      || GST_CLOCK_TIME_IS_VALID (gst_retro_filter_get_position
          (GST_RETRO_FILTER (self))))
    return GST_CLOCK_TIME_NONE;
  return GST_CLOCK_TIME_IS_VALID (position_ns) ? position_ns :
      gst_retro_filter_query_duration (GST_RETRO_FILTER (self));
}

static gboolean
gst_rev_buf_query (GstRetroFilter * filter, GstQuery * query)
{
  GstFormat format;
  GstClockTime position_ns;

  if (GST_QUERY_TYPE (query) == GST_QUERY_POSITION) {
    gst_query_parse_position (query, &format, NULL);
    position_ns = position_before_start (GST_REV_BUF (filter));
    if (format == GST_FORMAT_TIME && GST_CLOCK_TIME_IS_VALID (position_ns)) {
      gst_query_set_position (query, GST_FORMAT_TIME, position_ns);
      return TRUE;
    }
  }
  if (GST_QUERY_TYPE (query) == GST_QUERY_DURATION
      && rev_buf_player_is_active (GST_REV_BUF (filter)->player)) {
    GstClockTime duration_ns =
        rev_buf_player_get_duration (GST_REV_BUF (filter)->player);

    gst_query_parse_duration (query, &format, NULL);
    if (format == GST_FORMAT_TIME && GST_CLOCK_TIME_IS_VALID (duration_ns)) {
      gst_query_set_duration (query, GST_FORMAT_TIME, duration_ns);
      return TRUE;
    }
  }
  return GST_RETRO_FILTER_CLASS (gst_rev_buf_parent_class)->query (filter,
      query);
}

static GstClockTime
gst_rev_buf_get_latency (GstRetroFilter * filter)
{
  GstRevBuf *self = GST_REV_BUF (filter);
  GstClockTime latency_ns;

  GST_OBJECT_LOCK (self);
  latency_ns = self->latency_ns;
  GST_OBJECT_UNLOCK (self);
  return latency_ns;
}

/* ---- properties --------------------------------------------------------- */

static guint stats_id;

static void
gst_rev_buf_set_property (GObject * object, guint id, const GValue * value,
    GParamSpec * pspec)
{
  GstRevBuf *self = GST_REV_BUF (object);
  GstRevBufDirection before, after;
  gboolean known;

  GST_OBJECT_LOCK (object);
  before = self->settings.direction;
  known = rev_buf_settings_set (&self->settings, id, value);
  after = self->settings.direction;
  GST_OBJECT_UNLOCK (object);
  if (!known)
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);

  if (!rev_buf_player_is_active (self->player))
    return;
  if (after != before)
    rev_buf_player_turn (self->player, after == GST_REV_BUF_REVERSE ?
        TIMEDSP_BACKWARD : TIMEDSP_FORWARD);
  else
    rev_buf_player_wake (self->player);
}

static void
gst_rev_buf_get_property (GObject * object, guint id, GValue * value,
    GParamSpec * pspec)
{
  GstRevBuf *self = GST_REV_BUF (object);
  gboolean known;

  if (id == stats_id) {
    g_value_take_boxed (value, rev_buf_player_get_stats (self->player));
    return;
  }
  GST_OBJECT_LOCK (object);
  known = rev_buf_settings_get (&self->settings, id, value);
  GST_OBJECT_UNLOCK (object);
  if (!known)
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

/* ---- the element -------------------------------------------------------- */

static void
set_stopping (GstRevBuf * self, gboolean stopping)
{
  g_mutex_lock (&self->start_lock);
  self->stopping = stopping;
  self->flushing = FALSE;
  g_mutex_unlock (&self->start_lock);
}

static GstStateChangeReturn
gst_rev_buf_change_state (GstElement * element, GstStateChange transition)
{
  GstRevBuf *self = GST_REV_BUF (element);
  GstStateChangeReturn ret;

  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED)
    set_stopping (self, FALSE);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY) {
    set_stopping (self, TRUE);
    rev_buf_player_release (self->player);
  }
  ret = GST_ELEMENT_CLASS (gst_rev_buf_parent_class)
      ->change_state (element, transition);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY) {
    rev_buf_player_stop (self->player);
    self->segments = 0;
    set_seeked_backwards (self, FALSE);
  }
  return ret;
}

static void
gst_rev_buf_finalize (GObject * object)
{
  GstRevBuf *self = GST_REV_BUF (object);

  forget_audio (self);
  rev_buf_player_free (self->player);
  rev_buf_settings_clear (&self->settings);
  g_mutex_clear (&self->start_lock);
  G_OBJECT_CLASS (gst_rev_buf_parent_class)->finalize (object);
}

static void
gst_rev_buf_constructed (GObject * object)
{
  GstRevBuf *self = GST_REV_BUF (object);
  GstPad *sinkpad, *srcpad;

  G_OBJECT_CLASS (gst_rev_buf_parent_class)->constructed (object);

  sinkpad = GST_ELEMENT (self)->sinkpads->data;
  srcpad = GST_ELEMENT (self)->srcpads->data;
  self->player = rev_buf_player_new (GST_RETRO_FILTER (self), sinkpad, srcpad,
      &self->settings);
  self->base_chain = GST_PAD_CHAINFUNC (sinkpad);
  self->base_sink_event = GST_PAD_EVENTFUNC (sinkpad);
  gst_pad_set_chain_function (sinkpad, GST_DEBUG_FUNCPTR (gst_rev_buf_chain));
  gst_pad_set_event_function (sinkpad,
      GST_DEBUG_FUNCPTR (gst_rev_buf_sink_event));
}

static void
gst_rev_buf_init (GstRevBuf * self)
{
  rev_buf_settings_init (&self->settings);
  g_mutex_init (&self->start_lock);
  self->start_position_ns = self->passed_ns = GST_CLOCK_TIME_NONE;
  gst_retro_filter_set_passthrough (GST_RETRO_FILTER (self), TRUE);
}

static void
gst_rev_buf_class_init (GstRevBufClass * klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstRetroFilterClass *filter_class = GST_RETRO_FILTER_CLASS (klass);

  GST_DEBUG_CATEGORY_INIT (rev_buf_debug, "revbuf", 0, "reversal of audio");

  object_class->set_property = gst_rev_buf_set_property;
  object_class->get_property = gst_rev_buf_get_property;
  object_class->finalize = gst_rev_buf_finalize;
  object_class->constructed = gst_rev_buf_constructed;
  stats_id = rev_buf_settings_install (object_class);
  g_object_class_install_property (object_class, stats_id,
      g_param_spec_boxed ("stats", "Statistics",
          "What mode=seek has done: blocks, seams-verified (takes equal), "
          "seams-aligned (equal at another place), seams-crossfaded (never "
          "equal), prerolls-widened, preroll-frames (in use), collecting",
          GST_TYPE_STRUCTURE, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));

  GST_ELEMENT_CLASS (klass)->change_state =
      GST_DEBUG_FUNCPTR (gst_rev_buf_change_state);
  filter_class->set_format = gst_rev_buf_set_format;
  filter_class->set_segment = gst_rev_buf_set_segment;
  filter_class->process = gst_rev_buf_process;
  filter_class->gap = gst_rev_buf_gap;
  filter_class->drain = gst_rev_buf_drain;
  filter_class->reset = gst_rev_buf_reset;
  filter_class->seek = gst_rev_buf_seek;
  filter_class->query = gst_rev_buf_query;
  filter_class->get_latency = gst_rev_buf_get_latency;

  gst_retro_filter_class_add_templates (filter_class, GST_AUDIO_FORMATS_ALL);
  gst_element_class_set_static_metadata (GST_ELEMENT_CLASS (klass),
      "Audio reverser", "Filter/Effect/Audio",
      "Plays audio backwards: flips negative-rate segments, reverses whole "
      "streams or blocks of live ones",
      "The Retrograde authors <retrograde@localhost>");
}
