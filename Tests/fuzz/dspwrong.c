/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Makes invalid calls. Each call must return an error. Arrays of an impossible size are
 * at an address that cannot be read, so any access to them crashes.
 */

#include "dsp.h"

#define NOWHERE ((void *) 16)

/* Returns a size that no array at NOWHERE can have. */
static size_t
impossible_size (FuzzInput * input)
{
  uint64_t size = fuzz_edge (input);
  unsigned bit = 56 + fuzz_below (input, 8);

  /* if a size has 32 bits, only values from 2^31 on are too large for every type of
   * frame */
  return size | (UINT64_C (1) << (sizeof (size_t) < 8 ? 31 : bit));
}

/* Begins a stream in the session, and sends a buffer of 64 frames. Returns the action
 * that asks for these frames to be processed. */
static TimeScaleAction *
ask_for_frames (TimeScale * scale, const TimeDSPConfig * audio)
{
  TimeScaleSettings settings = {.factor = 1.5 };
  TimeSegment segment = {.rate = 1,.applied_rate = 1,.stop = UINT64_MAX,
    .duration = UINT64_MAX
  };
  TimeScaleInput begin = {.kind = TIMESCALE_SEGMENT,.segment = &segment };
  TimeScaleInput input = {.kind = TIMESCALE_BUFFER,.buffer = {
      .duration_ns = 8000000,.frames = 64,.sent_stop_ns = UINT64_MAX}
  };
  TimeScaleAction *action;

  settings.interpolation = audio->interpolation;
  timescale_configure (scale, &settings);
  timescale_format (scale, audio, 8000);
  action = timescale_receive (scale, &begin, 0);
  while (action != NULL)
    action = timescale_done (scale, 0);
  action = timescale_receive (scale, &input, 0);
  while (action != NULL && action->kind != TIMESCALE_PROCESS) {
    if (action->kind == TIMESCALE_PREPARE)
      timescale_prepare (action);
    action = timescale_done (scale, 0);
  }
  REQUIRE (action != NULL, "nothing to process");
  return action;
}

static void
require_refused (TimeScaleAction * action, const void *const *in,
    void *const *out)
{
  timescale_process (action, in, out);
  REQUIRE (action->status != TIMEDSP_OK && action->frames_used == 0
      && action->frames_made == 0, "%d, %zu, %zu", action->status,
      action->frames_used, action->frames_made);
}

/* Performs an action of a session with invalid arguments, which must be refused.
 * Afterwards, the action must succeed with valid arguments. */
static void
call_session (FuzzInput * input)
{
  TimeDSPConfig audio = { TIMEDSP_F32, fuzz_flag (input),
    fuzz_below (input, TIMEDSP_N_INTERPOLATIONS), 2, 0
  };
  float samples[2][128] = { 0 }, output[2][1024];
  const void *in[] = { samples[0], fuzz_flag (input) ? NULL : samples[1] };
  const void *good[] = { samples[0], samples[1] };
  void *nowhere[] = { NOWHERE, NOWHERE };
  void *out[] = { output[0], output[1] };
  size_t huge = impossible_size (input), frames, capacity;
  TimeScale *scale = timescale_new ();
  TimeScaleAction *action = ask_for_frames (scale, &audio);

  frames = action->frames;
  capacity = action->capacity;
  REQUIRE (frames <= 64 && capacity <= 512, "%zu, %zu", frames, capacity);
  require_refused (action, NULL, out);
  require_refused (action, good, NULL);
  require_refused (action, good, (void *const *) good);
  if (audio.layout == TIMEDSP_PLANAR && in[1] == NULL)
    require_refused (action, in, out);
  action->capacity = huge;
  require_refused (action, in, nowhere);
  action->capacity = capacity;
  action->frames = huge;
  require_refused (action, (const void *const *) nowhere, out);
  action->frames = frames;
  timescale_process (action, good, out);
  REQUIRE (action->status == TIMEDSP_OK && action->frames_used == frames, "%d",
      action->status);
  timescale_free (scale);
}

static void
call_arrays (FuzzInput * input)
{
  size_t huge = impossible_size (input), bytes = 1 + fuzz_below (input, 9000);

  REQUIRE (timedsp_reverse (NOWHERE, NOWHERE, huge, bytes) != TIMEDSP_OK,
      "%zu × %zu", huge, bytes);
  REQUIRE (timedsp_reverse (NULL, NOWHERE, 1, 1) == TIMEDSP_NULL_POINTER);
}

/* Requires that the length is floor (frames × factor), or that there is an error. */
static void
call_length (FuzzInput * input)
{
  uint64_t frames = fuzz_edge (input);
  double factor = fuzz_double (input);
  uint64_t scaled = core_scaled_length (frames, factor);
  long double expected = (long double) frames * factor;

  if (!fuzz_factor_is_sound (factor) || frames > TIMEDSP_MAX_FRAMES
      || expected > TIMEDSP_MAX_FRAMES + 2.0L) {
    REQUIRE (scaled == 0, "%llu × %g: %llu", (unsigned long long) frames,
        factor, (unsigned long long) scaled);
    return;
  }
  if (scaled == 0 && expected + 2 > TIMEDSP_MAX_FRAMES)
    return;
  REQUIRE (fabsl (scaled + 0.5L - expected) <= 0.5L + 1e-6L + expected * 1e-15L,
      "%llu × %g: %llu", (unsigned long long) frames, factor,
      (unsigned long long) scaled);
}

void
fuzz_wrong_calls (FuzzInput * input)
{
  call_length (input);
  call_session (input);
  call_arrays (input);
  REQUIRE (timedsp_status_text ((TimeDSPStatus) fuzz_bytes (input, 4)) != NULL);
}
