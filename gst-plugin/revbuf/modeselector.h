/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * modeselector: reports to the playback what arrives, answers its questions, and hands
 * buffers and events on as it chooses: to the seek task, or back for the base class.
 */

#pragma once

#include "revbuf/seektask.h"

/* Starts to collect the stream of forward @segment, which was meant for the seek task.
 * Streaming thread. */
typedef void (*GstRevBufCollectFunc) (GstRetroFilter * filter,
    const GstSegment * segment);

typedef struct _GstRevBufModeSelector GstRevBufModeSelector;

GstRevBufModeSelector *gst_revbuf_mode_selector_new (GstRetroFilter * filter,
    GstRevBufSeekTask * task, GstRevBufCollectFunc collect);
void gst_revbuf_mode_selector_free (GstRevBufModeSelector * selector);

/* The element starts. FALSE if memory is short; an error has been posted then. */
gboolean gst_revbuf_mode_selector_open (GstRevBufModeSelector * selector);

/* The element stops: the seek task is not started any more. */
void gst_revbuf_mode_selector_close (GstRevBufModeSelector * selector);

/* Starts @segment, which is already forward. Returns how it is handled. Streaming
 * thread. */
TimePlayWay
gst_revbuf_mode_selector_set_segment (GstRevBufModeSelector * selector,
    const GstSegment * segment);

/* Forgets the stream. Streaming thread. */
void gst_revbuf_mode_selector_reset (GstRevBufModeSelector * selector);

/* Handles @buffer (transfer full) of the sink pad, and sets @ret. TRUE: it has not been handled,
 * but is for the base class; then call gst_revbuf_seek_task_end_passing(). Streaming thread. */
gboolean gst_revbuf_mode_selector_passes (GstRevBufModeSelector * selector,
    GstBuffer * buffer, GstFlowReturn * ret);

/* Handles @event (transfer full) of the sink pad. PASS, FOLLOW: it has not been handled, but is for
 * the base class; for FOLLOW, downstream has to consume what it has got after that. Sets
 * @passing: then call gst_revbuf_seek_task_end_passing(). Upstream's threads. */
TimePlayRoute gst_revbuf_mode_selector_route (GstRevBufModeSelector * selector,
    GstEvent * event, gboolean * passing);

/* Has the seek task answer @seek, or starts it with @seek. GOES_PAST: @seek has been changed;
 * send it upstream, then call gst_revbuf_seek_task_seek_past(). Any thread. */
TimePlayAnswer gst_revbuf_mode_selector_seek (GstRevBufModeSelector * selector,
    TimePlaySeek * seek);

/* Stream time of the frame that will be output first, until a collected or fetched stream
 * has output anything; NONE: ask the base class. Any thread. */
GstClockTime
gst_revbuf_mode_selector_get_position (GstRevBufModeSelector * selector);
