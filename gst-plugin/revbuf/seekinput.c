/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The input of the seek task: starts, seeks, and upstream's buffers and events.
 */

#include "revbuf/seektask-private.h"
#include "common/segment.h"
#include "revbuf/fetchedrun.h"
#include "revbuf/outputsegment.h"
#include "revbuf/source.h"

/* ---- starting ------------------------------------------------------------- */

/* Converts @in to stream time. */
static TimePlaySegment
place_of (const GstSegment * in)
{
  TimePlaySegment place = {.stop_ns = GST_CLOCK_TIME_NONE };

  if (in->format != GST_FORMAT_TIME)
    return place;
  place.rate = in->rate;
  place.flags = in->flags;
  place.start_ns = gst_segment_to_stream_time (in, GST_FORMAT_TIME, in->start);
  if (!GST_CLOCK_TIME_IS_VALID (place.start_ns))
    place.start_ns = 0;
  if (GST_CLOCK_TIME_IS_VALID (in->stop))
    place.stop_ns = gst_segment_to_stream_time (in, GST_FORMAT_TIME, in->stop);
  return place;
}

/* Sets the running time and the frame at which playback continues. @passed_ns: end of the
 * audio that has been passed through. It may lie outside the segment, because decoders also
 * send audio from before the start. */
static void
go_on_from (GstClockTime passed_ns, const GstSegment * segment, guint rate,
    TimePlayStart * start)
{
  start->base_ns = segment->base;
  start->last_frame = TIMEDSP_UNKNOWN;
  if (!GST_CLOCK_TIME_IS_VALID (passed_ns))
    return;
  passed_ns = CLAMP (passed_ns, segment->start, segment->stop);
  if (segment->rate > 0)
    start->base_ns =
        gst_segment_to_running_time (segment, GST_FORMAT_TIME, passed_ns);
  start->last_frame = timedsp_frame_at (gst_segment_to_stream_time (segment,
          GST_FORMAT_TIME, passed_ns), rate) - 1;
}

/* Begins playback of audio in the format @info: with @seek or, if @seek is NULL, at the
 * position up to which the audio has been passed through. */
static TimePlayAnswer
begin (GstRevBufSeekTask * task, const GstAudioInfo * info,
    const TimePlaySeek * seek)
{
  TimePlayStart start = { 0 };
  TimePlayAnswer answer;
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME); /* with @seek, the pad may have no segment,
                                                 * because a flush removes it */
  if ((!gst_retro_pad_get_segment (task->filter->sinkpad, &segment,
              &start.seqnum) && seek == NULL) || segment.applied_rate != 1.0)
    return TIMEPLAY_REFUSED;
  start.segment = place_of (&segment);
  g_mutex_lock (&task->lock);
  go_on_from (task->passed_ns, &segment, GST_AUDIO_INFO_RATE (info), &start);
  g_mutex_unlock (&task->lock);
  /* query only after reading passed_ns, which a flush may clear during the query */
  start.duration_ns = gst_retro_filter_query_duration (task->filter);
  gst_revbuf_seek_task_configure (task, FALSE);

  g_mutex_lock (&task->lock);
  if (timeplay_receive (task->playback, NULL) == TIMEPLAY_BUFFER_PASSES) {
    g_ptr_array_set_size (task->formats, 0);
    task->format = gst_revbuf_formats_find (task->formats, info);
    task->segment = segment;
  }
  start.format = task->format;
  if (seek != NULL)
    gst_revbuf_record (task->filter, "by", gst_revbuf_seek_fields, seek, 0);
  answer = timeplay_start (task->playback, &start, seek);
  if (answer == TIMEPLAY_STARTED)
    gst_retro_filter_set_passthrough (task->filter, FALSE);
  gst_revbuf_seek_task_end_call (task, "start", gst_revbuf_start_fields, &start,
      answer);
  if (answer != TIMEPLAY_STARTED)
    return answer;
  return gst_revbuf_seek_task_start_thread (task) ? answer : TIMEPLAY_REFUSED;
}

gboolean
gst_revbuf_seek_task_start (GstRevBufSeekTask * task)
{
  return begin (task, gst_retro_filter_get_info (task->filter), NULL)
      != TIMEPLAY_REFUSED;
}

/* ---- seeks ---------------------------------------------------------------- */

