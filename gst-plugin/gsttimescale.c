/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/**
 * SECTION:element-timescale
 * @title: timescale
 * @short_description: Stretches or squeezes audio in time by interpolation
 *
 * timescale changes how long audio lasts, and its pitch with it, as a tape
 * does that runs slower or faster. #timescale:factor is the duration of the
 * output by that of the input: with 2, ten seconds last twenty.
 *
 * n frames become floor (n × factor), whatever the buffers that carry them,
 * and every way of cutting the stream into buffers gives the very same bits.
 * Positions are exact, so hours of audio do not drift. Integer results are
 * rounded half to even and clipped.
 *
 * Durations, positions and seeks are those of the output: a file of 10 seconds
 * is one of 20 seconds behind a timescale of factor 2. A stream that plays
 * backwards is turned around on its way in, as by revbuf.
 *
 * With #timescale:alignment `endpoints`, the whole stream is kept (in memory
 * up to #timescale:max-memory, beyond in a temporary file) and scaled so that
 * its first and last frame stay the first and last.
 *
 * ## Example pipelines
 * |[
 * gst-launch-1.0 filesrc location=in.flac ! decodebin ! audioconvert ! timescale factor=1.5 ! wavenc ! filesink location=slow.wav
 * ]| Half as long again.
 * |[
 * gst-launch-1.0 filesrc location=in.ogg ! decodebin ! audioconvert ! timescale rate=2 interpolation=linear ! autoaudiosink
 * ]| At double speed.
 *
 * Since: 0.1
 */

#include "gsttimescale.h"
#include "retrobuffer.h"
#include "retroclock.h"
#include "retroscale.h"
#include "retrosend.h"
#include "retrostore.h"
#include "timescalesettings.h"
#include "timescaletimeline.h"

GST_DEBUG_CATEGORY_STATIC (time_scale_debug);
#define GST_CAT_DEFAULT time_scale_debug

#define FORMATS "{ " GST_AUDIO_NE (S16) ", " GST_AUDIO_NE (S32) ", " \
    GST_AUDIO_NE (F32) ", " GST_AUDIO_NE (F64) " }"

/* How far back the input of an output frame may lie, in frames: an
 * interpolation looks at 4, and a frame is made when its whole span of the
 * input, 1 / factor at the time, has arrived. */
#define LOOKBACK_FRAMES (4 + (guint) (1 / TIMEDSP_MIN_FACTOR))

struct _GstTimeScale
{
  GstRetroFilter parent;

  /* under the object lock */
  TimeScaleSettings settings;
  GstClockTime latency_ns;

  /* streaming thread */
  gdouble factor;               /* in force */
  TimeDSPScaler *scaler;        /* alignment=stream; NULL before the first frame */
  RetroStore *store;            /* alignment=endpoints; NULL likewise */
  guint64 gap_frames;           /* of input that were GAP, up to now */
  RetroClock clock;             /* of the output */
  GstClockTime run_ns;          /* input time at which it was started */
  TimeScaleTimeline line;
};

G_DEFINE_FINAL_TYPE (GstTimeScale, gst_time_scale, GST_TYPE_RETRO_FILTER);
GST_ELEMENT_REGISTER_DEFINE (timescale, "timescale", GST_RANK_NONE,
    GST_TYPE_TIME_SCALE);

static gdouble
get_factor (GstTimeScale * self)
{
  gdouble factor;

  GST_OBJECT_LOCK (self);
  factor = self->settings.factor;
  GST_OBJECT_UNLOCK (self);
  return factor;
}

static TimeDSPConfig
make_config (GstTimeScale * self)
{
  TimeDSPInterpolation interpolation;

  GST_OBJECT_LOCK (self);
  interpolation = self->settings.interpolation;
  GST_OBJECT_UNLOCK (self);
  return retro_scale_config (gst_retro_filter_get_info (GST_RETRO_FILTER
          (self)), interpolation);
}

/* ---- alignment=stream --------------------------------------------------- */

