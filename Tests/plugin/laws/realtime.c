/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The functions that timedsp.h, timeline.h, timestretch.h and timescale.h call
 * real-time neither allocate, lock nor call the system: clang's RealtimeSanitizer ends
 * a program that does so inside of a function that must not block. Each run is a
 * process of its own; some of them break the rule, and have to be caught.
 */

#include <timedsp.h>
#include <timeplay.h>
#include <timescale.h>

#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#define N_FRAMES 600
#define N_CHANNELS 2
#define ROOM_FRAMES 4000

typedef void (*Call) (void *data);

/* Functions called from here on must not block. */
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

/* ---- scaling ------------------------------------------------------------ */

typedef struct
{
  TimeDSPScaler *scaler, *successor;
  double factor;
  const void *in[N_CHANNELS];
  void *out[N_CHANNELS];
  size_t made;
} Stream;

/* More frames than a history holds, in pieces of all sizes. */
static void
process (Stream * s)
{
  size_t n, used, made;

  for (n = 1; n <= N_FRAMES; n = 3 * n + 1) {
    s->made += timedsp_scaler_process (s->scaler, s->in, n, s->out,
        ROOM_FRAMES, &used, &made) == TIMEDSP_OK ? made : 0;
  }
}

static void
finish (Stream * s)
{
  size_t made;

  s->made += timedsp_scaler_finish (s->scaler, s->out, ROOM_FRAMES, &made)
      == TIMEDSP_OK ? made : 0;
}

static void
scale (void *data)
{
  Stream *s = data;
  uint64_t frame, most;
  double fraction;

  process (s);
  timedsp_scaler_ramp_factor (s->scaler, s->factor < 50 ? 2 * s->factor : 1,
      300);
  process (s);
  timedsp_scaler_set_factor (s->scaler, s->factor);
  process (s);
  timedsp_scaler_position (s->scaler, &frame, &fraction);
  timedsp_scaler_max_output (s->scaler, 1000, &most);
  timedsp_scaler_lookahead (s->scaler);
  timedsp_scaler_memory_bytes (s->scaler);
  timedsp_scaler_continue (s->successor, s->scaler);
  timedsp_scaler_pass (s->scaler, s->in, 300);
  timedsp_scaler_ramp_frames (s->scaler, 0.1, 300, &most);
  finish (s);
  timedsp_scaler_reset (s->scaler);
  s->scaler = s->successor;
  process (s);
  finish (s);
}

/* Takes `first`. */
static void
scale_with (TimeDSPScaler * first, const TimeDSPConfig * config, double factor)
{
  static double in[N_FRAMES * N_CHANNELS], out[2][ROOM_FRAMES * N_CHANNELS];
  Stream s = {.factor = factor,.in = {in, in},.out = {out[0], out[1]} };

  require (timedsp_scaler_new (config, 1, &s.successor) == TIMEDSP_OK, "new");
  s.scaler = first;
  in_real_time (scale, &s);
  require (s.made > 0, "nothing was made");
  timedsp_scaler_free (first);
  timedsp_scaler_free (s.successor);
}

static void
scale_one (const TimeDSPConfig * config, double factor)
{
  TimeDSPScaler *first;

  require (timedsp_scaler_new (config, factor, &first) == TIMEDSP_OK, "new");
  scale_with (first, config, factor);
}

static void
scale_all (void)
{
  static const double factors[] = { 1, 0.01, 0.5, 1 / 1.1, 1.2345678, 3 };
  static const unsigned qualities[] = { 0, 5, 6, 10 };
  unsigned i, q, f;

  for (i = 0; i < 4 * 2 * 5; i++)
    for (q = 0; q < 4; q++)
      for (f = 0; f < 6; f++) {
        TimeDSPConfig config = { i % 4, i / 4 % 2, i / 8, N_CHANNELS,
          qualities[q]
        };

        if (q == 0 || config.interpolation == TIMEDSP_SINC)
          scale_one (&config, factors[f]);
      }
}

static void
scale_to_endpoints (void)
{
  TimeDSPConfig config = { TIMEDSP_F32, TIMEDSP_INTERLEAVED, TIMEDSP_SINC, 1,
    6
  };
  TimeDSPScaler *first;

  require (timedsp_scaler_new_endpoints (&config, 500, 700, &first)
      == TIMEDSP_OK, "new");
  scale_with (first, &config, 1);
}

/* ---- stretching --------------------------------------------------------- */

/* more than the spectra are looked at of */
#define STRETCH_CHANNELS 9
#define STRETCH_FRAMES 1500
#define STRETCH_ROOM 3000

