/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * revbuf: the application's seeks at particular moments: in a stream that is passed through,
 * during other seeks, and before the first data.
 */

#include "retrotestplay.h"

#define N_FRAMES 60000
#define FLUSH GST_SEEK_FLAG_FLUSH
#define ACCURATE GST_SEEK_FLAG_ACCURATE
#define SET GST_SEEK_TYPE_SET

/* ---- from a stream that is passed through ------------------------------------ */

LOOP_TEST (negative_rate_is_fetched_in_blocks, 6)
{
  static const GstSeekFlags how[] = { FLUSH | ACCURATE, FLUSH, ACCURATE };
  RetroPlay *play = retro_play_new_plain (__i__ / 3 ? "revbuf mode=seek" :
      "revbuf", N_FRAMES);

  retro_play_start (play, 5000);
  fail_unless (retro_play_seek_to (play, -1, how[__i__ % 3], 0, 40000));
  retro_play_finish (play);
  fail_unless (retro_play_stat (play, "blocks") > 1);
  retro_play_assert_played (play, how[__i__ % 3] != ACCURATE, TRUE, 0, 40000);
}

/* In mode=collect and mode=chunk, upstream must play backwards in blocks, and revbuf
 * reverses each block. */
LOOP_TEST (negative_rate_goes_upstream_in_collect_and_chunk, 2)
{
  RetroPlay *play = retro_play_new_plain (__i__ ? "revbuf mode=chunk" :
      "revbuf mode=collect", N_FRAMES);

  retro_play_start (play, 5000);
  fail_unless (retro_play_seek_to (play, -1, FLUSH, 0, 40000));
  retro_play_finish (play);
  fail_unless_equals_uint64 (retro_play_stat (play, "blocks"), 0);
  fail_unless_equals_int (g_atomic_int_get (&play->source->seeks), 1);
  retro_play_assert_played (play, 1, TRUE, 0, 40000);
}

/* A first revbuf has already reversed the stream. The second revbuf must
 * forward the seek to the first one instead of fetching blocks. */
LOOP_TEST (negative_rate_goes_upstream_where_that_has_reversed, 2)
{
  AUTO_PLAY play = retro_play_new_plain ("revbuf direction=reverse", N_FRAMES);
  GstElement *second = gst_element_factory_make ("revbuf", NULL);
  g_autoptr (GstStructure) stats = NULL;
  guint64 blocks;

  g_object_set (second, "mode", __i__, NULL);
  retro_play_insert (play, second);
  retro_play_start (play, 5000);
  fail_unless (retro_play_seek_to (play, -1, FLUSH, 0, 40000));
  retro_play_finish (play);
  retro_play_assert_heard (play, TRUE, FALSE, 40000, N_FRAMES);
  g_object_get (second, "stats", &stats, NULL);
  fail_unless (gst_structure_get_uint64 (stats, "blocks", &blocks));
  fail_unless_equals_uint64 (blocks, 0);
}

TEST (negative_rate_is_refused_without_seeks)
{
  RetroPlay *play = retro_play_new_plain ("revbuf", N_FRAMES);

  play->knobs->not_seekable = TRUE;
  retro_play_start (play, 5000);
  fail_if (retro_play_seek_to (play, -1, FLUSH, 0, 40000));
  retro_play_finish_with (play, 0, FALSE, 0, N_FRAMES);
}

TEST (negative_rate_in_a_pause)
{
  RetroPlay *play = retro_play_new_plain ("revbuf", N_FRAMES);

  retro_play_pause (play);
  fail_unless (retro_play_seek_to (play, -1, FLUSH, 0, 40000));
  fail_unless_equals_clocktime (retro_play_position (play), PLAIN_NS (40000));
  retro_play_run (play);
  retro_play_assert_played (play, 1, TRUE, 0, 40000);
}

/* A seek forward to a position must play to the end of the stream, as in
 * players, although the previous seek had a stop. The forward seek is refused
 * if its position is after that stop. */
TEST (forward_after_a_negative_rate)
{
  RetroPlay *play = retro_play_new_plain ("revbuf", N_FRAMES);

  retro_play_start (play, 5000);
  fail_unless (retro_play_seek_to (play, -1, FLUSH, 0, 20000));
  retro_play_go_on (play, 8000);
  fail_if (retro_play_seek_to (play, 1, FLUSH, 50000, -1));
  fail_unless (retro_play_seek_to (play, 1, FLUSH, 10000, -1));
  retro_play_finish (play);
  retro_play_assert_heard (play, TRUE, FALSE, 10000, 20000);
  fail_unless (retro_play_seek (play, 1, FLUSH, SET, PLAIN_NS (50000), SET,
          -1));
  retro_play_finish_with (play, 3, FALSE, 50000, N_FRAMES);
}

/* The application seeks backwards from the reported duration. Playback must begin at the
 * real end, which is later. */
TEST (negative_rate_plays_frames_after_the_duration)
{
  RetroPlay *play = retro_play_new_plain ("revbuf", N_FRAMES);

  play->knobs->duration_ns = PLAIN_NS (N_FRAMES - 700);
  retro_play_start (play, 5000);
  fail_unless (retro_play_seek (play, -1, FLUSH, SET, 0, SET,
          retro_play_duration (play)));
  retro_play_finish_with (play, 1, TRUE, 0, N_FRAMES);
}

/* ---- during other seeks -------------------------------------------------------- */

/* Sends a seek with a negative rate from upstream's streaming thread, before an item is
 * pushed. */
