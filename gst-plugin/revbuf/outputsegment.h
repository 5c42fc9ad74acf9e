/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * outputsegment: sends the segments, frames and events of the seek task, and posts its
 * segment messages.
 */

#pragma once

#include "common/gstretrofilter.h"
#include "revbuf/format.h"

/* Sends caps if they are new, and the segment of @action. Returns whether the segment
 * was sent without a stop position. */
gboolean gst_revbuf_output_send_segment (GstRetroFilter * filter,
    const TimePlayAction * action);

TimePlayFlow gst_revbuf_output_send_frames (GstRetroFilter * filter,
    const TimePlayAction * action);

/* Sends @event (transfer full), unless it is sticky and downstream already has an equal one:
 * decoders repeat their tags after every seek. */
void gst_revbuf_output_send_event (GstPad * srcpad, GstEvent * event);

/* Sends @event (transfer full) with the seqnum of a seek. */
gboolean gst_revbuf_output_send (GstPad * pad, GstEvent * event,
    guint32 seqnum);

/* Posts SEGMENT_START, if @action serves a segment seek of the application. @is_open
 * (atomic): whether a posted SEGMENT_START still lacks its SEGMENT_DONE. */
void gst_revbuf_output_tell_segment_start (GstRetroFilter * filter,
    gint * is_open, const TimePlayAction * action);

/* Posts SEGMENT_START, unless one is open already. As long as it is open, the bins that
 * contain the element post no SEGMENT_DONE. This hides the SEGMENT_DONE messages of upstream
 * elements, which answer the segment seeks of fetches, from the application. */
void gst_revbuf_output_open_segment (GstRetroFilter * filter, gint * is_open,
    const TimePlayAction * action);

/* Posts SEGMENT_DONE, if a SEGMENT_START is open. */
void gst_revbuf_output_close_segment (GstRetroFilter * filter,
    gint * is_open, gint64 position_ns, guint32 seqnum);

/* Sends EOS or, after a segment seek of the application, posts and sends SEGMENT_DONE. */
void gst_revbuf_output_send_end (GstRetroFilter * filter,
    gint * segment_is_open, const TimePlayAction * action);
