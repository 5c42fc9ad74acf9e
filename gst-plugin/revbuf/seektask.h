/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * seektask: mode=seek. A thread of its own plays the stream from blocks that it has
 * upstream deliver, in either direction. What happens, and what to do about it, the
 * playback decides (timeplay.h); here are the lock, the pads, and who may send.
 */

#pragma once

#include "common/gstretrofilter.h"
#include "revbuf/properties.h"

/* While it is active, all that reaches the sink pad is for it, and nothing but its
 * thread (and flushes) sends downstream. Who sends holds the stream lock of the source
 * pad; see THREADS.md. */
typedef struct _GstRevBufSeekTask GstRevBufSeekTask;

/* @settings: those of the element, under its object lock. */
GstRevBufSeekTask *gst_revbuf_seek_task_new (GstRetroFilter * filter,
    const GstRevBufSettings * settings);
void gst_revbuf_seek_task_free (GstRevBufSeekTask * task);

/* ---- the element's states ------------------------------------------------- */

/* Before the pads are activated. */
void gst_revbuf_seek_task_open (GstRevBufSeekTask * task);

/* Lets all threads go that wait here, before the pads are deactivated. Nothing starts
 * any more. */
void gst_revbuf_seek_task_close (GstRevBufSeekTask * task);

/* Ends the thread, when the pads are not active any more. */
void gst_revbuf_seek_task_stop (GstRevBufSeekTask * task);

/* ---- starting ------------------------------------------------------------- */

/* Any thread. */
gboolean gst_revbuf_seek_task_is_active (GstRevBufSeekTask * task);

/* Whether a seek is on its way past the task. Any thread. */
gboolean gst_revbuf_seek_task_is_sought (GstRevBufSeekTask * task);

/* A segment begins that is not for the task. Streaming thread. */
void gst_revbuf_seek_task_pass_segment (GstRevBufSeekTask * task);

/* Starts behind what has gone through. FALSE: the element stops, or is flushed or
 * sought, or there is no thread. Streaming thread. */
gboolean gst_revbuf_seek_task_start (GstRevBufSeekTask * task);

/* ---- seeks; any thread ---------------------------------------------------- */

/* Has the task answer @seek, of a negative rate, in a stream that has so far gone through
 * untouched; FALSE: it cannot. */
gboolean gst_revbuf_seek_task_start_by_seek (GstRevBufSeekTask * task,
    const TimePlaySeek * seek);

/* TAKEN: @seek is served, and its flush is over. GOES_PAST: send it upstream, then call
 * gst_revbuf_seek_task_seek_past(). */
TimePlayAnswer gst_revbuf_seek_task_seek (GstRevBufSeekTask * task,
    TimePlaySeek * seek);
void gst_revbuf_seek_task_seek_past (GstRevBufSeekTask * task, guint32 seqnum);

/* ---- upstream's threads --------------------------------------------------- */

/* Before something is passed to the base class that sends it on, while the task is not
 * active. Until gst_revbuf_seek_task_end_passing(), nobody else sends. @end_ns: where
 * audio ends that goes through untouched; or NONE. FALSE: the task has begun meanwhile,
 * or the element stops. */
gboolean gst_revbuf_seek_task_begin_passing (GstRevBufSeekTask * task,
    GstClockTime end_ns);
void gst_revbuf_seek_task_end_passing (GstRevBufSeekTask * task);

/* @event, a SEGMENT_DONE, passes: the task posts the message to it, if it has to. */
void gst_revbuf_seek_task_pass_segment_end (GstRevBufSeekTask * task,
    GstEvent * event);

/* Takes @buffer (transfer full); waits until there is use for it. */
GstFlowReturn gst_revbuf_seek_task_chain (GstRevBufSeekTask * task,
    GstBuffer * buffer);

/* Takes note of @event, which is a flush or serialized. FALSE: it is for the base
 * class; else it has been taken (transfer full). The start of another stream waits until
 * this one has been played. */
gboolean gst_revbuf_seek_task_event (GstRevBufSeekTask * task,
    GstEvent * event);

/* ---- any thread ----------------------------------------------------------- */

/* Properties have been set. @turns: direction is the one, so play goes that way from now
 * on, whichever way a loop has turned it. */
void gst_revbuf_seek_task_configure (GstRevBufSeekTask * task, gboolean turns);

/* Stream time of what is heard next; NONE: ask the base class. */
GstClockTime gst_revbuf_seek_task_get_position (GstRevBufSeekTask * task);

/* NONE: not known here. */
GstClockTime gst_revbuf_seek_task_get_duration (GstRevBufSeekTask * task);

/* Whether a fetch is under way, or something is to be sent while others wait for the
 * same source; @progress (out) changes with all that happens. */
gboolean gst_revbuf_seek_task_is_waiting (GstRevBufSeekTask * task,
    guint * progress);

/* (transfer full): for #revbuf:stats. */
GstStructure *gst_revbuf_seek_task_get_stats (GstRevBufSeekTask * task);
