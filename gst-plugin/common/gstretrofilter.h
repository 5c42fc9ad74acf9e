/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * GstRetroFilter: the base class of revbuf and timescale.
 */

#pragma once

#include "common/framestore.h"
#include "common/inputstream.h"

/* Holds @mutex, or the object lock of @object, up to the end of the block. */
#define GST_RETRO_HOLD(mutex) \
  g_autoptr (GMutexLocker) G_PASTE (locker_, __LINE__) G_GNUC_UNUSED = \
      g_mutex_locker_new (mutex)
#define GST_RETRO_AUTO_LOCK(object) GST_RETRO_HOLD (GST_OBJECT_GET_LOCK (object))

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
  GQueue held_events;           /* serialized events that follow a held segment */

  /* under the stream lock of the source pad */
  gint64 running_shift_ns;      /* of running time, from the input to the output */
  GstClockTime next_base_ns;    /* of the next segment; NONE: as the input has it */

  gint passthrough;             /* atomic: a seek ends it, too */

  /* under the object lock */
  GstSegment out_segment;       /* UNDEFINED: none sent yet */
  GstClockTime position_ns;     /* in out_segment, of the frame sent next */
  GstClockTime latency_ns;      /* that the element adds */
} GstRetroFilter;

GType gst_retro_filter_get_type (void);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstRetroFilter, gst_object_unref)

/* An audio filter whose output has other times than its input. The base class owns the
 * pads, converts any input to an ordinary stream (see GstRetroInput), and holds
 * back the events that have to follow a segment until that segment is known.
 *
 * Functions run in the streaming thread unless they are marked otherwise. */
typedef struct
{
  GstElementClass parent_class;

  /* Handles a buffer (transfer full) of the sink pad. Chain up to let the base class
   * handle it. */
  GstFlowReturn (*chain) (GstRetroFilter * filter, GstBuffer * buffer);
  /* (any thread) The same for an event. */
  gboolean (*sink_event) (GstRetroFilter * filter, GstEvent * event);
  /* Buffers hold @info from now on. Everything drained so far has the old format. */
  gboolean (*set_format) (GstRetroFilter * filter, const GstAudioInfo * info);
  /* Starts the segment @in, which is already forward. @out begins as a copy of @in;
   * change it and return TRUE to send it immediately. Or return FALSE and call
   * gst_retro_filter_send_segment() later. */
  gboolean (*set_segment) (GstRetroFilter * filter, const GstSegment * in,
      GstSegment * out);
  /* (optional) The segment continues with the new stop @stop_ns. Return TRUE if the held
   * audio continues as well; set_segment() is not called then. */
  gboolean (*extend) (GstRetroFilter * filter, GstClockTime stop_ns);
  /* Processes a buffer (transfer full) of at least one frame. */
  GstFlowReturn (*process) (GstRetroFilter * filter, GstBuffer * buffer);
  /* There is no audio for @duration_ns (NONE: unknown) from @pts_ns on. */
  GstFlowReturn (*gap) (GstRetroFilter * filter, GstClockTime pts_ns,
      GstClockTime duration_ns);
  /* The stream ends (EOS, a new segment or a new format): send everything held. */
  GstFlowReturn (*drain) (GstRetroFilter * filter);
  /* Forget the stream (flush, or the element stops); send nothing. */
  void (*reset) (GstRetroFilter * filter);
  /* (any thread) Translates the seek @event (transfer full, TIME format) to times of
   * the input, and sends it with gst_retro_filter_send_seek(). */
  gboolean (*seek) (GstRetroFilter * filter, GstEvent * event);
  /* (any thread, optional) Upstream sent INSTANT_RATE_CHANGE with this multiplier of
   * the segment's rate. Return TRUE if downstream does not need the event. */
  gboolean (*instant_rate) (GstRetroFilter * filter, gdouble multiplier);
  /* (any thread, optional) Whether the output after a seek has the same frames, at the
   * same times, as the output without it. NULL: it has. */
  gboolean (*repeats) (GstRetroFilter * filter);
  /* (any thread) Answers a query of the source pad; chain up for the rest. */
  gboolean (*query) (GstRetroFilter * filter, GstQuery * query);
} GstRetroFilterClass;

