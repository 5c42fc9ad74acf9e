/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * revbuf mode=seek: sources whose seeks can't be trusted. Decoding from the start gives the right
 * audio, so the stream has to be collected.
 */

#include "retrotestplay.h"

#define N_FRAMES 60000
#define BLOCK 2400              /* frames in 300 ms */
#define DESCRIPTION "revbuf direction=reverse block-time=300000000"

static const gchar *const descriptions[] = { DESCRIPTION,
  DESCRIPTION " mode=seek"
};

/* Asserts that there was one warning, and no error. */
static void
assert_one_warning (RetroPlay * play)
{
  GstMessage *message;
  guint n = 0;

  while ((message = gst_bus_pop_filtered (play->out.bus, GST_MESSAGE_WARNING
              | GST_MESSAGE_ERROR)) != NULL) {
    fail_unless_equals_int (GST_MESSAGE_TYPE (message), GST_MESSAGE_WARNING);
    gst_message_unref (message);
    n++;
  }
  fail_unless_equals_int (n, 1);
}

/* Asserts that all frames were output backwards, and that all except the first @n_wrong are
 * right. */
static void
assert_reversed (RetroPlay * play, guint n_wrong)
{
  g_autoptr (GArray) heard = retro_play_heard (play);
  guint64 n_frames = play->knobs->n_frames, n;

  fail_unless_equals_int (heard->len, n_frames);
  for (n = n_wrong; n < n_frames; n++)
    fail_unless_equals_uint64 (g_array_index (heard, guint64, n),
        n_frames - 1 - n);
}

/* ---- samples ------------------------------------------------------------------------- */

/* Given a source that sends noise after each seek, except to the beginning. When it is reversed,
 * then at most one block is noise, and one warning is posted. */
LOOP_TEST (noise_is_found_at_the_first_seam, G_N_ELEMENTS (descriptions))
{
  /* longer than any preroll, so that no run is right because it begins at 0 */
  const guint64 n_frames = 4 * N_FRAMES;
  AUTO_PLAY play = retro_play_new_plain (descriptions[__i__], n_frames);

  play->knobs->settle_frames = n_frames;
  retro_play_run_within (play, 2 * n_frames);
  assert_one_warning (play);
  retro_play_stop (play);
  assert_reversed (play, BLOCK);
}

/* A FLAC file with a variable block size has these times in GStreamer. */
static GstPadProbeReturn
stop_time (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  GstBuffer *buffer = gst_buffer_make_writable (info->data);

  GST_BUFFER_PTS (buffer) = 0;
  info->data = buffer;
  return GST_PAD_PROBE_OK;
}

/* ---- times ----------------------------------------------------------------------- */

/* Given a source whose timestamps do not advance, when it is reversed, then all frames are output,
 * and one warning is posted. */
LOOP_TEST (times_that_stand_still_are_found_at_once,
    G_N_ELEMENTS (descriptions))
{
  AUTO_PLAY play = retro_play_new_plain (descriptions[__i__], N_FRAMES);

  retro_play_probe (play->source, "src", GST_PAD_PROBE_TYPE_BUFFER, stop_time,
      NULL);
  retro_play_run_within (play, 2 * N_FRAMES);
  assert_one_warning (play);
  retro_play_stop (play);
  assert_reversed (play, 0);
}

/* ---- afterwards ------------------------------------------------------------------ */

/* Given a stream that is collected because its seeks are wrong, when the application seeks, then
 * the part from there back to the beginning is collected, too, and the next stream is trusted
 * again. */
TEST (a_seek_of_the_application_is_collected)
{
  AUTO_PLAY play = retro_play_new_plain (DESCRIPTION, N_FRAMES);
  g_autoptr (GArray) heard = NULL;
  guint n;

  retro_play_probe (play->source, "src", GST_PAD_PROBE_TYPE_BUFFER, stop_time,
      NULL);
  retro_play_start (play, 100);
  fail_unless (retro_play_seek (play, 1.0, GST_SEEK_FLAG_FLUSH,
          GST_SEEK_TYPE_SET, PLAIN_NS (N_FRAMES / 2), GST_SEEK_TYPE_NONE, 0));
  retro_play_finish (play);
  assert_one_warning (play);
  retro_play_stop (play);
  heard = retro_play_heard (play);
  for (n = 0; n < N_FRAMES / 2; n++)
    fail_unless_equals_uint64 (g_array_index (heard, guint64,
            heard->len - 1 - n), n);
  retro_play_rewind (play);
  retro_play_run (play);
  assert_one_warning (play);
}
