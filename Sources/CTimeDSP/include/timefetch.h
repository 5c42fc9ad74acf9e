/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * timefetch.h: the arithmetic of playing a stream block by block in either
 * direction: which block to fetch next, how two takes of the same audio fit
 * together, and where play continues at the end of a lap. Part of the C
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

/** The settings that hold for all blocks. Each is in 0 … TIMEDSP_MAX_FRAMES;
 * rate and the two block lengths are at least 1. Blocks should be at least
 * search_frames long: backward, a shift by more than a block is not found. */
typedef struct {
  uint32_t rate;                /**< frames per second */
  int64_t end_frame;            /**< end of the stream, or TIMEDSP_UNKNOWN */
  int64_t first_block_frames;   /**< length of the first block … */
  int64_t max_block_frames;     /**< … and the length to which they grow */
  int64_t preroll_frames;
  int64_t overlap_frames;
  int64_t search_frames;        /**< farthest that takes may be shifted */
} TimeDSPFetchLimits;

/** A block, and the take that it is cut from. TIMEDSP_UNKNOWN stands for the end
 * of the stream, wherever that is. */
typedef struct {
  int64_t first_frame;          /**< of the block */
  int64_t end_frame;            /**< of the block; or TIMEDSP_UNKNOWN */
  int64_t keep_first_frame;     /**< keep this part of the take: … */
  int64_t keep_end_frame;       /**< … [first, end); or TIMEDSP_UNKNOWN */
  uint64_t seek_ns;             /**< stream time to seek to */
} TimeDSPFetch;

/**
 * The block that follows at @edge in @direction: it ends there when going
 * backward, begins there when going forward. @blocks_before counts the blocks
 * since the last jump. The first block has first_block_frames; each further
 * one is twice as long, up to max_block_frames. No block reaches below frame 0
 * or beyond a known end. An @edge beyond a known end counts as that end.
 *
 * With @joined, a block lies on the other side of @edge. The take then also
 * keeps overlap_frames + search_frames of that block (backward: behind its own
 * block; forward: before it). The numbers of two takes may differ by
 * search_frames at most. Where a take is @shift frames ahead of the take before
 * it (timedsp_find_take() of the overlap), its part of the stream is, in its
 * own numbers,
 *   backward  [first_frame, end_frame + @shift)
 *   forward   [first_frame + @shift, end_frame)
 * and the edge of the next block is first_frame (backward) or end_frame
 * (forward). So shifts do not add up, however long the stream.
 *
 * At a known end, a take that is ahead has its last frames beyond that end. So
 * keep_end_frame is up to search_frames beyond it, in both directions, joined
 * or not; a stream that has no more simply sends no more. If the block reaches
 * the end of the stream, all that the take holds there belongs to the block
 * (backward: unless it is joined).
 *
 * The seek goes half a frame behind edge
 * max (0, keep_first_frame - preroll_frames). So rounding down to ns and back
 * cannot lose a frame, at rates below 5 × 10^8. It goes to exactly 0 where that
 * edge is 0, and to INT64_MAX, the latest time of a seek, where it is later.
 *
 * If the end is not known, the block has its ordinary length. To go backward
 * from an unknown end, call timedsp_plan_end(): an @edge of TIMEDSP_UNKNOWN is
 * BAD_LENGTH here.
 *
 * A block of no frames (first_frame == end_frame) means that there is nothing
 * more in that direction.
 *
 * Real-time. Errors: NULL_POINTER, BAD_LENGTH (a number is out of its range or
 * no such direction); @fetch is left alone then.
 */
TimeDSPStatus timedsp_plan_fetch (const TimeDSPFetchLimits * limits,
    TimeDSPDirection direction, int64_t edge, int joined,
    uint32_t blocks_before, TimeDSPFetch * fetch);

/**
 * Plans a take that finds the end of the stream where it is not known (end_frame
 * of @limits is ignored). The take starts some frames before @estimate_frame, an
 * estimate of the end, good or bad (0: none), and goes on to the end.
 *
 * With @attempt 0 it starts first_block_frames before the estimate. If the seek
 * lands beyond the end and nothing arrives, call again with the next @attempt:
 * each one doubles the distance, until one starts at frame 0. The seek is as in
 * timedsp_plan_fetch(); end_frame and keep_end_frame are TIMEDSP_UNKNOWN.
 *
 * Real-time. Errors: as timedsp_plan_fetch().
 */
TimeDSPStatus timedsp_plan_end (const TimeDSPFetchLimits * limits,
    int64_t estimate_frame, uint32_t attempt, TimeDSPFetch * fetch);

/* ---- how two takes fit together ----------------------------------------- */

