/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * timescale: answers to queries. Position and duration must be right for the output in every
 * format. Upstream answers in frames and bytes, too, but it counts the input.
 */

#include "scalemodel.h"

/* upstream's answers, in input frames */
#define IN_FRAMES 8000

static RetroTestAnswers told = { 123, IN_FRAMES, 2 };

/* Given any factor, and upstream that answers in all formats. When audio has been output, then we
 * get the position and the duration of the output, in time, frames and bytes. */
LOOP_TEST (every_format_is_that_of_the_output, SCALE_N_FACTORS)
{
  ScaleFactor factor = scale_factors[__i__];
  AUTO_TEST t = scale_test_new (factor, "interpolation=linear");

  gst_pad_add_probe (t->h->srcpad, GST_PAD_PROBE_TYPE_QUERY_UPSTREAM,
      retro_test_answer_formats, &told, NULL);
  retro_test_start (t, NULL, 1, 0, PLAIN_NS (IN_FRAMES));
  retro_test_push_cut (t, 0, 4000, retro_test_cuts[5]);
  retro_test_assert_answers (t->element, gst_pad_query_position,
      retro_test_frames_out (t), 1, 2);
  retro_test_assert_answers (t->element, gst_pad_query_duration,
      scale_length (IN_FRAMES, factor), 1, 2);
}

static GstPadProbeReturn
offer_pull (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  GstQuery *query = GST_PAD_PROBE_INFO_QUERY (info);

  if (GST_QUERY_TYPE (query) != GST_QUERY_SCHEDULING)
    return GST_PAD_PROBE_OK;
  gst_query_set_scheduling (query, GST_SCHEDULING_FLAG_SEEKABLE, 1, -1, 0);
  gst_query_add_scheduling_mode (query, GST_PAD_MODE_PULL);
  gst_query_add_scheduling_mode (query, GST_PAD_MODE_PUSH);
  return GST_PAD_PROBE_HANDLED;
}

/* Given upstream that supports pull mode. When downstream asks, then it's only offered push mode,
 * because output bytes don't have a position in the input. */
LOOP_TEST (nothing_can_be_pulled, 2)
{
  AUTO_TEST t = retro_test_new (__i__ ? "timescale factor=2" : "timescale");
  g_autoptr (GstQuery) query = gst_query_new_scheduling ();

  gst_pad_add_probe (t->h->srcpad, GST_PAD_PROBE_TYPE_QUERY_UPSTREAM,
      offer_pull, NULL, NULL);
  retro_test_start (t, NULL, 1, 0, GST_CLOCK_TIME_NONE);
  fail_unless (gst_pad_peer_query (t->h->sinkpad, query));
  fail_if (gst_query_has_scheduling_mode (query, GST_PAD_MODE_PULL));
  fail_unless (gst_query_has_scheduling_mode (query, GST_PAD_MODE_PUSH));
}
