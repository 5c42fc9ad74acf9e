/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "timescale/play.h"
#include "common/segment.h"
#include "common/pcmbuffer.h"
#include "common/send.h"

#define GST_CAT_DEFAULT gst_timescale_debug
GST_DEBUG_CATEGORY_EXTERN (gst_timescale_debug);

/* A curve is looked up this many times a second, and a jump of the factor takes as
 * long: short enough to be heard at once, long enough not to click. */
#define MOVES_PER_SECOND 200

/* While a buffer is scaled, changes are looked for this many times per second of
 * output: often enough to be heard at once, seldom enough for buffers of some
 * length. */
#define PIECES_PER_SECOND 50

/* Backwards, positions are counted from the stop. */
#define POSITION_TOLERANCE_NS (100 * GST_MSECOND)

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
  GstClockTime time_ns = gst_retro_segment_stream_time (&play->line.in, in_ns);

  if (GST_CLOCK_TIME_IS_VALID (time_ns))
    gst_object_sync_values (GST_OBJECT (play->filter), time_ns);
}

GstTimeScaleSettings
gst_timescale_play_get_settings (const GstTimeScalePlay * play)
{
  GstTimeScaleSettings settings;

  GST_OBJECT_LOCK (play->filter);
  settings = *play->settings;
  GST_OBJECT_UNLOCK (play->filter);
  settings.storage.spill_directory = NULL;      /* may be freed any time */
  return settings;
}

/* The factor of the segment under that of the property. */
static gdouble
asked_factor (const GstTimeScalePlay * play)
{
  return gst_timescale_timeline_effective (&play->line,
      gst_timescale_play_get_settings (play).factor);
}

static TimeDSPConfig
make_config (const GstTimeScalePlay * play,
    const GstTimeScaleSettings * settings)
{
  return gst_retro_scale_config (gst_retro_filter_get_info (play->filter),
      settings->interpolation, settings->quality);
}

/* Input time at which a change begins: that of the next output frame, or of the frame
 * behind everything that the stretcher holds. */
static GstClockTime
place_ns (GstTimeScalePlay * play)
{
  return play->run_ns +
      (GstClockTime) (gst_timescale_stream_place (&play->stream)
      * GST_SECOND / play->clock.rate + 0.5);
}

static void
note_place (GstTimeScalePlay * play, GstClockTime in_ns)
{
  gst_timescale_timeline_note (&play->line, in_ns,
      gst_timescale_stream_place_time (&play->stream),
      GST_SECOND / play->clock.rate + 1);
}

/* The output differs from what its segment says: sends the segment again. */
static void
announce (GstTimeScalePlay * play)
{
  play->segment_due = FALSE;
  gst_retro_filter_send_segment (play->filter, &play->line.out);
  gst_element_post_message (GST_ELEMENT (play->filter),
      gst_message_new_duration_changed (GST_OBJECT (play->filter)));
}

/* Where the output will end. */
static GstClockTime
stop_ns (GstTimeScalePlay * play)
{
  GstClockTime in_stop_ns = play->line.in.stop, at_ns;

  if (!GST_CLOCK_TIME_IS_VALID (in_stop_ns))
    return in_stop_ns;
  at_ns = play->run_ns + gst_util_uint64_scale_int (play->stream.in_frames,
      GST_SECOND, play->clock.rate);
  return gst_timescale_stream_end (&play->stream,
      gst_util_uint64_scale_int_ceil (in_stop_ns - MIN (at_ns, in_stop_ns),
          play->clock.rate, GST_SECOND));
}

/* Moves the speed evenly to that of @factor: within one step under a curve, otherwise
 * within one step of the input or of the output, whichever is longer. */
