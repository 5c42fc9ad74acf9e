/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "revbuf/properties.h"

#define MIN_BLOCK_TIME_NS GST_MSECOND
#define MAX_BLOCK_TIME_NS (3600 * GST_SECOND)

/* Blocks where none are asked for: of a live stream, which they delay, and of
 * one that is sought in, where each costs a seek and what is decoded around it. */
#define CHUNK_TIME_NS (4 * GST_SECOND)
#define FETCH_TIME_NS (16 * GST_SECOND)

enum
{
  PROP_0,
  PROP_DIRECTION,
  PROP_MODE,
  PROP_BLOCK_TIME,
  PROP_PREROLL_TIME,
  PROP_SEAM,
  PROP_LOOP,
  PROP_LOOP_START,
  PROP_LOOP_STOP,
  PROP_STORAGE,                 /* two, at the end */
  N_PROPS = PROP_STORAGE + 2
};

void
gst_revbuf_settings_init (GstRevBufSettings * settings)
{
  settings->direction = GST_REVBUF_FORWARD;
  settings->mode = GST_REVBUF_MODE_AUTO;
  settings->block_time_ns = GST_CLOCK_TIME_NONE;
  settings->preroll_time_ns = GST_CLOCK_TIME_NONE;
  settings->seam = GST_REVBUF_SEAM_SMOOTH;
  settings->loop = GST_REVBUF_LOOP_NONE;
  settings->loop_start_ns = 0;
  settings->loop_stop_ns = GST_CLOCK_TIME_NONE;
  gst_retro_storage_init (&settings->storage);
}

static GstClockTime
block_time (const GstRevBufSettings * settings, GstClockTime automatic_ns)
{
  return GST_CLOCK_TIME_IS_VALID (settings->block_time_ns) ?
      MIN (settings->block_time_ns, MAX_BLOCK_TIME_NS) : automatic_ns;
}

GstClockTime
gst_revbuf_settings_chunk_time (const GstRevBufSettings * settings)
{
  return block_time (settings, CHUNK_TIME_NS);
}

GstClockTime
gst_revbuf_settings_fetch_time (const GstRevBufSettings * settings)
{
  return block_time (settings, FETCH_TIME_NS);
}

void
gst_revbuf_settings_copy (const GstRevBufSettings * settings,
    GstRevBufSettings * copy)
{
  *copy = *settings;
  gst_retro_storage_copy (&settings->storage, &copy->storage);
}

void
gst_revbuf_settings_clear (GstRevBufSettings * settings)
{
  gst_retro_storage_clear (&settings->storage);
}

gboolean
gst_revbuf_settings_set (GstRevBufSettings * settings, guint id,
    const GValue * value)
{
  switch (id) {
    case PROP_DIRECTION:
      settings->direction = g_value_get_enum (value);
      return TRUE;
    case PROP_MODE:
      settings->mode = g_value_get_enum (value);
      return TRUE;
    case PROP_BLOCK_TIME:
      settings->block_time_ns = g_value_get_uint64 (value);
      return TRUE;
    case PROP_PREROLL_TIME:
      settings->preroll_time_ns = g_value_get_uint64 (value);
      return TRUE;
    case PROP_SEAM:
      settings->seam = g_value_get_enum (value);
      return TRUE;
    case PROP_LOOP:
      settings->loop = g_value_get_enum (value);
      return TRUE;
    case PROP_LOOP_START:
      settings->loop_start_ns = g_value_get_uint64 (value);
      return TRUE;
    case PROP_LOOP_STOP:
      settings->loop_stop_ns = g_value_get_uint64 (value);
      return TRUE;
    default:
      return gst_retro_storage_set (&settings->storage, id - PROP_STORAGE,
          value);
  }
}

gboolean
gst_revbuf_settings_get (const GstRevBufSettings * settings, guint id,
    GValue * value)
{
  switch (id) {
    case PROP_DIRECTION:
      g_value_set_enum (value, settings->direction);
      return TRUE;
    case PROP_MODE:
      g_value_set_enum (value, settings->mode);
      return TRUE;
    case PROP_BLOCK_TIME:
      g_value_set_uint64 (value, settings->block_time_ns);
      return TRUE;
    case PROP_PREROLL_TIME:
      g_value_set_uint64 (value, settings->preroll_time_ns);
      return TRUE;
    case PROP_SEAM:
      g_value_set_enum (value, settings->seam);
      return TRUE;
    case PROP_LOOP:
      g_value_set_enum (value, settings->loop);
      return TRUE;
    case PROP_LOOP_START:
      g_value_set_uint64 (value, settings->loop_start_ns);
      return TRUE;
    case PROP_LOOP_STOP:
      g_value_set_uint64 (value, settings->loop_stop_ns);
      return TRUE;
    default:
      return gst_retro_storage_get (&settings->storage, id - PROP_STORAGE,
          value);
  }
}

