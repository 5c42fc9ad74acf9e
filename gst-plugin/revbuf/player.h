/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * player: mode=seek. The task of the source pad plays the stream in either direction, from blocks
 * that it fetches from upstream with seeks.
 *
 * While the player is active, it takes everything that reaches the sink pad, and only its task
 * sends downstream, except for flushes. The thread that sends holds the stream lock of the source
 * pad. The task releases it for seeks upstream, queries, messages and waits, and then looks at its
 * input again. See docs/internals/threads.md.
 */

#pragma once

#include "revbuf/tape.h"

/* What to play next: a seek, or the first segment. */
typedef struct
{
  TimeBlocksMove move;
  gboolean is_backward;
  gdouble rate;                 /* of the seek. Below 0, it reverses the requested direction */
  GstClockTime start_ns, stop_ns;       /* in stream time. Stop NONE: the end */
  GstClockTime duration_ns;     /* of the stream. NONE: not known */
  gint64 last_frame;            /* START: playback continues after this frame */
  TimeBlocksFormat format;      /* of the stream, if it may be a different one. Else rate 0 */
  guint32 seqnum;
  GstSegmentFlags flags;        /* RESET: it's flushing */
  gboolean is_first;            /* playback of the stream begins with it */
} GstRevBufRequest;

/* What the application wants, and the task hasn't taken yet. */
struct _GstRevBufInput
{
  gboolean has_request, has_resume;
  GstRevBufRequest request;     /* the latest */
  GstRevBufRequest resume;      /* a later one, which keeps the position of `request` */
  gboolean has_settings;        /* there are new ones */
  gboolean has_direction_change; /* `direction` or `speed` has changed */
  gboolean has_scrub;
  gboolean ends_scrub;          /* `speed` was set after the task took the last scrub */
  GstClockTime scrub_ns, scrub_duration_ns;
  gboolean has_stop;            /* the application has sent EOS, so the output has to end */
  guint32 stop_seqnum;
};

/* What upstream is doing. It fills one decode at a time, and waits in between. */
typedef enum
{
  UPSTREAM_PARKED,              /* it waits before `next_frame`, or has ended there */
  UPSTREAM_ASKED,               /* a seek is on its way. Buffers are still from before it, and are
                                 * refused as in a flush */
  UPSTREAM_REFUSED,             /* a flush has made it refuse the seek. FLUSH_STOP will follow */
  UPSTREAM_AGAIN,               /* the seek must be repeated */
  UPSTREAM_ANSWERED,            /* the flush is over. A segment follows */
  UPSTREAM_FILLING
} GstRevBufUpstream;

typedef enum
{
  NOT_ENDED,
  SEGMENT_ENDED,                /* only the part that we fetched */
  STREAM_ENDED
} GstRevBufEnd;

/* The state of upstream. */
typedef struct
{
  GstRevBufUpstream upstream;
  GstRevBufEnd end;             /* if PARKED: what has ended */
  gint64 next_frame;            /* if PARKED */
  gboolean is_followed;         /* another stream has begun, so we can't seek in this one */
  gboolean next_waits;          /* that stream waits until this one has been sent */
  gboolean is_fetched;          /* the audio comes from one of our seeks */
  gboolean is_last;             /* the seek only lets upstream reach its end. See fetch_last() */
  gboolean is_rest;             /* and its audio is collected. See collect_rest() */
  gboolean is_flushing;
  gboolean is_let_go;           /* we don't need any more audio */
  gboolean is_broken;           /* it has sent something that we can't use */
  gboolean is_contested;        /* another revbuf is seeking in the same source */
  GstEventType awaited;         /* FLUSH_STOP or SEGMENT of a foreign flush. UNKNOWN: none */
} GstRevBufInflow;

