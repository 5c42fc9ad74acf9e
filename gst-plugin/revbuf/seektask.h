/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * seektask: mode=seek. The task of the source pad plays the stream in either direction, from
 * blocks that it fetches from upstream by seeks. A playback (timeplay.h) makes the
 * decisions; the seek task carries them out, and ensures that only one thread sends.
 */

#pragma once

#include "common/gstretrofilter.h"
#include "revbuf/properties.h"

/* While the task is active, it consumes everything that reaches the sink pad, and only the
 * task's thread sends downstream, except for flushes. A sending thread holds the stream
 * lock of the source pad; see THREADS.md. */
typedef struct _GstRevBufSeekTask GstRevBufSeekTask;

/* @settings belongs to the element. The object lock of the element guards the settings. */
GstRevBufSeekTask *gst_revbuf_seek_task_new (GstRetroFilter * filter,
    const GstRevBufSettings * settings);
void gst_revbuf_seek_task_free (GstRevBufSeekTask * task);

/* ---- the element's states ------------------------------------------------- */

/* Opens the task, before the pads are activated. Returns FALSE, after posting an error, if
 * memory cannot be allocated. */
gboolean gst_revbuf_seek_task_open (GstRevBufSeekTask * task);

/* Closes the task, before the pads are deactivated: wakes all threads that wait in a
 * function of the task. After this, playback cannot start. */
void gst_revbuf_seek_task_close (GstRevBufSeekTask * task);

/* Ends the thread, after the pads have been deactivated. */
void gst_revbuf_seek_task_stop (GstRevBufSeekTask * task);

/* ---- starting ------------------------------------------------------------- */

/* The state of the playback. Sets @progress (nullable) to a count that changes with every
 * step. May be called in any thread. */
TimePlayState gst_revbuf_seek_task_get_state (GstRevBufSeekTask * task,
    guint * progress);

/* Whether the next buffer is for the run (the audio after one seek) that is being filled.
 * Takes no lock. Must be called in the streaming thread. */
gboolean gst_revbuf_seek_task_is_filling (GstRevBufSeekTask * task);

/* Calls timeplay_arrive(), which returns a decision, a question or a warning. Must be
 * called in the streaming thread. */
TimePlayWay gst_revbuf_seek_task_arrive (GstRevBufSeekTask * task,
    const TimePlayArrival * arrival);

/* Starts playback at the position up to which the audio has been passed through. Returns
 * FALSE if the element stops, if a flush or a seek is in progress, or if no thread could be
 * started. Must be called in the streaming thread. */
gboolean gst_revbuf_seek_task_start (GstRevBufSeekTask * task);

/* ---- seeks; any thread ---------------------------------------------------- */

/* Starts playback with @seek, whose rate must be negative, in a stream that has been passed
 * through so far. Returns FALSE if this is not possible. */
gboolean gst_revbuf_seek_task_start_by_seek (GstRevBufSeekTask * task,
    const TimePlaySeek * seek);

/* Calls timeplay_seek(). ACCEPTED: the seek will be served, and if it is a flushing seek,
 * downstream has been flushed. GOES_PAST: @seek has been changed into the seek for upstream;
 * send it, then call gst_revbuf_seek_task_seek_past(). */
TimePlayAnswer gst_revbuf_seek_task_seek (GstRevBufSeekTask * task,
    TimePlaySeek * seek);
void gst_revbuf_seek_task_seek_past (GstRevBufSeekTask * task, guint32 seqnum);

/* ---- upstream's threads --------------------------------------------------- */

/* Calls timeplay_arrive() for a buffer or a serialized event. If the answer is PASSES, give
 * the buffer or event to the base class, which sends it. Until
 * gst_revbuf_seek_task_end_passing(), no other thread sends. @end_ns: end of the audio of a
 * buffer, or NONE. */
TimePlayWay gst_revbuf_seek_task_begin_passing (GstRevBufSeekTask * task,
    const TimePlayArrival * arrival, GstClockTime end_ns);
void gst_revbuf_seek_task_end_passing (GstRevBufSeekTask * task);

/* Must be called before the SEGMENT_DONE @event is forwarded. Posts a SEGMENT_DONE message,
 * if the task has posted a SEGMENT_START that still lacks one. */
void gst_revbuf_seek_task_pass_segment_end (GstRevBufSeekTask * task,
    GstEvent * event);

/* Adds @buffer (transfer full) to a fetched run, or drops it. Waits until the playback knows
 * what to do with it. */
GstFlowReturn gst_revbuf_seek_task_chain (GstRevBufSeekTask * task,
    GstBuffer * buffer);

/* Handles @event, which is a flush or serialized. If the answer is PASS or FOLLOW, give the
 * event to the base class; otherwise it has been consumed (transfer full). If @event starts
 * another stream, waits until the current stream has been sent. */
TimePlayRoute gst_revbuf_seek_task_event (GstRevBufSeekTask * task,
    GstEvent * event);

/* ---- any thread ----------------------------------------------------------- */

/* Applies the properties. @turns: the application has just set `direction`, so playback
 * adopts that direction, even if the value is not new (a loop may have changed the direction
 * of playback). */
void gst_revbuf_seek_task_configure (GstRevBufSeekTask * task, gboolean turns);

/* Returns (transfer full): the value of #revbuf:stats, without `bytes-spilled`. */
GstStructure *gst_revbuf_seek_task_get_stats (GstRevBufSeekTask * task);
