/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The output: sends the segments and the frames of a playback.
 */

#ifndef GST_REVBUF_OUTPUTSEGMENT_H
#define GST_REVBUF_OUTPUTSEGMENT_H

#include "common/gstretrofilter.h"
#include "revbuf/format.h"

G_BEGIN_DECLS

/* Sends caps where they are new, and the segment of @action. Returns whether
 * downstream knows no stop of it. */
gboolean gst_revbuf_output_send_segment (GstRetroFilter * filter,
    GstPad * srcpad, const TimePlayAction * action);

/* Sends the frames of @action. */
GstFlowReturn gst_revbuf_output_send_frames (GstRetroFilter * filter,
    const TimePlayAction * action);

G_END_DECLS
#endif /* GST_REVBUF_OUTPUTSEGMENT_H */
