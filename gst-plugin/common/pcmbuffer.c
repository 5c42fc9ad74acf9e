/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "common/pcmbuffer.h"

#include <string.h>

/* A decoder upstream may already have clipped the audio, and rounded down the number of frames to
 * drop. Then the audio runs past the stop by up to one frame, plus 1 ns each for the rounding of
 * start, length and stop. We mustn't drop that frame here. */
#define CLIP_ROUNDING_NS 3

#define is_planar(info) \
    (GST_AUDIO_INFO_LAYOUT (info) == GST_AUDIO_LAYOUT_NON_INTERLEAVED)

guint
gst_retro_info_planes (const GstAudioInfo * info)
{
  return is_planar (info) ? GST_AUDIO_INFO_CHANNELS (info) : 1;
}

gsize
gst_retro_info_plane_stride (const GstAudioInfo * info)
{
  return GST_AUDIO_INFO_BPF (info) / gst_retro_info_planes (info);
}

gboolean
gst_retro_info_dsp_format (const GstAudioInfo * info, TimeDSPFormat * format)
{
  static const GstAudioFormat formats[] = {
    [TIMEDSP_S16] = GST_AUDIO_FORMAT_S16,[TIMEDSP_S32] = GST_AUDIO_FORMAT_S32,
    [TIMEDSP_F32] = GST_AUDIO_FORMAT_F32,[TIMEDSP_F64] = GST_AUDIO_FORMAT_F64
  };

  for (*format = 0; *format < G_N_ELEMENTS (formats); (*format)++)
    if (formats[*format] == GST_AUDIO_INFO_FORMAT (info))
      return TRUE;
  return FALSE;
}

GstBuffer *
gst_retro_buffer_new (const GstAudioInfo * info, gsize n_frames,
    gpointer * planes)
{
  guint n_planes = is_planar (info) ? GST_AUDIO_INFO_CHANNELS (info) : 1, p;
  GstBuffer *buffer;
  guint8 *data;
  gsize bytes;

  if (!g_size_checked_mul (&bytes, n_frames, GST_AUDIO_INFO_BPF (info)))
    return NULL;

  /* gst_buffer_new_allocate() would abort if memory can't be allocated */
  data = g_try_malloc (MAX (bytes, 1));
  if (data == NULL)
    return NULL;

  buffer = gst_buffer_new_wrapped (data, bytes);
  if (is_planar (info))
    gst_buffer_add_audio_meta (buffer, info, n_frames, NULL);
  for (p = 0; p < n_planes; p++)
    planes[p] = data + p * (bytes / n_planes);
  return buffer;
}

GstBuffer *
gst_retro_buffer_new_copy (const GstAudioInfo * info,
    const gconstpointer * planes, gsize first, gsize n_frames,
    gboolean reversed)
{
  guint n_planes = gst_retro_info_planes (info), p;
  gsize stride = GST_AUDIO_INFO_BPF (info) / n_planes;
  gpointer *to = g_newa (gpointer, n_planes);
  GstBuffer *buffer = gst_retro_buffer_new (info, n_frames, to);

  if (buffer == NULL)
    return NULL;
  for (p = 0; p < n_planes; p++) {
    const guint8 *from = (const guint8 *) planes[p] + first * stride;

    if (reversed)
      timedsp_reverse (from, to[p], n_frames, stride);
    else
      memcpy (to[p], from, n_frames * stride);
  }
  return buffer;
}

gboolean
gst_retro_buffer_is_sound (GstBuffer * buffer, const GstAudioInfo * info)
{
  GstAudioMeta *meta = gst_buffer_get_audio_meta (buffer);
  gsize bytes = gst_buffer_get_size (buffer), plane_bytes;
  guint i;

  if (meta == NULL)
    return !is_planar (info);
  if (!gst_audio_info_is_equal (&meta->info, info)
      || !g_size_checked_mul (&plane_bytes, meta->samples,
          gst_retro_info_plane_stride (info)))
    return FALSE;
  for (i = 0; i < gst_retro_info_planes (info); i++) {
    gsize start = is_planar (info) ? meta->offsets[i] : 0;

    if (start > bytes || plane_bytes > bytes - start)
      return FALSE;
  }
  return TRUE;
}

gsize
gst_retro_buffer_frames (GstBuffer * buffer, const GstAudioInfo * info)
{
  GstAudioMeta *meta = gst_buffer_get_audio_meta (buffer);

  if (meta != NULL)
    return meta->samples;
  return gst_buffer_get_size (buffer) / GST_AUDIO_INFO_BPF (info);
}

