/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * inputstream: converts any input to an ordinary stream.
 */

#pragma once

#include <gst/audio/audio.h>

#include "common/frameclock.h"

/* The output plays forwards. A segment of negative rate becomes one of positive rate,
 * and its buffers are reversed one by one in the order of their arrival. Every buffer
 * lies inside the segment, holds whole frames, and has timestamps that follow from the
 * count of frames. DISCONT marks a jump in time and nothing else. */
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

/* Whether upstream plays backwards and its stop, where the first audio to arrive ends,
 * is not known yet. */
static inline gboolean
gst_retro_input_awaits_stop (const GstRetroInput * input)
{
  return gst_retro_input_is_flipping (input)
      && !GST_CLOCK_TIME_IS_VALID (input->segment.stop);
}

/* Forgets the segment, and the format as well if @caps_too. */
void gst_retro_input_reset (GstRetroInput * input, gboolean caps_too);

/* Buffers have format @info from now on. Time continues. */
void gst_retro_input_set_info (GstRetroInput * input, const GstAudioInfo * info);

/* Buffers belong to @segment, of TIME format, from now on. */
void gst_retro_input_set_segment (GstRetroInput * input, const GstSegment * segment);

/* Whether @segment equals the current one, except for its stop and its duration. */
gboolean gst_retro_input_goes_on (const GstRetroInput * input,
    const GstSegment * segment);

/* The first audio ends at @end_ns; NONE: no audio came. Returns TRUE if the stop has been
 * awaited: the segment is complete only now. */
gboolean gst_retro_input_learn_stop (GstRetroInput * input, GstClockTime end_ns);

/* End of @buffer in the time of the input's segment; NONE: it has no timestamp. */
GstClockTime gst_retro_input_buffer_end (const GstRetroInput * input,
    GstBuffer * buffer);

/* Converts *@buffer (transfer full), which has arrived, to that of the output, or to NULL if
 * it lies outside the segment. Returns FALSE if it does not match the caps, or memory is
 * short; *@buffer is NULL then. */
gboolean gst_retro_input_take (GstRetroInput * input, GstBuffer ** buffer);

/* Whether the audio so far ends after the stop of its segment. Every timestamp lies inside,
 * but timestamps have moved back, each time by less than a jump. */
gboolean gst_retro_input_exceeds_stop (const GstRetroInput * input);

/* There is no audio in [@pts_ns, @pts_ns + @duration_ns). Translates @pts_ns to the
 * time of the output. @duration_ns NONE: the length is unknown. */
void gst_retro_input_take_gap (GstRetroInput * input, GstClockTime * pts_ns,
    GstClockTime duration_ns);
