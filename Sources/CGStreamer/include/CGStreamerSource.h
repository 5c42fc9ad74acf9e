/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A file with a corrected header.
 */

#pragma once

#include <gst/gst.h>

/* Makes a source in pull mode return @count @bytes in place of those at @position, and end at
 * byte @end. */
void cgst_correct (gpointer source, guint64 position, const guint8 * bytes,
    gsize count, guint64 end);
