/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Plays a file through revbuf in real time, along a curve of speeds that changes its sign twice a second,
 * for shuttle.py.
 *
 *   shuttle FILE CURVE OUT START_SECONDS
 *
 * CURVE has a line "seconds speed" for each point, linear between them, in the running time after the
 * seek to START_SECONDS. OUT gets each 25th buffer: a line "number frames\n", then its samples (F32). On
 * stdout, each buffer has a line: its running time, and how much earlier it was sent, in ns.
 */

#include <gst/controller/controller.h>
#include <gst/gst.h>
#include <stdio.h>

#define KEPT_BUFFERS 25

typedef struct
{
  GstElement *pipeline;
  FILE *out;
  guint n_buffers;
  gboolean counts;              /* after the seek */
} Shuttle;

static GstPadProbeReturn
note (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  Shuttle *shuttle = data;
  GstBuffer *buffer =
      GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_BUFFER ?
      GST_PAD_PROBE_INFO_BUFFER (info) : NULL;
  GstClockTime now_ns =
      gst_element_get_current_running_time (shuttle->pipeline);
  GstClockTime due_ns;
  const GstSegment *segment;
  GstEvent *event;
  GstMapInfo map;

  if (GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_EVENT_FLUSH)
    shuttle->counts = TRUE;
  if (buffer == NULL || !shuttle->counts)
    return GST_PAD_PROBE_OK;
  event = gst_pad_get_sticky_event (pad, GST_EVENT_SEGMENT, 0);
  gst_event_parse_segment (event, &segment);
  due_ns = gst_segment_to_running_time (segment, GST_FORMAT_TIME,
      GST_BUFFER_PTS (buffer));
  gst_event_unref (event);
  if (!GST_CLOCK_TIME_IS_VALID (now_ns))
    now_ns = 0;
  printf ("%" G_GUINT64_FORMAT " %" G_GINT64_FORMAT "\n", due_ns,
      (gint64) due_ns - (gint64) now_ns);
  if (shuttle->n_buffers % KEPT_BUFFERS == 0
      && gst_buffer_map (buffer, &map, GST_MAP_READ)) {
    fprintf (shuttle->out, "%u %" G_GSIZE_FORMAT "\n", shuttle->n_buffers,
        map.size / sizeof (gfloat));
    fwrite (map.data, 1, map.size, shuttle->out);
    gst_buffer_unmap (buffer, &map);
  }
  shuttle->n_buffers++;
  return GST_PAD_PROBE_OK;
}

/* Returns the time of the last point. */
static gdouble
add_curve (GstElement * revbuf, const gchar * path)
{
  GstControlSource *source = gst_interpolation_control_source_new ();
  GstTimedValueControlSource *points = GST_TIMED_VALUE_CONTROL_SOURCE (source);
  FILE *file = fopen (path, "r");
  gdouble seconds = 0, speed;

  g_object_set (source, "mode", GST_INTERPOLATION_MODE_LINEAR, NULL);
  while (file != NULL && fscanf (file, "%lf %lf", &seconds, &speed) == 2)
    gst_timed_value_control_source_set (points,
        (GstClockTime) (seconds * GST_SECOND + 0.5), speed);
  g_clear_pointer (&file, fclose);
  gst_object_add_control_binding (GST_OBJECT (revbuf),
      gst_direct_control_binding_new_absolute (GST_OBJECT (revbuf), "speed",
          source));
  gst_object_unref (source);
  return seconds;
}

int
main (int argc, char **argv)
{
  g_autoptr (GstMessage) message = NULL;
  g_autoptr (GstElement) revbuf = NULL;
  g_autoptr (GstPad) srcpad = NULL;
  g_autofree gchar *description = NULL;
  g_autoptr (GError) error = NULL;
  Shuttle shuttle = { 0 };
  gdouble seconds;

  gst_init (&argc, &argv);
  if (argc != 5) {
    fputs ("usage: shuttle FILE CURVE OUT START_SECONDS\n", stderr);
    return 2;
  }
  description = g_strdup_printf ("filesrc location=\"%s\" ! decodebin ! "
      "audioconvert ! audio/x-raw,format=F32LE,channels=1 ! "
      "revbuf name=revbuf mode=seek speed=2 ! queue max-size-buffers=0 "
      "max-size-bytes=0 max-size-time=200000000 ! fakesink sync=true", argv[1]);
  shuttle.pipeline = gst_parse_launch (description, &error);
  shuttle.out = fopen (argv[3], "wb");
  if (shuttle.pipeline == NULL || shuttle.out == NULL) {
    fputs ("cannot begin\n", stderr);
    return 2;
  }
  revbuf = gst_bin_get_by_name (GST_BIN (shuttle.pipeline), "revbuf");
  srcpad = gst_element_get_static_pad (revbuf, "src");
  gst_pad_add_probe (srcpad, GST_PAD_PROBE_TYPE_BUFFER |
      GST_PAD_PROBE_TYPE_EVENT_FLUSH, note, &shuttle, NULL);
  gst_element_set_state (shuttle.pipeline, GST_STATE_PAUSED);
  gst_element_get_state (shuttle.pipeline, NULL, NULL, GST_CLOCK_TIME_NONE);
  seconds = add_curve (revbuf, argv[2]);
  gst_element_seek_simple (shuttle.pipeline, GST_FORMAT_TIME,
      GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_ACCURATE,
      g_ascii_strtod (argv[4], NULL) * GST_SECOND);
  gst_element_get_state (shuttle.pipeline, NULL, NULL, GST_CLOCK_TIME_NONE);
  gst_element_set_state (shuttle.pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (GST_ELEMENT_BUS (shuttle.pipeline),
      seconds * GST_SECOND, GST_MESSAGE_ERROR | GST_MESSAGE_EOS);
  if (message != NULL)
    fprintf (stderr, "ended early: %s\n", GST_MESSAGE_TYPE_NAME (message));
  gst_element_set_state (shuttle.pipeline, GST_STATE_NULL);
  fclose (shuttle.out);
  gst_object_unref (shuttle.pipeline);
  return message != NULL;
}
