/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "common/inputstream.h"
#include "common/pcmbuffer.h"
#include "common/segment.h"

/* A timestamp that's further than this from the end of the previous frames counts as a jump in
 * time. audioresample uses the same tolerance. */
#define JUMP_TOLERANCE_NS (GST_SECOND / 32)

/* The timestamp and the duration of a buffer are each rounded to 1 ns. */
#define ROUNDING_NS 2

void
gst_retro_input_reset (GstRetroInput * input, gboolean caps_too)
{
  if (caps_too)
    gst_audio_info_init (&input->info);
  gst_segment_init (&input->segment, GST_FORMAT_UNDEFINED);
  gst_retro_clock_clear (&input->clock, GST_AUDIO_INFO_RATE (&input->info));
}

void
gst_retro_input_set_info (GstRetroInput * input, const GstAudioInfo * info)
{
  GstClockTime now_ns = input->clock.now_ns;

  input->info = *info;
  gst_retro_clock_clear (&input->clock, GST_AUDIO_INFO_RATE (info));
  gst_retro_clock_start (&input->clock, now_ns);
}

void
gst_retro_input_set_segment (GstRetroInput * input, const GstSegment * segment)
{
  input->segment = *segment;
  if (!GST_CLOCK_TIME_IS_VALID (segment->start))
    input->segment.start = 0;
  if (gst_retro_input_awaits_stop (input))
    input->segment.stop = segment->duration;
  gst_retro_clock_clear (&input->clock, GST_AUDIO_INFO_RATE (&input->info));
}

gboolean
gst_retro_input_learn_stop (GstRetroInput * input, GstClockTime end_ns)
{
  GstSegment *segment = &input->segment;

  if (!gst_retro_input_awaits_stop (input))
    return FALSE;
  segment->stop = GST_CLOCK_TIME_IS_VALID (end_ns) ?
      MAX (end_ns, segment->start) : segment->start;
  return TRUE;
}

GstClockTime
gst_retro_input_buffer_end (const GstRetroInput * input, GstBuffer * buffer)
{
  if (!GST_BUFFER_PTS_IS_VALID (buffer))
    return GST_CLOCK_TIME_NONE;
  return GST_BUFFER_PTS (buffer) +
      gst_util_uint64_scale_int (gst_retro_buffer_frames (buffer, &input->info),
      GST_SECOND, GST_AUDIO_INFO_RATE (&input->info));
}

static gboolean
input_is_jump (const GstRetroInput * input, GstClockTime pts, gboolean discont)
{
  GstClockTime now = input->clock.now_ns;
  GstClockTime apart_ns = gst_retro_clock_apart (now, pts);
  GstClockTime frame_ns = GST_SECOND / GST_AUDIO_INFO_RATE (&input->info);

  /* If upstream plays backwards, every block is DISCONT, and some decoders get
   * its timestamps wrong. So only a gap counts as a jump. We join the other
   * blocks in the order they arrive. */
  if (gst_retro_input_is_flipping (input))
    return pts > now && apart_ns > JUMP_TOLERANCE_NS;

  return apart_ns > (discont ? frame_ns : JUMP_TOLERANCE_NS);
}

/* Returns the whole frames of @buffer (transfer full) that are inside the segment, or NULL if
 * there are none. Sets *@n_frames to their number. */
static GstBuffer *
input_clip (const GstRetroInput * input, GstBuffer * buffer, gsize * n_frames)
{
  gsize bpf = GST_AUDIO_INFO_BPF (&input->info);
  gsize bytes = gst_buffer_get_size (buffer);
  GstClockTime pts = GST_BUFFER_PTS (buffer);

  if (bytes % bpf != 0 && gst_buffer_get_audio_meta (buffer) == NULL) {
    GST_WARNING ("dropping a partial frame at the end of %" GST_PTR_FORMAT,
        buffer);
    buffer = gst_buffer_make_writable (buffer);
    gst_buffer_set_size (buffer, bytes / bpf * bpf);
  }
  /* if the timestamp is later than the end of the previous audio, but not by enough for a jump, we
   * clip by that end */
  if (!gst_retro_input_is_flipping (input)
      && !input_is_jump (input, pts, GST_BUFFER_IS_DISCONT (buffer)))
    pts = MIN (pts, input->clock.now_ns);
  if (pts != GST_BUFFER_PTS (buffer)) {
    buffer = gst_buffer_make_writable (buffer);
    GST_BUFFER_PTS (buffer) = pts;
  }
  buffer = gst_retro_buffer_clip (buffer, &input->segment, &input->info);
  *n_frames =
      buffer != NULL ? gst_retro_buffer_frames (buffer, &input->info) : 0;
  if (*n_frames == 0)
    gst_clear_buffer (&buffer);
  return buffer;
}

