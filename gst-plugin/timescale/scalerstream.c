/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "timescale/scalerstream.h"
#include "common/pcmbuffer.h"

/* A frame is made when its whole span of input has arrived. */
#define LONGEST_SPAN_FRAMES ((guint64) (1 / TIMEDSP_MIN_FACTOR))

/* The beginning of a stream, as if silence had come before. */
#define SILENCE_BEFORE (G_MAXUINT64 / 2)

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
  stream->passes = FALSE;
}

void
gst_timescale_stream_forget (GstTimeScaleStream * stream)
{
  g_clear_pointer (&stream->scaler, timedsp_scaler_free);
  begin (stream);
}

void
gst_timescale_stream_clear (GstTimeScaleStream * stream)
{
  gst_timescale_stream_forget (stream);
}

static gboolean
is_config_equal (const TimeDSPConfig * a, const TimeDSPConfig * b)
{
  return a->format == b->format && a->layout == b->layout
      && a->interpolation == b->interpolation && a->channels == b->channels
      && (a->quality == b->quality || a->interpolation != TIMEDSP_SINC);
}

TimeDSPStatus
gst_timescale_stream_open (GstTimeScaleStream * stream,
    const TimeDSPConfig * config, gdouble factor)
{
  TimeDSPScaler *scaler = NULL;
  TimeDSPStatus status;

  if (stream->scaler != NULL && is_config_equal (config, &stream->config))
    return TIMEDSP_OK;
  if (stream->scaler == NULL)
    stream->factor = factor;
  status = timedsp_scaler_new (config, stream->factor, &scaler);
  if (status == TIMEDSP_OK && stream->scaler != NULL)
    status = timedsp_scaler_continue (scaler, stream->scaler);
  if (status != TIMEDSP_OK) {
    timedsp_scaler_free (scaler);
    return status;
  }
  timedsp_scaler_free (stream->scaler);
  stream->scaler = scaler;
  stream->config = *config;
  return TIMEDSP_OK;
}

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
gst_timescale_stream_pass (GstTimeScaleStream * stream, GstBuffer * buffer,
    GstFlowReturn * ret)
{
  const GstAudioInfo *info = gst_retro_filter_get_info (stream->filter);
  gsize n_frames = gst_retro_buffer_frames (buffer, info);

  stream->passes = stream->factor == 1
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

gdouble
gst_timescale_stream_place (const GstTimeScaleStream * stream)
{
  guint64 frame = 0;
  gdouble fraction = 0;

  timedsp_scaler_position (stream->scaler, &frame, &fraction);
  return frame + fraction;
}

guint32
gst_timescale_stream_lookahead (const GstTimeScaleStream * stream)
{
  return timedsp_scaler_lookahead (stream->scaler);
}

guint64
gst_timescale_stream_move (GstTimeScaleStream * stream, gdouble factor,
    guint64 n_frames)
{
  timedsp_scaler_ramp_frames (stream->scaler, factor, n_frames, &n_frames);
  timedsp_scaler_ramp_factor (stream->scaler, factor, n_frames);
  stream->factor = factor;
  return n_frames;
}

GstClockTime
gst_timescale_stream_end (const GstTimeScaleStream * stream, guint64 n_frames)
{
  guint64 due_frames = 0;

  timedsp_scaler_max_output (stream->scaler, n_frames, &due_frames);
  return gst_retro_clock_after (stream->clock, due_frames);
}

gboolean
gst_timescale_stream_is_gap (GstTimeScaleStream * stream, GstBuffer * buffer)
{
  gboolean gap = GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_GAP)
      && stream->gap_frames >=
      2 * timedsp_scaler_lookahead (stream->scaler) + LONGEST_SPAN_FRAMES;

  count_gap (stream, buffer, gst_retro_buffer_frames (buffer,
          gst_retro_filter_get_info (stream->filter)));
  return gap;
}

GstFlowReturn
gst_timescale_stream_feed (GstTimeScaleStream * stream, GstBuffer * buffer,
    gsize first, gsize n_frames, gboolean gap)
{
  stream->in_frames += n_frames;
  return gst_retro_scale_frames (stream->filter, stream->scaler, stream->clock,
      buffer, first, n_frames, gap);
}

GstFlowReturn
gst_timescale_stream_drain (GstTimeScaleStream * stream)
{
  GstFlowReturn ret =
      gst_retro_scale_finish (stream->filter, stream->scaler, stream->clock);

  timedsp_scaler_reset (stream->scaler);
  begin (stream);
  return ret;
}
