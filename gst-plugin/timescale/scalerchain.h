/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * scalerchain: a scaler with a stretcher behind it, and buffers that are pushed
 * through both.
 */

#ifndef GST_TIMESCALE_SCALERCHAIN_H
#define GST_TIMESCALE_SCALERCHAIN_H

#include "common/scaler.h"

#include <timepitch.h>

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
  gsize first, n_frames;        /* those of scratch that it has not taken yet */
} GstTimeScaleChain;

/* Called by gst_timescale_chain_feed() when the stretcher has become warm: it may be
 * moved now. */
typedef TimeDSPStatus (*GstTimeScaleWarm) (gpointer data);

/* What is pushed through the chain. */
typedef struct
{
  GstRetroFilter *filter;
  GstRetroClock *clock;
  TimeDSPScaler *scaler;
  GstTimeScaleWarm warm;
  gpointer warm_data;
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

void gst_timescale_chain_close (GstTimeScaleChain * chain);

/* A new stream begins, at @factor. */
void gst_timescale_chain_reset (GstTimeScaleChain * chain, gdouble factor);

/* Frame of the output at which the next frame that the scaler makes is heard. */
gdouble gst_timescale_chain_place (const GstTimeScaleChain * chain);

/* Pushes what becomes of @n_frames of the original from @first on. */
GstFlowReturn gst_timescale_chain_feed (GstTimeScaleChain * chain,
    GstTimeScaleWork * work, gsize first, gsize n_frames);

/* Pushes what becomes of @n_frames of silence, which are at most
 * GST_TIMESCALE_CHAIN_FRAMES. */
#define GST_TIMESCALE_CHAIN_FRAMES 512
GstFlowReturn gst_timescale_chain_feed_silence (GstTimeScaleChain * chain,
    GstTimeScaleWork * work, gsize n_frames);

G_END_DECLS
#endif /* GST_TIMESCALE_SCALERCHAIN_H */
