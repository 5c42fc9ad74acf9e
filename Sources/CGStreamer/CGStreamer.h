/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * GStreamer as Swift sees it. Macros and functions of variable arguments are
 * not imported into Swift; the few that are needed are functions here.
 */

#ifndef RETROGRADE_CGSTREAMER_H
#define RETROGRADE_CGSTREAMER_H

#include <gst/app/gstappsink.h>
#include <gst/audio/audio.h>
#include <gst/gst.h>
#include <gst/pbutils/pbutils.h>

static const GstClockTime cgst_no_time = GST_CLOCK_TIME_NONE;

/* Sets a property of type string; @value is taken as it is, while
 * gst_util_set_object_arg() would look for quotes and backslashes in it. */
static inline void
cgst_set_string (gpointer object, const gchar * name, const gchar * value)
{
  g_object_set (object, name, value, NULL);
}

static inline void
cgst_set_double (gpointer object, const gchar * name, gdouble value)
{
  g_object_set (object, name, value, NULL);
}

static inline void
cgst_set_time (gpointer object, const gchar * name, GstClockTime value_ns)
{
  g_object_set (object, name, (guint64) value_ns, NULL);
}

/* Sets a property of type GstCaps. */
static inline void
cgst_set_caps (gpointer object, const gchar * name, GstCaps * caps)
{
  g_object_set (object, name, caps, NULL);
}

/* Whether @object has a property of this name. */
static inline gboolean
cgst_has_property (gpointer object, const gchar * name)
{
  return g_object_class_find_property (G_OBJECT_GET_CLASS (object), name) != NULL;
}

/* A property of type GstStructure; free it with gst_structure_free(). */
static inline GstStructure *
cgst_get_structure (gpointer object, const gchar * name)
{
  GstStructure *structure = NULL;
  g_object_get (object, name, &structure, NULL);
  return structure;
}

/* The name of a message's source; free it with g_free(). */
static inline gchar *
cgst_message_source_name (GstMessage * message)
{
  return message->src ? gst_object_get_name (message->src) : g_strdup ("");
}

static inline gboolean
cgst_message_is_from (GstMessage * message, gpointer object)
{
  return message->src == (GstObject *) object;
}

/* Which of our questions about an error is answered by yes; these are macros. */
static inline gboolean
cgst_error_is (const GError * error, GQuark domain, gint code)
{
  return g_error_matches (error, domain, code);
}

static inline GstBus *
cgst_pipeline_bus (gpointer pipeline)
{
  return gst_pipeline_get_bus ((GstPipeline *) pipeline);
}

/* The element of this name in a bin, or NULL; unref it. */
static inline GstElement *
cgst_bin_get (gpointer bin, const gchar * name)
{
  return gst_bin_get_by_name ((GstBin *) bin, name);
}

static inline void
cgst_recalculate_latency (gpointer pipeline)
{
  (void) gst_bin_recalculate_latency ((GstBin *) pipeline);
}

/* The next buffer of an appsink, or NULL at the end; unref the sample. */
static inline GstSample *
cgst_pull (gpointer appsink)
{
  return gst_app_sink_pull_sample ((GstAppSink *) appsink);
}

#endif
