/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * downstream: which elements follow ours.
 */

#ifndef GST_RETRO_DOWNSTREAM_H
#define GST_RETRO_DOWNSTREAM_H

#include <gst/gst.h>

G_BEGIN_DECLS

/**
 * gst_retro_downstream_has_encoder:
 * @srcpad: of an element of ours
 *
 * Whether an encoder or a muxer follows @srcpad. It needs a segment without a stop:
 * an encoder's last packets are late, and a sink drops packets behind the stop. A
 * second segment that corrects the stop would make it start over.
 *
 * The search ends at an element of ours that accepts a corrected stop. It does not
 * leave an nlecomposition of GStreamer Editing Services, which needs a stop.
 */
gboolean gst_retro_downstream_has_encoder (GstPad * srcpad);

G_END_DECLS
#endif /* GST_RETRO_DOWNSTREAM_H */
