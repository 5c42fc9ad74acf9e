/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "revbuf/sharedsource.h"
#include "common/padwalk.h"
#include "revbuf/format.h"
#include "revbuf/httpsource.h"

/* multiqueue and streamsynchronizer have many sinks and split nothing; bins are judged
 * by the elements inside of them. */
static gboolean
is_splitter (GstElement * element)
{
  guint linked = 0;
  GList *pad;

  if (GST_IS_BIN (element))
    return FALSE;
  GST_RETRO_AUTO_LOCK (element);
  if (element->numsinkpads > 1)
    return FALSE;
  for (pad = element->srcpads; pad != NULL; pad = pad->next)
    linked += gst_pad_is_linked (pad->data);
  return linked > 1;
}

static GstRetroWalk
look_for_splitter (GstPad * pad, GstElement * element)
{
  return element != NULL && is_splitter (element) ? GST_RETRO_WALK_FOUND :
      GST_RETRO_WALK_ON;
}

static GstRetroWalk
look_for_tee (GstPad * pad, GstElement * element)
{
  return element != NULL && is_splitter (element)
      && !gst_retro_element_is_a (element, "Demux") ? GST_RETRO_WALK_FOUND :
      GST_RETRO_WALK_ON;
}

static GstRetroWalk
look_for_other_streams (GstPad * pad, GstElement * element)
{
  guint streams;

  if (element == NULL || GST_IS_BIN (element)
      || !gst_retro_element_is_a (element, "Demux"))
    return GST_RETRO_WALK_ON;
  GST_OBJECT_LOCK (element);
  streams = element->numsrcpads;
  GST_OBJECT_UNLOCK (element);
  return streams > 1 ? GST_RETRO_WALK_FOUND : GST_RETRO_WALK_ON;
}

/* A pad that is not active is flushing as well, but no event of that ever arrives here. */
static gboolean
is_flushing (GstPad * pad)
{
  GST_RETRO_AUTO_LOCK (pad);
  return GST_PAD_IS_FLUSHING (pad) && GST_PAD_IS_ACTIVE (pad);
}

/* The flush of a fetch that another of our elements makes does not arrive here. */
static GstRetroWalk
look_for_flush (GstPad * pad, GstElement * element)
{
  if (is_flushing (pad))
    return GST_RETRO_WALK_FOUND;
  return element != NULL && GST_IS_RETRO_FILTER (element) ?
      GST_RETRO_WALK_BACK : GST_RETRO_WALK_ON;
}

static GstRetroWalk
look_for_other_frames (GstPad * pad, GstElement * element)
{
  GstRetroFilterClass *klass;

  if (element == NULL || !GST_IS_RETRO_FILTER (element))
    return GST_RETRO_WALK_ON;
  klass = GST_RETRO_FILTER_GET_CLASS (element);
  return klass->repeats == NULL || klass->repeats (GST_RETRO_FILTER (element)) ?
      GST_RETRO_WALK_ON : GST_RETRO_WALK_FOUND;
}

static GstRetroWalk
look_for_pull (GstPad * pad, GstElement * element)
{
  return GST_PAD_MODE (pad) == GST_PAD_MODE_PULL ? GST_RETRO_WALK_FOUND :
      GST_RETRO_WALK_ON;
}

static GstRetroWalk
look_for_old_tsdemux (GstPad * pad, GstElement * element)
{
  GstElementFactory *factory =
      element ? gst_element_get_factory (element) : NULL;

  return factory != NULL && g_str_equal (GST_OBJECT_NAME (factory), "tsdemux")
      && !gst_plugin_feature_check_version (GST_PLUGIN_FEATURE (factory), 1, 24,
      0) ? GST_RETRO_WALK_FOUND : GST_RETRO_WALK_ON;
}

/* If a source pushes bytes, the segment is one of bytes, and wavparse ends it without an
 * event. tsdemux before GStreamer 1.24 refuses segments, and leaves the flush open that it has
 * begun for one. */
gboolean
gst_revbuf_source_ends_segments (GstPad * sinkpad)
{
  return gst_retro_walk (sinkpad, look_for_pull)
      && !gst_retro_walk (sinkpad, look_for_old_tsdemux);
}

TimePlaySource
gst_revbuf_source_ask (GstRetroFilter * filter, const GstAudioInfo * info)
{
  g_autoptr (GstQuery) query = gst_query_new_seeking (GST_FORMAT_TIME);
  gboolean seekable = FALSE;

  if (!gst_revbuf_format_has_times (info))
    return TIMEPLAY_SOURCE_LACKS_TIMES;
  if (gst_retro_walk (filter->sinkpad, look_for_other_frames))
    return TIMEPLAY_SOURCE_DIFFERS;
  if (gst_pad_peer_query (filter->sinkpad, query))
    gst_query_parse_seeking (query, NULL, &seekable, NULL, NULL);
  return seekable && !gst_retro_filter_is_live (filter)
      && !gst_revbuf_http_source_lacks_ranges (filter->sinkpad) ?
      TIMEPLAY_SOURCE_SEEKS : TIMEPLAY_SOURCE_REFUSES;
}

gboolean
gst_revbuf_source_is_flushing (GstPad * sinkpad)
{
  return is_flushing (sinkpad) || gst_retro_walk (sinkpad, look_for_flush);
}

gboolean
gst_revbuf_source_is_shared (GstPad * sinkpad)
{
  return gst_retro_walk (sinkpad, look_for_splitter);
}

gboolean
gst_revbuf_source_ends_together (GstPad * sinkpad)
{
  return gst_retro_walk (sinkpad, look_for_tee);
}

gboolean
gst_revbuf_source_is_held (GstPad * sinkpad)
{
  return !gst_revbuf_source_ends_segments (sinkpad)
      && !gst_revbuf_source_is_shared (sinkpad)
      && !gst_revbuf_source_has_others (sinkpad);
}

gboolean
gst_revbuf_source_has_others (GstPad * sinkpad)
{
  return gst_retro_walk (sinkpad, look_for_other_streams);
}

/* ---- seeks ---------------------------------------------------------------- */

static void
mutex_free (gpointer mutex)
{
  g_mutex_clear (mutex);
  g_free (mutex);
}

/* The mutex of @pipeline for seeks, created if there is none yet. */
static GMutex *
seeks_of (GstObject * pipeline)
{
  GQuark key = g_quark_from_static_string ("retrograde-seeks");
  GMutex *mutex = g_new0 (GMutex, 1);

  g_mutex_init (mutex);
  if (!g_object_replace_qdata (G_OBJECT (pipeline), key, NULL, mutex,
          mutex_free, NULL))
    mutex_free (mutex);
  return g_object_get_qdata (G_OBJECT (pipeline), key);
}

gboolean
gst_revbuf_source_seek (GstRetroFilter * filter, GstEvent * event)
{
  g_autoptr (GstObject) pipeline = gst_retro_pipeline_of (GST_OBJECT (filter));
  GST_RETRO_HOLD (seeks_of (pipeline));

  return gst_pad_push_event (filter->sinkpad, event);
}
