/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * timefetch.h: the arithmetic of playing a stream block by block in either
 * direction: which block to fetch next, how two takes of the same audio fit
 * together, and where play goes on at the end of a lap. Part of the C
 * interface of the signal processing (see timedsp.h for its words and rules).
 *
 * Words
 *   block    frames [first, end) of the stream, fetched at once
 *   take     what arrives after one seek: the block, and some audio around it
 *   seam     where the block of one take meets that of another
 *   overlap  frames at a seam that both takes hold, and that are compared
 *   preroll  audio decoded before what is wanted, for the decoder to settle
 *   edge     a place between two frames: edge n lies before frame n
 *
 * Frames are counted in stream time: frame n lies at n / rate. Frame numbers
 * are 0 … TIMEDSP_MAX_FRAMES; TIMEDSP_UNKNOWN stands for an unknown end.
 */

#ifndef TIMEFETCH_H
#define TIMEFETCH_H

#include "timedsp.h"

#ifdef __cplusplus
extern "C" {
#endif

/** An end that is not known yet, or that is not set. */
#define TIMEDSP_UNKNOWN INT64_C (-1)

/** Which way the frames are heard. */
typedef enum {
  TIMEDSP_FORWARD = 0,
  TIMEDSP_BACKWARD
} TimeDSPDirection;

/* ---- times -------------------------------------------------------------- */

/**
 * The number of the frame that lies at @time_ns, rounded to the nearest one
 * (half up); 0 where an argument is 0, TIMEDSP_MAX_FRAMES at most. Gives back
 * @frame of timedsp_time_of() for rates below 5 × 10^8. Real-time.
 */
int64_t timedsp_frame_at (uint64_t time_ns, uint32_t rate);

/** Time of edge @frame in ns, floor (frame 10^9 / rate): GStreamer's own
 * rounding of timestamps. 0 where @frame is negative or @rate 0; UINT64_MAX
 * (GST_CLOCK_TIME_NONE) where it does not fit. Real-time. */
uint64_t timedsp_time_of (int64_t frame, uint32_t rate);

/* ---- which block next --------------------------------------------------- */

/** What does not change from block to block. All of 0 … TIMEDSP_MAX_FRAMES;
 * rate and the two block lengths at least 1. Shifts farther than a block is
 * long are not found backward, so blocks should not be shorter than
 * search_frames. */
typedef struct {
  uint32_t rate;                /**< frames per second */
  int64_t end_frame;            /**< end of the stream, or TIMEDSP_UNKNOWN */
  int64_t first_block_frames;   /**< length of the first block … */
  int64_t max_block_frames;     /**< … and the length to which they grow */
  int64_t preroll_frames;
  int64_t overlap_frames;
  int64_t search_frames;        /**< farthest that takes may be shifted */
} TimeDSPFetchLimits;

/** A block, and the take that it is cut from. */
typedef struct {
  int64_t first_frame;          /**< of the block */
  int64_t end_frame;            /**< of the block; TIMEDSP_UNKNOWN: to the end of the stream */
  int64_t keep_first_frame;     /**< what has to be kept of the take: [keep_first, keep_end) */
  int64_t keep_end_frame;       /**< TIMEDSP_UNKNOWN: to the end of the stream */
  uint64_t seek_ns;             /**< stream time to seek to */
} TimeDSPFetch;

/**
 * The block that follows at @edge in @direction: it ends there when going
 * backward, begins there when going forward. @blocks_before counts the blocks
 * since the last jump; lengths double from first_block_frames with each of
 * them, up to max_block_frames, and no block reaches below frame 0 or beyond a
 * known end. An @edge beyond a known end counts as that end.
 *
 * With @joined, there is a block on the other side of @edge, and the take also
 * keeps overlap_frames + search_frames of it (backward: behind the block;
 * forward: before it). Takes may be numbered differently, by search_frames at
 * most: where one of them is @shift frames ahead of the take before it
 * (timedsp_find_take() of the overlap), its part of the stream is
 *   backward  [first_frame, end_frame + @shift)
 *   forward   [first_frame + @shift, end_frame)
 * in its own numbers, and first_frame (end_frame) is the edge of the next one.
 * So shifts do not add up however long the stream.
 *
 * At a known end a take that is ahead holds its last frames beyond that end.
 * So keep_end_frame is up to search_frames beyond it, in both directions,
 * joined or not; nothing more comes where the stream has no more. Where the
 * block reaches the end of the stream, what the take holds there belongs to it
 * (backward: where it is not joined).
 *
 * The seek is to half a frame behind edge
 * max (0, keep_first_frame - preroll_frames), so that its rounding down to ns
 * and back cannot lose a frame, at rates below 5 × 10^8; to exactly 0 where
 * that is 0, and to INT64_MAX, the latest that a seek can say, where it is
 * later.
 *
 * Up to an unknown end the block has its ordinary length. Backward from an
 * unknown end is for timedsp_plan_end(): an @edge of TIMEDSP_UNKNOWN is
 * BAD_LENGTH here.
 *
 * A block of no frames (first_frame == end_frame) says that there is nothing
 * more in that direction.
 *
 * Real-time. Errors: NULL_POINTER, BAD_LENGTH (a number is out of its range or
 * no such direction); @fetch is left alone then.
 */
TimeDSPStatus timedsp_plan_fetch (const TimeDSPFetchLimits * limits,
    TimeDSPDirection direction, int64_t edge, int joined,
    uint32_t blocks_before, TimeDSPFetch * fetch);

/**
 * A take that is to find the true end of the stream, where that is not known
 * (end_frame of @limits is not looked at): from some frames before
 * @estimate_frame (an estimate of the end, good or bad; 0 where there is none)
 * to the end, whatever that is. Without an @attempt before it, these are
 * first_block_frames; where a seek has landed beyond the end and gave nothing,
 * call it again with the next @attempt: that many are doubled with each one,
 * and some attempt starts at frame 0. The seek is as in timedsp_plan_fetch();
 * end_frame and keep_end_frame are TIMEDSP_UNKNOWN.
 *
 * Real-time. Errors: as timedsp_plan_fetch().
 */
TimeDSPStatus timedsp_plan_end (const TimeDSPFetchLimits * limits,
    int64_t estimate_frame, uint32_t attempt, TimeDSPFetch * fetch);

/* ---- how two takes fit together ----------------------------------------- */

/**
 * Looks for @needle_frames frames of audio in a take of @take_frames frames
 * that holds the very same bytes at frame @planned_frame + @shift: at the
 * planned place first, then at growing distance from it on both sides (of two
 * equally far places the earlier one first), at most @search_frames away and
 * inside the take; the planned place itself need not be inside. So silence,
 * which matches everywhere, is taken at the planned place.
 *
 * @take and @needle are arrays of @planes plane addresses, 1 …
 * TIMEDSP_MAX_CHANNELS, not looked at for 0 frames; @stride_bytes is the size
 * of a frame of one plane. Neither needs any alignment. Where nothing matches,
 * and on an error, @found is 0 and @shift 0. No needle (0 frames) matches at
 * the planned place.
 * Real-time, though its time grows with search × needle in the worst case.
 *
 * Errors: NULL_POINTER, BAD_CHANNELS (@planes), BAD_FRAME_SIZE, BAD_LENGTH.
 */
TimeDSPStatus timedsp_find_take (const void *const *take, size_t take_frames,
    const void *const *needle, size_t needle_frames, uint32_t planes,
    size_t stride_bytes, size_t planned_frame, size_t search_frames,
    int64_t * shift, int *found);

/**
 * The same for takes of which no place is equal: the shift of the smallest
 * squared difference per sample between needle and take, both interleaved
 * @channels channels of doubles. The planned place wins unless another one has
 * less than half of its squared difference (noise and silence fit everywhere);
 * of equal ones, the nearest wins.
 *
 * @error: the root of the mean squared difference there, relative to the root
 * of the mean square of the needle (0: equal, about 1.4: nothing in common,
 * 0 where both are silent; infinity where only the needle is).
 * Where no place has room for the needle inside the take, and on an error of
 * the call, @found and @shift are 0 and @error is infinity. No needle (0
 * frames) fits at the planned place with an error of 0.
 * Samples that are not finite count as 0.
 *
 * Errors: NULL_POINTER, BAD_CHANNELS, BAD_LENGTH. Real-time.
 */
TimeDSPStatus timedsp_align_take (const double *take, size_t take_frames,
    const double *needle, size_t needle_frames, uint32_t channels,
    size_t planned_frame, size_t search_frames, int64_t * shift,
    double *error, int *found);

/**
 * Whether two runs of @frames frames of @channels interleaved doubles, full scale
 * 1, at @rate frames per second are takes of the same audio, though a decoder
 * that substitutes noise makes other samples each time. AAC's does so from 4 kHz
 * on, and keeps the level. So @alike is 1 where
 *   the difference is below a thousandth of full scale, or
 *   what two averages over rate / 3000 frames each leave differs by at most a
 *   quarter of its level, or
 *   that is less than a tenth of the level, and the levels differ by at most a
 *   factor of 2,
 * by root mean squares, of the louder run where one is louder, over all channels;
 * else 0, also on an error. No frames are alike. Samples that are not finite count
 * as 0. Music that lies elsewhere differs by 0.3 to 1.4 down there, AAC's noise
 * by 0.06 at most.
 *
 * Errors: NULL_POINTER, BAD_CHANNELS, BAD_LENGTH (also for a rate of 0). Real-time.
 */
TimeDSPStatus timedsp_are_alike (const double *one, const double *other,
    size_t frames, uint32_t channels, uint32_t rate, int *alike);

/**
 * Fades from @from to @to over @frames frames of @channels interleaved
 * doubles into @out, which may be either of them or overlaps neither:
 * out = from + w (to - from), w = (1 - cos (pi (i + 1/2) / frames)) / 2,
 * which keeps the level of what both have in common.
 *
 * Errors: NULL_POINTER, BAD_CHANNELS, BAD_LENGTH, OVERLAP; nothing is written
 * then. Real-time.
 */
TimeDSPStatus timedsp_crossfade (const double *from, const double *to,
    double *out, size_t frames, uint32_t channels);

/* ---- where play goes on ------------------------------------------------- */

typedef enum {
  TIMEDSP_LOOP_NONE = 0,
  TIMEDSP_LOOP_REPEAT,
  TIMEDSP_LOOP_PING_PONG
} TimeDSPLoop;

/** What was wrong with a pair of loop markers. */
typedef enum {
  TIMEDSP_MARKERS_FINE = 0,
  TIMEDSP_MARKERS_CLAMPED,      /**< one lay outside the stream, and was moved to its end */
  TIMEDSP_MARKERS_CROSSED,      /**< stop before start: they were exchanged */
  TIMEDSP_MARKERS_EMPTY         /**< no frame between them: the whole range is used */
} TimeDSPMarkers;

/** Frames [first, end); end may be TIMEDSP_UNKNOWN. */
typedef struct {
  int64_t first_frame;
  int64_t end_frame;
} TimeDSPRange;

/**
 * What is heard in a lap between the markers @start_frame and @stop_frame
 * (TIMEDSP_UNKNOWN: not set, the first frame and the end of @bounds) inside
 * @bounds: never empty unless @bounds is. Crossed is told rather than clamped,
 * empty rather than both; without a marker nothing is wrong.
 * Real-time. Errors: NULL_POINTER, BAD_LENGTH (also for an end before the
 * first frame); @range and @markers are left alone then.
 */
TimeDSPStatus timedsp_loop_range (const TimeDSPRange * bounds,
    int64_t start_frame, int64_t stop_frame, TimeDSPRange * range,
    TimeDSPMarkers * markers);

/** The frame that is heard next, and the direction from it on. */
typedef struct {
  int64_t frame;                /**< TIMEDSP_UNKNOWN: nothing more */
  TimeDSPDirection direction;
} TimeDSPStep;

/**
 * Where play goes on when the last frame in @direction of a lap over @range
 * has been heard: REPEAT at the other end in the same direction; PING_PONG in
 * the other direction with the neighbour of the last frame heard (a frame at
 * the turn is heard once; a range of one frame repeats it); NONE nowhere.
 * Backward REPEAT needs a known end (BAD_LENGTH otherwise), as does forward
 * PING_PONG. An empty range ends. Where it ends, the direction stays.
 * Real-time. Errors: NULL_POINTER, BAD_LENGTH (also for no such loop or
 * direction); @step is left alone then.
 */
TimeDSPStatus timedsp_next_lap (TimeDSPLoop loop, TimeDSPDirection direction,
    const TimeDSPRange * range, TimeDSPStep * step);

#ifdef __cplusplus
}
#endif
#endif /* TIMEFETCH_H */
