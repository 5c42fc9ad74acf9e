/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Compares interpolations with those of GStreamer, libsamplerate and soxr: ns per
 * output sample, for endless streams, block by block.
 */

#include "kernels.h"
#include "resamplers.h"
#include "rounds.h"

#include <stdio.h>

static const char *const format_names[] = { "S16", "S32", "F32", "F64" };
static const int channel_counts[] = { 1, 2, 6, 8 };

/* Output durations relative to the input. The first ratio is measured in all
 * formats. The last ratio is not one of small integers. */
static const Ratio ratios[] = {
  {10, 11}, {1, 2}, {147, 160}, {11, 10}, {2, 1}, {912345, 1000000}
};

static double
step (void *data)
{
  return resampler_step (data);
}

/* Measures all libraries that support the format, in turn. */
static void
measure (Ratio ratio, TimeDSPFormat format, int channels)
{
  Runner runners[MAX_RUNNERS];
  int n_runners = 0, i;

  for (i = 0; i < n_resampler_kinds && n_runners < MAX_RUNNERS; i++) {
    Resampler *resampler =
        resampler_new (&resampler_kinds[i], ratio, format, channels);

    if (resampler == NULL)
      continue;
    runners[n_runners] = (Runner) {
    "", step, resampler, 0};
    snprintf (runners[n_runners++].name, sizeof (runners[0].name), "%s",
        resampler_kinds[i].name);
  }
  rounds_run (runners, n_runners);
  for (i = 0; i < n_runners; i++) {
    printf ("resampling\t%d/%d\t%s\t%d\t%s\t%.3f\n", ratio.out, ratio.in,
        format_names[format], channels, runners[i].name, runners[i].unit_ns);
    resampler_free (runners[i].data);
  }
}

void
measure_resampling (void)
{
  const int n_ratios = sizeof (ratios) / sizeof (ratios[0]);
  int format, i;

  for (format = TIMEDSP_S16; format <= TIMEDSP_F64; format++) {
    for (i = 0; i < 4; i++)
      measure (ratios[0], format, channel_counts[i]);
  }
  for (i = 1; i < n_ratios; i++)
    measure (ratios[i], TIMEDSP_F32, 2);
}
