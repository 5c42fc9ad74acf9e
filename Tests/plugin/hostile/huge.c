/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Numbers of frames that do not fit into 31 and 32 bits, and days of audio.
 * Expected values are computed with 128 bits.
 */

#define _GNU_SOURCE
#include "common/framestore.h"
#include "retrotestplay.h"

#include <dlfcn.h>
#include <string.h>
#include <sys/types.h>

/* 24 hours at 384 kHz */
#define DAY_FRAMES (G_GUINT64_CONSTANT (24) * 3600 * 384000)

/* numbers of frames around 2^31, around 2^32, and around the length of a day */
static const guint64 counts[] = {
  G_MAXINT32, (guint64) G_MAXINT32 + 1, (guint64) G_MAXINT32 + 70001,
  G_MAXUINT32, (guint64) G_MAXUINT32 + 1, (guint64) G_MAXUINT32 + 70001,
  DAY_FRAMES - 1, DAY_FRAMES
};

#define N_COUNTS G_N_ELEMENTS (counts)

/* ---- a store of more than 4 GiB ------------------------------------------ */

/* A replacement of pwrite64() writes only the beginning and the end of the
 * data, so that a file of several GiB is sparse and needs little space. */
#define MARK_BYTES 16

ssize_t
pwrite64 (int fd, const void *bytes, size_t n, off64_t offset)
{
  ssize_t (*write) (int, const void *, size_t, off64_t) =
      (ssize_t (*)(int, const void *, size_t, off64_t)) dlsym (RTLD_NEXT,
      "pwrite64");
  const guint8 *end = (const guint8 *) bytes + n - MARK_BYTES;

  if (write (fd, bytes, MARK_BYTES, offset) != MARK_BYTES
      || write (fd, end, MARK_BYTES, offset + n - MARK_BYTES) != MARK_BYTES)
    return -1;
  return n;
}

#define BLOCK_BYTES (1 << 20)

/* Makes block @index distinguishable, by writing its index at both ends of the block. */
static void
mark (guint8 * block, guint64 index)
{
  memcpy (block, &index, sizeof (index));
  memcpy (block + BLOCK_BYTES - sizeof (index), &index, sizeof (index));
}

static void
assert_marks (GstRetroStore * store, guint64 block, gsize block_frames,
    gsize bpf)
{
  guint64 last = store->n_frames / block_frames, index;
  GstRetroSpan span;

  fail_unless (gst_retro_store_read (store, block * block_frames, FALSE,
          &span, NULL));
  fail_unless_equals_uint64 (span.first_frame, block * block_frames);
  memcpy (&index, span.planes[0], sizeof (index));
  fail_unless_equals_uint64 (index, block);
  if (block == last)
    return;
  fail_unless_equals_uint64 (span.n_frames, block_frames);
  memcpy (&index, span.planes[0] + block_frames * bpf - sizeof (index),
      sizeof (index));
  fail_unless_equals_uint64 (index, block);
}

static const struct
{
  GstAudioFormat format;
  gint channels;
  guint64 n_frames;
} stores[] = {
  {GST_AUDIO_FORMAT_S8, 1, (guint64) G_MAXINT32 + 70001},
  {GST_AUDIO_FORMAT_S8, 1, (guint64) G_MAXUINT32 + 70001},
  {GST_AUDIO_FORMAT_F64, 64, 12000000}  /* 5.7 GiB */
};

