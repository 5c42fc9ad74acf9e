/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * revbuf must keep those metas of a buffer that are still correct after a reversal. Each
 * test runs with a buffer that is reversed in place, and with a shared one, which is
 * copied.
 */

#include "retrotest.h"

#define N 100

static RetroTest *
start (GstAudioLayout layout)
{
  RetroTest *t = retro_test_new ("revbuf");
  GstAudioInfo info = retro_test_info (GST_AUDIO_FORMAT_S16, layout, 8000, 2);

  retro_test_start (t, &info, -1, 0, PLAIN_NS (N));
  return t;
}

/* Pushes @buffer (transfer full), and returns the output buffer. */
static GstBuffer *
through (RetroTest * t, GstBuffer * buffer, gboolean shared)
{
  GstBuffer *other = shared ? gst_buffer_ref (buffer) : NULL;

  fail_unless_equals_int (gst_harness_push (t->h, buffer), GST_FLOW_OK);
  if (other != NULL)
    gst_buffer_unref (other);
  retro_test_assert_down (t, 0, N);
  return retro_test_nth_buffer (t, 0);
}

LOOP_TEST (a_meta_about_audio_alone_is_kept, 2)
{
  AUTO_TEST t = start (INTERLEAVED);
  GstBuffer *buffer = retro_test_buffer (&t->info, 0, N), *out;

  retro_test_add_metas (buffer);
  retro_test_add_reference (buffer, 1234);
  out = through (t, buffer, __i__);
  fail_unless (gst_buffer_get_custom_meta (out, "RetroTestPlain") != NULL);
  fail_unless (gst_buffer_get_custom_meta (out, "RetroTestAudio") != NULL);
  fail_unless (gst_buffer_get_custom_meta (out, "RetroTestMemory") == NULL);
  fail_unless_equals_clocktime (retro_test_reference_of (out),
      GST_CLOCK_TIME_NONE);
}

LOOP_TEST (clipping_changes_its_ends, 2)
{
  AUTO_TEST t = start (INTERLEAVED);
  GstBuffer *buffer = retro_test_buffer (&t->info, 0, N);
  GstAudioClippingMeta *clipping;

  gst_buffer_add_audio_clipping_meta (buffer, GST_FORMAT_DEFAULT, 30, 4);
  clipping = gst_buffer_get_audio_clipping_meta (through (t, buffer, __i__));
  fail_unless (clipping != NULL);
  fail_unless_equals_int (clipping->format, GST_FORMAT_DEFAULT);
  fail_unless_equals_uint64 (clipping->start, 4);
  fail_unless_equals_uint64 (clipping->end, 30);
}

LOOP_TEST (planar_audio_has_one_right_audio_meta, 2)
{
  AUTO_TEST t = start (PLANAR);
  GstBuffer *buffer = retro_test_buffer (&t->info, 0, N), *out;
  GstAudioMeta *meta;

  out = through (t, buffer, __i__);
  fail_unless_equals_int (gst_buffer_get_n_meta (out, GST_AUDIO_META_API_TYPE),
      1);
  meta = gst_buffer_get_audio_meta (out);
  fail_unless_equals_uint64 (meta->samples, N);
  fail_unless (gst_audio_info_is_equal (&meta->info, &t->info));
}

/* If planar audio has been clipped, its planes do not begin at the beginning of the
 * buffer. */
LOOP_TEST (planes_with_offsets_are_followed, 2)
{
  AUTO_TEST t = start (PLANAR);
  GstBuffer *buffer = retro_test_buffer (&t->info, 0, N);

  buffer = gst_audio_buffer_truncate (buffer, 4, 20, 50);
  GST_BUFFER_PTS (buffer) = PLAIN_NS (20);
  if (__i__)
    gst_buffer_ref (buffer);
  gst_harness_push (t->h, buffer);
  retro_test_assert_down (t, 20, 50);
  if (__i__)
    gst_buffer_unref (buffer);
}

TEST (collect_drops_metas)
{
  AUTO_TEST t = retro_test_plain ("revbuf direction=reverse", 1,
      GST_CLOCK_TIME_NONE);
  GstBuffer *buffer = retro_test_buffer (&t->info, 0, N);

  retro_test_add_metas (buffer);
  gst_harness_push (t->h, buffer);
  retro_test_eos (t);
  retro_test_assert_down (t, 0, N);
  fail_unless (gst_buffer_get_custom_meta (retro_test_nth_buffer (t, 0),
          "RetroTestRate") == NULL);
}
