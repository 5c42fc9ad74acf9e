/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * revbuf mode=seek: the audio of each run must continue that of the previous run without an
 * audible seam. The statistics report how the runs were matched.
 */

#include "retrotestplay.h"

#include <stdlib.h>
#include <string.h>

#define N_FRAMES 120000
#define DESCRIPTION "revbuf direction=reverse block-time=1000000000"

/* The number of frames that revbuf decodes before a block until the decoder has settled:
 * the initial value and the maximum. */
#define PREROLL_FRAMES 8192
#define MAX_PREROLL_FRAMES 65536

/* Plays the whole stream, and asserts that it is reversed. */
static void
play_all (RetroPlay * play)
{
  retro_play_run (play);
  retro_test_assert_down (&play->out, 0, play->knobs->n_frames);
  retro_play_assert_sound (play, 0, RETRO_PLAY_JOINED);
}

/* Asserts whether there were seams that were verified, aligned and crossfaded, and whether the
 * preroll was widened. */
static void
assert_stats (RetroPlay * play, gboolean verified, gboolean aligned,
    gboolean crossfaded, gboolean widened)
{
  fail_unless (!!retro_play_stat (play, "seams-verified") == verified);
  fail_unless (!!retro_play_stat (play, "seams-aligned") == aligned);
  fail_unless (!!retro_play_stat (play, "seams-crossfaded") == crossfaded);
  fail_unless (!!retro_play_stat (play, "prerolls-widened") == widened);
}

/* ---- equal ---------------------------------------------------------------- */

/* The stream lasts 15 s, and is played in a few shorter blocks, then in blocks of 1 s. */
LOOP_TEST (runs_that_are_equal_are_verified, 2)
{
  AUTO_PLAY play = retro_play_new_plain (__i__ ? DESCRIPTION " seam=exact" :
      DESCRIPTION, N_FRAMES);
  guint64 blocks;

  play_all (play);
  blocks = retro_play_stat (play, "blocks");
  fail_unless (blocks >= 15);
  fail_unless_equals_uint64 (retro_play_stat (play, "seams-verified"),
      blocks - 1);
  assert_stats (play, TRUE, FALSE, FALSE, FALSE);
}

/* ---- settling --------------------------------------------------------------- */

/* How many frames a decoder needs until it has settled: everywhere, and below a position. In
 * reverse, the element plays much of the stream before it reaches that position. */
static const struct
{
  guint64 settle_frames, more_frames, more_below;
  gint64 preroll_frames;        /* the preroll at the end. 0 if it is not checked */
} decoders[] = {
  {1, 1, 0, PREROLL_FRAMES}, {8000, 8000, 0, PREROLL_FRAMES},
  {PREROLL_FRAMES, PREROLL_FRAMES, 0, PREROLL_FRAMES},
  {12000, 12000, 0, 16384}, {20000, 20000, 0, 32768},
  {40000, 40000, 0, MAX_PREROLL_FRAMES}, {500, 15000, 20000, 16384},
  {500, 15000, 75432, 16384}
};

LOOP_TEST (a_preroll_is_as_long_as_the_decoder_needs, G_N_ELEMENTS (decoders))
{
  AUTO_PLAY play = retro_play_new_plain (DESCRIPTION, N_FRAMES);
  gint64 preroll_frames = decoders[__i__].preroll_frames, found;
  static const gsize exact_cut[] = { 1, 0 };
  g_autoptr (GstStructure) stats = NULL;

  /* with packets of one frame, a run begins exactly at the requested frame */
  if (preroll_frames == PREROLL_FRAMES)
    play->knobs->cut = exact_cut;
  play->knobs->settle_frames = decoders[__i__].settle_frames;
  play->knobs->settle_more_frames = decoders[__i__].more_frames;
  play->knobs->settle_more_below_frame = decoders[__i__].more_below;
  play_all (play);
  assert_stats (play, TRUE, FALSE, FALSE, preroll_frames > PREROLL_FRAMES);
  g_object_get (play->revbuf, "stats", &stats, NULL);
  fail_unless (gst_structure_get_int64 (stats, "preroll-frames", &found));
  fail_unless_equals_int64 (found, preroll_frames);
}

/* ---- numbering ------------------------------------------------------------ */

LOOP_TEST (runs_that_are_numbered_differently_are_aligned, 3)
{
  static const gint64 shifts[] = { 1, 13, 1000 };
  AUTO_PLAY play = retro_play_new_plain (DESCRIPTION, N_FRAMES);

  play->knobs->shift_frames = shifts[__i__];
  play_all (play);
  assert_stats (play, retro_play_stat (play, "seams-verified") > 0, TRUE, FALSE,
      FALSE);
}

/* Matroska rounds timestamps to milliseconds. */
LOOP_TEST (timestamps_that_are_rounded, 4)
{
  static const gint rates[] = { 8000, 44100 };
  static const gsize cuts[][2] = { {576, 0}, {1152, 0}, {4096, 0}, {960, 0} };
  gint rate = rates[__i__ % 2];
  AUTO_PLAY play = NULL;

  GstAudioInfo info =
      retro_test_info (GST_AUDIO_FORMAT_S32, INTERLEAVED, rate, 2);
  play = retro_play_new (DESCRIPTION, &info, rate + 60000);
  play->knobs->cut = cuts[__i__];
  play->knobs->rounding_ns = GST_MSECOND;
  play_all (play);
  fail_unless_equals_uint64 (retro_play_stat (play, "seams-crossfaded"), 0);
}

/* ---- runs that are different each time --------------------------------------- */

/* More channels than the 64 that GStreamer's mixer supports must be possible, because
 * crossfades do not use the mixer. */
