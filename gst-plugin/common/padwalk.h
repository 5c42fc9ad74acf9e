/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * padwalk: finds the elements that ours is linked to, directly or through others, and the
 * pipeline that it belongs to.
 */

#pragma once

#include <gst/gst.h>

typedef enum
{
  GST_RETRO_WALK_ON,
  GST_RETRO_WALK_FOUND,         /* the search is over */
  GST_RETRO_WALK_BACK           /* do not search beyond this element */
} GstRetroWalk;

/* Judges a pad on the other side of a link. @element (nullable) owns it; the inner
 * pads of a bin belong to no element. */
typedef GstRetroWalk (*GstRetroWalkFunc) (GstPad * pad, GstElement * element);

/* Calls @judge for every pad on the way from @pad, which belongs to an element of ours:
 * upstream from a sink pad, downstream from a source pad. Returns whether @judge has
 * returned GST_RETRO_WALK_FOUND. */
gboolean gst_retro_walk (GstPad * pad, GstRetroWalkFunc judge);

/* The pipeline that @object belongs to, or the outermost bin that there is (transfer
 * full). */
GstObject *gst_retro_pipeline_of (GstObject * object);

/* Whether the class in the metadata of @element, such as "Codec/Encoder/Audio",
 * contains @word. */
gboolean gst_retro_element_is_a (GstElement * element, const gchar * word);

/* Whether an encoder or a muxer follows @srcpad. It needs a segment without a stop:
 * an encoder's last packets are late, and a sink drops packets after the stop. A
 * second segment that corrects the stop would make it start over.
 *
 * The search ends at an element of ours that accepts a corrected stop. It does not
 * leave an nlecomposition of GStreamer Editing Services, which needs a stop. */
gboolean gst_retro_has_encoder (GstPad * srcpad);

/* Whether @srcpad is inside an nlecomposition. A composition needs a single segment, whose
 * stop is the end of the clip: it adds up the lengths of all segments. */
gboolean gst_retro_is_in_composition (GstPad * srcpad);
