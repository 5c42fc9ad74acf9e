/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "revbuf/splice.h"
#include "common/pcmbuffer.h"

#define FADES_PER_SECOND 200    /* of 5 ms */

gsize
gst_revbuf_splice_fade_frames (guint rate)
{
  return MAX (rate / FADES_PER_SECOND, 1);
}

/* ---- the overlap -------------------------------------------------------- */

/* Where the overlap lies: its frames in the block, and where the run should
 * have the same ones. */
typedef struct
{
  gint64 index;
  gsize n_frames;
  gsize planned;
} Overlap;

static Overlap
overlap_of (const GstRevBufRun * run, const GstRevBufBlock * block,
    TimeDSPDirection direction, const TimeDSPFetchLimits * limits)
{
  Overlap overlap;

  overlap.index = block->index;
  overlap.n_frames = MIN ((gsize) limits->overlap_frames, block->n_frames);
  overlap.planned = run->join_index;
  if (direction == TIMEDSP_FORWARD) {
    overlap.index += block->n_frames - overlap.n_frames;
    overlap.n_frames = MIN (overlap.n_frames, run->join_index);
    overlap.planned -= overlap.n_frames;
  }
  return overlap;
}

/* Where the block of the run begins or ends, with the overlap @shift from
 * where it was planned. */
static gsize
cut_at (const GstRevBufRun * run, gint64 shift)
{
  return MAX (MIN ((gint64) run->join_index + shift, (gint64) run->n_frames),
      0);
}

GstRevBufSplice
gst_revbuf_splice_find (const GstRevBufRun * run, const GstRevBufBlock * block,
    TimeDSPDirection direction, const TimeDSPFetchLimits * limits, gsize * cut)
{
  Overlap overlap = overlap_of (run, block, direction, limits);
  guint n_planes = gst_retro_info_planes (&block->run->info);
  const void **there = g_newa (const void *, n_planes);
  const void **here = g_newa (const void *, n_planes);
  gint64 shift = 0;
  int found = 0;
  guint p;

  *cut = run->join_index;
  if (overlap.n_frames == 0 || run->n_frames < overlap.n_frames)
    return GST_REVBUF_SPLICE_UNEQUAL;

  for (p = 0; p < n_planes; p++) {
    there[p] = gst_revbuf_run_at (run, p, 0);
    here[p] = gst_revbuf_block_at (block, p, overlap.index);
  }
  if (timedsp_find_take (there, run->n_frames, here, overlap.n_frames,
          n_planes, gst_retro_info_plane_stride (&run->info), overlap.planned,
          limits->search_frames, &shift, &found) != TIMEDSP_OK || !found)
    return GST_REVBUF_SPLICE_UNEQUAL;

  *cut = cut_at (run, shift);
  return shift == 0 ? GST_REVBUF_SPLICE_EQUAL : GST_REVBUF_SPLICE_SHIFTED;
}

/* ---- samples as numbers ------------------------------------------------- */

/* Of one channel, as a converter of many would also mix them, and of 64 and more
 * cannot. */
static GstAudioConverter *
converter_new (const GstAudioInfo * info, gboolean to_numbers)
{
  GstAudioInfo numbers, samples;

  gst_audio_info_set_format (&numbers, GST_AUDIO_FORMAT_F64, info->rate, 1,
      NULL);
  gst_audio_info_set_format (&samples, GST_AUDIO_INFO_FORMAT (info),
      info->rate, 1, NULL);
  return gst_audio_converter_new (GST_AUDIO_CONVERTER_FLAG_NONE,
      to_numbers ? &samples : &numbers, to_numbers ? &numbers : &samples, NULL);
}

static void
convert_run (GstAudioConverter * converter, gboolean to_numbers,
    gpointer samples, gdouble * numbers, gsize n)
{
  gpointer run_of_samples[] = { samples }, run_of_numbers[] = { numbers };

  gst_audio_converter_samples (converter, GST_AUDIO_CONVERTER_FLAG_NONE,
      to_numbers ? run_of_samples : run_of_numbers, n,
      to_numbers ? run_of_numbers : run_of_samples, n);
}

/* Of one plane of several, to or from every @n_planes-th of @numbers. */
static void
convert_plane (GstAudioConverter * converter, gboolean to_numbers,
    gpointer samples, gdouble * numbers, guint n_planes, gsize n_frames)
{
  gdouble *run = g_new (gdouble, n_frames);
  gsize i;

  for (i = 0; i < n_frames && !to_numbers; i++)
    run[i] = numbers[i * n_planes];
  convert_run (converter, to_numbers, samples, run, n_frames);
  for (i = 0; i < n_frames && to_numbers; i++)
    numbers[i * n_planes] = run[i];
  g_free (run);
}

static void
convert (const GstAudioInfo * info, gboolean to_numbers, gpointer * planes,
    gdouble * numbers, gsize n_frames)
{
  GstAudioConverter *converter = converter_new (info, to_numbers);
  guint p, n_planes = gst_retro_info_planes (info);

  if (converter == NULL)
    return;
  if (n_planes == 1)
    convert_run (converter, to_numbers, planes[0], numbers,
        n_frames * GST_AUDIO_INFO_CHANNELS (info));
  for (p = 0; p < n_planes && n_planes > 1; p++)
    convert_plane (converter, to_numbers, planes[p], numbers + p, n_planes,
        n_frames);
  gst_audio_converter_free (converter);
}

