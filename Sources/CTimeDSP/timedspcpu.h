/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * timedspcpu.h: on x86-64, the functions that process samples are compiled twice: for
 * every such processor, and for those with AVX2. Both variants use the same data
 * structures, and give the same results bit for bit.
 *
 * The choice is made when the code is loaded: the last variant that the processor can
 * run, or the one that RETROGRADE_CPU names ("baseline" or "avx2"). The functions
 * declared in timedsp.h and timescale.h are those of that variant.
 */

#ifndef TIMEDSP_CPU_H
#define TIMEDSP_CPU_H

#include "timescale.h"

typedef TimeDSPStatus (TimeDSPReverse) (const void *in, void *out,
    size_t frames, size_t frame_bytes);
typedef void (TimeScaleProcess) (TimeScaleAction * action,
    const void *const *in, void *const *out);

typedef struct {
  const char *name;
  TimeDSPReverse *reverse;
  TimeScaleProcess *scale;
} TimeDSPVariant;

/** The variants that this processor can run, "baseline" first; then NULL. */
const TimeDSPVariant *const *timedsp_variants (void);

/** The variant in use. */
const TimeDSPVariant *timedsp_chosen_variant (void);

#endif /* TIMEDSP_CPU_H */
