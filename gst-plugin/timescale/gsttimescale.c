/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/**
 * SECTION:element-timescale
 * @title: timescale
 * @short_description: Stretches or squeezes audio in time, or moves its pitch
 *
 * timescale changes the duration of audio, and its pitch with it, like a tape
 * that runs slower or faster. It can also change one of the two alone.
 * #timescale:factor is the duration of the output divided by that of the input:
 * with 2, ten seconds become twenty.
 *
 * With #timescale:interpolation `sinc`, the default, everything inside the pass
 * band is kept, and frequencies too high for the output are filtered out before
 * they can alias. #timescale:quality sets how well. `linear`, `smooth` and the
 * others have simple formulas, and are fast.
 *
 * n frames become floor (n × factor). The result is the same, bit for bit,
 * however the stream is cut into buffers. Positions are exact, so hours of audio
 * do not drift. Integer results are rounded half to even and clipped.
 *
 * #timescale:factor and #timescale:rate may change while it plays. The change
 * begins after 30 ms of output at the latest (in buffers of more than 80 ms, after
 * 150 ms). The speed then moves evenly to the new one, within 5 ms of the input or of
 * the output, whichever is longer. Under a curve of a GstController (over the stream
 * time of the input), the factor is that of the curve every 5 ms, and the speed moves
 * evenly in between. The number of output frames is the integral of the factor.
 * #timescale:interpolation and #timescale:quality may change, too, and take effect at
 * the next frame.
 *
 * Durations, positions and seeks are those of the output: behind a timescale of
 * factor 2, a file of 10 seconds lasts 20. If the factor has changed, each part
 * counts as it was heard. A stream that plays backwards is reversed at the input,
 * as by revbuf, and one factor counts for all of it.
 *
 * With #timescale:absorb-rate, the rate of a segment is applied here. Such a
 * segment comes from a seek at that rate, and leaves with rate 1 and an applied
 * rate. A seek with GST_SEEK_FLAG_INSTANT_RATE_CHANGE becomes a part of the factor
 * at once, and upstream need not support it.
 *
 * With #timescale:keep-pitch, only the duration changes: a phase vocoder
 * stretches the sound, and keeps attacks sharp and the channels in phase.
 * #timescale:semitones moves the pitch and leaves the duration alone. The pitch
 * of the output is that of the input, divided by the factor unless it is kept,
 * times 2^(semitones / 12). From factor 0.25 to 4 the sound is good. If neither
 * duration nor pitch changes, the output is the input, bit for bit.
 *
 * Formants, the resonances that tell a man from a child, move with the pitch. With
 * #timescale:formants `keep` they stay where they are in the input, whatever moves the
 * pitch, and #timescale:formant-semitones moves them by more. Either alone brings the
 * vocoder in, too. Tones, which have no formants, are left as they are.
 *
 * All of this may change while it plays. When the vocoder starts, it needs a window of
 * sound before it acts: at 48 kHz, the change is heard up to 0.25 s of input later.
 * When neither duration nor pitch changes any more, the vocoder stops and buffers pass
 * unchanged, unless a curve is followed. #timescale:window sets the length of the
 * window; a change takes effect at the next segment.
 *
 * The latency is the input that the interpolation and the vocoder look ahead. At 48 kHz
 * it is 2 ms for the interpolation alone. With #timescale:keep-pitch near factor 1 it is
 * 110 ms for the window `music` and 24 ms for `low-latency`, more below factor 1. With
 * #timescale:semitones it is more as well: 26 to 63 ms for `low-latency`, 115 to 312 ms
 * for `music`. Behind a live source, the factor should be 1 in the long run: a larger
 * one makes the output ever later, and a smaller one lets it run dry.
 *
 * With #timescale:alignment `endpoints`, the whole stream is kept (in memory up to
 * #timescale:max-memory, beyond that in a temporary file). It is then scaled so that
 * its first and last frame stay the first and last. If the pitch is kept or moved,
 * it is scaled as a stream instead, and nothing is kept.
 *
 * ## Example pipelines
 * |[
 * gst-launch-1.0 filesrc location=in.flac ! decodebin ! audioconvert ! timescale factor=1.5 ! wavenc ! filesink location=slow.wav
 * ]| Half as long again.
 * |[
 * gst-launch-1.0 filesrc location=in.ogg ! decodebin ! audioconvert ! timescale rate=2 interpolation=linear ! autoaudiosink
 * ]| At double speed.
 * |[
 * gst-launch-1.0 playbin uri=file:///speech.mp3 audio-filter="timescale keep-pitch=true rate=1.5"
 * ]| Speech half as fast again, at the pitch it has.
 * |[
 * gst-launch-1.0 playbin uri=file:///speech.mp3 audio-filter="timescale semitones=4 formants=keep"
 * ]| A voice four semitones higher, of the same person.
 *
 * Since: 0.1
 */

