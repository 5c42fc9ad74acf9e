/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * revbuf: looping the way GStreamer's manual does it, with a flushing seek to a segment, and then
 * a seek for each SEGMENT_DONE that reaches the application.
 */

#include "retrotestplay.h"

#define N_FRAMES 24000
#define LENGTH 8000             /* of the segment */
#define N_LOOPS 20

/* @held_frame: of the segment; when it is sent, upstream may have sent the whole segment */
static const struct
{
  const gchar *description;
  guint64 held_frame;
  gdouble rate;
} cases[] = {
  {"revbuf direction=reverse mode=collect", 0, 1},
  {"revbuf direction=reverse mode=seek", 0, 1},
  {"revbuf direction=reverse mode=chunk block-time=100000000", LENGTH - 800, 1},
  {"revbuf mode=collect", 0, 1},
  {"revbuf", 0, 1},
  {"revbuf", 0, -1},
  /* upstream plays backwards, in blocks of 1000 frames */
  {"revbuf mode=collect", LENGTH - 1000, -1},
};

static const GstSeekFlags again[] = { 0, GST_SEEK_FLAG_FLUSH };

static gboolean
seek_to_segment (RetroPlay * play, gdouble rate, GstSeekFlags flags)
{
  return retro_play_seek (play, rate, GST_SEEK_FLAG_SEGMENT | flags,
      GST_SEEK_TYPE_SET, 0, GST_SEEK_TYPE_SET, PLAIN_NS (LENGTH));
}

static void
start_segment (RetroPlay * play, gdouble rate)
{
  retro_play_pause (play);
  fail_unless (seek_to_segment (play, rate, GST_SEEK_FLAG_FLUSH));
}

/* Waits for SEGMENT_DONE, and returns its seqnum. */
static guint32
wait_segment_done (RetroPlay * play)
{
  GstMessage *done = retro_play_wait_message (play, GST_MESSAGE_SEGMENT_DONE);
  guint32 seqnum = gst_message_get_seqnum (done);

  gst_message_unref (done);
  return seqnum;
}

/* Asserts that each pass after the first flush has all its frames in the right order. */
static void
assert_passes (RetroPlay * play, guint n)
{
  g_autoptr (GArray) heard = retro_play_heard (play);
  guint from = heard->len - n * LENGTH, i;

  fail_unless (heard->len >= n * LENGTH, "%u frames", heard->len);
  for (i = 1; i < n; i++)
    fail_unless_equals_uint64 (g_array_index (heard, guint64, from),
        g_array_index (heard, guint64, from + i * LENGTH));
}

/* Given the loop of the manual, with seeks that flush and seeks that do not. When an application
 * repeats a segment 20 times, then it never hangs, and SEGMENT_DONE reaches it after all audio of
 * the pass has been sent. */
SOME_TEST (an_application_may_repeat_a_segment, 6,
    G_N_ELEMENTS (again) * G_N_ELEMENTS (cases))
{
  AUTO_PLAY play =
      retro_play_new_plain (cases[__i__ / 2].description, N_FRAMES);
  gdouble rate = cases[__i__ / 2].rate;
  guint64 before;
  guint i;

  start_segment (play, rate);
  /* in PAUSED, the sink holds the first buffer of this segment or none */
  gst_element_get_state (play->pipeline, NULL, NULL, GST_CLOCK_TIME_NONE);
  before = retro_test_frames_out (&play->out);
  before -= play->frames_out > 0 ? retro_test_buffer_frames (&play->out,
      retro_test_nth_buffer (&play->out,
          retro_test_n_buffers (&play->out) - 1)) : 0;
  retro_play_set_state (play, GST_STATE_PLAYING);
  for (i = 0; i < N_LOOPS; i++) {
    wait_segment_done (play);
    g_mutex_lock (&play->lock);
    fail_unless (play->frames_out >= before + (i + 1) * LENGTH, "pass %u: %"
        G_GUINT64_FORMAT " frames before SEGMENT_DONE", i,
        play->frames_out - before);
    g_mutex_unlock (&play->lock);
    if (i + 1 < N_LOOPS)
      fail_unless (seek_to_segment (play, rate, again[__i__ % 2]));
  }
  retro_play_stop (play);
  assert_passes (play, N_LOOPS);
  fail_unless_equals_int (retro_test_n_events (&play->out, GST_EVENT_EOS), 0);
}

static GstMessage *
peek_segment_done (RetroPlay * play)
{
  return gst_bus_pop_filtered (play->out.bus, GST_MESSAGE_SEGMENT_DONE);
}

/* Given a segment whose output is held. When upstream has sent all of the segment, then the
 * application is not told that it is done until the rest has been output, and then only once,
 * with the number of its seek. */
LOOP_TEST (segment_done_waits_for_the_audio, G_N_ELEMENTS (cases))
{
  AUTO_PLAY play = retro_play_new_plain (cases[__i__].description, N_FRAMES);
  GstEvent *seek = gst_event_new_seek (cases[__i__].rate, GST_FORMAT_TIME,
      GST_SEEK_FLAG_SEGMENT | GST_SEEK_FLAG_FLUSH, GST_SEEK_TYPE_SET, 0,
      GST_SEEK_TYPE_SET, PLAIN_NS (LENGTH));
  guint32 seqnum = gst_event_get_seqnum (seek);
  guint64 before;

  retro_play_start (play, 1000);
  fail_unless (gst_element_send_event (play->pipeline, seek));
  before = play->frames_out;
  retro_play_go_on (play, before + cases[__i__].held_frame);
  fail_unless (peek_segment_done (play) == NULL);
  retro_play_wait_segment_done (play, 1);
  fail_unless_equals_uint64 (wait_segment_done (play), seqnum);
  fail_unless (peek_segment_done (play) == NULL);
  retro_play_stop (play);
  fail_unless_equals_uint64 (retro_test_frames_out (&play->out),
      before + LENGTH);
}
