/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Functions for pipelines that read or write files.
 */

#ifndef RETROGRADE_CGSTREAMER_FILES_H
#define RETROGRADE_CGSTREAMER_FILES_H

#include "CGStreamerPlay.h"

/* Passes every buffer that enters @element to @received, in the streaming thread. The
 * result of @received is ignored. */
void cgst_inspect (gpointer element, CGstReceived received, gpointer data,
    GDestroyNotify free_data);

/* Fades in linearly from 0 ns to @risen_ns, and fades out linearly from @falls_ns to
 * @end_ns, through the property of an element named "volume". A @falls_ns of -1 means no
 * fade-out. */
void cgst_fade (gpointer volume, int64_t risen_ns, int64_t falls_ns,
    int64_t end_ns);

/* Makes a property of type double change with the time of the stream. At @times_ns[i], the
 * property is @values[i]; in between, it changes linearly. The @count times must be
 * ascending. */
void cgst_follow (gpointer element, const gchar * property,
    const int64_t * times_ns, const gdouble * values, gsize count);

/* The number of streams of a type, such as "video/", in a file that is being read. Streams
 * that are not decoded are counted, too. */
guint cgst_count_streams (gpointer pipeline, const gchar * type);

typedef struct
{
  guint count, titled;
} CGstChapters;

/* The number of chapters in a TOC message, and how many of them have a title. */
CGstChapters cgst_chapters (GstMessage * message);

/* Converts the times of a chapter, from @start_ns to @stop_ns (-1: unknown), to the
 * times in another file. Returns FALSE if that file contains no part of the
 * chapter. */
typedef gboolean (*CGstConvertTimes) (int64_t * start_ns, int64_t * stop_ns,
    gpointer data);

/* Changes the tags and chapters that enter @element. Tags with these @names, separated
 * by commas, are removed, and so are private ID3 frames that contain times or
 * loudness. The times of chapters are converted by @convert. If @reversed is TRUE, the
 * last chapter becomes the first. */
void cgst_revise (gpointer element, const gchar * names, gboolean reversed,
    CGstConvertTimes convert, gpointer data, GDestroyNotify free_data);

#endif
