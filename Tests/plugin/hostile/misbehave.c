/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * revbuf after a faulty source: it must output all frames in descending order, or post an
 * error that says why not. Nothing may hang.
 */

#include "retrotestplay.h"

#include <string.h>

/* several blocks of 300 ms, at 8000 frames per second */
#define N_FRAMES 20000

static const gchar *const descriptions[] = {
  "revbuf direction=reverse block-time=300000000",
  "revbuf direction=reverse mode=seek block-time=300000000"
};

/* Plays the whole stream. Asserts that the output is correct, and that there is an
 * error message if it is incomplete. If @may_fail is FALSE, there must be no error. */
static void
assert_plays_or_says_why (RetroPlay * play, guint64 n_frames,
    gboolean may_fail, const gchar * what)
{
  guint64 heard;
  g_autofree gchar *sentence = NULL;

  retro_play_run (play);
  sentence = retro_play_pop_sentence (play, GST_MESSAGE_ERROR); /* this must be before the
                                                                 * pipeline is stopped, which
                                                                 * clears the bus */
  retro_play_stop (play);
  heard = retro_test_frames_out (&play->out);
  fail_unless (heard == n_frames || sentence != NULL,
      "%s: %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT
      " frames, and not a word", what, heard, n_frames);
  fail_unless (may_fail || sentence == NULL, "%s: %s", what, sentence);
  fail_unless (heard <= n_frames, "%s: %" G_GUINT64_FORMAT " frames", what,
      heard);
  if (heard > 0)
    retro_test_assert_down (&play->out, n_frames - heard, heard);
  fail_unless_equals_int (retro_test_n_events (&play->out, GST_EVENT_EOS), 1);
}

/* ---- faulty events --------------------------------------------------------- */

/* Some real elements recreate, duplicate or delay events in these ways. */
typedef enum
{
  NEW_SEQNUMS,                  /* every event has a new sequence number */
  NEW_SEGMENT_SEQNUMS,          /* every segment has one, as from auparse */
  NEW_FLUSH_SEQNUMS,
  SAME_SEQNUMS,                 /* every event has the sequence number of the first one */
  STALE_SEQNUMS,                /* … of the previous seek */
  SEGMENT_TWICE,
  OTHER_SEGMENT,                /* a segment of the whole stream comes before every segment */
  FLUSH_TWICE,                  /* a seek flushes a second time before its segment */
  LATE_SEEK,                    /* a seek is performed by another thread */
  NO_FLUSH,
  N_FAULTS
} Fault;

/* @last_seqnum is the sequence number of the last seek, @before_seqnum that of the seek
 * before it. */
typedef struct
{
  Fault fault;
  GstPad *pad;
  GThreadPool *late;
  gint first_seqnum, last_seqnum, before_seqnum;
} Faults;

/* Set while this thread sends an additional event. The probe must not process such an
 * event again. */
static GPrivate sends_own;

static void
send_own (Faults * self, GstEvent * event, guint32 seqnum)
{
  gst_event_set_seqnum (event, seqnum);
  g_private_set (&sends_own, GINT_TO_POINTER (1));
  gst_pad_push_event (self->pad, event);
  g_private_set (&sends_own, NULL);
}

/* The sequence number that @event must get. Most events keep their own. */
static guint32
seqnum_of (Faults * self, GstEvent * event)
{
  gboolean is_flush = GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_START
      || GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_STOP;
  gboolean is_segment = GST_EVENT_TYPE (event) == GST_EVENT_SEGMENT;
  guint32 seqnum = gst_event_get_seqnum (event);

  if (self->fault == NEW_SEQNUMS
      || (self->fault == NEW_SEGMENT_SEQNUMS && is_segment)
      || (self->fault == NEW_FLUSH_SEQNUMS && is_flush))
    return gst_util_seqnum_next ();
  if (self->fault == SAME_SEQNUMS) {
    g_atomic_int_compare_and_exchange (&self->first_seqnum, 0, seqnum);
    return g_atomic_int_get (&self->first_seqnum);
  }
  if (self->fault == STALE_SEQNUMS
      && g_atomic_int_get (&self->before_seqnum) != 0)
    return g_atomic_int_get (&self->before_seqnum);
  return seqnum;
}

