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

#include "CGStreamerChain.h"
#include "CGStreamerEffect.h"
#include "CGStreamerFeed.h"
#include "CGStreamerFiles.h"
#include "CGStreamerPlay.h"
#include "CGStreamerSystem.h"

static const GstClockTime cgst_no_time = GST_CLOCK_TIME_NONE;

/* The line in VERSION. */
const gchar *cgst_version_line (void);

/* Sets a property of type string; @value is used literally, while
 * gst_util_set_object_arg() would interpret quotes and backslashes in it. */
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

/* The minor version of the GStreamer that the plugin @name in @file was built
 * with, which needs that one or a newer; -1 if the file is no such plugin. */
gint cgst_plugin_minor_version (const gchar * file, const gchar * name);

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

/* Quarks are macros. */
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

/* The element of this name in a bin, or else in a bin that is in it, or NULL; unref it.
 * Elements that an application has added are in bins, and may have any name. */
GstElement *cgst_bin_get (gpointer bin, const gchar * name);

static inline void
cgst_recalculate_latency (gpointer pipeline)
{
  (void) gst_bin_recalculate_latency ((GstBin *) pipeline);
}

/* The next samples of an appsink, at least one frame; waits for them. NULL at the end of the
 * stream, and once the pipeline is stopped. */
GstBuffer *cgst_pull (gpointer appsink);

/* Sets a tag at every encoder and muxer of a pipeline, whatever the stream
 * says; @text is as gst_value_serialize() writes it, @more adds it to those that are set
 * already. FALSE if it is none. */
gboolean cgst_set_tag (gpointer pipeline, const gchar * name,
    const gchar * text, gboolean more);

/* The string of a GValue of that type, else NULL; it belongs to the value. */
static inline const gchar *
cgst_value_string (const GValue * value)
{
  return G_VALUE_HOLDS_STRING (value) ? g_value_get_string (value) : NULL;
}

/* Whether a GValue is of type double, and its number. */
static inline gboolean
cgst_value_double (const GValue * value, gdouble * number)
{
  if (!G_VALUE_HOLDS_DOUBLE (value))
    return FALSE;
  *number = g_value_get_double (value);
  return TRUE;
}

/* The size of the buffer in a GValue of type GstSample (a picture), else 0. */
static inline gsize
cgst_value_sample_bytes (const GValue * value)
{
  if (!GST_VALUE_HOLDS_SAMPLE (value))
    return 0;
  GstBuffer *buffer = gst_sample_get_buffer (gst_value_get_sample (value));
  return buffer ? gst_buffer_get_size (buffer) : 0;
}

/* Copies the first @size bytes of such a buffer; returns their number. */
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

/* The short name of the place of a channel ("FL"), empty if it has none;
 * free it with g_free(). */
gchar *cgst_channel_name (const GstAudioInfo * info, guint channel);

/* Makes @decodebin decode MP3 by mpg123audiodec instead of avdec_mp3, which dithers
 * loud audio: its output differs at each decode. */
void cgst_prefer_mpg123 (gpointer decodebin);

/* Lets @decodebin decode Opus by avdec_opus rather than by opusdec: three times as
 * fast and into floats, but right for music alone. */
void cgst_prefer_libav_opus (gpointer decodebin);

/* Caps of the audio decoder's input in a pipeline, or NULL if there is none (raw
 * audio); unref them. */
GstCaps *cgst_decoder_caps (gpointer pipeline);

/* The size of a sample in caps of ALAC, or 0. */
guint cgst_alac_bits (GstCaps * caps);

/* The end of the last buffer that a sink has seen, in ns, or GST_CLOCK_TIME_NONE. */
static inline GstClockTime
cgst_last_end (gpointer sink)
{
  GstSample *sample = NULL;
  GstClockTime end = GST_CLOCK_TIME_NONE;

  g_object_get (sink, "last-sample", &sample, NULL);
  if (sample) {
    GstBuffer *buffer = gst_sample_get_buffer (sample);
    if (buffer && GST_BUFFER_PTS_IS_VALID (buffer)
        && GST_BUFFER_DURATION_IS_VALID (buffer))
      end = GST_BUFFER_PTS (buffer) + GST_BUFFER_DURATION (buffer);
    gst_sample_unref (sample);
  }
  return end;
}

/* Holds back the buffers that leave @element, and posts an application message
 * named "blocked" for each that waits. Gives the id for cgst_unblock(). */
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
