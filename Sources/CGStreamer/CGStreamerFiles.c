/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "CGStreamerFiles.h"

#include <gst/controller/gstdirectcontrolbinding.h>
#include <gst/controller/gstinterpolationcontrolsource.h>
#include <string.h>

/* ---- samples -------------------------------------------------------------- */

typedef struct
{
  CGstReceived received;
  gpointer data;
  GDestroyNotify free_data;
} Inspector;

static void
free_inspector (gpointer data)
{
  Inspector *inspector = data;

  inspector->free_data (inspector->data);
  g_free (inspector);
}

static GstPadProbeReturn
on_buffer (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  Inspector *inspector = data;
  GstCaps *caps = gst_pad_get_current_caps (pad);
  GstAudioInfo format;
  GstMapInfo map;

  if (caps != NULL && gst_audio_info_from_caps (&format, caps)
      && gst_buffer_map (GST_PAD_PROBE_INFO_BUFFER (info), &map, GST_MAP_READ)) {
    (void) inspector->received (&format, 0, map.data, map.size,
        inspector->data);
    gst_buffer_unmap (GST_PAD_PROBE_INFO_BUFFER (info), &map);
  }
  gst_clear_caps (&caps);
  return GST_PAD_PROBE_OK;
}

void
cgst_inspect (gpointer element, CGstReceived received, gpointer data,
    GDestroyNotify free_data)
{
  GstPad *pad = gst_element_get_static_pad (element, "sink");
  Inspector *inspector;

  if (pad == NULL) {
    free_data (data);
    return;
  }
  inspector = g_new (Inspector, 1);
  inspector->received = received;
  inspector->data = data;
  inspector->free_data = free_data;
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, on_buffer, inspector,
      free_inspector);
  gst_object_unref (pad);
}

void
cgst_fade (gpointer volume, int64_t risen_ns, int64_t falls_ns, int64_t end_ns)
{
  GstControlSource *line = gst_interpolation_control_source_new ();
  GstTimedValueControlSource *points = (GstTimedValueControlSource *) line;

  g_object_set (line, "mode", GST_INTERPOLATION_MODE_LINEAR, NULL);
  if (risen_ns > 0)
    gst_timed_value_control_source_set (points, 0, 0.0);
  gst_timed_value_control_source_set (points, (GstClockTime) risen_ns, 1.0);
  if (falls_ns >= 0) {
    gst_timed_value_control_source_set (points, (GstClockTime) falls_ns, 1.0);
    gst_timed_value_control_source_set (points, (GstClockTime) end_ns, 0.0);
  }
  gst_object_add_control_binding (volume,
      gst_direct_control_binding_new_absolute (volume, "volume", line));
  gst_object_unref (line);
}

void
cgst_follow (gpointer element, const gchar * property,
    const int64_t * times_ns, const gdouble * values, gsize count)
{
  GstControlSource *line = gst_interpolation_control_source_new ();

  g_object_set (line, "mode", GST_INTERPOLATION_MODE_LINEAR, NULL);
  for (gsize i = 0; i < count; i++)
    gst_timed_value_control_source_set ((GstTimedValueControlSource *) line,
        (GstClockTime) times_ns[i], values[i]);
  gst_object_add_control_binding (element,
      gst_direct_control_binding_new_absolute (element, property, line));
  gst_object_unref (line);
}

static GstPadProbeReturn
count_down (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  guint64 *left = data;

  if (*left > 0) {
    --*left;
    return GST_PAD_PROBE_OK;
  }
  gst_pad_push_event (pad, gst_event_new_eos ());
  return GST_PAD_PROBE_DROP;
}

void
cgst_end_after (gpointer element, guint64 count)
{
  GstPad *pad = gst_element_get_static_pad (element, "src");
  guint64 *left = g_new (guint64, 1);

  *left = count;
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, count_down, left, g_free);
  gst_object_unref (pad);
}

/* ---- streams -------------------------------------------------------------- */

typedef struct
{
  const gchar *type;
  guint count;
} StreamCount;

