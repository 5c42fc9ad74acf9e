/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Frames live in blocks of equal size, planes one after the other inside a
 * block. The first blocks stay in memory, the later ones go to a file.
 */

#include "common/framestore.h"
#include "common/pcmbuffer.h"
#include "common/spillfile.h"

#include <string.h>

#define BLOCK_BYTES (1 << 20)
#define NO_BLOCK G_MAXUINT64

struct _RetroStore
{
  guint n_planes;
  gsize stride_bytes;           /* between frames of a plane */
  gsize block_frames;
  gsize block_bytes;
  guint64 max_memory_blocks;

  guint64 n_frames;
  GPtrArray *blocks;            /* in memory: block 0, 1, … */
  GstRetroSpill spill;          /* the later blocks that are full */
  guint8 *filled;               /* the one behind them, once memory is full */
  guint8 *loaded;               /* one that was read … */
  guint64 loaded_block;         /* … which that is; NO_BLOCK: none */

  const guint8 **span_planes;   /* GstRetroSpan points here */
};

GstRetroStore *
gst_retro_store_new (const GstAudioInfo * info, guint64 max_memory_bytes,
    const gchar * spill_directory)
{
  GstRetroStore *store = g_new0 (GstRetroStore, 1);
  gsize frame_bytes = GST_AUDIO_INFO_BPF (info);

  store->n_planes = gst_retro_info_planes (info);
  store->stride_bytes = gst_retro_info_plane_stride (info);
  store->block_frames = MAX (BLOCK_BYTES / frame_bytes, 1);
  store->block_bytes = store->block_frames * frame_bytes;
  store->max_memory_blocks = max_memory_bytes / store->block_bytes;
  store->blocks = g_ptr_array_new_with_free_func (g_free);
  gst_retro_spill_init (&store->spill, spill_directory, store->block_bytes);
  store->loaded_block = NO_BLOCK;
  store->span_planes = g_new0 (const guint8 *, store->n_planes);
  return store;
}

void
gst_retro_store_free (GstRetroStore * store)
{
  if (store == NULL)
    return;
  g_ptr_array_unref (store->blocks);
  gst_retro_spill_close (&store->spill);
  g_free (store->spill.directory);
  g_free (store->filled);
  g_free (store->loaded);
  g_free (store->span_planes);
  g_free (store);
}

void
gst_retro_store_clear (GstRetroStore * store)
{
  store->n_frames = 0;
  store->loaded_block = NO_BLOCK;
  gst_retro_spill_close (&store->spill);
}

guint64
gst_retro_store_get_frames (const GstRetroStore * store)
{
  return store->n_frames;
}

guint64
gst_retro_store_get_spilled_bytes (const GstRetroStore * store)
{
  return store->spill.n_blocks * store->block_bytes;
}

static gboolean
allocate (const GstRetroStore * store, guint8 ** memory, GError ** error)
{
  if (*memory == NULL)
    *memory = g_try_malloc (store->block_bytes);
  if (*memory == NULL)
    g_set_error_literal (error, GST_RESOURCE_ERROR,
        GST_RESOURCE_ERROR_NO_SPACE_LEFT,
        "There is not enough memory to keep the audio: lower max-memory or "
        "close other programs.");
  return *memory != NULL;
}

static guint8 *
plane_at (const GstRetroStore * store, guint8 * block, guint plane, gsize frame)
{
  return block + (plane * store->block_frames + frame) * store->stride_bytes;
}

/* ---- writing ------------------------------------------------------------ */

/* Where @block is filled: in memory while the limit allows it. */
static guint8 *
block_to_fill (GstRetroStore * store, guint64 block, GError ** error)
{
  guint8 *memory = NULL;

  if (block < store->blocks->len)
    return g_ptr_array_index (store->blocks, block);

  if (block < store->max_memory_blocks) {
    if (allocate (store, &memory, NULL)) {
      g_ptr_array_add (store->blocks, memory);
      return memory;
    }
    /* the machine has less memory than the limit allows: go on with the file */
    store->max_memory_blocks = block;
  }
  return allocate (store, &store->filled, error) ? store->filled : NULL;
}

gboolean
gst_retro_store_append (GstRetroStore * store, const gpointer * planes,
    gsize n_frames, GError ** error)
{
  gsize done = 0;

  while (done < n_frames) {
    guint64 block = store->n_frames / store->block_frames;
    gsize at = store->n_frames % store->block_frames;
    gsize n = MIN (n_frames - done, store->block_frames - at);
    guint8 *memory = block_to_fill (store, block, error);
    guint p;

    if (memory == NULL)
      return FALSE;
    for (p = 0; p < store->n_planes; p++)
      memcpy (plane_at (store, memory, p, at),
          (const guint8 *) planes[p] + done * store->stride_bytes,
          n * store->stride_bytes);

    if (at + n == store->block_frames && memory == store->filled
        && !gst_retro_spill_write (&store->spill, memory, error))
      return FALSE;
    store->n_frames += n;
    done += n;
  }
  return TRUE;
}

/* ---- reading ------------------------------------------------------------ */

/* @step: which block is likely to be read next, the one before (-1) or after (1). */
static guint8 *
block_to_read (GstRetroStore * store, guint64 block, gint step, GError ** error)
{
  guint64 index = block - store->max_memory_blocks;

  if (block < store->max_memory_blocks)
    return g_ptr_array_index (store->blocks, block);
  if (index == store->spill.n_blocks)
    return store->filled;
  if (block == store->loaded_block)
    return store->loaded;

  store->loaded_block = NO_BLOCK;
  if (!allocate (store, &store->loaded, error)
      || !gst_retro_spill_read (&store->spill, index, store->loaded,
          index + step, error))
    return NULL;
  store->loaded_block = block;
  return store->loaded;
}

/* @span begins at frame @first of @block. Which is likely to be read next, see above. */
static gboolean
peek (GstRetroStore * store, guint64 block, gsize first, gsize n_frames,
    gint step, GstRetroSpan * span, GError ** error)
{
  guint8 *memory = block_to_read (store, block, step, error);
  guint p;

  if (memory == NULL)
    return FALSE;
  for (p = 0; p < store->n_planes; p++)
    store->span_planes[p] = plane_at (store, memory, p, first);
  span->planes = store->span_planes;
  span->first_frame = block * store->block_frames + first;
  span->n_frames = n_frames;
  return TRUE;
}

gboolean
gst_retro_store_peek_before (GstRetroStore * store, guint64 end,
    GstRetroSpan * span, GError ** error)
{
  guint64 block = (end - 1) / store->block_frames;

  return peek (store, block, 0, end - block * store->block_frames, -1, span,
      error);
}

gboolean
gst_retro_store_peek_from (GstRetroStore * store, guint64 first,
    GstRetroSpan * span, GError ** error)
{
  guint64 block = first / store->block_frames;
  gsize at = first % store->block_frames;

  return peek (store, block, at, MIN (store->block_frames - at,
          store->n_frames - first), 1, span, error);
}
