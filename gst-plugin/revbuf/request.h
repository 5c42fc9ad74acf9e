/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A request: another place in the stream that somebody wants to hear.
 */

#ifndef GST_REVBUF_REQUEST_H
#define GST_REVBUF_REQUEST_H

#include <gst/audio/audio.h>

#include "revbuf/properties.h"

G_BEGIN_DECLS

/**
 * GstRevBufRequest:
 * @asked: the segment as the application sees it, in stream time; its rate is
 *   below 0 where it asked for that
 * @segment: what that comes to
 * @resume: from where play is
 * @last_frame: the frame sent before, where play begins; or TIMEDSP_UNKNOWN
 */
typedef struct
{
  GstSegment asked;
  GstSegment segment;
  guint32 seqnum;
  TimeDSPDirection direction;
  gboolean resume;
  gint64 last_frame;
} GstRevBufRequest;

/**
 * gst_revbuf_request_from_segment:
 * @in: what upstream plays
 * @duration_ns: of the stream; NONE: not known
 * @reverse: #revbuf:direction
 * @sought: @in is where somebody has sought to
 * @limited: somebody has asked for the stop of @in. Else a segment that stops at
 *   the duration is an open one: the last frame may lie behind it
 */
void gst_revbuf_request_from_segment (GstRevBufRequest * request,
    const GstSegment * in, GstClockTime duration_ns, gboolean reverse,
    gboolean sought, gboolean limited);

/**
 * gst_revbuf_request_from_seek:
 * @event: (transfer none): of TIME format
 * @now: what was asked before, with the duration of the stream
 * @flush: (out): whether it flushes
 *
 * By what GStreamer does to a segment.
 *
 * Returns: FALSE where it makes no sense.
 */
gboolean gst_revbuf_request_from_seek (GstRevBufRequest * request,
    GstEvent * event, const GstSegment * now, gboolean reverse,
    gboolean * flush);

G_END_DECLS
#endif /* GST_REVBUF_REQUEST_H */
