/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "common/properties.h"

void
gst_retro_storage_install (GObjectClass * klass, guint max_memory_id,
    guint spill_directory_id)
{
  g_object_class_install_property (klass, max_memory_id,
      g_param_spec_uint64 ("max-memory", "Maximum memory",
          "The most audio that is kept in memory, in bytes; the rest goes to a "
          "temporary file", 0, G_MAXINT64,
          GST_RETRO_DEFAULT_MAX_MEMORY_BYTES, GST_RETRO_READY));
  g_object_class_install_property (klass, spill_directory_id,
      g_param_spec_string ("spill-directory", "Spill directory",
          "Folder of the temporary file, which is unlinked as soon as it is "
          "created (NULL: the system's temporary folder)", NULL,
          GST_RETRO_READY));
}

GType
gst_retro_register_enum (const gchar * name, const GEnumValue * values)
{
  GType type = g_type_from_name (name);

  if (type == G_TYPE_INVALID) {
    type = g_enum_register_static (name, values);
    gst_type_mark_as_plugin_api (type, 0);
  }
  return type;
}
