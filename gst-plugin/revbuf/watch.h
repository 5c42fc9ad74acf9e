/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The watch warns the application of a deadlock in its pipeline: another branch waits for
 * revbuf, revbuf waits for upstream, and upstream waits for that branch.
 */

#pragma once

#include <gst/gst.h>

typedef struct
{
  /* Advice to the user, after "if …, "; a literal. NULL: there is no wait. */
  const gchar *advice;
  guint progress;               /* changes whenever something moves */
} GstRevBufWait;

/* Sets @wait to the wait of @owner at this moment. Called every second, in the thread of
 * the system clock. */
typedef void (*GstRevBufWatchFunc) (gpointer owner, GstRevBufWait * wait);

/* Starts a watch. It posts a warning, once, if a wait lasts for 5 s without progress. Time
 * in which the whole pipeline is in PAUSED does not count. @owner must exist as long as
 * @element does; @element may be freed before the watch ends. */
GstClockID gst_revbuf_watch_start (GstElement * element,
    GstRevBufWatchFunc look, gpointer owner);

/* Ends the watch @id (transfer full) (nullable). */
void gst_revbuf_watch_stop (GstClockID id);