/* Returns TRUE for the usual @buffer, which needs nothing: interleaved frames that play forwards,
 * continue the stream to the nanosecond, and are all inside the segment. Sets *@n_frames. */
static gboolean
input_continues (const GstRetroInput * input, GstBuffer * buffer,
    gsize * n_frames)
{
  const GstSegment *segment = &input->segment;
  gsize bytes = gst_buffer_get_size (buffer);
  gsize bpf = GST_AUDIO_INFO_BPF (&input->info);

  *n_frames = bytes / bpf;
  return bytes > 0 && bytes % bpf == 0 && segment->rate > 0
      && GST_BUFFER_PTS_IS_VALID (buffer)
      && GST_BUFFER_PTS (buffer) == input->clock.now_ns
      && input->clock.now_ns >= segment->start
      && GST_AUDIO_INFO_LAYOUT (&input->info) == GST_AUDIO_LAYOUT_INTERLEAVED
      && gst_buffer_get_audio_meta (buffer) == NULL
      && gst_retro_clock_after (&input->clock, *n_frames) <= segment->stop;
}

gboolean
gst_retro_input_accept (GstRetroInput * input, GstBuffer ** buffer,
    gsize * n_frames)
{
  gboolean discont = GST_BUFFER_IS_DISCONT (*buffer);
  GstClockTime start = input->segment.start, pts;

  if (input_continues (input, *buffer, n_frames))
    return TRUE;
  if (!gst_retro_buffer_is_sound (*buffer, &input->info)) {
    gst_clear_buffer (buffer);
    return FALSE;
  }
  *buffer = input_clip (input, *buffer, n_frames);
  if (*buffer == NULL)
    return TRUE;

  pts = GST_BUFFER_PTS (*buffer);
  if (gst_retro_input_is_flipping (input)) {
    pts = gst_retro_segment_mirror (&input->segment,
        gst_retro_input_buffer_end (input, *buffer));
    *buffer = gst_retro_buffer_reverse (*buffer, &input->info);
    if (*buffer == NULL)
      return FALSE;
  }
  /* Start the clock, or restart it if the stream has jumped. A stream without timestamps begins at
   * the start of the segment. In reversed audio, we compute `pts` from the rounded end of a buffer,
   * so if it's within rounding of the segment's start, we use the start. */
  if (!gst_retro_clock_is_running (&input->clock))
    gst_retro_clock_start (&input->clock, !GST_CLOCK_TIME_IS_VALID (pts)
        || (gst_retro_input_is_flipping (input)
            && gst_retro_clock_apart (start, pts) <= ROUNDING_NS) ? start :
        pts);
  else if (GST_CLOCK_TIME_IS_VALID (pts) && input_is_jump (input, pts, discont))
    gst_retro_clock_start (&input->clock, pts);
  return TRUE;
}

void
gst_retro_input_take_gap (GstRetroInput * input, GstClockTime * pts_ns,
    GstClockTime duration_ns)
{
  gboolean ends = GST_CLOCK_TIME_IS_VALID (duration_ns);
  GstClockTime end_ns = ends ? *pts_ns + duration_ns : *pts_ns;

  if (gst_retro_input_is_flipping (input))
    *pts_ns = gst_retro_segment_mirror (&input->segment, end_ns);
  /* we expect the next audio right after the gap */
  if (ends)
    gst_retro_clock_start (&input->clock, *pts_ns + duration_ns);
}
