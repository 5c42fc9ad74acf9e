/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * revbufinlet: upstream's side of block fetching. It seeks, keeps what arrives
 * then in one take, holds upstream back when that is done, and lets nothing of
 * this through.
 */

#ifndef REV_BUF_INLET_H
#define REV_BUF_INLET_H

#include "revbuftake.h"

G_BEGIN_DECLS

typedef struct _RevBufInlet RevBufInlet;

/* The lock under which upstream's threads, the application's and the one that
 * plays meet; `changed` is broadcast, and `changes` counted, whenever one of
 * them has done something that another may wait for. */
typedef struct
{
  GMutex lock;
  GCond changed;
  guint changes;
} RevBufMeeting;

void rev_buf_meeting_enter (RevBufMeeting * meeting);
void rev_buf_meeting_leave (RevBufMeeting * meeting);
/* Leaves, and wakes all that wait. */
void rev_buf_meeting_announce (RevBufMeeting * meeting);

/* What the inlet tells of a stream that was not asked for. */
typedef struct
{
  /* Somebody else flushes: FLUSH_START. Called without the lock. */
  void (*flush) (gpointer owner, GstEvent * flush_start);
  /* … and plays @segment from now on, of audio like @info. Called without the
   * lock. */
  void (*segment) (gpointer owner, const GstSegment * segment,
      const GstAudioInfo * info, guint32 seqnum);
  gpointer owner;
} RevBufInletListener;

RevBufInlet *rev_buf_inlet_new (GstElement * element, GstPad * sinkpad,
    RevBufMeeting * meeting, const RevBufInletListener * listener);
void rev_buf_inlet_free (RevBufInlet * inlet);

/* ---- upstream's threads -------------------------------------------------- */

/* Takes @buffer (transfer full); waits until there is use for it. */
GstFlowReturn rev_buf_inlet_chain (RevBufInlet * inlet, GstBuffer * buffer);

/**
 * rev_buf_inlet_event:
 * @event: (inout): taken and set to NULL, or left to be sent on: events that
 *   are not serialized
 */
gboolean rev_buf_inlet_event (RevBufInlet * inlet, GstEvent ** event);

/* ---- the thread that fetches; the meeting's lock is not held -------------- */

/* Starts over with what is known of a stream. What arrives goes into @take
 * (transfer full) (nullable), or is dropped until the first fetch. @contested:
 * @segment comes from the fetches of another inlet. */
void rev_buf_inlet_open (RevBufInlet * inlet, const GstAudioInfo * info,
    const GstSegment * segment, gboolean contested, RevBufTake * take);

/* Upstream's threads no longer wait, until rev_buf_inlet_open(). */
void rev_buf_inlet_close (RevBufInlet * inlet);

/* Seeks to the audio of @take (transfer full), which is filled from then on;
 * an unfinished one is given up. FALSE: upstream refused. */
gboolean rev_buf_inlet_fetch (RevBufInlet * inlet, RevBufTake * take);

/* Where upstream stands at the first frame of the block of @take, fills it with
 * what comes next, and has taken it; else FALSE. */
gboolean rev_buf_inlet_go_on (RevBufInlet * inlet, RevBufTake * take);

/* ---- with the meeting's lock held ----------------------------------------- */

/* The take (transfer full), when it is done; NULL: not yet, or none. */
RevBufTake *rev_buf_inlet_pop_done (RevBufInlet * inlet);

/* A serialized event to be sent on (transfer full); NULL: none. */
GstEvent *rev_buf_inlet_pop_event (RevBufInlet * inlet);

/* Whether what was asked for is still to come. */
gboolean rev_buf_inlet_is_waiting (RevBufInlet * inlet);

/* Whether another stream has followed this one. */
gboolean rev_buf_inlet_is_followed (RevBufInlet * inlet);

/* Whether the fetches of another inlet reach this one: they have one source. */
gboolean rev_buf_inlet_is_contested (RevBufInlet * inlet);

/* Whether upstream plays nothing where a seek does not say where to stop, as
 * auparse does, which takes no stop for one at 0. From now on seeks say that. */
gboolean rev_buf_inlet_needs_stop (RevBufInlet * inlet);

/* Whether upstream said something that cannot be understood. */
gboolean rev_buf_inlet_is_broken (RevBufInlet * inlet);

G_END_DECLS
#endif /* REV_BUF_INLET_H */
