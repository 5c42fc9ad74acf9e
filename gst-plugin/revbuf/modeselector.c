/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "revbuf/modeselector.h"
#include "common/pcmbuffer.h"
#include "common/segment.h"
#include "revbuf/report.h"
#include "revbuf/source.h"
#include "revbuf/watch.h"

GST_DEBUG_CATEGORY_EXTERN (gst_revbuf_debug);
#define GST_CAT_DEFAULT gst_revbuf_debug

/* Flags of a segment in which upstream may omit audio. */
#define MAY_LACK_AUDIO (GST_SEGMENT_FLAG_TRICKMODE \
    | GST_SEGMENT_FLAG_TRICKMODE_KEY_UNITS | GST_SEGMENT_FLAG_TRICKMODE_NO_AUDIO)

struct _GstRevBufModeSelector
{
  GstRetroFilter *filter;
  GstRevBufSeekTask *task;
  GstRevBufCollectFunc collect;

  gulong end_probe;             /* probe that handles EOS; under the object lock; 0 until
                                 * the task is needed for the first time */
  gint buffers;                 /* atomic: number of buffers that have arrived and were
                                 * not passed through */
  GstClockID watch;

  /* streaming thread */
  GstSegment segment;           /* the input segment */
  GQueue waiting;               /* buffers held until the playback knows how to handle the
                                 * stream */
};

GstRevBufModeSelector *
gst_revbuf_mode_selector_new (GstRetroFilter * filter,
    GstRevBufSeekTask * task, GstRevBufCollectFunc collect)
{
  GstRevBufModeSelector *selector = g_new0 (GstRevBufModeSelector, 1);

  selector->filter = filter;
  selector->task = task;
  selector->collect = collect;
  return selector;
}

static void
forget_waiting (GstRevBufModeSelector * selector)
{
  g_queue_clear_full (&selector->waiting, (GDestroyNotify) gst_buffer_unref);
}

void
gst_revbuf_mode_selector_free (GstRevBufModeSelector * selector)
{
  forget_waiting (selector);
  g_free (selector);
}

/* A GstRevBufWatchFunc: finds out whether upstream may be waiting for an element that waits
 * for this one. */
static void
look_for_wait (gpointer data, GstRevBufWait * wait)
{
  static const gchar *const split =
      "give the audio a source of its own, or reverse "
      "it before the stream is split (to play a film backwards, seek with a "
      "negative rate)";
  GstRevBufModeSelector *selector = data;
  guint progress;
  TimePlayState state =
      gst_revbuf_seek_task_get_state (selector->task, &progress);

  wait->progress = state.is_playing ? progress :
      (guint) g_atomic_int_get (&selector->buffers);
  /* The playback may be waiting for the end of a block. If another branch of the source
   * plays in real time, the audio of the block arrives no faster than that branch plays. */
  if (state.is_waiting || (state.is_waiting_if_shared
          && gst_revbuf_source_examine (selector->filter->sinkpad).is_shared))
    wait->advice = split;
  else if (state.is_keeping
      && GST_PAD_STREAM_TRYLOCK (selector->filter->srcpad)) {
    /* The stream lock is free, so collected audio is not being sent at this moment. Sending
     * it would take as long as playing it, but would not be a wait. */
    GST_PAD_STREAM_UNLOCK (selector->filter->srcpad);
    wait->advice = "put a queue with max-size-buffers=0 max-size-bytes=0 "
        "max-size-time=0 before that branch";
  }
}

/* ---- answers to the playback's questions ------------------------------------- */

/* Whether blocks can be fetched from upstream. */
static TimePlaySource
ask_source (GstRevBufModeSelector * selector, TimePlayArrivalKind kind)
{
  GstRetroFilter *filter = selector->filter;
  TimePlaySource source;
  GstSegment segment;

  if (kind == TIMEPLAY_ARRIVING_BUFFER
      && !gst_retro_pad_get_segment (filter->sinkpad, &segment, NULL))
    return TIMEPLAY_SOURCE_LACKS_SEGMENT;
  source = gst_revbuf_source_ask (filter, gst_retro_filter_get_info (filter));
  /* if upstream has reversed or scaled the audio, a seek to a timestamp leads to another
   * position in the stream */
  return source == TIMEPLAY_SOURCE_SEEKS
      && selector->segment.applied_rate != 1.0 ? TIMEPLAY_SOURCE_REFUSES :
      source;
}

