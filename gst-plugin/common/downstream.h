/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * downstream: what an element of ours feeds.
 */

#ifndef GST_RETRO_DOWNSTREAM_H
#define GST_RETRO_DOWNSTREAM_H

#include <gst/gst.h>

G_BEGIN_DECLS

/**
 * gst_retro_downstream_has_encoder:
 * @srcpad: of an element of ours
 *
 * Whether an encoder or a muxer comes somewhere behind @srcpad. Those need a
 * segment that is open at its end: the packets of an encoder are late, and a
 * sink drops those behind the stop. They start over with a second segment, which
 * would correct the stop.
 *
 * Looks no farther than an element of ours that takes corrections of the stop, and
 * not out of the nlecomposition of GStreamer Editing Services, which needs a stop.
 */
gboolean gst_retro_downstream_has_encoder (GstPad * srcpad);

G_END_DECLS
#endif /* GST_RETRO_DOWNSTREAM_H */
