/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "revbuf/collect.h"
#include "common/progress.h"
#include "common/segment.h"
#include "common/send.h"
#include "common/framestore.h"

#include <timeline.h>

/* Consecutive frames without a jump in time. All of them are GAP, or none. */
typedef struct
{
  guint64 first_frame;
  GstClockTime start_ns;
  gboolean gap;
} Run;

/* Runs may take as much memory as frames may, but at least this. */
#define MIN_RUNS_BYTES (1 << 20)
#define FIRST_RUNS 32

struct _GstRevBufCollect
{
  GstRetroFilter *filter;
  guint64 max_memory_bytes;
  gchar *spill_directory;

  GstSegment segment;           /* of what is being kept */
  gboolean segment_held;        /* downstream has not seen it yet */
  GstRetroStore *store;         /* NULL before the first frame */
  guint64 spilled_bytes;        /* by all stores of the segment */
  Run *runs;                    /* in the order of arrival */
  gsize n_runs;
  gsize max_runs;               /* that fit into `runs` */
  GstClockTime total_ns;        /* expected, for progress; NONE: not known */
  GstRetroClock clock;
  GstRetroProgress progress;
};

GstRevBufCollect *
gst_revbuf_collect_new (GstRetroFilter * filter,
    const GstRetroStorage * storage)
{
  GstRevBufCollect *collect = g_new0 (GstRevBufCollect, 1);

  collect->filter = filter;
  collect->max_memory_bytes = storage->max_memory_bytes;
  collect->spill_directory = g_strdup (storage->spill_directory);
  return collect;
}

void
gst_revbuf_collect_free (GstRevBufCollect * collect)
{
  if (collect == NULL)
    return;
  gst_revbuf_collect_reset (collect);
  g_free (collect->spill_directory);
  g_free (collect);
}

void
gst_revbuf_collect_reset (GstRevBufCollect * collect)
{
  g_clear_pointer (&collect->store, gst_retro_store_free);
  g_clear_pointer (&collect->runs, g_free);
  collect->n_runs = collect->max_runs = 0;
  collect->segment_held = FALSE;
  gst_retro_progress_end (&collect->progress, GST_ELEMENT (collect->filter),
      GST_PROGRESS_TYPE_CANCELED);
}

void
gst_revbuf_collect_set_segment (GstRevBufCollect * collect,
    const GstSegment * segment)
{
  collect->segment = *segment;
  collect->segment_held = TRUE;
  collect->spilled_bytes = 0;
  collect->total_ns = GST_CLOCK_TIME_NONE;
}

gboolean
gst_revbuf_collect_extend (GstRevBufCollect * collect, GstClockTime stop_ns)
{
  if (!collect->segment_held)
    return FALSE;
  collect->segment.stop = stop_ns;
  collect->total_ns = GST_CLOCK_TIME_NONE;
  return TRUE;
}

/* ---- keeping ------------------------------------------------------------ */

static guint64
collected_frames (const GstRevBufCollect * collect)
{
  return collect->store ? gst_retro_store_get_frames (collect->store) : 0;
}

static GstClockTime
frames_to_ns (const GstRevBufCollect * collect, guint64 n_frames)
{
  return gst_util_uint64_scale_int (n_frames, GST_SECOND,
      GST_AUDIO_INFO_RATE (gst_retro_filter_get_info (collect->filter)));
}

static GstClockTime
expected_ns (GstRevBufCollect * collect)
{
  GstClockTime stop_ns = collect->segment.stop;

  if (GST_CLOCK_TIME_IS_VALID (collect->total_ns))
    return collect->total_ns;
  if (!GST_CLOCK_TIME_IS_VALID (stop_ns))
    stop_ns = gst_retro_filter_query_duration (collect->filter);
  if (GST_CLOCK_TIME_IS_VALID (stop_ns) && stop_ns > collect->segment.start)
    collect->total_ns = stop_ns - collect->segment.start;
  return collect->total_ns;
}

