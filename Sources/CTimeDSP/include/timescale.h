/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * timescale.h: scales a stream of buffers in time, including its timestamps and segments.
 * Part of the C interface (see timedsp.h for its words and rules).
 *
 * A session (TimeScale) makes decisions, and its owner, an element, carries
 * them out as actions. timescale_receive() passes an input to the session,
 * and returns the first action. timescale_done() reports the outcome of an
 * action, and returns the next action, until there are none left. Two kinds of
 * actions name a function that does the work: timescale_prepare() allocates,
 * and timescale_process() processes samples.
 *
 * Calls to the same session must not overlap: make them under one lock.
 * timescale_prepare() and timescale_process() are exceptions and need no
 * lock, because they access only the work that the action names, which
 * belongs to the streaming thread. While an action is open (until
 * timescale_done()), all functions except timescale_receive() and
 * timescale_free() may be called. If timescale_flush() is called meanwhile,
 * the session ignores the outcome of this action.
 *
 * Times are in nanoseconds; TIMEDSP_NO_TIME means that a time is unknown.
 */

#ifndef TIMESCALE_H
#define TIMESCALE_H

#include "timedsp.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The largest shift of the pitch, up or down, in semitones. */
#define TIMECHAIN_MAX_SEMITONES 24.0

/**
 * Length of the stretcher's analysis window. The sizes below are for 48 kHz;
 * at other rates, a window is the power of two with about the same duration.
 */
typedef enum {
  /** the music window; the speech window for a single voice; 512 frames for dense
   * transients, such as applause */
  TIMESTRETCH_AUTO = 0,
  TIMESTRETCH_MUSIC,            /**< 4096 frames: separates close notes */
  TIMESTRETCH_SPEECH,           /**< 2048 frames: preserves the pulses of a
                                 * voice */
  TIMESTRETCH_LOW_LATENCY       /**< 1024 frames: for live use */
} TimeStretchWindow;

/** How a change of pitch affects formants, the resonances that distinguish the vowels of
 * a voice, and the voices of men, women and children. */
typedef enum {
  TIMECHAIN_FORMANTS_FOLLOW = 0,        /**< formants move with the pitch */
  TIMECHAIN_FORMANTS_KEEP       /**< formants stay at their frequencies in the input */
} TimeFormants;

/** The pitch of the output is the pitch of the input × (@kept ? 1 : 1 / factor)
 * × 2^(@semitones / 12). */
typedef struct {
  int kept;                     /**< not 0: the factor does not change the pitch */
  double semitones;             /**< ±TIMECHAIN_MAX_SEMITONES */
  TimeStretchWindow window;     /**< applies to stretchers created from now on */
  TimeFormants formants;
  double formant_semitones;     /**< additional shift of formants,
                                 * ±TIMECHAIN_MAX_SEMITONES */
} TimePitch;

/** How output frames are aligned with the input. */
typedef enum {
  TIMESCALE_STREAM = 0,         /**< output frame k is read at input position k / factor */
  TIMESCALE_ENDPOINTS           /**< the first and the last frame of the output are
                                 * those of the input */
} TimeScaleAlignment;

/** The settings of a session. */
typedef struct {
  double factor;                /**< output duration / input duration */
  TimePitch pitch;
  TimeDSPInterpolation interpolation;
  uint32_t quality;             /**< of TIMEDSP_SINC, 0 … TIMEDSP_MAX_QUALITY */
  int absorbs_rate;             /**< not 0: the rate of a segment becomes part of the
                                 * factor */
  TimeScaleAlignment alignment;
} TimeScaleSettings;

/** The fields of a GstSegment. Its rate is above 0. Its applied rate is below 0 if the
 * stream has been reversed. */
typedef struct {
  double rate, applied_rate;
  uint64_t base, offset, start, stop, time, position, duration;
} TimeSegment;

/** The times of a seek, in stream time. -1 means not given, and lower values are counted
 * from the end. */
typedef struct {
  int64_t start_ns, stop_ns;
  int sets_start, sets_stop;    /**< not 0: the type is GST_SEEK_TYPE_SET */
} TimeScaleSeek;

/** A buffer of the input. */
typedef struct {
  uint64_t pts_ns, duration_ns;
  size_t frames;
  int discont;                  /**< not 0: the buffer does not continue the previous
                                 * buffer */
  int silent;                   /**< not 0: all frames of the buffer are silent */
  uint64_t sent_stop_ns;        /**< stop of the segment that was sent
                                 * downstream */
} TimeScaleBuffer;

/** The kinds of inputs. */
typedef enum {
  TIMESCALE_BUFFER = 0,         /**< `buffer`; it must stay valid until there are no more
                                 * actions */
  TIMESCALE_GAP,                /**< no audio from `buffer.pts_ns` on, for
                                 * `buffer.duration_ns` */
  TIMESCALE_SEGMENT,            /**< `segment` begins; TIMESCALE_SEND_SEGMENT follows */
  TIMESCALE_END                 /**< the stream ends; actions to output the remaining
                                 * frames follow */
} TimeScaleInputKind;

typedef struct {
  TimeScaleInputKind kind;
  TimeScaleBuffer buffer;
  const TimeSegment *segment;
} TimeScaleInput;

