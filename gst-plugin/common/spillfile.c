/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#define _GNU_SOURCE             /* for O_TMPFILE */
#define _FILE_OFFSET_BITS 64

#include "common/spillfile.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <sys/resource.h>
#include <unistd.h>

#define PAGE_BYTES 4096         /* every block begins at a multiple of it */

void
gst_retro_spill_init (GstRetroSpill * spill, const gchar * directory,
    gsize block_bytes)
{
  spill->directory = g_strdup (directory != NULL && *directory != '\0' ?
      directory : g_get_tmp_dir ());
  spill->block_bytes = block_bytes;
  spill->fd = -1;
  spill->n_blocks = 0;
}

void
gst_retro_spill_close (GstRetroSpill * spill)
{
  if (spill->fd >= 0)
    close (spill->fd);
  spill->fd = -1;
  spill->n_blocks = 0;
}

static gboolean
fail_with_errno (const GstRetroSpill * spill, gint code, const gchar * what,
    int error_number, GError ** error)
{
  if (error_number == EFBIG)
    g_set_error_literal (error, GST_RESOURCE_ERROR,
        GST_RESOURCE_ERROR_NO_SPACE_LEFT,
        "The temporary file may not become as large as the audio: raise the "
        "limit of file sizes (ulimit -f), or raise max-memory.");
  else if (error_number == ENOSPC || error_number == EDQUOT)
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT,
        "The disk that holds %s is full: free some space, choose another "
        "folder with spill-directory, or raise max-memory.", spill->directory);
  else
    g_set_error (error, GST_RESOURCE_ERROR, code,
        "Could not %s the temporary file in %s (%s): choose another folder "
        "with spill-directory, or raise max-memory.", what,
        spill->directory, g_strerror (error_number));
  return FALSE;
}

/* A file without a name is never left behind, however the process ends. On a file
 * system without such files it has a name for an instant. */
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
open_file (GstRetroSpill * spill, GError ** error)
{
  g_autofree gchar *path = NULL;

  if (spill->fd < 0)
    spill->fd = open_nameless (spill->directory);
  if (spill->fd >= 0)
    return TRUE;

  path = g_build_filename (spill->directory, "retrograde-XXXXXX", NULL);
  spill->fd = g_mkstemp_full (path, O_RDWR | O_CLOEXEC, 0600);
  if (spill->fd < 0)
    return fail_with_errno (spill, GST_RESOURCE_ERROR_OPEN_WRITE, "create",
        errno, error);
  g_unlink (path);
  return TRUE;
}

static goffset
file_offset (const GstRetroSpill * spill, guint64 index)
{
  return index * GST_ROUND_UP_N (spill->block_bytes, PAGE_BYTES);
}

/* Whether the file may not become @end_bytes long. Writing there would end the process
 * by a signal. */
static gboolean
is_over_limit (guint64 end_bytes)
{
  struct rlimit limit;

  return getrlimit (RLIMIT_FSIZE, &limit) == 0
      && limit.rlim_cur != RLIM_INFINITY && end_bytes > limit.rlim_cur;
}

gboolean
gst_retro_spill_write (GstRetroSpill * spill, const guint8 * block,
    GError ** error)
{
  goffset offset = file_offset (spill, spill->n_blocks);
  gsize done = 0;

  if (!open_file (spill, error))
    return FALSE;
  if (is_over_limit (offset + spill->block_bytes))
    return fail_with_errno (spill, GST_RESOURCE_ERROR_WRITE, "write", EFBIG,
        error);
  while (done < spill->block_bytes) {
    gssize n = pwrite (spill->fd, block + done, spill->block_bytes - done,
        offset + done);

    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return fail_with_errno (spill, GST_RESOURCE_ERROR_WRITE, "write",
          n < 0 ? errno : ENOSPC, error);
    done += n;
  }
  spill->n_blocks++;
  return TRUE;
}

gboolean
gst_retro_spill_read (GstRetroSpill * spill, guint64 index, guint8 * block,
    guint64 next_index, GError ** error)
{
  goffset offset = file_offset (spill, index);
  gsize done = 0;

  while (done < spill->block_bytes) {
    gssize n = pread (spill->fd, block + done, spill->block_bytes - done,
        offset + done);

    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return fail_with_errno (spill, GST_RESOURCE_ERROR_READ, "read",
          n < 0 ? errno : EIO, error);
    done += n;
  }
  /* let the kernel read the next one meanwhile */
  if (next_index < spill->n_blocks)
    posix_fadvise (spill->fd, file_offset (spill, next_index),
        spill->block_bytes, POSIX_FADV_WILLNEED);
  return TRUE;
}
