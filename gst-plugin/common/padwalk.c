/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "common/padwalk.h"
#include "common/gstretrofilter.h"

#include <string.h>

/* More consecutive elements than in any pipeline: ends a walk in a circle.
 * */
#define MAX_DEPTH 64

typedef struct
{
  GstRetroWalkFunc judge;
  guint depth;
} Walk;

static gboolean walk_from (GstPad * pad, const Walk * walk);

/* Returns 0 for a match, as gst_iterator_find_custom() requires. */
static gint
compare_pad (gconstpointer value, gconstpointer walk)
{
  return !walk_from (g_value_get_object (value), walk);
}

/* Continues the walk at the other pads of the element that @pad belongs to. */
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
  g_autoptr (GstPad) peer =
      walk->depth < MAX_DEPTH ? gst_pad_get_peer (pad) : NULL;
  g_autoptr (GstElement) element = NULL;
  GstRetroWalk judgement;

  if (peer == NULL)
    return FALSE;
  element = gst_pad_get_parent_element (peer);
  judgement = walk->judge (peer, element);
  return judgement == GST_RETRO_WALK_FOUND
      || (judgement == GST_RETRO_WALK_ON && walk_through (peer, walk));
}

gboolean
gst_retro_walk (GstPad * pad, GstRetroWalkFunc judge)
{
  const Walk walk = { judge, 0 };

  return walk_from (pad, &walk);
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

/* ---- is there an encoder? ------------------------------------------------ */

/* Whether @pad, which belongs to no element, leads out of an nlecomposition. It is
 * then the inner pad of a ghost pad. GStreamer Editing Services puts each clip and
 * its effects into one composition, and starts the next clip at the stop of the
 * segment. */
static gboolean
leaves_composition (GstPad * pad)
{
  g_autoptr (GstObject) ghost = gst_object_get_parent (GST_OBJECT (pad));
  g_autoptr (GstObject) bin = ghost ? gst_object_get_parent (ghost) : NULL;
  GstElementFactory *factory = bin != NULL && GST_IS_ELEMENT (bin) ?
      gst_element_get_factory (GST_ELEMENT (bin)) : NULL;

  return factory != NULL
      && g_str_equal (GST_OBJECT_NAME (factory), "nlecomposition");
}

static GstRetroWalk
look_for_encoder (GstPad * pad, GstElement * element)
{
  if (element == NULL)
    return leaves_composition (pad) ? GST_RETRO_WALK_BACK : GST_RETRO_WALK_ON;
  if (gst_retro_element_is_a (element, "Encoder")
      || gst_retro_element_is_a (element, "Muxer"))
    return GST_RETRO_WALK_FOUND;
  /* one of our own elements accepts a corrected stop */
  return GST_IS_RETRO_FILTER (element)
      && GST_RETRO_FILTER_GET_CLASS (element)->extend != NULL ?
      GST_RETRO_WALK_BACK : GST_RETRO_WALK_ON;
}

gboolean
gst_retro_has_encoder (GstPad * srcpad)
{
  return gst_retro_walk (srcpad, look_for_encoder);
}

static GstRetroWalk
look_for_composition (GstPad * pad, GstElement * element)
{
  return element == NULL && leaves_composition (pad) ?
      GST_RETRO_WALK_FOUND : GST_RETRO_WALK_ON;
}

gboolean
gst_retro_is_in_composition (GstPad * srcpad)
{
  return gst_retro_walk (srcpad, look_for_composition);
}
