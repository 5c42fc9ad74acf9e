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
 * backwards. #revbuf:current-direction is the direction of the output. #revbuf:mode selects the
 * method. With `auto`, it is `chunk` if upstream is live, `seek` if it can seek, else `collect`:
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
 *   is one block. A turn of a live stream posts #GST_MESSAGE_LATENCY.
 *
 * If the application sends EOS, the output ends, and a muxer can finish its file. The rate of an
 * instant rate change has the sign of the last seek's rate.
 *
 * ## Messages
 * With `seek`, element messages report turns, passes and seams before they are played. Their fields
 * are `frame` (#gint64), `timestamp`, `stream-time` and `running-time` (#guint64, ns):
 *
 * * `revbuf-direction-change`: the direction changes; `direction` is the new one.
 * * `revbuf-loop-pass`: another pass of the loop begins, in `direction`.
 * * `revbuf-seam`: two blocks meet; `result` is `equal`, `shifted`, `faded` or `odd`.
 *
 * Warnings and errors have details with a field `reason`, such as `cannot-seek`, `seam-odd`,
 * `ends-early` or `needs-times` (see gst_message_parse_warning_details()).
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
#include "revbuf/player.h"
#include "revbuf/report.h"
#include "revbuf/watch.h"
#include "common/pcmbuffer.h"
#include "common/segment.h"

GST_DEBUG_CATEGORY (gst_revbuf_debug);
#define GST_CAT_DEFAULT gst_revbuf_debug

/* Maximum size of a buffer in bytes: large enough that the cost per buffer is negligible,
 * small enough that seeks and state changes take effect immediately. */
#define SEND_BYTES (64 << 10)

#define QUERY_CONSUMED GST_QUERY_MAKE_TYPE (0x7a00, \
    GST_QUERY_TYPE_DOWNSTREAM | GST_QUERY_TYPE_SERIALIZED)

/* Flags of a segment in which upstream may omit audio. */
#define MAY_LACK_AUDIO (GST_SEGMENT_FLAG_TRICKMODE \
    | GST_SEGMENT_FLAG_TRICKMODE_KEY_UNITS | GST_SEGMENT_FLAG_TRICKMODE_NO_AUDIO)

GST_ELEMENT_REGISTER_DECLARE (revbuf);
G_DEFINE_FINAL_TYPE (GstRevBuf, gst_revbuf, GST_TYPE_ELEMENT);
GST_ELEMENT_REGISTER_DEFINE (revbuf, "revbuf", GST_RANK_NONE, GST_TYPE_REVBUF);

/* ---- sending ---------------------------------------------------------------- */

void
gst_revbuf_reset_running_time (GstRevBuf * self)
{
  self->shift_ns = 0;
  self->next_base_ns = GST_CLOCK_TIME_NONE;
}

gboolean
gst_revbuf_send_segment (GstRevBuf * self, const GstSegment * segment)
{
  GstSegment sent = *segment;

  if (GST_CLOCK_TIME_IS_VALID (self->next_base_ns))
    self->shift_ns = (gint64) (self->next_base_ns - sent.base);
  self->next_base_ns = GST_CLOCK_TIME_NONE;
  sent.base += self->shift_ns;
  gst_revbuf_set_velocity (self, self->chunk_ns > 0
      && !gst_revbuf_player_is_active (self->player) ? -1 : sent.applied_rate);
  /* if buffers pass, so does their segment */
  return gst_retro_output_send_segment (&self->output, &sent,
      !g_atomic_int_get (&self->passes));
}

GstFlowReturn
gst_revbuf_push (GstRevBuf * self, GstBuffer * buffer)
{
  gst_retro_output_advance (&self->output, GST_BUFFER_PTS (buffer),
      GST_BUFFER_PTS (buffer) + GST_BUFFER_DURATION (buffer));
  GST_LOG_OBJECT (self, "pushing %" GST_PTR_FORMAT, buffer);
  return gst_pad_push (self->srcpad, buffer);
}

