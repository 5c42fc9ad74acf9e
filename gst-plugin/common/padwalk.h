/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * padwalk: visits the elements that are linked to one of our elements, directly or
 * indirectly, and finds the pipeline that contains our element.
 */

#pragma once

#include <gst/gst.h>

/* Called for a pad on the other side of a link. @element (nullable) is its element; the
 * inner pads of a bin belong to no element. @questions are bits that the caller defines:
 * what the walk is still looking for beyond this pad. In @findings, the caller collects the
 * results. Returns the questions for the pads beyond @element; 0 if these are not to be
 * visited. A pad may be visited more than once. */
typedef guint (*GstRetroVisit) (GstPad * pad, GstElement * element,
    guint questions, gpointer findings);

/* Calls @visit for every pad that can be reached from @pad, which belongs to one of our
 * elements: pads upstream of a sink pad, or downstream of a source pad. */
void gst_retro_walk (GstPad * pad, GstRetroVisit visit, guint questions,
    gpointer findings);

/* The pipeline that contains @object, or the outermost bin if there is no pipeline
 * (transfer full). */
GstObject *gst_retro_pipeline_of (GstObject * object);

/* Whether the class in the metadata of @element, such as "Codec/Encoder/Audio",
 * contains @word. */
gboolean gst_retro_element_is_a (GstElement * element, const gchar * word);
