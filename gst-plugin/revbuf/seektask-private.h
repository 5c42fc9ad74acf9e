/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The state of a seek task, for seektask.c (its thread) and seekinput.c (its input).
 */

#pragma once

#include "revbuf/format.h"
#include "revbuf/record.h"
#include "revbuf/recordfields.h"
#include "revbuf/seektask.h"

GST_DEBUG_CATEGORY_EXTERN (gst_revbuf_debug);
#define GST_CAT_DEFAULT gst_revbuf_debug

struct _GstRevBufSeekTask
{
  GstRetroFilter *filter;
  const GstRevBufSettings *settings;    /* under the object lock */
  guint element;                /* number of the element in this process */

  /* `lock` guards the playback and the fields up to `passed_ns`. The threads that use them
   * belong to upstream, to the application or to the task. A thread that has done something
   * for which another thread may be waiting increments `changes` and broadcasts
   * `changed`. */
  GMutex lock;
  GCond changed;
  guint changes;
  TimePlayback *playback;
  GPtrArray *formats;
  GQueue events;                /* serialized events to be forwarded, see `sendable` */
  GThread *fetching_thread;     /* the task's thread while it sends a seek upstream, else
                                 * NULL */
  GstClockTime passed_ns;       /* end of the audio that was passed through */

  /* under the stream lock of the source pad */
  GQueue sendable;              /* events taken from `events`, to be sent before the next
                                 * frames or before the end */
  guint sends;                  /* how often the thread that holds the stream lock has
                                 * called gst_revbuf_seek_task_begin_sending() */
  gint segment_is_open;         /* atomic: the task has posted a SEGMENT_START that still
                                 * lacks its SEGMENT_DONE */
  guint open_flushes;           /* number of FLUSH_STOPs to be sent when the thread that
                                 * holds the stream lock stops sending */
  guint32 flush_seqnum;

  /* Used by upstream's streaming thread, which adds buffers to `run` without holding the
   * lock. The pointer is atomic, because the task's thread clears it before a fetch. */
  TimePlayFormat format;
  GstSegment segment;
  TimePlayRun *run;             /* or NULL; see timeplay_receive() */
};

/* Holds the lock until the end of the enclosing C block. */
#define AUTO_LOCK(task) GST_RETRO_HOLD (&(task)->lock)

/* Must be called after a call to the playback, with the lock still held. Records that call
 * (record.h), wakes all waiting threads, and releases the lock. */
void gst_revbuf_seek_task_end_call (GstRevBufSeekTask * task,
    const gchar * call, gconstpointer fields, gconstpointer data,
    gint64 result);

/* Takes the stream lock of the source pad: until gst_revbuf_seek_task_end_passing(), no
 * other thread sends. Calls may be nested. */
void gst_revbuf_seek_task_begin_sending (GstRevBufSeekTask * task);

/* Flushes downstream for the seek with @seqnum. */
void gst_revbuf_seek_task_flush (GstRevBufSeekTask * task, guint32 seqnum);

/* Starts the thread, and reports to the playback whether it could be started. */
gboolean gst_revbuf_seek_task_start_thread (GstRevBufSeekTask * task);
