/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * retrosend: between a store and buffers.
 */

#ifndef RETRO_SEND_H
#define RETRO_SEND_H

#include "gstretrofilter.h"
#include "retroclock.h"
#include "retrostore.h"

G_BEGIN_DECLS

/* Appends @n_frames of @buffer, like @info, from @first on.
 * Fails as retro_store_append() does. */
gboolean retro_store_append_frames (RetroStore * store, GstBuffer * buffer,
    const GstAudioInfo * info, gsize first, gsize n_frames, GError ** error);

/* Appends the whole of @buffer. */
gboolean retro_store_append_buffer (RetroStore * store, GstBuffer * buffer,
    const GstAudioInfo * info, GError ** error);

/**
 * retro_send_reversed:
 * @first: the frame of @store to stop at
 * @end: (inout): the frames before it are sent; on return less what was sent
 * @gap: whether they are silence that may be skipped
 *
 * Pushes one buffer of frames [?, @end) of @store, last one first, at most
 * down to @first.
 */
GstFlowReturn retro_send_reversed (GstRetroFilter * filter, RetroStore * store,
    guint64 first, guint64 * end, gboolean gap, RetroClock * clock);

G_END_DECLS
#endif /* RETRO_SEND_H */
