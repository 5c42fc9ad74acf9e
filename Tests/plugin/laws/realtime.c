/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * timedsp.h and timescale.h describe some functions as real-time safe: they do
 * not allocate memory, lock, or make system calls. Clang's RealtimeSanitizer
 * checks these rules: it ends a program that breaks one of them in a function
 * with the attribute `nonblocking`. Each run is a separate process. Some runs
 * break a rule on purpose, and the sanitizer must end them.
 */

#include <timeplay.h>
#include <timescale.h>

#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define N_FRAMES 600
/* with so many channels, the stretcher does not calculate a spectrum for every channel */
#define MOST_CHANNELS 9
#define ROOM_FRAMES 4000

typedef void (*Call) (void *data);

/* Calls @call, which the sanitizer then checks. */
static void in_real_time (Call call, void *data) __attribute__((nonblocking)) {
  call (data);
}

static void
require (int condition, const char *what)
{
  if (!condition) {
    fprintf (stderr, "%s\n", what);
    exit (1);
  }
}

/* ---- sessions ----------------------------------------------------------- */

/* A voice of 200 Hz at 8 kHz with pauses, so that the stretcher changes its window,
 * and a transient in the middle. */
static void
fill (double *memory, TimeDSPFormat format, size_t frames, size_t channels)
{
  size_t i;

  for (i = 0; i < frames * channels; i++) {
    size_t frame = i / channels;
    double value =
        frame % 750 > 600 ? 0 : 0.3 * exp (-(double) (frame % 40) / 10)
        + (frame > frames / 2 && frame < frames / 2 + 20 ? 0.6 : 0);

    if (format == TIMEDSP_F64)
      memory[i] = value;
    else if (format == TIMEDSP_F32)
      ((float *) memory)[i] = value;
    else if (format == TIMEDSP_S32)
      ((int32_t *) memory)[i] = value * INT32_MAX;
    else
      ((int16_t *) memory)[i] = value * INT16_MAX;
  }
}

typedef struct
{
  TimeScale *scale;
  const TimeScaleInput *input;
  TimeScaleAction *action;
  const void *in[MOST_CHANNELS];
  void *out[MOST_CHANNELS];
  size_t kept, made;
} Session;

static void
take (void *data)
{
  Session *s = data;

  s->action = timescale_receive (s->scale, s->input, 0);
}

static void
finish_action (void *data)
{
  Session *s = data;

  s->action = timescale_done (s->scale, 0);
}

static void
scale_frames (void *data)
{
  Session *s = data;

  timescale_process (s->action, s->in, s->out);
}

/* Performs all actions of the session. Samples are scaled in real time (see
 * in_real_time()). */
static void
act (Session * s)
{
  require (s->action->kind != TIMESCALE_FAIL, "it failed");
  if (s->action->kind == TIMESCALE_PREPARE)
    timescale_prepare (s->action);
  if (s->action->kind == TIMESCALE_KEEP)
    s->kept = s->input->buffer.frames;
  if (s->action->kind == TIMESCALE_LOAD)
    s->action->frames = s->kept - s->action->first;
  if (s->action->capacity > ROOM_FRAMES)
    s->action->capacity = ROOM_FRAMES;
  if (s->action->kind == TIMESCALE_PROCESS || s->action->kind == TIMESCALE_PASS)
    in_real_time (scale_frames, s);
  if (s->action->kind == TIMESCALE_PROCESS)
    s->made += s->action->frames_made;
}

/* Passes an input to the session in real time (see in_real_time()). Only
 * timescale_prepare() may allocate memory. */
static void
give (Session * s, const TimeScaleInput * input)
{
  s->input = input;
  for (in_real_time (take, s); s->action != NULL;
      in_real_time (finish_action, s))
    act (s);
}

/* Passes an input at the beginning or the end of a stream, where memory may be freed. */
static void
give_end (Session * s, const TimeScaleInput * input)
{
  s->input = input;
  for (take (s); s->action != NULL; finish_action (s))
    act (s);
}

