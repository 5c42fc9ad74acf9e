/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Functions of the C library that Swift cannot import.
 */

#ifndef RETROGRADE_CGSTREAMER_SYSTEM_H
#define RETROGRADE_CGSTREAMER_SYSTEM_H

#include <sys/types.h>

/* All three return a descriptor that programs started from here do not get, or -1 and errno. */

/* A folder as the place of names; its content need not be readable. */
int cgst_open_folder (const char *path);

/* A new file in @folder without a name, for reading and writing. */
int cgst_open_unnamed (int folder, mode_t mode);

/* A new file @name in @folder, for reading and writing. Never opens an existing one. */
int cgst_open_new (int folder, const char *name, mode_t mode);

#endif
