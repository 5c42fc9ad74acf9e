/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * play: a stream that is scaled while its factor moves, and the times that come of
 * it.
 */

#ifndef GST_TIMESCALE_PLAY_H
#define GST_TIMESCALE_PLAY_H

#include "timescale/properties.h"
#include "timescale/timeline.h"

G_BEGIN_DECLS

/* All of it belongs to the streaming thread, but for what says otherwise. */
typedef struct
{
  GstRetroFilter *filter;
  const GstTimeScaleSettings *settings; /* under the object lock */
  gdouble new_multiplier;       /* of the rate, from now on; 0: no change; likewise */
  gint asked;                   /* atomic: how often anything has been set */
  gint answered;                /* `asked`, of the last buffer */

  GstTimeScaleStream stream;    /* alignment=stream */
  GstRetroStore *store;         /* alignment=endpoints; NULL before the first frame */
  GstTimeScaleTimeline line;
  GstRetroClock clock;          /* of the output */
  GstClockTime run_ns;          /* input time at which it was started */
  gboolean stop_moved;          /* output ends elsewhere than was said */
  gboolean segment_due;         /* … or is of another applied rate */
} GstTimeScalePlay;

/* @settings: those of the element. @play is zeroed, and never copied. */
void gst_timescale_play_init (GstTimeScalePlay * play, GstRetroFilter * filter,
    const GstTimeScaleSettings * settings);

/* A copy, but for the spill directory. Any thread. */
GstTimeScaleSettings gst_timescale_play_get_settings (const GstTimeScalePlay * play);

/* A setting has changed. Any thread. */
void gst_timescale_play_ask (GstTimeScalePlay * play);

/* The stream comes at @multiplier times the rate of its segment from now on. Any
 * thread. */
void gst_timescale_play_ask_rate (GstTimeScalePlay * play, gdouble multiplier);

/* Segment @in begins: its output is that of play->line.out. @seek (nullable): it
 * answers this one. */
void gst_timescale_play_start (GstTimeScalePlay * play, const GstSegment * in,
    const GstTimeScaleSeek * seek);

/* Scales @buffer (transfer full), or keeps it. */
GstFlowReturn gst_timescale_play_process (GstTimeScalePlay * play, GstBuffer * buffer);

/* As the base class's function of that name. */
GstFlowReturn gst_timescale_play_gap (GstTimeScalePlay * play, GstClockTime pts_ns,
    GstClockTime duration_ns);

/* The stream has ended: pushes the rest. */
GstFlowReturn gst_timescale_play_drain (GstTimeScalePlay * play);

/* Drops the audio that it holds … */
void gst_timescale_play_forget (GstTimeScalePlay * play);

/* … and begins anew, as after a flush. */
void gst_timescale_play_reset (GstTimeScalePlay * play);

G_END_DECLS
#endif /* GST_TIMESCALE_PLAY_H */
