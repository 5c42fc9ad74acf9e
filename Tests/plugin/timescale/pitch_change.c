/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * timescale: pitch and duration change while the stream plays, and return to their original
 * values later.
 */

#include "pitchsound.h"

#include <gst/controller/gstdirectcontrolbinding.h>
#include <gst/controller/gstinterpolationcontrolsource.h>
#include <string.h>

/* ---- changes while it plays ----------------------------------------------- */

typedef struct
{
  const gchar *properties;      /* the properties at the beginning */
  const gchar *name;            /* the property that changes */
  const gchar *values[4];       /* the new values, one after another */
  gdouble highest;              /* the highest pitch that occurs, relative to the input */
} Change;

static const Change changes[] = {
  {"factor=1.5", "keep-pitch", {"true", "false", "true", "false"}, 1},
  {"factor=0.5", "keep-pitch", {"true", "false", "true", "false"}, 2},
  {"", "semitones", {"12", "-12", "3", "0"}, 2},
  {"keep-pitch=true", "factor", {"1.5", "1", "0.6", "2"}, 1},
  {"keep-pitch=true factor=1.2", "semitones", {"1", "-1", "2", "-2"}, 1.1225},
  {"semitones=5", "factor", {"1.5", "0.8", "1", "1.25"}, 1.335 * 1.25},
  {"semitones=-5", "semitones", {"5", "-1", "1", "-7"}, 1.335},
  {"factor=1.5", "semitones", {"-2", "0", "7.5", "0"}, 1.03},
  {"semitones=3", "formants", {"keep", "follow", "keep", "follow"}, 1.2},
  {"", "formant-semitones", {"5", "-5", "0", "12"}, 1}
};

/* The largest second difference of the output must be at most 25 % above that of the
 * highest sine in it. A change of one octave in 5 ms causes 22 %. A jump in the sine
 * would be ten times as large. */
GST_START_TEST (no_change_clicks)
{
  const Change *change = &changes[__i__];
  gdouble *in = scale_sine (300, 2 * N), *out;
  gdouble limit = 1.25 * bend_of_sine (0.5, 300 * change->highest), bend;
  RetroTest *t = start_music (change->properties);
  guint i, n;

  for (i = 0; i < 4; i++) {
    scale_push_numbers (t, in, i * 9600, (i + 1) * 9600, 80);
    gst_util_set_object_arg (G_OBJECT (t->element), change->name,
        change->values[i]);
  }
  scale_push_numbers (t, in, 4 * 9600, 2 * N, 80);
  out = finish (t, &n);
  /* the beginning and the end of the sine are not checked */
  bend = scale_largest_bend (out, 2 * WINDOW, n - 4 * WINDOW);
  fail_unless (bend <= limit, "%s %s: bends by %g; the sine by %g",
      change->properties, change->name, bend, limit);
  g_free (in);
  g_free (out);
}

GST_END_TEST;

/* The settings change at the same frames, but the sizes of the buffers differ. The output
 * must be the same. */
GST_START_TEST (a_change_does_not_depend_on_the_cuts)
{
  static const guint pieces[] = { 2400, 100, 7 };
  const Change *change = &changes[__i__];
  gdouble *in = scale_sine (300, N), *first_out = NULL;
  guint i, p, n, first_n = 0;

  for (p = 0; p < G_N_ELEMENTS (pieces); p++) {
    RetroTest *t = start (change->properties);
    gdouble *out;

    for (i = 0; i < 4; i++) {
      scale_push_numbers (t, in, i * 4800, (i + 1) * 4800, pieces[p]);
      gst_util_set_object_arg (G_OBJECT (t->element), change->name,
          change->values[i]);
    }
    scale_push_numbers (t, in, 4 * 4800, N, pieces[p]);
    out = finish (t, &n);
    if (p == 0) {
      first_out = out;
      first_n = n;
      continue;
    }
    fail_unless_equals_int (n, first_n);
    fail_unless (memcmp (out, first_out, n * sizeof (gdouble)) == 0);
    g_free (out);
  }
  g_free (first_out);
  g_free (in);
}

