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
#include <sys/resource.h>
#include <unistd.h>

#define PAGE_BYTES 4096         /* blocks in the file are aligned to this size */

/* Number of bytes in one write. For larger writes, the kernel (Linux 6.18) allocates larger
 * contiguous areas of memory, which a virtual machine may first have to get back from its
 * host: writing 1 MiB at a time took seven times as long. */
#define PIECE_BYTES (8 * PAGE_BYTES)

struct _RetroStore
{
  TimeStore *frames;            /* NULL: allocation failed */
  gchar *directory;             /* folder of the file */
  int fd;                       /* -1: there is no file yet */
  guint64 n_blocks;             /* number of blocks in the file */
  gboolean taking;              /* frames that have been read are not needed again */
  GError *error;                /* the last failure of the file */
};

/* ---- the file ------------------------------------------------------------- */

static int
fail_with_errno (GstRetroStore * store, gint code, const gchar * what,
    int error_number)
{
  g_clear_error (&store->error);
  if (error_number == EFBIG)
    g_set_error_literal (&store->error, GST_RESOURCE_ERROR,
        GST_RESOURCE_ERROR_NO_SPACE_LEFT,
        "The limit on file sizes is too low for the temporary file: raise it "
        "(ulimit -f), or raise max-memory.");
  else if (error_number == ENOSPC || error_number == EDQUOT)
    g_set_error (&store->error, GST_RESOURCE_ERROR,
        GST_RESOURCE_ERROR_NO_SPACE_LEFT,
        "The disk that holds %s is full: free some space, choose another "
        "folder with spill-directory, or raise max-memory.", store->directory);
  else
    g_set_error (&store->error, GST_RESOURCE_ERROR, code,
        "Could not %s the temporary file in %s (%s): choose another folder "
        "with spill-directory, or raise max-memory.", what,
        store->directory, g_strerror (error_number));
  return FALSE;
}

/* Creates the file, unless it exists. It has no name, so that it never remains on disk,
 * however the process ends. If the file system does not support O_TMPFILE, the file has a
 * name until it is unlinked here. */
static int
open_file (GstRetroStore * store)
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
    return fail_with_errno (store, GST_RESOURCE_ERROR_OPEN_WRITE, "create",
        errno);
  g_unlink (path);
  return TRUE;
}

static void
close_file (GstRetroStore * store)
{
  if (store->fd >= 0)
    close (store->fd);
  store->fd = -1;
  store->n_blocks = 0;
  store->taking = FALSE;
}

static int
write_block (gpointer owner, gconstpointer block, gsize bytes)
{
  GstRetroStore *store = owner;
  goffset offset = store->n_blocks * GST_ROUND_UP_N (bytes, PAGE_BYTES);
  struct rlimit limit;
  gsize done = 0;

  if (!open_file (store))
    return FALSE;
  /* a write beyond the limit would raise SIGXFSZ, which ends the process */
  if (getrlimit (RLIMIT_FSIZE, &limit) == 0
      && limit.rlim_cur != RLIM_INFINITY && offset + bytes > limit.rlim_cur)
    return fail_with_errno (store, GST_RESOURCE_ERROR_WRITE, "write", EFBIG);
  while (done < bytes) {
    gssize n = pwrite (store->fd, (const guint8 *) block + done,
        MIN (bytes - done, PIECE_BYTES), offset + done);

    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return fail_with_errno (store, GST_RESOURCE_ERROR_WRITE, "write",
          n < 0 ? errno : ENOSPC);
    done += n;
  }
  store->n_blocks++;
  return TRUE;
}

