/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Passes a stream through two scalers. One scaler receives the stream in small blocks,
 * has little room for output, and runs the baseline code, which every processor can run.
 * The other scaler receives the stream in one block, and runs the code that is chosen for
 * this processor. The output of both must be equal, byte for byte.
 */

#include "dsp.h"

/* Maximum number of samples in a step, to limit the time per input. */
#define MOST_SAMPLES 20000
#define MOST_STEPS 24

typedef struct
{
  FuzzInput *input;
  TimeDSPConfig config;
  CoreScaler *piecewise, *whole;
  uint64_t seed;
  bool wild;                    /* samples have random bits, including NaN */
  uint64_t next;                /* next frame of the stream */
  uint64_t made;                /* number of output frames since the beginning */
  double factor;                /* the factor since the beginning; 0 if it has changed */
  bool ended;
} Stream;

/* ---- in blocks ----------------------------------------------------------- */

/* Appends the output for the frames [@first, @first + @frames) to @all. If
 * @frames is 0, ends the input and appends the remaining output. */
static void
feed_pieces (Stream * s, FuzzFrames * all, uint64_t first, size_t frames)
{
  size_t room = fuzz_room (s->input, frames);
  size_t piece = 1 + fuzz_below (s->input, 500), done = 0, used, made;

  do {
    size_t n = frames - done < piece ? frames - done : piece;
    FuzzFrames *in =
        fuzz_frames_of_stream (&s->config, first + done, n, s->seed, s->wild);
    FuzzFrames *out = fuzz_frames_new (&s->config, room);

    REQUIRE (core_scaler_process (s->piecewise,
            (const void *const *) in->planes, n, out->planes, room, &used,
            &made) == TIMEDSP_OK, "%zu frames", n);
    REQUIRE (used <= n && made <= room, "%zu of %zu, %zu of %zu", used, n,
        made, room);
    REQUIRE (used == n || made == room, "%zu of %zu, %zu of %zu", used, n,
        made, room);
    fuzz_frames_free (in);
    fuzz_frames_append (all, out, made);
    done += used;
  } while (done < frames || made == room);
}

