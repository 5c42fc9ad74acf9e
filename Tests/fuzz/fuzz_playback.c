/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A fuzzer of the playback alone, without a pipeline or a thread: what an
 * application and upstream do, in any order. However upstream behaves, an action
 * makes sense, and play comes to an end; of an upstream without faults, every
 * frame is followed by its neighbour.
 */

#include <string.h>

#include <timeplay.h>

#include "fuzzinput.h"

#define MOST_FRAMES 3000
#define MOST_ACTIONS 300
#define RATE 100

int LLVMFuzzerTestOneInput (const uint8_t * data, size_t size);

typedef struct
{
  FuzzInput *input;
  TimePlayback *playback;
  TimePlaySettings settings;
  TimePlayFormat format;
  bool has_faults;
  int64_t length;
  int64_t at;                   /* upstream's next frame */
  TimePlayArrival arrival;
  TimePlayAction segment;
  bool may_jump;                /* the next frame need not follow the last one */
  int64_t last;                 /* that was heard */
} Run;

static int32_t samples[MOST_FRAMES];

static void
convert (const TimePlayFormat * format, int to_numbers, void *of,
    size_t plane_bytes, double *numbers, size_t frames)
{
  int32_t *values = of;
  size_t i;

  for (i = 0; i < frames; i++)
    if (to_numbers)
      numbers[i] = values[i];
    else
      values[i] = (int32_t) numbers[i];
}

/* ---- upstream ------------------------------------------------------------- */

static TimePlayBuffer
next_buffer (Run * run, const void **plane)
{
  TimePlayBuffer buffer = {.planes = plane,.has_timestamp = 1,.time_sign = 1 };
  int64_t left = run->length - run->at;

  *plane = samples + run->at;
  buffer.frames = 700 - fuzz_below (run->input, 700);
  if ((int64_t) buffer.frames > left)
    buffer.frames = left;
  buffer.time_ns = timedsp_time_of (run->at, RATE);
  if (run->has_faults && fuzz_byte (run->input) > 200) {
    buffer.has_timestamp = fuzz_flag (run->input);
    buffer.time_sign = (int) fuzz_below (run->input, 3) - 1;
    buffer.time_ns = fuzz_bytes (run->input, 5) * 1000;
    buffer.offset_ns = (int64_t) fuzz_bytes (run->input, 5);
  }
  return buffer;
}

static void
fill (Run * run, TimePlayRun * wanted)
{
  while (wanted->state == TIMEPLAY_RUN_OPEN) {
    const void *plane = NULL;
    TimePlayBuffer buffer = next_buffer (run, &plane);
    size_t used = 0;

    if (buffer.frames == 0)
      break;
    timeplay_run_add (wanted, &buffer, &run->format, &used);
    REQUIRE (used <= buffer.frames, "%zu of %zu", used, buffer.frames);
    REQUIRE (wanted->frames <= wanted->capacity_frames, "%zu of %zu",
        wanted->frames, wanted->capacity_frames);
    run->at += wanted->state == TIMEPLAY_RUN_OPEN ? buffer.frames : used;
  }
  if (wanted->state == TIMEPLAY_RUN_OPEN)
    timeplay_run_end (wanted);
}

static int
fetch (Run * run, const TimePlayAction * action)
{
  TimePlayRun *wanted = action->run;

  REQUIRE (wanted != NULL
      && action->seek_ns <= INT64_MAX, "%p", (void *) wanted);
  if (run->has_faults && fuzz_byte (run->input) > 240) {
    timeplay_run_free (wanted);
    return 0;
  }
  if (!action->may_continue || !timeplay_run_continue (wanted, run->at)) {
    run->at = timedsp_frame_at (action->seek_ns, RATE);
    if (run->at > 0)            /* the seek is half a frame behind it */
      run->at--;
    if (run->at > run->length)
      run->at = run->length;
  }
  if (run->has_faults && fuzz_flag (run->input))
    samples[fuzz_below (run->input, MOST_FRAMES)] ^= 1;
  fill (run, wanted);
  timeplay_run_free (run->arrival.run);
  run->arrival.run = wanted;
  return 1;
}

/* ---- the application ------------------------------------------------------ */

static void
seek (Run * run, TimePlaySeekKind kind)
{
  TimePlaySeek seek = {.kind = kind,.rate = 1,.last_frame = TIMEDSP_UNKNOWN };
  uint64_t one = fuzz_below (run->input, 40) * 1000000000;
  uint64_t other = fuzz_below (run->input, 40) * 1000000000;

  seek.direction = fuzz_flag (run->input);
  seek.start_ns = one < other ? one : other;
  seek.stop_ns = fuzz_flag (run->input) ? (one < other ? other : one) :
      TIMEPLAY_NO_TIME;
  seek.duration_ns = fuzz_flag (run->input) ? TIMEPLAY_NO_TIME :
      timedsp_time_of (run->length, RATE);
  seek.flushing = fuzz_flag (run->input);
  if (run->has_faults && fuzz_byte (run->input) > 230)
    seek.format = run->format;
  if (kind == TIMEPLAY_SEEK_START && run->has_faults)
    seek.last_frame = (int64_t) fuzz_below (run->input, MOST_FRAMES) - 1;
  timeplay_seek (run->playback, &seek);
  run->may_jump = true;
}

