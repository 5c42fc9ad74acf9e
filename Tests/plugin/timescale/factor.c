/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * timescale: factor and pitch change while the stream plays.
 */

#include "scalemodel.h"

#include <math.h>

static RetroTest *
start (GstClockTime stop, const gchar * properties)
{
  gchar *description = g_strdup_printf ("timescale %s", properties);
  RetroTest *t = retro_test_plain (description, 1, stop);

  g_free (description);
  return t;
}

/* ---- times -------------------------------------------------------------- */

#define N 24000

static const struct
{
  const gchar *before, *after[4];       /* the properties, one after another */
} changes[] = {
  {"interpolation=linear", {"factor=2", "factor=0.5", "factor=100", "rate=1"}},
  {"factor=1.5", {"factor=0.6667", "factor=1.1", "factor=0.01", "factor=1"}},
  {"factor=1.5", {"keep-pitch=true", "keep-pitch=false", "keep-pitch=true",
          "keep-pitch=false"}},
  {"", {"semitones=12", "semitones=-12", "semitones=3", "semitones=0"}},
  {"keep-pitch=true", {"factor=1.5", "factor=1", "factor=0.6", "factor=2"}},
  {"semitones=5", {"factor=1.5", "factor=0.8", "factor=1", "factor=1.25"}},
  {"semitones=3", {"formants=keep", "formants=follow", "formant-semitones=5",
          "formants=keep"}}
};

/* Times must match the output, although a change may become audible long after the
 * property was set. */
LOOP_TEST (times_follow_a_change_that_is_output_later, G_N_ELEMENTS (changes))
{
  AUTO_TEST t = start (PLAIN_NS (N), changes[__i__].before);
  GstClockTime end_ns, told_ns, stop_ns;
  guint i;

  retro_test_answer_queries (t, PLAIN_NS (N), GST_CLOCK_TIME_NONE);
  for (i = 0; i < 5; i++) {
    scale_push_sound (t, i * N / 5, N / 5, 80);
    if (i < 4)
      scale_set (t, changes[__i__].after[i]);
  }
  retro_test_eos (t);
  retro_test_assert_perfect (t, 0);
  end_ns = PLAIN_NS (retro_test_frames_out (t));
  stop_ns = retro_test_last_segment (t).stop;
  fail_unless (end_ns <= stop_ns, "ends at %" GST_TIME_FORMAT ", the segment "
      "at %" GST_TIME_FORMAT, GST_TIME_ARGS (end_ns), GST_TIME_ARGS (stop_ns));
  told_ns = retro_test_duration (t);
  fail_unless (ABS (GST_CLOCK_DIFF (told_ns, end_ns)) <=
      (GstClockTimeDiff) PLAIN_NS (3), "lasts %" GST_TIME_FORMAT ", not %"
      GST_TIME_FORMAT, GST_TIME_ARGS (told_ns), GST_TIME_ARGS (end_ns));
}

/* The expected position is counted from the end: each input frame after the seek target
 * results in two output frames. */
TEST (a_seek_goes_to_its_output_time)
{
  AUTO_TEST t = start (GST_CLOCK_TIME_NONE, "keep-pitch=true window=music");
  gdouble expected;
  gint64 start_ns;
  GstEvent *event;

  scale_push_sound (t, 0, 8000, 80);
  scale_set (t, "factor=2");
  scale_push_sound (t, 8000, 16000, 80);
  event = retro_test_seek (t, 1, GST_SEEK_FLAG_ACCURATE, GST_SEEK_TYPE_SET,
      PLAIN_NS (20000), GST_SEEK_TYPE_NONE, -1);
  gst_event_parse_seek (event, NULL, NULL, NULL, NULL, &start_ns, NULL, NULL);
  gst_event_unref (event);
  retro_test_eos (t);
  expected = 24000 - (retro_test_frames_out (t) - 20000.0) / 2;
  fail_unless (fabs (start_ns / 125000.0 - expected) <= 2,
      "frame 20000 was frame %g, not %g", start_ns / 125000.0, expected);
}

/* ---- segments ----------------------------------------------------------- */

static void
set_factor (RetroTest * t, ScaleFactor factor)
{
  g_object_set (t->element, "factor", (gdouble) factor.num / factor.den, NULL);
}

TEST (a_fader_sends_no_segments)
{
  AUTO_TEST t = start (PLAIN_NS (4000), "");
  guint i;

  for (i = 0; i < 40; i++) {
    g_object_set (t->element, "factor", i % 2 ? 0.9 : 0.95, NULL);
    retro_test_push (t, i * 100, 100);
  }
  retro_test_eos (t);
  fail_unless_equals_int (retro_test_n_events (t, GST_EVENT_SEGMENT), 2);
  retro_test_assert_perfect (t, 0);
}

/* The element may send a second segment only if the output exceeds the stop of
 * the first segment, because resamplers restart at every segment. */
