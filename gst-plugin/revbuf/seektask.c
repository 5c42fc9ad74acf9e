/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "revbuf/seektask.h"
#include "revbuf/cursor.h"
#include "revbuf/sharedsource.h"

GST_DEBUG_CATEGORY_EXTERN (gst_revbuf_debug);
#define GST_CAT_DEFAULT gst_revbuf_debug

/* Buffers of 1/25 s: a change of direction waits for one at most. */
#define BUFFERS_PER_SECOND 25

/* How long a flushing seek may take. */
#define FLUSH_PATIENCE_US G_TIME_SPAN_SECOND

/* No change of direction is asked for. */
#define NO_TURN (-1)

struct _GstRevBufSeekTask
{
  GstRetroFilter *filter;
  GstPad *srcpad, *sinkpad;
  const GstRevBufSettings *settings;
  GstRevBufUpstream *upstream;
  gint active;                  /* atomic */
  GThread *thread;              /* atomic: the one that plays */

  /* over a request and the flush that goes with it */
  GRecMutex flush_lock;

  /* under the lock */
  GstRevBufLock lock;
  gboolean released;            /* the element stops */
  gboolean held;                /* upstream is flushed by somebody else */
  gboolean flushing;            /* FLUSH_START has been sent, and no FLUSH_STOP */
  gboolean flush_pending;       /* … or FLUSH_STOP is still being sent */
  GstRevBufRequest request;
  guint requests, handled;      /* how many */
  guint sent;                   /* how many buffers */
  gint turn_to;                 /* a direction, or NO_TURN */
  GstClockTime position_ns;     /* while nothing has been sent */
  GstClockTime end_ns;          /* of the stream; NONE: not known */

  /* the thread that plays */
  GstRevBufCursor cursor;
  gboolean stopped;             /* nothing is to be sent before a request */
};

/* ---- sending ------------------------------------------------------------ */

/* A decoder tells its tags after every seek. */
static gboolean
is_known (GstRevBufSeekTask * task, GstEvent * event)
{
  GstEvent *known;
  gboolean equal;

  if (!GST_EVENT_IS_STICKY (event))
    return FALSE;
  known = gst_pad_get_sticky_event (task->srcpad, GST_EVENT_TYPE (event), 0);
  equal = known != NULL && gst_event_get_structure (known) != NULL
      && gst_event_get_structure (event) != NULL
      && gst_structure_is_equal (gst_event_get_structure (known),
      gst_event_get_structure (event));
  gst_clear_event (&known);
  return equal;
}

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
    if (is_known (task, event))
      gst_event_unref (event);
    else
      gst_pad_push_event (task->srcpad, event);
  }
}

static void
send_eos (GstRevBufSeekTask * task)
{
  GstEvent *event = gst_event_new_eos ();

  gst_event_set_seqnum (event, task->cursor.seqnum);
  gst_pad_push_event (task->srcpad, event);
}

/* Nothing more is sent before a request. Where one has come already, or somebody
 * else flushes, upstream is needed for that. */
static void
stop (GstRevBufSeekTask * task)
{
  GstFlowReturn after = gst_revbuf_source_ends_together (task->sinkpad) ?
      GST_FLOW_OK : GST_FLOW_EOS;

  task->stopped = TRUE;
  gst_revbuf_lock_acquire (&task->lock);
  if (task->requests == task->handled && !task->held)
    gst_revbuf_upstream_finish (task->upstream, after);
  gst_revbuf_lock_release (&task->lock);
}

static void
flow_stopped (GstRevBufSeekTask * task, GstFlowReturn ret)
{
  GST_DEBUG_OBJECT (task->filter, "sending stopped: %s",
      gst_flow_get_name (ret));
  if (ret == GST_FLOW_FLUSHING) {
    task->stopped = TRUE;
    return;
  }
  if (ret == GST_FLOW_NOT_LINKED || ret == GST_FLOW_NOT_NEGOTIATED)
    GST_ELEMENT_FLOW_ERROR (task->filter, ret);
  stop (task);
  if (ret != GST_FLOW_EOS)
    send_eos (task);
}

