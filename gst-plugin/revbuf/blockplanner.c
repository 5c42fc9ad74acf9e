/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "revbuf/blockplanner.h"
#include "common/gstretrofilter.h"
#include "revbuf/splice.h"

GST_DEBUG_CATEGORY_EXTERN (gst_revbuf_debug);
#define GST_CAT_DEFAULT gst_revbuf_debug

#define FIRST_BLOCKS_PER_SECOND 10
#define OVERLAP_FRAMES 2048
#define SEARCH_FRAMES 2048
#define MIN_BLOCK_FRAMES 1024
#define MIN_HEAD_FRAMES (3 * (OVERLAP_FRAMES + SEARCH_FRAMES))

/* What decoders need to settle. Two runs may be equal where they overlap and
 * yet differ by a rounding in a few frames farther on, so it is what the
 * slowest one needs (Opus, 0.5 s), though the overlap finds most of it out. */
#define MIN_PREROLL_FRAMES 8192
#define PREROLL_NS (700 * GST_MSECOND)

/* A decoder that does not repeat itself after so many times that never does. */
#define MAX_PREROLL_FACTOR 8

/* Blocks of the cache, the one that is being fetched, and what is around it. */
#define SHARES_OF_MEMORY 6

/* Blocks ready beyond the one that is heard: backward, the outermost one waits
 * for the next run to confirm its beginning. */
#define BLOCKS_AHEAD_BACKWARD 2
#define BLOCKS_AHEAD_FORWARD 1

void
gst_revbuf_planner_init (GstRevBufPlanner * planner, GstElement * element,
    GstRevBufUpstream * upstream, GstRevBufLock * lock)
{
  planner->element = element;
  planner->upstream = upstream;
  planner->lock = lock;
  gst_revbuf_block_cache_init (&planner->cache);
}

void
gst_revbuf_planner_clear (GstRevBufPlanner * planner)
{
  gst_revbuf_block_cache_clear (&planner->cache);
  g_clear_pointer (&planner->head, gst_revbuf_run_free);
  g_clear_pointer (&planner->odd_seams, g_array_unref);
  g_clear_error (&planner->error);
}

static gint64
frames_in (GstClockTime time_ns, const GstAudioInfo * info)
{
  return timedsp_frame_at (time_ns, GST_AUDIO_INFO_RATE (info));
}

static void
set_preroll (GstRevBufPlanner * planner, gint64 frames)
{
  planner->limits.preroll_frames = frames;
  gst_revbuf_lock_acquire (planner->lock);
  planner->stats.preroll_frames = frames;
  gst_revbuf_lock_release (planner->lock);
}

void
gst_revbuf_planner_start_over (GstRevBufPlanner * planner,
    const GstAudioInfo * info, const GstRevBufSettings * settings)
{
  TimeDSPFetchLimits *limits = &planner->limits;
  guint64 share = settings->storage.max_memory_bytes / SHARES_OF_MEMORY
      / GST_AUDIO_INFO_BPF (info);
  gint64 longest = frames_in (gst_revbuf_settings_fetch_time (settings), info);

  gst_revbuf_planner_clear (planner);
  planner->info = *info;
  planner->exact = settings->seam == GST_REVBUF_SEAM_EXACT;
  planner->never_repeats = planner->awaits_head = FALSE;
  planner->first_frame_of_stream = 0;
  planner->automatic_preroll_frames = MAX (frames_in (PREROLL_NS, info),
      MIN_PREROLL_FRAMES);
  if (GST_CLOCK_TIME_IS_VALID (settings->preroll_time_ns))
    planner->automatic_preroll_frames =
        MIN (frames_in (settings->preroll_time_ns, info), G_MAXINT32);

  limits->rate = GST_AUDIO_INFO_RATE (info);
  limits->end_frame = TIMEDSP_UNKNOWN;
  limits->max_block_frames = CLAMP (longest, MIN_BLOCK_FRAMES,
      MAX ((gint64) share, MIN_BLOCK_FRAMES));
  limits->first_block_frames = CLAMP (limits->rate / FIRST_BLOCKS_PER_SECOND,
      1, limits->max_block_frames);
  limits->overlap_frames = OVERLAP_FRAMES;
  limits->search_frames = SEARCH_FRAMES;
  set_preroll (planner, planner->automatic_preroll_frames);
}

