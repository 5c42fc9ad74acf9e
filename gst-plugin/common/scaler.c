/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "common/scaler.h"
#include "common/pcmbuffer.h"

/* Input that is scaled into several output buffers. */
typedef struct
{
  GstRetroFilter *filter;
  TimeDSPScaler *scaler;
  GstRetroClock *clock;
  const GstAudioInfo *info;
  const guint8 **in;            /* planes; NULL: the input has ended */
  gsize in_frames;              /* not yet taken */
  GstBuffer *original;          /* (nullable): where metas come from */
  gboolean gap;
} Work;

GstFlowReturn
gst_retro_scale_fail (GstRetroFilter * filter, TimeDSPStatus status)
{
  gint code = status == TIMEDSP_NO_MEMORY ?
      GST_RESOURCE_ERROR_NO_SPACE_LEFT : GST_RESOURCE_ERROR_FAILED;

  return gst_retro_filter_fail (filter, g_error_new (GST_RESOURCE_ERROR, code,
          "The audio could not be scaled: %s", timedsp_status_text (status)));
}

TimeDSPConfig
gst_retro_scale_config (const GstAudioInfo * info,
    TimeDSPInterpolation interpolation, guint quality)
{
  TimeDSPConfig config = {
    .layout = GST_AUDIO_INFO_LAYOUT (info) == GST_AUDIO_LAYOUT_NON_INTERLEAVED ?
        TIMEDSP_PLANAR : TIMEDSP_INTERLEAVED,
    .interpolation = interpolation,
    .channels = GST_AUDIO_INFO_CHANNELS (info),
    .quality = quality
  };

  switch (GST_AUDIO_INFO_FORMAT (info)) {
    case GST_AUDIO_FORMAT_S16:
      config.format = TIMEDSP_S16;
      break;
    case GST_AUDIO_FORMAT_S32:
      config.format = TIMEDSP_S32;
      break;
    case GST_AUDIO_FORMAT_F32:
      config.format = TIMEDSP_F32;
      break;
    default:
      config.format = TIMEDSP_F64;
  }
  return config;
}

static TimeDSPStatus
fill_buffer (Work * work, GstBuffer * buffer, gsize capacity, gsize * made)
{
  gsize stride = gst_retro_info_plane_stride (work->info);
  TimeDSPStatus status;
  GstAudioBuffer audio;
  gsize used = 0;
  gint p;

  if (!gst_audio_buffer_map (&audio, work->info, buffer, GST_MAP_WRITE))
    return TIMEDSP_NULL_POINTER;

  if (work->in != NULL) {
    status = timedsp_scaler_process (work->scaler,
        (const void *const *) work->in, work->in_frames, audio.planes,
        capacity, &used, made);
    for (p = 0; p < audio.n_planes; p++)
      work->in[p] += used * stride;
    work->in_frames -= used;
  } else {
    status = timedsp_scaler_finish (work->scaler, audio.planes, capacity, made);
  }
  gst_audio_buffer_unmap (&audio);
  return status;
}

GstFlowReturn
gst_retro_scale_push (GstRetroFilter * filter, GstRetroClock * clock,
    GstBuffer * buffer, gsize n_frames, GstBuffer * original, gboolean gap)
{
  gsize frame_bytes = GST_AUDIO_INFO_BPF (gst_retro_filter_get_info (filter));

  if (n_frames == 0) {
    gst_buffer_unref (buffer);
    return GST_FLOW_OK;
  }
  if (gst_buffer_get_audio_meta (buffer) != NULL)
    buffer = gst_audio_buffer_truncate (buffer, frame_bytes, 0, n_frames);
  else                          /* that function would allocate another buffer */
    gst_buffer_set_size (buffer, n_frames * frame_bytes);
  if (gap)
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_GAP);
  if (original != NULL)
    gst_retro_buffer_copy_metas (buffer, original);
  gst_retro_clock_stamp (clock, buffer, n_frames);
  return gst_retro_filter_push (filter, buffer);
}

/* Pushes everything that @work produces. */
static GstFlowReturn
do_work (Work * work)
{
  GstFlowReturn ret = GST_FLOW_OK;
  gsize capacity, made;

  do {
    guint64 max_frames = 0;
    TimeDSPStatus status;
    GstBuffer *buffer;

    timedsp_scaler_max_output (work->scaler, work->in_frames, &max_frames);
    /* one more: a full buffer would ask for another */
    capacity = MIN (max_frames + 1, GST_RETRO_SCALE_MAX_FRAMES);
    buffer = gst_retro_buffer_new (work->info, capacity);
    if (buffer == NULL)
      return gst_retro_scale_fail (work->filter, TIMEDSP_NO_MEMORY);

    status = fill_buffer (work, buffer, capacity, &made);
    if (status != TIMEDSP_OK) {
      gst_buffer_unref (buffer);
      return gst_retro_scale_fail (work->filter, status);
    }
    ret = gst_retro_scale_push (work->filter, work->clock, buffer, made,
        work->original, work->gap);
  } while (ret == GST_FLOW_OK && made == capacity);
  return ret;
}

