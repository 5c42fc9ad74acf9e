/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "CGStreamerActivity.h"

typedef struct
{
  gint *activity;
  guint64 read_bytes;
  /* the end of the furthest read so far */
  guint64 farthest_bytes;
} Source;

gint *
cgst_activity_new (void)
{
  return g_atomic_rc_box_new0 (gint);
}

void
cgst_activity_unref (gint * activity)
{
  g_atomic_rc_box_release (activity);
}

gint
cgst_activity_get (gint * activity)
{
  return g_atomic_int_get (activity);
}

static void
free_source (gpointer data)
{
  cgst_activity_unref (((Source *) data)->activity);
  g_free (data);
}

static GstPadProbeReturn
on_read (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  Source *source = data;
  guint64 start_bytes = GST_BUFFER_OFFSET (buffer);
  gsize size_bytes = gst_buffer_get_size (buffer);

  if (!GST_BUFFER_OFFSET_IS_VALID (buffer))
    return GST_PAD_PROBE_OK;
  source->read_bytes += size_bytes;
  source->farthest_bytes =
      MAX (source->farthest_bytes, start_bytes + size_bytes);
  if (size_bytes > 0 && source->read_bytes <= 2 * source->farthest_bytes)
    g_atomic_int_inc (source->activity);
  return GST_PAD_PROBE_OK;
}

static GstPadProbeReturn
on_arrival (GstPad * pad, GstPadProbeInfo * info, gpointer activity)
{
  g_atomic_int_inc ((gint *) activity);
  return GST_PAD_PROBE_OK;
}

static gboolean
watch_source (GstElement * element, GstPad * pad, gpointer activity)
{
  Source *source = g_new0 (Source, 1);

  source->activity = g_atomic_rc_box_acquire (activity);
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_PULL,
      on_read, source, free_source);
  return TRUE;
}

static gboolean
watch_sink (GstElement * element, GstPad * pad, gpointer activity)
{
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, on_arrival,
      g_atomic_rc_box_acquire (activity), g_atomic_rc_box_release);
  return TRUE;
}

static void
watch_element (const GValue * item, gpointer activity)
{
  GstElement *element = g_value_get_object (item);

  if (GST_OBJECT_FLAG_IS_SET (element, GST_ELEMENT_FLAG_SOURCE))
    gst_element_foreach_src_pad (element, watch_source, activity);
  if (GST_OBJECT_FLAG_IS_SET (element, GST_ELEMENT_FLAG_SINK))
    gst_element_foreach_sink_pad (element, watch_sink, activity);
}

static void
for_all (GstIterator * elements, GstIteratorForeachFunction function,
    gpointer data)
{
  (void) gst_iterator_foreach (elements, function, data);
  gst_iterator_free (elements);
}

void
cgst_watch_activity (gpointer pipeline, gint * activity)
{
  for_all (gst_bin_iterate_recurse (pipeline), watch_element, activity);
}

static void
stop_element (const GValue * item, gpointer unused)
{
  GstElement *element = g_value_get_object (item);

  gst_element_set_locked_state (element, TRUE);
  gst_element_set_state (element, GST_STATE_NULL);
}

void
cgst_stop_sinks (gpointer pipeline)
{
  for_all (gst_bin_iterate_sinks (pipeline), stop_element, NULL);
}
