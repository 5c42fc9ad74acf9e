/* Retrograde
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Preload this library to simulate a full disk: writing fails when a temporary file
 * (one without a name, or with ".part-" in its name) has reached 64 KiB. Mounting a disk
 * that is really full would require privileges.
 */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static int
is_full (int fd)
{
  char link[64], path[4096];
  struct stat status;

  snprintf (link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink (link, path, sizeof path - 1);
  if (length < 0)
    return 0;
  path[length] = 0;
  return fstat (fd, &status) == 0 && status.st_size >= 65536
      && (status.st_nlink == 0 || strstr (path, ".part-") != NULL);
}

ssize_t
write (int fd, const void *bytes, size_t count)
{
  ssize_t (*real) (int, const void *, size_t) = dlsym (RTLD_NEXT, "write");

  if (!is_full (fd))
    return real (fd, bytes, count);
  errno = ENOSPC;
  return -1;
}

ssize_t
writev (int fd, const struct iovec *parts, int count)
{
  ssize_t (*real) (int, const struct iovec *, int) =
      dlsym (RTLD_NEXT, "writev");

  if (!is_full (fd))
    return real (fd, parts, count);
  errno = ENOSPC;
  return -1;
}
