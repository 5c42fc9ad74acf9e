/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * timescale: the factor changes while the stream plays.
 */

#include "scalemodel.h"

#include <math.h>
#include <string.h>

/* Frames that are scaled by the same factor. */
typedef struct
{
  gsize n_frames;
  ScaleFactor factor;
} Part;

#define N_PARTS 4
#define N_CASES 7

static const Part cases[N_CASES][N_PARTS] = {
  {{1000, {1, 1}}, {1000, {2, 1}}},
  {{1000, {1, 1}}, {1000, {1, 2}}, {1000, {1, 1}}},
  {{999, {3, 2}}, {1001, {2, 3}}, {777, {11, 10}}, {555, {10, 11}}},
  {{500, {100, 1}}, {5000, {1, 100}}, {500, {1, 1}}},
  {{7, {1, 3}}, {5, {7, 10}}, {3, {2, 1}}, {1, {1, 1}}},
  {{5000, {1, 100}}, {50, {100, 1}}, {5000, {1, 100}}, {50, {100, 1}}},
  {{1001, {3, 2}}, {1000, {100, 1}}}
};

static void
set_factor (RetroTest * t, ScaleFactor factor)
{
  g_object_set (t->element, "factor", (gdouble) factor.num / factor.den, NULL);
}

static gsize
total_frames (const Part * parts)
{
  gsize n = 0;
  guint i;

  for (i = 0; i < N_PARTS; i++)
    n += parts[i].n_frames;
  return n;
}

/* Pushes all parts, and returns the expected number of output frames. A new factor
 * applies from the next output frame on, whose input position follows from the previous
 * factors. */
static long double
push_parts (RetroTest * t, const Part * parts, const gsize * sizes)
{
  ScaleMove move = scale_move_start ((gdouble) parts[0].factor.num
      / parts[0].factor.den);
  guint64 at = 0;
  guint i;

  for (i = 0; i < N_PARTS && parts[i].n_frames > 0; i++) {
    scale_move_on (&move, (gdouble) parts[i].factor.num / parts[i].factor.den,
        40, retro_test_frames_out (t));
    set_factor (t, parts[i].factor);
    retro_test_push_cut (t, at, parts[i].n_frames, sizes);
    at += parts[i].n_frames;
  }
  return scale_move_made (&move, at);
}

static RetroTest *
start (GstClockTime stop, const gchar * properties)
{
  RetroTest *t = scale_test_new (scale_factors[0], properties);
  GstAudioInfo info;

  retro_test_plain_info (&info);
  retro_test_start (t, &info, 1, 0, stop);
  return t;
}

GST_START_TEST (no_frame_is_lost)
{
  guint i;

  for (i = 0; i < SCALE_N_INTERPOLATIONS; i++) {
    gchar *properties = g_strdup_printf ("interpolation=%s",
        scale_interpolations[i]);
    RetroTest *t = start (GST_CLOCK_TIME_NONE, properties);
    long double expected = push_parts (t, cases[__i__ / RETRO_TEST_N_CUTS],
        retro_test_cuts[__i__ % RETRO_TEST_N_CUTS]);

    retro_test_eos (t);
    fail_unless (fabsl (retro_test_frames_out (t) - expected) <= 1,
        "%" G_GUINT64_FORMAT " frames have left instead of %Lg (%s)",
        retro_test_frames_out (t), expected, scale_interpolations[i]);
    retro_test_free (t);
    g_free (properties);
  }
}

GST_END_TEST;

GST_START_TEST (times_continue)
{
  RetroTest *t = start (GST_CLOCK_TIME_NONE, "");

  push_parts (t, cases[__i__], retro_test_cuts[3]);
  retro_test_eos (t);
  retro_test_assert_perfect (t, 0);
  retro_test_free (t);
}

GST_END_TEST;

/* The input is a ramp: each sample is larger than the previous one. If the
 * output never decreases and never jumps at a change of the factor, no input
 * frame is read twice or skipped. */
