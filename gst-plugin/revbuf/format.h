/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * format: converts GstAudioInfo to TimeBlocksFormat, and samples to floating-point numbers.
 */

#pragma once

#include <gst/audio/audio.h>
#include <timeblocks.h>

/* Returns an empty array (element-type GstAudioInfo) for gst_revbuf_formats_find(). The `id`
 * of a TimeBlocksFormat points to an element of the array. */
GPtrArray *gst_revbuf_formats_new (void);

/* Returns the format of @info, and adds @info to @formats unless it's there already. */
TimeBlocksFormat gst_revbuf_formats_find (GPtrArray * formats,
    const GstAudioInfo * info);

const GstAudioInfo *gst_revbuf_format_info (const TimeBlocksFormat * format);

/* Returns TRUE if timestamps in whole nanoseconds can tell frames apart at the rate of @info. */
gboolean gst_revbuf_format_has_times (const GstAudioInfo * info);

/* A TimeBlocksConvert: converts samples to floating-point numbers with a full scale of 1, or back
 * if @to_numbers is 0. */
void gst_revbuf_format_convert (const TimeBlocksFormat * format, int to_numbers,
    void *samples, size_t plane_bytes, double *numbers, size_t frames);
