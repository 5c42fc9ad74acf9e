/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The flight recorder. With GST_DEBUG=revbuf:7, each input and each action of the
 * TimePlayback is logged on one line. scripts/replay replays these lines.
 *
 *   play CALL NAME=VALUE … : RESULT
 *
 * VALUE is hexadecimal, for a floating-point number its bit pattern. Fields that are 0 are
 * omitted. Lines are written with the lock of the playback held, so that they are in the
 * order of the calls; only the lines of the CALL `add` are written without the lock.
 */

#pragma once

#include <gst/gst.h>

/* Logs a call. @fields: the table of recordfields.h that describes @data. */
#define gst_revbuf_record(object, call, fields, data, result) \
  G_STMT_START { \
    if (G_UNLIKELY (gst_debug_category_get_threshold (gst_revbuf_debug) \
            >= GST_LEVEL_TRACE)) \
      gst_revbuf_record_call (GST_OBJECT (object), call, fields, data, result); \
  } G_STMT_END

void gst_revbuf_record_call (GstObject * object, const gchar * call,
    gconstpointer fields, gconstpointer data, gint64 result);
