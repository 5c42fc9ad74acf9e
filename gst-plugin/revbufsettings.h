/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * revbufsettings: the properties of revbuf.
 */

#ifndef REV_BUF_SETTINGS_H
#define REV_BUF_SETTINGS_H

#include "retrostorage.h"

#include <timefetch.h>

G_BEGIN_DECLS

/**
 * GstRevBufDirection:
 * @GST_REV_BUF_FORWARD: as it comes
 * @GST_REV_BUF_REVERSE: backwards
 *
 * Which way the stream plays.
 *
 * Since: 0.1
 */
typedef enum
{
  GST_REV_BUF_FORWARD,
  GST_REV_BUF_REVERSE
} GstRevBufDirection;

/**
 * GstRevBufMode:
 * @GST_REV_BUF_MODE_AUTO: turn around what arrives backwards; where direction
 *   asks for reverse, `seek` if upstream can, else `collect`
 * @GST_REV_BUF_MODE_SEEK: fetch short blocks by seeking, the last one first
 * @GST_REV_BUF_MODE_COLLECT: keep the whole stream, send it reversed at its end
 * @GST_REV_BUF_MODE_CHUNK: reverse every block-time of the stream in its place
 *
 * Where the reversed audio comes from.
 *
 * Since: 0.1
 */
typedef enum
{
  GST_REV_BUF_MODE_AUTO,
  GST_REV_BUF_MODE_SEEK,
  GST_REV_BUF_MODE_COLLECT,
  GST_REV_BUF_MODE_CHUNK
} GstRevBufMode;

/**
 * GstRevBufSeam:
 * @GST_REV_BUF_SEAM_EXACT: stop with an error, which names `mode=collect`
 * @GST_REV_BUF_SEAM_SMOOTH: fade between the two over 5 ms
 *
 * What `mode=seek` does where two takes of the same audio differ, however much
 * was decoded before them.
 *
 * Since: 0.1
 */
typedef enum
{
  GST_REV_BUF_SEAM_EXACT,
  GST_REV_BUF_SEAM_SMOOTH
} GstRevBufSeam;

/**
 * GstRevBufLoop:
 * @GST_REV_BUF_LOOP_NONE: play to the end
 * @GST_REV_BUF_LOOP_REPEAT: go on at the other marker
 * @GST_REV_BUF_LOOP_PING_PONG: turn around at each marker
 *
 * What happens at a marker.
 *
 * Since: 0.1
 */
typedef enum
{
  GST_REV_BUF_LOOP_NONE = TIMEDSP_LOOP_NONE,
  GST_REV_BUF_LOOP_REPEAT = TIMEDSP_LOOP_REPEAT,
  GST_REV_BUF_LOOP_PING_PONG = TIMEDSP_LOOP_PING_PONG
} GstRevBufLoop;

/* A copy of the properties. */
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
  RetroStorage storage;
} RevBufSettings;

/* The first property id that is free behind them. */
guint rev_buf_settings_install (GObjectClass * klass);

void rev_buf_settings_init (RevBufSettings * settings);

/* What mode=chunk reverses at a time, and the longest block of mode=seek. */
GstClockTime rev_buf_settings_chunk_time (const RevBufSettings * settings);
GstClockTime rev_buf_settings_fetch_time (const RevBufSettings * settings);

/* @copy is to be given to rev_buf_settings_clear(). */
void rev_buf_settings_copy (const RevBufSettings * settings,
    RevBufSettings * copy);

void rev_buf_settings_clear (RevBufSettings * settings);

/* FALSE: there is no such property. */
gboolean rev_buf_settings_set (RevBufSettings * settings, guint id,
    const GValue * value);

gboolean rev_buf_settings_get (const RevBufSettings * settings, guint id,
    GValue * value);

G_END_DECLS
#endif /* REV_BUF_SETTINGS_H */
