/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "revbuf/seekregister.h"

/* More than a seek in a file takes. */
#define MOST_WAIT_US (G_USEC_PER_SEC / 10)

typedef struct
{
  guint32 last, before;         /* numbers; GST_SEQNUM_INVALID: none */
  gconstpointer pipeline;       /* in which a seek is going on; NULL: none is */
} Seeks;

static GMutex lock;
static GCond ended;
static GHashTable *seekers;     /* element → Seeks; NULL: there are none */

static gconstpointer
pipeline_of (GstElement * element)
{
  GstObject *top = gst_object_ref (GST_OBJECT (element)), *parent;
  gconstpointer pipeline;

  while ((parent = gst_object_get_parent (top)) != NULL) {
    gst_object_unref (top);
    top = parent;
  }
  pipeline = top;
  gst_object_unref (top);
  return pipeline;
}

static gboolean
is_any_in (gconstpointer pipeline)
{
  GHashTableIter iter;
  gpointer seeks;

  g_hash_table_iter_init (&iter, seekers);
  while (g_hash_table_iter_next (&iter, NULL, &seeks))
    if (((Seeks *) seeks)->pipeline == pipeline)
      return TRUE;
  return FALSE;
}

/* Makes them where there are none. */
static Seeks *
seeks_of (GstElement * element)
{
  Seeks *seeks;

  if (seekers == NULL)
    seekers = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  seeks = g_hash_table_lookup (seekers, element);
  if (seeks == NULL) {
    seeks = g_new0 (Seeks, 1);
    g_hash_table_insert (seekers, element, seeks);
  }
  return seeks;
}

void
gst_revbuf_seek_register_begin (GstElement * element, guint32 seqnum)
{
  gconstpointer pipeline = pipeline_of (element);
  gint64 end_us = g_get_monotonic_time () + MOST_WAIT_US;
  gboolean in_time = TRUE;
  Seeks *seeks;

  g_mutex_lock (&lock);
  seeks = seeks_of (element);
  while (in_time && is_any_in (pipeline))
    in_time = g_cond_wait_until (&ended, &lock, end_us);
  seeks->before = seeks->last;
  seeks->last = seqnum;
  seeks->pipeline = pipeline;
  g_mutex_unlock (&lock);
}

void
gst_revbuf_seek_register_end (GstElement * element)
{
  g_mutex_lock (&lock);
  seeks_of (element)->pipeline = NULL;
  g_cond_broadcast (&ended);
  g_mutex_unlock (&lock);
}

void
gst_revbuf_seek_register_forget (GstElement * element)
{
  g_mutex_lock (&lock);
  if (seekers != NULL)
    g_hash_table_remove (seekers, element);
  if (seekers != NULL && g_hash_table_size (seekers) == 0)
    g_clear_pointer (&seekers, g_hash_table_unref);
  g_mutex_unlock (&lock);
}

gboolean
gst_revbuf_seek_register_is_of_another (GstElement * element, guint32 seqnum)
{
  GHashTableIter iter;
  gpointer other, value;
  gboolean found = FALSE;

  g_mutex_lock (&lock);
  if (seekers != NULL) {
    g_hash_table_iter_init (&iter, seekers);
    while (!found && g_hash_table_iter_next (&iter, &other, &value)) {
      const Seeks *seeks = value;

      found = other != element
          && (seeks->last == seqnum || seeks->before == seqnum);
    }
  }
  g_mutex_unlock (&lock);
  return found;
}
