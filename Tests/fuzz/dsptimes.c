/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests calculations with times.
 */

#include "dsp.h"

void
fuzz_times (FuzzInput * input)
{
  uint32_t rate = fuzz_edge (input);
  int64_t frame = fuzz_edge (input);
  int64_t back = timedsp_frame_at (fuzz_edge (input), rate);

  REQUIRE (back >= 0 && back <= (int64_t) TIMEDSP_MAX_FRAMES, "%lld",
      (long long) back);
  if (frame >= 0 && frame <= (int64_t) TIMEDSP_MAX_FRAMES && rate > 0
      && rate < 500000000 && frame / rate < 18446744073)
    REQUIRE (timedsp_frame_at (fuzz_time_of (frame, rate), rate) == frame,
        "frame %lld at rate %u", (long long) frame, rate);
}

/* Multiplies two times by the same factor. Their order must not change. */
void
fuzz_scaled_times (FuzzInput * input)
{
  uint64_t a = fuzz_edge (input), b = fuzz_edge (input);
  uint64_t low = a < b ? a : b, high = a < b ? b : a;
  double factor = fuzz_double (input);

  REQUIRE (timedsp_scale_time (low, factor)
      <= timedsp_scale_time (high, factor), "%g", factor);
}
