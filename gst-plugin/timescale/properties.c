/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "timescale/properties.h"

#define DEFAULT_INTERPOLATION TIMEDSP_SINC
#define DEFAULT_QUALITY 6
#define DEFAULT_ABSORB_RATE TRUE

enum
{
  PROP_0,
  PROP_FACTOR,
  PROP_RATE,
  PROP_INTERPOLATION,
  PROP_QUALITY,
  PROP_ALIGNMENT,
  PROP_ABSORB_RATE,
  PROP_KEEP_PITCH,
  PROP_SEMITONES,
  PROP_WINDOW,
  PROP_STORAGE                  /* two, at the end */
};

void
gst_timescale_settings_init (GstTimeScaleSettings * settings)
{
  settings->factor = 1;
  settings->pitch.kept = FALSE;
  settings->pitch.semitones = 0;
  settings->pitch.window = TIMESTRETCH_AUTO;
  settings->interpolation = DEFAULT_INTERPOLATION;
  settings->quality = DEFAULT_QUALITY;
  settings->absorb_rate = DEFAULT_ABSORB_RATE;
  settings->alignment = GST_TIMESCALE_STREAM;
  gst_retro_storage_init (&settings->storage);
}

void
gst_timescale_settings_clear (GstTimeScaleSettings * settings)
{
  gst_retro_storage_clear (&settings->storage);
}

gboolean
gst_timescale_settings_set (GstTimeScaleSettings * settings, guint id,
    const GValue * value)
{
  switch (id) {
    case PROP_FACTOR:
      settings->factor = g_value_get_double (value);
      return TRUE;
    case PROP_RATE:
      settings->factor = 1 / g_value_get_double (value);
      return TRUE;
    case PROP_INTERPOLATION:
      settings->interpolation = g_value_get_enum (value);
      return TRUE;
    case PROP_QUALITY:
      settings->quality = g_value_get_uint (value);
      return TRUE;
    case PROP_ALIGNMENT:
      settings->alignment = g_value_get_enum (value);
      return TRUE;
    case PROP_ABSORB_RATE:
      settings->absorb_rate = g_value_get_boolean (value);
      return TRUE;
    case PROP_KEEP_PITCH:
      settings->pitch.kept = g_value_get_boolean (value);
      return TRUE;
    case PROP_SEMITONES:
      settings->pitch.semitones = g_value_get_double (value);
      return TRUE;
    case PROP_WINDOW:
      settings->pitch.window = g_value_get_enum (value);
      return TRUE;
    default:
      return gst_retro_storage_set (&settings->storage, id - PROP_STORAGE,
          value);
  }
}

gboolean
gst_timescale_settings_get (const GstTimeScaleSettings * settings, guint id,
    GValue * value)
{
  switch (id) {
    case PROP_FACTOR:
      g_value_set_double (value, settings->factor);
      return TRUE;
    case PROP_RATE:
      g_value_set_double (value, 1 / settings->factor);
      return TRUE;
    case PROP_INTERPOLATION:
      g_value_set_enum (value, settings->interpolation);
      return TRUE;
    case PROP_QUALITY:
      g_value_set_uint (value, settings->quality);
      return TRUE;
    case PROP_ALIGNMENT:
      g_value_set_enum (value, settings->alignment);
      return TRUE;
    case PROP_ABSORB_RATE:
      g_value_set_boolean (value, settings->absorb_rate);
      return TRUE;
    case PROP_KEEP_PITCH:
      g_value_set_boolean (value, settings->pitch.kept);
      return TRUE;
    case PROP_SEMITONES:
      g_value_set_double (value, settings->pitch.semitones);
      return TRUE;
    case PROP_WINDOW:
      g_value_set_enum (value, settings->pitch.window);
      return TRUE;
    default:
      return gst_retro_storage_get (&settings->storage, id - PROP_STORAGE,
          value);
  }
}

static GType
interpolation_get_type (void)
{
  static const GEnumValue values[] = {
    {TIMEDSP_NEAREST, "The nearest frame", "nearest"},
    {TIMEDSP_LINEAR, "On the straight line between two frames", "linear"},
    {TIMEDSP_SMOOTH, "On the smoothstep curve between two frames when "
          "lengthening, linear when shortening", "smooth"},
    {TIMEDSP_CUBIC, "On the cubic through four frames", "cubic"},
    {TIMEDSP_SINC, "Band-limited: a windowed sinc over many frames, by "
          "quality; nothing aliases", "sinc"},
    {0, NULL, NULL}
  };
  static gsize type = 0;

  if (g_once_init_enter (&type))
    g_once_init_leave (&type,
        g_enum_register_static ("GstTimeScaleInterpolation", values));
  return type;
}

