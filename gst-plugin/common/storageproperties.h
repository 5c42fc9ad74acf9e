/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * storageproperties: the two properties of an element that keeps audio.
 */

#ifndef GST_RETRO_STORAGEPROPERTIES_H
#define GST_RETRO_STORAGEPROPERTIES_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* What gst_retro_store_new() wants to be told. */
typedef struct
{
  guint64 max_memory_bytes;
  gchar *spill_directory;       /* (nullable) */
} GstRetroStorage;

void gst_retro_storage_init (GstRetroStorage * storage);

/* @copy is to be given to gst_retro_storage_clear(). */
void gst_retro_storage_copy (const GstRetroStorage * storage, GstRetroStorage * copy);

void gst_retro_storage_clear (GstRetroStorage * storage);

/* Installs `max-memory` and `spill-directory`, with two ids from @first_id on,
 * which are to be the last ones of the class. */
void gst_retro_storage_install (GObjectClass * klass, guint first_id);

/* @which: an id less the first one. FALSE: there is no such property. */
gboolean gst_retro_storage_set (GstRetroStorage * storage, guint which,
    const GValue * value);

gboolean gst_retro_storage_get (const GstRetroStorage * storage, guint which,
    GValue * value);

G_END_DECLS
#endif /* GST_RETRO_STORAGEPROPERTIES_H */
