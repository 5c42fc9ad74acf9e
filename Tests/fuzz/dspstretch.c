/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A stream through two stretchers: one is given it in pieces and has little room, and
 * runs the code for every processor; the other is given it in one step, and runs the
 * code for this one. They have to make the same bytes.
 */

#include "dsp.h"

#ifdef __x86_64__
#include "../../Sources/CTimeDSP/timedspcpu.h"
#endif

/* Samples of one step, so that a run stays short. */
#define MOST_SAMPLES 20000
#define MOST_STEPS 24
/* around the memory of a stretcher, which must stay as it is */
#define GUARD_BYTES 64
#define GUARD 0xa5

typedef struct
{
  TimeStretcher *stretcher;
  uint8_t *memory;              /* GUARD_BYTES, its own, GUARD_BYTES */
  size_t bytes;
} Made;

typedef struct
{
  FuzzInput *input;
  TimeStretchConfig config;
  TimeDSPConfig plain;          /* for frames */
  Made piecewise, whole;
  uint64_t seed;
  bool wild;                    /* any bits for samples: NaN and the like */
  uint64_t next;                /* frame of the stream */
  uint64_t made;                /* frames, since it began */
  double factor;                /* all the time; 0: it has changed */
  double now;                   /* that a call of reset() starts with */
  bool ended;
} Stream;

static TimeDSPStatus
process_piece (Stream * s, const FuzzFrames * in, const FuzzFrames * out,
    TimeStretchProgress * done)
{
#ifdef __x86_64__
  return timedsp_variants ()[0]->stretch (s->piecewise.stretcher,
      (const void *const *) in->planes, in->frames, out->planes, out->frames,
      done);
#else
  return timestretch_process (s->piecewise.stretcher,
      (const void *const *) in->planes, in->frames, out->planes, out->frames,
      done);
#endif
}

static TimeDSPStatus
finish_piece (Stream * s, const FuzzFrames * out, TimeStretchProgress * done)
{
#ifdef __x86_64__
  return timedsp_variants ()[0]->finish_stretch (s->piecewise.stretcher,
      out->planes, out->frames, done);
#else
  return timestretch_finish (s->piecewise.stretcher, out->planes, out->frames,
      done);
#endif
}

/* ---- in pieces ---------------------------------------------------------- */

/* Appends to @all the output for [@first, @first + @frames), and for no frames until
 * there is no more output. */
static void
feed_pieces (Stream * s, FuzzFrames * all, uint64_t first, size_t frames)
{
  size_t room = fuzz_room (s->input, frames);
  size_t piece = 1 + fuzz_below (s->input, 500), at = 0;
  TimeStretchProgress done;

  do {
    size_t n = frames - at < piece ? frames - at : piece;
    FuzzFrames *in =
        fuzz_frames_of_stream (&s->plain, first + at, n, s->seed, s->wild);
    FuzzFrames *out = fuzz_frames_new (&s->plain, room);

    REQUIRE (process_piece (s, in, out, &done) == TIMEDSP_OK, "%zu frames", n);
    REQUIRE (done.frames_used <= n && done.frames_made <= room
        && (done.frames_used == n || done.frames_made == room),
        "%zu of %zu, %zu of %zu", done.frames_used, n, done.frames_made, room);
    fuzz_frames_free (in);
    fuzz_frames_append (all, out, done.frames_made);
    at += done.frames_used;
  } while (at < frames || done.frames_made == room);
  REQUIRE (timestretch_ready (s->piecewise.stretcher) == 0, "%zu",
      timestretch_ready (s->piecewise.stretcher));
}

static void
finish_pieces (Stream * s, FuzzFrames * all)
{
  size_t room = fuzz_room (s->input, 2000);
  TimeStretchProgress done;

  do {
    FuzzFrames *out = fuzz_frames_new (&s->plain, room);

    REQUIRE (finish_piece (s, out, &done) == TIMEDSP_OK);
    REQUIRE (done.frames_made <= room && done.frames_used == 0, "%zu of %zu",
        done.frames_made, room);
    fuzz_frames_append (all, out, done.frames_made);
  } while (done.frames_made > 0);
}

