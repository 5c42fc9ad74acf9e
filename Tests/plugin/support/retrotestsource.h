/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * retrotestsource: an upstream that can seek, whose frame n is that of
 * retro_test_frame(), and that has the faults of real demuxers and decoders,
 * one by one.
 */

#ifndef RETRO_TEST_SOURCE_H
#define RETRO_TEST_SOURCE_H

#include <gst/base/gstbasesrc.h>

#include "retrotest.h"

G_BEGIN_DECLS

/**
 * RetroTestKnobs:
 * @cut: sizes of the packets, again and again; a 0 ends the list
 * @duration_ns: the stated duration; NONE: it is unknown
 * @duration_drift_ns: each seek adds this much to it, as a parser's
 *   estimate changes
 * @refused_seek: the one that fails, counted from 1; 0: none
 * @settle_frames: that many are different after each seek, as of a decoder
 *   that has not settled …
 * @settle_more_frames: … and that many after seeks to below
 *   @settle_more_below_frame …
 * @settle_at_0_frames: … and that many after seeks to the beginning, before
 *   which there is no audio
 * @shift_frames: each run is numbered up to that many frames too high or low,
 *   as Matroska's are
 * @behind_from_frame, @behind_frames: timestamps from the first one on are those of
 *   frames this many earlier, as after the first page of some Ogg Vorbis
 * @rounding_ns: timestamps are rounded to this; 0: they are not
 * @noisy: each run has noise of its own in its last bit; S16 only
 * @breaks_at_frame: runs from @breaks_in_take on (0: the one without a seek)
 *   end there, with an error or without
 * @breaks_once: only @breaks_in_take does
 * @hole_frames: that many are missing from @hole_at_frame on, of a packet's
 *   beginning
 * @untimed_frames: packets that begin that near to the beginning of a run have no
 *   timestamp
 * @pts_offset_ns: timestamps are that much higher than stream time
 * @stop_ns: stop of segments without a requested one, which the last frame may exceed;
 *   NONE: they are open
 * @other, @other_from_frame: packets from there on are of this format, as many
 *   seconds of it; 0: none is
 * @followed: another stream begins where this one ends, and is empty
 * @tells_tags: the same ones in each run, a title; or these @tags in turn
 * @edit_frames: a seek leads to another stream, whose frame n is frame n +
 *   edit_frames, as in an editor, …
 * @edit_is_told: … as the timestamps show …
 * @edit_below_frame: … if it leads to below that frame; 0: everywhere
 * @own_seqnums: flushes and segments do not have the number of the seek
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
  guint64 edit_frames, edit_below_frame;
  gboolean edit_is_told;
  gboolean own_seqnums;
} RetroTestKnobs;

#define RETRO_TYPE_TEST_SOURCE (retro_test_source_get_type ())
G_DECLARE_FINAL_TYPE (RetroTestSource, retro_test_source, RETRO, TEST_SOURCE,
    GstBaseSrc);

/**
 * RetroTestSource:
 * @knobs: to be set before it starts
 * @seeks: those asked for, since it started; atomic
 */
struct _RetroTestSource
{
  GstBaseSrc parent;

  RetroTestKnobs knobs;
  gint seeks;
  GRecMutex seek_lock;          /* GstBaseSrc may hang in two seeks at once */

  /* its streaming thread */
  gint take;
  guint packets;                /* of this take */
  guint64 take_first_frame;
  guint64 next_frame;           /* backward: the end of what is sent next */
};

/* Without a fault: @n_frames like @info, in packets of 1000. */
RetroTestSource *retro_test_source_new (const GstAudioInfo * info,
    guint64 n_frames);

G_END_DECLS
#endif /* RETRO_TEST_SOURCE_H */
