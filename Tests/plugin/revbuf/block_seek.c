/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * revbuf mode=seek: the application's seeks, in all combinations of their parameters.
 */

#include "retrotestplay.h"

#define N_FRAMES 60000
#define FLUSH GST_SEEK_FLAG_FLUSH
#define ACCURATE GST_SEEK_FLAG_ACCURATE
#define SET GST_SEEK_TYPE_SET
#define NONE GST_SEEK_TYPE_NONE
#define END GST_SEEK_TYPE_END

/* ---- every combination ------------------------------------------------------ */

typedef struct
{
  GstSeekType start_type;
  gint64 start;
  GstSeekType stop_type;
  gint64 stop;
  /* the part of the stream that must be output. -1 means to the end */
  gint64 first, end;
} Range;

#define MINUS(n_frames) (-(gint64) PLAIN_NS (n_frames))

static const Range ranges[] = {
  {SET, 0, SET, PLAIN_NS (5000), 0, 5000},
  {SET, PLAIN_NS (20000), SET, PLAIN_NS (20001), 20000, 20001},
  {SET, PLAIN_NS (20000), SET, PLAIN_NS (34567), 20000, 34567},
  {SET, PLAIN_NS (1), SET, PLAIN_NS (16384), 1, 16384},
  {SET, PLAIN_NS (50000), SET, -1, 50000, N_FRAMES},
  {SET, PLAIN_NS (50000), SET, PLAIN_NS (70000), 50000, N_FRAMES},
  {SET, PLAIN_NS (50000), END, 0, 50000, N_FRAMES},
  {END, MINUS (7000), END, 0, N_FRAMES - 7000, N_FRAMES},
  {END, MINUS (30000), END, MINUS (20000), N_FRAMES - 30000,
      N_FRAMES - 20000},
  {END, MINUS (7000), SET, PLAIN_NS (55000), N_FRAMES - 7000, 55000},
};

static const gdouble rates[] = { 1, -1, 2, -2, 0.5, -0.5 };

static const GstSeekFlags flags[] = {
  FLUSH | ACCURATE, FLUSH, FLUSH | GST_SEEK_FLAG_KEY_UNIT,
  FLUSH | GST_SEEK_FLAG_KEY_UNIT | GST_SEEK_FLAG_SNAP_NEAREST,
  ACCURATE, GST_SEEK_FLAG_NONE
};

/* The state of the element when the seek arrives: it fetches a block and plays forward or in
 * reverse, or it passes the stream through. */
typedef enum
{
  FORWARD,
  REVERSE,
  PASSING
} Before;

static void
check_range (const Range * range, gdouble rate, GstSeekFlags flag,
    Before before)
{
  RetroPlay *play = retro_play_new_plain (before == PASSING ?
      "revbuf block-time=200000000" : "revbuf mode=seek direction=reverse "
      "block-time=200000000", N_FRAMES);

  retro_play_start (play, 640);
  if (before == FORWARD)
    retro_play_set_reverse (play, FALSE);
  fail_unless (retro_play_seek (play, rate, flag, range->start_type,
          range->start, range->stop_type, range->stop));
  retro_play_finish (play);
  fail_unless_equals_int (retro_test_n_events (&play->out, GST_EVENT_EOS), 1);
  fail_unless (retro_play_stat (play, "blocks") > 0);
  retro_play_assert_played (play, (flag & FLUSH) != 0, (before == REVERSE) !=
      (rate < 0), range->first, range->end);
}

LOOP_TEST (seeks_with_a_range, G_N_ELEMENTS (ranges))
{
  const Range *range = &ranges[__i__];
  guint r, f;

  for (f = 0; f < G_N_ELEMENTS (flags); f++) {
    for (r = 0; r < G_N_ELEMENTS (rates); r++) {
      if (rates[r] < 0)
        check_range (range, rates[r], flags[f], PASSING);
      check_range (range, rates[r], flags[f], FORWARD);
    }
    /* with direction=reverse, a seek without a start or without a stop has a
     * different meaning */
    if (range->stop != -1)
      check_range (range, 1, flags[f], REVERSE);
  }
}

static const guint64 places_in_reverse[] =
    { 0, 1, 320, 8192, 30000, 59999, 60000, 70000 };

/* With direction=reverse, a seek to a position must play from there to the
 * beginning of the stream. A seek to 0 plays nothing. The direction is set
 * before the stream starts, or while the element is in passthrough. */
