/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * timescalehistory: where the stream times of the input lie in the output,
 * after all changes of the factor. Any thread may ask.
 */

#ifndef TIME_SCALE_HISTORY_H
#define TIME_SCALE_HISTORY_H

#include <gst/gst.h>
#include <timedsp.h>

G_BEGIN_DECLS

/* Changes that are remembered: the older ones ever more sparsely. */
#define TIME_SCALE_HISTORY_PAIRS 512

typedef struct
{
  GMutex lock;
  TimeDSPTimePair pairs[TIME_SCALE_HISTORY_PAIRS];
  TimeDSPTimeMap map;           /* of no pairs: nothing has been played */
} TimeScaleHistory;

void time_scale_history_init (TimeScaleHistory * history);
void time_scale_history_clear (TimeScaleHistory * history);

/* Nothing has been played. */
void time_scale_history_forget (TimeScaleHistory * history);

/* All has been played with @factor. */
void time_scale_history_restart (TimeScaleHistory * history, gdouble factor);

/* From @in_ns on, which lies at @out_ns, it is played with @factor. */
void time_scale_history_bend (TimeScaleHistory * history, GstClockTime in_ns,
    GstClockTime out_ns, gdouble factor);

/* Times of the output and of the input; GST_CLOCK_TIME_NONE stays what it is.
 * @factor holds where nothing has been played. */
GstClockTime time_scale_history_to_output (TimeScaleHistory * history,
    GstClockTime in_ns, gdouble factor);
GstClockTime time_scale_history_to_input (TimeScaleHistory * history,
    GstClockTime out_ns, gdouble factor);

G_END_DECLS
#endif /* TIME_SCALE_HISTORY_H */
