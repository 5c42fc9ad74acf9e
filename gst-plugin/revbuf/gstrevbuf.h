/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * revbuf: the element.
 *
 *   gstrevbuf.c      states, and events from upstream
 *   buffers.c        buffers of a stream that the player doesn't play
 *   mode.c           chooses how to play a stream
 *   seeks.c          seeks and queries
 *   properties.c
 *   chunk.c, collect.c   two of the modes
 *   player.c, playerrequest.c, playerfetch.c, playerinput.c, playersegment.c
 *                    mode=seek: its task, requests, fetches, input and output
 *   tape.c           plays at any speed, by resampling what the player reads
 *   source.c         the elements upstream
 *   report.c         messages
 *
 * The player takes care of times and events, and the blocks (timeblocks.h) take care of frames.
 */

#pragma once

#include "common/autolock.h"
#include "common/framestore.h"
#include "common/inputstream.h"
#include "common/outputstream.h"
#include "common/properties.h"

#include <timeblocks.h>

typedef enum
{
  GST_REVBUF_MODE_AUTO,
  GST_REVBUF_MODE_SEEK,
  GST_REVBUF_MODE_COLLECT,
  GST_REVBUF_MODE_CHUNK
} GstRevBufMode;

typedef enum
{
  GST_REVBUF_SEAM_EXACT,
  GST_REVBUF_SEAM_SMOOTH
} GstRevBufSeam;

typedef enum
{
  GST_REVBUF_SPEED_RESAMPLE,
  GST_REVBUF_SPEED_RATE
} GstRevBufSpeedMode;

typedef struct
{
  TimeDSPDirection direction;
  gdouble speed;                /* its sign agrees with `direction`, except at 0 */
  GstRevBufSpeedMode speed_mode;
  guint quality;                /* 0 … 10 */
  GstRevBufMode mode;
  GstClockTime block_time_ns;   /* NONE: automatic */
  GstClockTime preroll_time_ns; /* NONE: automatic */
  GstRevBufSeam seam;
  TimeDSPLoop loop;
  GstClockTime loop_start_ns;
  GstClockTime loop_stop_ns;    /* NONE: the end */
  GstRetroStorage storage;
} GstRevBufSettings;

/* How the element handles a stream when the player isn't playing it. */
typedef enum
{
  GST_REVBUF_PASS_THROUGH,              /* reversed only if upstream delivers it backwards */
  GST_REVBUF_HOLD,              /* kept until we know whether the player plays it */
  GST_REVBUF_COLLECT,
  GST_REVBUF_CHUNK
} GstRevBufStreamMode;

/* Says whether we can fetch blocks from upstream, and if not, why. */
typedef enum
{
  GST_REVBUF_SEEKS,
  GST_REVBUF_REFUSES,           /* it can't seek, or not to the times of its segment */
  GST_REVBUF_DIFFERS,           /* it outputs different frames after each seek */
  GST_REVBUF_LACKS_TIMES        /* the sample rate is too high for frame-accurate seeks */
} GstRevBufSource;

typedef struct _GstRevBufCollect GstRevBufCollect;
typedef struct _GstRevBufChunk GstRevBufChunk;
typedef struct _GstRevBufPlayer GstRevBufPlayer;

#define GST_TYPE_REVBUF (gst_revbuf_get_type ())
G_DECLARE_FINAL_TYPE (GstRevBuf, gst_revbuf, GST, REVBUF, GstElement);

struct _GstRevBuf
{
  GstElement parent;
  GstPad *sinkpad, *srcpad;
  GstRevBufPlayer *player;

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

  /* the watch */
  gint progress;                /* atomic: number of buffers that have arrived */
  GstClockID watch;
};

GST_DEBUG_CATEGORY_EXTERN (gst_revbuf_debug);

/* Converts @time_ns to a frame number for the blocks. NONE becomes UNKNOWN. */
static inline gint64
gst_revbuf_frame_at (GstClockTime time_ns, gint rate)
{
  return GST_CLOCK_TIME_IS_VALID (time_ns) ?
      gst_retro_frame_at (time_ns, rate) : TIMEDSP_UNKNOWN;
}

/* ---- gstrevbuf.c ----------------------------------------------------------- */

/* Lets the player take EOS before the sink pad stores it. Otherwise, if the next seek's flush got
 * lost, the pad would refuse everything after it. We only call this once we may need the player,
 * because a probe slows down every buffer. May be called in any thread. */
void gst_revbuf_take_ends (GstRevBuf * self);

/* ---- buffers.c: for the modes ---------------------------------------------- */

/* Sends @segment and the events that were held back for it, with the running time of the output.
 * Call this again to change the stop of the current segment. Returns TRUE if it was sent without
 * a stop, because there's an encoder downstream. */
gboolean gst_revbuf_send_segment (GstRevBuf * self, const GstSegment * segment);

/* Pushes @buffer (transfer full), which must have a PTS and a duration. */
GstFlowReturn gst_revbuf_push (GstRevBuf * self, GstBuffer * buffer);

