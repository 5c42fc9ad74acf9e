/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * revbuf, direction=reverse: audio that exceeds max-memory is stored in a file.
 */

#define _GNU_SOURCE             /* for unshare () */

#include "retrotest.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <glib/gstdio.h>

#define N 50000                 /* frames of 64 bytes: more than three blocks of 1 MiB */
#define PIECE 1250

static RetroTest *
collecting (guint64 max_memory, const gchar * folder)
{
  RetroTest *t = retro_test_new ("revbuf direction=reverse");

  g_object_set (t->element, "max-memory", max_memory, "spill-directory",
      folder, NULL);
  return t;
}

static void
start (RetroTest * t, GstAudioLayout layout)
{
  GstAudioInfo info = retro_test_info (GST_AUDIO_FORMAT_F64, layout, 48000, 8);

  retro_test_start (t, &info, 1, 0, GST_CLOCK_TIME_NONE);
}

/* Pushes all frames. Returns the first flow return that is not GST_FLOW_OK, or
 * GST_FLOW_OK. */
static GstFlowReturn
push_all (RetroTest * t)
{
  GstFlowReturn ret = GST_FLOW_OK;
  gsize done;

  for (done = 0; done < N && ret == GST_FLOW_OK; done += PIECE)
    ret = retro_test_push (t, done, PIECE);
  return ret;
}

/* ---- success ------------------------------------------------------------ */

static const guint64 limits[] = { 0, 1 << 20, (2 << 20) + 5, 3 << 20 };

SOME_TEST (a_limit_changes_nothing_about_the_audio, 8, 8)
{
  AUTO_FOLDER folder = retro_test_make_folder ();
  AUTO_TEST t = collecting (limits[__i__ / 2], folder);

  start (t, __i__ % 2 ? PLANAR : INTERLEAVED);
  fail_unless_equals_int (push_all (t), GST_FLOW_OK);
  /* the stream has 3.2 MB; its three complete blocks of 1 MiB are written to
   * the file, because they exceed the limit, and the incomplete last block
   * stays in memory */
  fail_unless_equals_int (retro_test_nameless_files_of (folder),
      limits[__i__ / 2] < 3 << 20);
  retro_test_eos (t);
  retro_test_assert_down (t, 0, N);
  retro_test_assert_perfect (t, 0);
}

LOOP_TEST (stats_have_the_size_of_the_file, G_N_ELEMENTS (limits))
{
  AUTO_FOLDER folder = retro_test_make_folder ();
  AUTO_TEST t = collecting (limits[__i__], folder);
  guint64 bytes;

  fail_unless_equals_uint64 (retro_test_stat (t, "bytes-spilled"), 0);
  start (t, INTERLEAVED);
  fail_unless_equals_int (push_all (t), GST_FLOW_OK);
  bytes = retro_test_nameless_bytes_of (folder);
  fail_unless ((bytes > 0) == (limits[__i__] < 3 << 20));
  fail_unless_equals_uint64 (retro_test_stat (t, "bytes-spilled"), bytes);
  /* the statistics must be kept when the file is deleted */
  retro_test_eos (t);
  fail_unless_equals_uint64 (retro_test_nameless_bytes_of (folder), 0);
  fail_unless_equals_uint64 (retro_test_stat (t, "bytes-spilled"), bytes);
  /* a new stream must reset the statistics */
  retro_test_flush (t);
  start (t, INTERLEAVED);
  fail_unless_equals_uint64 (retro_test_stat (t, "bytes-spilled"), 0);
}

/* After a change of format, audio is stored in a second file, which the statistics must
 * include. */
TEST (stats_add_up_all_files_of_a_stream)
{
  AUTO_FOLDER folder = retro_test_make_folder ();
  AUTO_TEST t = collecting (0, folder);
  guint64 before;

  start (t, INTERLEAVED);
  fail_unless_equals_int (push_all (t), GST_FLOW_OK);
  before = retro_test_nameless_bytes_of (folder);
  GstAudioInfo info = retro_test_info (GST_AUDIO_FORMAT_F64, PLANAR, 48000, 8);
  retro_test_caps (t, &info);
  fail_unless_equals_uint64 (retro_test_nameless_bytes_of (folder), 0);
  fail_unless_equals_int (push_all (t), GST_FLOW_OK);
  fail_unless_equals_uint64 (retro_test_stat (t, "bytes-spilled"),
      before + retro_test_nameless_bytes_of (folder));
}

