/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * GstRetroFilter: what revbuf and timescale have in common.
 */

#ifndef GST_RETRO_FILTER_H
#define GST_RETRO_FILTER_H

#include "common/inputstream.h"

G_BEGIN_DECLS

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
  guint32 seqnum;               /* of the segment */
  gboolean segment_sent;
  GQueue held_events;           /* serialized ones behind a segment not yet sent */

  gint passthrough;             /* atomic: seeks end it, too */
  GstClockTime position_ns;     /* atomic: in out_segment, of the frame sent next */

  /* under the object lock */
  GstSegment out_segment;       /* UNDEFINED: none sent yet */
  GstClockTime latency_ns;      /* that the element adds */
} GstRetroFilter;

GType gst_retro_filter_get_type (void);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstRetroFilter, gst_object_unref)

/**
 * GstRetroFilterClass:
 *
 * An audio filter whose output does not lie at the time of its input. The base
 * class owns the pads, and makes an ordinary stream of whatever arrives (see
 * GstRetroInput). Events that belong behind a segment are held back until the
 * segment is known.
 *
 * All functions but those marked otherwise run in the streaming thread.
 *
 * @chain: a buffer (transfer full) has come to the sink pad; chain up for what
 *   the base class is to handle.
 * @sink_event: (any thread) an event (transfer full) has come to the sink pad;
 *   chain up likewise.
 * @set_format: caps have come; @info is what buffers hold from now on. What
 *   was drained before belongs to the old format.
 * @set_segment: a segment has come, @in, already forward. Fill in @out, which
 *   starts as a copy of @in, and answer TRUE to send it on at once; or answer
 *   FALSE and call gst_retro_filter_send_segment() later.
 * @extend: (optional) the segment, of which @stop_ns is the new stop, goes on:
 *   TRUE where what is held does, too, and set_segment() need not be called.
 * @process: takes a buffer (transfer full) of at least one frame.
 * @gap: no audio from @pts_ns on for @duration_ns (NONE: not known).
 * @drain: the stream ends here (EOS, a new segment or format): send what is
 *   still held.
 * @reset: forget the stream (flush, or the element stops); send nothing.
 * @seek: (any thread) sends the seek @event (transfer full), of TIME format,
 *   upstream by gst_retro_filter_send_seek() in the terms of the input.
 * @instant_rate: (any thread, optional) INSTANT_RATE_CHANGE has come with this
 *   multiplier of the segment's rate; TRUE: nobody behind has to know.
 * @query: (any thread) answers a query of the source pad; chain up for the rest.
 */
typedef struct
{
  GstElementClass parent_class;

  GstFlowReturn (*chain) (GstRetroFilter * filter, GstBuffer * buffer);
  gboolean (*sink_event) (GstRetroFilter * filter, GstEvent * event);
  gboolean (*set_format) (GstRetroFilter * filter, const GstAudioInfo * info);
  gboolean (*set_segment) (GstRetroFilter * filter, const GstSegment * in,
      GstSegment * out);
  gboolean (*extend) (GstRetroFilter * filter, GstClockTime stop_ns);
  GstFlowReturn (*process) (GstRetroFilter * filter, GstBuffer * buffer);
  GstFlowReturn (*gap) (GstRetroFilter * filter, GstClockTime pts_ns,
      GstClockTime duration_ns);
  GstFlowReturn (*drain) (GstRetroFilter * filter);
  void (*reset) (GstRetroFilter * filter);
  gboolean (*seek) (GstRetroFilter * filter, GstEvent * event);
  gboolean (*instant_rate) (GstRetroFilter * filter, gdouble multiplier);
  gboolean (*query) (GstRetroFilter * filter, GstQuery * query);
} GstRetroFilterClass;

/* Installs the two always pads with raw audio of the @n_formats @formats, both
 * layouts. NULL and 0 stand for every format of the GStreamer that is running. */
void gst_retro_filter_class_add_templates (GstRetroFilterClass * klass,
    const GstAudioFormat * formats, guint n_formats);

/* What arrives now; finfo is NULL before the first caps. Streaming thread. */
static inline const GstAudioInfo *
gst_retro_filter_get_info (GstRetroFilter * filter)
{
  return &filter->input.info;
}

/* Lets buffers and gaps through untouched; for set_segment(), which is not to
 * say so while the base class flips. Streaming thread. */
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

/* Whether upstream's audio arrives (last block first) backwards. */
static inline gboolean
gst_retro_filter_is_flipping (GstRetroFilter * filter)
{
  return filter->input.flipping;
}

/* What is sent from now on answers the seek of @seqnum. */
static inline void
gst_retro_filter_set_seqnum (GstRetroFilter * filter, guint32 seqnum)
{
  filter->seqnum = seqnum;
}

/* Sends @segment, and the events that waited for it; also later, to change the
 * stop of the segment that is playing. Where an encoder follows, downstream gets
 * it without a stop. Else one whose applied rate is negative and not -1 is sent in
 * parts of a second or less, as it plays: sinks report wrong positions in such a
 * segment, the more so the longer it is. Returns whether what has been sent has no
 * stop. */
gboolean gst_retro_filter_send_segment (GstRetroFilter * filter,
    const GstSegment * segment);

/* The segment last sent, for any thread; FALSE: none yet. */
gboolean gst_retro_filter_get_segment (GstRetroFilter * filter,
    GstSegment * segment);

/* Pushes @buffer (transfer full), which has its PTS and duration. */
GstFlowReturn gst_retro_filter_push (GstRetroFilter * filter,
    GstBuffer * buffer);

/* Sends a GAP event. */
GstFlowReturn gst_retro_filter_push_gap (GstRetroFilter * filter,
    GstClockTime pts_ns, GstClockTime duration_ns);

/* Stream time of the frame that is sent next, for any thread; NONE: nothing
 * has been sent. */
GstClockTime gst_retro_filter_get_position (GstRetroFilter * filter);

/* Sends a seek upstream: @like (transfer full), but with this rate and range. */
gboolean gst_retro_filter_send_seek (GstRetroFilter * filter, GstEvent * like,
    gdouble rate, gint64 start, GstSeekType stop_type, gint64 stop);

/* Ends the stream with @error (transfer full) of GST_RESOURCE_ERROR. */
GstFlowReturn gst_retro_filter_fail (GstRetroFilter * filter, GError * error);

/* The same where there is no memory for a buffer. */
GstFlowReturn gst_retro_filter_fail_memory (GstRetroFilter * filter);

/* The latency that the element adds. A new one is told to the application. */
void gst_retro_filter_set_latency (GstRetroFilter * filter, GstClockTime latency_ns);
GstClockTime gst_retro_filter_get_latency (GstRetroFilter * filter);

/* What upstream says; NONE: it does not know. Any thread. */
GstClockTime gst_retro_filter_query_duration (GstRetroFilter * filter);

/* Whether upstream is a live source. */
gboolean gst_retro_filter_is_live (GstRetroFilter * filter);

/* For gstretrofilter.c. */
void gst_retro_filter_init_srcpad (GstRetroFilter * filter);
void gst_retro_filter_forget_output (GstRetroFilter * filter);
gboolean gst_retro_filter_default_query (GstRetroFilter * filter, GstQuery * query);

G_END_DECLS
#endif /* GST_RETRO_FILTER_H */