GstFlowReturn
gst_revbuf_push_reversed (GstRevBuf * self, GstRetroStore * store,
    guint64 first, guint64 * end, gboolean gap, GstRetroClock * clock)
{
  const GstAudioInfo *info = &self->input.info;
  gsize max_frames = MAX (SEND_BYTES / GST_AUDIO_INFO_BPF (info), 1);
  GError *error = NULL;
  GstBuffer *buffer;
  GstRetroSpan span;
  gsize n_frames;

  if (!gst_retro_store_read (store, *end - 1, TRUE, &span, &error))
    return gst_revbuf_fail (self, error, "storage");
  n_frames = MIN (span.n_frames, MIN (*end - first, max_frames));
  buffer = gst_retro_buffer_new_copy (info, (const gconstpointer *) span.planes,
      span.n_frames - n_frames, n_frames, TRUE);
  if (buffer == NULL)
    return gst_revbuf_fail_memory (self);
  if (gap)
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_GAP);
  *end -= n_frames;
  gst_retro_clock_stamp (clock, buffer, n_frames);
  return gst_revbuf_push (self, buffer);
}

GstFlowReturn
gst_revbuf_push_gap (GstRevBuf * self, GstClockTime pts_ns,
    GstClockTime duration_ns, GstGapFlags flags)
{
  GstEvent *event = gst_event_new_gap (pts_ns, duration_ns);

  gst_event_set_gap_flags (event, flags);
  gst_event_set_seqnum (event, self->output.seqnum);
  gst_retro_output_advance (&self->output, pts_ns, pts_ns +
      (GST_CLOCK_TIME_IS_VALID (duration_ns) ? duration_ns : 0));
  gst_pad_push_event (self->srcpad, event);
  return GST_FLOW_OK;
}

void
gst_revbuf_set_latency (GstRevBuf * self, GstClockTime latency_ns)
{
  gboolean changed;

  GST_OBJECT_LOCK (self);
  changed = self->latency_ns != latency_ns;
  self->latency_ns = latency_ns;
  GST_OBJECT_UNLOCK (self);
  if (changed)
    gst_element_post_message (GST_ELEMENT (self),
        gst_message_new_latency (GST_OBJECT (self)));
}

/* ---- the way of a stream -------------------------------------------------------- */

static void
set_way (GstRevBuf * self, GstRevBufWay way)
{
  GST_RETRO_AUTO_LOCK (self);

  self->way = way;
  self->first_ns = GST_CLOCK_TIME_NONE;
}

static void
forget_audio (GstRevBuf * self)
{
  g_clear_pointer (&self->collect, gst_revbuf_collect_free);
  g_clear_pointer (&self->chunk, gst_revbuf_chunk_free);
  self->chunk_ns = 0;
  g_queue_clear_full (&self->held, (GDestroyNotify) gst_buffer_unref);
  self->held_frames = 0;
}

static void
note_spilled (GstRevBuf * self)
{
  GST_RETRO_AUTO_LOCK (self);

  self->spilled_bytes = gst_revbuf_collect_get_spilled_bytes (self->collect);
}

/* Lets the bin wait for our SEGMENT_DONE, which comes after the output. */
static void
open_segment (GstRevBuf * self, const GstSegment * segment)
{
  self->is_segment_open = (segment->flags & GST_SEGMENT_FLAG_SEGMENT) != 0;
  if (self->is_segment_open)
    gst_element_post_message (GST_ELEMENT (self),
        gst_message_new_segment_start (GST_OBJECT (self), GST_FORMAT_TIME,
            segment->start));
}

static void
start_collecting (GstRevBuf * self, const GstSegment * segment)
{
  GST_OBJECT_LOCK (self);
  self->collect = gst_revbuf_collect_new (self, &self->settings.storage,
      segment);
  self->way = GST_REVBUF_COLLECT;
  self->first_ns = gst_segment_to_stream_time (segment, GST_FORMAT_TIME,
      segment->stop);
  GST_OBJECT_UNLOCK (self);
  note_spilled (self);
  open_segment (self, segment);
}

/* Called when the first buffer arrives, because the number of frames in a block depends on
 * the format. */
static GstRevBufChunk *
new_chunk (GstRevBuf * self)
{
  guint64 block_frames = gst_util_uint64_scale_int (self->chunk_ns,
      GST_AUDIO_INFO_RATE (&self->input.info), GST_SECOND);
  GST_RETRO_AUTO_LOCK (self);

  return gst_revbuf_chunk_new (self, MAX (block_frames, 1),
      &self->settings.storage);
}

