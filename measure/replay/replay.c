/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Replays the record of a playback (see gst-plugin/revbuf/record.h) without a
 * pipeline, and stops at the first answer or action that differs from the record.
 *
 *   replay < RECORD     lines "CALL NAME=VALUE … : RESULT"
 *
 * The record contains no audio. The samples are synthetic: a frame of the
 * stream has the same samples at each decode. So a record can be replayed only
 * if the decoder also returned the same samples at each decode.
 */

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "recordfields.h"

#define MAX_LINE 4096

typedef struct
{
  TimePlayback *playback;
  TimePlayFormat format;
  TimePlaySeek seek;            /* the seek with which playback begins */
  bool has_seek;
  TimePlayRun *run;             /* the run that buffers are added to */
  int64_t next_frame;           /* the frame after the last buffer */
  unsigned line, actions;
} Replay;

static void
convert (const TimePlayFormat * format, int to_numbers, void *samples,
    size_t plane_bytes, double *numbers, size_t frames)
{
  if (to_numbers)
    memset (numbers, 0, frames * format->channels * sizeof (*numbers));
}

/* ---- lines ----------------------------------------------------------------- */

static const GstRevBufField *
find_field (const GstRevBufField * fields, const char *name, size_t length)
{
  for (; fields->name != NULL; fields++)
    if (strlen (fields->name) == length
        && memcmp (fields->name, name, length) == 0)
      return fields;
  return NULL;
}

/* Reads the fields of a line into @data. Returns the result at the end of the line. */
static int64_t
read_line (char *line, const GstRevBufField * fields, void *data)
{
  char *word;

  for (word = strtok (line, " "); word != NULL && strcmp (word, ":") != 0;
      word = strtok (NULL, " ")) {
    char *equals = strchr (word, '=');
    const GstRevBufField *field = equals == NULL ? NULL :
        find_field (fields, word, (size_t) (equals - word));
    uint64_t value = equals == NULL ? 0 : strtoull (equals + 1, NULL, 16);

    if (field != NULL)
      memcpy ((char *) data + field->offset, &value, field->bytes);
  }
  word = word == NULL ? NULL : strtok (NULL, " ");
  return word == NULL ? 0 : strtoll (word, NULL, 10);
}

/* Whether a recorded struct and the present one are equal. Prints their differences. */
static bool
agree (const Replay * replay, const GstRevBufField * fields, const void *was,
    const void *is)
{
  bool same = true;

  for (; fields->name != NULL; fields++) {
    uint64_t before = 0, now = 0;

    memcpy (&before, (const char *) was + fields->offset, fields->bytes);
    memcpy (&now, (const char *) is + fields->offset, fields->bytes);
    if (before != now) {
      printf ("call %u, action %u: %s was %" PRIx64 ", is %" PRIx64 "\n",
          replay->line, replay->actions, fields->name, before, now);
      same = false;
    }
  }
  return same;
}

static bool
answers (const Replay * replay, const char *call, int64_t was, int64_t is)
{
  if (was != is)
    printf ("call %u, action %u: the answer to %s was %" PRId64 ", is %" PRId64
        "\n", replay->line, replay->actions, call, was, is);
  return was == is;
}

/* ---- audio ----------------------------------------------------------------- */

static uint8_t
sound (int64_t frame, size_t byte)
{
  uint64_t mixed = ((uint64_t) frame * 64 + byte) * 0x9e3779b97f4a7c15u;

  return (uint8_t) (mixed >> 56);
}

static bool
add (Replay * replay, TimePlayBuffer * buffer, int64_t first)
{
  const TimePlayFormat *format = &replay->format;
  size_t bytes = buffer->frames * format->stride_bytes, i, used = first;
  const void *planes[TIMEDSP_MAX_CHANNELS];
  uint8_t *samples = malloc (bytes + 1);
  int64_t frame = replay->next_frame;

  if (samples == NULL || replay->run == NULL)
    return false;
  if (buffer->has_timestamp && buffer->time_sign != 0)
    frame = timedsp_frame_at (buffer->time_ns, format->rate)
        * buffer->time_sign;
  for (i = 0; i < bytes; i++)
    samples[i] = sound (frame + (int64_t) (i / format->stride_bytes),
        i % format->stride_bytes);
  for (i = 0; i < format->planes && i < TIMEDSP_MAX_CHANNELS; i++)
    planes[i] = samples;
  buffer->planes = planes;
  timeplay_run_add (replay->run, buffer, format, &used);
  replay->next_frame = frame + (int64_t) buffer->frames;
  free (samples);
  return true;
}

/* ---- calls ----------------------------------------------------------------- */

static bool
play_next (Replay * replay, char *rest)
{
  TimePlayAction was = { 0 }, is;

  read_line (rest, gst_revbuf_action_fields, &was);
  timeplay_next (replay->playback, &is);
  replay->actions += is.kind != TIMEPLAY_WAIT;
  return agree (replay, gst_revbuf_action_fields, &was, &is);
}

static bool
play_event (Replay * replay, char *rest)
{
  TimePlayEvent event = { 0 };
  int64_t was = read_line (rest, gst_revbuf_event_fields, &event);
  TimePlayRoute route = timeplay_event (replay->playback, &event);

  if (route != TIMEPLAY_PASS && event.format.rate > 0)
    replay->format = event.format;
  return answers (replay, "event", was, route);
}