static void
finish_pieces (Stream * s, FuzzFrames * all)
{
  size_t room = fuzz_room (s->input, 2000), made;

  do {
    FuzzFrames *out = fuzz_frames_new (&s->config, room);

    REQUIRE (core_scaler_finish (s->piecewise, out->planes, room, &made)
        == TIMEDSP_OK);
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
  fuzz_frames_require_sound (one, &s->config);
}

/* Returns the maximum number of output frames for @frames more frames and the end of
 * input. */
static size_t
most_output (Stream * s, size_t frames)
{
  uint64_t most = 0;

  REQUIRE (core_scaler_max_output (s->whole, frames, &most) == TIMEDSP_OK,
      "%zu frames", frames);
  return most;
}

static void
feed (Stream * s)
{
  size_t frames = fuzz_below (s->input, 3000), most, used, made;
  FuzzFrames *pieces, *in, *out;

  while (frames > 0 && (frames + most_output (s, frames))
      * s->config.channels > MOST_SAMPLES)
    frames /= 2;
  most = most_output (s, frames);
  pieces = fuzz_frames_new (&s->config, 0);
  feed_pieces (s, pieces, s->next, frames);

  in = fuzz_frames_of_stream (&s->config, s->next, frames, s->seed, s->wild);
  out = fuzz_frames_new (&s->config, most);
  REQUIRE (CORE_CHOSEN (core_scaler_process) (s->whole,
          (const void *const *) in->planes, frames, out->planes, most, &used,
          &made) == TIMEDSP_OK);
  REQUIRE (used == frames
      && made <= most, "%zu of %zu, %zu of %zu", used, frames, made, most);
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
  size_t most = most_output (s, 0), made;
  FuzzFrames *pieces = fuzz_frames_new (&s->config, 0), *out;

  finish_pieces (s, pieces);
  out = fuzz_frames_new (&s->config, most);
  REQUIRE (CORE_CHOSEN (core_scaler_finish) (s->whole, out->planes, most, &made)
      == TIMEDSP_OK);
  REQUIRE (made <= most, "%zu of %zu", made, most);
  out->frames = made;
  require_same (s, pieces, out);
  s->made += made;
  fuzz_frames_free (pieces);
  fuzz_frames_free (out);
  fuzz_require_length (s->next, s->factor, s->made);
  s->ended = true;
}

/* ---- the other calls ---------------------------------------------------- */

static void
set_factor (Stream * s)
{
  double factor = fuzz_double (s->input);
  TimeDSPStatus expected =
      fuzz_factor_is_sound (factor) ? TIMEDSP_OK : TIMEDSP_BAD_FACTOR;

  REQUIRE (core_scaler_move (s->whole, factor, 0) == expected, "%g", factor);
  REQUIRE (core_scaler_move (s->piecewise, factor, 0) == expected, "%g",
      factor);
  if (expected == TIMEDSP_OK)
    s->factor = 0;
}

static void
ramp_factor (Stream * s)
{
  double factor = fuzz_double (s->input);
  uint64_t frames = fuzz_flag (s->input) ? fuzz_edge (s->input) :
      fuzz_below (s->input, 2000);
  TimeDSPStatus one = core_scaler_move (s->whole, factor, frames);
  TimeDSPStatus other = core_scaler_move (s->piecewise, factor, frames);

  REQUIRE (one == other, "%d and %d", one, other);
  REQUIRE ((one == TIMEDSP_OK) == (fuzz_factor_is_sound (factor)
          && frames <= TIMEDSP_MAX_FRAMES), "%g in %llu frames: %d", factor,
      (unsigned long long) frames, one);
  if (one == TIMEDSP_OK)
    s->factor = 0;
}

/* Requires that the positions of both scalers are equal, and plausible. */
static void
ask (Stream * s)
{
  double fraction, other_fraction;
  uint64_t one = core_scaler_position (s->whole, &fraction);
  uint64_t other = core_scaler_position (s->piecewise, &other_fraction);

  REQUIRE (one == other && fraction == other_fraction, "%llu + %g, %llu + %g",
      (unsigned long long) one, fraction, (unsigned long long) other,
      other_fraction);
  REQUIRE (fraction >= 0 && fraction < 1, "%g", fraction);
  REQUIRE (core_scaler_lookahead (s->whole)
      == core_scaler_lookahead (s->piecewise));
}

static void
reset (Stream * s)
{
  core_scaler_reset (s->whole);
  core_scaler_reset (s->piecewise);
  s->next = s->made = 0;
  s->ended = false;
}

/* Two new scalers continue the stream, with another interpolation or quality. */
static void
take_over (Stream * s)
{
  TimeDSPConfig config = s->config;
  CoreScaler *one, *other;
  CoreScaler *old = s->whole;

  config.interpolation = fuzz_below (s->input, TIMEDSP_N_INTERPOLATIONS);
  config.quality = fuzz_below (s->input, 11);
  REQUIRE (core_scaler_new (&config, 1, &one) == TIMEDSP_OK);
  REQUIRE (core_scaler_new (&config, 1, &other) == TIMEDSP_OK);
  core_scaler_continue (one, s->whole);
  core_scaler_continue (other, s->piecewise);
  s->whole = one;
  one = old;
  old = s->piecewise;
  s->piecewise = other;
  other = old;
  s->config = config;
  s->factor = 0;
  s->ended = false;
  core_scaler_free (one);
  core_scaler_free (other);
}

/* Requires that a stream has no more output after its end. */
static void
require_ended (Stream * s)
{
  FuzzFrames *in = fuzz_frames_of_stream (&s->config, 0, 1, 0, false);
  FuzzFrames *out = fuzz_frames_new (&s->config, 1);
  size_t used, made;

  REQUIRE (CORE_CHOSEN (core_scaler_process) (s->whole,
          (const void *const *) in->planes, 1, out->planes, 1, &used,
          &made) == TIMEDSP_FINISHED);
  REQUIRE (used == 0 && made == 0, "%zu, %zu", used, made);
  fuzz_frames_free (in);
  fuzz_frames_free (out);
}

/* ---- one input of the fuzzer -------------------------------------------- */

static void
step (Stream * s)
{
  switch (fuzz_below (s->input, 10)) {
    case 0:
      set_factor (s);
      break;
    case 1:
      ramp_factor (s);
      break;
    case 2:
      ask (s);
      break;
    case 3:
      reset (s);
      break;
    case 4:
      take_over (s);
      break;
    case 5:
      if (s->ended)
        require_ended (s);
      else
        finish (s);
      break;
    default:
      if (s->ended)
        reset (s);
      feed (s);
  }
}

static CoreScaler *
new_scaler (const TimeDSPConfig * config, double factor)
{
  CoreScaler *scaler = (CoreScaler *) config;
  TimeDSPStatus status = core_scaler_new (config, factor, &scaler);

  REQUIRE ((status == TIMEDSP_OK) == (fuzz_config_is_sound (config)
          && fuzz_factor_is_sound (factor)), "%g: %d", factor, status);
  REQUIRE ((status == TIMEDSP_OK) == (scaler != NULL), "%d", status);
  return scaler;
}

void
fuzz_scaler (FuzzInput * input)
{
  Stream s = {.input = input };
  unsigned i;

  s.config = fuzz_config (input);
  s.factor = fuzz_double (input);
  s.wild = fuzz_byte (input) > 200;
  s.seed = fuzz_bytes (input, 2);
  s.piecewise = new_scaler (&s.config, s.factor);
  s.whole = new_scaler (&s.config, s.factor);
  for (i = 0; s.whole != NULL && i < MOST_STEPS && fuzz_more (input); i++)
    step (&s);
  if (s.whole != NULL && !s.ended)
    finish (&s);
  core_scaler_free (s.piecewise);
  core_scaler_free (s.whole);
}
