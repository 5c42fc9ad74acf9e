/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * pcmbuffer: buffers of raw audio, interleaved and planar.
 */

#pragma once

#include <gst/audio/audio.h>
#include <timedsp.h>

/* Number of planes for audio of @info: 1 if interleaved, otherwise one per channel. */
guint gst_retro_info_planes (const GstAudioInfo * info);

/* Number of bytes from one frame to the next in a plane. */
gsize gst_retro_info_plane_stride (const GstAudioInfo * info);

/* Sets @format to the format of @info. Returns FALSE if the DSP doesn't support it. */
gboolean gst_retro_info_dsp_format (const GstAudioInfo * info,
    TimeDSPFormat * format);

/* A new buffer for @n_frames of @info, with a GstAudioMeta if planar, or NULL if memory can't be
 * allocated. Sets @planes to the addresses of the planes. You may write to them until the buffer
 * is shared. */
GstBuffer *gst_retro_buffer_new (const GstAudioInfo * info, gsize n_frames,
    gpointer * planes);

/* Like gst_retro_buffer_new(), but copies @n_frames into the buffer, starting at frame @first, in
 * reverse order if @reversed. @planes: address of frame 0 in each plane. */
GstBuffer *gst_retro_buffer_new_copy (const GstAudioInfo * info,
    const gconstpointer * planes, gsize first, gsize n_frames,
    gboolean reversed);

/* Returns TRUE if @buffer is valid for audio of @info: a planar buffer must have all planes, and
 * its GstAudioMeta must agree with @info. GStreamer only maps valid buffers, and warns about
 * others. */
gboolean gst_retro_buffer_is_sound (GstBuffer * buffer,
    const GstAudioInfo * info);

/* Number of whole frames in @buffer. */
gsize gst_retro_buffer_frames (GstBuffer * buffer, const GstAudioInfo * info);

/* Drops the frames of @buffer (transfer full) that are outside @segment. @buffer must be valid,
 * see gst_retro_buffer_is_sound(). We go by the number of frames and ignore the duration, because
 * it may be rounded or wrong. One frame after the stop is kept, because a decoder that clips the
 * audio itself may leave it there. Returns (transfer full) (nullable) what's left. */
GstBuffer *gst_retro_buffer_clip (GstBuffer * buffer,
    const GstSegment * segment, const GstAudioInfo * info);

/* Copies the metas of @from that stay valid when a filter changes the samples: metas without
 * tags, and metas whose only tag is GST_META_TAG_AUDIO_STR. Metas that contain a position in the
 * buffer aren't copied. A reference timestamp is only copied if the first frame stays the
 * first. */
void gst_retro_buffer_copy_metas (GstBuffer * to, GstBuffer * from,
    gboolean keeps_first_frame);

/* Reverses the order of the frames of @buffer (transfer full): in place if the memory is
 * writable, otherwise in a new buffer. Keeps timestamps, flags, and the metas that stay
 * valid. NULL if @buffer doesn't match @info, or if memory can't be allocated. */
GstBuffer *gst_retro_buffer_reverse (GstBuffer * buffer,
    const GstAudioInfo * info);
