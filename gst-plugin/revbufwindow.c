/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "revbufwindow.h"

static void
block_free (gpointer block)
{
  rev_buf_take_free (((RevBufBlock *) block)->take);
  g_free (block);
}

void
rev_buf_window_init (RevBufWindow * window)
{
  g_queue_init (&window->blocks);
}

void
rev_buf_window_clear (RevBufWindow * window)
{
  g_queue_clear_full (&window->blocks, block_free);
}

RevBufBlock *
rev_buf_window_lowest (const RevBufWindow * window)
{
  return window->blocks.head ? window->blocks.head->data : NULL;
}

RevBufBlock *
rev_buf_window_highest (const RevBufWindow * window)
{
  return window->blocks.tail ? window->blocks.tail->data : NULL;
}

static gint64
end_place (const RevBufBlock * block)
{
  return block->place + (gint64) block->n_frames;
}

static GList *
find_link (const RevBufWindow * window, gint64 place)
{
  GList *link;

  for (link = window->blocks.head; link != NULL; link = link->next) {
    RevBufBlock *block = link->data;

    if (place >= block->place && place < end_place (block))
      return link;
  }
  return NULL;
}

RevBufBlock *
rev_buf_window_find (const RevBufWindow * window, gint64 place)
{
  GList *link = find_link (window, place);

  return link ? link->data : NULL;
}

guint
rev_buf_window_count_below (const RevBufWindow * window, gint64 place)
{
  GList *link;
  guint n = 0;

  for (link = window->blocks.head; link != NULL; link = link->next)
    n += end_place (link->data) <= place;
  return n;
}

guint
rev_buf_window_count_above (const RevBufWindow * window, gint64 place)
{
  GList *link;
  guint n = 0;

  for (link = window->blocks.tail; link != NULL; link = link->prev)
    n += ((RevBufBlock *) link->data)->place > place;
  return n;
}

gboolean
rev_buf_window_place_of (const RevBufWindow * window, gint64 frame,
    gint64 * place)
{
  GList *link;

  for (link = window->blocks.head; link != NULL; link = link->next) {
    RevBufBlock *block = link->data;

    if (frame >= block->first_frame && frame <= block->end_frame) {
      /* there may be more frames than timestamps say */
      *place = frame == block->end_frame ? end_place (block) :
          MIN (block->place + (frame - block->first_frame), end_place (block));
      return TRUE;
    }
  }
  return FALSE;
}

gint64
rev_buf_window_frame_at (const RevBufWindow * window, gint64 place)
{
  RevBufBlock *block = rev_buf_window_find (window, place);

  if (block == NULL)
    block = rev_buf_window_highest (window);
  if (block == NULL)
    return 0;
  if (place >= end_place (block))
    return block->end_frame;
  return MIN (block->first_frame + MAX (place - block->place, 0),
      block->end_frame);
}

/* What a take is in the stream. */
static gint64
end_frame_of (const RevBufTake * take)
{
  return take->at_end ? take->next_frame : take->fetch.end_frame;
}

RevBufBlock *
rev_buf_window_add (RevBufWindow * window, RevBufTake * take,
    TimeDSPDirection direction, gsize cut)
{
  RevBufBlock *lowest = rev_buf_window_lowest (window);
  RevBufBlock *highest = rev_buf_window_highest (window);
  RevBufBlock *block = g_new0 (RevBufBlock, 1);

  block->take = take;
  block->n_frames = take->n_frames;
  block->first_frame = MAX (take->fetch.first_frame, take->first_frame);
  block->end_frame = end_frame_of (take);
  block->at_end = take->at_end;

  if (lowest == NULL) {
    block->place = block->first_frame;
    g_queue_push_head (&window->blocks, block);
  } else if (direction == TIMEDSP_BACKWARD) {
    block->n_frames = MIN (cut, take->n_frames);
    block->end_frame = lowest->first_frame;
    block->at_end = FALSE;
    block->place = lowest->place - (gint64) block->n_frames;
    g_queue_push_head (&window->blocks, block);
  } else {
    block->skip_frames = MIN (cut, take->n_frames);
    block->n_frames -= block->skip_frames;
    block->first_frame = highest->end_frame;
    block->end_frame = MAX (block->end_frame, block->first_frame);
    block->confirmed = TRUE;
    block->place = end_place (highest);
    g_queue_push_tail (&window->blocks, block);
  }
  return block;
}

void
rev_buf_window_drop_lowest (RevBufWindow * window)
{
  gpointer block = g_queue_pop_head (&window->blocks);

  if (block != NULL)
    block_free (block);
}

void
rev_buf_window_drop_highest (RevBufWindow * window)
{
  gpointer block = g_queue_pop_tail (&window->blocks);

  if (block != NULL)
    block_free (block);
}

guint8 *
rev_buf_block_at (const RevBufBlock * block, guint plane, gint64 place)
{
  return rev_buf_take_at (block->take, plane,
      block->skip_frames + (gsize) (place - block->place));
}
