/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "revbuf/cursor.h"

GST_DEBUG_CATEGORY_EXTERN (gst_revbuf_debug);
#define GST_CAT_DEFAULT gst_revbuf_debug

/* Timestamps may be short of the count of frames by this part: MP3's are by
 * 1 / 26,000,000. */
#define DRIFT_DIVISOR 10000000

/* ---- the block cache, and where we are in it ----------------------------- */

static gboolean
is_backward (const GstRevBufCursor * cursor)
{
  return cursor->direction == TIMEDSP_BACKWARD;
}

static gint64
step (const GstRevBufCursor * cursor, gint64 n_frames)
{
  return is_backward (cursor) ? -n_frames : n_frames;
}

static gboolean
find_boundary (GstRevBufCursor * cursor, gint64 boundary)
{
  gint64 index;

  cursor->placed = boundary != TIMEDSP_UNKNOWN
      && gst_revbuf_block_cache_index_of (&cursor->planner.cache, boundary,
      &index);
  if (cursor->placed)
    cursor->index = is_backward (cursor) ? index - 1 : index;
  return cursor->placed;
}

/* Goes on at @boundary of the stream; TIMEDSP_UNKNOWN: its end. */
static void
go_to (GstRevBufCursor * cursor, gint64 boundary)
{
  gint64 end_frame = cursor->planner.limits.end_frame;

  if (end_frame != TIMEDSP_UNKNOWN
      && (boundary == TIMEDSP_UNKNOWN || boundary > end_frame))
    boundary = end_frame;
  cursor->heard = FALSE;
  if (find_boundary (cursor, boundary))
    return;
  gst_revbuf_planner_jump (&cursor->planner, boundary, cursor->direction);
  find_boundary (cursor, boundary);     /* it may begin with the beginning */
}

/* With the first block of a cache, its indices are known. */
static void
find_index (GstRevBufCursor * cursor)
{
  GstRevBufBlock *block =
      gst_revbuf_block_cache_highest (&cursor->planner.cache);

  if (cursor->placed || block == NULL)
    return;
  cursor->placed = TRUE;
  cursor->index = block->index;
  if (is_backward (cursor))
    cursor->index += (gint64) block->n_frames - 1;
}

/* The frame after n is n - 1, or n + 1. */
static void
turn (GstRevBufCursor * cursor, TimeDSPDirection direction)
{
  gint64 boundary = cursor->planner.boundary;

  if (direction == cursor->direction)
    return;
  cursor->direction = direction;
  cursor->output_started = FALSE;
  if (cursor->heard)
    cursor->index = cursor->last + step (cursor, 1);
  else if (cursor->placed)
    cursor->index += step (cursor, 1);
  if (cursor->placed)
    return;

  /* an empty cache will take its indices from the stream */
  if (cursor->heard)
    boundary = is_backward (cursor) ? cursor->last : cursor->last + 1;
  gst_revbuf_planner_jump (&cursor->planner, boundary, direction);
  cursor->planner.exhausted = boundary == TIMEDSP_UNKNOWN
      && direction == TIMEDSP_FORWARD;
}

gint64
gst_revbuf_cursor_get_boundary (const GstRevBufCursor * cursor)
{
  if (!cursor->placed)
    return cursor->planner.boundary;
  return gst_revbuf_block_cache_frame_at (&cursor->planner.cache,
      is_backward (cursor) ? cursor->index + 1 : cursor->index);
}

/* ---- passes -------------------------------------------------------------- */

gint64
gst_revbuf_cursor_frame_at (const GstRevBufCursor * cursor,
    GstClockTime time_ns)
{
  if (!GST_CLOCK_TIME_IS_VALID (time_ns))
    return TIMEDSP_UNKNOWN;
  return timedsp_frame_at (time_ns, cursor->planner.limits.rate);
}

/* Whether the segment ends at @boundary because nobody asked for less. */
static gboolean
is_open_end (const GstRevBufCursor * cursor, gint64 boundary)
{
  gint64 end_frame = cursor->planner.limits.end_frame;

  if (end_frame == TIMEDSP_UNKNOWN)
    end_frame = gst_revbuf_cursor_frame_at (cursor, cursor->segment.duration);
  return boundary == TIMEDSP_UNKNOWN || (end_frame != TIMEDSP_UNKNOWN
      && boundary >= end_frame);
}