SOME_TEST (a_store_holds_more_than_32_bits_count, 0, G_N_ELEMENTS (stores))
{
  AUTO_FOLDER folder = retro_test_make_folder ();
  guint8 *block = g_malloc0 (BLOCK_BYTES);
  g_autoptr (GstBuffer) buffer = gst_buffer_new_wrapped (block, BLOCK_BYTES);
  guint64 n = stores[__i__].n_frames, done, index = 0;
  gsize bpf, block_frames;
  GstRetroStore *store;
  GstRetroSpan span;

  GstAudioInfo info =
      retro_test_info (stores[__i__].format, INTERLEAVED, 384000,
      stores[__i__].channels);
  bpf = GST_AUDIO_INFO_BPF (&info);
  block_frames = BLOCK_BYTES / bpf;
  store = gst_retro_store_new (&info, 4 * BLOCK_BYTES, folder);
  for (done = 0; done < n; done += block_frames) {
    mark (block, index++);
    fail_unless (gst_retro_store_append (store, buffer, 0,
            MIN (block_frames, n - done), NULL));
  }
  fail_unless_equals_uint64 (store->n_frames, n);
  for (index = 0; index <= n / block_frames; index += 97)
    assert_marks (store, index, block_frames, bpf);
  assert_marks (store, n / block_frames, block_frames, bpf);
  assert_marks (store, n / block_frames - 1, block_frames, bpf);
  fail_unless (gst_retro_store_read (store, n - 1, TRUE, &span, NULL));
  fail_unless_equals_uint64 (span.first_frame + span.n_frames, n);
  gst_retro_store_free (store);
}

/* ---- the elements --------------------------------------------------------- */

static RetroPlay *
new_play (const gchar * description, gint i)
{
  RetroPlay *play;
  GstAudioInfo info;

  info = retro_play_info ();
  if (counts[i] >= DAY_FRAMES - 1)
    info = retro_test_info (GST_AUDIO_FORMAT_S32, INTERLEAVED, 384000, 64);
  play = retro_play_new (description, &info, counts[i]);
  return play;
}

/* Playback backwards must begin at the end of a very long stream. */
SOME_TEST (play_begins_at_a_far_end, 2, N_COUNTS)
{
  AUTO_PLAY play = new_play ("revbuf direction=reverse", __i__);
  guint64 wanted = counts[__i__] >= DAY_FRAMES - 1 ? 40000 : 20000;
  guint64 n_frames;

  retro_play_start (play, wanted);
  fail_unless (retro_play_position (play) < play->knobs->duration_ns);
  fail_unless (retro_play_position (play) > play->knobs->duration_ns
      - 60 * GST_SECOND);
  retro_play_stop (play);
  n_frames = retro_test_frames_out (&play->out);
  fail_unless (n_frames >= wanted);
  retro_test_assert_down (&play->out, counts[__i__] - n_frames, n_frames);
  fail_unless (retro_test_pop_message (&play->out, GST_MESSAGE_ERROR) == NULL);
}

/* Asserts that the frame numbers of the output rise from @from, fall after the change of
 * direction, and have no gaps. */
static void
assert_up_and_down (RetroPlay * play, guint64 from)
{
  g_autoptr (GByteArray) bytes = retro_test_bytes (&play->out);
  gsize bpf = GST_AUDIO_INFO_BPF (&play->out.info), n;
  g_autofree guint8 *frame = g_malloc (bpf);
  gboolean turned = FALSE;
  guint64 index = from;

  for (n = 0; n < bytes->len / bpf; n++) {
    retro_test_frame (&play->out.info, index, frame);
    if (!turned && memcmp (bytes->data + n * bpf, frame, bpf) != 0) {
      turned = TRUE;
      index -= 2;               /* continues with the frame before the last one,
                                 * because the direction changes */
      retro_test_frame (&play->out.info, index, frame);
    }
    fail_unless (memcmp (bytes->data + n * bpf, frame, bpf) == 0,
        "the %" G_GSIZE_FORMAT "th frame is another", n);
    index += turned ? -1 : 1;
  }
  fail_unless (turned && index < from + 80000);
}

