/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * spillfile: blocks of one size in a temporary file that has no name. A thread
 * of its own writes them while the next one is filled, and reads the next one
 * while one is looked at; where no thread is to be had it is done on the spot.
 * All calls come from one thread at a time.
 */

#ifndef GST_RETRO_SPILLFILE_H
#define GST_RETRO_SPILLFILE_H

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct _RetroSpill GstRetroSpill;

/**
 * gst_retro_spill_new:
 * @directory: (nullable): where the file goes; NULL: the system's temporary
 *   folder
 * @block_bytes: size of every block
 *
 * No file is made before the first block is written. It can be opened by nobody
 * else (mode 0600, created exclusively), so it is gone with the process, however
 * that ends.
 *
 * What fails does so with an error of GST_RESOURCE_ERROR and a sentence for the
 * user.
 */
GstRetroSpill *gst_retro_spill_new (const gchar * directory, gsize block_bytes);

void gst_retro_spill_free (GstRetroSpill * spill);

/* Gives the space on disk back; memory is kept for the next blocks. */
void gst_retro_spill_clear (GstRetroSpill * spill);

/* Bytes that were handed to the file. */
guint64 gst_retro_spill_get_bytes (const GstRetroSpill * spill);

/* The block that is to be written next: the same until it is. NULL: there is no
 * memory. */
guint8 *gst_retro_spill_get_filled (GstRetroSpill * spill, GError ** error);

/**
 * gst_retro_spill_write:
 * @index: where in the file: one more than that of the last call, first 0
 *
 * Begins to write the block of gst_retro_spill_get_filled(). Whether that worked is
 * told by the next call that writes or reads. Where this one fails, the block
 * can still be got.
 */
gboolean gst_retro_spill_write (GstRetroSpill * spill, guint64 index, GError ** error);

/**
 * gst_retro_spill_read:
 * @index: of a block that was written
 * @next_index: of the block that is likely to be read after it; one that was
 *   not written is none
 *
 * Returns: the block, good until the next call; NULL: it cannot be read
 */
guint8 *gst_retro_spill_read (GstRetroSpill * spill, guint64 index, guint64 next_index,
    GError ** error);

G_END_DECLS
#endif /* GST_RETRO_SPILLFILE_H */
