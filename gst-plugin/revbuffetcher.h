/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * revbuffetcher: has the blocks around the frame that is heard fetched, and
 * verifies every seam between them.
 */

#ifndef REV_BUF_FETCHER_H
#define REV_BUF_FETCHER_H

#include "revbufinlet.h"
#include "revbufsettings.h"
#include "revbufwindow.h"

G_BEGIN_DECLS

/* What has been counted since the stream began. */
typedef struct
{
  guint64 blocks;
  guint64 seams_verified, seams_aligned, seams_crossfaded;
  guint64 prerolls_widened;
  gint64 preroll_frames;
} RevBufStats;

typedef enum
{
  REV_BUF_FETCHER_IDLE,         /* nothing to do for now */
  REV_BUF_FETCHER_ACTIVE,       /* something has been done */
  REV_BUF_FETCHER_FAILED        /* see error */
} RevBufFetcherResult;

/**
 * RevBufFetcher:
 *
 * Belongs to the thread that plays; @stats is written under the lock of
 * @meeting.
 *
 * @edge: where the first block of an empty window is to end (BACKWARD) or
 *   begin; TIMEDSP_UNKNOWN: at the end of the stream
 * @floor_frame: where the stream begins; upstream is not asked for less
 * @head: (nullable): the beginning of the stream as a fresh decoder gives it: no
 *   seek brings that back, for some decoders keep part of their state
 * @trusts_head: nobody has seeked, or a fetch since then has shown that seeks
 *   lead into the stream that the head belongs to. Those of an editor need not
 * @exhausted: an empty window stays empty: there is nothing at @edge
 * @odd_seams: (nullable) (element-type gint64): frames at which takes that have
 *   nothing in common meet, of which a message has told
 */
typedef struct
{
  GstElement *element;
  RevBufMeeting *meeting;
  RevBufInlet *inlet;
  RevBufWindow window;
  RevBufStats stats;
  GError *error;

  gint64 floor_frame;
  RevBufTake *head;
  gboolean awaits_head, trusts_head;

  GstAudioInfo info;
  TimeDSPFetchLimits limits;
  gint64 automatic_preroll_frames;
  gboolean exact;
  gboolean never_repeats;       /* the decoder, whatever the preroll */

  TimeDSPDirection direction;   /* of the jump */
  TimeDSPDirection playing;     /* of play, as of the last call */
  gint64 edge;
  GstClockTime duration_ns;     /* of the segment, if upstream does not answer */
  gint64 estimate;              /* of the end, where that is not known */
  guint attempt;
  guint blocks;                 /* since the jump */
  gint64 reach_frames;          /* seeks go back by that much more */
  gboolean in_flight;           /* a take for this window */
  gboolean exhausted;
  GArray *odd_seams;
} RevBufFetcher;

void rev_buf_fetcher_init (RevBufFetcher * fetcher, GstElement * element,
    RevBufInlet * inlet, RevBufMeeting * meeting);

void rev_buf_fetcher_clear (RevBufFetcher * fetcher);

/* A new stream of audio like @info. */
void rev_buf_fetcher_start (RevBufFetcher * fetcher, const GstAudioInfo * info,
    const RevBufSettings * settings);

/* Somebody else has seeked: what was known of the stream need not be true of what
 * comes now, which is like @info. The counts go on. */
void rev_buf_fetcher_start_over (RevBufFetcher * fetcher,
    const GstAudioInfo * info, const RevBufSettings * settings);

/* What the inlet is to be opened with, where the stream begins with
 * @first_frame. */
RevBufTake *rev_buf_fetcher_new_head (RevBufFetcher * fetcher,
    gint64 first_frame);

/* What is heard next lies at @edge, in @direction. */
void rev_buf_fetcher_jump (RevBufFetcher * fetcher, gint64 edge,
    TimeDSPDirection direction);

/* Whether upstream has gone on to another stream, as in an Ogg file of several:
 * a seek may end up there. Sets the error. */
gboolean rev_buf_fetcher_is_followed (RevBufFetcher * fetcher);

/* Joins a take that is done to the window; @place is heard next, in
 * @direction. */
RevBufFetcherResult rev_buf_fetcher_admit (RevBufFetcher * fetcher,
    TimeDSPDirection direction, gint64 place);

/* Has more fetched where there is too little ahead of @place inside @lap. */
RevBufFetcherResult rev_buf_fetcher_fill (RevBufFetcher * fetcher,
    TimeDSPDirection direction, gint64 place, const TimeDSPRange * lap);

/* Frames from @place on in @direction that may be heard, as they lie in its
 * block; 0: none yet. */
gint64 rev_buf_fetcher_ready_frames (RevBufFetcher * fetcher,
    TimeDSPDirection direction, gint64 place);

G_END_DECLS
#endif /* REV_BUF_FETCHER_H */
