/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "timescale/scalerstream.h"
#include "common/pcmbuffer.h"

#include <math.h>

/* A frame is made when its whole span of input has arrived. */
#define LONGEST_SPAN_FRAMES ((guint64) (1 / TIMEDSP_MIN_FACTOR))

/* The beginning of a stream, as if silence had come before. */
#define SILENCE_BEFORE (G_MAXUINT64 / 2)

/* What sums of factors may have been rounded off, in frames. */
#define ROUNDED_FRAMES 1e-6

void
gst_timescale_stream_init (GstTimeScaleStream * stream, GstRetroFilter * filter,
    GstRetroClock * clock)
{
  stream->filter = filter;
  stream->clock = clock;
  stream->factor = 1;
  stream->gap_frames = SILENCE_BEFORE;
}

/* The next frame is the first of a stream. */
static void
begin (GstTimeScaleStream * stream)
{
  stream->in_frames = 0;
  stream->gap_frames = SILENCE_BEFORE;
  stream->line_in = stream->line_out = 0;
  stream->line_factor = stream->factor;
  stream->passes = FALSE;
  stream->status = TIMEDSP_OK;
}

void
gst_timescale_stream_forget (GstTimeScaleStream * stream)
{
  g_clear_pointer (&stream->scaler, timedsp_scaler_free);
  gst_timescale_chain_close (&stream->chain);
  begin (stream);
}

/* ---- the scaler and the stretcher ---------------------------------------- */

static gboolean
is_config_equal (const TimeDSPConfig * a, const TimeDSPConfig * b)
{
  return a->format == b->format && a->layout == b->layout
      && a->interpolation == b->interpolation && a->channels == b->channels
      && (a->quality == b->quality || a->interpolation != TIMEDSP_SINC);
}

gboolean
gst_timescale_pitch_is_changed (const GstTimeScalePitch * pitch)
{
  return pitch->kept || pitch->semitones != 0;
}

gboolean
gst_timescale_stream_has_pitch (const GstTimeScaleStream * stream,
    const GstTimeScalePitch * pitch)
{
  return !stream->pitch.kept == !pitch->kept
      && stream->pitch.semitones == pitch->semitones
      && stream->pitch.window == pitch->window;
}

/* Makes what @parts need and is not there. A stretcher begins at @stretch, a tail at
 * @after. */
static TimeDSPStatus
ensure_chain (GstTimeScaleStream * stream, const TimePitchParts * parts,
    gdouble stretch, gdouble after)
{
  const GstAudioInfo *info = gst_retro_filter_get_info (stream->filter);
  TimeDSPStatus status = TIMEDSP_OK;

  if (stream->chain.stretcher == NULL)
    status = gst_timescale_chain_open (&stream->chain, info, &stream->config,
        stream->pitch.window, stretch, stream->clock->frames);
  if (status == TIMEDSP_OK && parts->after != 1)
    status = gst_timescale_chain_open_tail (&stream->chain, info,
        &stream->config, after);
  return status;
}

/* What factor and pitch come to. Without a stretcher there is one scaler. */
static TimePitchParts
divide (const GstTimeScaleStream * stream)
{
  TimePitchParts parts = { 1, 1, 1 };

  timepitch_divide (stream->factor, stream->pitch.kept,
      stream->pitch.semitones, &parts);
  if (stream->chain.stretcher == NULL && parts.stretch == 1) {
    parts.before *= parts.after;
    parts.after = 1;
  }
  return parts;
}

/* The first scaler of a stream. */
static TimeDSPStatus
open_first (GstTimeScaleStream * stream, const TimeDSPConfig * config,
    gdouble factor, const GstTimeScalePitch * pitch, gboolean moves)
{
  TimeDSPStatus status;

  stream->factor = stream->line_factor = factor;
  stream->pitch = *pitch;
  stream->config = *config;
  stream->parts = divide (stream);
  status = timedsp_scaler_new (config, stream->parts.before, &stream->scaler);
  if (status == TIMEDSP_OK && (stream->parts.stretch != 1
          || (moves && gst_timescale_pitch_is_changed (pitch))))
    status = ensure_chain (stream, &stream->parts, stream->parts.stretch,
        stream->parts.after);
  if (status != TIMEDSP_OK)
    gst_timescale_stream_forget (stream);
  return status;
}

