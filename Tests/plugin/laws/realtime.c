/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * timedsp.h, timescale.h and timespeed.h describe some functions as real-time safe: they do
 * not allocate memory, lock, or make system calls. Clang's RealtimeSanitizer
 * checks these rules: it ends a program that breaks one of them in a function
 * with the attribute `nonblocking`. Each run is a separate process. Some runs
 * break a rule on purpose, and the sanitizer must end them.
 */

#include <timescale.h>
#include <timespeed.h>

#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define N_FRAMES 600
/* with so many channels, the stretcher does not calculate a spectrum for every channel */
#define MAX_CHANNELS 9
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

/* ---- scalers ------------------------------------------------------------ */

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

static double samples[N_FRAMES * MAX_CHANNELS];
static double output[MAX_CHANNELS][ROOM_FRAMES * MAX_CHANNELS];

typedef struct
{
  TimeScaler *scaler;
  TimeScalerState state;
  TimeScalerSettings settings;
  const void *in[MAX_CHANNELS];
  void *out[MAX_CHANNELS];
  size_t frames;                /* of the next call */
  TimeDSPStatus status;
  uint64_t due;
  size_t made, passed;
} Stream;

static void
process (void *data)
{
  Stream *s = data;

  s->status = timescaler_process (s->scaler, s->in, s->frames, 0, s->out,
      ROOM_FRAMES, &s->state);
}

static void
pass (void *data)
{
  Stream *s = data;

  s->status = timescaler_pass (s->scaler, s->in, s->frames, 0, &s->state);
}

static void
drain (void *data)
{
  Stream *s = data;

  s->status = timescaler_drain (s->scaler, s->out, ROOM_FRAMES, &s->state);
}

static void
ask (void *data)
{
  Stream *s = data;

  s->due = timescaler_due (s->scaler, timescaler_room (s->scaler, s->frames));
}

static void
open_stream (Stream * s, const TimeScalerSettings * settings)
{
  const TimeDSPConfig *audio = &settings->audio;
  size_t c;

  fill (samples, audio->format, N_FRAMES,
      audio->layout == TIMEDSP_PLANAR ? 1 : audio->channels);
  for (c = 0; c < MAX_CHANNELS; c++)
    s->out[c] = output[c];
  s->settings = *settings;
  s->settings.rate = 8000;
  require (timescaler_new (&s->settings, &s->scaler,
          &s->state) == TIMEDSP_OK, "no scaler");
}

/* Points to frame number @first in each plane. */
static void
seek (Stream * s, size_t first)
{
  static const size_t sizes[] = {[TIMEDSP_S16] = 2,[TIMEDSP_S32] = 4,
    [TIMEDSP_F32] = 4,[TIMEDSP_F64] = 8
  };
  const TimeDSPConfig *audio = &s->settings.audio;
  size_t step = sizes[audio->format]
      * (audio->layout == TIMEDSP_PLANAR ? 1 : audio->channels);
  size_t c;

  for (c = 0; c < MAX_CHANNELS; c++)
    s->in[c] = (const char *) samples + first * step;
}

/* Gives the scaler the first @frames frames, and takes all output. */
static void
give (Stream * s, size_t frames)
{
  size_t used = 0;

  seek (s, 0);
  s->frames = frames;
  in_real_time (ask, s);
  if (s->state.may_pass) {
    in_real_time (pass, s);
    if (s->status == TIMEDSP_OK) {
      s->passed += frames;
      return;
    }
  }
  do {
    s->frames = frames - used;
    in_real_time (process, s);
    require (s->status == TIMEDSP_OK, "it failed");
    used += s->state.frames_consumed;
    s->made += s->state.frames_produced;
    seek (s, used);
  } while (used < frames || s->state.has_more);
}

static void
drain_all (Stream * s)
{
  do {
    in_real_time (drain, s);
    require (s->status == TIMEDSP_OK, "the end failed");
    s->made += s->state.frames_produced;
  } while (s->state.has_more);
}

static void
move (Stream * s, double factor, const TimePitch * pitch)
{
  uint64_t frames = 40;

  require (timescaler_ramp (s->scaler, factor, pitch, &frames,
          &s->state) == TIMEDSP_OK, "no move");
}

/* Gives buffers of different sizes, changes the factor and restores it. Does it again with the
 * same scaler. */
static void
scale_one (const TimeDSPConfig * audio, double factor, const TimePitch * pitch)
{
  TimeScalerSettings settings = {.audio = *audio,.factor = factor,
    .pitch = *pitch
  };
  size_t n, lap;
  Stream s = { 0 };

  open_stream (&s, &settings);
  for (lap = 0; lap < 3 && s.scaler != NULL; lap++) {
    for (n = 1; n <= N_FRAMES; n = 3 * n + 1)
      give (&s, n);
    move (&s, lap > 0 ? factor : factor < 50 ? 2 * factor : 1, pitch);
  }
  if (s.scaler == NULL)
    return;
  drain_all (&s);
  require (s.made + s.passed > 0, "nothing was made");
  timescaler_free (s.scaler);
}

static void
scale_endpoints (const TimeDSPConfig * audio, double factor)
{
  TimeScalerSettings settings = {.audio = *audio,.factor = factor };
  Stream s = { 0 };

  open_stream (&s, &settings);
  timescaler_free (s.scaler);
  require (timescaler_new_endpoints (&s.settings, N_FRAMES, &s.scaler,
          &s.state) == TIMEDSP_OK, "no scaler");
  give (&s, N_FRAMES);
  drain_all (&s);
  require (s.made == (size_t) floor (N_FRAMES * factor), "wrong length");
  timescaler_free (s.scaler);
}

