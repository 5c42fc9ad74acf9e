/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "revbufgate.h"
#include "retrobuffer.h"
#include "revbufseeks.h"
#include "revbufwatch.h"

GST_DEBUG_CATEGORY_EXTERN (rev_buf_debug);
#define GST_CAT_DEFAULT rev_buf_debug

/* Parsers estimate a duration after 50 frames of theirs, of 1152 or 2048
 * samples: 2.6 s at 40 kHz. */
#define MAX_WAIT_SECONDS 4
#define MAX_WAIT_BUFFERS 1000   /* whatever is in them: they take memory, too */

/* timedsp_frame_at() is exact below that. */
#define TOO_HIGH_RATE 500000000

struct _RevBufGate
{
  GstRetroFilter *filter;
  GstPad *sinkpad;
  RevBufPlayer *player;
  const RevBufSettings *settings;       /* under the object lock */
  RevBufCollectFunc collect;
  GstPadChainFunction base_chain;
  GstPadEventFunction base_event;

  /* under the object lock */
  RevBufPath path;              /* written by the streaming thread alone */
  GstClockTime start_position_ns;       /* while nothing has been sent */
  GstClockTime passed_ns;       /* end of what has gone through untouched */
  gboolean cannot_seek;         /* upstream, as of this segment */
  gboolean keeping;             /* more of it is to be collected */

