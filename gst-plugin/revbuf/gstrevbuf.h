/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * revbuf: the element.
 *
 *   gstrevbuf.c      states and properties
 *   stream.c         events and buffers from upstream, and how to play them
 *   seeks.c          seeks and queries from downstream
 *   chunk.c, collect.c   two of the modes
 *   player.c, playerinput.c   mode=seek: its task, and what other threads tell it
 *   tape.c           plays at any speed, by resampling what the player reads
 *   source.c         the elements upstream
 *   report.c         messages
 *
 * The player takes care of times and events, and the blocks (timeblocks.h) take care of frames.
 *
 * While the player is active, it takes everything that reaches the sink pad, and only its task
 * sends downstream, except for flushes. The thread that sends holds the stream lock of the source
 * pad. The task releases it for seeks upstream, queries, messages and waits, and then looks at its
 * input again. See docs/internals/threads.md.
 */

#pragma once

#include "common/autolock.h"
#include "common/framestore.h"
#include "common/inputstream.h"
#include "common/outputstream.h"
#include "common/padwalk.h"
#include "common/pcmbuffer.h"
#include "common/properties.h"
#include "common/segment.h"
#include "common/workarounds.h"

#include <timeblocks.h>
#include <timespeed.h>

typedef enum
{
  GST_REVBUF_MODE_AUTO,
  GST_REVBUF_MODE_SEEK,
  GST_REVBUF_MODE_COLLECT,
  GST_REVBUF_MODE_CHUNK
} GstRevBufMode;

typedef struct
{
  TimeDSPDirection direction;
  gdouble speed;                /* its sign agrees with `direction`, except at 0 */
  gboolean changes_rate;        /* speed-mode=rate */
  guint quality;                /* 0 … 10 */
  GstRevBufMode mode;
  GstClockTime block_time_ns;   /* NONE: automatic */
  GstClockTime preroll_time_ns; /* NONE: automatic */
  gboolean is_smooth;           /* seam=smooth */
  TimeDSPLoop loop;
  GstClockTime loop_start_ns;
  GstClockTime loop_stop_ns;    /* NONE: the end */
  GstRetroStorage storage;
} GstRevBufSettings;

/* How the element handles a stream when the player isn't playing it. */
typedef enum
{
  GST_REVBUF_PASS_THROUGH,              /* reversed only if upstream delivers it backwards */
  GST_REVBUF_PLAY,              /* the player starts once we know where the stream ends */
  GST_REVBUF_COLLECT,
  GST_REVBUF_CHUNK
} GstRevBufStreamMode;

/* ---- the player's types ------------------------------------------------------ */

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
typedef struct
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
} GstRevBufPending;

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
  GstRetroClock clock;          /* times of frames */
  GstClockTime base_ns;         /* running time where `n_frames` starts counting */
  guint64 n_frames;             /* number sent since then, at the same rate */
  gboolean is_broken;           /* the next frames don't continue the last ones */
} GstRevBufOutput;

/* The frames around the current position, in the order that the tape plays them at a positive speed.
 * Loops are unrolled: their passes follow each other, so the tape can resample across a marker.
 *
 * Terms
 *   place   the number of a frame in that order
 *   frame   its number in the stream
 *   side    1: after the window, -1: before it */

/* Consecutive frames: place `first` has frame `frame`, the next one frame `frame` + `step`. */
typedef struct
{
  gint64 first;
  gint64 frame;
  gint step;                    /* 1 or -1 */
} GstRevBufPass;

typedef struct
{
  TimeBlocksFormat format;
  guint8 *samples;              /* (nullable) one plane after another */
  gint64 capacity_frames;
  gint64 first, end;            /* places */
  GArray *passes;               /* (nullable) (element-type GstRevBufPass) never empty */
} GstRevBufWindow;

/* The lowest playback rate with speed-mode=rate. Any slower, sound that keeps its pitch is just a
 * drone, so the tape rests instead. */
#define GST_REVBUF_MIN_RATE 0.05

/* GStreamer doesn't allow an applied rate of 0, so we send this one at rest. */
#define GST_REVBUF_REST_RATE 0.01

