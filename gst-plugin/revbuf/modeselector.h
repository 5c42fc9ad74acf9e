/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * modeselector: reports arriving data to the playback, and answers its questions. As
 * the playback decides, buffers and events are then handled by the seek task or by the
 * base class.
 */

#pragma once

#include "revbuf/seektask.h"

/* Starts collecting the stream with the forward @segment, which the seek task cannot
 * play. Streaming thread. */
typedef void (*GstRevBufCollectFunc) (GstRetroFilter * filter,
    const GstSegment * segment);

typedef struct _GstRevBufModeSelector GstRevBufModeSelector;

GstRevBufModeSelector *gst_revbuf_mode_selector_new (GstRetroFilter * filter,
    GstRevBufSeekTask * task, GstRevBufCollectFunc collect);
void gst_revbuf_mode_selector_free (GstRevBufModeSelector * selector);

/* Must be called when the element starts. FALSE if memory is short; an error has been
 * posted then. */
gboolean gst_revbuf_mode_selector_open (GstRevBufModeSelector * selector);

/* Must be called when the element stops. The seek task cannot be started after that. */
void gst_revbuf_mode_selector_close (GstRevBufModeSelector * selector);

/* Starts @segment, which has already been made forward. Returns how it is
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
 * returned, the event has not been handled: pass it to the base class. For FOLLOW, wait
 * after that until downstream has consumed all data.
 * If @passing is set to TRUE, call gst_revbuf_seek_task_end_passing() after that.
 * Upstream's threads. */
TimePlayRoute gst_revbuf_mode_selector_route (GstRevBufModeSelector * selector,
    GstEvent * event, gboolean * passing);

/* Passes @seek to the seek task, or starts the task with @seek. If GOES_PAST is returned,
 * @seek has been changed: send it upstream, then call gst_revbuf_seek_task_seek_past(). Any
 * thread. */
TimePlayAnswer gst_revbuf_mode_selector_seek (GstRevBufModeSelector * selector,
    TimePlaySeek * seek);

/* Stream time of the first frame that will be output, as long as a collected or fetched
 * stream has not output anything. If NONE is returned, ask the base class. Any thread. */
GstClockTime
gst_revbuf_mode_selector_get_position (GstRevBufModeSelector * selector);
