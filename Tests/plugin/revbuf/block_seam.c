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

static RetroPlay *
play_all (RetroPlay * play)
{
  retro_play_run (play);
  retro_test_assert_down (&play->out, 0, play->knobs->n_frames);
  retro_play_assert_sound (play, 0, RETRO_PLAY_JOINED);
  return play;
}

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

TEST (runs_that_are_equal_are_verified)
{
  RetroPlay *play = play_all (retro_play_new_plain (DESCRIPTION, N_FRAMES));
  guint64 blocks = retro_play_stat (play, "blocks");

  /* the stream lasts 15 s, and is played in a few shorter blocks, then in
   * blocks of 1 s */
  fail_unless (blocks >= 15);
  fail_unless_equals_uint64 (retro_play_stat (play, "seams-verified"),
      blocks - 1);
  assert_stats (play, TRUE, FALSE, FALSE, FALSE);
  retro_play_free (play);
}

/* ---- settling --------------------------------------------------------------- */

SOME_TEST (decoder_that_settles_within_the_preroll, 2, 4)
{
  static const guint64 frames[] = { 1, 1000, 8000, PREROLL_FRAMES };
  RetroPlay *play = retro_play_new_plain (DESCRIPTION, N_FRAMES);
  static const gsize exact_cut[] = { 1, 0 };

  /* with packets of one frame, a run begins exactly at the requested frame */
  play->knobs->cut = exact_cut;
  play->knobs->settle_frames = frames[__i__];
  play_all (play);
  assert_stats (play, TRUE, FALSE, FALSE, FALSE);
  retro_play_free (play);
}

SOME_TEST (decoder_that_needs_more_than_the_preroll, 2, 4)
{
  static const struct
  {
    guint64 settle_frames, preroll_frames;
  } cases[] = {
    {12000, 16384}, {16000, 16384}, {20000, 32768}, {40000, 65536}
  };
  RetroPlay *play = retro_play_new_plain (DESCRIPTION, N_FRAMES);
  GstStructure *stats;
  gint64 preroll_frames;

  play->knobs->settle_frames = cases[__i__].settle_frames;
  play_all (play);
  assert_stats (play, TRUE, FALSE, FALSE, TRUE);
  g_object_get (play->revbuf, "stats", &stats, NULL);
  fail_unless (gst_structure_get_int64 (stats, "preroll-frames",
          &preroll_frames));
  fail_unless_equals_int64 (preroll_frames, cases[__i__].preroll_frames);
  gst_structure_free (stats);
  retro_play_free (play);
}

/* Before a certain position of the stream, the decoder needs more preroll. In
 * reverse, the element plays much of the stream before it reaches that
 * position. */
SOME_TEST (decoder_that_needs_more_at_some_places, 2, 4)
{
  static const guint64 below[] = { 20000, 60000, 75432, 100000 };
  RetroPlay *play = retro_play_new_plain (DESCRIPTION, N_FRAMES);

  play->knobs->settle_frames = 500;
  play->knobs->settle_more_frames = 15000;
  play->knobs->settle_more_below_frame = below[__i__];
  play_all (play);
  assert_stats (play, TRUE, FALSE, FALSE, TRUE);
  retro_play_free (play);
}

/* Without a preroll, each run begins before the decoder has settled, so the element must
 * widen the preroll. */
TEST (preroll_of_nothing_is_widened)
{
  RetroPlay *play = retro_play_new_plain (DESCRIPTION " preroll-time=0",
      N_FRAMES);

  play->knobs->settle_frames = 5000;
  play_all (play);
  assert_stats (play, TRUE, FALSE, FALSE, TRUE);
  retro_play_free (play);
}

/* ---- numbering ------------------------------------------------------------ */

SOME_TEST (runs_that_are_numbered_differently_are_aligned, 2, 5)
{
  static const gint64 shifts[] = { 1, 2, 13, 100, 1000 };
  RetroPlay *play = retro_play_new_plain (DESCRIPTION, N_FRAMES);

  play->knobs->shift_frames = shifts[__i__];
  retro_play_run (play);
  retro_test_assert_down (&play->out, 0, N_FRAMES);
  fail_unless (retro_play_stat (play, "seams-aligned") > 0);
  fail_unless_equals_uint64 (retro_play_stat (play, "seams-crossfaded"), 0);
  fail_unless_equals_uint64 (retro_play_stat (play, "prerolls-widened"), 0);
  retro_play_assert_sound (play, 0, RETRO_PLAY_JOINED);
  retro_play_free (play);
}

