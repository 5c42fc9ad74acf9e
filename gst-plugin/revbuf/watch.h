/* Retrograde
 * Copyright (C) 2026 the Retrograde authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * watch: warns, once, if nothing has arrived for 5 s although the element waits for it: another
 * branch of the source may be waiting for this one.
 */

#pragma once

#include "revbuf/gstrevbuf.h"

GstClockID gst_revbuf_watch_start (GstRevBuf * self);

/* @id: (transfer full) */
void gst_revbuf_watch_stop (GstClockID id);
