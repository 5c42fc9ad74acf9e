/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#define _GNU_SOURCE             /* for O_TMPFILE */
#include "CGStreamer.h"

#include <fcntl.h>
#include <malloc.h>

#define MAX_FREED_BYTES (256 << 20)

int
cgst_open_unnamed (const char *folder, mode_t mode)
{
  return openat (AT_FDCWD, folder, O_TMPFILE | O_RDWR | O_CLOEXEC, mode);
}

void
cgst_keep_freed_memory (void)
{
#ifdef __GLIBC__
  (void) mallopt (M_MMAP_THRESHOLD, MAX_FREED_BYTES);
  (void) mallopt (M_TRIM_THRESHOLD, MAX_FREED_BYTES);
#endif
}
