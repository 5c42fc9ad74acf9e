/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * collect: the whole of a stream, sent backwards at its end.
 */

#ifndef GST_REVBUF_COLLECT_H
#define GST_REVBUF_COLLECT_H

#include "common/gstretrofilter.h"
#include "common/properties.h"

G_BEGIN_DECLS

typedef struct _GstRevBufCollect GstRevBufCollect;

/* All functions run in the streaming thread of @filter. */
GstRevBufCollect *gst_revbuf_collect_new (GstRetroFilter * filter,
    const GstRetroStorage * storage);

void gst_revbuf_collect_free (GstRevBufCollect * collect);

/* What comes now belongs to forward @segment, which is kept back until
 * gst_revbuf_collect_drain(). */
void gst_revbuf_collect_set_segment (GstRevBufCollect * collect,
    const GstSegment * segment);

/* The segment stops at @stop_ns. FALSE: it has been sent already. */
gboolean gst_revbuf_collect_extend (GstRevBufCollect * collect,
    GstClockTime stop_ns);

/* Keeps @buffer (transfer full). */
GstFlowReturn gst_revbuf_collect_process (GstRevBufCollect * collect,
    GstBuffer * buffer);

/* What has been written to temporary files since the segment began. */
guint64 gst_revbuf_collect_get_spilled_bytes (const GstRevBufCollect * collect);

/* Sends the segment and everything kept, last frame first. */
GstFlowReturn gst_revbuf_collect_drain (GstRevBufCollect * collect);

/* Forgets everything kept. */
void gst_revbuf_collect_reset (GstRevBufCollect * collect);

G_END_DECLS
#endif /* GST_REVBUF_COLLECT_H */
