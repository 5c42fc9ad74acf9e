/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Streams that contradict their caps, metas, durations and segments. Most of them were
 * found by Tests/fuzz. A warning from GStreamer ends a test.
 */

#include "retrotestplay.h"

#include <gst/controller/controller.h>

#define N_FRAMES 1000

#define N_FORWARD 4

static const struct
{
  const gchar *description;
  gdouble rate;                 /* of the segment; the first N_FORWARD play forward */
} elements[] = {
  {"revbuf direction=reverse mode=collect", 1},
  {"revbuf direction=reverse mode=chunk block-time=10000000", 1},
  {"timescale factor=1.5", 1}, {"timescale alignment=endpoints", 1},
  {"revbuf", -1}, {"timescale", -1}
};

static RetroTest *
start (guint n, const GstAudioInfo * info, GstClockTime start_ns,
    GstClockTime stop_ns)
{
  RetroTest *t = retro_test_new (elements[n].description);

  retro_test_start (t, info, elements[n].rate, start_ns, stop_ns);
  return t;
}

/* ---- planes and metas --------------------------------------------------- */

static GstAudioInfo
planar_info (void)
{
  return retro_test_info (GST_AUDIO_FORMAT_S16, PLANAR, PLAIN_RATE, 2);
}

static void
forget_planes (GstBuffer * buffer)
{
  GstMeta *meta = (GstMeta *) gst_buffer_get_audio_meta (buffer);

  if (meta != NULL)
    gst_buffer_remove_meta (buffer, meta);
}

/* Asserts that the element posts an error about the buffer, and can be used
 * afterwards. */
static void
assert_refused (RetroTest * t, GstBuffer * buffer)
{
  GstMessage *message;
  GError *error = NULL;

  fail_unless_equals_int (gst_harness_push (t->h, buffer), GST_FLOW_ERROR);
  message = retro_test_pop_message (t, GST_MESSAGE_ERROR);
  fail_unless (message != NULL);
  gst_message_parse_error (message, &error, NULL);
  fail_unless (strstr (error->message, "does not match its caps") != NULL, "%s",
      error->message);
  g_error_free (error);
  gst_message_unref (message);
  fail_unless_equals_int (retro_test_n_buffers (t), 0);
}

LOOP_TEST (planar_audio_must_describe_its_planes, G_N_ELEMENTS (elements))
{
  GstAudioInfo info = planar_info ();
  AUTO_TEST t = start (__i__, &info, 0, PLAIN_NS (N_FRAMES));
  GstBuffer *buffer = retro_test_buffer (&info, 0, N_FRAMES);

  forget_planes (buffer);
  assert_refused (t, buffer);
}

/* A buffer whose audio meta describes other audio than planar_info(). The buffer is large enough
 * for either audio. */
static GstBuffer *
buffer_of_other_audio (guint how)
{
  GstAudioInfo other =
      retro_test_info (how == 1 ? GST_AUDIO_FORMAT_S8 : GST_AUDIO_FORMAT_S16,
      how == 0 ? INTERLEAVED : PLANAR, how == 3 ? 44100 : 8000,
      how == 2 ? 1 : 2);
  return retro_test_buffer (&other, 0, N_FRAMES);
}

LOOP_TEST (a_meta_of_other_audio_is_an_error, 4 * N_FORWARD)
{
  GstAudioInfo info = planar_info ();
  AUTO_TEST t = start (__i__ / 4, &info, 0, PLAIN_NS (N_FRAMES));

  assert_refused (t, buffer_of_other_audio (__i__ % 4));
}

/* The meta describes more audio than the buffer contains. This happens after an element
 * that shortens buffers without changing their metas. */
LOOP_TEST (a_meta_of_more_than_there_is_is_an_error, N_FORWARD)
{
  GstAudioInfo info = planar_info ();
  AUTO_TEST t = start (__i__, &info, 0, PLAIN_NS (N_FRAMES));
  GstBuffer *buffer = retro_test_buffer (&info, 0, N_FRAMES);

  gst_buffer_set_size (buffer, 4 * N_FRAMES - 1);
  assert_refused (t, buffer);
}

static GstPadProbeReturn
forget_planes_of (GstPad * pad, GstPadProbeInfo * info, gpointer unused)
{
  forget_planes (GST_PAD_PROBE_INFO_BUFFER (info));
  return GST_PAD_PROBE_OK;
}

TEST (a_block_must_describe_its_planes)
{
  GstAudioInfo info = planar_info ();
  AUTO_PLAY play = retro_play_new ("revbuf mode=seek direction=reverse", &info,
      10000);

  retro_play_probe (play->source, "src", GST_PAD_PROBE_TYPE_BUFFER,
      forget_planes_of, NULL);
  retro_play_set_state (play, GST_STATE_PLAYING);
  retro_play_assert_says (play, GST_MESSAGE_ERROR, "match its caps");
}