GST_END_TEST;

/* After thousands of changes of the pitch, the number of output frames must still be
 * exact. */
GST_START_TEST (changes_of_the_pitch_lose_no_frame)
{
  RetroTest *t = start (__i__ ? "factor=1.25 keep-pitch=true" : "factor=1.25");
  gdouble *in = scale_sine (300, 2 * N), *out;
  guint i, n;

  for (i = 0; i < 2 * N / 40; i++) {
    g_object_set (t->element, "semitones", 12 * sin (i * 0.37), NULL);
    scale_push_numbers (t, in, i * 40, (i + 1) * 40, 40);
  }
  out = finish (t, &n);
  fail_unless (n == 2 * N * 5 / 4, "%u frames of %u", n, 2 * N * 5 / 4);
  g_free (in);
  g_free (out);
}

GST_END_TEST;

/* ---- curves --------------------------------------------------------------- */

static void
set_curve (RetroTest * t, const gchar * property, gdouble from, gdouble to)
{
  GstControlSource *source = gst_interpolation_control_source_new ();

  g_object_set (source, "mode", GST_INTERPOLATION_MODE_LINEAR, NULL);
  gst_timed_value_control_source_set (GST_TIMED_VALUE_CONTROL_SOURCE
      (source), 0, from);
  gst_timed_value_control_source_set (GST_TIMED_VALUE_CONTROL_SOURCE
      (source), retro_test_time (&t->info, 2 * N), to);
  fail_unless (gst_object_add_control_binding (GST_OBJECT (t->element),
          gst_direct_control_binding_new_absolute (GST_OBJECT (t->element),
              property, source)));
  gst_object_unref (source);
}

typedef struct
{
  const gchar *properties, *name;
  gdouble from, to;
  guint frames;                 /* number of output frames for 2 N input frames: the
                                 * integral of the factor */
  gdouble highest;
} Curve;

static const Curve curves[] = {
  {"keep-pitch=true", "factor", 1, 2, 3 * N, 1},
  {"keep-pitch=true", "factor", 2, 0.5, 5 * N / 2, 1},
  {"keep-pitch=true factor=1.5", "semitones", -12, 12, 3 * N, 2},
  {"semitones=3", "factor", 0.8, 1.2, 2 * N, 1.19 / 0.8},
  {"semitones=3", "formant-semitones", -6, 6, 2 * N, 1.19}
};

static gdouble *
play_curve (const Curve * curve, guint piece, guint * n)
{
  gdouble *in = scale_sine (300, 2 * N), *out;
  GstAudioInfo info = scale_plain_info ();
  gchar *description = g_strdup_printf ("timescale window=music %s",
      curve->properties);
  RetroTest *t = retro_test_new (description);

  t->info = info;
  set_curve (t, curve->name, curve->from, curve->to);
  retro_test_start (t, &info, 1, 0, GST_CLOCK_TIME_NONE);
  scale_push_numbers (t, in, 0, 2 * N, piece);
  out = finish (t, n);
  g_free (description);
  g_free (in);
  return out;
}

GST_START_TEST (a_curve_is_followed_without_a_click)
{
  const Curve *curve = &curves[__i__];
  guint n, m;
  gdouble *out = play_curve (curve, 2 * N, &n);
  gdouble *other = play_curve (curve, 77, &m);
  gdouble limit = 1.03 * bend_of_sine (0.5, 300 * curve->highest);
  gdouble bend = scale_largest_bend (out, 2 * WINDOW, n - 4 * WINDOW);

  fail_unless (abs ((gint) n - (gint) curve->frames) <= 4, "%u frames of %u",
      n, curve->frames);
  fail_unless (bend <= limit, "bends by %g; the sine by %g", bend, limit);
  fail_unless_equals_int (n, m);
  fail_unless (memcmp (out, other, n * sizeof (gdouble)) == 0);
  g_free (out);
  g_free (other);
}

GST_END_TEST;

/* ---- changes that are reverted ------------------------------------------------- */