void
gst_revbuf_planner_start (GstRevBufPlanner * planner, const GstAudioInfo * info,
    const GstRevBufSettings * settings)
{
  gst_revbuf_lock_acquire (planner->lock);
  memset (&planner->stats, 0, sizeof (planner->stats));
  gst_revbuf_lock_release (planner->lock);
  gst_revbuf_planner_start_over (planner, info, settings);
}

GstRevBufRun *
gst_revbuf_planner_new_head (GstRevBufPlanner * planner, gint64 first_frame)
{
  gint64 frames = CLAMP (planner->limits.rate, MIN_HEAD_FRAMES,
      MAX (planner->limits.max_block_frames, MIN_HEAD_FRAMES));
  gint64 end_frame = first_frame + frames;
  const TimeDSPFetch fetch = { first_frame, end_frame, first_frame, end_frame,
    0
  };

  planner->first_frame_of_stream = first_frame;
  planner->awaits_head = planner->trusts_head = TRUE;
  return gst_revbuf_run_new (&fetch, TIMEDSP_UNKNOWN, 2 * frames);
}

/* Whether the head holds what is heard next from @boundary. */
static gboolean
head_has (const GstRevBufPlanner * planner, gint64 boundary,
    TimeDSPDirection direction)
{
  const GstRevBufRun *head = planner->head;

  if (head == NULL || !planner->trusts_head)
    return FALSE;
  if (direction == TIMEDSP_FORWARD)
    return boundary != TIMEDSP_UNKNOWN && boundary < head->next_frame;
  return head->at_end || (boundary != TIMEDSP_UNKNOWN
      && boundary <= head->next_frame);
}

void
gst_revbuf_planner_jump (GstRevBufPlanner * planner, gint64 boundary,
    TimeDSPDirection direction)
{
  GstRevBufRun *head;

  gst_revbuf_block_cache_clear (&planner->cache);
  planner->boundary = boundary;
  planner->direction = direction;
  planner->blocks = 0;
  planner->attempt = 0;
  planner->extra_lead_in_frames = 0;
  planner->exhausted = planner->in_flight = FALSE;
  if (head_has (planner, boundary, direction)
      && (head = gst_revbuf_run_copy (planner->head)) != NULL)
    gst_revbuf_block_cache_add (&planner->cache, head, direction,
        0)->confirmed = TRUE;
}

static void
count (GstRevBufPlanner * planner, guint64 * what)
{
  gst_revbuf_lock_acquire (planner->lock);
  ++*what;
  gst_revbuf_lock_release (planner->lock);
}

/* ---- what to fetch ------------------------------------------------------- */

/* What upstream says the end is, or its segment did. */
static gint64
estimate_end (GstRevBufPlanner * planner)
{
  GstClockTime duration_ns = gst_retro_filter_query_duration
      (GST_RETRO_FILTER (planner->element));

  if (!GST_CLOCK_TIME_IS_VALID (duration_ns))
    duration_ns = planner->duration_ns;
  return GST_CLOCK_TIME_IS_VALID (duration_ns) ?
      frames_in (duration_ns, &planner->info) : 0;
}

static TimeDSPStatus
plan_first (GstRevBufPlanner * planner, TimeDSPFetch * fetch)
{
  gint64 boundary = planner->boundary;

  if (planner->direction == TIMEDSP_BACKWARD && boundary == TIMEDSP_UNKNOWN) {
    if (planner->limits.end_frame == TIMEDSP_UNKNOWN) {
      if (planner->attempt == 0)
        planner->estimate = estimate_end (planner);
      return timedsp_plan_end (&planner->limits, planner->estimate,
          planner->attempt, fetch);
    }
    boundary = planner->limits.end_frame;
  }
  if (planner->limits.end_frame != TIMEDSP_UNKNOWN)
    boundary = MIN (boundary, planner->limits.end_frame);
  return timedsp_plan_fetch (&planner->limits, planner->direction, boundary,
      FALSE, 0, fetch);
}

static gsize
capacity_of (const GstRevBufPlanner * planner, const TimeDSPFetch * fetch)
{
  const TimeDSPFetchLimits *limits = &planner->limits;

  if (fetch->keep_end_frame == TIMEDSP_UNKNOWN)
    return MIN (limits->max_block_frames,
        limits->first_block_frames * 4 << MIN (planner->attempt, 10));
  return limits->max_block_frames + 2 * (limits->overlap_frames
      + limits->search_frames);
}