SOME_TEST (seek_to_a_position_in_reverse,
    12, 4 * G_N_ELEMENTS (places_in_reverse))
{
  static const gchar *const descriptions[] = {
    "revbuf direction=reverse", "revbuf direction=reverse mode=seek",
    "revbuf", "revbuf mode=seek"
  };
  const gchar *description = descriptions[__i__ % 4];
  guint64 place = places_in_reverse[__i__ / 4];
  RetroPlay *play = retro_play_new_plain (description, N_FRAMES);

  retro_play_start (play, 640);
  if (strstr (description, "reverse") == NULL)
    retro_play_set_reverse (play, TRUE);
  fail_unless (retro_play_seek_to (play, 1, FLUSH | ACCURATE, place, -1));
  retro_play_finish (play);
  fail_unless_equals_int (retro_test_n_events (&play->out, GST_EVENT_EOS), 1);
  retro_play_assert_played (play, 1, TRUE, 0, MIN (place, N_FRAMES));
}

/* The first seek starts playback. The second seek does not set a stop, so the
 * stop of the first seek, which is the end of the stream, still applies. */
LOOP_TEST (seek_to_two_positions_after_a_turn, 4)
{
  gboolean reverse = __i__ / 2;
  RetroPlay *play = retro_play_new_plain (__i__ % 2 ? "revbuf" :
      "revbuf mode=seek", N_FRAMES);

  retro_play_start (play, 640);
  retro_play_set_reverse (play, TRUE);
  fail_unless (retro_play_seek_to (play, 1, FLUSH | ACCURATE, 40000, -1));
  retro_play_go_on (play, 9600);
  retro_play_set_reverse (play, reverse);
  fail_unless (retro_play_seek_to (play, 1, FLUSH | ACCURATE, 20000, -1));
  retro_play_finish_with (play, 2, reverse, reverse ? 0 : 20000,
      reverse ? 20000 : N_FRAMES);
}

/* Sends a segment before EOS, as demuxers do after a seek to the end. The test source does not
 * do this, because a GstBaseSrc sends a segment only before a buffer. */
static GstPadProbeReturn
send_segment_before_end (GstPad * pad, GstPadProbeInfo * info, gpointer first)
{
  GstSegment segment;

  if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) != GST_EVENT_EOS)
    return GST_PAD_PROBE_OK;
  segment = retro_test_segment (1, PLAIN_NS (GPOINTER_TO_UINT (first)),
      GST_CLOCK_TIME_NONE);
  segment.base = first == NULL ? PLAIN_NS (N_FRAMES) : 0;
  gst_pad_send_event (pad, gst_event_new_segment (&segment));
  return GST_PAD_PROBE_REMOVE;
}

/* Upstream has no audio after the target, but the stream is not empty, so the next pass of
 * the loop must begin. */
LOOP_TEST (seek_to_the_end_before_a_loop, 2)
{
  AUTO_PLAY play = retro_play_new_plain (__i__ ? "revbuf" :
      "revbuf mode=seek", N_FRAMES);
  g_autoptr (GArray) heard = NULL;
  guint64 n;

  retro_play_probe (play->revbuf, "sink", GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM,
      send_segment_before_end, GUINT_TO_POINTER (N_FRAMES));
  retro_play_start (play, 640);
  gst_util_set_object_arg (G_OBJECT (play->revbuf), "loop", "repeat");
  fail_unless (retro_play_seek (play, 1, FLUSH | ACCURATE, SET,
          PLAIN_NS (N_FRAMES), SET, -1));
  retro_play_go_on (play, 50000);
  retro_play_stop (play);
  heard = retro_play_heard_since (play, FALSE);
  fail_unless (heard->len > 40000);
  for (n = 0; n < 40000; n++)
    fail_unless_equals_uint64 (g_array_index (heard, guint64, n), n);
}

/* A new segment makes the element output the collected audio. While the audio is
 * output, a seek with a negative rate arrives. The position query shows that the element
 * is not in passthrough, because in passthrough, upstream would answer the query. */
TEST (negative_rate_while_a_segment_comes)
{
  RetroPlay *play = retro_play_new_plain ("revbuf mode=collect "
      "direction=reverse", N_FRAMES);
  GstClockTime position_ns, heard_ns;
  guint64 before;

  retro_play_probe (play->revbuf, "sink", GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM,
      send_segment_before_end, NULL);
  retro_play_start (play, 5000);
  before = play->frames_out;
  gst_util_set_object_arg (G_OBJECT (play->revbuf), "mode", "seek");
  retro_play_set_reverse (play, FALSE);
  fail_unless (retro_play_seek_to (play, -1, FLUSH, 0, 40000));
  retro_play_go_on (play, 20000);
  heard_ns = PLAIN_NS (play->frames_out - before);
  position_ns = retro_play_position (play);
  fail_unless (position_ns <= PLAIN_NS (40000) - heard_ns);
  /* the position may include a buffer that the sink has received, but not
   * output */
  fail_unless (position_ns + GST_SECOND / 10 > PLAIN_NS (40000) - heard_ns);
  retro_play_finish (play);
  retro_play_assert_played (play, 1, TRUE, 0, 40000);
}

