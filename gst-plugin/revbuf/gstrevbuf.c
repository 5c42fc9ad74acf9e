/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/**
 * SECTION:element-revbuf
 * @title: revbuf
 * @short_description: Plays audio backwards
 *
 * revbuf reverses raw audio. Its output is an ordinary stream with increasing timestamps and a
 * positive rate, so filters with history, encoders, muxers and any sink can handle it. The
 * applied rate of its segment is negative, and the position decreases. If an encoder or a muxer
 * follows, the segment has no stop, because an encoder's last packet has a timestamp after the
 * stop and would be dropped.
 *
 * It plays backwards if #revbuf:direction is `reverse`, or after a seek with a negative rate.
 * #revbuf:current-direction is the direction of the output. #revbuf:mode selects the method.
 * `auto` picks `chunk` if upstream is live, `seek` if it can seek, and `collect` otherwise:
 *
 * * seek: fetches short blocks with accurate seeks, starting at the end. Neighbouring blocks
 *   overlap, and the overlap is compared before it's output. Longer streams don't need more
 *   memory. Changes of direction, seeks and #revbuf:loop are frame-accurate. #revbuf:stats counts
 *   the blocks and how the comparisons went.
 * * collect: keeps the whole stream, in memory and in a temporary file, and sends it backwards
 *   once it has ended. #GST_MESSAGE_PROGRESS reports the progress: `collect` while the stream is
 *   stored, `reverse` while it's played. If you seek to a position, it plays from there back to
 *   the beginning, and a seek with a stop plays the whole range.
 * * chunk: reverses the stream in pieces of #revbuf:block-time, as a live effect. The latency is
 *   one block. When a live stream changes direction, #GST_MESSAGE_LATENCY is posted.
 *
 * If the stream can seek, #revbuf:speed plays it like a tape, from -8 to 8 and through zero. Its
 * sign always agrees with #revbuf:direction. At 1 and -1, you get the exact frames.
 * #GstRevBuf::scrub moves the tape to a position. With #revbuf:speed-mode `rate`, the playback
 * rate changes instead.
 *
 * If the application sends EOS, the output ends, and a muxer can finish its file. An instant rate
 * change must have the same sign as the rate of the last seek.
 *
 * ## Messages
 * With `seek`, element messages report direction changes, loop passes and seams before they're
 * played. Their fields are `frame` (#gint64), `timestamp`, `stream-time` and `running-time`
 * (#guint64, ns):
 *
 * * `revbuf-direction-change`: the direction changes to `direction`.
 * * `revbuf-loop-pass`: another pass of the loop begins, in `direction`.
 * * `revbuf-seam`: two blocks meet. `result` is `equal`, `shifted`, `faded` or `odd`.
 *
 * Warnings and errors have details with a field `reason`, such as `cannot-seek`, `seam-odd`,
 * `ends-early` or `needs-times` (see gst_message_parse_warning_details()).
 *
 * With `collect` and `chunk`, seeks with a negative rate are sent upstream. With `auto`, they're
 * sent upstream if other branches share the source, so that video stays in sync. Upstream then
 * delivers blocks in reverse order, and revbuf reverses each block.
 *
 * It accepts every raw format, interleaved and planar, with up to 1024 channels (planar: 255, as
 * many planes as GStreamer can map). At speeds 1 and -1, samples are never changed, except where
 * two blocks are crossfaded, so reversing twice gives you the same bits.
 *
 * ## Example pipelines
 * |[
 * gst-launch-1.0 filesrc location=in.mp3 ! decodebin ! audioconvert ! revbuf direction=reverse ! wavenc ! filesink location=reversed.wav
 * ]| Reverses a file.
 * |[
 * gst-launch-1.0 autoaudiosrc ! audioconvert ! revbuf direction=reverse mode=chunk block-time=500000000 ! queue ! autoaudiosink
 * ]| Plays the microphone backwards, half a second at a time.
 *
 * Since: 0.1
 */

#include "revbuf/gstrevbuf.h"

GST_DEBUG_CATEGORY (gst_revbuf_debug);

