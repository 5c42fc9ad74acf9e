/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * timeplay.h: plays a stream block by block, in either direction, from whatever
 * can seek in it. Part of the C interface (see timedsp.h for its words and rules,
 * and timefetch.h for those of blocks).
 *
 * A playback decides; its owner acts. It takes in what happens (a seek, a turn, a
 * run that has arrived), and timeplay_next() says what to do about it: one action,
 * of which the owner tells the outcome with timeplay_done(). It never waits, calls
 * nobody but the conversion of samples, and knows no clock and no thread. The calls
 * to one playback must not overlap; it may be told of anything while an action is
 * open.
 *
 * Words
 *   run        what arrives after one seek: a block, and some audio around it
 *   boundary   a place between two frames: boundary n lies before frame n
 *   splice     where the block of one run meets that of another
 *   pass       what is played up to a loop marker, or to an end of the stream
 *   start      the first second of the stream, as a fresh decoder gives it
 *   index      a frame, counted among those that are really there
 */

#ifndef TIMEPLAY_H
#define TIMEPLAY_H

#include "timefetch.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A time that is not known, or not set. */
#define TIMEPLAY_NO_TIME UINT64_MAX

/** What the frames of a stream are. A rate of 0 stands for no format. */
typedef struct {
  uint32_t rate;                /**< frames per second */
  uint32_t channels;            /**< 1 … TIMEDSP_MAX_CHANNELS */
  uint32_t planes;              /**< 1, or one for each channel */
  uint32_t stride_bytes;        /**< of a frame of one plane */
  uint32_t sample_bytes;        /**< 1 … 8 */
  uint8_t silence[8];           /**< the bytes of a silent sample */
  const void *id;               /**< the owner's: equal formats have the same */
} TimePlayFormat;

/* ---- runs ---------------------------------------------------------------- */

typedef enum {
  TIMEPLAY_RUN_OPEN = 0,        /**< more is wanted */
  TIMEPLAY_RUN_COMPLETE,        /**< all that is wanted is there */
  TIMEPLAY_RUN_ENDED,           /**< the stream ends behind it */
  TIMEPLAY_RUN_NO_MEMORY        /**< nothing could be kept */
} TimePlayRunState;

/** How a run came to be. */
typedef enum {
  TIMEPLAY_RUN_SOUGHT = 0,      /**< by a seek … */
  TIMEPLAY_RUN_SOUGHT_WITH_STOP,        /**< … that said where to stop */
  TIMEPLAY_RUN_CONTINUES        /**< it goes on where the last run ended */
} TimePlayRunOrigin;

/**
 * A fetched run: the audio that arrives after one seek, as far as it is wanted.
 *
 * Frames are placed by the timestamp of the buffer that holds them, in stream
 * time: first the beginning of what is kept, then the frame at which the run meets
 * its neighbour, then its end. In between they are counted. So neighbouring runs,
 * which see the same buffers, agree on their boundaries however timestamps were
 * rounded.
 */
typedef struct {
  TimeDSPFetch fetch;           /**< what was asked for */
  int64_t join_frame;           /**< where it meets its neighbour; UNKNOWN: it has
                                 * none */
  size_t max_frames;            /**< most that is kept */
  TimePlayRunState state;
  TimePlayRunOrigin origin;
  int is_retry;                 /**< upstream has ended too early once */
  TimePlayFormat format;        /**< of the first buffer; none before it */
  int64_t offset_ns;            /**< timestamps were so much above stream time */
  uint8_t *memory;              /**< plane after plane … */
  size_t capacity_frames;       /**< … of so many frames each */
  size_t frames;                /**< that are kept */
  int64_t first_frame;          /**< the first one that is kept; UNKNOWN: none is */
  int64_t next_frame;           /**< behind the last one that arrived, kept or not;
                                 * UNKNOWN: none has */
  int64_t join_index;           /**< of join_frame among those kept; UNKNOWN: it
                                 * has not come */
  int skipped;                  /**< frames came that lie before what is wanted */
  int unplaced;                 /**< frames came that nobody knows the place of */
  int overflown;                /**< more was wanted than max_frames: none is kept */
} TimePlayRun;

/** Audio that has arrived, and where it lies in the stream. */
typedef struct {
  const void *const *planes;
  size_t frames;
  int has_timestamp;            /**< else time_ns is that of the segment's start */
  int time_sign;                /**< of stream time; 0: it lies outside */
  uint64_t time_ns;             /**< stream time, without its sign */
  int64_t offset_ns;            /**< of timestamps from stream time */
} TimePlayBuffer;

/** Frees a run, which may be NULL. */
void timeplay_run_free (TimePlayRun * run);

