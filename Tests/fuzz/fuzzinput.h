/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * fuzzinput: reads the bytes of a fuzzer as numbers. After the end of the bytes, all
 * numbers are 0, so any sequence of bytes is a valid input.
 */

#ifndef FUZZ_INPUT_H
#define FUZZ_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct
{
  const uint8_t *next, *end;
} FuzzInput;

/** Aborts the program if @condition is false. The other arguments are printed, as by
 * printf(). */
#define REQUIRE(condition, ...) \
    do { \
      if (!(condition)) { \
        fprintf (stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
        fprintf (stderr, "  " __VA_ARGS__); \
        fputc ('\n', stderr); \
        abort (); \
      } \
    } while (0)

static inline FuzzInput
fuzz_input (const uint8_t * data, size_t size)
{
  return (FuzzInput) {
  data, data + size};
}

static inline bool
fuzz_more (const FuzzInput * input)
{
  return input->next < input->end;
}

/** Returns the next @n_bytes bytes as a number, the least significant byte first. */
static inline uint64_t
fuzz_bytes (FuzzInput * input, unsigned n_bytes)
{
  uint64_t value = 0;
  unsigned i;

  for (i = 0; i < n_bytes; i++)
    value |= (uint64_t) (fuzz_more (input) ? *input->next++ : 0) << (8 * i);
  return value;
}

static inline unsigned
fuzz_byte (FuzzInput * input)
{
  return (unsigned) fuzz_bytes (input, 1);
}

static inline bool
fuzz_flag (FuzzInput * input)
{
  return fuzz_byte (input) & 1;
}

/** Returns a number below @n. */
static inline uint64_t
fuzz_below (FuzzInput * input, uint64_t n)
{
  return fuzz_bytes (input, n <= 256 ? 1 : n <= 65536 ? 2 : 8) % n;
}

/** Returns floor (@frame × 10^9 / @rate), as GStreamer rounds timestamps. Returns 0 for a
 * negative @frame, and UINT64_MAX if the time does not fit. */
static inline uint64_t
fuzz_time_of (int64_t frame, uint32_t rate)
{
  uint64_t frames = frame < 0 || rate == 0 ? 0 : frame;
  const uint64_t second_ns = UINT64_C (1000000000);
  uint64_t seconds = frames == 0 ? 0 : frames / rate;
  uint64_t rest_ns = frames == 0 ? 0 : frames % rate * second_ns / rate;

  return seconds > (UINT64_MAX - rest_ns) / second_ns ? UINT64_MAX :
      seconds * second_ns + rest_ns;
}

/** Returns one of the values in an array. */
#define FUZZ_ONE_OF(input, array) \
    ((array)[fuzz_below (input, sizeof (array) / sizeof *(array))])

/** Returns any 64-bit number. Small numbers and numbers near powers of two are more
 * likely. */
uint64_t fuzz_edge (FuzzInput * input);

/** Returns a double, which may be NaN or infinity. Half of the numbers are between 0.01
 * and 100. */
double fuzz_double (FuzzInput * input);

#endif /* FUZZ_INPUT_H */
