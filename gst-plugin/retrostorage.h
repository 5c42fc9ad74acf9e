/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * retrostorage: the two properties of an element that keeps audio.
 */

#ifndef RETRO_STORAGE_H
#define RETRO_STORAGE_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* What retro_store_new() wants to be told. */
typedef struct
{
  guint64 max_memory_bytes;
  gchar *spill_directory;       /* (nullable) */
} RetroStorage;

void retro_storage_init (RetroStorage * storage);

/* @copy is to be given to retro_storage_clear(). */
void retro_storage_copy (const RetroStorage * storage, RetroStorage * copy);

void retro_storage_clear (RetroStorage * storage);

/* Installs `max-memory` and `spill-directory`, with two ids from @first_id on,
 * which are to be the last ones of the class. */
void retro_storage_install (GObjectClass * klass, guint first_id);

/* @which: an id less the first one. FALSE: there is no such property. */
gboolean retro_storage_set (RetroStorage * storage, guint which,
    const GValue * value);

gboolean retro_storage_get (const RetroStorage * storage, guint which,
    GValue * value);

G_END_DECLS
#endif /* RETRO_STORAGE_H */