/* What the application wants to hear. Where it sought to is no bound, unless it
 * said where to stop, too: after a turn, play goes on past it. */
static TimeDSPRange
bounds_of (const GstRevBufCursor * cursor)
{
  gint64 end_frame = cursor->planner.limits.end_frame;
  TimeDSPRange bounds;

  bounds.first_frame =
      gst_revbuf_cursor_frame_at (cursor, cursor->segment.start);
  bounds.end_frame = gst_revbuf_cursor_frame_at (cursor, cursor->segment.stop);
  if (cursor->sought == TIMEDSP_FORWARD
      && is_open_end (cursor, bounds.end_frame))
    bounds.first_frame = 0;
  if (cursor->sought == TIMEDSP_BACKWARD && bounds.first_frame == 0)
    bounds.end_frame = TIMEDSP_UNKNOWN;

  bounds.first_frame =
      MAX (bounds.first_frame, cursor->planner.first_frame_of_stream);
  if (bounds.end_frame == TIMEDSP_UNKNOWN)
    bounds.end_frame = end_frame;
  else if (end_frame != TIMEDSP_UNKNOWN)
    bounds.end_frame = MIN (bounds.end_frame, end_frame);
  if (bounds.end_frame != TIMEDSP_UNKNOWN)
    bounds.first_frame = MIN (bounds.first_frame, bounds.end_frame);
  return bounds;
}

static void
warn_of_markers (GstRevBufCursor * cursor, TimeDSPMarkers markers,
    GstClockTime start_ns, GstClockTime stop_ns)
{
  static const gchar *const texts[] = {
    [TIMEDSP_MARKERS_CLAMPED] = "A loop marker lies outside the stream, so it "
        "was moved to the end: set loop-start and loop-stop inside the stream.",
    [TIMEDSP_MARKERS_CROSSED] =
        "loop-stop lies before loop-start, so they were "
        "swapped: set loop-stop to the later time.",
    [TIMEDSP_MARKERS_EMPTY] =
        "There is nothing between loop-start and "
        "loop-stop, so the whole stream is repeated: set loop-stop to a later "
        "time.",
  };

  if (markers == TIMEDSP_MARKERS_FINE || (start_ns == cursor->marker_start_ns
          && stop_ns == cursor->marker_stop_ns))
    return;
  cursor->marker_start_ns = start_ns;
  cursor->marker_stop_ns = stop_ns;
  GST_ELEMENT_WARNING (cursor->filter, LIBRARY, SETTINGS, ("%s",
          texts[markers]), ("markers %" GST_TIME_FORMAT " and %"
          GST_TIME_FORMAT, GST_TIME_ARGS (start_ns), GST_TIME_ARGS (stop_ns)));
}

/* The loop between the markers as they are now; the whole of @bounds where
 * there is none. */
static TimeDSPLoop
read_loop (GstRevBufCursor * cursor, const TimeDSPRange * bounds,
    TimeDSPRange * range)
{
  TimeDSPMarkers markers = TIMEDSP_MARKERS_FINE;
  GstClockTime start_ns, stop_ns;
  TimeDSPLoop loop;

  GST_OBJECT_LOCK (cursor->filter);
  loop = (TimeDSPLoop) cursor->settings->loop;
  start_ns = cursor->settings->loop_start_ns;
  stop_ns = cursor->settings->loop_stop_ns;
  GST_OBJECT_UNLOCK (cursor->filter);

  *range = *bounds;
  if (loop == TIMEDSP_LOOP_NONE)
    return loop;
  if (timedsp_loop_range (bounds, gst_revbuf_cursor_frame_at (cursor,
              start_ns), gst_revbuf_cursor_frame_at (cursor, stop_ns), range,
          &markers) != TIMEDSP_OK)
    *range = *bounds;
  warn_of_markers (cursor, markers, start_ns, stop_ns);
  return loop;
}

