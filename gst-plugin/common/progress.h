/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * progress: GST_MESSAGE_PROGRESS with whole percents.
 */

#ifndef GST_RETRO_PROGRESS_H
#define GST_RETRO_PROGRESS_H

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct
{
  const gchar *code;            /* what is under way, for programs; NULL: nothing */
  const gchar *text;            /* the same for people */
  gint percent;                 /* told last */
} GstRetroProgress;

/* Tells @element's bus that @done of @total are done; the first call for
 * @code starts it. Posts when the whole percent has changed. @total 0: not
 * known. */
void gst_retro_progress_update (GstRetroProgress * progress, GstElement * element,
    const gchar * code, const gchar * text, guint64 done, guint64 total);

/* Ends what is under way, if anything, with COMPLETE, CANCELED or ERROR. */
void gst_retro_progress_end (GstRetroProgress * progress, GstElement * element,
    GstProgressType how);

G_END_DECLS
#endif /* GST_RETRO_PROGRESS_H */