typedef struct
{
  TimeStretcher *stretcher;
  const void *in[STRETCH_CHANNELS];
  void *out[STRETCH_CHANNELS];
  size_t used, made;
} Stretch;

/* A voice of 200 Hz at 8 kHz, for which the window changes, a stroke in it, and its end. */
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

static void
stretch_some (Stretch * s)
{
  TimeStretchProgress done;
  size_t n, left;

  for (n = 1; n <= STRETCH_FRAMES; n = 3 * n + 1)
    for (left = n; left > 0; left -= done.frames_used) {
      if (timestretch_process (s->stretcher, s->in, left, s->out, STRETCH_ROOM,
              &done) != TIMEDSP_OK)
        return;
      s->used += done.frames_used;
      s->made += done.frames_made;
    }
}

static void
end_stretch (Stretch * s)
{
  TimeStretchProgress done;

  do {
    if (timestretch_finish (s->stretcher, s->out, STRETCH_ROOM, &done)
        != TIMEDSP_OK)
      return;
    s->made += done.frames_made;
  } while (done.frames_made > 0);
}

static void
stretch (void *data)
{
  Stretch *s = data;
  uint64_t frame, out, most;
  double fraction;

  stretch_some (s);
  timestretch_ramp_factor (s->stretcher, 1.7, 1000);
  stretch_some (s);
  timestretch_set_factor (s->stretcher, 1);
  stretch_some (s);
  timestretch_position (s->stretcher, &frame, &out, &fraction);
  timestretch_latency (s->stretcher);
  timestretch_max_output (s->stretcher, 1000, &most);
  timestretch_ready (s->stretcher);
  end_stretch (s);
  timestretch_reset (s->stretcher);
  timestretch_ramp_factor (s->stretcher, 0.5, 700);
  stretch_some (s);
  end_stretch (s);
}

static void
stretch_one (const TimeStretchConfig * config, double factor)
{
  static double in[STRETCH_FRAMES * STRETCH_CHANNELS];
  static double out[STRETCH_CHANNELS][STRETCH_ROOM * STRETCH_CHANNELS];
  Stretch s = { 0 };
  size_t bytes, c;
  void *memory;

  fill (in, config->format, STRETCH_FRAMES,
      config->layout == TIMEDSP_PLANAR ? 1 : config->channels);
  for (c = 0; c < STRETCH_CHANNELS; c++) {
    s.in[c] = in;
    s.out[c] = out[c];
  }
  require (timestretch_memory_bytes (config, &bytes) == TIMEDSP_OK, "bytes");
  memory = timedsp_allocate (bytes);
  require (timestretch_init (config, factor, memory, bytes, &s.stretcher)
      == TIMEDSP_OK, "init");
  in_real_time (stretch, &s);
  require (s.used > 4 * STRETCH_FRAMES && s.made > 0, "nothing was made");
  timedsp_deallocate (memory);
}

static void
stretch_all (void)
{
  static const double factors[] = { 1, 0.01, 0.5, 1 / 1.1, 1.2345678, 3 };
  static const uint32_t channels[] = { 1, 2, STRETCH_CHANNELS };
  unsigned i, f;

  for (i = 0; i < 4 * 2 * 4 * 3; i++)
    for (f = 0; f < 6; f++) {
      TimeStretchConfig config = { i % 4, i / 4 % 2, channels[i / 32], 8000,
        i / 8 % 4
      };

      stretch_one (&config, factors[f]);
    }
}

/* ---- sessions ----------------------------------------------------------- */

typedef struct
{
  TimeScale *scale;
  TimeScaleAction *action;
  const void *in[N_CHANNELS];
  void *out[N_CHANNELS];
  size_t made;
} Session;

static void
next_action (void *data)
{
  Session *s = data;

  s->action = timescale_next (s->scale, 0);
}

static void
next_in_real_time (void *data)
{
  in_real_time (next_action, data);
}

static void
scale_frames (void *data)
{
  Session *s = data;

  timescale_process (s->action, s->in, s->out);
}

static void
finish_action (void *data)
{
  Session *s = data;

  timescale_done (s->scale);
}

/* Does all that the session says. It decides and scales in real time, and takes memory in
 * timescale_prepare() alone. A stretcher that the end of the stream finds is freed then. */
static void
act (Session * s, Call next)
{
  for (next (s); s->action != NULL; next (s)) {
    TimeScaleKind kind = s->action->kind;

    require (kind != TIMESCALE_FAIL, "it failed");
    if (kind == TIMESCALE_PREPARE)
      timescale_prepare (s->action);
    if (s->action->capacity > ROOM_FRAMES)
      s->action->capacity = ROOM_FRAMES;
    if (kind == TIMESCALE_PROCESS || kind == TIMESCALE_PASS)
      in_real_time (scale_frames, s);
    if (kind == TIMESCALE_PROCESS)
      s->made += s->action->frames_made;
    in_real_time (finish_action, s);
  }
}

