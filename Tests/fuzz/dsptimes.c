/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The arithmetic of times.
 */

#include "dsp.h"

void
fuzz_times (FuzzInput * input)
{
  uint32_t rate = fuzz_edge (input);
  int64_t frame = fuzz_edge (input);
  uint64_t time_ns = timedsp_time_of (frame, rate);
  int64_t back = timedsp_frame_at (fuzz_edge (input), rate);

  REQUIRE (back >= 0 && back <= (int64_t) TIMEDSP_MAX_FRAMES, "%lld",
      (long long) back);
  if (frame < 0 || rate == 0)
    REQUIRE (time_ns == 0, "%llu", (unsigned long long) time_ns);
  else if (frame <= (int64_t) TIMEDSP_MAX_FRAMES && time_ns != UINT64_MAX
      && rate < 500000000)
    REQUIRE (timedsp_frame_at (time_ns, rate) == frame, "frame %lld at rate "
        "%u", (long long) frame, rate);
}

/* Any factor and any time. */
void
fuzz_scaled_times (FuzzInput * input)
{
  uint64_t a = fuzz_edge (input), b = fuzz_edge (input);
  uint64_t low = a < b ? a : b, high = a < b ? b : a;
  double factor = fuzz_double (input);

  REQUIRE (timedsp_scale_time (low, factor)
      <= timedsp_scale_time (high, factor), "%g", factor);
}