#include "timescale/gsttimescale.h"
#include "common/segment.h"

GST_DEBUG_CATEGORY (gst_timescale_debug);
#define GST_CAT_DEFAULT gst_timescale_debug

static const GstAudioFormat formats[] = { GST_AUDIO_FORMAT_S16,
  GST_AUDIO_FORMAT_S32, GST_AUDIO_FORMAT_F32, GST_AUDIO_FORMAT_F64
};

GST_ELEMENT_REGISTER_DECLARE (timescale);

G_DEFINE_FINAL_TYPE (GstTimeScale, gst_timescale, GST_TYPE_RETRO_FILTER);
GST_ELEMENT_REGISTER_DEFINE (timescale, "timescale", GST_RANK_NONE,
    GST_TYPE_TIMESCALE);

/* ---- instant changes of the rate ---------------------------------------- */

static gboolean
gst_timescale_instant_rate (GstRetroFilter * filter, gdouble multiplier)
{
  GstTimeScale *self = GST_TIMESCALE (filter);
  const GstTimeScaleSettings *settings = &self->settings;
  GST_RETRO_AUTO_LOCK (self);

  if (!settings->absorb_rate || multiplier <= 0
      || settings->alignment != GST_TIMESCALE_STREAM)
    return FALSE;
  self->new_multiplier = multiplier;
  g_atomic_int_inc (&self->asked);
  return TRUE;
}

/* The seek asks for another rate from here on, in the same direction. That changes
 * the factor alone; upstream need not know. */
static gboolean
seek_instantly (GstRetroFilter * filter, gdouble rate)
{
  GstSegment in;

  return gst_retro_pad_get_segment (filter->sinkpad, &in, NULL)
      && rate * in.rate > 0
      && gst_timescale_instant_rate (filter, rate / in.rate);
}

/* ---- seeks and queries -------------------------------------------------- */

/* Translate stream times of the output and of the input. */
static gint64
to_input_time (GstTimeScale * self, gint64 time_ns)
{
  GST_RETRO_AUTO_LOCK (self);

  /* counted from the end, where the current factor holds */
  if (time_ns < -1)
    return -(gint64) timedsp_scale_time (-time_ns, 1 / self->settings.factor);
  return timedsp_timeline_to_input (&self->segments.history, time_ns,
      self->settings.factor);
}

static gint64
to_output_time (GstTimeScale * self, gint64 time_ns)
{
  GST_RETRO_AUTO_LOCK (self);

  return timedsp_timeline_to_output (&self->segments.history, time_ns,
      self->settings.factor);
}

static void
set_seek (GstTimeScale * self, gboolean asked, const TimeSeek * seek)
{
  GST_RETRO_AUTO_LOCK (self);

  self->rate_is_asked = asked;
  self->seek = *seek;
}

