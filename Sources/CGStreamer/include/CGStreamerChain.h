/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Starting a decodebin.
 */

#ifndef RETROGRADE_CGSTREAMER_CHAIN_H
#define RETROGRADE_CGSTREAMER_CHAIN_H

#include <gst/gst.h>

/* Makes the first element that @decodebin adds after typefind, normally a demuxer, wait until
 * decodebin has linked and started it. Otherwise its own thread may fail before that, because of
 * a malformed MP4 or because it isn't linked yet (as with W64). decodebin (up to 1.28) then drops
 * the error, and you get neither audio nor an end of stream. Call this before you start
 * @decodebin. */
void cgst_hold_until_plugged (gpointer decodebin);

#endif
