/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * taskstarter: starts the seek task, once, and not at a wrong time.
 */

#ifndef GST_REVBUF_TASK_STARTER_H
#define GST_REVBUF_TASK_STARTER_H

#include "revbuf/seektask.h"

G_BEGIN_DECLS

/* The seek task does not start while the element stops or is flushed, nor while a
 * seek goes past it to upstream. Upstream may wait for its streaming thread until it
 * has answered the seek. That thread would wait for the seek task, and the seek task
 * for upstream. */
typedef struct
{
  GstRetroFilter *filter;
  GstRevBufSeekTask *task;

  GMutex lock;                  /* before all locks of the task; protects: */
  gboolean stopping;            /* the element is on its way to READY */
  gboolean flushing;            /* by a flush that goes to the base class */
  GQueue seeks;                 /* numbers of those that go past: their segments
                                 * have not come yet */
  guint32 last_seek;            /* number of the last one … */
  gboolean limits;              /* … and whether it has asked for a stop */
  guint segments;               /* that have come since the element started */

  GstClockTime passed_ns;       /* end of what has gone through untouched, under the
                                 * object lock */
} GstRevBufTaskStarter;

void gst_revbuf_task_starter_init (GstRevBufTaskStarter * starter,
    GstRetroFilter * filter, GstRevBufSeekTask * task);
void gst_revbuf_task_starter_clear (GstRevBufTaskStarter * starter);

/* The element starts, or stops: from then on the task is not started any more. */
void gst_revbuf_task_starter_set_stopping (GstRevBufTaskStarter * starter,
    gboolean stopping);

/* Whether the task can fetch blocks of @info from upstream. Any thread. */
gboolean gst_revbuf_task_starter_can_seek (GstRevBufTaskStarter * starter,
    const GstAudioInfo * info);

/* Whether @info has frames that a time in whole ns can tell apart. */
gboolean gst_revbuf_task_starter_has_times (const GstAudioInfo * info);

/* A segment has come that is not for the task. Streaming thread. */
void gst_revbuf_task_starter_new_segment (GstRevBufTaskStarter * starter);

/* Audio of the segment has gone through untouched up to @end_ns. Streaming thread. */
void gst_revbuf_task_starter_note_passed (GstRevBufTaskStarter * starter,
    GstClockTime end_ns);

/* Starts the task behind what has gone through. FALSE: the element stops, or is
 * flushed or sought. Streaming thread. */
gboolean gst_revbuf_task_starter_start (GstRevBufTaskStarter * starter);

/* Any thread: has the task answer the seek @event (transfer none), of TIME format and
 * a negative rate, in a stream that has so far gone through untouched, and waits for
 * its flush; FALSE: it cannot. */
gboolean gst_revbuf_task_starter_start_by_seek (GstRevBufTaskStarter * starter,
    GstEvent * event);

/* Any thread: a seek goes to upstream. The task does not start before the segment of
 * the seek, or gst_revbuf_task_starter_end_seek(). @limits: it asks for a stop. FALSE:
 * the task has started, and has to answer the seek. */
gboolean gst_revbuf_task_starter_begin_seek (GstRevBufTaskStarter * starter,
    guint32 seqnum, gboolean limits);
void gst_revbuf_task_starter_end_seek (GstRevBufTaskStarter * starter,
    guint32 seqnum);

/* Whether a seek is on its way. */
gboolean gst_revbuf_task_starter_is_sought (GstRevBufTaskStarter * starter);

/* Takes note of @event, which upstream has sent. Returns whether it is for the task. */
gboolean gst_revbuf_task_starter_note_event (GstRevBufTaskStarter * starter,
    GstEvent * event);

G_END_DECLS
#endif /* GST_REVBUF_TASK_STARTER_H */
