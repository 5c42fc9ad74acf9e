/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a decodebin has plugged, and the streams that it shows.
 */

#ifndef RETROGRADE_CGSTREAMER_CHAIN_H
#define RETROGRADE_CGSTREAMER_CHAIN_H

#include <gst/gst.h>

/* The elements by which a decodebin, PAUSED at least, decodes what it sends to @element, as text
 * for gst_parse_launch(): "oggdemux .src_00000000 ! vorbisdec". Its queues are left out. NULL
 * where the way forks, goes through a bin, or does not come from a decodebin. */
gchar *cgst_decoding_chain (gpointer element);

/* Lets the audio streams that a @decodebin, not yet PAUSED, shows one after the other flow into
 * @concat; of several at a time, the first. */
void cgst_join_streams (gpointer decodebin, gpointer concat);

#endif
