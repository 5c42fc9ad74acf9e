/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * timeplay.h: plays a stream block by block, in either direction, from whatever
 * can seek in it. Part of the C interface (see timedsp.h for its words and rules).
 *
 * A playback decides; its owner acts. It takes in what happens (a seek, a setting, an
 * event or a buffer of upstream), and timeplay_next() says what to do about it: one
 * action, of which the owner tells the outcome with timeplay_done(). It never waits,
 * calls nobody but the conversion of samples, and knows no clock and no thread. The
 * calls to one playback must not overlap: they are made under one lock. The exception
 * is timeplay_run_add(), which touches the run alone.
 *
 * While an action is open (between timeplay_next() and timeplay_done()), all calls but
 * timeplay_next(), timeplay_clear() and timeplay_free() may come. A FETCH makes upstream
 * send FLUSH_START, FLUSH_STOP, a segment and buffers while it is open. The frames of
 * an open FRAMES stay where they are.
 *
 * Words
 *   block      frames [first, end) of the stream, fetched at once
 *   run        what arrives after one seek: a block, and some audio around it
 *   boundary   a place between two frames: boundary n lies before frame n
 *   splice     where the block of one run meets that of another
 *   pass       what is played up to a loop marker, or to an end of the stream
 *   start      the first second of the stream, as a fresh decoder gives it
 *   index      a frame, counted among those that are really there
 */

#ifndef TIMEPLAY_H
#define TIMEPLAY_H

#include "timedsp.h"

#ifdef __cplusplus
extern "C" {
#endif

/** An end that is not known yet, or a place that is not set. Frames are counted in stream
 * time: frame n lies at n / rate. Their numbers are 0 … TIMEDSP_MAX_FRAMES. */
#define TIMEDSP_UNKNOWN INT64_C (-1)

/** A time that is not known, or not set. */
#define TIMEPLAY_NO_TIME UINT64_MAX

/** Which way the frames are heard. */
typedef enum {
  TIMEDSP_FORWARD = 0,
  TIMEDSP_BACKWARD
} TimeDSPDirection;

typedef enum {
  TIMEDSP_LOOP_NONE = 0,
  TIMEDSP_LOOP_REPEAT,
  TIMEDSP_LOOP_PING_PONG
} TimeDSPLoop;

/* ---- times --------------------------------------------------------------- */

/**
 * The number of the frame that lies at @time_ns, rounded to the nearest one
 * (half up); 0 where an argument is 0, TIMEDSP_MAX_FRAMES at most. Gives back
 * @frame of timedsp_time_of() for rates below 5 × 10^8. Real-time.
 */
int64_t timedsp_frame_at (uint64_t time_ns, uint32_t rate);

/** Time of boundary @frame in ns, floor (frame 10^9 / rate): GStreamer's own
 * rounding of timestamps. 0 where @frame is negative or @rate 0; UINT64_MAX
 * (GST_CLOCK_TIME_NONE) where it does not fit. Real-time. */
uint64_t timedsp_time_of (int64_t frame, uint32_t rate);

/* ---- formats ------------------------------------------------------------- */

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

/** A fetched run: the audio that arrives after one seek, as far as it is wanted. */
typedef struct TimePlayRun TimePlayRun;

/** Audio that has arrived, and where it lies in the stream. */
typedef struct {
  const void *const *planes;
  size_t frames;
  int has_timestamp;            /**< else time_ns is that of the segment's start */
  int time_sign;                /**< of stream time; 0: it lies outside */
  uint64_t time_ns;             /**< stream time, without its sign */
  int64_t offset_ns;            /**< of timestamps from stream time */
} TimePlayBuffer;

/**
 * Adds the frames of @buffer from @first on. On return, @first is behind the last
 * one that the run had use for. A hole of 1/32 s and more in the timestamps is
 * filled with silence. Returns whether the run wants more.
 */
int timeplay_run_add (TimePlayRun * run, const TimePlayBuffer * buffer,
    const TimePlayFormat * format, size_t * first);

/** Whether upstream was asked for the stream from time 0 on: then nothing comes before
 * what it sends. */
int timeplay_run_is_from_zero (const TimePlayRun * run);

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
  TimeDSPDirection direction;   /**< a change of it turns play around */
  int turns;                    /**< the application has just set direction: play goes
                                 * that way, also if a loop has turned it since */
  TimeDSPLoop loop;
  uint64_t loop_start_ns;
  uint64_t loop_stop_ns;        /**< NO_TIME: the end */
} TimePlaySettings;

