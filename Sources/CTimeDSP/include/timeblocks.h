/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * timeblocks.h: reads a stream in either direction from a source that can seek, block by
 * block. Part of the C interface (see timedsp.h for its words and rules).
 *
 * The blocks know frames only. You ask what they want, fetch it from the source into a decode, hand
 * the decode over, and read. Calls to the same blocks mustn't overlap. Until you hand it over, a
 * decode is yours, and you may fill it in another thread.
 *
 * Words
 *   block      frames [first, end) of the stream, fetched together
 *   decode     the audio that arrives after one seek: a block, and some audio around it
 *   boundary   between two frames: boundary n is just before frame n
 *   seam       the boundary at which the block of one decode meets the block of another
 *   pass       the frames played up to a loop marker, or to an end of the stream
 *   start      the first second of the stream, as a fresh decoder outputs it
 */

#ifndef TIMEBLOCKS_H
#define TIMEBLOCKS_H

#include "timedsp.h"

#ifdef __cplusplus
extern "C" {
#endif

/** An unknown end, or a position that isn't set. Other frame numbers are 0 … TIMEDSP_MAX_FRAMES. */
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

/* Never pass NULL, unless a function says that you may. */
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

/** A stream's format. A rate of 0 means that there's none. */
typedef struct {
  uint32_t rate;                /**< frames per second */
  uint32_t channels;            /**< 1 … TIMEDSP_MAX_CHANNELS */
  uint32_t planes;              /**< 1, or one for each channel */
  uint32_t stride_bytes;        /**< bytes per frame in one plane */
  uint32_t sample_bytes;        /**< 1 … 8 */
  uint8_t silence[8];           /**< the bytes of a silent sample */
  const void *id;               /**< yours, and equal for equal formats */
} TimeBlocksFormat;

typedef struct TimeDecode TimeDecode;

/** A buffer from the source. */
typedef struct {
  const void *const *planes;
  size_t frames;
  int64_t frame;                /**< the number of its first frame, which may be negative */
  int is_placed;                /**< 0: nobody knows `frame` */
  int is_timed;                 /**< 0: it has no timestamp, and `frame` is that of the
                                 * segment */
  int64_t offset;               /**< of timestamps from stream time, in ns */
} TimeDecodeBuffer;

TIMEDSP_BEGIN

/**
 * Adds the frames of @buffer from frame @first on to @decode. On return, @first is the frame after
 * the last one that the decode could use. Silence fills a gap of 1/32 s or more in the positions.
 * Returns 0 if the decode needs no more frames.
 */
int timedecode_add (TimeDecode * decode, const TimeDecodeBuffer * buffer,
    const TimeBlocksFormat * format, size_t * first);

/** The stream has ended after the last frame that you've added. */
void timedecode_end (TimeDecode * decode);

/** Lets @decode follow the previous decode at @frame, without a seek. If its block doesn't begin
 * there, this returns 0. */
int timedecode_continue (TimeDecode * decode, int64_t frame);

/** The frame after the last one that you've added, or UNKNOWN if there's none. */
int64_t timedecode_next_frame (const TimeDecode * decode);

/** Returns 0 until you've added a buffer. */
int timedecode_has_format (const TimeDecode * decode);

/** Returns 0 unless the seek for @decode is to the beginning of the stream. If it is, the first
 * frame that the source sends is the stream's first frame. */
int timedecode_is_from_zero (const TimeDecode * decode);

/** Frees @decode, unless you've handed it over. NULL is fine. */
void timedecode_free (TimeDecode * TIMEDSP_NULLABLE decode);

TIMEDSP_END

/* ---- blocks ---------------------------------------------------------------- */

typedef struct TimeBlocks TimeBlocks;

/** Converts samples to numbers with a full scale of 1, or back if @to_numbers is 0. @samples is the
 * first frame of the first plane, and planes are @plane_bytes apart. Numbers are interleaved. */
typedef void (*TimeBlocksConvert) (const TimeBlocksFormat * format, int to_numbers,
    void *samples, size_t plane_bytes, double *numbers, size_t frames);

typedef struct {
  int64_t max_block_frames;     /**< maximum length of a block */
  int64_t preroll_frames;       /**< to decode and drop before each block. UNKNOWN: automatic */
  uint64_t max_memory_bytes;
  int is_exact;                 /**< not 0: fail if two decodes differ at a seam, instead
                                 * of crossfading */
  TimeDSPLoop loop;
  int64_t loop_start_frame;
  int64_t loop_stop_frame;      /**< UNKNOWN: the end */
} TimeBlocksSettings;

/** What the blocks tell you, in the order in which it happened. */
typedef enum {
  TIMEBLOCKS_MARKERS_CLAMPED = 0,
  TIMEBLOCKS_MARKERS_CROSSED,
  TIMEBLOCKS_MARKERS_EMPTY,
  TIMEBLOCKS_SEAM_EQUAL,
  TIMEBLOCKS_SEAM_SHIFTED,
  TIMEBLOCKS_SEAM_FADED,        /**< `value` is the relative difference */
  TIMEBLOCKS_SEAM_ODD,          /**< the two decodes contain different audio. `value` is the
                                 * relative difference */
  TIMEBLOCKS_PREROLL_WIDENED,   /**< `value` is the new preroll, in frames */
  TIMEBLOCKS_START_FORGOTTEN,   /**< seeks lead into another stream, so we've forgotten
                                 * the recorded start */
  /* failures */
  TIMEBLOCKS_NO_MEMORY,
  TIMEBLOCKS_FORMAT_CHANGED,
  TIMEBLOCKS_BROKEN_OFF,        /**< the source ended before it reached audio that it had sent
                                 * earlier. `frame` is the number of missing frames */
  TIMEBLOCKS_NOT_EXACT,
  TIMEBLOCKS_AUDIO_MISSING,     /**< after a seek, the source left out audio */
  TIMEBLOCKS_NO_AUDIO           /**< no seek finds any audio */
} TimeBlocksCode;

typedef struct {
  TimeBlocksCode code;
  int64_t frame;                /**< of the seam, or at which the preroll was widened */
  double value;
  int64_t ahead_frames;         /**< SEAM_…: from the playhead to the seam */
} TimeBlocksReport;

typedef enum {
  TIMEBLOCKS_START = 0,         /**< continue after `last_frame`, which has passed through.
                                 * UNKNOWN: from the beginning of the range */
  TIMEBLOCKS_GO_TO,             /**< jump to the beginning of the range */
  TIMEBLOCKS_RESUME             /**< keep the position */
} TimeBlocksMove;

/** A range to play, from its start on, or backwards from its stop. */
typedef struct {
  TimeBlocksMove move;
  double velocity;              /**< below 0: backwards */
  int64_t start_frame;
  int64_t stop_frame;           /**< UNKNOWN: the end of the stream */
  int64_t end_frame;            /**< the end of the stream, as far as it's known */
  int64_t last_frame;           /* START */
  TimeBlocksFormat format;      /**< of another stream that follows. If the stream is the same,
                                 * the rate is 0 */
} TimeBlocksTarget;

/** What to fetch: fill @decode with the audio that the source sends after a seek. */
typedef struct {
  TimeDecode *decode;           /**< now belongs to the caller */
  int64_t seek_half_frames;     /**< where to seek, in half frames */
  int may_continue;             /**< not 0: try timedecode_continue() first */
} TimeBlocksFetch;

/** What the blocks want before you can read more. */
typedef enum {
  TIMEBLOCKS_NOTHING = 0,
  TIMEBLOCKS_FETCH,             /**< do the fetch */
  TIMEBLOCKS_THE_END,           /**< call again with an estimate of the end of the stream */
  TIMEBLOCKS_FAILED             /**< the report says why */
} TimeBlocksWant;

/** Frames to play, in the order of the stream. */
typedef struct {
  TimeBlocksFormat format;
  const void *samples;          /**< the lowest frame in the first plane. Valid until the next
                                 * call other than timeblocks_get_state() */
  size_t plane_bytes;           /**< distance between planes */
  size_t frames;                /**< to be reversed, if the velocity is below 0 */
  int64_t frame;                /**< the lowest frame */
} TimeBlocksSpan;

typedef struct {
  TimeBlocksFormat format;
  double velocity;
  int64_t boundary;             /**< at the playhead. UNKNOWN: at an unknown end */
  int is_found;                 /**< not 0: the frame at the playhead is in memory */
  int64_t ready_frames;         /**< that can be read at once */
  int64_t left_frames;          /**< of the pass. INT64_MAX: unknown */
  int64_t pass_first_frame;
  int64_t pass_end_frame;       /**< UNKNOWN: the end of the stream */
  int stops_early;              /**< not 0: the pass ends before the stream does */
  int is_last_pass;
  int is_fetching;              /* not 0: a fetch is on its way */
  int is_lost;                  /**< not 0: no seek finds the end of the stream */
  int64_t first_frame;          /**< of the stream */
  int64_t end_frame;            /**< of the stream. UNKNOWN: not seen yet */
  uint64_t blocks, seams_equal, seams_shifted, seams_faded, prerolls_widened;
  int64_t preroll_frames;
} TimeBlocksState;

TIMEDSP_BEGIN

/** Makes blocks, without a stream yet. Returns NULL if there's no memory. */
TimeBlocks *TIMEDSP_NULLABLE timeblocks_new (TimeBlocksConvert convert);

/** Frees @blocks. NULL is fine. */
void timeblocks_free (TimeBlocks * TIMEDSP_NULLABLE blocks);

/** Begins a stream in @format. No seek goes below @first_frame. */
void timeblocks_open (TimeBlocks * blocks, const TimeBlocksFormat * format,
    const TimeBlocksSettings * settings, int64_t first_frame);

/** Frees all frames of the stream. */
void timeblocks_clear (TimeBlocks * blocks);

/** The source is about to send the start of the stream, from @first_frame on to @stop_frame
 * (UNKNOWN: to the end). Returns a decode for it, or NULL if there's no memory. Then the start is
 * fetched like any other audio. */
TimeDecode *TIMEDSP_NULLABLE timeblocks_record_start (TimeBlocks * blocks,
    int64_t first_frame, int64_t stop_frame);

/** Takes the complete decode with the start. If you can't play the blocks, this sets @report and
 * returns 0. */
int timeblocks_end_recording (TimeBlocks * blocks, TimeDecode * decode,
    TimeBlocksReport * report);

/** Applies @settings. Loop markers take effect at the next pass. If you've switched the loop on or
 * off, the pass has changed, and this doesn't return 0. */
int timeblocks_configure (TimeBlocks * blocks,
    const TimeBlocksSettings * settings);

/** Moves the playhead, and sets the range to play. */
void timeblocks_go (TimeBlocks * blocks, const TimeBlocksTarget * target);

/** Moves the playhead to @boundary of the range to play, and continues with @velocity. The pass is
 * that of the loop, or if @in_loop is 0, the whole range. */
void timeblocks_move (TimeBlocks * blocks, int64_t boundary, double velocity, int in_loop);

/** Changes the direction. After frame n, you get frame n - 1 or n + 1. If @velocity has the present
 * direction, this returns 0. */
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

/** Sets @span to the next frames, at most 1/25 s, and moves the playhead past them. If none are
 * ready, this returns 0. */
int timeblocks_read (TimeBlocks * blocks, TimeBlocksSpan * span);

/** Starts the next pass, or returns 0 if there's none. */
int timeblocks_next_pass (TimeBlocks * blocks);

/** Sets @report to the next report, or returns 0 if there's none. */
int timeblocks_get_report (TimeBlocks * blocks, TimeBlocksReport * report);

void timeblocks_get_state (TimeBlocks * blocks, TimeBlocksState * state);

TIMEDSP_END

#ifdef __cplusplus
}
#endif
#endif /* TIMEBLOCKS_H */
