/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "common/frameclock.h"

void
gst_retro_clock_clear (GstRetroClock * clock, gint rate)
{
  clock->rate = rate;
  clock->offset_frames = 0;
  gst_retro_clock_stop (clock);
}

void
gst_retro_clock_start (GstRetroClock * clock, GstClockTime t0_ns)
{
  clock->t0_ns = clock->now_ns = t0_ns;
  clock->frames = 0;
  clock->discont = TRUE;
}

GstClockTime
gst_retro_clock_after (const GstRetroClock * clock, guint64 n_frames)
{
  if (!GST_CLOCK_TIME_IS_VALID (clock->now_ns) || clock->rate <= 0)
    return GST_CLOCK_TIME_NONE;

  return clock->t0_ns + gst_util_uint64_scale_int (clock->frames + n_frames,
      GST_SECOND, clock->rate);
}

void
gst_retro_clock_advance (GstRetroClock * clock, guint64 n_frames)
{
  clock->now_ns = gst_retro_clock_after (clock, n_frames);
  clock->frames += n_frames;
  clock->offset_frames += n_frames;
  clock->discont = FALSE;
}

void
gst_retro_clock_stamp (GstRetroClock * clock, GstBuffer * buffer,
    guint64 n_frames)
{
  GstClockTime pts = clock->now_ns;
  guint64 offset = clock->offset_frames;
  gboolean discont = clock->discont;

  gst_retro_clock_advance (clock, n_frames);
  GST_BUFFER_PTS (buffer) = pts;
  GST_BUFFER_DTS (buffer) = GST_CLOCK_TIME_NONE;
  GST_BUFFER_DURATION (buffer) = clock->now_ns - pts;
  GST_BUFFER_OFFSET (buffer) = offset;
  GST_BUFFER_OFFSET_END (buffer) = clock->offset_frames;
  if (discont)
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
  else
    GST_BUFFER_FLAG_UNSET (buffer, GST_BUFFER_FLAG_DISCONT);
  GST_BUFFER_FLAG_UNSET (buffer, GST_BUFFER_FLAG_RESYNC);
}
