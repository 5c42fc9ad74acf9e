/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "timescale/scalertail.h"
#include "common/pcmbuffer.h"

#include <math.h>

#define SCRATCH_FRAMES 512

typedef struct
{
  gdouble in;                   /* frame that it begins with, of the scaler's input */
  gdouble factor;
  guint64 n_frames;
} Move;

static void
start_line (GstTimeScaleTail * tail, gdouble frame, gdouble factor)
{
  tail->line_in = tail->line_out = frame;
  tail->line_from = tail->line_to = factor;
  tail->line_frames = 0;
}

TimeDSPStatus
gst_timescale_tail_open (GstTimeScaleTail * tail, const GstAudioInfo * info,
    const TimeDSPConfig * config, gdouble factor, guint64 base_frames)
{
  TimeDSPStatus status = timedsp_scaler_new (config, factor, &tail->scaler);

  if (status != TIMEDSP_OK)
    return status;
  tail->n_planes = gst_retro_info_planes (info);
  tail->stride = gst_retro_info_plane_stride (info);
  tail->scratch =
      g_try_malloc_n (tail->n_planes, SCRATCH_FRAMES * tail->stride);
  if (tail->scratch == NULL) {
    gst_timescale_tail_close (tail);
    return TIMEDSP_NO_MEMORY;
  }
  tail->first = tail->n_frames = 0;
  tail->full = FALSE;
  tail->base_frames = tail->in_frames = base_frames;
  start_line (tail, base_frames, factor);
  return TIMEDSP_OK;
}

void
gst_timescale_tail_close (GstTimeScaleTail * tail)
{
  g_clear_pointer (&tail->scaler, timedsp_scaler_free);
  g_clear_pointer (&tail->scratch, g_free);
  g_queue_clear_full (&tail->moves, g_free);
}

TimeDSPStatus
gst_timescale_tail_continue (GstTimeScaleTail * tail,
    const TimeDSPConfig * config)
{
  TimeDSPScaler *scaler = NULL;
  TimeDSPStatus status = timedsp_scaler_new (config, tail->line_to, &scaler);

  if (status == TIMEDSP_OK)
    status = timedsp_scaler_continue (scaler, tail->scaler);
  if (status != TIMEDSP_OK) {
    timedsp_scaler_free (scaler);
    return status;
  }
  timedsp_scaler_free (tail->scaler);
  tail->scaler = scaler;
  return TIMEDSP_OK;
}

/* ---- places and moves ---------------------------------------------------- */

/* Speed at @way frames from where the last move begins: its square grows evenly. */
static gdouble
speed_at (const GstTimeScaleTail * tail, gdouble way)
{
  gdouble from = 1 / tail->line_from, to = 1 / tail->line_to;

  if (way >= tail->line_frames)
    return to;
  return sqrt (from * from + (to * to - from * from) * way / tail->line_frames);
}

gdouble
gst_timescale_tail_place (const GstTimeScaleTail * tail, gdouble in)
{
  gdouble way = in - tail->line_in;
  gdouble moved_frames = CLAMP (way, 0, tail->line_frames);

  return tail->line_out + (way - moved_frames) * tail->line_to
      + 2 * moved_frames / (1 / tail->line_from + speed_at (tail,
          moved_frames));
}

void
gst_timescale_tail_move (GstTimeScaleTail * tail, gdouble in, gdouble factor,
    guint64 n_frames)
{
  gdouble out = gst_timescale_tail_place (tail, in);
  Move *move = g_new (Move, 1);

  *move = (Move) {
  .in = in - tail->base_frames,.factor = factor,.n_frames = n_frames};
  tail->line_from = 1 / speed_at (tail, in - tail->line_in);
  tail->line_to = factor;
  tail->line_in = in;
  tail->line_out = out;
  tail->line_frames = n_frames;
  g_queue_push_tail (&tail->moves, move);
}

/* ---- frames -------------------------------------------------------------- */

gboolean
gst_timescale_tail_is_ready (const GstTimeScaleTail * tail)
{
  return tail->n_frames > 0 || tail->full;
}

/* Begins the moves that are due. Returns how many frames may be made before the next
 * one is: each is one frame of input or less. */
static gsize
begin_moves (GstTimeScaleTail * tail)
{
  guint64 frame = 0;
  gdouble fraction = 0;
  Move *move;

  timedsp_scaler_position (tail->scaler, &frame, &fraction);
  while ((move = g_queue_peek_head (&tail->moves)) != NULL) {
    gdouble left_frames = move->in - frame - fraction;

    if (left_frames > 0)
      return MAX (left_frames, 1);
    timedsp_scaler_ramp_factor (tail->scaler, move->factor, move->n_frames);
    g_free (g_queue_pop_head (&tail->moves));
  }
  return G_MAXSIZE;
}

static TimeDSPStatus
take_frames (GstTimeScaleTail * tail, TimeStretcher * stretcher)
{
  gpointer *planes = g_newa (gpointer, tail->n_planes);
  TimeStretchProgress progress;
  TimeDSPStatus status;
  guint p;

  for (p = 0; p < tail->n_planes; p++)
    planes[p] = tail->scratch + p * SCRATCH_FRAMES * tail->stride;
  status = timestretch_process (stretcher, NULL, 0, planes, SCRATCH_FRAMES,
      &progress);
  tail->first = 0;
  tail->n_frames = progress.frames_made;
  tail->in_frames += progress.frames_made;
  return status;
}

static TimeDSPStatus
scale_frames (GstTimeScaleTail * tail, gpointer * planes, gsize capacity,
    gsize * made)
{
  const void **in = g_newa (const void *, tail->n_planes);
  TimeDSPStatus status;
  gsize used = 0;
  guint p;

  for (p = 0; p < tail->n_planes; p++)
    in[p] = tail->scratch + (p * SCRATCH_FRAMES + tail->first) * tail->stride;
  status = timedsp_scaler_process (tail->scaler, in, tail->n_frames, planes,
      capacity, &used, made);
  for (p = 0; p < tail->n_planes; p++)
    planes[p] = (guint8 *) planes[p] + *made * tail->stride;
  tail->first += used;
  tail->n_frames -= used;
  tail->full = *made == capacity;
  return status;
}

TimeDSPStatus
gst_timescale_tail_give (GstTimeScaleTail * tail, TimeStretcher * stretcher,
    gpointer * planes, gsize capacity, gsize * made)
{
  TimeDSPStatus status = TIMEDSP_OK;

  *made = 0;
  while (status == TIMEDSP_OK && *made < capacity
      && (gst_timescale_tail_is_ready (tail)
          || timestretch_ready (stretcher) > 0)) {
    gsize n_frames = 0;

    if (tail->n_frames == 0)
      status = take_frames (tail, stretcher);
    if (status == TIMEDSP_OK)
      status = scale_frames (tail, planes,
          MIN (capacity - *made, begin_moves (tail)), &n_frames);
    *made += n_frames;
  }
  return status;
}
