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

/* Fades in linearly from 0 ns to @risen_ns, and fades out linearly from @falls_ns to
 * @end_ns, through the property of an element named "volume". A @falls_ns of -1 means no
 * fade-out. */
void cgst_fade (gpointer volume, int64_t risen_ns, int64_t falls_ns,
    int64_t end_ns);

/* Ends the output of @element after @count buffers. */
void cgst_end_after (gpointer element, guint64 count);

/* Controls a property of type double over stream time: it's @values[i] at @times_ns[i], and
 * changes linearly in between. The @count times must be ascending. */
void cgst_follow (gpointer element, const gchar * property,
    const int64_t * times_ns, const gdouble * values, gsize count);

/* The number of streams in a file whose caps begin with @type, such as "video/". Streams that
 * aren't decoded count, too. If the file needs no demuxer, it's 0. */
guint cgst_count_streams (gpointer pipeline, const gchar * type);

typedef struct
{
  guint count, titled;
} CGstChapters;

/* The number of chapters in a TOC message, and how many of them have a title. */
CGstChapters cgst_chapters (GstMessage * message);

/* Converts the times of a chapter in the input, from *@start_ns to *@stop_ns (-1: unknown),
 * to its times in the output. If the output contains no part of the chapter, it returns FALSE. */
typedef gboolean (*CGstConvertTimes) (int64_t * start_ns, int64_t * stop_ns,
    gpointer data);

/* Changes the tags and chapters that enter @element. Removes the tags in @names, which are
 * separated by commas, and private ID3 frames that contain times or loudness. @convert converts
 * the times of chapters. If @reversed is TRUE, the order of the chapters is reversed. */
void cgst_revise (gpointer element, const gchar * names, gboolean reversed,
    CGstConvertTimes convert, gpointer data, GDestroyNotify free_data);

#endif
