/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * stretch_calls FILE CHANNELS RATE FACTOR CUT ROUNDS: measures each call of the
 * stretcher with CUT frames. FILE has interleaved 32-bit floating-point samples
 * in the byte order of this machine. Prints a line for each call: its minimum
 * time of all rounds in ns, and its number of output frames. All rounds make
 * the same calls, so a time above the minimum is due to other load on the
 * machine.
 */

#include <corebridge.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef struct
{
  float *samples, *out;
  size_t channels, frames, cut, room, calls;
  double *least_ns;
  uint64_t *made;
} Run;

static int
fail (const char *what, const char *detail)
{
  fprintf (stderr, "stretch_calls: %s: %s\n", what, detail);
  exit (1);
}

static void *
memory_of (size_t bytes)
{
  void *memory = calloc (bytes, 1);

  if (memory == NULL)
    fail ("memory", "there is not enough");
  return memory;
}

static void
read_samples (Run * run, const char *path)
{
  size_t frame_bytes = run->channels * sizeof (float);
  FILE *file = fopen (path, "rb");

  if (file == NULL)
    fail (path, "cannot be opened");
  fseek (file, 0, SEEK_END);
  run->frames = ftell (file) / frame_bytes;
  rewind (file);
  run->samples = memory_of ((run->frames + 1) * frame_bytes);
  if (fread (run->samples, frame_bytes, run->frames, file) != run->frames)
    fail (path, "cannot be read");
  fclose (file);
}

static CoreStretcher *
make (const Run * run, uint32_t rate, double factor)
{
  TimeDSPConfig audio = { TIMEDSP_F32, TIMEDSP_INTERLEAVED, TIMEDSP_LINEAR,
    run->channels, 0
  };
  CoreStretcher *stretcher =
      core_stretcher_new (&audio, rate, TIMESTRETCH_AUTO, factor);

  if (stretcher == NULL)
    fail ("stretcher", "channels or factor are refused");
  return stretcher;
}

static double
now_ns (void)
{
  struct timespec now;

  clock_gettime (CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1e9 + now.tv_nsec;
}

/* A round: makes all calls once, and updates their minimum times. */
static void
play (Run * run, uint32_t rate, double factor)
{
  CoreStretcher *stretcher = make (run, rate, factor);
  size_t call, used;

  for (call = 0; call < run->calls; call++) {
    const void *in = run->samples + call * run->cut * run->channels;
    void *out = run->out;
    double begun_ns = now_ns (), taken_ns;

    run->made[call] =
        CORE_CHOSEN (core_stretcher_process) (stretcher, &in, run->cut, &out,
        run->room, &used);
    taken_ns = now_ns () - begun_ns;
    if (used != run->cut)
      fail ("stretcher", "did not take all frames of a call");
    if (run->least_ns[call] == 0 || taken_ns < run->least_ns[call])
      run->least_ns[call] = taken_ns;
  }
  core_stretcher_free (stretcher);
}

int
main (int argc, char **argv)
{
  Run run = { 0 };
  size_t call;
  double factor;
  int rounds;

  if (argc != 7)
    fail ("usage", "stretch_calls FILE CHANNELS RATE FACTOR CUT ROUNDS");
  run.channels = atoi (argv[2]);
  factor = atof (argv[4]);
  run.cut = atoi (argv[5]);
  if (run.channels == 0 || run.cut == 0)
    fail ("usage", "CHANNELS and CUT are at least 1");
  read_samples (&run, argv[1]);
  run.calls = run.frames / run.cut;
  /* a call may output more than its share, by less than a second */
  run.room = (size_t) (run.cut * factor) + atoi (argv[3]);
  run.out = memory_of (run.room * run.channels * sizeof (float));
  run.least_ns = memory_of ((run.calls + 1) * sizeof (double));
  run.made = memory_of ((run.calls + 1) * sizeof (uint64_t));
  for (rounds = atoi (argv[6]); rounds > 0; rounds--)
    play (&run, atoi (argv[3]), factor);
  for (call = 0; call < run.calls; call++)
    printf ("%.0f %llu\n", run.least_ns[call],
        (unsigned long long) run.made[call]);
  return 0;
}
