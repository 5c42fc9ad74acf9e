/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The parts of the fuzzer of the C interface. Each uses the rest of the input, makes
 * calls of it, and checks the promises of the headers.
 */

#ifndef FUZZ_DSP_H
#define FUZZ_DSP_H

#include <math.h>
#include <string.h>

#include <corebridge.h>
#include <timeplay.h>

#include "fuzzinput.h"

/** Streams through scalers, cut in two different ways. */
void fuzz_scaler (FuzzInput * input);

/** Streams through stretchers, cut in two different ways. */
void fuzz_stretch (FuzzInput * input);

/** Streams of buffers through sessions. */
void fuzz_scale (FuzzInput * input);

/** Whole arrays scaled to a length. */
void fuzz_endpoints (FuzzInput * input);

void fuzz_reverse (FuzzInput * input);
void fuzz_times (FuzzInput * input);
void fuzz_scaled_times (FuzzInput * input);
void fuzz_kept (FuzzInput * input);
void fuzz_store (FuzzInput * input);

/** Calls that no caller should make: NULL, sizes beyond memory. */
void fuzz_wrong_calls (FuzzInput * input);

/* ---- arrays of frames (dspframes.c) --------------------------------------- */

/** Frames in memory of their own, of which not a byte too much is theirs. */
typedef struct
{
  void *planes[TIMEDSP_MAX_CHANNELS];
  unsigned n_planes;
  size_t frame_bytes;           /* of a plane */
  size_t frames;
  size_t room_bytes;            /* in each plane */
} FuzzFrames;

/** Room for @frames frames of a sound @config. */
FuzzFrames *fuzz_frames_new (const TimeDSPConfig * config, size_t frames);
void fuzz_frames_free (FuzzFrames * frames);

/** Frame @first of a stream and those after it. They are in -1 … 1, or any bits at all
 * if @wild. */
FuzzFrames *fuzz_frames_of_stream (const TimeDSPConfig * config,
    uint64_t first, size_t frames, uint64_t seed, bool wild);

/** Appends the first @frames frames of @more, and frees it. */
void fuzz_frames_append (FuzzFrames * all, FuzzFrames * more, size_t frames);

void fuzz_frames_require_equal (const FuzzFrames * one,
    const FuzzFrames * other);

/** All samples of a stream that is not wild lie where they can be. */
void fuzz_frames_require_sound (const FuzzFrames * frames,
    const TimeDSPConfig * config);

/** A size of output for this many frames: not so small that it takes very long. */
size_t fuzz_room (FuzzInput * input, size_t frames);

/** A configuration that may have anything wrong; whether it is sound. */
TimeDSPConfig fuzz_config (FuzzInput * input);
bool fuzz_config_is_sound (const TimeDSPConfig * config);

bool fuzz_factor_is_sound (double factor);

/** @in_frames frames at one @factor made floor (@in_frames × @factor); 0 says that the
 * factor was not one. */
void fuzz_require_length (uint64_t in_frames, double factor, uint64_t made);

#endif /* FUZZ_DSP_H */
