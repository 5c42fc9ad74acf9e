/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * scalerchain: a scaler with a stretcher behind it, and another scaler behind that;
 * and buffers that are pushed through all of them.
 */

#ifndef GST_TIMESCALE_SCALERCHAIN_H
#define GST_TIMESCALE_SCALERCHAIN_H

#include "common/scaler.h"
#include "timescale/scalertail.h"

G_BEGIN_DECLS

/* The scaler belongs to the stream, which may replace it between two pieces. */
typedef struct
{
  TimeStretcher *stretcher;     /* NULL: there is none */
  gpointer memory;              /* of the stretcher */
  guint8 *scratch;              /* frames between the two; silence behind them */
  gsize plane_bytes;            /* of scratch, for one plane */
  guint64 base_frames;          /* of output when the stretcher came in */
  guint64 warm_frames;          /* that it is still given before it may stretch */
  guint64 given_frames;         /* that have left it while it had no tail */
  gsize first, n_frames;        /* those of scratch that it has not taken yet */
  GstTimeScaleTail tail;        /* without a scaler until one is needed */
} GstTimeScaleChain;

/* Called by gst_timescale_chain_feed() when the stretcher has become warm: it may be
 * moved now. */
typedef TimeDSPStatus (*GstTimeScaleWarm) (gpointer data);

/* Whether the chain may stop when it hands on what comes, bit for bit. */
typedef gboolean (*GstTimeScaleIdle) (gpointer data);

/* What is pushed through the chain. */
typedef struct
{
  GstRetroFilter *filter;
  GstRetroClock *clock;
  TimeDSPScaler *scaler;
  GstTimeScaleWarm warm;
  GstTimeScaleIdle idle;        /* (nullable): never */
  gpointer data;                /* of both */
  GstBuffer *original;          /* (nullable): where metas come from */
  gboolean gap;
  guint64 limit_frames;         /* of the whole output */
} GstTimeScaleWork;

/* Makes the stretcher, at @factor. The @base_frames before it have been pushed
 * already; if there are any, it is to be warm before it stretches, lest it take them
 * for silence. */
TimeDSPStatus gst_timescale_chain_open (GstTimeScaleChain * chain,
    const GstAudioInfo * info, const TimeDSPConfig * config,
    TimeStretchWindow window, gdouble factor, guint64 base_frames);

/* Makes the scaler behind the stretcher, at @factor, if there is none. */
TimeDSPStatus gst_timescale_chain_open_tail (GstTimeScaleChain * chain,
    const GstAudioInfo * info, const TimeDSPConfig * config, gdouble factor);

void gst_timescale_chain_close (GstTimeScaleChain * chain);

/* From the next frame that the scaler makes on, stretcher and tail move to @to. */
void gst_timescale_chain_move (GstTimeScaleChain * chain,
    const TimePitchParts * from, const TimePitchParts * to,
    const TimePitchRamps * ramps);

/* Frame of the output at which the next frame that the scaler makes is heard. */
gdouble gst_timescale_chain_place (const GstTimeScaleChain * chain);

/* Frames of the whole output if the scaler makes @n_frames more, and no more come. */
gdouble gst_timescale_chain_end (const GstTimeScaleChain * chain,
    guint64 n_frames);

/* Pushes what becomes of @n_frames of the original from @first on; *@left is how many it
 * has not taken: the chain has become idle. */
GstFlowReturn gst_timescale_chain_feed (GstTimeScaleChain * chain,
    GstTimeScaleWork * work, gsize first, gsize n_frames, gsize * left);

/* Whether the chain has nothing to do any more. It looks whenever nothing is ready, so that
 * where it stops does not depend on how the input is cut. */
gboolean gst_timescale_chain_is_idle (const GstTimeScaleChain * chain,
    const GstTimeScaleWork * work);

/* Pushes all that an idle chain holds. It can be closed then. */
GstFlowReturn gst_timescale_chain_empty (GstTimeScaleChain * chain,
    GstTimeScaleWork * work);

/* Pushes what becomes of @n_frames of silence, which are at most
 * GST_TIMESCALE_CHAIN_FRAMES. */
#define GST_TIMESCALE_CHAIN_FRAMES 512
GstFlowReturn gst_timescale_chain_feed_silence (GstTimeScaleChain * chain,
    GstTimeScaleWork * work, gsize n_frames);

G_END_DECLS
#endif /* GST_TIMESCALE_SCALERCHAIN_H */
