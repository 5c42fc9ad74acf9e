/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * padwalk: visits the elements that are linked to one of our elements, directly or
 * indirectly, and finds the pipeline that contains our element.
 */

#pragma once

#include <gst/gst.h>

/* Called for each @pad that the walk reaches. @element (nullable) is the element of @pad. The
 * inner pad of a ghost pad has none. Puts what it finds into @findings, and returns whether to visit
 * the pads beyond @element, too. A pad may be visited more than once. */
typedef gboolean (*GstRetroVisit) (GstPad * pad, GstElement * element, gpointer findings);

/* Calls @visit for all pads upstream of @pad if @pad is a sink pad, or downstream of @pad if it's
 * a source pad. For each link, we only visit the pad on the far side. */
void gst_retro_walk (GstPad * pad, GstRetroVisit visit, gpointer findings);

/* Returns (transfer full) the outermost bin that contains @object, normally the pipeline, or
 * @object itself if it isn't in a bin. */
GstObject *gst_retro_pipeline_of (GstObject * object);

/* Returns TRUE if the class in the metadata of @element, such as "Codec/Encoder/Audio",
 * contains @word. */
gboolean gst_retro_element_is_a (GstElement * element, const gchar * word);
