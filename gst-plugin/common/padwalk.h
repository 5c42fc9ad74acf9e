/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * padwalk: visits the elements that are linked to one of our elements, directly or
 * indirectly, and finds the pipeline that contains our element.
 */

#pragma once

#include <gst/gst.h>

/* Called for each @pad that the walk reaches. @element (nullable) is the element of @pad.
 * The inner pad of a ghost pad has none. @questions are bits that the caller defines, one
 * for each thing that the walk is still looking for. @findings is for the results. Returns
 * the questions for the pads beyond @element; 0 ends the walk there. A pad may be visited
 * more than once. */
typedef guint (*GstRetroVisit) (GstPad * pad, GstElement * element,
    guint questions, gpointer findings);

/* Calls @visit for all pads upstream of @pad if @pad is a sink pad, or downstream of @pad if
 * it's a source pad. Of each link, only the pad on the far side is visited. */
void gst_retro_walk (GstPad * pad, GstRetroVisit visit, guint questions,
    gpointer findings);

/* The outermost bin that contains @object, normally the pipeline. @object itself if it is
 * in no bin (transfer full). */
GstObject *gst_retro_pipeline_of (GstObject * object);

/* Returns TRUE if the class in the metadata of @element, such as "Codec/Encoder/Audio",
 * contains @word. */
gboolean gst_retro_element_is_a (GstElement * element, const gchar * word);
