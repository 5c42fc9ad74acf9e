/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#define _GNU_SOURCE             /* for O_TMPFILE */
#define _FILE_OFFSET_BITS 64

#include "common/framestore.h"
#include "common/pcmbuffer.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define BLOCK_BYTES (1 << 20)
#define CACHE_LINE_BYTES 64
#define PAGE_BYTES 4096         /* blocks in the file are aligned to this size */

/* Number of bytes per write. Larger writes make the kernel (Linux 6.18) allocate larger
 * contiguous areas of memory, and a virtual machine may have to get those back from its host
 * first. Writing 1 MiB at a time took seven times as long. */
#define PIECE_BYTES (8 * PAGE_BYTES)

/* ---- errors --------------------------------------------------------------- */

static gboolean
store_fail_with_errno (GstRetroStore * store, gint code, const gchar * what,
    int error_number, GError ** error)
{
  if (error_number == EFBIG)
    g_set_error_literal (error, GST_RESOURCE_ERROR,
        GST_RESOURCE_ERROR_NO_SPACE_LEFT,
        "The limit on file sizes is too low for the temporary file: raise it "
        "(ulimit -f), or raise max-memory.");
  else if (error_number == ENOSPC || error_number == EDQUOT)
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT,
        "The disk that holds %s is full: free some space, choose another "
        "folder with spill-directory, or raise max-memory.", store->directory);
  else
    g_set_error (error, GST_RESOURCE_ERROR, code,
        "Could not %s the temporary file in %s (%s): choose another folder "
        "with spill-directory, or raise max-memory.", what,
        store->directory, g_strerror (error_number));
  return FALSE;
}

/* Aligns the block to a cache line. Otherwise, collecting takes 7 % longer. */
static gboolean
store_allocate (GstRetroStore * store, guint8 ** block, GError ** error)
{
  if (*block == NULL)
    *block = aligned_alloc (CACHE_LINE_BYTES, store->file_step);
  if (*block == NULL)
    g_set_error_literal (error, GST_RESOURCE_ERROR,
        GST_RESOURCE_ERROR_NO_SPACE_LEFT,
        "There is not enough memory to keep the audio: lower max-memory or "
        "close other programs.");
  return *block != NULL;
}

/* ---- the file ------------------------------------------------------------- */

/* Creates the file, unless it exists. It has no name, so it can't be left behind, however the
 * process ends. If the file system doesn't support O_TMPFILE, the file has a name until it's
 * unlinked here. */
static gboolean
store_open_file (GstRetroStore * store, GError ** error)
{
  g_autofree gchar *path = NULL;

#ifdef O_TMPFILE
  if (store->fd < 0)
    store->fd = g_open (store->directory, O_TMPFILE | O_EXCL | O_RDWR |
        O_CLOEXEC, 0600);
#endif
  if (store->fd >= 0)
    return TRUE;

  path = g_build_filename (store->directory, "retrograde-XXXXXX", NULL);
  store->fd = g_mkstemp_full (path, O_RDWR | O_CLOEXEC, 0600);
  if (store->fd < 0)
    return store_fail_with_errno (store, GST_RESOURCE_ERROR_OPEN_WRITE,
        "create", errno, error);
  g_unlink (path);
  return TRUE;
}

static gboolean
store_transfer (GstRetroStore * store, gboolean writes, guint8 * block,
    goffset offset, GError ** error)
{
  gsize done = 0, left;
  gssize n;

  while ((left = store->block_bytes - done) > 0) {
    n = writes ? pwrite (store->fd, block + done, MIN (left, PIECE_BYTES),
        offset + done) : pread (store->fd, block + done, left, offset + done);
    if (n > 0)
      done += n;
    else if (n == 0 || errno != EINTR)
      return store_fail_with_errno (store, writes ? GST_RESOURCE_ERROR_WRITE :
          GST_RESOURCE_ERROR_READ, writes ? "write" : "read",
          n < 0 ? errno : writes ? ENOSPC : EIO, error);
  }
  return TRUE;
}

