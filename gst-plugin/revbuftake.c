/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "revbuftake.h"
#include "retrobuffer.h"

/* Timestamps that are rounded (Matroska's, to 1 ms) may make a block longer
 * than planned. */
#define SLACK_FRAMES 1024

/* A hole of more than 1/32 s is none of rounding, but of missing audio. */
#define HOLE_DIVISOR 32

/* Neighbouring frames to be added; the planes of a hole are NULL. */
typedef struct
{
  gint64 at_frame;              /* where the first one lies in the stream */
  gsize n_frames;
  const guint8 *const *planes;
} Span;

RevBufTake *
rev_buf_take_new (const TimeDSPFetch * fetch, gint64 join_frame,
    gsize max_frames)
{
  RevBufTake *take = g_new0 (RevBufTake, 1);

  take->fetch = *fetch;
  take->join_frame = join_frame;
  take->max_frames = max_frames;
  take->first_frame = take->next_frame = TIMEDSP_UNKNOWN;
  gst_audio_info_init (&take->info);
  return take;
}

void
rev_buf_take_free (RevBufTake * take)
{
  if (take == NULL)
    return;
  g_free (take->memory);
  g_free (take);
}

RevBufTake *
rev_buf_take_copy (const RevBufTake * take)
{
  gsize bytes = take->capacity_frames * GST_AUDIO_INFO_BPF (&take->info);
  RevBufTake *copy = g_new (RevBufTake, 1);

  *copy = *take;
  copy->memory = g_try_malloc (MAX (bytes, 1));
  if (copy->memory == NULL) {
    g_free (copy);
    return NULL;
  }
  if (take->memory != NULL)
    memcpy (copy->memory, take->memory, bytes);
  return copy;
}

guint8 *
rev_buf_take_at (const RevBufTake * take, guint plane, gsize index)
{
  return take->memory + (plane * take->capacity_frames + index)
      * retro_info_plane_stride (&take->info);
}

/* ---- room --------------------------------------------------------------- */

static gboolean
make_room (RevBufTake * take, const GstAudioInfo * info)
{
  gint64 wanted = take->fetch.keep_end_frame - take->fetch.keep_first_frame;

  if (take->memory != NULL)
    return TRUE;

  take->info = *info;
  take->capacity_frames = take->max_frames;
  if (take->fetch.keep_end_frame != TIMEDSP_UNKNOWN)
    take->capacity_frames = MIN (take->max_frames,
        (gsize) (wanted + SLACK_FRAMES));
  take->memory = g_try_malloc_n (MAX (take->capacity_frames, 1),
      GST_AUDIO_INFO_BPF (info));
  take->no_memory = take->memory == NULL;
  return !take->no_memory;
}

static void
copy_span (RevBufTake * take, const Span * span, gsize skip, gsize n_frames)
{
  gsize stride = retro_info_plane_stride (&take->info);
  guint p;

  for (p = 0; p < retro_info_planes (&take->info); p++) {
    guint8 *to = rev_buf_take_at (take, p, take->n_frames);

    if (span->planes != NULL)
      memcpy (to, span->planes[p] + skip * stride, n_frames * stride);
    else
      gst_audio_format_info_fill_silence (take->info.finfo, to,
          n_frames * stride);
  }
  take->n_frames += n_frames;
}

/* ---- what is kept of a span --------------------------------------------- */

/* Frames at its beginning that come before everything wanted. */
static gsize
frames_before (const RevBufTake * take, const Span * span)
{
  gint64 before = take->fetch.keep_first_frame - span->at_frame;

  if (take->n_frames > 0 || take->continues || before <= 0)
    return 0;
  return MIN ((gsize) before, span->n_frames);
}

/* Frames up to the end of what is wanted; notes where that is reached. */
static gsize
frames_up_to_end (RevBufTake * take, const Span * span)
{
  gint64 wanted = take->fetch.keep_end_frame - span->at_frame;

  if (take->fetch.keep_end_frame == TIMEDSP_UNKNOWN
      || wanted > (gint64) span->n_frames)
    return span->n_frames;
  take->done = TRUE;
  return MAX (wanted, 0);
}

static void
note_join (RevBufTake * take, const Span * span, gsize skip, gsize n_frames)
{
  gint64 ahead = take->join_frame - span->at_frame;

  if (take->join_frame == TIMEDSP_UNKNOWN || take->join_seen
      || ahead >= (gint64) (skip + n_frames))
    return;
  take->join_seen = TRUE;
  take->join_index = take->n_frames + MAX (ahead - (gint64) skip, 0);
}

/* Keeps what is wanted of @span, and says how many of its frames have been
 * looked at. */
