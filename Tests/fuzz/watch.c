/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "watch.h"

#include <string.h>

/* GStreamer computes differences of times as signed numbers. Differences between later
 * times may wrap. */
#define LATEST_NS ((GstClockTime) G_MAXINT64 / 2)

static guint64
frames_of (const FuzzWatch * watch, GstBuffer * buffer)
{
  GstAudioMeta *meta = gst_buffer_get_audio_meta (buffer);
  gsize bpf = GST_AUDIO_INFO_BPF (&watch->info);

  if (meta != NULL)
    return meta->samples;
  fail_unless (gst_buffer_get_size (buffer) % bpf == 0,
      "%" G_GSIZE_FORMAT " bytes of %" G_GSIZE_FORMAT,
      gst_buffer_get_size (buffer), bpf);
  return gst_buffer_get_size (buffer) / bpf;
}

/* Requires that a buffer begins where the previous buffer ends. */
static void
check_times (FuzzWatch * watch, GstBuffer * buffer, guint64 n_frames)
{
  GstClockTime pts = GST_BUFFER_PTS (buffer);

  watch->too_late |= pts > LATEST_NS || (watch->has_end
      && watch->end_ns > LATEST_NS);
  if (watch->too_late) {
    watch->has_end = FALSE;     /* the next buffer may be after the wrap */
    return;
  }
  fail_unless (GST_BUFFER_PTS_IS_VALID (buffer)
      && GST_BUFFER_DURATION_IS_VALID (buffer), "%" G_GUINT64_FORMAT " + %"
      G_GUINT64_FORMAT, pts, GST_BUFFER_DURATION (buffer));
  fail_unless_equals_uint64 (GST_BUFFER_OFFSET_END (buffer)
      - GST_BUFFER_OFFSET (buffer), n_frames);
  if (!GST_BUFFER_IS_DISCONT (buffer) && watch->has_end) {
    fail_unless_equals_uint64 (pts, watch->end_ns);
    fail_unless_equals_uint64 (GST_BUFFER_OFFSET (buffer), watch->end_offset);
  }
  fail_unless (ABS (GST_CLOCK_DIFF (retro_test_time (&watch->info, n_frames),
              GST_BUFFER_DURATION (buffer))) <= 1);
  watch->has_end = TRUE;
  watch->end_ns = pts + GST_BUFFER_DURATION (buffer);
  watch->end_offset = GST_BUFFER_OFFSET_END (buffer);
}

static void
check_buffer (FuzzWatch * watch, GstBuffer * buffer)
{
  guint64 n_frames;

  if (!GST_AUDIO_INFO_IS_VALID (&watch->info)) {
    fail_unless (GST_BUFFER_DTS (buffer) == FUZZ_UNTOUCHED_DTS);
    return;
  }
  if (GST_BUFFER_DTS (buffer) == FUZZ_UNTOUCHED_DTS) {
    watch->frames += gst_buffer_get_size (buffer)
        / GST_AUDIO_INFO_BPF (&watch->info);
    watch->has_end = FALSE;
    return;
  }
  n_frames = frames_of (watch, buffer);
  watch->frames += n_frames;
  fail_unless (watch->has_segment);
  fail_unless (n_frames > 0);
  check_times (watch, buffer, n_frames);
}

static void
check_event (FuzzWatch * watch, GstEvent * event)
{
  const GstSegment *segment;
  GstCaps *caps;

  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_CAPS:
      gst_event_parse_caps (event, &caps);
      fail_unless (gst_audio_info_from_caps (&watch->info, caps));
      watch->has_end = FALSE;
      break;
    case GST_EVENT_SEGMENT:
      gst_event_parse_segment (event, &segment);
      /* in a segment without times, buffers pass untouched */
      watch->has_segment = segment->format == GST_FORMAT_TIME;
      fail_unless (!watch->has_segment || segment->rate > 0, "rate %g",
          segment->rate);
      watch->too_late = segment->start > LATEST_NS;
      break;
    case GST_EVENT_FLUSH_STOP:
      watch->has_segment = FALSE;
      watch->has_end = FALSE;
      break;
    default:
      break;
  }
}

static GstPadProbeReturn
look (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  GstMiniObject *item = GST_PAD_PROBE_INFO_DATA (info);
  FuzzWatch *watch = data;

  if (!GST_IS_BUFFER (item)) {
    check_event (watch, GST_EVENT_CAST (item));
    return GST_PAD_PROBE_OK;
  }
  check_buffer (watch, GST_BUFFER_CAST (item));
  if (watch->answer == GST_FLOW_OK)
    return GST_PAD_PROBE_OK;
  gst_buffer_unref (GST_BUFFER_CAST (item));
  GST_PAD_PROBE_INFO_FLOW_RETURN (info) = watch->answer;
  return GST_PAD_PROBE_HANDLED;
}

void
fuzz_watch_clear (FuzzWatch * watch)
{
  watch->answer = GST_FLOW_OK;
  watch->has_end = FALSE;
}

void
fuzz_watch_start (FuzzWatch * watch, GstPad * pad)
{
  memset (watch, 0, sizeof (*watch));
  fuzz_watch_clear (watch);
  gst_audio_info_init (&watch->info);
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER |
      GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM | GST_PAD_PROBE_TYPE_EVENT_FLUSH,
      look, watch, NULL);
}
