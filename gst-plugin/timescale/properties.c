/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "timescale/properties.h"

#define DEFAULT_INTERPOLATION TIMEDSP_SINC
#define DEFAULT_QUALITY 6
#define DEFAULT_ABSORB_RATE TRUE

#define ID(field) GST_RETRO_ID (GstTimeScaleSettings, field)
#define ID_RATE GST_RETRO_ID_BEHIND (GstTimeScaleSettings)

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

static const GEnumValue windows[] = {
  {TIMESTRETCH_AUTO, "Music, and speech while one voice alone is heard",
      "auto"},
  {TIMESTRETCH_MUSIC, "85 ms: keeps close notes apart", "music"},
  {TIMESTRETCH_SPEECH, "43 ms: keeps the pulses of a voice", "speech"},
  {TIMESTRETCH_LOW_LATENCY, "21 ms: for live use", "low-latency"},
  {0, NULL, NULL}
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
gst_timescale_settings_set (GstTimeScaleSettings * settings, guint id,
    const GValue * value)
{
  if (id == ID_RATE)
    settings->factor = 1 / g_value_get_double (value);
  else
    gst_retro_settings_set (settings, id, value);
}

void
gst_timescale_settings_get (const GstTimeScaleSettings * settings, guint id,
    GValue * value)
{
  if (id == ID_RATE)
    g_value_set_double (value, 1 / settings->factor);
  else
    gst_retro_settings_get (settings, id, value);
}

static void
install_pitch (GObjectClass * klass)
{
  g_object_class_install_property (klass, ID (pitch.kept),
      g_param_spec_boolean ("keep-pitch", "Keep pitch",
          "Change the duration and keep the pitch",
          FALSE, GST_RETRO_LIVE | GST_PARAM_CONTROLLABLE));
  g_object_class_install_property (klass, ID (pitch.semitones),
      g_param_spec_double ("semitones", "Semitones",
          "Move the pitch by this many semitones, and keep the duration",
          -TIMECHAIN_MAX_SEMITONES, TIMECHAIN_MAX_SEMITONES, 0,
          GST_RETRO_LIVE | GST_PARAM_CONTROLLABLE));
  g_object_class_install_property (klass, ID (pitch.window),
      g_param_spec_enum ("window", "Window",
          "Length of the sound that is analysed at once when pitch and duration "
          "change separately (from the next segment on)",
          gst_retro_register_enum ("GstTimeScaleWindow", windows),
          TIMESTRETCH_AUTO, GST_RETRO_LIVE));
}

static void
install_factor (GObjectClass * klass)
{
  const GParamFlags flags = GST_RETRO_LIVE | GST_PARAM_CONTROLLABLE;

  g_object_class_install_property (klass, ID (factor),
      g_param_spec_double ("factor", "Factor",
          "Duration of the output divided by that of the input: 2 lasts twice as "
          "long (a change begins at the next buffer and takes 5 ms)",
          TIMEDSP_MIN_FACTOR, TIMEDSP_MAX_FACTOR, 1, flags));
  g_object_class_install_property (klass, ID_RATE,
      g_param_spec_double ("rate", "Rate",
          "The speed, 1 / factor: 2 is twice as fast",
          1 / TIMEDSP_MAX_FACTOR, 1 / TIMEDSP_MIN_FACTOR, 1, flags));
}

void
gst_timescale_settings_install (GObjectClass * klass)
{
  install_factor (klass);
  install_pitch (klass);
  g_object_class_install_property (klass, ID (interpolation),
      g_param_spec_enum ("interpolation", "Interpolation",
          "How values between frames are computed (from the next buffer on)",
          gst_retro_register_enum ("GstTimeScaleInterpolation", interpolations),
          DEFAULT_INTERPOLATION, GST_RETRO_LIVE));
  g_object_class_install_property (klass, ID (quality),
      g_param_spec_uint ("quality", "Quality",
          "Length of the filter of interpolation=sinc; a longer one has a wider "
          "pass band and a lower stop band (from the next buffer on)", 0,
          TIMEDSP_MAX_QUALITY, DEFAULT_QUALITY, GST_RETRO_LIVE));
  g_object_class_install_property (klass, ID (alignment),
      g_param_spec_enum ("alignment", "Alignment",
          "Where output frames lie in the input (from the next segment on)",
          gst_retro_register_enum ("GstTimeScaleAlignment", alignments),
          GST_TIMESCALE_STREAM, GST_RETRO_READY));
  g_object_class_install_property (klass, ID (absorb_rate),
      g_param_spec_boolean ("absorb-rate", "Absorb rate",
          "Make the rate of a segment a part of the factor, and send on rate 1 "
          "with an applied rate (from the next segment on)",
          DEFAULT_ABSORB_RATE, GST_RETRO_READY));
  gst_retro_storage_install (klass, ID (storage));
}
