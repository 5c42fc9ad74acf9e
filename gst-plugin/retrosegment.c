/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "retrosegment.h"

GstClockTime
retro_segment_mirror (const GstSegment * segment, GstClockTime time_ns)
{
  if (!GST_CLOCK_TIME_IS_VALID (time_ns))
    return time_ns;

  time_ns = CLAMP (time_ns, segment->start, segment->stop);
  return segment->start + (segment->stop - time_ns);
}

void
retro_segment_reverse (const GstSegment * in, GstSegment * out)
{
  *out = *in;
  out->rate = ABS (in->rate);
  out->applied_rate = -in->applied_rate;
  out->position = retro_segment_mirror (in, in->position);
}
