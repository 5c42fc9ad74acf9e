/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * scalerstream: a stream on its way through a scaler, which may be replaced
 * by another between two frames, and through a stretcher and another scaler behind it
 * where the pitch is not what one scaler makes of it.
 */

#ifndef GST_TIMESCALE_SCALERSTREAM_H
#define GST_TIMESCALE_SCALERSTREAM_H

#include "timescale/scalerchain.h"

G_BEGIN_DECLS

/* What becomes of the pitch. */
typedef struct
{
  gboolean kept;                /* whatever the factor */
  gdouble semitones;            /* that it moves by, besides */
  TimeStretchWindow window;     /* of a stretcher that is made from now on */
} GstTimeScalePitch;

typedef struct
{
  GstRetroFilter *filter;
  GstRetroClock *clock;         /* of the output */
  TimeDSPScaler *scaler;        /* NULL before the first frame */
  GstTimeScaleChain chain;         /* without a stretcher until one is needed */
  TimeDSPConfig config;         /* of the scaler */
  gdouble factor;               /* that it has or comes to */
  GstTimeScalePitch pitch;      /* likewise */
  TimePitchParts parts;         /* of both, that scalers and stretcher come to */
  guint64 move_frames;          /* of input, within which a warm stretcher moves */
  TimeDSPStatus status;         /* of the last move */
  gdouble line_in, line_out;    /* frames: from here on, which lies there, … */
  gdouble line_factor;          /* … the output is as long as this says */
  guint64 in_frames;            /* of the stream, up to now */
  gboolean moves;               /* a curve will move the factor or the pitch */
  gboolean passes;              /* the last frames were handed on as they were */
  guint64 gap_frames;           /* of input that were GAP, up to now */
} GstTimeScaleStream;

void gst_timescale_stream_init (GstTimeScaleStream * stream, GstRetroFilter * filter,
    GstRetroClock * clock);

/* Drops the scaler and the stretcher and what they hold. */
void gst_timescale_stream_forget (GstTimeScaleStream * stream);

/* Whether @pitch is another than that of a tape. */
gboolean gst_timescale_pitch_is_changed (const GstTimeScalePitch * pitch);

/* Whether that is the pitch it has or comes to. */
gboolean gst_timescale_stream_has_pitch (const GstTimeScaleStream * stream,
    const GstTimeScalePitch * pitch);

/* Makes a scaler if there is none, at @factor and @pitch; else one that goes on in its
 * place if it was made for another @config. @moves: the factor will not stay. */
TimeDSPStatus gst_timescale_stream_open (GstTimeScaleStream * stream,
    const TimeDSPConfig * config, gdouble factor, const GstTimeScalePitch * pitch,
    gboolean moves);

/* Where a move begins: the next frame of the scaler is read here, in frames of the
 * stream … */
gdouble gst_timescale_stream_place (const GstTimeScaleStream * stream);

/* … and leaves at this time, after what the stretcher still holds. */
GstClockTime gst_timescale_stream_place_time (const GstTimeScaleStream * stream);

/* Frames of input beyond a position that are looked at. */
guint32 gst_timescale_stream_lookahead (const GstTimeScaleStream * stream);

/* Moves factor and pitch within @n_frames of input from the place on; returns within
 * how many: it may take more. The first time that a stretcher is needed it begins
 * later, when that has been given a window of sound. An error shows with the next
 * frame that is fed. */
guint64 gst_timescale_stream_move (GstTimeScaleStream * stream, gdouble factor,
    const GstTimeScalePitch * pitch, guint64 n_frames);

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
