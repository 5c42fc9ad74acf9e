/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "common/outputstream.h"
#include "common/autolock.h"
#include "common/padwalk.h"
#include "common/segment.h"

GST_DEBUG_CATEGORY_STATIC (output_debug);
#define GST_CAT_DEFAULT output_debug

/* The timestamp and the duration of a buffer are each rounded to 1 ns. */
#define ROUNDING_NS 2

/* The maximum error of the position that a sink reports, see output_misleads_sinks(). */
#define PART_ERROR_NS GST_SECOND

/* ---- the elements downstream ------------------------------------------------ */

gboolean
gst_retro_output_is_in_composition (GstRetroOutput * output)
{
  GstObject *bin = gst_object_get_parent (GST_OBJECT (output->pad)), *inner;
  gboolean is_composition = FALSE;

  while (bin != NULL && !is_composition) {
    inner = bin;
    bin = gst_object_get_parent (inner);
    gst_object_unref (inner);
    is_composition = bin != NULL
        && g_str_equal (G_OBJECT_TYPE_NAME (bin), "NleComposition");
  }
  gst_clear_object (&bin);
  return is_composition;
}

/* Our own elements accept any segment, and look for encoders downstream themselves. */
static gboolean
output_visit (GstPad * pad, GstElement * element, gpointer has_encoder)
{
  if (element == NULL)
    return TRUE;
  *(gboolean *) has_encoder |= gst_retro_element_is_a (element, "Encoder")
      || gst_retro_element_is_a (element, "Muxer");
  return !g_str_equal (G_OBJECT_TYPE_NAME (element), "GstRevBuf")
      && !g_str_equal (G_OBJECT_TYPE_NAME (element), "GstTimeScale");
}

gboolean
gst_retro_output_has_encoder (GstRetroOutput * output)
{
  gboolean has_encoder = FALSE;

  gst_retro_walk (output->pad, output_visit, &has_encoder);
  /* whatever follows the composition, a clip needs its stop */
  return has_encoder && !gst_retro_output_is_in_composition (output);
}

/* ---- segments --------------------------------------------------------------- */

static void
output_push_segment (GstRetroOutput * output, const GstSegment * segment)
{
  GstEvent *event = gst_event_new_segment (segment);

  GST_DEBUG_OBJECT (output->pad, "sending %" GST_SEGMENT_FORMAT, segment);
  gst_event_set_seqnum (event, output->seqnum);
  gst_pad_push_event (output->pad, event);
}

/* In a reversed segment, GstBaseSink reports time + (stop - start) - (played time ×
 * applied rate). It doesn't multiply (stop - start) by the applied rate, so the
 * position has an error of (stop - start) × (1 - |applied rate|). */
static gboolean
output_misleads_sinks (const GstSegment * segment)
{
  return segment->applied_rate < 0 && segment->applied_rate != -1.0
      && GST_CLOCK_TIME_IS_VALID (segment->stop);
}

/* Sends a part of the segment, from @start_ns to @end_ns or later. If @end_ns allows, it's short
 * enough to keep the error of a sink's position within PART_ERROR_NS. */
static void
output_push_part (GstRetroOutput * output, GstClockTime start_ns,
    GstClockTime end_ns)
{
  const GstSegment *whole = &output->segment;
  GstClockTime length_ns = PART_ERROR_NS / MAX (1, -whole->applied_rate);
  GstSegment part = *whole;

  part.start = CLAMP (start_ns, whole->start, whole->stop);
  part.stop = MIN (MAX (part.start + length_ns, end_ns), whole->stop);
  part.position = part.start;
  part.offset = 0;
  part.base = gst_segment_to_running_time (whole, GST_FORMAT_TIME, part.start);
  part.time = gst_segment_to_stream_time (whole, GST_FORMAT_TIME, part.stop);
  output_push_segment (output, &part);
}

/* Sends @segment, which may have no stop. The first segment we send after one has arrived from
 * upstream answers a seek and has its seqnum, so we send it whole, with the times of the seek,
 * before any part of it. Later segments come from the same seek and keep its seqnum until EOS, as
 * they do in GStreamer's demuxers. */
static void
output_announce_segment (GstRetroOutput * output, const GstSegment * segment)
{
  gboolean is_answer = !output->segment_sent;
  GstSegment sent;
  gboolean is_known = !is_answer && !GST_CLOCK_TIME_IS_VALID (segment->stop)
      && gst_retro_pad_get_segment (output->pad, &sent, NULL);

  if (is_known) {
    sent.duration = segment->duration;
    sent.position = segment->position;
    is_known = gst_segment_is_equal (&sent, segment);
  }
  output->segment_sent = TRUE;
  output->kept_ns = 0;
  if (is_answer || (!is_known && !output_misleads_sinks (segment)))
    output_push_segment (output, segment);
  if (output_misleads_sinks (segment))
    output_push_part (output, segment->start, segment->start);
}

