/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * progress: GST_MESSAGE_PROGRESS in whole percent.
 */

#ifndef GST_RETRO_PROGRESS_H
#define GST_RETRO_PROGRESS_H

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct
{
  const gchar *code;            /* current work, for programs; NULL: none */
  const gchar *text;            /* the same for people */
  gint percent;                 /* posted last; -1: unknown */
} GstRetroProgress;

/* Posts on the bus of @element that @done of @total are done (@total 0: unknown), if
 * the percentage has changed. The first call for @code posts START. */
void gst_retro_progress_update (GstRetroProgress * progress, GstElement * element,
    const gchar * code, const gchar * text, guint64 done, guint64 total);

/* Ends the current work, if any, with COMPLETE, CANCELED or ERROR. */
void gst_retro_progress_end (GstRetroProgress * progress, GstElement * element,
    GstProgressType how);

G_END_DECLS
#endif /* GST_RETRO_PROGRESS_H */
