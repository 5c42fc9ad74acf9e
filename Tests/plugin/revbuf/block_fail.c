/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * revbuf mode=seek: failures of upstream, and interference by other elements.
 */

#include "retrotestplay.h"

#include <string.h>

#define N_FRAMES 60000
#define DESCRIPTION "revbuf direction=reverse block-time=300000000"

/* ---- upstream cannot seek, or refuses to ------------------------------------ */

LOOP_TEST (without_seeks_it_is_collected, 2)
{
  AUTO_PLAY play = retro_play_new_plain (__i__ ?
      "revbuf direction=reverse mode=seek" : "revbuf direction=reverse",
      N_FRAMES);

  play->knobs->not_seekable = TRUE;
  retro_play_run (play);
  retro_test_assert_down (&play->out, 0, N_FRAMES);
  fail_unless_equals_uint64 (retro_play_stat (play, "blocks"), 0);
  if (__i__)
    retro_play_assert_reports (play, GST_MESSAGE_WARNING, "cannot-seek",
        "Upstream cannot seek, so the stream is collected");
  fail_unless (retro_test_pop_message (&play->out, GST_MESSAGE_WARNING)
      == NULL);
}

/* Neither a loop nor a change of the direction is possible. A warning must be posted, and
 * playback continues forward. */
LOOP_TEST (without_seeks_it_plays_forward, 2)
{
  AUTO_PLAY play = retro_play_new_plain (__i__ ? "revbuf loop=repeat" :
      "revbuf", N_FRAMES);

  play->knobs->not_seekable = TRUE;
  retro_play_start (play, 3200);
  if (!__i__)
    retro_play_set_reverse (play, TRUE);
  retro_play_finish (play);
  retro_test_assert_up (&play->out, 0, N_FRAMES);
  retro_play_assert_reports (play, GST_MESSAGE_WARNING, "cannot-seek", __i__ ?
      "Upstream cannot seek, so the stream is not looped" :
      "Upstream cannot seek");
  fail_unless (retro_test_pop_message (&play->out, GST_MESSAGE_WARNING)
      == NULL);
}

/* The error ends the stream. The output before the error must be correct. */
SOME_TEST (refused_seek_is_an_error, 3, 9)
{
  AUTO_PLAY play = retro_play_new_plain (DESCRIPTION, N_FRAMES);
  guint64 n_frames;

  play->knobs->refused_seek = __i__ + 1;
  retro_play_run (play);
  retro_play_assert_reports (play, GST_MESSAGE_ERROR, "seek-refused",
      "refused a seek that is needed to play backwards");
  retro_play_stop (play);
  n_frames = retro_test_frames_out (&play->out);
  fail_unless (n_frames < N_FRAMES);
  retro_test_assert_down (&play->out, N_FRAMES - n_frames, n_frames);
  fail_unless_equals_int (retro_test_n_events (&play->out, GST_EVENT_EOS), 1);

  /* the same pipeline must play without an error when no seek is refused */
  play->knobs->refused_seek = 0;
  retro_play_rewind (play);
  retro_play_run (play);
  retro_test_assert_down (&play->out, 0, N_FRAMES);
}

/* The format changes at different positions of the stream. The element must
 * always detect the change, although frame numbers do not fit the timestamps
 * when the sample rate is halved. */
SOME_TEST (a_format_that_changes_is_an_error, 4, 20)
{
  AUTO_PLAY play = retro_play_new_plain (DESCRIPTION, N_FRAMES);

  play->knobs->other =
      retro_test_info (GST_AUDIO_FORMAT_S16, INTERLEAVED, 4000, 1);
  play->knobs->other_from_frame = __i__ * 3000 + 2000;
  retro_play_run (play);
  retro_play_assert_reports (play, GST_MESSAGE_ERROR, "format-changed",
      "changes its format");
}

