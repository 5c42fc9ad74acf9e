/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "revbufplayer.h"
#include "revbuffetcher.h"
#include "revbufleg.h"

GST_DEBUG_CATEGORY_EXTERN (rev_buf_debug);
#define GST_CAT_DEFAULT rev_buf_debug

/* Buffers of 1/25 s: a change of direction waits for one at most. */
#define BUFFERS_PER_SECOND 25

/* Timestamps may be short of the count of frames by this part: MP3's are by
 * 1 / 26,000,000. */
#define DRIFT_DIVISOR 10000000

/* Decoders do not give all of the audio before a stop. */
#define HAND_OVER_MARGIN_NS GST_SECOND

/* How long a flushing seek may take. */
#define FLUSH_PATIENCE_US G_TIME_SPAN_SECOND

/* No change of direction is asked for. */
#define NO_TURN (-1)

/* A wish for another place in the stream. */
typedef struct
{
  GstSegment asked;             /* as the application sees it; rate < 0 where
                                 * it asked for that */
  GstSegment segment;           /* what that comes to */
  guint32 seqnum;
  TimeDSPDirection direction;
  gboolean resume;              /* from where play is */
  gboolean initial;             /* the first one */
  gboolean foreign;             /* upstream has been seeked by somebody else */
  gint64 last_frame;            /* initial: sent before; or TIMEDSP_UNKNOWN */
} Request;

struct _RevBufPlayer
{
  GstRetroFilter *filter;
  GstPad *srcpad, *sinkpad;
  const RevBufSettings *settings;
  RevBufInlet *inlet;
  gint active;                  /* atomic */
  GThread *thread;              /* atomic: the one that plays */

  /* over a request and the flush that goes with it */
  GRecMutex flush_lock;

  /* under the meeting's lock */
  RevBufMeeting meeting;
  gboolean released;            /* the element stops */
  gboolean held;                /* upstream is flushed by somebody else */
  gboolean handing_over, gave_up;
  gboolean flushing;            /* FLUSH_START has been sent, and no FLUSH_STOP */
  gboolean flush_pending;       /* … or FLUSH_STOP is still being sent */
  Request request;
  guint requests, handled;      /* how many */
  gint turn_to;                 /* a direction, or NO_TURN */
  GstClockTime position_ns;     /* while nothing has been sent */
  GstClockTime end_ns;          /* of the stream; NONE: not known */

  /* the thread that plays */
  RevBufFetcher fetcher;
  RevBufLeg leg;
  GstSegment segment;           /* what is being served */
  guint32 seqnum;
  TimeDSPDirection direction;
  TimeDSPDirection sought;      /* of the last seek, or the beginning */
  TimeDSPLoop loop;             /* of the present lap */
  TimeDSPRange lap;
  gint64 place;                 /* heard next */
  gint64 last;                  /* heard last */
  gboolean placed, heard;       /* they are valid */
  gboolean leg_started, lap_heard;
  gboolean stalled, finished;   /* until the next request */
  GstClockTime collect_end_ns;  /* of what is handed over */
  GstClockTime marker_start_ns, marker_stop_ns; /* that were warned of */
};

/* ---- the window, and where we are in it ----------------------------------- */

static gboolean
is_backward (const RevBufPlayer * player)
{
  return player->direction == TIMEDSP_BACKWARD;
}

static gint64
step (const RevBufPlayer * player, gint64 n_frames)
{
  return is_backward (player) ? -n_frames : n_frames;
}

static gboolean
find_edge (RevBufPlayer * player, gint64 edge)
{
  gint64 place;

  player->placed = edge != TIMEDSP_UNKNOWN
      && rev_buf_window_place_of (&player->fetcher.window, edge, &place);
  if (player->placed)
    player->place = is_backward (player) ? place - 1 : place;
  return player->placed;
}

/* Goes on at edge @edge of the stream; TIMEDSP_UNKNOWN: its end. */
static void
go_to (RevBufPlayer * player, gint64 edge)
{
  if (edge == TIMEDSP_UNKNOWN)
    edge = player->fetcher.limits.end_frame;
  player->heard = FALSE;
  if (find_edge (player, edge))
    return;
  rev_buf_fetcher_jump (&player->fetcher, edge, player->direction);
  find_edge (player, edge);     /* it may begin with the beginning */
}

/* With the first block of a window, its places are known. */
static void
find_place (RevBufPlayer * player)
{
  RevBufBlock *block = rev_buf_window_highest (&player->fetcher.window);

  if (player->placed || block == NULL)
    return;
  player->placed = TRUE;
  player->place = block->place;
  if (is_backward (player))
    player->place += (gint64) block->n_frames - 1;
}

