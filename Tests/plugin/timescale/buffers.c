/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * timescale: how many buffers the output is divided into. You get one output buffer per input
 * buffer. Only output of more than 100 ms is sent in pieces, so that you hear changes soon.
 */

#include "scalemodel.h"

/* The longest output buffer: 100 ms, but at least 1,024 frames. */
static guint64
longest_frames (const GstAudioInfo * info)
{
  return MAX (info->rate / 10, 1024);
}

static RetroTest *
start (gint rate, ScaleFactor factor, const gchar * properties)
{
  GstAudioInfo info =
      retro_test_info (GST_AUDIO_FORMAT_F32, INTERLEAVED, rate, 1);
  RetroTest *t = scale_test_new (factor, properties);

  retro_test_start (t, &info, 1, 0, GST_CLOCK_TIME_NONE);
  return t;
}

/* Sends EOS. Asserts that at most one more buffer leaves, and that no frame is missing. */
static void
finish (RetroTest * t, guint64 n_frames, ScaleFactor factor)
{
  guint n = retro_test_n_buffers (t);

  retro_test_eos (t);
  fail_unless (retro_test_n_buffers (t) <= n + 1, "%u buffers at the end",
      retro_test_n_buffers (t) - n);
  fail_unless_equals_uint64 (retro_test_frames_out (t), scale_length (n_frames,
          factor));
  retro_test_assert_perfect (t, 0);
}

/* ---- one by one ------------------------------------------------------------- */

static const struct
{
  ScaleFactor factor;
  const gchar *properties;
  gint rate;
  guint frames;                 /* of each input buffer */
} short_buffers[] = {
  {{1, 1}, "", 48000, 960},
  {{3, 2}, "", 48000, 960},
  {{2, 1}, "quality=4", 48000, 960},
  {{1, 2}, "quality=10", 48000, 960},
  {{7, 10}, "interpolation=cubic", 44100, 1024},
  /* 100 ms exactly */
  {{3, 2}, "interpolation=linear", 48000, 3200},
  /* 100 ms would be 80 frames and less than one frame */
  {{2, 1}, "interpolation=linear", 800, 500},
  {{3, 2}, "interpolation=nearest", 1, 10}
};

/* Given a constant factor. When a buffer arrives whose output lasts at most 100 ms, then one
 * buffer is output before the next one arrives. */
LOOP_TEST (one_buffer_in_is_one_buffer_out, G_N_ELEMENTS (short_buffers))
{
  ScaleFactor factor = short_buffers[__i__].factor;
  guint frames = short_buffers[__i__].frames, i;
  AUTO_TEST t = start (short_buffers[__i__].rate, factor,
      short_buffers[__i__].properties);

  for (i = 0; i < 50; i++) {
    retro_test_push (t, i * frames, frames);
    fail_unless_equals_int (retro_test_n_buffers (t), i + 1);
  }
  finish (t, 50 * frames, factor);
}

static const gchar *const stretches[] = { "keep-pitch=true",
  "keep-pitch=true window=low-latency", "semitones=5"
};

/* Given a stretcher, which collects a window of sound before it starts. When a buffer arrives,
 * then at most one leaves. */
LOOP_TEST (one_buffer_in_is_at_most_one_stretched, G_N_ELEMENTS (stretches))
{
  ScaleFactor factor = { 5, 4 };
  AUTO_TEST t = start (48000, factor, stretches[__i__]);
  guint n = 0, i;

  for (i = 0; i < 50; i++) {
    scale_push_sound (t, i * 960, 960, 960);
    fail_unless (retro_test_n_buffers (t) <= n + 1, "%u buffers at once",
        retro_test_n_buffers (t) - n);
    n = retro_test_n_buffers (t);
  }
  fail_unless (n >= 40, "only %u buffers have left", n);
}

/* Given the longest stretch at a low rate, where the output of a single frame does not fit into a
 * buffer. When many short buffers arrive, then no frame is lost, and nothing hangs. */
TEST (a_frame_may_be_longer_than_a_buffer)
{
  ScaleFactor factor = { 100, 1 };
  AUTO_TEST t = start (8000, factor, "keep-pitch=true window=low-latency");
  guint i;

  for (i = 0; i < 12; i++)
    scale_push_sound (t, i * 64, 64, 64);
  retro_test_eos (t);
  fail_unless_equals_uint64 (retro_test_frames_out (t), 12 * 64 * 100);
}

/* ---- pieces ------------------------------------------------------------------ */

static const struct
{
  ScaleFactor factor;
  gint rate;
  guint frames;                 /* of the only input buffer */
} long_buffers[] = {
  {{2, 1}, 48000, 48000},
  {{3, 2}, 192000, 96000},
  {{2, 1}, 8000, 16000},
  {{1, 2}, 8000, 16000},
  {{3, 2}, 1, 20000}
};

/* Given a buffer whose output is longer. When it arrives, then the output is sent in buffers of
 * 100 ms, but at least 1,024 frames, and in no more than necessary. */
LOOP_TEST (a_long_output_leaves_in_pieces, G_N_ELEMENTS (long_buffers))
{
  ScaleFactor factor = long_buffers[__i__].factor;
  AUTO_TEST t = start (long_buffers[__i__].rate, factor,
      "interpolation=linear");
  guint64 longest = longest_frames (&t->info), needed;
  guint i;

  retro_test_push (t, 0, long_buffers[__i__].frames);
  needed = (retro_test_frames_out (t) + longest - 1) / longest;
  fail_unless (retro_test_n_buffers (t) <= needed + 1, "%u buffers instead of "
      "%u", retro_test_n_buffers (t), (guint) needed);
  for (i = 0; i < retro_test_n_buffers (t); i++) {
    gsize n = retro_test_buffer_frames (t, retro_test_nth_buffer (t, i));

    fail_unless (n <= longest, "buffer %u has %u frames", i, (guint) n);
  }
  finish (t, long_buffers[__i__].frames, factor);
}
