/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * revbuf: the property "direction" changes while the stream plays. The next frame must be
 * the neighbour of the current frame in the new direction.
 */

#include "retrotestplay.h"

#define N_FRAMES 60000

/* The expected output. */
typedef struct
{
  GArray *order;
  gint64 at;                    /* the last frame in the order. -1 if there is none */
} Score;

static void
score_up (Score * score, guint64 n_frames)
{
  retro_order_up (score->order, score->at + 1, n_frames);
  score->at += n_frames;
}

static void
score_down (Score * score, guint64 n_frames)
{
  retro_order_down (score->order, score->at - n_frames, n_frames);
  score->at -= n_frames;
}

/* ---- at known positions ------------------------------------------------------ */

/* The positions at which the direction changes, as numbers of output frames.
 * The direction is changed while the sink receives the buffer that contains the
 * next position of the list. */
typedef struct
{
  const guint64 *places;        /* the list ends with 0 */
  gboolean reverse;
} Turns;

static void
turn_at_places (RetroPlay * play, guint64 from, guint64 to)
{
  Turns *turns = play->watch_data;

  if (*turns->places == 0 || to < *turns->places)
    return;
  turns->places++;
  turns->reverse = !turns->reverse;
  retro_play_set_reverse (play, turns->reverse);
}

/* Returns the number of output frames when the direction changed, which is the end of the
 * buffer that contains @place. */
static guint64
end_of_buffer_at (RetroPlay * play, guint64 place)
{
  guint64 n_frames = 0;
  guint i;

  for (i = 0; n_frames < place; i++)
    n_frames += retro_test_buffer_frames (&play->out,
        retro_test_nth_buffer (&play->out, i));
  return n_frames;
}

static const guint64 turning_places[][5] = {
  {3200, 0}, {320, 0}, {1, 0}, {40000, 0}, {3200, 4000, 0},
  {20000, 20400, 20900, 23000, 0}, {9000, 18000, 0}, {50000, 90000, 0}
};

static const gchar *const starts[] = {
  "revbuf mode=seek", "revbuf mode=auto",
  "revbuf mode=seek direction=reverse", "revbuf direction=reverse",
};

SOME_TEST (turns_at_the_buffer_that_is_played,
    12, G_N_ELEMENTS (starts) * G_N_ELEMENTS (turning_places))
{
  const gchar *start = starts[__i__ / G_N_ELEMENTS (turning_places)];
  const guint64 *places = turning_places[__i__ % G_N_ELEMENTS (turning_places)];
  gboolean reverse = g_str_has_suffix (start, "direction=reverse");
  AUTO_PLAY play = retro_play_new_plain (start, N_FRAMES);
  Score score = { retro_order_new (), reverse ? N_FRAMES : -1 };
  Turns turns = { places, reverse };
  guint64 heard = 0, until;
  static const gsize cut[] = { 320, 0 };

  play->knobs->cut = cut;
  play->watch = turn_at_places;
  play->watch_data = &turns;
  retro_play_run (play);
  for (; *places != 0 && *places < retro_test_frames_out (&play->out);
      places++, heard = until, reverse = !reverse) {
    until = end_of_buffer_at (play, *places);
    (reverse ? score_down : score_up) (&score, until - heard);
  }
  if (reverse)
    score_down (&score, score.at);
  else
    score_up (&score, N_FRAMES - 1 - score.at);
  retro_test_assert_order (&play->out, score.order);
  retro_play_assert_sound (play, 0, RETRO_PLAY_JOINED);
  fail_unless_equals_int (retro_test_n_events (&play->out, GST_EVENT_EOS), 1);
}

/* ---- many changes ----------------------------------------------------------- */

static void
turn_always (RetroPlay * play, guint64 from, guint64 to)
{
  guint *turns_left = play->watch_data;

  /* the direction alternates, and is reverse at the end */
  if (*turns_left > 0) {
    --*turns_left;
    retro_play_set_reverse (play, *turns_left % 2 == 0);
  }
}

SOME_TEST (many_turns_do_not_drift, 2, G_N_ELEMENTS (starts))
{
  guint turns_left = 1000;
  AUTO_PLAY play = NULL;

  /* at this rate, no buffer lasts a whole number of nanoseconds */
  GstAudioInfo info =
      retro_test_info (GST_AUDIO_FORMAT_S32, INTERLEAVED, 7919, 2);
  play = retro_play_new (starts[__i__], &info, N_FRAMES);
  play->watch = turn_always;
  play->watch_data = &turns_left;
  retro_play_run (play);
  fail_unless_equals_int (turns_left, 0);
  fail_unless (retro_test_n_events (&play->out, GST_EVENT_SEGMENT) >= 999);
  retro_play_assert_sound (play, 0, RETRO_PLAY_JOINED);
}

