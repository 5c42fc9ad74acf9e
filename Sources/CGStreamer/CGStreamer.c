/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "CGStreamer.h"

#include <gst/controller/gstdirectcontrolbinding.h>
#include <gst/controller/gstinterpolationcontrolsource.h>

GstElement *
cgst_bin_get (gpointer bin, const gchar * name)
{
  GstElement *found = NULL;

  GST_OBJECT_LOCK (bin);
  for (GList * item = GST_BIN_CHILDREN (bin); item && !found; item = item->next) {
    if (g_strcmp0 (GST_OBJECT_NAME (item->data), name) == 0)
      found = gst_object_ref (item->data);
  }
  GST_OBJECT_UNLOCK (bin);
  return found ? found : gst_bin_get_by_name (bin, name);
}

const gchar *
cgst_version_line (void)
{
#pragma clang diagnostic ignored "-Wc23-extensions"
  static const gchar line[] = {
#embed "../../VERSION" suffix(, 0)
  };

  return line;
}

void
cgst_follow (gpointer element, const gchar * property,
    const int64_t * times_ns, const gdouble * values, gsize count)
{
  GstControlSource *line = gst_interpolation_control_source_new ();

  g_object_set (line, "mode", GST_INTERPOLATION_MODE_LINEAR, NULL);
  for (gsize i = 0; i < count; i++)
    gst_timed_value_control_source_set ((GstTimedValueControlSource *) line,
        (GstClockTime) times_ns[i], values[i]);
  gst_object_add_control_binding (element,
      gst_direct_control_binding_new_absolute (element, property, line));
  gst_object_unref (line);
}
