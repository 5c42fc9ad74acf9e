/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * revbuf: the element messages about turns, passes and seams. They're posted when the audio is
 * sent, so before you hear it, and have the times of that audio, like the messages of GStreamer's
 * level element.
 */

#include "retrotestplay.h"

#define N_FRAMES 24000
#define TURN "revbuf-direction-change"
#define PASS "revbuf-loop-pass"
#define SEAM "revbuf-seam"

/* The content of a message. @frame is the stream time in frames: a position between two
 * frames. */
typedef struct
{
  gint64 frame;
  guint64 timestamp, stream_time, running_time;
  gint direction;               /* of TURN. Else -1 */
  gchar result[16];             /* of SEAM */
} Told;

/* Takes all element messages called @name from the bus. Must be called before the pipeline stops,
 * because that empties the bus. */
static GArray *
take (RetroPlay * play, const gchar * name)
{
  GArray *all = g_array_new (FALSE, TRUE, sizeof (Told));
  GstMessage *message;

  while ((message = gst_bus_pop_filtered (play->out.bus, GST_MESSAGE_ELEMENT))) {
    const GstStructure *s = gst_message_get_structure (message);
    Told told = {.direction = -1 };

    if (gst_structure_has_name (s, name)) {
      fail_unless (GST_MESSAGE_SRC (message) == GST_OBJECT (play->revbuf));
      fail_unless (gst_structure_get (s, "frame", G_TYPE_INT64, &told.frame,
              "timestamp", G_TYPE_UINT64, &told.timestamp, "stream-time",
              G_TYPE_UINT64, &told.stream_time, "running-time", G_TYPE_UINT64,
              &told.running_time, NULL), "%s lacks a field", name);
      gst_structure_get_enum (s, "direction",
          g_type_from_name ("GstRevBufDirection"), &told.direction);
      if (gst_structure_has_field (s, "result"))
        g_strlcpy (told.result, gst_structure_get_string (s, "result"),
            sizeof (told.result));
      g_array_append_val (all, told);
    }
    gst_message_unref (message);
  }
  return all;
}

static Told *
nth (GArray * all, guint n)
{
  fail_unless (n < all->len, "%u messages instead of %u", all->len, n + 1);
  return &g_array_index (all, Told, n);
}

/* The frame of the stream at @stream_time. */
static gint64
frame_at (guint64 stream_time)
{
  return gst_util_uint64_scale_round (stream_time, PLAIN_RATE, GST_SECOND);
}

/* Asserts that the times in the message match the output at its running time. */
static void
assert_times (RetroPlay * play, const Told * told)
{
  GstSegment segment;
  guint i;

  for (i = 0; i < play->out.items->len; i++) {
    gpointer item = g_ptr_array_index (play->out.items, i);
    GstClockTime pts, begin;

    if (GST_IS_EVENT (item) && GST_EVENT_TYPE (item) == GST_EVENT_SEGMENT)
      gst_event_copy_segment (item, &segment);
    if (!GST_IS_BUFFER (item))
      continue;
    pts = GST_BUFFER_PTS (item);
    begin = gst_segment_to_running_time (&segment, GST_FORMAT_TIME, pts);
    if (told->running_time < begin
        || told->running_time >= begin + GST_BUFFER_DURATION (item))
      continue;
    pts += told->running_time - begin;
    fail_unless_equals_uint64 (told->timestamp, pts);
    fail_unless_equals_uint64 (told->stream_time,
        gst_segment_to_stream_time (&segment, GST_FORMAT_TIME, pts));
    fail_unless_equals_int64 (told->frame, frame_at (told->stream_time));
    return;
  }
  fail ("no audio has the running time %" GST_TIME_FORMAT,
      GST_TIME_ARGS (told->running_time));
}

/* ---- turns -------------------------------------------------------------------------- */

static const gchar *const turned[] = { "revbuf", "revbuf mode=seek" };

/* Given a stream that plays forward. When the direction changes and changes back, then a message
 * reports each turn, with the times of the first frame after it. */
