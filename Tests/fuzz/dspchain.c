/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A stream through two chains, whose factor and pitch move at the same frames: one is
 * given it in pieces and has little room, and runs the code for every processor; the
 * other is given it in one go, and runs the code for this one. They have to make the same
 * bytes.
 */

#include "dsp.h"

#ifdef __x86_64__
#include "../../Sources/CTimeDSP/timedspcpu.h"
#endif

/* Samples of one step, so that a run stays short. */
#define MOST_SAMPLES 20000
#define MOST_STEPS 24

/* Kernels of small factors are long: what is left is not made with longer ones. */
#define MOST_LOOKAHEAD_FRAMES 100000

typedef struct
{
  FuzzInput *input;
  TimeChainSettings settings;
  TimeChain *piecewise, *whole;
  uint64_t seed;
  uint64_t next;                /* frame of the stream */
  uint64_t made;                /* frames, since it began */
  double factor;                /* all the time; 0: it has changed */
} Stream;

static TimeDSPStatus
process_piece (Stream * s, const FuzzFrames * in, const FuzzFrames * out,
    TimeChainProgress * done)
{
#ifdef __x86_64__
  return timedsp_variants ()[0]->chain (s->piecewise,
      (const void *const *) in->planes, in->frames, out->planes, out->frames,
      done);
#else
  return timechain_process (s->piecewise, (const void *const *) in->planes,
      in->frames, out->planes, out->frames, done);
#endif
}

static TimeDSPStatus
drain_piece (Stream * s, const FuzzFrames * out, TimeChainProgress * done)
{
#ifdef __x86_64__
  return timedsp_variants ()[0]->drain_chain (s->piecewise, out->planes,
      out->frames, done);
#else
  return timechain_drain (s->piecewise, out->planes, out->frames, done);
#endif
}

/* ---- frames ------------------------------------------------------------- */

/* Appends to @all what comes of [@first, @first + @frames), in pieces. */
static void
feed_pieces (Stream * s, FuzzFrames * all, uint64_t first, size_t frames)
{
  size_t room = fuzz_room (s->input, frames), at = 0;
  size_t piece = 1 + fuzz_below (s->input, 500);
  TimeChainProgress done;

  do {
    size_t n = frames - at < piece ? frames - at : piece;
    FuzzFrames *in = fuzz_frames_of_stream (&s->settings.audio, first + at, n,
        s->seed, false);
    FuzzFrames *out = fuzz_frames_new (&s->settings.audio, room);

    REQUIRE (process_piece (s, in, out, &done) == TIMEDSP_OK, "%zu frames", n);
    REQUIRE (done.frames_used <= n && done.frames_made <= room
        && (done.frames_used == n || done.more), "%zu of %zu, %zu of %zu",
        done.frames_used, n, done.frames_made, room);
    fuzz_frames_free (in);
    fuzz_frames_append (all, out, done.frames_made);
    at += done.frames_used;
  } while (at < frames || done.more);
}

/* The same, with as much room as the chain asks for. */
static void
feed_whole (Stream * s, FuzzFrames * all, uint64_t first, size_t frames)
{
  TimeChainProgress done;
  size_t at = 0;

  do {
    FuzzFrames *in = fuzz_frames_of_stream (&s->settings.audio, first + at,
        frames - at, s->seed, false);
    FuzzFrames *out = fuzz_frames_new (&s->settings.audio,
        timechain_room (s->whole, frames - at));

    REQUIRE (timechain_process (s->whole, (const void *const *) in->planes,
            in->frames, out->planes, out->frames, &done) == TIMEDSP_OK);
    fuzz_frames_free (in);
    fuzz_frames_append (all, out, done.frames_made);
    at += done.frames_used;
  } while (done.more);
  REQUIRE (at == frames, "%zu of %zu", at, frames);
}

static void
take_same (Stream * s, FuzzFrames * one, FuzzFrames * other)
{
  fuzz_frames_require_equal (one, other);
  s->made += one->frames;
  fuzz_frames_free (one);
  fuzz_frames_free (other);
}

static void
feed (Stream * s)
{
  size_t frames = fuzz_below (s->input, 3000);
  FuzzFrames *pieces, *whole;

  while (frames > 0 && (frames + timechain_due (s->whole, frames))
      * s->settings.audio.channels > MOST_SAMPLES)
    frames /= 2;
  pieces = fuzz_frames_new (&s->settings.audio, 0);
  whole = fuzz_frames_new (&s->settings.audio, 0);
  feed_pieces (s, pieces, s->next, frames);
  feed_whole (s, whole, s->next, frames);
  s->next += frames;
  take_same (s, pieces, whole);
}