/* Does @work for @n_frames of its buffer from @first on. */
static GstFlowReturn
scale_frames (Work * work, gsize first, gsize n_frames)
{
  GstAudioBuffer audio;
  GstFlowReturn ret;
  gint p;

  if (!gst_audio_buffer_map (&audio, work->info, work->original, GST_MAP_READ))
    return gst_retro_scale_fail (work->filter, TIMEDSP_NULL_POINTER);
  work->in = g_newa (const guint8 *, audio.n_planes);
  for (p = 0; p < audio.n_planes; p++)
    work->in[p] = (const guint8 *) audio.planes[p] +
        first * gst_retro_info_plane_stride (work->info);
  work->in_frames = n_frames;
  ret = do_work (work);
  gst_audio_buffer_unmap (&audio);
  return ret;
}

GstFlowReturn
gst_retro_scale_frames (GstRetroFilter * filter, TimeDSPScaler * scaler,
    GstRetroClock * clock, GstBuffer * buffer, gsize first, gsize n_frames,
    gboolean gap)
{
  Work work = {.filter = filter,.scaler = scaler,.clock = clock,
    .info = gst_retro_filter_get_info (filter),.original = buffer,.gap = gap
  };

  return scale_frames (&work, first, n_frames);
}

/* @memory holds interleaved frames. To map it is a good part of what passing a
 * buffer on costs, and gst_audio_buffer_map() costs more. */
static gboolean
pass_memory (TimeDSPScaler * scaler, GstMemory * memory, gsize n_frames)
{
  TimeDSPStatus status;
  GstMapInfo map;

  if (!gst_memory_map (memory, &map, GST_MAP_READ))
    return FALSE;
  status = timedsp_scaler_pass (scaler, (const void *const[]) { map.data },
      n_frames);
  gst_memory_unmap (memory, &map);
  return status == TIMEDSP_OK;
}

gboolean
gst_retro_scale_pass (GstRetroFilter * filter, TimeDSPScaler * scaler,
    GstBuffer * buffer, gsize n_frames)
{
  const GstAudioInfo *info = gst_retro_filter_get_info (filter);
  GstAudioBuffer audio;
  TimeDSPStatus status;

  if (GST_AUDIO_INFO_LAYOUT (info) == GST_AUDIO_LAYOUT_INTERLEAVED
      && gst_buffer_n_memory (buffer) == 1)
    return pass_memory (scaler, gst_buffer_peek_memory (buffer, 0), n_frames);

  if (!gst_audio_buffer_map (&audio, info, buffer, GST_MAP_READ))
    return FALSE;
  status = timedsp_scaler_pass (scaler, (const void *const *) audio.planes,
      n_frames);
  gst_audio_buffer_unmap (&audio);
  return status == TIMEDSP_OK;
}

GstFlowReturn
gst_retro_scale_finish (GstRetroFilter * filter, TimeDSPScaler * scaler,
    GstRetroClock * clock)
{
  Work work = {.filter = filter,.scaler = scaler,.clock = clock,
    .info = gst_retro_filter_get_info (filter)
  };

  return do_work (&work);
}

GstFlowReturn
gst_retro_scale_store (GstRetroFilter * filter, TimeDSPScaler * scaler,
    GstRetroClock * clock, GstRetroStore * store)
{
  Work work = {.filter = filter,.scaler = scaler,.clock = clock,
    .info = gst_retro_filter_get_info (filter)
  };
  guint n_planes = gst_retro_info_planes (work.info);
  guint64 first = 0, count = gst_retro_store_get_frames (store);
  GstFlowReturn ret = GST_FLOW_OK;
  GError *error = NULL;
  GstRetroSpan span;

  work.in = g_newa (const guint8 *, n_planes);
  while (first < count && ret == GST_FLOW_OK) {
    if (!gst_retro_store_peek_from (store, first, &span, &error))
      return gst_retro_filter_fail (filter, error);
    memcpy (work.in, span.planes, n_planes * sizeof (gpointer));
    work.in_frames = span.n_frames;
    ret = do_work (&work);
    first += span.n_frames;
  }
  return ret == GST_FLOW_OK ? gst_retro_scale_finish (filter, scaler,
      clock) : ret;
}
