/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * timechain.h: the C interface of a chain, which changes duration and pitch of a stream.
 * A scaler changes both, and a stretcher changes the duration alone. A scaler that makes
 * the pitch higher stands before the stretcher, and one that makes it lower behind it:
 * the stretcher tells notes apart the better, the higher they are. Where one scaler
 * does, there is no stretcher.
 *
 * Words, formats and statuses are those of timedsp.h and timestretch.h. Every function checks
 * all of its arguments before it touches any memory.
 */

#ifndef TIMECHAIN_H
#define TIMECHAIN_H

#include "timestretch.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Most semitones that the pitch is moved by, up or down. */
#define TIMECHAIN_MAX_SEMITONES 24.0

/** What becomes of formants, the resonances that make a voice that of a man, a woman or a
 * child, and its vowels. */
typedef enum {
  TIMECHAIN_FORMANTS_FOLLOW = 0,        /**< they move with the pitch */
  TIMECHAIN_FORMANTS_KEEP       /**< they stay where they are in the input */
} TimeFormants;

/** What becomes of the pitch: it is that of the input ×
 * (@kept ? 1 : 1 / factor) × 2^(@semitones / 12). */
typedef struct {
  int kept;                     /**< whatever the factor */
  double semitones;             /**< ±TIMECHAIN_MAX_SEMITONES */
  TimeStretchWindow window;     /**< of a stretcher that is made from now on */
  TimeFormants formants;
  double formant_semitones;     /**< formants move by so many more; ±TIMECHAIN_MAX_SEMITONES */
} TimePitch;

/** What a chain does. */
typedef struct {
  TimeDSPConfig audio;
  uint32_t rate;                /**< frames per second, any */
  double factor;                /**< output duration / input duration */
  TimePitch pitch;
  int moves;                    /**< not 0: a curve will move factor or pitch, so that a
                                 * stretcher stays once it is there */
} TimeChainSettings;

/** A stream on its way through a chain. Belongs to one thread at a time. */
typedef struct TimeChain TimeChain;

/**
 * Makes a chain for a stream of any length, of which n frames become floor (n × factor).
 * Not real-time.
 *
 * Where one of the factors of its parts would leave TIMEDSP_MIN_FACTOR ...
 * TIMEDSP_MAX_FACTOR, it stays at the end of that range; the duration is right then, the
 * pitch is not. At factor 1 and without another pitch, frames leave as they came in.
 *
 * Errors: NULL_POINTER, those of timedsp_scaler_new(), BAD_FACTOR (also for semitones,
 * formants and window), NO_MEMORY; @chain is set to NULL then, if it can be.
 */
TimeDSPStatus timechain_new (const TimeChainSettings * settings,
    TimeChain ** chain);

/** Makes a chain of one scaler, as timedsp_scaler_new_endpoints(). Not real-time. */
TimeDSPStatus timechain_new_endpoints (const TimeDSPConfig * audio,
    uint64_t count, uint64_t length, TimeChain ** chain);

/** @chain may be NULL. Not real-time. */
void timechain_free (TimeChain * chain);

/**
 * Goes on with another interpolation, another quality, and another answer to whether it
 * moves, at the next frame. Factor and pitch stay as they are (see timechain_move()),
 * unless nothing of the stream has been taken yet and @settings have another pitch. Frees
 * what is no longer needed. Not real-time.
 *
 * Errors: those of timechain_new(), and BAD_FORMAT for other audio; nothing is changed then.
 * timechain_process() returns NO_MEMORY from then on.
 */
TimeDSPStatus timechain_configure (TimeChain * chain,
    const TimeChainSettings * settings);

/**
 * Moves factor and pitch within @in_frames frames of input, from the place on (see
 * TimeChainState). If the stretcher alone moves, and no curve is followed, it moves earlier:
 * with the first frame of which nothing has been made. Where they are or come to that already, nothing is done. The speed, 1 / factor, moves evenly over the output, so that
 * 2 @in_frames / (1 / f0 + 1 / f1) frames are made meanwhile.
 *
 * Where a stretcher is needed and there is none yet, this takes memory, and it begins to
 * move when it has been given a window of sound: before that it would take what it does not
 * know for silence. Not real-time.
 *
 * @moved_frames: (out): frames of input that the move takes: @in_frames, or more
 *   after timechain_pass()
 *
 * Errors: NULL_POINTER, BAD_FACTOR, BAD_LENGTH; nothing is changed then. NO_MEMORY, which
 * timechain_process() returns from then on.
 */
