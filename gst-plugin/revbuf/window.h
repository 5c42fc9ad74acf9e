/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * window: the frames around the current position, in the order that the tape plays them at a
 * positive speed. Loops are unrolled: their passes follow each other, so the tape can resample
 * across a marker.
 *
 * Terms
 *   place   the number of a frame in that order
 *   frame   its number in the stream
 *   side    1: after the window, -1: before it
 */

#pragma once

#include <gst/gst.h>
#include <timeblocks.h>

/* Consecutive frames: place `first` has frame `frame`, the next one frame `frame` + `step`. */
typedef struct
{
  gint64 first;
  gint64 frame;
  gint step;                    /* 1 or -1 */
} GstRevBufPass;

typedef struct
{
  TimeBlocksFormat format;
  guint8 *samples;              /* (nullable) one plane after another */
  gint64 capacity_frames;
  gint64 first, end;            /* places */
  GArray *passes;               /* (nullable) (element-type GstRevBufPass) never empty */
} GstRevBufWindow;

/* Makes an empty window. Returns FALSE if memory can't be allocated. */
gboolean gst_revbuf_window_init (GstRevBufWindow * window,
    const TimeBlocksFormat * format, gint64 capacity_frames);

void gst_revbuf_window_clear (GstRevBufWindow * window);

/* Empties the window. @frame will be at @place, and the following frames go in direction
 * @step. */
void gst_revbuf_window_reset (GstRevBufWindow * window, gint64 place,
    gint64 frame, gint step);

/* The pass that contains @place. */
GstRevBufPass gst_revbuf_window_pass (const GstRevBufWindow * window,
    gint64 place);

gint64 gst_revbuf_window_frame (const GstRevBufWindow * window, gint64 place);

/* Sets @boundary to where in the stream the blocks have to read to extend the window at @side.
 * Returns the direction. */
gint gst_revbuf_window_edge (const GstRevBufWindow * window, gint side,
    gint64 * boundary);

/* Adds @span, which was read in @direction, at @side. If there's no room, drops frames at the
 * other side. */
void gst_revbuf_window_add (GstRevBufWindow * window,
    const TimeBlocksSpan * span, gint direction, gint side);

/* The address of @place in plane @p. */
guint8 *gst_revbuf_window_plane (const GstRevBufWindow * window, guint p,
    gint64 place);
