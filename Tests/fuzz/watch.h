/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * watch: checks the output of an element under random events.
 */

#ifndef FUZZ_WATCH_H
#define FUZZ_WATCH_H

#include "fuzzgst.h"

/** DTS of all input buffers. No element forwards it if it has changed the buffer. */
#define FUZZ_UNTOUCHED_DTS ((GstClockTime) 123456789)

typedef struct
{
  GstFlowReturn answer;         /* to buffers that leave */
  guint64 frames;               /* that left so far */
  gboolean has_segment;
  GstAudioInfo info;
  gboolean has_end;             /* of the buffer before, of the same stream */
  GstClockTime end_ns;
  guint64 end_offset;
  gboolean too_late;            /* to be counted in nanoseconds */
} FuzzWatch;

void fuzz_watch_start (FuzzWatch * watch, GstPad * pad);

/** The next buffer is the first one. */
void fuzz_watch_clear (FuzzWatch * watch);

#endif /* FUZZ_WATCH_H */
