/* Retrograde
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Preload this library to simulate a file system that does not support files without a
 * name (O_TMPFILE), such as FAT and NFS. The tool then writes to a file with a temporary
 * name. If RETROGRADE_TEST_SIGNAL is a number, the process receives that signal when it
 * is about to remove the temporary name.
 */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void
interrupt (const char *path)
{
  const char *number = getenv ("RETROGRADE_TEST_SIGNAL");

  if (number != NULL && strstr (path, ".part-") != NULL)
    kill (getpid (), atoi (number));
}

int
unlink (const char *path)
{
  int (*real) (const char *) = dlsym (RTLD_NEXT, "unlink");

  interrupt (path);
  return real (path);
}

int
unlinkat (int folder, const char *path, int flags)
{
  int (*real) (int, const char *, int) = dlsym (RTLD_NEXT, "unlinkat");

  interrupt (path);
  return real (folder, path, flags);
}

int
openat (int folder, const char *path, int flags, ...)
{
  int (*real) (int, const char *, int, ...) = dlsym (RTLD_NEXT, "openat");
  va_list rest;

  if ((flags & O_TMPFILE) == O_TMPFILE) {
    errno = EOPNOTSUPP;
    return -1;
  }
  va_start (rest, flags);
  mode_t mode = flags & O_CREAT ? va_arg (rest, mode_t) : 0;
  va_end (rest);
  return real (folder, path, flags, mode);
}
