/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "CGStreamer.h"

/* If a value is out of range for a property, GObject ignores it and just logs a message. This
 * GString collects the first such message in the thread that creates elements. In other threads
 * it's NULL, and messages are logged as usual. */
static GPrivate complaint = G_PRIVATE_INIT (NULL);

static void
note_complaint (const gchar * domain, GLogLevelFlags level,
    const gchar * message, gpointer unused)
{
  GString *noted = g_private_get (&complaint);

  if (noted == NULL)
    g_log_default_handler (domain, level, message, NULL);
  else if (noted->len == 0)
    g_string_assign (noted, message);
}

GstElement *
cgst_make_bin (const gchar * elements, GstParseContext * context,
    GError ** error)
{
  GString *noted = g_string_new (NULL);
  GstElement *made;
  guint handler;

  g_private_set (&complaint, noted);
  handler = g_log_set_handler ("GLib-GObject",
      G_LOG_LEVEL_WARNING | G_LOG_LEVEL_CRITICAL, note_complaint, NULL);
  made = gst_parse_bin_from_description_full (elements, TRUE, context,
      GST_PARSE_FLAG_FATAL_ERRORS, error);
  g_log_remove_handler ("GLib-GObject", handler);
  g_private_set (&complaint, NULL);
  if (made != NULL && noted->len > 0) {
    g_set_error_literal (error, GST_PARSE_ERROR,
        GST_PARSE_ERROR_COULD_NOT_SET_PROPERTY, noted->str);
    gst_object_unref (gst_object_ref_sink (made));
    made = NULL;
  }
  g_string_free (noted, TRUE);
  return made;
}
