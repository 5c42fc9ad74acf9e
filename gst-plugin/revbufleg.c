/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "revbufleg.h"
#include "retrobuffer.h"
#include "retrotimemap.h"

/* Sinks and encoders of GStreamer put up with timestamps that are off by 40 ms,
 * our own elements with 1/32 s. */
#define MAX_STEP_NS (GST_SECOND / 32)

void
rev_buf_leg_count_from (RevBufLeg * leg, GstClockTime base_ns, gdouble rate)
{
  leg->base_ns = base_ns;
  leg->frames = 0;
  leg->rate = rate;
}

/* From the count of all frames, so that a thousand legs do not drift. */
GstClockTime
rev_buf_leg_running_time (const RevBufLeg * leg)
{
  GstClockTime played_ns = 0;

  if (GST_AUDIO_INFO_IS_VALID (&leg->info))
    played_ns = gst_util_uint64_scale_int (leg->frames, GST_SECOND,
        GST_AUDIO_INFO_RATE (&leg->info));
  if (leg->rate != 1.0)
    played_ns = retro_scale_time (played_ns, 1 / leg->rate);
  return leg->base_ns + played_ns;
}

static void
send_caps (RevBufLeg * leg)
{
  GstCaps *now = gst_pad_get_current_caps (leg->srcpad);
  GstAudioInfo info;

  if (now == NULL || !gst_audio_info_from_caps (&info, now)
      || !gst_audio_info_is_equal (&info, &leg->info)) {
    GstCaps *caps = gst_audio_info_to_caps (&leg->info);

    gst_pad_push_event (leg->srcpad, gst_event_new_caps (caps));
    gst_caps_unref (caps);
  }
  gst_clear_caps (&now);
}

void
rev_buf_leg_start (RevBufLeg * leg, const GstSegment * app,
    TimeDSPDirection direction, GstClockTime first_ns, GstClockTime end_ns)
{
  GstSegment *segment = &leg->segment;

  gst_segment_init (segment, GST_FORMAT_TIME);
  segment->flags = app->flags;
  segment->rate = leg->rate;
  segment->applied_rate = direction == TIMEDSP_BACKWARD ? -1.0 : 1.0;
  segment->base = rev_buf_leg_running_time (leg);
  segment->start = segment->time = segment->position = first_ns;
  segment->stop = end_ns;
  segment->duration = app->duration;

  send_caps (leg);
  leg->open = gst_retro_filter_send_segment (leg->filter, segment);

  /* where only the direction changes, the sound goes on without a break */
  if (leg->discont || leg->clock.rate != GST_AUDIO_INFO_RATE (&leg->info))
    retro_clock_clear (&leg->clock, GST_AUDIO_INFO_RATE (&leg->info));
  retro_clock_start (&leg->clock, first_ns);
  leg->clock.discont = leg->discont;
  leg->discont = FALSE;
}

gint64
rev_buf_leg_frames_left (const RevBufLeg * leg)
{
  GstClockTime now_ns = retro_clock_now (&leg->clock);

  if (leg->open)
    return G_MAXINT64;
  return gst_util_uint64_scale_int_round (leg->segment.stop - MIN (now_ns,
          leg->segment.stop), leg->clock.rate, GST_SECOND);
}

/* Whether timestamps can go back so far that @n_frames end at the stop, without
 * anybody downstream taking that for a jump. */
static gboolean
step_back (RevBufLeg * leg, gint64 n_frames)
{
  GstClockTime needed_ns =
      gst_util_uint64_scale_int_ceil (n_frames, GST_SECOND, leg->clock.rate);
  GstClockTime room_ns = leg->segment.stop - MIN (leg->segment.stop,
      retro_clock_now (&leg->clock));
  gboolean discont = leg->clock.discont;

  if (needed_ns > room_ns + MAX_STEP_NS
      || needed_ns > leg->segment.stop - leg->segment.start)
    return FALSE;
  retro_clock_start (&leg->clock, leg->segment.stop - needed_ns);
  leg->clock.discont = discont;
  return TRUE;
}

void
rev_buf_leg_make_room (RevBufLeg * leg, gint64 n_frames)
{
  if (step_back (leg, n_frames))
    return;
  leg->segment.flags &= ~GST_SEGMENT_FLAG_RESET;
  leg->segment.stop = retro_clock_now (&leg->clock)
      + gst_util_uint64_scale_int_ceil (n_frames, GST_SECOND, leg->clock.rate);
  gst_retro_filter_send_segment (leg->filter, &leg->segment);
}

static gboolean
fill (GstBuffer * buffer, const RevBufBlock * block,
    TimeDSPDirection direction, gint64 place, gsize n_frames)
{
  const GstAudioInfo *info = &block->take->info;
  gsize stride = retro_info_plane_stride (info);
  gint64 first = direction == TIMEDSP_BACKWARD ?
      place - (gint64) n_frames + 1 : place;
  GstAudioBuffer audio;
  gint p;

  if (!gst_audio_buffer_map (&audio, info, buffer, GST_MAP_WRITE))
    return FALSE;
  for (p = 0; p < audio.n_planes; p++) {
    const guint8 *from = rev_buf_block_at (block, p, first);

    if (direction == TIMEDSP_BACKWARD)
      timedsp_reverse (from, audio.planes[p], n_frames, stride);
    else
      memcpy (audio.planes[p], from, n_frames * stride);
  }
  gst_audio_buffer_unmap (&audio);
  return TRUE;
}

GstFlowReturn
rev_buf_leg_send (RevBufLeg * leg, const RevBufBlock * block,
    TimeDSPDirection direction, gint64 place, gsize n_frames)
{
  GstBuffer *buffer = retro_buffer_new (&block->take->info, n_frames);

  if (buffer == NULL || !fill (buffer, block, direction, place, n_frames)) {
    gst_clear_buffer (&buffer);
    return gst_retro_filter_fail_memory (leg->filter);
  }
  retro_clock_stamp (&leg->clock, buffer, n_frames);
  leg->frames += n_frames;
  return gst_retro_filter_push (leg->filter, buffer);
}
