/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A fuzzer for the blocks (timeblocks.h), without a pipeline or threads. The owner moves the
 * playhead, and a source answers the fetches, with faults or without. Every frame that is read
 * comes from the source and belongs to the pass. Without faults, it is the right frame, and
 * nothing fails. Whatever the source does, playback continues, ends or fails, and never fetches for
 * ever. Loops and markers are compared with a model in Swift.
 */

#include <timeblocks.h>

#include "fuzzinput.h"

#define N_FRAMES 20000
#define MAX_FETCHES 200         /* maximum number of fetches without a frame in between; a search
                                 * for the end of a huge stream needs 110 */
#define MAX_PASSES 4            /* maximum number of passes without a frame in between */
#define LAST_STEPS 300          /* maximum number of steps after the end of the input */
#define NO_FRAME INT64_C (-2)

int LLVMFuzzerTestOneInput (const uint8_t * data, size_t size);

typedef struct
{
  FuzzInput *input;
  TimeBlocks *blocks;
  TimeBlocksSettings settings;
  TimeBlocksFormat format;
  bool has_faults;
  /* the source */
  int64_t first, length;        /* it has the frames first … length - 1 */
  int64_t at;                   /* its next frame */
  int64_t ahead;                /* by how much its numbers are too high since the last seek */
  int64_t settled;              /* the samples before this frame are wrong */
  bool has_sent;                /* whether it has sent anything since the last seek */
  /* the owner */
  TimeDecode *decode;           /* which the source is filling, or has filled */
  bool is_complete;
  int64_t estimate;
  bool is_asked;                /* whether the blocks have just asked for the end */
  int64_t next;                 /* the frame that must be read next; NO_FRAME: any */
  unsigned fetches, passes;     /* since the last frame or move */
} Run;

/* The value of a right sample is the number of its frame. Wrong ones are larger. */
static int32_t samples[N_FRAMES], wrong[N_FRAMES];

static void
convert (const TimeBlocksFormat * format, int to_numbers, void *of,
    size_t plane_bytes, double *numbers, size_t frames)
{
  size_t i;
  uint32_t p;

  for (i = 0; i < frames; i++)
    for (p = 0; p < format->planes; p++) {
      int32_t *value = (int32_t *) ((char *) of + p * plane_bytes) + i;
      double *number = &numbers[i * format->planes + p];

      if (to_numbers)
        *number = *value;
      else
        *value = (int32_t) * number;
    }
}

/* Returns true now and then, if the source has faults. */
static bool
is_faulty (Run * run)
{
  return run->has_faults && fuzz_byte (run->input) > 230;
}

/* Returns a frame number, and now and then a huge one. */
static int64_t
some_frame (Run * run)
{
  if (fuzz_byte (run->input) > 250)
    return (int64_t) (fuzz_edge (run->input) % (TIMEDSP_MAX_FRAMES + 1));
  return (int64_t) fuzz_below (run->input, N_FRAMES + 3000);
}

/* ---- the source ------------------------------------------------------------------ */

static void
seek_source (Run * run, int64_t frame)
{
  run->at = frame > run->length ? run->length : frame;
  run->ahead = run->settled = 0;
  run->has_sent = false;
  if (run->at < run->first)
    run->at = run->first;
  if (run->has_faults && frame > 0) {
    if (is_faulty (run))
      run->ahead = (int64_t) fuzz_below (run->input, 6000) - 3000;
    if (is_faulty (run))
      run->at += (int64_t) fuzz_below (run->input, 3000);
    if (run->at > run->length)
      run->at = run->length;
    if (fuzz_flag (run->input))
      run->settled = run->at + (int64_t) fuzz_below (run->input, 12000);
  }
}

/* Makes the next buffer of the source, of right or of wrong samples only. */
static TimeDecodeBuffer
next_buffer (Run * run, const void **planes)
{
  TimeDecodeBuffer buffer = {.planes = planes,.is_placed = 1,.is_timed = 1 };
  int64_t left = run->at < run->length ? run->length - run->at : 0;

  planes[0] = planes[1] = (run->at < run->settled ? wrong : samples) + run->at;
  if (run->at < run->settled && run->settled - run->at < left)
    left = run->settled - run->at;
  buffer.frames = 3000 - fuzz_below (run->input, 3000);
  if ((int64_t) buffer.frames > left)
    buffer.frames = left;
  buffer.frame = run->at + run->ahead;
  /* without a timestamp, only the first buffer of a segment has a place */
  if (run->has_sent && fuzz_byte (run->input) > 220)
    buffer.is_timed = buffer.is_placed = 0;
  if (is_faulty (run)) {
    buffer.is_timed = fuzz_flag (run->input);
    buffer.is_placed = fuzz_flag (run->input);
    buffer.frame = fuzz_flag (run->input) ? some_frame (run) :
        -some_frame (run);
    buffer.offset = (int64_t) fuzz_edge (run->input);
  }
  return buffer;
}

