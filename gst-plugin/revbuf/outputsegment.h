/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The output: sends what a playback says.
 */

#pragma once

#include "common/gstretrofilter.h"
#include "revbuf/format.h"

/* Sends caps where they are new, and the segment of @action. Returns whether
 * downstream knows no stop of it. */
gboolean gst_revbuf_output_send_segment (GstRetroFilter * filter,
    const TimePlayAction * action);

/* Sends the frames of @action. */
TimePlayFlow gst_revbuf_output_send_frames (GstRetroFilter * filter,
    const TimePlayAction * action);

/* Sends @event (transfer full), unless downstream has the same one: a decoder tells
 * its tags after every seek. */
void gst_revbuf_output_send_event (GstPad * srcpad, GstEvent * event);

/* Sends @event (transfer full) in the name of the seek of @seqnum. */
gboolean gst_revbuf_output_send (GstPad * pad, GstEvent * event,
    guint32 seqnum);

/* Posts SEGMENT_START, if the seek that is served asks for that. @is_open (atomic): that
 * message waits for its end. */
void gst_revbuf_output_tell_segment_start (GstRetroFilter * filter,
    gint * is_open, const TimePlayAction * action);

/* Posts SEGMENT_START, unless that message waits for its end already: the bins above post no
 * SEGMENT_DONE before that, so no application sees those of the elements that fetch. */
void gst_revbuf_output_open_segment (GstRetroFilter * filter, gint * is_open,
    const TimePlayAction * action);

/* Posts SEGMENT_DONE, if a SEGMENT_START waits for it. */
void gst_revbuf_output_close_segment (GstRetroFilter * filter,
    gint * is_open, gint64 position_ns, guint32 seqnum);

/* Sends EOS, or posts and sends SEGMENT_DONE, if the seek asks for that. */
void gst_revbuf_output_send_end (GstRetroFilter * filter,
    gint * segment_is_open, const TimePlayAction * action);
