/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The block planner: has the blocks around the frame that is heard fetched, and
 * verifies every seam between them.
 */

#ifndef GST_REVBUF_BLOCKPLANNER_H
#define GST_REVBUF_BLOCKPLANNER_H

#include "revbuf/upstream.h"
#include "revbuf/properties.h"
#include "revbuf/blockcache.h"

G_BEGIN_DECLS

/* What has been counted since the stream began. */
typedef struct
{
  guint64 blocks;
  guint64 seams_verified, seams_aligned, seams_crossfaded;
  guint64 prerolls_widened;
  gint64 preroll_frames;
} GstRevBufStats;

typedef enum
{
  GST_REVBUF_PLANNER_IDLE,         /* nothing to do for now */
  GST_REVBUF_PLANNER_ACTIVE,       /* something has been done */
  GST_REVBUF_PLANNER_FAILED        /* see error */
} GstRevBufPlannerResult;

/**
 * GstRevBufPlanner:
 *
 * Belongs to the thread that plays; @stats is written under the lock of
 * @lock.
 *
 * @boundary: where the first block of an empty cache is to end (BACKWARD) or
 *   begin; TIMEDSP_UNKNOWN: at the end of the stream
 * @first_frame_of_stream: where the stream begins; upstream is not asked for
 *   less
 * @head: (nullable): the beginning of the stream as a fresh decoder gives it:
 *   no seek brings that back, for some decoders keep part of their state
 * @trusts_head: nobody has seeked, or a fetch since then has shown that seeks
 *   lead into the stream that the head belongs to. Those of an editor need not
 * @exhausted: an empty cache stays empty: there is nothing at @boundary
 * @odd_seams: (nullable) (element-type gint64): frames at which runs that have
 *   nothing in common meet, of which a message has told
 */
typedef struct
{
  GstElement *element;
  GstRevBufLock *lock;
  GstRevBufUpstream *upstream;
  GstRevBufBlockCache cache;
  GstRevBufStats stats;
  GError *error;

  gint64 first_frame_of_stream;
  GstRevBufRun *head;
  gboolean awaits_head, trusts_head;

  GstAudioInfo info;
  TimeDSPFetchLimits limits;
  gint64 automatic_preroll_frames;
  gboolean exact;
  gboolean never_repeats;       /* the decoder, whatever the preroll */

  TimeDSPDirection direction;   /* of the jump */
  TimeDSPDirection playing;     /* of play, as of the last call */
  gint64 boundary;
  GstClockTime duration_ns;     /* of the segment, if upstream does not answer */
  gint64 estimate;              /* of the end, where that is not known */
  guint attempt;
  guint blocks;                 /* since the jump */
  gint64 extra_lead_in_frames;          /* seeks go back by that much more */
  gboolean in_flight;           /* a run for this cache */
  gboolean exhausted;
  GArray *odd_seams;
} GstRevBufPlanner;

void gst_revbuf_planner_init (GstRevBufPlanner * planner, GstElement * element,
    GstRevBufUpstream * upstream, GstRevBufLock * lock);

void gst_revbuf_planner_clear (GstRevBufPlanner * planner);

/* A new stream of audio like @info. */
void gst_revbuf_planner_start (GstRevBufPlanner * planner,
    const GstAudioInfo * info, const GstRevBufSettings * settings);

/* Somebody else has seeked: what was known of the stream need not be true of what
 * comes now, which is like @info. The counts go on. */
void gst_revbuf_planner_start_over (GstRevBufPlanner * planner,
    const GstAudioInfo * info, const GstRevBufSettings * settings);

/* What upstream's side is to be opened with, where the stream begins with
 * @first_frame. */
GstRevBufRun *gst_revbuf_planner_new_head (GstRevBufPlanner * planner,
    gint64 first_frame);

/* What is heard next lies at @boundary, in @direction. */
void gst_revbuf_planner_jump (GstRevBufPlanner * planner, gint64 boundary,
    TimeDSPDirection direction);

/* Whether upstream has gone on to another stream, as in an Ogg file of several:
 * a seek may end up there. Sets the error. */
gboolean gst_revbuf_planner_is_followed (GstRevBufPlanner * planner);

/* Joins a run that is done to the block cache; @index is heard next, in
 * @direction. */
GstRevBufPlannerResult gst_revbuf_planner_admit (GstRevBufPlanner * planner,
    TimeDSPDirection direction, gint64 index);

/* Has more fetched where there is too little ahead of @index inside @pass. */
GstRevBufPlannerResult gst_revbuf_planner_fill (GstRevBufPlanner * planner,
    TimeDSPDirection direction, gint64 index, const TimeDSPRange * pass);

/* Frames from @index on in @direction that may be heard, as they lie in its
 * block; 0: none yet. */
gint64 gst_revbuf_planner_ready_frames (GstRevBufPlanner * planner,
    TimeDSPDirection direction, gint64 index);

G_END_DECLS
#endif /* GST_REVBUF_BLOCKPLANNER_H */
