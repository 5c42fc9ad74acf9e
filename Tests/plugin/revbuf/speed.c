/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * revbuf: any speed, even through zero. Each frame's sample is its own number, and a low-pass
 * filter doesn't change a straight line, so each output sample is the position where it was read.
 */

#include "retrotestplay.h"

#include <gst/controller/controller.h>
#include <math.h>

#define N_FRAMES 40000
#define RATE 8000
#define SPEED "revbuf mode=seek block-time=500000000 "
/* Around the ends of the stream, the filter reaches silence. */
#define EDGE_FRAMES 1200
/* Sinc at the default quality leaves a line straight within this. */
#define SLACK 0.05

/* ---- given ------------------------------------------------------------------- */

/* The sample of a frame. */
typedef gdouble (*Wave) (guint64 frame);

static gdouble
number (guint64 frame)
{
  return frame;
}

static GstPadProbeReturn
fill (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  GstBuffer *buffer = gst_buffer_make_writable (info->data);
  guint64 frame =
      gst_util_uint64_scale_round (GST_BUFFER_PTS (buffer), RATE, GST_SECOND);
  Wave wave = data;
  GstMapInfo map;
  gsize n;

  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_WRITE));
  for (n = 0; n < map.size / sizeof (gdouble); n++)
    ((gdouble *) map.data)[n] = wave (frame + n);
  gst_buffer_unmap (buffer, &map);
  info->data = buffer;
  return GST_PAD_PROBE_OK;
}

static RetroPlay *
new_filled (const gchar * description, Wave wave)
{
  GstAudioInfo info =
      retro_test_info (GST_AUDIO_FORMAT_F64, INTERLEAVED, RATE, 1);
  RetroPlay *play = retro_play_new (description, &info, N_FRAMES);

  retro_play_probe (play->source, "src", GST_PAD_PROBE_TYPE_BUFFER, fill, wave);
  return play;
}

static RetroPlay *
new_numbered (const gchar * description)
{
  return new_filled (description, number);
}

/* ---- then --------------------------------------------------------------------- */

/* The positions of all output frames. */
static GArray *
positions (RetroPlay * play)
{
  GArray *all = g_array_new (FALSE, FALSE, sizeof (gdouble));
  g_autoptr (GByteArray) bytes = NULL;

  retro_play_stop (play);
  bytes = retro_test_bytes (&play->out);
  g_array_append_vals (all, bytes->data, bytes->len / sizeof (gdouble));
  return all;
}

#define AT(all, n) g_array_index (all, gdouble, n)

static gboolean
is_inside (gdouble position)
{
  return position > EDGE_FRAMES && position < N_FRAMES - EDGE_FRAMES;
}

/* Asserts that playback moves at @speed from output frame @first to @end. Neither end of the
 * stream may be near. */
static void
assert_speed (GArray * all, guint first, guint end, gdouble speed)
{
  guint n;

  for (n = first + 1; n < end; n++) {
    gdouble step = AT (all, n) - AT (all, n - 1);

    fail_unless (fabs (step - speed) < SLACK, "%g from %g to %g, frame %u",
        step, AT (all, n - 1), AT (all, n), n);
  }
}

/* Asserts that no step of the first @n_frames is longer than @speed. */
static void
assert_no_jump (GArray * all, guint n_frames, gdouble speed)
{
  guint n;

  for (n = 1; n < n_frames; n++)
    fail_unless (fabs (AT (all, n) - AT (all, n - 1)) <= speed + SLACK,
        "from %g to %g, frame %u of %u", AT (all, n - 1), AT (all, n), n,
        all->len);
}