typedef struct
{
  gboolean is_running;
  gdouble speed;                /* as it was set */
  gboolean resamples;           /* FALSE: the playback rate changes instead (speed-mode=rate) */
  guint quality;
  gboolean is_curved;           /* a GstController changes the speed */
  gboolean has_warned;          /* about a format that can't be resampled */

  TimeSpeed *reader;            /* (nullable) */
  TimeSpeedState state;
  gdouble target;               /* the speed that we gave the reader */
  gint sign;                    /* of the speed, while the player plays without the tape. On the
                                 * way back in a ping-pong loop, the blocks go the other way */

  /* the last scrub that was requested */
  gboolean is_scrubbing;
  GstClockTime scrub_ns, scrub_duration_ns;     /* NONE: the reader has it */

  GstRevBufWindow window;
  gint side;                    /* of the window that the blocks extend next. 0: neither */
  gint direction;               /* that the blocks are reading in */
  gint64 start_limit, end_limit;        /* places: there's nothing to read beyond them */

  /* the segment that was sent */
  GstClockTime origin_ns;       /* stream time of its first frame */
  gboolean is_settled;          /* the speed hasn't changed since then */
} GstRevBufTape;

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
  gboolean has_revbuf;          /* another one */
  /* A web server doesn't serve parts of a file: its response doesn't have the
   * header `Accept-Ranges: bytes` (RFC 9110, 14.3), and isn't a part itself
   * (status 206). */
  gboolean lacks_ranges;
  gboolean cuts_frames;         /* after a seek, audio begins in the middle of a frame */
} GstRevBufNeighbours;

/* Failures that don't come from the blocks. */
enum
{
  GST_REVBUF_IS_CONTESTED = TIMEBLOCKS_NO_AUDIO + 1,
  GST_REVBUF_IS_FOLLOWED,
  GST_REVBUF_SEEK_REFUSED,
  GST_REVBUF_SEEKS_DIFFER
};

/* ---- the element --------------------------------------------------------------- */

typedef struct _GstRevBufCollect GstRevBufCollect;
typedef struct _GstRevBufChunk GstRevBufChunk;

#define GST_TYPE_REVBUF (gst_revbuf_get_type ())
G_DECLARE_FINAL_TYPE (GstRevBuf, gst_revbuf, GST, REVBUF, GstElement);

struct _GstRevBuf
{
  GstElement parent;
  GstPad *sinkpad, *srcpad;

  /* under the object lock */
  GstRevBufSettings settings;
  gdouble velocity;             /* of the output, for #revbuf:current-speed. Never -0 */
  TimeDSPDirection current_direction;
  GstClockTime latency_ns;      /* added by the element */
  guint64 spilled_bytes;        /* of the last stream that mode=collect has stored */
  gulong end_probe;
  GstRevBufStreamMode stream_mode; /* only the streaming thread changes it */
  GstClockTime first_ns;        /* stream time of the first output. NONE: the end of the stream */

  gint is_untimed;              /* atomic: the segment isn't in TIME */
  gint wants_player;            /* atomic: the settings ask for the player, if the stream
                                 * can seek */
  gint has_scrubbed;            /* atomic: so we need the player */
  gint direction_has_changed;   /* atomic: `direction` has changed */
  gint distrusts_seeks;         /* atomic: in this stream, they end up in the wrong place */

  /* upstream's streaming thread */
  GstRetroInput input;
  GstRetroOutput output;
  gboolean passes;              /* atomic: buffers are forwarded unchanged */
  gint has_warned;              /* atomic: about something that this segment can't do */
  gboolean is_refused;          /* the segment isn't in TIME, and we've posted that */
  GQueue held;                  /* buffers */
  guint64 held_frames;
  GstRevBufCollect *collect;    /* (nullable) */
  GstClockTime owed_ns;         /* we've already had audio up to this time, so what we collect
                                 * must reach it. NONE: nothing */
  GstRevBufChunk *chunk;        /* (nullable) */
  GstClockTime chunk_ns;        /* length of a block in mode=chunk, else 0 */

  /* under the stream lock of the source pad */
  gint64 shift_ns;              /* added to running time between the input and the output */
  GstClockTime next_base_ns;    /* of the next segment. NONE: the same as in the input */

