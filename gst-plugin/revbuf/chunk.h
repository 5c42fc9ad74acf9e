/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * mode=chunk: reverses a live stream block by block.
 */

#pragma once

#include "common/gstretrofilter.h"
#include "common/properties.h"

typedef struct _GstRevBufChunk GstRevBufChunk;

/* All functions run in the streaming thread of @filter. */
GstRevBufChunk *gst_revbuf_chunk_new (GstRetroFilter * filter,
    guint64 block_frames, const GstRetroStorage * storage);

void gst_revbuf_chunk_free (GstRevBufChunk * chunk);

/* Adds @buffer (transfer full), and sends the same number of frames of the previous
 * block. */
GstFlowReturn gst_revbuf_chunk_process (GstRevBufChunk * chunk,
    GstBuffer * buffer);

/* Sends the remaining frames of the previous block, then the unfinished block, reversed. */
GstFlowReturn gst_revbuf_chunk_drain (GstRevBufChunk * chunk);
