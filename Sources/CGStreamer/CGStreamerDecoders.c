/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "CGStreamerDecoders.h"

/* GValueArray is deprecated, but autoplug-sort uses it */
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

/* We prefer the decoder `wanted` unless the user has raised the rank of `other`. */
typedef struct
{
  const gchar *wanted;
  const gchar *other;
  guint other_rank;             /* rank of `other` in GStreamer */
  gint least_channels;          /* no preference below this */
} Preference;

static const Preference mpg123 =
    { "mpg123audiodec", "avdec_mp3", GST_RANK_MARGINAL, 0 };
static const Preference libav_flac =
    { "avdec_flac", "flacdec", GST_RANK_PRIMARY, 7 };
static const Preference libav_opus =
    { "avdec_opus", "opusdec", GST_RANK_PRIMARY, 0 };

/* Handles autoplug-sort. Returns the factories with the wanted decoder moved before the other
 * one, or NULL to keep their order. */
static GValueArray *
put_wanted_first (GstElement * decodebin, GstPad * pad, GstCaps * caps,
    GValueArray * factories, gpointer preference)
{
  const Preference *decoders = preference;
  gint wanted = find_factory (factories, decoders->wanted);
  gint other = find_factory (factories, decoders->other);
  gint channels = 0;
  GValueArray *sorted;

  if (gst_caps_is_fixed (caps))
    gst_structure_get_int (gst_caps_get_structure (caps, 0), "channels",
        &channels);
  if (other < 0 || wanted < other || channels < decoders->least_channels
      || get_rank (factories, other) > decoders->other_rank)
    return NULL;
  sorted = g_value_array_copy (factories);
  g_value_array_remove (sorted, (guint) wanted);
  return g_value_array_insert (sorted, (guint) other,
      g_value_array_get_nth (factories, (guint) wanted));
}

#pragma GCC diagnostic pop

void
cgst_prefer_right_decoders (gpointer decodebin)
{
  g_signal_connect (decodebin, "autoplug-sort", G_CALLBACK (put_wanted_first),
      (gpointer) & mpg123);
  g_signal_connect (decodebin, "autoplug-sort", G_CALLBACK (put_wanted_first),
      (gpointer) & libav_flac);
}

void
cgst_prefer_libav_opus (gpointer decodebin)
{
  g_signal_connect (decodebin, "autoplug-sort", G_CALLBACK (put_wanted_first),
      (gpointer) & libav_opus);
}
