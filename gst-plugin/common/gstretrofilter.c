/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "common/gstretrofilter.h"
#include "common/pcmbuffer.h"
#include "common/segment.h"

GST_DEBUG_CATEGORY (gst_retro_filter_debug);
#define GST_CAT_DEFAULT gst_retro_filter_debug

G_DEFINE_ABSTRACT_TYPE (GstRetroFilter, gst_retro_filter, GST_TYPE_ELEMENT);

/* ---- for subclasses ----------------------------------------------------- */

void
gst_retro_filter_class_add_templates (GstRetroFilterClass * klass)
{
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstCaps *caps = gst_audio_make_raw_caps (NULL, 0,
      GST_AUDIO_LAYOUT_INTERLEAVED);
  GstCaps *planar = gst_audio_make_raw_caps (NULL, 0,
      GST_AUDIO_LAYOUT_NON_INTERLEAVED);

  gst_caps_set_simple (caps, "channels", GST_TYPE_INT_RANGE, 1, 1024, NULL);
  /* GStreamer cannot map more than 255 planes */
  gst_caps_set_simple (planar, "channels", GST_TYPE_INT_RANGE, 1, 255, NULL);
  gst_caps_append (caps, planar);

  gst_element_class_add_pad_template (element_class,
      gst_pad_template_new ("sink", GST_PAD_SINK, GST_PAD_ALWAYS, caps));
  gst_element_class_add_pad_template (element_class,
      gst_pad_template_new ("src", GST_PAD_SRC, GST_PAD_ALWAYS, caps));
  gst_caps_unref (caps);
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
  return gst_pad_push_event (filter->sinkpad, event);
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
gst_retro_filter_set_latency (GstRetroFilter * filter, GstClockTime latency_ns)
{
  gboolean changed;

  GST_OBJECT_LOCK (filter);
  changed = filter->latency_ns != latency_ns;
  filter->latency_ns = latency_ns;
  GST_OBJECT_UNLOCK (filter);
  if (changed)
    gst_element_post_message (GST_ELEMENT (filter),
        gst_message_new_latency (GST_OBJECT (filter)));
}

GstClockTime
gst_retro_filter_get_latency (GstRetroFilter * filter)
{
  GST_RETRO_AUTO_LOCK (filter);

  return filter->latency_ns;
}

GstClockTime
gst_retro_filter_query_duration (GstRetroFilter * filter)
{
  gint64 duration_ns;

  /* sources whose duration is unknown answer with -1 or 0 */
  if (gst_pad_peer_query_duration (filter->sinkpad, GST_FORMAT_TIME,
          &duration_ns) && duration_ns > 0)
    return duration_ns;
  return GST_CLOCK_TIME_NONE;
}

gboolean
gst_retro_filter_is_live (GstRetroFilter * filter)
{
  g_autoptr (GstQuery) query = gst_query_new_latency ();
  gboolean live = FALSE;

  if (gst_pad_peer_query (filter->sinkpad, query))
    gst_query_parse_latency (query, &live, NULL, NULL);
  return live;
}

/* ---- segments ----------------------------------------------------------- */

/* Sends all audio that has not been sent yet. If downstream rejects it, posts an error, as
 * queue does: an event has no flow return that could report the rejection upstream. */
static GstFlowReturn
drain (GstRetroFilter * filter)
{
  GstFlowReturn ret;

  if (!GST_AUDIO_INFO_IS_VALID (&filter->input.info))
    return GST_FLOW_OK;
  ret = GST_RETRO_FILTER_GET_CLASS (filter)->drain (filter);
  if (ret == GST_FLOW_NOT_LINKED || ret == GST_FLOW_NOT_NEGOTIATED)
    GST_ELEMENT_FLOW_ERROR (filter, ret);
  return ret;
}

static void
start_segment (GstRetroFilter * filter)
{
  GstSegment in = filter->input.segment, out;

  if (gst_retro_input_is_flipping (&filter->input))
    gst_retro_segment_reverse (&filter->input.segment, &in);
  out = in;
  if (GST_RETRO_FILTER_GET_CLASS (filter)->set_segment (filter, &in, &out))
    gst_retro_filter_send_segment (filter, &out);
}

static void
learn_stop (GstRetroFilter * filter, GstClockTime end_ns)
{
  if (gst_retro_input_learn_stop (&filter->input, end_ns))
    start_segment (filter);
}

/* Changes the stop of the current segment if @segment differs only in its stop: upstream now
 * knows where its audio ends. Returns FALSE if @segment is a new segment. */
static gboolean
extend_segment (GstRetroFilter * filter, const GstSegment * segment)
{
  GstRetroFilterClass *klass = GST_RETRO_FILTER_GET_CLASS (filter);
  GstRetroInput *input = &filter->input;

  if (!gst_retro_input_goes_on (input, segment)
      || !klass->extend (filter, segment->stop))
    return FALSE;
  input->segment.stop = segment->stop;
  input->segment.duration = segment->duration;
  return TRUE;
}

/* @event: (transfer full) */
static gboolean
handle_segment (GstRetroFilter * filter, GstEvent * event)
{
  g_autoptr (GstEvent) owned = event;
  const GstSegment *segment;

  gst_event_parse_segment (event, &segment);
  GST_DEBUG_OBJECT (filter, "received %" GST_SEGMENT_FORMAT, segment);
  if (segment->format != GST_FORMAT_TIME) {
    GST_ELEMENT_ERROR (filter, STREAM, FORMAT,
        ("%s needs audio with timestamps: put a parser such as rawaudioparse "
            "before it.", GST_OBJECT_NAME (filter)),
        ("segment in %s format", gst_format_get_name (segment->format)));
    return FALSE;
  }
  if (extend_segment (filter, segment))
    return TRUE;
  if (drain (filter) == GST_FLOW_ERROR)
    return FALSE;

  gst_retro_input_set_segment (&filter->input, segment);
  gst_retro_output_expect (&filter->output, gst_event_get_seqnum (event));
  gst_retro_filter_set_passthrough (filter, FALSE);
  if (!gst_retro_input_awaits_stop (&filter->input))
    start_segment (filter);
  return TRUE;
}

/* Sends the segment again without its stop, because downstream would clip the audio there.
 * Called if the input exceeds the stop of its segment, see gst_retro_input_exceeds_stop().
 * If upstream itself plays backwards, the stop is kept, because other branches are
 * synchronized by it. */
static void
make_room (GstRetroFilter * filter)
{
  GstSegment segment;

  if (!filter->output.segment_sent
      || !gst_retro_filter_get_segment (filter, &segment)
      || !GST_CLOCK_TIME_IS_VALID (segment.stop)
      || gst_retro_input_is_flipping (&filter->input)
      || gst_retro_filter_is_in_composition (filter))
    return;
  gst_retro_segment_open (&segment);
  gst_retro_filter_send_segment (filter, &segment);
}

/* ---- buffers ------------------------------------------------------------ */

static gboolean
is_ready (GstRetroFilter * filter)
{
  const GstRetroInput *input = &filter->input;

  return GST_AUDIO_INFO_IS_VALID (&input->info)
      && input->segment.format == GST_FORMAT_TIME;
}

static GstFlowReturn
fail_to_map (GstRetroFilter * filter)
{
  GST_ELEMENT_ERROR (filter, STREAM, FORMAT,
      ("The audio does not match its caps, or there is not enough memory: "
          "check the element before %s.", GST_OBJECT_NAME (filter)),
      ("could not map a buffer"));
  return GST_FLOW_ERROR;
}

static GstFlowReturn
gst_retro_filter_chain (GstRetroFilter * filter, GstBuffer * buffer)
{
  if (gst_retro_filter_is_passthrough (filter))
    return gst_pad_push (filter->srcpad, buffer);
  if (!is_ready (filter)) {
    gst_buffer_unref (buffer);
    return GST_FLOW_NOT_NEGOTIATED;
  }

  if (!gst_retro_buffer_is_sound (buffer, &filter->input.info)) {
    gst_buffer_unref (buffer);
    return fail_to_map (filter);
  }
  if (gst_retro_input_awaits_stop (&filter->input))
    learn_stop (filter, gst_retro_input_buffer_end (&filter->input, buffer));
  if (!gst_retro_input_take (&filter->input, &buffer))
    return fail_to_map (filter);
  if (buffer == NULL)
    return GST_FLOW_OK;
  if (gst_retro_input_exceeds_stop (&filter->input))
    make_room (filter);
  return GST_RETRO_FILTER_GET_CLASS (filter)->process (filter, buffer);
}

/* ---- events from upstream ----------------------------------------------- */

static gboolean
take_format (GstRetroFilter * filter, const GstAudioInfo * info)
{
  if (gst_audio_info_is_equal (info, &filter->input.info))
    return TRUE;
  if (drain (filter) == GST_FLOW_ERROR
      || !GST_RETRO_FILTER_GET_CLASS (filter)->set_format (filter, info))
    return FALSE;
  gst_retro_input_set_info (&filter->input, info);
  return TRUE;
}

static gboolean
handle_caps (GstRetroFilter * filter, GstEvent * event)
{
  GstAudioInfo info;
  GstCaps *caps;

  gst_event_parse_caps (event, &caps);
  if (gst_audio_info_from_caps (&info, caps) && take_format (filter, &info))
    return gst_pad_push_event (filter->srcpad, event);
  GST_WARNING_OBJECT (filter, "cannot handle %" GST_PTR_FORMAT, caps);
  gst_event_unref (event);
  return FALSE;
}

static gboolean
handle_gap (GstRetroFilter * filter, GstEvent * event)
{
  GstClockTime pts, duration;

  if (gst_retro_filter_is_passthrough (filter))
    return gst_pad_push_event (filter->srcpad, event);

  gst_event_parse_gap (event, &pts, &duration);
  gst_event_unref (event);
  if (!GST_CLOCK_TIME_IS_VALID (pts) || !is_ready (filter))
    return TRUE;

  learn_stop (filter,
      GST_CLOCK_TIME_IS_VALID (duration) ? pts + duration : pts);
  gst_retro_input_take_gap (&filter->input, &pts, duration);
  return GST_RETRO_FILTER_GET_CLASS (filter)->gap (filter, pts, duration)
      == GST_FLOW_OK;
}

/* Handles EOS and SEGMENT_DONE: sends the remaining audio, then the event. */
static gboolean
handle_end (GstRetroFilter * filter, GstEvent * event)
{
  learn_stop (filter, GST_CLOCK_TIME_NONE);
  if (drain (filter) == GST_FLOW_ERROR) {
    gst_event_unref (event);
    return FALSE;
  }
  if (GST_EVENT_TYPE (event) == GST_EVENT_SEGMENT_DONE) {
    GstClockTime position_ns = gst_retro_filter_get_position (filter);
    guint32 seqnum = gst_event_get_seqnum (event);

    if (!gst_retro_filter_is_passthrough (filter)
        && GST_CLOCK_TIME_IS_VALID (position_ns)) {
      gst_event_unref (event);
      event = gst_event_new_segment_done (GST_FORMAT_TIME, position_ns);
      gst_event_set_seqnum (event, seqnum);
    }
  }
  return gst_pad_push_event (filter->srcpad, event);
}

static void
forget_stream (GstRetroFilter * filter, gboolean stops)
{
  GST_RETRO_FILTER_GET_CLASS (filter)->reset (filter, stops);
  gst_retro_input_reset (&filter->input, stops);
  gst_retro_filter_forget_output (filter);
}

static gboolean
handle_flush_stop (GstRetroFilter * filter, GstEvent * event)
{
  gboolean ret;

  forget_stream (filter, FALSE);
  ret = gst_pad_push_event (filter->srcpad, event);

  gst_retro_output_drop_held (&filter->output, FALSE);
  return ret;
}

static gboolean
gst_retro_filter_sink_event (GstRetroFilter * filter, GstEvent * event)
{
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
    case GST_EVENT_STREAM_START:
      drain (filter);
      return gst_pad_event_default (filter->sinkpad, parent, event);
    default:
      if (GST_EVENT_IS_SERIALIZED (event) && !filter->output.segment_sent
          && filter->input.segment.format == GST_FORMAT_TIME) {
        g_queue_push_tail (&filter->output.held_events, event);
        return TRUE;
      }
      return gst_pad_event_default (filter->sinkpad, parent, event);
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

/* Forwards an allocation query only in passthrough: otherwise, upstream's buffers do not
 * reach downstream. */
static gboolean
gst_retro_filter_sink_query (GstPad * pad, GstObject * parent, GstQuery * query)
{
  GstRetroFilter *filter = GST_RETRO_FILTER (parent);

  if (GST_QUERY_TYPE (query) == GST_QUERY_ALLOCATION)
    return gst_retro_filter_is_passthrough (filter)
        && gst_pad_peer_query (filter->srcpad, query);
  return gst_pad_query_default (pad, parent, query);
}

/* ---- the element -------------------------------------------------------- */

static GstStateChangeReturn
gst_retro_filter_change_state (GstElement * element, GstStateChange transition)
{
  GstRetroFilter *filter = GST_RETRO_FILTER (element);
  GstStateChangeReturn ret = GST_ELEMENT_CLASS (gst_retro_filter_parent_class)
      ->change_state (element, transition);

  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY) {
    forget_stream (filter, TRUE);
    gst_retro_output_drop_held (&filter->output, TRUE);
  }
  return ret;
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

/* Adds the pads. Instance init is too early, because the pad templates belong to the
 * subclass, whose class is not known there. */
static void
gst_retro_filter_constructed (GObject * object)
{
  GstRetroFilter *filter = GST_RETRO_FILTER (object);

  G_OBJECT_CLASS (gst_retro_filter_parent_class)->constructed (object);

  filter->sinkpad = add_pad (filter, "sink");
  gst_pad_set_chain_function (filter->sinkpad, GST_DEBUG_FUNCPTR (chain));
  gst_pad_set_event_function (filter->sinkpad, GST_DEBUG_FUNCPTR (sink_event));
  gst_pad_set_query_function (filter->sinkpad,
      GST_DEBUG_FUNCPTR (gst_retro_filter_sink_query));

  filter->srcpad = add_pad (filter, "src");
  gst_retro_filter_init_srcpad (filter);
  gst_retro_output_init (&filter->output, filter->srcpad);
}

static void
gst_retro_filter_init (GstRetroFilter * filter)
{
  gst_retro_input_reset (&filter->input, TRUE);
  gst_retro_filter_reset_running_time (filter);
}

static void
gst_retro_filter_class_init (GstRetroFilterClass * klass)
{
  GST_DEBUG_CATEGORY_INIT (gst_retro_filter_debug, "retrofilter", 0,
      "segments, times and events of revbuf and timescale");

  G_OBJECT_CLASS (klass)->constructed = gst_retro_filter_constructed;
  GST_ELEMENT_CLASS (klass)->change_state =
      GST_DEBUG_FUNCPTR (gst_retro_filter_change_state);
  klass->chain = gst_retro_filter_chain;
  klass->sink_event = gst_retro_filter_sink_event;
  klass->query = gst_retro_filter_default_query;

  gst_type_mark_as_plugin_api (GST_TYPE_RETRO_FILTER, 0);
}
