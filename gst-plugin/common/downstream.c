/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "common/downstream.h"
#include "common/gstretrofilter.h"
#include "common/padwalk.h"

static gboolean
is_encoder (GstElement * element)
{
  return gst_retro_element_is_a (element, "Encoder")
      || gst_retro_element_is_a (element, "Muxer");
}

static gboolean
takes_corrections (GstElement * element)
{
  return GST_IS_RETRO_FILTER (element)
      && GST_RETRO_FILTER_GET_CLASS (element)->extend != NULL;
}

/* Whether @pad, which belongs to no element, leads out of an nlecomposition. It is
 * then the inner pad of a ghost pad. GStreamer Editing Services put each clip and its
 * effects into one composition, and start the next clip at the segment's stop. */
static gboolean
leaves_composition (GstPad * pad)
{
  GstObject *ghost = gst_object_get_parent (GST_OBJECT (pad));
  GstObject *bin = ghost != NULL ? gst_object_get_parent (ghost) : NULL;
  GstElementFactory *factory = bin != NULL && GST_IS_ELEMENT (bin) ?
      gst_element_get_factory (GST_ELEMENT (bin)) : NULL;
  gboolean leaves = factory != NULL
      && g_str_equal (GST_OBJECT_NAME (factory), "nlecomposition");

  gst_clear_object (&bin);
  gst_clear_object (&ghost);
  return leaves;
}

static GstRetroWalk
look_for_encoder (GstPad * pad, GstElement * element)
{
  if (element == NULL)
    return leaves_composition (pad) ? GST_RETRO_WALK_BACK : GST_RETRO_WALK_ON;
  if (is_encoder (element))
    return GST_RETRO_WALK_FOUND;
  return takes_corrections (element) ? GST_RETRO_WALK_BACK : GST_RETRO_WALK_ON;
}

gboolean
gst_retro_downstream_has_encoder (GstPad * srcpad)
{
  return gst_retro_walk (srcpad, look_for_encoder);
}