GstBuffer *
gst_retro_buffer_clip (GstBuffer * buffer, const GstSegment * segment,
    const GstAudioInfo * info)
{
  GstClockTime duration_ns =
      gst_util_uint64_scale_int (gst_retro_buffer_frames (buffer, info),
      GST_SECOND, GST_AUDIO_INFO_RATE (info));
  GstClockTime kept_ns = CLIP_ROUNDING_NS +
      GST_SECOND / GST_AUDIO_INFO_RATE (info);

  /* gst_audio_buffer_clip() keeps almost any audio if the stop is before the start */
  if (segment->stop < segment->start) {
    gst_buffer_unref (buffer);
    return NULL;
  }
  /* the usual case: nothing to do */
  if (GST_BUFFER_PTS_IS_VALID (buffer)
      && GST_BUFFER_PTS (buffer) >= segment->start
      && segment->stop > GST_BUFFER_PTS (buffer)
      && segment->stop - GST_BUFFER_PTS (buffer) >=
      duration_ns - MIN (duration_ns, kept_ns))
    return buffer;
  if (GST_BUFFER_DURATION (buffer) != duration_ns) {
    buffer = gst_buffer_make_writable (buffer);
    GST_BUFFER_DURATION (buffer) = duration_ns;
  }
  return gst_audio_buffer_clip (buffer, segment, GST_AUDIO_INFO_RATE (info),
      GST_AUDIO_INFO_BPF (info));
}

/* ---- metas -------------------------------------------------------------- */

/* Returns TRUE if @meta describes the memory of its buffer. Such a meta mustn't be copied to
 * another buffer, but it stays valid if the frames are reordered in place. */
static gboolean
pcm_tells_memory (const GstMeta * meta)
{
  return meta->info->api == GST_AUDIO_META_API_TYPE
      || meta->info->api == GST_PARENT_BUFFER_META_API_TYPE;
}

static gboolean
pcm_meta_stays_true (const GstMeta * meta, gboolean keeps_first_frame)
{
  GType api = meta->info->api;
  const gchar *const *tags = gst_meta_api_type_get_tags (api);

  /* the clipping meta and the reference timestamp meta refer to positions in the buffer */
  if (pcm_tells_memory (meta) || api == GST_AUDIO_CLIPPING_META_API_TYPE
      || (api == GST_REFERENCE_TIMESTAMP_META_API_TYPE && !keeps_first_frame))
    return FALSE;

  if (tags == NULL || tags[0] == NULL)
    return TRUE;
  return tags[1] == NULL && g_str_equal (tags[0], GST_META_TAG_AUDIO_STR);
}

static gboolean
pcm_drop_untrue_meta (GstBuffer * buffer, GstMeta ** meta, gpointer unused)
{
  if (!pcm_tells_memory (*meta) && !pcm_meta_stays_true (*meta, FALSE))
    *meta = NULL;
  return TRUE;
}

void
gst_retro_buffer_copy_metas (GstBuffer * to, GstBuffer * from,
    gboolean keeps_first_frame)
{
  GstMetaTransformCopy whole = { FALSE, 0, -1 };
  gpointer state = NULL;
  GstMeta *meta;

  while ((meta = gst_buffer_iterate_meta (from, &state)) != NULL)
    if (pcm_meta_stays_true (meta, keeps_first_frame)
        && meta->info->transform_func != NULL)
      meta->info->transform_func (to, meta, from, _gst_meta_transform_copy,
          &whole);
}

/* ---- copies, reversed or not ------------------------------------------------ */

static GstBuffer *
pcm_reverse_in_place (GstBuffer * buffer, const GstAudioInfo * info)
{
  gsize stride = gst_retro_info_plane_stride (info);
  GstAudioBuffer audio;
  gint p;

  if (!gst_audio_buffer_map (&audio, info, buffer, GST_MAP_READWRITE))
    return NULL;
  for (p = 0; p < audio.n_planes; p++)
    timedsp_reverse (audio.planes[p], audio.planes[p], audio.n_samples, stride);
  gst_audio_buffer_unmap (&audio);
  gst_buffer_foreach_meta (buffer, pcm_drop_untrue_meta, NULL);
  return gst_buffer_ref (buffer);
}

static GstBuffer *
pcm_make_reversed (GstBuffer * buffer, const GstAudioInfo * info)
{
  GstAudioBuffer from;
  GstBuffer *made;

  if (!gst_audio_buffer_map (&from, info, buffer, GST_MAP_READ))
    return NULL;
  made = gst_retro_buffer_new_copy (info, (const gconstpointer *) from.planes,
      0, from.n_samples, TRUE);
  gst_audio_buffer_unmap (&from);
  if (made == NULL)
    return NULL;
  gst_buffer_copy_into (made, buffer,
      GST_BUFFER_COPY_FLAGS | GST_BUFFER_COPY_TIMESTAMPS, 0, -1);
  gst_retro_buffer_copy_metas (made, buffer, FALSE);
  return made;
}

GstBuffer *
gst_retro_buffer_reverse (GstBuffer * buffer, const GstAudioInfo * info)
{
  GstAudioClippingMeta *meta = gst_buffer_get_audio_clipping_meta (buffer);
  GstAudioClippingMeta clipping = {.format = GST_FORMAT_UNDEFINED };
  GstBuffer *reversed;

  if (meta != NULL)
    clipping = *meta;
  if (gst_buffer_is_writable (buffer)
      && gst_buffer_is_all_memory_writable (buffer))
    reversed = pcm_reverse_in_place (buffer, info);
  else
    reversed = pcm_make_reversed (buffer, info);
  gst_buffer_unref (buffer);

  /* frames to be clipped at the start are now at the end */
  if (reversed != NULL && clipping.format != GST_FORMAT_UNDEFINED)
    gst_buffer_add_audio_clipping_meta (reversed, clipping.format,
        clipping.end, clipping.start);
  return reversed;
}