static gboolean
count_pad (GstElement * element, GstPad * pad, gpointer data)
{
  StreamCount *streams = data;
  GstCaps *caps = gst_pad_get_current_caps (pad);

  if (caps != NULL && !gst_caps_is_any (caps) && !gst_caps_is_empty (caps)
      && g_str_has_prefix (gst_structure_get_name (gst_caps_get_structure (caps,
                  0)), streams->type))
    streams->count++;
  gst_clear_caps (&caps);
  return TRUE;
}

static void
count_streams (const GValue * item, gpointer data)
{
  GstElement *element = g_value_get_object (item);
  const gchar *klass =
      gst_element_get_metadata (element, GST_ELEMENT_METADATA_KLASS);

  if (klass != NULL && strstr (klass, "Demux") != NULL)
    gst_element_foreach_src_pad (element, count_pad, data);
}

guint
cgst_count_streams (gpointer pipeline, const gchar * type)
{
  GstIterator *elements = gst_bin_iterate_recurse (pipeline);
  StreamCount streams = { type, 0 };

  (void) gst_iterator_foreach (elements, count_streams, &streams);
  gst_iterator_free (elements);
  return streams.count;
}

/* ---- chapters ------------------------------------------------------------- */

static void
count_chapters (GList * entries, CGstChapters * chapters)
{
  for (GList * item = entries; item; item = item->next) {
    GstTagList *tags = gst_toc_entry_get_tags (item->data);

    if (gst_toc_entry_is_sequence (item->data)) {
      chapters->count++;
      if (tags && gst_tag_list_get_tag_size (tags, GST_TAG_TITLE) > 0)
        chapters->titled++;
    }
    count_chapters (gst_toc_entry_get_sub_entries (item->data), chapters);
  }
}

CGstChapters
cgst_chapters (GstMessage * message)
{
  CGstChapters chapters = { 0, 0 };
  GstToc *toc = NULL;

  gst_message_parse_toc (message, &toc, NULL);
  count_chapters (gst_toc_get_entries (toc), &chapters);
  gst_toc_unref (toc);
  return chapters;
}

/* ---- changing tags and chapters ------------------------------------------- */

typedef struct
{
  gchar **names;
  gboolean reversed;
  CGstConvertTimes convert;
  gpointer data;
  GDestroyNotify free_data;
} Revision;

static void
free_revision (gpointer data)
{
  Revision *revision = data;

  revision->free_data (revision->data);
  g_strfreev (revision->names);
  g_free (revision);
}

static GstTocEntry *revised_entry (Revision * revision, GstTocEntry * entry);

/* Revises @entries in their new order, and calls @add with each entry that's left. */
static void
revise_entries (Revision * revision, GList * entries,
    void (*add) (gpointer parent, GstTocEntry * entry), gpointer parent)
{
  GList *item = revision->reversed ? g_list_last (entries) : entries;

  for (; item; item = revision->reversed ? item->prev : item->next) {
    GstTocEntry *entry = revised_entry (revision, item->data);
    if (entry != NULL)
      add (parent, entry);
  }
}

static void
add_sub_entry (gpointer parent, GstTocEntry * entry)
{
  gst_toc_entry_append_sub_entry (parent, entry);
}

static void
add_entry (gpointer toc, GstTocEntry * entry)
{
  gst_toc_append_entry (toc, entry);
}

static GstTocEntry *
revised_entry (Revision * revision, GstTocEntry * entry)
{
  gint64 start_ns = 0, stop_ns = -1;
  GstTocEntry *revised =
      gst_toc_entry_new (gst_toc_entry_get_entry_type (entry),
      gst_toc_entry_get_uid (entry));

  /* an edition, which contains chapters, doesn't have its own times */
  if (gst_toc_entry_get_start_stop_times (entry, &start_ns, &stop_ns)) {
    int64_t start = start_ns, stop = stop_ns;
    if (!revision->convert (&start, &stop, revision->data)) {
      gst_toc_entry_unref (revised);
      return NULL;
    }
    gst_toc_entry_set_start_stop_times (revised, start, stop);
  }
  if (gst_toc_entry_get_tags (entry) != NULL)
    gst_toc_entry_merge_tags (revised, gst_toc_entry_get_tags (entry),
        GST_TAG_MERGE_REPLACE);
  revise_entries (revision, gst_toc_entry_get_sub_entries (entry),
      add_sub_entry, revised);
  return revised;
}

