/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * revbufleg: what is sent of a window: legs of one direction, each on a segment
 * of its own, in one running time.
 */

#ifndef REV_BUF_LEG_H
#define REV_BUF_LEG_H

#include "gstretrofilter.h"
#include "retroclock.h"
#include "revbufwindow.h"

G_BEGIN_DECLS

/**
 * RevBufLeg:
 * @base_ns: running time at which counting began
 * @frames: sent since then
 * @open: downstream knows no stop of @segment
 * @discont: the next buffer does not follow the one before it
 */
typedef struct
{
  GstRetroFilter *filter;
  GstPad *srcpad;
  GstAudioInfo info;
  gdouble rate;                 /* above 0 */
  GstClockTime base_ns;
  guint64 frames;
  RetroClock clock;
  GstSegment segment;
  gboolean open;
  gboolean discont;
} RevBufLeg;

/* Counts running time from @base_ns on, at playback rate @rate. */
void rev_buf_leg_count_from (RevBufLeg * leg, GstClockTime base_ns,
    gdouble rate);

/* Running time of the frame sent next. */
GstClockTime rev_buf_leg_running_time (const RevBufLeg * leg);

/**
 * rev_buf_leg_start:
 * @app: what the application asked for: flags
 * @first_ns, @end_ns: what the leg covers of the stream, at most; @end_ns NONE:
 *   not known (forward only)
 *
 * Sends caps where they are new, and the leg's segment. Backward, its first
 * frame is the one before @end_ns; forward, the one at @first_ns.
 */
void rev_buf_leg_start (RevBufLeg * leg, const GstSegment * app,
    TimeDSPDirection direction, GstClockTime first_ns, GstClockTime end_ns);

/* Frames that fit before the stop of the leg's segment; G_MAXINT64: all. */
gint64 rev_buf_leg_frames_left (const RevBufLeg * leg);

/**
 * rev_buf_leg_make_room:
 * @n_frames: more than rev_buf_leg_frames_left()
 *
 * Lets @n_frames fit before the stop of the leg's segment. Timestamps go back by
 * the time that is missing, up to 1/32 s. Where more is missing, a corrected
 * segment is sent; it is the last resort, for encoders start over with it.
 */
void rev_buf_leg_make_room (RevBufLeg * leg, gint64 n_frames);

/* Sends @n_frames of @block: from @place on, or from it down. */
GstFlowReturn rev_buf_leg_send (RevBufLeg * leg, const RevBufBlock * block,
    TimeDSPDirection direction, gint64 place, gsize n_frames);

G_END_DECLS
#endif /* REV_BUF_LEG_H */
