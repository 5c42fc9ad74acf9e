/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * revbufseeks: the seeks of all who fetch from upstream in this process. Two
 * that have one source would take each other's seeks for the application's, and
 * flush each other for ever; they are known by the numbers of their seeks.
 */

#ifndef GST_REVBUF_SEEKREGISTER_H
#define GST_REVBUF_SEEKREGISTER_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* Any thread may call these. */

/**
 * gst_revbuf_seek_register_begin:
 * @element: who seeks
 * @seqnum: of the seek
 *
 * GStreamer's elements cannot be flushed by two seeks at once: waits until
 * nobody else seeks in the pipeline, but 0.1 s at most, as the other one may be
 * slow and of another source, or wait for @element, which is in front of it.
 */
void gst_revbuf_seek_register_begin (GstElement * element, guint32 seqnum);

/* The seek has returned. */
void gst_revbuf_seek_register_end (GstElement * element);

/* @element seeks no more. It need not have seeked. */
void gst_revbuf_seek_register_forget (GstElement * element);

/* Whether @seqnum is that of one of the last two seeks of anybody but @element:
 * while one flushes, what the one before has brought may still be looked at. */
gboolean gst_revbuf_seek_register_is_of_another (GstElement * element, guint32 seqnum);

G_END_DECLS
#endif /* GST_REVBUF_SEEKREGISTER_H */