/* The duration is a little later than the stop of the segment, as in an M4A. */
LOOP_TEST (seek_to_a_position_where_the_segment_has_a_stop, 2)
{
  static const guint64 places[] = { 0, 30000 };
  RetroPlay *play = retro_play_new_plain ("revbuf direction=reverse",
      N_FRAMES);

  play->knobs->stop_ns = PLAIN_NS (N_FRAMES);
  play->knobs->duration_ns = PLAIN_NS (N_FRAMES + 5);
  retro_play_start (play, 640);
  fail_unless (retro_play_seek_to (play, 1, FLUSH | ACCURATE, places[__i__],
          -1));
  retro_play_finish_with (play, 1, TRUE, 0, places[__i__]);
}

/* ---- changes of rate --------------------------------------------------------- */

/* A seek that changes only the rate has no target, so playback must continue at
 * the current position. */
TEST (changes_of_rate_continue)
{
  static const gdouble wanted[] = { -1, 1, -2, 2, 0.5, -0.5, -1 };
  AUTO_PLAY play = retro_play_new_plain ("revbuf mode=seek "
      "direction=reverse", N_FRAMES);
  guint n;

  retro_play_start (play, 32000);
  retro_play_set_reverse (play, FALSE);
  for (n = 0; n < G_N_ELEMENTS (wanted); n++) {
    fail_unless (retro_play_seek (play, wanted[n], GST_SEEK_FLAG_NONE, NONE,
            0, NONE, 0));
    retro_play_go_on (play, 33600 + 1600 * n);
  }
  retro_play_finish (play);
  retro_play_assert_sound (play, 0, RETRO_PLAY_JOINED);
}

/* ---- segment seeks ------------------------------------------------------------ */

LOOP_TEST (segment_seeks_are_done, 12)
{
  static const gdouble wanted[] = { 1, -1, 2, -2, -1, -2 };
  gdouble rate = wanted[__i__ % 6];
  GstSeekFlags flag = __i__ / 6 ? GST_SEEK_FLAG_NONE : FLUSH;
  gboolean passes = __i__ % 6 >= 4;     /* passthrough until the seek */
  AUTO_PLAY play = retro_play_new_plain (passes ? "revbuf" :
      "revbuf mode=seek direction=reverse", N_FRAMES);
  GstMessage *message;
  GstFormat format;
  gint64 position;
  guint n;

  retro_play_start (play, 640);
  retro_play_set_reverse (play, FALSE);
  for (n = 1; n <= 3; n++) {
    fail_unless (retro_play_seek (play, rate, GST_SEEK_FLAG_SEGMENT
            | ACCURATE | (n == 1 ? flag : GST_SEEK_FLAG_NONE), SET,
            PLAIN_NS (10000), SET, PLAIN_NS (20000)));
    retro_play_wait_segment_done (play, n);
    message = retro_play_wait_message (play, GST_MESSAGE_SEGMENT_DONE);
    gst_message_parse_segment_done (message, &format, &position);
    fail_unless_equals_int (format, GST_FORMAT_TIME);
    fail_unless_equals_int64 (position, PLAIN_NS (rate > 0 ? 20000 : 10000));
    gst_message_unref (message);
  }
  retro_play_stop (play);
  fail_unless_equals_int (retro_test_n_events (&play->out, GST_EVENT_EOS), 0);
  retro_play_assert_heard (play, FALSE, rate < 0, 10000, 20000);
  retro_play_assert_sound (play, flag != 0, RETRO_PLAY_SOUGHT);
}

/* ---- scrubs --------------------------------------------------------------------- */

/* The application seeks 50 times, immediately or after some output. Only the last seek determines
 * the output. */
LOOP_TEST (scrubs_end_at_the_right_frame, 2)
{
  RetroPlay *play = retro_play_new_plain ("revbuf mode=seek "
      "direction=reverse block-time=300000000", N_FRAMES);
  guint64 place = 0;
  guint n;

  retro_play_start (play, 640);
  for (n = 0; n < 50; n++) {
    place = 1000 + n * 7919 % 58000;
    fail_unless (retro_play_seek_to (play, n % 3 ? 1 : -1, FLUSH | ACCURATE, 0,
            place));
    if (__i__)
      retro_play_go_on (play, play->frames_out + 1);
  }
  retro_play_finish_with (play, 50, TRUE, 0, place);
}

/* ---- after the end -------------------------------------------------------------------- */

TEST (seeks_after_the_end_play_again)
{
  AUTO_PLAY play = retro_play_new_plain ("revbuf direction=reverse", N_FRAMES);
  guint n;

  retro_play_run (play);
  for (n = 1; n <= 3; n++) {
    fail_unless (retro_play_seek_to (play, 1, FLUSH, 100, n * 10000));
    retro_play_finish (play);
    retro_play_assert_heard (play, TRUE, TRUE, 100, n * 10000);
  }
  retro_play_assert_sound (play, 3, RETRO_PLAY_SOUGHT);
  fail_unless_equals_int (retro_test_n_events (&play->out, GST_EVENT_EOS), 4);
}