static void
move_factor (GstTimeScalePlay * play, gdouble factor,
    const GstTimeScalePitch * pitch, guint step_frames, gboolean controlled)
{
  gdouble mean_speed = (1 / play->stream.factor + 1 / factor) / 2;
  guint64 n_frames = controlled ? step_frames : step_frames * MAX (1,
      mean_speed);
  GstClockTime in_ns = place_ns (play);
  GstClockTime out_ns = gst_timescale_stream_place_time (&play->stream);
  gdouble frame_ns = (gdouble) GST_SECOND / play->clock.rate;

  GST_LOG_OBJECT (play->filter, "factor %g from %" GST_TIME_FORMAT " on",
      factor, GST_TIME_ARGS (in_ns));
  n_frames = gst_timescale_stream_move (&play->stream, factor, pitch, n_frames);
  gst_timescale_timeline_bend (&play->line, in_ns, out_ns, factor,
      play->line.out.stop);
  /* the move itself, at the mean speed */
  gst_timescale_timeline_note (&play->line,
      in_ns + (GstClockTime) (n_frames * frame_ns),
      out_ns + (GstClockTime) (n_frames * frame_ns / mean_speed), 0);
  if (!controlled || play->line.out.applied_rate < 0)
    play->line.out.stop = stop_ns (play);
  else                          /* nobody knows */
    play->line.out.stop = GST_CLOCK_TIME_NONE;
  play->stop_moved = TRUE;
  if (!controlled)
    gst_element_post_message (GST_ELEMENT (play->filter),
        gst_message_new_duration_changed (GST_OBJECT (play->filter)));
}

/* Resamplers and encoders start over at a segment, and that is audible. So send one
 * only if audio would be cut at the stop of the last one, or (backwards) if that stop
 * makes positions wrong. */
static void
stay_in_segment (GstTimeScalePlay * play)
{
  gboolean backwards = play->line.out.applied_rate < 0;
  GstClockTime end_ns = gst_timescale_timeline_map (&play->line,
      play->line.end_ns);
  GstClockTime frame_ns = GST_SECOND / play->clock.rate;
  GstSegment sent;

  if (play->segment_due)
    announce (play);
  if (!play->stop_moved || !gst_retro_filter_get_segment (play->filter, &sent)
      || !GST_CLOCK_TIME_IS_VALID (sent.stop))
    return;
  if (end_ns <= sent.stop + frame_ns && !(backwards
          && gst_retro_clock_apart (sent.stop, play->line.out.stop)
          > POSITION_TOLERANCE_NS))
    return;
  sent = play->line.out;
  if (!backwards)
    sent.stop = GST_CLOCK_TIME_NONE;
  gst_retro_filter_send_segment (play->filter, &sent);
}

static guint
step_frames (GstTimeScalePlay * play)
{
  return MAX (play->clock.rate / MOVES_PER_SECOND, 1);
}

/* A stream that has begun goes on with the current factor and pitch of the
 * properties. */
static void
follow_factor (GstTimeScalePlay * play, gboolean controlled)
{
  guint step = step_frames (play);
  GstClockTime in_ns = place_ns (play);
  GstTimeScalePitch pitch;
  gdouble factor;

  note_place (play, in_ns);
  if (controlled)
    sync_values (play, in_ns + gst_util_uint64_scale_int (step, GST_SECOND,
            play->clock.rate));
  factor = asked_factor (play);
  pitch = gst_timescale_play_get_settings (play).pitch;
  if (factor != play->stream.factor)
    move_factor (play, factor, &pitch, step, controlled);
  else if (!gst_timescale_stream_has_pitch (&play->stream, &pitch))
    gst_timescale_stream_move (&play->stream, factor, &pitch, step);
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
  GstClockTime now_ns = gst_retro_clock_now (&play->clock);
  gdouble multiplier;

  GST_OBJECT_LOCK (play->filter);
  multiplier = play->new_multiplier;
  play->new_multiplier = 0;
  GST_OBJECT_UNLOCK (play->filter);
  if (multiplier == 0 || multiplier == play->line.multiplier)
    return;
  gst_timescale_timeline_multiply_rate (&play->line,
      GST_CLOCK_TIME_IS_VALID (now_ns) ? now_ns :
      gst_timescale_timeline_map (&play->line, pts_ns), multiplier);
  play->segment_due = TRUE;
}

