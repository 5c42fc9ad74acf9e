/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * timescale: jumps, gaps, ends, format changes, and segments with a negative rate.
 */

#include "scalemodel.h"

#include <math.h>
#include <string.h>

static RetroTest *
start (ScaleFactor factor, const gchar * properties)
{
  RetroTest *t = scale_test_new (factor, properties);

  retro_test_start (t, NULL, 1, 0, GST_CLOCK_TIME_NONE);
  return t;
}

/* Returns the output of a new element for a stream of these frames. */
static GByteArray *
alone (ScaleFactor factor, const GstAudioInfo * info, guint64 first_frame,
    gsize n_frames)
{
  RetroTest *t = scale_test_new (factor, "");

  retro_test_start (t, info, 1, 0, GST_CLOCK_TIME_NONE);
  retro_test_push (t, first_frame, n_frames);
  return retro_test_end (t);
}

/* Index of the buffer that begins with frame number @n of the output. */
static guint
buffer_of_frame (RetroTest * t, gint64 n)
{
  guint i = 0;

  while (n > 0)
    n -= retro_test_buffer_frames (t, retro_test_nth_buffer (t, i++));
  fail_unless_equals_int64 (n, 0);
  return i;
}

/* ---- jumps -------------------------------------------------------------- */

static void
assert_jump (RetroTest * t, ScaleFactor factor, guint64 n_before,
    guint64 jumped_to)
{
  guint jump = buffer_of_frame (t, scale_length (n_before, factor));

  if (jump > 0)
    retro_test_assert_run (t, 0, jump, 0);
  if (jump < retro_test_n_buffers (t))
    retro_test_assert_run (t, jump, retro_test_n_buffers (t) - jump,
        scale_time (PLAIN_NS (jumped_to), factor));
}

/* The jump is large, or it is small and marked. */
LOOP_TEST (a_jump_drains_and_restarts, 2 * SCALE_N_FACTORS)
{
  ScaleFactor factor = scale_factors[__i__ / 2];
  guint64 target = __i__ % 2 ? 9000 : 1005;
  AUTO_TEST t = start (factor, "");
  GstBuffer *buffer = retro_test_buffer (&t->info, target, 503);

  retro_test_push_cut (t, 0, 1001, retro_test_cuts[3]);
  if (target == 1005)
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
  gst_harness_push (t->h, buffer);
  retro_test_eos (t);
  assert_jump (t, factor, 1001, target);
  retro_test_assert_bytes (t, alone (factor, &t->info, 0, 1001), alone (factor,
          &t->info, target, 503));
}

TEST (a_discont_without_a_jump_is_none)
{
  AUTO_TEST t = start (scale_factors[3], "");

  retro_test_push (t, 0, 1001);
  retro_test_push_flagged (t, GST_BUFFER_FLAG_DISCONT, 1001, 500);
  retro_test_eos (t);
  retro_test_assert_perfect (t, 0);
  retro_test_assert_bytes (t, g_byte_array_new (), alone (scale_factors[3],
          &t->info, 0, 1501));
}

/* ---- gaps --------------------------------------------------------------- */

/* A GAP event follows all audio before it, and precedes the audio after it. */
LOOP_TEST (gap_events_are_scaled, 2 * SCALE_N_FACTORS)
{
  ScaleFactor factor = scale_factors[__i__ / 2];
  gboolean keeps_pitch = __i__ % 2 && factor.num < 100 && factor.den < 100;
  AUTO_TEST t = start (factor, keeps_pitch ? "keep-pitch=true" : "");
  GstClockTime pts, duration;
  guint jump;
  gint gap;

  retro_test_push (t, 0, 1000);
  retro_test_push_gap (t, 1000, 6000);
  fail_unless_equals_uint64 (retro_test_frames_out (t), scale_length (1000,
          factor));
  gap = retro_test_place_of_event (t, GST_EVENT_GAP, 0);
  jump = retro_test_n_buffers (t);
  retro_test_push (t, 7000, 1000);
  retro_test_eos (t);
  gst_event_parse_gap (retro_test_nth_event (t, GST_EVENT_GAP, 0), &pts,
      &duration);
  fail_unless_equals_clocktime (pts, scale_time (PLAIN_NS (1000), factor));
  fail_unless_equals_clocktime (pts + duration,
      scale_time (PLAIN_NS (7000), factor));
  fail_unless (retro_test_place_of_buffer (t, jump - 1) < gap);
  fail_unless (gap < retro_test_place_of_buffer (t, jump));
  assert_jump (t, factor, 1000, 7000);
  if (!keeps_pitch)
    retro_test_assert_bytes (t, alone (factor, &t->info, 0, 1000),
        alone (factor, &t->info, 7000, 1000));
}

