/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * GstRetroFilter: the base class of revbuf and timescale.
 */

#pragma once

#include "common/autolock.h"
#include "common/framestore.h"
#include "common/inputstream.h"
#include "common/outputstream.h"

#define GST_TYPE_RETRO_FILTER (gst_retro_filter_get_type ())
#define GST_RETRO_FILTER(object) (G_TYPE_CHECK_INSTANCE_CAST ((object), \
    GST_TYPE_RETRO_FILTER, GstRetroFilter))
#define GST_IS_RETRO_FILTER(object) \
    (G_TYPE_CHECK_INSTANCE_TYPE ((object), GST_TYPE_RETRO_FILTER))
#define GST_RETRO_FILTER_CLASS(klass) (G_TYPE_CHECK_CLASS_CAST ((klass), \
    GST_TYPE_RETRO_FILTER, GstRetroFilterClass))
#define GST_RETRO_FILTER_GET_CLASS(object) (G_TYPE_INSTANCE_GET_CLASS ((object), \
    GST_TYPE_RETRO_FILTER, GstRetroFilterClass))

typedef struct
{
  GstElement parent;
  GstPad *sinkpad, *srcpad;

  /* streaming thread */
  GstRetroInput input;
  GstRetroOutput output;        /* its seqnum is that of the input segment, unless
                                 * gst_retro_filter_set_seqnum() has changed it */

  /* under the stream lock of the source pad */
  gint64 running_shift_ns;      /* shift of running time from the input to the output */
  GstClockTime next_base_ns;    /* base of the next segment; NONE: the same as in the
                                 * input */

  gint passthrough;             /* atomic, because a seek may clear it in another thread */

  /* under the object lock */
  GstClockTime latency_ns;      /* latency added by the element */
} GstRetroFilter;

GType gst_retro_filter_get_type (void);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstRetroFilter, gst_object_unref)

/* An audio filter that changes the timestamps of its input. The base class owns the pads,
 * normalizes any input (see GstRetroInput), and holds back the events that follow an input
 * segment until the subclass has sent the output segment.
 *
 * Functions run in the streaming thread unless marked otherwise. */
typedef struct
{
  GstElementClass parent_class;

  /* Handles a buffer (transfer full) that arrived at the sink pad. The function of the base
   * class normalizes the buffer and calls process(). */
  GstFlowReturn (*chain) (GstRetroFilter * filter, GstBuffer * buffer);
  /* (any thread) Handles an event that arrived at the sink pad. Chain up for other events. */
  gboolean (*sink_event) (GstRetroFilter * filter, GstEvent * event);
  /* Sets @info as the format of the following buffers. Earlier audio has been drained. */
  gboolean (*set_format) (GstRetroFilter * filter, const GstAudioInfo * info);
  /* Starts the segment @in. Its rate is positive: if upstream plays backwards, the base class
   * has reversed the segment. @out is a copy of @in: change it and return TRUE to send it
   * immediately, or return FALSE and call gst_retro_filter_send_segment() later. */
  gboolean (*set_segment) (GstRetroFilter * filter, const GstSegment * in,
      GstSegment * out);
  /* Called if upstream has only changed the stop of the current segment, to
   * @stop_ns. Return TRUE to continue the segment; otherwise its audio is drained, and
   * set_segment() is called. */
  gboolean (*extend) (GstRetroFilter * filter, GstClockTime stop_ns);
  /* Processes a buffer (transfer full) of at least one frame. */
  GstFlowReturn (*process) (GstRetroFilter * filter, GstBuffer * buffer);
  /* Handles a gap: there is no audio at @pts_ns, for @duration_ns (NONE: unknown). */
  GstFlowReturn (*gap) (GstRetroFilter * filter, GstClockTime pts_ns,
      GstClockTime duration_ns);
  /* Sends all audio that has not been sent yet, because the stream ends (EOS, a new segment
   * or a new format). */
  GstFlowReturn (*drain) (GstRetroFilter * filter);
  /* Discards all audio and the segment, without sending anything. @stops is TRUE for a
   * change to READY, and FALSE for a flush. */
  void (*reset) (GstRetroFilter * filter, gboolean stops);
  /* (any thread) Translates the seek @event (transfer full, TIME format) to times of
   * the input, and sends it with gst_retro_filter_send_seek(). */
  gboolean (*seek) (GstRetroFilter * filter, GstEvent * event);
  /* (any thread) Answers a query of the source pad; chain up for other queries. */
  gboolean (*query) (GstRetroFilter * filter, GstQuery * query);
} GstRetroFilterClass;

/* Adds the templates of both pads: raw audio, interleaved or planar, in every sample format that
 * the running GStreamer knows. */
void gst_retro_filter_class_add_templates (GstRetroFilterClass * klass);

/* The format of the input. `finfo` is NULL before the first caps. Must be called in the
 * streaming thread. */
static inline const GstAudioInfo *
gst_retro_filter_get_info (GstRetroFilter * filter)
{
  return &filter->input.info;
}