gboolean
gst_revbuf_planner_is_followed (GstRevBufPlanner * planner)
{
  gboolean followed;

  gst_revbuf_lock_acquire (planner->lock);
  followed = gst_revbuf_upstream_is_followed (planner->upstream);
  gst_revbuf_lock_release (planner->lock);
  if (followed)
    g_set_error (&planner->error, GST_STREAM_ERROR, GST_STREAM_ERROR_FAILED,
        "Several streams follow one another, and a seek reaches only one: set "
        "mode=collect on %s.", GST_OBJECT_NAME (planner->element));
  return followed;
}

static GstRevBufPlannerResult
fetch_run (GstRevBufPlanner * planner, const TimeDSPFetch * plan,
    gint64 join_frame, gboolean again)
{
  GstRevBufRun *run = gst_revbuf_run_new (plan, join_frame,
      capacity_of (planner, plan));
  guint64 floor_ns = timedsp_time_of (planner->first_frame_of_stream,
      planner->limits.rate);

  run->again = again;
  run->fetch.seek_ns = plan->seek_ns - MIN (plan->seek_ns,
      timedsp_time_of (planner->extra_lead_in_frames, planner->limits.rate));
  run->fetch.seek_ns = MAX (run->fetch.seek_ns, floor_ns);
  planner->in_flight = TRUE;
  if (join_frame == plan->first_frame
      && gst_revbuf_upstream_go_on (planner->upstream, run))
    return GST_REVBUF_PLANNER_ACTIVE;
  if (gst_revbuf_planner_is_followed (planner)) {
    gst_revbuf_run_free (run);
    return GST_REVBUF_PLANNER_FAILED;
  }
  if (gst_revbuf_upstream_fetch (planner->upstream, run))
    return GST_REVBUF_PLANNER_ACTIVE;

  planner->in_flight = FALSE;
  g_set_error (&planner->error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SEEK,
      "Upstream refused a seek, without which the stream cannot be played "
      "backwards: set mode=collect on %s.", GST_OBJECT_NAME (planner->element));
  return GST_REVBUF_PLANNER_FAILED;
}

static GstRevBufPlannerResult
fetch (GstRevBufPlanner * planner, const TimeDSPFetch * plan, gint64 join_frame)
{
  return fetch_run (planner, plan, join_frame, FALSE);
}

static GstRevBufPlannerResult
fetch_first (GstRevBufPlanner * planner)
{
  TimeDSPFetch plan;

  if (planner->exhausted)
    return GST_REVBUF_PLANNER_IDLE;
  if (plan_first (planner, &plan) != TIMEDSP_OK
      || plan.first_frame == plan.end_frame) {
    planner->exhausted = TRUE;
    return GST_REVBUF_PLANNER_ACTIVE;
  }
  return fetch (planner, &plan, TIMEDSP_UNKNOWN);
}

static gboolean
wants_below (GstRevBufPlanner * planner, gint64 index,
    const TimeDSPRange * pass)
{
  GstRevBufBlock *lowest = gst_revbuf_block_cache_lowest (&planner->cache);

  if (lowest->first_frame <= planner->first_frame_of_stream
      || (lowest->confirmed && lowest->first_frame <= pass->first_frame))
    return FALSE;
  return gst_revbuf_block_cache_count_below (&planner->cache, index)
      < BLOCKS_AHEAD_BACKWARD;
}

static gboolean
wants_above (GstRevBufPlanner * planner, gint64 index,
    const TimeDSPRange * pass)
{
  GstRevBufBlock *highest = gst_revbuf_block_cache_highest (&planner->cache);

  if (highest->at_end || (pass->end_frame != TIMEDSP_UNKNOWN
          && highest->end_frame > pass->end_frame
          + (gint64) gst_revbuf_splice_fade_frames (planner->limits.rate)))
    return FALSE;
  return gst_revbuf_block_cache_count_above (&planner->cache, index)
      < BLOCKS_AHEAD_FORWARD;
}

/* Audio that has been heard is kept for a change of direction, as far as there
 * is room. */
static void
drop_behind (GstRevBufPlanner * planner, TimeDSPDirection direction,
    gint64 index)
{
  GstRevBufBlockCache *cache = &planner->cache;

  if (direction == TIMEDSP_BACKWARD)
    while (gst_revbuf_block_cache_count_above (cache, index) > 1)
      gst_revbuf_block_cache_drop_highest (cache);
  else
    while (gst_revbuf_block_cache_count_below (cache, index) > 1)
      gst_revbuf_block_cache_drop_lowest (cache);
}