/* Whether the end of the stream is known. Some parsers know it only after a few seconds of
 * audio, or never. */
static TimePlayFact
ask_end (GstRevBufModeSelector * selector)
{
  return GST_CLOCK_TIME_IS_VALID (selector->segment.stop)
      || gst_retro_filter_query_duration (selector->filter) !=
      GST_CLOCK_TIME_NONE ? TIMEPLAY_YES : TIMEPLAY_NO;
}

/* If @way is a question about @arrival, stores the answer in @arrival; if @way is a warning,
 * posts it. Returns FALSE if @way is the decision. */
static gboolean
answer (GstRevBufModeSelector * selector, TimePlayWay way,
    TimePlayArrival * arrival)
{
  switch (way) {
    case TIMEPLAY_ASKS_SOURCE:
      arrival->source = ask_source (selector, arrival->kind);
      return TRUE;
    case TIMEPLAY_ASKS_END:
      arrival->ends = ask_end (selector);
      return TRUE;
    case TIMEPLAY_ASKS_LIVE:
      arrival->is_live = gst_retro_filter_is_live (selector->filter) ?
          TIMEPLAY_YES : TIMEPLAY_NO;
      return TRUE;
    case TIMEPLAY_WARNS_UNLOOPED:
    case TIMEPLAY_WARNS_COLLECTED:
    case TIMEPLAY_WARNS_UNTURNED:
      gst_revbuf_report_source (selector->filter, way, arrival->source);
      arrival->has_warned = TRUE;
      return TRUE;
    default:
      return FALSE;
  }
}

/* Answers all questions about @arrival, and returns the decision. */
static TimePlayWay
arrive (GstRevBufModeSelector * selector, TimePlayArrival * arrival)
{
  TimePlayWay way;

  do
    way = gst_revbuf_seek_task_arrive (selector->task, arrival);
  while (answer (selector, way, arrival));
  return way;
}

/* Like arrive(), for a buffer or a serialized event. If the decision is PASSES, no other
 * thread sends data until gst_revbuf_seek_task_end_passing() is called. @end_ns: end of the
 * audio of a buffer, or NONE. */
static TimePlayWay
begin_passing (GstRevBufModeSelector * selector, TimePlayArrival * arrival,
    GstClockTime end_ns)
{
  TimePlayWay way;

  do
    way = gst_revbuf_seek_task_begin_passing (selector->task, arrival, end_ns);
  while (answer (selector, way, arrival));
  return way;
}

/* ---- buffers held until the playback decides ------------------------------------ */

/* Collects the stream or starts the seek task, depending on @way. Then handles the buffers
 * that were held, and @last (transfer full) (nullable). */
static GstFlowReturn
stop_waiting (GstRevBufModeSelector * selector, TimePlayWay way,
    GstBuffer * last)
{
  GstFlowReturn ret = GST_FLOW_OK;
  GQueue waiting = selector->waiting;
  GstBuffer *buffer;

  g_queue_init (&selector->waiting);
  if (last != NULL)
    g_queue_push_tail (&waiting, last);
  if (way == TIMEPLAY_COLLECTS)
    selector->collect (selector->filter, &selector->segment);
  else if (!gst_revbuf_seek_task_start (selector->task))
    ret = GST_FLOW_FLUSHING;
  while (ret == GST_FLOW_OK && (buffer = g_queue_pop_head (&waiting)) != NULL)
    ret = GST_RETRO_FILTER_GET_CLASS (selector->filter)->chain
        (selector->filter, buffer);
  g_queue_clear_full (&waiting, (GDestroyNotify) gst_buffer_unref);
  return ret;
}

static GstFlowReturn
keep_waiting (GstRevBufModeSelector * selector, GstBuffer * buffer)
{
  GstBuffer *kept = gst_retro_buffer_keep (buffer,
      gst_retro_filter_get_info (selector->filter));

  gst_buffer_unref (buffer);
  if (kept == NULL)
    return gst_retro_filter_fail_memory (selector->filter);
  g_queue_push_tail (&selector->waiting, kept);
  return GST_FLOW_OK;
}

/* ---- EOS from upstream ----------------------------------------------------- */

/* Handles EOS before the sink pad does. If the seek task is active, EOS ends only a fetched
 * run. The pad must not store this EOS: if the flush of the next seek is lost, the pad would
 * refuse the buffers after that seek. */
