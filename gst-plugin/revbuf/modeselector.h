/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * modeselector: decides what is done with a stream that arrives, and whether its
 * buffers and events are for the base class or for the seek task.
 */

#ifndef GST_REVBUF_MODESELECTOR_H
#define GST_REVBUF_MODESELECTOR_H

#include "revbuf/taskstarter.h"

G_BEGIN_DECLS

/* What is done with a stream. */
typedef enum
{
  GST_REVBUF_PATH_PASS,            /* nothing, or what the base class has done */
  GST_REVBUF_PATH_COLLECT,
  GST_REVBUF_PATH_CHUNK,
  GST_REVBUF_PATH_SEEK             /* for the seek task, once it can start */
} GstRevBufPath;

/* The stream of forward @segment, which has arrived as one for the seek task,
 * is collected instead. Streaming thread. */
typedef void (*GstRevBufCollectFunc) (GstRetroFilter * filter,
    const GstSegment * segment);

/**
 * GstRevBufModeSelector:
 *
 * Decides what is done with a stream, and passes what arrives at the sink pad
 * either to the seek task or to the base class.
 */
typedef struct _GstRevBufModeSelector GstRevBufModeSelector;

/**
 * gst_revbuf_mode_selector_new:
 * @settings: those of the element, under its object lock
 */
GstRevBufModeSelector *gst_revbuf_mode_selector_new (GstRetroFilter * filter,
    GstRevBufSeekTask * task, GstRevBufTaskStarter * starter,
    const GstRevBufSettings * settings, GstRevBufCollectFunc collect);
void gst_revbuf_mode_selector_free (GstRevBufModeSelector * selector);

/* The element starts. */
void gst_revbuf_mode_selector_open (GstRevBufModeSelector * selector);

/* The element stops: from now on the seek task is not started any more. */
void gst_revbuf_mode_selector_close (GstRevBufModeSelector * selector);

/**
 * gst_revbuf_mode_selector_set_segment:
 * @settings: a copy
 * @segment: of what arrives now, already forward
 *
 * Returns: what is done with it. Streaming thread.
 */
GstRevBufPath
gst_revbuf_mode_selector_set_segment (GstRevBufModeSelector * selector,
    const GstRevBufSettings * settings, const GstSegment * segment);

/* Forgets the stream. Streaming thread. */
void gst_revbuf_mode_selector_reset (GstRevBufModeSelector * selector);

/* Streaming thread. */
GstRevBufPath
gst_revbuf_mode_selector_get_path (const GstRevBufModeSelector * selector);

/* What upstream's threads bring to the sink pad (transfer full). */
GstFlowReturn gst_revbuf_mode_selector_chain (GstRevBufModeSelector * selector,
    GstBuffer * buffer);
gboolean gst_revbuf_mode_selector_event (GstRevBufModeSelector * selector,
    GstEvent * event);

/* Any thread: stream time of what is heard first, while nothing of a stream
 * that is collected or sought has been; NONE: ask the base class. */
GstClockTime
gst_revbuf_mode_selector_get_position (GstRevBufModeSelector * selector);

G_END_DECLS
#endif /* GST_REVBUF_MODESELECTOR_H */
