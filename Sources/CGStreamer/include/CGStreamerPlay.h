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

/* Running times and stream times of a buffer's start and stop, in ns, or -1 if unknown. If the
 * audio is reversed, the stop's stream time is lower than the start's. */
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
} CGstPadTraffic;

/* Called for a buffer, a flush or an EOS on a pad. @times is NULL except for buffers. */
typedef void (*CGstPassed) (CGstPadTraffic traffic, const CGstBufferTimes * times,
    gpointer data);

/* Calls @passed for all buffers, flushes and EOS on the pad named @pad of @element, in the
 * streaming thread. */
void cgst_watch (gpointer element, const gchar * pad, CGstPassed passed,
    gpointer data, GDestroyNotify free_data);

/* The running time of the audio that you hear. It doesn't advance while the pipeline is paused.
 * */
GstClockTime cgst_played_running_time (gpointer pipeline);

/* Creates a bin from @description and links it after the element named @after. The bin belongs to
 * the pipeline. Returns NULL on failure, and sets @error if the description is wrong. */
GstElement *cgst_add_output (gpointer pipeline, const gchar * after,
    const gchar * description, GError ** error);

/* Sends a flushing, accurate seek to the pad "src" of @element. */
gboolean cgst_seek_to (gpointer element, int64_t position_ns);

/* Called with the samples of a buffer and their format. @channel_mask is the mask in the caps, or
 * 0 if the caps have none. Returning FALSE to cgst_record() ends the stream with an error. */
typedef gboolean (*CGstReceived) (const GstAudioInfo * info, uint64_t channel_mask,
    const void *bytes, gsize size, gpointer data);

/* Calls @received with each buffer when an appsink plays it, in the streaming thread. */
void cgst_record (gpointer appsink, CGstReceived received, gpointer data,
    GDestroyNotify free_data);

#endif
