/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/**
 * SECTION:element-revbuf
 * @title: revbuf
 * @short_description: Plays audio backwards
 *
 * revbuf reverses raw audio. Its output is an ordinary stream with increasing timestamps and a
 * positive rate, so filters with history, encoders, muxers and any sink can handle it. The
 * applied rate of its segment is negative, and the position decreases. If an encoder or a muxer
 * follows, the segment has no stop, because an encoder's last packet has a timestamp after the
 * stop and would be dropped.
 *
 * It plays backwards if #revbuf:direction is `reverse`, or after a seek with a negative rate.
 * #revbuf:current-direction is the direction of the output. #revbuf:mode selects the method.
 * `auto` picks `chunk` if upstream is live, `seek` if it can seek, and `collect` otherwise:
 *
 * * seek: fetches short blocks with accurate seeks, starting at the end. Neighbouring blocks
 *   overlap, and the overlap is compared before it's output. Longer streams don't need more
 *   memory. Changes of direction, seeks and #revbuf:loop are frame-accurate. #revbuf:stats counts
 *   the blocks and how the comparisons went.
 * * collect: keeps the whole stream, in memory and in a temporary file, and sends it backwards
 *   once it has ended. #GST_MESSAGE_PROGRESS reports the progress: `collect` while the stream is
 *   stored, `reverse` while it's played. If you seek to a position, it plays from there back to
 *   the beginning, and a seek with a stop plays the whole range.
 * * chunk: reverses the stream in pieces of #revbuf:block-time, as a live effect. The latency is
 *   one block. When a live stream changes direction, #GST_MESSAGE_LATENCY is posted.
 *
 * If the stream can seek, #revbuf:speed plays it like a tape, from -8 to 8 and through zero. Its
 * sign always agrees with #revbuf:direction. At 1 and -1, you get the exact frames.
 * #GstRevBuf::scrub moves the tape to a position. With #revbuf:speed-mode `rate`, the playback
 * rate changes instead.
 *
 * If the application sends EOS, the output ends, and a muxer can finish its file. An instant rate
 * change must have the same sign as the rate of the last seek.
 *
 * ## Messages
 * With `seek`, element messages report direction changes, loop passes and seams before they're
 * played. Their fields are `frame` (#gint64), `timestamp`, `stream-time` and `running-time`
 * (#guint64, ns):
 *
 * * `revbuf-direction-change`: the direction changes to `direction`.
 * * `revbuf-loop-pass`: another pass of the loop begins, in `direction`.
 * * `revbuf-seam`: two blocks meet. `result` is `equal`, `shifted`, `faded` or `odd`.
 *
 * Warnings and errors have details with a field `reason`, such as `cannot-seek`, `seam-odd`,
 * `ends-early` or `needs-times` (see gst_message_parse_warning_details()).
 *
 * With `collect` and `chunk`, seeks with a negative rate are sent upstream. With `auto`, they're
 * sent upstream if other branches share the source, so that video stays in sync. Upstream then
 * delivers blocks in reverse order, and revbuf reverses each block.
 *
 * It accepts every raw format, interleaved and planar, with up to 1024 channels (planar: 255, as
 * many planes as GStreamer can map). At speeds 1 and -1, samples are never changed, except where
 * two blocks are crossfaded, so reversing twice gives you the same bits.
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

#include "revbuf/gstrevbuf.h"

GST_DEBUG_CATEGORY (gst_revbuf_debug);

#define QUERY_CONSUMED GST_QUERY_MAKE_TYPE (0x7a00, \
    GST_QUERY_TYPE_DOWNSTREAM | GST_QUERY_TYPE_SERIALIZED)

/* If a segment has one of these flags, upstream may omit audio. */
#define MAY_LACK_AUDIO (GST_SEGMENT_FLAG_TRICKMODE \
    | GST_SEGMENT_FLAG_TRICKMODE_KEY_UNITS | GST_SEGMENT_FLAG_TRICKMODE_NO_AUDIO)

GST_ELEMENT_REGISTER_DECLARE (revbuf);
G_DEFINE_FINAL_TYPE (GstRevBuf, gst_revbuf, GST_TYPE_ELEMENT);
GST_ELEMENT_REGISTER_DEFINE (revbuf, "revbuf", GST_RANK_NONE, GST_TYPE_REVBUF);

/* ---- events from upstream: segments and formats ------------------------------------------ */