/* The factor changes, and returns to 1. From then on, the output must be the input,
 * shifted by a whole number of frames. */
GST_START_TEST (a_factor_that_comes_back_to_1_returns_to_the_input)
{
  static const gdouble ways[] = { 1.5, 0.6, 3 };
  RetroTest *t = start ("keep-pitch=true");
  gdouble *in = scale_sine (441, N), *out;
  guint n, i, shift;

  for (i = 0; i < N; i++)       /* so that the signal differs at any two positions */
    in[i] += 0.2 * sin (i * (gdouble) i / 20000);
  scale_push_numbers (t, in, 0, 4000, 100);
  g_object_set (t->element, "factor", ways[__i__], NULL);
  scale_push_numbers (t, in, 4000, 9000, 100);
  g_object_set (t->element, "factor", 1.0, NULL);
  scale_push_numbers (t, in, 9000, N, 100);
  out = finish (t, &n);

  fail_unless (memcmp (in, out, 4000 * sizeof (gdouble)) == 0);
  for (i = N - 9000 - 2 * WINDOW, shift = 0; shift < 2; shift++)
    if (memcmp (in + N - i - shift, out + n - i, (i) * sizeof (gdouble)) == 0)
      break;
  fail_unless (shift < 2, "the end of the output is not that of the input");
  g_free (in);
  g_free (out);
}

GST_END_TEST;

typedef struct
{
  const gchar *properties;      /* the properties at the beginning */
  struct
  {
    const gchar *name;
    gdouble value;
  } changes[5];
} Sequence;

/* Each sequence ends with factor 1 and 0 semitones. */
static const Sequence returns[] = {
  {"keep-pitch=true factor=1.5",
      {{"semitones", 3}, {"semitones", 0}, {"factor", 1}}},
  {"keep-pitch=true factor=1.5 semitones=-3",
      {{"semitones", 0}, {"factor", 1}}},
  {"keep-pitch=true factor=1.5 semitones=-3",
      {{"factor", 1}, {"semitones", 0}}},
  {"keep-pitch=true factor=0.7 semitones=4",
      {{"semitones", 0}, {"factor", 1}}},
  {"keep-pitch=true factor=1.5",
      {{"keep-pitch", 0}, {"keep-pitch", 1}, {"factor", 1}}},
  {"factor=1.5",
      {{"keep-pitch", 1}, {"factor", 1}}},
  {"factor=0.7",
      {{"keep-pitch", 1}, {"factor", 1}}},
  {"",
      {{"semitones", 4}, {"semitones", -7}, {"semitones", 0}}},
  {"",
      {{"semitones", -7}, {"semitones", 4}, {"semitones", 0}}},
  {"",
        {{"semitones", 5}, {"factor", 1.3}, {"semitones", -5}, {"factor", 1},
          {"semitones", 0}}},
  {"keep-pitch=true",
        {{"factor", 1.3}, {"semitones", 2}, {"factor", 0.8}, {"semitones", 0},
          {"factor", 1}}}
};

static void
change (RetroTest * t, const gchar * name, gdouble value)
{
  if (g_str_equal (name, "keep-pitch"))
    g_object_set (t->element, name, value != 0, NULL);
  else
    g_object_set (t->element, name, value, NULL);
}

/* A sound that differs at any two positions. */
static gdouble *
make_sweep (void)
{
  gdouble *in = scale_sine (441, 2 * N);
  guint i;

  for (i = 0; i < 2 * N; i++)
    in[i] += 0.2 * sin (i * (gdouble) i / 20000);
  return in;
}

/* Pushes @in from frame @place on. Asserts that the last output frames are the last input
 * frames, shifted by at most @late frames. */
static void
assert_returns (RetroTest * t, const gdouble * in, guint place, gint late)
{
  const gdouble *last = in + 2 * N - 4000;
  gboolean returned = FALSE;
  gdouble *out;
  guint n;
  gint shift;

  scale_push_numbers (t, in, place, 2 * N, 100);
  out = finish (t, &n);
  for (shift = -late; shift <= late; shift++)
    returned |=
        memcmp (last, out + n - 4000 + shift, 3990 * sizeof (gdouble)) == 0;
  fail_unless (returned, "the output does not end as the input");
  g_free (out);
}

