/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "common/send.h"
#include "common/pcmbuffer.h"

/* Large enough that the cost of a buffer does not matter, small enough that seeks
 * and state changes take effect at once. */
#define SEND_BYTES (64 << 10)

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
  buffer = gst_retro_buffer_new_copy (info, (const gconstpointer *) span.planes,
      span.n_frames - n_frames, n_frames, TRUE);
  if (buffer == NULL)
    return gst_retro_filter_fail_memory (filter);

  if (gap)
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_GAP);
  *end -= n_frames;
  gst_retro_clock_stamp (clock, buffer, n_frames);
  return gst_retro_filter_push (filter, buffer);
}
