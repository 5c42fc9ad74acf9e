/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * usage: reverse-playback URI SINK
 *
 * Plays a file backwards as an application would. It builds a pipeline, waits for PAUSED, changes
 * direction by seeking with a negative rate, and prints the falling position. SINK is a
 * description as for gst-launch-1.0: "autoaudiosink", or "wavenc ! filesink
 * location=backwards.wav".
 *
 * revbuf handles the seek itself, so you don't have to set any properties. It fetches the file in
 * blocks, the last one first, reverses them, and outputs audio with rising timestamps, so the
 * elements after revbuf, even an encoder, work as usual. reverse-playback.sh runs this program.
 */

#include <gst/gst.h>

#include "prepare.h"

#define PRINTS_PER_SECOND 10

static const char BEFORE_SINK[] =
    "uridecodebin name=source caps=audio/x-raw expose-all-streams=false ! "
    "audioconvert ! revbuf ! audioconvert ! audioresample ! ";

typedef struct
{
  GstElement *pipeline;
  GMainLoop *loop;
  gint exit_status;
} Player;

/* Prints an error message without the debug text, which isn't meant for users. */
static void
print_error (GstMessage * message)
{
  g_autoptr (GError) error = NULL;

  gst_message_parse_error (message, &error, NULL);
  g_printerr ("%s: %s\n", GST_OBJECT_NAME (message->src), error->message);
}

static GstElement *
build_pipeline (const gchar * uri, const gchar * sink)
{
  g_autofree gchar *description = g_strconcat (BEFORE_SINK, sink, NULL);
  g_autoptr (GError) error = NULL;
  GstElement *pipeline =
      gst_parse_launch_full (description, NULL, GST_PARSE_FLAG_FATAL_ERRORS,
      &error);

  if (pipeline == NULL) {
    g_printerr ("The pipeline could not be built: %s\n", error->message);
    return NULL;
  }
  gst_child_proxy_set (GST_CHILD_PROXY (pipeline), "source::uri", uri, NULL);
  return pipeline;
}

/* Sets the pipeline to PAUSED and waits for it to preroll. Before that, we don't know the
 * duration, and there's no demuxer to seek. */
static gboolean
preroll (GstElement * pipeline)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  g_autoptr (GstMessage) message = NULL;

  gst_element_set_state (pipeline, GST_STATE_PAUSED);
  message = gst_bus_timed_pop_filtered (bus, GST_CLOCK_TIME_NONE,
      GST_MESSAGE_ASYNC_DONE | GST_MESSAGE_ERROR);
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
    print_error (message);
  return GST_MESSAGE_TYPE (message) == GST_MESSAGE_ASYNC_DONE;
}

/* Seeks to the segment from 0 to the duration. With a negative rate, playback starts at the
 * segment's stop. */
static gboolean
seek_backwards (GstElement * pipeline)
{
  gint64 duration;

  if (!gst_element_query_duration (pipeline, GST_FORMAT_TIME, &duration)) {
    g_printerr ("The duration is unknown, so playback cannot start at the end: "
        "reverse the file with reverse-file.sh.\n");
    return FALSE;
  }
  if (!gst_element_seek (pipeline, -1.0, GST_FORMAT_TIME,
          GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_ACCURATE,
          GST_SEEK_TYPE_SET, 0, GST_SEEK_TYPE_SET, duration)) {
    g_printerr ("The source refuses the seek, as a pipe does: play a file, "
        "or reverse it with reverse-file.sh.\n");
    return FALSE;
  }
  return TRUE;
}

static gboolean
print_position (gpointer user_data)
{
  Player *player = user_data;
  gint64 position, duration;

  if (gst_element_query_position (player->pipeline, GST_FORMAT_TIME, &position)
      && gst_element_query_duration (player->pipeline, GST_FORMAT_TIME,
          &duration))
    g_print ("%.2f / %.2f s\n", (gdouble) position / GST_SECOND,
        (gdouble) duration / GST_SECOND);
  return G_SOURCE_CONTINUE;
}

static gboolean
on_message (GstBus * bus, GstMessage * message, gpointer user_data)
{
  Player *player = user_data;

  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR) {
    print_error (message);
    player->exit_status = 1;
    g_main_loop_quit (player->loop);
  } else if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS) {
    g_main_loop_quit (player->loop);
  }
  return G_SOURCE_CONTINUE;
}

static gint
play (GstElement * pipeline)
{
  Player player = { pipeline, g_main_loop_new (NULL, FALSE), 0 };
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  guint watch = gst_bus_add_watch (bus, on_message, &player);
  guint timer =
      g_timeout_add (1000 / PRINTS_PER_SECOND, print_position, &player);

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  g_main_loop_run (player.loop);

  g_source_remove (timer);
  g_source_remove (watch);
  g_main_loop_unref (player.loop);
  return player.exit_status;
}

int
main (int argc, char *argv[])
{
  GstElement *pipeline;
  gint status = 1;

  prepare ();
  gst_init (&argc, &argv);
  if (argc != 3) {
    g_printerr ("usage: reverse-playback URI SINK\n");
    return 2;
  }
  pipeline = build_pipeline (argv[1], argv[2]);
  if (pipeline == NULL) {
    explain_missing_plugin ();
    return 1;
  }
  if (preroll (pipeline) && seek_backwards (pipeline))
    status = play (pipeline);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
  gst_deinit ();                /* so that GST_TRACERS=leaks can report leaks */
  return status;
}
