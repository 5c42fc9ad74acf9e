/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "timescalestream.h"
#include "retrobuffer.h"

/* More than any kernel covers on either side at factor 1. */
#define LONGEST_HALF_FRAMES 144

/* A frame is made when its whole span of input has arrived. */
#define LONGEST_SPAN_FRAMES ((guint64) (1 / TIMEDSP_MIN_FACTOR))

#define NONE GST_CLOCK_TIME_NONE

/* A buffer that has been fed. Its length is kept beside it: by the time that is
 * wanted, the buffer has gone from the cache. */
typedef struct
{
  GstBuffer *buffer;
  gsize n_frames;
} PastBuffer;

static void
past_buffer_clear (gpointer item)
{
  gst_buffer_unref (((PastBuffer *) item)->buffer);
}

void
time_scale_stream_init (TimeScaleStream * stream, GstRetroFilter * filter,
    RetroClock * clock)
{
  stream->filter = filter;
  stream->clock = clock;
  stream->factor = 1;
  stream->rest_frames = NONE;
  stream->past = gst_queue_array_new_for_struct (sizeof (PastBuffer), 16);
  gst_queue_array_set_clear_func (stream->past, past_buffer_clear);
}

/* The next frame is the first of a stream. */
static void
begin (TimeScaleStream * stream)
{
  gst_queue_array_clear (stream->past);
  stream->past_frames = stream->in_frames = stream->gap_frames = 0;
  stream->passed_frames = stream->skipped_frames = 0;
  stream->rest_frames = NONE;
}

void
time_scale_stream_forget (TimeScaleStream * stream)
{
  g_clear_pointer (&stream->scaler, timedsp_scaler_free);
  stream->is_stale = FALSE;
  begin (stream);
}

void
time_scale_stream_clear (TimeScaleStream * stream)
{
  time_scale_stream_forget (stream);
  g_clear_pointer (&stream->past, gst_queue_array_free);
}

/* One of those that are kept, the oldest first; NULL behind the last. */
static const PastBuffer *
past_buffer (const TimeScaleStream * stream, guint index)
{
  return index < gst_queue_array_get_length (stream->past) ?
      gst_queue_array_peek_nth_struct (stream->past, index) : NULL;
}

static gboolean
is_config_equal (const TimeDSPConfig * a, const TimeDSPConfig * b)
{
  return a->format == b->format && a->layout == b->layout
      && a->interpolation == b->interpolation && a->channels == b->channels
      && (a->quality == b->quality || a->interpolation != TIMEDSP_SINC);
}

TimeDSPStatus
time_scale_stream_open (TimeScaleStream * stream, const TimeDSPConfig * config,
    gdouble factor)
{
  if (stream->scaler != NULL) {
    if (!is_config_equal (config, &stream->config))
      stream->is_stale = TRUE;
    stream->config = *config;
    return TIMEDSP_OK;
  }
  stream->config = *config;
  stream->factor = factor;
  return timedsp_scaler_new (config, factor, &stream->scaler);
}

gboolean
time_scale_stream_can_pass (const TimeScaleStream * stream)
{
  return stream->factor == 1 && stream->passed_frames == stream->in_frames
      && stream->rest_frames == NONE;
}

GstFlowReturn
time_scale_stream_pass (TimeScaleStream * stream, GstBuffer * buffer,
    gboolean gap)
{
  gsize n_frames = retro_buffer_frames (buffer,
      gst_retro_filter_get_info (stream->filter));

  stream->in_frames += n_frames;
  stream->passed_frames += n_frames;
  retro_buffer_drop_untrue_metas (buffer);
  if (!gap)
    GST_BUFFER_FLAG_UNSET (buffer, GST_BUFFER_FLAG_GAP);
  retro_clock_stamp (stream->clock, buffer, n_frames);
  return gst_retro_filter_push (stream->filter, gst_buffer_ref (buffer));
}

/* The scaler takes over what has gone by it: it is given what it may look back
 * at, and makes once more of it what has been heard. */
static void
catch_up (TimeScaleStream * stream)
{
  const PastBuffer *past;
  guint i;

  if (stream->passed_frames == 0)
    return;
  stream->skipped_frames = stream->in_frames - stream->past_frames;
  stream->passed_frames = 0;
  for (i = 0; (past = past_buffer (stream, i)) != NULL; i++)
    retro_scale_repeat (stream->filter, stream->scaler, past->buffer);
}

gdouble
time_scale_stream_place (const TimeScaleStream * stream)
{
  guint64 frame = 0;
  gdouble fraction = 0;

  if (stream->passed_frames > 0)
    return stream->in_frames;
  timedsp_scaler_position (stream->scaler, &frame, &fraction);
  return stream->skipped_frames + frame + fraction;
}

guint32
time_scale_stream_lookahead (const TimeScaleStream * stream)
{
  return timedsp_scaler_lookahead (stream->scaler);
}

void
time_scale_stream_move (TimeScaleStream * stream, gdouble factor,
    guint64 n_frames)
{
  catch_up (stream);
  timedsp_scaler_ramp_factor (stream->scaler, factor, n_frames);
  stream->factor = factor;
  /* until then, kernels are made as they are needed; then it is worth while to
   * have them all ready */
  stream->rest_frames = stream->in_frames + n_frames
      + 2 * timedsp_scaler_lookahead (stream->scaler);
}

