/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * modeselector: reports arriving data to the playback, and answers its questions. The
 * playback decides whether the seek task or the base class handles the data.
 */

#pragma once

#include "revbuf/seektask.h"

/* Starts to collect a stream that the seek task cannot play. @segment has already been
 * made forward. Streaming thread. */
typedef void (*GstRevBufCollectFunc) (GstRetroFilter * filter,
    const GstSegment * segment);

typedef struct _GstRevBufModeSelector GstRevBufModeSelector;

GstRevBufModeSelector *gst_revbuf_mode_selector_new (GstRetroFilter * filter,
    GstRevBufSeekTask * task, GstRevBufCollectFunc collect);
void gst_revbuf_mode_selector_free (GstRevBufModeSelector * selector);

/* Must be called when the element starts. Returns FALSE, after posting an error, if memory
 * cannot be allocated. */
gboolean gst_revbuf_mode_selector_open (GstRevBufModeSelector * selector);

/* Must be called when the element stops. The seek task cannot be started after that. */
void gst_revbuf_mode_selector_close (GstRevBufModeSelector * selector);

/* Starts @segment, which has already been made forward. Returns how the stream is
 * handled. Streaming thread. */
TimePlayWay
gst_revbuf_mode_selector_set_segment (GstRevBufModeSelector * selector,
    const GstSegment * segment);

/* Discards the stream. Streaming thread. */
void gst_revbuf_mode_selector_reset (GstRevBufModeSelector * selector);

/* Handles @buffer (transfer full), which has arrived at the sink pad, and sets @ret. If
 * TRUE is returned, the buffer has not been handled: pass it to the base class, then call
 * gst_revbuf_seek_task_end_passing(). Streaming thread. */
gboolean gst_revbuf_mode_selector_passes (GstRevBufModeSelector * selector,
    GstBuffer * buffer, GstFlowReturn * ret);

/* Handles @event (transfer full), which has arrived at the sink pad. If PASS or FOLLOW is
 * returned, the event has not been handled: pass it to the base class. For FOLLOW, then
 * wait until downstream has consumed all data. If @passing has been set to TRUE, call
 * gst_revbuf_seek_task_end_passing() at the end. Upstream's threads. */
TimePlayRoute gst_revbuf_mode_selector_route (GstRevBufModeSelector * selector,
    GstEvent * event, gboolean * passing);

/* Passes @seek to the seek task, or starts the task with @seek. If GOES_PAST is returned,
 * @seek has been changed: send it upstream, then call gst_revbuf_seek_task_seek_past(). Any
 * thread. */
TimePlayAnswer gst_revbuf_mode_selector_seek (GstRevBufModeSelector * selector,
    TimePlaySeek * seek);

/* Returns the stream time of the first frame of a collected or fetched stream, until
 * something of the stream has been output. If NONE is returned, ask the base class. Any
 * thread. */
GstClockTime
gst_revbuf_mode_selector_get_position (GstRevBufModeSelector * selector);
