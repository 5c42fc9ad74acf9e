/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * times: the segments of the output, and the times in them.
 */

#pragma once

#include "timescale/timeline.h"

/* The times of a seek, as requested (`out_`) and as sent upstream (`in_`). NONE: not set. */
typedef struct
{
  GstClockTime out_start_ns, out_stop_ns, in_start_ns, in_stop_ns;
} GstTimeScaleSeek;

/* If the element absorbs the rate of a segment, the rate becomes part of the factor: at rate 2,
 * the input is scaled to half its duration, and the segment of the output has rate 1.
 *
 * Only the streaming thread changes the fields. It takes the object lock to change `in`, `line` and
 * `history`, because other threads read them. */
typedef struct
{
  GstSegment in;                /* as it plays forwards. UNDEFINED: there's none */
  GstSegment out;               /* of the output that we're sending */
  GQueue waiting;               /* of GstSegment: they begin with input that is still in the
                                 * scaler */
  gdouble multiplier;           /* of the last instant rate change. 1: none */
  gdouble absorbed;             /* the part of the rate that is in `factor` */
  gdouble factor;               /* that the input is actually scaled by */
  GstClockTime end_ns;          /* end of the input so far. NONE: none yet */
  GstTimeScaleLine line;        /* maps times of the segment after the last corner */
  GstTimeScaleLine running;     /* maps running times after the end of the last segment */
  GstTimeScaleTimeline history; /* maps stream times */
} GstTimeScaleTimes;

void gst_time_scale_times_init (GstTimeScaleTimes * times);
void gst_time_scale_times_clear (GstTimeScaleTimes * times);

/* Discards the segment after a flush. @factor: the factor from now on. @reset_running: running
 * time starts at 0 again. */
void gst_time_scale_times_flush (GstTimeScaleTimes * times, gdouble factor,
    gboolean reset_running);

/* Begins the segment @in, whose rate is positive, and makes `out` from it. Running time continues
 * where the output of the last segment ended. @factor: the requested factor. @absorbs: the rate
 * becomes part of it, as far as the range of factors allows. @rate: frames per second, or 0 if
 * unknown. */
void gst_time_scale_times_start (GstTimeScaleTimes * times,
    const GstSegment * in, gdouble factor, gboolean absorbs, gint rate);

/* If the segment answers @seek, gives `out` exactly the times of @seek. */
void gst_time_scale_times_answer (GstTimeScaleTimes * times,
    const GstTimeScaleSeek * seek);

/* If the stop of `out` is the end of a stream that lasts @duration_ns, moves it by two frames: it
 * comes from a demuxer, and decoders output a little more. */
void gst_time_scale_times_allow_surplus (GstTimeScaleTimes * times,
    GstClockTime duration_ns, gint rate);

/* The factor that the input is scaled by if @factor is requested. */
gdouble gst_time_scale_times_effective (const GstTimeScaleTimes * times,
    gdouble factor);

/* The output time for the time @in_ns of the input segment. */
static inline GstClockTime
gst_time_scale_times_map (const GstTimeScaleTimes * times, GstClockTime in_ns)
{
  return gst_time_scale_line_map (&times->line, in_ns);
}

/* The segment of the audio that we're consuming. */
GstSegment *gst_time_scale_times_newest (GstTimeScaleTimes * times);

/* Adopts @factor at @in_ns, and moves the stop. No input after @in_ns may have been scaled yet.
 * Returns FALSE if the factor stays the same. */
gboolean gst_time_scale_times_adopt (GstTimeScaleTimes * times, gdouble factor,
    GstClockTime in_ns);

/* Adds a corner at @at, where the speed starts to ramp linearly to 1 / @factor over @ramp_in_ns
 * of the input. @factor is an effective one. The stop stays the same. */
void gst_time_scale_times_ramp (GstTimeScaleTimes * times, GstTimeScalePair at,
    gdouble factor, gdouble ramp_in_ns);

/* Corrects the map if it differs from @pair by more than @tolerance_ns. */
void gst_time_scale_times_correct (GstTimeScaleTimes * times,
    GstTimeScalePair pair, GstClockTime tolerance_ns);

/* Makes an instant rate change part of the factor, as far as the range of factors allows with the
 * requested @factor. Call gst_time_scale_times_begin() once you know when it happens. */
void gst_time_scale_times_multiply (GstTimeScaleTimes * times,
    gdouble multiplier, gdouble factor);

/* Adds an output segment that begins at @out_ns with the rate as it's absorbed now. It waits
 * until the output gets there. */
void gst_time_scale_times_begin (GstTimeScaleTimes * times,
    GstClockTime out_ns);

/* Makes `out` the segment that @out_ns belongs to. Returns TRUE if that's a different one. */
gboolean gst_time_scale_times_advance (GstTimeScaleTimes * times,
    GstClockTime out_ns);

/* The number of frames from @out_ns to the next waiting segment. G_MAXUINT64: there's none. */
guint64 gst_time_scale_times_frames_left (const GstTimeScaleTimes * times,
    GstClockTime out_ns, gint rate);

/* Notes that the input has ended at @pair. Segments that would begin later begin there
 * instead. */
void gst_time_scale_times_end (GstTimeScaleTimes * times, GstTimeScalePair pair,
    GstClockTime tolerance_ns);

/* Returns TRUE if downstream would clip audio or compute wrong positions, because we sent the
 * stop @sent_stop_ns. */
gboolean gst_time_scale_times_is_outdated (const GstTimeScaleTimes * times,
    GstClockTime sent_stop_ns, GstClockTime frame_ns);
