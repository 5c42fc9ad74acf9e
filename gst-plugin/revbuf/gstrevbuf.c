/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/**
 * SECTION:element-revbuf
 * @title: revbuf
 * @short_description: Plays audio backwards
 *
 * revbuf reverses raw audio. Its output is an ordinary stream with increasing timestamps
 * and a positive rate, so that filters with history, encoders, muxers and every sink can
 * process it. The applied rate of its segment is negative, and the position decreases.
 * Before an encoder or a muxer the segment has no stop, because the last packet of an
 * encoder has a timestamp after the stop and would be dropped.
 *
 * With #revbuf:direction `reverse`, or after a seek with a negative rate, it plays
 * backwards. #revbuf:mode selects the method. With `auto`, it is `seek` if upstream can
 * seek, else `collect`:
 *
 * * seek: fetches short blocks by accurate seeks, from the end backwards. Each block
 *   overlaps its neighbour, and the two are compared before the overlap is output. Memory
 *   does not grow with the stream. Changes of direction, seeks and #revbuf:loop are exact
 *   to the frame. #revbuf:stats counts the blocks and the results of the comparisons.
 * * collect: keeps the whole stream, in memory and in a temporary file, and sends it
 *   backwards at its end. #GST_MESSAGE_PROGRESS reports the progress: `collect` while
 *   the stream is stored, `reverse` while it is played. A seek to a position plays from
 *   there down to the beginning, and a seek with a stop plays its whole range.
 * * chunk: reverses every #revbuf:block-time of the stream, as a live effect. The latency
 *   is one block.
 *
 * With `collect` and `chunk`, seeks with a negative rate are sent upstream. With `auto`, they
 * are sent upstream if other branches share the source, so that pictures stay in sync. Upstream
 * then delivers blocks in reverse order, and revbuf reverses each block.
 *
 * It accepts every raw format, interleaved and planar, with up to 1024 channels
 * (planar: 255, as many planes as GStreamer can map). Frames are moved whole and
 * samples are never changed, so reversing twice gives the same bits.
 *
 * ## Example pipelines
 * |[
 * gst-launch-1.0 filesrc location=in.mp3 ! decodebin ! audioconvert ! revbuf direction=reverse ! wavenc ! filesink location=reversed.wav
 * ]| Reverses a file.
 * |[
 * gst-launch-1.0 autoaudiosrc ! audioconvert ! revbuf direction=reverse mode=chunk block-time=500000000 ! queue ! autoaudiosink
 * ]| Plays the microphone backwards, half a second at a time.
 *
 * Since: 0.1
 */

#include "revbuf/chunk.h"
#include "revbuf/collect.h"
#include "revbuf/modeselector.h"

GST_DEBUG_CATEGORY (gst_revbuf_debug);
#define GST_CAT_DEFAULT gst_revbuf_debug

#define QUERY_CONSUMED GST_QUERY_MAKE_TYPE (0x7a00, \
    GST_QUERY_TYPE_DOWNSTREAM | GST_QUERY_TYPE_SERIALIZED)

#define GST_TYPE_REVBUF (gst_revbuf_get_type ())
G_DECLARE_FINAL_TYPE (GstRevBuf, gst_revbuf, GST, REVBUF, GstRetroFilter);
GST_ELEMENT_REGISTER_DECLARE (revbuf);

struct _GstRevBuf
{
  GstRetroFilter parent;

  /* under the object lock */
  GstRevBufSettings settings;
  guint64 spilled_bytes;        /* of the last stream that mode=collect has stored */

  GstRevBufSeekTask *task;
  GstRevBufModeSelector *selector;

  /* streaming thread; NULL unless in use */
  GstRevBufCollect *collect;
  GstRevBufChunk *chunk;
  GstClockTime chunk_ns;        /* length of the blocks of mode=chunk; else 0 */
};

G_DEFINE_FINAL_TYPE (GstRevBuf, gst_revbuf, GST_TYPE_RETRO_FILTER);
#define PARENT_CLASS GST_RETRO_FILTER_CLASS (gst_revbuf_parent_class)
GST_ELEMENT_REGISTER_DEFINE (revbuf, "revbuf", GST_RANK_NONE, GST_TYPE_REVBUF);

/* Returns a copy of the settings. It lacks the spill directory, because that may be freed
 * as soon as the lock is released. */
static GstRevBufSettings
snapshot_settings (GstRevBuf * self)
{
  GST_RETRO_AUTO_LOCK (self);
  GstRevBufSettings settings = self->settings;

  settings.storage.spill_directory = NULL;
  return settings;
}

/* ---- streaming ---------------------------------------------------------- */

