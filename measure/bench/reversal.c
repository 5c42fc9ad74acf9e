/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Compares reversal with memcpy of the same bytes, which reversal cannot
 * exceed: GB/s for every frame size, to different memory and in place, in the
 * first-level cache and in an array that is larger than all caches.
 */

#include "kernels.h"
#include "rounds.h"

#include <timedsp.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CACHED_BYTES (16 << 10)
#define UNCACHED_BYTES (96 << 20)

static const int frame_sizes[] = { 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 64 };

typedef struct
{
  unsigned char *in, *out;
  size_t bytes, frame_bytes;
  int repeats;                  /* repetitions per step */
} Block;

static double
copy (void *data)
{
  Block *block = data;
  int i;

  for (i = 0; i < block->repeats; i++) {
    memcpy (block->out, block->in, block->bytes);
    /* makes the compiler assume that the copy is read */
    __asm__ volatile (""::"r" (block->out):"memory");
  }
  return (double) block->bytes * block->repeats;
}

static double
reverse (void *data)
{
  Block *block = data;
  size_t frames = block->bytes / block->frame_bytes;
  int i;

  for (i = 0; i < block->repeats; i++)
    timedsp_reverse (block->in, block->out, frames, block->frame_bytes);
  return (double) (frames * block->frame_bytes) * block->repeats;
}

static void
measure (unsigned char *in, unsigned char *out, size_t bytes, const char *size)
{
  enum
  { N = sizeof (frame_sizes) / sizeof (frame_sizes[0]) };
  Runner runners[2 * N + 1];
  Block blocks[2 * N + 1];
  int repeats = bytes < UNCACHED_BYTES ? 64 : 1;
  int i;

  blocks[2 * N] = (Block) {
  in, out, bytes, 1, repeats};
  runners[2 * N] = (Runner) {
  "memcpy", copy, &blocks[2 * N], 0};
  for (i = 0; i < 2 * N; i++) {
    int frame_bytes = frame_sizes[i / 2];

    blocks[i] = (Block) {
    in, i % 2 ? in : out, bytes, frame_bytes, repeats};
    runners[i] = (Runner) {
    "", reverse, &blocks[i], 0};
    snprintf (runners[i].name, sizeof (runners[i].name), "%s\t%d",
        i % 2 ? "in place" : "apart", frame_bytes);
  }
  rounds_run (runners, 2 * N + 1);
  for (i = 0; i < 2 * N; i++)
    printf ("reversal\t%s\t%s\t%.2f\t%.2f\n", size, runners[i].name,
        1 / runners[i].unit_ns, 1 / runners[2 * N].unit_ns);
}

void
measure_reversal (void)
{
  unsigned char *in = aligned_alloc (4096, UNCACHED_BYTES);
  unsigned char *out = aligned_alloc (4096, UNCACHED_BYTES);

  if (in == NULL || out == NULL)
    return;
  memset (in, 1, UNCACHED_BYTES);
  memset (out, 2, UNCACHED_BYTES);
  measure (in, out, CACHED_BYTES, "cache");
  measure (in, out, UNCACHED_BYTES, "memory");
  free (in);
  free (out);
}