/** A part of the stream that upstream plays, in stream time. */
typedef struct {
  double rate;                  /**< 0: it is of no time format */
  uint32_t flags;               /**< GstSegmentFlags */
  uint64_t start_ns;
  uint64_t stop_ns;             /**< NO_TIME: the end */
} TimePlaySegment;

/** Where the stream is when play begins. */
typedef struct {
  TimePlayFormat format;
  TimePlaySegment segment;
  uint32_t seqnum;              /**< of the segment */
  uint64_t duration_ns;         /**< as upstream says; or NO_TIME */
  uint64_t base_ns;             /**< running time of what is sent next */
  int64_t last_frame;           /**< sent before that; or UNKNOWN */
} TimePlayStart;

typedef enum {
  TIMEPLAY_KEEPS = 0,           /**< start or stop stay as they are */
  TIMEPLAY_SETS,
  TIMEPLAY_FROM_END             /**< counted from the end of the stream */
} TimePlaySeekType;             /* as GstSeekType */

/** A seek of the application, in stream time, as GStreamer's event has it. */
typedef struct {
  double rate;
  uint32_t flags;               /**< GstSeekFlags */
  TimePlaySeekType start_type, stop_type;
  int64_t start_ns, stop_ns;    /**< a stop of -1: the end */
  uint32_t seqnum;
  uint64_t duration_ns;         /**< as upstream says; or NO_TIME */
  int limits;                   /**< the application wants no more than a part */
} TimePlaySeek;

/** The range that an application has asked for of a stream that the playback does not
 * play. Begins with { 0, -1 }. */
typedef struct {
  int stop_is_own;              /**< upstream's stop is a position that was sought to */
  int64_t stop_ns;              /**< the application's stop; -1: the end */
} TimePlayRange;

/**
 * Makes of @seek the one to send upstream. @collects: the stream is collected, to be sent
 * backwards: a seek to a position then plays from there down to the beginning, so upstream
 * is asked for everything before it. A stop that is left unchanged is the one that the
 * application asked for last.
 *
 * Returns: whether the application asks for no more than a part (`limits` of a seek).
 */
int timeplay_range_translate (TimePlayRange * range, TimePlaySeek * seek,
    int collects);

/**
 * Whether a stream may end where it has come to, which upstream plays backwards by itself:
 * within 0.5 s of the end of its segment. Upstream that stops earlier has lost audio, and
 * where it goes on for longer, its blocks came in a wrong order.
 *
 * @start_ns, @stop_ns: of the segment in which it plays forward, turned around
 * @reached_ns: in that segment; NO_TIME: nothing has come
 */
int timeplay_is_plausible_end (uint64_t start_ns, uint64_t stop_ns,
    uint64_t reached_ns);

/** What becomes of a seek, or of a start. */
typedef enum {
  TIMEPLAY_REFUSED = 0,
  TIMEPLAY_TAKEN,               /**< it will be served */
  TIMEPLAY_STARTED,             /**< … by a thread that has to be started now;
                                 * then call timeplay_started() */
  TIMEPLAY_GOES_PAST            /**< it is upstream's; timeplay_seek_past() has to
                                 * follow when upstream has returned from it */
} TimePlayAnswer;

/** What upstream sends beside audio. */
typedef enum {
  TIMEPLAY_FLUSH_START = 0,
  TIMEPLAY_FLUSH_STOP,
  TIMEPLAY_NEW_SEGMENT,
  TIMEPLAY_NEW_FORMAT,
  TIMEPLAY_STREAM_END,
  TIMEPLAY_NEW_STREAM,          /**< another one */
  TIMEPLAY_GAP,                 /**< or anything else that the timestamps show */
  TIMEPLAY_OTHER_EVENT,         /**< serialized, and none of these */
  TIMEPLAY_SEGMENT_END          /**< the stream or its part has ended, which upstream
                                 * has not announced as the end of the stream */
} TimePlayEventKind;

typedef struct {
  TimePlayEventKind kind;
  uint32_t seqnum;
  int in_seek;                  /**< it comes in the thread that performs a FETCH,
                                 * from inside of the seek */
  TimePlaySegment segment;      /* NEW_SEGMENT */
  int empty;                    /**< … it stops where it starts, or before that */
  uint64_t duration_ns;         /**< … as upstream says, if
                                 * timeplay_awaits_segment() */
  TimePlayFormat format;        /* NEW_FORMAT; a rate of 0: not understood */
} TimePlayEvent;

