/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * revbuf: position and duration in every format. All formats give the same position: where the
 * output is, not how far upstream has got.
 */

#include "retrotestplay.h"

#define N_FRAMES 24000

static RetroTestAnswers told_plain = { 23456, N_FRAMES, 2 };
static RetroTestAnswers told_float = { 23456, N_FRAMES, 8 };

/* ---- between two pads ------------------------------------------------------------ */

typedef struct
{
  gint64 frames;                /* the position after the last buffer */
  guint n_asked;
} Place;

/* Asks while a buffer of the reversed stream is on its way. */
static void
ask_falling (RetroTest * t, GstBuffer * buffer)
{
  Place *place = t->watch_data;
  gint64 n = retro_test_buffer_frames (t, buffer);

  retro_test_assert_answers (t->element, gst_pad_query_position, place->frames,
      n, 2);
  retro_test_assert_answers (t->element, gst_pad_query_duration, N_FRAMES, 1,
      2);
  place->frames -= n;
  place->n_asked++;
}

/* Given upstream that answers in all formats. When the collected stream is sent backwards, then
 * we get the position and the duration of the output in time, frames and bytes. */
TEST (collected_audio_is_told_in_every_format)
{
  Place place = { N_FRAMES, 0 };
  AUTO_TEST t = retro_test_new ("revbuf direction=reverse mode=collect");

  gst_pad_add_probe (t->h->srcpad, GST_PAD_PROBE_TYPE_QUERY_UPSTREAM,
      retro_test_answer_formats, &told_plain, NULL);
  retro_test_start (t, NULL, 1, 0, PLAIN_NS (N_FRAMES));
  retro_test_push_cut (t, 0, N_FRAMES, retro_test_cuts[5]);
  t->watch = ask_falling;
  t->watch_data = &place;
  retro_test_eos (t);
  fail_unless (place.n_asked > 0);
  fail_unless_equals_int64 (place.frames, 0);
}

static const gchar *const rising[] = { "revbuf",
  "revbuf direction=reverse mode=chunk block-time=12500000"
};

/* Given a stream that keeps its order, at least block by block. When audio has been output, then
 * the position is where the output is. */
LOOP_TEST (a_stream_forward_is_told_in_every_format, G_N_ELEMENTS (rising))
{
  AUTO_TEST t = retro_test_plain (rising[__i__], 1, PLAIN_NS (N_FRAMES));

  retro_test_push (t, 0, 4010);
  retro_test_assert_answers (t->element, gst_pad_query_position,
      retro_test_frames_out (t), 1, 2);
}

/* ---- mode=seek ----------------------------------------------------------------------- */

/* Given a stream that is fetched in blocks. When it is held at a frame, then the position is this
 * frame, and the duration is the length, in every format. */
LOOP_TEST (fetched_audio_is_told_in_every_format, 2)
{
  AUTO_PLAY play = retro_play_new_plain (__i__ ? "revbuf loop=repeat" :
      "revbuf direction=reverse mode=seek", N_FRAMES);
  gint64 at;

  retro_play_probe (play->source, "src", GST_PAD_PROBE_TYPE_QUERY_UPSTREAM
      | GST_PAD_PROBE_TYPE_PUSH, retro_test_answer_formats, &told_float);
  retro_play_start (play, 6400);
  at = __i__ ? play->frames_out : N_FRAMES - play->frames_out;
  /* a buffer of 40 ms is on its way */
  retro_test_assert_answers (play->revbuf, gst_pad_query_position, at, 320, 8);
  retro_test_assert_answers (play->revbuf, gst_pad_query_duration, N_FRAMES, 1,
      8);
}
