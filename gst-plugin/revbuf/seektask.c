/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "revbuf/seektask.h"
#include "revbuf/outputsegment.h"
#include "revbuf/report.h"
#include "revbuf/request.h"
#include "revbuf/sharedsource.h"
#include "revbuf/upstream.h"

GST_DEBUG_CATEGORY_EXTERN (gst_revbuf_debug);
#define GST_CAT_DEFAULT gst_revbuf_debug

/* How long a flushing seek may take. */
#define FLUSH_PATIENCE_US G_TIME_SPAN_SECOND

struct _GstRevBufSeekTask
{
  GstRetroFilter *filter;
  GstPad *srcpad, *sinkpad;
  const GstRevBufSettings *settings;
  GstRevBufUpstream *upstream;
  gint active;                  /* atomic */
  GThread *thread;              /* atomic: the one that plays */

  GRecMutex flush_lock;         /* over a request and its flush */

  /* under the lock */
  GstRevBufLock lock;
  TimePlayback *playback;
  GstSegment asked;             /* last, as the application sees it */
  guint rate;                   /* frames per second */
  guint sent;                   /* how many buffers */
  gboolean released;            /* the element stops */
  gboolean held;                /* upstream is flushed by somebody else */
  gboolean flushing;            /* FLUSH_START has been sent, and no FLUSH_STOP */
  gboolean flush_pending;       /* … or FLUSH_STOP is still being sent */
};

/* ---- sending ------------------------------------------------------------ */

static void
send_events (GstRevBufSeekTask * task)
{
  GstEvent *event;

  for (;;) {
    gst_revbuf_lock_acquire (&task->lock);
    event = gst_revbuf_upstream_pop_event (task->upstream);
    gst_revbuf_lock_release (&task->lock);
    if (event == NULL)
      return;
    gst_revbuf_output_send_event (task->srcpad, event);
  }
}

/* Nothing more is sent before a seek. Where one has come already, or somebody
 * else flushes, upstream is needed for that. */
static void
let_upstream_go (GstRevBufSeekTask * task)
{
  GstFlowReturn after = gst_revbuf_source_ends_together (task->sinkpad) ?
      GST_FLOW_OK : GST_FLOW_EOS;

  gst_revbuf_lock_acquire (&task->lock);
  if (!timeplay_has_seek (task->playback) && !task->held)
    gst_revbuf_upstream_finish (task->upstream, after);
  gst_revbuf_lock_release (&task->lock);
}

static gboolean
send_frames (GstRevBufSeekTask * task, const TimePlayAction * action)
{
  GstFlowReturn ret;

  send_events (task);
  ret = gst_revbuf_output_send_frames (task->filter, action);
  gst_revbuf_lock_acquire (&task->lock);
  task->sent++;
  gst_revbuf_lock_release (&task->lock);
  if (ret == GST_FLOW_OK)
    return TRUE;
  GST_DEBUG_OBJECT (task->filter, "sending stopped: %s",
      gst_flow_get_name (ret));
  if (ret == GST_FLOW_FLUSHING)
    return FALSE;
  if (ret == GST_FLOW_NOT_LINKED || ret == GST_FLOW_NOT_NEGOTIATED)
    GST_ELEMENT_FLOW_ERROR (task->filter, ret);
  let_upstream_go (task);
  if (ret != GST_FLOW_EOS)
    gst_revbuf_output_send_eos (task->srcpad, action);
  return FALSE;
}

static void
finish (GstRevBufSeekTask * task, const TimePlayAction * action)
{
  send_events (task);
  let_upstream_go (task);
  if (action->flags & GST_SEGMENT_FLAG_SEGMENT)
    gst_revbuf_output_send_segment_done (task->filter, task->srcpad, action);
  else
    gst_revbuf_output_send_eos (task->srcpad, action);
}

/* ---- actions ------------------------------------------------------------- */

/* Ends the flush downstream, unless yet another one has begun. */
static void
end_flush (GstRevBufSeekTask * task, guint32 seqnum)
{
  gboolean stop;

  g_rec_mutex_lock (&task->flush_lock);
  gst_revbuf_lock_acquire (&task->lock);
  stop = task->flushing && !task->held && !timeplay_has_seek (task->playback);
  if (stop)
    task->flushing = FALSE;
  gst_revbuf_lock_release (&task->lock);
  if (stop) {
    GstEvent *event = gst_event_new_flush_stop (TRUE);

    gst_event_set_seqnum (event, seqnum);
    gst_pad_push_event (task->srcpad, event);
    gst_revbuf_lock_acquire (&task->lock);
    task->flush_pending = task->flushing;
    gst_revbuf_lock_release_and_signal (&task->lock);
  }
  g_rec_mutex_unlock (&task->flush_lock);
}

