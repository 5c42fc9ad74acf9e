/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * That scaler and stretcher read nothing but the frames they are given, and that a reversal
 * reads and writes nothing beside them: they lie between two pages that cannot
 * be touched.
 */

#include <timedsp.h>
#include <timestretch.h>

#include <gst/check/gstcheck.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define N_FRAMES 61
#define MOST_CHANNELS 5
#define ROOM_FRAMES 400

static const gsize sample_bytes[] = { 2, 4, 4, 8 };
static const gdouble factors[] = { 1, 2, 0.5, 3, 1.5, 1.1, 0.25 };

enum
{ INPUT, OUTPUT };

/* @bytes bytes at the end of accessible memory, or at its beginning. */
static guint8 *
place (guint which, gsize bytes, gboolean at_end)
{
  static guint8 *pages[2];
  gsize page = sysconf (_SC_PAGESIZE);

  if (pages[which] == NULL) {
    pages[which] = mmap (NULL, 3 * page, PROT_NONE,
        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    fail_unless (pages[which] != MAP_FAILED);
    fail_unless (mprotect (pages[which] + page, page,
            PROT_READ | PROT_WRITE) == 0);
  }
  fail_unless (bytes <= page);
  return pages[which] + page + (at_end ? page - bytes : 0);
}

static void
scale_stream (const TimeDSPConfig * config, gdouble factor, gboolean at_end)
{
  gsize bytes = sample_bytes[config->format] * config->channels, n, used, made;
  guint8 *input = place (INPUT, N_FRAMES * bytes, at_end);
  gdouble output[ROOM_FRAMES * MOST_CHANNELS];
  const void *in[] = { input };
  void *out[] = { output };
  TimeDSPScaler *scaler;

  fail_unless_equals_int (timedsp_scaler_new (config, factor, &scaler), 0);
  for (n = N_FRAMES; n > 20; n -= 13) {
    /* the end stays where it is, or the beginning */
    in[0] = at_end ? input + (N_FRAMES - n) * bytes : input;
    fail_unless_equals_int (timedsp_scaler_process (scaler, in, n, out,
            ROOM_FRAMES, &used, &made), TIMEDSP_OK);
    fail_unless_equals_int (used, n);
  }
  timedsp_scaler_finish (scaler, out, ROOM_FRAMES, &made);
  timedsp_scaler_free (scaler);
}

/* Writes to the end of accessible memory, or from its beginning. */
static void
stretch_piece (TimeStretcher * stretcher, const void *input, gsize n,
    gsize bytes, gboolean at_end)
{
  const void *in[] = { input };
  const gsize room = sysconf (_SC_PAGESIZE) / bytes;
  void *out[] = { place (OUTPUT, room * bytes, at_end) };
  TimeStretchProgress done;

  do {
    fail_unless_equals_int (timestretch_process (stretcher, in, n, out, room,
            &done), TIMEDSP_OK);
    in[0] = (const guint8 *) in[0] + done.frames_used * bytes;
    n -= done.frames_used;
  } while (n > 0 || done.frames_made == room);
}

static void
finish_stretch (TimeStretcher * stretcher, gsize bytes, gboolean at_end)
{
  const gsize room = sysconf (_SC_PAGESIZE) / bytes;
  void *out[] = { place (OUTPUT, room * bytes, at_end) };
  TimeStretchProgress done;

  do {
    fail_unless_equals_int (timestretch_finish (stretcher, out, room, &done),
        TIMEDSP_OK);
  } while (done.frames_made > 0);
}

/* More frames than its windows have, and memory of just the size it asks for. */
static void
stretch_stream (const TimeStretchConfig * config, gdouble factor,
    gboolean at_end)
{
  gsize bytes = sample_bytes[config->format] * config->channels, size, n, lap;
  guint8 *input = place (INPUT, N_FRAMES * bytes, at_end);
  TimeStretcher *stretcher;
  void *memory;

  fail_unless_equals_int (timestretch_memory_bytes (config, &size), 0);
  memory = timedsp_allocate (size);
  fail_unless_equals_int (timestretch_init (config, factor, memory, size,
          &stretcher), TIMEDSP_OK);
  for (lap = 0; lap < 10; lap++)
    for (n = N_FRAMES; n > 20; n -= 13)
      stretch_piece (stretcher, at_end ? input + (N_FRAMES - n) * bytes : input,
          n, bytes, at_end);
  finish_stretch (stretcher, bytes, at_end);
  timedsp_deallocate (memory);
}

static void
scale_array (const TimeDSPConfig * config, gdouble factor, gboolean at_end)
{
  gsize bytes = sample_bytes[config->format] * config->channels;
  gdouble output[ROOM_FRAMES * MOST_CHANNELS];
  const void *in[] = { place (INPUT, N_FRAMES * bytes, at_end) };
  void *out[] = { output };

  fail_unless_equals_int (timedsp_scale_to_length (config, in, N_FRAMES, out,
          ROOM_FRAMES, 1 + (gsize) ((N_FRAMES - 1) * factor)), TIMEDSP_OK);
}

GST_START_TEST (nothing_beside_the_input_is_read)
{
  TimeDSPConfig config = { __i__ % 4, TIMEDSP_INTERLEAVED, __i__ / 4, 1, 3 };
  guint f, at_end;

  for (; config.channels <= MOST_CHANNELS; config.channels++)
    for (f = 0; f < G_N_ELEMENTS (factors); f++)
      for (at_end = 0; at_end < 2; at_end++) {
        scale_stream (&config, factors[f], at_end);
        scale_array (&config, factors[f], at_end);
      }
}

GST_END_TEST;

GST_START_TEST (nothing_beside_the_frames_is_touched)
{
  static const guint channels[] = { 1, 2, MOST_CHANNELS };
  guint c, f, at_end;

  for (c = 0; c < G_N_ELEMENTS (channels); c++)
    for (f = 0; f < G_N_ELEMENTS (factors); f++)
      for (at_end = 0; at_end < 2; at_end++) {
        TimeStretchConfig config = { __i__ % 4, TIMEDSP_INTERLEAVED,
          channels[c], 8000, __i__ / 4
        };

        stretch_stream (&config, factors[f], at_end);
      }
}

GST_END_TEST;

GST_START_TEST (nothing_beside_a_reversal_is_touched)
{
  const gsize most = sysconf (_SC_PAGESIZE) / __i__;
  gsize n, at_end;

  for (n = 1; n <= MIN (most, 300); n++)
    for (at_end = 0; at_end < 2; at_end++) {
      guint8 *input = place (INPUT, n * __i__, at_end);
      guint8 *output = place (OUTPUT, n * __i__, at_end);

      memset (input, 1, __i__);
      memset (output, 0, n * __i__);
      fail_unless_equals_int (timedsp_reverse (input, output, n, __i__),
          TIMEDSP_OK);
      fail_unless (memcmp (output + (n - 1) * __i__, input, __i__) == 0);
      fail_unless_equals_int (timedsp_reverse (input, input, n, __i__),
          TIMEDSP_OK);
    }
}

GST_END_TEST;

static Suite *
bounds_suite (void)
{
  Suite *s = suite_create ("bounds");
  TCase *tc = tcase_create ("bounds");

  suite_add_tcase (s, tc);
  tcase_add_loop_test (tc, nothing_beside_the_input_is_read, 0,
      4 * (TIMEDSP_SINC + 1));
  tcase_add_loop_test (tc, nothing_beside_the_frames_is_touched, 0, 4 * 4);
  tcase_add_loop_test (tc, nothing_beside_a_reversal_is_touched, 1, 67);
  return s;
}

GST_CHECK_MAIN (bounds);
