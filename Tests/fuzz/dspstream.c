/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Passes a stream through two scalers, or through two stretchers. One of them receives
 * the stream in small blocks, has little room for output, and runs the baseline code,
 * which every processor can run. The other one receives the stream in one block, and runs
 * the code that is chosen for this processor. The output of both must be equal, byte for
 * byte.
 */

#include "dsp.h"


/* Maximum number of samples in a step, to limit the time per input. */
#define MAX_SAMPLES 20000
#define MAX_STEPS 24
#define ANY_LENGTH UINT64_MAX

/* A scaler or a stretcher. */
typedef struct
{
  CoreScaler *scaler;
  CoreStretcher *stretcher;
} Engine;

typedef struct
{
  FuzzInput *input;
  TimeDSPConfig config;
  uint32_t rate;
  TimeStretchWindow window;
  Engine pieces, whole;
  uint64_t seed;
  bool wild;                    /* samples have random bits, including NaN */
  uint64_t next;                /* next frame of the stream */
  uint64_t made;                /* number of output frames since the beginning */
  uint64_t length;              /* the requested length */
  double start_factor;
  double factor;                /* the factor since the beginning. 0 if it has changed */
  bool ended;
} Stream;

/* ---- audio ---------------------------------------------------------------- */

/* Calls the function of the engine: in small blocks, or the one for this processor. */
#define CALL(function, ...) \
    (engine == &s->whole ? CORE_CHOSEN (function) : function) (__VA_ARGS__)

/* Processes @in, or ends the input if @in is NULL. Returns the number of output frames. */
static size_t
process (Stream * s, Engine * engine, const FuzzFrames * in, FuzzFrames * out,
    size_t *used)
{
  const void *const *planes = in ? (const void *const *) in->planes : NULL;
  size_t frames = in ? in->frames : 0, room = out->frames, made = 0;
  TimeDSPStatus status = TIMEDSP_OK;

  *used = 0;
  if (engine->scaler && in)
    status = CALL (core_scaler_process, engine->scaler, planes, frames,
        out->planes, room, used, &made);
  else if (engine->scaler)
    status = CALL (core_scaler_finish, engine->scaler, out->planes, room,
        &made);
  else if (in)
    made = CALL (core_stretcher_process, engine->stretcher, planes, frames,
        out->planes, room, used);
  else
    made = CALL (core_stretcher_finish, engine->stretcher, out->planes, room);
  REQUIRE (status == TIMEDSP_OK && *used <= frames && made <= room
      && (!in || *used == frames || made == room),
      "%d: %zu of %zu, %zu of %zu", status, *used, frames, made, room);
  return made;
}

/* Returns the output for @frames frames, or, if @ends is true, for the end of the input. */
static FuzzFrames *
pass_pieces (Stream * s, size_t frames, bool ends)
{
  FuzzFrames *all = fuzz_frames_new (&s->config, 0);
  size_t room = fuzz_room (s->input, ends ? 2000 : frames);
  size_t piece = ends ? 0 : 1 + fuzz_below (s->input, 500), done = 0;
  size_t used, made;

  do {
    size_t n = frames - done < piece ? frames - done : piece;
    FuzzFrames *in = ends ? NULL : fuzz_frames_of_stream (&s->config,
        s->next + done, n, s->seed, s->wild);
    FuzzFrames *out = fuzz_frames_new (&s->config, room);

    made = process (s, &s->pieces, in, out, &used);
    if (in)
      fuzz_frames_free (in);
    fuzz_frames_append (all, out, made);
    done += used;
  } while (ends ? made > 0 : done < frames || made == room);
  return all;
}

/* Returns the maximum number of output frames for @frames more frames and the end of
 * input. */
static size_t
most_output (Stream * s, size_t frames)
{
  uint64_t most = s->length;

  if (!s->whole.scaler)
    return core_stretcher_max_output (s->whole.stretcher, frames);
  if (s->length == ANY_LENGTH)
    REQUIRE (core_scaler_max_output (s->whole.scaler, frames, &most)
        == TIMEDSP_OK, "%zu frames", frames);
  return most;
}

/* Passes @frames frames, or the end of the input, in both ways. */
static void
pass (Stream * s, size_t frames, bool ends)
{
  FuzzFrames *in = ends ? NULL : fuzz_frames_of_stream (&s->config, s->next,
      frames, s->seed, s->wild);
  FuzzFrames *out = fuzz_frames_new (&s->config, most_output (s, frames));
  FuzzFrames *pieces = pass_pieces (s, frames, ends);
  size_t used;

  out->frames = process (s, &s->whole, in, out, &used);
  REQUIRE (used == frames && pieces->frames == out->frames,
      "%zu of %zu, %zu and %zu", used, frames, pieces->frames, out->frames);
  if (!s->wild)                 /* a NaN may have different bits */
    fuzz_frames_require_equal (pieces, out);
  if (!s->wild && s->whole.scaler)
    fuzz_frames_require_sound (out, &s->config);
  s->next += frames;
  s->made += out->frames;
  s->ended = ends;
  if (in)
    fuzz_frames_free (in);
  fuzz_frames_free (pieces);
  fuzz_frames_free (out);
  if (ends)
    fuzz_require_length (s->next, s->factor, s->made);
}