/* Starts the segment that has arrived, and whose stop is known. */
static void
start_segment (GstRevBuf * self)
{
  GstSegment in = self->input.segment;
  GstRevBufSettings settings = gst_revbuf_get_settings (self);
  GstRevBufWay way;

  if (gst_retro_input_is_flipping (&self->input))
    gst_retro_segment_reverse (&self->input.segment, &in);
  forget_audio (self);
  way = gst_revbuf_choose_way (self, &in);
  GST_DEBUG_OBJECT (self, "way %d for %" GST_SEGMENT_FORMAT, way, &in);
  if (!gst_revbuf_player_set_passes (self->player, way == GST_REVBUF_PASS
          && !gst_retro_input_is_flipping (&self->input)))
    return;                     /* a seek has started it meanwhile */
  gst_revbuf_player_note_segment (self->player);
  set_way (self, way);
  if (way == GST_REVBUF_HOLD)
    gst_revbuf_take_ends (self);
  if (way == GST_REVBUF_COLLECT)
    start_collecting (self, &in);
  if (way == GST_REVBUF_CHUNK) {
    self->chunk_ns = gst_revbuf_settings_chunk_time (&settings);
    open_segment (self, &in);
  }
  gst_revbuf_set_latency (self, self->chunk_ns);
  if (way == GST_REVBUF_PASS || way == GST_REVBUF_CHUNK)
    gst_revbuf_send_segment (self, &in);
}

/* Sends all audio that has not been sent yet. If downstream rejects it, posts an error, as
 * queue does: an event has no flow return that could report the rejection upstream. */
static GstFlowReturn
drain (GstRevBuf * self)
{
  GstFlowReturn ret = GST_FLOW_OK;

  if (!GST_AUDIO_INFO_IS_VALID (&self->input.info))
    return GST_FLOW_OK;
  if (self->collect != NULL)
    ret = gst_revbuf_collect_drain (self->collect);
  else if (self->chunk != NULL)
    ret = gst_revbuf_chunk_drain (self->chunk);
  if (ret == GST_FLOW_NOT_LINKED || ret == GST_FLOW_NOT_NEGOTIATED)
    GST_ELEMENT_FLOW_ERROR (self, ret);
  return ret;
}

/* Starts or stops to reverse a stream in blocks as it arrives, within its segment. The caller has
 * the right to send. */
static void
follow_direction (GstRevBuf * self)
{
  GstRevBufSettings settings = gst_revbuf_get_settings (self);
  gboolean wants = gst_revbuf_wants_chunks (self);

  if (wants == (self->way == GST_REVBUF_CHUNK) || (wants
          && !(g_atomic_int_get (&self->passes) && self->output.segment_sent)))
    return;
  if (!wants)
    drain (self);
  if (!gst_revbuf_player_set_passes (self->player, !wants))
    return;
  forget_audio (self);
  set_way (self, wants ? GST_REVBUF_CHUNK : GST_REVBUF_PASS);
  self->chunk_ns = wants ? gst_revbuf_settings_chunk_time (&settings) : 0;
  gst_retro_clock_stop (&self->input.clock);
  gst_revbuf_set_latency (self, self->chunk_ns);
  gst_revbuf_set_velocity (self, wants ? -1 : 1);
}

static void
learn_stop (GstRevBuf * self, GstClockTime end_ns)
{
  if (gst_retro_input_learn_stop (&self->input, end_ns))
    start_segment (self);
}

/* ---- buffers ------------------------------------------------------------------------ */

static GstFlowReturn
hold (GstRevBuf * self, GstBuffer * buffer)
{
  GstBuffer *kept = gst_retro_buffer_keep (buffer, &self->input.info);

  self->held_frames += gst_retro_buffer_frames (buffer, &self->input.info);
  gst_buffer_unref (buffer);
  if (kept == NULL)
    return gst_revbuf_fail_memory (self);
  g_queue_push_tail (&self->held, kept);
  return GST_FLOW_OK;
}

GstFlowReturn
gst_revbuf_stop_holding (GstRevBuf * self, GstRevBufWay way, GstBuffer * last)
{
  GstFlowReturn ret = GST_FLOW_OK;
  GQueue held = self->held;
  GstBuffer *buffer;

  g_queue_init (&self->held);
  self->held_frames = 0;
  if (last != NULL)
    g_queue_push_tail (&held, last);
  if (way == GST_REVBUF_COLLECT)
    start_collecting (self, &self->input.segment);
  else if (!gst_revbuf_player_start (self->player))
    ret = GST_FLOW_FLUSHING;
  while (ret == GST_FLOW_OK && (buffer = g_queue_pop_head (&held)) != NULL)
    ret = gst_revbuf_chain (self->sinkpad, GST_OBJECT (self), buffer);
  g_queue_clear_full (&held, (GDestroyNotify) gst_buffer_unref);
  return ret;
}