/* An application's thread changes the direction at any moment. */
LOOP_TEST (turns_from_another_thread, G_N_ELEMENTS (starts))
{
  AUTO_PLAY play = retro_play_new_plain (starts[__i__], N_FRAMES);
  guint n;

  retro_play_start (play, 6400);
  for (n = 0; n < 200; n++) {
    retro_play_set_reverse (play, n % 2 == 0);
    if (n % 5 == 0)
      retro_play_go_on (play, 6400 + n * 20);
  }
  retro_play_set_reverse (play, TRUE);
  retro_play_finish (play);
  retro_play_stop (play);
  retro_play_assert_sound (play, 0, RETRO_PLAY_JOINED);
  fail_unless_equals_int (retro_test_n_events (&play->out, GST_EVENT_EOS), 1);
}

/* ---- other states and faults ----------------------------------------------- */

/* In PAUSED, the sink already holds one buffer (preroll). This buffer is output
 * before the direction changes. */
LOOP_TEST (turns_in_paused, G_N_ELEMENTS (starts))
{
  AUTO_PLAY play = retro_play_new_plain (starts[__i__], N_FRAMES);
  gboolean reverse = g_str_has_suffix (starts[__i__], "direction=reverse");
  GArray *order = retro_order_new ();
  guint64 n_first;
  static const gsize cut[] = { 320, 0 };

  play->knobs->cut = cut;
  retro_play_pause (play);
  retro_play_set_reverse (play, !reverse);
  retro_play_run (play);
  n_first = retro_test_buffer_frames (&play->out,
      retro_test_nth_buffer (&play->out, 0));
  if (reverse) {
    retro_order_down (order, N_FRAMES - n_first, n_first);
    retro_order_up (order, N_FRAMES - n_first + 1, n_first - 1);
  } else {
    retro_order_up (order, 0, n_first);
    retro_order_down (order, 0, n_first - 1);
  }
  retro_test_assert_order (&play->out, order);
  retro_play_assert_sound (play, 0, RETRO_PLAY_JOINED);
}

/* A change of direction that is undone before the next buffer must have no effect. */
LOOP_TEST (two_turns_in_a_row_are_none, G_N_ELEMENTS (starts))
{
  AUTO_PLAY play = retro_play_new_plain (starts[__i__], N_FRAMES);
  gboolean reverse = g_str_has_suffix (starts[__i__], "direction=reverse");

  retro_play_start (play, 3200);
  retro_play_set_reverse (play, !reverse);
  retro_play_set_reverse (play, reverse);
  retro_play_finish (play);
  if (reverse)
    retro_test_assert_down (&play->out, 0, N_FRAMES);
  else
    retro_test_assert_up (&play->out, 0, N_FRAMES);
  retro_play_assert_sound (play, 0, RETRO_PLAY_JOINED);
}

/* The direction changes although the decoder needs a preroll and frame numbers after a
 * seek are inexact. */
LOOP_TEST (turns_over_seams_that_need_work, 4)
{
  static const guint64 places[] = { 9000, 13000, 30000, 45000, 0 };
  AUTO_PLAY play = retro_play_new_plain ("revbuf direction=reverse "
      "block-time=300000000", N_FRAMES);
  Turns turns = { places, TRUE };

  play->knobs->settle_frames = __i__ % 2 ? 6000 : 12000;
  play->knobs->shift_frames = __i__ / 2 ? 7 : 0;
  play->watch = turn_at_places;
  play->watch_data = &turns;
  retro_play_run (play);
  fail_unless_equals_uint64 (*turns.places, 0);
  retro_play_assert_sound (play, 0, RETRO_PLAY_JOINED);
  fail_unless_equals_uint64 (retro_play_stat (play, "seams-crossfaded"), 0);
}

/* Playback must keep the rate of the application's seek in both directions. */
TEST (turns_keep_the_rate)
{
  static const guint64 places[] = { 9000, 13000, 30000, 0 };
  AUTO_PLAY play = retro_play_new_plain ("revbuf mode=seek", N_FRAMES);
  Turns turns = { places, FALSE };
  guint n;

  retro_play_start (play, 3200);
  fail_unless (retro_play_seek (play, -2, GST_SEEK_FLAG_FLUSH,
          GST_SEEK_TYPE_SET, 0, GST_SEEK_TYPE_SET, PLAIN_NS (40000)));
  turns.places = places;
  play->watch = turn_at_places;
  play->watch_data = &turns;
  retro_play_finish (play);
  for (n = 1; n < retro_test_n_events (&play->out, GST_EVENT_SEGMENT); n++)
    fail_unless_equals_float (retro_test_nth_segment (&play->out, n).rate, 2);
  fail_unless (n > 1);
  retro_play_assert_sound (play, 1, RETRO_PLAY_JOINED);
}

/* ---- during seeks --------------------------------------------------------- */

static void
open_gate (RetroPlay * play)
{
  g_mutex_lock (&play->lock);
  play->gate_frames = G_MAXUINT64;
  g_cond_broadcast (&play->changed);
  g_mutex_unlock (&play->lock);
}