/* ---- both --------------------------------------------------------------- */

static void
require_same (Stream * s, const FuzzFrames * one, const FuzzFrames * other)
{
  if (s->wild) {                /* NaNs have many looks */
    REQUIRE (one->frames == other->frames, "%zu and %zu frames", one->frames,
        other->frames);
    return;
  }
  fuzz_frames_require_equal (one, other);
}

/* An upper bound of the output of @frames more frames, and the end of input. */
static size_t
most_output (Stream * s, size_t frames)
{
  uint64_t most = 0;

  REQUIRE (timestretch_max_output (s->whole.stretcher, frames, &most)
      == TIMEDSP_OK, "%zu frames", frames);
  return most;
}

static void
feed (Stream * s)
{
  size_t frames = fuzz_below (s->input, 3000), most;
  FuzzFrames *pieces, *in, *out;
  TimeStretchProgress done;

  while (frames > 0 && (frames + most_output (s, frames))
      * s->config.channels > MOST_SAMPLES)
    frames /= 2;
  most = most_output (s, frames);
  pieces = fuzz_frames_new (&s->plain, 0);
  feed_pieces (s, pieces, s->next, frames);

  in = fuzz_frames_of_stream (&s->plain, s->next, frames, s->seed, s->wild);
  out = fuzz_frames_new (&s->plain, most);
  REQUIRE (timestretch_process (s->whole.stretcher,
          (const void *const *) in->planes, frames, out->planes, most, &done)
      == TIMEDSP_OK);
  REQUIRE (done.frames_used == frames && done.frames_made <= most,
      "%zu of %zu, %zu of %zu", done.frames_used, frames, done.frames_made,
      most);
  out->frames = done.frames_made;
  require_same (s, pieces, out);
  s->next += frames;
  s->made += done.frames_made;
  fuzz_frames_free (pieces);
  fuzz_frames_free (in);
  fuzz_frames_free (out);
}

static void
finish (Stream * s)
{
  size_t most = most_output (s, 0);
  FuzzFrames *pieces = fuzz_frames_new (&s->plain, 0);
  FuzzFrames *out = fuzz_frames_new (&s->plain, most);
  TimeStretchProgress done;

  finish_pieces (s, pieces);
  REQUIRE (timestretch_finish (s->whole.stretcher, out->planes, most, &done)
      == TIMEDSP_OK);
  REQUIRE (done.frames_made <= most, "%zu of %zu", done.frames_made, most);
  out->frames = done.frames_made;
  require_same (s, pieces, out);
  s->made += done.frames_made;
  fuzz_frames_free (pieces);
  fuzz_frames_free (out);
  fuzz_require_length (s->next, s->factor, s->made);
  s->ended = true;
}

/* ---- the other calls ---------------------------------------------------- */

/* The next frame of input lies at the same place for both. */
static void
ask (Stream * s)
{
  uint64_t in, out, other_in, other_out;
  double fraction, other_fraction;

  REQUIRE (timestretch_position (s->whole.stretcher, &in, &out, &fraction)
      == TIMEDSP_OK);
  REQUIRE (timestretch_position (s->piecewise.stretcher, &other_in, &other_out,
          &other_fraction) == TIMEDSP_OK);
  REQUIRE (in == s->next && in == other_in && out == other_out
      && fraction == other_fraction, "%llu at %llu + %g, %llu at %llu + %g",
      (unsigned long long) in, (unsigned long long) out, fraction,
      (unsigned long long) other_in, (unsigned long long) other_out,
      other_fraction);
  REQUIRE (fraction >= 0 && fraction < 1, "%g", fraction);
  REQUIRE (s->made <= out + 1, "%llu made before %llu",
      (unsigned long long) s->made, (unsigned long long) out);
  REQUIRE (timestretch_latency (s->whole.stretcher)
      == timestretch_latency (s->piecewise.stretcher));
}

