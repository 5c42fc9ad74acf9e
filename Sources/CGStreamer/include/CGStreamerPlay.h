/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Functions for a player.
 */

#ifndef RETROGRADE_CGSTREAMER_PLAY_H
#define RETROGRADE_CGSTREAMER_PLAY_H

#include <stdint.h>

#include <gst/app/gstappsink.h>
#include <gst/audio/audio.h>
#include <gst/gst.h>

/* The times of a buffer in ns, at its start and its stop: running times, and
 * positions in the stream; -1 if unknown. In reverse, the stop position is
 * lower than the start position. */
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

/* Receives a buffer, a flush or an end of stream that passes a pad. @times is NULL except
 * for buffers. */
typedef void (*CGstPassed) (CGstPassage passage, const CGstBufferTimes * times,
    gpointer data);

/* Reports all buffers, flushes and ends of stream that pass a pad of @element, in its
 * streaming thread. */
void cgst_watch (gpointer element, const gchar * pad, CGstPassed passed,
    gpointer data, GDestroyNotify free_data);

/* The running time of the audio that is being played. It does not advance while the
 * pipeline is paused. */
GstClockTime cgst_played_running_time (gpointer pipeline);

/* Creates a bin from @description and links it after the element named @after.
 * Returns NULL and sets @error if this fails. The bin belongs to the pipeline. */
GstElement *cgst_add_output (gpointer pipeline, const gchar * after,
    const gchar * description, GError ** error);

/* Sends a flushing, accurate seek to @element. */
gboolean cgst_seek_at (gpointer element, gdouble rate, int64_t start_ns,
    int64_t stop_ns);

/* Receives samples: bytes and their format. If FALSE is returned for samples of a
 * recording, the stream is stopped. */
typedef gboolean (*CGstReceived) (const GstAudioInfo * info, uint64_t channel_mask,
    const void *bytes, gsize size, gpointer data);

/* Passes the buffers that an appsink plays to @received, in the streaming thread. */
void cgst_record (gpointer appsink, CGstReceived received, gpointer data,
    GDestroyNotify free_data);

#endif
