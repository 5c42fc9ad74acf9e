/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "common/downstream.h"
#include "common/gstretrofilter.h"

#include <string.h>

/* More elements one after another than any pipeline has, should it be a circle. */
#define MAX_DEPTH 64

static gboolean
is_encoder (GstElement * element)
{
  const gchar *klass = gst_element_class_get_metadata
      (GST_ELEMENT_GET_CLASS (element), GST_ELEMENT_METADATA_KLASS);

  return klass != NULL && (strstr (klass, "Encoder") != NULL
      || strstr (klass, "Muxer") != NULL);
}

static gboolean
takes_corrections (GstElement * element)
{
  return GST_IS_RETRO_FILTER (element)
      && GST_RETRO_FILTER_GET_CLASS (element)->extend != NULL;
}

static gboolean leads_to_encoder (GstPad * srcpad, guint depth);

/* For gst_iterator_find_custom(): 0: found. */
static gint
compare_pad (gconstpointer value, gconstpointer depth)
{
  return !leads_to_encoder (g_value_get_object (value),
      GPOINTER_TO_UINT (depth));
}

static gboolean
goes_on_to_encoder (GstPad * sinkpad, guint depth)
{
  GstIterator *pads = gst_pad_iterate_internal_links (sinkpad);
  GValue pad = G_VALUE_INIT;
  gboolean found;

  if (pads == NULL)
    return FALSE;
  found = gst_iterator_find_custom (pads, compare_pad, &pad,
      GUINT_TO_POINTER (depth + 1));
  if (found)
    g_value_unset (&pad);
  gst_iterator_free (pads);
  return found;
}

static gboolean
leads_to_encoder (GstPad * srcpad, guint depth)
{
  GstPad *sinkpad = depth < MAX_DEPTH ? gst_pad_get_peer (srcpad) : NULL;
  GstElement *element;
  gboolean found;

  if (sinkpad == NULL)
    return FALSE;
  element = gst_pad_get_parent_element (sinkpad);       /* inside a bin, none */
  found = element != NULL && is_encoder (element);
  if (!found && (element == NULL || !takes_corrections (element)))
    found = goes_on_to_encoder (sinkpad, depth);
  gst_clear_object (&element);
  gst_object_unref (sinkpad);
  return found;
}

gboolean
gst_retro_downstream_has_encoder (GstPad * srcpad)
{
  return leads_to_encoder (srcpad, 0);
}
