/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Adds and removes control bindings of timescale's properties while a stream plays.
 */

#include "retrotest.h"

#include <gst/controller/controller.h>

#define BUFFER_FRAMES 100

static const gchar *const controllable[] = {
  "factor", "rate", "semitones", "keep-pitch", "formants",
  "formant-semitones"
};

/* A control source with a constant value. */
static GstControlSource *
flat_curve (void)
{
  GstControlSource *source = gst_interpolation_control_source_new ();

  g_object_set (source, "mode", GST_INTERPOLATION_MODE_LINEAR, NULL);
  gst_timed_value_control_source_set (GST_TIMED_VALUE_CONTROL_SOURCE (source),
      0, 0.25);
  return source;
}

/* Adds a control binding for @source (transfer full) to the element. Returns the binding,
 * which the element owns. */
static GstControlBinding *
bind_curve (RetroTest * t, const gchar * property, GstControlSource * source)
{
  GstObject *element = GST_OBJECT (t->element);
  GstControlBinding *binding =
      gst_direct_control_binding_new (element, property, source);

  gst_object_unref (source);
  fail_unless (gst_object_add_control_binding (element, binding));
  return binding;
}

static RetroTest *
start_stream (void)
{
  RetroTest *t = retro_test_new ("timescale");
  GstAudioInfo info;

  retro_test_info (&info, GST_AUDIO_FORMAT_F32, GST_AUDIO_LAYOUT_INTERLEAVED,
      8000, 1);
  retro_test_start (t, &info, 1, 0, GST_CLOCK_TIME_NONE);
  return t;
}

/* ---- removed while they are evaluated --------------------------------------- */

static RetroTest *followed;     /* the test whose control bindings are removed by the next
                                 * evaluation */

static gboolean
remove_curves (GstControlSource * source, GstClockTime time_ns, gdouble * value)
{
  GstObject *element = GST_OBJECT (followed->element);
  GstControlBinding *binding;
  guint i;

  for (i = 0; i < G_N_ELEMENTS (controllable); i++) {
    binding = gst_object_get_control_binding (element, controllable[i]);
    if (binding != NULL) {
      gst_object_remove_control_binding (element, binding);
      gst_object_unref (binding);
    }
  }
  *value = 0.5;
  return TRUE;
}

/* Each control binding is removed while its own value is evaluated. Without a
 * reference of the element, GStreamer would then use freed memory. */
GST_START_TEST (curves_may_be_removed_while_they_are_followed)
{
  RetroTest *t = start_stream ();
  GstControlSource *source;
  guint i;

  followed = t;
  for (i = 0; i < G_N_ELEMENTS (controllable); i++) {
    source = flat_curve ();
    source->get_value = remove_curves;
    bind_curve (t, controllable[i], source);
  }
  for (i = 0; i < 10; i++)
    retro_test_push (t, i * BUFFER_FRAMES, BUFFER_FRAMES);
  fail_if (gst_object_has_active_control_bindings (GST_OBJECT (t->element)));
  fail_unless (retro_test_eos (t));
  fail_unless (retro_test_frames_out (t) > 0);
  retro_test_free (t);
}

GST_END_TEST;

/* ---- in another thread -------------------------------------------------- */

typedef struct
{
  RetroTest *t;
  gint stopped;                 /* atomic */
} Player;

static gpointer
play (gpointer data)
{
  Player *player = data;
  guint64 first_frame = 0;

  while (!g_atomic_int_get (&player->stopped)) {
    retro_test_push (player->t, first_frame, BUFFER_FRAMES);
    first_frame += BUFFER_FRAMES;
  }
  return NULL;
}

GST_START_TEST (curves_may_come_and_go_while_it_plays)
{
  RetroTest *t = start_stream ();
  Player player = {.t = t };
  GstControlBinding *binding;
  GThread *thread;
  guint i;

  gst_harness_set_drop_buffers (t->h, TRUE);
  thread = g_thread_new ("player", play, &player);
  for (i = 0; i < 1000; i++) {
    binding = bind_curve (t, controllable[__i__], flat_curve ());
    g_usleep (100);
    gst_object_remove_control_binding (GST_OBJECT (t->element), binding);
  }
  g_atomic_int_set (&player.stopped, TRUE);
  g_thread_join (thread);
  retro_test_free (t);
}

GST_END_TEST;

static Suite *
curves_suite (void)
{
  Suite *s = suite_create ("curves");
  TCase *tc = tcase_create ("curves");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, curves_may_be_removed_while_they_are_followed);
  tcase_add_loop_test (tc, curves_may_come_and_go_while_it_plays, 0,
      G_N_ELEMENTS (controllable));
  return s;
}

GST_CHECK_MAIN (curves);