/* The lowest frame at which a block may begin and still overlap the head. */
static gint64
lowest_above_head (const GstRevBufPlanner * planner)
{
  if (planner->head == NULL)
    return 0;
  return MAX (planner->head->next_frame - planner->limits.overlap_frames
      - planner->limits.search_frames, 0);
}

/* The block below @boundary, down to the head at most. */
static TimeDSPStatus
plan_below (GstRevBufPlanner * planner, gint64 boundary, TimeDSPFetch * plan)
{
  gint64 lowest = lowest_above_head (planner);
  TimeDSPFetchLimits limits = planner->limits;
  TimeDSPStatus status =
      timedsp_plan_fetch (&limits, TIMEDSP_BACKWARD, boundary,
      TRUE, planner->blocks, plan);

  if (status != TIMEDSP_OK || plan->first_frame >= lowest || boundary <= lowest)
    return status;
  limits.first_block_frames = limits.max_block_frames = boundary - lowest;
  return timedsp_plan_fetch (&limits, TIMEDSP_BACKWARD, boundary, TRUE, 0,
      plan);
}

static GstRevBufPlannerResult join_head (GstRevBufPlanner * planner,
    gint64 index);

GstRevBufPlannerResult
gst_revbuf_planner_fill (GstRevBufPlanner * planner, TimeDSPDirection direction,
    gint64 index, const TimeDSPRange * pass)
{
  gboolean backward = direction == TIMEDSP_BACKWARD;
  TimeDSPFetch plan;
  gint64 boundary;

  planner->playing = direction;
  if (planner->in_flight)
    return GST_REVBUF_PLANNER_IDLE;
  if (gst_revbuf_block_cache_lowest (&planner->cache) == NULL)
    return fetch_first (planner);
  if (!(backward ? wants_below : wants_above) (planner, index, pass))
    return GST_REVBUF_PLANNER_IDLE;

  drop_behind (planner, direction, index);
  if (backward)
    boundary = gst_revbuf_block_cache_lowest (&planner->cache)->first_frame;
  else
    boundary = gst_revbuf_block_cache_highest (&planner->cache)->end_frame;
  if (backward && planner->head != NULL
      && boundary <= lowest_above_head (planner))
    return join_head (planner, index);
  if ((backward ? plan_below (planner, boundary, &plan) :
          timedsp_plan_fetch (&planner->limits, direction, boundary, TRUE,
              planner->blocks, &plan)) != TIMEDSP_OK)
    return GST_REVBUF_PLANNER_IDLE;
  if (plan.first_frame == plan.end_frame) {
    if (!backward)
      gst_revbuf_block_cache_highest (&planner->cache)->at_end = TRUE;
    return GST_REVBUF_PLANNER_IDLE;
  }
  return fetch (planner, &plan, boundary);
}

/* ---- what has arrived ---------------------------------------------------- */

/* Whether nothing of the stream comes before what @run has decoded. */
static gboolean
is_from_floor (const GstRevBufPlanner * planner, const GstRevBufRun * run)
{
  return run->fetch.seek_ns <= timedsp_time_of (planner->first_frame_of_stream,
      planner->limits.rate);
}

/* Whether upstream gave up before what has come from there earlier. */
static gboolean
has_broken_off (const GstRevBufRun * run)
{
  return run->at_end && run->join_frame != TIMEDSP_UNKNOWN
      && run->join_frame != run->fetch.first_frame && !run->join_seen;
}

/* Not every stream begins at 0, or ends where upstream says. */
static void
note_ends (GstRevBufPlanner * planner, const GstRevBufRun * run)
{
  if (run->at_end && run->next_frame != TIMEDSP_UNKNOWN
      && !has_broken_off (run))
    planner->limits.end_frame = run->next_frame;
  if (is_from_floor (planner, run) && !run->skipped && run->first_frame
      > MAX (planner->first_frame_of_stream, run->fetch.keep_first_frame))
    planner->first_frame_of_stream = run->first_frame;
}

/* Makes a block of @run, which is sound and goes on without a seam. */
static void
add_block (GstRevBufPlanner * planner, GstRevBufRun * run,
    TimeDSPDirection direction, gsize cut)
{
  GstRevBufBlock *block =
      gst_revbuf_block_cache_add (&planner->cache, run, direction,
      cut);

  block->confirmed |= is_from_floor (planner, run);
  planner->blocks++;
  count (planner, &planner->stats.blocks);
}

