/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * revbuf: seeks to the very end, to play backwards from there.
 */

#include "retrotestplay.h"

#define N_FRAMES 24001
#define ODD_RATE 7919           /* at this rate, the stream does not last a whole number of ns */
#define ACCURATE (GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_ACCURATE)

static const gchar *const modes[] = { "revbuf mode=seek", "revbuf mode=auto",
  "revbuf mode=collect"
};

/* How an application asks for the end: by a time after the duration that upstream reports, or
 * relative to the end. */
static const struct
{
  GstSeekType type;
  gint64 offset_ns;
} ends[] = {
  {GST_SEEK_TYPE_SET, 0}, {GST_SEEK_TYPE_SET, 1}, {GST_SEEK_TYPE_SET,
      GST_SECOND}, {GST_SEEK_TYPE_END, 0}
};

/* Some demuxers round a duration down, and others round it up. */
static RetroPlay *
new_play (const gchar * description, gboolean rounds_up)
{
  GstAudioInfo info =
      retro_test_info (GST_AUDIO_FORMAT_S32, INTERLEAVED, ODD_RATE, 2);
  RetroPlay *play = retro_play_new (description, &info, N_FRAMES);

  play->knobs->duration_ns += rounds_up;
  return play;
}

/* Given a stream that is paused at its beginning, and then set to reverse. When an accurate seek
 * goes to the end, then all frames are output backwards. */
LOOP_TEST (from_the_end_all_frames_are_played,
    2 * G_N_ELEMENTS (ends) * G_N_ELEMENTS (modes))
{
  const gint which = __i__ / 2 % G_N_ELEMENTS (ends);
  AUTO_PLAY play = new_play (modes[__i__ / (2 * G_N_ELEMENTS (ends))],
      __i__ % 2);
  gint64 start = ends[which].offset_ns;

  retro_play_pause (play);
  retro_test_clear (&play->out);        /* the buffer that the sink holds */
  retro_play_set_reverse (play, TRUE);
  if (ends[which].type == GST_SEEK_TYPE_SET)
    start += retro_play_duration (play);
  fail_unless (retro_play_seek (play, 1, ACCURATE, ends[which].type, start,
          GST_SEEK_TYPE_NONE, -1));
  gst_element_get_state (play->pipeline, NULL, NULL, GST_CLOCK_TIME_NONE);
  retro_play_run (play);
  retro_play_stop (play);
  retro_test_assert_down (&play->out, 0, N_FRAMES);
}

/* Given a stream that is reversed from the start. When a seek goes to its end again, then all
 * frames are output again, not just the ones that were left. */
LOOP_TEST (the_end_can_be_sought_again, 2 * G_N_ELEMENTS (modes))
{
  g_autofree gchar *description = g_strconcat (modes[__i__ / 2],
      " direction=reverse", NULL);
  AUTO_PLAY play = new_play (description, __i__ % 2);
  GArray *order = retro_order_new ();
  guint64 n_before;

  retro_play_start (play, 3200);
  n_before = play->frames_out;
  fail_unless (retro_play_seek (play, 1, ACCURATE, GST_SEEK_TYPE_SET,
          retro_play_duration (play), GST_SEEK_TYPE_NONE, -1));
  retro_play_finish (play);
  retro_play_stop (play);
  retro_order_down (order, N_FRAMES - n_before, n_before);
  retro_order_down (order, 0, N_FRAMES);
  retro_test_assert_order (&play->out, order);
}