GST_ELEMENT_REGISTER_DECLARE (revbuf);
G_DEFINE_FINAL_TYPE (GstRevBuf, gst_revbuf, GST_TYPE_ELEMENT);
GST_ELEMENT_REGISTER_DEFINE (revbuf, "revbuf", GST_RANK_NONE, GST_TYPE_REVBUF);

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
  {FALSE, "Resample, so the pitch changes as on a tape",
      "resample"},
  {TRUE, "Change the playback rate, for a timescale that "
        "follows and keeps the pitch", "rate"},
  {0, NULL, NULL}
};

static const GEnumValue seams[] = {
  {FALSE, "Stop with an error", "exact"},
  {TRUE, "Crossfade the two for 5 ms", "smooth"},
  {0, NULL, NULL}
};

static const GEnumValue loops[] = {
  {TIMEDSP_LOOP_NONE, "Play to the end", "none"},
  {TIMEDSP_LOOP_REPEAT, "Continue at the other marker", "repeat"},
  {TIMEDSP_LOOP_PING_PONG, "Change direction at each marker", "ping-pong"},
  {0, NULL, NULL}
};

GstRevBufSettings
gst_revbuf_get_settings (GstRevBuf * self)
{
  GstRevBufSettings settings;

  GST_OBJECT_LOCK (self);
  settings = self->settings;
  GST_OBJECT_UNLOCK (self);
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

static void
revbuf_specify_seeking (GParamSpec ** specs)
{
  specs[PROP_PREROLL_TIME] =
      g_param_spec_uint64 ("preroll-time", "Preroll time",
      "Audio that mode=seek decodes and drops before each block, in ns "
      "(-1: automatic)", 0, G_MAXUINT64, GST_CLOCK_TIME_NONE, GST_RETRO_READY);
  specs[PROP_SEAM] = g_param_spec_enum ("seam", "Seam",
      "What mode=seek does if the same audio, decoded twice, differs",
      gst_retro_register_enum ("GstRevBufSeam", seams), TRUE, GST_RETRO_READY);
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
      FALSE, GST_RETRO_READY);
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
  [PROP_SPEED_MODE] = FIELD (changes_rate),
  [PROP_QUALITY] = FIELD (quality),
  [PROP_MODE] = FIELD (mode),
  [PROP_BLOCK_TIME] = FIELD (block_time_ns),
  [PROP_PREROLL_TIME] = FIELD (preroll_time_ns),
  [PROP_SEAM] = FIELD (is_smooth),
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

static void
revbuf_install_properties (GObjectClass * klass)
{
  GParamSpec *specs[PROP_CURRENT_SPEED + 1] = { NULL };

  klass->set_property = gst_revbuf_set_property;
  klass->get_property = gst_revbuf_get_property;
  specs[PROP_DIRECTION] = g_param_spec_enum ("direction", "Direction",
      "Requested direction of the output (a change takes effect "
      "immediately, or from the next segment on if the stream is "
      "collected)",
      gst_retro_register_enum ("GstRevBufDirection", directions),
      TIMEDSP_FORWARD, GST_RETRO_LIVE);
  specs[PROP_MODE] =
      g_param_spec_enum ("mode", "Mode",
      "How the audio is reversed (from the next segment on)",
      gst_retro_register_enum ("GstRevBufMode", modes), GST_REVBUF_MODE_AUTO,
      GST_RETRO_READY);
  specs[PROP_BLOCK_TIME] =
      g_param_spec_uint64 ("block-time", "Block time",
      "In ns: with mode=seek, the longest block (-1: 16 s); with "
      "mode=chunk, the length of each piece, and so the latency (-1: 4 s)",
      MIN_BLOCK_TIME_NS, G_MAXUINT64, GST_CLOCK_TIME_NONE, GST_RETRO_READY);
  revbuf_specify_seeking (specs);
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
      gst_retro_register_enum ("GstRevBufDirection", directions),
      TIMEDSP_FORWARD, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (klass, G_N_ELEMENTS (specs), specs);
}

/* ---- the element ----------------------------------------------------------------------------- */

static GstStateChangeReturn
gst_revbuf_change_state (GstElement * element, GstStateChange transition)
{
  GstRevBuf *self = GST_REVBUF (element);
  GstStateChangeReturn ret;

  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED
      && !gst_revbuf_player_open (self))
    return GST_STATE_CHANGE_FAILURE;
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY)
    gst_revbuf_player_close (self);
  ret = GST_ELEMENT_CLASS (gst_revbuf_parent_class)
      ->change_state (element, transition);
  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED
      && ret == GST_STATE_CHANGE_FAILURE)
    gst_revbuf_player_close (self);
  else if (transition != GST_STATE_CHANGE_PAUSED_TO_READY)
    return ret;
  gst_revbuf_player_stop (self);
  gst_revbuf_forget_stream (self, TRUE);
  g_atomic_int_set (&self->distrusts_seeks, FALSE);
  g_atomic_int_set (&self->has_scrubbed, FALSE);
  g_atomic_int_set (&self->passes, FALSE);
  gst_revbuf_reset_running_time (self);
  gst_retro_output_drop_held (&self->output, TRUE);
  return ret;
}

