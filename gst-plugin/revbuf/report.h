/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Posts or logs the reports of a playback (timeplay.h).
 */

#pragma once

#include "common/gstretrofilter.h"

#include <timeplay.h>

/* Posts the report of @action as a warning, or writes it to the log, depending on the kind
 * of report. @rate: frames per second. */
void gst_revbuf_report (GstRetroFilter * filter, const TimePlayAction * action,
    guint rate);

/* Posts the warning @way, which must be one of TIMEPLAY_WARNS_…, with @source as the
 * reason. */
void gst_revbuf_report_source (GstRetroFilter * filter, TimePlayWay way,
    TimePlaySource source);

/* Posts the report of @action as an error. */
void gst_revbuf_report_error (GstRetroFilter * filter,
    const TimePlayAction * action);

/* Returns (transfer full): the value of #revbuf:stats, without `bytes-spilled`. */
GstStructure *gst_revbuf_report_stats (const TimePlayStats * stats);
