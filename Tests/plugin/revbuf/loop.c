/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * revbuf: loop, loop-start and loop-stop.
 */

#include "retrotestplay.h"

#include <string.h>

#define N_FRAMES 24000
#define REPEAT "repeat"
#define PING_PONG "ping-pong"

/* ---- the expected output -------------------------------------------------- */

/* Returns the first @n_frames frames of the expected output: from frame @at to
 * the first marker, then passes between the markers @first and @end, according
 * to the definition of @loop. */
static GArray *
score_loop (const gchar * loop, gboolean reverse, gint64 at, gint64 first,
    gint64 end, guint n_frames)
{
  GArray *order = retro_order_new ();
  gint64 step = reverse ? -1 : 1;

  while (order->len < n_frames) {
    guint64 frame = at;

    g_array_append_val (order, frame);
    if (at != (step < 0 ? first : end - 1)) {
      at += step;
    } else if (strcmp (loop, REPEAT) == 0) {
      at = step < 0 ? end - 1 : first;
    } else {
      step = -step;
      if (end - first > 1)
        at += step;
    }
  }
  return order;
}

/* Asserts that the output equals the beginning of @order (transfer full). @play must have
 * been stopped, so that there is no further output. */
static void
assert_begins (RetroPlay * play, GArray * order)
{
  fail_unless (order->len >= retro_test_frames_out (&play->out));
  g_array_set_size (order, retro_test_frames_out (&play->out));
  retro_test_assert_order (&play->out, order);
}

static RetroPlay *
new_loop (const gchar * loop, gboolean reverse, guint64 first, guint64 end)
{
  gchar *description = g_strdup_printf ("revbuf direction=%s loop=%s "
      "loop-start=%" G_GUINT64_FORMAT " loop-stop=%" G_GUINT64_FORMAT
      " block-time=500000000", reverse ? "reverse" : "forward", loop,
      PLAIN_NS (first), end == 0 ? G_MAXUINT64 : PLAIN_NS (end));
  RetroPlay *play = retro_play_new_plain (description, N_FRAMES);

  g_free (description);
  return play;
}

/* ---- passes --------------------------------------------------------------- */

static const struct
{
  guint64 first, end;
} markers[] = {
  {0, N_FRAMES}, {0, 9000}, {14000, 18000}, {14000, 14001}, {14000, 14002},
  {123, 4567}, {20000, N_FRAMES}, {8000, 8640}, {8191, 12289}, {0, 1},
  {23999, 24000}
};

/* Plays several passes, from the beginning of the stream, or in reverse from its end. */
static void
check_laps (const gchar * loop, gboolean reverse, guint nth)
{
  guint64 first = markers[nth].first, end = markers[nth].end;
  guint n_frames = N_FRAMES + 4 * MAX (end - first, 1000);
  AUTO_PLAY play = new_loop (loop, reverse, first, end);
  gint64 at = reverse ? N_FRAMES - 1 : 0;

  retro_play_start (play, n_frames);
  retro_play_stop (play);
  assert_begins (play, score_loop (loop, reverse, at, first, end,
          retro_test_frames_out (&play->out)));
  retro_play_assert_sound (play, 0, RETRO_PLAY_LOOPED);
  fail_unless_equals_int (retro_test_n_events (&play->out, GST_EVENT_EOS), 0);
}

SOME_TEST (passes_are_exact, 14, 4 * G_N_ELEMENTS (markers))
{
  check_laps (__i__ & 1 ? REPEAT : PING_PONG, (__i__ & 2) != 0, __i__ / 4);
}

/* If loop-stop is not set, passes end at the real end of the stream, whatever
 * duration upstream reports. */
SOME_TEST (passes_to_an_open_end, 5, 4 * 3)
{
  static const GstClockTime durations_ns[] = {
    PLAIN_NS (N_FRAMES), PLAIN_NS (16000), PLAIN_NS (40000)
  };
  const gchar *loop = __i__ & 1 ? REPEAT : PING_PONG;
  gboolean reverse = (__i__ & 2) != 0;
  AUTO_PLAY play = new_loop (loop, reverse, 20000, 0);

  play->knobs->duration_ns = durations_ns[__i__ / 4];
  retro_play_start (play, 60000);
  retro_play_stop (play);
  assert_begins (play, score_loop (loop, reverse, reverse ? N_FRAMES - 1 : 0,
          20000, N_FRAMES, retro_test_frames_out (&play->out)));
  retro_play_assert_sound (play, 0, RETRO_PLAY_LOOPED);
}

/* ---- changed while playing ------------------------------------------------------- */

static const gsize ten_ms_cut[] = { 320, 0 };

TEST (markers_change_at_the_next_pass)
{
  AUTO_PLAY play = new_loop (REPEAT, FALSE, 10000, 20000);
  GArray *order = retro_order_new ();

  play->knobs->cut = ten_ms_cut;
  retro_play_start (play, 12800);
  g_object_set (play->revbuf, "loop-start", PLAIN_NS (5000), "loop-stop",
      PLAIN_NS (7000), NULL);
  retro_play_go_on (play, 28000);
  retro_play_stop (play);
  retro_order_up (order, 0, 20000);
  while (order->len < retro_test_frames_out (&play->out))
    retro_order_up (order, 5000, 2000);
  assert_begins (play, order);
  retro_play_assert_sound (play, 0, RETRO_PLAY_LOOPED);
}

