/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * send: sends the audio of a store backwards.
 */

#ifndef GST_RETRO_SEND_H
#define GST_RETRO_SEND_H

#include "common/gstretrofilter.h"
#include "common/frameclock.h"
#include "common/framestore.h"

G_BEGIN_DECLS

/* Pushes one buffer of frames of @store, from *@end - 1 downwards, to @first at most.
 * *@end becomes where to go on. @gap: sets the GAP flag. */
GstFlowReturn gst_retro_send_reversed (GstRetroFilter * filter, GstRetroStore * store,
    guint64 first, guint64 * end, gboolean gap, GstRetroClock * clock);

G_END_DECLS
#endif /* GST_RETRO_SEND_H */
