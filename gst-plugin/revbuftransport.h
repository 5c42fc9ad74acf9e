/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * revbuftransport: where play is in the stream, which way it goes, and where
 * its laps end.
 */

#ifndef REV_BUF_TRANSPORT_H
#define REV_BUF_TRANSPORT_H

#include "revbuffetcher.h"
#include "revbufleg.h"
#include "revbufrequest.h"

G_BEGIN_DECLS

/**
 * RevBufTransport:
 * @settings: those of the element, under its object lock
 * @segment: what is being served
 * @sought: direction of the last seek, or of the beginning
 * @loop, @lap: what is played up to its end, and what happens there
 * @place: heard next, among the places of the window; valid where @placed
 * @last: heard last; valid where @heard
 * @leg_started: the segment of this leg has been sent
 * @lap_heard: some of the lap has been
 * @empty_laps: nothing has been heard of so many, one after the other
 *
 * Belongs to the thread that plays.
 */
typedef struct
{
  GstRetroFilter *filter;
  const RevBufSettings *settings;
  RevBufFetcher fetcher;
  RevBufLeg leg;
  GstSegment segment;
  guint32 seqnum;
  TimeDSPDirection direction, sought;
  TimeDSPLoop loop;
  TimeDSPRange lap;
  gint64 place, last;
  gboolean placed, heard;
  gboolean leg_started, lap_heard;
  guint empty_laps;
  GstClockTime marker_start_ns, marker_stop_ns; /* that were warned of */
} RevBufTransport;

/* Play begins anew, in audio like @info. */
void rev_buf_transport_open (RevBufTransport * transport,
    const GstAudioInfo * info, GstClockTime base_ns);

/* Goes where @request wants; with @flushing, running time begins at 0. */
void rev_buf_transport_serve (RevBufTransport * transport,
    const RevBufRequest * request, gboolean flushing);

/* The frame after n is n - 1, or n + 1. */
void rev_buf_transport_turn (RevBufTransport * transport,
    TimeDSPDirection direction);

/* Sets the lap anew where a loop has been switched on or off: markers that move
 * wait for the next lap, but the switch acts at once. FALSE: it was not. */
gboolean rev_buf_transport_follow_switch (RevBufTransport * transport);

/* Takes in what has arrived and has more fetched. */
RevBufFetcherResult rev_buf_transport_fetch (RevBufTransport * transport);

/* Edge of the stream where play is; TIMEDSP_UNKNOWN: its unknown end. */
gint64 rev_buf_transport_get_edge (const RevBufTransport * transport);

/* Frame of the stream at @time_ns; TIMEDSP_UNKNOWN for NONE. */
gint64 rev_buf_transport_frame_at (const RevBufTransport * transport,
    GstClockTime time_ns);

/* Frames that can be sent now, of this block and this lap. */
gint64 rev_buf_transport_ready_frames (RevBufTransport * transport);

/* Sends the segment where one is due. */
void rev_buf_transport_start_leg (RevBufTransport * transport);

/* Sends @n_frames, and moves on. */
GstFlowReturn rev_buf_transport_send (RevBufTransport * transport,
    gint64 n_frames);

/* Whether nothing of the lap is left. */
gboolean rev_buf_transport_is_at_end (RevBufTransport * transport);

/* Whether there is no end to be found of a stream that has begun. */
gboolean rev_buf_transport_has_lost_stream (const RevBufTransport * transport);

/* Goes on with the next lap; FALSE: there is none. */
gboolean rev_buf_transport_next_lap (RevBufTransport * transport);

G_END_DECLS
#endif /* REV_BUF_TRANSPORT_H */
