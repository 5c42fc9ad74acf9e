/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Formats of audio as the playback knows them, and numbers from their samples.
 */

#pragma once

#include <gst/audio/audio.h>
#include <timeplay.h>

/* (element-type GstAudioInfo): formats that have been seen, each once. What has a
 * format keeps the address of one. */
GPtrArray *gst_revbuf_formats_new (void);

/* The format of audio like @info. */
TimePlayFormat gst_revbuf_formats_find (GPtrArray * formats,
    const GstAudioInfo * info);

/* What audio of @format is like. */
const GstAudioInfo *gst_revbuf_format_info (const TimePlayFormat * format);

/* Whether @info has frames that a time in whole ns can tell apart. */
gboolean gst_revbuf_format_has_times (const GstAudioInfo * info);

/* See TimePlayConvert. */
void gst_revbuf_format_convert (const TimePlayFormat * format, int to_numbers,
    void *samples, size_t plane_bytes, double *numbers, size_t frames);