/* The state of the output. Belongs to the task. */
typedef struct
{
  GstSegment segment;           /* its rate is that of the next frames */
  gboolean is_sent;             /* the segment of the next frames has been sent */
  GstClockTime bound_ns, bound_stop_ns; /* the frame boundaries nearest to its start and stop */
  GstClockTime shift_ns;        /* from a time of `clock` to a timestamp, modulo 2^64. Backwards,
                                 * it includes how far the stop is from its boundary, because the
                                 * output begins there */
  GstRetroClock clock;          /* times of frames */
  GstClockTime base_ns;         /* running time where `n_frames` starts counting */
  guint64 n_frames;             /* number sent since then, at the same rate */
  gboolean is_broken;           /* the next frames don't continue the last ones */
} GstRevBufOutput;

struct _GstRevBufPlayer
{
  GstRevBuf *revbuf;

  GMutex lock;
  GCond changed;

  /* ---- under the lock ---- */
  guint changes;
  gboolean is_active;           /* atomic, so you can read it without the lock */
  gboolean is_starting;         /* its thread is being started */
  gboolean is_stopping;

  /* what the application wants */
  GstSegment asked;             /* as a source would keep it */
  GstRevBufInput input;
  guint open_flushes;           /* seeks that haven't sent FLUSH_STOP yet */
  gboolean restarts_time;       /* a flush has set running time to `restart_ns` */
  GstClockTime restart_ns;

  /* upstream */
  GstRevBufInflow in;
  gint64 last_stop_frame;       /* if `is_last`: the frame at which upstream may stop */
  GstFlowReturn after;          /* what we return for buffers if `is_let_go` */
  gboolean is_bounded;          /* upstream sends nothing unless a seek has a stop */
  TimeDecode *decode;           /* (nullable) being filled */
  TimeDecode *next;             /* (nullable) for the seek that's on its way */
  TimeDecode *arrived;          /* (nullable) complete */
  guint32 seqnum;               /* of the latest fetch */
  GThread *fetching;            /* (nullable) the task, while it sends a seek */
  GstSegment segment;           /* of the sink pad */
  TimeBlocksFormat format;
  GPtrArray *formats;           /* (element-type GstAudioInfo) the ids of formats point into it */
  GQueue events;                /* to be sent before the next frames */

  /* seeks that were sent upstream while the player wasn't active */
  GHashTable *open_seeks;       /* seqnums */
  guint32 last_seek;            /* seqnum of the last one. INVALID: none */
  gboolean last_seek_limits;    /* it set a stop */
  guint segments;               /* number that have arrived */
  GstClockTime begin_ns;        /* of the stream. NONE: not known yet */
  gboolean skips_audio;         /* the segment doesn't begin with the stream */
  gboolean stop_is_own;         /* we've set the stop, not the application. We play from there
                                 * back to the beginning */
  gboolean is_limited;          /* the application has set a stop */

  /* for other threads */
  GstClockTime passed_ns;       /* end of the audio that we've passed, in the segment */
  GstClockTime playhead_ns;     /* stream time to report from a seek until its first buffer, and
                                 * while the tape plays */
  TimeBlocksState state;        /* only the task changes it */

  /* ---- under the stream lock of the source pad ---- */
  guint sends;                  /* how many times its holder has begun to send */
  guint open_stops;             /* FLUSH_STOPs to send when it stops sending */
  guint32 flush_seqnum;
  gboolean is_opening;          /* a new stream begins */
  GstClockTime base_ns;         /* running time of its start */
  GstClockTime record_ns, record_stop_ns;       /* the range to record at its start, or NONE */
  GstRevBufRequest served;      /* only the task changes it */

