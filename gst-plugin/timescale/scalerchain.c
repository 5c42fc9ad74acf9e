/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "timescale/scalerchain.h"
#include "common/pcmbuffer.h"

/* Output is pushed in buffers of 1 / so much of a second, or in those bursts in which
 * the stretcher makes it where they are longer. */
#define BUFFERS_PER_SECOND 50

/* Input that is still to be taken. */
typedef struct
{
  const guint8 **planes;
  gsize n_frames;
} Input;

TimeDSPStatus
gst_timescale_chain_open (GstTimeScaleChain * chain, const GstAudioInfo * info,
    const TimeDSPConfig * config, TimeStretchWindow window, gdouble factor,
    guint64 base_frames)
{
  TimeStretchConfig stretch = {.format = config->format,
    .layout = config->layout,.channels = config->channels,
    /* the rate does nothing but choose the length of the window */
    .rate = CLAMP (GST_AUDIO_INFO_RATE (info), TIMESTRETCH_MIN_RATE,
        TIMESTRETCH_MAX_RATE),.window = window
  };
  gsize bytes = 0;
  TimeDSPStatus status = timestretch_memory_bytes (&stretch, &bytes);

  if (status != TIMEDSP_OK)
    return status;
  chain->plane_bytes =
      GST_TIMESCALE_CHAIN_FRAMES * gst_retro_info_plane_stride (info);
  chain->memory = timedsp_allocate (bytes);
  chain->scratch = g_try_malloc0_n (gst_retro_info_planes (info) + 1,
      chain->plane_bytes);
  status = chain->memory == NULL || chain->scratch == NULL ? TIMEDSP_NO_MEMORY :
      timestretch_init (&stretch, factor, chain->memory, bytes,
      &chain->stretcher);
  if (status != TIMEDSP_OK) {
    gst_timescale_chain_close (chain);
    return status;
  }
  chain->base_frames = base_frames;
  /* at factor 1 this is more than a window */
  chain->warm_frames =
      base_frames > 0 ? timestretch_latency (chain->stretcher) : 0;
  chain->first = chain->n_frames = chain->given_frames = 0;
  return TIMEDSP_OK;
}

TimeDSPStatus
gst_timescale_chain_open_tail (GstTimeScaleChain * chain,
    const GstAudioInfo * info, const TimeDSPConfig * config, gdouble factor)
{
  if (chain->tail.scaler != NULL)
    return TIMEDSP_OK;
  return gst_timescale_tail_open (&chain->tail, info, config, factor,
      chain->given_frames);
}

void
gst_timescale_chain_close (GstTimeScaleChain * chain)
{
  gst_timescale_tail_close (&chain->tail);
  timedsp_deallocate (chain->memory);
  g_free (chain->scratch);
  memset (chain, 0, sizeof *chain);
}

/* Where the next frame that the stretcher takes is heard, in frames that leave it. */
static gdouble
stretcher_place (const GstTimeScaleChain * chain)
{
  guint64 in_frame = 0, out_frame = 0;
  gdouble fraction = 0;

  timestretch_position (chain->stretcher, &in_frame, &out_frame, &fraction);
  return out_frame + fraction;
}

void
gst_timescale_chain_move (GstTimeScaleChain * chain,
    const TimePitchParts * from, const TimePitchParts * to,
    const TimePitchRamps * ramps)
{
  if (to->after != from->after)
    gst_timescale_tail_move (&chain->tail, stretcher_place (chain), to->after,
        ramps->after_frames);
  if (to->stretch != from->stretch)
    timestretch_ramp_factor (chain->stretcher, to->stretch,
        ramps->stretch_frames);
}

/* Where frame @frame of the stretcher's output is heard. */
static gdouble
output_place (const GstTimeScaleChain * chain, gdouble frame)
{
  if (chain->tail.scaler != NULL)
    frame = gst_timescale_tail_place (&chain->tail, frame);
  return chain->base_frames + frame;
}

gdouble
gst_timescale_chain_place (const GstTimeScaleChain * chain)
{
  return output_place (chain, stretcher_place (chain));
}

gdouble
gst_timescale_chain_end (const GstTimeScaleChain * chain, guint64 n_frames)
{
  guint64 due_frames = 0;
  guint64 given_frames = chain->tail.scaler != NULL ? chain->tail.in_frames :
      chain->given_frames;

  timestretch_max_output (chain->stretcher, n_frames, &due_frames);
  return output_place (chain, given_frames + due_frames);
}

/* Scales into the scratch, which is empty; it stays so if there is too little
 * input. */
