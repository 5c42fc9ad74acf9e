/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * timeplay.h: plays a stream block by block, in either direction, from a source that
 * can seek. Part of the C interface (see timedsp.h for its words and rules).
 *
 * A playback (TimePlayback) makes decisions, and its owner, an element,
 * carries them out as actions. The playback receives seeks, settings, and the
 * events and buffers from upstream. timeplay_next() returns the next action,
 * and the owner reports its outcome with timeplay_done(). A playback never
 * waits, uses no clock and no thread, and calls no other code except
 * TimePlayConvert. Calls to the same playback must not overlap: make them
 * under one lock. The exception is timeplay_run_add(), which only accesses
 * the run.
 *
 * While an action is open (between timeplay_next() and timeplay_done()), all
 * functions except timeplay_next(), timeplay_clear() and timeplay_free() may
 * be called. Upstream answers an open FETCH with FLUSH_START, FLUSH_STOP, a
 * segment and buffers. The frames of an open FRAMES action stay at their
 * address.
 *
 * Words
 *   block      frames [first, end) of the stream, fetched together
 *   run        the audio that arrives after one seek: a block, and some audio around it
 *   boundary   a position between two frames: boundary n lies before frame n
 *   splice     the boundary at which the block of one run meets the block of another
 *   pass       the frames played up to a loop marker, or to an end of the stream
 *   start      the first second of the stream, as a fresh decoder outputs it
 *   index      the number of a frame in memory, counted consecutively, even if the
 *              timestamps of the stream jump
 */

#ifndef TIMEPLAY_H
#define TIMEPLAY_H

#include "timedsp.h"

