/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * GStreamer for use from Swift, which can't import variadic functions and some macros, so we wrap
 * the ones that we need.
 */

#ifndef RETROGRADE_CGSTREAMER_H
#define RETROGRADE_CGSTREAMER_H

#include <gst/app/gstappsink.h>
#include <gst/audio/audio.h>
#include <gst/gst.h>
#include <gst/pbutils/pbutils.h>

#include "CGStreamerActivity.h"
#include "CGStreamerChain.h"
#include "CGStreamerDecoders.h"
#include "CGStreamerEffect.h"
#include "CGStreamerFeed.h"
#include "CGStreamerFiles.h"
#include "CGStreamerPlay.h"
#include "CGStreamerSource.h"
#include "CGStreamerSystem.h"

static const GstClockTime cgst_no_time = GST_CLOCK_TIME_NONE;

/* The contents of the file VERSION, including the line break. */
const gchar *cgst_version_line (void);

/* Sets a property of type string to exactly @value. gst_util_set_object_arg() would
 * interpret quotes and backslashes. */
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

static inline void
cgst_set_caps (gpointer object, const gchar * name, GstCaps * caps)
{
  g_object_set (object, name, caps, NULL);
}

static inline gboolean
cgst_has_property (gpointer object, const gchar * name)
{
  return g_object_class_find_property (G_OBJECT_GET_CLASS (object), name) != NULL;
}

/* The minimum minor version of GStreamer that the plugin @name in @file declares, or -1 if the
 * file isn't such a plugin. */
gint cgst_plugin_minor_version (const gchar * file, const gchar * name);

/* The value of a property of type GstStructure. Free it with gst_structure_free(). */
static inline GstStructure *
cgst_get_structure (gpointer object, const gchar * name)
{
  GstStructure *structure = NULL;
  g_object_get (object, name, &structure, NULL);
  return structure;
}

/* The value of an enum property as a number. */
static inline gint
cgst_get_enum (gpointer object, const gchar * name)
{
  gint value = 0;
  g_object_get (object, name, &value, NULL);
  return value;
}

/* The name of the element that posted a message. Free it with g_free(). */
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

/* GST_STREAM_ERROR and the other domains are macros that Swift can't import. */
static inline GQuark
cgst_stream_errors (void)
{
  return GST_STREAM_ERROR;
}

static inline GQuark
cgst_resource_errors (void)
{
  return GST_RESOURCE_ERROR;
}

static inline GQuark
cgst_core_errors (void)
{
  return GST_CORE_ERROR;
}

static inline GstBus *
cgst_pipeline_bus (gpointer pipeline)
{
  return gst_pipeline_get_bus ((GstPipeline *) pipeline);
}

/* Returns the element with this name, or NULL. Unref it. Looks at the elements directly in @bin
 * first, and then in nested bins. An application's own elements are in nested bins and may have
 * the same name as one of ours. */
GstElement *cgst_bin_get (gpointer bin, const gchar * name);

static inline void
cgst_recalculate_latency (gpointer pipeline)
{
  (void) gst_bin_recalculate_latency ((GstBin *) pipeline);
}

/* Waits for the next buffer of an appsink that has frames inside the segment, and clips it to the
 * segment. Returns NULL at the end of the stream or when the pipeline is stopped. */
GstBuffer *cgst_pull (gpointer appsink);

/* Sets a tag on every encoder and muxer of a pipeline. The tag replaces the one in the stream.
 * @text is the value, in gst_value_serialize() format unless the tag is a string. If @more is
 * TRUE, the value is added to those that you've already set. Returns FALSE if @name is unknown or
 * @text is invalid. */
gboolean cgst_set_tag (gpointer pipeline, const gchar * name,
    const gchar * text, gboolean more);

/* The string in a GValue, which owns it, or NULL if the GValue has a different type. */
static inline const gchar *
cgst_value_string (const GValue * value)
{
  return G_VALUE_HOLDS_STRING (value) ? g_value_get_string (value) : NULL;
}

/* Copies the number in a GValue to @number. Returns FALSE if the GValue isn't a double. */
static inline gboolean
cgst_value_double (const GValue * value, gdouble * number)
{
  if (!G_VALUE_HOLDS_DOUBLE (value))
    return FALSE;
  *number = g_value_get_double (value);
  return TRUE;
}

/* What a picture shows, such as "back-cover". NULL if it isn't specified or if the GValue has a
 * different type. Free the string with g_free(). */
static inline gchar *
cgst_value_picture_type (const GValue * value)
{
  const GstStructure *info = GST_VALUE_HOLDS_SAMPLE (value) ?
      gst_sample_get_info (gst_value_get_sample (value)) : NULL;
  const GValue *type = info ? gst_structure_get_value (info, "image-type") : NULL;

  return type ? gst_value_serialize (type) : NULL;
}

/* The number of bytes in a GValue of type GstSample, e.g. a picture, or 0 for any other type. */
static inline gsize
cgst_value_sample_bytes (const GValue * value)
{
  if (!GST_VALUE_HOLDS_SAMPLE (value))
    return 0;
  GstBuffer *buffer = gst_sample_get_buffer (gst_value_get_sample (value));
  return buffer ? gst_buffer_get_size (buffer) : 0;
}

/* Copies the first @size bytes in a GValue of type GstSample to @bytes. Returns the number of
 * bytes copied. */
static inline gsize
cgst_value_copy_sample (const GValue * value, gpointer bytes, gsize size)
{
  GstBuffer *buffer = GST_VALUE_HOLDS_SAMPLE (value)
      ? gst_sample_get_buffer (gst_value_get_sample (value)) : NULL;
  return buffer ? gst_buffer_extract (buffer, 0, bytes, size) : 0;
}

static inline GstAudioFormat
cgst_audio_format (const GstAudioInfo * info)
{
  return GST_AUDIO_INFO_FORMAT (info);
}

/* The short name of a channel's position, such as "FL", or "M" for mono. Empty if the channel has
 * no position. Free it with g_free(). */
gchar *cgst_channel_name (const GstAudioInfo * info, guint channel);

/* The caps at the input of a pipeline's audio decoder. Unref them. NULL if there's no decoder
 * because the file contains raw audio. */
GstCaps *cgst_decoder_caps (gpointer pipeline);

/* Reads the field "channel-mask" of raw audio caps. Returns FALSE if there isn't one. */
static inline gboolean
cgst_channel_mask (const GstStructure * structure, guint64 * mask)
{
  return gst_structure_get (structure, "channel-mask", GST_TYPE_BITMASK, mask,
      NULL);
}

/* Blocks the output of @element. You get an application message named "blocked" when a buffer
 * arrives there. Returns the id for cgst_unblock(). */
gulong cgst_block (gpointer element);
void cgst_unblock (gpointer element, gulong id);

static inline gboolean
cgst_is_at_end (gpointer appsink)
{
  return gst_app_sink_is_eos ((GstAppSink *) appsink);
}

static inline GObject *
cgst_object (gpointer object)
{
  return (GObject *) object;
}

#endif
