/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "revbuf/seektask.h"
#include "common/segment.h"
#include "revbuf/fetchedrun.h"
#include "revbuf/httpsource.h"
#include "revbuf/outputsegment.h"
#include "revbuf/record.h"
#include "revbuf/recordfields.h"
#include "revbuf/report.h"
#include "revbuf/sharedsource.h"

GST_DEBUG_CATEGORY_EXTERN (gst_revbuf_debug);
#define GST_CAT_DEFAULT gst_revbuf_debug

/* timedsp_frame_at() is exact below that. */
#define TOO_HIGH_RATE 500000000

struct _GstRevBufSeekTask
{
  GstRetroFilter *filter;
  GstPad *srcpad, *sinkpad;
  const GstRevBufSettings *settings;    /* under the object lock */
  guint element;                /* its number in this process */

  /* The lock, under which upstream's threads, the application's and the one that plays
   * meet; `changed` is broadcast, and `changes` counted, whenever one of them has done
   * something that another may wait for. */
  GMutex lock;
  GCond changed;
  guint changes;
  TimePlayback *playback;
  GPtrArray *formats;
  GQueue events;                /* serialized ones, to be sent on */
  GThread *fetching_thread;     /* from inside of which a seek goes upstream */
  GstClockTime passed_ns;       /* end of what has gone through untouched */
  gboolean has_thread;          /* … to be joined; once the element stops */

  /* under the stream lock of the source pad */
  guint sends;                  /* of its holder, one inside of the other */
  guint open_flushes;           /* to be ended by the holder */
  guint32 flush_seqnum;

  /* upstream's streaming thread */
  TimePlayFormat format;
  GstSegment segment;
};

/* ---- the lock ------------------------------------------------------------ */

static void
acquire (GstRevBufSeekTask * task)
{
  g_mutex_lock (&task->lock);
}

static void
release (GstRevBufSeekTask * task)
{
  g_mutex_unlock (&task->lock);
}

/* Releases the lock, and wakes all that wait. */
static void
signal_and_release (GstRevBufSeekTask * task)
{
  task->changes++;
  g_cond_broadcast (&task->changed);
  release (task);
}

static TimePlayPhase
get_phase (GstRevBufSeekTask * task)
{
  TimePlayPhase phase;

  acquire (task);
  phase = timeplay_phase (task->playback);
  release (task);
  return phase;
}

/* What is only an order to the playback, or has one number. With the lock. */
static void
record (GstRevBufSeekTask * task, const gchar * call, guint32 number,
    gint64 result)
{
  gst_revbuf_record (task->filter, call, gst_revbuf_number_fields, &number,
      result);
}

/* ---- who sends ----------------------------------------------------------- */

static void
end_flush (GstRevBufSeekTask * task, guint32 seqnum)
{
  gboolean stop;

  acquire (task);
  stop = timeplay_end_flush (task->playback);
  record (task, "end_flush", 0, stop);
  signal_and_release (task);
  if (stop) {
    GstEvent *event = gst_event_new_flush_stop (TRUE);

    gst_event_set_seqnum (event, seqnum);
    gst_pad_push_event (task->srcpad, event);
  }
}

static void
begin_sending (GstRevBufSeekTask * task)
{
  GST_PAD_STREAM_LOCK (task->srcpad);
  task->sends++;
}

static void
end_sending (GstRevBufSeekTask * task)
{
  for (; task->sends == 1 && task->open_flushes > 0; task->open_flushes--)
    end_flush (task, task->flush_seqnum);
  task->sends--;
  GST_PAD_STREAM_UNLOCK (task->srcpad);
}

/* As GstBaseSrc does: from FLUSH_START on, the thread that sends comes back, and
 * FLUSH_STOP is sent when it has. In that thread itself, after what it is sending. */
static void
flush (GstRevBufSeekTask * task, guint32 seqnum)
{
  GstEvent *event = gst_event_new_flush_start ();

  gst_event_set_seqnum (event, seqnum);
  gst_pad_push_event (task->srcpad, event);
  begin_sending (task);
  task->open_flushes++;
  task->flush_seqnum = seqnum;
  end_sending (task);
}

