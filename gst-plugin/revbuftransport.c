/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "revbuftransport.h"

GST_DEBUG_CATEGORY_EXTERN (rev_buf_debug);
#define GST_CAT_DEFAULT rev_buf_debug

/* Timestamps may be short of the count of frames by this part: MP3's are by
 * 1 / 26,000,000. */
#define DRIFT_DIVISOR 10000000

/* ---- the window, and where we are in it ----------------------------------- */

static gboolean
is_backward (const RevBufTransport * transport)
{
  return transport->direction == TIMEDSP_BACKWARD;
}

static gint64
step (const RevBufTransport * transport, gint64 n_frames)
{
  return is_backward (transport) ? -n_frames : n_frames;
}

static gboolean
find_edge (RevBufTransport * transport, gint64 edge)
{
  gint64 place;

  transport->placed = edge != TIMEDSP_UNKNOWN
      && rev_buf_window_place_of (&transport->fetcher.window, edge, &place);
  if (transport->placed)
    transport->place = is_backward (transport) ? place - 1 : place;
  return transport->placed;
}

/* Goes on at edge @edge of the stream; TIMEDSP_UNKNOWN: its end. */
static void
go_to (RevBufTransport * transport, gint64 edge)
{
  gint64 end_frame = transport->fetcher.limits.end_frame;

  if (end_frame != TIMEDSP_UNKNOWN
      && (edge == TIMEDSP_UNKNOWN || edge > end_frame))
    edge = end_frame;
  transport->heard = FALSE;
  if (find_edge (transport, edge))
    return;
  rev_buf_fetcher_jump (&transport->fetcher, edge, transport->direction);
  find_edge (transport, edge);  /* it may begin with the beginning */
}

/* With the first block of a window, its places are known. */
static void
find_place (RevBufTransport * transport)
{
  RevBufBlock *block = rev_buf_window_highest (&transport->fetcher.window);

  if (transport->placed || block == NULL)
    return;
  transport->placed = TRUE;
  transport->place = block->place;
  if (is_backward (transport))
    transport->place += (gint64) block->n_frames - 1;
}

/* The frame after n is n - 1, or n + 1. */
static void
turn (RevBufTransport * transport, TimeDSPDirection direction)
{
  gint64 edge = transport->fetcher.edge;

  if (direction == transport->direction)
    return;
  transport->direction = direction;
  transport->leg_started = FALSE;
  if (transport->heard)
    transport->place = transport->last + step (transport, 1);
  else if (transport->placed)
    transport->place += step (transport, 1);
  if (transport->placed)
    return;

  /* an empty window will have the numbers of the stream for places */
  if (transport->heard)
    edge = is_backward (transport) ? transport->last : transport->last + 1;
  rev_buf_fetcher_jump (&transport->fetcher, edge, direction);
  transport->fetcher.exhausted = edge == TIMEDSP_UNKNOWN
      && direction == TIMEDSP_FORWARD;
}

gint64
rev_buf_transport_get_edge (const RevBufTransport * transport)
{
  if (!transport->placed)
    return transport->fetcher.edge;
  return rev_buf_window_frame_at (&transport->fetcher.window,
      is_backward (transport) ? transport->place + 1 : transport->place);
}

/* ---- laps --------------------------------------------------------------- */

gint64
rev_buf_transport_frame_at (const RevBufTransport * transport,
    GstClockTime time_ns)
{
  if (!GST_CLOCK_TIME_IS_VALID (time_ns))
    return TIMEDSP_UNKNOWN;
  return timedsp_frame_at (time_ns, transport->fetcher.limits.rate);
}

/* Whether the segment ends at @edge because nobody asked for less. */
static gboolean
is_open_end (const RevBufTransport * transport, gint64 edge)
{
  gint64 end_frame = transport->fetcher.limits.end_frame;

  if (end_frame == TIMEDSP_UNKNOWN)
    end_frame =
        rev_buf_transport_frame_at (transport, transport->segment.duration);
  return edge == TIMEDSP_UNKNOWN || (end_frame != TIMEDSP_UNKNOWN
      && edge >= end_frame);
}

/* What the application wants to hear. Where it sought to is no bound, unless it
 * said where to stop, too: after a turn, play goes on past it. */