static GstFlowReturn
fail_to_map (GstRevBuf * self)
{
  return gst_revbuf_fail (self, g_error_new (GST_STREAM_ERROR,
          GST_STREAM_ERROR_FORMAT,
          "The audio does not match its caps, or there is not enough memory: "
          "check the element before %s.", GST_OBJECT_NAME (self)),
      "audio-unlike-caps");
}

/* Posts, once for a segment, that audio without timestamps cannot be played backwards. */
static GstFlowReturn
fail_untimed (GstRevBuf * self)
{
  if (!self->is_refused)
    gst_revbuf_fail (self, g_error_new (GST_STREAM_ERROR,
            GST_STREAM_ERROR_FORMAT,
            "%s needs audio with timestamps: put a parser such as rawaudioparse "
            "before it.", GST_OBJECT_NAME (self)), "needs-times");
  self->is_refused = TRUE;
  return GST_FLOW_ERROR;
}

/* Sends the segment again without its stop, because downstream would clip the audio there.
 * Called if the input exceeds the stop of its segment. If upstream itself plays backwards, the stop
 * is kept, because other branches are synchronized by it. */
static void
make_room (GstRevBuf * self)
{
  GstSegment segment;

  if (!self->output.segment_sent
      || !gst_retro_output_get_segment (&self->output, &segment)
      || !GST_CLOCK_TIME_IS_VALID (segment.stop)
      || gst_retro_input_is_flipping (&self->input)
      || gst_retro_output_is_in_composition (&self->output))
    return;
  segment.base -= self->shift_ns;
  gst_retro_segment_open (&segment);
  gst_revbuf_send_segment (self, &segment);
}

/* Hands a normalized @buffer (transfer full) to the mode. */
static GstFlowReturn
process (GstRevBuf * self, GstBuffer * buffer)
{
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
  return gst_revbuf_push (self, buffer);
}

/* Handles @buffer (transfer full) without the player. The caller has the right to send. */
static GstFlowReturn
take_buffer (GstRevBuf * self, GstBuffer * buffer)
{
  GstRetroInput *input = &self->input;

  if (g_atomic_int_get (&self->passes))
    return gst_pad_push (self->srcpad, buffer);
  if (self->is_untimed && !g_atomic_int_get (&self->wants_player))
    return gst_pad_push (self->srcpad, buffer);
  if (!GST_AUDIO_INFO_IS_VALID (&input->info)
      || input->segment.format == GST_FORMAT_UNDEFINED) {
    gst_buffer_unref (buffer);
    return GST_FLOW_NOT_NEGOTIATED;
  }
  if (self->is_untimed) {
    gst_buffer_unref (buffer);
    return fail_untimed (self);
  }
  if (!gst_retro_buffer_is_sound (buffer, &input->info)) {
    gst_buffer_unref (buffer);
    return fail_to_map (self);
  }
  if (gst_retro_input_awaits_stop (input))
    learn_stop (self, gst_retro_input_buffer_end (input, buffer));
  if (!gst_retro_input_take (input, &buffer))
    return fail_to_map (self);
  if (buffer == NULL)
    return GST_FLOW_OK;
  if (gst_retro_input_exceeds_stop (input))
    make_room (self);
  return process (self, buffer);
}

/* Takes the right to send. Returns FALSE if the player is active. */
static gboolean
begin_passing (GstRevBuf * self)
{
  if (gst_revbuf_player_is_active (self->player))
    return FALSE;
  gst_revbuf_player_begin_sending (self->player);
  if (!gst_revbuf_player_is_active (self->player))
    return TRUE;
  gst_revbuf_player_end_sending (self->player);
  return FALSE;
}

/* Passes @buffer, unless the player has become active. Returns FALSE then. */
static gboolean
pass (GstRevBuf * self, GstBuffer * buffer, GstFlowReturn * ret)
{
  GstClockTime end_ns = GST_AUDIO_INFO_IS_VALID (&self->input.info) ?
      gst_retro_input_buffer_end (&self->input, buffer) : GST_CLOCK_TIME_NONE;

  if (!begin_passing (self))
    return FALSE;
  if (g_atomic_int_compare_and_exchange (&self->has_turned, TRUE, FALSE))
    follow_direction (self);
  if (g_atomic_int_get (&self->passes) && GST_CLOCK_TIME_IS_VALID (end_ns)) {
    gst_revbuf_player_set_passed (self->player, end_ns);
    gst_retro_output_set_position (&self->output, end_ns);
  }
  *ret = take_buffer (self, buffer);
  gst_revbuf_player_end_sending (self->player);
  return TRUE;
}