static gboolean
gst_timescale_seek (GstRetroFilter * filter, GstEvent * event)
{
  GstTimeScale *self = GST_TIMESCALE (filter);
  GstSeekFlags flags;
  GstSeekType start_type, stop_type;
  TimeSeek seek;
  gint64 start, stop;
  gdouble rate;

  gst_event_parse_seek (event, &rate, NULL, &flags, &start_type, &start,
      &stop_type, &stop);
  if ((flags & GST_SEEK_FLAG_INSTANT_RATE_CHANGE)
      && seek_instantly (filter, rate)) {
    gst_event_unref (event);
    return TRUE;
  }
  seek.out_start_ns = start_type == GST_SEEK_TYPE_SET ? start : -1;
  seek.out_stop_ns = stop_type == GST_SEEK_TYPE_SET ? stop : -1;
  seek.in_start_ns = to_input_time (self, seek.out_start_ns);
  seek.in_stop_ns = to_input_time (self, seek.out_stop_ns);
  set_seek (self, TRUE, &seek);
  if (gst_retro_filter_send_seek (filter, event, rate,
          to_input_time (self, start), stop_type, to_input_time (self, stop)))
    return TRUE;
  set_seek (self, FALSE, &seek);
  return FALSE;
}

/* The phase of the scaler and the state of the stretcher depend on the first frame. */
static gboolean
gst_timescale_repeats (GstRetroFilter * filter)
{
  const GstTimeScaleSettings *settings = &GST_TIMESCALE (filter)->settings;

  if (gst_object_has_active_control_bindings (GST_OBJECT (filter)))
    return FALSE;
  GST_RETRO_AUTO_LOCK (filter);
  return settings->factor == 1 && settings->pitch.semitones == 0
      && settings->pitch.formant_semitones == 0;
}

/* Turns times of upstream into times of the output. */
static void
scale_answer (GstTimeScale * self, GstQuery * query)
{
  GstFormat format;
  gint64 start, stop;
  gboolean seekable;

  switch (GST_QUERY_TYPE (query)) {
    case GST_QUERY_DURATION:
      gst_query_parse_duration (query, &format, &stop);
      if (format == GST_FORMAT_TIME)
        gst_query_set_duration (query, format, to_output_time (self, stop));
      break;
    case GST_QUERY_POSITION:
      gst_query_parse_position (query, &format, &start);
      if (format == GST_FORMAT_TIME)
        gst_query_set_position (query, format, to_output_time (self, start));
      break;
    case GST_QUERY_SEEKING:
      gst_query_parse_seeking (query, &format, &seekable, &start, &stop);
      if (format == GST_FORMAT_TIME)
        gst_query_set_seeking (query, format, seekable,
            to_output_time (self, start), to_output_time (self, stop));
      break;
    default:
      break;
  }
}

static gboolean
gst_timescale_query (GstRetroFilter * filter, GstQuery * query)
{
  GstTimeScale *self = GST_TIMESCALE (filter);
  GstRetroFilterClass *parent_class =
      GST_RETRO_FILTER_CLASS (gst_timescale_parent_class);
  gboolean sent_already;

  /* the base class answers with a time of the output, once audio has been sent */
  sent_already = GST_QUERY_TYPE (query) == GST_QUERY_POSITION
      && GST_CLOCK_TIME_IS_VALID (gst_retro_filter_get_position (filter));

  if (!parent_class->query (filter, query))
    return FALSE;
  if (!sent_already)
    scale_answer (self, query);
  return TRUE;
}

/* ---- properties --------------------------------------------------------- */

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

static const GEnumValue interpolations[] = {
  {TIMEDSP_NEAREST, "The nearest frame", "nearest"},
  {TIMEDSP_LINEAR, "On the straight line between two frames", "linear"},
  {TIMEDSP_SMOOTH, "On the smoothstep curve between two frames when "
        "lengthening, linear when shortening", "smooth"},
  {TIMEDSP_CUBIC, "On the cubic through four frames", "cubic"},
  {TIMEDSP_SINC, "Band-limited: a windowed sinc over many frames, by "
        "quality; nothing aliases", "sinc"},
  {0, NULL, NULL}
};

static const GEnumValue alignments[] = {
  {GST_TIMESCALE_STREAM, "Frame k is read at k / factor", "stream"},
  {GST_TIMESCALE_ENDPOINTS, "The first and the last frame are kept (the "
        "whole stream is collected first)", "endpoints"},
  {0, NULL, NULL}
};

