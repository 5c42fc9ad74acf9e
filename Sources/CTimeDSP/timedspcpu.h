/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * timedspcpu.h: on x86-64, we compile the functions that process samples twice, once for any CPU
 * and once for CPUs with AVX2. Both variants use the same data structures, and give the same
 * results bit for bit.
 *
 * When the library is loaded, it picks the fastest variant that the CPU can run, or the one named
 * by RETROGRADE_CPU ("baseline" or "avx2"). timedsp_reverse(), timescaler_process(),
 * timescaler_drain() and timespeed_read() call that variant.
 */

#pragma once

#include "timescale.h"
#include "timespeed.h"

typedef struct {
  const char *name;
  __typeof__ (timedsp_reverse) *reverse;
  __typeof__ (timescaler_process) *process;
  __typeof__ (timescaler_drain) *drain;
  __typeof__ (timespeed_read) *read;
} TimeDSPVariant;

/** The variants that this CPU can run, fastest last, followed by NULL. */
const TimeDSPVariant *const *timedsp_variants (void);

/** The variant that was picked when the library was loaded. */
const TimeDSPVariant *timedsp_chosen_variant (void);