static void
end_run (Run * run)
{
  timedecode_end (run->decode);
  run->is_complete = true;
}

/* Sends buffers until the run is complete, or now and then only some of them. */
static void
fill (Run * run)
{
  while (!run->is_complete && fuzz_byte (run->input) < 240) {
    const void *planes[2];
    TimeDecodeBuffer buffer = next_buffer (run, planes);
    size_t used = 0;

    if (buffer.frames == 0 || is_faulty (run)) {
      end_run (run);
      return;
    }
    run->is_complete =
        !timedecode_add (run->decode, &buffer, &run->format, &used);
    REQUIRE (used <= buffer.frames, "%zu of %zu", used, buffer.frames);
    REQUIRE (run->is_complete || used == buffer.frames
        || !buffer.is_timed, "%zu of %zu", used, buffer.frames);
    run->has_sent = true;
    run->at += run->is_complete ? used : buffer.frames;
  }
}

/* ---- the owner ------------------------------------------------------------------- */

static TimeBlocksState
state_of (Run * run)
{
  TimeBlocksState state;

  timeblocks_get_state (run->blocks, &state);
  REQUIRE (state.ready_frames >= 0 && (state.left_frames <= 0
          || state.ready_frames <= state.left_frames), "%lld of %lld",
      (long long) state.ready_frames, (long long) state.left_frames);
  return state;
}

static void
expect_any_frame (Run * run)
{
  run->next = NO_FRAME;
  run->fetches = run->passes = 0;
}

static void
give_up_fetch (Run * run)
{
  if (run->decode != NULL)
    timeblocks_cancel (run->blocks, run->decode);
  run->decode = NULL;
}

static void
go (Run * run, TimeBlocksMove move)
{
  TimeBlocksTarget target = {.move = move,.stop_frame = TIMEDSP_UNKNOWN };
  int64_t one = some_frame (run), other = some_frame (run);

  target.velocity = fuzz_flag (run->input) ? -1 : 1;
  target.start_frame = one < other ? one : other;
  if (fuzz_flag (run->input))
    target.stop_frame = one < other ? other : one;
  target.end_frame = fuzz_flag (run->input) ? run->length : TIMEDSP_UNKNOWN;
  target.last_frame = fuzz_flag (run->input) ? one : TIMEDSP_UNKNOWN;
  if (is_faulty (run)) {
    target.end_frame = some_frame (run);
    if (fuzz_flag (run->input)) {       /* another stream */
      run->format.planes = run->format.channels = 3 - run->format.planes;
      run->format.id = run->format.planes == 1 ? samples : wrong;
      target.format = run->format;
    }
  }
  timeblocks_go (run->blocks, &target);
  expect_any_frame (run);
}

/* The next frame is beside the last one, whichever was next until now. */
static void
turn (Run * run)
{
  double velocity = fuzz_flag (run->input) ? -1 : 1;

  if (timeblocks_set_velocity (run->blocks, velocity)) {
    int64_t next = run->next;

    expect_any_frame (run);
    if (next != NO_FRAME)
      run->next = velocity < 0 ? next - 2 : next + 2;
  }
}

static void
set_loop (Run * run)
{
  run->settings.loop = fuzz_below (run->input, 3);
  run->settings.loop_start_frame = some_frame (run);
  run->settings.loop_stop_frame = fuzz_flag (run->input) ? TIMEDSP_UNKNOWN :
      some_frame (run);
  if (timeblocks_configure (run->blocks, &run->settings))
    run->passes = 0;
}

static void
act (Run * run)
{
  switch (fuzz_below (run->input, 8)) {
    case 0:
    case 1:
      go (run, fuzz_below (run->input, 3));
      break;
    case 2:
    case 3:
      turn (run);
      break;
    case 4:
      set_loop (run);
      break;
    case 5:
      give_up_fetch (run);
      run->fetches = 0;
      break;
    case 6:
      if (run->has_faults)      /* the source has become shorter or longer */
        run->length = run->first +
            (int64_t) fuzz_below (run->input, N_FRAMES - run->first);
      break;
    default:
      if (run->has_faults) {
        run->settings.is_exact = fuzz_flag (run->input);
        timeblocks_configure (run->blocks, &run->settings);
      }
  }
}