static const struct
{
  GstAudioLayout layout;
  guint channels;
} shapes[] = {
  {INTERLEAVED, 2},
  {INTERLEAVED, 64},
  {PLANAR, 2},
  {PLANAR, 65},
};

static RetroPlay *
new_noisy (const gchar * description, guint shape)
{
  RetroPlay *play;

  GstAudioInfo info =
      retro_test_info (GST_AUDIO_FORMAT_S16, shapes[shape].layout, 8000,
      shapes[shape].channels);
  play = retro_play_new (description, &info, N_FRAMES);
  play->knobs->noisy = TRUE;
  return play;
}

/* Asserts that samples only differ from the stream by the decoder's noise. So no frame is in the
 * wrong position, and no seam is audible. */
static void
assert_down_but_noise (RetroPlay * play)
{
  g_autoptr (GByteArray) bytes = retro_test_bytes (&play->out);
  const gint16 *samples = (const gint16 *) bytes->data;
  guint64 n, n_frames = play->knobs->n_frames;
  gint c, channels = GST_AUDIO_INFO_CHANNELS (&play->out.info);
  gint16 frame[65];

  fail_unless_equals_uint64 (bytes->len / sizeof (gint16), n_frames * channels);
  for (n = 0; n < n_frames; n++) {
    retro_test_frame (&play->out.info, n_frames - 1 - n, (guint8 *) frame);
    for (c = 0; c < channels; c++)
      fail_unless (abs (samples[channels * n + c] - frame[c]) <= 1,
          "frame %" G_GUINT64_FORMAT " is %d and not %d", n,
          samples[channels * n + c], frame[c]);
  }
}

/* In the second half of the cases, frame numbers are inexact, too. */
SOME_TEST (runs_that_never_match_are_crossfaded, 4, 2 * G_N_ELEMENTS (shapes))
{
  AUTO_PLAY play = new_noisy (DESCRIPTION " seam=smooth", __i__ / 2);

  play->knobs->shift_frames = __i__ % 2 ? 9 : 0;
  retro_play_run (play);
  assert_down_but_noise (play);
  if (__i__ % 2 == 0) {
    assert_stats (play, FALSE, FALSE, TRUE, TRUE);
    /* the stream lasts 15 s, and is played in blocks of 1 s */
    fail_unless (retro_play_stat (play, "seams-crossfaded") >= 15);
    retro_test_assert_perfect (&play->out,
        retro_test_nth_segment (&play->out, 0).start);
  }
  fail_unless (retro_test_pop_message (&play->out, GST_MESSAGE_WARNING)
      == NULL);
}

/* With seam=exact, blocks that do not match must not be crossfaded: an error must be
 * posted, in both directions. */
LOOP_TEST (runs_that_never_match_are_an_error_if_they_must, 3)
{
  static const gchar *const descriptions[] = {
    DESCRIPTION " seam=exact", DESCRIPTION " seam=exact loop=repeat",
    DESCRIPTION " seam=exact loop=ping-pong loop-start=2000000000"
  };
  AUTO_PLAY play = new_noisy (descriptions[__i__], 0);

  retro_play_run (play);
  retro_play_assert_reports (play, GST_MESSAGE_ERROR, "seam-not-exact",
      "seam=smooth");
  fail_unless_equals_uint64 (retro_play_stat (play, "seams-crossfaded"), 0);
}

/* ---- runs with different audio ------------------------------------------------ */

#define EDIT_FRAMES 5000

/* After a seek, the source plays a different stream (see the knob edit_frames).
 * The beginning of the first stream arrived before any seek, and must not be
 * output. */
LOOP_TEST (beginning_of_another_stream_is_not_output, 2)
{
  AUTO_PLAY play = retro_play_new_plain (DESCRIPTION, N_FRAMES);

  play->knobs->edit_frames = EDIT_FRAMES;
  play->knobs->edit_is_told = __i__;
  retro_play_run (play);
  retro_test_assert_down (&play->out, EDIT_FRAMES, N_FRAMES);
  assert_stats (play, TRUE, FALSE, FALSE, __i__ == 0);
  fail_unless (retro_test_pop_message (&play->out, GST_MESSAGE_WARNING)
      == NULL);
}

/* Seeks to positions before the middle lead to a different stream, so each of two passes has a
 * crossfade at the middle. The element must post only one warning, with details that say where it
 * is. */
TEST (seam_of_nothing_in_common_is_reported)
{
  AUTO_PLAY play = retro_play_new_plain (DESCRIPTION " loop=repeat", N_FRAMES);
  g_autoptr (GstMessage) message = NULL;
  g_autoptr (GError) error = NULL;
  const GstStructure *details;
  guint64 stream_ns;
  gint64 frame;

  play->knobs->edit_frames = EDIT_FRAMES;
  play->knobs->edit_below_frame = N_FRAMES / 2;
  retro_play_start (play, 2 * N_FRAMES + N_FRAMES / 4);
  message = retro_play_wait_report (play, GST_MESSAGE_WARNING, "seam-odd",
      &details);
  gst_message_parse_warning (message, &error, NULL);
  fail_unless (g_str_has_prefix (error->message, "Two seeks to the audio at "),
      "%s", error->message);
  fail_unless (gst_structure_get (details, "frame", G_TYPE_INT64, &frame,
          "stream-time", G_TYPE_UINT64, &stream_ns, NULL));
  fail_unless (frame > N_FRAMES / 4 && frame < N_FRAMES, "frame %"
      G_GINT64_FORMAT, frame);
  fail_unless_equals_clocktime (stream_ns, PLAIN_NS (frame));
  retro_play_stop (play);
  fail_unless (retro_play_stat (play, "seams-crossfaded") >= 2);
  fail_unless (retro_test_pop_message (&play->out, GST_MESSAGE_WARNING)
      == NULL);
}