/* The first run after a jump. */
static void
admit_first (GstRevBufPlanner * planner, GstRevBufRun * run)
{
  gboolean backward = planner->direction == TIMEDSP_BACKWARD;
  gboolean open_end = run->fetch.keep_end_frame == TIMEDSP_UNKNOWN;

  if (run->n_frames > 0) {
    add_block (planner, run, planner->direction, 0);
    return;
  }

  /* beyond the end; or the end is farther than thought, and now known */
  if (!backward || (is_from_floor (planner, run)
          && run->next_frame == TIMEDSP_UNKNOWN)) {
    planner->exhausted = TRUE;
  } else if (run->next_frame == TIMEDSP_UNKNOWN) {
    if (!open_end)
      planner->estimate = run->fetch.end_frame;
    planner->boundary = planner->limits.end_frame = TIMEDSP_UNKNOWN;
    planner->attempt++;
  } else {
    planner->boundary = TIMEDSP_UNKNOWN;
  }
  gst_revbuf_run_free (run);
}

static GstRevBufBlock *
neighbour_of (GstRevBufPlanner * planner, const GstRevBufRun * run,
    TimeDSPDirection * direction)
{
  GstRevBufBlock *lowest = gst_revbuf_block_cache_lowest (&planner->cache);
  GstRevBufBlock *highest = gst_revbuf_block_cache_highest (&planner->cache);

  if (run->join_frame == TIMEDSP_UNKNOWN || lowest == NULL)
    return NULL;
  *direction = run->join_frame == run->fetch.first_frame ?
      TIMEDSP_FORWARD : TIMEDSP_BACKWARD;
  if (*direction == TIMEDSP_FORWARD)
    return run->join_frame == highest->end_frame ? highest : NULL;
  return run->join_frame == lowest->first_frame ? lowest : NULL;
}

static gboolean
may_widen (const GstRevBufPlanner * planner, const GstRevBufRun * run)
{
  return !planner->never_repeats && (!is_from_floor (planner, run)
      || run->join_frame == TIMEDSP_UNKNOWN)
      && planner->limits.preroll_frames < MAX_PREROLL_FACTOR
      * MAX (planner->automatic_preroll_frames, MIN_PREROLL_FRAMES);
}

/* One of the two had not settled: both are fetched again, with more decoded
 * before them, unless part of the one that is there has been heard. */
static void
widen (GstRevBufPlanner * planner, TimeDSPDirection direction, gint64 index)
{
  GstRevBufBlockCache *cache = &planner->cache;
  GstRevBufBlock *lowest = gst_revbuf_block_cache_lowest (cache);
  gint64 end_frame = lowest->end_frame;
  gint64 top = lowest->index + (gint64) lowest->n_frames - 1;

  set_preroll (planner, MAX (planner->limits.preroll_frames * 2,
          MIN_PREROLL_FRAMES));
  count (planner, &planner->stats.prerolls_widened);
  GST_INFO_OBJECT (planner->element, "runs differ: preroll is now %"
      G_GINT64_FORMAT " frames", planner->limits.preroll_frames);

  if (direction == TIMEDSP_FORWARD || lowest->confirmed)
    return;
  if (lowest != gst_revbuf_block_cache_highest (cache)
      && (index > top || (index == top
              && planner->playing == TIMEDSP_BACKWARD)))
    gst_revbuf_block_cache_drop_lowest (cache);
  else if (index == top && lowest == gst_revbuf_block_cache_highest (cache))
    gst_revbuf_planner_jump (planner, end_frame, TIMEDSP_BACKWARD);
}

static void
note_seam (GstRevBufPlanner * planner, GstRevBufSplice seam, gint64 frame)
{
  if (seam == GST_REVBUF_SPLICE_EQUAL) {
    count (planner, &planner->stats.seams_verified);
    GST_DEBUG_OBJECT (planner->element, "seam at frame %" G_GINT64_FORMAT
        ": equal", frame);
  } else {
    count (planner, &planner->stats.seams_aligned);
    GST_INFO_OBJECT (planner->element, "seam at frame %" G_GINT64_FORMAT
        ": aligned", frame);
  }
}

