/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * revbufwindow: the blocks around the frame that is heard, joined without a
 * seam.
 */

#ifndef REV_BUF_WINDOW_H
#define REV_BUF_WINDOW_H

#include "revbuftake.h"

G_BEGIN_DECLS

/**
 * RevBufBlock:
 * @take: holds the frames
 * @skip_frames: frames of @take before the block
 * @place: of the first frame, counted in frames that are really there; the
 *   frames of a window are numbered without a gap. The block fetched first has
 *   its places from the stream.
 * @first_frame, @end_frame: what the block is in the stream, by its timestamps
 * @confirmed: a take from farther back has the same beginning, or there is
 *   nothing before it: its decoder had settled
 * @at_end: the stream ends with it
 */
typedef struct
{
  RevBufTake *take;
  gsize skip_frames;
  gsize n_frames;
  gint64 place;
  gint64 first_frame, end_frame;
  gboolean confirmed;
  gboolean at_end;
} RevBufBlock;

/* Blocks in the order of the stream. */
typedef struct
{
  GQueue blocks;
} RevBufWindow;

void rev_buf_window_init (RevBufWindow * window);
void rev_buf_window_clear (RevBufWindow * window);

RevBufBlock *rev_buf_window_lowest (const RevBufWindow * window);
RevBufBlock *rev_buf_window_highest (const RevBufWindow * window);

/* The block that holds @place; NULL: none does. */
RevBufBlock *rev_buf_window_find (const RevBufWindow * window, gint64 place);

/* Blocks below and above that one. */
guint rev_buf_window_count_below (const RevBufWindow * window, gint64 place);
guint rev_buf_window_count_above (const RevBufWindow * window, gint64 place);

/* Where edge @frame of the stream is among the places; FALSE: outside. */
gboolean rev_buf_window_place_of (const RevBufWindow * window, gint64 frame,
    gint64 * place);

/* The edge of the stream that @place is; @place may lie just behind the end. */
gint64 rev_buf_window_frame_at (const RevBufWindow * window, gint64 place);

/**
 * rev_buf_window_add:
 * @take: (transfer full): done
 * @direction: BACKWARD: it goes below what is there, FORWARD: above
 * @cut: frame of @take where the block ends (BACKWARD) or begins
 *
 * The first block of a window is all of @take. One that goes above is confirmed
 * by what it was joined to.
 *
 * Returns: (transfer none): the new block
 */
RevBufBlock *rev_buf_window_add (RevBufWindow * window, RevBufTake * take,
    TimeDSPDirection direction, gsize cut);

void rev_buf_window_drop_lowest (RevBufWindow * window);
void rev_buf_window_drop_highest (RevBufWindow * window);

/* Address of the frame at @place of @block in plane @plane. */
guint8 *rev_buf_block_at (const RevBufBlock * block, guint plane, gint64 place);

G_END_DECLS
#endif /* REV_BUF_WINDOW_H */
