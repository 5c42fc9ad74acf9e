/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "timescale/play.h"
#include "common/segment.h"
#include "common/pcmbuffer.h"

#define GST_CAT_DEFAULT gst_timescale_debug
GST_DEBUG_CATEGORY_EXTERN (gst_timescale_debug);

/* A curve is looked up this many times a second, and a jump of the factor takes as
 * long: short enough to be heard at once, long enough not to click. */
#define MOVES_PER_SECOND 200

/* While a buffer is scaled, changes are looked for this many times per second of
 * output: often enough to be heard at once, seldom enough for buffers of some
 * length. */
#define PIECES_PER_SECOND 50

/* Whether the factor follows a curve. */
static gboolean
is_controlled (const GstTimeScalePlay * play)
{
  GstObject *object = GST_OBJECT (play->filter);

  /* without the lock, as GStreamer itself does at first */
  return object->control_bindings != NULL
      && gst_object_has_active_control_bindings (object);
}

/* Takes the values of the curves at @in_ns of the input. */
static void
sync_values (GstTimeScalePlay * play, GstClockTime in_ns)
{
  GstClockTime time_ns = gst_retro_segment_stream_time (&play->in, in_ns);

  if (GST_CLOCK_TIME_IS_VALID (time_ns))
    gst_object_sync_values (GST_OBJECT (play->filter), time_ns);
}

GstTimeScaleSettings
gst_timescale_play_get_settings (const GstTimeScalePlay * play)
{
  GST_RETRO_AUTO_LOCK (play->filter);
  GstTimeScaleSettings settings = *play->settings;

  settings.storage.spill_directory = NULL;      /* may be freed any time */
  return settings;
}

static void
announce_duration (GstTimeScalePlay * play)
{
  gst_element_post_message (GST_ELEMENT (play->filter),
      gst_message_new_duration_changed (GST_OBJECT (play->filter)));
}

/* The output differs from what its segment says: sends the segment again. */
static void
announce (GstTimeScalePlay * play)
{
  GstSegment segment = gst_timescale_play_make_segment (play);

  play->segment_due = FALSE;
  gst_retro_filter_send_segment (play->filter, &segment);
  announce_duration (play);
}

/* Where the output will end. */
static GstClockTime
stop_ns (GstTimeScalePlay * play)
{
  GstClockTime in_stop_ns = play->in.stop, at_ns;

  if (!GST_CLOCK_TIME_IS_VALID (in_stop_ns))
    return in_stop_ns;
  at_ns = play->run_ns + gst_util_uint64_scale_int
      (gst_timescale_stream_get_state (&play->stream).in_frames, GST_SECOND,
      play->clock.rate);
  return gst_retro_clock_after (&play->clock,
      timechain_due (play->stream.chain,
          gst_util_uint64_scale_int_ceil (in_stop_ns - MIN (at_ns, in_stop_ns),
              play->clock.rate, GST_SECOND)));
}

static guint
step_frames (GstTimeScalePlay * play)
{
  return MAX (play->clock.rate / MOVES_PER_SECOND, 1);
}

/* Moves the speed evenly to that of @factor: within one step under a curve, otherwise
 * within one step of the input or of the output, whichever is longer. */
static void
move_factor (GstTimeScalePlay * play, GstClockTime in_ns, GstClockTime out_ns,
    gdouble factor, const TimePitch * pitch, gboolean controlled)
{
  gdouble before = gst_timescale_stream_get_state (&play->stream).factor;
  gdouble mean_speed = (1 / before + 1 / factor) / 2;
  guint64 n_frames = step_frames (play);
  gdouble frame_ns = (gdouble) GST_SECOND / play->clock.rate;

  GST_LOG_OBJECT (play->filter, "factor %g from %" GST_TIME_FORMAT " on",
      factor, GST_TIME_ARGS (in_ns));
  if (!controlled)
    n_frames = n_frames * MAX (1, mean_speed);
  timechain_move (play->stream.chain, factor, pitch, n_frames, &n_frames);
  GST_OBJECT_LOCK (play->filter);
  timesegment_bend (&play->segments, in_ns, out_ns, factor);
  GST_OBJECT_UNLOCK (play->filter);
  /* the move itself, at the mean speed */
  gst_timescale_play_note (play, in_ns + (GstClockTime) (n_frames * frame_ns),
      out_ns + (GstClockTime) (n_frames * frame_ns / mean_speed), 0);
  /* under a curve nobody knows where it ends */
  play->segments.output.stop =
      controlled && play->segments.output.applied_rate > 0 ?
      GST_CLOCK_TIME_NONE : stop_ns (play);
  play->stop_moved = TRUE;
  if (!controlled)
    announce_duration (play);
}