  /* ---- the task ---- */
  TimeBlocks *blocks;           /* NULL: memory couldn't be allocated */
  GstRevBufInflow seen;         /* a copy of `in` */
  GstRevBufOutput out;
  GstRevBufTape tape;
  gdouble rate_factor;          /* factor of the playback rate: from `speed` with speed-mode=rate,
                                 * else 1 */
  GstClockTime fetch_ns, fetch_stop_ns; /* of the latest fetch */
  gint64 estimate_frame;        /* of the end, once we've asked upstream for it. Else UNKNOWN */
  enum
  { STAGE_STOPPED, STAGE_PLAYING, STAGE_COLLECTING, STAGE_ENDING, STAGE_LEAVING,
    STAGE_PARTING
  } stage;
  gboolean ends_stream;         /* playback ends with EOS, even in a segment seek */
  gboolean is_stopped;          /* by EOS from the application */
  TimeBlocksReport failure;
  gboolean has_failure;
  gboolean is_recording;        /* we're recording the start of the stream */
  gboolean must_open_segment;   /* the application has asked for a segment seek */
  gint64 recorded_frames;       /* at the start of the stream */
  guint64 pass_frames;          /* sent in this pass */
  guint n_fetches;              /* since we last sent frames */
  gboolean begins_at_end;       /* the pass began at the end, and we didn't know where that is */
  gboolean tells_direction_change, tells_loop_pass; /* to be posted with the next segment */
  GstClockTime promise_ns;      /* the duration that upstream states. NONE: unknown, or already
                                 * compared */
  gboolean has_reported_end;
};

/* Holds the lock until the end of the enclosing C block. */
#define PLAYER_LOCK(player) GST_RETRO_HOLD (&(player)->lock)

/* Wakes everything that's waiting for the player. Hold the lock. */
static inline void
gst_revbuf_player_changed (GstRevBufPlayer * player)
{
  player->changes++;
  g_cond_broadcast (&player->changed);
}

/* Returns TRUE if the player takes what arrives at the sink pad. */
static inline gboolean
gst_revbuf_player_is_active (GstRevBufPlayer * player)
{
  return g_atomic_int_get (&player->is_active);
}

/* Failures that don't come from the blocks. */
enum
{
  GST_REVBUF_IS_CONTESTED = TIMEBLOCKS_NO_AUDIO + 1,
  GST_REVBUF_IS_FOLLOWED,
  GST_REVBUF_SEEK_REFUSED,
  GST_REVBUF_IS_ENDLESS
};

/* ---- player.c: states ----------------------------------------------------------- */

GstRevBufPlayer *gst_revbuf_player_new (GstRevBuf * revbuf);
void gst_revbuf_player_free (GstRevBufPlayer * player);

/* Call this before the pads are activated. If there's no memory, posts an error and returns
 * FALSE. */
gboolean gst_revbuf_player_open (GstRevBufPlayer * player);

/* Call this before the pads are deactivated. Wakes all waiting threads, and nothing starts after
 * it. */
void gst_revbuf_player_close (GstRevBufPlayer * player);

/* Call this after the pads have been deactivated. Ends the thread. */
void gst_revbuf_player_stop (GstRevBufPlayer * player);

/* Starts the thread. Set `is_starting` first, and don't hold any locks. */
gboolean gst_revbuf_player_start_thread (GstRevBufPlayer * player);

/* Frees everything that belongs to the stream. Hold the lock. */
void gst_revbuf_player_clear (GstRevBufPlayer * player);

/* ---- player.c: for the tape ---------------------------------------------------- */

/* Copies the state of the blocks to `state`, for the task and other threads. */
void gst_revbuf_player_refresh (GstRevBufPlayer * player);

/* Call this when the pass is over. Begins the next one, or ends playback. */
void gst_revbuf_player_finish_pass (GstRevBufPlayer * player);

/* Fails with a TimeBlocksCode, or one of the codes above. */
void gst_revbuf_player_fail (GstRevBufPlayer * player, guint code);

/* Ends playback if a push has returned an error. */
void gst_revbuf_player_note_flow (GstRevBufPlayer * player, GstFlowReturn ret);

/* ---- playerfetch.c: the task, unless it says otherwise ---------------------------------- */

/* The seqnum that a new revbuf's fetches count up from. Any thread. */
guint32 gst_revbuf_fetch_seqnum (void);

/* Returns TRUE if @seqnum belongs to a fetch: of any revbuf in the process, or of this one. Any
 * thread. */
gboolean gst_revbuf_is_fetch (guint32 seqnum);
gboolean gst_revbuf_player_is_own (GstRevBufPlayer * player, guint32 seqnum);

/* Asks the blocks what they need, and fetches it. Returns FALSE if they don't need anything.
 * @arrived: (nullable): a decode that has arrived for them. */
