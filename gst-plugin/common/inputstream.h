/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * inputstream: normalizes the input stream.
 */

#pragma once

#include <gst/audio/audio.h>

#include "common/frameclock.h"

/* The state of the normalization. Normalized buffers play forwards: if the rate of the segment is
 * negative, each buffer is reversed, but the buffers stay in order. Every normalized buffer is
 * inside the segment and contains whole frames. Its timestamp is computed from the number of
 * frames before it, and DISCONT is set only at the start and at a jump in time. */
typedef struct
{
  GstAudioInfo info;            /* `finfo` is NULL before the first caps */
  GstSegment segment;           /* as it arrived. UNDEFINED before the first one */
  GstRetroClock clock;
} GstRetroInput;

/* Returns TRUE if upstream delivers the audio backwards, the last block first. */
static inline gboolean
gst_retro_input_is_flipping (const GstRetroInput * input)
{
  return input->segment.rate < 0;
}

/* Returns TRUE if upstream plays backwards and its segment has no stop yet. Upstream sends the
 * last block first, so the stop will be the end of the first buffer. */
static inline gboolean
gst_retro_input_awaits_stop (const GstRetroInput * input)
{
  return gst_retro_input_is_flipping (input)
      && input->segment.format == GST_FORMAT_TIME
      && !GST_CLOCK_TIME_IS_VALID (input->segment.stop);
}

/* Discards the segment, and the format too if @caps_too. */
void gst_retro_input_reset (GstRetroInput * input, gboolean caps_too);

/* Sets the format of the following buffers. The clock keeps its time. */
void gst_retro_input_set_info (GstRetroInput * input,
    const GstAudioInfo * info);

/* Sets the segment of the following buffers. */
void gst_retro_input_set_segment (GstRetroInput * input,
    const GstSegment * segment);

/* If gst_retro_input_awaits_stop(), sets the stop to @end_ns, the end of the first audio, or to
 * the start if there was no audio (NONE). Returns whether it set the stop. */
gboolean gst_retro_input_learn_stop (GstRetroInput * input,
    GstClockTime end_ns);

/* The end of @buffer in the time of the input segment, or NONE if it has no timestamp. */
GstClockTime gst_retro_input_buffer_end (const GstRetroInput * input,
    GstBuffer * buffer);

/* Normalizes *@buffer (transfer full), except for its times, offsets and flags. The clock tells you
 * the time of its first frame, and if a run begins there. Sets *@n_frames. You have to advance the
 * clock by that many frames yourself, or stamp the buffer with it. Sets *@buffer to NULL and
 * returns TRUE if all of it is outside the segment. Sets it to NULL and returns FALSE if it
 * doesn't match the caps, or if memory can't be allocated. */
gboolean gst_retro_input_accept (GstRetroInput * input, GstBuffer ** buffer,
    gsize * n_frames);

/* Handles a gap: there's no audio in [*@pts_ns, *@pts_ns + @duration_ns). Sets *@pts_ns to the
 * start of the gap in normalized time. @duration_ns may be NONE if the length is unknown. */
void gst_retro_input_take_gap (GstRetroInput * input, GstClockTime * pts_ns,
    GstClockTime duration_ns);
