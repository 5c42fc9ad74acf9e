/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * revbuf mode=seek finds the real end of the stream, whatever duration upstream reports,
 * and answers queries.
 */

#include "retrotestplay.h"

#define N_FRAMES 50001
#define END_NS PLAIN_NS (N_FRAMES)

/* The durations that upstream reports: right, wrong, and absurd. */
static const GstClockTime durations_ns[] = {
  END_NS, GST_CLOCK_TIME_NONE, 0, 1, PLAIN_NS (1), PLAIN_NS (25000),
  PLAIN_NS (N_FRAMES - 1), END_NS - 1, END_NS + 1, PLAIN_NS (N_FRAMES + 1),
  PLAIN_NS (N_FRAMES + 799), PLAIN_NS (N_FRAMES + 20000), 2 * END_NS,
  100 * END_NS, G_MAXINT64
};

static void
check_true_end (guint64 n_frames, GstClockTime duration_ns)
{
  AUTO_PLAY play = retro_play_new_plain ("revbuf direction=reverse "
      "mode=seek block-time=500000000", n_frames);

  play->knobs->duration_ns = duration_ns;
  retro_play_run (play);
  retro_test_assert_down (&play->out, 0, n_frames);
  retro_play_assert_sound (play, 0, RETRO_PLAY_JOINED);
  fail_unless_equals_clocktime (retro_play_duration (play),
      PLAIN_NS (n_frames));
}

SOME_TEST (true_end_is_found, 7, G_N_ELEMENTS (durations_ns))
{
  check_true_end (N_FRAMES, durations_ns[__i__]);
}

/* If the duration is unknown, mode=auto collects the stream. */
TEST (unknown_end_is_waited_for)
{
  AUTO_PLAY play = retro_play_new_plain ("revbuf direction=reverse", N_FRAMES);

  play->knobs->duration_ns = GST_CLOCK_TIME_NONE;
  retro_play_run (play);
  retro_test_assert_down (&play->out, 0, N_FRAMES);
  fail_unless_equals_uint64 (retro_play_stat (play, "blocks"), 0);
}

/* An MP4 that states the duration 0 still has a segment with a stop. A decoder
 * that rounds times may output a frame that ends after this stop, or even
 * begins at the stop. GStreamer clips only whole frames, so the element must
 * output this frame. */
LOOP_TEST (a_frame_that_the_segment_cuts_is_output, 6)
{
  static const gchar *const modes[] = { "collect", "seek", "auto" };
  /* The packets are chosen so that the last frame shares its buffer with other
   * frames. A buffer with only the last frame would be outside the segment. */
  const guint64 n_frames = N_FRAMES + 40;
  g_autofree gchar *description =
      g_strdup_printf ("revbuf direction=reverse mode=%s",
      modes[__i__ % 3]);
  AUTO_PLAY play = retro_play_new_plain (description, n_frames);

  play->knobs->duration_ns = 0;
  play->knobs->stop_ns = PLAIN_NS (n_frames - 1) + (__i__ < 3);
  retro_play_run (play);
  retro_test_assert_down (&play->out, 0, n_frames);
}

/* In forward playback, the element knows the real end only when it reaches that
 * end. */
SOME_TEST (true_end_is_reached_forward, 4, G_N_ELEMENTS (durations_ns))
{
  AUTO_PLAY play = retro_play_new_plain ("revbuf loop=repeat", N_FRAMES);

  play->knobs->duration_ns = durations_ns[__i__];
  g_object_set (play->revbuf, "loop-stop", G_MAXUINT64, NULL);
  retro_play_start (play, 1000);
  g_object_set (play->revbuf, "loop", 0, NULL);
  retro_play_finish (play);
  retro_test_assert_up (&play->out, 0, N_FRAMES);
  retro_play_assert_sound (play, 0, RETRO_PLAY_JOINED);
  fail_unless_equals_clocktime (retro_play_duration (play), END_NS);
}

/* The element keeps the beginning of a stream in memory. This stream is so
 * short that the element keeps all of it. */
SOME_TEST (true_end_of_a_short_stream, 3, G_N_ELEMENTS (durations_ns))
{
  check_true_end (500, durations_ns[__i__]);
}

/* Given a source that ends earlier after a seek than it says. When this is reported, then the
 * details contain both ends. */
TEST (an_early_end_tells_both_ends)
{
  AUTO_PLAY play = retro_play_new_plain ("revbuf direction=reverse "
      "block-time=300000000", N_FRAMES);
  g_autoptr (GstMessage) message = NULL;
  const GstStructure *details;
  guint64 stated, ended;

  play->knobs->duration_ns = 3 * END_NS;
  retro_play_run (play);
  message = retro_play_wait_report (play, GST_MESSAGE_WARNING, "ends-early",
      &details);
  fail_unless (gst_structure_get (details, "duration", G_TYPE_UINT64, &stated,
          "stream-time", G_TYPE_UINT64, &ended, NULL));
  fail_unless_equals_clocktime (stated, 3 * END_NS);
  fail_unless_equals_clocktime (ended, END_NS);
}

