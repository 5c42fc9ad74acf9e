/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * usage: reverse-player FILE [SINK]
 *
 * A player that changes direction, scrubs and loops while it plays. SINK is a
 * description as for gst-launch-1.0: "autoaudiosink" to listen, or "fakesink
 * sync=true" (the default) for no sound. Commands are read from standard input, one
 * per line; times are in seconds of the file. The position is printed ten times per
 * second.
 *
 *   reverse, forward      changes direction: the next frame is n - 1 or n + 1
 *   seek 12.5             continues at 12.5 s, in the same direction
 *   loop 2 4              repeats the part from 2 s to 4 s
 *   ping-pong 2 4         changes direction at 2 s and at 4 s
 *   no-loop
 *   rate 2                twice as fast, and an octave higher
 *   pause, play, quit
 *
 * reverse-player.py is the same program in Python.
 */

#include <stdio.h>
#include <gst/gst.h>

#include "prepare.h"

#define PRINT_INTERVAL_MS 100
#define MAX_LINE_CHARS 200
#define MAX_SECONDS 1e9

static const char BEFORE_SINK[] =
    "filesrc name=file ! decodebin caps=audio/x-raw expose-all-streams=false ! "
    "revbuf name=revbuf mode=seek ! audioconvert ! timescale name=timescale ! "
    "audioconvert ! audioresample ! ";

typedef struct
{
  GstElement *pipeline, *revbuf, *timescale;
  GMainLoop *loop;
  gint exit_status;
} Player;

/* ---- commands: each one sets a property of an element, or seeks ----------- */

static void
turn (Player * player, const gchar * direction, const gdouble * seconds)
{
  gst_util_set_object_arg (G_OBJECT (player->revbuf), "direction", direction);
}

/* Seeks. Also resets the stop, because an earlier seek's would still apply. */
static void
seek (Player * player, const gchar * unused, const gdouble * seconds)
{
  gst_element_seek (player->pipeline, 1.0, GST_FORMAT_TIME,
      GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_ACCURATE, GST_SEEK_TYPE_SET,
      seconds[0] * GST_SECOND, GST_SEEK_TYPE_SET, GST_CLOCK_TIME_NONE);
}

static void
set_loop (Player * player, const gchar * kind, const gdouble * seconds)
{
  g_object_set (player->revbuf,
      "loop-start", (guint64) (seconds[0] * GST_SECOND),
      "loop-stop", (guint64) (seconds[1] * GST_SECOND), NULL);
  gst_util_set_object_arg (G_OBJECT (player->revbuf), "loop", kind);
}

static void
stop_loop (Player * player, const gchar * kind, const gdouble * seconds)
{
  gst_util_set_object_arg (G_OBJECT (player->revbuf), "loop", kind);
}

static void
set_rate (Player * player, const gchar * unused, const gdouble * rate)
{
  g_object_set (player->timescale, "rate", CLAMP (rate[0], 0.01, 100), NULL);
}

static void
set_state (Player * player, const gchar * state, const gdouble * seconds)
{
  gst_element_set_state (player->pipeline,
      *state == 'p' ? GST_STATE_PAUSED : GST_STATE_PLAYING);
}

static void
quit (Player * player, const gchar * unused, const gdouble * seconds)
{
  g_main_loop_quit (player->loop);
}

static const struct
{
  const gchar *name;
  gint n_values;
  void (*run) (Player * player, const gchar * argument, const gdouble * values);
  const gchar *argument;
} COMMANDS[] = {
  {"reverse", 0, turn, "reverse"},
  {"forward", 0, turn, "forward"},
  {"seek", 1, seek, NULL},
  {"loop", 2, set_loop, "repeat"},
  {"ping-pong", 2, set_loop, "ping-pong"},
  {"no-loop", 0, stop_loop, "none"},
  {"rate", 1, set_rate, NULL},
  {"pause", 0, set_state, "paused"},
  {"play", 0, set_state, "running"},
  {"quit", 0, quit, NULL},
};

static gboolean
is_sensible (gdouble value)
{
  return value >= 0 && value <= MAX_SECONDS;
}

static void
obey (Player * player, gchar * line)
{
  gchar name[MAX_LINE_CHARS] = "", rest[2];
  gdouble values[2] = { 0, 0 };
  gint words;
  guint i;

  g_strstrip (line);
  if (*line == '\0')
    return;
  words = sscanf (line, "%199s %lf %lf %1s", name, &values[0], &values[1],
      rest);
  for (i = 0; i < G_N_ELEMENTS (COMMANDS); i++) {
    if (g_str_equal (name, COMMANDS[i].name)
        && words - 1 == COMMANDS[i].n_values && is_sensible (values[0])
        && is_sensible (values[1])) {
      COMMANDS[i].run (player, COMMANDS[i].argument, values);
      return;
    }
  }
  g_printerr
      ("'%s' is not a command; the commands are: reverse, forward, seek, loop, "
      "ping-pong, no-loop, rate, pause, play, quit.\n", line);
}