/* Asserts that the segment of each buffer gives its position to within 150 ms. */
static void
assert_positions_told (RetroPlay * play)
{
  guint n, n_buffers = retro_test_n_buffers (&play->out), n_segment = 0;
  guint n_segments = retro_test_n_events (&play->out, GST_EVENT_SEGMENT);

  for (n = 0; n < n_buffers; n++) {
    GstBuffer *buffer = retro_test_nth_buffer (&play->out, n);
    gint place = retro_test_place_of_buffer (&play->out, n);
    GstSegment segment;
    gdouble first, told;

    while (n_segment + 1 < n_segments && retro_test_place_of_event (&play->out,
            GST_EVENT_SEGMENT, n_segment + 1) < place)
      n_segment++;
    segment = retro_test_nth_segment (&play->out, n_segment);
    gst_buffer_extract (buffer, 0, &first, sizeof first);
    told = gst_segment_to_stream_time (&segment, GST_FORMAT_TIME,
        GST_BUFFER_PTS (buffer)) / 1e9 * RATE;
    if (is_inside (told) && !GST_BUFFER_FLAG_IS_SET (buffer,
            GST_BUFFER_FLAG_GAP))
      fail_unless (fabs (told - first) < 0.15 * RATE, "%g, told %g", first,
          told);
  }
}

/* ---- constant speeds ----------------------------------------------------------- */

static const gdouble speeds[] = { 0.5, 1.5, 2, 8, -0.5, -0.75, -3, -8 };

/* Given a speed from the start, when the stream is played, then each frame is that far from the
 * last, from one end of the stream to the other, and the segment gives the right position. */
LOOP_TEST (every_frame_is_a_step_of_the_speed, G_N_ELEMENTS (speeds))
{
  g_autofree gchar *description =
      g_strdup_printf (SPEED "speed=%g", speeds[__i__]);
  g_autoptr (RetroPlay) play = new_numbered (description);
  gdouble wanted = N_FRAMES / fabs (speeds[__i__]);
  g_autoptr (GArray) all = NULL;
  GstSegment segment;
  guint edge;

  retro_play_run (play);
  all = positions (play);
  fail_unless (fabs (all->len - wanted) <= 2, "%u of %g frames", all->len,
      wanted);
  edge = EDGE_FRAMES / fabs (speeds[__i__]);
  assert_speed (all, edge, all->len - edge, speeds[__i__]);
  segment = retro_test_nth_segment (&play->out, 0);
  fail_unless (segment.rate == 1 && segment.applied_rate == speeds[__i__]);
  assert_positions_told (play);
  fail_unless_equals_uint64 (retro_test_clipped_frames (&play->out), all->len);
}

/* ---- changes ------------------------------------------------------------------- */

/* Given a stream that plays at 1, when the speed changes through zero and back to 1, then the sound
 * never jumps, and at 1 and -1 it consists of whole frames. */
TEST (a_change_through_zero_has_no_step)
{
  static const gdouble changes[] = { 2, -1.5, -1, 0.25, 4, 1 };
  g_autoptr (RetroPlay) play = new_numbered (SPEED);
  g_autoptr (GArray) all = NULL;
  guint64 reached = 12000;
  guint n;

  retro_play_start (play, reached);
  for (n = 0; n < G_N_ELEMENTS (changes); n++) {
    g_object_set (play->revbuf, "speed", changes[n], NULL);
    reached += 2000;
    retro_play_go_on (play, reached);
  }
  retro_play_finish (play);
  all = positions (play);
  assert_no_jump (all, all->len, 4);
  assert_positions_told (play);
  /* 1 and -1 are exact after the ramp */
  for (n = 0; n < 11000; n++)
    fail_unless (AT (all, n) == n);
  for (n = 16500; n < 17500; n++)
    fail_unless (AT (all, n) == floor (AT (all, n))
        && AT (all, n + 1) == AT (all, n) - 1, "%.9f", AT (all, n));
  for (n = 22500; n + 1 < all->len; n++)
    fail_unless (AT (all, n + 1) == AT (all, n) + 1, "%.9f", AT (all, n));
  fail_unless (AT (all, all->len - 1) == N_FRAMES - 1);
}

/* Given a speed, when another is set, then it is reached within 5 ms, from the next buffer on,
 * which lasts 10 ms. */