TimeDSPStatus
gst_timescale_stream_open (GstTimeScaleStream * stream,
    const TimeDSPConfig * config, gdouble factor,
    const GstTimeScalePitch * pitch, gboolean moves)
{
  TimeDSPScaler *scaler = NULL;
  TimeDSPStatus status;

  /* nothing has been heard yet: no need to move there */
  stream->moves = moves;
  if (stream->scaler != NULL && stream->in_frames == 0
      && !gst_timescale_stream_has_pitch (stream, pitch))
    gst_timescale_stream_forget (stream);
  if (stream->scaler == NULL)
    return open_first (stream, config, factor, pitch, moves);
  if (is_config_equal (config, &stream->config))
    return TIMEDSP_OK;
  status = timedsp_scaler_new (config, stream->parts.before, &scaler);
  if (status == TIMEDSP_OK)
    status = timedsp_scaler_continue (scaler, stream->scaler);
  if (status == TIMEDSP_OK && stream->chain.tail.scaler != NULL)
    status = gst_timescale_tail_continue (&stream->chain.tail, config);
  if (status != TIMEDSP_OK) {
    timedsp_scaler_free (scaler);
    return status;
  }
  timedsp_scaler_free (stream->scaler);
  stream->scaler = scaler;
  stream->config = *config;
  return TIMEDSP_OK;
}

/* ---- moves --------------------------------------------------------------- */

/* Frames of the output before the place. */
static gdouble
place_frames (const GstTimeScaleStream * stream)
{
  return stream->chain.stretcher == NULL ? stream->clock->frames :
      gst_timescale_chain_place (&stream->chain);
}

/* The factor moves from the place on within @n_frames of input. Returns how many
 * frames of output there are too many: moves of two parts are rounded, and one may
 * come before the last has ended. */
static gdouble
bend_line (GstTimeScaleStream * stream, guint64 n_frames)
{
  gdouble place = gst_timescale_stream_place (stream);
  gdouble out_frames = place_frames (stream), excess_frames = 0;

  if (place >= stream->line_in)
    excess_frames = out_frames - stream->line_out
        - (place - stream->line_in) * stream->line_factor;
  if (stream->factor == stream->line_factor)
    return excess_frames;
  stream->line_in = place + n_frames;
  stream->line_out = out_frames - excess_frames
      + 2 * n_frames / (1 / stream->line_factor + 1 / stream->factor);
  stream->line_factor = stream->factor;
  return excess_frames;
}

/* All parts move, from the next frame of the scaler on, to what is asked for; returns
 * within how many frames of input. */
static guint64
move_on (GstTimeScaleStream * stream)
{
  const TimePitchParts from = stream->parts, to = divide (stream);
  guint64 n_frames = stream->move_frames;
  TimePitchRamps ramps = { 0, 0 };

  if (to.before != from.before)
    timedsp_scaler_ramp_frames (stream->scaler, to.before, n_frames, &n_frames);
  timepitch_ramps (&from, &to, n_frames, bend_line (stream, n_frames), &ramps);
  if (to.before != from.before)
    timedsp_scaler_ramp_factor (stream->scaler, to.before, n_frames);
  if (stream->chain.stretcher != NULL)
    gst_timescale_chain_move (&stream->chain, &from, &to, &ramps);
  stream->parts = to;
  return n_frames;
}

/* The stretcher is warm. */
static TimeDSPStatus
on_warm (gpointer data)
{
  move_on (data);
  return TIMEDSP_OK;
}

guint64
gst_timescale_stream_move (GstTimeScaleStream * stream, gdouble factor,
    const GstTimeScalePitch * pitch, guint64 n_frames)
{
  TimePitchParts to;

  stream->factor = factor;
  stream->pitch = *pitch;
  stream->move_frames = n_frames;
  to = divide (stream);
  if (to.stretch != 1 || to.after != 1)
    stream->status = ensure_chain (stream, &to, 1, 1);
  if (stream->status != TIMEDSP_OK || stream->chain.warm_frames > 0)
    return n_frames;
  return move_on (stream);
}

/* ---- places and times ---------------------------------------------------- */

