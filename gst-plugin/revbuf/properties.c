/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "revbuf/gstrevbuf.h"

enum
{
  PROP_0,
  PROP_DIRECTION,
  PROP_SPEED,
  PROP_SPEED_MODE,
  PROP_QUALITY,
  PROP_MODE,
  PROP_BLOCK_TIME,
  PROP_PREROLL_TIME,
  PROP_SEAM,
  PROP_LOOP,
  PROP_LOOP_START,
  PROP_LOOP_STOP,
  PROP_MAX_MEMORY,
  PROP_SPILL_DIRECTORY,
  PROP_STATS,
  PROP_CURRENT_DIRECTION,
  PROP_CURRENT_SPEED
};

#define DEFAULT_QUALITY 6
#define MIN_BLOCK_TIME_NS GST_MSECOND
#define MAX_BLOCK_TIME_NS (3600 * GST_SECOND)

/* Default block lengths. In mode=chunk it's short, because it's the latency. In mode=seek it's
 * long, because each block costs a seek and some extra decoding. */
#define CHUNK_TIME_NS (4 * GST_SECOND)
#define FETCH_TIME_NS (16 * GST_SECOND)

static const GEnumValue directions[] = {
  {TIMEDSP_FORWARD, "Forwards, as received", "forward"},
  {TIMEDSP_BACKWARD, "Backwards", "reverse"},
  {0, NULL, NULL}
};

static const GEnumValue modes[] = {
  {GST_REVBUF_MODE_AUTO, "Chunk if upstream is live, seek if it can seek, "
        "else collect; if other streams share the source, seeks with a "
        "negative rate go upstream", "auto"},
  {GST_REVBUF_MODE_SEEK, "Fetch short blocks by seeking, the last one "
        "first", "seek"},
  {GST_REVBUF_MODE_COLLECT, "Keep the whole stream, and output it reversed "
        "at its end", "collect"},
  {GST_REVBUF_MODE_CHUNK, "Reverse the stream piece by piece; each piece is "
        "block-time long", "chunk"},
  {0, NULL, NULL}
};

static const GEnumValue speed_modes[] = {
  {GST_REVBUF_SPEED_RESAMPLE, "Resample, so the pitch changes as on a tape",
      "resample"},
  {GST_REVBUF_SPEED_RATE, "Change the playback rate, for a timescale that "
        "follows and keeps the pitch", "rate"},
  {0, NULL, NULL}
};

static const GEnumValue seams[] = {
  {GST_REVBUF_SEAM_EXACT, "Stop with an error", "exact"},
  {GST_REVBUF_SEAM_SMOOTH, "Crossfade the two for 5 ms", "smooth"},
  {0, NULL, NULL}
};

static const GEnumValue loops[] = {
  {TIMEDSP_LOOP_NONE, "Play to the end", "none"},
  {TIMEDSP_LOOP_REPEAT, "Continue at the other marker", "repeat"},
  {TIMEDSP_LOOP_PING_PONG, "Change direction at each marker", "ping-pong"},
  {0, NULL, NULL}
};

GType
gst_revbuf_direction_get_type (void)
{
  return gst_retro_register_enum ("GstRevBufDirection", directions);
}

void
gst_revbuf_properties_init (GstRevBuf * self)
{
  self->settings = (GstRevBufSettings) {
  .speed = 1,.quality = DEFAULT_QUALITY,.block_time_ns =
        GST_CLOCK_TIME_NONE,.preroll_time_ns =
        GST_CLOCK_TIME_NONE,.seam = GST_REVBUF_SEAM_SMOOTH,.loop_stop_ns =
        GST_CLOCK_TIME_NONE,.storage.max_memory_bytes =
        GST_RETRO_DEFAULT_MAX_MEMORY_BYTES};
  self->velocity = 1;
}

GstRevBufSettings
gst_revbuf_get_settings (GstRevBuf * self)
{
  GstRevBufSettings settings;
  GST_RETRO_AUTO_LOCK (self);

  settings = self->settings;
  settings.storage.spill_directory = NULL;      /* another thread may free it */
  return settings;
}

GstClockTime
gst_revbuf_block_time (const GstRevBufSettings * settings, gboolean is_chunk)
{
  if (!GST_CLOCK_TIME_IS_VALID (settings->block_time_ns))
    return is_chunk ? CHUNK_TIME_NS : FETCH_TIME_NS;
  return MIN (settings->block_time_ns, MAX_BLOCK_TIME_NS);
}

TimeBlocksSettings
gst_revbuf_settings_of_blocks (const GstRevBufSettings * settings, gint rate)
{
  GstClockTime block_ns = gst_revbuf_block_time (settings, FALSE);
  TimeBlocksSettings blocks = {.loop = settings->loop };

  blocks.max_block_frames = gst_retro_frame_at (block_ns, rate);
  blocks.preroll_frames = gst_revbuf_frame_at (settings->preroll_time_ns, rate);
  blocks.max_memory_bytes = settings->storage.max_memory_bytes;
  blocks.is_exact = settings->seam == GST_REVBUF_SEAM_EXACT;
  blocks.loop_start_frame = gst_revbuf_frame_at (settings->loop_start_ns, rate);
  blocks.loop_stop_frame = gst_revbuf_frame_at (settings->loop_stop_ns, rate);
  return blocks;
}

