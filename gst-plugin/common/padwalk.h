/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * padwalk: finds elements that are linked to one of ours, directly or indirectly, and the
 * pipeline that contains it.
 */

#pragma once

#include <gst/gst.h>

typedef enum
{
  GST_RETRO_WALK_ON,
  GST_RETRO_WALK_FOUND,         /* the search has succeeded */
  GST_RETRO_WALK_BACK           /* do not search beyond this element */
} GstRetroWalk;

/* Examines a pad on the other side of a link. @element (nullable) owns it; the
 * inner pads of a bin belong to no element. */
typedef GstRetroWalk (*GstRetroWalkFunc) (GstPad * pad, GstElement * element);

/* Calls @judge for every pad that is reached from @pad, which belongs to one of our
 * elements: upstream from a sink pad, downstream from a source pad. Returns whether
 * @judge has returned GST_RETRO_WALK_FOUND. */
gboolean gst_retro_walk (GstPad * pad, GstRetroWalkFunc judge);

/* The pipeline that contains @object, or else the outermost bin (transfer full). */
GstObject *gst_retro_pipeline_of (GstObject * object);

/* Whether the class in the metadata of @element, such as "Codec/Encoder/Audio",
 * contains @word. */
gboolean gst_retro_element_is_a (GstElement * element, const gchar * word);

/* Whether an encoder or a muxer follows @srcpad. These need a segment without a
 * stop: the last packets of an encoder are late, and a sink drops packets after the
 * stop. A second segment with a corrected stop would make an encoder start again.
 *
 * The search ends at one of our elements that accepts a corrected stop. It does not
 * leave an nlecomposition of GStreamer Editing Services, which needs a stop. */
gboolean gst_retro_has_encoder (GstPad * srcpad);

/* Whether @srcpad is inside an nlecomposition. A composition needs a single segment, whose
 * stop is the end of the clip: it adds up the lengths of all segments. */
gboolean gst_retro_is_in_composition (GstPad * srcpad);
