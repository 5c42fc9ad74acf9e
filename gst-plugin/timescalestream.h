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

G_BEGIN_DECLS

typedef struct
{
  GstRetroFilter *filter;
  RetroClock *clock;            /* of the output */
  TimeDSPScaler *scaler;        /* NULL before the first frame */
  TimeDSPConfig config;         /* of the scaler */
  gdouble factor;               /* that it has or comes to */
  guint64 in_frames;            /* of the stream, up to now */
  gboolean passes;              /* the last frames were handed on as they were */
  guint64 gap_frames;           /* of input that were GAP, up to now */
} TimeScaleStream;

void time_scale_stream_init (TimeScaleStream * stream, GstRetroFilter * filter,
    RetroClock * clock);

void time_scale_stream_clear (TimeScaleStream * stream);

/* Drops the scaler and what it holds. */
void time_scale_stream_forget (TimeScaleStream * stream);

/* Makes a scaler if there is none, at @factor; else one that goes on in its place
 * if it was made for another @config. */
TimeDSPStatus time_scale_stream_open (TimeScaleStream * stream,
    const TimeDSPConfig * config, gdouble factor);

/* Where the next output frame is read, in frames of the stream. */
gdouble time_scale_stream_place (const TimeScaleStream * stream);

/* Frames of input beyond a position that are looked at. */
guint32 time_scale_stream_lookahead (const TimeScaleStream * stream);

/* Moves the factor within @n_frames of input from the place on; returns within
 * how many: it may take more. */
guint64 time_scale_stream_move (TimeScaleStream * stream, gdouble factor,
    guint64 n_frames);

/* Time of the end of the output if @n_frames more of input come, and no more:
 * exact, or a frame or two late; up to twice as late inside a move. */
GstClockTime time_scale_stream_end (const TimeScaleStream * stream,
    guint64 n_frames);

/* Whether all that is made of @buffer comes from GAP frames; counts them. */
gboolean time_scale_stream_is_gap (TimeScaleStream * stream,
    GstBuffer * buffer);

/* Hands on @buffer itself, which has to be writable, where nothing would be
 * changed in it. TRUE: it is gone, with the result @ret; else it is to be scaled. */
gboolean time_scale_stream_pass (TimeScaleStream * stream,
    GstBuffer * buffer, GstFlowReturn * ret);

/* Scales @n_frames of @buffer from @first on. */
GstFlowReturn time_scale_stream_feed (TimeScaleStream * stream,
    GstBuffer * buffer, gsize first, gsize n_frames, gboolean gap);

/* The stream has ended: pushes the rest. */
GstFlowReturn time_scale_stream_drain (TimeScaleStream * stream);

G_END_DECLS
#endif /* TIME_SCALE_STREAM_H */
