/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * fuzzgst: functions for the fuzzers of the elements. The elements are linked into the
 * program. The program ends if GLib or GStreamer logs a critical, or if an assertion of
 * retrotest.h fails.
 */

#ifndef FUZZ_GST_H
#define FUZZ_GST_H

#include "fuzzinput.h"
#include "../plugin/support/retrotest.h"

/* the entry points of libFuzzer */
int LLVMFuzzerInitialize (int *argc, char ***argv);
int LLVMFuzzerTestOneInput (const uint8_t * data, size_t size);

/* Sets whether the program tolerates criticals of this thread. Criticals are
 * tolerated while this thread runs code of other projects. */
void fuzz_tolerate_warnings (bool tolerate);

/** Chooses a format that revbuf accepts. If @for_timescale is TRUE, timescale accepts it,
 * too. */
void fuzz_info (FuzzInput * input, gboolean for_timescale, GstAudioInfo * info);

/** Returns a time: small, large, NONE, or near a limit. */
GstClockTime fuzz_time (FuzzInput * input);

/** Returns a factor that timescale accepts. */
gdouble fuzz_factor (FuzzInput * input);

/* ---- the two parts of fuzz_elements --------------------------------------- */

/* Passes a correct stream through an element, in any format, and in buffers of
 * any size. Each frame of the output is compared with the expected frame. */
void fuzz_laws (FuzzInput * input);

/** Sends random events to an element. The output must be consistent. Afterwards, a stream
 * must be processed as usual. */
void fuzz_chaos (FuzzInput * input);

#endif /* FUZZ_GST_H */
