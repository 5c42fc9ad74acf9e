/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * send: moves audio from buffers into a store, and reversed from a store into
 * buffers.
 */

#ifndef GST_RETRO_SEND_H
#define GST_RETRO_SEND_H

#include "common/gstretrofilter.h"
#include "common/frameclock.h"
#include "common/framestore.h"

G_BEGIN_DECLS

/* Appends @n_frames of @buffer, like @info, from @first on.
 * Fails as gst_retro_store_append() does. */
gboolean gst_retro_store_append_frames (GstRetroStore * store, GstBuffer * buffer,
    const GstAudioInfo * info, gsize first, gsize n_frames, GError ** error);

/* Appends the whole of @buffer. */
gboolean gst_retro_store_append_buffer (GstRetroStore * store, GstBuffer * buffer,
    const GstAudioInfo * info, GError ** error);

/**
 * gst_retro_send_reversed:
 * @first: the frame of @store to stop at
 * @end: (inout): the frames before it are sent; on return, where to go on
 * @gap: set the GAP flag
 *
 * Pushes one buffer of frames of @store, from @end - 1 downwards, to @first at most.
 */
GstFlowReturn gst_retro_send_reversed (GstRetroFilter * filter, GstRetroStore * store,
    guint64 first, guint64 * end, gboolean gap, GstRetroClock * clock);

G_END_DECLS
#endif /* GST_RETRO_SEND_H */
