/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * revbuf: if an application sends EOS, as gst-launch-1.0 -e does, the output must end soon and
 * cleanly, so that a file gets finished.
 */

#include "retrotestplay.h"

#define N_FRAMES 60000
#define BLOCK 2400              /* frames in 300 ms */
#define BLOCK_TIME "block-time=300000000"
#define BUFFER 320              /* frames in 40 ms, the longest buffer of the output */

typedef struct
{
  RetroPlay *play;
  gint take;                    /* the run of the source in which the application sends EOS */
  guint64 heard;                /* frames that had been output when the element learned of it.
                                 * G_MAXUINT64: not yet */
} Stop;

/* Asserts that the output ended at most one block after it had @heard frames, with one EOS and no
 * error, and that what has been output is right. */
static void
assert_stopped (RetroPlay * play, const guint64 * known)
{
  guint64 n_frames, heard;

  fail_unless_equals_int (retro_test_take_messages (&play->out,
          GST_MESSAGE_ERROR), 0);
  retro_play_stop (play);
  n_frames = retro_test_frames_out (&play->out);
  heard = *known;               /* no thread sets it any more */
  fail_unless (n_frames >= heard && n_frames <= heard + BLOCK + BUFFER,
      "%" G_GUINT64_FORMAT " frames were output after %" G_GUINT64_FORMAT,
      n_frames - heard, heard);
  fail_unless_equals_int (retro_test_n_events (&play->out, GST_EVENT_EOS), 1);
}

/* ---- push mode ------------------------------------------------------------------ */

/* Sends EOS from the source's thread, when the run is being sent. */
static GstPadProbeReturn
send_eos_in_take (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  Stop *stop = data;

  if (stop->heard != G_MAXUINT64 || stop->play->source->take < stop->take)
    return GST_PAD_PROBE_OK;
  fail_unless (gst_pad_push_event (pad, gst_event_new_eos ()));
  g_mutex_lock (&stop->play->lock);
  stop->heard = stop->play->frames_out;
  g_mutex_unlock (&stop->play->lock);
  return GST_PAD_PROBE_DROP;
}

static const gchar *const fetching[] = {
  "revbuf mode=seek direction=reverse " BLOCK_TIME,
  "revbuf mode=seek loop=repeat " BLOCK_TIME,
  "revbuf mode=seek loop=ping-pong " BLOCK_TIME
};

/* Given a source in push mode, whose audio is being fetched. When EOS is sent in the middle of
 * any run, then the output ends at most one block later. */
SOME_TEST (eos_in_a_run_ends_the_output, 4, 3 * G_N_ELEMENTS (fetching))
{
  static const gint takes[] = { 2, 3, 7 };
  AUTO_PLAY play = retro_play_new_plain (fetching[__i__ / 3], N_FRAMES);
  Stop stop = { play, takes[__i__ % 3], G_MAXUINT64 };

  retro_play_probe (play->source, "src", GST_PAD_PROBE_TYPE_BUFFER,
      send_eos_in_take, &stop);
  retro_play_run_within (play, 8 * N_FRAMES);
  assert_stopped (play, &stop.heard);
  if (__i__ / 3 == 0)
    retro_test_assert_down (&play->out, N_FRAMES
        - retro_test_frames_out (&play->out),
        retro_test_frames_out (&play->out));
}

static gpointer
send_eos (gpointer pipeline)
{
  fail_unless (gst_element_send_event (pipeline, gst_event_new_eos ()));
  return NULL;
}

/* Given a source in push mode, while the output is held and no run is being fetched. When the
 * application sends EOS, then the output ends at most one block later. */
TEST (eos_between_runs_ends_the_output)
{
  AUTO_PLAY play = retro_play_new_plain (fetching[0], N_FRAMES);
  g_autoptr (GAsyncQueue) unlocked = g_async_queue_new ();
  guint64 heard;
  GThread *thread;

  retro_play_start (play, 12800);
  heard = play->frames_out;
  play->knobs->unlocked = unlocked;
  /* the source may be able to send the event only when it is asked for more audio */
  thread = g_thread_new ("application", send_eos, play->pipeline);
  g_async_queue_pop (unlocked);
  retro_play_finish (play);
  g_thread_join (thread);
  assert_stopped (play, &heard);
}

/* ---- pull mode ------------------------------------------------------------------- */

/* In pull mode, a source keeps the event until its demuxer reads, and forgets it at the next
 * flush, which is part of a fetch. So nothing reaches the element from upstream. A pipeline sends
 * the event to all its sources. */
static void
hide_source (RetroPlay * play)
{
  GST_OBJECT_FLAG_UNSET (play->source, GST_ELEMENT_FLAG_SOURCE);
}

/* Given a source that does not pass EOS on. When the application sends EOS to the pipeline, or to
 * the element, then the output ends at most one block later. */
LOOP_TEST (eos_that_upstream_keeps_ends_the_output, 2 * G_N_ELEMENTS (fetching))
{
  AUTO_PLAY play = retro_play_new_plain (fetching[__i__ / 2], N_FRAMES);
  guint64 heard;

  hide_source (play);
  /* in the second pass, if there is a loop */
  retro_play_start (play, __i__ / 2 == 0 ? 12800 : N_FRAMES + 12800);
  heard = play->frames_out;
  fail_unless (gst_element_send_event (__i__ % 2 ? play->revbuf :
          play->pipeline, gst_event_new_eos ()));
  retro_play_run_within (play, 3 * N_FRAMES);
  assert_stopped (play, &heard);
}
