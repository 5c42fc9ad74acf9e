/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * timeblocks.h: reads a stream in either direction from a source that can seek, block by
 * block. Part of the C interface (see timedsp.h for its words and rules).
 *
 * The blocks only deal in frames. You ask what they want, fetch it from the source into a decode,
 * hand the decode over, and read. Calls to the same blocks mustn't overlap. You own a decode until
 * you hand it over, and may fill it in another thread.
 *
 * Words
 *   block      frames [first, end) of the stream, fetched together
 *   decode     the audio that arrives after one seek: a block, and some audio around it
 *   boundary   between two frames: boundary n is just before frame n
 *   seam       the boundary at which the block of one decode meets the block of another
 *   pass       the frames played up to a loop marker, or to an end of the stream
 *   start      the first second of the stream, as a fresh decoder outputs it
 */

#pragma once

#include "timedsp.h"

/** An unknown end, or a position that isn't set. All other frame numbers are in 0 …
 * TIMEDSP_MAX_FRAMES. */
#define TIMEDSP_UNKNOWN INT64_C (-1)

/** The direction in which you play frames. */
typedef enum {
  TIMEDSP_FORWARD = 0,
  TIMEDSP_BACKWARD
} TimeDSPDirection;

typedef enum {
  TIMEDSP_LOOP_NONE = 0,
  TIMEDSP_LOOP_REPEAT,
  TIMEDSP_LOOP_PING_PONG
} TimeDSPLoop;

/* Don't pass NULL unless a function says that you may. */
#ifdef __clang__
#pragma clang diagnostic ignored "-Wnullability-completeness"
#define TIMEDSP_BEGIN _Pragma ("clang assume_nonnull begin")
#define TIMEDSP_END _Pragma ("clang assume_nonnull end")
#define TIMEDSP_NULLABLE _Nullable
#else
#define TIMEDSP_BEGIN
#define TIMEDSP_END
#define TIMEDSP_NULLABLE
#endif

/* ---- decodes ---------------------------------------------------------------- */

/** A stream's format, or none if the rate is 0. */
typedef struct {
  uint32_t rate;                /**< frames per second */
  uint32_t channels;            /**< 1 … TIMEDSP_MAX_CHANNELS */
  uint32_t planes;              /**< 1, or one for each channel */
  uint32_t stride_bytes;        /**< bytes per frame in one plane */
  uint32_t sample_bytes;        /**< 1 … 8 */
  uint8_t silence[8];           /**< the bytes of a silent sample */
  const void *id;               /**< set by you, and equal for equal formats */
} TimeBlocksFormat;

typedef struct TimeDecode TimeDecode;

/** A buffer from the source. */
typedef struct {
  const void *const *planes;
  size_t frames;
  int64_t frame;                /**< number of its first frame, may be negative */
  int is_placed;                /**< 0: `frame` is unknown */
  int is_timed;                 /**< 0: it doesn't have a timestamp, so `frame` comes
                                 * from the segment */
  int64_t offset;               /**< timestamps minus stream time, in ns */
} TimeDecodeBuffer;

TIMEDSP_BEGIN

/**
 * Adds the frames of @buffer to @decode, starting at frame @first. On return, @first is the frame
 * after the last one that the decode could use. If there's a gap of 1/32 s or more in the
 * positions, it's filled with silence. Returns 0 if the decode doesn't need any more frames,
 * or if @format differs from the last buffer's.
 */
int timedecode_add (TimeDecode * decode, const TimeDecodeBuffer * buffer,
    const TimeBlocksFormat * format, size_t * first);

/** Tells @decode that the stream ended after the last frame that you've added. */
void timedecode_end (TimeDecode * decode);

/** Makes @decode carry on from the previous decode at @frame, without a seek. Returns 0 if its
 * block doesn't begin there. */
int timedecode_continue (TimeDecode * decode, int64_t frame);

/** The frame after the last one that you've added, or UNKNOWN if you haven't added any. */
int64_t timedecode_next_frame (const TimeDecode * decode);

/** Returns 0 unless @decode is fetched by seeking to the beginning of the stream. In that case, the
 * first frame that the source sends is the stream's first frame. */
int timedecode_is_from_zero (const TimeDecode * decode);

/** Frees @decode, unless you've handed it over. NULL is fine. */
void timedecode_free (TimeDecode * TIMEDSP_NULLABLE decode);

TIMEDSP_END

/* ---- blocks ---------------------------------------------------------------- */