LOOP_TEST (a_turn_is_told, G_N_ELEMENTS (turned))
{
  AUTO_PLAY play = retro_play_new_plain (turned[__i__], N_FRAMES);
  g_autoptr (GArray) told = NULL, heard = NULL;
  guint64 at[2];
  guint i;

  retro_play_start (play, 12800);
  retro_play_set_reverse (play, TRUE);
  retro_play_go_on (play, 16000);
  retro_play_set_reverse (play, FALSE);
  retro_play_finish (play);
  told = take (play, TURN);
  retro_play_stop (play);
  fail_unless_equals_int (told->len, 2);
  heard = retro_play_heard (play);
  for (i = 0; i < 2; i++) {
    const Told *turn = nth (told, i);

    assert_times (play, turn);
    fail_unless_equals_int (turn->direction, i == 0);
    /* all frames are output without a pause, so running time counts them */
    at[i] = frame_at (turn->running_time);
    fail_unless_equals_int64 (g_array_index (heard, guint64, at[i]),
        i == 0 ? turn->frame - 1 : turn->frame);
  }
  fail_unless_equals_uint64 (g_array_index (heard, guint64, at[0]),
      g_array_index (heard, guint64, at[0] - 1) - 1);
  fail_unless (at[0] >= 12800 && at[1] >= 16000);
}

/* Given a direction that is set before the stream starts, or again while it plays. When it plays,
 * then no turn is reported, and no segment is sent. */
LOOP_TEST (no_turn_is_told_without_one, 2)
{
  AUTO_PLAY play = retro_play_new_plain ("revbuf", N_FRAMES);
  g_autoptr (GArray) told = NULL;

  retro_play_set_reverse (play, __i__);
  retro_play_start (play, 12800);
  retro_play_set_reverse (play, __i__);
  retro_play_finish (play);
  told = take (play, TURN);
  retro_play_stop (play);
  fail_unless_equals_int (told->len, 0);
  fail_unless_equals_int (retro_test_n_events (&play->out, GST_EVENT_SEGMENT),
      1);
}

/* Given a stream that plays forward. When a seek plays it backwards, then the turn is reported
 * with the position that the seek goes to. */
TEST (a_seek_that_turns_is_told)
{
  AUTO_PLAY play = retro_play_new_plain ("revbuf", N_FRAMES);
  g_autoptr (GArray) told = NULL;

  retro_play_start (play, 3200);
  fail_unless (retro_play_seek_to (play, -1, GST_SEEK_FLAG_FLUSH, 0, 12000));
  retro_play_finish (play);
  told = take (play, TURN);
  fail_unless_equals_int (told->len, 1);
  fail_unless_equals_int (nth (told, 0)->direction, TRUE);
  fail_unless_equals_int64 (nth (told, 0)->frame, 12000);
  fail_unless_equals_uint64 (nth (told, 0)->stream_time, PLAIN_NS (12000));
  fail_unless_equals_uint64 (nth (told, 0)->running_time, 0);
}

/* ---- passes ---------------------------------------------------------------------------- */

#define FIRST 10000
#define END 20000
#define MARKERS " loop-start=1250000000 loop-stop=2500000000"

/* Given a loop. When passes follow each other, then the beginning of each is reported, at the
 * marker where it begins. A ping-pong reports its turns, too. */
LOOP_TEST (each_pass_is_told, 4)
{
  gboolean repeats = __i__ / 2, reverse = __i__ % 2;
  AUTO_PLAY play = retro_play_new_plain (repeats ? "revbuf loop=repeat" MARKERS
      : "revbuf loop=ping-pong" MARKERS, N_FRAMES);
  guint n_before = reverse ? N_FRAMES - FIRST : END, length = END - FIRST, i;
  g_autoptr (GArray) told = NULL;

  retro_play_set_reverse (play, reverse);
  /* the third pass is being played */
  retro_play_start (play, n_before + 2 * length + length / 2);
  told = take (play, PASS);
  retro_play_stop (play);
  fail_unless_equals_int (told->len, 3);
  for (i = 0; i < 3; i++) {
    const Told *pass = nth (told, i);
    gboolean backward = repeats ? reverse : (i + reverse) % 2 == 0;
    gint64 n_frames = n_before + i * (repeats ? length : length - 1);
    /* where a ping-pong turns, the frame at the marker is played once */
    gint64 frame = backward ? END - !repeats : FIRST + !repeats;

    assert_times (play, pass);
    fail_unless_equals_int64 (pass->frame, frame);
    fail_unless_equals_int64 (frame_at (pass->running_time), n_frames);
  }
}

