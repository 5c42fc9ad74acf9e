/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * properties: the properties of an element as the fields of one struct, its settings.
 */

#pragma once

#include <gst/gst.h>

/* The id of the property whose value is @field of the settings @type. A property
 * without a field has GST_RETRO_ID_BEHIND. */
#define GST_RETRO_ID(type, field) (1 + G_STRUCT_OFFSET (type, field))
#define GST_RETRO_ID_BEHIND(type) (1 + sizeof (type))

/* Flags of a property that may change while the element plays, or only in READY. */
#define GST_RETRO_LIVE \
  (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING)
#define GST_RETRO_READY \
  (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY)

#define GST_RETRO_DEFAULT_MAX_MEMORY_BYTES (G_GUINT64_CONSTANT (64) << 20)

/* What gst_retro_store_new() needs. */
typedef struct
{
  guint64 max_memory_bytes;
  gchar *spill_directory;       /* (nullable) */
} GstRetroStorage;

/* Installs `max-memory` and `spill-directory`. @first_id: that of the storage. */
void gst_retro_storage_install (GObjectClass * klass, guint first_id);

/* Registers an enum for a property, once: GLib calls class_init() again after the
 * last element has gone. For class_init(), which GLib calls in one thread at a time. */
GType gst_retro_register_enum (const gchar * name, const GEnumValue * values);

/* Sets and reads the field of @settings that belongs to the property @id. */
void gst_retro_settings_set (gpointer settings, guint id, const GValue * value);
void gst_retro_settings_get (gconstpointer settings, guint id, GValue * value);