static gboolean
ensure_scaler (GstTimeScale * self)
{
  const GstAudioInfo *info =
      gst_retro_filter_get_info (GST_RETRO_FILTER (self));
  TimeDSPConfig config;
  TimeDSPStatus status;
  GstClockTime latency_ns;
  gboolean changed;

  if (self->scaler != NULL)
    return TRUE;

  config = make_config (self);
  status = timedsp_scaler_new (&config, self->factor, &self->scaler);
  if (status != TIMEDSP_OK) {
    retro_scale_fail (GST_RETRO_FILTER (self), status);
    return FALSE;
  }

  latency_ns = gst_util_uint64_scale_int_ceil
      (timedsp_scaler_lookahead (self->scaler), GST_SECOND,
      GST_AUDIO_INFO_RATE (info));
  GST_OBJECT_LOCK (self);
  changed = latency_ns != self->latency_ns;
  self->latency_ns = latency_ns;
  GST_OBJECT_UNLOCK (self);
  if (changed)
    gst_retro_filter_latency_changed (GST_RETRO_FILTER (self));
  return TRUE;
}

/* Whether all that is made of @buffer comes from GAP frames; counts them. */
static gboolean
is_gap (GstTimeScale * self, GstBuffer * buffer)
{
  gboolean gap = self->gap_frames >= LOOKBACK_FRAMES;

  if (!GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_GAP)) {
    self->gap_frames = 0;
    return FALSE;
  }
  self->gap_frames += retro_buffer_frames (buffer,
      gst_retro_filter_get_info (GST_RETRO_FILTER (self)));
  return gap;
}

static GstFlowReturn
scale_buffer (GstTimeScale * self, GstBuffer * buffer)
{
  if (!ensure_scaler (self))
    return GST_FLOW_ERROR;
  return retro_scale_buffer (GST_RETRO_FILTER (self), self->scaler,
      &self->clock, buffer, is_gap (self, buffer));
}

static GstFlowReturn
drain_scaler (GstTimeScale * self)
{
  GstFlowReturn ret;

  if (self->scaler == NULL || !retro_clock_is_running (&self->clock))
    return GST_FLOW_OK;
  ret = retro_scale_finish (GST_RETRO_FILTER (self), self->scaler,
      &self->clock);
  timedsp_scaler_reset (self->scaler);
  self->clock.t0_ns = GST_CLOCK_TIME_NONE;
  self->gap_frames = 0;
  return ret;
}

/* ---- alignment=endpoints ------------------------------------------------ */

static GstFlowReturn
keep_buffer (GstTimeScale * self, GstBuffer * buffer)
{
  GError *error = NULL;

  if (!retro_store_append_buffer (self->store, buffer,
          gst_retro_filter_get_info (GST_RETRO_FILTER (self)), &error))
    return gst_retro_filter_fail (GST_RETRO_FILTER (self), error);
  return GST_FLOW_OK;
}

static GstFlowReturn
drain_store (GstTimeScale * self)
{
  GstRetroFilter *filter = GST_RETRO_FILTER (self);
  TimeDSPConfig config;
  TimeDSPScaler *scaler = NULL;
  TimeDSPStatus status;
  guint64 count, length;
  GstFlowReturn ret;

  if (self->store == NULL)
    return GST_FLOW_OK;

  count = retro_store_get_frames (self->store);
  config = make_config (self);
  status = timedsp_scaled_length (count, self->factor, &length);
  if (status == TIMEDSP_OK)
    status = timedsp_scaler_new_endpoints (&config, count, length, &scaler);
  ret = status == TIMEDSP_OK ?
      retro_scale_store (filter, scaler, &self->clock, self->store) :
      retro_scale_fail (filter, status);

  timedsp_scaler_free (scaler);
  g_clear_pointer (&self->store, retro_store_free);
  self->clock.t0_ns = GST_CLOCK_TIME_NONE;
  return ret;
}

static gboolean
collects (GstTimeScale * self)
{
  gboolean endpoints;

  GST_OBJECT_LOCK (self);
  endpoints = self->settings.alignment == GST_TIME_SCALE_ENDPOINTS;
  GST_OBJECT_UNLOCK (self);
  /* a stream that has begun goes on as it is */
  return self->store != NULL || (endpoints && self->scaler == NULL);
}

