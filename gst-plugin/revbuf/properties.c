/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "revbuf/properties.h"

#define MIN_BLOCK_TIME_NS GST_MSECOND
#define MAX_BLOCK_TIME_NS (3600 * GST_SECOND)

/* Default lengths of a block. In mode=chunk it is short, because it is the latency. In
 * mode=seek it is long, because each block costs a seek and the decoding of additional
 * audio. */
#define CHUNK_TIME_NS (4 * GST_SECOND)
#define FETCH_TIME_NS (16 * GST_SECOND)

static const GEnumValue directions[] = {
  {GST_REVBUF_FORWARD, "Forwards, as received", "forward"},
  {GST_REVBUF_REVERSE, "Backwards", "reverse"},
  {0, NULL, NULL}
};

static const GEnumValue modes[] = {
  {GST_REVBUF_MODE_AUTO, "Seek if upstream can, else collect; if other "
        "streams share the source, seeks with a negative rate go upstream",
      "auto"},
  {GST_REVBUF_MODE_SEEK, "Fetch short blocks by seeking, the last one "
        "first", "seek"},
  {GST_REVBUF_MODE_COLLECT, "Keep the whole stream, and output it reversed "
        "at its end", "collect"},
  {GST_REVBUF_MODE_CHUNK, "Reverse the stream piece by piece; each piece is "
        "block-time long", "chunk"},
  {0, NULL, NULL}
};

static const GEnumValue seams[] = {
  {GST_REVBUF_SEAM_EXACT, "Stop with an error", "exact"},
  {GST_REVBUF_SEAM_SMOOTH, "Crossfade the two for 5 ms", "smooth"},
  {0, NULL, NULL}
};

static const GEnumValue loops[] = {
  {GST_REVBUF_LOOP_NONE, "Play to the end", "none"},
  {GST_REVBUF_LOOP_REPEAT, "Continue at the other marker", "repeat"},
  {GST_REVBUF_LOOP_PING_PONG, "Change direction at each marker", "ping-pong"},
  {0, NULL, NULL}
};

