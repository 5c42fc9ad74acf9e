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
 * @directory: (nullable): folder of the file; NULL: the system's temporary folder
 * @block_bytes: size of every block
 *
 * The file is created when the first block is written. Nobody else can open it (mode
 * 0600, created exclusively), and it has no name, so it disappears with the process,
 * however that ends.
 *
 * Functions that fail set an error of GST_RESOURCE_ERROR with a sentence for the
 * user.
 */
GstRetroSpill *gst_retro_spill_new (const gchar * directory, gsize block_bytes);

void gst_retro_spill_free (GstRetroSpill * spill);

/* Releases the space on disk. The memory is kept for the next blocks. */
void gst_retro_spill_clear (GstRetroSpill * spill);

/* Bytes that were given to the file. */
guint64 gst_retro_spill_get_bytes (const GstRetroSpill * spill);

/* The block to fill, which gst_retro_spill_write() will write. NULL: memory is
 * short. */
guint8 *gst_retro_spill_get_filled (GstRetroSpill * spill, GError ** error);

/**
 * gst_retro_spill_write:
 * @index: where in the file: one more than that of the last call, first 0
 *
 * Starts to write the block of gst_retro_spill_get_filled(). If that fails, the next
 * call that writes or reads reports the error. If this call itself fails, the block
 * is still there.
 */
gboolean gst_retro_spill_write (GstRetroSpill * spill, guint64 index, GError ** error);

/**
 * gst_retro_spill_read:
 * @index: of a block that was written
 * @next_index: of the block that is likely to be read next; ignored if it was not
 *   written
 *
 * Returns: the block, valid until the next call; NULL: it cannot be read
 */
guint8 *gst_retro_spill_read (GstRetroSpill * spill, guint64 index, guint64 next_index,
    GError ** error);

G_END_DECLS
#endif /* GST_RETRO_SPILLFILE_H */
