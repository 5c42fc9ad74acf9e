/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * There are three blocks in memory. The caller fills one; the thread writes or reads
 * one; one has been read and belongs to the caller. The thread has one job at a time,
 * and the caller waits for it before it starts the next.
 */

#define _GNU_SOURCE             /* for O_TMPFILE */
#define _FILE_OFFSET_BITS 64

#include "common/spillfile.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <unistd.h>

#define PAGE_BYTES 4096         /* every block begins at a multiple of it */
#define NO_BLOCK G_MAXUINT64

typedef enum
{
  JOB_NONE,
  JOB_WRITE,
  JOB_READ,
  JOB_QUIT
} Job;

struct _RetroSpill
{
  gchar *directory;
  gsize block_bytes;
  int fd;                       /* -1: none yet */
  guint64 n_blocks;             /* that were given to the file */

  guint8 *filled;               /* will be written next */
  guint8 *loaded;               /* has been read */
  guint64 loaded_index;         /* which block that is; NO_BLOCK: none */

  GThread *thread;              /* NULL: not needed yet, or it could not be started */
  GMutex lock;
  GCond changed;
  Job job;                      /* under the lock */

  /* belong to the thread while it has a job, otherwise to the caller */
  guint8 *busy;
  guint64 busy_index;           /* which block is in it; NO_BLOCK: none */
  GError *error;                /* of the last job */
};

GstRetroSpill *
gst_retro_spill_new (const gchar * directory, gsize block_bytes)
{
  GstRetroSpill *spill = g_new0 (GstRetroSpill, 1);

  spill->directory = g_strdup (directory != NULL && *directory != '\0' ?
      directory : g_get_tmp_dir ());
  spill->block_bytes = block_bytes;
  spill->fd = -1;
  spill->loaded_index = spill->busy_index = NO_BLOCK;
  g_mutex_init (&spill->lock);
  g_cond_init (&spill->changed);
  return spill;
}

guint64
gst_retro_spill_get_bytes (const GstRetroSpill * spill)
{
  return spill->n_blocks * spill->block_bytes;
}

/* ---- the file ----------------------------------------------------------- */

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
  gchar *path;

  if (spill->fd < 0)
    spill->fd = open_nameless (spill->directory);
  if (spill->fd >= 0)
    return TRUE;

  path = g_build_filename (spill->directory, "retrograde-XXXXXX", NULL);
  spill->fd = g_mkstemp_full (path, O_RDWR | O_CLOEXEC, 0600);
  if (spill->fd < 0) {
    int error_number = errno;

    g_free (path);
    return fail_with_errno (spill, GST_RESOURCE_ERROR_OPEN_WRITE, "create",
        error_number, error);
  }
  g_unlink (path);
  g_free (path);
  return TRUE;
}

static goffset
file_offset (const GstRetroSpill * spill, guint64 index)
{
  return index * GST_ROUND_UP_N (spill->block_bytes, PAGE_BYTES);
}

/* One system call. Returns the bytes moved, or -1. */
static gssize
move_piece (const GstRetroSpill * spill, Job job, gsize done)
{
  goffset offset = file_offset (spill, spill->busy_index) + done;
  gsize left = spill->block_bytes - done;

  return job == JOB_WRITE ?
      pwrite (spill->fd, spill->busy + done, left, offset) :
      pread (spill->fd, spill->busy + done, left, offset);
}

/* Writes or reads the busy block. */
static gboolean
move_block (const GstRetroSpill * spill, Job job, GError ** error)
{
  gboolean writes = job == JOB_WRITE;
  gsize done = 0;

  while (done < spill->block_bytes) {
    gssize n = move_piece (spill, job, done);

    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return fail_with_errno (spill,
          writes ? GST_RESOURCE_ERROR_WRITE : GST_RESOURCE_ERROR_READ,
          writes ? "write" : "read",
          n < 0 ? errno : writes ? ENOSPC : EIO, error);
    done += n;
  }
  return TRUE;
}

/* ---- the thread --------------------------------------------------------- */

/* A file that reaches `ulimit -f` is an error, and must not end the process. In glibc
 * and musl, sigprocmask() sets the mask of the calling thread. pthread_sigmask() would
 * need glibc 2.32. */
static void
block_size_signal (void)
{
  sigset_t signals;

  sigemptyset (&signals);
  sigaddset (&signals, SIGXFSZ);
  sigprocmask (SIG_BLOCK, &signals, NULL);
}

