/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "revbuf/taskstarter.h"
#include "common/segment.h"
#include "revbuf/httpsource.h"
#include "revbuf/upstream.h"

/* timedsp_frame_at() is exact below that. */
#define TOO_HIGH_RATE 500000000

void
gst_revbuf_task_starter_init (GstRevBufTaskStarter * starter,
    GstRetroFilter * filter, GstRevBufSeekTask * task)
{
  starter->filter = filter;
  starter->task = task;
  starter->passed_ns = GST_CLOCK_TIME_NONE;
  g_mutex_init (&starter->lock);
}

void
gst_revbuf_task_starter_clear (GstRevBufTaskStarter * starter)
{
  g_queue_clear (&starter->seeks);
  g_mutex_clear (&starter->lock);
}

void
gst_revbuf_task_starter_set_stopping (GstRevBufTaskStarter * starter,
    gboolean stopping)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&starter->lock);

  starter->stopping = stopping;
  starter->flushing = FALSE;
  starter->segments = 0;
}

void
gst_revbuf_task_starter_new_segment (GstRevBufTaskStarter * starter)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&starter->lock);

  starter->segments++;
  gst_revbuf_task_starter_note_passed (starter, GST_CLOCK_TIME_NONE);
}

void
gst_revbuf_task_starter_note_passed (GstRevBufTaskStarter * starter,
    GstClockTime end_ns)
{
  GST_OBJECT_LOCK (starter->filter);
  starter->passed_ns = end_ns;
  GST_OBJECT_UNLOCK (starter->filter);
}

gboolean
gst_revbuf_task_starter_has_times (const GstAudioInfo * info)
{
  return GST_AUDIO_INFO_RATE (info) < TOO_HIGH_RATE;
}

gboolean
gst_revbuf_task_starter_can_seek (GstRevBufTaskStarter * starter,
    const GstAudioInfo * info)
{
  GstQuery *query;
  gboolean seekable = FALSE;

  if (!gst_revbuf_task_starter_has_times (info))
    return FALSE;
  query = gst_query_new_seeking (GST_FORMAT_TIME);
  if (gst_pad_peer_query (starter->filter->sinkpad, query))
    gst_query_parse_seeking (query, NULL, &seekable, NULL, NULL);
  gst_query_unref (query);
  return seekable && !gst_retro_filter_is_live (starter->filter)
      && !gst_revbuf_http_source_lacks_ranges (starter->filter->sinkpad);
}

/* ---- starting ---------------------------------------------------------------- */

/* Running time at @passed_ns, which may lie outside of @segment: decoders send
 * audio from before its start. */
static GstClockTime
passed_running_time (const GstSegment * segment, GstClockTime passed_ns)
{
  if (!GST_CLOCK_TIME_IS_VALID (passed_ns) || segment->rate < 0)
    return segment->base;
  return gst_segment_to_running_time (segment, GST_FORMAT_TIME,
      CLAMP (passed_ns, segment->start, segment->stop));
}

/* Whether @seqnum is that of a revbuf that shares our source, and is not behind
 * us. With the lock. */
static gboolean
is_contested (GstRevBufTaskStarter * starter, guint32 seqnum)
{
  return seqnum != starter->last_seek && gst_revbuf_upstream_is_fetch (seqnum);
}

/* Whether somebody has asked for the stop of @segment: what is said to be the end
 * may be none to the frame. Of a seek that has not come by, only the segment is
 * known. With the lock. */
static gboolean
is_limited (GstRevBufTaskStarter * starter, const GstSegment * segment,
    guint32 seqnum)
{
  if (seqnum == starter->last_seek)
    return starter->limits;
  return starter->segments > 1
      || (segment->flags & GST_SEGMENT_FLAG_RESET) != 0;
}

/* Fills in the running time and the frame of @start, from which play goes on. */
static void
go_on_from (GstRevBufTaskStarter * starter, GstRevBufStart * start)
{
  const GstSegment *segment = start->segment;
  GstClockTime passed_ns;

  GST_OBJECT_LOCK (starter->filter);
  passed_ns = starter->passed_ns;
  GST_OBJECT_UNLOCK (starter->filter);
  start->base_ns = passed_running_time (segment, passed_ns);
  start->last_frame = TIMEDSP_UNKNOWN;
  if (GST_CLOCK_TIME_IS_VALID (passed_ns))
    start->last_frame = timedsp_frame_at (gst_segment_to_stream_time (segment,
            GST_FORMAT_TIME, CLAMP (passed_ns, segment->start, segment->stop)),
        GST_AUDIO_INFO_RATE (start->info)) - 1;
}

