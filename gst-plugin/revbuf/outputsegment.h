/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The output: what is sent of a block cache, in segments of one direction each
 * and one running time.
 */

#ifndef GST_REVBUF_OUTPUTSEGMENT_H
#define GST_REVBUF_OUTPUTSEGMENT_H

#include "common/gstretrofilter.h"
#include "common/frameclock.h"
#include "revbuf/blockcache.h"

G_BEGIN_DECLS

/**
 * GstRevBufOutput:
 * @base_ns: running time at which counting began
 * @frames: sent since then
 * @open: downstream knows no stop of @segment
 * @discont: the next buffer does not follow the one before it
 */
typedef struct
{
  GstRetroFilter *filter;
  GstPad *srcpad;
  GstAudioInfo info;
  gdouble rate;                 /* above 0 */
  GstClockTime base_ns;
  guint64 frames;
  GstRetroClock clock;
  GstSegment segment;
  gboolean open;
  gboolean discont;
} GstRevBufOutput;

/* Counts running time from @base_ns on, at playback rate @rate. */
void gst_revbuf_output_count_from (GstRevBufOutput * output,
    GstClockTime base_ns, gdouble rate);

/* Running time of the frame sent next. */
GstClockTime gst_revbuf_output_running_time (const GstRevBufOutput * output);

/**
 * gst_revbuf_output_start:
 * @app: what the application asked for: flags
 * @first_ns, @end_ns: what the output segment covers of the stream, at most;
 *   @end_ns NONE: not known (forward only)
 *
 * Sends caps where they are new, and the output segment. Backward, its first
 * frame is the one before @end_ns; forward, the one at @first_ns.
 */
void gst_revbuf_output_start (GstRevBufOutput * output, const GstSegment * app,
    TimeDSPDirection direction, GstClockTime first_ns, GstClockTime end_ns);

/* Frames that fit before the stop of the output segment; G_MAXINT64: all. */
gint64 gst_revbuf_output_frames_left (const GstRevBufOutput * output);

/**
 * gst_revbuf_output_make_room:
 * @n_frames: more than gst_revbuf_output_frames_left()
 *
 * Lets @n_frames fit before the stop of the output segment. Timestamps go back
 * by the time that is missing, up to 1/32 s. Where more is missing, a
 * corrected segment is sent; it is the last resort, for encoders start over
 * with it.
 */
void gst_revbuf_output_make_room (GstRevBufOutput * output, gint64 n_frames);

/* Sends @n_frames of @block: from @index on, or from it down. */
GstFlowReturn gst_revbuf_output_send (GstRevBufOutput * output,
    const GstRevBufBlock * block, TimeDSPDirection direction, gint64 index,
    gsize n_frames);

G_END_DECLS
#endif /* GST_REVBUF_OUTPUTSEGMENT_H */
