/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * revbuf, direction=reverse: audio that exceeds max-memory is stored in a file.
 */

#include "retrotest.h"

#include <fcntl.h>
#include <sys/resource.h>
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

/* The statistics still give the size of the file after it's gone, until a new stream begins. */
LOOP_TEST (a_limit_changes_nothing_about_the_audio, 2 * G_N_ELEMENTS (limits))
{
  AUTO_FOLDER folder = retro_test_make_folder ();
  AUTO_TEST t = collecting (limits[__i__ / 2], folder);
  guint64 bytes;

  fail_unless_equals_uint64 (retro_test_stat (t, "bytes-spilled"), 0);
  start (t, __i__ % 2 ? PLANAR : INTERLEAVED);
  fail_unless_equals_int (push_all (t), GST_FLOW_OK);
  /* the stream has 3.2 MB. Its three complete blocks of 1 MiB are written to
   * the file, because they exceed the limit, and the incomplete last block
   * stays in memory */
  fail_unless_equals_int (retro_test_nameless_files_of (folder),
      limits[__i__ / 2] < 3 << 20);
  bytes = retro_test_nameless_bytes_of (folder);
  fail_unless_equals_uint64 (retro_test_stat (t, "bytes-spilled"), bytes);
  retro_test_eos (t);
  retro_test_assert_down (t, 0, N);
  retro_test_assert_perfect (t, 0);
  fail_unless_equals_uint64 (retro_test_nameless_bytes_of (folder), 0);
  fail_unless_equals_uint64 (retro_test_stat (t, "bytes-spilled"), bytes);
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

/* The file has no name, and no other process can open it. */
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
  fail_unless_equals_int (retro_test_files_in (folder), 0);
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

/* The system limits the size of files (RLIMIT_FSIZE). The element must report an error before the
 * spill file exceeds this limit. Otherwise the system would send SIGXFSZ, which ends the
 * process. */
TEST (a_file_that_may_not_grow_is_reported)
{
  AUTO_FOLDER folder = retro_test_make_folder ();
  AUTO_TEST t = collecting (0, folder);
  struct rlimit old, limit;

  getrlimit (RLIMIT_FSIZE, &old);
  limit = old;
  limit.rlim_cur = 3 << 19;     /* one and a half blocks */
  setrlimit (RLIMIT_FSIZE, &limit);
  start (t, INTERLEAVED);
  fail_unless_equals_int (push_all (t), GST_FLOW_ERROR);
  retro_test_assert_error (t, GST_RESOURCE_ERROR_NO_SPACE_LEFT, "ulimit -f");
  setrlimit (RLIMIT_FSIZE, &old);
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
