/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/**
 * SECTION:element-timescale
 * @title: timescale
 * @short_description: Stretches or compresses audio in time, or changes its pitch
 *
 * timescale changes the duration of audio, and its pitch with it, like a tape running slower or
 * faster. It can also change just one of the two. #timescale:factor is the duration of the output
 * divided by the duration of the input: at factor 2, ten seconds become twenty.
 *
 * With #timescale:interpolation `sinc`, the default, all frequencies in the pass band are
 * preserved, and frequencies too high for the output are filtered out before they can alias.
 * #timescale:quality determines how well. `linear`, `smooth` and the others are simple formulas,
 * and fast.
 *
 * n input frames become floor (n × factor) output frames. The result is the same, bit for bit,
 * however the stream is divided into buffers. Positions are exact, so hours of audio don't drift.
 * Integer results are rounded half to even and clipped.
 *
 * You get one output buffer per input buffer, unless that would last longer than both 100 ms and
 * 1,024 frames. It's then output in pieces of a quarter of the input buffer's duration, but
 * between 10 and 100 ms. If there's nothing to change, buffers pass through as they are, along
 * with their metas.
 *
 * You can change #timescale:factor and #timescale:rate during playback. The change begins with
 * the next output buffer, and the speed then ramps linearly to the new one, within 5 ms of input
 * or output, whichever is longer. If a GstController sets the factor (over the stream time of the
 * input), its curve is read every 5 ms, and the speed changes linearly in between. The number of
 * output frames is the integral of the factor. You can change #timescale:interpolation and
 * #timescale:quality, too, and they take effect with the next buffer.
 *
 * Durations, positions and seeks are in output time: after a timescale with factor 2, a 10-second
 * file lasts 20 seconds. If the factor has changed along the way, each part is scaled by its own
 * factor. A stream that plays backwards is reversed at the input, the way revbuf does it, and a
 * single factor applies to all of it. Audio without timestamps passes through if there's nothing
 * to change. Otherwise it's an error, and you have to put a parser such as rawaudioparse before
 * the element.
 *
 * With #timescale:absorb-rate, timescale applies the rate of a segment itself. You get such a
 * segment after a seek with that rate, and timescale outputs it with rate 1 and an applied rate.
 * A seek with GST_SEEK_FLAG_INSTANT_RATE_CHANGE changes the factor immediately, even if upstream
 * doesn't support it.
 *
 * With #timescale:keep-pitch, only the duration changes: a phase vocoder stretches the sound, and
 * keeps transients sharp and the channels in phase. #timescale:semitones changes the pitch but
 * not the duration. The output pitch is the input pitch times 2^(semitones / 12), divided by the
 * factor unless the pitch is kept. It sounds good from factor 0.25 to 4. If neither the duration
 * nor the pitch changes, the output is the same as the input, bit for bit.
 *
 * Formants are the resonances that make a man's voice sound different from a child's, and they
 * move with the pitch. With #timescale:formants `keep`, they stay at the frequencies of the
 * input, however much the pitch changes, and #timescale:formant-semitones moves them on top of
 * that. Both of these use the vocoder, too. Tones don't have formants, so they aren't affected.
 *
 * You can change all of these properties during playback. When the vocoder starts, it first needs
 * a window of sound, so at 48 kHz you hear the change up to 0.25 s of input later. It then runs
 * until the end of the segment, and you hear further changes sooner. While there's no change of
 * duration or pitch, it outputs the input, bit for bit, in a seventh of the time.
 * #timescale:window sets the length of the window. A change takes effect at the next segment.
 *
 * The latency is how far ahead the interpolation and the vocoder have to read. At 48 kHz, the
 * interpolation alone needs 2 ms. With #timescale:keep-pitch near factor 1 it's 110 ms for the
 * window `music` and 24 ms for `low-latency`, more below factor 1. With #timescale:semitones it's
 * higher: 26 to 63 ms for `low-latency`, 115 to 312 ms for `music`. After a live source, the
 * average factor should be 1: with a larger one, the output falls further and further behind, and
 * with a smaller one, it underruns.
 *
 * With #timescale:alignment `endpoints`, the whole stream is stored first (in memory up to
 * #timescale:max-memory, and the rest in a temporary file). It's then scaled so that its first
 * and last frames stay the same. If you keep or change the pitch, it's scaled as a stream
 * instead, and nothing is stored.
 *
 * ## Example pipelines
 * |[
 * gst-launch-1.0 filesrc location=in.flac ! decodebin ! audioconvert ! timescale factor=1.5 ! wavenc ! filesink location=slow.wav
 * ]| Makes a file half as long again.
 * |[
 * gst-launch-1.0 filesrc location=in.ogg ! decodebin ! audioconvert ! timescale rate=2 interpolation=linear ! autoaudiosink
 * ]| Plays at double speed.
 * |[
 * gst-launch-1.0 playbin uri=file:///speech.mp3 audio-filter="timescale keep-pitch=true rate=1.5"
 * ]| Plays speech half as fast again, at its original pitch.
 * |[
 * gst-launch-1.0 playbin uri=file:///speech.mp3 audio-filter="timescale semitones=4 formants=keep"
 * ]| Raises a voice by four semitones, but it still sounds like the same person.
 *
 * Since: 0.1
 */