/* When the loop is removed, playback must continue to the end of the stream without
 * a further pass. */
LOOP_TEST (loop_ends, 4)
{
  const gchar *loop = __i__ & 1 ? REPEAT : PING_PONG;
  gboolean reverse = (__i__ & 2) != 0;
  AUTO_PLAY play = new_loop (loop, reverse, 10000, 12000);
  g_autoptr (GArray) heard = NULL;

  retro_play_start (play, 21000);
  g_object_set (play->revbuf, "loop", 0, NULL);
  retro_play_finish (play);
  retro_play_assert_sound (play, 0, RETRO_PLAY_LOOPED);
  heard = retro_play_heard (play);
  fail_unless (g_array_index (heard, guint64, heard->len - 1) == 0
      || g_array_index (heard, guint64, heard->len - 1) == N_FRAMES - 1);
  fail_unless_equals_int (retro_test_n_events (&play->out, GST_EVENT_EOS), 1);
}

/* A seek goes to a position outside the markers. Playback must continue from there to the end of
 * the stream, where ping-pong changes the direction, and then reach the loop. */
static const struct
{
  gboolean reverse;
  guint64 place, turn;          /* the target, and the first frame after the change of
                                 * direction */
} beyond_markers[] = {
  {TRUE, 0, 0}, {TRUE, 4000, 1}, {FALSE, 22000, N_FRAMES - 2}
};

LOOP_TEST (seek_beyond_a_ping_pong, G_N_ELEMENTS (beyond_markers))
{
  gboolean reverse = beyond_markers[__i__].reverse;
  guint64 place = beyond_markers[__i__].place;
  AUTO_PLAY play = new_loop (PING_PONG, reverse, 10000, 20000);
  GArray *order = retro_order_new (), *laps;

  retro_play_start (play, 640);
  fail_unless (retro_play_seek (play, 1, GST_SEEK_FLAG_FLUSH,
          GST_SEEK_TYPE_SET, PLAIN_NS (place), GST_SEEK_TYPE_NONE, 0));
  retro_play_go_on (play, 50000);
  retro_play_stop (play);
  if (reverse) {
    retro_order_down (order, N_FRAMES - 640, 640);
    retro_order_down (order, 0, place);
  } else {
    retro_order_up (order, 0, 640);
    retro_order_up (order, place, N_FRAMES - place);
  }
  laps = score_loop (PING_PONG, !reverse, beyond_markers[__i__].turn, 10000,
      20000, retro_test_frames_out (&play->out));
  g_array_append_vals (order, laps->data, laps->len);
  g_array_unref (laps);
  assert_begins (play, order);
}

/* The loop is set while the element is in passthrough. */
LOOP_TEST (loop_begins_while_playing, 2)
{
  const gchar *loop = __i__ ? REPEAT : PING_PONG;
  AUTO_PLAY play = retro_play_new_plain ("revbuf", N_FRAMES);

  play->knobs->cut = ten_ms_cut;
  retro_play_start (play, 12800);
  g_object_set (play->revbuf, "loop-start", PLAIN_NS (10000), "loop-stop",
      PLAIN_NS (20000), NULL);
  gst_util_set_object_arg (G_OBJECT (play->revbuf), "loop", loop);
  retro_play_go_on (play, 60000);
  retro_play_stop (play);
  assert_begins (play, score_loop (loop, FALSE, 0, 10000, 20000,
          retro_test_frames_out (&play->out)));
  retro_play_assert_sound (play, 0, RETRO_PLAY_LOOPED);
}

/* Returns the number of frames that were output before segment @n. */
static guint64
frames_before_segment (RetroPlay * play, guint n)
{
  gint i, place = retro_test_place_of_event (&play->out, GST_EVENT_SEGMENT, n);
  guint64 n_frames = 0;

  for (i = 0; i < place; i++)
    if (GST_IS_BUFFER (g_ptr_array_index (play->out.items, i)))
      n_frames += retro_test_buffer_frames (&play->out,
          g_ptr_array_index (play->out.items, i));
  return n_frames;
}

/* If the direction changes within a pass, the pass must end at the other marker. */
TEST (turns_inside_a_loop)
{
  AUTO_PLAY play = new_loop (REPEAT, FALSE, 10000, 20000);
  GArray *order = retro_order_new ();
  guint64 turned;

  play->knobs->cut = ten_ms_cut;
  retro_play_start (play, 12800);
  retro_play_set_reverse (play, TRUE);
  retro_play_go_on (play, 40000);
  retro_play_stop (play);
  turned = frames_before_segment (play, 1);
  fail_unless (turned >= 12800 && turned <= 12800 + 2 * 320);
  retro_order_up (order, 0, turned);
  retro_order_down (order, 10000, turned - 10000 - 1);
  while (order->len < retro_test_frames_out (&play->out))
    retro_order_down (order, 10000, 10000);
  assert_begins (play, order);
  retro_play_assert_sound (play, 0, RETRO_PLAY_LOOPED);
}

