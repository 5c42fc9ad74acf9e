/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * timescalestream: a stream on its way through a scaler that may be replaced
 * by another between two frames.
 */

#ifndef GST_TIMESCALE_SCALERSTREAM_H
#define GST_TIMESCALE_SCALERSTREAM_H

#include "common/scaler.h"

G_BEGIN_DECLS

typedef struct
{
  GstRetroFilter *filter;
  GstRetroClock *clock;            /* of the output */
  TimeDSPScaler *scaler;        /* NULL before the first frame */
  TimeDSPConfig config;         /* of the scaler */
  gdouble factor;               /* that it has or comes to */
  guint64 in_frames;            /* of the stream, up to now */
  gboolean passes;              /* the last frames were handed on as they were */
  guint64 gap_frames;           /* of input that were GAP, up to now */
} GstTimeScaleStream;

void gst_timescale_stream_init (GstTimeScaleStream * stream, GstRetroFilter * filter,
    GstRetroClock * clock);

void gst_timescale_stream_clear (GstTimeScaleStream * stream);

/* Drops the scaler and what it holds. */
void gst_timescale_stream_forget (GstTimeScaleStream * stream);

/* Makes a scaler if there is none, at @factor; else one that goes on in its place
 * if it was made for another @config. */
TimeDSPStatus gst_timescale_stream_open (GstTimeScaleStream * stream,
    const TimeDSPConfig * config, gdouble factor);

/* Where the next output frame is read, in frames of the stream. */
gdouble gst_timescale_stream_place (const GstTimeScaleStream * stream);

/* Frames of input beyond a position that are looked at. */
guint32 gst_timescale_stream_lookahead (const GstTimeScaleStream * stream);

/* Moves the factor within @n_frames of input from the place on; returns within
 * how many: it may take more. */
guint64 gst_timescale_stream_move (GstTimeScaleStream * stream, gdouble factor,
    guint64 n_frames);

/* Time of the end of the output if @n_frames more of input come, and no more:
 * exact, or a frame or two late; up to twice as late inside a move. */
GstClockTime gst_timescale_stream_end (const GstTimeScaleStream * stream,
    guint64 n_frames);

/* Whether all that is made of @buffer comes from GAP frames; counts them. */
gboolean gst_timescale_stream_is_gap (GstTimeScaleStream * stream,
    GstBuffer * buffer);

/* Hands on @buffer itself, which has to be writable, where nothing would be
 * changed in it. TRUE: it is gone, with the result @ret; else it is to be scaled. */
gboolean gst_timescale_stream_pass (GstTimeScaleStream * stream,
    GstBuffer * buffer, GstFlowReturn * ret);

/* Scales @n_frames of @buffer from @first on. */
GstFlowReturn gst_timescale_stream_feed (GstTimeScaleStream * stream,
    GstBuffer * buffer, gsize first, gsize n_frames, gboolean gap);

/* The stream has ended: pushes the rest. */
GstFlowReturn gst_timescale_stream_drain (GstTimeScaleStream * stream);

G_END_DECLS
#endif /* GST_TIMESCALE_SCALERSTREAM_H */
