/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * revbuf: segments without times, flushes that keep the running time, and what seeks have to
 * keep.
 */

#include "retrotestplay.h"

#define NONE GST_CLOCK_TIME_NONE

/* ---- segments without times --------------------------------------------------- */

static const gchar *const inert[] = { "revbuf", "revbuf mode=seek",
  "revbuf mode=collect", "revbuf mode=chunk"
};

static const gchar *const active[] = { "revbuf direction=reverse",
  "revbuf direction=reverse mode=seek", "revbuf direction=reverse mode=collect",
  "revbuf direction=reverse mode=chunk", "revbuf loop=repeat"
};

/* Given an element that doesn't change anything. When a segment in bytes or frames arrives, then
 * segment, buffers and EOS pass, and nothing is reported. */
LOOP_TEST (inert_it_passes_segments_in_any_format, 2 * G_N_ELEMENTS (inert))
{
  AUTO_TEST t = retro_test_new (inert[__i__ / 2]);

  retro_test_assert_untimed_passes (t, retro_test_untimed[__i__ % 2]);
}

/* Given an element that reverses or loops. When a segment in bytes or frames arrives, then no
 * audio is output, and one error says what's missing. */
LOOP_TEST (active_it_needs_times, 2 * G_N_ELEMENTS (active))
{
  AUTO_TEST t = retro_test_new (active[__i__ / 2]);

  retro_test_start_untimed (t, retro_test_untimed[__i__ % 2]);
  /* a source stops after the first buffer that is refused */
  fail_unless (gst_harness_push (t->h, retro_test_untimed_buffer (t,
              0)) != GST_FLOW_OK);
  fail_unless_equals_uint64 (retro_test_frames_out (t), 0);
  retro_test_assert_asks_for_times (t);
  fail_unless_equals_int (retro_test_take_messages (t, GST_MESSAGE_ERROR), 0);
}

/* Given audio without times that passes. When the direction changes, then this is reported once,
 * and no frame is output in the wrong place. */
LOOP_TEST (a_turn_that_comes_later_is_told, RETRO_TEST_N_UNTIMED)
{
  AUTO_TEST t = retro_test_new ("revbuf");
  guint told, i;

  retro_test_start_untimed (t, retro_test_untimed[__i__]);
  gst_harness_push (t->h, retro_test_untimed_buffer (t, 0));
  gst_util_set_object_arg (G_OBJECT (t->element), "direction", "reverse");
  for (i = 1; i < 5; i++)
    gst_harness_push (t->h, retro_test_untimed_buffer (t, i * 100));
  retro_test_eos (t);
  retro_test_assert_up (t, 0, retro_test_frames_out (t));
  told = retro_test_take_messages (t, GST_MESSAGE_WARNING | GST_MESSAGE_ERROR);
  fail_unless_equals_int (told, 1);
}

/* ---- flushes ---------------------------------------------------------------------- */

static const struct
{
  const gchar *description;
  gdouble rate;
} flushed[] = {
  {"revbuf", 1}, {"revbuf direction=reverse mode=collect", 1},
  {"revbuf direction=reverse mode=chunk block-time=12500000", 1}, {"revbuf", -1}
};

/* Given a stream in which a second of audio has arrived. When a flush that keeps or resets the
 * running time passes, then it's forwarded unchanged, and the output of the next segment begins
 * at the running time of that segment. */
LOOP_TEST (a_flush_leaves_as_it_came, 2 * G_N_ELEMENTS (flushed))
{
  gboolean resets = __i__ % 2, reset_time;
  gdouble rate = flushed[__i__ / 2].rate;
  AUTO_TEST t = retro_test_plain (flushed[__i__ / 2].description, rate,
      PLAIN_NS (8000));
  GstSegment in = retro_test_segment (rate, PLAIN_NS (80000),
      PLAIN_NS (81000));
  GstEvent *stop = gst_event_new_flush_stop (resets);

  retro_test_push (t, 0, 8000);
  retro_test_clear (t);
  fail_unless (gst_harness_push_event (t->h, gst_event_new_flush_start ()));
  fail_unless (gst_harness_push_event (t->h, gst_event_ref (stop)));
  fail_unless_equals_int (retro_test_n_events (t, GST_EVENT_FLUSH_STOP), 1);
  gst_event_parse_flush_stop (retro_test_nth_event (t, GST_EVENT_FLUSH_STOP, 0),
      &reset_time);
  fail_unless_equals_int (reset_time, resets);
  fail_unless_equals_uint64 (gst_event_get_seqnum (retro_test_nth_event (t,
              GST_EVENT_FLUSH_STOP, 0)), gst_event_get_seqnum (stop));
  gst_event_unref (stop);

  in.base = resets ? 0 : GST_SECOND;
  retro_test_send_segment (t, &in);
  retro_test_push (t, 80000, 1000);
  retro_test_eos (t);
  fail_unless_equals_uint64 (retro_test_frames_out (t), 1000);
  fail_unless_equals_clocktime (retro_test_running_begin (t), in.base);
}

