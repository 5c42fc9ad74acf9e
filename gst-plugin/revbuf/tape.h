/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * tape: plays the player's blocks at any speed, even through zero. It reads a window of frames
 * around the position from the blocks, in either direction and across loop markers, and
 * timespeed.h resamples it. Once the speed has settled at 1 or -1, the player sends the frames of
 * the blocks itself.
 *
 * All functions run in the player's task.
 */

#pragma once

#include "revbuf/gstrevbuf.h"
#include "revbuf/window.h"

#include <timespeed.h>

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

typedef struct _GstRevBufInput GstRevBufInput;

/* Takes over the settings, changes to the new speed, and begins or ends the scrub of @input. */
void gst_revbuf_tape_configure (GstRevBufPlayer * player,
    const GstRevBufSettings * settings, const GstRevBufInput * input);

/* Returns TRUE if the tape is playing, or has to start. */
gboolean gst_revbuf_tape_is_wanted (GstRevBufPlayer * player);

/* Starts at the position of the blocks. */
void gst_revbuf_tape_start (GstRevBufPlayer * player);

/* Sends the next buffer. Returns FALSE if it must wait for a change. */
gboolean gst_revbuf_tape_play (GstRevBufPlayer * player);

/* Moves the blocks to the current position, so that they may be changed. */
void gst_revbuf_tape_park (GstRevBufPlayer * player);

/* Sets up `out` with the segment for the next frames. */
void gst_revbuf_tape_begin_segment (GstRevBufPlayer * player);

/* The frame boundary at the current position, and the speed in the stream. */
gint64 gst_revbuf_tape_boundary (GstRevBufPlayer * player);
gdouble gst_revbuf_tape_velocity (GstRevBufPlayer * player);

/* Stops, and moves the blocks to the current position. */
void gst_revbuf_tape_stop (GstRevBufPlayer * player);

/* Stops, and frees everything. */
void gst_revbuf_tape_clear (GstRevBufTape * tape);
