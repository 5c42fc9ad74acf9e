/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The watch: warns the application if a pipeline waits for itself: another branch
 * waits for revbuf, revbuf for upstream, and upstream for that branch.
 */

#pragma once

#include <gst/gst.h>

/* The state of a wait. */
typedef struct
{
  /* Advice to the user, after "if …, "; a literal. NULL: there is no wait. */
  const gchar *advice;
  guint progress;               /* changes whenever something moves */
} GstRevBufWait;

/* Called every second, in the clock's thread. */
typedef void (*GstRevBufWatchFunc) (gpointer owner, GstRevBufWait * wait);

/* Posts a warning, once, if nothing moves for some seconds during a wait, unless the
 * whole pipeline rests in PAUSED. @owner belongs to @element, which need not outlive
 * the watch. */
GstClockID gst_revbuf_watch_start (GstElement * element,
    GstRevBufWatchFunc look, gpointer owner);

/* Ends the watch @id (transfer full) (nullable). */
void gst_revbuf_watch_stop (GstClockID id);
