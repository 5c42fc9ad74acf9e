/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "timescale/gsttimescale.h"
#include "common/segment.h"
#include "common/pcmbuffer.h"

/* The data for the actions that result from one input of the session. */
typedef struct
{
  GstTimeScale *self;
  const GstAudioInfo *info;
  GstBuffer *buffer;            /* (nullable) the input buffer; NULL once it has been
                                 * pushed */
  GstAudioBuffer audio;         /* `buffer`, mapped; valid if `mapped` is set */
  gboolean mapped;
  GstRetroSpan span;            /* frames that load() has read from the store */
} Work;

/* ---- curves --------------------------------------------------------------- */

/* Whether a control binding sets the factor. */
static gboolean
is_controlled (GstTimeScale * self)
{
  GstObject *object = GST_OBJECT (self);

  /* check without the lock first, as GStreamer itself does */
  return object->control_bindings != NULL
      && gst_object_has_active_control_bindings (object);
}

/* Does the same as gst_object_sync_values(), but keeps a reference to each control binding:
 * gst_object_sync_values() walks their list without the lock, and may use a binding that the
 * application has just removed. */
static void
sync_curves (GstTimeScale * self, GstClockTime time_ns)
{
  GstObject *object = GST_OBJECT (self);
  GList *curves, *node;

  if (!GST_CLOCK_TIME_IS_VALID (time_ns))
    return;
  GST_OBJECT_LOCK (object);
  curves = g_list_copy_deep (object->control_bindings,
      (GCopyFunc) gst_object_ref, NULL);
  GST_OBJECT_UNLOCK (object);

  g_object_freeze_notify (G_OBJECT (object));
  for (node = curves; node != NULL; node = node->next)
    gst_control_binding_sync_values (node->data, object, time_ns,
        object->last_sync);
  object->last_sync = time_ns;
  g_object_thaw_notify (G_OBJECT (object));
  g_list_free_full (curves, gst_object_unref);
}

/* ---- segments and messages ------------------------------------------------ */

static void
send_segment (GstTimeScale * self, const TimeSegment * out)
{
  GstSegment segment = self->in;

  segment.rate = out->rate;
  segment.applied_rate = out->applied_rate;
  segment.base = out->base;
  segment.offset = out->offset;
  segment.start = out->start;
  segment.stop = out->stop;
  segment.time = out->time;
  segment.position = out->position;
  segment.duration = out->duration;
  gst_retro_filter_send_segment (&self->parent, &segment);
}

static GstFlowReturn
fail (GstTimeScale * self, TimeDSPStatus status)
{
  gint code = status == TIMEDSP_NO_MEMORY ?
      GST_RESOURCE_ERROR_NO_SPACE_LEFT : GST_RESOURCE_ERROR_FAILED;

  return gst_retro_filter_fail (&self->parent, g_error_new (GST_RESOURCE_ERROR,
          code, "The audio could not be scaled: %s",
          timedsp_status_text (status)));
}

/* ---- frames that are kept ----------------------------------------------------- */

static GstFlowReturn
keep (Work * work)
{
  GstTimeScale *self = work->self;
  GError *error = NULL;

  GST_OBJECT_LOCK (self);
  if (self->store == NULL)
    self->store = gst_retro_store_new (work->info,
        self->settings.storage.max_memory_bytes,
        self->settings.storage.spill_directory);
  GST_OBJECT_UNLOCK (self);
  gst_retro_store_append_frames (self->store, work->buffer, work->info, 0,
      gst_retro_buffer_frames (work->buffer, work->info), &error);
  return error == NULL ? GST_FLOW_OK :
      gst_retro_filter_fail (&self->parent, error);
}

static GstFlowReturn
load (Work * work, TimeScaleAction * action)
{
  GstTimeScale *self = work->self;
  GError *error = NULL;

  if (!gst_retro_store_peek_from (self->store, action->first, &work->span,
          &error))
    return gst_retro_filter_fail (&self->parent, error);
  action->frames = work->span.n_frames;
  return GST_FLOW_OK;
}

static void
forget_kept (GstTimeScale * self)
{
  g_clear_pointer (&self->store, gst_retro_store_free);
}

