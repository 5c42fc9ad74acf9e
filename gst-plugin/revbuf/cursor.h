/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The cursor: where play is in the stream, which way it goes, and where its
 * passes end.
 */

#ifndef GST_REVBUF_CURSOR_H
#define GST_REVBUF_CURSOR_H

#include "revbuf/blockplanner.h"
#include "revbuf/outputsegment.h"
#include "revbuf/request.h"

G_BEGIN_DECLS

/**
 * GstRevBufCursor:
 * @settings: those of the element, under its object lock
 * @segment: what is being served
 * @sought: direction of the last seek, or of the beginning
 * @loop, @pass: what is played up to its end, and what happens there
 * @index: heard next, an index of the block cache; valid where @placed
 * @last: heard last; valid where @heard
 * @output_started: the output segment has been sent
 * @pass_heard: some of the pass has been
 * @empty_passes: nothing has been heard of so many, one after the other
 *
 * Belongs to the thread that plays.
 */
typedef struct
{
  GstRetroFilter *filter;
  const GstRevBufSettings *settings;
  GstRevBufPlanner planner;
  GstRevBufOutput output;
  GstSegment segment;
  guint32 seqnum;
  TimeDSPDirection direction, sought;
  TimeDSPLoop loop;
  TimeDSPRange pass;
  gint64 index, last;
  gboolean placed, heard;
  gboolean output_started, pass_heard;
  guint empty_passes;
  GstClockTime marker_start_ns, marker_stop_ns; /* that were warned of */
} GstRevBufCursor;

/* Play begins anew, in audio like @info. */
void gst_revbuf_cursor_open (GstRevBufCursor * cursor,
    const GstAudioInfo * info, GstClockTime base_ns);

/* Goes where @request wants; with @flushing, running time begins at 0. */
void gst_revbuf_cursor_serve (GstRevBufCursor * cursor,
    const GstRevBufRequest * request, gboolean flushing);

/* The frame after n is n - 1, or n + 1. */
void gst_revbuf_cursor_turn (GstRevBufCursor * cursor,
    TimeDSPDirection direction);

/* Sets the pass anew if a loop has been switched on or off, which acts at once;
 * markers that move wait for the next pass. FALSE: it has not. */
gboolean gst_revbuf_cursor_follow_switch (GstRevBufCursor * cursor);

/* Takes in what has arrived and has more fetched. */
GstRevBufPlannerResult gst_revbuf_cursor_fetch (GstRevBufCursor * cursor);

/* Edge of the stream where play is; TIMEDSP_UNKNOWN: its unknown end. */
gint64 gst_revbuf_cursor_get_boundary (const GstRevBufCursor * cursor);

/* Frame of the stream at @time_ns; TIMEDSP_UNKNOWN for NONE. */
gint64 gst_revbuf_cursor_frame_at (const GstRevBufCursor * cursor,
    GstClockTime time_ns);

/* Frames that can be sent now, of this block and this pass. */
gint64 gst_revbuf_cursor_ready_frames (GstRevBufCursor * cursor);

/* Sends the segment where one is due. */
void gst_revbuf_cursor_start_output (GstRevBufCursor * cursor);

/* Sends @n_frames, and moves on. */
GstFlowReturn gst_revbuf_cursor_send (GstRevBufCursor * cursor,
    gint64 n_frames);

/* Whether nothing of the pass is left. */
gboolean gst_revbuf_cursor_is_at_end (GstRevBufCursor * cursor);

/* Whether there is no end to be found of a stream that has begun. */
gboolean gst_revbuf_cursor_has_lost_stream (const GstRevBufCursor * cursor);

/* Goes on with the next pass; FALSE: there is none. */
gboolean gst_revbuf_cursor_next_pass (GstRevBufCursor * cursor);

G_END_DECLS
#endif /* GST_REVBUF_CURSOR_H */
