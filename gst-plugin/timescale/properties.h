/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * properties: the properties of timescale.
 */

#pragma once

#include "common/properties.h"
#include "timescale/scalerstream.h"

/**
 * GstTimeScaleAlignment:
 * @GST_TIMESCALE_STREAM: frame k is read at k / factor
 * @GST_TIMESCALE_ENDPOINTS: the first and the last frame are kept
 *
 * How output frames lie over the input.
 *
 * Since: 0.1
 */
typedef enum
{
  GST_TIMESCALE_STREAM,
  GST_TIMESCALE_ENDPOINTS
} GstTimeScaleAlignment;

/* The values of the properties. */
typedef struct
{
  gdouble factor;
  TimePitch pitch;
  TimeDSPInterpolation interpolation;
  guint quality;                /* of sinc */
  gboolean absorb_rate;
  GstTimeScaleAlignment alignment;
  GstRetroStorage storage;
} GstTimeScaleSettings;

void gst_timescale_settings_install (GObjectClass * klass);

void gst_timescale_settings_init (GstTimeScaleSettings * settings);

void gst_timescale_settings_set (GstTimeScaleSettings * settings, guint id,
    const GValue * value);

void gst_timescale_settings_get (const GstTimeScaleSettings * settings, guint id,
    GValue * value);