static void
forget_audio (GstRevBuf * self)
{
  g_clear_pointer (&self->collect, gst_revbuf_collect_free);
  g_clear_pointer (&self->chunk, gst_revbuf_chunk_free);
  self->chunk_ns = 0;
}

static void
note_spilled (GstRevBuf * self)
{
  GST_RETRO_AUTO_LOCK (self);

  self->spilled_bytes = gst_revbuf_collect_get_spilled_bytes (self->collect);
}

static void
start_collecting (GstRetroFilter * filter, const GstSegment * segment)
{
  GstRevBuf *self = GST_REVBUF (filter);

  GST_OBJECT_LOCK (self);
  self->collect = gst_revbuf_collect_new (filter, &self->settings.storage,
      segment);
  GST_OBJECT_UNLOCK (self);
  note_spilled (self);
}

static gboolean
gst_revbuf_set_segment (GstRetroFilter * filter, const GstSegment * in,
    GstSegment * out)
{
  GstRevBuf *self = GST_REVBUF (filter);
  GstRevBufSettings settings = snapshot_settings (self);
  TimePlayWay way = gst_revbuf_mode_selector_set_segment (self->selector, in);

  forget_audio (self);
  if (way == TIMEPLAY_COLLECTS)
    start_collecting (filter, in);
  if (way == TIMEPLAY_CHUNKS)
    self->chunk_ns = gst_revbuf_settings_chunk_time (&settings);
  gst_retro_filter_set_latency (filter, self->chunk_ns);
  return way == TIMEPLAY_PASSES || way == TIMEPLAY_CHUNKS;
}

static gboolean
gst_revbuf_extend (GstRetroFilter * filter, GstClockTime stop_ns)
{
  GstRevBuf *self = GST_REVBUF (filter);

  return self->collect != NULL
      && gst_revbuf_collect_extend (self->collect, stop_ns);
}

/* Called when the first buffer arrives, because the number of frames in a block depends on
 * the format. */
static GstRevBufChunk *
new_chunk (GstRevBuf * self)
{
  GstRetroFilter *filter = GST_RETRO_FILTER (self);
  guint64 block_frames = gst_util_uint64_scale_int (self->chunk_ns,
      GST_AUDIO_INFO_RATE (gst_retro_filter_get_info (filter)), GST_SECOND);
  GST_RETRO_AUTO_LOCK (self);

  return gst_revbuf_chunk_new (filter, MAX (block_frames, 1),
      &self->settings.storage);
}

static GstFlowReturn
gst_revbuf_process (GstRetroFilter * filter, GstBuffer * buffer)
{
  GstRevBuf *self = GST_REVBUF (filter);
  GstFlowReturn ret;

  if (self->collect != NULL) {
    ret = gst_revbuf_collect_process (self->collect, buffer);
    note_spilled (self);
    return ret;
  }
  if (self->chunk_ns > 0) {
    if (self->chunk == NULL)
      self->chunk = new_chunk (self);
    return gst_revbuf_chunk_process (self->chunk, buffer);
  }
  return gst_retro_filter_push (filter, buffer);
}

static GstFlowReturn
gst_revbuf_drain (GstRetroFilter * filter)
{
  GstRevBuf *self = GST_REVBUF (filter);

  if (self->collect != NULL)
    return gst_revbuf_collect_drain (self->collect);
  if (self->chunk != NULL)
    return gst_revbuf_chunk_drain (self->chunk);
  return GST_FLOW_OK;
}

/* Forwards a gap if the stream is passed through. Otherwise, nothing is sent: the gap will
 * be visible in the timestamps of the audio around it. */
static GstFlowReturn
gst_revbuf_gap (GstRetroFilter * filter, GstClockTime pts_ns,
    GstClockTime duration_ns)
{
  GstRevBuf *self = GST_REVBUF (filter);

  if (self->collect == NULL && self->chunk_ns == 0
      && filter->output.segment_sent)
    return gst_retro_filter_push_gap (filter, pts_ns, duration_ns);
  return GST_FLOW_OK;
}

static gboolean
gst_revbuf_set_format (GstRetroFilter * filter, const GstAudioInfo * info)
{
  /* the chunk has been drained; the next buffer creates a chunk for the new format */
  g_clear_pointer (&GST_REVBUF (filter)->chunk, gst_revbuf_chunk_free);
  return TRUE;
}

static void
gst_revbuf_reset (GstRetroFilter * filter, gboolean stops)
{
  GstRevBuf *self = GST_REVBUF (filter);

  forget_audio (self);
  gst_revbuf_mode_selector_reset (self->selector);
}