static TimeDSPStatus
fill_scratch (GstTimeScaleChain * chain, GstTimeScaleWork * work, Input * input)
{
  const GstAudioInfo *info = gst_retro_filter_get_info (work->filter);
  gsize stride = gst_retro_info_plane_stride (info), used = 0;
  gsize capacity = GST_TIMESCALE_CHAIN_FRAMES;
  guint p, n_planes = gst_retro_info_planes (info);
  gpointer *planes = g_newa (gpointer, n_planes);
  TimeDSPStatus status;

  if (chain->warm_frames > 0)
    capacity = MIN (capacity, chain->warm_frames);
  for (p = 0; p < n_planes; p++)
    planes[p] = chain->scratch + p * chain->plane_bytes;
  chain->first = 0;
  status = timedsp_scaler_process (work->scaler,
      (const void *const *) input->planes, input->n_frames, planes, capacity,
      &used, &chain->n_frames);
  for (p = 0; p < n_planes; p++)
    input->planes[p] += used * stride;
  input->n_frames -= used;
  return status;
}

/* Gives the stretcher what is in the scratch until it has frames ready. */
static TimeDSPStatus
empty_scratch (GstTimeScaleChain * chain, GstTimeScaleWork * work)
{
  const GstAudioInfo *info = gst_retro_filter_get_info (work->filter);
  guint p, n_planes = gst_retro_info_planes (info);
  const void **planes = g_newa (const void *, n_planes);
  TimeStretchProgress progress;
  TimeDSPStatus status;

  for (p = 0; p < n_planes; p++)
    planes[p] = chain->scratch + p * chain->plane_bytes
        + chain->first * gst_retro_info_plane_stride (info);
  status = timestretch_process (chain->stretcher, planes, chain->n_frames,
      NULL, 0, &progress);
  chain->first += progress.frames_used;
  chain->n_frames -= progress.frames_used;
  if (status != TIMEDSP_OK || chain->warm_frames == 0)
    return status;
  chain->warm_frames -= progress.frames_used;
  return chain->warm_frames == 0 ? work->warm (work->data) : TIMEDSP_OK;
}

gboolean
gst_timescale_chain_is_idle (const GstTimeScaleChain * chain,
    const GstTimeScaleWork * work)
{
  return work->idle != NULL && chain->tail.scaler == NULL
      && timestretch_ready (chain->stretcher) == 0
      && timestretch_is_identity (chain->stretcher) && work->idle (work->data);
}

/* Takes input until frames are ready, or all of it if none are; none if the chain is
 * idle. */
static TimeDSPStatus
take_input (GstTimeScaleChain * chain, GstTimeScaleWork * work, Input * input)
{
  TimeDSPStatus status = TIMEDSP_OK;

  while (status == TIMEDSP_OK && timestretch_ready (chain->stretcher) == 0
      && !gst_timescale_chain_is_idle (chain, work)) {
    if (chain->n_frames == 0)
      status = fill_scratch (chain, work, input);
    if (chain->n_frames == 0)
      break;
    if (status == TIMEDSP_OK)
      status = empty_scratch (chain, work);
  }
  return status;
}

/* Whether frames may be given without more input. */
static gboolean
is_ready (const GstTimeScaleChain * chain)
{
  return timestretch_ready (chain->stretcher) > 0
      || gst_timescale_tail_is_ready (&chain->tail);
}

/* Writes up to @capacity frames of what is ready to @planes, which may be moved; *@made
 * is how many. */
static TimeDSPStatus
give (GstTimeScaleChain * chain, gpointer * planes, gsize capacity,
    gsize * made)
{
  TimeStretchProgress progress;
  TimeDSPStatus status;

  if (chain->tail.scaler != NULL)
    return gst_timescale_tail_give (&chain->tail, chain->stretcher, planes,
        capacity, made);
  status = timestretch_process (chain->stretcher, NULL, 0, planes, capacity,
      &progress);
  *made = progress.frames_made;
  chain->given_frames += *made;
  return status;
}

/* Fills @audio as far as the input goes. */
static TimeDSPStatus
fill_buffer (GstTimeScaleChain * chain, GstTimeScaleWork * work, Input * input,
    GstAudioBuffer * audio, gsize capacity, gsize * made)
{
  gsize stride =
      gst_retro_info_plane_stride (gst_retro_filter_get_info (work->filter));
  gpointer *planes = g_newa (gpointer, audio->n_planes);
  TimeDSPStatus status = TIMEDSP_OK;
  gint p;

  *made = 0;
  while (status == TIMEDSP_OK && *made < capacity && is_ready (chain)) {
    gsize n_frames = 0;

    for (p = 0; p < audio->n_planes; p++)
      planes[p] = (guint8 *) audio->planes[p] + *made * stride;
    status = give (chain, planes, capacity - *made, &n_frames);
    *made += n_frames;
    if (status == TIMEDSP_OK)
      status = take_input (chain, work, input);
  }
  return status;
}

/* Pushes the @made frames in @buffer (transfer full), or fails with @status. */
static GstFlowReturn
push_made (GstTimeScaleWork * work, GstBuffer * buffer, TimeDSPStatus status,
    gsize made)
{
  if (status != TIMEDSP_OK) {
    gst_buffer_unref (buffer);
    return gst_retro_scale_fail (work->filter, status);
  }
  return gst_retro_scale_push (work->filter, work->clock, buffer, made,
      work->original, work->gap);
}

/* Pushes a buffer of what is ready, of a frame at least: where the rate is a few Hz,
 * nothing else may be. */