static const GEnumValue formants[] = {
  {TIMECHAIN_FORMANTS_FOLLOW, "They move with the pitch", "follow"},
  {TIMECHAIN_FORMANTS_KEEP, "They stay where they are, so that a voice stays "
        "that of the same person", "keep"},
  {0, NULL, NULL}
};

static const GEnumValue windows[] = {
  {TIMESTRETCH_AUTO, "Music, and speech while one voice alone is heard "
        "(above about -70 dBFS)", "auto"},
  {TIMESTRETCH_MUSIC, "85 ms: keeps close notes apart", "music"},
  {TIMESTRETCH_SPEECH, "43 ms: keeps the pulses of a voice", "speech"},
  {TIMESTRETCH_LOW_LATENCY, "21 ms: for live use", "low-latency"},
  {0, NULL, NULL}
};

static void
install_pitch (GObjectClass * klass)
{
  g_object_class_install_property (klass, PROP_KEEP_PITCH,
      g_param_spec_boolean ("keep-pitch", "Keep pitch",
          "Change the duration and keep the pitch",
          FALSE, GST_RETRO_LIVE | GST_PARAM_CONTROLLABLE));
  g_object_class_install_property (klass, PROP_SEMITONES,
      g_param_spec_double ("semitones", "Semitones",
          "Move the pitch by this many semitones, and keep the duration",
          -TIMECHAIN_MAX_SEMITONES, TIMECHAIN_MAX_SEMITONES, 0,
          GST_RETRO_LIVE | GST_PARAM_CONTROLLABLE));
  g_object_class_install_property (klass, PROP_FORMANTS,
      g_param_spec_enum ("formants", "Formants",
          "What becomes of the resonances of a voice when the pitch moves",
          gst_retro_register_enum ("GstTimeScaleFormants", formants),
          TIMECHAIN_FORMANTS_FOLLOW, GST_RETRO_LIVE | GST_PARAM_CONTROLLABLE));
  g_object_class_install_property (klass, PROP_FORMANT_SEMITONES,
      g_param_spec_double ("formant-semitones", "Formant semitones",
          "Move the formants by this many semitones more, and not the pitch",
          -TIMECHAIN_MAX_SEMITONES, TIMECHAIN_MAX_SEMITONES, 0,
          GST_RETRO_LIVE | GST_PARAM_CONTROLLABLE));
  g_object_class_install_property (klass, PROP_WINDOW,
      g_param_spec_enum ("window", "Window",
          "Length of the sound that is analysed at once when pitch and duration "
          "change separately; the latency is more (from the next segment on)",
          gst_retro_register_enum ("GstTimeScaleWindow", windows),
          TIMESTRETCH_AUTO, GST_RETRO_LIVE));
}

static void
install_factor (GObjectClass * klass)
{
  const GParamFlags flags = GST_RETRO_LIVE | GST_PARAM_CONTROLLABLE;

  g_object_class_install_property (klass, PROP_FACTOR,
      g_param_spec_double ("factor", "Factor",
          "Duration of the output divided by that of the input: 2 lasts twice as "
          "long (a change begins within 30 ms and takes 5 ms)",
          TIMEDSP_MIN_FACTOR, TIMEDSP_MAX_FACTOR, 1, flags));
  g_object_class_install_property (klass, PROP_RATE,
      g_param_spec_double ("rate", "Rate",
          "The speed, 1 / factor: 2 is twice as fast",
          1 / TIMEDSP_MAX_FACTOR, 1 / TIMEDSP_MIN_FACTOR, 1, flags));
}

