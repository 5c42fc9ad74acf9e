/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * scaler: pushes what a scaler makes of buffers and stores.
 */

#ifndef GST_RETRO_SCALER_H
#define GST_RETRO_SCALER_H

#include "common/gstretrofilter.h"
#include "common/frameclock.h"
#include "common/framestore.h"

#include <timedsp.h>

G_BEGIN_DECLS

/* Most frames of one output buffer: a factor of 100 makes much of little. */
#define GST_RETRO_SCALE_MAX_FRAMES 16384

/* What a scaler needs to know of @info; @quality is that of sinc. */
TimeDSPConfig gst_retro_scale_config (const GstAudioInfo * info,
    TimeDSPInterpolation interpolation, guint quality);

/* Scales @n_frames of @buffer from @first on and pushes the result, stamped by
 * @clock; metas that stay true go along. @gap: mark it as silence that may be
 * skipped. */
GstFlowReturn gst_retro_scale_frames (GstRetroFilter * filter,
    TimeDSPScaler * scaler, GstRetroClock * clock, GstBuffer * buffer,
    gsize first, gsize n_frames, gboolean gap);

/* Lets @scaler take note of the @n_frames of @buffer, which is handed on as it is.
 * FALSE: it is to be scaled. */
gboolean gst_retro_scale_pass (GstRetroFilter * filter, TimeDSPScaler * scaler,
    GstBuffer * buffer, gsize n_frames);

/* Scales all frames of @store, and finishes. */
GstFlowReturn gst_retro_scale_store (GstRetroFilter * filter,
    TimeDSPScaler * scaler, GstRetroClock * clock, GstRetroStore * store);

/* The input has ended: pushes what @scaler still holds. */
GstFlowReturn gst_retro_scale_finish (GstRetroFilter * filter,
    TimeDSPScaler * scaler, GstRetroClock * clock);

/* Pushes the first @n_frames of @buffer (transfer full), stamped by @clock, or nothing
 * if they are 0; with those metas of @original (nullable) that stay true. @gap: marks
 * it as silence that may be skipped. */
GstFlowReturn gst_retro_scale_push (GstRetroFilter * filter, GstRetroClock * clock,
    GstBuffer * buffer, gsize n_frames, GstBuffer * original, gboolean gap);

/* Ends the stream with an error that tells @status. */
GstFlowReturn gst_retro_scale_fail (GstRetroFilter * filter, TimeDSPStatus status);

G_END_DECLS
#endif /* GST_RETRO_SCALER_H */