gboolean
gst_revbuf_seek_task_begin_passing (GstRevBufSeekTask * task)
{
  if (get_phase (task) != TIMEPLAY_PASSING)
    return FALSE;
  begin_sending (task);
  if (get_phase (task) == TIMEPLAY_PASSING)
    return TRUE;
  end_sending (task);
  return FALSE;
}

void
gst_revbuf_seek_task_end_passing (GstRevBufSeekTask * task)
{
  end_sending (task);
}

static void
send_events (GstRevBufSeekTask * task)
{
  GstEvent *event;

  for (;;) {
    acquire (task);
    event = g_queue_pop_head (&task->events);
    release (task);
    if (event == NULL)
      return;
    gst_revbuf_output_send_event (task->srcpad, event);
  }
}

/* ---- actions ------------------------------------------------------------- */

static TimePlayFlow
send_frames (GstRevBufSeekTask * task, const TimePlayAction * action)
{
  GstFlowReturn ret;

  send_events (task);
  ret = gst_revbuf_output_send_frames (task->filter, action);
  if (ret == GST_FLOW_OK)
    return TIMEPLAY_FLOW_OK;
  GST_DEBUG_OBJECT (task->filter, "sending stopped: %s",
      gst_flow_get_name (ret));
  if (ret == GST_FLOW_FLUSHING)
    return TIMEPLAY_FLOW_FLUSHING;
  if (ret == GST_FLOW_NOT_LINKED || ret == GST_FLOW_NOT_NEGOTIATED)
    GST_ELEMENT_FLOW_ERROR (task->filter, ret);
  return ret == GST_FLOW_EOS ? TIMEPLAY_FLOW_END : TIMEPLAY_FLOW_FAILED;
}

static void
send_end (GstRevBufSeekTask * task, const TimePlayAction * action)
{
  send_events (task);
  if (action->flags & GST_SEGMENT_FLAG_SEGMENT)
    gst_revbuf_output_send_segment_done (task->filter, task->srcpad, action);
  else
    gst_revbuf_output_send_eos (task->srcpad, action);
}

/* Sends upstream what makes it play from there. */
static void
fetch (GstRevBufSeekTask * task, const TimePlayAction * action,
    TimePlayOutcome * outcome)
{
  GstEvent *event = gst_event_new_seek (1.0, GST_FORMAT_TIME,
      GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_ACCURATE, GST_SEEK_TYPE_SET,
      action->seek_ns, GST_SEEK_TYPE_SET, action->stop_ns);

  GST_DEBUG_OBJECT (task->filter, "fetching from %" GST_TIME_FORMAT,
      GST_TIME_ARGS (action->seek_ns));
  gst_event_set_seqnum (event, action->seqnum);
  outcome->ok = gst_pad_push_event (task->sinkpad, event);
  outcome->flushing = !outcome->ok
      && gst_revbuf_source_is_flushing (task->sinkpad);
}

static gboolean
is_sent (const TimePlayAction * action)
{
  return action->kind == TIMEPLAY_SEGMENT || action->kind == TIMEPLAY_FRAMES
      || action->kind == TIMEPLAY_SERVED || action->kind == TIMEPLAY_END;
}

static void
perform (GstRevBufSeekTask * task, const TimePlayAction * action,
    TimePlayOutcome * outcome)
{
  switch (action->kind) {
    case TIMEPLAY_WAIT:
      break;
    case TIMEPLAY_REPORT:
      gst_revbuf_report (task->filter, action, action->format.rate);
      break;
    case TIMEPLAY_ASK_DURATION:
      outcome->duration_ns = gst_retro_filter_query_duration (task->filter);
      break;
    case TIMEPLAY_FETCH:
      fetch (task, action, outcome);
      break;
    case TIMEPLAY_SEGMENT:
      outcome->open = gst_revbuf_output_send_segment (task->filter,
          task->srcpad, action);
      break;
    case TIMEPLAY_FRAMES:
      outcome->flow = send_frames (task, action);
      break;
    case TIMEPLAY_SERVED:
      gst_revbuf_output_tell_segment_start (task->filter, action);
      break;
    case TIMEPLAY_FAIL:
      gst_revbuf_report_error (task->filter, action);
      break;
    case TIMEPLAY_LET_GO:
      outcome->ok = gst_revbuf_source_ends_together (task->sinkpad);
      break;
    case TIMEPLAY_END:
      send_end (task, action);
      break;
  }
}

