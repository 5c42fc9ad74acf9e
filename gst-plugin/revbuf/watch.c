/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "revbuf/watch.h"
#include "common/gstretrofilter.h"
#include "common/padwalk.h"

/* Time without progress after which the warning is posted. */
#define PATIENCE_SECONDS 5

typedef struct
{
  GWeakRef element;             /* weak, because a clock may keep this watch for a while
                                 * after it has been stopped */
  GstRevBufWatchFunc look;
  gpointer owner;
  GstRevBufWait before;
  guint seconds;                /* duration of the wait without progress */
  gboolean told;
} Watch;

static void
watch_free (gpointer data)
{
  Watch *watch = data;

  g_weak_ref_clear (&watch->element);
  g_free (watch);
}

/* Whether the pipeline of @element is in PAUSED, and not on the way to another state. */
static gboolean
rests (GstElement * element)
{
  g_autoptr (GstObject) pipeline = gst_retro_pipeline_of (GST_OBJECT (element));
  GST_RETRO_AUTO_LOCK (pipeline);

  return GST_STATE (pipeline) == GST_STATE_PAUSED
      && GST_STATE_PENDING (pipeline) == GST_STATE_VOID_PENDING;
}

static void
look_at (Watch * watch, GstElement * element)
{
  GstRevBufWait now = { NULL, 0 };

  if (!rests (element))
    watch->look (watch->owner, &now);
  if (now.advice != NULL && now.advice == watch->before.advice
      && now.progress == watch->before.progress)
    watch->seconds++;
  else
    watch->seconds = 0;
  if (watch->seconds >= PATIENCE_SECONDS && !watch->told) {
    watch->told = TRUE;
    GST_ELEMENT_WARNING (element, RESOURCE, READ,
        ("%s has made no progress for %d s: if another branch shares its "
            "source, %s.", GST_OBJECT_NAME (element), PATIENCE_SECONDS,
            now.advice), (NULL));
  }
  watch->before = now;
}

static gboolean
look (GstClock * clock, GstClockTime time, GstClockID id, gpointer data)
{
  Watch *watch = data;
  g_autoptr (GstElement) element = g_weak_ref_get (&watch->element);

  if (element != NULL)
    look_at (watch, element);
  return element != NULL;
}

GstClockID
gst_revbuf_watch_start (GstElement * element, GstRevBufWatchFunc func,
    gpointer owner)
{
  g_autoptr (GstClock) clock = gst_system_clock_obtain ();
  GstClockID id = gst_clock_new_periodic_id (clock, gst_clock_get_time (clock)
      + GST_SECOND, GST_SECOND);
  Watch *watch = g_new0 (Watch, 1);

  g_weak_ref_init (&watch->element, element);
  watch->look = func;
  watch->owner = owner;
  gst_clock_id_wait_async (id, look, watch, watch_free);
  return id;
}

void
gst_revbuf_watch_stop (GstClockID id)
{
  if (id == NULL)
    return;
  gst_clock_id_unschedule (id);
  gst_clock_id_unref (id);
}
