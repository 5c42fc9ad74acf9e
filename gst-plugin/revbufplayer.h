/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * revbufplayer: mode=seek. A thread of its own plays the stream from blocks
 * that it has upstream deliver, in either direction.
 */

#ifndef REV_BUF_PLAYER_H
#define REV_BUF_PLAYER_H

#include "gstretrofilter.h"
#include "revbufsettings.h"

G_BEGIN_DECLS

/**
 * RevBufPlayer:
 *
 * Between rev_buf_player_start() and rev_buf_player_stop() it is active: all
 * that reaches the sink pad is for it, and nothing but its thread (and a
 * FLUSH_START) sends downstream. The lock order is: flush_lock, then the
 * meeting's, then the object's; none is held while data is sent.
 */
typedef struct _RevBufPlayer RevBufPlayer;

/* @settings: those of the element, under its object lock. */
RevBufPlayer *rev_buf_player_new (GstRetroFilter * filter, GstPad * sinkpad,
    GstPad * srcpad, const RevBufSettings * settings);
void rev_buf_player_free (RevBufPlayer * player);

/* Any thread. */
gboolean rev_buf_player_is_active (RevBufPlayer * player);

/**
 * rev_buf_player_start:
 * @info, @segment: of what upstream sends
 * @contested: that comes from the fetches of another revbuf, which is an error
 * @is_fresh: nothing of the stream has been sent or sought yet
 * @limited: somebody has asked for the stop of @segment
 * @last_frame: the frame of the stream that was sent last, from which play goes
 *   on; TIMEDSP_UNKNOWN: none was
 * @base_ns: running time of what is sent next
 *
 * In a streaming thread, when nothing else is sending.
 */
void rev_buf_player_start (RevBufPlayer * player, const GstAudioInfo * info,
    const GstSegment * segment, guint32 seqnum, gboolean contested,
    gboolean is_fresh, gboolean limited, gint64 last_frame,
    GstClockTime base_ns);

/* Ends the thread, when the pads are not active any more. */
void rev_buf_player_stop (RevBufPlayer * player);

/* Lets all threads go that wait here, before the pads are deactivated. */
void rev_buf_player_release (RevBufPlayer * player);

/* Upstream's threads, while active. */
GstFlowReturn rev_buf_player_chain (RevBufPlayer * player, GstBuffer * buffer);

/* @event as in rev_buf_inlet_event(). */
gboolean rev_buf_player_event (RevBufPlayer * player, GstEvent ** event);

/* Any thread, while active: answers the seek @event (transfer none), of TIME
 * format; FALSE: it cannot. */
gboolean rev_buf_player_seek (RevBufPlayer * player, GstEvent * event);

/* The same where it is not active yet, and starts with it; what upstream sends
 * now is of @info and @segment. Any thread. */
gboolean rev_buf_player_start_by_seek (RevBufPlayer * player,
    GstEvent * event, const GstAudioInfo * info, const GstSegment * segment,
    GstClockTime base_ns);

/* After either, without a lock: until the flush of the seek has ended. */
void rev_buf_player_wait_for_flush (RevBufPlayer * player);

/* Any thread: #revbuf:direction has been set. */
void rev_buf_player_turn (RevBufPlayer * player, TimeDSPDirection direction);

/* Any thread: one of the loop properties has been set. */
void rev_buf_player_wake (RevBufPlayer * player);

/* Any thread: stream time of what is heard next; NONE: ask the base class. */
GstClockTime rev_buf_player_get_position (RevBufPlayer * player);

/* Any thread: NONE: not known here. */
GstClockTime rev_buf_player_get_duration (RevBufPlayer * player);

/* Any thread: whether a fetch is under way; @progress (out) is another one
 * after each. */
gboolean rev_buf_player_is_waiting (RevBufPlayer * player, guint * progress);

/* (transfer full): for #revbuf:stats. */
GstStructure *rev_buf_player_get_stats (RevBufPlayer * player);

G_END_DECLS
#endif /* REV_BUF_PLAYER_H */
