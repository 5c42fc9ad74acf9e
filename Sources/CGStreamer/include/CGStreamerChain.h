/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a decodebin has plugged.
 */

#ifndef RETROGRADE_CGSTREAMER_CHAIN_H
#define RETROGRADE_CGSTREAMER_CHAIN_H

#include <gst/gst.h>

/* The elements that @decodebin, which is PAUSED at least, decodes a stream by, as text for
 * gst_parse_launch(): "oggdemux .src_00000000 ! vorbisdec". Its queues are left out. NULL where
 * it is not one way without a fork, or goes through a bin. */
gchar *cgst_decoding_chain (gpointer decodebin);

#endif
