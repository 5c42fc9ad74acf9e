/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "timescale/gsttimescale.h"
#include "common/pcmbuffer.h"

/* Frames that become several output buffers. */
typedef struct
{
  GstTimeScale *self;
  const GstAudioInfo *info;
  const guint8 **in;            /* planes; NULL: the input has ended */
  gsize in_frames;              /* not yet taken */
  GstBuffer *original;          /* (nullable): where metas come from */
  gboolean gap;
} Work;

GstFlowReturn
gst_timescale_fail (GstTimeScale * self, TimeDSPStatus status)
{
  gint code = status == TIMEDSP_NO_MEMORY ?
      GST_RESOURCE_ERROR_NO_SPACE_LEFT : GST_RESOURCE_ERROR_FAILED;

  return gst_retro_filter_fail (&self->parent, g_error_new (GST_RESOURCE_ERROR,
          code, "The audio could not be scaled: %s",
          timedsp_status_text (status)));
}

gsize
gst_timescale_cut_at_gap (GstTimeScale * self, GstBuffer * buffer,
    gsize n_frames)
{
  guint64 left = timechain_frames_before_gap (self->chain);

  return left > 0 && GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_GAP) ?
      MIN (n_frames, left) : n_frames;
}

gboolean
gst_timescale_is_gap (GstTimeScale * self, GstBuffer * buffer, gsize n_frames)
{
  return timechain_is_gap (self->chain, n_frames,
      GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_GAP));
}

/* ---- frames that are handed on ------------------------------------------- */

/* @memory holds interleaved frames. To map it is a good part of what passing a
 * buffer on costs, and gst_audio_buffer_map() costs more. */
static gboolean
pass_memory (TimeChain * chain, GstMemory * memory, gsize n_frames)
{
  TimeDSPStatus status;
  GstMapInfo map;

  if (!gst_memory_map (memory, &map, GST_MAP_READ))
    return FALSE;
  status = timechain_pass (chain, (const void *const[]) { map.data }, n_frames);
  gst_memory_unmap (memory, &map);
  return status == TIMEDSP_OK;
}

/* Tells the chain of the @n_frames of @buffer. FALSE: they have to be scaled. */
static gboolean
pass_frames (GstTimeScale * self, GstBuffer * buffer, gsize n_frames)
{
  const GstAudioInfo *info = gst_retro_filter_get_info (&self->parent);
  GstAudioBuffer audio;
  TimeDSPStatus status;

  if (GST_AUDIO_INFO_LAYOUT (info) == GST_AUDIO_LAYOUT_INTERLEAVED
      && gst_buffer_n_memory (buffer) == 1)
    return pass_memory (self->chain, gst_buffer_peek_memory (buffer, 0),
        n_frames);

  if (!gst_audio_buffer_map (&audio, info, buffer, GST_MAP_READ))
    return FALSE;
  status = timechain_pass (self->chain, (const void *const *) audio.planes,
      n_frames);
  gst_audio_buffer_unmap (&audio);
  return status == TIMEDSP_OK;
}

gboolean
gst_timescale_pass (GstTimeScale * self, GstBuffer * buffer,
    GstFlowReturn * ret)
{
  gsize n_frames = gst_retro_buffer_frames (buffer,
      gst_retro_filter_get_info (&self->parent));

  if (timechain_pass (self->chain, NULL, 0) != TIMEDSP_OK
      || !pass_frames (self, buffer, n_frames))
    return FALSE;
  gst_timescale_is_gap (self, buffer, n_frames);
  gst_retro_buffer_drop_untrue_metas (buffer);
  gst_retro_clock_stamp (&self->clock, buffer, n_frames);
  *ret = gst_retro_filter_push (&self->parent, buffer);
  return TRUE;
}

/* ---- frames that are scaled ---------------------------------------------- */

/* Writes to the planes @out (nullable), which have room for @capacity frames. */
static TimeDSPStatus
scale_frames (Work * work, gpointer * out, gsize capacity,
    TimeChainProgress * done)
{
  TimeChain *chain = work->self->chain;
  gsize stride = gst_retro_info_plane_stride (work->info);
  TimeDSPStatus status;
  guint p;

  if (work->in == NULL)
    return timechain_drain (chain, out, capacity, done);
  status = timechain_process (chain, (const void *const *) work->in,
      work->in_frames, out, capacity, done);
  for (p = 0; p < gst_retro_info_planes (work->info); p++)
    work->in[p] += done->frames_used * stride;
  work->in_frames -= done->frames_used;
  return status;
}

