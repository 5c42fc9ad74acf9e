/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "revbuffetcher.h"
#include "gstretrofilter.h"
#include "revbufseam.h"

GST_DEBUG_CATEGORY_EXTERN (rev_buf_debug);
#define GST_CAT_DEFAULT rev_buf_debug

#define FIRST_BLOCKS_PER_SECOND 10
#define OVERLAP_FRAMES 2048
#define SEARCH_FRAMES 2048
#define MIN_BLOCK_FRAMES 1024
#define MIN_HEAD_FRAMES (3 * (OVERLAP_FRAMES + SEARCH_FRAMES))

/* What decoders need to settle. Two takes may be equal where they overlap and
 * yet differ by a rounding in a few frames farther on, so it is what the
 * slowest one needs (Opus, 0.5 s), though the overlap finds most of it out. */
#define MIN_PREROLL_FRAMES 8192
#define PREROLL_NS (700 * GST_MSECOND)

/* A decoder that does not repeat itself after so many times that never does. */
#define MAX_PREROLL_FACTOR 8

/* Blocks of a window, the one that is being fetched, and what is around it. */
#define SHARES_OF_MEMORY 6

/* Blocks ready beyond the one that is heard: backward, the outermost one waits
 * for the next take to confirm its beginning. */
#define BLOCKS_AHEAD_BACKWARD 2
#define BLOCKS_AHEAD_FORWARD 1

void
rev_buf_fetcher_init (RevBufFetcher * fetcher, GstElement * element,
    RevBufInlet * inlet, RevBufMeeting * meeting)
{
  fetcher->element = element;
  fetcher->inlet = inlet;
  fetcher->meeting = meeting;
  rev_buf_window_init (&fetcher->window);
}

void
rev_buf_fetcher_clear (RevBufFetcher * fetcher)
{
  rev_buf_window_clear (&fetcher->window);
  g_clear_pointer (&fetcher->head, rev_buf_take_free);
  g_clear_pointer (&fetcher->odd_seams, g_array_unref);
  g_clear_error (&fetcher->error);
}

static gint64
frames_in (GstClockTime time_ns, const GstAudioInfo * info)
{
  return timedsp_frame_at (time_ns, GST_AUDIO_INFO_RATE (info));
}

static void
set_preroll (RevBufFetcher * fetcher, gint64 frames)
{
  fetcher->limits.preroll_frames = frames;
  rev_buf_meeting_enter (fetcher->meeting);
  fetcher->stats.preroll_frames = frames;
  rev_buf_meeting_leave (fetcher->meeting);
}

void
rev_buf_fetcher_start_over (RevBufFetcher * fetcher, const GstAudioInfo * info,
    const RevBufSettings * settings)
{
  TimeDSPFetchLimits *limits = &fetcher->limits;
  guint64 share = settings->storage.max_memory_bytes / SHARES_OF_MEMORY
      / GST_AUDIO_INFO_BPF (info);
  gint64 longest = frames_in (rev_buf_settings_fetch_time (settings), info);

  rev_buf_fetcher_clear (fetcher);
  fetcher->info = *info;
  fetcher->exact = settings->seam == GST_REV_BUF_SEAM_EXACT;
  fetcher->never_repeats = fetcher->awaits_head = FALSE;
  fetcher->floor_frame = 0;
  fetcher->automatic_preroll_frames = MAX (frames_in (PREROLL_NS, info),
      MIN_PREROLL_FRAMES);
  if (GST_CLOCK_TIME_IS_VALID (settings->preroll_time_ns))
    fetcher->automatic_preroll_frames =
        MIN (frames_in (settings->preroll_time_ns, info), G_MAXINT32);

  limits->rate = GST_AUDIO_INFO_RATE (info);
  limits->end_frame = TIMEDSP_UNKNOWN;
  limits->max_block_frames = CLAMP (longest, MIN_BLOCK_FRAMES,
      MAX ((gint64) share, MIN_BLOCK_FRAMES));
  limits->first_block_frames = CLAMP (limits->rate / FIRST_BLOCKS_PER_SECOND,
      1, limits->max_block_frames);
  limits->overlap_frames = OVERLAP_FRAMES;
  limits->search_frames = SEARCH_FRAMES;
  set_preroll (fetcher, fetcher->automatic_preroll_frames);
}