gboolean gst_revbuf_player_fetch_wanted (GstRevBufPlayer * player,
    TimeDecode * arrived);

/* Sends the seek for the latest fetch. */
void gst_revbuf_player_fetch (GstRevBufPlayer * player);

/* If it's time to, lets upstream reach its end. Returns whether it was. */
gboolean gst_revbuf_player_fetch_last (GstRevBufPlayer * player);

/* Frees the decodes that are on their way. Hold the lock. */
void gst_revbuf_player_drop_decodes (GstRevBufPlayer * player);

/* Returns TRUE if we may hand over to the next stream. */
gboolean gst_revbuf_player_may_hand_over (GstRevBufPlayer * player,
    const GstRevBufInflow * in);

/* Decodes from the start of the stream to get what's left to play, for mode=collect. */
void gst_revbuf_player_collect_rest (GstRevBufPlayer * player);

/* ---- player.c: sending ------------------------------------------------------------- */

/* No other thread sends until gst_revbuf_player_end_sending(). Calls may be nested. */
void gst_revbuf_player_begin_sending (GstRevBufPlayer * player);
void gst_revbuf_player_end_sending (GstRevBufPlayer * player);

/* ---- playerinput.c: upstream's threads ----------------------------------------------- */

/* Ends the output after EOS from the application, if the player is active. Hold the lock. */
void gst_revbuf_player_end (GstRevBufPlayer * player, guint32 seqnum);

/* Adds @buffer (transfer full) to the decode, or drops it. Waits until it's needed. */
GstFlowReturn gst_revbuf_player_chain (GstRevBufPlayer * player,
    GstBuffer * buffer);

/* If the player is active and needs @event, takes it (transfer full) and returns TRUE. Otherwise,
 * notes it and returns FALSE. If another stream starts, waits here until the current one has been
 * sent. */
gboolean gst_revbuf_player_take_event (GstRevBufPlayer * player,
    GstEvent * event);

/* Returns TRUE if STREAM_START @event begins a different stream from the one on @sinkpad. */
gboolean gst_revbuf_is_other_stream (GstPad * sinkpad, GstEvent * event);

/* Ends the decode that is being filled. Hold the lock. */
void gst_revbuf_player_end_decode (GstRevBufPlayer * player);

/* Sets whether buffers are forwarded unchanged. Returns FALSE, and changes nothing, if the
 * player has become active. */
gboolean gst_revbuf_player_set_passes_through (GstRevBufPlayer * player,
    gboolean passes);

/* ---- playerrequest.c: any thread ------------------------------------------------------------ */

/* Starts to play with the seek @event or, if it's NULL, where we stopped passing audio through.
 * @info: the format. Returns FALSE if the seek isn't valid, if the element is stopping, or if a
 * flush or a seek is on its way. */
gboolean gst_revbuf_player_start (GstRevBufPlayer * player,
    const GstAudioInfo * info, GstEvent * event);

/* If the player is active, serves the seek @event. Otherwise, the player may start with it. Sets
 * *@ret. Returns FALSE if the seek has to go upstream. */
gboolean gst_revbuf_player_seek (GstRevBufPlayer * player, GstEvent * event,
    gboolean * ret);

/* The duration of the current stream if we've seen its end, else NONE. Hold the lock. */
GstClockTime gst_revbuf_player_duration (GstRevBufPlayer * player);

/* Notes the SEGMENT @event of a stream that we pass through. Hold the lock. */
void gst_revbuf_player_pass_segment (GstRevBufPlayer * player,
    GstEvent * event);

/* Plays the segment of the sink pad, which answers the foreign seek @seqnum. Hold the lock. */
void gst_revbuf_player_play_segment (GstRevBufPlayer * player, guint32 seqnum,
    GstClockTime duration_ns);

/* Continues from the current position. Playback was waiting for the segment of a foreign seek,
 * but a fetch has replaced that seek, so the segment won't arrive. Hold the lock. */
void gst_revbuf_player_resume (GstRevBufPlayer * player);

/* ---- playersegment.c: the output, in the task --------------------------------------------- */