/**
 * Adds the frames of @buffer from @first on. On return, @first is behind the last
 * one that the run had use for. A hole of 1/32 s and more in the timestamps is
 * filled with silence. Whether the run wants more, its state says.
 */
void timeplay_run_add (TimePlayRun * run, const TimePlayBuffer * buffer,
    const TimePlayFormat * format, size_t * first);

/** The stream has ended: nothing more will come. */
void timeplay_run_end (TimePlayRun * run);

/** Lets @run, of which nothing has come, go on at @next_frame, where the last one
 * ended. 0: it wants to begin elsewhere. */
int timeplay_run_continue (TimePlayRun * run, int64_t next_frame);

/* ---- what goes in -------------------------------------------------------- */

/** Turns samples into numbers of full scale 1, or back. @samples is the first
 * frame of the first of the planes, which lie @plane_bytes apart; the numbers are
 * interleaved. */
typedef void (*TimePlayConvert) (const TimePlayFormat * format, int to_numbers,
    void *samples, size_t plane_bytes, double *numbers, size_t frames);

typedef struct {
  uint64_t max_block_ns;        /**< the longest block */
  uint64_t preroll_ns;          /**< NO_TIME: automatic */
  uint64_t max_memory_bytes;
  int exact;                    /**< no fade where two runs differ, but an error */
  TimeDSPLoop loop;
  uint64_t loop_start_ns;
  uint64_t loop_stop_ns;        /**< NO_TIME: the end */
} TimePlaySettings;

typedef enum {
  TIMEPLAY_SEEK_START = 0,      /**< play begins */
  TIMEPLAY_SEEK_TO,             /**< play goes on elsewhere */
  TIMEPLAY_SEEK_RESUME          /**< play goes on where it is */
} TimePlaySeekKind;

/** Another place in the stream that somebody wants to hear. */
typedef struct {
  TimePlaySeekKind kind;
  TimeDSPDirection direction;
  double rate;                  /**< above 0 */
  uint64_t start_ns;
  uint64_t stop_ns;             /**< NO_TIME: the end */
  uint64_t duration_ns;         /**< of the stream; NO_TIME: not known */
  int64_t last_frame;           /**< START: the frame heard before; or UNKNOWN */
  int flushing;                 /**< running time begins at 0 */
  TimePlayFormat format;        /**< somebody else has sought in the stream, which
                                 * is like that now; or none */
  uint32_t seqnum;              /**< the owner's, as are … */
  uint32_t flags;               /**< … those of all segments, … */
  uint32_t first_flags;         /**< … and more, of the first one */
} TimePlaySeek;

/** What upstream has done. */
typedef struct {
  TimePlayRun *run;             /**< (transfer full): one that is done; or NULL */
  int broken;                   /**< it said something that makes no sense */
  int contested;                /**< somebody else fetches from the same source */
  int needs_stop;               /**< seeks have to say where to stop */
  int followed;                 /**< another stream has followed this one */
} TimePlayArrival;

/* ---- what comes out ------------------------------------------------------ */

typedef enum {
  TIMEPLAY_WAIT = 0,            /**< nothing to do before something happens */
  TIMEPLAY_REPORT,              /**< tell of report */
  TIMEPLAY_ASK_DURATION,        /**< done with duration_ns */
  TIMEPLAY_FETCH,               /**< fill run (transfer full): where may_continue,
                                 * without a seek if upstream stands at its first
                                 * frame; else, where may_seek, after one to
                                 * seek_ns. Done with ok: it will be filled */
  TIMEPLAY_SEGMENT,             /**< send the segment; done with open */
  TIMEPLAY_FRAMES,              /**< send frames; done with ok */
  TIMEPLAY_SERVED,              /**< the seek of seqnum has been served: its flush
                                 * is over */
  TIMEPLAY_END,                 /**< send EOS, or that the segment is done */
  TIMEPLAY_FAIL                 /**< tell of report, an error, and send EOS */
} TimePlayActionKind;