GstFlowReturn
gst_revbuf_chain (GstPad * pad, GstObject * parent, GstBuffer * buffer)
{
  GstRevBuf *self = GST_REVBUF (parent);
  GstRevBufWay way;
  GstFlowReturn ret;

  if (!g_atomic_int_get (&self->passes))
    g_atomic_int_inc (&self->progress);
  if (!gst_revbuf_player_is_active (self->player)) {
    if (self->way == GST_REVBUF_HOLD
        && GST_AUDIO_INFO_IS_VALID (&self->input.info)) {
      way = gst_revbuf_choose_held (self, buffer);
      return way == GST_REVBUF_HOLD ? hold (self, buffer) :
          gst_revbuf_stop_holding (self, way, buffer);
    }
    if (g_atomic_int_get (&self->passes)
        && g_atomic_int_get (&self->wants_player)
        && !gst_revbuf_wants_chunks (self) && gst_revbuf_must_turn (self)) {
      gst_revbuf_take_ends (self);
      return gst_revbuf_stop_holding (self, GST_REVBUF_PASS, buffer);
    }
    if (pass (self, buffer, &ret))
      return ret;
  }
  if (self->collect != NULL || self->chunk_ns > 0)      /* a seek has started the player */
    forget_audio (self);
  return gst_revbuf_player_chain (self->player, buffer);
}

/* ---- events from upstream: segments and formats ------------------------------------------ */

/* Changes the stop of the current segment if @segment differs only in its stop: upstream now
 * knows where its audio ends. Returns FALSE if @segment is a new segment. */
static gboolean
extend_segment (GstRevBuf * self, const GstSegment * segment)
{
  GstRetroInput *input = &self->input;

  if (self->collect == NULL || !gst_retro_input_goes_on (input, segment)
      || !gst_revbuf_collect_extend (self->collect, segment->stop))
    return FALSE;
  input->segment.stop = segment->stop;
  input->segment.duration = segment->duration;
  return TRUE;
}

static gboolean
handle_untimed (GstRevBuf * self, GstEvent * event)
{
  gst_retro_output_forget (&self->output);
  set_way (self, GST_REVBUF_PASS);
  if (!g_atomic_int_get (&self->wants_player))
    return gst_pad_push_event (self->srcpad, event);
  gst_event_unref (event);
  fail_untimed (self);
  return TRUE;                  /* otherwise it would be sent again and again */
}

/* @event: (transfer full) */
static gboolean
handle_segment (GstRevBuf * self, GstEvent * event)
{
  const GstSegment *segment;

  gst_event_parse_segment (event, &segment);
  GST_DEBUG_OBJECT (self, "received %" GST_SEGMENT_FORMAT, segment);
  if (segment->format == GST_FORMAT_TIME && extend_segment (self, segment)) {
    gst_event_unref (event);
    return TRUE;
  }
  if (drain (self) == GST_FLOW_ERROR) {
    gst_event_unref (event);
    return FALSE;
  }
  gst_retro_input_set_segment (&self->input, segment);
  g_atomic_int_set (&self->passes, FALSE);
  self->is_refused = FALSE;
  GST_OBJECT_LOCK (self);
  self->is_untimed = segment->format != GST_FORMAT_TIME;
  GST_OBJECT_UNLOCK (self);
  if (segment->format != GST_FORMAT_TIME)
    return handle_untimed (self, event);
  gst_retro_output_expect (&self->output, gst_event_get_seqnum (event));
  gst_event_unref (event);
  if (!gst_retro_input_awaits_stop (&self->input))
    start_segment (self);
  return TRUE;
}

/* @event: (transfer full) */
static gboolean
handle_caps (GstRevBuf * self, GstEvent * event)
{
  GstAudioInfo info;
  GstCaps *caps;

  gst_event_parse_caps (event, &caps);
  if (!gst_audio_info_from_caps (&info, caps)) {
    GST_WARNING_OBJECT (self, "cannot handle %" GST_PTR_FORMAT, caps);
    gst_event_unref (event);
    return FALSE;
  }
  if (!gst_audio_info_is_equal (&info, &self->input.info)) {
    if (drain (self) == GST_FLOW_ERROR) {
      gst_event_unref (event);
      return FALSE;
    }
    g_clear_pointer (&self->chunk, gst_revbuf_chunk_free);
    gst_retro_input_set_info (&self->input, &info);
  }
  return gst_pad_push_event (self->srcpad, event);
}