void
rev_buf_fetcher_start (RevBufFetcher * fetcher, const GstAudioInfo * info,
    const RevBufSettings * settings)
{
  rev_buf_meeting_enter (fetcher->meeting);
  memset (&fetcher->stats, 0, sizeof (fetcher->stats));
  rev_buf_meeting_leave (fetcher->meeting);
  rev_buf_fetcher_start_over (fetcher, info, settings);
}

RevBufTake *
rev_buf_fetcher_new_head (RevBufFetcher * fetcher, gint64 first_frame)
{
  gint64 frames = CLAMP (fetcher->limits.rate, MIN_HEAD_FRAMES,
      MAX (fetcher->limits.max_block_frames, MIN_HEAD_FRAMES));
  gint64 end_frame = first_frame + frames;
  const TimeDSPFetch fetch = { first_frame, end_frame, first_frame, end_frame,
    0
  };

  fetcher->floor_frame = first_frame;
  fetcher->awaits_head = fetcher->trusts_head = TRUE;
  return rev_buf_take_new (&fetch, TIMEDSP_UNKNOWN, 2 * frames);
}

/* Whether the head holds what is heard next from @edge. */
static gboolean
head_has (const RevBufFetcher * fetcher, gint64 edge,
    TimeDSPDirection direction)
{
  const RevBufTake *head = fetcher->head;

  if (head == NULL || !fetcher->trusts_head)
    return FALSE;
  if (direction == TIMEDSP_FORWARD)
    return edge != TIMEDSP_UNKNOWN && edge < head->next_frame;
  return head->at_end || (edge != TIMEDSP_UNKNOWN && edge <= head->next_frame);
}

void
rev_buf_fetcher_jump (RevBufFetcher * fetcher, gint64 edge,
    TimeDSPDirection direction)
{
  RevBufTake *head;

  rev_buf_window_clear (&fetcher->window);
  fetcher->edge = edge;
  fetcher->direction = direction;
  fetcher->blocks = 0;
  fetcher->attempt = 0;
  fetcher->reach_frames = 0;
  fetcher->exhausted = fetcher->in_flight = FALSE;
  if (head_has (fetcher, edge, direction)
      && (head = rev_buf_take_copy (fetcher->head)) != NULL)
    rev_buf_window_add (&fetcher->window, head, direction, 0)->confirmed = TRUE;
}

static void
count (RevBufFetcher * fetcher, guint64 * what)
{
  rev_buf_meeting_enter (fetcher->meeting);
  ++*what;
  rev_buf_meeting_leave (fetcher->meeting);
}

/* ---- what to fetch ------------------------------------------------------- */

/* What upstream says the end is, or its segment did. */
static gint64
estimate_end (RevBufFetcher * fetcher)
{
  GstClockTime duration_ns = gst_retro_filter_query_duration
      (GST_RETRO_FILTER (fetcher->element));

  if (!GST_CLOCK_TIME_IS_VALID (duration_ns))
    duration_ns = fetcher->duration_ns;
  return GST_CLOCK_TIME_IS_VALID (duration_ns) ?
      frames_in (duration_ns, &fetcher->info) : 0;
}

static TimeDSPStatus
plan_first (RevBufFetcher * fetcher, TimeDSPFetch * fetch)
{
  gint64 edge = fetcher->edge;

  if (fetcher->direction == TIMEDSP_BACKWARD && edge == TIMEDSP_UNKNOWN) {
    if (fetcher->limits.end_frame == TIMEDSP_UNKNOWN) {
      if (fetcher->attempt == 0)
        fetcher->estimate = estimate_end (fetcher);
      return timedsp_plan_end (&fetcher->limits, fetcher->estimate,
          fetcher->attempt, fetch);
    }
    edge = fetcher->limits.end_frame;
  }
  if (fetcher->limits.end_frame != TIMEDSP_UNKNOWN)
    edge = MIN (edge, fetcher->limits.end_frame);
  return timedsp_plan_fetch (&fetcher->limits, fetcher->direction, edge, FALSE,
      0, fetch);
}

static gsize
capacity_of (const RevBufFetcher * fetcher, const TimeDSPFetch * fetch)
{
  const TimeDSPFetchLimits *limits = &fetcher->limits;

  if (fetch->keep_end_frame == TIMEDSP_UNKNOWN)
    return MIN (limits->max_block_frames,
        limits->first_block_frames * 4 << MIN (fetcher->attempt, 10));
  return limits->max_block_frames + 2 * (limits->overlap_frames
      + limits->search_frames);
}

