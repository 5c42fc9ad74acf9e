/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef KERNELS_H
#define KERNELS_H

/** Prints, separated by tabs: "reversal", cache or memory, apart or in place,
 * bytes of a frame, GB/s, GB/s of memcpy. */
void measure_reversal (void);

/** Prints, separated by tabs: "resampling", factor, format, channels, library,
 * ns per output sample. */
void measure_resampling (void);

#endif /* KERNELS_H */
