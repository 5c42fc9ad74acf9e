/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Calls the elements' functions from several threads at the same time. Warnings from GLib
 * and GStreamer end a test. Valgrind detects other errors.
 */

#include "uses.h"

/* Minimum number of actions of each thread, and the pause after each action. */
#define RUNS 30
#define PAUSE_US 200

typedef struct
{
  GstHarness *h;
  GstAudioInfo info;
  GMutex streaming;             /* held by the thread that pushes, like the stream lock of
                                 * a task */
  GMutex lock;
  GCond acted;
  gdouble rate;                 /* rate of the segments */
  guint64 at;                   /* frames pushed in the current segment */
} Stress;

/* A thread that repeats an action. */
typedef struct
{
  Stress *stress;
  GFunc function;
  guint runs;                   /* number of times that the action was performed, under
                                 * the lock of `stress` */
} Actor;

static void
begin_segment (Stress * s)
{
  GstSegment segment = retro_test_segment (s->rate, 0,
      s->rate < 0 ? PLAIN_NS (10000000) : GST_CLOCK_TIME_NONE);

  s->at = 0;
  gst_harness_push_event (s->h, gst_event_new_segment (&segment));
}

static void
stress_init (Stress * s, const RetroUse * use)
{
  GstElement *made = gst_parse_launch (use->element, NULL);
  GstCaps *caps;

  fail_unless (made != NULL);
  s->h = gst_harness_new_with_element (made, "sink", "src");
  gst_object_unref (made);
  gst_harness_set_drop_buffers (s->h, TRUE);
  g_mutex_init (&s->streaming);
  g_mutex_init (&s->lock);
  g_cond_init (&s->acted);
  s->rate = use->rate;
  s->info = retro_test_plain_info ();
  caps = gst_audio_info_to_caps (&s->info);
  gst_harness_push_event (s->h, gst_event_new_caps (caps));
  gst_caps_unref (caps);
  begin_segment (s);
}

static void
stress_clear (Stress * s)
{
  gst_harness_teardown (s->h);
  g_mutex_clear (&s->streaming);
  g_mutex_clear (&s->lock);
  g_cond_clear (&s->acted);
}

/* ---- actions of the threads ----------------------------------------------------- */

static void
push_buffer (gpointer thread, gpointer data)
{
  Stress *s = data;

  g_mutex_lock (&s->streaming);
  gst_harness_push (s->h, retro_test_buffer (&s->info, s->at, 500));
  s->at += 500;
  g_mutex_unlock (&s->streaming);
}

/* Flushes, as a source does when it receives a seek. */
static void
flush (gpointer thread, gpointer data)
{
  Stress *s = data;

  gst_harness_push_event (s->h, gst_event_new_flush_start ());
  g_mutex_lock (&s->streaming);
  gst_harness_push_event (s->h, gst_event_new_flush_stop (TRUE));
  s->rate = -s->rate;
  begin_segment (s);
  g_mutex_unlock (&s->streaming);
}

static void
end_segment (gpointer thread, gpointer data)
{
  Stress *s = data;

  g_mutex_lock (&s->streaming);
  gst_harness_push_event (s->h, gst_event_new_segment_done (GST_FORMAT_TIME,
          0));
  begin_segment (s);
  g_mutex_unlock (&s->streaming);
}

static void
ask (gpointer thread, gpointer data)
{
  Stress *s = data;
  GstQuery *queries[] = { gst_query_new_latency (),
    gst_query_new_segment (GST_FORMAT_TIME),
    gst_query_new_seeking (GST_FORMAT_TIME),
    gst_query_new_position (GST_FORMAT_TIME),
    gst_query_new_duration (GST_FORMAT_TIME)
  };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (queries); i++) {
    gst_pad_peer_query (s->h->sinkpad, queries[i]);
    gst_query_unref (queries[i]);
  }
}

static void
tell (gpointer thread, gpointer data)
{
  Stress *s = data;

  gst_harness_push_upstream_event (s->h, gst_event_new_latency (0));
  g_mutex_lock (&s->streaming);
  gst_harness_push_event (s->h,
      gst_event_new_tag (gst_tag_list_new (GST_TAG_TITLE, "a", NULL)));
  g_mutex_unlock (&s->streaming);
}