gboolean
rev_buf_fetcher_is_followed (RevBufFetcher * fetcher)
{
  gboolean followed;

  rev_buf_meeting_enter (fetcher->meeting);
  followed = rev_buf_inlet_is_followed (fetcher->inlet);
  rev_buf_meeting_leave (fetcher->meeting);
  if (followed)
    g_set_error (&fetcher->error, GST_STREAM_ERROR, GST_STREAM_ERROR_FAILED,
        "Several streams follow one another, and seeks reach only one: set "
        "mode=collect on %s.", GST_OBJECT_NAME (fetcher->element));
  return followed;
}

static RevBufFetcherResult
fetch_take (RevBufFetcher * fetcher, const TimeDSPFetch * plan,
    gint64 join_frame, gboolean again)
{
  RevBufTake *take = rev_buf_take_new (plan, join_frame,
      capacity_of (fetcher, plan));
  guint64 floor_ns = timedsp_time_of (fetcher->floor_frame,
      fetcher->limits.rate);

  take->again = again;
  take->fetch.seek_ns = plan->seek_ns - MIN (plan->seek_ns,
      timedsp_time_of (fetcher->reach_frames, fetcher->limits.rate));
  take->fetch.seek_ns = MAX (take->fetch.seek_ns, floor_ns);
  fetcher->in_flight = TRUE;
  if (join_frame == plan->first_frame
      && rev_buf_inlet_go_on (fetcher->inlet, take))
    return REV_BUF_FETCHER_ACTIVE;
  if (rev_buf_fetcher_is_followed (fetcher)) {
    rev_buf_take_free (take);
    return REV_BUF_FETCHER_FAILED;
  }
  if (rev_buf_inlet_fetch (fetcher->inlet, take))
    return REV_BUF_FETCHER_ACTIVE;

  fetcher->in_flight = FALSE;
  g_set_error (&fetcher->error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SEEK,
      "The stream could not be seeked to be played backwards: set "
      "mode=collect on %s.", GST_OBJECT_NAME (fetcher->element));
  return REV_BUF_FETCHER_FAILED;
}

static RevBufFetcherResult
fetch (RevBufFetcher * fetcher, const TimeDSPFetch * plan, gint64 join_frame)
{
  return fetch_take (fetcher, plan, join_frame, FALSE);
}

static RevBufFetcherResult
fetch_first (RevBufFetcher * fetcher)
{
  TimeDSPFetch plan;

  if (fetcher->exhausted)
    return REV_BUF_FETCHER_IDLE;
  if (plan_first (fetcher, &plan) != TIMEDSP_OK
      || plan.first_frame == plan.end_frame) {
    fetcher->exhausted = TRUE;
    return REV_BUF_FETCHER_ACTIVE;
  }
  return fetch (fetcher, &plan, TIMEDSP_UNKNOWN);
}

static gboolean
wants_below (RevBufFetcher * fetcher, gint64 place, const TimeDSPRange * lap)
{
  RevBufBlock *lowest = rev_buf_window_lowest (&fetcher->window);

  if (lowest->first_frame <= fetcher->floor_frame
      || (lowest->confirmed && lowest->first_frame <= lap->first_frame))
    return FALSE;
  return rev_buf_window_count_below (&fetcher->window, place)
      < BLOCKS_AHEAD_BACKWARD;
}

static gboolean
wants_above (RevBufFetcher * fetcher, gint64 place, const TimeDSPRange * lap)
{
  RevBufBlock *highest = rev_buf_window_highest (&fetcher->window);

  if (highest->at_end || (lap->end_frame != TIMEDSP_UNKNOWN
          && highest->end_frame > lap->end_frame
          + (gint64) rev_buf_seam_fade_frames (fetcher->limits.rate)))
    return FALSE;
  return rev_buf_window_count_above (&fetcher->window, place)
      < BLOCKS_AHEAD_FORWARD;
}

/* Audio that has been heard is kept for a change of direction, as far as there
 * is room. */
static void
drop_behind (RevBufFetcher * fetcher, TimeDSPDirection direction, gint64 place)
{
  RevBufWindow *window = &fetcher->window;

  if (direction == TIMEDSP_BACKWARD)
    while (rev_buf_window_count_above (window, place) > 1)
      rev_buf_window_drop_highest (window);
  else
    while (rev_buf_window_count_below (window, place) > 1)
      rev_buf_window_drop_lowest (window);
}

