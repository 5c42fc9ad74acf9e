/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Decoders: which of them we use, how we set it up, and measurements of its input and output.
 */

#ifndef RETROGRADE_CGSTREAMER_DECODERS_H
#define RETROGRADE_CGSTREAMER_DECODERS_H

#include <gst/gst.h>
#include <stdint.h>

/* Makes @decodebin decode right where GStreamer 1.22 doesn't by default. MP3 goes to
 * mpg123audiodec instead of avdec_mp3, which adds dither to loud audio, so that its output
 * differs each time. FLAC of 7 and 8 channels goes to avdec_flac instead of flacdec, which
 * swaps channels. Opus gets the phase inversion that its encoder meant. */
void cgst_prefer_right_decoders (gpointer decodebin);

/* Sets up the decoders of a @pipeline without a decodebin. */
void cgst_set_up_decoders (gpointer pipeline);

/* Makes @decodebin decode Opus with avdec_opus instead of opusdec. avdec_opus is three times
 * as fast and outputs floats, but decodes only music (CELT) correctly. */
void cgst_prefer_libav_opus (gpointer decodebin);

/* Bits per sample, if @caps are those of ALAC or FLAC. Otherwise, it's 0 or 1. */
guint cgst_stored_bits (GstCaps * caps);

/* Number of frames of the stream, if @caps are those of FLAC whose header states it. Otherwise,
 * it's 0. */
guint64 cgst_flac_frames (GstCaps * caps);

/* The stream time, or the timestamp, of the buffer with which a sink is paused, or
 * GST_CLOCK_TIME_NONE. */
GstClockTime cgst_preroll_time (gpointer sink, gboolean is_stream_time);

/* The data that has reached an element: bytes, the sum of the durations of the buffers in ns, the end
 * of the last buffer in ns, and the sum of the gaps between buffers in ns. */
typedef struct
{
  uint64_t bytes, end_bytes, length_ns, end_ns, gaps_ns;
} CGstTally;

/* Counts what reaches @element from now on. Keep @tally until the threads have stopped. */
void cgst_tally (gpointer element, CGstTally * tally);

#endif
