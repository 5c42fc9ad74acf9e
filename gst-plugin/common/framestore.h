/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * framestore: keeps frames of audio in memory, and beyond a limit in a temporary
 * file.
 */

#pragma once

#include <gst/audio/audio.h>
#include <timestore.h>

typedef TimeStoreSpan GstRetroSpan;

typedef struct _RetroStore GstRetroStore;

/**
 * gst_retro_store_new:
 * @info: format of the frames
 * @max_memory_bytes: the most that is kept in memory, rounded down to whole
 *   blocks of about 1 MiB
 * @spill_directory: (nullable): folder of the file; NULL: the system's temporary
 *   folder
 *
 * The file is created when the first block is written. No other user can open it (mode
 * 0600, created exclusively), and it has no name, so it disappears with the process,
 * however that ends. The kernel writes it in the background.
 */
GstRetroStore *gst_retro_store_new (const GstAudioInfo * info,
    guint64 max_memory_bytes, const gchar * spill_directory);

void gst_retro_store_free (GstRetroStore * store);

/* Forgets all frames. The memory is kept for the next ones. */
void gst_retro_store_clear (GstRetroStore * store);

guint64 gst_retro_store_get_frames (const GstRetroStore * store);

/* Bytes in the temporary file. */
guint64 gst_retro_store_get_spilled_bytes (const GstRetroStore * store);

/* Appends @n_frames of @buffer, of format @info, from frame @first on. On failure, @error
 * has a sentence for the user, and the frames stored before are not lost. */
gboolean gst_retro_store_append_frames (GstRetroStore * store, GstBuffer * buffer,
    const GstAudioInfo * info, gsize first, gsize n_frames, GError ** error);

/* Sets @span to the frames before @end, which is in 1 … gst_retro_store_get_frames(),
 * as many as are contiguous in memory. It is valid until the next call on @store.
 * Fails in the same way. */
gboolean gst_retro_store_peek_before (GstRetroStore * store, guint64 end,
    GstRetroSpan * span, GError ** error);

/* The same for the frames from @first on, which is less than the number of frames. */
gboolean gst_retro_store_peek_from (GstRetroStore * store, guint64 first,
    GstRetroSpan * span, GError ** error);
