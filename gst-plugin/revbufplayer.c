/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "revbufplayer.h"
#include "revbuftransport.h"

GST_DEBUG_CATEGORY_EXTERN (rev_buf_debug);
#define GST_CAT_DEFAULT rev_buf_debug

/* Buffers of 1/25 s: a change of direction waits for one at most. */
#define BUFFERS_PER_SECOND 25

/* How long a flushing seek may take. */
#define FLUSH_PATIENCE_US G_TIME_SPAN_SECOND

/* No change of direction is asked for. */
#define NO_TURN (-1)

struct _RevBufPlayer
{
  GstRetroFilter *filter;
  GstPad *srcpad, *sinkpad;
  const RevBufSettings *settings;
  RevBufInlet *inlet;
  gint active;                  /* atomic */
  gboolean threadless;          /* the thread could not be made */
  GThread *thread;              /* atomic: the one that plays */

  /* over a request and the flush that goes with it */
  GRecMutex flush_lock;

  /* under the meeting's lock */
  RevBufMeeting meeting;
  gboolean released;            /* the element stops */
  gboolean held;                /* upstream is flushed by somebody else */
  gboolean flushing;            /* FLUSH_START has been sent, and no FLUSH_STOP */
  gboolean flush_pending;       /* … or FLUSH_STOP is still being sent */
  RevBufRequest request;
  guint requests, handled;      /* how many */
  gint turn_to;                 /* a direction, or NO_TURN */
  GstClockTime position_ns;     /* while nothing has been sent */
  GstClockTime end_ns;          /* of the stream; NONE: not known */

  /* the thread that plays */
  RevBufTransport transport;
  gboolean stalled, finished;   /* until the next request */
};

/* ---- sending ------------------------------------------------------------ */

/* A decoder tells its tags after every seek. */
static gboolean
is_known (RevBufPlayer * player, GstEvent * event)
{
  GstEvent *known;
  gboolean equal;

  if (!GST_EVENT_IS_STICKY (event))
    return FALSE;
  known = gst_pad_get_sticky_event (player->srcpad, GST_EVENT_TYPE (event), 0);
  equal = known != NULL && gst_event_get_structure (known) != NULL
      && gst_event_get_structure (event) != NULL
      && gst_structure_is_equal (gst_event_get_structure (known),
      gst_event_get_structure (event));
  gst_clear_event (&known);
  return equal;
}

static void
send_events (RevBufPlayer * player)
{
  GstEvent *event;

  for (;;) {
    rev_buf_meeting_enter (&player->meeting);
    event = rev_buf_inlet_pop_event (player->inlet);
    rev_buf_meeting_leave (&player->meeting);
    if (event == NULL)
      return;
    if (is_known (player, event))
      gst_event_unref (event);
    else
      gst_pad_push_event (player->srcpad, event);
  }
}

static void
send_eos (RevBufPlayer * player)
{
  GstEvent *event = gst_event_new_eos ();

  gst_event_set_seqnum (event, player->transport.seqnum);
  gst_pad_push_event (player->srcpad, event);
}

static void
flow_stopped (RevBufPlayer * player, GstFlowReturn ret)
{
  GST_DEBUG_OBJECT (player->filter, "sending stopped: %s",
      gst_flow_get_name (ret));
  if (ret == GST_FLOW_FLUSHING) {
    player->stalled = TRUE;
    return;
  }
  player->finished = TRUE;
  if (ret == GST_FLOW_NOT_LINKED || ret == GST_FLOW_NOT_NEGOTIATED)
    GST_ELEMENT_FLOW_ERROR (player->filter, ret);
  if (ret != GST_FLOW_EOS)
    send_eos (player);
}

static gboolean
send_some (RevBufPlayer * player)
{
  RevBufTransport *transport = &player->transport;
  gint64 n_frames = MIN (rev_buf_transport_ready_frames (transport),
      MAX (transport->fetcher.limits.rate / BUFFERS_PER_SECOND, 1));
  GstFlowReturn ret;

  if (n_frames == 0)
    return FALSE;

  rev_buf_transport_start_leg (transport);
  send_events (player);
  ret = rev_buf_transport_send (transport, n_frames);

  rev_buf_meeting_enter (&player->meeting);
  if (player->requests == player->handled)      /* else it is the next one's */
    player->position_ns = GST_CLOCK_TIME_NONE;
  rev_buf_meeting_leave (&player->meeting);
  if (ret != GST_FLOW_OK)
    flow_stopped (player, ret);
  return TRUE;
}

