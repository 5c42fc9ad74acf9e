/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * fuzzgst: functions that the fuzzers of the elements share. The elements are part of
 * the program. A critical warning of GLib or GStreamer, and a check of retrotest.h that
 * fails, end it.
 */

#ifndef FUZZ_GST_H
#define FUZZ_GST_H

#include "fuzzinput.h"
#include "../plugin/support/retrotest.h"

/* the entry points of libFuzzer */
int LLVMFuzzerInitialize (int *argc, char ***argv);
int LLVMFuzzerTestOneInput (const uint8_t * data, size_t size);

/** Whether this thread is in code that is not ours, which may complain. */
void fuzz_tolerate_warnings (bool tolerate);

/** A format that a pad of the elements takes: of revbuf, or of both. */
void fuzz_info (FuzzInput * input, gboolean for_timescale, GstAudioInfo * info);

/** A time: small, large, NONE, or on an edge of something. */
GstClockTime fuzz_time (FuzzInput * input);

/** A factor that timescale takes. */
gdouble fuzz_factor (FuzzInput * input);

/* ---- the two parts of fuzz_elements --------------------------------------- */

/** A correct stream, in any format and any cuts: the output is known to the frame. */
void fuzz_laws (FuzzInput * input);

/** Anything at all: the output has to fit together, and afterwards a stream is treated
 * as if nothing had happened. */
void fuzz_chaos (FuzzInput * input);

#endif /* FUZZ_GST_H */