/* ---- events from upstream: gaps, ends, flushes ------------------------------------------- */

/* @event: (transfer full) */
static gboolean
handle_gap (GstRevBuf * self, GstEvent * event)
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
  learn_stop (self, GST_CLOCK_TIME_IS_VALID (duration) ? pts + duration : pts);
  gst_retro_input_take_gap (&self->input, &pts, duration);
  /* when audio is stored, the gap shows in its timestamps */
  if (self->collect != NULL || !self->output.segment_sent)
    return TRUE;
  if (self->way != GST_REVBUF_CHUNK)
    return gst_revbuf_push_gap (self, pts, duration, flags) == GST_FLOW_OK;
  if (self->chunk == NULL)
    self->chunk = new_chunk (self);
  return gst_revbuf_chunk_gap (self->chunk, pts, duration, flags)
      == GST_FLOW_OK;
}

/* Warns if upstream played backwards and its audio did not end at the stop of the segment.
 * Some demuxers and decoders lose audio or change its order when they play backwards, and
 * report no error. The stop of the output may have been removed, so it is not used. */
static void
check_end (GstRevBuf * self)
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
    gst_revbuf_warn (self, GST_STREAM_ERROR, GST_STREAM_ERROR_DEMUX,
        g_strdup_printf
        ("Upstream played backwards and lost audio, or mixed up "
            "its order: give %s a source of its own, and set mode=auto.",
            GST_OBJECT_NAME (self)),
        gst_revbuf_details ("upstream-lost-audio"));
}

/* Posts SEGMENT_DONE, if the bin waits for it, after the event that says it. */
static void
close_segment (GstRevBuf * self, gint64 position_ns, guint32 seqnum)
{
  GstMessage *message;

  gst_revbuf_player_close_segment (self->player, position_ns, seqnum);
  if (!self->is_segment_open)
    return;
  self->is_segment_open = FALSE;
  message = gst_message_new_segment_done (GST_OBJECT (self), GST_FORMAT_TIME,
      position_ns);
  gst_message_set_seqnum (message, seqnum);
  gst_element_post_message (GST_ELEMENT (self), message);
}

/* Handles EOS and SEGMENT_DONE (transfer full): sends the remaining audio, then the event. */
static gboolean
handle_end (GstRevBuf * self, GstEvent * event)
{
  guint32 seqnum = gst_event_get_seqnum (event);
  gboolean is_done = GST_EVENT_TYPE (event) == GST_EVENT_SEGMENT_DONE, ret;
  gint64 position_ns = -1;

  check_end (self);
  learn_stop (self, GST_CLOCK_TIME_NONE);
  if (drain (self) == GST_FLOW_ERROR) {
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
    gst_event_set_seqnum (event, seqnum);
  }
  ret = gst_pad_push_event (self->srcpad, event);
  if (is_done)
    close_segment (self, position_ns, seqnum);
  return ret;
}

static void
forget_stream (GstRevBuf * self, gboolean caps_too)
{
  forget_audio (self);
  set_way (self, GST_REVBUF_PASS);
  self->is_segment_open = FALSE;
  gst_retro_input_reset (&self->input, caps_too);
  gst_retro_output_forget (&self->output);
}

/* @event: (transfer full) */
static gboolean
handle_flush_stop (GstRevBuf * self, GstEvent * event)
{
  gboolean reset_time, ret;

  gst_event_parse_flush_stop (event, &reset_time);
  forget_stream (self, FALSE);
  if (reset_time)
    gst_revbuf_reset_running_time (self);
  ret = gst_pad_push_event (self->srcpad, event);
  gst_retro_output_drop_held (&self->output, FALSE);
  return ret;
}

/* Returns when downstream has consumed everything that was sent, or when it flushes: a queue
 * forwards a serialized query only after all earlier buffers. An appsink would answer DRAIN only
 * when the application has pulled every buffer. Without this, a turn that is meant for the audible
 * stream could take effect near the beginning of the next one, and playback would end there. */
static void
wait_for_downstream (GstRevBuf * self)
{
  g_autoptr (GstQuery) query = gst_query_new_custom (QUERY_CONSUMED,
      gst_structure_new_empty ("retrograde-consumed"));

  gst_pad_peer_query (self->srcpad, query);
}

