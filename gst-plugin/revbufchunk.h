/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * revbufchunk: a live stream with every few seconds turned around in place.
 */

#ifndef REV_BUF_CHUNK_H
#define REV_BUF_CHUNK_H

#include "gstretrofilter.h"

G_BEGIN_DECLS

typedef struct _RevBufChunk RevBufChunk;

/* All functions run in the streaming thread of @filter. */
RevBufChunk *rev_buf_chunk_new (GstRetroFilter * filter,
    guint64 block_frames, guint64 max_memory_bytes,
    const gchar * spill_directory);

void rev_buf_chunk_free (RevBufChunk * chunk);

/* Takes @buffer (transfer full), and sends as many frames of the block before. */
GstFlowReturn rev_buf_chunk_process (RevBufChunk * chunk, GstBuffer * buffer);

/* Sends what is left of the block before, then the unfinished one, reversed. */
GstFlowReturn rev_buf_chunk_drain (RevBufChunk * chunk);

G_END_DECLS
#endif /* REV_BUF_CHUNK_H */
