/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * stretchfile IN.wav OUT.wav FACTOR [auto|music|speech|low [CUT]]
 *
 * Stretches a WAV file of 16-bit or 32-bit floating-point samples without
 * GStreamer, so that the stretcher can be measured. The samples of OUT are
 * 32-bit floating-point numbers. CUT is the number of frames that are passed at
 * a time (4096 by default). If FACTOR is "-", the program reads lines "FRAME
 * FACTOR [RAMP]" from the standard input: from input frame FRAME on, the factor
 * is FACTOR, or moves to FACTOR within RAMP frames.
 */

#include <corebridge.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct
{
  float *samples;
  uint32_t channels, rate;
  size_t frames;
} Audio;

typedef struct
{
  size_t frame, ramp;
  double factor;
} Change;

static int
fail (const char *what, const char *detail)
{
  fprintf (stderr, "stretchfile: %s: %s\n", what, detail);
  exit (1);
}

static uint32_t
number (const unsigned char *bytes, int count)
{
  uint32_t value = 0;

  while (count-- > 0)
    value = value << 8 | bytes[count];
  return value;
}

/* Converts the samples of a data chunk to floats. */
static void
convert (Audio * audio, const unsigned char *data, size_t bytes, int bits)
{
  size_t i, count = bytes / (bits / 8);

  audio->frames = count / audio->channels;
  audio->samples = calloc (count + 1, sizeof (float));
  for (i = 0; i < count; i++) {
    if (bits == 16)
      audio->samples[i] = (int16_t) number (data + 2 * i, 2) / 32768.0f;
    else
      memcpy (audio->samples + i, data + 4 * i, 4);
  }
}

static Audio
read_wav (const char *path)
{
  FILE *file = fopen (path, "rb");
  unsigned char *bytes;
  size_t size, place = 12;
  int bits = 0;
  Audio audio = { 0 };

  if (file == NULL)
    fail (path, "cannot be opened");
  fseek (file, 0, SEEK_END);
  size = ftell (file);
  rewind (file);
  bytes = malloc (size + 1);
  if (fread (bytes, 1, size, file) != size)
    fail (path, "cannot be read");
  fclose (file);

  while (place + 8 <= size) {
    size_t length = number (bytes + place + 4, 4);

    if (length > size - place - 8)
      length = size - place - 8;
    if (memcmp (bytes + place, "fmt ", 4) == 0 && length >= 16) {
      audio.channels = number (bytes + place + 10, 2);
      audio.rate = number (bytes + place + 12, 4);
      bits = number (bytes + place + 22, 2);
    } else if (memcmp (bytes + place, "data", 4) == 0 && audio.channels > 0
        && (bits == 16 || bits == 32)) {
      convert (&audio, bytes + place + 8, length, bits);
      break;
    }
    place += 8 + length + (length & 1);
  }
  free (bytes);
  if (audio.samples == NULL)
    fail (path, "is no WAV file of 16-bit or float samples");
  return audio;
}

static void
put (FILE * file, uint32_t value, int count)
{
  while (count-- > 0) {
    putc (value & 255, file);
    value >>= 8;
  }
}

static void
write_wav (const char *path, const Audio * audio)
{
  FILE *file = fopen (path, "wb");
  size_t bytes = audio->frames * audio->channels * sizeof (float);

  if (file == NULL)
    fail (path, "cannot be written");
  fwrite ("RIFF", 1, 4, file);
  put (file, bytes + 36, 4);
  fwrite ("WAVEfmt ", 1, 8, file);
  put (file, 16, 4);
  put (file, 3, 2);
  put (file, audio->channels, 2);
  put (file, audio->rate, 4);
  put (file, audio->rate * audio->channels * 4, 4);
  put (file, audio->channels * 4, 2);
  put (file, 32, 2);
  fwrite ("data", 1, 4, file);
  put (file, bytes, 4);
  if (fwrite (audio->samples, 1, bytes, file) != bytes || fclose (file) != 0)
    fail (path, "cannot be written");
}

static void
check (TimeDSPStatus status)
{
  if (status != TIMEDSP_OK)
    fail ("stretcher", "could not be made or has failed");
}

static CoreStretcher *
make (const Audio * in, double factor, const char *window)
{
  static const char *const names[] = { "auto", "music", "speech", "low" };
  TimeDSPConfig audio = { TIMEDSP_F32, TIMEDSP_INTERLEAVED, TIMEDSP_LINEAR,
    in->channels, 0
  };
  TimeStretchWindow length = TIMESTRETCH_AUTO;
  CoreStretcher *stretcher;
  int i;

  for (i = 0; i < 4; i++)
    if (strcmp (window, names[i]) == 0)
      length = (TimeStretchWindow) i;
  stretcher = core_stretcher_new (&audio, in->rate, length, factor);
  if (stretcher == NULL)
    fail ("stretcher", "channels or factor are refused");
  return stretcher;
}

/* Makes room for `more` further frames, and returns their address. */
static float *
room (Audio * out, size_t *capacity, uint64_t more)
{
  if (out->frames + more > *capacity) {
    *capacity = 2 * (out->frames + more);
    out->samples = realloc (out->samples,
        *capacity * out->channels * sizeof (float));
  }
  return out->samples + out->frames * out->channels;
}

static size_t
read_changes (const char *factor, Change * changes, size_t capacity)
{
  char line[200];
  size_t count = 0;

  changes[0].frame = changes[0].ramp = 0;
  changes[0].factor = atof (factor);
  if (strcmp (factor, "-") != 0)
    return 1;
  while (count < capacity && fgets (line, sizeof line, stdin)) {
    Change *change = changes + count;

    change->ramp = 0;
    if (sscanf (line, "%zu %lf %zu", &change->frame, &change->factor,
            &change->ramp) >= 2)
      count++;
  }
  return count;
}

int
main (int argc, char **argv)
{
  static Change changes[100000];
  size_t count, next = 1, given = 0, capacity = 0, made;
  size_t cut = argc > 5 ? strtoul (argv[5], NULL, 10) : 4096;
  CoreStretcher *stretcher;
  Audio in, out = { 0 };

  if (argc < 4)
    fail ("usage", "stretchfile IN OUT FACTOR [auto|music|speech|low [CUT]]");
  count = read_changes (argv[3], changes, 100000);
  in = read_wav (argv[1]);
  out.channels = in.channels;
  out.rate = in.rate;
  stretcher =
      make (&in, count > 0 ? changes[0].factor : 1,
      argc > 4 ? argv[4] : "auto");

  while (given < in.frames) {
    const void *from = in.samples + given * in.channels;
    size_t frames = in.frames - given < cut ? in.frames - given : cut;
    size_t more, used;
    void *to;

    if (next < count && changes[next].frame <= given) {
      check (core_stretcher_move (stretcher, changes[next].factor,
              changes[next].ramp));
      next++;
      continue;
    }
    if (next < count && changes[next].frame - given < frames)
      frames = changes[next].frame - given;
    more = core_stretcher_max_output (stretcher, frames);
    to = room (&out, &capacity, more);
    out.frames +=
        CORE_CHOSEN (core_stretcher_process) (stretcher, &from, frames, &to,
        more, &used);
    given += used;
  }
  do {
    void *to = room (&out, &capacity, cut);

    made = CORE_CHOSEN (core_stretcher_finish) (stretcher, &to, cut);
    out.frames += made;
  } while (made > 0);
  write_wav (argv[2], &out);
  return 0;
}