#include "timescale/gsttimescale.h"

GST_DEBUG_CATEGORY (gst_time_scale_debug);

#define FORMATS "{ " GST_AUDIO_NE (S16) ", " GST_AUDIO_NE (S32) ", " \
    GST_AUDIO_NE (F32) ", " GST_AUDIO_NE (F64) " }"

/* GStreamer can't map more than 255 planes */
#define CAPS \
    "audio/x-raw, format = " FORMATS ", rate = [ 1, MAX ], " \
    "channels = [ 1, 1024 ], layout = interleaved; " \
    "audio/x-raw, format = " FORMATS ", rate = [ 1, MAX ], " \
    "channels = [ 1, 255 ], layout = non-interleaved"

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE ("sink",
    GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS (CAPS));
static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE ("src",
    GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS (CAPS));

GST_ELEMENT_REGISTER_DECLARE (timescale);

#define gst_time_scale_parent_class parent_class
G_DEFINE_FINAL_TYPE (GstTimeScale, gst_time_scale, GST_TYPE_BASE_TRANSFORM);
GST_ELEMENT_REGISTER_DEFINE (timescale, "timescale", GST_RANK_NONE,
    GST_TYPE_TIME_SCALE);

/* ---- properties ------------------------------------------------------------ */

#define DEFAULT_INTERPOLATION TIMEDSP_SINC
#define DEFAULT_QUALITY 6
#define DEFAULT_ABSORB_RATE TRUE

enum
{
  PROP_0,
  PROP_FACTOR,
  PROP_RATE,
  PROP_KEEP_PITCH,
  PROP_SEMITONES,
  PROP_FORMANTS,
  PROP_FORMANT_SEMITONES,
  PROP_WINDOW,
  PROP_INTERPOLATION,
  PROP_QUALITY,
  PROP_ALIGNMENT,
  PROP_ABSORB_RATE,
  PROP_MAX_MEMORY,
  PROP_SPILL_DIRECTORY
};

