/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "common/padwalk.h"

#include <string.h>

/* More elements in a row than any pipeline has: ends the walk in a circle. */
#define MAX_DEPTH 64

typedef struct
{
  GstRetroWalkFunc judge;
  guint depth;
} Walk;

static gboolean walk_from (GstPad * pad, const Walk * walk);

/* For gst_iterator_find_custom(): 0: found. */
static gint
compare_pad (gconstpointer value, gconstpointer walk)
{
  return !walk_from (g_value_get_object (value), walk);
}

/* Through the element that @pad belongs to. */
static gboolean
walk_through (GstPad * pad, const Walk * walk)
{
  GstIterator *pads = gst_pad_iterate_internal_links (pad);
  Walk deeper = { walk->judge, walk->depth + 1 };
  GValue found_pad = G_VALUE_INIT;
  gboolean found;

  if (pads == NULL)
    return FALSE;
  found = gst_iterator_find_custom (pads, compare_pad, &found_pad, &deeper);
  if (found)
    g_value_unset (&found_pad);
  gst_iterator_free (pads);
  return found;
}

static gboolean
walk_from (GstPad * pad, const Walk * walk)
{
  GstPad *peer = walk->depth < MAX_DEPTH ? gst_pad_get_peer (pad) : NULL;
  GstElement *element;
  GstRetroWalk judgement;
  gboolean found;

  if (peer == NULL)
    return FALSE;
  element = gst_pad_get_parent_element (peer);
  judgement = walk->judge (peer, element);
  found = judgement == GST_RETRO_WALK_FOUND
      || (judgement == GST_RETRO_WALK_ON && walk_through (peer, walk));
  gst_clear_object (&element);
  gst_object_unref (peer);
  return found;
}

gboolean
gst_retro_element_is_a (GstElement * element, const gchar * word)
{
  const gchar *klass = gst_element_class_get_metadata
      (GST_ELEMENT_GET_CLASS (element), GST_ELEMENT_METADATA_KLASS);

  return klass != NULL && strstr (klass, word) != NULL;
}

gboolean
gst_retro_walk (GstPad * pad, GstRetroWalkFunc judge)
{
  const Walk walk = { judge, 0 };

  return walk_from (pad, &walk);
}
