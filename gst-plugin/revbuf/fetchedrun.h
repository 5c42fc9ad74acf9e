/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * fetchedrun: adds buffers to a run, the audio that arrives after one seek (timeplay.h).
 */

#pragma once

#include "revbuf/format.h"

/**
 * gst_revbuf_run_add:
 * @object: the object for log messages
 * @buffer: audio in @format and @segment
 * @first: (inout): the first frame of @buffer to add; on return, the frame after the last
 *   frame that the run could use
 * @wants_more: (out): whether the run needs more buffers
 *
 * Returns: FALSE if @buffer does not match @format or could not be mapped.
 */
gboolean gst_revbuf_run_add (GstObject * object, TimePlayRun * run,
    GstBuffer * buffer, const TimePlayFormat * format, const GstSegment * segment, gsize * first,
    gboolean * wants_more);
