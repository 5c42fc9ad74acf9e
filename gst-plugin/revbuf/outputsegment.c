/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "revbuf/outputsegment.h"
#include "common/pcmbuffer.h"

GST_DEBUG_CATEGORY_EXTERN (gst_revbuf_debug);
#define GST_CAT_DEFAULT gst_revbuf_debug

static void
send_caps (GstPad * srcpad, const GstAudioInfo * info)
{
  g_autoptr (GstCaps) now = gst_pad_get_current_caps (srcpad);
  g_autoptr (GstCaps) caps = gst_audio_info_to_caps (info);
  GstAudioInfo known;

  if (now == NULL || !gst_audio_info_from_caps (&known, now)
      || !gst_audio_info_is_equal (&known, info))
    gst_pad_push_event (srcpad, gst_event_new_caps (caps));
}

gboolean
gst_revbuf_output_send_segment (GstRetroFilter * filter,
    const TimePlayAction * action)
{
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.flags = action->flags;
  segment.rate = action->rate;
  segment.applied_rate = action->direction == TIMEDSP_BACKWARD ? -1.0 : 1.0;
  segment.base = action->base_ns;
  segment.start = segment.time = segment.position = action->start_ns;
  segment.stop = action->stop_ns;
  segment.duration = action->duration_ns;

  gst_retro_filter_set_seqnum (filter, action->seqnum);
  send_caps (filter->srcpad, gst_revbuf_format_info (&action->format));
  return gst_retro_filter_send_segment (filter, &segment);
}

static GstFlowReturn
push_frames (GstRetroFilter * filter, const TimePlayAction * action)
{
  gconstpointer *planes = g_newa (gconstpointer, action->format.planes);
  GstBuffer *buffer;
  guint p;

  for (p = 0; p < action->format.planes; p++)
    planes[p] = (const guint8 *) action->samples + p * action->plane_bytes;
  buffer = gst_retro_buffer_new_copy (gst_revbuf_format_info (&action->format),
      planes, 0, action->frames, action->direction == TIMEDSP_BACKWARD);
  if (buffer == NULL)
    return gst_retro_filter_fail_memory (filter);
  GST_BUFFER_PTS (buffer) = action->start_ns;
  GST_BUFFER_DURATION (buffer) = action->duration_ns;
  GST_BUFFER_OFFSET (buffer) = action->offset_frames;
  GST_BUFFER_OFFSET_END (buffer) = action->offset_frames + action->frames;
  if (action->discont)
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
  return gst_retro_filter_push (filter, buffer);
}

TimePlayFlow
gst_revbuf_output_send_frames (GstRetroFilter * filter,
    const TimePlayAction * action)
{
  GstFlowReturn ret = push_frames (filter, action);

  if (ret == GST_FLOW_OK)
    return TIMEPLAY_FLOW_OK;
  GST_DEBUG_OBJECT (filter, "sending stopped: %s", gst_flow_get_name (ret));
  if (ret == GST_FLOW_FLUSHING)
    return TIMEPLAY_FLOW_FLUSHING;
  if (ret == GST_FLOW_NOT_LINKED || ret == GST_FLOW_NOT_NEGOTIATED)
    GST_ELEMENT_FLOW_ERROR (filter, ret);
  return ret == GST_FLOW_EOS ? TIMEPLAY_FLOW_END : TIMEPLAY_FLOW_FAILED;
}

/* ---- events and messages ------------------------------------------------- */

/* Whether @tag has the same values in the same order in both lists. gst_tag_list_is_equal()
 * is not used: it searches the other list for each value, which takes a minute for 50,000
 * values. */
static gboolean
has_same_values (const GstTagList * one, const GstTagList * other,
    const gchar * tag)
{
  guint count = gst_tag_list_get_tag_size (one, tag);

  if (gst_tag_list_get_tag_size (other, tag) != count)
    return FALSE;
  for (guint i = 0; i < count; i++) {
    if (gst_value_compare (gst_tag_list_get_value_index (one, tag, i),
            gst_tag_list_get_value_index (other, tag, i)) != GST_VALUE_EQUAL)
      return FALSE;
  }
  return TRUE;
}

