/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The sentences for what a playback reports.
 */

#pragma once

#include "common/gstretrofilter.h"

#include <timeplay.h>

/* Tells of the report of @action: a message to the application, or to the log.
 * @rate: frames per second. */
void gst_revbuf_report (GstRetroFilter * filter, const TimePlayAction * action,
    guint rate);

/* Tells of the error of @action. */
void gst_revbuf_report_error (GstRetroFilter * filter,
    const TimePlayAction * action);

/* (transfer full): for #revbuf:stats. */
GstStructure *gst_revbuf_report_stats (const TimePlayStats * stats);
