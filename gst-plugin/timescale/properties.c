/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "timescale/gsttimescale.h"

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
  {GST_TIME_SCALE_STREAM, "Output frame k is read at input position k / factor",
      "stream"},
  {GST_TIME_SCALE_ENDPOINTS,
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
  [PROP_ALIGNMENT] = FIELD (alignment),
  [PROP_ABSORB_RATE] = FIELD (absorbs_rate),
  [PROP_MAX_MEMORY] = FIELD (storage.max_memory_bytes),
  [PROP_SPILL_DIRECTORY] = FIELD (storage.spill_directory)
};

/* Logs the value the way gst-launch-1.0 accepts it, with enumerations by nick. */
static void
properties_log_value (GstTimeScale * self, const GValue * value,
    GParamSpec * pspec)
{
  g_autofree gchar *text = NULL;

  if (gst_debug_category_get_threshold (GST_CAT_DEFAULT) < GST_LEVEL_DEBUG)
    return;
  text = G_VALUE_HOLDS_ENUM (value) ? g_strdup (g_enum_get_value
      (G_PARAM_SPEC_ENUM (pspec)->enum_class, g_value_get_enum (value))
      ->value_nick) : gst_value_serialize (value);
  GST_DEBUG_OBJECT (self, "%s=%s", pspec->name, text);
}

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
  properties_log_value (self, value, pspec);

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

void
gst_time_scale_properties_class_init (GObjectClass * klass)
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
      GST_TIME_SCALE_STREAM, GST_RETRO_READY);
  specs[PROP_ABSORB_RATE] = g_param_spec_boolean ("absorb-rate", "Absorb rate",
      "Absorb the rate of a segment into the factor, and forward rate 1 "
      "with an applied rate (from the next segment on)", DEFAULT_ABSORB_RATE,
      GST_RETRO_READY);
  gst_retro_storage_specify (specs + PROP_MAX_MEMORY);
  g_object_class_install_properties (klass, G_N_ELEMENTS (specs), specs);
}

void
gst_time_scale_properties_init (GstTimeScale * self)
{
  self->settings = (GstTimeScaleSettings) {
  .factor = 1,.interpolation = DEFAULT_INTERPOLATION,.quality =
        DEFAULT_QUALITY,.pitch.window = TIMESTRETCH_AUTO,.absorbs_rate =
        DEFAULT_ABSORB_RATE,.storage.max_memory_bytes =
        GST_RETRO_DEFAULT_MAX_MEMORY_BYTES};
}