static void
act (Run * run)
{
  switch (fuzz_below (run->input, 12)) {
    case 0:
      seek (run, TIMEPLAY_SEEK_TO);
      break;
    case 1:
      seek (run, TIMEPLAY_SEEK_RESUME);
      break;
    case 2:
    case 3:
      timeplay_turn (run->playback, fuzz_flag (run->input));
      break;
    case 4:
      run->settings.loop = fuzz_below (run->input, 3);
      run->settings.loop_start_ns = fuzz_below (run->input, 40) * 1000000000;
      run->settings.loop_stop_ns = fuzz_below (run->input, 40) * 1000000000;
      break;
    case 5:
      if (!run->has_faults)
        break;
      run->arrival.broken = fuzz_byte (run->input) > 220;
      run->arrival.contested = fuzz_byte (run->input) > 240;
      run->arrival.followed = fuzz_flag (run->input);
      run->arrival.needs_stop = fuzz_flag (run->input);
      run->settings.exact = fuzz_flag (run->input);
      break;
    default:
      break;
  }
  if (run->settings.loop != TIMEDSP_LOOP_NONE)
    run->may_jump = true;
}

/* ---- what is done --------------------------------------------------------- */

/* Each frame has a number; of a stream without faults, it is the neighbour of the
 * one before. */
static void
hear (Run * run, const TimePlayAction * action)
{
  bool backward = action->direction == TIMEDSP_BACKWARD;
  const int32_t *heard = action->samples;
  size_t i;

  REQUIRE (action->frames > 0 && action->frames <= RATE / 25, "%zu frames",
      action->frames);
  REQUIRE (action->start_ns >= run->segment.start_ns, "%llu before %llu",
      (unsigned long long) action->start_ns,
      (unsigned long long) run->segment.start_ns);
  for (i = 0; i < action->frames; i++) {
    int64_t frame = heard[backward ? action->frames - 1 - i : i];

    if (!run->has_faults && !run->may_jump)
      REQUIRE (frame == run->last + (backward ? -1 : 1), "%lld after %lld",
          (long long) frame, (long long) run->last);
    run->may_jump = run->settings.loop != TIMEDSP_LOOP_NONE;
    run->last = frame;
  }
}

static void
perform (Run * run, const TimePlayAction * action, TimePlayOutcome * outcome)
{
  switch (action->kind) {
    case TIMEPLAY_FETCH:
      outcome->ok = fetch (run, action);
      break;
    case TIMEPLAY_SEGMENT:
      REQUIRE (action->stop_ns >= action->start_ns, "%llu … %llu",
          (unsigned long long) action->start_ns,
          (unsigned long long) action->stop_ns);
      run->segment = *action;
      outcome->open = fuzz_byte (run->input) > 220;
      break;
    case TIMEPLAY_FRAMES:
      hear (run, action);
      outcome->ok = !run->has_faults || fuzz_byte (run->input) < 250;
      break;
    case TIMEPLAY_FAIL:
      REQUIRE (run->has_faults, "report %d", (int) action->report);
      break;
    default:
      break;
  }
}

/* FALSE: there is nothing more to do. */
static bool
step (Run * run)
{
  TimePlayOutcome outcome = {.duration_ns = TIMEPLAY_NO_TIME };
  TimePlayAction action;

  timeplay_configure (run->playback, &run->settings);
  timeplay_arrive (run->playback, &run->arrival);
  run->arrival.run = NULL;
  timeplay_next (run->playback, &action);
  if (fuzz_flag (run->input))
    outcome.duration_ns = timedsp_time_of (run->length, RATE);
  perform (run, &action, &outcome);
  timeplay_done (run->playback, &outcome);
  return action.kind != TIMEPLAY_WAIT;
}

static void
play (Run * run)
{
  unsigned n, waits = 0;

  for (n = 0; n < MOST_ACTIONS && waits < 2; n++) {
    if (fuzz_more (run->input) && fuzz_byte (run->input) < 60)
      act (run);
    waits = step (run) ? 0 : waits + 1;
    if (waits > 0 && fuzz_more (run->input))
      waits = 0;
  }
}

static void
open (Run * run)
{
  int64_t first = fuzz_byte (run->input) & 1 ? 0 : TIMEDSP_UNKNOWN;
  TimePlayRun *start;

  timeplay_configure (run->playback, &run->settings);
  start = timeplay_open (run->playback, &run->format, 0, first);
  if (start == NULL)
    return;
  fill (run, start);
  run->arrival.run = start;
}

int
LLVMFuzzerTestOneInput (const uint8_t * data, size_t size)
{
  FuzzInput input = fuzz_input (data, size);
  Run run = {.input = &input,.format = {RATE, 1, 1, 4, 4, {0}, samples} };
  int32_t i;

  for (i = 0; i < MOST_FRAMES; i++)
    samples[i] = i;
  run.has_faults = fuzz_flag (&input);
  run.length = fuzz_below (&input, MOST_FRAMES);
  run.settings.max_block_ns = 1000000 * fuzz_below (&input, 40000);
  run.settings.preroll_ns = fuzz_flag (&input) ? TIMEPLAY_NO_TIME : 0;
  run.settings.max_memory_bytes = 1 << 20;
  run.settings.loop_stop_ns = TIMEPLAY_NO_TIME;
  run.playback = timeplay_new (convert);
  open (&run);
  seek (&run, TIMEPLAY_SEEK_START);
  play (&run);
  timeplay_free (run.playback);
  timeplay_run_free (run.arrival.run);
  return 0;
}
