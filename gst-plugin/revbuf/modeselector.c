/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "revbuf/modeselector.h"
#include "common/pcmbuffer.h"
#include "common/segment.h"
#include "revbuf/httpsource.h"
#include "revbuf/upstream.h"
#include "revbuf/watch.h"

GST_DEBUG_CATEGORY_EXTERN (gst_revbuf_debug);
#define GST_CAT_DEFAULT gst_revbuf_debug

/* Parsers estimate a duration after 50 frames of theirs, of 1152 or 2048
 * samples: 2.6 s at 40 kHz. */
#define MAX_WAIT_SECONDS 4
#define MAX_WAIT_BUFFERS 1000   /* whatever is in them: they take memory, too */

/* timedsp_frame_at() is exact below that. */
#define TOO_HIGH_RATE 500000000

struct _GstRevBufModeSelector
{
  GstRetroFilter *filter;
  GstRevBufSeekTask *task;
  const GstRevBufSettings *settings;    /* under the object lock */
  GstRevBufCollectFunc collect;
  GstRetroFilterClass *base;    /* what the task does not handle goes there */

  /* under the object lock */
  GstRevBufPath path;           /* written by the streaming thread alone */
  GstClockTime start_position_ns;       /* while nothing has been sent */
  GstClockTime passed_ns;       /* end of what has gone through untouched */
  gboolean cannot_seek;         /* upstream, as of this segment */
  gboolean keeping;             /* more of it is to be collected */

  GMutex start_lock;            /* the seek task is started once … */
  gboolean stopping;            /* … and not on the way to READY, */
  gboolean flushing;            /* or within a flush of the base class's */
  GQueue seeks;                 /* or while some go past: the numbers of those
                                 * whose segments have not come … */
  guint32 last_seek;            /* … and that of the last one, … */
  gboolean limits;              /* … which has asked for a stop */

  gint buffers;                 /* atomic: that have come */
  GstClockID watch;

  /* streaming thread */
  GstSegment segment;           /* what comes */
  guint segments;               /* since the element started */
  GQueue waiting;               /* PATH_SEEK: until the duration is known */
  guint64 waiting_frames;
};

GstRevBufModeSelector *
gst_revbuf_mode_selector_new (GstRetroFilter * filter,
    GstRevBufSeekTask * task, const GstRevBufSettings * settings,
    GstRevBufCollectFunc collect)
{
  GstRevBufModeSelector *selector = g_new0 (GstRevBufModeSelector, 1);

  selector->filter = filter;
  selector->task = task;
  selector->settings = settings;
  selector->collect = collect;
  selector->base = g_type_class_peek (GST_TYPE_RETRO_FILTER);
  selector->start_position_ns = selector->passed_ns = GST_CLOCK_TIME_NONE;
  g_mutex_init (&selector->start_lock);
  return selector;
}

static void
forget_waiting (GstRevBufModeSelector * selector)
{
  g_queue_clear_full (&selector->waiting, (GDestroyNotify) gst_buffer_unref);
  selector->waiting_frames = 0;
}

void
gst_revbuf_mode_selector_free (GstRevBufModeSelector * selector)
{
  forget_waiting (selector);
  g_queue_clear (&selector->seeks);
  g_mutex_clear (&selector->start_lock);
  g_free (selector);
}

static void
set_stopping (GstRevBufModeSelector * selector, gboolean stopping)
{
  g_mutex_lock (&selector->start_lock);
  selector->stopping = stopping;
  selector->flushing = FALSE;
  g_mutex_unlock (&selector->start_lock);
}

/* Whether upstream may be waiting for somebody who waits for us. */
static void
look_for_wait (gpointer data, GstRevBufWait * wait)
{
  static const gchar *const split =
      "give the audio a source of its own, or turn "
      "it around before the stream is split (a film plays backwards by a seek of "
      "negative rate)";
  GstRevBufModeSelector *selector = data;
  GstRevBufPath path;
  gboolean keeping;

  GST_OBJECT_LOCK (selector->filter);
  path = selector->path;
  keeping = selector->keeping;
  GST_OBJECT_UNLOCK (selector->filter);
  if (gst_revbuf_seek_task_is_active (selector->task)) {
    /* of a whole block: beside a branch that plays, its audio comes no faster
     * than that */
    if (gst_revbuf_seek_task_is_waiting (selector->task, &wait->progress))
      wait->advice = split;
    return;
  }
  wait->progress = g_atomic_int_get (&selector->buffers);
  if (path == GST_REVBUF_PATH_SEEK)
    wait->advice = split;
  else if (keeping)
    wait->advice = "put a queue with max-size-buffers=0 max-size-bytes=0 "
        "max-size-time=0 in front of that";
}

