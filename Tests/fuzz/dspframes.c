/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "dsp.h"

/* More than any interpolation can output for samples in the range -1 to 1. */
#define LOUDEST 8

static const size_t sample_bytes[] = { 2, 4, 4, 8 };

/* ---- memory ------------------------------------------------------------- */

FuzzFrames *
fuzz_frames_new (const TimeDSPConfig * config, size_t frames)
{
  FuzzFrames *made = calloc (1, sizeof *made);
  bool planar = config->layout == TIMEDSP_PLANAR;
  unsigned i;

  made->n_planes = planar ? config->channels : 1;
  made->frame_bytes =
      sample_bytes[config->format] * (planar ? 1 : config->channels);
  made->frames = frames;
  made->room_bytes = frames * made->frame_bytes;
  for (i = 0; i < made->n_planes; i++)
    made->planes[i] = malloc (frames * made->frame_bytes);
  return made;
}

void
fuzz_frames_free (FuzzFrames * frames)
{
  unsigned i;

  for (i = 0; i < frames->n_planes; i++)
    free (frames->planes[i]);
  free (frames);
}

void
fuzz_frames_append (FuzzFrames * all, FuzzFrames * more, size_t frames)
{
  size_t at = all->frames * all->frame_bytes;
  size_t bytes = frames * all->frame_bytes;
  unsigned i;

  for (i = 0; i < all->n_planes; i++) {
    if (at + bytes > all->room_bytes)   /* the size doubles each time */
      all->planes[i] = realloc (all->planes[i], 2 * (at + bytes));
    memcpy ((char *) all->planes[i] + at, more->planes[i], bytes);
  }
  if (at + bytes > all->room_bytes)
    all->room_bytes = 2 * (at + bytes);
  all->frames += frames;
  fuzz_frames_free (more);
}

size_t
fuzz_room (FuzzInput * input, size_t frames)
{
  return 1 + frames / 500 + fuzz_below (input, 500);
}

void
fuzz_require_length (uint64_t in_frames, double factor, uint64_t made)
{
  uint64_t expected = core_scaled_length (in_frames, factor);

  if (factor == 0)
    return;
  REQUIRE (made == expected, "%llu frames, and not %llu",
      (unsigned long long) made, (unsigned long long) expected);
  REQUIRE (fabs (expected + 0.5 - in_frames * factor) <= 0.5 + 1e-6,
      "%llu × %g", (unsigned long long) in_frames, factor);
}

/* ---- samples ------------------------------------------------------------ */

/* Maps 64 bits to random bits. Different values have different results. */
static uint64_t
mix (uint64_t x)
{
  x += UINT64_C (0x9e3779b97f4a7c15);
  x = (x ^ (x >> 30)) * UINT64_C (0xbf58476d1ce4e5b9);
  x = (x ^ (x >> 27)) * UINT64_C (0x94d049bb133111eb);
  return x ^ (x >> 31);
}

static void
set_sample (void *sample, TimeDSPFormat format, uint64_t bits, bool wild)
{
  double value = (double) (int64_t) bits / 9223372036854775808.0;
  float single = (float) value;

  if (format == TIMEDSP_F64 && !wild)
    memcpy (sample, &value, sizeof value);
  else if (format == TIMEDSP_F32 && !wild)
    memcpy (sample, &single, sizeof single);
  else
    memcpy (sample, &bits, sample_bytes[format]);
}

FuzzFrames *
fuzz_frames_of_stream (const TimeDSPConfig * config, uint64_t first,
    size_t frames, uint64_t seed, bool wild)
{
  FuzzFrames *made = fuzz_frames_new (config, frames);
  size_t bytes = sample_bytes[config->format], n;
  unsigned c;

  for (n = 0; n < frames; n++)
    for (c = 0; c < config->channels; c++) {
      uint64_t bits = mix ((first + n) * 1024 + c + seed);
      char *plane = made->planes[made->n_planes > 1 ? c : 0];

      set_sample (plane + n * made->frame_bytes
          + (made->n_planes > 1 ? 0 : c * bytes), config->format, bits, wild);
    }
  return made;
}

void
fuzz_frames_require_equal (const FuzzFrames * one, const FuzzFrames * other)
{
  unsigned i;

  REQUIRE (one->frames == other->frames, "%zu and %zu frames", one->frames,
      other->frames);
  for (i = 0; i < one->n_planes; i++)
    REQUIRE (memcmp (one->planes[i], other->planes[i],
            one->frames * one->frame_bytes) == 0, "plane %u", i);
}

static double
get_float (const char *sample, TimeDSPFormat format)
{
  double value = 0;
  float single = 0;

  if (format == TIMEDSP_F64) {
    memcpy (&value, sample, sizeof value);
  } else {
    memcpy (&single, sample, sizeof single);
    value = single;
  }
  return value;
}

void
fuzz_frames_require_sound (const FuzzFrames * frames,
    const TimeDSPConfig * config)
{
  size_t bytes = sample_bytes[config->format], at;
  unsigned i;

  if (config->format != TIMEDSP_F32 && config->format != TIMEDSP_F64)
    return;
  for (i = 0; i < frames->n_planes; i++)
    for (at = 0; at < frames->frames * frames->frame_bytes; at += bytes) {
      double value = get_float ((char *) frames->planes[i] + at,
          config->format);

      REQUIRE (fabs (value) <= LOUDEST, "%g at byte %zu of plane %u", value,
          at, i);
    }
}

/* ---- settings ----------------------------------------------------------- */

TimeDSPConfig
fuzz_config (FuzzInput * input)
{
  static const uint32_t channels[] = { 1, 2, 3, 5, 6, 8, 17, 64 };
  unsigned how = fuzz_byte (input);
  TimeDSPConfig config = { fuzz_below (input, 4), fuzz_flag (input),
    fuzz_below (input, TIMEDSP_N_INTERPOLATIONS),
    FUZZ_ONE_OF (input, channels), fuzz_below (input, 11)
  };

  switch (how) {
    case 255:
      config.format = (TimeDSPFormat) fuzz_bytes (input, 4);
      break;
    case 254:
      config.layout = (TimeDSPLayout) fuzz_bytes (input, 4);
      break;
    case 253:
      config.interpolation = (TimeDSPInterpolation) fuzz_bytes (input, 4);
      break;
    case 252:
      config.quality = fuzz_bytes (input, 4);
      break;
    case 251:
      config.channels = fuzz_edge (input);
      config.interpolation %= TIMEDSP_SINC;     /* SINC is excluded, because it would need
                                                 * a gigabyte */
      break;
    default:
      break;
  }
  return config;
}

bool
fuzz_config_is_sound (const TimeDSPConfig * config)
{
  return (unsigned) config->format <= TIMEDSP_F64
      && (unsigned) config->layout <= TIMEDSP_PLANAR
      && (unsigned) config->interpolation < TIMEDSP_N_INTERPOLATIONS
      && config->channels >= 1 && config->channels <= TIMEDSP_MAX_CHANNELS
      && config->quality <= TIMEDSP_MAX_QUALITY;
}

bool
fuzz_factor_is_sound (double factor)
{
  return factor >= TIMEDSP_MIN_FACTOR && factor <= TIMEDSP_MAX_FACTOR;
}
