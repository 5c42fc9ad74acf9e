/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * seektask: mode=seek. A thread of its own plays the stream from blocks
 * that it has upstream deliver, in either direction.
 */

#ifndef GST_REVBUF_SEEKTASK_H
#define GST_REVBUF_SEEKTASK_H

#include "common/gstretrofilter.h"
#include "revbuf/properties.h"

G_BEGIN_DECLS

/**
 * GstRevBufSeekTask:
 *
 * Between gst_revbuf_seek_task_start() and gst_revbuf_seek_task_stop() it is
 * active: all that reaches the sink pad is for it, and nothing but its thread
 * (and a FLUSH_START) sends downstream. The lock order is: flush_lock, then
 * task->lock, then the object lock; see THREADS.md.
 */
typedef struct _GstRevBufSeekTask GstRevBufSeekTask;

/* @settings: those of the element, under its object lock. */
GstRevBufSeekTask *gst_revbuf_seek_task_new (GstRetroFilter * filter,
    GstPad * sinkpad, GstPad * srcpad, const GstRevBufSettings * settings);
void gst_revbuf_seek_task_free (GstRevBufSeekTask * task);

/* Any thread. */
gboolean gst_revbuf_seek_task_is_active (GstRevBufSeekTask * task);

/**
 * GstRevBufStart:
 * @info, @segment: of what upstream sends
 * @seqnum: of @segment
 * @duration_ns: of the stream, as upstream says; NONE: not known
 * @base_ns: running time of what is sent next
 * @last_frame: the frame of the stream that was sent last, from which play goes
 *   on; TIMEDSP_UNKNOWN: none was
 * @contested: @segment comes from a fetch of another revbuf, which is an error
 * @is_fresh: nothing of the stream has been sent or sought yet
 * @limited: somebody has asked for the stop of @segment
 *
 * Where the stream is when the seek task starts.
 */
typedef struct
{
  const GstAudioInfo *info;
  const GstSegment *segment;
  guint32 seqnum;
  GstClockTime duration_ns, base_ns;
  gint64 last_frame;
  gboolean contested, is_fresh, limited;
} GstRevBufStart;

/* In a streaming thread, when nothing else is sending. Does not ask upstream. */
void gst_revbuf_seek_task_start (GstRevBufSeekTask * task,
    const GstRevBufStart * start);

/* Ends the thread, when the pads are not active any more. */
void gst_revbuf_seek_task_stop (GstRevBufSeekTask * task);

/* Lets all threads go that wait here, before the pads are deactivated. */
void gst_revbuf_seek_task_release (GstRevBufSeekTask * task);

/* Upstream's threads, while active. */
GstFlowReturn gst_revbuf_seek_task_chain (GstRevBufSeekTask * task,
    GstBuffer * buffer);

/* @event as in gst_revbuf_upstream_event(). */
gboolean gst_revbuf_seek_task_event (GstRevBufSeekTask * task,
    GstEvent ** event);

/* Any thread, while active: answers the seek @event (transfer none), of TIME
 * format; FALSE: it cannot. */
gboolean gst_revbuf_seek_task_seek (GstRevBufSeekTask * task, GstEvent * event);

/* The same where it is not active yet, and starts with the seek. Any thread. */
gboolean gst_revbuf_seek_task_start_by_seek (GstRevBufSeekTask * task,
    GstEvent * event, const GstRevBufStart * start);

/* After either, without a lock: until the flush of the seek has ended. */
void gst_revbuf_seek_task_wait_for_flush (GstRevBufSeekTask * task);

/* Any thread: #revbuf:direction has been set. */
void gst_revbuf_seek_task_turn (GstRevBufSeekTask * task,
    TimeDSPDirection direction);

/* Any thread: one of the loop properties has been set. */
void gst_revbuf_seek_task_wake (GstRevBufSeekTask * task);

/* Any thread: stream time of what is heard next; NONE: ask the base class. */
GstClockTime gst_revbuf_seek_task_get_position (GstRevBufSeekTask * task);

/* Any thread: NONE: not known here. */
GstClockTime gst_revbuf_seek_task_get_duration (GstRevBufSeekTask * task);

/* Any thread: whether a fetch is under way, or something is to be sent while
 * others wait for the same source; @progress (out) changes with each fetch and
 * each buffer. */
gboolean gst_revbuf_seek_task_is_waiting (GstRevBufSeekTask * task,
    guint * progress);

/* (transfer full): for #revbuf:stats. */
GstStructure *gst_revbuf_seek_task_get_stats (GstRevBufSeekTask * task);

G_END_DECLS
#endif /* GST_REVBUF_SEEKTASK_H */