/* ---- a flush from upstream in mode=seek -------------------------------------------- */

#define N_FRAMES 60000
#define KEPT_BASE (100 * GST_SECOND)

/* Makes the flush of seek number @data keep the running time, which continues at KEPT_BASE. */
static GstPadProbeReturn
keep_running_time (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  GstEvent *event = GST_PAD_PROBE_INFO_EVENT (info), *kept = NULL;
  GstSegment segment;

  if (gst_event_get_seqnum (event) != *(guint32 *) data)
    return GST_PAD_PROBE_OK;
  if (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_STOP) {
    kept = gst_event_new_flush_stop (FALSE);
  } else if (GST_EVENT_TYPE (event) == GST_EVENT_SEGMENT) {
    gst_event_copy_segment (event, &segment);
    segment.base = KEPT_BASE;
    kept = gst_event_new_segment (&segment);
  }
  if (kept != NULL) {
    gst_event_set_seqnum (kept, gst_event_get_seqnum (event));
    gst_event_unref (event);
    GST_PAD_PROBE_INFO_DATA (info) = kept;
  }
  return GST_PAD_PROBE_OK;
}

/* Given a stream that is fetched in blocks. When upstream flushes it without a reset of the
 * running time, then downstream sees this flush, and the running time continues. */
TEST (a_foreign_flush_keeps_the_running_time)
{
  AUTO_PLAY play = retro_play_new_plain ("revbuf direction=reverse mode=seek "
      "block-time=300000000", N_FRAMES);
  GstEvent *seek = gst_event_new_seek (1, GST_FORMAT_TIME,
      GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_ACCURATE, GST_SEEK_TYPE_SET,
      PLAIN_NS (10000), GST_SEEK_TYPE_SET, PLAIN_NS (25000));
  guint32 seqnum = gst_event_get_seqnum (seek);
  gboolean reset_time;
  GstSegment after;

  retro_play_start (play, 3200);
  retro_play_probe (play->source, "src", GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM
      | GST_PAD_PROBE_TYPE_EVENT_FLUSH, keep_running_time, &seqnum);
  fail_unless (gst_element_send_event (GST_ELEMENT (play->source), seek));
  retro_play_finish (play);
  retro_play_stop (play);
  fail_unless_equals_int (retro_test_n_events (&play->out,
          GST_EVENT_FLUSH_STOP), 1);
  gst_event_parse_flush_stop (retro_test_nth_event (&play->out,
          GST_EVENT_FLUSH_STOP, 0), &reset_time);
  fail_if (reset_time);
  after = retro_test_nth_segment (&play->out, 1);
  fail_unless_equals_clocktime (gst_segment_to_running_time (&after,
          GST_FORMAT_TIME, after.start), KEPT_BASE);
}

/* ---- seeks --------------------------------------------------------------------------- */

static const struct
{
  const gchar *description;
  gdouble rate;
  gint64 stop;
} sought[] = {
  {"revbuf", 1, -1}, {"revbuf", -1, GST_SECOND}, {"revbuf mode=chunk", 2, -1},
  {"revbuf direction=reverse", 1, -1},  /* becomes a range that starts at 0 */
  {"revbuf direction=reverse mode=collect", 1, 2 * GST_SECOND},
  {"revbuf direction=reverse mode=collect", 1, -1}
};

/* Given any mode. When a seek with an interval for trick modes goes upstream, then it arrives
 * with that interval and its number. */
LOOP_TEST (a_seek_keeps_its_interval, G_N_ELEMENTS (sought))
{
  AUTO_TEST t = retro_test_new (sought[__i__].description);
  GstEvent *seek = gst_event_new_seek (sought[__i__].rate, GST_FORMAT_TIME,
      GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_TRICKMODE, GST_SEEK_TYPE_SET,
      GST_SECOND / 2, GST_SEEK_TYPE_SET, sought[__i__].stop);

  retro_test_assert_keeps_interval (t, seek);
}