static gsize
add_span (RevBufTake * take, const Span * span)
{
  gsize end = frames_up_to_end (take, span);
  gsize skip = MIN (frames_before (take, span), end);
  gsize n_frames = end - skip;

  take->next_frame = span->at_frame + end;
  take->skipped |= skip > 0;
  if (take->overflown || n_frames == 0)
    return end;

  if (n_frames > take->capacity_frames - take->n_frames) {
    if (take->fetch.keep_end_frame == TIMEDSP_UNKNOWN) {
      take->overflown = TRUE;
      take->n_frames = 0;
      return end;
    }
    n_frames = take->capacity_frames - take->n_frames;
    take->next_frame = span->at_frame + (gint64) (skip + n_frames);
    take->done = TRUE;
  }
  if (take->n_frames == 0)
    take->first_frame = span->at_frame + (gint64) skip;
  note_join (take, span, skip, n_frames);
  copy_span (take, span, skip, n_frames);
  return skip + n_frames;
}

/* ---- buffers ------------------------------------------------------------ */

/* Where frame @first of @buffer is. Without a timestamp that is behind what has
 * been looked at, or at the beginning of the segment. */
static gint64
place_of (const RevBufTake * take, GstBuffer * buffer,
    const GstSegment * segment, gsize first)
{
  GstClockTime pts_ns = GST_BUFFER_PTS (buffer);
  guint64 time_ns = GST_CLOCK_TIME_NONE;
  gint sign;

  if (!GST_CLOCK_TIME_IS_VALID (pts_ns)) {
    if (take->next_frame != TIMEDSP_UNKNOWN)
      return take->next_frame;
    pts_ns = segment->start;
  }
  sign = gst_segment_to_stream_time_full (segment, GST_FORMAT_TIME, pts_ns,
      &time_ns);
  if (sign == 0)
    return take->next_frame == TIMEDSP_UNKNOWN ?
        take->fetch.keep_first_frame : take->next_frame;
  return sign * timedsp_frame_at (time_ns, GST_AUDIO_INFO_RATE (&take->info))
      + (gint64) first;
}

/* Whether nobody knows where @buffer is: the first one after a seek may begin at
 * the place that was sought to, or a packet before it. */
static gboolean
is_unplaced (const RevBufTake * take, GstBuffer * buffer)
{
  return !GST_BUFFER_PTS_IS_VALID (buffer) && take->fetch.seek_ns > 0
      && take->next_frame == TIMEDSP_UNKNOWN;
}

static void
fill_hole (RevBufTake * take, gint64 up_to_frame)
{
  Span hole = { take->next_frame, 0, NULL };
  gint64 hole_frames = up_to_frame - take->next_frame;

  if (take->next_frame == TIMEDSP_UNKNOWN
      || hole_frames < GST_AUDIO_INFO_RATE (&take->info) / HOLE_DIVISOR)
    return;
  hole.n_frames = hole_frames;
  add_span (take, &hole);
}

static gboolean
add_clipped (RevBufTake * take, GstBuffer * buffer, const GstAudioInfo * info,
    const GstSegment * segment, gsize * first)
{
  gsize stride = retro_info_plane_stride (info);
  gsize n_frames = retro_buffer_frames (buffer, info);
  GstAudioBuffer audio;
  const guint8 **planes;
  Span span;
  gint p;

  if (*first >= n_frames || !make_room (take, info))
    return TRUE;
  if (is_unplaced (take, buffer)) {
    take->unplaced = TRUE;
    return TRUE;
  }
  span.at_frame = place_of (take, buffer, segment, *first);
  fill_hole (take, span.at_frame);
  if (take->done)
    return TRUE;

  if (!gst_audio_buffer_map (&audio, info, buffer, GST_MAP_READ))
    return FALSE;
  planes = g_newa (const guint8 *, audio.n_planes);
  for (p = 0; p < audio.n_planes; p++)
    planes[p] = (const guint8 *) audio.planes[p] + *first * stride;
  span.n_frames = n_frames - *first;
  span.planes = planes;
  *first += add_span (take, &span);
  gst_audio_buffer_unmap (&audio);
  return TRUE;
}

gboolean
rev_buf_take_add (RevBufTake * take, GstBuffer * buffer,
    const GstAudioInfo * info, const GstSegment * segment, gsize * first)
{
  GstSegment part = *segment;
  GstBuffer *clipped;
  gboolean understood;

  if (!retro_buffer_is_sound (buffer, info))
    return FALSE;
  if (take->n_frames == 0)
    take->offset_ns = (gint64) (segment->start - segment->time);
  /* Before the beginning there may be priming. Elsewhere a start is where we
   * sought to, in the middle of a frame. */
  if (take->fetch.seek_ns > 0)
    part.start = 0;
  clipped = retro_buffer_clip (gst_buffer_ref (buffer), &part, info);
  if (clipped == NULL)
    return TRUE;
  understood = add_clipped (take, clipped, info, segment, first);
  gst_buffer_unref (clipped);
  return understood;
}

void
rev_buf_take_end (RevBufTake * take)
{
  take->done = take->at_end = TRUE;
  if (!take->join_seen)
    take->join_index = take->n_frames;
}

gboolean
rev_buf_take_lacks_beginning (const RevBufTake * take)
{
  return take->unplaced && (take->n_frames == 0
      || take->first_frame > take->fetch.keep_first_frame);
}
