/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The watch: tells the application if a pipeline waits for itself: another branch
 * waits for revbuf, revbuf for upstream, and upstream for that branch.
 */

#pragma once

#include <gst/gst.h>

/* What a wait looks like. */
typedef struct
{
  /* What to do about it, after "if …, "; a literal. NULL: nobody waits. */
  const gchar *advice;
  guint progress;               /* changes whenever something moves */
} GstRevBufWait;

/* Called every second, in the clock's thread. */
typedef void (*GstRevBufWatchFunc) (gpointer owner, GstRevBufWait * wait);

/* Posts a warning, once, where nothing moves for some seconds while somebody
 * waits, unless the whole pipeline rests in PAUSED. @owner belongs to @element,
 * which need not outlive the watch. */
GstClockID gst_revbuf_watch_start (GstElement * element,
    GstRevBufWatchFunc look, gpointer owner);

/* Takes @id, which may be NULL. */
void gst_revbuf_watch_stop (GstClockID id);
