/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * resamplers.h: ours and those of other libraries behind one interface.
 */

#ifndef RESAMPLERS_H
#define RESAMPLERS_H

#include <timedsp.h>

/** Frames of output by frames of input: a factor, as a fraction. */
typedef struct {
  int out, in;
} Ratio;

typedef struct _Resampler Resampler;

typedef struct {
  const char *name;
  /** Makes @resampler ready; false if it cannot do this. @option is the one
   * below. */
  int (*open) (Resampler * resampler, int option);
  /** Takes one block of input; returns the frames that it made. */
  size_t (*run) (Resampler * resampler);
  void (*close) (Resampler * resampler);
  int option;
} ResamplerKind;

/** Frames of input in a block. */
#define BLOCK_FRAMES 4096

struct _Resampler {
  const ResamplerKind *kind;
  Ratio ratio;
  TimeDSPFormat format;
  int channels;
  void *in, *out;               /**< one block, and room for what it makes */
  size_t out_capacity;          /**< frames */
  void *state;                  /**< of the library */
};

extern const ResamplerKind resampler_kinds[];
extern const int n_resampler_kinds;

/** NULL if that kind does not know the format. */
Resampler *resampler_new (const ResamplerKind * kind, Ratio ratio,
    TimeDSPFormat format, int channels);
void resampler_free (Resampler * resampler);

/** Resamples one block; returns how many samples came out. */
double resampler_step (Resampler * resampler);

#endif /* RESAMPLERS_H */
