/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Functions of the C library, with flags that Swift can't import.
 */

#ifndef RETROGRADE_CGSTREAMER_SYSTEM_H
#define RETROGRADE_CGSTREAMER_SYSTEM_H

#include <sys/types.h>

/* Functions that open a file return a descriptor that child processes don't inherit, or -1 on
 * failure, with errno set. */

/* Opens a folder so that you can open files relative to it. The folder itself needn't be
 * readable. */
int cgst_open_folder (const char *path);

/* Creates a file without a name in @folder, for reading and writing. */
int cgst_open_unnamed (int folder, mode_t mode);

/* Keeps freed memory for later allocations, up to 256 MiB in each of glibc's arenas. By default,
 * glibc soon returns freed memory to the system, which has to clear it before anyone can use it
 * again. Does nothing with other C libraries. Call it before there are other threads. */
void cgst_keep_freed_memory (void);

#endif
