/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Functions that send the samples of other pipelines, in order, into one pipeline.
 */

#ifndef RETROGRADE_CGSTREAMER_FEED_H
#define RETROGRADE_CGSTREAMER_FEED_H

#include <gst/app/gstappsrc.h>
#include <gst/gst.h>

/* Prepares an appsink whose samples are sent into another pipeline. Called once, before the
 * first event arrives. The appsink records the tag and TOC events, for cgst_feed_like(). It
 * receives few large buffers instead of many small ones: buffers are joined until they have at
 * least @least_bytes in total. Buffers before and after a DISCONT flag, and before and after a
 * CAPS, SEGMENT or EOS event, are not joined. A joined buffer has the timestamp of its first
 * part, and no duration. */
void cgst_prepare_sink (gpointer appsink, gsize least_bytes);

/* Prepares an appsrc for sending samples from an appsink of another pipeline: sets the caps
 * and the duration of the stream, and makes the appsrc send the recorded events before its
 * first buffer. Returns FALSE if the appsink has not received caps yet. */
gboolean cgst_feed_like (gpointer appsrc, gpointer appsink,
    GstClockTime duration_ns);

/* Waits until the queue of the appsrc has room, then sends the first @size bytes of @buffer
 * without copying them. The caller still owns @buffer. @pts and @duration are in ns. Returns
 * FALSE if the pipeline was stopped or does not accept the buffer. */
gboolean cgst_feed (gpointer appsrc, GstBuffer * buffer, gsize size,
    GstClockTime pts, GstClockTime duration);

/* Sends EOS. */
void cgst_feed_end (gpointer appsrc);

#endif
