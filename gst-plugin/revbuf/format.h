/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * format: converts GstAudioInfo to TimeBlocksFormat, and samples to floating-point numbers.
 */

#pragma once

#include <gst/audio/audio.h>
#include <timeblocks.h>

/* Returns the format of @info, and adds @info to @formats (element-type GstAudioInfo) unless it's
 * there already. The `id` of the format is the GstAudioInfo in the array. */
TimeBlocksFormat gst_revbuf_formats_find (GPtrArray * formats,
    const GstAudioInfo * info);

/* A TimeBlocksConvert: converts samples to floating-point numbers with a full scale of 1, or back
 * if @to_numbers is 0. */
void gst_revbuf_format_convert (const TimeBlocksFormat * format, int to_numbers,
    void *samples, size_t plane_bytes, double *numbers, size_t frames);