/* The frame after n is n - 1, or n + 1. */
static void
turn (RevBufPlayer * player, TimeDSPDirection direction)
{
  gint64 edge = player->fetcher.edge;

  if (direction == player->direction)
    return;
  player->direction = direction;
  player->leg_started = FALSE;
  if (player->heard)
    player->place = player->last + step (player, 1);
  else if (player->placed)
    player->place += step (player, 1);
  if (player->placed)
    return;

  /* an empty window will have the numbers of the stream for places */
  if (player->heard)
    edge = is_backward (player) ? player->last : player->last + 1;
  rev_buf_fetcher_jump (&player->fetcher, edge, direction);
  player->fetcher.exhausted = edge == TIMEDSP_UNKNOWN
      && direction == TIMEDSP_FORWARD;
}

static gint64
edge_now (const RevBufPlayer * player)
{
  if (!player->placed)
    return player->fetcher.edge;
  return rev_buf_window_frame_at (&player->fetcher.window,
      is_backward (player) ? player->place + 1 : player->place);
}

/* ---- laps --------------------------------------------------------------- */

static gint64
frame_at (const RevBufPlayer * player, GstClockTime time_ns)
{
  if (!GST_CLOCK_TIME_IS_VALID (time_ns))
    return TIMEDSP_UNKNOWN;
  return timedsp_frame_at (time_ns, player->fetcher.limits.rate);
}

/* Whether the segment ends at @edge because nobody asked for less. */
static gboolean
is_open_end (const RevBufPlayer * player, gint64 edge)
{
  gint64 end_frame = player->fetcher.limits.end_frame;

  if (end_frame == TIMEDSP_UNKNOWN)
    end_frame = frame_at (player, player->segment.duration);
  return edge == TIMEDSP_UNKNOWN
      || (end_frame != TIMEDSP_UNKNOWN && edge >= end_frame);
}

/* What the application wants to hear. Where it sought to is no bound, unless it
 * said where to stop, too: after a turn, play goes on past it. */
static TimeDSPRange
bounds_of (const RevBufPlayer * player)
{
  gint64 end_frame = player->fetcher.limits.end_frame;
  TimeDSPRange bounds;

  bounds.first_frame = frame_at (player, player->segment.start);
  bounds.end_frame = frame_at (player, player->segment.stop);
  if (player->sought == TIMEDSP_FORWARD
      && is_open_end (player, bounds.end_frame))
    bounds.first_frame = 0;
  if (player->sought == TIMEDSP_BACKWARD && bounds.first_frame == 0)
    bounds.end_frame = TIMEDSP_UNKNOWN;

  bounds.first_frame = MAX (bounds.first_frame, player->fetcher.floor_frame);
  if (bounds.end_frame == TIMEDSP_UNKNOWN)
    bounds.end_frame = end_frame;
  else if (end_frame != TIMEDSP_UNKNOWN)
    bounds.end_frame = MIN (bounds.end_frame, end_frame);
  if (bounds.end_frame != TIMEDSP_UNKNOWN)
    bounds.first_frame = MIN (bounds.first_frame, bounds.end_frame);
  return bounds;
}

static void
warn_of_markers (RevBufPlayer * player, TimeDSPMarkers markers,
    GstClockTime start_ns, GstClockTime stop_ns)
{
  static const gchar *const texts[] = {
    [TIMEDSP_MARKERS_CLAMPED] = "A loop marker lies outside the stream, and "
        "was moved to its end: set loop-start and loop-stop inside it.",
    [TIMEDSP_MARKERS_CROSSED] = "loop-stop lies before loop-start, and they "
        "were exchanged.",
    [TIMEDSP_MARKERS_EMPTY] = "There is nothing between loop-start and "
        "loop-stop: the whole stream is repeated.",
  };

  if (markers == TIMEDSP_MARKERS_FINE || (start_ns == player->marker_start_ns
          && stop_ns == player->marker_stop_ns))
    return;
  player->marker_start_ns = start_ns;
  player->marker_stop_ns = stop_ns;
  GST_ELEMENT_WARNING (player->filter, LIBRARY, SETTINGS, ("%s",
          texts[markers]), ("markers %" GST_TIME_FORMAT " and %"
          GST_TIME_FORMAT, GST_TIME_ARGS (start_ns), GST_TIME_ARGS (stop_ns)));
}

/* The loop between the markers as they are now; the whole of @bounds where
 * there is none. */
