/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * revbuf after a faulty source: it must output all frames in descending order, or post an
 * error that says why not. Nothing may hang.
 */

#include "retrotestfaults.h"
#include "retrotestplay.h"

#include <string.h>

/* several blocks of 300 ms, at 8000 frames per second */
#define N_FRAMES 20000

static const gchar *const descriptions[] = {
  "revbuf direction=reverse block-time=300000000",
  "revbuf direction=reverse mode=seek block-time=300000000"
};

/* The text of the next error or warning; NULL if there is none. */
static gchar *
pop_sentence (RetroPlay * play, GstMessageType type)
{
  GstMessage *message = gst_bus_pop_filtered (play->out.bus, type);
  GError *error;
  gchar *sentence;

  if (message == NULL)
    return NULL;
  if (type == GST_MESSAGE_ERROR)
    gst_message_parse_error (message, &error, NULL);
  else
    gst_message_parse_warning (message, &error, NULL);
  sentence = g_strdup (error->message);
  g_error_free (error);
  gst_message_unref (message);
  return sentence;
}

/* Plays the whole stream. Asserts that the output is correct, and that there is an
 * error message if it is incomplete. If @may_fail is FALSE, there must be no error. */
static void
assert_plays_or_says_why (RetroPlay * play, guint64 n_frames,
    gboolean may_fail, const gchar * what)
{
  guint64 heard;
  g_autofree gchar *sentence = NULL;

  retro_play_run (play);
  sentence = pop_sentence (play, GST_MESSAGE_ERROR);    /* this must be before the
                                                         * pipeline is stopped, which
                                                         * clears the bus */
  retro_play_stop (play);
  heard = retro_test_frames_out (&play->out);
  fail_unless (heard == n_frames || sentence != NULL,
      "%s: %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT
      " frames, and not a word", what, heard, n_frames);
  fail_unless (may_fail || sentence == NULL, "%s: %s", what, sentence);
  fail_unless (heard <= n_frames, "%s: %" G_GUINT64_FORMAT " frames", what,
      heard);
  if (heard > 0)
    retro_test_assert_down (&play->out, n_frames - heard, heard);
  fail_unless_equals_int (retro_test_n_events (&play->out, GST_EVENT_EOS), 1);
}

/* Wrong or additional events must not affect the output: all frames are output. */
LOOP_TEST (events_may_be_odd, 2 * RETRO_TEST_N_FAULTS)
{
  RetroTestFault fault = __i__ / 2;
  RetroPlay *play = retro_play_new_plain (descriptions[__i__ % 2], N_FRAMES);
  RetroTestFaults *faults = retro_test_faults_new (play->source, fault);
  gchar *what = g_strdup_printf ("%s, %s", retro_test_fault_name (fault),
      descriptions[__i__ % 2]);

  assert_plays_or_says_why (play, N_FRAMES, FALSE, what);
  g_free (what);
  retro_play_free (play);
  retro_test_faults_free (faults);
}

/* Wrong or additional events must not affect a change of direction. */
LOOP_TEST (events_may_be_odd_at_a_turn, RETRO_TEST_N_FAULTS)
{
  RetroTestFault fault = __i__;
  RetroPlay *play = retro_play_new_plain ("revbuf block-time=300000000",
      N_FRAMES);
  RetroTestFaults *faults = retro_test_faults_new (play->source, fault);
  GArray *heard;
  gchar *sentence;
  guint64 i, n;

  retro_play_start (play, 10000);
  retro_play_set_reverse (play, TRUE);
  retro_play_finish (play);
  sentence = pop_sentence (play, GST_MESSAGE_ERROR);
  retro_play_stop (play);
  fail_unless (sentence == NULL, "%s: %s", retro_test_fault_name (fault),
      sentence);
  /* The frame numbers rise until the direction changes, and then fall to 0. The
   * change may be late by one buffer, which was in the queue. */
  heard = retro_play_heard (play);
  n = (heard->len + 1) / 2;
  fail_unless (n >= 10000 && heard->len == 2 * n - 1, "%s: %u frames",
      retro_test_fault_name (fault), heard->len);
  for (i = 0; i < heard->len; i++)
    fail_unless_equals_uint64 (g_array_index (heard, guint64, i),
        i < n ? i : 2 * n - 2 - i);
  g_array_unref (heard);
  retro_play_free (play);
  retro_test_faults_free (faults);
}

/* Runs that begin with a seek end early, but the first run, which began without
 * a seek, ended later. So the element knows that audio is missing, and must
 * post an error. */
LOOP_TEST (runs_that_end_before_the_start_does_are_reported, 4)
{
  AUTO_PLAY play = retro_play_new_plain (descriptions[__i__ % 2], N_FRAMES);

  play->knobs->breaks_at_frame = __i__ < 2 ? 1000 : 5000;
  play->knobs->breaks_in_take = 1;
  assert_plays_or_says_why (play, N_FRAMES, TRUE, descriptions[__i__ % 2]);
}

/* ---- messages about an early end -------------------------------------------- */

#define SAYS_THE_END "ended at 1.875 s" /* 15000 frames */

/* Plays the stream. Asserts that all @n_frames frames are output, and that there is
 * exactly one warning about the early end if @is_told is TRUE, otherwise none. */
static void
assert_word (RetroPlay * play, gboolean is_told, guint64 n_frames,
    const gchar * what)
{
  gchar *first, *second;

  retro_play_run (play);
  first = pop_sentence (play, GST_MESSAGE_WARNING);
  second = pop_sentence (play, GST_MESSAGE_WARNING);
  retro_play_stop (play);
  fail_unless (is_told == (first != NULL && strstr (first, SAYS_THE_END)),
      "%s: %s", what, first);
  fail_unless (is_told || first == NULL, "%s: %s", what, first);
  fail_unless (second == NULL, "%s: also: %s", what, second);
  fail_unless_equals_uint64 (retro_test_frames_out (&play->out), n_frames);
  g_free (first);
  retro_play_free (play);
}

/* A stream of 20000 frames in which run number @take and all later runs end at
 * frame 15000. A run is the audio from the start or from a seek up to the next
 * seek. Run 0 is the audio before the first seek. */
static RetroPlay *
play_to_15000 (const gchar * description, guint take)
{
  RetroPlay *play = retro_play_new_plain (description, N_FRAMES);

  play->knobs->duration_ns = N_FRAMES * (GST_SECOND / 8000);
  play->knobs->breaks_at_frame = 15000;
  play->knobs->breaks_in_take = take;
  return play;
}

LOOP_TEST (an_early_end_is_reported, 6)
{
  const gchar *description = descriptions[__i__ % 2];

  assert_word (play_to_15000 (description, __i__ / 2), TRUE, 15000,
      description);
}

/* No warning may be posted if less than half a second is missing, or if the duration
 * was an estimate that changes. */
LOOP_TEST (an_unexpected_end_without_a_duration_is_not_reported, 4)
{
  RetroPlay *play = play_to_15000 (descriptions[__i__ % 2], 1);

  play->knobs->duration_ns = 15000 * (GST_SECOND / 8000);
  if (__i__ / 2 == 0)
    play->knobs->duration_ns += 499 * GST_MSECOND;
  else
    play->knobs->duration_drift_ns = GST_MSECOND;
  assert_word (play, FALSE, 15000, descriptions[__i__ % 2]);
}