/** What to do with an event. */
typedef enum {
  TIMEPLAY_PASS = 0,            /**< it is none of the playback's */
  TIMEPLAY_DROP,
  TIMEPLAY_SEND,                /**< send it on now: a flush of somebody else's */
  TIMEPLAY_KEEP,                /**< send it on before the next frames */
  TIMEPLAY_HOLD                 /**< the next stream waits for the end of this one: ask
                                 * again when something has happened */
} TimePlayRoute;

/** What to do with a buffer. */
typedef enum {
  TIMEPLAY_BUFFER_PASSES = 0,   /**< it is none of the playback's */
  TIMEPLAY_BUFFER_WAITS,        /**< ask again when something has happened */
  TIMEPLAY_BUFFER_FILLS,        /**< add it to the run */
  TIMEPLAY_BUFFER_IS_DROPPED,
  TIMEPLAY_BUFFER_IS_LATE,      /**< nothing more is wanted: drop it, answer EOS */
  TIMEPLAY_BUFFER_IS_FLUSHED    /**< drop it, answer FLUSHING */
} TimePlayReception;

/* ---- what comes out ------------------------------------------------------ */

typedef enum {
  TIMEPLAY_WAIT = 0,            /**< nothing to do before something happens */
  TIMEPLAY_REPORT,              /**< tell of report */
  TIMEPLAY_ASK_DURATION,        /**< done with duration_ns */
  TIMEPLAY_FETCH,               /**< seek upstream from seek_ns to stop_ns, with
                                 * seqnum, accurate and flushing, as a segment unless
                                 * it is_last. Done with ok: upstream has agreed; else
                                 * with flushing */
  TIMEPLAY_SEGMENT,             /**< send the segment; done with open */
  TIMEPLAY_FRAMES,              /**< send frames; done with flow */
  TIMEPLAY_SERVED,              /**< the seek of seqnum has been served */
  TIMEPLAY_FAIL,                /**< tell of report, an error */
  TIMEPLAY_LET_GO,              /**< nothing more will be fetched for now. Done with
                                 * ok: upstream is to be told that all is well, for
                                 * others end with it; or with held: it is not let go */
  TIMEPLAY_END,                 /**< send EOS, or that the segment is done */
  TIMEPLAY_ASK_PROMISE,         /**< done with duration_ns, if upstream states it of
                                 * this stream alone */
  TIMEPLAY_HAND_OVER            /**< all has been sent, and the next stream passes: its
                                 * running time goes on at base_ns */
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
  TIMEPLAY_ENDS_EARLY,          /**< at frame; value: the end that upstream states, in
                                 * seconds */
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
  uint32_t seqnum;              /**< of the seek that is served; FETCH: its own */
  uint32_t flags;               /**< of the segment, GstSegmentFlags */
  TimePlayReport report;
  int64_t frame;                /**< of the report. FRAMES: the lowest one */
  double value;

  uint64_t seek_ns;             /* FETCH */
  int is_last;                  /**< … no audio, but the end of the stream, so not as a
                                 * segment, unless flags say that one is played */

  TimePlayFormat format;        /* SEGMENT and FRAMES */
  TimeDSPDirection direction;
  double rate;
  uint64_t base_ns;             /**< running time of the first frame; HAND_OVER: of the
                                 * end */
  uint64_t start_ns;            /**< SEGMENT: also its stream time. FRAMES: PTS.
                                 * SERVED: of the seek. END, HAND_OVER: where play is */
  uint64_t stop_ns;             /**< of the segment, or of the FETCH */
  uint64_t duration_ns;         /**< of the stream, or of the frames */

  const void *samples;          /* FRAMES: the lowest frame in the first plane */
  size_t plane_bytes;           /**< from plane to plane */
  size_t frames;                /**< BACKWARD: to be reversed */
  uint64_t offset_frames;       /**< sent before it */
  int discont;
} TimePlayAction;

/** What downstream says of frames. */
typedef enum {
  TIMEPLAY_FLOW_OK = 0,
  TIMEPLAY_FLOW_FLUSHING,       /**< play goes on with a seek, if ever */
  TIMEPLAY_FLOW_END,            /**< nothing more is wanted */
  TIMEPLAY_FLOW_FAILED          /**< somebody has posted an error */
} TimePlayFlow;

/** What came of an action. */
typedef struct {
  int ok;                       /**< FETCH, LET_GO */
  int flushing;                 /**< FETCH: an active pad upstream is being flushed */
  TimePlayFlow flow;            /**< FRAMES */
  int open;                     /**< SEGMENT: downstream knows no stop of it */
  int held;                     /**< LET_GO: upstream would go on to the end of the
                                 * stream and announce it, and nobody else waits for it */
  uint64_t duration_ns;         /**< ASK_DURATION; or NO_TIME */
} TimePlayOutcome;

