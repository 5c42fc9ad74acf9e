/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * fetchedrun: fills a fetched run from buffers.
 */

#pragma once

#include "revbuf/format.h"

/**
 * gst_revbuf_run_add:
 * @object: the object that the log names
 * @buffer: audio in @format, which belongs to @segment
 * @first: (inout): the frame of @buffer to begin with; on return, the frame after
 *   the last one that the run could use
 * @wants_more: (out): whether the run needs more buffers
 *
 * Returns: FALSE if @buffer could not be mapped.
 */
gboolean gst_revbuf_run_add (GstObject * object, TimePlayRun * run,
    GstBuffer * buffer, const TimePlayFormat * format, const GstSegment * segment, gsize * first,
    gboolean * wants_more);