TEST (a_new_speed_is_in_the_next_buffer)
{
  g_autoptr (RetroPlay) play = new_numbered (SPEED "speed=0.5");
  g_autoptr (GArray) all = NULL;

  retro_play_start (play, 8000);
  g_object_set (play->revbuf, "speed", 3.0, NULL);
  retro_play_finish (play);
  all = positions (play);
  assert_speed (all, 2 * EDGE_FRAMES, 8000, 0.5);
  assert_speed (all, 8000 + 2 * RATE / 100 + RATE / 200, all->len -
      EDGE_FRAMES / 3, 3);
}

/* Given a moving tape, when it stops, then it is silent, its buffers are gaps, and its position
 * stays. When it moves on, then it starts from there. */
TEST (at_rest_it_is_silent_and_stays)
{
  g_autoptr (RetroPlay) play = new_numbered (SPEED "speed=2");
  GstClockTime first_ns, second_ns;
  g_autoptr (GArray) all = NULL;
  guint n, last = 0, next = 0;
  gint direction;

  retro_play_start (play, 4000);
  g_object_set (play->revbuf, "speed", 0.0, NULL);
  retro_play_go_on (play, 8000);
  fail_unless (GST_BUFFER_FLAG_IS_SET (retro_test_nth_buffer (&play->out,
              retro_test_n_buffers (&play->out) - 1), GST_BUFFER_FLAG_GAP));
  first_ns = retro_play_position (play);
  retro_play_go_on (play, 12000);
  second_ns = retro_play_position (play);
  fail_unless (first_ns == second_ns);
  g_object_get (play->revbuf, "direction", &direction, NULL);
  fail_unless_equals_int (direction, 0);
  g_object_set (play->revbuf, "speed", 2.0, NULL);
  retro_play_finish (play);
  all = positions (play);
  for (n = 0; n < all->len; n++) {
    if (n < 4500 && AT (all, n) != 0)
      last = n;
    if (n > 10000 && next == 0 && AT (all, n) > EDGE_FRAMES)
      next = n;
  }
  for (n = 5000; n < 11000; n++)
    fail_unless (AT (all, n) == 0);
  assert_speed (all, next + RATE / 50, all->len - EDGE_FRAMES / 2, 2);
  fail_unless (fabs (AT (all, next + RATE / 50) - AT (all, 3900)) < 900,
      "%g, then %g", AT (all, last), AT (all, next));
}

/* Given a tape, when the quality changes, then the sound continues without a step. */
TEST (a_new_quality_has_no_step)
{
  g_autoptr (RetroPlay) play = new_numbered (SPEED "speed=1.5 quality=0");
  g_autoptr (GArray) all = NULL;

  retro_play_start (play, 8000);
  g_object_set (play->revbuf, "quality", 10, NULL);
  retro_play_go_on (play, 12000);
  g_object_set (play->revbuf, "quality", 2, NULL);
  retro_play_finish (play);
  all = positions (play);
  assert_speed (all, EDGE_FRAMES, all->len - EDGE_FRAMES, 1.5);
}

/* ---- seeks --------------------------------------------------------------------- */

/* Given a tape at speed -2, when the application seeks, then it lands there, at that speed. */
TEST (a_seek_lands_where_it_was_asked)
{
  g_autoptr (RetroPlay) play = new_numbered (SPEED "speed=-2");
  g_autoptr (GArray) all = NULL;
  guint first;

  retro_play_start (play, 4000);
  fail_unless (retro_play_seek (play, 1, GST_SEEK_FLAG_FLUSH
          | GST_SEEK_FLAG_ACCURATE, GST_SEEK_TYPE_SET, PLAIN_NS (30000),
          GST_SEEK_TYPE_NONE, 0));
  retro_play_finish (play);
  all = positions (play);
  first = all->len - 15000;
  fail_unless (fabs (AT (all, first) - 29999) < 2, "%g", AT (all, first));
  assert_speed (all, first, all->len - EDGE_FRAMES / 2, -2);
}

/* ---- seeks with a negative rate -------------------------------------------------- */

/* Given a speed, when the application seeks with a negative rate, then the speed is negated: the
 * range is played in the other direction, and at the same rate in the segment. */
