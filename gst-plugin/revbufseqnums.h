/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * revbufseqnums: all who fetch from upstream in this process, each with the
 * number of its last seek. Two that have one source would take each other's
 * seeks for the application's, and flush each other for ever.
 */

#ifndef REV_BUF_SEQNUMS_H
#define REV_BUF_SEQNUMS_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* Any thread may call these. */

/* The last seek of @owner has @seqnum. */
void rev_buf_seqnums_set (gconstpointer owner, guint32 seqnum);

/* @owner seeks no more. It need not have seeked. */
void rev_buf_seqnums_remove (gconstpointer owner);

/* Whether @seqnum is that of the last seek of anybody. */
gboolean rev_buf_seqnums_contain (guint32 seqnum);

G_END_DECLS
#endif /* REV_BUF_SEQNUMS_H */