static void
ensure_store (GstTimeScale * self)
{
  GST_OBJECT_LOCK (self);
  if (self->store == NULL)
    self->store =
        retro_store_new (gst_retro_filter_get_info (GST_RETRO_FILTER (self)),
        self->settings.storage.max_memory_bytes,
        self->settings.storage.spill_directory);
  GST_OBJECT_UNLOCK (self);
}

/* ---- streaming ---------------------------------------------------------- */

static GstFlowReturn
gst_time_scale_drain (GstRetroFilter * filter)
{
  GstTimeScale *self = GST_TIME_SCALE (filter);
  GstFlowReturn ret = drain_scaler (self);

  return ret == GST_FLOW_OK ? drain_store (self) : ret;
}

static void
forget_audio (GstTimeScale * self)
{
  g_clear_pointer (&self->scaler, timedsp_scaler_free);
  g_clear_pointer (&self->store, retro_store_free);
  self->clock.t0_ns = GST_CLOCK_TIME_NONE;
  self->gap_frames = 0;
}

/* End of the output if @in_frames more of input come, and no more: exact. */
static GstClockTime
output_end (GstTimeScale * self, guint64 in_frames)
{
  RetroClock end = self->clock;
  guint64 due_frames = 0;

  timedsp_scaler_max_output (self->scaler, in_frames, &due_frames);
  end.frames += due_frames;
  return retro_clock_now (&end);
}

/* A stream that has begun goes on from input time @pts_ns with the factor in
 * force. Input that is waiting for its output counts under it, too. */
static void
bend_stream (GstTimeScale * self, GstClockTime pts_ns)
{
  GstClockTime stop_ns = self->line.in.stop;

  timedsp_scaler_set_factor (self->scaler, self->factor);
  if (GST_CLOCK_TIME_IS_VALID (stop_ns))
    stop_ns = output_end (self,
        gst_util_uint64_scale_int_ceil (stop_ns - MIN (pts_ns, stop_ns),
            self->clock.rate, GST_SECOND));
  time_scale_timeline_bend (&self->line, pts_ns, output_end (self, 0),
      self->factor, stop_ns);
}

/* What is kept until its end is scaled as a whole, from @from_ns on. */
static void
bend_segment (GstTimeScale * self, GstClockTime from_ns)
{
  TimeScaleTimeline *line = &self->line;

  time_scale_timeline_bend (line, from_ns,
      time_scale_timeline_map (line, from_ns), self->factor, 0);
  line->out.stop = time_scale_timeline_map (line, line->in.stop);
}

static void
follow_factor (GstTimeScale * self, GstClockTime pts_ns)
{
  gdouble factor = get_factor (self);

  if (factor == self->factor)
    return;
  GST_DEBUG_OBJECT (self, "factor %g from %" GST_TIME_FORMAT " on", factor,
      GST_TIME_ARGS (pts_ns));
  self->factor = factor;
  if (!retro_clock_is_running (&self->clock))
    bend_segment (self, pts_ns);
  else if (self->store != NULL)
    bend_segment (self, self->run_ns);
  else
    bend_stream (self, pts_ns);

  /* output ends elsewhere than was said at first */
  gst_retro_filter_send_segment (GST_RETRO_FILTER (self), &self->line.out);
  gst_element_post_message (GST_ELEMENT (self),
      gst_message_new_duration_changed (GST_OBJECT (self)));
}

static GstFlowReturn
gst_time_scale_process (GstRetroFilter * filter, GstBuffer * buffer)
{
  GstTimeScale *self = GST_TIME_SCALE (filter);
  GstFlowReturn ret = GST_FLOW_OK;

  if (GST_BUFFER_IS_DISCONT (buffer))
    ret = gst_time_scale_drain (filter);

  follow_factor (self, GST_BUFFER_PTS (buffer));
  if (!retro_clock_is_running (&self->clock)) {
    self->run_ns = GST_BUFFER_PTS (buffer);
    retro_clock_start (&self->clock,
        time_scale_timeline_map (&self->line, self->run_ns));
  }
  self->line.end_ns = GST_BUFFER_PTS (buffer) + GST_BUFFER_DURATION (buffer);

  if (ret == GST_FLOW_OK && collects (self)) {
    ensure_store (self);
    ret = keep_buffer (self, buffer);
  } else if (ret == GST_FLOW_OK) {
    ret = scale_buffer (self, buffer);
  }
  gst_buffer_unref (buffer);
  return ret;
}

