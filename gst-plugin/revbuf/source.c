/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "revbuf/gstrevbuf.h"

/* ---- other elements ---------------------------------------------------------- */

/* ---- the walk ---------------------------------------------------------------- */

/* The bits for gst_retro_walk() (padwalk.h). Each name says how far upstream we look. */
enum
{
  /* we look for flushing pads up to the next revbuf, because the flushes of its
   * own fetches don't arrive at our sink pad */
  UP_TO_OUR_ELEMENT = 1 << 0,
  UP_TO_ANSWER = 1 << 1,
  UP_TO_SOURCE = 1 << 2
};

/* Inactive pads are flushing, too. We ignore them, because they don't send any flush events. */
static void
source_look_at_pad (GstPad * pad, guint questions, GstRevBufNeighbours * source)
{
  GST_RETRO_AUTO_LOCK (pad);

  source->is_pulled |= GST_PAD_MODE (pad) == GST_PAD_MODE_PULL;
  if (questions & UP_TO_OUR_ELEMENT)
    source->is_flushing |= GST_PAD_IS_FLUSHING (pad)
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

static guint
source_visit (GstPad * pad, GstElement * element, guint questions,
    gpointer data)
{
  GstRevBufNeighbours *source = data;

  source_look_at_pad (pad, questions, source);
  if ((questions & UP_TO_ANSWER)
      && !gst_retro_look_for_answer (pad, element, &source->lacks_ranges))
    questions &= ~UP_TO_ANSWER;
  if (element == NULL)
    return questions;
  /* we visit the elements in bins */
  if (!GST_IS_BIN (element))
    source_look_at_branches (element, source);
  source->refuses_segments |= gst_retro_refuses_segment_seeks (element);
  source->cuts_frames |= gst_retro_cuts_frames (element);
  return GST_IS_REVBUF (element) ? questions & ~UP_TO_OUR_ELEMENT : questions;
}

GstRevBufNeighbours
gst_revbuf_examine (GstPad * sinkpad)
{
  const guint all = UP_TO_OUR_ELEMENT | UP_TO_ANSWER | UP_TO_SOURCE;
  GstRevBufNeighbours source = {.is_pulled = FALSE };

  source_look_at_pad (sinkpad, all, &source);
  gst_retro_walk (sinkpad, source_visit, all, &source);
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
