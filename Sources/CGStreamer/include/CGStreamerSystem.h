/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Functions of the C library that Swift cannot import.
 */

#ifndef RETROGRADE_CGSTREAMER_SYSTEM_H
#define RETROGRADE_CGSTREAMER_SYSTEM_H

#include <sys/types.h>

/* All three return a descriptor that is not inherited by child processes, or -1 and
 * errno. */

/* Opens a folder for use with relative names; its content need not be readable. */
int cgst_open_folder (const char *path);

/* Creates a file without a name in @folder, for reading and writing. */
int cgst_open_unnamed (int folder, mode_t mode);

/* Creates file @name in @folder, for reading and writing. Never opens an existing one. */
int cgst_open_new (int folder, const char *name, mode_t mode);

#endif
