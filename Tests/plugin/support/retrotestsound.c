/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * retro_play_assert_sound() of retrotestplay.h: consistency of the output.
 */

#include "retrotestplay.h"

typedef struct
{
  RetroPlay *play;
  const guint64 *heard;         /* the frames that have not been checked yet */
  GstSegment segment;
  RetroPlayLegs legs;
  gboolean flushing, leg_begins, discont;
  guint64 last;                 /* the last frame. G_MAXUINT64 if there is none */
  guint64 leg_frames;           /* number of frames since the last flush or change of
                                 * rate */
  GstClockTime base_ns;         /* running time of the first of these frames */
  GstClockTime stepped_ns;      /* how far timestamps have gone back since the beginning of
                                 * the segment */
  gdouble rate;
  guint flushes;
} Check;

static GstClockTime
due_ns (const Check * c)
{
  return c->base_ns + (GstClockTime) (retro_test_time (&c->play->out.info,
          c->leg_frames) / c->rate);
}

static void
check_segment (Check * c, GstEvent * event)
{
  GstClockTime due = due_ns (c);

  gst_event_copy_segment (event, &c->segment);
  fail_unless (c->segment.format == GST_FORMAT_TIME);
  fail_unless (c->segment.rate > 0);
  fail_unless (ABS (c->segment.applied_rate) == 1.0);
  if (c->segment.rate != c->rate) {
    c->base_ns = due;
    c->leg_frames = 0;
    c->rate = c->segment.rate;
  }
  c->leg_begins = TRUE;
  c->stepped_ns = 0;
}

static void
check_flush_stop (Check * c, GstEvent * event)
{
  gboolean resets_time;

  gst_event_parse_flush_stop (event, &resets_time);
  fail_unless (resets_time);
  c->flushes++;
  c->flushing = FALSE;
  c->discont = TRUE;
  c->last = G_MAXUINT64;
  c->leg_frames = c->base_ns = 0;
}

/* The tolerance of stream times: half a frame, plus the errors of timestamps that the
 * knobs cause. */
static gint64
tolerance_ns (const RetroTestKnobs * knobs)
{
  return retro_test_time (&knobs->info, 2 * (knobs->shift_frames
          + (gint64) knobs->behind_frames) + 1) / 2 + knobs->rounding_ns;
}

static void
check_stream_time (const Check * c, GstBuffer * buffer, guint64 first,
    gint step)
{
  GstClockTime expected = retro_test_time (&c->play->out.info,
      step > 0 ? first : first + 1);
  GstClockTime actual = gst_segment_to_stream_time (&c->segment,
      GST_FORMAT_TIME, GST_BUFFER_PTS (buffer));

  fail_unless (GST_CLOCK_TIME_IS_VALID (actual)
      && ABS (GST_CLOCK_DIFF (expected, actual))
      < tolerance_ns (c->play->knobs),
      "frame %" G_GUINT64_FORMAT " has stream time %" GST_TIME_FORMAT, first,
      GST_TIME_ARGS (actual));
}

static gboolean
is_numbered_wrongly (const RetroTestKnobs * knobs)
{
  return knobs->shift_frames > 0 || knobs->behind_frames > 0
      || knobs->rounding_ns > 0;
}

/* Checks the running time. If upstream's timestamps cover less time than its frames
 * last, timestamps in the output may go back a little. */
static void
check_running_time (Check * c, GstBuffer * buffer)
{
  GstClockTime actual = gst_segment_to_running_time (&c->segment,
      GST_FORMAT_TIME, GST_BUFFER_PTS (buffer));
  GstClockTime due = due_ns (c) - c->stepped_ns;

  if (is_numbered_wrongly (c->play->knobs) && actual + 2 < due) {
    fail_unless (due - actual <= GST_SECOND / 32);
    c->stepped_ns += due - actual;
    due = actual;
  }
  fail_unless (GST_CLOCK_TIME_IS_VALID (actual)
      && ABS (GST_CLOCK_DIFF (due, actual)) <= 2,
      "running time is %" GST_TIME_FORMAT " and not %" GST_TIME_FORMAT,
      GST_TIME_ARGS (actual), GST_TIME_ARGS (due));
}

static void
check_discont (const Check * c, GstBuffer * buffer, gint step)
{
  gboolean sought = c->legs == RETRO_PLAY_SOUGHT && c->leg_begins;
  gboolean expected = c->discont || (sought && c->heard[0] != c->last + step);

  /* after a seek to the position that was reached anyway, DISCONT may be set or not */
  fail_unless (!!GST_BUFFER_IS_DISCONT (buffer) == !!expected || sought,
      "DISCONT is not as it should be at frame %" G_GUINT64_FORMAT,
      c->heard[0]);
}

