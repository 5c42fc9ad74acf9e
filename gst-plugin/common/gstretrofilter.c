/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "common/gstretrofilter.h"
#include "common/pcmbuffer.h"
#include "common/downstream.h"
#include "common/inputstream.h"
#include "common/segment.h"

GST_DEBUG_CATEGORY_STATIC (retro_filter_debug);
#define GST_CAT_DEFAULT retro_filter_debug

typedef struct
{
  GstPad *sinkpad, *srcpad;

  /* streaming thread */
  GstRetroInput input;
  guint32 seqnum;               /* of its segment */
  gboolean segment_sent;
  GQueue held_events;           /* serialized ones behind a segment not yet sent */

  gint passthrough;             /* atomic: seeks end it, too */

  /* under the object lock */
  GstSegment out_segment;       /* UNDEFINED: none sent yet */
  GstClockTime position_ns;     /* in out_segment, of the frame sent next */

  /* streaming thread: what downstream has of it; UNDEFINED: nothing yet */
  GstSegment sent;
  gboolean in_parts;
} GstRetroFilterPrivate;

G_DEFINE_ABSTRACT_TYPE_WITH_PRIVATE (GstRetroFilter, gst_retro_filter,
    GST_TYPE_ELEMENT);

/* What positions of a sink may be wrong by. */
#define PART_ERROR_NS GST_SECOND

#define PRIV(filter) \
  ((GstRetroFilterPrivate *) gst_retro_filter_get_instance_private (filter))

/* ---- for subclasses ----------------------------------------------------- */

void
gst_retro_filter_class_add_templates (GstRetroFilterClass * klass,
    const GstAudioFormat * formats, guint n_formats)
{
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstCaps *caps = gst_audio_make_raw_caps (formats, n_formats,
      GST_AUDIO_LAYOUT_INTERLEAVED);
  GstCaps *planar = gst_audio_make_raw_caps (formats, n_formats,
      GST_AUDIO_LAYOUT_NON_INTERLEAVED);

  gst_caps_set_simple (caps, "channels", GST_TYPE_INT_RANGE, 1, 1024, NULL);
  /* GStreamer cannot map more than 255 planes of one memory */
  gst_caps_set_simple (planar, "channels", GST_TYPE_INT_RANGE, 1, 255, NULL);
  gst_caps_append (caps, planar);

  gst_element_class_add_pad_template (element_class,
      gst_pad_template_new ("sink", GST_PAD_SINK, GST_PAD_ALWAYS, caps));
  gst_element_class_add_pad_template (element_class,
      gst_pad_template_new ("src", GST_PAD_SRC, GST_PAD_ALWAYS, caps));
  gst_caps_unref (caps);
}

const GstAudioInfo *
gst_retro_filter_get_info (GstRetroFilter * filter)
{
  return &PRIV (filter)->input.info;
}

void
gst_retro_filter_set_passthrough (GstRetroFilter * filter, gboolean passthrough)
{
  g_atomic_int_set (&PRIV (filter)->passthrough, passthrough);
}

static gboolean
is_passthrough (GstRetroFilter * filter)
{
  return g_atomic_int_get (&PRIV (filter)->passthrough);
}

gboolean
gst_retro_filter_is_flipping (GstRetroFilter * filter)
{
  return PRIV (filter)->input.flipping;
}

void
gst_retro_filter_set_seqnum (GstRetroFilter * filter, guint32 seqnum)
{
  PRIV (filter)->seqnum = seqnum;
}

/* Whether downstream has @segment already, but for its duration. A flush has taken
 * away what had been sent before it. */
static gboolean
has_sent (GstRetroFilter * filter, const GstSegment * segment)
{
  GstEvent *event =
      gst_pad_get_sticky_event (PRIV (filter)->srcpad, GST_EVENT_SEGMENT, 0);
  GstSegment sent;

  if (event == NULL)
    return FALSE;
  gst_event_copy_segment (event, &sent);
  gst_event_unref (event);
  sent.duration = segment->duration;
  sent.position = segment->position;
  return gst_segment_is_equal (&sent, segment);
}