/* ---- the thread --------------------------------------------------------- */

/* The next action. Returns FALSE where there is none before `changes` counts on. */
static gboolean
decide (GstRevBufSeekTask * task, TimePlayAction * action, guint * changes)
{
  acquire (task);
  *changes = task->changes;
  timeplay_next (task->playback, action);
  gst_revbuf_record (task->filter, "next", gst_revbuf_action_fields, action,
      action->kind);
  if (action->kind == TIMEPLAY_FETCH)
    task->fetching_thread = g_thread_self ();
  /* the run that is next may be upstream's already */
  g_cond_broadcast (&task->changed);
  release (task);
  return action->kind != TIMEPLAY_WAIT;
}

static void
tell (GstRevBufSeekTask * task, const TimePlayOutcome * outcome)
{
  acquire (task);
  timeplay_done (task->playback, outcome);
  gst_revbuf_record (task->filter, "done", gst_revbuf_outcome_fields, outcome,
      0);
  task->fetching_thread = NULL;
  signal_and_release (task);
}

static void
wait_for_change (GstRevBufSeekTask * task, guint changes)
{
  acquire (task);
  while (timeplay_phase (task->playback) != TIMEPLAY_CLOSED
      && task->changes == changes)
    g_cond_wait (&task->changed, &task->lock);
  release (task);
}

/* With the stream lock of the source pad, as of every task: what is to be sent is
 * decided under it. */
static void
run (gpointer data)
{
  GstRevBufSeekTask *task = data;
  TimePlayOutcome outcome = {.duration_ns = GST_CLOCK_TIME_NONE };
  TimePlayAction action;
  guint changes;

  if (get_phase (task) == TIMEPLAY_CLOSED) {
    gst_pad_pause_task (task->srcpad);
    return;
  }
  if (decide (task, &action, &changes) && is_sent (&action)) {
    begin_sending (task);
    perform (task, &action, &outcome);
    end_sending (task);
    tell (task, &outcome);
    return;
  }
  GST_PAD_STREAM_UNLOCK (task->srcpad);
  if (action.kind == TIMEPLAY_WAIT) {
    wait_for_change (task, changes);
  } else {
    perform (task, &action, &outcome);
    tell (task, &outcome);
  }
  GST_PAD_STREAM_LOCK (task->srcpad);
}

/* Where no thread can be started, nothing may wait for it. Returns whether one was. */
static gboolean
start_thread (GstRevBufSeekTask * task)
{
  gboolean started = gst_pad_start_task (task->srcpad, run, task, NULL);

  acquire (task);
  timeplay_started (task->playback, started);
  record (task, "started", started, 0);
  signal_and_release (task);
  if (started)
    return TRUE;

  gst_task_stop (GST_PAD_TASK (task->srcpad));  /* should it come yet */
  GST_ELEMENT_ERROR (task->filter, RESOURCE, NO_SPACE_LEFT,
      ("Could not start a thread for %s: close other programs, or raise the "
          "limit (ulimit -u).", GST_OBJECT_NAME (task->filter)), (NULL));
  return FALSE;
}

/* ---- the element's states ------------------------------------------------- */

/* With the lock. */
static void
configure (GstRevBufSeekTask * task)
{
  TimePlaySettings now;

  GST_OBJECT_LOCK (task->filter);
  now = gst_revbuf_settings_of_playback (task->settings);
  GST_OBJECT_UNLOCK (task->filter);
  timeplay_configure (task->playback, &now);
  gst_revbuf_record (task->filter, "configure", gst_revbuf_settings_fields,
      &now, 0);
}

