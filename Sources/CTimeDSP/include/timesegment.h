/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * timesegment.h: the segments of a stream before and after it has been scaled, and where
 * the times of one lie in the other. Words, times and factors are those of timeline.h; a
 * segment is what GStreamer calls one.
 *
 * All functions are real-time, and do nothing where a pointer is NULL.
 */

#ifndef TIMESEGMENT_H
#define TIMESEGMENT_H

#include "timeline.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The fields of a GstSegment in nanoseconds. Its rate is above 0, its applied rate may be
 * below: the stream has been turned around then. */
typedef struct {
  double rate, applied_rate;
  uint64_t base, offset, start, stop, time, position, duration;
} TimeSegment;

/** Times of a seek: of the output, as the application gave them, and of the input, as
 * they were sent upstream. TIMEDSP_NO_TIME: not given. */
typedef struct {
  uint64_t out_start_ns, out_stop_ns, in_start_ns, in_stop_ns;
} TimeSeek;

/** All of it may be read. */
typedef struct {
  TimeSegment input;
  TimeSegment output;           /**< of what leaves now … */
  TimeSegment *waiting;         /**< … and those that begin later, the first one first */
  size_t waiting_capacity, waiting_count;
  double multiplier;            /**< of the rate of `input`, by an instant change */
  double absorbed;              /**< part of the rate that is in the factor; 1: none */
  double factor;                /**< in force: that which is asked for / absorbed */
  uint64_t end_ns;              /**< end of the input so far; the caller sets it */
  TimeDSPLine map;              /**< times inside the segment */
  TimeDSPLine base_map;         /**< running times, from segment to segment */
  TimeDSPTimeline history;      /**< stream times; no pairs: nothing has been played */
} TimeSegments;

/** Nothing has been played. The @pairs, @capacity of them, and the segments @waiting,
 * @waiting_capacity of them, are used from now on. */
void timesegment_init (TimeSegments * segments, TimeDSPTimePair * pairs,
    size_t capacity, TimeSegment * waiting, size_t waiting_capacity);

/** After a flush: the running time starts again, with @factor. */
void timesegment_reset (TimeSegments * segments, double factor);

/**
 * Makes the segment of the output for @in. Its running time goes on where the output of
 * the last segment ended.
 *
 * @factor: that is asked for
 * @absorb: not 0: the rate becomes a part of the factor, as far as its range allows
 * @rate: frames per second of the input; 0: unknown
 */
void timesegment_start (TimeSegments * segments, const TimeSegment * in,
    double factor, int absorb, uint32_t rate);

/** If the segment answers @seek, makes it begin and end exactly where @seek asked for
 * it. Times that are scaled to the input and back may be off by 1 ns. */
void timesegment_settle (TimeSegments * segments, const TimeSeek * seek);

/**
 * A segment that ends where a stream of @duration_ns ends has a stop that nobody
 * asked for: a demuxer has declared it, and decoders exceed it by a frame or two.
 * Makes room for these behind the output's stop, so that no sink clips them.
 */
void timesegment_allow_surplus (TimeSegments * segments, uint64_t duration_ns,
    uint32_t rate);

/** The factor that scales the input of this segment where @factor is asked for. */
double timesegment_effective (const TimeSegments * segments, double factor);

/** Mean speed while that moves evenly from the factor in force to @factor. */
double timesegment_mean_speed (const TimeSegments * segments, double factor);

/** From input time @in_ns on, which lies at @out_ns of the output, the speed moves evenly to
 * that of @factor, which scales the input, within @way_ns of the input. The stop stays what it
 * is; see timesegment_set_stop(). */
void timesegment_move (TimeSegments * segments, uint64_t in_ns,
    uint64_t out_ns, double factor, double way_ns);

/** @factor is asked for from input time @in_ns on, and nothing behind that has been scaled.
 * Returns 0 where it is in force already; else bends all times there, and moves the stop. */
int timesegment_take_factor (TimeSegments * segments, uint64_t in_ns,
    double factor);

/** Input time @in_ns lies at @out_ns. Corrects the map if it differs from that by more
 * than @tolerance_ns. */
void timesegment_note (TimeSegments * segments, uint64_t in_ns,
    uint64_t out_ns, uint64_t tolerance_ns);

/** The input comes at @multiplier times the rate of its segment. All of that rate becomes
 * a part of the factor that is asked for (see timesegment_effective()). Call
 * timesegment_begin() once it is known from where on. */
void timesegment_multiply_rate (TimeSegments * segments, double multiplier);

/** From @out_ns on, the output has a segment for the rate in force. What leaves before that
 * was made at the rate before: the segment waits until timesegment_turn() takes it. Where
 * too many wait, the last one goes. */
void timesegment_begin (TimeSegments * segments, uint64_t out_ns);

/** The output has come to @now_ns; TIMEDSP_NO_TIME: to where no more is made of what came
 * before. Returns not 0 where `output` is another segment from here on. */
int timesegment_turn (TimeSegments * segments, uint64_t now_ns);

/** Frames from @now_ns up to where the next segment begins; UINT64_MAX: none waits. */
uint64_t timesegment_frames_left (const TimeSegments * segments,
    uint64_t now_ns, uint32_t rate);

/** The input ended at @in_ns, which lies at @out_ns, give or take @tolerance_ns: what would
 * begin later begins there. */
void timesegment_end (TimeSegments * segments, uint64_t in_ns,
    uint64_t out_ns, uint64_t tolerance_ns);

/** The output will end at @out_ns. */
void timesegment_set_stop (TimeSegments * segments, uint64_t out_ns);

/** Output time of @in_ns, inside the segment. */
uint64_t timesegment_map (const TimeSegments * segments, uint64_t in_ns);

/**
 * Whether downstream, which knows of a segment that stops at @sent_stop_ns, has to be
 * sent another one: audio would be cut there, or (backwards) that stop makes positions
 * wrong. A segment is audible where resamplers or encoders follow, which start over.
 */
int timesegment_is_outdated (const TimeSegments * segments,
    uint64_t sent_stop_ns, uint64_t frame_ns);

#ifdef __cplusplus
}
#endif
#endif /* TIMESEGMENT_H */