static GstFlowReturn
push_ready (GstTimeScaleChain * chain, GstTimeScaleWork * work, Input * input)
{
  const GstAudioInfo *info = gst_retro_filter_get_info (work->filter);
  gsize capacity = MAX (timestretch_ready (chain->stretcher),
      (gsize) GST_AUDIO_INFO_RATE (info) / BUFFERS_PER_SECOND + 1);
  TimeDSPStatus status = TIMEDSP_NULL_POINTER;
  GstAudioBuffer audio;
  GstBuffer *buffer;
  gsize made = 0;

  capacity = MIN (capacity, MIN (GST_RETRO_SCALE_MAX_FRAMES,
          work->limit_frames - work->clock->frames));
  buffer = gst_retro_buffer_new (info, capacity);
  if (buffer == NULL)
    return gst_retro_scale_fail (work->filter, TIMEDSP_NO_MEMORY);
  if (gst_audio_buffer_map (&audio, info, buffer, GST_MAP_WRITE)) {
    status = fill_buffer (chain, work, input, &audio, capacity, &made);
    gst_audio_buffer_unmap (&audio);
  }
  return push_made (work, buffer, status, made);
}

static GstFlowReturn
feed (GstTimeScaleChain * chain, GstTimeScaleWork * work, Input * input)
{
  GstFlowReturn ret = GST_FLOW_OK;

  while (ret == GST_FLOW_OK && work->clock->frames < work->limit_frames) {
    TimeDSPStatus status = take_input (chain, work, input);

    if (status != TIMEDSP_OK)
      return gst_retro_scale_fail (work->filter, status);
    if (!is_ready (chain))
      break;
    ret = push_ready (chain, work, input);
  }
  return ret;
}

GstFlowReturn
gst_timescale_chain_feed (GstTimeScaleChain * chain, GstTimeScaleWork * work,
    gsize first, gsize n_frames, gsize * left)
{
  const GstAudioInfo *info = gst_retro_filter_get_info (work->filter);
  Input input = {.n_frames = n_frames };
  GstAudioBuffer audio;
  GstFlowReturn ret;
  gint p;

  if (!gst_audio_buffer_map (&audio, info, work->original, GST_MAP_READ))
    return gst_retro_scale_fail (work->filter, TIMEDSP_NULL_POINTER);
  input.planes = g_newa (const guint8 *, audio.n_planes);
  for (p = 0; p < audio.n_planes; p++)
    input.planes[p] = (const guint8 *) audio.planes[p]
        + first * gst_retro_info_plane_stride (info);
  ret = feed (chain, work, &input);
  *left = input.n_frames;
  gst_audio_buffer_unmap (&audio);
  return ret;
}

/* Writes what the stretcher holds to @audio, and then what it has not taken yet. */
static TimeDSPStatus
empty_into (GstTimeScaleChain * chain, const GstAudioInfo * info,
    GstAudioBuffer * audio, gsize capacity, gsize * made)
{
  gsize stride = gst_retro_info_plane_stride (info);
  TimeStretchProgress progress;
  TimeDSPStatus status;
  gint p;

  status = timestretch_finish (chain->stretcher, audio->planes, capacity,
      &progress);
  *made = progress.frames_made + chain->n_frames;
  for (p = 0; p < audio->n_planes; p++)
    memcpy ((guint8 *) audio->planes[p] + progress.frames_made * stride,
        chain->scratch + p * chain->plane_bytes + chain->first * stride,
        chain->n_frames * stride);
  chain->n_frames = 0;
  return status;
}

GstFlowReturn
gst_timescale_chain_empty (GstTimeScaleChain * chain, GstTimeScaleWork * work)
{
  const GstAudioInfo *info = gst_retro_filter_get_info (work->filter);
  TimeDSPStatus status = TIMEDSP_NULL_POINTER;
  guint64 held_frames = 0;
  GstAudioBuffer audio;
  GstBuffer *buffer;
  gsize made = 0;

  timestretch_max_output (chain->stretcher, 0, &held_frames);
  buffer = gst_retro_buffer_new (info, held_frames + chain->n_frames);
  if (buffer == NULL)
    return gst_retro_scale_fail (work->filter, TIMEDSP_NO_MEMORY);
  if (gst_audio_buffer_map (&audio, info, buffer, GST_MAP_WRITE)) {
    status = empty_into (chain, info, &audio, held_frames, &made);
    gst_audio_buffer_unmap (&audio);
  }
  return push_made (work, buffer, status, made);
}

GstFlowReturn
gst_timescale_chain_feed_silence (GstTimeScaleChain * chain,
    GstTimeScaleWork * work, gsize n_frames)
{
  guint p, n_planes =
      gst_retro_info_planes (gst_retro_filter_get_info (work->filter));
  Input input = {.n_frames = n_frames };

  input.planes = g_newa (const guint8 *, n_planes);
  for (p = 0; p < n_planes; p++)
    input.planes[p] = chain->scratch + n_planes * chain->plane_bytes;
  return feed (chain, work, &input);
}
