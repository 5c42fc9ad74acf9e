/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * revbuf mode=seek: whole streams with different formats, packets and lengths.
 */

#include "retrotestplay.h"

#include <string.h>

/* The stream has 50000 frames after its first second. revbuf keeps the first
 * second in memory, so only these 50000 frames have to be fetched. */
#define N_FRAMES(rate) ((rate) + 50000)

/* ---- formats ------------------------------------------------------------- */

/* Plays the stream backwards, and checks every frame and timestamp of the output. */
static void
assert_reversed (RetroPlay * play)
{
  guint64 n_frames = play->knobs->n_frames;

  retro_play_run (play);
  fail_unless_equals_int (retro_test_n_events (&play->out, GST_EVENT_EOS), 1);
  fail_unless_equals_int (retro_test_n_events (&play->out,
          GST_EVENT_FLUSH_START), 0);
  retro_test_assert_down (&play->out, 0, n_frames);
  retro_test_assert_perfect (&play->out,
      retro_test_nth_segment (&play->out, 0).start);
}

static const struct
{
  GstAudioFormat format;
  GstAudioLayout layout;
  gint rate, channels;
} shapes[] = {
  {GST_AUDIO_FORMAT_U8, INTERLEAVED, 8000, 2},
  {GST_AUDIO_FORMAT_S16LE, INTERLEAVED, 44100, 2},
  {GST_AUDIO_FORMAT_S16BE, INTERLEAVED, 22050, 1},
  {GST_AUDIO_FORMAT_S16, PLANAR, 11025, 6},
  {GST_AUDIO_FORMAT_S24_32, INTERLEAVED, 48000, 3},
  {GST_AUDIO_FORMAT_S24LE, INTERLEAVED, 96000, 2},
  {GST_AUDIO_FORMAT_S32, PLANAR, 192000, 1},
  {GST_AUDIO_FORMAT_F32, INTERLEAVED, 48000, 6},
  {GST_AUDIO_FORMAT_F32, PLANAR, 44100, 2},
  {GST_AUDIO_FORMAT_F64, INTERLEAVED, 384000, 1},
};

SOME_TEST (every_format_is_reversed, 10, G_N_ELEMENTS (shapes))
{
  static const gchar *const modes[] = {
    "revbuf direction=reverse", "revbuf direction=reverse mode=seek"
  };
  AUTO_PLAY play = NULL;

  GstAudioInfo info =
      retro_test_info (shapes[__i__].format, shapes[__i__].layout,
      shapes[__i__].rate, shapes[__i__].channels);
  play =
      retro_play_new (modes[__i__ % 2], &info, N_FRAMES (shapes[__i__].rate));
  assert_reversed (play);
  fail_unless (retro_play_stat (play, "blocks") > 0);
}

/* At these sample rates, a frame lasts a few nanoseconds or less, so no seek
 * can address a single frame. The element must collect the stream instead of
 * seeking. */
static const gint high_rates[] = { 10000000, 499999999, 500000000, G_MAXINT };

SOME_TEST (frames_of_a_few_ns_are_counted, 4, 2 * G_N_ELEMENTS (high_rates))
{
  static const gchar *const modes[] = { "auto", "seek" };
  gint rate = high_rates[__i__ / 2];
  g_autofree gchar *description =
      g_strdup_printf ("revbuf direction=reverse mode=%s "
      "preroll-time=20000 max-memory=1000000", modes[__i__ % 2]);
  AUTO_PLAY play = NULL;

  GstAudioInfo info =
      retro_test_info (GST_AUDIO_FORMAT_S32, INTERLEAVED, rate, 2);
  play = retro_play_new (description, &info, 100001);
  assert_reversed (play);
  fail_unless_equals_int (retro_play_stat (play, "blocks") > 3,
      rate < 500000000);
}

/* ---- packets and blocks --------------------------------------------------- */

static const gsize cuts[][5] = {
  {1, 0}, {17, 0}, {1152, 0}, {7, 1, 4096, 300, 0}, {1000000, 0}
};

