/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * timeline.h: multiplies a time by a factor, for code that is not in Swift. Part of
 * the C interface (see timedsp.h for its words and rules).
 */

#ifndef TIMELINE_H
#define TIMELINE_H

#include "timedsp.h"

#ifdef __cplusplus
extern "C" {
#endif

/** An unknown time; equal to GST_CLOCK_TIME_NONE. */
#define TIMEDSP_NO_TIME UINT64_MAX

/**
 * @time_ns × @factor, rounded once, half up; 2^63 - 1 at most. A scaling factor is
 * interpreted as the simplest fraction that converts to the same double, any other number
 * as its exact binary fraction; the result is 0 unless @factor is above 0.
 * TIMEDSP_NO_TIME is returned unchanged; for a factor of 1, so is a time above 2^63 - 1.
 * Real-time.
 */
uint64_t timedsp_scale_time (uint64_t time_ns, double factor);

#ifdef __cplusplus
}
#endif
#endif /* TIMELINE_H */