/* Changes the direction while the first seek is being sent to the source. */
static GstPadProbeReturn
turn_in_seek (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  RetroPlay *play = data;

  if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) != GST_EVENT_SEEK)
    return GST_PAD_PROBE_OK;
  gst_pad_remove_probe (pad, GST_PAD_PROBE_INFO_ID (info));
  retro_play_set_reverse (play, TRUE);
  retro_play_go_on (play, 20000);
  open_gate (play);
  return GST_PAD_PROBE_OK;
}

/* The application's seek returns only after the source's streaming thread has
 * handled the seek. So the element must not let the streaming thread wait for a
 * seek that the element sends. */
TEST (a_turn_in_a_seek_without_flush_waits_for_that)
{
  AUTO_PLAY play = retro_play_new_plain ("revbuf", N_FRAMES);

  retro_play_start (play, 10000);
  gst_element_get_state (play->pipeline, NULL, NULL, GST_CLOCK_TIME_NONE);
  retro_play_probe (play->source, "src", GST_PAD_PROBE_TYPE_EVENT_UPSTREAM,
      turn_in_seek, play);
  fail_unless (retro_play_seek (play, 1, GST_SEEK_FLAG_NONE, GST_SEEK_TYPE_SET,
          0, GST_SEEK_TYPE_NONE, 0));
  retro_play_finish (play);
  /* the source may reach its end before its thread handles the seek */
  fail_unless (play->frames_out >= N_FRAMES);
}

static GAsyncQueue *sent;       /* an item for each buffer of the source */

static GstPadProbeReturn
count_sent (GstPad * pad, GstPadProbeInfo * info, gpointer unused)
{
  g_async_queue_push (sent, pad);
  return GST_PAD_PROBE_OK;
}

/* The source's own event function. Its replacement returns from a seek only after the
 * first buffers from the target have been sent. */
static GstPadEventFunction answer_at_once;

static gboolean
answer_late (GstPad * pad, GstObject * parent, GstEvent * event)
{
  gboolean is_seek = GST_EVENT_TYPE (event) == GST_EVENT_SEEK;
  gboolean answer;

  while (is_seek && g_async_queue_try_pop (sent) != NULL);
  answer = answer_at_once (pad, parent, event);
  if (is_seek) {
    g_async_queue_pop (sent);
    g_async_queue_pop (sent);   /* so that the element has handled the first one */
  }
  return answer;
}

TEST (a_flushing_seek_may_be_answered_after_its_audio)
{
  AUTO_PLAY play = retro_play_new_plain ("revbuf mode=seek", N_FRAMES);
  GstPad *pad = gst_element_get_static_pad (GST_ELEMENT (play->source), "src");
  guint64 before;

  retro_play_start (play, 10000);
  before = play->frames_out;
  answer_at_once = GST_PAD_EVENTFUNC (pad);
  gst_pad_set_event_function (pad, answer_late);
  gst_object_unref (pad);
  sent = g_async_queue_new ();
  retro_play_probe (play->source, "src", GST_PAD_PROBE_TYPE_BUFFER, count_sent,
      NULL);
  retro_play_set_reverse (play, TRUE);
  fail_unless (retro_play_seek (play, 1, GST_SEEK_FLAG_FLUSH,
          GST_SEEK_TYPE_SET, PLAIN_NS (N_FRAMES), GST_SEEK_TYPE_NONE, 0));
  retro_play_finish (play);
  fail_unless (play->frames_out - before >= N_FRAMES);
  retro_play_stop (play);
  g_async_queue_unref (sent);
}

static GstPadProbeReturn
flush_in_query (GstPad * pad, GstPadProbeInfo * info, gpointer unused)
{
  GstEvent *segment;

  if (GST_QUERY_TYPE (GST_PAD_PROBE_INFO_QUERY (info)) != GST_QUERY_DURATION)
    return GST_PAD_PROBE_OK;
  segment = gst_pad_get_sticky_event (pad, GST_EVENT_SEGMENT, 0);
  gst_pad_push_event (pad, gst_event_new_flush_start ());
  gst_pad_push_event (pad, gst_event_new_flush_stop (FALSE));
  gst_pad_push_event (pad, segment);
  return GST_PAD_PROBE_REMOVE;
}

/* At a change of direction, the element queries the duration from upstream. A flush
 * arrives during this query. */
TEST (a_flush_while_upstream_is_asked_does_not_hang)
{
  AUTO_PLAY play = retro_play_new_plain ("revbuf", N_FRAMES);
  guint64 n_frames;

  retro_play_start (play, 3200);
  retro_play_probe (play->source, "src", GST_PAD_PROBE_TYPE_QUERY_UPSTREAM
      | GST_PAD_PROBE_TYPE_PUSH, flush_in_query, NULL);
  retro_play_set_reverse (play, TRUE);
  retro_play_finish (play);
  n_frames = retro_test_frames_out (&play->out);
  retro_test_assert_runs (&play->out, UP (0, n_frames / 2 + 1), DOWN (0,
          n_frames / 2));
}