/* A seek goes into the middle of a pass. That pass is played from there to its end, and complete
 * passes follow. */
LOOP_TEST (seek_into_a_loop, 4)
{
  gboolean reverse = __i__ & 1;
  AUTO_PLAY play = new_loop (__i__ & 2 ? REPEAT : PING_PONG, reverse, 10000,
      20000);
  GArray *order = retro_order_new (), *laps;

  retro_play_start (play, 640);
  fail_unless (retro_play_seek (play, 1, GST_SEEK_FLAG_FLUSH,
          GST_SEEK_TYPE_SET, PLAIN_NS (15000), GST_SEEK_TYPE_NONE, 0));
  retro_play_go_on (play, 30000);
  retro_play_stop (play);
  retro_play_assert_sound (play, 1, RETRO_PLAY_LOOPED);
  if (reverse)
    retro_order_down (order, N_FRAMES - 640, 640);
  else
    retro_order_up (order, 0, 640);
  laps = score_loop (__i__ & 2 ? REPEAT : PING_PONG, reverse,
      reverse ? 14999 : 15000, 10000, 20000,
      retro_test_frames_out (&play->out));
  g_array_append_vals (order, laps->data, laps->len);
  g_array_unref (laps);
  assert_begins (play, order);
}

/* ---- the property "direction" in a ping-pong ----------------------------------- */

/* Given the backward pass of a ping-pong, during which direction still is forward. When it is set
 * to forward again, then nothing changes. */
TEST (the_same_direction_changes_nothing)
{
  AUTO_PLAY play = new_loop (PING_PONG, FALSE, 0, N_FRAMES);

  retro_play_start (play, 30000);
  retro_play_set_reverse (play, FALSE);
  retro_play_go_on (play, 3 * N_FRAMES);
  retro_play_stop (play);
  assert_begins (play, score_loop (PING_PONG, FALSE, 0, 0, N_FRAMES,
          retro_test_frames_out (&play->out)));
  retro_play_assert_sound (play, 0, RETRO_PLAY_LOOPED);
}

/* Given the same pass. When direction is set to reverse, then it continues backwards, because it
 * already plays backwards. When it's then set to forward, it turns at that frame. */
TEST (a_backward_pass_turns_by_a_new_direction)
{
  AUTO_PLAY play = new_loop (PING_PONG, FALSE, 0, N_FRAMES);
  GArray *order = retro_order_new ();
  guint64 turned, lowest;

  retro_play_start (play, 30000);
  retro_play_set_reverse (play, TRUE);
  retro_play_go_on (play, 36000);
  retro_play_set_reverse (play, FALSE);
  retro_play_go_on (play, 50000);
  retro_play_stop (play);
  turned = frames_before_segment (play, 2);
  fail_unless (turned >= 36000 && turned <= 36000 + 2 * 320, "turned at %u",
      (guint) turned);
  lowest = 2 * N_FRAMES - 1 - turned;
  retro_order_up (order, 0, N_FRAMES);
  retro_order_down (order, lowest, turned - N_FRAMES);
  retro_order_up (order, lowest + 1, N_FRAMES - 1 - lowest);
  retro_order_down (order, 0, N_FRAMES - 1);
  assert_begins (play, order);
  retro_play_assert_sound (play, 0, RETRO_PLAY_LOOPED);
}

/* ---- invalid markers ---------------------------------------------------------- */

static const struct
{
  guint64 start, stop;          /* as set by the application */
  guint64 first, end;           /* the frames that are repeated */
  const gchar *reason, *words;
} wrong_markers[] = {
  {10000, 90000, 10000, N_FRAMES, "markers-outside", "outside the stream"},
  {20000, 10000, 10000, 20000, "markers-swapped", "swapped"},
  {20000, 20000, 0, N_FRAMES, "markers-empty", "nothing between"},
  {30000, 90000, 0, N_FRAMES, "markers-empty", "nothing between"},
};

LOOP_TEST (wrong_markers_are_reported, G_N_ELEMENTS (wrong_markers))
{
  guint64 first = wrong_markers[__i__].first, end = wrong_markers[__i__].end;
  AUTO_PLAY play = new_loop (REPEAT, TRUE, wrong_markers[__i__].start,
      wrong_markers[__i__].stop);
  guint n_frames = N_FRAMES + 2 * (end - first);

  retro_play_start (play, n_frames);
  retro_play_assert_reports (play, GST_MESSAGE_WARNING,
      wrong_markers[__i__].reason, wrong_markers[__i__].words);
  retro_play_stop (play);
  /* the warning must not be repeated */
  fail_unless (retro_test_pop_message (&play->out, GST_MESSAGE_WARNING)
      == NULL);
  assert_begins (play, score_loop (REPEAT, TRUE, N_FRAMES - 1, first, end,
          retro_test_frames_out (&play->out)));
}
