/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "timedspcpu.h"

#include <stdlib.h>
#include <string.h>

/* Sources/meson.build renames the functions in each variant's object file to these. */
#define VARIANT(cpu) \
  extern __typeof__ (timedsp_reverse) timedsp_reverse_##cpu; \
  extern __typeof__ (timescaler_process) timescaler_process_##cpu; \
  extern __typeof__ (timescaler_drain) timescaler_drain_##cpu; \
  extern __typeof__ (timespeed_read) timespeed_read_##cpu; \
  static const TimeDSPVariant cpu = {#cpu, timedsp_reverse_##cpu, \
    timescaler_process_##cpu, timescaler_drain_##cpu, timespeed_read_##cpu}

VARIANT (baseline);
VARIANT (avx2);

static const TimeDSPVariant *variants[3] = { &baseline };

static const TimeDSPVariant *chosen = &baseline;

static void choose (void) __attribute__((constructor));

static void
choose (void)
{
  const char *wish = getenv ("RETROGRADE_CPU");
  int i, n = 1;

  __builtin_cpu_init ();
  if (__builtin_cpu_supports ("avx2"))
    variants[n++] = &avx2;

  chosen = variants[n - 1];
  for (i = 0; wish != NULL && i < n; i++) {
    if (strcmp (wish, variants[i]->name) == 0)
      chosen = variants[i];
  }
}

const TimeDSPVariant *const *
timedsp_variants (void)
{
  return variants;
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
timescaler_process (TimeScaler * scaler, const void *const *in, size_t frames,
    int silent, void *const *out, size_t capacity, TimeScalerState * state)
{
  return chosen->process (scaler, in, frames, silent, out, capacity, state);
}

TimeDSPStatus
timescaler_drain (TimeScaler * scaler, void *const *out, size_t capacity,
    TimeScalerState * state)
{
  return chosen->drain (scaler, out, capacity, state);
}

TimeDSPStatus
timespeed_read (TimeSpeed * reader, const void *const *in, int64_t first,
    size_t frames, void *const *out, size_t capacity, TimeSpeedState * state)
{
  return chosen->read (reader, in, first, frames, out, capacity, state);
}