/** What is told of. @frame and @value are those of the report. */
typedef enum {
  TIMEPLAY_MARKERS_WERE_CLAMPED = 0,
  TIMEPLAY_MARKERS_WERE_CROSSED,
  TIMEPLAY_MARKERS_WERE_EMPTY,
  TIMEPLAY_SPLICE_EQUAL,        /**< at frame */
  TIMEPLAY_SPLICE_ALIGNED,      /**< at frame */
  TIMEPLAY_SPLICE_FADED,        /**< at frame; value: the relative difference */
  TIMEPLAY_SPLICE_ODD,          /**< the same; the two are not the same audio */
  TIMEPLAY_PREROLL_WIDENED,     /**< at frame; value: to so many frames */
  TIMEPLAY_START_FORGOTTEN,     /**< seeks lead into another stream */
  /* errors */
  TIMEPLAY_NO_MEMORY,
  TIMEPLAY_FORMAT_CHANGED,
  TIMEPLAY_IS_CONTESTED,
  TIMEPLAY_IS_FOLLOWED,
  TIMEPLAY_SEEK_REFUSED,
  TIMEPLAY_BROKEN_OFF,          /**< frame frames before what came earlier */
  TIMEPLAY_NOT_EXACT,
  TIMEPLAY_AUDIO_MISSING,
  TIMEPLAY_NO_AUDIO
} TimePlayReport;

/** What is to be done; fields of other kinds are 0. */
typedef struct {
  TimePlayActionKind kind;
  uint32_t seqnum, flags;       /**< of the seek that is served */
  TimePlayReport report;
  int64_t frame;                /**< of the report. FRAMES: the lowest one */
  double value;

  TimePlayRun *run;             /* FETCH */
  int may_continue;
  int may_seek;
  uint64_t seek_ns;

  TimePlayFormat format;        /* SEGMENT and FRAMES */
  TimeDSPDirection direction;
  double rate;
  uint64_t base_ns;             /**< running time of the first frame */
  uint64_t start_ns;            /**< SEGMENT: also its stream time. FRAMES: PTS.
                                 * SERVED: of the seek. END: where play is */
  uint64_t stop_ns;
  uint64_t duration_ns;         /**< of the stream, or of the frames */

  const void *samples;          /* FRAMES: the lowest frame in the first plane */
  size_t plane_bytes;           /**< from plane to plane */
  size_t frames;                /**< BACKWARD: to be reversed */
  uint64_t offset_frames;       /**< sent before it */
  int discont;
} TimePlayAction;

/** What came of an action. */
typedef struct {
  int ok;                       /**< FETCH, FRAMES */
  int open;                     /**< SEGMENT: downstream knows no stop of it */
  uint64_t duration_ns;         /**< ASK_DURATION; or NO_TIME */
} TimePlayOutcome;

/** What has been counted since the stream began. */
typedef struct {
  uint64_t blocks;
  uint64_t splices_verified, splices_aligned, splices_faded;
  uint64_t prerolls_widened;
  int64_t preroll_frames;
} TimePlayStats;

/* ---- a playback ----------------------------------------------------------- */

typedef struct TimePlayback TimePlayback;

/** A playback that nobody has opened. NULL: there is no memory. */
TimePlayback *timeplay_new (TimePlayConvert convert);
void timeplay_free (TimePlayback * playback);

/** How it is to play; some of it is read when a seek comes, or a pass ends. */
void timeplay_configure (TimePlayback * playback,
    const TimePlaySettings * settings);

/**
 * Begins with a stream like @format; running time goes on at @base_ns. A seek of
 * TIMEPLAY_SEEK_START has to follow.
 *
 * @first_frame: upstream is at the beginning of the stream, which has this number:
 * the run that is returned (transfer full) is to be filled with what comes.
 * UNKNOWN: it is not, and the return is NULL.
 */
TimePlayRun *timeplay_open (TimePlayback * playback,
    const TimePlayFormat * format, uint64_t base_ns, int64_t first_frame);

/** Frees what is kept of the stream. */
void timeplay_close (TimePlayback * playback);

/** The newest seek counts; TIMEPLAY_SEEK_RESUME goes on where the one before it
 * leads. A seek takes the place of a turn that has not been made. */
void timeplay_seek (TimePlayback * playback, const TimePlaySeek * seek);

/** Whether a seek waits to be served. */
int timeplay_has_seek (const TimePlayback * playback);

/** The frame after n is n - 1, or n + 1, as soon as nothing else is to be done. */
void timeplay_turn (TimePlayback * playback, TimeDSPDirection direction);

void timeplay_arrive (TimePlayback * playback, const TimePlayArrival * arrival);

/** What to do next. The outcome of the action before has been told. */
void timeplay_next (TimePlayback * playback, TimePlayAction * action);
void timeplay_done (TimePlayback * playback, const TimePlayOutcome * outcome);

/** Stream time of what is heard next, while nothing has been sent since a seek;
 * else NO_TIME. */
uint64_t timeplay_position (const TimePlayback * playback);

/** Of the stream, as far as it has been seen; NO_TIME: its end has not. */
uint64_t timeplay_duration (const TimePlayback * playback);

void timeplay_stats (const TimePlayback * playback, TimePlayStats * stats);

#ifdef __cplusplus
}
#endif
#endif /* TIMEPLAY_H */
