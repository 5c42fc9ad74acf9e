/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * timescalesettings: the properties of timescale.
 */

#ifndef TIME_SCALE_SETTINGS_H
#define TIME_SCALE_SETTINGS_H

#include <timedsp.h>

#include "retrostorage.h"

G_BEGIN_DECLS

/**
 * GstTimeScaleAlignment:
 * @GST_TIME_SCALE_STREAM: frame k is read at k / factor
 * @GST_TIME_SCALE_ENDPOINTS: the first and the last frame are kept
 *
 * How output frames lie over the input.
 *
 * Since: 0.1
 */
typedef enum
{
  GST_TIME_SCALE_STREAM,
  GST_TIME_SCALE_ENDPOINTS
} GstTimeScaleAlignment;

/* A copy of the properties. */
typedef struct
{
  gdouble factor;
  TimeDSPInterpolation interpolation;
  guint quality;                /* of sinc */
  gboolean absorb_rate;
  GstTimeScaleAlignment alignment;
  RetroStorage storage;
} TimeScaleSettings;

void time_scale_settings_install (GObjectClass * klass);

void time_scale_settings_init (TimeScaleSettings * settings);

void time_scale_settings_clear (TimeScaleSettings * settings);

/* FALSE: there is no such property. */
gboolean time_scale_settings_set (TimeScaleSettings * settings, guint id,
    const GValue * value);

gboolean time_scale_settings_get (const TimeScaleSettings * settings, guint id,
    GValue * value);

G_END_DECLS
#endif /* TIME_SCALE_SETTINGS_H */