/* ---- another sample rate ------------------------------------------------ */

/* Pushes @n_frames frames at 48000 Hz, then frames at 44100 Hz that begin at the end of
 * the frames at 48000 Hz. In the middle of the frames at 48000 Hz, the factor becomes
 * @factor, unless @factor is 0. Returns the distance from the end of the output at the
 * first rate to the beginning of the output at the second rate, in frames. */
static gdouble
frames_between_rates (RetroTest * t, guint64 n_frames, gdouble factor)
{
  GstAudioInfo before, after;
  GstClockTime end_ns, next_ns;
  GstBuffer *next;
  guint n;

  before = retro_test_info (GST_AUDIO_FORMAT_F32, INTERLEAVED, 48000, 1);
  after = before;
  after.rate = 44100;
  retro_test_start (t, &before, 1, 0, GST_CLOCK_TIME_NONE);
  retro_test_push (t, 0, n_frames / 2);
  if (factor > 0)
    g_object_set (t->element, "factor", factor, NULL);
  retro_test_push (t, n_frames / 2, n_frames - n_frames / 2);
  retro_test_caps (t, &after);
  n = retro_test_n_buffers (t);
  t->info = before;
  retro_test_assert_run (t, 0, n, 0);
  end_ns = retro_test_time (&before, retro_test_frames_out (t));

  t->info = after;
  next = retro_test_buffer (&after, 0, 3000);
  GST_BUFFER_PTS (next) = retro_test_time (&before, n_frames);
  fail_unless_equals_int (gst_harness_push (t->h, next), GST_FLOW_OK);
  fail_unless (retro_test_eos (t));
  next_ns = GST_BUFFER_PTS (retro_test_nth_buffer (t, n));
  retro_test_assert_run (t, n, retro_test_n_buffers (t) - n, next_ns);
  retro_test_free (t);
  return GST_CLOCK_DIFF (end_ns, next_ns) * 48000.0 / GST_SECOND;
}

static const gchar *const pitches[] = { "semitones=-12", "semitones=0",
  "semitones=5", "keep-pitch=true", "keep-pitch=true semitones=-7"
};

/* The distance must be the fraction of a frame by which the exact length exceeds the
 * number of output frames. */
LOOP_TEST (another_rate_begins_where_the_one_before_it_ends,
    G_N_ELEMENTS (pitches) * 5)
{
  const gchar *pitch = pitches[__i__ / 5];
  ScaleFactor factor = scale_factors[__i__ % 5];
  guint64 n_frames = 4801;
  gdouble part = n_frames * factor.num % factor.den / (gdouble) factor.den;
  gdouble between = frames_between_rates (scale_test_new (factor, pitch),
      n_frames, 0);

  /* both times are rounded to a nanosecond */
  fail_unless (fabs (between - part) < 1e-4, "%s: %g frames after the end, "
      "not %g", pitch, between, part);
  /* if the factor has changed, the distance is less than a frame */
  between = frames_between_rates (scale_test_new (factor, pitch), n_frames,
      1.25);
  fail_unless (between > -1e-4 && between < 1, "%s: %g frames after the end",
      pitch, between);
}
