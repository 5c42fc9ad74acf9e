/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * timeplay.h: plays a stream block by block, in either direction, from a source that
 * can seek. Part of the C interface (see timedsp.h for its words and rules).
 *
 * A playback decides; its owner acts. The playback receives seeks, settings, and the
 * events and buffers of upstream. timeplay_next() returns the next action, and the owner
 * reports its outcome with timeplay_done(). The playback never waits, calls nothing but
 * the conversion of samples, and knows no clock and no thread. The calls to one playback
 * must not overlap: they are made under one lock. The exception is timeplay_run_add(),
 * which touches the run alone.
 *
 * While an action is open (between timeplay_next() and timeplay_done()), all calls except
 * timeplay_next(), timeplay_clear() and timeplay_free() are allowed. A FETCH makes
 * upstream send FLUSH_START, FLUSH_STOP, a segment and buffers while it is open. The
 * frames of an open FRAMES stay where they are.
 *
 * Words
 *   block      frames [first, end) of the stream, fetched together
 *   run        the audio that arrives after one seek: a block, and some audio around it
 *   boundary   a position between two frames: boundary n lies before frame n
 *   splice     the boundary at which the block of one run meets the block of another
 *   pass       the frames played up to a loop marker, or to an end of the stream
 *   start      the first second of the stream, as a fresh decoder outputs it
 *   index      the number of a frame, counting only frames that are really there
 */

#ifndef TIMEPLAY_H
#define TIMEPLAY_H

#include "timedsp.h"

