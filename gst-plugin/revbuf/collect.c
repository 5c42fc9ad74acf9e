/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "revbuf/gstrevbuf.h"

/* Maximum rounding error of the difference between two times, each in whole nanoseconds. */
#define ROUNDING_NS 2

/* Consecutive frames without a jump in time, either audio or a gap. */
typedef struct
{
  guint64 first_frame, end_frame;
  GstClockTime start_ns;        /* of the first frame, in the input */
  gboolean gap;
} Run;

struct _GstRevBufCollect
{
  GstRevBuf *revbuf;
  GstSegment segment;           /* segment of the stored audio */
  gboolean segment_sent;
  GstRetroStore *store;         /* NULL before the first frame */
  GArray *runs;                 /* (element-type Run) of the frames in the store */
  GstClockTime total_ns;        /* expected duration, for progress. NONE: not known */
  const gchar *work;            /* what we're posting progress for. NULL: nothing */
  gint percent;                 /* last percentage that we posted. -1: unknown */
};

#define RUN(collect, i) (&g_array_index ((collect)->runs, Run, i))

GstRevBufCollect *
gst_revbuf_collect_new (GstRevBuf * revbuf, const GstSegment * segment)
{
  GstRevBufCollect *collect = g_new0 (GstRevBufCollect, 1);

  collect->revbuf = revbuf;
  collect->segment = *segment;
  collect->runs = g_array_new (FALSE, FALSE, sizeof (Run));
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
  gboolean collects = g_str_equal (collect->work, "collect");
  GString *text = g_string_new (collects ? "Collecting" : "Playing backwards");

  if (collect->percent >= 0)
    g_string_append_printf (text, ": %d %%", collect->percent);
  gst_element_post_message (GST_ELEMENT (collect->revbuf),
      gst_message_new_progress (GST_OBJECT (collect->revbuf), type,
          collect->work, text->str));
  g_string_free (text, TRUE);
}

/* Posts progress if the percentage has increased. @done is how much of @total is finished. @total
 * may be 0 if we don't know it. */
static void
collect_update_progress (GstRevBufCollect * collect, const gchar * work,
    guint64 done, guint64 total)
{
  gboolean start = collect->work == NULL;
  gint percent = -1;

  /* the total may have been estimated too low, so only collect_end_progress() posts 100 % */
  if (total > 0)
    percent = MIN (gst_util_uint64_scale (done, 100, total), 99);
  if (!start && percent <= collect->percent)
    return;
  collect->work = work;
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
  g_array_set_size (collect->runs, 0);
  collect_end_progress (collect, GST_PROGRESS_TYPE_CANCELED);
}

void
gst_revbuf_collect_free (GstRevBufCollect * collect)
{
  collect_forget_audio (collect);
  g_array_unref (collect->runs);
  g_free (collect);
}

/* Notes the times of the last @n_frames in the store, which come from @buffer. */
static void
collect_add_run (GstRevBufCollect * collect, GstBuffer * buffer, gsize n_frames)
{
  guint n = collect->runs->len;
  guint64 end = collect->store->n_frames;
  Run run = { end - n_frames, end, GST_BUFFER_PTS (buffer),
    GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_GAP)
  };

  if (n > 0 && !GST_BUFFER_IS_DISCONT (buffer)
      && RUN (collect, n - 1)->gap == run.gap)
    RUN (collect, n - 1)->end_frame = end;
  else
    g_array_append_val (collect->runs, run);
}

GstFlowReturn
gst_revbuf_collect_process (GstRevBufCollect * collect, GstBuffer * taken)
{
  g_autoptr (GstBuffer) buffer = taken;
  GstRevBuf *revbuf = collect->revbuf;
  const GstAudioInfo *info = &revbuf->input.info;
  const GstRetroStorage *storage = &revbuf->settings.storage;
  GstClockTime stop_ns = collect->segment.stop;
  gsize n_frames = gst_retro_buffer_frames (buffer, info);
  guint64 spilled_bytes;
  GError *error = NULL;

  if (!GST_CLOCK_TIME_IS_VALID (collect->total_ns)) {
    if (!GST_CLOCK_TIME_IS_VALID (stop_ns))
      stop_ns = gst_retro_pad_duration (revbuf->sinkpad);
    if (GST_CLOCK_TIME_IS_VALID (stop_ns) && stop_ns > collect->segment.start)
      collect->total_ns = stop_ns - collect->segment.start;
  }
  GST_OBJECT_LOCK (revbuf);
  if (collect->store == NULL)
    collect->store = gst_retro_store_new (info, storage->max_memory_bytes,
        storage->spill_directory);
  GST_OBJECT_UNLOCK (revbuf);
  spilled_bytes = gst_retro_store_get_spilled_bytes (collect->store);
  if (!gst_retro_store_append (collect->store, buffer, 0, n_frames, &error)) {
    collect_end_progress (collect, GST_PROGRESS_TYPE_ERROR);
    return gst_revbuf_fail_storage (revbuf, error);
  }
  /* not before, because we mustn't output frames that couldn't be stored */
  collect_add_run (collect, buffer, n_frames);
  GST_OBJECT_LOCK (revbuf);
  revbuf->spilled_bytes +=
      gst_retro_store_get_spilled_bytes (collect->store) - spilled_bytes;
  GST_OBJECT_UNLOCK (revbuf);
  collect_update_progress (collect, "collect",
      gst_util_uint64_scale_int (collect->store->n_frames, GST_SECOND,
          GST_AUDIO_INFO_RATE (info)),
      GST_CLOCK_TIME_IS_VALID (collect->total_ns) ? collect->total_ns : 0);
  return GST_FLOW_OK;
}

