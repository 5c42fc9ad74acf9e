/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "revbuf/gstrevbuf.h"

/* ---- the elements upstream --------------------------------------------------- */

/* Inactive pads are flushing, too. We ignore them, because they don't send any flush events. The
 * flushes of another revbuf's fetches don't arrive at our sink pad. */
static void
source_look_at_pad (GstPad * pad, GstRevBufNeighbours * source)
{
  GST_RETRO_AUTO_LOCK (pad);

  source->is_pulled |= GST_PAD_MODE (pad) == GST_PAD_MODE_PULL;
  source->is_flushing |= !source->has_revbuf && GST_PAD_IS_FLUSHING (pad)
      && GST_PAD_IS_ACTIVE (pad);
}

static void
source_look_at_branches (GstElement * element, GstRevBufNeighbours * source)
{
  gboolean demuxes = gst_retro_element_is_a (element, "Demux");
  guint linked = 0;
  GList *pad;
  GST_RETRO_AUTO_LOCK (element);

  /* elements with several sink pads, such as multiqueue and streamsynchronizer, don't split
   * a stream */
  for (pad = element->numsinkpads > 1 ? NULL : element->srcpads; pad != NULL;
      pad = pad->next)
    linked += gst_pad_is_linked (pad->data);
  source->has_others |= demuxes && element->numsrcpads > 1;
  source->is_shared |= linked > 1;
  source->ends_together |= linked > 1 && !demuxes;
}

static gboolean
source_visit (GstPad * pad, GstElement * element, gpointer data)
{
  GstRevBufNeighbours *source = data;
  gboolean is_playlist = element != NULL
      && gst_retro_element_is_a (element, "Adaptive");

  source_look_at_pad (pad, source);
  source->lacks_ranges |= !is_playlist && gst_retro_lacks_ranges (pad);
  if (element == NULL)
    return TRUE;
  /* we visit the elements in bins */
  if (!GST_IS_BIN (element))
    source_look_at_branches (element, source);
  source->refuses_segments |= gst_retro_refuses_segment_seeks (element);
  source->cuts_frames |= gst_retro_cuts_frames (element);
  source->has_revbuf |= GST_IS_REVBUF (element);
  /* seeks go to the files in a playlist, which may be on another server */
  return !is_playlist;
}

GstRevBufNeighbours
gst_revbuf_examine (GstPad * sinkpad)
{
  GstRevBufNeighbours source = {.is_pulled = FALSE };

  source_look_at_pad (sinkpad, &source);
  gst_retro_walk (sinkpad, source_visit, &source);
  source.ends_segments = source.is_pulled && !source.refuses_segments;
  source.is_held = !source.ends_segments && !source.is_shared
      && !source.has_others;
  return source;
}

/* ---- seeks ----------------------------------------------------------------- */

static void
source_mutex_free (gpointer mutex)
{
  g_mutex_clear (mutex);
  g_free (mutex);
}

GMutex *
gst_revbuf_source_seeks_of (GstObject * pipeline)
{
  GQuark key = g_quark_from_static_string ("retrograde-seeks");
  GMutex *mutex = g_new0 (GMutex, 1);

  g_mutex_init (mutex);
  if (!g_object_replace_qdata (G_OBJECT (pipeline), key, NULL, mutex,
          source_mutex_free, NULL))
    source_mutex_free (mutex);
  return g_object_get_qdata (G_OBJECT (pipeline), key);
}
