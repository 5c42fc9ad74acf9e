/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Functions for pipelines that read or write files.
 */

#ifndef RETROGRADE_CGSTREAMER_FILES_H
#define RETROGRADE_CGSTREAMER_FILES_H

#include "CGStreamerPlay.h"

/* Calls @received with every buffer that enters @element, in the streaming thread. The
 * channel mask is always 0, and we ignore the result of @received. */
void cgst_inspect (gpointer element, CGstReceived received, gpointer data,
    GDestroyNotify free_data);

/* Fades in linearly from 0 ns to @risen_ns, and fades out linearly from @falls_ns to @end_ns,
 * using an element's "volume" property. A @falls_ns of -1 means no fade-out. */
void cgst_fade (gpointer volume, int64_t risen_ns, int64_t falls_ns,
    int64_t end_ns);

/* Ends the output of @element after @count buffers. */
void cgst_end_after (gpointer element, guint64 count);

/* Controls a property of type double over stream time: it's @values[i] at @times_ns[i], and
 * changes linearly in between. The @count times must be ascending. */
void cgst_follow (gpointer element, const gchar * property,
    const int64_t * times_ns, const gdouble * values, gsize count);

/* The number of streams in a file with caps that begin with @type, such as "video/", including
 * those that aren't decoded. 0 if the file doesn't need a demuxer. */
guint cgst_count_streams (gpointer pipeline, const gchar * type);

typedef struct
{
  guint count, titled;
} CGstChapters;

/* The number of chapters in a TOC message, and how many of them have titles. */
CGstChapters cgst_chapters (GstMessage * message);

/* Converts a chapter's input times, *@start_ns and *@stop_ns (-1 if unknown), to output times.
 * Returns FALSE if no part of the chapter is in the output. */
typedef gboolean (*CGstConvertTimes) (int64_t * start_ns, int64_t * stop_ns,
    gpointer data);

/* Changes the tags and chapters that enter @element. Removes the tags in @names, a
 * comma-separated list, and private ID3 frames that contain times or loudness. @convert converts
 * the chapters' times. If @reversed is TRUE, the chapters are put in reverse order. */
void cgst_revise (gpointer element, const gchar * names, gboolean reversed,
    CGstConvertTimes convert, gpointer data, GDestroyNotify free_data);

#endif