static TimeDSPRange
bounds_of (const RevBufTransport * transport)
{
  gint64 end_frame = transport->fetcher.limits.end_frame;
  TimeDSPRange bounds;

  bounds.first_frame =
      rev_buf_transport_frame_at (transport, transport->segment.start);
  bounds.end_frame =
      rev_buf_transport_frame_at (transport, transport->segment.stop);
  if (transport->sought == TIMEDSP_FORWARD
      && is_open_end (transport, bounds.end_frame))
    bounds.first_frame = 0;
  if (transport->sought == TIMEDSP_BACKWARD && bounds.first_frame == 0)
    bounds.end_frame = TIMEDSP_UNKNOWN;

  bounds.first_frame = MAX (bounds.first_frame, transport->fetcher.floor_frame);
  if (bounds.end_frame == TIMEDSP_UNKNOWN)
    bounds.end_frame = end_frame;
  else if (end_frame != TIMEDSP_UNKNOWN)
    bounds.end_frame = MIN (bounds.end_frame, end_frame);
  if (bounds.end_frame != TIMEDSP_UNKNOWN)
    bounds.first_frame = MIN (bounds.first_frame, bounds.end_frame);
  return bounds;
}

static void
warn_of_markers (RevBufTransport * transport, TimeDSPMarkers markers,
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

  if (markers == TIMEDSP_MARKERS_FINE || (start_ns == transport->marker_start_ns
          && stop_ns == transport->marker_stop_ns))
    return;
  transport->marker_start_ns = start_ns;
  transport->marker_stop_ns = stop_ns;
  GST_ELEMENT_WARNING (transport->filter, LIBRARY, SETTINGS, ("%s",
          texts[markers]), ("markers %" GST_TIME_FORMAT " and %"
          GST_TIME_FORMAT, GST_TIME_ARGS (start_ns), GST_TIME_ARGS (stop_ns)));
}

/* The loop between the markers as they are now; the whole of @bounds where
 * there is none. */
static TimeDSPLoop
read_loop (RevBufTransport * transport, const TimeDSPRange * bounds,
    TimeDSPRange * range)
{
  TimeDSPMarkers markers = TIMEDSP_MARKERS_FINE;
  GstClockTime start_ns, stop_ns;
  TimeDSPLoop loop;

  GST_OBJECT_LOCK (transport->filter);
  loop = (TimeDSPLoop) transport->settings->loop;
  start_ns = transport->settings->loop_start_ns;
  stop_ns = transport->settings->loop_stop_ns;
  GST_OBJECT_UNLOCK (transport->filter);

  *range = *bounds;
  if (loop == TIMEDSP_LOOP_NONE)
    return loop;
  if (timedsp_loop_range (bounds, rev_buf_transport_frame_at (transport,
              start_ns), rev_buf_transport_frame_at (transport, stop_ns), range,
          &markers) != TIMEDSP_OK)
    *range = *bounds;
  warn_of_markers (transport, markers, start_ns, stop_ns);
  return loop;
}

/* Where this lap ends. What is already beyond a marker goes on to the end. */
static void
set_lap (RevBufTransport * transport)
{
  TimeDSPRange bounds = bounds_of (transport);
  gint64 edge = rev_buf_transport_get_edge (transport);

  transport->loop = read_loop (transport, &bounds, &transport->lap);
  if (edge != TIMEDSP_UNKNOWN) {
    if (is_backward (transport) ? edge <= transport->lap.first_frame :
        transport->lap.end_frame != TIMEDSP_UNKNOWN
        && edge >= transport->lap.end_frame)
      transport->lap = bounds;
  }
  transport->lap_heard = FALSE;
}

/* Frames from our place on that belong to the lap; G_MAXINT64: no end in
 * sight. */
static gint64
left_in_lap (RevBufTransport * transport)
{
  RevBufWindow *window = &transport->fetcher.window;
  RevBufBlock *highest = rev_buf_window_highest (window);
  gint64 end;

  if (!transport->placed)
    return transport->fetcher.exhausted ? 0 : G_MAXINT64;
  if (is_backward (transport)) {
    if (rev_buf_window_place_of (window, MAX (transport->lap.first_frame,
                transport->fetcher.floor_frame), &end))
      return transport->place - end + 1;
    return transport->place < transport->fetcher.floor_frame ? 0 : G_MAXINT64;
  }
  if (transport->lap.end_frame != TIMEDSP_UNKNOWN
      && rev_buf_window_place_of (window, transport->lap.end_frame, &end))
    return end - transport->place;
  if (highest->at_end)
    return highest->place + (gint64) highest->n_frames - transport->place;
  return G_MAXINT64;
}

gboolean
rev_buf_transport_is_at_end (RevBufTransport * transport)
{
  return left_in_lap (transport) <= 0;
}