static bool
play_start (Replay * replay, char *rest)
{
  TimePlayStart start = { 0 };
  int64_t was = read_line (rest, gst_revbuf_start_fields, &start);
  TimePlayAnswer answer = timeplay_start (replay->playback, &start,
      replay->has_seek ? &replay->seek : NULL);

  replay->has_seek = false;
  if (answer == TIMEPLAY_STARTED)
    replay->format = start.format;
  return answers (replay, "start", was, answer);
}

static bool
play_arrival (Replay * replay, char *rest)
{
  TimePlayArrival arrival = { 0 };
  int64_t was = read_line (rest, gst_revbuf_arrival_fields, &arrival);

  return answers (replay, "arrive", was, timeplay_arrive (replay->playback,
          &arrival));
}

static bool
play_seek (Replay * replay, char *rest)
{
  TimePlaySeek seek = { 0 };
  int64_t was = read_line (rest, gst_revbuf_seek_fields, &seek);

  return answers (replay, "seek", was, timeplay_seek (replay->playback, &seek));
}

static bool
play_buffer (Replay * replay, const char *call, char *rest)
{
  TimePlayBuffer buffer = { 0 };
  uint32_t number = 0;
  int64_t was;

  if (strcmp (call, "add") == 0) {
    was = read_line (rest, gst_revbuf_buffer_fields, &buffer);
    return add (replay, &buffer, was);
  }
  was = read_line (rest, gst_revbuf_number_fields, &number);
  if (strcmp (call, "receive") == 0)
    return answers (replay, call, TIMEPLAY_BUFFER_FILLS,
        timeplay_receive (replay->playback, &replay->run));
  timeplay_filled (replay->playback, (int) number);
  return true;
}

static bool
play_struct (Replay * replay, const char *call, char *rest)
{
  TimePlaySettings settings = { 0 };
  TimePlayOutcome outcome = { 0 };

  if (strcmp (call, "configure") == 0) {
    read_line (rest, gst_revbuf_settings_fields, &settings);
    timeplay_configure (replay->playback, &settings);
  } else if (strcmp (call, "done") == 0) {
    read_line (rest, gst_revbuf_outcome_fields, &outcome);
    timeplay_done (replay->playback, &outcome);
  } else {                      /* "by", followed by "start" */
    memset (&replay->seek, 0, sizeof (replay->seek));
    read_line (rest, gst_revbuf_seek_fields, &replay->seek);
    replay->has_seek = true;
  }
  return true;
}

static bool
play_order (Replay * replay, const char *call, char *rest)
{
  uint32_t number = 0;
  int64_t was = read_line (rest, gst_revbuf_number_fields, &number);

  if (strcmp (call, "open") == 0) {
    if (replay->playback == NULL)
      replay->playback = timeplay_new (convert, number);
    timeplay_open (replay->playback);
  } else if (strcmp (call, "close") == 0)
    timeplay_close (replay->playback);
  else if (strcmp (call, "clear") == 0)
    timeplay_clear (replay->playback);
  else if (strcmp (call, "started") == 0)
    timeplay_started (replay->playback, (int) number);
  else if (strcmp (call, "seek_past") == 0)
    timeplay_seek_past (replay->playback, number);
  else if (strcmp (call, "end_flush") == 0)
    return answers (replay, call, was, timeplay_end_flush (replay->playback));
  else {
    printf ("call %u: what is %s?\n", replay->line, call);
    return false;
  }
  return true;
}

static bool
is_one_of (const char *call, const char *const *names)
{
  while (*names != NULL && strcmp (call, *names) != 0)
    names++;
  return *names != NULL;
}

static bool
play (Replay * replay, char *line)
{
  static const char *const buffers[] = { "receive", "add", "filled", NULL };
  static const char *const structs[] = { "configure", "done", "by", NULL };
  char *space = strchr (line, ' '), *rest = space == NULL ? line : space + 1;

  if (space != NULL)
    *space = '\0';
  /* there is no playback before "open"; skip such lines, because the settings
   * are recorded again after "open" */
  if (replay->playback == NULL && strcmp (line, "open") != 0)
    return true;
  if (strcmp (line, "next") == 0)
    return play_next (replay, rest);
  if (strcmp (line, "arrive") == 0)
    return play_arrival (replay, rest);
  if (strcmp (line, "event") == 0)
    return play_event (replay, rest);
  if (strcmp (line, "start") == 0)
    return play_start (replay, rest);
  if (strcmp (line, "seek") == 0)
    return play_seek (replay, rest);
  if (is_one_of (line, buffers))
    return play_buffer (replay, line, rest);
  if (is_one_of (line, structs))
    return play_struct (replay, line, rest);
  return play_order (replay, line, rest);
}

int
main (void)
{
  static char line[MAX_LINE], shown[MAX_LINE];
  Replay replay = { NULL };
  bool same = true;

  while (same && fgets (line, sizeof (line), stdin) != NULL) {
    line[strcspn (line, "\n")] = '\0';
    memcpy (shown, line, sizeof (shown));
    replay.line++;
    same = play (&replay, line);
    if (!same)
      printf ("%s\n", shown);
  }
  if (same)
    printf ("%u calls, %u actions: the same.\n", replay.line, replay.actions);
  timeplay_free (replay.playback);
  return same ? 0 : 1;
}