static void
open_session (Session * s, const TimeDSPConfig * audio,
    const TimeScaleSettings * settings)
{
  static double in[N_FRAMES * MOST_CHANNELS];
  static double out[MOST_CHANNELS][ROOM_FRAMES * MOST_CHANNELS];
  TimeSegment segment = {.rate = 1,.applied_rate = 1,.stop = UINT64_MAX,
    .duration = UINT64_MAX
  };
  TimeScaleInput input = {.kind = TIMESCALE_SEGMENT,.segment = &segment };
  size_t c;

  fill (in, audio->format, N_FRAMES,
      audio->layout == TIMEDSP_PLANAR ? 1 : audio->channels);
  for (c = 0; c < MOST_CHANNELS; c++) {
    s->in[c] = in;
    s->out[c] = out[c];
  }
  s->scale = timescale_new ();
  timescale_configure (s->scale, settings);
  timescale_format (s->scale, audio, 8000);
  give_end (s, &input);
}

static void
close_session (Session * s, size_t least_made)
{
  TimeScaleInput input = {.kind = TIMESCALE_END };

  give_end (s, &input);
  require (s->made >= least_made, "nothing was made");
  timescale_free (s->scale);
}

static const TimeScaleInput a_buffer = {
  .kind = TIMESCALE_BUFFER,
  .buffer.duration_ns = N_FRAMES * 125000,
  .buffer.frames = N_FRAMES,
  .buffer.sent_stop_ns = UINT64_MAX
};

/* Sends buffers of different sizes, changes the factor and restores it, and makes
 * a query. */
static void
scale_one (const TimeDSPConfig * audio, const TimeScaleSettings * settings)
{
  TimeScaleSettings moved = *settings;
  TimeScaleInput input = a_buffer;
  Session s = { 0 };
  size_t n, lap;

  moved.interpolation = audio->interpolation;
  moved.quality = audio->quality;
  open_session (&s, audio, &moved);
  for (lap = 0; lap < 3; lap++) {
    for (n = 1; n <= N_FRAMES; n = 3 * n + 1) {
      input.buffer.frames = n;
      input.buffer.duration_ns = n * 125000;
      give (&s, &input);
      input.buffer.pts_ns += input.buffer.duration_ns;
    }
    moved.factor = lap > 0 ? settings->factor :
        settings->factor < 50 ? 2 * settings->factor : 1;
    timescale_configure (s.scale, &moved);
    timescale_to_output (s.scale, input.buffer.pts_ns);
  }
  close_session (&s, 1);
}

static const double factors[] = { 1, 0.01, 0.5, 1 / 1.1, 1.2345678, 3 };

static void
scale_tapes (void)
{
  static const unsigned qualities[] = { 0, 5, 6, 10 };
  unsigned i, q, f;

  for (i = 0; i < 4 * 2 * 5; i++)
    for (q = 0; q < 4; q++)
      for (f = 0; f < 6; f++) {
        TimeDSPConfig audio = { i % 4, i / 4 % 2, i / 8, 2, qualities[q] };
        TimeScaleSettings settings = {.factor = factors[f] };

        if (q == 0 || audio.interpolation == TIMEDSP_SINC)
          scale_one (&audio, &settings);
      }
}

static void
stretch_all (void)
{
  static const uint32_t channels[] = { 1, 2, MOST_CHANNELS };
  unsigned i, f;

  for (i = 0; i < 4 * 2 * 4 * 3; i++)
    for (f = 0; f < 6; f++) {
      TimeDSPConfig audio = { i % 4, i / 4 % 2, TIMEDSP_LINEAR,
        channels[i / 32], 0
      };
      TimeScaleSettings settings = {.factor = factors[f],
        .pitch = {.kept = 1,.window = i / 8 % 4}
      };

      scale_one (&audio, &settings);
    }
}

/* Changes the settings one after another: they add a stretcher, change its
 * factor, add a scaler after the stretcher, and remove the stretcher and the
 * scaler. At the end, frames are output unmodified. */