static void
install_properties (GObjectClass * klass)
{
  install_factor (klass);
  install_pitch (klass);
  g_object_class_install_property (klass, PROP_INTERPOLATION,
      g_param_spec_enum ("interpolation", "Interpolation",
          "How values between frames are computed (from the next buffer on)",
          gst_retro_register_enum ("GstTimeScaleInterpolation", interpolations),
          DEFAULT_INTERPOLATION, GST_RETRO_LIVE));
  g_object_class_install_property (klass, PROP_QUALITY,
      g_param_spec_uint ("quality", "Quality",
          "Length of the filter of interpolation=sinc; a longer one has a wider "
          "pass band and a lower stop band (from the next buffer on)", 0,
          TIMEDSP_MAX_QUALITY, DEFAULT_QUALITY, GST_RETRO_LIVE));
  g_object_class_install_property (klass, PROP_ALIGNMENT,
      g_param_spec_enum ("alignment", "Alignment",
          "Where output frames lie in the input (from the next segment on)",
          gst_retro_register_enum ("GstTimeScaleAlignment", alignments),
          GST_TIMESCALE_STREAM, GST_RETRO_READY));
  g_object_class_install_property (klass, PROP_ABSORB_RATE,
      g_param_spec_boolean ("absorb-rate", "Absorb rate",
          "Make the rate of a segment a part of the factor, and send on rate 1 "
          "with an applied rate (from the next segment on)",
          DEFAULT_ABSORB_RATE, GST_RETRO_READY));
  gst_retro_storage_install (klass, PROP_MAX_MEMORY, PROP_SPILL_DIRECTORY);
}

/* Sets the value of the property @id. FALSE: there is no such property. */
static gboolean
set_value (GstTimeScaleSettings * settings, guint id, const GValue * value)
{
  switch (id) {
    case PROP_FACTOR:
      settings->factor = g_value_get_double (value);
      break;
    case PROP_RATE:
      settings->factor = 1 / g_value_get_double (value);
      break;
    case PROP_KEEP_PITCH:
      settings->pitch.kept = g_value_get_boolean (value);
      break;
    case PROP_SEMITONES:
      settings->pitch.semitones = g_value_get_double (value);
      break;
    case PROP_FORMANTS:
      settings->pitch.formants = g_value_get_enum (value);
      break;
    case PROP_FORMANT_SEMITONES:
      settings->pitch.formant_semitones = g_value_get_double (value);
      break;
    case PROP_WINDOW:
      settings->pitch.window = g_value_get_enum (value);
      break;
    case PROP_INTERPOLATION:
      settings->interpolation = g_value_get_enum (value);
      break;
    case PROP_QUALITY:
      settings->quality = g_value_get_uint (value);
      break;
    case PROP_ALIGNMENT:
      settings->alignment = g_value_get_enum (value);
      break;
    case PROP_ABSORB_RATE:
      settings->absorb_rate = g_value_get_boolean (value);
      break;
    case PROP_MAX_MEMORY:
      settings->storage.max_memory_bytes = g_value_get_uint64 (value);
      break;
    case PROP_SPILL_DIRECTORY:
      g_free (settings->storage.spill_directory);
      settings->storage.spill_directory = g_value_dup_string (value);
      break;
    default:
      return FALSE;
  }
  return TRUE;
}