/* The lowest place for a block's beginning where it still overlaps the head. */
static gint64
lowest_above_head (const RevBufFetcher * fetcher)
{
  if (fetcher->head == NULL)
    return 0;
  return MAX (fetcher->head->next_frame - fetcher->limits.overlap_frames
      - fetcher->limits.search_frames, 0);
}

/* The block below @edge, down to the head at most. */
static TimeDSPStatus
plan_below (RevBufFetcher * fetcher, gint64 edge, TimeDSPFetch * plan)
{
  gint64 lowest = lowest_above_head (fetcher);
  TimeDSPFetchLimits limits = fetcher->limits;
  TimeDSPStatus status = timedsp_plan_fetch (&limits, TIMEDSP_BACKWARD, edge,
      TRUE, fetcher->blocks, plan);

  if (status != TIMEDSP_OK || plan->first_frame >= lowest || edge <= lowest)
    return status;
  limits.first_block_frames = limits.max_block_frames = edge - lowest;
  return timedsp_plan_fetch (&limits, TIMEDSP_BACKWARD, edge, TRUE, 0, plan);
}

static RevBufFetcherResult join_head (RevBufFetcher * fetcher, gint64 place);

RevBufFetcherResult
rev_buf_fetcher_fill (RevBufFetcher * fetcher, TimeDSPDirection direction,
    gint64 place, const TimeDSPRange * lap)
{
  gboolean backward = direction == TIMEDSP_BACKWARD;
  TimeDSPFetch plan;
  gint64 edge;

  fetcher->playing = direction;
  if (fetcher->in_flight)
    return REV_BUF_FETCHER_IDLE;
  if (rev_buf_window_lowest (&fetcher->window) == NULL)
    return fetch_first (fetcher);
  if (!(backward ? wants_below : wants_above) (fetcher, place, lap))
    return REV_BUF_FETCHER_IDLE;

  drop_behind (fetcher, direction, place);
  edge = backward ? rev_buf_window_lowest (&fetcher->window)->first_frame :
      rev_buf_window_highest (&fetcher->window)->end_frame;
  if (backward && fetcher->head != NULL && edge <= lowest_above_head (fetcher))
    return join_head (fetcher, place);
  if ((backward ? plan_below (fetcher, edge, &plan) :
          timedsp_plan_fetch (&fetcher->limits, direction, edge, TRUE,
              fetcher->blocks, &plan)) != TIMEDSP_OK)
    return REV_BUF_FETCHER_IDLE;
  if (plan.first_frame == plan.end_frame) {
    if (!backward)
      rev_buf_window_highest (&fetcher->window)->at_end = TRUE;
    return REV_BUF_FETCHER_IDLE;
  }
  return fetch (fetcher, &plan, edge);
}

/* ---- what has arrived ---------------------------------------------------- */

/* Whether nothing of the stream comes before what @take has decoded. */
static gboolean
is_from_floor (const RevBufFetcher * fetcher, const RevBufTake * take)
{
  return take->fetch.seek_ns <= timedsp_time_of (fetcher->floor_frame,
      fetcher->limits.rate);
}

/* Whether upstream gave up before what has come from there earlier. */
static gboolean
has_broken_off (const RevBufTake * take)
{
  return take->at_end && take->join_frame != TIMEDSP_UNKNOWN
      && take->join_frame != take->fetch.first_frame && !take->join_seen;
}

/* Not every stream begins at 0, or ends where upstream says. */
static void
note_ends (RevBufFetcher * fetcher, const RevBufTake * take)
{
  if (take->at_end && take->next_frame != TIMEDSP_UNKNOWN
      && !has_broken_off (take))
    fetcher->limits.end_frame = take->next_frame;
  if (is_from_floor (fetcher, take) && !take->skipped && take->first_frame
      > MAX (fetcher->floor_frame, take->fetch.keep_first_frame))
    fetcher->floor_frame = take->first_frame;
}

/* Makes a block of @take, which is sound and goes on without a seam. */
static void
add_block (RevBufFetcher * fetcher, RevBufTake * take,
    TimeDSPDirection direction, gsize cut)
{
  RevBufBlock *block = rev_buf_window_add (&fetcher->window, take, direction,
      cut);

  block->confirmed |= is_from_floor (fetcher, take);
  fetcher->blocks++;
  count (fetcher, &fetcher->stats.blocks);
}

