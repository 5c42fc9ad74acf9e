/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * pcmbuffer: GstBuffers of raw audio in both layouts.
 */

#ifndef GST_RETRO_PCMBUFFER_H
#define GST_RETRO_PCMBUFFER_H

#include <gst/audio/audio.h>

G_BEGIN_DECLS

/* Planes of audio like @info: 1 when interleaved, else one per channel. */
guint gst_retro_info_planes (const GstAudioInfo * info);

/* Bytes between neighbouring frames of a plane. */
gsize gst_retro_info_plane_stride (const GstAudioInfo * info);

/* A new buffer for @n_frames like @info, with GstAudioMeta where planar;
 * NULL where there is no memory for it. */
GstBuffer *gst_retro_buffer_new (const GstAudioInfo * info, gsize n_frames);

/* Whether @buffer can be audio like @info: has planes where @info has, all of
 * which are there, and no meta that tells of other audio. GStreamer maps only
 * such buffers, and complains about all others. */
gboolean gst_retro_buffer_is_sound (GstBuffer * buffer, const GstAudioInfo * info);

/* Frames in @buffer; a last partial frame does not count. */
gsize gst_retro_buffer_frames (GstBuffer * buffer, const GstAudioInfo * info);

/**
 * gst_retro_buffer_clip:
 * @buffer: (transfer full): sound audio like @info, whole frames
 *
 * Drops what lies outside of @segment. How long @buffer is, its frames say, and
 * not its duration, which may be rounded, or wrong. At the stop, up to one frame
 * too many is left: a decoder that has clipped may have left it.
 *
 * Returns: (transfer full) (nullable): what is left
 */
GstBuffer *gst_retro_buffer_clip (GstBuffer * buffer, const GstSegment * segment,
    const GstAudioInfo * info);

/**
 * gst_retro_buffer_keep:
 * For who keeps audio for a while: upstream may have few buffers, and wait for
 * one of them.
 *
 * Returns: (transfer full) (nullable): @buffer itself, or a copy of one like
 * @info that goes back to a pool; NULL where there is no memory for it.
 */
GstBuffer *gst_retro_buffer_keep (GstBuffer * buffer, const GstAudioInfo * info);

/* Drops the metas of @buffer that are not true of what becomes of it. */
void gst_retro_buffer_drop_untrue_metas (GstBuffer * buffer);

/* Copies to @to what metas of @from stay true when its samples are handled as
 * a filter does: those without tags or about audio alone. What tells a moment
 * or a place inside the buffer is left behind. */
void gst_retro_buffer_copy_metas (GstBuffer * to, GstBuffer * from);

/**
 * gst_retro_buffer_reverse:
 * @buffer: (transfer full): audio like @info, whole frames
 *
 * Turns the frames around, in place where the memory is writable, else into a
 * new buffer. Timestamps and flags are kept, metas as far as they stay true.
 *
 * Returns: (transfer full) (nullable): the reversed buffer; NULL where it
 * could not be mapped as @info says or there is no memory.
 */
GstBuffer *gst_retro_buffer_reverse (GstBuffer * buffer, const GstAudioInfo * info);

G_END_DECLS
#endif /* GST_RETRO_PCMBUFFER_H */
