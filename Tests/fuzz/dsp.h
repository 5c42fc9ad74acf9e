/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The parts of the fuzzer for the C interface. Each part reads the input of the
 * fuzzer from the current position to the end, derives calls from this input,
 * and checks what the headers promise.
 */

#ifndef FUZZ_DSP_H
#define FUZZ_DSP_H

#include <math.h>
#include <string.h>

#include <corebridge.h>

#include "fuzzinput.h"

/** Passes streams through scalers, in two different block sizes. */
void fuzz_scaler (FuzzInput * input);

/** Passes streams through stretchers, in two different block sizes. */
void fuzz_stretch (FuzzInput * input);

/** Scales whole arrays to a given length. */
void fuzz_endpoints (FuzzInput * input);

/* ---- arrays of frames (dspframes.c) --------------------------------------- */

/** Frames, in memory blocks of exactly the required size. */
typedef struct
{
  void *planes[TIMEDSP_MAX_CHANNELS];
  unsigned n_planes;
  size_t frame_bytes;           /* bytes per frame in a plane */
  size_t frames;
  size_t room_bytes;            /* size of each memory block */
} FuzzFrames;

/** Allocates memory for @frames frames in the format @config. */
FuzzFrames *fuzz_frames_new (const TimeDSPConfig * config, size_t frames);
void fuzz_frames_free (FuzzFrames * frames);

/** Returns @frames frames of a stream, beginning with frame @first. If @wild is true, the
 * samples have random bits; otherwise, they are from -1 to 1. */
FuzzFrames *fuzz_frames_of_stream (const TimeDSPConfig * config,
    uint64_t first, size_t frames, uint64_t seed, bool wild);

/** Appends the first @frames frames of @more to @all, and frees @more. */
void fuzz_frames_append (FuzzFrames * all, FuzzFrames * more, size_t frames);

void fuzz_frames_require_equal (const FuzzFrames * one,
    const FuzzFrames * other);

/** Requires that all samples are in the range that scaling samples from -1 to 1 can
 * give. */
void fuzz_frames_require_sound (const FuzzFrames * frames,
    const TimeDSPConfig * config);

/* Returns a random capacity, in frames, for the output of @frames frames. The capacity
 * grows with @frames, because too many small blocks would take too long. */
size_t fuzz_room (FuzzInput * input, size_t frames);

/** Returns a configuration that may be invalid. fuzz_config_is_sound() returns whether a
 * configuration is valid. */
TimeDSPConfig fuzz_config (FuzzInput * input);
bool fuzz_config_is_sound (const TimeDSPConfig * config);

bool fuzz_factor_is_sound (double factor);

/** Requires that @made is floor (@in_frames × @factor). A @factor of 0 means that the
 * factor has changed during the stream; the length is then not checked. */
void fuzz_require_length (uint64_t in_frames, double factor, uint64_t made);

#endif /* FUZZ_DSP_H */