static GstFlowReturn
gst_time_scale_gap (GstRetroFilter * filter, GstClockTime pts_ns,
    GstClockTime duration_ns)
{
  GstTimeScale *self = GST_TIME_SCALE (filter);
  GstFlowReturn ret = gst_time_scale_drain (filter);
  GstClockTime start_ns;

  if (ret != GST_FLOW_OK)
    return ret;
  follow_factor (self, pts_ns);
  start_ns = time_scale_timeline_map (&self->line, pts_ns);
  if (GST_CLOCK_TIME_IS_VALID (duration_ns)) {
    self->line.end_ns = pts_ns + duration_ns;
    duration_ns =
        time_scale_timeline_map (&self->line, self->line.end_ns) - start_ns;
  }
  return gst_retro_filter_push_gap (filter, start_ns, duration_ns);
}

static gboolean
gst_time_scale_set_segment (GstRetroFilter * filter, const GstSegment * in,
    GstSegment * out)
{
  GstTimeScale *self = GST_TIME_SCALE (filter);

  self->factor = get_factor (self);
  forget_audio (self);
  retro_clock_clear (&self->clock,
      GST_AUDIO_INFO_RATE (gst_retro_filter_get_info (filter)));
  time_scale_timeline_start (&self->line, in, self->factor);
  *out = self->line.out;
  return TRUE;
}

static gboolean
gst_time_scale_set_format (GstRetroFilter * filter, const GstAudioInfo * info)
{
  GstTimeScale *self = GST_TIME_SCALE (filter);

  /* drained already */
  forget_audio (self);
  retro_clock_clear (&self->clock, GST_AUDIO_INFO_RATE (info));
  return TRUE;
}

static void
gst_time_scale_reset (GstRetroFilter * filter)
{
  GstTimeScale *self = GST_TIME_SCALE (filter);

  forget_audio (self);
  time_scale_timeline_reset (&self->line, self->factor);
}

/* ---- seeks and queries -------------------------------------------------- */

static gint64
to_input_time (gint64 time_ns, gdouble factor)
{
  if (time_ns < 0)
    return time_ns == -1 ? -1 : -(gint64) retro_scale_time (-time_ns,
        1 / factor);
  return retro_scale_time (time_ns, 1 / factor);
}

static gboolean
gst_time_scale_seek (GstRetroFilter * filter, GstEvent * event)
{
  gdouble rate, factor = get_factor (GST_TIME_SCALE (filter));
  GstSeekType stop_type;
  gint64 start, stop;

  gst_event_parse_seek (event, &rate, NULL, NULL, NULL, &start, &stop_type,
      &stop);
  return gst_retro_filter_send_seek (filter, event, rate,
      to_input_time (start, factor), stop_type, to_input_time (stop, factor));
}

/* Times of upstream become those of the output. */
static void
scale_answer (GstQuery * query, gdouble factor)
{
  GstFormat format;
  gint64 start, stop;
  gboolean seekable;

  switch (GST_QUERY_TYPE (query)) {
    case GST_QUERY_DURATION:
      gst_query_parse_duration (query, &format, &stop);
      if (format == GST_FORMAT_TIME)
        gst_query_set_duration (query, format, retro_scale_time (stop, factor));
      break;
    case GST_QUERY_POSITION:
      gst_query_parse_position (query, &format, &start);
      if (format == GST_FORMAT_TIME)
        gst_query_set_position (query, format,
            retro_scale_time (start, factor));
      break;
    case GST_QUERY_SEEKING:
      gst_query_parse_seeking (query, &format, &seekable, &start, &stop);
      if (format == GST_FORMAT_TIME)
        gst_query_set_seeking (query, format, seekable,
            retro_scale_time (start, factor), retro_scale_time (stop, factor));
      break;
    default:
      break;
  }
}