static gboolean
has_same_tags (GstEvent * event, GstEvent * other_event)
{
  GstTagList *one, *other;
  gint count;

  gst_event_parse_tag (event, &one);
  gst_event_parse_tag (other_event, &other);
  count = gst_tag_list_n_tags (one);
  if (gst_tag_list_n_tags (other) != count
      || gst_tag_list_get_scope (other) != gst_tag_list_get_scope (one))
    return FALSE;
  for (gint i = 0; i < count; i++) {
    if (!has_same_values (one, other, gst_tag_list_nth_tag_name (one, i)))
      return FALSE;
  }
  return TRUE;
}

static gboolean
is_known (GstPad * srcpad, GstEvent * event)
{
  g_autoptr (GstEvent) known = GST_EVENT_IS_STICKY (event) ?
      gst_pad_get_sticky_event (srcpad, GST_EVENT_TYPE (event), 0) : NULL;

  if (known == NULL)
    return FALSE;
  if (GST_EVENT_TYPE (event) == GST_EVENT_TAG)
    return has_same_tags (known, event);
  return gst_event_get_structure (known) != NULL
      && gst_event_get_structure (event) != NULL
      && gst_structure_is_equal (gst_event_get_structure (known),
      gst_event_get_structure (event));
}

void
gst_revbuf_output_send_event (GstPad * srcpad, GstEvent * event)
{
  if (is_known (srcpad, event))
    gst_event_unref (event);
  else
    gst_pad_push_event (srcpad, event);
}

gboolean
gst_revbuf_output_send (GstPad * pad, GstEvent * event, guint32 seqnum)
{
  gst_event_set_seqnum (event, seqnum);
  return gst_pad_push_event (pad, event);
}

static void
post (GstRetroFilter * filter, GstMessage * message, guint32 seqnum)
{
  gst_message_set_seqnum (message, seqnum);
  gst_element_post_message (GST_ELEMENT (filter), message);
}

void
gst_revbuf_output_tell_segment_start (GstRetroFilter * filter, gint * is_open,
    const TimePlayAction * action)
{
  if (!(action->flags & GST_SEGMENT_FLAG_SEGMENT))
    return;
  g_atomic_int_set (is_open, TRUE);
  post (filter, gst_message_new_segment_start (GST_OBJECT (filter),
          GST_FORMAT_TIME, action->start_ns), action->seqnum);
}

void
gst_revbuf_output_open_segment (GstRetroFilter * filter, gint * is_open,
    const TimePlayAction * action)
{
  if (g_atomic_int_compare_and_exchange (is_open, FALSE, TRUE))
    post (filter, gst_message_new_segment_start (GST_OBJECT (filter),
            GST_FORMAT_TIME, action->start_ns), action->seqnum);
}

void
gst_revbuf_output_close_segment (GstRetroFilter * filter, gint * is_open,
    gint64 position_ns, guint32 seqnum)
{
  if (g_atomic_int_compare_and_exchange (is_open, TRUE, FALSE))
    post (filter, gst_message_new_segment_done (GST_OBJECT (filter),
            GST_FORMAT_TIME, position_ns), seqnum);
}

void
gst_revbuf_output_send_end (GstRetroFilter * filter, gint * segment_is_open,
    const TimePlayAction * action)
{
  GstEvent *event;

  if (action->flags & GST_SEGMENT_FLAG_SEGMENT) {
    gst_revbuf_output_close_segment (filter, segment_is_open,
        action->start_ns, action->seqnum);
    event = gst_event_new_segment_done (GST_FORMAT_TIME, action->start_ns);
  } else {
    event = gst_event_new_eos ();
  }
  gst_revbuf_output_send (filter->srcpad, event, action->seqnum);
}