static void
change_pitch (const TimeDSPConfig * audio)
{
  static const TimePitch pitches[] = {
    {1, 0}, {1, -3, TIMESTRETCH_SPEECH}, {1, 7, TIMESTRETCH_LOW_LATENCY},
    {0, 0}, {0, 4, TIMESTRETCH_MUSIC, TIMECHAIN_FORMANTS_KEEP, -2}, {1, 0}
  };
  static const double moved[] = { 1.3, 0.6, 1.5, 1, 1.2, 1 };
  TimeScaleSettings settings = {.factor = 1,.interpolation = TIMEDSP_SINC,
    .quality = 6,.absorbs_rate = 1
  };
  TimeScaleInput input = a_buffer;
  Session s = { 0 };
  unsigned i;

  open_session (&s, audio, &settings);
  for (i = 0; i < 7 * 20; i++) {
    if (i % 20 == 0 && i > 0) {
      settings.factor = moved[i / 20 - 1];
      settings.pitch = pitches[i / 20 - 1];
      timescale_configure (s.scale, &settings);
    }
    timescale_rate (s.scale, i == 70 ? 2 : 1);
    give (&s, &input);
    input.buffer.pts_ns += input.buffer.duration_ns;
  }
  close_session (&s, 4 * 20 * N_FRAMES);
}

/* ---- the other calls ---------------------------------------------------- */

static void
reverse (void *data)
{
  static uint8_t in[64 * 4096], out[64 * 4096];
  size_t bytes;

  for (bytes = 1; bytes <= 64; bytes++) {
    timedsp_reverse (in, out, 4096, bytes);
    timedsp_reverse (in, in, 4096, bytes);
  }
}

static void
call_all (void)
{
  unsigned i;

  scale_tapes ();
  stretch_all ();
  for (i = 0; i < 4 * 2; i++) {
    TimeDSPConfig audio = { i % 4, i / 4, TIMEDSP_SINC, 2, 6 };

    change_pitch (&audio);
  }
  in_real_time (reverse, NULL);
}

/* ---- runs that must be detected ----------------------------------------------- */

static void
make_session (void *session)
{
  *(TimeScale **) session = timescale_new ();
}

static void
allocate_in_swift (void)
{
  TimeScale *session;

  in_real_time (make_session, &session);
}

static void
lock (void *mutex)
{
  pthread_mutex_lock (mutex);
}

static void
wait_for_lock (void)
{
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

  in_real_time (lock, &mutex);
}

static void
open_file (void *path)
{
  close (open (path, O_RDONLY));
}

static void
call_system (void)
{
  in_real_time (open_file, "/dev/null");
}

/* ---- runs --------------------------------------------------------------- */

typedef struct
{
  const char *name;
  void (*function) (void);
  const char *caught;           /* the call that must be detected; NULL if there is
                                 * none */
} Run;

static const Run runs[] = {
  {"calls_of_the_interface_do_not_block", call_all, NULL},
  {"memory_taken_in_swift_is_caught", allocate_in_swift, "aligned_alloc"},
  {"a_lock_is_caught", wait_for_lock, "pthread_mutex_lock"},
  {"a_system_call_is_caught", call_system, "open"}
};

#define N_RUNS (sizeof runs / sizeof *runs)

/* Starts the run in a separate process. Returns whether it has the expected result. */
static int
is_as_it_should_be (const char *program, const Run * run)
{
  static char text[65536];
  char *command, wanted[100];
  size_t length;
  FILE *pipe;
  int status;

  if (asprintf (&command, "'%s' %s 2>&1", program, run->name) < 0)
    return 0;
  pipe = popen (command, "r");
  free (command);
  length = fread (text, 1, sizeof text - 1, pipe);
  text[length] = '\0';
  status = pclose (pipe);
  snprintf (wanted, sizeof wanted, "intercepted call to real-time unsafe "
      "function `%s`", run->caught != NULL ? run->caught : "");
  if (run->caught == NULL ? status == 0 : status != 0
      && strcasestr (text, wanted) != NULL)
    return 1;
  fprintf (stderr, "%s: status %d\n%s\n", run->name, status, text);
  return 0;
}

int
main (int argc, char **argv)
{
  const char *path = getenv ("CK_TAP_LOG_FILE_NAME");
  FILE *tap = path != NULL ? fopen (path, "w") : stdout;
  int failed = 0;
  size_t i;

  for (i = 0; argc > 1 && i < N_RUNS; i++) {
    if (strcmp (argv[1], runs[i].name) == 0) {
      runs[i].function ();
      return 0;
    }
  }
  fprintf (tap, "1..%zu\n", N_RUNS);
  for (i = 0; i < N_RUNS; i++) {
    int good = is_as_it_should_be (argv[0], &runs[i]);

    failed += !good;
    fprintf (tap, "%s %zu - %s\n", good ? "ok" : "not ok", i + 1, runs[i].name);
  }
  fclose (tap);
  return failed > 0;
}