static gboolean
make_room_for_runs (GstRevBufCollect * collect, GError ** error)
{
  gsize n = MAX (2 * collect->max_runs, FIRST_RUNS);
  Run *runs = NULL;

  if (n * sizeof (Run) <= MAX (collect->max_memory_bytes, MIN_RUNS_BYTES))
    runs = g_try_realloc_n (collect->runs, n, sizeof (Run));
  if (runs == NULL) {
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT,
        "The stream has more jumps in time than there is memory for (%"
        G_GSIZE_FORMAT "): give max-memory a larger value.", collect->n_runs);
    return FALSE;
  }
  collect->runs = runs;
  collect->max_runs = n;
  return TRUE;
}

static gboolean
note_run (GstRevBufCollect * collect, GstBuffer * buffer, GError ** error)
{
  gboolean gap = GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_GAP);
  const Run run = { collected_frames (collect), GST_BUFFER_PTS (buffer), gap };

  if (collect->n_runs > 0 && !GST_BUFFER_IS_DISCONT (buffer)
      && gap == collect->runs[collect->n_runs - 1].gap)
    return TRUE;
  if (collect->n_runs == collect->max_runs
      && !make_room_for_runs (collect, error))
    return FALSE;
  collect->runs[collect->n_runs++] = run;
  return TRUE;
}

static gboolean
keep (GstRevBufCollect * collect, GstBuffer * buffer, GError ** error)
{
  guint64 before = gst_retro_store_get_spilled_bytes (collect->store);
  gboolean kept = gst_retro_store_append_buffer (collect->store, buffer,
      gst_retro_filter_get_info (collect->filter), error);

  collect->spilled_bytes +=
      gst_retro_store_get_spilled_bytes (collect->store) - before;
  return kept;
}

GstFlowReturn
gst_revbuf_collect_process (GstRevBufCollect * collect, GstBuffer * buffer)
{
  GError *error = NULL;
  GstClockTime total_ns = expected_ns (collect);

  if (collect->store == NULL)
    collect->store =
        gst_retro_store_new (gst_retro_filter_get_info (collect->filter),
        collect->max_memory_bytes, collect->spill_directory);

  if (!note_run (collect, buffer, &error) || !keep (collect, buffer, &error)) {
    gst_buffer_unref (buffer);
    gst_retro_progress_end (&collect->progress, GST_ELEMENT (collect->filter),
        GST_PROGRESS_TYPE_ERROR);
    return gst_retro_filter_fail (collect->filter, error);
  }
  gst_buffer_unref (buffer);

  gst_retro_progress_update (&collect->progress, GST_ELEMENT (collect->filter),
      "collect", "Collecting",
      frames_to_ns (collect, collected_frames (collect)),
      GST_CLOCK_TIME_IS_VALID (total_ns) ? total_ns : 0);
  return GST_FLOW_OK;
}

guint64
gst_revbuf_collect_get_spilled_bytes (const GstRevBufCollect * collect)
{
  return collect->spilled_bytes;
}

/* ---- sending ------------------------------------------------------------ */

static guint64
run_end_frame (const GstRevBufCollect * collect, gsize run)
{
  return run + 1 < collect->n_runs ?
      collect->runs[run + 1].first_frame : collected_frames (collect);
}

static GstClockTime
run_end_ns (const GstRevBufCollect * collect, gsize run)
{
  const Run *r = &collect->runs[run];

  return r->start_ns + frames_to_ns (collect,
      run_end_frame (collect, run) - r->first_frame);
}

/* Where run @run begins in the output. @now_ns: the end of the run that was sent before
 * it. The output never goes back in time, even if the input did. */
static GstClockTime
output_start (const GstRevBufCollect * collect, gsize run, GstClockTime now_ns)
{
  GstClockTime start_ns = gst_retro_segment_mirror (&collect->segment,
      run_end_ns (collect, run));

  return MAX (start_ns, now_ns);
}

