/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * corebridge.h: the scaler and the stretcher alone, for fuzzers and measures in C. No product has
 * these functions: they are compiled into the core of test programs. Samples and counts are checked
 * where the core does so; a scaler or a stretcher must not be NULL.
 */

#ifndef COREBRIDGE_H
#define COREBRIDGE_H

#include <timescale.h>

/** floor (@frames × @factor); 0 if either is refused. */
uint64_t core_scaled_length (uint64_t frames, double factor);

/* ---- the scaler ------------------------------------------------------------ */

typedef struct CoreScaler CoreScaler;

/** A scaler for a stream of any length; on an error @scaler is NULL. */
TimeDSPStatus core_scaler_new (const TimeDSPConfig * config, double factor,
    CoreScaler ** scaler);

/** A scaler that fits @count frames to @length; on an error @scaler is NULL. */
TimeDSPStatus core_scaler_new_endpoints (const TimeDSPConfig * config,
    uint64_t count, uint64_t length, CoreScaler ** scaler);

void core_scaler_free (CoreScaler * scaler);

void core_scaler_reset (CoreScaler * scaler);

/** Moves the factor within @in_frames frames of input. */
TimeDSPStatus core_scaler_move (CoreScaler * scaler, double factor,
    uint64_t in_frames);

/** Lets @scaler, which is fresh and of the same shape, continue the stream of @other. */
void core_scaler_continue (CoreScaler * scaler, const CoreScaler * other);

/** The whole part of the position of the next frame; its @fraction is from 0 to below 1. */
uint64_t core_scaler_position (const CoreScaler * scaler, double *fraction);

/** Frames of input that are read beyond a position. */
uint32_t core_scaler_lookahead (const CoreScaler * scaler);

/** A bound of the frames that @in_frames more of input and its end make. */
TimeDSPStatus core_scaler_max_output (const CoreScaler * scaler,
    uint64_t in_frames, uint64_t * out_frames);

/** Consumes up to @in_frames of the planes @in, and makes up to @out_capacity in @out. */
TimeDSPStatus core_scaler_process (CoreScaler * scaler, const void *const *in,
    size_t in_frames, void *const *out, size_t out_capacity,
    size_t *frames_used, size_t *frames_made);

/** Ends the input. Call it until it makes no frame. */
TimeDSPStatus core_scaler_finish (CoreScaler * scaler, void *const *out,
    size_t out_capacity, size_t *frames_made);

/** Fits an array of @count frames to @length. */
TimeDSPStatus core_scale_to_length (const TimeDSPConfig * config,
    const void *const *in, size_t count, void *const *out,
    size_t out_capacity, size_t length);

/* ---- the stretcher ---------------------------------------------------------- */

typedef struct CoreStretcher CoreStretcher;

/** Bytes of a stretcher for such audio; 0 if @audio is refused. */
size_t core_stretcher_bytes (const TimeDSPConfig * audio, uint32_t rate,
    TimeStretchWindow window);

/** Makes a stretcher in @memory, of so many bytes at a multiple of 64; it ends when @memory is
 * freed. NULL if @audio or @factor is refused. */
CoreStretcher *core_stretcher_place (const TimeDSPConfig * audio,
    uint32_t rate, TimeStretchWindow window, double factor, void *memory);

void core_stretcher_reset (CoreStretcher * stretcher);

/** Moves the factor within @in_frames of input. The input must not have ended. */
TimeDSPStatus core_stretcher_move (CoreStretcher * stretcher, double factor,
    uint64_t in_frames);

/** The output position of the next frame of input, which is number @in_frame: the whole part, and
 * @fraction from 0 to below 1. */
uint64_t core_stretcher_position (const CoreStretcher * stretcher,
    uint64_t * in_frame, double *fraction);

/** Frames of input that are read beyond the one that is output. */
uint32_t core_stretcher_latency (const CoreStretcher * stretcher);

/** A bound of the frames that @in_frames more of input and its end make. */
uint64_t core_stretcher_max_output (const CoreStretcher * stretcher,
    uint64_t in_frames);

/** Consumes up to @in_frames of the planes @in, and makes up to @out_capacity in @out: returns how
 * many it made. The input must not have ended, and nothing is checked. */
size_t core_stretcher_process (CoreStretcher * stretcher,
    const void *const *in, size_t in_frames, void *const *out,
    size_t out_capacity, size_t *frames_used);

/** Ends the input. Call it until it makes no frame. */
size_t core_stretcher_finish (CoreStretcher * stretcher, void *const *out,
    size_t out_capacity);

/** Frames that can be output without more input. */
size_t core_stretcher_ready (const CoreStretcher * stretcher);

/* ---- the variant for this processor ------------------------------------------- */

/** CORE_CHOSEN (function): the variant of a function above that processes samples which
 * timedspcpu.h chooses. The function itself runs on every processor. */
#ifdef CORE_HAS_AVX2            /* set by meson.build */
#include "../../Sources/CTimeDSP/timedspcpu.h"

__typeof__ (core_scaler_process) core_scaler_process_avx2;
__typeof__ (core_scaler_finish) core_scaler_finish_avx2;
__typeof__ (core_stretcher_process) core_stretcher_process_avx2;
__typeof__ (core_stretcher_finish) core_stretcher_finish_avx2;

#define CORE_CHOSEN(function) \
    (*(timedsp_chosen_variant () == timedsp_variants ()[0] ? function : function##_avx2))
#else
#define CORE_CHOSEN(function) function
#endif

#endif /* COREBRIDGE_H */