void
gst_revbuf_mode_selector_open (GstRevBufModeSelector * selector)
{
  selector->segments = 0;
  set_stopping (selector, FALSE);
  selector->watch =
      gst_revbuf_watch_start (GST_ELEMENT (selector->filter), look_for_wait,
      selector);
}

void
gst_revbuf_mode_selector_close (GstRevBufModeSelector * selector)
{
  gst_revbuf_watch_stop (selector->watch);
  selector->watch = NULL;
  set_stopping (selector, TRUE);
}

/* ---- the path of a stream ------------------------------------------------- */

/* Whether a frame can be told from its neighbours by its time, in whole ns. */
static gboolean
has_times (const GstAudioInfo * info)
{
  return GST_AUDIO_INFO_RATE (info) < TOO_HIGH_RATE;
}

/* Whether blocks can be fetched from upstream. */
static gboolean
can_seek (GstRevBufModeSelector * selector, const GstAudioInfo * info)
{
  GstQuery *query;
  gboolean seekable = FALSE;

  if (!has_times (info))
    return FALSE;
  query = gst_query_new_seeking (GST_FORMAT_TIME);
  if (gst_pad_peer_query (selector->filter->sinkpad, query))
    gst_query_parse_seeking (query, NULL, &seekable, NULL, NULL);
  gst_query_unref (query);
  return seekable && !gst_retro_filter_is_live (selector->filter)
      && !gst_revbuf_http_source_lacks_ranges (selector->filter->sinkpad);
}

/* Whether the properties ask for what only the seek task can do, or does best. */
static gboolean
wants_task (const GstRevBufSettings * settings)
{
  return (settings->mode == GST_REVBUF_MODE_AUTO
      || settings->mode == GST_REVBUF_MODE_SEEK)
      && (settings->direction == GST_REVBUF_REVERSE
      || settings->loop != GST_REVBUF_LOOP_NONE);
}

static void
warn_cannot_seek (GstRevBufModeSelector * selector, const gchar * instead)
{
  if (has_times (gst_retro_filter_get_info (selector->filter)))
    GST_ELEMENT_WARNING (selector->filter, RESOURCE, SEEK,
        ("The stream cannot be seeked, so %s: put %s behind something that can "
            "seek.", instead, GST_OBJECT_NAME (selector->filter)), (NULL));
  else
    GST_ELEMENT_WARNING (selector->filter, RESOURCE, SEEK,
        ("The rate is too high for a seek to find a frame, so %s: put "
            "audioresample in front of %s.", instead,
            GST_OBJECT_NAME (selector->filter)), (NULL));
}

/* Where upstream has turned or scaled the audio already, places in the stream
 * are not what a seek reaches. */
static gboolean
is_plain (const GstSegment * segment)
{
  return segment->rate > 0 && segment->applied_rate == 1.0;
}

static GstRevBufPath
choose_path (GstRevBufModeSelector * selector,
    const GstRevBufSettings * settings, const GstSegment * segment)
{
  /* both a negative rate and direction=reverse ask for the same: backwards */
  if (gst_retro_filter_is_flipping (selector->filter))
    return GST_REVBUF_PATH_PASS;
  if (wants_task (settings)) {
    if (is_plain (segment)
        && can_seek (selector, gst_retro_filter_get_info (selector->filter)))
      return GST_REVBUF_PATH_SEEK;
    if (settings->loop != GST_REVBUF_LOOP_NONE)
      warn_cannot_seek (selector, "it is not looped");
    else if (settings->mode == GST_REVBUF_MODE_SEEK)
      warn_cannot_seek (selector, "it is collected");
  }

  if (settings->direction == GST_REVBUF_FORWARD)
    return GST_REVBUF_PATH_PASS;
  return settings->mode == GST_REVBUF_MODE_CHUNK ? GST_REVBUF_PATH_CHUNK :
      GST_REVBUF_PATH_COLLECT;
}

