/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * alignment=endpoints: we have to know the length of a run before we can output its first frame.
 */

#include "timescale/gsttimescale.h"

#include <string.h>

gboolean
gst_time_scale_wants_keeping (GstTimeScale * self)
{
  const TimePitch *pitch = &self->now.pitch;

  /* a stretcher doesn't interpolate between frames */
  return self->now.alignment == GST_TIME_SCALE_ENDPOINTS && !pitch->kept
      && pitch->semitones == 0 && pitch->formants == TIMECHAIN_FORMANTS_FOLLOW
      && pitch->formant_semitones == 0;
}

static GstFlowReturn
endpoints_fail (GstTimeScale * self, GError * error)
{
  gst_element_message_full (GST_ELEMENT (self), GST_MESSAGE_ERROR,
      error->domain, error->code, g_strdup (error->message), NULL, __FILE__,
      GST_FUNCTION, __LINE__);
  g_error_free (error);
  return GST_FLOW_ERROR;
}

GstFlowReturn
gst_time_scale_keep (GstTimeScale * self)
{
  GError *error = NULL;

  GST_OBJECT_LOCK (self);
  if (self->store == NULL)
    self->store = gst_retro_store_new (&self->input.info,
        self->settings.storage.max_memory_bytes,
        self->settings.storage.spill_directory);
  GST_OBJECT_UNLOCK (self);
  /* the last settings apply to the whole run */
  gst_time_scale_copy_settings (self);
  gst_time_scale_adopt (self, self->run_start_ns);
  gst_retro_store_append (self->store, self->buffer, 0, self->buffer_frames,
      &error);
  gst_clear_buffer (&self->buffer);
  return error == NULL ? GST_FLOW_OK : endpoints_fail (self, error);
}

/* Scales and sends all frames that were kept. */
static GstFlowReturn
endpoints_send_all (GstTimeScale * self)
{
  guint64 n_frames = self->store->n_frames, first = 0;
  const guint8 **in = g_newa (const guint8 *, self->n_planes);
  GstFlowReturn ret = GST_FLOW_OK;
  GError *error = NULL;
  GstRetroSpan span;
  GstBuffer *buffer;
  gsize used;

  for (; ret == GST_FLOW_OK && first < n_frames; first += used) {
    if (!gst_retro_store_read (self->store, first, FALSE, &span, &error))
      return endpoints_fail (self, error);
    memcpy (in, span.planes, self->n_planes * sizeof *in);
    ret = gst_time_scale_run (self, in, span.n_frames, &used, &buffer);
    if (buffer != NULL)
      ret = gst_time_scale_push (self, buffer);
  }
  return ret;
}

GstFlowReturn
gst_time_scale_drain_kept (GstTimeScale * self)
{
  GstFlowReturn ret;
  TimeDSPStatus status;

  gst_time_scale_copy_settings (self);
  gst_time_scale_adopt (self, self->run_start_ns);
  self->is_keeping = FALSE;
  self->is_curved = FALSE;
  g_clear_pointer (&self->scaler, timescaler_free);
  status = gst_time_scale_configure (self);
  ret = status == TIMEDSP_OK ? endpoints_send_all (self) :
      gst_time_scale_fail (self, status);
  if (ret == GST_FLOW_OK)
    ret = gst_time_scale_drain (self);
  g_clear_pointer (&self->scaler, timescaler_free);
  g_clear_pointer (&self->store, gst_retro_store_free);
  gst_retro_clock_stop (&self->clock);
  return ret;
}
