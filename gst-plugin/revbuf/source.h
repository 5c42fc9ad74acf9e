/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * source: what the elements upstream of revbuf can do, and whether other branches share them.
 */

#pragma once

#include "common/gstretrofilter.h"

#include <timeplay.h>

/* Facts about the elements upstream of a sink pad. */
typedef struct
{
  /* An element feeds other branches, too: a demuxer, a tee, … The branches may wait for us,
   * and we for them. */
  gboolean is_shared;
  /* Such an element ends all branches if one returns GST_FLOW_EOS. Demuxers continue with the
   * others; tee and deinterleave do not. */
  gboolean ends_together;
  /* A demuxer has other streams, linked or not: the duration that it states is that of the
   * longest one. */
  gboolean has_others;
  /* A demuxer or parser ends the part that a seek with the SEGMENT flag asks for with
   * SEGMENT_DONE, in time. Such a seek may be refused nevertheless. */
  gboolean ends_segments;
  /* Upstream stays held when playback has ended, since no other branch needs it. If let go, it
   * would announce the end of the stream. That makes a player continue with its next song, and
   * then with another one, as nothing of that song is played, either. */
  gboolean is_held;
  /* A pad up to the source of a flush is being flushed, so that it refuses seeks: FLUSH_START
   * is on its way to the sink pad, or has come. */
  gboolean is_flushing;
  /* An element of ours outputs different frames after a seek, so a fetched block fits no other
   * one. */
  gboolean differs;
  /* A web server does not offer parts of a file: its answer has no `Accept-Ranges: bytes`
   * (RFC 9110, 14.3), and is not itself a part (status 206). souphttpsrc claims that every
   * file of a known size is seekable, and fails when it has to seek. */
  gboolean lacks_ranges;
} GstRevBufSource;

/* The facts of this moment, from one walk through the elements. Any thread. */
GstRevBufSource gst_revbuf_source_examine (GstPad * sinkpad);

/* Whether @filter can fetch blocks of @info from upstream. Any thread. */
TimePlaySource gst_revbuf_source_ask (GstRetroFilter * filter,
    const GstAudioInfo * info);

/* Sends the seek @event (transfer full) upstream, when no other revbuf of the pipeline
 * does: elements that share a source belong to one pipeline. Between two simultaneous
 * flushing seeks, a queue stops indefinitely: the FLUSH_STOP of one lets its thread continue
 * when the FLUSH_START of the other waits for the end of that thread (GStreamer 1.22).
 * Returns whether upstream has accepted the seek. */
gboolean gst_revbuf_source_seek (GstRetroFilter * filter, GstEvent * event);