LOOP_TEST (a_negative_rate_negates_the_speed, 4)
{
  static const gdouble given[] = { 1, -1, 2, -2 };
  gdouble speed = given[__i__];
  g_autoptr (RetroPlay) play = new_numbered (SPEED);
  g_autoptr (GArray) all = NULL;
  guint first, n;

  g_object_set (play->revbuf, "speed", speed, NULL);
  retro_play_start (play, 4000);
  fail_unless (retro_play_seek (play, -1, GST_SEEK_FLAG_FLUSH
          | GST_SEEK_FLAG_ACCURATE, GST_SEEK_TYPE_SET, PLAIN_NS (10000),
          GST_SEEK_TYPE_SET, PLAIN_NS (30000)));
  retro_play_finish (play);
  all = positions (play);
  first = all->len - 20000 / fabs (speed) + EDGE_FRAMES;
  n = all->len - EDGE_FRAMES;
  assert_speed (all, first, n, -speed);
}

/* Given a seek with a negative rate, when the direction is set, then the sound turns, and turns
 * back. */
TEST (after_a_negative_rate_the_direction_turns)
{
  g_autoptr (RetroPlay) play = new_numbered (SPEED);
  g_autoptr (GArray) all = NULL;

  retro_play_start (play, 4000);
  fail_unless (retro_play_seek (play, -1, GST_SEEK_FLAG_FLUSH
          | GST_SEEK_FLAG_ACCURATE, GST_SEEK_TYPE_SET, 0, GST_SEEK_TYPE_SET,
          PLAIN_NS (30000)));
  retro_play_go_on (play, 8000);
  retro_play_set_reverse (play, TRUE);
  retro_play_go_on (play, 12000);
  retro_play_set_reverse (play, FALSE);
  retro_play_finish (play);
  all = positions (play);
  assert_speed (all, 4400, 7600, -1);
  assert_speed (all, 9000, 11600, 1);
  assert_speed (all, 13000, 16000, -1);
}

/* Given a stream that passes, when a scrub is requested, then the tape moves there smoothly, and
 * rests. */
TEST (a_scrub_ends_where_it_was_asked)
{
  g_autoptr (RetroPlay) play = new_numbered (SPEED);
  g_autoptr (GArray) all = NULL;
  gboolean is_valid = FALSE;
  GstClockTime position_ns;

  retro_play_start (play, 20000);
  g_signal_emit_by_name (play->revbuf, "scrub", PLAIN_NS (18000),
      PLAIN_NS (2037), &is_valid);
  fail_unless (is_valid);
  retro_play_go_on (play, 26000);
  position_ns = retro_play_position (play);
  all = positions (play);
  assert_no_jump (all, 20000 + 2037, 4);
  fail_unless (position_ns == PLAIN_NS (18000), "%" GST_TIME_FORMAT,
      GST_TIME_ARGS (position_ns));
}

/* ---- loops --------------------------------------------------------------------- */

/* Given a loop of two markers, when it is played at speed 2, then each pass lasts half as long.
 * On the way back of a ping-pong loop, the sound goes backwards. */
LOOP_TEST (a_loop_is_played_at_the_speed, 2)
{
  g_autoptr (RetroPlay) play = new_numbered (__i__ == 0 ?
      SPEED "speed=2 loop=repeat loop-start=1000000000 loop-stop=2000000000" :
      SPEED "speed=2 loop=ping-pong loop-start=1000000000 "
      "loop-stop=2000000000");
  g_autoptr (GArray) all = NULL;
  gdouble sign = __i__ == 0 ? 1 : -1;

  retro_play_start (play, 24000);
  all = positions (play);
  assert_speed (all, EDGE_FRAMES / 2, 7900, 2);
  assert_speed (all, 8100, 11900, 2 * sign);
  assert_speed (all, 12100, 15900, 2);
  fail_unless (fabs (AT (all, 8000 + 2000) - 12000) < 40, "%g", AT (all,
          10000));
}

/* ---- loops across their markers -------------------------------------------------- */

#define PERIOD_FRAMES 80

