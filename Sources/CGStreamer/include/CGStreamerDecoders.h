/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Choosing decoders.
 */

#ifndef RETROGRADE_CGSTREAMER_DECODERS_H
#define RETROGRADE_CGSTREAMER_DECODERS_H

#include <gst/gst.h>

/* Makes @decodebin decode correctly where GStreamer 1.22 doesn't by default. MP3 goes to
 * mpg123audiodec instead of avdec_mp3, which dithers loud audio, so its output differs each time.
 * FLAC with 7 or 8 channels goes to avdec_flac instead of flacdec, which swaps channels. */
void cgst_prefer_right_decoders (gpointer decodebin);

/* Makes @decodebin decode Opus with avdec_opus instead of opusdec. avdec_opus is three times as
 * fast and outputs floats, but only decodes music (CELT) correctly. */
void cgst_prefer_libav_opus (gpointer decodebin);

#endif