static gpointer
run_jobs (gpointer data)
{
  GstRetroSpill *spill = data;

  block_size_signal ();
  g_mutex_lock (&spill->lock);
  while (spill->job != JOB_QUIT) {
    if (spill->job == JOB_NONE) {
      g_cond_wait (&spill->changed, &spill->lock);
      continue;
    }
    g_mutex_unlock (&spill->lock);
    move_block (spill, spill->job, &spill->error);
    g_mutex_lock (&spill->lock);
    spill->job = JOB_NONE;
    g_cond_signal (&spill->changed);
  }
  g_mutex_unlock (&spill->lock);
  return NULL;
}

/* Waits until the busy block belongs to the caller. Fails if the last job did. */
static gboolean
finish_job (GstRetroSpill * spill, GError ** error)
{
  g_mutex_lock (&spill->lock);
  while (spill->job != JOB_NONE)
    g_cond_wait (&spill->changed, &spill->lock);
  g_mutex_unlock (&spill->lock);

  if (spill->error == NULL)
    return TRUE;
  spill->busy_index = NO_BLOCK;
  g_propagate_error (error, g_steal_pointer (&spill->error));
  return FALSE;
}

static void
give_job (GstRetroSpill * spill, Job job)
{
  g_mutex_lock (&spill->lock);
  spill->job = job;
  g_cond_signal (&spill->changed);
  g_mutex_unlock (&spill->lock);
}

/* The last job has finished, and `busy` is the block to write or to read into. */
static void
start_job (GstRetroSpill * spill, Job job, guint64 index)
{
  spill->busy_index = index;
  if (spill->thread == NULL)
    spill->thread = g_thread_try_new ("retro-spill", run_jobs, spill, NULL);
  if (spill->thread != NULL)
    give_job (spill, job);
  else
    move_block (spill, job, &spill->error);
}

void
gst_retro_spill_clear (GstRetroSpill * spill)
{
  finish_job (spill, NULL);
  spill->loaded_index = spill->busy_index = NO_BLOCK;
  spill->n_blocks = 0;
  if (spill->fd >= 0)
    close (spill->fd);
  spill->fd = -1;
}

void
gst_retro_spill_free (GstRetroSpill * spill)
{
  if (spill == NULL)
    return;
  gst_retro_spill_clear (spill);
  if (spill->thread != NULL) {
    give_job (spill, JOB_QUIT);
    g_thread_join (spill->thread);
  }
  g_mutex_clear (&spill->lock);
  g_cond_clear (&spill->changed);
  g_free (spill->filled);
  g_free (spill->busy);
  g_free (spill->loaded);
  g_free (spill->directory);
  g_free (spill);
}

/* ---- blocks ------------------------------------------------------------- */

static gboolean
allocate (const GstRetroSpill * spill, guint8 ** memory, GError ** error)
{
  if (*memory == NULL)
    *memory = g_try_malloc (spill->block_bytes);
  if (*memory == NULL)
    g_set_error_literal (error, GST_RESOURCE_ERROR,
        GST_RESOURCE_ERROR_NO_SPACE_LEFT,
        "There is not enough memory to keep the audio: lower max-memory or "
        "close other programs.");
  return *memory != NULL;
}

static void
swap (guint8 ** a, guint8 ** b)
{
  guint8 *c = *a;

  *a = *b;
  *b = c;
}

guint8 *
gst_retro_spill_get_filled (GstRetroSpill * spill, GError ** error)
{
  return allocate (spill, &spill->filled, error) ? spill->filled : NULL;
}

gboolean
gst_retro_spill_write (GstRetroSpill * spill, guint64 index, GError ** error)
{
  if (!finish_job (spill, error) || !open_file (spill, error))
    return FALSE;
  swap (&spill->filled, &spill->busy);
  start_job (spill, JOB_WRITE, index);
  spill->n_blocks = index + 1;
  return TRUE;
}

/* Reads block @index into `busy`, unless it is there already. */
static gboolean
fetch (GstRetroSpill * spill, guint64 index, GError ** error)
{
  if (spill->busy_index == index)
    return finish_job (spill, error);

  if (!finish_job (spill, error) || !allocate (spill, &spill->busy, error))
    return FALSE;
  start_job (spill, JOB_READ, index);
  return finish_job (spill, error);
}

guint8 *
gst_retro_spill_read (GstRetroSpill * spill, guint64 index, guint64 next_index,
    GError ** error)
{
  if (spill->loaded_index == index)
    return spill->loaded;
  if (!fetch (spill, index, error))
    return NULL;

  swap (&spill->loaded, &spill->busy);
  spill->loaded_index = index;
  spill->busy_index = NO_BLOCK;
  if (next_index < spill->n_blocks && allocate (spill, &spill->busy, NULL))
    start_job (spill, JOB_READ, next_index);
  return spill->loaded;
}