static GstFlowReturn
gst_revbuf_chain (GstRetroFilter * filter, GstBuffer * buffer)
{
  GstRevBuf *self = GST_REVBUF (filter);
  GstFlowReturn ret;

  if (!gst_revbuf_mode_selector_passes (self->selector, buffer, &ret))
    return ret;
  ret = PARENT_CLASS->chain (filter, buffer);
  gst_revbuf_seek_task_end_passing (self->task);
  return ret;
}

/* Returns when downstream has consumed everything that was sent, or when it flushes. Sends a
 * serialized query, because a queue forwards it only after all earlier buffers. The query is
 * not DRAIN, because an appsink answers DRAIN only when the application has pulled every
 * buffer. */
static void
wait_for_downstream (GstPad * srcpad)
{
  g_autoptr (GstQuery) query = gst_query_new_custom (QUERY_CONSUMED,
      gst_structure_new_empty ("retrograde-consumed"));

  gst_pad_peer_query (srcpad, query);
}

static gboolean
gst_revbuf_sink_event (GstRetroFilter * filter, GstEvent * event)
{
  GstRevBuf *self = GST_REVBUF (filter);
  gboolean passing, ret = TRUE;
  TimePlayRoute route =
      gst_revbuf_mode_selector_route (self->selector, event, &passing);

  if (route == TIMEPLAY_PASS || route == TIMEPLAY_FOLLOW)
    ret = PARENT_CLASS->sink_event (filter, event);
  if (route == TIMEPLAY_FOLLOW)
    wait_for_downstream (filter->srcpad);
  if (passing)
    gst_revbuf_seek_task_end_passing (self->task);
  return ret;
}

/* ---- seeks and queries -------------------------------------------------- */

static TimePlaySeek
parse_seek (GstEvent * event)
{
  TimePlaySeek seek = {.seqnum = gst_event_get_seqnum (event) };
  GstSeekType start_type, stop_type;
  GstSeekFlags flags;

  gst_event_parse_seek (event, &seek.rate, NULL, &flags, &start_type,
      &seek.start_ns, &stop_type, &seek.stop_ns);
  seek.flags = flags;
  seek.start_type = (TimePlaySeekType) start_type;
  seek.stop_type = (TimePlaySeekType) stop_type;
  return seek;
}

static gboolean
gst_revbuf_seek (GstRetroFilter * filter, GstEvent * event)
{
  GstRevBuf *self = GST_REVBUF (filter);
  TimePlaySeek seek = parse_seek (event);
  TimePlayAnswer answer = gst_revbuf_mode_selector_seek (self->selector, &seek);
  gboolean done;

  if (answer != TIMEPLAY_GOES_PAST) {
    gst_event_unref (event);
    return answer == TIMEPLAY_ACCEPTED;
  }
  done = gst_retro_filter_send_seek (filter, event, seek.rate, seek.start_ns,
      (GstSeekType) seek.stop_type, seek.stop_ns);
  gst_revbuf_seek_task_seek_past (self->task, seek.seqnum);
  if (!done && seek.rate < 0
      && snapshot_settings (self).mode == GST_REVBUF_MODE_COLLECT)
    GST_ELEMENT_WARNING (self, RESOURCE, SEEK,
        ("Upstream cannot play backwards: seek with a positive rate and set "
            "direction=reverse on %s.", GST_OBJECT_NAME (self)), (NULL));
  return done;
}

static gboolean
gst_revbuf_query (GstRetroFilter * filter, GstQuery * query)
{
  GstRevBuf *self = GST_REVBUF (filter);
  GstClockTime time_ns = GST_CLOCK_TIME_NONE;
  GstFormat format = GST_FORMAT_UNDEFINED;

  if (GST_QUERY_TYPE (query) == GST_QUERY_POSITION) {
    gst_query_parse_position (query, &format, NULL);
    time_ns = gst_revbuf_mode_selector_get_position (self->selector);
  } else if (GST_QUERY_TYPE (query) == GST_QUERY_DURATION) {
    gst_query_parse_duration (query, &format, NULL);
    time_ns = gst_revbuf_seek_task_get_state (self->task, NULL).duration_ns;
  }
  if (format == GST_FORMAT_TIME && GST_CLOCK_TIME_IS_VALID (time_ns)) {
    if (GST_QUERY_TYPE (query) == GST_QUERY_POSITION)
      gst_query_set_position (query, GST_FORMAT_TIME, time_ns);
    else
      gst_query_set_duration (query, GST_FORMAT_TIME, time_ns);
    return TRUE;
  }
  return PARENT_CLASS->query (filter, query);
}

/* ---- properties --------------------------------------------------------- */

