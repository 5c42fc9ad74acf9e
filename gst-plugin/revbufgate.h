/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * revbufgate: decides what is done with a stream that arrives, and whether its
 * buffers and events are for the base class or for the player.
 */

#ifndef REV_BUF_GATE_H
#define REV_BUF_GATE_H

#include "revbufplayer.h"

G_BEGIN_DECLS

/* What is done with a stream. */
typedef enum
{
  REV_BUF_PATH_PASS,            /* nothing, or what the base class has done */
  REV_BUF_PATH_COLLECT,
  REV_BUF_PATH_CHUNK,
  REV_BUF_PATH_SEEK             /* the player's, as soon as that can start */
} RevBufPath;

/* The stream of forward @segment, which has arrived as one for the player, is
 * collected instead. Streaming thread. */
typedef void (*RevBufCollectFunc) (GstRetroFilter * filter,
    const GstSegment * segment);

/**
 * RevBufGate:
 *
 * Stands in front of the functions of the base class at the sink pad. Its lock,
 * under which the player starts, comes before all of those of the player.
 */
typedef struct _RevBufGate RevBufGate;

/**
 * rev_buf_gate_new:
 * @sinkpad: with the functions of the base class
 * @settings: those of the element, under its object lock
 */
RevBufGate *rev_buf_gate_new (GstRetroFilter * filter, GstPad * sinkpad,
    RevBufPlayer * player, const RevBufSettings * settings,
    RevBufCollectFunc collect);
void rev_buf_gate_free (RevBufGate * gate);

/* The element starts. */
void rev_buf_gate_open (RevBufGate * gate);

/* The element stops: from now on the player is not started any more. */
void rev_buf_gate_close (RevBufGate * gate);

/**
 * rev_buf_gate_set_segment:
 * @settings: a copy
 * @backwards: whether forward audio is to be heard backwards
 * @segment: of what arrives now, already forward
 *
 * Returns: what is done with it. Streaming thread.
 */
RevBufPath rev_buf_gate_set_segment (RevBufGate * gate,
    const RevBufSettings * settings, gboolean backwards,
    const GstSegment * segment);

/* Forgets the stream. Streaming thread. */
void rev_buf_gate_reset (RevBufGate * gate);

/* Streaming thread. */
RevBufPath rev_buf_gate_get_path (const RevBufGate * gate);

/* What upstream's threads bring to the sink pad (transfer full). */
GstFlowReturn rev_buf_gate_chain (RevBufGate * gate, GstBuffer * buffer);
gboolean rev_buf_gate_event (RevBufGate * gate, GstEvent * event);

/* Any thread: has the player answer the seek @event (transfer none), of TIME
 * format and a negative rate, in a stream that has so far gone through
 * untouched, and waits for its flush; FALSE: it cannot. */
gboolean rev_buf_gate_start_by_seek (RevBufGate * gate, GstEvent * event);

/* Any thread: a seek goes past the gate to upstream, which may wait for its own
 * streaming thread until it has answered. So the player does not start before
 * the segment of the seek, or rev_buf_gate_end_seek(): that thread would wait for
 * the player, and the player for upstream. @limits: it asks for a stop. FALSE:
 * the player has started, and has to answer the seek. */
gboolean rev_buf_gate_begin_seek (RevBufGate * gate, guint32 seqnum,
    gboolean limits);
void rev_buf_gate_end_seek (RevBufGate * gate, guint32 seqnum);

/* Any thread: stream time of what is heard first, while nothing of a stream
 * that is collected or sought has been; NONE: ask the base class. */
GstClockTime rev_buf_gate_get_position (RevBufGate * gate);

G_END_DECLS
#endif /* REV_BUF_GATE_H */
