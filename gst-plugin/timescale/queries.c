/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Handles what arrives from downstream, all of it in output time.
 */

#include "timescale/gsttimescale.h"

/* ---- times -------------------------------------------------------------------- */

/* Stream time of the output for stream time @time_ns of the input. -1 stays -1. */
static gint64
queries_to_output (GstTimeScale * self, gint64 time_ns)
{
  GST_RETRO_AUTO_LOCK (self);

  return gst_time_scale_timeline_map (&self->times.history, time_ns,
      self->settings.factor);
}

/* Stream time of the input for stream time @time_ns of the output. Times below -1 count back from
 * the end, where the requested factor applies. Hold the lock. */
static gint64
queries_to_input (GstTimeScale * self, gint64 time_ns)
{
  if (time_ns < -1)
    return -(gint64) timedsp_scale_time (-time_ns, 1 / self->settings.factor);
  return gst_time_scale_timeline_unmap (&self->times.history, time_ns,
      self->settings.factor);
}

gboolean
gst_time_scale_is_inert (GstTimeScale * self)
{
  const TimePitch *pitch = &self->settings.pitch;

  if (gst_object_has_active_control_bindings (GST_OBJECT (self)))
    return FALSE;
  GST_RETRO_AUTO_LOCK (self);
  return self->settings.factor == 1 && pitch->semitones == 0
      && pitch->formant_semitones == 0;
}

/* ---- seeks ---------------------------------------------------------------------- */

gboolean
gst_time_scale_multiply_rate (GstTimeScale * self, gdouble multiplier)
{
  GST_RETRO_AUTO_LOCK (self);

  if (!self->settings.absorbs_rate || !(multiplier > 0)
      || self->settings.alignment != GST_TIME_SCALE_STREAM)
    return FALSE;
  self->new_multiplier = multiplier;
  g_atomic_int_set (&self->is_changed, TRUE);
  return TRUE;
}

/* Copies @seek, which is in TIME, and converts its times to input time. We keep the times until
 * the segment that answers the seek arrives. */
static GstEvent *
queries_translate_seek (GstTimeScale * self, GstEvent * seek)
{
  GstSeekType start_type, stop_type;
  GstClockTime interval_ns;
  gint64 start, stop;
  GstSeekFlags flags;
  GstEvent *event;
  gdouble rate;
  GST_RETRO_AUTO_LOCK (self);

  gst_event_parse_seek (seek, &rate, NULL, &flags, &start_type, &start,
      &stop_type, &stop);
  gst_event_parse_seek_trickmode_interval (seek, &interval_ns);
  self->is_seeking = !(flags & GST_SEEK_FLAG_INSTANT_RATE_CHANGE);
  self->seek.out_start_ns = start_type == GST_SEEK_TYPE_SET ? start : -1;
  self->seek.out_stop_ns = stop_type == GST_SEEK_TYPE_SET ? stop : -1;
  self->seek.in_start_ns = queries_to_input (self, self->seek.out_start_ns);
  self->seek.in_stop_ns = queries_to_input (self, self->seek.out_stop_ns);
  event = gst_event_new_seek (rate, GST_FORMAT_TIME, flags, start_type,
      queries_to_input (self, start), stop_type, queries_to_input (self, stop));
  gst_event_set_seek_trickmode_interval (event, interval_ns);
  gst_event_set_seqnum (event, gst_event_get_seqnum (seek));
  return event;
}

/* Handles the seek @seek (transfer full), of TIME format. We handle an instant rate change without
 * upstream, unless the direction would change. */
static gboolean
queries_seek (GstTimeScale * self, GstEvent * seek)
{
  GstSeekFlags flags;
  GstSegment in;
  gboolean ret;
  gdouble rate;

  gst_event_parse_seek (seek, &rate, NULL, &flags, NULL, NULL, NULL, NULL);
  ret = (flags & GST_SEEK_FLAG_INSTANT_RATE_CHANGE)
      && gst_retro_pad_get_segment (GST_BASE_TRANSFORM_SINK_PAD (self), &in,
      NULL) && rate * in.rate > 0
      && gst_time_scale_multiply_rate (self, rate / in.rate);
  if (!ret) {
    ret = gst_pad_push_event (GST_BASE_TRANSFORM_SINK_PAD (self),
        queries_translate_seek (self, seek));
    GST_OBJECT_LOCK (self);
    self->is_seeking &= ret;    /* if upstream has refused it, there won't be a segment */
    GST_OBJECT_UNLOCK (self);
  }
  gst_event_unref (seek);
  return ret;
}

/* ---- quality of service -------------------------------------------------------------- */

/* Running time of the input for the running time @time_ns of the output. */
static GstClockTime
queries_unmap_running_time (GstTimeScale * self, GstClockTime time_ns)
{
  GstSegment out;
  GstClockTime at;

  if (!gst_retro_output_get_segment (&self->output, &out))
    return time_ns;
  GST_RETRO_AUTO_LOCK (self);
  at = gst_segment_position_from_running_time (&out, GST_FORMAT_TIME, time_ns);
  at = gst_time_scale_line_unmap (&self->times.line, at);
  at = gst_segment_to_running_time (&self->times.in, GST_FORMAT_TIME, at);
  return GST_CLOCK_TIME_IS_VALID (at) ? at : time_ns;
}