LOOP_TEST (chained_stream_is_an_error, 2)
{
  guint64 length = __i__ ? N_FRAMES : 500, n_frames;
  AUTO_PLAY play = retro_play_new_plain (DESCRIPTION, length);

  play->knobs->followed = TRUE;
  retro_play_run (play);
  retro_play_assert_reports (play, GST_MESSAGE_ERROR, "several-streams",
      "Several streams follow one another");
  retro_play_stop (play);
  n_frames = retro_test_frames_out (&play->out);
  fail_unless (n_frames == length || __i__);
  retro_test_assert_down (&play->out, length - n_frames, n_frames);
}

/* ---- upstream ends early ----------------------------------------------------- */

/* @take is the number of the run in which the audio ends early: run 0 is the audio
 * before the first seek, run n is the audio after seek n. @frame is the frame at
 * which this run ends, in the first half, the middle or the second half of a block. */
static const struct
{
  guint take;
  guint64 frame;
} breaks[] = {
  {0, 100}, {0, 8000}, {1, 55000}, {1, 59900}, {2, 52000}, {3, 50000},
  {4, 30000}, {5, 20000}, {8, 10000}
};

SOME_TEST (error_inside_a_block_ends_the_stream, 4, G_N_ELEMENTS (breaks))
{
  AUTO_PLAY play = retro_play_new_plain (DESCRIPTION, N_FRAMES);

  play->knobs->breaks_in_take = breaks[__i__].take;
  play->knobs->breaks_at_frame = breaks[__i__].frame;
  play->knobs->breaks_with_error = TRUE;
  retro_play_set_state (play, GST_STATE_PLAYING);
  retro_play_assert_says (play, GST_MESSAGE_ERROR, "test source fails here");
  retro_play_stop (play);
  retro_play_assert_sound (play, 0, RETRO_PLAY_JOINED);
  fail_unless (retro_test_frames_out (&play->out) <= N_FRAMES);
}

/* Every run from a certain number on ends early. The element must still send
 * EOS. */
SOME_TEST (eos_in_a_later_run_ends, 4, G_N_ELEMENTS (breaks))
{
  AUTO_PLAY play = retro_play_new_plain (DESCRIPTION, N_FRAMES);

  play->knobs->breaks_in_take = breaks[__i__].take;
  play->knobs->breaks_at_frame = breaks[__i__].frame;
  retro_play_run (play);
  fail_unless_equals_int (retro_test_n_events (&play->out, GST_EVENT_EOS), 1);
  retro_play_assert_sound (play, 0, RETRO_PLAY_JOINED);
}

/* Only one run ends early. The element already knows that the stream has more
 * audio, so the element must fetch the missing audio again. */
SOME_TEST (eos_in_one_run_loses_nothing, 3, G_N_ELEMENTS (breaks) - 3)
{
  AUTO_PLAY play = retro_play_new_plain (DESCRIPTION, N_FRAMES);

  play->knobs->breaks_in_take = breaks[__i__ + 3].take;
  play->knobs->breaks_at_frame = breaks[__i__ + 3].frame;
  play->knobs->breaks_once = TRUE;
  retro_play_run (play);
  retro_test_assert_down (&play->out, 0, N_FRAMES);
  fail_unless (retro_test_pop_message (&play->out, GST_MESSAGE_ERROR) == NULL);
}

/* A gap in the source's timestamps must become silence of the same length, at any
 * position relative to the blocks. */
SOME_TEST (a_hole_loses_nothing_else, 6, 3 * 27)
{
  AUTO_PLAY play = retro_play_new_plain (DESCRIPTION, N_FRAMES);
  static const guint64 lengths[] = { 300, 3000, 20000 };
  guint64 hole_frame = 2000 * (1 + (guint64) __i__ % 27), n;
  guint64 hole_frames = lengths[__i__ / 27];
  guint64 top = MIN (hole_frame + hole_frames, N_FRAMES - 1000);
  g_autoptr (GByteArray) bytes = NULL;
  gsize bpf;

  play->knobs->hole_at_frame = hole_frame;
  play->knobs->hole_frames = top - hole_frame;
  retro_play_run (play);
  bpf = GST_AUDIO_INFO_BPF (&play->out.info);
  bytes = retro_test_bytes (&play->out);
  fail_unless_equals_uint64 (bytes->len / bpf, N_FRAMES);
  for (n = 0; n < N_FRAMES; n++) {
    guint8 expected[8] = { 0 };

    if (n < hole_frame || n >= top)
      retro_test_frame (&play->out.info, n, expected);
    fail_unless (memcmp (bytes->data + (N_FRAMES - 1 - n) * bpf, expected,
            bpf) == 0, "frame %" G_GUINT64_FORMAT " is another", n);
  }
}

