/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "revbuf/format.h"
#include "common/pcmbuffer.h"

GPtrArray *
gst_revbuf_formats_new (void)
{
  return g_ptr_array_new_with_free_func ((GDestroyNotify) gst_audio_info_free);
}

static const GstAudioInfo *
find_info (GPtrArray * formats, const GstAudioInfo * info)
{
  GstAudioInfo *known;
  guint i;

  for (i = 0; i < formats->len; i++)
    if (gst_audio_info_is_equal (g_ptr_array_index (formats, i), info))
      return g_ptr_array_index (formats, i);
  known = gst_audio_info_copy (info);
  g_ptr_array_add (formats, known);
  return known;
}

TimePlayFormat
gst_revbuf_formats_find (GPtrArray * formats, const GstAudioInfo * info)
{
  TimePlayFormat format = {.rate = GST_AUDIO_INFO_RATE (info) };

  format.channels = GST_AUDIO_INFO_CHANNELS (info);
  format.planes = gst_retro_info_planes (info);
  format.stride_bytes = gst_retro_info_plane_stride (info);
  format.sample_bytes = GST_AUDIO_INFO_BPS (info);
  gst_audio_format_info_fill_silence (info->finfo, format.silence,
      format.sample_bytes);
  format.id = find_info (formats, info);
  return format;
}

const GstAudioInfo *
gst_revbuf_format_info (const TimePlayFormat * format)
{
  return format->id;
}

/* ---- samples as numbers -------------------------------------------------- */

/* Of one channel, as a converter of many would also mix them, and of 64 and more
 * cannot. */
static GstAudioConverter *
converter_new (const GstAudioInfo * info, gboolean to_numbers)
{
  GstAudioInfo numbers, samples;

  gst_audio_info_set_format (&numbers, GST_AUDIO_FORMAT_F64, info->rate, 1,
      NULL);
  gst_audio_info_set_format (&samples, GST_AUDIO_INFO_FORMAT (info),
      info->rate, 1, NULL);
  return gst_audio_converter_new (GST_AUDIO_CONVERTER_FLAG_NONE,
      to_numbers ? &samples : &numbers, to_numbers ? &numbers : &samples, NULL);
}

static void
convert_run (GstAudioConverter * converter, gboolean to_numbers,
    gpointer samples, gdouble * numbers, gsize n)
{
  gpointer run_of_samples[] = { samples }, run_of_numbers[] = { numbers };

  gst_audio_converter_samples (converter, GST_AUDIO_CONVERTER_FLAG_NONE,
      to_numbers ? run_of_samples : run_of_numbers, n,
      to_numbers ? run_of_numbers : run_of_samples, n);
}

/* Of one plane of several, to or from every @n_planes-th of @numbers. */
static void
convert_plane (GstAudioConverter * converter, gboolean to_numbers,
    gpointer samples, gdouble * numbers, guint n_planes, gsize n_frames)
{
  gdouble *run = g_new (gdouble, n_frames);
  gsize i;

  for (i = 0; i < n_frames && !to_numbers; i++)
    run[i] = numbers[i * n_planes];
  convert_run (converter, to_numbers, samples, run, n_frames);
  for (i = 0; i < n_frames && to_numbers; i++)
    numbers[i * n_planes] = run[i];
  g_free (run);
}

void
gst_revbuf_format_convert (const TimePlayFormat * format, int to_numbers,
    void *samples, size_t plane_bytes, double *numbers, size_t frames)
{
  GstAudioConverter *converter =
      converter_new (gst_revbuf_format_info (format), to_numbers);
  guint8 *plane = samples;
  guint p;

  if (converter == NULL)
    return;
  if (format->planes == 1)
    convert_run (converter, to_numbers, plane, numbers,
        frames * format->channels);
  for (p = 0; p < format->planes && format->planes > 1; p++)
    convert_plane (converter, to_numbers, plane + p * plane_bytes, numbers + p,
        format->planes, frames);
  gst_audio_converter_free (converter);
}
