/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "common/workarounds.h"

#include <gst/audio/audio.h>

static gboolean
workaround_is_made_by (GstElement * element, const gchar * factory_name)
{
  GstElementFactory *factory = gst_element_get_factory (element);

  return factory != NULL
      && g_str_equal (GST_OBJECT_NAME (factory), factory_name);
}

/* ---- tsdemux ------------------------------------------------------------------- */

gboolean
gst_retro_refuses_segment_seeks (GstElement * element)
{
  return workaround_is_made_by (element, "tsdemux")
      && !gst_plugin_feature_check_version (GST_PLUGIN_FEATURE
      (gst_element_get_factory (element)), 1, 24, 0);
}

/* ---- auparse ------------------------------------------------------------------- */

gboolean
gst_retro_cuts_frames (GstElement * element)
{
  g_autoptr (GstPad) pad = NULL;
  g_autoptr (GstCaps) caps = NULL;
  GstAudioInfo info;

  if (!workaround_is_made_by (element, "auparse"))
    return FALSE;
  pad = gst_element_get_static_pad (element, "src");
  caps = gst_pad_get_current_caps (pad);
  /* if the size of a frame is a power of two, blocks of a file hold whole
   * frames */
  return caps != NULL && gst_audio_info_from_caps (&info, caps)
      && (GST_AUDIO_INFO_BPF (&info) & (GST_AUDIO_INFO_BPF (&info) - 1)) != 0;
}

/* ---- souphttpsrc --------------------------------------------------------------- */

#define HTTP_PARTIAL_CONTENT 206

/* Returns TRUE if a web server lets you request parts of a file. @answer: its response, from the
 * `http-headers` event of souphttpsrc and curlhttpsrc. HTTP/2 has header names in lower case. */
static gboolean
workaround_promises_ranges (const GstStructure * answer)
{
  const GValue *value = gst_structure_get_value (answer, "response-headers");
  const GstStructure *headers = value != NULL
      && GST_VALUE_HOLDS_STRUCTURE (value) ? gst_value_get_structure (value) :
      answer;
  guint status = 0;

  gst_structure_get_uint (answer, "http-status-code", &status);
  return status == HTTP_PARTIAL_CONTENT
      || g_strcmp0 (gst_structure_get_string (headers, "Accept-Ranges"),
      "bytes") == 0
      || g_strcmp0 (gst_structure_get_string (headers, "accept-ranges"),
      "bytes") == 0;
}

gboolean
gst_retro_lacks_ranges (GstPad * pad)
{
  GstEvent *event;
  guint i;

  for (i = 0; (event = gst_pad_get_sticky_event (pad,
              GST_EVENT_CUSTOM_DOWNSTREAM_STICKY, i)) != NULL; i++) {
    g_autoptr (GstEvent) found = event;

    if (gst_event_has_name (found, "http-headers"))
      return !workaround_promises_ranges (gst_event_get_structure (found));
  }
  return FALSE;
}

/* ---- gst_object_sync_values() ---------------------------------------------------- */

void
gst_retro_sync_values (GstObject * object, GstClockTime time_ns)
{
  GList *curves, *node;

  if (!GST_CLOCK_TIME_IS_VALID (time_ns))
    return;
  GST_OBJECT_LOCK (object);
  curves = g_list_copy_deep (object->control_bindings,
      (GCopyFunc) gst_object_ref, NULL);
  GST_OBJECT_UNLOCK (object);

  g_object_freeze_notify (G_OBJECT (object));
  for (node = curves; node != NULL; node = node->next)
    gst_control_binding_sync_values (node->data, object, time_ns,
        object->last_sync);
  object->last_sync = time_ns;
  g_object_thaw_notify (G_OBJECT (object));
  g_list_free_full (curves, gst_object_unref);
}
