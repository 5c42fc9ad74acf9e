/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The source pad of GstRetroFilter: sends segments and audio, answers queries.
 */

#include "common/gstretrofilter.h"
#include "common/pcmbuffer.h"
#include "common/segment.h"

GST_DEBUG_CATEGORY_EXTERN (gst_retro_filter_debug);
#define GST_CAT_DEFAULT gst_retro_filter_debug

/* Maximum size of a buffer in bytes: large enough that the cost per buffer is negligible,
 * small enough that seeks and state changes take effect immediately. */
#define SEND_BYTES (64 << 10)

/* ---- segments --------------------------------------------------------------- */

gboolean
gst_retro_filter_send_segment (GstRetroFilter * filter,
    const GstSegment * segment)
{
  GstSegment sent = *segment;

  if (GST_CLOCK_TIME_IS_VALID (filter->next_base_ns))
    filter->running_shift_ns = (gint64) (filter->next_base_ns - sent.base);
  filter->next_base_ns = GST_CLOCK_TIME_NONE;
  sent.base += filter->running_shift_ns;

  /* in passthrough, the segment is forwarded as upstream sent it */
  return gst_retro_output_send_segment (&filter->output, &sent,
      !gst_retro_filter_is_passthrough (filter));
}

gboolean
gst_retro_filter_get_segment (GstRetroFilter * filter, GstSegment * segment)
{
  return gst_retro_output_get_segment (&filter->output, segment);
}

gboolean
gst_retro_filter_is_in_composition (GstRetroFilter * filter)
{
  return gst_retro_output_is_in_composition (&filter->output);
}

/* ---- buffers and gaps ------------------------------------------------------ */

GstFlowReturn
gst_retro_filter_push (GstRetroFilter * filter, GstBuffer * buffer)
{
  gst_retro_output_advance (&filter->output, GST_BUFFER_PTS (buffer),
      GST_BUFFER_PTS (buffer) + GST_BUFFER_DURATION (buffer));
  GST_LOG_OBJECT (filter, "pushing %" GST_PTR_FORMAT, buffer);
  return gst_pad_push (filter->srcpad, buffer);
}

GstFlowReturn
gst_retro_filter_push_reversed (GstRetroFilter * filter, GstRetroStore * store,
    guint64 first, guint64 * end, gboolean gap, GstRetroClock * clock)
{
  const GstAudioInfo *info = gst_retro_filter_get_info (filter);
  gsize max_frames = MAX (SEND_BYTES / GST_AUDIO_INFO_BPF (info), 1);
  GError *error = NULL;
  GstBuffer *buffer;
  GstRetroSpan span;
  gsize n_frames;

  if (!gst_retro_store_take_before (store, *end, &span, &error))
    return gst_retro_filter_fail (filter, error);

  n_frames = MIN (span.n_frames, MIN (*end - first, max_frames));
  buffer = gst_retro_buffer_new_copy (info, (const gconstpointer *) span.planes,
      span.n_frames - n_frames, n_frames, TRUE);
  if (buffer == NULL)
    return gst_retro_filter_fail_memory (filter);

  if (gap)
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_GAP);
  *end -= n_frames;
  gst_retro_clock_stamp (clock, buffer, n_frames);
  return gst_retro_filter_push (filter, buffer);
}

GstFlowReturn
gst_retro_filter_push_gap (GstRetroFilter * filter, GstClockTime pts_ns,
    GstClockTime duration_ns)
{
  gst_retro_output_advance (&filter->output, pts_ns, pts_ns +
      (GST_CLOCK_TIME_IS_VALID (duration_ns) ? duration_ns : 0));
  gst_pad_push_event (filter->srcpad, gst_event_new_gap (pts_ns, duration_ns));
  return GST_FLOW_OK;
}

GstClockTime
gst_retro_filter_get_position (GstRetroFilter * filter)
{
  return gst_retro_output_get_position (&filter->output);
}

/* ---- events and queries from downstream --------------------------------- */

