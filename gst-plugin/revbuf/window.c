/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "revbuf/window.h"

#include <string.h>
#include <timedsp.h>

#define PASS(window, n) (&g_array_index ((window)->passes, GstRevBufPass, n))
#define LAST_PASS(window) PASS (window, (window)->passes->len - 1)

gboolean
gst_revbuf_window_init (GstRevBufWindow * window,
    const TimeBlocksFormat * format, gint64 capacity_frames)
{
  gst_revbuf_window_clear (window);
  window->format = *format;
  window->capacity_frames = capacity_frames;
  window->samples = g_try_malloc (capacity_frames * format->planes *
      format->stride_bytes);
  window->passes = g_array_new (FALSE, FALSE, sizeof (GstRevBufPass));
  return window->samples != NULL;
}

void
gst_revbuf_window_clear (GstRevBufWindow * window)
{
  g_clear_pointer (&window->samples, g_free);
  g_clear_pointer (&window->passes, g_array_unref);
}

void
gst_revbuf_window_reset (GstRevBufWindow * window, gint64 place, gint64 frame,
    gint step)
{
  GstRevBufPass pass = {.first = place,.frame = frame,.step = step };

  window->first = window->end = place;
  g_array_set_size (window->passes, 0);
  g_array_append_val (window->passes, pass);
}

guint8 *
gst_revbuf_window_plane (const GstRevBufWindow * window, guint p, gint64 place)
{
  return window->samples + (p * window->capacity_frames + place -
      window->first) * window->format.stride_bytes;
}

/* ---- passes --------------------------------------------------------------------- */

GstRevBufPass
gst_revbuf_window_pass (const GstRevBufWindow * window, gint64 place)
{
  guint n = window->passes->len - 1;

  while (n > 0 && PASS (window, n)->first > place)
    n--;
  return *PASS (window, n);
}

static gint64
window_frame_of (const GstRevBufPass * pass, gint64 place)
{
  return pass->frame + (place - pass->first) * pass->step;
}

gint64
gst_revbuf_window_frame (const GstRevBufWindow * window, gint64 place)
{
  GstRevBufPass pass = gst_revbuf_window_pass (window, place);

  return window_frame_of (&pass, place);
}

gint
gst_revbuf_window_edge (const GstRevBufWindow * window, gint side,
    gint64 * boundary)
{
  gint64 place = side > 0 ? window->end : window->first - 1;
  GstRevBufPass pass = gst_revbuf_window_pass (window, place);
  gint direction = side * pass.step;

  *boundary = window_frame_of (&pass, place) + (direction < 0);
  return direction;
}

/* Drops the passes that have no frames in the window. */
static void
window_drop_passes (GstRevBufWindow * window)
{
  GArray *passes = window->passes;
  guint n = 0;

  while (n + 1 < passes->len && PASS (window, n + 1)->first <= window->first)
    n++;
  g_array_remove_range (passes, 0, n);
  for (n = passes->len; n > 1 && PASS (window, n - 1)->first >= window->end;)
    n--;
  g_array_set_size (passes, n);
}

/* Notes that @place, at @side, has @frame. If @frame doesn't follow its neighbour, another pass
 * begins. */
static void
window_add_pass (GstRevBufWindow * window, gint64 place, gint64 frame,
    gint step, gint side)
{
  GstRevBufPass *outer = side > 0 ? LAST_PASS (window) : PASS (window, 0);
  GstRevBufPass pass = {.first = place,.frame = frame,.step = step };

  if (outer->step == step && window_frame_of (outer, place) == frame)
    return;
  if (side > 0) {
    g_array_append_val (window->passes, pass);
  } else {
    outer->frame = window_frame_of (outer, place + 1);
    outer->first = place + 1;
    g_array_prepend_val (window->passes, pass);
  }
}

/* ---- frames --------------------------------------------------------------------- */

/* Adds @n places at @side. Their samples aren't set yet. */
static void
window_make_room (GstRevBufWindow * window, gint64 n, gint side)
{
  gint64 size = window->end - window->first, from;
  gsize stride = window->format.stride_bytes;
  guint p;

  /* drop half at once, because what's left has to be moved */
  if (size + n > window->capacity_frames)
    size = window->capacity_frames / 2;
  from = side > 0 ? window->end - size : window->first;
  for (p = 0; p < window->format.planes; p++)
    memmove (gst_revbuf_window_plane (window, p,
            window->first + (side < 0 ? n : 0)),
        gst_revbuf_window_plane (window, p, from), size * stride);
  window->first = side > 0 ? from : from - n;
  window->end = window->first + size + n;
}

void
gst_revbuf_window_add (GstRevBufWindow * window, const TimeBlocksSpan * span,
    gint direction, gint side)
{
  gint64 n = span->frames;
  gsize stride = window->format.stride_bytes;
  gint64 first;
  guint p;

  window_make_room (window, n, side);
  first = side > 0 ? window->end - n : window->first;
  for (p = 0; p < window->format.planes; p++) {
    const guint8 *from = (const guint8 *) span->samples + p * span->plane_bytes;
    guint8 *to = gst_revbuf_window_plane (window, p, first);

    if (direction == side)
      memcpy (to, from, n * stride);
    else
      timedsp_reverse (from, to, n, stride);
  }
  window_add_pass (window, side > 0 ? first : first + n - 1,
      direction > 0 ? span->frame : span->frame + n - 1, direction * side,
      side);
  window_drop_passes (window);
}
