/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The arithmetic of times, and the timeline.
 */

#include "dsp.h"

/* ---- times -------------------------------------------------------------- */

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

/* ---- the timeline ------------------------------------------------------- */

/* Later times of one kind never lie at earlier times of the other. */
static void
require_rising (FuzzInput * input, const TimeDSPTimeline * timeline)
{
  uint64_t a = fuzz_edge (input), b = fuzz_edge (input);
  uint64_t low = a < b ? a : b, high = a < b ? b : a;

  REQUIRE (timedsp_timeline_to_output (timeline, low, 1)
      <= timedsp_timeline_to_output (timeline, high, 1), "%llu, %llu",
      (unsigned long long) low, (unsigned long long) high);
  REQUIRE (timedsp_timeline_to_input (timeline, low, 1)
      <= timedsp_timeline_to_input (timeline, high, 1), "%llu, %llu",
      (unsigned long long) low, (unsigned long long) high);
}

/* Any factor and any time: a product, a line and a last frame. */
static void
call_plain_arithmetic (FuzzInput * input)
{
  TimeDSPLine line = {.factor = fuzz_double (input) };
  uint64_t a = fuzz_edge (input), b = fuzz_edge (input);
  uint64_t low = a < b ? a : b, high = a < b ? b : a;
  double factor = fuzz_double (input), rate = fuzz_double (input);
  uint64_t end = timedsp_last_frame_end (low, high,
      (uint32_t) fuzz_edge (input));

  line.pair.in = fuzz_edge (input);
  line.pair.out = fuzz_edge (input);
  REQUIRE (timedsp_line_to_output (&line, low)
      <= timedsp_line_to_output (&line, high), "%g", line.factor);
  REQUIRE (timedsp_scale_time (low, factor)
      <= timedsp_scale_time (high, factor), "%g", factor);
  REQUIRE (end >= high, "%llu", (unsigned long long) end);
  factor = timedsp_absorb_rate (factor, &rate);
  REQUIRE (fuzz_factor_is_sound (factor), "%g", factor);
}

void
fuzz_timeline (FuzzInput * input)
{
  TimeDSPTimeline timeline = {.capacity = 2 + fuzz_below (input, 20) };
  double factor = fuzz_double (input);
  unsigned i;

  call_plain_arithmetic (input);
  timeline.pairs = malloc (timeline.capacity * sizeof *timeline.pairs);
  REQUIRE (timedsp_timeline_to_output (&timeline, 1, 2) == 2, "not started");
  REQUIRE (timedsp_timeline_start (&timeline, factor) == TIMEDSP_OK, "%g",
      factor);
  for (i = 0; i < 100 && fuzz_more (input); i++) {
    uint64_t in = fuzz_edge (input);
    uint64_t out = fuzz_flag (input) ? fuzz_edge (input) :
        timedsp_timeline_to_output (&timeline, in, 1);
    double next = fuzz_double (input);
    TimeDSPStatus status = timedsp_timeline_bend (&timeline, in, out, next);

    REQUIRE ((status == TIMEDSP_OK) == (in <= INT64_MAX && out <= INT64_MAX),
        "%llu, %llu", (unsigned long long) in, (unsigned long long) out);
    REQUIRE (timeline.count >= 1 && timeline.count <= timeline.capacity, "%zu",
        timeline.count);
    require_rising (input, &timeline);
  }
  free (timeline.pairs);
}