static int
read_block (gpointer owner, guint64 index, gpointer block, gsize bytes,
    guint64 next_index)
{
  GstRetroStore *store = owner;
  gsize step = GST_ROUND_UP_N (bytes, PAGE_BYTES), done = 0;

  while (done < bytes) {
    gssize n = pread (store->fd, (guint8 *) block + done, bytes - done,
        index * step + done);

    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return fail_with_errno (store, GST_RESOURCE_ERROR_READ, "read",
          n < 0 ? errno : EIO);
    done += n;
  }
  /* Truncate the file to the blocks that have not been read. Otherwise, the kernel would
   * keep the pages of the other blocks until the file is closed, and write them to the disk.
   * If truncating fails, it is not tried again. */
  if (store->taking)
    store->taking = ftruncate (store->fd, index * step) == 0;
  /* let the kernel read the next block ahead */
  if (next_index < store->n_blocks)
    posix_fadvise (store->fd, next_index * step, bytes, POSIX_FADV_WILLNEED);
  return TRUE;
}

/* ---- the store ------------------------------------------------------------ */

GstRetroStore *
gst_retro_store_new (const GstAudioInfo * info, guint64 max_memory_bytes,
    const gchar * spill_directory)
{
  GstRetroStore *store = g_new0 (GstRetroStore, 1);
  const TimeStoreFile file = { store, write_block, read_block };

  store->frames = timestore_new (gst_retro_info_planes (info),
      gst_retro_info_plane_stride (info), max_memory_bytes, &file);
  store->directory = g_strdup (spill_directory && *spill_directory != '\0' ?
      spill_directory : g_get_tmp_dir ());
  store->fd = -1;
  return store;
}

void
gst_retro_store_free (GstRetroStore * store)
{
  timestore_free (store->frames);
  close_file (store);
  g_free (store->directory);
  g_clear_error (&store->error);
  g_free (store);
}

void
gst_retro_store_clear (GstRetroStore * store)
{
  timestore_clear (store->frames);
  close_file (store);
}

guint64
gst_retro_store_get_frames (const GstRetroStore * store)
{
  return timestore_count (store->frames);
}

guint64
gst_retro_store_get_spilled_bytes (const GstRetroStore * store)
{
  return timestore_file_bytes (store->frames);
}

/* If @ok is FALSE, sets @error to the error of the file. If the file reported no error,
 * allocation failed, and @error says so. Returns @ok. */
static gboolean
check (GstRetroStore * store, gboolean ok, GError ** error)
{
  if (!ok && store->error == NULL)
    g_set_error_literal (&store->error, GST_RESOURCE_ERROR,
        GST_RESOURCE_ERROR_NO_SPACE_LEFT,
        "There is not enough memory to keep the audio: lower max-memory or "
        "close other programs.");
  if (!ok)
    g_propagate_error (error, g_steal_pointer (&store->error));
  return ok;
}

gboolean
gst_retro_store_take_before (GstRetroStore * store, guint64 end,
    GstRetroSpan * span, GError ** error)
{
  store->taking = TRUE;
  return check (store, timestore_peek (store->frames, end, TRUE, span), error);
}

gboolean
gst_retro_store_peek_from (GstRetroStore * store, guint64 first,
    GstRetroSpan * span, GError ** error)
{
  return check (store, timestore_peek (store->frames, first, FALSE, span),
      error);
}

gboolean
gst_retro_store_append_frames (GstRetroStore * store, GstBuffer * buffer,
    const GstAudioInfo * info, gsize first, gsize n_frames, GError ** error)
{
  gsize skip_bytes = first * gst_retro_info_plane_stride (info);
  GstAudioBuffer audio;
  gconstpointer *planes;
  gboolean ok;
  gint p;

  if (!gst_audio_buffer_map (&audio, info, buffer, GST_MAP_READ)) {
    g_set_error_literal (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
        "The audio does not match its caps: check the element upstream.");
    return FALSE;
  }

  planes = g_newa (gconstpointer, audio.n_planes);
  for (p = 0; p < audio.n_planes; p++)
    planes[p] = (guint8 *) audio.planes[p] + skip_bytes;
  ok = timestore_append (store->frames, planes, n_frames);
  gst_audio_buffer_unmap (&audio);
  return check (store, ok, error);
}
