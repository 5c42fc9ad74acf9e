/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * play: scales a stream while its factor changes, and computes the times of the
 * output.
 */

#ifndef GST_TIMESCALE_PLAY_H
#define GST_TIMESCALE_PLAY_H

#include "timescale/properties.h"
#include "timescale/timeline.h"

G_BEGIN_DECLS

/* It belongs to the streaming thread, but for the fields that say otherwise. */
typedef struct
{
  GstRetroFilter *filter;
  const GstTimeScaleSettings *settings; /* under the object lock */
  gdouble new_multiplier;       /* of the rate, likewise; 0: no change */
  gint asked;                   /* atomic: counts changes of settings and rate */
  gint answered;                /* `asked` at the last buffer */

  GstTimeScaleStream stream;    /* alignment=stream */
  GstRetroStore *store;         /* alignment=endpoints; NULL before the first frame */
  GstTimeScaleTimeline line;
  GstRetroClock clock;          /* of the output */
  GstClockTime run_ns;          /* input time at which the clock was started */
  gboolean stop_moved;          /* the output ends elsewhere than its segment says */
  gboolean segment_due;         /* … or has another applied rate */
} GstTimeScalePlay;

/* @settings: those of the element. @play is zeroed, and never copied. */
void gst_timescale_play_init (GstTimeScalePlay * play, GstRetroFilter * filter,
    const GstTimeScaleSettings * settings);

/* A copy, without the spill directory. Any thread. */
GstTimeScaleSettings gst_timescale_play_get_settings (const GstTimeScalePlay * play);

/* A setting has changed. Any thread. */
void gst_timescale_play_ask (GstTimeScalePlay * play);

/* From now on, the stream comes at @multiplier times the rate of its segment. Any
 * thread. */
void gst_timescale_play_ask_rate (GstTimeScalePlay * play, gdouble multiplier);

/* Starts segment @in; play->line.out becomes that of the output. @seek (nullable): the
 * seek that @in answers. */
void gst_timescale_play_start (GstTimeScalePlay * play, const GstSegment * in,
    const GstTimeScaleSeek * seek);

/* Scales @buffer (transfer full), or keeps it. */
GstFlowReturn gst_timescale_play_process (GstTimeScalePlay * play, GstBuffer * buffer);

/* As GstRetroFilterClass.gap(). */
GstFlowReturn gst_timescale_play_gap (GstTimeScalePlay * play, GstClockTime pts_ns,
    GstClockTime duration_ns);

/* The stream has ended: pushes the rest. */
GstFlowReturn gst_timescale_play_drain (GstTimeScalePlay * play);

/* Drops the held audio … */
void gst_timescale_play_forget (GstTimeScalePlay * play);

/* … and begins anew, as after a flush. */
void gst_timescale_play_reset (GstTimeScalePlay * play);

G_END_DECLS
#endif /* GST_TIMESCALE_PLAY_H */
