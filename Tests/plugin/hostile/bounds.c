/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Checks that timescale sessions and timedsp_reverse() access only the memory
 * of the frames that they are given. The frames lie directly before or after an
 * inaccessible page.
 */

#include "scalestream.h"

#include <gst/check/gstcheck.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define N_FRAMES 61
#define MOST_CHANNELS 5

static const gsize sample_bytes[] = { 2, 4, 4, 8 };
static const gdouble factors[] = { 1, 2, 0.5, 3, 1.5, 1.1, 0.25 };

enum
{ INPUT, OUTPUT };

/* Returns @bytes bytes that end directly before an inaccessible page, or begin
 * directly after one. */
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

static guint8 *
place_before_end (gsize bytes)
{
  return place (OUTPUT, bytes, TRUE);
}

static guint8 *
place_after_beginning (gsize bytes)
{
  return place (OUTPUT, bytes, FALSE);
}

/* Scales frames that lie next to an inaccessible page, @repeats times. */
static void
scale_between_pages (const TimeDSPConfig * config, guint rate,
    const TimeScaleSettings * settings, guint repeats, gboolean at_end)
{
  gsize bytes = sample_bytes[config->format] * config->channels, n;
  guint8 *input = place (INPUT, N_FRAMES * bytes, at_end);
  ScaleStream s = {.rate = rate,.settings = *settings,
    .place = at_end ? place_before_end : place_after_beginning,
    .most = sysconf (_SC_PAGESIZE) / bytes
  };

  scale_stream_open (&s, config);
  while (repeats-- > 0)
    for (n = N_FRAMES; n > 20; n -= 13)
      /* keep the frames next to the inaccessible page: shorten them at the other side */
      scale_stream_feed (&s, at_end ? input + (N_FRAMES - n) * bytes : input,
          n);
  g_byte_array_unref (scale_stream_close (&s));
}

static void
scale_tape (const TimeDSPConfig * config, gdouble factor, gboolean at_end)
{
  TimeScaleSettings settings = {.factor = factor };

  scale_between_pages (config, 48000, &settings, 1, at_end);
}

/* Feeds more frames than the stretcher's window has, so that frames are really
 * stretched. */
static void
stretch_frames (const TimeDSPConfig * config, TimeStretchWindow window,
    gdouble factor, gboolean at_end)
{
  TimeScaleSettings settings = {.factor = factor,
    .pitch = {.kept = TRUE,.window = window}
  };

  scale_between_pages (config, 8000, &settings, 10, at_end);
}

static void
fit_array (const TimeDSPConfig * config, gdouble factor, gboolean at_end)
{
  gsize bytes = sample_bytes[config->format] * config->channels;
  ScaleStream s = {
    .rate = 48000,
    .settings.factor = factor,
    .settings.alignment = TIMESCALE_ENDPOINTS,
    .place = at_end ? place_before_end : place_after_beginning,
    .most = sysconf (_SC_PAGESIZE) / bytes
  };

  scale_stream_open (&s, config);
  scale_stream_feed (&s, place (INPUT, N_FRAMES * bytes, at_end), N_FRAMES);
  g_byte_array_unref (scale_stream_close (&s));
}

GST_START_TEST (nothing_beside_a_tape_is_touched)
{
  TimeDSPConfig config = { __i__ % 4, TIMEDSP_INTERLEAVED, __i__ / 4, 1, 3 };
  guint f, at_end;

  for (; config.channels <= MOST_CHANNELS; config.channels++)
    for (f = 0; f < G_N_ELEMENTS (factors); f++)
      for (at_end = 0; at_end < 2; at_end++) {
        scale_tape (&config, factors[f], at_end);
        fit_array (&config, factors[f], at_end);
      }
}

GST_END_TEST;

GST_START_TEST (nothing_beside_a_stretch_is_touched)
{
  static const guint channels[] = { 1, 2, MOST_CHANNELS };
  guint c, f, at_end;

  for (c = 0; c < G_N_ELEMENTS (channels); c++)
    for (f = 0; f < G_N_ELEMENTS (factors); f++)
      for (at_end = 0; at_end < 2; at_end++) {
        TimeDSPConfig config = { __i__ % 4, TIMEDSP_INTERLEAVED,
          TIMEDSP_LINEAR, channels[c], 0
        };

        stretch_frames (&config, __i__ / 4, factors[f], at_end);
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
  tcase_add_loop_test (tc, nothing_beside_a_tape_is_touched, 0,
      4 * (TIMEDSP_SINC + 1));
  tcase_add_loop_test (tc, nothing_beside_a_stretch_is_touched, 0, 4 * 4);
  tcase_add_loop_test (tc, nothing_beside_a_reversal_is_touched, 1, 67);
  return s;
}

GST_CHECK_MAIN (bounds);