/* Returns (transfer full) @qos (transfer full) with the running time of the input. */
static GstEvent *
queries_translate_qos (GstTimeScale * self, GstEvent * qos)
{
  GstClockTime time_ns, at;
  GstClockTimeDiff diff;
  gdouble proportion;
  GstQOSType type;
  GstEvent *event;

  gst_event_parse_qos (qos, &type, &proportion, &diff, &time_ns);
  at = queries_unmap_running_time (self, time_ns);
  event = gst_event_new_qos (type, proportion,
      GST_CLOCK_DIFF (at, queries_unmap_running_time (self, time_ns + diff)),
      at);
  gst_event_set_seqnum (event, gst_event_get_seqnum (qos));
  gst_event_unref (qos);
  return event;
}

gboolean
gst_time_scale_src_event (GstBaseTransform * trans, GstEvent * event)
{
  GstTimeScale *self = GST_TIME_SCALE (trans);
  GstFormat format;

  if (GST_EVENT_TYPE (event) == GST_EVENT_SEEK) {
    gst_event_parse_seek (event, NULL, &format, NULL, NULL, NULL, NULL, NULL);
    if (format == GST_FORMAT_TIME)
      return queries_seek (self, event);
  } else if (GST_EVENT_TYPE (event) == GST_EVENT_QOS) {
    event = queries_translate_qos (self, event);
  }
  return GST_TIME_SCALE_PARENT (self)->src_event (trans, event);
}

/* ---- queries ----------------------------------------------------------------------------- */

static gboolean
queries_query_position (GstTimeScale * self, GstQuery * query)
{
  gint64 position = gst_retro_output_get_position (&self->output);

  if (position == -1) {         /* nothing has been sent yet */
    if (!gst_pad_peer_query_position (GST_BASE_TRANSFORM_SINK_PAD (self),
            GST_FORMAT_TIME, &position))
      return FALSE;
    position = queries_to_output (self, position);
  }
  return gst_retro_pad_answer_time (GST_BASE_TRANSFORM_SRC_PAD (self), query,
      position);
}

static gboolean
queries_query_seeking (GstTimeScale * self, GstQuery * query)
{
  GstFormat format;
  gint64 start, stop;
  gboolean seekable;

  if (!gst_pad_peer_query (GST_BASE_TRANSFORM_SINK_PAD (self), query))
    return FALSE;
  gst_query_parse_seeking (query, &format, &seekable, &start, &stop);
  if (format == GST_FORMAT_TIME)
    gst_query_set_seeking (query, format, seekable, queries_to_output (self,
            start), queries_to_output (self, stop));
  return TRUE;
}

/* revbuf sends this query. Scaled audio is different after a seek, because the phase of the
 * scaler depends on its first frame. */
static gboolean
queries_query_repeats (GstTimeScale * self, GstQuery * query)
{
  GstStructure *structure = gst_query_writable_structure (query);

  if (structure == NULL
      || !gst_structure_has_name (structure, GST_RETRO_QUERY_REPEATS)
      || gst_time_scale_is_inert (self))
    return FALSE;
  gst_structure_set (structure, "repeats", G_TYPE_BOOLEAN, FALSE, NULL);
  return TRUE;
}

gboolean
gst_time_scale_query (GstBaseTransform * trans, GstPadDirection direction,
    GstQuery * query)
{
  GstTimeScale *self = GST_TIME_SCALE (trans);
  GstClockTime latency_ns;
  gint64 duration_ns;

  switch (direction == GST_PAD_SRC ? GST_QUERY_TYPE (query) : GST_QUERY_UNKNOWN) {
    case GST_QUERY_LATENCY:
      GST_OBJECT_LOCK (self);
      latency_ns = self->latency_ns;
      GST_OBJECT_UNLOCK (self);
      return gst_retro_pad_answer_latency (GST_BASE_TRANSFORM_SINK_PAD (self),
          query, latency_ns);
    case GST_QUERY_DURATION:
      if (g_atomic_int_get (&self->is_untimed))
        break;
      return gst_pad_peer_query_duration (GST_BASE_TRANSFORM_SINK_PAD (self),
          GST_FORMAT_TIME, &duration_ns)
          && gst_retro_pad_answer_time (GST_BASE_TRANSFORM_SRC_PAD (self),
          query, queries_to_output (self, duration_ns));
    case GST_QUERY_POSITION:
      if (!g_atomic_int_get (&self->is_untimed))
        return queries_query_position (self, query);
      break;
    case GST_QUERY_SEEKING:
      return queries_query_seeking (self, query);
    case GST_QUERY_SEGMENT:
      if (gst_retro_output_query_segment (&self->output, query))
        return TRUE;
      break;
    case GST_QUERY_CUSTOM:
      if (queries_query_repeats (self, query))
        return TRUE;
      break;
    case GST_QUERY_SCHEDULING: /* push mode only, because pulling would get you the input */
      gst_query_set_scheduling (query, 0, 1, -1, 0);
      gst_query_add_scheduling_mode (query, GST_PAD_MODE_PUSH);
      return TRUE;
    default:
      break;
  }
  return GST_TIME_SCALE_PARENT (self)->query (trans, direction, query);
}