static GType
direction_get_type (void)
{
  static const GEnumValue values[] = {
    {GST_REVBUF_FORWARD, "As the stream comes", "forward"},
    {GST_REVBUF_REVERSE, "Backwards", "reverse"},
    {0, NULL, NULL}
  };
  static gsize type = 0;

  if (g_once_init_enter (&type))
    g_once_init_leave (&type,
        g_enum_register_static ("GstRevBufDirection", values));
  return type;
}

static GType
mode_get_type (void)
{
  static const GEnumValue values[] = {
    {GST_REVBUF_MODE_AUTO, "Flip what arrives backwards; where direction is "
          "reverse, seek if upstream can, else collect", "auto"},
    {GST_REVBUF_MODE_SEEK, "Fetch short blocks by seeking, the last one "
          "first", "seek"},
    {GST_REVBUF_MODE_COLLECT, "Keep the whole stream, send it reversed at "
          "its end", "collect"},
    {GST_REVBUF_MODE_CHUNK, "Reverse every block-time of the stream in its "
          "place", "chunk"},
    {0, NULL, NULL}
  };
  static gsize type = 0;

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("GstRevBufMode", values));
  return type;
}

static GType
seam_get_type (void)
{
  static const GEnumValue values[] = {
    {GST_REVBUF_SEAM_EXACT, "Stop with an error", "exact"},
    {GST_REVBUF_SEAM_SMOOTH, "Fade between the two over 5 ms", "smooth"},
    {0, NULL, NULL}
  };
  static gsize type = 0;

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("GstRevBufSeam", values));
  return type;
}

static GType
loop_get_type (void)
{
  static const GEnumValue values[] = {
    {GST_REVBUF_LOOP_NONE, "Play to the end", "none"},
    {GST_REVBUF_LOOP_REPEAT, "Go on at the other marker", "repeat"},
    {GST_REVBUF_LOOP_PING_PONG, "Turn around at each marker", "ping-pong"},
    {0, NULL, NULL}
  };
  static gsize type = 0;

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("GstRevBufLoop", values));
  return type;
}

static void
install_seek_properties (GObjectClass * klass)
{
  const GParamFlags ready = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS |
      GST_PARAM_MUTABLE_READY;
  const GParamFlags playing = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS |
      GST_PARAM_MUTABLE_PLAYING;

  g_object_class_install_property (klass, PROP_PREROLL_TIME,
      g_param_spec_uint64 ("preroll-time", "Preroll time",
          "Audio that mode=seek decodes and drops before each block, in ns "
          "(-1: automatic)", 0, G_MAXUINT64, GST_CLOCK_TIME_NONE, ready));
  g_object_class_install_property (klass, PROP_SEAM,
      g_param_spec_enum ("seam", "Seam",
          "What mode=seek does where the same audio is decoded twice with "
          "different results",
          seam_get_type (), GST_REVBUF_SEAM_SMOOTH, ready));
  g_object_class_install_property (klass, PROP_LOOP,
      g_param_spec_enum ("loop", "Loop",
          "What happens at a loop marker, where the stream can seek",
          loop_get_type (), GST_REVBUF_LOOP_NONE, playing));
  g_object_class_install_property (klass, PROP_LOOP_START,
      g_param_spec_uint64 ("loop-start", "Loop start",
          "The marker at the loop's beginning, in ns (from the next pass on)",
          0, G_MAXUINT64, 0, playing));
  g_object_class_install_property (klass, PROP_LOOP_STOP,
      g_param_spec_uint64 ("loop-stop", "Loop stop",
          "The marker at the loop's end, in ns (-1: the end of the stream; "
          "from the next pass on)", 0, G_MAXUINT64, GST_CLOCK_TIME_NONE,
          playing));
}

guint
gst_revbuf_settings_install (GObjectClass * klass)
{
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS |
      GST_PARAM_MUTABLE_READY;

  g_object_class_install_property (klass, PROP_DIRECTION,
      g_param_spec_enum ("direction", "Direction",
          "Which way the stream plays (where it can seek, at once; else from "
          "its next segment on)", direction_get_type (), GST_REVBUF_FORWARD,
          G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS |
          GST_PARAM_MUTABLE_PLAYING));
  g_object_class_install_property (klass, PROP_MODE,
      g_param_spec_enum ("mode", "Mode",
          "Where reversed audio comes from (from the next segment on)",
          mode_get_type (), GST_REVBUF_MODE_AUTO, flags));
  g_object_class_install_property (klass, PROP_BLOCK_TIME,
      g_param_spec_uint64 ("block-time", "Block time",
          "The longest block of mode=seek (-1: 16 s); what mode=chunk reverses "
          "at a time, and its latency (-1: 4 s), in ns",
          MIN_BLOCK_TIME_NS, G_MAXUINT64, GST_CLOCK_TIME_NONE, flags));
  install_seek_properties (klass);
  gst_retro_storage_install (klass, PROP_STORAGE);

  gst_type_mark_as_plugin_api (direction_get_type (), 0);
  gst_type_mark_as_plugin_api (mode_get_type (), 0);
  gst_type_mark_as_plugin_api (seam_get_type (), 0);
  gst_type_mark_as_plugin_api (loop_get_type (), 0);
  return N_PROPS;
}
