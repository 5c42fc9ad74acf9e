/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The source pad of GstRetroFilter: sends segments and audio, answers queries.
 */

#include "common/gstretrofilter.h"
#include "common/padwalk.h"
#include "common/pcmbuffer.h"
#include "common/segment.h"

GST_DEBUG_CATEGORY_EXTERN (gst_retro_filter_debug);
#define GST_CAT_DEFAULT gst_retro_filter_debug

/* Maximum size of a buffer in bytes: large enough that the cost per buffer is negligible,
 * small enough that seeks and state changes take effect immediately. */
#define SEND_BYTES (64 << 10)

/* The maximum error of the position that a sink reports, see misleads_sinks(). */
#define PART_ERROR_NS GST_SECOND

/* ---- the elements downstream ------------------------------------------------ */

/* The questions of the walk (padwalk.h). The name of a question says how far downstream it
 * is asked. */
enum
{
  UP_TO_EXTENDING_ELEMENT = 1 << 0,
  UP_TO_SINK = 1 << 1
};

typedef struct
{
  /* Whether there is an encoder or a muxer downstream. They need a segment without a stop
   * position: the last packets of an encoder have timestamps after the stop, where a sink
   * drops them.
   * A second segment with a corrected stop would make the encoder start again. */
  gboolean has_encoder;
  gboolean is_in_composition;
} Downstream;

/* Whether @pad is the inner pad of a ghost pad of an nlecomposition. GStreamer Editing
 * Services puts each clip and its effects into such a composition, and starts the next clip
 * at the stop of the segment. */
static gboolean
leaves_composition (GstPad * pad)
{
  g_autoptr (GstObject) ghost = gst_object_get_parent (GST_OBJECT (pad));
  g_autoptr (GstObject) bin = ghost ? gst_object_get_parent (ghost) : NULL;
  GstElementFactory *factory = bin != NULL && GST_IS_ELEMENT (bin) ?
      gst_element_get_factory (GST_ELEMENT (bin)) : NULL;

  return factory != NULL
      && g_str_equal (GST_OBJECT_NAME (factory), "nlecomposition");
}

static guint
visit (GstPad * pad, GstElement * element, guint questions, gpointer findings)
{
  Downstream *downstream = findings;

  if (element == NULL) {
    /* do not look for encoders after the composition: the clip needs its stop anyway */
    if (!leaves_composition (pad))
      return questions;
    downstream->is_in_composition = TRUE;
    return 0;
  }
  if ((questions & UP_TO_EXTENDING_ELEMENT)
      && (gst_retro_element_is_a (element, "Encoder")
          || gst_retro_element_is_a (element, "Muxer")))
    downstream->has_encoder = TRUE;
  /* an element that implements extend() accepts a corrected stop, and itself looks for
   * encoders after it */
  return GST_IS_RETRO_FILTER (element)
      && GST_RETRO_FILTER_GET_CLASS (element)->extend != NULL ?
      questions & ~UP_TO_EXTENDING_ELEMENT : questions;
}

static Downstream
examine_downstream (GstRetroFilter * filter)
{
  Downstream downstream = { FALSE, FALSE };

  gst_retro_walk (filter->srcpad, visit, UP_TO_EXTENDING_ELEMENT | UP_TO_SINK,
      &downstream);
  return downstream;
}

gboolean
gst_retro_filter_is_in_composition (GstRetroFilter * filter)
{
  return examine_downstream (filter).is_in_composition;
}

/* ---- segments --------------------------------------------------------------- */

/* Whether downstream already has @segment; durations and positions may differ. */
static gboolean
has_sent (GstRetroFilter * filter, const GstSegment * segment)
{
  GstSegment sent;

  if (!gst_retro_pad_get_segment (filter->srcpad, &sent, NULL))
    return FALSE;
  sent.duration = segment->duration;
  sent.position = segment->position;
  return gst_segment_is_equal (&sent, segment);
}

static void
push_segment (GstRetroFilter * filter, const GstSegment * segment)
{
  GstEvent *event = gst_event_new_segment (segment);

  GST_DEBUG_OBJECT (filter, "sending %" GST_SEGMENT_FORMAT, segment);
  gst_event_set_seqnum (event, filter->seqnum);
  gst_pad_push_event (filter->srcpad, event);
}

/* In a reversed segment, GstBaseSink reports time + (stop - start) - (played time ×
 * applied rate). It does not multiply (stop - start) by the applied rate, so the
 * position has an error of (stop - start) × (1 - |applied rate|). */
static gboolean
misleads_sinks (const GstSegment * segment)
{
  return segment->applied_rate < 0 && segment->applied_rate != -1.0
      && GST_CLOCK_TIME_IS_VALID (segment->stop);
}

/* Sends a part of the segment, from @start_ns to @end_ns or later. Its length limits the
 * error of a sink's position to PART_ERROR_NS. */
static void
push_part (GstRetroFilter * filter, GstClockTime start_ns, GstClockTime end_ns)
{
  const GstSegment *whole = &filter->out_segment;
  GstClockTime length_ns = PART_ERROR_NS / MAX (1, -whole->applied_rate);
  GstSegment part = *whole;

  part.start = CLAMP (start_ns, whole->start, whole->stop);
  part.stop = MIN (MAX (part.start + length_ns, end_ns), whole->stop);
  part.position = part.start;
  part.offset = 0;
  part.base = gst_segment_to_running_time (whole, GST_FORMAT_TIME, part.start);
  part.time = gst_segment_to_stream_time (whole, GST_FORMAT_TIME, part.stop);
  push_segment (filter, &part);
}