static void
push_segment (GstRetroFilter * filter, const GstSegment * segment)
{
  GstEvent *event = gst_event_new_segment (segment);

  GST_DEBUG_OBJECT (filter, "sending %" GST_SEGMENT_FORMAT, segment);
  gst_event_set_seqnum (event, PRIV (filter)->seqnum);
  PRIV (filter)->sent = *segment;
  gst_pad_push_event (PRIV (filter)->srcpad, event);
}

/* GstBaseSink reports positions in a segment that has been turned around from its
 * stop downwards: time + (stop - start) - what has been played × applied rate. The
 * first stop - start lacks the applied rate, so positions are wrong by
 * (stop - start) × (1 - |applied rate|). */
static gboolean
misleads_sinks (const GstSegment * segment)
{
  return segment->applied_rate < 0 && segment->applied_rate != -1.0
      && GST_CLOCK_TIME_IS_VALID (segment->stop);
}

/* Sends the part of the segment from @start_ns on, at least up to @end_ns: short
 * enough that a sink's positions are wrong by less than PART_ERROR_NS. */
static void
push_part (GstRetroFilter * filter, GstClockTime start_ns, GstClockTime end_ns)
{
  GstRetroFilterPrivate *priv = PRIV (filter);
  const GstSegment *whole = &priv->out_segment;
  GstClockTime length_ns = PART_ERROR_NS / MAX (1, -whole->applied_rate);
  GstSegment part = *whole;

  part.start = CLAMP (start_ns, whole->start, whole->stop);
  part.stop = MIN (MAX (part.start + length_ns, end_ns), whole->stop);
  part.position = part.start;
  part.offset = 0;
  part.base = gst_segment_to_running_time (whole, GST_FORMAT_TIME, part.start);
  part.time = gst_segment_to_stream_time (whole, GST_FORMAT_TIME, part.stop);
  push_segment (filter, &part);
}

/* What is sent next lies in [@start_ns, @end_ns). */
static void
ensure_part (GstRetroFilter * filter, GstClockTime start_ns,
    GstClockTime end_ns)
{
  GstRetroFilterPrivate *priv = PRIV (filter);

  if (priv->in_parts && (start_ns < priv->sent.start
          || (end_ns > priv->sent.stop
              && priv->sent.stop < priv->out_segment.stop)))
    push_part (filter, start_ns, end_ns);
}

gboolean
gst_retro_filter_send_segment (GstRetroFilter * filter,
    const GstSegment * segment)
{
  GstRetroFilterPrivate *priv = PRIV (filter);
  GstSegment sent = *segment;
  gboolean goes_on;
  GstEvent *event;

  /* what passes through untouched may not end at the stop by itself */
  if (!is_passthrough (filter)
      && gst_retro_downstream_has_encoder (priv->srcpad))
    gst_retro_segment_open (&sent);

  GST_OBJECT_LOCK (filter);
  priv->out_segment = *segment;
  GST_OBJECT_UNLOCK (filter);

  goes_on = priv->segment_sent && !GST_CLOCK_TIME_IS_VALID (sent.stop)
      && has_sent (filter, &sent);
  priv->segment_sent = TRUE;
  priv->in_parts = misleads_sinks (&sent);
  if (priv->in_parts)
    push_part (filter, sent.start, sent.start);
  else if (!goes_on)
    push_segment (filter, &sent);
  while ((event = g_queue_pop_head (&priv->held_events)) != NULL)
    gst_pad_push_event (priv->srcpad, event);
  return !GST_CLOCK_TIME_IS_VALID (sent.stop);
}

gboolean
gst_retro_filter_get_segment (GstRetroFilter * filter, GstSegment * segment)
{
  GST_OBJECT_LOCK (filter);
  *segment = PRIV (filter)->out_segment;
  GST_OBJECT_UNLOCK (filter);
  return segment->format == GST_FORMAT_TIME;
}

gboolean
gst_retro_filter_get_input_segment (GstRetroFilter * filter,
    GstSegment * segment)
{
  GstEvent *event =
      gst_pad_get_sticky_event (PRIV (filter)->sinkpad, GST_EVENT_SEGMENT, 0);

  if (event == NULL)
    return FALSE;
  gst_event_copy_segment (event, segment);
  gst_event_unref (event);
  return segment->format == GST_FORMAT_TIME;
}