/* An application sends EOS to a pipeline to end it cleanly, and GstBin passes it to the sources.
 * A source in pull mode would forget it at our next flush. So we mark the element as a source,
 * and get EOS ourselves. The real sources already get all other downstream events. */
static gboolean
gst_revbuf_send_event (GstElement * element, GstEvent * event)
{
  GstRevBuf *self = GST_REVBUF (element);

  if (!GST_EVENT_IS_DOWNSTREAM (event))
    return GST_ELEMENT_CLASS (gst_revbuf_parent_class)->send_event (element,
        event);
  g_mutex_lock (&self->lock);
  if (GST_EVENT_TYPE (event) == GST_EVENT_EOS)
    gst_revbuf_player_end (self, gst_event_get_seqnum (event));
  g_mutex_unlock (&self->lock);
  gst_event_unref (event);
  return TRUE;
}

/* If an element is dropped without being stopped, e.g. at the end of a script, this ends its
 * thread. */
static void
gst_revbuf_dispose (GObject * object)
{
  GstRevBuf *self = GST_REVBUF (object);

  gst_revbuf_player_close (self);
  if (GST_ELEMENT (self)->srcpads != NULL)
    gst_pad_stop_task (self->srcpad);
  G_OBJECT_CLASS (gst_revbuf_parent_class)->dispose (object);
}

static void
gst_revbuf_finalize (GObject * object)
{
  GstRevBuf *self = GST_REVBUF (object);

  gst_revbuf_forget_audio (self);
  gst_revbuf_player_finalize (self);
  g_free (self->settings.storage.spill_directory);
  G_OBJECT_CLASS (gst_revbuf_parent_class)->finalize (object);
}

static GstPad *
revbuf_add_pad (GstRevBuf * self, const gchar * name)
{
  GstPadTemplate *template =
      gst_element_class_get_pad_template (GST_ELEMENT_GET_CLASS (self), name);
  GstPad *pad = gst_pad_new_from_template (template, name);

  GST_PAD_SET_PROXY_CAPS (pad);
  GST_PAD_SET_ACCEPT_TEMPLATE (pad);
  gst_element_add_pad (GST_ELEMENT (self), pad);
  return pad;
}

static void
gst_revbuf_init (GstRevBuf * self)
{
  self->sinkpad = revbuf_add_pad (self, "sink");
  gst_pad_set_chain_function (self->sinkpad,
      GST_DEBUG_FUNCPTR (gst_revbuf_chain));
  gst_pad_set_event_function (self->sinkpad,
      GST_DEBUG_FUNCPTR (gst_revbuf_sink_event));
  self->srcpad = revbuf_add_pad (self, "src");
  gst_revbuf_seeks_init (self);
  gst_retro_output_init (&self->output, self->srcpad);
  gst_retro_input_reset (&self->input, TRUE);
  gst_revbuf_reset_running_time (self);
  self->settings = (GstRevBufSettings) {
  .speed = 1,.quality = DEFAULT_QUALITY,.block_time_ns =
        GST_CLOCK_TIME_NONE,.preroll_time_ns =
        GST_CLOCK_TIME_NONE,.is_smooth = TRUE,.loop_stop_ns =
        GST_CLOCK_TIME_NONE,.storage.max_memory_bytes =
        GST_RETRO_DEFAULT_MAX_MEMORY_BYTES};
  self->velocity = 1;
  g_queue_init (&self->held);
  self->first_ns = GST_CLOCK_TIME_NONE;
  gst_revbuf_player_init (self);
  GST_OBJECT_FLAG_SET (self, GST_ELEMENT_FLAG_SOURCE);
}

