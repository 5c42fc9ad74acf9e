/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * That the scaler reads nothing but the frames it is given: they lie between two
 * pages that cannot be read.
 */

#include <timedsp.h>

#include <gst/check/gstcheck.h>
#include <sys/mman.h>
#include <unistd.h>

#define N_FRAMES 61
#define MOST_CHANNELS 5
#define ROOM_FRAMES 400

static const gsize sample_bytes[] = { 2, 4, 4, 8 };
static const gdouble factors[] = { 1, 2, 0.5, 3, 1.5, 1.1, 0.25 };

/* @bytes bytes at the end of what can be read, or at its beginning. */
static guint8 *
place (gsize bytes, gboolean at_end)
{
  static guint8 *pages = NULL;
  gsize page = sysconf (_SC_PAGESIZE);

  if (pages == NULL) {
    pages = mmap (NULL, 3 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
        0);
    fail_unless (pages != MAP_FAILED);
    fail_unless (mprotect (pages + page, page, PROT_READ | PROT_WRITE) == 0);
  }
  fail_unless (bytes <= page);
  return pages + page + (at_end ? page - bytes : 0);
}

static void
scale_stream (const TimeDSPConfig * config, gdouble factor, gboolean at_end)
{
  gsize bytes = sample_bytes[config->format] * config->channels, n, used, made;
  guint8 *input = place (N_FRAMES * bytes, at_end);
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
  const void *in[] = { place (N_FRAMES * bytes, at_end) };
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

static Suite *
bounds_suite (void)
{
  Suite *s = suite_create ("bounds");
  TCase *tc = tcase_create ("bounds");

  suite_add_tcase (s, tc);
  tcase_add_loop_test (tc, nothing_beside_the_input_is_read, 0,
      4 * (TIMEDSP_SINC + 1));
  return s;
}

GST_CHECK_MAIN (bounds);