/* All runs are known, so the segment stops at their end. */
static void
learn_stop (GstRevBufCollect * collect)
{
  GstSegment *segment = &collect->segment;
  gsize run;

  if (collect->n_runs == 0) {
    if (!GST_CLOCK_TIME_IS_VALID (segment->stop))
      segment->stop = segment->start;
    return;
  }
  segment->stop = segment->start;
  for (run = 0; run < collect->n_runs; run++)
    segment->stop = MAX (segment->stop, run_end_ns (collect, run));
}

static GstClockTime
output_end (const GstRevBufCollect * collect)
{
  GstClockTime now_ns = collect->segment.start;
  gsize run;

  for (run = collect->n_runs; run > 0; run--)
    now_ns = output_start (collect, run - 1, now_ns)
        + frames_to_ns (collect, run_end_frame (collect, run - 1)
        - collect->runs[run - 1].first_frame);
  return now_ns;
}

static void
send_segment (GstRevBufCollect * collect)
{
  GstSegment out;

  learn_stop (collect);
  gst_retro_segment_reverse (&collect->segment, &out);
  /* it is longer than the input only if that went back in time */
  out.stop = MAX (out.stop, output_end (collect));
  /* a live stream can play only now that it has arrived */
  if (gst_retro_filter_is_live (collect->filter))
    out.base += timedsp_scale_time (out.stop - out.start, 1 / out.rate);
  gst_retro_filter_send_segment (collect->filter, &out);
}

/* An application may delay PLAYING while something is in progress, and a sink takes only
 * one buffer before PLAYING. So report nothing until then. */
static void
tell_progress (GstRevBufCollect * collect, guint64 left_frames)
{
  guint64 total = collected_frames (collect);

  if (GST_STATE (collect->filter) == GST_STATE_PLAYING)
    gst_retro_progress_update (&collect->progress,
        GST_ELEMENT (collect->filter), "reverse", "Playing backwards",
        total - left_frames, total);
}

static GstFlowReturn
send_run (GstRevBufCollect * collect, gsize run)
{
  const Run *r = &collect->runs[run];
  guint64 end = run_end_frame (collect, run);
  GstClockTime now_ns = gst_retro_clock_now (&collect->clock);
  GstClockTime frame_ns = frames_to_ns (collect, 1) + 1;
  GstFlowReturn ret = GST_FLOW_OK;

  if (!GST_CLOCK_TIME_IS_VALID (now_ns))
    gst_retro_clock_start (&collect->clock, output_start (collect, run, 0));
  else if (output_start (collect, run, now_ns) > now_ns + frame_ns)
    gst_retro_clock_start (&collect->clock, output_start (collect, run,
            now_ns));

  while (end > r->first_frame && ret == GST_FLOW_OK) {
    tell_progress (collect, end);
    ret = gst_retro_send_reversed (collect->filter, collect->store,
        r->first_frame, &end, r->gap, &collect->clock);
  }
  return ret;
}

/* Audio of a new format comes without a new segment. Puts it behind the audio that has
 * been sent, in stream time and in running time. */
static void
advance_segment (GstRevBufCollect * collect, GstClockTime stop_ns)
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
  GstElement *element = GST_ELEMENT (collect->filter);
  GstFlowReturn ret = GST_FLOW_OK;
  GstClockTime stop_ns = collect->segment.stop;
  gsize run;

  if (!collect->segment_held && collect->n_runs == 0)
    return GST_FLOW_OK;

  gst_retro_progress_end (&collect->progress, element,
      GST_PROGRESS_TYPE_COMPLETE);
  send_segment (collect);
  gst_retro_clock_clear (&collect->clock,
      GST_AUDIO_INFO_RATE (gst_retro_filter_get_info (collect->filter)));

  for (run = collect->n_runs; run > 0 && ret == GST_FLOW_OK; run--)
    ret = send_run (collect, run - 1);

  gst_retro_progress_end (&collect->progress, element,
      ret == GST_FLOW_OK ? GST_PROGRESS_TYPE_COMPLETE :
      GST_PROGRESS_TYPE_CANCELED);
  gst_revbuf_collect_reset (collect);
  advance_segment (collect, stop_ns);
  return ret;
}