/* ---- the end ------------------------------------------------------------ */

static void
send_segment_done (RevBufPlayer * player)
{
  RevBufTransport *transport = &player->transport;
  GstClockTime end_ns = timedsp_time_of (rev_buf_transport_get_edge
      (transport), transport->fetcher.limits.rate);
  GstMessage *message = gst_message_new_segment_done (GST_OBJECT
      (player->filter), GST_FORMAT_TIME, end_ns);
  GstEvent *event = gst_event_new_segment_done (GST_FORMAT_TIME, end_ns);

  gst_message_set_seqnum (message, transport->seqnum);
  gst_element_post_message (GST_ELEMENT (player->filter), message);
  gst_event_set_seqnum (event, transport->seqnum);
  gst_pad_push_event (player->srcpad, event);
}

static void
finish (RevBufPlayer * player)
{
  rev_buf_transport_start_leg (&player->transport);
  send_events (player);
  player->finished = TRUE;
  if (player->transport.segment.flags & GST_SEGMENT_FLAG_SEGMENT)
    send_segment_done (player);
  else
    send_eos (player);
}

static void
fail (RevBufPlayer * player)
{
  gst_retro_filter_fail (player->filter,
      g_steal_pointer (&player->transport.fetcher.error));
  player->finished = TRUE;
  send_eos (player);
}

/* At the end of a lap, the next one, or the end. */
static gboolean
end_lap (RevBufPlayer * player)
{
  if (!rev_buf_transport_is_at_end (&player->transport))
    return FALSE;

  if (rev_buf_transport_has_lost_stream (&player->transport)) {
    g_set_error (&player->transport.fetcher.error, GST_RESOURCE_ERROR,
        GST_RESOURCE_ERROR_SEEK, "There is no audio any more after a seek, "
        "although upstream says that it can: set mode=collect on %s.",
        GST_OBJECT_NAME (player->filter));
    fail (player);
  } else if (!rev_buf_transport_next_lap (&player->transport)) {
    if (rev_buf_fetcher_is_followed (&player->transport.fetcher))
      fail (player);
    else
      finish (player);
  }
  return TRUE;
}

/* Whether @result is no reason to stop; if it is one, that is dealt with. */
static gboolean
is_fine (RevBufPlayer * player, RevBufFetcherResult result)
{
  if (result == REV_BUF_FETCHER_FAILED)
    fail (player);
  return result != REV_BUF_FETCHER_FAILED;
}

/* ---- requests ----------------------------------------------------------- */

static void
publish_end (RevBufPlayer * player)
{
  const TimeDSPFetchLimits *limits = &player->transport.fetcher.limits;

  rev_buf_meeting_enter (&player->meeting);
  if (limits->end_frame != TIMEDSP_UNKNOWN)
    player->end_ns = timedsp_time_of (limits->end_frame, limits->rate);
  rev_buf_meeting_leave (&player->meeting);
}

/* The beginning of the stream is kept before anything is fetched. With it,
 * parsers have seen enough to tell a duration. */
static gboolean
awaits_head (RevBufPlayer * player, const RevBufRequest * request)
{
  RevBufFetcher *fetcher = &player->transport.fetcher;

  if (!request->initial)
    fetcher->awaits_head = FALSE;
  if (fetcher->awaits_head) {
    player->transport.seqnum = request->seqnum; /* of EOS, should it fail */
    is_fine (player, rev_buf_fetcher_admit (fetcher, request->direction, 0));
  }
  publish_end (player);
  return fetcher->awaits_head;
}

static void
serve (RevBufPlayer * player, const RevBufRequest * request, gboolean flushing)
{
  GstMessage *message;

  player->stalled = player->finished = FALSE;
  rev_buf_transport_serve (&player->transport, request, flushing);
  if (!(request->segment.flags & GST_SEGMENT_FLAG_SEGMENT))
    return;

  message = gst_message_new_segment_start (GST_OBJECT (player->filter),
      GST_FORMAT_TIME, request->segment.start);
  gst_message_set_seqnum (message, request->seqnum);
  gst_element_post_message (GST_ELEMENT (player->filter), message);
}

