/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "CGStreamerFiles.h"

/* ---- samples -------------------------------------------------------------- */

typedef struct
{
  CGstHeard heard;
  gpointer data;
  GDestroyNotify free_data;
} Inspector;

static void
free_inspector (gpointer data)
{
  Inspector *inspector = data;

  inspector->free_data (inspector->data);
  g_free (inspector);
}

static GstPadProbeReturn
on_buffer (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  Inspector *inspector = data;
  GstCaps *caps = gst_pad_get_current_caps (pad);
  GstAudioInfo format;
  GstMapInfo map;

  if (caps != NULL && gst_audio_info_from_caps (&format, caps)
      && gst_buffer_map (GST_PAD_PROBE_INFO_BUFFER (info), &map, GST_MAP_READ)) {
    (void) inspector->heard (&format, 0, map.data, map.size, inspector->data);
    gst_buffer_unmap (GST_PAD_PROBE_INFO_BUFFER (info), &map);
  }
  gst_clear_caps (&caps);
  return GST_PAD_PROBE_OK;
}

void
cgst_inspect (gpointer element, CGstHeard heard, gpointer data,
    GDestroyNotify free_data)
{
  GstPad *pad = gst_element_get_static_pad (element, "sink");
  Inspector *inspector;

  if (pad == NULL) {
    free_data (data);
    return;
  }
  inspector = g_new (Inspector, 1);
  inspector->heard = heard;
  inspector->data = data;
  inspector->free_data = free_data;
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, on_buffer, inspector,
      free_inspector);
  gst_object_unref (pad);
}
