/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * times: the segments of the output, and the times in them.
 */

#pragma once

#include "timescale/timeline.h"

/* The times of a seek: those that were asked for, and those that were sent upstream. NONE: not
 * set. */
typedef struct
{
  GstClockTime out_start_ns, out_stop_ns, in_start_ns, in_stop_ns;
} GstTimeScaleSeek;

/* If the element absorbs the rate of a segment, the rate becomes part of the factor: at rate 2,
 * the input is scaled to half its duration, and the segment of the output has rate 1.
 *
 * Only the streaming thread changes the fields. Those that other threads read are changed under
 * the object lock: `in`, `line`, `history`. */
typedef struct
{
  GstSegment in;                /* as it plays forwards. UNDEFINED: there's none */
  GstSegment out;               /* of the output that is being sent */
  GQueue waiting;               /* of GstSegment: they begin with input that is still in the
                                 * scaler */
  gdouble multiplier;           /* of the last instant rate change. 1: none */
  gdouble absorbed;             /* the part of the rate that is in `factor` */
  gdouble factor;               /* with which the input is actually scaled */
  GstClockTime end_ns;          /* end of the input so far. NONE: none yet */
  GstTimeScaleLine line;        /* times of the segment, from the last corner on */
  GstTimeScaleLine running;     /* running times, from the end of the last segment on */
  GstTimeScaleTimeline history; /* stream times */
} GstTimeScaleTimes;

void gst_time_scale_times_init (GstTimeScaleTimes * times);
void gst_time_scale_times_clear (GstTimeScaleTimes * times);

/* Forgets the segment after a flush. @factor: the factor from now on. @reset_running: whether
 * running time begins at 0 again. */
void gst_time_scale_times_flush (GstTimeScaleTimes * times, gdouble factor,
    gboolean reset_running);

/* Begins the segment @in, whose rate is positive, and makes `out` from it. Running time
 * continues where the output of the last segment ended. @factor: the factor asked for.
 * @absorbs: whether the rate becomes part of it, as far as the range of factors allows. @rate:
 * frames per second, or 0 if unknown. */
void gst_time_scale_times_start (GstTimeScaleTimes * times,
    const GstSegment * in, gdouble factor, gboolean absorbs, gint rate);

/* If the segment answers @seek, gives `out` the times of @seek to the nanosecond. */
void gst_time_scale_times_answer (GstTimeScaleTimes * times,
    const GstTimeScaleSeek * seek);

/* Moves the stop of `out` by two frames, if it's the end of a stream that lasts
 * @duration_ns: a demuxer has declared it, and decoders output a little more. */
void gst_time_scale_times_allow_surplus (GstTimeScaleTimes * times,
    GstClockTime duration_ns, gint rate);

/* The factor with which the input is scaled if @factor is asked for. */
gdouble gst_time_scale_times_effective (const GstTimeScaleTimes * times,
    gdouble factor);

/* The time of the output for the time @in_ns of the input segment. */
static inline GstClockTime
gst_time_scale_times_map (const GstTimeScaleTimes * times, GstClockTime in_ns)
{
  return gst_time_scale_line_map (&times->line, in_ns);
}

/* The segment of the audio that is being consumed. */
GstSegment *gst_time_scale_times_newest (GstTimeScaleTimes * times);

/* Adopts @factor from @in_ns on, after which no input has been scaled yet, and moves the stop.
 * Returns FALSE if it's the same factor. */
gboolean gst_time_scale_times_adopt (GstTimeScaleTimes * times, gdouble factor,
    GstClockTime in_ns);

/* Adds a corner: from @at on, the speed changes linearly to that of @factor, the effective
 * one, over @ramp_in_ns of the input. The stop stays. */
void gst_time_scale_times_ramp (GstTimeScaleTimes * times, GstTimeScalePair at,
    gdouble factor, gdouble ramp_in_ns);

/* Corrects the map if it differs from @pair by more than @tolerance_ns. */
void gst_time_scale_times_correct (GstTimeScaleTimes * times,
    GstTimeScalePair pair, GstClockTime tolerance_ns);

/* Makes an instant rate change part of the factor, as far as the range of factors allows while
 * @factor is asked for. Call gst_time_scale_times_begin() when its
 * time is known. */
void gst_time_scale_times_multiply (GstTimeScaleTimes * times,
    gdouble multiplier, gdouble factor);

/* Adds a segment of the output that begins at @out_ns, and has the rate that is absorbed now. It
 * waits until the output arrives there. */
void gst_time_scale_times_begin (GstTimeScaleTimes * times,
    GstClockTime out_ns);

/* Makes `out` the segment to which @out_ns belongs. Returns whether it's another one. */
gboolean gst_time_scale_times_advance (GstTimeScaleTimes * times,
    GstClockTime out_ns);

/* The number of frames from @out_ns to the next waiting segment. G_MAXUINT64: there's none. */
guint64 gst_time_scale_times_frames_left (const GstTimeScaleTimes * times,
    GstClockTime out_ns, gint rate);

/* The input has ended at the times of @pair. Segments that would begin later begin there. */
void gst_time_scale_times_end (GstTimeScaleTimes * times, GstTimeScalePair pair,
    GstClockTime tolerance_ns);

/* Returns TRUE if downstream, which knows the stop @sent_stop_ns, would clip audio or compute
 * wrong positions. */
gboolean gst_time_scale_times_is_outdated (const GstTimeScaleTimes * times,
    GstClockTime sent_stop_ns, GstClockTime frame_ns);