/* The order in which the settings return to their original values must not matter. */
GST_START_TEST (settings_that_come_back_one_by_one_return_to_the_input)
{
  const Sequence *sequence = &returns[__i__];
  RetroTest *t = start (sequence->properties);
  gdouble *in = make_sweep ();
  guint i;

  for (i = 0; i < 5 && sequence->changes[i].name != NULL; i++) {
    scale_push_numbers (t, in, 5000 * i, 5000 * (i + 1), 100);
    change (t, sequence->changes[i].name, sequence->changes[i].value);
  }
  assert_returns (t, in, 5000 * i, 0);
  g_free (in);
}

GST_END_TEST;

/* Ten changes, some before the previous change is complete, and then a return
 * to the original values. A change that interrupts a previous change may shift
 * the output by one or two frames, but never by a fraction of a frame. */
GST_START_TEST (any_changes_that_are_undone_return_to_the_input)
{
  GRand *dice = g_rand_new_with_seed (__i__);
  RetroTest *t = start ("semitones=2");
  gdouble *in = make_sweep ();
  guint i, first = g_rand_int_range (dice, 0, 3), place = 0;

  for (i = 0; i < 13; i++) {
    guint n = 100 * g_rand_int_range (dice, 0, 30);
    guint which = (first + i) % 3;

    if (i < 10)
      which = g_rand_int_range (dice, 0, 3);
    scale_push_numbers (t, in, place, place + n, 100);
    place += n;
    if (which == 0)
      change (t, "keep-pitch", i < 10 && g_rand_boolean (dice));
    else if (which == 1)
      change (t, "factor", i < 10 ? g_rand_double_range (dice, 0.5, 2) : 1);
    else
      change (t, "semitones", i < 10 ? g_rand_double_range (dice, -9, 9) : 0);
  }
  assert_returns (t, in, place, 2);
  g_free (in);
  g_rand_free (dice);
}

GST_END_TEST;

/* When the output equals the input again, buffers must be forwarded without a copy, as at
 * the beginning, and a later change must not click. */
GST_START_TEST (after_the_return_buffers_pass_again)
{
  static const gdouble ways[] = { 1.5, 0.7, 3 };
  RetroTest *t = start ("keep-pitch=true");
  gdouble *in = scale_sine (300, 2 * N), *out, bend;
  guint round, n, passed;

  for (round = 0; round < 3; round++) {
    guint at = round * 2 * N / 3, i;

    scale_push_numbers (t, in, at, at + 3000, 80);
    g_object_set (t->element, "factor", ways[(round + __i__) % 3], NULL);
    scale_push_numbers (t, in, at + 3000, at + 6000, 80);
    g_object_set (t->element, "factor", 1.0, NULL);
    scale_push_numbers (t, in, at + 6000, at + 12000, 80);
    for (i = at + 12000, passed = 0; i < at + 2 * N / 3; i += 80) {
      GstBuffer *buffer = retro_test_buffer_of (&t->info, in + i, 80,
          PLAIN_NS (i));
      GstMemory *memory = gst_memory_ref (gst_buffer_peek_memory (buffer, 0));

      gst_harness_push (t->h, buffer);
      buffer = retro_test_nth_buffer (t, retro_test_n_buffers (t) - 1);
      passed += gst_buffer_peek_memory (buffer, 0) == memory;
      gst_memory_unref (memory);
    }
    fail_unless_equals_int (passed, 50);
  }
  out = finish (t, &n);
  bend = scale_largest_bend (out, 2 * WINDOW, n - 4 * WINDOW);
  fail_unless (bend <= 1.2 * bend_of_sine (0.5, 300), "bends by %g", bend);
  g_free (in);
  g_free (out);
}

GST_END_TEST;

/* When the semitones return to 0, the output must be the input at the same position
 * again, without a click, and buffers must be forwarded. */