static GstPadProbeReturn
take_end (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  GstRevBufModeSelector *selector = data;
  TimePlayArrival arrival = {.kind = TIMEPLAY_ARRIVING_END };
  GstEvent *event = GST_PAD_PROBE_INFO_EVENT (info);
  TimePlayWay way;

  if (GST_EVENT_TYPE (event) != GST_EVENT_EOS)
    return GST_PAD_PROBE_OK;
  way = arrive (selector, &arrival);
  if (way == TIMEPLAY_COLLECTS || way == TIMEPLAY_STARTS)
    stop_waiting (selector, way, NULL);
  return gst_revbuf_seek_task_event (selector->task, event) != TIMEPLAY_PASS ?
      GST_PAD_PROBE_HANDLED : GST_PAD_PROBE_OK;
}

/* Adds the probe for EOS, unless it exists. This is delayed until the task may be needed,
 * because a probe costs time for every buffer that is passed through. */
static void
take_ends (GstRevBufModeSelector * selector)
{
  GST_RETRO_AUTO_LOCK (selector->filter);

  if (selector->end_probe == 0)
    selector->end_probe = gst_pad_add_probe (selector->filter->sinkpad,
        GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, take_end, selector, NULL);
}

TimePlayAnswer
gst_revbuf_mode_selector_seek (GstRevBufModeSelector * selector,
    TimePlaySeek * seek)
{
  GstRetroFilter *filter = selector->filter;
  TimePlayAnswer answer;

  for (;;) {
    answer = gst_revbuf_seek_task_seek (selector->task, seek);
    switch (answer) {
      case TIMEPLAY_SEEK_ASKS_DURATION:
        seek->duration_ns = gst_retro_filter_query_duration (filter);
        break;
      case TIMEPLAY_SEEK_ASKS_SHARED:
        seek->is_shared =
            gst_revbuf_source_examine (filter->sinkpad).is_shared ?
            TIMEPLAY_YES : TIMEPLAY_NO;
        break;
      case TIMEPLAY_SEEK_MAY_START:
        take_ends (selector);
        if (gst_revbuf_seek_task_start_by_seek (selector->task, seek))
          return TIMEPLAY_ACCEPTED;
        seek->cannot_start = TRUE;
        break;
      default:
        return answer;
    }
  }
}

/* ---- segments --------------------------------------------------------------- */

TimePlayWay
gst_revbuf_mode_selector_set_segment (GstRevBufModeSelector * selector,
    const GstSegment * segment)
{
  TimePlayArrival arrival = {.kind = TIMEPLAY_ARRIVING_SEGMENT };
  TimePlayWay way;

  forget_waiting (selector);
  selector->segment = *segment;
  arrival.flips = gst_retro_input_is_flipping (&selector->filter->input);
  arrival.first_ns =
      gst_segment_to_stream_time (segment, GST_FORMAT_TIME, segment->stop);
  way = arrive (selector, &arrival);
  if (way == TIMEPLAY_WAITS)
    take_ends (selector);
  GST_DEBUG_OBJECT (selector->filter, "way %d for %" GST_SEGMENT_FORMAT, way,
      segment);
  return way;
}

void
gst_revbuf_mode_selector_reset (GstRevBufModeSelector * selector)
{
  forget_waiting (selector);
}

/* ---- buffers and events from upstream --------------------------------------- */

gboolean
gst_revbuf_mode_selector_passes (GstRevBufModeSelector * selector,
    GstBuffer * buffer, GstFlowReturn * ret)
{
  const GstRetroInput *input = &selector->filter->input;
  TimePlayArrival arrival = {.kind = TIMEPLAY_ARRIVING_BUFFER };
  GstClockTime end_ns = GST_CLOCK_TIME_NONE;
  TimePlayWay way;

  /* the count only serves to detect that the element waits for audio; in passthrough,
   * the element never waits */
  if (!gst_retro_filter_is_passthrough (selector->filter))
    g_atomic_int_inc (&selector->buffers);
  if (gst_revbuf_seek_task_is_filling (selector->task)) {
    *ret = gst_revbuf_seek_task_chain (selector->task, buffer);
    return FALSE;
  }
  arrival.flips = gst_retro_input_is_flipping (input);
  if (GST_AUDIO_INFO_IS_VALID (&input->info)) {
    arrival.rate = GST_AUDIO_INFO_RATE (&input->info);
    arrival.frames = gst_retro_buffer_frames (buffer, &input->info);
    end_ns = gst_retro_input_buffer_end (input, buffer);
  }
  way = begin_passing (selector, &arrival, end_ns);
  switch (way) {
    case TIMEPLAY_PASSES:
      return TRUE;
    case TIMEPLAY_WAITS:
      *ret = keep_waiting (selector, buffer);
      return FALSE;
    case TIMEPLAY_STARTS:
      take_ends (selector);
      *ret = stop_waiting (selector, way, buffer);
      return FALSE;
    case TIMEPLAY_COLLECTS:
      *ret = stop_waiting (selector, way, buffer);
      return FALSE;
    default:
      *ret = gst_revbuf_seek_task_chain (selector->task, buffer);
      return FALSE;
  }
}