/* A flush removes the segment from the pad, so @event is sent again after a second flush. */
static GstPadProbeReturn
on_segment (Faults * self, GstEvent * event)
{
  guint32 seqnum = gst_event_get_seqnum (event);
  GstSegment whole;

  if (self->fault == SEGMENT_TWICE) {
    send_own (self, gst_event_copy (event), seqnum);
  } else if (self->fault == OTHER_SEGMENT) {
    gst_event_copy_segment (event, &whole);
    whole.start = whole.time = whole.position = 0;
    whole.stop = GST_CLOCK_TIME_NONE;
    send_own (self, gst_event_new_segment (&whole), seqnum);
  } else if (self->fault == FLUSH_TWICE
      && g_atomic_int_get (&self->last_seqnum) != 0) {
    send_own (self, gst_event_new_flush_start (), seqnum);
    send_own (self, gst_event_new_flush_stop (TRUE), seqnum);
    send_own (self, gst_event_copy (event), seqnum);
    return GST_PAD_PROBE_DROP;
  }
  return GST_PAD_PROBE_OK;
}

static GstPadProbeReturn
on_event (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  Faults *self = data;
  GstEvent *event = GST_PAD_PROBE_INFO_EVENT (info);
  guint32 seqnum;

  if (g_private_get (&sends_own) != NULL)
    return GST_PAD_PROBE_OK;
  if (GST_EVENT_TYPE (event) == GST_EVENT_SEEK) {
    g_atomic_int_set (&self->before_seqnum, g_atomic_int_get
        (&self->last_seqnum));
    g_atomic_int_set (&self->last_seqnum, gst_event_get_seqnum (event));
    if (self->late == NULL)
      return GST_PAD_PROBE_OK;
    g_thread_pool_push (self->late, event, NULL);
    return GST_PAD_PROBE_HANDLED;       /* the thread pool owns the event now */
  }
  if (self->fault == NO_FLUSH && (GST_EVENT_TYPE (event)
          == GST_EVENT_FLUSH_START
          || GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_STOP))
    return GST_PAD_PROBE_DROP;
  if (GST_EVENT_TYPE (event) == GST_EVENT_SEGMENT
      && on_segment (self, event) == GST_PAD_PROBE_DROP)
    return GST_PAD_PROBE_DROP;
  seqnum = seqnum_of (self, event);
  if (seqnum != gst_event_get_seqnum (event)) {
    GST_PAD_PROBE_INFO_DATA (info) = gst_event_copy (event);
    gst_event_unref (event);
    gst_event_set_seqnum (GST_PAD_PROBE_INFO_EVENT (info), seqnum);
  }
  return GST_PAD_PROBE_OK;
}

static void
seek_late (gpointer event, gpointer pad)
{
  gst_element_send_event (GST_PAD_PARENT (pad), event);
}

/* Applies the fault of @self to the events of the source. */
static void
begin_faults (Faults * self, RetroTestSource * source)
{
  self->pad = GST_BASE_SRC_PAD (source);
  if (self->fault == LATE_SEEK)
    self->late = g_thread_pool_new (seek_late, self->pad, 1, TRUE, NULL);
  gst_pad_add_probe (self->pad,
      GST_PAD_PROBE_TYPE_EVENT_BOTH | GST_PAD_PROBE_TYPE_EVENT_FLUSH, on_event,
      self, NULL);
}

/* Stops @play, and the thread of its late seeks. */
static void
end_faults (Faults * self, RetroPlay * play)
{
  retro_play_stop (play);
  if (self->late != NULL)
    g_thread_pool_free (self->late, FALSE, TRUE);
  retro_play_free (play);
}

/* Wrong or additional events must not affect the output: all frames are output. */
LOOP_TEST (events_may_be_odd, 2 * N_FAULTS)
{
  RetroPlay *play = retro_play_new_plain (descriptions[__i__ % 2], N_FRAMES);
  Faults faults = {.fault = __i__ / 2 };

  begin_faults (&faults, play->source);
  assert_plays_or_says_why (play, N_FRAMES, FALSE, descriptions[__i__ % 2]);
  end_faults (&faults, play);
}