/* ---- frames that are forwarded -------------------------------------------- */

static void
stamp (GstBuffer * buffer, const TimeScaleStamp * stamp)
{
  GST_BUFFER_PTS (buffer) = stamp->pts_ns;
  GST_BUFFER_DTS (buffer) = GST_CLOCK_TIME_NONE;
  GST_BUFFER_DURATION (buffer) = stamp->duration_ns;
  GST_BUFFER_OFFSET (buffer) = stamp->offset;
  GST_BUFFER_OFFSET_END (buffer) = stamp->offset_end;
  if (stamp->discont)
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
  else
    GST_BUFFER_FLAG_UNSET (buffer, GST_BUFFER_FLAG_DISCONT);
  GST_BUFFER_FLAG_UNSET (buffer, GST_BUFFER_FLAG_RESYNC);
}

/* Gives the frames of @memory, which must be interleaved, to the session. Mapping is a large
 * part of the cost of forwarding a buffer, and gst_audio_buffer_map() would be slower. */
static gboolean
pass_memory (TimeScaleAction * action, GstMemory * memory)
{
  GstMapInfo map;

  if (!gst_memory_map (memory, &map, GST_MAP_READ))
    return FALSE;
  timescale_process (action, (const void *const[]) { map.data }, NULL);
  gst_memory_unmap (memory, &map);
  return TRUE;
}

/* Gives the frames of the input buffer to the session. Returns FALSE if they cannot be
 * mapped. */
static gboolean
pass_frames (Work * work, TimeScaleAction * action)
{
  GstAudioBuffer audio;

  if (GST_AUDIO_INFO_LAYOUT (work->info) == GST_AUDIO_LAYOUT_INTERLEAVED
      && gst_buffer_n_memory (work->buffer) == 1)
    return pass_memory (action, gst_buffer_peek_memory (work->buffer, 0));

  if (!gst_audio_buffer_map (&audio, work->info, work->buffer, GST_MAP_READ))
    return FALSE;
  timescale_process (action, (const void *const *) audio.planes, NULL);
  gst_audio_buffer_unmap (&audio);
  return TRUE;
}

static GstFlowReturn
pass (Work * work, TimeScaleAction * action)
{
  GstBuffer *buffer = work->buffer;

  if (!pass_frames (work, action))
    action->status = TIMEDSP_NULL_POINTER;
  if (action->status != TIMEDSP_OK)     /* the session will scale the buffer instead */
    return GST_FLOW_OK;
  work->buffer = NULL;
  gst_retro_buffer_drop_untrue_metas (buffer);
  stamp (buffer, &action->stamp);
  return gst_retro_filter_push (&work->self->parent, buffer);
}

/* ---- frames that are scaled ------------------------------------------------ */

/* Sets @in to the addresses of the input frames for @action, one for each plane. Returns
 * FALSE if the input buffer cannot be mapped. */
static gboolean
find_frames (Work * work, const TimeScaleAction * action, const guint8 ** in)
{
  gsize first = action->first * gst_retro_info_plane_stride (work->info);
  gboolean kept = action->source == TIMESCALE_FROM_KEPT;
  guint p;

  if (!kept && !work->mapped)
    work->mapped = gst_audio_buffer_map (&work->audio, work->info,
        work->buffer, GST_MAP_READ);
  if (!kept && !work->mapped)
    return FALSE;
  for (p = 0; p < gst_retro_info_planes (work->info); p++)
    in[p] = (kept ? (const guint8 *) work->span.planes[p] :
        (const guint8 *) work->audio.planes[p]) + first;
  return TRUE;
}

/* Pushes the first `frames_made` frames of @buffer (transfer full). */
static GstFlowReturn
push_made (Work * work, GstBuffer * buffer, const TimeScaleAction * action)
{
  gsize frame_bytes = GST_AUDIO_INFO_BPF (work->info);

  if (gst_buffer_get_audio_meta (buffer) != NULL)
    buffer = gst_audio_buffer_truncate (buffer, frame_bytes, 0,
        action->frames_made);
  else                          /* gst_audio_buffer_truncate() would allocate another
                                 * buffer */
    gst_buffer_set_size (buffer, action->frames_made * frame_bytes);
  if (action->silent)
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_GAP);
  if (action->source == TIMESCALE_FROM_BUFFER)
    gst_retro_buffer_copy_metas (buffer, work->buffer);
  stamp (buffer, &action->stamp);
  return gst_retro_filter_push (&work->self->parent, buffer);
}