static void
set_position (GstRetroFilter * filter, GstClockTime position_ns)
{
  GST_OBJECT_LOCK (filter);
  PRIV (filter)->position_ns = position_ns;
  GST_OBJECT_UNLOCK (filter);
}

GstFlowReturn
gst_retro_filter_push (GstRetroFilter * filter, GstBuffer * buffer)
{
  GstClockTime end_ns = GST_BUFFER_PTS (buffer) + GST_BUFFER_DURATION (buffer);

  ensure_part (filter, GST_BUFFER_PTS (buffer), end_ns);
  set_position (filter, end_ns);
  GST_LOG_OBJECT (filter, "pushing %" GST_PTR_FORMAT, buffer);
  return gst_pad_push (PRIV (filter)->srcpad, buffer);
}

GstFlowReturn
gst_retro_filter_push_gap (GstRetroFilter * filter, GstClockTime pts_ns,
    GstClockTime duration_ns)
{
  GstClockTime end_ns = pts_ns +
      (GST_CLOCK_TIME_IS_VALID (duration_ns) ? duration_ns : 0);

  ensure_part (filter, pts_ns, end_ns);
  set_position (filter, end_ns);
  gst_pad_push_event (PRIV (filter)->srcpad,
      gst_event_new_gap (pts_ns, duration_ns));
  return GST_FLOW_OK;
}

GstClockTime
gst_retro_filter_get_position (GstRetroFilter * filter)
{
  GstRetroFilterPrivate *priv = PRIV (filter);
  GstClockTime position_ns = GST_CLOCK_TIME_NONE;

  GST_OBJECT_LOCK (filter);
  if (priv->out_segment.format == GST_FORMAT_TIME
      && GST_CLOCK_TIME_IS_VALID (priv->position_ns)) {
    position_ns =
        gst_retro_segment_stream_time (&priv->out_segment, priv->position_ns);
    if (!GST_CLOCK_TIME_IS_VALID (position_ns))
      position_ns = 0;
  }
  GST_OBJECT_UNLOCK (filter);
  return position_ns;
}

gboolean
gst_retro_filter_send_seek (GstRetroFilter * filter, GstEvent * like,
    gdouble rate, gint64 start, GstSeekType stop_type, gint64 stop)
{
  GstFormat format;
  GstSeekFlags flags;
  GstSeekType start_type;
  GstEvent *event;

  gst_event_parse_seek (like, NULL, &format, &flags, &start_type, NULL, NULL,
      NULL);
  event = gst_event_new_seek (rate, format, flags, start_type, start,
      stop_type, stop);
  gst_event_set_seqnum (event, gst_event_get_seqnum (like));
  gst_event_unref (like);
  return gst_pad_push_event (PRIV (filter)->sinkpad, event);
}

GstFlowReturn
gst_retro_filter_fail (GstRetroFilter * filter, GError * error)
{
  gst_element_message_full (GST_ELEMENT (filter), GST_MESSAGE_ERROR,
      error->domain, error->code, g_strdup (error->message), NULL, __FILE__,
      GST_FUNCTION, __LINE__);
  g_error_free (error);
  return GST_FLOW_ERROR;
}

GstFlowReturn
gst_retro_filter_fail_memory (GstRetroFilter * filter)
{
  return gst_retro_filter_fail (filter,
      g_error_new_literal (GST_RESOURCE_ERROR,
          GST_RESOURCE_ERROR_NO_SPACE_LEFT,
          "There is not enough memory for a buffer: close other programs."));
}

void
gst_retro_filter_latency_changed (GstRetroFilter * filter)
{
  gst_element_post_message (GST_ELEMENT (filter),
      gst_message_new_latency (GST_OBJECT (filter)));
}

GstClockTime
gst_retro_filter_query_duration (GstRetroFilter * filter)
{
  gint64 duration_ns;

  /* sources that do not know answer with -1, or 0 */
  if (gst_pad_peer_query_duration (PRIV (filter)->sinkpad, GST_FORMAT_TIME,
          &duration_ns) && duration_ns > 0)
    return duration_ns;
  return GST_CLOCK_TIME_NONE;
}