GstClockTime
time_scale_stream_end (const TimeScaleStream * stream, guint64 n_frames)
{
  guint64 due_frames = 0;

  timedsp_scaler_max_output (stream->scaler, n_frames, &due_frames);
  return retro_clock_after (stream->clock, due_frames);
}

gboolean
time_scale_stream_is_gap (TimeScaleStream * stream, GstBuffer * buffer)
{
  gboolean gap;

  if (!GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_GAP)) {
    stream->gap_frames = 0;
    return FALSE;
  }
  gap = stream->gap_frames >=
      2 * timedsp_scaler_lookahead (stream->scaler) + LONGEST_SPAN_FRAMES;
  stream->gap_frames += retro_buffer_frames (buffer,
      gst_retro_filter_get_info (stream->filter));
  return gap;
}

/* Gives the new scaler what it looks back at, up to frame @first of @buffer. */
static GstFlowReturn
repeat_past (TimeScaleStream * stream, GstBuffer * buffer, gsize first)
{
  GstFlowReturn ret = GST_FLOW_OK;
  const PastBuffer *past;
  guint i;

  for (i = 0; (past = past_buffer (stream, i)) && ret == GST_FLOW_OK; i++)
    ret = retro_scale_frames (stream->filter, stream->scaler, stream->clock,
        past->buffer, 0, past->n_frames, FALSE);
  if (ret == GST_FLOW_OK && first > 0)
    ret = retro_scale_frames (stream->filter, stream->scaler, stream->clock,
        buffer, 0, first, FALSE);
  return ret;
}

/* Another scaler goes on where this one is, frame @first of @buffer being the
 * next. */
static GstFlowReturn
replace_scaler (TimeScaleStream * stream, GstBuffer * buffer, gsize first)
{
  TimeDSPScaler *scaler = NULL;
  TimeDSPStatus status =
      timedsp_scaler_new (&stream->config, stream->factor, &scaler);

  if (status == TIMEDSP_OK)
    status = timedsp_scaler_continue (scaler, stream->scaler,
        stream->in_frames - first - stream->past_frames
        - stream->skipped_frames);
  if (status != TIMEDSP_OK) {
    timedsp_scaler_free (scaler);
    return retro_scale_fail (stream->filter, status);
  }
  timedsp_scaler_free (stream->scaler);
  stream->scaler = scaler;
  stream->is_stale = FALSE;
  return repeat_past (stream, buffer, first);
}

GstFlowReturn
time_scale_stream_feed (TimeScaleStream * stream, GstBuffer * buffer,
    gsize first, gsize * n_frames, gboolean gap)
{
  GstFlowReturn ret = GST_FLOW_OK;

  catch_up (stream);
  if (stream->in_frames >= stream->rest_frames) {
    stream->rest_frames = NONE;
    if (stream->config.interpolation == TIMEDSP_SINC)
      stream->is_stale = TRUE;
  }
  if (stream->is_stale)
    ret = replace_scaler (stream, buffer, first);
  if (ret != GST_FLOW_OK)
    return ret;

  /* not beyond there, so that it does not depend on the cuts */
  *n_frames = MIN (*n_frames, stream->rest_frames - stream->in_frames);
  stream->in_frames += *n_frames;
  return retro_scale_frames (stream->filter, stream->scaler, stream->clock,
      buffer, first, *n_frames, gap);
}

GstFlowReturn
time_scale_stream_remember (TimeScaleStream * stream, GstBuffer * buffer)
{
  const GstAudioInfo *info = gst_retro_filter_get_info (stream->filter);
  gdouble least_factor = stream->passed_frames > 0
      && stream->config.interpolation == TIMEDSP_SINC ?
      TIMEDSP_MIN_FACTOR : MIN (1, stream->factor);
  gdouble needed = stream->in_frames - time_scale_stream_place (stream)
      + LONGEST_HALF_FRAMES / least_factor;
  PastBuffer past = { retro_buffer_keep (buffer, info),
    retro_buffer_frames (buffer, info)
  };
  const PastBuffer *oldest;

  if (past.buffer == NULL)
    return retro_scale_fail (stream->filter, TIMEDSP_NO_MEMORY);
  gst_queue_array_push_tail_struct (stream->past, &past);
  stream->past_frames += past.n_frames;
  for (;;) {
    oldest = gst_queue_array_peek_head_struct (stream->past);
    if (stream->past_frames - oldest->n_frames <= needed)
      return GST_FLOW_OK;
    stream->past_frames -= oldest->n_frames;
    gst_buffer_unref (oldest->buffer);
    gst_queue_array_pop_head_struct (stream->past);
  }
}

GstFlowReturn
time_scale_stream_drain (TimeScaleStream * stream)
{
  GstFlowReturn ret =
      retro_scale_finish (stream->filter, stream->scaler, stream->clock);

  timedsp_scaler_reset (stream->scaler);
  /* the factor was moving: make kernels for where it has come to */
  if (stream->rest_frames != NONE || stream->is_stale)
    g_clear_pointer (&stream->scaler, timedsp_scaler_free);
  stream->is_stale = FALSE;
  begin (stream);
  return ret;
}