void
gst_revbuf_seek_task_open (GstRevBufSeekTask * task)
{
  acquire (task);
  timeplay_open (task->playback);
  record (task, "open", task->element, 0);
  configure (task);
  task->passed_ns = GST_CLOCK_TIME_NONE;
  signal_and_release (task);
}

void
gst_revbuf_seek_task_close (GstRevBufSeekTask * task)
{
  acquire (task);
  while (timeplay_phase (task->playback) == TIMEPLAY_STARTING)
    g_cond_wait (&task->changed, &task->lock);
  task->has_thread = timeplay_phase (task->playback) == TIMEPLAY_PLAYING;
  timeplay_close (task->playback);
  record (task, "close", 0, 0);
  signal_and_release (task);
}

void
gst_revbuf_seek_task_stop (GstRevBufSeekTask * task)
{
  /* one that could not be started cannot be waited for */
  if (task->has_thread)
    gst_pad_stop_task (task->srcpad);
  task->has_thread = FALSE;
  acquire (task);
  timeplay_clear (task->playback);
  record (task, "clear", 0, 0);
  g_queue_clear_full (&task->events, (GDestroyNotify) gst_event_unref);
  release (task);
}

GstRevBufSeekTask *
gst_revbuf_seek_task_new (GstRetroFilter * filter,
    const GstRevBufSettings * settings)
{
  static gint elements;         /* atomic */
  GstRevBufSeekTask *task = g_new0 (GstRevBufSeekTask, 1);

  task->filter = filter;
  task->sinkpad = filter->sinkpad;
  task->srcpad = filter->srcpad;
  task->settings = settings;
  g_mutex_init (&task->lock);
  g_cond_init (&task->changed);
  task->formats = gst_revbuf_formats_new ();
  task->passed_ns = GST_CLOCK_TIME_NONE;
  task->element = (guint) g_atomic_int_add (&elements, 1);
  task->playback = timeplay_new (gst_revbuf_format_convert, task->element);
  return task;
}

void
gst_revbuf_seek_task_free (GstRevBufSeekTask * task)
{
  g_queue_clear_full (&task->events, (GDestroyNotify) gst_event_unref);
  timeplay_free (task->playback);
  g_ptr_array_unref (task->formats);
  g_cond_clear (&task->changed);
  g_mutex_clear (&task->lock);
  g_free (task);
}

void
gst_revbuf_seek_task_configure (GstRevBufSeekTask * task)
{
  acquire (task);
  configure (task);
  signal_and_release (task);
}

/* ---- starting ------------------------------------------------------------- */

gboolean
gst_revbuf_seek_task_is_active (GstRevBufSeekTask * task)
{
  TimePlayPhase phase = get_phase (task);

  return phase == TIMEPLAY_STARTING || phase == TIMEPLAY_PLAYING;
}

gboolean
gst_revbuf_seek_task_is_sought (GstRevBufSeekTask * task)
{
  gboolean sought;

  acquire (task);
  sought = timeplay_is_sought (task->playback);
  release (task);
  return sought;
}

gboolean
gst_revbuf_seek_task_has_times (const GstAudioInfo * info)
{
  return GST_AUDIO_INFO_RATE (info) < TOO_HIGH_RATE;
}

gboolean
gst_revbuf_seek_task_can_seek (GstRevBufSeekTask * task,
    const GstAudioInfo * info)
{
  GstQuery *query;
  gboolean seekable = FALSE;

  if (!gst_revbuf_seek_task_has_times (info))
    return FALSE;
  query = gst_query_new_seeking (GST_FORMAT_TIME);
  if (gst_pad_peer_query (task->sinkpad, query))
    gst_query_parse_seeking (query, NULL, &seekable, NULL, NULL);
  gst_query_unref (query);
  return seekable && !gst_retro_filter_is_live (task->filter)
      && !gst_revbuf_http_source_lacks_ranges (task->sinkpad);
}

void
gst_revbuf_seek_task_pass_segment (GstRevBufSeekTask * task)
{
  acquire (task);
  timeplay_pass_segment (task->playback);
  record (task, "pass_segment", 0, 0);
  task->passed_ns = GST_CLOCK_TIME_NONE;
  release (task);
}

