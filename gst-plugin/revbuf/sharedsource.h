/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The abilities of revbuf's source, and whether other branches share it.
 */

#pragma once

#include "common/gstretrofilter.h"

#include <timeplay.h>

/* Whether @filter can fetch blocks of @info from upstream; SOURCE_DIFFERS: an element of ours
 * upstream outputs different frames after a seek, so a fetched block fits no other one. Any
 * thread. */
TimePlaySource gst_revbuf_source_ask (GstRetroFilter * filter,
    const GstAudioInfo * info);

/* Whether an element upstream of @sinkpad feeds other branches, too: a demuxer, a
 * tee, … The branches may wait for us, and we for them. Any thread. */
gboolean gst_revbuf_source_is_shared (GstPad * sinkpad);

/* Whether such an element ends all branches if one returns GST_FLOW_EOS. Demuxers
 * continue with the others; tee and deinterleave do not. */
gboolean gst_revbuf_source_ends_together (GstPad * sinkpad);

/* Whether upstream of @sinkpad stays held when playback has ended, since no other branch needs
 * it. If let go, it would announce the end of the stream. That makes a player continue with its
 * next song, and then with another one, as nothing of that song is played, either. Any thread. */
gboolean gst_revbuf_source_is_held (GstPad * sinkpad);

/* Whether a demuxer upstream of @sinkpad has other streams, linked or not: the duration
 * that it states is that of the longest one. Any thread. */
gboolean gst_revbuf_source_has_others (GstPad * sinkpad);

/* Whether a demuxer or parser upstream ends the part that a seek with the SEGMENT flag asks for
 * with SEGMENT_DONE, in time. Such a seek may be refused nevertheless. */
gboolean gst_revbuf_source_ends_segments (GstPad * sinkpad);

/* Whether a pad between @sinkpad and the source of a flush is being flushed, so that it
 * refuses seeks: FLUSH_START is on its way to @sinkpad, or has come. */
gboolean gst_revbuf_source_is_flushing (GstPad * sinkpad);

/* Sends the seek @event (transfer full) upstream, when no other revbuf of the pipeline
 * does: elements that share a source belong to one pipeline. Between two simultaneous
 * flushing seeks, a queue stops indefinitely: the FLUSH_STOP of one lets its thread continue
 * when the FLUSH_START of the other waits for the end of that thread (GStreamer 1.22).
 * Returns whether upstream has accepted the seek. */
gboolean gst_revbuf_source_seek (GstRetroFilter * filter, GstEvent * event);
