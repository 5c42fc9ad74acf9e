/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "revbuf/fetchedrun.h"
#include "common/pcmbuffer.h"

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

GstRevBufRun *
gst_revbuf_run_new (const TimeDSPFetch * fetch, gint64 join_frame,
    gsize max_frames)
{
  GstRevBufRun *run = g_new0 (GstRevBufRun, 1);

  run->fetch = *fetch;
  run->join_frame = join_frame;
  run->max_frames = max_frames;
  run->first_frame = run->next_frame = TIMEDSP_UNKNOWN;
  gst_audio_info_init (&run->info);
  return run;
}

void
gst_revbuf_run_free (GstRevBufRun * run)
{
  if (run == NULL)
    return;
  g_free (run->memory);
  g_free (run);
}

GstRevBufRun *
gst_revbuf_run_copy (const GstRevBufRun * run)
{
  gsize bytes = run->capacity_frames * GST_AUDIO_INFO_BPF (&run->info);
  GstRevBufRun *copy = g_new (GstRevBufRun, 1);

  *copy = *run;
  copy->memory = g_try_malloc (MAX (bytes, 1));
  if (copy->memory == NULL) {
    g_free (copy);
    return NULL;
  }
  if (run->memory != NULL)
    memcpy (copy->memory, run->memory, bytes);
  return copy;
}

guint8 *
gst_revbuf_run_at (const GstRevBufRun * run, guint plane, gsize index)
{
  return run->memory + (plane * run->capacity_frames + index)
      * gst_retro_info_plane_stride (&run->info);
}

/* ---- room --------------------------------------------------------------- */

static gboolean
make_room (GstRevBufRun * run, const GstAudioInfo * info)
{
  gint64 wanted = run->fetch.keep_end_frame - run->fetch.keep_first_frame;

  if (run->memory != NULL)
    return TRUE;

  run->info = *info;
  run->capacity_frames = run->max_frames;
  if (run->fetch.keep_end_frame != TIMEDSP_UNKNOWN)
    run->capacity_frames = MIN (run->max_frames,
        (gsize) (wanted + SLACK_FRAMES));
  run->memory = g_try_malloc_n (MAX (run->capacity_frames, 1),
      GST_AUDIO_INFO_BPF (info));
  run->no_memory = run->memory == NULL;
  return !run->no_memory;
}

static void
copy_span (GstRevBufRun * run, const Span * span, gsize skip, gsize n_frames)
{
  gsize stride = gst_retro_info_plane_stride (&run->info);
  guint p;

  for (p = 0; p < gst_retro_info_planes (&run->info); p++) {
    guint8 *to = gst_revbuf_run_at (run, p, run->n_frames);

    if (span->planes != NULL)
      memcpy (to, span->planes[p] + skip * stride, n_frames * stride);
    else
      gst_audio_format_info_fill_silence (run->info.finfo, to,
          n_frames * stride);
  }
  run->n_frames += n_frames;
}

/* ---- what is kept of a span --------------------------------------------- */

/* Frames at its beginning that come before everything wanted. */
static gsize
frames_before (const GstRevBufRun * run, const Span * span)
{
  gint64 before = run->fetch.keep_first_frame - span->at_frame;

  if (run->n_frames > 0 || run->continues || before <= 0)
    return 0;
  return MIN ((gsize) before, span->n_frames);
}

/* Frames up to the end of what is wanted; notes where that is reached. */
static gsize
frames_up_to_end (GstRevBufRun * run, const Span * span)
{
  gint64 wanted = run->fetch.keep_end_frame - span->at_frame;

  if (run->fetch.keep_end_frame == TIMEDSP_UNKNOWN
      || wanted > (gint64) span->n_frames)
    return span->n_frames;
  run->done = TRUE;
  return MAX (wanted, 0);
}

static void
note_join (GstRevBufRun * run, const Span * span, gsize skip, gsize n_frames)
{
  gint64 ahead = run->join_frame - span->at_frame;

  if (run->join_frame == TIMEDSP_UNKNOWN || run->join_seen
      || ahead >= (gint64) (skip + n_frames))
    return;
  run->join_seen = TRUE;
  run->join_index = run->n_frames + MAX (ahead - (gint64) skip, 0);
}

/* Keeps what is wanted of @span, and says how many of its frames have been
 * looked at. */
static gsize
add_span (GstRevBufRun * run, const Span * span)
{
  gsize end = frames_up_to_end (run, span);
  gsize skip = MIN (frames_before (run, span), end);
  gsize n_frames = end - skip;

  run->next_frame = span->at_frame + end;
  run->skipped |= skip > 0;
  if (run->overflown || n_frames == 0)
    return end;

  if (n_frames > run->capacity_frames - run->n_frames) {
    if (run->fetch.keep_end_frame == TIMEDSP_UNKNOWN) {
      run->overflown = TRUE;
      run->n_frames = 0;
      return end;
    }
    n_frames = run->capacity_frames - run->n_frames;
    run->next_frame = span->at_frame + (gint64) (skip + n_frames);
    run->done = TRUE;
  }
  if (run->n_frames == 0)
    run->first_frame = span->at_frame + (gint64) skip;
  note_join (run, span, skip, n_frames);
  copy_span (run, span, skip, n_frames);
  return skip + n_frames;
}