gboolean
rev_buf_transport_has_lost_stream (const RevBufTransport * transport)
{
  return !transport->placed && transport->fetcher.head != NULL
      && is_backward (transport) && transport->fetcher.edge == TIMEDSP_UNKNOWN;
}

gboolean
rev_buf_transport_next_lap (RevBufTransport * transport)
{
  TimeDSPRange range, bounds = bounds_of (transport);
  TimeDSPLoop loop = read_loop (transport, &bounds, &range);
  TimeDSPStep next = { TIMEDSP_UNKNOWN, transport->direction };

  /* play may begin where a lap ends, but not every lap */
  transport->empty_laps = transport->lap_heard ? 0 : transport->empty_laps + 1;
  if (loop == TIMEDSP_LOOP_NONE || transport->empty_laps > 1)
    return FALSE;
  if (timedsp_next_lap (loop, transport->direction, &range, &next)
      == TIMEDSP_OK && next.frame == TIMEDSP_UNKNOWN)
    return FALSE;

  transport->direction = next.direction;
  transport->leg_started = FALSE;
  go_to (transport, next.frame == TIMEDSP_UNKNOWN || !is_backward (transport) ?
      next.frame : next.frame + 1);
  set_lap (transport);
  return TRUE;
}

void
rev_buf_transport_turn (RevBufTransport * transport, TimeDSPDirection direction)
{
  turn (transport, direction);
  set_lap (transport);
}

gboolean
rev_buf_transport_follow_switch (RevBufTransport * transport)
{
  TimeDSPLoop loop;

  GST_OBJECT_LOCK (transport->filter);
  loop = (TimeDSPLoop) transport->settings->loop;
  GST_OBJECT_UNLOCK (transport->filter);
  if ((loop == TIMEDSP_LOOP_NONE) == (transport->loop == TIMEDSP_LOOP_NONE))
    return FALSE;

  set_lap (transport);
  transport->leg_started = FALSE;
  return TRUE;
}

/* ---- requests ----------------------------------------------------------- */

/* As somebody else has seeked. */
static void
start_over (RevBufTransport * transport, const GstAudioInfo * info)
{
  RevBufSettings settings;

  GST_OBJECT_LOCK (transport->filter);
  rev_buf_settings_copy (transport->settings, &settings);
  GST_OBJECT_UNLOCK (transport->filter);
  rev_buf_fetcher_start_over (&transport->fetcher, info, &settings);
  rev_buf_settings_clear (&settings);
}

static void
locate (RevBufTransport * transport, const RevBufRequest * request)
{
  gboolean backward = request->direction == TIMEDSP_BACKWARD;
  gint64 last_frame = request->last_frame;

  if (request->resume && !request->initial) {
    turn (transport, request->direction);
    return;
  }
  transport->direction = request->direction;
  if (request->foreign)
    start_over (transport, &request->info);
  if (!request->initial)
    transport->fetcher.trusts_head = FALSE;
  if (request->initial && last_frame != TIMEDSP_UNKNOWN) {
    go_to (transport, backward ? last_frame : last_frame + 1);
    transport->last = last_frame;
    transport->heard = TRUE;
    return;
  }
  go_to (transport, rev_buf_transport_frame_at (transport,
          backward ? request->segment.stop : request->segment.start));
}

static void
count_running_time (RevBufTransport * transport, const RevBufRequest * request,
    gboolean flushing)
{
  RevBufLeg *leg = &transport->leg;
  gdouble rate = ABS (request->segment.rate);

  if (flushing)
    rev_buf_leg_count_from (leg, 0, rate);
  else
    rev_buf_leg_count_from (leg, rev_buf_leg_running_time (leg), rate);
  leg->discont = flushing || (!request->resume
      && request->last_frame == TIMEDSP_UNKNOWN);
}

void
rev_buf_transport_open (RevBufTransport * transport,
    const GstAudioInfo * info, GstClockTime base_ns)
{
  RevBufSettings settings;

  GST_OBJECT_LOCK (transport->filter);
  rev_buf_settings_copy (transport->settings, &settings);
  GST_OBJECT_UNLOCK (transport->filter);
  rev_buf_fetcher_start (&transport->fetcher, info, &settings);
  rev_buf_settings_clear (&settings);

  transport->leg.info = *info;
  rev_buf_leg_count_from (&transport->leg, base_ns, 1.0);
  transport->placed = transport->heard = transport->leg_started = FALSE;
  transport->marker_start_ns = transport->marker_stop_ns = GST_CLOCK_TIME_NONE;
}