/* If downstream has a segment without a stop, we keep using that. */
static gboolean
output_keep_segment (GstRetroOutput * output, const GstSegment * segment)
{
  GstClockTime start_ns = GST_CLOCK_TIME_NONE;
  GstSegment kept;

  if (gst_retro_pad_get_segment (output->pad, &kept, NULL)
      && kept.format == GST_FORMAT_TIME && kept.rate == segment->rate
      && !GST_CLOCK_TIME_IS_VALID (kept.stop))
    start_ns = gst_segment_position_from_running_time (&kept, GST_FORMAT_TIME,
        gst_segment_to_running_time (segment, GST_FORMAT_TIME, segment->start));
  if (!GST_CLOCK_TIME_IS_VALID (start_ns))
    return FALSE;
  output->segment_sent = TRUE;
  output->kept_ns = (gint64) (start_ns - segment->start);
  return TRUE;
}

gboolean
gst_retro_output_send_segment (GstRetroOutput * output,
    const GstSegment * segment, gboolean may_open)
{
  GstSegment sent = *segment;
  gboolean is_kept = FALSE;
  GstEvent *event;

  if (may_open && gst_retro_output_has_encoder (output)) {
    gst_retro_segment_open (&sent);
    is_kept = output_keep_segment (output, &sent);
  }

  GST_OBJECT_LOCK (GST_OBJECT_PARENT (output->pad));
  output->segment = *segment;
  GST_OBJECT_UNLOCK (GST_OBJECT_PARENT (output->pad));

  if (!is_kept)
    output_announce_segment (output, &sent);
  while ((event = g_queue_pop_head (&output->held_events)) != NULL)
    gst_pad_push_event (output->pad, event);
  return !GST_CLOCK_TIME_IS_VALID (sent.stop);
}

static void
output_post (GstRetroOutput * output, GstMessage * message, guint32 seqnum)
{
  gst_message_set_seqnum (message, seqnum);
  gst_element_post_message (GST_ELEMENT (GST_OBJECT_PARENT (output->pad)),
      message);
}

void
gst_retro_output_open_segment (GstRetroOutput * output, gboolean is_asked,
    gint64 position_ns, guint32 seqnum)
{
  g_atomic_int_set (&output->is_segment_open, is_asked != FALSE);
  if (is_asked)
    output_post (output, gst_message_new_segment_start (GST_OBJECT_PARENT
            (output->pad), GST_FORMAT_TIME, position_ns), seqnum);
}

void
gst_retro_output_close_segment (GstRetroOutput * output, gint64 position_ns,
    guint32 seqnum)
{
  if (g_atomic_int_compare_and_exchange (&output->is_segment_open, TRUE, FALSE))
    output_post (output, gst_message_new_segment_done (GST_OBJECT_PARENT
            (output->pad), GST_FORMAT_TIME, position_ns), seqnum);
}

gboolean
gst_retro_output_get_segment (GstRetroOutput * output, GstSegment * segment)
{
  GST_RETRO_AUTO_LOCK (GST_OBJECT_PARENT (output->pad));

  *segment = output->segment;
  return segment->format == GST_FORMAT_TIME;
}

gboolean
gst_retro_output_must_open (GstRetroOutput * output,
    const GstRetroInput * input, GstSegment * segment)
{
  GstClockTime stop_ns = input->segment.stop, now_ns = input->clock.now_ns;
  GstClockTime frame_ns = GST_SECOND / GST_AUDIO_INFO_RATE (&input->info);

  if (!gst_retro_clock_is_running (&input->clock)
      || !GST_CLOCK_TIME_IS_VALID (stop_ns) || now_ns <= stop_ns
      || now_ns - stop_ns <= frame_ns + ROUNDING_NS
      || gst_retro_input_is_flipping (input)
      || !output->segment_sent
      || !gst_retro_output_get_segment (output, segment)
      || !GST_CLOCK_TIME_IS_VALID (segment->stop)
      || gst_retro_output_is_in_composition (output))
    return FALSE;
  gst_retro_segment_open (segment);
  return TRUE;
}

/* ---- positions ------------------------------------------------------------- */

void
gst_retro_output_set_position (GstRetroOutput * output, GstClockTime end_ns)
{
  GST_OBJECT_LOCK (GST_OBJECT_PARENT (output->pad));
  output->position_ns = end_ns;
  GST_OBJECT_UNLOCK (GST_OBJECT_PARENT (output->pad));
}

