/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "CGStreamerFeed.h"

/* Maximum number of bytes in the appsrc's queue. */
#define MAX_BYTES (4 << 20)

/* The key for a pad's recorded events. */
#define EVENTS "cgst-events"

static void
free_events (gpointer data)
{
  g_queue_free_full (data, (GDestroyNotify) gst_event_unref);
}

/* Records a tag or TOC event. The pad's sticky events aren't enough, because it only keeps the
 * last tag event of each scope. */
static GstPadProbeReturn
note_event (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  GstEvent *event = GST_PAD_PROBE_INFO_EVENT (info);

  if (GST_EVENT_TYPE (event) == GST_EVENT_TAG
      || GST_EVENT_TYPE (event) == GST_EVENT_TOC) {
    GST_OBJECT_LOCK (pad);
    g_queue_push_tail (data, gst_event_ref (event));
    GST_OBJECT_UNLOCK (pad);
  }
  return GST_PAD_PROBE_OK;
}

typedef struct
{
  gsize least_bytes;
  /* the buffers still to be passed on, joined, or NULL if there are none */
  GstBuffer *waiting;
  gboolean passes_on;
} Joiner;

static void
free_joiner (gpointer data)
{
  Joiner *joiner = data;

  gst_clear_buffer (&joiner->waiting);
  g_free (joiner);
}

/* Passes on the waiting buffers, which go through the probe again. */
static void
pass_on (Joiner * joiner, GstPad * pad)
{
  GstBuffer *rest = joiner->waiting;

  if (rest == NULL)
    return;
  joiner->waiting = NULL;
  joiner->passes_on = TRUE;
  (void) gst_pad_chain (pad, rest);
  joiner->passes_on = FALSE;
}

static GstPadProbeReturn
join_buffer (Joiner * joiner, GstPad * pad, GstPadProbeInfo * info)
{
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);

  if (GST_BUFFER_IS_DISCONT (buffer))
    pass_on (joiner, pad);
  if (joiner->waiting != NULL) {
    buffer = gst_buffer_append (joiner->waiting, buffer);
    /* it would be the first part's duration */
    GST_BUFFER_DURATION (buffer) = GST_CLOCK_TIME_NONE;
  }
  if (gst_buffer_get_size (buffer) < joiner->least_bytes) {
    joiner->waiting = buffer;
    GST_PAD_PROBE_INFO_DATA (info) = NULL;
    return GST_PAD_PROBE_HANDLED;
  }
  joiner->waiting = NULL;
  GST_PAD_PROBE_INFO_DATA (info) = buffer;
  return GST_PAD_PROBE_OK;
}

static GstPadProbeReturn
join_buffers (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  Joiner *joiner = data;

  if (joiner->passes_on)
    return GST_PAD_PROBE_OK;
  if (info->type & GST_PAD_PROBE_TYPE_BUFFER)
    return join_buffer (joiner, pad, info);
  switch (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info))) {
    case GST_EVENT_FLUSH_STOP:
      gst_clear_buffer (&joiner->waiting);
      break;
    case GST_EVENT_CAPS:
    case GST_EVENT_SEGMENT:
    case GST_EVENT_EOS:
      pass_on (joiner, pad);
      break;
    default:
      break;
  }
  return GST_PAD_PROBE_OK;
}

void
cgst_prepare_sink (gpointer appsink, gsize least_bytes)
{
  GstPad *pad = gst_element_get_static_pad (appsink, "sink");
  GQueue *events = g_queue_new ();
  Joiner *joiner = g_new0 (Joiner, 1);

  g_object_set_data_full (G_OBJECT (pad), EVENTS, events, free_events);
  (void) gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM,
      note_event, events, NULL);
  joiner->least_bytes = least_bytes;
  (void) gst_pad_add_probe (pad,
      GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM |
      GST_PAD_PROBE_TYPE_EVENT_FLUSH, join_buffers, joiner, free_joiner);
  gst_object_unref (pad);
}

/* A probe that sends the recorded events before the first buffer and then removes itself. */
static GstPadProbeReturn
send_events (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  GQueue *events = data;

  (void) info;
  while (!g_queue_is_empty (events))
    (void) gst_pad_push_event (pad, g_queue_pop_head (events));
  return GST_PAD_PROBE_REMOVE;
}

gboolean
cgst_feed_like (gpointer appsrc, gpointer appsink, GstClockTime duration_ns)
{
  GstPad *input = gst_element_get_static_pad (appsink, "sink");
  GstCaps *caps = gst_pad_get_current_caps (input);
  gboolean is_known = caps != NULL;

  if (is_known) {
    GstPad *output = gst_element_get_static_pad (appsrc, "src");
    GQueue *noted = g_object_get_data (G_OBJECT (input), EVENTS);
    GQueue *events = g_queue_new ();

    GST_OBJECT_LOCK (input);
    while (noted != NULL && !g_queue_is_empty (noted))
      g_queue_push_tail (events, g_queue_pop_head (noted));
    GST_OBJECT_UNLOCK (input);
    (void) gst_pad_add_probe (output, GST_PAD_PROBE_TYPE_BUFFER, send_events,
        events, free_events);
    gst_object_unref (output);
    g_object_set (appsrc, "caps", caps, "block", TRUE, "max-bytes",
        (guint64) MAX_BYTES, "duration", (guint64) duration_ns, NULL);
    gst_caps_unref (caps);
  }
  gst_object_unref (input);
  return is_known;
}

gboolean
cgst_feed (gpointer appsrc, GstBuffer * buffer, gsize size, GstClockTime pts,
    GstClockTime duration)
{
  GstBuffer *piece =
      gst_buffer_copy_region (buffer, GST_BUFFER_COPY_MEMORY, 0, size);

  if (piece == NULL)
    return FALSE;
  GST_BUFFER_PTS (piece) = pts;
  GST_BUFFER_DURATION (piece) = duration;
  return gst_app_src_push_buffer (appsrc, piece) == GST_FLOW_OK;
}

void
cgst_feed_end (gpointer appsrc)
{
  (void) gst_app_src_end_of_stream (appsrc);
}