#define INTERPOLATION(NAME, nick, before, after, sentence) \
  {TIMEDSP_##NAME, sentence, nick},

/* *INDENT-OFF* */
static const GEnumValue interpolations[] = {
  TIMEDSP_INTERPOLATIONS (INTERPOLATION)
  {0, NULL, NULL}
};
/* *INDENT-ON* */

static const GEnumValue alignments[] = {
  {FALSE, "Output frame k is read at input position k / factor",
      "stream"},
  {TRUE,
      "The first and the last frame are kept (the "
        "whole stream is collected first)", "endpoints"},
  {0, NULL, NULL}
};

static const GEnumValue formants[] = {
  {TIMECHAIN_FORMANTS_FOLLOW, "They move with the pitch", "follow"},
  {TIMECHAIN_FORMANTS_KEEP, "They stay, so that a voice still sounds like the "
        "same person", "keep"},
  {0, NULL, NULL}
};

static const GEnumValue windows[] = {
  {TIMESTRETCH_AUTO, "As music, but as speech while a single voice is "
        "playing (louder than about -70 dBFS)", "auto"},
  {TIMESTRETCH_MUSIC, "85 ms: keeps close notes apart", "music"},
  {TIMESTRETCH_SPEECH, "43 ms: keeps the pulses of a voice", "speech"},
  {TIMESTRETCH_LOW_LATENCY, "21 ms: for live use", "low-latency"},
  {0, NULL, NULL}
};

static void
properties_specify_scaling (GParamSpec ** specs)
{
  const GParamFlags flags = GST_RETRO_LIVE | GST_PARAM_CONTROLLABLE;

  specs[PROP_KEEP_PITCH] = g_param_spec_boolean ("keep-pitch", "Keep pitch",
      "Change the duration and keep the pitch", FALSE, flags);
  specs[PROP_SEMITONES] = g_param_spec_double ("semitones", "Semitones",
      "Move the pitch by this many semitones, and keep the duration",
      -TIMECHAIN_MAX_SEMITONES, TIMECHAIN_MAX_SEMITONES, 0, flags);
  specs[PROP_FORMANTS] = g_param_spec_enum ("formants", "Formants",
      "Whether the resonances of a voice follow the pitch",
      gst_retro_register_enum ("GstTimeScaleFormants", formants),
      TIMECHAIN_FORMANTS_FOLLOW, flags);
  specs[PROP_FORMANT_SEMITONES] =
      g_param_spec_double ("formant-semitones", "Formant semitones",
      "Move the formants, but not the pitch, by this many more semitones",
      -TIMECHAIN_MAX_SEMITONES, TIMECHAIN_MAX_SEMITONES, 0, flags);
  specs[PROP_WINDOW] = g_param_spec_enum ("window", "Window",
      "Length of the analysis window when pitch and duration change "
      "separately; the latency is longer (from the next segment on)",
      gst_retro_register_enum ("GstTimeScaleWindow", windows), TIMESTRETCH_AUTO,
      GST_RETRO_LIVE);
  specs[PROP_FACTOR] = g_param_spec_double ("factor", "Factor",
      "Duration of the output divided by that of the input: 2 lasts twice as "
      "long (a change begins with the next buffer and takes 5 ms)",
      TIMEDSP_MIN_FACTOR, TIMEDSP_MAX_FACTOR, 1, flags);
  specs[PROP_RATE] = g_param_spec_double ("rate", "Rate",
      "The speed, 1 / factor: 2 is twice as fast", 1 / TIMEDSP_MAX_FACTOR,
      1 / TIMEDSP_MIN_FACTOR, 1, flags);
}

/* The field of each setting. `rate` has none, because it's 1 / `factor`. */
#define FIELD(name) G_STRUCT_OFFSET (GstTimeScaleSettings, name)
static const gsize fields[] = {
  [PROP_FACTOR] = FIELD (factor),
  [PROP_KEEP_PITCH] = FIELD (pitch.kept),
  [PROP_SEMITONES] = FIELD (pitch.semitones),
  [PROP_FORMANTS] = FIELD (pitch.formants),
  [PROP_FORMANT_SEMITONES] = FIELD (pitch.formant_semitones),
  [PROP_WINDOW] = FIELD (pitch.window),
  [PROP_INTERPOLATION] = FIELD (interpolation),
  [PROP_QUALITY] = FIELD (quality),
  [PROP_ALIGNMENT] = FIELD (keeps_endpoints),
  [PROP_ABSORB_RATE] = FIELD (absorbs_rate),
  [PROP_MAX_MEMORY] = FIELD (storage.max_memory_bytes),
  [PROP_SPILL_DIRECTORY] = FIELD (storage.spill_directory)
};

static void
gst_time_scale_set_property (GObject * object, guint id, const GValue * value,
    GParamSpec * pspec)
{
  GstTimeScale *self = GST_TIME_SCALE (object);
  gdouble before;
  gboolean is_new;

  GST_OBJECT_LOCK (self);
  before = self->settings.factor;
  if (id == PROP_RATE)
    self->settings.factor = 1 / g_value_get_double (value);
  else
    gst_retro_settings_set (&self->settings, fields[id], value);
  is_new = self->settings.factor != before;
  g_atomic_int_set (&self->is_changed, TRUE);
  GST_OBJECT_UNLOCK (self);
  GST_DEBUG_OBJECT (self, "%s has changed", pspec->name);

  /* factor and rate are the same setting */
  if (is_new)
    g_object_notify (object, id == PROP_RATE ? "factor" : "rate");
}

static void
gst_time_scale_get_property (GObject * object, guint id, GValue * value,
    GParamSpec * pspec)
{
  GstTimeScale *self = GST_TIME_SCALE (object);
  GST_RETRO_AUTO_LOCK (self);

  if (id == PROP_RATE)
    g_value_set_double (value, 1 / self->settings.factor);
  else
    gst_retro_settings_get (&self->settings, fields[id], value);
}

static void
timescale_install_properties (GObjectClass * klass)
{
  GParamSpec *specs[PROP_SPILL_DIRECTORY + 1] = { NULL };

  klass->set_property = gst_time_scale_set_property;
  klass->get_property = gst_time_scale_get_property;
  properties_specify_scaling (specs);
  specs[PROP_INTERPOLATION] =
      g_param_spec_enum ("interpolation", "Interpolation",
      "How values between frames are computed (from the next buffer on)",
      gst_retro_register_enum ("GstTimeScaleInterpolation", interpolations),
      DEFAULT_INTERPOLATION, GST_RETRO_LIVE);
  specs[PROP_QUALITY] = g_param_spec_uint ("quality", "Quality",
      "Length of the filter of interpolation=sinc; a longer one has a wider "
      "pass band and a lower stop band (from the next buffer on)", 0,
      TIMEDSP_MAX_QUALITY, DEFAULT_QUALITY, GST_RETRO_LIVE);
  specs[PROP_ALIGNMENT] = g_param_spec_enum ("alignment", "Alignment",
      "Positions of output frames in the input (from the next segment on)",
      gst_retro_register_enum ("GstTimeScaleAlignment", alignments),
      FALSE, GST_RETRO_READY);
  specs[PROP_ABSORB_RATE] = g_param_spec_boolean ("absorb-rate", "Absorb rate",
      "Absorb the rate of a segment into the factor, and forward rate 1 "
      "with an applied rate (from the next segment on)", DEFAULT_ABSORB_RATE,
      GST_RETRO_READY);
  gst_retro_storage_specify (specs + PROP_MAX_MEMORY);
  g_object_class_install_properties (klass, G_N_ELEMENTS (specs), specs);
}

/* ---- from downstream: times -------------------------------------------------------------------- */

/* Stream time of the output for stream time @time_ns of the input. -1 stays -1. */
static gint64
queries_to_output (GstTimeScale * self, gint64 time_ns)
{
  GST_RETRO_AUTO_LOCK (self);

  return gst_time_scale_timeline_map (&self->times.history, time_ns,
      self->settings.factor);
}

/* Stream time of the input for stream time @time_ns of the output. Times below -1 count back from
 * the end, where the requested factor applies. Hold the lock. */
static gint64
queries_to_input (GstTimeScale * self, gint64 time_ns)
{
  if (time_ns < -1)
    return -(gint64) timedsp_scale_time (-time_ns, 1 / self->settings.factor);
  return gst_time_scale_timeline_unmap (&self->times.history, time_ns,
      self->settings.factor);
}

gboolean
gst_time_scale_is_inert (GstTimeScale * self)
{
  const TimePitch *pitch = &self->settings.pitch;

  if (gst_object_has_active_control_bindings (GST_OBJECT (self)))
    return FALSE;
  GST_RETRO_AUTO_LOCK (self);
  return self->settings.factor == 1 && pitch->semitones == 0
      && pitch->formant_semitones == 0;
}

/* ---- seeks ---------------------------------------------------------------------- */

static gboolean
timescale_multiply_rate (GstTimeScale * self, gdouble multiplier)
{
  GST_RETRO_AUTO_LOCK (self);

  if (!self->settings.absorbs_rate || !(multiplier > 0)
      || self->settings.keeps_endpoints)
    return FALSE;
  self->new_multiplier = multiplier;
  g_atomic_int_set (&self->is_changed, TRUE);
  return TRUE;
}

/* Copies @seek, which is in TIME, and converts its times to input time. We keep the times until
 * the segment that answers the seek arrives. */
static GstEvent *
queries_translate_seek (GstTimeScale * self, GstEvent * seek)
{
  GstSeekType start_type, stop_type;
  GstClockTime interval_ns;
  gint64 start, stop;
  GstSeekFlags flags;
  GstEvent *event;
  gdouble rate;
  GST_RETRO_AUTO_LOCK (self);

  gst_event_parse_seek (seek, &rate, NULL, &flags, &start_type, &start,
      &stop_type, &stop);
  gst_event_parse_seek_trickmode_interval (seek, &interval_ns);
  self->is_seeking = !(flags & GST_SEEK_FLAG_INSTANT_RATE_CHANGE);
  self->seek.out_start_ns = start_type == GST_SEEK_TYPE_SET ? start : -1;
  self->seek.out_stop_ns = stop_type == GST_SEEK_TYPE_SET ? stop : -1;
  self->seek.in_start_ns = queries_to_input (self, self->seek.out_start_ns);
  self->seek.in_stop_ns = queries_to_input (self, self->seek.out_stop_ns);
  event = gst_event_new_seek (rate, GST_FORMAT_TIME, flags, start_type,
      queries_to_input (self, start), stop_type, queries_to_input (self, stop));
  gst_event_set_seek_trickmode_interval (event, interval_ns);
  gst_event_set_seqnum (event, gst_event_get_seqnum (seek));
  return event;
}

/* Handles the seek @seek (transfer full), of TIME format. We handle an instant rate change without
 * upstream, unless the direction would change. */
static gboolean
queries_seek (GstTimeScale * self, GstEvent * seek)
{
  GstSeekFlags flags;
  GstSegment in;
  gboolean ret;
  gdouble rate;

  gst_event_parse_seek (seek, &rate, NULL, &flags, NULL, NULL, NULL, NULL);
  ret = (flags & GST_SEEK_FLAG_INSTANT_RATE_CHANGE)
      && gst_retro_pad_get_segment (GST_BASE_TRANSFORM_SINK_PAD (self), &in,
      NULL) && rate * in.rate > 0
      && timescale_multiply_rate (self, rate / in.rate);
  if (!ret) {
    ret = gst_pad_push_event (GST_BASE_TRANSFORM_SINK_PAD (self),
        queries_translate_seek (self, seek));
    GST_OBJECT_LOCK (self);
    self->is_seeking &= ret;    /* if upstream has refused it, there won't be a segment */
    GST_OBJECT_UNLOCK (self);
  }
  gst_event_unref (seek);
  return ret;
}

/* ---- quality of service -------------------------------------------------------------- */

/* Running time of the input for the running time @time_ns of the output. */
static GstClockTime
queries_unmap_running_time (GstTimeScale * self, GstClockTime time_ns)
{
  GstSegment out;
  GstClockTime at;

  if (!gst_retro_output_get_segment (&self->output, &out))
    return time_ns;
  GST_RETRO_AUTO_LOCK (self);
  at = gst_segment_position_from_running_time (&out, GST_FORMAT_TIME, time_ns);
  at = gst_time_scale_line_unmap (&self->times.line, at);
  at = gst_segment_to_running_time (&self->times.in, GST_FORMAT_TIME, at);
  return GST_CLOCK_TIME_IS_VALID (at) ? at : time_ns;
}

/* Returns (transfer full) @qos (transfer full) with the running time of the input. */
static GstEvent *
queries_translate_qos (GstTimeScale * self, GstEvent * qos)
{
  GstClockTime time_ns, at;
  GstClockTimeDiff diff;
  gdouble proportion;
  GstQOSType type;
  GstEvent *event;

  gst_event_parse_qos (qos, &type, &proportion, &diff, &time_ns);
  at = queries_unmap_running_time (self, time_ns);
  event = gst_event_new_qos (type, proportion,
      GST_CLOCK_DIFF (at, queries_unmap_running_time (self, time_ns + diff)),
      at);
  gst_event_set_seqnum (event, gst_event_get_seqnum (qos));
  gst_event_unref (qos);
  return event;
}

static gboolean
timescale_src_event (GstBaseTransform * trans, GstEvent * event)
{
  GstTimeScale *self = GST_TIME_SCALE (trans);
  GstFormat format;

  if (GST_EVENT_TYPE (event) == GST_EVENT_SEEK) {
    gst_event_parse_seek (event, NULL, &format, NULL, NULL, NULL, NULL, NULL);
    if (format == GST_FORMAT_TIME)
      return queries_seek (self, event);
  } else if (GST_EVENT_TYPE (event) == GST_EVENT_QOS) {
    event = queries_translate_qos (self, event);
  }
  return GST_BASE_TRANSFORM_CLASS (parent_class)->src_event (trans, event);
}

/* ---- queries ----------------------------------------------------------------------------- */

static gboolean
queries_query_position (GstTimeScale * self, GstQuery * query)
{
  gint64 position = gst_retro_output_get_position (&self->output);

  if (position == -1) {         /* nothing has been sent yet */
    if (!gst_pad_peer_query_position (GST_BASE_TRANSFORM_SINK_PAD (self),
            GST_FORMAT_TIME, &position))
      return FALSE;
    position = queries_to_output (self, position);
  }
  return gst_retro_pad_answer_time (GST_BASE_TRANSFORM_SRC_PAD (self), query,
      position);
}

static gboolean
queries_query_seeking (GstTimeScale * self, GstQuery * query)
{
  GstFormat format;
  gint64 start, stop;
  gboolean seekable;

  if (!gst_pad_peer_query (GST_BASE_TRANSFORM_SINK_PAD (self), query))
    return FALSE;
  gst_query_parse_seeking (query, &format, &seekable, &start, &stop);
  if (format == GST_FORMAT_TIME)
    gst_query_set_seeking (query, format, seekable, queries_to_output (self,
            start), queries_to_output (self, stop));
  return TRUE;
}

/* revbuf sends this query. Scaled audio is different after a seek, because the phase of the
 * scaler depends on its first frame. */
static gboolean
queries_query_repeats (GstTimeScale * self, GstQuery * query)
{
  GstStructure *structure = gst_query_writable_structure (query);

  if (structure == NULL
      || !gst_structure_has_name (structure, GST_RETRO_QUERY_REPEATS)
      || gst_time_scale_is_inert (self))
    return FALSE;
  gst_structure_set (structure, "repeats", G_TYPE_BOOLEAN, FALSE, NULL);
  return TRUE;
}

static gboolean
timescale_query (GstBaseTransform * trans, GstPadDirection direction,
    GstQuery * query)
{
  GstTimeScale *self = GST_TIME_SCALE (trans);
  GstClockTime latency_ns;
  gint64 duration_ns;

  switch (direction == GST_PAD_SRC ? GST_QUERY_TYPE (query) : GST_QUERY_UNKNOWN) {
    case GST_QUERY_LATENCY:
      GST_OBJECT_LOCK (self);
      latency_ns = self->latency_ns;
      GST_OBJECT_UNLOCK (self);
      return gst_retro_pad_answer_latency (GST_BASE_TRANSFORM_SINK_PAD (self),
          query, latency_ns);
    case GST_QUERY_DURATION:
      if (g_atomic_int_get (&self->is_untimed))
        break;
      return gst_pad_peer_query_duration (GST_BASE_TRANSFORM_SINK_PAD (self),
          GST_FORMAT_TIME, &duration_ns)
          && gst_retro_pad_answer_time (GST_BASE_TRANSFORM_SRC_PAD (self),
          query, queries_to_output (self, duration_ns));
    case GST_QUERY_POSITION:
      if (!g_atomic_int_get (&self->is_untimed))
        return queries_query_position (self, query);
      break;
    case GST_QUERY_SEEKING:
      return queries_query_seeking (self, query);
    case GST_QUERY_SEGMENT:
      if (gst_retro_output_query_segment (&self->output, query))
        return TRUE;
      break;
    case GST_QUERY_CUSTOM:
      if (queries_query_repeats (self, query))
        return TRUE;
      break;
    case GST_QUERY_SCHEDULING: /* push mode only, because pulling would get you the input */
      gst_query_set_scheduling (query, 0, 1, -1, 0);
      gst_query_add_scheduling_mode (query, GST_PAD_MODE_PUSH);
      return TRUE;
    default:
      break;
  }
  return GST_BASE_TRANSFORM_CLASS (parent_class)->query (trans, direction,
      query);
}

/* ---- segments ------------------------------------------------------------- */

GstFlowReturn
gst_time_scale_fail_untimed (GstTimeScale * self)
{
  if (self->is_refused)
    return GST_FLOW_ERROR;
  self->is_refused = TRUE;
  GST_ELEMENT_ERROR (self, STREAM, FORMAT,
      ("%s needs audio with timestamps: put a parser such as rawaudioparse "
          "before it.", GST_OBJECT_NAME (self)), ("segment in %s format",
          gst_format_get_name (self->input.segment.format)));
  return GST_FLOW_ERROR;
}

/* If downstream rejects it, we post an error, as queue does, because an event can't return a flow
 * error to upstream. */
static GstFlowReturn
timescale_drain (GstTimeScale * self)
{
  GstFlowReturn ret = gst_time_scale_drain (self);

  if (ret == GST_FLOW_NOT_LINKED || ret == GST_FLOW_NOT_NEGOTIATED)
    GST_ELEMENT_FLOW_ERROR (self, ret);
  return ret;
}

static gboolean
timescale_has_curve (GstTimeScale * self, const gchar * property)
{
  g_autoptr (GstControlBinding) binding =
      gst_object_get_control_binding (GST_OBJECT (self), property);

  return binding != NULL && !gst_control_binding_is_disabled (binding);
}

/* Starts the segment that has arrived, now that we know its stop. */
static void
timescale_start_segment (GstTimeScale * self)
{
  GstSegment in = self->input.segment;
  gint rate = GST_AUDIO_INFO_RATE (&self->input.info);

  if (gst_retro_input_is_flipping (&self->input))
    gst_retro_segment_reverse (&self->input.segment, &in);
  self->is_curved = gst_object_has_active_control_bindings (GST_OBJECT (self));
  if (self->is_curved)
    gst_retro_sync_values (GST_OBJECT (self), in.time);
  gst_time_scale_copy_settings (self);
  GST_OBJECT_LOCK (self);
  if (self->is_seeking)         /* a seek replaces any instant rate change */
    self->times.multiplier = 1;
  gst_time_scale_times_start (&self->times, &in, self->now.factor,
      self->now.absorbs_rate, rate);
  if (self->is_seeking)
    gst_time_scale_times_answer (&self->times, &self->seek);
  self->is_seeking = FALSE;
  GST_OBJECT_UNLOCK (self);
  self->has_ramped = FALSE;
  gst_retro_clock_clear (&self->clock, rate);
  if (self->times.factor != 1)
    gst_time_scale_times_allow_surplus (&self->times,
        gst_retro_pad_duration (GST_BASE_TRANSFORM_SINK_PAD (self)), rate);
  if (self->times.out.applied_rate > 0 && (timescale_has_curve (self, "factor")
          || timescale_has_curve (self, "rate")))
    self->times.out.stop = GST_CLOCK_TIME_NONE;
  gst_retro_output_open_segment (&self->output,
      self->times.out.flags & GST_SEGMENT_FLAG_SEGMENT,
      gst_segment_to_stream_time (&self->times.out, GST_FORMAT_TIME,
          self->times.out.start), self->output.seqnum);
  gst_time_scale_send_segment (self, &self->times.out);
  /* if the pitch is kept, this takes longer than a short buffer lasts. If it
   * fails, the first buffer reports it. With a curve, we don't know the factor
   * yet. */
  if (rate > 0 && !self->is_curved && !gst_time_scale_wants_keeping (self))
    gst_time_scale_configure (self);
}

void
gst_time_scale_learn_stop (GstTimeScale * self, GstClockTime end_ns)
{
  if (gst_retro_input_learn_stop (&self->input, end_ns))
    timescale_start_segment (self);
}

static gboolean
timescale_handle_segment (GstTimeScale * self, GstEvent * taken)
{
  g_autoptr (GstEvent) event = taken;
  const GstSegment *segment;

  gst_event_parse_segment (event, &segment);
  GST_DEBUG_OBJECT (self, "received segment %" GST_SEGMENT_FORMAT, segment);
  if (timescale_drain (self) == GST_FLOW_ERROR)
    return FALSE;
  gst_time_scale_forget_frames (self);
  gst_retro_input_set_segment (&self->input, segment);
  self->is_refused = FALSE;
  g_atomic_int_set (&self->is_untimed, segment->format != GST_FORMAT_TIME);
  if (self->is_untimed) {
    gst_retro_output_forget (&self->output);
    if (gst_time_scale_is_inert (self))
      return gst_pad_push_event (self->output.pad, g_steal_pointer (&event));
    gst_time_scale_fail_untimed (self);
    return TRUE;                /* otherwise it would be sent again and again */
  }
  gst_retro_output_expect (&self->output, gst_event_get_seqnum (event));
  if (!gst_retro_input_awaits_stop (&self->input))
    timescale_start_segment (self);
  return TRUE;
}

/* ---- other events ------------------------------------------------------------- */

static gboolean
timescale_chain_up (GstTimeScale * self, GstEvent * event)
{
  return GST_BASE_TRANSFORM_CLASS (parent_class)->sink_event
      (GST_BASE_TRANSFORM (self), event);
}

static gboolean
timescale_set_caps (GstBaseTransform * trans, GstCaps * in, GstCaps * out)
{
  GstTimeScale *self = GST_TIME_SCALE (trans);
  GstAudioInfo info;

  if (!gst_audio_info_from_caps (&info, in))
    return FALSE;
  if (gst_audio_info_is_equal (&info, &self->input.info))
    return TRUE;
  gst_retro_input_set_info (&self->input, &info);
  self->n_planes = gst_retro_info_planes (&info);
  self->stride = gst_retro_info_plane_stride (&info);
  self->longest_frames = MAX (GST_AUDIO_INFO_RATE (&info) / 10, 1024);
  self->told_latency_frames = G_MAXSIZE;        /* they may last a different time now */
  gst_time_scale_forget_frames (self);
  return TRUE;
}

static gboolean
timescale_handle_gap (GstTimeScale * self, GstEvent * event)
{
  GstClockTime pts, duration, out_ns;
  GstGapFlags flags;
  gboolean ret = TRUE;

  if (self->is_untimed)
    return timescale_chain_up (self, event);
  gst_event_parse_gap (event, &pts, &duration);
  if (GST_CLOCK_TIME_IS_VALID (pts)
      && self->input.segment.format == GST_FORMAT_TIME) {
    gst_time_scale_learn_stop (self,
        GST_CLOCK_TIME_IS_VALID (duration) ? pts + duration : pts);
    gst_retro_input_take_gap (&self->input, &pts, duration);
    ret = timescale_drain (self) != GST_FLOW_ERROR;
    if (self->is_curved)
      gst_retro_sync_values (GST_OBJECT (self), gst_retro_segment_stream_time
          (&self->times.in, pts));
    gst_time_scale_copy_settings (self);
    gst_time_scale_adopt (self, pts);
    gst_time_scale_enter_segment (self);
    out_ns = gst_time_scale_times_map (&self->times, pts);
    gst_event_parse_gap_flags (event, &flags);
    if (GST_CLOCK_TIME_IS_VALID (duration)) {
      self->times.end_ns = pts + duration;
      duration =
          gst_time_scale_times_map (&self->times, self->times.end_ns) - out_ns;
    }
    gst_retro_output_push_gap (&self->output, out_ns, duration, flags,
        gst_event_get_seqnum (event));
  }
  gst_event_unref (event);
  return ret;
}

/* Handles EOS and SEGMENT_DONE: sends the remaining audio, then the event. */
static gboolean
timescale_handle_end (GstTimeScale * self, GstEvent * event)
{
  guint32 seqnum = gst_event_get_seqnum (event);
  gint64 position_ns;
  gboolean ret;

  gst_time_scale_learn_stop (self, GST_CLOCK_TIME_NONE);
  if (timescale_drain (self) == GST_FLOW_ERROR) {
    gst_event_unref (event);
    return FALSE;
  }
  position_ns = gst_retro_output_get_position (&self->output);
  if (GST_EVENT_TYPE (event) == GST_EVENT_SEGMENT_DONE && position_ns != -1) {
    gst_event_unref (event);
    event = gst_event_new_segment_done (GST_FORMAT_TIME, position_ns);
    gst_event_set_seqnum (event, seqnum);
  }
  ret = timescale_chain_up (self, event);
  gst_retro_output_close_segment (&self->output, position_ns, seqnum);
  return ret;
}

static void
timescale_forget_stream (GstTimeScale * self, gboolean reset_time)
{
  gst_time_scale_forget_frames (self);
  gst_retro_input_reset (&self->input, FALSE);
  gst_retro_output_forget (&self->output);
  g_atomic_int_set (&self->is_untimed, FALSE);
  GST_RETRO_AUTO_LOCK (self);
  gst_time_scale_times_flush (&self->times, self->settings.factor, reset_time);
  self->new_multiplier = 0;
}

static gboolean
timescale_sink_event (GstBaseTransform * trans, GstEvent * event)
{
  GstTimeScale *self = GST_TIME_SCALE (trans);
  gboolean reset_time, ret;
  gdouble multiplier;
  GstAudioInfo info;
  GstCaps *caps;

  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_CAPS:
      /* downstream may ask for the same caps again, which doesn't change anything */
      gst_event_parse_caps (event, &caps);
      if (gst_audio_info_from_caps (&info, caps)
          && !gst_audio_info_is_equal (&info, &self->input.info)
          && timescale_drain (self) == GST_FLOW_ERROR) {
        gst_event_unref (event);
        return FALSE;
      }
      return timescale_chain_up (self, event);
    case GST_EVENT_SEGMENT:
      return timescale_handle_segment (self, event);
    case GST_EVENT_GAP:
      return timescale_handle_gap (self, event);
    case GST_EVENT_EOS:
    case GST_EVENT_SEGMENT_DONE:
      return timescale_handle_end (self, event);
    case GST_EVENT_FLUSH_STOP:
      gst_event_parse_flush_stop (event, &reset_time);
      timescale_forget_stream (self, reset_time);
      ret = timescale_chain_up (self, event);
      gst_retro_output_drop_held (&self->output, FALSE);
      return ret;
    case GST_EVENT_INSTANT_RATE_CHANGE:
      gst_event_parse_instant_rate_change (event, &multiplier, NULL);
      if (!timescale_multiply_rate (self, multiplier))
        return timescale_chain_up (self, event);
      gst_event_unref (event);
      return TRUE;
    case GST_EVENT_STREAM_START:
      timescale_drain (self);
      return timescale_chain_up (self, event);
    default:
      if (self->input.segment.format == GST_FORMAT_TIME
          && gst_retro_output_hold (&self->output, event))
        return TRUE;
      return timescale_chain_up (self, event);
  }
}