gdouble
gst_timescale_stream_place (const GstTimeScaleStream * stream)
{
  guint64 frame = 0;
  gdouble fraction = 0;

  timedsp_scaler_position (stream->scaler, &frame, &fraction);
  return frame + fraction;
}

GstClockTime
gst_timescale_stream_place_time (const GstTimeScaleStream * stream)
{
  gdouble held_frames = place_frames (stream) - stream->clock->frames;

  return gst_retro_clock_after (stream->clock, (guint64) MAX (held_frames, 0));
}

guint32
gst_timescale_stream_lookahead (const GstTimeScaleStream * stream)
{
  const TimePitchParts *parts = &stream->parts;
  gdouble tail_frames = stream->chain.tail.scaler == NULL ? 0 :
      timedsp_scaler_lookahead (stream->chain.tail.scaler);

  /* a frame between two of them is 1 / before, or 1 / (before × stretch), of input */
  return timedsp_scaler_lookahead (stream->scaler)
      + (guint32) ceil ((timestretch_latency (stream->chain.stretcher)
          + tail_frames / parts->stretch) / parts->before);
}

GstClockTime
gst_timescale_stream_end (const GstTimeScaleStream * stream, guint64 n_frames)
{
  guint64 due_frames = 0, moved_frames = n_frames;
  gdouble end_frames;

  timedsp_scaler_max_output (stream->scaler, n_frames, &due_frames);
  if (stream->chain.stretcher != NULL) {
    guint64 warm_frames = stream->chain.warm_frames / stream->parts.before;

    end_frames = gst_timescale_chain_end (&stream->chain, due_frames);
    /* what comes after that will be under the factor to come */
    moved_frames = n_frames - MIN (n_frames, warm_frames);
    if (stream->chain.warm_frames > 0)
      end_frames += moved_frames
          * (stream->factor - timepitch_factor (&stream->parts));
    due_frames = MAX (end_frames - stream->clock->frames, 0);
  }
  return gst_retro_clock_after (stream->clock, due_frames);
}

/* ---- frames -------------------------------------------------------------- */

/* Frames of input that were GAP, up to and with @buffer. */
static void
count_gap (GstTimeScaleStream * stream, GstBuffer * buffer, gsize n_frames)
{
  if (!GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_GAP))
    stream->gap_frames = 0;
  else if (stream->gap_frames < SILENCE_BEFORE)
    stream->gap_frames += n_frames;
}

gboolean
gst_timescale_stream_is_gap (GstTimeScaleStream * stream, GstBuffer * buffer)
{
  gboolean gap = GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_GAP)
      && stream->gap_frames >=
      2 * gst_timescale_stream_lookahead (stream) + LONGEST_SPAN_FRAMES;

  count_gap (stream, buffer, gst_retro_buffer_frames (buffer,
          gst_retro_filter_get_info (stream->filter)));
  return gap;
}

gboolean
gst_timescale_stream_pass (GstTimeScaleStream * stream, GstBuffer * buffer,
    GstFlowReturn * ret)
{
  const GstAudioInfo *info = gst_retro_filter_get_info (stream->filter);
  gsize n_frames = gst_retro_buffer_frames (buffer, info);

  stream->passes = stream->parts.before == 1 && stream->chain.stretcher == NULL
      && stream->status == TIMEDSP_OK
      && gst_retro_scale_pass (stream->filter, stream->scaler, buffer,
      n_frames);
  if (!stream->passes)
    return FALSE;
  stream->in_frames += n_frames;
  count_gap (stream, buffer, n_frames);
  gst_retro_buffer_drop_untrue_metas (buffer);
  gst_retro_clock_stamp (stream->clock, buffer, n_frames);
  *ret = gst_retro_filter_push (stream->filter, buffer);
  return TRUE;
}

static GstTimeScaleWork
make_work (GstTimeScaleStream * stream)
{
  GstTimeScaleWork work = {.filter = stream->filter,.clock = stream->clock,
    .scaler = stream->scaler,.warm = on_warm,.data = stream,
    .limit_frames = G_MAXUINT64
  };

  return work;
}

/* The chain hands on what comes. It may stop if nothing moves, and if the frames that it
 * would make are as many as they have to be. */