/* Raw audio, interleaved or planar, in every format that the running GStreamer knows. */
static void
revbuf_add_templates (GstElementClass * klass)
{
  g_autoptr (GstCaps) caps = gst_audio_make_raw_caps (NULL, 0,
      GST_AUDIO_LAYOUT_INTERLEAVED);
  GstCaps *planar = gst_audio_make_raw_caps (NULL, 0,
      GST_AUDIO_LAYOUT_NON_INTERLEAVED);

  gst_caps_set_simple (caps, "channels", GST_TYPE_INT_RANGE, 1, 1024, NULL);
  /* GStreamer can't map more than 255 planes */
  gst_caps_set_simple (planar, "channels", GST_TYPE_INT_RANGE, 1, 255, NULL);
  gst_caps_append (caps, planar);
  gst_element_class_add_pad_template (klass, gst_pad_template_new ("sink",
          GST_PAD_SINK, GST_PAD_ALWAYS, caps));
  gst_element_class_add_pad_template (klass, gst_pad_template_new ("src",
          GST_PAD_SRC, GST_PAD_ALWAYS, caps));
}

static gboolean
gst_revbuf_scrub (GstRevBuf * self, guint64 position_ns, guint64 duration_ns)
{
  if (!GST_CLOCK_TIME_IS_VALID (position_ns)
      || !GST_CLOCK_TIME_IS_VALID (duration_ns)
      || !GST_PAD_IS_ACTIVE (self->srcpad))
    return FALSE;
  g_atomic_int_set (&self->has_scrubbed, TRUE);
  g_atomic_int_set (&self->wants_player, TRUE);
  g_mutex_lock (&self->lock);
  self->pending.has_scrub = TRUE;
  self->pending.scrub_ns = position_ns;
  self->pending.scrub_duration_ns = duration_ns;
  gst_revbuf_changed (self);
  g_mutex_unlock (&self->lock);
  gst_revbuf_warn_of_late_speed (self);
  return TRUE;
}

static void
gst_revbuf_class_init (GstRevBufClass * klass)
{
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);

  GST_DEBUG_CATEGORY_INIT (gst_revbuf_debug, "revbuf", 0, "reversal of audio");

  G_OBJECT_CLASS (klass)->dispose = gst_revbuf_dispose;
  G_OBJECT_CLASS (klass)->finalize = gst_revbuf_finalize;
  revbuf_install_properties (G_OBJECT_CLASS (klass));
  /**
   * GstRevBuf::scrub:
   * @revbuf: the element
   * @position: where to go, in stream time
   * @duration: how long it takes, in ns
   *
   * Moves the tape to @position within @duration, smoothly from its current speed. It rests there
   * until #revbuf:speed is set or a seek arrives. The next call replaces this one, so you can
   * call it for every pointer event.
   *
   * Returns: %FALSE if a time isn't valid, or if the element isn't PAUSED yet
   */
  g_signal_new_class_handler ("scrub", G_TYPE_FROM_CLASS (klass),
      G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION, G_CALLBACK (gst_revbuf_scrub), NULL,
      NULL, NULL, G_TYPE_BOOLEAN, 2, G_TYPE_UINT64, G_TYPE_UINT64);
  element_class->change_state = GST_DEBUG_FUNCPTR (gst_revbuf_change_state);
  element_class->send_event = GST_DEBUG_FUNCPTR (gst_revbuf_send_event);
  revbuf_add_templates (element_class);
  gst_element_class_set_static_metadata (element_class,
      "Audio reverser", "Filter/Effect/Audio",
      "Plays audio backwards, changes direction during playback, and loops: "
      "files block by block, live streams piece by piece",
      "The Retrograde authors <retrograde@localhost>");
}