/* The first take after a jump. */
static void
admit_first (RevBufFetcher * fetcher, RevBufTake * take)
{
  gboolean backward = fetcher->direction == TIMEDSP_BACKWARD;
  gboolean open_end = take->fetch.keep_end_frame == TIMEDSP_UNKNOWN;

  if (take->n_frames > 0) {
    add_block (fetcher, take, fetcher->direction, 0);
    return;
  }

  /* beyond the end; or the end is farther than thought, and now known */
  if (!backward || (is_from_floor (fetcher, take)
          && take->next_frame == TIMEDSP_UNKNOWN)) {
    fetcher->exhausted = TRUE;
  } else if (take->next_frame == TIMEDSP_UNKNOWN) {
    if (!open_end)
      fetcher->estimate = take->fetch.end_frame;
    fetcher->edge = fetcher->limits.end_frame = TIMEDSP_UNKNOWN;
    fetcher->attempt++;
  } else {
    fetcher->edge = TIMEDSP_UNKNOWN;
  }
  rev_buf_take_free (take);
}

static RevBufBlock *
neighbour_of (RevBufFetcher * fetcher, const RevBufTake * take,
    TimeDSPDirection * direction)
{
  RevBufBlock *lowest = rev_buf_window_lowest (&fetcher->window);
  RevBufBlock *highest = rev_buf_window_highest (&fetcher->window);

  if (take->join_frame == TIMEDSP_UNKNOWN || lowest == NULL)
    return NULL;
  *direction = take->join_frame == take->fetch.first_frame ?
      TIMEDSP_FORWARD : TIMEDSP_BACKWARD;
  if (*direction == TIMEDSP_FORWARD)
    return take->join_frame == highest->end_frame ? highest : NULL;
  return take->join_frame == lowest->first_frame ? lowest : NULL;
}

static gboolean
may_widen (const RevBufFetcher * fetcher, const RevBufTake * take)
{
  return !fetcher->never_repeats && (!is_from_floor (fetcher, take)
      || take->join_frame == TIMEDSP_UNKNOWN)
      && fetcher->limits.preroll_frames < MAX_PREROLL_FACTOR
      * MAX (fetcher->automatic_preroll_frames, MIN_PREROLL_FRAMES);
}

/* One of the two had not settled: both are fetched again, with more decoded
 * before them, unless part of the one that is there has been heard. */
static void
widen (RevBufFetcher * fetcher, TimeDSPDirection direction, gint64 place)
{
  RevBufWindow *window = &fetcher->window;
  RevBufBlock *lowest = rev_buf_window_lowest (window);
  gint64 end_frame = lowest->end_frame;
  gint64 top = lowest->place + (gint64) lowest->n_frames - 1;

  set_preroll (fetcher, MAX (fetcher->limits.preroll_frames * 2,
          MIN_PREROLL_FRAMES));
  count (fetcher, &fetcher->stats.prerolls_widened);
  GST_INFO_OBJECT (fetcher->element, "takes differ: preroll is now %"
      G_GINT64_FORMAT " frames", fetcher->limits.preroll_frames);

  if (direction == TIMEDSP_FORWARD || lowest->confirmed)
    return;
  if (lowest != rev_buf_window_highest (window)
      && (place > top || (place == top
              && fetcher->playing == TIMEDSP_BACKWARD)))
    rev_buf_window_drop_lowest (window);
  else if (place == top && lowest == rev_buf_window_highest (window))
    rev_buf_fetcher_jump (fetcher, end_frame, TIMEDSP_BACKWARD);
}

static void
note_seam (RevBufFetcher * fetcher, RevBufSeam seam, gint64 frame)
{
  if (seam == REV_BUF_SEAM_EQUAL) {
    count (fetcher, &fetcher->stats.seams_verified);
    GST_DEBUG_OBJECT (fetcher->element, "seam at frame %" G_GINT64_FORMAT
        ": equal", frame);
  } else {
    count (fetcher, &fetcher->stats.seams_aligned);
    GST_INFO_OBJECT (fetcher->element, "seam at frame %" G_GINT64_FORMAT
        ": aligned", frame);
  }
}