/* Whether a message has told of the seam at @frame; from now on it has. */
static gboolean
is_told_of (GstRevBufPlanner * planner, gint64 frame)
{
  guint i;

  if (planner->odd_seams == NULL)
    planner->odd_seams = g_array_new (FALSE, FALSE, sizeof (gint64));
  for (i = 0; i < planner->odd_seams->len; i++)
    if (g_array_index (planner->odd_seams, gint64, i) == frame)
      return TRUE;
  g_array_append_val (planner->odd_seams, frame);
  return FALSE;
}

static void
note_crossfade (GstRevBufPlanner * planner,
    const GstRevBufDifference * difference, gint64 frame)
{
  count (planner, &planner->stats.seams_crossfaded);
  GST_WARNING_OBJECT (planner->element, "seam at frame %" G_GINT64_FORMAT
      ": two runs differ by %.1e of their level, faded", frame,
      difference->error);
  if (!difference->alike && !is_told_of (planner, frame))
    GST_ELEMENT_WARNING (planner->element, RESOURCE, SEEK,
        ("Two seeks to the audio at %.3f s brought different audio, so what is "
            "heard there may be wrong: set mode=collect on %s.",
            (gdouble) frame / planner->limits.rate,
            GST_OBJECT_NAME (planner->element)),
        ("seam at frame %" G_GINT64_FORMAT ", difference %.1e", frame,
            difference->error));
}

static void
forget_head (GstRevBufPlanner * planner)
{
  GST_INFO_OBJECT (planner->element, "seeks lead into other audio than that "
      "which the stream began with");
  g_clear_pointer (&planner->head, gst_revbuf_run_free);
  planner->first_frame_of_stream = 0;
}

/* Runs that never match. @is_head: it is the head. IDLE: it belongs to another
 * stream than what seeks lead into, so the beginning is fetched, too. */
static GstRevBufPlannerResult
crossfade (GstRevBufPlanner * planner, const GstRevBufRun * run,
    gboolean is_head, GstRevBufBlock * block, TimeDSPDirection direction,
    gsize * cut)
{
  GstRevBufDifference difference;

  if (!planner->never_repeats && !is_from_floor (planner, run)) {
    planner->never_repeats = TRUE;
    set_preroll (planner, planner->automatic_preroll_frames);
  }
  if (has_broken_off (run)) {
    g_set_error (&planner->error, GST_STREAM_ERROR, GST_STREAM_ERROR_FAILED,
        "Upstream ended in the middle of the stream, %" G_GINT64_FORMAT
        " frames before what came from there earlier: check the file.",
        run->join_frame - run->next_frame);
    return GST_REVBUF_PLANNER_FAILED;
  }
  if (planner->exact) {
    g_set_error (&planner->error, GST_STREAM_ERROR, GST_STREAM_ERROR_DECODE,
        "The same audio was decoded twice with different results, so the seam "
        "cannot be exact: set mode=collect on %s, or seam=smooth to fade over "
        "it.", GST_OBJECT_NAME (planner->element));
    return GST_REVBUF_PLANNER_FAILED;
  }

  gst_revbuf_splice_crossfade (run, block, direction, &planner->limits, is_head,
      cut, &difference);
  if (is_head && !difference.alike) {
    forget_head (planner);
    return GST_REVBUF_PLANNER_IDLE;
  }
  note_crossfade (planner, &difference, direction == TIMEDSP_BACKWARD ?
      block->first_frame : block->end_frame);
  return GST_REVBUF_PLANNER_ACTIVE;
}

/* Audio is missing where it was sought to, and what follows is there already. */
static gboolean
brings_nothing (const GstRevBufPlanner * planner, const GstRevBufRun * run,
    TimeDSPDirection direction, gsize cut)
{
  if (run->continues || run->at_end
      || (is_from_floor (planner, run) && !run->skipped))
    return FALSE;
  return direction == TIMEDSP_BACKWARD ? cut == 0 : cut >= run->n_frames;
}

/* The seek has to reach farther back than that of @run (transfer full), to
 * before what is missing. */
static GstRevBufPlannerResult
reach_back (GstRevBufPlanner * planner, GstRevBufRun * run)
{
  gboolean at_floor = is_from_floor (planner, run);

  gst_revbuf_run_free (run);
  planner->extra_lead_in_frames = MAX (2 * planner->extra_lead_in_frames,
      (gint64) planner->limits.rate);
  if (!at_floor)
    return GST_REVBUF_PLANNER_ACTIVE;
  g_set_error (&planner->error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SEEK,
      "After a seek, audio is missing where there was some before: "
      "set mode=collect on %s.", GST_OBJECT_NAME (planner->element));
  return GST_REVBUF_PLANNER_FAILED;
}