static void
gst_revbuf_set_property (GObject * object, guint id, const GValue * value,
    GParamSpec * pspec)
{
  GstRevBuf *self = GST_REVBUF (object);
  gboolean known;

  GST_OBJECT_LOCK (object);
  known = gst_revbuf_settings_set (&self->settings, id, value);
  GST_OBJECT_UNLOCK (object);
  if (known)
    gst_revbuf_seek_task_configure (self->task, id == PROP_DIRECTION);
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static GstStructure *
get_stats (GstRevBuf * self)
{
  GstStructure *stats = gst_revbuf_seek_task_get_stats (self->task);
  GST_RETRO_AUTO_LOCK (self);

  gst_structure_set (stats, "bytes-spilled", G_TYPE_UINT64,
      self->spilled_bytes, NULL);
  return stats;
}

static void
gst_revbuf_get_property (GObject * object, guint id, GValue * value,
    GParamSpec * pspec)
{
  GstRevBuf *self = GST_REVBUF (object);
  gboolean known;

  if (id == PROP_STATS) {
    g_value_take_boxed (value, get_stats (self));
    return;
  }
  GST_OBJECT_LOCK (object);
  known = gst_revbuf_settings_get (&self->settings, id, value);
  GST_OBJECT_UNLOCK (object);
  if (!known)
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

/* ---- the element -------------------------------------------------------- */

static GstStateChangeReturn
gst_revbuf_change_state (GstElement * element, GstStateChange transition)
{
  GstRevBuf *self = GST_REVBUF (element);
  GstStateChangeReturn ret;

  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED
      && !gst_revbuf_mode_selector_open (self->selector))
    return GST_STATE_CHANGE_FAILURE;
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY)
    gst_revbuf_mode_selector_close (self->selector);
  ret = GST_ELEMENT_CLASS (gst_revbuf_parent_class)
      ->change_state (element, transition);
  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED
      && ret == GST_STATE_CHANGE_FAILURE)
    gst_revbuf_mode_selector_close (self->selector);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY)
    gst_revbuf_seek_task_stop (self->task);
  return ret;
}

static void
gst_revbuf_finalize (GObject * object)
{
  GstRevBuf *self = GST_REVBUF (object);

  forget_audio (self);
  gst_revbuf_mode_selector_free (self->selector);
  gst_revbuf_seek_task_free (self->task);
  g_free (self->settings.storage.spill_directory);
  G_OBJECT_CLASS (gst_revbuf_parent_class)->finalize (object);
}

static void
gst_revbuf_constructed (GObject * object)
{
  GstRevBuf *self = GST_REVBUF (object);
  GstRetroFilter *filter = GST_RETRO_FILTER (object);

  G_OBJECT_CLASS (gst_revbuf_parent_class)->constructed (object);

  self->task = gst_revbuf_seek_task_new (filter, &self->settings);
  self->selector = gst_revbuf_mode_selector_new (filter, self->task,
      start_collecting);
}

static void
gst_revbuf_init (GstRevBuf * self)
{
  gst_revbuf_settings_init (&self->settings);
  gst_retro_filter_set_passthrough (GST_RETRO_FILTER (self), TRUE);
}

static void
gst_revbuf_class_init (GstRevBufClass * klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstRetroFilterClass *filter_class = GST_RETRO_FILTER_CLASS (klass);

  GST_DEBUG_CATEGORY_INIT (gst_revbuf_debug, "revbuf", 0, "reversal of audio");

  object_class->set_property = gst_revbuf_set_property;
  object_class->get_property = gst_revbuf_get_property;
  object_class->finalize = gst_revbuf_finalize;
  object_class->constructed = gst_revbuf_constructed;
  gst_revbuf_settings_install (object_class);

  GST_ELEMENT_CLASS (klass)->change_state =
      GST_DEBUG_FUNCPTR (gst_revbuf_change_state);
  filter_class->chain = gst_revbuf_chain;
  filter_class->sink_event = gst_revbuf_sink_event;
  filter_class->set_format = gst_revbuf_set_format;
  filter_class->set_segment = gst_revbuf_set_segment;
  filter_class->extend = gst_revbuf_extend;
  filter_class->process = gst_revbuf_process;
  filter_class->gap = gst_revbuf_gap;
  filter_class->drain = gst_revbuf_drain;
  filter_class->reset = gst_revbuf_reset;
  filter_class->seek = gst_revbuf_seek;
  filter_class->query = gst_revbuf_query;

  gst_retro_filter_class_add_templates (filter_class);
  gst_element_class_set_static_metadata (GST_ELEMENT_CLASS (klass),
      "Audio reverser", "Filter/Effect/Audio",
      "Plays audio backwards, changes direction during playback, and loops: "
      "files block by block, live streams piece by piece",
      "The Retrograde authors <retrograde@localhost>");
}
