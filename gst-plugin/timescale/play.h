/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * play: a stream that is scaled while its factor moves, and the times
 * that come of it.
 */

#ifndef GST_TIMESCALE_PLAY_H
#define GST_TIMESCALE_PLAY_H

#include "timescale/scalerstream.h"
#include "timescale/timeline.h"

G_BEGIN_DECLS

typedef struct
{
  GstRetroFilter *filter;
  gdouble (*get_factor) (GstRetroFilter * filter);      /* of the property */
    GstTimeScalePitch (*get_pitch) (GstRetroFilter * filter);      /* of the properties */
  gboolean (*take_change) (GstRetroFilter * filter);    /* of any setting, if there is one */
  GstTimeScaleStream stream;
  GstTimeScaleTimeline line;
  GstRetroClock clock;             /* of the output */
  GstClockTime run_ns;          /* input time at which it was started */
  gboolean stop_moved;          /* output ends elsewhere than was said */
  gboolean segment_due;         /* … or is of another applied rate */
} GstTimeScalePlay;

/* Whether the factor follows a curve. */
gboolean gst_timescale_play_is_controlled (const GstTimeScalePlay * play);

/* Scales @buffer (transfer full) through the stream, which is open, with the
 * factor that is asked for while it goes out, or by the curve in each of its
 * frames. */
GstFlowReturn gst_timescale_play_scale (GstTimeScalePlay * play, GstBuffer * buffer);

/* Whether nothing has to be done for @buffer, the next one of a stream of which
 * nothing has been changed yet, as long as nothing is asked for. */
gboolean gst_timescale_play_can_pass (const GstTimeScalePlay * play,
    GstBuffer * buffer);

/* Hands it on, with times of the output. TRUE: it is gone, with the result @ret;
 * else it is to be scaled. */
gboolean gst_timescale_play_pass (GstTimeScalePlay * play, GstBuffer * buffer,
    GstFlowReturn * ret);

/* The stream has ended: pushes the rest. */
GstFlowReturn gst_timescale_play_drain (GstTimeScalePlay * play);

/* What begins with input time @in_ns, or is kept as a whole from there on, is
 * scaled with the factor that is asked for at @now_ns. */
void gst_timescale_play_take_factor (GstTimeScalePlay * play, GstClockTime in_ns,
    GstClockTime now_ns);

G_END_DECLS
#endif /* GST_TIMESCALE_PLAY_H */
