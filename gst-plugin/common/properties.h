/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * properties: helpers for installing properties, used by both elements.
 */

#pragma once

#include <gst/gst.h>

/* Flags for a property that you can change in any state (LIVE), or only up to READY (READY). */
#define GST_RETRO_LIVE \
  (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING)
#define GST_RETRO_READY \
  (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY)

#define GST_RETRO_DEFAULT_MAX_MEMORY_BYTES (G_GUINT64_CONSTANT (64) << 20)

/* The settings for gst_retro_store_new(), which both elements offer as properties. */
typedef struct
{
  guint64 max_memory_bytes;
  gchar *spill_directory;       /* (nullable) */
} GstRetroStorage;

/* Specifies `max-memory` and `spill-directory`. @specs: (out) (array fixed-size=2). */
void gst_retro_storage_specify (GParamSpec ** specs);

/* Registers the enum type @name, or returns it if it's registered already: GLib calls
 * class_init() again after the last element has been freed. Call this only in class_init(),
 * which GLib runs in one thread at a time. */
GType gst_retro_register_enum (const gchar * name, const GEnumValue * values);

/* Sets the field of @settings at @offset from @value: a boolean, an enumeration, a uint, a
 * uint64, a double, or a string. Frees the old string first. */
void gst_retro_settings_set (gpointer settings, gsize offset,
    const GValue * value);

/* Sets @value from that field. */
void gst_retro_settings_get (gconstpointer settings, gsize offset,
    GValue * value);