TimeDSPStatus timechain_move (TimeChain * chain, double factor,
    const TimePitch * pitch, uint64_t in_frames, uint64_t * moved_frames);

/** Where a chain is. */
typedef struct {
  double factor;                /**< that it has or comes to */
  TimePitch pitch;              /**< likewise */
  uint64_t in_frames;           /**< taken since the stream began */
  double place;                 /**< frame of the input at which a move would begin, which
                                 * is ahead where a stretcher is to be given a window of
                                 * sound first … */
  double held_frames;           /**< … and frames of output that are still made before it:
                                 * whole ones and a part of one */
  double move_place;            /**< the same two for the last move, which may begin … */
  double move_held_frames;      /**< … before the place: with what has been taken but not made */
} TimeChainState;

/** Real-time. Errors: NULL_POINTER. */
TimeDSPStatus timechain_state (const TimeChain * chain, TimeChainState * state);

/** Frames of input that are looked at beyond a position: the latency. 0 for NULL.
 * Real-time. */
uint32_t timechain_lookahead (const TimeChain * chain);

/** Whether the last frames were handed on by timechain_pass(), so that the next may be; 0
 * for NULL. Real-time. */
int timechain_passes (const TimeChain * chain);

/** Frames that are still to be made if @in_frames more of input come, and no more: exact,
 * or a frame or two more; up to twice as many inside a move. 0 for NULL, and for more
 * frames than a stream may have. Real-time. */
uint64_t timechain_due (const TimeChain * chain, uint64_t in_frames);

/** Whether all that is made of the next @in_frames frames comes from silence; @is_silent:
 * whether they are silent. Call it once for all frames, also for those that are passed.
 * 0 for NULL. Real-time. */
int timechain_is_gap (TimeChain * chain, size_t in_frames, int is_silent);

/** Silent frames to be taken before timechain_is_gap() holds; UINT64_MAX for NULL.
 * Real-time. */
uint64_t timechain_frames_before_gap (const TimeChain * chain);

/**
 * Takes note of frames that the caller hands on itself, as they are. With none it tells
 * whether that is worth trying.
 *
 * Errors: those of timechain_process(), and BAD_FACTOR where the frames have to be
 * processed. Real-time.
 */
TimeDSPStatus timechain_pass (TimeChain * chain, const void *const *in,
    size_t in_frames);

/** Frames of room that the next call of timechain_process(), with @in_frames, or of
 * timechain_drain() is best given: 16384 at most. 0 where it has to take input before
 * anything can be made, and for NULL. Real-time. */
size_t timechain_room (const TimeChain * chain, size_t in_frames);

/** What a call of timechain_process() or timechain_drain() has done. */
typedef struct {
  size_t frames_used;           /**< frames of input taken; the rest is to be given again */
  size_t frames_made;           /**< frames of output written */
  int more;                     /**< not 0: call again, even with no more input */
} TimeChainProgress;

/**
 * Reads up to @in_frames frames from @in and makes up to @out_capacity frames in @out,
 * which are arrays of plane addresses as for timestretch_process(). The result does not
 * depend on how the stream is cut into calls, as long as moves begin at the same frames of
 * input. Real-time.
 *
 * Errors: NULL_POINTER, BAD_LENGTH, OVERLAP, FINISHED; nothing is read or written then, and
 * @progress is 0 where it can be set. NO_MEMORY after timechain_move().
 */
TimeDSPStatus timechain_process (TimeChain * chain, const void *const *in,
    size_t in_frames, void *const *out, size_t out_capacity,
    TimeChainProgress * progress);

/**
 * Tells that the input has ended, and makes the frames that were waiting for more of it;
 * call it until there are no more. After it only timechain_reset() goes on. Real-time.
 *
 * Errors: NULL_POINTER, BAD_LENGTH; @progress is 0 then, where it can be set.
 */
TimeDSPStatus timechain_drain (TimeChain * chain, void *const *out,
    size_t out_capacity, TimeChainProgress * progress);

/** Forgets the stream and starts anew, at the factor that a move goes to. Real-time.
 * Errors: NULL_POINTER, FINISHED where there is a stretcher: make another chain then, as
 * the next stream may need none. */
TimeDSPStatus timechain_reset (TimeChain * chain);

#ifdef __cplusplus
}
#endif
#endif /* TIMECHAIN_H */
