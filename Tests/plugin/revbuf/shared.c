/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * revbuf mode=seek next to other branches of the same source. If branches wait for each other
 * indefinitely, revbuf must post a warning. When revbuf has reached its end, it must not block
 * the other branches. Two elements must never seek at the same time.
 */

#include "retrotestplay.h"

#define N_FRAMES 50001
#define END_NS PLAIN_NS (N_FRAMES)
#define DESCRIPTION "revbuf direction=reverse block-time=500000000"

/* Another branch of the same source. It consumes data without waiting. */
typedef struct
{
  GMutex lock;
  GCond changed;
  guint64 frames;               /* since the last flush */
  gboolean eos;
} Branch;

static GstPadProbeReturn
note (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  Branch *branch = data;

  g_mutex_lock (&branch->lock);
  if (info->type & GST_PAD_PROBE_TYPE_BUFFER) {
    branch->frames += gst_buffer_get_size (GST_PAD_PROBE_INFO_BUFFER (info))
        / 8;
  } else {
    GstEventType type = GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info));

    branch->eos |= type == GST_EVENT_EOS;
    if (type == GST_EVENT_FLUSH_STOP) {
      branch->eos = FALSE;
      branch->frames = 0;
    }
  }
  g_cond_broadcast (&branch->changed);
  g_mutex_unlock (&branch->lock);
  return GST_PAD_PROBE_OK;
}

/* Inserts a tee before revbuf, with a second branch that accepts all data, even in
 * PAUSED. */
static void
split (RetroPlay * play, Branch * branch)
{
  GstElement *tee = gst_element_factory_make ("tee", NULL);
  GstElement *other = gst_element_factory_make ("tee", NULL);

  retro_play_probe (other, "sink", GST_PAD_PROBE_TYPE_BUFFER |
      GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM | GST_PAD_PROBE_TYPE_EVENT_FLUSH,
      note, branch);
  g_object_set (other, "allow-not-linked", TRUE, NULL);
  gst_element_unlink (GST_ELEMENT (play->source), play->revbuf);
  gst_bin_add_many (GST_BIN (play->pipeline), tee, other, NULL);
  fail_unless (gst_element_link_many (GST_ELEMENT (play->source), tee,
          play->revbuf, NULL));
  fail_unless (gst_element_link (tee, other));
}

/* ---- after the end --------------------------------------------------------- */

static GstPadProbeReturn
note_end (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  RetroPlay *play = data;
  GstEventType type = GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info));

  if (type == GST_EVENT_EOS || type == GST_EVENT_SEGMENT_DONE) {
    g_mutex_lock (&play->lock);
    g_cond_broadcast (&play->changed);
    g_mutex_unlock (&play->lock);
  }
  return GST_PAD_PROBE_OK;
}

/* Waits until pushes from the source's pad return EOS. A push returns EOS only
 * at the real end of playback, because blocks are fetched by segment seeks,
 * which end without EOS. */
static void
wait_for_end_of_source (RetroPlay * play)
{
  g_mutex_lock (&play->lock);
  while (gst_pad_get_last_flow_return (GST_BASE_SRC_PAD (play->source))
      != GST_FLOW_EOS)
    g_cond_wait (&play->changed, &play->lock);
  g_mutex_unlock (&play->lock);
}

/* At STREAM_START, makes the source look like a demuxer with a second stream: sets the
 * class "Demuxer" and adds a second source pad. */
static GstPadProbeReturn
add_stream (GstPad * pad, GstPadProbeInfo * info, gpointer source)
{
  if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info))
      != GST_EVENT_STREAM_START)
    return GST_PAD_PROBE_OK;
  gst_element_class_set_static_metadata (GST_ELEMENT_GET_CLASS (source),
      "demuxer", "Demuxer", "Two streams", "the tests");
  gst_element_add_pad (source, gst_pad_new ("other", GST_PAD_SRC));
  return GST_PAD_PROBE_REMOVE;
}

/* After the end, revbuf must not block the streaming thread, because a demuxer
 * needs this thread for its other streams. A seek must restart the streaming
 * thread. */
TEST (upstream_is_let_go_after_the_end)
{
  AUTO_PLAY play = retro_play_new_plain (DESCRIPTION, N_FRAMES);

  retro_play_probe (play->source, "src", GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM,
      add_stream, play->source);
  retro_play_probe (play->source, "src", GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM,
      note_end, play);
  retro_play_start (play, 0);
  retro_play_finish (play);
  wait_for_end_of_source (play);

  fail_unless (retro_play_seek (play, 1, GST_SEEK_FLAG_FLUSH,
          GST_SEEK_TYPE_SET, 0, GST_SEEK_TYPE_SET, END_NS));
  retro_play_finish (play);
  wait_for_end_of_source (play);
  retro_play_stop (play);
  retro_play_assert_sound (play, 1, RETRO_PLAY_SOUGHT);
  fail_unless_equals_uint64 (retro_test_frames_out (&play->out), 2 * N_FRAMES);
}

/* When revbuf has reached its end, it must not return GST_FLOW_EOS, because a
 * tee would then end all branches. */
