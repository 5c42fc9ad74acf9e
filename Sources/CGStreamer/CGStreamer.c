/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "CGStreamer.h"

#include <dlfcn.h>
#include <string.h>

typedef struct
{
  const gchar *name;
  GValue value;
  GstTagMergeMode mode;
} CGstTag;

gchar *
cgst_channel_name (const GstAudioInfo * info, guint channel)
{
  static const gchar *const names[] = { "FL", "FR", "FC", "LFE", "BL", "BR",
    "FLC", "FRC", "BC", "LFE2", "SL", "SR", "TFL", "TFR", "TFC", "TC", "TBL",
    "TBR", "TSL", "TSR", "TBC", "BFC", "BFL", "BFR", "WL", "WR", "LS", "RS"
  };
  GstAudioChannelPosition position = info->position[channel];

  if (GST_AUDIO_INFO_IS_UNPOSITIONED (info))
    return g_strdup ("");
  if (position == GST_AUDIO_CHANNEL_POSITION_MONO)
    return g_strdup ("M");
  if (position < 0 || position >= (gint) G_N_ELEMENTS (names))
    return g_strdup ("");
  return g_strdup (names[position]);
}

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

gint
cgst_plugin_minor_version (const gchar * file, const gchar * name)
{
  const GstPluginDesc *(*get_desc) (void) = NULL;
  gchar *symbol = g_strdup_printf ("gst_plugin_%s_get_desc", name);
  void *module = dlopen (file, RTLD_LAZY | RTLD_LOCAL);
  gint minor = -1;

  if (module != NULL)
    *(void **) &get_desc = dlsym (module, symbol);
  if (get_desc != NULL)
    minor = get_desc ()->minor_version;
  if (module != NULL)
    dlclose (module);
  g_free (symbol);
  return minor;
}

/* Stores the first audio decoder in @result and ends the iteration. */
static gboolean
find_decoder (const GValue * item, GValue * result, gpointer unused)
{
  GstElement *element = g_value_get_object (item);
  const gchar *klass =
      gst_element_get_metadata (element, GST_ELEMENT_METADATA_KLASS);

  if (klass == NULL || strstr (klass, "Decoder") == NULL
      || strstr (klass, "Audio") == NULL)
    return TRUE;
  g_value_set_object (result, element);
  return FALSE;
}

GstCaps *
cgst_decoder_caps (gpointer pipeline)
{
  GValue found = G_VALUE_INIT;
  GstIterator *elements = gst_bin_iterate_recurse (pipeline);
  GstCaps *caps = NULL;

  g_value_init (&found, GST_TYPE_ELEMENT);
  gst_iterator_fold (elements, (GstIteratorFoldFunction) find_decoder, &found,
      NULL);
  gst_iterator_free (elements);
  GstElement *decoder = g_value_get_object (&found);
  if (decoder) {
    GstPad *pad = gst_element_get_static_pad (decoder, "sink");
    if (pad) {
      caps = gst_pad_get_current_caps (pad);
      gst_object_unref (pad);
    }
  }
  g_value_unset (&found);
  return caps;
}

static GstPadProbeReturn
report_blocked (GstPad * pad, GstPadProbeInfo * info, gpointer unused)
{
  GstElement *element = gst_pad_get_parent_element (pad);

  if (element) {
    gst_element_post_message (element,
        gst_message_new_application (GST_OBJECT (element),
            gst_structure_new_empty ("blocked")));
    gst_object_unref (element);
  }
  return GST_PAD_PROBE_OK;
}

gulong
cgst_block (gpointer element)
{
  GstPad *pad = gst_element_get_static_pad (element, "src");

  if (pad == NULL)
    return 0;
  gulong id = gst_pad_add_probe (pad,
      GST_PAD_PROBE_TYPE_BLOCK | GST_PAD_PROBE_TYPE_BUFFER, report_blocked,
      NULL, NULL);
  gst_object_unref (pad);
  return id;
}

void
cgst_unblock (gpointer element, gulong id)
{
  GstPad *pad = gst_element_get_static_pad (element, "src");

  if (pad == NULL)
    return;
  gst_pad_remove_probe (pad, id);
  gst_object_unref (pad);
}

/* Returns the part of a sample's buffer that's inside the segment. Unlike an audio sink, an
 * appsink doesn't clip. */
static GstBuffer *
clip (GstSample * sample)
{
  GstBuffer *buffer = gst_sample_get_buffer (sample);
  GstCaps *caps = gst_sample_get_caps (sample);
  GstAudioInfo info;

  if (buffer == NULL || caps == NULL || !gst_audio_info_from_caps (&info, caps))
    return NULL;
  return gst_audio_buffer_clip (gst_buffer_ref (buffer),
      gst_sample_get_segment (sample), info.rate, info.bpf);
}

GstBuffer *
cgst_pull (gpointer appsink)
{
  GstSample *sample;
  GstBuffer *buffer = NULL;

  while (buffer == NULL && (sample = gst_app_sink_pull_sample (appsink))) {
    buffer = clip (sample);
    gst_sample_unref (sample);
    if (buffer != NULL && gst_buffer_get_size (buffer) == 0)
      gst_clear_buffer (&buffer);
  }
  return buffer;
}

static void
set_tag (const GValue * item, gpointer tag)
{
  const CGstTag *new_tag = tag;

  gst_tag_setter_add_tag_value (g_value_get_object (item),
      new_tag->mode, new_tag->name, &new_tag->value);
}

gboolean
cgst_set_tag (gpointer pipeline, const gchar * name, const gchar * text,
    gboolean more)
{
  CGstTag tag = { name, G_VALUE_INIT,
    more ? GST_TAG_MERGE_APPEND : GST_TAG_MERGE_REPLACE
  };
  gboolean is_known = gst_tag_exists (name);

  if (!is_known)
    return FALSE;
  g_value_init (&tag.value, gst_tag_get_type (name));
  if (G_VALUE_HOLDS_STRING (&tag.value))
    g_value_set_string (&tag.value, text);
  else
    is_known = gst_value_deserialize (&tag.value, text);
  if (is_known) {
    GstIterator *setters =
        gst_bin_iterate_all_by_interface (pipeline, GST_TYPE_TAG_SETTER);
    (void) gst_iterator_foreach (setters, set_tag, &tag);
    gst_iterator_free (setters);
  }
  g_value_unset (&tag.value);
  return is_known;
}