GST_START_TEST (the_way_through_the_input_has_no_leap)
{
  RetroTest *t = start (GST_CLOCK_TIME_NONE, "interpolation=linear");
  const Part *parts = cases[__i__];
  gdouble *samples = g_new (gdouble, 20000), *out;
  guint64 at = 0, k;
  GByteArray *bytes;
  GstAudioInfo info;
  guint i;

  for (i = 0; i < 20000; i++)
    samples[i] = i;
  retro_test_info (&info, GST_AUDIO_FORMAT_F64, GST_AUDIO_LAYOUT_INTERLEAVED,
      8000, 1);
  retro_test_caps (t, &info);
  for (i = 0; i < N_PARTS && parts[i].n_frames > 0; i++) {
    set_factor (t, parts[i].factor);
    gst_harness_push (t->h, retro_test_buffer_of (&info, samples + at,
            parts[i].n_frames, PLAIN_NS (at)));
    at += parts[i].n_frames;
  }
  retro_test_eos (t);

  bytes = retro_test_bytes (t);
  out = scale_numbers (&info, bytes);
  fail_unless (out[0] == 0);
  for (k = 1; k < bytes->len / 8; k++) {
    gdouble step = out[k] - out[k - 1];

    /* the step between two samples is 1 / factor, of this part or of the next
     * part; at the end, the step may be smaller */
    fail_unless (step >= 0 && step <= 100.000001, "%g follows %g", out[k],
        out[k - 1]);
    fail_unless (step > 0.00999 || out[k] == at - 1);
  }
  g_free (out);
  g_byte_array_unref (bytes);
  g_free (samples);
  retro_test_free (t);
}

GST_END_TEST;

GST_START_TEST (a_fader_sends_no_segments)
{
  RetroTest *t = start (PLAIN_NS (4000), "");
  guint i;

  for (i = 0; i < 40; i++) {
    g_object_set (t->element, "factor", i % 2 ? 0.9 : 0.95, NULL);
    retro_test_push (t, i * 100, 100);
  }
  retro_test_eos (t);
  fail_unless_equals_int (retro_test_n_events (t, GST_EVENT_SEGMENT), 2);
  retro_test_assert_perfect (t, 0);
  retro_test_free (t);
}

GST_END_TEST;

/* The element may send a second segment only if the output exceeds the stop of
 * the first segment, because resamplers restart at every segment. */
GST_START_TEST (a_new_segment_is_sent_where_the_old_one_ends_only)
{
  RetroTest *t = start (PLAIN_NS (4000), "interpolation=linear");
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
  retro_test_free (t);
}

GST_END_TEST;

GST_START_TEST (all_of_the_output_lies_in_its_segment)
{
  const Part *parts = cases[__i__];
  RetroTest *t = start (PLAIN_NS (total_frames (parts)), "");
  GstSegment segment;
  GstBuffer *last;

  push_parts (t, parts, retro_test_cuts[4]);
  retro_test_eos (t);
  segment = retro_test_nth_segment (t,
      retro_test_n_events (t, GST_EVENT_SEGMENT) - 1);
  last = retro_test_nth_buffer (t, retro_test_n_buffers (t) - 1);
  fail_unless (GST_BUFFER_PTS (last) + GST_BUFFER_DURATION (last)
      <= segment.stop, "the last buffer ends at %" GST_TIME_FORMAT
      ", the segment at %" GST_TIME_FORMAT,
      GST_TIME_ARGS (GST_BUFFER_PTS (last) + GST_BUFFER_DURATION (last)),
      GST_TIME_ARGS (segment.stop));
  retro_test_free (t);
}

GST_END_TEST;

GST_START_TEST (no_cut_changes_a_move)
{
  GByteArray *whole = NULL;
  guint cut;

  for (cut = 0; cut < RETRO_TEST_N_CUTS; cut++) {
    RetroTest *t = start (GST_CLOCK_TIME_NONE, "");

    push_parts (t, cases[__i__], retro_test_cuts[cut]);
    retro_test_eos (t);
    if (whole == NULL)
      whole = retro_test_bytes (t);
    retro_test_assert_bytes (t, g_byte_array_ref (whole), NULL);
    retro_test_free (t);
  }
  g_byte_array_unref (whole);
}

