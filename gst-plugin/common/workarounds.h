/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * workarounds for bugs in GStreamer's own elements. Delete one when the oldest GStreamer that we
 * support has the fix. Any thread.
 */

#pragma once

#include <gst/gst.h>

/* tsdemux before 1.24 sends FLUSH_START, then refuses a segment seek, and never sends
 * FLUSH_STOP. */
gboolean gst_retro_refuses_segment_seeks (GstElement * element);

/* auparse (up to 1.28) keeps the rest of a frame across a flush, so after a seek its audio is
 * noise. That happens with 24 bits and with 3, 5, 6 or 7 channels. */
gboolean gst_retro_cuts_frames (GstElement * element);

/* souphttpsrc (up to 1.28) says that every file of known size is seekable, and then fails to seek
 * if the server doesn't support ranges. Returns TRUE if @pad has a response from such a server. */
gboolean gst_retro_lacks_ranges (GstPad * pad);

/* Replaces gst_object_sync_values(), which (up to 1.28) walks the list without the lock, and may
 * use a binding that the application has just removed. Nothing happens if @time_ns is NONE. */
void gst_retro_sync_values (GstObject * object, GstClockTime time_ns);
