/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * revbuf: which seek arrives upstream for a seek from downstream.
 */

#include "retrotest.h"

#define FLAGS (GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_ACCURATE)
#define T (3 * GST_SECOND)
#define NONE GST_CLOCK_TIME_NONE

typedef struct
{
  const gchar *element;
  gdouble rate;
  GstSeekType start_type;
  gint64 start;
  GstSeekType stop_type;
  gint64 stop;
} Seek;

/* Sends the seek @sent, and asserts that @expected arrives upstream. */
static void
assert_seek (const Seek * sent, const Seek * expected)
{
  AUTO_TEST t = retro_test_new (sent->element);
  g_autoptr (GstEvent) event =
      retro_test_seek (t, sent->rate, FLAGS, sent->start_type, sent->start,
      sent->stop_type, sent->stop);
  GstSeekFlags flags;
  GstFormat format;
  Seek got;

  gst_event_parse_seek (event, &got.rate, &format, &flags, &got.start_type,
      &got.start, &got.stop_type, &got.stop);
  fail_unless_equals_int (format, GST_FORMAT_TIME);
  fail_unless_equals_int (flags, FLAGS);
  fail_unless_equals_float (got.rate, expected->rate);
  fail_unless_equals_int (got.start_type, expected->start_type);
  fail_unless_equals_int64 (got.start, expected->start);
  fail_unless_equals_int (got.stop_type, expected->stop_type);
  fail_unless_equals_int64 (got.stop, expected->stop);
}

#define SET GST_SEEK_TYPE_SET
#define KEEP GST_SEEK_TYPE_NONE
#define END GST_SEEK_TYPE_END

static const Seek as_they_are[] = {
  /* a seek to a range plays the whole range backwards */
  {"revbuf direction=reverse", 1, SET, 0, SET, T},
  {"revbuf direction=reverse", 1, SET, GST_SECOND, SET, T},
  {"revbuf direction=reverse mode=collect", 2, SET, GST_SECOND, SET, T},
  {"revbuf direction=reverse", 1, KEEP, NONE, SET, T},
  /* nothing is collected, so the seek is unchanged */
  {"revbuf", 1, SET, T, SET, NONE},
  {"revbuf mode=collect", 1, SET, T, SET, NONE},
  {"revbuf direction=reverse mode=chunk", 1, SET, T, SET, NONE},
  /* upstream must play backwards itself */
  {"revbuf", -1, SET, 0, SET, T},
  {"revbuf", -2, SET, 0, SET, NONE},
  {"revbuf mode=chunk", -1, SET, 0, SET, T},
  {"revbuf mode=collect", -1, SET, 0, SET, T},
  {"revbuf mode=collect", -2, SET, GST_SECOND, SET, T},
  {"revbuf mode=collect", -0.5, SET, 0, SET, NONE},
  {"revbuf direction=reverse", -1, SET, 0, SET, T},
};

LOOP_TEST (a_seek_that_can_stay_as_it_is_does, G_N_ELEMENTS (as_they_are))
{
  assert_seek (&as_they_are[__i__], &as_they_are[__i__]);
}

/* With direction=reverse, a seek to T plays from T to the beginning. */
static const Seek from_t[][2] = {
  {{"revbuf direction=reverse", 1, SET, T, SET, NONE},
      {NULL, 1, SET, 0, SET, T}},
  {{"revbuf direction=reverse", 2, SET, T, KEEP, NONE},
      {NULL, 2, SET, 0, SET, T}},
  {{"revbuf direction=reverse", 1, SET, T, KEEP, GST_SECOND},
      {NULL, 1, SET, 0, SET, T}},
  {{"revbuf direction=reverse mode=collect", 1, SET, T, SET, NONE},
      {NULL, 1, SET, 0, SET, T}},
  {{"revbuf direction=reverse mode=seek", 1, SET, T, SET, NONE},
      {NULL, 1, SET, 0, SET, T}},
  /* a seek to 0 plays nothing */
  {{"revbuf direction=reverse", 1, SET, 0, SET, NONE},
      {NULL, 1, SET, 0, SET, 0}},
  {{"revbuf direction=reverse mode=collect", 1, SET, 0, KEEP, NONE},
      {NULL, 1, SET, 0, SET, 0}},
};

