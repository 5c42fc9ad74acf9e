/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * timescalestream: a stream on its way through a scaler that may be replaced
 * by another between two frames.
 */

#ifndef TIME_SCALE_STREAM_H
#define TIME_SCALE_STREAM_H

#include "retroscale.h"

#include <gst/base/gstqueuearray.h>

G_BEGIN_DECLS

typedef struct
{
  GstRetroFilter *filter;
  RetroClock *clock;            /* of the output */
  TimeDSPScaler *scaler;        /* NULL before the first frame */
  TimeDSPConfig config;         /* wanted: that of the scaler, or of the next */
  gboolean is_stale;            /* the scaler is to be replaced */
  gdouble factor;               /* that it has or comes to */
  guint64 in_frames;            /* of the stream, up to now */
  guint64 passed_frames;        /* of them that went by the scaler: all or none */
  guint64 skipped_frames;       /* of them that it was never given */
  guint64 rest_frames;          /* of input, by which the factor rests; NONE */
  guint64 gap_frames;           /* of input that were GAP, up to now */
  GstQueueArray *past;          /* of input that another scaler looks back at */
  guint64 past_frames;
} TimeScaleStream;

void time_scale_stream_init (TimeScaleStream * stream, GstRetroFilter * filter,
    RetroClock * clock);

void time_scale_stream_clear (TimeScaleStream * stream);

/* Drops the scaler and what it holds. */
void time_scale_stream_forget (TimeScaleStream * stream);

/* Makes a scaler if there is none, at @factor; else lets it be replaced if it
 * was made for another @config. */
TimeDSPStatus time_scale_stream_open (TimeScaleStream * stream,
    const TimeDSPConfig * config, gdouble factor);

/* Where the next output frame is read, in frames of the stream. */
gdouble time_scale_stream_place (const TimeScaleStream * stream);

/* Frames of input beyond a position that are looked at. */
guint32 time_scale_stream_lookahead (const TimeScaleStream * stream);

/* Moves the factor within @n_frames of input from the place on. */
void time_scale_stream_move (TimeScaleStream * stream, gdouble factor,
    guint64 n_frames);

/* Time of the end of the output if @n_frames more of input come, and no more:
 * exact, or a frame or two late; up to twice as late inside a move. */
GstClockTime time_scale_stream_end (const TimeScaleStream * stream,
    guint64 n_frames);

/* Whether all that is made of @buffer comes from GAP frames; counts them. */
gboolean time_scale_stream_is_gap (TimeScaleStream * stream,
    GstBuffer * buffer);

/* Whether what comes next is not changed: from the beginning of a stream on, as
 * long as its factor is 1. */
gboolean time_scale_stream_can_pass (const TimeScaleStream * stream);

/* Hands on @buffer itself, which has to be writable. */
GstFlowReturn time_scale_stream_pass (TimeScaleStream * stream,
    GstBuffer * buffer, gboolean gap);

/* Scales up to *@n_frames of @buffer from @first on, and tells how many. */
GstFlowReturn time_scale_stream_feed (TimeScaleStream * stream,
    GstBuffer * buffer, gsize first, gsize * n_frames, gboolean gap);

/* All of @buffer has been fed: keeps it, or a copy, as long as that may be looked
 * at. GST_FLOW_ERROR: there is no memory, and that has been told. */
GstFlowReturn time_scale_stream_remember (TimeScaleStream * stream,
    GstBuffer * buffer);

/* The stream has ended: pushes the rest. */
GstFlowReturn time_scale_stream_drain (TimeScaleStream * stream);

G_END_DECLS
#endif /* TIME_SCALE_STREAM_H */