  /* ---- the player: under `lock` ---- */
  GMutex lock;
  GCond changed;
  guint changes;
  gboolean is_active;           /* atomic, so you can read it without the lock */
  gboolean is_starting;         /* its thread is being started */
  gint has_told_of_wait;        /* atomic */
  gboolean is_stopping;

  /* what the application wants */
  GstSegment asked;             /* as a source would keep it */
  GstRevBufPending pending;
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

  /* ---- the player: under the stream lock of the source pad ---- */
  guint sends;                  /* how many times its holder has begun to send */
  guint open_stops;             /* FLUSH_STOPs to send when it stops sending */
  guint32 flush_seqnum;
  gboolean is_opening;          /* a new stream begins */
  GstClockTime base_ns;         /* running time of its start */
  GstClockTime record_ns, record_stop_ns;       /* the range to record at its start, or NONE */
  GstRevBufRequest served;      /* only the task changes it */

  /* ---- the player: its task ---- */
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

/* Wakes everything that's waiting for the player. Hold the lock. */
static inline void
gst_revbuf_changed (GstRevBuf * self)
{
  self->changes++;
  g_cond_broadcast (&self->changed);
}

GST_DEBUG_CATEGORY_EXTERN (gst_revbuf_debug);
#define GST_CAT_DEFAULT gst_revbuf_debug

/* Converts @time_ns to a frame number for the blocks. NONE becomes UNKNOWN. */
static inline gint64
gst_revbuf_frame_at (GstClockTime time_ns, gint rate)
{
  return GST_CLOCK_TIME_IS_VALID (time_ns) ?
      gst_retro_frame_at (time_ns, rate) : TIMEDSP_UNKNOWN;
}

/* ---- gstrevbuf.c: any thread ------------------------------------------------ */

/* A copy of the settings, without the spill directory. */
GstRevBufSettings gst_revbuf_get_settings (GstRevBuf * self);

/* The length of a block in mode=chunk if @is_chunk, else in mode=seek. */
GstClockTime gst_revbuf_block_time (const GstRevBufSettings * settings, gboolean is_chunk);

/* Returns TRUE if #revbuf:current-direction is reverse. */
gboolean gst_revbuf_is_reversed (GstRevBuf * self);

/* Sets #revbuf:current-speed and #revbuf:current-direction. */
void gst_revbuf_set_velocity (GstRevBuf * self, gdouble velocity);

/* ---- stream.c: upstream's streaming thread, unless it says otherwise ---------------- */

gboolean gst_revbuf_sink_event (GstPad * pad, GstObject * parent, GstEvent * event);
GstFlowReturn gst_revbuf_chain (GstPad * pad, GstObject * parent, GstBuffer * buffer);

/* Returns TRUE if upstream is a live source. */
gboolean gst_revbuf_is_live (GstRevBuf * self);

/* Returns NULL if we can fetch blocks of audio in the format @info, or else a sentence that says why
 * not. Its arguments are what happens instead, and the name of the element. Any thread. */
const gchar *gst_revbuf_why_no_seeks (GstRevBuf * self, const GstAudioInfo * info);

/* Call this after `speed` was set or a scrub was requested. If the current mode supports neither,
 * warns once. Any thread. */
void gst_revbuf_warn_of_late_speed (GstRevBuf * self);

/* Lets the player take EOS before the sink pad stores it. Otherwise, if the next seek's flush got
 * lost, the pad would refuse everything after it. We only call this once we may need the player,
 * because a probe slows down every buffer. Any thread. */
void gst_revbuf_take_ends (GstRevBuf * self);

/* Sends @segment and the events that were held back for it, with the running time of the output.
 * Call this again to change the stop of the current segment. Returns TRUE if it was sent without
 * a stop, because there's an encoder downstream. You need the right to send. */
gboolean gst_revbuf_send_segment (GstRevBuf * self, const GstSegment * segment);

/* Pushes @buffer (transfer full), which must have a PTS and a duration. */
GstFlowReturn gst_revbuf_push (GstRevBuf * self, GstBuffer * buffer);

/* Pushes one buffer of frames from @store in reverse order, from frame *@end - 1 down to @first
 * at most. Lowers *@end by the number of frames pushed. @gap: sets the GAP flag on the buffer. */
GstFlowReturn gst_revbuf_push_reversed (GstRevBuf * self, GstRetroStore * store,
    guint64 first, guint64 * end, gboolean gap, GstRetroClock * clock);

/* Restarts running time after a flush. Hold the stream lock of the source pad. */
void gst_revbuf_reset_running_time (GstRevBuf * self);

/* Frees the audio that the modes have stored. */
void gst_revbuf_forget_audio (GstRevBuf * self);

/* Discards the stream and, if @caps_too, its format. */
void gst_revbuf_forget_stream (GstRevBuf * self, gboolean caps_too);

/* ---- seeks.c ------------------------------------------------------------------- */

void gst_revbuf_seeks_init (GstRevBuf * self);

/* ---- player.c: states ----------------------------------------------------------- */

void gst_revbuf_player_init (GstRevBuf * self);
void gst_revbuf_player_finalize (GstRevBuf * self);

/* Call this before the pads are activated. If there's no memory, posts an error and returns
 * FALSE. */
gboolean gst_revbuf_player_open (GstRevBuf * self);

/* Call this before the pads are deactivated. Wakes all waiting threads, and nothing starts after
 * it. */
void gst_revbuf_player_close (GstRevBuf * self);

/* Call this after the pads have been deactivated. Ends the thread. */
void gst_revbuf_player_stop (GstRevBuf * self);

/* ---- player.c: any thread ------------------------------------------------------- */

/* Starts the thread. Set `is_starting` first, and don't hold any locks. */
gboolean gst_revbuf_start_thread (GstRevBuf * self);

/* No other thread sends until gst_revbuf_end_sending(). Calls may be nested. */
void gst_revbuf_begin_sending (GstRevBuf * self);
void gst_revbuf_end_sending (GstRevBuf * self);

/* Waits for `changed`. Warns once if that takes 5 s, and other branches of the source may be
 * waiting for us. Hold the lock. */
void gst_revbuf_wait (GstRevBuf * self);

/* Returns TRUE if @seqnum belongs to a fetch: of any revbuf in the process, or of this one. */
gboolean gst_revbuf_is_fetch (guint32 seqnum);
gboolean gst_revbuf_is_own (GstRevBuf * self, guint32 seqnum);

/* ---- player.c: for the tape and messages, in the task ----------------------------- */

/* Copies the state of the blocks to `state`, for the task and other threads. */
void gst_revbuf_refresh (GstRevBuf * self);

/* Fails with a TimeBlocksCode, or one of the codes above. */
void gst_revbuf_fail (GstRevBuf * self, guint code);

/* Ends playback if a push has returned an error. */
void gst_revbuf_note_flow (GstRevBuf * self, GstFlowReturn ret);

/* Asks the blocks what they need, and fetches it. Returns FALSE if they don't need anything.
 * @arrived: (nullable): a decode that has arrived for them. */
gboolean gst_revbuf_fetch_wanted (GstRevBuf * self, TimeDecode * arrived);

/* Running time of the next frame. */
GstClockTime gst_revbuf_output_running_time (const GstRevBufOutput * out);

/* Sets up `out` with the segment for the rest of the pass. */
void gst_revbuf_begin_segment (GstRevBuf * self);

/* Sends the segment in `out`. */
void gst_revbuf_push_segment (GstRevBuf * self);

/* Posts the messages for a direction change and a loop pass, if there were any. */
void gst_revbuf_tell_news (GstRevBuf * self);

/* Sends @buffer (transfer full) of @n_frames. */
GstFlowReturn gst_revbuf_send_buffer (GstRevBuf * self, GstBuffer * buffer, gsize n_frames);

/* Sends the events that were waiting for the next frames, except tags that downstream already has:
 * decoders repeat them after each seek. You need the right to send. */
void gst_revbuf_send_waiting (GstRevBuf * self);

/* ---- playerinput.c: requests, in any thread ------------------------------------------ */

/* Starts to play with the seek @event or, if it's NULL, where we stopped passing audio through.
 * @info: the format. Returns FALSE if the seek isn't valid, if the element is stopping, or if a
 * flush or a seek is on its way. */
gboolean gst_revbuf_player_start (GstRevBuf * self, const GstAudioInfo * info, GstEvent * event);

/* If the player is active, serves the seek @event. Otherwise, the player may start with it. Sets
 * *@ret. Returns FALSE if the seek has to go upstream. */
gboolean gst_revbuf_player_seek (GstRevBuf * self, GstEvent * event, gboolean * ret);

/* The duration of the current stream if we've seen its end, else NONE. Hold the lock. */
GstClockTime gst_revbuf_duration (GstRevBuf * self);

/* ---- playerinput.c: upstream's threads ----------------------------------------------- */

/* Ends the output after EOS from the application, if the player is active. Hold the lock. */
void gst_revbuf_player_end (GstRevBuf * self, guint32 seqnum);

/* Adds @buffer (transfer full) to the decode, or drops it. Waits until it's needed. */
GstFlowReturn gst_revbuf_player_chain (GstRevBuf * self, GstBuffer * buffer);

/* If the player is active and needs @event, takes it (transfer full) and returns TRUE. Otherwise,
 * notes it and returns FALSE. If another stream starts, waits here until the current one has been
 * sent. */
gboolean gst_revbuf_take_event (GstRevBuf * self, GstEvent * event);

/* Returns TRUE if STREAM_START @event begins a different stream from the one on @sinkpad. */
gboolean gst_revbuf_is_other_stream (GstPad * sinkpad, GstEvent * event);

/* Ends the decode that is being filled. Hold the lock. */
void gst_revbuf_end_decode (GstRevBuf * self);

/* Sets whether buffers are forwarded unchanged. Returns FALSE, and changes nothing, if the
 * player has become active. */
gboolean gst_revbuf_set_passes_through (GstRevBuf * self, gboolean passes);

/* ---- tape.c: in the player's task ---------------------------------------------
 *
 * Plays the stream at any speed, even through zero. It reads a window of frames around the position
 * from the blocks, in either direction and across loop markers, and timespeed.h resamples it. Once
 * the speed has settled at 1 or -1, the player sends the frames of the blocks itself. */

/* Takes over the settings, changes to the new speed, and begins or ends the scrub of @input. */
void gst_revbuf_tape_configure (GstRevBuf * self,
    const GstRevBufSettings * settings, const GstRevBufPending * input);

/* Returns TRUE if the tape is playing, or has to start. */
gboolean gst_revbuf_tape_is_wanted (GstRevBuf * self);

/* Starts at the position of the blocks. */
void gst_revbuf_tape_start (GstRevBuf * self);

/* Sends the next buffer. Returns FALSE if it must wait for a change. */
gboolean gst_revbuf_tape_play (GstRevBuf * self);

/* Moves the blocks to the current position, so that they may be changed. */
void gst_revbuf_tape_park (GstRevBuf * self);

/* Sets up `out` with the segment for the next frames. */
void gst_revbuf_tape_begin_segment (GstRevBuf * self);

/* The frame boundary at the current position if it plays at @velocity, and the speed in the stream. */
gint64 gst_revbuf_tape_boundary (GstRevBuf * self, gdouble velocity);
gdouble gst_revbuf_tape_velocity (GstRevBuf * self);

/* Stops, and moves the blocks to the current position. */
void gst_revbuf_tape_stop (GstRevBuf * self);

/* Stops, and frees everything. */
void gst_revbuf_tape_clear (GstRevBufTape * tape);

/* ---- source.c: any thread ------------------------------------------------------- */

/* Examines all elements upstream. Don't keep the result, because elements may be added or
 * relinked later. */
GstRevBufNeighbours gst_revbuf_examine (GstPad * sinkpad);

/* The mutex that serializes the seeks of all revbufs in @pipeline, because two flushing seeks at
 * the same time can block a queue indefinitely: FLUSH_STOP of one seek restarts the thread of the
 * queue, while FLUSH_START of the other seek waits until this thread has stopped (GStreamer
 * 1.22). */
GMutex *gst_revbuf_source_seeks_of (GstObject * pipeline);

/* ---- report.c: any thread ---------------------------------------------------------- */

/* Posts or logs @report. */
void gst_revbuf_report (GstRevBuf * self, const TimeBlocksReport * report);

/* Warns that we collect this stream, because its seeks end up in the wrong place. */
void gst_revbuf_distrust (GstRevBuf * self);

/* Posts @report as an error. */
void gst_revbuf_report_failure (GstRevBuf * self, const TimeBlocksReport * report);

/* Posts the element message @name for the frame that is @ahead_frames after the playhead, with the
 * times of its output, and with the @result of a seam, or else (NULL) the direction. */
void gst_revbuf_report_news (GstRevBuf * self, const gchar * name,
    gint64 ahead_frames, const gchar * result);

/* Details with a @reason for programs. */
GstStructure *gst_revbuf_details (const gchar * reason);

/* Posts a warning or an error with a sentence for the user, and @details (transfer full) for
 * programs. Returns GST_FLOW_ERROR. */
GstFlowReturn gst_revbuf_post (GstRevBuf * self, GstMessageType type,
    GQuark domain, gint code, GstStructure * details, const gchar * sentence, ...)
    G_GNUC_PRINTF (6, 7);

/* The same with a @reason alone, and a domain and a code as in GST_ELEMENT_ERROR(). */
#define GST_REVBUF_POST(self, type, DOMAIN, CODE, reason, ...) \
  gst_revbuf_post (self, type, GST_##DOMAIN##_ERROR, \
      GST_##DOMAIN##_ERROR_##CODE, gst_revbuf_details (reason), __VA_ARGS__)
#define GST_REVBUF_WARN(self, ...) \
  GST_REVBUF_POST (self, GST_MESSAGE_WARNING, __VA_ARGS__)
#define GST_REVBUF_FAIL(self, ...) \
  GST_REVBUF_POST (self, GST_MESSAGE_ERROR, __VA_ARGS__)

/* Posts @error (transfer full) of the frame store. Returns GST_FLOW_ERROR. */
GstFlowReturn gst_revbuf_fail_storage (GstRevBuf * self, GError * error);

/* Posts that a buffer couldn't be allocated. Returns GST_FLOW_ERROR. */
GstFlowReturn gst_revbuf_fail_memory (GstRevBuf * self);

/* Returns (transfer full): the value of #revbuf:stats. */
GstStructure *gst_revbuf_report_stats (GstRevBuf * self);

/* ---- chunk.c: mode=chunk reverses a live stream block by block. In the streaming thread --- */

/* Call this once the format, and so the number of frames in a block, is known. */
GstRevBufChunk *gst_revbuf_chunk_new (GstRevBuf * revbuf);
void gst_revbuf_chunk_free (GstRevBufChunk * chunk);

/* Adds @buffer (transfer full), and sends the same number of frames from the previous block. */
GstFlowReturn gst_revbuf_chunk_process (GstRevBufChunk * chunk, GstBuffer * buffer);

/* Handles a gap of @duration_ns (NONE: unknown) at @pts_ns. It becomes silence in the block. A
 * block that has nothing but gaps is sent as one GAP event, with the flags that they all share. A
 * gap that's at least as long as a block, or of unknown length, ends the current block and is
 * sent immediately as one GAP event. */
GstFlowReturn gst_revbuf_chunk_gap (GstRevBufChunk * chunk, GstClockTime pts_ns,
    GstClockTime duration_ns, GstGapFlags flags);

/* Sends the remaining frames of the previous block, then the unfinished block, reversed. */
GstFlowReturn gst_revbuf_chunk_drain (GstRevBufChunk * chunk);

/* ---- collect.c: mode=collect stores a whole stream, and sends it backwards when it has
 * ended. In the streaming thread ---------------------------------------------------------- */

/* Starts to collect the audio of @segment. Its rate must be positive. */
GstRevBufCollect *gst_revbuf_collect_new (GstRevBuf * revbuf, const GstSegment * segment);
void gst_revbuf_collect_free (GstRevBufCollect * collect);

/* Sets the stop of the segment to @stop_ns. Returns FALSE if the segment has already been
 * sent. */
gboolean gst_revbuf_collect_extend (GstRevBufCollect * collect, GstClockTime stop_ns);

/* Stores @buffer (transfer full). */
GstFlowReturn gst_revbuf_collect_process (GstRevBufCollect * collect, GstBuffer * buffer);

/* Sends the segment and all stored audio, the last frame first. */
GstFlowReturn gst_revbuf_collect_drain (GstRevBufCollect * collect);