  GMutex start_lock;            /* the player is started once … */
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

RevBufGate *
rev_buf_gate_new (GstRetroFilter * filter, GstPad * sinkpad,
    RevBufPlayer * player, const RevBufSettings * settings,
    RevBufCollectFunc collect)
{
  RevBufGate *gate = g_new0 (RevBufGate, 1);

  gate->filter = filter;
  gate->sinkpad = sinkpad;
  gate->player = player;
  gate->settings = settings;
  gate->collect = collect;
  gate->base_chain = GST_PAD_CHAINFUNC (sinkpad);
  gate->base_event = GST_PAD_EVENTFUNC (sinkpad);
  gate->start_position_ns = gate->passed_ns = GST_CLOCK_TIME_NONE;
  g_mutex_init (&gate->start_lock);
  return gate;
}

static void
forget_waiting (RevBufGate * gate)
{
  g_queue_clear_full (&gate->waiting, (GDestroyNotify) gst_buffer_unref);
  gate->waiting_frames = 0;
}

void
rev_buf_gate_free (RevBufGate * gate)
{
  forget_waiting (gate);
  g_queue_clear (&gate->seeks);
  g_mutex_clear (&gate->start_lock);
  g_free (gate);
}

static void
set_stopping (RevBufGate * gate, gboolean stopping)
{
  g_mutex_lock (&gate->start_lock);
  gate->stopping = stopping;
  gate->flushing = FALSE;
  g_mutex_unlock (&gate->start_lock);
}

/* Whether upstream may be waiting for somebody who waits for us. */
static void
look_for_wait (gpointer data, RevBufWait * wait)
{
  RevBufGate *gate = data;
  gboolean keeping;

  GST_OBJECT_LOCK (gate->filter);
  keeping = gate->keeping;
  GST_OBJECT_UNLOCK (gate->filter);
  if (rev_buf_player_is_active (gate->player)) {
    /* of a whole block: beside a branch that plays, its audio comes no faster
     * than that */
    if (rev_buf_player_is_waiting (gate->player, &wait->progress))
      wait->advice = "give the audio a source of its own, or turn it around "
          "before the stream is split";
  } else if (keeping) {
    wait->progress = g_atomic_int_get (&gate->buffers);
    wait->advice = "put a queue with max-size-buffers=0 max-size-bytes=0 "
        "max-size-time=0 in front of that";
  }
}

void
rev_buf_gate_open (RevBufGate * gate)
{
  gate->segments = 0;
  set_stopping (gate, FALSE);
  gate->watch = rev_buf_watch_start (GST_ELEMENT (gate->filter), look_for_wait,
      gate);
}

void
rev_buf_gate_close (RevBufGate * gate)
{
  rev_buf_watch_stop (gate->watch);
  gate->watch = NULL;
  set_stopping (gate, TRUE);
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
can_seek (RevBufGate * gate, const GstAudioInfo * info)
{
  GstQuery *query;
  gboolean seekable = FALSE;

  if (!has_times (info))
    return FALSE;
  query = gst_query_new_seeking (GST_FORMAT_TIME);
  if (gst_pad_peer_query (gate->sinkpad, query))
    gst_query_parse_seeking (query, NULL, &seekable, NULL, NULL);
  gst_query_unref (query);
  return seekable && !gst_retro_filter_is_live (gate->filter);
}

/* Whether the properties ask for what only the player can do, or does best. */
static gboolean
wants_player (const RevBufSettings * settings)
{
  return (settings->mode == GST_REV_BUF_MODE_AUTO
      || settings->mode == GST_REV_BUF_MODE_SEEK)
      && (settings->direction == GST_REV_BUF_REVERSE
      || settings->loop != GST_REV_BUF_LOOP_NONE);
}

static void
warn_cannot_seek (RevBufGate * gate, const gchar * instead)
{
  if (has_times (gst_retro_filter_get_info (gate->filter)))
    GST_ELEMENT_WARNING (gate->filter, RESOURCE, SEEK,
        ("The stream cannot be seeked, so %s: put %s behind something that can "
            "seek.", instead, GST_OBJECT_NAME (gate->filter)), (NULL));
  else
    GST_ELEMENT_WARNING (gate->filter, RESOURCE, SEEK,
        ("The rate is too high for a seek to find a frame, so %s: put "
            "audioresample in front of %s.", instead,
            GST_OBJECT_NAME (gate->filter)), (NULL));
}

/* Where upstream has turned or scaled the audio already, places in the stream
 * are not what a seek reaches. */
static gboolean
is_plain (const GstSegment * segment)
{
  return segment->rate > 0 && segment->applied_rate == 1.0;
}

static RevBufPath
choose_path (RevBufGate * gate, const RevBufSettings * settings,
    gboolean backwards, const GstSegment * segment)
{
  /* both a negative rate and direction=reverse ask for the same: backwards */
  if (gst_retro_filter_is_flipping (gate->filter))
    return REV_BUF_PATH_PASS;
  if (wants_player (settings)) {
    if (is_plain (segment)
        && can_seek (gate, gst_retro_filter_get_info (gate->filter)))
      return REV_BUF_PATH_SEEK;
    if (settings->loop != GST_REV_BUF_LOOP_NONE)
      warn_cannot_seek (gate, "it is not looped");
    else if (settings->mode == GST_REV_BUF_MODE_SEEK)
      warn_cannot_seek (gate, "it is collected");
  }

  if (!backwards)
    return REV_BUF_PATH_PASS;
  return settings->mode == GST_REV_BUF_MODE_CHUNK ? REV_BUF_PATH_CHUNK :
      REV_BUF_PATH_COLLECT;
}

static void
set_path (RevBufGate * gate, RevBufPath path, GstClockTime start_position_ns)
{
  gboolean keeping = path == REV_BUF_PATH_COLLECT
      && !gst_retro_filter_is_live (gate->filter);

  GST_OBJECT_LOCK (gate->filter);
  gate->path = path;
  gate->keeping = keeping;
  gate->start_position_ns = start_position_ns;
  gate->passed_ns = GST_CLOCK_TIME_NONE;
  gate->cannot_seek = FALSE;
  GST_OBJECT_UNLOCK (gate->filter);
}

RevBufPath
rev_buf_gate_set_segment (RevBufGate * gate, const RevBufSettings * settings,
    gboolean backwards, const GstSegment * segment)
{
  RevBufPath path = choose_path (gate, settings, backwards, segment);

  forget_waiting (gate);
  gate->segment = *segment;
  gate->segments++;
  set_path (gate, path, path != REV_BUF_PATH_COLLECT ? GST_CLOCK_TIME_NONE :
      gst_segment_to_stream_time (segment, GST_FORMAT_TIME, segment->stop));
  GST_DEBUG_OBJECT (gate->filter, "path %d for %" GST_SEGMENT_FORMAT, path,
      segment);
  return path;
}

void
rev_buf_gate_reset (RevBufGate * gate)
{
  forget_waiting (gate);
  GST_OBJECT_LOCK (gate->filter);
  gate->path = REV_BUF_PATH_PASS;
  gate->keeping = FALSE;
  GST_OBJECT_UNLOCK (gate->filter);
}

RevBufPath
rev_buf_gate_get_path (const RevBufGate * gate)
{
  return gate->path;
}

/* ---- starting the player --------------------------------------------------- */

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
is_contested (RevBufGate * gate, guint32 seqnum)
{
  return seqnum != gate->last_seek
      && rev_buf_seeks_is_of_another (GST_ELEMENT (gate->filter), seqnum);
}

/* Whether somebody has asked for the stop of @segment: what is said to be the end
 * may be none to the frame. Of a seek that has not come by, only the segment is
 * known. With the start lock. */
static gboolean
is_limited (RevBufGate * gate, const GstSegment * segment, guint32 seqnum)
{
  if (seqnum == gate->last_seek)
    return gate->limits;
  return gate->segments > 1 || (segment->flags & GST_SEGMENT_FLAG_RESET) != 0;
}

/* FALSE: the element stops, or is flushed or sought. */
static gboolean
start_player (RevBufGate * gate, GstClockTime passed_ns)
{
  const GstAudioInfo *info = gst_retro_filter_get_info (gate->filter);
  GstEvent *event = gst_pad_get_sticky_event (gate->sinkpad,
      GST_EVENT_SEGMENT, 0);
  gint64 last_frame = TIMEDSP_UNKNOWN;
  GstClockTime base_ns;
  GstSegment segment;
  gboolean active;
  guint32 seqnum;

  if (event == NULL)            /* a flush has taken it */
    return FALSE;
  gst_event_copy_segment (event, &segment);
  seqnum = gst_event_get_seqnum (event);
  base_ns = passed_running_time (&segment, passed_ns);
  if (GST_CLOCK_TIME_IS_VALID (passed_ns))
    last_frame = timedsp_frame_at (gst_segment_to_stream_time (&segment,
            GST_FORMAT_TIME, CLAMP (passed_ns, segment.start, segment.stop)),
        GST_AUDIO_INFO_RATE (info)) - 1;
  gst_retro_filter_set_passthrough (gate->filter, FALSE);

  g_mutex_lock (&gate->start_lock);
  if (!gate->stopping && !gate->flushing && gate->seeks.length == 0
      && !rev_buf_player_is_active (gate->player))
    rev_buf_player_start (gate->player, info, &segment, seqnum,
        is_contested (gate, seqnum), gate->segments == 1,
        is_limited (gate, &segment, seqnum), last_frame, base_ns);
  active = rev_buf_player_is_active (gate->player);
  g_mutex_unlock (&gate->start_lock);
  gst_event_unref (event);
  return active;
}

gboolean
rev_buf_gate_start_by_seek (RevBufGate * gate, GstEvent * event)
{
  GstCaps *caps = gst_pad_get_current_caps (gate->sinkpad);
  GstEvent *sticky = gst_pad_get_sticky_event (gate->sinkpad,
      GST_EVENT_SEGMENT, 0);
  GstClockTime passed_ns, base_ns = 0;
  gboolean started = FALSE;
  GstSegment segment;
  GstAudioInfo info;

  GST_OBJECT_LOCK (gate->filter);
  passed_ns = gate->passed_ns;
  GST_OBJECT_UNLOCK (gate->filter);
  if (caps != NULL && sticky != NULL && gst_audio_info_from_caps (&info, caps)
      && can_seek (gate, &info)) {
    gst_event_copy_segment (sticky, &segment);
    base_ns = passed_running_time (&segment, passed_ns);
    g_mutex_lock (&gate->start_lock);
    if (rev_buf_player_is_active (gate->player))
      started = rev_buf_player_seek (gate->player, event);
    else if (!gate->stopping && !gate->flushing)
      started = rev_buf_player_start_by_seek (gate->player, event, &info,
          &segment, base_ns);
    g_mutex_unlock (&gate->start_lock);
  }
  if (started) {
    gst_retro_filter_set_passthrough (gate->filter, FALSE);
    rev_buf_player_wait_for_flush (gate->player);
  }
  gst_clear_caps (&caps);
  gst_clear_event (&sticky);
  return started;
}

gboolean
rev_buf_gate_begin_seek (RevBufGate * gate, guint32 seqnum, gboolean limits)
{
  gboolean goes_past;

  g_mutex_lock (&gate->start_lock);
  goes_past = !rev_buf_player_is_active (gate->player);
  if (goes_past) {
    g_queue_push_tail (&gate->seeks, GUINT_TO_POINTER (seqnum));
    gate->last_seek = seqnum;
    gate->limits = limits;
  }
  g_mutex_unlock (&gate->start_lock);
  return goes_past;
}

void
rev_buf_gate_end_seek (RevBufGate * gate, guint32 seqnum)
{
  g_mutex_lock (&gate->start_lock);
  g_queue_remove (&gate->seeks, GUINT_TO_POINTER (seqnum));
  g_mutex_unlock (&gate->start_lock);
}

/* The segment of a seek has its number. Where an element has lost that, a flush
 * says that seeks no longer wait for the streaming thread. */
static void
note_answer (RevBufGate * gate, GstEvent * event)
{
  if (GST_EVENT_TYPE (event) == GST_EVENT_SEGMENT)
    rev_buf_gate_end_seek (gate, gst_event_get_seqnum (event));
  if (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_STOP) {
    g_mutex_lock (&gate->start_lock);
    g_queue_clear (&gate->seeks);
    g_mutex_unlock (&gate->start_lock);
  }
}

static gboolean
is_sought (RevBufGate * gate)
{
  gboolean sought;

  g_mutex_lock (&gate->start_lock);
  sought = gate->seeks.length > 0;
  g_mutex_unlock (&gate->start_lock);
  return sought;
}

/* ---- a stream that goes through untouched ---------------------------------- */

/* There is none behind a flush, until it is sent anew. */
static gboolean
has_segment (RevBufGate * gate)
{
  GstEvent *event = gst_pad_get_sticky_event (gate->sinkpad,
      GST_EVENT_SEGMENT, 0);
  gboolean found = event != NULL;

  gst_clear_event (&event);
  return found;
}

/* Whether the player has to take over before the next buffer: direction or loop
 * has been set. */
static gboolean
must_start_player (RevBufGate * gate, GstClockTime * passed_ns)
{
  gboolean wanted, loop;

  GST_OBJECT_LOCK (gate->filter);
  *passed_ns = gate->passed_ns;
  loop = gate->settings->loop != GST_REV_BUF_LOOP_NONE;
  wanted = !gate->cannot_seek && wants_player (gate->settings);
  GST_OBJECT_UNLOCK (gate->filter);

  if (!wanted || gst_retro_filter_is_flipping (gate->filter)
      || is_sought (gate) || !has_segment (gate))
    return FALSE;
  if (is_plain (&gate->segment)
      && can_seek (gate, gst_retro_filter_get_info (gate->filter)))
    return TRUE;

  GST_OBJECT_LOCK (gate->filter);
  gate->cannot_seek = TRUE;
  GST_OBJECT_UNLOCK (gate->filter);
  warn_cannot_seek (gate, loop ? "it is not looped" :
      "it is turned around from the next segment on");
  return FALSE;
}

static void
note_passed (RevBufGate * gate, GstBuffer * buffer)
{
  const GstAudioInfo *info = gst_retro_filter_get_info (gate->filter);

  if (!GST_BUFFER_PTS_IS_VALID (buffer))
    return;
  GST_OBJECT_LOCK (gate->filter);
  gate->passed_ns = GST_BUFFER_PTS (buffer)
      + gst_util_uint64_scale_int (retro_buffer_frames (buffer, info),
      GST_SECOND, GST_AUDIO_INFO_RATE (info));
  GST_OBJECT_UNLOCK (gate->filter);
}

/* FALSE as start_player(). */
static gboolean
pass_or_start (RevBufGate * gate, GstBuffer * buffer)
{
  GstClockTime passed_ns;

  if (must_start_player (gate, &passed_ns))
    return start_player (gate, passed_ns);
  note_passed (gate, buffer);
  return TRUE;
}

/* ---- a stream that waits for the player ------------------------------------ */

/* Parsers learn where the end is, if ever, from some of the audio. */
static gboolean
is_end_unknown (RevBufGate * gate)
{
  return !GST_CLOCK_TIME_IS_VALID (gate->segment.stop)
      && gst_retro_filter_query_duration (gate->filter) == GST_CLOCK_TIME_NONE;
}

static gboolean
must_wait (RevBufGate * gate)
{
  const GstAudioInfo *info = gst_retro_filter_get_info (gate->filter);

  return is_end_unknown (gate) && gate->waiting.length < MAX_WAIT_BUFFERS
      && gate->waiting_frames <
      (guint64) GST_AUDIO_INFO_RATE (info) * MAX_WAIT_SECONDS;
}

/* An end that cannot be told is waited for, unless the application insists. */
static gboolean
must_collect (RevBufGate * gate)
{
  gboolean insists;

  GST_OBJECT_LOCK (gate->filter);
  insists = gate->settings->mode == GST_REV_BUF_MODE_SEEK
      || gate->settings->direction == GST_REV_BUF_FORWARD;
  GST_OBJECT_UNLOCK (gate->filter);
  return !insists && is_end_unknown (gate);
}

/* Decides how the stream is turned around, and does so with what has waited. */
static GstFlowReturn
stop_waiting (RevBufGate * gate)
{
  GstFlowReturn ret = GST_FLOW_OK;
  GQueue waiting = gate->waiting;
  GstBuffer *buffer;

  g_queue_init (&gate->waiting);
  if (waiting.length == 0 || must_collect (gate)) {
    gate->collect (gate->filter, &gate->segment);
    set_path (gate, REV_BUF_PATH_COLLECT, GST_CLOCK_TIME_NONE);
  } else if (!start_player (gate, GST_CLOCK_TIME_NONE)) {
    ret = GST_FLOW_FLUSHING;
  }
  while (ret == GST_FLOW_OK && (buffer = g_queue_pop_head (&waiting)) != NULL)
    ret = rev_buf_gate_chain (gate, buffer);
  g_queue_clear_full (&waiting, (GDestroyNotify) gst_buffer_unref);
  return ret;
}

static GstFlowReturn
wait_or_start (RevBufGate * gate, GstBuffer * buffer)
{
  const GstAudioInfo *info = gst_retro_filter_get_info (gate->filter);
  GstBuffer *kept = retro_buffer_keep (buffer, info);

  gst_buffer_unref (buffer);
  if (kept == NULL)
    return gst_retro_filter_fail_memory (gate->filter);
  g_queue_push_tail (&gate->waiting, kept);
  gate->waiting_frames += retro_buffer_frames (kept, info);
  return must_wait (gate) ? GST_FLOW_OK : stop_waiting (gate);
}

/* ---- what upstream brings -------------------------------------------------- */

GstFlowReturn
rev_buf_gate_chain (RevBufGate * gate, GstBuffer * buffer)
{
  g_atomic_int_inc (&gate->buffers);
  if (!rev_buf_player_is_active (gate->player)
      && GST_AUDIO_INFO_IS_VALID (gst_retro_filter_get_info (gate->filter))) {
    if (gate->path == REV_BUF_PATH_SEEK)
      return wait_or_start (gate, buffer);
    if (gate->path == REV_BUF_PATH_PASS && !pass_or_start (gate, buffer)) {
      gst_buffer_unref (buffer);
      return GST_FLOW_FLUSHING;
    }
  }
  if (rev_buf_player_is_active (gate->player))
    return rev_buf_player_chain (gate->player, buffer);
  return gate->base_chain (gate->sinkpad, GST_OBJECT (gate->filter), buffer);
}

/* Whether @event is for the player. The two halves of a flush go the same way. */
static gboolean
is_for_player (RevBufGate * gate, GstEvent * event)
{
  gboolean active;

  g_mutex_lock (&gate->start_lock);
  active = rev_buf_player_is_active (gate->player);
  if (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_START)
    gate->flushing = !active;
  if (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_STOP)
    gate->flushing = FALSE;
  g_mutex_unlock (&gate->start_lock);
  return active;
}

/* What has been collected is sent, which takes as long as it plays. */
static void
note_end (RevBufGate * gate, GstEvent * event)
{
  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_EOS:
    case GST_EVENT_SEGMENT_DONE:
    case GST_EVENT_STREAM_START:
    case GST_EVENT_SEGMENT:
    case GST_EVENT_CAPS:
      GST_OBJECT_LOCK (gate->filter);
      gate->keeping = FALSE;
      GST_OBJECT_UNLOCK (gate->filter);
      break;
    default:
      break;
  }
}

gboolean
rev_buf_gate_event (RevBufGate * gate, GstEvent * event)
{
  gboolean ret = TRUE;

  note_answer (gate, event);
  note_end (gate, event);
  if (GST_EVENT_TYPE (event) == GST_EVENT_EOS
      && !rev_buf_player_is_active (gate->player)
      && gate->path == REV_BUF_PATH_SEEK)
    stop_waiting (gate);
  if (is_for_player (gate, event))
    ret = rev_buf_player_event (gate->player, &event);
  if (event == NULL)
    return ret;
  return gate->base_event (gate->sinkpad, GST_OBJECT (gate->filter), event);
}

/* ---- the position ---------------------------------------------------------- */

GstClockTime
rev_buf_gate_get_position (RevBufGate * gate)
{
  GstClockTime position_ns;
  RevBufPath path;

  GST_OBJECT_LOCK (gate->filter);
  path = gate->path;
  position_ns = gate->start_position_ns;
  GST_OBJECT_UNLOCK (gate->filter);

  if (rev_buf_player_is_active (gate->player)) {
    position_ns = rev_buf_player_get_position (gate->player);
    path = REV_BUF_PATH_SEEK;
    if (GST_CLOCK_TIME_IS_VALID (position_ns))
      return position_ns;
  }
  if ((path != REV_BUF_PATH_COLLECT && path != REV_BUF_PATH_SEEK)
      || GST_CLOCK_TIME_IS_VALID (gst_retro_filter_get_position (gate->filter)))
    return GST_CLOCK_TIME_NONE;
  /* where it was sought to, or the end */
  return GST_CLOCK_TIME_IS_VALID (position_ns) ? position_ns :
      gst_retro_filter_query_duration (gate->filter);
}