/* Frames that are passed count as made. */
static void
pass (Stream * s)
{
  size_t frames = 1 + fuzz_below (s->input, 300);
  FuzzFrames *in = fuzz_frames_of_stream (&s->settings.audio, s->next, frames,
      s->seed, false);
  TimeDSPStatus status = timechain_pass (s->whole,
      (const void *const *) in->planes, frames);

  REQUIRE (timechain_pass (s->piecewise, (const void *const *) in->planes,
          frames) == status, "%d", status);
  if (status == TIMEDSP_OK) {
    s->next += frames;
    s->made += frames;
  }
  fuzz_frames_free (in);
}

/* Ends the stream, and begins another. */
static void
drain (Stream * s)
{
  FuzzFrames *pieces = fuzz_frames_new (&s->settings.audio, 0);
  FuzzFrames *whole = fuzz_frames_new (&s->settings.audio, 0);
  size_t room = fuzz_room (s->input, 2000);
  TimeChainProgress done;

  if (timechain_lookahead (s->whole) > MOST_LOOKAHEAD_FRAMES) {
    take_same (s, pieces, whole);
    return;
  }
  do {
    FuzzFrames *out = fuzz_frames_new (&s->settings.audio, room);

    REQUIRE (drain_piece (s, out, &done) == TIMEDSP_OK);
    fuzz_frames_append (pieces, out, done.frames_made);
  } while (done.more);
  do {
    FuzzFrames *out = fuzz_frames_new (&s->settings.audio,
        timechain_room (s->whole, 0));

    REQUIRE (timechain_drain (s->whole, out->planes, out->frames, &done)
        == TIMEDSP_OK);
    fuzz_frames_append (whole, out, done.frames_made);
  } while (done.more);
  take_same (s, pieces, whole);
  fuzz_require_length (s->next, s->factor, s->made);
}

/* ---- the other calls ---------------------------------------------------- */

static void
ask (Stream * s)
{
  TimeChainState one, other;

  REQUIRE (timechain_state (s->whole, &one) == TIMEDSP_OK);
  REQUIRE (timechain_state (s->piecewise, &other) == TIMEDSP_OK);
  REQUIRE (one.in_frames == s->next && one.place == other.place
      && one.held_frames == other.held_frames, "%llu: %g + %g, %g + %g",
      (unsigned long long) one.in_frames, one.place, one.held_frames,
      other.place, other.held_frames);
  REQUIRE (timechain_lookahead (s->whole) ==
      timechain_lookahead (s->piecewise));
  REQUIRE (timechain_due (s->whole, 100) == timechain_due (s->piecewise, 100));
}

static TimePitch
any_pitch (FuzzInput * input)
{
  TimePitch pitch = {.kept = fuzz_flag (input) };

  pitch.window = fuzz_below (input, 4);
  if (fuzz_flag (input))
    pitch.semitones = fuzz_flag (input) ? fuzz_double (input) :
        (double) fuzz_below (input, 49) - 24;
  pitch.formants = fuzz_below (input, 2);
  if (fuzz_flag (input))
    pitch.formant_semitones = fuzz_flag (input) ? fuzz_double (input) :
        (double) fuzz_below (input, 49) - 24;
  return pitch;
}

static bool
is_sound (double factor, const TimePitch * pitch)
{
  return fuzz_factor_is_sound (factor)
      && fabs (pitch->semitones) <= TIMECHAIN_MAX_SEMITONES
      && fabs (pitch->formant_semitones) <= TIMECHAIN_MAX_SEMITONES;
}

/* What is refused changes nothing. */
static void
move (Stream * s)
{
  double factor = fuzz_flag (s->input) ? 1 : fuzz_double (s->input);
  TimePitch pitch = any_pitch (s->input);
  uint64_t frames = fuzz_flag (s->input) ? fuzz_edge (s->input) :
      fuzz_below (s->input, 2000), moved, other;
  TimeDSPStatus expected = !is_sound (factor, &pitch) ? TIMEDSP_BAD_FACTOR :
      frames > TIMEDSP_MAX_FRAMES ? TIMEDSP_BAD_LENGTH : TIMEDSP_OK;

  REQUIRE (timechain_move (s->whole, factor, &pitch, frames, &moved)
      == expected, "%g, %g in %llu frames", factor, pitch.semitones,
      (unsigned long long) frames);
  REQUIRE (timechain_move (s->piecewise, factor, &pitch, frames, &other)
      == expected && moved == other && moved >= frames);
  if (expected == TIMEDSP_OK)
    s->factor = 0;
}

static void
configure (Stream * s)
{
  s->settings.audio.interpolation = fuzz_below (s->input, 5);
  s->settings.audio.quality = fuzz_below (s->input, 11);
  s->settings.moves = fuzz_flag (s->input);
  if (s->next == 0)
    s->factor = 0;
  REQUIRE (timechain_configure (s->whole, &s->settings) == TIMEDSP_OK);
  REQUIRE (timechain_configure (s->piecewise, &s->settings) == TIMEDSP_OK);
}