gboolean
gst_revbuf_seek_task_start_by_seek (GstRevBufSeekTask * task,
    const TimePlaySeek * seek)
{
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (task->filter->sinkpad);
  GstAudioInfo info;

  if (caps == NULL || !gst_audio_info_from_caps (&info, caps)
      || gst_revbuf_source_ask (task->filter, &info) != TIMEPLAY_SOURCE_SEEKS
      || begin (task, &info, seek) == TIMEPLAY_REFUSED)
    return FALSE;
  if (seek->flags & GST_SEEK_FLAG_FLUSH)
    gst_revbuf_seek_task_flush (task, seek->seqnum);
  return TRUE;
}

TimePlayAnswer
gst_revbuf_seek_task_seek (GstRevBufSeekTask * task, TimePlaySeek * seek)
{
  const TimePlaySeek asked = *seek;
  TimePlayAnswer answer;

  g_mutex_lock (&task->lock);
  answer = timeplay_seek (task->playback, seek);
  gst_revbuf_seek_task_end_call (task, "seek", gst_revbuf_seek_fields, &asked,
      answer);
  if (answer == TIMEPLAY_ACCEPTED && (seek->flags & GST_SEEK_FLAG_FLUSH))
    gst_revbuf_seek_task_flush (task, seek->seqnum);
  return answer;
}

void
gst_revbuf_seek_task_seek_past (GstRevBufSeekTask * task, guint32 seqnum)
{
  g_mutex_lock (&task->lock);
  timeplay_seek_past (task->playback, seqnum);
  gst_revbuf_seek_task_end_call (task, "seek_past", gst_revbuf_number_fields,
      &seqnum, 0);
}

/* ---- upstream's buffers ---------------------------------------------------- */

/* Adds @buffer to @run, without the lock. Returns TRUE if the run needs more buffers. If the
 * run is complete or the buffer could not be read, reports this to the playback. */
static gboolean
fill (GstRevBufSeekTask * task, TimePlayRun * run, GstBuffer * buffer,
    gsize * first)
{
  gboolean wants_more;
  gboolean understood = gst_revbuf_run_add (GST_OBJECT (task->filter), run,
      buffer, &task->format, &task->segment, first, &wants_more);

  if (understood && wants_more)
    return TRUE;
  g_atomic_pointer_set (&task->run, NULL);
  g_mutex_lock (&task->lock);
  timeplay_filled (task->playback, understood);
  gst_revbuf_seek_task_end_call (task, "filled", gst_revbuf_number_fields,
      &understood, 0);
  return FALSE;
}

/* Waits until the playback knows what to do with a buffer. Sets `run` to the run to which
 * the buffer must be added, or to NULL. */
static TimePlayReception
receive (GstRevBufSeekTask * task)
{
  TimePlayReception reception;
  TimePlayRun *run;
  AUTO_LOCK (task);

  while ((reception = timeplay_receive (task->playback, &run))
      == TIMEPLAY_BUFFER_WAITS)
    g_cond_wait (&task->changed, &task->lock);
  g_atomic_pointer_set (&task->run, run);
  if (run != NULL)
    gst_revbuf_record (task->filter, "receive", NULL, NULL, 0);
  return reception;
}

GstFlowReturn
gst_revbuf_seek_task_chain (GstRevBufSeekTask * task, GstBuffer * buffer)
{
  g_autoptr (GstBuffer) taken = buffer;
  TimePlayRun *run;
  gsize first = 0;

  for (;;) {
    run = g_atomic_pointer_get (&task->run);
    if (run != NULL && fill (task, run, taken, &first))
      return GST_FLOW_OK;
    switch (receive (task)) {
      case TIMEPLAY_BUFFER_FILLS:
        break;
      case TIMEPLAY_BUFFER_IS_DROPPED:
        return GST_FLOW_OK;
      case TIMEPLAY_BUFFER_IS_LATE:
        return GST_FLOW_EOS;
      default:
        return GST_FLOW_FLUSHING;
    }
  }
}

/* ---- upstream's events ------------------------------------------------------ */

/* Whether the STREAM_START @event begins a different stream from the current one. If a
 * player repeats a song, the new stream has the same id, but a different group. */
static gboolean
is_other_stream (GstPad * sinkpad, GstEvent * event)
{
  g_autoptr (GstEvent) now =
      gst_pad_get_sticky_event (sinkpad, GST_EVENT_STREAM_START, 0);
  const gchar *id, *next_id;
  guint group, next_group;

  if (now == NULL)
    return FALSE;
  gst_event_parse_stream_start (now, &id);
  gst_event_parse_stream_start (event, &next_id);
  return !g_str_equal (id, next_id)
      || (gst_event_parse_group_id (now, &group)
      && gst_event_parse_group_id (event, &next_group) && group != next_group);
}

/* Sets @parsed to the kind and the contents of @event, and @segment if @event is a SEGMENT.
 * The caller must hold the lock. */
