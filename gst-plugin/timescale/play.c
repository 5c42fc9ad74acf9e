/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "timescale/gsttimescale.h"
#include "common/segment.h"
#include "common/pcmbuffer.h"

/* A curve is looked up this many times a second, and a jump of the factor takes as
 * long: short enough to be heard at once, long enough not to click. */
#define MOVES_PER_SECOND 200

/* A buffer is scaled in pieces that last a quarter of its time, but no less and no more than
 * 1 / so much of a second. Changes are looked for before each: often enough to be heard at
 * once, seldom enough that a piece costs little. */
#define MAX_PIECES_PER_SECOND 100
#define MIN_PIECES_PER_SECOND 10

/* Whether the factor follows a curve. */
static gboolean
is_controlled (GstTimeScale * self)
{
  GstObject *object = GST_OBJECT (self);

  /* without the lock, as GStreamer itself does at first */
  return object->control_bindings != NULL
      && gst_object_has_active_control_bindings (object);
}

/* Sets the properties to the values of their curves at @time_ns. An application may remove a
 * curve meanwhile. gst_object_sync_values() walks the list of the curves without the lock,
 * and uses curves that have been freed; here each curve is kept by a reference. */
static void
sync_curves (GstTimeScale * self, GstClockTime time_ns)
{
  GstObject *object = GST_OBJECT (self);
  GList *curves, *node;

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

/* Takes the values of the curves at @in_ns of the input. */
static void
sync_values (GstTimeScale * self, GstClockTime in_ns)
{
  GstClockTime time_ns = gst_retro_segment_stream_time (&self->in, in_ns);

  if (GST_CLOCK_TIME_IS_VALID (time_ns))
    sync_curves (self, time_ns);
}

/* A copy to work with. */
static GstTimeScaleSettings
get_settings (GstTimeScale * self)
{
  GST_RETRO_AUTO_LOCK (self);
  GstTimeScaleSettings settings = self->settings;

  settings.storage.spill_directory = NULL;      /* may be freed any time */
  return settings;
}

static guint
step_frames (GstTimeScale * self)
{
  return MAX (self->clock.rate / MOVES_PER_SECOND, 1);
}

/* A stream that has begun goes on with the current factor and pitch of the properties.
 * @turned: and at another rate. */
static void
follow_factor (GstTimeScale * self, gboolean controlled, gboolean turned)
{
  GstClockTime in_ns = gst_timescale_note_place (self);
  guint64 n_frames = step_frames (self);
  GstTimeScaleSettings settings;
  gdouble factor;

  if (controlled)
    sync_values (self, in_ns + gst_util_uint64_scale_int (n_frames, GST_SECOND,
            self->clock.rate));
  settings = get_settings (self);
  factor = timesegment_effective (&self->segments, settings.factor);
  /* a leap takes as many frames of the output where these are more */
  if (!controlled && factor != self->segments.factor)
    n_frames *= MAX (1, timesegment_mean_speed (&self->segments, factor));
  /* does nothing if factor and pitch are the same */
  timechain_move (self->chain, factor, &settings.pitch, n_frames, &n_frames);
  gst_timescale_move_times (self, factor, n_frames, controlled, turned);
}

/* ---- changes of the settings and of the rate -------------------------------- */

/* Whether anything has been set since follow_changes() looked. */
static gboolean
is_asked (GstTimeScale * self)
{
  return g_atomic_int_get (&self->asked) != self->answered;
}

/* Makes a change of the rate a part of the factor that is asked for. Returns whether there
 * was one. */
static gboolean
follow_rate (GstTimeScale * self)
{
  gdouble multiplier;

  GST_OBJECT_LOCK (self);
  multiplier = self->new_multiplier;
  self->new_multiplier = 0;
  GST_OBJECT_UNLOCK (self);
  if (multiplier == 0 || multiplier == self->segments.multiplier)
    return FALSE;
  timesegment_multiply_rate (&self->segments, multiplier);
  return TRUE;
}

/* What the chain does under the current settings. */
static TimeChainSettings
make_settings (GstTimeScale * self)
{
  const GstAudioInfo *info = gst_retro_filter_get_info (&self->parent);
  GstTimeScaleSettings settings = get_settings (self);
  gint width = GST_AUDIO_INFO_WIDTH (info);
  TimeChainSettings wanted = {
    .audio.format = GST_AUDIO_INFO_IS_FLOAT (info) ?
        (width == 32 ? TIMEDSP_F32 : TIMEDSP_F64) :
        (width == 16 ? TIMEDSP_S16 : TIMEDSP_S32),
    .audio.layout = GST_AUDIO_INFO_LAYOUT (info) ==
        GST_AUDIO_LAYOUT_NON_INTERLEAVED ? TIMEDSP_PLANAR : TIMEDSP_INTERLEAVED,
    .audio.interpolation = settings.interpolation,
    .audio.channels = GST_AUDIO_INFO_CHANNELS (info),
    .audio.quality = settings.quality,
    .rate = self->clock.rate,
    .factor = self->segments.factor,
    .pitch = settings.pitch,
    .moves = is_controlled (self)
  };

  return wanted;
}

/* Makes a chain if there is none. Otherwise it goes on with the current settings, but
 * for factor and pitch. */
static TimeDSPStatus
open_stream (GstTimeScale * self)
{
  TimeChainSettings settings = make_settings (self);

  return self->chain == NULL ? timechain_new (&settings, &self->chain) :
      timechain_configure (self->chain, &settings);
}

/* Applies what has been set since the last piece of a buffer. */
static void
follow_changes (GstTimeScale * self)
{
  gboolean turned;

  if (!is_asked (self))
    return;
  self->answered = g_atomic_int_get (&self->asked);
  turned = follow_rate (self);
  if (open_stream (self) != TIMEDSP_OK) /* the next piece reports it */
    return;
  follow_factor (self, FALSE, turned);
  gst_timescale_stay_in_segment (self);
}

/* The factor of the properties, at @now_ns of a curve, holds from input time @in_ns
 * on: nothing behind that has been scaled. */
static void
take_factor (GstTimeScale * self, GstClockTime in_ns, GstClockTime now_ns)
{
  gboolean is_new;

  sync_values (self, now_ns);
  GST_OBJECT_LOCK (self);
  is_new = timesegment_take_factor (&self->segments, in_ns,
      self->settings.factor);
  GST_OBJECT_UNLOCK (self);
  if (!is_new)
    return;
  /* kernels are for the other factor */
  g_clear_pointer (&self->chain, timechain_free);
  gst_timescale_announce (self);
}

/* ---- alignment=stream --------------------------------------------------------- */

/* How many of a buffer's @n_frames, of which @n_left are left, are the next piece. The last
 * one is up to half as long again. */
static gsize
begin_piece (GstTimeScale * self, gsize n_left, gsize n_frames)
{
  gsize rate = self->clock.rate, n;

  follow_changes (self);
  n = 1 + (gsize) (CLAMP (n_frames / 4, rate / MAX_PIECES_PER_SECOND,
          rate / MIN_PIECES_PER_SECOND) / self->segments.factor);
  return n_left < n + n / 2 ? n_left : n;
}

/* The same under a curve: pieces do not depend on how the stream is cut into buffers. */
static gsize
begin_step (GstTimeScale * self, gsize n_left, gboolean first)
{
  guint step = step_frames (self);
  TimeChainState state;

  timechain_state (self->chain, &state);
  if (state.in_frames % step == 0)
    follow_factor (self, TRUE, FALSE);
  if (first)
    gst_timescale_stay_in_segment (self);
  return MIN (n_left, step - state.in_frames % step);
}

/* Scales @audio, whose first frame is the next one. A factor that is set meanwhile takes
 * effect within it, and a curve holds in each of its frames. */
static GstFlowReturn
scale_pieces (GstTimeScale * self, const GstAudioBuffer * audio)
{
  gsize first = 0, n, n_left;
  GstFlowReturn ret = GST_FLOW_OK;

  for (; (n_left = audio->n_samples - first) > 0 && ret == GST_FLOW_OK;
      first += n) {
    n = is_controlled (self) ? begin_step (self, n_left, first == 0) :
        begin_piece (self, n_left, audio->n_samples);
    n = gst_timescale_cut_at_gap (self, audio->buffer, n);
    ret = gst_timescale_feed (self, audio, first, n,
        gst_timescale_is_gap (self, audio->buffer, n));
  }
  return ret;
}

/* Under a curve the kernel grows again and again. So announce a generous latency
 * then: the application is not notified each time. */
static void
update_latency (GstTimeScale * self)
{
  GstClockTime before_ns = gst_retro_filter_get_latency (&self->parent);
  GstClockTime latency_ns =
      gst_util_uint64_scale_int_ceil (timechain_lookahead (self->chain),
      GST_SECOND, self->clock.rate);

  if (is_controlled (self) && before_ns > 0)
    latency_ns = latency_ns > before_ns ? 2 * latency_ns : before_ns;
  gst_retro_filter_set_latency (&self->parent, latency_ns);
}

/* Takes @buffer. */
static GstFlowReturn
scale_buffer (GstTimeScale * self, GstBuffer * buffer)
{
  const GstAudioInfo *info = gst_retro_filter_get_info (&self->parent);
  GstFlowReturn ret = GST_FLOW_OK;
  GstAudioBuffer audio;

  if (!is_controlled (self)) {
    gst_timescale_note_place (self);
    follow_changes (self);
    gst_timescale_stay_in_segment (self);
    if (gst_timescale_pass (self, buffer, &ret))
      return ret;
  }
  if (gst_audio_buffer_map (&audio, info, buffer, GST_MAP_READ)) {
    ret = scale_pieces (self, &audio);
    gst_audio_buffer_unmap (&audio);
  } else {
    ret = gst_timescale_fail (self, TIMEDSP_NULL_POINTER);
  }
  gst_buffer_unref (buffer);
  return ret;
}

/* Takes @buffer. */
static GstFlowReturn
open_and_scale (GstTimeScale * self, GstBuffer * buffer)
{
  /* that of a stream which goes on, without a curve, is set by follow_changes() */
  TimeDSPStatus status = self->chain != NULL && !is_controlled (self) ?
      TIMEDSP_OK : open_stream (self);
  GstFlowReturn ret;

  if (status != TIMEDSP_OK) {
    gst_buffer_unref (buffer);
    return gst_timescale_fail (self, status);
  }
  ret = scale_buffer (self, buffer);
  update_latency (self);
  return ret;
}

static GstFlowReturn
drain_stream (GstTimeScale * self)
{
  GstFlowReturn ret;

  if (self->chain == NULL || !gst_retro_clock_is_running (&self->clock))
    return GST_FLOW_OK;
  ret = gst_timescale_push_rest (self,
      timechain_frames_before_gap (self->chain) == 0);
  gst_timescale_end_times (self);
  gst_retro_clock_stop (&self->clock);
  return ret;
}

/* ---- the stream --------------------------------------------------------------- */

void
gst_timescale_forget (GstTimeScale * self)
{
  g_clear_pointer (&self->chain, timechain_free);
  g_clear_pointer (&self->store, gst_retro_store_free);
  gst_retro_clock_stop (&self->clock);
}

static void
reset (GstRetroFilter * filter)
{
  GstTimeScale *self = GST_TIMESCALE (filter);

  gst_timescale_forget (self);
  GST_RETRO_AUTO_LOCK (self);
  timesegment_reset (&self->segments, self->settings.factor);
  self->new_multiplier = 0;
}

static gboolean
set_format (GstRetroFilter * filter, const GstAudioInfo * info)
{
  GstTimeScale *self = GST_TIMESCALE (filter);

  gst_timescale_forget (self);  /* it has been drained */
  gst_retro_clock_clear (&self->clock, GST_AUDIO_INFO_RATE (info));
  return TRUE;
}

static gboolean
set_segment (GstRetroFilter * filter, const GstSegment * in, GstSegment * out)
{
  GstTimeScale *self = GST_TIMESCALE (filter);
  gint rate = GST_AUDIO_INFO_RATE (gst_retro_filter_get_info (filter));

  gst_timescale_forget (self);
  gst_retro_clock_clear (&self->clock, rate);
  self->stop_moved = FALSE;
  if (GST_CLOCK_TIME_IS_VALID (in->time) && is_controlled (self))
    sync_curves (self, in->time);
  gst_timescale_start_times (self, in);
  if (self->segments.factor != 1)       /* else frames are as many as upstream's */
    timesegment_allow_surplus (&self->segments,
        gst_retro_filter_query_duration (filter), rate);
  if (is_controlled (self) && self->segments.output.applied_rate > 0)
    self->segments.output.stop = GST_CLOCK_TIME_NONE;
  *out = gst_timescale_make_segment (self);
  return TRUE;
}

static GstFlowReturn
drain (GstRetroFilter * filter)
{
  GstTimeScale *self = GST_TIMESCALE (filter);
  GstFlowReturn ret = drain_stream (self);

  return ret == GST_FLOW_OK ? gst_timescale_drain_endpoints (self,
      make_settings (self).audio) : ret;
}

/* Audio begins with @buffer, or goes on with it. */
static void
begin_buffer (GstTimeScale * self, GstBuffer * buffer)
{
  GstClockTime pts_ns = GST_BUFFER_PTS (buffer);

  if (!gst_retro_clock_is_running (&self->clock)) {
    if (follow_rate (self))
      timesegment_begin (&self->segments,
          timesegment_map (&self->segments, pts_ns));
    take_factor (self, pts_ns, pts_ns);
    self->run_ns = pts_ns;
    gst_retro_clock_start (&self->clock,
        timesegment_map (&self->segments, pts_ns));
  } else if (self->store != NULL) {
    take_factor (self, self->run_ns, pts_ns);
  }
  self->segments.end_ns = pts_ns + GST_BUFFER_DURATION (buffer);
}

/* Passes @buffer on unchanged but for its times, if nothing has to be done for it.
 * FALSE: it has to be scaled. */
static gboolean
pass_buffer (GstTimeScale * self, GstBuffer * buffer, GstFlowReturn * ret)
{
  if (GST_BUFFER_IS_DISCONT (buffer) || is_controlled (self)
      || !timechain_passes (self->chain))
    return FALSE;
  self->segments.end_ns =
      GST_BUFFER_PTS (buffer) + GST_BUFFER_DURATION (buffer);
  return gst_timescale_pass (self, buffer, ret);
}

static GstFlowReturn
process (GstRetroFilter * filter, GstBuffer * buffer)
{
  GstTimeScale *self = GST_TIMESCALE (filter);
  GstFlowReturn ret = GST_FLOW_OK;

  if (!is_asked (self) && pass_buffer (self, buffer, &ret))
    return ret;
  if (GST_BUFFER_IS_DISCONT (buffer))
    ret = drain (filter);
  if (ret != GST_FLOW_OK) {
    gst_buffer_unref (buffer);
    return ret;
  }
  begin_buffer (self, buffer);
  return gst_timescale_keeps (self) ? gst_timescale_keep (self, buffer) :
      open_and_scale (self, buffer);
}

static GstFlowReturn
gap (GstRetroFilter * filter, GstClockTime pts_ns, GstClockTime duration_ns)
{
  GstTimeScale *self = GST_TIMESCALE (filter);
  GstFlowReturn ret = drain (filter);
  GstClockTime start_ns;

  if (ret != GST_FLOW_OK)
    return ret;
  take_factor (self, pts_ns, pts_ns);
  gst_timescale_follow_segments (self);
  start_ns = timesegment_map (&self->segments, pts_ns);
  if (GST_CLOCK_TIME_IS_VALID (duration_ns)) {
    self->segments.end_ns = pts_ns + duration_ns;
    duration_ns =
        timesegment_map (&self->segments, self->segments.end_ns) - start_ns;
  }
  return gst_retro_filter_push_gap (filter, start_ns, duration_ns);
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