void
gst_revbuf_seek_task_note_passed (GstRevBufSeekTask * task, GstClockTime end_ns)
{
  acquire (task);
  task->passed_ns = end_ns;
  release (task);
}

/* @in as the application sees it: in stream time. */
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

/* Fills in the running time and the frame from which play goes on, behind what has
 * passed. That may lie outside of the segment: decoders send audio from before its
 * start. */
static void
go_on_from (GstRevBufSeekTask * task, const GstSegment * segment, guint rate,
    TimePlayStart * start)
{
  GstClockTime passed_ns;

  acquire (task);
  passed_ns = task->passed_ns;
  release (task);
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

/* Begins with what upstream sends now, which is like @info, or with @seek. */
static TimePlayAnswer
begin (GstRevBufSeekTask * task, const GstAudioInfo * info,
    const TimePlaySeek * seek)
{
  TimePlayStart start = { 0 };
  TimePlayAnswer answer = TIMEPLAY_REFUSED;
  GstSegment segment;

  if (task->playback == NULL) {
    gst_retro_filter_fail_memory (task->filter);
    return TIMEPLAY_REFUSED;
  }
  /* a flush takes the segment away */
  if (!gst_retro_pad_get_segment (task->sinkpad, &segment, &start.seqnum))
    return TIMEPLAY_REFUSED;
  go_on_from (task, &segment, GST_AUDIO_INFO_RATE (info), &start);
  /* a flush may come meanwhile */
  start.duration_ns = gst_retro_filter_query_duration (task->filter);
  start.segment = place_of (&segment);

  acquire (task);
  if (timeplay_phase (task->playback) == TIMEPLAY_PASSING) {
    g_ptr_array_set_size (task->formats, 0);
    task->format = gst_revbuf_formats_find (task->formats, info);
    task->segment = segment;
  }
  start.format = task->format;
  configure (task);
  if (seek != NULL)
    gst_revbuf_record (task->filter, "by", gst_revbuf_seek_fields, seek, 0);
  answer = timeplay_start (task->playback, &start, seek);
  gst_revbuf_record (task->filter, "start", gst_revbuf_start_fields, &start,
      answer);
  signal_and_release (task);
  if (answer != TIMEPLAY_STARTED)
    return answer;
  gst_retro_filter_set_passthrough (task->filter, FALSE);
  return start_thread (task) ? TIMEPLAY_STARTED : TIMEPLAY_REFUSED;
}

gboolean
gst_revbuf_seek_task_start (GstRevBufSeekTask * task)
{
  return begin (task, gst_retro_filter_get_info (task->filter), NULL)
      != TIMEPLAY_REFUSED;
}

/* ---- seeks ---------------------------------------------------------------- */

static TimePlaySeek
parse_seek (GstEvent * event)
{
  TimePlaySeek seek = {.seqnum = gst_event_get_seqnum (event) };
  GstSeekType start_type, stop_type;
  GstSeekFlags flags;

  gst_event_parse_seek (event, &seek.rate, NULL, &flags, &start_type,
      &seek.start_ns, &stop_type, &seek.stop_ns);
  seek.flags = flags;
  seek.start_type = (TimePlaySeekType) start_type;
  seek.stop_type = (TimePlaySeekType) stop_type;
  return seek;
}

gboolean
gst_revbuf_seek_task_start_by_seek (GstRevBufSeekTask * task, GstEvent * event)
{
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (task->sinkpad);
  TimePlaySeek seek = parse_seek (event);
  GstAudioInfo info;

  if (caps == NULL || !gst_audio_info_from_caps (&info, caps)
      || !gst_revbuf_seek_task_can_seek (task, &info))
    return FALSE;
  if (begin (task, &info, &seek) == TIMEPLAY_REFUSED)
    return FALSE;
  if (seek.flags & GST_SEEK_FLAG_FLUSH)
    flush (task, seek.seqnum);
  return TRUE;
}

TimePlayAnswer
gst_revbuf_seek_task_seek (GstRevBufSeekTask * task, GstEvent * event,
    gboolean limits)
{
  TimePlaySeek seek = parse_seek (event);
  TimePlayAnswer answer;

  seek.limits = limits;
  seek.duration_ns = gst_revbuf_seek_task_is_active (task) ?
      gst_retro_filter_query_duration (task->filter) : GST_CLOCK_TIME_NONE;
  acquire (task);
  answer = timeplay_seek (task->playback, &seek);
  gst_revbuf_record (task->filter, "seek", gst_revbuf_seek_fields, &seek,
      answer);
  signal_and_release (task);
  if (answer == TIMEPLAY_TAKEN && (seek.flags & GST_SEEK_FLAG_FLUSH))
    flush (task, seek.seqnum);
  return answer;
}

void
gst_revbuf_seek_task_seek_past (GstRevBufSeekTask * task, guint32 seqnum)
{
  acquire (task);
  timeplay_seek_past (task->playback, seqnum);
  record (task, "seek_past", seqnum, 0);
  signal_and_release (task);
}

/* ---- upstream's buffers ---------------------------------------------------- */

/* With the lock, which is given up while samples are copied: nobody else touches the
 * run. Returns whether all of @buffer has been used. */
static gboolean
fill (GstRevBufSeekTask * task, TimePlayRun * run, GstBuffer * buffer,
    gsize * first)
{
  gboolean understood, used;

  record (task, "receive", 0, 0);
  release (task);
  understood = gst_revbuf_run_add (GST_OBJECT (task->filter), run, buffer,
      &task->format, &task->segment, first);
  acquire (task);
  used = timeplay_filled (task->playback, understood);
  record (task, "filled", understood, used);
  if (!used) {
    task->changes++;
    g_cond_broadcast (&task->changed);
  }
  return used;
}

GstFlowReturn
gst_revbuf_seek_task_chain (GstRevBufSeekTask * task, GstBuffer * buffer)
{
  GstFlowReturn ret = GST_FLOW_CUSTOM_SUCCESS;
  TimePlayRun *run;
  gsize first = 0;

  acquire (task);
  while (ret == GST_FLOW_CUSTOM_SUCCESS)
    switch (timeplay_receive (task->playback, &run)) {
      case TIMEPLAY_BUFFER_WAITS:
        g_cond_wait (&task->changed, &task->lock);
        break;
      case TIMEPLAY_BUFFER_FILLS:
        if (fill (task, run, buffer, &first))
          ret = GST_FLOW_OK;
        break;
      case TIMEPLAY_BUFFER_IS_DROPPED:
        ret = GST_FLOW_OK;
        break;
      case TIMEPLAY_BUFFER_IS_LATE:
        ret = GST_FLOW_EOS;
        break;
      default:
        ret = GST_FLOW_FLUSHING;
        break;
    }
  release (task);
  gst_buffer_unref (buffer);
  return ret;
}

/* ---- upstream's events ------------------------------------------------------ */

/* Whether @event, a STREAM_START, begins another stream than the one before. */
static gboolean
is_other_stream (GstRevBufSeekTask * task, GstEvent * event)
{
  g_autofree gchar *now = gst_pad_get_stream_id (task->sinkpad);
  const gchar *next;

  gst_event_parse_stream_start (event, &next);
  return g_strcmp0 (now, next) != 0;
}

static TimePlayEventKind
kind_of (GstRevBufSeekTask * task, GstEvent * event)
{
  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_FLUSH_START:
      return TIMEPLAY_FLUSH_START;
    case GST_EVENT_FLUSH_STOP:
      return TIMEPLAY_FLUSH_STOP;
    case GST_EVENT_SEGMENT:
      return TIMEPLAY_NEW_SEGMENT;
    case GST_EVENT_CAPS:
      return TIMEPLAY_NEW_FORMAT;
    case GST_EVENT_EOS:
      return TIMEPLAY_STREAM_END;
    case GST_EVENT_STREAM_START:
      return is_other_stream (task, event) ? TIMEPLAY_NEW_STREAM : TIMEPLAY_GAP;
    case GST_EVENT_GAP:
    case GST_EVENT_SEGMENT_DONE:
      return TIMEPLAY_GAP;
    default:
      return TIMEPLAY_OTHER_EVENT;
  }
}