/* Installs the templates of both pads: raw audio of the @n_formats @formats,
 * interleaved and planar. NULL and 0 mean every format that the running GStreamer
 * knows. */
void gst_retro_filter_class_add_templates (GstRetroFilterClass * klass,
    const GstAudioFormat * formats, guint n_formats);

/* The format of the input. Its finfo is NULL before the first caps. Streaming
 * thread. */
static inline const GstAudioInfo *
gst_retro_filter_get_info (GstRetroFilter * filter)
{
  return &filter->input.info;
}

/* Passes buffers and gaps through unchanged. For set_segment(), but not while
 * gst_retro_input_is_flipping(). Streaming thread. */
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

/* Segments sent from now on carry @seqnum, the number of the seek that they answer. */
static inline void
gst_retro_filter_set_seqnum (GstRetroFilter * filter, guint32 seqnum)
{
  filter->seqnum = seqnum;
}

/* Sends @segment and the events that wait for it. Call it again to change the stop
 * of the segment that is playing. If an encoder follows, downstream gets the segment
 * without a stop. Otherwise, a segment of a negative applied rate other than -1 is
 * sent in parts of at most a second as it plays: sinks report wrong positions in such
 * a segment, and the error grows with its length. Returns whether the segment was
 * sent without a stop. */
gboolean gst_retro_filter_send_segment (GstRetroFilter * filter,
    const GstSegment * segment);

/* The next segment begins at the running time @base_ns, counted like that of the segments so
 * far. Later segments are shifted by the same time, up to the next flush: the output has been
 * longer or shorter than the input. With the stream lock of the source pad. */
void gst_retro_filter_follow (GstRetroFilter * filter, GstClockTime base_ns);

/* Running time begins again after a flush. With the same lock. */
void gst_retro_filter_reset_running_time (GstRetroFilter * filter);

/* The segment that was sent last. Returns FALSE if there is none. Any thread. */
gboolean gst_retro_filter_get_segment (GstRetroFilter * filter,
    GstSegment * segment);

/* Pushes @buffer (transfer full), which has a PTS and a duration. */
GstFlowReturn gst_retro_filter_push (GstRetroFilter * filter,
    GstBuffer * buffer);

/* Pushes one buffer of frames of @store, from *@end - 1 downwards, to @first at most.
 * Lowers *@end by the frames of the buffer. @gap: sets the GAP flag. */
GstFlowReturn gst_retro_filter_push_reversed (GstRetroFilter * filter,
    GstRetroStore * store, guint64 first, guint64 * end, gboolean gap,
    GstRetroClock * clock);

/* Sends a GAP event. */
GstFlowReturn gst_retro_filter_push_gap (GstRetroFilter * filter,
    GstClockTime pts_ns, GstClockTime duration_ns);

/* Stream time of the frame that will be sent next; NONE if nothing has been sent.
 * Any thread. */
GstClockTime gst_retro_filter_get_position (GstRetroFilter * filter);

/* Sends a seek like @like (transfer full) upstream, with this rate and range. */
gboolean gst_retro_filter_send_seek (GstRetroFilter * filter, GstEvent * like,
    gdouble rate, gint64 start, GstSeekType stop_type, gint64 stop);

/* Posts @error (transfer full) as an error message. Returns GST_FLOW_ERROR. */
GstFlowReturn gst_retro_filter_fail (GstRetroFilter * filter, GError * error);

/* Does the same when a buffer could not be allocated. */
GstFlowReturn gst_retro_filter_fail_memory (GstRetroFilter * filter);

/* The latency that the element adds. A change is reported to the application. */
void gst_retro_filter_set_latency (GstRetroFilter * filter, GstClockTime latency_ns);
GstClockTime gst_retro_filter_get_latency (GstRetroFilter * filter);

/* The duration that upstream reports; NONE: upstream does not know it. Any thread. */
GstClockTime gst_retro_filter_query_duration (GstRetroFilter * filter);

/* Whether upstream is a live source. */
gboolean gst_retro_filter_is_live (GstRetroFilter * filter);

/* For gstretrofilter.c. */
void gst_retro_filter_init_srcpad (GstRetroFilter * filter);
void gst_retro_filter_forget_output (GstRetroFilter * filter);
gboolean gst_retro_filter_default_query (GstRetroFilter * filter, GstQuery * query);