/* Ends the flush downstream, unless yet another one has begun. */
static void
end_flush (RevBufPlayer * player, guint id, guint32 seqnum)
{
  gboolean stop;

  g_rec_mutex_lock (&player->flush_lock);
  rev_buf_meeting_enter (&player->meeting);
  player->handled = id;
  stop = player->flushing && player->requests == id && !player->held;
  if (stop)
    player->flushing = FALSE;
  rev_buf_meeting_leave (&player->meeting);
  if (stop) {
    GstEvent *event = gst_event_new_flush_stop (TRUE);

    gst_event_set_seqnum (event, seqnum);
    gst_pad_push_event (player->srcpad, event);
    rev_buf_meeting_enter (&player->meeting);
    player->flush_pending = player->flushing;
    rev_buf_meeting_announce (&player->meeting);
  }
  g_rec_mutex_unlock (&player->flush_lock);
}

static gboolean
handle_request (RevBufPlayer * player)
{
  gboolean flushing, pending;
  RevBufRequest request;
  guint id;

  rev_buf_meeting_enter (&player->meeting);
  id = player->requests;
  pending = id != player->handled;
  request = player->request;
  flushing = player->flushing;
  rev_buf_meeting_leave (&player->meeting);
  if (!pending || awaits_head (player, &request))
    return FALSE;

  serve (player, &request, flushing);
  /* a fetch also makes sure that nobody else is sending any more */
  if (!player->transport.placed)
    is_fine (player, rev_buf_transport_fetch (&player->transport));
  end_flush (player, id, request.seqnum);
  return TRUE;
}

static gboolean
handle_turn (RevBufPlayer * player)
{
  gint direction;

  rev_buf_meeting_enter (&player->meeting);
  direction = player->turn_to;
  player->turn_to = NO_TURN;
  rev_buf_meeting_leave (&player->meeting);
  if (direction == NO_TURN || direction == (gint) player->transport.direction)
    return FALSE;

  rev_buf_transport_turn (&player->transport, direction);
  return TRUE;
}

/* ---- the thread --------------------------------------------------------- */

static gboolean
fetch_some (RevBufPlayer * player)
{
  RevBufFetcherResult result = rev_buf_transport_fetch (&player->transport);

  publish_end (player);
  return !is_fine (player, result) || result == REV_BUF_FETCHER_ACTIVE;
}

static gboolean
do_something (RevBufPlayer * player)
{
  gboolean held;

  rev_buf_meeting_enter (&player->meeting);
  held = player->held;
  rev_buf_meeting_leave (&player->meeting);
  if (held)
    return FALSE;
  if (handle_request (player))
    return TRUE;
  if (player->stalled || player->finished || player->handled == 0)
    return FALSE;
  return handle_turn (player)
      || rev_buf_transport_follow_switch (&player->transport)
      || fetch_some (player) || send_some (player) || end_lap (player);
}

static void
run (gpointer data)
{
  RevBufPlayer *player = data;
  gboolean released;
  guint changes;

  g_atomic_pointer_set (&player->thread, g_thread_self ());
  rev_buf_meeting_enter (&player->meeting);
  released = player->released;
  changes = player->meeting.changes;
  rev_buf_meeting_leave (&player->meeting);
  if (released) {
    gst_pad_pause_task (player->srcpad);
    return;
  }
  if (do_something (player))
    return;

  rev_buf_meeting_enter (&player->meeting);
  while (!player->released && player->meeting.changes == changes)
    g_cond_wait (&player->meeting.changed, &player->meeting.lock);
  rev_buf_meeting_leave (&player->meeting);
}

/* ---- from other threads -------------------------------------------------- */

/* Under the lock under which the direction of @request was read: a turn that came
 * before that is in it, and one that comes later is handled after it. */
static void
post (RevBufPlayer * player, const RevBufRequest * request)
{
  const RevBufRequest *before = &player->request;
  gboolean foreign = request->foreign, pending = player->requests
      != player->handled && before->foreign;
  GstAudioInfo info = foreign ? request->info : before->info;

  player->request = *request;
  player->request.foreign = foreign || pending;
  player->request.info = info;
  player->requests++;
  player->turn_to = NO_TURN;
  player->position_ns = request->direction == TIMEDSP_BACKWARD ?
      request->segment.stop : request->segment.start;
  if (request->last_frame != TIMEDSP_UNKNOWN)
    player->position_ns = timedsp_time_of (request->last_frame,
        player->transport.fetcher.limits.rate);
}