static gdouble
ring (guint64 frame)
{
  return cos (2 * G_PI * frame / PERIOD_FRAMES);
}

static const struct
{
  const gchar *loop;
  gint64 n_frames;              /* whole cycles, and for ping-pong symmetric around both ends */
  gdouble speed;
} rings[] = {
  {"repeat", 800, 1.5}, {"repeat", 800, -0.7}, {"repeat", 80, 3.3},
  {"repeat", 8000, -2}, {"ping-pong", 801, 1.5}, {"ping-pong", 81, -0.7},
  {"ping-pong", 8001, 2.5}
};

/* Given a loop of whole cycles, when it is played at a speed, then no marker is audible: the
 * output is one cosine, whose phase follows from the number of the output frame. */
LOOP_TEST (no_marker_of_a_loop_is_heard, G_N_ELEMENTS (rings))
{
  g_autofree gchar *description = g_strdup_printf (SPEED "speed=%g loop=%s "
      "loop-start=%" G_GUINT64_FORMAT " loop-stop=%" G_GUINT64_FORMAT,
      rings[__i__].speed, rings[__i__].loop, PLAIN_NS (8000),
      PLAIN_NS (8000 + rings[__i__].n_frames));
  g_autoptr (RetroPlay) play = new_filled (description, ring);
  gdouble speed = rings[__i__].speed, start, turn;
  g_autoptr (GArray) all = NULL;
  guint n;

  retro_play_start (play, 24000);
  all = positions (play);
  start = speed < 0 ? N_FRAMES - 1 : 0;
  for (n = EDGE_FRAMES; n < all->len; n++) {
    turn = 2 * G_PI * (start + n * speed) / PERIOD_FRAMES;
    fail_unless (fabs (AT (all, n) - cos (turn)) < 1e-4,
        "frame %u: %g and not %g", n, AT (all, n), cos (turn));
  }
}

/* Given a position before a loop, when it is played backwards at a speed, then it continues to the
 * beginning, as at -1. */
TEST (backwards_from_before_a_loop_it_goes_to_the_beginning)
{
  g_autoptr (RetroPlay) play = new_numbered (SPEED
      "loop=repeat loop-start=2500000000 loop-stop=4000000000");
  g_autoptr (GArray) all = NULL;

  retro_play_start (play, 16000);
  g_object_set (play->revbuf, "speed", -1.5, NULL);
  retro_play_go_on (play, 24000);
  all = positions (play);
  assert_no_jump (all, all->len, 1.5);
}

/* Given a loop, when its markers are removed while a tape plays it, then the tape plays on past
 * them. */
TEST (without_its_loop_a_tape_plays_on)
{
  g_autoptr (RetroPlay) play = new_numbered (SPEED "speed=2 "
      "loop=repeat loop-start=1000000000 loop-stop=2000000000");
  g_autoptr (GArray) all = NULL;

  retro_play_start (play, 11500);
  g_object_set (play->revbuf, "loop", 0, NULL);
  retro_play_finish (play);
  all = positions (play);
  fail_unless (fabs (AT (all, all->len - EDGE_FRAMES) - (N_FRAMES -
              2 * EDGE_FRAMES)) < 10, "%g", AT (all, all->len - EDGE_FRAMES));
}

/* Given a loop, when a tape is scrubbed beyond its marker, then it goes there. */
TEST (a_scrub_goes_beyond_the_markers_of_a_loop)
{
  g_autoptr (RetroPlay) play = new_numbered (SPEED "speed=2 "
      "loop=repeat loop-start=1000000000 loop-stop=2000000000");
  gboolean is_valid = FALSE;

  retro_play_start (play, 6000);
  g_signal_emit_by_name (play->revbuf, "scrub", PLAIN_NS (30000),
      PLAIN_NS (6000), &is_valid);
  fail_unless (is_valid);
  retro_play_go_on (play, 16000);
  fail_unless (retro_play_position (play) == PLAIN_NS (30000));
}

/* ---- what the properties say ---------------------------------------------------- */

