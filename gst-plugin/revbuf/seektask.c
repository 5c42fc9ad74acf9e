/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The thread of the seek task: performs the actions of the playback, and ensures that only
 * one thread sends downstream.
 */

#include "revbuf/seektask-private.h"
#include "revbuf/outputsegment.h"
#include "revbuf/report.h"
#include "revbuf/source.h"

/* ---- the lock ------------------------------------------------------------ */

void
gst_revbuf_seek_task_end_call (GstRevBufSeekTask * task, const gchar * call,
    gconstpointer fields, gconstpointer data, gint64 result)
{
  gst_revbuf_record (task->filter, call, fields, data, result);
  task->changes++;
  g_cond_broadcast (&task->changed);
  g_mutex_unlock (&task->lock);
}

/* Wakes upstream's streaming thread, if its buffer need not wait any more. Waking it after
 * every step of the task's thread would take more time than the step itself. The caller must
 * hold the lock. */
static void
wake_upstream (GstRevBufSeekTask * task)
{
  if (timeplay_receive (task->playback, NULL) != TIMEPLAY_BUFFER_WAITS)
    g_cond_broadcast (&task->changed);
}

/* ---- the right to send --------------------------------------------------- */

static void
end_flush (GstRevBufSeekTask * task)
{
  gboolean stop;

  g_mutex_lock (&task->lock);
  stop = timeplay_end_flush (task->playback);
  gst_revbuf_seek_task_end_call (task, "end_flush", NULL, NULL, stop);
  gst_retro_filter_reset_running_time (task->filter);
  if (stop)
    gst_revbuf_output_send (task->filter->srcpad,
        gst_event_new_flush_stop (TRUE), task->flush_seqnum);
}

void
gst_revbuf_seek_task_begin_sending (GstRevBufSeekTask * task)
{
  GST_PAD_STREAM_LOCK (task->filter->srcpad);
  task->sends++;
}

void
gst_revbuf_seek_task_end_passing (GstRevBufSeekTask * task)
{
  for (; task->sends == 1 && task->open_flushes > 0; task->open_flushes--)
    end_flush (task);
  task->sends--;
  GST_PAD_STREAM_UNLOCK (task->filter->srcpad);
}

/* Flushes as GstBaseSrc does: FLUSH_START makes the sending thread return from its push, and
 * FLUSH_STOP is sent after that. If the caller itself is the sending thread, FLUSH_STOP is
 * sent when it stops sending. */
void
gst_revbuf_seek_task_flush (GstRevBufSeekTask * task, guint32 seqnum)
{
  gst_revbuf_output_send (task->filter->srcpad, gst_event_new_flush_start (),
      seqnum);
  gst_revbuf_seek_task_begin_sending (task);
  task->open_flushes++;
  task->flush_seqnum = seqnum;
  gst_revbuf_seek_task_end_passing (task);
}

/* Calls timeplay_arrive(). The caller must hold the lock. Answers that change nothing are
 * not recorded, because most buffers get such an answer. */
static TimePlayWay
arrive (GstRevBufSeekTask * task, const TimePlayArrival * arrival)
{
  TimePlayWay way = timeplay_arrive (task->playback, arrival);

  if (arrival->kind == TIMEPLAY_ARRIVING_SEGMENT) {
    task->passed_ns = GST_CLOCK_TIME_NONE;
    gst_retro_filter_set_passthrough (task->filter, way == TIMEPLAY_PASSES
        && !arrival->flips);
  } else if (way == TIMEPLAY_PASSES || way == TIMEPLAY_IS_PLAYED)
    return way;
  gst_revbuf_record (task->filter, "arrive", gst_revbuf_arrival_fields, arrival,
      way);
  return way;
}

TimePlayWay
gst_revbuf_seek_task_arrive (GstRevBufSeekTask * task,
    const TimePlayArrival * arrival)
{
  AUTO_LOCK (task);
  return arrive (task, arrival);
}