/* Whether a message has told of the seam at @frame; from now on it has. */
static gboolean
is_told_of (RevBufFetcher * fetcher, gint64 frame)
{
  guint i;

  if (fetcher->odd_seams == NULL)
    fetcher->odd_seams = g_array_new (FALSE, FALSE, sizeof (gint64));
  for (i = 0; i < fetcher->odd_seams->len; i++)
    if (g_array_index (fetcher->odd_seams, gint64, i) == frame)
      return TRUE;
  g_array_append_val (fetcher->odd_seams, frame);
  return FALSE;
}

static void
note_blend (RevBufFetcher * fetcher, const RevBufDifference * difference,
    gint64 frame)
{
  count (fetcher, &fetcher->stats.seams_crossfaded);
  GST_WARNING_OBJECT (fetcher->element, "seam at frame %" G_GINT64_FORMAT
      ": two takes differ by %.1e of their level, faded", frame,
      difference->error);
  if (!difference->alike && !is_told_of (fetcher, frame))
    GST_ELEMENT_WARNING (fetcher->element, RESOURCE, SEEK,
        ("Two seeks to the audio at %.3f s brought different audio, so what is "
            "heard there may be wrong: set mode=collect on %s.",
            (gdouble) frame / fetcher->limits.rate,
            GST_OBJECT_NAME (fetcher->element)),
        ("seam at frame %" G_GINT64_FORMAT ", difference %.1e", frame,
            difference->error));
}

static void
forget_head (RevBufFetcher * fetcher)
{
  GST_INFO_OBJECT (fetcher->element, "seeks lead into other audio than that "
      "which the stream began with");
  g_clear_pointer (&fetcher->head, rev_buf_take_free);
  fetcher->floor_frame = 0;
}

/* Takes that never match. @is_head: @take is that. IDLE: it belongs to another
 * stream than what seeks lead into, so the beginning is fetched, too. */
static RevBufFetcherResult
blend (RevBufFetcher * fetcher, const RevBufTake * take, gboolean is_head,
    RevBufBlock * block, TimeDSPDirection direction, gsize * cut)
{
  RevBufDifference difference;

  if (!fetcher->never_repeats && !is_from_floor (fetcher, take)) {
    fetcher->never_repeats = TRUE;
    set_preroll (fetcher, fetcher->automatic_preroll_frames);
  }
  if (has_broken_off (take)) {
    g_set_error (&fetcher->error, GST_STREAM_ERROR, GST_STREAM_ERROR_FAILED,
        "Upstream ended in the middle of the stream, %" G_GINT64_FORMAT
        " frames before what came from there earlier: check the file.",
        take->join_frame - take->next_frame);
    return REV_BUF_FETCHER_FAILED;
  }
  if (fetcher->exact) {
    g_set_error (&fetcher->error, GST_STREAM_ERROR, GST_STREAM_ERROR_DECODE,
        "Two takes of the audio differ, so the seam between them cannot be exact: "
        "set mode=collect on %s, or seam=smooth to fade over it.",
        GST_OBJECT_NAME (fetcher->element));
    return REV_BUF_FETCHER_FAILED;
  }

  rev_buf_seam_blend (take, block, direction, &fetcher->limits, is_head, cut,
      &difference);
  if (is_head && !difference.alike) {
    forget_head (fetcher);
    return REV_BUF_FETCHER_IDLE;
  }
  note_blend (fetcher, &difference, direction == TIMEDSP_BACKWARD ?
      block->first_frame : block->end_frame);
  return REV_BUF_FETCHER_ACTIVE;
}

/* Audio is missing where it was sought to, and what follows is there already. */
static gboolean
brings_nothing (const RevBufFetcher * fetcher, const RevBufTake * take,
    TimeDSPDirection direction, gsize cut)
{
  if (take->continues || take->at_end
      || (is_from_floor (fetcher, take) && !take->skipped))
    return FALSE;
  return direction == TIMEDSP_BACKWARD ? cut == 0 : cut >= take->n_frames;
}

/* The seek has to reach farther back than that of @take (transfer full), to
 * before what is missing. */