/* A stretcher is added, warms up, moves, gets a scaler after it, and is removed; at
 * last frames pass. */
static void
scale_session (const TimeDSPConfig * audio)
{
  static const TimePitch pitches[] = {
    {1, 0}, {1, -3, TIMESTRETCH_SPEECH}, {1, 7, TIMESTRETCH_LOW_LATENCY},
    {0, 0}, {0, 4, TIMESTRETCH_MUSIC, TIMECHAIN_FORMANTS_KEEP, -2}, {1, 0}
  };
  static const double factors[] = { 1.3, 0.6, 1.5, 1, 1.2, 1 };
  static double in[N_FRAMES * N_CHANNELS], out[2][ROOM_FRAMES * N_CHANNELS];
  TimeScaleSettings settings = {.factor = 1,.interpolation = TIMEDSP_SINC,
    .quality = 6,.absorbs_rate = 1
  };
  TimeSegment segment = {.rate = 1,.applied_rate = 1,.stop = UINT64_MAX,
    .duration = UINT64_MAX
  };
  TimeScaleBuffer buffer = {.duration_ns = N_FRAMES * 125000,
    .frames = N_FRAMES,.sent_stop_ns = UINT64_MAX
  };
  Session s = {.in = {in, in},.out = {out[0], out[1]} };
  unsigned i;

  fill (in, audio->format, N_FRAMES,
      audio->layout == TIMEDSP_PLANAR ? 1 : audio->channels);
  s.scale = timescale_new ();
  timescale_format (s.scale, audio, 8000);
  timescale_segment (s.scale, &segment);
  for (i = 0; i < 7 * 20; i++) {
    if (i % 20 == 0 && i > 0) {
      settings.factor = factors[i / 20 - 1];
      settings.pitch = pitches[i / 20 - 1];
      timescale_configure (s.scale, &settings);
    }
    timescale_rate (s.scale, i == 70 ? 2 : 1);
    timescale_buffer (s.scale, &buffer);
    act (&s, next_in_real_time);
    buffer.pts_ns += buffer.duration_ns;
  }
  timescale_end (s.scale);
  act (&s, next_action);
  require (s.made > 4 * 20 * N_FRAMES, "nothing was made");
  timescale_free (s.scale);
}

static void
scale_sessions (void)
{
  unsigned i;

  for (i = 0; i < 4 * 2; i++) {
    TimeDSPConfig audio = { i % 4, i / 4, TIMEDSP_SINC, N_CHANNELS, 6 };

    scale_session (&audio);
  }
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
use_numbers (void *data)
{
  uint64_t scaled;

  timedsp_frame_at (timedsp_time_of (12345, 44100), 44100);
  timedsp_scaled_length (123456, 0.7, &scaled);
  timedsp_scale_time (123456, 0.7);
  timedsp_status_text (TIMEDSP_OVERLAP);
}

static void
call_all (void)
{
  scale_all ();
  scale_to_endpoints ();
  stretch_all ();
  scale_sessions ();
  in_real_time (reverse, NULL);
  in_real_time (use_numbers, NULL);
}

/* ---- controls ------------------------------------------------------------- */

static void
make_scaler (void *scaler)
{
  TimeDSPConfig config = { TIMEDSP_F32, TIMEDSP_INTERLEAVED, TIMEDSP_LINEAR,
    1, 0
  };

  timedsp_scaler_new (&config, 1, scaler);
}

static void
allocate_in_swift (void)
{
  TimeDSPScaler *scaler;

  in_real_time (make_scaler, &scaler);
}

static void
free_scaler (void *scaler)
{
  timedsp_scaler_free (scaler);
}

static void
free_in_swift (void)
{
  TimeDSPScaler *scaler;

  make_scaler (&scaler);
  in_real_time (free_scaler, scaler);
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
  const char *caught;           /* the call; NULL: nothing must be */
} Run;

static const Run runs[] = {
  {"calls_of_the_interface_do_not_block", call_all, NULL},
  {"memory_taken_in_swift_is_caught", allocate_in_swift, "aligned_alloc"},
  {"memory_freed_in_swift_is_caught", free_in_swift, "free"},
  {"a_lock_is_caught", wait_for_lock, "pthread_mutex_lock"},
  {"a_system_call_is_caught", call_system, "open"}
};

#define N_RUNS (sizeof runs / sizeof *runs)

/* Whether the run in a separate process has the expected result. */
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
