/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Frames live in blocks of equal size, planes one after the other inside a
 * block. The first blocks stay in memory; a later one is filled in `tail` and
 * written out when it is full. A block that is read back goes to `loaded`.
 */

#define _GNU_SOURCE             /* for O_TMPFILE */
#define _FILE_OFFSET_BITS 64

#include "retrostore.h"
#include "retrobuffer.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#define BLOCK_BYTES (1 << 20)
#define NO_BLOCK G_MAXUINT64

struct _RetroStore
{
  guint n_planes;
  gsize stride_bytes;           /* between frames of a plane */
  gsize block_frames;
  gsize block_bytes;
  guint64 max_memory_blocks;
  gchar *spill_directory;

  guint64 n_frames;
  GPtrArray *blocks;            /* in memory: block 0, 1, … */
  guint8 *tail;                 /* the block being filled, once memory is full */
  guint8 *loaded;               /* a block read back from the file */
  guint64 loaded_index;         /* which; NO_BLOCK: none */
  int fd;                       /* the unlinked file; -1: none yet */
  guint64 spilled_bytes;

  const guint8 **span_planes;   /* what RetroSpan points at */
};

RetroStore *
retro_store_new (const GstAudioInfo * info, guint64 max_memory_bytes,
    const gchar * spill_directory)
{
  RetroStore *store = g_new0 (RetroStore, 1);
  gsize frame_bytes = GST_AUDIO_INFO_BPF (info);

  store->n_planes = retro_info_planes (info);
  store->stride_bytes = retro_info_plane_stride (info);
  store->block_frames = MAX (BLOCK_BYTES / frame_bytes, 1);
  store->block_bytes = store->block_frames * frame_bytes;
  store->max_memory_blocks = max_memory_bytes / store->block_bytes;
  store->spill_directory = g_strdup (spill_directory);
  store->blocks = g_ptr_array_new_with_free_func (g_free);
  store->loaded_index = NO_BLOCK;
  store->fd = -1;
  store->span_planes = g_new0 (const guint8 *, store->n_planes);
  return store;
}

void
retro_store_free (RetroStore * store)
{
  if (store == NULL)
    return;
  if (store->fd >= 0)
    close (store->fd);
  g_ptr_array_unref (store->blocks);
  g_free (store->tail);
  g_free (store->loaded);
  g_free (store->spill_directory);
  g_free (store->span_planes);
  g_free (store);
}

void
retro_store_clear (RetroStore * store)
{
  store->n_frames = 0;
  store->loaded_index = NO_BLOCK;
  store->spilled_bytes = 0;
  if (store->fd >= 0) {
    /* gives the disk space back now, not when the element goes away */
    close (store->fd);
    store->fd = -1;
  }
}

guint64
retro_store_get_frames (const RetroStore * store)
{
  return store->n_frames;
}

guint64
retro_store_get_spilled_bytes (const RetroStore * store)
{
  return store->spilled_bytes;
}

/* ---- the file ----------------------------------------------------------- */

static const gchar *
spill_directory (const RetroStore * store)
{
  return store->spill_directory ? store->spill_directory : g_get_tmp_dir ();
}

static gboolean
fail_with_errno (const RetroStore * store, gint code, const gchar * what,
    int error_number, GError ** error)
{
  if (error_number == ENOSPC || error_number == EDQUOT || error_number == EFBIG)
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT,
        "The disk that holds %s is full: free some space, choose another "
        "folder with spill-directory, or raise max-memory.",
        spill_directory (store));
  else
    g_set_error (error, GST_RESOURCE_ERROR, code,
        "Could not %s the temporary file in %s (%s): choose another folder "
        "with spill-directory, or raise max-memory.", what,
        spill_directory (store), g_strerror (error_number));
  return FALSE;
}

/* A file that never has a name is not left behind by whatever ends the process.
 * Not every file system has them; there it has one for an instant. */