/* The speed's sign and the direction agree, except at 0. */
TEST (speed_and_direction_agree)
{
  g_autoptr (GstElement) revbuf = gst_element_factory_make ("revbuf", NULL);
  gint direction;
  gdouble speed;

  g_object_set (revbuf, "speed", -2.5, NULL);
  g_object_get (revbuf, "direction", &direction, NULL);
  fail_unless_equals_int (direction, 1);
  g_object_set (revbuf, "direction", 0, NULL);
  g_object_get (revbuf, "speed", &speed, NULL);
  fail_unless (speed == 2.5);
  g_object_set (revbuf, "direction", 1, "speed", 0.0, NULL);
  g_object_get (revbuf, "direction", &direction, NULL);
  fail_unless_equals_int (direction, 1);
}

/* ---- events --------------------------------------------------------------------- */

/* Given a source whose tags change with each fetch, when it is played at a speed, then they
 * arrive with the audio, and not only at the end. */
TEST (tags_arrive_at_any_speed)
{
  g_autoptr (GstTagList) one = gst_tag_list_new (GST_TAG_TITLE, "one", NULL);
  g_autoptr (GstTagList) other =
      gst_tag_list_new (GST_TAG_TITLE, "other", NULL);
  g_autoptr (RetroPlay) play = new_numbered (SPEED "speed=-2");

  play->knobs->tells_tags = TRUE;
  play->knobs->tags[0] = one;
  play->knobs->tags[1] = other;
  retro_play_start (play, 16000);
  fail_unless (retro_test_n_events (&play->out, GST_EVENT_TAG) > 2);
  retro_play_finish (play);
}

/* ---- encoders --------------------------------------------------------------------- */

/* Given an encoder, or timescale and an encoder, when the direction and the speed change, then it
 * gets one segment, because another one would end its file. Timestamps continue there, to a
 * frame. */
LOOP_TEST (an_encoder_gets_one_segment, 4)
{
  g_autoptr (RetroPlay) play = new_numbered (__i__ % 2 == 0 ?
      SPEED "speed=-1" : SPEED "speed=-1 speed-mode=rate");
  guint n;

  gst_element_class_add_static_metadata (GST_ELEMENT_GET_CLASS (play->sink),
      GST_ELEMENT_METADATA_KLASS, "Codec/Encoder/Audio");
  if (__i__ >= 2)
    retro_play_insert (play, gst_element_factory_make ("timescale", NULL));
  retro_play_start (play, 20000);
  g_object_set (play->revbuf, "speed", 1.0, NULL);
  retro_play_go_on (play, 22000);
  g_object_set (play->revbuf, "speed", 2.0, NULL);
  retro_play_go_on (play, 24000);
  g_object_set (play->revbuf, "speed", -1.0, NULL);
  retro_play_finish (play);
  retro_play_stop (play);
  fail_unless_equals_int (retro_test_n_events (&play->out, GST_EVENT_SEGMENT),
      1);
  for (n = 1; n < retro_test_n_buffers (&play->out); n++) {
    GstBuffer *last = retro_test_nth_buffer (&play->out, n - 1);
    gint64 hole_ns = GST_BUFFER_PTS (retro_test_nth_buffer (&play->out, n))
        - (GST_BUFFER_PTS (last) + GST_BUFFER_DURATION (last));

    fail_unless (ABS (hole_ns) <= GST_SECOND / RATE, "%" G_GINT64_FORMAT " ns",
        hole_ns);
  }
}

/* Given an encoder and a stream that passes, when the speed changes for the first time, then the
 * encoder keeps the segment that it has, and the sound continues. */
TEST (an_encoder_keeps_the_segment_that_has_passed)
{
  g_autoptr (RetroPlay) play = new_numbered (SPEED);
  g_autoptr (GArray) all = NULL;

  gst_element_class_add_static_metadata (GST_ELEMENT_GET_CLASS (play->sink),
      GST_ELEMENT_METADATA_KLASS, "Codec/Encoder/Audio");
  retro_play_start (play, 8000);
  g_object_set (play->revbuf, "speed", 2.0, NULL);
  retro_play_go_on (play, 12000);
  retro_play_set_reverse (play, TRUE);
  retro_play_finish (play);
  all = positions (play);
  assert_no_jump (all, all->len - EDGE_FRAMES, 2);
  fail_unless_equals_int (retro_test_n_events (&play->out, GST_EVENT_SEGMENT),
      1);
}