static RevBufFetcherResult
reach_back (RevBufFetcher * fetcher, RevBufTake * take)
{
  gboolean at_floor = is_from_floor (fetcher, take);

  rev_buf_take_free (take);
  fetcher->reach_frames = MAX (2 * fetcher->reach_frames,
      (gint64) fetcher->limits.rate);
  if (!at_floor)
    return REV_BUF_FETCHER_ACTIVE;
  g_set_error (&fetcher->error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SEEK,
      "After a seek there is no audio any more where there was some before: "
      "set mode=collect on %s.", GST_OBJECT_NAME (fetcher->element));
  return REV_BUF_FETCHER_FAILED;
}

static RevBufFetcherResult
admit_beside (RevBufFetcher * fetcher, RevBufTake * take, RevBufBlock * block,
    TimeDSPDirection direction, gint64 place)
{
  gboolean is_head = take->join_frame == TIMEDSP_UNKNOWN;
  RevBufSeam seam;
  gsize cut = 0;

  if (!take->continues) {
    seam = rev_buf_seam_find (take, block, direction, &fetcher->limits, &cut);
    if (seam != REV_BUF_SEAM_UNEQUAL) {
      note_seam (fetcher, seam, take->join_frame);
    } else if (may_widen (fetcher, take)) {
      widen (fetcher, direction, place);
      rev_buf_take_free (take);
      return REV_BUF_FETCHER_ACTIVE;
    } else {
      RevBufFetcherResult blended = blend (fetcher, take, is_head, block,
          direction, &cut);

      if (blended != REV_BUF_FETCHER_ACTIVE) {
        rev_buf_take_free (take);
        return blended == REV_BUF_FETCHER_IDLE ? REV_BUF_FETCHER_ACTIVE :
            blended;
      }
    }
  }
  if (brings_nothing (fetcher, take, direction, cut))
    return reach_back (fetcher, take);
  fetcher->reach_frames = 0;
  block->confirmed |= direction == TIMEDSP_BACKWARD;
  add_block (fetcher, take, direction, cut);
  return REV_BUF_FETCHER_ACTIVE;
}

/* The frame of the stream that a head begins with, by the count of its frames. */
static gint64
head_start (const RevBufTake * head)
{
  return head->next_frame - (gint64) head->n_frames;
}

/* The beginning of the stream has been there from the start. */
static RevBufFetcherResult
join_head (RevBufFetcher * fetcher, gint64 place)
{
  RevBufBlock *lowest = rev_buf_window_lowest (&fetcher->window);
  RevBufTake *head = rev_buf_take_copy (fetcher->head);

  if (head == NULL) {
    g_clear_pointer (&fetcher->head, rev_buf_take_free);        /* fetched, then */
    return REV_BUF_FETCHER_ACTIVE;
  }
  /* it was counted from frame 0 on, as the block's beginning was placed */
  head->join_index = MIN (MAX (lowest->first_frame - head_start (head), 0),
      (gint64) head->n_frames);
  return admit_beside (fetcher, head, lowest, TIMEDSP_BACKWARD, place);
}

static void
take_head (RevBufFetcher * fetcher, RevBufTake * head)
{
  fetcher->awaits_head = FALSE;
  note_ends (fetcher, head);
  if (head->n_frames > 0)
    fetcher->head = head;
  else
    rev_buf_take_free (head);
}

/* Whether seeks lead into the stream that the head belongs to: the same times,
 * to a frame, mean the same audio. */
static void
examine_head (RevBufFetcher * fetcher, const RevBufTake * take)
{
  if (fetcher->head == NULL || take->n_frames == 0)
    return;
  if (ABS (take->offset_ns - fetcher->head->offset_ns)
      <= (gint64) (GST_SECOND / fetcher->limits.rate))
    fetcher->trusts_head = TRUE;
  else
    forget_head (fetcher);
}

/* Whether @take can be used at all. */
static gboolean
is_sound (RevBufFetcher * fetcher, const RevBufTake * take, gboolean broken)
{
  gboolean other = GST_AUDIO_INFO_IS_VALID (&take->info)
      && !gst_audio_info_is_equal (&take->info, &fetcher->info);

  if (take->no_memory)
    g_set_error (&fetcher->error, GST_RESOURCE_ERROR,
        GST_RESOURCE_ERROR_NO_SPACE_LEFT, "There is not enough memory for a "
        "block: lower block-time or max-memory of %s.",
        GST_OBJECT_NAME (fetcher->element));
  else if (broken || (other && (fetcher->head != NULL
              || rev_buf_window_lowest (&fetcher->window) != NULL)))
    g_set_error (&fetcher->error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
        "The stream changes its format, or is not what its caps say: put "
        "audioconvert and audioresample in front of %s.",
        GST_OBJECT_NAME (fetcher->element));
  return fetcher->error == NULL;
}

