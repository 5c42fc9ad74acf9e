/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * framestore: keeps frames of audio in memory up to a limit, and the rest in a temporary file.
 */

#pragma once

#include <gst/audio/audio.h>

/* Consecutive frames in memory. */
typedef struct
{
  const guint8 *const *planes;  /* address of `first_frame` in each plane */
  guint64 first_frame;
  gsize n_frames;
} GstRetroSpan;

/* Frames are stored in blocks of equal size, one plane after another. The first blocks stay in
 * memory, and later ones are written to the file once they're full. */
typedef struct
{
  GstAudioInfo info;
  guint n_planes;
  gsize stride;                 /* bytes per frame in one plane */
  gsize block_frames, block_bytes;
  goffset file_step;            /* bytes from one block in the file to the next */
  guint64 n_frames;             /* the only field for others to read */

  GPtrArray *blocks;            /* the blocks in memory */
  guint64 max_blocks;           /* limit on their number */
  guint8 *filled;               /* next block to write. NULL: not needed yet */
  guint8 *loaded;               /* last block that we read. NULL: not needed yet */
  guint64 loaded_index;         /* its index in the file. G_MAXUINT64: none */
  const guint8 **planes;        /* addresses of the last span */

  gchar *directory;             /* folder for the file */
  int fd;                       /* -1: there's no file yet */
  guint64 n_file_blocks;        /* number of blocks in the file */
  gboolean taking;              /* frames that have been read aren't needed again */
} GstRetroStore;

/**
 * gst_retro_store_new:
 * @info: format of the frames
 * @max_memory_bytes: maximum number of bytes in memory, rounded down to whole blocks of
 * about 1 MiB
 * @spill_directory: (nullable): folder for the file. NULL: the system's temporary folder
 *
 * The file is created when the frames first exceed @max_memory_bytes. Other users can't
 * open it (mode 0600, created exclusively). It has no name, so it disappears when the
 * process ends for any reason.
 */
GstRetroStore *gst_retro_store_new (const GstAudioInfo * info,
    guint64 max_memory_bytes, const gchar * spill_directory);

void gst_retro_store_free (GstRetroStore * store);

/* Discards all frames and the file. The memory is kept for new frames. */
void gst_retro_store_clear (GstRetroStore * store);

/* Number of bytes in the temporary file. */
guint64 gst_retro_store_get_spilled_bytes (const GstRetroStore * store);

/* Appends @n_frames of @buffer, starting at frame @first. If @buffer is NULL, appends silence. On
 * failure, sets @error to a sentence for the user. Frames that were stored earlier aren't
 * lost. */
gboolean gst_retro_store_append (GstRetroStore * store, GstBuffer * buffer,
    gsize first, gsize n_frames, GError ** error);

/* Sets @span to as many frames as are contiguous in memory, starting at @frame, or ending with it
 * if @backwards. @frame must be less than the number of frames in @store. @span is valid until
 * the next call on @store. On failure, sets @error as above.
 *
 * @backwards is for reading the store only once: @frame mustn't increase from one call to the
 * next, and nothing else may be read or appended before gst_retro_store_clear(). The file is
 * truncated as it's read. */
gboolean gst_retro_store_read (GstRetroStore * store, guint64 frame,
    gboolean backwards, GstRetroSpan * span, GError ** error);