static void
parse_event (GstRevBufSeekTask * task, GstEvent * event,
    TimePlayEvent * parsed, GstSegment * segment)
{
  GstAudioInfo info;
  GstCaps *caps;

  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_FLUSH_START:
      parsed->kind = TIMEPLAY_FLUSH_START;
      break;
    case GST_EVENT_FLUSH_STOP:
      parsed->kind = TIMEPLAY_FLUSH_STOP;
      break;
    case GST_EVENT_SEGMENT:
      parsed->kind = TIMEPLAY_NEW_SEGMENT;
      gst_event_copy_segment (event, segment);
      parsed->segment = place_of (segment);
      parsed->empty = segment->stop <= segment->start;
      break;
    case GST_EVENT_CAPS:
      parsed->kind = TIMEPLAY_NEW_FORMAT;
      gst_event_parse_caps (event, &caps);
      if (gst_audio_info_from_caps (&info, caps))
        parsed->format = gst_revbuf_formats_find (task->formats, &info);
      break;
    case GST_EVENT_EOS:
      parsed->kind = TIMEPLAY_STREAM_END;
      break;
    case GST_EVENT_STREAM_START:
      parsed->kind = is_other_stream (task->filter->sinkpad, event) ?
          TIMEPLAY_NEW_STREAM : TIMEPLAY_GAP;
      break;
    case GST_EVENT_SEGMENT_DONE:
      parsed->kind = TIMEPLAY_SEGMENT_END;
      break;
    case GST_EVENT_GAP:
      parsed->kind = TIMEPLAY_GAP;
      break;
    default:
      parsed->kind = TIMEPLAY_OTHER_EVENT;
      break;
  }
}

/* Forwards a flush that was not caused by a fetch. */
static void
forward_flush (GstRevBufSeekTask * task, GstEvent * event)
{
  gboolean starts = GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_START;

  if (!starts) {
    gst_revbuf_seek_task_begin_sending (task);
    gst_retro_filter_reset_running_time (task->filter);
  }
  gst_pad_push_event (task->filter->srcpad, event);
  if (!starts)
    gst_revbuf_seek_task_end_passing (task);
}

TimePlayRoute
gst_revbuf_seek_task_event (GstRevBufSeekTask * task, GstEvent * event)
{
  TimePlayEvent parsed = {.seqnum = gst_event_get_seqnum (event) };
  gboolean held = FALSE;
  GstSegment segment;
  TimePlayRoute route;

  if (GST_EVENT_TYPE (event) == GST_EVENT_SEGMENT
      && gst_revbuf_seek_task_get_state (task, NULL).awaits_segment)
    parsed.duration_ns = gst_retro_filter_query_duration (task->filter);

  g_mutex_lock (&task->lock);
  /* All events except FLUSH_START, even FLUSH_STOP, arrive under the stream lock of the
   * sink pad. Therefore no buffer is being added to a run now, and `run` can be cleared. */
  if (GST_EVENT_TYPE (event) != GST_EVENT_FLUSH_START)
    g_atomic_pointer_set (&task->run, NULL);
  parsed.in_seek = task->fetching_thread == g_thread_self ();
  parse_event (task, event, &parsed, &segment);
  while ((route = timeplay_event (task->playback, &parsed)) == TIMEPLAY_HOLD) {
    gst_revbuf_record (task->filter, "event", gst_revbuf_event_fields, &parsed,
        route);
    if (!held) {
      held = TRUE;
      task->changes++;
      g_cond_broadcast (&task->changed);
    }
    g_cond_wait (&task->changed, &task->lock);
  }
  if (route != TIMEPLAY_PASS && parsed.kind == TIMEPLAY_NEW_SEGMENT)
    task->segment = segment;
  if (route != TIMEPLAY_PASS && parsed.format.rate > 0)
    task->format = parsed.format;
  if (route == TIMEPLAY_KEEP)
    g_queue_push_tail (&task->events, event);
  gst_revbuf_seek_task_end_call (task, "event", gst_revbuf_event_fields,
      &parsed, route);
  if (route == TIMEPLAY_SEND)
    forward_flush (task, event);
  else if (route == TIMEPLAY_DROP)
    gst_event_unref (event);
  return route;
}

void
gst_revbuf_seek_task_pass_segment_end (GstRevBufSeekTask * task,
    GstEvent * event)
{
  gint64 position_ns;

  gst_event_parse_segment_done (event, NULL, &position_ns);
  gst_revbuf_output_close_segment (task->filter, &task->segment_is_open,
      position_ns, gst_event_get_seqnum (event));
}
