/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "revbufseqnums.h"

static GMutex lock;
static GHashTable *seqnums;     /* owner → GUINT_TO_POINTER; NULL: nobody */

void
rev_buf_seqnums_set (gconstpointer owner, guint32 seqnum)
{
  g_mutex_lock (&lock);
  if (seqnums == NULL)
    seqnums = g_hash_table_new (NULL, NULL);
  g_hash_table_insert (seqnums, (gpointer) owner, GUINT_TO_POINTER (seqnum));
  g_mutex_unlock (&lock);
}

void
rev_buf_seqnums_remove (gconstpointer owner)
{
  g_mutex_lock (&lock);
  if (seqnums != NULL)
    g_hash_table_remove (seqnums, owner);
  if (seqnums != NULL && g_hash_table_size (seqnums) == 0)
    g_clear_pointer (&seqnums, g_hash_table_unref);
  g_mutex_unlock (&lock);
}

gboolean
rev_buf_seqnums_contain (guint32 seqnum)
{
  GHashTableIter iter;
  gpointer value;
  gboolean found = FALSE;

  g_mutex_lock (&lock);
  if (seqnums != NULL) {
    g_hash_table_iter_init (&iter, seqnums);
    while (!found && g_hash_table_iter_next (&iter, NULL, &value))
      found = GPOINTER_TO_UINT (value) == seqnum;
  }
  g_mutex_unlock (&lock);
  return found;
}
