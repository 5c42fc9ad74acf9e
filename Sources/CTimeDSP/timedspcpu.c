/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "timedspcpu.h"

/* what Sources/meson.build calls them in the two objects */
extern TimeDSPReverse timedsp_reverse_baseline;
extern TimeDSPReverse timedsp_reverse_avx2;
extern TimeDSPProcess timedsp_scaler_process_baseline;
extern TimeDSPProcess timedsp_scaler_process_avx2;
extern TimeDSPFinish timedsp_scaler_finish_baseline;
extern TimeDSPFinish timedsp_scaler_finish_avx2;

const TimeDSPVariant timedsp_baseline = {
  timedsp_reverse_baseline, timedsp_scaler_process_baseline,
  timedsp_scaler_finish_baseline
};

const TimeDSPVariant timedsp_avx2 = {
  timedsp_reverse_avx2, timedsp_scaler_process_avx2,
  timedsp_scaler_finish_avx2
};

static const TimeDSPVariant *chosen = &timedsp_baseline;

static void choose (void) __attribute__((constructor));

static void
choose (void)
{
  const char *wish = getenv ("RETROGRADE_CPU");

  __builtin_cpu_init ();
  if (__builtin_cpu_supports ("avx2")
      && (wish == NULL || strcmp (wish, "baseline") != 0))
    chosen = &timedsp_avx2;
}

const TimeDSPVariant *
timedsp_chosen_variant (void)
{
  return chosen;
}

TimeDSPStatus
timedsp_reverse (const void *in, void *out, size_t frames, size_t frame_bytes)
{
  return chosen->reverse (in, out, frames, frame_bytes);
}

TimeDSPStatus
timedsp_scaler_process (TimeDSPScaler * scaler,
    const void *const *in, size_t in_frames, void *const *out,
    size_t out_capacity, size_t *frames_used, size_t *frames_made)
{
  return chosen->process (scaler, in, in_frames, out, out_capacity,
      frames_used, frames_made);
}

TimeDSPStatus
timedsp_scaler_finish (TimeDSPScaler * scaler, void *const *out,
    size_t out_capacity, size_t *frames_made)
{
  return chosen->finish (scaler, out, out_capacity, frames_made);
}
