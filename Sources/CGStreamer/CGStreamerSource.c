/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "CGStreamerSource.h"

typedef struct
{
  guint64 position;
  GBytes *bytes;
  guint64 end;
} Correction;

static GstPadProbeReturn
on_bytes (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  const Correction *correction = data;
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  guint64 start = GST_BUFFER_OFFSET (buffer);
  guint64 size = gst_buffer_get_size (buffer);
  gsize count;
  const guint8 *bytes = g_bytes_get_data (correction->bytes, &count);

  if (start >= correction->end)
    return GST_PAD_PROBE_DROP;  /* the end of the stream */
  if (size > correction->end - start) {
    size = correction->end - start;
    buffer = gst_buffer_make_writable (buffer);
    gst_buffer_set_size (buffer, (gssize) size);
  }
  if (start < correction->position + count
      && start + size > correction->position) {
    guint64 first = MAX (start, correction->position);
    guint64 last = MIN (start + size, correction->position + count);
    buffer = gst_buffer_make_writable (buffer);
    gst_buffer_fill (buffer, (gsize) (first - start),
        bytes + (first - correction->position), (gsize) (last - first));
  }
  GST_PAD_PROBE_INFO_DATA (info) = buffer;
  return GST_PAD_PROBE_OK;
}

static GstPadProbeReturn
on_query (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  const Correction *correction = data;
  GstQuery *query = GST_PAD_PROBE_INFO_QUERY (info);
  GstFormat format;

  if (GST_QUERY_TYPE (query) != GST_QUERY_DURATION)
    return GST_PAD_PROBE_OK;
  gst_query_parse_duration (query, &format, NULL);
  if (format != GST_FORMAT_BYTES)
    return GST_PAD_PROBE_OK;
  gst_query_set_duration (query, format, (gint64) correction->end);
  return GST_PAD_PROBE_HANDLED;
}

static void
free_correction (gpointer data)
{
  Correction *correction = data;

  g_bytes_unref (correction->bytes);
  g_free (correction);
}

void
cgst_correct (gpointer source, guint64 position, const guint8 * bytes,
    gsize count, guint64 end)
{
  GstPad *pad = gst_element_get_static_pad (source, "src");
  Correction *correction = g_new (Correction, 1);

  correction->position = position;
  correction->bytes = g_bytes_new (bytes, count);
  correction->end = end;
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_QUERY_UPSTREAM, on_query,
      correction, NULL);
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_PULL,
      on_bytes, correction, free_correction);
  gst_object_unref (pad);
}
