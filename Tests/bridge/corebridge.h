/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * corebridge.h: C functions for the scaler and the stretcher, for fuzzers and
 * measurements. The functions are compiled into the core of test programs, and are not part
 * of any product. Samples and counts are checked only as far as the core checks them. A
 * scaler or a stretcher must not be NULL.
 */

#ifndef COREBRIDGE_H
#define COREBRIDGE_H

#include <timescale.h>

/** Returns floor (@frames × @factor); 0 if either is invalid. */
uint64_t core_scaled_length (uint64_t frames, double factor);

/* ---- the scaler ------------------------------------------------------------ */

typedef struct CoreScaler CoreScaler;

/** Creates a scaler for a stream of any length; if this fails, @scaler is set to NULL. */
TimeDSPStatus core_scaler_new (const TimeDSPConfig * config, double factor,
    CoreScaler ** scaler);

/** Creates a scaler that scales @count frames to @length frames; if this fails, @scaler
 * is set to NULL. */
TimeDSPStatus core_scaler_new_endpoints (const TimeDSPConfig * config,
    uint64_t count, uint64_t length, CoreScaler ** scaler);

void core_scaler_free (CoreScaler * scaler);

/** Changes the factor gradually within @in_frames frames of input. */
TimeDSPStatus core_scaler_move (CoreScaler * scaler, double factor,
    uint64_t in_frames);

/** Makes @scaler, which must be new and have the same format, continue the stream of
 * @other. */
void core_scaler_continue (CoreScaler * scaler, const CoreScaler * other);

/** Returns the integer part of the input position of the next output frame. Sets
 * @fraction to the fractional part (0 ≤ @fraction < 1). */
uint64_t core_scaler_position (const CoreScaler * scaler, double *fraction);

/** Sets @out_frames to an upper bound of the number of output frames, if @in_frames more
 * input frames and the end of the input follow. */
TimeDSPStatus core_scaler_max_output (const CoreScaler * scaler,
    uint64_t in_frames, uint64_t * out_frames);

/** Consumes up to @in_frames frames from the planes @in, and writes up to @out_capacity
 * frames to @out. */
TimeDSPStatus core_scaler_process (CoreScaler * scaler, const void *const *in,
    size_t in_frames, void *const *out, size_t out_capacity,
    size_t *frames_consumed, size_t *frames_produced);

/** Ends the input, and writes the rest of the output. Call it until it writes no
 * frames. */
TimeDSPStatus core_scaler_finish (CoreScaler * scaler, void *const *out,
    size_t out_capacity, size_t *frames_produced);

/* ---- the stretcher ---------------------------------------------------------- */

typedef struct CoreStretcher CoreStretcher;

/** Creates a stretcher. Returns NULL if @audio or @factor is invalid, or if there is no memory. */
CoreStretcher *core_stretcher_new (const TimeDSPConfig * audio, uint32_t rate,
    TimeStretchWindow window, double factor);

void core_stretcher_free (CoreStretcher * stretcher);

/** Changes the factor gradually within @in_frames frames of input. The input must not
 * have ended. */
TimeDSPStatus core_stretcher_move (CoreStretcher * stretcher, double factor,
    uint64_t in_frames);

/** Sets @in_frame to the number of the next input frame. Returns the integer part of the
 * output position of that frame, and sets @fraction to the fractional part
 * (0 ≤ @fraction < 1). */
uint64_t core_stretcher_position (const CoreStretcher * stretcher,
    uint64_t * in_frame, double *fraction);

/** Returns an upper bound of the number of output frames, if @in_frames more input frames
 * and the end of the input follow. */
uint64_t core_stretcher_max_output (const CoreStretcher * stretcher,
    uint64_t in_frames);

/** Consumes up to @in_frames frames from the planes @in, writes up to @out_capacity frames
 * to @out, and returns their number. The input must not have ended. Arguments are not
 * checked. */
size_t core_stretcher_process (CoreStretcher * stretcher,
    const void *const *in, size_t in_frames, void *const *out,
    size_t out_capacity, size_t *frames_consumed);

/** Ends the input, and writes the rest of the output. Call it until it writes no
 * frames. */
size_t core_stretcher_finish (CoreStretcher * stretcher, void *const *out,
    size_t out_capacity);

/* ---- the variant for this processor ------------------------------------------- */

/** CORE_CHOSEN (function): the variant of @function for this processor, as selected by
 * timedspcpu.h. @function is one of the functions above, and itself runs on every
 * processor. */
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
