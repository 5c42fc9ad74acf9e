/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Scales whole arrays to a given length: first with one call, then with a scaler that
 * receives the array in blocks. The results must be equal. Except with sinc
 * interpolation, the first and the last frame must not change.
 */

#include "dsp.h"

#define MOST_SAMPLES 30000

typedef struct
{
  FuzzInput *input;
  TimeDSPConfig config;
  uint64_t count, length;
  FuzzFrames *in;
} Array;

/* Creates a scaler for frame counts that may be too large for any memory. Tests only
 * which frame counts are refused, and processes no frames. */
static void
make_huge (Array * a)
{
  CoreScaler *scaler = NULL;
  TimeDSPStatus status;

  a->count = fuzz_edge (a->input);
  a->length = fuzz_edge (a->input);
  status = core_scaler_new_endpoints (&a->config, a->count, a->length, &scaler);
  REQUIRE (status == TIMEDSP_NO_MEMORY
      || (status == TIMEDSP_OK) == (fuzz_config_is_sound (&a->config)
          && (a->count > 0 || a->length == 0)
          && a->count <= TIMEDSP_MAX_FRAMES
          && a->length <= TIMEDSP_MAX_FRAMES), "%llu to %llu: %d",
      (unsigned long long) a->count, (unsigned long long) a->length, status);
  REQUIRE ((status == TIMEDSP_OK) == (scaler != NULL), "%d", status);
  core_scaler_free (scaler);
}

static FuzzFrames *
scale_at_once (Array * a)
{
  FuzzFrames *out = fuzz_frames_new (&a->config, a->length);

  REQUIRE (core_scale_to_length (&a->config,
          (const void *const *) a->in->planes, a->count, out->planes,
          a->length, a->length) == TIMEDSP_OK);
  if (a->length > 0)
    REQUIRE (core_scale_to_length (&a->config,
            (const void *const *) a->in->planes, a->count, out->planes,
            a->length - 1, a->length) == TIMEDSP_OUTPUT_TOO_SMALL);
  return out;
}

static FuzzFrames *
scale_in_pieces (Array * a)
{
  size_t room = fuzz_room (a->input, a->length);
  size_t piece = 1 + fuzz_below (a->input, 300), done = 0, used, made;
  FuzzFrames *all = fuzz_frames_new (&a->config, 0);
  CoreScaler *scaler;

  REQUIRE (core_scaler_new_endpoints (&a->config, a->count, a->length,
          &scaler) == TIMEDSP_OK);
  REQUIRE (core_scaler_move (scaler, 1, 0) == TIMEDSP_BAD_FACTOR);
  do {
    size_t n = a->count - done < piece ? a->count - done : piece;
    FuzzFrames *in = fuzz_frames_of_stream (&a->config, done, n, 0, false);
    FuzzFrames *out = fuzz_frames_new (&a->config, room);

    REQUIRE (core_scaler_process (scaler, (const void *const *) in->planes,
            n, out->planes, room, &used, &made) == TIMEDSP_OK);
    REQUIRE (used <= n && made <= room && (used == n || made == room),
        "%zu of %zu, %zu of %zu", used, n, made, room);
    fuzz_frames_free (in);
    fuzz_frames_append (all, out, made);
    done += used;
  } while (done < a->count || made == room);
  do {
    FuzzFrames *out = fuzz_frames_new (&a->config, room);

    REQUIRE (core_scaler_finish (scaler, out->planes, room, &made)
        == TIMEDSP_OK);
    fuzz_frames_append (all, out, made);
  } while (made > 0);
  core_scaler_free (scaler);
  return all;
}

static void
require_ends (const Array * a, const FuzzFrames * out)
{
  size_t bytes = out->frame_bytes;
  unsigned i;

  for (i = 0; i < out->n_planes; i++) {
    const char *from = a->in->planes[i], *to = out->planes[i];

    REQUIRE (memcmp (from, to, bytes) == 0, "the first frame");
    if (a->length > 1)
      REQUIRE (memcmp (from + (a->count - 1) * bytes,
              to + (a->length - 1) * bytes, bytes) == 0, "the last frame");
  }
}

static void
scale_both_ways (Array * a)
{
  FuzzFrames *one, *other;

  a->count = 1 + fuzz_below (a->input, 1 + MOST_SAMPLES / a->config.channels);
  a->length = fuzz_below (a->input, 1 + MOST_SAMPLES / a->config.channels);
  if (fuzz_flag (a->input))
    a->length %= 64;
  if (fuzz_flag (a->input))
    a->count = 1 + a->count % 64;
  a->in = fuzz_frames_of_stream (&a->config, 0, a->count, 0, false);
  one = scale_at_once (a);
  other = scale_in_pieces (a);
  fuzz_frames_require_equal (one, other);
  fuzz_frames_require_sound (one, &a->config);
  if (a->length > 0 && a->config.interpolation != TIMEDSP_SINC)
    require_ends (a, one);
  fuzz_frames_free (one);
  fuzz_frames_free (other);
  fuzz_frames_free (a->in);
}

void
fuzz_endpoints (FuzzInput * input)
{
  Array a = {.input = input,.config = fuzz_config (input) };

  if (fuzz_byte (input) > 200 || !fuzz_config_is_sound (&a.config))
    make_huge (&a);
  else
    scale_both_ways (&a);
}