/* A factor that is refused changes nothing. */
static void
change_factor (Stream * s, bool at_once)
{
  double factor = fuzz_double (s->input);
  uint64_t frames = at_once ? 0 : fuzz_flag (s->input) ? fuzz_edge (s->input) :
      fuzz_below (s->input, 2000);
  TimeDSPStatus expected = !fuzz_factor_is_sound (factor) ? TIMEDSP_BAD_FACTOR
      : frames > TIMEDSP_MAX_FRAMES ? TIMEDSP_BAD_LENGTH
      : s->ended ? TIMEDSP_FINISHED : TIMEDSP_OK;
  TimeDSPStatus status = at_once ?
      timestretch_set_factor (s->whole.stretcher, factor) :
      timestretch_ramp_factor (s->whole.stretcher, factor, frames);

  REQUIRE (status == expected, "%g in %llu frames: %d", factor,
      (unsigned long long) frames, status);
  REQUIRE (timestretch_ramp_factor (s->piecewise.stretcher, factor, frames)
      == expected);
  if (expected != TIMEDSP_OK)
    return;
  s->factor = s->next == 0 && frames == 0 ? factor : 0;
  s->now = factor;
}

static void
reset (Stream * s)
{
  REQUIRE (timestretch_reset (s->whole.stretcher) == TIMEDSP_OK);
  REQUIRE (timestretch_reset (s->piecewise.stretcher) == TIMEDSP_OK);
  s->next = s->made = 0;
  s->factor = s->now;
  s->ended = false;
}

/* Refused calls leave output and stream unchanged: the rest of the run compares the
 * output with the other stretcher, which was not called. */
static void
call_wrongly (Stream * s)
{
  FuzzFrames *in = fuzz_frames_of_stream (&s->plain, 0, 4, 0, false);
  FuzzFrames *out = fuzz_frames_of_stream (&s->plain, 0, 4, 0, false);
  TimeStretchProgress done = { 9, 9 };
  TimeStretcher *whole = s->whole.stretcher;
  uint64_t number = 9;

  REQUIRE (timestretch_process (whole, (const void *const *) in->planes, 4,
          in->planes, 4, &done) == TIMEDSP_OVERLAP);
  REQUIRE (done.frames_used == 0 && done.frames_made == 0);
  REQUIRE (timestretch_process (whole, NULL, 4, out->planes, 4, &done)
      == TIMEDSP_NULL_POINTER);
  REQUIRE (timestretch_process (whole, (const void *const *) in->planes, 4,
          out->planes, 4, NULL) == TIMEDSP_NULL_POINTER);
  REQUIRE (timestretch_process (whole, (const void *const *) in->planes,
          SIZE_MAX - fuzz_below (s->input, 256), out->planes, 4, &done)
      == TIMEDSP_BAD_LENGTH);
  REQUIRE (timestretch_finish (whole, NULL, 4, &done) == TIMEDSP_NULL_POINTER);
  REQUIRE (timestretch_finish (whole, out->planes, 4, NULL)
      == TIMEDSP_NULL_POINTER);
  REQUIRE (timestretch_max_output (whole, TIMEDSP_MAX_FRAMES + 1, &number)
      == TIMEDSP_BAD_LENGTH && number == 9);
  if (s->ended)
    REQUIRE (timestretch_process (whole, (const void *const *) in->planes, 4,
            out->planes, 4, &done) == TIMEDSP_FINISHED);
  fuzz_frames_require_equal (in, out);
  fuzz_frames_free (in);
  fuzz_frames_free (out);
}

/* ---- a run -------------------------------------------------------------- */