static TimeDSPLoop
read_loop (RevBufPlayer * player, const TimeDSPRange * bounds,
    TimeDSPRange * range)
{
  TimeDSPMarkers markers = TIMEDSP_MARKERS_FINE;
  GstClockTime start_ns, stop_ns;
  TimeDSPLoop loop;

  GST_OBJECT_LOCK (player->filter);
  loop = (TimeDSPLoop) player->settings->loop;
  start_ns = player->settings->loop_start_ns;
  stop_ns = player->settings->loop_stop_ns;
  GST_OBJECT_UNLOCK (player->filter);

  *range = *bounds;
  if (loop == TIMEDSP_LOOP_NONE)
    return loop;
  if (timedsp_loop_range (bounds, frame_at (player, start_ns),
          frame_at (player, stop_ns), range, &markers) != TIMEDSP_OK)
    *range = *bounds;
  warn_of_markers (player, markers, start_ns, stop_ns);
  return loop;
}

/* Where this lap ends. What is already beyond a marker goes on to the end. */
static void
set_lap (RevBufPlayer * player)
{
  TimeDSPRange bounds = bounds_of (player);
  gint64 edge = edge_now (player);

  player->loop = read_loop (player, &bounds, &player->lap);
  if (edge != TIMEDSP_UNKNOWN) {
    if (is_backward (player) ? edge <= player->lap.first_frame :
        player->lap.end_frame != TIMEDSP_UNKNOWN
        && edge >= player->lap.end_frame)
      player->lap = bounds;
  }
  player->lap_heard = FALSE;
}

/* Frames from our place on that belong to the lap; G_MAXINT64: no end in
 * sight. */
static gint64
left_in_lap (RevBufPlayer * player)
{
  RevBufWindow *window = &player->fetcher.window;
  RevBufBlock *highest = rev_buf_window_highest (window);
  gint64 end;

  if (!player->placed)
    return player->fetcher.exhausted ? 0 : G_MAXINT64;
  if (is_backward (player)) {
    if (rev_buf_window_place_of (window, MAX (player->lap.first_frame,
                player->fetcher.floor_frame), &end))
      return player->place - end + 1;
    return player->place < player->fetcher.floor_frame ? 0 : G_MAXINT64;
  }
  if (player->lap.end_frame != TIMEDSP_UNKNOWN
      && rev_buf_window_place_of (window, player->lap.end_frame, &end))
    return end - player->place;
  if (highest->at_end)
    return highest->place + (gint64) highest->n_frames - player->place;
  return G_MAXINT64;
}

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

/* Where a leg begins and ends in the stream, as far as is known. */
static void
leg_range (RevBufPlayer * player, GstClockTime * first_ns,
    GstClockTime * end_ns)
{
  guint rate = player->fetcher.limits.rate;
  gint64 left = left_in_lap (player);
  gint64 edge = MAX (edge_now (player), 0);
  gint64 first_frame = is_backward (player) ?
      MIN (player->lap.first_frame, edge) : edge;
  gint64 end_frame = is_backward (player) ? edge : player->lap.end_frame;

  *first_ns = timedsp_time_of (first_frame, rate);
  if (end_frame == TIMEDSP_UNKNOWN) {
    *end_ns = GST_CLOCK_TIME_NONE;
    return;
  }
  if (left != G_MAXINT64)
    end_frame = MAX (end_frame, first_frame + MAX (left, 0));
  end_frame += (end_frame - first_frame) / DRIFT_DIVISOR;
  *end_ns = timedsp_time_of (end_frame, rate);
}

static void
start_leg (RevBufPlayer * player)
{
  GstClockTime first_ns, end_ns;

  leg_range (player, &first_ns, &end_ns);
  gst_retro_filter_set_seqnum (player->filter, player->seqnum);
  player->leg.info = player->fetcher.info;
  rev_buf_leg_start (&player->leg, &player->segment, player->direction,
      first_ns, end_ns);
  player->segment.flags &= ~GST_SEGMENT_FLAG_RESET;
  player->leg_started = TRUE;
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
    gst_pad_push_event (player->srcpad, gst_event_new_eos ());
}

/* Whether more is left than fits before the stop of the segment: the stream has
 * more frames than its timestamps say. */
static gboolean
is_longer_than_leg (RevBufPlayer * player)
{
  gint64 left = left_in_lap (player);

  return left != G_MAXINT64
      && left > rev_buf_leg_frames_left (&player->leg);
}

