/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "common/properties.h"

#include <gobject/gvaluecollector.h>

void
gst_retro_storage_specify (GParamSpec ** specs)
{
  specs[0] = g_param_spec_uint64 ("max-memory", "Maximum memory",
      "The most audio that is kept in memory, in bytes; the rest goes to a "
      "temporary file", 0, G_MAXINT64,
      GST_RETRO_DEFAULT_MAX_MEMORY_BYTES, GST_RETRO_READY);
  specs[1] = g_param_spec_string ("spill-directory", "Spill directory",
      "Folder of the temporary file, which is unlinked as soon as it is "
      "created (NULL: the system's temporary folder)", NULL, GST_RETRO_READY);
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
gst_retro_settings_set (gpointer settings, gsize offset, const GValue * value)
{
  GTypeCValue field = {.v_pointer = G_STRUCT_MEMBER_P (settings, offset) };

  if (G_VALUE_HOLDS_STRING (value))
    g_free (G_STRUCT_MEMBER (gchar *, settings, offset));
  /* this is how g_object_get() copies a value */
  g_type_value_table_peek (G_VALUE_TYPE (value))->lcopy_value (value, 1, &field,
      0);
}

#define FIELD(type) G_STRUCT_MEMBER (type, settings, offset)

void
gst_retro_settings_get (gconstpointer settings, gsize offset, GValue * value)
{
  switch (G_TYPE_FUNDAMENTAL (G_VALUE_TYPE (value))) {
    case G_TYPE_BOOLEAN:
      g_value_set_boolean (value, FIELD (gboolean));
      break;
    case G_TYPE_ENUM:
      g_value_set_enum (value, FIELD (gint));
      break;
    case G_TYPE_UINT:
      g_value_set_uint (value, FIELD (guint));
      break;
    case G_TYPE_UINT64:
      g_value_set_uint64 (value, FIELD (guint64));
      break;
    case G_TYPE_DOUBLE:
      g_value_set_double (value, FIELD (gdouble));
      break;
    default:
      g_value_set_string (value, FIELD (gchar *));
  }
}