/* A change of direction must be frame-accurate, even after frame 2^31 or 2^32. */
SOME_TEST (a_turn_far_away_is_exact, 2, N_COUNTS)
{
  AUTO_PLAY play = new_play ("revbuf mode=seek", __i__);
  guint64 from = (counts[__i__] - 60000) / 1000 * 1000; /* the beginning of a packet */

  play->knobs->n_frames += 100000;
  play->knobs->duration_ns = retro_test_time (&play->out.info,
      play->knobs->n_frames);
  retro_play_pause (play);
  fail_unless (retro_play_seek (play, 1.0, GST_SEEK_FLAG_FLUSH
          | GST_SEEK_FLAG_ACCURATE, GST_SEEK_TYPE_SET,
          retro_test_time (&play->out.info, from + 500), GST_SEEK_TYPE_NONE,
          -1));
  fail_unless_equals_int (gst_element_get_state (play->pipeline, NULL, NULL,
          GST_CLOCK_TIME_NONE), GST_STATE_CHANGE_SUCCESS);
  retro_play_start (play, play->frames_out + 80000);
  retro_play_set_reverse (play, TRUE);
  retro_play_go_on (play, play->frames_out + 80000);
  retro_play_stop (play);

  g_ptr_array_remove_range (play->out.items, 0,
      retro_test_place_of_event (&play->out, GST_EVENT_FLUSH_STOP, 0));
  assert_up_and_down (play, from);
}

/* With factor 2 and linear interpolation, every second output frame equals an input
 * frame, and timestamps are doubled. */
SOME_TEST (timescale_continues_far_away, 2, N_COUNTS)
{
  AUTO_TEST t = retro_test_new ("timescale factor=2 interpolation=linear");
  g_autoptr (GByteArray) bytes = NULL;
  GstBuffer *buffer;
  guint64 n, begin = counts[__i__];
  gsize bpf;

  GstAudioInfo info =
      retro_test_info (GST_AUDIO_FORMAT_S32, INTERLEAVED, 384000, 64);
  bpf = GST_AUDIO_INFO_BPF (&info);
  retro_test_start (t, &info, 1.0, 0, GST_CLOCK_TIME_NONE);
  for (n = 0; n < 10; n++)
    fail_unless_equals_int (retro_test_push (t, begin + n * 1000, 1000),
        GST_FLOW_OK);
  retro_test_eos (t);
  fail_unless_equals_uint64 (retro_test_frames_out (t), 20000);
  buffer = retro_test_nth_buffer (t, 0);
  fail_unless (ABS (GST_CLOCK_DIFF (GST_BUFFER_PTS (buffer),
              2 * retro_test_time (&info, begin))) <= 2, "%" G_GUINT64_FORMAT
      " instead of %" G_GUINT64_FORMAT, GST_BUFFER_PTS (buffer),
      2 * retro_test_time (&info, begin));
  bytes = retro_test_bytes (t);
  for (n = 0; n < 10000; n++) {
    guint8 frame[256];

    retro_test_frame (&info, begin + n, frame);
    fail_unless (memcmp (bytes->data + 2 * n * bpf, frame, bpf) == 0);
  }
}

/* With timestamps up to the largest possible ones, the output is not specified, but
 * the stream must end without a crash. */
LOOP_TEST (impossible_times_do_not_hurt, 6 * 5)
{
  static const gchar *const descriptions[] = {
    "revbuf", "revbuf direction=reverse mode=collect",
    "revbuf direction=reverse mode=chunk", "timescale factor=100",
    "timescale factor=0.01 alignment=endpoints", "timescale rate=0.37"
  };
  static const GstClockTime times[] = { G_MAXUINT64 - 1, G_MAXINT64,
    (GstClockTime) G_MAXINT64 + 1, G_MAXINT64 - 1, G_MAXUINT64 - GST_SECOND
  };
  AUTO_TEST t =
      retro_test_plain (descriptions[__i__ / 5], __i__ % 2 ? 1.0 : -1.0,
      __i__ % 2 ? GST_CLOCK_TIME_NONE : G_MAXINT64);
  gint n;

  for (n = 0; n < 4; n++) {
    GstBuffer *buffer = retro_test_buffer (&t->info, n * 1000, 1000);

    if (n != 1)
      GST_BUFFER_PTS (buffer) = times[__i__ % 5];
    gst_harness_push (t->h, buffer);
  }
  retro_test_eos (t);
}
