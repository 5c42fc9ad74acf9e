/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Functions for streams in a pipeline that works on files.
 */

#ifndef RETROGRADE_CGSTREAMER_FILES_H
#define RETROGRADE_CGSTREAMER_FILES_H

#include "CGStreamerPlay.h"

/* Passes every buffer that enters @element to @received, in the streaming thread, and
 * ignores the result. */
void cgst_inspect (gpointer element, CGstReceived received, gpointer data,
    GDestroyNotify free_data);

/* Makes the volume of an element named "volume" rise linearly from 0 ns to @risen_ns, and
 * fall linearly from @falls_ns (-1: never) to silence at @end_ns. */
void cgst_fade (gpointer volume, int64_t risen_ns, int64_t falls_ns,
    int64_t end_ns);

/* Makes a property of type double follow straight lines between @count @values at @times_ns
 * of the stream, which must be ascending. */
void cgst_follow (gpointer element, const gchar * property,
    const int64_t * times_ns, const gdouble * values, gsize count);

/* The number of streams of a type ("video/") in a file that is being read, including those
 * that are not decoded. */
guint cgst_count_streams (gpointer pipeline, const gchar * type);

typedef struct
{
  guint count, titled;
} CGstChapters;

/* The number of chapters in a TOC message, and how many of them have a title. */
CGstChapters cgst_chapters (GstMessage * message);

/* Converts the times of a chapter, @start_ns to @stop_ns (-1: unknown), to those in
 * another file. Returns FALSE if that file contains none of it. */
typedef gboolean (*CGstPlace) (int64_t * start_ns, int64_t * stop_ns,
    gpointer data);

/* Removes tags with these @names, separated by commas, and private ID3 frames that
 * contain times or loudness, from the tags that enter @element. Chapters are passed to
 * @place, the last one first if @reversed. */
void cgst_revise (gpointer element, const gchar * names, gboolean reversed,
    CGstPlace place, gpointer data, GDestroyNotify free_data);

#endif
