/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The properties of revbuf.
 */

#ifndef GST_REVBUF_PROPERTIES_H
#define GST_REVBUF_PROPERTIES_H

#include "common/properties.h"

#include <timeplay.h>

G_BEGIN_DECLS

/**
 * GstRevBufDirection:
 * @GST_REVBUF_FORWARD: as it comes
 * @GST_REVBUF_REVERSE: backwards
 *
 * Which way the stream plays.
 *
 * Since: 0.1
 */
typedef enum
{
  GST_REVBUF_FORWARD,
  GST_REVBUF_REVERSE
} GstRevBufDirection;

/**
 * GstRevBufMode:
 * @GST_REVBUF_MODE_AUTO: reverse blocks that arrive backwards; if direction is
 *   reverse, `seek` if upstream can, else `collect`
 * @GST_REVBUF_MODE_SEEK: fetch short blocks by seeking, the last one first
 * @GST_REVBUF_MODE_COLLECT: keep the whole stream, send it reversed at its end
 * @GST_REVBUF_MODE_CHUNK: reverse every block-time of the stream in its place
 *
 * Where the reversed audio comes from.
 *
 * Since: 0.1
 */
typedef enum
{
  GST_REVBUF_MODE_AUTO,
  GST_REVBUF_MODE_SEEK,
  GST_REVBUF_MODE_COLLECT,
  GST_REVBUF_MODE_CHUNK
} GstRevBufMode;

/**
 * GstRevBufSeam:
 * @GST_REVBUF_SEAM_EXACT: stop with an error, which names `mode=collect`
 * @GST_REVBUF_SEAM_SMOOTH: fade between the two over 5 ms
 *
 * What `mode=seek` does if the same audio, decoded twice, differs however much audio is
 * decoded before it.
 *
 * Since: 0.1
 */
typedef enum
{
  GST_REVBUF_SEAM_EXACT,
  GST_REVBUF_SEAM_SMOOTH
} GstRevBufSeam;

/**
 * GstRevBufLoop:
 * @GST_REVBUF_LOOP_NONE: play to the end
 * @GST_REVBUF_LOOP_REPEAT: go on at the other marker
 * @GST_REVBUF_LOOP_PING_PONG: turn around at each marker
 *
 * What happens at a marker.
 *
 * Since: 0.1
 */
typedef enum
{
  GST_REVBUF_LOOP_NONE = TIMEDSP_LOOP_NONE,
  GST_REVBUF_LOOP_REPEAT = TIMEDSP_LOOP_REPEAT,
  GST_REVBUF_LOOP_PING_PONG = TIMEDSP_LOOP_PING_PONG
} GstRevBufLoop;

/* The values of the properties. */
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

void gst_revbuf_settings_install (GObjectClass * klass);

void gst_revbuf_settings_init (GstRevBufSettings * settings);

/* What mode=chunk reverses at a time, and the longest block of mode=seek. */
GstClockTime
gst_revbuf_settings_chunk_time (const GstRevBufSettings * settings);
GstClockTime
gst_revbuf_settings_fetch_time (const GstRevBufSettings * settings);

/* All but the spill directory, which may change once the object lock is released. */
void gst_revbuf_settings_copy (const GstRevBufSettings * settings,
    GstRevBufSettings * copy);

/* Those of mode=seek. */
TimePlaySettings
gst_revbuf_settings_of_playback (const GstRevBufSettings * settings);

void gst_revbuf_settings_clear (GstRevBufSettings * settings);

G_END_DECLS
#endif /* GST_REVBUF_PROPERTIES_H */
