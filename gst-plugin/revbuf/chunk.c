/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * While one block is filled, the block before it is sent backwards at the same pace.
 * So the delay is always one block, and a live source never waits while a whole block
 * plays.
 */

#include "revbuf/chunk.h"
#include "common/pcmbuffer.h"
#include "common/send.h"
#include "common/framestore.h"

typedef struct
{
  GstRetroStore *store;
  GstClockTime start_ns;        /* of its first frame */
  guint64 left_frames;          /* not yet sent */
  gboolean starts_run;          /* the stream jumped in front of it */
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
  gst_retro_clock_clear (&chunk->clock, GST_AUDIO_INFO_RATE (info));
  return chunk;
}

void
gst_revbuf_chunk_free (GstRevBufChunk * chunk)
{
  if (chunk == NULL)
    return;
  gst_retro_store_free (chunk->filling.store);
  gst_retro_store_free (chunk->sending.store);
  g_free (chunk);
}

/* Sends @n_frames of the complete block, or as many as are left. */
static GstFlowReturn
send_frames (GstRevBufChunk * chunk, guint64 n_frames)
{
  Block *block = &chunk->sending;
  guint64 stop = block->left_frames - MIN (n_frames, block->left_frames);
  GstFlowReturn ret = GST_FLOW_OK;

  if (block->left_frames > stop && block->starts_run) {
    gst_retro_clock_start (&chunk->clock, block->start_ns);
    block->starts_run = FALSE;
  }
  while (block->left_frames > stop && ret == GST_FLOW_OK)
    ret = gst_retro_send_reversed (chunk->filter, block->store, stop,
        &block->left_frames, FALSE, &chunk->clock);
  return ret;
}

/* The filled block is sent from now on. */
static void
swap_blocks (GstRevBufChunk * chunk)
{
  Block empty = chunk->sending;

  gst_retro_store_clear (empty.store);
  empty.left_frames = 0;
  empty.starts_run = FALSE;
  chunk->sending = chunk->filling;
  chunk->sending.left_frames =
      gst_retro_store_get_frames (chunk->sending.store);
  chunk->filling = empty;
}

static GstFlowReturn
run_frames (GstRevBufChunk * chunk, GstBuffer * buffer, gsize first,
    gsize n_frames)
{
  const GstAudioInfo *info = gst_retro_filter_get_info (chunk->filter);
  Block *block = &chunk->filling;
  GError *error = NULL;

  if (gst_retro_store_get_frames (block->store) == 0) {
    block->start_ns = GST_BUFFER_PTS (buffer) +
        gst_util_uint64_scale_int (first, GST_SECOND,
        GST_AUDIO_INFO_RATE (info));
    block->starts_run |= first == 0 && GST_BUFFER_IS_DISCONT (buffer);
  }
  if (!gst_retro_store_append_frames (block->store, buffer, info, first,
          n_frames, &error))
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
      ret = run_frames (chunk, buffer, done, n);
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
