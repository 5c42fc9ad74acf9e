/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Functions of work on files for a stream in a pipeline.
 */

#ifndef RETROGRADE_CGSTREAMER_FILES_H
#define RETROGRADE_CGSTREAMER_FILES_H

#include "CGStreamerPlay.h"

/* Passes every buffer that enters @element to @received, in its thread, and ignores the
 * result. */
void cgst_inspect (gpointer element, CGstReceived received, gpointer data,
    GDestroyNotify free_data);

/* Lets the sound that goes through an element named "volume" rise from 0 ns until @risen_ns, and
 * fall from @falls_ns (-1: never) to silence at @end_ns, in straight lines. */
void cgst_fade (gpointer volume, int64_t risen_ns, int64_t falls_ns,
    int64_t end_ns);

/* Lets a property of type double follow straight lines between @count @values at @times_ns of the
 * stream, which rise. */
void cgst_follow (gpointer element, const gchar * property,
    const int64_t * times_ns, const gdouble * values, gsize count);

/* How many of the streams of a file that is read are of a type ("video/"); those that are not
 * decoded count as well. */
guint cgst_count_streams (gpointer pipeline, const gchar * type);

typedef struct
{
  guint count, titled;
} CGstChapters;

/* The number of chapters in a message of type TOC, and how many of them have a title. */
CGstChapters cgst_chapters (GstMessage * message);

/* Position of a chapter from @start_ns to @stop_ns (-1: not known) in another file.
 * FALSE if nothing of it is there. */
typedef gboolean (*CGstPlace) (int64_t * start_ns, int64_t * stop_ns,
    gpointer data);

/* Removes tags of these @names, separated by commas, and private ID3 frames with times
 * or loudness, from the tags that enter @element. Chapters are sent to @place, the last
 * one first if @reversed. */
void cgst_revise (gpointer element, const gchar * names, gboolean reversed,
    CGstPlace place, gpointer data, GDestroyNotify free_data);

#endif
