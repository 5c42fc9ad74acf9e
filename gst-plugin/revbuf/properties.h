/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The properties of revbuf.
 */

#pragma once

#include "common/properties.h"

#include <timeplay.h>

typedef enum
{
  GST_REVBUF_FORWARD,
  GST_REVBUF_REVERSE
} GstRevBufDirection;

typedef enum
{
  GST_REVBUF_MODE_AUTO = TIMEPLAY_MODE_AUTO,
  GST_REVBUF_MODE_SEEK = TIMEPLAY_MODE_SEEK,
  GST_REVBUF_MODE_COLLECT = TIMEPLAY_MODE_COLLECT,
  GST_REVBUF_MODE_CHUNK = TIMEPLAY_MODE_CHUNK
} GstRevBufMode;

typedef enum
{
  GST_REVBUF_SEAM_EXACT,
  GST_REVBUF_SEAM_SMOOTH
} GstRevBufSeam;

typedef enum
{
  GST_REVBUF_LOOP_NONE = TIMEDSP_LOOP_NONE,
  GST_REVBUF_LOOP_REPEAT = TIMEDSP_LOOP_REPEAT,
  GST_REVBUF_LOOP_PING_PONG = TIMEDSP_LOOP_PING_PONG
} GstRevBufLoop;

typedef struct
{
  GstRevBufDirection direction;
  GstRevBufMode mode;
  GstClockTime block_time_ns;   /* NONE: automatic */
  GstClockTime preroll_time_ns; /* NONE: automatic */
  GstRevBufSeam seam;
  GstRevBufLoop loop;
  GstClockTime loop_start_ns;
  GstClockTime loop_stop_ns;    /* NONE: the end */
  GstRetroStorage storage;
} GstRevBufSettings;

enum
{
  PROP_0,
  PROP_DIRECTION,
  PROP_MODE,
  PROP_BLOCK_TIME,
  PROP_PREROLL_TIME,
  PROP_SEAM,
  PROP_LOOP,
  PROP_LOOP_START,
  PROP_LOOP_STOP,
  PROP_MAX_MEMORY,
  PROP_SPILL_DIRECTORY,
  PROP_STATS
};

void gst_revbuf_settings_install (GObjectClass * klass);

void gst_revbuf_settings_init (GstRevBufSettings * settings);

/* Sets or gets the value of the property @id. Returns FALSE if there is no such property. */
gboolean gst_revbuf_settings_set (GstRevBufSettings * settings, guint id,
    const GValue * value);
gboolean gst_revbuf_settings_get (const GstRevBufSettings * settings, guint id,
    GValue * value);

/* Length of a block in mode=chunk. */
GstClockTime gst_revbuf_settings_chunk_time (const GstRevBufSettings * settings);

/* The settings for the TimePlayback, which chooses the mode. */
TimePlaySettings
gst_revbuf_settings_of_playback (const GstRevBufSettings * settings);
