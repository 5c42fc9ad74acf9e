/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * rounds.h: several ways to do the same work, timed in turn. Whatever else the
 * machine does meanwhile then hits all of them, and medians and ratios hold.
 */

#ifndef ROUNDS_H
#define ROUNDS_H

#include <stdbool.h>

#define MOST_RUNNERS 24

/** Does a piece of the work; returns how much that was. */
typedef double (*Step) (void *data);

typedef struct {
  char name[32];
  Step step;
  void *data;
  double unit_ns;               /**< what comes of it: ns per unit of work, the median */
} Runner;

/** RETROGRADE_BENCH_QUICK in the environment: a look, and no figures to keep. */
bool rounds_are_quick (void);

/** Times all of @runners, which warm up first. */
void rounds_run (Runner * runners, int n_runners);

#endif /* ROUNDS_H */