static const gsize packet_sizes[] = { 576, 1152, 960, 1024, 4096 };

/* Matroska rounds timestamps to milliseconds. */
SOME_TEST (timestamps_that_are_rounded, 4, 3 * G_N_ELEMENTS (packet_sizes))
{
  static const gint rates[] = { 8000, 44100, 48000 };
  gint rate = rates[__i__ % G_N_ELEMENTS (rates)];
  gsize cut[] = { packet_sizes[__i__ / G_N_ELEMENTS (rates)], 0 };
  GstAudioInfo info;
  RetroPlay *play;

  retro_test_info (&info, GST_AUDIO_FORMAT_S32, GST_AUDIO_LAYOUT_INTERLEAVED,
      rate, 2);
  play = retro_play_new (DESCRIPTION, &info, rate + 60000);
  play->knobs->cut = cut;
  play->knobs->rounding_ns = GST_MSECOND;
  retro_play_run (play);
  retro_test_assert_down (&play->out, 0, rate + 60000);
  retro_play_assert_sound (play, 0, RETRO_PLAY_JOINED);
  fail_unless_equals_uint64 (retro_play_stat (play, "seams-crossfaded"), 0);
  retro_play_free (play);
}

SOME_TEST (all_faults_together, 2, 4)
{
  static const GstClockTime durations_ns[] = {
    GST_CLOCK_TIME_NONE, PLAIN_NS (N_FRAMES), PLAIN_NS (80000),
    PLAIN_NS (150000)
  };
  static const gsize cut[] = { 1152, 0 };
  RetroPlay *play = retro_play_new_plain (DESCRIPTION, N_FRAMES);

  play->knobs->cut = cut;
  play->knobs->duration_ns = durations_ns[__i__];
  play->knobs->settle_frames = 3000;
  play->knobs->settle_more_frames = 14000;
  play->knobs->settle_more_below_frame = 50000;
  play->knobs->shift_frames = 10;
  play->knobs->rounding_ns = GST_MSECOND;
  play->knobs->tells_tags = TRUE;
  retro_play_run (play);
  retro_test_assert_down (&play->out, 0, N_FRAMES);
  retro_play_assert_sound (play, 0, RETRO_PLAY_JOINED);
  retro_play_free (play);
}

/* ---- runs that are different each time --------------------------------------- */

/* More channels than the 64 that GStreamer's mixer supports must be possible, because
 * crossfades do not use the mixer. */
static const struct
{
  GstAudioLayout layout;
  guint channels;
} shapes[] = {
  {GST_AUDIO_LAYOUT_INTERLEAVED, 2},
  {GST_AUDIO_LAYOUT_INTERLEAVED, 64},
  {GST_AUDIO_LAYOUT_NON_INTERLEAVED, 2},
  {GST_AUDIO_LAYOUT_NON_INTERLEAVED, 65},
};

static RetroPlay *
new_noisy (const gchar * description, guint shape)
{
  GstAudioInfo info;
  RetroPlay *play;

  retro_test_info (&info, GST_AUDIO_FORMAT_S16, shapes[shape].layout,
      8000, shapes[shape].channels);
  play = retro_play_new (description, &info, N_FRAMES);
  play->knobs->noisy = TRUE;
  return play;
}

/* Asserts that each sample differs from that of the stream only by the decoder's noise.
 * So no frame is at a wrong position, and no seam is audible. */
static void
assert_down_but_noise (RetroPlay * play)
{
  GByteArray *bytes = retro_test_bytes (&play->out);
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
  g_byte_array_unref (bytes);
}

SOME_TEST (runs_that_never_match_are_crossfaded, 2, G_N_ELEMENTS (shapes))
{
  RetroPlay *play = new_noisy (DESCRIPTION " seam=smooth", __i__);

  retro_play_run (play);
  assert_down_but_noise (play);
  assert_stats (play, FALSE, FALSE, TRUE, TRUE);
  /* the stream lasts 15 s, and is played in blocks of 1 s */
  fail_unless (retro_play_stat (play, "seams-crossfaded") >= 15);
  fail_unless (retro_test_pop_message (&play->out, GST_MESSAGE_WARNING)
      == NULL);
  retro_test_assert_perfect (&play->out,
      retro_test_nth_segment (&play->out, 0).start);
  retro_play_free (play);
}

