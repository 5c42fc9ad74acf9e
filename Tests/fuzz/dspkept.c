/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Fuzzes timekept.h: the stored frames of a stream, and the times at which they are
 * output in reverse.
 */

#include "dsp.h"

#include <stdlib.h>
#include <timekept.h>

#define MOST_RUNS 200
#define NO_TIME UINT64_MAX

/* ---- runs ----------------------------------------------------------------- */

/* Requires that all frames are output, from the last to the first, and that time never
 * decreases. If @cut is true, the last frames may have been dropped. */
static void
require_heard_backwards (TimeKept * kept, uint64_t frames, uint32_t rate,
    bool cut)
{
  uint64_t left = frames, now_ns = 0, since = 0;
  TimeKeptRun run;

  while (timekept_next (kept, &run)) {
    if (cut && run.end_frame < left)
      left = run.end_frame;
    cut = false;
    REQUIRE (run.end_frame == left, "%llu, not %llu",
        (unsigned long long) run.end_frame, (unsigned long long) left);
    REQUIRE (run.first_frame <= run.end_frame, "%llu frames too many",
        (unsigned long long) (run.first_frame - run.end_frame));
    if (run.start_ns != NO_TIME) {
      uint64_t end_ns = now_ns + fuzz_time_of (since, rate);

      REQUIRE (run.start_ns + 1 >= end_ns, "%llu before %llu",
          (unsigned long long) run.start_ns, (unsigned long long) end_ns);
      now_ns = run.start_ns;
      since = 0;
    }
    since += run.end_frame - run.first_frame;
    left = run.first_frame;
  }
  if (!cut)
    REQUIRE (left == 0, "%llu frames are not heard", (unsigned long long) left);
}

void
fuzz_kept (FuzzInput * input)
{
  bool edges = fuzz_byte (input) > 220, cut;
  uint32_t rate = 1 + fuzz_below (input, 200000);
  TimeKept *kept = timekept_new (edges ? fuzz_edge (input) : rate,
      fuzz_edge (input));
  uint64_t frames = 0, time_ns = 0, stop_ns = 0, start_ns, end_ns, cut_ns;
  unsigned n = fuzz_below (input, MOST_RUNS);

  while (n-- > 0) {
    uint64_t some = edges ? fuzz_edge (input) : 1 + fuzz_below (input, 5000);

    if (fuzz_flag (input))
      time_ns = edges ? fuzz_edge (input) : fuzz_below (input, 1000000000);
    if (timekept_add (kept, time_ns, some, fuzz_flag (input),
            fuzz_flag (input)) == TIMEDSP_OK)
      frames += some;
  }
  start_ns = edges ? fuzz_edge (input) : fuzz_below (input, 1000000000);
  cut = fuzz_flag (input);
  cut_ns = edges ? fuzz_edge (input) : fuzz_below (input, 1000000000);
  if (cut)
    timekept_cut (kept, cut_ns);
  end_ns = timekept_turn (kept, start_ns, &stop_ns);
  REQUIRE (stop_ns >= start_ns, "%llu", (unsigned long long) stop_ns);
  if (!edges) {
    REQUIRE (end_ns >= start_ns, "%llu", (unsigned long long) end_ns);
    require_heard_backwards (kept, frames, rate, cut);
  }
  timekept_free (kept);
}

/* ---- frames ---------------------------------------------------------------- */

typedef struct
{
  uint8_t *memory;
  size_t n_blocks;
  unsigned failures;            /* on average, one of this many calls fails; 0 if no
                                 * call may fail */
  FuzzInput *input;
} File;

static bool
fails (File * file)
{
  return file->failures > 0 && fuzz_below (file->input, file->failures) == 0;
}

static int
write_block (void *owner, const void *block, size_t bytes)
{
  File *file = owner;

  if (fails (file))
    return 0;
  file->memory = realloc (file->memory, (file->n_blocks + 1) * bytes);
  memcpy (file->memory + file->n_blocks++ * bytes, block, bytes);
  return 1;
}

static int
read_block (void *owner, uint64_t index, void *block, size_t bytes,
    uint64_t next_index)
{
  File *file = owner;

  REQUIRE (index < file->n_blocks, "block %llu", (unsigned long long) index);
  if (fails (file))
    return 0;
  memcpy (block, file->memory + index * bytes, bytes);
  return 1;
}

/* Requires that the frames in a span are correct. A frame has 4 KiB, or 2 KiB
 * in each of two planes, and begins with its number. */
static void
require_span (const TimeStoreSpan * span, unsigned planes, size_t stride)
{
  unsigned p;
  size_t i;

  for (p = 0; p < planes; p++)
    for (i = 0; i < span->n_frames; i++) {
      uint32_t number;

      memcpy (&number, span->planes[p] + i * stride, sizeof number);
      REQUIRE (number == span->first_frame + i, "%u", number);
    }
}

void
fuzz_store (FuzzInput * input)
{
  static uint8_t samples[64 * 4096];
  const void *const planes[] = { samples, samples };
  unsigned n_planes = 1 + fuzz_below (input, 2), n = fuzz_below (input, 40);
  size_t stride = 4096 / n_planes, i;
  File file = { NULL, 0, fuzz_below (input, 4), input };
  const TimeStoreFile callbacks = { &file, write_block, read_block };
  TimeStore *store = timestore_new (n_planes, stride,
      (uint64_t) fuzz_below (input, 5) << 20, &callbacks);

  while (n-- > 0) {
    size_t frames = fuzz_below (input, 64);
    uint64_t count = timestore_count (store), at;
    TimeStoreSpan span;
    bool backward = fuzz_flag (input);

    for (i = 0; i < frames; i++) {
      uint32_t number = count + i;

      memcpy (samples + i * stride, &number, sizeof number);
    }
    if (timestore_append (store, planes, frames))
      REQUIRE (timestore_count (store) == count + frames, "%zu", frames);
    count = timestore_count (store);
    at = fuzz_below (input, count + 2);
    if (!timestore_peek (store, at, backward, &span))
      continue;
    REQUIRE (span.n_frames > 0 && at == (backward ?
            span.first_frame + span.n_frames : span.first_frame), "%zu frames",
        span.n_frames);
    REQUIRE (span.first_frame + span.n_frames <= count, "of %llu",
        (unsigned long long) count);
    require_span (&span, n_planes, stride);
  }
  timestore_free (store);
  free (file.memory);
}
