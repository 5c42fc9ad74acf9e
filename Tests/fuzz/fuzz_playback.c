/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A fuzzer for the playback alone, without a pipeline or threads. An application and
 * upstream act in any order, even during an action of the playback. Whatever upstream
 * does, each action must be valid, and playback must reach an end. Which frames are played is
 * tested in Swift.
 */

#include <string.h>

#include <timeplay.h>

#include "fuzzinput.h"

#define MOST_FRAMES 3000
#define LAST_ACTIONS 30         /* maximum number of actions after the end of the input */
#define RATE 100

int LLVMFuzzerTestOneInput (const uint8_t * data, size_t size);

typedef struct
{
  FuzzInput *input;
  TimePlayback *playback;
  TimePlaySettings settings;
  TimePlayFormat format;
  TimePlayRun *hand;            /* the run (audio fetched by one seek) that
                                 * receives buffers; NULL if there is none */
  bool has_faults;
  bool is_segment;              /* whether the audio that upstream sends was fetched by a
                                 * segment seek */
  int64_t length;
  int64_t at;                   /* next frame of upstream */
  TimePlayAction segment;
  unsigned open_flushes;
  bool is_flushed;              /* whether another element flushes */
  TimePlayFlow answer;          /* downstream's result for the next frames */
  bool is_refused;              /* whether downstream refuses everything except for EOS */
  bool is_over;                 /* whether downstream refuses everything until a seek */
} Run;

static int32_t samples[MOST_FRAMES];    /* the value of each sample is its index */
static bool are_damaged = true; /* whether some samples have other values */

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
  buffer.time_ns = fuzz_time_of (run->at, RATE);
  if (run->has_faults && fuzz_byte (run->input) > 200) {
    buffer.has_timestamp = fuzz_flag (run->input);
    buffer.time_sign = (int) fuzz_below (run->input, 3) - 1;
    buffer.time_ns = fuzz_bytes (run->input, 5) * 1000;
    buffer.offset_ns = (int64_t) fuzz_bytes (run->input, 5);
  }
  return buffer;
}

/* Makes downstream accept everything again, after a seek or an event from another
 * element. */
static void
begin_anew (Run * run)
{
  run->is_refused = run->is_over = false;
}

static void
send_event (Run * run, TimePlayEventKind kind, bool in_seek)
{
  TimePlayEvent event = {.kind = kind,.seqnum = 1,.in_seek = in_seek };
  TimePlayRoute route;

  event.segment.rate = 1;
  event.segment.start_ns = fuzz_time_of (run->at, RATE);
  event.segment.stop_ns = TIMEPLAY_NO_TIME;
  event.duration_ns = TIMEPLAY_NO_TIME;
  event.format = run->format;
  if (run->has_faults) {
    event.seqnum = fuzz_byte (run->input) > 250 ? 0x7a001001 : 1;
    event.empty = fuzz_byte (run->input) > 250;
    if (fuzz_byte (run->input) > 250)
      event.format.rate = 0;
  }
  if (kind != TIMEPLAY_FLUSH_START)
    run->hand = NULL;
  route = timeplay_event (run->playback, &event);
  if (kind <= TIMEPLAY_NEW_SEGMENT && !in_seek)
    begin_anew (run);
  if (kind == TIMEPLAY_FLUSH_START && route == TIMEPLAY_SEND)
    run->is_flushed = true;
  else if (kind == TIMEPLAY_FLUSH_STOP)
    run->is_flushed = false;
}

/* Adds a buffer to the run that is being fetched. Returns false at the end of the audio. */
static bool
fill (Run * run)
{
  const void *plane = NULL;
  TimePlayBuffer buffer = next_buffer (run, &plane);
  size_t used = 0;
  bool ok = !run->has_faults || fuzz_byte (run->input) < 254, wants_more;

  if (buffer.frames == 0) {
    send_event (run, run->is_segment ? TIMEPLAY_SEGMENT_END :
        TIMEPLAY_STREAM_END, false);
    return false;
  }
  wants_more = timeplay_run_add (run->hand, &buffer, &run->format, &used);
  REQUIRE (used <= buffer.frames, "%zu of %zu", used, buffer.frames);
  if (ok && wants_more) {
    run->at += buffer.frames;
    return true;
  }
  run->at += used;
  run->hand = NULL;
  timeplay_filled (run->playback, ok);
  return true;
}

/* Sends the requested buffers. If upstream has faults, it sometimes stops earlier, and the
 * run stays incomplete. */
static void
send_audio (Run * run)
{
  TimePlayReception reception = TIMEPLAY_BUFFER_FILLS;

  do {
    if (run->hand == NULL)
      reception = timeplay_receive (run->playback, &run->hand);
    if (run->hand != NULL && !fill (run))
      return;
  } while (reception == TIMEPLAY_BUFFER_FILLS
      && (!run->has_faults || fuzz_byte (run->input) < 192));
  if (reception == TIMEPLAY_BUFFER_IS_DROPPED)
    run->at = run->length - run->at < 700 ? run->length : run->at + 700;
}

