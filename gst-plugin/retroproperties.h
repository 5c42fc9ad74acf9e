/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * retroproperties: the properties of the elements that keep audio.
 */

#ifndef RETRO_PROPERTIES_H
#define RETRO_PROPERTIES_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* Installs `max-memory` and `spill-directory` under the two ids. */
void retro_install_storage_properties (GObjectClass * klass,
    guint max_memory_id, guint spill_directory_id);

G_END_DECLS
#endif /* RETRO_PROPERTIES_H */
