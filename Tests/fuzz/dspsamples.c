/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Reverses arrays.
 */

#include "dsp.h"

/* Returns @bytes bytes with few different values. They begin @before bytes after the start
 * of their memory block, so they may be unaligned. */
static uint8_t *
make_bytes (FuzzInput * input, size_t bytes, size_t before)
{
  uint8_t *memory = malloc (before + bytes), *made = memory + before;
  unsigned variety = 1 + fuzz_below (input, 255);
  uint64_t state = fuzz_bytes (input, 2);
  size_t i;

  for (i = 0; i < bytes; i++) {
    state = state * UINT64_C (6364136223846793005) + 1442695040888963407;
    made[i] = (state >> 40) % variety;
  }
  return made;
}

/* ---- reversal ----------------------------------------------------------- */

static void
require_reversed (const uint8_t * in, const uint8_t * out, size_t frames,
    size_t frame_bytes)
{
  size_t n;

  for (n = 0; n < frames; n++)
    REQUIRE (memcmp (in + n * frame_bytes,
            out + (frames - 1 - n) * frame_bytes, frame_bytes) == 0,
        "frame %zu of %zu, of %zu bytes", n, frames, frame_bytes);
}

/* Reverses one part of an array into another part. The call must be refused if the two
 * parts overlap and are not the same. */
static void
reverse_inside (FuzzInput * input, const uint8_t * in, size_t frames,
    size_t frame_bytes)
{
  size_t bytes = frames * frame_bytes;
  size_t apart = fuzz_below (input, bytes + 2);
  uint8_t *memory = malloc (bytes + apart);
  TimeDSPStatus status;

  if (bytes > 0)
    memcpy (memory, in, bytes);
  status = timedsp_reverse (memory, memory + apart, frames, frame_bytes);
  REQUIRE ((status == TIMEDSP_OK) == (apart == 0 || apart >= bytes),
      "%zu bytes of %zu apart: %d", apart, bytes, status);
  if (status == TIMEDSP_OK)
    require_reversed (in, memory + apart, frames, frame_bytes);
  else
    REQUIRE (memcmp (memory, in, bytes) == 0, "it has been touched");
  free (memory);
}

void
fuzz_reverse (FuzzInput * input)
{
  size_t frame_bytes = fuzz_flag (input) ? fuzz_below (input, 32) :
      fuzz_below (input, 9000);
  size_t frames = fuzz_below (input, frame_bytes > 64 ? 20 : 2000);
  size_t before = fuzz_below (input, 16), after = fuzz_below (input, 16);
  size_t bytes = frames * frame_bytes;
  uint8_t *in = make_bytes (input, bytes, before);
  uint8_t *out = make_bytes (input, bytes, after);
  TimeDSPStatus status = timedsp_reverse (in, out, frames, frame_bytes);

  REQUIRE ((status == TIMEDSP_OK) == (frame_bytes >= 1
          && frame_bytes <= TIMEDSP_MAX_FRAME_BYTES), "%zu: %d", frame_bytes,
      status);
  if (status == TIMEDSP_OK) {
    require_reversed (in, out, frames, frame_bytes);
    REQUIRE (timedsp_reverse (out, out, frames, frame_bytes) == TIMEDSP_OK);
    REQUIRE (bytes == 0 || memcmp (in, out, bytes) == 0, "reversed twice");
    reverse_inside (input, in, frames, frame_bytes);
  }
  free (in - before);
  free (out - after);
}