gboolean
gst_revbuf_task_starter_start (GstRevBufTaskStarter * starter)
{
  GstSegment segment;
  GstRevBufStart start = {
    .info = gst_retro_filter_get_info (starter->filter),.segment = &segment
  };
  gboolean active;

  /* a flush takes the segment away */
  if (!gst_retro_pad_get_segment (starter->filter->sinkpad, &segment,
          &start.seqnum))
    return FALSE;
  go_on_from (starter, &start);
  /* a flush may come meanwhile */
  start.duration_ns = gst_retro_filter_query_duration (starter->filter);
  gst_retro_filter_set_passthrough (starter->filter, FALSE);

  g_mutex_lock (&starter->lock);
  start.is_fresh = starter->segments == 1;
  start.contested = is_contested (starter, start.seqnum);
  start.limited = is_limited (starter, &segment, start.seqnum);
  if (!starter->stopping && !starter->flushing && starter->seeks.length == 0
      && !gst_revbuf_seek_task_is_active (starter->task))
    gst_revbuf_seek_task_start (starter->task, &start);
  active = gst_revbuf_seek_task_is_active (starter->task);
  g_mutex_unlock (&starter->lock);
  return active;
}

/* Starts the task with the seek @event, unless it has been started meanwhile. */
static gboolean
start_or_seek (GstRevBufTaskStarter * starter, GstEvent * event,
    const GstRevBufStart * start)
{
  gboolean active, started = FALSE;

  g_mutex_lock (&starter->lock);
  active = gst_revbuf_seek_task_is_active (starter->task);
  if (!active && !starter->stopping && !starter->flushing)
    started = gst_revbuf_seek_task_start_by_seek (starter->task, event, start);
  g_mutex_unlock (&starter->lock);
  return active ? gst_revbuf_seek_task_seek (starter->task, event) : started;
}

gboolean
gst_revbuf_task_starter_start_by_seek (GstRevBufTaskStarter * starter,
    GstEvent * event)
{
  g_autoptr (GstCaps) caps =
      gst_pad_get_current_caps (starter->filter->sinkpad);
  GstSegment segment;
  GstAudioInfo info;
  GstRevBufStart start = {.info = &info,.segment = &segment };

  if (caps == NULL || !gst_audio_info_from_caps (&info, caps)
      || !gst_retro_pad_get_segment (starter->filter->sinkpad, &segment, NULL)
      || !gst_revbuf_task_starter_can_seek (starter, &info))
    return FALSE;
  go_on_from (starter, &start);
  start.duration_ns = gst_retro_filter_query_duration (starter->filter);
  if (!start_or_seek (starter, event, &start))
    return FALSE;
  gst_retro_filter_set_passthrough (starter->filter, FALSE);
  gst_revbuf_seek_task_wait_for_flush (starter->task);
  return TRUE;
}

/* ---- seeks and events that go past -------------------------------------------- */

gboolean
gst_revbuf_task_starter_begin_seek (GstRevBufTaskStarter * starter,
    guint32 seqnum, gboolean limits)
{
  gboolean goes_past;

  g_mutex_lock (&starter->lock);
  goes_past = !gst_revbuf_seek_task_is_active (starter->task);
  if (goes_past) {
    g_queue_push_tail (&starter->seeks, GUINT_TO_POINTER (seqnum));
    starter->last_seek = seqnum;
    starter->limits = limits;
  }
  g_mutex_unlock (&starter->lock);
  return goes_past;
}

void
gst_revbuf_task_starter_end_seek (GstRevBufTaskStarter * starter,
    guint32 seqnum)
{
  g_mutex_lock (&starter->lock);
  g_queue_remove (&starter->seeks, GUINT_TO_POINTER (seqnum));
  g_mutex_unlock (&starter->lock);
}

gboolean
gst_revbuf_task_starter_is_sought (GstRevBufTaskStarter * starter)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&starter->lock);

  return starter->seeks.length > 0;
}

/* Both halves of a flush go the same way. The segment that answers a seek has the
 * number of the seek. An element may have lost that number; a flush then says that
 * upstream no longer waits for its streaming thread. */
gboolean
gst_revbuf_task_starter_note_event (GstRevBufTaskStarter * starter,
    GstEvent * event)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&starter->lock);
  gboolean active = gst_revbuf_seek_task_is_active (starter->task);

  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_SEGMENT:
      g_queue_remove (&starter->seeks,
          GUINT_TO_POINTER (gst_event_get_seqnum (event)));
      break;
    case GST_EVENT_FLUSH_START:
      starter->flushing = !active;
      break;
    case GST_EVENT_FLUSH_STOP:
      starter->flushing = FALSE;
      g_queue_clear (&starter->seeks);
      break;
    default:
      break;
  }
  return active;
}
