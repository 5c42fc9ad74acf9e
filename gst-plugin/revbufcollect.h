/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * revbufcollect: the whole of a stream, sent backwards at its end.
 */

#ifndef REV_BUF_COLLECT_H
#define REV_BUF_COLLECT_H

#include "gstretrofilter.h"

G_BEGIN_DECLS

typedef struct _RevBufCollect RevBufCollect;

/* All functions run in the streaming thread of @filter. */
RevBufCollect *rev_buf_collect_new (GstRetroFilter * filter,
    guint64 max_memory_bytes, const gchar * spill_directory);

void rev_buf_collect_free (RevBufCollect * collect);

/* What comes now belongs to forward @segment, which is kept back until
 * rev_buf_collect_drain(). */
void rev_buf_collect_set_segment (RevBufCollect * collect,
    const GstSegment * segment);

/* The segment stops at @stop_ns. FALSE: it has been sent already. */
gboolean rev_buf_collect_extend (RevBufCollect * collect,
    GstClockTime stop_ns);

/* Keeps @buffer (transfer full). */
GstFlowReturn rev_buf_collect_process (RevBufCollect * collect,
    GstBuffer * buffer);

/* What has been written to temporary files since the segment began. */
guint64 rev_buf_collect_get_spilled_bytes (const RevBufCollect * collect);

/* Sends the segment and everything kept, last frame first. */
GstFlowReturn rev_buf_collect_drain (RevBufCollect * collect);

/* Forgets everything kept. */
void rev_buf_collect_reset (RevBufCollect * collect);

G_END_DECLS
#endif /* REV_BUF_COLLECT_H */