/* Pushes the first @n_frames of @buffer (transfer full) (nullable), if there are any. */
static GstFlowReturn
push_buffer (Work * work, GstBuffer * buffer, gsize n_frames)
{
  gsize frame_bytes = GST_AUDIO_INFO_BPF (work->info);

  if (n_frames == 0) {
    g_clear_pointer (&buffer, gst_buffer_unref);
    return GST_FLOW_OK;
  }
  if (gst_buffer_get_audio_meta (buffer) != NULL)
    buffer = gst_audio_buffer_truncate (buffer, frame_bytes, 0, n_frames);
  else                          /* that function would allocate another buffer */
    gst_buffer_set_size (buffer, n_frames * frame_bytes);
  if (work->gap)
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_GAP);
  if (work->original != NULL)
    gst_retro_buffer_copy_metas (buffer, work->original);
  gst_retro_clock_stamp (&work->self->clock, buffer, n_frames);
  return gst_retro_filter_push (&work->self->parent, buffer);
}

/* Pushes everything that comes of @work. */
static GstFlowReturn
do_work (Work * work)
{
  gpointer *out = g_newa (gpointer, gst_retro_info_planes (work->info));
  GstFlowReturn ret = GST_FLOW_OK;
  TimeChainProgress done;

  do {
    guint64 left = gst_timescale_follow_segments (work->self);
    gsize capacity =
        MIN (timechain_room (work->self->chain, work->in_frames), left);
    GstBuffer *buffer = capacity == 0 ? NULL :
        gst_retro_buffer_new (work->info, capacity, out);
    TimeDSPStatus status = capacity > 0 && buffer == NULL ? TIMEDSP_NO_MEMORY :
        scale_frames (work, buffer == NULL ? NULL : out, capacity, &done);

    if (status != TIMEDSP_OK) {
      g_clear_pointer (&buffer, gst_buffer_unref);
      return gst_timescale_fail (work->self, status);
    }
    ret = push_buffer (work, buffer, done.frames_made);
  } while (ret == GST_FLOW_OK && done.more);
  return ret;
}

GstFlowReturn
gst_timescale_feed (GstTimeScale * self,
    const GstAudioBuffer * audio, gsize first, gsize n_frames, gboolean gap)
{
  Work work = {.self = self,.in_frames = n_frames,
    .original = audio->buffer,.gap = gap,
    .info = gst_retro_filter_get_info (&self->parent)
  };
  gsize stride = gst_retro_info_plane_stride (work.info);
  gint p;

  work.in = g_newa (const guint8 *, audio->n_planes);
  for (p = 0; p < audio->n_planes; p++)
    work.in[p] = (const guint8 *) audio->planes[p] + first * stride;
  return do_work (&work);
}

GstFlowReturn
gst_timescale_feed_store (GstTimeScale * self)
{
  Work work = {.self = self,
    .info = gst_retro_filter_get_info (&self->parent)
  };
  guint n_planes = gst_retro_info_planes (work.info);
  guint64 first = 0, count = gst_retro_store_get_frames (self->store);
  GstFlowReturn ret = GST_FLOW_OK;
  GError *error = NULL;
  GstRetroSpan span;

  work.in = g_newa (const guint8 *, n_planes);
  while (first < count && ret == GST_FLOW_OK) {
    if (!gst_retro_store_peek_from (self->store, first, &span, &error))
      return gst_retro_filter_fail (&self->parent, error);
    memcpy (work.in, span.planes, n_planes * sizeof (gpointer));
    work.in_frames = span.n_frames;
    ret = do_work (&work);
    first += span.n_frames;
  }
  return ret;
}

GstFlowReturn
gst_timescale_push_rest (GstTimeScale * self, gboolean gap)
{
  Work work = {.self = self,.gap = gap,
    .info = gst_retro_filter_get_info (&self->parent)
  };
  GstFlowReturn ret = do_work (&work);

  if (timechain_reset (self->chain) != TIMEDSP_OK)
    g_clear_pointer (&self->chain, timechain_free);
  return ret;
}
