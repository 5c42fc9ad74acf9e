/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#pragma once

#include <gst/gst.h>

/* GST_RETRO_HOLD() locks @mutex until the end of the enclosing C block.
 * GST_RETRO_AUTO_LOCK() does the same with the object lock of @object. */
#define GST_RETRO_HOLD(mutex) \
  g_autoptr (GMutexLocker) G_PASTE (locker_, __LINE__) G_GNUC_UNUSED = \
      g_mutex_locker_new (mutex)
#define GST_RETRO_AUTO_LOCK(object) GST_RETRO_HOLD (GST_OBJECT_GET_LOCK (object))