/** What has been counted since the stream began. */
typedef struct {
  uint64_t blocks;
  uint64_t splices_verified, splices_aligned, splices_faded;
  uint64_t prerolls_widened;
  int64_t preroll_frames;
} TimePlayStats;

typedef enum {
  TIMEPLAY_PASSING = 0,         /**< what upstream sends passes by */
  TIMEPLAY_STARTING,            /**< play has begun, and there is no thread for it yet;
                                 * who stops the element waits for the end of this */
  TIMEPLAY_PLAYING,
  TIMEPLAY_CLOSED               /**< the element has stopped, or is about to */
} TimePlayPhase;

/* ---- a playback ----------------------------------------------------------- */

typedef struct TimePlayback TimePlayback;

/** A playback that nobody has opened. @element tells apart those of one process:
 * it is part of the seqnums of their fetches. NULL: there is no memory. */
TimePlayback *timeplay_new (TimePlayConvert convert, uint32_t element);
void timeplay_free (TimePlayback * playback);

/** The element starts. Everything passes. */
void timeplay_open (TimePlayback * playback);

/** The element stops: buffers are FLUSHED, nothing starts, nothing is to be done.
 * What the streaming thread may be using stays until timeplay_clear(), which comes
 * when all threads have gone. */
void timeplay_close (TimePlayback * playback);
void timeplay_clear (TimePlayback * playback);

/** Applies settings. Loop markers take effect at the end of a pass, a new direction
 * immediately. A direction that has just been set is compared with the one that plays. */
void timeplay_configure (TimePlayback * playback,
    const TimePlaySettings * settings);

/* ---- starting, and seeks ---- */

/** The base class begins with a segment: one more that the playback has not
 * played. */
void timeplay_pass_segment (TimePlayback * playback);

/** Whether a seek has gone past, and neither its segment has come nor has upstream
 * returned from it. */
int timeplay_is_sought (const TimePlayback * playback);

/**
 * Play is to begin, with the audio that upstream sends next, or with @seek where
 * that is not NULL.
 *
 * Returns: STARTED; REFUSED: the element stops, or is flushed or, without @seek, is
 * sought, or the seek makes no sense; TAKEN: play has begun already, and has taken
 * @seek.
 */
TimePlayAnswer timeplay_start (TimePlayback * playback,
    const TimePlayStart * start, const TimePlaySeek * seek);

/** After STARTED: whether there is a thread that performs actions. */
void timeplay_started (TimePlayback * playback, int ok);

/** The application seeks. If the answer is TAKEN or STARTED and the seek flushes,
 * timeplay_end_flush() has to follow; nothing is sent before that. The newest seek
 * counts; one that does not say where to play goes on where the one before it leads.
 * A seek takes the place of a turn that has not been made. */
TimePlayAnswer timeplay_seek (TimePlayback * playback,
    const TimePlaySeek * seek);
void timeplay_seek_past (TimePlayback * playback, uint32_t seqnum);

/** FLUSH_START has been sent for a seek, and nobody is sending now. Returns whether to
 * send FLUSH_STOP: else another flush goes on. */
int timeplay_end_flush (TimePlayback * playback);

/* ---- upstream ---- */

TimePlayRoute timeplay_event (TimePlayback * playback,
    const TimePlayEvent * event);

/** Whether somebody else has flushed, and the segment that comes is of a seek of
 * theirs. Only for upstream's streaming thread. */
int timeplay_awaits_segment (const TimePlayback * playback);

/** What to do with a buffer. @run (out): which one to add it to, or NULL. Up to
 * timeplay_filled(), and to any event but a FLUSH_START, the run is the caller's: more buffers
 * may be added without asking. After a FETCH that is in vain, so ask again. The caller sees to
 * it that no such event comes while a buffer is being added. */
TimePlayReception timeplay_receive (TimePlayback * playback,
    TimePlayRun ** run);

/** The run in hand wants no more, or a buffer was not what its caps say (@ok is 0). Then timeplay_receive() says what to do with the rest of the buffer. */
void timeplay_filled (TimePlayback * playback, int ok);

/* ---- actions ---- */

/** What to do next. The outcome of the action before has been told. */
void timeplay_next (TimePlayback * playback, TimePlayAction * action);
void timeplay_done (TimePlayback * playback, const TimePlayOutcome * outcome);

/* ---- what there is to know ---- */

TimePlayPhase timeplay_phase (const TimePlayback * playback);

/** Whether a fetch is under way; or, with @shared, upstream has not been let go. */
int timeplay_is_waiting (const TimePlayback * playback, int shared);

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
