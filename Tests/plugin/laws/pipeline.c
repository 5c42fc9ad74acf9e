/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The elements in whole pipelines, between a source that can seek and a sink
 * that waits for preroll.
 */

#include "retrotest.h"

#include <string.h>

#define N_FRAMES (20 * 1024)

typedef struct
{
  GstElement *pipeline;
  GstBus *bus;
  GByteArray *bytes;            /* all data that has reached the sink since a flush */
  GstSegment segment;           /* the last segment at the sink */
  GstClockTime end;             /* end of the last buffer at the sink */
  gboolean rising;              /* whether each buffer began where the previous buffer
                                 * ended */
} Pipeline;

static GstPadProbeReturn
look (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  Pipeline *p = data;

  if (GST_IS_BUFFER (info->data)) {
    GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
    GstMapInfo map;

    fail_unless (gst_buffer_map (buffer, &map, GST_MAP_READ));
    g_byte_array_append (p->bytes, map.data, map.size);
    gst_buffer_unmap (buffer, &map);
    if (GST_CLOCK_TIME_IS_VALID (p->end))
      p->rising &= GST_BUFFER_PTS (buffer) == p->end;
    p->end = GST_BUFFER_PTS (buffer) + GST_BUFFER_DURATION (buffer);
  } else if (GST_EVENT_TYPE (info->data) == GST_EVENT_SEGMENT) {
    gst_event_copy_segment (GST_PAD_PROBE_INFO_EVENT (info), &p->segment);
    p->end = GST_CLOCK_TIME_NONE;
  } else if (GST_EVENT_TYPE (info->data) == GST_EVENT_FLUSH_STOP) {
    g_byte_array_set_size (p->bytes, 0);
  }
  return GST_PAD_PROBE_OK;
}

/* Creates a pipeline of an audiotestsrc with the properties @source, @elements, and a
 * fakesink. The format is S16, mono, 8000 frames per second. */
static void
pipeline_init (Pipeline * p, const gchar * source, const gchar * elements)
{
  g_autofree gchar *description = g_strdup_printf ("audiotestsrc %s ! "
      "audio/x-raw, format=" GST_AUDIO_NE (S16) ", rate=8000, channels=1 ! "
      "%s ! fakesink name=sink", source, elements);
  g_autoptr (GstElement) sink = NULL;
  g_autoptr (GstPad) pad = NULL;

  retro_test_load_core ();
  p->pipeline = gst_parse_launch (description, NULL);
  fail_unless (p->pipeline != NULL, "no pipeline like %s", description);
  p->bus = gst_element_get_bus (p->pipeline);
  p->bytes = g_byte_array_new ();
  p->end = GST_CLOCK_TIME_NONE;
  p->rising = TRUE;
  sink = gst_bin_get_by_name (GST_BIN (p->pipeline), "sink");
  pad = gst_element_get_static_pad (sink, "sink");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER |
      GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM | GST_PAD_PROBE_TYPE_EVENT_FLUSH,
      look, p, NULL);
}

static void
pipeline_clear (Pipeline * p)
{
  gst_element_set_state (p->pipeline, GST_STATE_NULL);
  gst_object_unref (p->bus);
  gst_object_unref (p->pipeline);
  g_byte_array_unref (p->bytes);
}

/* Sets @state, and waits until it is reached. */
static void
pipeline_go (Pipeline * p, GstState state)
{
  gst_element_set_state (p->pipeline, state);
  fail_unless (gst_element_get_state (p->pipeline, NULL, NULL,
          GST_CLOCK_TIME_NONE) != GST_STATE_CHANGE_FAILURE);
}

static void
pipeline_wait (Pipeline * p, GstMessageType type)
{
  g_autoptr (GstMessage) message = gst_bus_timed_pop_filtered (p->bus,
      GST_CLOCK_TIME_NONE, type | GST_MESSAGE_ERROR);

  fail_unless_equals_int (GST_MESSAGE_TYPE (message), type);
}

