/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * inputstream: normalizes the input stream.
 */

#pragma once

#include <gst/audio/audio.h>

#include "common/frameclock.h"

/* The output plays forwards. A segment with a negative rate is changed to a positive
 * rate, and each of its buffers is reversed, in the order of arrival. Every buffer is
 * inside the segment, contains whole frames, and has timestamps that follow from the
 * count of frames. DISCONT is set only at a jump in time. */
typedef struct
{
  GstAudioInfo info;            /* finfo NULL before the first caps */
  GstSegment segment;           /* as it arrived; UNDEFINED before the first one */
  GstRetroClock clock;
} GstRetroInput;

/* Whether upstream delivers the audio backwards, the last block first. */
static inline gboolean
gst_retro_input_is_flipping (const GstRetroInput * input)
{
  return input->segment.rate < 0;
}

/* Whether upstream plays backwards and its stop is not known yet. The stop is where the
 * first audio to arrive ends. */
static inline gboolean
gst_retro_input_awaits_stop (const GstRetroInput * input)
{
  return gst_retro_input_is_flipping (input)
      && !GST_CLOCK_TIME_IS_VALID (input->segment.stop);
}

/* Discards the segment, and with @caps_too also the format. */
void gst_retro_input_reset (GstRetroInput * input, gboolean caps_too);

/* Sets @info as the format of the following buffers. Time continues. */
void gst_retro_input_set_info (GstRetroInput * input, const GstAudioInfo * info);

/* Sets @segment, of TIME format, for the following buffers. */
void gst_retro_input_set_segment (GstRetroInput * input, const GstSegment * segment);

/* Whether @segment equals the current one, except for its stop and its duration. */
gboolean gst_retro_input_goes_on (const GstRetroInput * input,
    const GstSegment * segment);

/* Reports that the first audio ends at @end_ns; NONE: there was no audio. Returns TRUE if
 * the stop was unknown, so that the segment is complete only now. */
gboolean gst_retro_input_learn_stop (GstRetroInput * input, GstClockTime end_ns);

/* The end of @buffer in the time of the input segment; NONE if it has no timestamp. */
GstClockTime gst_retro_input_buffer_end (const GstRetroInput * input,
    GstBuffer * buffer);

/* Converts *@buffer (transfer full), which has arrived, to a buffer of the output, or to
 * NULL if it is outside the segment. Returns FALSE if it does not match the caps, or if
 * memory cannot be allocated; *@buffer is NULL then. */
gboolean gst_retro_input_take (GstRetroInput * input, GstBuffer ** buffer);

/* Whether the audio so far ends after the stop of its segment. This happens if timestamps
 * were inside the segment but have moved back, each time by less than a jump. */
gboolean gst_retro_input_exceeds_stop (const GstRetroInput * input);

/* Handles a gap: there is no audio in [@pts_ns, @pts_ns + @duration_ns). Converts
 * @pts_ns to the time of the output. @duration_ns NONE: the length is unknown. */
void gst_retro_input_take_gap (GstRetroInput * input, GstClockTime * pts_ns,
    GstClockTime duration_ns);