/* Every sample comes from the source, is silence in a gap, or is between two that are
 * crossfaded. */
static void
check_samples (const Run * run, const TimeBlocksSpan * span)
{
  size_t i;
  uint32_t p;

  for (p = 0; p < span->format.planes; p++) {
    const int32_t *heard =
        (const int32_t *) ((const char *) span->samples +
        p * span->plane_bytes);

    for (i = 0; i < span->frames; i++) {
      REQUIRE (heard[i] >= 0 && heard[i] < 2 * N_FRAMES, "sample %d", heard[i]);
      REQUIRE (run->has_faults || heard[i] == span->frame + (int64_t) i,
          "sample %d of frame %lld", heard[i], (long long) span->frame + i);
    }
  }
}

static void
check_place (Run * run, const TimeBlocksState * before,
    const TimeBlocksSpan * span)
{
  TimeBlocksState after = state_of (run);
  bool is_backward = before->velocity < 0;
  int64_t end = span->frame + (int64_t) span->frames;
  int64_t begins = is_backward ? end - 1 : span->frame;

  REQUIRE ((int64_t) span->frames == before->ready_frames, "%zu, not %lld",
      span->frames, (long long) before->ready_frames);
  if (run->has_faults)
    return;
  REQUIRE (run->next == NO_FRAME || run->next == begins,
      "frame %lld, not %lld", (long long) begins, (long long) run->next);
  REQUIRE (is_backward ? span->frame >= before->pass_first_frame
      : before->pass_end_frame == TIMEDSP_UNKNOWN
      || end <= before->pass_end_frame, "%lld … %lld",
      (long long) span->frame, (long long) end);
  REQUIRE (after.boundary == (is_backward ? span->frame : end),
      "boundary %lld", (long long) after.boundary);
  run->next = is_backward ? span->frame - 1 : end;
}

/* Reads frames, if there are any. */
static bool
read_frames (Run * run)
{
  TimeBlocksState before = state_of (run);
  TimeBlocksSpan span;
  uint32_t rate = run->format.rate;

  if (!timeblocks_read (run->blocks, &span)) {
    REQUIRE (before.ready_frames == 0, "%lld", (long long) before.ready_frames);
    return false;
  }
  REQUIRE (span.frames > 0 && span.frames <= (rate > 25 ? rate / 25 : 1),
      "%zu frames", span.frames);
  check_samples (run, &span);
  check_place (run, &before, &span);
  run->fetches = run->passes = 0;
  return true;
}

static void
begin_fetch (Run * run, const TimeBlocksFetch * fetch)
{
  bool is_new;

  REQUIRE (fetch->decode != NULL && fetch->seek_half_frames >= 0, "%lld",
      (long long) fetch->seek_half_frames);
  run->fetches++;
  REQUIRE (run->fetches <= MAX_FETCHES, "%u fetches", run->fetches);
  is_new = run->decode == NULL || !run->is_complete;
  give_up_fetch (run);          /* it was for another position */
  run->decode = fetch->decode;
  run->is_complete = false;
  if (is_new && fetch->may_continue && run->has_sent
      && timedecode_continue (fetch->decode, run->at + run->ahead)) {
    if (run->at >= run->length)
      end_run (run);
    return;
  }
  seek_source (run, fetch->seek_half_frames / 2);
}

/* Hands over what has arrived, and starts the fetch that the blocks need. Returns false if they
 * don't need one. */
static bool
serve (Run * run)
{
  TimeBlocksFetch fetch = { 0 };
  TimeBlocksReport report = { 0 };
  TimeDecode *arrived = run->decode != NULL
      && run->is_complete ? run->decode : NULL;
  TimeBlocksWant want;

  if (arrived != NULL)
    run->decode = NULL;
  want = timeblocks_want (run->blocks, arrived, run->estimate, &fetch, &report);
  REQUIRE (want != TIMEBLOCKS_THE_END || run->estimate == TIMEDSP_UNKNOWN
      || arrived != NULL, "asked again");
  run->estimate = TIMEDSP_UNKNOWN;
  switch (want) {
    case TIMEBLOCKS_FETCH:
      begin_fetch (run, &fetch);
      return true;
    case TIMEBLOCKS_THE_END:
      run->estimate = fuzz_flag (run->input) ? some_frame (run) : run->length;
      return true;
    case TIMEBLOCKS_FAILED:
      REQUIRE (run->has_faults, "report %d", (int) report.code);
      REQUIRE (report.code >= TIMEBLOCKS_NO_MEMORY
          && report.code <= TIMEBLOCKS_NO_AUDIO, "report %d",
          (int) report.code);
      give_up_fetch (run);
      go (run, TIMEBLOCKS_GO_TO);
      return true;
    default:
      return false;
  }
}

