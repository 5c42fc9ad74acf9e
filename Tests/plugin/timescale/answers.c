/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * timescale: answers to queries. Position and duration are those of the output in every format.
 * Upstream answers in frames and bytes, too, but it counts those of the input.
 */

#include "scalemodel.h"

/* what upstream tells, in frames of the input */
#define IN_FRAMES 8000
#define IN_POSITION 123

/* Answers as a parser does, which knows all formats of its own output. */
static GstPadProbeReturn
answer (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  GstQuery *query = GST_PAD_PROBE_INFO_QUERY (info);
  gboolean is_position = GST_QUERY_TYPE (query) == GST_QUERY_POSITION;
  GstFormat format;
  gint64 unit;

  if (!is_position && GST_QUERY_TYPE (query) != GST_QUERY_DURATION)
    return GST_PAD_PROBE_OK;
  if (is_position)
    gst_query_parse_position (query, &format, NULL);
  else
    gst_query_parse_duration (query, &format, NULL);
  unit = format == GST_FORMAT_TIME ? PLAIN_NS (1) :
      format == GST_FORMAT_BYTES ? 2 : 1;
  if (is_position)
    gst_query_set_position (query, format, IN_POSITION * unit);
  else
    gst_query_set_duration (query, format, IN_FRAMES * unit);
  return GST_PAD_PROBE_HANDLED;
}

static gint64
ask (RetroTest * t, gboolean (*query) (GstPad *, GstFormat, gint64 *),
    GstFormat format)
{
  gint64 value = -1;

  fail_unless (query (t->h->sinkpad, format, &value), "no answer in %s",
      gst_format_get_name (format));
  return value;
}

/* Asserts that the answers in all formats are the same place: @frames, of two bytes each. */
static void
assert_answers (RetroTest * t, gboolean (*query) (GstPad *, GstFormat,
        gint64 *), guint64 frames)
{
  gint64 in_frames = ask (t, query, GST_FORMAT_DEFAULT);

  fail_unless (ABS (in_frames - (gint64) frames) <= 1, "%" G_GINT64_FORMAT
      " frames instead of %" G_GUINT64_FORMAT, in_frames, frames);
  fail_unless_equals_int64 (ask (t, query, GST_FORMAT_BYTES), 2 * in_frames);
  fail_unless (ABS (ask (t, query, GST_FORMAT_TIME)
          - (gint64) PLAIN_NS (in_frames)) <= (gint64) PLAIN_NS (1));
}

/* Given any factor, and upstream that answers in all formats. When audio has left, then position
 * and duration are those of the output, in time, frames and bytes. */
LOOP_TEST (every_format_is_that_of_the_output, SCALE_N_FACTORS)
{
  ScaleFactor factor = scale_factors[__i__];
  AUTO_TEST t = scale_test_new (factor, "interpolation=linear");

  gst_pad_add_probe (t->h->srcpad, GST_PAD_PROBE_TYPE_QUERY_UPSTREAM, answer,
      NULL, NULL);
  retro_test_start (t, NULL, 1, 0, PLAIN_NS (IN_FRAMES));
  retro_test_push_cut (t, 0, 4000, retro_test_cuts[5]);
  assert_answers (t, gst_pad_peer_query_position, retro_test_frames_out (t));
  assert_answers (t, gst_pad_peer_query_duration, scale_length (IN_FRAMES,
          factor));
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

/* Given upstream from which audio could be pulled. When downstream asks, then it is offered only
 * to be pushed to, because bytes of the output have no place in the input. */
LOOP_TEST (nothing_can_be_pulled, 2)
{
  AUTO_TEST t = retro_test_new (__i__ ? "timescale factor=2" : "timescale");
  g_autoptr (GstQuery) query = gst_query_new_scheduling ();

  gst_pad_add_probe (t->h->srcpad, GST_PAD_PROBE_TYPE_QUERY_UPSTREAM,
      offer_pull, NULL, NULL);
  retro_test_start (t, NULL, 1, 0, GST_CLOCK_TIME_NONE);
  if (gst_pad_peer_query (t->h->sinkpad, query))
    fail_if (gst_query_has_scheduling_mode (query, GST_PAD_MODE_PULL));
}