static void
check_buffer (Check * c, GstBuffer * buffer)
{
  gsize n_frames = retro_test_buffer_frames (&c->play->out, buffer), n;
  gint step = c->segment.applied_rate > 0 ? 1 : -1;

  fail_unless (!c->flushing);
  fail_unless (GST_BUFFER_PTS (buffer) >= c->segment.start);
  fail_unless (GST_BUFFER_PTS (buffer) + GST_BUFFER_DURATION (buffer)
      <= c->segment.stop + 1 || c->segment.stop == GST_CLOCK_TIME_NONE);
  check_discont (c, buffer, step);
  check_running_time (c, buffer);
  check_stream_time (c, buffer, c->heard[0], step);
  for (n = 0; n < n_frames; n++, c->last = c->heard[0], c->heard++) {
    fail_unless (c->heard[0] != G_MAXUINT64, "there is no such frame");
    if (c->last != G_MAXUINT64 && (!c->leg_begins
            || c->legs == RETRO_PLAY_JOINED))
      fail_unless_equals_int64 ((gint64) c->heard[0], (gint64) c->last + step);
    c->leg_begins = FALSE;
  }
  c->leg_frames += n_frames;
  c->discont = FALSE;
}

static void
check_item (Check * c, GstMiniObject * item)
{
  if (GST_IS_BUFFER (item)) {
    check_buffer (c, GST_BUFFER_CAST (item));
    return;
  }
  switch (GST_EVENT_TYPE (GST_EVENT_CAST (item))) {
    case GST_EVENT_SEGMENT:
      check_segment (c, GST_EVENT_CAST (item));
      break;
    case GST_EVENT_FLUSH_START:
      c->flushing = TRUE;
      break;
    case GST_EVENT_FLUSH_STOP:
      check_flush_stop (c, GST_EVENT_CAST (item));
      break;
    default:
      break;
  }
}

void
retro_play_assert_sound (RetroPlay * play, guint n_flushes, RetroPlayLegs legs)
{
  GArray *heard = retro_play_heard (play);
  Check c = {.play = play,.heard = (const guint64 *) heard->data,
    .discont = TRUE,.legs = legs,.last = G_MAXUINT64,.rate = 1
  };
  guint i;

  for (i = 0; i < play->out.items->len; i++)
    check_item (&c, g_ptr_array_index (play->out.items, i));
  fail_unless_equals_int (c.flushes, n_flushes);
  g_array_unref (heard);
}

/* ---- seeks and their output ----------------------------------------------- */

gboolean
retro_play_seek_to (RetroPlay * play, gdouble rate, GstSeekFlags flags,
    gint64 first, gint64 end)
{
  return retro_play_seek (play, rate, flags, GST_SEEK_TYPE_SET,
      PLAIN_NS (first), end < 0 ? GST_SEEK_TYPE_NONE : GST_SEEK_TYPE_SET,
      end < 0 ? 0 : PLAIN_NS (end));
}

GArray *
retro_play_heard_since (RetroPlay * play, gboolean legs)
{
  GArray *heard = retro_play_heard (play);
  guint i, frames = 0, from = 0;        /* counted in frames */

  for (i = 0; i < play->out.items->len; i++) {
    GstMiniObject *item = g_ptr_array_index (play->out.items, i);

    if (GST_IS_BUFFER (item))
      frames += retro_test_buffer_frames (&play->out, GST_BUFFER_CAST (item));
    else if (GST_EVENT_TYPE (item) == GST_EVENT_FLUSH_STOP
        || (legs && GST_EVENT_TYPE (item) == GST_EVENT_SEGMENT))
      from = frames;
  }
  g_array_remove_range (heard, 0, from);
  return heard;
}

void
retro_play_assert_heard (RetroPlay * play, gboolean flushed, gboolean backward,
    guint64 first, guint64 end)
{
  g_autoptr (GArray) heard = retro_play_heard_since (play, !flushed);
  guint64 n;

  fail_unless (heard->len == end - first, "%u frames were heard and not %"
      G_GUINT64_FORMAT, heard->len, end - first);
  for (n = 0; n < heard->len; n++) {
    guint64 due = backward ? end - 1 - n : first + n;

    fail_unless_equals_uint64 (g_array_index (heard, guint64, n), due);
  }
}

void
retro_play_assert_played (RetroPlay * play, guint n_flushes, gboolean backward,
    guint64 first, guint64 end)
{
  retro_play_assert_heard (play, n_flushes > 0, backward, first, end);
  retro_play_assert_sound (play, n_flushes, RETRO_PLAY_SOUGHT);
  retro_play_free (play);
}

void
retro_play_finish_with (RetroPlay * play, guint n_flushes, gboolean backward,
    guint64 first, guint64 end)
{
  retro_play_finish (play);
  retro_play_assert_played (play, n_flushes, backward, first, end);
}