void
rev_buf_transport_serve (RevBufTransport * transport,
    const RevBufRequest * request, gboolean flushing)
{
  transport->segment = request->segment;
  transport->fetcher.duration_ns = request->segment.duration;
  transport->seqnum = request->seqnum;
  if (request->initial || !request->resume)
    transport->sought = request->last_frame == TIMEDSP_UNKNOWN ?
        request->direction : TIMEDSP_FORWARD;
  transport->leg_started = FALSE;
  transport->empty_laps = 0;
  count_running_time (transport, request, flushing);
  locate (transport, request);
  set_lap (transport);
}

/* ---- fetching ----------------------------------------------------------- */

static RevBufFetcherResult
admit (RevBufTransport * transport)
{
  RevBufFetcher *fetcher = &transport->fetcher;
  gint64 end_frame = fetcher->limits.end_frame;
  RevBufFetcherResult admitted = rev_buf_fetcher_admit (fetcher,
      transport->direction, transport->place);

  if (transport->placed && rev_buf_window_lowest (&fetcher->window) == NULL) {
    transport->placed = FALSE;  /* it is being fetched once more */
    transport->last = fetcher->edge;
  }
  find_place (transport);
  /* markers beyond the end can be told only now */
  if (fetcher->limits.end_frame != end_frame && !transport->lap_heard)
    set_lap (transport);
  return admitted;
}

RevBufFetcherResult
rev_buf_transport_fetch (RevBufTransport * transport)
{
  RevBufFetcherResult admitted = admit (transport);
  RevBufFetcherResult filled;

  if (admitted == REV_BUF_FETCHER_FAILED)
    return admitted;
  filled = rev_buf_fetcher_fill (&transport->fetcher, transport->direction,
      transport->place, &transport->lap);
  return filled == REV_BUF_FETCHER_IDLE ? admitted : filled;
}

/* ---- sending ------------------------------------------------------------ */

/* Where a leg begins and ends in the stream, as far as is known. */
static void
leg_range (RevBufTransport * transport, GstClockTime * first_ns,
    GstClockTime * end_ns)
{
  guint rate = transport->fetcher.limits.rate;
  gint64 left = left_in_lap (transport);
  gint64 edge = MAX (rev_buf_transport_get_edge (transport), 0);
  gint64 first_frame = is_backward (transport) ?
      MIN (transport->lap.first_frame, edge) : edge;
  gint64 end_frame = is_backward (transport) ? edge : transport->lap.end_frame;

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
start_leg (RevBufTransport * transport)
{
  GstClockTime first_ns, end_ns;

  leg_range (transport, &first_ns, &end_ns);
  gst_retro_filter_set_seqnum (transport->filter, transport->seqnum);
  transport->leg.info = transport->fetcher.info;
  rev_buf_leg_start (&transport->leg, &transport->segment, transport->direction,
      first_ns, end_ns);
  transport->segment.flags &= ~GST_SEGMENT_FLAG_RESET;
  transport->leg_started = TRUE;
}

/* Whether more is left than fits before the stop of the segment: the stream has
 * more frames than its timestamps say. */
static gboolean
is_longer_than_leg (RevBufTransport * transport)
{
  gint64 left = left_in_lap (transport);

  return left != G_MAXINT64 && left > rev_buf_leg_frames_left (&transport->leg);
}

void
rev_buf_transport_start_leg (RevBufTransport * transport)
{
  if (!transport->leg_started)
    start_leg (transport);
  else if (is_longer_than_leg (transport))
    rev_buf_leg_make_room (&transport->leg, left_in_lap (transport));
}

gint64
rev_buf_transport_ready_frames (RevBufTransport * transport)
{
  gint64 left = left_in_lap (transport);

  if (!transport->placed || left <= 0)
    return 0;
  return MIN (left, rev_buf_fetcher_ready_frames (&transport->fetcher,
          transport->direction, transport->place));
}

GstFlowReturn
rev_buf_transport_send (RevBufTransport * transport, gint64 n_frames)
{
  GstFlowReturn ret = rev_buf_leg_send (&transport->leg,
      rev_buf_window_find (&transport->fetcher.window, transport->place),
      transport->direction, transport->place, n_frames);

  transport->last = transport->place + step (transport, n_frames - 1);
  transport->place = transport->last + step (transport, 1);
  transport->heard = transport->lap_heard = TRUE;
  return ret;
}