static void
perform (GstRevBufSeekTask * task, const TimePlayAction * action,
    TimePlayOutcome * outcome)
{
  switch (action->kind) {
    case TIMEPLAY_WAIT:
      break;
    case TIMEPLAY_REPORT:
      gst_revbuf_report (task->filter, action, task->rate);
      break;
    case TIMEPLAY_ASK_DURATION:
      outcome->duration_ns = gst_retro_filter_query_duration (task->filter);
      break;
    case TIMEPLAY_FETCH:
      outcome->ok = gst_revbuf_upstream_obtain (task->upstream, action);
      break;
    case TIMEPLAY_SEGMENT:
      outcome->open = gst_revbuf_output_send_segment (task->filter,
          task->srcpad, action);
      break;
    case TIMEPLAY_FRAMES:
      outcome->ok = send_frames (task, action);
      break;
    case TIMEPLAY_SERVED:
      gst_revbuf_output_tell_segment_start (task->filter, action);
      end_flush (task, action->seqnum);
      break;
    case TIMEPLAY_END:
      finish (task, action);
      break;
    case TIMEPLAY_FAIL:
      gst_revbuf_report_error (task->filter, action);
      let_upstream_go (task);
      gst_revbuf_output_send_eos (task->srcpad, action);
      break;
  }
}

/* ---- the thread --------------------------------------------------------- */

/* With the lock. */
static void
configure (GstRevBufSeekTask * task)
{
  TimePlaySettings now;

  GST_OBJECT_LOCK (task->filter);
  now = gst_revbuf_settings_of_playback (task->settings);
  GST_OBJECT_UNLOCK (task->filter);
  timeplay_configure (task->playback, &now);
}

static gboolean
do_something (GstRevBufSeekTask * task)
{
  TimePlayOutcome outcome = { FALSE, FALSE, GST_CLOCK_TIME_NONE };
  TimePlayAction action = { TIMEPLAY_WAIT };
  TimePlayArrival arrival;

  gst_revbuf_lock_acquire (&task->lock);
  if (!task->held) {
    gst_revbuf_upstream_pop_arrival (task->upstream, &arrival);
    timeplay_arrive (task->playback, &arrival);
    configure (task);
    timeplay_next (task->playback, &action);
  }
  gst_revbuf_lock_release (&task->lock);
  if (action.kind == TIMEPLAY_WAIT)
    return FALSE;

  perform (task, &action, &outcome);
  gst_revbuf_lock_acquire (&task->lock);
  timeplay_done (task->playback, &outcome);
  gst_revbuf_lock_release (&task->lock);
  return TRUE;
}

static void
run (gpointer data)
{
  GstRevBufSeekTask *task = data;
  gboolean released;
  guint changes;

  g_atomic_pointer_set (&task->thread, g_thread_self ());
  gst_revbuf_lock_acquire (&task->lock);
  released = task->released;
  changes = task->lock.changes;
  gst_revbuf_lock_release (&task->lock);
  if (released) {
    gst_pad_pause_task (task->srcpad);
    return;
  }
  if (do_something (task))
    return;

  gst_revbuf_lock_acquire (&task->lock);
  while (!task->released && task->lock.changes == changes)
    g_cond_wait (&task->lock.changed, &task->lock.lock);
  gst_revbuf_lock_release (&task->lock);
}

/* ---- from other threads -------------------------------------------------- */

/* Under the lock under which the direction of @request was read: a turn that came
 * before that is in it. @format: of a stream that somebody else has sought in. */
static void
post (GstRevBufSeekTask * task, const GstRevBufRequest * request,
    TimePlaySeekKind kind, const TimePlayFormat * format)
{
  const GstSegment *segment = &request->segment;
  TimePlaySeek seek = {.kind = kind,.direction = request->direction };

  seek.rate = ABS (segment->rate);
  seek.start_ns = segment->start;
  seek.stop_ns = segment->stop;
  seek.duration_ns = segment->duration;
  seek.last_frame = request->last_frame;
  seek.flushing = task->flushing;
  if (format != NULL)
    seek.format = *format;
  seek.seqnum = request->seqnum;
  seek.flags = segment->flags & ~GST_SEGMENT_FLAG_RESET;
  seek.first_flags = segment->flags & GST_SEGMENT_FLAG_RESET;
  task->asked = request->asked;
  timeplay_seek (task->playback, &seek);
}