/* Sends another part of the segment if the last part does not contain
 * [@start_ns, @end_ns). */
static void
ensure_part (GstRetroFilter * filter, GstClockTime start_ns,
    GstClockTime end_ns)
{
  GstSegment part;

  if (!misleads_sinks (&filter->out_segment)
      || !gst_retro_pad_get_segment (filter->srcpad, &part, NULL))
    return;
  if (start_ns < part.start || (end_ns > part.stop
          && part.stop < filter->out_segment.stop))
    push_part (filter, start_ns, end_ns);
}

/* Sends @segment (which may have no stop). The first segment sent after a segment has
 * arrived from upstream answers a seek, and has the seqnum of that seek. So it is sent as a
 * whole, with the times of the seek, before any part of it. Later segments result from the
 * same seek, and keep its seqnum until EOS, as in GStreamer's demuxers. */
static void
announce_segment (GstRetroFilter * filter, const GstSegment * segment)
{
  gboolean is_answer = !filter->segment_sent;
  gboolean is_known = !is_answer && !GST_CLOCK_TIME_IS_VALID (segment->stop)
      && has_sent (filter, segment);

  filter->segment_sent = TRUE;
  if (is_answer || (!is_known && !misleads_sinks (segment)))
    push_segment (filter, segment);
  if (misleads_sinks (segment))
    push_part (filter, segment->start, segment->start);
}

gboolean
gst_retro_filter_send_segment (GstRetroFilter * filter,
    const GstSegment * segment)
{
  GstSegment sent = *segment;
  GstEvent *event;

  if (GST_CLOCK_TIME_IS_VALID (filter->next_base_ns))
    filter->running_shift_ns = (gint64) (filter->next_base_ns - sent.base);
  filter->next_base_ns = GST_CLOCK_TIME_NONE;
  sent.base += filter->running_shift_ns;

  /* in passthrough, the segment is forwarded as upstream sent it */
  if (!gst_retro_filter_is_passthrough (filter)
      && examine_downstream (filter).has_encoder)
    gst_retro_segment_open (&sent);

  GST_OBJECT_LOCK (filter);
  filter->out_segment = *segment;
  filter->out_segment.base = sent.base;
  GST_OBJECT_UNLOCK (filter);

  announce_segment (filter, &sent);
  while ((event = g_queue_pop_head (&filter->held_events)) != NULL)
    gst_pad_push_event (filter->srcpad, event);
  return !GST_CLOCK_TIME_IS_VALID (sent.stop);
}

gboolean
gst_retro_filter_get_segment (GstRetroFilter * filter, GstSegment * segment)
{
  GST_RETRO_AUTO_LOCK (filter);

  *segment = filter->out_segment;
  return segment->format == GST_FORMAT_TIME;
}

/* ---- buffers and gaps ------------------------------------------------------ */

/* Prepares for sending audio from @start_ns to @end_ns, in times of the output: sends a new
 * part of the segment if necessary, and advances the position. */
static void
advance (GstRetroFilter * filter, GstClockTime start_ns, GstClockTime end_ns)
{
  ensure_part (filter, start_ns, end_ns);
  GST_RETRO_AUTO_LOCK (filter);
  filter->position_ns = end_ns;
}

GstFlowReturn
gst_retro_filter_push (GstRetroFilter * filter, GstBuffer * buffer)
{
  advance (filter, GST_BUFFER_PTS (buffer),
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
  advance (filter, pts_ns, pts_ns +
      (GST_CLOCK_TIME_IS_VALID (duration_ns) ? duration_ns : 0));
  gst_pad_push_event (filter->srcpad, gst_event_new_gap (pts_ns, duration_ns));
  return GST_FLOW_OK;
}

GstClockTime
gst_retro_filter_get_position (GstRetroFilter * filter)
{
  const GstSegment *segment = &filter->out_segment;
  GST_RETRO_AUTO_LOCK (filter);

  if (segment->format != GST_FORMAT_TIME
      || !GST_CLOCK_TIME_IS_VALID (filter->position_ns))
    return GST_CLOCK_TIME_NONE;
  /* a decoder may output one frame more than fits into its segment */
  return gst_retro_segment_stream_time (segment,
      CLAMP (filter->position_ns, segment->start, segment->stop));
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

/* Answers with the range in stream time, and with a negative rate if the audio is
 * reversed. */
static gboolean
query_segment (GstRetroFilter * filter, GstQuery * query)
{
  GstSegment segment;
  gboolean turned;

  if (!gst_retro_filter_get_segment (filter, &segment))
    return FALSE;

  turned = segment.applied_rate < 0;
  gst_query_set_segment (query, segment.rate * segment.applied_rate,
      GST_FORMAT_TIME, gst_segment_to_stream_time (&segment, GST_FORMAT_TIME,
          turned ? segment.stop : segment.start),
      gst_segment_to_stream_time (&segment, GST_FORMAT_TIME,
          turned ? segment.start : segment.stop));
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
      && query_segment (filter, query))
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
  filter->segment_sent = FALSE;
  gst_retro_filter_reset_running_time (filter);
  GST_RETRO_AUTO_LOCK (filter);
  gst_segment_init (&filter->out_segment, GST_FORMAT_UNDEFINED);
  filter->position_ns = GST_CLOCK_TIME_NONE;
}

void
gst_retro_filter_init_srcpad (GstRetroFilter * filter)
{
  gst_pad_set_event_function (filter->srcpad, GST_DEBUG_FUNCPTR (src_event));
  gst_pad_set_query_function (filter->srcpad, GST_DEBUG_FUNCPTR (src_query));
}