TEST (a_new_segment_is_sent_where_the_old_one_ends_only)
{
  AUTO_TEST t = start (PLAIN_NS (4000), "interpolation=linear");
  GstSegment before, after;

  retro_test_push (t, 0, 1000);
  before = retro_test_nth_segment (t, 0);
  fail_unless_equals_clocktime (before.stop, PLAIN_NS (4000));

  set_factor (t, scale_factors[1]);
  fail_unless_equals_int (retro_test_n_events (t, GST_EVENT_SEGMENT), 1);
  retro_test_push (t, 1000, 1000);
  fail_unless_equals_int (retro_test_n_events (t, GST_EVENT_SEGMENT), 1);
  retro_test_push (t, 2000, 2000);
  fail_unless_equals_int (retro_test_n_events (t, GST_EVENT_SEGMENT), 2);
  after = retro_test_nth_segment (t, 1);
  fail_unless_equals_clocktime (after.stop, GST_CLOCK_TIME_NONE);
  fail_unless_equals_clocktime (after.start, before.start);
  fail_unless_equals_clocktime (after.time, before.time);
  fail_unless_equals_clocktime (after.base, before.base);
  fail_unless_equals_uint64 (retro_test_nth_seqnum (t, 1),
      retro_test_nth_seqnum (t, 0));

  retro_test_eos (t);
  /* 1000 frames at factor 1; 53.33 output frames for the 40 input frames during which the
   * speed changes from 1 to 1/2; 2 × 2960 frames at factor 2 */
  fail_unless_equals_uint64 (retro_test_frames_out (t), 6973);
  retro_test_assert_perfect (t, 0);
}

TEST (the_application_hears_of_the_new_duration)
{
  AUTO_TEST t = start (PLAIN_NS (4000), "");

  retro_test_push (t, 0, 1000);
  set_factor (t, scale_factors[1]);
  retro_test_push (t, 1000, 1000);
  fail_unless (retro_test_take_messages (t, GST_MESSAGE_DURATION_CHANGED) > 0);
}

TEST (a_segment_after_a_change_follows_in_running_time)
{
  AUTO_TEST t = start (PLAIN_NS (2000), "interpolation=linear");
  GstSegment next = retro_test_segment (1, PLAIN_NS (8000), PLAIN_NS (9000));

  retro_test_push (t, 0, 1000);
  set_factor (t, scale_factors[1]);
  retro_test_push (t, 1000, 1000);
  next.base = PLAIN_NS (2000);
  retro_test_send_segment (t, &next);
  /* 1000 + 53.33 + 2 * 960 */
  fail_unless_equals_clocktime (retro_test_nth_segment (t, 2).base,
      PLAIN_NS (2973));
}

/* ---- the property ------------------------------------------------------- */

static void
count_notify (GObject * object, GParamSpec * pspec, gpointer count)
{
  ++*(gint *) count;
}

TEST (factor_and_rate_are_one_knob)
{
  AUTO_TEST t = retro_test_new ("timescale");
  gint factors = 0, rates = 0;
  gdouble factor, rate;

  g_signal_connect (t->element, "notify::factor", G_CALLBACK (count_notify),
      &factors);
  g_signal_connect (t->element, "notify::rate", G_CALLBACK (count_notify),
      &rates);
  g_object_set (t->element, "factor", 4.0, NULL);
  g_object_get (t->element, "rate", &rate, NULL);
  fail_unless_equals_float (rate, 0.25);
  fail_unless_equals_int (factors, 1);
  fail_unless_equals_int (rates, 1);

  g_object_set (t->element, "rate", 2.0, NULL);
  g_object_get (t->element, "factor", &factor, NULL);
  fail_unless_equals_float (factor, 0.5);
  fail_unless_equals_int (factors, 2);
  fail_unless_equals_int (rates, 2);
}

/* ---- a stream that restarts --------------------------------------------- */

#define N_AFTER_FLUSH 3000

/* The settings for the stream after a flush. */
static const gchar *const new_settings[] = {
  "factor=0.5",
  "factor=2",
  "factor=0.7 interpolation=nearest",
  "factor=1.5 keep-pitch=true",
  "factor=0.5 keep-pitch=true semitones=3",
  "factor=1 semitones=-2",
};

static GByteArray *
fresh (const gchar * properties)
{
  RetroTest *t = start (GST_CLOCK_TIME_NONE, properties);

  retro_test_push_cut (t, 0, N_AFTER_FLUSH, retro_test_cuts[3]);
  return retro_test_end (t);
}

/* Given a stream with another factor. When the settings change before a flush, after it, or after
 * the next segment, then we get the output of a new element. */
LOOP_TEST (before_the_first_frame_new_settings_hold_at_once,
    6 * G_N_ELEMENTS (new_settings))
{
  const gchar *properties = new_settings[__i__ / 6];
  guint moment = __i__ / 2 % 3;
  AUTO_TEST t = start (GST_CLOCK_TIME_NONE, __i__ % 2 ? "" : "factor=1.2");
  GstSegment segment = retro_test_segment (1, 0, GST_CLOCK_TIME_NONE);

  retro_test_push (t, 0, 777);
  set_factor (t, scale_factors[0]);
  if (moment == 0)
    scale_set (t, properties);
  retro_test_flush (t);
  if (moment == 1)
    scale_set (t, properties);
  retro_test_clear (t);
  retro_test_send_segment (t, &segment);
  if (moment == 2)
    scale_set (t, properties);
  retro_test_push_cut (t, 0, N_AFTER_FLUSH, retro_test_cuts[3]);
  retro_test_eos (t);
  retro_test_assert_bytes (t, g_byte_array_new (), fresh (properties));
}
