/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * timescale: the element.
 *
 *   gsttimescale.c   properties, events and queries
 *   buffers.c        buffers, and how their scaling changes
 *   times.c, timeline.c   segments, and how input times map to output times
 *
 * The scaler (timescale.h) counts frames.
 */

#pragma once

#include <gst/base/gstbasetransform.h>

#include "common/autolock.h"
#include "common/framestore.h"
#include "common/inputstream.h"
#include "common/outputstream.h"
#include "common/pcmbuffer.h"
#include "common/properties.h"
#include "common/segment.h"
#include "common/workarounds.h"
#include "timescale/times.h"

#include <timescale.h>

typedef struct
{
  gdouble factor;
  TimePitch pitch;
  TimeDSPInterpolation interpolation;
  guint quality;
  gboolean absorbs_rate;
  gboolean keeps_endpoints;     /* alignment=endpoints */
  GstRetroStorage storage;
} GstTimeScaleSettings;

#define GST_TYPE_TIME_SCALE (gst_time_scale_get_type ())
G_DECLARE_FINAL_TYPE (GstTimeScale, gst_time_scale, GST, TIME_SCALE, GstBaseTransform);

struct _GstTimeScale
{
  GstBaseTransform parent;

  /* under the object lock */
  GstTimeScaleSettings settings;
  gdouble new_multiplier;       /* of a new instant rate change. 0: none */
  GstTimeScaleSeek seek;        /* the last seek, until its segment arrives */
  gboolean is_seeking;
  GstClockTime latency_ns;

  gint is_untimed;              /* atomic: the segment isn't in TIME */
  gint is_changed;              /* atomic: settings or rate have changed since the streaming
                                 * thread last looked */

  /* streaming thread. See GstTimeScaleTimes and GstRetroOutput for what other
   * threads read */
  GstPadChainFunction base_chain;
  GstFlowReturn (*base_submit) (GstBaseTransform * trans, gboolean is_discont,
      GstBuffer * buffer);
  GstTimeScaleSettings now;     /* a copy. Its `storage` isn't used */
  GstRetroInput input;
  guint n_planes;               /* of the format. `stride` is the bytes per frame in each */
  gsize stride;
  gsize longest_frames;         /* in an output buffer: 100 ms, but at least 1,024 */
  GstTimeScaleTimes times;
  GstRetroOutput output;
  TimeScaler *scaler;           /* (nullable) */
  TimeScalerState state;
  GstRetroClock clock;          /* of the output */
  gsize unsent_frames;          /* made but not stamped yet, so `clock` doesn't count them */
  GstClockTime run_start_ns;    /* time of the first frame in the scaler */
  gboolean is_curved;           /* a control binding sets a property */
  guint64 read_at_frames;       /* received frames when the curves were last read */
  gboolean has_ramped;          /* the factor has changed: downstream may know a wrong stop */
  gsize told_latency_frames;    /* the latency that we last reported */
  gboolean is_refused;          /* the segment isn't in TIME, and we've posted that */

  GstBuffer *buffer;            /* (nullable) being scaled */
  gsize buffer_frames, used_frames;
  GstClockTime buffer_ns;       /* its time */
  gboolean begins_run;          /* its first frame doesn't follow the last one */
  GstAudioBuffer audio;         /* `buffer`, if is_mapped */
  gboolean is_mapped;

  GstRetroStore *store;         /* (nullable) for alignment=endpoints */
  gboolean is_keeping;          /* the run is kept in `store` until it ends */
};

GST_DEBUG_CATEGORY_EXTERN (gst_time_scale_debug);
#define GST_CAT_DEFAULT gst_time_scale_debug

/* ---- gsttimescale.c ------------------------------------------------------------ */

/* Returns TRUE if the settings don't change anything. Any thread. */
gboolean gst_time_scale_is_inert (GstTimeScale * self);

/* Starts the segment if only its stop was missing. @end_ns: the end of the first audio. NONE:
 * there was none. */
void gst_time_scale_learn_stop (GstTimeScale * self, GstClockTime end_ns);

/* Posts an error, once per segment, because audio without timestamps can't be scaled. */
GstFlowReturn gst_time_scale_fail_untimed (GstTimeScale * self);

/* ---- buffers.c: the streaming thread ---------------------------------------------- */

/* Sends @segment downstream. */
void gst_time_scale_send_segment (GstTimeScale * self, const GstSegment * segment);

/* Sends the waiting segment, if the output has got there. */
void gst_time_scale_enter_segment (GstTimeScale * self);

/* Copies the settings to `now`. */
void gst_time_scale_copy_settings (GstTimeScale * self);

/* Makes a scaler with the settings, for the frames that were kept if there are any, or applies the
 * settings to the scaler we have. */
TimeDSPStatus gst_time_scale_configure (GstTimeScale * self);

/* Adopts the factor of `now` at @in_ns. No input after that has been scaled yet. */
void gst_time_scale_adopt (GstTimeScale * self, GstClockTime in_ns);

/* Returns TRUE if the settings need all audio before the first frame can be output. */
gboolean gst_time_scale_wants_keeping (GstTimeScale * self);

GstFlowReturn gst_time_scale_chain (GstPad * pad, GstObject * parent, GstBuffer * buffer);
GstFlowReturn gst_time_scale_submit_input_buffer (GstBaseTransform * trans,
    gboolean is_discont, GstBuffer * buffer);
GstFlowReturn gst_time_scale_generate_output (GstBaseTransform * trans, GstBuffer ** buffer);

/* Sends the rest of the output, because the run has ended. */
GstFlowReturn gst_time_scale_drain (GstTimeScale * self);

/* Discards all frames. */
void gst_time_scale_forget_frames (GstTimeScale * self);