TimePlayWay
gst_revbuf_seek_task_begin_passing (GstRevBufSeekTask * task,
    const TimePlayArrival * arrival, GstClockTime end_ns)
{
  TimePlayWay way = TIMEPLAY_PASSES;

  /* First ask without the stream lock: if the answer is not PASSES, the task's thread may
   * hold the stream lock for a long time. In passthrough, the task's thread does not hold
   * it, so this first question is skipped. */
  if (!gst_retro_filter_is_passthrough (task->filter))
    way = gst_revbuf_seek_task_arrive (task, arrival);
  if (way != TIMEPLAY_PASSES)
    return way;
  gst_revbuf_seek_task_begin_sending (task);
  g_mutex_lock (&task->lock);
  way = arrive (task, arrival);
  if (way == TIMEPLAY_PASSES && GST_CLOCK_TIME_IS_VALID (end_ns)
      && timeplay_phase (task->playback) == TIMEPLAY_PASSING)
    task->passed_ns = end_ns;
  g_mutex_unlock (&task->lock);
  if (way != TIMEPLAY_PASSES)
    gst_revbuf_seek_task_end_passing (task);
  return way;
}

static void
send_events (GstRevBufSeekTask * task)
{
  GstEvent *event;

  while ((event = g_queue_pop_head (&task->sendable)) != NULL)
    gst_revbuf_output_send_event (task->filter->srcpad, event);
}

/* ---- actions ------------------------------------------------------------- */

static gboolean
seek (GstRevBufSeekTask * task, const TimePlayAction * action,
    GstSeekFlags flags)
{
  GstEvent *event = gst_event_new_seek (1.0, GST_FORMAT_TIME, flags,
      GST_SEEK_TYPE_SET, action->seek_ns, GST_SEEK_TYPE_SET, action->stop_ns);

  GST_DEBUG_OBJECT (task->filter, "fetching from %" GST_TIME_FORMAT,
      GST_TIME_ARGS (action->seek_ns));
  gst_event_set_seqnum (event, action->seqnum);
  return gst_revbuf_source_seek (task->filter, event);
}

/* Performs a FETCH by a seek. A segment seek is tried first, because it does not end with
 * EOS, which would make decodebin report that the stream is about to finish. An ordinary
 * seek is used if upstream refuses the segment seek, or if other branches share the source,
 * because they need EOS at the right time. */
static void
fetch (GstRevBufSeekTask * task, const TimePlayAction * action,
    TimePlayOutcome * outcome)
{
  const GstSeekFlags flags = GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_ACCURATE;
  GstRevBufSource source = gst_revbuf_source_examine (task->filter->sinkpad);
  gboolean ends_early = !action->is_last
      || (action->flags & GST_SEGMENT_FLAG_SEGMENT);

  if (action->is_last && source.is_shared)
    return;
  if (!source.is_shared && ends_early && source.ends_segments) {
    gst_revbuf_output_open_segment (task->filter, &task->segment_is_open,
        action);
    outcome->ok = seek (task, action, flags | GST_SEEK_FLAG_SEGMENT);
  }
  outcome->ok = outcome->ok || seek (task, action, flags);
  outcome->flushing = !outcome->ok
      && gst_revbuf_source_examine (task->filter->sinkpad).is_flushing;
}

static gboolean
is_sent (const TimePlayAction * action)
{
  return action->kind == TIMEPLAY_SEGMENT || action->kind == TIMEPLAY_FRAMES
      || action->kind == TIMEPLAY_SERVED || action->kind == TIMEPLAY_END
      || action->kind == TIMEPLAY_HAND_OVER;
}

static TimePlayOutcome
perform (GstRevBufSeekTask * task, const TimePlayAction * action)
{
  TimePlayOutcome outcome = {.duration_ns = GST_CLOCK_TIME_NONE };
  GstRevBufSource source;

  switch (action->kind) {
    case TIMEPLAY_WAIT:
      break;
    case TIMEPLAY_REPORT:
      gst_revbuf_report (task->filter, action, action->format.rate);
      break;
    case TIMEPLAY_ASK_DURATION:
      outcome.duration_ns = gst_retro_filter_query_duration (task->filter);
      break;
    case TIMEPLAY_ASK_PROMISE:
      if (!gst_revbuf_source_examine (task->filter->sinkpad).has_others)
        outcome.duration_ns = gst_retro_filter_query_duration (task->filter);
      break;
    case TIMEPLAY_FETCH:
      fetch (task, action, &outcome);
      break;
    case TIMEPLAY_SEGMENT:
      outcome.open = gst_revbuf_output_send_segment (task->filter, action);
      break;
    case TIMEPLAY_FRAMES:
      send_events (task);
      outcome.flow = gst_revbuf_output_send_frames (task->filter, action);
      break;
    case TIMEPLAY_SERVED:
      gst_revbuf_output_tell_segment_start (task->filter,
          &task->segment_is_open, action);
      break;
    case TIMEPLAY_FAIL:
      gst_revbuf_report_error (task->filter, action);
      break;
    case TIMEPLAY_LET_GO:
      source = gst_revbuf_source_examine (task->filter->sinkpad);
      outcome.ok = source.ends_together;
      outcome.held = source.is_held;
      break;
    case TIMEPLAY_END:
      send_events (task);
      gst_revbuf_output_send_end (task->filter, &task->segment_is_open, action);
      break;
    case TIMEPLAY_HAND_OVER:
      send_events (task);
      break;
  }
  return outcome;
}

