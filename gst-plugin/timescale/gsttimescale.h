/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * timescale: the element. A TimeScale session (timescale.h) decides what to do with the
 * input; play.c performs its actions.
 */

#pragma once

#include "common/properties.h"
#include "common/gstretrofilter.h"

#include <timescale.h>

typedef struct
{
  TimeScaleSettings scale;
  GstRetroStorage storage;
} GstTimeScaleSettings;

#define GST_TYPE_TIMESCALE (gst_timescale_get_type ())
G_DECLARE_FINAL_TYPE (GstTimeScale, gst_timescale, GST, TIMESCALE,
    GstRetroFilter);

struct _GstTimeScale
{
  GstRetroFilter parent;

  /* under the object lock */
  GstTimeScaleSettings settings;
  TimeScale *session;           /* NULL: memory could not be allocated */

  /* streaming thread */
  GstRetroStore *store;         /* for alignment=endpoints; NULL before the first frame */
  GstSegment in;                /* the input segment */
};

/* ---- properties.c -------------------------------------------------------- */

/* Installs the properties, and sets set_property() and get_property(). */
void gst_timescale_properties_class_init (GObjectClass * klass);

/* Sets all properties to their defaults. */
void gst_timescale_properties_init (GstTimeScale * self);

/* ---- play.c -------------------------------------------------------------- */

/* Sets the streaming functions of @klass. */
void gst_timescale_play_class_init (GstRetroFilterClass * klass);
