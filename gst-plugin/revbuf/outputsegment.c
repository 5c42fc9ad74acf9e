/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "revbuf/outputsegment.h"
#include "common/pcmbuffer.h"

#include <timeline.h>

/* Sinks and encoders of GStreamer put up with timestamps that are off by 40 ms,
 * our own elements with 1/32 s. */
#define MAX_STEP_NS (GST_SECOND / 32)

void
gst_revbuf_output_count_from (GstRevBufOutput * output, GstClockTime base_ns,
    gdouble rate)
{
  output->base_ns = base_ns;
  output->frames = 0;
  output->rate = rate;
}

/* From the count of all frames, so that a thousand segments do not drift. */
GstClockTime
gst_revbuf_output_running_time (const GstRevBufOutput * output)
{
  GstClockTime played_ns = 0;

  if (GST_AUDIO_INFO_IS_VALID (&output->info))
    played_ns = gst_util_uint64_scale_int (output->frames, GST_SECOND,
        GST_AUDIO_INFO_RATE (&output->info));
  if (output->rate != 1.0)
    played_ns = timedsp_scale_time (played_ns, 1 / output->rate);
  return output->base_ns + played_ns;
}

static void
send_caps (GstRevBufOutput * output)
{
  GstCaps *now = gst_pad_get_current_caps (output->srcpad);
  GstAudioInfo info;

  if (now == NULL || !gst_audio_info_from_caps (&info, now)
      || !gst_audio_info_is_equal (&info, &output->info)) {
    GstCaps *caps = gst_audio_info_to_caps (&output->info);

    gst_pad_push_event (output->srcpad, gst_event_new_caps (caps));
    gst_caps_unref (caps);
  }
  gst_clear_caps (&now);
}

void
gst_revbuf_output_start (GstRevBufOutput * output, const GstSegment * app,
    TimeDSPDirection direction, GstClockTime first_ns, GstClockTime end_ns)
{
  GstSegment *segment = &output->segment;

  gst_segment_init (segment, GST_FORMAT_TIME);
  segment->flags = app->flags;
  segment->rate = output->rate;
  segment->applied_rate = direction == TIMEDSP_BACKWARD ? -1.0 : 1.0;
  segment->base = gst_revbuf_output_running_time (output);
  segment->start = segment->time = segment->position = first_ns;
  segment->stop = end_ns;
  segment->duration = app->duration;

  send_caps (output);
  output->open = gst_retro_filter_send_segment (output->filter, segment);

  /* where only the direction changes, the sound goes on without a break */
  if (output->discont
      || output->clock.rate != GST_AUDIO_INFO_RATE (&output->info))
    gst_retro_clock_clear (&output->clock, GST_AUDIO_INFO_RATE (&output->info));
  gst_retro_clock_start (&output->clock, first_ns);
  output->clock.discont = output->discont;
  output->discont = FALSE;
}

gint64
gst_revbuf_output_frames_left (const GstRevBufOutput * output)
{
  GstClockTime now_ns = gst_retro_clock_now (&output->clock);

  if (output->open)
    return G_MAXINT64;
  return gst_util_uint64_scale_int_round (output->segment.stop - MIN (now_ns,
          output->segment.stop), output->clock.rate, GST_SECOND);
}

/* Whether timestamps can go back so far that @n_frames end at the stop, without
 * anybody downstream taking that for a jump. */
static gboolean
step_back (GstRevBufOutput * output, gint64 n_frames)
{
  GstClockTime needed_ns =
      gst_util_uint64_scale_int_ceil (n_frames, GST_SECOND, output->clock.rate);
  GstClockTime room_ns = output->segment.stop - MIN (output->segment.stop,
      gst_retro_clock_now (&output->clock));
  gboolean discont = output->clock.discont;

  if (needed_ns > room_ns + MAX_STEP_NS
      || needed_ns > output->segment.stop - output->segment.start)
    return FALSE;
  gst_retro_clock_start (&output->clock, output->segment.stop - needed_ns);
  output->clock.discont = discont;
  return TRUE;
}

void
gst_revbuf_output_make_room (GstRevBufOutput * output, gint64 n_frames)
{
  if (step_back (output, n_frames))
    return;
  output->segment.flags &= ~GST_SEGMENT_FLAG_RESET;
  output->segment.stop = gst_retro_clock_now (&output->clock)
      + gst_util_uint64_scale_int_ceil (n_frames, GST_SECOND,
      output->clock.rate);
  gst_retro_filter_send_segment (output->filter, &output->segment);
}

static gboolean
fill (GstBuffer * buffer, const GstRevBufBlock * block,
    TimeDSPDirection direction, gint64 index, gsize n_frames)
{
  const GstAudioInfo *info = &block->run->info;
  gsize stride = gst_retro_info_plane_stride (info);
  gint64 first = direction == TIMEDSP_BACKWARD ?
      index - (gint64) n_frames + 1 : index;
  GstAudioBuffer audio;
  gint p;

  if (!gst_audio_buffer_map (&audio, info, buffer, GST_MAP_WRITE))
    return FALSE;
  for (p = 0; p < audio.n_planes; p++) {
    const guint8 *from = gst_revbuf_block_at (block, p, first);

    if (direction == TIMEDSP_BACKWARD)
      timedsp_reverse (from, audio.planes[p], n_frames, stride);
    else
      memcpy (audio.planes[p], from, n_frames * stride);
  }
  gst_audio_buffer_unmap (&audio);
  return TRUE;
}

GstFlowReturn
gst_revbuf_output_send (GstRevBufOutput * output, const GstRevBufBlock * block,
    TimeDSPDirection direction, gint64 index, gsize n_frames)
{
  GstBuffer *buffer = gst_retro_buffer_new (&block->run->info, n_frames);

  if (buffer == NULL || !fill (buffer, block, direction, index, n_frames)) {
    gst_clear_buffer (&buffer);
    return gst_retro_filter_fail_memory (output->filter);
  }
  gst_retro_clock_stamp (&output->clock, buffer, n_frames);
  output->frames += n_frames;
  return gst_retro_filter_push (output->filter, buffer);
}
