/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * fuzzgst: functions for the fuzzers of the elements. The elements are linked into the
 * program. A critical from GLib or GStreamer ends it, and so does an assertion of
 * retrotest.h that fails.
 */

#ifndef FUZZ_GST_H
#define FUZZ_GST_H

#include "fuzzinput.h"
#include "../plugin/support/retrotest.h"

/* the entry points of libFuzzer */
int LLVMFuzzerInitialize (int *argc, char ***argv);
int LLVMFuzzerTestOneInput (const uint8_t * data, size_t size);

/** Set while this thread runs code of others, which may log warnings. */
void fuzz_tolerate_warnings (bool tolerate);

/** A format that a pad of revbuf, or of both elements, accepts. */
void fuzz_info (FuzzInput * input, gboolean for_timescale, GstAudioInfo * info);

/** A time: small, large, NONE, or near a limit. */
GstClockTime fuzz_time (FuzzInput * input);

/** A factor that timescale accepts. */
gdouble fuzz_factor (FuzzInput * input);

/* ---- the two parts of fuzz_elements --------------------------------------- */

/** A correct stream in any format, in buffers of any size: the output is known to the
 * frame. */
void fuzz_laws (FuzzInput * input);

/** Random events: the output must be consistent, and afterwards a stream must be
 * processed as usual. */
void fuzz_chaos (FuzzInput * input);

#endif /* FUZZ_GST_H */
