/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Progress messages of revbuf to the application.
 */

#include "retrotest.h"

#include <stdlib.h>
#include <string.h>

#define N 10000

typedef struct
{
  GstProgressType type;
  gint percent;                 /* -1 if it is not in the message */
} Step;

static RetroTest *
collecting (GstClockTime stop)
{
  return retro_test_plain ("revbuf direction=reverse", 1, stop);
}

static gint
percent_in (const gchar * text)
{
  const gchar *sign = strchr (text, '%');

  if (sign == NULL)
    return -1;
  while (sign > text && strchr ("0123456789 ", sign[-1]) != NULL)
    sign--;
  return atoi (sign);
}

/* Removes and returns all progress messages with @code. */
static GArray *
steps_of (RetroTest * t, const gchar * code)
{
  GArray *steps = g_array_new (FALSE, FALSE, sizeof (Step));
  GstMessage *message;

  while ((message = retro_test_pop_message (t, GST_MESSAGE_PROGRESS))) {
    gchar *its_code, *text;
    Step step;

    gst_message_parse_progress (message, &step.type, &its_code, &text);
    step.percent = percent_in (text);
    if (g_str_equal (its_code, code))
      g_array_append_val (steps, step);
    g_free (its_code);
    g_free (text);
    gst_message_unref (message);
  }
  return steps;
}

static Step
nth (GArray * steps, guint n)
{
  return g_array_index (steps, Step, n);
}

/* Asserts that the first message is START, that CONTINUE messages with
 * increasing percentages follow, and that the last message is @how. If the last
 * message is COMPLETE, its percentage must be 100. */
static void
assert_whole (GArray * steps, GstProgressType how)
{
  guint i;

  fail_unless (steps->len > 2, "only %u messages", steps->len);
  fail_unless_equals_int (nth (steps, 0).type, GST_PROGRESS_TYPE_START);
  for (i = 1; i < steps->len - 1; i++) {
    fail_unless_equals_int (nth (steps, i).type, GST_PROGRESS_TYPE_CONTINUE);
    fail_unless (nth (steps, i).percent > nth (steps, i - 1).percent);
    fail_unless (nth (steps, i).percent <= 100);
  }
  fail_unless_equals_int (nth (steps, i).type, how);
  fail_unless_equals_int (nth (steps, i).percent == 100,
      how == GST_PROGRESS_TYPE_COMPLETE);
  g_array_unref (steps);
}

/* The length comes from the segment, or from the duration if the stop is open. */
LOOP_TEST (percents_are_those_of_the_stream, 2)
{
  AUTO_TEST t = retro_test_new ("revbuf direction=reverse mode=collect");
  g_autoptr (GArray) steps = NULL;

  retro_test_answer_queries (t, __i__ ? PLAIN_NS (N) : GST_CLOCK_TIME_NONE,
      GST_CLOCK_TIME_NONE);
  retro_test_start (t, NULL, 1, 0, __i__ ? GST_CLOCK_TIME_NONE : PLAIN_NS (N));
  retro_test_push (t, 0, 2500);
  retro_test_push (t, 2500, 5000);
  steps = steps_of (t, "collect");
  fail_unless_equals_int (steps->len, 2);
  fail_unless_equals_int (nth (steps, 0).percent, 25);
  fail_unless_equals_int (nth (steps, 1).percent, 75);
}

TEST (an_unknown_length_has_no_percents)
{
  AUTO_TEST t = collecting (GST_CLOCK_TIME_NONE);
  g_autoptr (GArray) steps = NULL;

  retro_test_push (t, 0, 4000);
  retro_test_eos (t);
  steps = steps_of (t, "collect");
  fail_unless_equals_int (steps->len, 2);
  fail_unless_equals_int (nth (steps, 0).type, GST_PROGRESS_TYPE_START);
  fail_unless_equals_int (nth (steps, 0).percent, -1);
  fail_unless_equals_int (nth (steps, 1).type, GST_PROGRESS_TYPE_COMPLETE);
}

