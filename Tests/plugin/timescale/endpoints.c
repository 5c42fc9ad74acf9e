/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * timescale, alignment=endpoints: the stream is scaled as a whole when it ends, and the
 * first and the last frame are kept.
 */

#include "scalemodel.h"

#include <string.h>

static RetroTest *
endpoints (gdouble factor, const gchar * properties)
{
  gchar *description = g_strdup_printf ("timescale alignment=endpoints %s",
      properties);
  RetroTest *t = retro_test_new (description);

  g_object_set (t->element, "factor", factor, NULL);
  g_free (description);
  return t;
}

#define N 1000

/* Nothing is output before the end. The first and the last frame are kept. */
LOOP_TEST (the_stream_is_scaled_at_its_end, SCALE_N_FACTORS)
{
  ScaleFactor factor = scale_factors[__i__];
  AUTO_TEST t = endpoints ((gdouble) factor.num / factor.den,
      "interpolation=cubic");
  guint64 length = scale_length (N, factor);
  g_autoptr (GByteArray) bytes = NULL;
  guint8 frame[24];
  gsize bpf;

  GstAudioInfo info =
      retro_test_info (GST_AUDIO_FORMAT_F64, __i__ % 2 ? PLANAR : INTERLEAVED,
      8000, 3);
  bpf = GST_AUDIO_INFO_BPF (&info);
  retro_test_start (t, &info, 1, 0, GST_CLOCK_TIME_NONE);
  retro_test_push_cut (t, 0, N, retro_test_cuts[3]);
  fail_unless_equals_int (retro_test_n_buffers (t), 0);
  retro_test_eos (t);
  bytes = retro_test_bytes (t);
  fail_unless_equals_uint64 (retro_test_frames_out (t), length);
  retro_test_frame (&t->info, 0, frame);
  fail_unless (memcmp (bytes->data, frame, bpf) == 0);
  retro_test_frame (&t->info, N - 1, frame);
  fail_unless (memcmp (bytes->data + (length - 1) * bpf, frame, bpf) == 0);
  retro_test_assert_perfect (t, 0);
}

/* ---- memory ------------------------------------------------------------- */

static GByteArray *
scale_much (const gchar * properties, const gchar * folder, guint files)
{
  RetroTest *t = endpoints (1.5, properties);

  g_object_set (t->element, "spill-directory", folder, NULL);
  GstAudioInfo info = retro_test_info (GST_AUDIO_FORMAT_F64, PLANAR, 48000, 2);
  retro_test_start (t, &info, 1, 0, GST_CLOCK_TIME_NONE);
  retro_test_push_cut (t, 0, 200000, retro_test_cuts[0]);
  fail_unless_equals_int (retro_test_nameless_files_of (folder), files);
  return retro_test_end (t);
}

TEST (a_file_gives_the_same_as_memory)
{
  AUTO_FOLDER folder = retro_test_make_folder ();
  g_autoptr (GByteArray) memory = scale_much ("", folder, 0);
  g_autoptr (GByteArray) file = scale_much ("max-memory=0", folder, 1);

  fail_unless_equals_int (memory->len, file->len);
  fail_unless (memcmp (memory->data, file->data, file->len) == 0);
}

/* ---- interrupted -------------------------------------------------------- */

TEST (the_factor_at_the_end_counts)
{
  AUTO_TEST t = endpoints (1, "");
  GstSegment segment;

  retro_test_start (t, NULL, 1, 0, PLAIN_NS (N));
  retro_test_push (t, 0, 500);
  g_object_set (t->element, "factor", 2.0, NULL);
  retro_test_push (t, 500, 500);
  retro_test_eos (t);
  fail_unless_equals_uint64 (retro_test_frames_out (t), 2 * N);
  segment = retro_test_last_segment (t);
  fail_unless_equals_clocktime (segment.stop, PLAIN_NS (2 * N));
  retro_test_assert_perfect (t, 0);
}