/* Fetches the audio of @take (transfer full) once more. */
static RevBufFetcherResult
fetch_again (RevBufFetcher * fetcher, RevBufTake * take)
{
  TimeDSPFetch plan = take->fetch;
  gint64 join_frame = take->join_frame;
  gboolean again = has_broken_off (take);

  rev_buf_take_free (take);
  return fetch_take (fetcher, &plan, join_frame, again);
}

/* Whether it is the seek that was at fault: it has to say more, or an application
 * has sent EOS meanwhile. */
static gboolean
wants_again (const RevBufTake * take, gboolean needs_stop)
{
  if (take->continues)
    return FALSE;
  return (needs_stop && !take->has_stop)
      || (has_broken_off (take) && !take->again);
}

static RevBufFetcherResult
fail_contest (RevBufFetcher * fetcher, RevBufTake * take)
{
  rev_buf_take_free (take);
  g_set_error (&fetcher->error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SEEK,
      "Another revbuf seeks in the source of %s, and each disturbs the other: "
      "set mode=collect on both, or turn the audio around before it is split.",
      GST_OBJECT_NAME (fetcher->element));
  return REV_BUF_FETCHER_FAILED;
}

RevBufFetcherResult
rev_buf_fetcher_admit (RevBufFetcher * fetcher, TimeDSPDirection playing,
    gint64 place)
{
  TimeDSPDirection direction = fetcher->direction;
  RevBufBlock *block;
  RevBufTake *take;
  gboolean broken, contested, needs_stop;

  fetcher->playing = playing;
  rev_buf_meeting_enter (fetcher->meeting);
  take = rev_buf_inlet_pop_done (fetcher->inlet);
  broken = rev_buf_inlet_is_broken (fetcher->inlet);
  contested = rev_buf_inlet_is_contested (fetcher->inlet);
  needs_stop = rev_buf_inlet_needs_stop (fetcher->inlet);
  rev_buf_meeting_leave (fetcher->meeting);
  if (contested)
    return fail_contest (fetcher, take);
  if (take == NULL)
    return REV_BUF_FETCHER_IDLE;
  if (!fetcher->in_flight && !fetcher->awaits_head) {
    rev_buf_take_free (take);   /* it was for a window that is gone */
    return REV_BUF_FETCHER_ACTIVE;
  }

  if (!is_sound (fetcher, take, broken)) {
    rev_buf_take_free (take);
    return REV_BUF_FETCHER_FAILED;
  }
  if (fetcher->awaits_head) {
    take_head (fetcher, take);
    return REV_BUF_FETCHER_ACTIVE;
  }
  fetcher->in_flight = FALSE;
  if (wants_again (take, needs_stop))
    return fetch_again (fetcher, take);
  if (rev_buf_take_lacks_beginning (take))
    return reach_back (fetcher, take);
  if (take->n_frames > 0)
    fetcher->info = take->info;
  examine_head (fetcher, take);
  note_ends (fetcher, take);
  block = neighbour_of (fetcher, take, &direction);
  if (block != NULL)
    return admit_beside (fetcher, take, block, direction, place);
  if (rev_buf_window_lowest (&fetcher->window) == NULL
      && take->join_frame == TIMEDSP_UNKNOWN)
    admit_first (fetcher, take);
  else
    rev_buf_take_free (take);   /* its neighbour is gone */
  return REV_BUF_FETCHER_ACTIVE;
}

/* ---- what may be heard --------------------------------------------------- */

gint64
rev_buf_fetcher_ready_frames (RevBufFetcher * fetcher,
    TimeDSPDirection direction, gint64 place)
{
  RevBufBlock *block = rev_buf_window_find (&fetcher->window, place);
  gint64 end;

  if (block == NULL)
    return 0;
  if (direction == TIMEDSP_BACKWARD)
    return block->confirmed ? place - block->place + 1 : 0;

  /* the end of the last block may still be faded into the next one */
  end = block->place + (gint64) block->n_frames;
  if (block == rev_buf_window_highest (&fetcher->window) && !block->at_end)
    end -= rev_buf_seam_fade_frames (fetcher->limits.rate);
  return MAX (end - place, 0);
}