/** The kinds of actions. Only the fields that are named with a kind are used. */
typedef enum {
  TIMESCALE_READ_CURVES = 0,    /**< read the control bindings of the properties at
                                 * `time_ns` of the input */
  TIMESCALE_PREPARE,            /**< call timescale_prepare() */
  TIMESCALE_PASS,               /**< call timescale_process() with the whole buffer; if `status` is
                                 * OK, stamp the buffer and push it */
  TIMESCALE_PROCESS,            /**< call timescale_process() with `frames` from frame `first` of
                                 * `source` on, and room for `capacity`; stamp and push the output */
  TIMESCALE_KEEP,               /**< store the frames of the buffer, for TIMESCALE_LOAD */
  TIMESCALE_LOAD,               /**< load stored frames, beginning with `first`; `frames`
                                 * (out): their number */
  TIMESCALE_FORGET,             /**< drop all stored frames */
  TIMESCALE_SEND_SEGMENT,       /**< send `segment` */
  TIMESCALE_SEND_GAP,           /**< send a gap at `time_ns` that lasts
                                 * `duration_ns` */
  TIMESCALE_ASK_DURATION,       /**< ask upstream for the duration:
                                 * `duration_ns` (out) */
  TIMESCALE_DURATION_CHANGED,   /**< announce that the duration has changed */
  TIMESCALE_LATENCY,            /**< announce that the latency is `time_ns` from
                                 * now on */
  TIMESCALE_FAIL                /**< post an error that explains `status` */
} TimeScaleKind;

/** The source of the input frames of an action. */
typedef enum {
  TIMESCALE_FROM_BUFFER = 0,
  TIMESCALE_FROM_KEPT,          /**< the frames of the last TIMESCALE_LOAD */
  TIMESCALE_FROM_NOTHING        /**< no frames: the input has ended */
} TimeScaleSource;

/** The timestamp and offsets of an output buffer. */
typedef struct {
  uint64_t pts_ns, duration_ns, offset, offset_end;
  int discont;                  /**< not 0: the buffer does not continue the previous
                                 * buffer */
} TimeScaleStamp;

/** State that only the streaming thread accesses. */
typedef struct TimeScaleWork TimeScaleWork;

typedef struct {
  TimeScaleKind kind;
  TimeScaleSource source;
  uint64_t first;
  size_t frames, capacity;
  int silent;                   /**< not 0: the output is silent */
  uint64_t time_ns, duration_ns;
  TimeSegment segment;
  TimeScaleWork *work;
  int last;                     /**< not 0: if the action succeeds, nothing else has to be done
                                 * before the next input, and timescale_done() need not be
                                 * called */
  /* outcome */
  TimeDSPStatus status;
  int failed;                   /**< set by the owner; not 0: abandon the current
                                 * work */
  size_t frames_used, frames_made;
  int more;
  TimeScaleStamp stamp;         /**< of the frames that were output */
} TimeScaleAction;

typedef struct TimeScale TimeScale;

/** Makes a session. Returns NULL if memory cannot be allocated. */
TimeScale *timescale_new (void);

/** Frees @scale; NULL is allowed. */
void timescale_free (TimeScale * scale);

/* ---- any thread ------------------------------------------------------------ */

/** Applies settings, which take effect with the next output. */
void timescale_configure (TimeScale * scale,
    const TimeScaleSettings * settings);

/** Applies an instant rate change: playback continues at @multiplier times the rate
 * of the segment. Returns 0 if @multiplier cannot become a part of the factor. */
int timescale_rate (TimeScale * scale, double multiplier);

/** Converts the times of a seek from the output to the input. They apply to the segment
 * that answers the seek. If @seek is NULL, upstream has refused the last seek. */
void timescale_seek (TimeScale * scale, TimeScaleSeek * seek);

/** Returns the stream time of the output for the stream time @in_ns of the input. */
uint64_t timescale_to_output (const TimeScale * scale, uint64_t in_ns);

/** Returns whether the settings leave the audio unchanged. */
int timescale_is_identity (const TimeScale * scale);

/* ---- the streaming thread -------------------------------------------------- */

/** Sets the format of the following frames: @audio, at @rate frames per second. All
 * earlier frames must have been drained. */
void timescale_format (TimeScale * scale, const TimeDSPConfig * audio,
    uint32_t rate);

/** Discards the stream. If @everything is not 0, also discards the format and the record
 * of whether anything has been played. */
void timescale_flush (TimeScale * scale, int everything);

/** Passes @input to the session. Returns the first action, or NULL if none is needed
 * before the next input. @controlled: not 0: a control binding sets the factor. The
 * action is valid until the next call, and belongs to the streaming thread. */
TimeScaleAction *timescale_receive (TimeScale * scale,
    const TimeScaleInput * input, int controlled);

/** Reports that the current action has been performed. Returns the next action, like
 * timescale_receive(). */
TimeScaleAction *timescale_done (TimeScale * scale, int controlled);

/* ---- the streaming thread, without the lock -------------------------------- */

/** Performs a TIMESCALE_PREPARE action. Allocates memory. */
void timescale_prepare (TimeScaleAction * action);

/** Performs a TIMESCALE_PASS or TIMESCALE_PROCESS action: reads from the planes @in,
 * which may be NULL if the action has no frames, and writes to the planes @out, which may
 * be NULL if the action has no capacity. Real-time. */
void timescale_process (TimeScaleAction * action, const void *const *in,
    void *const *out);

#ifdef __cplusplus
}
#endif
#endif /* TIMESCALE_H */
