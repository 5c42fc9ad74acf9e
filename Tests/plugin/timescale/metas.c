/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * timescale: metas and flags. If there's nothing to change, the buffer itself passes through,
 * with everything it has. A scaled buffer keeps the metas that audioresample would keep: the ones
 * without a tag, or with "audio" as their only tag. Anything that describes the memory or counts
 * frames would be wrong afterwards.
 */

#include "scalemodel.h"

#define N 400                   /* frames of a buffer */

#define FLAGS (GST_BUFFER_FLAG_CORRUPTED | GST_BUFFER_FLAG_MARKER \
    | GST_BUFFER_FLAG_HEADER | GST_BUFFER_FLAG_DROPPABLE)

static RetroTest *
start (const gchar * description, GstAudioLayout layout)
{
  RetroTest *t = retro_test_new (description);
  GstAudioInfo info = retro_test_info (GST_AUDIO_FORMAT_S16, layout, 8000, 2);

  retro_test_start (t, &info, 1, 0, GST_CLOCK_TIME_NONE);
  return t;
}

/* A buffer with a meta of each kind, unusual flags, and an offset and a duration that do not
 * follow from its frames. */
static GstBuffer *
laden_buffer (RetroTest * t, guint64 first)
{
  GstBuffer *buffer = retro_test_buffer (&t->info, first, N);
  GstBuffer *parent = gst_buffer_new ();

  retro_test_add_metas (buffer);
  retro_test_add_reference (buffer, 1234);
  gst_buffer_add_audio_clipping_meta (buffer, GST_FORMAT_DEFAULT, 3, 4);
  gst_buffer_add_parent_buffer_meta (buffer, parent);
  gst_buffer_unref (parent);
  GST_BUFFER_FLAG_SET (buffer, FLAGS);
  GST_BUFFER_OFFSET (buffer) = 123456;
  GST_BUFFER_OFFSET_END (buffer) = 654321;
  GST_BUFFER_DURATION (buffer) += 3;
  return buffer;
}

static guint
count_metas (GstBuffer * buffer)
{
  gpointer state = NULL;
  guint n = 0;

  while (gst_buffer_iterate_meta (buffer, &state) != NULL)
    n++;
  return n;
}

/* The header that does not follow from the position in the stream. */
static guint
flags_of (GstBuffer * buffer)
{
  return GST_BUFFER_FLAGS (buffer) & ~GST_BUFFER_FLAG_TAG_MEMORY;
}

static GstBuffer *
last_buffer (RetroTest * t)
{
  return retro_test_nth_buffer (t, retro_test_n_buffers (t) - 1);
}

/* ---- factor 1 ------------------------------------------------------------------ */

/* Given factor 1 from the beginning. When a buffer arrives, then that very buffer is output, and
 * nothing in it has changed. */
LOOP_TEST (unscaled_a_buffer_passes_with_all_it_has, 2)
{
  AUTO_TEST t = start ("timescale", __i__ ? PLANAR : INTERLEAVED);
  GstBuffer *buffer, *out;
  guint n_metas, flags;

  retro_test_push (t, 0, N);
  buffer = laden_buffer (t, N);
  n_metas = count_metas (buffer);
  flags = flags_of (buffer);
  gst_harness_push (t->h, buffer);
  out = last_buffer (t);
  fail_unless (out == buffer);
  fail_unless_equals_int (count_metas (out), n_metas);
  fail_unless_equals_int_hex (flags_of (out), flags);
  fail_unless_equals_clocktime (GST_BUFFER_PTS (out), PLAIN_NS (N));
  fail_unless_equals_clocktime (GST_BUFFER_DURATION (out), PLAIN_NS (N) + 3);
  fail_unless_equals_uint64 (GST_BUFFER_OFFSET (out), 123456);
  fail_unless_equals_uint64 (GST_BUFFER_OFFSET_END (out), 654321);
}

/* Given a factor that's back at 1 after a change. When a buffer arrives, then its memory is
 * output with all its metas and flags. Only its position in the stream is new. */
LOOP_TEST (after_a_change_only_the_header_differs, 2)
{
  AUTO_TEST t = start ("timescale", __i__ ? PLANAR : INTERLEAVED);
  GstBuffer *buffer, *out;
  GstClockTime end_ns;
  gpointer memory;
  guint n_metas, flags;

  scale_set (t, "factor=1.5");
  scale_push_sound (t, 0, 20 * N, N);
  scale_set (t, "factor=1");
  scale_push_sound (t, 20 * N, 20 * N, N);
  end_ns = GST_BUFFER_PTS (last_buffer (t))
      + GST_BUFFER_DURATION (last_buffer (t));
  buffer = laden_buffer (t, 40 * N);
  memory = gst_buffer_peek_memory (buffer, 0);
  n_metas = count_metas (buffer);
  flags = flags_of (buffer);
  gst_harness_push (t->h, buffer);
  out = last_buffer (t);
  fail_unless (gst_buffer_peek_memory (out, 0) == memory);
  fail_unless_equals_int (count_metas (out), n_metas);
  fail_unless_equals_int_hex (flags_of (out), flags);
  fail_unless_equals_clocktime (GST_BUFFER_PTS (out), end_ns);
}