static void
set_path (GstRevBufModeSelector * selector, GstRevBufPath path,
    GstClockTime start_position_ns)
{
  gboolean keeping = path == GST_REVBUF_PATH_COLLECT
      && !gst_retro_filter_is_live (selector->filter);

  GST_OBJECT_LOCK (selector->filter);
  selector->path = path;
  selector->keeping = keeping;
  selector->start_position_ns = start_position_ns;
  selector->passed_ns = GST_CLOCK_TIME_NONE;
  selector->cannot_seek = FALSE;
  GST_OBJECT_UNLOCK (selector->filter);
}

GstRevBufPath
gst_revbuf_mode_selector_set_segment (GstRevBufModeSelector * selector,
    const GstRevBufSettings * settings, const GstSegment * segment)
{
  GstRevBufPath path = choose_path (selector, settings, segment);

  forget_waiting (selector);
  selector->segment = *segment;
  selector->segments++;
  set_path (selector, path,
      path !=
      GST_REVBUF_PATH_COLLECT ? GST_CLOCK_TIME_NONE :
      gst_segment_to_stream_time (segment, GST_FORMAT_TIME, segment->stop));
  GST_DEBUG_OBJECT (selector->filter, "path %d for %" GST_SEGMENT_FORMAT, path,
      segment);
  return path;
}

void
gst_revbuf_mode_selector_reset (GstRevBufModeSelector * selector)
{
  forget_waiting (selector);
  GST_OBJECT_LOCK (selector->filter);
  selector->path = GST_REVBUF_PATH_PASS;
  selector->keeping = FALSE;
  GST_OBJECT_UNLOCK (selector->filter);
}

GstRevBufPath
gst_revbuf_mode_selector_get_path (const GstRevBufModeSelector * selector)
{
  return selector->path;
}

/* ---- starting the seek task ---------------------------------------------- */

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
 * us. With the start lock. */
static gboolean
is_contested (GstRevBufModeSelector * selector, guint32 seqnum)
{
  return seqnum != selector->last_seek && gst_revbuf_upstream_is_fetch (seqnum);
}

/* Whether somebody has asked for the stop of @segment: what is said to be the end
 * may be none to the frame. Of a seek that has not come by, only the segment is
 * known. With the start lock. */
static gboolean
is_limited (GstRevBufModeSelector * selector, const GstSegment * segment,
    guint32 seqnum)
{
  if (seqnum == selector->last_seek)
    return selector->limits;
  return selector->segments > 1
      || (segment->flags & GST_SEGMENT_FLAG_RESET) != 0;
}

/* Running time and frame of @start, if buffers up to @passed_ns have gone through
 * untouched; NONE: none have. */
static void
go_on_from (GstRevBufStart * start, GstClockTime passed_ns)
{
  const GstSegment *segment = start->segment;

  start->base_ns = passed_running_time (segment, passed_ns);
  start->last_frame = TIMEDSP_UNKNOWN;
  if (GST_CLOCK_TIME_IS_VALID (passed_ns))
    start->last_frame = timedsp_frame_at (gst_segment_to_stream_time (segment,
            GST_FORMAT_TIME, CLAMP (passed_ns, segment->start, segment->stop)),
        GST_AUDIO_INFO_RATE (start->info)) - 1;
}

/* FALSE: the element stops, or is flushed or sought. */
static gboolean
start_task (GstRevBufModeSelector * selector, GstClockTime passed_ns)
{
  GstSegment segment;
  GstRevBufStart start = {
    .info = gst_retro_filter_get_info (selector->filter),
    .segment = &segment,
    .duration_ns = gst_retro_filter_query_duration (selector->filter),
    .is_fresh = selector->segments == 1
  };
  gboolean active;

  /* a flush takes the segment away */
  if (!gst_retro_pad_get_segment (selector->filter->sinkpad, &segment,
          &start.seqnum))
    return FALSE;
  go_on_from (&start, passed_ns);
  gst_retro_filter_set_passthrough (selector->filter, FALSE);

  g_mutex_lock (&selector->start_lock);
  start.contested = is_contested (selector, start.seqnum);
  start.limited = is_limited (selector, &segment, start.seqnum);
  if (!selector->stopping && !selector->flushing && selector->seeks.length == 0
      && !gst_revbuf_seek_task_is_active (selector->task))
    gst_revbuf_seek_task_start (selector->task, &start);
  active = gst_revbuf_seek_task_is_active (selector->task);
  g_mutex_unlock (&selector->start_lock);
  return active;
}

