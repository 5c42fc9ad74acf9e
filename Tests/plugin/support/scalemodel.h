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

#define SCALE_N_FACTORS 8
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

/* One channel of F64 at PLAIN_RATE. */
GstAudioInfo scale_plain_info (void);

/* Frames @first … @first + @n_frames - 1 of a sound that resembles a voice, with a different
 * noise in each channel. Only exact operations are used, so that the bits are the same on
 * every machine. */
GstBuffer *scale_sound (const GstAudioInfo * info, guint64 first,
    gsize n_frames);

/* Pushes @n_frames frames of the sound from @first on, in buffers of @piece frames. */
void scale_push_sound (RetroTest * t, guint64 first, guint64 n_frames,
    guint64 piece);

/* Sets each property in @properties: name=value, separated by spaces. */
void scale_set (RetroTest * t, const gchar * properties);

/* Asks for an instant change of the rate: by a seek, as an application would, or by an event, as
 * upstream would. */
void scale_ask_for_rate (RetroTest * t, gdouble rate, gboolean by_seek);

G_END_DECLS
#endif /* SCALE_MODEL_H */