/* ---- other factors --------------------------------------------------------------- */

/* Given factor 1.5. When a buffer with all kinds of metas arrives, then its output has those
 * that are still true, and the next output has none of them. */
LOOP_TEST (scaled_a_buffer_keeps_the_metas_that_are_still_true, 2)
{
  AUTO_TEST t = start ("timescale factor=1.5", __i__ ? PLANAR : INTERLEAVED);
  GstBuffer *out, *next;
  guint i;

  retro_test_push (t, 0, N);
  gst_harness_push (t->h, laden_buffer (t, N));
  retro_test_push (t, 2 * N, N);
  out = retro_test_nth_buffer (t, 1);
  next = retro_test_nth_buffer (t, 2);
  for (i = 0; i < RETRO_TEST_N_METAS; i++)
    fail_unless ((gst_buffer_get_custom_meta (out,
                retro_test_metas[i].name) != NULL)
        == retro_test_metas[i].survives, "%s", retro_test_metas[i].name);
  fail_unless_equals_clocktime (retro_test_reference_of (out), 1234);
  fail_unless (gst_buffer_get_audio_clipping_meta (out) == NULL);
  fail_unless (gst_buffer_get_parent_buffer_meta (out) == NULL);
  /* planar audio cannot be read without its own meta */
  fail_unless_equals_int (gst_buffer_get_n_meta (out, GST_AUDIO_META_API_TYPE),
      __i__);
  fail_unless_equals_int (count_metas (next), __i__);
}

/* Given factor 2. When buffers with a reference timestamp arrive, short ones and one of 1 s, then
 * each timestamp is only on the first buffer that's made from its input. */
TEST (a_reference_timestamp_is_on_the_first_buffer_of_its_input)
{
  static const guint lengths[] = { 160, 160, 8000, 160, 160 };
  AUTO_TEST t = start ("timescale factor=2", INTERLEAVED);
  guint64 frame = 0;
  guint i;

  for (i = 0; i < G_N_ELEMENTS (lengths); i++) {
    GstBuffer *buffer = retro_test_buffer (&t->info, frame, lengths[i]);
    guint n = retro_test_n_buffers (t), k;

    retro_test_add_reference (buffer, i);
    gst_harness_push (t->h, buffer);
    frame += lengths[i];
    for (k = n; k < retro_test_n_buffers (t); k++)
      fail_unless_equals_clocktime (retro_test_reference_of
          (retro_test_nth_buffer (t, k)), k == n ? i : GST_CLOCK_TIME_NONE);
    fail_unless (k > n, "no buffer %u", i);
  }
}

/* Given a stream that plays backwards. When a buffer with a reference timestamp arrives, then its
 * output has none, because the frame that it refers to is now the last one. */
LOOP_TEST (reversed_a_buffer_has_no_reference_timestamp, 2)
{
  AUTO_TEST t =
      retro_test_plain (__i__ ? "timescale factor=2" : "timescale", -1,
      PLAIN_NS (N));
  GstBuffer *buffer = retro_test_buffer (&t->info, 0, N);

  retro_test_add_reference (buffer, 1234);
  gst_harness_push (t->h, buffer);
  retro_test_eos (t);
  fail_unless_equals_clocktime (retro_test_reference_of (retro_test_nth_buffer
          (t, 0)), GST_CLOCK_TIME_NONE);
}

static const gchar *const factors[] = { "0.5", "1.5", "2", "1.5 keep-pitch=true"
};

/* Given any factor. When one of many buffers is marked as corrupted, then the output is marked
 * while that buffer is processed, but not before it or long after it. */
LOOP_TEST (what_is_corrupted_stays_marked, G_N_ELEMENTS (factors))
{
  g_autofree gchar *description =
      g_strdup_printf ("timescale factor=%s", factors[__i__]);
  AUTO_TEST t = start (description, INTERLEAVED);
  guint i;

  for (i = 0; i < 30; i++) {
    GstBuffer *buffer = retro_test_buffer (&t->info, i * N, N);
    guint n = retro_test_n_buffers (t), marked = 0, k;

    if (i == 15)
      GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_CORRUPTED);
    gst_harness_push (t->h, buffer);
    for (k = n; k < retro_test_n_buffers (t); k++)
      marked += GST_BUFFER_FLAG_IS_SET (retro_test_nth_buffer (t, k),
          GST_BUFFER_FLAG_CORRUPTED);
    fail_unless (i == 15 ? k > n && marked == k - n : marked == 0,
        "input %u: %u of %u are marked", i, marked, k - n);
  }
}
