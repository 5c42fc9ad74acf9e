/* Retrograde
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * If this library is preloaded, the disk seems to be full: writing fails when a file
 * without a name, or with a temporary one, has 64 KiB. A real full disk cannot be used,
 * because mounting one requires permissions.
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
