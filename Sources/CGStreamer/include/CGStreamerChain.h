/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The elements that a decodebin plugs, and the streams that it exposes.
 */

#ifndef RETROGRADE_CGSTREAMER_CHAIN_H
#define RETROGRADE_CGSTREAMER_CHAIN_H

#include <gst/gst.h>

/* The elements with which a decodebin, at least PAUSED, decodes the stream that it
 * sends to @element, as a description for gst_parse_launch(): "oggdemux .src_00000000
 * ! vorbisdec". Its queues are omitted. NULL if the path branches, passes through a
 * bin, or does not come from a decodebin. */
gchar *cgst_decoding_chain (gpointer element);

/* Links the audio streams of @decodebin to @concat. Streams that are exposed one after
 * another are all linked; of streams that exist at the same time, only the first.
 * @decodebin must not be PAUSED yet. */
void cgst_join_streams (gpointer decodebin, gpointer concat);

/* Makes the first element that @decodebin plugs wait until plugging is done; @decodebin
 * must not have been started. Such an element often reads in its own thread. If it fails
 * meanwhile, because of a malformed MP4 or because nothing is linked yet (as with W64),
 * decodebin (up to 1.28) drops its error, and neither audio nor an end of stream
 * follows. */
void cgst_hold_until_plugged (gpointer decodebin);

#endif