/* Makes upstream seek to a time, and reports its events. */
static void
go_to (Run * run, uint64_t time_ns, bool in_seek)
{
  send_event (run, TIMEPLAY_FLUSH_START, in_seek);
  if (run->has_faults && fuzz_byte (run->input) > 250)
    return;
  send_event (run, TIMEPLAY_FLUSH_STOP, in_seek);
  run->at = timedsp_frame_at (time_ns, RATE);
  if (run->at > 0)              /* the time may have been rounded up */
    run->at--;
  if (run->at > run->length)
    run->at = run->length;
  if (!run->has_faults || fuzz_byte (run->input) < 250)
    send_event (run, TIMEPLAY_NEW_SEGMENT, false);
}

static int
fetch (Run * run, const TimePlayAction * action)
{
  REQUIRE (action->seek_ns <= INT64_MAX, "%llx",
      (unsigned long long) action->seek_ns);
  run->hand = NULL;
  if (run->has_faults && fuzz_byte (run->input) > 240)
    return 0;
  if (run->has_faults && fuzz_flag (run->input)) {
    samples[fuzz_below (run->input, MOST_FRAMES)] ^= 1;
    are_damaged = true;
  }
  run->is_segment = !action->is_last
      && !(run->has_faults && fuzz_byte (run->input) > 240);
  go_to (run, action->seek_ns, true);
  if (action->seqnum & 1)       /* upstream's thread sends audio before the seek
                                 * returns */
    send_audio (run);
  return 1;
}

/* ---- the application ------------------------------------------------------ */

static TimePlaySeek
some_seek (Run * run)
{
  TimePlaySeek seek = {.seqnum = 2 };
  uint64_t one = fuzz_below (run->input, 40) * 1000000000;
  uint64_t other = fuzz_below (run->input, 40) * 1000000000;

  seek.rate = fuzz_flag (run->input) ? -1 : 1;
  seek.start_type = fuzz_below (run->input, run->has_faults ? 3 : 2);
  seek.stop_type = fuzz_below (run->input, run->has_faults ? 3 : 2);
  seek.start_ns = one < other ? one : other;
  seek.stop_ns = fuzz_flag (run->input) ? -1 : (int64_t) (one < other ? other :
      one);
  seek.duration_ns = fuzz_flag (run->input) || run->length == 0 ?
      TIMEPLAY_NO_TIME : fuzz_time_of (run->length, RATE);
  seek.flags = fuzz_byte (run->input);
  return seek;
}

/* Answers a question about @seek. Returns false if the question was answered before. */
static bool
answers_seek (Run * run, TimePlayAnswer question, TimePlaySeek * seek)
{
  bool is_new;

  if (question == TIMEPLAY_SEEK_ASKS_DURATION) {
    is_new = seek->duration_ns == 0;
    seek->duration_ns = TIMEPLAY_NO_TIME;
  } else if (question == TIMEPLAY_SEEK_ASKS_SHARED) {
    is_new = seek->is_shared == TIMEPLAY_UNKNOWN;
    seek->is_shared = 1 + fuzz_flag (run->input);
  } else {
    is_new = !seek->cannot_start;
    seek->cannot_start = true;
  }
  return is_new;
}

static void
seek (Run * run)
{
  TimePlaySeek seek = some_seek (run);
  TimePlayAnswer answer;

  if (run->has_faults && fuzz_byte (run->input) > 240)
    seek.duration_ns = 0;
  do {
    answer = timeplay_seek (run->playback, &seek);
    REQUIRE (answer < TIMEPLAY_SEEK_ASKS_DURATION || answers_seek (run, answer,
            &seek), "asked again");
  } while (answer >= TIMEPLAY_SEEK_ASKS_DURATION);
  if (answer != TIMEPLAY_ACCEPTED)
    return;
  begin_anew (run);
  if (seek.flags & 1) {
    if (fuzz_byte (run->input) > 200)
      run->open_flushes++;      /* the flush ends later */
    else
      timeplay_end_flush (run->playback);
  }
}

/* ---- arrivals ------------------------------------------------------------- */