/* Appends the block `filled` to the file. */
static gboolean
store_write_block (GstRetroStore * store, GError ** error)
{
  goffset offset = store->n_file_blocks * store->file_step;
  struct rlimit limit;

  if (!store_open_file (store, error))
    return FALSE;
  /* a write beyond the limit would raise SIGXFSZ, which ends the process */
  if (getrlimit (RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY
      && offset + store->block_bytes > limit.rlim_cur)
    return store_fail_with_errno (store, GST_RESOURCE_ERROR_WRITE, "write",
        EFBIG, error);
  if (!store_transfer (store, TRUE, store->filled, offset, error))
    return FALSE;
  store->n_file_blocks++;
  return TRUE;
}

/* Reads block @index of the file into `loaded`. We'll probably read block @next after that, if
 * there is one. */
static gboolean
store_read_block (GstRetroStore * store, guint64 index, guint64 next,
    GError ** error)
{
  goffset step = store->file_step;

  if (index == store->loaded_index)
    return TRUE;
  store->loaded_index = G_MAXUINT64;
  if (!store_allocate (store, &store->loaded, error)
      || !store_transfer (store, FALSE, store->loaded, index * step, error))
    return FALSE;
  store->loaded_index = index;
  /* Truncate the file to the blocks that we haven't read. Otherwise the kernel
   * would keep the pages of the others until we close the file, and write them
   * to disk. If truncating fails, we don't try again. */
  if (store->taking)
    store->taking = ftruncate (store->fd, index * step) == 0;
  /* let the kernel read the next block ahead */
  if (next < store->n_file_blocks)
    posix_fadvise (store->fd, next * step, step, POSIX_FADV_WILLNEED);
  return TRUE;
}

/* ---- the store ------------------------------------------------------------ */

GstRetroStore *
gst_retro_store_new (const GstAudioInfo * info, guint64 max_memory_bytes,
    const gchar * spill_directory)
{
  GstRetroStore *store = g_new0 (GstRetroStore, 1);

  store->info = *info;
  store->n_planes = gst_retro_info_planes (info);
  store->stride = gst_retro_info_plane_stride (info);
  store->block_frames = MAX (BLOCK_BYTES / GST_AUDIO_INFO_BPF (info), 1);
  store->block_bytes = store->block_frames * GST_AUDIO_INFO_BPF (info);
  store->file_step = GST_ROUND_UP_N (store->block_bytes, PAGE_BYTES);
  store->blocks = g_ptr_array_new_with_free_func (free);
  store->max_blocks = max_memory_bytes / store->block_bytes;
  store->planes = g_new (const guint8 *, store->n_planes);
  store->directory = g_strdup (spill_directory && *spill_directory != '\0' ?
      spill_directory : g_get_tmp_dir ());
  store->fd = -1;
  gst_retro_store_clear (store);
  return store;
}

void
gst_retro_store_free (GstRetroStore * store)
{
  gst_retro_store_clear (store);
  g_ptr_array_unref (store->blocks);
  free (store->filled);
  free (store->loaded);
  g_free (store->planes);
  g_free (store->directory);
  g_free (store);
}

void
gst_retro_store_clear (GstRetroStore * store)
{
  if (store->fd >= 0)
    close (store->fd);
  store->fd = -1;
  store->n_frames = store->n_file_blocks = 0;
  store->loaded_index = G_MAXUINT64;
  store->taking = FALSE;
}

guint64
gst_retro_store_get_spilled_bytes (const GstRetroStore * store)
{
  return store->n_file_blocks * store->block_bytes;
}

/* ---- writing ---------------------------------------------------------------- */

/* Returns the block that the next frame goes into, or NULL if memory can't be allocated. */
static guint8 *
store_block_to_fill (GstRetroStore * store, GError ** error)
{
  guint64 index = store->n_frames / store->block_frames;
  guint8 *block = NULL;

  if (index == store->blocks->len && index < store->max_blocks) {
    if (store_allocate (store, &block, NULL))
      g_ptr_array_add (store->blocks, block);
    else                        /* the machine has less memory than max-memory: use the file */
      store->max_blocks = index;
  }
  if (index < store->blocks->len)
    return g_ptr_array_index (store->blocks, index);
  return store_allocate (store, &store->filled, error) ? store->filled : NULL;
}

gboolean
gst_retro_store_append (GstRetroStore * store, GstBuffer * buffer, gsize first,
    gsize n_frames, GError ** error)
{
  gsize stride = store->stride, at, n;
  guint8 *block = NULL, *to;
  GstAudioBuffer audio;
  gboolean ok = TRUE;
  guint p;

  if (buffer != NULL
      && !gst_audio_buffer_map (&audio, &store->info, buffer, GST_MAP_READ)) {
    g_set_error_literal (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
        "The audio does not match its caps: check the element upstream.");
    return FALSE;
  }
  for (; ok && n_frames > 0; n_frames -= n, first += n) {
    at = store->n_frames % store->block_frames;
    n = MIN (n_frames, store->block_frames - at);
    block = store_block_to_fill (store, error);
    for (p = 0; block != NULL && p < store->n_planes; p++) {
      to = block + (p * store->block_frames + at) * stride;
      if (buffer != NULL)
        memcpy (to, (guint8 *) audio.planes[p] + first * stride, n * stride);
      else
        gst_audio_format_info_fill_silence (store->info.finfo, to, n * stride);
    }
    ok = block != NULL && (block != store->filled
        || at + n < store->block_frames || store_write_block (store, error));
    store->n_frames += ok ? n : 0;
  }
  if (buffer != NULL)
    gst_audio_buffer_unmap (&audio);
  return ok;
}

gboolean
gst_retro_store_read (GstRetroStore * store, guint64 frame, gboolean backwards,
    GstRetroSpan * span, GError ** error)
{
  guint64 index = frame / store->block_frames, in_file;
  guint64 first = index * store->block_frames;
  const guint8 *block;
  guint p;

  store->taking |= backwards;
  span->first_frame = backwards ? first : frame;
  span->n_frames = (backwards ? frame + 1 :
      MIN (first + store->block_frames, store->n_frames)) - span->first_frame;

  if (index < store->blocks->len) {
    block = g_ptr_array_index (store->blocks, index);
  } else if ((in_file = index - store->blocks->len) == store->n_file_blocks) {
    block = store->filled;
  } else {
    if (!store_read_block (store, in_file,
            backwards ? in_file - 1 : in_file + 1, error))
      return FALSE;
    block = store->loaded;
  }
  for (p = 0; p < store->n_planes; p++)
    store->planes[p] = block + (p * store->block_frames + span->first_frame
        - first) * store->stride;
  span->planes = store->planes;
  return TRUE;
}