/* A flush removes the segment downstream. So a segment must follow each flush, even if it
 * equals the previous one, as here. */
TEST (each_flush_is_followed_by_a_segment)
{
  AUTO_PLAY play = retro_play_new_plain ("revbuf mode=seek loop=repeat",
      N_FRAMES);
  guint n;

  retro_play_start (play, 640);
  for (n = 1; n <= 3; n++) {
    fail_unless (retro_play_seek_to (play, 1, FLUSH | ACCURATE, 20000, -1));
    retro_play_go_on (play, 640 * (n + 1));
  }
  retro_play_stop (play);
  fail_unless_equals_int (play->flushes, 3);
  retro_play_assert_sound (play, 3, RETRO_PLAY_SOUGHT);
}

/* Given a stream after a flushing seek, when its direction changes, then the new segment doesn't
 * reset the running time again. */
TEST (only_the_segment_after_a_flush_resets_the_running_time)
{
  AUTO_PLAY play = retro_play_new_plain ("revbuf mode=seek "
      "direction=reverse", N_FRAMES);
  GstSegment segment;

  retro_play_start (play, 640);
  fail_unless (retro_play_seek_to (play, 1, FLUSH | ACCURATE, 20000, -1));
  retro_play_go_on (play, 1280);
  segment = retro_test_last_segment (&play->out);
  fail_unless (segment.flags & GST_SEGMENT_FLAG_RESET);
  retro_play_set_reverse (play, FALSE);
  retro_play_finish (play);
  segment = retro_test_last_segment (&play->out);
  fail_unless (segment.applied_rate == 1);
  fail_if (segment.flags & GST_SEGMENT_FLAG_RESET);
}

/* Sends one seek upstream through the sink pad @pad, from the streaming thread of a
 * queue. */
static GstPadProbeReturn
seek_once (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  RetroPlay *play = data;

  if (play->flushes > 0)
    return GST_PAD_PROBE_OK;
  fail_unless (gst_pad_push_event (pad, gst_event_new_seek (1, GST_FORMAT_TIME,
              FLUSH | ACCURATE, SET, PLAIN_NS (20000), NONE, -1)));
  fail_unless_equals_int (play->flushes, 1);
  return GST_PAD_PROBE_DROP;
}

/* The queue's thread sends the seek, so the seek must not wait for anything that this
 * thread has to do. */
TEST (a_seek_after_a_queue_returns_when_its_flush_is_over)
{
  AUTO_PLAY play = retro_play_new_plain ("revbuf mode=seek direction=reverse",
      N_FRAMES);
  GstElement *queue = gst_element_factory_make ("queue", NULL);

  retro_play_insert (play, queue);
  retro_play_probe (play->sink, "sink", GST_PAD_PROBE_TYPE_BUFFER, seek_once,
      play);
  retro_play_run (play);
  fail_unless_equals_int (play->flushes, 1);
  retro_play_assert_sound (play, 1, RETRO_PLAY_SOUGHT);
}

/* ---- in other formats -------------------------------------------------------- */

static GstPadProbeReturn
count_seeks_in_frames (GstPad * pad, GstPadProbeInfo * info, gpointer n_seeks)
{
  GstEvent *event = GST_PAD_PROBE_INFO_EVENT (info);
  GstFormat format = GST_FORMAT_UNDEFINED;

  if (GST_EVENT_TYPE (event) == GST_EVENT_SEEK)
    gst_event_parse_seek (event, NULL, &format, NULL, NULL, NULL, NULL, NULL);
  *(guint *) n_seeks += format == GST_FORMAT_DEFAULT;
  return GST_PAD_PROBE_OK;
}

/* The seek must not be forwarded: upstream would wait for its streaming thread, which
 * waits in the element for the next fetch. */
TEST (a_seek_in_frames_without_a_flush_is_refused)
{
  AUTO_PLAY play = retro_play_new_plain ("revbuf mode=seek "
      "direction=reverse block-time=200000000", N_FRAMES);
  guint n_seeks = 0;

  retro_play_probe (play->revbuf, "sink", GST_PAD_PROBE_TYPE_EVENT_UPSTREAM,
      count_seeks_in_frames, &n_seeks);
  retro_play_start (play, 640);
  fail_if (gst_element_seek (play->pipeline, 1, GST_FORMAT_DEFAULT,
          GST_SEEK_FLAG_NONE, SET, 30000, NONE, -1));
  fail_unless_equals_int (n_seeks, 0);
  retro_play_finish (play);
  retro_play_assert_heard (play, FALSE, TRUE, 0, N_FRAMES);
}
