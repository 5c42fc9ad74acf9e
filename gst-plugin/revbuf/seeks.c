/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Handles seeks and queries from downstream, in any thread.
 */

#include "revbuf/gstrevbuf.h"

/* ---- seeks that go upstream ------------------------------------------------------ */

/* We play a collected stream from the seek position back to its beginning, so we ask upstream for
 * everything up to that position. A later seek that keeps the stop mustn't keep this one. Returns
 * (transfer full) the seek for upstream. Hold the lock. */
static GstEvent *
seeks_translate_seek (GstRevBuf * self, GstEvent * event)
{
  GstRevBufSettings settings = gst_revbuf_get_settings (self);
  GstSeekType start_type, stop_type;
  GstClockTime interval_ns;
  GstSeekFlags flags;
  gint64 start, stop;
  gboolean is_limited, is_down;
  GstEvent *seek;
  gdouble rate;

  gst_event_parse_seek (event, &rate, NULL, &flags, &start_type, &start,
      &stop_type, &stop);
  gst_event_parse_seek_trickmode_interval (event, &interval_ns);
  is_limited = stop_type == GST_SEEK_TYPE_NONE ? self->is_limited :
      stop_type == GST_SEEK_TYPE_END || stop >= 0;
  self->last_seek = gst_event_get_seqnum (event);
  if (flags & GST_SEEK_FLAG_INSTANT_RATE_CHANGE)
    return gst_event_ref (event);
  is_down = settings.direction == TIMEDSP_BACKWARD
      && settings.mode != GST_REVBUF_MODE_CHUNK && !is_limited && rate > 0
      && start_type == GST_SEEK_TYPE_SET;
  if (is_down) {
    stop_type = GST_SEEK_TYPE_SET;
    stop = start;
    start = 0;
  } else if (stop_type == GST_SEEK_TYPE_NONE && self->stop_is_own) {
    stop_type = GST_SEEK_TYPE_SET;
    stop = -1;
  }
  self->is_limited = is_limited;
  self->stop_is_own = is_down;
  seek = gst_event_new_seek (rate, GST_FORMAT_TIME, flags, start_type, start,
      stop_type, stop);
  gst_event_set_seek_trickmode_interval (seek, interval_ns);
  gst_event_set_seqnum (seek, self->last_seek);
  return seek;
}

/* Sends the seek @event upstream and sets *@ret. Returns FALSE, without doing anything, if the
 * player has become active, or the element is stopping. Until the call returns, playback doesn't
 * start: upstream may wait for its streaming thread, and that may have to wait for playback. */
static gboolean
seeks_pass_seek (GstRevBuf * self, GstEvent * event, gboolean * ret)
{
  gpointer seqnum = GUINT_TO_POINTER (gst_event_get_seqnum (event));
  GstEvent *seek = NULL;

  g_mutex_lock (&self->lock);
  if (!self->is_active && !self->is_stopping) {
    seek = seeks_translate_seek (self, event);
    g_hash_table_add (self->open_seeks, seqnum);
  }
  g_mutex_unlock (&self->lock);
  if (seek == NULL)
    return FALSE;
  *ret = gst_pad_push_event (self->sinkpad, seek);
  GST_RETRO_HOLD (&self->lock);
  g_hash_table_remove (self->open_seeks, seqnum);
  return TRUE;
}

static gboolean
seeks_src_event (GstPad * pad, GstObject * parent, GstEvent * event)
{
  GstRevBuf *self = GST_REVBUF (parent);
  gboolean ret = FALSE;
  GstSeekFlags flags;
  GstFormat format;
  gdouble rate;

  if (GST_EVENT_TYPE (event) != GST_EVENT_SEEK)
    return gst_pad_event_default (pad, parent, event);
  gst_event_parse_seek (event, &rate, &format, &flags, NULL, NULL, NULL, NULL);
  /* Without FLUSH, a seek in another format would wait upstream for the streaming
   * thread, which may be waiting for the player's next seek. */
  if (format != GST_FORMAT_TIME && ((flags & GST_SEEK_FLAG_FLUSH)
          || !g_atomic_int_get (&self->is_active)))
    return gst_pad_event_default (pad, parent, event);
  if (format == GST_FORMAT_TIME && !gst_revbuf_player_seek (self, event, &ret)) {
    if (!seeks_pass_seek (self, event, &ret))
      ret = gst_revbuf_player_seek (self, event, &ret) && ret;
    else if (!ret && rate < 0
        && gst_revbuf_get_settings (self).mode == GST_REVBUF_MODE_COLLECT)
      GST_REVBUF_WARN (self, RESOURCE, SEEK, "upstream-plays-forwards",
          "Upstream cannot play backwards: seek with a positive rate and set "
          "direction=reverse on %s.", GST_OBJECT_NAME (self));
  }
  gst_event_unref (event);
  return ret;
}

