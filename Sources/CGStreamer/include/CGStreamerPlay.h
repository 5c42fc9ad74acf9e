/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * GStreamer functions for a player, in addition to those for files.
 */

#ifndef RETROGRADE_CGSTREAMER_PLAY_H
#define RETROGRADE_CGSTREAMER_PLAY_H

#include <stdint.h>

#include <gst/app/gstappsink.h>
#include <gst/audio/audio.h>
#include <gst/gst.h>

/* The times of a buffer in ns: its running time, and the positions in the
 * stream at which it starts and stops; -1 if unknown. In reverse, the stop is
 * lower than the start. */
typedef struct
{
  int64_t running_start_ns, running_stop_ns;
  int64_t stream_start_ns, stream_stop_ns;
} CGstBufferTimes;

typedef enum
{
  CGST_PASSAGE_BUFFER,
  CGST_PASSAGE_FLUSH,           /* a flush: queued data is discarded */
  CGST_PASSAGE_END              /* the end of the stream */
} CGstPassage;

/* @times is NULL except for buffers. */
typedef void (*CGstPassed) (CGstPassage passage, const CGstBufferTimes * times,
    gpointer data);

/* Reports all buffers, flushes and ends that pass a pad of @element, in its streaming
 * thread. */
void cgst_watch (gpointer element, const gchar * pad, CGstPassed passed,
    gpointer data, GDestroyNotify free_data);

/* The running time that is being played, which does not advance while paused. */
GstClockTime cgst_played_running_time (gpointer pipeline);

/* Adds a bin of these elements to @pipeline, after the element named @after. Returns
 * NULL and sets @error if they cannot be created or linked. The bin belongs to the
 * pipeline. */
GstElement *cgst_add_output (gpointer pipeline, const gchar * after,
    const gchar * description, GError ** error);

/* A flushing, accurate seek that is sent to @element. */
gboolean cgst_seek_at (gpointer element, gdouble rate, int64_t start_ns,
    int64_t stop_ns);

/* Receives samples of a recording: bytes and their format. Returning FALSE stops the
 * stream. */
typedef gboolean (*CGstReceived) (const GstAudioInfo * info, uint64_t channel_mask,
    const void *bytes, gsize size, gpointer data);

/* Passes the buffers that an appsink has played to @received, in the streaming thread. */
void cgst_record (gpointer appsink, CGstReceived received, gpointer data,
    GDestroyNotify free_data);

#endif
