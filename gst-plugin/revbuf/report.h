/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Posts or logs the reports of a playback.
 */

#pragma once

#include "common/gstretrofilter.h"

#include <timeplay.h>

/* Posts the report of @action as a message to the application, or writes it to the log.
 * @rate: frames per second. */
void gst_revbuf_report (GstRetroFilter * filter, const TimePlayAction * action,
    guint rate);

/* Posts the warning @way. @source is the reason for the warning. */
void gst_revbuf_report_source (GstRetroFilter * filter, TimePlayWay way,
    TimePlaySource source);

/* Posts the error of @action. */
void gst_revbuf_report_error (GstRetroFilter * filter,
    const TimePlayAction * action);

/* Returns (transfer full): the counts for #revbuf:stats. */
GstStructure *gst_revbuf_report_stats (const TimePlayStats * stats);
