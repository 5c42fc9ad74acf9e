/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "rounds.h"

#include <stdlib.h>
#include <time.h>

#define MAX_ROUNDS 15

bool
rounds_are_quick (void)
{
  return getenv ("RETROGRADE_BENCH_QUICK") != NULL;
}

/* Processor time of this thread only, so that other load is not counted. */
static double
now_ns (void)
{
  struct timespec now;

  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &now);
  return now.tv_sec * 1e9 + now.tv_nsec;
}

static double
unit_ns (Runner * runner, long steps)
{
  double begun_ns = now_ns (), units = 0;
  long i;

  for (i = 0; i < steps; i++)
    units += runner->step (runner->data);
  return (now_ns () - begun_ns) / units;
}

/* The number of steps that take a few ms, so that reading the clock costs nothing in
 * comparison. */
static long
steps_per_round (Runner * runner)
{
  const double least_ns = rounds_are_quick ()? 1e6 : 4e6;
  long steps;

  for (steps = 1;; steps *= 2) {
    double begun_ns = now_ns ();

    unit_ns (runner, steps);
    if (now_ns () - begun_ns >= least_ns)
      return steps;
  }
}

static int
compare (const void *one, const void *other)
{
  double a = *(const double *) one, b = *(const double *) other;

  return (a > b) - (a < b);
}

void
rounds_run (Runner * runners, int n_runners)
{
  const int n_rounds = rounds_are_quick ()? 5 : MAX_ROUNDS;
  double times_ns[MAX_RUNNERS][MAX_ROUNDS];
  long steps[MAX_RUNNERS];
  int i, round;

  for (i = 0; i < n_runners; i++)
    steps[i] = steps_per_round (&runners[i]);
  for (round = 0; round < n_rounds; round++) {
    for (i = 0; i < n_runners; i++)
      times_ns[i][round] = unit_ns (&runners[i], steps[i]);
  }
  for (i = 0; i < n_runners; i++) {
    qsort (times_ns[i], n_rounds, sizeof (double), compare);
    runners[i].unit_ns = times_ns[i][n_rounds / 2];
  }
}