static gboolean
send_some (GstRevBufSeekTask * task)
{
  GstRevBufCursor *cursor = &task->cursor;
  gint64 n_frames = MIN (gst_revbuf_cursor_ready_frames (cursor),
      MAX (cursor->planner.limits.rate / BUFFERS_PER_SECOND, 1));
  GstFlowReturn ret;

  if (n_frames == 0)
    return FALSE;

  gst_revbuf_cursor_start_output (cursor);
  send_events (task);
  ret = gst_revbuf_cursor_send (cursor, n_frames);

  gst_revbuf_lock_acquire (&task->lock);
  task->sent++;
  if (task->requests == task->handled)  /* else it is the next one's */
    task->position_ns = GST_CLOCK_TIME_NONE;
  gst_revbuf_lock_release (&task->lock);
  if (ret != GST_FLOW_OK)
    flow_stopped (task, ret);
  return TRUE;
}

/* ---- the end ------------------------------------------------------------ */

static void
send_segment_done (GstRevBufSeekTask * task)
{
  GstRevBufCursor *cursor = &task->cursor;
  GstClockTime end_ns = timedsp_time_of (gst_revbuf_cursor_get_boundary
      (cursor), cursor->planner.limits.rate);
  GstMessage *message = gst_message_new_segment_done (GST_OBJECT
      (task->filter), GST_FORMAT_TIME, end_ns);
  GstEvent *event = gst_event_new_segment_done (GST_FORMAT_TIME, end_ns);

  gst_message_set_seqnum (message, cursor->seqnum);
  gst_element_post_message (GST_ELEMENT (task->filter), message);
  gst_event_set_seqnum (event, cursor->seqnum);
  gst_pad_push_event (task->srcpad, event);
}

static void
finish (GstRevBufSeekTask * task)
{
  gst_revbuf_cursor_start_output (&task->cursor);
  send_events (task);
  stop (task);
  if (task->cursor.segment.flags & GST_SEGMENT_FLAG_SEGMENT)
    send_segment_done (task);
  else
    send_eos (task);
}

static void
fail (GstRevBufSeekTask * task)
{
  gst_retro_filter_fail (task->filter,
      g_steal_pointer (&task->cursor.planner.error));
  stop (task);
  send_eos (task);
}

/* At the end of a pass, the next one, or the end. */
static gboolean
end_pass (GstRevBufSeekTask * task)
{
  if (!gst_revbuf_cursor_is_at_end (&task->cursor))
    return FALSE;

  if (gst_revbuf_cursor_has_lost_stream (&task->cursor)) {
    g_set_error (&task->cursor.planner.error, GST_RESOURCE_ERROR,
        GST_RESOURCE_ERROR_SEEK, "Upstream says that it can seek, but sends "
        "no audio after a seek: set mode=collect on %s.",
        GST_OBJECT_NAME (task->filter));
    fail (task);
  } else if (!gst_revbuf_cursor_next_pass (&task->cursor)) {
    if (gst_revbuf_planner_is_followed (&task->cursor.planner))
      fail (task);
    else
      finish (task);
  }
  return TRUE;
}

/* Whether @result is no reason to stop; if it is one, that is dealt with. */
static gboolean
is_fine (GstRevBufSeekTask * task, GstRevBufPlannerResult result)
{
  if (result == GST_REVBUF_PLANNER_FAILED)
    fail (task);
  return result != GST_REVBUF_PLANNER_FAILED;
}

/* ---- requests ----------------------------------------------------------- */

static void
publish_end (GstRevBufSeekTask * task)
{
  const TimeDSPFetchLimits *limits = &task->cursor.planner.limits;

  gst_revbuf_lock_acquire (&task->lock);
  if (limits->end_frame != TIMEDSP_UNKNOWN)
    task->end_ns = timedsp_time_of (limits->end_frame, limits->rate);
  gst_revbuf_lock_release (&task->lock);
}

/* The beginning of the stream is kept before anything is fetched. With it,
 * parsers have seen enough to tell a duration. */
static gboolean
awaits_head (GstRevBufSeekTask * task, const GstRevBufRequest * request)
{
  GstRevBufPlanner *planner = &task->cursor.planner;

  if (!request->initial)
    planner->awaits_head = FALSE;
  if (planner->awaits_head) {
    task->cursor.seqnum = request->seqnum;      /* of EOS, should it fail */
    is_fine (task, gst_revbuf_planner_admit (planner, request->direction, 0));
  }
  publish_end (task);
  return planner->awaits_head;
}