static gboolean
is_reverse (GstRevBufSeekTask * task)
{
  gboolean reverse;

  GST_OBJECT_LOCK (task->filter);
  reverse = task->settings->direction == GST_REVBUF_REVERSE;
  GST_OBJECT_UNLOCK (task->filter);
  return reverse;
}

static void
foreign_flush (gpointer data, GstEvent * flush_start)
{
  GstRevBufSeekTask *task = data;

  g_rec_mutex_lock (&task->flush_lock);
  gst_revbuf_lock_acquire (&task->lock);
  task->held = task->flushing = TRUE;
  gst_revbuf_lock_release_and_signal (&task->lock);
  gst_pad_push_event (task->srcpad, flush_start);
  g_rec_mutex_unlock (&task->flush_lock);
}

static void
foreign_segment (gpointer data, const GstSegment * segment,
    const TimePlayFormat * format, guint32 seqnum)
{
  GstRevBufSeekTask *task = data;
  GstClockTime duration_ns = gst_retro_filter_query_duration (task->filter);
  GstRevBufRequest request;

  gst_revbuf_lock_acquire (&task->lock);
  gst_revbuf_request_from_segment (&request, segment, duration_ns,
      is_reverse (task), TRUE, TRUE);
  request.seqnum = seqnum;
  task->held = FALSE;
  post (task, &request, TIMEPLAY_SEEK_TO, format);
  gst_revbuf_lock_release_and_signal (&task->lock);
}

/* ---- seeks -------------------------------------------------------------- */

static gboolean
run_seek (GstRevBufSeekTask * task, GstEvent * event, const GstSegment * now,
    gboolean starts)
{
  GstRevBufRequest request;
  TimePlaySeekKind kind;
  gboolean flush;

  g_rec_mutex_lock (&task->flush_lock);
  gst_revbuf_lock_acquire (&task->lock);
  if (task->released
      || !gst_revbuf_request_from_seek (&request, event, now, is_reverse (task),
          &flush)) {
    gst_revbuf_lock_release (&task->lock);
    g_rec_mutex_unlock (&task->flush_lock);
    return FALSE;
  }
  task->flushing |= flush;
  task->flush_pending |= flush;
  kind = request.resume ? TIMEPLAY_SEEK_RESUME : TIMEPLAY_SEEK_TO;
  post (task, &request, starts ? TIMEPLAY_SEEK_START : kind, NULL);
  gst_revbuf_lock_release_and_signal (&task->lock);
  if (flush) {
    GstEvent *flush_start = gst_event_new_flush_start ();

    gst_event_set_seqnum (flush_start, request.seqnum);
    gst_pad_push_event (task->srcpad, flush_start);
  }
  g_rec_mutex_unlock (&task->flush_lock);
  return TRUE;
}

/* The pads refuse what is sent before FLUSH_STOP, such as the seek that an
 * application sends next. A seek in the thread that plays cannot wait for it,
 * nor one in a thread that FLUSH_STOP itself waits for (that of a sink behind a
 * queue), which nobody can tell: so it is not waited for long. */
void
gst_revbuf_seek_task_wait_for_flush (GstRevBufSeekTask * task)
{
  gint64 end_us = g_get_monotonic_time () + FLUSH_PATIENCE_US;
  gboolean in_time = TRUE;

  if (g_atomic_pointer_get (&task->thread) == g_thread_self ())
    return;
  gst_revbuf_lock_acquire (&task->lock);
  while (in_time && task->flush_pending && !task->held && !task->released)
    in_time = g_cond_wait_until (&task->lock.changed, &task->lock.lock, end_us);
  gst_revbuf_lock_release (&task->lock);
}

gboolean
gst_revbuf_seek_task_seek (GstRevBufSeekTask * task, GstEvent * event)
{
  GstSegment now;

  gst_revbuf_lock_acquire (&task->lock);
  now = task->asked;
  gst_revbuf_lock_release (&task->lock);
  now.duration = gst_revbuf_seek_task_get_duration (task);
  if (!GST_CLOCK_TIME_IS_VALID (now.duration))
    now.duration = gst_retro_filter_query_duration (task->filter);
  return run_seek (task, event, &now, FALSE);
}