TEST (the_other_branch_of_a_tee_reaches_its_end)
{
  Branch branch = { 0 };
  AUTO_PLAY play = retro_play_new_plain (DESCRIPTION, N_FRAMES);

  split (play, &branch);
  retro_play_run (play);
  g_mutex_lock (&branch.lock);
  while (!branch.eos)
    g_cond_wait (&branch.changed, &branch.lock);
  fail_unless_equals_uint64 (branch.frames, N_FRAMES);
  g_mutex_unlock (&branch.lock);
  retro_play_stop (play);
  retro_test_assert_down (&play->out, 0, N_FRAMES);
}

/* ---- seeks with a negative rate ------------------------------------------------ */

/* Upstream must play backwards for all branches, so that sound and video stay
 * synchronous. */
TEST (a_negative_rate_reaches_the_other_branch)
{
  Branch branch = { 0 };
  AUTO_PLAY play = retro_play_new_plain ("revbuf", N_FRAMES);

  split (play, &branch);
  retro_play_start (play, 5000);
  fail_unless (retro_play_seek (play, -1, GST_SEEK_FLAG_FLUSH,
          GST_SEEK_TYPE_SET, 0, GST_SEEK_TYPE_SET, PLAIN_NS (40000)));
  retro_play_finish (play);
  g_mutex_lock (&branch.lock);
  while (!branch.eos)
    g_cond_wait (&branch.changed, &branch.lock);
  fail_unless_equals_uint64 (branch.frames, 40000);
  g_mutex_unlock (&branch.lock);
  retro_play_stop (play);
  fail_unless_equals_int (g_atomic_int_get (&play->source->seeks), 1);
  fail_unless_equals_uint64 (retro_play_stat (play, "blocks"), 0);
  retro_play_assert_sound (play, 1, RETRO_PLAY_SOUGHT);
  fail_unless_equals_uint64 (retro_test_frames_out (&play->out), 5000 + 40000);
}

/* ---- two elements that seek ------------------------------------------------------ */

/* Counts the seeks that are sent without the lock of the pipeline. */
static GstPadProbeReturn
look_at_lock (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  RetroPlay *play = data;
  GMutex *lock = g_object_get_qdata (G_OBJECT (play->pipeline),
      g_quark_from_static_string ("retrograde-seeks"));

  if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) == GST_EVENT_SEEK
      && (lock == NULL || g_mutex_trylock (lock)))
    g_atomic_int_inc ((gint *) play->watch_data);
  return GST_PAD_PROBE_OK;
}

/* Two simultaneous flushes could block a queue indefinitely, so one element must wait for
 * the other. */
TEST (two_never_seek_at_the_same_time)
{
  RetroPlay *play = retro_play_new_plain (DESCRIPTION, N_FRAMES);
  GstElement *tee = gst_element_factory_make ("tee", NULL);
  GstElement *queue = gst_element_factory_make ("queue", NULL);
  GstElement *other = gst_parse_bin_from_description ("queue ! " DESCRIPTION
      " ! fakesink async=false", TRUE, NULL);
  gint unlocked = 0;            /* atomic */
  gchar *sentence;

  gst_element_unlink (GST_ELEMENT (play->source), play->revbuf);
  gst_bin_add_many (GST_BIN (play->pipeline), tee, queue, other, NULL);
  fail_unless (gst_element_link_many (GST_ELEMENT (play->source), tee, queue,
          play->revbuf, NULL));
  fail_unless (gst_element_link (tee, other));
  play->watch_data = &unlocked;
  retro_play_probe (play->source, "src", GST_PAD_PROBE_TYPE_EVENT_UPSTREAM,
      look_at_lock, play);

  retro_play_set_state (play, GST_STATE_PLAYING);
  sentence = retro_play_wait_sentence (play, GST_MESSAGE_ERROR);
  fail_unless (g_str_has_prefix (sentence, "Another revbuf seeks"));
  g_free (sentence);
  retro_play_free (play);
  fail_unless_equals_int (unlocked, 0);
}

/* ---- indefinite waiting ----------------------------------------------------- */

#define ADVICE "reverse it before the stream is split"

/* Blocks the source after the second seek. */
static GstPadProbeReturn
stop (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  return ((RetroTestSource *) data)->take < 2 ? GST_PAD_PROBE_PASS :
      GST_PAD_PROBE_OK;
}

/* Upstream blocks, as if it had to send data to another branch first. revbuf warns after 5 s, so
 * this isn't run by default. */
SOME_TEST (a_wait_for_upstream_is_reported_once, 0, 1)
{
  AUTO_PLAY play = retro_play_new_plain (DESCRIPTION, N_FRAMES);

  retro_play_probe (play->source, "src",
      GST_PAD_PROBE_TYPE_BLOCK | GST_PAD_PROBE_TYPE_BUFFER, stop, play->source);
  retro_play_set_state (play, GST_STATE_PAUSED);
  retro_play_assert_says (play, GST_MESSAGE_WARNING, ADVICE);
  fail_unless (gst_bus_timed_pop_filtered (play->out.bus, 7 * GST_SECOND,
          GST_MESSAGE_WARNING) == NULL);
}

/* Downstream blocks, like a muxer that needs data from another branch first, and so does revbuf. */
SOME_TEST (a_wait_for_downstream_is_reported_if_the_source_is_shared, 0, 1)
{
  Branch branch = { 0 };
  AUTO_PLAY play = retro_play_new_plain (DESCRIPTION, N_FRAMES);

  split (play, &branch);
  retro_play_start (play, 20000);
  retro_play_assert_says (play, GST_MESSAGE_WARNING, ADVICE);
  retro_play_finish (play);
}