void
gst_revbuf_settings_init (GstRevBufSettings * settings)
{
  settings->block_time_ns = GST_CLOCK_TIME_NONE;        /* fields not set here are 0 */
  settings->preroll_time_ns = GST_CLOCK_TIME_NONE;
  settings->seam = GST_REVBUF_SEAM_SMOOTH;
  settings->loop_stop_ns = GST_CLOCK_TIME_NONE;
  settings->storage.max_memory_bytes = GST_RETRO_DEFAULT_MAX_MEMORY_BYTES;
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

TimePlaySettings
gst_revbuf_settings_of_playback (const GstRevBufSettings * settings)
{
  TimePlaySettings those = {.mode = (TimePlayMode) settings->mode };

  those.loop = (TimeDSPLoop) settings->loop;
  those.max_block_ns = block_time (settings, FETCH_TIME_NS);
  those.preroll_ns = settings->preroll_time_ns;
  those.max_memory_bytes = settings->storage.max_memory_bytes;
  those.direction = settings->direction == GST_REVBUF_REVERSE ?
      TIMEDSP_BACKWARD : TIMEDSP_FORWARD;
  those.exact = settings->seam == GST_REVBUF_SEAM_EXACT;
  those.loop_start_ns = settings->loop_start_ns;
  those.loop_stop_ns = settings->loop_stop_ns;
  return those;
}

static void
install_seek_properties (GObjectClass * klass)
{
  g_object_class_install_property (klass, PROP_PREROLL_TIME,
      g_param_spec_uint64 ("preroll-time", "Preroll time",
          "Audio that mode=seek decodes and drops before each block, in ns "
          "(-1: automatic)", 0, G_MAXUINT64, GST_CLOCK_TIME_NONE,
          GST_RETRO_READY));
  g_object_class_install_property (klass, PROP_SEAM, g_param_spec_enum ("seam",
          "Seam",
          "What mode=seek does if the same audio, decoded twice, differs",
          gst_retro_register_enum ("GstRevBufSeam", seams),
          GST_REVBUF_SEAM_SMOOTH, GST_RETRO_READY));
  g_object_class_install_property (klass, PROP_LOOP, g_param_spec_enum ("loop",
          "Loop", "What happens at a loop marker, if the stream can seek",
          gst_retro_register_enum ("GstRevBufLoop", loops),
          GST_REVBUF_LOOP_NONE, GST_RETRO_LIVE));
  g_object_class_install_property (klass, PROP_LOOP_START,
      g_param_spec_uint64 ("loop-start", "Loop start",
          "The marker at the loop's beginning, in ns (from the next pass on)",
          0, G_MAXUINT64, 0, GST_RETRO_LIVE));
  g_object_class_install_property (klass, PROP_LOOP_STOP,
      g_param_spec_uint64 ("loop-stop", "Loop stop",
          "The marker at the loop's end, in ns (-1: the end of the stream; "
          "from the next pass on)", 0, G_MAXUINT64, GST_CLOCK_TIME_NONE,
          GST_RETRO_LIVE));
}

void
gst_revbuf_settings_install (GObjectClass * klass)
{
  g_object_class_install_property (klass, PROP_DIRECTION,
      g_param_spec_enum ("direction", "Direction",
          "Direction of the output (a change takes effect immediately if "
          "upstream can seek, else from the next segment on)",
          gst_retro_register_enum ("GstRevBufDirection", directions),
          GST_REVBUF_FORWARD, GST_RETRO_LIVE));
  g_object_class_install_property (klass, PROP_MODE, g_param_spec_enum ("mode",
          "Mode", "How the audio is reversed (from the next segment on)",
          gst_retro_register_enum ("GstRevBufMode", modes),
          GST_REVBUF_MODE_AUTO, GST_RETRO_READY));
  g_object_class_install_property (klass, PROP_BLOCK_TIME,
      g_param_spec_uint64 ("block-time", "Block time",
          "In ns: with mode=seek, the longest block (-1: 16 s); with "
          "mode=chunk, the length of each piece, and so the latency (-1: 4 s)",
          MIN_BLOCK_TIME_NS, G_MAXUINT64, GST_CLOCK_TIME_NONE,
          GST_RETRO_READY));
  install_seek_properties (klass);
  gst_retro_storage_install (klass, PROP_MAX_MEMORY, PROP_SPILL_DIRECTORY);
  g_object_class_install_property (klass, PROP_STATS,
      g_param_spec_boxed ("stats", "Statistics",
          "Counts of mode=seek: blocks, seams-verified (both sides equal), "
          "seams-aligned (equal at another position), seams-crossfaded (never "
          "equal), prerolls-widened, preroll-frames (in use); and of "
          "mode=collect: bytes-spilled (to its temporary file)",
          GST_TYPE_STRUCTURE, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));
}

/* ---- the values --------------------------------------------------------- */

gboolean
gst_revbuf_settings_set (GstRevBufSettings * settings, guint id,
    const GValue * value)
{
  switch (id) {
    case PROP_DIRECTION:
      settings->direction = g_value_get_enum (value);
      break;
    case PROP_MODE:
      settings->mode = g_value_get_enum (value);
      break;
    case PROP_BLOCK_TIME:
      settings->block_time_ns = g_value_get_uint64 (value);
      break;
    case PROP_PREROLL_TIME:
      settings->preroll_time_ns = g_value_get_uint64 (value);
      break;
    case PROP_SEAM:
      settings->seam = g_value_get_enum (value);
      break;
    case PROP_LOOP:
      settings->loop = g_value_get_enum (value);
      break;
    case PROP_LOOP_START:
      settings->loop_start_ns = g_value_get_uint64 (value);
      break;
    case PROP_LOOP_STOP:
      settings->loop_stop_ns = g_value_get_uint64 (value);
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

gboolean
gst_revbuf_settings_get (const GstRevBufSettings * settings, guint id,
    GValue * value)
{
  switch (id) {
    case PROP_DIRECTION:
      g_value_set_enum (value, settings->direction);
      break;
    case PROP_MODE:
      g_value_set_enum (value, settings->mode);
      break;
    case PROP_BLOCK_TIME:
      g_value_set_uint64 (value, settings->block_time_ns);
      break;
    case PROP_PREROLL_TIME:
      g_value_set_uint64 (value, settings->preroll_time_ns);
      break;
    case PROP_SEAM:
      g_value_set_enum (value, settings->seam);
      break;
    case PROP_LOOP:
      g_value_set_enum (value, settings->loop);
      break;
    case PROP_LOOP_START:
      g_value_set_uint64 (value, settings->loop_start_ns);
      break;
    case PROP_LOOP_STOP:
      g_value_set_uint64 (value, settings->loop_stop_ns);
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
