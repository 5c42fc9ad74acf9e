/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The elements that a decodebin plugs, and the streams that it exposes.
 */

#ifndef RETROGRADE_CGSTREAMER_CHAIN_H
#define RETROGRADE_CGSTREAMER_CHAIN_H

#include <gst/gst.h>

/* The elements by which a decodebin, PAUSED at least, decodes the stream that it sends
 * to @element, as text for gst_parse_launch(): "oggdemux .src_00000000 ! vorbisdec".
 * Its queues are left out. NULL if the path branches, goes through a bin, or does not
 * come from a decodebin. */
gchar *cgst_decoding_chain (gpointer element);

/* Lets the audio streams that a @decodebin, not yet PAUSED, shows one after the other flow into
 * @concat; of several at a time, the first. */
void cgst_join_streams (gpointer decodebin, gpointer concat);

/* Lets the first element that @decodebin plugs read nothing before that is done; @decodebin has not
 * been started. Such an element often reads in a thread of its own. Where it fails in the meantime,
 * as in a malformed MP4, or since nothing is linked to it yet, as with W64, decodebin (up to 1.28)
 * drops its error, and neither sound nor an end ever comes. */
void cgst_hold_until_plugged (gpointer decodebin);

#endif