typedef struct TimeBlocks TimeBlocks;

/** Converts samples to numbers with a full scale of 1, or back if @to_numbers is 0. @samples points
 * to the first frame of the first plane, and planes are @plane_bytes apart. Numbers are
 * interleaved. */
typedef void (*TimeBlocksConvert) (const TimeBlocksFormat * format, int to_numbers,
    void *samples, size_t plane_bytes, double *numbers, size_t frames);

typedef struct {
  int64_t max_block_frames;     /**< maximum length of a block */
  int64_t preroll_frames;       /**< decoded and dropped before each block. UNKNOWN: automatic */
  uint64_t max_memory_bytes;
  int is_exact;                 /**< not 0: fail if two decodes differ at a seam, instead
                                 * of crossfading */
  TimeDSPLoop loop;
  int64_t loop_start_frame;
  int64_t loop_stop_frame;      /**< UNKNOWN: the end */
} TimeBlocksSettings;

/** What the blocks report, in the order it happened. */
typedef enum {
  TIMEBLOCKS_MARKERS_CLAMPED = 0,
  TIMEBLOCKS_MARKERS_CROSSED,
  TIMEBLOCKS_MARKERS_EMPTY,
  TIMEBLOCKS_SEAM_EQUAL,
  TIMEBLOCKS_SEAM_SHIFTED,
  TIMEBLOCKS_SEAM_FADED,        /**< `value` is the relative difference */
  TIMEBLOCKS_SEAM_ODD,          /**< the two decodes contain different audio, and `value` is
                                 * the relative difference */
  /* failures */
  TIMEBLOCKS_NO_MEMORY,
  TIMEBLOCKS_FORMAT_CHANGED,
  TIMEBLOCKS_BROKEN_OFF,        /**< the source ended before it reached audio that it had sent
                                 * before. `frame` is the number of missing frames */
  TIMEBLOCKS_NOT_EXACT,
  TIMEBLOCKS_AUDIO_MISSING,     /**< the source left out audio after a seek */
  TIMEBLOCKS_NO_AUDIO           /**< we can't find any audio, wherever we seek */
} TimeBlocksCode;

typedef struct {
  TimeBlocksCode code;
  int64_t frame;                /**< where the seam is, or where the preroll was widened */
  double value;
  int64_t ahead_frames;         /**< SEAM_…: distance from the playhead to the seam */
} TimeBlocksReport;

typedef enum {
  TIMEBLOCKS_START = 0,         /**< continue after `last_frame`, which was passed through.
                                 * UNKNOWN: start at the beginning of the range */
  TIMEBLOCKS_GO_TO,             /**< jump to the beginning of the range */
  TIMEBLOCKS_RESUME             /**< keep the position */
} TimeBlocksMove;

/** A range to play, forwards from its start, or backwards from its stop. */
typedef struct {
  TimeBlocksMove move;
  double velocity;              /**< below 0: backwards */
  int64_t start_frame;
  int64_t stop_frame;           /**< UNKNOWN: the end of the stream */
  int64_t end_frame;            /**< the end of the stream, as far as it's known */
  int64_t last_frame;           /* START */
  TimeBlocksFormat format;      /**< format of a different stream that follows. The rate is 0
                                 * if the stream is the same */
} TimeBlocksTarget;

/** A request to fill @decode with the audio that the source sends after a seek. */
typedef struct {
  TimeDecode *decode;           /**< now belongs to the caller */
  int64_t seek_half_frames;     /**< where to seek, in half frames */
  int may_continue;             /**< not 0: try timedecode_continue() first */
} TimeBlocksFetch;

/** What the blocks need before you can read more. */
typedef enum {
  TIMEBLOCKS_NOTHING = 0,
  TIMEBLOCKS_FETCH,             /**< do the fetch */
  TIMEBLOCKS_THE_END,           /**< call again with an estimate of where the stream ends */
  TIMEBLOCKS_FAILED             /**< the report says why */
} TimeBlocksWant;

/** Frames to play, in stream order. */
typedef struct {
  TimeBlocksFormat format;
  const void *samples;          /**< the lowest frame in the first plane. Valid until the next
                                 * call other than timeblocks_get_state() */
  size_t plane_bytes;           /**< distance between planes */
  size_t frames;                /**< reverse them if the velocity is below 0 */
  int64_t frame;                /**< the lowest frame */
} TimeBlocksSpan;