/* ---- buffers ------------------------------------------------------------ */

/* Where frame @first of @buffer is. Without a timestamp that is behind what has
 * been looked at, or at the beginning of the segment. */
static gint64
index_of (const GstRevBufRun * run, GstBuffer * buffer,
    const GstSegment * segment, gsize first)
{
  GstClockTime pts_ns = GST_BUFFER_PTS (buffer);
  guint64 time_ns = GST_CLOCK_TIME_NONE;
  gint sign;

  if (!GST_CLOCK_TIME_IS_VALID (pts_ns)) {
    if (run->next_frame != TIMEDSP_UNKNOWN)
      return run->next_frame;
    pts_ns = segment->start;
  }
  sign = gst_segment_to_stream_time_full (segment, GST_FORMAT_TIME, pts_ns,
      &time_ns);
  if (sign == 0)
    return run->next_frame == TIMEDSP_UNKNOWN ?
        run->fetch.keep_first_frame : run->next_frame;
  return sign * timedsp_frame_at (time_ns, GST_AUDIO_INFO_RATE (&run->info))
      + (gint64) first;
}

/* Whether nobody knows where @buffer is: the first one after a seek may begin at
 * the place that was sought to, or a packet before it. */
static gboolean
is_unplaced (const GstRevBufRun * run, GstBuffer * buffer)
{
  return !GST_BUFFER_PTS_IS_VALID (buffer) && run->fetch.seek_ns > 0
      && run->next_frame == TIMEDSP_UNKNOWN;
}

static void
fill_hole (GstRevBufRun * run, gint64 up_to_frame)
{
  Span hole = { run->next_frame, 0, NULL };
  gint64 hole_frames = up_to_frame - run->next_frame;

  if (run->next_frame == TIMEDSP_UNKNOWN
      || hole_frames < GST_AUDIO_INFO_RATE (&run->info) / HOLE_DIVISOR)
    return;
  hole.n_frames = hole_frames;
  add_span (run, &hole);
}

static gboolean
add_clipped (GstRevBufRun * run, GstBuffer * buffer, const GstAudioInfo * info,
    const GstSegment * segment, gsize * first)
{
  gsize stride = gst_retro_info_plane_stride (info);
  gsize n_frames = gst_retro_buffer_frames (buffer, info);
  GstAudioBuffer audio;
  const guint8 **planes;
  Span span;
  gint p;

  if (*first >= n_frames || !make_room (run, info))
    return TRUE;
  if (is_unplaced (run, buffer)) {
    run->unplaced = TRUE;
    return TRUE;
  }
  span.at_frame = index_of (run, buffer, segment, *first);
  fill_hole (run, span.at_frame);
  if (run->done)
    return TRUE;

  if (!gst_audio_buffer_map (&audio, info, buffer, GST_MAP_READ))
    return FALSE;
  planes = g_newa (const guint8 *, audio.n_planes);
  for (p = 0; p < audio.n_planes; p++)
    planes[p] = (const guint8 *) audio.planes[p] + *first * stride;
  span.n_frames = n_frames - *first;
  span.planes = planes;
  *first += add_span (run, &span);
  gst_audio_buffer_unmap (&audio);
  return TRUE;
}

gboolean
gst_revbuf_run_add (GstRevBufRun * run, GstBuffer * buffer,
    const GstAudioInfo * info, const GstSegment * segment, gsize * first)
{
  GstSegment part = *segment;
  GstBuffer *clipped;
  gboolean understood;

  if (!gst_retro_buffer_is_sound (buffer, info))
    return FALSE;
  if (run->n_frames == 0)
    run->offset_ns = (gint64) (segment->start - segment->time);
  /* Before the beginning there may be priming. Elsewhere a start is where we
   * sought to, in the middle of a frame. */
  if (run->fetch.seek_ns > 0)
    part.start = 0;
  clipped = gst_retro_buffer_clip (gst_buffer_ref (buffer), &part, info);
  if (clipped == NULL)
    return TRUE;
  understood = add_clipped (run, clipped, info, segment, first);
  gst_buffer_unref (clipped);
  return understood;
}

void
gst_revbuf_run_end (GstRevBufRun * run)
{
  run->done = run->at_end = TRUE;
  if (!run->join_seen)
    run->join_index = run->n_frames;
}

gboolean
gst_revbuf_run_lacks_beginning (const GstRevBufRun * run)
{
  return run->unplaced && (run->n_frames == 0
      || run->first_frame > run->fetch.keep_first_frame);
}