/* ---- the element -------------------------------------------------------- */

static gboolean
timescale_stop (GstBaseTransform * trans)
{
  GstTimeScale *self = GST_TIME_SCALE (trans);

  timescale_forget_stream (self, TRUE);
  gst_retro_input_reset (&self->input, TRUE);
  gst_retro_output_drop_held (&self->output, TRUE);
  g_atomic_int_set (&self->output.is_segment_open, FALSE);
  self->told_latency_frames = G_MAXSIZE;
  GST_RETRO_AUTO_LOCK (self);
  self->latency_ns = 0;
  g_array_set_size (self->times.history.pairs, 0);
  self->is_seeking = FALSE;
  return TRUE;
}

static void
gst_time_scale_finalize (GObject * object)
{
  GstTimeScale *self = GST_TIME_SCALE (object);

  gst_time_scale_forget_frames (self);
  gst_time_scale_times_clear (&self->times);
  g_free (self->settings.storage.spill_directory);
  G_OBJECT_CLASS (parent_class)->finalize (object);
}

static void
gst_time_scale_init (GstTimeScale * self)
{
  GstBaseTransform *trans = GST_BASE_TRANSFORM (self);

  gst_retro_input_reset (&self->input, TRUE);
  gst_retro_output_init (&self->output, GST_BASE_TRANSFORM_SRC_PAD (trans));
  gst_time_scale_times_init (&self->times);
  self->settings = (GstTimeScaleSettings) {
  .factor = 1,.interpolation = DEFAULT_INTERPOLATION,.quality =
        DEFAULT_QUALITY,.pitch.window = TIMESTRETCH_AUTO,.absorbs_rate =
        DEFAULT_ABSORB_RATE,.storage.max_memory_bytes =
        GST_RETRO_DEFAULT_MAX_MEMORY_BYTES};
  self->base_submit =
      GST_BASE_TRANSFORM_CLASS (parent_class)->submit_input_buffer;
  self->base_chain = GST_PAD_CHAINFUNC (GST_BASE_TRANSFORM_SINK_PAD (trans));
  gst_pad_set_chain_function (GST_BASE_TRANSFORM_SINK_PAD (trans),
      GST_DEBUG_FUNCPTR (gst_time_scale_chain));
}

