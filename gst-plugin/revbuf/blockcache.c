/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "revbuf/blockcache.h"

static void
block_free (gpointer block)
{
  gst_revbuf_run_free (((GstRevBufBlock *) block)->run);
  g_free (block);
}

void
gst_revbuf_block_cache_init (GstRevBufBlockCache * cache)
{
  g_queue_init (&cache->blocks);
}

void
gst_revbuf_block_cache_clear (GstRevBufBlockCache * cache)
{
  g_queue_clear_full (&cache->blocks, block_free);
}

GstRevBufBlock *
gst_revbuf_block_cache_lowest (const GstRevBufBlockCache * cache)
{
  return cache->blocks.head ? cache->blocks.head->data : NULL;
}

GstRevBufBlock *
gst_revbuf_block_cache_highest (const GstRevBufBlockCache * cache)
{
  return cache->blocks.tail ? cache->blocks.tail->data : NULL;
}

static gint64
end_index (const GstRevBufBlock * block)
{
  return block->index + (gint64) block->n_frames;
}

static GList *
find_link (const GstRevBufBlockCache * cache, gint64 index)
{
  GList *link;

  for (link = cache->blocks.head; link != NULL; link = link->next) {
    GstRevBufBlock *block = link->data;

    if (index >= block->index && index < end_index (block))
      return link;
  }
  return NULL;
}

GstRevBufBlock *
gst_revbuf_block_cache_find (const GstRevBufBlockCache * cache, gint64 index)
{
  GList *link = find_link (cache, index);

  return link ? link->data : NULL;
}

guint
gst_revbuf_block_cache_count_below (const GstRevBufBlockCache * cache,
    gint64 index)
{
  GList *link;
  guint n = 0;

  for (link = cache->blocks.head; link != NULL; link = link->next)
    n += end_index (link->data) <= index;
  return n;
}

guint
gst_revbuf_block_cache_count_above (const GstRevBufBlockCache * cache,
    gint64 index)
{
  GList *link;
  guint n = 0;

  for (link = cache->blocks.tail; link != NULL; link = link->prev)
    n += ((GstRevBufBlock *) link->data)->index > index;
  return n;
}

gboolean
gst_revbuf_block_cache_index_of (const GstRevBufBlockCache * cache,
    gint64 frame, gint64 * index)
{
  GList *link;

  for (link = cache->blocks.head; link != NULL; link = link->next) {
    GstRevBufBlock *block = link->data;

    if (frame >= block->first_frame && frame <= block->end_frame) {
      /* there may be more frames than timestamps say */
      *index = frame == block->end_frame ? end_index (block) :
          MIN (block->index + (frame - block->first_frame), end_index (block));
      return TRUE;
    }
  }
  return FALSE;
}

gint64
gst_revbuf_block_cache_frame_at (const GstRevBufBlockCache * cache,
    gint64 index)
{
  GstRevBufBlock *block = gst_revbuf_block_cache_find (cache, index);

  if (block == NULL)
    block = gst_revbuf_block_cache_highest (cache);
  if (block == NULL)
    return 0;
  if (index >= end_index (block))
    return block->end_frame;
  return MIN (block->first_frame + MAX (index - block->index, 0),
      block->end_frame);
}

/* What a run is in the stream. */
static gint64
end_frame_of (const GstRevBufRun * run)
{
  return run->at_end ? run->next_frame : run->fetch.end_frame;
}

GstRevBufBlock *
gst_revbuf_block_cache_add (GstRevBufBlockCache * cache, GstRevBufRun * run,
    TimeDSPDirection direction, gsize cut)
{
  GstRevBufBlock *lowest = gst_revbuf_block_cache_lowest (cache);
  GstRevBufBlock *highest = gst_revbuf_block_cache_highest (cache);
  GstRevBufBlock *block = g_new0 (GstRevBufBlock, 1);

  block->run = run;
  block->n_frames = run->n_frames;
  block->first_frame = MAX (run->fetch.first_frame, run->first_frame);
  block->end_frame = end_frame_of (run);
  block->at_end = run->at_end;

  if (lowest == NULL) {
    block->index = block->first_frame;
    g_queue_push_head (&cache->blocks, block);
  } else if (direction == TIMEDSP_BACKWARD) {
    block->n_frames = MIN (cut, run->n_frames);
    block->end_frame = lowest->first_frame;
    block->at_end = FALSE;
    block->index = lowest->index - (gint64) block->n_frames;
    g_queue_push_head (&cache->blocks, block);
  } else {
    block->skip_frames = MIN (cut, run->n_frames);
    block->n_frames -= block->skip_frames;
    block->first_frame = highest->end_frame;
    block->end_frame = MAX (block->end_frame, block->first_frame);
    block->confirmed = TRUE;
    block->index = end_index (highest);
    g_queue_push_tail (&cache->blocks, block);
  }
  return block;
}

void
gst_revbuf_block_cache_drop_lowest (GstRevBufBlockCache * cache)
{
  gpointer block = g_queue_pop_head (&cache->blocks);

  if (block != NULL)
    block_free (block);
}

void
gst_revbuf_block_cache_drop_highest (GstRevBufBlockCache * cache)
{
  gpointer block = g_queue_pop_tail (&cache->blocks);

  if (block != NULL)
    block_free (block);
}

guint8 *
gst_revbuf_block_at (const GstRevBufBlock * block, guint plane, gint64 index)
{
  return gst_revbuf_run_at (block->run, plane,
      block->skip_frames + (gsize) (index - block->index));
}
