/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The state that the thread of a seek task (seektask.c) and its input (seekinput.c) share.
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

  /* Guards the playback; taken by the threads of upstream, the application and the task.
   * Whenever one of these threads has done something that another one may be waiting for,
   * `changes` is incremented and `changed` is broadcast. */
  GMutex lock;
  GCond changed;
  guint changes;
  TimePlayback *playback;
  GPtrArray *formats;
  GQueue events;                /* serialized events that are to be forwarded */
  GThread *fetching_thread;     /* thread in which a seek is being sent upstream */
  GstClockTime passed_ns;       /* end of the audio that was passed through */

  /* under the stream lock of the source pad */
  GQueue sendable;              /* events taken from `events`, to be sent before the next
                                 * frames or before the end */
  guint sends;                  /* number of nested sends of the thread that holds the
                                 * lock */
  gint segment_is_open;         /* atomic: a SEGMENT_START of ours has no SEGMENT_DONE yet */
  guint open_flushes;           /* number of flushes that the thread which holds the lock
                                 * must end */
  guint32 flush_seqnum;

  /* For upstream's streaming thread, which fills `run` without the lock. Access to the
   * pointer is atomic, because a fetch clears it in another thread. */
  TimePlayFormat format;
  GstSegment segment;
  TimePlayRun *run;             /* or NULL; see timeplay_receive() */
};

/* Holds the lock until the end of the block. */
#define AUTO_LOCK(task) GST_RETRO_HOLD (&(task)->lock)

/* Must follow a call to the playback, with the lock still held. Records the call
 * (record.h), wakes all waiting threads, and releases the lock. */
void gst_revbuf_seek_task_end_call (GstRevBufSeekTask * task,
    const gchar * call, gconstpointer fields, gconstpointer data,
    gint64 result);

/* Begins to send: until gst_revbuf_seek_task_end_passing(), no other thread sends. */
void gst_revbuf_seek_task_begin_sending (GstRevBufSeekTask * task);

/* Flushes downstream for the seek with @seqnum. */
void gst_revbuf_seek_task_flush (GstRevBufSeekTask * task, guint32 seqnum);

/* Starts the thread, and reports to the playback whether that was possible. */
gboolean gst_revbuf_seek_task_start_thread (GstRevBufSeekTask * task);
