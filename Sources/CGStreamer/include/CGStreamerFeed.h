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

/* Makes an appsink record the tags and chapters that arrive. */
void cgst_note_events (gpointer appsink);

/* Prepares an appsrc to send the samples from an appsink of another pipeline. Sends
 * the caps immediately, and the recorded tags and chapters before the first buffer.
 * @duration_ns is the duration of the stream. Returns FALSE if the appsink has not
 * received caps yet. */
gboolean cgst_feed_like (gpointer appsrc, gpointer appsink,
    GstClockTime duration_ns);

/* Sends the first @size bytes of @buffer without copying them, and waits until the queue
 * has room. The caller still owns @buffer. @pts and @duration are in ns. Returns FALSE
 * if the pipeline was stopped or does not accept the buffer. */
gboolean cgst_feed (gpointer appsrc, GstBuffer * buffer, gsize size,
    GstClockTime pts, GstClockTime duration);

/* Sends the end of stream. */
void cgst_feed_end (gpointer appsrc);

#endif
