/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "timescale/gsttimescale.h"
#include "common/pcmbuffer.h"

gboolean
gst_timescale_keeps (GstTimeScale * self)
{
  const GstTimeScaleSettings *settings = &self->settings;
  GST_RETRO_AUTO_LOCK (self);

  return self->store != NULL || (self->chain == NULL
      && settings->alignment == GST_TIMESCALE_ENDPOINTS
      && !settings->pitch.kept && settings->pitch.semitones == 0
      && settings->pitch.formants == TIMECHAIN_FORMANTS_FOLLOW
      && settings->pitch.formant_semitones == 0);
}

GstFlowReturn
gst_timescale_keep (GstTimeScale * self, GstBuffer * buffer)
{
  const GstAudioInfo *info = gst_retro_filter_get_info (&self->parent);
  GError *error = NULL;

  GST_OBJECT_LOCK (self);
  if (self->store == NULL)
    self->store = gst_retro_store_new (info,
        self->settings.storage.max_memory_bytes,
        self->settings.storage.spill_directory);
  GST_OBJECT_UNLOCK (self);
  gst_retro_store_append_frames (self->store, buffer, info, 0,
      gst_retro_buffer_frames (buffer, info), &error);
  gst_buffer_unref (buffer);
  return error == NULL ? GST_FLOW_OK :
      gst_retro_filter_fail (&self->parent, error);
}

GstFlowReturn
gst_timescale_drain_endpoints (GstTimeScale * self, TimeDSPConfig audio)
{
  TimeDSPStatus status;
  guint64 count, length;
  GstFlowReturn ret;

  if (self->store == NULL)
    return GST_FLOW_OK;

  count = gst_retro_store_get_frames (self->store);
  status = timedsp_scaled_length (count, self->segments.factor, &length);
  if (status == TIMEDSP_OK)
    status = timechain_new_endpoints (&audio, count, length, &self->chain);
  ret = status == TIMEDSP_OK ?
      gst_timescale_feed_store (self) : gst_timescale_fail (self, status);
  if (ret == GST_FLOW_OK)
    ret = gst_timescale_push_rest (self, FALSE);

  g_clear_pointer (&self->chain, timechain_free);
  g_clear_pointer (&self->store, gst_retro_store_free);
  gst_retro_clock_stop (&self->clock);
  return ret;
}