/* Sends another segment if it has to. */
static void
stay_in_segment (GstTimeScalePlay * play)
{
  GstSegment sent;

  if (play->segment_due)
    announce (play);
  if (!play->stop_moved || !gst_retro_filter_get_segment (play->filter, &sent)
      || !timesegment_is_outdated (&play->segments, sent.stop,
          GST_SECOND / play->clock.rate))
    return;
  sent = gst_timescale_play_make_segment (play);
  if (sent.applied_rate > 0)
    sent.stop = GST_CLOCK_TIME_NONE;
  gst_retro_filter_send_segment (play->filter, &sent);
}

/* A stream that has begun goes on with the current factor and pitch of the
 * properties. */
static void
follow_factor (GstTimeScalePlay * play, gboolean controlled)
{
  TimeChainState state = gst_timescale_stream_get_state (&play->stream);
  /* a change begins with the next output frame, or with the one behind everything that
   * the stretcher holds */
  GstClockTime in_ns = play->run_ns
      + (GstClockTime) (state.place * GST_SECOND / play->clock.rate + 0.5);
  GstClockTime out_ns = gst_retro_clock_after (&play->clock, state.held_frames);
  guint64 n_frames = step_frames (play);
  GstTimeScaleSettings settings;
  gdouble factor;

  gst_timescale_play_note (play, in_ns, out_ns,
      GST_SECOND / play->clock.rate + 1);
  if (controlled)
    sync_values (play, in_ns + gst_util_uint64_scale_int (n_frames, GST_SECOND,
            play->clock.rate));
  settings = gst_timescale_play_get_settings (play);
  factor = timesegment_effective (&play->segments, settings.factor);
  if (factor != state.factor)
    move_factor (play, in_ns, out_ns, factor, &settings.pitch, controlled);
  else                          /* does nothing if the pitch is the same */
    timechain_move (play->stream.chain, factor, &settings.pitch, n_frames,
        &n_frames);
}

/* ---- changes of the settings and of the rate -------------------------------- */

void
gst_timescale_play_ask (GstTimeScalePlay * play)
{
  g_atomic_int_inc (&play->asked);
}

void
gst_timescale_play_ask_rate (GstTimeScalePlay * play, gdouble multiplier)
{
  GST_OBJECT_LOCK (play->filter);
  play->new_multiplier = multiplier;
  GST_OBJECT_UNLOCK (play->filter);
  gst_timescale_play_ask (play);
}

/* Whether anything has been set since the last call. */
static gboolean
take_asked (GstTimeScalePlay * play)
{
  gint asked = g_atomic_int_get (&play->asked);
  gboolean is_new = asked != play->answered;

  play->answered = asked;
  return is_new;
}

/* Makes a change of the rate a part of the factor, for audio from @pts_ns on. */
static void
follow_rate (GstTimeScalePlay * play, GstClockTime pts_ns)
{
  GstClockTime now_ns = play->clock.now_ns;
  gdouble multiplier;

  GST_OBJECT_LOCK (play->filter);
  multiplier = play->new_multiplier;
  play->new_multiplier = 0;
  GST_OBJECT_UNLOCK (play->filter);
  if (multiplier == 0 || multiplier == play->segments.multiplier)
    return;
  timesegment_multiply_rate (&play->segments,
      GST_CLOCK_TIME_IS_VALID (now_ns) ? now_ns :
      timesegment_map (&play->segments, pts_ns), multiplier);
  play->segment_due = TRUE;
}

static TimeDSPConfig
make_config (const GstAudioInfo * info, const GstTimeScaleSettings * settings)
{
  gboolean is_planar =
      GST_AUDIO_INFO_LAYOUT (info) == GST_AUDIO_LAYOUT_NON_INTERLEAVED;
  gint width = GST_AUDIO_INFO_WIDTH (info);
  TimeDSPConfig config = {
    .format = GST_AUDIO_INFO_IS_FLOAT (info) ?
        (width == 32 ? TIMEDSP_F32 : TIMEDSP_F64) :
        (width == 16 ? TIMEDSP_S16 : TIMEDSP_S32),
    .layout = is_planar ? TIMEDSP_PLANAR : TIMEDSP_INTERLEAVED,
    .interpolation = settings->interpolation,
    .channels = GST_AUDIO_INFO_CHANNELS (info),
    .quality = settings->quality
  };

  return config;
}

