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
 * declared in timedsp.h, timestretch.h and timescale.h are those of that variant.
 */

#ifndef TIMEDSP_CPU_H
#define TIMEDSP_CPU_H

#include "timedsp.h"
#include "timescale.h"

typedef TimeDSPStatus (TimeDSPReverse) (const void *in, void *out,
    size_t frames, size_t frame_bytes);
typedef TimeDSPStatus (TimeDSPProcess) (TimeDSPScaler * scaler,
    const void *const *in, size_t in_frames, void *const *out,
    size_t out_capacity, size_t *frames_used, size_t *frames_made);
typedef TimeDSPStatus (TimeDSPFinish) (TimeDSPScaler * scaler,
    void *const *out, size_t out_capacity, size_t *frames_made);
typedef TimeDSPStatus (TimeStretchProcess) (TimeStretcher * stretcher,
    const void *const *in, size_t in_frames, void *const *out,
    size_t out_capacity, TimeStretchProgress * progress);
typedef TimeDSPStatus (TimeStretchFinish) (TimeStretcher * stretcher,
    void *const *out, size_t out_capacity, TimeStretchProgress * progress);

typedef void (TimeScaleProcess) (TimeScaleAction * action,
    const void *const *in, void *const *out);

typedef struct {
  const char *name;
  TimeDSPReverse *reverse;
  TimeDSPProcess *process;
  TimeDSPFinish *finish;
  TimeStretchProcess *stretch;
  TimeStretchFinish *finish_stretch;
  TimeScaleProcess *scale;
} TimeDSPVariant;

/** The variants that this processor can run, "baseline" first; then NULL. */
const TimeDSPVariant *const *timedsp_variants (void);

/** The variant in use. */
const TimeDSPVariant *timedsp_chosen_variant (void);

#endif /* TIMEDSP_CPU_H */
