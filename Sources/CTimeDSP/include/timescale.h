/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * timescale.h: scales a stream of buffers in time, with GStreamer's times and segments. Part of
 * the C interface (see timedsp.h for its words and rules).
 *
 * A session decides; its owner acts. The session receives settings, segments, buffers and the end
 * of the stream. Then timescale_next() returns one action at a time, and timescale_done() receives
 * its outcome, until there is nothing more to do. Two actions name a function of the session
 * that does the work: timescale_prepare(), and timescale_process() with the samples.
 *
 * The calls to one session must not overlap: they are made under one lock. timescale_prepare() and
 * timescale_process() are the exception, and need no lock: they touch nothing but the work that the
 * action names, which belongs to the streaming thread. While an action is open (between
 * timescale_next() and timescale_done()) all calls except timescale_next() and timescale_free() are
 * allowed. After timescale_flush() the session ignores the outcome of an action that was open.
 *
 * Times are in nanoseconds; TIMEDSP_NO_TIME stands for an unknown time.
 */

#ifndef TIMESCALE_H
#define TIMESCALE_H

#include "timeline.h"
#include "timestretch.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The largest shift of the pitch, up or down, in semitones. */
#define TIMECHAIN_MAX_SEMITONES 24.0

/** How formants move: the resonances that distinguish the voices of men, women and children,
 * and the vowels of a voice. */
typedef enum {
  TIMECHAIN_FORMANTS_FOLLOW = 0,        /**< they move with the pitch */
  TIMECHAIN_FORMANTS_KEEP       /**< they stay where they are in the input */
} TimeFormants;

/** The pitch of the output: the pitch of the input ×
 * (@kept ? 1 : 1 / factor) × 2^(@semitones / 12). */
typedef struct {
  int kept;                     /**< at every factor */
  double semitones;             /**< ±TIMECHAIN_MAX_SEMITONES */
  TimeStretchWindow window;     /**< of a stretcher that is made from now on */
  TimeFormants formants;
  double formant_semitones;     /**< a further shift of formants; ±TIMECHAIN_MAX_SEMITONES */
} TimePitch;

/** How output frames lie over the input. */
typedef enum {
  TIMESCALE_STREAM = 0,         /**< frame k is read at k / factor */
  TIMESCALE_ENDPOINTS           /**< the first and the last frame are kept */
} TimeScaleAlignment;

/** The settings of a session. */
typedef struct {
  double factor;                /**< output duration / input duration */
  TimePitch pitch;
  TimeDSPInterpolation interpolation;
  uint32_t quality;             /**< of sinc */
  int absorbs_rate;             /**< not 0: the rate of a segment becomes a part of the factor */
  TimeScaleAlignment alignment;
} TimeScaleSettings;

/** The fields of a GstSegment. Its rate is above 0. Its applied rate may be below 0: then the
 * stream has been reversed. */
typedef struct {
  double rate, applied_rate;
  uint64_t base, offset, start, stop, time, position, duration;
} TimeSegment;

/** Stream times of a seek; -1: not given. Times below -1 are counted from the end. */
typedef struct {
  int64_t start_ns, stop_ns;
  int sets_start, sets_stop;    /**< not 0: they are of type SET */
} TimeScaleSeek;

/** A buffer of the input. */
typedef struct {
  uint64_t pts_ns, duration_ns;
  size_t frames;
  int discont;                  /**< not 0: it does not follow the last one */
  int silent;                   /**< not 0: its frames are silent */
  uint64_t sent_stop_ns;        /**< of the segment that was sent downstream */
} TimeScaleBuffer;

/** Kinds of actions. Fields that are not named in its line mean nothing. */
typedef enum {
  TIMESCALE_READ_CURVES = 0,    /**< set the properties from their curves at `time_ns` of the input */
  TIMESCALE_PREPARE,            /**< call timescale_prepare() */
  TIMESCALE_PASS,               /**< call timescale_process() with the whole buffer; if `status` is
                                 * OK, stamp the buffer and push it */
  TIMESCALE_PROCESS,            /**< call timescale_process() with `frames` from frame `first` of
                                 * `source` on, and room for `capacity`; stamp and push the output */
  TIMESCALE_KEEP,               /**< keep the buffer */
  TIMESCALE_LOAD,               /**< make kept frames ready, from `first` on; `frames` (out): how
                                 * many */
  TIMESCALE_FORGET,             /**< forget all kept frames */
  TIMESCALE_SEND_SEGMENT,       /**< `segment` */
  TIMESCALE_SEND_GAP,           /**< from `time_ns` on, for `duration_ns` */
  TIMESCALE_ASK_DURATION,       /**< of upstream: `duration_ns` (out) */
  TIMESCALE_DURATION_CHANGED,   /**< announce it to the application */
  TIMESCALE_LATENCY,            /**< the latency is `time_ns` from now on */
  TIMESCALE_FAIL                /**< post an error that explains `status` */
} TimeScaleKind;