/* What the chain does under the current settings. */
static TimeChainSettings
make_settings (GstTimeScalePlay * play)
{
  GstTimeScaleSettings settings = gst_timescale_play_get_settings (play);
  TimeChainSettings wanted = {
    .audio = make_config (gst_retro_filter_get_info (play->filter), &settings),
    .rate = play->clock.rate,
    .factor = play->segments.factor,
    .pitch = settings.pitch,
    .moves = is_controlled (play)
  };

  return wanted;
}

/* Makes a chain if there is none. Otherwise it goes on with the current settings, but
 * for factor and pitch. */
static TimeDSPStatus
open_stream (GstTimeScalePlay * play)
{
  TimeChainSettings settings = make_settings (play);
  TimeChain **chain = &play->stream.chain;

  return *chain == NULL ? timechain_new (&settings, chain) :
      timechain_configure (*chain, &settings);
}

/* Applies what has been set since the last piece of a buffer. */
static void
follow_changes (GstTimeScalePlay * play)
{
  if (!take_asked (play))
    return;
  follow_rate (play, GST_CLOCK_TIME_NONE);
  if (open_stream (play) != TIMEDSP_OK) /* the next piece reports it */
    return;
  follow_factor (play, FALSE);
  stay_in_segment (play);
}

/* The factor of the properties, at @now_ns of a curve, holds from input time @in_ns
 * on: nothing behind that has been scaled. */
static void
take_factor (GstTimeScalePlay * play, GstClockTime in_ns, GstClockTime now_ns)
{
  gboolean is_new;

  sync_values (play, now_ns);
  GST_OBJECT_LOCK (play->filter);
  is_new = timesegment_take_factor (&play->segments, in_ns,
      play->settings->factor);
  GST_OBJECT_UNLOCK (play->filter);
  if (!is_new)
    return;
  /* kernels are for the other factor */
  g_clear_pointer (&play->stream.chain, timechain_free);
  announce (play);
}

/* ---- alignment=stream --------------------------------------------------------- */

/* Scales the next piece of @buffer, of which @n_left frames from @first on are left.
 * *@n becomes the length of the piece. Under a curve, pieces do not depend on how the
 * stream is cut into buffers. */
static GstFlowReturn
scale_piece (GstTimeScalePlay * play, GstBuffer * buffer, gsize first,
    gsize n_left, gboolean gap, gsize * n)
{
  gboolean controlled = is_controlled (play);
  guint step = step_frames (play);
  TimeChainState state;

  if (!controlled && first > 0)
    follow_changes (play);
  state = gst_timescale_stream_get_state (&play->stream);
  if (controlled) {
    if (state.in_frames % step == 0)
      follow_factor (play, TRUE);
    if (first == 0)
      stay_in_segment (play);
    *n = MIN (n_left, step - state.in_frames % step);
  } else {
    *n = MIN (n_left, 1 + (gsize) (play->clock.rate / (PIECES_PER_SECOND *
                state.factor)));
  }
  return gst_timescale_stream_feed (&play->stream, buffer, first, *n, gap);
}

/* Under a curve the kernel grows again and again. So announce a generous latency
 * then: the application is not notified each time. */
static void
update_latency (GstTimeScalePlay * play)
{
  GstClockTime before_ns = gst_retro_filter_get_latency (play->filter);
  GstClockTime latency_ns =
      gst_util_uint64_scale_int_ceil (timechain_lookahead (play->stream.chain),
      GST_SECOND, play->clock.rate);

  if (is_controlled (play) && before_ns > 0)
    latency_ns = latency_ns > before_ns ? 2 * latency_ns : before_ns;
  gst_retro_filter_set_latency (play->filter, latency_ns);
}

/* Scales @buffer (transfer full). A factor that is set meanwhile takes effect within
 * the buffer, and a curve holds in each of its frames. */
static GstFlowReturn
scale_buffer (GstTimeScalePlay * play, GstBuffer * buffer)
{
  gsize n_left = gst_retro_buffer_frames (buffer,
      gst_retro_filter_get_info (play->filter));
  GstFlowReturn ret = GST_FLOW_OK;
  gsize first = 0, n = 0;
  gboolean gap;

  if (!is_controlled (play)) {
    follow_factor (play, FALSE);
    stay_in_segment (play);
    if (gst_timescale_stream_pass (&play->stream, buffer, &ret))
      return ret;
  }
  gap = gst_timescale_stream_is_gap (&play->stream, buffer);
  for (; n_left > 0 && ret == GST_FLOW_OK; first += n, n_left -= n)
    ret = scale_piece (play, buffer, first, n_left, gap, &n);
  gst_buffer_unref (buffer);
  return ret;
}