static gboolean
is_reverse (RevBufPlayer * player)
{
  gboolean reverse;

  GST_OBJECT_LOCK (player->filter);
  reverse = player->settings->direction == GST_REV_BUF_REVERSE;
  GST_OBJECT_UNLOCK (player->filter);
  return reverse;
}

static void
foreign_flush (gpointer data, GstEvent * flush_start)
{
  RevBufPlayer *player = data;

  g_rec_mutex_lock (&player->flush_lock);
  rev_buf_meeting_enter (&player->meeting);
  player->held = player->flushing = TRUE;
  rev_buf_meeting_announce (&player->meeting);
  gst_pad_push_event (player->srcpad, flush_start);
  g_rec_mutex_unlock (&player->flush_lock);
}

static void
foreign_segment (gpointer data, const GstSegment * segment,
    const GstAudioInfo * info, guint32 seqnum)
{
  RevBufPlayer *player = data;
  GstClockTime duration_ns = gst_retro_filter_query_duration (player->filter);
  RevBufRequest request;

  rev_buf_meeting_enter (&player->meeting);
  rev_buf_request_from_segment (&request, segment, duration_ns,
      is_reverse (player), TRUE, TRUE);
  request.seqnum = seqnum;
  request.foreign = TRUE;
  request.info = *info;
  player->end_ns = GST_CLOCK_TIME_NONE;
  player->held = FALSE;
  post (player, &request);
  rev_buf_meeting_announce (&player->meeting);
}

/* ---- seeks -------------------------------------------------------------- */

static gboolean
take_seek (RevBufPlayer * player, GstEvent * event, const GstSegment * now,
    gboolean initial)
{
  RevBufRequest request;
  gboolean flush;

  g_rec_mutex_lock (&player->flush_lock);
  rev_buf_meeting_enter (&player->meeting);
  if (player->released
      || !rev_buf_request_from_seek (&request, event, now, is_reverse (player),
          &flush)) {
    rev_buf_meeting_leave (&player->meeting);
    g_rec_mutex_unlock (&player->flush_lock);
    return FALSE;
  }
  request.initial = initial;
  player->flushing |= flush;
  player->flush_pending |= flush;
  post (player, &request);
  rev_buf_meeting_announce (&player->meeting);
  if (flush) {
    GstEvent *flush_start = gst_event_new_flush_start ();

    gst_event_set_seqnum (flush_start, request.seqnum);
    gst_pad_push_event (player->srcpad, flush_start);
  }
  g_rec_mutex_unlock (&player->flush_lock);
  return TRUE;
}

/* The pads refuse what is sent before FLUSH_STOP, such as the seek that an
 * application sends next. A seek in the thread that plays cannot wait for it,
 * nor one in a thread that FLUSH_STOP itself waits for (that of a sink behind a
 * queue), which nobody can tell: so it is not waited for long. */
void
rev_buf_player_wait_for_flush (RevBufPlayer * player)
{
  gint64 end_us = g_get_monotonic_time () + FLUSH_PATIENCE_US;
  gboolean in_time = TRUE;

  if (g_atomic_pointer_get (&player->thread) == g_thread_self ())
    return;
  rev_buf_meeting_enter (&player->meeting);
  while (in_time && player->flush_pending && !player->held && !player->released)
    in_time = g_cond_wait_until (&player->meeting.changed,
        &player->meeting.lock, end_us);
  rev_buf_meeting_leave (&player->meeting);
}

gboolean
rev_buf_player_seek (RevBufPlayer * player, GstEvent * event)
{
  GstSegment now;

  rev_buf_meeting_enter (&player->meeting);
  now = player->request.asked;
  rev_buf_meeting_leave (&player->meeting);
  now.duration = rev_buf_player_get_duration (player);
  if (!GST_CLOCK_TIME_IS_VALID (now.duration))
    now.duration = gst_retro_filter_query_duration (player->filter);
  return take_seek (player, event, &now, FALSE);
}

/* ---- beginning and end --------------------------------------------------- */