/* Warns if upstream played backwards and its audio did not end at the stop of the segment.
 * Some demuxers and decoders lose audio or change its order when they play backwards, and
 * report no error. */
static void
check_end (GstRevBufModeSelector * selector)
{
  GstRetroFilter *filter = selector->filter;
  const GstSegment *in = &filter->input.segment;
  GstClockTime start_ns;
  gboolean plausible;

  GST_OBJECT_LOCK (filter);
  start_ns = filter->output.segment.start;
  /* the stop of the output segment may have been removed, so compute it from the input */
  plausible = !gst_retro_input_is_flipping (&filter->input)
      || (in->flags & MAY_LACK_AUDIO) != 0
      || timeplay_is_plausible_end (start_ns, start_ns + (in->stop - in->start),
      filter->output.position_ns);
  GST_OBJECT_UNLOCK (filter);
  if (!plausible)
    GST_ELEMENT_WARNING (filter, STREAM, DEMUX,
        ("Upstream played backwards and lost audio, or mixed up its order: give "
            "%s a source of its own, and set mode=auto.",
            GST_OBJECT_NAME (filter)), (NULL));
}

TimePlayRoute
gst_revbuf_mode_selector_route (GstRevBufModeSelector * selector,
    GstEvent * event, gboolean * passing)
{
  TimePlayArrival arrival = {.kind = TIMEPLAY_ARRIVING_EVENT };
  TimePlayRoute route = TIMEPLAY_PASS;
  gboolean serialized = GST_EVENT_IS_SERIALIZED (event);

  if (GST_EVENT_TYPE (event) == GST_EVENT_EOS
      || GST_EVENT_TYPE (event) == GST_EVENT_SEGMENT_DONE)
    check_end (selector);
  *passing = serialized && begin_passing (selector, &arrival,
      GST_CLOCK_TIME_NONE) == TIMEPLAY_PASSES;
  /* the seek task handles only serialized events and FLUSH_START */
  if (serialized || GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_START)
    route = gst_revbuf_seek_task_event (selector->task, event);
  if (route != TIMEPLAY_PASS && route != TIMEPLAY_FOLLOW)
    return route;
  /* the task may have ended in the meantime */
  if (!*passing && serialized)
    *passing = begin_passing (selector, &arrival, GST_CLOCK_TIME_NONE)
        == TIMEPLAY_PASSES;
  if (GST_EVENT_TYPE (event) == GST_EVENT_SEGMENT_DONE)
    gst_revbuf_seek_task_pass_segment_end (selector->task, event);
  return route;
}

/* ---- starting and stopping --------------------------------------------------- */

gboolean
gst_revbuf_mode_selector_open (GstRevBufModeSelector * selector)
{
  if (!gst_revbuf_seek_task_open (selector->task))
    return FALSE;
  selector->watch =
      gst_revbuf_watch_start (GST_ELEMENT (selector->filter), look_for_wait,
      selector);
  return TRUE;
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
  TimePlayState state = gst_revbuf_seek_task_get_state (selector->task, NULL);

  if (GST_CLOCK_TIME_IS_VALID (state.position_ns))
    return state.position_ns;
  if (!state.is_delayed || gst_retro_filter_get_position (selector->filter)
      != GST_CLOCK_TIME_NONE)
    return GST_CLOCK_TIME_NONE;
  /* the first frame to be output; if that is not known, the end of the stream */
  return GST_CLOCK_TIME_IS_VALID (state.first_ns) ? state.first_ns :
      gst_retro_filter_query_duration (selector->filter);
}
