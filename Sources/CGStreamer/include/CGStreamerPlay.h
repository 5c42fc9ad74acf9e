/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * GStreamer functions for a player, beside those of work on files.
 */

#ifndef RETROGRADE_CGSTREAMER_PLAY_H
#define RETROGRADE_CGSTREAMER_PLAY_H

#include <stdint.h>

#include <gst/app/gstappsink.h>
#include <gst/audio/audio.h>
#include <gst/gst.h>

/* A buffer on its way: its running time, and its places in the stream, in ns;
 * -1 if they are not known. Backwards, the stream's end is its lesser one. */
typedef struct
{
  int64_t running_start_ns, running_stop_ns;
  int64_t stream_start_ns, stream_stop_ns;
} CGstBufferTimes;

typedef enum
{
  CGST_PASSAGE_BUFFER,
  CGST_PASSAGE_FLUSH,           /* all that is on its way is thrown away */
  CGST_PASSAGE_END              /* of the stream */
} CGstPassage;

/* @times is NULL for all but a buffer. */
typedef void (*CGstPassed) (CGstPassage passage, const CGstBufferTimes * times,
    gpointer data);

/* Reports everything that passes a pad of @element, in its streaming thread. */
void cgst_watch (gpointer element, const gchar * pad, CGstPassed passed,
    gpointer data, GDestroyNotify free_data);

/* The running time that is played at present: it does not advance while paused. */
GstClockTime cgst_played_running_time (gpointer pipeline);

/* Adds a bin of these elements to @pipeline, after the element named @after. NULL if
 * they cannot be made, as @error says, or cannot be linked there. The bin belongs to
 * the pipeline. */
GstElement *cgst_add_output (gpointer pipeline, const gchar * after,
    const gchar * description, GError ** error);

/* A flushing accurate seek that begins at @element. */
gboolean cgst_seek_at (gpointer element, gdouble rate, int64_t start_ns,
    int64_t stop_ns);

/* Receives the samples of a recording: bytes and their format. FALSE stops the stream. */
typedef gboolean (*CGstReceived) (const GstAudioInfo * info, uint64_t channel_mask,
    const void *bytes, gsize size, gpointer data);

/* Passes the buffers that an appsink has played to @received, in its thread. */
void cgst_record (gpointer appsink, CGstReceived received, gpointer data,
    GDestroyNotify free_data);

#endif
