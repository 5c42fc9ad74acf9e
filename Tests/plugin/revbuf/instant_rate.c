/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * revbuf mode=seek: instant rate changes during playback. It doesn't send any audio again, but
 * asks the sink to play faster, as other elements that handle seeks do.
 */

#include "retrotestplay.h"

#define N_FRAMES 60000
#define INSTANT GST_SEEK_FLAG_INSTANT_RATE_CHANGE

/* Sends an instant change to the pipeline. Returns whether it is accepted. */
static gboolean
change (RetroPlay * play, gdouble rate, guint32 * seqnum)
{
  GstEvent *seek = gst_event_new_seek (rate, GST_FORMAT_TIME, INSTANT,
      GST_SEEK_TYPE_NONE, 0, GST_SEEK_TYPE_NONE, 0);

  *seqnum = gst_event_get_seqnum (seek);
  return gst_element_send_event (play->pipeline, seek);
}

/* Counts the instant changes that reach the source. */
static GstPadProbeReturn
count (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  GstEvent *event = GST_PAD_PROBE_INFO_EVENT (info);
  GstSeekFlags flags;

  if (GST_EVENT_TYPE (event) != GST_EVENT_SEEK)
    return GST_PAD_PROBE_OK;
  gst_event_parse_seek (event, NULL, NULL, &flags, NULL, NULL, NULL, NULL);
  if (flags & INSTANT)
    g_atomic_int_inc ((gint *) data);
  return GST_PAD_PROBE_OK;
}

/* Asserts that instant change number @n was sent with @multiplier and @seqnum. */
static void
assert_sent (RetroPlay * play, guint n, gdouble multiplier, guint32 seqnum)
{
  GstEvent *event;
  gdouble sent;

  fail_unless (retro_test_n_events (&play->out,
          GST_EVENT_INSTANT_RATE_CHANGE) > n, "no instant change was sent");
  event = retro_test_nth_event (&play->out, GST_EVENT_INSTANT_RATE_CHANGE, n);
  gst_event_parse_instant_rate_change (event, &sent, NULL);
  fail_unless_equals_float (sent, multiplier);
  fail_unless_equals_uint64 (gst_event_get_seqnum (event), seqnum);
}

static const gchar *const playing[] = { "revbuf mode=seek direction=reverse",
  "revbuf direction=reverse block-time=300000000"
};

/* Given a stream that plays backwards. When the rate changes instantly, twice, then both changes
 * are sent as multiples of the segment's rate, the source isn't asked for anything, and the audio
 * continues without a flush or a segment. */
LOOP_TEST (a_change_is_sent_and_the_audio_continues, G_N_ELEMENTS (playing))
{
  AUTO_PLAY play = retro_play_new_plain (playing[__i__], N_FRAMES);
  guint32 seqnums[2];
  guint n_sent;
  gint n_upstream = 0;

  retro_play_probe (play->source, "src", GST_PAD_PROBE_TYPE_EVENT_UPSTREAM,
      count, &n_upstream);
  retro_play_start (play, 3200);
  fail_unless (change (play, 2, &seqnums[0]));
  retro_play_go_on (play, 6400);
  fail_unless (change (play, 0.5, &seqnums[1]));
  retro_play_finish (play);
  retro_play_stop (play);
  fail_unless_equals_int (g_atomic_int_get (&n_upstream), 0);
  /* GstPad may send a sticky event again before the next buffer */
  n_sent = retro_test_n_events (&play->out, GST_EVENT_INSTANT_RATE_CHANGE);
  fail_unless (n_sent >= 2 && n_sent <= 4, "%u changes", n_sent);
  assert_sent (play, 0, 2, seqnums[0]);
  assert_sent (play, n_sent - 1, 0.5, seqnums[1]);
  fail_unless_equals_int (retro_test_n_events (&play->out, GST_EVENT_SEGMENT),
      1);
  retro_test_assert_down (&play->out, 0, N_FRAMES);
}

static const struct
{
  const gchar *description;
  gdouble sought, instant;      /* rates of a seek, and of the instant change after it */
  gdouble multiplier;           /* 0: it is refused, because the sign differs */
} rates[] = {
  {"revbuf direction=reverse", 1, 3, 3},
  {"revbuf direction=reverse", 2, 3, 1.5},
  {"revbuf direction=reverse", 1, -2, 0},
  {"revbuf mode=seek", -1, -2, 2},
  {"revbuf mode=seek", -2, -1, 0.5},
  {"revbuf mode=seek", -1, 2, 0},
  {"revbuf loop=repeat", 2, 1, 0.5},
};

/* Given a stream that plays after a seek. When the rate changes instantly, then it must have the
 * same sign as the application's last seek. A refused change changes nothing. */
LOOP_TEST (a_change_keeps_the_sign, G_N_ELEMENTS (rates))
{
  AUTO_PLAY play = retro_play_new_plain (rates[__i__].description, N_FRAMES);
  gboolean accepted = rates[__i__].multiplier != 0;
  guint32 seqnum;

  retro_play_start (play, 3200);
  fail_unless (retro_play_seek (play, rates[__i__].sought,
          GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_ACCURATE, GST_SEEK_TYPE_SET, 0,
          GST_SEEK_TYPE_SET, PLAIN_NS (40000)));
  retro_play_go_on (play, play->frames_out + 3200);
  fail_unless_equals_int (change (play, rates[__i__].instant, &seqnum),
      accepted);
  retro_play_go_on (play, play->frames_out + 3200);
  retro_play_stop (play);
  if (accepted)
    assert_sent (play, 0, rates[__i__].multiplier, seqnum);
  else
    fail_unless_equals_int (retro_test_n_events (&play->out,
            GST_EVENT_INSTANT_RATE_CHANGE), 0);
}

/* Given an instant change while the stream plays backwards. When a seek follows, then playback
 * goes to its target, and everything from there is played. */
TEST (a_seek_after_a_change_leads_to_its_target)
{
  RetroPlay *play = retro_play_new_plain ("revbuf direction=reverse", N_FRAMES);
  guint32 seqnum;

  retro_play_start (play, 3200);
  fail_unless (change (play, 2, &seqnum));
  retro_play_go_on (play, 6400);
  fail_unless (retro_play_seek (play, 1, GST_SEEK_FLAG_FLUSH
          | GST_SEEK_FLAG_ACCURATE, GST_SEEK_TYPE_SET, PLAIN_NS (20000),
          GST_SEEK_TYPE_NONE, -1));
  fail_unless_equals_clocktime (retro_play_position (play), PLAIN_NS (20000));
  retro_play_finish_with (play, 1, TRUE, 0, 20000);
}
