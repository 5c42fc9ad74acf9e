/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * revbuf: "direction" is what the application requests, and "current-direction" is what the
 * output does.
 */

#include "retrotestplay.h"

#define N_FRAMES 24000
#define FORWARD 0
#define REVERSE 1

/* ---- what is notified ------------------------------------------------------------ */

typedef struct
{
  GMutex lock;
  GArray *values;               /* of gint: each value of current-direction that was notified */
} Notes;

static void
note (GObject * revbuf, GParamSpec * spec, gpointer data)
{
  Notes *notes = data;
  gint value;

  g_object_get (revbuf, "current-direction", &value, NULL);
  g_mutex_lock (&notes->lock);
  g_array_append_val (notes->values, value);
  g_mutex_unlock (&notes->lock);
}

static void
start_notes (Notes * notes, RetroPlay * play)
{
  g_mutex_init (&notes->lock);
  notes->values = g_array_new (FALSE, FALSE, sizeof (gint));
  g_signal_connect (play->revbuf, "notify::current-direction",
      G_CALLBACK (note), notes);
}

static gint
current (RetroPlay * play)
{
  gint value;

  g_object_get (play->revbuf, "current-direction", &value, NULL);
  return value;
}

/* Asserts that @n changes were notified, in turn, and @last_value at the end. A change that
 * belongs to the start of the stream is not counted. */
static void
end_notes (Notes * notes, guint n_at_start, guint n, gint last_value)
{
  guint i;

  fail_unless_equals_int (notes->values->len - n_at_start, n);
  for (i = 1; i < notes->values->len; i++)
    fail_unless (g_array_index (notes->values, gint, i)
        != g_array_index (notes->values, gint, i - 1));
  if (n > 0)
    fail_unless_equals_int (g_array_index (notes->values, gint,
            notes->values->len - 1), last_value);
  g_array_unref (notes->values);
  g_mutex_clear (&notes->lock);
}

static guint
n_notes (Notes * notes)
{
  guint n;

  g_mutex_lock (&notes->lock);
  n = notes->values->len;
  g_mutex_unlock (&notes->lock);
  return n;
}

static const gchar *const modes[] = { "revbuf mode=seek", "revbuf mode=auto",
  "revbuf mode=collect", "revbuf mode=chunk"
};

/* Given any mode. When a stream plays in the direction that was set before, then that's the
 * current direction. */
LOOP_TEST (a_stream_plays_in_the_direction_that_was_set,
    2 * G_N_ELEMENTS (modes))
{
  AUTO_PLAY play = retro_play_new_plain (modes[__i__ / 2], N_FRAMES);

  retro_play_set_reverse (play, __i__ % 2);
  retro_play_start (play, 320);
  fail_unless_equals_int (current (play), __i__ % 2);
  retro_play_finish (play);
  fail_unless_equals_int (current (play), __i__ % 2);
}

/* Given a stream. When the direction is set to another value, and then back, then each change is
 * notified once, when the output turns. */
TEST (a_turn_is_notified)
{
  AUTO_PLAY play = retro_play_new_plain ("revbuf", N_FRAMES);
  Notes notes;
  guint n;

  start_notes (&notes, play);
  retro_play_start (play, 12800);
  n = n_notes (&notes);
  fail_unless_equals_int (current (play), FORWARD);
  retro_play_set_reverse (play, TRUE);
  retro_play_go_on (play, 16000);
  fail_unless_equals_int (current (play), REVERSE);
  retro_play_set_reverse (play, FALSE);
  retro_play_finish (play);
  retro_play_stop (play);
  end_notes (&notes, n, 2, FORWARD);
}

/* Given a ping-pong. When passes follow each other, then each is notified, and the property
 * direction stays as the application has set it. */
LOOP_TEST (each_pass_of_a_ping_pong_is_notified, 2)
{
  AUTO_PLAY play = retro_play_new_plain ("revbuf loop=ping-pong", N_FRAMES);
  Notes notes;
  guint n;
  gint asked;

  retro_play_set_reverse (play, __i__);
  start_notes (&notes, play);
  retro_play_start (play, 320);
  n = n_notes (&notes);
  retro_play_go_on (play, 5 * N_FRAMES - N_FRAMES / 2);
  fail_unless_equals_int (current (play), __i__);
  g_object_get (play->revbuf, "direction", &asked, NULL);
  fail_unless_equals_int (asked, __i__);
  g_signal_handlers_disconnect_by_data (play->revbuf, &notes);  /* it keeps playing until it's
                                                                 * stopped */
  retro_play_stop (play);
  end_notes (&notes, n, 4, __i__);
}

/* Given a stream that plays forward. When the application seeks with a negative rate, and then with
 * a positive one, then both are notified. */
TEST (a_seek_is_notified)
{
  AUTO_PLAY play = retro_play_new_plain ("revbuf", N_FRAMES);
  Notes notes;
  guint n;

  start_notes (&notes, play);
  retro_play_start (play, 3200);
  n = n_notes (&notes);
  fail_unless (retro_play_seek_to (play, -1, GST_SEEK_FLAG_FLUSH, 0, 12000));
  retro_play_go_on (play, play->frames_out + 320);
  fail_unless_equals_int (current (play), REVERSE);
  fail_unless (retro_play_seek (play, 1, GST_SEEK_FLAG_FLUSH,
          GST_SEEK_TYPE_SET, 0, GST_SEEK_TYPE_SET, -1));
  retro_play_finish (play);
  retro_play_stop (play);
  end_notes (&notes, n, 2, FORWARD);
}

/* ---- the value that it has ------------------------------------------------------------ */
