/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "common/downstream.h"
#include "common/gstretrofilter.h"
#include "common/padwalk.h"

#include <string.h>

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

static GstRetroWalk
look_for_encoder (GstPad * pad, GstElement * element)
{
  if (element != NULL && is_encoder (element))
    return GST_RETRO_WALK_FOUND;
  return element != NULL && takes_corrections (element) ?
      GST_RETRO_WALK_BACK : GST_RETRO_WALK_ON;
}

gboolean
gst_retro_downstream_has_encoder (GstPad * srcpad)
{
  return gst_retro_walk (srcpad, look_for_encoder);
}
