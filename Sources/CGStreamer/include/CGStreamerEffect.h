/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Effects: elements that an application inserts into a pipeline.
 */

#ifndef RETROGRADE_CGSTREAMER_EFFECT_H
#define RETROGRADE_CGSTREAMER_EFFECT_H

#include <gst/gst.h>

/* Creates a bin of @elements, a description for gst_parse_launch(). Returns NULL and sets @error if
 * we can't create them or if a property value is out of range. @context records missing elements. */
GstElement *cgst_make_bin (const gchar * elements, GstParseContext * context,
    GError ** error);

#endif