GST_END_TEST;

GST_START_TEST (the_same_factor_again_sends_nothing)
{
  RetroTest *t = start (PLAIN_NS (4000), "");

  retro_test_push (t, 0, 1000);
  set_factor (t, scale_factors[1]);
  set_factor (t, scale_factors[0]);
  retro_test_push (t, 1000, 1000);
  fail_unless_equals_int (retro_test_n_events (t, GST_EVENT_SEGMENT), 1);
  retro_test_free (t);
}

GST_END_TEST;

GST_START_TEST (the_application_hears_of_the_new_duration)
{
  RetroTest *t = start (PLAIN_NS (4000), "");
  GstMessage *message;

  retro_test_push (t, 0, 1000);
  set_factor (t, scale_factors[1]);
  retro_test_push (t, 1000, 1000);
  message = retro_test_pop_message (t, GST_MESSAGE_DURATION_CHANGED);
  fail_unless (message != NULL);
  gst_message_unref (message);
  retro_test_free (t);
}

GST_END_TEST;

GST_START_TEST (a_segment_after_a_change_follows_in_running_time)
{
  RetroTest *t = start (PLAIN_NS (2000), "interpolation=linear");
  GstSegment next = retro_test_segment (1, PLAIN_NS (8000), PLAIN_NS (9000));

  retro_test_push (t, 0, 1000);
  set_factor (t, scale_factors[1]);
  retro_test_push (t, 1000, 1000);
  next.base = PLAIN_NS (2000);
  retro_test_send_segment (t, &next);
  /* 1000 + 53.33 + 2 * 960 */
  fail_unless_equals_clocktime (retro_test_nth_segment (t, 2).base,
      PLAIN_NS (2973));
  retro_test_free (t);
}

GST_END_TEST;

static void
push_value (RetroTest * t, gint16 value, guint64 at, gsize n_frames)
{
  gint16 samples[2000];
  GstBuffer *buffer;
  gsize i;

  for (i = 0; i < n_frames; i++)
    samples[i] = value;
  buffer = retro_test_buffer_of (&t->info, samples, n_frames, PLAIN_NS (at));
  if (value == 0)
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_GAP);
  gst_harness_push (t->h, buffer);
}

/* At the first factor, an output frame spans 100 input frames. So when the
 * factor changes during the gap, the next output frame still depends on the
 * sound before the gap. */
GST_START_TEST (a_marked_gap_is_silent_after_a_change_too)
{
  RetroTest *t = start (GST_CLOCK_TIME_NONE, "interpolation=nearest");
  static const gint16 silence[2000];
  guint i;

  set_factor (t, scale_factors[10]);
  push_value (t, 1000, 0, 1050);
  push_value (t, 0, 1050, 45);
  set_factor (t, scale_factors[0]);
  for (i = 0; i < 10; i++)
    push_value (t, 0, 1095 + 100 * i, 100);
  retro_test_eos (t);
  for (i = 0; i < retro_test_n_buffers (t); i++) {
    GstBuffer *buffer = retro_test_nth_buffer (t, i);

    if (GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_GAP))
      fail_unless (gst_buffer_memcmp (buffer, 0, silence,
              gst_buffer_get_size (buffer)) == 0,
          "buffer %u is marked as GAP and holds sound", i);
  }
  retro_test_free (t);
}

GST_END_TEST;

/* ---- the property ------------------------------------------------------- */

static void
count_notify (GObject * object, GParamSpec * pspec, gpointer count)
{
  ++*(gint *) count;
}

GST_START_TEST (factor_and_rate_are_one_knob)
{
  RetroTest *t = retro_test_new ("timescale");
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
  retro_test_free (t);
}

GST_END_TEST;

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

static void
set_all (RetroTest * t, const gchar * properties)
{
  gchar **parts = g_strsplit_set (properties, " =", -1);
  guint i;

  for (i = 0; parts[i] != NULL; i += 2)
    gst_util_set_object_arg (G_OBJECT (t->element), parts[i], parts[i + 1]);
  g_strfreev (parts);
}

