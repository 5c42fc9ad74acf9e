/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Gives the files of a corpus to a fuzzer's function, one after the other: what
 * libFuzzer does with files named on its command line, for machines that the
 * Swift toolchain has no libFuzzer for.
 *
 * Usage: replay_dsp FOLDER
 */

#include <glib.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput (const uint8_t * data, size_t size);

int
main (int argc, char **argv)
{
  GDir *folder = argc == 2 ? g_dir_open (argv[1], 0, NULL) : NULL;
  const gchar *name;
  guint n_files = 0;

  if (folder == NULL)
    g_error ("usage: %s FOLDER", argv[0]);
  while ((name = g_dir_read_name (folder)) != NULL) {
    gchar *path = g_build_filename (argv[1], name, NULL), *data;
    gsize bytes;

    g_print ("%s\n", name);
    if (!g_file_get_contents (path, &data, &bytes, NULL))
      g_error ("%s cannot be read", path);
    LLVMFuzzerTestOneInput ((const uint8_t *) data, bytes);
    g_free (data);
    g_free (path);
    n_files++;
  }
  g_dir_close (folder);
  g_print ("%u inputs kept what is promised\n", n_files);
  return n_files > 0 ? 0 : 1;
}