/* ---- other formats and modes ------------------------------------------------------ */

/* Given a format that cannot be resampled, when a speed is set, then one warning says so, and the
 * stream is reversed exactly. */
TEST (another_format_keeps_its_speed)
{
  GstAudioInfo info =
      retro_test_info (GST_AUDIO_FORMAT_S24_32, INTERLEAVED, RATE, 2);
  g_autoptr (RetroPlay) play =
      retro_play_new (SPEED "speed=-2", &info, N_FRAMES);

  retro_play_run (play);
  retro_play_assert_says (play, GST_MESSAGE_WARNING, "speed");
  retro_play_stop (play);
  retro_test_assert_down (&play->out, 0, N_FRAMES);
}

/* Given a mode that does not seek, when a speed is set, then one warning says so, and the stream is
 * reversed exactly. */
TEST (a_collected_stream_keeps_its_speed)
{
  AUTO_PLAY play = retro_play_new_plain ("revbuf mode=collect speed=-2",
      N_FRAMES);

  retro_play_run (play);
  retro_play_assert_says (play, GST_MESSAGE_WARNING, "a speed of 1");
  retro_play_stop (play);
  retro_test_assert_down (&play->out, 0, N_FRAMES);
}

/* Given a stream that is played backwards without seeks, when a speed is set, then one warning
 * says that it keeps its speed. */
LOOP_TEST (a_late_speed_of_a_reversed_stream_is_told, 2)
{
  AUTO_PLAY play = retro_play_new_plain (__i__ ?
      "revbuf direction=reverse mode=collect" :
      "revbuf direction=reverse mode=chunk", N_FRAMES);

  retro_play_start (play, 8000);
  g_object_set (play->revbuf, "speed", -2.0, NULL);
  retro_play_finish (play);
  retro_play_assert_says (play, GST_MESSAGE_WARNING, "a speed of 1");
}

/* Given a stream that passes, when a speed is set or a scrub is requested, then one warning says
 * that it keeps its speed. */
LOOP_TEST (a_late_speed_of_a_passing_stream_is_told, 2)
{
  AUTO_PLAY play = retro_play_new_plain ("revbuf mode=collect", N_FRAMES);
  gboolean is_taken;

  retro_play_start (play, 8000);
  if (__i__)
    g_object_set (play->revbuf, "speed", 2.0, NULL);
  else
    g_signal_emit_by_name (play->revbuf, "scrub", (guint64) 0, (guint64) 0,
        &is_taken);
  retro_play_finish (play);
  retro_play_assert_says (play, GST_MESSAGE_WARNING, "a speed of 1");
  retro_play_stop (play);
  retro_test_assert_up (&play->out, 0, N_FRAMES);
}

/* Given a tape that was scrubbed back to the beginning, when it rests there, then the segment has
 * room for its silence, and no segment is sent for each buffer. */
TEST (at_rest_at_the_beginning_one_segment_lasts)
{
  g_autoptr (RetroPlay) play = new_numbered (SPEED);
  gboolean is_valid;
  guint before;

  retro_play_start (play, 4000);
  g_signal_emit_by_name (play->revbuf, "scrub", (guint64) 0, PLAIN_NS (800),
      &is_valid);
  retro_play_go_on (play, 12000);
  before = retro_test_n_events (&play->out, GST_EVENT_SEGMENT);
  retro_play_go_on (play, 20000);
  fail_unless (retro_test_n_events (&play->out, GST_EVENT_SEGMENT)
      <= before + 1);
  retro_play_stop (play);
  fail_unless_equals_uint64 (retro_test_clipped_frames (&play->out),
      retro_test_frames_out (&play->out));
}

/* Given speed-mode=rate, when a speed is set, then the frames are exact, and the segment has that
 * rate. */