/* Running time of the next frame. */
GstClockTime gst_revbuf_output_running_time (const GstRevBufOutput * out);

/* Sets the playback rate of the next frames. */
void gst_revbuf_output_set_rate (GstRevBufOutput * out, gdouble rate);

/* Sets up `out` with the segment for the rest of the pass. */
void gst_revbuf_player_begin_segment (GstRevBufPlayer * player);

/* Sends the segment for the next frames if it hasn't been sent, or if the rest of the pass
 * doesn't fit in it. */
void gst_revbuf_player_send_segment (GstRevBufPlayer * player);

/* Sends the segment in `out`. */
void gst_revbuf_player_push_segment (GstRevBufPlayer * player);

/* Posts the messages for a direction change and a loop pass, if there were any. */
void gst_revbuf_player_tell_news (GstRevBufPlayer * player);

/* Sends @buffer (transfer full) of @n_frames. */
GstFlowReturn gst_revbuf_player_send_buffer (GstRevBufPlayer * player,
    GstBuffer * buffer, gsize n_frames);

/* Sends @span. */
GstFlowReturn gst_revbuf_player_send_frames (GstRevBufPlayer * player,
    const TimeBlocksSpan * span);

/* Stream time of the boundary @frame. If that's nearest to a time that the seek asked for,
 * returns exactly that time. */
GstClockTime gst_revbuf_player_time_of (GstRevBufPlayer * player, gint64 frame);

/* Sends the events that were waiting for the next frames, except those that downstream already
 * has: decoders repeat their tags after each seek. You need the right to send. */
void gst_revbuf_player_send_waiting (GstRevBufPlayer * player);

/* Sends EOS or, if the application asked for a segment seek, SEGMENT_DONE. */
void gst_revbuf_player_send_end (GstRevBufPlayer * player);

/* ---- source.c ------------------------------------------------------------------------------ */

/* Properties of the elements upstream of a sink pad. */
typedef struct
{
  /* An element such as a demuxer or a tee feeds other branches, too. Those branches may
   * wait for this branch, and this branch may wait for them. */
  gboolean is_shared;
  /* If one branch returns GST_FLOW_EOS, all branches end, as after a tee or a deinterleave.
   * A demuxer would continue with the other branches. */
  gboolean ends_together;
  /* A demuxer has other streams, linked or not. The duration that it reports is
   * then the duration of the longest one. */
  gboolean has_others;
  gboolean is_pulled, refuses_segments; /* some pad or element upstream */
  /* Upstream works in pull mode, so it can send SEGMENT_DONE at the right time after a
   * segment seek. It may still refuse such a seek. In push mode, the segment of the source is
   * in bytes, and wavparse ends it without SEGMENT_DONE. */
  gboolean ends_segments;
  /* After the end of playback, we keep upstream blocked, which doesn't disturb
   * any other branch. If we released it, it would send EOS, and a player would
   * skip to its next song. That wouldn't be played either, so the player would
   * skip through all of its songs. */
  gboolean is_held;
  /* A pad upstream, or the sink pad itself, is flushing and therefore refuses
   * seeks. Its FLUSH_START has arrived at the sink pad, or will arrive. */
  gboolean is_flushing;
  /* A web server doesn't serve parts of a file: its response doesn't have the
   * header `Accept-Ranges: bytes` (RFC 9110, 14.3), and isn't a part itself
   * (status 206). */
  gboolean lacks_ranges;
  gboolean cuts_frames;         /* after a seek, audio begins in the middle of a frame */
} GstRevBufNeighbours;

/* Examines all elements upstream. Don't keep the result, because elements may be added or
 * relinked later. May be called in any thread. */
GstRevBufNeighbours gst_revbuf_examine (GstPad * sinkpad);

/* The mutex that serializes the seeks of all revbufs in @pipeline, because two flushing seeks at
 * the same time can block a queue indefinitely: FLUSH_STOP of one seek restarts the thread of the
 * queue, while FLUSH_START of the other seek waits until this thread has stopped (GStreamer
 * 1.22). */
GMutex *gst_revbuf_source_seeks_of (GstObject * pipeline);
