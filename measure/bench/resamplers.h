/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * resamplers.h: a common interface for our resampler and those of other libraries.
 */

#ifndef RESAMPLERS_H
#define RESAMPLERS_H

#include <timedsp.h>

/** Output frames / input frames: a factor as a fraction. */
typedef struct {
  int out, in;
} Ratio;

typedef struct _Resampler Resampler;

typedef struct {
  const char *name;
  /** Prepares @resampler for the option @option of this kind; returns false if the
   * library does not support the format or the ratio. */
  int (*open) (Resampler * resampler, int option);
  /** Resamples one block of input; returns the number of output frames. */
  size_t (*run) (Resampler * resampler);
  void (*close) (Resampler * resampler);
  int option;
} ResamplerKind;

/** Input frames per block. */
#define BLOCK_FRAMES 4096

struct _Resampler {
  const ResamplerKind *kind;
  Ratio ratio;
  TimeDSPFormat format;
  int channels;
  void *in, *out;               /**< one block, and memory for its output */
  size_t out_capacity;          /**< frames */
  void *state;                  /**< state of the library */
};

extern const ResamplerKind resampler_kinds[];
extern const int n_resampler_kinds;

/** Returns NULL if this library does not support the format. */
Resampler *resampler_new (const ResamplerKind * kind, Ratio ratio,
    TimeDSPFormat format, int channels);
void resampler_free (Resampler * resampler);

/** Resamples one block; returns the number of output samples. */
double resampler_step (Resampler * resampler);

#endif /* RESAMPLERS_H */