/* ---- beginning and end --------------------------------------------------- */

/* @at_start: what upstream sends now is the beginning of the stream. */
static void
open (GstRevBufSeekTask * task, const GstRevBufStart * start, gboolean at_start)
{
  guint rate = GST_AUDIO_INFO_RATE (start->info);
  TimePlayFormat format = gst_revbuf_upstream_open (task->upstream,
      start->info, start->segment, start->contested);
  TimePlayRun *run;

  gst_revbuf_lock_acquire (&task->lock);
  configure (task);
  run = timeplay_open (task->playback, &format, start->base_ns,
      at_start ? timedsp_frame_at (start->segment->time, rate) :
      TIMEDSP_UNKNOWN);
  task->rate = rate;
  task->released = task->held = FALSE;
  task->flushing = task->flush_pending = FALSE;
  gst_revbuf_lock_release (&task->lock);
  if (run != NULL)
    gst_revbuf_upstream_fill (task->upstream, run);
}

/* Where no thread can be started, nothing may wait for it. */
static gboolean
start_thread (GstRevBufSeekTask * task)
{
  if (task->playback == NULL) {
    gst_retro_filter_fail_memory (task->filter);
    return FALSE;
  }
  g_atomic_int_set (&task->active, TRUE);
  if (gst_pad_start_task (task->srcpad, run, task, NULL))
    return TRUE;

  g_atomic_int_set (&task->active, FALSE);
  gst_task_stop (GST_PAD_TASK (task->srcpad));  /* should it come yet */
  GST_ELEMENT_ERROR (task->filter, RESOURCE, NO_SPACE_LEFT,
      ("Could not start a thread for %s: close other programs, or raise the "
          "limit (ulimit -u).", GST_OBJECT_NAME (task->filter)), (NULL));
  return FALSE;
}

/* If upstream reports no duration and nobody has asked for a stop yet, use the
 * segment's: it is right to the ns, but the last frame may reach farther. */
static GstClockTime
duration_of (const GstRevBufStart * start)
{
  if (!GST_CLOCK_TIME_IS_VALID (start->duration_ns) && start->is_fresh
      && !start->limited && GST_CLOCK_TIME_IS_VALID (start->segment->stop))
    return gst_segment_to_stream_time (start->segment, GST_FORMAT_TIME,
        start->segment->stop);
  return start->duration_ns;
}

void
gst_revbuf_seek_task_start (GstRevBufSeekTask * task,
    const GstRevBufStart * start)
{
  gboolean reverse = is_reverse (task);
  gboolean passed = start->last_frame != TIMEDSP_UNKNOWN;
  GstRevBufRequest request;

  open (task, start, !passed && (start->is_fresh || start->segment->time == 0));
  gst_revbuf_request_from_segment (&request, start->segment,
      duration_of (start), reverse,
      !passed && !start->is_fresh && start->segment->time > 0, start->limited);
  if (start->is_fresh && !start->limited)       /* nobody has asked for a stop */
    request.asked.stop = GST_CLOCK_TIME_NONE;
  request.seqnum = start->seqnum;
  request.last_frame = start->last_frame;
  gst_revbuf_lock_acquire (&task->lock);
  post (task, &request, TIMEPLAY_SEEK_START, NULL);
  gst_revbuf_lock_release (&task->lock);
  /* the property may have changed before the task was active */
  if (start_thread (task) && is_reverse (task) != reverse)
    gst_revbuf_seek_task_turn (task,
        reverse ? TIMEDSP_FORWARD : TIMEDSP_BACKWARD);
}

gboolean
gst_revbuf_seek_task_start_by_seek (GstRevBufSeekTask * task, GstEvent * event,
    const GstRevBufStart * start)
{
  GstRevBufRequest now;

  open (task, start, FALSE);
  gst_revbuf_request_from_segment (&now, start->segment, start->duration_ns,
      FALSE, FALSE, FALSE);
  g_atomic_int_set (&task->active, TRUE);
  if (!run_seek (task, event, &now.asked, TRUE)) {
    g_atomic_int_set (&task->active, FALSE);
    return FALSE;
  }
  return start_thread (task);
}

void
gst_revbuf_seek_task_release (GstRevBufSeekTask * task)
{
  gst_revbuf_upstream_close (task->upstream);
  gst_revbuf_lock_acquire (&task->lock);
  task->released = TRUE;
  gst_revbuf_lock_release_and_signal (&task->lock);
}

