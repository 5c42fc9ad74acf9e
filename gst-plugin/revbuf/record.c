/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "revbuf/record.h"
#include "revbuf/recordfields.h"

#include <string.h>

GST_DEBUG_CATEGORY_EXTERN (gst_revbuf_debug);
#define GST_CAT_DEFAULT gst_revbuf_debug

void
gst_revbuf_record_call (GstObject * object, const gchar * call,
    gconstpointer fields, gconstpointer data, gint64 result)
{
  const GstRevBufField *field = fields;
  GString *line = g_string_new (call);

  for (; field != NULL && field->name != NULL; field++) {
    guint64 value = 0;

    /* little-endian, as all processors that the plugin is built for are */
    memcpy (&value, (const guint8 *) data + field->offset, field->bytes);
    if (value != 0)
      g_string_append_printf (line, " %s=%" G_GINT64_MODIFIER "x",
          field->name, value);
  }
  GST_TRACE_OBJECT (object, "play %s : %" G_GINT64_FORMAT, line->str, result);
  g_string_free (line, TRUE);
}
