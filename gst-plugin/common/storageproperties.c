/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "common/storageproperties.h"
#include "common/framestore.h"

enum
{
  MAX_MEMORY,
  SPILL_DIRECTORY
};

void
gst_retro_storage_init (GstRetroStorage * storage)
{
  storage->max_memory_bytes = GST_RETRO_STORE_DEFAULT_MAX_MEMORY_BYTES;
  storage->spill_directory = NULL;
}

void
gst_retro_storage_copy (const GstRetroStorage * storage, GstRetroStorage * copy)
{
  *copy = *storage;
  copy->spill_directory = g_strdup (storage->spill_directory);
}

void
gst_retro_storage_clear (GstRetroStorage * storage)
{
  g_clear_pointer (&storage->spill_directory, g_free);
}

void
gst_retro_storage_install (GObjectClass * klass, guint first_id)
{
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS |
      GST_PARAM_MUTABLE_READY;

  g_object_class_install_property (klass, first_id + MAX_MEMORY,
      g_param_spec_uint64 ("max-memory", "Maximum memory",
          "Most audio to keep in memory, in bytes; more of it goes to a "
          "temporary file", 0, G_MAXUINT64,
          GST_RETRO_STORE_DEFAULT_MAX_MEMORY_BYTES, flags));

  g_object_class_install_property (klass, first_id + SPILL_DIRECTORY,
      g_param_spec_string ("spill-directory", "Spill directory",
          "Folder of the temporary file, which is unlinked as soon as it is "
          "made (NULL: the system's temporary folder)", NULL, flags));
}

gboolean
gst_retro_storage_set (GstRetroStorage * storage, guint which,
    const GValue * value)
{
  switch (which) {
    case MAX_MEMORY:
      storage->max_memory_bytes = g_value_get_uint64 (value);
      return TRUE;
    case SPILL_DIRECTORY:
      g_free (storage->spill_directory);
      storage->spill_directory = g_value_dup_string (value);
      return TRUE;
    default:
      return FALSE;
  }
}

gboolean
gst_retro_storage_get (const GstRetroStorage * storage, guint which,
    GValue * value)
{
  switch (which) {
    case MAX_MEMORY:
      g_value_set_uint64 (value, storage->max_memory_bytes);
      return TRUE;
    case SPILL_DIRECTORY:
      g_value_set_string (value, storage->spill_directory);
      return TRUE;
    default:
      return FALSE;
  }
}
