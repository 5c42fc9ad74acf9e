/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * source: examines the elements upstream of revbuf: what they can do, and whether other
 * branches share them.
 */

#pragma once

#include "common/gstretrofilter.h"

#include <timeplay.h>

/* Properties of the elements upstream of a sink pad. */
typedef struct
{
  /* An element such as a demuxer or a tee feeds other branches, too. Those branches may
   * wait for this branch, and this branch may wait for them. */
  gboolean is_shared;
  /* If one branch returns GST_FLOW_EOS, all branches end, as after a tee or a deinterleave.
   * A demuxer would continue with the other branches. */
  gboolean ends_together;
  /* A demuxer has other streams, linked or not. The duration that it reports is then that
   * of the longest stream. */
  gboolean has_others;
  /* Upstream works in pull mode, so it can send SEGMENT_DONE at the right time after a
   * segment seek. It may still refuse such a seek. */
  gboolean ends_segments;
  /* After the end of playback, upstream is kept blocked, which disturbs no other branch. If
   * upstream were released, it would send EOS, and a player would skip to its next song.
   * Nothing of that song would be played either, so the player would skip through all of
   * its songs. */
  gboolean is_held;
  /* A pad upstream, or the sink pad itself, is flushing and therefore refuses seeks. The
   * FLUSH_START of this flush has arrived at the sink pad, or will arrive. */
  gboolean is_flushing;
  /* A web server does not offer parts of a file: its response has no header `Accept-Ranges:
   * bytes` (RFC 9110, 14.3), and is not itself a part (status 206). souphttpsrc reports
   * every file of a known size as seekable, but then fails when it must seek. */
  gboolean lacks_ranges;
} GstRevBufSource;

/* Examines all elements upstream. Do not keep the result, because elements may be added or
 * relinked later. May be called in any thread. */
GstRevBufSource gst_revbuf_source_examine (GstPad * sinkpad);

/* Whether blocks of audio in the format @info can be fetched from upstream of @filter. May
 * be called in any thread. */
TimePlaySource gst_revbuf_source_ask (GstRetroFilter * filter,
    const GstAudioInfo * info);

/* Sends the seek @event (transfer full) upstream. Waits while another revbuf in the same
 * pipeline sends a seek, because two flushing seeks at the same time can block a queue
 * indefinitely: FLUSH_STOP of one seek restarts the thread of the queue, while FLUSH_START of
 * the other seek waits until this thread has stopped (GStreamer 1.22). Returns whether
 * upstream has accepted the seek. */
gboolean gst_revbuf_source_seek (GstRetroFilter * filter, GstEvent * event);
