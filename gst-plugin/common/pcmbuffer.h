/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * pcmbuffer: buffers of raw audio, interleaved and planar.
 */

#pragma once

#include <gst/audio/audio.h>

/* Planes of audio like @info: 1 when interleaved, else one per channel. */
guint gst_retro_info_planes (const GstAudioInfo * info);

/* Bytes between neighbouring frames of a plane. */
gsize gst_retro_info_plane_stride (const GstAudioInfo * info);

/* A new buffer for @n_frames of @info, with a GstAudioMeta if planar; NULL if memory
 * is short. Write to @planes (out) before the buffer is shared. */
GstBuffer *gst_retro_buffer_new (const GstAudioInfo * info, gsize n_frames,
    gpointer * planes);

/* The same with @n_frames from frame @first on, in their order or @reversed; @planes has
 * the address of frame 0 in each plane. */
GstBuffer *gst_retro_buffer_new_copy (const GstAudioInfo * info,
    const gconstpointer * planes, gsize first, gsize n_frames, gboolean reversed);

/* Whether @buffer can hold audio of @info: a planar one has all of its planes, and no
 * meta describes other audio. GStreamer maps only such buffers, and warns of all
 * others. */
gboolean gst_retro_buffer_is_sound (GstBuffer * buffer, const GstAudioInfo * info);

/* Whole frames in @buffer. */
gsize gst_retro_buffer_frames (GstBuffer * buffer, const GstAudioInfo * info);

/* Drops the frames of @buffer (transfer full), sound as above, that lie outside of
 * @segment. The length of @buffer is that of its frames, not its duration, which may be
 * rounded or wrong. Up to one frame too many stays at the stop: a decoder that has already
 * clipped may have left it. Returns (transfer full) (nullable) the rest. */
GstBuffer *gst_retro_buffer_clip (GstBuffer * buffer, const GstSegment * segment,
    const GstAudioInfo * info);

/* For code that keeps audio for a while: upstream's pool may be small, and upstream may
 * wait until a buffer returns to it. Returns (transfer full) @buffer itself, or a copy if
 * its memory belongs to a pool; NULL if memory is short. */
GstBuffer *gst_retro_buffer_keep (GstBuffer * buffer, const GstAudioInfo * info);

/* Drops the metas of @buffer that are wrong once its audio has been changed. */
void gst_retro_buffer_drop_untrue_metas (GstBuffer * buffer);

/* Copies the metas of @from that stay true when a filter changes the samples: those
 * without tags, and those about audio alone. Metas that name a time or a position in
 * the buffer are not copied. */
void gst_retro_buffer_copy_metas (GstBuffer * to, GstBuffer * from);

/* Reverses the order of the frames of @buffer (transfer full): in place if the memory is
 * writable, otherwise in a new buffer. Keeps timestamps, flags, and the metas that stay
 * true. NULL if @buffer does not match @info, or memory is short. */
GstBuffer *gst_retro_buffer_reverse (GstBuffer * buffer, const GstAudioInfo * info);