static GstRevBufPlannerResult
admit_beside (GstRevBufPlanner * planner, GstRevBufRun * run,
    GstRevBufBlock * block, TimeDSPDirection direction, gint64 index)
{
  gboolean is_head = run->join_frame == TIMEDSP_UNKNOWN;
  GstRevBufSplice seam;
  gsize cut = 0;

  if (!run->continues) {
    seam =
        gst_revbuf_splice_find (run, block, direction, &planner->limits, &cut);
    if (seam != GST_REVBUF_SPLICE_UNEQUAL) {
      note_seam (planner, seam, run->join_frame);
    } else if (may_widen (planner, run)) {
      widen (planner, direction, index);
      gst_revbuf_run_free (run);
      return GST_REVBUF_PLANNER_ACTIVE;
    } else {
      GstRevBufPlannerResult blended = crossfade (planner, run, is_head, block,
          direction, &cut);

      if (blended != GST_REVBUF_PLANNER_ACTIVE) {
        gst_revbuf_run_free (run);
        return blended == GST_REVBUF_PLANNER_IDLE ? GST_REVBUF_PLANNER_ACTIVE :
            blended;
      }
    }
  }
  if (brings_nothing (planner, run, direction, cut))
    return reach_back (planner, run);
  planner->extra_lead_in_frames = 0;
  block->confirmed |= direction == TIMEDSP_BACKWARD;
  add_block (planner, run, direction, cut);
  return GST_REVBUF_PLANNER_ACTIVE;
}

/* The frame of the stream that a head begins with, by the count of its frames. */
static gint64
head_start (const GstRevBufRun * head)
{
  return head->next_frame - (gint64) head->n_frames;
}

/* The beginning of the stream has been there from the start. */
static GstRevBufPlannerResult
join_head (GstRevBufPlanner * planner, gint64 index)
{
  GstRevBufBlock *lowest = gst_revbuf_block_cache_lowest (&planner->cache);
  GstRevBufRun *head = gst_revbuf_run_copy (planner->head);

  if (head == NULL) {
    g_clear_pointer (&planner->head, gst_revbuf_run_free);      /* fetched, then */
    return GST_REVBUF_PLANNER_ACTIVE;
  }
  /* it was counted from frame 0 on, as the block's beginning was placed */
  head->join_index = MIN (MAX (lowest->first_frame - head_start (head), 0),
      (gint64) head->n_frames);
  return admit_beside (planner, head, lowest, TIMEDSP_BACKWARD, index);
}

static void
run_head (GstRevBufPlanner * planner, GstRevBufRun * head)
{
  planner->awaits_head = FALSE;
  note_ends (planner, head);
  if (head->n_frames > 0)
    planner->head = head;
  else
    gst_revbuf_run_free (head);
}

/* Whether seeks lead into the stream that the head belongs to: the same times,
 * to a frame, mean the same audio. */
static void
examine_head (GstRevBufPlanner * planner, const GstRevBufRun * run)
{
  if (planner->head == NULL || run->n_frames == 0)
    return;
  if (ABS (run->offset_ns - planner->head->offset_ns)
      <= (gint64) (GST_SECOND / planner->limits.rate))
    planner->trusts_head = TRUE;
  else
    forget_head (planner);
}

/* Whether @run can be used at all. */
static gboolean
is_sound (GstRevBufPlanner * planner, const GstRevBufRun * run, gboolean broken)
{
  gboolean other = GST_AUDIO_INFO_IS_VALID (&run->info)
      && !gst_audio_info_is_equal (&run->info, &planner->info);

  if (run->no_memory)
    g_set_error (&planner->error, GST_RESOURCE_ERROR,
        GST_RESOURCE_ERROR_NO_SPACE_LEFT, "There is not enough memory for a "
        "block: lower block-time or max-memory of %s.",
        GST_OBJECT_NAME (planner->element));
  else if (broken || (other && (planner->head != NULL
              || gst_revbuf_block_cache_lowest (&planner->cache) != NULL)))
    g_set_error (&planner->error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
        "The stream changes its format, or is not what its caps say: put "
        "audioconvert and audioresample in front of %s.",
        GST_OBJECT_NAME (planner->element));
  return planner->error == NULL;
}

