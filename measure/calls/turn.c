/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Counts what changes of direction call in revbuf, from the property to the first buffer in the
 * other direction, in all threads.
 *
 * usage: turn FILE.wav DESCRIPTION
 *
 * The file plays forward, and is turned twice, each time while the output is held and all threads
 * wait. For the first turn, the audio has to be fetched, and each buffer that arrives is a call.
 * For the second one, it has been fetched.
 */

#define _GNU_SOURCE

#include "counted.h"

#define HELD_BUFFERS 40
#define REST_US 300000          /* until all threads wait */

typedef struct
{
  GMutex lock;
  GCond changed;
  guint n_out, n_before;        /* buffers */
  gboolean is_held, goes_on, turns, has_turned;
  gdouble applied_rate;
} Output;

static Output output;

/* Holds the output after HELD_BUFFERS buffers of each direction, and sees its turn. */
static GstPadProbeReturn
watch (GstPad * pad, GstPadProbeInfo * info, gpointer unused)
{
  g_mutex_lock (&output.lock);
  if (GST_IS_EVENT (GST_PAD_PROBE_INFO_DATA (info))) {
    GstEvent *event = GST_PAD_PROBE_INFO_EVENT (info);
    const GstSegment *segment;

    if (GST_EVENT_TYPE (event) == GST_EVENT_SEGMENT) {
      gst_event_parse_segment (event, &segment);
      output.turns |= segment->applied_rate != output.applied_rate;
      output.applied_rate = segment->applied_rate;
    }
  } else if (output.turns) {
    g_atomic_int_set (&counting, FALSE);
    output.turns = FALSE;
    output.has_turned = TRUE;
    output.n_out = 1;
    g_cond_broadcast (&output.changed);
  } else if (++output.n_out == HELD_BUFFERS) {
    output.is_held = TRUE;
    g_cond_broadcast (&output.changed);
    while (!output.goes_on)
      g_cond_wait (&output.changed, &output.lock);
    output.is_held = output.goes_on = FALSE;
  }
  g_mutex_unlock (&output.lock);
  return GST_PAD_PROBE_OK;
}

static void
wait_for (gboolean * flag)
{
  g_mutex_lock (&output.lock);
  while (!*flag)
    g_cond_wait (&output.changed, &output.lock);
  g_mutex_unlock (&output.lock);
}

static void
count_turn (GstElement * revbuf, const gchar * direction)
{
  wait_for (&output.is_held);
  g_usleep (REST_US);
  output.has_turned = FALSE;
  start_counting ();
  gst_util_set_object_arg (G_OBJECT (revbuf), "direction", direction);
  g_mutex_lock (&output.lock);
  output.goes_on = TRUE;
  g_cond_broadcast (&output.changed);
  g_mutex_unlock (&output.lock);
  wait_for (&output.has_turned);
  print_counted (1);
}

int
main (int argc, char **argv)
{
  GstElement *pipeline, *revbuf, *sink;
  gchar *description;
  GstPad *pad;

  gst_init (&argc, &argv);
  if (argc != 3)
    return 2;
  description = g_strdup_printf ("filesrc location=\"%s\" ! wavparse ! "
      "%s name=revbuf ! fakesink name=sink sync=false", argv[1], argv[2]);
  pipeline = gst_parse_launch (description, NULL);
  g_free (description);
  if (pipeline == NULL)
    g_error ("there is no %s: set GST_PLUGIN_PATH_1_0", argv[2]);
  revbuf = gst_bin_get_by_name (GST_BIN (pipeline), "revbuf");
  sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  output.applied_rate = 1;
  pad = gst_element_get_static_pad (sink, "sink");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER
      | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, watch, NULL, NULL);
  find_crossings ();
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  count_turn (revbuf, "reverse");
  count_turn (revbuf, "forward");
  return 0;                     /* the output is still held */
}