/* @n_frames frames from @first of @run as interleaved doubles. */
static gdouble *
read_numbers (const GstRevBufRun * run, gsize first, gsize n_frames)
{
  guint p, n_planes = gst_retro_info_planes (&run->info);
  gpointer *planes = g_newa (gpointer, n_planes);
  gdouble *numbers = g_try_malloc0_n (MAX (n_frames, 1),
      GST_AUDIO_INFO_CHANNELS (&run->info) * sizeof (gdouble));

  if (numbers == NULL)
    return NULL;
  for (p = 0; p < n_planes; p++)
    planes[p] = gst_revbuf_run_at (run, p, first);
  convert (&run->info, TRUE, planes, numbers, n_frames);
  return numbers;
}

static void
write_numbers (const GstRevBufBlock * block, gint64 index, gdouble * numbers,
    gsize n_frames)
{
  const GstAudioInfo *info = &block->run->info;
  guint p, n_planes = gst_retro_info_planes (info);
  gpointer *planes = g_newa (gpointer, n_planes);

  for (p = 0; p < n_planes; p++)
    planes[p] = gst_revbuf_block_at (block, p, index);
  convert (info, FALSE, planes, numbers, n_frames);
}

/* ---- runs that differ ---------------------------------------------------- */

/* The overlap where it was found in a run: as it is, and as numbers. */
typedef struct
{
  const GstRevBufRun *run;
  gsize first;
  const gdouble *numbers;
} Fit;

/* Copies frames of @run over those of @block. */
static void
overwrite (GstRevBufBlock * block, gint64 index, const GstRevBufRun * run,
    gsize from, gsize n_frames)
{
  gsize stride = gst_retro_info_plane_stride (&run->info);
  guint p;

  for (p = 0; p < gst_retro_info_planes (&run->info); p++)
    memcpy (gst_revbuf_block_at (block, p, index),
        gst_revbuf_run_at (run, p, from), n_frames * stride);
}

/* Below the fade the block has what the run has, which has decoded from
 * farther back; above it, its own. */
static void
fade (GstRevBufBlock * block, TimeDSPDirection direction, const Fit * fit,
    gdouble * here, const Overlap * overlap)
{
  guint channels = GST_AUDIO_INFO_CHANNELS (&fit->run->info);
  gsize n_frames = MIN (gst_revbuf_splice_fade_frames (GST_AUDIO_INFO_RATE
          (&fit->run->info)), overlap->n_frames);
  gsize skip = overlap->n_frames - n_frames;
  const gdouble *theirs = fit->numbers + skip * channels;
  gdouble *ours = here + skip * channels;

  if (direction == TIMEDSP_BACKWARD) {
    overwrite (block, overlap->index, fit->run, fit->first, skip);
    timedsp_crossfade (theirs, ours, ours, n_frames, channels);
  } else {
    timedsp_crossfade (ours, theirs, ours, n_frames, channels);
  }
  write_numbers (block, overlap->index + skip, ours, n_frames);
}

void
gst_revbuf_splice_crossfade (const GstRevBufRun * run, GstRevBufBlock * block,
    TimeDSPDirection direction, const TimeDSPFetchLimits * limits,
    gboolean only_alike, gsize * cut, GstRevBufDifference * difference)
{
  Overlap overlap = overlap_of (run, block, direction, limits);
  guint channels = GST_AUDIO_INFO_CHANNELS (&run->info);
  gdouble *there, *here;
  gint64 shift = 0;
  gboolean found = FALSE;
  int fits = 0;
  gsize from, end;

  *cut = run->join_index;
  difference->error = difference->alike = 0;
  if (overlap.n_frames == 0 || run->n_frames < overlap.n_frames)
    return;

  /* numbers only of what is searched */
  from = overlap.planned - MIN (overlap.planned, (gsize) limits->search_frames);
  end = MIN (overlap.planned + overlap.n_frames
      + (gsize) limits->search_frames, run->n_frames);
  there = read_numbers (run, from, end - from);
  here = read_numbers (block->run, block->skip_frames
      + (gsize) (overlap.index - block->index), overlap.n_frames);
  if (there != NULL && here != NULL)
    found = timedsp_align_take (there, end - from, here, overlap.n_frames,
        channels, overlap.planned - from, limits->search_frames, &shift,
        &difference->error, &fits) == TIMEDSP_OK && fits;
  if (found) {
    Fit fit = { run, overlap.planned + shift, there
          + (overlap.planned + shift - from) * channels
    };

    timedsp_are_alike (fit.numbers, here, overlap.n_frames, channels,
        limits->rate, &difference->alike);
    if (difference->alike || !only_alike) {
      *cut = cut_at (run, shift);
      fade (block, direction, &fit, here, &overlap);
    }
  }
  g_free (there);
  g_free (here);
}
