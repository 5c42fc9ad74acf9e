/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * padwalk: what an element of ours is linked to, near or far.
 */

#ifndef GST_RETRO_PAD_WALK_H
#define GST_RETRO_PAD_WALK_H

#include <gst/gst.h>

G_BEGIN_DECLS

typedef enum
{
  GST_RETRO_WALK_ON,
  GST_RETRO_WALK_FOUND,         /* the walk has its answer */
  GST_RETRO_WALK_BACK           /* nothing of interest is behind this element */
} GstRetroWalk;

/* Judges a pad on the other side of a link. @element, which may be NULL, is the
 * one that it belongs to; a bin has pads inside of it that belong to none. */
typedef GstRetroWalk (*GstRetroWalkFunc) (GstPad * pad, GstElement * element);

/**
 * gst_retro_walk:
 * @pad: of an element of ours: of its sink, the walk goes upstream, and of its
 *   source, downstream
 * @judge: called for every pad on the way
 *
 * Returns: whether @judge has found something.
 */
gboolean gst_retro_walk (GstPad * pad, GstRetroWalkFunc judge);

/* Whether the class that @element says it is of, as "Codec/Encoder/Audio", has
 * @word in it. */
gboolean gst_retro_element_is_a (GstElement * element, const gchar * word);

G_END_DECLS
#endif /* GST_RETRO_PAD_WALK_H */
