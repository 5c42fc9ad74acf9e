/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * mode=chunk: reverses a live stream block by block.
 */

#pragma once

#include "revbuf/gstrevbuf.h"

/* Call this once the format, and so the number of frames in a block, is known. All functions run
 * in the streaming thread of the element. */
GstRevBufChunk *gst_revbuf_chunk_new (GstRevBuf * revbuf);

void gst_revbuf_chunk_free (GstRevBufChunk * chunk);

/* Adds @buffer (transfer full), and sends the same number of frames from the previous block. */
GstFlowReturn gst_revbuf_chunk_process (GstRevBufChunk * chunk,
    GstBuffer * buffer);

/* Handles a gap of @duration_ns (NONE: unknown) at @pts_ns. It becomes silence in the block. A
 * block that has nothing but gaps is sent as one GAP event, with the flags that they all share. A
 * gap that's at least as long as a block, or of unknown length, ends the current block and is
 * sent immediately as one GAP event. */
GstFlowReturn gst_revbuf_chunk_gap (GstRevBufChunk * chunk, GstClockTime pts_ns,
    GstClockTime duration_ns, GstGapFlags flags);

/* Sends the remaining frames of the previous block, then the unfinished block, reversed. */
GstFlowReturn gst_revbuf_chunk_drain (GstRevBufChunk * chunk);