gboolean
gst_retro_filter_is_live (GstRetroFilter * filter)
{
  GstQuery *query = gst_query_new_latency ();
  gboolean live = FALSE;

  if (gst_pad_peer_query (PRIV (filter)->sinkpad, query))
    gst_query_parse_latency (query, &live, NULL, NULL);
  gst_query_unref (query);
  return live;
}

/* ---- segments ----------------------------------------------------------- */

/* What is held goes out because of an event, which cannot tell upstream that
 * nobody took it: that is told here, as queue does. */
static GstFlowReturn
drain (GstRetroFilter * filter)
{
  GstFlowReturn ret;

  if (!GST_AUDIO_INFO_IS_VALID (&PRIV (filter)->input.info))
    return GST_FLOW_OK;
  ret = GST_RETRO_FILTER_GET_CLASS (filter)->drain (filter);
  if (ret == GST_FLOW_NOT_LINKED || ret == GST_FLOW_NOT_NEGOTIATED)
    GST_ELEMENT_FLOW_ERROR (filter, ret);
  return ret;
}

static void
start_segment (GstRetroFilter * filter)
{
  GstSegment in, out;

  gst_retro_input_get_forward_segment (&PRIV (filter)->input, &in);
  out = in;
  if (GST_RETRO_FILTER_GET_CLASS (filter)->set_segment (filter, &in, &out))
    gst_retro_filter_send_segment (filter, &out);
}

static void
learn_stop (GstRetroFilter * filter, GstClockTime end_ns)
{
  if (gst_retro_input_learn_stop (&PRIV (filter)->input, end_ns))
    start_segment (filter);
}

/* Upstream has found its end to be elsewhere, and corrects its segment. */
static gboolean
extend_segment (GstRetroFilter * filter, const GstSegment * segment)
{
  GstRetroFilterClass *klass = GST_RETRO_FILTER_GET_CLASS (filter);
  GstRetroInput *input = &PRIV (filter)->input;

  if (klass->extend == NULL || !gst_retro_input_goes_on (input, segment)
      || !klass->extend (filter, segment->stop))
    return FALSE;
  input->segment.stop = segment->stop;
  input->segment.duration = segment->duration;
  return TRUE;
}

static gboolean
handle_segment (GstRetroFilter * filter, GstEvent * event)
{
  GstRetroFilterPrivate *priv = PRIV (filter);
  const GstSegment *segment;

  gst_event_parse_segment (event, &segment);
  GST_DEBUG_OBJECT (filter, "received %" GST_SEGMENT_FORMAT, segment);
  if (segment->format != GST_FORMAT_TIME) {
    GST_ELEMENT_ERROR (filter, STREAM, FORMAT,
        ("%s needs audio with times: put a parser such as rawaudioparse in "
            "front of it.", GST_OBJECT_NAME (filter)),
        ("segment in %s format", gst_format_get_name (segment->format)));
    gst_event_unref (event);
    return FALSE;
  }
  if (extend_segment (filter, segment)) {
    gst_event_unref (event);
    return TRUE;
  }
  if (drain (filter) == GST_FLOW_ERROR) {
    gst_event_unref (event);
    return FALSE;
  }

  gst_retro_input_set_segment (&priv->input, segment);
  priv->seqnum = gst_event_get_seqnum (event);
  priv->segment_sent = FALSE;
  gst_event_unref (event);
  gst_retro_filter_set_passthrough (filter, FALSE);
  if (!priv->input.stop_unknown)
    start_segment (filter);
  return TRUE;
}

/* ---- buffers ------------------------------------------------------------ */

static gboolean
is_ready (GstRetroFilter * filter)
{
  const GstRetroInput *input = &PRIV (filter)->input;

  return GST_AUDIO_INFO_IS_VALID (&input->info)
      && input->segment.format == GST_FORMAT_TIME;
}