static void
serve (GstRevBufSeekTask * task, const GstRevBufRequest * request,
    gboolean flushing)
{
  GstMessage *message;

  task->stopped = FALSE;
  gst_revbuf_cursor_serve (&task->cursor, request, flushing);
  if (!(request->segment.flags & GST_SEGMENT_FLAG_SEGMENT))
    return;

  message = gst_message_new_segment_start (GST_OBJECT (task->filter),
      GST_FORMAT_TIME, request->segment.start);
  gst_message_set_seqnum (message, request->seqnum);
  gst_element_post_message (GST_ELEMENT (task->filter), message);
}

/* Ends the flush downstream, unless yet another one has begun. */
static void
end_flush (GstRevBufSeekTask * task, guint id, guint32 seqnum)
{
  gboolean stop;

  g_rec_mutex_lock (&task->flush_lock);
  gst_revbuf_lock_acquire (&task->lock);
  task->handled = id;
  stop = task->flushing && task->requests == id && !task->held;
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

static gboolean
handle_request (GstRevBufSeekTask * task)
{
  gboolean flushing, pending;
  GstRevBufRequest request;
  guint id;

  gst_revbuf_lock_acquire (&task->lock);
  id = task->requests;
  pending = id != task->handled;
  request = task->request;
  flushing = task->flushing;
  gst_revbuf_lock_release (&task->lock);
  if (!pending || awaits_head (task, &request))
    return FALSE;

  serve (task, &request, flushing);
  /* a fetch also makes sure that nobody else is sending any more */
  if (!task->cursor.placed)
    is_fine (task, gst_revbuf_cursor_fetch (&task->cursor));
  end_flush (task, id, request.seqnum);
  return TRUE;
}

static gboolean
handle_turn (GstRevBufSeekTask * task)
{
  gint direction;

  gst_revbuf_lock_acquire (&task->lock);
  direction = task->turn_to;
  task->turn_to = NO_TURN;
  gst_revbuf_lock_release (&task->lock);
  if (direction == NO_TURN || direction == (gint) task->cursor.direction)
    return FALSE;

  gst_revbuf_cursor_turn (&task->cursor, direction);
  return TRUE;
}

/* ---- the thread --------------------------------------------------------- */

static gboolean
fetch_some (GstRevBufSeekTask * task)
{
  GstRevBufPlannerResult result = gst_revbuf_cursor_fetch (&task->cursor);

  publish_end (task);
  return !is_fine (task, result) || result == GST_REVBUF_PLANNER_ACTIVE;
}

static gboolean
do_something (GstRevBufSeekTask * task)
{
  gboolean held;

  gst_revbuf_lock_acquire (&task->lock);
  held = task->held;
  gst_revbuf_lock_release (&task->lock);
  if (held)
    return FALSE;
  if (handle_request (task))
    return TRUE;
  if (task->stopped)
    return FALSE;
  return handle_turn (task)
      || gst_revbuf_cursor_follow_switch (&task->cursor)
      || fetch_some (task) || send_some (task) || end_pass (task);
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
 * before that is in it, and one that comes later is handled after it. */
static void
post (GstRevBufSeekTask * task, const GstRevBufRequest * request)
{
  const GstRevBufRequest *before = &task->request;
  gboolean foreign = request->foreign, pending = task->requests
      != task->handled && before->foreign;
  GstAudioInfo info = foreign ? request->info : before->info;

  task->request = *request;
  task->request.foreign = foreign || pending;
  task->request.info = info;
  task->requests++;
  task->turn_to = NO_TURN;
  task->position_ns = request->direction == TIMEDSP_BACKWARD ?
      request->segment.stop : request->segment.start;
  if (request->last_frame != TIMEDSP_UNKNOWN)
    task->position_ns = timedsp_time_of (request->last_frame,
        task->cursor.planner.limits.rate);
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
    const GstAudioInfo * info, guint32 seqnum)
{
  GstRevBufSeekTask *task = data;
  GstClockTime duration_ns = gst_retro_filter_query_duration (task->filter);
  GstRevBufRequest request;

  gst_revbuf_lock_acquire (&task->lock);
  gst_revbuf_request_from_segment (&request, segment, duration_ns,
      is_reverse (task), TRUE, TRUE);
  request.seqnum = seqnum;
  request.foreign = TRUE;
  request.info = *info;
  task->end_ns = GST_CLOCK_TIME_NONE;
  task->held = FALSE;
  post (task, &request);
  gst_revbuf_lock_release_and_signal (&task->lock);
}

/* ---- seeks -------------------------------------------------------------- */

static gboolean
run_seek (GstRevBufSeekTask * task, GstEvent * event, const GstSegment * now,
    gboolean initial)
{
  GstRevBufRequest request;
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
  request.initial = initial;
  task->flushing |= flush;
  task->flush_pending |= flush;
  post (task, &request);
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
  now = task->request.asked;
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
  GstRevBufCursor *cursor = &task->cursor;
  GstRevBufRun *head = NULL;

  gst_revbuf_cursor_open (cursor, start->info, start->base_ns);
  if (at_start)
    head = gst_revbuf_planner_new_head (&cursor->planner,
        gst_revbuf_cursor_frame_at (cursor, start->segment->time));
  task->stopped = TRUE;
  gst_revbuf_lock_acquire (&task->lock);
  task->released = task->held = FALSE;
  task->flushing = task->flush_pending = FALSE;
  task->requests = task->handled = 0;
  task->turn_to = NO_TURN;
  task->end_ns = GST_CLOCK_TIME_NONE;
  gst_revbuf_lock_release (&task->lock);
  gst_revbuf_upstream_open (task->upstream, start->info, start->segment,
      start->contested, head);
}

/* Where no thread can be started, nothing may wait for it. */
static gboolean
start_thread (GstRevBufSeekTask * task)
{
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
  request.initial = TRUE;
  request.last_frame = start->last_frame;
  gst_revbuf_lock_acquire (&task->lock);
  post (task, &request);
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
  gst_revbuf_planner_clear (&task->cursor.planner);
}

GstRevBufSeekTask *
gst_revbuf_seek_task_new (GstRetroFilter * filter, GstPad * sinkpad,
    GstPad * srcpad, const GstRevBufSettings * settings)
{
  GstRevBufSeekTask *task = g_new0 (GstRevBufSeekTask, 1);
  const GstRevBufUpstreamListener listener = { foreign_flush, foreign_segment,
    task
  };

  task->filter = task->cursor.filter = filter;
  task->cursor.output.filter = filter;
  task->sinkpad = sinkpad;
  task->srcpad = task->cursor.output.srcpad = srcpad;
  task->settings = task->cursor.settings = settings;
  g_rec_mutex_init (&task->flush_lock);
  g_mutex_init (&task->lock.lock);
  g_cond_init (&task->lock.changed);
  task->upstream = gst_revbuf_upstream_new (GST_ELEMENT (filter), sinkpad,
      &task->lock, &listener);
  gst_revbuf_planner_init (&task->cursor.planner, GST_ELEMENT (filter),
      task->upstream, &task->lock);
  task->turn_to = NO_TURN;
  task->position_ns = task->end_ns = GST_CLOCK_TIME_NONE;
  return task;
}

void
gst_revbuf_seek_task_free (GstRevBufSeekTask * task)
{
  gst_revbuf_planner_clear (&task->cursor.planner);
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
  task->turn_to = direction;
  gst_revbuf_lock_release_and_signal (&task->lock);
}

void
gst_revbuf_seek_task_wake (GstRevBufSeekTask * task)
{
  gst_revbuf_lock_acquire (&task->lock);
  gst_revbuf_lock_release_and_signal (&task->lock);
}

/* @time_ns is one of those under the lock. */
static GstClockTime
read_time (GstRevBufSeekTask * task, const GstClockTime * time_ns)
{
  GstClockTime value_ns;

  gst_revbuf_lock_acquire (&task->lock);
  value_ns = *time_ns;
  gst_revbuf_lock_release (&task->lock);
  return value_ns;
}

GstClockTime
gst_revbuf_seek_task_get_position (GstRevBufSeekTask * task)
{
  return read_time (task, &task->position_ns);
}

GstClockTime
gst_revbuf_seek_task_get_duration (GstRevBufSeekTask * task)
{
  return read_time (task, &task->end_ns);
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
  GstRevBufStats stats;

  gst_revbuf_lock_acquire (&task->lock);
  stats = task->cursor.planner.stats;
  gst_revbuf_lock_release (&task->lock);
  return gst_structure_new ("application/x-revbuf-stats",
      "blocks", G_TYPE_UINT64, stats.blocks,
      "seams-verified", G_TYPE_UINT64, stats.seams_verified,
      "seams-aligned", G_TYPE_UINT64, stats.seams_aligned,
      "seams-crossfaded", G_TYPE_UINT64, stats.seams_crossfaded,
      "prerolls-widened", G_TYPE_UINT64, stats.prerolls_widened,
      "preroll-frames", G_TYPE_INT64, stats.preroll_frames, NULL);
}
