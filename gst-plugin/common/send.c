/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "common/send.h"
#include "common/pcmbuffer.h"

#include <timedsp.h>

/* Large enough that the cost of a buffer does not matter, small enough that seeks
 * and state changes take effect at once. */
#define SEND_BYTES (64 << 10)

/* The last @n_frames of @span, reversed. */
static GstBuffer *
reversed_buffer (const GstRetroSpan * span, gsize n_frames,
    const GstAudioInfo * info)
{
  gsize stride = gst_retro_info_plane_stride (info);
  gsize skip_bytes = (span->n_frames - n_frames) * stride;
  GstBuffer *buffer = gst_retro_buffer_new (info, n_frames);
  GstAudioBuffer audio;
  gint p;

  if (buffer == NULL)
    return NULL;
  if (!gst_audio_buffer_map (&audio, info, buffer, GST_MAP_WRITE)) {
    gst_buffer_unref (buffer);
    return NULL;
  }
  for (p = 0; p < audio.n_planes; p++)
    timedsp_reverse (span->planes[p] + skip_bytes, audio.planes[p], n_frames,
        stride);
  gst_audio_buffer_unmap (&audio);
  return buffer;
}

GstFlowReturn
gst_retro_send_reversed (GstRetroFilter * filter, GstRetroStore * store,
    guint64 first, guint64 * end, gboolean gap, GstRetroClock * clock)
{
  const GstAudioInfo *info = gst_retro_filter_get_info (filter);
  gsize max_frames = MAX (SEND_BYTES / GST_AUDIO_INFO_BPF (info), 1);
  GError *error = NULL;
  GstBuffer *buffer;
  GstRetroSpan span;
  gsize n_frames;

  if (!gst_retro_store_peek_before (store, *end, &span, &error))
    return gst_retro_filter_fail (filter, error);

  n_frames = MIN (span.n_frames, MIN (*end - first, max_frames));
  buffer = reversed_buffer (&span, n_frames, info);
  if (buffer == NULL)
    return gst_retro_filter_fail_memory (filter);

  if (gap)
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_GAP);
  *end -= n_frames;
  gst_retro_clock_stamp (clock, buffer, n_frames);
  return gst_retro_filter_push (filter, buffer);
}
