/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * retrotestsource: a source that can seek. Its frame n has the bytes of
 * retro_test_frame(). It can simulate the faults of real demuxers and decoders,
 * each separately.
 */

#ifndef RETRO_TEST_SOURCE_H
#define RETRO_TEST_SOURCE_H

#include <gst/base/gstbasesrc.h>

#include "retrotest.h"

G_BEGIN_DECLS

/**
 * RetroTestKnobs:
 * @cut: sizes of the packets; the list ends with 0, and is repeated
 * @duration_ns: the reported duration. NONE if it is unknown
 * @duration_drift_ns: each seek adds this to the reported duration, like a parser whose
 *   estimate changes
 * @refused_seek: number of the seek that fails, counted from 1. 0 for none
 * @settle_frames: number of frames that are wrong after each seek, as from a decoder
 *   that has not settled
 * @settle_more_frames: the same number for seeks to before @settle_more_below_frame
 * @settle_at_0_frames: the same number for seeks to the beginning, where a decoder has no
 *   earlier audio from which it could settle
 * @shift_frames: the frame numbers of each run are up to this much too high or too low, as
 *   in Matroska
 * @behind_from_frame, @behind_frames: from frame @behind_from_frame on, each timestamp is
 *   that of the frame @behind_frames frames earlier, as after the first page of some Ogg
 *   Vorbis files
 * @rounding_ns: unit to which timestamps are rounded. 0 for no rounding
 * @noisy: the last bit of samples is noise, which differs between runs; S16 only
 * @breaks_at_frame: all runs from number @breaks_in_take on end at this frame, with an error if
 *   @breaks_with_error is set
 * @breaks_once: only run number @breaks_in_take ends at that frame
 * @hole_frames: number of frames that are missing from @hole_at_frame on, which is the
 *   beginning of a packet
 * @untimed_frames: packets that begin within this distance of the beginning of a run
 *   have no timestamp
 * @pts_offset_ns: the difference between timestamps and stream time
 * @stop_ns: stop of segments for which no stop was requested; the last frame may exceed
 *   the stop. NONE if such segments have no stop
 * @other, @other_from_frame: packets from frame @other_from_frame on have the format
 *   @other, and keep their duration in seconds. 0 if no packet has this format
 * @followed: whether another, empty stream begins at the end of this one
 * @tells_tags: whether tags are sent in each run: a title, or the lists in @tags in turn
 * @edit_frames: a seek leads to a different stream, as in an editor; frame n of that
 *   stream is frame n + edit_frames of this one
 * @edit_is_told: whether the timestamps show that the stream is a different one
 * @edit_from_frame, @edit_below_frame: only seeks to frames in this range lead to the other
 *   stream; if the second one is 0, all seeks do
 * @told_num, @told_den: after a seek, frame n has the timestamp of frame n × num / den, except
 *   after a seek to the beginning. 0 for right timestamps. A decoder clips by the timestamps
 * @unlocked: the source is pushed here each time it is asked to stop waiting, as it is by a seek or
 *   an EOS event. NULL for none
 *
 * A run is the stream from the start or from a seek up to the next seek. Run 0 is the one before
 * the first seek.
 */
typedef struct
{
  GstAudioInfo info;
  guint64 n_frames;
  const gsize *cut;
  GstClockTime duration_ns, duration_drift_ns;
  gboolean not_seekable;
  guint refused_seek;
  guint64 settle_frames, settle_at_0_frames;
  guint64 settle_more_frames, settle_more_below_frame;
  gint64 shift_frames;
  guint64 behind_from_frame, behind_frames;
  GstClockTime rounding_ns;
  gboolean noisy;
  guint64 breaks_at_frame;
  guint breaks_in_take;
  gboolean breaks_with_error, breaks_once;
  guint64 hole_at_frame, hole_frames;
  guint64 untimed_frames;
  GstClockTime pts_offset_ns;
  GstClockTime stop_ns;
  GstAudioInfo other;
  guint64 other_from_frame;
  gboolean followed;
  gboolean tells_tags;
  const GstTagList *tags[2];
  guint64 edit_frames, edit_from_frame, edit_below_frame;
  gboolean edit_is_told;
  guint told_num, told_den;
  GAsyncQueue *unlocked;
} RetroTestKnobs;

#define RETRO_TYPE_TEST_SOURCE (retro_test_source_get_type ())
G_DECLARE_FINAL_TYPE (RetroTestSource, retro_test_source, RETRO, TEST_SOURCE,
    GstBaseSrc);

/**
 * RetroTestSource:
 * @knobs: must be set before the source starts
 * @seeks: number of seeks since the start; atomic
 */
struct _RetroTestSource
{
  GstBaseSrc parent;

  RetroTestKnobs knobs;
  gint seeks;
  GRecMutex seek_lock;          /* GstBaseSrc may hang in two seeks at the same time */

  /* used in the streaming thread */
  gint take;
  guint packets;                /* number of packets in this run */
  guint64 take_first_frame;
  guint64 told_first_frame;     /* before this one, a decoder clips. 0 if it does not */
  guint64 next_frame;           /* in reverse, the end of the next block */
};

/* Creates a source without faults: @n_frames frames in the format @info, in packets of
 * 1000. */
RetroTestSource *retro_test_source_new (const GstAudioInfo * info,
    guint64 n_frames);

G_END_DECLS
#endif /* RETRO_TEST_SOURCE_H */
