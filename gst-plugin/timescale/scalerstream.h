/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * scalerstream: buffers on their way through a TimeChain, which decides what becomes of
 * their frames.
 */

#pragma once

#include "common/gstretrofilter.h"

#include <timechain.h>

typedef struct
{
  GstRetroFilter *filter;
  GstRetroClock *clock;         /* of the output */
  TimeChain *chain;             /* NULL before the first frame */
} GstTimeScaleStream;

/* What the chain does; zeros if there is none. */
TimeChainState gst_timescale_stream_get_state (const GstTimeScaleStream * stream);

/* Whether all that is made of @buffer comes from GAP frames; counts them. */
gboolean gst_timescale_stream_is_gap (GstTimeScaleStream * stream,
    GstBuffer * buffer);

/* Hands on @buffer itself, which has to be writable, where nothing would be
 * changed in it. TRUE: it is gone, with the result @ret; else it is to be scaled. */
gboolean gst_timescale_stream_pass (GstTimeScaleStream * stream,
    GstBuffer * buffer, GstFlowReturn * ret);

/* Scales @n_frames of @buffer from @first on, and pushes the result, stamped by the clock,
 * with the metas that stay true. @gap: set the GAP flag. */
GstFlowReturn gst_timescale_stream_feed (GstTimeScaleStream * stream,
    GstBuffer * buffer, gsize first, gsize n_frames, gboolean gap);

/* The same for all frames of @store. */
GstFlowReturn gst_timescale_stream_feed_store (GstTimeScaleStream * stream,
    GstRetroStore * store);

/* The stream has ended: pushes the rest. */
GstFlowReturn gst_timescale_stream_drain (GstTimeScaleStream * stream);

/* Posts an error message that explains @status. Returns GST_FLOW_ERROR. */
GstFlowReturn gst_timescale_stream_fail (GstTimeScaleStream * stream,
    TimeDSPStatus status);
