/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Passes a stream through two stretchers. One stretcher receives the stream in small
 * blocks, has little room for output, and runs the baseline code, which every processor
 * can run. The other stretcher receives the stream in one block, and runs the code that
 * is chosen for this processor. The output of both must be equal, byte for byte.
 */

#include "dsp.h"

#include <timelibc.h>

/* Maximum number of samples in a step, to limit the time per input. */
#define MOST_SAMPLES 20000
#define MOST_STEPS 24
/* Number of guard bytes before and after the memory of a stretcher. A guard byte that
 * has changed shows a write outside of the memory. */
#define GUARD_BYTES 64
#define GUARD 0xa5

typedef struct
{
  CoreStretcher *stretcher;
  uint8_t *memory;              /* the stretcher's memory, with GUARD_BYTES before
                                 * and after it */
  size_t bytes;
} Made;

typedef struct
{
  FuzzInput *input;
  TimeDSPConfig audio;
  uint32_t rate;
  TimeStretchWindow window;
  Made piecewise, whole;
  uint64_t seed;
  bool wild;                    /* samples have random bits, including NaN */
  uint64_t next;                /* next frame of the stream */
  uint64_t made;                /* number of output frames since the beginning */
  double factor;                /* the factor since the beginning; 0 if it has changed */
  double now;                   /* the last factor that was set; a reset keeps it */
  bool ended;
} Stream;

/* ---- in blocks ----------------------------------------------------------- */

/* Appends the output for the frames [@first, @first + @frames) to @all. If
 * @frames is 0, ends the input and appends the remaining output. */
static void
feed_pieces (Stream * s, FuzzFrames * all, uint64_t first, size_t frames)
{
  size_t room = fuzz_room (s->input, frames);
  size_t piece = 1 + fuzz_below (s->input, 500), at = 0, used, made;

  do {
    size_t n = frames - at < piece ? frames - at : piece;
    FuzzFrames *in =
        fuzz_frames_of_stream (&s->audio, first + at, n, s->seed, s->wild);
    FuzzFrames *out = fuzz_frames_new (&s->audio, room);

    made = core_stretcher_process (s->piecewise.stretcher,
        (const void *const *) in->planes, n, out->planes, room, &used);
    REQUIRE (used <= n && made <= room && (used == n || made == room),
        "%zu of %zu, %zu of %zu", used, n, made, room);
    fuzz_frames_free (in);
    fuzz_frames_append (all, out, made);
    at += used;
  } while (at < frames || made == room);
  REQUIRE (core_stretcher_ready (s->piecewise.stretcher) == 0, "%zu",
      core_stretcher_ready (s->piecewise.stretcher));
}

static void
finish_pieces (Stream * s, FuzzFrames * all)
{
  size_t room = fuzz_room (s->input, 2000), made;

  do {
    FuzzFrames *out = fuzz_frames_new (&s->audio, room);

    made = core_stretcher_finish (s->piecewise.stretcher, out->planes, room);
    REQUIRE (made <= room, "%zu of %zu", made, room);
    fuzz_frames_append (all, out, made);
  } while (made > 0);
}

/* ---- comparison ---------------------------------------------------------- */

static void
require_same (Stream * s, const FuzzFrames * one, const FuzzFrames * other)
{
  if (s->wild) {                /* a NaN may have different bits */
    REQUIRE (one->frames == other->frames, "%zu and %zu frames", one->frames,
        other->frames);
    return;
  }
  fuzz_frames_require_equal (one, other);
}

/* Returns the maximum number of output frames for @frames more frames and the end of
 * input. */
static size_t
most_output (Stream * s, size_t frames)
{
  return core_stretcher_max_output (s->whole.stretcher, frames);
}

static void
feed (Stream * s)
{
  size_t frames = fuzz_below (s->input, 3000), most, used, made;
  FuzzFrames *pieces, *in, *out;

  while (frames > 0 && (frames + most_output (s, frames))
      * s->audio.channels > MOST_SAMPLES)
    frames /= 2;
  most = most_output (s, frames);
  pieces = fuzz_frames_new (&s->audio, 0);
  feed_pieces (s, pieces, s->next, frames);

  in = fuzz_frames_of_stream (&s->audio, s->next, frames, s->seed, s->wild);
  out = fuzz_frames_new (&s->audio, most);
  made = CORE_CHOSEN (core_stretcher_process) (s->whole.stretcher,
      (const void *const *) in->planes, frames, out->planes, most, &used);
  REQUIRE (used == frames && made <= most, "%zu of %zu, %zu of %zu", used,
      frames, made, most);
  out->frames = made;
  require_same (s, pieces, out);
  s->next += frames;
  s->made += made;
  fuzz_frames_free (pieces);
  fuzz_frames_free (in);
  fuzz_frames_free (out);
}

