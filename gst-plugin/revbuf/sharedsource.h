/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What revbuf can do with its source, and whether it has that to itself.
 */

#pragma once

#include "common/gstretrofilter.h"

/* Whether @filter can fetch blocks of @info from upstream. Any thread. */
gboolean gst_revbuf_source_can_seek (GstRetroFilter * filter,
    const GstAudioInfo * info);

/* FALSE: an element of ours upstream of @sinkpad makes other frames after a seek. A block
 * that has been fetched then fits no other one. Any thread. */
gboolean gst_revbuf_source_repeats (GstPad * sinkpad);

/* Whether something upstream of @sinkpad feeds other branches, too: a demuxer, a
 * tee, … These may wait for us, and we for them. Any thread. */
gboolean gst_revbuf_source_is_shared (GstPad * sinkpad);

/* … where one branch that returns GST_FLOW_EOS ends all of them. Demuxers go on
 * with the others; tee and deinterleave do not. */
gboolean gst_revbuf_source_ends_together (GstPad * sinkpad);

/* Whether what is upstream of @sinkpad stays held when play has ended. Nobody else needs it, and let
 * go, it would announce the end of the stream, which makes a player go on to its next song; and to
 * another one, as nothing of that is heard, either. Any thread. */
gboolean gst_revbuf_source_is_held (GstPad * sinkpad);

/* Whether a demuxer upstream of @sinkpad has other streams, linked or not: the duration
 * that it states is that of the longest one. Any thread. */
gboolean gst_revbuf_source_has_others (GstPad * sinkpad);

/* Whether a demuxer or parser upstream ends what a seek with the SEGMENT flag asks for by
 * SEGMENT_DONE, in time. Such a seek may be refused nevertheless. */
gboolean gst_revbuf_source_ends_segments (GstPad * sinkpad);

/* Whether a pad between @sinkpad and the source of a flush is being flushed, so that it
 * refuses seeks: FLUSH_START is on its way to @sinkpad, or has come. */
gboolean gst_revbuf_source_is_flushing (GstPad * sinkpad);

/* Sends the seek @event (transfer full) upstream, when no other revbuf of the pipeline
 * does: what shares a source belongs to one pipeline. Between two flushing seeks at once,
 * a queue stops for ever: the FLUSH_STOP of the one lets its thread go on when the
 * FLUSH_START of the other waits for the end of that thread (GStreamer 1.22). Returns
 * whether upstream has taken the seek. */
gboolean gst_revbuf_source_seek (GstRetroFilter * filter, GstEvent * event);
