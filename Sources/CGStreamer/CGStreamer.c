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

/* ---- order of the decoders ---------------------------------------------------- */

/* GValueArray is deprecated, but the signal autoplug-sort uses it */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

static gint
find_factory (GValueArray * factories, const gchar * name)
{
  for (guint i = 0; i < factories->n_values; i++) {
    GstObject *factory =
        g_value_get_object (g_value_array_get_nth (factories, i));
    if (g_strcmp0 (GST_OBJECT_NAME (factory), name) == 0)
      return (gint) i;
  }
  return -1;
}

static guint
get_rank (GValueArray * factories, gint index)
{
  return gst_plugin_feature_get_rank (g_value_get_object (g_value_array_get_nth
          (factories, (guint) index)));
}

/* The decoder `wanted` is preferred to `other`, unless the user has raised the rank of
 * `other`. */
typedef struct
{
  const gchar *wanted;
  const gchar *other;
  guint other_rank;             /* rank of `other` in GStreamer */
} Preference;

static const Preference mpg123 =
    { "mpg123audiodec", "avdec_mp3", GST_RANK_MARGINAL };
static const Preference libav_opus =
    { "avdec_opus", "opusdec", GST_RANK_PRIMARY };

/* Handles autoplug-sort: returns the factories with the wanted decoder moved before the other
 * one, or NULL to keep their order. */
static GValueArray *
put_wanted_first (GstElement * decodebin, GstPad * pad, GstCaps * caps,
    GValueArray * factories, gpointer preference)
{
  const Preference *decoders = preference;
  gint wanted = find_factory (factories, decoders->wanted);
  gint other = find_factory (factories, decoders->other);
  GValueArray *sorted;

  if (other < 0 || wanted < other
      || get_rank (factories, other) > decoders->other_rank)
    return NULL;
  sorted = g_value_array_copy (factories);
  g_value_array_remove (sorted, (guint) wanted);
  return g_value_array_insert (sorted, (guint) other,
      g_value_array_get_nth (factories, (guint) wanted));
}

#pragma GCC diagnostic pop

void
cgst_prefer_mpg123 (gpointer decodebin)
{
  g_signal_connect (decodebin, "autoplug-sort", G_CALLBACK (put_wanted_first),
      (gpointer) & mpg123);
}

void
cgst_prefer_libav_opus (gpointer decodebin)
{
  g_signal_connect (decodebin, "autoplug-sort", G_CALLBACK (put_wanted_first),
      (gpointer) & libav_opus);
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

/* Returns the part of a sample's buffer that is inside the segment: an appsink, unlike an
 * audio sink, does not clip. */
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

guint
cgst_alac_bits (GstCaps * caps)
{
  const GstStructure *structure = gst_caps_get_structure (caps, 0);
  GstBuffer *data = NULL;
  guint8 bits = 0;

  if (!gst_structure_has_name (structure, "audio/x-alac")
      || !gst_structure_get (structure, "codec_data", GST_TYPE_BUFFER, &data,
          NULL))
    return 0;
  /* 12 bytes are the header of the box `alac`; the byte at offset 5 of its contents is the
   * number of bits per sample */
  if (gst_buffer_extract (data, 17, &bits, 1) != 1)
    bits = 0;
  gst_buffer_unref (data);
  return bits;
}