/* ---- times -------------------------------------------------------------- */

static const GstClockTime lies_ns[] = { 0, 1, PLAIN_NS (1),
  PLAIN_NS (10 * N_FRAMES), G_MAXINT64, GST_CLOCK_TIME_NONE
};

/* A wrong duration does not shorten the audio, because audio is counted in frames. */
LOOP_TEST (a_duration_that_lies_cuts_nothing, G_N_ELEMENTS (lies_ns))
{
  AUTO_TEST t = retro_test_new ("revbuf direction=reverse mode=collect");
  GstBuffer *buffer;

  retro_test_start (t, NULL, 1, PLAIN_NS (200), PLAIN_NS (900));
  buffer = retro_test_buffer (&t->info, 0, N_FRAMES);
  GST_BUFFER_DURATION (buffer) = lies_ns[__i__];
  fail_unless_equals_int (gst_harness_push (t->h, buffer), GST_FLOW_OK);
  fail_unless (retro_test_eos (t));
  retro_test_assert_down (t, 200, 700);
}

LOOP_TEST (a_segment_without_a_start_begins_at_0, N_FORWARD)
{
  AUTO_TEST t = start (__i__, NULL, GST_CLOCK_TIME_NONE, GST_CLOCK_TIME_NONE);
  GstBuffer *buffer;

  buffer = retro_test_buffer (&t->info, 0, N_FRAMES);
  GST_BUFFER_PTS (buffer) = GST_CLOCK_TIME_NONE;
  fail_unless_equals_int (gst_harness_push (t->h, buffer), GST_FLOW_OK);
  fail_unless (retro_test_eos (t));
  retro_test_assert_perfect (t, 0);
}

LOOP_TEST (a_segment_that_ends_before_it_begins_is_empty,
    G_N_ELEMENTS (elements))
{
  GstAudioInfo info = planar_info ();
  AUTO_TEST t = start (__i__, &info, PLAIN_NS (500), PLAIN_NS (10));

  fail_unless_equals_int (retro_test_push (t, 0, N_FRAMES), GST_FLOW_OK);
  fail_unless (retro_test_eos (t));
  fail_unless_equals_int (retro_test_n_buffers (t), 0);
}

TEST (a_segment_without_a_stream_time_has_no_curve)
{
  AUTO_TEST t = retro_test_new ("timescale factor=2");
  GstControlSource *source = gst_interpolation_control_source_new ();
  GstSegment segment = retro_test_segment (1, 0, GST_CLOCK_TIME_NONE);

  gst_object_add_control_binding (GST_OBJECT (t->element),
      gst_direct_control_binding_new (GST_OBJECT (t->element), "factor",
          source));
  gst_object_unref (source);
  segment.time = GST_CLOCK_TIME_NONE;
  retro_test_send_segment (t, &segment);
  retro_test_push (t, 0, N_FRAMES);
  fail_unless (retro_test_eos (t));
  fail_unless_equals_uint64 (retro_test_frames_out (t), 2 * N_FRAMES);
}

/* At this rate, the running time at the end of the live stream exceeds G_MAXINT64. The
 * base of the output segment must be clamped to G_MAXINT64. */
TEST (a_rate_near_0_lasts_the_longest_possible_time)
{
  AUTO_TEST t = retro_test_new ("revbuf direction=reverse mode=collect");

  retro_test_answer_latency (t, 0, GST_CLOCK_TIME_NONE);
  retro_test_start (t, NULL, 1e-12, 0, 100 * GST_SECOND);
  retro_test_push (t, 0, N_FRAMES);
  fail_unless (retro_test_eos (t));
  fail_unless_equals_uint64 (retro_test_nth_segment (t, 0).base, G_MAXINT64);
  retro_test_assert_down (t, 0, N_FRAMES);
}

/* Sets a property between a flush and the next segment. Asserts that nothing is reversed.
 * GStreamer warns about buffers without a segment, but this warning must not end the
 * test. */
static void
assert_turns_nothing (const gchar * name, const gchar * value)
{
  AUTO_TEST t = retro_test_new ("revbuf");

  retro_test_answer_queries (t, PLAIN_NS (100000), 0);
  retro_test_start (t, NULL, 1, 0, GST_CLOCK_TIME_NONE);
  retro_test_push (t, 0, N_FRAMES);
  retro_test_flush (t);
  gst_util_set_object_arg (G_OBJECT (t->element), name, value);
  _gst_check_expecting_log = TRUE;
  fail_unless_equals_int (retro_test_push (t, N_FRAMES, N_FRAMES), GST_FLOW_OK);
  fail_if (_gst_check_raised_critical);
  retro_test_assert_up (t, 0, 2 * N_FRAMES);
}

TEST (a_flush_without_a_segment_turns_nothing)
{
  assert_turns_nothing ("direction", "reverse");
  assert_turns_nothing ("loop", "repeat");
}
