/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * report: messages to the application. Warnings and errors have a sentence for the user, and
 * details with a field "reason" for programs.
 */

#pragma once

#include "revbuf/player.h"

/* Names of element messages (see the documentation of the element). */
#define GST_REVBUF_NEWS_DIRECTION_CHANGE "revbuf-direction-change"
#define GST_REVBUF_NEWS_PASS "revbuf-loop-pass"
#define GST_REVBUF_NEWS_SEAM "revbuf-seam"

/* Posts or logs @report. */
void gst_revbuf_report (GstRevBufPlayer * player,
    const TimeBlocksReport * report);

/* Posts @report as an error. */
void gst_revbuf_report_failure (GstRevBufPlayer * player,
    const TimeBlocksReport * report);

/* Warns that we're collecting the stream, because we can't trust its seeks. */
void gst_revbuf_report_distrust (GstRevBuf * self);

/* Warns that the stream ends at @end_frame instead of @promised_ns. */
void gst_revbuf_report_early_end (GstRevBufPlayer * player,
    GstClockTime promised_ns, gint64 end_frame);

/* Posts the element message @name for the frame that is @ahead_frames after the playhead, with the
 * times of its output, and with the @result of a seam, or else (NULL) the direction. */
void gst_revbuf_report_news (GstRevBufPlayer * player, const gchar * name,
    gint64 ahead_frames, const gchar * result);

/* Warns that the player can't play the stream because of @source, and says what happens
 * @instead. */
void gst_revbuf_report_source (GstRevBuf * self, GstRevBufSource source,
    const gchar * instead);

/* Details with a @reason for programs. */
GstStructure *gst_revbuf_details (const gchar * reason);

/* Posts a warning or an error with a sentence for the user, and @details (transfer full) for
 * programs. Returns GST_FLOW_ERROR. */
GstFlowReturn gst_revbuf_post (GstRevBuf * self, GstMessageType type,
    GQuark domain, gint code, GstStructure * details, const gchar * sentence, ...)
    G_GNUC_PRINTF (6, 7);

/* The same with a @reason alone, and a domain and a code as in GST_ELEMENT_ERROR(). */
#define GST_REVBUF_POST(self, type, DOMAIN, CODE, reason, ...) \
  gst_revbuf_post (self, type, GST_##DOMAIN##_ERROR, \
      GST_##DOMAIN##_ERROR_##CODE, gst_revbuf_details (reason), __VA_ARGS__)
#define GST_REVBUF_WARN(self, ...) \
  GST_REVBUF_POST (self, GST_MESSAGE_WARNING, __VA_ARGS__)
#define GST_REVBUF_FAIL(self, ...) \
  GST_REVBUF_POST (self, GST_MESSAGE_ERROR, __VA_ARGS__)

/* Posts @error (transfer full) of the frame store. Returns GST_FLOW_ERROR. */
GstFlowReturn gst_revbuf_fail_storage (GstRevBuf * self, GError * error);

/* Posts that a buffer couldn't be allocated. Returns GST_FLOW_ERROR. */
GstFlowReturn gst_revbuf_fail_memory (GstRevBuf * self);

/* Returns (transfer full): the value of #revbuf:stats. */
GstStructure *gst_revbuf_report_stats (GstRevBufPlayer * player);