/* Given a ping-pong. When it turns at a marker, then the turn is reported at the same place as
 * the pass. */
TEST (a_ping_pong_tells_its_turns)
{
  AUTO_PLAY play = retro_play_new_plain ("revbuf loop=ping-pong", N_FRAMES);
  g_autoptr (GArray) told = NULL;

  retro_play_start (play, 2 * N_FRAMES + N_FRAMES / 2);
  told = take (play, TURN);
  fail_unless_equals_int (told->len, 2);
  fail_unless_equals_int (nth (told, 0)->direction, TRUE);
  fail_unless_equals_int64 (nth (told, 0)->frame, N_FRAMES - 1);
  fail_unless_equals_int (nth (told, 1)->direction, FALSE);
  fail_unless_equals_int64 (nth (told, 1)->frame, 1);
}

/* Given a ping-pong loop, when a tape plays it at speed 2, then each pass and each turn is
 * reported once, with the times of the first buffer after it. */
LOOP_TEST (the_passes_of_a_tape_are_told, 2)
{
  GstAudioInfo info =
      retro_test_info (GST_AUDIO_FORMAT_F64, INTERLEAVED, 8000, 1);
  g_autoptr (RetroPlay) play = retro_play_new ("revbuf mode=seek speed=2 "
      "loop=ping-pong loop-start=1000000000 loop-stop=2000000000", &info,
      N_FRAMES);
  g_autoptr (GArray) told = NULL;
  guint n;

  retro_play_start (play, 17000);
  told = take (play, __i__ ? PASS : TURN);
  retro_play_stop (play);
  fail_unless_equals_int (told->len, 3);
  for (n = 0; n < 3; n++)
    assert_times (play, nth (told, n));
}

/* ---- seams ------------------------------------------------------------------------------- */

static guint
n_results (GArray * told, const gchar * result)
{
  guint n = 0, i;

  for (i = 0; i < told->len; i++)
    n += g_strcmp0 (nth (told, i)->result, result) == 0;
  return n;
}

/* The number of frames by which a source is wrong, and the noise in its last bit. */
static const struct
{
  gint64 shift_frames;
  gboolean noisy;
} sources[] = { {0, FALSE}, {13, FALSE}, {0, TRUE} };

/* Given a source whose runs are equal, or shifted, or never equal. When blocks are joined, then
 * each seam is reported once with its result, in the order and at the places of the output. */
LOOP_TEST (each_seam_is_told, G_N_ELEMENTS (sources))
{
  GstAudioInfo info =
      retro_test_info (GST_AUDIO_FORMAT_S16, INTERLEAVED, PLAIN_RATE, 2);
  AUTO_PLAY play = retro_play_new ("revbuf direction=reverse "
      "block-time=300000000", &info, 3 * N_FRAMES);
  g_autoptr (GArray) told = NULL;
  guint i;

  play->knobs->shift_frames = sources[__i__].shift_frames;
  play->knobs->noisy = sources[__i__].noisy;
  retro_play_run (play);
  told = take (play, SEAM);
  fail_unless (told->len > 5, "%u messages", told->len);
  fail_unless_equals_uint64 (n_results (told, "equal"),
      retro_play_stat (play, "seams-verified"));
  fail_unless_equals_uint64 (n_results (told, "shifted"),
      retro_play_stat (play, "seams-aligned"));
  fail_unless_equals_uint64 (n_results (told, "faded") + n_results (told,
          "odd"), retro_play_stat (play, "seams-crossfaded"));
  retro_play_stop (play);
  for (i = 0; i < told->len; i++) {
    /* seams that are moved change the number of frames, and so later timestamps */
    if (!sources[__i__].noisy && sources[__i__].shift_frames == 0)
      assert_times (play, nth (told, i));
    fail_unless (i == 0 || nth (told, i)->running_time
        > nth (told, i - 1)->running_time);
  }
}
