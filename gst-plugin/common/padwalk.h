/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * padwalk: visits the elements that ours is linked to, directly or through others.
 */

#ifndef GST_RETRO_PAD_WALK_H
#define GST_RETRO_PAD_WALK_H

#include <gst/gst.h>

G_BEGIN_DECLS

typedef enum
{
  GST_RETRO_WALK_ON,
  GST_RETRO_WALK_FOUND,         /* the search is over */
  GST_RETRO_WALK_BACK           /* do not search beyond this element */
} GstRetroWalk;

/* Judges a pad on the other side of a link. @element (nullable) owns it; the inner
 * pads of a bin belong to no element. */
typedef GstRetroWalk (*GstRetroWalkFunc) (GstPad * pad, GstElement * element);

/**
 * gst_retro_walk:
 * @pad: of an element of ours. From a sink pad the walk goes upstream, from a source
 *   pad downstream.
 * @judge: called for every pad on the way
 *
 * Returns: whether @judge has returned GST_RETRO_WALK_FOUND.
 */
gboolean gst_retro_walk (GstPad * pad, GstRetroWalkFunc judge);

/* Whether the class in the metadata of @element, such as "Codec/Encoder/Audio",
 * contains @word. */
gboolean gst_retro_element_is_a (GstElement * element, const gchar * word);

G_END_DECLS
#endif /* GST_RETRO_PAD_WALK_H */
