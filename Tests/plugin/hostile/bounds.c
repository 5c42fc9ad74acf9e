/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * That the scaler reads nothing but the frames it is given, and that a reversal
 * reads and writes nothing beside them: they lie between two pages that cannot
 * be touched.
 */

#include <timedsp.h>

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

/* @bytes bytes at the end of what can be touched, or at its beginning. */
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
  tcase_add_loop_test (tc, nothing_beside_a_reversal_is_touched, 1, 67);
  return s;
}

GST_CHECK_MAIN (bounds);