/* Plays the whole stream. Returns the data that the sink received. */
static GByteArray *
played (const gchar * elements)
{
  Pipeline p;
  GByteArray *bytes;

  pipeline_init (&p, "num-buffers=20", elements);
  pipeline_go (&p, GST_STATE_PLAYING);
  pipeline_wait (&p, GST_MESSAGE_EOS);
  fail_unless (p.rising);
  bytes = g_byte_array_ref (p.bytes);
  pipeline_clear (&p);
  return bytes;
}

TEST (reversed_twice_it_is_the_original)
{
  g_autoptr (GByteArray) forwards = played ("identity");
  g_autoptr (GByteArray) twice =
      played ("revbuf direction=reverse max-memory=0 ! "
      "timescale ! revbuf direction=reverse");

  fail_unless_equals_int (twice->len, forwards->len);
  fail_unless (memcmp (twice->data, forwards->data, twice->len) == 0);
}

/* ---- seeks -------------------------------------------------------------- */

static void
seek (Pipeline * p, gdouble rate, GstClockTime start, GstClockTime stop)
{
  fail_unless (gst_element_seek (p->pipeline, rate, GST_FORMAT_TIME,
          GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_ACCURATE, GST_SEEK_TYPE_SET,
          start, GST_SEEK_TYPE_SET, stop));
}

TEST (a_backward_seek_reaches_the_sink_as_forward_audio)
{
  Pipeline p;

  /* audiotestsrc outputs different samples after each seek, so this test uses
   * mode=collect, which does not seek */
  pipeline_init (&p, "", "revbuf mode=collect");
  pipeline_go (&p, GST_STATE_PAUSED);
  seek (&p, -1, 0, PLAIN_NS (N_FRAMES));
  pipeline_go (&p, GST_STATE_PLAYING);
  pipeline_wait (&p, GST_MESSAGE_EOS);
  fail_unless_equals_float (p.segment.rate, 1);
  fail_unless_equals_float (p.segment.applied_rate, -1);
  fail_unless_equals_int (p.bytes->len / 2, N_FRAMES);
  /* the output begins at running time 0, without a gap */
  fail_unless_equals_clocktime (p.end, PLAIN_NS (N_FRAMES));
  fail_unless (p.rising);
  pipeline_clear (&p);
}

TEST (a_seek_while_collecting_restarts)
{
  Pipeline p;

  /* without num-buffers, the source does not end */
  pipeline_init (&p, "", "revbuf direction=reverse max-memory=0");
  gst_element_set_state (p.pipeline, GST_STATE_PLAYING);
  pipeline_wait (&p, GST_MESSAGE_PROGRESS);
  seek (&p, 1, 0, PLAIN_NS (5000));
  pipeline_wait (&p, GST_MESSAGE_EOS);
  fail_unless_equals_int (p.bytes->len / 2, 5000);
  fail_unless_equals_clocktime (p.segment.stop, PLAIN_NS (5000));
  pipeline_clear (&p);
}

TEST (a_seek_goes_through_both_elements)
{
  Pipeline p;
  gint64 position;

  pipeline_init (&p, "", "timescale factor=2 ! revbuf mode=collect");
  pipeline_go (&p, GST_STATE_PAUSED);
  seek (&p, -1, PLAIN_NS (1000), PLAIN_NS (9000));
  pipeline_go (&p, GST_STATE_PLAYING);
  pipeline_wait (&p, GST_MESSAGE_EOS);
  fail_unless_equals_int (p.bytes->len / 2, 8000);
  fail_unless_equals_clocktime (p.segment.start, PLAIN_NS (1000));
  fail_unless_equals_clocktime (p.segment.stop, PLAIN_NS (9000));
  fail_unless_equals_float (p.segment.applied_rate, -1);
  fail_unless (gst_element_query_position (p.pipeline, GST_FORMAT_TIME,
          &position));
  fail_unless_equals_int64 (position, (gint64) PLAIN_NS (1000));
  pipeline_clear (&p);
}

