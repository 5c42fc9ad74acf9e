/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A temporary folder, and the files in it.
 */

#include "retrotest.h"

#include <stdlib.h>

#include <glib/gstdio.h>

gchar *
retro_test_make_folder (void)
{
  gchar *folder = g_dir_make_tmp ("retrotest-XXXXXX", NULL);
  gchar *real;

  fail_unless (folder != NULL);
  real = realpath (folder, NULL);
  g_free (folder);
  folder = g_strdup (real);
  free (real);
  return folder;
}

void
retro_test_remove_folder (gchar * folder)
{
  fail_unless_equals_int (g_rmdir (folder), 0);
  g_free (folder);
}

void
retro_test_auto_folder (gchar ** folder)
{
  retro_test_remove_folder (*folder);
}

guint
retro_test_files_in (const gchar * folder)
{
  GDir *dir = g_dir_open (folder, 0, NULL);
  guint n = 0;

  fail_unless (dir != NULL);
  while (g_dir_read_name (dir) != NULL)
    n++;
  g_dir_close (dir);
  return n;
}

/* Counts the open files of this process that were created in @folder without a name,
 * or whose name was removed. Sets @bytes to their total size. */
static guint
measure_nameless_files (const gchar * folder, guint64 * bytes)
{
  GDir *dir = g_dir_open ("/proc/self/fd", 0, NULL);
  const gchar *name;
  GStatBuf info;
  guint n = 0;

  fail_unless (dir != NULL);
  *bytes = 0;
  while ((name = g_dir_read_name (dir)) != NULL) {
    gchar *path = g_build_filename ("/proc/self/fd", name, NULL);
    gchar *target = g_file_read_link (path, NULL);

    if (target != NULL && g_str_has_prefix (target, folder)
        && g_str_has_suffix (target, " (deleted)")) {
      fail_unless_equals_int (g_stat (path, &info), 0);
      n++;
      *bytes += info.st_size;
    }
    g_free (target);
    g_free (path);
  }
  g_dir_close (dir);
  return n;
}

guint
retro_test_nameless_files_of (const gchar * folder)
{
  guint64 bytes;

  return measure_nameless_files (folder, &bytes);
}

guint64
retro_test_nameless_bytes_of (const gchar * folder)
{
  guint64 bytes;

  measure_nameless_files (folder, &bytes);
  return bytes;
}