GST_START_TEST (semitones_that_come_back_to_0_return_to_the_input)
{
  static const gdouble ways[] = { 3, -3, 12, -12, 24, -24, 0.1, -0.1 };
  RetroTest *t = start (__i__ % 2 ? "keep-pitch=true" : "keep-pitch=false");
  gdouble *in = scale_sine (300, 2 * N), *out, bend;
  gdouble highest = 300 * pow (2, MAX (ways[__i__ / 2], 0) / 12);
  guint n, i, passed = 0;

  scale_push_numbers (t, in, 0, 3001, 80);
  g_object_set (t->element, "semitones", ways[__i__ / 2], NULL);
  scale_push_numbers (t, in, 3001, 8001, 100);
  g_object_set (t->element, "semitones", 0.0, NULL);
  scale_push_numbers (t, in, 8001, 2 * N - 4000, 80);
  for (i = 2 * N - 4000; i < 2 * N; i += 80) {
    GstBuffer *buffer = retro_test_buffer_of (&t->info, in + i, 80,
        PLAIN_NS (i));
    GstMemory *memory = gst_memory_ref (gst_buffer_peek_memory (buffer, 0));

    gst_harness_push (t->h, buffer);
    buffer = retro_test_nth_buffer (t, retro_test_n_buffers (t) - 1);
    passed += gst_buffer_peek_memory (buffer, 0) == memory;
    gst_memory_unref (memory);
  }
  fail_unless_equals_int (passed, 50);
  out = finish (t, &n);
  fail_unless_equals_int (n, 2 * N);
  fail_unless (memcmp (in + n - 4000, out + n - 4000,
          4000 * sizeof (gdouble)) == 0);
  bend = scale_largest_bend (out, 2 * WINDOW, n - 4 * WINDOW);
  fail_unless (bend <= 1.2 * bend_of_sine (0.5, highest), "bends by %g", bend);
  g_free (in);
  g_free (out);
}

GST_END_TEST;

/* ---- times and latency ---------------------------------------------------- */

/* Times must match the output, although a change becomes audible long after the property
 * was set. */
GST_START_TEST (times_follow_a_change_that_is_output_later)
{
  const Change *change = &changes[__i__];
  gchar *description = g_strdup_printf ("timescale window=music %s",
      change->properties);
  RetroTest *t = retro_test_new (description);
  GstAudioInfo info = scale_plain_info ();
  gdouble *in = scale_sine (300, N);
  GstClockTime end_ns, told_ns;
  GstSegment segment;
  GstBuffer *last;
  guint i;

  retro_test_start (t, &info, 1, 0, PLAIN_NS (N));
  retro_test_answer_queries (t, PLAIN_NS (N), GST_CLOCK_TIME_NONE);
  for (i = 0; i < 4; i++) {
    scale_push_numbers (t, in, i * 4800, (i + 1) * 4800, 80);
    gst_util_set_object_arg (G_OBJECT (t->element), change->name,
        change->values[i]);
  }
  scale_push_numbers (t, in, 4 * 4800, N, 80);
  retro_test_eos (t);
  last = retro_test_nth_buffer (t, retro_test_n_buffers (t) - 1);
  end_ns = GST_BUFFER_PTS (last) + GST_BUFFER_DURATION (last);
  segment = retro_test_nth_segment (t,
      retro_test_n_events (t, GST_EVENT_SEGMENT) - 1);
  fail_unless (end_ns <= segment.stop, "ends at %" GST_TIME_FORMAT
      ", the segment at %" GST_TIME_FORMAT, GST_TIME_ARGS (end_ns),
      GST_TIME_ARGS (segment.stop));
  told_ns = retro_test_duration (t);
  fail_unless (MAX (told_ns, end_ns) - MIN (told_ns, end_ns) <= PLAIN_NS (3),
      "lasts %" GST_TIME_FORMAT ", not %" GST_TIME_FORMAT,
      GST_TIME_ARGS (told_ns), GST_TIME_ARGS (end_ns));
  g_free (description);
  g_free (in);
  retro_test_free (t);
}

GST_END_TEST;