static GstFlowReturn
fail_to_map (GstRetroFilter * filter)
{
  GST_ELEMENT_ERROR (filter, STREAM, FORMAT,
      ("The audio is not what its caps say, or there is not enough memory: "
          "check the element in front of %s.", GST_OBJECT_NAME (filter)),
      ("could not map a buffer"));
  return GST_FLOW_ERROR;
}

static GstFlowReturn
gst_retro_filter_chain (GstRetroFilter * filter, GstBuffer * buffer)
{
  GstRetroFilterPrivate *priv = PRIV (filter);

  if (is_passthrough (filter))
    return gst_pad_push (priv->srcpad, buffer);
  if (!is_ready (filter)) {
    gst_buffer_unref (buffer);
    return GST_FLOW_NOT_NEGOTIATED;
  }

  if (!gst_retro_buffer_is_sound (buffer, &priv->input.info)) {
    gst_buffer_unref (buffer);
    return fail_to_map (filter);
  }
  if (priv->input.stop_unknown)
    learn_stop (filter, gst_retro_input_buffer_end (&priv->input, buffer));
  if (!gst_retro_input_take (&priv->input, &buffer))
    return fail_to_map (filter);
  if (buffer == NULL)
    return GST_FLOW_OK;
  return GST_RETRO_FILTER_GET_CLASS (filter)->process (filter, buffer);
}

/* ---- events from upstream ----------------------------------------------- */

static gboolean
handle_caps (GstRetroFilter * filter, GstEvent * event)
{
  GstRetroFilterPrivate *priv = PRIV (filter);
  GstAudioInfo info;
  GstCaps *caps;

  gst_event_parse_caps (event, &caps);
  if (!gst_audio_info_from_caps (&info, caps)) {
    GST_WARNING_OBJECT (filter, "cannot handle %" GST_PTR_FORMAT, caps);
    gst_event_unref (event);
    return FALSE;
  }

  if (!gst_audio_info_is_equal (&info, &priv->input.info)) {
    if (drain (filter) == GST_FLOW_ERROR
        || !GST_RETRO_FILTER_GET_CLASS (filter)->set_format (filter, &info)) {
      gst_event_unref (event);
      return FALSE;
    }
    gst_retro_input_set_info (&priv->input, &info);
  }
  return gst_pad_push_event (priv->srcpad, event);
}

static gboolean
handle_gap (GstRetroFilter * filter, GstEvent * event)
{
  GstRetroFilterPrivate *priv = PRIV (filter);
  GstClockTime pts, duration;

  if (is_passthrough (filter))
    return gst_pad_push_event (priv->srcpad, event);

  gst_event_parse_gap (event, &pts, &duration);
  gst_event_unref (event);
  if (!GST_CLOCK_TIME_IS_VALID (pts) || !is_ready (filter))
    return TRUE;

  learn_stop (filter,
      GST_CLOCK_TIME_IS_VALID (duration) ? pts + duration : pts);
  gst_retro_input_take_gap (&priv->input, &pts, duration);
  return GST_RETRO_FILTER_GET_CLASS (filter)->gap (filter, pts, duration)
      == GST_FLOW_OK;
}

/* The end of the stream or of its segment: what is held goes out first. */
static gboolean
handle_end (GstRetroFilter * filter, GstEvent * event)
{
  GstRetroFilterPrivate *priv = PRIV (filter);

  learn_stop (filter, GST_CLOCK_TIME_NONE);
  if (drain (filter) == GST_FLOW_ERROR) {
    gst_event_unref (event);
    return FALSE;
  }
  if (GST_EVENT_TYPE (event) == GST_EVENT_SEGMENT_DONE) {
    GstClockTime position_ns = gst_retro_filter_get_position (filter);
    guint32 seqnum = gst_event_get_seqnum (event);

    if (!is_passthrough (filter) && GST_CLOCK_TIME_IS_VALID (position_ns)) {
      gst_event_unref (event);
      event = gst_event_new_segment_done (GST_FORMAT_TIME, position_ns);
      gst_event_set_seqnum (event, seqnum);
    }
  }
  return gst_pad_push_event (priv->srcpad, event);
}