/* @event: (transfer full) */
static gboolean
handle_stream_start (GstRevBuf * self, GstEvent * event)
{
  gboolean is_other = gst_revbuf_is_other_stream (self->sinkpad, event), ret;

  drain (self);
  ret = gst_pad_event_default (self->sinkpad, GST_OBJECT (self), event);
  if (is_other)
    wait_for_downstream (self);
  return ret;
}

/* Handles @event (transfer full) without the player. */
static gboolean
take_event (GstRevBuf * self, GstEvent * event)
{
  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_CAPS:
      return handle_caps (self, event);
    case GST_EVENT_SEGMENT:
      return handle_segment (self, event);
    case GST_EVENT_GAP:
      return handle_gap (self, event);
    case GST_EVENT_EOS:
    case GST_EVENT_SEGMENT_DONE:
      return handle_end (self, event);
    case GST_EVENT_FLUSH_STOP:
      return handle_flush_stop (self, event);
    case GST_EVENT_STREAM_START:
      return handle_stream_start (self, event);
    default:
      if (GST_EVENT_IS_SERIALIZED (event) && !self->output.segment_sent
          && self->input.segment.format == GST_FORMAT_TIME) {
        g_queue_push_tail (&self->output.held_events, event);
        return TRUE;
      }
      return gst_pad_event_default (self->sinkpad, GST_OBJECT (self), event);
  }
}

static gboolean
sink_event (GstPad * pad, GstObject * parent, GstEvent * event)
{
  GstRevBuf *self = GST_REVBUF (parent);
  gboolean sends, ret;

  if (!GST_EVENT_IS_SERIALIZED (event)) {
    if (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_START
        && gst_revbuf_player_take_event (self->player, event))
      return TRUE;
    return gst_pad_event_default (pad, parent, event);
  }
  /* another stream may have to wait for the player, which sends meanwhile */
  sends = GST_EVENT_TYPE (event) != GST_EVENT_STREAM_START
      && begin_passing (self);
  if (gst_revbuf_player_take_event (self->player, event)) {
    if (sends)
      gst_revbuf_player_end_sending (self->player);
    return TRUE;
  }
  if (!sends)
    gst_revbuf_player_begin_sending (self->player);
  ret = take_event (self, event);
  gst_revbuf_player_end_sending (self->player);
  return ret;
}

/* ---- EOS from upstream --------------------------------------------------------------------- */

static GstPadProbeReturn
take_end (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  GstRevBuf *self = data;
  GstEvent *event = GST_PAD_PROBE_INFO_EVENT (info);

  if (GST_EVENT_TYPE (event) != GST_EVENT_EOS)
    return GST_PAD_PROBE_OK;
  if (!gst_revbuf_player_is_active (self->player)
      && self->way == GST_REVBUF_HOLD)
    gst_revbuf_stop_holding (self, gst_revbuf_choose_held (self, NULL), NULL);
  return gst_revbuf_player_take_event (self->player, event) ?
      GST_PAD_PROBE_HANDLED : GST_PAD_PROBE_OK;
}

void
gst_revbuf_take_ends (GstRevBuf * self)
{
  GST_RETRO_AUTO_LOCK (self);

  if (self->end_probe == 0)
    self->end_probe = gst_pad_add_probe (self->sinkpad,
        GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, take_end, self, NULL);
}

/* ---- the element ------------------------------------------------------------------------------ */

static GstStateChangeReturn
gst_revbuf_change_state (GstElement * element, GstStateChange transition)
{
  GstRevBuf *self = GST_REVBUF (element);
  GstStateChangeReturn ret;

  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED) {
    if (!gst_revbuf_player_open (self->player))
      return GST_STATE_CHANGE_FAILURE;
    self->watch = gst_revbuf_watch_start (self);
  }
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY)
    gst_revbuf_player_close (self->player);
  ret = GST_ELEMENT_CLASS (gst_revbuf_parent_class)
      ->change_state (element, transition);
  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED
      && ret == GST_STATE_CHANGE_FAILURE)
    gst_revbuf_player_close (self->player);
  else if (transition != GST_STATE_CHANGE_PAUSED_TO_READY)
    return ret;
  g_clear_pointer (&self->watch, gst_revbuf_watch_stop);
  gst_revbuf_player_stop (self->player);
  forget_stream (self, TRUE);
  g_atomic_int_set (&self->passes, FALSE);
  gst_revbuf_reset_running_time (self);
  gst_retro_output_drop_held (&self->output, TRUE);
  return ret;
}