static void
open (RevBufPlayer * player, const GstAudioInfo * info,
    const GstSegment * segment, gboolean contested, gboolean at_head,
    GstClockTime base_ns)
{
  RevBufTransport *transport = &player->transport;
  RevBufTake *head = NULL;

  rev_buf_transport_open (transport, info, base_ns);
  if (at_head)
    head = rev_buf_fetcher_new_head (&transport->fetcher,
        rev_buf_transport_frame_at (transport, segment->time));
  player->stalled = player->finished = FALSE;
  rev_buf_meeting_enter (&player->meeting);
  player->released = player->held = FALSE;
  player->flushing = player->flush_pending = FALSE;
  player->requests = player->handled = 0;
  player->turn_to = NO_TURN;
  player->end_ns = GST_CLOCK_TIME_NONE;
  rev_buf_meeting_leave (&player->meeting);
  rev_buf_inlet_open (player->inlet, info, segment, contested, head);
}

/* Where there is no thread to be had, nothing may wait for it. */
static gboolean
start_thread (RevBufPlayer * player)
{
  g_atomic_int_set (&player->active, TRUE);
  if (gst_pad_start_task (player->srcpad, run, player, NULL))
    return TRUE;

  g_atomic_int_set (&player->active, FALSE);
  gst_task_stop (GST_PAD_TASK (player->srcpad));        /* should it come yet */
  player->threadless = TRUE;
  GST_ELEMENT_ERROR (player->filter, RESOURCE, NO_SPACE_LEFT,
      ("There is no thread to be had for %s: close other programs, or raise "
          "the limit (ulimit -u).", GST_OBJECT_NAME (player->filter)), (NULL));
  return FALSE;
}

/* Where nobody tells the duration of a stream that nobody has sought in, its
 * segment does: to the ns, whereas the last frame may reach a little farther. */
static GstClockTime
duration_of (RevBufPlayer * player, const GstSegment * segment,
    gboolean is_fresh)
{
  GstClockTime duration_ns = gst_retro_filter_query_duration (player->filter);

  if (!GST_CLOCK_TIME_IS_VALID (duration_ns) && is_fresh
      && GST_CLOCK_TIME_IS_VALID (segment->stop))
    duration_ns = gst_segment_to_stream_time (segment, GST_FORMAT_TIME,
        segment->stop);
  return duration_ns;
}

void
rev_buf_player_start (RevBufPlayer * player, const GstAudioInfo * info,
    const GstSegment * segment, guint32 seqnum, gboolean contested,
    gboolean is_fresh, gboolean limited, gint64 last_frame,
    GstClockTime base_ns)
{
  gboolean reverse = is_reverse (player);
  RevBufRequest request;

  open (player, info, segment, contested, last_frame == TIMEDSP_UNKNOWN
      && (is_fresh || segment->time == 0), base_ns);
  rev_buf_request_from_segment (&request, segment,
      duration_of (player, segment, is_fresh && !limited), reverse,
      !is_fresh && segment->time > 0 && last_frame == TIMEDSP_UNKNOWN, limited);
  if (is_fresh && !limited)     /* nobody has asked for a stop */
    request.asked.stop = GST_CLOCK_TIME_NONE;
  request.seqnum = seqnum;
  request.initial = TRUE;
  request.last_frame = last_frame;
  rev_buf_meeting_enter (&player->meeting);
  post (player, &request);
  rev_buf_meeting_leave (&player->meeting);
  /* it may have been set before anybody was told */
  if (start_thread (player) && is_reverse (player) != reverse)
    rev_buf_player_turn (player, reverse ? TIMEDSP_FORWARD : TIMEDSP_BACKWARD);
}

gboolean
rev_buf_player_start_by_seek (RevBufPlayer * player, GstEvent * event,
    const GstAudioInfo * info, const GstSegment * segment, GstClockTime base_ns)
{
  RevBufRequest now;

  open (player, info, segment, FALSE, FALSE, base_ns);
  rev_buf_request_from_segment (&now, segment,
      gst_retro_filter_query_duration (player->filter), FALSE, FALSE, FALSE);
  g_atomic_int_set (&player->active, TRUE);
  if (!take_seek (player, event, &now.asked, TRUE)) {
    g_atomic_int_set (&player->active, FALSE);
    return FALSE;
  }
  return start_thread (player);
}

void
rev_buf_player_release (RevBufPlayer * player)
{
  rev_buf_inlet_close (player->inlet);
  rev_buf_meeting_enter (&player->meeting);
  player->released = TRUE;
  rev_buf_meeting_announce (&player->meeting);
}

void
rev_buf_player_stop (RevBufPlayer * player)
{
  /* one that never began cannot be waited for */
  if (!player->threadless)
    gst_pad_stop_task (player->srcpad);
  player->threadless = FALSE;
  g_atomic_int_set (&player->active, FALSE);
  rev_buf_fetcher_clear (&player->transport.fetcher);
}

