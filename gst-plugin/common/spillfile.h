/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * spillfile: blocks of one size in a temporary file that has no name.
 */

#ifndef GST_RETRO_SPILLFILE_H
#define GST_RETRO_SPILLFILE_H

#include <gst/gst.h>

G_BEGIN_DECLS

/**
 * GstRetroSpill:
 *
 * The file is created when the first block is written. Nobody else can open it (mode
 * 0600, created exclusively), and it has no name, so it disappears with the process,
 * however that ends. The kernel writes it in the background.
 */
typedef struct
{
  gchar *directory;
  gsize block_bytes;
  int fd;                       /* -1: none yet */
  guint64 n_blocks;             /* that were written */
} GstRetroSpill;

/* @directory: (nullable): folder of the file; NULL: the system's temporary folder */
void gst_retro_spill_init (GstRetroSpill * spill, const gchar * directory,
    gsize block_bytes);

/* Closes the file, and so releases its space on disk. */
void gst_retro_spill_close (GstRetroSpill * spill);

/* Appends @block. On failure, @error is of GST_RESOURCE_ERROR with a sentence for the
 * user. */
gboolean gst_retro_spill_write (GstRetroSpill * spill, const guint8 * block,
    GError ** error);

/* Reads block @index into @block. @next_index: of the block that is likely to be read
 * next. Fails as gst_retro_spill_write() does. */
gboolean gst_retro_spill_read (GstRetroSpill * spill, guint64 index, guint8 * block,
    guint64 next_index, GError ** error);

G_END_DECLS
#endif /* GST_RETRO_SPILLFILE_H */
