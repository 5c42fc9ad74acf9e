/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * timescale. A TimeScale, in Swift, decides. gsttimescale.c: the element, seeks and queries.
 * properties.c: properties. play.c: performs the actions of the session.
 */

#pragma once

#include "common/properties.h"
#include "common/gstretrofilter.h"

#include <timescale.h>

/* The values of the properties. */
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
  TimeScale *session;           /* NULL: there was no memory for it */

  /* streaming thread */
  GstRetroStore *store;         /* alignment=endpoints; NULL before the first frame */
  GstSegment in;                /* of the input */
};

/* ---- properties.c -------------------------------------------------------- */

/* Installs the properties, and sets the functions that set and read them. */
void gst_timescale_properties_class_init (GObjectClass * klass);

/* Sets all properties to their defaults. */
void gst_timescale_properties_init (GstTimeScale * self);

/* ---- play.c -------------------------------------------------------------- */

/* Sets the functions of @klass that handle the stream. */
void gst_timescale_play_class_init (GstRetroFilterClass * klass);
