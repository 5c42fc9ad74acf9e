/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The block cache: the blocks around the frame that is heard, joined without a
 * seam.
 */

#ifndef GST_REVBUF_BLOCKCACHE_H
#define GST_REVBUF_BLOCKCACHE_H

#include "revbuf/fetchedrun.h"

G_BEGIN_DECLS

/**
 * GstRevBufBlock:
 * @run: holds the frames
 * @skip_frames: frames of @run before the block
 * @index: of the first frame, counted in frames that are really there; the
 *   frames of a block cache are numbered without a gap. The block fetched
 *   first has its indices from the stream.
 * @first_frame, @end_frame: what the block is in the stream, by its timestamps
 * @confirmed: a run from farther back has the same beginning, or there is
 *   nothing before it: its decoder had settled
 * @at_end: the stream ends with it
 */
typedef struct
{
  GstRevBufRun *run;
  gsize skip_frames;
  gsize n_frames;
  gint64 index;
  gint64 first_frame, end_frame;
  gboolean confirmed;
  gboolean at_end;
} GstRevBufBlock;

/* Blocks in the order of the stream. */
typedef struct
{
  GQueue blocks;
} GstRevBufBlockCache;

void gst_revbuf_block_cache_init (GstRevBufBlockCache * cache);
void gst_revbuf_block_cache_clear (GstRevBufBlockCache * cache);

GstRevBufBlock *
    gst_revbuf_block_cache_lowest (const GstRevBufBlockCache * cache);
GstRevBufBlock *
    gst_revbuf_block_cache_highest (const GstRevBufBlockCache * cache);

/* The block that holds @index; NULL: none does. */
GstRevBufBlock *gst_revbuf_block_cache_find (const GstRevBufBlockCache * cache,
    gint64 index);

/* Blocks below and above that one. */
guint gst_revbuf_block_cache_count_below (const GstRevBufBlockCache * cache,
    gint64 index);
guint gst_revbuf_block_cache_count_above (const GstRevBufBlockCache * cache,
    gint64 index);

/* Where boundary @frame of the stream is among the indices; FALSE: outside. */
gboolean gst_revbuf_block_cache_index_of (const GstRevBufBlockCache * cache,
    gint64 frame, gint64 * index);

/* The boundary of the stream that @index is; @index may lie just behind the
 * end. */
gint64 gst_revbuf_block_cache_frame_at (const GstRevBufBlockCache * cache,
    gint64 index);

/**
 * gst_revbuf_block_cache_add:
 * @run: (transfer full): done
 * @direction: BACKWARD: it goes below what is there, FORWARD: above
 * @cut: frame of @run where the block ends (BACKWARD) or begins
 *
 * The first block of the cache is all of @run. A block that goes above is
 * confirmed by its neighbour below.
 *
 * Returns: (transfer none): the new block
 */
GstRevBufBlock *gst_revbuf_block_cache_add (GstRevBufBlockCache * cache,
    GstRevBufRun * run, TimeDSPDirection direction, gsize cut);

void gst_revbuf_block_cache_drop_lowest (GstRevBufBlockCache * cache);
void gst_revbuf_block_cache_drop_highest (GstRevBufBlockCache * cache);

/* Address of the frame at @index of @block in plane @plane. */
guint8 *gst_revbuf_block_at (const GstRevBufBlock * block, guint plane,
    gint64 index);

G_END_DECLS
#endif /* GST_REVBUF_BLOCKCACHE_H */