/* Changes the stop of the current segment if @segment differs only in its stop, duration, position
 * and flags: upstream now knows where its audio ends. Returns FALSE if @segment is a new
 * segment. */
static gboolean
revbuf_extend_segment (GstRevBuf * self, const GstSegment * segment)
{
  GstSegment *now = &self->input.segment, same = *segment;

  same.flags = now->flags;
  same.stop = now->stop;
  same.duration = now->duration;
  same.position = now->position;
  if (self->collect == NULL || gst_retro_input_is_flipping (&self->input)
      || !gst_segment_is_equal (&same, now)
      || !gst_revbuf_collect_extend (self->collect, segment->stop))
    return FALSE;
  now->stop = segment->stop;
  now->duration = segment->duration;
  return TRUE;
}

/* The seqnum of @event, or, if it answers the player's last fetch, of the request. */
static guint32
revbuf_seqnum_of (GstRevBuf * self, GstEvent * event)
{
  guint32 seqnum = gst_event_get_seqnum (event);

  return g_atomic_int_get (&self->distrusts_seeks)
      && gst_revbuf_is_own (self, seqnum) ? self->served.seqnum : seqnum;
}

/* @taken: (transfer full) */
static gboolean
revbuf_handle_segment (GstRevBuf * self, GstEvent * taken)
{
  g_autoptr (GstEvent) event = taken;
  const GstRevBufRequest *served = &self->served;
  guint32 seqnum = revbuf_seqnum_of (self, event);
  GstSegment copy, *segment = &copy;

  gst_event_copy_segment (event, segment);
  if (seqnum != gst_event_get_seqnum (event)) {
    /* The player has given up, and the segment decodes the stream from its start. We replace it
     * with the one that we were asked to play. */
    segment->rate = served->rate;
    segment->flags = served->flags;
    segment->start += served->start_ns - segment->time;
    segment->time = served->start_ns;
    gst_retro_input_set_info (&self->input, self->format.id);
  } else {
    self->owed_ns = GST_CLOCK_TIME_NONE;
  }
  GST_DEBUG_OBJECT (self, "received %" GST_SEGMENT_FORMAT, segment);
  if (segment->format == GST_FORMAT_TIME
      && revbuf_extend_segment (self, segment))
    return TRUE;
  if (gst_revbuf_drain (self) == GST_FLOW_ERROR)
    return FALSE;
  gst_retro_input_set_segment (&self->input, segment);
  g_atomic_int_set (&self->passes, FALSE);
  self->is_refused = FALSE;
  g_atomic_int_set (&self->is_untimed, segment->format != GST_FORMAT_TIME);
  if (self->is_untimed) {
    gst_retro_output_forget (&self->output);
    gst_revbuf_set_stream_mode (self, GST_REVBUF_PASS_THROUGH);
    if (!g_atomic_int_get (&self->wants_player))
      return gst_pad_push_event (self->srcpad, g_steal_pointer (&event));
    gst_revbuf_fail_untimed (self);
    return TRUE;                /* otherwise it would be sent again and again */
  }
  gst_retro_output_expect (&self->output, seqnum);
  if (!gst_retro_input_awaits_stop (&self->input))
    gst_revbuf_start_segment (self);
  return TRUE;
}

/* @taken: (transfer full) */
static gboolean
revbuf_handle_caps (GstRevBuf * self, GstEvent * taken)
{
  g_autoptr (GstEvent) event = taken;
  GstAudioInfo info;
  GstCaps *caps;

  gst_event_parse_caps (event, &caps);
  if (!gst_audio_info_from_caps (&info, caps)) {
    GST_WARNING_OBJECT (self, "cannot handle %" GST_PTR_FORMAT, caps);
    return FALSE;
  }
  if (!gst_audio_info_is_equal (&info, &self->input.info)) {
    if (gst_revbuf_drain (self) == GST_FLOW_ERROR)
      return FALSE;
    g_clear_pointer (&self->chunk, gst_revbuf_chunk_free);
    gst_retro_input_set_info (&self->input, &info);
  }
  return gst_pad_push_event (self->srcpad, g_steal_pointer (&event));
}

/* ---- events from upstream: gaps, ends, flushes ------------------------------------------- */