static GstEvent *
revised_toc (Revision * revision, GstEvent * event)
{
  gboolean updated;
  GstToc *toc;

  gst_event_parse_toc (event, &toc, &updated);
  GstToc *revised = gst_toc_new (gst_toc_get_scope (toc));
  if (gst_toc_get_tags (toc) != NULL)
    gst_toc_merge_tags (revised, gst_toc_get_tags (toc), GST_TAG_MERGE_REPLACE);
  revise_entries (revision, gst_toc_get_entries (toc), add_entry, revised);
  GstEvent *new_event = gst_event_new_toc (revised, updated);
  gst_toc_unref (revised);
  gst_toc_unref (toc);
  return new_event;
}

/* A private ID3 frame is still correct in an edited file unless it contains chapters, times or
 * loudness. */
static gboolean
stays_true (const GValue * value)
{
  static const gchar *const untrue[] = { "CHAP", "CTOC", "ETCO", "SYLT",
    "SYTC", "MLLT", "ASPI", "RVA2", "RVAD", "TLEN"
  };
  GstBuffer *buffer = gst_sample_get_buffer (gst_value_get_sample (value));
  gchar id[4] = "";

  if (buffer == NULL || gst_buffer_extract (buffer, 0, id, 4) != 4)
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (untrue); i++) {
    if (memcmp (id, untrue[i], 4) == 0)
      return FALSE;
  }
  return TRUE;
}

static void
revise_private (GstTagList * tags)
{
  static const gchar name[] = "private-id3v2-frame";
  GstTagList *kept = gst_tag_list_new_empty ();
  guint count = gst_tag_list_get_tag_size (tags, name);

  for (guint i = 0; i < count; i++) {
    const GValue *value = gst_tag_list_get_value_index (tags, name, i);
    if (GST_VALUE_HOLDS_SAMPLE (value) && stays_true (value))
      gst_tag_list_add_value (kept, GST_TAG_MERGE_APPEND, name, value);
  }
  gst_tag_list_remove_tag (tags, name);
  gst_tag_list_insert (tags, kept, GST_TAG_MERGE_APPEND);
  gst_tag_list_unref (kept);
}

static GstEvent *
revised_tags (Revision * revision, GstEvent * event)
{
  GstTagList *tags;

  gst_event_parse_tag (event, &tags);
  tags = gst_tag_list_copy (tags);
  for (gchar ** name = revision->names; *name; name++)
    gst_tag_list_remove_tag (tags, *name);
  revise_private (tags);
  return gst_event_new_tag (tags);
}

static GstPadProbeReturn
on_event (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  GstEvent *event = GST_PAD_PROBE_INFO_EVENT (info);
  GstEvent *revised;

  if (GST_EVENT_TYPE (event) == GST_EVENT_TAG)
    revised = revised_tags (data, event);
  else if (GST_EVENT_TYPE (event) == GST_EVENT_TOC)
    revised = revised_toc (data, event);
  else
    return GST_PAD_PROBE_OK;
  gst_event_unref (event);
  GST_PAD_PROBE_INFO_DATA (info) = revised;
  return GST_PAD_PROBE_OK;
}

void
cgst_revise (gpointer element, const gchar * names, gboolean reversed,
    CGstConvertTimes convert, gpointer data, GDestroyNotify free_data)
{
  GstPad *pad = gst_element_get_static_pad (element, "sink");
  Revision *revision;

  if (pad == NULL) {
    free_data (data);
    return;
  }
  revision = g_new (Revision, 1);
  revision->names = g_strsplit (names, ",", -1);
  revision->reversed = reversed;
  revision->convert = convert;
  revision->data = data;
  revision->free_data = free_data;
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, on_event,
      revision, free_revision);
  gst_object_unref (pad);
}