/* Starts the task with the seek @event, unless it has been started meanwhile. */
static gboolean
start_or_seek (GstRevBufModeSelector * selector, GstEvent * event,
    const GstRevBufStart * start)
{
  gboolean active, started = FALSE;

  g_mutex_lock (&selector->start_lock);
  active = gst_revbuf_seek_task_is_active (selector->task);
  if (!active && !selector->stopping && !selector->flushing)
    started = gst_revbuf_seek_task_start_by_seek (selector->task, event, start);
  g_mutex_unlock (&selector->start_lock);
  return active ? gst_revbuf_seek_task_seek (selector->task, event) : started;
}

gboolean
gst_revbuf_mode_selector_start_by_seek (GstRevBufModeSelector * selector,
    GstEvent * event)
{
  g_autoptr (GstCaps) caps =
      gst_pad_get_current_caps (selector->filter->sinkpad);
  GstSegment segment;
  GstAudioInfo info;
  GstRevBufStart start = {.info = &info,.segment = &segment };
  GstClockTime passed_ns;

  GST_OBJECT_LOCK (selector->filter);
  passed_ns = selector->passed_ns;
  GST_OBJECT_UNLOCK (selector->filter);
  if (caps == NULL || !gst_audio_info_from_caps (&info, caps)
      || !gst_retro_pad_get_segment (selector->filter->sinkpad, &segment, NULL)
      || !can_seek (selector, &info))
    return FALSE;
  start.duration_ns = gst_retro_filter_query_duration (selector->filter);
  go_on_from (&start, passed_ns);
  if (!start_or_seek (selector, event, &start))
    return FALSE;
  gst_retro_filter_set_passthrough (selector->filter, FALSE);
  gst_revbuf_seek_task_wait_for_flush (selector->task);
  return TRUE;
}

gboolean
gst_revbuf_mode_selector_begin_seek (GstRevBufModeSelector * selector,
    guint32 seqnum, gboolean limits)
{
  gboolean goes_past;

  g_mutex_lock (&selector->start_lock);
  goes_past = !gst_revbuf_seek_task_is_active (selector->task);
  if (goes_past) {
    g_queue_push_tail (&selector->seeks, GUINT_TO_POINTER (seqnum));
    selector->last_seek = seqnum;
    selector->limits = limits;
  }
  g_mutex_unlock (&selector->start_lock);
  return goes_past;
}

void
gst_revbuf_mode_selector_end_seek (GstRevBufModeSelector * selector,
    guint32 seqnum)
{
  g_mutex_lock (&selector->start_lock);
  g_queue_remove (&selector->seeks, GUINT_TO_POINTER (seqnum));
  g_mutex_unlock (&selector->start_lock);
}

static gboolean
is_sought (GstRevBufModeSelector * selector)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&selector->start_lock);

  return selector->seeks.length > 0;
}

/* ---- a stream that goes through untouched ---------------------------------- */

/* Whether the seek task has to take over before the next buffer: direction or
 * loop has been set. */
static gboolean
must_start_task (GstRevBufModeSelector * selector, GstClockTime * passed_ns)
{
  gboolean wanted, loop;
  GstSegment segment;

  GST_OBJECT_LOCK (selector->filter);
  *passed_ns = selector->passed_ns;
  loop = selector->settings->loop != GST_REVBUF_LOOP_NONE;
  wanted = !selector->cannot_seek && wants_task (selector->settings);
  GST_OBJECT_UNLOCK (selector->filter);

  if (!wanted || gst_retro_filter_is_flipping (selector->filter)
      || is_sought (selector)
      || !gst_retro_pad_get_segment (selector->filter->sinkpad, &segment, NULL))
    return FALSE;
  if (is_plain (&selector->segment)
      && can_seek (selector, gst_retro_filter_get_info (selector->filter)))
    return TRUE;

  GST_OBJECT_LOCK (selector->filter);
  selector->cannot_seek = TRUE;
  GST_OBJECT_UNLOCK (selector->filter);
  warn_cannot_seek (selector, loop ? "it is not looped" :
      "it is turned around from the next segment on");
  return FALSE;
}