/* ---- the thread --------------------------------------------------------- */

/* Reports the outcome of the last action (NULL: there was none), and sets @action to the next
 * action. Returns `changes`: if the next action is WAIT, wait until `changes` differs. */
static guint
decide (GstRevBufSeekTask * task, const TimePlayOutcome * outcome,
    TimePlayAction * action)
{
  AUTO_LOCK (task);
  if (outcome != NULL) {
    timeplay_done (task->playback, outcome);
    gst_revbuf_record (task->filter, "done", gst_revbuf_outcome_fields,
        outcome, 0);
    task->changes++;
  }
  timeplay_next (task->playback, action);
  gst_revbuf_record (task->filter, "next", gst_revbuf_action_fields, action,
      action->kind);
  task->fetching_thread = NULL;
  if (action->kind == TIMEPLAY_FETCH) {
    task->fetching_thread = g_thread_self ();
    /* buffers from here on belong to the previous run */
    g_atomic_pointer_set (&task->run, NULL);
  }
  if (action->kind == TIMEPLAY_HAND_OVER) {
    gst_retro_filter_follow (task->filter, action->base_ns);
    task->changes++;
    g_cond_broadcast (&task->changed);
  }
  while (is_sent (action) && task->events.length > 0)
    g_queue_push_tail (&task->sendable, g_queue_pop_head (&task->events));
  wake_upstream (task);         /* upstream may already be able to fill the next run */
  return task->changes;
}

/* Waits until `changes` differs from @changes. Returns whether the element stops. */
static gboolean
wait_for_change (GstRevBufSeekTask * task, guint changes)
{
  AUTO_LOCK (task);
  while (timeplay_phase (task->playback) != TIMEPLAY_CLOSED
      && task->changes == changes)
    g_cond_wait (&task->changed, &task->lock);
  return timeplay_phase (task->playback) == TIMEPLAY_CLOSED;
}

/* The function of the pad's task: performs actions until the next action is WAIT, then waits.
 * GstPad calls it with the stream lock of the pad held. The lock is released for actions that
 * send nothing, but not while the playback decides what to send next. */
static void
run (gpointer data)
{
  GstRevBufSeekTask *task = data;
  GstPad *srcpad = task->filter->srcpad;
  TimePlayOutcome outcome;
  TimePlayAction action;
  guint changes = decide (task, NULL, &action);

  while (action.kind != TIMEPLAY_WAIT) {
    if (is_sent (&action)) {
      gst_revbuf_seek_task_begin_sending (task);
      outcome = perform (task, &action);
      gst_revbuf_seek_task_end_passing (task);
    } else {
      GST_PAD_STREAM_UNLOCK (srcpad);
      outcome = perform (task, &action);
      GST_PAD_STREAM_LOCK (srcpad);
    }
    changes = decide (task, &outcome, &action);
  }
  GST_PAD_STREAM_UNLOCK (srcpad);
  if (wait_for_change (task, changes))
    gst_pad_pause_task (srcpad);
  GST_PAD_STREAM_LOCK (srcpad);
}

/* Removes the task of @pad, after its thread could not be started. GstTask treats this task
 * as running: it could never be started again, and joining it would never return. Its
 * callbacks are removed, because the thread pool may still run it when the pad no longer
 * exists. */
static void
give_up_task (GstPad * pad)
{
  GstTask *task;

  GST_OBJECT_LOCK (pad);
  task = g_steal_pointer (&GST_PAD_TASK (pad));
  GST_OBJECT_UNLOCK (pad);
  gst_task_stop (task);
  gst_task_set_enter_callback (task, NULL, NULL, NULL);
  gst_task_set_leave_callback (task, NULL, NULL, NULL);
  gst_object_unref (task);
}