static void
step (Stream * s)
{
  switch (fuzz_below (s->input, 10)) {
    case 0:
      change_factor (s, true);
      break;
    case 1:
      change_factor (s, false);
      break;
    case 2:
      ask (s);
      break;
    case 3:
      reset (s);
      break;
    case 4:
      call_wrongly (s);
      break;
    case 5:
      if (!s->ended)
        finish (s);
      break;
    default:
      if (s->ended)
        reset (s);
      feed (s);
  }
}

/* Rates of short windows: a run stays short. */
static TimeStretchConfig
stretch_config (FuzzInput * input, TimeDSPConfig * plain)
{
  static const uint32_t rates[] = { 8000, 8000, 8000, 8000, 11025, 16000, 48000,
    9001
  };
  TimeStretchConfig config;
  unsigned how;

  *plain = fuzz_config (input);
  plain->interpolation = TIMEDSP_LINEAR;
  plain->quality = 0;
  how = fuzz_byte (input);
  config = (TimeStretchConfig) {
    plain->format, plain->layout, plain->channels, FUZZ_ONE_OF (input, rates),
        fuzz_below (input, 4)
  };
  if (how == 255)
    config.rate = fuzz_edge (input);
  else if (how == 254)
    config.window = (TimeStretchWindow) fuzz_bytes (input, 4);
  return config;
}

static bool
is_sound (const TimeStretchConfig * config, const TimeDSPConfig * plain)
{
  return fuzz_config_is_sound (plain) && config->rate >= TIMESTRETCH_MIN_RATE
      && config->rate <= TIMESTRETCH_MAX_RATE
      && (unsigned) config->window <= TIMESTRETCH_LOW_LATENCY;
}

/* Memory of the size that it asks for, with anything in it. */
static bool
make (Stream * s, Made * made, int content)
{
  size_t bytes = 7;
  TimeDSPStatus status = timestretch_memory_bytes (&s->config, &bytes);

  REQUIRE ((status == TIMEDSP_OK) == is_sound (&s->config, &s->plain), "%d",
      status);
  if (status != TIMEDSP_OK) {
    REQUIRE (bytes == 7, "it has been touched");
    return false;
  }
  made->bytes = bytes;
  made->memory = timedsp_allocate (bytes + 2 * GUARD_BYTES);
  memset (made->memory, GUARD, bytes + 2 * GUARD_BYTES);
  memset (made->memory + GUARD_BYTES, content, bytes);
  REQUIRE (timestretch_init (&s->config, s->factor, made->memory + GUARD_BYTES,
          bytes - 1, &made->stretcher) != TIMEDSP_OK);
  status = timestretch_init (&s->config, s->factor,
      made->memory + GUARD_BYTES, bytes, &made->stretcher);
  REQUIRE ((status == TIMEDSP_OK) == fuzz_factor_is_sound (s->factor), "%g: %d",
      s->factor, status);
  REQUIRE ((status == TIMEDSP_OK) == (made->stretcher != NULL), "%d", status);
  return status == TIMEDSP_OK;
}

static void
destroy (Made * made)
{
  size_t i;

  for (i = 0; made->memory != NULL && i < GUARD_BYTES; i++)
    REQUIRE (made->memory[i] == GUARD
        && made->memory[GUARD_BYTES + made->bytes + i] == GUARD, "byte %zu", i);
  timedsp_deallocate (made->memory);
}

void
fuzz_stretch (FuzzInput * input)
{
  Stream s = {.input = input };
  bool sound;
  unsigned i;

  s.config = stretch_config (input, &s.plain);
  s.factor = s.now = fuzz_double (input);
  s.wild = fuzz_byte (input) > 200;
  s.seed = fuzz_bytes (input, 2);
  sound = make (&s, &s.piecewise, 0xff) && make (&s, &s.whole, 0);
  for (i = 0; sound && i < MOST_STEPS && fuzz_more (input); i++)
    step (&s);
  if (sound && !s.ended)
    finish (&s);
  destroy (&s.piecewise);
  destroy (&s.whole);
}
