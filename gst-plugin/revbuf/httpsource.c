/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "revbuf/httpsource.h"
#include "common/padwalk.h"

#define PARTIAL_CONTENT 206

/* For gst_structure_foreach(): FALSE: found. The case of header names does not matter. */
static gboolean
is_another_header (GQuark name, const GValue * value, gpointer data)
{
  return g_ascii_strcasecmp (g_quark_to_string (name), "Accept-Ranges") != 0
      || !G_VALUE_HOLDS_STRING (value)
      || g_ascii_strcasecmp (g_value_get_string (value), "bytes") != 0;
}

/* @answer describes the server's answer, as souphttpsrc and curlhttpsrc send it. */
static gboolean
promises_ranges (const GstStructure * answer)
{
  const GValue *headers = gst_structure_get_value (answer, "response-headers");
  guint status = 0;

  gst_structure_get_uint (answer, "http-status-code", &status);
  if (status == PARTIAL_CONTENT)
    return TRUE;
  return headers != NULL && GST_VALUE_HOLDS_STRUCTURE (headers)
      && !gst_structure_foreach (gst_value_get_structure (headers),
      is_another_header, NULL);
}

/* The answer is a sticky event of the source's pad; NULL: there is none. */
static GstEvent *
answer_on (GstPad * pad)
{
  GstEvent *event;
  guint i;

  for (i = 0; (event = gst_pad_get_sticky_event (pad,
              GST_EVENT_CUSTOM_DOWNSTREAM_STICKY, i)) != NULL; i++) {
    if (gst_event_has_name (event, "http-headers"))
      return event;
    gst_event_unref (event);
  }
  return NULL;
}

static GstRetroWalk
look_for_answer (GstPad * pad, GstElement * element)
{
  g_autoptr (GstEvent) event = NULL;

  /* seeks go to the files that a playlist names, which may be on another server */
  if (element != NULL && gst_retro_element_is_a (element, "Adaptive"))
    return GST_RETRO_WALK_BACK;
  event = answer_on (pad);
  if (event == NULL)
    return GST_RETRO_WALK_ON;
  return promises_ranges (gst_event_get_structure (event)) ?
      GST_RETRO_WALK_BACK : GST_RETRO_WALK_FOUND;
}

gboolean
gst_revbuf_http_source_lacks_ranges (GstPad * sinkpad)
{
  return gst_retro_walk (sinkpad, look_for_answer);
}
