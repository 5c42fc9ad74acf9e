/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Upstream's side of fetching: seeks upstream, keeps what arrives in one fetched
 * run, makes upstream wait when that is done, and lets nothing of this through.
 */

#ifndef GST_REVBUF_UPSTREAM_H
#define GST_REVBUF_UPSTREAM_H

#include "revbuf/fetchedrun.h"

G_BEGIN_DECLS

typedef struct _GstRevBufUpstream GstRevBufUpstream;

/* The lock under which upstream's threads, the application's and the one that
 * plays meet; `changed` is broadcast, and `changes` counted, whenever one of
 * them has done something that another may wait for. */
typedef struct
{
  GMutex lock;
  GCond changed;
  guint changes;
} GstRevBufLock;

void gst_revbuf_lock_acquire (GstRevBufLock * lock);
void gst_revbuf_lock_release (GstRevBufLock * lock);
/* Leaves, and wakes all that wait. */
void gst_revbuf_lock_release_and_signal (GstRevBufLock * lock);

/* What upstream's side tells of a stream that was not asked for. */
typedef struct
{
  /* Somebody else flushes: FLUSH_START. Called without the lock. */
  void (*flush) (gpointer owner, GstEvent * flush_start);
  /* … and plays @segment from now on, of audio of @format. Called without the
   * lock. */
  void (*segment) (gpointer owner, const GstSegment * segment,
      const TimePlayFormat * format, guint32 seqnum);
  gpointer owner;
} GstRevBufUpstreamListener;

GstRevBufUpstream *gst_revbuf_upstream_new (GstElement * element,
    GstPad * sinkpad, GstRevBufLock * lock,
    const GstRevBufUpstreamListener * listener);
void gst_revbuf_upstream_free (GstRevBufUpstream * upstream);

/* Whether @seqnum is that of a fetch of any revbuf in this process. Any thread. */
gboolean gst_revbuf_upstream_is_fetch (guint32 seqnum);

/* ---- upstream's threads -------------------------------------------------- */

/* Takes @buffer (transfer full); waits until there is use for it, unless
 * play has finished: then it returns what gst_revbuf_upstream_finish() says. */
GstFlowReturn gst_revbuf_upstream_chain (GstRevBufUpstream * upstream,
    GstBuffer * buffer);

/**
 * gst_revbuf_upstream_event:
 * @event: (inout): taken and set to NULL, or left to be sent on: events that
 *   are not serialized
 */
gboolean gst_revbuf_upstream_event (GstRevBufUpstream * upstream,
    GstEvent ** event);

/* ---- the thread that fetches; the lock is not held ----------------------- */

/* Starts over with what is known of a stream, and forgets all formats but that
 * of @info, which it returns. What arrives is dropped until a run is filled.
 * @contested: @segment comes from the fetches of another revbuf. */
TimePlayFormat gst_revbuf_upstream_open (GstRevBufUpstream * upstream,
    const GstAudioInfo * info, const GstSegment * segment, gboolean contested);

/* Fills @run (transfer full) with what arrives, without a seek. */
void gst_revbuf_upstream_fill (GstRevBufUpstream * upstream,
    TimePlayRun * run);

/* Upstream's threads no longer wait, until gst_revbuf_upstream_open(). */
void gst_revbuf_upstream_close (GstRevBufUpstream * upstream);

/* Fills the run of @action, a TIMEPLAY_FETCH, from then on; an unfinished one is
 * given up. FALSE: upstream refused the seek, or none may be sent. */
gboolean gst_revbuf_upstream_obtain (GstRevBufUpstream * upstream,
    const TimePlayAction * action);

/* ---- with the lock held -------------------------------------------------- */

/* Play has finished: from the end of the run on, upstream's buffers are dropped and
 * it is told @after, in place of waiting, so that it serves its other branches. This
 * ends with the next fetch. */
void gst_revbuf_upstream_finish (GstRevBufUpstream * upstream,
    GstFlowReturn after);

/* What has happened, with the run (transfer full) if that is done. */
void gst_revbuf_upstream_pop_arrival (GstRevBufUpstream * upstream,
    TimePlayArrival * arrival);

/* A serialized event to be sent on (transfer full); NULL: none. */
GstEvent *gst_revbuf_upstream_pop_event (GstRevBufUpstream * upstream);

/* Whether what was asked for is still to come. */
gboolean gst_revbuf_upstream_is_waiting (GstRevBufUpstream * upstream);

/* Whether play has finished, and nothing has been fetched since. */
gboolean gst_revbuf_upstream_is_finished (GstRevBufUpstream * upstream);

G_END_DECLS
#endif /* GST_REVBUF_UPSTREAM_H */