static GstPadProbeReturn
seek_backwards (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  RetroPlay *play = data;
  GstPad *srcpad;

  if (GST_IS_BUFFER (info->data) ? play->source->next_frame < 1000 :
      GST_EVENT_TYPE (info->data) != GST_EVENT_SEGMENT)
    return GST_PAD_PROBE_OK;
  gst_pad_remove_probe (pad, GST_PAD_PROBE_INFO_ID (info));
  srcpad = gst_element_get_static_pad (play->revbuf, "src");
  fail_unless (gst_pad_send_event (srcpad, gst_event_new_seek (-1,
              GST_FORMAT_TIME, FLUSH, SET, 0, SET, PLAIN_NS (40000))));
  gst_object_unref (srcpad);
  return GST_PAD_PROBE_OK;
}

/* The seek is sent before the first segment, before a buffer, or before a buffer that the
 * element would hold because the duration is unknown. */
LOOP_TEST (negative_rate_in_the_streaming_thread, 3)
{
  AUTO_PLAY play = retro_play_new_plain (__i__ == 2 ?
      "revbuf direction=reverse" : "revbuf", N_FRAMES);

  if (__i__ == 2)
    play->knobs->duration_ns = GST_CLOCK_TIME_NONE;
  retro_play_probe (play->source, "src",
      __i__ ? GST_PAD_PROBE_TYPE_BUFFER : GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM,
      seek_backwards, play);
  retro_play_run (play);
  if (__i__ == 2)               /* the rate negates the direction */
    retro_play_assert_heard (play, TRUE, FALSE, 40000, N_FRAMES);
  else
    retro_play_assert_heard (play, TRUE, TRUE, 0, 40000);
  fail_unless (retro_play_stat (play, "blocks") > 0);
}

/* Delays the segment of the first seek until a second seek arrives. */
typedef struct
{
  GMutex lock;
  GCond changed;
  guint seeks;
} Hold;

static GstPadProbeReturn
hold_segment (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  GstEventType type = GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info));
  Hold *hold = data;

  g_mutex_lock (&hold->lock);
  if (type == GST_EVENT_SEEK) {
    hold->seeks++;
    g_cond_broadcast (&hold->changed);
  }
  while (type == GST_EVENT_SEGMENT && hold->seeks == 1)
    g_cond_wait (&hold->changed, &hold->lock);
  g_mutex_unlock (&hold->lock);
  return GST_PAD_PROBE_OK;
}

/* The first seek was forwarded upstream. The flush of the second seek removes
 * the segment of the first seek, so the element must not wait for that
 * segment. */
TEST (negative_rate_before_the_segment_of_another_seek)
{
  RetroPlay *play = retro_play_new_plain ("revbuf", N_FRAMES);
  Hold hold = { 0 };

  retro_play_probe (play->source, "src", GST_PAD_PROBE_TYPE_EVENT_BOTH,
      hold_segment, &hold);
  retro_play_start (play, 5000);
  fail_unless (retro_play_seek (play, 1, FLUSH, SET, PLAIN_NS (30000), SET,
          -1));
  fail_unless (retro_play_seek_to (play, -1, FLUSH, 0, 40000));
  retro_play_finish (play);
  fail_unless (retro_play_stat (play, "blocks") > 0);
  retro_play_assert_played (play, 2, TRUE, 0, 40000);
}

/* ---- before the first data ------------------------------------------------------ */

static GstPadProbeReturn
seek_at_stream_start (GstPad * pad, GstPadProbeInfo * info, gpointer revbuf)
{
  GstPad *srcpad;

  if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) !=
      GST_EVENT_STREAM_START)
    return GST_PAD_PROBE_OK;
  srcpad = gst_element_get_static_pad (revbuf, "src");
  fail_unless (gst_pad_send_event (srcpad, gst_event_new_seek (1,
              GST_FORMAT_TIME, ACCURATE, SET, PLAIN_NS (20000), SET, -1)));
  gst_object_unref (srcpad);
  return GST_PAD_PROBE_REMOVE;
}

static RetroPlay *
play_behind_a_seek (const gchar * description)
{
  RetroPlay *play = retro_play_new_plain (description, N_FRAMES);

  gst_pad_add_probe (GST_BASE_SRC_PAD (play->source),
      GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, seek_at_stream_start, play->revbuf,
      NULL);
  return play;
}

/* If a seek arrives before the first segment, its target is not the beginning
 * of the stream: in reverse, playback goes from the target to the real
 * beginning, and a loop includes the audio before the target. */
LOOP_TEST (a_seek_before_the_first_segment_is_no_beginning, 2)
{
  RetroPlay *play = play_behind_a_seek (__i__ ? "revbuf direction=reverse" :
      "revbuf mode=seek direction=reverse");
  GArray *order = retro_order_new ();

  retro_play_run (play);
  retro_play_assert_heard (play, FALSE, TRUE, 0, 20000);
  retro_play_free (play);

  play = play_behind_a_seek (__i__ ? "revbuf loop=repeat" :
      "revbuf mode=seek loop=repeat");
  retro_play_start (play, 50000);
  retro_play_stop (play);
  retro_order_up (order, 20000, 40000);
  while (order->len < retro_test_frames_out (&play->out))
    retro_order_up (order, 0, N_FRAMES);
  g_array_set_size (order, retro_test_frames_out (&play->out));
  retro_test_assert_order (&play->out, order);
  retro_play_free (play);
}