static gboolean
may_stop (gpointer data)
{
  GstTimeScaleStream *stream = data;
  gdouble place = gst_timescale_stream_place (stream);
  gdouble due = stream->line_out + (place - stream->line_in)
      * stream->line_factor;

  return !stream->moves && stream->parts.before == 1
      && stream->parts.stretch == 1 && stream->chain.warm_frames == 0
      && place == floor (place) && place >= stream->line_in
      && floor (due + ROUNDED_FRAMES) ==
      floor (gst_timescale_chain_place (&stream->chain) + ROUNDED_FRAMES);
}

/* Feeds the chain, and closes it if that has become idle. */
static GstFlowReturn
feed_chain (GstTimeScaleStream * stream, GstBuffer * buffer, gsize first,
    gsize n_frames, gboolean gap)
{
  GstTimeScaleWork work = make_work (stream);
  gsize left = 0;
  GstFlowReturn ret;

  work.original = buffer;
  work.gap = gap;
  work.idle = may_stop;
  ret = gst_timescale_chain_feed (&stream->chain, &work, first, n_frames,
      &left);
  if (ret != GST_FLOW_OK
      || !gst_timescale_chain_is_idle (&stream->chain, &work))
    return ret;
  ret = gst_timescale_chain_empty (&stream->chain, &work);
  gst_timescale_chain_close (&stream->chain);
  if (ret != GST_FLOW_OK || left == 0)
    return ret;
  return gst_retro_scale_frames (stream->filter, stream->scaler,
      stream->clock, buffer, first + n_frames - left, left, gap);
}

GstFlowReturn
gst_timescale_stream_feed (GstTimeScaleStream * stream, GstBuffer * buffer,
    gsize first, gsize n_frames, gboolean gap)
{
  if (stream->status != TIMEDSP_OK)
    return gst_retro_scale_fail (stream->filter, stream->status);
  stream->in_frames += n_frames;
  if (stream->chain.stretcher != NULL)
    return feed_chain (stream, buffer, first, n_frames, gap);
  return gst_retro_scale_frames (stream->filter, stream->scaler,
      stream->clock, buffer, first, n_frames, gap);
}

/* Frames that the output has to have, once the place is at or behind the end of the
 * input. */
static guint64
due_frames (GstTimeScaleStream * stream)
{
  gdouble left_frames = stream->in_frames - stream->line_in;
  guint64 due = 0;

  if (stream->line_in == 0 && stream->line_out == 0)
    timedsp_scaled_length (stream->in_frames, stream->line_factor, &due);
  else if (left_frames >= 0)
    due = stream->line_out + left_frames * stream->line_factor + ROUNDED_FRAMES;
  else                          /* inside a move */
    due = MAX (0, place_frames (stream) + ROUNDED_FRAMES
        - (gst_timescale_stream_place (stream) - stream->in_frames)
        * timepitch_factor (&stream->parts));
  return due;
}

/* The input goes on with silence until all that is due has left: neither of the two
 * rounds the end then. */
static GstFlowReturn
drain_chain (GstTimeScaleStream * stream)
{
  GstTimeScaleWork work = make_work (stream);
  GstFlowReturn ret = GST_FLOW_OK;
  gsize step_frames = MAX (64 / stream->parts.before, 1);

  while (ret == GST_FLOW_OK && stream->in_frames > 0
      && gst_timescale_stream_place (stream) < stream->in_frames)
    ret = gst_timescale_chain_feed_silence (&stream->chain, &work,
        MIN (step_frames, GST_TIMESCALE_CHAIN_FRAMES));
  work.limit_frames = due_frames (stream);
  while (ret == GST_FLOW_OK && stream->clock->frames < work.limit_frames)
    ret = gst_timescale_chain_feed_silence (&stream->chain, &work,
        GST_TIMESCALE_CHAIN_FRAMES);
  return ret;
}

GstFlowReturn
gst_timescale_stream_drain (GstTimeScaleStream * stream)
{
  GstFlowReturn ret;

  if (stream->chain.stretcher == NULL) {
    ret =
        gst_retro_scale_finish (stream->filter, stream->scaler, stream->clock);
    timedsp_scaler_reset (stream->scaler);
    begin (stream);
  } else {
    /* the next stream may have another window */
    ret = drain_chain (stream);
    gst_timescale_stream_forget (stream);
  }
  return ret;
}