/* Takes @buffer. */
static GstFlowReturn
open_and_scale (GstTimeScalePlay * play, GstBuffer * buffer)
{
  TimeDSPStatus status = open_stream (play);
  GstFlowReturn ret;

  if (status != TIMEDSP_OK) {
    gst_buffer_unref (buffer);
    return gst_timescale_stream_fail (&play->stream, status);
  }
  ret = scale_buffer (play, buffer);
  update_latency (play);
  return ret;
}

static GstFlowReturn
drain_stream (GstTimeScalePlay * play)
{
  GstFlowReturn ret;

  if (play->stream.chain == NULL || !gst_retro_clock_is_running (&play->clock))
    return GST_FLOW_OK;
  ret = gst_timescale_stream_drain (&play->stream);
  gst_timescale_play_note (play, play->segments.end_ns,
      play->clock.now_ns, GST_SECOND / play->clock.rate + 1);
  gst_retro_clock_stop (&play->clock);
  return ret;
}

/* ---- alignment=endpoints ------------------------------------------------------ */

/* Whether audio is kept until the stream ends. A stream that has begun goes on as it
 * is. */
static gboolean
collects (GstTimeScalePlay * play)
{
  GstTimeScaleSettings settings = gst_timescale_play_get_settings (play);

  return play->store != NULL || (play->stream.chain == NULL
      && settings.alignment == GST_TIMESCALE_ENDPOINTS
      && !settings.pitch.kept && settings.pitch.semitones == 0);
}

/* Takes @buffer. */
static GstFlowReturn
keep_buffer (GstTimeScalePlay * play, GstBuffer * buffer)
{
  const GstAudioInfo *info = gst_retro_filter_get_info (play->filter);
  GError *error = NULL;

  GST_OBJECT_LOCK (play->filter);
  if (play->store == NULL)
    play->store = gst_retro_store_new (info,
        play->settings->storage.max_memory_bytes,
        play->settings->storage.spill_directory);
  GST_OBJECT_UNLOCK (play->filter);
  gst_retro_store_append_frames (play->store, buffer, info, 0,
      gst_retro_buffer_frames (buffer, info), &error);
  gst_buffer_unref (buffer);
  return error == NULL ? GST_FLOW_OK :
      gst_retro_filter_fail (play->filter, error);
}

static GstFlowReturn
drain_store (GstTimeScalePlay * play)
{
  TimeDSPConfig audio = make_settings (play).audio;
  GstTimeScaleStream stream = {.filter = play->filter,.clock = &play->clock };
  TimeDSPStatus status;
  guint64 count, length;
  GstFlowReturn ret;

  if (play->store == NULL)
    return GST_FLOW_OK;

  count = gst_retro_store_get_frames (play->store);
  status = timedsp_scaled_length (count, play->segments.factor, &length);
  if (status == TIMEDSP_OK)
    status = timechain_new_endpoints (&audio, count, length, &stream.chain);
  ret = status == TIMEDSP_OK ?
      gst_timescale_stream_feed_store (&stream, play->store) :
      gst_timescale_stream_fail (&stream, status);
  if (ret == GST_FLOW_OK)
    ret = gst_timescale_stream_drain (&stream);

  g_clear_pointer (&stream.chain, timechain_free);
  g_clear_pointer (&play->store, gst_retro_store_free);
  gst_retro_clock_stop (&play->clock);
  return ret;
}

/* ---- the stream --------------------------------------------------------------- */

void
gst_timescale_play_init (GstTimeScalePlay * play, GstRetroFilter * filter,
    const GstTimeScaleSettings * settings)
{
  play->filter = filter;
  play->settings = settings;
  gst_retro_clock_clear (&play->clock, 0);
  play->stream.filter = filter;
  play->stream.clock = &play->clock;
  timesegment_init (&play->segments, play->pairs, GST_TIMESCALE_PLAY_PAIRS);
}

void
gst_timescale_play_forget (GstTimeScalePlay * play)
{
  g_clear_pointer (&play->stream.chain, timechain_free);
  g_clear_pointer (&play->store, gst_retro_store_free);
  gst_retro_clock_stop (&play->clock);
}