static void
seek (gpointer thread, gpointer data)
{
  Stress *s = data;
  GstEvent *event;

  gst_harness_push_upstream_event (s->h, gst_event_new_seek (-1,
          GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, GST_SEEK_TYPE_SET, 0,
          GST_SEEK_TYPE_SET, GST_SECOND));
  while ((event = gst_harness_try_pull_upstream_event (s->h)) != NULL)
    gst_event_unref (event);
}

static void
turn_knobs (gpointer thread, gpointer data)
{
  Stress *s = data;
  GObject *element = G_OBJECT (s->h->element);

  if (g_object_class_find_property (G_OBJECT_GET_CLASS (element), "factor")) {
    g_object_set (element, "factor", g_random_double_range (0.5, 2),
        "interpolation", g_random_int_range (0, 5), "quality",
        g_random_int_range (0, 11), NULL);
  } else {
    g_object_set (element, "direction", g_random_int_range (0, 2), "mode",
        g_random_int_range (0, 3), "block-time",
        (guint64) g_random_int_range (1000000, 100000000), NULL);
  }
  g_object_set (element, "spill-directory", g_get_tmp_dir (), NULL);
}

/* Stops and restarts the element. The source must not push meanwhile. */
static void
stop_and_go (gpointer thread, gpointer data)
{
  Stress *s = data;
  g_autoptr (GstPad) sinkpad = gst_pad_get_peer (s->h->srcpad);

  gst_element_set_state (s->h->element, GST_STATE_NULL);
  g_mutex_lock (&s->streaming);
  /* relinking makes the pad send its sticky events again */
  gst_pad_unlink (s->h->srcpad, sinkpad);
  gst_pad_link (s->h->srcpad, sinkpad);
  gst_element_set_state (s->h->element, GST_STATE_PLAYING);
  g_mutex_unlock (&s->streaming);
}

/* ---- tests -------------------------------------------------------------- */

/* Asserts that a stream of 1000 frames can still be played. */
static void
assert_alive (Stress * s)
{
  guint before = gst_harness_buffers_received (s->h);

  gst_element_set_state (s->h->element, GST_STATE_READY);
  gst_element_set_state (s->h->element, GST_STATE_PLAYING);
  gst_harness_push_event (s->h, gst_event_new_stream_start ("again"));
  gst_harness_set_src_caps (s->h, gst_audio_info_to_caps (&s->info));
  s->rate = 1;
  begin_segment (s);
  push_buffer (NULL, s);
  push_buffer (NULL, s);
  fail_unless (gst_harness_push_event (s->h, gst_event_new_eos ()));
  fail_unless (gst_harness_buffers_received (s->h) > before);
}

static void
act (gpointer thread, gpointer data)
{
  Actor *actor = data;

  actor->function (thread, actor->stress);
  g_mutex_lock (&actor->stress->lock);
  actor->runs++;
  g_cond_signal (&actor->stress->acted);
  g_mutex_unlock (&actor->stress->lock);
}

/* Runs all of @functions concurrently, until each of them has run often enough. */
static void
run_with (Stress * s, const GFunc * functions)
{
  GstHarnessThread *threads[8];
  Actor actors[8];
  guint n, i;

  for (n = 0; functions[n] != NULL; n++) {
    actors[n].stress = s;
    actors[n].function = functions[n];
    actors[n].runs = 0;
    threads[n] = gst_harness_stress_custom_start (s->h, NULL, act, &actors[n],
        PAUSE_US);
  }
  g_mutex_lock (&s->lock);
  for (i = 0; i < n; i++)
    while (actors[i].runs < RUNS)
      g_cond_wait (&s->acted, &s->lock);
  g_mutex_unlock (&s->lock);
  for (i = 0; i < n; i++)
    gst_harness_stress_thread_stop (threads[i]);
}

SOME_TEST (states_streams_and_properties_change_while_audio_flows, 9,
    3 * RETRO_N_USES)
{
  static const GFunc functions[][6] = {
    {push_buffer, stop_and_go, ask},
    {push_buffer, flush, ask, seek, tell},
    {push_buffer, turn_knobs, end_segment, ask}
  };
  Stress s;

  stress_init (&s, &retro_uses[__i__ / 3]);
  run_with (&s, functions[__i__ % 3]);
  if (__i__ % 3 == 0)
    assert_alive (&s);
  stress_clear (&s);
}