/* Sends another part of the segment if the last part doesn't contain [@start_ns, @end_ns). If
 * downstream has the segment without a stop, we don't split it. */
static void
output_advance (GstRetroOutput * output, GstClockTime start_ns,
    GstClockTime end_ns)
{
  GstSegment part;

  if (output_misleads_sinks (&output->segment)
      && gst_retro_pad_get_segment (output->pad, &part, NULL)
      && GST_CLOCK_TIME_IS_VALID (part.stop) && (start_ns < part.start
          || (end_ns > part.stop && part.stop < output->segment.stop)))
    output_push_part (output, start_ns, end_ns);
  gst_retro_output_set_position (output, end_ns);
}

GstBuffer *
gst_retro_output_place (GstRetroOutput * output, GstBuffer * buffer,
    GstClockTime end_ns)
{
  output_advance (output, GST_BUFFER_PTS (buffer), end_ns);
  if (output->kept_ns != 0) {
    buffer = gst_buffer_make_writable (buffer);
    GST_BUFFER_PTS (buffer) += output->kept_ns;
  }
  GST_LOG_OBJECT (GST_OBJECT_PARENT (output->pad), "pushing %" GST_PTR_FORMAT,
      buffer);
  return buffer;
}

void
gst_retro_output_push_gap (GstRetroOutput * output, GstClockTime pts_ns,
    GstClockTime duration_ns, GstGapFlags flags, guint32 seqnum)
{
  GstEvent *event;

  output_advance (output, pts_ns, pts_ns +
      (GST_CLOCK_TIME_IS_VALID (duration_ns) ? duration_ns : 0));
  event = gst_event_new_gap (pts_ns + output->kept_ns, duration_ns);
  gst_event_set_gap_flags (event, flags);
  gst_event_set_seqnum (event, seqnum);
  gst_pad_push_event (output->pad, event);
}

GstClockTime
gst_retro_output_get_position (GstRetroOutput * output)
{
  const GstSegment *segment = &output->segment;
  GST_RETRO_AUTO_LOCK (GST_OBJECT_PARENT (output->pad));

  if (segment->format != GST_FORMAT_TIME
      || !GST_CLOCK_TIME_IS_VALID (output->position_ns))
    return GST_CLOCK_TIME_NONE;
  /* a decoder may output one more frame than fits into its segment */
  return gst_retro_segment_stream_time (segment,
      CLAMP (output->position_ns, segment->start, segment->stop));
}

gboolean
gst_retro_output_query_segment (GstRetroOutput * output, GstQuery * query)
{
  GstSegment segment;
  gboolean is_reversed;

  if (!gst_retro_output_get_segment (output, &segment))
    return FALSE;

  is_reversed = segment.applied_rate < 0;
  gst_query_set_segment (query, segment.rate * segment.applied_rate,
      GST_FORMAT_TIME, gst_segment_to_stream_time (&segment, GST_FORMAT_TIME,
          is_reversed ? segment.stop : segment.start),
      gst_segment_to_stream_time (&segment, GST_FORMAT_TIME,
          is_reversed ? segment.start : segment.stop));
  return TRUE;
}

/* ---- the beginning and flushes ---------------------------------------------- */

void
gst_retro_output_init (GstRetroOutput * output, GstPad * pad)
{
  GST_DEBUG_CATEGORY_INIT (output_debug, "retrooutput", 0,
      "segments that revbuf and timescale send");
  output->pad = pad;
  output->seqnum = GST_SEQNUM_INVALID;
  g_queue_init (&output->held_events);
  gst_retro_output_forget (output);
}

void
gst_retro_output_forget (GstRetroOutput * output)
{
  output->segment_sent = FALSE;
  GST_RETRO_AUTO_LOCK (GST_OBJECT_PARENT (output->pad));
  gst_segment_init (&output->segment, GST_FORMAT_UNDEFINED);
  output->position_ns = GST_CLOCK_TIME_NONE;
}

gboolean
gst_retro_output_hold (GstRetroOutput * output, GstEvent * event)
{
  if (!GST_EVENT_IS_SERIALIZED (event) || output->segment_sent)
    return FALSE;
  g_queue_push_tail (&output->held_events, event);
  return TRUE;
}

void
gst_retro_output_drop_held (GstRetroOutput * output, gboolean sticky_too)
{
  GstEvent *event;

  while ((event = g_queue_pop_head (&output->held_events)) != NULL) {
    if (GST_EVENT_IS_STICKY (event) && !sticky_too)
      gst_pad_push_event (output->pad, event);
    else
      gst_event_unref (event);
  }
}

void
gst_retro_output_expect (GstRetroOutput * output, guint32 seqnum)
{
  output->seqnum = seqnum;
  output->segment_sent = FALSE;
}
