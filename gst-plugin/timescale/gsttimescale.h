/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * timescale. gsttimescale.c: properties, seeks and queries. play.c: scales a stream
 * while its factor changes. endpoints.c: keeps a stream, and scales it as a whole.
 * playtimes.c: times and segments of the output. scalerstream.c: buffers on their way through a
 * TimeChain, which decides what becomes of their frames.
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

/* Changes of the factor that are remembered. When all are in use, every other one is
 * forgotten. */
#define GST_TIMESCALE_PAIRS 512

/* Changes of the rate that may come while what is held before the first one leaves. */
#define GST_TIMESCALE_WAITING 16

#define GST_TYPE_TIMESCALE (gst_timescale_get_type ())
G_DECLARE_FINAL_TYPE (GstTimeScale, gst_timescale, GST, TIMESCALE,
    GstRetroFilter);

struct _GstTimeScale
{
  GstRetroFilter parent;

  /* under the object lock */
  GstTimeScaleSettings settings;
  gboolean rate_is_asked;       /* the next segment answers a seek … */
  TimeSeek seek;                /* … of these times */
  gdouble new_multiplier;       /* of the rate; 0: no change */

  gint asked;                   /* atomic: counts changes of settings and rate */

  /* streaming thread */
  gint answered;                /* `asked` at the last buffer */
  TimeChain *chain;             /* NULL before the first frame */
  GstRetroStore *store;         /* alignment=endpoints; NULL before the first frame */
  GstSegment in;                /* of the input */
  TimeSegments segments;        /* its history under the object lock: any thread asks */
  TimeDSPTimePair pairs[GST_TIMESCALE_PAIRS];
  TimeSegment waiting[GST_TIMESCALE_WAITING];
  GstRetroClock clock;          /* of the output */
  GstClockTime run_ns;          /* input time at which the clock was started */
  gboolean stop_moved;          /* the output ends elsewhere than its segment says */
};

/* ---- play.c -------------------------------------------------------------- */

/* Sets the functions of @klass that handle the stream. */
void gst_timescale_play_class_init (GstRetroFilterClass * klass);

/* Drops the held audio. */
void gst_timescale_forget (GstTimeScale * self);

/* ---- endpoints.c: alignment=endpoints ------------------------------------ */

/* Whether audio is kept until the stream ends. One that has begun goes on as it is. */
gboolean gst_timescale_keeps (GstTimeScale * self);

/* Keeps @buffer (transfer full). */
GstFlowReturn gst_timescale_keep (GstTimeScale * self, GstBuffer * buffer);

/* Scales all that is kept, which is like @audio, and pushes it. */
GstFlowReturn gst_timescale_drain_endpoints (GstTimeScale * self,
    TimeDSPConfig audio);

/* ---- playtimes.c: times and segments of the output ------------------------- */

/* Starts segment @in of the input, the answer to the last seek if one is due. */
void gst_timescale_start_times (GstTimeScale * self, const GstSegment * in);

/* The input has ended, and all that comes of it has left. */
void gst_timescale_end_times (GstTimeScale * self);

/* The segment of the output. */
GstSegment gst_timescale_make_segment (const GstTimeScale * self);

/* The output differs from what its segment says: sends the segment again. */
void gst_timescale_announce (GstTimeScale * self);

/* Sends the segment that begins with the next frame of the output, if one does. Returns how
 * many frames there are before the next one; G_MAXUINT64: there is none. */
guint64 gst_timescale_follow_segments (GstTimeScale * self);

/* Sends another segment if it has to. */
void gst_timescale_stay_in_segment (GstTimeScale * self);

/* Takes note of where the next change would begin; the time of that in the input. */
GstClockTime gst_timescale_note_place (GstTimeScale * self);

/* The chain moves the speed evenly to that of @factor within @n_frames of the input, from
 * where its last move begins: so do the times. @controlled: along a curve;
 * @turned: the rate is another. */
void gst_timescale_move_times (GstTimeScale * self, gdouble factor,
    guint64 n_frames, gboolean controlled, gboolean turned);

/* ---- scalerstream.c ----------------------------------------------------- */

/* How many of the next @n_frames of @buffer to take: less where GAP frames begin to be all that
 * is heard. */
gsize gst_timescale_cut_at_gap (GstTimeScale * self, GstBuffer * buffer,
    gsize n_frames);

/* Whether all that is made of the next @n_frames, of @buffer, comes from GAP frames; counts
 * them. */
gboolean gst_timescale_is_gap (GstTimeScale * self, GstBuffer * buffer,
    gsize n_frames);

/* Hands on @buffer itself, which has to be writable, where nothing would be
 * changed in it. TRUE: it is gone, with the result @ret; else it is to be scaled. */
gboolean gst_timescale_pass (GstTimeScale * self, GstBuffer * buffer,
    GstFlowReturn * ret);

/* Scales @n_frames of @audio from @first on, and pushes the result, stamped by the clock,
 * with the metas that stay true. @gap: set the GAP flag. */
GstFlowReturn gst_timescale_feed (GstTimeScale * self,
    const GstAudioBuffer * audio, gsize first, gsize n_frames, gboolean gap);

/* The same for all frames of the store. */
GstFlowReturn gst_timescale_feed_store (GstTimeScale * self);

/* The stream has ended: pushes the rest. @gap: set the GAP flag. */
GstFlowReturn gst_timescale_push_rest (GstTimeScale * self, gboolean gap);

/* Posts an error message that explains @status. Returns GST_FLOW_ERROR. */
GstFlowReturn gst_timescale_fail (GstTimeScale * self, TimeDSPStatus status);
