/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The elements that decodebin links, and the streams that it exposes.
 */

#ifndef RETROGRADE_CGSTREAMER_CHAIN_H
#define RETROGRADE_CGSTREAMER_CHAIN_H

#include <gst/gst.h>

/* The elements inside a decodebin that decode the stream going to @element, as a description for
 * gst_parse_launch(), such as "oggdemux .src_00000000 ! vorbisdec". Leaves out queues. The
 * decodebin must be at least PAUSED. NULL if an element has several inputs, if there's a bin
 * among the elements, or if the stream doesn't come from a decodebin. */
gchar *cgst_decoding_chain (gpointer element);

/* Makes the first element that @decodebin adds after typefind, normally a demuxer, wait until
 * decodebin has linked and started it. Otherwise its own thread may fail before that, because of
 * a malformed MP4 or because it isn't linked yet (as with W64). decodebin (up to 1.28) then drops
 * the error, and you get neither audio nor an end of stream. Call this before you start
 * @decodebin. */
void cgst_hold_until_plugged (gpointer decodebin);

#endif
