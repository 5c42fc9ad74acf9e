/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * source: the capabilities of the elements upstream of revbuf, and whether other branches
 * share them.
 */

#pragma once

#include "common/gstretrofilter.h"

#include <timeplay.h>

/* Properties of the elements upstream of a sink pad. */
typedef struct
{
  /* An element such as a demuxer or a tee feeds other branches, too. Those branches may
   * wait for ours, and ours for them. */
  gboolean is_shared;
  /* The element that feeds several branches ends all of them if one returns GST_FLOW_EOS, as
   * tee and deinterleave do. A demuxer continues with the other branches. */
  gboolean ends_together;
  /* A demuxer has other streams, linked or not. The duration that it reports is then that
   * of the longest stream. */
  gboolean has_others;
  /* Upstream pulls data, so it can send SEGMENT_DONE at the right time after a segment
   * seek. It may still refuse such a seek. */
  gboolean ends_segments;
  /* Upstream stays blocked after the end of playback, because no other branch needs it. If
   * it were not blocked, it would send EOS, and a player would continue with its next song.
   * Nothing of that song would be played either, so the player would continue with another
   * one, and so on. */
  gboolean is_held;
  /* A pad between the sink pad and the origin of a flush is flushing, and therefore refuses
   * seeks. FLUSH_START has arrived at the sink pad, or will arrive. */
  gboolean is_flushing;
  /* One of our own elements upstream outputs different frames after a seek, so a fetched
   * block would not fit the block before it. */
  gboolean differs;
  /* A web server does not offer parts of a file: its answer has no header `Accept-Ranges:
   * bytes` (RFC 9110, 14.3), and is not itself a part (status 206). souphttpsrc reports
   * every file of a known size as seekable, but then fails when it must seek. */
  gboolean lacks_ranges;
} GstRevBufSource;

/* Examines all elements upstream in one walk. The result is valid only for this moment,
 * because elements may be added or relinked later. Any thread. */
GstRevBufSource gst_revbuf_source_examine (GstPad * sinkpad);

/* Whether @filter can fetch blocks of audio in the format @info from upstream. Any
 * thread. */
TimePlaySource gst_revbuf_source_ask (GstRetroFilter * filter,
    const GstAudioInfo * info);

/* Sends the seek @event (transfer full) upstream, but not while another revbuf in the same
 * pipeline sends one. Elements that share a source are in one pipeline. Two simultaneous
 * flushing seeks can block a queue indefinitely: FLUSH_STOP of one seek restarts the thread
 * of the queue, while FLUSH_START of the other seek waits until this thread has stopped
 * (GStreamer 1.22). Returns whether upstream has accepted the seek. */
gboolean gst_revbuf_source_seek (GstRetroFilter * filter, GstEvent * event);