/* An application sends EOS to a pipeline to end it well, and GstBin hands that to its sources. Between
 * two fetches, a source in pull mode would forget it at the next flush. So the element is marked as
 * a source, and gets EOS itself. Sources have also got any other event that goes downstream. */
static gboolean
gst_revbuf_send_event (GstElement * element, GstEvent * event)
{
  GstRevBuf *self = GST_REVBUF (element);

  if (!GST_EVENT_IS_DOWNSTREAM (event))
    return GST_ELEMENT_CLASS (gst_revbuf_parent_class)->send_event (element,
        event);
  if (GST_EVENT_TYPE (event) == GST_EVENT_EOS)
    gst_revbuf_player_end (self->player, gst_event_get_seqnum (event));
  gst_event_unref (event);
  return TRUE;
}

/* Ends the thread of an element that is dropped without being stopped, as at the end of a script. */
static void
gst_revbuf_dispose (GObject * object)
{
  GstRevBuf *self = GST_REVBUF (object);

  gst_revbuf_player_close (self->player);
  if (GST_ELEMENT (self)->srcpads != NULL)
    gst_pad_stop_task (self->srcpad);
  G_OBJECT_CLASS (gst_revbuf_parent_class)->dispose (object);
}

static void
gst_revbuf_finalize (GObject * object)
{
  GstRevBuf *self = GST_REVBUF (object);

  forget_audio (self);
  gst_revbuf_player_free (self->player);
  g_free (self->settings.storage.spill_directory);
  G_OBJECT_CLASS (gst_revbuf_parent_class)->finalize (object);
}

static GstPad *
add_pad (GstRevBuf * self, const gchar * name)
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
  self->sinkpad = add_pad (self, "sink");
  gst_pad_set_chain_function (self->sinkpad,
      GST_DEBUG_FUNCPTR (gst_revbuf_chain));
  gst_pad_set_event_function (self->sinkpad, GST_DEBUG_FUNCPTR (sink_event));
  self->srcpad = add_pad (self, "src");
  gst_revbuf_seeks_init (self);
  gst_retro_output_init (&self->output, self->srcpad);
  gst_retro_input_reset (&self->input, TRUE);
  gst_revbuf_reset_running_time (self);
  gst_revbuf_properties_init (self);
  g_queue_init (&self->held);
  self->first_ns = GST_CLOCK_TIME_NONE;
  self->player = gst_revbuf_player_new (self);
  GST_OBJECT_FLAG_SET (self, GST_ELEMENT_FLAG_SOURCE);
}

/* Raw audio, interleaved or planar, in every format that the running GStreamer knows. */
static void
add_templates (GstElementClass * klass)
{
  g_autoptr (GstCaps) caps = gst_audio_make_raw_caps (NULL, 0,
      GST_AUDIO_LAYOUT_INTERLEAVED);
  GstCaps *planar = gst_audio_make_raw_caps (NULL, 0,
      GST_AUDIO_LAYOUT_NON_INTERLEAVED);

  gst_caps_set_simple (caps, "channels", GST_TYPE_INT_RANGE, 1, 1024, NULL);
  /* GStreamer cannot map more than 255 planes */
  gst_caps_set_simple (planar, "channels", GST_TYPE_INT_RANGE, 1, 255, NULL);
  gst_caps_append (caps, planar);
  gst_element_class_add_pad_template (klass, gst_pad_template_new ("sink",
          GST_PAD_SINK, GST_PAD_ALWAYS, caps));
  gst_element_class_add_pad_template (klass, gst_pad_template_new ("src",
          GST_PAD_SRC, GST_PAD_ALWAYS, caps));
}

static void
gst_revbuf_class_init (GstRevBufClass * klass)
{
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);

  GST_DEBUG_CATEGORY_INIT (gst_revbuf_debug, "revbuf", 0, "reversal of audio");

  G_OBJECT_CLASS (klass)->dispose = gst_revbuf_dispose;
  G_OBJECT_CLASS (klass)->finalize = gst_revbuf_finalize;
  gst_revbuf_properties_class_init (G_OBJECT_CLASS (klass));
  element_class->change_state = GST_DEBUG_FUNCPTR (gst_revbuf_change_state);
  element_class->send_event = GST_DEBUG_FUNCPTR (gst_revbuf_send_event);
  add_templates (element_class);
  gst_element_class_set_static_metadata (element_class,
      "Audio reverser", "Filter/Effect/Audio",
      "Plays audio backwards, changes direction during playback, and loops: "
      "files block by block, live streams piece by piece",
      "The Retrograde authors <retrograde@localhost>");
}