/* ---- with a test clock ------------------------------------------------------- */

/* Repeatedly advances @clock to the next time for which the pipeline waits,
 * until the clock reaches @end. Returns the number of times that the clock was
 * advanced. */
static guint
crank_to (GstTestClock * clock, GstClockTime end)
{
  guint n = 0;

  do {
    fail_unless (gst_test_clock_crank (clock));
    n++;
  } while (gst_clock_get_time (GST_CLOCK (clock)) < end);
  return n;
}

static GstPadProbeReturn
count (GstPad * pad, GstPadProbeInfo * info, gpointer n_buffers)
{
  g_atomic_int_inc ((gint *) n_buffers);
  return GST_PAD_PROBE_OK;
}

static const gchar *const cranked[] = {
  "identity", "timescale", "revbuf mode=seek", "revbuf mode=collect",
  "revbuf mode=seek ! timescale",
};

/* The sink waits for the clock once for each buffer, and once for the end. If another
 * element waited too, the clock would make additional steps. */
LOOP_TEST (a_clock_is_waited_for_by_the_sink_alone, G_N_ELEMENTS (cranked))
{
  g_autoptr (GstClock) clock = gst_test_clock_new ();
  gint n_buffers = 0;
  GstElement *sink;
  guint n_times;
  Pipeline p;

  /* audiotestsrc outputs a different signal after each seek, unless the signal
   * is silence */
  pipeline_init (&p, "wave=silence", cranked[__i__]);
  gst_pipeline_use_clock (GST_PIPELINE (p.pipeline), clock);
  sink = gst_bin_get_by_name (GST_BIN (p.pipeline), "sink");
  g_object_set (sink, "sync", TRUE, NULL);
  pipeline_go (&p, GST_STATE_PAUSED);
  gst_pad_add_probe (sink->sinkpads->data, GST_PAD_PROBE_TYPE_BUFFER, count,
      &n_buffers, NULL);
  seek (&p, -1, 0, PLAIN_NS (N_FRAMES));
  pipeline_go (&p, GST_STATE_PLAYING);
  n_times = crank_to (GST_TEST_CLOCK (clock), PLAIN_NS (N_FRAMES));
  pipeline_wait (&p, GST_MESSAGE_EOS);
  fail_unless_equals_int (n_times, g_atomic_int_get (&n_buffers) + 1);
  fail_unless_equals_clocktime (gst_clock_get_time (clock),
      PLAIN_NS (N_FRAMES));
  fail_unless_equals_int (p.bytes->len / 2, N_FRAMES);
  gst_object_unref (sink);
  pipeline_clear (&p);
}

/* Stops after a few buffers have left the source. */
LOOP_TEST (a_pipeline_may_be_stopped_at_any_time, 5)
{
  static const gchar *const elements[] = {
    "revbuf", "revbuf direction=reverse max-memory=0",
    "revbuf direction=reverse mode=chunk block-time=10000000",
    "timescale factor=3", "timescale alignment=endpoints"
  };
  gchar *description = g_strdup_printf ("identity name=start ! %s",
      elements[__i__]);
  GstElement *start;
  gint n_buffers = 0;
  Pipeline p;
  guint i;

  pipeline_init (&p, "", description);
  start = gst_bin_get_by_name (GST_BIN (p.pipeline), "start");
  gst_pad_add_probe (start->srcpads->data, GST_PAD_PROBE_TYPE_BUFFER, count,
      &n_buffers, NULL);
  for (i = 0; i < 10; i++) {
    g_atomic_int_set (&n_buffers, 0);
    gst_element_set_state (p.pipeline, GST_STATE_PLAYING);
    while (g_atomic_int_get (&n_buffers) < (gint) (i % 3 * 4))
      g_thread_yield ();
    fail_unless_equals_int (gst_element_set_state (p.pipeline,
            GST_STATE_READY), GST_STATE_CHANGE_SUCCESS);
  }
  gst_object_unref (start);
  g_free (description);
  pipeline_clear (&p);
}