/** Where the frames of an action lie. */
typedef enum {
  TIMESCALE_FROM_BUFFER = 0,
  TIMESCALE_FROM_KEPT,          /**< in the frames of the last TIMESCALE_LOAD */
  TIMESCALE_FROM_NOTHING        /**< the input has ended */
} TimeScaleSource;

/** The timestamp and offsets of a buffer of the output. */
typedef struct {
  uint64_t pts_ns, duration_ns, offset, offset_end;
  int discont;                  /**< not 0: it does not follow the last one */
} TimeScaleStamp;

/** State that belongs to the streaming thread alone. */
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
  int last;                     /**< not 0: if it succeeds, nothing is left to do before the next
                                 * input; timescale_done() need not be called then */
  /* outcome */
  TimeDSPStatus status;
  int failed;                   /**< (owner) not 0: give up the work under way */
  size_t frames_used, frames_made;
  int more;
  TimeScaleStamp stamp;         /**< of the frames that were made or passed */
} TimeScaleAction;

typedef struct TimeScale TimeScale;

/** Makes a session. Returns NULL if there is no memory. */
TimeScale *timescale_new (void);

/** Frees @scale; NULL is allowed. */
void timescale_free (TimeScale * scale);

/* ---- any thread ------------------------------------------------------------ */

/** Applies settings. They take effect with the next piece of output. */
void timescale_configure (TimeScale * scale,
    const TimeScaleSettings * settings);

/** Upstream plays at @multiplier times the rate of its segment. Returns 0 if @multiplier
 * cannot become a part of the factor. */
int timescale_rate (TimeScale * scale, double multiplier);

/** A seek: converts the times of @seek to times of the input. The next segment answers it. NULL:
 * upstream has refused it. */
void timescale_seek (TimeScale * scale, TimeScaleSeek * seek);

/** Stream time of the output at stream time @in_ns of the input. */
uint64_t timescale_to_output (const TimeScale * scale, uint64_t in_ns);

/** Whether the settings change nothing. */
int timescale_is_identity (const TimeScale * scale);

/* ---- the streaming thread -------------------------------------------------- */

/** Sets the format of the next frames: @audio, @rate frames per second. All frames before them
 * have been drained. */
void timescale_format (TimeScale * scale, const TimeDSPConfig * audio,
    uint32_t rate);

/** A segment begins. TIMESCALE_SEND_SEGMENT follows. */
void timescale_segment (TimeScale * scale, const TimeSegment * segment);

/** A buffer has arrived. It stays until there is nothing more to do. */
void timescale_buffer (TimeScale * scale, const TimeScaleBuffer * buffer);

/** There is no audio from @pts_ns on, for @duration_ns. */
void timescale_gap (TimeScale * scale, uint64_t pts_ns, uint64_t duration_ns);

/** The stream ends. Output follows for all input that is still buffered. */
void timescale_end (TimeScale * scale);

/** Forgets the stream. @everything: not 0: forgets the format, too, and that anything has been
 * played. */
void timescale_flush (TimeScale * scale, int everything);

/** Returns the next action; NULL: there is none before the next input. @controlled: not 0: a curve
 * sets the factor. The action stays where it is until the next call, and belongs to the streaming
 * thread. */
TimeScaleAction *timescale_next (TimeScale * scale, int controlled);

/** The action has been done. */
void timescale_done (TimeScale * scale);

/* ---- the streaming thread, without the lock -------------------------------- */

/** Performs a TIMESCALE_PREPARE. Allocates memory. */
void timescale_prepare (TimeScaleAction * action);

/** Performs a TIMESCALE_PASS or TIMESCALE_PROCESS: reads from the planes @in, nullable if the
 * action has no frames, and writes to the planes @out, nullable if it has no room. Real-time. */
void timescale_process (TimeScaleAction * action, const void *const *in,
    void *const *out);

#ifdef __cplusplus
}
#endif
#endif /* TIMESCALE_H */