/* Answers the question @way about @arrival. Returns false if @way is not a question. */
static bool
answer_question (Run * run, TimePlayWay way, TimePlayArrival * arrival)
{
  switch (way) {
    case TIMEPLAY_ASKS_SOURCE:
      REQUIRE (arrival->source == TIMEPLAY_SOURCE_UNKNOWN, "asked again");
      arrival->source = 1 + fuzz_below (run->input, 5);
      return true;
    case TIMEPLAY_ASKS_END:
      REQUIRE (arrival->ends == TIMEPLAY_UNKNOWN, "asked again");
      arrival->ends = 1 + fuzz_flag (run->input);
      return true;
    case TIMEPLAY_ASKS_LIVE:
      REQUIRE (arrival->is_live == TIMEPLAY_UNKNOWN, "asked again");
      arrival->is_live = 1 + fuzz_flag (run->input);
      return true;
    case TIMEPLAY_WARNS_UNLOOPED:
    case TIMEPLAY_WARNS_COLLECTED:
    case TIMEPLAY_WARNS_UNTURNED:
      REQUIRE (!arrival->has_warned, "warned again");
      REQUIRE (arrival->source > TIMEPLAY_SOURCE_SEEKS, "warned of nothing");
      arrival->has_warned = true;
      return true;
    default:
      return false;
  }
}

/* Reports to the playback that a buffer or an event has arrived, and answers its
 * questions. While it plays, the playback must handle all arrivals itself. */
static void
arrive (Run * run, TimePlayArrivalKind kind)
{
  TimePlayArrival arrival = {.kind = kind };
  TimePlayState state;
  TimePlayWay way;

  arrival.flips = fuzz_byte (run->input) > 220;
  arrival.rate = fuzz_byte (run->input) > 240 ? 0 : RATE;
  arrival.frames = fuzz_below (run->input, 500);
  arrival.first_ns = TIMEPLAY_NO_TIME;
  timeplay_state (run->playback, &state);
  do
    way = timeplay_arrive (run->playback, &arrival);
  while (answer_question (run, way, &arrival));
  REQUIRE (!state.is_playing || way == TIMEPLAY_IS_PLAYED, "way %d", (int) way);
  REQUIRE (!arrival.flips || kind != TIMEPLAY_ARRIVING_SEGMENT
      || way <= TIMEPLAY_IS_PLAYED, "way %d", (int) way);
  timeplay_state (run->playback, &state);
  REQUIRE (way != TIMEPLAY_WAITS || state.is_waiting, "nothing waits");
}

static void
act (Run * run)
{
  switch (fuzz_below (run->input, 12)) {
    case 0:
    case 1:
      seek (run);
      break;
    case 2:
    case 3:
      run->settings.direction = fuzz_flag (run->input);
      break;
    case 4:
      run->settings.loop = fuzz_below (run->input, 3);
      run->settings.loop_start_ns = fuzz_below (run->input, 40) * 1000000000;
      run->settings.loop_stop_ns = fuzz_below (run->input, 40) * 1000000000;
      break;
    case 5:
      if (!run->has_faults)
        break;
      run->settings.exact = fuzz_flag (run->input);
      send_event (run, TIMEPLAY_FLUSH_START + fuzz_below (run->input, 9),
          false);
      break;
    case 6:
      run->is_segment = false;
      go_to (run, fuzz_below (run->input, 40) * 1000000000, false);
      break;
    case 7:
      run->answer = TIMEPLAY_FLOW_END + fuzz_flag (run->input);
      break;
    case 8:
      run->settings.mode = fuzz_below (run->input, 4);
      break;
    case 9:
      arrive (run, fuzz_below (run->input, 4));
      break;
    default:
      break;
  }
  timeplay_configure (run->playback, &run->settings);
}

/* ---- actions -------------------------------------------------------------- */

/* Requires that the action has a valid number of frames and a valid time. Its frames are read,
 * so that a sanitizer sees whether they exist. */
static void
hear (Run * run, const TimePlayAction * action)
{
  const volatile int32_t *heard = action->samples;

  REQUIRE (action->frames > 0 && action->frames <= RATE / 25, "%zu frames",
      action->frames);
  REQUIRE (action->start_ns >= run->segment.start_ns, "%llu before %llu",
      (unsigned long long) action->start_ns,
      (unsigned long long) run->segment.start_ns);
  REQUIRE (heard[0] + heard[action->frames - 1] >= 0, "a damaged frame");
}

/* Returns the flow return with which downstream answers the frames. */
static TimePlayFlow
answer (Run * run)
{
  TimePlayFlow flow = run->answer;

  run->answer = TIMEPLAY_FLOW_OK;
  if (run->has_faults && fuzz_byte (run->input) > 250)
    flow = 1 + fuzz_below (run->input, 3);
  run->is_over = flow == TIMEPLAY_FLOW_FLUSHING;
  run->is_refused = flow > TIMEPLAY_FLOW_FLUSHING;
  return flow;
}

/* Requires that nothing is sent during a flush or after the end, and that no buffer
 * is sent to a pad that refuses buffers. */