static void
note_passed (GstRevBufModeSelector * selector, GstBuffer * buffer)
{
  const GstAudioInfo *info = gst_retro_filter_get_info (selector->filter);

  if (!GST_BUFFER_PTS_IS_VALID (buffer))
    return;
  GST_OBJECT_LOCK (selector->filter);
  selector->passed_ns = GST_BUFFER_PTS (buffer)
      + gst_util_uint64_scale_int (gst_retro_buffer_frames (buffer, info),
      GST_SECOND, GST_AUDIO_INFO_RATE (info));
  GST_OBJECT_UNLOCK (selector->filter);
}

/* FALSE as start_player(). */
static gboolean
pass_or_start (GstRevBufModeSelector * selector, GstBuffer * buffer)
{
  GstClockTime passed_ns;

  if (must_start_task (selector, &passed_ns))
    return start_task (selector, passed_ns);
  note_passed (selector, buffer);
  return TRUE;
}

/* ---- a stream that waits for the seek task ------------------------------- */

/* Parsers learn where the end is, if ever, from some of the audio. */
static gboolean
is_end_unknown (GstRevBufModeSelector * selector)
{
  return !GST_CLOCK_TIME_IS_VALID (selector->segment.stop)
      && gst_retro_filter_query_duration (selector->filter) ==
      GST_CLOCK_TIME_NONE;
}

static gboolean
must_wait (GstRevBufModeSelector * selector)
{
  const GstAudioInfo *info = gst_retro_filter_get_info (selector->filter);

  return is_end_unknown (selector)
      && selector->waiting.length < MAX_WAIT_BUFFERS
      && selector->waiting_frames <
      (guint64) GST_AUDIO_INFO_RATE (info) * MAX_WAIT_SECONDS;
}

/* An end that cannot be told is waited for, unless the application insists. */
static gboolean
must_collect (GstRevBufModeSelector * selector)
{
  gboolean insists;

  GST_OBJECT_LOCK (selector->filter);
  insists = selector->settings->mode == GST_REVBUF_MODE_SEEK
      || selector->settings->direction == GST_REVBUF_FORWARD;
  GST_OBJECT_UNLOCK (selector->filter);
  return !insists && is_end_unknown (selector);
}

/* Decides how the stream is turned around, and does so with what has waited. */
static GstFlowReturn
stop_waiting (GstRevBufModeSelector * selector)
{
  GstFlowReturn ret = GST_FLOW_OK;
  GQueue waiting = selector->waiting;
  GstBuffer *buffer;

  g_queue_init (&selector->waiting);
  if (waiting.length == 0 || must_collect (selector)) {
    selector->collect (selector->filter, &selector->segment);
    set_path (selector, GST_REVBUF_PATH_COLLECT, GST_CLOCK_TIME_NONE);
  } else if (!start_task (selector, GST_CLOCK_TIME_NONE)) {
    ret = GST_FLOW_FLUSHING;
  }
  while (ret == GST_FLOW_OK && (buffer = g_queue_pop_head (&waiting)) != NULL)
    ret = gst_revbuf_mode_selector_chain (selector, buffer);
  g_queue_clear_full (&waiting, (GDestroyNotify) gst_buffer_unref);
  return ret;
}

static GstFlowReturn
wait_or_start (GstRevBufModeSelector * selector, GstBuffer * buffer)
{
  const GstAudioInfo *info = gst_retro_filter_get_info (selector->filter);
  GstBuffer *kept = gst_retro_buffer_keep (buffer, info);

  gst_buffer_unref (buffer);
  if (kept == NULL)
    return gst_retro_filter_fail_memory (selector->filter);
  g_queue_push_tail (&selector->waiting, kept);
  selector->waiting_frames += gst_retro_buffer_frames (kept, info);
  return must_wait (selector) ? GST_FLOW_OK : stop_waiting (selector);
}

