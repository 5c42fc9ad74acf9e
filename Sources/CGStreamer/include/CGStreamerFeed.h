/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Functions that send the samples of other pipelines to a single pipeline, in order.
 */

#ifndef RETROGRADE_CGSTREAMER_FEED_H
#define RETROGRADE_CGSTREAMER_FEED_H

#include <gst/app/gstappsrc.h>
#include <gst/gst.h>

/* Prepares an appsink for passing its samples on to another pipeline. Call it once, before the
 * first event arrives. The appsink records tag and TOC events for cgst_feed_like(). To get a few
 * large buffers instead of many small ones, we join buffers until they add up to at least
 * @least_bytes, but not across a DISCONT flag or a CAPS, SEGMENT or EOS event. A joined buffer
 * has the timestamp of its first part, and no duration. */
void cgst_prepare_sink (gpointer appsink, gsize least_bytes);

/* Prepares an appsrc for sending samples from another pipeline's appsink. Sets the caps and the
 * stream's duration, and makes the appsrc send the recorded events before its first buffer.
 * Returns FALSE if the appsink hasn't received caps yet. */
gboolean cgst_feed_like (gpointer appsrc, gpointer appsink,
    GstClockTime duration_ns);

/* Waits for room in the appsrc's queue, then sends the first @size bytes of @buffer without
 * copying them. You still own @buffer. @pts and @duration are in ns. Returns FALSE if the
 * pipeline was stopped or doesn't accept the buffer. */
gboolean cgst_feed (gpointer appsrc, GstBuffer * buffer, gsize size,
    GstClockTime pts, GstClockTime duration);

void cgst_feed_end (gpointer appsrc);

#endif