RevBufPlayer *
rev_buf_player_new (GstRetroFilter * filter, GstPad * sinkpad, GstPad * srcpad,
    const RevBufSettings * settings)
{
  RevBufPlayer *player = g_new0 (RevBufPlayer, 1);
  const RevBufInletListener listener = { foreign_flush, foreign_segment,
    player
  };

  player->filter = player->transport.filter = filter;
  player->transport.leg.filter = filter;
  player->sinkpad = sinkpad;
  player->srcpad = player->transport.leg.srcpad = srcpad;
  player->settings = player->transport.settings = settings;
  g_rec_mutex_init (&player->flush_lock);
  g_mutex_init (&player->meeting.lock);
  g_cond_init (&player->meeting.changed);
  player->inlet = rev_buf_inlet_new (GST_ELEMENT (filter), sinkpad,
      &player->meeting, &listener);
  rev_buf_fetcher_init (&player->transport.fetcher, GST_ELEMENT (filter),
      player->inlet, &player->meeting);
  player->turn_to = NO_TURN;
  player->position_ns = player->end_ns = GST_CLOCK_TIME_NONE;
  return player;
}

void
rev_buf_player_free (RevBufPlayer * player)
{
  rev_buf_fetcher_clear (&player->transport.fetcher);
  rev_buf_inlet_free (player->inlet);
  g_cond_clear (&player->meeting.changed);
  g_mutex_clear (&player->meeting.lock);
  g_rec_mutex_clear (&player->flush_lock);
  g_free (player);
}

/* ---- for the element ----------------------------------------------------- */

gboolean
rev_buf_player_is_active (RevBufPlayer * player)
{
  return g_atomic_int_get (&player->active);
}

GstFlowReturn
rev_buf_player_chain (RevBufPlayer * player, GstBuffer * buffer)
{
  return rev_buf_inlet_chain (player->inlet, buffer);
}

gboolean
rev_buf_player_event (RevBufPlayer * player, GstEvent ** event)
{
  return rev_buf_inlet_event (player->inlet, event);
}

void
rev_buf_player_turn (RevBufPlayer * player, TimeDSPDirection direction)
{
  rev_buf_meeting_enter (&player->meeting);
  player->turn_to = direction;
  rev_buf_meeting_announce (&player->meeting);
}

void
rev_buf_player_wake (RevBufPlayer * player)
{
  rev_buf_meeting_enter (&player->meeting);
  rev_buf_meeting_announce (&player->meeting);
}

/* @time_ns is one of those under the lock. */
static GstClockTime
read_time (RevBufPlayer * player, const GstClockTime * time_ns)
{
  GstClockTime value_ns;

  rev_buf_meeting_enter (&player->meeting);
  value_ns = *time_ns;
  rev_buf_meeting_leave (&player->meeting);
  return value_ns;
}

GstClockTime
rev_buf_player_get_position (RevBufPlayer * player)
{
  return read_time (player, &player->position_ns);
}

GstClockTime
rev_buf_player_get_duration (RevBufPlayer * player)
{
  return read_time (player, &player->end_ns);
}

gboolean
rev_buf_player_is_waiting (RevBufPlayer * player, guint * progress)
{
  gboolean waiting;

  rev_buf_meeting_enter (&player->meeting);
  waiting = rev_buf_inlet_is_waiting (player->inlet);
  *progress = player->meeting.changes;
  rev_buf_meeting_leave (&player->meeting);
  return waiting;
}

GstStructure *
rev_buf_player_get_stats (RevBufPlayer * player)
{
  RevBufStats stats;

  rev_buf_meeting_enter (&player->meeting);
  stats = player->transport.fetcher.stats;
  rev_buf_meeting_leave (&player->meeting);
  return gst_structure_new ("application/x-revbuf-stats",
      "blocks", G_TYPE_UINT64, stats.blocks,
      "seams-verified", G_TYPE_UINT64, stats.seams_verified,
      "seams-aligned", G_TYPE_UINT64, stats.seams_aligned,
      "seams-crossfaded", G_TYPE_UINT64, stats.seams_crossfaded,
      "prerolls-widened", G_TYPE_UINT64, stats.prerolls_widened,
      "preroll-frames", G_TYPE_INT64, stats.preroll_frames, NULL);
}
