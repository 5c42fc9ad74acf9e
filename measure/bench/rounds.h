/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * rounds.h: measures several ways to do the same work, in turn. Other load on
 * the machine then affects all of them, and medians and ratios remain valid.
 */

#ifndef ROUNDS_H
#define ROUNDS_H

#include <stdbool.h>

#define MAX_RUNNERS 24

/** Does part of the work; returns its amount. */
typedef double (*Step) (void *data);

typedef struct {
  char name[32];
  Step step;
  void *data;
  double unit_ns;               /**< result: ns per unit of work, the median */
} Runner;

/** Whether RETROGRADE_BENCH_QUICK is in the environment: the figures are then only a
 * rough check. */
bool rounds_are_quick (void);

/** Measures all of @runners, after a warm-up. */
void rounds_run (Runner * runners, int n_runners);

#endif /* ROUNDS_H */
