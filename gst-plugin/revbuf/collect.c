/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "revbuf/gstrevbuf.h"
#include "revbuf/runs.h"

#include <timedsp.h>

struct _GstRevBufCollect
{
  GstRevBuf *revbuf;
  GstSegment segment;           /* segment of the stored audio */
  gboolean segment_sent;
  GstRetroStore *store;         /* NULL before the first frame */
  GstRevBufRuns runs;           /* times of the frames in the store */
  GstClockTime total_ns;        /* expected duration, for progress. NONE: not known */

  const gchar *work, *text;     /* what we're posting progress for: its code (NULL: nothing) and a
                                 * description for users */
  gint percent;                 /* last percentage that we posted. -1: unknown */
};

GstRevBufCollect *
gst_revbuf_collect_new (GstRevBuf * revbuf, const GstSegment * segment)
{
  GstRevBufCollect *collect = g_new0 (GstRevBufCollect, 1);

  collect->revbuf = revbuf;
  collect->segment = *segment;
  collect->total_ns = GST_CLOCK_TIME_NONE;
  return collect;
}

gboolean
gst_revbuf_collect_extend (GstRevBufCollect * collect, GstClockTime stop_ns)
{
  if (collect->segment_sent)
    return FALSE;
  collect->segment.stop = stop_ns;
  collect->total_ns = GST_CLOCK_TIME_NONE;
  return TRUE;
}

/* ---- progress ----------------------------------------------------------- */

static void
collect_post_progress (GstRevBufCollect * collect, GstProgressType type)
{
  g_autofree gchar *text = collect->percent < 0 ? g_strdup (collect->text) :
      g_strdup_printf ("%s: %d %%", collect->text, collect->percent);

  gst_element_post_message (GST_ELEMENT (collect->revbuf),
      gst_message_new_progress (GST_OBJECT (collect->revbuf), type,
          collect->work, text));
}

/* Posts progress if the percentage has increased. @done is how much of @total is finished. @total
 * may be 0 if we don't know it. */
static void
collect_update_progress (GstRevBufCollect * collect, const gchar * work,
    const gchar * text, guint64 done, guint64 total)
{
  gboolean start = collect->work == NULL;
  gint percent = -1;

  /* the total may have been estimated too low, so only collect_end_progress() posts 100 % */
  if (total > 0)
    percent = MIN (gst_util_uint64_scale (done, 100, total), 99);
  if (!start && percent <= collect->percent)
    return;
  collect->work = work;
  collect->text = text;
  collect->percent = percent;
  collect_post_progress (collect,
      start ? GST_PROGRESS_TYPE_START : GST_PROGRESS_TYPE_CONTINUE);
}

static void
collect_end_progress (GstRevBufCollect * collect, GstProgressType how)
{
  if (collect->work == NULL)
    return;
  if (how == GST_PROGRESS_TYPE_COMPLETE)
    collect->percent = 100;
  collect_post_progress (collect, how);
  collect->work = NULL;
}

/* ---- keeping ------------------------------------------------------------ */

static void
collect_forget_audio (GstRevBufCollect * collect)
{
  g_clear_pointer (&collect->store, gst_retro_store_free);
  g_clear_pointer (&collect->runs.runs, g_free);
  collect->runs.n_runs = 0;
  collect_end_progress (collect, GST_PROGRESS_TYPE_CANCELED);
}

void
gst_revbuf_collect_free (GstRevBufCollect * collect)
{
  collect_forget_audio (collect);
  g_free (collect);
}

static gboolean
collect_keep (GstRevBufCollect * collect, GstBuffer * buffer, GError ** error)
{
  const GstAudioInfo *info = &collect->revbuf->input.info;
  const GstRetroStorage *storage = &collect->revbuf->settings.storage;
  gsize n_frames = gst_retro_buffer_frames (buffer, info);

  if (collect->store == NULL) {
    GST_RETRO_AUTO_LOCK (collect->revbuf);
    collect->store = gst_retro_store_new (info, storage->max_memory_bytes,
        storage->spill_directory);
    collect->runs.max_bytes = storage->max_memory_bytes;
    collect->runs.rate = GST_AUDIO_INFO_RATE (info);
  }
  if (!gst_retro_store_append (collect->store, buffer, 0, n_frames, error))
    return FALSE;
  /* not before, because we mustn't output frames that couldn't be stored */
  if (gst_revbuf_runs_add (&collect->runs, GST_BUFFER_PTS (buffer), n_frames,
          GST_BUFFER_IS_DISCONT (buffer),
          GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_GAP)))
    return TRUE;
  g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT,
      "The stream has more jumps in time than there is memory for (%"
      G_GSIZE_FORMAT "): give max-memory a larger value.",
      collect->runs.n_runs);
  return FALSE;
}