/* Fetches the audio of @run (transfer full) once more. */
static GstRevBufPlannerResult
fetch_again (GstRevBufPlanner * planner, GstRevBufRun * run)
{
  TimeDSPFetch plan = run->fetch;
  gint64 join_frame = run->join_frame;
  gboolean again = has_broken_off (run);

  gst_revbuf_run_free (run);
  return fetch_run (planner, &plan, join_frame, again);
}

/* Whether it is the seek that was at fault: it has to say more, or an application
 * has sent EOS meanwhile. */
static gboolean
wants_again (const GstRevBufRun * run, gboolean needs_stop)
{
  if (run->continues)
    return FALSE;
  return (needs_stop && !run->has_stop)
      || (has_broken_off (run) && !run->again);
}

static GstRevBufPlannerResult
fail_contest (GstRevBufPlanner * planner, GstRevBufRun * run)
{
  gst_revbuf_run_free (run);
  g_set_error (&planner->error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SEEK,
      "Another revbuf seeks in the source of %s, and each disturbs the other: "
      "set mode=collect on both, or turn the audio around before it is split.",
      GST_OBJECT_NAME (planner->element));
  return GST_REVBUF_PLANNER_FAILED;
}

/* Makes a block of @run (transfer full), which is what was asked for. */
static GstRevBufPlannerResult
join (GstRevBufPlanner * planner, GstRevBufRun * run, gint64 index)
{
  TimeDSPDirection direction = planner->direction;
  GstRevBufBlock *block;

  block = neighbour_of (planner, run, &direction);
  if (block != NULL)
    return admit_beside (planner, run, block, direction, index);
  if (gst_revbuf_block_cache_lowest (&planner->cache) == NULL
      && run->join_frame == TIMEDSP_UNKNOWN)
    admit_first (planner, run);
  else
    gst_revbuf_run_free (run);  /* its neighbour is gone */
  return GST_REVBUF_PLANNER_ACTIVE;
}

GstRevBufPlannerResult
gst_revbuf_planner_admit (GstRevBufPlanner * planner, TimeDSPDirection playing,
    gint64 index)
{
  GstRevBufRun *run;
  gboolean broken, contested, needs_stop;

  planner->playing = playing;
  gst_revbuf_lock_acquire (planner->lock);
  run = gst_revbuf_upstream_pop_done (planner->upstream);
  broken = gst_revbuf_upstream_is_broken (planner->upstream);
  contested = gst_revbuf_upstream_is_contested (planner->upstream);
  needs_stop = gst_revbuf_upstream_needs_stop (planner->upstream);
  gst_revbuf_lock_release (planner->lock);
  if (contested)
    return fail_contest (planner, run);
  if (run == NULL)
    return GST_REVBUF_PLANNER_IDLE;
  if (!planner->in_flight && !planner->awaits_head) {
    gst_revbuf_run_free (run);  /* its cache has been cleared */
    return GST_REVBUF_PLANNER_ACTIVE;
  }

  if (!is_sound (planner, run, broken)) {
    gst_revbuf_run_free (run);
    return GST_REVBUF_PLANNER_FAILED;
  }
  if (planner->awaits_head) {
    run_head (planner, run);
    return GST_REVBUF_PLANNER_ACTIVE;
  }
  planner->in_flight = FALSE;
  if (wants_again (run, needs_stop))
    return fetch_again (planner, run);
  if (gst_revbuf_run_lacks_beginning (run))
    return reach_back (planner, run);
  if (run->n_frames > 0)
    planner->info = run->info;
  examine_head (planner, run);
  note_ends (planner, run);
  return join (planner, run, index);
}

/* ---- what may be heard --------------------------------------------------- */

gint64
gst_revbuf_planner_ready_frames (GstRevBufPlanner * planner,
    TimeDSPDirection direction, gint64 index)
{
  GstRevBufBlock *block = gst_revbuf_block_cache_find (&planner->cache, index);
  gint64 end;

  if (block == NULL)
    return 0;
  if (direction == TIMEDSP_BACKWARD)
    return block->confirmed ? index - block->index + 1 : 0;

  /* the end of the last block may still be faded into the next one */
  end = block->index + (gint64) block->n_frames;
  if (block == gst_revbuf_block_cache_highest (&planner->cache)
      && !block->at_end)
    end -= gst_revbuf_splice_fade_frames (planner->limits.rate);
  return MAX (end - index, 0);
}