/* A forward seek leads into a gap that is longer than the first block and the preroll.
 * Playback must begin with the audio after the gap. */
LOOP_TEST (a_seek_forward_into_a_hole_continues_after_it, 4)
{
  static const guint64 holes[] = { 0, 0, 20000, 20000 };
  static const guint64 targets[] = { 0, 4000, 25000, 39000 };
  guint64 end = holes[__i__] + 20000, n;
  AUTO_PLAY play = retro_play_new_plain ("revbuf mode=seek direction=reverse "
      "preroll-time=0 block-time=500000000", N_FRAMES);
  g_autoptr (GArray) heard = NULL;

  play->knobs->hole_at_frame = holes[__i__];
  play->knobs->hole_frames = 20000;
  retro_play_start (play, 3200);
  g_object_set (play->revbuf, "direction", 0, NULL);
  fail_unless (retro_play_seek_to (play, 1, GST_SEEK_FLAG_FLUSH,
          targets[__i__], -1));
  retro_play_finish (play);
  retro_play_stop (play);
  heard = retro_play_heard (play);
  fail_unless (heard->len >= N_FRAMES - end, "%u frames", heard->len);
  for (n = end; n < N_FRAMES; n++)
    fail_unless_equals_uint64 (g_array_index (heard, guint64,
            heard->len + n - N_FRAMES), n);
}

/* ---- seeks by another element ---------------------------------------------- */

static void
seek_source (RetroPlay * play, gdouble rate, GstSeekFlags flags,
    guint64 first, guint64 end)
{
  fail_unless (gst_element_send_event (GST_ELEMENT (play->source),
          gst_event_new_seek (rate, GST_FORMAT_TIME, flags, GST_SEEK_TYPE_SET,
              PLAIN_NS (first), GST_SEEK_TYPE_SET, PLAIN_NS (end))));
}

SOME_TEST (flush_from_upstream_is_played, 3, 4)
{
  static const guint64 gates[] = { 320, 3200, 30000, 59000 };
  AUTO_PLAY play = retro_play_new_plain (DESCRIPTION, N_FRAMES);
  guint64 n_before;

  retro_play_start (play, gates[__i__]);
  seek_source (play, 1, GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_ACCURATE, 10000,
      25000);
  retro_play_finish (play);
  n_before = retro_test_frames_out (&play->out) - 15000;
  retro_play_assert_sound (play, 1, RETRO_PLAY_SOUGHT);
  {
    GArray *order = retro_order_new ();

    retro_order_down (order, N_FRAMES - n_before, n_before);
    retro_order_down (order, 10000, 15000);
    retro_test_assert_order (&play->out, order);
  }
}

static GstPadProbeReturn
note_fetch (GstPad * pad, GstPadProbeInfo * info, gpointer seqnum)
{
  GstEvent *event = GST_PAD_PROBE_INFO_EVENT (info);

  if (GST_EVENT_TYPE (event) == GST_EVENT_SEEK)
    *(guint32 *) seqnum = gst_event_get_seqnum (event);
  return GST_PAD_PROBE_OK;
}

/* If two revbufs share a source, a seek of one disturbs the other. The element
 * recognizes the other's seek by its sequence number, and posts an error. */