static void
properties_specify_seeking (GParamSpec ** specs)
{
  specs[PROP_PREROLL_TIME] =
      g_param_spec_uint64 ("preroll-time", "Preroll time",
      "Audio that mode=seek decodes and drops before each block, in ns "
      "(-1: automatic)", 0, G_MAXUINT64, GST_CLOCK_TIME_NONE, GST_RETRO_READY);
  specs[PROP_SEAM] = g_param_spec_enum ("seam", "Seam",
      "What mode=seek does if the same audio, decoded twice, differs",
      gst_retro_register_enum ("GstRevBufSeam", seams), GST_REVBUF_SEAM_SMOOTH,
      GST_RETRO_READY);
  specs[PROP_LOOP] = g_param_spec_enum ("loop", "Loop",
      "What happens at a loop marker, if the stream can seek",
      gst_retro_register_enum ("GstRevBufLoop", loops), TIMEDSP_LOOP_NONE,
      GST_RETRO_LIVE);
  specs[PROP_LOOP_START] = g_param_spec_uint64 ("loop-start", "Loop start",
      "The marker at the loop's beginning, in ns (from the next pass on)", 0,
      G_MAXUINT64, 0, GST_RETRO_LIVE);
  specs[PROP_LOOP_STOP] = g_param_spec_uint64 ("loop-stop", "Loop stop",
      "The marker at the loop's end, in ns (-1: the end of the stream; "
      "from the next pass on)", 0, G_MAXUINT64, GST_CLOCK_TIME_NONE,
      GST_RETRO_LIVE);
  specs[PROP_SPEED] = g_param_spec_double ("speed", "Speed",
      "Speed of the output as that of a tape, if the stream can seek "
      "(below 0: backwards; its sign is that of direction)",
      -TIMESPEED_MAX_SPEED, TIMESPEED_MAX_SPEED, 1,
      GST_RETRO_LIVE | GST_PARAM_CONTROLLABLE);
  specs[PROP_SPEED_MODE] =
      g_param_spec_enum ("speed-mode", "Speed mode", "What plays the speed",
      gst_retro_register_enum ("GstRevBufSpeedMode", speed_modes),
      GST_REVBUF_SPEED_RESAMPLE, GST_RETRO_READY);
  specs[PROP_QUALITY] = g_param_spec_uint ("quality", "Quality",
      "Quality of the resampling away from a speed of 1 and -1 (from the "
      "next buffer on)", 0, TIMEDSP_MAX_QUALITY, DEFAULT_QUALITY,
      GST_RETRO_LIVE);
  specs[PROP_CURRENT_SPEED] =
      g_param_spec_double ("current-speed", "Current speed",
      "Speed at which the stream is being sent", -TIMESPEED_MAX_SPEED,
      TIMESPEED_MAX_SPEED, 1, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
}

/* ---- the values --------------------------------------------------------- */

/* The field of each setting. */
#define FIELD(name) G_STRUCT_OFFSET (GstRevBufSettings, name)
static const gsize fields[] = {
  [PROP_DIRECTION] = FIELD (direction),
  [PROP_SPEED] = FIELD (speed),
  [PROP_SPEED_MODE] = FIELD (speed_mode),
  [PROP_QUALITY] = FIELD (quality),
  [PROP_MODE] = FIELD (mode),
  [PROP_BLOCK_TIME] = FIELD (block_time_ns),
  [PROP_PREROLL_TIME] = FIELD (preroll_time_ns),
  [PROP_SEAM] = FIELD (seam),
  [PROP_LOOP] = FIELD (loop),
  [PROP_LOOP_START] = FIELD (loop_start_ns),
  [PROP_LOOP_STOP] = FIELD (loop_stop_ns),
  [PROP_MAX_MEMORY] = FIELD (storage.max_memory_bytes),
  [PROP_SPILL_DIRECTORY] = FIELD (storage.spill_directory)
};

static void
gst_revbuf_set_property (GObject * object, guint id, const GValue * value,
    GParamSpec * pspec)
{
  GstRevBuf *self = GST_REVBUF (object);
  GstRevBufPending *input = &self->pending;
  GstRevBufSettings before, now;
  gboolean turns, is_set;

  GST_OBJECT_LOCK (self);
  before = self->settings;
  gst_retro_settings_set (&self->settings, fields[id], value);
  now = self->settings;
  /* the direction agrees with the sign of the speed, or the other way round. Speed 0 fits either */
  if (id == PROP_SPEED && now.speed != 0)
    now.direction = now.speed < 0 ? TIMEDSP_BACKWARD : TIMEDSP_FORWARD;
  else if ((now.speed < 0) != (now.direction == TIMEDSP_BACKWARD)
      && now.speed != 0)
    now.speed = -now.speed;
  self->settings = now;
  g_atomic_int_set (&self->wants_player,
      now.direction == TIMEDSP_BACKWARD || now.speed != 1
      || now.loop != TIMEDSP_LOOP_NONE);
  GST_OBJECT_UNLOCK (self);
  turns = now.direction != before.direction;
  if (turns)
    g_atomic_int_set (&self->direction_has_changed, TRUE);
  /* a curve doesn't end a scrub */
  is_set = id == PROP_SPEED
      && !gst_object_has_active_control_bindings (GST_OBJECT (self));
  g_mutex_lock (&self->lock);
  if (is_set || turns) {
    input->has_scrub = FALSE;
    input->ends_scrub = TRUE;
  }
  if (is_set || turns || now.speed != before.speed)
    input->has_direction_change = TRUE;
  else if (id != PROP_SPEED)
    input->has_settings = TRUE;
  gst_revbuf_changed (self);
  g_mutex_unlock (&self->lock);
  if (is_set)
    gst_revbuf_warn_of_late_speed (self);
}

static void
gst_revbuf_get_property (GObject * object, guint id, GValue * value,
    GParamSpec * pspec)
{
  GstRevBuf *self = GST_REVBUF (object);

  if (id == PROP_STATS) {
    g_value_take_boxed (value, gst_revbuf_report_stats (self));
    return;
  }
  GST_RETRO_AUTO_LOCK (self);
  if (id == PROP_CURRENT_DIRECTION)
    g_value_set_enum (value, self->current_direction);
  else if (id == PROP_CURRENT_SPEED)
    g_value_set_double (value, self->velocity);
  else
    gst_retro_settings_get (&self->settings, fields[id], value);
}

gboolean
gst_revbuf_is_reversed (GstRevBuf * self)
{
  GST_RETRO_AUTO_LOCK (self);

  return self->current_direction == TIMEDSP_BACKWARD;
}

void
gst_revbuf_set_velocity (GstRevBuf * self, gdouble velocity)
{
  TimeDSPDirection direction;
  gboolean changes, changes_direction;

  GST_OBJECT_LOCK (self);
  direction = velocity == 0 ? self->current_direction : velocity < 0 ?
      TIMEDSP_BACKWARD : TIMEDSP_FORWARD;
  changes = velocity != self->velocity;
  changes_direction = direction != self->current_direction;
  self->velocity = velocity == 0 ? 0 : velocity;
  self->current_direction = direction;
  GST_OBJECT_UNLOCK (self);
  if (changes)
    g_object_notify (G_OBJECT (self), "current-speed");
  if (changes_direction)
    g_object_notify (G_OBJECT (self), "current-direction");
}

void
gst_revbuf_properties_class_init (GObjectClass * klass)
{
  GParamSpec *specs[PROP_CURRENT_SPEED + 1] = { NULL };

  klass->set_property = gst_revbuf_set_property;
  klass->get_property = gst_revbuf_get_property;
  specs[PROP_DIRECTION] = g_param_spec_enum ("direction", "Direction",
      "Requested direction of the output (a change takes effect "
      "immediately, or from the next segment on if the stream is "
      "collected)",
      gst_revbuf_direction_get_type (), TIMEDSP_FORWARD, GST_RETRO_LIVE);
  specs[PROP_MODE] = g_param_spec_enum ("mode",
      "Mode", "How the audio is reversed (from the next segment on)",
      gst_retro_register_enum ("GstRevBufMode", modes),
      GST_REVBUF_MODE_AUTO, GST_RETRO_READY);
  specs[PROP_BLOCK_TIME] = g_param_spec_uint64 ("block-time", "Block time",
      "In ns: with mode=seek, the longest block (-1: 16 s); with "
      "mode=chunk, the length of each piece, and so the latency (-1: 4 s)",
      MIN_BLOCK_TIME_NS, G_MAXUINT64, GST_CLOCK_TIME_NONE, GST_RETRO_READY);
  properties_specify_seeking (specs);
  gst_retro_storage_specify (specs + PROP_MAX_MEMORY);
  specs[PROP_STATS] = g_param_spec_boxed ("stats", "Statistics",
      "Counts of mode=seek: blocks, seams-verified (both sides equal), "
      "seams-aligned (equal at another position), seams-crossfaded (never "
      "equal), prerolls-widened, preroll-frames (in use); and of "
      "mode=collect: bytes-spilled (to its temporary file)",
      GST_TYPE_STRUCTURE, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  specs[PROP_CURRENT_DIRECTION] =
      g_param_spec_enum ("current-direction", "Current direction",
      "Direction in which the stream is being sent (a seek with a negative "
      "rate and a ping-pong loop change it, too)",
      gst_revbuf_direction_get_type (), TIMEDSP_FORWARD,
      G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (klass, G_N_ELEMENTS (specs), specs);
}