static const gchar *const sizes[] = {
  "block-time=1000000", "block-time=50000000", "block-time=333333333",
  "block-time=60000000000", "max-memory=65536", "preroll-time=0",
  "preroll-time=1000000", "preroll-time=2000000000"
};

SOME_TEST (packets_and_blocks_of_every_size,
    8, G_N_ELEMENTS (cuts) * G_N_ELEMENTS (sizes))
{
  guint cut = __i__ % G_N_ELEMENTS (cuts);
  g_autofree gchar *description =
      g_strdup_printf ("revbuf direction=reverse %s",
      sizes[__i__ / G_N_ELEMENTS (cuts)]);
  AUTO_PLAY play = retro_play_new_plain (description, 40000);

  play->knobs->cut = cuts[cut];
  assert_reversed (play);
  retro_play_assert_sound (play, 0, RETRO_PLAY_JOINED);
}

/* Lengths of streams, in frames, close to the lengths that matter to the element: the beginning
 * that's kept in memory, the overlap and the search range at a seam, a block, and a buffer. */
static const guint64 lengths[] = {
  1, 2, 319, 320, 321, 799, 800, 801, 2049, 4095, 4096, 4097, 8191, 8192, 8193,
  12287, 12288, 12289, 13088, 14336, 20479
};

SOME_TEST (streams_of_every_length, 12, G_N_ELEMENTS (lengths))
{
  AUTO_PLAY play = retro_play_new_plain ("revbuf direction=reverse "
      "block-time=200000000", lengths[__i__]);

  assert_reversed (play);
  retro_play_assert_sound (play, 0, RETRO_PLAY_JOINED);
}

/* The element reports progress only while it collects a stream. With mode=seek, it does not
 * collect. */
TEST (nothing_gives_nothing)
{
  AUTO_PLAY play = retro_play_new_plain ("revbuf direction=reverse", 0);

  retro_play_run (play);
  fail_unless_equals_int (retro_test_n_buffers (&play->out), 0);
  fail_unless_equals_int (retro_test_n_events (&play->out, GST_EVENT_EOS), 1);
  fail_unless (retro_test_pop_message (&play->out, GST_MESSAGE_PROGRESS)
      == NULL);
}

/* ---- the rest of the stream ----------------------------------------------- */

TEST (one_segment_describes_itself)
{
  AUTO_PLAY play = retro_play_new_plain ("revbuf direction=reverse", 24000);
  GstSegment segment;

  retro_play_run (play);
  fail_unless_equals_int (retro_test_n_events (&play->out,
          GST_EVENT_SEGMENT), 1);
  segment = retro_test_nth_segment (&play->out, 0);
  fail_unless_equals_float (segment.rate, 1.0);
  fail_unless_equals_float (segment.applied_rate, -1.0);
  fail_unless_equals_uint64 (segment.start, 0);
  fail_unless_equals_uint64 (segment.time, 0);
  fail_unless_equals_uint64 (segment.base, 0);
  fail_unless_equals_uint64 (segment.stop, 3 * GST_SECOND);
  fail_unless_equals_int (retro_test_nth_seqnum (&play->out, 0),
      gst_event_get_seqnum (retro_test_nth_event (&play->out,
              GST_EVENT_EOS, 0)));
  fail_unless (retro_test_place_of_event (&play->out, GST_EVENT_STREAM_START,
          0) < retro_test_place_of_event (&play->out, GST_EVENT_CAPS, 0));
  fail_unless_equals_int (retro_test_n_events (&play->out, GST_EVENT_CAPS), 1);
}

/* The timestamps begin at 10 hours, or are missing in the first packet of a run, in several
 * packets, or in all packets. "identity single-segment=true" removes the timestamp of the
 * first packet. */