/* The expected position is counted from the end: each input frame after the seek target
 * results in two output frames. */
GST_START_TEST (a_seek_goes_to_its_output_time)
{
  RetroTest *t = start ("keep-pitch=true window=music");
  gdouble *in = scale_sine (300, N), expected;
  gint64 start_ns;
  GstEvent *event;

  scale_push_numbers (t, in, 0, 8000, 80);
  g_object_set (t->element, "factor", 2.0, NULL);
  scale_push_numbers (t, in, 8000, N, 80);
  event = retro_test_seek (t, 1, GST_SEEK_FLAG_ACCURATE, GST_SEEK_TYPE_SET,
      PLAIN_NS (20000), GST_SEEK_TYPE_NONE, -1);
  gst_event_parse_seek (event, NULL, NULL, NULL, NULL, &start_ns, NULL, NULL);
  gst_event_unref (event);
  retro_test_eos (t);
  expected = N - (retro_test_frames_out (t) - 20000.0) / 2;
  fail_unless (fabs (start_ns / 125000.0 - expected) <= 2,
      "frame 20000 was frame %g, not %g", start_ns / 125000.0, expected);
  g_free (in);
  retro_test_free (t);
}

GST_END_TEST;

GST_START_TEST (a_stretcher_that_is_added_reports_its_latency)
{
  RetroTest *t = start ("keep-pitch=true");
  GstMessage *message;

  retro_test_answer_latency (t, 0, GST_CLOCK_TIME_NONE);
  retro_test_push (t, 0, 100);
  while ((message = gst_bus_pop_filtered (t->bus, GST_MESSAGE_LATENCY)))
    gst_message_unref (message);
  g_object_set (t->element, "factor", 1.5, NULL);
  retro_test_push (t, 100, 100);
  message = gst_bus_pop_filtered (t->bus, GST_MESSAGE_LATENCY);
  fail_unless (message != NULL);
  gst_message_unref (message);
  fail_unless (gst_harness_query_latency (t->h) > 50 * GST_MSECOND);
  retro_test_free (t);
}

GST_END_TEST;

/* ---- the first change of the semitones ---------------------------------------- */

typedef struct
{
  const gchar *properties;
  gdouble factor;
  gdouble semitones;
} First;

static const First firsts[] = {
  {"", 1, 3}, {"", 1, -3}, {"factor=1.5", 1.5, 3}, {"factor=1.5", 1.5, -3},
  {"factor=0.75", 0.75, 3}, {"factor=0.75", 0.75, -3}
};

/* Returns the delay of the output in input frames. */
static gdouble
lag_of (RetroTest * t, guint pushed, gdouble factor)
{
  return pushed - retro_test_frames_out (t) / factor;
}

static guint
take_latency_messages (RetroTest * t)
{
  GstMessage *message;
  guint n = 0;

  for (; (message = gst_bus_pop_filtered (t->bus, GST_MESSAGE_LATENCY)); n++)
    gst_message_unref (message);
  return n;
}

/* Pushes all of @in, and changes the semitones at frame 9600. Asserts that the delay
 * never exceeds the reported latency, that the latency is at most a hop longer than the
 * largest delay, and that a message is posted when the latency changes. */
static void
push_with_semitones (RetroTest * t, const First * change, const gdouble * in)
{
  gdouble latency, was = -1, most = 0;
  guint i;

  retro_test_answer_latency (t, 0, GST_CLOCK_TIME_NONE);
  for (i = 0; i < 2 * N; i += 80) {
    if (i == 9600)
      g_object_set (t->element, "semitones", change->semitones, NULL);
    scale_push_numbers (t, in, i, i + 80, 80);
    latency = gst_harness_query_latency (t->h) / (gdouble) PLAIN_NS (1);
    fail_unless (latency == was || take_latency_messages (t) > 0,
        "a latency of %g frames at frame %u is not told", latency, i);
    was = latency;
    fail_unless (lag_of (t, i + 80, change->factor) <= latency,
        "%g frames behind at frame %u, latency %g",
        lag_of (t, i + 80, change->factor), i, latency);
    if (i > 12000)
      most = MAX (most, lag_of (t, i + 80, change->factor));
  }
  fail_unless (latency - most <= 512 / 4,
      "at most %g frames behind, latency %g", most, latency);
}

