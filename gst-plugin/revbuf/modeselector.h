/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * modeselector: chooses the mode. It reports buffers, events and seeks to the playback
 * (timeplay.h), and answers the playback's questions about upstream. For each buffer, event
 * and seek, the playback decides whether the seek task or the base class handles it.
 */

#pragma once

#include "revbuf/seektask.h"

/* Starts to collect a stream that the seek task cannot play. The rate of @segment is
 * positive. Called in the streaming thread. */
typedef void (*GstRevBufCollectFunc) (GstRetroFilter * filter,
    const GstSegment * segment);

typedef struct _GstRevBufModeSelector GstRevBufModeSelector;

GstRevBufModeSelector *gst_revbuf_mode_selector_new (GstRetroFilter * filter,
    GstRevBufSeekTask * task, GstRevBufCollectFunc collect);
void gst_revbuf_mode_selector_free (GstRevBufModeSelector * selector);

/* Must be called when the element starts. Returns FALSE, after posting an error, if memory
 * cannot be allocated. */
gboolean gst_revbuf_mode_selector_open (GstRevBufModeSelector * selector);

/* Must be called when the element stops. After this, the seek task cannot be started. */
void gst_revbuf_mode_selector_close (GstRevBufModeSelector * selector);

/* Starts @segment, whose rate must be positive. Returns how the stream is handled. Must be
 * called in the streaming thread. */
TimePlayWay
gst_revbuf_mode_selector_set_segment (GstRevBufModeSelector * selector,
    const GstSegment * segment);

/* Discards the stream. Must be called in the streaming thread. */
void gst_revbuf_mode_selector_reset (GstRevBufModeSelector * selector);

/* Called with each @buffer (transfer full) that arrives at the sink pad. If it returns TRUE,
 * give the buffer to the base class, then call gst_revbuf_seek_task_end_passing(). If it
 * returns FALSE, the buffer has been handled, with the result @ret. Must be called in the
 * streaming thread. */
gboolean gst_revbuf_mode_selector_passes (GstRevBufModeSelector * selector,
    GstBuffer * buffer, GstFlowReturn * ret);

/* Called with each @event (transfer full) that arrives at the sink pad. If it returns PASS or
 * FOLLOW, give the event to the base class; for FOLLOW, then wait until downstream has
 * consumed all data. Otherwise the event has been handled. If @passing has been set to TRUE,
 * call gst_revbuf_seek_task_end_passing() at the end. May be called in any thread of
 * upstream. */
TimePlayRoute gst_revbuf_mode_selector_route (GstRevBufModeSelector * selector,
    GstEvent * event, gboolean * passing);

/* Gives @seek to the seek task, and starts the task if necessary. If GOES_PAST is returned,
 * @seek has been changed into the seek for upstream: send it, then call
 * gst_revbuf_seek_task_seek_past(). May be called in any thread. */
TimePlayAnswer gst_revbuf_mode_selector_seek (GstRevBufModeSelector * selector,
    TimePlaySeek * seek);

/* Returns the position before the first frame has been sent, which the base class does not
 * know: the stream time of that frame, after a seek or while a stream is being collected or
 * fetched. Returns NONE if the base class has to be asked. May be called in any thread. */
GstClockTime
gst_revbuf_mode_selector_get_position (GstRevBufModeSelector * selector);
