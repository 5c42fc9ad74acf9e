/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#define _GNU_SOURCE             /* for O_PATH and O_TMPFILE */
#include "CGStreamerSystem.h"

#include <fcntl.h>
#include <sys/auxv.h>

/* Of Swift's standard library. */
extern void _swift_stdlib_overrideUnsafeArgvArgc (char **words, int count);

/* Swift's CommandLine reads the words of the command line from /proc, and has none if that is not
 * mounted. The C library gives its constructors the same as main(). */
__attribute__((constructor))
static void
give_arguments (int count, char **words)
{
  _swift_stdlib_overrideUnsafeArgvArgc (words, count);
}

const char *
cgst_program_path (void)
{
  return (const char *) getauxval (AT_EXECFN);
}

int
cgst_open_folder (const char *path)
{
  return open (path, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

int
cgst_open_unnamed (int folder, mode_t mode)
{
  return openat (folder, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, mode);
}

int
cgst_open_new (int folder, const char *name, mode_t mode)
{
  return openat (folder, name,
      O_CREAT | O_EXCL | O_NOFOLLOW | O_RDWR | O_CLOEXEC, mode);
}