static void
check_order (const Run * run, TimePlayActionKind kind)
{
  bool plays = kind == TIMEPLAY_SEGMENT || kind == TIMEPLAY_FRAMES;

  if (plays || kind == TIMEPLAY_END)
    REQUIRE (run->open_flushes == 0 && !run->is_flushed && !run->is_over,
        "%u flushes", run->open_flushes);
  if (plays || kind == TIMEPLAY_WAIT)
    REQUIRE (!run->is_refused, "action %d", (int) kind);
}

static void
perform (Run * run, const TimePlayAction * action, TimePlayOutcome * outcome)
{
  check_order (run, action->kind);
  switch (action->kind) {
    case TIMEPLAY_FETCH:
      REQUIRE (action->stop_ns >= action->seek_ns, "seek %llu … %llu",
          (unsigned long long) action->seek_ns,
          (unsigned long long) action->stop_ns);
      outcome->ok = fetch (run, action);
      outcome->flushing = !outcome->ok && fuzz_flag (run->input);
      break;
    case TIMEPLAY_LET_GO:
      outcome->ok = fuzz_flag (run->input);
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
      outcome->flow = answer (run);
      break;
    case TIMEPLAY_END:
    case TIMEPLAY_HAND_OVER:
      run->is_refused = false;
      run->is_over = true;
      break;
    case TIMEPLAY_FAIL:
      REQUIRE (run->has_faults, "report %d", (int) action->report);
      break;
    default:
      break;
  }
}

/* Performs the next action. Returns false if there is none. */
static bool
step (Run * run)
{
  TimePlayOutcome outcome = {.duration_ns = TIMEPLAY_NO_TIME };
  TimePlayAction action;

  if (fuzz_byte (run->input) < 200)
    send_audio (run);
  timeplay_next (run->playback, &action);
  if (fuzz_flag (run->input))
    outcome.duration_ns = fuzz_time_of (run->length, RATE);
  perform (run, &action, &outcome);
  if (fuzz_more (run->input) && fuzz_byte (run->input) < 20)
    act (run);
  timeplay_done (run->playback, &outcome);
  if (action.kind == TIMEPLAY_WAIT && run->open_flushes > 0) {
    run->open_flushes--;
    timeplay_end_flush (run->playback);
  }
  return action.kind != TIMEPLAY_WAIT;
}

static void
play (Run * run)
{
  unsigned n, waits = 0;

  for (n = 0; n < LAST_ACTIONS && waits < 2; n += !fuzz_more (run->input)) {
    if (fuzz_more (run->input) && fuzz_byte (run->input) < 60)
      act (run);
    waits = step (run) ? 0 : waits + 1;
    if (waits > 0 && fuzz_more (run->input))
      waits = 0;
  }
}

static void
start (Run * run)
{
  TimePlayStart start = {.format = run->format,.seqnum = 1 };
  TimePlaySeek seek = some_seek (run);

  timeplay_open (run->playback);
  timeplay_configure (run->playback, &run->settings);
  send_event (run, TIMEPLAY_NEW_SEGMENT, false);
  arrive (run, TIMEPLAY_ARRIVING_SEGMENT);
  start.segment.rate = 1;
  start.segment.stop_ns = start.duration_ns = TIMEPLAY_NO_TIME;
  start.last_frame = TIMEDSP_UNKNOWN;
  if (run->has_faults) {
    uint32_t left = fuzz_below (run->input, 50);

    while (left-- > 0)
      arrive (run, fuzz_below (run->input, 4));
  }
  if (run->has_faults)
    start.last_frame = (int64_t) fuzz_below (run->input, MOST_FRAMES) - 1;
  seek.flags |= 1;
  if (fuzz_flag (run->input))
    timeplay_start (run->playback, &start, NULL);
  else if (timeplay_start (run->playback, &start, &seek) == TIMEPLAY_STARTED)
    timeplay_end_flush (run->playback);
  timeplay_started (run->playback, 1);
}

int
LLVMFuzzerTestOneInput (const uint8_t * data, size_t size)
{
  FuzzInput input = fuzz_input (data, size);
  Run run = {.input = &input,.format = {RATE, 1, 1, 4, 4, {0}, samples} };
  int32_t i;

  for (i = 0; are_damaged && i < MOST_FRAMES; i++)
    samples[i] = i;
  are_damaged = false;
  run.has_faults = fuzz_flag (&input);
  run.length = fuzz_below (&input, MOST_FRAMES);
  run.settings.max_block_ns = 1000000 * fuzz_below (&input, 40000);
  run.settings.preroll_ns = fuzz_flag (&input) ? TIMEPLAY_NO_TIME : 0;
  run.settings.max_memory_bytes = 1 << 20;
  run.settings.loop_stop_ns = TIMEPLAY_NO_TIME;
  run.playback = timeplay_new (convert, 0);
  start (&run);
  play (&run);
  timeplay_close (run.playback);
  timeplay_clear (run.playback);
  timeplay_free (run.playback);
  return 0;
}
