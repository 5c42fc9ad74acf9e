/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Timestamps that differ from the time of the frames pushed so far, but by less than a
 * jump. No frame may be lost in the element, or in a sink that clips to its segment.
 */

#include "scalemodel.h"

#define BUFFER_FRAMES 100       /* 12.5 ms */
#define N_BUFFERS 160
#define N_FRAMES (BUFFER_FRAMES * N_BUFFERS)
#define LIMIT_NS (GST_SECOND / 32)      /* the same limit as in audioresample */

/* The difference between the timestamp of buffer @n and the duration of all frames before
 * buffer @n. */
typedef GstClockTimeDiff (*Jitter) (guint n);

/* Simulates oggdemux: the first page of Speex ends later than the number of its frames
 * indicates. */
static GstClockTimeDiff
back_after_a_page (guint n)
{
  return n < 80 ? 0 : -8937500;
}

static GstClockTimeDiff
back_by_the_limit (guint n)
{
  return n < 80 ? 0 : -(GstClockTimeDiff) LIMIT_NS;
}

/* Small differences add up to the limit. */
static GstClockTimeDiff
back_again_and_again (guint n)
{
  return -(GstClockTimeDiff) (n / 40 * LIMIT_NS / 3);
}

static GstClockTimeDiff
forth_and_back (guint n)
{
  static const GstClockTimeDiff way[] = { 0, 5000000, -5000000, 12345678, -1 };

  return way[n % G_N_ELEMENTS (way)];
}

static GstClockTimeDiff
late_at_the_end (guint n)
{
  return n < N_BUFFERS - 1 ? 0 : LIMIT_NS;
}

static const Jitter jitters[] = { back_after_a_page, back_by_the_limit,
  back_again_and_again, forth_and_back, late_at_the_end
};

/* The elements, and their numbers of output frames for N_FRAMES input frames. */
static const struct
{
  const gchar *description;
  guint64 n_frames;
} elements[] = {
  {"timescale", N_FRAMES},
  {"timescale factor=1.5", N_FRAMES * 3 / 2},
  {"timescale factor=0.8", N_FRAMES * 4 / 5},
  {"timescale factor=1.5 keep-pitch=true", N_FRAMES * 3 / 2},
  {"timescale factor=0.8 keep-pitch=true window=low-latency",
      N_FRAMES * 4 / 5},
  {"timescale semitones=3", N_FRAMES},
  /* alignment=endpoints keeps the first and the last frame */
  {"timescale factor=2 alignment=endpoints", N_FRAMES * 2},
  {"revbuf direction=reverse mode=collect", N_FRAMES},
  {"revbuf direction=reverse mode=chunk block-time=300000000", N_FRAMES}
};

/* Returns the end of the stream according to the timestamps, which a demuxer would
 * report. */
static GstClockTime
end_of (Jitter jitter)
{
  return PLAIN_NS (N_FRAMES) + MIN (jitter (N_BUFFERS - 1), 0);
}

static void
push_with (RetroTest * t, Jitter jitter)
{
  GstBuffer *buffer;
  guint n;

  for (n = 0; n < N_BUFFERS; n++) {
    buffer = retro_test_buffer (&t->info, n * BUFFER_FRAMES, BUFFER_FRAMES);
    GST_BUFFER_PTS (buffer) += jitter (n);
    fail_unless_equals_int (gst_harness_push (t->h, buffer), GST_FLOW_OK);
  }
}

LOOP_TEST (jitter_costs_no_frame, G_N_ELEMENTS (jitters))
{
  Jitter jitter = jitters[__i__];
  guint i;

  for (i = 0; i < G_N_ELEMENTS (elements); i++) {
    RetroTest *t = retro_test_new (elements[i].description);

    retro_test_start (t, NULL, 1, 0, end_of (jitter));
    push_with (t, jitter);
    retro_test_eos (t);
    GST_INFO ("%s", elements[i].description);
    fail_unless_equals_uint64 (retro_test_frames_out (t), elements[i].n_frames);
    fail_unless_equals_uint64 (retro_test_clipped_frames (t),
        elements[i].n_frames);
    retro_test_assert_perfect (t, 0);
    retro_test_free (t);
  }
}

/* Without jitter, there must be only one segment, because resamplers restart at every
 * segment. */
TEST (a_plain_stream_has_one_segment)
{
  guint i;

  for (i = 0; i < G_N_ELEMENTS (elements); i++) {
    RetroTest *t = retro_test_new (elements[i].description);

    retro_test_start (t, NULL, 1, 0, PLAIN_NS (N_FRAMES) - 1);
    retro_test_push_cut (t, 0, N_FRAMES, retro_test_cuts[3]);
    retro_test_eos (t);
    fail_unless_equals_int (retro_test_n_events (t, GST_EVENT_SEGMENT), 1);
    retro_test_free (t);
  }
}