LOOP_TEST (a_seek_to_a_position_plays_from_there_to_the_beginning,
    G_N_ELEMENTS (from_t))
{
  assert_seek (&from_t[__i__][0], &from_t[__i__][1]);
}

/* A seek with GST_SEEK_TYPE_NONE must keep the stop that the application has
 * set, not the stop that the element has sent upstream for the previous seek.
 * If the application has set a stop, the previous seek keeps that stop, too,
 * and the element sends no stop upstream. */
LOOP_TEST (a_stop_that_is_left_as_it_is_is_the_applications, 2)
{
  AUTO_TEST t = retro_test_new ("revbuf direction=reverse mode=collect");
  const gint64 asked = __i__ == 0 ? NONE : 9 * GST_SECOND;
  GstSeekType type;
  g_autoptr (GstEvent) event = NULL;
  gint64 stop;

  gst_event_unref (retro_test_seek (t, 1, FLAGS, SET, 0, SET, asked));
  gst_event_unref (retro_test_seek (t, 1, FLAGS, SET, T, GST_SEEK_TYPE_NONE,
          NONE));
  retro_test_flush (t);
  gst_util_set_object_arg (G_OBJECT (t->element), "direction", "forward");
  event = retro_test_seek (t, 1, FLAGS, SET, 2 * T, GST_SEEK_TYPE_NONE, NONE);
  gst_event_parse_seek (event, NULL, NULL, NULL, NULL, NULL, &type, &stop);
  fail_unless_equals_int (type, __i__ == 0 ? SET : KEEP);
  if (__i__ == 0)
    fail_unless_equals_int64 (stop, NONE);
}

TEST (an_instant_rate_moves_no_stop)
{
  AUTO_TEST t = retro_test_new ("revbuf direction=reverse mode=collect");
  GstSeekType type;
  g_autoptr (GstEvent) event = NULL;

  gst_event_unref (retro_test_seek (t, 1, FLAGS, SET, T, GST_SEEK_TYPE_NONE,
          NONE));
  event = retro_test_seek (t, 2, GST_SEEK_FLAG_INSTANT_RATE_CHANGE,
      GST_SEEK_TYPE_NONE, 0, GST_SEEK_TYPE_NONE, 0);
  gst_event_parse_seek (event, NULL, NULL, NULL, NULL, NULL, &type, NULL);
  fail_unless_equals_int (type, GST_SEEK_TYPE_NONE);
}

TEST (a_seek_of_another_format_is_not_touched)
{
  AUTO_TEST t = retro_test_new ("revbuf mode=collect direction=reverse");
  g_autoptr (GstEvent) event =
      gst_event_new_seek (-1, GST_FORMAT_BYTES, FLAGS, SET, 5, SET, -1);
  g_autoptr (GstEvent) arrived = NULL;

  gst_event_ref (event);
  while (gst_harness_upstream_events_in_queue (t->h) > 0)
    gst_event_unref (gst_harness_pull_upstream_event (t->h));
  gst_harness_push_upstream_event (t->h, event);
  arrived = gst_harness_pull_upstream_event (t->h);
  fail_unless (arrived == event);
}

static gboolean
refuse (GstPad * pad, GstObject * parent, GstEvent * event)
{
  gst_event_unref (event);
  return FALSE;
}

TEST (a_refused_seek_backwards_names_the_way_out)
{
  AUTO_TEST t = retro_test_new ("revbuf mode=collect");
  g_autoptr (GError) error = NULL;
  g_autoptr (GstMessage) message = NULL;

  gst_pad_set_event_function (t->h->srcpad, refuse);
  fail_if (gst_harness_push_upstream_event (t->h, gst_event_new_seek (-1,
              GST_FORMAT_TIME, FLAGS, SET, 0, SET, NONE)));
  message = retro_test_pop_message (t, GST_MESSAGE_WARNING);
  fail_unless (message != NULL);
  gst_message_parse_warning (message, &error, NULL);
  fail_unless (strstr (error->message, "set direction=reverse") != NULL);
}