TEST (a_rate_leaves_frames_alone)
{
  AUTO_PLAY play = retro_play_new_plain (SPEED "speed=-1 speed-mode=rate",
      N_FRAMES);
  GstSegment segment;

  retro_play_start (play, 8000);
  g_object_set (play->revbuf, "speed", -2.0, NULL);
  retro_play_finish (play);
  retro_play_stop (play);
  retro_test_assert_down (&play->out, 0, N_FRAMES);
  segment = retro_test_last_segment (&play->out);
  fail_unless (segment.rate == 2 && segment.applied_rate == -1);
}

/* Given speed-mode=rate, when the speed becomes 0, then it rests as a tape does. When it moves
 * on, then the frames are exact again. */
TEST (a_rate_of_0_rests)
{
  g_autoptr (RetroPlay) play = new_numbered (SPEED "speed-mode=rate speed=2");
  g_autoptr (GArray) all = NULL;
  GstClockTime first_ns;
  GstSegment segment;
  guint n;

  retro_play_start (play, 8000);
  g_object_set (play->revbuf, "speed", 0.0, NULL);
  retro_play_go_on (play, 12000);
  first_ns = retro_play_position (play);
  retro_play_go_on (play, 16000);
  fail_unless (retro_play_position (play) == first_ns);
  segment = retro_test_last_segment (&play->out);
  fail_unless (segment.rate == 1);      /* otherwise the rest would last longer, and the next
                                         * speed would come late */
  g_object_set (play->revbuf, "speed", -3.0, NULL);
  retro_play_finish (play);
  all = positions (play);
  for (n = 10000; n < 15000; n++)
    fail_unless (AT (all, n) == 0);
  for (n = all->len - 6000; n + 1 < all->len; n++)
    fail_unless (AT (all, n + 1) == AT (all, n) - 1, "%.9f", AT (all, n));
  segment = retro_test_last_segment (&play->out);
  fail_unless (segment.rate == 3 && segment.applied_rate == -1);
}

/* Given speed-mode=rate, when a curve changes the speed, then the frames are exact, and the rate
 * of the segments follows the curve. */
TEST (a_rate_follows_a_curve)
{
  AUTO_PLAY play = retro_play_new_plain (SPEED "speed-mode=rate", N_FRAMES);
  GstControlSource *source = gst_interpolation_control_source_new ();
  guint n;

  g_object_set (source, "mode", GST_INTERPOLATION_MODE_LINEAR, NULL);
  gst_timed_value_control_source_set (GST_TIMED_VALUE_CONTROL_SOURCE (source),
      0, 1);
  gst_timed_value_control_source_set (GST_TIMED_VALUE_CONTROL_SOURCE (source),
      PLAIN_NS (N_FRAMES / 2), 3);
  gst_object_add_control_binding (GST_OBJECT (play->revbuf),
      gst_direct_control_binding_new_absolute (GST_OBJECT (play->revbuf),
          "speed", source));
  gst_object_unref (source);
  retro_play_run (play);
  retro_play_stop (play);
  retro_test_assert_up (&play->out, 0, N_FRAMES);
  fail_unless (retro_test_n_events (&play->out, GST_EVENT_SEGMENT) > 5);
  for (n = 0; n < retro_test_n_events (&play->out, GST_EVENT_SEGMENT); n++) {
    GstSegment segment = retro_test_nth_segment (&play->out, n);
    gdouble wanted = MIN (1 + 2.0 * segment.base / PLAIN_NS (N_FRAMES / 2), 3);

    fail_unless (fabs (segment.rate - wanted) < 1e-3, "%g and not %g",
        segment.rate, wanted);
  }
}

/* Given an element that is not paused, when a scrub is requested, then it's refused. */
TEST (a_scrub_needs_a_paused_element)
{
  g_autoptr (GstElement) revbuf = gst_element_factory_make ("revbuf", NULL);
  gboolean is_taken = TRUE;

  g_signal_emit_by_name (revbuf, "scrub", (guint64) 0, (guint64) 0, &is_taken);
  fail_if (is_taken);
}
