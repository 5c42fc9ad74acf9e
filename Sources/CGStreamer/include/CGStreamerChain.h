/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The elements that decodebin links, and the streams that it exposes.
 */

#ifndef RETROGRADE_CGSTREAMER_CHAIN_H
#define RETROGRADE_CGSTREAMER_CHAIN_H

#include <gst/gst.h>

/* The elements with which a decodebin decodes the stream that it sends to @element,
 * as a description for gst_parse_launch(): "oggdemux .src_00000000 ! vorbisdec".
 * Queues are omitted. The decodebin must be at least PAUSED. NULL if the elements
 * branch, if there is a bin among them, or if the stream does not come from a
 * decodebin. */
gchar *cgst_decoding_chain (gpointer element);

/* Links the audio streams of @decodebin to @concat. If streams are exposed one after
 * another, all of them are linked. If several streams exist at the same time, only the
 * first one is linked. @decodebin must not be PAUSED yet. */
void cgst_join_streams (gpointer decodebin, gpointer concat);

/* Makes the first element that @decodebin links, such as a demuxer, wait until all
 * elements are linked. @decodebin must not have been started. Such an element often
 * reads in its own thread. Without waiting, it may fail too early, because of a
 * malformed MP4 or because nothing is linked yet (as with W64). decodebin (up to 1.28)
 * then drops the error, and neither audio nor an end of stream follows. */
void cgst_hold_until_plugged (gpointer decodebin);

#endif