static gboolean
send_some (RevBufPlayer * player)
{
  gint64 max_frames = MAX (player->fetcher.limits.rate / BUFFERS_PER_SECOND, 1);
  gint64 n_frames = left_in_lap (player);
  GstFlowReturn ret;

  if (!player->placed)
    return FALSE;
  n_frames = MIN (n_frames, rev_buf_fetcher_ready_frames (&player->fetcher,
          player->direction, player->place));
  n_frames = MIN (n_frames, max_frames);
  if (n_frames <= 0)
    return FALSE;

  if (!player->leg_started)
    start_leg (player);
  else if (is_longer_than_leg (player))
    rev_buf_leg_extend (&player->leg, left_in_lap (player));
  send_events (player);
  ret = rev_buf_leg_send (&player->leg,
      rev_buf_window_find (&player->fetcher.window, player->place),
      player->direction, player->place, n_frames);

  player->last = player->place + step (player, n_frames - 1);
  player->place = player->last + step (player, 1);
  player->heard = player->lap_heard = TRUE;
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
finish (RevBufPlayer * player)
{
  GstElement *element = GST_ELEMENT (player->filter);
  GstClockTime end_ns = timedsp_time_of (edge_now (player),
      player->fetcher.limits.rate);
  GstMessage *message;
  GstEvent *event;

  if (!player->leg_started)
    start_leg (player);
  send_events (player);
  player->finished = TRUE;
  if (player->segment.flags & GST_SEGMENT_FLAG_SEGMENT) {
    message = gst_message_new_segment_done (GST_OBJECT (element),
        GST_FORMAT_TIME, end_ns);
    gst_message_set_seqnum (message, player->seqnum);
    gst_element_post_message (element, message);
    event = gst_event_new_segment_done (GST_FORMAT_TIME, end_ns);
  } else {
    event = gst_event_new_eos ();
  }
  gst_event_set_seqnum (event, player->seqnum);
  gst_pad_push_event (player->srcpad, event);
}

/* A stream that has begun has an end, wherever that is. */
static gboolean
has_lost_stream (const RevBufPlayer * player)
{
  return !player->placed && player->fetcher.head != NULL
      && is_backward (player) && player->fetcher.edge == TIMEDSP_UNKNOWN;
}

static void
fail (RevBufPlayer * player);

/* At the end of a lap, the next one, or the end. */
static gboolean
end_lap (RevBufPlayer * player)
{
  TimeDSPRange range, bounds = bounds_of (player);
  TimeDSPLoop loop;
  TimeDSPStep next = { TIMEDSP_UNKNOWN, player->direction };

  if (left_in_lap (player) > 0)
    return FALSE;
  if (has_lost_stream (player)) {
    g_set_error (&player->fetcher.error, GST_RESOURCE_ERROR,
        GST_RESOURCE_ERROR_SEEK, "There is no audio any more after a seek, "
        "although upstream says that it can: set mode=collect on %s.",
        GST_OBJECT_NAME (player->filter));
    fail (player);
    return TRUE;
  }

  loop = read_loop (player, &bounds, &range);
  if (loop == TIMEDSP_LOOP_NONE || !player->lap_heard) {
    finish (player);
    return TRUE;
  }
  if (timedsp_next_lap (loop, player->direction, &range, &next) == TIMEDSP_OK
      && next.frame == TIMEDSP_UNKNOWN) {
    finish (player);
    return TRUE;
  }

  player->direction = next.direction;
  player->leg_started = FALSE;
  go_to (player, next.frame == TIMEDSP_UNKNOWN || !is_backward (player) ?
      next.frame : next.frame + 1);
  set_lap (player);
  return TRUE;
}

static gboolean
is_fine (RevBufPlayer * player, RevBufFetcherResult result);

/* ---- requests ----------------------------------------------------------- */

static void
publish_end (RevBufPlayer * player)
{
  gint64 end_frame = player->fetcher.limits.end_frame;

  rev_buf_meeting_enter (&player->meeting);
  if (end_frame != TIMEDSP_UNKNOWN)
    player->end_ns = timedsp_time_of (end_frame, player->fetcher.limits.rate);
  rev_buf_meeting_leave (&player->meeting);
}

/* The beginning of the stream is kept before anything is fetched. With it,
 * parsers have seen enough to tell a duration. */
static gboolean
awaits_head (RevBufPlayer * player, const Request * request)
{
  if (!request->initial)
    player->fetcher.awaits_head = FALSE;
  if (player->fetcher.awaits_head)
    is_fine (player, rev_buf_fetcher_admit (&player->fetcher,
            request->direction, 0));
  publish_end (player);
  return player->fetcher.awaits_head;
}

static void
locate (RevBufPlayer * player, const Request * request)
{
  gboolean backward = request->direction == TIMEDSP_BACKWARD;
  gint64 last_frame = request->last_frame;

  if (request->resume && !request->initial) {
    turn (player, request->direction);
    return;
  }
  player->direction = request->direction;
  if (request->foreign)
    rev_buf_window_clear (&player->fetcher.window);
  if (request->initial && last_frame != TIMEDSP_UNKNOWN) {
    go_to (player, backward ? last_frame : last_frame + 1);
    player->last = last_frame;
    player->heard = TRUE;
    return;
  }
  go_to (player, frame_at (player, backward ? request->segment.stop :
          request->segment.start));
}

static void
count_running_time (RevBufPlayer * player, const Request * request,
    gboolean flushing)
{
  RevBufLeg *leg = &player->leg;
  gdouble rate = ABS (request->segment.rate);

  if (flushing)
    rev_buf_leg_count_from (leg, 0, rate);
  else
    rev_buf_leg_count_from (leg, rev_buf_leg_running_time (leg), rate);
  leg->discont = flushing || (!request->resume
      && request->last_frame == TIMEDSP_UNKNOWN);
}

static void
serve (RevBufPlayer * player, const Request * request, gboolean flushing)
{
  player->segment = request->segment;
  player->seqnum = request->seqnum;
  if (request->initial || !request->resume)
    player->sought = request->last_frame == TIMEDSP_UNKNOWN ?
        request->direction : TIMEDSP_FORWARD;
  player->leg_started = player->stalled = player->finished = FALSE;
  count_running_time (player, request, flushing);
  locate (player, request);
  set_lap (player);

  if (request->segment.flags & GST_SEGMENT_FLAG_SEGMENT) {
    GstMessage *message = gst_message_new_segment_start (GST_OBJECT
        (player->filter), GST_FORMAT_TIME, request->segment.start);

    gst_message_set_seqnum (message, request->seqnum);
    gst_element_post_message (GST_ELEMENT (player->filter), message);
  }
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
  Request request;
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
  if (!player->placed)
    is_fine (player, rev_buf_fetcher_fill (&player->fetcher,
            player->direction, player->place, &player->lap));
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
  if (direction == NO_TURN || direction == (gint) player->direction)
    return FALSE;

  turn (player, direction);
  set_lap (player);
  return TRUE;
}

/* Markers that move wait for the next lap; but a loop that is switched on begins
 * with this one, and one that is switched off ends with it. */
static gboolean
handle_switch (RevBufPlayer * player)
{
  TimeDSPLoop loop;

  GST_OBJECT_LOCK (player->filter);
  loop = (TimeDSPLoop) player->settings->loop;
  GST_OBJECT_UNLOCK (player->filter);
  if ((loop == TIMEDSP_LOOP_NONE) == (player->loop == TIMEDSP_LOOP_NONE))
    return FALSE;

  set_lap (player);
  player->leg_started = FALSE;
  return TRUE;
}

/* ---- the thread --------------------------------------------------------- */

static void
fail (RevBufPlayer * player)
{
  gst_retro_filter_fail (player->filter,
      g_steal_pointer (&player->fetcher.error));
  player->finished = TRUE;
  gst_pad_push_event (player->srcpad, gst_event_new_eos ());
}

/* From here on the stream is collected: what is left of it is asked for once
 * more, and goes past us. */
static void
give_up (RevBufPlayer * player)
{
  guint rate = player->fetcher.limits.rate;
  gint64 edge = edge_now (player);
  GstClockTime stop_ns;

  GST_INFO_OBJECT (player->filter, "collecting the rest of the stream");
  if (edge == TIMEDSP_UNKNOWN)
    edge = player->fetcher.limits.end_frame;
  player->collect_end_ns = edge == TIMEDSP_UNKNOWN ? GST_CLOCK_TIME_NONE :
      timedsp_time_of (edge, rate);
  stop_ns = player->collect_end_ns;
  if (edge != TIMEDSP_UNKNOWN)
    stop_ns += HAND_OVER_MARGIN_NS;
  rev_buf_meeting_enter (&player->meeting);
  player->handing_over = TRUE;
  rev_buf_meeting_leave (&player->meeting);
  player->finished = TRUE;
  if (!rev_buf_inlet_hand_over (player->inlet, player->segment.start, stop_ns))
    GST_ELEMENT_ERROR (player->filter, RESOURCE, SEEK,
        ("Two takes of the audio differ, and the stream could not be seeked "
            "to be collected: set seam=smooth or mode=collect on %s.",
            GST_OBJECT_NAME (player->filter)), (NULL));
}

/* Whether @result is no reason to stop; if it is one, that is dealt with. */
static gboolean
is_fine (RevBufPlayer * player, RevBufFetcherResult result)
{
  if (result == REV_BUF_FETCHER_FAILED)
    fail (player);
  else if (result == REV_BUF_FETCHER_UNEQUAL)
    give_up (player);
  return result == REV_BUF_FETCHER_IDLE || result == REV_BUF_FETCHER_ACTIVE;
}

/* Takes in what has arrived, and asks for more. */
static gboolean
fetch_some (RevBufPlayer * player)
{
  RevBufFetcher *fetcher = &player->fetcher;
  gint64 end_frame = fetcher->limits.end_frame;
  RevBufFetcherResult admitted, filled;

  admitted = rev_buf_fetcher_admit (fetcher, player->direction, player->place);
  if (!is_fine (player, admitted))
    return TRUE;
  if (player->placed && rev_buf_window_lowest (&fetcher->window) == NULL) {
    player->placed = FALSE;     /* it is being fetched once more */
    player->last = fetcher->edge;
  }
  find_place (player);
  if (admitted == REV_BUF_FETCHER_ACTIVE)
    publish_end (player);
  /* markers beyond the end can be told only now */
  if (fetcher->limits.end_frame != end_frame && !player->lap_heard)
    set_lap (player);

  filled = rev_buf_fetcher_fill (fetcher, player->direction, player->place,
      &player->lap);
  return !is_fine (player, filled) || admitted == REV_BUF_FETCHER_ACTIVE
      || filled == REV_BUF_FETCHER_ACTIVE;
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
  return handle_turn (player) || handle_switch (player) || fetch_some (player)
      || send_some (player) || end_lap (player);
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

static void
post (RevBufPlayer * player, const Request * request)
{
  player->request = *request;
  player->requests++;
  player->turn_to = NO_TURN;
  player->position_ns = request->direction == TIMEDSP_BACKWARD ?
      request->segment.stop : request->segment.start;
}

static TimeDSPDirection
direction_of (RevBufPlayer * player, gdouble rate)
{
  gboolean reverse;

  GST_OBJECT_LOCK (player->filter);
  reverse = player->settings->direction == GST_REV_BUF_REVERSE;
  GST_OBJECT_UNLOCK (player->filter);
  return rate < 0 || reverse ? TIMEDSP_BACKWARD : TIMEDSP_FORWARD;
}

/* @in as the application sees it: in stream time. */
static void
segment_of_application (const GstSegment * in, GstSegment * out)
{
  gst_segment_init (out, GST_FORMAT_TIME);
  out->rate = in->rate;
  out->flags = in->flags;
  out->duration = in->duration;
  out->start = gst_segment_to_stream_time (in, GST_FORMAT_TIME, in->start);
  if (!GST_CLOCK_TIME_IS_VALID (out->start))
    out->start = 0;
  if (GST_CLOCK_TIME_IS_VALID (in->stop))
    out->stop = gst_segment_to_stream_time (in, GST_FORMAT_TIME, in->stop);
  out->time = out->position = out->start;
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
foreign_segment (gpointer data, const GstSegment * segment, guint32 seqnum)
{
  RevBufPlayer *player = data;
  Request request = {.seqnum = seqnum,.foreign = TRUE,
    .last_frame = TIMEDSP_UNKNOWN
  };

  segment_of_application (segment, &request.segment);
  request.asked = request.segment;
  request.direction = direction_of (player, segment->rate);
  rev_buf_meeting_enter (&player->meeting);
  player->held = FALSE;
  post (player, &request);
  rev_buf_meeting_announce (&player->meeting);
}

/* ---- seeks -------------------------------------------------------------- */

typedef struct
{
  gdouble rate;
  GstFormat format;
  GstSeekFlags flags;
  GstSeekType start_type, stop_type;
  gint64 start, stop;
} Seek;

static gboolean
parse_seek (GstEvent * event, Seek * seek)
{
  gst_event_parse_seek (event, &seek->rate, &seek->format, &seek->flags,
      &seek->start_type, &seek->start, &seek->stop_type, &seek->stop);
  return seek->rate != 0 && seek->format == GST_FORMAT_TIME
      && !(seek->flags & GST_SEEK_FLAG_INSTANT_RATE_CHANGE);
}

/* What a seek makes of the start or the stop of a segment. */
static guint64
seeked (GstSeekType type, gint64 value, guint64 now, guint64 duration)
{
  if (type == GST_SEEK_TYPE_NONE)
    return now;
  if (type == GST_SEEK_TYPE_END && !GST_CLOCK_TIME_IS_VALID (duration))
    return GST_CLOCK_TIME_NONE;
  if (type == GST_SEEK_TYPE_END)
    value = MAX ((gint64) duration + value, 0);
  return value;
}

/* GStreamer takes a range that is the wrong way round for a programming error. */
static gboolean
is_range (const GstSegment * now, const Seek * seek)
{
  guint64 start = seeked (seek->start_type, seek->start, now->start,
      now->duration);
  guint64 stop = seeked (seek->stop_type, seek->stop, now->stop,
      now->duration);

  if (GST_CLOCK_TIME_IS_VALID (start)
      && GST_CLOCK_TIME_IS_VALID (now->duration))
    start = MIN (start, now->duration);
  if (GST_CLOCK_TIME_IS_VALID (stop) && GST_CLOCK_TIME_IS_VALID (now->duration))
    stop = MIN (stop, now->duration);
  return !GST_CLOCK_TIME_IS_VALID (start) || !GST_CLOCK_TIME_IS_VALID (stop)
      || start <= stop;
}

/* The request that answers @seek, by what GStreamer does to a segment. */
static gboolean
request_of_seek (RevBufPlayer * player, const Seek * seek,
    const GstSegment * now, Request * request)
{
  GstSegment *segment = &request->segment;
  gboolean backward;

  request->direction = direction_of (player, seek->rate);
  backward = request->direction == TIMEDSP_BACKWARD;
  request->last_frame = TIMEDSP_UNKNOWN;
  request->resume = seek->start_type == GST_SEEK_TYPE_NONE
      && (!backward || seek->stop_type == GST_SEEK_TYPE_NONE);
  if (seek->rate < 0)
    request->resume = seek->stop_type == GST_SEEK_TYPE_NONE;

  request->asked = *now;
  request->asked.rate = 1.0;    /* it has no running time to be kept */
  if (!is_range (now, seek)
      || !gst_segment_do_seek (&request->asked, seek->rate, GST_FORMAT_TIME,
          seek->flags, seek->start_type, seek->start, seek->stop_type,
          seek->stop, NULL))
    return FALSE;
  /* running time is counted by the legs */
  request->asked.base = request->asked.offset = 0;
  *segment = request->asked;

  /* from `start` down to the beginning */
  if (backward && seek->rate > 0 && segment->start > 0
      && !GST_CLOCK_TIME_IS_VALID (segment->stop)) {
    segment->stop = segment->start;
    segment->start = segment->time = 0;
  }
  return TRUE;
}

static gboolean
take_seek (RevBufPlayer * player, GstEvent * event, const GstSegment * now,
    gboolean initial)
{
  Request request = {.seqnum = gst_event_get_seqnum (event),
    .initial = initial
  };
  gboolean flush;
  Seek seek;

  if (!parse_seek (event, &seek)
      || !request_of_seek (player, &seek, now, &request))
    return FALSE;
  flush = (seek.flags & GST_SEEK_FLAG_FLUSH) != 0;

  g_rec_mutex_lock (&player->flush_lock);
  rev_buf_meeting_enter (&player->meeting);
  if (player->handing_over || player->released) {
    rev_buf_meeting_leave (&player->meeting);
    g_rec_mutex_unlock (&player->flush_lock);
    return FALSE;
  }
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
  while (in_time && player->flush_pending && !player->held
      && !player->released)
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
    const GstSegment * segment, gboolean at_head, GstClockTime base_ns)
{
  RevBufSettings settings;

  GST_OBJECT_LOCK (player->filter);
  rev_buf_settings_copy (player->settings, &settings);
  GST_OBJECT_UNLOCK (player->filter);
  rev_buf_fetcher_start (&player->fetcher, info, &settings);
  rev_buf_settings_clear (&settings);

  player->leg.info = *info;
  rev_buf_leg_count_from (&player->leg, base_ns, 1.0);
  player->placed = player->heard = player->leg_started = FALSE;
  player->stalled = player->finished = FALSE;
  player->marker_start_ns = player->marker_stop_ns = GST_CLOCK_TIME_NONE;
  rev_buf_meeting_enter (&player->meeting);
  player->released = player->held = FALSE;
  player->flushing = player->flush_pending = FALSE;
  player->handing_over = player->gave_up = FALSE;
  player->requests = player->handled = 0;
  player->turn_to = NO_TURN;
  player->end_ns = GST_CLOCK_TIME_NONE;
  rev_buf_meeting_leave (&player->meeting);
  rev_buf_inlet_open (player->inlet, info, segment,
      at_head ? rev_buf_fetcher_new_head (&player->fetcher,
          frame_at (player, segment->time)) : NULL);
}

static void
start_thread (RevBufPlayer * player)
{
  g_atomic_int_set (&player->active, TRUE);
  gst_pad_start_task (player->srcpad, run, player, NULL);
}

void
rev_buf_player_start (RevBufPlayer * player, const GstAudioInfo * info,
    const GstSegment * segment, guint32 seqnum, gboolean is_fresh,
    gint64 last_frame, GstClockTime base_ns)
{
  Request request = {.seqnum = seqnum,.initial = TRUE,
    .last_frame = last_frame
  };

  open (player, info, segment, last_frame == TIMEDSP_UNKNOWN
      && (is_fresh || segment->time == 0), base_ns);
  segment_of_application (segment, &request.segment);
  request.asked = request.segment;
  request.direction = direction_of (player, segment->rate);
  rev_buf_meeting_enter (&player->meeting);
  post (player, &request);
  rev_buf_meeting_leave (&player->meeting);
  start_thread (player);
}

gboolean
rev_buf_player_start_by_seek (RevBufPlayer * player, GstEvent * event,
    const GstAudioInfo * info, const GstSegment * segment, GstClockTime base_ns)
{
  GstSegment now;

  open (player, info, segment, FALSE, base_ns);
  segment_of_application (segment, &now);
  now.duration = gst_retro_filter_query_duration (player->filter);
  g_atomic_int_set (&player->active, TRUE);
  if (!take_seek (player, event, &now, TRUE)) {
    g_atomic_int_set (&player->active, FALSE);
    return FALSE;
  }
  start_thread (player);
  return TRUE;
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
  gst_pad_stop_task (player->srcpad);
  g_atomic_int_set (&player->active, FALSE);
  rev_buf_fetcher_clear (&player->fetcher);
  rev_buf_meeting_enter (&player->meeting);
  player->gave_up = FALSE;
  rev_buf_meeting_leave (&player->meeting);
}

RevBufPlayer *
rev_buf_player_new (GstRetroFilter * filter, GstPad * sinkpad, GstPad * srcpad,
    const RevBufSettings * settings)
{
  RevBufPlayer *player = g_new0 (RevBufPlayer, 1);
  const RevBufInletListener listener = { foreign_flush, foreign_segment,
    player
  };

  player->filter = player->leg.filter = filter;
  player->sinkpad = sinkpad;
  player->srcpad = player->leg.srcpad = srcpad;
  player->settings = settings;
  g_rec_mutex_init (&player->flush_lock);
  g_mutex_init (&player->meeting.lock);
  g_cond_init (&player->meeting.changed);
  player->inlet = rev_buf_inlet_new (GST_ELEMENT (filter), sinkpad,
      &player->meeting, &listener);
  rev_buf_fetcher_init (&player->fetcher, GST_ELEMENT (filter), player->inlet,
      &player->meeting);
  player->turn_to = NO_TURN;
  player->position_ns = player->end_ns = GST_CLOCK_TIME_NONE;
  return player;
}

void
rev_buf_player_free (RevBufPlayer * player)
{
  rev_buf_fetcher_clear (&player->fetcher);
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

/* What follows now has the running time of what was sent. */
static void
hand_over (RevBufPlayer * player, GstEvent ** event)
{
  GstSegment segment;

  gst_event_copy_segment (*event, &segment);
  segment.base = rev_buf_leg_running_time (&player->leg);
  segment.rate = player->leg.rate;
  if (GST_CLOCK_TIME_IS_VALID (player->collect_end_ns)
      && player->collect_end_ns > segment.time)
    segment.stop = segment.start + (player->collect_end_ns - segment.time);
  gst_event_unref (*event);
  *event = gst_event_new_segment (&segment);
  gst_event_set_seqnum (*event, player->seqnum);
  rev_buf_meeting_enter (&player->meeting);
  player->gave_up = TRUE;
  player->released = TRUE;
  rev_buf_meeting_announce (&player->meeting);
  g_atomic_int_set (&player->active, FALSE);
}

gboolean
rev_buf_player_event (RevBufPlayer * player, GstEvent ** event)
{
  gboolean ret = rev_buf_inlet_event (player->inlet, event);

  if (*event != NULL && GST_EVENT_TYPE (*event) == GST_EVENT_SEGMENT)
    hand_over (player, event);
  return ret;
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

GstClockTime
rev_buf_player_get_position (RevBufPlayer * player)
{
  GstClockTime position_ns;

  rev_buf_meeting_enter (&player->meeting);
  position_ns = player->position_ns;
  rev_buf_meeting_leave (&player->meeting);
  return position_ns;
}

GstClockTime
rev_buf_player_get_duration (RevBufPlayer * player)
{
  GstClockTime end_ns;

  rev_buf_meeting_enter (&player->meeting);
  end_ns = player->end_ns;
  rev_buf_meeting_leave (&player->meeting);
  return end_ns;
}

gboolean
rev_buf_player_gave_up (RevBufPlayer * player)
{
  gboolean gave_up;

  rev_buf_meeting_enter (&player->meeting);
  gave_up = player->gave_up;
  rev_buf_meeting_leave (&player->meeting);
  return gave_up;
}

GstStructure *
rev_buf_player_get_stats (RevBufPlayer * player)
{
  RevBufStats stats;
  gboolean gave_up;

  rev_buf_meeting_enter (&player->meeting);
  stats = player->fetcher.stats;
  gave_up = player->gave_up;
  rev_buf_meeting_leave (&player->meeting);
  return gst_structure_new ("application/x-revbuf-stats",
      "blocks", G_TYPE_UINT64, stats.blocks,
      "seams-verified", G_TYPE_UINT64, stats.seams_verified,
      "seams-aligned", G_TYPE_UINT64, stats.seams_aligned,
      "seams-crossfaded", G_TYPE_UINT64, stats.seams_crossfaded,
      "prerolls-widened", G_TYPE_UINT64, stats.prerolls_widened,
      "preroll-frames", G_TYPE_INT64, stats.preroll_frames,
      "collecting", G_TYPE_BOOLEAN, gave_up, NULL);
}