static gboolean
src_event (GstPad * pad, GstObject * parent, GstEvent * event)
{
  GstRetroFilter *filter = GST_RETRO_FILTER (parent);
  GstSeekFlags flags;
  GstFormat format;

  if (GST_EVENT_TYPE (event) == GST_EVENT_SEEK) {
    gst_event_parse_seek (event, NULL, &format, &flags, NULL, NULL, NULL, NULL);
    if (format == GST_FORMAT_TIME)
      return GST_RETRO_FILTER_GET_CLASS (filter)->seek (filter, event);
    /* Refuse a seek that would deadlock: without a flush, it makes upstream wait for its
     * streaming thread. If the task of the source pad is running, the streaming thread may
     * be waiting for the next seek of that task. */
    if (!(flags & GST_SEEK_FLAG_FLUSH)
        && gst_pad_get_task_state (pad) == GST_TASK_STARTED) {
      gst_event_unref (event);
      return FALSE;
    }
  }
  return gst_pad_event_default (pad, parent, event);
}

static gboolean
query_latency (GstRetroFilter * filter, GstQuery * query)
{
  GstClockTime min, max, own;
  gboolean live;

  if (!gst_pad_peer_query (filter->sinkpad, query))
    return FALSE;

  own = gst_retro_filter_get_latency (filter);
  gst_query_parse_latency (query, &live, &min, &max);
  min += own;
  if (GST_CLOCK_TIME_IS_VALID (max))
    max += own;
  gst_query_set_latency (query, live, min, max);
  return TRUE;
}

static gboolean
query_position (GstRetroFilter * filter, GstQuery * query)
{
  GstClockTime position_ns = gst_retro_filter_get_position (filter);
  GstFormat format;

  gst_query_parse_position (query, &format, NULL);
  if (format != GST_FORMAT_TIME || !GST_CLOCK_TIME_IS_VALID (position_ns))
    return FALSE;
  gst_query_set_position (query, GST_FORMAT_TIME, position_ns);
  return TRUE;
}

gboolean
gst_retro_filter_default_query (GstRetroFilter * filter, GstQuery * query)
{
  gboolean passthrough = gst_retro_filter_is_passthrough (filter);

  if (GST_QUERY_TYPE (query) == GST_QUERY_LATENCY)
    return query_latency (filter, query);
  if (GST_QUERY_TYPE (query) == GST_QUERY_SEGMENT && !passthrough
      && gst_retro_output_query_segment (&filter->output, query))
    return TRUE;
  if (GST_QUERY_TYPE (query) == GST_QUERY_POSITION && !passthrough
      && query_position (filter, query))
    return TRUE;
  return gst_pad_query_default (filter->srcpad, GST_OBJECT (filter), query);
}

/* Answers a duration query in frames, from the duration in time. The query is not
 * forwarded, because upstream would answer with the number of input frames. */
static gboolean
query_frame_count (GstRetroFilter * filter, GstQuery * query)
{
  GstPad *pad = filter->srcpad;
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (pad);
  GstAudioInfo info;
  gint64 duration_ns;

  if (caps == NULL || !gst_audio_info_from_caps (&info, caps)
      || !gst_pad_query_duration (pad, GST_FORMAT_TIME, &duration_ns)
      || duration_ns < 0)
    return FALSE;
  gst_query_set_duration (query, GST_FORMAT_DEFAULT,
      gst_util_uint64_scale_round (duration_ns, info.rate, GST_SECOND));
  return TRUE;
}

static gboolean
src_query (GstPad * pad, GstObject * parent, GstQuery * query)
{
  GstRetroFilter *filter = GST_RETRO_FILTER (parent);
  GstFormat format;

  if (GST_QUERY_TYPE (query) == GST_QUERY_DURATION) {
    gst_query_parse_duration (query, &format, NULL);
    if (format == GST_FORMAT_DEFAULT)
      return query_frame_count (filter, query);
  }
  return GST_RETRO_FILTER_GET_CLASS (filter)->query (filter, query);
}

void
gst_retro_filter_follow (GstRetroFilter * filter, GstClockTime base_ns)
{
  filter->next_base_ns = base_ns + filter->running_shift_ns;
}

void
gst_retro_filter_reset_running_time (GstRetroFilter * filter)
{
  filter->running_shift_ns = 0;
  filter->next_base_ns = GST_CLOCK_TIME_NONE;
}

void
gst_retro_filter_forget_output (GstRetroFilter * filter)
{
  gst_retro_filter_reset_running_time (filter);
  gst_retro_output_forget (&filter->output);
}

void
gst_retro_filter_init_srcpad (GstRetroFilter * filter)
{
  gst_pad_set_event_function (filter->srcpad, GST_DEBUG_FUNCPTR (src_event));
  gst_pad_set_query_function (filter->srcpad, GST_DEBUG_FUNCPTR (src_query));
}