static const double factors[] = { 1, 0.01, 0.5, 1 / 1.1, 1.2345678, 3 };

static void
scale_tapes (void)
{
  static const unsigned qualities[] = { 0, 5, 6, 10 };
  static const TimePitch tape = { 0 };
  unsigned i, q, f;

  for (i = 0; i < 4 * 2 * 5; i++)
    for (q = 0; q < 4; q++)
      for (f = 0; f < 6; f++) {
        TimeDSPConfig audio = { i % 4, i / 4 % 2, i / 8, 2, qualities[q] };

        if (q == 0 || audio.interpolation == TIMEDSP_SINC)
          scale_one (&audio, factors[f], &tape);
        if (q == 0)
          scale_endpoints (&audio, factors[f]);
      }
}

static void
stretch_all (void)
{
  static const uint32_t channels[] = { 1, 2, MAX_CHANNELS };
  unsigned i, f;

  for (i = 0; i < 4 * 2 * 4 * 3; i++)
    for (f = 0; f < 6; f++) {
      TimeDSPConfig audio = { i % 4, i / 4 % 2, TIMEDSP_LINEAR,
        channels[i / 32], 0
      };
      TimePitch pitch = {.kept = 1,.window = i / 8 % 4 };

      scale_one (&audio, factors[f], &pitch);
    }
}

/* Changes the settings one after another: they add a stretcher, change its
 * factor, add a scaler after the stretcher, and remove the stretcher and the
 * scaler. At the end, as at the beginning, frames pass. */
static void
change_pitch (const TimeDSPConfig * audio)
{
  static const TimePitch pitches[] = {
    {1, 0}, {1, -3, TIMESTRETCH_SPEECH}, {1, 7, TIMESTRETCH_LOW_LATENCY},
    {0, 0}, {0, 4, TIMESTRETCH_MUSIC, TIMECHAIN_FORMANTS_KEEP, -2}, {1, 0}
  };
  static const double moved[] = { 1.3, 0.6, 1.5, 1, 1.2, 1 };
  TimeScalerSettings settings = {.audio = *audio,.factor = 1 };
  Stream s = { 0 };
  unsigned i;

  open_stream (&s, &settings);
  for (i = 0; i < 7 * 20; i++) {
    if (i % 20 == 0 && i > 0) {
      require (i > 20 || s.passed == 20 * N_FRAMES, "a frame did not pass");
      if (i == 6 * 20)
        s.passed = 0;
      move (&s, moved[i / 20 - 1], &pitches[i / 20 - 1]);
    }
    give (&s, N_FRAMES);
  }
  require (s.passed > 0, "the scaler stays");
  drain_all (&s);
  require (s.made >= 4 * 20 * N_FRAMES, "too little was made");
  timescaler_free (s.scaler);
}

/* ---- any speed ---------------------------------------------------------- */

typedef struct
{
  TimeSpeed *reader;
  TimeSpeedState state;
  const void *in[MAX_CHANNELS];
  void *out[MAX_CHANNELS];
  size_t made;
} Record;

/* Every kind of move, a gap, and the end of the stream. */
static void
play_record (void *data)
{
  static const double speeds[] = { 1, -0.3, 0, 8, -1, 1.3 };
  Record *r = data;
  int64_t first, end;
  unsigned i;

  timespeed_limit (r->reader, 0, N_FRAMES);
  timespeed_start (r->reader, N_FRAMES / 2, 0.5, &r->state);
  for (i = 0; i < 6; i++) {
    timespeed_ramp (r->reader, speeds[i], 70 * i, &r->state);
    timespeed_needs (r->reader, 100, &first, &end);
    timespeed_read (r->reader, r->in, 0, N_FRAMES, r->out, 300, &r->state);
    r->made += r->state.frames_produced;
    timespeed_scrub (r->reader, N_FRAMES / 3, 50, 0, &r->state);
    timespeed_read (r->reader, r->in, 0, N_FRAMES, r->out, 300, &r->state);
  }
}

static void
play_records (void)
{
  unsigned i, c;

  for (i = 0; i < 4 * 2 * 3; i++) {
    TimeSpeedSettings settings = {
      {i % 4, i / 4 % 2, TIMEDSP_SINC, 2, 5 * (i / 8)}, 20
    };
    Record r = { 0 };

    fill (samples, settings.audio.format, N_FRAMES,
        settings.audio.layout == TIMEDSP_PLANAR ? 1 : 2);
    for (c = 0; c < MAX_CHANNELS; c++) {
      r.in[c] = samples;
      r.out[c] = output[c];
    }
    require (timespeed_new (&settings, NULL, &r.reader,
            &r.state) == TIMEDSP_OK, "no reader");
    in_real_time (play_record, &r);
    require (r.made > 0, "the record is silent");
    timespeed_free (r.reader);
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
call_all (void)
{
  unsigned i;

  scale_tapes ();
  stretch_all ();
  play_records ();
  for (i = 0; i < 4 * 2; i++) {
    TimeDSPConfig audio = { i % 4, i / 4, TIMEDSP_SINC, 2, 6 };

    change_pitch (&audio);
  }
  in_real_time (reverse, NULL);
}

/* ---- runs that must be detected ----------------------------------------------- */

static void
make_scaler (void *scaler)
{
  TimeScalerSettings settings = {.audio = {TIMEDSP_F32, TIMEDSP_INTERLEAVED,
      TIMEDSP_SINC, 2, 6},.rate = 8000,.factor = 1.5
  };
  TimeScalerState state;

  timescaler_new (&settings, scaler, &state);
}

static void
allocate_in_swift (void)
{
  TimeScaler *scaler;

  in_real_time (make_scaler, &scaler);
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
  const char *caught;           /* the call that must be detected. NULL if there is
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
