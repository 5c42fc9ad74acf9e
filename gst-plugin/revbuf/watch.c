/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "revbuf/gstrevbuf.h"

/* We post the warning after this long without progress. */
#define PATIENCE_SECONDS 5

#define SPLIT "give the audio a source of its own, or reverse it before the stream is split " \
    "(to play a film backwards, seek with a negative rate)"
#define QUEUE "put a queue with max-size-buffers=0 max-size-bytes=0 max-size-time=0 before " \
    "that branch"

typedef struct
{
  GWeakRef element;             /* weak, because a clock may keep this watch for a while
                                 * after it has been stopped */
  const gchar *advice;          /* from when we last looked */
  guint progress;
  guint seconds;                /* without progress */
  gboolean told;
} Watch;

static void
watch_free (gpointer data)
{
  Watch *watch = data;

  g_weak_ref_clear (&watch->element);
  g_free (watch);
}

/* Advice for when another element and this one are waiting for each other. NULL: it isn't
 * waiting. The end of a block may be late because another branch of the source plays in real
 * time. */
static const gchar *
watch_advice_for (GstRevBuf * self, guint * progress)
{
  gboolean is_active, is_waiting, is_held, is_collecting;

  g_mutex_lock (&self->lock);
  is_active = self->is_active;
  is_waiting = self->in.upstream != UPSTREAM_PARKED;
  is_held = is_active && !is_waiting && !self->in.is_let_go;
  *progress = is_active ? self->changes :
      (guint) g_atomic_int_get (&self->progress);
  g_mutex_unlock (&self->lock);
  if (is_held)
    is_waiting = gst_revbuf_examine (self->sinkpad).is_shared;
  GST_OBJECT_LOCK (self);
  is_collecting = !is_active && self->stream_mode == GST_REVBUF_COLLECT;
  if (!is_active)
    is_waiting = self->stream_mode == GST_REVBUF_HOLD;
  GST_OBJECT_UNLOCK (self);
  if (is_waiting)
    return SPLIT;
  /* we aren't waiting while we send what we've collected, which takes as long
   * as playing it */
  if (!is_collecting || !GST_PAD_STREAM_TRYLOCK (self->srcpad))
    return NULL;
  GST_PAD_STREAM_UNLOCK (self->srcpad);
  return QUEUE;
}

static gboolean
watch_look (GstClock * clock, GstClockTime time, GstClockID id, gpointer data)
{
  Watch *watch = data;
  g_autoptr (GstRevBuf) self = g_weak_ref_get (&watch->element);
  g_autoptr (GstObject) pipeline = NULL;
  const gchar *advice = NULL;
  guint progress = 0;
  gboolean rests;

  if (self == NULL)
    return FALSE;
  pipeline = gst_retro_pipeline_of (GST_OBJECT (self));
  GST_OBJECT_LOCK (pipeline);
  rests = GST_STATE (pipeline) == GST_STATE_PAUSED
      && GST_STATE_PENDING (pipeline) == GST_STATE_VOID_PENDING;
  GST_OBJECT_UNLOCK (pipeline);
  if (!rests)
    advice = watch_advice_for (self, &progress);

  if (advice != NULL && advice == watch->advice && progress == watch->progress)
    watch->seconds++;
  else
    watch->seconds = 0;
  watch->advice = advice;
  watch->progress = progress;
  if (watch->seconds < PATIENCE_SECONDS || watch->told)
    return TRUE;
  watch->told = TRUE;
  GST_REVBUF_WARN (self, RESOURCE, READ, "no-progress",
      "%s has made no progress for %d s: if another branch shares its source, "
      "%s.", GST_OBJECT_NAME (self), PATIENCE_SECONDS, advice);
  return TRUE;
}

GstClockID
gst_revbuf_watch_start (GstRevBuf * self)
{
  g_autoptr (GstClock) clock = gst_system_clock_obtain ();
  GstClockID id = gst_clock_new_periodic_id (clock, gst_clock_get_time (clock)
      + GST_SECOND, GST_SECOND);
  Watch *watch = g_new0 (Watch, 1);

  g_weak_ref_init (&watch->element, self);
  gst_clock_id_wait_async (id, watch_look, watch, watch_free);
  return id;
}