/* ---- events -------------------------------------------------------------- */

static gboolean
on_input (GIOChannel * input, GIOCondition condition, gpointer data)
{
  g_autofree gchar *line = NULL;

  if (g_io_channel_read_line (input, &line, NULL, NULL, NULL)
      != G_IO_STATUS_NORMAL)
    return G_SOURCE_REMOVE;
  obey (data, line);
  return G_SOURCE_CONTINUE;
}

static gboolean
on_message (GstBus * bus, GstMessage * message, gpointer data)
{
  Player *player = data;
  g_autoptr (GError) error = NULL;

  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR) {
    gst_message_parse_error (message, &error, NULL);
    g_printerr ("%s: %s\n", GST_OBJECT_NAME (message->src), error->message);
    player->exit_status = 1;
  } else if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING) {
    gst_message_parse_warning (message, &error, NULL);
    g_printerr ("%s\n", error->message);
  }
  if (GST_MESSAGE_TYPE (message) & (GST_MESSAGE_ERROR | GST_MESSAGE_EOS))
    g_main_loop_quit (player->loop);
  return G_SOURCE_CONTINUE;
}

/* Prints the position at revbuf's source pad, which is a position in the file. After
 * timescale, it would be a position in the scaled sound. */
static gboolean
print_position (gpointer data)
{
  Player *player = data;
  g_autoptr (GstPad) pad = gst_element_get_static_pad (player->revbuf, "src");
  gint64 position;

  if (gst_pad_query_position (pad, GST_FORMAT_TIME, &position))
    g_print ("%.3f\n", (gdouble) position / GST_SECOND);
  return G_SOURCE_CONTINUE;
}

/* ---- the player ---------------------------------------------------------- */

static gboolean
build (Player * player, const gchar * path, const gchar * sink)
{
  g_autofree gchar *description = g_strconcat (BEFORE_SINK, sink, NULL);
  g_autoptr (GError) error = NULL;

  player->pipeline = gst_parse_launch_full (description, NULL,
      GST_PARSE_FLAG_FATAL_ERRORS, &error);
  if (player->pipeline == NULL) {
    g_printerr ("The pipeline could not be built: %s\n", error->message);
    return FALSE;
  }
  gst_child_proxy_set (GST_CHILD_PROXY (player->pipeline), "file::location",
      path, NULL);
  player->revbuf = gst_bin_get_by_name (GST_BIN (player->pipeline), "revbuf");
  player->timescale =
      gst_bin_get_by_name (GST_BIN (player->pipeline), "timescale");
  return TRUE;
}

static void
play (Player * player)
{
  g_autoptr (GIOChannel) input = g_io_channel_unix_new (0);
  g_autoptr (GstBus) bus = gst_element_get_bus (player->pipeline);
  guint watch = gst_bus_add_watch (bus, on_message, player);
  guint timer = g_timeout_add (PRINT_INTERVAL_MS, print_position, player);
  GSource *commands = g_io_create_watch (input, G_IO_IN | G_IO_HUP);

  g_io_channel_set_encoding (input, NULL, NULL);
  player->loop = g_main_loop_new (NULL, FALSE);
  g_source_set_callback (commands, G_SOURCE_FUNC (on_input), player, NULL);
  g_source_attach (commands, NULL);

  /* wait for PAUSED, because the pipeline can't seek before that */
  gst_element_set_state (player->pipeline, GST_STATE_PAUSED);
  gst_element_get_state (player->pipeline, NULL, NULL, GST_CLOCK_TIME_NONE);
  gst_element_set_state (player->pipeline, GST_STATE_PLAYING);
  g_main_loop_run (player->loop);
  gst_element_set_state (player->pipeline, GST_STATE_NULL);

  g_source_destroy (commands);
  g_source_unref (commands);
  g_source_remove (timer);
  g_source_remove (watch);
  g_main_loop_unref (player->loop);
}

int
main (int argc, char *argv[])
{
  Player player = { NULL };

  prepare ();
  gst_init (&argc, &argv);
  if (argc != 2 && argc != 3) {
    g_printerr ("usage: reverse-player FILE [SINK]\n");
    return 2;
  }
  if (!build (&player, argv[1], argc == 3 ? argv[2] : "fakesink sync=true")) {
    explain_missing_plugin ();
    return 1;
  }
  play (&player);
  gst_object_unref (player.revbuf);
  gst_object_unref (player.timescale);
  gst_object_unref (player.pipeline);
  gst_deinit ();                /* so that GST_TRACERS=leaks can report leaks */
  return player.exit_status;
}
