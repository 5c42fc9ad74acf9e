/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Calls that work on arrays: reversal, the search for a place, fades.
 */

#include "dsp.h"

/* @bytes bytes, of which few are different, so that places are alike; not
 * aligned. The memory begins @before bytes before them. */
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

/* Two parts of one array: refused unless they are the same or apart. */
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

/* ---- the place of a take ------------------------------------------------ */

/* Whether the needle lies at @at of the take, by looking at every byte. */
static bool
lies_at (const uint8_t * take, size_t take_frames, const uint8_t * needle,
    size_t needle_frames, size_t stride, int64_t at)
{
  return at >= 0 && (uint64_t) at + needle_frames <= take_frames
      && (needle_frames == 0 || memcmp (take + at * stride, needle,
          needle_frames * stride) == 0);
}

void
fuzz_find_take (FuzzInput * input)
{
  size_t stride = 1 + fuzz_below (input, 16);
  size_t take_frames = fuzz_below (input, 600);
  size_t needle_frames = fuzz_below (input, 60);
  size_t planned = fuzz_below (input, 700), search = fuzz_below (input, 700);
  uint8_t *take = make_bytes (input, take_frames * stride, 0);
  uint8_t *needle = make_bytes (input, needle_frames * stride, 0);
  const void *takes[] = { take }, *needles[] = { needle };
  int64_t shift = 7, expected = 0, distance;
  int found = 7;
  bool there = false;

  if (needle_frames > 0 && needle_frames <= take_frames && fuzz_flag (input))
    memcpy (needle, take + fuzz_below (input, take_frames - needle_frames + 1)
        * stride, needle_frames * stride);
  REQUIRE (timedsp_find_take (takes, take_frames, needles, needle_frames, 1,
          stride, planned, search, &shift, &found) == TIMEDSP_OK);

  for (distance = 0; !there && distance <= (int64_t) search; distance++) {
    int64_t early = (int64_t) planned - distance, late = planned + distance;

    there = needle_frames == 0 || lies_at (take, take_frames, needle,
        needle_frames, stride, early);
    expected = there ? -distance : 0;
    if (!there && lies_at (take, take_frames, needle, needle_frames, stride,
            late)) {
      there = true;
      expected = distance;
    }
  }
  REQUIRE (found == there && shift == expected, "found %d at %lld, and not "
      "%d at %lld", found, (long long) shift, there, (long long) expected);
  free (take);
  free (needle);
}

static double *
make_samples (FuzzInput * input, size_t n)
{
  double *made = malloc (n * sizeof *made), special = fuzz_double (input);
  unsigned seed = fuzz_byte (input), every = fuzz_byte (input);
  size_t i;

  for (i = 0; i < n; i++)
    made[i] = every > 200 && i % every == 0 ? special :
        sin ((double) i * (seed + 1) * 0.37);
  return made;
}

void
fuzz_align_take (FuzzInput * input)
{
  size_t channels = 1 + fuzz_below (input, 4);
  size_t take_frames = fuzz_below (input, 500);
  size_t needle_frames = fuzz_below (input, 50);
  size_t planned = fuzz_below (input, 600), search = fuzz_below (input, 300);
  double *take = make_samples (input, take_frames * channels);
  double *needle = make_samples (input, needle_frames * channels);
  int64_t shift = 7;
  double error = -1;
  int found = 7;

  REQUIRE (timedsp_align_take (take, take_frames, needle, needle_frames,
          channels, planned, search, &shift, &error, &found) == TIMEDSP_OK);
  REQUIRE (error >= 0, "%g", error);
  REQUIRE (shift >= -(int64_t) search && shift <= (int64_t) search, "%lld",
      (long long) shift);
  if (found && needle_frames > 0)
    REQUIRE ((int64_t) planned + shift >= 0
        && planned + shift + needle_frames <= take_frames, "%lld",
        (long long) shift);
  if (!found)
    REQUIRE (shift == 0 && isinf (error), "%lld, %g", (long long) shift, error);
  free (take);
  free (needle);
}

void
fuzz_are_alike (FuzzInput * input)
{
  size_t channels = 1 + fuzz_below (input, 8);
  size_t frames = fuzz_below (input, 500);
  uint32_t rate = 1 + fuzz_below (input, 400000);
  double *one = make_samples (input, frames * channels);
  double *other = make_samples (input, frames * channels);
  int alike = 7, back = 7;

  REQUIRE (timedsp_are_alike (one, other, frames, channels, rate, &alike)
      == TIMEDSP_OK);
  REQUIRE (timedsp_are_alike (other, one, frames, channels, rate, &back)
      == TIMEDSP_OK);
  REQUIRE ((alike == 0 || alike == 1) && alike == back, "%d, %d", alike, back);
  REQUIRE (timedsp_are_alike (one, one, frames, channels, rate, &alike)
      == TIMEDSP_OK && alike == 1, "with itself");
  free (one);
  free (other);
}

/* ---- fades -------------------------------------------------------------- */

void
fuzz_crossfade (FuzzInput * input)
{
  size_t channels = 1 + fuzz_below (input, 8);
  size_t frames = fuzz_below (input, 300), i;
  double *from = make_samples (input, frames * channels);
  double *to = make_samples (input, frames * channels);
  double *out = malloc (frames * channels * sizeof *out);

  REQUIRE (timedsp_crossfade (from, to, out, frames, channels) == TIMEDSP_OK);
  for (i = 0; i < frames * channels; i++) {
    double w = (1 - cos (M_PI * (i / channels + 0.5) / frames)) / 2;
    double expected = from[i] + w * (to[i] - from[i]);

    REQUIRE (isnan (expected) || out[i] == expected
        || fabs (out[i] - expected) <= 1e-12 * (fabs (from[i]) + fabs (to[i])),
        "%.17g, and not %.17g", out[i], expected);
  }
  REQUIRE (timedsp_crossfade (from, to, fuzz_flag (input) ? from : to, frames,
          channels) == TIMEDSP_OK, "in place");
  free (from);
  free (to);
  free (out);
}