/**
 * Finds where a take of @take_frames frames holds the same bytes as a needle of
 * @needle_frames: at frame @planned_frame + @shift. The planned place comes
 * first, then places ever farther from it on both sides, the earlier of two
 * first. So silence, which matches everywhere, is found at the planned place.
 * A match is at most @search_frames away and lies inside the take; the planned
 * place itself may lie outside.
 *
 * @take and @needle are arrays of @planes plane addresses (1 …
 * TIMEDSP_MAX_CHANNELS), which are not read for 0 frames; @stride_bytes is the
 * size of a frame of one plane. No alignment is needed. If nothing matches, and
 * on an error, @found and @shift are 0. A needle of 0 frames matches at the
 * planned place.
 * Real-time; in the worst case its time grows with search × needle.
 *
 * Errors: NULL_POINTER, BAD_CHANNELS (@planes), BAD_FRAME_SIZE, BAD_LENGTH.
 */
TimeDSPStatus timedsp_find_take (const void *const *take, size_t take_frames,
    const void *const *needle, size_t needle_frames, uint32_t planes,
    size_t stride_bytes, size_t planned_frame, size_t search_frames,
    int64_t * shift, int *found);

/**
 * The same for takes that are nowhere equal: finds the shift with the smallest
 * squared difference per sample. Needle and take are interleaved doubles of
 * @channels channels. The planned place wins unless another place has less than
 * half of its squared difference, because noise and silence fit everywhere. Of
 * equal places, the nearest wins.
 *
 * @error: the root mean square of the difference there, divided by that of the
 * needle. 0: equal, or both silent; about 1.4: nothing in common; infinity: only
 * the needle is silent.
 * If the needle has no room inside the take, and on an error of the call, @found
 * and @shift are 0 and @error is infinity. A needle of 0 frames fits at the
 * planned place with an error of 0.
 * Samples that are not finite count as 0.
 *
 * Errors: NULL_POINTER, BAD_CHANNELS, BAD_LENGTH. Real-time.
 */
TimeDSPStatus timedsp_align_take (const double *take, size_t take_frames,
    const double *needle, size_t needle_frames, uint32_t channels,
    size_t planned_frame, size_t search_frames, int64_t * shift,
    double *error, int *found);

/**
 * Whether two runs of audio are takes of the same audio, even if the decoder
 * substitutes noise and so makes other samples each time. Decoders of AAC do so
 * from 4 kHz on, and keep the level. Both runs have @frames frames of @channels
 * interleaved doubles of full scale 1, at @rate frames per second. @alike is 1 if
 *   the difference is below a thousandth of full scale, or
 *   what two averages over rate / 3000 frames each leave differs by at most a
 *   quarter of its level, or
 *   that is less than a tenth of the level, and the levels differ by at most a
 *   factor of 2,
 * and else 0, also on an error. Levels are root mean squares over all channels,
 * those of the louder run. 0 frames are alike. Samples that are not finite count
 * as 0. There, other places of the same music differ by 0.3 to 1.4, and AAC's
 * noise differs by 0.06 at most.
 *
 * Errors: NULL_POINTER, BAD_CHANNELS, BAD_LENGTH (also for a rate of 0).
 * Real-time.
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
  TIMEDSP_MARKERS_CLAMPED,      /**< one was outside, and was moved inside */
  TIMEDSP_MARKERS_CROSSED,      /**< stop before start: they were exchanged */
  TIMEDSP_MARKERS_EMPTY         /**< no frame between: the whole range plays */
} TimeDSPMarkers;

/** Frames [first, end); end may be TIMEDSP_UNKNOWN. */
typedef struct {
  int64_t first_frame;
  int64_t end_frame;
} TimeDSPRange;

/**
 * The range that a lap plays between the markers @start_frame and @stop_frame
 * inside @bounds. A marker of TIMEDSP_UNKNOWN is not set and stands for the
 * first frame or the end of @bounds. The range is empty only if @bounds is. If
 * several things are wrong, @markers says EMPTY before CROSSED, and CROSSED
 * before CLAMPED.
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
 * Where play continues after the last frame in @direction of a lap over @range.
 * REPEAT continues at the other end in the same direction. PING_PONG continues
 * in the other direction with the neighbour of the last frame, so the frame at
 * the turn is heard once; a range of one frame repeats it. NONE ends, and so
 * does an empty range; the direction then stays. Backward REPEAT and forward
 * PING_PONG need a known end (BAD_LENGTH otherwise).
 * Real-time. Errors: NULL_POINTER, BAD_LENGTH (also for no such loop or
 * direction); @step is left alone then.
 */
TimeDSPStatus timedsp_next_lap (TimeDSPLoop loop, TimeDSPDirection direction,
    const TimeDSPRange * range, TimeDSPStep * step);

#ifdef __cplusplus
}
#endif
#endif /* TIMEFETCH_H */
