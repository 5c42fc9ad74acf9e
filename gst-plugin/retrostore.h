/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * retrostore: keeps frames of audio, first in memory, beyond a limit in one
 * temporary file that has no name.
 */

#ifndef RETRO_STORE_H
#define RETRO_STORE_H

#include <gst/audio/audio.h>

G_BEGIN_DECLS

#define RETRO_STORE_DEFAULT_MAX_MEMORY_BYTES (G_GUINT64_CONSTANT (64) << 20)

typedef struct _RetroStore RetroStore;

/**
 * RetroSpan:
 *
 * Neighbouring frames of a store, as they lie in memory.
 */
typedef struct
{
  const guint8 *const *planes;  /* address of `first_frame` in each plane */
  guint64 first_frame;
  gsize n_frames;
} RetroSpan;

/**
 * retro_store_new:
 * @info: what the frames are
 * @max_memory_bytes: most that is kept in memory, rounded down to whole
 *   blocks of about 1 MiB; three more blocks serve the file
 * @spill_directory: (nullable): where the file goes; NULL: the system's
 *   temporary folder
 *
 * The file is that of retrospill.h.
 */
RetroStore *retro_store_new (const GstAudioInfo * info,
    guint64 max_memory_bytes, const gchar * spill_directory);

void retro_store_free (RetroStore * store);

/* Forgets the frames; memory is kept for the next ones. */
void retro_store_clear (RetroStore * store);

guint64 retro_store_get_frames (const RetroStore * store);

/* Bytes in the temporary file. */
guint64 retro_store_get_spilled_bytes (const RetroStore * store);

/**
 * retro_store_append:
 * @planes: addresses of the new frames, one per plane
 *
 * On failure @error is of GST_RESOURCE_ERROR with a sentence for the user, and
 * the frames stored before are still there.
 */
gboolean retro_store_append (RetroStore * store, const gpointer * planes,
    gsize n_frames, GError ** error);

/**
 * retro_store_peek_before:
 * @end: a frame index in 1 … retro_store_get_frames()
 * @span: (out): the frames before @end, as many as lie in one piece
 *
 * @span is good until the next call on @store. Fails as
 * retro_store_append() does.
 */
gboolean retro_store_peek_before (RetroStore * store, guint64 end,
    RetroSpan * span, GError ** error);

/* The same from frame @first on, which is less than the number of frames. */
gboolean retro_store_peek_from (RetroStore * store, guint64 first,
    RetroSpan * span, GError ** error);

G_END_DECLS
#endif /* RETRO_STORE_H */
