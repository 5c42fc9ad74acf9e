/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * pitchsound: functions for tests of a timescale that keeps or shifts the pitch, with sines as
 * input.
 */

#ifndef PITCH_SOUND_H
#define PITCH_SOUND_H

#include "scalemodel.h"

#include <math.h>

#define RATE PLAIN_RATE
#define N 24000

/* Length of the stretcher's window at this sample rate, in frames. When factor and
 * pitch need no more processing, timescale outputs its input unmodified again after
 * one window. */
#define WINDOW 1024

static inline RetroTest *
start_as (const GstAudioInfo * info, const gchar * properties)
{
  gchar *description = g_strdup_printf ("timescale %s", properties);
  RetroTest *t = retro_test_new (description);

  g_free (description);
  retro_test_start (t, info, 1, 0, GST_CLOCK_TIME_NONE);
  return t;
}

static inline RetroTest *
start (const gchar * properties)
{
  GstAudioInfo info = scale_plain_info ();

  return start_as (&info, properties);
}

static inline RetroTest *
start_music (const gchar * properties)
{
  gchar *all = g_strdup_printf ("window=music %s", properties);
  RetroTest *t = start (all);

  g_free (all);
  return t;
}

/* Ends the stream. Returns all output samples, and sets *@n to their number. */
static inline gdouble *
finish (RetroTest * t, guint * n)
{
  retro_test_eos (t);
  retro_test_assert_perfect (t, 0);
  return scale_take_numbers (t, n);
}

/* The second difference of a sine with amplitude @a at its peak: a (2 sin (ω / 2))². */
static inline gdouble
bend_of_sine (gdouble a, gdouble frequency)
{
  gdouble chord = 2 * sin (G_PI * frequency / RATE);

  return a * chord * chord;
}

#endif /* PITCH_SOUND_H */