GstFlowReturn
gst_revbuf_collect_process (GstRevBufCollect * collect, GstBuffer * buffer)
{
  gint rate = GST_AUDIO_INFO_RATE (&collect->revbuf->input.info);
  GstClockTime stop_ns = collect->segment.stop;
  guint64 spilled_bytes = collect->store == NULL ? 0 :
      gst_retro_store_get_spilled_bytes (collect->store);
  GError *error = NULL;
  gboolean kept;

  if (!GST_CLOCK_TIME_IS_VALID (collect->total_ns)) {
    if (!GST_CLOCK_TIME_IS_VALID (stop_ns))
      stop_ns = gst_retro_pad_duration (collect->revbuf->sinkpad);
    if (GST_CLOCK_TIME_IS_VALID (stop_ns) && stop_ns > collect->segment.start)
      collect->total_ns = stop_ns - collect->segment.start;
  }
  kept = collect_keep (collect, buffer, &error);
  gst_buffer_unref (buffer);
  GST_OBJECT_LOCK (collect->revbuf);
  collect->revbuf->spilled_bytes +=
      gst_retro_store_get_spilled_bytes (collect->store) - spilled_bytes;
  GST_OBJECT_UNLOCK (collect->revbuf);
  if (!kept) {
    collect_end_progress (collect, GST_PROGRESS_TYPE_ERROR);
    return gst_revbuf_fail_storage (collect->revbuf, error);
  }
  collect_update_progress (collect, "collect", "Collecting",
      gst_util_uint64_scale_int (collect->store->n_frames,
          GST_SECOND, rate), GST_CLOCK_TIME_IS_VALID (collect->total_ns) ?
      collect->total_ns : 0);
  return GST_FLOW_OK;
}

/* ---- sending ------------------------------------------------------------ */

static void
collect_send_segment (GstRevBufCollect * collect)
{
  GstSegment *segment = &collect->segment, out;
  GstClockTime end_ns = 0;

  /* A decoder may output one frame too many at the stop. Drop this frame in a composition,
   * because the next clip begins where this segment ends. */
  if (GST_CLOCK_TIME_IS_VALID (segment->stop)
      && gst_retro_output_examine (&collect->revbuf->output).is_in_composition)
    gst_revbuf_runs_cut (&collect->runs, segment->stop);
  if (collect->store != NULL) {
    end_ns = gst_revbuf_runs_reverse (&collect->runs, segment->start);
    segment->stop = collect->runs.stop_ns;
  } else if (!GST_CLOCK_TIME_IS_VALID (segment->stop)) {
    segment->stop = segment->start;
  }
  gst_retro_segment_reverse (segment, &out);
  out.stop = MAX (out.stop, end_ns);
  /* While we collected a live stream, its running time went by. So the output
   * begins where the input ended. */
  if (gst_revbuf_is_live (collect->revbuf))
    out.base += timedsp_scale_time (out.stop - out.start, 1 / out.rate);
  gst_revbuf_send_segment (collect->revbuf, &out);
}

/* Moves the start of the segment to its end, in stream time and in running time, because
 * audio in a new format may follow without a new segment from upstream. @stop_ns: the stop
 * for the audio that follows. */
static void
collect_advance_segment (GstRevBufCollect * collect, GstClockTime stop_ns)
{
  GstSegment *segment = &collect->segment;
  GstClockTime end_ns = segment->stop;

  segment->base = gst_segment_to_running_time (segment, GST_FORMAT_TIME,
      end_ns);
  segment->time = gst_segment_to_stream_time (segment, GST_FORMAT_TIME, end_ns);
  segment->start = segment->position = end_ns;
  segment->offset = 0;
  segment->stop = stop_ns;
}

GstFlowReturn
gst_revbuf_collect_drain (GstRevBufCollect * collect)
{
  GstClockTime stop_ns = collect->segment.stop;
  GstFlowReturn ret = GST_FLOW_OK;
  GstRetroClock clock;
  guint64 total, end;
  GstRevBufRun run;

  if (collect->segment_sent && collect->store == NULL)
    return GST_FLOW_OK;

  collect_end_progress (collect, GST_PROGRESS_TYPE_COMPLETE);
  collect_send_segment (collect);
  collect->segment_sent = TRUE;
  gst_retro_clock_clear (&clock,
      GST_AUDIO_INFO_RATE (&collect->revbuf->input.info));
  while (ret == GST_FLOW_OK
      && gst_revbuf_runs_pop (&collect->runs, &clock, &run)) {
    total = collect->store->n_frames;
    end = run.end_frame;
    while (end > run.first_frame && ret == GST_FLOW_OK) {
      /* Don't post progress before PLAYING. An application might wait for it to
       * finish before it sets PLAYING, and until then a sink only takes one
       * buffer. */
      if (GST_STATE (collect->revbuf) == GST_STATE_PLAYING)
        collect_update_progress (collect, "reverse", "Playing backwards",
            total - end, total);
      ret = gst_revbuf_push_reversed (collect->revbuf, collect->store,
          run.first_frame, &end, run.gap, &clock);
    }
  }

  collect_end_progress (collect, ret == GST_FLOW_OK ?
      GST_PROGRESS_TYPE_COMPLETE : GST_PROGRESS_TYPE_CANCELED);
  collect_forget_audio (collect);
  collect_advance_segment (collect, stop_ns);
  return ret;
}
