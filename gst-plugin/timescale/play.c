/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "timescale/play.h"
#include "common/segment.h"
#include "common/pcmbuffer.h"

#define GST_CAT_DEFAULT gst_timescale_debug
GST_DEBUG_CATEGORY_EXTERN (gst_timescale_debug);

/* A factor under a curve is looked up, and a jump is done, in 1 / so much of a
 * second: short enough to be heard at once, long enough not to click. */
#define MOVES_PER_SECOND 200

/* A change is taken while a buffer is scaled after so much of a second of output:
 * short enough to be heard at once, long enough that a buffer is worth while. */
#define PIECES_PER_SECOND 50

/* Backwards, a stop tells where in the stream we are. */
#define POSITION_TOLERANCE_NS (100 * GST_MSECOND)

gboolean
gst_timescale_play_is_controlled (const GstTimeScalePlay * play)
{
  GstObject *object = GST_OBJECT (play->filter);

  /* GStreamer itself looks first whether there are any, without the lock */
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

/* Input time of the frame that a change begins with: the next output frame, or the
 * one behind all that is held back. */
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

/* The output is another than was said at first: sends its segment again. */
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

/* The speed moves evenly to that of @factor: for a curve to where it is a step
 * later, otherwise within a step of the input or of the output, whichever is
 * longer. */
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

/* Resamplers and encoders begin anew at a segment, which is heard; so one is
 * sent only where audio would be cut at the stop of the last one, or where that
 * (backwards) puts positions wrong. */
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

/* A stream that has begun goes on with the factor that is asked for now. */
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
  factor =
      gst_timescale_timeline_effective (&play->line,
      play->get_factor (play->filter));
  pitch = play->get_pitch (play->filter);
  if (factor != play->stream.factor)
    move_factor (play, factor, &pitch, step, controlled);
  else if (!gst_timescale_stream_has_pitch (&play->stream, &pitch))
    gst_timescale_stream_move (&play->stream, factor, &pitch, step);
}

/* Takes what has been asked for since the last piece of a buffer. */
static void
follow_changes (GstTimeScalePlay * play)
{
  if (!play->take_change (play->filter))
    return;
  follow_factor (play, FALSE);
  stay_in_segment (play);
}

/* Scales the next piece of @buffer, from @first on, which has @n_left frames;
 * *@n is how many it has taken. Under a curve, pieces do not depend on how the
 * stream is cut. */
static GstFlowReturn
scale_piece (GstTimeScalePlay * play, GstBuffer * buffer, gsize first,
    gsize n_left, gboolean gap, gsize * n)
{
  GstTimeScaleStream *stream = &play->stream;
  guint step = step_frames (play);

  if (gst_timescale_play_is_controlled (play)) {
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

GstFlowReturn
gst_timescale_play_scale (GstTimeScalePlay * play, GstBuffer * buffer)
{
  gsize n_left = gst_retro_buffer_frames (buffer,
      gst_retro_filter_get_info (play->filter));
  GstFlowReturn ret = GST_FLOW_OK;
  gsize first = 0, n = 0;
  gboolean gap;

  if (!gst_timescale_play_is_controlled (play)) {
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

gboolean
gst_timescale_play_can_pass (const GstTimeScalePlay * play, GstBuffer * buffer)
{
  return play->stream.passes && !GST_BUFFER_IS_DISCONT (buffer)
      && !gst_timescale_play_is_controlled (play);
}

gboolean
gst_timescale_play_pass (GstTimeScalePlay * play, GstBuffer * buffer,
    GstFlowReturn * ret)
{
  play->line.end_ns = GST_BUFFER_PTS (buffer) + GST_BUFFER_DURATION (buffer);
  return gst_timescale_stream_pass (&play->stream, buffer, ret);
}

GstFlowReturn
gst_timescale_play_drain (GstTimeScalePlay * play)
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

void
gst_timescale_play_take_factor (GstTimeScalePlay * play, GstClockTime in_ns,
    GstClockTime now_ns)
{
  GstTimeScaleTimeline *line = &play->line;
  gdouble factor;

  sync_values (play, now_ns);
  factor =
      gst_timescale_timeline_effective (line, play->get_factor (play->filter));
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
