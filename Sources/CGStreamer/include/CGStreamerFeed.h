/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Samples that come from elsewhere: out of other pipelines, in order, into one.
 */

#ifndef RETROGRADE_CGSTREAMER_FEED_H
#define RETROGRADE_CGSTREAMER_FEED_H

#include <gst/app/gstappsrc.h>
#include <gst/gst.h>

/* Lets an appsink note the tags and chapters that come. */
void cgst_note_events (gpointer appsink);

/* Prepares an appsrc to send the samples of an appsink of another pipeline: sends its
 * format immediately, and before the first buffer the recorded tags and chapters.
 * @duration_ns is the duration of the stream. FALSE if the appsink has received
 * nothing. */
gboolean cgst_feed_like (gpointer appsrc, gpointer appsink,
    GstClockTime duration_ns);

/* Sends the first @size bytes of @buffer, which stays the caller's, and waits until there is room.
 * Nothing is copied. @pts and @duration are in ns. FALSE once the pipeline is stopped, or does not
 * take them. */
gboolean cgst_feed (gpointer appsrc, GstBuffer * buffer, gsize size,
    GstClockTime pts, GstClockTime duration);

/* Nothing more comes. */
void cgst_feed_end (gpointer appsrc);

#endif
