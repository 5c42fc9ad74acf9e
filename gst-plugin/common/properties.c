/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "common/properties.h"

#include <gobject/gvaluecollector.h>

void
gst_retro_storage_install (GObjectClass * klass, guint first_id)
{
  g_object_class_install_property (klass,
      first_id + G_STRUCT_OFFSET (GstRetroStorage, max_memory_bytes),
      g_param_spec_uint64 ("max-memory", "Maximum memory",
          "The most audio that is kept in memory, in bytes; the rest goes to a "
          "temporary file", 0, G_MAXUINT64,
          GST_RETRO_DEFAULT_MAX_MEMORY_BYTES, GST_RETRO_READY));
  g_object_class_install_property (klass,
      first_id + G_STRUCT_OFFSET (GstRetroStorage, spill_directory),
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

void
gst_retro_settings_set (gpointer settings, guint id, const GValue * value)
{
  GTypeCValue field = {.v_pointer = (guint8 *) settings + id - 1 };

  if (G_VALUE_HOLDS_STRING (value))
    g_free (*(gchar **) field.v_pointer);
  g_type_value_table_peek (G_VALUE_TYPE (value))->lcopy_value (value, 1,
      &field, 0);
}

void
gst_retro_settings_get (gconstpointer settings, guint id, GValue * value)
{
  gconstpointer field = (const guint8 *) settings + id - 1;

  switch (G_TYPE_FUNDAMENTAL (G_VALUE_TYPE (value))) {
    case G_TYPE_BOOLEAN:
      g_value_set_boolean (value, *(const gboolean *) field);
      break;
    case G_TYPE_ENUM:
      g_value_set_enum (value, *(const gint *) field);
      break;
    case G_TYPE_UINT:
      g_value_set_uint (value, *(const guint *) field);
      break;
    case G_TYPE_UINT64:
      g_value_set_uint64 (value, *(const guint64 *) field);
      break;
    case G_TYPE_DOUBLE:
      g_value_set_double (value, *(const gdouble *) field);
      break;
    default:
      g_value_set_string (value, *(gchar * const *) field);
  }
}