static GstFlowReturn
scale (Work * work, TimeScaleAction * action)
{
  guint n_planes = gst_retro_info_planes (work->info);
  const guint8 **in = g_newa (const guint8 *, n_planes);
  gpointer *out = g_newa (gpointer, n_planes);
  GstBuffer *buffer = NULL;

  if (action->source == TIMESCALE_FROM_NOTHING)
    in = NULL;
  else if (!find_frames (work, action, in))
    action->status = TIMEDSP_NULL_POINTER;
  if (action->capacity > 0 && action->status == TIMEDSP_OK
      && (buffer = gst_retro_buffer_new (work->info, action->capacity, out))
      == NULL)
    action->status = TIMEDSP_NO_MEMORY;
  if (action->status == TIMEDSP_OK)
    timescale_process (action, (const void *const *) in,
        buffer == NULL ? NULL : out);
  if (action->status == TIMEDSP_OK && action->frames_made > 0)
    return push_made (work, buffer, action);
  g_clear_pointer (&buffer, gst_buffer_unref);
  return GST_FLOW_OK;           /* the session handles a status that is not OK */
}

/* ---- actions ------------------------------------------------------------------ */

static GstFlowReturn
act (Work * work, TimeScaleAction * action)
{
  GstTimeScale *self = work->self;

  switch (action->kind) {
    case TIMESCALE_READ_CURVES:
      sync_curves (self,
          gst_retro_segment_stream_time (&self->in, action->time_ns));
      break;
    case TIMESCALE_PREPARE:
      timescale_prepare (action);
      break;
    case TIMESCALE_PASS:
      return pass (work, action);
    case TIMESCALE_PROCESS:
      return scale (work, action);
    case TIMESCALE_KEEP:
      return keep (work);
    case TIMESCALE_LOAD:
      return load (work, action);
    case TIMESCALE_FORGET:
      forget_kept (self);
      break;
    case TIMESCALE_SEND_SEGMENT:
      send_segment (self, &action->segment);
      break;
    case TIMESCALE_SEND_GAP:
      return gst_retro_filter_push_gap (&self->parent, action->time_ns,
          action->duration_ns);
    case TIMESCALE_ASK_DURATION:
      action->duration_ns = gst_retro_filter_query_duration (&self->parent);
      break;
    case TIMESCALE_DURATION_CHANGED:
      gst_element_post_message (GST_ELEMENT (self),
          gst_message_new_duration_changed (GST_OBJECT (self)));
      break;
    case TIMESCALE_LATENCY:
      gst_retro_filter_set_latency (&self->parent, action->time_ns);
      break;
    case TIMESCALE_FAIL:
      return fail (self, action->status);
  }
  return GST_FLOW_OK;
}

static TimeScaleAction *
first_action (GstTimeScale * self, TimeScaleInput * input)
{
  gboolean controlled = is_controlled (self);
  GST_RETRO_AUTO_LOCK (self);

  input->buffer.sent_stop_ns = self->parent.out_segment.stop;
  return timescale_receive (self->session, input, controlled);
}

/* Reports that @action has been performed. Returns (nullable) the next action. */
static TimeScaleAction *
next_action (GstTimeScale * self, const TimeScaleAction * action)
{
  gboolean controlled = is_controlled (self);

  if (action->last && action->status == TIMEDSP_OK && !action->failed)
    return NULL;
  GST_RETRO_AUTO_LOCK (self);
  return timescale_done (self->session, controlled);
}

/* Gives @input to the session, and performs the resulting actions. @buffer: (transfer full)
 * (nullable): the input buffer */