/* Where this pass ends. What is already beyond a marker goes on to the end. */
static void
set_pass (GstRevBufCursor * cursor)
{
  TimeDSPRange bounds = bounds_of (cursor);
  gint64 boundary = gst_revbuf_cursor_get_boundary (cursor);

  cursor->loop = read_loop (cursor, &bounds, &cursor->pass);
  if (boundary != TIMEDSP_UNKNOWN) {
    if (is_backward (cursor) ? boundary <= cursor->pass.first_frame :
        cursor->pass.end_frame != TIMEDSP_UNKNOWN
        && boundary >= cursor->pass.end_frame)
      cursor->pass = bounds;
  }
  cursor->pass_heard = FALSE;
}

/* Frames from our index on that belong to the pass; G_MAXINT64: no end in
 * sight. */
static gint64
left_in_pass (GstRevBufCursor * cursor)
{
  GstRevBufBlockCache *cache = &cursor->planner.cache;
  GstRevBufBlock *highest = gst_revbuf_block_cache_highest (cache);
  gint64 end;

  if (!cursor->placed)
    return cursor->planner.exhausted ? 0 : G_MAXINT64;
  if (is_backward (cursor)) {
    if (gst_revbuf_block_cache_index_of (cache, MAX (cursor->pass.first_frame,
                cursor->planner.first_frame_of_stream), &end))
      return cursor->index - end + 1;
    return cursor->index <
        cursor->planner.first_frame_of_stream ? 0 : G_MAXINT64;
  }
  if (cursor->pass.end_frame != TIMEDSP_UNKNOWN
      && gst_revbuf_block_cache_index_of (cache, cursor->pass.end_frame, &end))
    return end - cursor->index;
  if (highest->at_end)
    return highest->index + (gint64) highest->n_frames - cursor->index;
  return G_MAXINT64;
}

gboolean
gst_revbuf_cursor_is_at_end (GstRevBufCursor * cursor)
{
  return left_in_pass (cursor) <= 0;
}

gboolean
gst_revbuf_cursor_has_lost_stream (const GstRevBufCursor * cursor)
{
  return !cursor->placed && cursor->planner.head != NULL
      && is_backward (cursor) && cursor->planner.boundary == TIMEDSP_UNKNOWN;
}

/* What began beyond the markers of @range ends at an end of @bounds: ping-pong turns
 * there, and comes to the markers in time. */
static void
turn_at_end (const GstRevBufCursor * cursor, const TimeDSPRange * bounds,
    TimeDSPRange * range)
{
  gint64 end_frame = cursor->pass.end_frame;
  gboolean beyond = is_backward (cursor) ?
      cursor->pass.first_frame <= bounds->first_frame
      && range->first_frame > bounds->first_frame :
      (end_frame == TIMEDSP_UNKNOWN || end_frame >= bounds->end_frame)
      && range->end_frame < bounds->end_frame;

  if (beyond)
    *range = *bounds;
}

gboolean
gst_revbuf_cursor_next_pass (GstRevBufCursor * cursor)
{
  TimeDSPRange range, bounds = bounds_of (cursor);
  TimeDSPLoop loop = read_loop (cursor, &bounds, &range);
  TimeDSPStep next = { TIMEDSP_UNKNOWN, cursor->direction };

  /* play may begin where a pass ends, but not every pass */
  cursor->empty_passes = cursor->pass_heard ? 0 : cursor->empty_passes + 1;
  if (loop == TIMEDSP_LOOP_NONE || cursor->empty_passes > 1)
    return FALSE;
  if (loop == TIMEDSP_LOOP_PING_PONG)
    turn_at_end (cursor, &bounds, &range);
  if (timedsp_next_lap (loop, cursor->direction, &range, &next)
      == TIMEDSP_OK && next.frame == TIMEDSP_UNKNOWN)
    return FALSE;
  /* the frame at a turn is heard once, also where play begins there */
  if (!cursor->heard && next.frame != TIMEDSP_UNKNOWN
      && next.direction != cursor->direction)
    next.frame = is_backward (cursor) ? range.first_frame : range.end_frame - 1;

  cursor->direction = next.direction;
  cursor->output_started = FALSE;
  go_to (cursor, next.frame == TIMEDSP_UNKNOWN || !is_backward (cursor) ?
      next.frame : next.frame + 1);
  set_pass (cursor);
  return TRUE;
}

