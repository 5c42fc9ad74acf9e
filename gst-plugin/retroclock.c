/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "retroclock.h"

void
retro_clock_clear (RetroClock * clock, gint rate)
{
  clock->rate = rate;
  clock->offset_frames = 0;
  retro_clock_start (clock, GST_CLOCK_TIME_NONE);
}

void
retro_clock_start (RetroClock * clock, GstClockTime t0_ns)
{
  clock->t0_ns = clock->now_ns = t0_ns;
  clock->frames = 0;
  clock->discont = TRUE;
}

void
retro_clock_stop (RetroClock * clock)
{
  clock->t0_ns = clock->now_ns = GST_CLOCK_TIME_NONE;
}

gboolean
retro_clock_is_running (const RetroClock * clock)
{
  return GST_CLOCK_TIME_IS_VALID (clock->t0_ns);
}

GstClockTime
retro_clock_now (const RetroClock * clock)
{
  return clock->now_ns;
}

GstClockTime
retro_clock_after (const RetroClock * clock, guint64 n_frames)
{
  if (!retro_clock_is_running (clock) || clock->rate <= 0)
    return GST_CLOCK_TIME_NONE;

  return clock->t0_ns + gst_util_uint64_scale_int (clock->frames + n_frames,
      GST_SECOND, clock->rate);
}

void
retro_clock_stamp (RetroClock * clock, GstBuffer * buffer, guint64 n_frames)
{
  GstClockTime pts = clock->now_ns;

  clock->now_ns = retro_clock_after (clock, n_frames);
  clock->frames += n_frames;

  GST_BUFFER_PTS (buffer) = pts;
  GST_BUFFER_DTS (buffer) = GST_CLOCK_TIME_NONE;
  GST_BUFFER_DURATION (buffer) = clock->now_ns - pts;
  GST_BUFFER_OFFSET (buffer) = clock->offset_frames;
  GST_BUFFER_OFFSET_END (buffer) = clock->offset_frames + n_frames;
  clock->offset_frames += n_frames;

  if (clock->discont)
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
  else
    GST_BUFFER_FLAG_UNSET (buffer, GST_BUFFER_FLAG_DISCONT);
  GST_BUFFER_FLAG_UNSET (buffer, GST_BUFFER_FLAG_RESYNC);
  clock->discont = FALSE;
}
