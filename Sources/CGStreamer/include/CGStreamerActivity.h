/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tells whether data still passes through a pipeline. Some files make a demuxer read the same
 * bytes for ever without posting an error.
 */

#ifndef RETROGRADE_CGSTREAMER_ACTIVITY_H
#define RETROGRADE_CGSTREAMER_ACTIVITY_H

#include <gst/gst.h>

/* A counter that goes up whenever data passes. It's atomic and reference-counted. */
gint *cgst_activity_new (void);
void cgst_activity_unref (gint * activity);
gint cgst_activity_get (gint * activity);

/* From now on, @activity rises with each buffer that arrives at a sink of @pipeline, and with
 * each read from a source, until we've read twice as much as the source has. */
void cgst_watch_activity (gpointer pipeline, gint * activity);

/* Stops just the sinks, without waiting for the threads of other elements. Nothing more is
 * written once it returns. */
void cgst_stop_sinks (gpointer pipeline);

#endif