gboolean
gst_revbuf_seek_task_start_thread (GstRevBufSeekTask * task)
{
  GstPad *srcpad = task->filter->srcpad;
  gboolean started = gst_pad_start_task (srcpad, run, task, NULL);

  if (!started)
    give_up_task (srcpad);
  g_mutex_lock (&task->lock);
  timeplay_started (task->playback, started);
  gst_revbuf_seek_task_end_call (task, "started", gst_revbuf_number_fields,
      &started, 0);
  if (started)
    return TRUE;
  GST_ELEMENT_ERROR (task->filter, RESOURCE, NO_SPACE_LEFT,
      ("Could not start a thread for %s: close other programs, or raise the "
          "limit (ulimit -u).", GST_OBJECT_NAME (task->filter)), (NULL));
  return FALSE;
}

/* ---- the element's states ------------------------------------------------- */

void
gst_revbuf_seek_task_configure (GstRevBufSeekTask * task, gboolean turns)
{
  TimePlaySettings now;

  g_mutex_lock (&task->lock);
  GST_OBJECT_LOCK (task->filter);
  now = gst_revbuf_settings_of_playback (task->settings);
  GST_OBJECT_UNLOCK (task->filter);
  now.turns = turns;
  timeplay_configure (task->playback, &now);
  gst_revbuf_seek_task_end_call (task, "configure", gst_revbuf_settings_fields,
      &now, 0);
}

gboolean
gst_revbuf_seek_task_open (GstRevBufSeekTask * task)
{
  if (task->playback == NULL) {
    gst_retro_filter_fail_memory (task->filter);
    return FALSE;
  }
  g_mutex_lock (&task->lock);
  timeplay_open (task->playback);
  task->passed_ns = GST_CLOCK_TIME_NONE;
  gst_revbuf_seek_task_end_call (task, "open", gst_revbuf_number_fields,
      &task->element, 0);
  gst_revbuf_seek_task_configure (task, FALSE);
  return TRUE;
}

void
gst_revbuf_seek_task_close (GstRevBufSeekTask * task)
{
  g_mutex_lock (&task->lock);
  while (timeplay_phase (task->playback) == TIMEPLAY_STARTING)
    g_cond_wait (&task->changed, &task->lock);
  timeplay_close (task->playback);
  g_atomic_pointer_set (&task->run, NULL);
  gst_revbuf_seek_task_end_call (task, "close", NULL, NULL, 0);
}

void
gst_revbuf_seek_task_stop (GstRevBufSeekTask * task)
{
  gst_pad_stop_task (task->filter->srcpad);
  g_mutex_lock (&task->lock);
  timeplay_clear (task->playback);
  g_atomic_int_set (&task->segment_is_open, FALSE);
  g_queue_clear_full (&task->events, (GDestroyNotify) gst_event_unref);
  g_queue_clear_full (&task->sendable, (GDestroyNotify) gst_event_unref);
  gst_revbuf_seek_task_end_call (task, "clear", NULL, NULL, 0);
}

GstRevBufSeekTask *
gst_revbuf_seek_task_new (GstRetroFilter * filter,
    const GstRevBufSettings * settings)
{
  static gint elements;         /* atomic */
  GstRevBufSeekTask *task = g_new0 (GstRevBufSeekTask, 1);

  task->filter = filter;
  task->settings = settings;
  g_mutex_init (&task->lock);
  g_cond_init (&task->changed);
  task->formats = gst_revbuf_formats_new ();
  task->element = (guint) g_atomic_int_add (&elements, 1);
  task->playback = timeplay_new (gst_revbuf_format_convert, task->element);
  return task;
}

void
gst_revbuf_seek_task_free (GstRevBufSeekTask * task)
{
  timeplay_free (task->playback);
  g_ptr_array_unref (task->formats);
  g_cond_clear (&task->changed);
  g_mutex_clear (&task->lock);
  g_free (task);
}

/* ---- for the element ----------------------------------------------------- */

TimePlayState
gst_revbuf_seek_task_get_state (GstRevBufSeekTask * task, guint * progress)
{
  TimePlayState state = { 0 };

  AUTO_LOCK (task);
  timeplay_state (task->playback, &state);
  if (progress != NULL)
    *progress = task->changes;
  return state;
}

gboolean
gst_revbuf_seek_task_is_filling (GstRevBufSeekTask * task)
{
  return g_atomic_pointer_get (&task->run) != NULL;
}

GstStructure *
gst_revbuf_seek_task_get_stats (GstRevBufSeekTask * task)
{
  TimePlayStats stats = { 0 };

  AUTO_LOCK (task);
  timeplay_stats (task->playback, &stats);
  return gst_revbuf_report_stats (&stats);
}
