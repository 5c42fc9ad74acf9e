/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Passes the files of a corpus to the function of a fuzzer, one after another, as
 * libFuzzer does with files on its command line. This program is for machines for which
 * the Swift toolchain has no libFuzzer. It needs only libc.
 *
 * Usage: replay_dsp FOLDER
 */

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* the fuzzers generate inputs of up to 400 bytes */
#define MAX_BYTES 65536

int LLVMFuzzerTestOneInput (const uint8_t * data, size_t size);

static void
replay (const char *folder, const char *name)
{
  static uint8_t buffer[MAX_BYTES];
  char path[4096];
  FILE *file;
  size_t bytes;

  printf ("%s\n", name);
  snprintf (path, sizeof (path), "%s/%s", folder, name);
  file = fopen (path, "rb");
  if (file == NULL) {
    fprintf (stderr, "%s cannot be read\n", path);
    exit (1);
  }
  bytes = fread (buffer, 1, sizeof (buffer), file);
  fclose (file);
  LLVMFuzzerTestOneInput (buffer, bytes);
}

int
main (int argc, char **argv)
{
  DIR *folder = argc == 2 ? opendir (argv[1]) : NULL;
  struct dirent *entry;
  unsigned n_files = 0;

  if (folder == NULL) {
    fprintf (stderr, "usage: %s FOLDER\n", argv[0]);
    return 1;
  }
  while ((entry = readdir (folder)) != NULL) {
    if (entry->d_name[0] == '.')
      continue;
    replay (argv[1], entry->d_name);
    n_files++;
  }
  closedir (folder);
  printf ("%u inputs kept what is promised\n", n_files);
  return n_files > 0 ? 0 : 1;
}
