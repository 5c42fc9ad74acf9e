/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The output: sends what a playback says.
 */

#ifndef GST_REVBUF_OUTPUTSEGMENT_H
#define GST_REVBUF_OUTPUTSEGMENT_H

#include "common/gstretrofilter.h"
#include "revbuf/format.h"

G_BEGIN_DECLS

/* Sends caps where they are new, and the segment of @action. Returns whether
 * downstream knows no stop of it. */
gboolean gst_revbuf_output_send_segment (GstRetroFilter * filter,
    GstPad * srcpad, const TimePlayAction * action);

/* Sends the frames of @action. */
GstFlowReturn gst_revbuf_output_send_frames (GstRetroFilter * filter,
    const TimePlayAction * action);

/* Sends @event (transfer full), unless downstream has the same one: a decoder tells
 * its tags after every seek. */
void gst_revbuf_output_send_event (GstPad * srcpad, GstEvent * event);

void gst_revbuf_output_send_eos (GstPad * srcpad,
    const TimePlayAction * action);

/* Posts SEGMENT_START, if the seek that is served asks for that. */
void gst_revbuf_output_tell_segment_start (GstRetroFilter * filter,
    const TimePlayAction * action);

/* Posts and sends SEGMENT_DONE. */
void gst_revbuf_output_send_segment_done (GstRetroFilter * filter,
    GstPad * srcpad, const TimePlayAction * action);

G_END_DECLS
#endif /* GST_REVBUF_OUTPUTSEGMENT_H */
