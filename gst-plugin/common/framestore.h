/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * framestore: keeps frames of audio in memory, and beyond a limit in a temporary
 * file.
 */

#pragma once

#include <gst/audio/audio.h>
#include <timekept.h>

typedef TimeStoreSpan GstRetroSpan;

typedef struct _RetroStore GstRetroStore;

/**
 * gst_retro_store_new:
 * @info: format of the frames
 * @max_memory_bytes: maximum number of bytes in memory, rounded down to whole blocks of
 * about 1 MiB
 * @spill_directory: (nullable): folder of the file; NULL: the temporary folder of the
 *   system
 *
 * The file is created when the frames first exceed @max_memory_bytes. Other users cannot
 * open it (mode 0600, created exclusively). It has no name, so it disappears when the
 * process ends for any reason.
 */
GstRetroStore *gst_retro_store_new (const GstAudioInfo * info,
    guint64 max_memory_bytes, const gchar * spill_directory);

void gst_retro_store_free (GstRetroStore * store);

/* Discards all frames and the file. The memory is kept for new frames. */
void gst_retro_store_clear (GstRetroStore * store);

guint64 gst_retro_store_get_frames (const GstRetroStore * store);

/* Number of bytes in the temporary file. */
guint64 gst_retro_store_get_spilled_bytes (const GstRetroStore * store);

/* Appends @n_frames of @buffer in format @info, beginning with frame @first. On failure,
 * @error is set to a sentence for the user, and frames stored earlier are not lost. */
gboolean gst_retro_store_append_frames (GstRetroStore * store, GstBuffer * buffer,
    const GstAudioInfo * info, gsize first, gsize n_frames, GError ** error);

/* Sets @span to the frames from @first on, as many as are contiguous in memory. @first must
 * be less than the number of frames in @store. @span is valid until the next call on
 * @store. On failure, @error is set as by gst_retro_store_append_frames(). */
gboolean gst_retro_store_peek_from (GstRetroStore * store, guint64 first,
    GstRetroSpan * span, GError ** error);

/* Like gst_retro_store_peek_from(), but sets @span to the frames before @end. @end must
 * be at least 1, and at most gst_retro_store_get_frames(). For reading the store
 * backwards and only once: @end must not increase from one call to the next, and
 * nothing else may be read or appended before gst_retro_store_clear(). The file is
 * truncated as it is read. */
gboolean gst_retro_store_take_before (GstRetroStore * store, guint64 end,
    GstRetroSpan * span, GError ** error);