void
gst_timescale_play_reset (GstTimeScalePlay * play)
{
  gst_timescale_play_forget (play);
  timesegment_reset (&play->segments,
      gst_timescale_play_get_settings (play).factor);
  GST_OBJECT_LOCK (play->filter);
  play->new_multiplier = 0;
  GST_OBJECT_UNLOCK (play->filter);
}

GstSegment
gst_timescale_play_start (GstTimeScalePlay * play, const GstSegment * in,
    const TimeSeek * seek)
{
  gint rate = GST_AUDIO_INFO_RATE (gst_retro_filter_get_info (play->filter));
  GstTimeScaleSettings settings;

  gst_timescale_play_forget (play);
  gst_retro_clock_clear (&play->clock, rate);
  play->stop_moved = play->segment_due = FALSE;
  if (GST_CLOCK_TIME_IS_VALID (in->time) && is_controlled (play))
    gst_object_sync_values (GST_OBJECT (play->filter), in->time);
  settings = gst_timescale_play_get_settings (play);
  gst_timescale_play_start_times (play, in, &settings, seek);
  if (play->segments.factor != 1)       /* else frames are as many as upstream's */
    timesegment_allow_surplus (&play->segments,
        gst_retro_filter_query_duration (play->filter), rate);
  if (is_controlled (play) && play->segments.output.applied_rate > 0)
    play->segments.output.stop = GST_CLOCK_TIME_NONE;
  return gst_timescale_play_make_segment (play);
}

/* Audio begins with @buffer, or goes on with it. */
static void
begin_buffer (GstTimeScalePlay * play, GstBuffer * buffer)
{
  GstClockTime pts_ns = GST_BUFFER_PTS (buffer);

  follow_rate (play, pts_ns);
  if (!gst_retro_clock_is_running (&play->clock)) {
    take_factor (play, pts_ns, pts_ns);
    play->run_ns = pts_ns;
    gst_retro_clock_start (&play->clock,
        timesegment_map (&play->segments, pts_ns));
  } else if (play->store != NULL) {
    take_factor (play, play->run_ns, pts_ns);
  }
  play->segments.end_ns = pts_ns + GST_BUFFER_DURATION (buffer);
}

/* Passes @buffer on unchanged but for its times, if nothing has to be done for it.
 * FALSE: it has to be scaled. */
static gboolean
pass_buffer (GstTimeScalePlay * play, GstBuffer * buffer, GstFlowReturn * ret)
{
  if (GST_BUFFER_IS_DISCONT (buffer) || is_controlled (play)
      || !gst_timescale_stream_get_state (&play->stream).passes)
    return FALSE;
  play->segments.end_ns =
      GST_BUFFER_PTS (buffer) + GST_BUFFER_DURATION (buffer);
  return gst_timescale_stream_pass (&play->stream, buffer, ret);
}

GstFlowReturn
gst_timescale_play_process (GstTimeScalePlay * play, GstBuffer * buffer)
{
  GstFlowReturn ret = GST_FLOW_OK;

  if (!take_asked (play) && pass_buffer (play, buffer, &ret))
    return ret;
  if (GST_BUFFER_IS_DISCONT (buffer))
    ret = gst_timescale_play_drain (play);
  if (ret != GST_FLOW_OK) {
    gst_buffer_unref (buffer);
    return ret;
  }
  begin_buffer (play, buffer);
  return collects (play) ? keep_buffer (play, buffer) :
      open_and_scale (play, buffer);
}

GstFlowReturn
gst_timescale_play_gap (GstTimeScalePlay * play, GstClockTime pts_ns,
    GstClockTime duration_ns)
{
  GstFlowReturn ret = gst_timescale_play_drain (play);
  GstClockTime start_ns;

  if (ret != GST_FLOW_OK)
    return ret;
  take_factor (play, pts_ns, pts_ns);
  start_ns = timesegment_map (&play->segments, pts_ns);
  if (GST_CLOCK_TIME_IS_VALID (duration_ns)) {
    play->segments.end_ns = pts_ns + duration_ns;
    duration_ns =
        timesegment_map (&play->segments, play->segments.end_ns) - start_ns;
  }
  return gst_retro_filter_push_gap (play->filter, start_ns, duration_ns);
}

GstFlowReturn
gst_timescale_play_drain (GstTimeScalePlay * play)
{
  GstFlowReturn ret = drain_stream (play);

  return ret == GST_FLOW_OK ? drain_store (play) : ret;
}