/* ---- queries ----------------------------------------------------------------------- */

static gboolean
seeks_query_duration (GstRevBuf * self, GstQuery * query)
{
  GstClockTime end_ns;

  g_mutex_lock (&self->lock);
  end_ns = gst_revbuf_duration (self);
  g_mutex_unlock (&self->lock);
  if (!GST_CLOCK_TIME_IS_VALID (end_ns)) {
    if (gst_retro_query_format (query) == GST_FORMAT_TIME)
      return gst_pad_query_default (self->srcpad, GST_OBJECT (self), query);
    end_ns = gst_retro_pad_duration (self->sinkpad);
  }
  return gst_retro_pad_answer_time (self->srcpad, query, end_ns);
}

/* The stream time of the next frame to be sent, or NONE if upstream knows it. */
static GstClockTime
seeks_get_position (GstRevBuf * self)
{
  GstClockTime time_ns = GST_CLOCK_TIME_NONE;
  gboolean is_active, is_delayed;

  g_mutex_lock (&self->lock);
  is_active = self->is_active;
  if (is_active)
    time_ns = self->playhead_ns;
  g_mutex_unlock (&self->lock);
  if (!GST_CLOCK_TIME_IS_VALID (time_ns))
    time_ns = gst_retro_output_get_position (&self->output);
  if (GST_CLOCK_TIME_IS_VALID (time_ns))
    return time_ns;
  GST_OBJECT_LOCK (self);
  is_delayed = self->stream_mode == GST_REVBUF_PLAY
      || self->stream_mode == GST_REVBUF_COLLECT;
  time_ns = self->first_ns;
  GST_OBJECT_UNLOCK (self);
  if (!is_active && !is_delayed)
    return GST_CLOCK_TIME_NONE;
  return !is_active && GST_CLOCK_TIME_IS_VALID (time_ns) ? time_ns :
      gst_retro_pad_duration (self->sinkpad);
}

static gboolean
seeks_query_position (GstRevBuf * self, GstQuery * query)
{
  GstClockTime time_ns = seeks_get_position (self);

  /* while buffers pass through, upstream knows better */
  if ((!GST_CLOCK_TIME_IS_VALID (time_ns)
          || (gst_retro_query_format (query) == GST_FORMAT_TIME
              && g_atomic_int_get (&self->passes)))
      && gst_pad_query_default (self->srcpad, GST_OBJECT (self), query))
    return TRUE;
  return gst_retro_pad_answer_time (self->srcpad, query, time_ns);
}

static gboolean
seeks_src_query (GstPad * pad, GstObject * parent, GstQuery * query)
{
  GstRevBuf *self = GST_REVBUF (parent);
  GstClockTime latency_ns;
  GstQueryType type = GST_QUERY_TYPE (query);

  switch (g_atomic_int_get (&self->is_untimed) ? GST_QUERY_UNKNOWN : type) {
    case GST_QUERY_LATENCY:
      GST_OBJECT_LOCK (self);
      latency_ns = self->latency_ns;
      GST_OBJECT_UNLOCK (self);
      return gst_retro_pad_answer_latency (self->sinkpad, query, latency_ns);
    case GST_QUERY_DURATION:
      return seeks_query_duration (self, query);
    case GST_QUERY_POSITION:
      return seeks_query_position (self, query);
    case GST_QUERY_SEGMENT:
      if (!g_atomic_int_get (&self->passes)
          && gst_retro_output_query_segment (&self->output, query))
        return TRUE;
      break;
    default:
      break;
  }
  return gst_pad_query_default (pad, parent, query);
}

/* Only forwards ALLOCATION queries while upstream's buffers reach downstream unchanged. */
static gboolean
seeks_sink_query (GstPad * pad, GstObject * parent, GstQuery * query)
{
  GstRevBuf *self = GST_REVBUF (parent);

  if (GST_QUERY_TYPE (query) == GST_QUERY_ALLOCATION)
    return g_atomic_int_get (&self->passes)
        && gst_pad_peer_query (self->srcpad, query);
  return gst_pad_query_default (pad, parent, query);
}

void
gst_revbuf_seeks_init (GstRevBuf * self)
{
  gst_pad_set_event_function (self->srcpad,
      GST_DEBUG_FUNCPTR (seeks_src_event));
  gst_pad_set_query_function (self->srcpad,
      GST_DEBUG_FUNCPTR (seeks_src_query));
  gst_pad_set_query_function (self->sinkpad,
      GST_DEBUG_FUNCPTR (seeks_sink_query));
}