/* The application seeks backwards from a position between the real end and the reported
 * end, which is later. */
TEST (seek_to_an_end_that_is_not_there)
{
  AUTO_PLAY play = retro_play_new_plain ("revbuf direction=reverse", N_FRAMES);

  play->knobs->duration_ns = 3 * END_NS;
  retro_play_start (play, 1000);
  fail_unless (retro_play_seek (play, 1, GST_SEEK_FLAG_FLUSH,
          GST_SEEK_TYPE_SET, 0, GST_SEEK_TYPE_SET, 2 * END_NS));
  retro_play_finish (play);
  retro_play_stop (play);
  retro_play_assert_sound (play, 1, RETRO_PLAY_JOINED);
  fail_unless (retro_test_frames_out (&play->out) >= N_FRAMES + 1000);
}

/* ---- queries -------------------------------------------------------------- */

TEST (the_position_falls_with_the_output)
{
  AUTO_PLAY play = retro_play_new_plain ("revbuf direction=reverse", N_FRAMES);
  guint64 n;

  retro_play_start (play, 0);
  for (n = 320; n < N_FRAMES; n += 3200) {
    GstClockTime position;

    retro_play_go_on (play, n);
    /* the sink reports the position of the buffer that it is receiving now */
    position = retro_play_position (play);
    fail_unless (GST_CLOCK_TIME_IS_VALID (position));
    fail_unless (position <= PLAIN_NS (N_FRAMES - n + 320) + 1000
        && position + 1000 >= PLAIN_NS (N_FRAMES - MIN (play->frames_out
                + 320, N_FRAMES)),
        "%" G_GUINT64_FORMAT ": %" GST_TIME_FORMAT, n,
        GST_TIME_ARGS (position));
  }
  retro_play_finish (play);
  fail_unless (retro_play_position (play) < 1000);
}

TEST (position_after_a_seek_is_its_target)
{
  AUTO_PLAY play = retro_play_new_plain ("revbuf direction=reverse", N_FRAMES);

  retro_play_start (play, 3200);
  fail_unless (retro_play_seek (play, 1, GST_SEEK_FLAG_FLUSH
          | GST_SEEK_FLAG_ACCURATE, GST_SEEK_TYPE_SET, 0, GST_SEEK_TYPE_SET,
          PLAIN_NS (20000)));
  fail_unless_equals_clocktime (retro_play_position (play), PLAIN_NS (20000));
  retro_play_set_reverse (play, FALSE);
  fail_unless (retro_play_seek (play, 1, GST_SEEK_FLAG_FLUSH
          | GST_SEEK_FLAG_ACCURATE, GST_SEEK_TYPE_SET, PLAIN_NS (10000),
          GST_SEEK_TYPE_NONE, 0));
  fail_unless_equals_clocktime (retro_play_position (play), PLAIN_NS (10000));
}

typedef struct
{
  RetroPlay *play;
  GstClockTime position;
} FirstPosition;

static GstPadProbeReturn
ask_position (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  FirstPosition *answer = data;

  if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) == GST_EVENT_SEGMENT)
    answer->position = retro_play_position (answer->play);
  return GST_PAD_PROBE_OK;
}

TEST (position_before_the_first_buffer_is_the_end)
{
  AUTO_PLAY play = retro_play_new_plain ("revbuf direction=reverse", N_FRAMES);
  FirstPosition answer = { play, 0 };

  retro_play_probe (play->revbuf, "src", GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM,
      ask_position, &answer);
  retro_play_run (play);
  fail_unless_equals_clocktime (answer.position, END_NS);
}

static GstQuery *
ask (RetroPlay * play, GstQuery * query)
{
  GstPad *pad = gst_element_get_static_pad (play->revbuf, "src");

  fail_unless (gst_pad_query (pad, query), "%s is not answered",
      GST_QUERY_TYPE_NAME (query));
  gst_object_unref (pad);
  return query;
}

/* The answer to a segment query must be the segment that the application has requested,
 * with the negative rate of its seek. */