/* ---- the other calls ---------------------------------------------------- */

static TimeDSPStatus
move_one (Engine * engine, double factor, uint64_t frames)
{
  return engine->scaler ? core_scaler_move (engine->scaler, factor, frames) :
      core_stretcher_move (engine->stretcher, factor, frames);
}

/* Sets a factor. A factor that is refused must not change anything. */
static void
move (Stream * s, bool at_once)
{
  double factor = fuzz_double (s->input);
  uint64_t frames = at_once ? 0 : fuzz_flag (s->input) ? fuzz_edge (s->input) :
      fuzz_below (s->input, 2000);
  bool sound = fuzz_factor_is_sound (factor) && frames <= TIMEDSP_MAX_FRAMES;

  if (s->ended)
    return;
  REQUIRE ((move_one (&s->whole, factor, frames) == TIMEDSP_OK) == sound
      && (move_one (&s->pieces, factor, frames) == TIMEDSP_OK) == sound,
      "%g in %llu frames", factor, (unsigned long long) frames);
  if (sound)
    s->factor = 0;
}

static uint64_t
position (Stream * s, const Engine * engine, double *fraction)
{
  uint64_t in = s->next, out;

  if (engine->scaler)
    return core_scaler_position (engine->scaler, fraction);
  out = core_stretcher_position (engine->stretcher, &in, fraction);
  REQUIRE (in == s->next, "%llu", (unsigned long long) in);
  return out;
}

/* Requires that both positions are equal, and plausible. */
static void
ask (Stream * s)
{
  double fraction, other_fraction;
  uint64_t one = position (s, &s->whole, &fraction);
  uint64_t other = position (s, &s->pieces, &other_fraction);

  REQUIRE (one == other && fraction == other_fraction && fraction >= 0
      && fraction < 1, "%llu + %g, %llu + %g", (unsigned long long) one,
      fraction, (unsigned long long) other, other_fraction);
}

/* Starts over. A stretcher has the factor that it began with, and a scaler has factor 1. */
static void
reset_one (Stream * s, Engine * engine)
{
  if (engine->scaler) {
    core_scaler_free (engine->scaler);
    REQUIRE (core_scaler_new (&s->config, 1, &engine->scaler) == TIMEDSP_OK);
    return;
  }
  core_stretcher_free (engine->stretcher);
  engine->stretcher = core_stretcher_new (&s->config, s->rate, s->window,
      s->start_factor);
}

static void
reset (Stream * s)
{
  reset_one (s, &s->whole);
  reset_one (s, &s->pieces);
  s->next = s->made = 0;
  s->ended = false;
  s->factor = s->whole.scaler ? 1 : s->start_factor;
  s->length = ANY_LENGTH;
}

static void
take_over_one (Stream * s, Engine * engine)
{
  CoreScaler *old = engine->scaler;

  REQUIRE (core_scaler_new (&s->config, 1, &engine->scaler) == TIMEDSP_OK);
  core_scaler_continue (engine->scaler, old);
  core_scaler_free (old);
}

/* Two new scalers continue the stream, with another interpolation or quality. */
static void
take_over (Stream * s)
{
  if (!s->whole.scaler)
    return;
  s->config.interpolation = fuzz_below (s->input, TIMEDSP_N_INTERPOLATIONS);
  s->config.quality = fuzz_below (s->input, 11);
  take_over_one (s, &s->whole);
  take_over_one (s, &s->pieces);
  s->factor = 0;
  s->ended = false;
}

/* ---- one input of the fuzzer -------------------------------------------- */

static void
step (Stream * s)
{
  unsigned what = fuzz_below (s->input, 10);
  size_t frames;

  if (what <= 1) {
    move (s, what == 0);
  } else if (what == 2) {
    ask (s);
  } else if (what == 3 || (what > 5 && s->ended)) {
    reset (s);
  } else if (what == 4) {
    take_over (s);
  } else if (what == 5 && !s->ended) {
    pass (s, 0, true);
  } else if (what > 5) {
    frames = fuzz_below (s->input, 3000);
    while (frames > 0 && (frames + most_output (s, frames))
        * s->config.channels > MAX_SAMPLES)
      frames /= 2;
    pass (s, frames, false);
  }
}

