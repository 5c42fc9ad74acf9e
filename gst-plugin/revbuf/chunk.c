/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * While one block fills up, we send the previous one backwards, frame for frame. So the delay is
 * always one block, and a live source never has to wait for a whole block to play.
 */

#include "revbuf/gstrevbuf.h"

typedef struct
{
  GstRetroStore *store;
  guint64 left_frames;          /* number of frames that haven't been sent */
  gboolean has_audio;           /* FALSE: all frames are gaps */
  guint gap_flags;              /* the GstGapFlags that all gaps share */
} Block;

struct _GstRevBufChunk
{
  GstRevBuf *revbuf;
  guint64 block_frames;
  Block filling, sending;
  GstRetroClock clock;          /* of the output */
};

static Block
chunk_empty_block (GstRetroStore * store)
{
  Block block = {.store = store,.gap_flags = G_MAXUINT };

  return block;
}

GstRevBufChunk *
gst_revbuf_chunk_new (GstRevBuf * revbuf)
{
  const GstAudioInfo *info = &revbuf->input.info;
  const GstRetroStorage *storage = &revbuf->settings.storage;
  GstRevBufChunk *chunk = g_new0 (GstRevBufChunk, 1);
  GST_RETRO_AUTO_LOCK (revbuf);

  chunk->revbuf = revbuf;
  chunk->block_frames = MAX (gst_util_uint64_scale_int (revbuf->chunk_ns,
          GST_AUDIO_INFO_RATE (info), GST_SECOND), 1);
  chunk->filling = chunk_empty_block (gst_retro_store_new (info,
          storage->max_memory_bytes / 2, storage->spill_directory));
  chunk->sending = chunk_empty_block (gst_retro_store_new (info,
          storage->max_memory_bytes / 2, storage->spill_directory));
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

/* ---- sending ------------------------------------------------------------ */

/* Sends @n_frames of the `sending` block, or as many as are left. */
static GstFlowReturn
chunk_send_frames (GstRevBufChunk * chunk, guint64 n_frames)
{
  GstRetroOutput *output = &chunk->revbuf->output;
  Block *block = &chunk->sending;
  guint64 stop = block->left_frames - MIN (n_frames, block->left_frames);
  GstFlowReturn ret = GST_FLOW_OK;
  GstClockTime pts_ns;
  gboolean discont;

  if (block->left_frames > stop && !block->has_audio) {
    /* all of the block becomes one GAP event, and the next buffer marks the jump */
    pts_ns = chunk->clock.now_ns;
    discont = chunk->clock.discont;
    gst_retro_clock_advance (&chunk->clock, block->left_frames);
    chunk->clock.discont = discont;
    block->left_frames = 0;
    gst_retro_output_push_gap (output, pts_ns, chunk->clock.now_ns - pts_ns,
        block->gap_flags, output->seqnum);
  }
  while (block->left_frames > stop && ret == GST_FLOW_OK)
    ret = gst_revbuf_push_reversed (chunk->revbuf, block->store, stop,
        &block->left_frames, FALSE, &chunk->clock);
  return ret;
}

static void
chunk_swap_blocks (GstRevBufChunk * chunk)
{
  GstRetroStore *sent = chunk->sending.store;

  chunk->sending = chunk->filling;
  chunk->sending.left_frames = chunk->sending.store->n_frames;
  gst_retro_store_clear (sent);
  chunk->filling = chunk_empty_block (sent);
}

GstFlowReturn
gst_revbuf_chunk_drain (GstRevBufChunk * chunk)
{
  GstFlowReturn ret = chunk_send_frames (chunk, chunk->sending.left_frames);

  if (ret == GST_FLOW_OK) {
    chunk_swap_blocks (chunk);
    ret = chunk_send_frames (chunk, chunk->sending.left_frames);
  }
  return ret;
}

/* ---- filling ------------------------------------------------------------ */

/* Time of the next frame of the input. NONE: nothing has arrived. */
static GstClockTime
chunk_input_ns (const GstRevBufChunk * chunk)
{
  return gst_retro_clock_after (&chunk->clock, chunk->sending.left_frames
      + chunk->filling.store->n_frames);
}

/* Adds @total frames of @buffer (NULL: a gap with @gap_flags), and sends the same number from the
 * previous block. */
static GstFlowReturn
chunk_add (GstRevBufChunk * chunk, GstBuffer * buffer, gsize total,
    guint gap_flags)
{
  GstFlowReturn ret = GST_FLOW_OK;
  Block *block = &chunk->filling;
  GError *error = NULL;
  gsize done, n;

  for (done = 0; done < total; done += n) {
    n = MIN (total - done, chunk->block_frames - block->store->n_frames);
    ret = chunk_send_frames (chunk, n);
    if (ret != GST_FLOW_OK)
      return ret;
    if (buffer != NULL)
      block->has_audio = TRUE;
    else
      block->gap_flags &= gap_flags;
    if (!gst_retro_store_append (block->store, buffer, done, n, &error))
      return gst_revbuf_fail_storage (chunk->revbuf, error);
    if (block->store->n_frames == chunk->block_frames)
      chunk_swap_blocks (chunk);
  }
  return ret;
}

GstFlowReturn
gst_revbuf_chunk_process (GstRevBufChunk * chunk, GstBuffer * buffer)
{
  const GstAudioInfo *info = &chunk->revbuf->input.info;
  GstClockTime pts_ns = GST_BUFFER_PTS (buffer);
  GstClockTime frame_ns = GST_SECOND / GST_AUDIO_INFO_RATE (info);
  GstFlowReturn ret = GST_FLOW_OK;

  /* after a gap, DISCONT is set, but the time continues */
  if (GST_BUFFER_IS_DISCONT (buffer)
      && gst_retro_clock_apart (chunk_input_ns (chunk), pts_ns) > frame_ns) {
    ret = gst_revbuf_chunk_drain (chunk);
    gst_retro_clock_start (&chunk->clock, pts_ns);
  }
  if (ret == GST_FLOW_OK)
    ret = chunk_add (chunk, buffer, gst_retro_buffer_frames (buffer, info), 0);
  gst_buffer_unref (buffer);
  return ret;
}

GstFlowReturn
gst_revbuf_chunk_gap (GstRevBufChunk * chunk, GstClockTime pts_ns,
    GstClockTime duration_ns, GstGapFlags flags)
{
  GstRetroOutput *output = &chunk->revbuf->output;
  gboolean ends = GST_CLOCK_TIME_IS_VALID (duration_ns);
  GstClockTime end_ns = ends ? pts_ns + duration_ns : GST_CLOCK_TIME_NONE;
  GstClockTime now_ns;
  GstFlowReturn ret;
  guint64 n_frames;

  if (!gst_retro_clock_is_running (&chunk->clock))
    gst_retro_clock_start (&chunk->clock, pts_ns);
  now_ns = chunk_input_ns (chunk);
  n_frames = gst_util_uint64_scale_round (end_ns - MIN (now_ns, end_ns),
      chunk->clock.rate, GST_SECOND);
  if (n_frames < chunk->block_frames)
    return chunk_add (chunk, NULL, n_frames, flags);

  ret = gst_revbuf_chunk_drain (chunk);
  pts_ns = MAX (pts_ns, now_ns);
  if (ret == GST_FLOW_OK)
    gst_retro_output_push_gap (output, pts_ns, ends ? end_ns - pts_ns : end_ns,
        flags, output->seqnum);
  if (ends)
    gst_retro_clock_start (&chunk->clock, end_ns);
  return ret;
}
