/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "retroproperties.h"
#include "retrostore.h"

void
retro_install_storage_properties (GObjectClass * klass, guint max_memory_id,
    guint spill_directory_id)
{
  g_object_class_install_property (klass, max_memory_id,
      g_param_spec_uint64 ("max-memory", "Maximum memory",
          "Most audio to keep in memory, in bytes; more of it goes to a "
          "temporary file", 0, G_MAXUINT64,
          RETRO_STORE_DEFAULT_MAX_MEMORY_BYTES,
          G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS |
          GST_PARAM_MUTABLE_READY));

  g_object_class_install_property (klass, spill_directory_id,
      g_param_spec_string ("spill-directory", "Spill directory",
          "Folder of the temporary file, which is unlinked as soon as it is "
          "made (NULL: the system's temporary folder)", NULL,
          G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS |
          GST_PARAM_MUTABLE_READY));
}