/* @event: (transfer full) */
static gboolean
revbuf_handle_gap (GstRevBuf * self, GstEvent * event)
{
  GstClockTime pts, duration;
  GstGapFlags flags;

  if (g_atomic_int_get (&self->passes) || self->is_untimed)
    return gst_pad_push_event (self->srcpad, event);
  gst_event_parse_gap (event, &pts, &duration);
  gst_event_parse_gap_flags (event, &flags);
  gst_event_unref (event);
  if (!GST_CLOCK_TIME_IS_VALID (pts)
      || !GST_AUDIO_INFO_IS_VALID (&self->input.info)
      || self->input.segment.format != GST_FORMAT_TIME)
    return TRUE;
  gst_revbuf_learn_stop (self, GST_CLOCK_TIME_IS_VALID (duration) ?
      pts + duration : pts);
  gst_retro_input_take_gap (&self->input, &pts, duration);
  /* if we store the audio, its timestamps show the gap */
  if (self->collect != NULL || !self->output.segment_sent)
    return TRUE;
  if (self->stream_mode == GST_REVBUF_CHUNK) {
    if (self->chunk == NULL)
      self->chunk = gst_revbuf_chunk_new (self);
    return gst_revbuf_chunk_gap (self->chunk, pts, duration, flags) ==
        GST_FLOW_OK;
  }
  gst_retro_output_push_gap (&self->output, pts, duration, flags,
      self->output.seqnum);
  return TRUE;
}

/* Warns if upstream played backwards and its audio didn't end at the stop of the segment. Some
 * demuxers and decoders lose audio or change its order when they play backwards, without
 * reporting an error. We may have removed the output's stop position, so don't use it here. */
static void
revbuf_check_end (GstRevBuf * self)
{
  const GstSegment *in = &self->input.segment;
  GstClockTime start_ns, stop_ns, reached_ns;

  if (!gst_retro_input_is_flipping (&self->input)
      || (in->flags & MAY_LACK_AUDIO) != 0)
    return;
  GST_OBJECT_LOCK (self);
  start_ns = self->output.segment.start;
  reached_ns = self->output.position_ns;
  GST_OBJECT_UNLOCK (self);
  stop_ns = start_ns + (in->stop - in->start);
  if (!GST_CLOCK_TIME_IS_VALID (reached_ns))
    reached_ns = start_ns;
  if (gst_retro_clock_apart (reached_ns, stop_ns) > GST_SECOND / 2)
    GST_REVBUF_WARN (self, STREAM, DEMUX, "upstream-lost-audio",
        "Upstream played backwards and lost audio, or mixed up its order: give "
        "%s a source of its own, and set mode=auto.", GST_OBJECT_NAME (self));
}

/* Decoding from the start has to reach what we've already played. If it doesn't, what we've
 * collected wouldn't follow on, so we don't send it. */
static void
revbuf_check_rest (GstRevBuf * self)
{
  GstClockTime end_ns = self->input.clock.now_ns;

  if (self->collect == NULL || !GST_CLOCK_TIME_IS_VALID (self->owed_ns)
      || (GST_CLOCK_TIME_IS_VALID (end_ns)
          && end_ns + GST_SECOND / 32 >= self->owed_ns))
    return;
  GST_REVBUF_FAIL (self, STREAM, FAILED, "broken-off",
      "Upstream ended at %.3f s, before the audio that it had sent earlier: "
      "check the file.", GST_CLOCK_TIME_IS_VALID (end_ns) ? end_ns / 1e9 : 0.0);
  gst_revbuf_forget_audio (self);
}

/* Handles EOS and SEGMENT_DONE (transfer full): sends the remaining audio, then the event. */
static gboolean
revbuf_handle_end (GstRevBuf * self, GstEvent * event)
{
  guint32 seqnum = revbuf_seqnum_of (self, event);
  gboolean is_done = GST_EVENT_TYPE (event) == GST_EVENT_SEGMENT_DONE, ret;
  gint64 position_ns = -1;

  revbuf_check_end (self);
  revbuf_check_rest (self);
  gst_revbuf_learn_stop (self, GST_CLOCK_TIME_NONE);
  if (gst_revbuf_drain (self) == GST_FLOW_ERROR) {
    gst_event_unref (event);
    return FALSE;
  }
  if (is_done)
    gst_event_parse_segment_done (event, NULL, &position_ns);
  if (is_done && !g_atomic_int_get (&self->passes)
      && gst_retro_output_get_position (&self->output) != GST_CLOCK_TIME_NONE) {
    position_ns = gst_retro_output_get_position (&self->output);
    gst_event_unref (event);
    event = gst_event_new_segment_done (GST_FORMAT_TIME, position_ns);
  }
  event = gst_event_make_writable (event);
  gst_event_set_seqnum (event, seqnum);
  ret = gst_pad_push_event (self->srcpad, event);
  if (is_done)
    gst_retro_output_close_segment (&self->output, position_ns, seqnum);
  return ret;
}

