/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * timescalehistory: where the stream times of the input lie in the output,
 * after all changes of the factor. Any thread may ask.
 */

#ifndef GST_TIMESCALE_HISTORY_H
#define GST_TIMESCALE_HISTORY_H

#include <gst/gst.h>
#include <timeline.h>

G_BEGIN_DECLS

/* Changes that are remembered: the older ones ever more sparsely. */
#define GST_TIMESCALE_HISTORY_PAIRS 512

typedef struct
{
  GMutex lock;
  TimeDSPTimePair pairs[GST_TIMESCALE_HISTORY_PAIRS];
  TimeDSPTimeline map;          /* of no pairs: nothing has been played */
} GstTimeScaleHistory;

void gst_timescale_history_init (GstTimeScaleHistory * history);
void gst_timescale_history_clear (GstTimeScaleHistory * history);

/* Nothing has been played. */
void gst_timescale_history_forget (GstTimeScaleHistory * history);

/* All has been played with @factor. */
void gst_timescale_history_restart (GstTimeScaleHistory * history, gdouble factor);

/* From @in_ns on, which lies at @out_ns, it is played with @factor. */
void gst_timescale_history_bend (GstTimeScaleHistory * history, GstClockTime in_ns,
    GstClockTime out_ns, gdouble factor);

/* Times of the output and of the input; GST_CLOCK_TIME_NONE stays what it is.
 * @factor holds where nothing has been played. */
GstClockTime gst_timescale_history_to_output (GstTimeScaleHistory * history,
    GstClockTime in_ns, gdouble factor);
GstClockTime gst_timescale_history_to_input (GstTimeScaleHistory * history,
    GstClockTime out_ns, gdouble factor);

G_END_DECLS
#endif /* GST_TIMESCALE_HISTORY_H */
