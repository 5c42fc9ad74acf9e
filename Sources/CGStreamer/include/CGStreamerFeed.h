/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Feeding the samples of other pipelines, in order, into one pipeline.
 */

#ifndef RETROGRADE_CGSTREAMER_FEED_H
#define RETROGRADE_CGSTREAMER_FEED_H

#include <gst/app/gstappsrc.h>
#include <gst/gst.h>

/* Makes an appsink record the tags and chapters that arrive. */
void cgst_note_events (gpointer appsink);

/* Prepares an appsrc to send the samples from an appsink of another pipeline: sends
 * the caps immediately, and the recorded tags and chapters before the first buffer.
 * @duration_ns is the duration of the stream. FALSE if the appsink has received
 * nothing. */
gboolean cgst_feed_like (gpointer appsrc, gpointer appsink,
    GstClockTime duration_ns);

/* Sends the first @size bytes of @buffer, which still belongs to the caller, and waits
 * until there is room. Nothing is copied. @pts and @duration are in ns. Returns FALSE if
 * the pipeline was stopped or does not accept them. */
gboolean cgst_feed (gpointer appsrc, GstBuffer * buffer, gsize size,
    GstClockTime pts, GstClockTime duration);

/* Sends the end of stream. */
void cgst_feed_end (gpointer appsrc);

#endif