/* Before another stream begins, we wait until downstream has consumed everything we sent, or
 * flushes: a queue only forwards a serialized query after all earlier buffers. We can't use DRAIN,
 * because an appsink only answers it once the application has pulled every buffer. If we didn't
 * wait, and the user changed direction while this stream was still audible, the change could hit
 * the beginning of the next one, and playback would end there.
 *
 * @event: (transfer full) */
static gboolean
revbuf_handle_stream_start (GstRevBuf * self, GstEvent * event)
{
  g_autoptr (GstQuery) query = gst_query_new_custom (QUERY_CONSUMED,
      gst_structure_new_empty ("retrograde-consumed"));
  gboolean is_other = gst_revbuf_is_other_stream (self->sinkpad, event), ret;

  gst_revbuf_drain (self);
  ret = gst_pad_event_default (self->sinkpad, GST_OBJECT (self), event);
  if (is_other) {
    g_atomic_int_set (&self->distrusts_seeks, FALSE);
    gst_pad_peer_query (self->srcpad, query);
  }
  return ret;
}

/* Handles @event (transfer full) without the player. */
static gboolean
revbuf_take_event (GstRevBuf * self, GstEvent * event)
{
  gboolean reset_time, ret;

  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_CAPS:
      return revbuf_handle_caps (self, event);
    case GST_EVENT_SEGMENT:
      return revbuf_handle_segment (self, event);
    case GST_EVENT_GAP:
      return revbuf_handle_gap (self, event);
    case GST_EVENT_EOS:
    case GST_EVENT_SEGMENT_DONE:
      return revbuf_handle_end (self, event);
    case GST_EVENT_FLUSH_STOP:
      gst_event_parse_flush_stop (event, &reset_time);
      gst_revbuf_forget_stream (self, FALSE);
      if (reset_time)
        gst_revbuf_reset_running_time (self);
      ret = gst_pad_push_event (self->srcpad, event);
      gst_retro_output_drop_held (&self->output, FALSE);
      return ret;
    case GST_EVENT_STREAM_START:
      return revbuf_handle_stream_start (self, event);
    default:
      if (self->input.segment.format == GST_FORMAT_TIME
          && gst_retro_output_hold (&self->output, event))
        return TRUE;
      return gst_pad_event_default (self->sinkpad, GST_OBJECT (self), event);
  }
}

static gboolean
revbuf_sink_event (GstPad * pad, GstObject * parent, GstEvent * event)
{
  GstRevBuf *self = GST_REVBUF (parent);
  gboolean sends, ret;

  if (!GST_EVENT_IS_SERIALIZED (event)) {
    if (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_START
        && gst_revbuf_take_event (self, event))
      return TRUE;
    return gst_pad_event_default (pad, parent, event);
  }
  /* another stream may have to wait for the player, which keeps sending */
  sends = GST_EVENT_TYPE (event) != GST_EVENT_STREAM_START
      && gst_revbuf_begin_passing (self);
  if (gst_revbuf_take_event (self, event)) {
    if (sends)
      gst_revbuf_end_sending (self);
    return TRUE;
  }
  if (!sends)
    gst_revbuf_begin_sending (self);
  ret = revbuf_take_event (self, event);
  gst_revbuf_end_sending (self);
  return ret;
}

/* ---- EOS from upstream --------------------------------------------------------------------- */

static GstPadProbeReturn
revbuf_take_end (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  GstRevBuf *self = data;
  GstEvent *event = GST_PAD_PROBE_INFO_EVENT (info);

  if (self->stream_mode == GST_REVBUF_HOLD
      && !g_atomic_int_get (&self->is_active)
      && (GST_EVENT_TYPE (event) == GST_EVENT_EOS || (self->held.length > 0
              && (GST_EVENT_TYPE (event) == GST_EVENT_STREAM_START
                  || GST_EVENT_TYPE (event) == GST_EVENT_SEGMENT
                  || GST_EVENT_TYPE (event) == GST_EVENT_SEGMENT_DONE))))
    gst_revbuf_stop_holding (self, gst_revbuf_choose_held (self, NULL), NULL);
  if (GST_EVENT_TYPE (event) != GST_EVENT_EOS)
    return GST_PAD_PROBE_OK;
  return gst_revbuf_take_event (self, event) ?
      GST_PAD_PROBE_HANDLED : GST_PAD_PROBE_OK;
}