/* Fills in what @event holds. With the lock. */
static void
parse_event (GstRevBufSeekTask * task, GstEvent * event,
    TimePlayEvent * parsed, GstSegment * segment)
{
  GstAudioInfo info;
  GstCaps *caps;

  parsed->in_seek = task->fetching_thread == g_thread_self ();
  if (parsed->kind == TIMEPLAY_NEW_SEGMENT) {
    gst_event_copy_segment (event, segment);
    parsed->segment = place_of (segment);
    parsed->empty = segment->stop <= segment->start;
  }
  if (parsed->kind == TIMEPLAY_NEW_FORMAT) {
    gst_event_parse_caps (event, &caps);
    if (gst_audio_info_from_caps (&info, caps))
      parsed->format = gst_revbuf_formats_find (task->formats, &info);
  }
}

/* Sends on the flush of somebody else. */
static void
forward_flush (GstRevBufSeekTask * task, GstEvent * event)
{
  if (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_START) {
    gst_pad_push_event (task->srcpad, event);
    return;
  }
  begin_sending (task);
  gst_pad_push_event (task->srcpad, event);
  end_sending (task);
}

gboolean
gst_revbuf_seek_task_event (GstRevBufSeekTask * task, GstEvent * event)
{
  TimePlayEvent parsed = {.kind = kind_of (task, event) };
  GstSegment segment;
  TimePlayRoute route;
  gboolean asks;

  parsed.seqnum = gst_event_get_seqnum (event);
  acquire (task);
  asks = timeplay_awaits_segment (task->playback);
  release (task);
  if (asks && parsed.kind == TIMEPLAY_NEW_SEGMENT)
    parsed.duration_ns = gst_retro_filter_query_duration (task->filter);

  acquire (task);
  parse_event (task, event, &parsed, &segment);
  route = timeplay_event (task->playback, &parsed);
  gst_revbuf_record (task->filter, "event", gst_revbuf_event_fields, &parsed,
      route);
  if (route != TIMEPLAY_PASS && parsed.kind == TIMEPLAY_NEW_SEGMENT)
    task->segment = segment;
  if (route != TIMEPLAY_PASS && parsed.format.rate > 0)
    task->format = parsed.format;
  if (route == TIMEPLAY_KEEP)
    g_queue_push_tail (&task->events, event);
  signal_and_release (task);
  if (route == TIMEPLAY_SEND)
    forward_flush (task, event);
  else if (route == TIMEPLAY_DROP)
    gst_event_unref (event);
  return route != TIMEPLAY_PASS;
}

/* ---- for the element ----------------------------------------------------- */

GstClockTime
gst_revbuf_seek_task_get_position (GstRevBufSeekTask * task)
{
  GstClockTime position_ns;

  acquire (task);
  position_ns = timeplay_position (task->playback);
  release (task);
  return position_ns;
}

GstClockTime
gst_revbuf_seek_task_get_duration (GstRevBufSeekTask * task)
{
  GstClockTime duration_ns;

  acquire (task);
  duration_ns = timeplay_duration (task->playback);
  release (task);
  return duration_ns;
}

gboolean
gst_revbuf_seek_task_is_waiting (GstRevBufSeekTask * task, guint * progress)
{
  gboolean shared = gst_revbuf_source_is_shared (task->sinkpad), waiting;

  acquire (task);
  waiting = timeplay_is_waiting (task->playback, shared);
  *progress = task->changes;
  release (task);
  return waiting;
}

GstStructure *
gst_revbuf_seek_task_get_stats (GstRevBufSeekTask * task)
{
  TimePlayStats stats = { 0 };

  acquire (task);
  timeplay_stats (task->playback, &stats);
  release (task);
  return gst_revbuf_report_stats (&stats);
}
