/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "revbuf/modeselector.h"
#include "common/pcmbuffer.h"
#include "common/segment.h"
#include "revbuf/format.h"
#include "revbuf/sharedsource.h"
#include "revbuf/watch.h"

GST_DEBUG_CATEGORY_EXTERN (gst_revbuf_debug);
#define GST_CAT_DEFAULT gst_revbuf_debug

/* Parsers estimate a duration after 50 frames of theirs, of 1152 or 2048
 * samples: 2.6 s at 40 kHz. */
#define MAX_WAIT_SECONDS 4
#define MAX_WAIT_BUFFERS 1000   /* even short buffers need memory */

#define QUERY_CONSUMED GST_QUERY_MAKE_TYPE (0x7a00, \
    GST_QUERY_TYPE_DOWNSTREAM | GST_QUERY_TYPE_SERIALIZED)

/* The application wants moving pictures, and no sound. */
#define MAY_LACK_AUDIO (GST_SEGMENT_FLAG_TRICKMODE \
    | GST_SEGMENT_FLAG_TRICKMODE_KEY_UNITS | GST_SEGMENT_FLAG_TRICKMODE_NO_AUDIO)

struct _GstRevBufModeSelector
{
  GstRetroFilter *filter;
  GstRevBufSeekTask *task;
  const GstRevBufSettings *settings;    /* under the object lock */
  GstRevBufCollectFunc collect;
  GstRetroFilterClass *base;    /* handles everything that is not for the task */

  /* under the object lock */
  GstRevBufPath path;           /* written by the streaming thread alone */
  GstClockTime start_position_ns;       /* while nothing has been sent */
  gboolean keeping;             /* more of the stream is to be collected */
  gulong end_probe;             /* 0 until the task is first needed */

  gint buffers;                 /* atomic: count of arrivals, unless passed through */
  GstClockID watch;

  /* streaming thread */
  GstSegment segment;           /* of the input */
  gboolean cannot_seek;         /* upstream, in this segment; a warning was posted */
  GQueue waiting;               /* PATH_SEEK: until the duration is known */
  guint64 waiting_frames;
};

GstRevBufModeSelector *
gst_revbuf_mode_selector_new (GstRetroFilter * filter,
    GstRevBufSeekTask * task,
    const GstRevBufSettings * settings, GstRevBufCollectFunc collect)
{
  GstRevBufModeSelector *selector = g_new0 (GstRevBufModeSelector, 1);

  selector->filter = filter;
  selector->task = task;
  selector->settings = settings;
  selector->collect = collect;
  selector->base = g_type_class_peek (GST_TYPE_RETRO_FILTER);
  selector->start_position_ns = GST_CLOCK_TIME_NONE;
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
  g_free (selector);
}

/* Whether upstream may be waiting for an element that waits for us. */
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
    /* The wait is for a whole block: beside a branch that plays, its audio arrives
     * no faster than that branch plays. */
    if (gst_revbuf_seek_task_is_waiting (selector->task, &wait->progress))
      wait->advice = split;
    return;
  }
  wait->progress = g_atomic_int_get (&selector->buffers);
  if (path == GST_REVBUF_PATH_SEEK)
    wait->advice = split;
  else if (keeping && GST_PAD_STREAM_TRYLOCK (selector->filter->srcpad)) {
    /* the collected audio is not being sent, which takes as long as it plays */
    GST_PAD_STREAM_UNLOCK (selector->filter->srcpad);
    wait->advice = "put a queue with max-size-buffers=0 max-size-bytes=0 "
        "max-size-time=0 before that branch";
  }
}

/* ---- the path of a stream ------------------------------------------------- */

/* FALSE also if upstream has reversed or scaled the audio: a seek then reaches another
 * position than its time says. */
static gboolean
can_seek (GstRevBufModeSelector * selector, const GstSegment * segment)
{
  return segment->rate > 0 && segment->applied_rate == 1.0
      && gst_revbuf_source_can_seek (selector->filter,
      gst_retro_filter_get_info (selector->filter));
}

/* Whether the properties ask for something that only the seek task can do, or that it
 * does best. */
static gboolean
wants_task (const GstRevBufSettings * settings)
{
  return (settings->mode == GST_REVBUF_MODE_AUTO
      || settings->mode == GST_REVBUF_MODE_SEEK)
      && (settings->direction == GST_REVBUF_REVERSE
      || settings->loop != GST_REVBUF_LOOP_NONE);
}

