/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * mode=collect: stores a whole stream, and sends it backwards when it has ended.
 */

#pragma once

#include "revbuf/gstrevbuf.h"

/* Starts to collect the audio of @segment. Its rate must be positive. gst_revbuf_collect_drain()
 * sends the segment and the audio. All functions run in the streaming thread of the element. */
GstRevBufCollect *gst_revbuf_collect_new (GstRevBuf * revbuf, const GstSegment * segment);

void gst_revbuf_collect_free (GstRevBufCollect * collect);

/* Sets the stop of the segment to @stop_ns. Returns FALSE if the segment has already been
 * sent. */
gboolean gst_revbuf_collect_extend (GstRevBufCollect * collect,
    GstClockTime stop_ns);

/* Stores @buffer (transfer full). */
GstFlowReturn gst_revbuf_collect_process (GstRevBufCollect * collect,
    GstBuffer * buffer);

/* Sends the segment and all stored audio, the last frame first. */
GstFlowReturn gst_revbuf_collect_drain (GstRevBufCollect * collect);