/* Calls that are refused leave the stream as it is: the rest of the run compares what
 * comes with the other chain, which was not called. */
static void
call_wrongly (Stream * s)
{
  FuzzFrames *in = fuzz_frames_of_stream (&s->settings.audio, 0, 4, 0, false);
  TimeChainSettings other = s->settings;
  TimeChainProgress done = { 9, 9, 9 };
  TimeChain *chain = s->whole;

  REQUIRE (timechain_process (chain, (const void *const *) in->planes, 4,
          in->planes, 4, &done) == TIMEDSP_OVERLAP);
  REQUIRE (done.frames_used == 0 && done.frames_made == 0 && !done.more);
  REQUIRE (timechain_process (chain, NULL, 4, NULL, 0, &done)
      == TIMEDSP_NULL_POINTER);
  REQUIRE (timechain_process (chain, (const void *const *) in->planes, 4, NULL,
          0, NULL) == TIMEDSP_NULL_POINTER);
  REQUIRE (timechain_process (chain, (const void *const *) in->planes,
          SIZE_MAX - fuzz_below (s->input, 256), NULL, 0, &done)
      == TIMEDSP_BAD_LENGTH);
  REQUIRE (timechain_pass (chain, NULL, 4) == TIMEDSP_NULL_POINTER);
  REQUIRE (timechain_drain (chain, NULL, 4, &done) == TIMEDSP_NULL_POINTER);
  REQUIRE (timechain_move (chain, 1, NULL, 4, NULL) == TIMEDSP_NULL_POINTER);
  REQUIRE (timechain_due (chain, UINT64_MAX) == 0);
  other.audio.channels++;
  if (s->next > 0)
    REQUIRE (timechain_configure (chain, &other) != TIMEDSP_OK);
  fuzz_frames_free (in);
}

static void
call_without (void)
{
  TimeChainProgress done;
  TimeChainState state;
  TimeChain *chain;

  REQUIRE (timechain_new (NULL, &chain) == TIMEDSP_NULL_POINTER
      && chain == NULL);
  REQUIRE (timechain_state (NULL, &state) == TIMEDSP_NULL_POINTER);
  REQUIRE (timechain_drain (NULL, NULL, 0, &done) == TIMEDSP_NULL_POINTER);
  REQUIRE (timechain_reset (NULL) == TIMEDSP_NULL_POINTER);
  REQUIRE (timechain_room (NULL, 1) == 0 && timechain_due (NULL, 1) == 0
      && timechain_lookahead (NULL) == 0 && timechain_passes (NULL) == 0
      && !timechain_is_gap (NULL, 1, 1)
      && timechain_frames_before_gap (NULL) == UINT64_MAX);
  timechain_free (NULL);
}

/* ---- a run -------------------------------------------------------------- */

static void
step (Stream * s)
{
  switch (fuzz_below (s->input, 8)) {
    case 0:
      move (s);
      break;
    case 1:
      ask (s);
      break;
    case 2:
      configure (s);
      break;
    case 3:
      call_wrongly (s);
      break;
    case 4:
      pass (s);
      break;
    default:
      feed (s);
  }
}

/* Rates of short windows: a run stays short. */
static TimeChainSettings
any_settings (FuzzInput * input)
{
  static const uint32_t rates[] = { 8000, 8000, 8000, 1, 11025, 0 };
  TimeChainSettings settings = {.audio = fuzz_config (input) };

  settings.rate = FUZZ_ONE_OF (input, rates);
  settings.factor = fuzz_flag (input) ? 1 : fuzz_double (input);
  settings.pitch = any_pitch (input);
  settings.moves = fuzz_byte (input) > 200;
  return settings;
}

static bool
make (const TimeChainSettings * settings, TimeChain ** chain)
{
  TimeDSPStatus status = timechain_new (settings, chain);
  bool sound = fuzz_config_is_sound (&settings->audio)
      && is_sound (settings->factor, &settings->pitch);

  REQUIRE ((status == TIMEDSP_OK) == sound && (*chain != NULL) == sound, "%d",
      status);
  return sound;
}

void
fuzz_chain (FuzzInput * input)
{
  Stream s = {.input = input,.settings = any_settings (input) };
  bool sound;
  unsigned i;

  s.factor = s.settings.factor;
  s.seed = fuzz_bytes (input, 2);
  sound = make (&s.settings, &s.piecewise) && make (&s.settings, &s.whole);
  for (i = 0; sound && i < MOST_STEPS && fuzz_more (input); i++)
    step (&s);
  if (sound)
    drain (&s);
  if (sound && timechain_reset (s.whole) == TIMEDSP_OK) {
    REQUIRE (timechain_reset (s.piecewise) == TIMEDSP_OK);
    s.next = s.made = 0;
    s.factor = 0;
    feed (&s);
    drain (&s);
  }
  call_without ();
  timechain_free (s.piecewise);
  timechain_free (s.whole);
}
