/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * watch: checks the output of an element under random events.
 */

#ifndef FUZZ_WATCH_H
#define FUZZ_WATCH_H

#include "fuzzgst.h"

/** The DTS of all input buffers. An element may forward this DTS only if it has not
 * changed the buffer. */
#define FUZZ_UNTOUCHED_DTS ((GstClockTime) 123456789)

typedef struct
{
  GstFlowReturn answer;         /* the flow return for output buffers */
  guint64 frames;               /* number of output frames so far */
  gboolean has_segment;
  GstAudioInfo info;
  gboolean has_end;             /* whether the end of the previous buffer of the same
                                 * stream is known */
  GstClockTime end_ns;
  guint64 end_offset;
  gboolean too_late;            /* whether times are so late that they may wrap;
                                 * such times are not compared */
} FuzzWatch;

void fuzz_watch_start (FuzzWatch * watch, GstPad * pad);

/** Treats the next buffer as the first one. */
void fuzz_watch_clear (FuzzWatch * watch);

#endif /* FUZZ_WATCH_H */
