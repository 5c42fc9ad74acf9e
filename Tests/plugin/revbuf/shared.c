/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * revbuf mode=seek next to other branches of the same source. If branches wait for each other
 * indefinitely, revbuf must post a warning. When revbuf has reached its end, it must not block
 * the other branches. Two elements must never seek at the same time.
 */

#include "retrotestplay.h"

#include <gst/check/gsttestclock.h>
#include <string.h>

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
  AUTO_PLAY play = retro_play_new_plain (DESCRIPTION, N_FRAMES);
  Branch branch = { 0 };

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
  AUTO_PLAY play = retro_play_new_plain ("revbuf", N_FRAMES);
  Branch branch = { 0 };

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

/* Replaces the system clock with a test clock. */
static GstClock *
begin_time (void)
{
  GstClock *clock = gst_test_clock_new ();

  gst_system_clock_set_default (clock);
  return clock;
}

static void
end_time (GstClock * clock)
{
  gst_system_clock_set_default (NULL);
  gst_object_unref (clock);
}

/* Lets the element check @n times whether playback makes progress. */
static void
let_look (GstClock * clock, guint n)
{
  for (; n > 0; n--) {
    gst_test_clock_wait_for_next_pending_id (GST_TEST_CLOCK (clock), NULL);
    gst_test_clock_advance_time (GST_TEST_CLOCK (clock), GST_SECOND);
    fail_unless (gst_test_clock_crank (GST_TEST_CLOCK (clock)));
  }
}

/* Advances the clock from one progress check to the next, until the warning is posted. */
static void
wait_until_told (RetroPlay * play, GstClock * clock, const gchar * advice)
{
  g_autoptr (GstMessage) message = NULL;
  g_autoptr (GError) error = NULL;

  do {
    let_look (clock, 1);
    message = retro_test_pop_message (&play->out, GST_MESSAGE_WARNING);
  } while (message == NULL);
  gst_message_parse_warning (message, &error, NULL);
  fail_unless (strstr (error->message, advice) != NULL,
      "'%s' does not say '%s'", error->message, advice);
}

static void
assert_not_told (RetroPlay * play, GstClock * clock)
{
  let_look (clock, 20);
  fail_unless (retro_test_pop_message (&play->out, GST_MESSAGE_WARNING)
      == NULL);
}

#define ADVICE_SPLIT "reverse it before the stream is split"

/* The state of a source that stops sending. */
typedef struct
{
  RetroTestSource *source;
  GMutex lock;
  GCond changed;
  guint buffers;                /* how many it has sent */
  gboolean stopped;
} Upstream;

/* Blocks the source after the second seek or, if there are no seeks, at the fourth
 * buffer. */
static GstPadProbeReturn
stop (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  Upstream *upstream = data;
  gboolean passes;

  g_mutex_lock (&upstream->lock);
  passes = upstream->source->take < 2 && upstream->buffers < 3;
  upstream->buffers += passes;
  upstream->stopped |= !passes;
  g_cond_broadcast (&upstream->changed);
  g_mutex_unlock (&upstream->lock);
  return passes ? GST_PAD_PROBE_PASS : GST_PAD_PROBE_OK;
}

/* Waits until the source is blocked. Otherwise the test clock would advance before the
 * buffers arrive. */
static void
wait_until_stopped (Upstream * upstream)
{
  g_mutex_lock (&upstream->lock);
  while (!upstream->stopped)
    g_cond_wait (&upstream->changed, &upstream->lock);
  g_mutex_unlock (&upstream->lock);
}

/* Sends the caps again before the second buffer. */
static GstPadProbeReturn
repeat_caps (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  GstCaps *caps;

  if (((Upstream *) data)->buffers < 2)
    return GST_PAD_PROBE_OK;
  caps = gst_pad_get_current_caps (pad);
  fail_unless (gst_pad_push_event (pad, gst_event_new_caps (caps)));
  gst_caps_unref (caps);
  return GST_PAD_PROBE_REMOVE;
}

/* Upstream blocks, as if it had to send data to another branch first. In some
 * cases, the end of the stream is not known yet, or a second CAPS event arrives
 * before the warning. revbuf must post exactly one warning. */
LOOP_TEST (a_wait_for_upstream_is_reported_once, 4)
{
  static const gchar *const modes[] = { "auto", "collect", "auto", "collect" };
  static const gchar *const advice[] = {
    ADVICE_SPLIT, "put a queue with max-size-buffers=0", ADVICE_SPLIT,
    "put a queue with max-size-buffers=0"
  };
  GstClock *clock = begin_time ();
  gchar *description = g_strdup_printf (DESCRIPTION " mode=%s", modes[__i__]);
  RetroPlay *play = retro_play_new_plain (description, N_FRAMES);
  GstPad *pad = gst_element_get_static_pad (GST_ELEMENT (play->source), "src");
  Upstream upstream = {.source = play->source };

  if (__i__ == 2)
    play->knobs->duration_ns = GST_CLOCK_TIME_NONE;
  if (__i__ == 3)
    gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, repeat_caps, &upstream,
        NULL);
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BLOCK | GST_PAD_PROBE_TYPE_BUFFER,
      stop, &upstream, NULL);
  retro_play_set_state (play, GST_STATE_PAUSED);
  wait_until_stopped (&upstream);
  wait_until_told (play, clock, advice[__i__]);
  assert_not_told (play, clock);
  retro_play_free (play);
  gst_object_unref (pad);
  g_free (description);
  end_time (clock);
}

/* Downstream blocks, like a muxer that needs data from another branch first. If
 * revbuf is the only branch of the source, downstream cannot be waiting for
 * another branch, and revbuf must not post a warning. The stream is one block,
 * so no fetch is in progress. */
LOOP_TEST (a_wait_for_downstream_is_reported_if_the_source_is_shared, 2)
{
  GstClock *clock = begin_time ();
  RetroPlay *play = retro_play_new_plain (DESCRIPTION, 3000);
  Branch branch = { 0 };

  if (__i__)
    split (play, &branch);
  retro_play_start (play, 320);
  if (__i__)
    wait_until_told (play, clock, ADVICE_SPLIT);
  assert_not_told (play, clock);
  retro_play_finish (play);
  retro_play_free (play);
  end_time (clock);
}

/* In PAUSED, the pipeline waits for the application, so revbuf must not post a
 * warning. */
TEST (a_pause_is_no_wait)
{
  GstClock *clock = begin_time ();
  RetroPlay *play = retro_play_new_plain (DESCRIPTION, N_FRAMES);
  Branch branch = { 0 };

  split (play, &branch);
  retro_play_pause (play);
  assert_not_told (play, clock);
  retro_play_free (play);
  end_time (clock);
}