static void
forget_stream (GstRetroFilter * filter, gboolean caps_too)
{
  GstRetroFilterPrivate *priv = PRIV (filter);

  GST_RETRO_FILTER_GET_CLASS (filter)->reset (filter);
  gst_retro_input_reset (&priv->input, caps_too);
  priv->segment_sent = FALSE;
  priv->in_parts = FALSE;

  GST_OBJECT_LOCK (filter);
  gst_segment_init (&priv->out_segment, GST_FORMAT_UNDEFINED);
  priv->position_ns = GST_CLOCK_TIME_NONE;
  GST_OBJECT_UNLOCK (filter);
}

static gboolean
handle_flush_stop (GstRetroFilter * filter, GstEvent * event)
{
  GstRetroFilterPrivate *priv = PRIV (filter);
  gboolean ret;

  forget_stream (filter, FALSE);
  ret = gst_pad_push_event (priv->srcpad, event);

  /* upstream will not send its tags again */
  while ((event = g_queue_pop_head (&priv->held_events)) != NULL) {
    if (GST_EVENT_IS_STICKY (event))
      gst_pad_push_event (priv->srcpad, event);
    else
      gst_event_unref (event);
  }
  return ret;
}

static gboolean
handle_instant_rate (GstRetroFilter * filter, GstEvent * event)
{
  GstRetroFilterClass *klass = GST_RETRO_FILTER_GET_CLASS (filter);
  gdouble multiplier;

  gst_event_parse_instant_rate_change (event, &multiplier, NULL);
  if (klass->instant_rate == NULL || !klass->instant_rate (filter, multiplier))
    return gst_pad_push_event (PRIV (filter)->srcpad, event);
  gst_event_unref (event);
  return TRUE;
}

static gboolean
gst_retro_filter_sink_event (GstRetroFilter * filter, GstEvent * event)
{
  GstRetroFilterPrivate *priv = PRIV (filter);
  GstObject *parent = GST_OBJECT (filter);

  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_CAPS:
      return handle_caps (filter, event);
    case GST_EVENT_SEGMENT:
      return handle_segment (filter, event);
    case GST_EVENT_GAP:
      return handle_gap (filter, event);
    case GST_EVENT_EOS:
    case GST_EVENT_SEGMENT_DONE:
      return handle_end (filter, event);
    case GST_EVENT_FLUSH_STOP:
      return handle_flush_stop (filter, event);
    case GST_EVENT_INSTANT_RATE_CHANGE:
      return handle_instant_rate (filter, event);
    case GST_EVENT_STREAM_START:
      drain (filter);
      return gst_pad_event_default (priv->sinkpad, parent, event);
    default:
      if (GST_EVENT_IS_SERIALIZED (event) && !priv->segment_sent
          && priv->input.segment.format == GST_FORMAT_TIME) {
        g_queue_push_tail (&priv->held_events, event);
        return TRUE;
      }
      return gst_pad_event_default (priv->sinkpad, parent, event);
  }
}

/* ---- the functions of the sink pad -------------------------------------- */

static GstFlowReturn
chain (GstPad * pad, GstObject * parent, GstBuffer * buffer)
{
  return GST_RETRO_FILTER_GET_CLASS (parent)->chain (GST_RETRO_FILTER (parent),
      buffer);
}

static gboolean
sink_event (GstPad * pad, GstObject * parent, GstEvent * event)
{
  return GST_RETRO_FILTER_GET_CLASS (parent)->sink_event (GST_RETRO_FILTER
      (parent), event);
}

/* ---- events and queries from downstream --------------------------------- */

static gboolean
gst_retro_filter_src_event (GstPad * pad, GstObject * parent, GstEvent * event)
{
  GstRetroFilter *filter = GST_RETRO_FILTER (parent);
  GstRetroFilterClass *klass = GST_RETRO_FILTER_GET_CLASS (filter);
  GstFormat format;

  if (GST_EVENT_TYPE (event) == GST_EVENT_SEEK) {
    gst_event_parse_seek (event, NULL, &format, NULL, NULL, NULL, NULL, NULL);
    if (format == GST_FORMAT_TIME)
      return klass->seek (filter, event);
  }
  return gst_pad_event_default (pad, parent, event);
}