/* Returns the frequency of @wave in Hz, from the times of its first and last rise through
 * 0. */
static gdouble
pitch_of (const gdouble * wave, guint n)
{
  guint i, rises = 0, first = 0, last = 0;

  for (i = 1; i < n; i++)
    if (wave[i - 1] < 0 && wave[i] >= 0) {
      first = rises++ == 0 ? i : first;
      last = i;
    }
  return (rises - 1.0) * RATE / (last - first);
}

/* Without keep-pitch, the stretcher is added at the first shift of the pitch. Until then,
 * the output must be the same as without a shift, and afterwards have the new pitch. */
GST_START_TEST (the_first_semitones_leave_no_seam)
{
  const First *change = &firsts[__i__];
  gdouble *in = scale_sine (300, 2 * N), *out, *plain, bend, limit, pitch;
  gdouble octaves = change->semitones / 12 - log2 (change->factor);
  RetroTest *t = start (change->properties);
  guint n, same = (9600 - 96 / MIN (change->factor, 1)) * change->factor;

  push_with_semitones (t, change, in);
  out = finish (t, &n);
  fail_unless_equals_int (n, (guint) (2 * N * change->factor));

  t = start (change->properties);
  scale_push_numbers (t, in, 0, 2 * N, 80);
  plain = finish (t, &n);
  fail_unless (memcmp (plain, out, same * sizeof (gdouble)) == 0);

  limit = 1.2 * bend_of_sine (0.5, 300 * exp2 (MAX (octaves,
              octaves - change->semitones / 12)));
  bend = scale_largest_bend (out, 2 * WINDOW, n - 4 * WINDOW);
  fail_unless (bend <= limit, "bends by %g, more than %g", bend, limit);
  pitch = pitch_of (out + n / 2, n / 2 - 4 * WINDOW);
  fail_unless (fabs (pitch / (300 * exp2 (octaves)) - 1) < 0.002, "%g Hz",
      pitch);
  g_free (plain);
  g_free (in);
  g_free (out);
}

GST_END_TEST;

static Suite *
timescale_pitch_change_suite (void)
{
  Suite *s = suite_create ("timescale_pitch_change");
  TCase *tc = tcase_create ("pitch_change");

  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 60);
  tcase_add_loop_test (tc, a_factor_that_comes_back_to_1_returns_to_the_input,
      0, 3);
  tcase_add_loop_test (tc,
      settings_that_come_back_one_by_one_return_to_the_input, 0,
      G_N_ELEMENTS (returns));
  tcase_add_loop_test (tc, any_changes_that_are_undone_return_to_the_input,
      0, 100);
  tcase_add_loop_test (tc, after_the_return_buffers_pass_again, 0, 3);
  tcase_add_loop_test (tc, semitones_that_come_back_to_0_return_to_the_input,
      0, 16);
  tcase_add_loop_test (tc, no_change_clicks, 0, G_N_ELEMENTS (changes));
  tcase_add_loop_test (tc, a_change_does_not_depend_on_the_cuts, 0,
      G_N_ELEMENTS (changes));
  tcase_add_loop_test (tc, changes_of_the_pitch_lose_no_frame, 0, 2);
  tcase_add_loop_test (tc, a_curve_is_followed_without_a_click, 0,
      G_N_ELEMENTS (curves));
  tcase_add_loop_test (tc, times_follow_a_change_that_is_output_later, 0,
      G_N_ELEMENTS (changes));
  tcase_add_loop_test (tc, the_first_semitones_leave_no_seam, 0,
      G_N_ELEMENTS (firsts));
  tcase_add_test (tc, a_seek_goes_to_its_output_time);
  tcase_add_test (tc, a_stretcher_that_is_added_reports_its_latency);
  return s;
}

GST_CHECK_MAIN (timescale_pitch_change);
