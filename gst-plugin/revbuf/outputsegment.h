/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * outputsegment: sends the segments, frames and events of a playback.
 */

#pragma once

#include "common/gstretrofilter.h"
#include "revbuf/format.h"

/* Sends caps if they are new, and the segment of @action. Returns whether the segment
 * was sent without a stop. */
gboolean gst_revbuf_output_send_segment (GstRetroFilter * filter,
    const TimePlayAction * action);

/* Sends the frames of @action. */
TimePlayFlow gst_revbuf_output_send_frames (GstRetroFilter * filter,
    const TimePlayAction * action);

/* Sends @event (transfer full), unless downstream already has an equal event: a decoder
 * repeats its tags after every seek. */
void gst_revbuf_output_send_event (GstPad * srcpad, GstEvent * event);

/* Sends @event (transfer full) with @seqnum, the number of a seek. */
gboolean gst_revbuf_output_send (GstPad * pad, GstEvent * event,
    guint32 seqnum);

/* Posts SEGMENT_START, if the seek that is being served is a segment seek. @is_open
 * (atomic): whether a SEGMENT_START still needs its SEGMENT_DONE. */
void gst_revbuf_output_tell_segment_start (GstRetroFilter * filter,
    gint * is_open, const TimePlayAction * action);

/* Posts SEGMENT_START, unless one is open already. As long as a SEGMENT_START is open, the
 * bins that contain the element post no SEGMENT_DONE. Therefore the application does not
 * see the SEGMENT_DONE messages of elements that answer a fetch. */
void gst_revbuf_output_open_segment (GstRetroFilter * filter, gint * is_open,
    const TimePlayAction * action);

/* Posts SEGMENT_DONE, if a SEGMENT_START is open. */
void gst_revbuf_output_close_segment (GstRetroFilter * filter,
    gint * is_open, gint64 position_ns, guint32 seqnum);

/* Sends EOS. After a segment seek, posts and sends SEGMENT_DONE instead. */
void gst_revbuf_output_send_end (GstRetroFilter * filter,
    gint * segment_is_open, const TimePlayAction * action);
