/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * scalemodel: the expected output of timescale, calculated slowly and with
 * integers, directly from the definitions.
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

/* The nicks of all interpolation methods, in the order of TimeDSPInterpolation. */
#define SCALE_N_INTERPOLATIONS TIMEDSP_N_INTERPOLATIONS
extern const gchar *const scale_interpolations[SCALE_N_INTERPOLATIONS];

/* Creates a test of a timescale with @factor. */
RetroTest *scale_test_new (ScaleFactor factor, const gchar * properties);

/* floor (n × factor) */
guint64 scale_length (guint64 n, ScaleFactor factor);

/* @time × @factor, rounded to the nearest nanosecond. */
GstClockTime scale_time (GstClockTime time, ScaleFactor factor);

/* A gradual change of the factor, according to the formulas in timedsp.h. The change
 * begins at input position @place and at output frame @out. Speeds are input frames
 * per output frame. The speed changes during the next @way input frames. */
typedef struct
{
  long double place, from_speed, speed, way;
  guint64 out;
} ScaleMove;

/* A move without a change: the factor is constant. */
ScaleMove scale_move_start (gdouble factor);

/* Begins a change to @factor at frame @out of the output. The change lasts @step frames of
 * input or @step frames of output, whichever is longer at the mean speed. */
void scale_move_on (ScaleMove * move, gdouble factor, guint step, guint64 out);

/* The number of output frames for the first @at input frames, not rounded: the
 * integral of the factor. */
long double scale_move_made (const ScaleMove * move, guint64 at);

/* Converts the samples in @bytes, which are interleaved, to numbers. */
gdouble *scale_numbers (const GstAudioInfo * info, GByteArray * bytes);

/* One channel of F64 at PLAIN_RATE. */
GstAudioInfo scale_plain_info (void);

/* @n samples of a sine wave with amplitude 0.5. */
gdouble *scale_sine (gdouble frequency, guint n);

/* Pushes the numbers with indices [@from, @to) in buffers of @piece frames. */
void scale_push_numbers (RetroTest * t, const gdouble * numbers, guint from,
    guint to, guint piece);

/* All output of @t in F64; sets *@n to the number of frames, and frees @t. */
gdouble *scale_take_numbers (RetroTest * t, guint * n);

/* The largest absolute second difference within [@from, @to). A click makes it large. */
gdouble scale_largest_bend (const gdouble * samples, guint from, guint to);

G_END_DECLS
#endif /* SCALE_MODEL_H */
