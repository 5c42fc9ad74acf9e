/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * inputstream: makes an ordinary stream of whatever arrives.
 */

#ifndef GST_RETRO_INPUTSTREAM_H
#define GST_RETRO_INPUTSTREAM_H

#include <gst/audio/audio.h>

#include "common/frameclock.h"

G_BEGIN_DECLS

/**
 * GstRetroInput:
 *
 * What comes out of it plays forwards: a segment of negative rate becomes one
 * of positive rate, its buffers are turned around one by one in the order of
 * arrival. Every buffer lies inside the segment, holds whole frames and has
 * timestamps that follow from the count of frames; DISCONT marks a jump in
 * time and nothing else.
 */
typedef struct
{
  GstAudioInfo info;            /* finfo NULL before the first caps */
  GstSegment segment;           /* as it came; UNDEFINED before the first one */
  gboolean flipping;            /* it has a negative rate */
  gboolean stop_unknown;        /* … and the first audio will tell its stop */
  GstRetroClock clock;
} GstRetroInput;

/* Forgets the segment, and with @caps_too the format. */
void gst_retro_input_reset (GstRetroInput * input, gboolean caps_too);

/* From now on buffers hold @info; time goes on. */
void gst_retro_input_set_info (GstRetroInput * input, const GstAudioInfo * info);

/* From now on buffers belong to @segment, of TIME format. */
void gst_retro_input_set_segment (GstRetroInput * input, const GstSegment * segment);

/* Whether @segment is the one of now, but for its stop and its duration. */
gboolean gst_retro_input_goes_on (const GstRetroInput * input,
    const GstSegment * segment);

/* Where the stop was open in a stream that plays backwards, its first audio,
 * which ends at @end_ns (NONE: there is none), is its last. TRUE if the
 * segment is complete only now. */
gboolean gst_retro_input_learn_stop (GstRetroInput * input, GstClockTime end_ns);

/* The segment of what comes out. */
void gst_retro_input_get_forward_segment (const GstRetroInput * input,
    GstSegment * forward);

/* End of @buffer in the time of the segment that came; NONE: no timestamp. */
GstClockTime gst_retro_input_buffer_end (const GstRetroInput * input,
    GstBuffer * buffer);

/**
 * gst_retro_input_take:
 * @buffer: (inout) (transfer full): one that arrived; on return what it has
 *   become, or NULL where it lies outside the segment
 *
 * Returns: FALSE where the buffer does not hold what the caps say, or there is
 * no memory; @buffer is NULL then.
 */
gboolean gst_retro_input_take (GstRetroInput * input, GstBuffer ** buffer);

/* No audio for [@pts_ns, @pts_ns + @duration_ns): puts its start into the time
 * of what comes out. @duration_ns NONE: length not known. */
void gst_retro_input_take_gap (GstRetroInput * input, GstClockTime * pts_ns,
    GstClockTime duration_ns);

G_END_DECLS
#endif /* GST_RETRO_INPUTSTREAM_H */
