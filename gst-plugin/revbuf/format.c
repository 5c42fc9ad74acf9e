/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "revbuf/gstrevbuf.h"

#include <string.h>

TimeBlocksFormat
gst_revbuf_formats_find (GPtrArray * formats, const GstAudioInfo * info)
{
  TimeBlocksFormat format = {.rate = GST_AUDIO_INFO_RATE (info) };
  guint i = 0;

  while (i < formats->len
      && !gst_audio_info_is_equal (g_ptr_array_index (formats, i), info))
    i++;
  if (i == formats->len)
    g_ptr_array_add (formats, gst_audio_info_copy (info));

  format.channels = GST_AUDIO_INFO_CHANNELS (info);
  format.planes = gst_retro_info_planes (info);
  format.stride_bytes = gst_retro_info_plane_stride (info);
  format.sample_bytes = GST_AUDIO_INFO_BPS (info);
  /* we don't use gst_audio_format_info_fill_silence(): it compiles code first,
   * which would delay the first sound */
  memcpy (format.silence, info->finfo->silence, sizeof format.silence);
  format.id = g_ptr_array_index (formats, i);
  return format;
}

/* ---- samples as numbers -------------------------------------------------- */

/* Converts @n contiguous samples, to or from every @step-th element of @numbers. */
static void
format_convert_samples (GstAudioConverter * converter, gboolean to_numbers,
    gpointer samples, gdouble * numbers, guint step, gsize n)
{
  g_autofree gdouble *run = g_new (gdouble, n);
  gpointer in[] = { to_numbers ? samples : run };
  gpointer out[] = { to_numbers ? run : samples };
  gsize i;

  for (i = 0; i < n && !to_numbers; i++)
    run[i] = numbers[i * step];
  gst_audio_converter_samples (converter, GST_AUDIO_CONVERTER_FLAG_NONE, in, n,
      out, n);
  for (i = 0; i < n && to_numbers; i++)
    numbers[i * step] = run[i];
}

void
gst_revbuf_format_convert (const TimeBlocksFormat * format, int to_numbers,
    void *samples, size_t plane_bytes, double *numbers, size_t frames)
{
  const GstAudioInfo *info = format->id;
  GstAudioInfo one, other;
  GstAudioConverter *converter;
  guint p;

  /* A converter for one channel. One for several channels would set up mixing, too, which fails
   * with 64 channels or more. */
  gst_audio_info_set_format (&one, to_numbers ? info->finfo->format :
      GST_AUDIO_FORMAT_F64, info->rate, 1, NULL);
  gst_audio_info_set_format (&other, to_numbers ? GST_AUDIO_FORMAT_F64 :
      info->finfo->format, info->rate, 1, NULL);
  converter = gst_audio_converter_new (GST_AUDIO_CONVERTER_FLAG_NONE, &one,
      &other, NULL);
  if (converter == NULL)
    return;
  for (p = 0; p < format->planes; p++)
    format_convert_samples (converter, to_numbers,
        (guint8 *) samples + p * plane_bytes, numbers + p, format->planes,
        frames * format->channels / format->planes);
  gst_audio_converter_free (converter);
}
