/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A fetched run: the audio that arrives after one seek, as far as it is wanted.
 */

#ifndef GST_REVBUF_FETCHEDRUN_H
#define GST_REVBUF_FETCHEDRUN_H

#include <gst/audio/audio.h>
#include <timefetch.h>

G_BEGIN_DECLS

/**
 * GstRevBufRun:
 * @join_frame: where it meets its neighbour; TIMEDSP_UNKNOWN: it has none
 * @continues: it goes on where the last run ended, without a seek
 * @has_stop: the seek said where to stop
 * @again: upstream has ended too early once
 * @max_frames: most that is kept
 * @info: what the frames are; finfo NULL before the first buffer
 * @offset_ns: timestamps were that much higher than stream time, by the segment
 *   that the first kept frame belongs to
 * @memory: plane after plane, each of @capacity_frames
 * @first_frame: the first one that is kept; TIMEDSP_UNKNOWN: none is
 * @next_frame: behind the last frame that arrived, kept or not;
 *   TIMEDSP_UNKNOWN: none has
 * @skipped: frames arrived that come before what is wanted
 * @unplaced: frames were dropped that came after the seek without a timestamp
 * @join_index: of @join_frame among those kept
 * @done: all that is wanted is there
 * @at_end: … and the stream ends behind it
 * @overflown: more was wanted than @max_frames; nothing is kept
 * @no_memory: nothing could be kept
 *
 * Frames are placed by the timestamp of the buffer that holds them, in stream
 * time: first the beginning of what is kept, then @join_frame, then its end.
 * In between they are counted. So neighbouring runs, which see the same
 * buffers, agree on their boundaries however timestamps were rounded.
 */
typedef struct
{
  TimeDSPFetch fetch;
  gint64 join_frame;
  gboolean continues, has_stop, again;
  gsize max_frames;

  GstAudioInfo info;
  gint64 offset_ns;
  guint8 *memory;
  gsize capacity_frames;
  gsize n_frames;
  gint64 first_frame, next_frame;
  gboolean skipped, unplaced;
  gsize join_index;
  gboolean join_seen;
  gboolean done, at_end, overflown, no_memory;
} GstRevBufRun;

GstRevBufRun *gst_revbuf_run_new (const TimeDSPFetch * fetch, gint64 join_frame,
    gsize max_frames);

/* NULL: no memory. Only of one that is done. */
GstRevBufRun *gst_revbuf_run_copy (const GstRevBufRun * run);

void gst_revbuf_run_free (GstRevBufRun * run);

/**
 * gst_revbuf_run_add:
 * @buffer: audio like @info, of @segment
 * @first: (inout): the frame of @buffer to begin with; on return behind the
 *   last one that this run had use for
 *
 * A hole in the timestamps is filled with silence.
 *
 * Returns: FALSE where @buffer could not be mapped.
 */
gboolean gst_revbuf_run_add (GstRevBufRun * run, GstBuffer * buffer,
    const GstAudioInfo * info, const GstSegment * segment, gsize * first);

/* Nothing more will come. */
void gst_revbuf_run_end (GstRevBufRun * run);

/* Whether some of what is wanted may have been among what was dropped. Only of
 * one that is done. */
gboolean gst_revbuf_run_lacks_beginning (const GstRevBufRun * run);

/* Address of frame @index in plane @plane. */
guint8 *gst_revbuf_run_at (const GstRevBufRun * run, guint plane, gsize index);

G_END_DECLS
#endif /* GST_REVBUF_FETCHEDRUN_H */