SOME_TEST (runs_that_never_match_are_aligned, 1, G_N_ELEMENTS (shapes))
{
  RetroPlay *play = new_noisy (DESCRIPTION " seam=smooth", __i__);

  play->knobs->shift_frames = 9;
  retro_play_run (play);
  assert_down_but_noise (play);
  retro_play_free (play);
}

/* With seam=exact, blocks that do not match must not be crossfaded: an error must be
 * posted, in both directions. */
LOOP_TEST (runs_that_never_match_are_an_error_if_they_must, 3)
{
  static const gchar *const descriptions[] = {
    DESCRIPTION " seam=exact", DESCRIPTION " seam=exact loop=repeat",
    DESCRIPTION " seam=exact loop=ping-pong loop-start=2000000000"
  };
  RetroPlay *play = new_noisy (descriptions[__i__], 0);
  gchar *sentence;

  retro_play_run (play);
  sentence = retro_play_wait_sentence (play, GST_MESSAGE_ERROR);
  fail_unless (strstr (sentence, "mode=collect") != NULL);
  fail_unless (strstr (sentence, "seam=smooth") != NULL);
  g_free (sentence);
  fail_unless_equals_uint64 (retro_play_stat (play, "seams-crossfaded"), 0);
  retro_play_free (play);
}

TEST (runs_that_must_match_and_do_are_output)
{
  RetroPlay *play = play_all (retro_play_new_plain (DESCRIPTION " seam=exact",
          N_FRAMES));

  assert_stats (play, TRUE, FALSE, FALSE, FALSE);
  retro_play_free (play);
}

/* One run ends immediately, as if an application had sent EOS. The element must
 * seek again to fetch the audio of that run. */
SOME_TEST (eos_in_one_of_runs_that_never_match, 2, 6)
{
  RetroPlay *play = new_noisy (DESCRIPTION, 0);

  play->knobs->breaks_at_frame = 1;
  play->knobs->breaks_in_take = __i__ + 6;
  play->knobs->breaks_once = TRUE;
  retro_play_run (play);
  assert_down_but_noise (play);
  fail_unless (retro_test_pop_message (&play->out, GST_MESSAGE_ERROR) == NULL);
  retro_play_free (play);
}

/* ---- runs with different audio ------------------------------------------------ */

#define EDIT_FRAMES 5000

/* After a seek, the source plays a different stream (see the knob edit_frames).
 * The beginning of the first stream arrived before any seek, and must not be
 * output. */
LOOP_TEST (beginning_of_another_stream_is_not_output, 2)
{
  RetroPlay *play = retro_play_new_plain (DESCRIPTION, N_FRAMES);

  play->knobs->edit_frames = EDIT_FRAMES;
  play->knobs->edit_is_told = __i__;
  retro_play_run (play);
  retro_test_assert_down (&play->out, EDIT_FRAMES, N_FRAMES);
  assert_stats (play, TRUE, FALSE, FALSE, __i__ == 0);
  fail_unless (retro_test_pop_message (&play->out, GST_MESSAGE_WARNING)
      == NULL);
  retro_play_free (play);
}

/* Seeks to positions before the middle lead to a different stream, so each of
 * two passes has a crossfade at the middle. The element must post only one
 * warning. */
TEST (seam_of_nothing_in_common_is_reported)
{
  RetroPlay *play = retro_play_new_plain (DESCRIPTION " loop=repeat",
      N_FRAMES);
  gchar *sentence;

  play->knobs->edit_frames = EDIT_FRAMES;
  play->knobs->edit_below_frame = N_FRAMES / 2;
  retro_play_start (play, 2 * N_FRAMES + N_FRAMES / 4);
  sentence = retro_play_wait_sentence (play, GST_MESSAGE_WARNING);
  fail_unless (strstr (sentence, "Two seeks to the audio at ") == sentence,
      "%s", sentence);
  fail_unless (strstr (sentence, "set mode=collect on revbuf") != NULL, "%s",
      sentence);
  g_free (sentence);
  retro_play_stop (play);
  fail_unless (retro_play_stat (play, "seams-crossfaded") >= 2);
  fail_unless (retro_test_pop_message (&play->out, GST_MESSAGE_WARNING)
      == NULL);
  retro_play_free (play);
}
