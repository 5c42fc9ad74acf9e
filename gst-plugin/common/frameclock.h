/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * frameclock: timestamps for a run of consecutive frames.
 */

#pragma once

#include <gst/gst.h>
#include <timedsp.h>

/* A run is a series of frames without a jump in time, so frame n is at `t0_ns + n / rate`. The
 * clock counts frames instead of adding durations, so hours of audio don't drift. */
typedef struct
{
  gint rate;                    /* frames per second */
  GstClockTime t0_ns;           /* time of the first frame of the run */
  GstClockTime now_ns;          /* time of the next frame. NONE: there's no run */
  guint64 frames;               /* number of frames stamped in this run */
  guint64 offset_frames;        /* number of frames stamped since
                                 * gst_retro_clock_clear() */
  gboolean discont;             /* the next buffer is the first of a run */
} GstRetroClock;

/* Ends the run, sets the rate, and resets the frame offsets of buffers to 0. */
void gst_retro_clock_clear (GstRetroClock * clock, gint rate);

/* Starts a run at @t0_ns. Its first buffer is marked DISCONT. */
void gst_retro_clock_start (GstRetroClock * clock, GstClockTime t0_ns);

/* Time of the frame @n_frames after the next one, or NONE if the clock isn't running. */
GstClockTime gst_retro_clock_after (const GstRetroClock * clock,
    guint64 n_frames);

/* Sets PTS, duration, offsets and the DISCONT flag of @buffer, which must be writable and
 * contain @n_frames, and advances the clock by @n_frames. */
void gst_retro_clock_stamp (GstRetroClock * clock, GstBuffer * buffer,
    guint64 n_frames);

/* Advances the clock by @n_frames without stamping anything. */
void gst_retro_clock_advance (GstRetroClock * clock, guint64 n_frames);

/* Ends the run. The next run continues the frame offsets. */
static inline void
gst_retro_clock_stop (GstRetroClock * clock)
{
  gst_retro_clock_start (clock, GST_CLOCK_TIME_NONE);
}

static inline gboolean
gst_retro_clock_is_running (const GstRetroClock * clock)
{
  return GST_CLOCK_TIME_IS_VALID (clock->now_ns);
}

/* The frame nearest to @time_ns, at most TIMEDSP_MAX_FRAMES. Timestamps are rounded to 1 ns, but
 * below 5 × 10^8 frames per second, each still leads back to its own frame. */
static inline gint64
gst_retro_frame_at (GstClockTime time_ns, gint rate)
{
  return MIN (gst_util_uint64_scale_round (time_ns, rate, GST_SECOND),
      TIMEDSP_MAX_FRAMES);
}

/* The time of @frame, or 0 if it's negative. */
static inline GstClockTime
gst_retro_time_at (gint64 frame, gint rate)
{
  return gst_util_uint64_scale (MAX (frame, 0), GST_SECOND, rate);
}

/* The absolute difference of two times. It may exceed the range of GstClockTimeDiff. */
static inline GstClockTime
gst_retro_clock_apart (GstClockTime one_ns, GstClockTime other_ns)
{
  return MAX (one_ns, other_ns) - MIN (one_ns, other_ns);
}
