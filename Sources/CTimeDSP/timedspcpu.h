/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * timedspcpu.h: the functions that samples flow through, which on x86-64 are
 * compiled twice: for every such processor, and for those with AVX2. A scaler
 * looks the same to both, and both give the same results bit for bit.
 *
 * One of them is chosen when the code is loaded, and timedsp_reverse(),
 * timedsp_scaler_process() and timedsp_scaler_finish() are that one's. RETROGRADE_CPU=baseline in the
 * environment keeps to the first.
 */

#ifndef TIMEDSP_CPU_H
#define TIMEDSP_CPU_H

#include "timedsp.h"

typedef TimeDSPStatus (TimeDSPReverse) (const void *in, void *out,
    size_t frames, size_t frame_bytes);
typedef TimeDSPStatus (TimeDSPProcess) (TimeDSPScaler * scaler,
    const void *const *in, size_t in_frames, void *const *out,
    size_t out_capacity, size_t *frames_used, size_t *frames_made);
typedef TimeDSPStatus (TimeDSPFinish) (TimeDSPScaler * scaler,
    void *const *out, size_t out_capacity, size_t *frames_made);

typedef struct {
  TimeDSPReverse *reverse;
  TimeDSPProcess *process;
  TimeDSPFinish *finish;
} TimeDSPVariant;

extern const TimeDSPVariant timedsp_baseline;
extern const TimeDSPVariant timedsp_avx2;

/** The one that is used. */
const TimeDSPVariant *timedsp_chosen_variant (void);

#endif /* TIMEDSP_CPU_H */