TEST (a_fetch_of_another_is_an_error)
{
  RetroPlay *other = retro_play_new_plain (DESCRIPTION, N_FRAMES);
  AUTO_PLAY play = retro_play_new_plain (DESCRIPTION, N_FRAMES);
  guint32 seqnum = GST_SEQNUM_INVALID;
  GstEvent *seek;

  retro_play_probe (other->source, "src", GST_PAD_PROBE_TYPE_EVENT_UPSTREAM,
      note_fetch, &seqnum);
  retro_play_run (other);
  retro_test_assert_down (&other->out, 0, N_FRAMES);
  retro_play_free (other);
  fail_if (seqnum == GST_SEQNUM_INVALID);

  retro_play_start (play, 3200);
  seek = gst_event_new_seek (1, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH
      | GST_SEEK_FLAG_ACCURATE, GST_SEEK_TYPE_SET, 0, GST_SEEK_TYPE_NONE, -1);
  gst_event_set_seqnum (seek, seqnum);
  fail_unless (gst_element_send_event (GST_ELEMENT (play->source), seek));
  retro_play_finish (play);
  retro_play_assert_reports (play, GST_MESSAGE_ERROR, "source-contested",
      "Another revbuf seeks in the source");
  retro_play_stop (play);
}

static GstPadProbeReturn
turn_in_query (GstPad * pad, GstPadProbeInfo * info, gpointer play)
{
  if (GST_QUERY_TYPE (GST_PAD_PROBE_INFO_QUERY (info)) != GST_QUERY_DURATION)
    return GST_PAD_PROBE_OK;
  retro_play_set_reverse (play, FALSE);
  return GST_PAD_PROBE_REMOVE;
}

/* The direction changes while the element queries the duration, which happens when the
 * segment after the flush arrives. */
TEST (a_turn_during_a_flush_is_not_lost)
{
  AUTO_PLAY play = retro_play_new_plain (DESCRIPTION, N_FRAMES);
  g_autoptr (GArray) heard = NULL;
  guint n;

  retro_play_start (play, 3200);
  retro_play_probe (play->source, "src", GST_PAD_PROBE_TYPE_QUERY_UPSTREAM
      | GST_PAD_PROBE_TYPE_PUSH, turn_in_query, play);
  seek_source (play, 1, GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_ACCURATE, 10000,
      25000);
  retro_play_finish (play);
  heard = retro_play_heard (play);
  fail_unless (heard->len >= 15000);
  for (n = 0; n < 15000; n++)
    fail_unless_equals_uint64 (g_array_index (heard, guint64,
            heard->len - 15000 + n), 10000 + n);
}

/* ---- states ----------------------------------------------------------------------- */

/* The moments are numbers of output frames. */
LOOP_TEST (null_at_any_moment, 2)
{
  static const gchar *const descriptions[] = {
    DESCRIPTION, "revbuf mode=seek loop=ping-pong loop-stop=3000000000"
  };
  AUTO_PLAY play = retro_play_new_plain (descriptions[__i__], N_FRAMES);
  guint n;

  play->knobs->settle_frames = 10000;
  for (n = 0; n < 60; n++) {
    if (n % 4 == 0)
      retro_play_set_state (play, GST_STATE_PLAYING);
    else
      retro_play_start (play, n * n);
    retro_play_rewind (play);
    play->frames_out = 0;
  }
}

/* The pipeline changes between READY, PAUSED and PLAYING at different moments
 * of playback. */
TEST (other_states_at_any_moment)
{
  AUTO_PLAY play = retro_play_new_plain (DESCRIPTION, N_FRAMES);
  guint n;

  for (n = 0; n < 60; n++) {
    retro_play_set_state (play, n % 3 ? GST_STATE_PLAYING : GST_STATE_PAUSED);
    if (n % 5 == 0)
      gst_element_get_state (play->pipeline, NULL, NULL, GST_CLOCK_TIME_NONE);
    retro_play_set_reverse (play, n % 2);
    retro_play_set_state (play, n % 4 ? GST_STATE_READY : GST_STATE_PAUSED);
  }
  retro_play_rewind (play);
  retro_play_set_reverse (play, TRUE);
  retro_play_run (play);
  retro_test_assert_down (&play->out, 0, N_FRAMES);
}
