/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * tape: plays the player's blocks at any speed, through zero. A window of frames around the
 * position is read from the blocks, in either direction and across the markers of a loop, and
 * timespeed.h resamples it. While the speed is 1 or -1, and has been settled, the player itself
 * sends the frames of the blocks.
 *
 * All functions run in the player's task.
 */

#pragma once

#include "revbuf/gstrevbuf.h"
#include "revbuf/window.h"

#include <timespeed.h>

/* The lowest playback rate with speed-mode=rate. Slower sound with its pitch is a drone, so the
 * tape rests instead. */
#define GST_REVBUF_MIN_RATE 0.05

typedef struct
{
  gboolean is_running;
  gdouble speed;                /* as it was set */
  gboolean resamples;           /* with speed-mode=rate, the playback rate changes instead */
  guint quality;
  gboolean is_curved;           /* a GstController changes the speed */
  gboolean has_warned;          /* that the format can't be resampled */

  TimeSpeed *reader;            /* (nullable) */
  TimeSpeedState state;
  gdouble target;               /* the speed that the reader was given */
  gint sign;                    /* of the speed at which the player plays, while the tape doesn't.
                                 * On the way back of a ping-pong loop, the blocks have another */

  /* the scrub that was asked for last */
  gboolean is_scrubbing;
  GstClockTime scrub_ns, scrub_duration_ns;     /* NONE: the reader has it */

  GstRevBufWindow window;
  gint side;                    /* of the window, where the blocks read on. 0: elsewhere */
  gint direction;               /* in which the blocks read */
  gint64 start_limit, end_limit;        /* places, of what can be read */

  /* the segment that was sent */
  GstClockTime origin_ns;       /* stream time of its first frame */
  gdouble applied_rate;
  gboolean is_settled;          /* it was sent since the last move */
} GstRevBufTape;

/* Takes the speed, and changes to it. */
void gst_revbuf_tape_configure (GstRevBufPlayer * player,
    const GstRevBufSettings * settings);

/* Begins to move to the stream time @position_ns within @duration_ns. */
void gst_revbuf_tape_scrub (GstRevBufPlayer * player, GstClockTime position_ns,
    GstClockTime duration_ns);

/* The speed is followed again. */
void gst_revbuf_tape_end_scrub (GstRevBufPlayer * player);

/* Returns TRUE if the tape plays, or must begin to. */
gboolean gst_revbuf_tape_is_wanted (GstRevBufPlayer * player);

/* Starts where the blocks are. */
void gst_revbuf_tape_start (GstRevBufPlayer * player);

/* Sends the next buffer. Returns FALSE if it must wait for a change. */
gboolean gst_revbuf_tape_play (GstRevBufPlayer * player);

/* Lets the blocks read where the sound is, so that they may be changed. */
void gst_revbuf_tape_park (GstRevBufPlayer * player);

/* Sets `out` to the segment of the next frames. */
void gst_revbuf_tape_begin_segment (GstRevBufPlayer * player);

/* The boundary at the sound, and its speed in the stream. */
gint64 gst_revbuf_tape_boundary (GstRevBufPlayer * player);
gdouble gst_revbuf_tape_velocity (GstRevBufPlayer * player);

/* The number of output frames until @frame is output, if the speed stays. */
gint64 gst_revbuf_tape_ahead (GstRevBufPlayer * player, gint64 frame);

/* Stops. The blocks are then where the sound is. */
void gst_revbuf_tape_stop (GstRevBufPlayer * player);

/* Stops, and frees everything. */
void gst_revbuf_tape_clear (GstRevBufTape * tape);