/* Wrong or additional events must not affect a change of direction. */
LOOP_TEST (events_may_be_odd_at_a_turn, N_FAULTS)
{
  RetroPlay *play = retro_play_new_plain ("revbuf block-time=300000000",
      N_FRAMES);
  g_autofree gchar *sentence = NULL;
  g_autoptr (GArray) heard = NULL;
  Faults faults = {.fault = __i__ };
  guint64 i, n;

  begin_faults (&faults, play->source);
  retro_play_start (play, 10000);
  retro_play_set_reverse (play, TRUE);
  retro_play_finish (play);
  sentence = retro_play_pop_sentence (play, GST_MESSAGE_ERROR);
  retro_play_stop (play);
  fail_unless (sentence == NULL, "%s", sentence);
  /* The frame numbers rise until the direction changes, and then fall to 0. The
   * change may be late by one buffer, which was in the queue. */
  heard = retro_play_heard (play);
  n = (heard->len + 1) / 2;
  fail_unless (n >= 10000 && heard->len == 2 * n - 1, "%u frames", heard->len);
  for (i = 0; i < heard->len; i++)
    fail_unless_equals_uint64 (g_array_index (heard, guint64, i),
        i < n ? i : 2 * n - 2 - i);
  end_faults (&faults, play);
}

/* Upstream's events do not have the sequence number of the application's seek. Still, the element
 * must attribute each segment to the seek whose flush preceded the segment. */
LOOP_TEST (events_may_be_odd_at_a_seek, 2)
{
  RetroPlay *play = retro_play_new_plain (__i__ ? "revbuf mode=seek" :
      descriptions[0], N_FRAMES);
  Faults faults = {.fault = NEW_SEQNUMS };

  begin_faults (&faults, play->source);
  retro_play_start (play, 640);
  fail_unless (retro_play_seek_to (play, __i__ ? -1 : 1, GST_SEEK_FLAG_FLUSH,
          100, 15000));
  retro_play_finish_with (play, 1, TRUE, 100, 15000);
}

/* Runs that begin with a seek end early, but the first run, which began without
 * a seek, ended later. So the element knows that audio is missing, and must
 * post an error. */
LOOP_TEST (runs_that_end_before_the_start_does_are_reported, 4)
{
  AUTO_PLAY play = retro_play_new_plain (descriptions[__i__ % 2], N_FRAMES);

  play->knobs->breaks_at_frame = __i__ < 2 ? 1000 : 5000;
  play->knobs->breaks_in_take = 1;
  assert_plays_or_says_why (play, N_FRAMES, TRUE, descriptions[__i__ % 2]);
}

/* ---- messages about an early end -------------------------------------------- */

#define SAYS_THE_END "ended at 1.875 s" /* 15000 frames */

/* Plays the stream. Asserts that all @n_frames frames are output, and that there is
 * exactly one warning about the early end if @is_told is TRUE, otherwise none. */
static void
assert_word (RetroPlay * play, gboolean is_told, guint64 n_frames,
    const gchar * what)
{
  gchar *first, *second;

  retro_play_run (play);
  first = retro_play_pop_sentence (play, GST_MESSAGE_WARNING);
  second = retro_play_pop_sentence (play, GST_MESSAGE_WARNING);
  retro_play_stop (play);
  fail_unless (is_told == (first != NULL && strstr (first, SAYS_THE_END)),
      "%s: %s", what, first);
  fail_unless (is_told || first == NULL, "%s: %s", what, first);
  fail_unless (second == NULL, "%s: also: %s", what, second);
  fail_unless_equals_uint64 (retro_test_frames_out (&play->out), n_frames);
  g_free (first);
  retro_play_free (play);
}

/* A stream of 20000 frames in which run number @take and all later runs end at
 * frame 15000. A run is the audio from the start or from a seek up to the next
 * seek. Run 0 is the audio before the first seek. */
static RetroPlay *
play_to_15000 (const gchar * description, guint take)
{
  RetroPlay *play = retro_play_new_plain (description, N_FRAMES);

  play->knobs->duration_ns = N_FRAMES * (GST_SECOND / 8000);
  play->knobs->breaks_at_frame = 15000;
  play->knobs->breaks_in_take = take;
  return play;
}

LOOP_TEST (an_early_end_is_reported, 6)
{
  const gchar *description = descriptions[__i__ % 2];

  assert_word (play_to_15000 (description, __i__ / 2), TRUE, 15000,
      description);
}

/* No warning may be posted if less than half a second is missing, or if the duration
 * was an estimate that changes. */
LOOP_TEST (an_unexpected_end_without_a_duration_is_not_reported, 4)
{
  RetroPlay *play = play_to_15000 (descriptions[__i__ % 2], 1);

  play->knobs->duration_ns = 15000 * (GST_SECOND / 8000);
  if (__i__ / 2 == 0)
    play->knobs->duration_ns += 499 * GST_MSECOND;
  else
    play->knobs->duration_drift_ns = GST_MSECOND;
  assert_word (play, FALSE, 15000, descriptions[__i__ % 2]);
}