static void
look_for_names (RetroTest * t, GstBuffer * buffer)
{
  fail_unless_equals_int (retro_test_files_in (t->watch_data), 0);
  fail_unless_equals_int (retro_test_nameless_files_of (t->watch_data), 1);
}

TEST (the_file_has_no_name)
{
  AUTO_FOLDER folder = retro_test_make_folder ();
  AUTO_TEST t = collecting (0, folder);
  guint spilled = 0;
  gsize done;

  start (t, INTERLEAVED);
  for (done = 0; done < N; done += PIECE) {
    retro_test_push (t, done, PIECE);
    fail_unless_equals_int (retro_test_files_in (folder), 0);
    spilled += retro_test_nameless_files_of (folder);
  }
  fail_unless (spilled > 0);
  t->watch = look_for_names;
  t->watch_data = folder;
  retro_test_eos (t);
}

LOOP_TEST (the_file_goes_away_with_the_stream, 3)
{
  AUTO_FOLDER folder = retro_test_make_folder ();
  AUTO_TEST t = collecting (0, folder);

  start (t, INTERLEAVED);
  push_all (t);
  fail_unless_equals_int (retro_test_nameless_files_of (folder), 1);
  switch (__i__) {
    case 0:
      retro_test_eos (t);
      break;
    case 1:
      retro_test_flush (t);
      break;
    case 2:
      ASSERT_SET_STATE (t->element, GST_STATE_READY, GST_STATE_CHANGE_SUCCESS);
      break;
  }
  fail_unless_equals_int (retro_test_nameless_files_of (folder), 0);
}

/* No other process can open the file. */
TEST (the_file_is_private)
{
  AUTO_FOLDER folder = retro_test_make_folder ();
  AUTO_TEST t = collecting (0, folder);
  guint found = 0;
  int fd;

  start (t, INTERLEAVED);
  push_all (t);
  for (fd = 3; fd < 100; fd++) {
    gchar *path = g_strdup_printf ("/proc/self/fd/%d", fd);
    gchar *target = g_file_read_link (path, NULL);
    GStatBuf status;

    if (target != NULL && g_str_has_prefix (target, folder)) {
      fail_unless_equals_int (g_stat (path, &status), 0);
      fail_unless_equals_int (status.st_nlink, 0);
      fail_unless_equals_int (status.st_mode & 0777, 0600);
      fail_unless (fcntl (fd, F_GETFD) & FD_CLOEXEC);
      found++;
    }
    g_free (target);
    g_free (path);
  }
  fail_unless_equals_int (found, 1);
}

TEST (the_systems_folder_is_the_default)
{
  AUTO_TEST t = collecting (0, NULL);
  guint others = retro_test_nameless_files_of (g_get_tmp_dir ());

  start (t, INTERLEAVED);
  fail_unless_equals_int (push_all (t), GST_FLOW_OK);
  fail_unless_equals_int (retro_test_nameless_files_of (g_get_tmp_dir ()),
      others + 1);
}

/* Asserts that the file does not contain frames that have been sent. */
static void
look_for_size (RetroTest * t, GstBuffer * buffer)
{
  fail_unless (retro_test_nameless_bytes_of (t->watch_data) <=
      (N - retro_test_frames_out (t)) * 64);
}

TEST (the_file_becomes_shorter_while_it_is_played)
{
  AUTO_FOLDER folder = retro_test_make_folder ();
  AUTO_TEST t = collecting (0, folder);

  start (t, INTERLEAVED);
  fail_unless_equals_int (push_all (t), GST_FLOW_OK);
  fail_unless_equals_uint64 (retro_test_nameless_bytes_of (folder), 3 << 20);
  t->watch = look_for_size;
  t->watch_data = folder;
  retro_test_eos (t);
  retro_test_assert_down (t, 0, N);
}

/* ---- errors ------------------------------------------------------------- */

TEST (a_folder_without_permission_is_reported)
{
  AUTO_FOLDER folder = retro_test_make_folder ();
  AUTO_TEST t = collecting (0, folder);

  /* root could write to the folder anyway */
  if (getuid () == 0)
    fail_unless_equals_int (seteuid (65534), 0);
  g_chmod (folder, 0500);
  start (t, INTERLEAVED);
  fail_unless_equals_int (push_all (t), GST_FLOW_ERROR);
  retro_test_assert_error (t, GST_RESOURCE_ERROR_OPEN_WRITE, "spill-directory");
  fail_unless_equals_int (seteuid (getuid ()), 0);
}

