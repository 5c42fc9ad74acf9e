/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The arithmetic of times, blocks and laps, and the timeline.
 */

#include "dsp.h"

#define MOST_BLOCKS 100

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

/* ---- blocks ------------------------------------------------------------- */

static TimeDSPFetchLimits
make_limits (FuzzInput * input)
{
  bool edges = fuzz_byte (input) > 220;
  TimeDSPFetchLimits limits;

  limits.rate = edges ? fuzz_edge (input) : 1 + fuzz_below (input, 200000);
  limits.end_frame = edges ? (int64_t) fuzz_edge (input) :
      (int64_t) fuzz_below (input, 50000) - 1;
  limits.first_block_frames = edges ? fuzz_edge (input) :
      1 + fuzz_below (input, 3000);
  limits.max_block_frames = edges ? fuzz_edge (input) :
      1 + fuzz_below (input, 9000);
  limits.preroll_frames = edges ? fuzz_edge (input) : fuzz_below (input, 5000);
  limits.overlap_frames = edges ? fuzz_edge (input) : fuzz_below (input, 500);
  limits.search_frames = edges ? fuzz_edge (input) : fuzz_below (input, 500);
  return limits;
}

static bool
is_frame (int64_t value, int64_t least)
{
  return value >= least && value <= (int64_t) TIMEDSP_MAX_FRAMES;
}

static bool
limits_are_sound (const TimeDSPFetchLimits * limits)
{
  return limits->rate > 0 && is_frame (limits->end_frame, TIMEDSP_UNKNOWN)
      && is_frame (limits->first_block_frames, 1)
      && is_frame (limits->max_block_frames, 1)
      && is_frame (limits->preroll_frames, 0)
      && is_frame (limits->overlap_frames, 0)
      && is_frame (limits->search_frames, 0);
}

static void
require_sound_fetch (const TimeDSPFetchLimits * limits,
    const TimeDSPFetch * fetch)
{
  REQUIRE (fetch->first_frame >= 0, "%lld", (long long) fetch->first_frame);
  REQUIRE (fetch->end_frame >= fetch->first_frame, "%lld … %lld",
      (long long) fetch->first_frame, (long long) fetch->end_frame);
  REQUIRE (fetch->keep_first_frame >= 0
      && fetch->keep_first_frame <= fetch->first_frame, "%lld before %lld",
      (long long) fetch->keep_first_frame, (long long) fetch->first_frame);
  REQUIRE (fetch->keep_end_frame >= fetch->end_frame
      || fetch->keep_end_frame == TIMEDSP_UNKNOWN, "%lld behind %lld",
      (long long) fetch->keep_end_frame, (long long) fetch->end_frame);
  if (limits->end_frame >= 0)
    REQUIRE (fetch->end_frame <= limits->end_frame, "%lld",
        (long long) fetch->end_frame);
  REQUIRE (fetch->seek_ns <= INT64_MAX, "%llu",
      (unsigned long long) fetch->seek_ns);
}

/* Blocks lie side by side, from one end of the stream to the other. */
static void
walk (const TimeDSPFetchLimits * limits, TimeDSPDirection direction)
{
  bool backward = direction == TIMEDSP_BACKWARD;
  int64_t edge = backward ? limits->end_frame : 0;
  TimeDSPFetch fetch;
  uint32_t n;

  for (n = 0; n < MOST_BLOCKS; n++) {
    REQUIRE (timedsp_plan_fetch (limits, direction, edge, n > 0, n, &fetch)
        == TIMEDSP_OK, "block %u", n);
    require_sound_fetch (limits, &fetch);
    if (fetch.first_frame == fetch.end_frame)
      break;
    REQUIRE ((backward ? fetch.end_frame : fetch.first_frame) == edge,
        "block %u begins at %lld", n, (long long) edge);
    edge = backward ? fetch.first_frame : fetch.end_frame;
  }
  if (n < MOST_BLOCKS)
    REQUIRE (edge == (backward ? 0 : limits->end_frame), "%lld",
        (long long) edge);
}

/* Some attempt begins at the beginning. */
static void
look_for_end (const TimeDSPFetchLimits * limits, int64_t estimate)
{
  TimeDSPFetch fetch;
  uint32_t attempt;

  for (attempt = 0; attempt < 70; attempt++) {
    REQUIRE (timedsp_plan_end (limits, estimate, attempt, &fetch)
        == TIMEDSP_OK, "attempt %u", attempt);
    REQUIRE (fetch.end_frame == TIMEDSP_UNKNOWN && fetch.first_frame >= 0
        && fetch.seek_ns <= INT64_MAX, "attempt %u", attempt);
    if (fetch.first_frame == 0)
      return;
  }
  REQUIRE (false, "%u attempts", attempt);
}

void
fuzz_plan (FuzzInput * input)
{
  TimeDSPFetchLimits limits = make_limits (input);
  TimeDSPDirection direction = fuzz_byte (input) & 3;
  int64_t edge = fuzz_edge (input);
  int joined = fuzz_flag (input);
  uint32_t before = fuzz_edge (input);
  TimeDSPFetch fetch;
  bool sound = limits_are_sound (&limits);

  if (timedsp_plan_fetch (&limits, direction, edge, joined, before, &fetch)
      == TIMEDSP_OK) {
    REQUIRE (sound && is_frame (edge, 0) && direction <= TIMEDSP_BACKWARD,
        "edge %lld, direction %d", (long long) edge, direction);
    require_sound_fetch (&limits, &fetch);
  } else {
    REQUIRE (!sound || !is_frame (edge, 0) || direction > TIMEDSP_BACKWARD,
        "edge %lld, direction %d", (long long) edge, direction);
  }
  if (sound && limits.end_frame >= 0)
    walk (&limits, edge & 1);
  if (sound && is_frame (edge, 0))
    look_for_end (&limits, edge);
}

/* ---- laps --------------------------------------------------------------- */

static void
require_next (const TimeDSPRange * range, const TimeDSPStep * step)
{
  if (step->frame == TIMEDSP_UNKNOWN)
    return;
  REQUIRE (step->frame >= range->first_frame
      && (range->end_frame < 0 || step->frame < range->end_frame),
      "%lld of %lld … %lld", (long long) step->frame,
      (long long) range->first_frame, (long long) range->end_frame);
}

void
fuzz_laps (FuzzInput * input)
{
  TimeDSPRange bounds = { fuzz_edge (input), fuzz_edge (input) }, range;
  int64_t start = fuzz_edge (input), stop = fuzz_edge (input);
  TimeDSPMarkers markers;
  TimeDSPStep step;

  if (timedsp_loop_range (&bounds, start, stop, &range, &markers)
      != TIMEDSP_OK)
    return;
  REQUIRE (range.first_frame >= bounds.first_frame, "%lld",
      (long long) range.first_frame);
  REQUIRE (range.end_frame > range.first_frame || range.end_frame < 0
      || bounds.first_frame == bounds.end_frame, "%lld … %lld",
      (long long) range.first_frame, (long long) range.end_frame);
  if (bounds.end_frame >= 0)
    REQUIRE (range.end_frame >= 0 && range.end_frame <= bounds.end_frame,
        "%lld of %lld", (long long) range.end_frame,
        (long long) bounds.end_frame);
  if (timedsp_next_lap (fuzz_below (input, 4), fuzz_below (input, 3), &range,
          &step) == TIMEDSP_OK)
    require_next (&range, &step);
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