static gboolean
query_latency (GstRetroFilter * filter, GstQuery * query)
{
  GstClockTime min, max, own;
  gboolean live;

  if (!gst_pad_peer_query (PRIV (filter)->sinkpad, query))
    return FALSE;

  own = GST_RETRO_FILTER_GET_CLASS (filter)->get_latency (filter);
  gst_query_parse_latency (query, &live, &min, &max);
  min += own;
  if (GST_CLOCK_TIME_IS_VALID (max))
    max += own;
  gst_query_set_latency (query, live, min, max);
  return TRUE;
}

/* In the terms of the application: where in the stream, and which way. */
static gboolean
query_segment (GstRetroFilter * filter, GstQuery * query)
{
  GstSegment segment;
  GstClockTime first, last;

  if (!gst_retro_filter_get_segment (filter, &segment))
    return FALSE;

  first = gst_segment_to_stream_time (&segment, GST_FORMAT_TIME, segment.start);
  last = gst_segment_to_stream_time (&segment, GST_FORMAT_TIME, segment.stop);
  if (segment.applied_rate < 0)
    gst_query_set_segment (query, segment.rate * segment.applied_rate,
        GST_FORMAT_TIME, last, first);
  else
    gst_query_set_segment (query, segment.rate * segment.applied_rate,
        GST_FORMAT_TIME, first, last);
  return TRUE;
}

static gboolean
query_position (GstRetroFilter * filter, GstQuery * query)
{
  GstClockTime position_ns = gst_retro_filter_get_position (filter);
  GstFormat format;

  gst_query_parse_position (query, &format, NULL);
  if (format != GST_FORMAT_TIME || !GST_CLOCK_TIME_IS_VALID (position_ns))
    return FALSE;
  gst_query_set_position (query, GST_FORMAT_TIME, position_ns);
  return TRUE;
}

static gboolean
gst_retro_filter_query (GstRetroFilter * filter, GstQuery * query)
{
  GstRetroFilterPrivate *priv = PRIV (filter);
  gboolean passthrough = is_passthrough (filter), ret = FALSE;

  if (GST_QUERY_TYPE (query) == GST_QUERY_LATENCY)
    return query_latency (filter, query);
  if (GST_QUERY_TYPE (query) == GST_QUERY_SEGMENT && !passthrough)
    ret = query_segment (filter, query);
  if (GST_QUERY_TYPE (query) == GST_QUERY_POSITION && !passthrough)
    ret = query_position (filter, query);
  return ret || gst_pad_query_default (priv->srcpad, GST_OBJECT (filter),
      query);
}

/* Frames are counted here: that of upstream would be before the factor, and
 * aiffparse answers a question about frames with a time. */
static gboolean
query_frame_count (GstRetroFilter * filter, GstQuery * query)
{
  GstPad *pad = PRIV (filter)->srcpad;
  GstCaps *caps = gst_pad_get_current_caps (pad);
  GstAudioInfo info;
  gint64 duration_ns;
  gboolean known = caps != NULL && gst_audio_info_from_caps (&info, caps)
      && gst_pad_query_duration (pad, GST_FORMAT_TIME, &duration_ns)
      && duration_ns >= 0;

  if (known)
    gst_query_set_duration (query, GST_FORMAT_DEFAULT,
        gst_util_uint64_scale_round (duration_ns, info.rate, GST_SECOND));
  gst_clear_caps (&caps);
  return known;
}

static gboolean
gst_retro_filter_src_query (GstPad * pad, GstObject * parent, GstQuery * query)
{
  GstRetroFilter *filter = GST_RETRO_FILTER (parent);
  GstFormat format;

  if (GST_QUERY_TYPE (query) == GST_QUERY_DURATION) {
    gst_query_parse_duration (query, &format, NULL);
    if (format == GST_FORMAT_DEFAULT)
      return query_frame_count (filter, query);
  }
  return GST_RETRO_FILTER_GET_CLASS (filter)->query (filter, query);
}