/* ---- what upstream brings -------------------------------------------------- */

GstFlowReturn
gst_revbuf_mode_selector_chain (GstRevBufModeSelector * selector,
    GstBuffer * buffer)
{
  g_atomic_int_inc (&selector->buffers);
  if (!gst_revbuf_seek_task_is_active (selector->task)
      && GST_AUDIO_INFO_IS_VALID (gst_retro_filter_get_info (selector->filter))) {
    if (selector->path == GST_REVBUF_PATH_SEEK)
      return wait_or_start (selector, buffer);
    if (selector->path == GST_REVBUF_PATH_PASS
        && !pass_or_start (selector, buffer)) {
      gst_buffer_unref (buffer);
      return GST_FLOW_FLUSHING;
    }
  }
  if (gst_revbuf_seek_task_is_active (selector->task))
    return gst_revbuf_seek_task_chain (selector->task, buffer);
  return selector->base->chain (selector->filter, buffer);
}

/* Whether @event is for the seek task. The two halves of a flush go the same way.
 * The segment of a seek has its number. Where an element has lost that, a flush
 * says that seeks no longer wait for the streaming thread. */
static gboolean
is_for_task (GstRevBufModeSelector * selector, GstEvent * event)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&selector->start_lock);
  gboolean active = gst_revbuf_seek_task_is_active (selector->task);

  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_SEGMENT:
      g_queue_remove (&selector->seeks,
          GUINT_TO_POINTER (gst_event_get_seqnum (event)));
      break;
    case GST_EVENT_FLUSH_START:
      selector->flushing = !active;
      break;
    case GST_EVENT_FLUSH_STOP:
      selector->flushing = FALSE;
      g_queue_clear (&selector->seeks);
      break;
    default:
      break;
  }
  return active;
}

/* What has been collected is sent, which takes as long as it plays. */
static void
note_end (GstRevBufModeSelector * selector, GstEvent * event)
{
  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_EOS:
    case GST_EVENT_SEGMENT_DONE:
    case GST_EVENT_STREAM_START:
    case GST_EVENT_SEGMENT:
    case GST_EVENT_CAPS:
      GST_OBJECT_LOCK (selector->filter);
      selector->keeping = FALSE;
      GST_OBJECT_UNLOCK (selector->filter);
      break;
    default:
      break;
  }
}

gboolean
gst_revbuf_mode_selector_event (GstRevBufModeSelector * selector,
    GstEvent * event)
{
  gboolean ret = TRUE;

  note_end (selector, event);
  if (GST_EVENT_TYPE (event) == GST_EVENT_EOS
      && !gst_revbuf_seek_task_is_active (selector->task)
      && selector->path == GST_REVBUF_PATH_SEEK)
    stop_waiting (selector);
  if (is_for_task (selector, event))
    ret = gst_revbuf_seek_task_event (selector->task, &event);
  if (event == NULL)
    return ret;
  return selector->base->sink_event (selector->filter, event);
}

/* ---- the position ---------------------------------------------------------- */

GstClockTime
gst_revbuf_mode_selector_get_position (GstRevBufModeSelector * selector)
{
  GstClockTime position_ns;
  GstRevBufPath path;

  GST_OBJECT_LOCK (selector->filter);
  path = selector->path;
  position_ns = selector->start_position_ns;
  GST_OBJECT_UNLOCK (selector->filter);

  if (gst_revbuf_seek_task_is_active (selector->task)) {
    position_ns = gst_revbuf_seek_task_get_position (selector->task);
    path = GST_REVBUF_PATH_SEEK;
    if (GST_CLOCK_TIME_IS_VALID (position_ns))
      return position_ns;
  }
  if ((path != GST_REVBUF_PATH_COLLECT && path != GST_REVBUF_PATH_SEEK)
      || gst_retro_filter_get_position (selector->filter)
      != GST_CLOCK_TIME_NONE)
    return GST_CLOCK_TIME_NONE;
  /* where it was sought to, or the end */
  return GST_CLOCK_TIME_IS_VALID (position_ns) ? position_ns :
      gst_retro_filter_query_duration (selector->filter);
}