TEST (a_message_comes_once_a_percent_at_most)
{
  AUTO_TEST t = collecting (PLAIN_NS (N));
  static const gsize sizes[] = { 1, 0 };
  GArray *steps;

  retro_test_push_cut (t, 0, N, sizes);
  retro_test_eos (t);
  steps = steps_of (t, "collect");
  fail_unless (steps->len <= 102, "%u messages", steps->len);
  assert_whole (steps, GST_PROGRESS_TYPE_COMPLETE);
}

LOOP_TEST (a_flush_or_a_stop_cancels, 2)
{
  AUTO_TEST t = collecting (PLAIN_NS (N));

  retro_test_push (t, 0, 1000);
  retro_test_push (t, 1000, 1000);
  if (__i__)
    retro_test_flush (t);
  else
    ASSERT_SET_STATE (t->element, GST_STATE_READY, GST_STATE_CHANGE_SUCCESS);
  assert_whole (steps_of (t, "collect"), GST_PROGRESS_TYPE_CANCELED);
}

TEST (playing_backwards_is_reported_from_start_to_complete)
{
  AUTO_TEST t = collecting (PLAIN_NS (200000));

  /* enough frames for several output buffers */
  retro_test_push (t, 0, 200000);
  retro_test_eos (t);
  assert_whole (steps_of (t, "reverse"), GST_PROGRESS_TYPE_COMPLETE);
}

TEST (an_error_ends_it_with_error)
{
  AUTO_TEST t = retro_test_plain ("revbuf direction=reverse max-memory=0 "
      "spill-directory=/nowhere/at/all", 1, PLAIN_NS (1000000));
  GArray *steps;
  guint i;

  for (i = 0; i < 10; i++)
    if (retro_test_push (t, i * 100000, 100000) != GST_FLOW_OK)
      break;
  fail_unless (i < 10);
  steps = steps_of (t, "collect");
  assert_whole (steps, GST_PROGRESS_TYPE_ERROR);
}

TEST (a_flipped_stream_has_no_progress)
{
  AUTO_TEST t = retro_test_plain ("revbuf", -1, PLAIN_NS (N));

  retro_test_push_backwards (t, N, 1000);
  retro_test_eos (t);
  fail_unless (retro_test_pop_message (t, GST_MESSAGE_PROGRESS) == NULL);
}

/* ---- position ----------------------------------------------------------- */

TEST (position_before_is_the_duration_where_the_stop_is_open)
{
  AUTO_TEST t = collecting (GST_CLOCK_TIME_NONE);

  retro_test_answer_queries (t, PLAIN_NS (8888), PLAIN_NS (5));
  fail_unless_equals_clocktime (retro_test_position (t), PLAIN_NS (8888));
  retro_test_push (t, 0, N);
  fail_unless_equals_clocktime (retro_test_position (t), PLAIN_NS (8888));
}

TEST (position_is_the_stop_again_after_a_flush)
{
  AUTO_TEST t = collecting (PLAIN_NS (N));
  GstSegment segment = retro_test_segment (1, 0, PLAIN_NS (7777));

  retro_test_push (t, 0, N);
  retro_test_eos (t);
  fail_unless_equals_clocktime (retro_test_position (t), 0);
  retro_test_flush (t);
  retro_test_send_segment (t, &segment);
  fail_unless_equals_clocktime (retro_test_position (t), PLAIN_NS (7777));
}

TEST (segment_query_says_backwards)
{
  AUTO_TEST t = collecting (GST_CLOCK_TIME_NONE);
  g_autoptr (GstQuery) query = gst_query_new_segment (GST_FORMAT_TIME);
  GstFormat format;
  gint64 start, stop;
  gdouble rate;

  retro_test_push (t, 0, N);
  retro_test_eos (t);
  fail_unless (gst_pad_peer_query (t->h->sinkpad, query));
  gst_query_parse_segment (query, &rate, &format, &start, &stop);
  fail_unless_equals_float (rate, -1);
  fail_unless_equals_int (format, GST_FORMAT_TIME);
  fail_unless_equals_int64 (start, 0);
  fail_unless_equals_int64 (stop, PLAIN_NS (N));
}