static void
read_reports (Run * run)
{
  TimeBlocksReport report;
  unsigned n;

  for (n = 0; timeblocks_get_report (run->blocks, &report); n++)
    REQUIRE (n < 100 && report.code < TIMEBLOCKS_NO_MEMORY, "report %d",
        (int) report.code);
}

/* Does one thing. Returns false at the end. */
static bool
step (Run * run)
{
  TimeBlocksState state;

  if (run->decode != NULL && !run->is_complete)
    fill (run);
  if (serve (run) || read_frames (run))
    return true;
  state = state_of (run);
  if (state.left_frames > 0) {
    REQUIRE (run->decode != NULL, "waits for nothing");
    return true;
  }
  run->next = NO_FRAME;
  run->passes++;
  REQUIRE (run->passes <= MAX_PASSES, "%u passes", run->passes);
  return !state.is_lost && timeblocks_next_pass (run->blocks);
}

static void
record_start (Run * run)
{
  TimeBlocksReport report = { 0 };
  int64_t length = run->length, stop = TIMEDSP_UNKNOWN;

  if (fuzz_flag (run->input)) {
    stop = run->first + (int64_t) fuzz_below (run->input, N_FRAMES);
    if (stop < length)
      run->length = stop;
  }
  run->decode = timeblocks_record_start (run->blocks, run->first, stop);
  REQUIRE (run->decode != NULL, "no memory");
  run->is_complete = false;
  seek_source (run, 0);
  while (!run->is_complete)
    fill (run);
  if (!timeblocks_end_recording (run->blocks, run->decode, &report))
    REQUIRE (run->has_faults, "report %d", (int) report.code);
  run->decode = NULL;
  run->length = length;
}

static void
play (Run * run)
{
  unsigned n = 0;

  go (run, fuzz_below (run->input, 3));
  while (n < LAST_STEPS) {
    bool has_ended = !step (run);

    read_reports (run);
    if (!fuzz_more (run->input)) {
      n++;
      if (has_ended)
        return;
    } else if (has_ended) {
      go (run, fuzz_below (run->input, 3));
    } else if (fuzz_byte (run->input) < 60) {
      act (run);
    }
  }
}

int
LLVMFuzzerTestOneInput (const uint8_t * data, size_t size)
{
  static const uint32_t rates[] = { 8000, 100, 1, 48000 };
  static const int64_t prerolls[] = { 0, TIMEDSP_UNKNOWN, 500 };
  FuzzInput input = fuzz_input (data, size);
  Run run = {.input = &input,.estimate = TIMEDSP_UNKNOWN };
  int32_t i;

  for (i = 0; samples[N_FRAMES - 1] == 0 && i < N_FRAMES; i++)
    samples[i] = i, wrong[i] = N_FRAMES + i;
  run.has_faults = fuzz_flag (&input);
  run.format = (TimeBlocksFormat) {
    FUZZ_ONE_OF (&input, rates), 1, 1, 4, 4, {
    0}
  , samples};
  if (fuzz_flag (&input))
    run.format.channels = run.format.planes = 2;
  run.length = (int64_t) fuzz_below (&input, N_FRAMES);
  if (run.length > 0 && fuzz_flag (&input))
    run.first = (int64_t) fuzz_below (&input, (uint64_t) run.length);
  run.settings.max_block_frames = some_frame (&run);
  run.settings.preroll_frames = FUZZ_ONE_OF (&input, prerolls);
  run.settings.max_memory_bytes = fuzz_flag (&input) ? 1 << 20 : 0;
  run.settings.loop_stop_frame = TIMEDSP_UNKNOWN;
  run.blocks = timeblocks_new (convert);
  timeblocks_open (run.blocks, &run.format, &run.settings, run.first);
  if (fuzz_flag (&input))
    record_start (&run);
  play (&run);
  timedecode_free (run.decode);
  timeblocks_clear (run.blocks);
  timeblocks_free (run.blocks);
  return 0;
}
