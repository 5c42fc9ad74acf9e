/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * outputstream: sends segments, and the events that wait for them.
 */

#pragma once

#include <gst/audio/audio.h>

/* The name of a custom query, which travels upstream. timescale sets its field "repeats" to FALSE
 * if you get different frames when you seek to a position than when you play up to it. */
#define GST_RETRO_QUERY_REPEATS "retrograde-repeats"

/* The state of a source pad. Its parent's object lock guards `segment` and `position_ns`.
 * Everything else belongs to the streaming thread. */
typedef struct
{
  GstPad *pad;
  guint32 seqnum;               /* of the segments that are sent */
  gboolean segment_sent;        /* since the last segment from upstream */
  gboolean is_segment_open;     /* SEGMENT_START has been posted, and SEGMENT_DONE hasn't */
  GQueue held_events;           /* serialized events that wait for the segment */
  GstSegment segment;           /* UNDEFINED: none sent yet */
  GstClockTime position_ns;     /* in `segment`, of the next frame to be sent */
  gint64 kept_ns;               /* added to timestamps, while downstream keeps an earlier segment */
} GstRetroOutput;

void gst_retro_output_init (GstRetroOutput * output, GstPad * pad);

/* Forgets the segment and the position. The held events stay. */
void gst_retro_output_forget (GstRetroOutput * output);

/* Holds @event (transfer full) back, and returns TRUE, if it's serialized and must wait for the
 * segment. */
gboolean gst_retro_output_hold (GstRetroOutput * output, GstEvent * event);

/* Drops the held events. With @sticky_too FALSE, the sticky ones are sent instead: after a
 * flush, upstream doesn't send its tags again. */
void gst_retro_output_drop_held (GstRetroOutput * output, gboolean sticky_too);

/* A segment has arrived from upstream. We'll send its output later, with the seqnum @seqnum,
 * which normally comes from the seek that caused it. */
void gst_retro_output_expect (GstRetroOutput * output, guint32 seqnum);

/* Sends @segment, and the events that were held back for it. Call this function again to
 * change the stop of the current segment.
 *
 * If @may_open, and there's an encoder downstream, the segment is sent without a stop position,
 * or not at all if downstream has such a segment: an encoder would end its file at another.
 * Buffers then get timestamps in the segment that downstream has. Otherwise, if its applied rate
 * is negative and not -1, the audio is sent in several segments of at most a second, because
 * sinks report a wrong position in such a segment, with an error that grows with its length.
 * Returns whether the segment was sent without a stop position. */
gboolean gst_retro_output_send_segment (GstRetroOutput * output,
    const GstSegment * segment, gboolean may_open);

/* Gets the last segment that was given to gst_retro_output_send_segment(), unmodified:
 * downstream may have received it without its stop, or as several segments. Returns FALSE
 * if there's none. May be called in any thread. */
gboolean gst_retro_output_get_segment (GstRetroOutput * output,
    GstSegment * segment);

/* Posts SEGMENT_START at @position_ns, if @flags are those of a segment seek. The bin then waits
 * for our SEGMENT_DONE, which comes after the output, and with its time. */
void gst_retro_output_open_segment (GstRetroOutput * output,
    GstSegmentFlags flags, gint64 position_ns);

/* If the bin is waiting for it, posts SEGMENT_DONE after the event. */
void gst_retro_output_close_segment (GstRetroOutput * output,
    gint64 position_ns, guint32 seqnum);

/* Prepares for sending @buffer (transfer full), which ends at @end_ns in times of the output:
 * sends a new part of the segment if necessary, and advances the position. Returns the buffer
 * to be pushed. */
GstBuffer *gst_retro_output_place (GstRetroOutput * output, GstBuffer * buffer,
    GstClockTime end_ns);

/* Sends a GAP event. @duration_ns may be NONE. */
void gst_retro_output_push_gap (GstRetroOutput * output, GstClockTime pts_ns,
    GstClockTime duration_ns, GstGapFlags flags, guint32 seqnum);

/* Only sets the position, for audio that we pass through. */
void gst_retro_output_set_position (GstRetroOutput * output,
    GstClockTime end_ns);

/* Stream time of the next frame to be sent, or NONE if nothing has been sent. May be called in
 * any thread. */
GstClockTime gst_retro_output_get_position (GstRetroOutput * output);

/* Answers a SEGMENT query with the range in stream time, and with a negative rate if the audio is
 * reversed. Returns FALSE if there's no segment. */
gboolean gst_retro_output_query_segment (GstRetroOutput * output,
    GstQuery * query);

/* Returns TRUE if the element is inside an nlecomposition of GStreamer Editing Services. A
 * composition adds up the lengths of all segments, so each clip must have a single segment,
 * which stops at the end of the clip. */
gboolean gst_retro_output_is_in_composition (GstRetroOutput * output);

/* Returns TRUE if an encoder or a muxer follows that would start over with a new segment, and
 * there's no element of ours in between. */
gboolean gst_retro_output_has_encoder (GstRetroOutput * output);