static void
gst_timescale_set_property (GObject * object, guint id, const GValue * value,
    GParamSpec * pspec)
{
  GstTimeScale *self = GST_TIMESCALE (object);
  gdouble before;
  gboolean known, is_new;

  GST_OBJECT_LOCK (self);
  before = self->settings.factor;
  known = set_value (&self->settings, id, value);
  is_new = self->settings.factor != before;
  GST_OBJECT_UNLOCK (self);
  g_atomic_int_inc (&self->asked);

  /* the two properties are the same setting */
  if (is_new)
    g_object_notify (object, id == PROP_RATE ? "factor" : "rate");
  if (!known)
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

/* The same for reading. */
static gboolean
get_value (const GstTimeScaleSettings * settings, guint id, GValue * value)
{
  switch (id) {
    case PROP_FACTOR:
      g_value_set_double (value, settings->factor);
      break;
    case PROP_RATE:
      g_value_set_double (value, 1 / settings->factor);
      break;
    case PROP_KEEP_PITCH:
      g_value_set_boolean (value, settings->pitch.kept);
      break;
    case PROP_SEMITONES:
      g_value_set_double (value, settings->pitch.semitones);
      break;
    case PROP_FORMANTS:
      g_value_set_enum (value, settings->pitch.formants);
      break;
    case PROP_FORMANT_SEMITONES:
      g_value_set_double (value, settings->pitch.formant_semitones);
      break;
    case PROP_WINDOW:
      g_value_set_enum (value, settings->pitch.window);
      break;
    case PROP_INTERPOLATION:
      g_value_set_enum (value, settings->interpolation);
      break;
    case PROP_QUALITY:
      g_value_set_uint (value, settings->quality);
      break;
    case PROP_ALIGNMENT:
      g_value_set_enum (value, settings->alignment);
      break;
    case PROP_ABSORB_RATE:
      g_value_set_boolean (value, settings->absorb_rate);
      break;
    case PROP_MAX_MEMORY:
      g_value_set_uint64 (value, settings->storage.max_memory_bytes);
      break;
    case PROP_SPILL_DIRECTORY:
      g_value_set_string (value, settings->storage.spill_directory);
      break;
    default:
      return FALSE;
  }
  return TRUE;
}

static void
gst_timescale_get_property (GObject * object, guint id, GValue * value,
    GParamSpec * pspec)
{
  GstTimeScale *self = GST_TIMESCALE (object);
  gboolean known;

  GST_OBJECT_LOCK (self);
  known = get_value (&self->settings, id, value);
  GST_OBJECT_UNLOCK (self);
  if (!known)
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

/* ---- the element -------------------------------------------------------- */

static GstStateChangeReturn
gst_timescale_change_state (GstElement * element, GstStateChange transition)
{
  GstTimeScale *self = GST_TIMESCALE (element);
  GstStateChangeReturn ret = GST_ELEMENT_CLASS (gst_timescale_parent_class)
      ->change_state (element, transition);

  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY) {
    GST_OBJECT_LOCK (self);
    self->segments.history.count = 0;   /* nothing has been played */
    GST_OBJECT_UNLOCK (self);
  }
  return ret;
}

static void
gst_timescale_finalize (GObject * object)
{
  GstTimeScale *self = GST_TIMESCALE (object);

  gst_timescale_forget (self);
  g_free (self->settings.storage.spill_directory);
  G_OBJECT_CLASS (gst_timescale_parent_class)->finalize (object);
}

static void
gst_timescale_init (GstTimeScale * self)
{
  GstTimeScaleSettings *settings = &self->settings;

  settings->factor = 1;         /* what is not set here is 0 */
  settings->interpolation = DEFAULT_INTERPOLATION;
  settings->pitch.window = TIMESTRETCH_AUTO;
  settings->quality = DEFAULT_QUALITY;
  settings->absorb_rate = DEFAULT_ABSORB_RATE;
  settings->storage.max_memory_bytes = GST_RETRO_DEFAULT_MAX_MEMORY_BYTES;

  gst_retro_clock_clear (&self->clock, 0);
  timesegment_init (&self->segments, self->pairs, GST_TIMESCALE_PAIRS,
      self->waiting, GST_TIMESCALE_WAITING);
}

static void
gst_timescale_class_init (GstTimeScaleClass * klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstRetroFilterClass *filter_class = GST_RETRO_FILTER_CLASS (klass);

  GST_DEBUG_CATEGORY_INIT (gst_timescale_debug, "timescale", 0,
      "scaling of audio in time");

  object_class->set_property = gst_timescale_set_property;
  object_class->get_property = gst_timescale_get_property;
  object_class->finalize = gst_timescale_finalize;
  install_properties (object_class);

  GST_ELEMENT_CLASS (klass)->change_state =
      GST_DEBUG_FUNCPTR (gst_timescale_change_state);

  gst_timescale_play_class_init (filter_class);
  filter_class->seek = gst_timescale_seek;
  filter_class->instant_rate = gst_timescale_instant_rate;
  filter_class->repeats = gst_timescale_repeats;
  filter_class->query = gst_timescale_query;

  gst_retro_filter_class_add_templates (filter_class, formats,
      G_N_ELEMENTS (formats));
  gst_element_class_set_static_metadata (GST_ELEMENT_CLASS (klass),
      "Audio time scaler", "Filter/Effect/Audio",
      "Stretches or squeezes audio in time, and its pitch with it or "
      "without it", "The Retrograde authors <retrograde@localhost>");
}
