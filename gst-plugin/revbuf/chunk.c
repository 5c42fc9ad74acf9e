/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * While one block is filled, the previous block is sent backwards, frame for frame.
 * Therefore the delay is always one block, and a live source never waits until a whole
 * block has been played.
 */

#include "revbuf/chunk.h"
#include "common/pcmbuffer.h"

typedef struct
{
  GstRetroStore *store;
  GstClockTime start_ns;        /* time of the block, if the stream jumped there; NONE: it
                                 * continues the previous block */
  guint64 left_frames;          /* number of frames that have not been sent */
} Block;

struct _GstRevBufChunk
{
  GstRetroFilter *filter;
  guint64 block_frames;
  Block filling, sending;
  GstRetroClock clock;
};

GstRevBufChunk *
gst_revbuf_chunk_new (GstRetroFilter * filter, guint64 block_frames,
    const GstRetroStorage * storage)
{
  const GstAudioInfo *info = gst_retro_filter_get_info (filter);
  GstRevBufChunk *chunk = g_new0 (GstRevBufChunk, 1);

  chunk->filter = filter;
  chunk->block_frames = block_frames;
  chunk->filling.store = gst_retro_store_new (info,
      storage->max_memory_bytes / 2, storage->spill_directory);
  chunk->sending.store = gst_retro_store_new (info,
      storage->max_memory_bytes / 2, storage->spill_directory);
  chunk->filling.start_ns = GST_CLOCK_TIME_NONE;
  gst_retro_clock_clear (&chunk->clock, GST_AUDIO_INFO_RATE (info));
  return chunk;
}

void
gst_revbuf_chunk_free (GstRevBufChunk * chunk)
{
  gst_retro_store_free (chunk->filling.store);
  gst_retro_store_free (chunk->sending.store);
  g_free (chunk);
}

/* Sends @n_frames of the `sending` block, or as many as are left. */
static GstFlowReturn
send_frames (GstRevBufChunk * chunk, guint64 n_frames)
{
  Block *block = &chunk->sending;
  guint64 stop = block->left_frames - MIN (n_frames, block->left_frames);
  GstFlowReturn ret = GST_FLOW_OK;

  if (block->left_frames > stop && GST_CLOCK_TIME_IS_VALID (block->start_ns)) {
    gst_retro_clock_start (&chunk->clock, block->start_ns);
    block->start_ns = GST_CLOCK_TIME_NONE;
  }
  while (block->left_frames > stop && ret == GST_FLOW_OK)
    ret = gst_retro_filter_push_reversed (chunk->filter, block->store, stop,
        &block->left_frames, FALSE, &chunk->clock);
  return ret;
}

/* Makes the `filling` block the `sending` block, and reuses the other store. */
static void
swap_blocks (GstRevBufChunk * chunk)
{
  GstRetroStore *sent = chunk->sending.store;

  chunk->sending = chunk->filling;
  chunk->sending.left_frames =
      gst_retro_store_get_frames (chunk->sending.store);
  gst_retro_store_clear (sent);
  chunk->filling.store = sent;
  chunk->filling.start_ns = GST_CLOCK_TIME_NONE;
}

/* Adds frames of @buffer to the `filling` block, which must have room for them. */
static GstFlowReturn
fill_block (GstRevBufChunk * chunk, GstBuffer * buffer, gsize first,
    gsize n_frames)
{
  Block *block = &chunk->filling;
  GError *error = NULL;

  if (first == 0 && GST_BUFFER_IS_DISCONT (buffer))
    block->start_ns = GST_BUFFER_PTS (buffer);
  if (!gst_retro_store_append_frames (block->store, buffer,
          gst_retro_filter_get_info (chunk->filter), first, n_frames, &error))
    return gst_retro_filter_fail (chunk->filter, error);
  if (gst_retro_store_get_frames (block->store) == chunk->block_frames)
    swap_blocks (chunk);
  return GST_FLOW_OK;
}

GstFlowReturn
gst_revbuf_chunk_process (GstRevBufChunk * chunk, GstBuffer * buffer)
{
  gsize total = gst_retro_buffer_frames (buffer,
      gst_retro_filter_get_info (chunk->filter));
  GstFlowReturn ret = GST_FLOW_OK;
  gsize done, n;

  if (GST_BUFFER_IS_DISCONT (buffer))
    ret = gst_revbuf_chunk_drain (chunk);

  for (done = 0; done < total && ret == GST_FLOW_OK; done += n) {
    n = MIN (total - done, chunk->block_frames
        - gst_retro_store_get_frames (chunk->filling.store));
    ret = send_frames (chunk, n);
    if (ret == GST_FLOW_OK)
      ret = fill_block (chunk, buffer, done, n);
  }
  gst_buffer_unref (buffer);
  return ret;
}

GstFlowReturn
gst_revbuf_chunk_drain (GstRevBufChunk * chunk)
{
  GstFlowReturn ret = send_frames (chunk, chunk->sending.left_frames);

  if (ret == GST_FLOW_OK) {
    swap_blocks (chunk);
    ret = send_frames (chunk, chunk->sending.left_frames);
  }
  return ret;
}
