/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * scalertail: the scaler behind a stretcher, which makes the pitch lower. Its factor
 * moves when the frame that it is to move with leaves the stretcher.
 */

#ifndef GST_TIMESCALE_SCALERTAIL_H
#define GST_TIMESCALE_SCALERTAIL_H

#include <gst/audio/audio.h>
#include <timepitch.h>

G_BEGIN_DECLS

/* Frames are those of the stretcher where not said otherwise. */
typedef struct
{
  TimeDSPScaler *scaler;        /* NULL: there is none */
  guint n_planes;
  gsize stride;                 /* bytes of a frame in a plane */
  guint8 *scratch;              /* what the stretcher has given … */
  gsize first, n_frames;        /* … and the scaler has not taken yet */
  gboolean full;                /* the scaler may have more to give */
  guint64 base_frames;          /* that had left it when the scaler came in */
  guint64 in_frames;            /* that have left it */
  GQueue moves;                 /* that are still to begin */
  gdouble line_in, line_out;    /* the last move begins here, and is heard there, … */
  gdouble line_from, line_to;   /* … it leads from one factor to another … */
  gdouble line_frames;          /* … within so many frames */
} GstTimeScaleTail;

/* Makes the scaler, at @factor, which is at least 1, when @base_frames have left the
 * stretcher. */
TimeDSPStatus gst_timescale_tail_open (GstTimeScaleTail * tail,
    const GstAudioInfo * info, const TimeDSPConfig * config, gdouble factor,
    guint64 base_frames);

void gst_timescale_tail_close (GstTimeScaleTail * tail);

/* Goes on with a scaler made for @config. */
TimeDSPStatus gst_timescale_tail_continue (GstTimeScaleTail * tail,
    const TimeDSPConfig * config);

/* Frames of the output before frame @in, which is not before the last move. */
gdouble gst_timescale_tail_place (const GstTimeScaleTail * tail, gdouble in);

/* From frame @in on the factor moves to @factor within @n_frames. */
void gst_timescale_tail_move (GstTimeScaleTail * tail, gdouble in,
    gdouble factor, guint64 n_frames);

/* Whether there may be frames to give without more of the stretcher. */
gboolean gst_timescale_tail_is_ready (const GstTimeScaleTail * tail);

/* Writes up to @capacity frames of what @stretcher has ready to @planes; *@made is
 * how many. */
TimeDSPStatus gst_timescale_tail_give (GstTimeScaleTail * tail,
    TimeStretcher * stretcher, gpointer * planes, gsize capacity, gsize * made);

G_END_DECLS
#endif /* GST_TIMESCALE_SCALERTAIL_H */
