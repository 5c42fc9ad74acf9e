/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * retroclock: timestamps for a run of frames that follow one another.
 */

#ifndef RETRO_CLOCK_H
#define RETRO_CLOCK_H

#include <gst/gst.h>

G_BEGIN_DECLS

/**
 * RetroClock:
 *
 * Frame n of a run lies at `t0_ns + n / rate`. Counting frames instead of
 * adding up durations is what keeps hours of audio free of drift.
 */
typedef struct
{
  gint rate;                    /* frames per second */
  GstClockTime t0_ns;           /* time of the run's first frame; NONE: no run yet */
  GstClockTime now_ns;          /* time of the run's next frame */
  guint64 frames;               /* stamped in this run */
  guint64 offset_frames;        /* stamped since retro_clock_clear() */
  gboolean discont;             /* the next buffer starts a run */
} RetroClock;

/* No run yet: frame offsets start again at 0. */
void retro_clock_clear (RetroClock * clock, gint rate);

/* Starts a run at @t0_ns; its first buffer is marked DISCONT. */
void retro_clock_start (RetroClock * clock, GstClockTime t0_ns);

/* Ends the run. */
void retro_clock_stop (RetroClock * clock);

gboolean retro_clock_is_running (const RetroClock * clock);

/* Time of the next frame; GST_CLOCK_TIME_NONE where there is no run. */
GstClockTime retro_clock_now (const RetroClock * clock);

/* Time of the frame that comes @n_frames later; likewise. */
GstClockTime retro_clock_after (const RetroClock * clock, guint64 n_frames);

/* Gives writable @buffer, of @n_frames, its PTS, duration, offsets and DISCONT
 * flag, and moves on by @n_frames. */
void retro_clock_stamp (RetroClock * clock, GstBuffer * buffer,
    guint64 n_frames);

/* How far two times are apart, which may be more than a GstClockTimeDiff holds. */
static inline GstClockTime
retro_clock_apart (GstClockTime one_ns, GstClockTime other_ns)
{
  return MAX (one_ns, other_ns) - MIN (one_ns, other_ns);
}

G_END_DECLS
#endif /* RETRO_CLOCK_H */