/* ---- times -------------------------------------------------------------- */

static GstClockTime
collect_length_ns (GstRevBufCollect * collect, const Run * run)
{
  return gst_util_uint64_scale_int (run->end_frame - run->first_frame,
      GST_SECOND, GST_AUDIO_INFO_RATE (&collect->revbuf->input.info));
}

/* The output time of @run, if the output so far ends at @now_ns. An input time t becomes start +
 * (stop - t), but output times never decrease, even if input times did. */
static GstClockTime
collect_output_ns (GstRevBufCollect * collect, const Run * run,
    GstClockTime now_ns)
{
  const GstSegment *segment = &collect->segment;
  GstClockTime end_ns = run->start_ns + collect_length_ns (collect, run);

  end_ns = CLAMP (end_ns, segment->start, segment->stop);
  return MAX (segment->start + (segment->stop - end_ns), now_ns);
}

/* A decoder may output one frame too many at the stop. Drop this frame in a composition,
 * because the next clip begins where this segment ends. */
static void
collect_cut (GstRevBufCollect * collect, GstClockTime stop_ns)
{
  for (; collect->runs->len > 0; g_array_set_size (collect->runs,
          collect->runs->len - 1)) {
    Run *run = RUN (collect, collect->runs->len - 1);
    GstClockTime until_stop_ns = stop_ns - MIN (run->start_ns, stop_ns);
    guint64 frames =
        gst_util_uint64_scale_ceil (until_stop_ns - MIN (until_stop_ns,
            ROUNDING_NS), GST_AUDIO_INFO_RATE (&collect->revbuf->input.info),
        GST_SECOND);

    if (run->start_ns + collect_length_ns (collect, run) <= stop_ns)
      return;
    run->end_frame = MIN (run->end_frame, run->first_frame + frames);
    if (frames > 0)
      return;
  }
}

/* ---- sending ------------------------------------------------------------ */

static void
collect_send_segment (GstRevBufCollect * collect)
{
  GstSegment *segment = &collect->segment, out;
  GstClockTime end_ns = segment->start;
  guint i;

  if (GST_CLOCK_TIME_IS_VALID (segment->stop)
      && gst_retro_output_is_in_composition (&collect->revbuf->output))
    collect_cut (collect, segment->stop);
  if (collect->store != NULL || !GST_CLOCK_TIME_IS_VALID (segment->stop))
    segment->stop = segment->start;
  for (i = 0; i < collect->runs->len; i++)
    segment->stop = MAX (segment->stop, RUN (collect, i)->start_ns
        + collect_length_ns (collect, RUN (collect, i)));
  /* if input times decreased, the output is longer */
  while (i-- > 0)
    end_ns = collect_output_ns (collect, RUN (collect, i), end_ns)
        + collect_length_ns (collect, RUN (collect, i));
  gst_retro_segment_reverse (segment, &out);
  out.stop = MAX (out.stop, end_ns);
  /* While we collected a live stream, its running time went by. So the output
   * begins where the input ended. */
  if (gst_revbuf_is_live (collect->revbuf))
    out.base += timedsp_scale_time (out.stop - out.start, 1 / out.rate);
  gst_revbuf_send_segment (collect->revbuf, &out);
}

/* Starts @clock, unless @run, which is output next, continues where the last run ended. */
static void
collect_start_run (GstRevBufCollect * collect, const Run * run,
    GstRetroClock * clock)
{
  gboolean is_first = !gst_retro_clock_is_running (clock);
  GstClockTime time_ns =
      collect_output_ns (collect, run, is_first ? 0 : clock->now_ns);

  /* a run that would begin less than a frame after the previous one continues it */
  if (is_first || time_ns > clock->now_ns + GST_SECOND / clock->rate + 1)
    gst_retro_clock_start (clock, time_ns);
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
  guint64 end;
  guint i;

  if (collect->segment_sent && collect->store == NULL)
    return GST_FLOW_OK;

  collect_end_progress (collect, GST_PROGRESS_TYPE_COMPLETE);
  collect_send_segment (collect);
  collect->segment_sent = TRUE;
  gst_retro_clock_clear (&clock,
      GST_AUDIO_INFO_RATE (&collect->revbuf->input.info));
  for (i = collect->runs->len; i-- > 0 && ret == GST_FLOW_OK;) {
    const Run *run = RUN (collect, i);

    collect_start_run (collect, run, &clock);
    end = run->end_frame;
    while (end > run->first_frame && ret == GST_FLOW_OK) {
      /* Don't post progress before PLAYING. An application might wait for it to
       * finish before it sets PLAYING, and until then a sink only takes one
       * buffer. */
      if (GST_STATE (collect->revbuf) == GST_STATE_PLAYING)
        collect_update_progress (collect, "reverse",
            collect->store->n_frames - end, collect->store->n_frames);
      ret = gst_revbuf_push_reversed (collect->revbuf, collect->store,
          run->first_frame, &end, run->gap, &clock);
    }
  }

  collect_end_progress (collect, ret == GST_FLOW_OK ?
      GST_PROGRESS_TYPE_COMPLETE : GST_PROGRESS_TYPE_CANCELED);
  collect_forget_audio (collect);
  collect_advance_segment (collect, stop_ns);
  return ret;
}