/* Opens the stream, or lets it go on, with the current settings. */
static TimeDSPStatus
open_stream (GstTimeScalePlay * play)
{
  GstTimeScaleSettings settings = gst_timescale_play_get_settings (play);
  TimeDSPConfig config = make_config (play, &settings);

  return gst_timescale_stream_open (&play->stream, &config,
      play->line.factor, &settings.pitch, is_controlled (play));
}

/* Applies what has been set since the last piece of a buffer. */
static void
follow_changes (GstTimeScalePlay * play)
{
  TimeDSPStatus status;

  if (!take_asked (play))
    return;
  follow_rate (play, GST_CLOCK_TIME_NONE);
  status = open_stream (play);
  if (status != TIMEDSP_OK) {   /* the next piece reports it */
    play->stream.status = status;
    return;
  }
  follow_factor (play, FALSE);
  stay_in_segment (play);
}

/* The factor of the properties, at @now_ns of a curve, holds from input time @in_ns
 * on: nothing behind that has been scaled. */
static void
take_factor (GstTimeScalePlay * play, GstClockTime in_ns, GstClockTime now_ns)
{
  GstTimeScaleTimeline *line = &play->line;
  gdouble factor;

  sync_values (play, now_ns);
  factor = asked_factor (play);
  if (factor == line->factor)
    return;
  gst_timescale_timeline_bend (line, in_ns, gst_timescale_timeline_map (line,
          in_ns), factor, line->out.stop);
  if (GST_CLOCK_TIME_IS_VALID (line->out.stop))
    line->out.stop = gst_timescale_timeline_map (line, line->in.stop);
  /* kernels are for the other factor */
  gst_timescale_stream_forget (&play->stream);
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
  GstTimeScaleStream *stream = &play->stream;
  guint step = step_frames (play);

  if (is_controlled (play)) {
    if (stream->in_frames % step == 0)
      follow_factor (play, TRUE);
    *n = MIN (n_left, step - stream->in_frames % step);
    if (first == 0)
      stay_in_segment (play);
  } else {
    if (first > 0)
      follow_changes (play);
    *n = MIN (n_left, 1 + (gsize) (play->clock.rate / (PIECES_PER_SECOND *
                stream->factor)));
  }
  return gst_timescale_stream_feed (stream, buffer, first, *n, gap);
}

/* Under a curve the kernel grows again and again. So announce a generous latency
 * then: the application is not notified each time. */
static void
update_latency (GstTimeScalePlay * play)
{
  GstClockTime before_ns = gst_retro_filter_get_latency (play->filter);
  GstClockTime latency_ns =
      gst_util_uint64_scale_int_ceil (gst_timescale_stream_lookahead
      (&play->stream), GST_SECOND, play->clock.rate);

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
    return gst_retro_scale_fail (play->filter, status);
  }
  ret = scale_buffer (play, buffer);
  update_latency (play);
  return ret;
}

static GstFlowReturn
drain_stream (GstTimeScalePlay * play)
{
  GstFlowReturn ret;

  if (play->stream.scaler == NULL || !gst_retro_clock_is_running (&play->clock))
    return GST_FLOW_OK;
  ret = gst_timescale_stream_drain (&play->stream);
  gst_timescale_timeline_note (&play->line, play->line.end_ns,
      gst_retro_clock_now (&play->clock), GST_SECOND / play->clock.rate + 1);
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

  return play->store != NULL || (play->stream.scaler == NULL
      && settings.alignment == GST_TIMESCALE_ENDPOINTS
      && !gst_timescale_pitch_is_changed (&settings.pitch));
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
  gst_retro_store_append_buffer (play->store, buffer, info, &error);
  gst_buffer_unref (buffer);
  return error == NULL ? GST_FLOW_OK :
      gst_retro_filter_fail (play->filter, error);
}