static void
gst_time_scale_class_init (GstTimeScaleClass * klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstBaseTransformClass *trans_class = GST_BASE_TRANSFORM_CLASS (klass);

  GST_DEBUG_CATEGORY_INIT (gst_time_scale_debug, "timescale", 0,
      "scaling of audio in time");

  object_class->finalize = gst_time_scale_finalize;
  timescale_install_properties (object_class);

  trans_class->stop = GST_DEBUG_FUNCPTR (timescale_stop);
  trans_class->set_caps = GST_DEBUG_FUNCPTR (timescale_set_caps);
  trans_class->sink_event = GST_DEBUG_FUNCPTR (timescale_sink_event);
  trans_class->src_event = GST_DEBUG_FUNCPTR (timescale_src_event);
  trans_class->query = GST_DEBUG_FUNCPTR (timescale_query);
  trans_class->submit_input_buffer =
      GST_DEBUG_FUNCPTR (gst_time_scale_submit_input_buffer);
  trans_class->generate_output =
      GST_DEBUG_FUNCPTR (gst_time_scale_generate_output);

  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_add_static_pad_template (element_class, &src_template);
  gst_element_class_set_static_metadata (element_class, "Audio time scaler",
      "Filter/Effect/Rate/Audio",
      "Stretches or compresses audio in time, with or without changing its "
      "pitch", "The Retrograde authors <retrograde@localhost>");
}
