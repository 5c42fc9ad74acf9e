/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "common/progress.h"

static void
post (GstRetroProgress * progress, GstElement * element, GstProgressType type)
{
  gchar *text;

  if (progress->percent >= 0)
    text = g_strdup_printf ("%s: %d %%", progress->text, progress->percent);
  else
    text = g_strdup (progress->text);
  gst_element_post_message (element,
      gst_message_new_progress (GST_OBJECT (element), type, progress->code,
          text));
  g_free (text);
}

void
gst_retro_progress_update (GstRetroProgress * progress, GstElement * element,
    const gchar * code, const gchar * text, guint64 done, guint64 total)
{
  gint percent = -1;
  gboolean start = g_strcmp0 (progress->code, code) != 0;

  /* an estimated total may be too low: only the end posts 100 % */
  if (total > 0)
    percent = MIN (gst_util_uint64_scale (done, 100, total), 99);
  if (!start && percent <= progress->percent)
    return;

  if (start)
    gst_retro_progress_end (progress, element, GST_PROGRESS_TYPE_COMPLETE);
  progress->code = code;
  progress->text = text;
  progress->percent = percent;
  post (progress, element,
      start ? GST_PROGRESS_TYPE_START : GST_PROGRESS_TYPE_CONTINUE);
}

void
gst_retro_progress_end (GstRetroProgress * progress, GstElement * element,
    GstProgressType how)
{
  if (progress->code == NULL)
    return;
  if (how == GST_PROGRESS_TYPE_COMPLETE)
    progress->percent = 100;
  post (progress, element, how);
  progress->code = NULL;
}