static void
finish (Stream * s)
{
  size_t most = most_output (s, 0);
  FuzzFrames *pieces = fuzz_frames_new (&s->audio, 0);
  FuzzFrames *out = fuzz_frames_new (&s->audio, most);

  finish_pieces (s, pieces);
  out->frames =
      CORE_CHOSEN (core_stretcher_finish) (s->whole.stretcher, out->planes,
      most);
  REQUIRE (out->frames <= most, "%zu of %zu", out->frames, most);
  require_same (s, pieces, out);
  s->made += out->frames;
  fuzz_frames_free (pieces);
  fuzz_frames_free (out);
  fuzz_require_length (s->next, s->factor, s->made);
  s->ended = true;
}

/* ---- the other calls ---------------------------------------------------- */

/* Requires that the next input frame has the same output position in both stretchers. */
static void
ask (Stream * s)
{
  uint64_t in, other_in;
  double fraction, other_fraction;
  uint64_t out = core_stretcher_position (s->whole.stretcher, &in, &fraction);
  uint64_t other_out = core_stretcher_position (s->piecewise.stretcher,
      &other_in, &other_fraction);

  REQUIRE (in == s->next && in == other_in && out == other_out
      && fraction == other_fraction, "%llu at %llu + %g, %llu at %llu + %g",
      (unsigned long long) in, (unsigned long long) out, fraction,
      (unsigned long long) other_in, (unsigned long long) other_out,
      other_fraction);
  REQUIRE (fraction >= 0 && fraction < 1, "%g", fraction);
  REQUIRE (s->made <= out + 1, "%llu made before %llu",
      (unsigned long long) s->made, (unsigned long long) out);
  REQUIRE (core_stretcher_latency (s->whole.stretcher)
      == core_stretcher_latency (s->piecewise.stretcher));
}

/* Sets a factor. A factor that is refused must not change anything. */
static void
change_factor (Stream * s, bool at_once)
{
  double factor = fuzz_double (s->input);
  uint64_t frames = at_once ? 0 : fuzz_flag (s->input) ? fuzz_edge (s->input) :
      fuzz_below (s->input, 2000);
  TimeDSPStatus expected = !fuzz_factor_is_sound (factor) ? TIMEDSP_BAD_FACTOR
      : frames > TIMEDSP_MAX_FRAMES ? TIMEDSP_BAD_LENGTH : TIMEDSP_OK;
  TimeDSPStatus status;

  if (s->ended)
    return;
  status = core_stretcher_move (s->whole.stretcher, factor, frames);
  REQUIRE (status == expected, "%g in %llu frames: %d", factor,
      (unsigned long long) frames, status);
  REQUIRE (core_stretcher_move (s->piecewise.stretcher, factor, frames)
      == expected);
  if (expected != TIMEDSP_OK)
    return;
  s->factor = s->next == 0 && frames == 0 ? factor : 0;
  s->now = factor;
}

static void
reset (Stream * s)
{
  core_stretcher_reset (s->whole.stretcher);
  core_stretcher_reset (s->piecewise.stretcher);
  s->next = s->made = 0;
  s->factor = s->now;
  s->ended = false;
}

/* ---- one input of the fuzzer -------------------------------------------- */

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

/* Chooses a format. Most of the sample rates are low, because windows then have fewer
 * frames, and an input takes less time. */
static void
configure (Stream * s)
{
  static const uint32_t rates[] = { 8000, 8000, 8000, 8000, 11025, 16000, 48000,
    9001
  };
  unsigned how;

  s->audio = fuzz_config (s->input);
  s->audio.interpolation = TIMEDSP_LINEAR;
  s->audio.quality = 0;
  how = fuzz_byte (s->input);
  s->rate = FUZZ_ONE_OF (s->input, rates);
  s->window = fuzz_below (s->input, 4);
  if (how == 255)
    s->rate = fuzz_edge (s->input);
}

/* Creates a stretcher in memory of the required size with arbitrary content. */
static bool
make (Stream * s, Made * made, int content)
{
  size_t bytes = core_stretcher_bytes (&s->audio, s->rate, s->window);

  REQUIRE ((bytes > 0) == fuzz_config_is_sound (&s->audio), "%zu", bytes);
  if (bytes == 0)
    return false;
  made->bytes = bytes;
  made->memory = timedsp_allocate (bytes + 2 * GUARD_BYTES);
  memset (made->memory, GUARD, bytes + 2 * GUARD_BYTES);
  memset (made->memory + GUARD_BYTES, content, bytes);
  made->stretcher = core_stretcher_place (&s->audio, s->rate, s->window,
      s->factor, made->memory + GUARD_BYTES);
  REQUIRE ((made->stretcher != NULL) == fuzz_factor_is_sound (s->factor), "%g",
      s->factor);
  return made->stretcher != NULL;
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

  configure (&s);
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