void
gst_revbuf_take_ends (GstRevBuf * self)
{
  GST_RETRO_AUTO_LOCK (self);

  if (self->end_probe == 0)
    self->end_probe = gst_pad_add_probe (self->sinkpad,
        GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, revbuf_take_end, self, NULL);
}

/* ---- the element ----------------------------------------------------------------------------- */

static GstStateChangeReturn
gst_revbuf_change_state (GstElement * element, GstStateChange transition)
{
  GstRevBuf *self = GST_REVBUF (element);
  GstStateChangeReturn ret;

  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED) {
    if (!gst_revbuf_player_open (self))
      return GST_STATE_CHANGE_FAILURE;
    self->watch = gst_revbuf_watch_start (self);
  }
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY)
    gst_revbuf_player_close (self);
  ret = GST_ELEMENT_CLASS (gst_revbuf_parent_class)
      ->change_state (element, transition);
  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED
      && ret == GST_STATE_CHANGE_FAILURE)
    gst_revbuf_player_close (self);
  else if (transition != GST_STATE_CHANGE_PAUSED_TO_READY)
    return ret;
  gst_clock_id_unschedule (self->watch);
  g_clear_pointer (&self->watch, gst_clock_id_unref);
  gst_revbuf_player_stop (self);
  gst_revbuf_forget_stream (self, TRUE);
  g_atomic_int_set (&self->distrusts_seeks, FALSE);
  g_atomic_int_set (&self->has_scrubbed, FALSE);
  g_atomic_int_set (&self->passes, FALSE);
  gst_revbuf_reset_running_time (self);
  gst_retro_output_drop_held (&self->output, TRUE);
  return ret;
}

/* An application sends EOS to a pipeline to end it cleanly, and GstBin passes it to the sources.
 * A source in pull mode would forget it at our next flush. So we mark the element as a source,
 * and get EOS ourselves. The real sources already get all other downstream events. */
static gboolean
gst_revbuf_send_event (GstElement * element, GstEvent * event)
{
  GstRevBuf *self = GST_REVBUF (element);

  if (!GST_EVENT_IS_DOWNSTREAM (event))
    return GST_ELEMENT_CLASS (gst_revbuf_parent_class)->send_event (element,
        event);
  g_mutex_lock (&self->lock);
  if (GST_EVENT_TYPE (event) == GST_EVENT_EOS)
    gst_revbuf_player_end (self, gst_event_get_seqnum (event));
  g_mutex_unlock (&self->lock);
  gst_event_unref (event);
  return TRUE;
}

/* If an element is dropped without being stopped, e.g. at the end of a script, this ends its
 * thread. */
static void
gst_revbuf_dispose (GObject * object)
{
  GstRevBuf *self = GST_REVBUF (object);

  gst_revbuf_player_close (self);
  if (GST_ELEMENT (self)->srcpads != NULL)
    gst_pad_stop_task (self->srcpad);
  G_OBJECT_CLASS (gst_revbuf_parent_class)->dispose (object);
}

static void
gst_revbuf_finalize (GObject * object)
{
  GstRevBuf *self = GST_REVBUF (object);

  gst_revbuf_forget_audio (self);
  gst_revbuf_player_clear (self);
  timeblocks_free (self->blocks);
  g_hash_table_unref (self->open_seeks);
  g_ptr_array_unref (self->formats);
  g_cond_clear (&self->changed);
  g_mutex_clear (&self->lock);
  g_free (self->settings.storage.spill_directory);
  G_OBJECT_CLASS (gst_revbuf_parent_class)->finalize (object);
}

static GstPad *
revbuf_add_pad (GstRevBuf * self, const gchar * name)
{
  GstPadTemplate *template =
      gst_element_class_get_pad_template (GST_ELEMENT_GET_CLASS (self), name);
  GstPad *pad = gst_pad_new_from_template (template, name);

  GST_PAD_SET_PROXY_CAPS (pad);
  GST_PAD_SET_ACCEPT_TEMPLATE (pad);
  gst_element_add_pad (GST_ELEMENT (self), pad);
  return pad;
}