TEST (queries_are_answered)
{
  AUTO_PLAY play = retro_play_new_plain ("revbuf mode=seek", N_FRAMES);
  gboolean seekable, live;
  GstClockTime min, max;
  gint64 start, stop;
  GstFormat format;
  GstQuery *query;
  gdouble rate;

  retro_play_start (play, 3200);
  query = ask (play, gst_query_new_seeking (GST_FORMAT_TIME));
  gst_query_parse_seeking (query, &format, &seekable, &start, &stop);
  fail_unless (seekable && format == GST_FORMAT_TIME);
  fail_unless_equals_int64 (start, 0);
  fail_unless_equals_int64 (stop, END_NS);
  gst_query_unref (query);

  query = ask (play, gst_query_new_latency ());
  gst_query_parse_latency (query, &live, &min, &max);
  fail_if (live);
  fail_unless_equals_clocktime (min, 0);
  gst_query_unref (query);

  fail_unless (retro_play_seek (play, -1, GST_SEEK_FLAG_FLUSH,
          GST_SEEK_TYPE_SET, PLAIN_NS (8000), GST_SEEK_TYPE_SET,
          PLAIN_NS (16000)));
  retro_play_go_on (play, 6400);
  query = ask (play, gst_query_new_segment (GST_FORMAT_TIME));
  gst_query_parse_segment (query, &rate, &format, &start, &stop);
  fail_unless_equals_float (rate, -1.0);
  fail_unless_equals_int64 (start, PLAIN_NS (8000));
  fail_unless_equals_int64 (stop, PLAIN_NS (16000));
  gst_query_unref (query);
}

/* ---- more frames than timestamps ------------------------------------------- */

static RetroPlay *
new_behind (guint64 from_frame, guint64 n_frames)
{
  RetroPlay *play = retro_play_new_plain ("revbuf direction=reverse "
      "block-time=500000000", N_FRAMES);

  play->knobs->behind_from_frame = from_frame;
  play->knobs->behind_frames = n_frames;
  play->knobs->duration_ns = PLAIN_NS (N_FRAMES - n_frames);
  return play;
}

static const guint64 behind_from_frames[] = { 1000, 9000, 49000 };

/* The element must not send a second segment, because encoders would then start a new
 * stream. 400 frames (50 ms) more than the timestamps indicate are an exception, because
 * sinks treat such a difference as a discontinuity. */
SOME_TEST (frames_beyond_the_timestamps_need_no_second_segment, 6, 12)
{
  static const guint64 behind_frames[] = { 1, 23, 240, 400 };
  AUTO_PLAY play = new_behind (behind_from_frames[__i__ / 4],
      behind_frames[__i__ % 4]);

  retro_play_run (play);
  retro_test_assert_down (&play->out, 0, N_FRAMES);
  retro_play_assert_sound (play, 0, RETRO_PLAY_JOINED);
  if (__i__ % 4 < 3)
    fail_unless_equals_int (retro_test_n_events (&play->out,
            GST_EVENT_SEGMENT), 1);
}

/* The stop of the segment must be open for encoders, because the last packet may end
 * after the stop. */
LOOP_TEST (an_encoder_gets_one_segment_without_a_stop, 3)
{
  static const gchar *const kinds[] = {
    "Codec/Encoder/Audio", "Codec/Muxer", "Generic/Bin/Encoder"
  };
  AUTO_PLAY play = new_behind (behind_from_frames[__i__], 400);
  GstSegment segment;

  gst_element_class_add_static_metadata (GST_ELEMENT_GET_CLASS (play->sink),
      GST_ELEMENT_METADATA_KLASS, kinds[__i__]);
  retro_play_run (play);
  retro_test_assert_down (&play->out, 0, N_FRAMES);
  fail_unless_equals_int (retro_test_n_events (&play->out, GST_EVENT_SEGMENT),
      1);
  segment = retro_test_nth_segment (&play->out, 0);
  fail_unless_equals_clocktime (segment.stop, GST_CLOCK_TIME_NONE);
  /* sinks calculate the stream time backwards from this time */
  fail_unless_equals_clocktime (segment.time, PLAIN_NS (N_FRAMES - 400));
  retro_test_assert_perfect (&play->out, segment.start);
}

/* A sink in a second branch, next to the encoder, gets the same segment without a stop. The sink
 * must still report its position. */
TEST (a_sink_beside_an_encoder_knows_its_position)
{
  static const guint64 places[] = { N_FRAMES, 30000, 1 };
  AUTO_PLAY play = retro_play_new_plain ("revbuf direction=reverse", N_FRAMES);
  gint64 position;
  guint n;

  gst_element_class_add_static_metadata (GST_ELEMENT_GET_CLASS (play->sink),
      GST_ELEMENT_METADATA_KLASS, "Codec/Encoder/Audio");
  g_object_set (play->sink, "sync", TRUE, NULL);
  retro_play_set_state (play, GST_STATE_PAUSED);
  for (n = 0; n < G_N_ELEMENTS (places); n++) {
    if (n > 0)
      fail_unless (retro_play_seek (play, 1, GST_SEEK_FLAG_FLUSH,
              GST_SEEK_TYPE_SET, PLAIN_NS (places[n]), GST_SEEK_TYPE_NONE, 0));
    gst_element_get_state (play->pipeline, NULL, NULL, GST_CLOCK_TIME_NONE);
    fail_unless (gst_element_query_position (play->sink, GST_FORMAT_TIME,
            &position));
    fail_unless_equals_int64 (position, PLAIN_NS (places[n]));
  }
}
