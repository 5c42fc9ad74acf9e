/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * timelibc.h: the parts of libc that the Swift code needs, because Embedded Swift doesn't have a
 * module for libc. Not part of the C interface.
 */

#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The memory starts on a cache line, so that fewer vectors straddle two lines. */
static inline void *
timedsp_allocate (size_t bytes)
{
  const size_t line = 64;

  return bytes > SIZE_MAX - line ? NULL :
      aligned_alloc (line, (bytes + line - 1) / line * line);
}

/* Meant for blocks of audio. They needn't be aligned to a cache line. We allocate and free blocks all the time,
 * and if they're aligned, glibc often can't reuse the freed memory. */
static inline void *
timedsp_allocate_block (size_t bytes)
{
  return malloc (bytes);
}

static inline void
timedsp_deallocate (void *memory)
{
  free (memory);
}

/* Copies bytes. @to and @from may overlap. Swift's own copy checks the size and may trap. */
static inline void
timedsp_copy (void *to, const void *from, size_t bytes)
{
  memmove (to, from, bytes);
}

static inline void
timedsp_clear (void *memory, size_t bytes)
{
  memset (memory, 0, bytes);
}

#ifdef __clang__
/* Eight floats at any address, for shuffling, because Swift only lets you shuffle lane by lane.
 * It's an integer vector because if you shuffle floats, the compiler splits the calculations on
 * them into operations on two or four floats. */
typedef unsigned TimeDSPEight __attribute__ ((vector_size (32), aligned (4), may_alias));

/* Interleaves four rows of eight numbers: number 0 of each row, number 1 of each row, … */
static inline void
timedsp_weave (const float *rows, float *to)
{
  const TimeDSPEight *in = (const TimeDSPEight *) rows;
  TimeDSPEight *out = (TimeDSPEight *) to;
  TimeDSPEight a = __builtin_shufflevector (in[0], in[2], 0, 8, 1, 9, 4, 12, 5, 13);
  TimeDSPEight b = __builtin_shufflevector (in[0], in[2], 2, 10, 3, 11, 6, 14, 7, 15);
  TimeDSPEight c = __builtin_shufflevector (in[1], in[3], 0, 8, 1, 9, 4, 12, 5, 13);
  TimeDSPEight d = __builtin_shufflevector (in[1], in[3], 2, 10, 3, 11, 6, 14, 7, 15);
  TimeDSPEight e = __builtin_shufflevector (a, c, 0, 8, 1, 9, 4, 12, 5, 13);
  TimeDSPEight f = __builtin_shufflevector (a, c, 2, 10, 3, 11, 6, 14, 7, 15);
  TimeDSPEight g = __builtin_shufflevector (b, d, 0, 8, 1, 9, 4, 12, 5, 13);
  TimeDSPEight h = __builtin_shufflevector (b, d, 2, 10, 3, 11, 6, 14, 7, 15);

  out[0] = __builtin_shufflevector (e, f, 0, 1, 2, 3, 8, 9, 10, 11);
  out[1] = __builtin_shufflevector (g, h, 0, 1, 2, 3, 8, 9, 10, 11);
  out[2] = __builtin_shufflevector (e, f, 4, 5, 6, 7, 12, 13, 14, 15);
  out[3] = __builtin_shufflevector (g, h, 4, 5, 6, 7, 12, 13, 14, 15);
}

typedef float TimeDSPFour __attribute__ ((vector_size (16), aligned (4)));
typedef double TimeDSPWideFour __attribute__ ((vector_size (32), aligned (8)));

/* Converts four floats to doubles. Swift's own conversion works lane by lane. */
static inline void
timedsp_widen (const float *four, double *to)
{
  *(TimeDSPWideFour *) to =
      __builtin_convertvector (*(const TimeDSPFour *) four, TimeDSPWideFour);
}

/* Returns @address, which mustn't be NULL. The compiler can't see through this, so a loop addresses
 * memory relative to the result instead of keeping a separate pointer for each load. */
static inline const void *
timedsp_base (const void *address)
{
  __asm__ ("" : "+r" (address));
  __builtin_assume (address != 0);      /* then Swift needs no test */
  return address;
}
#endif

/* The integer part of @value, which must be in [0, 2^63). Swift's own conversion checks that and
 * traps. */
static inline int64_t
timedsp_whole_part (double value)
{
  return (int64_t) value;
}