/* Downstream's wishes for buffers hold only for those that go through. */
static gboolean
gst_retro_filter_sink_query (GstPad * pad, GstObject * parent, GstQuery * query)
{
  GstRetroFilter *filter = GST_RETRO_FILTER (parent);

  if (GST_QUERY_TYPE (query) == GST_QUERY_ALLOCATION)
    return is_passthrough (filter)
        && gst_pad_peer_query (PRIV (filter)->srcpad, query);
  return gst_pad_query_default (pad, parent, query);
}

/* ---- the element -------------------------------------------------------- */

static GstStateChangeReturn
gst_retro_filter_change_state (GstElement * element, GstStateChange transition)
{
  GstRetroFilter *filter = GST_RETRO_FILTER (element);
  GstRetroFilterPrivate *priv = PRIV (filter);
  GstStateChangeReturn ret = GST_ELEMENT_CLASS (gst_retro_filter_parent_class)
      ->change_state (element, transition);

  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY) {
    forget_stream (filter, TRUE);
    g_queue_clear_full (&priv->held_events, (GDestroyNotify) gst_event_unref);
  }
  return ret;
}

static void
gst_retro_filter_finalize (GObject * object)
{
  g_queue_clear_full (&PRIV (GST_RETRO_FILTER (object))->held_events,
      (GDestroyNotify) gst_event_unref);
  G_OBJECT_CLASS (gst_retro_filter_parent_class)->finalize (object);
}

static GstPad *
add_pad (GstRetroFilter * filter, const gchar * name)
{
  GstPadTemplate *template =
      gst_element_class_get_pad_template (GST_ELEMENT_GET_CLASS (filter), name);
  GstPad *pad = gst_pad_new_from_template (template, name);

  GST_PAD_SET_PROXY_CAPS (pad);
  GST_PAD_SET_ACCEPT_TEMPLATE (pad);
  gst_element_add_pad (GST_ELEMENT (filter), pad);
  return pad;
}

/* Not in init(): there, the class with the templates is not yet in place. */
static void
gst_retro_filter_constructed (GObject * object)
{
  GstRetroFilter *filter = GST_RETRO_FILTER (object);
  GstRetroFilterPrivate *priv = PRIV (filter);

  G_OBJECT_CLASS (gst_retro_filter_parent_class)->constructed (object);

  priv->sinkpad = add_pad (filter, "sink");
  gst_pad_set_chain_function (priv->sinkpad, GST_DEBUG_FUNCPTR (chain));
  gst_pad_set_event_function (priv->sinkpad, GST_DEBUG_FUNCPTR (sink_event));
  gst_pad_set_query_function (priv->sinkpad,
      GST_DEBUG_FUNCPTR (gst_retro_filter_sink_query));

  priv->srcpad = add_pad (filter, "src");
  gst_pad_set_event_function (priv->srcpad,
      GST_DEBUG_FUNCPTR (gst_retro_filter_src_event));
  gst_pad_set_query_function (priv->srcpad,
      GST_DEBUG_FUNCPTR (gst_retro_filter_src_query));
}

static void
gst_retro_filter_init (GstRetroFilter * filter)
{
  GstRetroFilterPrivate *priv = PRIV (filter);

  gst_retro_input_reset (&priv->input, TRUE);
  gst_segment_init (&priv->out_segment, GST_FORMAT_UNDEFINED);
  priv->position_ns = GST_CLOCK_TIME_NONE;
  priv->in_parts = FALSE;
  g_queue_init (&priv->held_events);
}

static void
gst_retro_filter_class_init (GstRetroFilterClass * klass)
{
  GST_DEBUG_CATEGORY_INIT (retro_filter_debug, "retrofilter", 0,
      "segments, times and events of revbuf and timescale");

  G_OBJECT_CLASS (klass)->constructed = gst_retro_filter_constructed;
  G_OBJECT_CLASS (klass)->finalize = gst_retro_filter_finalize;
  GST_ELEMENT_CLASS (klass)->change_state =
      GST_DEBUG_FUNCPTR (gst_retro_filter_change_state);
  klass->chain = gst_retro_filter_chain;
  klass->sink_event = gst_retro_filter_sink_event;
  klass->query = gst_retro_filter_query;

  gst_type_mark_as_plugin_api (GST_TYPE_RETRO_FILTER, 0);
}