#ifdef __cplusplus
extern "C" {
#endif

/** An end that is not known yet, or a position that is not set. Frames are counted in
 * stream time: frame n lies at n / rate. Their numbers are 0 … TIMEDSP_MAX_FRAMES. */
#define TIMEDSP_UNKNOWN INT64_C (-1)

/** A time that is not known, or not set. */
#define TIMEPLAY_NO_TIME UINT64_MAX

/** The direction in which frames are played. */
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
 * The number of the frame at @time_ns, rounded to the nearest one (half up);
 * 0 if an argument is 0, TIMEDSP_MAX_FRAMES at most. Recovers @frame
 * from its timedsp_time_of() for rates below 5 × 10^8. Real-time.
 */
int64_t timedsp_frame_at (uint64_t time_ns, uint32_t rate);

/** Time of boundary @frame in ns, floor (frame 10^9 / rate): GStreamer's own
 * rounding of timestamps. 0 if @frame is negative or @rate is 0; UINT64_MAX
 * (GST_CLOCK_TIME_NONE) if the time does not fit. Real-time. */
uint64_t timedsp_time_of (int64_t frame, uint32_t rate);

/* ---- formats ------------------------------------------------------------- */

/** The format of the frames of a stream. A rate of 0 stands for no format. */
typedef struct {
  uint32_t rate;                /**< frames per second */
  uint32_t channels;            /**< 1 … TIMEDSP_MAX_CHANNELS */
  uint32_t planes;              /**< 1, or one for each channel */
  uint32_t stride_bytes;        /**< of a frame of one plane */
  uint32_t sample_bytes;        /**< 1 … 8 */
  uint8_t silence[8];           /**< the bytes of a silent sample */
  const void *id;               /**< set by the owner: the same for equal formats */
} TimePlayFormat;

/* ---- runs ---------------------------------------------------------------- */

/** A fetched run: the wanted part of the audio that arrives after one seek. */
typedef struct TimePlayRun TimePlayRun;

/** Audio that has arrived, and its position in the stream. */
typedef struct {
  const void *const *planes;
  size_t frames;
  int has_timestamp;            /**< 0: time_ns is the time of the segment's start */
  int time_sign;                /**< of stream time; 0: outside the segment */
  uint64_t time_ns;             /**< stream time, without its sign */
  int64_t offset_ns;            /**< of timestamps from stream time */
} TimePlayBuffer;

/**
 * Adds the frames of @buffer from @first on. On return, @first is after the last
 * frame that the run could use. A hole of 1/32 s and more in the timestamps is
 * filled with silence. Returns whether the run wants more.
 */
int timeplay_run_add (TimePlayRun * run, const TimePlayBuffer * buffer,
    const TimePlayFormat * format, size_t * first);

/** Whether upstream was asked for the stream from time 0 on: then no frames precede the
 * first one that it sends. */
int timeplay_run_is_from_zero (const TimePlayRun * run);

/* ---- input --------------------------------------------------------------- */

/** Converts samples to numbers of full scale 1, or back. @samples is the first
 * frame of the first of the planes, which lie @plane_bytes apart; the numbers are
 * interleaved. */
typedef void (*TimePlayConvert) (const TimePlayFormat * format, int to_numbers,
    void *samples, size_t plane_bytes, double *numbers, size_t frames);

typedef struct {
  uint64_t max_block_ns;        /**< the longest block */
  uint64_t preroll_ns;          /**< NO_TIME: automatic */
  uint64_t max_memory_bytes;
  int exact;                    /**< if two runs differ: an error instead of a fade */
  TimeDSPDirection direction;   /**< a change of it makes playback turn */
  int turns;                    /**< the application has just set direction: playback
                                 * takes it, even if a loop has turned it since */
  TimeDSPLoop loop;
  uint64_t loop_start_ns;
  uint64_t loop_stop_ns;        /**< NO_TIME: the end */
} TimePlaySettings;

/** A part of the stream that upstream plays, in stream time. */
typedef struct {
  double rate;                  /**< 0: the segment is not in time format */
  uint32_t flags;               /**< GstSegmentFlags */
  uint64_t start_ns;
  uint64_t stop_ns;             /**< NO_TIME: the end */
} TimePlaySegment;

/** The state of the stream when playback begins. */
typedef struct {
  TimePlayFormat format;
  TimePlaySegment segment;
  uint32_t seqnum;              /**< of the segment */
  uint64_t duration_ns;         /**< as upstream reports it; or NO_TIME */
  uint64_t base_ns;             /**< running time of the next frame sent */
  int64_t last_frame;           /**< the last one sent before that; or UNKNOWN */
} TimePlayStart;

typedef enum {
  TIMEPLAY_KEEPS = 0,           /**< start or stop is unchanged */
  TIMEPLAY_SETS,
  TIMEPLAY_FROM_END             /**< counted from the end of the stream */
} TimePlaySeekType;             /* as GstSeekType */

/** A seek of the application, in stream time, with the fields of GStreamer's event. */
typedef struct {
  double rate;
  uint32_t flags;               /**< GstSeekFlags */
  TimePlaySeekType start_type, stop_type;
  int64_t start_ns, stop_ns;    /**< a stop of -1: the end */
  uint32_t seqnum;
  uint64_t duration_ns;         /**< as upstream reports it; or NO_TIME */
  int limits;                   /**< the application wants only a part of the stream */
} TimePlaySeek;

/** The range that an application has requested, of a stream that the playback does not
 * play. Initially { 0, -1 }. */
typedef struct {
  int stop_is_own;              /**< upstream's stop is a seek target */
  int64_t stop_ns;              /**< the application's stop; -1: the end */
} TimePlayRange;

/**
 * Changes @seek into the seek to send upstream. @collects: the stream is collected, to be
 * sent backwards. A seek to a position then plays from there down to the beginning, so
 * upstream is asked for everything before it. A stop that is left unchanged is the one that
 * the application asked for last.
 *
 * Returns: whether the application wants only a part of the stream (`limits` of a seek).
 */
int timeplay_range_translate (TimePlayRange * range, TimePlaySeek * seek,
    int collects);

/**
 * Whether a stream that upstream plays backwards on its own may end at @reached_ns: within
 * 0.5 s of the end of its segment. If upstream stops earlier, it has lost audio; if it
 * continues for longer, its blocks came in a wrong order.
 *
 * @start_ns, @stop_ns: of the segment after reversal, in which the stream plays forward
 * @reached_ns: in that segment; NO_TIME: nothing has arrived
 */
int timeplay_is_plausible_end (uint64_t start_ns, uint64_t stop_ns,
    uint64_t reached_ns);

/** The answer to a seek, or to a start. */
typedef enum {
  TIMEPLAY_REFUSED = 0,
  TIMEPLAY_TAKEN,               /**< it will be served */
  TIMEPLAY_STARTED,             /**< … by a thread that has to be started now;
                                 * then call timeplay_started() */
  TIMEPLAY_GOES_PAST            /**< it is for upstream; timeplay_seek_past() has to
                                 * follow when upstream has returned from it */
} TimePlayAnswer;

/** Events of upstream. */
typedef enum {
  TIMEPLAY_FLUSH_START = 0,
  TIMEPLAY_FLUSH_STOP,
  TIMEPLAY_NEW_SEGMENT,
  TIMEPLAY_NEW_FORMAT,
  TIMEPLAY_STREAM_END,
  TIMEPLAY_NEW_STREAM,          /**< another stream */
  TIMEPLAY_GAP,                 /**< or another event that the timestamps show, too */
  TIMEPLAY_OTHER_EVENT,         /**< serialized, and none of these */
  TIMEPLAY_SEGMENT_END          /**< the stream or its part has ended, but upstream
                                 * has not announced the end of the stream */
} TimePlayEventKind;

typedef struct {
  TimePlayEventKind kind;
  uint32_t seqnum;
  int in_seek;                  /**< it arrives in the thread that performs a FETCH,
                                 * from inside of the seek */
  TimePlaySegment segment;      /* NEW_SEGMENT */
  int empty;                    /**< … it stops where it starts, or before that */
  uint64_t duration_ns;         /**< … as upstream reports it, if
                                 * timeplay_awaits_segment() */
  TimePlayFormat format;        /* NEW_FORMAT; a rate of 0: not understood */
} TimePlayEvent;

/** What to do with an event. */
typedef enum {
  TIMEPLAY_PASS = 0,            /**< not for the playback */
  TIMEPLAY_DROP,
  TIMEPLAY_SEND,                /**< forward it now: a foreign flush */
  TIMEPLAY_KEEP,                /**< forward it before the next frames */
  TIMEPLAY_HOLD                 /**< the next stream waits for the end of this one: ask
                                 * again when something has happened */
} TimePlayRoute;

/** What to do with a buffer. */
typedef enum {
  TIMEPLAY_BUFFER_PASSES = 0,   /**< not for the playback */
  TIMEPLAY_BUFFER_WAITS,        /**< ask again when something has happened */
  TIMEPLAY_BUFFER_FILLS,        /**< add it to the run */
  TIMEPLAY_BUFFER_IS_DROPPED,
  TIMEPLAY_BUFFER_IS_LATE,      /**< nothing more is wanted: drop it, answer EOS */
  TIMEPLAY_BUFFER_IS_FLUSHED    /**< drop it, answer FLUSHING */
} TimePlayReception;

/* ---- output -------------------------------------------------------------- */

/** Kinds of actions. "Outcome" names the fields of TimePlayOutcome that the owner sets. */
typedef enum {
  TIMEPLAY_WAIT = 0,            /**< nothing to do before something happens */
  TIMEPLAY_REPORT,              /**< log the report, or post it as a warning */
  TIMEPLAY_ASK_DURATION,        /**< ask upstream. Outcome: duration_ns */
  TIMEPLAY_FETCH,               /**< seek upstream from seek_ns to stop_ns, with
                                 * seqnum, accurate and flushing, as a segment unless
                                 * it is_last. Outcome: ok if upstream has agreed, else
                                 * flushing */
  TIMEPLAY_SEGMENT,             /**< send the segment. Outcome: open */
  TIMEPLAY_FRAMES,              /**< send frames. Outcome: flow */
  TIMEPLAY_SERVED,              /**< the seek of seqnum has been served */
  TIMEPLAY_FAIL,                /**< post the report, an error */
  TIMEPLAY_LET_GO,              /**< nothing more will be fetched for now. Outcome: ok
                                 * if buffers are to be answered OK, since other
                                 * branches end with this one; or held: upstream is
                                 * not let go */
  TIMEPLAY_END,                 /**< send EOS, or that the segment is done */
  TIMEPLAY_ASK_PROMISE,         /**< ask upstream. Outcome: duration_ns, if upstream
                                 * states it of this stream alone */
  TIMEPLAY_HAND_OVER            /**< all has been sent, and the next stream passes
                                 * through: its running time continues at base_ns */
} TimePlayActionKind;

/** Kinds of reports. "frame" and "value" are fields of the action. */
typedef enum {
  TIMEPLAY_MARKERS_WERE_CLAMPED = 0,
  TIMEPLAY_MARKERS_WERE_CROSSED,
  TIMEPLAY_MARKERS_WERE_EMPTY,
  TIMEPLAY_SPLICE_EQUAL,        /**< at frame */
  TIMEPLAY_SPLICE_ALIGNED,      /**< at frame */
  TIMEPLAY_SPLICE_FADED,        /**< at frame; value: the relative difference */
  TIMEPLAY_SPLICE_ODD,          /**< the same; the two runs are not the same audio */
  TIMEPLAY_PREROLL_WIDENED,     /**< at frame; value: the new preroll, in frames */
  TIMEPLAY_START_FORGOTTEN,     /**< seeks lead into another stream */
  TIMEPLAY_ENDS_EARLY,          /**< at frame; value: the end that upstream states, in
                                 * seconds */
  /* errors */
  TIMEPLAY_NO_MEMORY,
  TIMEPLAY_FORMAT_CHANGED,
  TIMEPLAY_IS_CONTESTED,
  TIMEPLAY_IS_FOLLOWED,
  TIMEPLAY_SEEK_REFUSED,
  TIMEPLAY_BROKEN_OFF,          /**< frame: how many frames before audio that had
                                 * arrived earlier */
  TIMEPLAY_NOT_EXACT,
  TIMEPLAY_AUDIO_MISSING,
  TIMEPLAY_NO_AUDIO
} TimePlayReport;

/** An action; fields of other kinds are 0. */
typedef struct {
  TimePlayActionKind kind;
  uint32_t seqnum;              /**< of the seek that is served; FETCH: of the fetch */
  uint32_t flags;               /**< of the segment, GstSegmentFlags */
  TimePlayReport report;
  int64_t frame;                /**< of the report. FRAMES: the lowest one */
  double value;

  uint64_t seek_ns;             /* FETCH */
  int is_last;                  /**< … for the end of the stream, not for audio: not as
                                 * a segment, unless flags say that one is played */

  TimePlayFormat format;        /* SEGMENT and FRAMES */
  TimeDSPDirection direction;
  double rate;
  uint64_t base_ns;             /**< running time of the first frame; HAND_OVER: of the
                                 * end */
  uint64_t start_ns;            /**< SEGMENT: also its stream time. FRAMES: PTS.
                                 * SERVED: of the seek. END, HAND_OVER: the position */
  uint64_t stop_ns;             /**< of the segment, or of the FETCH */
  uint64_t duration_ns;         /**< of the stream, or of the frames */

  const void *samples;          /* FRAMES: the lowest frame in the first plane */
  size_t plane_bytes;           /**< from plane to plane */
  size_t frames;                /**< BACKWARD: to be reversed */
  uint64_t offset_frames;       /**< frames sent before these */
  int discont;
} TimePlayAction;

/** Downstream's answer to frames. */
typedef enum {
  TIMEPLAY_FLOW_OK = 0,
  TIMEPLAY_FLOW_FLUSHING,       /**< only a seek can continue playback */
  TIMEPLAY_FLOW_END,            /**< nothing more is wanted */
  TIMEPLAY_FLOW_FAILED          /**< an error has been posted */
} TimePlayFlow;

/** The outcome of an action. */
typedef struct {
  int ok;                       /**< FETCH, LET_GO */
  int flushing;                 /**< FETCH: an active pad upstream is being flushed */
  TimePlayFlow flow;            /**< FRAMES */
  int open;                     /**< SEGMENT: downstream knows no stop of it */
  int held;                     /**< LET_GO: upstream would continue to the end of the
                                 * stream and announce it, and nothing else waits for it */
  uint64_t duration_ns;         /**< ASK_DURATION; or NO_TIME */
} TimePlayOutcome;

/** Counts since the stream began. */
typedef struct {
  uint64_t blocks;
  uint64_t splices_verified, splices_aligned, splices_faded;
  uint64_t prerolls_widened;
  int64_t preroll_frames;
} TimePlayStats;

typedef enum {
  TIMEPLAY_PASSING = 0,         /**< passthrough */
  TIMEPLAY_STARTING,            /**< playback has begun, and has no thread yet; a thread
                                 * that stops the element waits for the end of this */
  TIMEPLAY_PLAYING,
  TIMEPLAY_CLOSED               /**< the element has stopped, or is about to */
} TimePlayPhase;

/* ---- a playback ----------------------------------------------------------- */

typedef struct TimePlayback TimePlayback;

/** Makes a playback that is not open. @element distinguishes the playbacks of one process:
 * it is part of the seqnums of their fetches. Returns NULL if there is no memory. */
TimePlayback *timeplay_new (TimePlayConvert convert, uint32_t element);
void timeplay_free (TimePlayback * playback);

/** The element starts, in passthrough. */
void timeplay_open (TimePlayback * playback);

/** The element stops: buffers are FLUSHED, nothing starts, no action follows.
 * Memory that the streaming thread may be using stays until timeplay_clear(), to be
 * called when all threads have ended. */
void timeplay_close (TimePlayback * playback);
void timeplay_clear (TimePlayback * playback);

/** Applies settings. Loop markers take effect at the end of a pass, a new direction
 * immediately. A direction that has just been set is compared with that of playback. */
void timeplay_configure (TimePlayback * playback,
    const TimePlaySettings * settings);

/* ---- starting, and seeks ---- */

/** The base class begins with a segment. Counts it as a segment that the playback does not
 * play. */
void timeplay_pass_segment (TimePlayback * playback);

/** Whether a seek has been forwarded upstream, and neither its segment has arrived nor has
 * upstream returned from it. */
int timeplay_is_sought (const TimePlayback * playback);

/**
 * Begins playback, with the audio that upstream sends next, or with @seek if that is
 * not NULL.
 *
 * Returns: STARTED; REFUSED: the element stops, or is flushed, or the seek makes no sense,
 * or timeplay_is_sought() without @seek; TAKEN: playback has begun already, and has
 * accepted @seek.
 */
TimePlayAnswer timeplay_start (TimePlayback * playback,
    const TimePlayStart * start, const TimePlaySeek * seek);

/** To be called after STARTED. @ok: there is a thread that performs actions. */
void timeplay_started (TimePlayback * playback, int ok);

/** The application seeks. If the answer is TAKEN or STARTED and the seek flushes,
 * timeplay_end_flush() has to follow; nothing is sent before that. The newest seek
 * counts; a seek without a position continues at the target of the one before it.
 * A seek replaces a turn that has not been made. */
TimePlayAnswer timeplay_seek (TimePlayback * playback,
    const TimePlaySeek * seek);
void timeplay_seek_past (TimePlayback * playback, uint32_t seqnum);

/** To be called when FLUSH_START has been sent for a seek, and no thread is sending.
 * Returns whether to send FLUSH_STOP; if not, another flush is under way. */
int timeplay_end_flush (TimePlayback * playback);

/* ---- upstream ---- */

TimePlayRoute timeplay_event (TimePlayback * playback,
    const TimePlayEvent * event);

/** Whether there was a foreign flush, and the next segment belongs to a foreign seek. Only
 * for upstream's streaming thread. */
int timeplay_awaits_segment (const TimePlayback * playback);

/** What to do with a buffer. @run (out): the run to add it to, or NULL. Up to
 * timeplay_filled(), and to any event except FLUSH_START, the run is the caller's: more
 * buffers may be added without asking. After a FETCH, adding to the run is in vain: ask again.
 * The caller ensures that no such event arrives while a buffer is being added. */
TimePlayReception timeplay_receive (TimePlayback * playback,
    TimePlayRun ** run);

/** The current run wants no more, or a buffer did not match its caps (@ok is 0). Call
 * timeplay_receive() again for the rest of the buffer. */
void timeplay_filled (TimePlayback * playback, int ok);

/* ---- actions ---- */

/** Sets @action to the next action. The outcome of the one before has been reported. */
void timeplay_next (TimePlayback * playback, TimePlayAction * action);
void timeplay_done (TimePlayback * playback, const TimePlayOutcome * outcome);

/* ---- state ---- */

TimePlayPhase timeplay_phase (const TimePlayback * playback);

/** Whether a fetch is under way; or, with @shared, upstream has not been let go. */
int timeplay_is_waiting (const TimePlayback * playback, int shared);

/** Stream time of the next frame, until the first buffer after a seek is sent; after
 * that, NO_TIME. */
uint64_t timeplay_position (const TimePlayback * playback);

/** Duration of the stream, in ns; NO_TIME: its end has not been seen. */
uint64_t timeplay_duration (const TimePlayback * playback);

void timeplay_stats (const TimePlayback * playback, TimePlayStats * stats);

#ifdef __cplusplus
}
#endif
#endif /* TIMEPLAY_H */
