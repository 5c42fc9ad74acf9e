/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "scalemodel.h"

#include <math.h>

const ScaleFactor scale_factors[SCALE_N_FACTORS] = {
  {1, 1}, {2, 1}, {1, 2}, {3, 2}, {2, 3}, {7, 10}, {1, 3}, {11, 10}, {10, 11},
  {100, 1}, {1, 100}, {314159, 100000}, {147, 160}, {160, 147}, {999, 1000},
  {1001, 1000}
};

#define NICK(NAME, nick, before, after, sentence) nick,

/* *INDENT-OFF* */
const gchar *const scale_interpolations[SCALE_N_INTERPOLATIONS] = {
  TIMEDSP_INTERPOLATIONS (NICK)
};
/* *INDENT-ON* */

RetroTest *
scale_test_new (ScaleFactor factor, const gchar * properties)
{
  gchar *description = g_strdup_printf ("timescale %s", properties);
  RetroTest *t = retro_test_new (description);

  g_object_set (t->element, "factor", (gdouble) factor.num / factor.den, NULL);
  g_free (description);
  return t;
}

guint64
scale_length (guint64 n, ScaleFactor factor)
{
  return n * factor.num / factor.den;
}

GstClockTime
scale_time (GstClockTime time, ScaleFactor factor)
{
  return gst_util_uint64_scale_round (time, factor.num, factor.den);
}

/* ---- changes of the factor ------------------------------------------------ */

ScaleMove
scale_move_start (gdouble factor)
{
  ScaleMove move = {.from_speed = 1 / (long double) factor,
    .speed = 1 / (long double) factor
  };

  return move;
}

static long double
move_length (const ScaleMove * move)
{
  return 2 * move->way / (move->from_speed + move->speed);
}

/* Input position of output frame @k, counted from the beginning of the change. Sets *@speed
 * to the speed at this frame. */
static long double
move_place (const ScaleMove * move, long double k, long double *speed)
{
  long double length = move_length (move), rise;

  if (k >= length) {
    *speed = move->speed;
    return move->place + move->way + (k - length) * move->speed;
  }
  rise = (move->speed - move->from_speed) / length;
  *speed = move->from_speed + rise * k;
  return move->place + k * (move->from_speed + rise * k / 2);
}

void
scale_move_on (ScaleMove * move, gdouble factor, guint step, guint64 out)
{
  ScaleMove next = {.speed = 1 / (long double) factor,.out = out };

  if (next.speed == move->speed)
    return;
  next.place = move_place (move, out - move->out, &next.from_speed);
  next.way = floorl (step * MAX (1, (move->speed + next.speed) / 2));
  *move = next;
}

long double
scale_move_made (const ScaleMove * move, guint64 at)
{
  long double x = at - move->place, v0 = move->from_speed, v1 = move->speed;

  if (x >= move->way)
    return move->out + move_length (move) + (x - move->way) / v1;
  return move->out
      + 2 * x / (v0 + sqrtl (v0 * v0 + (v1 * v1 - v0 * v0) * x / move->way));
}

/* ---- values ------------------------------------------------------------- */

static gdouble
number (GstAudioFormat format, gconstpointer sample)
{
  switch (format) {
    case GST_AUDIO_FORMAT_S16:
      return *(const gint16 *) sample;
    case GST_AUDIO_FORMAT_S32:
      return *(const gint32 *) sample;
    case GST_AUDIO_FORMAT_F32:
      return *(const gfloat *) sample;
    case GST_AUDIO_FORMAT_F64:
      return *(const gdouble *) sample;
    default:
      g_assert_not_reached ();
  }
}

gdouble *
scale_numbers (const GstAudioInfo * info, GByteArray * bytes)
{
  gsize bps = GST_AUDIO_INFO_WIDTH (info) / 8;
  gsize n = bytes->len / bps, i;
  gdouble *numbers = g_new (gdouble, n + 1);

  for (i = 0; i < n; i++)
    numbers[i] = number (GST_AUDIO_INFO_FORMAT (info), bytes->data + i * bps);
  return numbers;
}

GstAudioInfo
scale_plain_info (void)
{
  GstAudioInfo info;

  retro_test_info (&info, GST_AUDIO_FORMAT_F64, GST_AUDIO_LAYOUT_INTERLEAVED,
      PLAIN_RATE, 1);
  return info;
}

gdouble *
scale_sine (gdouble frequency, guint n)
{
  gdouble *samples = g_new (gdouble, n);
  guint i;

  for (i = 0; i < n; i++)
    samples[i] = 0.5 * sin (2 * G_PI * frequency * i / PLAIN_RATE);
  return samples;
}

void
scale_push_numbers (RetroTest * t, const gdouble * numbers, guint from,
    guint to, guint piece)
{
  guint at;

  for (at = from; at < to; at += piece)
    fail_unless_equals_int (gst_harness_push (t->h,
            retro_test_buffer_of (&t->info, numbers + at, MIN (piece, to - at),
                PLAIN_NS (at))), GST_FLOW_OK);
}

gdouble *
scale_take_numbers (RetroTest * t, guint * n)
{
  GByteArray *bytes = retro_test_bytes (t);
  gdouble *numbers = scale_numbers (&t->info, bytes);

  *n = bytes->len / GST_AUDIO_INFO_BPS (&t->info);
  g_byte_array_unref (bytes);
  retro_test_free (t);
  return numbers;
}

gdouble
scale_largest_bend (const gdouble * samples, guint from, guint to)
{
  gdouble bend = 0;
  guint i;

  for (i = from + 1; i + 1 < to; i++)
    bend = MAX (bend, fabs (samples[i - 1] - 2 * samples[i] + samples[i + 1]));
  return bend;
}
