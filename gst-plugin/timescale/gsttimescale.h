/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * timescale: the element.
 *
 *   gsttimescale.c   events from upstream: caps, segments, gaps, ends
 *   buffers.c        buffers, and the end of a run
 *   changes.c        settings, curves and rates that change
 *   endpoints.c      alignment=endpoints
 *   queries.c        seeks and queries from downstream
 *   properties.c
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

/* How output frames are aligned with the input. */
typedef enum
{
  GST_TIME_SCALE_STREAM,        /* output frame k is read at input position k / factor */
  GST_TIME_SCALE_ENDPOINTS      /* the first and the last frame are kept */
} GstTimeScaleAlignment;

typedef struct
{
  gdouble factor;
  TimePitch pitch;
  TimeDSPInterpolation interpolation;
  guint quality;
  gboolean absorbs_rate;
  GstTimeScaleAlignment alignment;
  GstRetroStorage storage;
} GstTimeScaleSettings;

#define GST_TYPE_TIME_SCALE (gst_time_scale_get_type ())
G_DECLARE_FINAL_TYPE (GstTimeScale, gst_time_scale, GST, TIME_SCALE, GstBaseTransform);

#define GST_TIME_SCALE_PARENT(self) GST_BASE_TRANSFORM_CLASS (g_type_class_peek_parent ( \
      G_OBJECT_GET_CLASS (self)))

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

/* ---- properties.c -------------------------------------------------------- */

/* Installs the properties, and sets set_property() and get_property(). */
void gst_time_scale_properties_class_init (GObjectClass * klass);

/* Sets all properties to their defaults. */
void gst_time_scale_properties_init (GstTimeScale * self);

/* ---- queries.c ------------------------------------------------------------- */

gboolean gst_time_scale_src_event (GstBaseTransform * trans, GstEvent * event);
gboolean gst_time_scale_query (GstBaseTransform * trans, GstPadDirection direction,
    GstQuery * query);

/* Requests @multiplier times the rate of the segment. Returns FALSE if the factor can't absorb
 * it. May be called in any thread. */
gboolean gst_time_scale_multiply_rate (GstTimeScale * self, gdouble multiplier);

/* Returns TRUE if the settings don't change anything. May be called in any thread. */
gboolean gst_time_scale_is_inert (GstTimeScale * self);

/* ---- gsttimescale.c: the streaming thread --------------------------------------- */

/* Starts the segment if only its stop was missing. @end_ns: the end of the first audio. NONE:
 * there was none. */
void gst_time_scale_learn_stop (GstTimeScale * self, GstClockTime end_ns);

/* Posts an error, once per segment, because audio without timestamps can't be scaled. */
GstFlowReturn gst_time_scale_fail_untimed (GstTimeScale * self);

/* ---- changes.c: the streaming thread ---------------------------------------------- */

/* Copies the settings to `now`. */
void gst_time_scale_copy_settings (GstTimeScale * self);

/* Makes a scaler with the settings, for the frames that were kept if there are any, or applies the
 * settings to the scaler we have. */
TimeDSPStatus gst_time_scale_configure (GstTimeScale * self);

/* Adopts the factor of `now` at @in_ns. No input after that has been scaled yet. */
void gst_time_scale_adopt (GstTimeScale * self, GstClockTime in_ns);

/* Reads the curves, the settings and the rate, and adopts them at @in_ns. */
void gst_time_scale_adopt_settings (GstTimeScale * self, GstClockTime in_ns);

/* If the map of times is off by more than a frame, corrects it. During a change, waits for the
 * end of the change. */
void gst_time_scale_correct_times (GstTimeScale * self);

/* Applies settings that have changed during the run. While a curve is followed, only a new rate
 * counts, because the next reading applies the settings. */
GstFlowReturn gst_time_scale_follow_settings (GstTimeScale * self);

/* Reads the curves, and moves towards their values at the next reading. */
GstFlowReturn gst_time_scale_follow_curves (GstTimeScale * self);

/* The number of frames to the next reading of the curves. 0: they have to be read at the next
 * frame. Readings are counted from the start of the run, so the output doesn't depend on how the
 * input is divided into buffers. */
gsize gst_time_scale_frames_to_reading (GstTimeScale * self);

/* Reports the latency of the scaler. While a curve sets the factor, the latency may grow in many
 * small steps. We then report twice as much, so that we don't have to report often. */
void gst_time_scale_report_latency (GstTimeScale * self);

/* Sends @segment downstream. */
void gst_time_scale_send_segment (GstTimeScale * self,
    const GstSegment * segment);

/* Sends the waiting segment, if the output has got there. */
void gst_time_scale_enter_segment (GstTimeScale * self);

/* The same. Also sends the segment again if downstream would clip audio at its stop. */
void gst_time_scale_stay_in_segment (GstTimeScale * self);

/* Posts an error for @status. */
GstFlowReturn gst_time_scale_fail (GstTimeScale * self, TimeDSPStatus status);

/* ---- buffers.c: the streaming thread ---------------------------------------------- */

GstFlowReturn gst_time_scale_chain (GstPad * pad, GstObject * parent,
    GstBuffer * buffer);
GstFlowReturn gst_time_scale_submit_input_buffer (GstBaseTransform * trans,
    gboolean is_discont, GstBuffer * buffer);
GstFlowReturn gst_time_scale_generate_output (GstBaseTransform * trans,
    GstBuffer ** buffer);

/* Reads @n_frames frames at @in, and sets *@buffer (nullable) to their output, at most
 * `longest_frames`. Sets `state`, and sets @used to the number of frames that were read. @in NULL:
 * the input has ended. */
GstFlowReturn gst_time_scale_run (GstTimeScale * self, const guint8 ** in,
    gsize n_frames, gsize * used, GstBuffer ** buffer);

GstFlowReturn gst_time_scale_push (GstTimeScale * self, GstBuffer * buffer);

/* Sends the rest of the output, because the run has ended. */
GstFlowReturn gst_time_scale_drain (GstTimeScale * self);

/* Discards all frames. */
void gst_time_scale_forget_frames (GstTimeScale * self);

/* ---- endpoints.c --------------------------------------------------------------- */

/* Returns TRUE if the settings need all audio before the first frame can be output. */
gboolean gst_time_scale_wants_keeping (GstTimeScale * self);

/* Keeps the frames of `buffer` until the end. */
GstFlowReturn gst_time_scale_keep (GstTimeScale * self);

/* Scales and sends all frames that were kept. */
GstFlowReturn gst_time_scale_drain_kept (GstTimeScale * self);
