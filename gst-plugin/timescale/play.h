/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * play: scales a stream while its factor changes, and computes the times of the
 * output. scalerstream: its buffers on their way through a TimeChain, which decides what
 * becomes of their frames.
 */

#pragma once

#include "common/properties.h"
#include "common/gstretrofilter.h"

#include <timechain.h>
#include <timesegment.h>

/* How output frames lie over the input. gsttimescale.c describes the values to users. */
typedef enum
{
  GST_TIMESCALE_STREAM,
  GST_TIMESCALE_ENDPOINTS
} GstTimeScaleAlignment;

/* The values of the properties. */
typedef struct
{
  gdouble factor;
  TimePitch pitch;
  TimeDSPInterpolation interpolation;
  guint quality;                /* of sinc */
  gboolean absorb_rate;
  GstTimeScaleAlignment alignment;
  GstRetroStorage storage;
} GstTimeScaleSettings;

typedef struct
{
  GstRetroFilter *filter;
  GstRetroClock *clock;         /* of the output */
  TimeChain *chain;             /* NULL before the first frame */
} GstTimeScaleStream;

/* Changes of the factor that are remembered. When all are in use, every other one is
 * forgotten. */
#define GST_TIMESCALE_PLAY_PAIRS 512

/* It belongs to the streaming thread, but for the fields that say otherwise. */
typedef struct
{
  GstRetroFilter *filter;
  const GstTimeScaleSettings *settings; /* under the object lock */
  gdouble new_multiplier;       /* of the rate, likewise; 0: no change */
  gint asked;                   /* atomic: counts changes of settings and rate */
  gint answered;                /* `asked` at the last buffer */

  GstTimeScaleStream stream;    /* alignment=stream */
  GstRetroStore *store;         /* alignment=endpoints; NULL before the first frame */
  GstSegment in;                /* of the input */
  TimeSegments segments;        /* its history under the object lock: any thread asks */
  TimeDSPTimePair pairs[GST_TIMESCALE_PLAY_PAIRS];
  GstRetroClock clock;          /* of the output */
  GstClockTime run_ns;          /* input time at which the clock was started */
  gboolean stop_moved;          /* the output ends elsewhere than its segment says */
  gboolean segment_due;         /* … or has another applied rate */
} GstTimeScalePlay;

/* @settings: those of the element. @play is zeroed, and never copied. */
void gst_timescale_play_init (GstTimeScalePlay * play, GstRetroFilter * filter,
    const GstTimeScaleSettings * settings);

/* A copy, without the spill directory. Any thread. */
GstTimeScaleSettings gst_timescale_play_get_settings (const GstTimeScalePlay * play);

/* A setting has changed. Any thread. */
void gst_timescale_play_ask (GstTimeScalePlay * play);

/* From now on, the stream comes at @multiplier times the rate of its segment. Any
 * thread. */
void gst_timescale_play_ask_rate (GstTimeScalePlay * play, gdouble multiplier);

/* Starts segment @in; returns that of the output. @seek (nullable): the seek that @in
 * answers. */
GstSegment gst_timescale_play_start (GstTimeScalePlay * play, const GstSegment * in,
    const TimeSeek * seek);

/* Scales @buffer (transfer full), or keeps it. */
GstFlowReturn gst_timescale_play_process (GstTimeScalePlay * play, GstBuffer * buffer);

/* As GstRetroFilterClass.gap(). */
GstFlowReturn gst_timescale_play_gap (GstTimeScalePlay * play, GstClockTime pts_ns,
    GstClockTime duration_ns);

/* The stream has ended: pushes the rest. */
GstFlowReturn gst_timescale_play_drain (GstTimeScalePlay * play);

/* Drops the held audio … */
void gst_timescale_play_forget (GstTimeScalePlay * play);

/* … and begins anew, as after a flush. */
void gst_timescale_play_reset (GstTimeScalePlay * play);

/* For play.c, in playtimes.c: the functions of timesegment.h with the lock held. */
void gst_timescale_play_start_times (GstTimeScalePlay * play, const GstSegment * in,
    const GstTimeScaleSettings * settings, const TimeSeek * seek);
void gst_timescale_play_note (GstTimeScalePlay * play, GstClockTime in_ns,
    GstClockTime out_ns, GstClockTime tolerance_ns);

/* The segment of the output. */
GstSegment gst_timescale_play_make_segment (const GstTimeScalePlay * play);

/* ---- scalerstream.c ----------------------------------------------------- */

/* What the chain does; zeros if there is none. */
TimeChainState gst_timescale_stream_get_state (const GstTimeScaleStream * stream);

/* Whether all that is made of @buffer comes from GAP frames; counts them. */
gboolean gst_timescale_stream_is_gap (GstTimeScaleStream * stream,
    GstBuffer * buffer);

/* Hands on @buffer itself, which has to be writable, where nothing would be
 * changed in it. TRUE: it is gone, with the result @ret; else it is to be scaled. */
gboolean gst_timescale_stream_pass (GstTimeScaleStream * stream,
    GstBuffer * buffer, GstFlowReturn * ret);

/* Scales @n_frames of @buffer from @first on, and pushes the result, stamped by the clock,
 * with the metas that stay true. @gap: set the GAP flag. */
GstFlowReturn gst_timescale_stream_feed (GstTimeScaleStream * stream,
    GstBuffer * buffer, gsize first, gsize n_frames, gboolean gap);

/* The same for all frames of @store. */
GstFlowReturn gst_timescale_stream_feed_store (GstTimeScaleStream * stream,
    GstRetroStore * store);

/* The stream has ended: pushes the rest. */
GstFlowReturn gst_timescale_stream_drain (GstTimeScaleStream * stream);

/* Posts an error message that explains @status. Returns GST_FLOW_ERROR. */
GstFlowReturn gst_timescale_stream_fail (GstTimeScaleStream * stream,
    TimeDSPStatus status);