static void
gst_revbuf_init (GstRevBuf * self)
{
  self->sinkpad = revbuf_add_pad (self, "sink");
  gst_pad_set_chain_function (self->sinkpad,
      GST_DEBUG_FUNCPTR (gst_revbuf_chain));
  gst_pad_set_event_function (self->sinkpad,
      GST_DEBUG_FUNCPTR (revbuf_sink_event));
  self->srcpad = revbuf_add_pad (self, "src");
  gst_revbuf_seeks_init (self);
  gst_retro_output_init (&self->output, self->srcpad);
  gst_retro_input_reset (&self->input, TRUE);
  gst_revbuf_reset_running_time (self);
  gst_revbuf_properties_init (self);
  g_queue_init (&self->held);
  self->first_ns = GST_CLOCK_TIME_NONE;
  gst_revbuf_player_init (self);
  GST_OBJECT_FLAG_SET (self, GST_ELEMENT_FLAG_SOURCE);
}

/* Raw audio, interleaved or planar, in every format that the running GStreamer knows. */
static void
revbuf_add_templates (GstElementClass * klass)
{
  g_autoptr (GstCaps) caps = gst_audio_make_raw_caps (NULL, 0,
      GST_AUDIO_LAYOUT_INTERLEAVED);
  GstCaps *planar = gst_audio_make_raw_caps (NULL, 0,
      GST_AUDIO_LAYOUT_NON_INTERLEAVED);

  gst_caps_set_simple (caps, "channels", GST_TYPE_INT_RANGE, 1, 1024, NULL);
  /* GStreamer can't map more than 255 planes */
  gst_caps_set_simple (planar, "channels", GST_TYPE_INT_RANGE, 1, 255, NULL);
  gst_caps_append (caps, planar);
  gst_element_class_add_pad_template (klass, gst_pad_template_new ("sink",
          GST_PAD_SINK, GST_PAD_ALWAYS, caps));
  gst_element_class_add_pad_template (klass, gst_pad_template_new ("src",
          GST_PAD_SRC, GST_PAD_ALWAYS, caps));
}

static gboolean
gst_revbuf_scrub (GstRevBuf * self, guint64 position_ns, guint64 duration_ns)
{
  if (!GST_CLOCK_TIME_IS_VALID (position_ns)
      || !GST_CLOCK_TIME_IS_VALID (duration_ns)
      || !GST_PAD_IS_ACTIVE (self->srcpad))
    return FALSE;
  g_atomic_int_set (&self->has_scrubbed, TRUE);
  g_atomic_int_set (&self->wants_player, TRUE);
  g_mutex_lock (&self->lock);
  self->pending.has_scrub = TRUE;
  self->pending.scrub_ns = position_ns;
  self->pending.scrub_duration_ns = duration_ns;
  gst_revbuf_changed (self);
  g_mutex_unlock (&self->lock);
  gst_revbuf_warn_of_late_speed (self);
  return TRUE;
}

static void
gst_revbuf_class_init (GstRevBufClass * klass)
{
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);

  GST_DEBUG_CATEGORY_INIT (gst_revbuf_debug, "revbuf", 0, "reversal of audio");

  G_OBJECT_CLASS (klass)->dispose = gst_revbuf_dispose;
  G_OBJECT_CLASS (klass)->finalize = gst_revbuf_finalize;
  gst_revbuf_properties_class_init (G_OBJECT_CLASS (klass));
  /**
   * GstRevBuf::scrub:
   * @revbuf: the element
   * @position: where to go, in stream time
   * @duration: how long it takes, in ns
   *
   * Moves the tape to @position within @duration, smoothly from its current speed. It rests there
   * until #revbuf:speed is set or a seek arrives. The next call replaces this one, so you can
   * call it for every pointer event.
   *
   * Returns: %FALSE if a time isn't valid, or if the element isn't PAUSED yet
   */
  g_signal_new_class_handler ("scrub", G_TYPE_FROM_CLASS (klass),
      G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION, G_CALLBACK (gst_revbuf_scrub), NULL,
      NULL, NULL, G_TYPE_BOOLEAN, 2, G_TYPE_UINT64, G_TYPE_UINT64);
  element_class->change_state = GST_DEBUG_FUNCPTR (gst_revbuf_change_state);
  element_class->send_event = GST_DEBUG_FUNCPTR (gst_revbuf_send_event);
  revbuf_add_templates (element_class);
  gst_element_class_set_static_metadata (element_class,
      "Audio reverser", "Filter/Effect/Audio",
      "Plays audio backwards, changes direction during playback, and loops: "
      "files block by block, live streams piece by piece",
      "The Retrograde authors <retrograde@localhost>");
}