static GByteArray *
fresh (const gchar * properties)
{
  gchar *description = g_strdup_printf ("timescale %s", properties);
  RetroTest *t = retro_test_new (description);
  GstAudioInfo info;
  GByteArray *bytes;

  g_free (description);
  retro_test_plain_info (&info);
  retro_test_start (t, &info, 1, 0, GST_CLOCK_TIME_NONE);
  retro_test_push_cut (t, 0, N_AFTER_FLUSH, retro_test_cuts[3]);
  retro_test_eos (t);
  bytes = retro_test_bytes (t);
  retro_test_free (t);
  return bytes;
}

/* The settings change before or after the flush. No data flows until the next segment. */
GST_START_TEST (after_a_flush_new_settings_hold_from_the_first_frame)
{
  const gchar *properties = new_settings[__i__ / 4];
  gboolean is_before = __i__ % 2;
  RetroTest *t = start (GST_CLOCK_TIME_NONE, __i__ / 2 % 2 ? "" : "factor=1.2");
  GstSegment segment = retro_test_segment (1, 0, GST_CLOCK_TIME_NONE);

  retro_test_push (t, 0, 777);
  if (!(__i__ / 2 % 2))
    set_factor (t, scale_factors[0]);
  if (is_before)
    set_all (t, properties);
  retro_test_flush (t);
  if (!is_before)
    set_all (t, properties);
  retro_test_clear (t);
  retro_test_send_segment (t, &segment);
  retro_test_push_cut (t, 0, N_AFTER_FLUSH, retro_test_cuts[3]);
  retro_test_eos (t);
  retro_test_assert_bytes (t, g_byte_array_new (), fresh (properties));
  retro_test_free (t);
}

GST_END_TEST;

/* The settings change after the segment, but before the first frame, so the output must
 * be that of a new element. */
GST_START_TEST (before_the_first_frame_new_settings_hold_at_once)
{
  const gchar *properties = new_settings[__i__];
  RetroTest *t = start (GST_CLOCK_TIME_NONE, "");

  set_all (t, properties);
  retro_test_push_cut (t, 0, N_AFTER_FLUSH, retro_test_cuts[3]);
  retro_test_eos (t);
  retro_test_assert_bytes (t, g_byte_array_new (), fresh (properties));
  retro_test_free (t);
}

GST_END_TEST;

static Suite *
timescale_factor_suite (void)
{
  Suite *s = suite_create ("timescale_factor");
  TCase *tc = tcase_create ("factor");

  suite_add_tcase (s, tc);
  tcase_add_loop_test (tc, no_frame_is_lost, 0, N_CASES * RETRO_TEST_N_CUTS);
  tcase_add_loop_test (tc, times_continue, 0, N_CASES);
  tcase_add_loop_test (tc, the_way_through_the_input_has_no_leap, 0, N_CASES);
  tcase_add_test (tc, a_fader_sends_no_segments);
  tcase_add_test (tc, a_new_segment_is_sent_where_the_old_one_ends_only);
  tcase_add_loop_test (tc, all_of_the_output_lies_in_its_segment, 0, N_CASES);
  tcase_add_loop_test (tc, no_cut_changes_a_move, 0, N_CASES);
  tcase_add_test (tc, the_same_factor_again_sends_nothing);
  tcase_add_test (tc, the_application_hears_of_the_new_duration);
  tcase_add_test (tc, a_segment_after_a_change_follows_in_running_time);
  tcase_add_test (tc, a_marked_gap_is_silent_after_a_change_too);
  tcase_add_test (tc, factor_and_rate_are_one_knob);
  tcase_add_loop_test (tc, after_a_flush_new_settings_hold_from_the_first_frame,
      0, 4 * G_N_ELEMENTS (new_settings));
  tcase_add_loop_test (tc, before_the_first_frame_new_settings_hold_at_once, 0,
      G_N_ELEMENTS (new_settings));
  return s;
}

GST_CHECK_MAIN (timescale_factor);
