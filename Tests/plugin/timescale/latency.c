/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 *
 * timescale: the latency that it reports, and the delay of its output.
 */

#include "scalemodel.h"

#include <math.h>

/* Starts a live stream of F32. */
static RetroTest *
start (const gchar * properties, gint rate)
{
  gchar *description = g_strdup_printf ("timescale %s", properties);
  RetroTest *t = retro_test_new (description);

  GstAudioInfo info =
      retro_test_info (GST_AUDIO_FORMAT_F32, INTERLEAVED, rate, 1);
  retro_test_answer_latency (t, 0, GST_CLOCK_TIME_NONE);
  retro_test_start (t, &info, 1, 0, GST_CLOCK_TIME_NONE);
  g_free (description);
  return t;
}

static gdouble
latency_frames (RetroTest * t)
{
  return gst_harness_query_latency (t->h) * (gdouble) t->info.rate / GST_SECOND;
}

/* The latency is the number of input frames that the interpolation needs after a
 * position, in addition to upstream's latency. */
LOOP_TEST (latency_is_the_lookahead_of_the_interpolation,
    SCALE_N_INTERPOLATIONS)
{
  guint lookahead = __i__ == TIMEDSP_SINC ? 96 : timedsp_frames_after (__i__);
  g_autofree gchar *properties = g_strdup_printf ("interpolation=%s",
      scale_interpolations[__i__]);
  AUTO_TEST t = scale_test_new (scale_factors[3], properties);
  GstClockTime min, max;
  g_autoptr (GstQuery) query = gst_query_new_latency ();
  gboolean live;

  retro_test_start (t, NULL, 1, 0, GST_CLOCK_TIME_NONE);
  retro_test_push (t, 0, 1000);
  retro_test_answer_latency (t, 20 * GST_MSECOND, 50 * GST_MSECOND);
  fail_unless (gst_pad_peer_query (t->h->sinkpad, query));
  gst_query_parse_latency (query, &live, &min, &max);
  fail_unless (live);
  fail_unless_equals_clocktime (min, 20 * GST_MSECOND + PLAIN_NS (lookahead));
  fail_unless_equals_clocktime (max, 50 * GST_MSECOND + PLAIN_NS (lookahead));
  fail_unless_equals_int (retro_test_take_messages (t, GST_MESSAGE_LATENCY), 1);
}

/* A new window must take effect at the next stream only, after a flush or a jump. */
LOOP_TEST (the_next_segment_has_the_window_asked_for, 2)
{
  AUTO_TEST t = start ("keep-pitch=true factor=1.5 window=music", 8000);
  gdouble music;

  retro_test_push (t, 0, 3000);
  music = latency_frames (t);
  scale_set (t, "window=low-latency");
  retro_test_push (t, 3000, 3000);
  fail_unless (latency_frames (t) == music);
  if (__i__) {
    retro_test_flush (t);
    retro_test_start (t, &t->info, 1, 0, GST_CLOCK_TIME_NONE);
  }
  retro_test_push (t, 0, 3000);
  fail_unless (latency_frames (t) < music / 2, "%g", latency_frames (t));
}

/* The latency of a sinc is 96 frames, and twice as many at factor 0.5. */
TEST (latency_follows_the_factor)
{
  static const struct
  {
    const gchar *properties;
    guint frames, messages;
  } steps[] = {
    {"", 96, 1}, {"factor=0.5", 192, 1}, {"factor=3", 96, 1},
    {"interpolation=linear", 1, 1}, {"factor=2", 1, 0}
  };
  AUTO_TEST t = start ("quality=6", 8000);
  guint i;

  for (i = 0; i < G_N_ELEMENTS (steps); i++) {
    scale_set (t, steps[i].properties);
    scale_push_sound (t, 2000 * i, 2000, 500);
    fail_unless_equals_clocktime (gst_harness_query_latency (t->h),
        PLAIN_NS (steps[i].frames));
    fail_unless_equals_int (retro_test_take_messages (t, GST_MESSAGE_LATENCY),
        steps[i].messages);
  }
}

typedef struct
{
  const gchar *properties;
  gdouble factor;
} Delay;

static const Delay delays[] = {
  {"factor=0.5", 0.5}, {"factor=1.5 interpolation=cubic", 1.5},
  {"keep-pitch=true factor=1.5 window=music", 1.5},
  {"keep-pitch=true factor=1.5 window=speech", 1.5},
  {"keep-pitch=true factor=1.5 window=low-latency", 1.5},
  {"keep-pitch=true factor=3", 3},
  {"keep-pitch=true factor=0.5 window=music", 0.5},
  {"semitones=12 window=speech", 1}, {"semitones=-12 window=speech", 1}
};

/* Pushes buffers of @piece frames. Asserts that the delay of the output, in input frames,
 * never exceeds the reported latency, and that each change of the latency is reported.
 * Returns the largest delay. */
static gdouble
largest_delay (RetroTest * t, guint64 from, guint64 end, guint piece,
    gdouble factor)
{
  gdouble was = -1, most = 0;

  for (; from < end; from += piece) {
    gdouble latency, delay;

    scale_push_sound (t, from, piece, piece);
    latency = latency_frames (t);
    delay = from + piece - retro_test_frames_out (t) / factor;
    fail_unless (delay <= latency + 1, "%g frames late, latency %g", delay,
        latency);
    fail_unless (latency == was
        || retro_test_take_messages (t, GST_MESSAGE_LATENCY) > 0 || was < 0,
        "a latency of %g frames is not reported", latency);
    was = latency;
    most = MAX (most, delay);
  }
  return most;
}

/* The delay must once be as large as the latency, except for the 96 frames of an unused
 * sinc. Buffers are small, so that they end at every position in the windows. */
LOOP_TEST (no_frame_is_later_than_the_latency, G_N_ELEMENTS (delays))
{
  const Delay *delay = &delays[__i__];
  AUTO_TEST t = start (delay->properties, 48000);
  gdouble most = largest_delay (t, 0, 15000, 3, delay->factor);

  fail_unless (most >= latency_frames (t) - 100, "%s: %g frames late, not %g",
      delay->properties, most, latency_frames (t));
}

/* A stretcher that is added while the stream plays lengthens the latency. Frames that were
 * output before must be the same as without it. */
LOOP_TEST (a_stretcher_that_is_added_reports_its_latency, 4)
{
  static const Delay added[] = {
    {"", 1}, {"factor=1.5", 1.5}, {"factor=0.75", 0.75}, {"", 1}
  };
  const Delay *delay = &added[__i__];
  AUTO_TEST t = start (delay->properties, 8000);
  gdouble before, most;

  largest_delay (t, 0, 9600, 80, delay->factor);
  before = latency_frames (t);
  retro_test_take_messages (t, GST_MESSAGE_LATENCY);
  scale_set (t, __i__ == 3 ? "keep-pitch=true factor=1.0001" :
      __i__ % 2 ? "semitones=3" : "semitones=-3");
  scale_push_sound (t, 9600, 80, 80);
  fail_unless_equals_int (retro_test_take_messages (t, GST_MESSAGE_LATENCY), 1);
  fail_unless (latency_frames (t) > before + 400);
  most = largest_delay (t, 9680, 24000, 80, delay->factor);
  /* the latency is at most a hop longer than the largest delay */
  fail_unless (__i__ == 3 || latency_frames (t) - most <= 512 / 4,
      "at most %g frames late, latency %g", most, latency_frames (t));
}