void
gst_revbuf_seek_task_stop (GstRevBufSeekTask * task)
{
  /* a thread that could not be started cannot be waited for */
  if (gst_revbuf_seek_task_is_active (task))
    gst_pad_stop_task (task->srcpad);
  g_atomic_int_set (&task->active, FALSE);
  gst_revbuf_lock_acquire (&task->lock);
  timeplay_close (task->playback);
  gst_revbuf_lock_release (&task->lock);
}

GstRevBufSeekTask *
gst_revbuf_seek_task_new (GstRetroFilter * filter, GstPad * sinkpad,
    GstPad * srcpad, const GstRevBufSettings * settings)
{
  GstRevBufSeekTask *task = g_new0 (GstRevBufSeekTask, 1);
  const GstRevBufUpstreamListener listener = { foreign_flush, foreign_segment,
    task
  };

  task->filter = filter;
  task->sinkpad = sinkpad;
  task->srcpad = srcpad;
  task->settings = settings;
  g_rec_mutex_init (&task->flush_lock);
  g_mutex_init (&task->lock.lock);
  g_cond_init (&task->lock.changed);
  task->upstream = gst_revbuf_upstream_new (GST_ELEMENT (filter), sinkpad,
      &task->lock, &listener);
  task->playback = timeplay_new (gst_revbuf_format_convert);
  return task;
}

void
gst_revbuf_seek_task_free (GstRevBufSeekTask * task)
{
  timeplay_free (task->playback);
  gst_revbuf_upstream_free (task->upstream);
  g_cond_clear (&task->lock.changed);
  g_mutex_clear (&task->lock.lock);
  g_rec_mutex_clear (&task->flush_lock);
  g_free (task);
}

/* ---- for the element ----------------------------------------------------- */

gboolean
gst_revbuf_seek_task_is_active (GstRevBufSeekTask * task)
{
  return g_atomic_int_get (&task->active);
}

GstFlowReturn
gst_revbuf_seek_task_chain (GstRevBufSeekTask * task, GstBuffer * buffer)
{
  return gst_revbuf_upstream_chain (task->upstream, buffer);
}

gboolean
gst_revbuf_seek_task_event (GstRevBufSeekTask * task, GstEvent ** event)
{
  return gst_revbuf_upstream_event (task->upstream, event);
}

void
gst_revbuf_seek_task_turn (GstRevBufSeekTask * task, TimeDSPDirection direction)
{
  gst_revbuf_lock_acquire (&task->lock);
  timeplay_turn (task->playback, direction);
  gst_revbuf_lock_release_and_signal (&task->lock);
}

void
gst_revbuf_seek_task_wake (GstRevBufSeekTask * task)
{
  gst_revbuf_lock_acquire (&task->lock);
  gst_revbuf_lock_release_and_signal (&task->lock);
}

GstClockTime
gst_revbuf_seek_task_get_position (GstRevBufSeekTask * task)
{
  GstClockTime position_ns;

  gst_revbuf_lock_acquire (&task->lock);
  position_ns = timeplay_position (task->playback);
  gst_revbuf_lock_release (&task->lock);
  return position_ns;
}

GstClockTime
gst_revbuf_seek_task_get_duration (GstRevBufSeekTask * task)
{
  GstClockTime duration_ns;

  gst_revbuf_lock_acquire (&task->lock);
  duration_ns = timeplay_duration (task->playback);
  gst_revbuf_lock_release (&task->lock);
  return duration_ns;
}

gboolean
gst_revbuf_seek_task_is_waiting (GstRevBufSeekTask * task, guint * progress)
{
  gboolean shared = gst_revbuf_source_is_shared (task->sinkpad), waiting;

  gst_revbuf_lock_acquire (&task->lock);
  waiting = gst_revbuf_upstream_is_waiting (task->upstream)
      || (shared && !gst_revbuf_upstream_is_finished (task->upstream));
  *progress = task->lock.changes + task->sent;
  gst_revbuf_lock_release (&task->lock);
  return waiting;
}

GstStructure *
gst_revbuf_seek_task_get_stats (GstRevBufSeekTask * task)
{
  TimePlayStats stats;

  gst_revbuf_lock_acquire (&task->lock);
  timeplay_stats (task->playback, &stats);
  gst_revbuf_lock_release (&task->lock);
  return gst_revbuf_report_stats (&stats);
}
