/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * revbuf mode=seek with commands from several threads at the same time: changes of
 * direction, seeks, loops, queries, states. Nothing may hang or fail, and afterwards a
 * stream must play as usual. Each thread sends the same random commands in every run.
 */

#include "retrotestplay.h"

#define N_FRAMES 30000
#define N_COMMANDS (retro_test_is_long () ? 2000 : 100)

typedef struct
{
  RetroPlay *play;
  GRand *rand;
  void (*command) (RetroPlay * play, GRand * rand);
} Commander;

static gint64
random_time (GRand * rand)
{
  return PLAIN_NS (g_rand_int_range (rand, 0, N_FRAMES));
}

/* ---- commands ------------------------------------------------------------------ */

static void
turn_or_loop (RetroPlay * play, GRand * rand)
{
  switch (g_rand_int_range (rand, 0, 4)) {
    case 0:
      g_object_set (play->revbuf, "loop", g_rand_int_range (rand, 0, 3), NULL);
      break;
    case 1:
      g_object_set (play->revbuf, "loop-start", random_time (rand),
          "loop-stop", random_time (rand), NULL);
      break;
    default:
      retro_play_set_reverse (play, g_rand_boolean (rand));
  }
}

static void
seek_with (RetroPlay * play, GRand * rand, GstSeekFlags flags)
{
  static const gdouble rates[] = { 1, -1, 2, -2, 0.5, -0.5 };
  GstSeekType type = g_rand_boolean (rand) ? GST_SEEK_TYPE_SET :
      GST_SEEK_TYPE_NONE;
  gint64 start = random_time (rand), stop = random_time (rand);

  if (g_rand_boolean (rand))
    flags |= GST_SEEK_FLAG_ACCURATE;
  if (g_rand_int_range (rand, 0, 8) == 0)
    flags |= GST_SEEK_FLAG_SEGMENT;
  retro_play_seek (play, rates[g_rand_int_range (rand, 0, 6)], flags,
      type, MIN (start, stop), type, MAX (start, stop));
}

static void
seek (RetroPlay * play, GRand * rand)
{
  seek_with (play, rand, g_rand_int_range (rand, 0, 4) ?
      GST_SEEK_FLAG_FLUSH : GST_SEEK_FLAG_NONE);
}

/* Without a flush, a seek would hang in PAUSED, because the source would wait
 * indefinitely. */
static void
seek_and_flush (RetroPlay * play, GRand * rand)
{
  seek_with (play, rand, GST_SEEK_FLAG_FLUSH);
}

static void
ask (RetroPlay * play, GRand * rand)
{
  g_autoptr (GstStructure) stats = NULL;

  retro_play_position (play);
  retro_play_duration (play);
  g_object_get (play->revbuf, "stats", &stats, NULL);
}

static void
change_state (RetroPlay * play, GRand * rand)
{
  static const GstState states[] = {
    GST_STATE_PAUSED, GST_STATE_PLAYING, GST_STATE_PLAYING, GST_STATE_READY,
    GST_STATE_PLAYING, GST_STATE_NULL
  };

  gst_element_set_state (play->pipeline,
      states[g_rand_int_range (rand, 0, G_N_ELEMENTS (states))]);
  g_thread_yield ();
  gst_element_set_state (play->pipeline, GST_STATE_PLAYING);
}

/* Sends the seek to the source directly, as an element between source and revbuf
 * would. */
static void
seek_source (RetroPlay * play, GRand * rand)
{
  GstPad *pad = gst_element_get_static_pad (GST_ELEMENT (play->source), "src");

  gst_pad_send_event (pad, gst_event_new_seek (1, GST_FORMAT_TIME,
          GST_SEEK_FLAG_FLUSH, GST_SEEK_TYPE_SET, random_time (rand),
          GST_SEEK_TYPE_SET, GST_CLOCK_TIME_NONE));
  gst_object_unref (pad);
  g_thread_yield ();
}

/* ---- the run ---------------------------------------------------------------------- */

static gpointer
command (gpointer data)
{
  Commander *c = data;
  guint n;

  for (n = 0; n < N_COMMANDS; n++) {
    c->command (c->play, c->rand);
    g_thread_yield ();
  }
  return NULL;
}

static void
assert_no_error (RetroPlay * play)
{
  GstMessage *message = retro_test_pop_message (&play->out, GST_MESSAGE_ERROR);
  GError *error = NULL;

  if (message == NULL)
    return;
  gst_message_parse_error (message, &error, NULL);
  fail ("the pipeline failed: %s", error->message);
}

/* Asserts that the stream can be played backwards from the end. */
static void
assert_alive (RetroPlay * play)
{
  retro_play_stop (play);
  /* the element may have been stopped during a flush */
  play->flushing = FALSE;
  play->forgets = FALSE;
  play->eos = FALSE;
  g_object_set (play->revbuf, "direction", 1, "loop", 0, NULL);
  retro_play_run (play);
  retro_test_assert_down (&play->out, 0, N_FRAMES);
}

static void
run_with (RetroPlay * play, void (*const *commands) (RetroPlay *, GRand *),
    guint n)
{
  Commander commanders[4] = { {0} };
  GThread *threads[4];
  guint i;

  play->forgets = TRUE;
  retro_play_set_state (play, GST_STATE_PLAYING);
  for (i = 0; i < n; i++) {
    commanders[i].play = play;
    commanders[i].rand = g_rand_new_with_seed (4711 + i);
    commanders[i].command = commands[i];
    threads[i] = g_thread_new ("command", command, &commanders[i]);
  }
  for (i = 0; i < n; i++) {
    g_thread_join (threads[i]);
    g_rand_free (commanders[i].rand);
  }
  assert_no_error (play);
  assert_alive (play);
}

static const gchar *const elements[] = {
  "revbuf mode=seek direction=reverse block-time=200000000",
  "revbuf block-time=200000000"
};

typedef void (*Command) (RetroPlay *, GRand *);

static const Command sets[][4] = {
  {turn_or_loop, seek, ask, NULL},
  {turn_or_loop, seek_and_flush, ask, change_state},
  {turn_or_loop, seek, ask, seek_source}
};

LOOP_TEST (nothing_hangs_or_fails, 2 * G_N_ELEMENTS (sets))
{
  AUTO_PLAY play = retro_play_new_plain (elements[__i__ % 2], N_FRAMES);
  guint set = __i__ / 2;

  play->knobs->settle_frames = set == 1 ? 3000 : 0;
  /* After a flush, a sink with async=true waits for the state change to
   * PLAYING, which needs the state lock of the pipeline. A seek without a flush
   * holds this lock while it waits for the thread that the sink blocks, which
   * would be a deadlock with any other element, too. */
  g_object_set (play->sink, "async", set == 1, NULL);
  run_with (play, sets[set], set == 0 ? 3 : 4);
}