#ifdef __cplusplus
extern "C" {
#endif

/** An unknown end, or a position that is not set. Other frame numbers are 0 …
 * TIMEDSP_MAX_FRAMES, in stream time: frame n is at n / rate. */
#define TIMEDSP_UNKNOWN INT64_C (-1)

/** An unknown time, or a time that is not set. */
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
 * The number of the frame nearest to @time_ns (half up), at most
 * TIMEDSP_MAX_FRAMES; 0 if an argument is 0. Inverts
 * floor (frame × 10^9 / rate) for rates below 5 × 10^8. Real-time.
 */
int64_t timedsp_frame_at (uint64_t time_ns, uint32_t rate);

/* ---- formats ------------------------------------------------------------- */

/** The format of the frames of a stream. A rate of 0 means no format. */
typedef struct {
  uint32_t rate;                /**< frames per second */
  uint32_t channels;            /**< 1 … TIMEDSP_MAX_CHANNELS */
  uint32_t planes;              /**< 1, or one for each channel */
  uint32_t stride_bytes;        /**< bytes per frame in one plane */
  uint32_t sample_bytes;        /**< 1 … 8 */
  uint8_t silence[8];           /**< the bytes of a silent sample */
  const void *id;               /**< set by the owner; equal for equal formats */
} TimePlayFormat;

/* ---- runs ---------------------------------------------------------------- */

/** A fetched run: the frames that are wanted from the audio that arrives after a seek. */
typedef struct TimePlayRun TimePlayRun;

/** A buffer from upstream, and its position in the stream. */
typedef struct {
  const void *const *planes;
  size_t frames;
  int has_timestamp;            /**< 0: the buffer has no timestamp, and time_ns is the
                                 * start of the segment */
  int time_sign;                /**< sign of the stream time; 0: the buffer is outside the
                                 * segment */
  uint64_t time_ns;             /**< absolute value of the stream time */
  int64_t offset_ns;            /**< offset of timestamps from stream time */
} TimePlayBuffer;

/**
 * Adds the frames of @buffer to @run, beginning with frame @first of the
 * buffer. On return, @first is the frame after the last frame that the
 * run could use. A gap of 1/32 s or more in the timestamps is filled with
 * silence. Returns whether the run needs more frames.
 */
int timeplay_run_add (TimePlayRun * run, const TimePlayBuffer * buffer,
    const TimePlayFormat * format, size_t * first);

/** Returns whether upstream was asked for the stream from time 0 on. If it was, the first
 * frame that upstream sends is the first frame of the stream. */
int timeplay_run_is_from_zero (const TimePlayRun * run);

/* ---- input --------------------------------------------------------------- */

/** Converts samples to numbers with a full scale of 1, or back if @to_numbers is 0.
 * @samples is the first frame of the first plane; planes are @plane_bytes apart. The
 * numbers are interleaved. */
typedef void (*TimePlayConvert) (const TimePlayFormat * format, int to_numbers,
    void *samples, size_t plane_bytes, double *numbers, size_t frames);

/** How streams are played backwards. */
typedef enum {
  TIMEPLAY_MODE_AUTO = 0,       /**< SEEK if the source can seek, else COLLECT */
  TIMEPLAY_MODE_SEEK,           /**< seek to each block, beginning with the last block */
  TIMEPLAY_MODE_COLLECT,        /**< collect the whole stream, then play it backwards */
  TIMEPLAY_MODE_CHUNK           /**< reverse each block in its place, as it arrives */
} TimePlayMode;

typedef struct {
  TimePlayMode mode;
  uint64_t max_block_ns;        /**< maximum length of a block */
  uint64_t preroll_ns;          /**< NO_TIME: automatic */
  uint64_t max_memory_bytes;
  int exact;                    /**< not 0: fail if two runs differ at a splice, instead
                                 * of crossfading */
  TimeDSPDirection direction;   /**< a change reverses the direction of playback */
  int turns;                    /**< not 0: the application has just set direction;
                                 * playback adopts it even if its value is the same as
                                 * before, because a loop may have changed the direction
                                 * of playback meanwhile */
  TimeDSPLoop loop;
  uint64_t loop_start_ns;
  uint64_t loop_stop_ns;        /**< NO_TIME: the end */
} TimePlaySettings;

/** The part of the stream that upstream plays, in stream time. */
typedef struct {
  double rate;                  /**< 0: the segment's format is not time */
  uint32_t flags;               /**< GstSegmentFlags */
  uint64_t start_ns;
  uint64_t stop_ns;             /**< NO_TIME: the end */
} TimePlaySegment;

/** The state of the stream when playback begins. */
typedef struct {
  TimePlayFormat format;
  TimePlaySegment segment;
  uint32_t seqnum;              /**< of the segment */
  uint64_t duration_ns;         /**< as reported by upstream; or NO_TIME */
  uint64_t base_ns;             /**< running time of the next frame that is sent */
  int64_t last_frame;           /**< the last frame sent before playback begins; or
                                 * UNKNOWN */
} TimePlayStart;

/** An answer of the owner to a question; UNKNOWN: not asked yet. */
typedef enum {
  TIMEPLAY_UNKNOWN = 0,
  TIMEPLAY_NO,
  TIMEPLAY_YES
} TimePlayFact;

typedef enum {
  TIMEPLAY_KEEPS = 0,           /**< start or stop is unchanged */
  TIMEPLAY_SETS,
  TIMEPLAY_FROM_END             /**< counted from the end of the stream */
} TimePlaySeekType;             /* as GstSeekType */

/** A seek from the application: the fields of GStreamer's event, with times in stream
 * time, and the answers that the owner has given so far to questions about the seek. */
typedef struct {
  double rate;
  uint32_t flags;               /**< GstSeekFlags */
  TimePlaySeekType start_type, stop_type;
  int64_t start_ns, stop_ns;    /**< a stop of -1 means the end */
  uint32_t seqnum;
  uint64_t duration_ns;         /**< as reported by upstream; or NO_TIME; 0: not asked yet */
  TimePlayFact is_shared;       /**< whether other branches share the source */
  int cannot_start;             /**< not 0: timeplay_start() has refused this seek */
} TimePlaySeek;

/**
 * Whether @reached_ns is a plausible end of a stream that upstream itself plays
 * backwards: within 0.5 s of the end of its segment. If upstream stops earlier, it has
 * lost audio; if later, its blocks arrived in the wrong order.
 *
 * @start_ns, @stop_ns: of the segment after reversal, in which the stream plays forward
 * @reached_ns: a time in that segment; NO_TIME if no audio has arrived
 */
int timeplay_is_plausible_end (uint64_t start_ns, uint64_t stop_ns,
    uint64_t reached_ns);

/** The answer to timeplay_seek() or timeplay_start(). */
typedef enum {
  TIMEPLAY_REFUSED = 0,
  TIMEPLAY_ACCEPTED,            /**< the seek will be served */
  TIMEPLAY_STARTED,             /**< the seek will be served by a thread that
                                 * the owner must start now; then call
                                 * timeplay_started() */
  TIMEPLAY_GOES_PAST,           /**< the seek is for upstream; forward it, and call
                                 * timeplay_seek_past() when upstream has handled it */
  /* questions to the owner: do this, then call timeplay_seek() again */
  TIMEPLAY_SEEK_ASKS_DURATION,  /**< set duration_ns */
  TIMEPLAY_SEEK_ASKS_SHARED,    /**< set is_shared */
  TIMEPLAY_SEEK_MAY_START       /**< if the source can seek, call timeplay_start() with
                                 * the seek; if the source cannot seek, or the start is
                                 * refused, set cannot_start */
} TimePlayAnswer;

/** Events from upstream. */
typedef enum {
  TIMEPLAY_FLUSH_START = 0,
  TIMEPLAY_FLUSH_STOP,
  TIMEPLAY_NEW_SEGMENT,
  TIMEPLAY_NEW_FORMAT,
  TIMEPLAY_STREAM_END,
  TIMEPLAY_NEW_STREAM,          /**< STREAM_START of another stream, which follows
                                 * this one */
  TIMEPLAY_GAP,                 /**< GAP, or another event whose effect can be seen in the
                                 * timestamps */
  TIMEPLAY_OTHER_EVENT,         /**< any other serialized event */
  TIMEPLAY_SEGMENT_END          /**< SEGMENT_DONE: the stream, or the requested part
                                 * of it, has ended without EOS */
} TimePlayEventKind;

typedef struct {
  TimePlayEventKind kind;
  uint32_t seqnum;
  int in_seek;                  /**< not 0: the event arrives in the thread that performs
                                 * a FETCH, during its seek */
  TimePlaySegment segment;      /* NEW_SEGMENT */
  int empty;                    /**< NEW_SEGMENT: not 0: the segment stops at or before
                                 * its start */
  uint64_t duration_ns;         /**< NEW_SEGMENT: the duration as reported by upstream, if
                                 * the state has awaits_segment set */
  TimePlayFormat format;        /* NEW_FORMAT; a rate of 0 means that it was not
                                 * understood */
} TimePlayEvent;

/** What to do with an event. */
typedef enum {
  TIMEPLAY_PASS = 0,            /**< the playback does not use the event: forward it as
                                 * usual */
  TIMEPLAY_DROP,
  TIMEPLAY_SEND,                /**< forward the event now, because it belongs to a flush
                                 * by another element */
  TIMEPLAY_KEEP,                /**< store the event, and forward it before the next
                                 * frames */
  TIMEPLAY_HOLD,                /**< the next stream must wait until the current stream
                                 * has ended: ask again at the next change */
  TIMEPLAY_FOLLOW               /**< forward the start of the next stream, then wait until
                                 * downstream has consumed the current stream */
} TimePlayRoute;

/** What to do with a buffer. */
typedef enum {
  TIMEPLAY_BUFFER_PASSES = 0,   /**< the playback does not use the buffer: forward it as
                                 * usual */
  TIMEPLAY_BUFFER_WAITS,        /**< ask again at the next change */
  TIMEPLAY_BUFFER_FILLS,        /**< add the buffer to the run */
  TIMEPLAY_BUFFER_IS_DROPPED,
  TIMEPLAY_BUFFER_IS_LATE,      /**< no more buffers are needed: drop it and return EOS */
  TIMEPLAY_BUFFER_IS_FLUSHED    /**< drop it and return FLUSHING */
} TimePlayReception;

/* ---- what arrives --------------------------------------------------------- */

/** Whether blocks can be fetched from the source. */
typedef enum {
  TIMEPLAY_SOURCE_UNKNOWN = 0,  /**< not asked yet */
  TIMEPLAY_SOURCE_SEEKS,
  TIMEPLAY_SOURCE_LACKS_TIMES,  /**< the sample rate is too high for frame-accurate seeks */
  TIMEPLAY_SOURCE_DIFFERS,      /**< the source outputs different frames after each seek */
  TIMEPLAY_SOURCE_REFUSES,      /**< the source cannot seek, or cannot seek to the times
                                 * of its segment */
  TIMEPLAY_SOURCE_LACKS_SEGMENT /**< there is no segment */
} TimePlaySource;

typedef enum {
  TIMEPLAY_ARRIVING_SEGMENT = 0,        /**< a segment, before the owner handles it */
  TIMEPLAY_ARRIVING_BUFFER,
  TIMEPLAY_ARRIVING_END,        /**< the end of the stream, before EOS arrives as an
                                 * event */
  TIMEPLAY_ARRIVING_EVENT       /**< any serialized event */
} TimePlayArrivalKind;

/** Something that arrives from upstream, and the answers that the owner has given so far
 * to questions about it. */
typedef struct {
  TimePlayArrivalKind kind;
  int flips;                    /**< not 0: upstream itself plays the stream backwards */
  uint64_t first_ns;            /**< SEGMENT: stream time of its stop; NO_TIME: the end
                                 * of the stream */
  uint64_t frames;              /**< BUFFER */
  uint32_t rate;                /**< BUFFER: frames per second; 0: no format is known */
  TimePlaySource source;
  TimePlayFact ends;            /**< whether the end of the stream is known */
  TimePlayFact is_live;
  int has_warned;               /**< not 0: the owner has posted the warning that was
                                 * requested */
} TimePlayArrival;

/** How to handle an arrival. */
typedef enum {
  TIMEPLAY_PASSES = 0,          /**< the owner handles the arrival. SEGMENT: the stream is
                                 * passed through */
  TIMEPLAY_IS_PLAYED,           /**< the playback handles the arrival */
  TIMEPLAY_COLLECTS,            /**< begin to collect the stream, beginning with the
                                 * buffers that are held */
  TIMEPLAY_CHUNKS,              /**< SEGMENT: reverse the stream in blocks */
  TIMEPLAY_WAITS,               /**< BUFFER: hold the buffer. SEGMENT: buffers may have to
                                 * be held */
  TIMEPLAY_STARTS,              /**< call timeplay_start(), then handle the buffers that
                                 * are held before this buffer */
  /* questions and warnings: do this, then call timeplay_arrive() again */
  TIMEPLAY_ASKS_SOURCE,         /**< set source */
  TIMEPLAY_ASKS_END,            /**< set ends */
  TIMEPLAY_ASKS_LIVE,           /**< set is_live */
  TIMEPLAY_WARNS_UNLOOPED,      /**< post a warning that the source does not allow loops,
                                 * and set has_warned */
  TIMEPLAY_WARNS_COLLECTED,     /**< post a warning that the stream is collected because
                                 * the source cannot seek, and set has_warned */
  TIMEPLAY_WARNS_UNTURNED       /**< post a warning that the direction cannot change
                                 * before the next segment, and set has_warned */
} TimePlayWay;

/* ---- output -------------------------------------------------------------- */

/** The kinds of actions. "Outcome" names the fields of TimePlayOutcome that the owner
 * sets. */
typedef enum {
  TIMEPLAY_WAIT = 0,            /**< wait for the next change */
  TIMEPLAY_REPORT,              /**< log the report, or post it as a warning */
  TIMEPLAY_ASK_DURATION,        /**< ask upstream for the duration. Outcome:
                                 * duration_ns */
  TIMEPLAY_FETCH,               /**< seek upstream from seek_ns to stop_ns, with
                                 * seqnum. The seek is accurate and flushing, and is a
                                 * segment seek unless is_last is set. Outcome: ok if
                                 * upstream has accepted the seek, else flushing */
  TIMEPLAY_SEGMENT,             /**< send the segment. Outcome: open */
  TIMEPLAY_FRAMES,              /**< send frames. Outcome: flow */
  TIMEPLAY_SERVED,              /**< the seek with seqnum has been served */
  TIMEPLAY_FAIL,                /**< post the report as an error */
  TIMEPLAY_LET_GO,              /**< let upstream continue to the end of the stream,
                                 * because nothing more is fetched for now. Outcome: ok if
                                 * buffers must be answered with OK, because EOS would
                                 * also end other branches; held if upstream must stay
                                 * blocked */
  TIMEPLAY_END,                 /**< send EOS, or SEGMENT_DONE */
  TIMEPLAY_ASK_PROMISE,         /**< ask upstream for the duration of this stream alone.
                                 * Outcome: duration_ns, or NO_TIME if upstream does not
                                 * know it */
  TIMEPLAY_HAND_OVER            /**< everything has been sent, and the next stream is
                                 * passed through; its running time continues at base_ns */
} TimePlayActionKind;

/** The kinds of reports. "frame" and "value" are fields of the action. */
typedef enum {
  TIMEPLAY_MARKERS_WERE_CLAMPED = 0,
  TIMEPLAY_MARKERS_WERE_CROSSED,
  TIMEPLAY_MARKERS_WERE_EMPTY,
  TIMEPLAY_SPLICE_EQUAL,        /**< at frame */
  TIMEPLAY_SPLICE_ALIGNED,      /**< at frame */
  TIMEPLAY_SPLICE_FADED,        /**< at frame; value: the relative difference */
  TIMEPLAY_SPLICE_ODD,          /**< at frame; value: the relative difference;
                                 * the two runs contain different audio */
  TIMEPLAY_PREROLL_WIDENED,     /**< at frame; value: the new preroll, in frames */
  TIMEPLAY_START_FORGOTTEN,     /**< seeks lead into another stream, so the stored start
                                 * of this stream is not used any more */
  TIMEPLAY_ENDS_EARLY,          /**< at frame; value: the end that upstream reports,
                                 * in seconds */
  /* errors */
  TIMEPLAY_NO_MEMORY,
  TIMEPLAY_FORMAT_CHANGED,
  TIMEPLAY_IS_CONTESTED,
  TIMEPLAY_IS_FOLLOWED,
  TIMEPLAY_SEEK_REFUSED,
  TIMEPLAY_BROKEN_OFF,          /**< upstream ended before reaching audio that it had sent
                                 * earlier; frame: number of missing frames */
  TIMEPLAY_NOT_EXACT,
  TIMEPLAY_AUDIO_MISSING,
  TIMEPLAY_NO_AUDIO
} TimePlayReport;

/** An action. Fields that are not used by its kind are 0. */
typedef struct {
  TimePlayActionKind kind;
  uint32_t seqnum;              /**< seqnum of the seek that is served, or of the FETCH */
  uint32_t flags;               /**< GstSegmentFlags of the segment */
  TimePlayReport report;
  int64_t frame;                /**< of the report; FRAMES: the lowest frame */
  double value;

  uint64_t seek_ns;             /* FETCH */
  int is_last;                  /**< FETCH: not 0: the seek does not fetch audio, but lets
                                 * upstream reach the end of the stream. It is then not a
                                 * segment seek, unless flags contain
                                 * GST_SEGMENT_FLAG_SEGMENT */

  TimePlayFormat format;        /* SEGMENT and FRAMES */
  TimeDSPDirection direction;
  double rate;
  uint64_t base_ns;             /**< running time of the first frame; HAND_OVER: of the
                                 * end */
  uint64_t start_ns;            /**< SEGMENT: its start, also in stream time; FRAMES: PTS;
                                 * SERVED: the start of the seek; END, HAND_OVER: the
                                 * position */
  uint64_t stop_ns;             /**< stop of the segment or of the FETCH */
  uint64_t duration_ns;         /**< of the stream, or of the frames */

  const void *samples;          /* FRAMES: the lowest frame in the first plane */
  size_t plane_bytes;           /**< distance between planes */
  size_t frames;                /**< number of frames; if direction is BACKWARD, they must
                                 * be reversed */
  uint64_t offset_frames;       /**< number of frames sent before these frames */
  int discont;
} TimePlayAction;

/** The flow return of downstream for frames. */
typedef enum {
  TIMEPLAY_FLOW_OK = 0,
  TIMEPLAY_FLOW_FLUSHING,       /**< only a seek can continue playback */
  TIMEPLAY_FLOW_END,            /**< no more data is needed */
  TIMEPLAY_FLOW_FAILED          /**< an error has been posted */
} TimePlayFlow;

/** The outcome of an action. */
typedef struct {
  int ok;                       /**< FETCH, LET_GO */
  int flushing;                 /**< FETCH: not 0: a pad upstream is flushing although it
                                 * is active */
  TimePlayFlow flow;            /**< FRAMES */
  int open;                     /**< SEGMENT: not 0: the segment was sent downstream
                                 * without a stop position */
  int held;                     /**< LET_GO: not 0: upstream must stay blocked, because it
                                 * would only reach the end of the stream and send EOS,
                                 * for which no other branch waits */
  uint64_t duration_ns;         /**< ASK_DURATION: the duration, or NO_TIME */
} TimePlayOutcome;

/** Counters since the stream began. */
typedef struct {
  uint64_t blocks;
  uint64_t splices_verified, splices_aligned, splices_faded;
  uint64_t prerolls_widened;
  int64_t preroll_frames;
} TimePlayStats;

/** What the playback is doing. */
typedef enum {
  /* the owner handles the stream: */
  TIMEPLAY_PASSING = 0,         /**< passed through; reversed only if upstream delivers it
                                 * backwards */
  TIMEPLAY_COLLECTING,
  TIMEPLAY_CHUNKING,            /**< reversed block by block; each block keeps its
                                 * position */
  TIMEPLAY_AWAITING,            /**< the buffers are held; playback begins with them */
  /* the playback handles the stream: */
  TIMEPLAY_STARTING,            /**< playback has begun but has no thread yet; a thread
                                 * that stops the element waits until this has
                                 * changed */
  TIMEPLAY_PLAYING,
  TIMEPLAY_CLOSED               /**< the element has stopped or is stopping */
} TimePlayPhase;

/** A snapshot of a playback. */
typedef struct {
  int is_playing;               /**< not 0: the phase is STARTING or PLAYING */
  int is_keeping;               /**< not 0: more of the stream must be collected */
  int is_waiting;               /**< waiting for a fetch, or until the end of the stream
                                 * is known */
  int is_waiting_if_shared;     /**< playing, and LET_GO has not been performed yet; counts
                                 * as is_waiting if other branches share the source */
  int awaits_segment;           /**< not 0: a flush that the playback did not request has
                                 * occurred, so the next segment belongs to the seek that
                                 * caused this flush; for upstream's streaming thread */
  int is_delayed;               /**< not 0: the output and upstream are at different
                                 * positions of the stream */
  uint64_t position_ns;         /**< stream time of the next frame, from a seek up to the
                                 * first buffer after it; else NO_TIME */
  uint64_t first_ns;            /**< stream time of the first frame of the output, until a
                                 * frame has been output; NO_TIME: the end of the stream,
                                 * if is_delayed */
  uint64_t duration_ns;         /**< duration of the stream; NO_TIME: its end is not known */
} TimePlayState;

/* ---- a playback ----------------------------------------------------------- */

typedef struct TimePlayback TimePlayback;

/** Makes a playback, which is closed at first. @element distinguishes the playbacks of a
 * process: it becomes part of the seqnums of their fetches. Returns NULL if memory cannot
 * be allocated. */
TimePlayback *timeplay_new (TimePlayConvert convert, uint32_t element);
void timeplay_free (TimePlayback * playback);

/** Opens the playback when the element starts, in passthrough. */
void timeplay_open (TimePlayback * playback);

/** Closes the playback when the element stops: buffers are answered with IS_FLUSHED,
 * nothing starts, and no action follows. Memory that the streaming thread may still be
 * using is kept until timeplay_clear(), which must be called after all threads have
 * ended. */
void timeplay_close (TimePlayback * playback);
void timeplay_clear (TimePlayback * playback);

/** Applies settings. Loop markers take effect at the end of a pass, a new direction
 * immediately. */
void timeplay_configure (TimePlayback * playback,
    const TimePlaySettings * settings);

/* ---- starting, and seeks ---- */

/**
 * Decides how @arrival is handled. A decision may take several calls: the
 * playback asks a question, the owner sets the answer in @arrival without
 * holding the lock, and calls again. Only questions whose answers matter are
 * asked. Only upstream's streaming thread may call this function. If the
 * result is PASSES, IS_PLAYED or a question, the playback has not changed,
 * unless @arrival is a SEGMENT.
 */
TimePlayWay timeplay_arrive (TimePlayback * playback,
    const TimePlayArrival * arrival);

/**
 * Begins playback with the audio that upstream sends next, or with @seek if
 * it is not NULL.
 *
 * Returns: STARTED; ACCEPTED: playback had already begun, and has accepted
 * @seek; REFUSED: the element is stopping or flushing, or @seek is invalid,
 * or @seek is NULL and upstream has not answered an earlier seek yet.
 */
TimePlayAnswer timeplay_start (TimePlayback * playback,
    const TimePlayStart * start, const TimePlaySeek * seek);

/** Must be called after STARTED. @ok: not 0: a thread that performs actions has been
 * started. */
void timeplay_started (TimePlayback * playback, int ok);

/** Accepts a seek from the application, or returns that it is for upstream. If the answer
 * is ACCEPTED or STARTED and the seek flushes, timeplay_end_flush() must follow; nothing is
 * sent before that. A new seek replaces the previous one; a seek without a position
 * continues at the previous target. A seek also replaces a pending change of direction.
 *
 * If the answer is GOES_PAST, @seek has been changed to the seek that must be
 * sent upstream. If the direction is backward, except in mode=chunk, a seek to
 * a position plays from there back to the beginning, so upstream is asked for
 * everything before that position. If the seek leaves the stop unchanged, the
 * last stop that the application requested applies. */
TimePlayAnswer timeplay_seek (TimePlayback * playback, TimePlaySeek * seek);
void timeplay_seek_past (TimePlayback * playback, uint32_t seqnum);

/** Must be called after FLUSH_START has been sent for a seek, while no thread sends
 * anything. Returns whether FLUSH_STOP must be sent; 0 if another flush is in progress. */
int timeplay_end_flush (TimePlayback * playback);

/* ---- upstream ---- */

TimePlayRoute timeplay_event (TimePlayback * playback,
    const TimePlayEvent * event);

/** Decides what to do with a buffer. @run (out): the run to which the buffer must be
 * added, or NULL. The caller may add more buffers to the run without asking, until it
 * calls timeplay_filled(), or an event other than FLUSH_START arrives. The caller must
 * ensure that no such event arrives while a buffer is being added. After a FETCH, adding
 * to the run has no effect: ask again. */
TimePlayReception timeplay_receive (TimePlayback * playback,
    TimePlayRun ** run);

/** Must be called when timeplay_run_add() has returned that the run needs no more frames,
 * or when a buffer does not match its caps (@ok is 0 then). Call timeplay_receive() again
 * for the remaining frames of the buffer. */
void timeplay_filled (TimePlayback * playback, int ok);

/* ---- actions ---- */

/** Sets @action to the next action. The outcome of the previous action must have been
 * reported. */
void timeplay_next (TimePlayback * playback, TimePlayAction * action);
void timeplay_done (TimePlayback * playback, const TimePlayOutcome * outcome);

/* ---- state ---- */

TimePlayPhase timeplay_phase (const TimePlayback * playback);

void timeplay_state (const TimePlayback * playback, TimePlayState * state);

void timeplay_stats (const TimePlayback * playback, TimePlayStats * stats);

#ifdef __cplusplus
}
#endif
#endif /* TIMEPLAY_H */