static GType
alignment_get_type (void)
{
  static const GEnumValue values[] = {
    {GST_TIMESCALE_STREAM, "Frame k is read at k / factor", "stream"},
    {GST_TIMESCALE_ENDPOINTS, "The first and the last frame are kept (the "
          "whole stream is collected first)", "endpoints"},
    {0, NULL, NULL}
  };
  static gsize type = 0;

  if (g_once_init_enter (&type))
    g_once_init_leave (&type,
        g_enum_register_static ("GstTimeScaleAlignment", values));
  return type;
}

static GType
window_get_type (void)
{
  static const GEnumValue values[] = {
    {TIMESTRETCH_AUTO, "Music, and speech while one voice alone is heard",
        "auto"},
    {TIMESTRETCH_MUSIC, "85 ms: keeps close notes apart", "music"},
    {TIMESTRETCH_SPEECH, "43 ms: keeps the pulses of a voice", "speech"},
    {TIMESTRETCH_LOW_LATENCY, "21 ms: for live use", "low-latency"},
    {0, NULL, NULL}
  };
  static gsize type = 0;

  if (g_once_init_enter (&type))
    g_once_init_leave (&type,
        g_enum_register_static ("GstTimeScaleWindow", values));
  return type;
}

static void
install_pitch (GObjectClass * klass)
{
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS;

  g_object_class_install_property (klass, PROP_KEEP_PITCH,
      g_param_spec_boolean ("keep-pitch", "Keep pitch",
          "Change the duration alone: the pitch stays what it is",
          FALSE, flags | GST_PARAM_CONTROLLABLE | GST_PARAM_MUTABLE_PLAYING));
  g_object_class_install_property (klass, PROP_SEMITONES,
      g_param_spec_double ("semitones", "Semitones",
          "Move the pitch by so many semitones and leave the duration alone",
          -TIMEPITCH_MAX_SEMITONES, TIMEPITCH_MAX_SEMITONES, 0,
          flags | GST_PARAM_CONTROLLABLE | GST_PARAM_MUTABLE_PLAYING));
  g_object_class_install_property (klass, PROP_WINDOW,
      g_param_spec_enum ("window", "Window",
          "How much sound is looked at together where pitch and duration part "
          "(from the next segment on)", window_get_type (), TIMESTRETCH_AUTO,
          flags | GST_PARAM_MUTABLE_PLAYING));
  gst_type_mark_as_plugin_api (window_get_type (), 0);
}

static void
install_factor (GObjectClass * klass)
{
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS |
      GST_PARAM_CONTROLLABLE | GST_PARAM_MUTABLE_PLAYING;

  g_object_class_install_property (klass, PROP_FACTOR,
      g_param_spec_double ("factor", "Factor",
          "Duration of the output by that of the input: 2 lasts twice as long "
          "(a change begins at the next buffer and takes 5 ms)",
          TIMEDSP_MIN_FACTOR, TIMEDSP_MAX_FACTOR, 1, flags));
  g_object_class_install_property (klass, PROP_RATE,
      g_param_spec_double ("rate", "Rate",
          "The factor as a speed, 1 / factor: 2 is twice as fast",
          1 / TIMEDSP_MAX_FACTOR, 1 / TIMEDSP_MIN_FACTOR, 1, flags));
}

void
gst_timescale_settings_install (GObjectClass * klass)
{
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS;

  install_factor (klass);
  install_pitch (klass);
  g_object_class_install_property (klass, PROP_INTERPOLATION,
      g_param_spec_enum ("interpolation", "Interpolation",
          "How values between frames are found (from the next buffer on)",
          interpolation_get_type (), DEFAULT_INTERPOLATION,
          flags | GST_PARAM_MUTABLE_PLAYING));
  g_object_class_install_property (klass, PROP_QUALITY,
      g_param_spec_uint ("quality", "Quality",
          "Length of the filter of interpolation=sinc, and with it pass band "
          "and stop band (from the next buffer on)", 0, TIMEDSP_MAX_QUALITY,
          DEFAULT_QUALITY, flags | GST_PARAM_MUTABLE_PLAYING));
  g_object_class_install_property (klass, PROP_ALIGNMENT,
      g_param_spec_enum ("alignment", "Alignment",
          "How output frames lie over the input (from the next segment on)",
          alignment_get_type (), GST_TIMESCALE_STREAM,
          flags | GST_PARAM_MUTABLE_READY));
  g_object_class_install_property (klass, PROP_ABSORB_RATE,
      g_param_spec_boolean ("absorb-rate", "Absorb rate",
          "Take the rate of a segment into the factor, and send on rate 1 "
          "with an applied rate (from the next segment on)",
          DEFAULT_ABSORB_RATE, flags | GST_PARAM_MUTABLE_READY));
  gst_retro_storage_install (klass, PROP_STORAGE);

  gst_type_mark_as_plugin_api (interpolation_get_type (), 0);
  gst_type_mark_as_plugin_api (alignment_get_type (), 0);
}
