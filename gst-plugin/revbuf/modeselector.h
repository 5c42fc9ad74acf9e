/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * modeselector: chooses how a stream is handled, and forwards its buffers and events to
 * the base class or to the seek task.
 */

#pragma once

#include "revbuf/seektask.h"

/* How a stream is handled. */
typedef enum
{
  GST_REVBUF_PATH_PASS,            /* no change but that of the base class */
  GST_REVBUF_PATH_COLLECT,
  GST_REVBUF_PATH_CHUNK,
  GST_REVBUF_PATH_SEEK             /* for the seek task, once it can start */
} GstRevBufPath;

/* Starts to collect the stream of forward @segment, which was meant for the seek task.
 * Streaming thread. */
typedef void (*GstRevBufCollectFunc) (GstRetroFilter * filter,
    const GstSegment * segment);

typedef struct _GstRevBufModeSelector GstRevBufModeSelector;

/* @settings: the settings of the element, under its object lock. */
GstRevBufModeSelector *gst_revbuf_mode_selector_new (GstRetroFilter * filter,
    GstRevBufSeekTask * task,
    const GstRevBufSettings * settings, GstRevBufCollectFunc collect);
void gst_revbuf_mode_selector_free (GstRevBufModeSelector * selector);

/* The element starts. */
void gst_revbuf_mode_selector_open (GstRevBufModeSelector * selector);

/* The element stops: the seek task is not started any more. */
void gst_revbuf_mode_selector_close (GstRevBufModeSelector * selector);

/* Starts @segment, which is already forward, with a copy of the @settings. Returns how it
 * is handled. Streaming thread. */
GstRevBufPath
gst_revbuf_mode_selector_set_segment (GstRevBufModeSelector * selector,
    const GstRevBufSettings * settings, const GstSegment * segment);

/* Forgets the stream. Streaming thread. */
void gst_revbuf_mode_selector_reset (GstRevBufModeSelector * selector);

/* Streaming thread. */
GstRevBufPath
gst_revbuf_mode_selector_get_path (const GstRevBufModeSelector * selector);

/* Handle buffers and events (transfer full) of the sink pad. Upstream's threads. */
GstFlowReturn gst_revbuf_mode_selector_chain (GstRevBufModeSelector * selector,
    GstBuffer * buffer);
gboolean gst_revbuf_mode_selector_event (GstRevBufModeSelector * selector,
    GstEvent * event);

/* Calls gst_revbuf_seek_task_start_by_seek(), if the task plays backwards in @mode. Any
 * thread. */
gboolean gst_revbuf_mode_selector_start_by_seek (GstRevBufModeSelector *
    selector, GstRevBufMode mode, const TimePlaySeek * seek);

/* Stream time of the frame that will be output first, until a collected or fetched stream
 * has output anything; NONE: ask the base class. Any thread. */
GstClockTime
gst_revbuf_mode_selector_get_position (GstRevBufModeSelector * selector);