void
gst_revbuf_cursor_turn (GstRevBufCursor * cursor, TimeDSPDirection direction)
{
  turn (cursor, direction);
  set_pass (cursor);
}

gboolean
gst_revbuf_cursor_follow_switch (GstRevBufCursor * cursor)
{
  TimeDSPLoop loop;

  GST_OBJECT_LOCK (cursor->filter);
  loop = (TimeDSPLoop) cursor->settings->loop;
  GST_OBJECT_UNLOCK (cursor->filter);
  if ((loop == TIMEDSP_LOOP_NONE) == (cursor->loop == TIMEDSP_LOOP_NONE))
    return FALSE;

  set_pass (cursor);
  cursor->output_started = FALSE;
  return TRUE;
}

/* ---- requests ----------------------------------------------------------- */

/* As somebody else has seeked. */
static void
start_over (GstRevBufCursor * cursor, const GstAudioInfo * info)
{
  GstRevBufSettings settings;

  GST_OBJECT_LOCK (cursor->filter);
  gst_revbuf_settings_copy (cursor->settings, &settings);
  GST_OBJECT_UNLOCK (cursor->filter);
  gst_revbuf_planner_start_over (&cursor->planner, info, &settings);
  gst_revbuf_settings_clear (&settings);
}

static void
locate (GstRevBufCursor * cursor, const GstRevBufRequest * request)
{
  gboolean backward = request->direction == TIMEDSP_BACKWARD;
  gint64 last_frame = request->last_frame;

  if (request->resume && !request->initial) {
    turn (cursor, request->direction);
    return;
  }
  cursor->direction = request->direction;
  if (request->foreign)
    start_over (cursor, &request->info);
  if (!request->initial)
    cursor->planner.trusts_head = FALSE;
  if (request->initial && last_frame != TIMEDSP_UNKNOWN) {
    go_to (cursor, backward ? last_frame : last_frame + 1);
    cursor->last = last_frame;
    cursor->heard = TRUE;
    return;
  }
  go_to (cursor, gst_revbuf_cursor_frame_at (cursor,
          backward ? request->segment.stop : request->segment.start));
}

static void
count_running_time (GstRevBufCursor * cursor, const GstRevBufRequest * request,
    gboolean flushing)
{
  GstRevBufOutput *output = &cursor->output;
  gdouble rate = ABS (request->segment.rate);

  if (flushing)
    gst_revbuf_output_count_from (output, 0, rate);
  else
    gst_revbuf_output_count_from (output,
        gst_revbuf_output_running_time (output), rate);
  output->discont = flushing || (!request->resume
      && request->last_frame == TIMEDSP_UNKNOWN);
}

void
gst_revbuf_cursor_open (GstRevBufCursor * cursor,
    const GstAudioInfo * info, GstClockTime base_ns)
{
  GstRevBufSettings settings;

  GST_OBJECT_LOCK (cursor->filter);
  gst_revbuf_settings_copy (cursor->settings, &settings);
  GST_OBJECT_UNLOCK (cursor->filter);
  gst_revbuf_planner_start (&cursor->planner, info, &settings);
  gst_revbuf_settings_clear (&settings);

  cursor->output.info = *info;
  gst_revbuf_output_count_from (&cursor->output, base_ns, 1.0);
  cursor->placed = cursor->heard = cursor->output_started = FALSE;
  cursor->marker_start_ns = cursor->marker_stop_ns = GST_CLOCK_TIME_NONE;
}

void
gst_revbuf_cursor_serve (GstRevBufCursor * cursor,
    const GstRevBufRequest * request, gboolean flushing)
{
  cursor->segment = request->segment;
  cursor->planner.duration_ns = request->segment.duration;
  cursor->seqnum = request->seqnum;
  if (request->initial || !request->resume)
    cursor->sought = request->last_frame == TIMEDSP_UNKNOWN ?
        request->direction : TIMEDSP_FORWARD;
  cursor->output_started = FALSE;
  cursor->empty_passes = 0;
  count_running_time (cursor, request, flushing);
  locate (cursor, request);
  set_pass (cursor);
}

