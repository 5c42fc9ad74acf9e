/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * revbufseam: how a take fits to the block beside it.
 */

#ifndef REV_BUF_SEAM_H
#define REV_BUF_SEAM_H

#include "revbufwindow.h"

G_BEGIN_DECLS

/**
 * RevBufSeam:
 * @REV_BUF_SEAM_EQUAL: the overlap is the same, where it was planned
 * @REV_BUF_SEAM_SHIFTED: the overlap is the same at another place
 * @REV_BUF_SEAM_UNEQUAL: the two takes differ
 */
typedef enum
{
  REV_BUF_SEAM_EQUAL,
  REV_BUF_SEAM_SHIFTED,
  REV_BUF_SEAM_UNEQUAL
} RevBufSeam;

/**
 * rev_buf_seam_find:
 * @block: beside which @take is to go, @direction of it
 * @limits: overlap_frames are compared, search_frames is the farthest shift
 * @cut: (out): the frame of @take where its own block ends (BACKWARD) or begins
 *
 * Compares bytes.
 */
RevBufSeam rev_buf_seam_find (const RevBufTake * take,
    const RevBufBlock * block, TimeDSPDirection direction,
    const TimeDSPFetchLimits * limits, gsize * cut);

/**
 * RevBufDifference:
 * @error: relative difference of two takes (see timedsp_align_take())
 * @alike: both are takes of the same audio (see timedsp_are_alike())
 *
 * 0 and FALSE where nothing could be compared.
 */
typedef struct
{
  gdouble error;
  int alike;
} RevBufDifference;

/**
 * rev_buf_seam_blend:
 * @only_alike: nothing is done to takes that are not alike
 * @difference: (out): of the two
 *
 * For takes that differ: finds where they fit best, and fades between them
 * over some milliseconds of the overlap, inside @block (BACKWARD) or at its
 * end. Where there is no overlap or no memory to work with, @cut is where it was
 * planned, and nothing is faded.
 */
void rev_buf_seam_blend (const RevBufTake * take, RevBufBlock * block,
    TimeDSPDirection direction, const TimeDSPFetchLimits * limits,
    gboolean only_alike, gsize * cut, RevBufDifference * difference);

/* Frames of a fade at @rate. */
gsize rev_buf_seam_fade_frames (guint rate);

G_END_DECLS
#endif /* REV_BUF_SEAM_H */
