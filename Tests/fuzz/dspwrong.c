/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Calls that no caller should make. Each has to return an error; an array of an
 * impossible size is made of an address that cannot be read.
 */

#include "dsp.h"

#define NOWHERE ((void *) 16)

/* Sizes that no array has at that address. */
static size_t
impossible_size (FuzzInput * input)
{
  uint64_t size = fuzz_edge (input);
  unsigned bit = 56 + fuzz_below (input, 8);

  /* where a size has 32 bits, only half of the addresses are too many for every frame */
  return size | (UINT64_C (1) << (sizeof (size_t) < 8 ? 31 : bit));
}

static void
call_scaler (FuzzInput * input)
{
  TimeDSPConfig config = { TIMEDSP_F32, fuzz_flag (input),
    fuzz_below (input, 5), 2, 0
  };
  float samples[2] = { 0 };
  const void *in[] = { samples, fuzz_flag (input) ? NULL : samples };
  void *out[] = { NOWHERE, NOWHERE };
  size_t huge = impossible_size (input), used = 7, made = 7;
  TimeDSPScaler *scaler;

  REQUIRE (timedsp_scaler_new (&config, 1, &scaler) == TIMEDSP_OK);
  REQUIRE (timedsp_scaler_process (scaler, in, 1, out, huge, &used, &made)
      != TIMEDSP_OK, "%zu frames of output", huge);
  REQUIRE (used == 0 && made == 0, "%zu, %zu", used, made);
  out[0] = samples;
  REQUIRE (timedsp_scaler_process (scaler, (const void *const *) out, huge, out,
          1, &used, &made) != TIMEDSP_OK, "%zu frames of input", huge);
  REQUIRE (timedsp_scaler_process (scaler, in, 1, out, 1, NULL, &made)
      == TIMEDSP_NULL_POINTER);
  REQUIRE (timedsp_scaler_finish (scaler, out, huge, &made) != TIMEDSP_OK,
      "%zu frames of output", huge);
  timedsp_scaler_free (scaler);
}

static void
call_arrays (FuzzInput * input)
{
  size_t huge = impossible_size (input), bytes = 1 + fuzz_below (input, 9000);

  REQUIRE (timedsp_reverse (NOWHERE, NOWHERE, huge, bytes) != TIMEDSP_OK,
      "%zu × %zu", huge, bytes);
  REQUIRE (timedsp_reverse (NULL, NOWHERE, 1, 1) == TIMEDSP_NULL_POINTER);
}

static void
call_with_nothing (void)
{
  uint64_t number;
  TimeDSPScaler *scaler;

  REQUIRE (timedsp_scaler_new (NULL, 1, &scaler) == TIMEDSP_NULL_POINTER
      && scaler == NULL);
  REQUIRE (timedsp_scaler_reset (NULL) == TIMEDSP_NULL_POINTER);
  REQUIRE (timedsp_scaler_set_factor (NULL, 1) == TIMEDSP_NULL_POINTER);
  REQUIRE (timedsp_scaler_max_output (NULL, 1, &number)
      == TIMEDSP_NULL_POINTER);
  REQUIRE (timedsp_scaler_memory_bytes (NULL) == 0);
  REQUIRE (timedsp_scaler_lookahead (NULL) == 0);
  REQUIRE (timedsp_scaled_length (1, 1, NULL) == TIMEDSP_NULL_POINTER);
  timedsp_scaler_free (NULL);
}

/* floor (frames × factor), or an error. */
static void
call_length (FuzzInput * input)
{
  uint64_t frames = fuzz_edge (input), scaled = 7;
  double factor = fuzz_double (input);
  TimeDSPStatus status = timedsp_scaled_length (frames, factor, &scaled);
  long double expected = (long double) frames * factor;

  if (status != TIMEDSP_OK) {
    REQUIRE (scaled == 7, "it has been touched");
    REQUIRE (!fuzz_factor_is_sound (factor) || frames > TIMEDSP_MAX_FRAMES
        || expected + 2 > TIMEDSP_MAX_FRAMES, "%llu × %g: %d",
        (unsigned long long) frames, factor, status);
    return;
  }
  REQUIRE (fuzz_factor_is_sound (factor), "%g", factor);
  REQUIRE (fabsl (scaled + 0.5L - expected) <= 0.5L + 1e-6L + expected * 1e-15L,
      "%llu × %g: %llu", (unsigned long long) frames, factor,
      (unsigned long long) scaled);
}

void
fuzz_wrong_calls (FuzzInput * input)
{
  call_length (input);
  call_scaler (input);
  call_arrays (input);
  call_with_nothing ();
  REQUIRE (timedsp_status_text ((TimeDSPStatus) fuzz_bytes (input, 4)) != NULL);
}
