/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "CGStreamerPlay.h"

/* ---- watching ------------------------------------------------------------ */

typedef struct
{
  CGstPassed passed;
  gpointer data;
  GDestroyNotify free_data;
} Watch;

static void
free_watch (gpointer data)
{
  Watch *watch = data;

  watch->free_data (watch->data);
  g_free (watch);
}

static gint64
running_time (const GstSegment * segment, GstClockTime time_ns)
{
  guint64 running_ns;
  gint sign = gst_segment_to_running_time_full (segment, GST_FORMAT_TIME,
      time_ns, &running_ns);

  return sign > 0 ? (gint64) running_ns : sign < 0 ? -(gint64) running_ns : -1;
}

static gint64
stream_time (const GstSegment * segment, GstClockTime time_ns)
{
  guint64 stream_ns;
  gint sign = gst_segment_to_stream_time_full (segment, GST_FORMAT_TIME,
      time_ns, &stream_ns);

  return sign > 0 ? (gint64) stream_ns : sign < 0 ? 0 : -1;
}

static void
report (Watch * watch, GstPad * pad, GstBuffer * buffer)
{
  GstEvent *event = gst_pad_get_sticky_event (pad, GST_EVENT_SEGMENT, 0);
  GstClockTime start_ns = GST_BUFFER_PTS (buffer);
  GstClockTime stop_ns = start_ns;
  const GstSegment *segment;

  if (event == NULL)
    return;
  gst_event_parse_segment (event, &segment);
  if (segment->format == GST_FORMAT_TIME && GST_CLOCK_TIME_IS_VALID (start_ns)) {
    if (GST_BUFFER_DURATION_IS_VALID (buffer))
      stop_ns += GST_BUFFER_DURATION (buffer);
    CGstBufferTimes times = {
      running_time (segment, start_ns), running_time (segment, stop_ns),
      stream_time (segment, start_ns), stream_time (segment, stop_ns)
    };
    watch->passed (CGST_PASSAGE_BUFFER, &times, watch->data);
  }
  gst_event_unref (event);
}

static GstPadProbeReturn
on_traffic (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  Watch *watch = data;

  if (info->type & GST_PAD_PROBE_TYPE_BUFFER) {
    report (watch, pad, GST_PAD_PROBE_INFO_BUFFER (info));
    return GST_PAD_PROBE_OK;
  }
  switch (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info))) {
    case GST_EVENT_FLUSH_STOP:
      watch->passed (CGST_PASSAGE_FLUSH, NULL, watch->data);
      break;
    case GST_EVENT_EOS:
      watch->passed (CGST_PASSAGE_END, NULL, watch->data);
      break;
    default:
      break;
  }
  return GST_PAD_PROBE_OK;
}

void
cgst_watch (gpointer element, const gchar * name, CGstPassed passed,
    gpointer data, GDestroyNotify free_data)
{
  GstPad *pad = gst_element_get_static_pad (element, name);
  Watch *watch;

  if (pad == NULL) {
    free_data (data);
    return;
  }
  watch = g_new (Watch, 1);
  watch->passed = passed;
  watch->data = data;
  watch->free_data = free_data;
  gst_pad_add_probe (pad,
      GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM
      | GST_PAD_PROBE_TYPE_EVENT_FLUSH, on_traffic, watch, free_watch);
  gst_object_unref (pad);
}

/* ---- time ---------------------------------------------------------------- */

GstClockTime
cgst_played_running_time (gpointer pipeline)
{
  GstState state, pending;

  GST_OBJECT_LOCK (pipeline);
  state = GST_STATE (pipeline);
  pending = GST_STATE_PENDING (pipeline);
  GST_OBJECT_UNLOCK (pipeline);
  if (state == GST_STATE_PLAYING && pending == GST_STATE_VOID_PENDING)
    return gst_element_get_current_running_time (pipeline);
  return gst_element_get_start_time (pipeline);
}

gboolean
cgst_seek_to (gpointer element, int64_t position_ns)
{
  GstPad *pad = gst_element_get_static_pad (element, "src");
  gboolean done;

  if (pad == NULL)
    return FALSE;
  done = gst_pad_send_event (pad, gst_event_new_seek (1, GST_FORMAT_TIME,
          GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_ACCURATE, GST_SEEK_TYPE_SET,
          position_ns, GST_SEEK_TYPE_SET, -1));
  gst_object_unref (pad);
  return done;
}

/* ---- the end of the pipeline --------------------------------------------- */

GstElement *
cgst_add_output (gpointer pipeline, const gchar * after,
    const gchar * description, GError ** error)
{
  GstElement *bin = gst_parse_bin_from_description_full (description, TRUE,
      NULL, GST_PARSE_FLAG_FATAL_ERRORS, error);
  GstElement *before = gst_bin_get_by_name (pipeline, after);
  gboolean linked = FALSE;

  if (bin != NULL) {
    gst_bin_add (pipeline, bin);
    linked = before != NULL && gst_element_link (before, bin);
  }
  if (before != NULL)
    gst_object_unref (before);
  if (bin != NULL && !linked)
    gst_bin_remove (pipeline, bin);
  return linked ? bin : NULL;
}

/* ---- recording ------------------------------------------------------------ */

typedef struct
{
  CGstReceived received;
  gpointer data;
  GDestroyNotify free_data;
} Recorder;

static void
free_recorder (gpointer data)
{
  Recorder *recorder = data;

  recorder->free_data (recorder->data);
  g_free (recorder);
}

static gboolean
hand_over (Recorder * recorder, GstSample * sample)
{
  GstCaps *caps = gst_sample_get_caps (sample);
  GstBuffer *buffer = gst_sample_get_buffer (sample);
  guint64 channel_mask = 0;
  gboolean goes_on = FALSE;
  GstAudioInfo info;
  GstMapInfo map;

  if (caps == NULL || buffer == NULL || !gst_audio_info_from_caps (&info, caps)
      || !gst_buffer_map (buffer, &map, GST_MAP_READ))
    return FALSE;
  gst_structure_get (gst_caps_get_structure (caps, 0), "channel-mask",
      GST_TYPE_BITMASK, &channel_mask, NULL);
  goes_on = recorder->received (&info, channel_mask, map.data, map.size,
      recorder->data);
  gst_buffer_unmap (buffer, &map);
  return goes_on;
}

static GstFlowReturn
on_sample (GstAppSink * sink, gpointer data)
{
  GstSample *sample = gst_app_sink_pull_sample (sink);
  gboolean goes_on;

  if (sample == NULL)
    return GST_FLOW_EOS;
  goes_on = hand_over (data, sample);
  gst_sample_unref (sample);
  if (goes_on)
    return GST_FLOW_OK;
  GST_ELEMENT_ERROR (sink, RESOURCE, WRITE,
      ("The recording cannot be written."), (NULL));
  return GST_FLOW_ERROR;
}

void
cgst_record (gpointer appsink, CGstReceived received, gpointer data,
    GDestroyNotify free_data)
{
  Recorder *recorder = g_new (Recorder, 1);
  GstAppSinkCallbacks callbacks = { NULL };

  recorder->received = received;
  recorder->data = data;
  recorder->free_data = free_data;
  callbacks.new_sample = on_sample;
  gst_app_sink_set_callbacks (appsink, &callbacks, recorder, free_recorder);
}
