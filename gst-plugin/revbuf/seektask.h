/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * seektask: mode=seek. A thread of its own plays the stream in either direction, from blocks
 * that it fetches from upstream. The playback (timeplay.h) decides on the actions; the task
 * has the lock and the pads, and decides which thread may send.
 */

#pragma once

#include "common/gstretrofilter.h"
#include "revbuf/properties.h"

/* While the task is active, everything that reaches the sink pad is for the task, and
 * only its thread (and flushes) send downstream. A sending thread holds the stream lock
 * of the source pad; see THREADS.md. */
typedef struct _GstRevBufSeekTask GstRevBufSeekTask;

/* @settings: the settings of the element, under its object lock. */
GstRevBufSeekTask *gst_revbuf_seek_task_new (GstRetroFilter * filter,
    const GstRevBufSettings * settings);
void gst_revbuf_seek_task_free (GstRevBufSeekTask * task);

/* ---- the element's states ------------------------------------------------- */

/* Opens the task, before the pads are activated. Returns FALSE, after posting an error, if
 * memory cannot be allocated. */
gboolean gst_revbuf_seek_task_open (GstRevBufSeekTask * task);

/* Closes the task, before the pads are deactivated: releases all threads that wait
 * here. Nothing starts after that. */
void gst_revbuf_seek_task_close (GstRevBufSeekTask * task);

/* Ends the thread, when the pads are no longer active. */
void gst_revbuf_seek_task_stop (GstRevBufSeekTask * task);

/* ---- starting ------------------------------------------------------------- */

/* The state of the playback. @progress (out) (nullable) changes whenever something
 * happens. Any thread. */
TimePlayState gst_revbuf_seek_task_get_state (GstRevBufSeekTask * task,
    guint * progress);

/* Whether the next buffer is for the run that is being filled. Takes no lock. Streaming
 * thread. */
gboolean gst_revbuf_seek_task_is_filling (GstRevBufSeekTask * task);

/* Asks the playback once what to do with @arrival (timeplay_arrive()). Streaming thread. */
TimePlayWay gst_revbuf_seek_task_arrive (GstRevBufSeekTask * task,
    const TimePlayArrival * arrival);

/* Starts playback, at the position where the audio that was passed through ends. Returns
 * FALSE if the element stops, if a flush or a seek is in progress, or if no thread could
 * be started. Streaming thread. */
gboolean gst_revbuf_seek_task_start (GstRevBufSeekTask * task);

/* ---- seeks; any thread ---------------------------------------------------- */

/* Starts playback with @seek, which has a negative rate, in a stream that has been
 * passed through so far. Returns FALSE if that is not possible. */
gboolean gst_revbuf_seek_task_start_by_seek (GstRevBufSeekTask * task,
    const TimePlaySeek * seek);

/* Passes @seek to the playback. ACCEPTED: @seek is served, and its flush is over. GOES_PAST:
 * @seek has been changed; send it upstream, then call gst_revbuf_seek_task_seek_past(). */
TimePlayAnswer gst_revbuf_seek_task_seek (GstRevBufSeekTask * task,
    TimePlaySeek * seek);
void gst_revbuf_seek_task_seek_past (GstRevBufSeekTask * task, guint32 seqnum);

/* ---- upstream's threads --------------------------------------------------- */

/* Asks the playback once what to do with a buffer or an event. If the answer is PASSES,
 * pass the data to the base class, which sends it. No other thread then sends until
 * gst_revbuf_seek_task_end_passing(). @end_ns: end of the audio of a buffer, or NONE. */
TimePlayWay gst_revbuf_seek_task_begin_passing (GstRevBufSeekTask * task,
    const TimePlayArrival * arrival, GstClockTime end_ns);
void gst_revbuf_seek_task_end_passing (GstRevBufSeekTask * task);

/* Must be called before @event, a SEGMENT_DONE, is forwarded. Posts a SEGMENT_DONE message,
 * if a SEGMENT_START of ours still needs one. */
void gst_revbuf_seek_task_pass_segment_end (GstRevBufSeekTask * task,
    GstEvent * event);

/* Handles @buffer (transfer full); waits until it is either used or refused. */
GstFlowReturn gst_revbuf_seek_task_chain (GstRevBufSeekTask * task,
    GstBuffer * buffer);

/* Handles @event, which is a flush or serialized. If the answer is PASS or FOLLOW, the
 * event is for the base class; otherwise it has been consumed (transfer full). If @event
 * starts another stream, waits until the current stream has been played. */
TimePlayRoute gst_revbuf_seek_task_event (GstRevBufSeekTask * task,
    GstEvent * event);

/* ---- any thread ----------------------------------------------------------- */

/* Applies the properties. @turns: `direction` has just been set, so playback changes to
 * that direction, even if a loop has changed it since. */
void gst_revbuf_seek_task_configure (GstRevBufSeekTask * task, gboolean turns);

/* Returns (transfer full): the counts for #revbuf:stats. */
GstStructure *gst_revbuf_seek_task_get_stats (GstRevBufSeekTask * task);