/* Sets whether buffers and gaps are forwarded unchanged. FALSE may be set at any time, in
 * any thread. While streaming, TRUE may be set only in set_segment(), and only if
 * gst_retro_input_is_flipping() returns FALSE. */
static inline void
gst_retro_filter_set_passthrough (GstRetroFilter * filter, gboolean passthrough)
{
  g_atomic_int_set (&filter->passthrough, passthrough);
}

static inline gboolean
gst_retro_filter_is_passthrough (GstRetroFilter * filter)
{
  return g_atomic_int_get (&filter->passthrough);
}

/* Sets the seqnum of the segments that are sent from now on, normally the seqnum of the
 * seek that caused them. The next segment from upstream replaces it. */
static inline void
gst_retro_filter_set_seqnum (GstRetroFilter * filter, guint32 seqnum)
{
  filter->output.seqnum = seqnum;
}

/* Sends @segment and the events that were held back for it. Call this function again to
 * change the stop of the current segment. If there is an encoder downstream, the segment is
 * sent without a stop position. Otherwise, if its applied rate is negative and not -1, the
 * audio is sent in several segments of at most a second, because sinks report a wrong
 * position in such a segment, with an error that grows with its length. Returns whether the
 * segment was sent without a stop position. */
gboolean gst_retro_filter_send_segment (GstRetroFilter * filter,
    const GstSegment * segment);

/* Makes the next segment begin at the running time @base_ns, on the scale of the segments
 * given to gst_retro_filter_send_segment() so far. Use this if the output has been longer
 * or shorter than the input: all later segments are shifted by the same time, until the
 * next flush. The caller must hold the stream lock of the source pad. */
void gst_retro_filter_follow (GstRetroFilter * filter, GstClockTime base_ns);

/* Restarts running time after a flush. The caller must hold the stream lock of the source
 * pad. */
void gst_retro_filter_reset_running_time (GstRetroFilter * filter);

/* Gets the last segment that was given to gst_retro_filter_send_segment(), unmodified:
 * downstream may have received it without its stop, or as several segments. Returns FALSE
 * if there is none. May be called in any thread. */
gboolean gst_retro_filter_get_segment (GstRetroFilter * filter,
    GstSegment * segment);

/* Pushes @buffer (transfer full), which must have a PTS and a duration. */
GstFlowReturn gst_retro_filter_push (GstRetroFilter * filter,
    GstBuffer * buffer);

/* Pushes one buffer of frames from @store in reverse order, beginning with frame *@end - 1
 * and not going below frame @first. Lowers *@end by the number of frames pushed. @gap:
 * whether the buffer has the GAP flag. */
GstFlowReturn gst_retro_filter_push_reversed (GstRetroFilter * filter,
    GstRetroStore * store, guint64 first, guint64 * end, gboolean gap,
    GstRetroClock * clock);

/* Sends a GAP event. @duration_ns may be NONE. */
GstFlowReturn gst_retro_filter_push_gap (GstRetroFilter * filter,
    GstClockTime pts_ns, GstClockTime duration_ns);

/* Stream time of the next frame to be sent; NONE if nothing has been sent. May be called in
 * any thread. */
GstClockTime gst_retro_filter_get_position (GstRetroFilter * filter);

/* Sends a copy of the seek @like (transfer full) upstream, with the given rate and
 * range. */
gboolean gst_retro_filter_send_seek (GstRetroFilter * filter, GstEvent * like,
    gdouble rate, gint64 start, GstSeekType stop_type, gint64 stop);

/* Posts @error (transfer full) as an error message. Returns GST_FLOW_ERROR. */
GstFlowReturn gst_retro_filter_fail (GstRetroFilter * filter, GError * error);

/* Posts that a buffer could not be allocated. Returns GST_FLOW_ERROR. */
GstFlowReturn gst_retro_filter_fail_memory (GstRetroFilter * filter);

/* Sets the latency that the element adds. Posts a LATENCY message if it has changed. */
void gst_retro_filter_set_latency (GstRetroFilter * filter, GstClockTime latency_ns);
GstClockTime gst_retro_filter_get_latency (GstRetroFilter * filter);

/* The duration that upstream reports; NONE if unknown. May be called in any thread. */
GstClockTime gst_retro_filter_query_duration (GstRetroFilter * filter);

/* Whether upstream is a live source. */
gboolean gst_retro_filter_is_live (GstRetroFilter * filter);

/* Whether the element is inside an nlecomposition of GStreamer Editing Services. A
 * composition adds up the lengths of all segments, so each clip must have a single segment,
 * which stops at the end of the clip. */
gboolean gst_retro_filter_is_in_composition (GstRetroFilter * filter);

/* Functions of gstretrofiltersrc.c that only gstretrofilter.c calls. */
void gst_retro_filter_init_srcpad (GstRetroFilter * filter);
void gst_retro_filter_forget_output (GstRetroFilter * filter);
gboolean gst_retro_filter_default_query (GstRetroFilter * filter, GstQuery * query);
