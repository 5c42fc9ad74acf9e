/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * revbuf: each warning and each error has a structure in its details, so that a program can
 * understand it without reading the sentence.
 */

#include "retrotestplay.h"

#define N_FRAMES 60000
#define BLOCKS " block-time=300000000"

/* Takes the first warning or error of the element, and asserts that its details give @reason.
 * Returns the message. */
static GstMessage *
take_reason (RetroPlay * play, GstMessageType type, const gchar * reason)
{
  GstMessage *message = retro_play_wait_message (play, type);
  const GstStructure *details = NULL;

  if (type == GST_MESSAGE_ERROR)
    gst_message_parse_error_details (message, &details);
  else
    gst_message_parse_warning_details (message, &details);
  fail_unless (details != NULL, "there are no details of %s", reason);
  fail_unless_equals_string (gst_structure_get_string (details, "reason"),
      reason);
  return message;
}

static void
assert_reason (RetroPlay * play, GstMessageType type, const gchar * reason)
{
  gst_message_unref (take_reason (play, type, reason));
}

/* ---- settings and upstream ----------------------------------------------------- */

static void
cannot_seek (RetroTestKnobs * knobs)
{
  knobs->not_seekable = TRUE;
}

static void
refuses (RetroTestKnobs * knobs)
{
  knobs->refused_seek = 2;
}

static void
changes_format (RetroTestKnobs * knobs)
{
  knobs->other = retro_test_info (GST_AUDIO_FORMAT_S16, INTERLEAVED, 4000, 1);
  knobs->other_from_frame = 5000;
}

static void
is_followed (RetroTestKnobs * knobs)
{
  knobs->followed = TRUE;
}

static void
is_noisy (RetroTestKnobs * knobs)
{
  knobs->noisy = TRUE;
}

static void
nothing (RetroTestKnobs * knobs)
{
}

static const struct
{
  const gchar *description;
  void (*set) (RetroTestKnobs * knobs);
  GstMessageType type;
  const gchar *reason;
} cases[] = {
  {"revbuf mode=seek direction=reverse", cannot_seek, GST_MESSAGE_WARNING,
      "cannot-seek"},
  {"revbuf loop=repeat", cannot_seek, GST_MESSAGE_WARNING, "cannot-seek"},
  {"revbuf direction=reverse" BLOCKS, refuses, GST_MESSAGE_ERROR,
      "seek-refused"},
  {"revbuf direction=reverse" BLOCKS, changes_format, GST_MESSAGE_ERROR,
      "format-changed"},
  {"revbuf direction=reverse" BLOCKS, is_followed, GST_MESSAGE_ERROR,
      "several-streams"},
  {"revbuf direction=reverse seam=exact" BLOCKS, is_noisy,
      GST_MESSAGE_ERROR, "seam-not-exact"},
  {"revbuf loop=repeat loop-start=1000000000 loop-stop=60000000000", nothing,
      GST_MESSAGE_WARNING, "markers-outside"},
  {"revbuf loop=repeat loop-start=2000000000 loop-stop=1000000000", nothing,
      GST_MESSAGE_WARNING, "markers-swapped"},
  {"revbuf loop=repeat loop-start=2000000000 loop-stop=2000000000", nothing,
      GST_MESSAGE_WARNING, "markers-empty"},
};

/* Given a fault of the settings or of upstream. When it is reported, then the details give its
 * reason. */
LOOP_TEST (a_report_gives_its_reason, G_N_ELEMENTS (cases))
{
  GstAudioInfo info =
      retro_test_info (GST_AUDIO_FORMAT_S16, INTERLEAVED, PLAIN_RATE, 2);
  AUTO_PLAY play = retro_play_new (cases[__i__].description, &info, N_FRAMES);

  cases[__i__].set (play->knobs);
  retro_play_set_state (play, GST_STATE_PLAYING);
  assert_reason (play, cases[__i__].type, cases[__i__].reason);
}

/* Given a stream in which no seek is possible. When the direction changes, then the warning
 * gives its reason, too. */
TEST (a_turn_that_is_not_possible_gives_its_reason)
{
  AUTO_PLAY play = retro_play_new_plain ("revbuf", N_FRAMES);

  play->knobs->not_seekable = TRUE;
  retro_play_start (play, 3200);
  retro_play_set_reverse (play, TRUE);
  retro_play_finish (play);
  assert_reason (play, GST_MESSAGE_WARNING, "cannot-seek");
}

/* Given a source that ends earlier after a seek than it says. When this is reported, then the
 * details tell both ends. */
TEST (an_early_end_tells_both_ends)
{
  AUTO_PLAY play = retro_play_new_plain ("revbuf direction=reverse" BLOCKS,
      N_FRAMES);
  GstMessage *message;
  const GstStructure *details;
  guint64 stated, ended;

  play->knobs->duration_ns = 3 * PLAIN_NS (N_FRAMES);
  retro_play_run (play);
  message = take_reason (play, GST_MESSAGE_WARNING, "ends-early");
  gst_message_parse_warning_details (message, &details);
  fail_unless (gst_structure_get (details, "duration", G_TYPE_UINT64, &stated,
          "stream-time", G_TYPE_UINT64, &ended, NULL));
  fail_unless_equals_clocktime (stated, 3 * PLAIN_NS (N_FRAMES));
  fail_unless_equals_clocktime (ended, PLAIN_NS (N_FRAMES));
  gst_message_unref (message);
}

/* Given a source in which seeks into the middle lead to another stream. When the seam at the
 * middle is reported, then the details tell where it is. */
TEST (an_odd_seam_tells_its_place)
{
  AUTO_PLAY play = retro_play_new_plain ("revbuf direction=reverse loop=repeat"
      BLOCKS, 4 * N_FRAMES);
  const GstStructure *details;
  guint64 stream_time;
  GstMessage *message;
  gint64 frame;

  play->knobs->edit_frames = 20000;
  play->knobs->edit_from_frame = N_FRAMES / 3;
  play->knobs->edit_below_frame = 2 * N_FRAMES;
  retro_play_start (play, 4 * N_FRAMES);
  message = take_reason (play, GST_MESSAGE_WARNING, "seam-odd");
  gst_message_parse_warning_details (message, &details);
  fail_unless (gst_structure_get (details, "frame", G_TYPE_INT64, &frame,
          "stream-time", G_TYPE_UINT64, &stream_time, NULL));
  fail_unless (frame > N_FRAMES && frame < 3 * N_FRAMES);
  fail_unless_equals_clocktime (stream_time, PLAIN_NS (frame));
  gst_message_unref (message);
}

/* ---- between two pads --------------------------------------------------------------- */

/* Given an element that reverses. When a segment without times arrives, then the error gives its
 * reason. */
TEST (a_lack_of_times_gives_its_reason)
{
  AUTO_TEST t = retro_test_new ("revbuf direction=reverse");
  const GstStructure *details = NULL;
  GstMessage *message;
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_BYTES);
  retro_test_send_segment (t, &segment);
  retro_test_push (t, 0, 100);
  message = retro_test_pop_message (t, GST_MESSAGE_ERROR);
  fail_unless (message != NULL);
  gst_message_parse_error_details (message, &details);
  fail_unless (details != NULL, "there are no details");
  fail_unless_equals_string (gst_structure_get_string (details, "reason"),
      "needs-times");
  gst_message_unref (message);
}
