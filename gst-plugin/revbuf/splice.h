/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The splice: how a fetched run fits to the block beside it.
 */

#ifndef GST_REVBUF_SPLICE_H
#define GST_REVBUF_SPLICE_H

#include "revbuf/blockcache.h"

G_BEGIN_DECLS

/**
 * GstRevBufSplice:
 * @GST_REVBUF_SPLICE_EQUAL: the overlap is the same, where it was planned
 * @GST_REVBUF_SPLICE_SHIFTED: the overlap is the same at another place
 * @GST_REVBUF_SPLICE_UNEQUAL: the two runs differ
 */
typedef enum
{
  GST_REVBUF_SPLICE_EQUAL,
  GST_REVBUF_SPLICE_SHIFTED,
  GST_REVBUF_SPLICE_UNEQUAL
} GstRevBufSplice;

/**
 * gst_revbuf_splice_find:
 * @block: beside which @run is to go, @direction of it
 * @limits: overlap_frames are compared, search_frames is the farthest shift
 * @cut: (out): the frame of @run where its own block ends (BACKWARD) or begins
 *
 * Compares bytes.
 */
GstRevBufSplice gst_revbuf_splice_find (const GstRevBufRun * run,
    const GstRevBufBlock * block, TimeDSPDirection direction,
    const TimeDSPFetchLimits * limits, gsize * cut);

/**
 * GstRevBufDifference:
 * @error: relative difference of two runs (see timedsp_align_take())
 * @alike: both are runs of the same audio (see timedsp_are_alike())
 *
 * 0 and FALSE where nothing could be compared.
 */
typedef struct
{
  gdouble error;
  int alike;
} GstRevBufDifference;

/**
 * gst_revbuf_splice_blend:
 * @only_alike: nothing is done to takes that are not alike
 * @difference: (out): of the two
 *
 * For runs that differ: finds where they fit best, and fades between them over
 * some milliseconds of the overlap, inside @block (BACKWARD) or at its end.
 * Where there is no overlap or no memory to work with, @cut is where it was
 * planned, and nothing is faded.
 */
void gst_revbuf_splice_crossfade (const GstRevBufRun * run,
    GstRevBufBlock * block, TimeDSPDirection direction,
    const TimeDSPFetchLimits * limits, gboolean only_alike, gsize * cut,
    GstRevBufDifference * difference);

/* Frames of a fade at @rate. */
gsize gst_revbuf_splice_fade_frames (guint rate);

G_END_DECLS
#endif /* GST_REVBUF_SPLICE_H */