static GstFlowReturn
drain_store (GstTimeScalePlay * play)
{
  GstTimeScaleSettings settings = gst_timescale_play_get_settings (play);
  TimeDSPConfig config = make_config (play, &settings);
  TimeDSPScaler *scaler = NULL;
  TimeDSPStatus status;
  guint64 count, length;
  GstFlowReturn ret;

  if (play->store == NULL)
    return GST_FLOW_OK;

  count = gst_retro_store_get_frames (play->store);
  status = timedsp_scaled_length (count, play->line.factor, &length);
  if (status == TIMEDSP_OK)
    status = timedsp_scaler_new_endpoints (&config, count, length, &scaler);
  ret = status == TIMEDSP_OK ?
      gst_retro_scale_store (play->filter, scaler, &play->clock, play->store) :
      gst_retro_scale_fail (play->filter, status);

  timedsp_scaler_free (scaler);
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
  gst_timescale_stream_init (&play->stream, filter, &play->clock);
  gst_timescale_timeline_init (&play->line, GST_OBJECT (filter));
}

void
gst_timescale_play_forget (GstTimeScalePlay * play)
{
  gst_timescale_stream_forget (&play->stream);
  g_clear_pointer (&play->store, gst_retro_store_free);
  gst_retro_clock_stop (&play->clock);
}

void
gst_timescale_play_reset (GstTimeScalePlay * play)
{
  gst_timescale_play_forget (play);
  gst_timescale_timeline_reset (&play->line,
      gst_timescale_play_get_settings (play).factor);
  GST_OBJECT_LOCK (play->filter);
  play->new_multiplier = 0;
  GST_OBJECT_UNLOCK (play->filter);
}

void
gst_timescale_play_start (GstTimeScalePlay * play, const GstSegment * in,
    const GstTimeScaleSeek * seek)
{
  gint rate = GST_AUDIO_INFO_RATE (gst_retro_filter_get_info (play->filter));
  GstTimeScaleSettings settings;

  gst_timescale_play_forget (play);
  gst_retro_clock_clear (&play->clock, rate);
  play->stop_moved = play->segment_due = FALSE;
  if (GST_CLOCK_TIME_IS_VALID (in->time) && is_controlled (play))
    gst_object_sync_values (GST_OBJECT (play->filter), in->time);
  settings = gst_timescale_play_get_settings (play);
  if (seek != NULL)             /* its rate replaces all instant changes */
    play->line.multiplier = 1;
  gst_timescale_timeline_start (&play->line, in, settings.factor,
      settings.absorb_rate, rate);
  if (seek != NULL)
    gst_timescale_timeline_settle (&play->line, seek);
  if (play->line.factor != 1)   /* else frames are as many as upstream's */
    gst_timescale_timeline_allow_surplus (&play->line,
        gst_retro_filter_query_duration (play->filter), rate);
  if (is_controlled (play) && play->line.out.applied_rate > 0)
    play->line.out.stop = GST_CLOCK_TIME_NONE;
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
        gst_timescale_timeline_map (&play->line, pts_ns));
  } else if (play->store != NULL) {
    take_factor (play, play->run_ns, pts_ns);
  }
  play->line.end_ns = pts_ns + GST_BUFFER_DURATION (buffer);
}

/* Passes @buffer on unchanged but for its times, if nothing has to be done for it.
 * FALSE: it has to be scaled. */
static gboolean
pass_buffer (GstTimeScalePlay * play, GstBuffer * buffer, GstFlowReturn * ret)
{
  if (!play->stream.passes || GST_BUFFER_IS_DISCONT (buffer)
      || is_controlled (play))
    return FALSE;
  play->line.end_ns = GST_BUFFER_PTS (buffer) + GST_BUFFER_DURATION (buffer);
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
  start_ns = gst_timescale_timeline_map (&play->line, pts_ns);
  if (GST_CLOCK_TIME_IS_VALID (duration_ns)) {
    play->line.end_ns = pts_ns + duration_ns;
    duration_ns =
        gst_timescale_timeline_map (&play->line, play->line.end_ns) - start_ns;
  }
  return gst_retro_filter_push_gap (play->filter, start_ns, duration_ns);
}

GstFlowReturn
gst_timescale_play_drain (GstTimeScalePlay * play)
{
  GstFlowReturn ret = drain_stream (play);

  return ret == GST_FLOW_OK ? drain_store (play) : ret;
}