static int
open_nameless (const gchar * folder)
{
#ifdef O_TMPFILE
  return g_open (folder, O_TMPFILE | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
#else
  return -1;
#endif
}

static gboolean
open_file (RetroStore * store, GError ** error)
{
  gchar *path;

  if (store->fd < 0)
    store->fd = open_nameless (spill_directory (store));
  if (store->fd >= 0)
    return TRUE;

  path = g_build_filename (spill_directory (store), "retrograde-XXXXXX", NULL);
  store->fd = g_mkstemp_full (path, O_RDWR | O_CLOEXEC, 0600);
  if (store->fd < 0) {
    int error_number = errno;

    g_free (path);
    return fail_with_errno (store, GST_RESOURCE_ERROR_OPEN_WRITE, "create",
        error_number, error);
  }
  g_unlink (path);
  g_free (path);
  return TRUE;
}

static goffset
file_offset (const RetroStore * store, guint64 block)
{
  return (block - store->max_memory_blocks) * store->block_bytes;
}

static gboolean
write_tail (RetroStore * store, guint64 block, GError ** error)
{
  goffset offset = file_offset (store, block);
  gsize done = 0;

  if (!open_file (store, error))
    return FALSE;

  while (done < store->block_bytes) {
    gssize n = pwrite (store->fd, store->tail + done,
        store->block_bytes - done, offset + done);

    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return fail_with_errno (store, GST_RESOURCE_ERROR_WRITE, "write",
          n < 0 ? errno : ENOSPC, error);
    done += n;
  }
  store->spilled_bytes += store->block_bytes;
  return TRUE;
}

static gboolean
allocate (guint8 ** memory, gsize bytes, GError ** error)
{
  if (*memory == NULL)
    *memory = g_try_malloc (bytes);
  if (*memory == NULL)
    g_set_error_literal (error, GST_RESOURCE_ERROR,
        GST_RESOURCE_ERROR_NO_SPACE_LEFT,
        "There is not enough memory to keep the audio: lower max-memory or "
        "close other programs.");
  return *memory != NULL;
}

static gboolean
load_block (RetroStore * store, guint64 block, GError ** error)
{
  goffset offset = file_offset (store, block);
  gsize done = 0;

  if (store->loaded_index == block)
    return TRUE;
  if (!allocate (&store->loaded, store->block_bytes, error))
    return FALSE;

  store->loaded_index = NO_BLOCK;
  while (done < store->block_bytes) {
    gssize n = pread (store->fd, store->loaded + done,
        store->block_bytes - done, offset + done);

    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return fail_with_errno (store, GST_RESOURCE_ERROR_READ, "read",
          n < 0 ? errno : EIO, error);
    done += n;
  }
  store->loaded_index = block;
  return TRUE;
}

/* ---- writing ------------------------------------------------------------ */

/* Where block @block is filled: in memory as long as there may be more of it,
 * else in the tail. */
static guint8 *
block_to_fill (RetroStore * store, guint64 block, GError ** error)
{
  if (block < store->blocks->len)
    return g_ptr_array_index (store->blocks, block);

  if (block < store->max_memory_blocks) {
    guint8 *memory = g_try_malloc (store->block_bytes);

    if (memory != NULL) {
      g_ptr_array_add (store->blocks, memory);
      return memory;
    }
    /* the machine has less than we were allowed: go on with the file */
    store->max_memory_blocks = block;
  }
  return allocate (&store->tail, store->block_bytes, error) ?
      store->tail : NULL;
}

static guint8 *
plane_at (const RetroStore * store, guint8 * block, guint plane, gsize frame)
{
  return block + (plane * store->block_frames + frame) * store->stride_bytes;
}

gboolean
retro_store_append (RetroStore * store, const gpointer * planes,
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

    if (at + n == store->block_frames && memory == store->tail
        && !write_tail (store, block, error))
      return FALSE;
    store->n_frames += n;
    done += n;
  }
  return TRUE;
}

/* ---- reading ------------------------------------------------------------ */

static guint8 *
block_to_read (RetroStore * store, guint64 block, GError ** error)
{
  if (block < store->max_memory_blocks)
    return g_ptr_array_index (store->blocks, block);

  /* the last one may still be in the tail, unwritten */
  if (block == store->n_frames / store->block_frames)
    return store->tail;
  return load_block (store, block, error) ? store->loaded : NULL;
}

static gboolean
peek (RetroStore * store, guint64 block, gsize first, gsize n_frames,
    RetroSpan * span, GError ** error)
{
  guint8 *memory = block_to_read (store, block, error);
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
retro_store_peek_before (RetroStore * store, guint64 end, RetroSpan * span,
    GError ** error)
{
  guint64 block = (end - 1) / store->block_frames;

  return peek (store, block, 0, end - block * store->block_frames, span, error);
}

gboolean
retro_store_peek_from (RetroStore * store, guint64 first, RetroSpan * span,
    GError ** error)
{
  guint64 block = first / store->block_frames;
  gsize at = first % store->block_frames;
  guint64 left = store->n_frames - first;

  return peek (store, block, at, MIN (store->block_frames - at, left), span,
      error);
}