/** Counts since the stream began. */
typedef struct {
  uint64_t blocks, seams_equal, seams_shifted, seams_faded, prerolls_widened;
} TimeBlocksStats;

typedef struct {
  TimeBlocksFormat format;
  double velocity;
  int64_t boundary;             /**< at the playhead. UNKNOWN: at an unknown end */
  int64_t ready_frames;         /**< can be read right away */
  int64_t left_frames;          /**< left in the pass. INT64_MAX: unknown */
  int64_t pass_first_frame;
  int64_t pass_end_frame;       /**< UNKNOWN: the end of the stream */
  int stops_early;              /**< not 0: the pass ends before the stream does */
  int is_last_pass;
  int is_fetching;              /* not 0: a fetch is in progress */
  int is_lost;                  /**< not 0: we can't find the end of the stream */
  int64_t first_frame;          /**< of the stream */
  int64_t end_frame;            /**< of the stream. UNKNOWN: not seen yet */
  TimeBlocksStats stats;
  int64_t preroll_frames;
} TimeBlocksState;

TIMEDSP_BEGIN

/** Makes blocks that don't have a stream yet. Returns NULL if we run out of memory. */
TimeBlocks *TIMEDSP_NULLABLE timeblocks_new (TimeBlocksConvert convert);

/** Frees @blocks. NULL is fine. */
void timeblocks_free (TimeBlocks * TIMEDSP_NULLABLE blocks);

/** Begins a stream in @format. We never seek below @first_frame. */
void timeblocks_open (TimeBlocks * blocks, const TimeBlocksFormat * format,
    const TimeBlocksSettings * settings, int64_t first_frame);

/** Frees all frames of the stream. */
void timeblocks_clear (TimeBlocks * blocks);

/** Call this when the source is about to send the start of the stream, from @first_frame to
 * @stop_frame (UNKNOWN: to the end). Returns a decode to record it, or NULL if we run out of
 * memory, in which case we fetch the start like any other audio. */
TimeDecode *TIMEDSP_NULLABLE timeblocks_record_start (TimeBlocks * blocks,
    int64_t first_frame, int64_t stop_frame);

/** Takes the complete decode of the start. If you can't play the blocks, this sets @report and
 * returns 0. */
int timeblocks_end_recording (TimeBlocks * blocks, TimeDecode * decode,
    TimeBlocksReport * report);

/** Applies @settings. Loop markers take effect at the next pass. Doesn't return 0 if the pass has
 * changed because you've switched the loop on or off. */
int timeblocks_configure (TimeBlocks * blocks,
    const TimeBlocksSettings * settings);

/** Moves the playhead, and sets the range to play. */
void timeblocks_go (TimeBlocks * blocks, const TimeBlocksTarget * target);

/** Moves the playhead to @boundary of the range to play, and continues with @velocity. The pass is
 * the loop's, or the whole range if @in_loop is 0. */
void timeblocks_move (TimeBlocks * blocks, int64_t boundary, double velocity, int in_loop);

/** Changes the direction. After frame n, you get frame n - 1 or n + 1. Returns 0 if @velocity
 * doesn't change the direction. */
int timeblocks_set_velocity (TimeBlocks * blocks, double velocity);

/**
 * Tells you what the playhead needs to continue.
 *
 * @decode: (nullable): a complete decode, which now belongs to @blocks
 * @end_frame: after THE_END, an estimate of the end of the stream, otherwise UNKNOWN
 * @fetch: (out): set with FETCH
 * @report: (out): set with FAILED
 */
TimeBlocksWant timeblocks_want (TimeBlocks * blocks,
    TimeDecode * TIMEDSP_NULLABLE decode, int64_t end_frame,
    TimeBlocksFetch * fetch, TimeBlocksReport * report);

/** Gives up a fetch, and frees @decode. */
void timeblocks_cancel (TimeBlocks * blocks, TimeDecode * decode);

/** Sets @span to the next frames, at most 1/25 s, and moves the playhead past them. Returns 0 if
 * there aren't any yet. */
int timeblocks_read (TimeBlocks * blocks, TimeBlocksSpan * span);

/** Starts the next pass, or returns 0 if there isn't one. */
int timeblocks_next_pass (TimeBlocks * blocks);

/** Sets @report to the next report, or returns 0 if there isn't one. */
int timeblocks_get_report (TimeBlocks * blocks, TimeBlocksReport * report);

void timeblocks_get_state (TimeBlocks * blocks, TimeBlocksState * state);

TIMEDSP_END