static void
assert_no_space_is_told (const gchar * folder, const gchar * words)
{
  AUTO_TEST t = collecting (0, folder);

  start (t, INTERLEAVED);
  fail_unless_equals_int (push_all (t), GST_FLOW_ERROR);
  retro_test_assert_error (t, GST_RESOURCE_ERROR_NO_SPACE_LEFT, words);
}

/* The system limits the size of files (RLIMIT_FSIZE). The element must report
 * an error before the spill file exceeds this limit; otherwise the system would
 * send SIGXFSZ, which ends the process. */
TEST (a_file_that_may_not_grow_is_reported)
{
  AUTO_FOLDER folder = retro_test_make_folder ();
  struct rlimit old, limit;

  getrlimit (RLIMIT_FSIZE, &old);
  limit = old;
  limit.rlim_cur = 3 << 19;     /* one and a half blocks */
  setrlimit (RLIMIT_FSIZE, &limit);
  assert_no_space_is_told (folder, "ulimit -f");
  setrlimit (RLIMIT_FSIZE, &old);
}

/* Mounts a small file system in a separate mount namespace. */
static gboolean
mount_small_disk (const gchar * folder)
{
  return unshare (CLONE_NEWNS) == 0
      && mount ("none", "/", "none", MS_REC | MS_PRIVATE, NULL) == 0
      && mount ("none", folder, "tmpfs", 0, "size=1536k") == 0;
}

/* Mounting requires root, and is not possible in every container. */
static gboolean
disks_can_be_mounted (void)
{
  pid_t child = fork ();
  int status;

  if (child == 0)
    _exit (mount_small_disk ("/tmp") ? 0 : 1);
  return child > 0 && waitpid (child, &status, 0) == child && status == 0;
}

TEST (a_full_disk_is_reported)
{
  gchar *folder;

  if (!disks_can_be_mounted ())
    return;
  folder = retro_test_make_folder ();
  fail_unless (mount_small_disk (folder));
  assert_no_space_is_told (folder, "spill-directory");
  fail_unless_equals_int (umount (folder), 0);
  retro_test_remove_folder (folder);
}

TEST (a_better_folder_helps_after_an_error)
{
  AUTO_FOLDER folder = retro_test_make_folder ();
  AUTO_TEST t = collecting (0, "/nowhere/at/all");

  start (t, INTERLEAVED);
  fail_unless_equals_int (push_all (t), GST_FLOW_ERROR);
  retro_test_assert_error (t, GST_RESOURCE_ERROR_OPEN_WRITE, "/nowhere/at/all");
  g_object_set (t->element, "spill-directory", folder, NULL);
  retro_test_restart (t);
  retro_test_clear (t);
  start (t, INTERLEAVED);
  fail_unless_equals_int (push_all (t), GST_FLOW_OK);
  retro_test_eos (t);
  retro_test_assert_down (t, 0, N);
  fail_unless (retro_test_pop_message (t, GST_MESSAGE_ERROR) == NULL);
}

/* ---- jumps are stored in memory only ---------------------------------------- */

#define JUMPS 100000

/* Pushes every second frame of a stream, each in a buffer of its own, so that each buffer
 * is a jump. Returns the number of accepted frames. */
static guint64
push_jumps (RetroTest * t)
{
  GstFlowReturn ret = GST_FLOW_OK;
  guint64 i;

  retro_test_start (t, NULL, 1, 0, GST_CLOCK_TIME_NONE);
  for (i = 0; i < JUMPS && ret == GST_FLOW_OK; i++) {
    GstBuffer *buffer = retro_test_buffer (&t->info, 2 * i, 1);

    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
    ret = gst_harness_push (t->h, buffer);
  }
  return ret == GST_FLOW_OK ? i : i - 1;
}

TEST (more_jumps_than_memory_are_reported)
{
  AUTO_TEST t = collecting (0, NULL);
  guint64 taken = push_jumps (t);

  /* each jump needs 16 bytes for its time and position, and max-memory is 1 MiB */
  fail_unless (taken >= 10000 && taken <= (1 << 20) / 16);
  retro_test_assert_error (t, GST_RESOURCE_ERROR_NO_SPACE_LEFT, "max-memory");

  g_object_set (t->element, "max-memory", (guint64) 16 << 20, NULL);
  retro_test_restart (t);
  retro_test_clear (t);
  fail_unless_equals_uint64 (push_jumps (t), JUMPS);
  retro_test_eos (t);
  fail_unless_equals_uint64 (retro_test_frames_out (t), JUMPS);
}