/* Once for a segment: in a stream that is passed through, every buffer checks whether the
 * seek task has to start. */
static void
warn_cannot_seek (GstRevBufModeSelector * selector, const gchar * instead)
{
  GstRetroFilter *filter = selector->filter;
  const gchar *text;

  selector->cannot_seek = TRUE;
  if (!gst_revbuf_format_has_times (gst_retro_filter_get_info (filter)))
    text = "The sample rate is too high for frame-accurate seeks, so "
        "%s: put audioresample before %s.";
  else if (!gst_revbuf_source_repeats (filter->sinkpad))
    text = "The stream comes through timescale, which makes other frames after "
        "each seek, so %s: put %s before timescale.";
  else
    text = "The stream cannot be seeked, so %s: put %s after an element "
        "that can seek.";
  GST_ELEMENT_WARNING (filter, RESOURCE, SEEK, (text, instead,
          GST_OBJECT_NAME (filter)), (NULL));
}

static GstRevBufPath
choose_path (GstRevBufModeSelector * selector,
    const GstRevBufSettings * settings, const GstSegment * segment)
{
  /* a negative rate already plays it backwards, whatever direction says */
  if (gst_retro_input_is_flipping (&selector->filter->input))
    return GST_REVBUF_PATH_PASS;
  if (wants_task (settings)) {
    if (can_seek (selector, segment))
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
  GST_RETRO_AUTO_LOCK (selector->filter);

  selector->path = path;
  selector->keeping = keeping;
  selector->start_position_ns = start_position_ns;
}

/* ---- a stream that is passed through --------------------------------------- */

/* Whether the seek task has to take over before the next buffer, because direction or
 * loop has been set. */
static gboolean
must_start_task (GstRevBufModeSelector * selector)
{
  gboolean wanted, loop;
  GstSegment segment;

  GST_OBJECT_LOCK (selector->filter);
  loop = selector->settings->loop != GST_REVBUF_LOOP_NONE;
  wanted = !selector->cannot_seek && wants_task (selector->settings);
  GST_OBJECT_UNLOCK (selector->filter);

  if (!wanted || gst_retro_input_is_flipping (&selector->filter->input)
      || gst_revbuf_seek_task_is_sought (selector->task)
      || !gst_retro_pad_get_segment (selector->filter->sinkpad, &segment, NULL))
    return FALSE;
  if (can_seek (selector, &selector->segment))
    return TRUE;

  warn_cannot_seek (selector, loop ? "it is not looped" :
      "it is turned around from the next segment on");
  return FALSE;
}

/* ---- a stream that waits for the seek task ------------------------------- */

/* Some parsers know the end only after some audio, if ever. */
static gboolean
is_end_unknown (GstRevBufModeSelector * selector)
{
  return !GST_CLOCK_TIME_IS_VALID (selector->segment.stop)
      && gst_retro_filter_query_duration (selector->filter) ==
      GST_CLOCK_TIME_NONE;
}

/* Whether to start the seek task although the end is unknown: the application asked
 * for it, or plays forward and will find the end. */
static gboolean
insists_on_task (GstRevBufModeSelector * selector)
{
  GST_RETRO_AUTO_LOCK (selector->filter);

  return selector->settings->mode == GST_REVBUF_MODE_SEEK
      || selector->settings->direction == GST_REVBUF_FORWARD;
}

/* Collects the stream or starts the seek task, and handles the buffers that have
 * waited. */
static GstFlowReturn
stop_waiting (GstRevBufModeSelector * selector, gboolean end_unknown)
{
  GstFlowReturn ret = GST_FLOW_OK;
  GQueue waiting = selector->waiting;
  GstBuffer *buffer;

  g_queue_init (&selector->waiting);
  if (waiting.length == 0 || (end_unknown && !insists_on_task (selector))) {
    selector->collect (selector->filter, &selector->segment);
    set_path (selector, GST_REVBUF_PATH_COLLECT, GST_CLOCK_TIME_NONE);
  } else if (!gst_revbuf_seek_task_start (selector->task)) {
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
  gboolean end_unknown, has_room;

  gst_buffer_unref (buffer);
  if (kept == NULL)
    return gst_retro_filter_fail_memory (selector->filter);
  g_queue_push_tail (&selector->waiting, kept);
  selector->waiting_frames += gst_retro_buffer_frames (kept, info);
  end_unknown = is_end_unknown (selector);
  has_room = selector->waiting.length < MAX_WAIT_BUFFERS
      && selector->waiting_frames <
      (guint64) GST_AUDIO_INFO_RATE (info) * MAX_WAIT_SECONDS;
  return end_unknown && has_room ? GST_FLOW_OK :
      stop_waiting (selector, end_unknown);
}

/* ---- the end of upstream's audio ------------------------------------------- */

/* For the seek task, EOS ends a fetched run and never the stream. So the pad must not keep
 * it: if the flush of the next seek is lost, it would refuse the buffers after that seek. */
static GstPadProbeReturn
take_end (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  GstRevBufModeSelector *selector = data;
  GstEvent *event = GST_PAD_PROBE_INFO_EVENT (info);

  if (GST_EVENT_TYPE (event) != GST_EVENT_EOS)
    return GST_PAD_PROBE_OK;
  if (!gst_revbuf_seek_task_is_active (selector->task)
      && selector->path == GST_REVBUF_PATH_SEEK)
    stop_waiting (selector, is_end_unknown (selector));
  return gst_revbuf_seek_task_is_active (selector->task)
      && gst_revbuf_seek_task_event (selector->task, event) != TIMEPLAY_PASS ?
      GST_PAD_PROBE_HANDLED : GST_PAD_PROBE_OK;
}

/* Called only just before the task is first needed: a probe slows down every buffer that is
 * passed through. */
static void
take_ends (GstRevBufModeSelector * selector)
{
  GST_RETRO_AUTO_LOCK (selector->filter);

  if (selector->end_probe == 0)
    selector->end_probe = gst_pad_add_probe (selector->filter->sinkpad,
        GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, take_end, selector, NULL);
}

gboolean
gst_revbuf_mode_selector_start_by_seek (GstRevBufModeSelector * selector,
    GstRevBufMode mode, const TimePlaySeek * seek)
{
  /* branches that share the source stay in step if upstream plays backwards for all */
  if (mode != GST_REVBUF_MODE_SEEK && (mode != GST_REVBUF_MODE_AUTO
          || gst_revbuf_source_is_shared (selector->filter->sinkpad)))
    return FALSE;
  take_ends (selector);
  return gst_revbuf_seek_task_start_by_seek (selector->task, seek);
}

/* ---- its segment ------------------------------------------------------------ */

GstRevBufPath
gst_revbuf_mode_selector_set_segment (GstRevBufModeSelector * selector,
    const GstRevBufSettings * settings, const GstSegment * segment)
{
  GstRevBufPath path;

  forget_waiting (selector);
  selector->segment = *segment;
  selector->cannot_seek = FALSE;
  path = choose_path (selector, settings, segment);
  if (path == GST_REVBUF_PATH_SEEK)
    take_ends (selector);
  gst_revbuf_seek_task_pass_segment (selector->task);
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
  set_path (selector, GST_REVBUF_PATH_PASS, GST_CLOCK_TIME_NONE);
}

GstRevBufPath
gst_revbuf_mode_selector_get_path (const GstRevBufModeSelector * selector)
{
  return selector->path;
}

/* ---- buffers and events of upstream ---------------------------------------- */

GstFlowReturn
gst_revbuf_mode_selector_chain (GstRevBufModeSelector * selector,
    GstBuffer * buffer)
{
  GstRevBufSeekTask *task = selector->task;
  const GstRetroInput *input = &selector->filter->input;
  GstClockTime end_ns = GST_CLOCK_TIME_NONE;
  GstFlowReturn ret;

  /* passthrough: the task is idle and the buffer count is unused */
  if (!gst_retro_filter_is_passthrough (selector->filter)) {
    g_atomic_int_inc (&selector->buffers);
    if (gst_revbuf_seek_task_is_active (task))
      return gst_revbuf_seek_task_chain (task, buffer);
  }
  if (GST_AUDIO_INFO_IS_VALID (&input->info)) {
    if (selector->path == GST_REVBUF_PATH_SEEK)
      return wait_or_start (selector, buffer);
    if (selector->path == GST_REVBUF_PATH_PASS) {
      if (must_start_task (selector)) {
        take_ends (selector);
        gst_revbuf_seek_task_start (task);      /* else the buffer is flushed */
        return gst_revbuf_seek_task_chain (task, buffer);
      }
      end_ns = gst_retro_input_buffer_end (input, buffer);
    }
  }
  if (!gst_revbuf_seek_task_begin_passing (task, end_ns))
    return gst_revbuf_seek_task_chain (task, buffer);
  ret = selector->base->chain (selector->filter, buffer);
  gst_revbuf_seek_task_end_passing (task);
  return ret;
}

/* Demuxers and decoders that play backwards may lose audio, or mix it up, without an error. */
static void
check_end (GstRevBufModeSelector * selector)
{
  GstRetroFilter *filter = selector->filter;
  const GstSegment *in = &filter->input.segment;
  GstClockTime start_ns;
  gboolean plausible;

  GST_OBJECT_LOCK (filter);
  selector->keeping = FALSE;
  start_ns = filter->out_segment.start;
  /* the output's own stop may have been opened for audio that exceeds it */
  plausible = !gst_retro_input_is_flipping (&filter->input)
      || (in->flags & MAY_LACK_AUDIO) != 0
      || timeplay_is_plausible_end (start_ns, start_ns + (in->stop - in->start),
      filter->position_ns);
  GST_OBJECT_UNLOCK (filter);
  if (!plausible)
    GST_ELEMENT_WARNING (filter, STREAM, DEMUX,
        ("Upstream played backwards and lost audio, or mixed up its order: give "
            "%s a source of its own, and set mode=auto.",
            GST_OBJECT_NAME (filter)), (NULL));
}

/* Returns when downstream has consumed everything that it has got, or flushes: queues keep a
 * serialized query in its place. It is one of our own, because an appsink answers DRAIN only when
 * the application has pulled every buffer. */
static void
wait_for_downstream (GstPad * srcpad)
{
  g_autoptr (GstQuery) query = gst_query_new_custom (QUERY_CONSUMED,
      gst_structure_new_empty ("retrograde-consumed"));

  gst_pad_peer_query (srcpad, query);
}

gboolean
gst_revbuf_mode_selector_event (GstRevBufModeSelector * selector,
    GstEvent * event)
{
  TimePlayRoute route = TIMEPLAY_PASS;
  gboolean ret = TRUE, passing;

  if (GST_EVENT_TYPE (event) == GST_EVENT_EOS
      || GST_EVENT_TYPE (event) == GST_EVENT_SEGMENT_DONE)
    check_end (selector);
  passing = GST_EVENT_IS_SERIALIZED (event)
      && !gst_revbuf_seek_task_is_active (selector->task)
      && gst_revbuf_seek_task_begin_passing (selector->task,
      GST_CLOCK_TIME_NONE);
  /* the other events do not concern the seek task */
  if (GST_EVENT_IS_SERIALIZED (event)
      || GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_START)
    route = gst_revbuf_seek_task_event (selector->task, event);
  if (route != TIMEPLAY_PASS && route != TIMEPLAY_FOLLOW) {
    if (passing)
      gst_revbuf_seek_task_end_passing (selector->task);
    return TRUE;
  }
  /* the task may have ended meanwhile */
  if (!passing && GST_EVENT_IS_SERIALIZED (event))
    passing = gst_revbuf_seek_task_begin_passing (selector->task,
        GST_CLOCK_TIME_NONE);
  if (GST_EVENT_TYPE (event) == GST_EVENT_SEGMENT_DONE)
    gst_revbuf_seek_task_pass_segment_end (selector->task, event);
  ret = selector->base->sink_event (selector->filter, event);
  if (route == TIMEPLAY_FOLLOW)
    wait_for_downstream (selector->filter->srcpad);
  if (passing)
    gst_revbuf_seek_task_end_passing (selector->task);
  return ret;
}

/* ---- the element's states -------------------------------------------------- */

void
gst_revbuf_mode_selector_open (GstRevBufModeSelector * selector)
{
  gst_revbuf_seek_task_open (selector->task);
  selector->watch =
      gst_revbuf_watch_start (GST_ELEMENT (selector->filter), look_for_wait,
      selector);
}

void
gst_revbuf_mode_selector_close (GstRevBufModeSelector * selector)
{
  gulong probe;

  gst_revbuf_watch_stop (selector->watch);
  selector->watch = NULL;
  GST_OBJECT_LOCK (selector->filter);
  probe = selector->end_probe;
  selector->end_probe = 0;
  GST_OBJECT_UNLOCK (selector->filter);
  if (probe != 0)
    gst_pad_remove_probe (selector->filter->sinkpad, probe);
  gst_revbuf_seek_task_close (selector->task);
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
  /* the seek target, or the end */
  return GST_CLOCK_TIME_IS_VALID (position_ns) ? position_ns :
      gst_retro_filter_query_duration (selector->filter);
}