static gboolean
gst_time_scale_query (GstRetroFilter * filter, GstQuery * query)
{
  GstTimeScale *self = GST_TIME_SCALE (filter);
  GstRetroFilterClass *parent_class =
      GST_RETRO_FILTER_CLASS (gst_time_scale_parent_class);
  gboolean sent_already;

  /* the base class answers this one itself, once something has been sent */
  sent_already = GST_QUERY_TYPE (query) == GST_QUERY_POSITION
      && GST_CLOCK_TIME_IS_VALID (gst_retro_filter_get_position (filter));

  if (!parent_class->query (filter, query))
    return FALSE;
  if (!sent_already)
    scale_answer (query, get_factor (self));
  return TRUE;
}

static GstClockTime
gst_time_scale_get_latency (GstRetroFilter * filter)
{
  GstTimeScale *self = GST_TIME_SCALE (filter);
  GstClockTime latency_ns;

  GST_OBJECT_LOCK (self);
  latency_ns = self->latency_ns;
  GST_OBJECT_UNLOCK (self);
  return latency_ns;
}

/* ---- properties --------------------------------------------------------- */

static void
gst_time_scale_set_property (GObject * object, guint id, const GValue * value,
    GParamSpec * pspec)
{
  GstTimeScale *self = GST_TIME_SCALE (object);
  gdouble before = get_factor (self);
  gboolean known;

  GST_OBJECT_LOCK (self);
  known = time_scale_settings_set (&self->settings, id, value);
  GST_OBJECT_UNLOCK (self);

  if (!known)
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
  /* one knob with two scales */
  if (get_factor (self) != before)
    g_object_notify (object,
        g_str_equal (pspec->name, "rate") ? "factor" : "rate");
}

static void
gst_time_scale_get_property (GObject * object, guint id, GValue * value,
    GParamSpec * pspec)
{
  gboolean known;

  GST_OBJECT_LOCK (object);
  known = time_scale_settings_get (&GST_TIME_SCALE (object)->settings, id,
      value);
  GST_OBJECT_UNLOCK (object);
  if (!known)
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

/* ---- the element -------------------------------------------------------- */

static void
gst_time_scale_finalize (GObject * object)
{
  GstTimeScale *self = GST_TIME_SCALE (object);

  forget_audio (self);
  time_scale_settings_clear (&self->settings);
  G_OBJECT_CLASS (gst_time_scale_parent_class)->finalize (object);
}

static void
gst_time_scale_init (GstTimeScale * self)
{
  time_scale_settings_init (&self->settings);
  self->factor = self->settings.factor;
  retro_clock_clear (&self->clock, 0);
  time_scale_timeline_reset (&self->line, self->factor);
}

static void
gst_time_scale_class_init (GstTimeScaleClass * klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstRetroFilterClass *filter_class = GST_RETRO_FILTER_CLASS (klass);

  GST_DEBUG_CATEGORY_INIT (time_scale_debug, "timescale", 0,
      "scaling of audio in time");

  object_class->set_property = gst_time_scale_set_property;
  object_class->get_property = gst_time_scale_get_property;
  object_class->finalize = gst_time_scale_finalize;
  time_scale_settings_install (object_class);

  filter_class->set_format = gst_time_scale_set_format;
  filter_class->set_segment = gst_time_scale_set_segment;
  filter_class->process = gst_time_scale_process;
  filter_class->gap = gst_time_scale_gap;
  filter_class->drain = gst_time_scale_drain;
  filter_class->reset = gst_time_scale_reset;
  filter_class->seek = gst_time_scale_seek;
  filter_class->query = gst_time_scale_query;
  filter_class->get_latency = gst_time_scale_get_latency;

  gst_retro_filter_class_add_templates (filter_class, FORMATS);
  gst_element_class_set_static_metadata (GST_ELEMENT_CLASS (klass),
      "Audio time scaler", "Filter/Effect/Audio",
      "Stretches or squeezes audio in time, and its pitch with it, by "
      "interpolation", "The Retrograde authors <retrograde@localhost>");
}
