/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * scalemodel: the expected output of timescale, computed slowly and with integers,
 * directly from the definitions.
 */

#ifndef SCALE_MODEL_H
#define SCALE_MODEL_H

#include <timedsp.h>

#include "retrotest.h"

G_BEGIN_DECLS

/* A factor as a fraction in lowest terms. */
typedef struct
{
  guint64 num, den;
} ScaleFactor;

#define SCALE_N_FACTORS 16
extern const ScaleFactor scale_factors[SCALE_N_FACTORS];

/* The nicks of all of them, by TimeDSPInterpolation. */
#define SCALE_N_INTERPOLATIONS TIMEDSP_N_INTERPOLATIONS
extern const gchar *const scale_interpolations[SCALE_N_INTERPOLATIONS];

/* A timescale of @factor. */
RetroTest *scale_test_new (ScaleFactor factor, const gchar * properties);

/* floor (n × factor) */
guint64 scale_length (guint64 n, ScaleFactor factor);

/* A time × factor, rounded to the next whole nanosecond. */
GstClockTime scale_time (GstClockTime time, ScaleFactor factor);

/* A factor that moves to another, by the formulas of timedsp.h, from @place of
 * the input and frame @out of the output on; speeds are frames of input per
 * frame of output, @way frames of input. */
typedef struct
{
  long double place, from_speed, speed, way;
  guint64 out;
} ScaleMove;

/* At rest at @factor. */
ScaleMove scale_move_start (gdouble factor);

/* Goes to @factor from frame @out of the output on, within @step frames of
 * input, or of output at the mean speed if that takes more. */
void scale_move_on (ScaleMove * move, gdouble factor, guint step, guint64 out);

/* Frames made, not rounded, when @at frames of input are there: the integral
 * of the factor. */
long double scale_move_made (const ScaleMove * move, guint64 at);

/* Samples of @bytes, interleaved, as numbers. */
gdouble *scale_numbers (const GstAudioInfo * info, GByteArray * bytes);

/* One channel of F64 at the plain rate. */
GstAudioInfo scale_plain_info (void);

/* @n frames of it: a sine of amplitude 0.5. */
gdouble *scale_sine (gdouble frequency, guint n);

/* Pushes @numbers from @from to @to, cut into pieces of @piece frames. */
void scale_push_numbers (RetroTest * t, const gdouble * numbers, guint from,
    guint to, guint piece);

/* All that has left @t, of which there are *@n, in F64; frees @t. */
gdouble *scale_take_numbers (RetroTest * t, guint * n);

/* The largest second difference within [@from, @to): a click shows there. */
gdouble scale_largest_bend (const gdouble * samples, guint from, guint to);

G_END_DECLS
#endif /* SCALE_MODEL_H */