static void
play (Stream * s)
{
  unsigned i;

  for (i = 0; i < MAX_STEPS && fuzz_more (s->input); i++)
    step (s);
  if (!s->ended)
    pass (s, 0, true);
}

/* Reads the settings that scalers and stretchers share. */
static void
choose (Stream * s)
{
  s->length = ANY_LENGTH;
  s->factor = s->start_factor = fuzz_double (s->input);
  s->wild = fuzz_byte (s->input) > 200;
  s->seed = fuzz_bytes (s->input, 2);
}

static bool
make_scaler (Stream * s, Engine * engine)
{
  TimeDSPStatus status = core_scaler_new (&s->config, s->factor,
      &engine->scaler);

  REQUIRE ((status == TIMEDSP_OK) == (fuzz_config_is_sound (&s->config)
          && fuzz_factor_is_sound (s->factor)), "%g: %d", s->factor, status);
  REQUIRE ((status == TIMEDSP_OK) == (engine->scaler != NULL), "%d", status);
  return engine->scaler != NULL;
}

void
fuzz_scaler (FuzzInput * input)
{
  Stream s = {.input = input,.config = fuzz_config (input) };

  choose (&s);
  if (make_scaler (&s, &s.pieces) && make_scaler (&s, &s.whole))
    play (&s);
  core_scaler_free (s.pieces.scaler);
  core_scaler_free (s.whole.scaler);
}

/* Creates a scaler for frame counts that may be too large for any memory. Tests only
 * which frame counts are refused, and processes no frames. */
static void
make_huge (FuzzInput * input, const TimeDSPConfig * config)
{
  uint64_t count = fuzz_edge (input), length = fuzz_edge (input);
  CoreScaler *scaler = NULL;
  TimeDSPStatus status = core_scaler_new_endpoints (config, count, length,
      &scaler);

  REQUIRE (status == TIMEDSP_NO_MEMORY || (status == TIMEDSP_OK)
      == (fuzz_config_is_sound (config) && (count > 0 || length == 0)
          && count <= TIMEDSP_MAX_FRAMES && length <= TIMEDSP_MAX_FRAMES),
      "%llu to %llu: %d", (unsigned long long) count,
      (unsigned long long) length, status);
  REQUIRE ((status == TIMEDSP_OK) == (scaler != NULL), "%d", status);
  core_scaler_free (scaler);
}

/* Scales an array to a given length. */
void
fuzz_endpoints (FuzzInput * input)
{
  Stream s = {.input = input,.config = fuzz_config (input) };
  uint64_t most, count;

  if (fuzz_byte (input) > 200 || !fuzz_config_is_sound (&s.config)) {
    make_huge (input, &s.config);
    return;
  }
  most = 1 + MAX_SAMPLES / s.config.channels;
  count = 1 + fuzz_below (input, most);
  s.length = fuzz_below (input, most);
  if (fuzz_flag (input))
    s.length %= 64;
  if (fuzz_flag (input))
    count = 1 + count % 64;
  REQUIRE (core_scaler_new_endpoints (&s.config, count, s.length,
          &s.pieces.scaler) == TIMEDSP_OK);
  REQUIRE (core_scaler_new_endpoints (&s.config, count, s.length,
          &s.whole.scaler) == TIMEDSP_OK);
  pass (&s, count, false);
  pass (&s, 0, true);
  REQUIRE (s.made == s.length, "%llu", (unsigned long long) s.made);
  core_scaler_free (s.pieces.scaler);
  core_scaler_free (s.whole.scaler);
}

static bool
make_stretcher (Stream * s, Engine * engine)
{
  engine->stretcher = core_stretcher_new (&s->config, s->rate, s->window,
      s->factor);
  REQUIRE ((engine->stretcher != NULL) == (fuzz_config_is_sound (&s->config)
          && fuzz_factor_is_sound (s->factor)), "%g", s->factor);
  return engine->stretcher != NULL;
}

void
fuzz_stretch (FuzzInput * input)
{
  /* windows have fewer frames at a low rate, so an input takes less time */
  static const uint32_t rates[] = { 8000, 8000, 8000, 8000, 11025, 16000, 48000,
    9001
  };
  Stream s = {.input = input,.config = fuzz_config (input) };
  bool any_rate = fuzz_byte (input) == 255;

  s.config.interpolation = TIMEDSP_LINEAR;
  s.config.quality = 0;
  s.rate = FUZZ_ONE_OF (input, rates);
  s.window = fuzz_below (input, 4);
  if (any_rate)
    s.rate = fuzz_edge (input);
  choose (&s);
  if (make_stretcher (&s, &s.pieces) && make_stretcher (&s, &s.whole))
    play (&s);
  core_stretcher_free (s.pieces.stretcher);
  core_stretcher_free (s.whole.stretcher);
}