/* Pushes one buffer of frames from @store in reverse order, from frame *@end - 1 down to @first
 * at most. Lowers *@end by the number of frames pushed. @gap: sets the GAP flag on the buffer. */
GstFlowReturn gst_revbuf_push_reversed (GstRevBuf * self, GstRetroStore * store,
    guint64 first, guint64 * end, gboolean gap, GstRetroClock * clock);

/* Sets the latency that the element adds, and posts a LATENCY message if it has changed. */
void gst_revbuf_set_latency (GstRevBuf * self, GstClockTime latency_ns);

/* Restarts running time after a flush. Hold the stream lock of the source pad. */
void gst_revbuf_reset_running_time (GstRevBuf * self);

/* Passes @buffer (transfer full) to whatever handles this mode. Streaming thread. */
GstFlowReturn gst_revbuf_chain (GstPad * pad, GstObject * parent,
    GstBuffer * buffer);

/* Collects the buffers that we've held, or has the player play them. Then does the same with
 * @last (transfer full) (nullable). */
GstFlowReturn gst_revbuf_stop_holding (GstRevBuf * self, GstRevBufStreamMode stream_mode,
    GstBuffer * last);

/* ---- buffers.c: for events, in upstream's streaming thread ------------------------- */

/* Takes the right to send. Returns FALSE if the player is active. */
gboolean gst_revbuf_begin_passing (GstRevBuf * self);

/* Starts the segment that has arrived, now that we know its stop. */
void gst_revbuf_start_segment (GstRevBuf * self);

/* If the segment is still waiting for its stop, sets it to @end_ns, the end of the first audio
 * (NONE: there was no audio), and starts the segment. */
void gst_revbuf_learn_stop (GstRevBuf * self, GstClockTime end_ns);

/* Sends all audio that hasn't been sent yet. If downstream rejects it, posts an error, as queue
 * does, because an event can't return a flow error to upstream. */
GstFlowReturn gst_revbuf_drain (GstRevBuf * self);

/* Posts an error, once per segment, because audio without timestamps can't be played backwards.
 * Returns GST_FLOW_ERROR. */
GstFlowReturn gst_revbuf_fail_untimed (GstRevBuf * self);

void gst_revbuf_set_stream_mode (GstRevBuf * self, GstRevBufStreamMode stream_mode);

/* Frees the audio that the modes have stored. */
void gst_revbuf_forget_audio (GstRevBuf * self);

/* Discards the stream and, if @caps_too, its format. */
void gst_revbuf_forget_stream (GstRevBuf * self, gboolean caps_too);

/* ---- mode.c ------------------------------------------------------------------ */

/* Chooses how to handle the segment @in. Its rate must be positive. Streaming thread. */
GstRevBufStreamMode gst_revbuf_choose_mode (GstRevBuf * self, const GstSegment * in);

/* Returns TRUE if we reverse this stream block by block as it arrives, because it's live or the
 * mode says so. A live stream would be collected endlessly. */
gboolean gst_revbuf_wants_chunks (GstRevBuf * self);

/* Call this after `speed` was set or a scrub was requested. If the current mode supports neither,
 * warns once. */
void gst_revbuf_warn_of_late_speed (GstRevBuf * self);

/* Returns TRUE if a property now requires the player for a stream that we've been passing
 * through. */
gboolean gst_revbuf_must_start_player (GstRevBuf * self);

/* Decides what to do with the buffers that we're holding: HOLD, PASS_THROUGH (the player plays
 * them), or COLLECT. @buffer: (nullable): the one that has arrived. NULL: the stream ends. */
GstRevBufStreamMode gst_revbuf_choose_held (GstRevBuf * self, GstBuffer * buffer);

/* Finds out whether we can fetch blocks of audio in the format @info. Any thread. */
GstRevBufSource gst_revbuf_ask_source (GstRevBuf * self,
    const GstAudioInfo * info);

/* Returns TRUE if upstream is a live source. */
gboolean gst_revbuf_is_live (GstRevBuf * self);

/* ---- seeks.c ------------------------------------------------------------------- */

void gst_revbuf_seeks_init (GstRevBuf * self);

/* ---- properties.c ---------------------------------------------------------------- */

void gst_revbuf_properties_class_init (GObjectClass * klass);
void gst_revbuf_properties_init (GstRevBuf * self);

/* A copy of the settings, without the spill directory. Any thread. */
GstRevBufSettings gst_revbuf_get_settings (GstRevBuf * self);

/* The length of a block in mode=chunk. */
GstClockTime gst_revbuf_settings_chunk_time (const GstRevBufSettings *
    settings);

/* The settings for the blocks of audio at @rate. */
TimeBlocksSettings gst_revbuf_settings_of_blocks (const GstRevBufSettings *
    settings, gint rate);

/* The type of #revbuf:direction. */
GType gst_revbuf_direction_get_type (void);

/* Returns TRUE if #revbuf:current-direction is reverse. Any thread. */
gboolean gst_revbuf_is_reversed (GstRevBuf * self);

/* Sets #revbuf:current-speed and #revbuf:current-direction. Any thread. */
void gst_revbuf_set_velocity (GstRevBuf * self, gdouble velocity);
