/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * outputstream: sends segments, and the events that have to wait for them.
 */

#pragma once

#include "common/inputstream.h"

/* The name of a custom query that goes upstream. timescale sets its field "repeats" to FALSE if
 * you get different frames when you seek to a position than when you play up to it. */
#define GST_RETRO_QUERY_REPEATS "retrograde-repeats"

/* The state of a source pad. Its parent's object lock guards `segment` and `position_ns`.
 * Everything else belongs to the streaming thread. */
typedef struct
{
  GstPad *pad;
  guint32 seqnum;               /* of the segments that we send */
  gboolean segment_sent;        /* since the last segment from upstream */
  gint is_segment_open;         /* atomic: SEGMENT_START has been posted, and SEGMENT_DONE hasn't */
  GQueue held_events;           /* serialized events that wait for the segment */
  GstSegment segment;           /* UNDEFINED: none sent yet */
  GstClockTime position_ns;     /* in `segment`, of the next frame to be sent */
  gint64 kept_ns;               /* added to timestamps, while downstream keeps an earlier segment */
} GstRetroOutput;

void gst_retro_output_init (GstRetroOutput * output, GstPad * pad);

/* Discards the segment and the position, but keeps the held events. */
void gst_retro_output_forget (GstRetroOutput * output);

/* If @event (transfer full) is serialized and must wait for the segment, holds it back and
 * returns TRUE. */
gboolean gst_retro_output_hold (GstRetroOutput * output, GstEvent * event);

/* Drops the held events. With @sticky_too FALSE, the sticky ones are sent instead: after a
 * flush, upstream doesn't send its tags again. */
void gst_retro_output_drop_held (GstRetroOutput * output, gboolean sticky_too);

/* Call this when a segment has arrived from upstream. We'll send ours later with @seqnum, which
 * normally comes from the seek that caused it. */
void gst_retro_output_expect (GstRetroOutput * output, guint32 seqnum);

/* Sends @segment, and the events that were held back for it. Call this function again to
 * change the stop of the current segment.
 *
 * If @may_open and there's an encoder downstream, we send the segment without a stop, or not at
 * all if downstream already has one like that, because another segment would make the encoder end
 * its file. Buffers then get timestamps in the segment that downstream has. Otherwise, if the
 * applied rate is negative and isn't -1, we send the audio in several segments of about a second:
 * sinks report wrong positions in such a segment, and the longer it is, the further off they are.
 * Returns whether the segment was sent without a stop. */
gboolean gst_retro_output_send_segment (GstRetroOutput * output,
    const GstSegment * segment, gboolean may_open);

/* Gets the last segment that was given to gst_retro_output_send_segment(), unmodified:
 * downstream may have received it without its stop, or as several segments. Returns FALSE
 * if there's none. May be called in any thread. */
gboolean gst_retro_output_get_segment (GstRetroOutput * output,
    GstSegment * segment);

/* Returns TRUE if @input has run past the stop of its segment, where downstream would clip it. This
 * happens if upstream's timestamps advance a bit more slowly than its frames: each buffer is
 * inside the segment, but together they last longer. Sets @segment to the segment that was sent,
 * without its stop, for you to send. If upstream itself plays backwards, we keep the stop, because
 * other branches sync to it. */
gboolean gst_retro_output_must_open (GstRetroOutput * output,
    const GstRetroInput * input, GstSegment * segment);

/* Posts SEGMENT_START at @position_ns, unless @is_asked is FALSE because there was no segment seek.
 * The bin then waits for our SEGMENT_DONE, which we post after the output, with its time. */
void gst_retro_output_open_segment (GstRetroOutput * output, gboolean is_asked,
    gint64 position_ns, guint32 seqnum);

/* Posts SEGMENT_DONE if the bin is waiting for it. Call this after sending the event. */
void gst_retro_output_close_segment (GstRetroOutput * output,
    gint64 position_ns, guint32 seqnum);

/* Prepares to send @buffer (transfer full), which ends at the output time @end_ns: sends a new
 * part of the segment if necessary, and advances the position. Returns the buffer to push. */
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

/* Returns TRUE if there's an encoder or a muxer downstream, with none of our elements in between.
 * They need a segment without a stop: an encoder's last packets have timestamps after the stop, and
 * a sink would drop them. A second segment with a corrected stop would make the encoder start over. */
gboolean gst_retro_output_has_encoder (GstRetroOutput * output);

/* Returns TRUE if the element is inside an nlecomposition of GStreamer Editing Services. A
 * composition adds up the lengths of all segments, so each clip must have a single segment that
 * stops where the clip ends. */
gboolean gst_retro_output_is_in_composition (GstRetroOutput * output);