static GstFlowReturn
handle (GstTimeScale * self, TimeScaleInput * input, GstBuffer * buffer)
{
  GstFlowReturn ret = GST_FLOW_OK, outcome;
  TimeScaleAction *action = first_action (self, input);
  Work work;

  work.self = self;
  work.info = gst_retro_filter_get_info (&self->parent);
  work.buffer = buffer;
  work.mapped = FALSE;
  for (; action != NULL; action = next_action (self, action)) {
    outcome = act (&work, action);
    action->failed = outcome != GST_FLOW_OK;
    ret = ret == GST_FLOW_OK ? outcome : ret;
  }
  if (work.mapped)
    gst_audio_buffer_unmap (&work.audio);
  g_clear_pointer (&work.buffer, gst_buffer_unref);
  return ret;
}

/* ---- the stream --------------------------------------------------------------- */

static void
reset (GstRetroFilter * filter, gboolean stops)
{
  GstTimeScale *self = GST_TIMESCALE (filter);

  forget_kept (self);
  GST_RETRO_AUTO_LOCK (self);
  timescale_flush (self->session, stops);
}

static gboolean
set_format (GstRetroFilter * filter, const GstAudioInfo * info)
{
  GstTimeScale *self = GST_TIMESCALE (filter);
  gint width = GST_AUDIO_INFO_WIDTH (info);
  TimeDSPConfig audio = {
    .format = GST_AUDIO_INFO_IS_FLOAT (info) ?
        (width == 32 ? TIMEDSP_F32 : TIMEDSP_F64) :
        (width == 16 ? TIMEDSP_S16 : TIMEDSP_S32),
    .layout = GST_AUDIO_INFO_LAYOUT (info) ==
        GST_AUDIO_LAYOUT_NON_INTERLEAVED ? TIMEDSP_PLANAR : TIMEDSP_INTERLEAVED,
    .channels = GST_AUDIO_INFO_CHANNELS (info)
  };
  GST_RETRO_AUTO_LOCK (self);

  timescale_format (self->session, &audio, GST_AUDIO_INFO_RATE (info));
  return self->session != NULL;
}

static gboolean
set_segment (GstRetroFilter * filter, const GstSegment * in, GstSegment * out)
{
  GstTimeScale *self = GST_TIMESCALE (filter);
  TimeSegment segment = {.rate = in->rate,.applied_rate = in->applied_rate,
    .base = in->base,.offset = in->offset,.start = in->start,.stop = in->stop,
    .time = in->time,.position = in->position,.duration = in->duration
  };
  TimeScaleInput input = {.kind = TIMESCALE_SEGMENT,.segment = &segment };

  forget_kept (self);
  if (is_controlled (self))
    sync_curves (self, in->time);
  self->in = *in;
  handle (self, &input, NULL);
  return FALSE;                 /* the session has sent the segment */
}

static GstFlowReturn
drain (GstRetroFilter * filter)
{
  TimeScaleInput input = {.kind = TIMESCALE_END };

  return handle (GST_TIMESCALE (filter), &input, NULL);
}

static GstFlowReturn
process (GstRetroFilter * filter, GstBuffer * buffer)
{
  TimeScaleInput input = {.kind = TIMESCALE_BUFFER };

  input.buffer.pts_ns = GST_BUFFER_PTS (buffer);
  input.buffer.duration_ns = GST_BUFFER_DURATION (buffer);
  input.buffer.frames = gst_retro_buffer_frames (buffer,
      gst_retro_filter_get_info (filter));
  input.buffer.discont = GST_BUFFER_IS_DISCONT (buffer);
  input.buffer.silent = GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_GAP);
  return handle (GST_TIMESCALE (filter), &input, buffer);
}

static GstFlowReturn
gap (GstRetroFilter * filter, GstClockTime pts_ns, GstClockTime duration_ns)
{
  TimeScaleInput input = {.kind = TIMESCALE_GAP,
    .buffer = {.pts_ns = pts_ns,.duration_ns = duration_ns}
  };

  return handle (GST_TIMESCALE (filter), &input, NULL);
}

void
gst_timescale_play_class_init (GstRetroFilterClass * klass)
{
  klass->set_format = set_format;
  klass->set_segment = set_segment;
  klass->process = process;
  klass->gap = gap;
  klass->drain = drain;
  klass->reset = reset;
}