LOOP_TEST (timestamps_may_begin_anywhere_and_be_missing, 8)
{
  static const guint64 frames[] = { 0, 1, 3000, G_MAXUINT64 };
  AUTO_PLAY play = retro_play_new_plain (__i__ % 2 ?
      "revbuf direction=reverse block-time=500000000" :
      "revbuf direction=reverse block-time=500000000 preroll-time=0", 40000);

  play->knobs->untimed_frames = frames[__i__ / 2];
  if (__i__ < 2)
    play->knobs->pts_offset_ns = 10 * 3600 * GST_SECOND + 1;
  assert_reversed (play);
  retro_play_assert_sound (play, 0, RETRO_PLAY_JOINED);
}

/* Upstream sends its tags again after every seek, as decoders do. The element
 * must forward only the first copy. */
TEST (tags_are_sent_once)
{
  AUTO_PLAY play = retro_play_new_plain ("revbuf direction=reverse "
      "block-time=200000000", 40000);

  play->knobs->tells_tags = TRUE;
  assert_reversed (play);
  fail_unless (g_atomic_int_get (&play->source->seeks) > 2);
  fail_unless_equals_int (retro_test_n_events (&play->out, GST_EVENT_TAG), 1);
}

/* ---- tags ---------------------------------------------------------------- */

static gint n_compared;         /* (atomic) */

static gint
compare_counted (const GValue * one, const GValue * other)
{
  gconstpointer a = g_value_get_boxed (one), b = g_value_get_boxed (other);

  g_atomic_int_inc (&n_compared);
  return a == b ? GST_VALUE_EQUAL : GST_VALUE_UNORDERED;
}

static gpointer
copy_counted (gpointer boxed)
{
  return boxed;
}

static void
free_counted (gpointer boxed)
{
}

/* Returns a list with @count different values of a tag. @n_compared counts how
 * often such values are compared. */
static GstTagList *
counted_tags (guint count, GstTagMergeMode mode)
{
  static GstValueTable table = {.compare = compare_counted };
  static GType type = 0;
  GstTagList *tags = gst_tag_list_new_empty ();

  if (type == 0) {
    type = g_boxed_type_register_static ("RetroTestCounted", copy_counted,
        free_counted);
    table.type = type;
    gst_value_register (&table);
    gst_tag_register_static ("retro-test-counted", GST_TAG_FLAG_META, type,
        "counted", "counted", gst_tag_merge_use_first);
  }
  for (guint i = 1; i <= count; i++) {
    GValue value = G_VALUE_INIT;
    g_value_init (&value, type);
    g_value_set_boxed (&value, GUINT_TO_POINTER (i));
    gst_tag_list_add_value (tags, mode, "retro-test-counted", &value);
    g_value_unset (&value);
  }
  return tags;
}

/* A file may have 50,000 comments. If the same comments arrive in a different
 * order, the element must not search the whole list for each comment. */
TEST (tags_are_compared_one_by_one)
{
  RetroPlay *play = retro_play_new_plain ("revbuf direction=reverse "
      "block-time=200000000", 40000);
  GstTagList *up = counted_tags (300, GST_TAG_MERGE_APPEND);
  GstTagList *down = counted_tags (300, GST_TAG_MERGE_PREPEND);

  play->knobs->tells_tags = TRUE;
  play->knobs->tags[0] = up;
  play->knobs->tags[1] = down;
  g_atomic_int_set (&n_compared, 0);
  assert_reversed (play);
  fail_unless (g_atomic_int_get (&n_compared)
      <= 300 * g_atomic_int_get (&play->source->seeks));
  fail_unless (retro_test_n_events (&play->out, GST_EVENT_TAG) > 1);
  retro_play_free (play);
  gst_tag_list_unref (up);
  gst_tag_list_unref (down);
}

TEST (plays_again_after_null)
{
  AUTO_PLAY play = retro_play_new_plain ("revbuf direction=reverse "
      "block-time=200000000", 30000);
  guint n;

  for (n = 0; n < 3; n++) {
    retro_play_run (play);
    retro_test_assert_down (&play->out, 0, 30000);
    retro_play_assert_sound (play, 0, RETRO_PLAY_JOINED);
    retro_play_rewind (play);
  }
}
