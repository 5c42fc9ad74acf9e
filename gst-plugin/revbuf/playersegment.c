/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Sends the player's output: segments, frames, events, and what ends a segment.
 */

#include "revbuf/gstrevbuf.h"

/* Maximum correction of timestamps. GStreamer's sinks and encoders accept timestamps that are off
 * by 40 ms, and our own elements accept 1/32 s. */
#define MAX_STEP_NS (GST_SECOND / 32)

/* We extend a segment by its length divided by this, because upstream's timestamps may fall
 * slightly short of the frames. With MP3, it's by 1 / 26,000,000. */
#define DRIFT_DIVISOR 10000000

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

void
gst_revbuf_output_set_rate (GstRevBufOutput * out, gdouble rate)
{
  out->base_ns = gst_revbuf_output_running_time (out);
  out->n_frames = 0;
  out->segment.rate = rate;
}

/* ---- times --------------------------------------------------------------------- */

GstClockTime
gst_revbuf_time_of (GstRevBuf * self, gint64 frame)
{
  const GstRevBufRequest *served = &self->served;
  gint rate = self->out.clock.rate;

  if (gst_retro_frame_at (served->start_ns, rate) == frame)
    return served->start_ns;
  if (gst_revbuf_frame_at (served->stop_ns, rate) == frame && frame >= 0)
    return served->stop_ns;
  return gst_retro_time_at (frame, rate);
}

/* Converts a frame's time @time_ns to its timestamp, clamped to the segment. */
static GstClockTime
output_timestamp (const GstRevBufOutput * out, GstClockTime time_ns)
{
  GstClockTime shifted_ns = time_ns + out->shift_ns;

  if (shifted_ns < out->segment.start || shifted_ns > G_MAXINT64)
    return out->segment.start;
  return MIN (shifted_ns, out->segment.stop);
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

  segment->start = gst_revbuf_time_of (self, first);
  out->bound_ns = gst_retro_time_at (first, rate);
  segment->stop = out->bound_stop_ns = GST_CLOCK_TIME_NONE;
  if (end != TIMEDSP_UNKNOWN) {
    if (state->left_frames != G_MAXINT64)
      end = MAX (end, first + MAX (state->left_frames, 0));
    out->bound_stop_ns =
        gst_retro_time_at (end + (end - first) / DRIFT_DIVISOR, rate);
    segment->stop = gst_revbuf_time_of (self, end)
        + out->bound_stop_ns - gst_retro_time_at (end, rate);
  }
  out->shift_ns = is_backward ? segment->start - out->bound_ns + segment->stop
      - out->bound_stop_ns : 0;
  segment->applied_rate = is_backward ? -1 : 1;
  segment->time = segment->start;
  segment->base = gst_revbuf_output_running_time (out);
  gst_retro_clock_start (&out->clock, out->bound_ns);
}

/* Makes room for @n_frames (G_MAXINT64: unknown) before the stop, if the stream has more frames
 * than its timestamps say. Timestamps step back by the missing time. If that's too much, we move
 * the stop instead, and return TRUE. The segment then has to be sent again, which makes encoders
 * start over. */
static gboolean
output_make_room (GstRevBufOutput * out, gint64 n_frames)
{
  GstClockTime needed_ns = gst_util_uint64_scale_ceil (n_frames, GST_SECOND,
      out->clock.rate);
  GstClockTime room_ns =
      out->bound_stop_ns - MIN (out->bound_stop_ns, out->clock.now_ns);

  if (n_frames == G_MAXINT64 || !GST_CLOCK_TIME_IS_VALID (out->bound_stop_ns)
      || n_frames <= gst_retro_frame_at (room_ns, out->clock.rate))
    return FALSE;
  if (needed_ns <= room_ns + MAX_STEP_NS
      && needed_ns <= out->bound_stop_ns - out->bound_ns) {
    gst_retro_clock_start (&out->clock, out->bound_stop_ns - needed_ns);
    return FALSE;
  }
  out->segment.stop = out->bound_stop_ns = out->clock.now_ns + needed_ns;
  return TRUE;
}

void
gst_revbuf_tell_news (GstRevBuf * self)
{
  if (self->tells_direction_change)
    gst_revbuf_report_news (self, GST_REVBUF_NEWS_DIRECTION_CHANGE, 0, NULL);
  if (self->tells_loop_pass)
    gst_revbuf_report_news (self, GST_REVBUF_NEWS_PASS, 0, NULL);
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
    out->segment.stop = out->bound_stop_ns = GST_CLOCK_TIME_NONE;
  gst_revbuf_tell_news (self);
}

void
gst_revbuf_player_send_segment (GstRevBuf * self)
{
  if (!self->out.is_sent)
    gst_revbuf_begin_segment (self);
  else if (!output_make_room (&self->out, self->state.left_frames))
    return;
  gst_revbuf_push_segment (self);
}

/* ---- frames ------------------------------------------------------------------------ */

GstFlowReturn
gst_revbuf_send_buffer (GstRevBuf * self, GstBuffer * buffer, gsize n_frames)
{
  GstRevBufOutput *out = &self->out;
  GstClockTime pts_ns = output_timestamp (out, out->clock.now_ns);
  GstFlowReturn ret;

  if (out->is_broken)
    out->clock.offset_frames = 0;
  out->clock.discont = out->is_broken;
  gst_retro_clock_stamp (&out->clock, buffer, n_frames);
  GST_BUFFER_PTS (buffer) = pts_ns;
  GST_BUFFER_DURATION (buffer) =
      output_timestamp (out, out->clock.now_ns) - pts_ns;
  out->is_broken = FALSE;
  out->n_frames += n_frames;
  ret = gst_revbuf_push (self, buffer);
  if (ret == GST_FLOW_NOT_LINKED || ret == GST_FLOW_NOT_NEGOTIATED)
    GST_ELEMENT_FLOW_ERROR (self, ret);
  return ret;
}

GstFlowReturn
gst_revbuf_send_frames (GstRevBuf * self, const TimeBlocksSpan * span)
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
output_has_same_tags (GstEvent * event, GstEvent * other_event)
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

static gboolean
output_is_known (GstPad * srcpad, GstEvent * event)
{
  g_autoptr (GstEvent) known = GST_EVENT_IS_STICKY (event) ?
      gst_pad_get_sticky_event (srcpad, GST_EVENT_TYPE (event), 0) : NULL;

  if (known == NULL)
    return FALSE;
  if (GST_EVENT_TYPE (event) == GST_EVENT_TAG)
    return output_has_same_tags (known, event);
  return gst_event_get_structure (known) != NULL
      && gst_event_get_structure (event) != NULL
      && gst_structure_is_equal (gst_event_get_structure (known),
      gst_event_get_structure (event));
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
    if (output_is_known (srcpad, event))
      gst_event_unref (event);
    else
      gst_pad_push_event (srcpad, event);
  }
}

void
gst_revbuf_send_end (GstRevBuf * self)
{
  gint64 position_ns = gst_revbuf_time_of (self, self->state.boundary);
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
