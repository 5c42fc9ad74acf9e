/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "common/padwalk.h"

#include <string.h>

/* Maximum number of consecutive links. No real pipeline has that many, but the limit ends the
 * walk in a circular one. */
#define MAX_DEPTH 64

typedef struct
{
  GstRetroVisit visit;
  gpointer findings;
  guint depth;
} Walk;

/* Walks from @pad to its peer and beyond. Returns FALSE, so that gst_pad_forward() visits all
 * pads. */
static gboolean
walk_from (GstPad * pad, gpointer data)
{
  Walk *walk = data;
  g_autoptr (GstPad) peer =
      walk->depth < MAX_DEPTH ? gst_pad_get_peer (pad) : NULL;
  g_autoptr (GstElement) element = NULL;

  if (peer == NULL)
    return FALSE;
  element = gst_pad_get_parent_element (peer);
  walk->depth++;
  if (walk->visit (peer, element, walk->findings))
    gst_pad_forward (peer, walk_from, walk);
  walk->depth--;
  return FALSE;
}

void
gst_retro_walk (GstPad * pad, GstRetroVisit visit, gpointer findings)
{
  Walk walk = { visit, findings, 0 };

  walk_from (pad, &walk);
}

GstObject *
gst_retro_pipeline_of (GstObject * object)
{
  GstObject *outermost = gst_object_ref (object);
  GstObject *parent;

  while ((parent = gst_object_get_parent (outermost)) != NULL) {
    gst_object_unref (outermost);
    outermost = parent;
  }
  return outermost;
}

gboolean
gst_retro_element_is_a (GstElement * element, const gchar * word)
{
  const gchar *klass = gst_element_class_get_metadata
      (GST_ELEMENT_GET_CLASS (element), GST_ELEMENT_METADATA_KLASS);

  return klass != NULL && strstr (klass, word) != NULL;
}
