/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * scaler: scales buffers and stores, and pushes the result.
 */

#ifndef GST_RETRO_SCALER_H
#define GST_RETRO_SCALER_H

#include "common/gstretrofilter.h"
#include "common/frameclock.h"
#include "common/framestore.h"

#include <timedsp.h>

G_BEGIN_DECLS

/* The most frames of one output buffer: a factor of 100 turns a short buffer into a
 * long one. */
#define GST_RETRO_SCALE_MAX_FRAMES 16384

/* The configuration of a scaler for audio of @info. @quality is that of sinc. */
TimeDSPConfig gst_retro_scale_config (const GstAudioInfo * info,
    TimeDSPInterpolation interpolation, guint quality);

/* Scales @n_frames of @buffer from @first on and pushes the result, stamped by @clock,
 * with the metas that stay true. @gap: set the GAP flag. */
GstFlowReturn gst_retro_scale_frames (GstRetroFilter * filter,
    TimeDSPScaler * scaler, GstRetroClock * clock, GstBuffer * buffer,
    gsize first, gsize n_frames, gboolean gap);

/* Tells @scaler of the @n_frames of @buffer, which are passed on unchanged. FALSE: they
 * have to be scaled. */
gboolean gst_retro_scale_pass (GstRetroFilter * filter, TimeDSPScaler * scaler,
    GstBuffer * buffer, gsize n_frames);

/* Scales and pushes all frames of @store, and finishes. */
GstFlowReturn gst_retro_scale_store (GstRetroFilter * filter,
    TimeDSPScaler * scaler, GstRetroClock * clock, GstRetroStore * store);

/* The input has ended: pushes the frames that @scaler still holds. */
GstFlowReturn gst_retro_scale_finish (GstRetroFilter * filter,
    TimeDSPScaler * scaler, GstRetroClock * clock);

/* Pushes the first @n_frames of @buffer (transfer full), if there are any, stamped by
 * @clock, with those metas of @original (nullable) that stay true. @gap: set the GAP
 * flag. */
GstFlowReturn gst_retro_scale_push (GstRetroFilter * filter, GstRetroClock * clock,
    GstBuffer * buffer, gsize n_frames, GstBuffer * original, gboolean gap);

/* Posts an error message that explains @status. Returns GST_FLOW_ERROR. */
GstFlowReturn gst_retro_scale_fail (GstRetroFilter * filter, TimeDSPStatus status);

G_END_DECLS
#endif /* GST_RETRO_SCALER_H */