/* ---- fetching ----------------------------------------------------------- */

static GstRevBufPlannerResult
admit (GstRevBufCursor * cursor)
{
  GstRevBufPlanner *planner = &cursor->planner;
  gint64 end_frame = planner->limits.end_frame;
  GstRevBufPlannerResult admitted = gst_revbuf_planner_admit (planner,
      cursor->direction, cursor->index);

  if (cursor->placed && gst_revbuf_block_cache_lowest (&planner->cache) == NULL) {
    cursor->placed = FALSE;     /* it is being fetched once more */
    cursor->last = planner->boundary;
  }
  find_index (cursor);
  /* markers beyond the end can be told only now */
  if (planner->limits.end_frame != end_frame && !cursor->pass_heard)
    set_pass (cursor);
  return admitted;
}

GstRevBufPlannerResult
gst_revbuf_cursor_fetch (GstRevBufCursor * cursor)
{
  GstRevBufPlannerResult admitted = admit (cursor);
  GstRevBufPlannerResult filled;

  if (admitted == GST_REVBUF_PLANNER_FAILED)
    return admitted;
  filled = gst_revbuf_planner_fill (&cursor->planner, cursor->direction,
      cursor->index, &cursor->pass);
  return filled == GST_REVBUF_PLANNER_IDLE ? admitted : filled;
}

/* ---- sending ------------------------------------------------------------ */

/* Where an output segment begins and ends in the stream, as far as is known. */
static void
output_range (GstRevBufCursor * cursor, GstClockTime * first_ns,
    GstClockTime * end_ns)
{
  guint rate = cursor->planner.limits.rate;
  gint64 left = left_in_pass (cursor);
  gint64 boundary = MAX (gst_revbuf_cursor_get_boundary (cursor), 0);
  gint64 first_frame = is_backward (cursor) ?
      MIN (cursor->pass.first_frame, boundary) : boundary;
  gint64 end_frame = is_backward (cursor) ? boundary : cursor->pass.end_frame;

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
start_output (GstRevBufCursor * cursor)
{
  GstClockTime first_ns, end_ns;

  output_range (cursor, &first_ns, &end_ns);
  gst_retro_filter_set_seqnum (cursor->filter, cursor->seqnum);
  cursor->output.info = cursor->planner.info;
  gst_revbuf_output_start (&cursor->output, &cursor->segment, cursor->direction,
      first_ns, end_ns);
  cursor->segment.flags &= ~GST_SEGMENT_FLAG_RESET;
  cursor->output_started = TRUE;
}

/* Whether more is left than fits before the stop of the segment: the stream has
 * more frames than its timestamps say. */
static gboolean
is_longer_than_output (GstRevBufCursor * cursor)
{
  gint64 left = left_in_pass (cursor);

  return left != G_MAXINT64
      && left > gst_revbuf_output_frames_left (&cursor->output);
}

void
gst_revbuf_cursor_start_output (GstRevBufCursor * cursor)
{
  if (!cursor->output_started)
    start_output (cursor);
  else if (is_longer_than_output (cursor))
    gst_revbuf_output_make_room (&cursor->output, left_in_pass (cursor));
}

gint64
gst_revbuf_cursor_ready_frames (GstRevBufCursor * cursor)
{
  gint64 left = left_in_pass (cursor);

  if (!cursor->placed || left <= 0)
    return 0;
  return MIN (left, gst_revbuf_planner_ready_frames (&cursor->planner,
          cursor->direction, cursor->index));
}

GstFlowReturn
gst_revbuf_cursor_send (GstRevBufCursor * cursor, gint64 n_frames)
{
  GstFlowReturn ret = gst_revbuf_output_send (&cursor->output,
      gst_revbuf_block_cache_find (&cursor->planner.cache, cursor->index),
      cursor->direction, cursor->index, n_frames);

  cursor->last = cursor->index + step (cursor, n_frames - 1);
  cursor->index = cursor->last + step (cursor, 1);
  cursor->heard = cursor->pass_heard = TRUE;
  return ret;
}
